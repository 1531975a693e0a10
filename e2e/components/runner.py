"""Runs the functions of a test script: each in a scratch folder of its own, with a line for what became of it."""
import pathlib
import tempfile

from components.component import Lacking

TESTS = []


def test(function):
    """Decorator of a test function, which gets what run() makes of its scratch folder."""
    TESTS.append(function)
    return function


def run(parts=(), scene_of=pathlib.Path):
    """Runs the tests in order, or those whose names contain one of `parts`; the first that fails ends the script."""
    for function in TESTS:
        if parts and not any(part in function.__name__ for part in parts):
            continue
        with tempfile.TemporaryDirectory() as folder:
            try:
                function(scene_of(pathlib.Path(folder)))
            except Lacking as lacking:
                print(f"SKIPPED {function.__name__}: {lacking}")
            else:
                print(f"ok {function.__name__}", flush=True)
    return 0
