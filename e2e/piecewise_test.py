#!/usr/bin/env python3
"""piecewise_test.py SYMCACHED: a large file answers from pieces what it answers whole, and is converted behind."""
import ctypes
import os
import pathlib
import subprocess
import tempfile
import unittest

import program

PIECEWISE = program.PROGRAM.parent / "piecewise"

HEADER = """
#include <vector>
#include <map>
#include <string>
#include <algorithm>
template <class T> inline T twice(T x) { return x + x; }
inline int shared(int x) { static int calls; return twice(x) + ++calls; }
struct Shape { virtual ~Shape() = default; virtual int area() const = 0; };
struct Square : Shape { int side; Square(int s) : side(s) {} int area() const override { return side * side; } };
int one(int); int two(int); int three(int);
"""
SOURCES = {
    "one.cpp": """
int one(int x) { std::vector<int> v(x, 3); std::sort(v.begin(), v.end()); return shared(v.size()) + Square(x).area(); }
__attribute__((cold)) void fail() { throw std::string("x"); }
""",
    "two.cpp": """
int two(int x) { std::map<int, std::string> m; for (int i = 0; i < x; ++i) m[i] = std::string(i, 'a');
  if (x > 100) throw x; return shared(m.size()) + m[1].size(); }
static int hidden(int x) { return x % 7 ? hidden(x / 2) : 1; }
int (*pointer)(int) = hidden;
""",
    "three.cpp": """
int three(int x) { Shape* s = new Square(x); int a = s->area(); delete s; return shared(a) + twice(a); }
int main(int n, char**) { return one(n) + two(n) + three(n); }
""",
}
ASSEMBLY = """
.text
.globl by_hand
.type by_hand, @function
by_hand: nop
 nop
 ret
.size by_hand, .-by_hand
unsized: nop
 ret
"""
# The rest is in dwarf_matrix_test: these are the ways in which units tell of their code.
ROWS = [
    ("gcc", ["g++", "-g", "-O2"]),
    ("gcc 4", ["g++", "-gdwarf-4", "-O2", "-ffunction-sections", "-Wl,--gc-sections"]),
    ("gcc -O0, not PIE", ["g++", "-g", "-O0", "-no-pie"]),
    ("gcc, compressed", ["g++", "-g", "-O2", "-gz=zlib"]),
    ("gcc, LTO", ["g++", "-g", "-O2", "-flto", "-ffat-lto-objects"]),
    ("clang", ["clang++-22", "-g", "-O2"]),
    ("clang, .debug_aranges", ["clang++-22", "-g", "-O2", "-gdwarf-aranges"]),
    ("clang 4, lld", ["clang++-22", "-gdwarf-4", "-O1", "-fuse-ld=lld"]),
    ("clang, folded", ["clang++-22", "-g", "-O2", "-fuse-ld=lld", "-Wl,--icf=all", "-ffunction-sections"]),
    ("gcc and clang", ["g++", "-g", "-O2"], ["clang++-22", "-g", "-O2"]),
    ("partly without", ["g++", "-g", "-O2"], ["g++", "-O2"]),
]


class Piecewise(unittest.TestCase):
    def setUp(self):
        scratch = tempfile.TemporaryDirectory()
        self.addCleanup(scratch.cleanup)
        self.folder = pathlib.Path(scratch.name)
        for name, text in SOURCES.items():
            (self.folder / name).write_text(HEADER + text)
        (self.folder / "hand.s").write_text(ASSEMBLY)

    def build(self, compiler, other=None):
        objects = []
        for i, name in enumerate(SOURCES):
            objects.append(self.folder / f"{name}.o")
            using = other if other and i == 1 else compiler
            subprocess.run([*using, "-Wno-unused-command-line-argument", "-c", self.folder / name, "-o", objects[-1]],
                           check=True, capture_output=True)
        objects.append(self.folder / "hand.o")
        subprocess.run(["gcc", "-g", "-c", self.folder / "hand.s", "-o", objects[-1]], check=True)
        subprocess.run([*compiler, *objects, "-o", self.folder / "built"], check=True, capture_output=True)
        return self.folder / "built"

    def test_pieces_and_the_whole_agree_at_each_address(self):
        for why, *compilers in ROWS:
            with self.subTest(why):
                done = subprocess.run([PIECEWISE, self.build(*compilers)], capture_output=True, text=True)
                self.assertEqual((done.returncode, done.stderr), (0, ""), done.stdout)
                same, left = (int(part.split()[0]) for part in done.stdout.splitlines()[-1].split(", ")[:2])
                # The code of what was compiled without -g takes the whole.
                self.assertGreater(same, left / 4 if why == "partly without" else 2 * left, done.stdout)

    def test_a_large_file_is_added_to_the_cache_behind(self):
        adopt_orphans()
        large = self.folder / "padding"
        large.write_bytes(bytes(24 << 20))
        built = self.build(["g++", "-g", "-O2"])
        subprocess.run(["objcopy", f"--add-section=.padding={large}", built], check=True)
        environment = {key: value for key, value in os.environ.items() if not key.startswith("SYMCACHED_")}
        environment["XDG_CACHE_HOME"] = str(self.folder / "cache")
        names = subprocess.run(["nm", built], capture_output=True, text=True, check=True).stdout.splitlines()
        address = next("0x" + line.split()[0] for line in names if line.endswith(" main"))
        ask = [program.PROGRAM, "lookup", "--svma", built]
        want = subprocess.run([*ask, "--no-cache", *[address] * 2, *[hex(i) for i in range(20)]], capture_output=True,
                              text=True, env=environment, check=True).stdout.split("\n\n")[0]
        self.assertIn("three.cpp:", want)
        self.assertEqual(list((self.folder / "cache").rglob("*")), [])
        entries = (self.folder / "cache").glob("symcached/kept_symcaches/*/*/*/*")
        for _ in range(2):
            done = subprocess.run([*ask, address], capture_output=True, text=True, env=environment, check=True)
            self.assertEqual(done.stdout.split("\n\n")[0], want)
            wait_for_orphans()
        self.assertEqual(len(list(entries)), 1)


def adopt_orphans():
    """What our children leave running becomes our child."""
    PR_SET_CHILD_SUBREAPER = 36
    ctypes.CDLL(None).prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)


def wait_for_orphans():
    try:
        while True:
            os.waitpid(-1, 0)
    except ChildProcessError:
        pass


if __name__ == "__main__":
    program.main()
