"""The benchmarks of auto-k, of the check, of stability and of AutoSelector: they run, resume and sum up."""

import gzip
import json
import sys
from functools import partial
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parents[1] / "benchmarks"))

import auto
import auto_k
import auto_rules
import label_spread
import prior
import stability
import suitability

from puselect import FSCPU, METHODS, AutoSelector
from puselect.datasets import make_pu_clusters
from puselect_paper.studies.open_data import Split

pytestmark = pytest.mark.usefixtures("few_trees")
SMALL = partial(make_pu_clusters, n_negative=150, n_positive=50, n_relevant=4, n_irrelevant=4)


@pytest.mark.parametrize(
    ("script", "options"),
    [(auto_k, ["--quick"]), (suitability, []), (label_spread, ["--board", "one"]), (prior, [])],
    ids=["auto_k", "check", "labels", "prior"],
)
def test_a_board_is_run_once_and_summed_up(script, options, monkeypatch, tmp_path, capsys):
    monkeypatch.setattr(script, "make_pu_clusters", SMALL)
    words = ["--laws", "gaussian", "--conditions", "40/1/1", "--seeds", "3-4", "--out", str(tmp_path / "b"), *options]
    script.main(words)
    first = capsys.readouterr()
    assert "2 of 2" in first.err
    script.main(words)
    again = capsys.readouterr()
    assert again.err == ""
    assert again.out == first.out
    assert any(line.startswith("| all") and " | 2 | " in line for line in first.out.splitlines())


def test_labels_are_shuffled_where_nothing_is_to_be_found():
    cell = auto_k.Cell("gaussian", "40/1/1", True, True, 0)
    X, y, _ = make_pu_clusters("40/1/1", noise="gaussian", random_state=0)
    assert (cell.draw()[0] == X).all()
    assert cell.draw()[1].sum() == y.sum()
    assert (cell.draw()[1] != y).any()


def test_numbers_of_features_are_judged_on_real_tables(monkeypatch):
    X, y, _ = SMALL("40/1/1", random_state=0)
    monkeypatch.setattr(auto_k, "split_real_table", lambda name, seed: Split(X, y, X, y))
    monkeypatch.setattr(auto_k, "FSCPU", partial(FSCPU, max_iter=5))
    monkeypatch.setattr(auto_k, "MODELS", ("logistic",))
    rows = [auto_k.measure(auto_k.Cell("real", "spambase", False, False, seed)) for seed in (0, 1)]
    assert all(0.5 < row[f"auc_{number}"] <= 1 for row in rows for number in auto_k.NUMBERS)
    shown = auto_k.summary(rows).splitlines()
    assert shown[-3] == "| AUC | auto | enough | half | all |"
    assert shown[-1].startswith("| spambase | ")


def test_the_board_of_auto_tests_it_against_the_best_and_the_default(monkeypatch, tmp_path, capsys):
    quick = {"auto": partial(AutoSelector, candidates=["lepage", "kbest"], n_splits=2), "fscpu": METHODS["lepage"]}
    monkeypatch.setattr(auto, "METHODS", {**METHODS, **quick})
    monkeypatch.setattr(auto, "make_pu_clusters", SMALL)
    methods = ["--methods", "auto", "fscpu", "kbest"]
    auto.main([*methods, "--conditions", "40/1/1", "10/1/1", "--seeds", "3-4", "--out", str(tmp_path / "b")])
    shown = capsys.readouterr().out
    assert [line.split(" | ")[0] for line in shown.splitlines()[2:6]].count("| best published") == 1
    assert "auto minus fscpu" in shown
    assert "Taken: " in shown


def test_rules_are_compared_on_trials_that_are_kept(monkeypatch, tmp_path, capsys):
    monkeypatch.setattr(auto_rules, "CANDIDATES", ("lepage", "kbest"))
    monkeypatch.setattr(auto_rules, "DEFAULT", "lepage")
    monkeypatch.setattr(auto_rules, "compile_kernels", lambda name: None)
    monkeypatch.setattr(auto_rules, "make_pu_clusters", SMALL)
    auto_rules.main(["--conditions", "40/1/1", "--seeds", "3", "--splits", "2", "--out", str(tmp_path / "b")])
    shown = capsys.readouterr().out.splitlines()
    assert shown[0].startswith("|  | clusters | mean |")
    assert len(shown) == 2 + len(auto_rules.RULES)


def test_a_rule_leaves_the_preferred_candidate_only_for_one_that_is_clearly_ahead():
    trials = {"fscpu": [[0.8, 0.8], [0.9, 0.9]], "lepage": [[0.84, 0.82], [0.96, 0.92]], "dt-rfe": [[0.7, 0.7]] * 2}
    seconds = {"fscpu": 5, "lepage": 0, "dt-rfe": 9}
    row = {"labelled": 20, "verdict": "holds", "trials": trials, "final_seconds": seconds}
    rule = auto_rules.Rule
    assert [rule(errors, errors).choose(row) for errors in (0, 1, 5)] == ["lepage", "lepage", "fscpu"]
    assert rule(0, 5).choose(row) == "fscpu"
    assert rule(5, 5).choose(row | {"verdict": "does_not_hold"}) == "dt-rfe"
    assert rule(5, 5, by_verdict=False).choose(row | {"verdict": "does_not_hold"}) == "fscpu"
    assert rule(5, 5, simplest=True).choose(row) == "lepage"
    assert [rule(0, 0, fewest=fewest).choose(row) for fewest in (20, 21)] == ["lepage", "fscpu"]
    assert [rule(1, 1, least).choose(row) for least in (0.2, 0.3)] == ["lepage", "fscpu"]


def test_a_difference_is_tested_by_what_the_cases_share():
    difference = auto.np.array([0.01, 0.03, 0.02, 0.02])
    table, split = ("uniform", "40/1/1", 0.5), ("real", "spambase", 0.5)
    assert auto.p_value(table, difference) < auto.p_value(split, difference) < 0.1
    assert auto.p_value(table, difference[:1]) == 1
    assert auto.p_value(table, 0 * difference) == 1


@pytest.mark.parametrize("board", stability.BOARDS)
def test_intervals_are_held_against_many_searches(board, monkeypatch, tmp_path, capsys):
    monkeypatch.setattr(stability, "N_STEPS", 3)
    monkeypatch.setitem(stability.BOARDS, board, [("gaussian", "40/1/1")])
    stability.main(["--board", board, "--seeds", "3", "--repeats", "16", "--out", str(tmp_path / "b")])
    assert ("100.0%" if board == "twins" else "| all | 1 |") in capsys.readouterr().out


DOCS = Path(__file__).parents[1] / "docs"
SCRIPTS = {
    "auto_k": auto_k, "auto_real": auto, "auto_rules": auto_rules, "auto_table1": auto, "auto_trees": auto,
    "check": suitability, "label_spread": label_spread, "prior": prior, "stability": stability, "twins": stability,
}  # fmt: skip


@pytest.mark.parametrize("path", sorted((DOCS / "results" / "trust").glob("*.jsonl.gz")), ids=lambda path: path.name)
def test_the_page_shows_the_stored_results(path):
    with gzip.open(path, "rt") as file:
        rows = [json.loads(line) for line in file]
    script = next(script for start, script in SCRIPTS.items() if path.name.startswith(start))
    assert script.summary(rows) in (DOCS / "internals" / "trust.md").read_text()
