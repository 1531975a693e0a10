#!/usr/bin/env python3
"""library_test.py PROGRAM: installs symcached into an empty folder, builds the examples against it as others would, and
compares what they, and the Python binding, say with what the program says."""
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest

from program import PROGRAM, ROOT, main, symcached

SAMPLE = """#include <algorithm>
#include <string>
#include <vector>
namespace shop {
struct Item { std::string name; int price; };
inline int doubled(int price) { return price * 2; }
int total(const std::vector<Item>& items) {
  int sum = 0;
  for (const Item& item : items) sum += doubled(item.price);
  return sum;
}
template <class T> void put_in_order(T& items) {
  std::sort(items.begin(), items.end(), [](const Item& a, const Item& b) { return a.price < b.price; });
}
}
int main(int count, char**) {
  std::vector<shop::Item> items{{"pen", 3}, {"cup", count}};
  shop::put_in_order(items);
  return shop::total(items);
}
"""
STRICT = ["-Wall", "-Wextra", "-Wpedantic", "-Werror"]
UNKNOWN = ["0", "0x7fffffff", "ffffffffffffffff"]


def run(*command, **options):
    done = subprocess.run([*map(str, command)], capture_output=True, text=True, **options)
    if done.returncode != 0:
        raise AssertionError(f"{command[0]} failed: {done.stdout[-2000:]}{done.stderr[-4000:]}")
    return done.stdout


def global_names(library, *options):
    lines = run("nm", "--defined-only", *options, library).splitlines()
    return {fields[2].split("@")[0] for fields in map(str.split, lines) if len(fields) == 3 and fields[1] != "A"}


class Installed(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        scratch = tempfile.TemporaryDirectory()
        cls.addClassCleanup(scratch.cleanup)
        cls.folder = pathlib.Path(scratch.name)
        cls.prefix = cls.folder / "prefix"
        run("cmake", "--install", PROGRAM.parent, "--prefix", cls.prefix)
        cls.lib = next(cls.prefix.rglob("libsymcached.a")).parent
        cls.environment = {**os.environ, "PKG_CONFIG_PATH": str(cls.lib / "pkgconfig"),
                           "LD_LIBRARY_PATH": str(cls.lib)}
        cls.sample = cls.folder / "sample"
        (cls.folder / "sample.cpp").write_text(SAMPLE)
        run("g++", "-O2", "-g", "-o", cls.sample, cls.folder / "sample.cpp")
        functions = [line.split()[0] for line in run("nm", "--defined-only", cls.sample).splitlines()
                     if line.split()[1] in "tTW"]
        cls.addresses = [f"{int(start, 16) + offset:x}" for start in functions for offset in (0, 5, 17)] + UNKNOWN

    def flags(self, *options):
        return run("pkg-config", *options, "symcached", env=self.environment).split()

    def agrees(self, *command):
        """The example says of every address what the program says."""
        asked = [self.sample, *self.addresses]
        want = symcached("lookup", *asked)
        self.assertEqual(want.returncode, 0, want.stderr)
        self.assertEqual(run(*command, *asked, env=self.environment), want.stdout)
        self.assertGreater(want.stdout.count("sample.cpp:"), 10)

    def python(self, script):
        binding = next(self.prefix.rglob("symcached.py")).parent
        environment = {**os.environ, "PYTHONPATH": str(binding)}
        environment.pop("SYMCACHED_LIBRARY", None)
        return run(sys.executable, "-c", script, env=environment)

    def test_cmake(self):
        built = self.folder / "built"
        run("cmake", "-S", ROOT / "examples", "-B", built, f"-DCMAKE_PREFIX_PATH={self.prefix}",
            f"-DCMAKE_CXX_FLAGS={' '.join(STRICT)}", f"-DCMAKE_C_FLAGS={' '.join(STRICT)}")
        run("cmake", "--build", built)
        for example in ["lookup", "lookup_static", "lookup_c", "lookup_c_static"]:
            with self.subTest(example):
                self.agrees(built / example)
                needed = run("ldd", built / example)
                self.assertEqual("libsymcached" in needed, not example.endswith("_static"))

    def test_pkg_config(self):
        static = [flag.replace("-lsymcached", "-l:libsymcached.a") for flag in self.flags("--libs", "--static")]
        for name, libraries in [("shared", self.flags("--libs")), ("static", static)]:
            with self.subTest(name):
                example = self.folder / f"example_{name}"
                run("gcc", "-std=c99", *STRICT, *self.flags("--cflags"), "-o", example, ROOT / "examples/lookup.c",
                    *libraries)
                self.agrees(example)

    def test_names(self):
        promised = set(re.findall(r"^ +(symcached_\w+);", (ROOT / "library/symbols.map").read_text(), re.M))
        self.assertEqual(global_names(self.lib / "libsymcached.so", "-D"), promised)
        self.assertEqual(global_names(self.lib / "libsymcached.a", "-g"), promised)

    def test_installed_program(self):
        done = run(self.prefix / "bin/symcached", "lookup", self.sample, *self.addresses)
        self.assertEqual(done, symcached("lookup", self.sample, *self.addresses).stdout)

    def test_python(self):
        said = json.loads(self.python(f"""
import json, symcached
module = symcached.Module({str(self.sample)!r})
print(json.dumps([[frame._asdict() for frame in module.lookup(int(address, 16))]
                  for address in {self.addresses!r}]))"""))
        want = json.loads(symcached("lookup", self.sample, "--json", *self.addresses).stdout)
        inlined = 0
        for address, frames, answer in zip(self.addresses, said, want, strict=True):
            self.assertEqual([(f["function"], f["file"], f["line"], f["column"]) for f in frames],
                             [(s["FunctionName"], s["FileName"], s["Line"], s["Column"]) for s in answer["Symbol"]])
            self.assertEqual([hex(f["function_start"]) for f in frames],
                             [s["StartAddress"] for s in answer["Symbol"]], address)
            inlined += sum(f["is_inlined"] for f in frames)
        self.assertGreater(inlined, 0)

    def test_python_of_dotnet(self):
        pdb = ROOT / "testing/dotnet/release/Traces.pdb"
        places = [(row, il) for row in range(1, 40) for il in (0, 7, 30)]
        said = json.loads(self.python(f"""
import json, symcached
module = symcached.Module({str(pdb)!r})
assert module.is_managed and module.image_base is None and module.warnings == []
print(json.dumps([module.lookup_method(row | 0x06000000, il) for row, il in {places!r}]))"""))
        want = json.loads(symcached("lookup", pdb, "--json", *[f"{row}:{il}" for row, il in places]).stdout)
        self.assertEqual([[frame[:4] for frame in frames] for frames in said],
                         [[[s["FunctionName"], s["FileName"], s["Line"], s["Column"]] for s in answer["Symbol"]]
                          for answer in want])
        self.assertGreater(sum(map(len, said)), 20)

    def test_python_converts(self):
        converted = symcached("convert", self.sample, "-o", self.folder)
        self.assertEqual(converted.returncode, 0, converted.stderr)
        own = self.folder / "own.symcache"
        said = json.loads(self.python(f"""
import json, symcached
from symcached import Module, convert
assert convert({str(self.sample)!r}, {str(own)!r}) == {str(own)!r}
data = convert({str(self.sample)!r})
with Module(data=data) as module:
    same = module.cache == data
try:
    module.lookup(0)
    closed = False
except ValueError:
    closed = True
errors = []
for wrong in [dict(path="/nowhere"), dict(data=b"nothing"), dict()]:
    try:
        Module(**wrong)
    except (symcached.Error, TypeError) as why:
        errors.append(str(why))
print(json.dumps([same, closed, symcached.VERSION, errors]))"""))
        self.assertEqual(own.read_bytes(), (self.folder / "sample.symcache").read_bytes())
        same, closed, version, errors = said
        self.assertTrue(same and closed)
        self.assertRegex(version, r"^\d+\.\d+\.\d+$")
        self.assertEqual(len(errors), 3)
        self.assertTrue(errors[0].startswith("cannot open /nowhere: "), errors)
        self.assertEqual(errors[1], "unrecognized format")


if __name__ == "__main__":
    main()
