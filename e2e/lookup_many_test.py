#!/usr/bin/env python3
"""lookup_many_test.py SYMCACHED: many questions on stdin get the same answers in the same order from any number of
threads, and who waits for each answer gets it; caches without columns answer the same lines."""
import json
import subprocess
import unittest

import program
from program import symcached

CODE = range(0x1000, 0x1400)  # of sample.exe and behind


class Many(program.WithPdb):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        symcached("convert", cls.pdb, "-o", cls.folder)
        cls.cache = cls.folder / "sample.pdb.symcache"
        addresses = [hex(address) for address in CODE]
        lines = addresses + ["", "zzz", "0x1000" + " " * 9000] + addresses[::-1]
        cls.questions = "\n".join(lines * 8)  # the last without a line end
        cls.count = 8 * len(lines)

    def test_threads_make_no_difference(self):
        for form in ([], ["--json"]):
            alone, two, five = (symcached("lookup", self.cache, "--threads", threads, *form, stdin=self.questions)
                                for threads in ("1", "2", "5"))
            self.assertEqual(alone.returncode, 2, "there is something in it that is no address")
            for other in (two, five):
                self.assertTrue(alone.stdout == other.stdout)
                self.assertEqual((other.returncode, sorted(other.stderr.splitlines())),
                                 (alone.returncode, sorted(alone.stderr.splitlines())))
        self.assertEqual(len(alone.stdout.splitlines()), self.count)

    def test_answers_are_those_of_single_questions(self):
        asked = [hex(address) for address in CODE]
        many = symcached("lookup", self.cache, "--threads", "3", "--json", stdin="\n".join(asked * 9))
        single = json.loads(symcached("lookup", self.cache, "--json", *asked).stdout)
        self.assertTrue([json.loads(line) for line in many.stdout.splitlines()] == single * 9)

    def test_who_waits_for_each_answer_gets_it(self):
        with subprocess.Popen([program.PROGRAM, "lookup", "--json", "--threads", "4", self.cache],
                              stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as asked:
            for address in CODE[:20]:
                asked.stdin.write(f"{address:#x}\n")
                asked.stdin.flush()
                self.assertEqual(json.loads(asked.stdout.readline())["Address"], hex(address))
            asked.stdin.close()
            self.assertEqual(asked.wait(), 0)

    def test_threads_are_at_least_one(self):
        done = symcached("lookup", self.cache, "--threads", "0", "0x1000")
        self.assertEqual((done.returncode, done.stdout), (2, ""))
        self.assertIn("--threads", done.stderr)

    def test_a_cache_without_columns_answers_the_same_lines(self):
        plain = self.folder / "plain"
        self.assertEqual(symcached("convert", "--no-columns", self.pdb, "-o", plain).returncode, 0)
        answers = [json.loads(symcached("lookup", cache, "--json", *map(hex, CODE)).stdout)
                   for cache in (self.cache, plain / "sample.pdb.symcache")]
        for answer in answers[0] + answers[1]:
            del answer["ModuleName"]
        for answer in answers[0]:
            for frame in answer["Symbol"]:
                frame["Column"] = 0
        self.assertTrue(answers[0] == answers[1])


if __name__ == "__main__":
    program.main()
