import numpy as np
import pytest

from puselect import FSCPU
from puselect.baselines import KBest
from puselect.datasets import make_pu_clusters
from puselect.selectors.suitability import CLEAR, FAINT, check_suitability, verdict


def small(condition, seed=0):
    return make_pu_clusters(
        condition, n_negative=600, n_positive=150, n_relevant=6, n_irrelevant=6, random_state=seed
    )[:2]


def search(X, y, **changes):
    return FSCPU(6, random_state=0, max_iter=40, **changes).fit(X, y)


@pytest.mark.parametrize("condition", ["40/3/1", "40/1/2"])
def test_clusters_are_told_from_chance(condition):
    X, y = small(condition)
    found = check_suitability(search(X, y), X, y)
    assert found.ratio > 1.5
    assert found.suits
    assert "form clusters" in found.verdict


@pytest.mark.parametrize("condition", ["40/3/1", "40/outlier"])
def test_labels_without_clusters_are_told_from_clusters(condition):
    X, y = small(condition)
    if condition != "40/outlier":
        y = np.random.default_rng(5).permutation(y)
    found = check_suitability(search(X, y), X, y)
    assert found.ratio < CLEAR
    assert not found.suits


def test_figures_belong_together_and_are_repeatable():
    X, y = small("40/3/1")
    selector = search(X, y)
    found = check_suitability(selector, X, y, n_shuffles=2, random_state=3)
    assert found == check_suitability(selector, X, y, n_shuffles=2, random_state=3)
    assert found.objective == selector.objective_
    assert found.ratio == pytest.approx(found.objective / found.null_objective)
    assert found.n_shuffles == 2
    assert found.null_objective != check_suitability(selector, X, y, random_state=3).null_objective


def test_selector_and_its_checkpoint_are_left_alone(tmp_path):
    X, y = small("40/3/1")
    selector = search(X, np.where(y == 1, "yes", "?"), pos_label="yes", checkpoint=tmp_path / "search.state")
    before = (tmp_path / "search.state").read_bytes(), selector.get_params()
    check_suitability(selector, X, np.where(y == 1, "yes", "?"))
    assert ((tmp_path / "search.state").read_bytes(), selector.get_params()) == before


def test_wrong_calls_are_refused():
    X, y = small("40/3/1")
    with pytest.raises(ValueError, match="needs a fitted FSCPU, got KBest"):
        check_suitability(KBest(3).fit(X, y), X, y)
    with pytest.raises(ValueError, match="n_shuffles must be at least 1, got 0"):
        check_suitability(search(X, y), X, y, n_shuffles=0)


def test_verdict_changes_with_the_ratio():
    assert "they form clusters" in verdict(CLEAR)
    assert "a faint sign" in verdict(CLEAR - 0.01)
    assert "a faint sign" in verdict(FAINT)
    assert "there is no sign" in verdict(FAINT - 0.01)
