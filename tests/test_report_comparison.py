import numpy as np
import pytest
from scipy import stats

from puselect.fscpu.row_model import ClassPrior
from puselect.methods import YARDSTICKS
from puselect.report import Comparison, render
from puselect.report.comparison import mean_interval

ALL, RANDOM, _, LEPAGE = YARDSTICKS.values()

SELECTED = {"a": ["x", "y"], "b": ["y", "z"], "c": ["x", "y"]}
SECONDS = {"a": 1.0, "b": 2.0, "c": 0.5}


def test_interval_is_students():
    scores = np.random.default_rng(0).normal(size=12)
    found = mean_interval(scores.tolist())
    low, high = stats.t.interval(0.95, 11, scores.mean(), stats.sem(scores))
    assert (found.low, found.high) == (pytest.approx(low), pytest.approx(high))
    wide = mean_interval(scores.tolist(), test_share=0.2)  # Nadeau and Bengio: splits share rows
    assert (wide.high - wide.low) / (high - low) == pytest.approx(np.sqrt((1 / 12 + 0.2 / 0.8) / (1 / 12)))
    assert mean_interval([0.5]).low == mean_interval([0.5]).high == 0.5
    assert mean_interval([]) is None


def test_methods_come_best_first_with_differences_in_pairs():
    scores = {"a": [0.5, 0.7], "b": [0.8, 0.9], "c": [0.1, 0.2]}
    found = Comparison.of(SELECTED, SECONDS, scores)
    assert [method.method for method in found.methods] == ["b", "a", "c"]
    assert found.methods[0].behind_best is None
    assert found.methods[1].behind_best.mean == pytest.approx(0.25)
    assert found.methods[1].behind_best.high == pytest.approx(mean_interval([0.3, 0.2]).high)


def test_a_comparison_names_the_winner_only_where_it_is_clear():
    chosen, seconds = {"a": ["x"], "b": ["x"], "c": ["y"]}, dict.fromkeys("abc", 1.0)
    clear = Comparison.of(chosen, seconds, {"a": [0.9, 0.91, 0.9], "b": [0.5, 0.5, 0.51], "c": [0.1, 0.1, 0.1]})
    assert clear.headline == "a scores clearly higher than all other methods."
    close = Comparison.of(chosen, seconds, {"a": [0.9, 0.7, 0.8], "b": [0.7, 0.9, 0.79], "c": [0.1, 0.1, 0.1]})
    assert close.headline == "a scores highest, but not clearly higher than b."
    unscored = Comparison.of(chosen, seconds)
    assert unscored.headline == "3 methods, 0 features in common."
    assert [method.method for method in unscored.methods] == ["a", "b", "c"]


def test_a_comparison_needs_a_method():
    with pytest.raises(ValueError, match="method"):
        Comparison.of({}, {})


def test_baselines_are_no_methods():
    chosen = {"a": ["x", "y"], "b": ["y", "z"], ALL: ["x", "y", "z"], RANDOM: ["z"]}
    seconds = {"a": 2.0, "b": 0.5, ALL: 1e-6, RANDOM: 5e-5}
    scores = {"a": [0.8, 0.81, 0.8], "b": [0.7, 0.7, 0.71], ALL: [0.9, 0.91, 0.92], RANDOM: [0.5, 0.6, 0.5]}
    found = Comparison.of(chosen, seconds, scores, n_features=3)
    assert found.headline == "a scores clearly higher than all other methods."
    assert [method.method for method in found.rivals] == ["a", "b"]
    level = Comparison.of(chosen, seconds, {**scores, RANDOM: [0.8, 0.8, 0.81]})
    assert level.headline == "No method is clearly better than random features."
    alone = Comparison.of({"a": ["x"], RANDOM: ["y"]}, seconds, {"a": [0.8, 0.81], RANDOM: [0.5, 0.51]})
    assert alone.headline == "a scores clearly higher than random features."


def test_a_baseline_that_is_better_is_ahead_and_the_best_is_neither():
    scores = {"a": [0.8, 0.82], "b": [0.7, 0.72], ALL: [0.81, 0.83]}
    found = Comparison.of({name: ["x"] for name in scores}, dict.fromkeys(scores, 1.0), scores)
    gaps = {method.method: method.gap.split(" (")[0] for method in found.methods}
    assert gaps == {ALL: "0.010 ahead", "a": "", "b": "0.100 behind"}
    assert [method.method for method in found.rivals] == ["a", "b"]


def test_a_simple_filter_that_is_as_good_is_named():
    chosen, seconds = {"a": ["x"], LEPAGE: ["x"]}, {"a": 1.0, LEPAGE: 0.01}
    level = Comparison.of(chosen, seconds, {"a": [0.8, 0.9, 0.8], LEPAGE: [0.8, 0.8, 0.85]})
    assert level.headline == f"a scores highest, but not clearly higher than {LEPAGE}."
    better = Comparison.of(chosen, seconds, {"a": [0.8, 0.9, 0.8], LEPAGE: [0.9, 0.9, 0.85]})
    assert better.headline == f"No method scores higher than {LEPAGE}."


@pytest.mark.parametrize("prior", [None, ClassPrior("not_separated"), ClassPrior("estimated", 0.2, (0.1, 0.3), 20)])
def test_scores_are_corrected_only_where_the_share_of_positives_can_be_told(prior):
    found = Comparison.of({"a": ["x"]}, {"a": 1.0}, {"a": [0.8, 0.84]}, prior=prior)
    corrected = found.corrected(found.methods[0])
    is_told = prior is not None and prior.share is not None
    assert (corrected is not None) == is_told
    assert ("Corrected</th>" in render.render([found])) == is_told
    assert Comparison.from_json(found.to_json()) == found
    if is_told:
        expected = [(0.82 - share / 2) / (1 - share) for share in (0.2, 0.1, 0.3)]
        assert [corrected.mean, corrected.low, corrected.high] == pytest.approx(expected)
