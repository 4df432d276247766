"""The fuzzer itself: a failure is found, described and found again."""

import sys
from pathlib import Path
from types import SimpleNamespace

import hypothesis.strategies as st
import pytest

sys.path.insert(0, str(Path(__file__).parent / "fuzz"))

import batches
from outcome import FindingError, attempt, require


def broken(draw):
    number = draw(st.integers(0, 100))
    require(number < 40, f"{number} is too large")
    return "small"


@pytest.fixture
def batch(monkeypatch):
    monkeypatch.setitem(batches.CLASSES, "broken", SimpleNamespace(example=broken))
    return {"class": "broken", "seed": 3, "size": 30}


def test_failures_are_counted_and_the_same_seed_finds_them_again(batch):
    first = batches.run_batch(batch)
    assert sum(first["outcomes"].values()) == 30
    assert first["outcomes"]["failure"] > 0
    assert batches.run_batch(batch) == first
    assert batches.run_batch({**batch, "seed": 4}) != first


def test_a_replay_shows_the_smallest_failure(batch, capsys):
    assert batches.replay(batch) == 1
    assert "40 is too large" in capsys.readouterr().out


@pytest.mark.parametrize("action", [lambda: 1 / 0, lambda: int("x"), lambda: [].pop(), lambda: 2 * None])
def test_errors_from_inside_are_findings(action):
    with pytest.raises(FindingError):
        attempt(action)


def test_a_clear_error_is_an_outcome():
    def refuse():
        raise ValueError("wanted 1, got 2")

    assert str(attempt(refuse)[1]) == "wanted 1, got 2"
