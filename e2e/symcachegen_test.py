#!/usr/bin/env python3
"""symcachegen_test.py SYMCACHED: `symcachegen` keeps the contract of Microsoft's, and can stand in for it."""
import os
import re
import subprocess
import unittest

import program
from program import symcached


class Symcachegen(program.WithPdb):
    def setUp(self):
        self.root = self.folder / self.id().rpartition(".")[2]
        self.root.mkdir()

    def generate(self, *arguments, path=None):
        environment = {**os.environ, "_NT_SYMCACHE_PATH": str(self.root) if path is None else path}
        return subprocess.run([program.PROGRAM, "symcachegen", *map(str, arguments)], env=environment,
                              capture_output=True, text=True, stdin=subprocess.DEVNULL)

    def test_where_it_goes_and_what_it_is(self):
        done = self.generate("-pdb", self.pdb)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        made = [path for path in self.root.rglob("*") if path.is_file()]
        self.assertEqual(done.stdout, f"{made[0]}\n")
        self.assertRegex(str(made[0].relative_to(self.root)),
                         r"^sample\.pdb/[0-9A-F]{33}/sample\.pdb-v2\.1\.0\.symcache$")
        stated = symcached("inspect", self.pdb, "--json").stdout
        guid, age = re.search(r'"debug_id":"([0-9a-f-]{36})-([0-9a-f]+)"', stated).groups()
        self.assertEqual(made[0].parent.name, guid.replace("-", "").upper() + age.upper())
        symcached("convert", self.pdb, "-o", self.root / "converted")
        self.assertEqual(made[0].read_bytes(), (self.root / "converted/sample.pdb.symcache").read_bytes())

    def test_the_first_directory_of_a_path_as_wpa_has_it(self):
        done = self.generate("-pdb", self.pdb, path=f"{self.root}*https://host")
        self.assertEqual(done.returncode, 0)
        self.assertTrue(done.stdout.startswith(str(self.root)))

    def test_what_it_cannot_do(self):
        text = self.folder / "text.pdb"
        text.write_text("not a PDB")
        rows = [  # arguments, path, exit status, what stderr has
            (["-pdb", self.folder / "missing.pdb"], None, 1, "missing.pdb"),
            (["-pdb", text], None, 1, "text.pdb"),
            (["-pdb", self.pdb], "", 1, "_NT_SYMCACHE_PATH names no directory"),
            (["-pdb", self.pdb], "https://host", 1, "_NT_SYMCACHE_PATH names no directory"),
            (["-pdb", self.pdb], str(self.root / "missing"), 1, "is not a directory"),
            ([], None, 2, "--pdb"),
        ]
        for arguments, path, status, told in rows:
            done = self.generate(*arguments, path=path)
            self.assertEqual((done.returncode, done.stdout), (status, ""), arguments)
            self.assertIn(told, done.stderr)
        self.assertEqual(list(self.root.iterdir()), [])

    def test_the_same_bytes_each_time(self):
        first = self.generate("-pdb", self.pdb).stdout.strip()
        with open(first, "rb") as file:
            before = file.read()
        self.assertEqual(self.generate("-pdb", self.pdb).returncode, 0)
        with open(first, "rb") as file:
            self.assertEqual(file.read(), before)

    def test_as_a_transcoder(self):
        """What a server runs: the program as the keeper of itself."""
        done = subprocess.run([program.PROGRAM.parent / "transcode_once", program.PROGRAM, self.root, self.pdb,
                               program.PROGRAM, "symcachegen"], capture_output=True, text=True)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.assertRegex(done.stdout, r"/sample\.pdb/[0-9A-F]{33}/sample\.pdb-v2\.1\.0\.symcache\n$")
        self.assertEqual(symcached("inspect", done.stdout.strip()).returncode, 0)


if __name__ == "__main__":
    program.main()
