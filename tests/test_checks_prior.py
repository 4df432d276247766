import numpy as np

from puselect.checks.prior import PriorCode, estimate_prior
from puselect.datasets import make_pu_clusters


def small(condition="40/1/1", seed=0, **changes):
    sizes = {"n_negative": 800, "n_positive": 200, "n_relevant": 10, "n_irrelevant": 5, **changes}
    return make_pu_clusters(condition, **sizes, random_state=seed)[:2]


def test_the_truth_is_inside_the_interval():
    """120 of 920 unlabelled rows are positive."""
    found = [estimate_prior(*small(seed=seed), 10) for seed in range(4)]
    assert all(each.code == PriorCode.ESTIMATED for each in found)
    assert sum(each.interval[0] <= 120 / 920 <= each.interval[1] for each in found) >= 3
    assert found[0].n_hidden == round(found[0].share * 920)


def test_shuffled_labels_tell_nothing():
    X, y = small()
    found = estimate_prior(X, np.random.default_rng(0).permutation(y))
    assert found.code == PriorCode.NOT_SEPARATED
    assert found.share is found.interval is found.n_hidden is None


def test_few_labels_tell_nothing():
    X, y = small()
    found = estimate_prior(X, np.where(np.cumsum(y) <= 12, y, 0))
    assert found.code == PriorCode.TOO_FEW_LABELS
    assert found.share is None


def test_other_labels_and_repeatable():
    X, y = small()
    assert estimate_prior(X, np.where(y == 1, "yes", "no"), pos_label="yes") == estimate_prior(X, y)


def test_checked_negatives_narrow_the_interval():
    X, y, _, classes = make_pu_clusters("40/8/1", n_negative=1200, n_positive=300, return_classes=True, random_state=0)
    labels = np.where(y == 1, 1, 0)
    labels[np.random.default_rng(0).permutation(np.flatnonzero(classes == 0))[:400]] = -1
    ignored, found = estimate_prior(X, labels, 25), estimate_prior(X, labels, 25, neg_label=-1)
    truth = classes[labels == 0].mean()
    assert found.interval[0] <= truth <= found.interval[1]
    assert np.diff(found.interval) < np.diff(ignored.interval)
    assert found.n_hidden == round(found.share * (labels == 0).sum())
