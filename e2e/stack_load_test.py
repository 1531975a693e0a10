#!/usr/bin/env python3
"""Hundreds of requests with stack traces at once, with slow symbol servers and clients of many scopes.

Usage: e2e/stack_load_test.py PATH_TO_SYMCACHED
"""
import collections
import concurrent.futures
import hashlib
import json
import time

from server import until
from stack_api_test import Scene, main

AT_ONCE = 500
FLOOD = 440    # requests of one scope; the others share the rest
SCOPES = 12
SLOW = 0.02    # seconds that the symbol server takes for a file


def module_number(scene, number):
    return scene.program.module(code_id=hashlib.sha1(str(number).encode()).hexdigest())


def request_number(scene, number, mode):
    """For a module of its own, which nobody has."""
    return {**scene.request(mode), "modules": [module_number(scene, number)], "options": {}}


def with_settings(scene, **settings):
    scene.server.end()
    config = json.loads(scene.config.read_text())
    scene.config.write_text(json.dumps({**config, **settings}))
    scene.server = scene.start()


def begin(scene, number, scope, mode):
    """@return its id, or nothing when there are too many"""
    status, answer = scene.ask(f"/symbolicate?scope={scope}&timeout=0", request_number(scene, number, mode))
    if status == 503:
        return None
    assert (status, answer["status"]) == (200, "pending"), answer
    return answer["request_id"]


def is_done(scene, request_id):
    status, answer = scene.ask(f"/requests/{request_id}?timeout=0")
    assert status == 200, (request_id, status, answer)
    assert answer["status"] in ("pending", "completed"), answer
    return answer["status"] == "completed"


def nobody_starves(scene):
    """One client floods the server; those who come after it need not wait until all of that is done."""
    with_settings(scene, symbolication={"max_requests": AT_ONCE, "max_running": 16})
    scene.upstream.gate.clear()
    small = [(FLOOD + n, f"small{n % SCOPES}") for n in range(AT_ONCE - FLOOD)]
    with concurrent.futures.ThreadPoolExecutor(16) as pool:
        flood = list(pool.map(lambda n: begin(scene, n, "flood", "late"), range(FLOOD)))
        others = list(pool.map(lambda row: begin(scene, *row, "late"), small))
        assert all(flood) and all(others), "all are taken"
        refused = [begin(scene, AT_ONCE + n, "late-comer", "late") for n in range(8)]
        assert not any(refused), "a limit that holds"
        scene.upstream.pace = SLOW
        scene.upstream.gate.set()
        left, flood_left = set(others), set(flood)
        until(lambda: not left.difference_update({i for i in left if is_done(scene, i)}) and not left, "the small ones")
        flood_left -= {i for i, done in zip(flood, pool.map(lambda i: is_done(scene, i), flood)) if done}
        assert len(flood_left) > FLOOD // 4, f"only {len(flood_left)} of {FLOOD} came after those who came later"
        until(lambda: not flood_left.difference_update({i for i in flood_left if is_done(scene, i)}) and not flood_left,
              "all of the flood", 120)
    assert begin(scene, AT_ONCE, "late-comer", "ok"), "there is room again"
    scene.upstream.pace = 0


def a_server_that_ends_loses_nothing(scene):
    with_settings(scene, symbolication={"max_requests": AT_ONCE, "max_running": 16}, limits={"grace": "1s"})
    scene.upstream.gate.clear()
    with concurrent.futures.ThreadPoolExecutor(16) as pool:
        numbers = range(10_000, 10_000 + AT_ONCE)
        ids = list(pool.map(lambda n: begin(scene, n, f"scope{n % SCOPES}", "late"), numbers))
        assert all(ids)
        status, log = scene.server.end()
        assert status == 0, log
        scene.server = scene.start()
        scene.upstream.gate.set()
        answers = collections.Counter()

        def all_done():
            for request_id in ids:
                answers[request_id] += is_done(scene, request_id) if not answers[request_id] else 0
            return sum(answers.values()) == len(ids)
        began = time.monotonic()
        until(all_done, "every answer", 120)
        print(f"{len(ids)} requests were answered by the next server in {time.monotonic() - began:.1f} s")


if __name__ == "__main__":
    main([nobody_starves, a_server_that_ends_loses_nothing])
