#!/usr/bin/env python3
"""cleanup_test.py SYMCACHED: what the cleanup command removes from a cache directory, says, and leaves alone."""
import os
import pathlib
import signal
import subprocess
import tempfile
import time
import unittest

import program
from program import symcached
from server import LIMIT, write_entry

DAY = 24 * 3600
SIZE = 16384  # bytes on disk of an entry here


class Cleanup(unittest.TestCase):
    def setUp(self):
        scratch = tempfile.TemporaryDirectory()
        self.addCleanup(scratch.cleanup)
        self.cache = pathlib.Path(scratch.name) / "cache"
        self.cache.mkdir()
        (self.cache / ".symcached").touch()
        for age in range(10):  # in days
            write_entry(self.cache, f"made-up.pdb/{age}", b"x" * (SIZE - 4096))
        for path in self.entries():
            key = path.read_bytes()[152:165].decode()
            used = time.time() - int(key[-1]) * DAY - 60
            os.utime(path, (used, used))

    def entries(self):
        return [path for path in self.cache.rglob("*") if len(path.name) == 62]

    def cleanup(self, *arguments):
        return symcached("cleanup", "--cache-dir", self.cache, "--min-free=0", *arguments)

    def test_what_was_not_used_for_a_week_goes(self):
        done = self.cleanup()
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.assertEqual(len(self.entries()), 7)
        self.assertRegex(done.stdout, r"(?m)^   16 kB  unused  symcaches/v4/global/[0-9a-f]{2}/[0-9a-f]{62}$")
        self.assertIn("removed 3 unused entries and 0 to make room, 49 kB; 7 entries remain, 115 kB\n", done.stdout)

    def test_then_what_is_least_valuable_goes(self):
        done = self.cleanup("--max-size", str(3 * SIZE))
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.assertEqual(sorted(path.read_bytes()[164:165] for path in self.entries()), [b"0", b"1", b"2"])
        self.assertEqual(done.stdout.count("  room    symcaches/"), 4)

    def test_a_configuration_file_has_the_limits_which_options_override(self):
        file = self.cache.parent / "symcached.yml"
        file.write_text(f"cache_dir: {self.cache}\n"
                        f"caches: {{min_free: 0, max_unused_for: 9d, symcaches: {{max_size: {5 * SIZE}}}}}\n")
        cleanup = lambda *more: symcached("cleanup", "-c", file, *more)
        self.assertIn("removed 1 unused entries and 4 to make room", cleanup().stdout)
        self.assertIn("removed 0 unused entries and 3 to make room", cleanup("--max-size", str(2 * SIZE)).stdout)
        file.write_text("caches: {max_sise: 1GB}\n")
        self.assertIn("caches.max_sise: unknown key; the nearest is caches.max_size", cleanup().stderr)

    def test_a_dry_run_removes_nothing(self):
        before = sorted(self.cache.rglob("*"))
        done = self.cleanup("--max-size", "0", "--dry-run")
        self.assertEqual(done.returncode, 0)
        self.assertIn("would remove 3 unused entries and 7 to make room, 164 kB; 0 entries remain, 0 B\n", done.stdout)
        after = [path for path in sorted(self.cache.rglob("*")) if path.name != "CACHEDIR.TAG"]
        self.assertEqual(after, before)

    def test_empty_folders_go_and_strangers_stay(self):
        (self.cache / "objects/v1/global/ab").mkdir(parents=True)
        (self.cache / "objects/thesis.tex").touch()
        done = self.cleanup("--max-size", "0")
        self.assertEqual(done.returncode, 0)
        left = {path.relative_to(self.cache).as_posix() for path in self.cache.rglob("*")}
        self.assertEqual(left - {"tmp"}, {".symcached", "CACHEDIR.TAG", "index.journal", "objects",
                                          "objects/thesis.tex"})

    def test_no_cache_directory_is_a_failure_and_stays_as_it_is(self):
        (self.cache / ".symcached").unlink()
        for folder in (self.cache, self.cache / "missing"):
            done = symcached("cleanup", "--cache-dir", folder)
            self.assertEqual((done.returncode, done.stdout), (1, ""))
            self.assertIn(f"symcached cleanup: {folder}: not a cache directory (no .symcached)", done.stderr)
        self.assertEqual(len(self.entries()), 10)
        self.assertFalse((self.cache / "missing").exists())

    def test_limits_that_cannot_hold_are_a_failure(self):
        done = symcached("cleanup", "--cache-dir", self.cache, "--min-free=100%")
        self.assertEqual(done.returncode, 1)
        self.assertIn("the limits do not hold with an empty cache", done.stderr)
        self.assertEqual(self.entries(), [])

    def test_repeats_until_a_signal(self):
        command = [program.PROGRAM, "cleanup", "--cache-dir", self.cache, "--min-free=0", "--repeat=10ms"]
        with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as running:
            sums = [line for line in (running.stdout.readline() for _ in range(6)) if line.startswith("removed")]
            running.send_signal(signal.SIGTERM)
            running.communicate(timeout=LIMIT)
        self.assertEqual(running.returncode, 0)
        self.assertEqual([line[:9] for line in sums], ["removed 3", "removed 0", "removed 0"])


if __name__ == "__main__":
    program.main()
