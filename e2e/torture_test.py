#!/usr/bin/env python3
"""torture_test.py SYMCACHED: damaged PDBs of every target are answered or refused in words, never with a crash.

A short round of the program `torture`, which is built beside SYMCACHED, over PDBs that clang 22 and lld 22 make.
"""
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest

sys.dont_write_bytecode = True  # the next import is a script beside this one
import pdb_oracle_test as oracle


class Torture(unittest.TestCase):
    def test_damage_is_answered_or_refused(self):
        for target in oracle.TARGETS:
            with self.subTest(target=target), tempfile.TemporaryDirectory() as scratch:
                pdb = oracle.build(pathlib.Path(scratch), target, oracle.FLAGS["optimised"])[1]
                done = subprocess.run([TORTURE, "--cuts", "100", "--flips", "400", pdb], capture_output=True, text=True)
                self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
                found = re.search(r": (\d+) answered with a symcache, (\d+) refused", done.stdout)
                good, refused = map(int, found.groups())
                self.assertEqual(good + refused, 501)
                self.assertGreater(good, 100)
                self.assertGreater(refused, 100)


if __name__ == "__main__":
    oracle.skip_without_tools()
    TORTURE = pathlib.Path(sys.argv.pop(1)).resolve().parent / "torture"
    unittest.main()
