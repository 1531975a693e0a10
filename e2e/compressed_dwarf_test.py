#!/usr/bin/env python3
"""compressed_dwarf_test.py PROGRAM: debug sections that are compressed give the same symcache, to the byte.

The file is PROGRAM itself: its .debug_info is large enough to be inflated unit by unit.
"""
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest

from program import PROGRAM, main, symcached

TOOLS = {"zlib": "objcopy", "zstd": "llvm-objcopy-22"}


class CompressedDwarf(unittest.TestCase):
    def symcache_of(self, path, folder, *options):
        out = pathlib.Path(folder) / "caches"
        done = symcached("convert", path, "-o", out, *options)
        self.assertEqual(done.returncode, 0, done.stderr)
        return pathlib.Path(done.stdout.strip()).read_bytes()

    def test_the_same_symcache(self):
        with tempfile.TemporaryDirectory() as folder:
            # Copied by the same tool: objcopy leaves out what is in no section, and the build id stays.
            plain = pathlib.Path(folder) / "program"
            shutil.copy(PROGRAM, plain)
            want = self.symcache_of(plain, folder)
            for method, tool in TOOLS.items():
                packed = pathlib.Path(folder) / method / "program"
                packed.parent.mkdir()
                subprocess.run([tool, f"--compress-debug-sections={method}", PROGRAM, packed], check=True)
                self.assertLess(packed.stat().st_size, plain.stat().st_size)
                for threads in ["1", "3"]:
                    self.assertEqual(self.symcache_of(packed, folder, "--threads", threads), want, (method, threads))

    def test_damage_is_named(self):
        with tempfile.TemporaryDirectory() as folder:
            packed = pathlib.Path(folder) / "program"
            subprocess.run(["objcopy", "--compress-debug-sections=zlib", PROGRAM, packed], check=True)
            start, size = section_of(packed, ".debug_info")
            data = bytearray(packed.read_bytes())
            for at in range(start + size // 2, start + size // 2 + 64):
                data[at] ^= 0x55
            packed.write_bytes(data)
            done = symcached("convert", packed, "-o", folder)
            self.assertEqual((done.returncode, done.stdout), (1, ""))
            self.assertRegex(done.stderr, r"\(dwarf\.[a-z_.]+ at offset \d+\)")


def section_of(path, name):
    """Where the section lies in the file, and its size there."""
    headers = subprocess.run(["readelf", "-SW", path], capture_output=True, text=True, check=True).stdout
    for line in headers.splitlines():
        fields = line.replace("[ ", "[").split()
        if len(fields) > 5 and fields[1] == name:
            return int(fields[4], 16), int(fields[5], 16)
    raise AssertionError(f"{path} has no {name}")


if __name__ == "__main__":
    missing = [tool for tool in [*TOOLS.values(), "readelf"] if shutil.which(tool) is None]
    if missing:
        print(f"skipped: {', '.join(missing)} not installed (Debian packages binutils, llvm-22)")
        sys.exit(77)
    main()
