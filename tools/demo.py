#!/usr/bin/env python3
"""demo.py SYMCACHED DIR: shows what the program does on the PDBs in DIR/pdbs; everything it makes stays under DIR.

Lays the PDBs out as a symbol store, starts the server on it, fetches symcaches over the SymCache protocol with curl,
looks addresses up in one of them and prints what a user of the program would see.
"""
import contextlib
import json
import pathlib
import select
import shutil
import signal
import subprocess
import sys
import time

MIB = 1024 * 1024


class Failed(Exception):
    """Something the demo needs did not work; the message says what."""


def run(*command, stdin=None):
    done = subprocess.run([str(part) for part in command], input=stdin, capture_output=True, text=True)
    if done.returncode != 0:
        raise Failed(f"{' '.join(map(str, command))}\n{done.stderr.strip()}")
    return done.stdout


def title(text):
    print(f"\n{text}")


def identify(program, pdbs):
    """What `symcached inspect` says of the PDBs: rows of name, guid (32 upper-case digits) and age."""
    rows = []
    for path, said in zip(pdbs, json.loads(run(program, "inspect", "--json", *pdbs))):
        guid, _, age = said["debug_id"].rpartition("-")
        rows.append({"path": path, "name": path.name, "arch": said["arch"],
                     "guid": guid.replace("-", "").upper(), "age": int(age, 16)})
    return rows


def lay_out(rows, store):
    """A symbol store: NAME/GUID+AGE/NAME, as symstore and every symbol server have it."""
    shutil.rmtree(store, ignore_errors=True)
    for row in rows:
        place = store / row["name"] / f"{row['guid']}{row['age']:x}"
        place.mkdir(parents=True)
        shutil.copyfile(row["path"], place / row["name"])


@contextlib.contextmanager
def server(program, folder):
    """A running server, as its URL. It ends with the block, however that ends."""
    cache = folder / "cache"
    shutil.rmtree(cache, ignore_errors=True)
    command = [program, "serve", "--bind", "127.0.0.1:0", "--admin-bind", "", "--cache-dir", cache,
               "--symbols", folder / "store"]
    with open(folder / "server.log", "w") as log:
        process = subprocess.Popen([str(part) for part in command], stdout=subprocess.PIPE, stderr=log, text=True)
    try:
        yield listening_url(process, folder)
    finally:
        stop(process)


def listening_url(process, folder):
    ready, _, _ = select.select([process.stdout], [], [], 20)
    line = process.stdout.readline() if ready else ""
    if "http://" not in line:
        raise Failed(f"the server did not start; see {folder / 'server.log'}")
    return line[line.index("http://"):].strip()


def stop(process):
    process.terminate()
    try:
        process.wait(10)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()


def curl(url, target):
    """Fetches with curl; returns the seconds it took by curl's own clock."""
    return float(run("curl", "-sS", "--fail", "--max-time", "120", "-o", target, "-w", "%{time_total}", url))


def fetch_all(rows, url, folder):
    """Each symcache twice: converted while we wait, then from the cache."""
    folder.mkdir(exist_ok=True)
    for row in rows:
        row["url"] = f"{url}/open/v2.1.0/{row['name']}/{row['guid']}/{row['age']}"
        row["symcache"] = folder / f"{row['name']}.symcache"
        row["first"] = curl(row["url"], row["symcache"])
        row["again"] = curl(row["url"], row["symcache"])


def print_fetches(rows):
    print(f"  {'':24} {'PDB':>10} {'symcache':>11}  {'smaller':>7} {'first time':>11} {'again':>9}")
    for row in rows:
        big, small = row["path"].stat().st_size, row["symcache"].stat().st_size
        print(f"  {row['name']:24} {big / MIB:6.1f} MiB {small / 1024:7.0f} KiB {big / small:6.0f} x "
              f"{row['first'] * 1000:8.0f} ms {row['again'] * 1000:6.1f} ms")


def look_up(program, symcache, addresses):
    lines = run(program, "lookup", symcache, "--json", stdin="".join(f"{a:#x}\n" for a in addresses))
    return [json.loads(line) for line in lines.splitlines() if line]


def depth(answer):
    return sum(1 for frame in answer["Symbol"] if frame["FunctionName"])


def dullness(answer):
    """Sorts answers: the program's own code before its libraries', then deep ones, but not more than fit a glance."""
    library = any("Program Files" in frame["FileName"] for frame in answer["Symbol"])
    return library, depth(answer) > 5, -depth(answer), int(answer["Address"], 16)


def interesting(program, symcache, wanted=2):
    """Addresses inside inlined calls of different functions, found by looking thousands up."""
    addresses = range(0x1000, 0x40000, 11)
    started = time.monotonic()
    answers = look_up(program, symcache, addresses)
    per_second = len(answers) / (time.monotonic() - started)
    best = {}  # by outermost function
    for answer in sorted(filter(lambda a: depth(a) > 1, answers), key=dullness):
        best.setdefault(answer["Symbol"][-1]["FunctionName"], answer)
    return [answer["Address"] for answer in list(best.values())[:wanted]], per_second


def shorten(text, width=110):
    return text if len(text) <= width else f"{text[:width // 2 - 2]} .. {text[-width // 2 + 2:]}"


def show_frames(program, row):
    addresses, per_second = interesting(program, row["symcache"])
    if not addresses:
        raise Failed(f"no address of {row['name']} has inlined frames")
    title(f"Functions, files, lines and inlined calls: {program} lookup {row['symcache']} {' '.join(addresses)}")
    for line in run(program, "lookup", row["symcache"], *addresses).splitlines():
        print(f"  {shorten(line)}".rstrip())
    print(f"  {per_second:,.0f} lookups per second, printed as JSON")


def demo(program, folder):
    pdbs = sorted((folder / "pdbs").glob("*.pdb"))
    title((folder / "pdbs" / "origin.txt").read_text().strip())
    rows = identify(program, pdbs)
    for row in rows:
        print(f"  {row['name']:24} {row['guid']} age {row['age']}  {row['arch']}")
    lay_out(rows, folder / "store")
    with server(program, folder) as url:
        title(f"Symcaches over the SymCache protocol, from {url}/open: converted on the first request, then cached")
        fetch_all(rows, url, folder / "symcaches")
        print_fetches(rows)
        print(f"  each by: curl -f -o {rows[0]['symcache']} {rows[0]['url']}")
        show_frames(program, max(rows, key=lambda row: row["symcache"].stat().st_size))
    title(f"The server has been stopped; its cache is in {folder}. To run your own: ./dev serve --symbols DIR")


def main():
    sys.stdout.reconfigure(line_buffering=True)
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))  # so that the server is stopped then, too
    try:
        demo(pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2]))
    except Failed as failure:
        print(f"demo: {failure}", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
