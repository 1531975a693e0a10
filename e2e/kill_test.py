#!/usr/bin/env python3
"""A cache directory that outlives everything: servers killed at any moment, entries deleted under load.

Usage: e2e/kill_test.py PATH_TO_SYMCACHED [--kills N]
Originals come over HTTP, so both they and what is made of them lie in the cache directory.
"""
import argparse
import collections
import functools
import hashlib
import http.server
import pathlib
import random
import signal
import subprocess
import sys
import tempfile
import threading
import time

from server import Server, Symbols

PDBS = 40
ASKERS = 8            # threads that ask a server that is about to be killed
LONGEST = 0.25        # seconds that a server lives
CLIENTS = 64          # while entries are deleted
REQUESTS = 100        # of each
DELETER = """
import os, pathlib, random, sys
chance = random.Random(7)
while True:
    files = [f for kind in ("objects", "symcaches") for f in pathlib.Path(sys.argv[1], kind).rglob("*") if f.is_file()]
    for file in chance.sample(files, min(len(files), 8)):
        try:
            os.unlink(file)
        except FileNotFoundError:
            pass
"""


class Upstream:
    """A symbol server over a folder."""

    def __init__(self, folder):
        class Handler(http.server.SimpleHTTPRequestHandler):
            def log_message(self, *_):
                pass

        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), functools.partial(Handler, directory=folder))
        threading.Thread(target=self.server.serve_forever, daemon=True).start()
        self.url = f"http://127.0.0.1:{self.server.server_port}"


class Scene:
    def __init__(self, program, folder):
        self.program, self.cache = program, folder / "cache"
        self.symbols = Symbols(folder / "symbols")
        for number in range(PDBS):
            self.symbols.add(number)
        self.upstream = Upstream(self.symbols.folder)
        self.expected = {number: self.converted(folder / "converted", number) for number in range(PDBS)}
        self.counts = collections.Counter()
        self.faults = []
        self.lock = threading.Lock()

    def converted(self, folder, number):
        """What the command makes of a PDB: the server has to send the same."""
        subprocess.run([self.program, "convert", "-o", folder, self.symbols.place(number)], check=True,
                       stdout=subprocess.DEVNULL)
        return hashlib.sha256((folder / "app.pdb.symcache").read_bytes()).digest()

    def start(self):
        return Server(self.program, self.cache, self.upstream.url, options=["--workers", 2])

    def ask(self, server, number, may_die):
        """One request; whatever comes whole has to be right."""
        try:
            status, headers, body = server.ask(self.symbols.url_path(number))
        except OSError:
            status, headers, body = 0, {}, b""
        is_whole = len(body) == int(headers.get("content-length", -1))
        with self.lock:
            self.counts[status] += 1
            if status == 200 and is_whole:
                if hashlib.sha256(body).digest() != self.expected[number]:
                    self.faults.append(f"{number}: wrong bytes")
            elif not may_die:
                self.faults.append(f"{number}: status {status}, {body[:200]}")

    def ask_all(self, server, threads, numbers_of, may_die):
        def work(seed):
            for number in numbers_of(random.Random(seed)):
                self.ask(server, number, may_die)
        started = [threading.Thread(target=work, args=(seed,)) for seed in range(threads)]
        for thread in started:
            thread.start()
        return started

    def verify(self):
        """Every entry there is has to be whole."""
        done = subprocess.run([self.program, "cache", "verify", "--cache-dir", self.cache], capture_output=True,
                              text=True)
        assert done.returncode == 0, done.stdout + done.stderr

    def no_faults(self, what):
        assert not self.faults, f"{what}: {len(self.faults)} faults, such as {self.faults[:5]}"


def killed_at_any_moment(scene, kills):
    chance = random.Random(13)
    for kill in range(kills):
        server = scene.start()
        numbers_of = lambda order: (order.randrange(PDBS) for _ in iter(server.alive, False))
        threads = scene.ask_all(server, ASKERS, numbers_of, may_die=True)
        time.sleep(chance.uniform(0, LONGEST))  # the moment is what is tried
        server.end(signal.SIGKILL)
        for thread in threads:
            thread.join()
        scene.no_faults(f"before kill {kill}")
        scene.verify()
        if kill % 10 == 0:  # all of it again, now and then
            for path in (scene.cache / "symcaches").rglob("*"):
                if path.is_file() and chance.random() < 0.5:
                    path.unlink()
    server = scene.start()
    for number in range(PDBS):
        scene.ask(server, number, may_die=False)
    assert server.end()[0] == 0
    scene.no_faults("after the last kill")
    left = [path for path in (scene.cache / "tmp").iterdir()]
    assert not left, left
    print(f"killed {kills} times, answers by status: {dict(scene.counts)}")


def deleted_under_load(scene):
    scene.counts.clear()
    server = scene.start()
    deleter = subprocess.Popen([sys.executable, "-c", DELETER, scene.cache])
    try:
        numbers_of = lambda order: [order.randrange(PDBS) for _ in range(REQUESTS)]
        for thread in scene.ask_all(server, CLIENTS, numbers_of, may_die=False):
            thread.join()
        assert server.alive() and deleter.poll() is None
    finally:
        deleter.kill()
        deleter.wait()
    scene.no_faults("while entries were deleted")
    assert set(scene.counts) == {200}, scene.counts
    scene.verify()
    assert server.end()[0] == 0
    print(f"entries deleted all the time, answers by status: {dict(scene.counts)}")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("program", type=pathlib.Path)
    parser.add_argument("--kills", type=int, default=20)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        scene = Scene(options.program.resolve(), pathlib.Path(folder))
        killed_at_any_moment(scene, options.kills)
        deleted_under_load(scene)


if __name__ == "__main__":
    main()
