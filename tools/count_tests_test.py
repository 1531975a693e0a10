#!/usr/bin/env python3
"""Tests of count_tests.py."""
import json
import pathlib
import subprocess
import sys
import tempfile
import unittest
import xml.etree.ElementTree as ElementTree

import count_tests

PASSED = {"name": "Good", "status": "RUN", "result": "COMPLETED"}
FAILED = {"name": "Bad", "status": "RUN", "failures": [{}]}
SKIPPED = {"name": "Lazy", "status": "RUN", "result": "SKIPPED"}
DISABLED = {"name": "DISABLED_Off", "status": "NOTRUN", "result": "SUPPRESSED"}


def testcase(status, output="", name="formats/pe"):
    return f'<testcase name="{name}" status="{status}"><system-out>{output}</system-out></testcase>'


class Counting(unittest.TestCase):
    def setUp(self):
        scratch = tempfile.TemporaryDirectory()
        self.addCleanup(scratch.cleanup)
        self.folder = pathlib.Path(scratch.name)

    def counts(self, status, cases=None, output=""):
        report = self.folder / "formats_pe_test.json"
        report.unlink(missing_ok=True)
        if cases is not None:
            report.write_text(json.dumps({"testsuites": [{"name": "Pe", "testsuite": cases}]}))
        return count_tests.counts_of(ElementTree.fromstring(testcase(status, output)), self.folder)

    def test_counts(self):
        for why, status, cases, output, want, skips in [
            ("no report, good", "run", None, "", "1 passed, 0 failed", []),
            ("no report, died early", "fail", None, "", "0 passed, 1 failed", []),
            ("no report, skipped", "notrun", None, "", "0 passed, 0 failed, 1 skipped", ["formats/pe"]),
            ("cases", "fail", [PASSED, FAILED, PASSED], "", "2 passed, 1 failed", []),
            ("cases good, program bad", "fail", [PASSED], "", "1 passed, 1 failed", []),
            ("a case skipped", "run", [PASSED, SKIPPED], "", "1 passed, 0 failed, 1 skipped", ["formats/pe: Pe.Lazy"]),
            ("a case disabled", "run", [PASSED, DISABLED], "", "1 passed, 0 failed, 1 skipped",
             ["formats/pe: Pe.DISABLED_Off"]),
            ("parts skipped", "run", None, "fine\n..SKIPPED a row, 5: no tool: x\nSKIPPED b: no y\n",
             "1 passed, 0 failed, 2 skipped", ["formats/pe: a row, 5", "formats/pe: b"]),
            ("unittest skipped", "run", None, "Ran 3 tests\n\nOK (skipped=2)\n", "1 passed, 0 failed, 1 skipped",
             ["formats/pe: 2 cases of unittest"]),
            ("unittest failed and skipped", "fail", None, "FAILED (failures=1, skipped=2)\n",
             "0 passed, 1 failed, 1 skipped", ["formats/pe: 2 cases of unittest"]),
        ]:
            with self.subTest(why):
                counts = self.counts(status, cases, output)
                self.assertEqual((str(counts), counts.skips), (want, skips))

    def run_on(self, tests, allowed):
        (self.folder / "ctest.xml").write_text(f"<testsuite>{tests}</testsuite>")
        (self.folder / "allowed.txt").write_text(allowed)
        done = subprocess.run([sys.executable, count_tests.__file__, self.folder, self.folder / "allowed.txt"],
                              capture_output=True, text=True)
        return done.returncode, done.stdout

    def test_the_run(self):
        lazy = testcase("run", "SKIPPED a row: no tool\n", "e2e/x")
        for why, tests, allowed, want_status, want in [
            ("all good", testcase("run"), "", 0, "1 passed, 0 failed"),
            ("nothing ran", "", "", 1, "0 passed, 0 failed"),
            ("a failure", testcase("fail"), "", 1, "0 passed, 1 failed"),
            ("a skip nobody allowed", lazy, "", 1, "1 passed, 0 failed, 1 skipped"),
            ("an allowed one", lazy, "# why\n\ne2e/x: a row  no such tool\n", 0, "1 passed, 0 failed, 1 skipped"),
            ("another part is allowed", lazy, "e2e/x: b row  no such tool\n", 1, "1 passed, 0 failed, 1 skipped"),
            ("a whole test skipped", testcase("run") + testcase("notrun", "", "e2e/y"), "e2e/y: z  reason\n", 1,
             "1 passed, 0 failed, 1 skipped"),
            ("a reason is missing", lazy, "e2e/x: a row\n", 1, ""),
        ]:
            with self.subTest(why):
                status, said = self.run_on(tests, allowed)
                self.assertEqual((status, said.rstrip("\n").rpartition("\n")[2]), (want_status, want), said)

    def test_what_was_not_skipped_is_told(self):
        status, said = self.run_on(testcase("run", "", "e2e/x"), "e2e/x: a row  reason\ne2e/not_run: b  reason\n")
        self.assertEqual(status, 0)
        self.assertIn("not skipped here: e2e/x: a row\n", said)
        self.assertNotIn("e2e/not_run", said)


class TheList(unittest.TestCase):
    def test_each_entry_has_a_reason(self):
        listing = pathlib.Path(count_tests.__file__).with_name("allowed_skips.txt")
        self.assertGreater(len(count_tests.read_allowed(listing.read_text())), 0)


if __name__ == "__main__":
    unittest.main()
