#!/usr/bin/env python3
"""usage_test.py SYMCACHED: what a wrong command line is told, and how failures end: message and exit status."""
import json
import os
import pathlib
import pty
import shutil
import subprocess
import tempfile
import unittest

import program
from program import symcached

STORED = program.ROOT / "testing/dotnet"


class Usage(program.WithPdb):
    def test_a_wrong_command_line_is_told_in_plain_words(self):
        pdb = self.pdb
        rows = [  # arguments, what stderr begins with
            ([], "symcached: no command given; the commands are cache, cleanup, config"),
            (["lokup", "x"], 'symcached: unknown command "lokup"; the commands are'),
            (["--port"], "symcached: unknown option --port"),
            (["inspect", "-x"], "symcached inspect: unknown option -x"),
            (["inspect"], "symcached inspect: no FILE given"),
            (["cleanup", "--max-size", "20gb"], 'symcached cleanup: --max-size: "20gb" has no unit we know; write'),
            (["cleanup", "--min-free", "101%"], 'symcached cleanup: --min-free: "101%" is not a part of a hundred'),
            (["cleanup", "--repeat=15"], 'symcached cleanup: --repeat: "15" is not a time we can read; write 7d'),
            (["cache"], "symcached cache: no command given; the commands are add, ls, purge, stat, verify"),
            (["cache", "list"], 'symcached cache: unknown command "list"; the commands are add, ls, purge'),
            (["cache", "ls", "--port"], "symcached cache ls: unknown option --port"),
            (["cache", "ls", "--state", "x"], 'symcached cache ls: --state: "x": use hit, absent, damaged or old'),
            (["cache", "ls", "--older-than", "7x"], 'symcached cache ls: --older-than: "7x"'),
            (["cache", "ls", "--sort", "date"], 'symcached cache ls: --sort: "date": use name, size or age'),
            (["cache", "verify", "-j", "0"], 'symcached cache verify: --threads: "0" is not a number from 1 to 64'),
            (["cache", "purge"], "symcached cache purge: nothing says which entries"),
            (["serve", "--port", "80"], "symcached serve: unknown option --port"),
            (["serve", "80"], 'symcached serve: unexpected argument "80"'),
            (["serve", "--bind", "80"], 'symcached serve: --bind: "80": use ADDRESS:PORT'),
            (["serve", "--bind", "example.org:80"], 'symcached serve: --bind: "example.org:80": use a numeric address'),
            (["serve", "--bind", "[::1]:1", "--bind", "[::1]:2"], "symcached serve: --bind was given more than once"),
            (["serve", "--workers", "300"], 'symcached serve: --workers: "300" is not a number from 0 to 256'),
            (["serve", "--worker-memory", "1x"], 'symcached serve: --worker-memory: "1x" has no unit we know'),
            (["serve", "--grace", "soon"], 'symcached serve: --grace: "soon" is not a time we can read'),
            (["config"], "symcached config: no ACTION given"),
            (["config", "show"], 'symcached config: ACTION: "show": use check or print'),
            (["serve", "--symbols", "/no/such"], 'symcached serve: --symbols: "/no/such": not a directory'),
            (["serve", "--symbols", "ftp://me:secret@x/"], 'symcached serve: --symbols: "ftp://x/": use http or https'),
            (["serve", "--symbols", "srv*"], "symcached serve: --symbols: names no source"),
            (["serve", "--symbols", "srv*c:\\sym"], 'symcached serve: --symbols: "c:\\sym" is a path of Windows'),
            (["serve", "--symbols", "srv*ftp://me:secret@x"], 'symcached serve: --symbols: "ftp://x" is no folder'),
            (["symbolicate", "--symbols", "/no/such", "-"], 'symcached symbolicate: --symbols: "/no/such": not a dir'),
            (["convert", pdb, "-o"], "symcached convert: --output-dir needs a value"),
            (["convert", pdb, "--threads", "0"], 'symcached convert: --threads: "0" is not a number from 1 to 64'),
            (["convert", pdb, "--max-unpacked", "20gx"], 'symcached convert: --max-unpacked: "20gx" is not a size'),
            (["lookup", pdb, "-fshort", "1"], "symcached lookup: unknown option -fshort; write -f=short"),
            (["lookup", pdb, "--functions=all", "1"], 'symcached lookup: --functions: "all": use readable, short'),
            (["lookup", pdb, "--image-base", "1000", "1"], "symcached lookup: --image-base requires --svma"),
            (["lookup", pdb, "--svma", "--image-base", "x", "1"], 'symcached lookup: --image-base: "x" is not a hex'),
            (["lookup", pdb, "--fetch-sources", "1"], "symcached lookup: --fetch-sources requires --print-source"),
            (["lookup", pdb, "--no-such"], "symcached lookup: unknown option --no-such"),
        ]
        for arguments, want in rows:
            with self.subTest(arguments=arguments):
                done = symcached(*arguments)
                self.assertEqual((done.returncode, done.stdout), (2, ""))
                self.assertEqual(done.stderr[:len(want)], want)
                self.assertRegex(done.stderr, r"\nFor help: symcached .*--help\n$")

    def test_help_and_version_are_answers(self):
        for arguments in (["--help"], ["-h"], ["--version"], ["lookup", "--help"], ["lookup", "-h"]):
            done = symcached(*arguments)
            self.assertEqual((done.returncode, done.stderr), (0, ""), arguments)
            self.assertIn("symcached", done.stdout)

    def test_a_full_disk_behind_stdout_is_a_failure(self):
        with open("/dev/full", "w") as full:
            for arguments in (["--help"], ["inspect", self.pdb], ["inspect", "--json", self.pdb],
                              ["convert", self.pdb, "-o", self.folder / "full"], ["lookup", self.pdb, "1000"]):
                done = subprocess.run([program.PROGRAM, *map(str, arguments)], stdout=full, stderr=subprocess.PIPE,
                                      text=True)
                self.assertEqual(done.returncode, 1, arguments)
                self.assertRegex(done.stderr, r"^symcached[a-z ]*: cannot write output: No space left on device\n$")

    def test_what_was_typed_reaches_neither_terminal_nor_json_as_it_is(self):
        hostile = os.fsdecode(b"\x1b[2J\xff")
        for arguments in (["lookup", self.pdb, hostile], ["inspect", hostile], ["convert", hostile], [hostile],
                          ["serve", "--symbols", hostile], ["symbolicate", hostile]):
            done = symcached(*arguments)
            self.assertNotEqual(done.returncode, 0)
            self.assertIn(r"\x1b[2J\xff", done.stderr)
            self.assertNotIn("\x1b", done.stderr)
        done = subprocess.run([program.PROGRAM, "lookup", "--json", self.pdb, b"a\xffb"], capture_output=True)
        self.assertEqual(json.loads(done.stdout.decode("utf-8"))[0]["Address"], "a\ufffdb")

    def test_a_method_needs_a_net_file_and_sources_too(self):
        done = symcached("lookup", self.pdb, "0x06000004:0x1a")
        self.assertEqual((done.returncode, done.stdout), (2, "??\n??:0:0\n\n"))
        self.assertIn("METHOD:IL needs a .NET file", done.stderr)
        done = symcached("lookup", self.pdb, "--print-source-context-lines=3", "1000")
        self.assertEqual(done.returncode, 0)
        self.assertIn("warning: --print-source-context-lines works for .NET files only", done.stderr)

    def test_addresses_from_a_terminal_are_asked_for(self):
        ours, theirs = pty.openpty()
        with subprocess.Popen([program.PROGRAM, "lookup", self.pdb], stdin=theirs, stdout=subprocess.PIPE,
                              stderr=subprocess.PIPE) as asked:
            self.assertEqual(asked.stderr.readline(), b"Reading addresses from standard input, one per line.\n")
            os.write(ours, b"\x04")  # the end of what is typed
            self.assertEqual(asked.communicate()[0], b"")
        os.close(ours)
        os.close(theirs)


class Configuration(unittest.TestCase):
    def setUp(self):
        scratch = tempfile.TemporaryDirectory()
        self.addCleanup(scratch.cleanup)
        self.file = pathlib.Path(scratch.name) / "symcached.yml"

    def test_every_error_of_a_file_is_told_with_its_line(self):
        self.file.write_text("bnd: 1\ncaches:\n  max_size: 20gb\ncache_dir: ${NO_SUCH_VARIABLE}\n")
        wants = [":1: error: bnd: unknown key; the nearest is bind\n",
                 ':3: error: caches.max_size: "20gb" has no unit we know; write 20GB or 20GiB\n',
                 ":4: error: cache_dir: the environment variable NO_SUCH_VARIABLE is not set\n"]
        for arguments in (["config", "check", self.file], ["config", "print", self.file],
                          ["serve", "--config", self.file]):
            done = symcached(*arguments)
            self.assertEqual((done.returncode, done.stdout), (1, ""), arguments)
            for want in wants:
                self.assertIn(str(self.file) + want, done.stderr)

    def test_warnings_are_no_failure(self):
        self.file.write_text("sentry_dsn: x\n")
        done = symcached("config", "check", self.file)
        self.assertEqual((done.returncode, done.stdout), (0, f"{self.file}: no errors, warnings: 1\n"))
        self.assertIn(":1: warning: sentry_dsn: ignored", done.stderr)

    def test_what_is_printed_is_read_back(self):
        self.file.write_text("sources: [{id: a, type: http, url: 'https://u:p@x/', password: SECRET}]\n")
        first = symcached("config", "print", self.file)
        self.assertEqual((first.returncode, first.stderr), (0, ""))
        self.assertNotIn("SECRET", first.stdout)
        self.file.write_text(first.stdout)
        self.assertEqual(symcached("config", "print", self.file).stdout, first.stdout)
        self.assertEqual(symcached("config", "print").returncode, 0)

    def test_a_file_that_is_not_there_or_not_given(self):
        done = symcached("config", "check", "/no/such")
        self.assertEqual(done.returncode, 1)
        self.assertEqual(done.stderr, "/no/such: error: cannot be read: No such file or directory\n")
        self.assertEqual(symcached("config", "check").returncode, 2)


class PdbBesideAProgram(program.WithPdb):
    def test_is_used_if_it_belongs_to_it(self):
        beside = symcached("lookup", self.exe, "1000")
        self.assertEqual((beside.stdout, beside.stderr), (symcached("lookup", self.pdb, "1000").stdout, ""))
        done = symcached("convert", self.exe, self.pdb, "-o", self.folder / "both")
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        both = [(self.folder / "both" / f"sample.{kind}.symcache").read_bytes() for kind in ("exe", "pdb")]
        self.assertEqual(*both)

    def test_is_named_if_it_does_not_or_is_not_there(self):
        alone = self.folder / "alone"
        alone.mkdir()
        shutil.copy(self.exe, alone)
        self.assertIn("sample.pdb, is not beside it", symcached("lookup", alone / "sample.exe", "1000").stderr)
        other = bytearray(self.pdb.read_bytes())
        guid = bytes.fromhex(json.loads(symcached("inspect", "--json", self.pdb).stdout)[0]["guid"])[8:]
        at = other.index(guid)
        other[at] ^= 1
        (alone / "sample.pdb").write_bytes(other)
        self.assertIn("does not match", symcached("lookup", alone / "sample.exe", "1000").stderr)


class Caches(program.WithPdb):
    def test_what_cannot_be_read_says_what_to_do(self):
        symcached("convert", self.pdb, "-o", self.folder)
        cache = self.folder / "sample.pdb.symcache"
        old = self.folder / "old.symcache"
        old.write_bytes(cache.read_bytes()[:8] + (9).to_bytes(4, "little") + cache.read_bytes()[12:])
        cut = self.folder / "cut.pdb"
        cut.write_bytes(self.pdb.read_bytes()[:5000])
        junk = self.folder / "junk"
        junk.write_text("junk")
        size = self.pdb.stat().st_size
        rows = [
            (["lookup", old, "1"], "old.symcache: symcache version 9 is not supported (expected 3); convert the origi"),
            (["convert", cache], "already a symcache"), (["convert", junk], "junk: unrecognized format"),
            (["convert", cut], f"truncated: 5000 of {size} bytes (msf.block_count at offset 40)")]
        for arguments, want in rows:
            done = symcached(*arguments)
            self.assertEqual((done.returncode, done.stdout), (1, ""))
            self.assertIn(want, done.stderr)


class Managed(unittest.TestCase):
    def setUp(self):
        scratch = tempfile.TemporaryDirectory()
        self.addCleanup(scratch.cleanup)
        self.folder = pathlib.Path(scratch.name)
        for name in ("Traces.dll", "Traces.pdb"):
            shutil.copy(STORED / "release" / name, self.folder)

    def test_a_missing_pdb_is_a_warning(self):
        (self.folder / "Traces.pdb").unlink()
        for command in (["lookup", self.folder / "Traces.dll", "1:0"],
                        ["convert", self.folder / "Traces.dll", "-o", self.folder]):
            done = symcached(*command)
            self.assertEqual(done.returncode, 0)
            self.assertIn("Traces.dll: no usable PDB", done.stderr)

    def test_a_pdb_of_another_build_is_not_used(self):
        trace = (STORED / "release/trace.txt").read_text()
        self.assertNotEqual(symcached("symbolicate", "-", "--symbols", self.folder, stdin=trace).stdout, trace)
        shutil.copy(STORED / "debug/Traces.pdb", self.folder)
        done = symcached("symbolicate", "-", "--symbols", self.folder, stdin=trace)
        self.assertEqual(done.stdout, trace)
        self.assertIn("Traces.pdb does not match", done.stderr)

    def test_servers_supply_only_pdbs(self):
        trace = "   at A.B() in app.dll:token 0x6000001+0x1\n"
        done = symcached("symbolicate", "-", "--symbols", "http://127.0.0.1:1", stdin=trace)
        self.assertEqual((done.returncode, done.stdout), (0, trace))
        self.assertIn("app.dll: not found in any --symbols directory; servers supply only PDBs", done.stderr)
        done = symcached("symbolicate", "-", "--symbols", "http://127.0.0.1:1", "--cache-dir", "/proc/x", stdin=trace)
        self.assertEqual((done.returncode, done.stdout), (1, ""))

    def test_svma_does_not_apply(self):
        done = symcached("lookup", self.folder / "Traces.dll", "--svma", "1:0")
        self.assertEqual((done.returncode, done.stdout), (2, ""))
        self.assertIn("--svma does not apply to .NET files", done.stderr)


if __name__ == "__main__":
    program.main()
