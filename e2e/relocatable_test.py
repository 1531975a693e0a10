#!/usr/bin/env python3
"""relocatable_test.py SYMCACHED [FILE...]: (section, offset) in object files, compared with addr2line -j.

Files given as arguments (kernel modules, object files) are compared instead of those built here; FILE=DEBUG names the
file with the DWARF of a stripped one.
"""
import collections
import json
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest

import program
from program import symcached

SOURCE = """\
static int helper(int x) { return x * 3 + 1; }
int alpha(int x) { return helper(x) + 2; }
int beta(int x) { if (x > 3) return alpha(x) * 7; return x - 1; }
__attribute__((section(".init.text"))) int start_it(int x) { return beta(x) + alpha(x) + 5; }
__attribute__((section(".exit.text"), noinline)) static int stop_it(int x) { return alpha(x) + 9; }
int (*stopper)(int) = stop_it;
"""
COMPILERS = {
    "gcc": ["gcc"],
    "gcc-sections": ["gcc", "-ffunction-sections"],
    "clang": ["clang-22", "-ffunction-sections", "-gdwarf-5"],
    "arm64": ["aarch64-linux-gnu-gcc", "-ffunction-sections"],
}
TOOLS = {"arm64": "aarch64-linux-gnu-addr2line"}


def functions_of(path):
    """(section, offset, size, name) of each function, from the symbol table."""
    sections = {int(match[1]): match[2] for match in re.finditer(
        r"^ *\[ *(\d+)\] (\S+)", run("readelf", "-SW", path), re.MULTILINE)}
    found = []
    for line in run("readelf", "-sW", path).splitlines():
        fields = line.split()
        if len(fields) >= 8 and fields[3] == "FUNC" and fields[6].isdigit():
            found.append((sections[int(fields[6])], int(fields[1], 16), int(fields[2], 0), fields[7]))
    return sorted(set(found))


def run(*command):
    return subprocess.run([str(part) for part in command], capture_output=True, text=True, check=True).stdout


def addr2line(tool, path, section, offsets):
    """[(function, file:line) of each frame] for each offset."""
    asked = "".join(f"{offset:x}\n" for offset in offsets)
    out = subprocess.run([tool, "-afi", "-j", section, "-e", path], input=asked, capture_output=True,
                         text=True, check=True).stdout
    answers = []
    for part in re.split(r"^0x[0-9a-f]{8,16}$\n", out, flags=re.MULTILINE)[1:]:
        lines = part.splitlines()
        answers.append([frame(name, place) for name, place in zip(lines[::2], lines[1::2])])
    return answers


def frame(name, place):
    """GNU appends discriminators, and says ? where a line is not known."""
    file, _, line = place.split(" (")[0].rpartition(":")
    line = int(line) if line.isdigit() else 0
    return ("" if name == "??" else name, clean(file) if line else "", line)


def clean(path):
    return "" if path == "??" else re.sub(r"/\./", "/", path)


def ours(path, section, offsets):
    asked = "".join(f"{section}+{offset:#x}\n" for offset in offsets)
    out = symcached("lookup", path, "--json", "--no-demangle", stdin=asked)
    assert out.returncode == 0, out.stderr
    answers = []
    for line in out.stdout.splitlines():
        frames = json.loads(line)["Symbol"]
        answers.append([(f["FunctionName"], clean(f["FileName"]) if f["Line"] else "", f["Line"]) for f in frames])
    return answers


def compare(path, debug, step, tool="addr2line"):
    """How many places agree, in each way; and some that differ."""
    counts, examples = collections.Counter(), []
    for section, offset, size, name in functions_of(path):
        offsets = range(offset, offset + max(size, 1), step)
        for at, us, them in zip(offsets, ours(path, section, offsets), addr2line(tool, debug, section, offsets)):
            kind = ("equal" if us == them else
                    "same place" if [f[1:] for f in us][:1] == [f[1:] for f in them][:1] else
                    "same function" if us[-1:] and us[-1][0] == them[-1][0] else "different")
            counts[kind] += 1
            if kind == "different" and len(examples) < 5:
                examples.append(f"{path} {section}+{at:#x} in {name}: {us} / {them}")
    return counts, examples


class Relocatable(unittest.TestCase):
    def setUp(self):
        scratch = tempfile.TemporaryDirectory()
        self.addCleanup(scratch.cleanup)
        self.folder = pathlib.Path(scratch.name)
        (self.folder / "m.c").write_text(SOURCE)

    def built(self, compiler):
        path = self.folder / f"{compiler}.o"
        subprocess.run([*COMPILERS[compiler], "-g", "-O1", "-c", self.folder / "m.c", "-o", path], check=True)
        return path

    def linked(self):
        path = self.folder / "m.so"
        subprocess.run(["gcc", "-shared", "-fPIC", self.folder / "m.c", "-o", path], check=True)
        return path

    def test_offsets_in_sections_are_as_addr2line_says(self):
        for compiler in COMPILERS:
            with self.subTest(compiler):
                path = self.built(compiler)
                counts, examples = compare(path, path, 1, TOOLS.get(compiler, "addr2line"))
                self.assertGreater(counts["equal"], 30)
                self.assertEqual(set(counts), {"equal"}, examples)

    def test_a_stripped_file_and_its_debug_file_have_the_same_places(self):
        path = self.built("gcc-sections")
        debug = self.folder / "m.debug"
        subprocess.run(["objcopy", "--only-keep-debug", path, debug], check=True)
        stripped = self.folder / "m.ko"
        subprocess.run(["objcopy", "--strip-debug", f"--add-gnu-debuglink={debug}", path, stripped], check=True)
        for section, line in ((".text.beta", 3), (".init.text", 4), (".exit.text", 5)):
            self.assertEqual(ours(stripped, section, [0])[0][-1][2], line, section)

    def test_inspect_lists_the_places_and_caches_keep_them(self):
        path = self.built("gcc-sections")
        self.assertEqual(symcached("convert", path, "-o", self.folder).returncode, 0)
        cache = self.folder / "gcc-sections.o.symcache"
        listed = [json.loads(symcached("inspect", "--json", file).stdout)[0]["sections"] for file in (path, cache)]
        self.assertEqual(listed[0], listed[1])
        names = [section["name"] for section in listed[0]]
        self.assertCountEqual(names, [".text.alpha", ".text.beta", ".init.text", ".exit.text"])
        ends = [(s["address"], s["address"] + s["size"]) for s in listed[0]]
        self.assertTrue(all(a[1] <= b[0] for a, b in zip(ends, ends[1:])), ends)
        self.assertEqual(ours(cache, ".init.text", [0])[0][-1][0], "start_it")
        self.assertIn(".init.text", symcached("inspect", path).stdout)

    def test_object_files_of_windows_and_the_web(self):
        for target, section in (("x86_64-windows-gnu", ".text$beta"), ("x86_64-windows-msvc", ".init.text")):
            path = self.folder / f"{target}.obj"
            subprocess.run(["clang-22", f"--target={target}", "-gdwarf", "-O1", "-ffunction-sections", "-c",
                            self.folder / "m.c", "-o", path], check=True)
            names = [one["name"] for one in json.loads(symcached("inspect", "--json", path).stdout)[0]["sections"]]
            self.assertIn(section, names)
            name, line = ("beta", 3) if "beta" in section else ("start_it", 4)
            self.assertEqual([ours(path, section, [0])[0][-1][i] for i in (0, 2)], [name, line])
        path = self.folder / "wasm.o"
        subprocess.run(["clang-22", "--target=wasm32", "-g", "-O1", "-c", self.folder / "m.c", "-o", path], check=True)
        self.assertEqual(symcached("convert", path, "-o", self.folder).returncode, 0)
        code = path.read_bytes()
        base = code.index(b"\x0a", code.index(b"memory"))  # the code section's id; its size takes 5 bytes
        for offset, frames in self.wasm_lines(path).items():
            asked = symcached("lookup", f"{path}.symcache", "--json", f"{base + 6 + offset:#x}")
            answer = json.loads(asked.stdout)[0]["Symbol"]
            self.assertEqual([frame["Line"] for frame in answer], frames, hex(offset))

    def wasm_lines(self, path):
        """Lines of all frames by offset in the code section, as llvm-symbolizer says."""
        offsets = range(3, 60, 3)
        out = subprocess.run(["llvm-symbolizer-22", f"--obj={path}", "--output-style=JSON"], capture_output=True,
                             input="".join(f"{offset:#x}\n" for offset in offsets), text=True, check=True).stdout
        answers = [json.loads(line)["Symbol"] for line in out.splitlines()]
        return {offset: [frame["Line"] for frame in answer] for offset, answer in zip(offsets, answers)
                if answer and answer[0]["Line"]}  # its symbols begin with the size of their bodies

    def test_what_is_no_place_is_told(self):
        path = self.built("gcc-sections")
        rows = ((path, ".text.beta+0x1000", "no section .text.beta of code holds that offset"),
                (path, ".data+0", "no section .data of code"),
                (self.linked(), ".text+0", "needs an object file or a kernel module"))
        for file, asked, told in rows:
            done = symcached("lookup", file, asked)
            self.assertEqual(done.returncode, 2, asked)
            self.assertIn(told, done.stderr)


def compare_files(arguments):
    total, files = collections.Counter(), 0
    for argument in arguments:
        path, _, debug = argument.partition("=")
        counts, examples = compare(path, debug or path, 7)
        print("\n".join(examples), end="\n" if examples else "")
        total += counts
        files += 1
    print(f"{files} files:", dict(total))


if __name__ == "__main__":
    if len(sys.argv) > 2:
        compare_files(sys.argv[2:])
    else:
        program.main()
