#!/usr/bin/env python3
"""count_tests.py DIR: sums the results that one ctest run left in DIR and prints `N passed, N failed`.

DIR holds ctest.xml (ctest --output-junit) and, for each gtest program, PROGRAM.json. A gtest program counts by its
cases; a ctest test without such a report (a script, a replay, a program that died early) counts as one.
Exit status: 1 when something failed or nothing ran.
"""
import json
import pathlib
import sys
import xml.etree.ElementTree as ElementTree
from dataclasses import dataclass


@dataclass
class Counts:
    passed: int = 0
    failed: int = 0
    skipped: int = 0

    def add(self, other):
        self.passed += other.passed
        self.failed += other.failed
        self.skipped += other.skipped

    def __str__(self):
        tail = f", {self.skipped} skipped" if self.skipped else ""
        return f"{self.passed} passed, {self.failed} failed{tail}"


def cases_of(report):
    """Counts of one gtest report."""
    counts = Counts()
    for suite in report["testsuites"]:
        for case in suite["testsuite"]:
            if case.get("failures"):
                counts.failed += 1
            elif case["status"] == "NOTRUN" or case.get("result") == "SKIPPED":
                counts.skipped += 1
            else:
                counts.passed += 1
    return counts


def counts_of(test, folder):
    """Counts of one ctest test: its gtest report when it left one, else the test as a whole."""
    ran = {"run": Counts(passed=1), "fail": Counts(failed=1)}.get(test.get("status"), Counts(skipped=1))
    report = folder / (test.get("name").replace("/", "_") + "_test.json")
    if not report.exists():
        return ran
    counts = cases_of(json.loads(report.read_text()))
    if ran.failed and not counts.failed:  # every case passed, then the program itself failed: a leak, a late crash
        counts.failed = 1
    return counts


def main():
    folder = pathlib.Path(sys.argv[1])
    total = Counts()
    for test in ElementTree.parse(folder / "ctest.xml").getroot().iter("testcase"):
        total.add(counts_of(test, folder))
    print(total)
    return 1 if total.failed or total.passed == 0 else 0


if __name__ == "__main__":
    sys.exit(main())
