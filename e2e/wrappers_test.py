#!/usr/bin/env python3
"""wrappers_test.py SYMCACHED: packed files are inspected, converted and looked up like plain ones, or told why not.

The archives are made by the tools people use: gzip, xz, zstd, gcab and Python's zip.
"""
import gzip
import json
import lzma
import pathlib
import struct
import subprocess
import tempfile
import unittest
import zipfile

import program
from program import symcached

SYMBOLS = """\
MODULE Linux x86_64 C0BCC3F19827FE653058404B2831D9E60 app
FILE 0 app.c
FUNC 1000 10 0 run(int)
1000 10 7 0
"""


def zipped(path, members, method=zipfile.ZIP_DEFLATED):
    with zipfile.ZipFile(path, "w", method) as archive:
        for name, text in members.items():
            archive.writestr(name, text)


class Wrappers(unittest.TestCase):
    def setUp(self):
        scratch = tempfile.TemporaryDirectory()
        self.addCleanup(scratch.cleanup)
        self.folder = pathlib.Path(scratch.name)
        self.plain = self.folder / "app.sym"
        self.plain.write_text(SYMBOLS)

    def wrapped(self):
        """(file, what it is packed in) in every way."""
        folder = self.folder
        (folder / "app.sym.gz").write_bytes(gzip.compress(SYMBOLS.encode()))
        yield folder / "app.sym.gz", ["gzip"]
        (folder / "two.gz").write_bytes(gzip.compress(SYMBOLS[:40].encode()) + gzip.compress(SYMBOLS[40:].encode()))
        yield folder / "two.gz", ["gzip"]
        (folder / "app.sym.xz").write_bytes(lzma.compress(SYMBOLS.encode()))
        yield folder / "app.sym.xz", ["xz"]
        for method, name in ((zipfile.ZIP_STORED, "stored"), (zipfile.ZIP_DEFLATED, "deflated")):
            zipped(folder / f"{name}.zip", {"d/app.sym": SYMBOLS, "README": "hi"}, method)
            yield folder / f"{name}.zip", ["zip"]
        zipped(folder / "inner.zip", {"app.sym.xz": lzma.compress(SYMBOLS.encode())})
        (folder / "nested.gz").write_bytes(gzip.compress((folder / "inner.zip").read_bytes()))
        yield folder / "nested.gz", ["gzip", "zip", "xz"]
        subprocess.run(["zstd", "-q", self.plain], check=True)
        yield folder / "app.sym.zst", ["zstd"]
        subprocess.run(["gcab", "--create", "--zip", "app.sy_", "app.sym"], cwd=folder, check=True)
        yield folder / "app.sy_", ["cab"]

    def test_answers_are_those_of_the_plain_file(self):
        symcached("convert", self.plain, "-o", self.folder / "plain")
        want = (self.folder / "plain/app.sym.symcache").read_bytes()
        for path, wrappers in self.wrapped():
            with self.subTest(file=path.name):
                self.assertEqual(symcached("lookup", path, "1004").stdout, "run(int)\napp.c:7:0\n\n")
                done = symcached("convert", path, "-o", self.folder)
                self.assertEqual((done.returncode, done.stderr), (0, ""))
                self.assertTrue(path.with_name(path.name + ".symcache").read_bytes() == want)
                info = json.loads(symcached("inspect", "--json", path).stdout)[0]
                self.assertEqual((info["kind"], info["packed_in"], info["arch"]), ("breakpad", wrappers, "x86_64"))
                self.assertEqual(info["debug_id"], "c0bcc3f1-9827-fe65-3058-404b2831d9e6")

    def test_what_cannot_be_opened_says_why(self):
        several = self.folder / "several.zip"
        zipped(several, {"a.sym": SYMBOLS, "b.sym": SYMBOLS, "c.txt": "hi"})
        cut = self.folder / "cut.gz"
        cut.write_bytes(gzip.compress(SYMBOLS.encode())[:-12])
        bomb = self.folder / "bomb.xz"
        bomb.write_bytes(lzma.compress(bytes(80 << 20), preset=0))
        for path, reason in ((several, "a.sym (breakpad), b.sym (breakpad)"), (cut, "gzip: "), (bomb, "xz: ")):
            for command in ("convert", "lookup", "inspect"):
                with self.subTest(file=path.name, command=command):
                    done = symcached(command, path, *(["1000"] if command == "lookup" else []), cwd=self.folder)
                    self.assertEqual(done.returncode, 1)
                    self.assertIn(reason, done.stderr)
                    self.assertIn(str(path), done.stderr)

    def test_a_source_bundle_is_described_and_not_converted(self):
        bundle = self.folder / "app.src.zip"
        manifest = {"files": {"files/app.c": {"type": "source", "path": "/src/app.c"}}, "arch": "x86_64",
                    "debug_id": "c0bcc3f1-9827-fe65-3058-404b2831d9e6", "code_id": "f1c3bcc0", "object_name": "app"}
        with open(bundle, "wb") as out:
            out.write(b"SYSB" + struct.pack("<I", 2))
            zipped(out, {"files/app.c": "int x;", "manifest.json": json.dumps(manifest)})
        info = json.loads(symcached("inspect", "--json", bundle).stdout)[0]
        self.assertEqual({key: info[key] for key in ("kind", "files", "debug_id", "code_id", "features", "debug_file")},
                         {"kind": "source_bundle", "files": 1, "debug_id": manifest["debug_id"], "code_id": "f1c3bcc0",
                          "features": ["sources"], "debug_file": "app"})
        done = symcached("convert", bundle, "-o", self.folder)
        self.assertEqual(done.returncode, 1)
        self.assertIn("no symbols", done.stderr)

    def test_a_perf_map(self):
        path = self.folder / "perf-1234.map"
        path.write_text("7f0000001000 40 LazyCompile:*run /app/main.js:10\n7f0000001000 20 run, optimised again\n")
        self.assertEqual(symcached("lookup", path, "7f0000001010", "7f0000001020").stdout,
                         "run, optimised again\n??:0:0\n\n??\n??:0:0\n\n")
        self.assertEqual(json.loads(symcached("inspect", "--json", path).stdout)[0]["kind"], "perf_map")


if __name__ == "__main__":
    program.main()
