#!/usr/bin/env python3
"""dia_agree.py SYMCACHED PDB ROWS: how far `symcached` says what Microsoft's reader (DIA) said of a PDB.

ROWS: a file of e2e/dia, or a whole dump (.tsv.xz) as dia_rows.py reads it. Counted are agreements, what we miss (DIA
answers and we do not), what we have more, and what differs. Names, paths and lines of all frames are equal or not,
nothing between; where the linker folded functions the function's name alone is compared, and any of theirs is right.
Exit status: 0 when nothing is missed, more or different.
"""
import bisect
import collections
import json
import pathlib
import re
import subprocess
import sys
import tempfile
from dataclasses import dataclass, field

import dia_rows
from read_symcache import Symcache

OUTCOMES = ("equal", "missed", "more", "different")


@dataclass
class Score:
    counts: collections.Counter = field(default_factory=collections.Counter)  # (what, outcome) -> number
    examples: dict = field(default_factory=lambda: collections.defaultdict(list))

    def add(self, what, outcome, rva, ours, theirs):
        self.counts[what, outcome] += 1
        if outcome != "equal":
            self.examples[what, outcome].append(f"{rva:#x}\n    ours  {ours}\n    DIA's {theirs}")

    def total(self, what):
        return sum(self.counts[what, outcome] for outcome in OUTCOMES)

    def faults(self):
        return {key: count for key, count in sorted(self.counts.items()) if key[1] != "equal"}

    def __str__(self):
        lines = []
        for what in dict.fromkeys(what for what, _ in self.counts):
            parts = ", ".join(f"{self.counts[what, outcome]} {outcome}" for outcome in OUTCOMES[1:])
            equal, total = self.counts[what, "equal"], self.total(what)
            lines.append(f"  {what:26} {equal} of {total} equal ({100 * equal / total:.2f} %), {parts}")
        return "\n".join(lines)


def ask(program, pdb, rvas):
    """[(name, file, line)] of each address, innermost first, names without parameters."""
    done = subprocess.run([program, "lookup", "--json", "--functions=short", pdb], capture_output=True, text=True,
                          input="".join(f"{rva:#x}\n" for rva in rvas), check=True)
    answers = [json.loads(line)["Symbol"] for line in done.stdout.splitlines()]
    assert len(answers) == len(rvas), f"{len(answers)} answers to {len(rvas)} addresses"
    return [[(frame["FunctionName"], frame["FileName"], frame["Line"]) for frame in frames] for frames in answers]


def plain(frames):
    """DIA has two spellings of a namespace without a name; so may we."""
    return [(re.sub(r"\?A0x[0-9a-f]+|`anonymous-namespace'", "`anonymous namespace'", name), file, line)
            for name, file, line in frames]


def outcome_of(ours, theirs, names):
    """`names`: of the function, whose frame is the last. Of folded ones DIA may show another, with its own lines."""
    if not ours or not theirs:
        return "equal" if ours == theirs else "more" if ours else "missed"
    same = ours[-1][0] in names if len(names) > 1 else plain(ours) == plain(theirs)
    return "equal" if same else "different"


def what_of(place, names):
    if place.kind == "f":
        return "folded functions" if len(names) > 1 else f"chains of {min(len(place.frames), 4)}" + (
            " and more" if len(place.frames) >= 4 else "")
    return {"t": "thunks", "p": "publics without function", "-": "padding"}[place.kind]


def score_places(score, told, answers):
    for (rva, place), ours in zip(told.places.items(), answers):
        names = told.functions.get(place.start, (0, set()))[1]
        score.add(what_of(place, names), outcome_of(ours, place.frames, names), rva, ours, place.frames)


def score_functions(score, told, cache):
    """Each function of DIA's list: its start, its length and all its names are in the cache."""
    for rva, (length, names) in told.functions.items():
        index = bisect.bisect_left(cache.start, rva)
        if index == len(cache.start) or cache.start[index] != rva:
            score.add("functions", "missed", rva, None, (length, names))
            continue
        ours = cache.function(index)[0], set(cache.function_names(index))
        outcome = "different" if ours[0] != length else "equal" if names <= ours[1] else "missed"
        score.add("functions", outcome, rva, ours, (length, names))


def score_pdb(program, pdb, told):
    score = Score()
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run([program, "convert", pdb, "-o", folder], check=True, capture_output=True)
        cache = Symcache((pathlib.Path(folder) / f"{pdb.name}.symcache").read_bytes())
    score_functions(score, told, cache)
    score_places(score, told, ask(program, pdb, list(told.places)))
    return score


def main():
    program, pdb, rows = map(pathlib.Path, sys.argv[1:])
    whole = rows.name.endswith(".xz")
    told = dia_rows.read_dump(rows) if whole else dia_rows.read(rows, dia_rows.read_texts(rows.parent))
    score = score_pdb(program.resolve(), pdb, told)
    print(f"{pdb}\n{score}")
    for (what, outcome), found in score.examples.items():
        print(f"{what}, {outcome}:")
        for example in found[:4]:
            print(f"  {example}")
    return 1 if score.faults() else 0


if __name__ == "__main__":
    sys.exit(main())
