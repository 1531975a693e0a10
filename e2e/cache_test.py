#!/usr/bin/env python3
"""cache_test.py SYMCACHED: `symcached cache` in the cache of a server, and while the server runs."""
import json
import os
import pathlib
import re
import tempfile
import threading
import time
import unittest
import urllib.request

import program
from program import symcached
from server import Server, Symbols, write_entry

DAY = 24 * 3600


class Cache(unittest.TestCase):
    """A cache with five symcaches made by a server, app.pdb/...1 to ...5."""

    @classmethod
    def setUpClass(cls):
        scratch = tempfile.TemporaryDirectory()
        cls.addClassCleanup(scratch.cleanup)
        cls.symbols = Symbols(pathlib.Path(scratch.name) / "symbols")
        for number in range(1, 6):
            cls.symbols.add(number)

    def setUp(self):
        scratch = tempfile.TemporaryDirectory()
        self.addCleanup(scratch.cleanup)
        self.cache = pathlib.Path(scratch.name) / "cache"
        self.server = Server(program.PROGRAM, self.cache, self.symbols.folder)
        self.addCleanup(lambda: self.server.process.poll() is None and self.server.end())
        for number in range(1, 6):
            self.fetch(number)

    def fetch(self, number):
        with urllib.request.urlopen(self.server.url + self.symbols.url_path(number)) as answer:
            return answer.read()

    def run_cache(self, command, *arguments, status=0):
        done = symcached("cache", command, "--cache-dir", self.cache, *arguments)
        self.assertEqual(done.returncode, status, done.stdout + done.stderr)
        return done.stdout

    def listed(self, *arguments):
        return [json.loads(line) for line in self.run_cache("ls", "--json", *arguments).splitlines()]

    def file_of(self, number):
        digits = self.symbols.guid_of(number).replace("-", "")
        return self.cache / self.listed(digits)[0]["file"]

    def test_ls_finds_by_name_id_kind_and_age(self):
        everything = self.listed()
        self.assertEqual({(e["kind"], e["scope"], e["state"]) for e in everything}, {("symcaches", "global", "hit")})
        self.assertEqual(len(everything), 5)
        third = self.symbols.guid_of(3)
        for arguments, count in [([third], 1), ([third.replace("-", "").lower()], 1), (["APP.*"], 5), (["*.dll"], 0),
                                 (["nothing"], 0), (["--kind", "objects"], 0), (["--scope", "global"], 5),
                                 (["--state", "hit", "--state", "old"], 5), (["--older-than", "1d"], 0)]:
            self.assertEqual(len(self.listed(*arguments)), count, arguments)
        entry = self.listed(third)[0]
        self.assertEqual((self.cache / entry["file"]).stat().st_size, entry["size"])
        text = self.run_cache("ls", third).splitlines()
        self.assertEqual(text[0].split()[0], "KIND")
        self.assertRegex(text[1], r"^symcaches/v\d+ +global +hit .* app\.pdb/0+3[0-9A-F]+1$")

    def test_ls_sorts(self):
        now = time.time()
        for number, days in [(1, 3), (2, 9), (3, 1), (4, 20), (5, 0)]:
            os.utime(self.file_of(number), (now - days * DAY,) * 2)
        numbers = lambda *options: [int(e["key"].split("/")[1][:8], 16) for e in self.listed(*options)]
        self.assertEqual(numbers("--sort", "name"), [1, 2, 3, 4, 5])
        self.assertEqual(numbers("--sort", "age"), [4, 2, 1, 3, 5])
        self.assertEqual(numbers("--sort", "age", "--older-than", "7d"), [4, 2])
        sizes = [e["size"] for e in self.listed("--sort", "size")]
        self.assertEqual(sizes, sorted(sizes, reverse=True))

    def test_stat_counts(self):
        write_entry(self.cache, "odd.pdb/1", b"x")
        (self.cache / "symcaches" / "notes.txt").write_text("not ours")
        counted = json.loads(self.run_cache("stat", "--json"))
        self.assertEqual((counted["total"]["entries"], counted["other_files"]), (6, 1))
        self.assertEqual(counted["total"]["bytes"], sum(e["size"] for e in self.listed()))
        self.assertEqual([(p["kind"], p["scope"], p["entries"]) for p in counted["places"]],
                         [("symcaches", "global", 6)])
        text = self.run_cache("stat")
        self.assertRegex(text, r"(?m)^total +6 ")
        self.assertIn("1 other files or directories", text)
        self.assertIn(f"\n{self.cache}\ncaches.max_size: 20GiB\ncaches.min_free: 5%\ncaches.max_unused_for: 7d\n", text)

    def test_stat_of_a_pdb_asks_the_server(self):
        absent = "3249D99D0C4049318610F4E4FB0B69361A"
        server = self.server
        server.ask(f"/open/v2.1.0/app.pdb/{absent[:32]}/26")
        here = ("--server", server.url + "/")
        text = self.stat("--pdb", "app.pdb", absent, *here).stdout
        self.assertRegex(text, rf"(?i)^app\.pdb/{absent}, as {server.url} says\n"
                               r"open format: absent, tried again in \d+ s\n"
                               rf"  source {self.symbols.folder}, pdb: absent, tried again in \d+ s\n")
        self.assertEqual(self.stat("--pdb", "app.pdb", absent[:32], "26", *here).stdout.split(",")[0],
                         f"app.pdb/{absent[:-1]}a")
        there = json.loads(self.stat("--pdb", "app.pdb", self.symbols.guid_of(1), "--json", *here).stdout)
        told = there["server"], "microsoft" in there, there["open"]["under_way"]
        self.assertEqual(told, (server.url, False, False))
        server.end()
        for status, words in [(1, ("--pdb", "app.pdb", absent, *here)), (2, ("--pdb", "app.pdb", "1")),
                              (2, here), (2, ("--pdb", "app.pdb", absent, "--kind", "objects"))]:
            done = self.stat(*words)
            self.assertEqual((done.returncode, done.stdout), (status, ""), words)
            self.assertRegex(done.stderr, "^symcached cache stat: ")

    def stat(self, *words):
        return symcached("cache", "stat", *words)

    def test_a_configuration_file_names_the_directory_and_the_limits(self):
        file = self.cache.parent / "symcached.yml"
        file.write_text(f"cache_dir: {self.cache}\ncaches: {{max_size: 1GB, objects: {{max_unused_for: 3d}}}}\n")
        counted = json.loads(symcached("cache", "stat", "--json", "-c", file).stdout)
        self.assertEqual(counted["total"]["entries"], 5)
        self.assertEqual(counted["limits"], {"caches.max_size": "1GB", "caches.min_free": "5%",
                                             "caches.max_unused_for": "7d", "caches.objects.max_unused_for": "3d"})
        self.assertEqual(symcached("cache", "verify", "-c", file).returncode, 0)
        file.write_text("cache_dri: x\n")
        done = symcached("cache", "ls", "-c", file)
        self.assertEqual((done.returncode, done.stdout), (1, ""))
        self.assertIn("symcached.yml:1: error: cache_dri: unknown key; the nearest is cache_dir", done.stderr)

    def test_verify_names_each_damaged_byte_and_repairs(self):
        self.assertRegex(self.run_cache("verify"), r"^5 entries, .* checked\n$")
        first, second = self.file_of(1), self.file_of(2)
        for file, at in [(first, 20), (second, 4096 + 300)]:
            data = bytearray(file.read_bytes())
            data[at] ^= 1
            file.write_bytes(data)
        write_entry(self.cache, "odd.pdb/1", b"a payload that is no symcache, with all checksums right")
        stray = self.cache / "symcaches" / "notes.txt"
        stray.write_text("not ours")
        lines = self.run_cache("verify", "-j", "3", status=1).splitlines()
        self.assertEqual(len(lines), 5)
        for wanted in [rf"{first}: key unknown: .*", rf"{second}: app\.pdb/\w+: .* was changed", r".*: odd\.pdb/1: .*",
                       rf"{stray}: no entry: .*; left alone", r"6 entries, .* checked, 3 damaged"]:
            self.assertEqual(len([line for line in lines if re.fullmatch(wanted, line)]), 1, (wanted, lines))
        self.assertIn("3 damaged, 3 removed", self.run_cache("verify", "--repair", status=1))
        self.assertRegex(self.run_cache("verify"), r"3 entries, .* checked\n$")
        self.assertTrue(stray.exists())
        self.assertEqual(self.fetch(2), self.file_of(2).read_bytes()[4096:])  # and it is made again

    def test_entries_may_come_and_go_meanwhile(self):
        ended = threading.Event()

        def come_and_go():
            while not ended.is_set():
                self.run_cache("purge", "--all")
                for number in range(1, 6):
                    self.fetch(number)

        other = threading.Thread(target=come_and_go)
        other.start()
        try:
            for _ in range(20):
                self.run_cache("verify")
                self.run_cache("ls", "--sort", "size")
        finally:
            ended.set()
            other.join()

    def test_purge_removes_what_it_is_told_to(self):
        done = symcached("cache", "purge", "--cache-dir", self.cache)
        self.assertEqual((done.returncode, done.stdout), (2, ""))
        self.assertIn("nothing says which entries", done.stderr)
        self.assertIn("would remove 5 entries", self.run_cache("purge", "--all", "--dry-run"))
        self.assertEqual(len(self.listed()), 5)
        third = self.symbols.guid_of(3)
        dry = self.run_cache("purge", third, "--dry-run")
        self.assertRegex(dry, r"^symcaches/v\d+ global app\.pdb/\w+\nwould remove 1 entry, ")
        self.assertRegex(self.run_cache("purge", third), r"^removed 1 entry, ")
        os.utime(self.file_of(4), (time.time() - 8 * DAY,) * 2)
        self.assertRegex(self.run_cache("purge", "--older-than", "7d"), r"^removed 1 entry, ")
        self.assertRegex(self.run_cache("purge", "app.pdb", "--kind", "objects"), r"^removed 0 entries, ")
        stray = self.cache / "notes.txt"
        stray.write_text("not ours")
        self.assertRegex(self.run_cache("purge", "--all"), r"^removed 3 entries, ")
        self.assertTrue(stray.exists() and (self.cache / ".symcached").exists())
        self.assertFalse((self.cache / "symcaches").exists(), "empty folders go")
        self.assertTrue(self.fetch(3))  # the server goes on

    def test_what_is_no_cache_is_refused(self):
        home = self.cache.parent / "home"
        home.mkdir()
        (home / "letter").write_text("dear")
        for command in (["ls"], ["stat"], ["verify"], ["purge", "--all"]):
            for directory, why in [(home, "not marked as a cache"), (home / "missing", "No such file")]:
                done = symcached("cache", *command, "--cache-dir", directory)
                self.assertEqual(done.returncode, 1)
                self.assertIn(why, done.stderr)
        self.assertEqual([p.name for p in home.iterdir()], ["letter"])


if __name__ == "__main__":
    program.main()
