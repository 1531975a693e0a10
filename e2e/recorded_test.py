#!/usr/bin/env python3
"""What Symbolicator was recorded doing, with files made here: which places are asked, and how often; what is said of
modules, frames and candidates, at first and from the cache.

Usage: e2e/recorded_test.py PATH_TO_SYMCACHED
"""
import collections
import contextlib
import functools
import hashlib
import json
import struct
import threading

from recorded_rows import ANSWERS, ASKED, LACKS_A_KIND, MODULES, NOWHERE
from server import Server, Symbols
from source_lines_test import DOTNET, dotnet_module, dotnet_request
from stack_api_test import BASE, NOTHING, Scene, Upstream, main

NOT_PORTABLE = "unsupported: Only portable PDB files can be used for .NET symbolication"


class OddUpstream(Upstream):
    """It can also cut bodies off, lead elsewhere and never answer; and it keeps the checksums that it is told."""

    def __init__(self, folder):
        super().__init__(folder)
        self.checksums = []

    def answer(self, request):
        mode, _, rest = request.path.lstrip("/").partition("/")
        self.checksums.append(request.headers.get("SymbolChecksum"))
        file = self.folder / rest
        if mode == "hang":
            self.asked.append(request.path)
            threading.Event().wait(60)
        elif mode in ("half", "redirect") and file.is_file():
            self.asked.append(request.path)
            body = file.read_bytes() if mode == "half" else b""
            request.send_response(200 if mode == "half" else 302)
            request.send_header("Location", f"{self.url}/ok/{rest}")
            request.send_header("Content-Length", str(len(body)))
            request.end_headers()
            request.wfile.write(body[:len(body) // 2])
            request.close_connection = True
        else:
            super().answer(request)


class RecordedScene(Scene):
    upstream_class = OddUpstream

    @functools.cached_property
    def windows(self):
        """A program of native code with its PDB."""
        return Symbols(self.folder / "windows")

    @contextlib.contextmanager
    def hasty(self):
        """Meanwhile a server is asked that gives up on downloads after a second."""
        patient, config = self.server, self.folder / "hasty.yml"
        settings = {**json.loads(self.config.read_text()), "cache_dir": str(self.folder / "hasty"),
                    "max_download_timeout": "1s"}
        config.write_text(json.dumps(settings))
        self.server = Server(self.symcached, None, options=["--config", config])
        try:
            yield
        finally:
            self.server.end()
            self.server = patient

    def ask_twice(self, scope, request):
        """The cache says the same and asks nobody. @return the answer and the paths that were asked"""
        path, before = f"/symbolicate?scope={scope}", len(self.upstream.asked)
        status, answer = self.ask(path, request)
        assert status == 200 and answer["status"] == "completed", (scope, answer)
        asked = self.upstream.asked[before:]
        assert self.ask(path, request) == (200, answer), scope
        again = self.upstream.asked[before + len(asked):]
        assert not again, (scope, again)
        return answer, asked


def statuses(answer):
    """@return that of the first module, and those of the first stack's frames"""
    return answer["modules"][0]["debug_status"], {f["status"] for f in answer["stacktraces"][0]["frames"]}


def without_candidates(request):
    return {**request, "options": {**request["options"], "dif_candidates": False}}


def each_place_is_asked_once(scene: RecordedScene):
    frames = [{"instruction_addr": "0x10", "addr_mode": "rel:0", "function_id": "0x1"}]
    for layout, modules in ASKED.items():
        for kind, paths in modules.items():
            source = scene.upstream.source("404", layout={"type": layout})
            request = {"stacktraces": [{"frames": frames}], "modules": [MODULES[kind]], "sources": [source],
                       "options": {"dif_candidates": True}}
            answer, asked = scene.ask_twice(f"asks-{layout}-{kind}", request)
            want = [f"/404/{path}" for path in paths.split()]
            assert sorted(asked) == sorted(want), (layout, kind, asked)
            told = [c["location"] for c in answer["modules"][0]["candidates"]]
            none = [NOWHERE] if (layout, kind) in LACKS_A_KIND else []
            assert told == sorted([scene.upstream.url + path for path in want] + none), (layout, kind, told)
            assert statuses(answer) == ("missing", {"missing"}), (layout, kind, answer)
            answer, asked = scene.ask_twice(f"asks-less-{layout}-{kind}", without_candidates(request))
            assert set(asked) <= set(want) and len(asked) == len(set(asked)), (layout, kind, asked)
            assert statuses(answer) == ("missing", {"missing"}), (layout, kind, answer)


def each_answer_has_its_status(scene: RecordedScene):
    for mode, module, frames, download, times in ANSWERS:
        hurry = scene.hasty() if mode == "hang" else contextlib.nullcontext()
        with hurry:
            answer, asked = scene.ask_twice(f"recorded-{mode}", scene.request(mode))
            less, asked_less = scene.ask_twice(f"recorded-less-{mode}", without_candidates(scene.request(mode)))
        assert statuses(answer) == statuses(less) == (module, {frames}), (mode, answer, less)
        assert less["stacktraces"] == answer["stacktraces"], mode
        of_place = collections.defaultdict(int)
        for path in asked:
            of_place[path.partition("/")[2].partition("/")[2]] += 1
        assert not collections.Counter(asked_less) - collections.Counter(asked), (mode, asked_less)
        for candidate in answer["modules"][0]["candidates"]:
            place = candidate["location"].removeprefix(f"{scene.upstream.url}/{mode}/")
            is_other = mode in ("half", "redirect") and not place.endswith(".debug")
            told = {key: text for key, text in candidate["download"].items() if key != "features"}
            assert told == ({"status": "notfound"} if is_other else download), (mode, candidate)
            assert of_place.pop(place) == (1 if is_other else times), (mode, asked)
        assert not of_place, (mode, of_place)


def files_are_found_in_every_layout(scene: RecordedScene):
    build_id, data = scene.program.build_id, scene.program.debug.read_bytes()
    sym, split = f"elf-buildid-sym-{build_id}/_.debug", f"{build_id[:2]}/{build_id[2:]}"
    rows = [  # layout; where the debug file lies
        ({"type": "native"}, f"{split}.debug"),
        ({"type": "symstore"}, f"_.debug/{sym}"),
        ({"type": "symstore", "casing": "uppercase"}, f"_.debug/{sym}".upper()),
        ({"type": "symstore_index2"}, f"_/_.debug/{sym}"),
        ({"type": "ssqp"}, f"_.debug/{sym}"),
        ({"type": "unified"}, f"{split}/debuginfo"),
        ({"type": "debuginfod"}, f"{build_id}/debuginfo"),
        ({"type": "slashsymbols"}, f"prog/{build_id}/symbols"),
    ]
    for number, (layout, path) in enumerate(rows):
        place = scene.folder / "store" / f"layout-{number}" / path
        place.parent.mkdir(parents=True)
        place.write_bytes(data)
        url = f"{scene.upstream.url}/ok/layout-{number}/"
        for candidates in (True, False):
            request = scene.request([scene.upstream.source(url=url, layout=layout)], dif_candidates=candidates)
            answer, asked = scene.ask_twice(f"layout-{number}-{candidates}", request)
            assert statuses(answer) == ("found", {"symbolicated"}), (layout, answer)
            assert len(asked) == len(set(asked)) and f"/ok/layout-{number}/{path}" in asked, (layout, asked)


def filters_decide_who_is_asked(scene: RecordedScene):
    build_id = scene.program.build_id
    image, debug = (f"/ok/{build_id[:2]}/{build_id[2:]}{end}" for end in ("", ".debug"))
    rows = [  # filters; status, what is asked
        ({"filetypes": ["elf_code"]}, "missing", [image]),
        ({"filetypes": ["elf_debug"]}, "found", [debug]),
        ({"filetypes": ["pdb", "sourcebundle"]}, "missing", None),
        ({"path_patterns": ["/opt/*"]}, "found", None),
        ({"path_patterns": ["?:/windows/*", "*/PROG"]}, "found", None),
        ({"path_patterns": ["?:/windows/*"]}, "missing", []),
        ({"requires_checksum": True}, "missing", []),
    ]
    for number, (filters, status, want) in enumerate(rows):
        request = scene.request([scene.upstream.source(filters=filters)])
        answer, asked = scene.ask_twice(f"filters-{number}", request)
        assert answer["modules"][0]["debug_status"] == status, (filters, answer)
        assert want is None or asked == want, (filters, asked)
        assert not {image, debug} & set(asked) or status == "found" or want, (filters, asked)


def frames_have_their_status(scene: RecordedScene):
    leaf, back = scene.program.symbols["leaf"], scene.program.return_address()
    rows = [  # a frame; its status, the address that is told
        ({"instruction_addr": hex(BASE + leaf), "adjust_instruction_addr": False}, "symbolicated", BASE + leaf),
        ({"instruction_addr": hex(BASE + back)}, "symbolicated", BASE + back - 1),
        ({"instruction_addr": str(BASE + back), "adjust_instruction_addr": False}, "symbolicated", BASE + back),
        ({"instruction_addr": leaf, "addr_mode": "rel:0", "adjust_instruction_addr": False}, "symbolicated",
         BASE + leaf),
        ({"instruction_addr": hex(leaf), "addr_mode": "rel:9"}, "unknown_image", leaf),
        ({"instruction_addr": hex(BASE - 1)}, "unknown_image", BASE - 1),
        ({"instruction_addr": hex(BASE + 0x8000)}, "missing_symbol", BASE + 0x8000),
        ({"instruction_addr": "0x10", "addr_mode": "rel:2"}, "missing", 0x10),
        ({"instruction_addr": "0x10", "addr_mode": "rel:3"}, "missing", 0x10),
    ]
    request = scene.request(frames=[frame for frame, _, _ in rows])
    request["modules"] += [{**MODULES["pe"], "image_addr": hex(2 * BASE)}, {"type": "odd", "image_addr": hex(3 * BASE)},
                           {"type": "elf", "code_id": "no id", "image_addr": hex(4 * BASE)}]
    answer, _ = scene.ask_twice("frames", request)
    outermost = {f["original_index"]: f for f in answer["stacktraces"][0]["frames"]}  # of inlined calls, the last
    told = [(outermost[i]["status"], int(outermost[i]["instruction_addr"], 16)) for i in range(len(rows))]
    assert told == [(status, address) for _, status, address in rows], told
    assert [m["debug_status"] for m in answer["modules"]] == ["found", "unused", "missing", "missing"], answer
    assert "code_id" not in answer["modules"][3], answer


def an_image_without_symbols_is_no_debug_file(scene: RecordedScene):
    image = (scene.windows.folder.parent / "app.exe").read_bytes()
    header, = struct.unpack_from("<I", image, 0x3C)
    stamp, size = (struct.unpack_from("<I", image, header + at)[0] for at in (8, 0x50))  # TimeDateStamp, SizeOfImage
    name = f"app.exe/{stamp:08X}{size:x}/app.exe"
    place = scene.folder / "store" / name
    place.parent.mkdir(parents=True)
    place.write_bytes(image)
    module = {**MODULES["pe"], "code_id": f"{stamp:08x}{size:x}", "code_file": "app.exe"}
    request = {"stacktraces": [{"frames": [{"instruction_addr": "0x1000", "addr_mode": "rel:0"}]}],
               "modules": [module], "sources": [scene.upstream.source()], "options": {"dif_candidates": True}}
    for candidates in (False, True):
        wanted = request if candidates else without_candidates(request)
        answer, asked = scene.ask_twice(f"bare-{candidates}", wanted)
        assert statuses(answer) == ("missing", {"missing"}) and asked.count(f"/ok/{name}") == 1, (answer, asked)
        found = [c for c in answer["modules"][0].get("candidates", []) if c["download"]["status"] == "ok"]
        assert len(found) == candidates and not any("debug" in c for c in found), found
    why, = scene.ask("/symbolicate?scope=bare-True&explain=1", request)[1]["explanations"]
    assert "app.exe: has neither debug information nor symbols" in why["reason"], why


def native_pdbs_are_not_read_for_dotnet(scene: RecordedScene):
    native = scene.windows
    name = f"app.pdb/{native.guid.replace('-', '').upper()}ffffffff/app.pdb"
    place = scene.folder / "store" / name
    place.parent.mkdir(parents=True)
    place.write_bytes(native.pdb)
    module = {"type": "pe_dotnet", "debug_id": f"{native.guid}-1", "debug_file": "app.pdb", "code_file": "app.dll"}
    frames = [{"instruction_addr": "0x1", "function_id": "0x1", "addr_mode": "rel:0"}]
    request = {"stacktraces": [{"frames": frames}], "modules": [module], "sources": [scene.upstream.source()],
               "options": {"dif_candidates": True}}
    less, asked = scene.ask_twice("windows-pdb-alone", without_candidates(request))
    assert statuses(less) == ("unsupported", {"missing"}) and asked == [f"/ok/{name}"], (less, asked)
    answer, asked = scene.ask_twice("windows-pdb", request)
    features = {**NOTHING, "has_debug_info": True, "has_symbols": True}
    assert statuses(answer) == ("unsupported", {"missing"}), answer
    assert answer["modules"][0]["features"] == features and asked.count(f"/ok/{name}") == 1, (answer, asked)
    used, = [c for c in answer["modules"][0]["candidates"] if "debug" in c]
    assert used["download"] == {"status": "ok", "features": features}, used
    assert used["debug"] == {"status": "error", "details": NOT_PORTABLE}, used
    why, = scene.ask("/symbolicate?scope=windows-pdb&explain=1", request)[1]["explanations"]
    assert why["reason"] == "there is only a Windows PDB, which is not read for .NET", why


def the_next_source_may_have_the_portable_one(scene: RecordedScene):
    portable = (DOTNET / "Traces.pdb").read_bytes()
    module, place = dotnet_module()
    lower = place.replace("Traces", "traces").lower().replace("ffffffff", "FFFFFFFF")
    for path, data in ((f"first/{place}", scene.windows.pdb), (f"second/{lower}", portable)):
        (scene.folder / "store" / path).parent.mkdir(parents=True)
        (scene.folder / "store" / path).write_bytes(data)
    _, request = dotnet_request(scene)
    request["sources"] = [scene.upstream.source(url=f"{scene.upstream.url}/ok/first/"),
                          scene.upstream.source(url=f"{scene.upstream.url}/ok/second/", layout={"type": "ssqp"})]
    assert module == request["modules"][0]
    answer, asked = scene.ask_twice("portable-second", request)
    assert statuses(answer) == ("found", {"symbolicated"}) and len(asked) == len(set(asked)), (answer, asked)


def checksums_are_sent_and_compared(scene: RecordedScene):
    data = (DOTNET / "Traces.pdb").read_bytes()
    swapped = bytes.fromhex(next(line.split("\t")[1] for line in (DOTNET / "points.tsv").read_text().splitlines()
                                 if line.startswith("id\t")))
    assert data.count(swapped) == 1
    right = hashlib.sha256(data.replace(swapped, bytes(len(swapped)))).hexdigest()
    wrong = format(int(right[0], 16) ^ 1, "x") + right[1:]
    rows = [  # the checksum that the module states; filters, status
        (f"SHA256:{right}", {}, "found"),
        (f"SHA256:{right}", {"requires_checksum": True}, "found"),
        (f"SHA256:{wrong}", {}, "malformed"),
        (f"SHA256:{right[:40]}", {"requires_checksum": True}, "found"),  # no digest of SHA-256 is that short
        (f"MD5:{right}", {}, "found"),
        (None, {"requires_checksum": True}, "missing"),
        (None, {}, "found"),
    ]
    for number, (checksum, filters, status) in enumerate(rows):
        _, request = dotnet_request(scene, dif_candidates=True)
        request["modules"][0]["debug_checksum"] = checksum
        request["sources"] = [scene.upstream.source(filters=filters)]
        scene.upstream.checksums.clear()
        answer, asked = scene.ask_twice(f"checksum-{number}", request)
        assert answer["modules"][0]["debug_status"] == status, (checksum, filters, answer["modules"])
        assert bool(asked) == (status != "missing") and set(scene.upstream.checksums) <= {checksum}, (checksum, asked)
        if status == "malformed":
            assert statuses(answer) == ("malformed", {"malformed"}), answer


if __name__ == "__main__":
    main([each_place_is_asked_once, each_answer_has_its_status, files_are_found_in_every_layout,
          filters_decide_who_is_asked, frames_have_their_status, an_image_without_symbols_is_no_debug_file,
          native_pdbs_are_not_read_for_dotnet, the_next_source_may_have_the_portable_one,
          checksums_are_sent_and_compared], RecordedScene)
