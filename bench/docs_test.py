#!/usr/bin/env python3
"""Tests of docs.py."""
import unittest

import docs

RUN = {"runs": 3, "median_s": 0.02, "median_cpu_s": 0.01, "min_s": 0.018, "max_s": 0.022, "command": "a | b"}
RESULTS = {
    "machine": {"date": "2026-01-02", "commit": "abc", "processors": 2, "model": "a processor", "load_before": 0.1,
                "load_after": 0.2, "runs": 3, "llvm": "LLVM 22", "symbolic": "12"},
    "files": [{"file": "a.pdb", "kind": "pdb", "bytes": 1000, "tables": [
        {"key": "converting", "title": "Converting", "died": ["third"], "rows": [
            RUN | {"name": "ours", "peak_rss_kib": 2048, "bytes": 50},
            RUN | {"name": "theirs", "median_s": 3.0, "median_cpu_s": 0.1}]},
        {"key": "within", "title": "", "died": [], "rows": [
            RUN | {"name": "ours", "lookups_per_s": 2e6, "hits": 1}, RUN | {"name": "theirs", "lookups_per_s": 5e4,
                                                                           "hits": 0.5}]}]}]}


class Docs(unittest.TestCase):
    def test_tables(self):
        for key, want in [
            ("converting", "| file | runs | ours | theirs | third |\n| --- | --- | --- | --- | --- |\n"
                           "| a.pdb, PDB, 1,000 B | 3 | 20 ms (10.0 ms); 2 MiB; 50 B, 5.00 % | "
                           "**150.0**: 3.00 s (100 ms) | died |"),
            ("within", "| file | runs | ours | theirs |\n| --- | --- | --- | --- |\n"
                       "| a.pdb, PDB, 1,000 B | 3 | 2.00 M/s; 100.0 % answered | "
                       "**40.0**: 50.0 k/s; 50.0 % answered |"),
        ]:
            self.assertEqual(docs.render(RESULTS, key), want)

    def test_the_text_between_tables_stays(self):
        page = ("# A\n\n<!-- table: machine -->\n<!-- end -->\n\nby hand\n\n"
                "<!-- table: within -->\nold\n<!-- end -->\nend\n")
        once = docs.filled(page, RESULTS)
        self.assertEqual(docs.filled(once, RESULTS), once)
        self.assertTrue(once.startswith("# A\n\n<!-- table: machine -->\n\nMeasured on 2026-01-02 at commit abc: 2 "))
        self.assertIn("-->\n\nby hand\n\n<!--", once)
        self.assertTrue(once.endswith("<!-- end -->\nend\n"))
        self.assertNotIn("old", once)

    def test_commands_are_listed_once(self):
        self.assertEqual(docs.commands({"files": RESULTS["files"] * 2}).count("`a \\| b`"), 4)

    def test_the_page_has_the_numbers_that_are_kept(self):
        page = docs.PAGE.read_text()
        self.assertGreaterEqual(len(docs.MARKED.findall(page)), 10)
        self.assertTrue(docs.filled(page, docs.json.loads(docs.RESULTS.read_text())) == page,
                        "docs/benchmarks.md has other numbers than bench/results.json: run bench/docs.py")


if __name__ == "__main__":
    unittest.main()
