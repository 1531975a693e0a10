#!/usr/bin/env python3
"""torture_test.py SYMCACHED: damaged files of every kind are answered or refused in words, never with a crash.

A short round of the program `torture`, which is built beside SYMCACHED, over PDBs of every target, and over what g++,
clang 22 and lld 22 make of a small program with DWARF.
"""
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

sys.dont_write_bytecode = True  # the next import is a script beside this one
import pdb_oracle_test as oracle

SOURCE = """
namespace shapes {
struct Shape { virtual int area(int n) const { return n; } virtual ~Shape() = default; };
template <class T> struct Square : Shape {
  explicit Square(T side) : side_(side) {}
  int area(int n) const override { return static_cast<int>(side_ * side_) + n; }
  T side_;
};
inline int twice(int n) { return n < 100 ? n + n : 0; }
static int sum(const Shape* const* all, int count) {
  int total = 0;
  for (int i = 0; i < count; ++i) total += twice(all[i]->area(i));
  return total;
}
}
void operator delete(void*, decltype(sizeof(0))) noexcept {}
extern "C" void __cxa_pure_virtual() {}
volatile int sink;
extern "C" int run(int n) {
  shapes::Square<int> a(n);
  shapes::Square<long> b(n * 3L);
  const shapes::Shape* all[] = {&a, &b};
  if (n > 7) { sink = shapes::sum(all, 2); return sink; }
  return shapes::twice(n);
}
extern "C" int _start() { return run(sink); }
"""

BREAKPAD = """MODULE Linux x86_64 0123456789ABCDEF0123456789ABCDEF0 sample
FILE 0 /src/a.cc
FILE 1 /src/b.h
INLINE_ORIGIN 0 shapes::twice(int)
FUNC 1000 40 0 run
INLINE 0 12 0 0 1010 8
1000 10 10 0
1010 8 4 1
1018 28 13 0
PUBLIC 2000 0 _start
STACK CFI INIT 1000 40 .cfa: $rsp 8 + .ra: .cfa -8 + ^
"""

WITHOUT_LIBRARIES = ["-O2", "-g", "-gdwarf-5", "-fno-rtti", "-fno-exceptions", "-ffreestanding"]
LINKED = ["-nostdlib", "-static", "-fno-stack-protector", "-Wl,-e,_start"]


def compiled(folder, *command):
    out = folder / "sample.out"
    subprocess.run([*command, *WITHOUT_LIBRARIES, folder / "sample.cc", "-o", out], check=True, capture_output=True)
    return out


def wasm(folder):
    module = folder / "sample.wasm"
    subprocess.run(["wasm-ld-22", "--no-entry", "--export-all", compiled(folder, "clang++-22", "--target=wasm32", "-c"),
                    "-o", module], check=True, capture_output=True)
    return module


def breakpad(folder):
    (folder / "sample.sym").write_text(BREAKPAD)
    return folder / "sample.sym"


DWARF_FILES = {
    "ELF of g++": lambda folder: compiled(folder, "g++", *LINKED),
    "ELF of clang": lambda folder: compiled(folder, "clang++-22", *LINKED),
    "ELF of g++, packed": lambda folder: compiled(folder, "g++", *LINKED, "-gz=zlib"),
    "ELF object": lambda folder: compiled(folder, "g++", "-c", "-ffunction-sections"),
    "ELF of clang, big-endian": lambda folder: compiled(folder, "clang++-22", "--target=s390x-linux-gnu", "-c"),
    "Mach-O object": lambda folder: compiled(folder, "clang++-22", "--target=x86_64-apple-macos13", "-c"),
    "COFF object": lambda folder: compiled(folder, "clang++-22", "--target=x86_64-w64-mingw32", "-c"),
    "WebAssembly": wasm,
    "Breakpad": breakpad,
}

DOTNET = pathlib.Path(__file__).resolve().parent.parent / "testing" / "dotnet"
DOTNET_FILES = ["debug/Traces.pdb", "sources/Traces.pdb", "release/Traces.dll", "embedded/Traces.dll"]


class Torture(unittest.TestCase):
    def torture(self, path, cuts, flips):
        done = subprocess.run([TORTURE, "--cuts", str(cuts), "--flips", str(flips), path], capture_output=True,
                              text=True)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        found = re.search(r": (\d+) answered with a cache, (\d+) refused", done.stdout)
        good, refused = map(int, found.groups())
        self.assertEqual(good + refused, cuts + flips + 1)
        return good, refused

    def test_damaged_pdbs(self):
        for target in oracle.TARGETS:
            with self.subTest(target=target), tempfile.TemporaryDirectory() as scratch:
                pdb = oracle.build(pathlib.Path(scratch), target, oracle.FLAGS["optimised"])[1]
                good, refused = self.torture(pdb, 100, 400)
                self.assertGreater(good, 100)
                self.assertGreater(refused, 100)

    def test_other_damaged_files(self):
        for kind, make in DWARF_FILES.items():
            with self.subTest(kind=kind), tempfile.TemporaryDirectory() as scratch:
                (pathlib.Path(scratch) / "sample.cc").write_text(SOURCE)
                good, refused = self.torture(make(pathlib.Path(scratch)), 100, 1000)
                self.assertGreater(good, 100)
                self.assertGreater(refused, 10)

    def test_damaged_dotnet_files(self):
        for name in DOTNET_FILES:
            with self.subTest(name):
                good, refused = self.torture(DOTNET / name, 200, 2000)
                self.assertGreater(good, 100)
                self.assertGreater(refused, 10)


def skip_without_tools():
    oracle.skip_without_tools()
    missing = [tool for tool in ("g++", "clang++-22", "wasm-ld-22") if shutil.which(tool) is None]
    if missing:
        print(f"skipped: {', '.join(missing)} not installed (Debian packages g++, clang-22, lld-22)")
        sys.exit(77)


if __name__ == "__main__":
    skip_without_tools()
    TORTURE = pathlib.Path(sys.argv.pop(1)).resolve().parent / "torture"
    unittest.main()
