#!/usr/bin/env python3
"""dwarf_matrix_test.py SYMCACHED: DWARF as compilers, linkers and other tools make it, from 2 to 5, for many targets.

Each row compiles the sources in e2e/dwarf_matrix in one way. Answers are compared with what comments in the sources say
of the probes (function, file, line and the chain of inlined calls), and with llvm-symbolizer's at every start of a
function, an inlined call and a line row. Rows for which a tool is missing are named as skipped. With a path that
ends in llvm-symbolizer-22 in place of the program, the expectations themselves are tried on its answers.
--only TEXT looks at the rows whose name holds TEXT, and --keep DIR keeps what was made there.
"""
import argparse
import collections
import concurrent.futures
import pathlib
import re
import shutil
import sys
import tempfile
import time

import dwarf_agree
import dwarf_expectations
import dwarf_rows
import symbolizers

TOOLS = ("gcc-12", "clang-22", "ld.lld-22", "llvm-symbolizer-22")
WORKERS = 2
EXPECTED = dwarf_expectations.read_expectations(dwarf_rows.SOURCES)


class Outcome:
    """What a row came to."""

    def __init__(self, row):
        self.row, self.skipped, self.wrong, self.counts = row, [], [], []

    def say(self):
        for line in self.counts:
            print(line)
        for line in self.skipped:
            print(f"SKIPPED {line}")
        for line in self.wrong:
            print(f"WRONG {line}")


def ask_ours(program, path, addresses):
    if program.name.startswith("llvm-symbolizer"):
        return symbolizers.ask_llvm(path, addresses)
    return symbolizers.ask_symcached(program, path, addresses)


def left_out(made):
    """Roots this program does not have: what the linker drops, what is in units it is not made of."""
    row, roots = made.row, set()
    there = {f"{dwarf_rows.FOLDER}/{unit}" for unit in row.units} | {f"{dwarf_rows.FOLDER}/shapes.hpp", "grammar.y"}
    roots.update(function for function, place in EXPECTED.probes.values()
                 if function not in EXPECTED.callers and place.file not in there)
    if row.assembly:
        roots.discard("asm_root")
    if dwarf_rows.has_located(row):
        roots.discard("located")
    if row.units != dwarf_rows.UNITS:
        roots.update({"twinned", "parse"})
    return roots | row.left_out


def check_probes(program, made):
    addresses = [address for _, address in made.probes]
    answers = ask_ours(program, made.path, addresses)
    return list(dwarf_expectations.problems(EXPECTED, made.folder, made.probes, answers, left_out(made),
                                             made.row.scopes))


def check_cold_parts(program, made):
    """A part of a function that stands elsewhere has the function's name."""
    parts = [symbol for symbol in symbolizers.code_symbols_of(made.path) if ".cold" in symbol.name]
    answers = ask_ours(program, made.path, [symbol.address for symbol in parts]) if parts else []
    bare = dwarf_expectations.bare_names([symbol.name for symbol in parts]
                                         + [frame.function for frames in answers for frame in frames])
    for symbol, frames in zip(parts, answers):
        if not frames or bare[frames[-1].function] != bare[symbol.name] or not frames[0].line:
            yield f"{symbol.name} at {symbol.address:#x}: found {'; '.join(map(str, frames)) or 'nothing'}"


# Classes of differences that are LLVM's or a matter of taste; dwarf_agree.py sorts into them.
KNOWN = {
    "file: of the symbol table there",  # the name of a source that some symbol comes from, without folder or line
}


def code_addresses(made):
    """Starts that debug information states, within code: what the linker dropped has addresses too."""
    code = [symbol for symbol in symbolizers.code_symbols_of(made.path)
            if not symbol.name.endswith("TOR_LIST__")]  # data that GNU's linker puts behind code
    starts = {*symbolizers.line_row_starts(made.path), *symbolizers.function_starts(made.path)}
    starts.update(symbol.address for symbol in code)
    if made.row.bare:
        return sorted(starts)
    first = min(symbol.address for symbol in code) & ~1
    behind = max(symbol.address + max(symbol.size, 1) for symbol in code)
    return sorted(address for address in starts if first <= address < behind)


def check_like_llvm(program, made):
    """(count line, what differs)."""
    addresses = code_addresses(made)
    answers, like = ask_ours(program, made.path, addresses), symbolizers.ask_llvm(made.path, addresses)
    aliases = dwarf_agree.aliases_by_address(symbolizers.symbols_of(made.path))
    _, differences = dwarf_agree.compare(addresses, answers, like, aliases)
    seen, wrong = collections.Counter(), []
    for one in differences:
        if one.kind in KNOWN:
            seen[one.kind] += 1
            continue
        ours, theirs = ("\n           ".join(map(str, frames or ["nothing"])) for frames in (one.ours, one.theirs))
        wrong.append(f"{one.address:#x} {one.kind}\n      ours {ours}\n      LLVM {theirs}")
    inlined = sum(len(frames) > 1 for frames in like)
    if not any(like):
        wrong.append("LLVM knows nothing of this file")
    known = f", {dict(seen)}" if seen else ""
    return f"{len(addresses)} starts like LLVM, {inlined} with inlined calls{known}", wrong


def few(lines, count=4):
    return [*lines[:count], *([f"and {len(lines) - count} more"] if len(lines) > count else [])]


def check_made(program, made, outcome):
    if program.name.startswith("llvm-symbolizer") and not made.llvm:
        return
    wrong = few(check_probes(program, made)) if made.probes else []
    wrong += check_cold_parts(program, made)
    count = f"{len(made.probes)} probes"
    if not made.probes and not made.row.bare:
        wrong.append("the program has no probes")
    if made.llvm:
        like, differ = check_like_llvm(program, made)
        count += f", {like}"
        wrong += few(differ)
    outcome.counts.append(f"{made.name}: {count}")
    outcome.wrong += [f"{made.name}: {line}" for line in wrong]


def check_row(program, row, folder):
    outcome = Outcome(row)
    try:
        for made in dwarf_rows.make(row, folder / re.sub(r"[^\w-]+", "_", row.name), outcome.skipped.append):
            check_made(program, made, outcome)
    except dwarf_rows.Missing as missing:
        outcome.skipped.append(f"{row.name}: no {missing}")
    except RuntimeError as error:
        outcome.wrong.append(f"{row.name}: {error}")
    return outcome


def check_all(program, rows, folder):
    """The number of rows that are wrong."""
    started = time.monotonic()
    with concurrent.futures.ThreadPoolExecutor(WORKERS) as pool:
        outcomes = list(pool.map(lambda row: check_row(program, row, folder), rows))
    for outcome in outcomes:
        outcome.say()
    wrong = sum(bool(outcome.wrong) for outcome in outcomes)
    made, skipped = (sum(len(getattr(outcome, part)) for outcome in outcomes) for part in ("counts", "skipped"))
    print(f"{len(rows)} rows, {made} files, {skipped} skipped, {wrong} rows wrong; "
          f"{time.monotonic() - started:.0f} s")
    return wrong


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program", type=pathlib.Path)
    parser.add_argument("--only", default="")
    parser.add_argument("--keep", type=pathlib.Path)
    options = parser.parse_args()
    missing = [tool for tool in TOOLS if shutil.which(tool) is None]
    if missing:
        print(f"skipped: {', '.join(missing)} not installed (tools/packages.txt, groups build, clang and test)")
        return 77
    rows = [row for row in dwarf_rows.all_rows() if options.only in row.name]
    if options.keep:
        return 1 if check_all(options.program.absolute(), rows, options.keep.resolve()) else 0
    with tempfile.TemporaryDirectory() as scratch:
        return 1 if check_all(options.program.absolute(), rows, pathlib.Path(scratch).resolve()) else 0


if __name__ == "__main__":
    sys.exit(main())
