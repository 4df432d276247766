import numpy as np
import pytest

from puselect.datasets import make_pu_clusters
from puselect.trust.prior import PriorCode, best_ratio, estimate_prior


def small(condition="40/1/1", seed=0, **changes):
    sizes = {"n_negative": 800, "n_positive": 200, "n_relevant": 10, "n_irrelevant": 5, **changes}
    return make_pu_clusters(condition, **sizes, random_state=seed)[:2]


def test_the_share_is_near_the_truth_and_inside_its_interval():
    """120 of 920 unlabelled rows are positive; means over six tables."""
    found = [estimate_prior(*small(seed=seed)) for seed in range(6)]
    assert np.mean([each.share for each in found]) == pytest.approx(120 / 920, abs=0.03)
    assert sum(each.interval[0] <= 120 / 920 <= each.interval[1] for each in found) >= 5
    assert all(each.interval[0] <= each.share <= each.interval[1] for each in found)
    assert sum(each.code == PriorCode.ESTIMATED for each in found) >= 4
    assert found[0].n_hidden == round(found[0].share * 920)


def test_shuffled_labels_give_no_small_share():
    X, y = small()
    found = estimate_prior(X, np.random.default_rng(0).permutation(y))
    assert found.interval[1] > 0.5


def test_few_labels_are_told():
    X, y = small()
    found = estimate_prior(X, np.where(np.cumsum(y) <= 4, y, 0))
    assert found.code == PriorCode.TOO_FEW_LABELS
    assert found.interval == (0.0, 1.0)
    assert "too few" in str(found)


def test_other_labels_and_repeatable():
    X, y = small()
    assert estimate_prior(X, np.where(y == 1, "yes", "no"), pos_label="yes") == estimate_prior(X, y)


def test_the_best_ratio_ignores_positives_among_negatives():
    rng = np.random.default_rng(0)
    among_positives = rng.random(500) * 1000  # the best tenth of 10,000 rows is positive
    assert best_ratio(among_positives, 10_000) == pytest.approx(0.1, abs=0.02)
    blurred = np.concatenate([among_positives, rng.random(100) * 10_000])
    assert best_ratio(blurred, 10_000) == pytest.approx(0.12, abs=0.02)
    assert best_ratio(np.full(3, 50.0), 50) == 1


def test_few_unlabelled_rows_are_no_proof_that_none_is_positive():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(360, 3))
    X[:300] += 6.0
    found = estimate_prior(X, np.arange(360) < 300)
    assert found.share == 0
    assert found.interval == (0.0, 3 / 60)


def test_many_labelled_rows_that_lie_further_out_than_a_few_unlabelled_ones_prove_little():
    """Half of 200 unlabelled rows are positive; a few of 1000 labelled ones score higher than all of them."""
    rng = np.random.default_rng(5)
    X = rng.normal(size=(1200, 8))
    X[:1100, :3] += 1.5
    found = estimate_prior(X, np.arange(1200) < 1000)
    assert found.share == pytest.approx(0.5, abs=0.15)
    assert found.interval[1] > 0.5
