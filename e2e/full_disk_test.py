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
LEFT = {                 # bytes left on the disk: the PDB has 72 KiB, its symcache less than one
    "nothing left": 0,
    "a page left": 4 << 10,
    "half a PDB left": 36 << 10,
    "a PDB left, no symcache": 76 << 10,
}
ALL_FREE = "caches: {min_free: 0}\n"


class Scene:
    """A server with its cache on a small disk; its symbol server has three PDBs."""

    def __init__(self, program, config, symbols, disk, upstream):
        self.disk, self.symbols = disk, symbols
        options = ["--workers", 1] + (["--config", config] if config else [])
        self.server = Server(program, disk.folder / "cache", upstream.url, options=options)
        self.known = self.ask(KNOWN)
        assert self.known[0] == 200, self.known

    def ask(self, number):
        return self.server.ask(self.symbols.url_path(number))

    def expect_no_space(self, number, keeps=True):
        """keeps: nobody else has taken what is to be left free, or what there is would go for that."""
        status, headers, body = self.ask(number)
        assert status == 503 and 1 <= int(headers["retry-after"]) <= 60, (status, headers, body)
        if keeps:
            status, _, body = self.ask(KNOWN)
            assert (status, body) == (200, self.known[2]), f"nothing went for what does not fit: {status}"
        status, headers, _ = self.server.poll(self.symbols.url_path(number))
        assert status == 404 and "retry-after" in headers, "a polling client knows no 503"

    def expect_all_well(self):
        until(lambda: self.ask(NEW)[0] == 200, "the PDB once there is space")
        status, log = self.server.end()
        assert status == 0, log


def full(scene, left):
    """Others have what is to be left free, too."""
    scene.disk.fill(left)
    scene.expect_no_space(NEW, keeps=False)
    scene.disk.release()
    scene.expect_all_well()


def full_of_ours(scene, left):
    scene.disk.fill(left)
    # A file that somebody is still sending or reading has its space for that much longer.
    until(lambda: scene.ask(NEW)[0] == 200, "it takes the place of what was there")
    scene.disk.release()
    scene.expect_all_well()


def never_fits(scene):
    free = scene.disk.free()
    scene.expect_no_space(TOO_LARGE)
    assert scene.disk.free() >= free, f"{free - scene.disk.free()} bytes of a download are left"
    scene.expect_all_well()


def on_a_disk(program, symbols, row):
    why, test, config = row
    bodies = {number: symbols.pdb_of(number) for number in (KNOWN, NEW, TOO_LARGE)}
    bodies[TOO_LARGE] += bytes(LARGE)
    paths = {f"/app.pdb/{symbols.guid_of(number).replace('-', '')}1/app.pdb": behaviours.file(body)
             for number, body in bodies.items()}
    with SmallDisk(SIZE) as disk, FaultServer(paths) as upstream:
        test(Scene(program, config, symbols, disk, upstream))
    return why


def main():
    program = pathlib.Path(sys.argv[1]).resolve()
    with tempfile.TemporaryDirectory() as name, concurrent.futures.ThreadPoolExecutor() as pool:
        folder = pathlib.Path(name)
        symbols = Symbols(folder)
        config = folder / "symcached.yml"
        config.write_text(ALL_FREE)
        rows = [(why, lambda scene, left=left: full(scene, left), None) for why, left in LEFT.items()]
        rows += [(f"{why}, none to be left free", lambda scene, left=left: full_of_ours(scene, left), config)
                 for why, left in LEFT.items()]
        rows += [("a download that never fits", never_fits, None)]
        try:
            for why in pool.map(lambda row: on_a_disk(program, symbols, row), rows):
                print(f"ok {why}", flush=True)
        except Lacking as lacking:
            print(f"skipped: {lacking}")
            return 77
    return 0


if __name__ == "__main__":
    sys.exit(main())
