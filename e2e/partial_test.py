#!/usr/bin/env python3
"""Answers that are not complete yet, and requests that nobody wants any more: ?partial=1, DELETE /requests/{id}.

Usage: e2e/partial_test.py PATH_TO_SYMCACHED
"""
from server import until
from stack_api_test import BASE, Scene, main

OTHER = 0x7E0000000000


def two_modules(scene: Scene, other_id):
    """The program, and one whose only source is slow."""
    leaf = hex(BASE + scene.program.symbols["leaf"])
    other = {**scene.program.module(code_id=other_id, code_file="/opt/late"), "image_addr": hex(OTHER)}
    return {**scene.request([scene.upstream.source("ok"), scene.upstream.source("late")],
                            [{"instruction_addr": leaf}, {"instruction_addr": hex(OTHER + 0x1000)}]),
            "modules": [scene.program.module(), other]}


def what_is_known_comes_first(scene: Scene):
    scene.upstream.gate.clear()
    request = two_modules(scene, "ef" * 20)
    request["options"] = {}
    assert scene.ask("/symbolicate?scope=part", {**request, "sources": [scene.upstream.source("ok")]})[0] == 200
    status, answer = scene.ask("/symbolicate?scope=part&timeout=0&partial=1", request)
    assert status == 200 and answer["status"] == "pending", answer
    path = f"/requests/{answer['request_id']}?timeout=0"

    def partial():
        told = scene.ask(f"{path}&partial=1")[1]
        return told if told.get("stacktraces", [{}])[0].get("frames", [{}])[0].get("function") else None

    answer = until(partial, "a frame that is known")
    assert (answer["status"], answer["retry_after"] > 0) == ("pending", True), answer
    assert [f["status"] for f in answer["stacktraces"][0]["frames"]] == ["symbolicated", "pending"], answer
    assert [m["debug_status"] for m in answer["modules"]] == ["found", "fetching"], answer
    assert set(scene.ask(path)[1]) == {"status", "request_id", "retry_after"}, "nobody asked for parts"
    scene.upstream.gate.set()
    done = scene.ask(path.replace("timeout=0", "partial=1"))[1]
    assert done == scene.ask("/symbolicate?scope=part", request)[1], "the final answer is the same"
    assert [m["debug_status"] for m in done["modules"]] == ["found", "missing"], done
    assert scene.ask(f"{path}&partial=perhaps")[0] == 400


def what_nobody_wants_is_forgotten(scene: Scene):
    scene.upstream.gate.clear()
    request = scene.request("late")
    request_id = scene.ask("/symbolicate?scope=gone&timeout=0", request)[1]["request_id"]
    path = f"/requests/{request_id}"
    assert scene.ask(path, method="DELETE")[0] == 204
    assert scene.ask(path)[0] == scene.ask(path, method="DELETE")[0] == 404
    again = scene.ask("/symbolicate?scope=gone&timeout=0", request)[1]["request_id"]
    scene.upstream.gate.set()
    done = scene.ask(f"/requests/{again}")[1]
    assert done["modules"][0]["debug_status"] == "found", done
    assert scene.ask(path)[0] == 404
    assert scene.ask(f"/requests/{again}", method="DELETE")[0] == 204 and scene.ask(f"/requests/{again}")[0] == 404
    for other in ("00000000-0000-0000-0000-000000000000", "..%2f..", "x"):
        assert scene.ask(f"/requests/{other}", method="DELETE")[0] == 404, other


def many_may_give_up(scene: Scene):
    scene.upstream.gate.clear()
    for _ in range(300):  # more than there may be at once
        status, answer = scene.ask("/symbolicate?scope=many&timeout=0", scene.request("late"))
        assert status == 200, answer
        assert scene.ask(f"/requests/{answer['request_id']}", method="DELETE")[0] == 204
    scene.upstream.gate.set()
    assert scene.ask("/symbolicate?scope=many", scene.request("late"))[1]["status"] == "completed"


TESTS = [what_is_known_comes_first, what_nobody_wants_is_forgotten, many_may_give_up]

if __name__ == "__main__":
    main(TESTS)
