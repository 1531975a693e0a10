#!/usr/bin/env python3
"""Tests of check_lines.py and count_tests.py."""
import json
import pathlib
import tempfile
import unittest
import xml.etree.ElementTree as ElementTree

import check_lines
import count_tests


class Lines(unittest.TestCase):
    def test_finds(self):
        for why, path, text, want in [
            ("plain", "base/a.cpp", "int a;\n", 0),
            ("unfinished", "base/a.cpp", "// TO" "DO: later\n", 1),
            ("a word that only holds the mark", "base/a.cpp", "int autoTO" "DOs;\n", 0),
            ("one machine", "dev", "cd /wo" "rk/main\n", 1),
            ("an address with such a part", "dev", "curl http://host/wo" "rk/main\n", 0),
            ("a registry", "README.md", "see registry.np" "mjs.org\n", 1),
            ("wide", "base/a.cpp", "x" * 121 + "\n", 1),
            ("a wide table row", "README.md", "|" + "x" * 130 + "\n", 0),
            ("trailing blank", "base/a.cpp", "int a; \n", 1),
            ("long", "base/a.cpp", "\n" * 501, 1),
            ("long and listed", "base/long.cpp", "\n" * 501, 0),
        ]:
            self.assertEqual(len(list(check_lines.finds_in(path, text, {"base/long.cpp"}))), want, why)


class Counting(unittest.TestCase):
    def counts(self, status, cases=None):
        test = ElementTree.fromstring(f'<testcase name="formats/pe" status="{status}"/>')
        with tempfile.TemporaryDirectory() as folder:
            if cases is not None:
                report = {"testsuites": [{"testsuite": cases}]}
                pathlib.Path(folder, "formats_pe_test.json").write_text(json.dumps(report))
            return str(count_tests.counts_of(test, pathlib.Path(folder)))

    def test_counts(self):
        passed, failed = {"status": "RUN", "result": "COMPLETED"}, {"status": "RUN", "failures": [{}]}
        skipped = {"status": "RUN", "result": "SKIPPED"}
        for why, status, cases, want in [
            ("no report, good", "run", None, "1 passed, 0 failed"),
            ("no report, died early", "fail", None, "0 passed, 1 failed"),
            ("cases", "fail", [passed, failed, passed], "2 passed, 1 failed"),
            ("cases good, program bad", "fail", [passed], "1 passed, 1 failed"),
            ("skipped", "run", [passed, skipped], "1 passed, 0 failed, 1 skipped"),
        ]:
            self.assertEqual(self.counts(status, cases), want, why)


if __name__ == "__main__":
    unittest.main()
