#!/usr/bin/env python3
"""dia_rows.py DUMP.tsv.xz... -o FOLDER: what Microsoft's reader (DIA) said of PDBs, as rows that the tests can keep.

A dump holds all that DIA says of one PDB, tab-separated: `id`, `func`, `public`, `thunk`, `frame` rows; it is named
PACKAGE-ARCH-NAME.tsv.xz. Written are, of each, all functions and a sample of the addresses in which every class has its
share: the depth of the chain, why the address was asked for, whether functions are folded there. README.md in e2e/dia
describes the files.
"""
import argparse
import bisect
import collections
import lzma
import pathlib
from dataclasses import dataclass, field

PER_CLASS = 10  # addresses of each class in a sample
MARKS = (0xFEEFEE, 0xF00F00)  # "lines" that tell a debugger to step on: no source has them
NOTHING = "-"


@dataclass
class Place:
    """What DIA says of an address: frames (name, file, line), innermost first. None: it belongs to nothing."""
    kind: str  # f: a function, t: a thunk, p: a public symbol, -: padding
    why: str  # the letters of the dump: where the address lies
    start: int  # of the function
    frames: list


@dataclass
class Told:
    """All that is known of one PDB."""
    functions: dict = field(default_factory=dict)  # RVA -> (length, names)
    places: dict = field(default_factory=dict)  # RVA -> Place


def known(text):
    return "" if text == NOTHING else text


def read_dump(path):
    told, publics, others, rows = Told(), {}, set(), collections.defaultdict(list)
    with lzma.open(path, "rt", encoding="utf-8") as lines:
        for line in lines:
            word, *cells = line.rstrip("\n").split("\t")
            if word == "func":
                rva, length = int(cells[0], 16), int(cells[1])
                told.functions.setdefault(rva, (length, set()))[1].add(cells[2])
            elif word == "public":
                publics[int(cells[0], 16)] = int(cells[1])
            elif word == "thunk":
                others.add(int(cells[0], 16))
            elif word == "frame":
                rows[int(cells[0], 16)].append(cells[1:])
    starts = sorted(publics.keys() - told.functions.keys() - others)
    for rva, frames in sorted(rows.items()):
        told.places[rva] = place_of(rva, frames, publics, starts)
    return told


def place_of(rva, rows, publics, starts):
    """DIA names the nearest symbol before an address, however far: behind the end of that one there is nothing.
    `starts`: of publics that are neither function nor thunk; the others end where those do.
    """
    kind, why = rows[0][5], rows[0][6]
    if kind == "p":
        at = bisect.bisect_right(starts, rva) - 1
        kind = "p" if at >= 0 and rva < starts[at] + publics[starts[at]] else NOTHING
    if kind == NOTHING:
        return Place(kind, why, 0, [])
    return Place(kind, why, int(rows[-1][1], 16),
                 [(known(name), known(file), 0 if int(line) in MARKS else int(line))
                  for name, _, file, line, *_ in rows])


def sample(told, per_class=PER_CLASS):
    """All functions, and of the places `per_class` of each class, spread over the code."""
    classes = collections.defaultdict(list)
    for rva, place in told.places.items():
        folded = len(told.functions.get(place.start, (0, ()))[1]) > 1
        no_line = any(line == 0 for _, _, line in place.frames)
        classes[place.kind, place.why, min(len(place.frames), 6), folded, no_line].append(rva)
    chosen = set()
    for rvas in classes.values():
        step = max(1, len(rvas) // per_class)
        chosen.update(rvas[::step][:per_class])
    return Told(told.functions, {rva: told.places[rva] for rva in sorted(chosen)})


# --- the files that are kept ------------------------------------------------------------------------------------

class Texts:
    """Names and paths by number, for all files of a folder together; 0 is the empty text."""

    def __init__(self, lines=("",)):
        self.lines = list(lines)
        self.numbers = {text: number for number, text in enumerate(self.lines)}

    def number(self, text):
        if text not in self.numbers:
            self.numbers[text] = len(self.lines)
            self.lines.append(text)
        return self.numbers[text]


def write(told, texts, path):
    with open(path, "w", encoding="utf-8") as out:
        for rva, (length, names) in sorted(told.functions.items()):
            print("function", f"{rva:x}", length, *(texts.number(name) for name in sorted(names)), sep="\t", file=out)
        for rva, place in told.places.items():
            frames = (f"{texts.number(name)}:{texts.number(file)}:{line}" for name, file, line in place.frames)
            print("at", f"{rva:x}", place.kind, place.why, f"{place.start:x}", *frames, sep="\t", file=out)


def read(path, texts):
    told = Told()
    for line in path.read_text().splitlines():
        word, rva, *cells = line.split("\t")
        if word == "function":
            told.functions[int(rva, 16)] = int(cells[0]), {texts.lines[int(number)] for number in cells[1:]}
        else:
            frames = [tuple(map(int, cell.split(":"))) for cell in cells[3:]]
            told.places[int(rva, 16)] = Place(cells[0], cells[1], int(cells[2], 16),
                                              [(texts.lines[name], texts.lines[file], at) for name, file, at in frames])
    return told


def read_texts(folder):
    return Texts((folder / "texts.txt").read_text().split("\n")[:-1])


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("dumps", nargs="+", type=pathlib.Path)
    parser.add_argument("-o", dest="folder", required=True, type=pathlib.Path)
    options = parser.parse_args()
    options.folder.mkdir(parents=True, exist_ok=True)
    texts = Texts()
    for dump in sorted(options.dumps):
        told = sample(read_dump(dump))
        write(told, texts, options.folder / f"{dump.name.removesuffix('.tsv.xz')}.tsv")
        print(f"{dump.name}: {len(told.functions)} functions, {len(told.places)} addresses")
    (options.folder / "texts.txt").write_text("".join(f"{text}\n" for text in texts.lines))


if __name__ == "__main__":
    main()
