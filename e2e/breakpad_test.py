#!/usr/bin/env python3
"""breakpad_test.py SYMCACHED: what `lookup` says of Breakpad symbol files, against a plain reading of the text.

Function, file and line of every frame must be the same at the first and last byte of every line, function, inlined
call and public symbol, and one byte around them. Files of the corpus beside the checkout are compared if it is there.
"""
import bisect
import json
import pathlib
import unittest

import program
from program import symcached

CORPUS = program.ROOT.parent / "shared/corpus"
CORPUS_FILES = ("linux/crash.sym", "windows/crash.sym", "macos/crash.sym", "macos/crash.inlines.sym")

SAMPLE = """\
MODULE windows x86_64 3249D99D0C4049318610F4E4FB0B69361a a program.pdb
INFO CODE_ID 5AB380779000 a program.exe
INFO GENERATOR by hand
FILE 0 c:\\src\\main.cpp
FILE 7 /src/with blanks.h
FILE 4000000000 /src/far number.h
INLINE_ORIGIN 0 inner(int)
INLINE_ORIGIN 3 outer<std::pair<int, int> >
FUNC 1000 40 0 main
INLINE 0 12 0 3 1008 10 1020 8
INLINE 1 70 7 0 1008 4 1010 2
INLINE 0 14 0 0 1030 4
INLINE 1 71 7 0 1022 3
1000 8 10 0
1008 4 80 7
100c c 71 7
1020 8 72 4000000000
1028 8 13 0
1030 4 81 7
1038 4 15 0
FUNC m 1040 10 8 folded() const
1040 0 1 0
1040 10 2 0
FUNC 100000000 10 0 above 4 GiB
100000000 10 3 0
FUNC 1050 20 old
1050 20 5
PUBLIC 1040 0 alias of folded
PUBLIC 1044 0 inside folded
PUBLIC 2000 0 first public
PUBLIC m 2010 c second public(void)
PUBLIC 100000020 0 last public
STACK CFI INIT 2000 30 .cfa: $rsp 8 + .ra: .cfa -8 + ^
STACK CFI 2001 .cfa: $rsp 16 +
STACK WIN 4 1000 40 1 0 0 0 0 0 1 $eip 4 + ^ =
"""


def hexadecimal(text):
    return int(text, 16)


class Symbols:
    """A symbol file read as its documentation says, without regard to speed."""

    def __init__(self, text):
        self.files, self.origins, self.functions, self.publics, self.code_end = {}, {}, [], [], 0
        for line in text.splitlines():
            self.record(line.rstrip())
        self.functions.sort(key=lambda f: f["start"])
        self.publics.sort()
        self.starts = [f["start"] for f in self.functions]

    def record(self, line):
        word, _, rest = line.partition(" ")
        if word in ("FILE", "INLINE_ORIGIN"):
            number, name = rest.split(" ", 1)
            (self.files if word == "FILE" else self.origins)[int(number)] = name
        elif word == "FUNC":
            fields = rest.removeprefix("m ").split(" ", 3)
            start, size = map(hexadecimal, fields[:2])
            name = fields[3] if len(fields) == 4 else fields[2]
            self.functions.append({"start": start, "end": start + size, "name": name, "lines": [], "calls": []})
            self.code_end = max(self.code_end, start + size)
        elif word == "PUBLIC":
            address, _, name = rest.removeprefix("m ").split(" ", 2)
            self.publics.append((hexadecimal(address), name))
        elif word == "INLINE":
            depth, line_number, file, origin, *ranges = rest.split(" ")
            ranges = [(hexadecimal(a), hexadecimal(a) + hexadecimal(n)) for a, n in zip(ranges[::2], ranges[1::2])]
            self.functions[-1]["calls"].append((int(depth), int(line_number), int(file), int(origin), ranges))
        elif word == "STACK":
            fields = rest.split(" ")
            if fields[:2] == ["CFI", "INIT"] or fields[0] == "WIN":
                self.code_end = max(self.code_end, hexadecimal(fields[2]) + hexadecimal(fields[3]))
        elif word not in ("MODULE", "INFO", ""):
            address, size, line_number, *file = line.split(" ")
            start = hexadecimal(address)
            self.functions[-1]["lines"].append(
                (start, start + hexadecimal(size), int(line_number), int(file[0]) if file else None))

    def frames(self, address):
        """[(function, file, line)], innermost first."""
        at = bisect.bisect_right(self.starts, address) - 1
        if at < 0 or address >= self.functions[at]["end"]:
            return self.public_at(address)
        function = self.functions[at]
        file, line = next(((self.files.get(f, ""), n) for start, end, n, f in function["lines"]
                           if start <= address < end), ("", 0))
        frames = [(function["name"], file, line)]
        while True:  # a call belongs to the one that is one less deep at the same address
            here = [call for call in function["calls"]
                    if call[0] == len(frames) - 1 and any(start <= address < end for start, end in call[4])]
            assert len(here) < 2, f"{address:#x}: two calls of one depth"
            if not here:
                return frames
            _, call_line, call_file, origin, _ = here[0]
            frames[0] = (frames[0][0], self.files.get(call_file, ""), call_line)
            frames.insert(0, (self.origins[origin], file, line))

    def public_at(self, address):
        at = bisect.bisect_right(self.publics, (address, "\x7f")) - 1
        if at < 0:
            return []
        start, name = self.publics[at]
        begins_behind = bisect.bisect_right(self.starts, start)
        if begins_behind and self.functions[begins_behind - 1]["end"] > start:
            return []  # inside a function that ends before `address`
        ends = [f for f in self.starts[begins_behind:begins_behind + 1]]
        ends += [p for p, _ in self.publics[at + 1:at + 2]]
        end = min(ends, default=self.code_end if self.code_end > start else (start | 0xFFF) + 1)
        names = sorted(n for p, n in self.publics if p == start)
        return [(name if len(names) == 1 else names, "", 0)] if address < end else []

    def addresses(self):
        """The first and last byte of everything, and the ones beside them."""
        edges = {a for a, _ in self.publics}
        for f in self.functions:
            edges |= {f["start"], f["end"]}
            edges |= {edge for line in f["lines"] for edge in line[:2]}
            edges |= {edge for call in f["calls"] for pair in call[4] for edge in pair}
        return sorted({a for edge in edges for a in (edge - 1, edge, edge + 1) if a >= 0})


def shown(frames):
    return [(name or "??", file or "", line) for name, file, line in frames]


class Breakpad(unittest.TestCase):
    def setUp(self):
        scratch = program.tempfile.TemporaryDirectory()
        self.addCleanup(scratch.cleanup)
        self.folder = pathlib.Path(scratch.name)

    def compare(self, path):
        symbols = Symbols(path.read_text())
        addresses = symbols.addresses()
        found = symcached("lookup", "--json", path, stdin="".join(f"{a:x}\n" for a in addresses))
        self.assertEqual((found.returncode, found.stderr), (0, ""))
        answers = found.stdout.splitlines()
        self.assertEqual(len(answers), len(addresses))
        wrong, depths = [], {}
        for address, answer in zip(addresses, answers):
            ours = [(s["FunctionName"] or "??", s["FileName"], s["Line"]) for s in json.loads(answer)["Symbol"]]
            theirs = shown(symbols.frames(address))
            if len(ours) == len(theirs) == 1 and isinstance(theirs[0][0], list) and ours[0][0] in theirs[0][0]:
                theirs = ours  # several publics at one address: any of them
            depths[len(theirs)] = depths.get(len(theirs), 0) + 1
            if ours != theirs:
                wrong.append(f"{address:#x}\n  ours {ours}\n  text {theirs}")
        print(f"{path.name}: {len(addresses)} addresses, by number of frames {dict(sorted(depths.items()))}")
        self.assertGreater(len(addresses) - depths.get(0, 0), 20, "addresses with frames")
        self.assertEqual(len(wrong), 0, f"{len(wrong)} of {len(addresses)} differ, the first:\n" + "\n".join(wrong[:5]))

    def test_a_file_with_all_records(self):
        path = self.folder / "sample.sym"
        path.write_text(SAMPLE)
        self.compare(path)
        info = json.loads(symcached("inspect", "--json", path).stdout)[0]
        self.assertEqual(info["debug_id"], "3249d99d-0c40-4931-8610-f4e4fb0b6936-1a")
        self.assertEqual(info["features"], ["symbols", "publics", "lines", "inlines", "unwind"])
        self.assertEqual((info["code_id"], info["arch"]), ("5AB380779000", "x86_64"))

    def test_line_ends_of_windows_and_blanks_behind(self):
        plain, windows = self.folder / "plain.sym", self.folder / "windows.sym"
        plain.write_text(SAMPLE)
        windows.write_bytes(SAMPLE.replace("\n", " \t\r\n").encode())
        caches = []
        for path in (plain, windows):
            self.assertEqual(symcached("convert", path, "-o", self.folder).returncode, 0)
            caches.append(path.with_suffix(".sym.symcache").read_bytes())
        self.assertTrue(caches[0] == caches[1])

    def test_what_cannot_be_read_is_named(self):
        path = self.folder / "bad.sym"
        path.write_text(SAMPLE.replace("1028 8 13 0", "1028 8 x 0"))
        found = symcached("convert", path, "-o", self.folder)
        self.assertEqual(found.returncode, 1)
        self.assertIn("breakpad.line.line", found.stderr)

    def test_the_corpus(self):
        for name in CORPUS_FILES:
            if not (CORPUS / name).exists():
                print(f"SKIPPED {name}: no corpus beside the checkout")
                continue
            with self.subTest(file=name):
                self.compare(CORPUS / name)


if __name__ == "__main__":
    program.main()
