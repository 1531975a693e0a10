#!/usr/bin/env python3
"""Our server asked by Windows' own HTTP client, WinHTTP, under Wine: polls, redirects, media types, whole bodies.

Usage: e2e/winhttp_test.py PATH_TO_SYMCACHED
"""
import os
import pathlib
import subprocess
import sys
import tempfile

from components.faults import FaultServer
from server import Server, Symbols, have_tools

COMPILER = "x86_64-w64-mingw32-gcc"
OURS = "application/vnd.symcached.symcache; version=2.1.0"
PATIENCE = 300  # seconds: Wine is slow to start


class Wine:
    """A Windows of the test's own, which ends with it."""

    def __init__(self, folder):
        self.environment = {**os.environ, "WINEPREFIX": str(folder / "prefix"), "WINEDEBUG": "-all", "DISPLAY": "",
                            "WINEDLLOVERRIDES": "mscoree,mshtml="}
        self.client = folder / "winhttp_client.exe"
        source = pathlib.Path(__file__).with_name("winhttp_client.c")
        subprocess.run([COMPILER, "-O1", "-Wall", "-Wextra", "-Werror", "-municode", source, "-o", self.client,
                        "-lwinhttp"], check=True)
        self._run("wineboot", "-i")

    def _run(self, *command):
        return subprocess.run(["wine", *map(str, command)], env=self.environment, capture_output=True, text=True,
                              timeout=PATIENCE)

    def get(self, port, path, file):
        """(exit status, lines printed, body)"""
        done = self._run(self.client, "127.0.0.1", port, path, f"Z:{file}".replace("/", "\\"))
        return done.returncode, done.stdout.split("\n")[:-1], file.read_bytes() if file.exists() else None

    def end(self):
        subprocess.run(["wineserver", "-k", "-w"], env=self.environment, timeout=PATIENCE)


def check(wine, folder, server, symbols):
    """A key that nobody asked for before, one that is there, one that is nowhere, a redirect."""
    path = symbols.url_path(1)
    status, lines, body = wine.get(server.port, path, folder / "new")
    assert status == 0 and lines[-1].strip() == f"200 {OURS}", lines
    assert all(line.startswith("404") for line in lines[:-1]), lines
    wanted = server.ask(path)[2]
    assert body == wanted, f"{len(body)} of {len(wanted)} bytes"
    status, lines, body = wine.get(server.port, path, folder / "known")
    assert (status, len(lines), body) == (0, 1, wanted), lines
    status, lines, body = wine.get(server.port, symbols.url_path(2), folder / "nowhere")
    assert (status, body) == (1, None) and lines[-1].startswith("404"), lines

    async def redirect(exchange):
        headers = [f"Location: {server.url}{path}", f"Content-Type: {OURS}"]
        await exchange.answer(*((404, b"", "Retry-After: 1") if exchange.number == 1 else (302, b"", *headers)))
    with FaultServer({"team": redirect}) as other:
        status, lines, body = wine.get(other.port, "/team/v2.1.0/app.pdb", folder / "redirected")
        assert (status, len(lines), body) == (0, 2, wanted), lines
        assert all(r.headers.get("allow-retry-after") == "true" for r in other.requests), other.requests


def main():
    if not have_tools(COMPILER, "wine", "wineserver"):
        return 77
    with tempfile.TemporaryDirectory() as scratch:
        folder = pathlib.Path(scratch)
        symbols = Symbols(folder / "symbols")
        symbols.add(1)
        server = Server(pathlib.Path(sys.argv[1]).resolve(), folder / "cache", symbols.folder)
        wine = Wine(folder)
        try:
            check(wine, folder, server, symbols)
        finally:
            wine.end()
        assert server.end()[0] == 0
    print("WinHTTP gets whole symcaches")
    return 0


if __name__ == "__main__":
    sys.exit(main())
