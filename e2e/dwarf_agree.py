#!/usr/bin/env python3
"""dwarf_agree.py SYMCACHED FILE...: how far `symcached lookup` and llvm-symbolizer say the same of a file with DWARF.

Addresses: with few, every start of a function, of an inlined call and of a line row; else --count random ones within
functions. Compared at each: the number of frames, and in every frame function, file, line and column; names as the
linker knows them. Paths are equal when they differ in `./` and doubled slashes only.
Differences are sorted into classes, each with examples. binutils' and elfutils' addr2line are asked about the
differing addresses, and counted on the side whose frames, files and lines they give.
"""
import argparse
import bisect
import collections
import dataclasses
import pathlib
import random
import re
import shutil
import subprocess
import sys

import symbolizers
from symbolizers import Frame, clean_path, known

SMALL_FILE = 20 << 20  # bytes; larger ones are not listed whole
ASPECTS = ("frames", "function", "file", "line", "column")


@dataclasses.dataclass
class Difference:
    address: int
    kind: str  # its class
    ours: list
    theirs: list


def aspects_of(ours, theirs):
    """The aspects in which two answers are equal. Frames that only one of them has count for `frames` alone."""
    pairs = list(zip(ours, theirs))
    equal = {aspect for aspect in ASPECTS[1:] if all(getattr(a, aspect) == getattr(b, aspect) for a, b in pairs)}
    if not ours or not theirs:
        equal = set() if ours or theirs else set(ASPECTS[1:])
    return equal | ({"frames"} if len(ours) == len(theirs) else set())


def class_of_function(ours, theirs, aliases):
    if not ours or not theirs:
        return "no name " + ("here" if not ours else "there")
    if theirs in aliases and ours in aliases:
        return "another symbol of the same address"
    if ours.endswith("::" + theirs):
        return "scopes here only"
    if theirs.endswith("::" + ours):
        return "scopes there only"
    if re.split(r"[.@]", theirs)[0] == re.split(r"[.@]", ours)[0]:
        return "name without its suffix"
    return "another name"


def class_of_file(ours, theirs):
    if not ours or not theirs:
        return "no file " + ("here" if not ours else "there")
    same = pathlib.PurePosixPath(ours).name == pathlib.PurePosixPath(theirs).name
    return "same file name, another folder" if same else "another file"


def class_of_number(aspect, ours, theirs):
    if not ours or not theirs:
        return f"no {aspect} " + ("here" if not ours else "there")
    return f"another {aspect}"


def class_of_chains(ours, theirs):
    """What sets two answers of different length apart."""
    if not ours or not theirs:
        return "an answer only " + ("there" if not ours else "here")
    longer, shorter = (ours, theirs) if len(ours) > len(theirs) else (theirs, ours)
    where = "here" if longer is ours else "there"
    names = [frame.function for frame in longer]
    if names[-len(shorter):] == [frame.function for frame in shorter]:
        return f"more inner frames {where}"
    if names[:len(shorter)] == [frame.function for frame in shorter]:
        return f"more outer frames {where}"
    return f"more frames {where}"


def class_of(ours, theirs, aliases=()):
    """The class of a difference, named after its first aspect; None: the answers are equal."""
    if ours == theirs:
        return None
    if len(ours) != len(theirs):
        return "frames: " + class_of_chains(ours, theirs)
    depth, a, b = next((i, a, b) for i, (a, b) in enumerate(zip(ours, theirs)) if a != b)
    where = "" if len(ours) == 1 else ", of the outermost frame" if depth == len(ours) - 1 else ", of an inlined frame"
    if a.function != b.function:
        return f"function: {class_of_function(a.function, b.function, aliases)}{where}"
    if not a.file and not b.line:
        return "file: of the symbol table there"
    if a.file != b.file:
        return f"file: {class_of_file(a.file, b.file)}{where}"
    aspect = "line" if a.line != b.line else "column"
    return f"{aspect}: {class_of_number(aspect, getattr(a, aspect), getattr(b, aspect))}{where}"


def compare(addresses, ours, theirs, aliases_at=lambda address: ()):
    """(addresses equal by aspect and in "all", differences)."""
    equal, differences = collections.Counter(), []
    for address, mine, other in zip(addresses, ours, theirs):
        equal.update(aspects_of(mine, other))
        kind = class_of(mine, other, aliases_at(address))
        if kind:
            differences.append(Difference(address, kind, mine, other))
    equal["all"] = len(addresses) - len(differences)
    return equal, differences


def aliases_by_address(symbols):
    """A function that tells the names of the symbols which hold an address."""
    code = [symbol for symbol in symbols if symbol.kind in "tTwWi" and symbol.size]
    by_start = collections.defaultdict(set)
    for symbol in code:
        by_start[symbol.address].add(symbol.name)
    starts = sorted(by_start)

    def aliases_at(address):
        at = bisect.bisect_right(starts, address)
        return by_start[starts[at - 1]] if at else ()
    return aliases_at


def addresses_of(path, symbols, count, seed):
    """Every start there is, or `count` random addresses within functions."""
    if path.stat().st_size <= SMALL_FILE:
        starts = {*symbolizers.line_row_starts(path), *symbolizers.function_starts(path)}
        starts.update(symbol.address for symbol in symbols if symbol.kind in "tTwWi")
        if len(starts) <= 20 * count:
            return sorted(starts)
    return random_addresses(symbols, count, seed)


def random_addresses(symbols, count, seed):
    """Evenly over the bytes of functions."""
    code = [symbol for symbol in symbols if symbol.kind in "tTwWi" and symbol.size]
    source = random.Random(seed)
    chosen = source.choices(code, weights=[symbol.size for symbol in code], k=count)
    return [symbol.address + source.randrange(symbol.size) for symbol in chosen]


# --- second opinions --------------------------------------------------------------------------------------------

def parse_addr2line(text):
    """address -> frames, from the output of addr2line -afi of either kind."""
    found, frames, function = {}, None, None
    for line in text.splitlines():
        if re.fullmatch(r"0x[0-9a-f]+", line):
            frames = found.setdefault(int(line, 16), [])
            function = None
        elif function is None:
            function = known(line.split(" inlined at ")[0])
        else:
            place = re.sub(r" \(discriminator \d+\)$", "", line)
            place, _, _ = place.partition(" (")
            parts = re.fullmatch(r"(.*?):(\d+|\?)(?::(\d+))?", place)
            path, number, column = parts.groups() if parts else (place, "0", None)
            frames.append(Frame(function, clean_path(known(path)), 0 if number == "?" else int(number),
                                int(column or 0)))
            function = None
    return found


def part_of(frames, kind):
    """What of an answer decides about a difference of this class."""
    aspect = kind.split(":")[0]
    if aspect == "frames":
        return [(pathlib.PurePosixPath(frame.file).name, frame.line) for frame in frames]
    return [getattr(frame, aspect) for frame in frames]


def side_of(third, difference):
    """On whose side a third reader is. binutils' addr2line knows no columns and so is on neither side there."""
    said = part_of(third, difference.kind)
    sides = (("ours", difference.ours), ("LLVM's", difference.theirs))
    return next((side for side, frames in sides if part_of(frames, difference.kind) == said), "neither")


def second_opinions(tool, path, differences, seconds):
    """class -> Counter of sides; nothing when the tool is not there or takes too long."""
    if not shutil.which(tool):
        return None
    asked = "".join(f"{one.address:#x}\n" for one in differences)
    try:
        done = subprocess.run([tool, "-a", "-f", "-i", "-e", path], input=asked, capture_output=True, text=True,
                              timeout=seconds, errors="replace")
    except subprocess.TimeoutExpired:
        return None
    said = parse_addr2line(done.stdout)
    sides = collections.defaultdict(collections.Counter)
    for one in differences:
        sides[one.kind][side_of(said.get(one.address, []), one)] += 1
    return sides


# --- report -----------------------------------------------------------------------------------------------------

def examples_of(differences, count=3):
    """Spread over the addresses, so that one function does not give them all."""
    step = max(1, len(differences) // count)
    return differences[::step][:count]


def print_classes(path, differences, options):
    by_class = collections.defaultdict(list)
    for one in differences:
        by_class[one.kind].append(one)
    asked = [one for group in by_class.values() for one in examples_of(group, options.opinions)]
    opinions = {tool: second_opinions(tool, path, asked, options.seconds) for tool in ("addr2line", "eu-addr2line")}
    for kind, group in sorted(by_class.items(), key=lambda item: -len(item[1])):
        print(f"\n  {kind}: {len(group)}")
        for tool, sides in opinions.items():
            said = dict(sides[kind]) if sides is not None else "not asked: it is not there, or took too long"
            print(f"    {tool}: {said}")
        for one in examples_of(group):
            print(f"    {one.address:#x}")
            for side, frames in (("ours", one.ours), ("LLVM", one.theirs)):
                for number, frame in enumerate(frames or ["nothing"]):
                    print(f"      {side if number == 0 else '':5} {frame}")


def report(program, path, options):
    symbols = symbolizers.symbols_of(path)
    addresses = addresses_of(path, symbols, options.count, options.seed)
    if not addresses:
        print(f"{path}: no addresses to ask for")
        return 1
    try:
        ours, theirs = symbolizers.ask_symcached(program, path, addresses), symbolizers.ask_llvm(path, addresses)
    except RuntimeError as error:
        print(f"== {path}: {error}")
        return 1
    equal, differences = compare(addresses, ours, theirs, aliases_by_address(symbols))
    inlined = sum(len(frames) > 1 for frames in theirs)
    missed = sum(bool(other) and not mine for mine, other in zip(ours, theirs))
    more = sum(bool(mine) and not other for mine, other in zip(ours, theirs))
    print(f"== {path}: {len(addresses)} addresses, {inlined} of them with inlined calls; "
          f"{missed} answered by LLVM alone, {more} by symcached alone")
    for aspect in (*ASPECTS, "all"):
        print(f"  {aspect:9} equal at {equal[aspect]} ({100 * equal[aspect] / len(addresses):.2f} %)")
    print_classes(path, differences, options)
    return len(differences)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program", type=pathlib.Path)
    parser.add_argument("files", nargs="+", type=pathlib.Path)
    parser.add_argument("--count", type=int, default=10_000, help="how many random addresses")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--opinions", type=int, default=200, help="addresses of each class that addr2line is asked for")
    parser.add_argument("--seconds", type=int, default=300, help="how long each addr2line may take")
    options = parser.parse_args()
    program = options.program.resolve()
    return 1 if sum(report(program, path.resolve(), options) for path in options.files) else 0


if __name__ == "__main__":
    sys.exit(main())
