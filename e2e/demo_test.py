#!/usr/bin/env python3
"""demo_test.py SYMCACHED: what a newcomer sees, with a PDB that clang makes: the demo runs, shows frames, and stops."""
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parent.parent


def demo(folder, program):
    subprocess.run([ROOT / "tools/sample_pdbs.sh", folder, "clang"], check=True, capture_output=True)
    return subprocess.run([sys.executable, ROOT / "tools/demo.py", program, folder], capture_output=True, text=True)


class Demo(unittest.TestCase):
    def setUp(self):
        scratch = tempfile.TemporaryDirectory()
        self.addCleanup(scratch.cleanup)
        self.folder = pathlib.Path(scratch.name)

    def test_shows_frames_with_inlines_and_stops_the_server(self):
        done = demo(self.folder, PROGRAM)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertRegex(done.stdout, r"sample\.pdb +[0-9A-F]{32} age 1 +x86_64")
        self.assertRegex(done.stdout, r"(?s)geometry::square\b.*sample\.cpp:\d+.*nearest_to\b.*sample\.cpp:\d+")
        self.assertTrue((self.folder / "symcaches/sample.pdb.symcache").stat().st_size)
        url = re.search(r"curl .*(http\S+)", done.stdout).group(1)
        self.assertEqual(subprocess.run(["curl", "-s", url]).returncode, 7, "the server still answers")

    def test_a_program_that_cannot_serve_is_named(self):
        done = demo(self.folder, "false")
        self.assertEqual(done.returncode, 1)
        self.assertIn("demo: false inspect", done.stderr)


if __name__ == "__main__":
    PROGRAM = pathlib.Path(sys.argv.pop(1)).resolve()
    unittest.main()
