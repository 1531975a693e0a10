"""The tables of bench/run.py for Portable PDBs."""
import pathlib
import shutil
import subprocess

from measure import Row, compare, compare_speeds, compare_told

ROOT = pathlib.Path(__file__).resolve().parent.parent
LARGE_PDB = ROOT.parent / "shared/dotnet/big/Big.pdb.zst"
SMALL_PDB = ROOT / "testing/dotnet/debug/Traces.pdb"
MANY, ROUNDS = 200_000, 20  # questions, and how often a run asks all of them


def unpacked(path, scratch):
    """FILE.zst as a FILE in the folder `scratch`."""
    scratch.mkdir(parents=True, exist_ok=True)
    plain = scratch / path.stem
    if not plain.exists():
        with open(plain, "wb") as out:
            subprocess.run(["zstd", "-dqc", path], stdout=out, check=True)
    return plain


def default_pdb(scratch):
    """A generated library's PDB, unpacked; where there is none, that of a small program."""
    return unpacked(LARGE_PDB, scratch) if LARGE_PDB.exists() and shutil.which("zstd") else SMALL_PDB


def conversions(bench, pdb, ours, theirs):
    yield Row("symcached convert", [bench.program, "convert", pdb, "-o", ours.parent], makes=ours,
              before=lambda: ours.unlink(missing_ok=True))
    if bench.peers:
        yield Row("symbolic", [bench.peers, "symbolic", "ppdb", pdb, theirs], makes=theirs,
                  before=lambda: theirs.unlink(missing_ok=True))
    yield Row("symcached --version, the start of a process", [bench.program, "--version"])


def conversions_within(bench, pdb, folder):
    yield Row("symcached", [bench.derive, pdb, folder / "told.ppdbcache"], says_speed=True)
    if bench.peers:
        yield Row("symbolic", [bench.peers, "symbolic", "ppdb", pdb, folder / "told.peer"], says_speed=True)


def choose_questions(bench, ours):
    """Files of the same questions: in random order, and by rising method as a tool that reads a whole log might ask."""
    mixed, rising = ours.parent / "questions.txt", ours.parent / "rising.txt"
    with open(mixed, "wb") as out:
        subprocess.run([bench.method_lookup, ours, "--choose", str(MANY)], stdout=out, check=True)
    lines = mixed.read_text().splitlines(keepends=True)
    rising.write_text("".join(sorted(lines, key=lambda line: [int(number) for number in line.split()])))
    return [("random", "random methods and IL offsets", mixed), ("rising", "the same by rising method", rising)]


def lookups(bench, questions, ours, theirs):
    asked = [questions, "--rounds", ROUNDS]
    yield Row("symcached", [bench.method_lookup, ours, *asked], says_speed=True)
    if bench.peers:
        yield Row("symbolic", [bench.peers, "symbolic", "method-lookup", theirs, *asked], says_speed=True)


def bench_managed(bench, path, runs):
    """All tables of one Portable PDB: of a copy without an assembly beside it, so that neither cache holds names."""
    folder = bench.folder("managed")
    pdb = pathlib.Path(shutil.copyfile(path, folder / path.name))
    ours, theirs = folder / (pdb.name + ".ppdbcache"), folder / "peer.ppdbcache"
    converted = compare("managed_converting", "Converting", [*conversions(bench, pdb, ours, theirs)], runs,
                        bench.launcher)
    print(f"  the ppdbcache is {ours.stat().st_size / pdb.stat().st_size:.4f} of the file")
    within = compare_told("managed_within", "Converting, within the process",
                          [*conversions_within(bench, pdb, folder)], runs)
    looked_up = [compare_speeds(f"managed_{key}", f"{MANY} questions in one process, {order}",
                                [*lookups(bench, questions, ours, theirs)], runs)
                 for key, order, questions in choose_questions(bench, ours)]
    return [converted, within, *looked_up]
