#!/usr/bin/env python3
"""wasm_source_map_test.py SYMCACHED: lines of a WebAssembly module from a source map, as DWARF has them.

The map is made here from the rows of DWARF, as Emscripten's wasm-sourcemap.py makes it; then the module loses them.
"""
import json
import pathlib
import re
import subprocess
import tempfile
import unittest

import program
from program import symcached

SOURCE = """\
extern int sink;
static int helper(int x) {
  int sum = 0;
  for (int i = 0; i < x; ++i)
    sum += i * sink;
  return sum;
}
__attribute__((export_name("first"))) int first(int x) {
  if (x > 3)
    return helper(x);
  return x - 1;
}
int sink = 3;
__attribute__((export_name("second"))) int second(int x) {
  return first(x) * helper(x + 1);
}
"""
DIGITS = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"


def digits(number):
    number = (-number << 1) | 1 if number < 0 else number << 1
    text = ""
    while number > 31:
        text += DIGITS[number & 31 | 32]
        number >>= 5
    return text + DIGITS[number]


def source_map(rows):
    """rows: (offset in the module, source, line, column), lines and columns from 1 on."""
    before, fields = (0, 0, 0, 0), []
    for row in rows:
        now = (row[0], row[1], row[2] - 1, row[3] - 1)
        fields.append("".join(digits(a - b) for a, b in zip(now, before)))
        before = now
    return {"version": 3, "sources": ["m.c"], "names": [], "mappings": ",".join(fields)}


class WasmSourceMap(unittest.TestCase):
    def setUp(self):
        scratch = tempfile.TemporaryDirectory()
        self.addCleanup(scratch.cleanup)
        self.folder = pathlib.Path(scratch.name)
        (self.folder / "m.c").write_text(SOURCE)
        subprocess.run(["clang-22", "--target=wasm32", "-O1", "-g", "-nostdlib", "-Wl,--no-entry", "m.c", "-o",
                        "full.wasm"], cwd=self.folder, check=True)
        subprocess.run(["llvm-strip-22", "--strip-debug", "full.wasm", "-o", "m.wasm"], cwd=self.folder, check=True)
        headers = self.output("llvm-objdump-22", "-h", "full.wasm")
        self.size = int(re.search(r"CODE\s+([0-9a-f]{8})", headers)[1], 16)
        data = (self.folder / "full.wasm").read_bytes()
        self.code = self.code_offset(data)
        rows = re.findall(r"^0x([0-9a-f]{16}) +(\d+) +(\d+) +\d+ ", self.output(
            "llvm-dwarfdump-22", "--debug-line", "full.wasm"), re.MULTILINE)
        self.rows = [(int(address, 16) + self.code, 0, int(line), max(int(column), 1)) for address, line, column in rows
                     if int(line)]
        self.assertGreater(len(self.rows), 10)

    def output(self, *command):
        return subprocess.run(command, cwd=self.folder, capture_output=True, text=True, check=True).stdout

    def code_offset(self, data):
        """Where the contents of the code section are."""
        def number(at):
            value = shift = 0
            while True:
                value |= (data[at] & 127) << shift
                shift += 7
                at += 1
                if data[at - 1] < 128:
                    return value, at
        at = 8
        while data[at] != 10:
            size, contents = number(at + 1)
            at = contents + size
        return number(at + 1)[1]

    def lines(self, path):
        asked = "".join(f"{address:x}\n" for address in range(self.code, self.code + self.size))
        self.assertEqual(symcached("convert", path, "-o", self.folder).returncode, 0)
        done = symcached("lookup", f"{path}.symcache", "--json", "--no-inlines", stdin=asked)
        self.assertEqual(done.returncode, 0, done.stderr)
        return [json.loads(line)["Symbol"] for line in done.stdout.splitlines()]

    def test_lines_are_those_of_dwarf(self):
        (self.folder / "m.wasm.map").write_text(json.dumps(source_map(self.rows)))
        mapped, functions = self.lines(self.folder / "m.wasm"), set()
        full = subprocess.run(["llvm-symbolizer-22", "--obj=full.wasm", "--output-style=JSON"], cwd=self.folder,
                              input="".join(f"{address:#x}\n" for address in range(self.size)), capture_output=True,
                              text=True, check=True).stdout.splitlines()
        compared = 0
        for at, (ours, theirs) in enumerate(zip(mapped, map(json.loads, full))):
            innermost = theirs["Symbol"][0]
            if not ours or not innermost["Line"]:
                continue
            compared += 1
            functions.add(ours[0]["FunctionName"])
            self.assertEqual((ours[0]["Line"], ours[0]["FileName"]), (innermost["Line"], "m.c"), f"code+{at:#x}")
        self.assertGreater(compared, 60)
        self.assertLessEqual({"first", "second"}, functions)

    def test_the_url_in_the_module_names_the_map(self):
        url = b"http://x.test/maps/elsewhere.map?v=1"
        name = b"sourceMappingURL"
        section = bytes([len(name)]) + name + bytes([len(url)]) + url
        with open(self.folder / "m.wasm", "ab") as module:
            module.write(bytes([0, len(section)]) + section)
        before = self.lines(self.folder / "m.wasm")
        self.assertFalse([frames for frames in before if frames and frames[0]["Line"]])
        (self.folder / "elsewhere.map").write_text(json.dumps(source_map(self.rows)))
        self.assertTrue([frames for frames in self.lines(self.folder / "m.wasm") if frames and frames[0]["Line"]])
        (self.folder / "elsewhere.map").write_text("{}")
        self.assertEqual(self.lines(self.folder / "m.wasm"), before)


if __name__ == "__main__":
    program.main()
