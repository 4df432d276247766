"""The fuzzer itself: a failure is found, described and found again."""

import json
import sys
from pathlib import Path
from types import SimpleNamespace

import hypothesis.strategies as st
import pytest

sys.path.insert(0, str(Path(__file__).parent / "fuzz"))

import batches
import reader
import runner
from outcome import FindingError, attempt, require

from puselect.tables import TableSpec


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


ANSWERS = """
import json, os, sys, time
for line in sys.stdin:
    batch = json.loads(line)
    if batch["seed"] == 11:
        os.abort()
    if batch["seed"] == 12:
        time.sleep(60)
    findings = ["odd"] if batch["seed"] == 13 else []
    print(json.dumps({"outcomes": {"fine": batch["size"]}, "findings": findings}), flush=True)
"""


def test_workers_survive_a_crash_and_a_hang_which_become_cases(tmp_path, monkeypatch):
    monkeypatch.setattr(runner, "WORKER", [sys.executable, "-S", "-c", ANSWERS])
    monkeypatch.setattr(runner, "PATIENCE", 0.5)
    assert runner.fuzz(["fits", "signals"], 60, 410, 10, tmp_path, n_workers=3) == 1
    counts = json.loads((tmp_path / "counts.json").read_text())
    fits = counts["classes"]["fits"]
    assert fits["inputs"] + counts["classes"]["signals"]["inputs"] == counts["inputs"] >= 410
    cases = {name.split("-", 1)[1] for name in counts["cases"]}
    assert cases >= {"11-0.json", "12-0.json", "13-0.json"}  # on a busy machine an innocent one may be late, too
    assert fits["outcomes"]["fine"] >= fits["inputs"] - len(cases) * runner.DEFAULT_BATCH
    case = json.loads((tmp_path / counts["cases"][-1]).read_text())
    assert case["seed"] in (11, 12, 13) and case["class"] in ("fits", "signals")


def test_a_reader_that_dies_is_a_finding_unless_a_page_asks_for_too_much_memory():
    page = str(Path(__file__).parent / "data" / "endless_page.parquet")
    spec = TableSpec("label")
    assert reader.read_elsewhere(page, spec) == "the end, for a page that asks for too much memory"
    reader.running().process.kill()
    with pytest.raises(FindingError, match="ends with -9"):
        reader.read_elsewhere(page, spec)
