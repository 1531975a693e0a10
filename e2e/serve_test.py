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
import signal
import subprocess
import sys
import tempfile

CLIENTS = 200
MEDIA_TYPE = "application/vnd.symcached.symcache; version=2.0.0"
SOURCE = "int add(int a, int b) { return a + b; }\nint main() { return add(1, 2); }\n"


def make_pdb(folder):
    """A program with its PDB; returns the path of the PDB and its id as (guid, age)."""
    (folder / "app.cpp").write_text(SOURCE)
    run = lambda *command: subprocess.run(command, cwd=folder, check=True, stdout=subprocess.PIPE, text=True).stdout
    run("clang-22", "--target=x86_64-pc-windows-msvc", "-g", "-gcodeview", "-c", "app.cpp", "-o", "app.obj")
    run("lld-link-22", "/debug", "/nodefaultlib", "/entry:main", "/out:app.exe", "/pdb:app.pdb", "app.obj")
    text = run("llvm-pdbutil-22", "dump", "--summary", "app.pdb")
    guid = re.search(r"GUID: \{([0-9A-Fa-f-]+)\}", text).group(1)
    age = int(re.search(r"^\s*Age: (\d+)", text, re.MULTILINE).group(1))
    return folder / "app.pdb", guid, age


class Server:
    """`symcached serve` on a free port; its log is read when it has ended."""

    def __init__(self, program, cache, *symbols):
        arguments = [program, "serve", "--bind", "127.0.0.1:0", "--cache-dir", str(cache)]
        for place in symbols:
            arguments += ["--symbols", str(place)]
        self.log = tempfile.TemporaryFile("w+")
        self.process = subprocess.Popen(arguments, stdout=subprocess.PIPE, stderr=self.log, text=True)
        line = self.process.stdout.readline()
        assert line.startswith("listening on http://"), line
        self.url = line.split()[-1]

    def end(self):
        self.process.send_signal(signal.SIGTERM)
        status = self.process.wait(60)
        self.log.seek(0)
        return status, self.log.read()


def curl(*arguments):
    return subprocess.run(["curl", "-sS", *arguments], stdout=subprocess.PIPE, check=True).stdout


def status_of(url, *arguments):
    return curl("-o", os.devnull, "-w", "%{http_code}", *arguments, url).decode()


def storm(server, path, folder):
    """CLIENTS curl processes at once, each with an output of its own."""
    outputs = [folder / f"body{i}" for i in range(CLIENTS)]
    clients = [subprocess.Popen(["curl", "-sSf", "-o", str(output), server.url + path]) for output in outputs]
    assert [client.wait(120) for client in clients] == [0] * CLIENTS
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
    assert curl(server.url + "/healthcheck") == b"ok\n"
    assert b"<h1>symcached</h1>" in curl(server.url + "/")
    rows = [
        ("known tag", path, ["-H", f"If-None-Match: {etag}"], "304"),
        ("HTTP/1.0", path, ["--http1.0"], "200"),
        ("newer client", path.replace("v2.0.0", "v9.1.0"), [], "200"),
        ("up to date", path.replace("v2.0.0", "v9.1.0"), ["-H", "If-Version-Exceeds: 2.0.0"], "304"),
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
    for tool in ("curl", "clang-22", "lld-link-22", "llvm-pdbutil-22"):
        if shutil.which(tool) is None:
            print(f"skipped: {tool} is not installed")
            return 77
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        pdb, guid, age = make_pdb(folder)
        place = folder / "symbols" / "app.pdb" / f"{guid.replace('-', '').upper()}{age:x}"
        place.mkdir(parents=True)
        shutil.copy(pdb, place / "app.pdb")
        path = f"/open/v2.0.0/app.pdb/{guid}/{age}"

        server = Server(program, folder / "cache", folder / "symbols")
        body = storm(server, path, folder)
        check_answers(server, path, body)
        status, log = server.end()
        assert status == 0, f"ended with {status}:\n{log}"
        assert len(re.findall(r"derived app\.pdb/", log)) == 1, log

        again = Server(program, folder / "cache")
        assert curl("-f", again.url + path) == body, "after a restart the cache serves the same bytes without sources"
        status, log = again.end()
        assert status == 0 and "derived" not in log, log
    print(f"{CLIENTS} clients, one derivation, {len(body)} bytes each")
    return 0


if __name__ == "__main__":
    sys.exit(main())
