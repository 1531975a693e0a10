#!/usr/bin/env python3
"""s3_test.py SYMCACHED: a bucket of a real S3 server, versitygw, with our signatures, errors, parts and TLS.

`s3_get`, which is built beside the program, asks it.
"""
import hashlib
import pathlib
import random
import subprocess
import sys
import tempfile
import unittest

import program
from components.certificates import Authority
from components.component import Lacking
from components.s3 import S3, versitygw

ENDS = {"answered": 0, "tls_failed": 7}
MEANINGS = {"there": 0, "not_there": 1, "forbidden": 2}


class Bucket(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        folder = pathlib.Path(cls.enterClassContext(tempfile.TemporaryDirectory()))
        cls.large = random.Random(1).randbytes(3_000_000)
        for name, content in {"p/app.pdb/AB12/app.pdb": b"0123456789abcdefghij", "p/odd +&=#%~\u1234.so": b"odd",
                              "p/empty": b"", "p/large": cls.large}.items():
            path = folder / "symbols" / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(content)
        cls.authority = Authority(folder)
        cls.plain = cls.enterClassContext(S3(folder / "symbols"))
        cls.tls = cls.enterClassContext(S3(folder / "symbols", tls=cls.authority))

    def ask(self, key, server=None, **more):
        """(end, status, meaning, number of requests, content)"""
        server = server or self.plain
        place = {"endpoint": server.url, "bucket": server.bucket, "prefix": "p", "region": server.region,
                 "access": server.access_key, "secret": server.secret_key, "key": key}
        tool = pathlib.Path(program.PROGRAM).parent / "s3_get"
        done = subprocess.run([tool, *(f"{name}={value}" for name, value in (place | more).items())],
                              capture_output=True, check=True)
        words = done.stderr.decode().split()
        end, status, meaning = map(int, words[:3])
        self.assertEqual(words[4], f"sha256={hashlib.sha256(done.stdout).hexdigest()}")
        return end, status, meaning, int(words[3].removeprefix("requests=")), done.stdout

    def test_signatures_and_errors(self):
        good, none, no = MEANINGS["there"], MEANINGS["not_there"], MEANINGS["forbidden"]
        app = "app.pdb/AB12/app.pdb"
        rows = [
            ("a file", app, {}, 200, good, b"0123456789abcdefghij"),
            ("an odd key", "odd +&=#%~\u1234.so", {}, 200, good, b"odd"),
            ("an empty file", "empty", {}, 200, good, b""),
            ("only the head", app, {"how": "head"}, 200, good, b""),
            ("the start", app, {"how": "peek"}, 206, good, b"0123456789abcdef"),
            ("no such key", "app.pdb/AB13/app.pdb", {}, 404, none, b""),
            ("no such key, head", "app.pdb/AB13/app.pdb", {"how": "head"}, 404, none, b""),
            ("no such bucket", app, {"bucket": "nobody"}, 404, no, b""),
            ("another secret", app, {"secret": "x"}, 403, no, b""),
            ("unsigned", app, {"access": "", "secret": ""}, 403, no, b""),
            ("another region", app, {"region": "eu-test-1"}, 400, no, b""),
        ]
        for why, key, more, status, meaning, content in rows:
            with self.subTest(why):
                self.assertEqual(self.ask(key, **more), (ENDS["answered"], status, meaning, 1, content))

    def test_parts(self):
        end, status, _, requests, content = self.ask("large", part=500_000)
        self.assertEqual((end, status, requests), (ENDS["answered"], 200, 6))
        self.assertTrue(content == self.large)

    def test_tls(self):
        for more, end in (({}, "tls_failed"), ({"ca_file": self.authority.ca}, "answered"),
                          ({"insecure": 1}, "answered")):
            with self.subTest(more=more):
                self.assertEqual(self.ask("app.pdb/AB12/app.pdb", self.tls, **more)[0], ENDS[end])


if __name__ == "__main__":
    try:
        versitygw()
    except Lacking as lacking:
        print(f"skipped: {lacking}")
        sys.exit(77)
    program.main()
