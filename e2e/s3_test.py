#!/usr/bin/env python3
"""s3_test.py SYMCACHED: a bucket of a real S3 server, versitygw, with our signatures, errors, parts and TLS.

The server is what `versitygw` on the PATH or in build/versitygw is, or what Go builds there once, with the network.
`s3_get`, which is built beside the program, asks it.
"""
import hashlib
import os
import pathlib
import random
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
import unittest

import program

VERSION = "v1.8.0"
ACCESS, SECRET = "AKIAIOSFODNN7EXAMPLE", "wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY"
ENDS = {"answered": 0, "tls_failed": 7}
MEANINGS = {"there": 0, "not_there": 1, "forbidden": 2}


def gateway():
    """The server's program; None if there is none and nothing to build it with."""
    folder = program.ROOT / "build/versitygw"
    found = shutil.which("versitygw") or shutil.which(folder / "versitygw")
    go = shutil.which("go") or shutil.which("/usr/local/go/bin/go")
    if not found and go:
        environment = os.environ | {"GOBIN": str(folder)}
        package = f"github.com/versity/versitygw/cmd/versitygw@{VERSION}"
        subprocess.run([go, "install", package], check=True, env=environment)
        found = folder / "versitygw"
    return found


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


class S3(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        scratch = tempfile.TemporaryDirectory()
        cls.addClassCleanup(scratch.cleanup)
        cls.folder = pathlib.Path(scratch.name)
        bucket = cls.folder / "root/symbols"
        cls.large = random.Random(1).randbytes(3_000_000)
        for name, content in {"p/app.pdb/AB12/app.pdb": b"0123456789abcdefghij", "p/odd +&=#%~\u1234.so": b"odd",
                              "p/empty": b"", "p/large": cls.large}.items():
            (bucket / name).parent.mkdir(parents=True, exist_ok=True)
            (bucket / name).write_bytes(content)
        subprocess.run(["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-keyout", cls.folder / "key.pem",
                        "-out", cls.folder / "cert.pem", "-days", "2", "-subj", "/CN=127.0.0.1",
                        "-addext", "subjectAltName=IP:127.0.0.1"], check=True, capture_output=True)
        cls.plain = cls.start()
        cls.tls = cls.start("--cert", cls.folder / "cert.pem", "--key", cls.folder / "key.pem")

    @classmethod
    def start(cls, *options):
        port = free_port()
        command = [gateway(), "--port", f"127.0.0.1:{port}", "--access", ACCESS, "--secret", SECRET,
                   "--region", "eu-test-1", "--quiet", *options, "posix", "--nometa", cls.folder / "root"]
        server = subprocess.Popen(list(map(str, command)), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        cls.addClassCleanup(lambda: (server.send_signal(signal.SIGTERM), server.wait()))
        limit = time.monotonic() + 30
        while time.monotonic() < limit:
            with socket.socket() as client:
                if client.connect_ex(("127.0.0.1", port)) == 0:
                    return f"127.0.0.1:{port}"
            time.sleep(0.05)
        raise TimeoutError("the gateway does not listen")

    def ask(self, key, scheme="http", **more):
        """(end, status, meaning, number of requests, content)"""
        place = {"endpoint": f"{scheme}://{self.tls if scheme == 'https' else self.plain}", "bucket": "symbols",
                 "prefix": "p", "region": "eu-test-1", "access": ACCESS, "secret": SECRET, "key": key}
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
            ("another region", app, {"region": "us-east-1"}, 400, no, b""),
        ]
        for why, key, more, status, meaning, content in rows:
            with self.subTest(why):
                self.assertEqual(self.ask(key, **more), (ENDS["answered"], status, meaning, 1, content))

    def test_parts(self):
        end, status, _, requests, content = self.ask("large", part=500_000)
        self.assertEqual((end, status, requests), (ENDS["answered"], 200, 6))
        self.assertTrue(content == self.large)

    def test_tls(self):
        for more, end in (({}, "tls_failed"), ({"ca_file": self.folder / "cert.pem"}, "answered"),
                          ({"insecure": 1}, "answered")):
            with self.subTest(more=more):
                self.assertEqual(self.ask("app.pdb/AB12/app.pdb", scheme="https", **more)[0], ENDS[end])


if __name__ == "__main__":
    if not gateway():
        print("skipped: neither versitygw nor Go to build it with is installed", file=sys.stderr)
        sys.exit(77)
    program.main()
