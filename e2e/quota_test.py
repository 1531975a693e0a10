#!/usr/bin/env python3
"""Limits on the size of a cache directory, watched from outside while clients ask.

Usage: e2e/quota_test.py PATH_TO_SYMCACHED [--limit SIZE_IN_MB] [--amount SIZE_IN_MB]
"""
import argparse
import concurrent.futures
import contextlib
import json
import os
import pathlib
import random
import sys
import tempfile
import threading
import time

from components import behaviours
from components.component import Lacking
from components.faults import FaultServer
from components.small_disk import SmallDisk
from server import Server, Symbols

CLIENTS = 8
WORKERS = 2
PADDING = 400 << 10    # bytes behind each PDB: what an original takes
ENTRY = PADDING + (256 << 10)  # bytes: more than any entry has, with its header
MB = 1_000_000


def entries_of(folder):
    """Bytes on disk of every entry, by path and inode."""
    sizes = {}
    for kind in ("objects", "symcaches"):
        for parent, _, names in os.walk(folder / kind):
            for name in names:
                with contextlib.suppress(FileNotFoundError):  # removed meanwhile
                    state = os.lstat(os.path.join(parent, name))
                    sizes[parent, name, state.st_ino] = state.st_blocks * 512
    return sizes


class Watch:
    """A context manager that samples the size of a cache all the time.

    What two looks at the directory both find was there between them, all at once, however long they took.
    """

    def __init__(self, folder):
        self.folder, self.most, self.samples = folder, 0, 0

    def __enter__(self):
        self.over = threading.Event()
        self.thread = threading.Thread(target=self.run)
        self.thread.start()
        return self

    def __exit__(self, *_):
        self.over.set()
        self.thread.join()

    def run(self):
        before = entries_of(self.folder)
        while not self.over.is_set():
            now = entries_of(self.folder)
            self.most = max(self.most, sum(now[entry] for entry in now.keys() & before.keys()))
            self.samples += 1
            before = now
            time.sleep(0.002)


class Scene:
    """A symbol server with any number of PDBs, and servers with a limit."""

    def __init__(self, program, folder, symbols, upstream, limit):
        self.program, self.folder, self.symbols, self.limit = program, folder, symbols, limit
        self.config = folder / "symcached.yml"
        source = {"id": "all", "type": "http", "url": upstream.url, "layout": {"type": "symstore"}}
        self.config.write_text(json.dumps({"sources": [source], "caches": {"max_size": limit, "min_free": 0}}))

    def serve(self, cache):
        return Server(self.program, cache, options=["--config", self.config, "--workers", WORKERS])

    def ask(self, server, number):
        status, headers, body = server.ask(self.symbols.url_path(number))
        assert status == 200, (number, status, headers, body, server.log())
        return body

    def ask_all(self, servers, numbers):
        with concurrent.futures.ThreadPoolExecutor(CLIENTS) as pool:
            return list(pool.map(lambda number: self.ask(random.choice(servers), number), numbers))


def held_while_clients_ask(scene, cache, servers, amount):
    count = amount // PADDING
    with Watch(cache) as watch:
        first = scene.ask_all(servers, range(count))
        again = scene.ask_all(servers, range(count - 1, -1, -1))
    assert first == again[::-1], "what was removed comes back as it was"
    flying = ENTRY * len(servers)  # the sample is no snapshot, and a server does not know what another just publishes
    assert scene.limit * 0.5 < watch.most <= scene.limit + flying, f"{watch.most} bytes, allowed {scene.limit}"
    print(f"ok {len(servers)} servers: {count} PDBs, at most {watch.most / MB:.1f} MB of {scene.limit / MB:.0f} MB, "
          f"{watch.samples} samples", flush=True)


def limit_of_one_server(scene, amount):
    cache = scene.folder / "one"
    server = scene.serve(cache)
    held_while_clients_ask(scene, cache, [server], amount)
    assert server.end()[0] == 0


def limit_of_two_servers(scene, amount):
    cache = scene.folder / "two"
    servers = [scene.serve(cache) for _ in range(2)]
    held_while_clients_ask(scene, cache, servers, amount)
    assert [server.end()[0] for server in servers] == [0, 0]


def a_disk_smaller_than_the_limit(scene, amount):
    with SmallDisk(scene.limit // 2) as disk:
        server = scene.serve(disk.folder / "cache")
        with concurrent.futures.ThreadPoolExecutor(CLIENTS) as pool:
            paths = [scene.symbols.url_path(number) for number in range(amount // PADDING)]
            answers = list(pool.map(server.ask, paths))
        assert {status for status, *_ in answers} <= {200, 503}, {status for status, *_ in answers}
        assert answers[0][0] == 200 and server.alive()
        print(f"ok a small disk: {sum(status == 200 for status, *_ in answers)} of {len(answers)} answered", flush=True)
        assert server.end()[0] == 0


def any_pdb(symbols):
    """Every id is there, in the size that was asked for."""
    async def behave(exchange):
        name, key, file = exchange.request.path.strip("/").split("/")
        number = int(key[:8], 16)
        there = file == "app.pdb" and key == symbols.guid_of(number).replace("-", "") + "1"
        answer = behaviours.file(symbols.pdb_of(number) + random.Random(number).randbytes(PADDING))
        await (answer if there else behaviours.answer(404))(exchange)
    return behave


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("program", type=pathlib.Path)
    parser.add_argument("--limit", type=int, default=20, help="MB that a cache may have")
    parser.add_argument("--amount", type=int, default=100, help="MB of PDBs that are asked for")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        symbols = Symbols(folder / "symbols")
        with FaultServer({"app.pdb": any_pdb(symbols)}) as upstream:
            scene = Scene(options.program.resolve(), folder, symbols, upstream, options.limit * MB)
            limit_of_one_server(scene, options.amount * MB)
            limit_of_two_servers(scene, options.amount * MB)
            try:
                a_disk_smaller_than_the_limit(scene, options.amount * MB)
            except Lacking as lacking:
                print(f"SKIPPED a_disk_smaller_than_the_limit: {lacking}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
