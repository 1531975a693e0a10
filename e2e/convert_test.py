#!/usr/bin/env python3
"""convert_test.py SYMCACHED: `convert` writes whole caches or none, the same each time, and says what it did."""
import os
import pty
import shutil
import subprocess
import unittest

import program
from program import symcached


class Convert(program.WithPdb):
    def setUp(self):
        self.out = self.folder / self.id().rpartition(".")[2]

    def cache(self, name="sample.pdb"):
        return self.out / f"{name}.symcache"

    def test_several_files_into_a_new_folder(self):
        shutil.copy(self.pdb, self.folder / "other.pdb")
        done = symcached("convert", self.pdb, self.folder / "other.pdb", "-o", self.out / "deep")
        names = [self.out / "deep" / f"{name}.symcache" for name in ("sample.pdb", "other.pdb")]
        self.assertEqual((done.returncode, done.stdout.split(), done.stderr), (0, list(map(str, names)), ""))
        self.assertEqual(names[0].read_bytes(), names[1].read_bytes())
        self.assertEqual(len(list((self.out / "deep").iterdir())), 2, "something was left behind")

    def test_the_same_bytes_each_time_and_replaced_whole(self):
        symcached("convert", self.pdb, "-o", self.out)
        first = self.cache().read_bytes()
        self.cache().write_bytes(b"something else")
        with open(self.cache(), "rb") as reader:
            self.assertEqual(symcached("convert", self.pdb, "-o", self.out).returncode, 0)
            self.assertEqual(reader.read(), b"something else", "the file a reader had open changed under it")
        self.assertEqual(self.cache().read_bytes(), first)

    def test_two_files_of_one_name_are_refused_before_any_work(self):
        other = self.folder / "elsewhere/sample.pdb"
        other.parent.mkdir()
        shutil.copy(self.pdb, other)
        done = symcached("convert", self.pdb, other, "-o", self.out)
        self.assertEqual((done.returncode, done.stdout), (2, ""))
        self.assertIn(str(other), done.stderr)
        self.assertFalse(self.out.exists())

    def test_what_cannot_be_converted_is_named_and_the_rest_is_done(self):
        text = self.folder / "text.pdb"
        text.write_text("not a PDB")
        done = symcached("convert", self.folder / "missing.pdb", text, self.pdb, "-o", self.out)
        self.assertEqual(done.returncode, 1)
        self.assertIn("missing.pdb", done.stderr)
        self.assertIn("text.pdb", done.stderr)
        self.assertEqual([path.name for path in self.out.iterdir()], ["sample.pdb.symcache"])

    def test_a_folder_that_cannot_be_written(self):
        file = self.folder / "a_file"
        file.write_text("")
        self.cache().mkdir(parents=True)  # a folder where the cache should go
        for folder, reason in ((file / "below", str(file)), (self.out, "cannot put it in place")):
            done = symcached("convert", self.pdb, "-o", folder)
            self.assertEqual((done.returncode, done.stdout), (1, ""))
            self.assertIn(reason, done.stderr)
        self.assertEqual(len(list(self.out.iterdir())), 1, "an unfinished file was left behind")

    def test_stats(self):
        done = symcached("convert", self.pdb, "-o", self.out, "--stats")
        original, size = self.pdb.stat().st_size, self.cache().stat().st_size
        self.assertRegex(done.stdout, rf"(?m)^  original +{original} bytes$")
        self.assertRegex(done.stdout, rf"(?m)^  symcache +{size} bytes +\d+\.\d\d %$")
        for word in ("index", "functions", "subprograms", "names", "text", "rows", "time"):
            self.assertRegex(done.stdout, rf"(?m)^ +{word} +\d")

    def test_short_work_shows_no_bar_on_a_terminal(self):
        ours, theirs = pty.openpty()
        with subprocess.Popen([program.PROGRAM, "convert", self.pdb, "-o", self.out], stdout=subprocess.PIPE,
                              stderr=theirs) as running:
            running.communicate()
        os.set_blocking(ours, False)
        os.close(theirs)
        with self.assertRaises(OSError):  # nothing was ever written
            os.read(ours, 100)
        os.close(ours)


if __name__ == "__main__":
    program.main()
