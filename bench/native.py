"""The tables of bench/run.py for native debug files."""
import pathlib
import shutil
import subprocess

import symbolizers
from measure import Row, compare, compare_speeds, measure

PDBUTIL, SYMBOLIZER, GSYMUTIL = "llvm-pdbutil-22", "llvm-symbolizer-22", "llvm-gsymutil-22"
MANY, FEW = 200_000, 2_000  # addresses for lookups within a process, and through a pipe
# `sh -c` of a whole way from a debug file to answers: $1 converts $2 into $3, then the rest looks up.
OURS_COLD = 'rm -f "$3"/*; "$1" convert "$2" -o "$3" >/dev/null && "$1" lookup "$3"/*'
GSYM_COLD = '"$1" --num-threads=1 --quiet --convert "$2" --out-file "$3" && "$1" --addresses-from-stdin'
SYMBOLIC_COLD = ('"$1" symbolic convert "$2" "$3" >/dev/null && '
                 '"$1" symbolic lookup "$3" "$4" --demangle --print')


def image_of(pdb):
    beside = [pdb.with_suffix(suffix) for suffix in (".exe", ".dll", ".node", ".sys")]
    return next((path for path in beside if path.exists()), None)


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
    if bench.peers:
        made = folder / "peer.symcache"
        yield Row("symbolic, 1 thread", [bench.peers, "symbolic", "convert", path, made], makes=made)
    if kind == "pdb":
        yield Row("llvm-pdbutil dump -l -symbols", [PDBUTIL, "dump", "-l", "-symbols", path])


def choose_addresses(bench, symcache, count):
    """A file of random addresses within functions, from the image base."""
    told = bench.scratch / f"addresses{count}.txt"
    with open(told, "wb") as out:
        subprocess.run([bench.lookup, symcache, "--choose", str(count)], stdout=out, check=True)
    return told


def lines_of(addresses, behind=""):
    return "".join(f"{address:#x}{behind}\n" for address in addresses)


def lookups_within(bench, path, kind, symcache, runs):
    """Speeds that the programs measure themselves, without the start of a process."""
    addresses = choose_addresses(bench, symcache, MANY)
    for key, title, option in (("within", "names as they are", []), ("demangled", "names demangled", ["--demangle"])):
        rows = [Row("symcached", [bench.lookup, symcache, addresses, *option], says_speed=True)]
        rows += [Row(name, [*command, addresses, *given, *option], says_speed=True)
                 for name, command, given in peers_within(bench, path, kind)]
        yield compare_speeds(key, f"{MANY} random addresses in one process, {title}", rows, runs)


def peers_within(bench, path, kind):
    """(name, command, options). gimli keeps no cache: a first round, not timed, lets it read what it needs."""
    if not bench.peers:
        return
    cache, gsym = made_by_peers(bench)
    if cache.exists():
        yield "symbolic", [bench.peers, "symbolic", "lookup", cache], []
    based = ["--base", symbolizers.image_base(path), "--rounds", 2] if kind == "elf" else []
    if kind == "elf" and gsym.exists():
        yield "blazesym, on a GSYM", [bench.peers, "blazesym", "lookup", gsym], based
    if kind == "elf":
        yield "gimli, on the debug file", [bench.peers, "gimli", "lookup", path], based


def made_by_peers(bench):
    """The caches that the table of conversions has left."""
    return bench.scratch / "peers/peer.symcache", bench.scratch / "peers/peer.gsym"


def symbolizer_for(path, kind, addresses):
    """(command, addresses as it takes them); nothing where llvm-symbolizer cannot take part."""
    if kind == "pdb":
        image = image_of(path)
        return ([SYMBOLIZER, f"--obj={image}", "--relative-address"], addresses) if image else (None, [])
    base = symbolizers.image_base(path)
    return [SYMBOLIZER, f"--obj={path}"], [address + base for address in addresses]


def cold_rows(bench, path, kind, addresses, told):
    """From the debug file to the answers, whatever a program has to make on the way."""
    peer, theirs = symbolizer_for(path, kind, addresses)
    fresh, peers = bench.folder("fresh"), bench.folder("fresh_peers")
    yield Row("symcached convert, then lookup", ["sh", "-c", OURS_COLD, "sh", bench.program, path, fresh],
              lines_of(addresses))
    yield Row("symcached lookup, on the debug file",
              [bench.program, "lookup", "--no-cache", "--relative-address", path], lines_of(addresses))
    if peer:
        yield Row("llvm-symbolizer", peer, lines_of(theirs))
    if kind == "elf":
        yield Row("GNU addr2line", ["addr2line", "-afiCe", path], lines_of(theirs))
    if kind == "elf" and bench.peers:
        yield Row("gimli", [bench.peers, "gimli", "lookup", path, told, "--base", symbolizers.image_base(path),
                            "--demangle", "--print"])
    if kind in ("elf", "macho") and shutil.which(GSYMUTIL):
        made = peers / "peer.gsym"
        yield Row("llvm-gsymutil convert, then lookup", ["sh", "-c", GSYM_COLD, "sh", GSYMUTIL, path, made],
                  lines_of(theirs, f" {made}"))
    if bench.peers:
        yield Row("symbolic convert, then lookup",
                  ["sh", "-c", SYMBOLIC_COLD, "sh", bench.peers, path, peers / "peer.symcache", told])


def warm_rows(bench, path, kind, symcache, addresses, told):
    """From a cache that is there; llvm-symbolizer, GNU's addr2line and gimli have none."""
    yield Row("symcached lookup", [bench.program, "lookup", symcache], lines_of(addresses))
    users = ["env", f"XDG_CACHE_HOME={bench.folder('user')}"]
    subprocess.run([*users, bench.program, "cache", "add", path], check=True, stdout=subprocess.DEVNULL)
    yield Row("symcached lookup, on the debug file",
              [*users, bench.program, "lookup", "--relative-address", path], lines_of(addresses))
    cache, gsym = made_by_peers(bench)
    if gsym.exists():
        theirs = symbolizer_for(path, kind, addresses)[1]
        yield Row("llvm-gsymutil lookup", [GSYMUTIL, "--addresses-from-stdin"], lines_of(theirs, f" {gsym}"))
    if bench.peers and gsym.exists() and kind == "elf":
        yield Row("blazesym lookup, on a GSYM", [bench.peers, "blazesym", "lookup", gsym, told, "--base",
                                                 symbolizers.image_base(path), "--demangle", "--print"])
    if bench.peers and cache.exists():
        yield Row("symbolic lookup", [bench.peers, "symbolic", "lookup", cache, told, "--demangle", "--print"])


def lookups_of_processes(bench, path, kind, symcache, runs):
    """Whole processes, cold and warm, with one address and with a few."""
    few = [int(line, 16) for line in choose_addresses(bench, symcache, FEW).read_text().split()]
    for count in (1, FEW):
        addresses = few[:count]
        told = bench.scratch / f"asked{count}.txt"
        told.write_text(lines_of(addresses))
        said = "one address" if count == 1 else f"{count} addresses"
        yield compare(f"cold{count}", f"Cold, {said}: from the debug file",
                      [*cold_rows(bench, path, kind, addresses, told)], runs, bench.launcher)
        yield compare(f"warm{count}", f"Warm, {said}: from a cache that is there",
                      [*warm_rows(bench, path, kind, symcache, addresses, told)], runs, bench.launcher)


def bench_native(bench, path, kind, runs):
    """All tables of one native file."""
    rows = [*our_conversions(bench, path), *conversion_peers(bench, path, kind)]
    tables = [compare("converting", "Converting", rows, runs, bench.launcher)]
    symcache = rows[0].makes
    print(f"  the symcache is {symcache.stat().st_size / path.stat().st_size:.4f} of the file")
    tables += lookups_within(bench, path, kind, symcache, runs)
    tables += lookups_of_processes(bench, path, kind, symcache, runs)
    return tables
