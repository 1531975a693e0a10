#!/usr/bin/env python3
"""warm_test.py SYMCACHED: `symcached cache warm` from lists, folders and debug files, and a server in its cache."""
import json
import pathlib
import subprocess
import tempfile
import unittest
import uuid

import program
from admin_test import metrics_of
from program import symcached
from server import SOURCE, Server, Symbols

BUILD_ID = "dfb85de42daffd09640c8fe377d572de3e168920"
SHORT_ID = BUILD_ID[:32]  # may be a UUID of Apple's as well


def make_elf(folder, build_id):
    """A program with DWARF, where a debuginfod server would have it."""
    place = folder / "buildid" / build_id / "debuginfo"
    place.parent.mkdir(parents=True)
    (folder / "app.c").write_text(SOURCE)
    subprocess.run(["gcc", "-g", f"-Wl,--build-id=0x{build_id}", folder / "app.c", "-o", place], check=True)


class Warm(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        scratch = tempfile.TemporaryDirectory()
        cls.addClassCleanup(scratch.cleanup)
        folder = pathlib.Path(scratch.name)
        cls.symbols = Symbols(folder / "symbols")
        for number in range(1, 5):
            cls.symbols.add(number)
        cls.elves = folder / "elves"
        for build_id in (BUILD_ID, SHORT_ID):
            make_elf(cls.elves, build_id)

    def setUp(self):
        scratch = tempfile.TemporaryDirectory()
        self.addCleanup(scratch.cleanup)
        self.folder = pathlib.Path(scratch.name)
        self.cache = self.folder / "cache"
        self.texts = self.folder / "texts"
        self.texts.mkdir()
        self.file = self.folder / "symcached.yml"
        self.configure()

    def configure(self, **keys):
        sources = [{"id": "pdbs", "type": "filesystem", "path": str(self.symbols.folder), "is_public": True,
                    "layout": {"type": "symstore"}},
                   {"id": "elves", "type": "filesystem", "path": str(self.elves / "buildid"), "is_public": True,
                    "layout": {"type": "debuginfod"}},
                   {"id": "texts", "type": "filesystem", "path": str(self.texts), "is_public": True,
                    "layout": {"type": "breakpad"}}]
        self.file.write_text(json.dumps({"cache_dir": str(self.cache), "sources": sources, **keys}))

    def warm(self, *arguments, status=0, stdin=None):
        done = symcached("cache", "warm", "-c", self.file, *arguments, stdin=stdin)
        self.assertEqual(done.returncode, status, done.stdout + done.stderr)
        return done.stdout

    def guid(self, number):
        return self.symbols.guid_of(number)

    def test_every_dialect_of_lists(self):
        age = self.symbols.age
        digits = [self.guid(number).replace("-", "") for number in range(5)]
        rsds = f"[RSDS] PdbSig: {{{self.guid(3)}}}; Age: {age}; Pdb: c:\\b\\app.pdb"
        rows = [("name and id", f"app.pdb {digits[1]}{age:x}\n"),
                ("name, GUID, age", f"app.pdb {self.guid(2)} {age}\n"),
                ("xperf", f'0x4da89d03, 0x00bcb000, "app.exe", "{rsds}"\n'),
                ("key", f"app.pdb/{digits[4]}{age:x}/app.pdb\n"),
                ("perf buildid-list", f"{BUILD_ID} /usr/bin/app\n"),
                ("JSON", json.dumps([{"code_file": "/bin/app", "code_id": BUILD_ID}]))]
        for dialect, text in rows:
            outcome = json.loads(self.warm("--json", "-", stdin=text))
            seen = "there" if dialect == "JSON" else "made"  # that is the ELF file again
            self.assertEqual((outcome["outcome"], outcome["quality"]), (seen, "lines"), dialect)
        counted = json.loads(symcached("cache", "stat", "--json", "-c", self.file).stdout)
        self.assertEqual(counted["total"]["entries"], 5)
        everything = self.folder / "all"
        everything.write_text("".join(text for _, text in rows[:5]))
        self.assertEqual(self.warm(everything), "5 modules: 5 already there, 0 made, 0 missing, 0 failed\n"
                                                "in the cache by quality: 5 lines\n")

    def test_a_folder_and_what_is_missing_or_no_use(self):
        self.assertIn("4 modules: 0 already there, 4 made", self.warm("-j", "2", self.symbols.folder))
        missing, broken = self.guid(7).replace("-", "") + "1", self.guid(8).replace("-", "") + "1"
        place = self.symbols.place(8)
        place.write_bytes(self.symbols.pdb_of(8)[:5000])
        self.addCleanup(place.unlink)
        listed = self.folder / "list"
        listed.write_text(f"app.pdb {self.guid(1)} 1\napp.pdb {missing}\napp.pdb {broken}\nnonsense\n")
        lines = self.warm(listed, status=1).splitlines()
        self.assertIn(f"missing: app.pdb {missing.upper()}: not found in any source", lines)
        self.assertTrue(any(line.startswith(f"failed: app.pdb {broken.upper()}: ") for line in lines), lines)
        self.assertIn("3 modules: 1 already there, 0 made, 1 missing, 1 failed", lines)

    def test_every_kind_that_a_module_may_be(self):
        debug_id = uuid.UUID(bytes_le=bytes.fromhex(SHORT_ID)).hex.upper() + "0"
        text = self.texts / "app" / debug_id / "app.sym"
        text.parent.mkdir(parents=True)
        text.write_text(f"MODULE mac x86_64 {debug_id} app\nPUBLIC 1000 0 main\n")
        module = {"code_file": "app", "code_id": SHORT_ID, "debug_file": "app", "debug_id": debug_id}
        for seen in ("made", "there"):
            outcome = json.loads(self.warm("--json", "-", stdin=json.dumps([module])))
            self.assertEqual((outcome["outcome"], outcome["quality"]), (seen, "lines"))
        counted = json.loads(symcached("cache", "stat", "--json", "-c", self.file).stdout)
        self.assertEqual(counted["total"]["entries"], 2, "one of the text, one of the ELF file")

    def test_what_has_no_room_is_not_made(self):
        self.configure(caches={"max_size": "1KiB"})
        outcome = json.loads(self.warm("--json", "-", stdin=f"app.pdb {self.guid(1)} 1\n", status=1))
        self.assertEqual(outcome["outcome"], "failed")
        self.assertTrue(outcome["error"].startswith("not kept: no room for "), outcome)

    def test_a_server_has_what_was_warmed(self):
        self.warm("--cache-dir", self.folder / "other", self.symbols.folder)
        server = Server(program.PROGRAM, self.folder / "other")  # without sources
        try:
            self.assertEqual(server.ask(self.symbols.url_path(3))[0], 200)
        finally:
            server.end()

    def test_a_running_server_counts_what_commands_add_and_remove(self):
        server = Server(program.PROGRAM, self.cache, options=["-c", self.file], admin=True)
        try:
            entries = lambda: metrics_of(server).get('symcached_cache_entries{kind="symcaches"}', 0)
            self.warm(self.symbols.folder)
            self.assertEqual(entries(), 4)
            self.assertEqual(symcached("cache", "purge", "--all", "-c", self.file).returncode, 0)
            self.assertEqual(entries(), 0)
            self.assertEqual(server.ask(self.symbols.url_path(1))[0], 200)
            self.assertEqual(entries(), 1)
        finally:
            server.end()

    def test_options_instead_of_the_file(self):
        done = symcached("cache", "warm", "--cache-dir", self.cache, "--symbols", self.symbols.folder, "-",
                         stdin=f"app.pdb {self.guid(1)} 1\n")
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.assertIn("1 module: 0 already there, 1 made", done.stdout)
        done = symcached("cache", "warm", "--cache-dir", self.cache, "-", stdin="")
        self.assertEqual(done.returncode, 1)
        self.assertIn("no sources to get debug files from; give --symbols", done.stderr)


if __name__ == "__main__":
    program.main()
