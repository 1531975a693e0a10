#!/usr/bin/env python3
"""Tests of check_lines.py."""
import unittest

import check_lines


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
            ("a lambda awaited", "base/a.cpp", "co_await wait_for([kept] {});\n", 1),
            ("on the next line", "base/a.cpp", "co_return co_await wait_for(a,\n  [kept] {});\n", 1),
            ("an index awaited", "base/a.cpp", "co_await sources[i]->open(wanted);\n", 0),
            ("a lambda before", "base/a.cpp", "auto f = [] {};\nco_await wait_for(f);\n", 0),
            ("long", "base/a.cpp", "\n" * 501, 1),
            ("long and listed", "base/long.cpp", "\n" * 501, 0),
            ("long in a listed folder", "base/rows/a.tsv", "\n" * 501, 0),
            ("long in a folder of such a name", "base/rowsome/a.tsv", "\n" * 501, 1),
        ]:
            self.assertEqual(len(list(check_lines.finds_in(path, text, {"base/long.cpp", "base/rows"}))), want, why)


if __name__ == "__main__":
    unittest.main()
