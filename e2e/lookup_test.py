#!/usr/bin/env python3
"""lookup_test.py SYMCACHED: `lookup` prints what llvm-symbolizer prints, line by line, and says what is wrong."""
import json
import pathlib
import resource
import subprocess
import tempfile
import unittest

import program
from program import symcached

FIRST, BEHIND = 0x1000, 0x2000  # code of sample.exe lies in between


def symbolizer(exe, *options, stdin=None):
    done = subprocess.run(["llvm-symbolizer-22", f"--obj={exe}", "--relative-address", *options], input=stdin,
                          capture_output=True, text=True, check=True)
    return done.stdout


def shape(value):
    """The types of a JSON value, without its numbers and texts."""
    if isinstance(value, dict):
        return {key: shape(part) for key, part in value.items()}
    return [shape(part) for part in value] if isinstance(value, list) else type(value).__name__


class LookupLikeLlvm(program.WithPdb):
    def setUp(self):
        every = list(map(hex, range(FIRST, BEHIND)))
        listings = (symcached("lookup", self.pdb, "--json", *every).stdout,
                    symbolizer(self.exe, "--output-style=JSON", *every))
        ours, theirs = (json.loads(listing) for listing in listings)
        # Each address that one of both has a line for (LLVM names padding, too). Not the starts of functions: there a
        # PDB may have two lines for one address, and each tool takes another.
        self.code = [address for address, *answers in zip(every, ours, theirs)
                     if any(frame["Line"] for one in answers for frame in one["Symbol"])
                     and all(frame["StartAddress"] != address for one in answers for frame in one["Symbol"])]
        self.assertGreater(len(self.code), 20)

    def test_text_is_the_same_for_every_byte_of_code(self):
        for ours, theirs in (([], []), (["--no-inlines"], ["--no-inlines"]), (["-f"], ["-f"]),
                             (["--functions"], ["--functions"]), (["--functions=short"], ["--functions=short"]),
                             (["--functions=none"], ["--functions=none"]), (["-f=short"], ["-f=short"]),
                             (["-f=none"], ["-f=none"]), (["--no-demangle"], ["--no-demangle"])):
            with self.subTest(options=ours):
                found = symcached("lookup", self.pdb, *ours, *self.code)
                self.assertTrue(found.stdout == symbolizer(self.exe, *theirs, *self.code))
                self.assertEqual((found.returncode, found.stderr), (0, ""))

    def test_lines_of_stdin_get_the_text_of_arguments(self):
        lines = "".join(f"{address}\n" for address in self.code)
        self.assertTrue(symcached("lookup", self.pdb, stdin=lines).stdout == symbolizer(self.exe, stdin=lines))

    def test_json_has_the_same_shape(self):
        found = json.loads(symcached("lookup", self.pdb, "--json", *self.code).stdout)
        theirs = json.loads(symbolizer(self.exe, "--output-style=JSON", *self.code))
        self.assertTrue(shape(found) == shape(theirs))
        for one, other in zip(found, theirs):
            for frame, same in zip(one["Symbol"], other["Symbol"]):
                for key in ("FunctionName", "FileName", "Line", "Column"):
                    self.assertEqual(frame[key], same[key], one["Address"])

    def test_json_on_stdin_is_one_object_a_line(self):
        lines = "".join(f"{address}\n" for address in self.code)
        found = symcached("lookup", self.pdb, "--json", stdin=lines).stdout.splitlines()
        theirs = symbolizer(self.exe, "--output-style=JSON", stdin=lines).splitlines()
        self.assertTrue([shape(json.loads(one)) for one in found] == [shape(json.loads(one)) for one in theirs])

    def test_an_error_object_has_the_shape_of_theirs(self):
        done = subprocess.run(["llvm-symbolizer-22", "--obj=/no/such/file", "--output-style=JSON", "0x1"],
                              capture_output=True, text=True)
        found = json.loads(symcached("lookup", self.pdb, "--json", "zzz").stdout)
        self.assertEqual(shape(found), [shape(json.loads(done.stdout))])

    def test_a_cache_answers_as_the_file_it_is_made_of(self):
        symcached("convert", self.pdb, "-o", self.folder / "caches")
        cache = self.folder / "caches/sample.pdb.symcache"
        from_pdb, from_cache = (symcached("lookup", file, *self.code).stdout for file in (self.pdb, cache))
        self.assertTrue(from_pdb == from_cache)


NAMES = """
namespace ns {
template <class T> __attribute__((noinline)) T twice(T x) { volatile T y = x; return y + y; }
struct Op {
  int operator()(int x) const; bool operator<(const Op&) const; explicit operator bool() const; Op& operator<<(int);
  __attribute__((always_inline)) int inlined(int x) const { volatile int y = x; return y * y; }
  int at = 0;
};
__attribute__((noinline)) int Op::operator()(int x) const { volatile int y = inlined(x) + x; return y; }
__attribute__((noinline)) bool Op::operator<(const Op& other) const { volatile int y = at; return y < other.at; }
__attribute__((noinline)) Op::operator bool() const { volatile int y = at; return y != 0; }
__attribute__((noinline)) Op& Op::operator<<(int x) { at += x; return *this; }
}
namespace { __attribute__((noinline)) int hidden(int (*f)(int), int x) { volatile int y = f(x); return y; } }
extern "C" int plain(int x) {
  ns::Op op;
  op << x;
  auto add = [&](int y) __attribute__((noinline)) { volatile int z = y + op.at; return z; };
  return add(x) + op(x) + (op < ns::Op()) + bool(op) + ns::twice(x) + int(ns::twice(1.5)) + hidden(ns::twice<int>, x);
}
int main(int count, char**) { return plain(count); }
"""


class LookupOfMangledNames(unittest.TestCase):
    """An ELF file, in which names are mangled."""

    @classmethod
    def setUpClass(cls):
        scratch = tempfile.TemporaryDirectory()
        cls.addClassCleanup(scratch.cleanup)
        cls.elf = pathlib.Path(scratch.name) / "names"
        source = cls.elf.with_suffix(".cpp")
        source.write_text(NAMES)
        command = ["clang++-22", "-g", "-O1", "-fPIE", "-pie", "-nostdlib", "-Wl,-e,main", "-o", cls.elf, source.name]
        subprocess.run(command, check=True, cwd=source.parent)  # LLVM leaves absolute paths whole for --basenames
        sizes = subprocess.run(["llvm-nm-22", "--print-size", "--defined-only", cls.elf], capture_output=True,
                               text=True, check=True)
        rows = [line.split() for line in sizes.stdout.splitlines()]
        # The middle of each function: what this is about are names.
        cls.code = [hex(int(row[0], 16) + int(row[1], 16) // 2) for row in rows if row[2] in "tTwW"]

    def ours(self, *options):
        found = symcached("lookup", self.elf, *options, *self.code)
        self.assertEqual((found.returncode, found.stderr), (0, ""))
        return found.stdout

    def theirs(self, *options):
        return subprocess.run(["llvm-symbolizer-22", f"--obj={self.elf}", *options, *self.code], check=True,
                              capture_output=True, text=True).stdout

    def names(self, *options):
        return [line for answer in self.ours(*options).split("\n\n") for line in answer.split("\n")[::2] if line]

    def test_names_are_as_llvm_shows_them(self):
        self.assertGreaterEqual(len(self.code), 10)
        for options in ([], ["-C"], ["--demangle"], ["--no-demangle"], ["-f"], ["-f=linkage"], ["-f=none"],
                        ["-f=linkage", "--no-demangle"], ["--functions=linkage"], ["-s"], ["--basenames"]):
            with self.subTest(options=options):
                self.assertEqual(self.ours(*options), self.theirs(*options))

    def test_parameters_can_be_left_out(self):
        expected = {"plain", "main", "ns::twice<int>", "ns::twice<double>", "ns::Op::operator()", "ns::Op::operator<",
                    "ns::Op::operator bool", "ns::Op::operator<<", "ns::Op::inlined", "(anonymous namespace)::hidden",
                    "plain::$_0::operator()"}
        for option in ("--no-parameters", "-f=short", "--functions=short"):
            self.assertEqual(set(self.names(option)), expected)
        self.assertTrue(all(name.startswith("_Z") or name in ("plain", "main") for name in self.names("--no-demangle")))

    def test_json_has_the_same_names(self):
        for options in ([], ["--no-demangle"], ["--no-parameters"], ["--basenames"]):
            frames = [frame for one in json.loads(self.ours("--json", *options)) for frame in one["Symbol"]]
            self.assertEqual([frame["FunctionName"] for frame in frames], self.names(*options))
            self.assertEqual("/" in frames[0]["FileName"], options != ["--basenames"])

    def test_a_value_of_f_that_is_none_is_told(self):
        found = symcached("lookup", self.elf, "-f=all", "1")
        self.assertEqual((found.returncode, found.stdout), (2, ""))
        self.assertIn("--functions", found.stderr)


class WhatAddressesMean(program.WithPdb):
    """As other symbolizers take them for that file."""

    def answer(self, *arguments):
        done = symcached("lookup", *arguments)
        self.assertEqual(done.returncode, 0, done.stderr)
        return done.stdout

    def test_elf_files_state_them(self):
        source, elf = self.folder / "fixed.c", self.folder / "fixed"
        source.write_text("int start(int x) { volatile int y = x; return y; }\n")
        subprocess.run(["gcc", "-g", "-no-pie", "-nostdlib", "-Wl,-e,start", "-o", elf, source], check=True)
        listing = subprocess.run(["nm", elf], capture_output=True, text=True, check=True).stdout
        start = next(int(line.split()[0], 16) for line in listing.splitlines() if line.endswith(" start"))
        hit = subprocess.run(["llvm-symbolizer-22", f"--obj={elf}", hex(start)], capture_output=True, text=True).stdout
        self.assertIn("fixed.c:1:", hit)
        self.assertEqual(self.answer(elf, hex(start)), hit)
        self.assertEqual(self.answer(elf, "--svma", hex(start)), hit)
        self.assertEqual(self.answer(elf, "--relative-address", hex(start - 0x400000)), hit)
        symcached("convert", elf, "-o", self.folder)
        self.assertEqual(self.answer(self.folder / "fixed.symcache", hex(start - 0x400000)), hit, "RVAs, as ever")

    def test_windows_images_take_rvas_below_their_base(self):
        hit, miss = self.answer(self.pdb, hex(FIRST)), "??\n??:0:0\n\n"
        self.assertEqual(self.answer(self.exe, hex(0x140000000 + FIRST)), hit)
        self.assertEqual(self.answer(self.exe, hex(FIRST)), hit)
        self.assertEqual(self.answer(self.exe, "--svma", hex(FIRST)), miss)
        self.assertEqual(self.answer(self.exe, "--relative-address", hex(0x140000000 + FIRST)), miss)
        self.assertEqual(symcached("lookup", self.exe, "--svma", "--relative-address", "1").returncode, 2)


class Lookup(program.WithPdb):
    def test_addresses_and_what_is_none(self):
        miss = "??\n??:0:0\n\n"
        hit = symcached("lookup", self.pdb, hex(FIRST)).stdout
        self.assertIn("sample_main", hit)
        rows = [  # line, answer, exit status
            ("0x1000", hit, 0), ("1000", hit, 0), ("0X1000", hit, 0), ("  1000\t\r", hit, 0), ("00001000", hit, 0),
            ("999999", miss, 0), ("0", miss, 0), ("ffffffffffffffff", miss, 0), ("", miss, 0),
            ("zzz", miss, 2), ("0x", miss, 2), ("-1", miss, 2), ("1000 2000", miss, 2), ("10000000000000000", miss, 2)]
        for line, answer, status in rows:
            with self.subTest(line=line):
                found = symcached("lookup", self.pdb, stdin=f"{line}\n1000\n")
                self.assertEqual((found.stdout, found.returncode), (answer + hit, status))
                self.assertEqual(f'"{line}" is not a hexadecimal address' in found.stderr, status == 2)

    def test_a_last_line_needs_no_line_feed(self):
        hit = symcached("lookup", self.pdb, "1000").stdout
        self.assertEqual(symcached("lookup", self.pdb, stdin="1000").stdout, hit)
        self.assertEqual(symcached("lookup", self.pdb, stdin="").stdout, "")

    def test_stated_addresses_need_an_image_base(self):
        found = symcached("lookup", self.pdb, "--svma", "140001000")
        self.assertEqual((found.returncode, found.stdout), (2, ""))
        self.assertIn("--image-base", found.stderr)
        found = symcached("lookup", self.pdb, "--svma", "--image-base", "0x140000000", "--json", "140001000", "1000")
        hit, miss = json.loads(found.stdout)
        self.assertEqual(hit["Symbol"][-1]["FunctionName"], "sample_main")
        self.assertEqual((hit["Address"], hit["Symbol"][-1]["StartAddress"]), ("0x140001000", "0x140001000"))
        self.assertEqual((miss["Address"], miss["Symbol"]), ("0x1000", []))
        self.assertEqual(symcached("lookup", self.pdb, "--svma", "--image-base", "x", "1").returncode, 2)

    def test_files_that_cannot_be_read_are_named_with_the_reason(self):
        symcached("convert", self.pdb, "-o", self.folder)
        cut = self.folder / "cut.symcache"
        cut.write_bytes((self.folder / "sample.pdb.symcache").read_bytes()[:300])
        cut_pdb = self.folder / "cut.pdb"
        cut_pdb.write_bytes(self.pdb.read_bytes()[:5000])
        for path, reason in ((self.folder / "missing.pdb", "No such file"), (self.folder, "not a regular file"),
                             (cut, "symcache."), (cut_pdb, "msf.")):
            with self.subTest(path=path.name):
                found = symcached("lookup", path, "1000")
                self.assertEqual((found.returncode, found.stdout), (1, ""))
                self.assertIn(str(path), found.stderr)
                self.assertIn(reason, found.stderr)

    def test_wrong_usage_is_told(self):
        for arguments in ([], [self.pdb, "--functions=all", "1000"], [self.pdb, "--no-such-option"]):
            self.assertEqual(symcached("lookup", *arguments).returncode, 2, arguments)

    def test_each_line_is_answered_before_the_next_is_sent(self):
        with subprocess.Popen([program.PROGRAM, "lookup", self.pdb, "--json"], stdin=subprocess.PIPE,
                              stdout=subprocess.PIPE, text=True, bufsize=1) as asked:
            for address in (0x1000, 0x1010, 0x999999):
                asked.stdin.write(f"{address:x}\n")
                asked.stdin.flush()
                self.assertEqual(json.loads(asked.stdout.readline())["Address"], hex(address))
            asked.stdin.write("10")  # half a line is not answered yet
            asked.stdin.flush()
            asked.stdin.write("20\n")
            asked.stdin.flush()
            self.assertEqual(json.loads(asked.stdout.readline())["Address"], "0x1020")
            asked.stdin.close()

    def test_many_lines_are_answered_fast(self):
        used = lambda: resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime  # a busy machine does not count
        begin = used()
        found = symcached("lookup", self.pdb, stdin="1010\n" * 100_000)
        self.assertEqual(found.stdout.count("\n\n"), 100_000)
        self.assertLess(used() - begin, 20, "a sanitizer's build included")


if __name__ == "__main__":
    program.main()
