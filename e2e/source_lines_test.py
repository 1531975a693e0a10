#!/usr/bin/env python3
"""Lines of source in answers to POST /symbolicate: embedded, in source bundles, and fetched from where those link to,
or from where PDBs of native code say that they are.

Usage: e2e/source_lines_test.py PATH_TO_SYMCACHED
"""
import json
import pathlib
import struct
import subprocess
import zipfile

from stack_api_test import NOTHING, SOURCE, main

DOTNET = pathlib.Path(__file__).parent.parent / "testing" / "dotnet" / "sources"
SNIP = " {snip}"


def dotnet_module():
    """@return the module, and where its PDB lies in a symbol store"""
    rows = [line.split("\t") for line in (DOTNET / "points.tsv").read_text().splitlines()]
    raw = next(row[1] for row in rows if row[0] == "id")
    swapped = bytes.fromhex(raw)
    guid = (swapped[3::-1] + swapped[5:3:-1] + swapped[7:5:-1] + swapped[8:16]).hex()
    stamp = swapped[:15:-1].hex()
    dashed = "-".join([guid[:8], guid[8:12], guid[12:16], guid[16:20], guid[20:], stamp])
    module = {"type": "pe_dotnet", "debug_id": dashed, "debug_file": "Traces.pdb", "code_file": "Traces.dll"}
    return module, f"Traces.pdb/{guid.upper()}ffffffff/Traces.pdb"


def dotnet_request(scene, **options):
    module, place = dotnet_module()
    stored = scene.folder / "store" / place
    stored.parent.mkdir(parents=True, exist_ok=True)
    stored.write_bytes((DOTNET / "Traces.pdb").read_bytes())
    frames = [json.loads(line) for line in (DOTNET / "frames.jsonl").read_text().splitlines()]
    own = [f for f in frames if f["file"]]
    asked = [{"addr_mode": "rel:0", "function_id": hex(int(f["token"], 0) & 0xFFFFFF),
              "instruction_addr": hex(f["il"])} for f in own]
    return own, {"stacktraces": [{"frames": asked}], "modules": [module], "sources": [scene.upstream.source()],
                 "options": options}


def shown(line):
    return line if len(line) <= 150 else line[:140] + SNIP


def has_lines_of(frame, lines):
    """Whether the lines around a frame are those of its file."""
    at = frame["lineno"] - 1
    want = (lines[max(0, at - 5):at], lines[at], lines[at + 1:at + 6])
    got = (frame.get("pre_context", []), frame["context_line"], frame.get("post_context", []))
    return got == ([shown(line) for line in want[0]], shown(want[1]), [shown(line) for line in want[2]])


def dotnet_sources_are_shown(scene):
    source = DOTNET.parent / "src" / "Traces"
    files = {file.name: file.read_text().splitlines() for file in source.rglob("*.cs")}
    own, request = dotnet_request(scene)
    _, answer = scene.ask("/symbolicate?scope=embedded", request)
    frames = answer["stacktraces"][0]["frames"]
    assert len(frames) == len(own) and own, frames[:1]
    for frame, want in zip(frames, own):
        assert frame["lineno"] == want["line"], (frame, want)
        assert has_lines_of(frame, files[frame["filename"]]), frame
        assert "source_link" not in frame, frame
    assert answer["modules"][0]["features"]["has_sources"], answer["modules"]
    asked = len(scene.upstream.asked)
    assert scene.ask("/symbolicate?scope=embedded", request)[1] == answer and len(scene.upstream.asked) == asked
    plain = scene.ask("/symbolicate?scope=plain", dotnet_request(scene, apply_source_context=False)[1])[1]
    assert not any("context_line" in f for f in plain["stacktraces"][0]["frames"]), plain
    assert not [path for path in scene.upstream.asked[asked:] if path.endswith(".src.zip")], "none are wanted"


def bundled_sources_are_shown(scene):
    request = scene.request()
    build_id, source = scene.program.build_id, str(scene.folder / "program" / "prog.c")
    frames = scene.ask("/symbolicate?scope=unbundled", request)[1]["stacktraces"][0]["frames"]
    assert not any("context_line" in f for f in frames), frames
    manifest = {"files": {"files/prog.c": {"type": "source", "path": source}}, "code_id": build_id}
    place = scene.folder / "store" / build_id[:2] / f"{build_id[2:]}.src.zip"
    with open(place, "wb") as file:
        file.write(b"SYSB\2\0\0\0")
        with zipfile.ZipFile(file, "a", zipfile.ZIP_DEFLATED) as bundle:
            bundle.writestr("files/prog.c", SOURCE.replace("\n", "\r\n"))
            bundle.writestr("manifest.json", json.dumps(manifest))
    answer = scene.ask("/symbolicate?scope=bundled", request)[1]
    frames, module = answer["stacktraces"][0]["frames"], answer["modules"][0]
    assert len(frames) == 3 and all(has_lines_of(f, SOURCE.splitlines()) for f in frames), frames
    assert module["features"]["has_sources"], module
    candidate = next(c for c in module["candidates"] if c["location"].endswith(f"{build_id[2:]}.src.zip"))
    assert candidate["download"] == {"status": "ok", "features": {**NOTHING, "has_sources": True}}, candidate
    asked = len(scene.upstream.asked)
    assert scene.ask("/symbolicate?scope=bundled", request)[1] == answer and len(scene.upstream.asked) == asked
    place.unlink()


def linked_sources_are_fetched(scene):
    """Of a bundle with no text but URLs: whoever made it says where to ask."""
    program, linked = scene.program, scene.folder / "store" / "linked"
    source = str(scene.folder / "program" / "prog.c")
    place = scene.folder / "store" / program.build_id[:2] / f"{program.build_id[2:]}.src.zip"
    linked.mkdir(exist_ok=True)
    (linked / "prog.c").write_text(SOURCE)
    (linked / "latin1.c").write_bytes(b"\xe4\n" * 9)

    def ask(scope, url, **more):
        manifest = {"files": {}, "source_links": {f"{scene.folder}/program/*": url}, "code_id": program.build_id}
        with open(place, "wb") as file:
            file.write(b"SYSB\2\0\0\0")
            with zipfile.ZipFile(file, "a") as bundle:
                bundle.writestr("manifest.json", json.dumps(manifest))
        answer = scene.ask(f"/symbolicate?scope={scope}", {**scene.request(), **more})[1]
        module = answer["modules"][0]
        return answer["stacktraces"][0]["frames"], [c for c in module["candidates"] if c["source"] == "sourcelink"]

    url = f"{scene.upstream.url}/ok/linked/*"
    frames, candidates = ask("linked", url)
    assert all(has_lines_of(f, SOURCE.splitlines()) for f in frames) and len(frames) == 3, frames
    assert {f["source_link"] for f in frames} == {url.replace("*", "prog.c")}, (frames, source)
    assert [(c["location"], c["download"]["status"]) for c in candidates] == [(frames[0]["source_link"], "ok")]
    asked = len(scene.upstream.asked)
    assert ask("linked", url)[0] == frames and len(scene.upstream.asked) == asked, "it is kept"
    off = {"scraping": {"enabled": False, "allowed_origins": ["*"], "headers": {}}}
    frames, candidates = ask("unscraped", url, **off)
    assert all("context_line" not in f and f["source_link"] for f in frames) and not candidates, frames
    rows = [  # URL; whether it is told, what is said of the download
        (f"{scene.upstream.url}/404/*", True, "notfound"),
        (f"{scene.upstream.url}/500/*", True, "error"),
        (f"{scene.upstream.url}/ok/linked/latin1.c?*", True, "malformed"),
        ("file:///etc/passwd?*", False, None),
        ("http://user:secret@127.0.0.1/*", False, None),
    ]
    for number, (url, told, status) in enumerate(rows):
        frames, candidates = ask(f"badly-linked-{number}", url)
        assert all(("source_link" in f) == told and "context_line" not in f for f in frames), (url, frames)
        assert [c["download"]["status"] for c in candidates] == ([status] if status else []), (url, candidates)
        asked = len(scene.upstream.asked)
        assert ask(f"badly-linked-{number}", url)[0] == frames and len(scene.upstream.asked) == asked, url
    place.unlink()


def headers_go_to_allowed_origins_alone(scene):
    program = scene.program
    place = scene.folder / "store" / program.build_id[:2] / f"{program.build_id[2:]}.src.zip"
    linked = {"*": f"{scene.upstream.url}/ok/linked/prog.c?*"}
    with open(place, "wb") as file:
        file.write(b"SYSB\2\0\0\0")
        with zipfile.ZipFile(file, "a") as bundle:
            bundle.writestr("manifest.json", json.dumps({"files": {}, "source_links": linked}))
    rows = [(["*"], "secret"), (["127.0.0.1"], "secret"), (["https://127.0.0.1"], None), (["example.com"], None),
            ([], None)]
    for number, (origins, want) in enumerate(rows):
        scene.upstream.tokens.clear()
        scraping = {"enabled": True, "allowed_origins": origins, "headers": {"X-Token": "secret"}}
        answer = scene.ask(f"/symbolicate?scope=headers-{number}", {**scene.request(), "scraping": scraping})[1]
        assert "context_line" in answer["stacktraces"][0]["frames"][0], answer
        told = {token for path, token in scene.upstream.tokens if "/linked/" in path}
        assert told == {want} and all(token is None for path, token in scene.upstream.tokens if "/linked/" not in path)
    split = {"enabled": True, "allowed_origins": ["*"], "headers": {"X": "a\r\nY: b"}}
    status, answer = scene.ask("/symbolicate", {**scene.request(), "scraping": split})
    assert status == 422 and "headers" in json.dumps(answer), answer
    place.unlink()


def damaged_bundles_do_no_harm(scene):
    place = scene.folder / "store" / scene.program.build_id[:2] / f"{scene.program.build_id[2:]}.src.zip"
    place.write_bytes(b"SYSB\2\0\0\0no archive")
    answer = scene.ask("/symbolicate?scope=damaged-bundle", scene.request())[1]
    frames = answer["stacktraces"][0]["frames"]
    assert [f["status"] for f in frames] == ["symbolicated"] * 3, "lines are of use without text"
    assert not any("context_line" in f for f in frames), frames


def native_program(folder, streams):
    """A DLL whose PDB has these named streams. @return its module, where the PDB lies in a symbol store, its bytes"""
    folder.mkdir()
    (folder / "prog.c").write_text(SOURCE.replace("int main(int argc, char **argv)", "int start(int argc)"))
    subprocess.run(["clang-22", "--target=x86_64-pc-windows-msvc", "-O2", "-g", "-gcodeview", "-c", folder / "prog.c",
                    "-o", folder / "prog.obj"], check=True)
    options = []
    for name, text in streams.items():
        (folder / name).write_text(text)
        options.append(f"/pdbstream:{name}={folder / name}")
    subprocess.run(["lld-link-22", "/nologo", "/dll", "/debug", "/noentry", "/nodefaultlib", "/export:caller",
                    "/export:leaf", f"/out:{folder}/prog.dll", f"/pdb:{folder}/prog.pdb", *options,
                    folder / "prog.obj"], check=True)
    image = (folder / "prog.dll").read_bytes()
    at = image.index(b"RSDS") + 4
    first, second, third = struct.unpack_from("<IHH", image, at)
    guid, age = f"{first:08X}{second:04X}{third:04X}{image[at + 8:at + 16].hex().upper()}", image[at + 16]
    module = {"type": "pe", "debug_file": "prog.pdb", "debug_id": f"{guid.lower()}{age:x}", "code_file": "prog.dll",
              "image_addr": "0x10000", "image_size": 0x10000}
    return module, f"prog.pdb/{guid}{age:x}/prog.pdb", (folder / "prog.pdb").read_bytes()


def native_request(scene, folder, streams):
    """@return a request for a frame of native_program(), whose PDB the symbol server has; where the PDB lies there"""
    module, place, pdb = native_program(folder, streams)
    stored = scene.folder / "store" / place
    stored.parent.mkdir(parents=True)
    stored.write_bytes(pdb)
    source = {**scene.upstream.source(), "layout": {"type": "symstore"}}
    return {"stacktraces": [{"frames": [{"instruction_addr": hex(0x10000 + 0x1000)}]}], "modules": [module],
            "sources": [source], "options": {"dif_candidates": True}}, place


def sources_of_native_pdbs_are_fetched(scene):
    """By `srcsrv` and by Source Link. The PDB is downloaded once, and nothing else is asked where it says nothing."""
    url, linked = f"{scene.upstream.url}/ok/linked", scene.folder / "store" / "linked"
    linked.mkdir(exist_ok=True)

    def server(path, target):
        return ("SRCSRV: ini ---\r\nVERSION=2\r\nSRCSRV: variables ---\r\n"
                f"HTTP_ALIAS={target}\r\nSRCSRVTRG=%http_alias%/%var2%\r\nSRCSRVCMD=touch {scene.folder}/ran\r\n"
                f"SRCSRV: source files ---\r\n{path}*prog.c\r\nSRCSRV: end ---\r\n")

    def link(path, target):
        return json.dumps({"documents": {path: target}})

    rows = [  # streams of a program in a folder; the URL that its frames get
        (lambda path: {"srcsrv": server(f"{path}/prog.c", url)}, f"{url}/prog.c"),
        (lambda path: {"srcsrv": server(f"{path}/PROG.C", url)}, f"{url}/prog.c"),
        (lambda path: {"sourcelink$1": link(f"{path}/*", f"{url}/*")}, f"{url}/prog.c"),
        (lambda path: {"srcsrv": server(f"{path}/prog.c", "http://elsewhere"),
                       "sourcelink": link(f"{path}/prog.c", f"{url}/prog.c")}, f"{url}/prog.c"),
        (lambda path: {"srcsrv": server(f"{path}/prog.c", "%targ%")}, None),
        (lambda path: {"srcsrv": server(f"{path}/prog.c", "http://user:secret@127.0.0.1")}, None),
        (lambda path: {}, None),
    ]
    for number, (streams, want) in enumerate(rows):
        folder = scene.folder / f"native-{number}"
        request, place = native_request(scene, folder, streams(folder))
        (linked / "prog.c").write_text((folder / "prog.c").read_text())
        asked = len(scene.upstream.asked)
        answer = scene.ask(f"/symbolicate?scope=native-{number}", request)[1]
        frames, module = answer["stacktraces"][0]["frames"], answer["modules"][0]
        assert frames and all(f["status"] == "symbolicated" and f["lineno"] for f in frames), answer
        assert {f.get("source_link") for f in frames} == {want}, (number, answer)
        lines = (folder / "prog.c").read_text().splitlines()
        assert all(has_lines_of(f, lines) if want else "context_line" not in f for f in frames), (number, frames)
        told = [(c["location"], c["download"]["status"]) for c in module["candidates"] if c["source"] == "sourcelink"]
        assert told == ([(want, "ok")] if want else []), (number, module)
        new = scene.upstream.asked[asked:]
        assert len([path for path in new if path.endswith(place)]) == 1, (number, new)
        texts = [path for path in new if "/linked/" in path]
        assert texts == (["/ok/linked/prog.c"] if want else []), (number, new)
        plain = {**request, "options": {**request["options"], "apply_source_context": False}}
        assert scene.ask(f"/symbolicate?scope=native-{number}", request)[1] == answer
        assert not any("source_link" in f for f in
                       scene.ask(f"/symbolicate?scope=native-{number}", plain)[1]["stacktraces"][0]["frames"])
        assert len(scene.upstream.asked) == asked + len(new), (number, scene.upstream.asked[asked:])
    assert not (scene.folder / "ran").exists(), "commands are not run"


def no_pdb_is_downloaded_for_its_sources_alone(scene):
    folder = scene.folder / "native-evicted"
    rules = {"documents": {f"{folder}/*": f"{scene.upstream.url}/404/*"}}
    request, place = native_request(scene, folder, {"sourcelink$1": json.dumps(rules)})
    plain = {**request, "options": {"dif_candidates": True, "apply_source_context": False}}
    scene.ask("/symbolicate?scope=evicted", plain)
    assert len([path for path in scene.upstream.asked if path.endswith(place)]) == 1, scene.upstream.asked
    kept = [entry for entry in (scene.folder / "cache" / "objects").rglob("*") if entry.is_file()]
    for entry in kept:
        entry.unlink()
    frames = scene.ask("/symbolicate?scope=evicted", request)[1]["stacktraces"][0]["frames"]
    assert kept and all(f["lineno"] and "source_link" not in f for f in frames), frames
    assert len([path for path in scene.upstream.asked if path.endswith(place)]) == 1, scene.upstream.asked


if __name__ == "__main__":
    main([dotnet_sources_are_shown, bundled_sources_are_shown, linked_sources_are_fetched,
          headers_go_to_allowed_origins_alone, damaged_bundles_do_no_harm, sources_of_native_pdbs_are_fetched,
          no_pdb_is_downloaded_for_its_sources_alone])
