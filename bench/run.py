#!/usr/bin/env python3
"""run.py BUILD_DIR [--runs N] [--write-docs] [FILE...]: what symcached costs, against peers measured in the same run.

FILE: Portable PDBs, or debug files of any native kind; an image beside a PDB (same name, .exe .dll .node .sys) lets
llvm-symbolizer take part. Without FILE: the samples that tools/node_pty.sh (or sample_pdbs.sh) and sample_elfs.sh have
fetched, what is large in ../shared/corpus, and of .NET a large library's PDB from ../shared/dotnet, else the one of
testing/dotnet. The runs of all programs in a table are interleaved, so that a slow minute of the machine hits all of
them; medians are compared. All numbers go to bench/results.json beside BUILD_DIR; with --write-docs to the repository's
bench/results.json, too, and from there into docs/benchmarks.md (docs.py). What each row means: bench/README.md.
"""
import argparse
import datetime
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "e2e"))

import docs  # noqa: E402
from managed import bench_managed, default_pdb, unpacked  # noqa: E402
from measure import Died, measure  # noqa: E402
from native import SYMBOLIZER, bench_native  # noqa: E402

LARGE = 50 << 20  # bytes; larger files get fewer runs
CORPUS = ROOT.parent / "shared/corpus"
PEERS = ROOT / "bench/peers/rust"
CRATES = {"symbolic": "symbolic-symcache", "gimli": "addr2line", "blazesym": "blazesym"}
MAGICS = [(b"\x7fELF", "elf"), (b"Microsoft C/C++ MSF 7.00\r\n", "pdb"), (b"\xcf\xfa\xed\xfe", "macho"),
          (b"\xca\xfe\xba\xbe", "macho"), (b"\0asm", "wasm"), (b"MODULE ", "breakpad"), (b"MZ", "pe"),
          (b"BSJB", "ppdb")]


class Bench:
    """What all tables need: the programs, how often they run, where files go."""

    def __init__(self, options):
        self.program, self.lookup = options.build / "symcached", options.build / "bench_lookup"
        self.method_lookup, self.derive = options.build / "bench_method_lookup", options.build / "bench_derive"
        self.scratch = options.build.parent / "bench"
        self.runs, self.peers = options.runs, rust_peers(options.build.parent)
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


def rust_peers(build):
    """The program made of Rust's crates, built when cargo is there; None when it cannot be had."""
    target = build / "peers/rust"
    program = target / "release/rust_peers"
    if not cargo():
        print("symbolic, gimli and blazesym are left out: cargo is not installed")
        return None
    done = subprocess.run(["nice", cargo(), "build", "--release", "--locked", "-j1", "--quiet", "--target-dir", target,
                           "--manifest-path", PEERS / "Cargo.toml"], capture_output=True, text=True)
    if done.returncode != 0:
        print(f"symbolic, gimli and blazesym are left out: they could not be built: {done.stderr.strip()[-300:]}")
        return None
    return program


def bench_file(bench, path):
    """All tables of one file; its numbers."""
    kind, size = kind_of(path), path.stat().st_size
    runs = min(bench.runs, 3) if size > LARGE else bench.runs
    print(f"\n== {label_of(path)}: {kind}, {size:,} bytes", flush=True)
    tables = bench_managed(bench, path, runs) if kind == "ppdb" else bench_native(bench, path, kind, runs)
    return {"file": label_of(path), "kind": kind, "bytes": size, "tables": tables}


# --- all of it --------------------------------------------------------------------------------------------------

def label_of(path):
    """Its name, and of node-pty's PDBs the machine: there are two of each name."""
    arch = path.parent.name.removeprefix("win32-")
    return path.name if arch == path.parent.name else f"{path.stem} {arch}{path.suffix}"


def default_files(program, scratch):
    found = sorted(pathlib.Path("build/node-pty").glob("*/*.pdb"))
    found = found or sorted(pathlib.Path("build/demo/pdbs").glob("*.pdb"))
    found += [program, *sorted(pathlib.Path("build/samples").glob("*.debug"))]
    if CORPUS.exists():
        found += sorted(path for path in CORPUS.rglob("*") if path.is_file() and path.stat().st_size > 500_000)
        images = [unpacked(path, scratch) for path in CORPUS.glob("pdb-large/*.zst")]
        found += sorted(path for path in images if path.suffix == ".pdb")
    native = [path for path in found if path.is_file() and kind_of(path) not in ("other", "ppdb")]
    return [*native, default_pdb(scratch)]


def said_by(*command):
    return subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True).stdout.strip()


def crate_version(name):
    return re.search(rf'(?m)^{name} = .*?"=([\d.]+)"', PEERS.joinpath("Cargo.toml").read_text()).group(1)


def machine(options):
    """What the numbers were measured on, and of which state of the program."""
    model = re.search(r"model name\s*: (.*)", pathlib.Path("/proc/cpuinfo").read_text())
    version = said_by(SYMBOLIZER, "--version").splitlines()
    return {"processors": os.cpu_count(), "model": model.group(1) if model else "unknown processor",
            "llvm": next(line.strip() for line in version if "version" in line),
            **{name: crate_version(crate) for name, crate in CRATES.items()},
            "date": datetime.date.today().isoformat(), "commit": said_by("git", "describe", "--always", "--dirty"),
            "runs": options.runs, "load_before": os.getloadavg()[0]}


def run_all(options):
    about = machine(options)
    print(f"{about['processors']} x {about['model']}\n{about['llvm']}")
    bench, results = Bench(options), []
    for path in options.files or default_files(bench.program, bench.scratch):
        try:
            results.append(bench_file(bench, path))
        except Died as death:
            print(f"  {path.name} is left out: {death}")
    about["load_after"] = os.getloadavg()[0]
    told = bench.scratch / "results.json"
    told.write_text(json.dumps({"machine": about, "files": results}, indent=1) + "\n")
    print(f"\nAll numbers: {told}")
    if options.write_docs:
        shutil.copyfile(told, docs.RESULTS)
        docs.write()
        print(f"and {docs.RESULTS.relative_to(ROOT)}, from there in {docs.PAGE.relative_to(ROOT)}")
    for micro in sorted(options.build.glob("*_bench")) if not options.files else []:
        print(f"\n== {micro.name}", flush=True)
        subprocess.run([micro, "--benchmark_min_time=0.2"], check=True)
    return 0 if len(results) == len(options.files or results) else 1


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("build", type=pathlib.Path)
    parser.add_argument("--runs", type=int, default=11, help="of each program; at most 3 with large files")
    parser.add_argument("--write-docs", action="store_true", help="write bench/results.json and docs/benchmarks.md")
    parser.add_argument("files", nargs="*", type=pathlib.Path)
    try:
        sys.exit(run_all(parser.parse_intermixed_args()))
    except Died as death:
        sys.exit(f"bench: {death}")


if __name__ == "__main__":
    main()
