"""Runs programs in turn and compares their medians: what bench/run.py measures with."""
import dataclasses
import os
import pathlib
import re
import shlex
import statistics
import subprocess
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent
BUDGET_SECONDS = 120  # per table; it ends early when this is used up, after 3 rounds
KEPT = ("hits", "frames", "languages", "text_bytes", "line_sum")  # what a program says of its lookups besides the speed
SHOWN = {"hits": "hits", "frames": "frames", "languages": "languages", "text_bytes": "characters"}


class Died(Exception):
    """A program ended with an error; the message has its exit status, command and last words."""


@dataclasses.dataclass
class Run:
    """One run of a program: wall time, and time on a processor (which a busy machine lengthens less)."""
    seconds: float
    cpu_seconds: float
    output: str


def measure(command, stdin=b"", keep_output=False):
    with tempfile.TemporaryFile() as given, tempfile.TemporaryFile() as kept:
        given.write(stdin)
        given.seek(0)
        started = time.perf_counter()
        process = subprocess.Popen(command, stdin=given, stdout=kept if keep_output else subprocess.DEVNULL,
                                   stderr=subprocess.PIPE)
        said = process.stderr.read()
        _, status, usage = os.wait4(process.pid, 0)
        seconds = time.perf_counter() - started
        process.returncode = os.waitstatus_to_exitcode(status)
        process.stderr.close()
        kept.seek(0)
        output = kept.read().decode(errors="replace")
    if process.returncode != 0:
        raise Died(f"exit {process.returncode}: {' '.join(command)}\n{said.decode(errors='replace')[-2000:]}")
    return Run(seconds, usage.ru_utime + usage.ru_stime, output)


class Row:
    """One program in a table: its command, what it reads, what it leaves behind, and what its runs took."""

    def __init__(self, name, command, stdin="", before=None, makes=None, says_speed=False):
        self.name, self.command, self.stdin = name, [str(part) for part in command], stdin.encode()
        self.before = before or (lambda: None)
        self.makes = makes  # the file it writes, whose size is shown
        self.says_speed = says_speed  # its output ends with name=value pairs: seconds, or lookups_per_s and others
        self.runs, self.said = [], []
        self.peak_kib = None

    def run(self):
        self.before()
        run = measure(self.command, self.stdin, keep_output=self.says_speed)
        self.runs.append(run)
        if self.says_speed:
            last = run.output.strip().splitlines()[-1]
            self.said.append({name: float(value) for name, value in re.findall(r"(\w+)=([\d.]+)", last)})

    def measure_memory(self, launcher):
        """One more run: see bench/peak.cpp."""
        self.before()
        with tempfile.TemporaryDirectory() as folder:
            told = pathlib.Path(folder) / "peak"
            measure([str(launcher), str(told), *self.command], self.stdin)
            self.peak_kib = int(told.read_text())

    def median(self):
        return statistics.median(run.seconds for run in self.runs)

    def median_cpu(self):
        return statistics.median(run.cpu_seconds for run in self.runs)

    def speed(self):
        return statistics.median(said["lookups_per_s"] for said in self.said)

    def speed_per_cpu(self):
        """Lookups in a second of processor time; the start of the process and the reading of questions count too."""
        return statistics.median(said["lookups_per_s"] * said["seconds"] / run.cpu_seconds
                                 for said, run in zip(self.said, self.runs))

    def told_seconds(self):
        return [said["seconds"] for said in self.said]

    def bytes_made(self):
        return self.makes.stat().st_size if self.makes and self.makes.exists() else None

    def shown_command(self):
        """The command, paths from the repository."""
        from_here = [part.replace(f"{ROOT}/", "").replace(f"{ROOT.parent}/", "../") for part in self.command]
        return " ".join(map(shlex.quote, from_here))

    def numbers(self, first):
        """All of it, for the JSON file. Ratios are against the row `first`."""
        seconds = [run.seconds for run in self.runs]
        found = {"name": self.name, "command": self.shown_command(), "runs": len(seconds),
                 "median_s": self.median(), "min_s": min(seconds), "max_s": max(seconds),
                 "time_ratio": self.median() / first.median(), "median_cpu_s": self.median_cpu(),
                 "cpu_ratio": self.median_cpu() / first.median_cpu()}
        if self.peak_kib:
            found["peak_rss_kib"] = self.peak_kib
        if self.bytes_made():
            found["bytes"] = self.bytes_made()
            found["bytes_ratio"] = self.bytes_made() / first.bytes_made()
        if self.said:
            found |= {"told_median_s": statistics.median(self.told_seconds()), "told_min_s": min(self.told_seconds()),
                      **{name: self.said[0][name] for name in self.said[0] if name in KEPT}}
        if self.said and "lookups_per_s" in self.said[0]:
            found |= {"lookups_per_s": self.speed(), "speed_ratio": first.speed() / self.speed(),
                      "lookups_per_cpu_s": self.speed_per_cpu()}
        return found


def run_in_turn(rows, runs):
    """(rows that live, each with its runs, names of those that died). The first must live."""
    started, died = time.monotonic(), []
    for number in range(runs):
        if number >= 3 and time.monotonic() - started > BUDGET_SECONDS:
            break
        for row in list(rows):
            try:
                row.run()
            except Died as death:
                if row is rows[0]:
                    raise
                print(f"\n  left out below, it died: {row.name}: {str(death).splitlines()[0]}")
                rows = [other for other in rows if other is not row]
                died.append(row.name)
    return rows, died


def table(key, title, rows, died):
    return {"key": key, "title": title, "rows": [row.numbers(rows[0]) for row in rows], "died": died}


def compare(key, title, rows, runs, launcher):
    """Runs the rows in turn and prints them; ratios are against the first. Returns the numbers."""
    rows, died = run_in_turn(rows, runs)
    for row in rows:
        row.measure_memory(launcher)
    first, sizes = rows[0], rows[0].bytes_made() is not None
    print(f"\n{title}: {len(first.runs)} runs each")
    print(f"  {'':44} {'median':>11} {'min':>11} {'max':>11} {'time':>8} {'processor':>11} {'peak RSS':>9}"
          + (f" {'bytes':>13} {'size':>8}" if sizes else ""))
    for row in rows:
        seconds = [run.seconds for run in row.runs]
        times = " ".join(f"{value * 1000:8.1f} ms" for value in (row.median(), min(seconds), max(seconds)))
        size = f" {row.bytes_made():13,} {row.bytes_made() / first.bytes_made():6.2f} x" if row.bytes_made() else ""
        print(f"  {row.name:44} {times} {row.median() / first.median():6.2f} x {row.median_cpu() * 1000:8.1f} ms "
              f"{row.peak_kib / 1024:5.0f} MiB{size}", flush=True)
    return table(key, title, rows, died)


def compare_speeds(key, title, rows, runs):
    """The same for programs that say their speed themselves."""
    rows, died = run_in_turn(rows, runs)
    first = rows[0]
    columns = [name for name in SHOWN if name in first.said[0]]
    print(f"\n{title}: {len(first.runs)} runs each")
    shown = " ".join(f"{SHOWN[name]:>10}" for name in columns)
    print(f"  {'':44} {'lookups/s':>12} {'time':>8} {'per CPU s':>12} {shown}")
    for row in rows:
        said = " ".join(f"{row.said[0][name]:10.{1 if name == 'text_bytes' else 4}f}" for name in columns)
        print(f"  {row.name:44} {row.speed():12,.0f} {first.speed() / row.speed():6.2f} x "
              f"{row.speed_per_cpu():12,.0f} {said}", flush=True)
    return table(key, title, rows, died)


def compare_told(key, title, rows, runs):
    """The same for programs that say themselves how long they took."""
    rows, died = run_in_turn(rows, runs)
    first = statistics.median(rows[0].told_seconds())
    print(f"\n{title}: {len(rows[0].runs)} runs each")
    print(f"  {'':44} {'median':>11} {'min':>11} {'max':>11} {'time':>8}")
    for row in rows:
        told = row.told_seconds()
        times = " ".join(f"{value * 1000:8.1f} ms" for value in (statistics.median(told), min(told), max(told)))
        print(f"  {row.name:44} {times} {statistics.median(told) / first:6.2f} x", flush=True)
    return table(key, title, rows, died)
