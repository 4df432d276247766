"""AutoSelector: takes the better method, says why, and stays with the first where none is clearly better."""

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.metrics import roc_auc_score

from puselect import METHODS, AutoSelector, assess_stability
from puselect.datasets import make_pu_clusters
from puselect.selectors.suitability import Suitability, Verdict
from puselect.trust.auto import CandidateScore, choose, explain, preferred_candidate

SIZES = {"n_negative": 300, "n_positive": 100, "n_relevant": 5, "n_irrelevant": 10, "noise": "gaussian"}
X, y, relevant = make_pu_clusters("40/1/1", **SIZES, random_state=0)
HOLDS = Suitability(0.2, 0.1, 2.0, 39, "holds", 0.025, 3.0, (2.0, 4.0), 5)
SCATTERED = Suitability(0.1, 0.1, 1.0, 39, "does_not_hold", 0.5, 1.0, (0.9, 1.1), 5)
pytestmark = pytest.mark.usefixtures("few_trees")


@pytest.fixture(scope="module")
def fitted(few_trees):
    return AutoSelector(5, candidates=["lowest-variance", "lepage"], n_splits=3, random_state=0).fit(X, y)


def test_the_better_method_is_taken_and_explained(fitted):
    assert fitted.method_ == "lepage"
    assert relevant[fitted.support_].sum() >= 4
    assert [each.method for each in fitted.comparison_] == ["lepage", "lowest-variance"]
    best, first = fitted.comparison_
    assert best.auc > first.auc
    assert best.ahead == pytest.approx(best.auc - first.auc)
    assert first.ahead == 0
    assert "lepage" in fitted.reason_
    assert fitted.suitability_.code in list(Verdict)
    assert np.array_equal(fitted.support_, fitted.ranking_ <= 5)


def test_fits_are_repeatable_and_clones_alike(fitted):
    again = clone(fitted).fit(X, np.where(y == 1, 1, -1))
    assert np.array_equal(again.ranking_, fitted.ranking_)
    assert [each[:4] for each in again.comparison_] == [each[:4] for each in fitted.comparison_]


def test_values_near_the_largest_number_are_compared_as_any_others(fitted):
    huge = AutoSelector(5, candidates=["lowest-variance", "lepage"], n_splits=3, random_state=0).fit(X * 1e300, y)
    assert [each.auc for each in huge.comparison_] == pytest.approx([each.auc for each in fitted.comparison_], abs=0.01)


def score(method, auc, ahead, error):
    return CandidateScore(method, auc, ahead, error, 1.0)


def test_the_first_is_kept_unless_another_is_clearly_ahead():
    preferred = score("a", 0.80, 0.0, 0.0)
    uncertain = (score("b", 0.86, 0.06, 0.07), preferred)
    tiny = (score("b", 0.84, 0.04, 0.001), preferred)
    clear = (score("c", 0.87, 0.07, 0.08), score("b", 0.86, 0.06, 0.05), preferred)
    assert choose("a", uncertain) == "a"
    assert choose("a", tiny) == "a"
    assert choose("a", clear) == "b"
    assert choose("a", ()) == "a"
    assert "not clearly ahead of a" in explain("a", "a", tiny, HOLDS)
    assert "too few" in explain("a", "a", (), HOLDS)


def test_without_clusters_trees_are_preferred():
    assert preferred_candidate(["fscpu", "dt-rfe"], HOLDS, 20) == "fscpu"
    assert preferred_candidate(["fscpu", "dt-rfe"], SCATTERED, 20) == "dt-rfe"
    assert preferred_candidate(["fscpu", "dt-rfe"], SCATTERED, 19) == "fscpu"
    assert preferred_candidate(["fscpu", "lepage"], SCATTERED, 20) == "fscpu"


def test_the_method_that_was_taken_is_repeated(fitted):
    found = assess_stability(fitted, X, y, n_searches=3)
    assert fitted.stability_ is found
    assert found == assess_stability(fitted.best_estimator_, X, y, n_searches=3)


def test_the_method_that_was_taken_selects_as_it_does_alone():
    auto = AutoSelector(5, candidates=["forest"], random_state=3).fit(X, y)
    assert np.array_equal(auto.ranking_, METHODS["forest"](5, random_state=3).fit(X, y).ranking_)
    one, other = (
        AutoSelector(5, candidates=["forest"], random_state=np.random.RandomState(seed)).fit(X, y) for seed in (3, 3)
    )
    assert np.array_equal(one.ranking_, other.ranking_)


def test_few_labels_leave_the_first_candidate():
    few = np.where(np.cumsum(y) <= 19, y, 0)
    selector = AutoSelector(5, candidates=["lepage", "kbest"], random_state=0).fit(X, few)
    assert selector.method_ == "lepage"
    assert selector.comparison_ == ()


def test_held_out_positives_order_selections_as_the_truth_does():
    """Labels missing at random: the AUC against unlabelled rows is a rising line of that against negatives."""
    rng = np.random.default_rng(0)
    positive = rng.random(20_000) < 0.2
    labelled = positive & (rng.random(20_000) < 0.3)
    share = positive[~labelled].mean()
    for shift in (0.0, 0.5, 1.5):
        values = rng.normal(size=20_000) + shift * positive
        seen = np.mean(values[labelled][:, None] > rng.choice(values[~labelled], 500))
        true = np.mean(values[positive][:, None] > rng.choice(values[~positive], 500))
        assert seen == pytest.approx(share / 2 + (1 - share) * true, abs=0.03)


def test_biased_labels_turn_the_order_round():
    """Most positives are of a kind that column b shows; if only the other kind is labelled, column a seems better."""
    rng = np.random.default_rng(0)
    positive = rng.random(20_000) < 0.2
    rare = positive & (rng.random(20_000) < 0.3)
    a, b = rng.normal(size=20_000) + 2 * rare, rng.normal(size=20_000) + 2 * (positive & ~rare)
    assert roc_auc_score(positive, b) > roc_auc_score(positive, a) + 0.1
    for of, is_right in ((positive, True), (rare, False)):
        labelled = of & (rng.random(20_000) < 0.3)
        assert (roc_auc_score(labelled, b) > roc_auc_score(labelled, a) + 0.1) == is_right


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"candidates": ["nothing"]}, "candidates"),
        ({"candidates": ["auto"]}, "candidates"),
        ({"candidates": "fscpu"}, "candidates"),
        ({"candidates": []}, "candidates"),
        ({"n_splits": 1}, "n_splits"),
        ({"n_features_to_select": 99}, "n_features_to_select"),
    ],
)
def test_wrong_parameters_are_refused(changes, message):
    with pytest.raises(ValueError, match=message):
        AutoSelector(**{"n_features_to_select": 5, **changes}).fit(X, y)
