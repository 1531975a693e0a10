#!/usr/bin/env python3
"""pprof_shares_test.py SYMCACHED: profiles of a program whose shares are known, as google-pprof and `go tool pprof`
tell them: of CPU time, memory and waits; what is left when one is subtracted from another; addresses and names as they
are."""
import re
import subprocess

from pprof_clients import PERL, shares_of
from pprof_installed import CLOSE, ONE_LINE, PREFIX, PRELOADED, PROTO, Installed, run_tests


class Shares(Installed):
    def check_shares(self, texts, wanted):
        """Of the functions in `wanted` among themselves, as other threads work, too."""
        for client, text in texts.items():
            shares = shares_of(text)
            of_ours = sum(shares.get(name, 0.0) for name in wanted)
            for name, want in wanted.items():
                with self.subTest(f"{client}: {name}"):
                    self.assertAlmostEqual(100 * shares.get(name, 0.0) / (of_ours or 1),
                                           100 * want / sum(wanted.values()), delta=CLOSE, msg=text)

    def saved(self, program, target, name="saved"):
        file = self.folder / name
        self.assertEqual(program.curl(target, "-f", "-o", str(file)).returncode, 0, target)
        return file

    def both(self, program, legacy, perl_option, proto, go_option):
        """With functions that take little, too."""
        perl = self.clients.perl("--text", "--nodefraction=0", perl_option, f"{program.url}{PREFIX}{legacy}")
        go = self.clients.go("-top", "-nodefraction=0", "-noinlines", go_option, f"{program.url}{PROTO}{proto}")
        return {"google-pprof": perl.stdout, "go": go.stdout}

    def test_shares_of_time(self):
        """Of functions that take 60, 30 and 10 %, in both clients' words. The kernel looks at timers 250 times a second
        or more often: thousands of samples, which are off by less than a point."""
        program = self.running()
        wanted = {"hot_sixty": 60.0, "hot_thirty": 30.0, "hot_ten": 10.0}
        query = "profile?seconds=12&frequency=250"
        file = self.saved(program, PREFIX + query)
        texts = {
            "google-pprof": self.clients.perl("--text", self.folder / "shared", file).stdout,
            "go": self.clients.go("-top", "-noinlines", f"{program.url}{PROTO}{query}").stdout,
        }
        self.check_shares(texts, wanted)

    def test_shares_of_memory(self):
        """Of sites with blocks of 1 MiB, 64 KiB and 8 KiB. Of the last, the fewest, about 800 of 1280 are sampled: off
        by a quarter of a point. What is freed counts in what was ever allocated."""
        in_use = {"allocate_sixty": 60, "allocate_thirty": 30, "allocate_ten": 10}
        rows = [
            ("heap", "--inuse_space", "heap", "-inuse_space", {**in_use, "allocate_and_free": 0}, tuple(self.ways)),
            ("heap", "--alloc_space", "allocs", "-alloc_space", {**in_use, "allocate_and_free": 100}, PRELOADED),
            ("heap", "--alloc_objects", "heap", "-alloc_objects",
             {"allocate_sixty": 60, "allocate_thirty": 480, "allocate_ten": 1280, "allocate_and_free": 100},
             PRELOADED),
            ("growth", "--inuse_space", "growth", "-sample_index=space", in_use, ONE_LINE),
        ]
        for way in self.ways:
            program = self.running(way)
            for legacy, perl_option, proto, go_option, wanted, ways in rows:
                if way in ways:
                    with self.subTest(f"{way}: {go_option}"):
                        self.check_shares(self.both(program, legacy, perl_option, proto, go_option), wanted)

    def test_shares_of_waits(self):
        """Of three places, as the program measured them: how long a lock is held, a busy machine decides."""
        for way in self.ways:
            with self.subTest(way):
                program = self.running(way)
                program.curl("/pprof/contention")  # from now on waits are measured
                wanted = dict(zip(("wait_sixty", "wait_thirty", "wait_ten"), map(int, program.ask("w").split())))
                texts = self.both(program, "contention", "--total_delay", "mutex", "-sample_index=delay")
                self.check_shares(texts, wanted)

    def test_raw_and_symbols(self):
        """google-pprof --raw of each page, with the server's names, and those that --symbols finds for the same
        addresses in the files that the page lists. CPU profiles it can read again: of others it writes what it does not
        read."""
        programs = {way: self.running(way) for way in ("preloaded", "one line")}
        programs["preloaded"].curl("/pprof/contention")
        pages = [("profile", "sample::hot_sixty", "preloaded", True),
                 ("pmuprofile?event=cpu-clock&period=1000000", "sample::hot_sixty", "preloaded", True),
                 ("heap", "sample::allocate_sixty", "preloaded", False),
                 ("contention", "sample::wait_for_the_lock", "preloaded", False),
                 ("growth", "sample::allocate_sixty", "one line", False)]
        for page, want, way, is_read_again in pages:
            with self.subTest(page):
                url, raw = f"{programs[way].url}{PREFIX}{page}", self.folder / "raw"
                with raw.open("wb") as file:
                    subprocess.run([PERL, "--raw", "--seconds=1", url], env=self.clients.environment, stdout=file,
                                   check=True, stderr=subprocess.DEVNULL)
                text = raw.read_text(errors="replace")
                symbols, _, profile = text.partition("---\n--- profile\n")
                names = dict(re.findall(r"^(0x[0-9a-f]+) (sample::\w+)", symbols, re.M))
                self.assertIn(want, names.values(), text[:2000])
                modules = re.findall(r"[0-9a-f]+-[0-9a-f]+ +r-xp .*\n", profile)
                done = self.clients.perl("--symbols", programs[way].process.args[0],
                                         input="".join(modules) + "".join(f"{address}\n" for address in names))
                self.assertEqual(re.findall(r"^sample::\w+|^0x.*", done.stdout, re.M), [*names.values()], done.stderr)
                if is_read_again:
                    self.assertIn(want, self.clients.perl("--text", raw).stdout)

    def test_base_is_subtracted(self):
        """What was allocated between two profiles is left, and nothing else of the program."""
        for way in self.ways:
            program = self.running(way)
            pages = (PREFIX, PROTO)
            before = [self.saved(program, f"{page}heap", f"before{i}") for i, page in enumerate(pages)]
            self.assertEqual(program.ask("a"), "allocated\n")
            after = [self.saved(program, f"{page}heap", f"after{i}") for i, page in enumerate(pages)]
            texts = {
                "google-pprof": self.clients.perl("--text", f"--base={before[0]}", program.process.args[0], after[0]),
                "go": self.clients.go("-top", "-unit=MB", f"-base={before[1]}", after[1]),
            }
            for client, done in texts.items():
                with self.subTest(f"{way}: {client}"):
                    self.assertRegex(done.stdout, r" 20(\.0|MB) +[\d.]+% +sample::allocate_more", done.stderr)
                    self.assertFalse({"allocate_sixty", "allocate_thirty", "allocate_ten"} & {*shares_of(done.stdout)})


if __name__ == "__main__":
    run_tests()
