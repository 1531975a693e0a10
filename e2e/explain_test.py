#!/usr/bin/env python3
"""Why frames have no names: POST /symbolicate?explain=1, against symbol servers that answer well and badly.

Usage: e2e/explain_test.py PATH_TO_SYMCACHED
"""
import copy
import subprocess

from stack_api_test import BASE, Scene, main


def explained(scene, scope, request):
    """The answer's explanations; the rest of it is what it is without."""
    plain = scene.ask(f"/symbolicate?scope={scope}", request)[1]
    status, answer = scene.ask(f"/symbolicate?scope={scope}&explain=1", request)
    assert status == 200 and answer["status"] == "completed", answer
    explanations = answer.pop("explanations")
    assert answer == plain and list(answer)[-1] == "modules", answer
    return explanations


def what_came_back_is_told(scene: Scene):
    upload = f"upload the debug file of prog with build id {scene.program.build_id}"
    credentials = "give source {} credentials that may read it"
    rows = [  # what the server does; the reason, what would help, what came back from the debug file's place
        ("404", "no source has a debug file for this id", upload, "notfound", None),
        ("401", "source 401 demands credentials: HTTP status 401", credentials.format("401"), "noperm",
         "HTTP status 401"),
        ("403", "source 403 does not give it away: HTTP status 403", credentials.format("403"), "noperm",
         "HTTP status 403"),
        ("500", "source 500 did not answer as it should: HTTP status 500", "ask again in ", "error", "HTTP status 500"),
        ("429", "source 429 did not answer as it should: HTTP status 429", "ask again in ", "error", "HTTP status 429"),
        ("garbage", "source garbage has another file at this place, or a damaged one: ", upload, "malformed", None),
    ]
    for mode, reason, fix, status, details in rows:
        one, = explained(scene, f"why-{mode}", scene.request(mode))
        assert one["module"] == 0 and one["frame_count"] == 2, one
        assert one["frames"] == [{"stack": 0, "original_index": n} for n in (0, 1)], one
        assert one["reason"].startswith(reason) and one["fix"].startswith(fix), (mode, one)
        place = next(a for a in one["asked"] if a["location"].endswith(".debug"))
        assert (place["source"], place["status"]) == (mode, status), place
        assert details in (None, place.get("details")), place
        assert place["retry_after"] > 0 and place["retry_at"] > 1_700_000_000, place


def another_build_is_named(scene: Scene):
    place = scene.folder / "store" / "cd" / ("cd" * 19 + ".debug")
    place.parent.mkdir(exist_ok=True)
    place.write_bytes(scene.program.debug.read_bytes())
    request = {**scene.request(), "modules": [scene.program.module(code_id="cd" * 20)]}
    one, = explained(scene, "other-build", request)
    assert f"id is {scene.program.build_id}, expected {'cd' * 20}" in one["reason"], one


def names_without_lines_are_explained(scene: Scene):
    stripped = scene.folder / "store" / scene.program.build_id[:2] / scene.program.build_id[2:]
    hidden = scene.program.debug.rename(scene.folder / "hidden.debug")
    subprocess.run(["objcopy", "--strip-debug", scene.program.path, stripped], check=True)
    try:
        one, = explained(scene, "names", scene.request("names"))
    finally:
        hidden.rename(scene.program.debug)
        stripped.unlink()
    assert one["reason"] == f"{stripped.name} was found but has no line information", one
    assert one["fix"].startswith("build prog with debug information, and upload"), one
    assert any(a["status"] == "ok" for a in one["asked"]), one


def frames_without_modules_are_explained(scene: Scene):
    leaf = hex(BASE + scene.program.symbols["leaf"])
    frames = [{"instruction_addr": leaf}] + [{"instruction_addr": "0x10"}] * 30 + [
        {"instruction_addr": hex(BASE + 0x8000)}]
    outside, nowhere = explained(scene, "nowhere", scene.request(frames=frames))
    assert outside["reason"].startswith("the address lies outside every function of "), outside
    assert outside["frame_count"] == 1 and "asked" not in outside, outside
    assert nowhere["reason"] == "no module covers this address" and "module" not in nowhere, nowhere
    assert nowhere["frame_count"] == 30 and len(nowhere["frames"]) == 20, nowhere


def what_a_module_lacks_is_told(scene: Scene):
    rows = [  # the module; the start of the reason
        ({"type": "elf"}, "this module has no id that its files can be found by"),
        ({"type": "odd", "debug_id": "3249d99d-0c40-4931-8610-f4e4fb0b6936"}, "nothing is known of modules of this"),
        ({"type": "pe_dotnet", "debug_id": "3249d99d-0c40-4931-8610-f4e4fb0b6936"}, "this module has no id"),
    ]
    for module, reason in rows:
        request = {**scene.request(), "modules": [{**module, "image_addr": hex(BASE), "image_size": 0x10000}]}
        one, = explained(scene, "lacks", request)
        assert one["reason"].startswith(reason), (module, one)


def the_option_does_the_same(scene: Scene):
    request = scene.request("404")
    by_parameter = explained(scene, "option", request)
    wanted = copy.deepcopy(request)
    wanted["options"]["explain"] = True
    by_option = scene.ask("/symbolicate?scope=option", wanted)[1]["explanations"]
    assert [one["reason"] for one in by_option] == [one["reason"] for one in by_parameter]
    assert scene.ask("/symbolicate?explain=maybe", request)[0] == 400
    assert "explanations" not in scene.ask("/symbolicate?scope=option&explain=0", request)[1]
    assert explained(scene, "named", scene.request()) == []


def it_is_explained_to_those_who_wait(scene: Scene):
    scene.upstream.gate.clear()
    pending = scene.ask("/symbolicate?scope=late-why&timeout=0&explain=1", scene.request("late"))[1]
    scene.upstream.gate.set()
    done = scene.ask(f"/requests/{pending['request_id']}")[1]
    assert done["status"] == "completed" and done["explanations"] == [], done


TESTS = [what_came_back_is_told, another_build_is_named, names_without_lines_are_explained,
         frames_without_modules_are_explained, what_a_module_lacks_is_told, the_option_does_the_same,
         it_is_explained_to_those_who_wait]

if __name__ == "__main__":
    main(TESTS)
