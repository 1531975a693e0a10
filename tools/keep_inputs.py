#!/usr/bin/env python3
"""keep_inputs.py REACHED STORED: puts the best inputs that a fuzz target has found beside its hand-made ones.

REACHED is the control file of a libFuzzer merge with -set_cover_merge=1: the inputs, and the features each reaches. In
the folder STORED the hand-made inputs stay; those found earlier, which are named by the SHA-1 of their content, are
replaced by the ones that add most features for their size. At most 40 files and 200 kB lie there then.
"""
import hashlib
import pathlib
import re
import sys
from dataclasses import dataclass

MAX_FILES, MAX_BYTES = 40, 200_000
FOUND = re.compile(r"[0-9a-f]{40}")
COST_OF_A_FILE = MAX_BYTES // MAX_FILES  # in bytes: neither limit is to be reached long before the other


@dataclass
class Input:
    path: pathlib.Path
    features: set
    size: int


def read_reached(text):
    """The inputs of a control file. One that was not finished, as it crashed or took too long, reaches nothing."""
    lines = text.splitlines()
    count = int(lines[0])
    inputs = [Input(pathlib.Path(name), set(), 0) for name in lines[2:2 + count]]
    for line in lines[2 + count:]:
        word, number, *rest = line.split(" ")
        if word == "STARTED":
            inputs[int(number)].size = int(rest[0])
        elif word == "FT":
            inputs[int(number)].features = set(rest)
    return inputs


def choose(inputs, reached, files, size):
    """At most `files` inputs of at most `size` bytes in all, best first, that reach more than `reached`."""
    chosen, reached, left = [], set(reached), list(inputs)
    while left and len(chosen) < files:
        left = [one for one in left if one.size <= size and one.features - reached]
        best = max(left, default=None, key=lambda one: (len(one.features - reached) / (one.size + COST_OF_A_FILE),
                                                        -one.size, one.path.name))
        if best is None:
            break
        left.remove(best)
        chosen.append(best)
        reached |= best.features
        size -= best.size
    return chosen


def main():
    control, stored = map(pathlib.Path, sys.argv[1:])
    own = [path for path in stored.iterdir() if not FOUND.fullmatch(path.name)]
    earlier = [path for path in stored.iterdir() if FOUND.fullmatch(path.name)]
    inputs = read_reached(control.read_text())
    by_hand = {path.read_bytes() for path in own}
    known = set().union(*(one.features for one in inputs if one.path.read_bytes() in by_hand))
    chosen = choose(inputs, known, MAX_FILES - len(own), MAX_BYTES - sum(map(len, by_hand)))
    contents = [one.path.read_bytes() for one in chosen]
    for path in earlier:
        path.unlink()
    for content in contents:
        (stored / hashlib.sha1(content).hexdigest()).write_bytes(content)
    everything = set().union(*(one.features for one in inputs))
    kept = known.union(*(one.features for one in chosen))
    print(f"{stored}: {len(own)} by hand and {len(chosen)} of {len(inputs)} found, {sum(map(len, contents))} bytes; "
          f"{len(known)} features by hand, {len(kept)} kept, {len(everything)} reached")


if __name__ == "__main__":
    main()
