#!/usr/bin/env python3
"""pprof_names_test.py PROGRAM: what libsymcached_pprof's namings say of a file's addresses, against addr2line: by
symbol tables, and with the libsymcached that was built, with files, lines and inlined calls."""
import json
import os
import pathlib
import subprocess
import tempfile
import unittest

from program import PROGRAM, main

BUILD = pathlib.Path(PROGRAM).resolve().parent
NAMES = BUILD / "bench_pprof_names"
LIBRARY = BUILD / "libsymcached.so.0"
SAMPLE = r"""
#include <cstdio>
#include <stdexcept>
static inline __attribute__((always_inline)) int innermost(int x) {
  return x * 7 + static_cast<int>(__builtin_popcount(x));
}
static inline __attribute__((always_inline)) int middle(int x) {
  int y = innermost(x);
  return y ^ 5;
}
__attribute__((noinline)) int rarely(int x) {
  if (__builtin_expect(x == 12345, 0)) throw std::runtime_error("a cold part");
  return middle(x) + 1;
}
__attribute__((noinline)) int hot(int count) {
  int sum = 0;
  for (int i = 0; i < count; ++i) sum += rarely(i) + middle(sum);
  return sum;
}
int main(int count, char**) { std::printf("%d\n", hot(count)); }
"""


def run(*command, stdin=None):
    return subprocess.run(command, input=stdin, capture_output=True, text=True, check=True, timeout=120)


def functions(path):
    """Of the sample itself: name, address, size."""
    rows = [line.split() for line in run("nm", "-S", "--defined-only", path).stdout.splitlines()]
    own = [r for r in rows if len(r) == 4 and any(n in r[3] for n in ("rarely", "hot", "main"))]
    return [(r[3], int(r[0], 16), int(r[1], 16)) for r in own]


def named(path, addresses, *options):
    """Of each address its frames: (function, file:line)."""
    out = run(NAMES, path, *options, stdin="".join(f"{a:x}\n" for a in addresses)).stdout
    blocks = out.split("\n\n")[:-1]
    return [[tuple(line.rsplit(" ", 1)) for line in block.split("\n") if line] for block in blocks]


def addr2line(path, addresses):
    """The same by addr2line; a line of 0 is "?" there."""
    out = run("addr2line", "-e", path, "-f", "-i", "-a", *(f"{a:x}" for a in addresses)).stdout
    frames = []
    for line in out.splitlines():
        if line.startswith("0x"):
            frames.append([])
            words = []
            continue
        words.append(line)
        if len(words) == 2:
            frames[-1].append((words[0], words[1].split(" (")[0].replace(":?", ":0")))
            words = []
    return frames


class PprofNames(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        cls.sample = pathlib.Path(cls.folder.name) / "sample"
        source = cls.sample.with_suffix(".cpp")
        source.write_text(SAMPLE)
        run("g++", "-O2", "-g", "-gdwarf-4", "-Wl,--build-id", "-o", cls.sample, source)
        cls.addresses = [a for _, start, size in functions(cls.sample) for a in range(start, start + size)]

    @classmethod
    def tearDownClass(cls):
        cls.folder.cleanup()

    def test_each_byte_has_the_name_of_its_function(self):
        for name, start, size in functions(self.sample):
            got = {frames[0][0] for frames in named(self.sample, range(start, start + size))}
            self.assertEqual(got, {name})
        self.assertTrue(any(".cold" in name for name, _, _ in functions(self.sample)))

    def test_inlined_calls_files_and_lines_are_those_of_addr2line(self):
        ours = named(self.sample, self.addresses, "--library", str(LIBRARY), "--inlines")
        theirs = addr2line(self.sample, self.addresses)
        self.assertEqual(len(ours), len(theirs))
        outermost = [frames[-1][0].removesuffix(".cold") for frames in ours]
        self.assertEqual(outermost, [frames[-1][0].removesuffix(".cold") for frames in theirs])
        self.assertEqual([[place for _, place in frames] for frames in ours],
                         [[place for _, place in frames] for frames in theirs])
        deepest = max(ours, key=len)
        self.assertEqual(len(deepest), 3)
        self.assertIn("innermost", deepest[0][0])
        self.assertIn("middle", deepest[1][0])

    def test_a_stripped_file_is_named_from_its_debug_file(self):
        stripped, debug = self.sample.with_suffix(".stripped"), self.sample.with_suffix(".debug")
        run("objcopy", "--only-keep-debug", self.sample, debug)
        run("objcopy", "--strip-all", f"--add-gnu-debuglink={debug}", self.sample, stripped)
        with_tables = named(stripped, self.addresses)
        self.assertEqual(with_tables, named(self.sample, self.addresses))
        options = ("--library", str(LIBRARY), "--inlines")
        self.assertEqual(named(stripped, self.addresses, *options), named(self.sample, self.addresses, *options))

    def test_times_are_told(self):
        said = json.loads(run(NAMES, self.sample, stdin=f"{self.addresses[0]:x}\n").stderr)
        self.assertEqual(sorted(said), ["first", "next", "ready"])


if __name__ == "__main__":
    os.environ.pop("DEBUGINFOD_URLS", None)
    main()
