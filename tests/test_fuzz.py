"""The fuzzer itself: a failure is found, made small and found again."""

import sys
from pathlib import Path

import pytest
from programs import run

sys.path.insert(0, str(Path(__file__).parent / "fuzz"))

from outcome import FindingError, attempt


@pytest.mark.parametrize("action", [lambda: 1 / 0, lambda: int("x"), lambda: 2 * None])
def test_errors_from_inside_are_findings(action):
    with pytest.raises(FindingError):
        attempt(action)


CRASHES = """
import importlib.util, os, sys, time
import hypothesis.strategies as st
sys.path.insert(0, sys.argv[1])
spec = importlib.util.spec_from_file_location("fuzzing", sys.argv[1] + "/__main__.py")
fuzzing = sys.modules["fuzzing"] = importlib.util.module_from_spec(spec)
spec.loader.exec_module(fuzzing)

def abort(draw):
    os.abort()

def lack_memory(draw):
    os.write(2, b"memory allocation of 9 bytes failed")
    os.abort()

def find(draw):
    number = draw(st.integers(0, 100))
    fuzzing.fits.require(number < 40, f"{number} is too large")
    return "small"

fuzzing.PATIENCE = 0.5
fuzzing.CLASSES.update(
    fits=lambda draw: "fine", questions=find, formats=abort, command=lambda draw: time.sleep(60), tables=lack_memory
)
sys.exit(fuzzing.fuzz(["fits", "questions", "formats", "command", "tables"], 60, 340, 10))
"""


def test_findings_crashes_and_hangs_are_failures_but_not_a_page_that_asks_for_too_much_memory():
    done = run(CRASHES, Path(__file__).parent / "fuzz")
    assert done.returncode == 1
    assert "questions, seed 11: 40 is too large" in done.stdout, "the smallest"
    outcomes = {line.split()[0]: line.partition("inputs")[2].strip() for line in done.stdout.splitlines()[-5:]}
    assert outcomes["fits"] == "fine 1"
    assert outcomes["questions"].endswith("failure 1")
    assert outcomes["formats"] == outcomes["command"] == "failure 1"
    assert outcomes["tables"].endswith("too much memory 1")
