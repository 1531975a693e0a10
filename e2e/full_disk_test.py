#!/usr/bin/env python3
"""A cache directory on a disk that is full, or soon: what clients are told, and what is left once there is space.

Usage: e2e/full_disk_test.py PATH_TO_SYMCACHED
"""
import concurrent.futures
import pathlib
import sys
import tempfile

from components import behaviours
from components.component import Lacking
from components.faults import FaultServer
from components.small_disk import SmallDisk
from server import Server, Symbols, until

SIZE = 8 << 20           # bytes of the disk
LARGE = 12 << 20         # bytes of a PDB that never fits
KNOWN, NEW, TOO_LARGE = 1, 2, 3  # numbers of PDBs
ROWS = [                 # bytes left on the disk: the PDB has 72 KiB, its symcache less than one
    ("nothing left", 0),
    ("a page left", 4 << 10),
    ("half a PDB left", 36 << 10),
    ("a PDB left, no symcache", 76 << 10),
]


class Scene:
    """A server with its cache on a small disk; its symbol server has three PDBs."""

    def __init__(self, program, folder, symbols, disk, upstream):
        self.disk, self.symbols = disk, symbols
        self.server = Server(program, disk.folder / "cache", upstream.url, options=["--workers", 1])
        self.known = self.ask(KNOWN)
        assert self.known[0] == 200, self.known

    def ask(self, number):
        return self.server.ask(self.symbols.url_path(number))

    def expect_no_space(self, number):
        status, headers, body = self.ask(number)
        assert status == 503 and 1 <= int(headers["retry-after"]) <= 60, (status, headers, body)
        status, _, body = self.ask(KNOWN)
        assert status == 503 or body == self.known[2], "what is still there is served"
        status, headers, _ = self.server.poll(self.symbols.url_path(number))
        assert status == 404 and "retry-after" in headers, "a polling client knows no 503"

    def expect_all_well(self):
        until(lambda: self.ask(NEW)[0] == 200, "the PDB once there is space", 30)
        status, log = self.server.end()
        assert status == 0, log


def full(scene, left):
    scene.disk.fill(left)
    assert scene.ask(NEW)[0] in (200, 503), "it may take the place of what was there"
    scene.disk.release()
    scene.expect_all_well()


def filled_by_a_download(scene):
    free = scene.disk.free()
    scene.expect_no_space(TOO_LARGE)
    assert scene.disk.free() >= free, f"{free - scene.disk.free()} bytes of a download are left"
    scene.expect_all_well()


def on_a_disk(program, folder, symbols, row):
    why, test = row
    bodies = {number: symbols.pdb_of(number) for number in (KNOWN, NEW, TOO_LARGE)}
    bodies[TOO_LARGE] += bytes(LARGE)
    paths = {f"/app.pdb/{symbols.guid_of(number).replace('-', '')}1/app.pdb": behaviours.file(body)
             for number, body in bodies.items()}
    with SmallDisk(SIZE) as disk, FaultServer(paths) as upstream:
        test(Scene(program, folder, symbols, disk, upstream))
    return why


def main():
    program = pathlib.Path(sys.argv[1]).resolve()
    rows = [(why, lambda scene, left=left: full(scene, left)) for why, left in ROWS]
    rows.append(("filled by a download", filled_by_a_download))
    with tempfile.TemporaryDirectory() as name, concurrent.futures.ThreadPoolExecutor() as pool:
        folder = pathlib.Path(name)
        symbols = Symbols(folder)
        try:
            for why in pool.map(lambda row: on_a_disk(program, folder, symbols, row), rows):
                print(f"ok {why}", flush=True)
        except Lacking as lacking:
            print(f"skipped: {lacking}")
            return 77
    return 0


if __name__ == "__main__":
    sys.exit(main())
