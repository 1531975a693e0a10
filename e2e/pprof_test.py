#!/usr/bin/env python3
"""pprof_test.py SYMCACHED: the real clients of pprof against programs with profiles in each of the three ways, and
against our own server."""
import json
import pathlib
import re
import shutil
import tempfile
import threading
import unittest

import rough_clients
from components.debuginfod import Debuginfod, Elf
from pprof_clients import Clients, Program, checked, run, seconds_of
from pprof_installed import EACH, ONE_LINE, PREFIX, PRELOADED, PROTO, SOURCE, Installed, run_tests
from program import PROGRAM, ROOT
from server import LIMIT, Server, until


def retried(profile):
    """A profile that is wanted however often another one is in the way."""
    while profile() == 409:
        pass


class Examples(Installed):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.built = cls.folder / "built"
        checked("cmake", "-S", ROOT / "examples/pprof", "-B", cls.built, f"-DCMAKE_PREFIX_PATH={cls.folder}/prefix",
                "-DCMAKE_CXX_FLAGS=-Wall -Wextra -Werror", "-DCMAKE_C_FLAGS=-Wall -Wextra -Wpedantic -Werror")
        checked("cmake", "--build", cls.built)

    def test_each(self):
        """The interfaces in C and C++, and the adapters: what their servers say of themselves."""
        for name in ("server", "server_static", "server_c", "server_c_static", "beast", "httplib"):
            with self.subTest(name), Program(self.built / name) as program:
                self.assertEqual(program.curl("/pprof/cmdline").stdout, f"{self.built / name}\n")
                self.assertRegex(program.curl("/debug/pprof/").stdout, "<h1>Profiles of ")
                self.assertRegex(program.curl("/pprof/symbol").stdout, r"^num_symbols: \d+\n$")
                self.assertEqual(program.curl("/pprof/symbol", "-d", "0x1").stdout, "")
                self.assertEqual(program.status("/pprof/symbol", "--head"), 200)
                self.assertEqual(program.status("/pprof/profile?seconds=x"), 400)
                self.assertEqual(program.status("/pprof/profile", "-d", ""), 405)
                if name in ("beast", "httplib"):
                    self.assertEqual(program.curl("/").stdout, "my own page\n")
                self.assertEqual(program.end(), (0, ""))

    def test_client_gone(self):
        """With cpp-httplib, which does not tell its handlers."""
        with Program(self.built / "httplib") as program:
            self.assertEqual(program.status("/pprof/symbol"), 200)
            before = program.descriptors()
            for _ in range(3):
                done = run("curl", "-s", "--max-time", "0.3", f"{program.url}/pprof/profile?seconds=3600")
                self.assertEqual(done.returncode, 28)
                until(lambda: program.status("/pprof/profile?seconds=1") == 200, "a profile after one nobody waits for")
            until(lambda: program.descriptors() <= before, "no descriptor is left")
            self.assertEqual(program.end(), (0, ""))


class Names(Installed):
    def test_exports(self):
        """What the header declares, and functions of the C library that ours stand before; malloc in the shared one."""
        declared = set(re.findall(r"^[a-z][^\n]*?[ *](symcached_pprof_\w+)\(", (ROOT / "include/symcached/pprof.h")
                                  .read_text(), re.M))
        allowed = set(re.findall(r"^ +([a-z_]+);", (ROOT / "library/pprof_symbols.map").read_text(), re.M))
        for options, library in ((["-D"], self.shared), (["-g"], self.lib / "libsymcached_pprof.a")):
            lines = map(str.split, checked("nm", "--defined-only", *options, library).splitlines())
            names = {fields[2] for fields in lines if len(fields) == 3}
            self.assertEqual({name for name in names if name.startswith("symcached_")}, declared, library)
            others = {name for name in names - declared if not name.startswith("pthread_")}
            self.assertLessEqual(others, allowed if library == self.shared else set(), library)


class Safety(Installed):
    def test_refusals_are_shown(self):
        """T1, T3: both clients print the reason and fail, at once."""
        program = self.running()
        reason = "is not a whole number of 1 to 3600"
        done = self.clients.perl("--text", f"{program.url}/pprof/profile?seconds=5")  # asks ?seconds=5/pprof/symbol
        self.assertNotEqual(done.returncode, 0)
        done = self.clients.go("-top", f"{program.url}{PROTO}profile?seconds=99999")
        self.assertNotEqual(done.returncode, 0)
        self.assertIn(reason, done.stderr)
        self.assertIn("%warn", program.curl("/pprof/profile?seconds=5/pprof/symbol").stdout)

    def test_two_at_once(self):
        program = self.running()
        first = threading.Thread(target=retried, args=[lambda: program.status("/pprof/profile?seconds=300")])
        first.start()
        busy = lambda: program.status("/pprof/profile?seconds=1") == 409
        until(busy, "the second is told")
        self.assertIn("%warn", program.curl("/pprof/profile?seconds=1").stdout)
        self.assertEqual(program.status("/pprof/symbol"), 200)
        self.assertEqual(program.end()[0], 0)  # in the middle of a profile
        first.join()

    def test_client_gone(self):
        program = self.running()
        done = run("curl", "-s", "--max-time", "1", f"{program.url}/pprof/profile?seconds=300")
        self.assertEqual(done.returncode, 28)
        until(lambda: program.status("/pprof/profile?seconds=1") == 200, "a profile after one that nobody waits for")

    def test_rough_clients(self):
        program, chance, page = self.running(), rough_clients.chance_of(1), "/pprof/symbol"
        self.assertEqual(program.status(page), 200)
        before = program.descriptors()
        rough_clients.wrk(program, page)
        rough_clients.reset_downloads(program, f"{PROTO}threads", 30, chance)
        rough_clients.cut_bursts(program, page, 30, chance)
        rough_clients.send_malformed(program, 100, chance)
        rough_clients.close_all(rough_clients.half_sent_heads(program, 64), chance)
        until(lambda: program.status(page) == 200, "an answer afterwards")
        until(lambda: program.descriptors() <= before, "their connections are closed")
        self.assertEqual(program.end()[0], 0)

    def test_token(self):
        environment = {"LD_PRELOAD": str(self.shared), "SYMCACHED_PPROF_TOKEN": "secret"}
        with Program(self.folder / "plain", port_file=self.folder / "port", environment=environment) as program:
            self.assertEqual(program.status("/pprof/symbol"), 401)
            self.assertEqual(program.status("/pprof/symbol", "-H", "Authorization: Bearer secret"), 200)
            with_token = program.url.replace("://", "://any:secret@")
            done = self.clients.go("-raw", f"{with_token}{PROTO}threads")
            self.assertEqual(done.returncode, 0, done.stderr)

    def test_preloading_is_quiet(self):
        """Nothing but what was asked for, and not in the programs that the program starts."""
        environment = {"LD_PRELOAD": str(self.shared), "SYMCACHED_PPROF": "127.0.0.1:0", "PATH": "/usr/bin:/bin"}
        rows = [
            ("alone", {}, ["true"], 1), ("not asked to", {"SYMCACHED_PPROF": ""}, ["true"], 0),
            ("children", {}, ["sh", "-c", "true; /bin/true"], 1),
            ("children too", {"SYMCACHED_PPROF_CHILDREN": "1"}, ["sh", "-c", "/bin/true; true"], 2),
            ("no such address", {"SYMCACHED_PPROF": "nowhere"}, ["true"], 1),
        ]
        for why, variables, command, lines in rows:
            with self.subTest(why):
                done = run(*command, env={**environment, **variables})
                self.assertEqual((done.returncode, done.stdout), (0, ""))
                self.assertEqual(done.stderr.count("symcached pprof: "), lines, done.stderr)
                self.assertEqual(len(done.stderr.splitlines()), lines, done.stderr)
        secrets = {"SYMCACHED_PPROF_TOKEN": "a", "SYMCACHED_PPROF_SERVER_TOKEN": "b"}
        self.assertNotIn("SYMCACHED_PPROF", run("env", env={**environment, **secrets}).stdout)


class EveryClient(Installed):
    """Each endpoint, with each client, in each way. What a profile has to have in it is in the last column."""

    LEGACY = [  # the page, options of google-pprof, what is in its output, in which ways
        ("profile", ["--text", "--seconds=2"], "sample::hot_sixty", (*EACH, "static")),
        ("profile", ["--dot", "--seconds=1"], "digraph", EACH),
        ("profile", ["--raw", "--seconds=1"], "sample::hot_sixty", EACH),
        ("heap", ["--text"], "sample::allocate_sixty", (*EACH, "static")),
        ("heap", ["--text", "--inuse_objects"], "sample::allocate_ten", EACH),
        ("growth", ["--text"], "", ONE_LINE),
        ("contention", ["--text"], "sample::", EACH),
        ("pmuprofile?event=cpu-clock&period=1000000", ["--text", "--seconds=1"], "sample::hot_sixty", EACH),
    ]
    PROTO = [  # the page, options of `go tool pprof`, what is in its output, in which ways
        ("profile?seconds=2", ["-top"], "sample::hot_sixty", (*EACH, "static")),
        ("profile?seconds=1", ["-raw"], "hot_sixty", EACH),
        ("profile?seconds=1", ["-proto", "-output=/dev/null"], "", EACH),
        ("heap", ["-top"], "sample::allocate_sixty", EACH),
        ("heap", ["-top", "-sample_index=inuse_objects"], "sample::allocate_ten", EACH),
        ("heap?seconds=1", ["-raw"], "inuse_space/bytes", EACH),
        ("allocs", ["-top"], "alloc_space", PRELOADED),
        ("growth", ["-top"], "Type: space", ONE_LINE),
        ("mutex", ["-top"], "sample::", EACH),
        ("mutex?seconds=1", ["-top"], "sample::", EACH),
        ("threads", ["-top"], "main", EACH),
        ("pmuprofile?event=cpu-clock&period=1000000&seconds=1", ["-top"], "sample::hot_sixty", EACH),
    ]
    GO_LEGACY = [  # the same for /pprof/
        ("profile?seconds=1", ["-top"], "hot_sixty", EACH), ("heap", ["-top"], "allocate_sixty", EACH),
        ("contention", ["-top"], "sample::", EACH), ("growth", ["-top"], "Type: space", ONE_LINE),
    ]

    def each(self, rows, prefix, client):
        for way in self.ways:
            program = self.running(way)
            program.curl("/debug/pprof/mutex")  # from now on waits are measured
            for page, options, want, ways in rows:
                if way not in ways:
                    continue
                with self.subTest(f"{way}: {page} {' '.join(options)}"):
                    done = client(*options, f"{program.url}{prefix}{page}")
                    self.assertEqual(done.returncode, 0, done.stderr[-2000:])
                    self.assertIn(want, done.stdout, done.stderr[-2000:])

    def test_google_pprof(self):
        self.each(self.LEGACY, PREFIX, self.clients.perl)

    def test_go_tool_pprof(self):
        self.each(self.PROTO, PROTO, self.clients.go)

    def test_go_reads_the_old_formats(self):
        self.each(self.GO_LEGACY, PREFIX, lambda *arguments: self.clients.go("-symbolize=remote", *arguments))

    def test_an_account_that_is_not_kept(self):
        """gperftools' tcmalloc does not know what was freed, and the hook not what was taken from the system."""
        for way, page in (("one line", "allocs"), ("preloaded", "growth")):
            program = self.running(way)
            done = self.clients.go("-top", f"{program.url}{PROTO}{page}")
            self.assertNotEqual(done.returncode, 0)
            self.assertIn("501 Not Implemented - %warn ", done.stderr)

    def test_lines_and_inlined_calls(self):
        """From debug information, which libsymcached reads in the background where it is found."""
        with Program(self.folder / "shared", environment={"LD_LIBRARY_PATH": str(PROGRAM.parent)}) as program:
            traces = lambda: self.clients.go("-traces", "-lines", f"{program.url}{PROTO}profile?seconds=1").stdout
            until(lambda: "pprof_program.cpp:" in traces(), "lines")
            self.assertRegex(traces(), r"sample::spend .*pprof_program.cpp:\d+ \(inline\)")

    def stripped(self, folder):
        """The program without names, and its debug file, in a folder; its build id."""
        folder.mkdir()
        checked("objcopy", "--only-keep-debug", self.folder / "plain", folder / "app.debug")
        checked("objcopy", "--strip-all", self.folder / "plain", folder / "app")
        build_id = re.search("Build ID: (.*)", checked("readelf", "-n", folder / "app"))[1]
        return Elf(build_id, folder / "app", folder / "app.debug", SOURCE)

    def assert_lines(self, elf, **variables):
        """Of a program whose debug file is not on this machine."""
        environment = {"LD_PRELOAD": str(self.shared), "LD_LIBRARY_PATH": str(PROGRAM.parent), **variables}
        with Program(elf.executable, port_file=self.folder / "port", environment=environment) as program:
            traces = lambda: self.clients.go("-traces", "-lines", f"{program.url}{PROTO}profile?seconds=1").stdout
            until(lambda: "pprof_program.cpp:" in traces(), "lines")

    def test_names_from_a_server_with_a_token(self):
        """Our server has the debug file for those who have logged in."""
        store, token = self.folder / "store", "made-up-but-long-enough"
        elf = self.stripped(self.folder / "logged-in")
        folder = store / ".build-id" / elf.build_id[:2]
        folder.mkdir(parents=True)
        elf.debug.rename(folder / f"{elf.build_id[2:]}.debug")
        config = self.folder / "config.yml"
        config.write_text(json.dumps({"auth": {"tokens": [{"name": "pprof", "token": token}]}}))  # JSON is YAML
        server = Server(PROGRAM, self.folder / "cache", store, options=["--config", config])
        self.addCleanup(server.end)
        self.assertEqual(server.ask(f"/proxy/_.debug/elf-buildid-sym-{elf.build_id}/_.debug")[0], 401)
        self.assert_lines(elf, DEBUGINFOD_URLS="", SYMCACHED_PPROF_SERVER=f"{server.url}/proxy",
                          SYMCACHED_PPROF_SERVER_TOKEN=token)

    def test_names_from_debuginfod(self):
        elf = self.stripped(self.folder / "served")
        away = self.folder / "away"
        away.mkdir()
        with Debuginfod(elf.executable.parent, [elf]) as upstream:
            moved = Elf(elf.build_id, pathlib.Path(shutil.copy(elf.executable, away)), elf.debug, elf.source)
            self.assert_lines(moved, DEBUGINFOD_URLS=upstream.url)


class OurServer(unittest.TestCase):
    def test_admin_listener(self):
        with tempfile.TemporaryDirectory() as name:
            folder = pathlib.Path(name)
            clients = Clients(folder)
            server = Server(PROGRAM, folder / "cache", admin=True)
            url = f"http://127.0.0.1:{server.admin_port}"
            self.assertEqual(server.ask("/pprof/cmdline", port=server.admin_port)[0], 200)
            self.assertEqual(server.ask("/pprof/cmdline")[0], 404, "not on the main listener")
            done = clients.go("-raw", f"{url}{PROTO}threads")
            self.assertEqual(done.returncode, 0, done.stderr)
            ask = lambda seconds: server.ask(f"{PROTO}profile?seconds={seconds}", port=server.admin_port)[0]
            asking = threading.Thread(target=retried, args=[lambda: ask(300)])
            asking.start()
            until(lambda: ask(1) == 409, "a profile")
            took = seconds_of(lambda: self.assertEqual(server.end()[0], 0))
            asking.join()
            self.assertLess(took, LIMIT)


if __name__ == "__main__":
    run_tests()
