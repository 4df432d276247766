"""The worlds benchmark: which data sets it draws, that it resumes, and what it prints."""

import sys
from functools import partial
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parents[1] / "benchmarks"))

import worlds
from journal import read_rows

from puselect.datasets import make_pu_clusters

DOCS = Path(__file__).parents[1] / "docs"


@pytest.fixture(autouse=True)
def small_tables(monkeypatch):
    monkeypatch.setattr(worlds, "make_pu_clusters", partial(make_pu_clusters, n_negative=150, n_positive=50))


@pytest.mark.parametrize("board", worlds.BOARDS)
def test_every_world_can_be_drawn(board):
    for world in worlds.BOARDS[board]:
        X, y, relevant = world.draw(1000)
        assert X.shape[1] == relevant.sum() + world.n_irrelevant
        assert 0 < y.sum() < len(X)


def test_a_run_writes_a_line_for_each_fit_and_prints_means(tmp_path, capsys):
    presets = ["--presets", "kbest", "random", "default:max_iter=3,n_clusters=4"]
    words = ["--laws", "heavy", "--conditions", "40/1/2", "--seeds", "1000-1002", *presets, "--out"]
    worlds.main([*words, str(tmp_path / "w")])
    rows = read_rows(tmp_path / "w")
    assert [row["seed"] for row in rows] == [1000, 1001, 1002] * 3
    assert [row["preset"].partition(":")[0] for row in rows[::3]] == ["kbest", "random", "default"]
    assert rows[-1]["clusterings"] == 24
    assert all(0 <= row["fsr"] <= 1 and row["condition"] == "40/1/2" for row in rows)
    out = capsys.readouterr().out
    expected = worlds.mean_and_error(row["fsr"] for row in rows[:3])
    assert f"| kbest | {expected} | {expected} |" in out
    assert f"| heavy, 40/1/2 | {expected} |" in out


@pytest.mark.parametrize(
    "arguments", [["--presets", "nothing"], ["--board", "fraud", "--laws", "heavy"], ["--laws", "cauchy"]]
)
def test_wrong_arguments_are_refused(arguments):
    with pytest.raises(SystemExit) as error:
        worlds.main(arguments)
    assert error.value.code == 2


def stored(board, preset, seeds=range(3000, 3010)):
    rows = read_rows(DOCS / "results" / "worlds" / "results.jsonl")
    wanted = set(worlds.BOARDS[board])
    return [r for r in rows if r["preset"] == preset and r["seed"] in seeds and worlds.fit_of(r).world in wanted]


def page_lines():
    lines = (DOCS / "internals" / "worlds.md").read_text().splitlines()
    return {tuple(cell.strip() for cell in line.strip("|").split("|")) for line in lines if line.startswith("|")}


@pytest.mark.parametrize("board", ["worlds", "paper", "fraud"])
@pytest.mark.parametrize("preset", ["default", "lepage", "semi-jmi"])
def test_the_page_shows_the_stored_results(board, preset):
    seeds = range(3000, 3060 if board == "fraud" else 3010)
    line = worlds.summary(stored(board, preset, seeds)).splitlines()[-1]
    cells = tuple(cell.strip() for cell in line.strip("|").split("|"))
    expected = (cells[0], cells[1], cells[3]) if board == "fraud" else cells[:-2]
    assert expected in page_lines()
