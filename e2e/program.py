"""What the tests of the whole program share: the program's path and a PDB made by clang."""
import pathlib
import subprocess
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parent.parent
PROGRAM = pathlib.Path(sys.argv[1]).resolve() if len(sys.argv) > 1 else None


def symcached(*arguments, stdin=None, cwd=None):
    return subprocess.run([PROGRAM, *map(str, arguments)], input=stdin, capture_output=True, text=True, cwd=cwd)


class WithPdb(unittest.TestCase):
    """`folder` is a scratch folder with pdbs/sample.pdb and pdbs/sample.exe, one for all tests of a class."""

    @classmethod
    def setUpClass(cls):
        scratch = tempfile.TemporaryDirectory()
        cls.addClassCleanup(scratch.cleanup)
        cls.folder = pathlib.Path(scratch.name)
        subprocess.run([ROOT / "tools/sample_pdbs.sh", cls.folder, "clang"], check=True, capture_output=True)
        cls.pdb, cls.exe = cls.folder / "pdbs/sample.pdb", cls.folder / "pdbs/sample.exe"


def main():
    sys.argv.pop(1)
    unittest.main(module="__main__")
