"""What the comments in e2e/dwarf_matrix say must be found at the probes; dwarf_matrix/probe.h explains them."""
import collections
import dataclasses
import pathlib
import re
import subprocess

import symbolizers

CXXFILT = "llvm-cxxfilt-22"
FOLDER = "e2e/dwarf_matrix"  # of the sources, from the folder where the compiler runs
MARK = re.compile(r"@(function|call|probe|at) (\S+)(?: (?!@|\*/)(\S.*?))?(?= @| \*/|$)|PROBE\(\"(\w+)\"\)|"
                  r"^#line (\d+) \"(.*)\"")
LABEL = re.compile(r"probe_(\w+)_\d+$")


@dataclasses.dataclass(frozen=True)
class Place:
    file: str  # from the folder where the compiler ran
    line: int


@dataclasses.dataclass
class Expectations:
    names: dict = dataclasses.field(default_factory=dict)  # function -> regular expression
    probes: dict = dataclasses.field(default_factory=dict)  # probe -> (function, place)
    callers: dict = dataclasses.field(default_factory=lambda: collections.defaultdict(list))  # -> [(caller, place)]

    def read(self, path, shown_as):
        """Adds the marks of one source, which the compiler is given as `shown_as`."""
        function, file, offset = None, shown_as, 0
        for number, text in enumerate(path.read_text().splitlines(), 1):
            place = Place(file, number - offset)
            for kind, first, rest, probe, line, named in MARK.findall(text):
                if line:
                    file, offset = named, number + 1 - int(line)
                elif kind == "function":
                    function = first
                    self.names.setdefault(first, rest or first)
                elif kind == "call":
                    self.callers[first].append((function, place))
                elif kind == "at":
                    self.probes[last] = (function, Place(first.rpartition(":")[0], int(first.rpartition(":")[2])))
                else:
                    last = probe or first
                    self.probes[last] = (function, place)

    def chains(self, function, place):
        """Every chain of (function, place), innermost first, by which a place in a function can be reached."""
        if function not in self.callers:
            return [((function, place),)]
        return [((function, place), *outer) for caller, call in self.callers[function]
                for outer in self.chains(caller, call)]

    def chains_of(self, probe):
        return self.chains(*self.probes[probe])


def read_expectations(folder):
    expected = Expectations()
    for path in sorted(folder.iterdir()):
        if path.suffix in (".cpp", ".hpp", ".c", ".s"):
            expected.read(path, f"{FOLDER}/{path.name}")
    return expected


def probes_of(path):
    """[(probe, address)] from the labels in the symbol table; those of dropped code are not in code."""
    return [(found[1], symbol.address) for symbol in symbolizers.code_symbols_of(path)
            if (found := LABEL.match(symbol.name))]


def bare_names(names):
    """name -> the demangled name without parameters and without the mark of a part or clone."""
    names = sorted(set(names))
    asked = "".join(f"{name}\n" for name in names)
    done = subprocess.run([CXXFILT, "--no-params"], input=asked, capture_output=True, text=True, check=True)
    return {name: re.sub(r" \(\..*\)$| \[clone .*\]$|\.(cold|__part|part|lto_priv|constprop|isra)\b.*$", "", bare)
            for name, bare in zip(names, done.stdout.splitlines())}


def places_of(folder, place):
    """What may stand for a place: a path from the compiler's working folder; no folder in a unit made by hand."""
    absolute = str(folder / place.file)
    return (absolute, place.file) if place.file == "generated.lang" else (absolute,)


def pattern_of(name, scopes):
    """The regular expression for a name; without `scopes` it may lack those, as in line tables alone."""
    return name if scopes else re.sub(r"^((?:\w+::)+)", r"(?:\1)?", name)


def fits(chain, frames, names, folder, bare):
    return len(chain) == len(frames) and all(
        re.fullmatch(names[function], bare[frame.function]) and frame.line == place.line
        and frame.file in places_of(folder, place)
        for (function, place), frame in zip(chain, frames))


def text_of(chain):
    return " < ".join(f"{function} {place.file}:{place.line}" for function, place in chain)


def problems(expected, folder, probes, answers, left_out=(), scopes=True):
    """What is wrong with the answers at the probes: frames that no chain explains, chains that were found nowhere.
    @param left_out  functions that this program does not have
    @param scopes    whether names of inlined functions come with their scopes
    """
    names = {function: pattern_of(name, scopes) for function, name in expected.names.items()}
    bare = bare_names(frame.function for frames in answers for frame in frames)
    missing = {(probe, chain) for probe in expected.probes for chain in expected.chains_of(probe)
               if chain[-1][0] not in left_out}
    for (probe, address), frames in zip(probes, answers):
        chains = expected.chains_of(probe)
        match = next((chain for chain in chains if fits(chain, frames, names, folder, bare)), None)
        missing.discard((probe, match))
        if match is None:
            said = "\n      ".join(map(str, frames)) or "nothing"
            wanted = "\n      or ".join(map(text_of, chains))
            yield f"probe {probe} at {address:#x}: wanted\n      {wanted}\n    found\n      {said}"
    for probe, chain in sorted(missing, key=str):
        yield f"probe {probe}: nowhere found: {text_of(chain)}"
