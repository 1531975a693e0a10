#!/usr/bin/env python3
"""pdb_oracle_test.py SYMCACHED: every byte of code of programs made by clang 22 and lld 22, as llvm-symbolizer sees it.

Function, file, line, column and number of frames must be the same at every address. Where LLVM's reader is known to
be wrong the difference has a name in KNOWN and a predicate that holds for nothing else; docs/formats/pdb.md says why.
"""
import collections
import json
import pathlib
import shutil
import struct
import subprocess
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parent.parent
SOURCES = ROOT / "e2e/pdb_oracle"
TOOLS = ("clang-22", "lld-link-22", "llvm-symbolizer-22")
TARGETS = ("x86_64", "i686", "aarch64")
FLAGS = {"optimised": ["-O2"], "plain": ["-O0"], "small, with columns": ["-Os", "-gcolumn-info"]}


def build(folder, target, flags):
    """The image and its PDB, made of every source in SOURCES."""
    objects = []
    for source in sorted(SOURCES.glob("*.cpp")):
        objects.append(folder / f"{source.stem}.obj")
        subprocess.run(["clang-22", f"--target={target}-pc-windows-msvc", "-std=c++20", "-g", "-gcodeview", *flags,
                        "-fno-exceptions", "-fno-rtti", "-fno-stack-protector", f"-I{ROOT}", "-c", source,
                        "-o", objects[-1]], check=True)
    image = folder / "oracle.exe"
    subprocess.run(["lld-link-22", "/nologo", "/debug", "/nodefaultlib", "/entry:oracle_main", "/subsystem:console",
                    "/force:unresolved", "/opt:ref,icf", "/safeseh:no", f"/out:{image}", f"/pdb:{folder}/oracle.pdb",
                    *objects], check=True, capture_output=True)
    return image, folder / "oracle.pdb"


def code_range(image):
    """First and end RVA of .text."""
    data = image.read_bytes()
    pe = struct.unpack_from("<I", data, 60)[0]
    count, optional = struct.unpack_from("<H", data, pe + 6)[0], struct.unpack_from("<H", data, pe + 20)[0]
    for i in range(count):
        name, size, rva = struct.unpack_from("<8sII", data, pe + 24 + optional + 40 * i)
        if name.rstrip(b"\0") == b".text":
            return rva, rva + size
    raise AssertionError("no .text")


def frames_of(line):
    """[(function, file, line, column)], innermost first; empty where nothing is known."""
    frames = [(s["FunctionName"], s["FileName"], s["Line"], s["Column"]) for s in json.loads(line)["Symbol"]]
    return [] if frames == [("", "", 0, 0)] else frames


def start_of(line):
    """RVA of the function's first byte, as we say; None where we know none."""
    symbols = json.loads(line)["Symbol"]
    return int(symbols[0]["StartAddress"], 16) if symbols else None


def ask(command, addresses):
    asked = "".join(f"{address:#x}\n" for address in addresses)
    done = subprocess.run(command, input=asked, capture_output=True, text=True, check=True)
    lines = [line for line in done.stdout.splitlines() if line]
    assert len(lines) == len(addresses), f"{len(lines)} answers to {len(addresses)} addresses"
    return lines


def empty_row_at_start(address, start, ours, theirs):
    """Two rows at a function's first byte, the first without length: LLVM gives that one, we the one that holds it."""
    return (address == start and len(ours) == len(theirs) == 1 and ours[0][:2] == theirs[0][:2]
            and ours[0][2:] != theirs[0][2:])


# Differences that are LLVM's: name -> does it explain (address, start of the function, ours, theirs)?
KNOWN = {"an empty row at the start": empty_row_at_start}


class Oracle(unittest.TestCase):
    maxDiff = None

    def compare(self, target, flags):
        with tempfile.TemporaryDirectory() as scratch:
            image, pdb = build(pathlib.Path(scratch), target, flags)
            addresses = range(*code_range(image))
            theirs = ask(["llvm-symbolizer-22", f"--obj={image}", "--functions=short", "--relative-address",
                          "--output-style=JSON"], addresses)
            ours = ask([PROGRAM, "lookup", "--json", pdb], addresses)
        seen, wrong = collections.Counter(), []
        for address, our_line, their_line in zip(addresses, ours, theirs):
            mine, other = frames_of(our_line), frames_of(their_line)
            if mine == other:
                seen["frames" if mine else "nothing"] += 1
                seen["inlined"] += len(mine) > 1
                continue
            start = start_of(our_line)
            known = next((name for name, holds in KNOWN.items() if holds(address, start, mine, other)), None)
            if known:
                seen[known] += 1
            else:
                wrong.append(f"{address:#x}\n  ours   {mine}\n  theirs {other}")
        print(f"{target} {flags}: {len(addresses)} bytes, {dict(seen)}", file=sys.stderr)
        self.assertFalse(wrong, f"{len(wrong)} of {len(addresses)} differ, the first:\n" + "\n".join(wrong[:10]))
        self.assertLessEqual(sum(seen[name] for name in KNOWN), 4, "differences taken for LLVM's")
        self.assertGreater(seen["frames"], 400)
        if "-O0" not in flags:
            self.assertGreater(seen["inlined"], 100)

    def test_every_byte_of_code(self):
        for target in TARGETS:
            for name, flags in FLAGS.items():
                with self.subTest(target=target, code=name):
                    self.compare(target, flags)


def skip_without_tools():
    missing = [tool for tool in TOOLS if shutil.which(tool) is None]
    if missing:
        print(f"skipped: {', '.join(missing)} not installed (Debian packages clang-22, lld-22, llvm-22)")
        sys.exit(77)


if __name__ == "__main__":
    skip_without_tools()
    PROGRAM = pathlib.Path(sys.argv.pop(1)).resolve()
    unittest.main()
