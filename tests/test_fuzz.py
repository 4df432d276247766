"""The fuzzer itself: a failure is found, described and found again."""

import json
import sys
from pathlib import Path

import hypothesis.strategies as st
import pytest
from programs import run

sys.path.insert(0, str(Path(__file__).parent / "fuzz"))

import runner
from outcome import FindingError, attempt, require


def broken(draw):
    number = draw(st.integers(0, 100))
    require(number < 40, f"{number} is too large")
    return "small"


@pytest.fixture
def batch(monkeypatch):
    monkeypatch.setitem(runner.CLASSES, "broken", broken)
    return {"name": "broken", "seed": 3, "size": 30}


def test_failures_are_counted_and_the_same_seed_finds_them_again(batch):
    first = runner.run_batch(batch)
    assert first.outcomes.total() == 30
    assert first.outcomes["failure"] > 0
    assert runner.run_batch(batch) == first
    assert runner.run_batch({**batch, "seed": 4}) != first


def test_a_replay_shows_the_smallest_failure(batch, capsys):
    assert runner.replay(batch) == 1
    assert "40 is too large" in capsys.readouterr().out


@pytest.mark.parametrize("action", [lambda: 1 / 0, lambda: int("x"), lambda: [].pop(), lambda: 2 * None])
def test_errors_from_inside_are_findings(action):
    with pytest.raises(FindingError):
        attempt(action)


def test_a_clear_error_is_an_outcome():
    def refuse():
        raise ValueError("wanted 1, got 2")

    assert str(attempt(refuse)[1]) == "wanted 1, got 2"


CRASHES = """
import os, sys, time
from pathlib import Path
sys.path.insert(0, sys.argv[1])
import runner
def abort(draw):
    os.abort()
def lack_memory(draw):
    os.write(2, b"memory allocation of 9 bytes failed")
    os.abort()
runner.PATIENCE = 0.5
runner.CLASSES.update(fits=lambda draw: "fine", signals=abort, command=lambda draw: time.sleep(60), tables=lack_memory)
sys.exit(runner.fuzz(["fits", "signals", "command", "tables"], 60, 250, 10, Path(sys.argv[2])))
"""


def test_a_crash_and_a_hang_become_cases_but_not_a_page_that_asks_for_too_much_memory(tmp_path):
    done = run(CRASHES, Path(__file__).parent / "fuzz", tmp_path)
    assert done.returncode == 1
    cases = {path.name: json.loads(path.read_text())["what"] for path in tmp_path.glob("*.json")}
    assert sorted(cases) == ["command-12-0.json", "signals-11-0.json"]
    assert "hangs" in cases["command-12-0.json"]
    assert "ends with -6" in cases["signals-11-0.json"]
    assert "too much memory" in done.stdout
