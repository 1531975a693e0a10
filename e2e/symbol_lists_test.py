#!/usr/bin/env python3
"""symbol_lists_test.py SYMCACHED: lists of symbols that nm prints and kernels have, and dumps of a JIT compiler."""
import bisect
import json
import pathlib
import re
import subprocess
import tempfile
import unittest

import program
from program import symcached

SOURCE = """\
int data = 3;
static int local(int x) { return x * data; }
__attribute__((noinline)) int global_one(int x) { return local(x) + 1; }
__attribute__((weak, noinline)) int weak_one(int x) { return global_one(x) + local(x); }
int main(int argc, char** argv) { return weak_one(argc) + (argv != 0); }
"""
SCRIPT = """\
function hotOne(x) { let sum = 0; for (let i = 0; i < x; ++i) sum += i ^ (sum >> 3); return sum; }
function hotTwo(x) {
  return hotOne(x) + hotOne(x + 1);
}
let total = 0;
for (let i = 0; i < 3000; ++i) total += hotTwo(i);
console.log(total);
"""


class SymbolLists(unittest.TestCase):
    def setUp(self):
        scratch = tempfile.TemporaryDirectory()
        self.addCleanup(scratch.cleanup)
        self.folder = pathlib.Path(scratch.name)

    def ask(self, path, addresses):
        done = symcached("lookup", path, "--json", stdin="".join(f"{address:x}\n" for address in addresses))
        self.assertEqual(done.returncode, 0, done.stderr)
        return [[frame["FunctionName"] for frame in json.loads(line)["Symbol"]] for line in done.stdout.splitlines()]

    def test_what_nm_prints_names_each_address(self):
        (self.folder / "m.c").write_text(SOURCE)
        subprocess.run(["gcc", "-O1", "m.c", "-o", "m"], cwd=self.folder, check=True)
        for options in ("-n", "-nS", "-p"):
            text = subprocess.run(["nm", options, "m"], cwd=self.folder, capture_output=True, text=True,
                                  check=True).stdout
            path = self.folder / f"list{options}"
            path.write_text(text)
            info = json.loads(symcached("inspect", "--json", path).stdout)[0]
            self.assertEqual((info["kind"], info["features"]), ("symbol_list", ["symbols"]))
            rows = re.findall(r"^([0-9a-f]{16})(?: [0-9a-f]{16})? ([TtWw]) (\S+)$", text, re.MULTILINE)
            names = {}
            for address, _, name in rows:
                names.setdefault(int(address, 16), []).append(name)
            self.assertIn(["main"], names.values())
            for (address, wanted), answer in zip(names.items(), self.ask(path, names)):
                self.assertIn(answer[0], wanted, f"{address:x}")

    def test_a_running_kernel(self):
        text = pathlib.Path("/proc/kallsyms").read_text()
        rows = [line.split(maxsplit=2) for line in text.splitlines()]
        if all(int(address, 16) == 0 for address, _, _ in rows):
            done = symcached("lookup", "/proc/kallsyms", "0")
            self.assertEqual(done.returncode, 1)
            self.assertIn("the kernel hides them", done.stderr)
            return
        starts = sorted({int(address, 16) for address, _, _ in rows})
        names = {}
        for address, kind, name in rows:
            if kind in "tTwW":
                names.setdefault(int(address, 16), set()).add(name.replace("\t", " "))
        asked = sorted(names)[::7]
        asked = [address for address in asked if address != starts[-1]]
        for address, answer in zip(asked, self.ask("/proc/kallsyms", asked)):
            self.assertIn(answer[0] if answer else None, names[address], f"{address:x}")
        inside = [address for address in asked if starts[bisect.bisect_right(starts, address)] - address > 2]
        for address, answer in zip(inside, self.ask("/proc/kallsyms", [address + 1 for address in inside])):
            self.assertIn(answer[0], names[address], f"{address:x}+1")

    def test_hidden_addresses_are_told(self):
        path = self.folder / "kallsyms"
        path.write_text("0000000000000000 T _text\n0000000000000000 t f\t[ext4]\n")
        done = symcached("lookup", path, "0")
        self.assertEqual(done.returncode, 1)
        self.assertIn("every address is zero", done.stderr)
        self.assertIn("hidden-addresses", symcached("inspect", path).stdout)

    def test_a_dump_of_node(self):
        (self.folder / "hot.js").write_text(SCRIPT)
        subprocess.run(["node", "--perf-prof", "--interpreted-frames-native-stack", "hot.js"], cwd=self.folder,
                       capture_output=True, check=True)
        dumps = list(self.folder.glob("jit-*.dump"))
        self.assertEqual(len(dumps), 1)
        info = json.loads(symcached("inspect", "--json", dumps[0]).stdout)[0]
        self.assertEqual((info["kind"], info["features"]), ("jitdump", ["symbols", "lines"]))
        done = symcached("convert", "--stats", dumps[0], "-o", self.folder)
        self.assertEqual(done.returncode, 0, done.stderr)
        rows = self.loads(dumps[0])
        self.assertTrue([row for row in rows if "hotOne" in row[2]], "no function of the script")
        answers = self.ask(dumps[0], [start for start, _, _ in rows])
        wrong = [(row, answer) for row, answer in zip(rows, answers) if answer[:1] != [row[2]]]
        self.assertEqual(wrong, [])

    def loads(self, path):
        """(start, size, name) of what is in memory at the end, read once more."""
        data, at, live = path.read_bytes(), 40, {}
        unpack = lambda place, size: int.from_bytes(data[place:place + size], "little")
        while at + 16 <= len(data):
            kind, size = unpack(at, 4), unpack(at + 4, 4)
            if at + size > len(data):
                break
            if kind == 0:
                start, length = unpack(at + 32, 8), unpack(at + 40, 8)
                name = data[at + 56:data.index(b"\0", at + 56)].decode()
                overlapped = [other for other, (end, _) in live.items() if other < start + length and start < end]
                for other in overlapped:
                    del live[other]
                if length:
                    live[start] = (start + length, name)
            at += size
        return [(start, end - start, name) for start, (end, name) in live.items()]


if __name__ == "__main__":
    program.main()
