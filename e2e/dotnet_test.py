#!/usr/bin/env python3
"""dotnet_test.py PROGRAM [FOLDER]: what the program says of .NET modules, against what the runtime said of them.

FOLDER is laid out as testing/dotnet, which is taken when none is given: its README says what each file is.
"""
import http.server
import json
import pathlib
import sys
import tempfile
import threading
import unittest
import uuid

from program import ROOT, main, symcached

STORED = ROOT / "testing" / "dotnet"
VARIANTS = ["debug", "release", "sources", "embedded"]
HIDDEN = "0xfeefee"


def module_of(variant):
    pdb = STORED / variant / "Traces.pdb"
    return pdb if pdb.exists() else STORED / variant / "Traces.dll"


def trace_of(variant):
    """What was printed without a PDB. The program with the PDB inside never prints it; it is that of release."""
    own = STORED / variant / "trace.txt"
    return own if own.exists() else STORED / "release" / "trace.txt"


def answers(module, questions):
    """(function, file, line, column) for each (token, IL offset)."""
    asked = "".join(f"{token}:{il}\n" for token, il in questions)
    done = symcached("lookup", module, "--json", stdin=asked)
    assert done.returncode == 0, done.stderr
    out = []
    for line in done.stdout.splitlines():
        symbols = json.loads(line)["Symbol"]
        first = symbols[0] if symbols else {"FunctionName": "", "FileName": "", "Line": 0, "Column": 0}
        out.append((first["FunctionName"], first["FileName"], first["Line"], first["Column"]))
    assert len(out) == len(questions), f"{len(out)} answers to {len(questions)} questions"
    return out


def rows_of(text, kind):
    return [line.split("\t")[1:] for line in text.splitlines() if line.startswith(kind + "\t")]


def last_visible(points):
    """What the runtime says at each point: the last one so far that is not hidden, of its method."""
    expected, method, place = [], None, None
    for token, il, document, line, column, *_ in points:
        if token != method:
            method, place = token, None
        if line != HIDDEN:
            place = (document, int(line), int(column))
        expected.append(((token, int(il)), place))
    return expected


class Quiet(http.server.BaseHTTPRequestHandler):
    def answer(self, body, status=200, *headers):
        """No body: there is nothing of that name."""
        self.send_response(404 if body is None else status)
        for name, value in [*headers, ("Content-Length", str(len(body or b"")))]:
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(body or b"")

    def log_message(self, *_):
        pass


def with_source_link_to(url):
    """The stored PDB with its sources taken out and its Source Link led to `url`; all sizes stay."""
    pdb = (STORED / "sources" / "Traces.pdb").read_bytes()
    embedded = uuid.UUID("0E8A571B-6926-466E-B4AD-8AB04611F5FE").bytes_le
    old = b"https://raw.example.com/team/traces/0123456789abcdef/*"
    new = (url + "/").encode().ljust(len(old) - 1, b"x") + b"*"
    assert pdb.count(embedded) == 1 and pdb.count(old) == 1
    return pdb.replace(embedded, bytes(16)).replace(old, new[:-2] + b"/*")


class Dotnet(unittest.TestCase):
    def serve(self, handler):
        server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler)
        self.addCleanup(server.server_close)
        threading.Thread(target=server.serve_forever, daemon=True).start()
        self.addCleanup(server.shutdown)
        return f"http://127.0.0.1:{server.server_port}"

    def test_traces_in_text(self):
        for variant in VARIANTS:
            with self.subTest(variant):
                done = symcached("symbolicate", trace_of(variant), "--symbols", STORED / variant)
                self.assertEqual(done.returncode, 0, done.stderr)
                self.assertEqual(done.stdout, (STORED / variant / "trace.resolved.txt").read_text())

    def test_frames_as_the_runtime_resolved_them(self):
        for variant in VARIANTS:
            with self.subTest(variant):
                frames = [json.loads(line) for line in (STORED / variant / "frames.jsonl").read_text().splitlines()]
                mine = [f for f in frames if f["assembly"] == "Traces.dll"]
                self.assertGreater(len(mine), 80)
                got = answers(module_of(variant), [(f["token"], f["il"]) for f in mine])
                for frame, (function, file, line, column) in zip(mine, got):
                    want = (frame["file"] or "", frame["line"], frame["column"]) if frame["file"] else ("", 0, 0)
                    self.assertEqual((file, line, column), want, frame)
                    self.assertTrue(function, frame)

    def test_every_point(self):
        for variant in VARIANTS:
            with self.subTest(variant):
                self.check_points(module_of(variant), (STORED / variant / "points.tsv").read_text())

    def check_points(self, module, text):
        documents = {row[0]: row[1] for row in rows_of(text, "document")}
        expected = last_visible(rows_of(text, "point"))
        self.assertGreater(len(expected), 200)
        for (asked, place), (_, file, line, column) in zip(expected, answers(module, [a for a, _ in expected])):
            want = (documents[place[0]], place[1], place[2]) if place else ("", 0, 0)
            self.assertEqual((file, line, column), want, asked)

    def test_a_kick_off_method_leads_to_its_state_machine(self):
        for variant in VARIANTS:
            text = (STORED / variant / "points.tsv").read_text()
            first = {}
            for (token, il), place in last_visible(rows_of(text, "point")):
                if place:
                    first.setdefault(token, (il, place))
            moved = rows_of(text, "moved")
            self.assertTrue(moved)
            for move_next, kickoff in moved:
                il, place = first[move_next]
                through, direct = answers(module_of(variant), [(kickoff, il), (move_next, il)])
                self.assertEqual(through, direct, kickoff)
                self.assertEqual(direct[2], place[1])

    def test_inspect_says_what_the_pdb_holds(self):
        for variant in VARIANTS:
            with self.subTest(variant):
                text = (STORED / variant / "points.tsv").read_text()
                module = json.loads(symcached("inspect", "--json", module_of(variant)).stdout)[0]
                assembly = json.loads(symcached("inspect", "--json", STORED / variant / "Traces.dll").stdout)[0]
                self.assertEqual(module["documents"], [row[1] for row in rows_of(text, "document")])
                link = rows_of(text, "sourcelink")
                self.assertEqual(module.get("source_link"), link[0][0] if link else None)
                self.assertEqual(module["checksums"], assembly["checksums"])
                self.assertEqual(module["debug_id"], assembly["debug_id"])

    def test_a_cache_answers_as_the_module_does(self):
        with tempfile.TemporaryDirectory() as folder:
            for variant in VARIANTS:
                module = module_of(variant)
                done = symcached("convert", module, "-o", folder)
                self.assertEqual(done.returncode, 0, done.stderr)
                cache = pathlib.Path(done.stdout.strip())
                self.assertEqual(cache.suffix, ".ppdbcache")
                points = rows_of((STORED / variant / "points.tsv").read_text(), "point")
                asked = [(token, il) for (token, il), _ in last_visible(points)]
                self.assertGreater(len(asked), 200)
                self.assertEqual(answers(cache, asked), answers(module, asked))

    def test_names_come_from_the_assembly(self):
        with tempfile.TemporaryDirectory() as folder:
            alone = pathlib.Path(folder) / "Traces.pdb"
            alone.write_bytes((STORED / "debug" / "Traces.pdb").read_bytes())
            self.assertEqual(answers(alone, [("0x06000001", 0)])[0][0], "")
            beside = alone.with_suffix(".dll")
            beside.write_bytes((STORED / "debug" / "Traces.dll").read_bytes())
            self.assertEqual(answers(alone, [("0x06000001", 0)])[0][0], "Program.Main")
            # Of another build: its names may be those of other methods.
            beside.write_bytes((STORED / "release" / "Traces.dll").read_bytes())
            self.assertEqual(answers(alone, [("0x06000001", 0)])[0][0], "")
            # An assembly whose PDB is of another build has names and no lines.
            self.assertEqual(answers(beside, [("0x06000001", 0)]), [("Program.Main", "", 0, 0)])

    def test_ways_to_ask(self):
        module = STORED / "debug" / "Traces.pdb"
        for asked in ["1:1338", "0x1:0x53a", "0x06000001:1338", "0x6000001:0x53A"]:
            done = symcached("lookup", module, asked)
            self.assertEqual(done.stdout, "Program.Main\n/src/Traces/Program.cs:51:19\n\n", asked)
        for asked in ["1", "0x06000001", "1:", ":1", "x:1", "0:1", "0x02000001:1", "1:-1", "0x1000000:1",
                      "1:0x100000000"]:
            done = symcached("lookup", module, asked)
            self.assertEqual((done.returncode, done.stdout), (2, "??\n??:0:0\n\n"), asked)
            self.assertIn("is not METHOD:IL", done.stderr)
        done = symcached("lookup", module, "1:1338", "-f=none", "-s")
        self.assertEqual(done.stdout, "Program.cs:51:19\n\n")

    def test_lines_around_a_place(self):
        module = STORED / "sources" / "Traces.pdb"
        done = symcached("lookup", module, "0x06000001:0x53a", "--print-source-context-lines=3")
        lines = (STORED / "src/Traces/Program.cs").read_text().splitlines()
        want = "".join(f"{n} {'>' if n == 51 else ' '}: {lines[n - 1]}\n" for n in (50, 51, 52))
        self.assertEqual(done.stdout, "Program.Main\n/src/Traces/Program.cs:51:19\n" + want + "\n")
        done = symcached("lookup", module, "0x06000001:0x53a", "--print-source-context-lines=3", "--json")
        frame = json.loads(done.stdout)[0]["Symbol"][0]
        self.assertEqual(frame["Source"], want)
        self.assertEqual(frame["SourceUrl"], "https://raw.example.com/team/traces/0123456789abcdef/Program.cs")
        # Neither embedded nor on this machine.
        done = symcached("lookup", STORED / "debug/Traces.pdb", "0x06000001:0x53a", "--print-source-context-lines=3")
        self.assertEqual(done.stdout, "Program.Main\n/src/Traces/Program.cs:51:19\n\n")

    def test_modules_that_are_not_there_are_named(self):
        with tempfile.TemporaryDirectory() as folder:
            trace = "  at A.B() in app.dll:token 0x6000001+0x0\n  at C.D() in ../x.dll:token 0x6000001+0x0\nno newline"
            done = symcached("symbolicate", "-", "--symbols", folder, stdin=trace)
            self.assertEqual((done.returncode, done.stdout), (0, trace))
            self.assertIn("app.dll: not found", done.stderr)
            self.assertIn('"../x.dll" is not a file name', done.stderr)

    def test_two_builds_below_a_folder(self):
        with tempfile.TemporaryDirectory() as folder:
            for variant in ["debug", "release"]:
                inside = pathlib.Path(folder) / "old" / variant
                inside.mkdir(parents=True)
                (inside / "Traces.pdb").write_bytes((STORED / variant / "Traces.pdb").read_bytes())
            frame = "   at Program.Main(String[] args) in Traces.dll:token 0x6000001+0x53a"
            done = symcached("symbolicate", "-", "--symbols", folder, stdin=frame)
            self.assertEqual(done.stdout, frame)
            self.assertIn("2 builds", done.stderr)
            done = symcached("symbolicate", "-", "--symbols", folder, "--symbols", STORED / "debug", stdin=frame)
            self.assertEqual(done.stdout, "   at Program.Main(String[] args) in /src/Traces/Program.cs:line 51")

    def test_the_pdb_comes_from_a_symbol_server(self):
        """As NuGet's: 403 to those who do not state the checksum, 302 to where the file lies."""
        pdb = (STORED / "debug" / "Traces.pdb").read_bytes()
        debug_id = json.loads(symcached("inspect", "--json", STORED / "debug/Traces.pdb").stdout)[0]["debug_id"]
        key = f"/symbols/traces.pdb/{''.join(debug_id.split('-')[:5])}ffffffff/traces.pdb"
        asked = []

        class Server(Quiet):
            def do_GET(self):
                checksum = self.headers.get("SymbolChecksum")
                asked.append((self.path, checksum))
                if self.path.lower() == key:
                    self.answer(b"", 302 if checksum else 403, ("Location", "/blob"))
                else:
                    self.answer(pdb if self.path == "/blob" else None)

        url = self.serve(Server) + "/symbols"
        with tempfile.TemporaryDirectory() as folder:
            (pathlib.Path(folder) / "Traces.dll").write_bytes((STORED / "debug" / "Traces.dll").read_bytes())
            done = symcached("symbolicate", STORED / "debug/trace.txt", "--symbols", folder, "--symbols", url)
            self.assertEqual(done.stdout, (STORED / "debug" / "trace.resolved.txt").read_text(), done.stderr)
            self.assertIn("SHA256:", next(checksum for path, checksum in asked if path.lower() == key))
            (pathlib.Path(folder) / "Traces.dll").write_bytes((STORED / "release" / "Traces.dll").read_bytes())
            done = symcached("symbolicate", STORED / "debug/trace.txt", "--symbols", folder, "--symbols", url)
            self.assertEqual(done.stdout, (STORED / "debug" / "trace.txt").read_text())
            self.assertIn("no PDB found: ", done.stderr)

    def test_sources_are_fetched_only_when_allowed(self):
        text = (STORED / "src/Traces/Program.cs").read_bytes()
        asked = []

        class Server(Quiet):
            def do_GET(self):
                asked.append(self.path)
                self.answer(text if self.path.endswith("/Program.cs") else None)

        url = self.serve(Server)
        with tempfile.TemporaryDirectory() as folder:
            module = pathlib.Path(folder) / "Traces.pdb"
            module.write_bytes(with_source_link_to(url))
            want = "??\n/src/Traces/Program.cs:51:19\n"
            shown = want + "51 >: " + text.decode().splitlines()[50] + "\n\n"
            for options, expected, complaint in [
                ([], want + "\n", ""),
                (["--fetch-sources"], want + "\n", "127.0.0.1"),  # a private network: not by default
                (["--fetch-sources=anywhere"], shown, ""),
            ]:
                asked.clear()
                done = symcached("lookup", module, "1:1338", "--print-source-context-lines=1", *options)
                self.assertEqual((done.returncode, done.stdout), (0, expected), options)
                self.assertIn(complaint, done.stderr)
                self.assertEqual(len(asked), 1 if expected == shown else 0)
            text = text.replace(b"no exception", b"No exception")  # not what was compiled
            done = symcached("lookup", module, "1:1338", "--print-source-context-lines=1", "--fetch-sources=anywhere")
            self.assertEqual(done.stdout, want + "\n")

    def test_json_of_a_trace(self):
        done = symcached("symbolicate", STORED / "debug/trace.txt", "--symbols", STORED / "debug", "--json")
        frames = json.loads(done.stdout)
        known = {"function": "Program.Main", "file": "/src/Traces/Program.cs", "line": 51, "column": 19,
                 "inlined": False}
        self.assertEqual(frames[2], {"line": 5, "dialect": ".NET", "module": "Traces.dll", "token": "0x06000001",
                                     "il_offset": 0x53a, "kind": "T", "adjust": "done", "status": "unverified",
                                     "frames": [known]})

    def test_what_is_no_trace(self):
        self.assertEqual(symcached("symbolicate", "/nowhere/trace.txt").returncode, 1)
        self.assertEqual(symcached("symbolicate", STORED).returncode, 1)
        self.assertEqual(symcached("symbolicate").returncode, 2)


if __name__ == "__main__":
    if len(sys.argv) > 2:
        STORED = pathlib.Path(sys.argv.pop(2))
    main()
