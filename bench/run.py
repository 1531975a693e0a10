#!/usr/bin/env python3
"""run.py BUILD_DIR [--runs N] [FILE...]: what symcached costs, as ratios against peers measured in the same run.

FILE: Portable PDBs, or debug files of any native kind; an image beside a PDB (same name, .exe .dll .node .sys) lets
llvm-symbolizer take part. Without FILE: the samples that tools/sample_pdbs.sh and tools/sample_elfs.sh have fetched,
what is large in ../shared/corpus, and of .NET a large library's PDB from ../shared/dotnet, else the one of
testing/dotnet. The runs of all programs in a table are interleaved, so that a slow minute of the machine hits all of
them; medians are compared. All numbers go to bench/results.json beside BUILD_DIR. What each row means: bench/README.md.
"""
import argparse
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "e2e"))

import symbolizers  # noqa: E402
from managed import bench_managed, default_pdb  # noqa: E402
from measure import Died, Row, compare, compare_speeds, measure  # noqa: E402

PDBUTIL, SYMBOLIZER, GSYMUTIL = "llvm-pdbutil-22", "llvm-symbolizer-22", "llvm-gsymutil-22"
MANY, FEW = 200_000, 2_000  # addresses for lookups within a process, and through a pipe
LARGE = 50 << 20  # bytes; larger files get fewer runs
CORPUS = ROOT.parent / "shared/corpus"
MAGICS = [(b"\x7fELF", "elf"), (b"Microsoft C/C++ MSF 7.00\r\n", "pdb"), (b"\xcf\xfa\xed\xfe", "macho"),
          (b"\xca\xfe\xba\xbe", "macho"), (b"\0asm", "wasm"), (b"MODULE ", "breakpad"), (b"MZ", "pe"),
          (b"BSJB", "ppdb")]


class Bench:
    """What all tables need: the programs, how often they run, where files go."""

    def __init__(self, options):
        self.program, self.lookup = options.build / "symcached", options.build / "bench_lookup"
        self.method_lookup, self.derive = options.build / "bench_method_lookup", options.build / "bench_derive"
        self.scratch = options.build.parent / "bench"
        self.runs, self.peer = options.runs, symbolic_peer(options.build.parent)
        self.launcher = options.build / "bench_peak"
        self.threads = "--threads" in measure([str(self.program), "convert", "--help"], keep_output=True).output

    def folder(self, name):
        """An empty folder."""
        shutil.rmtree(self.scratch / name, ignore_errors=True)
        (self.scratch / name).mkdir(parents=True)
        return self.scratch / name


def kind_of(path):
    with open(path, "rb") as file:
        head = file.read(32)
    return next((kind for magic, kind in MAGICS if head.startswith(magic)), "other")


def cargo():
    return shutil.which("cargo") or next((str(path) for path in [pathlib.Path.home() / ".cargo/bin/cargo"]
                                          if path.exists()), None)


def symbolic_peer(build):
    """The peer made of the symbolic crates, built when cargo is there; None when it cannot be had."""
    target = build / "peers/symbolic"
    program = target / "release/symbolic_peer"
    if not cargo():
        print("The peer symbolic is left out: cargo is not installed")
        return None
    done = subprocess.run(["nice", cargo(), "build", "--release", "--locked", "-j1", "--quiet", "--target-dir", target,
                           "--manifest-path", ROOT / "bench/peers/symbolic/Cargo.toml"], capture_output=True, text=True)
    if done.returncode != 0:
        print(f"The peer symbolic is left out: it could not be built: {done.stderr.strip()[-300:]}")
        return None
    return program


def image_of(pdb):
    beside = [pdb.with_suffix(suffix) for suffix in (".exe", ".dll", ".node", ".sys")]
    return next((path for path in beside if path.exists()), None)


# --- tables -----------------------------------------------------------------------------------------------------

def our_conversions(bench, path):
    """One thread, and two where `convert` has the option."""
    for threads in (1, 2) if bench.threads else (1,):
        folder = bench.folder(f"threads{threads}")
        said = measure([str(bench.program), "convert", str(path), "-o", str(folder)], keep_output=True)
        made = pathlib.Path(said.output.splitlines()[0])
        given = ["--threads", threads] if bench.threads else []
        name = f"symcached convert, {threads} thread{'s' * (threads > 1)}"
        yield Row(name, [bench.program, "convert", *given, path, "-o", folder], makes=made,
                  before=lambda made=made: made.unlink(missing_ok=True))


def conversion_peers(bench, path, kind):
    folder = bench.folder("peers")
    if kind in ("elf", "macho") and shutil.which(GSYMUTIL):
        made = folder / "peer.gsym"
        yield Row("llvm-gsymutil, 1 thread", [GSYMUTIL, "--num-threads=1", "--quiet", "--convert", path, "--out-file",
                                              made], makes=made)
    if bench.peer:
        made = folder / "peer.symcache"
        yield Row("symbolic, 1 thread", [bench.peer, "convert", path, made], makes=made)
    if kind == "pdb":
        yield Row("llvm-pdbutil dump -l -symbols", [PDBUTIL, "dump", "-l", "-symbols", path])


def choose_addresses(bench, symcache, count):
    """A file of random addresses within functions, from the image base."""
    told = bench.scratch / f"addresses{count}.txt"
    with open(told, "wb") as out:
        subprocess.run([bench.lookup, symcache, "--choose", str(count)], stdout=out, check=True)
    return told


def lines_of(addresses):
    return "".join(f"{address:#x}\n" for address in addresses)


def lookups_within(bench, symcache, runs):
    """Speeds that the programs measure themselves, without the start of a process."""
    addresses = choose_addresses(bench, symcache, MANY)
    their_cache = bench.scratch / "peers/peer.symcache"
    rows = {}
    for title, option in (("names as they are", []), ("names demangled", ["--demangle"])):
        rows[title] = [Row("symcached", [bench.lookup, symcache, addresses, *option], says_speed=True)]
        if bench.peer and their_cache.exists():
            rows[title].append(Row("symbolic", [bench.peer, "lookup", their_cache, addresses, *option],
                                   says_speed=True))
    for title, group in rows.items():
        yield compare_speeds(f"{MANY} random addresses in one process, {title}", group, runs)


def symbolizer_for(path, kind, addresses):
    """(command, addresses as it takes them); nothing where llvm-symbolizer cannot take part."""
    if kind == "pdb":
        image = image_of(path)
        return ([SYMBOLIZER, f"--obj={image}", "--relative-address"], addresses) if image else (None, [])
    base = symbolizers.image_base(path)
    return [SYMBOLIZER, f"--obj={path}"], [address + base for address in addresses]


def lookups_through_pipes(bench, path, kind, symcache, runs):
    addresses = [int(line, 16) for line in choose_addresses(bench, symcache, FEW).read_text().split()]
    peer, theirs = symbolizer_for(path, kind, addresses)
    fresh = bench.folder("fresh")
    both = 'rm -f "$3"/*; "$1" convert "$2" -o "$3" >/dev/null && "$1" lookup "$3"/* "$4"'
    for title, count in (("One address, from process start to end", 1), (f"{FEW} addresses from stdin", FEW)):
        rows = [Row("symcached lookup, from the symcache", [bench.program, "lookup", symcache],
                    lines_of(addresses[:count]))]
        if count == 1:
            rows.append(Row("symcached convert, then lookup",
                            ["sh", "-c", both, "sh", bench.program, path, fresh, hex(addresses[0])]))
        if peer:
            rows.append(Row("llvm-symbolizer, from the debug file", peer, lines_of(theirs[:count])))
        yield compare(title, rows, runs, bench.launcher)


def bench_file(bench, path):
    """All tables of one file; its numbers."""
    kind, size = kind_of(path), path.stat().st_size
    runs = min(bench.runs, 3) if size > LARGE else bench.runs
    print(f"\n== {path.name}: {kind}, {size:,} bytes", flush=True)
    if kind == "ppdb":
        return {"file": path.name, "kind": kind, "bytes": size, "tables": bench_managed(bench, path, runs)}
    rows = [*our_conversions(bench, path), *conversion_peers(bench, path, kind)]
    tables = [compare("Converting", rows, runs, bench.launcher)]
    symcache = rows[0].makes
    print(f"  the symcache is {symcache.stat().st_size / size:.4f} of the file")
    tables += lookups_within(bench, symcache, runs)
    tables += lookups_through_pipes(bench, path, kind, symcache, runs)
    return {"file": path.name, "kind": kind, "bytes": size, "tables": tables}


# --- all of it --------------------------------------------------------------------------------------------------

def default_files(program, scratch):
    found = [*sorted(pathlib.Path("build/demo/pdbs").glob("*.pdb")), program,
             *sorted(pathlib.Path("build/samples").glob("*.debug"))]
    if CORPUS.exists():
        found += sorted(path for path in CORPUS.rglob("*") if path.is_file() and path.stat().st_size > 500_000)
    native = [path for path in found if path.is_file() and kind_of(path) not in ("other", "ppdb")]
    return [*native, default_pdb(scratch)]


def machine():
    model = re.search(r"model name\s*: (.*)", pathlib.Path("/proc/cpuinfo").read_text())
    version = measure([SYMBOLIZER, "--version"], keep_output=True).output
    return {"processors": os.cpu_count(), "model": model.group(1) if model else "unknown processor",
            "llvm": next(line.strip() for line in version.splitlines() if "version" in line)}


def run_all(options):
    about = machine()
    print(f"{about['processors']} x {about['model']}\n{about['llvm']}")
    bench, results = Bench(options), []
    for path in options.files or default_files(bench.program, bench.scratch):
        try:
            results.append(bench_file(bench, path))
        except Died as death:
            print(f"  {path.name} is left out: {death}")
    told = bench.scratch / "results.json"
    told.write_text(json.dumps({"machine": about, "files": results}, indent=1) + "\n")
    print(f"\nAll numbers: {told}")
    for micro in sorted(options.build.glob("*_bench")) if not options.files else []:
        print(f"\n== {micro.name}", flush=True)
        subprocess.run([micro, "--benchmark_min_time=0.2"], check=True)
    return 0 if len(results) == len(options.files or results) else 1


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("build", type=pathlib.Path)
    parser.add_argument("--runs", type=int, default=11, help="of each program; at most 3 with large files")
    parser.add_argument("files", nargs="*", type=pathlib.Path)
    try:
        sys.exit(run_all(parser.parse_intermixed_args()))
    except Died as death:
        sys.exit(f"bench: {death}")


if __name__ == "__main__":
    main()
