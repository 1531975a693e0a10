#!/usr/bin/env python3
"""The serve command as its users meet it: a real PDB, real curl, the built program.

Usage: e2e/serve_test.py PATH_TO_SYMCACHED
Needs curl, and clang and lld 22 to make the PDB; without them it says so and ends with 77 (skipped).
"""

import hashlib
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

from server import LIMIT, Server, have_tools, make_pdb

CLIENTS = 200
MEDIA_TYPE = "application/vnd.symcached.symcache; version=2.1.0"


def curl(*arguments):
    return subprocess.run(["curl", "-sS", *arguments], stdout=subprocess.PIPE, check=True).stdout


def status_of(url, *arguments):
    return curl("-o", os.devnull, "-w", "%{http_code}", *arguments, url).decode()


def storm(server, path, folder):
    """CLIENTS curl processes at once, each with an output of its own."""
    outputs = [folder / f"body{i}" for i in range(CLIENTS)]
    clients = [subprocess.Popen(["curl", "-sSf", "-o", str(output), server.url + path]) for output in outputs]
    assert [client.wait(LIMIT) for client in clients] == [0] * CLIENTS
    digests = {hashlib.sha256(output.read_bytes()).hexdigest() for output in outputs}
    assert len(digests) == 1, f"{len(digests)} different bodies"
    assert outputs[0].stat().st_size > 0
    return outputs[0].read_bytes()


def check_answers(server, path, body):
    head = curl("-I", server.url + path).decode()
    assert f"Content-Type: {MEDIA_TYPE}\r\n" in head, head
    assert f"Content-Length: {len(body)}\r\n" in head, head
    etag = re.search(r"ETag: (.*)\r\n", head).group(1)
    assert curl("-r", "0-15", server.url + path) == body[:16]
    assert curl(server.url + "/healthcheck") == b"ok"
    assert b"<h1>symcached</h1>" in curl(server.url + "/")
    rows = [
        ("known tag", path, ["-H", f"If-None-Match: {etag}"], "304"),
        ("HTTP/1.0", path, ["--http1.0"], "200"),
        ("newer client", path.replace("v2.1.0", "v9.1.0"), [], "200"),
        ("up to date", path.replace("v2.1.0", "v9.1.0"), ["-H", "If-Version-Exceeds: 2.1.0"], "304"),
        ("missing", path.replace("app.pdb", "no.pdb"), [], "404"),
        ("another age", path + "7", [], "404"),
        ("method", path, ["-X", "POST"], "405"),
        ("traversal", path.replace("app.pdb", "..%5Capp.pdb"), ["--path-as-is"], "400"),
        ("long target", "/" + "a" * 9000, [], "414"),
    ]
    for why, target, arguments, want in rows:
        got = status_of(server.url + target, *arguments)
        assert got == want, f"{why}: {got} instead of {want}"


def main():
    program = sys.argv[1]
    if not have_tools("curl"):
        return 77
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        pdb, guid, age = make_pdb(folder)
        place = folder / "symbols" / "app.pdb" / f"{guid.replace('-', '').upper()}{age:x}"
        place.mkdir(parents=True)
        shutil.copy(pdb, place / "app.pdb")
        path = f"/open/v2.1.0/app.pdb/{guid}/{age}"

        server = Server(program, folder / "cache", folder / "symbols")
        body = storm(server, path, folder)
        check_answers(server, path, body)
        status, log = server.end()
        assert status == 0, f"ended with {status}:\n{log}"
        assert len(re.findall(r"converted app\.pdb/", log)) == 1, log
        for line in (r"symcached \S+, cache directory " + re.escape(str(folder / "cache")), "listening on http://127.0.0.1:",
                     "shutting down; completing open responses"):
            assert re.search(rf"(?m)^\d{{4}}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{{3}}Z info {line}", log), log

        again = Server(program, folder / "cache")
        assert curl("-f", again.url + path) == body, "after a restart the cache serves the same bytes without sources"
        status, log = again.end()
        assert status == 0 and "converted" not in log, log
    print(f"{CLIENTS} clients, one derivation, {len(body)} bytes each")
    return 0


if __name__ == "__main__":
    sys.exit(main())
