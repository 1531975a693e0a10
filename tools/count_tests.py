#!/usr/bin/env python3
"""count_tests.py DIR [ALLOWED_SKIPS]: sums what one ctest run left in DIR; the last line is `N passed, N failed`.

DIR holds ctest.xml (ctest --output-junit) and, for each gtest program, PROGRAM.json. A gtest program counts by its
cases; a ctest test without such a report (a script, a replay, a program that died early) counts as one, and each line
`SKIPPED part: reason` of its output as a skip besides. ALLOWED_SKIPS lists what may be skipped, with reasons: any other
skip is a failure of the run. An entry of a test that ran and skipped nothing of that name is told.
Exit status: 1 when something failed, nothing ran, or something was skipped that may not be.
"""
import json
import pathlib
import re
import sys
import xml.etree.ElementTree as ElementTree
from dataclasses import dataclass, field

SKIPPED_PART = re.compile(r"^[.FEsxu]*SKIPPED (.+?): (.+)$", re.MULTILINE)  # behind unittest's marks of progress
SKIPPED_CASES = re.compile(r"^(?:OK|FAILED) \(.*\bskipped=(\d+)", re.MULTILINE)  # unittest, which tells no names


@dataclass
class Counts:
    passed: int = 0
    failed: int = 0
    skips: list = field(default_factory=list)  # names of what was skipped

    def add(self, other):
        self.passed += other.passed
        self.failed += other.failed
        self.skips += other.skips

    def __str__(self):
        tail = f", {len(self.skips)} skipped" if self.skips else ""
        return f"{self.passed} passed, {self.failed} failed{tail}"


def cases_of(name, report):
    """Counts of one gtest report of the ctest test `name`."""
    counts = Counts()
    for suite in report["testsuites"]:
        for case in suite["testsuite"]:
            if case.get("failures"):
                counts.failed += 1
            elif case["status"] == "NOTRUN" or case.get("result") == "SKIPPED":
                counts.skips.append(f"{name}: {suite['name']}.{case['name']}")
            else:
                counts.passed += 1
    return counts


def skips_within(name, output):
    """Names of the parts that a script says it skipped."""
    skips = [f"{name}: {part}" for part, _ in SKIPPED_PART.findall(output)]
    return skips + [f"{name}: {count} cases of unittest" for count in SKIPPED_CASES.findall(output)]


def counts_of(test, folder):
    """Counts of one ctest test: its gtest report when it left one, else the test as a whole."""
    name = test.get("name")
    ran = {"run": Counts(passed=1), "fail": Counts(failed=1)}.get(test.get("status"), Counts(skips=[name]))
    report = folder / (name.replace("/", "_") + "_test.json")
    if not report.exists():
        ran.skips += skips_within(name, test.findtext("system-out") or "")
        return ran
    counts = cases_of(name, json.loads(report.read_text()))
    if ran.failed and not counts.failed:  # every case passed, then the program itself failed: a leak, a late crash
        counts.failed = 1
    return counts


def read_allowed(text):
    """name -> reason, from lines `name  reason` with two blanks or more between; # starts a comment."""
    allowed = {}
    for line in text.splitlines():
        if line.strip() and not line.startswith("#"):
            name, _, reason = line.partition("  ")
            if not reason.strip():
                raise ValueError(f"no reason for the skip of {name!r}")
            allowed[name] = reason.strip()
    return allowed


def judge(skips, tests, allowed):
    """(skips that may not be, entries of tests that ran which were not skipped)."""
    unused = [name for name in allowed if name not in skips and name.partition(": ")[0] in tests]
    return sorted(set(skips) - set(allowed)), unused


def main():
    folder = pathlib.Path(sys.argv[1])
    listing = pathlib.Path(sys.argv[2]) if len(sys.argv) > 2 else None
    total, tests = Counts(), set()
    for test in ElementTree.parse(folder / "ctest.xml").getroot().iter("testcase"):
        tests.add(test.get("name"))
        total.add(counts_of(test, folder))
    refused, unused = judge(total.skips, tests, read_allowed(listing.read_text()) if listing else {})
    for name in unused:
        print(f"{listing}: not skipped here: {name}")
    for name in refused:
        print(f"skipped, and {listing or 'no list'} does not allow it: {name}")
    print(total)
    return 1 if total.failed or total.passed == 0 or refused else 0


if __name__ == "__main__":
    sys.exit(main())
