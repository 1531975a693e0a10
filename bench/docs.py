#!/usr/bin/env python3
"""docs.py: writes the tables of docs/benchmarks.md from bench/results.json.

The page is kept as it is but for what stands between `<!-- table: KEY -->` and `<!-- end -->`. KEY is that of a table
of results.json, `machine`, or `commands`.
"""
import json
import pathlib
import re
import statistics
import textwrap

ROOT = pathlib.Path(__file__).resolve().parent.parent
RESULTS, PAGE = ROOT / "bench/results.json", ROOT / "docs/benchmarks.md"
MARKED = re.compile(r"(?<=<!-- table: )(\w+)( -->\n).*?(?=<!-- end -->)", re.DOTALL)
KINDS = {"elf": "ELF", "pdb": "PDB", "macho": "Mach-O", "wasm": "Wasm", "ppdb": "Portable PDB", "pe": "PE",
         "breakpad": "Breakpad"}

PEERS = ("symbolic", "gimli", "blazesym")  # of those in Rust: the versions of the crates


def time_of(seconds):
    if seconds >= 1:
        return f"{seconds:.2f} s"
    return f"{seconds * 1000:.0f} ms" if seconds >= 0.02 else f"{seconds * 1000:.1f} ms"


def speed_of(speed):
    return f"{speed / 1e6:.2f} M/s" if speed >= 1e5 else f"{speed / 1e3:.1f} k/s"


def cell_of(row, first, file_bytes):
    """A row of results.json as one cell; ratios to the first column are above 1 where that one is better."""
    if "lookups_per_s" in row:
        parts = [speed_of(row["lookups_per_s"]), f"{100 * row['hits']:.1f} % answered"]
        ratio = first["lookups_per_s"] / row["lookups_per_s"]
    elif "told_median_s" in row:
        parts, ratio = [time_of(row["told_median_s"])], row["told_median_s"] / first["told_median_s"]
    else:
        parts = [f"{time_of(row['median_s'])} ({time_of(row['median_cpu_s'])})"]
        ratio = row["median_s"] / first["median_s"]
        if "peak_rss_kib" in row:
            parts.append(f"{row['peak_rss_kib'] / 1024:.0f} MiB")
        if "bytes" in row:
            parts.append(f"{row['bytes']:,} B, {100 * row['bytes'] / file_bytes:.2f} %")
    return (f"**{ratio:.1f}**: " if row is not first else "") + "; ".join(parts)


def tables_of(results, key):
    """[(file's record, table)]"""
    return [(file, table) for file in results["files"] for table in file["tables"] if table["key"] == key]


def ordered_names(tables):
    """Names of rows over all files: the columns."""
    return list(dict.fromkeys(name for _, table in tables
                              for name in [row["name"] for row in table["rows"]] + table["died"]))


def render(results, key):
    tables = tables_of(results, key)
    names = ordered_names(tables)
    lines = ["| file | runs | " + " | ".join(names) + " |", "| --- " * (len(names) + 2) + "|"]
    for file, table in tables:
        rows = {row["name"]: row for row in table["rows"]}
        first = table["rows"][0]
        cells = [cell_of(rows[name], first, file["bytes"]) if name in rows else
                 "died" if name in table["died"] else "" for name in names]
        shown = f"{file['file']}, {KINDS.get(file['kind'], file['kind'])}, {file['bytes']:,} B"
        lines.append(f"| {shown} | {first['runs']} | " + " | ".join(cells) + " |")
    return "\n".join(lines)


def spread_of(results):
    """The middle one of all rows' spreads: how far the slowest run is from the fastest, as a part of the median."""
    spreads = [(row["max_s"] - row["min_s"]) / row["median_s"]
               for file in results["files"] for table in file["tables"] for row in table["rows"]]
    return statistics.median(spreads)


def machine(results):
    about = results["machine"]
    peers = ", ".join([about["llvm"], *(f"{name} {about[name]}" for name in PEERS if name in about)])
    text = (f"Measured on {about['date']} at commit {about['commit']}: {about['processors']} processors, "
            f"{about['model']}; load {about['load_before']:.1f} at the start and {about['load_after']:.1f} at the end. "
            f"At most {about['runs']} runs of each program, interleaved; each table says how many. The slowest and the "
            f"fastest run of a program are {100 * spread_of(results):.0f} % of its median apart, in the middle of all "
            f"rows. Peers: {peers}.")
    return textwrap.fill(text, width=118, break_long_words=False, break_on_hyphens=False)


def commands(results):
    """The command behind each column, once, with the first file's paths."""
    lines, seen = ["| table | program | command |", "| --- | --- | --- |"], set()
    for file in results["files"]:
        for table in file["tables"]:
            for row in table["rows"]:
                if (table["key"], row["name"]) not in seen:
                    seen.add((table["key"], row["name"]))
                    shown = row["command"].replace("|", "\\|")
                    lines.append(f"| {table['key']} | {row['name']} | `{shown}` |")
    return "\n".join(lines)


def filled(page, results):
    """The page with all tables anew."""
    special = {"machine": machine, "commands": commands}
    return MARKED.sub(lambda found: found[1] + found[2] + "\n" + (
        special[found[1]](results) if found[1] in special else render(results, found[1])) + "\n\n", page)


def write():
    PAGE.write_text(filled(PAGE.read_text(), json.loads(RESULTS.read_text())))


if __name__ == "__main__":
    write()
