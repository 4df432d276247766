"""The worlds benchmark: which data sets it draws, that it resumes, and what it prints."""

import inspect
import json
import sys
from functools import partial
from pathlib import Path

import numpy as np
import pytest

sys.path.insert(0, str(Path(__file__).parents[1] / "benchmarks"))

import worlds
from worlds import Fit, World

from puselect.datasets import CONDITIONS, make_pu_clusters


@pytest.fixture(autouse=True)
def small_tables(monkeypatch):
    monkeypatch.setattr(worlds, "make_pu_clusters", partial(make_pu_clusters, n_negative=150, n_positive=50))


@pytest.fixture
def arguments(tmp_path):
    presets = ["--presets", "kbest", "random", "default:max_iter=3,n_clusters=4"]
    return ["--laws", "heavy", "--conditions", "40/1/2", "--seeds", "1000-1002", *presets, "--out", str(tmp_path / "w")]


def written(arguments):
    return [json.loads(line) for line in Path(arguments[-1]).read_text().splitlines()]


def chosen(*arguments):
    return worlds.chosen_worlds(worlds.parse(list(arguments)))


def test_worlds_are_five_laws_under_the_eight_conditions_with_clusters():
    board = worlds.BOARDS["worlds"]
    assert len(set(board)) == 40
    assert {world.law for world in board} == {"gaussian", "nuisance", "correlated", "heavy", "permuted"}
    assert {world.condition for world in board} == set(CONDITIONS[:8])


def test_other_boards_have_their_worlds():
    assert [world.condition for world in worlds.BOARDS["paper"]] == list(CONDITIONS)
    assert {(w.condition.split("/")[0], w.n_irrelevant) for w in worlds.BOARDS["hard"]} == {
        ("2", 25), ("10", 175), ("10", 475),
    }  # fmt: skip
    assert {world.knob for world in worlds.BOARDS["knobs"]} == set(worlds.KNOBS)
    drawn = inspect.signature(make_pu_clusters).parameters
    assert {name for knob in worlds.KNOBS.values() for name in knob} == set(list(drawn)[7:14])


@pytest.mark.parametrize("board", worlds.BOARDS)
def test_every_world_can_be_drawn(board):
    for world in worlds.BOARDS[board]:
        X, y, relevant = world.draw(1000)
        assert X.shape[1] == relevant.sum() + world.n_irrelevant
        assert 0 < y.sum() < len(X)


def test_laws_conditions_labels_and_widths_replace_those_of_the_board():
    picked = chosen("--laws", "skewed", "--conditions", "10/8/2", "--labels", "2", "5", "--n-irrelevant", "25", "175")
    assert picked == [World("skewed", f"{percent}/8/2", count) for count in (25, 175) for percent in (2, 5)]
    assert len(chosen("--board", "paper", "--labels", "5")) == 5


def test_a_run_writes_a_line_for_each_fit_and_prints_means(arguments, capsys):
    worlds.main(arguments)
    rows = written(arguments)
    assert [row["seed"] for row in rows] == [1000, 1001, 1002] * 3
    assert [row["preset"].partition(":")[0] for row in rows[::3]] == ["kbest", "random", "default"]
    assert rows[-1]["clusterings"] == 24
    assert all(0 <= row["fsr"] <= 1 and row["condition"] == "40/1/2" for row in rows)
    out = capsys.readouterr().out
    expected = worlds.mean_and_error(row["fsr"] for row in rows[:3])
    assert f"| kbest | {expected} | {expected} |" in out
    assert f"| heavy, 40/1/2 | {expected} |" in out


def test_a_run_does_only_what_its_file_lacks(arguments, monkeypatch):
    worlds.main(arguments)
    rows = written(arguments)
    path = Path(arguments[-1])
    path.write_text(path.read_text()[:-20])  # as if it had been killed while writing the last line
    fitted = []
    fit_one = worlds.fit_one
    monkeypatch.setattr(worlds, "fit_one", lambda fit: fitted.append(fit) or fit_one(fit))
    worlds.main(arguments)
    assert [(fit.preset, fit.seed) for fit in fitted] == [(rows[-1]["preset"], 1002)]
    assert {**json.loads(path.read_text().splitlines()[-1]), "seconds": 0} == {**rows[-1], "seconds": 0}


def test_searches_in_lockstep_find_the_same(monkeypatch):
    fits = [
        Fit("default:max_iter=3,n_clusters=4", World(law, condition), seed, "cpu")
        for law in ("heavy", "uniform")
        for condition in ("40/1/1", "10/1/2")
        for seed in (0, 1)
    ]
    sizes = []
    fit_many = worlds.fit_many
    monkeypatch.setattr(worlds, "fit_many", lambda *given: sizes.append(len(given[0])) or fit_many(*given))
    together = {worlds.fit_of(row): row["fsr"] for row in worlds.fit_in_lockstep(fits, at_once=3)}
    assert sizes == [3, 1, 3, 1]  # one percentage at a time
    assert together == {fit: worlds.fit_one(fit)["fsr"] for fit in fits}


def test_worlds_are_grouped_by_what_sets_them_apart():
    assert World("heavy", "10/8/2").group == World("heavy", "40/1/1").group == "heavy"
    assert World("heavy", "10/outlier", 175).group == "heavy, outliers, 25 of 200"
    assert World("gaussian", "10/8/2", knob="weak columns").group == "gaussian, weak columns"
    assert {world.group for world in worlds.BOARDS["fraud"]} == {"fraud"}


def test_random_selections_differ_between_data_sets():
    fits = [Fit("random", World("gaussian", "40/1/1"), seed, "") for seed in range(20)]
    found = [worlds.fit_one(fit)["fsr"] for fit in fits]
    assert np.mean(found) == pytest.approx(0.5, abs=0.1)
    assert len(set(found)) > 3


def test_means_come_with_standard_errors():
    assert worlds.mean_and_error([0.9, 1.0]) == ".950 ± .050"
    assert worlds.mean_and_error([1.0, 1.0]) == "1.000 ± .000"
    assert worlds.mean_and_error([0.5]) == ".500"
    assert worlds.mean_and_error([]) == ""


def test_found_columns_of_a_fraud_table_are_counted():
    row = {"fsr": 0.75, "n_relevant": 8}
    assert worlds.found({**row, "law": "fraud"}) == 6
    assert worlds.found({**row, "law": "heavy"}) == 0.75


@pytest.mark.parametrize(
    "arguments", [["--presets", "nothing"], ["--board", "fraud", "--laws", "heavy"], ["--laws", "cauchy"]]
)
def test_wrong_arguments_are_refused(arguments):
    with pytest.raises(SystemExit) as error:
        worlds.main(arguments)
    assert error.value.code == 2


DOCS = Path(__file__).parents[1] / "docs"


def stored(board, preset, seeds=range(3000, 3010)):
    rows = worlds.read_rows(DOCS / "results" / "worlds" / "results.jsonl")
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


@pytest.mark.parametrize("knob", worlds.KNOBS)
def test_the_page_shows_the_stored_results_of_knobs(knob):
    rows = [row for row in stored("knobs", "default") if row["knob"] == knob]
    assert (knob or "none", worlds.mean_and_error(map(worlds.found, rows))) in page_lines()


def test_the_page_shows_the_stored_results_of_the_hard_boards():
    def cell(preset, percent, n_irrelevant):
        rows = [r for r in stored("hard", preset) if r["condition"].startswith(percent)]
        return worlds.mean_and_error(worlds.found(r) for r in rows if r["n_irrelevant"] == n_irrelevant)

    cells = [cell("default", *board) for board in (("2/", 25), ("10/", 175), ("10/", 475))]
    assert ("default", *cells) in page_lines()
