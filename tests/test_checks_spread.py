"""Labels from one corner of the positives are noticed, others are not; what cannot be told is said."""

import numpy as np
import pytest

from puselect.baselines import KBest
from puselect.checks.spread import (
    Counts,
    SpreadCode,
    best_split,
    check_label_spread,
    even_p_value,
    label_spread,
    n_different,
    separate_clusters,
)
from puselect.datasets import make_pu_clusters
from puselect.report import summarise
from puselect.report.findings import Code

SIZES = {"n_negative": 900, "n_positive": 300, "n_relevant": 25, "n_irrelevant": 5, "noise": "gaussian"}


def drawn(seed, condition="40/3/2", **changes):
    return make_pu_clusters(condition, **{**SIZES, **changes}, random_state=seed)


def test_biased_labels_are_noticed_and_others_are_not():
    """Of six tables each; benchmarks/trust.py has the rates."""
    codes = {bias: [check_label_spread(*drawn(s, label_bias=bias)[:2], 25).code for s in range(6)] for bias in (1, 9)}
    assert codes[9].count(SpreadCode.UNEVEN) >= 4
    assert codes[1].count(SpreadCode.UNEVEN) == 0


def test_clusters_with_few_labels_are_told_apart_by_likelihood():
    ratio, n_rare = best_split(Counts(np.array([100, 100, 200]), np.array([4, 40, 6])))
    assert n_rare == 10
    assert ratio == pytest.approx((40 / 100) / (10 / 300))


def test_pieces_of_one_cluster_are_joined_and_clusters_are_not():
    rng = np.random.default_rng(0)
    one = rng.normal(size=(600, 2))
    assert len(np.unique(separate_clusters(one, 0))) == 1
    two = separate_clusters(one + 12 * (np.arange(600) < 300)[:, None], 0)
    assert len(np.unique(two)) == len(np.unique(two[:300])) + len(np.unique(two[300:])) == 2


def test_the_p_value_is_that_of_labels_drawn_at_random():
    rng = np.random.default_rng(0)
    size = np.array([100, 150, 50])
    p_values = [even_p_value(Counts(size, rng.multivariate_hypergeometric(size, 40)), rng) for _ in range(300)]
    assert np.mean(np.array(p_values) <= 0.05) <= 0.09
    assert 0.4 < np.mean(p_values) < 0.65
    assert even_p_value(Counts(size, np.array([36, 2, 2])), rng) < 0.01


def test_what_cannot_be_told_is_said():
    X, y, _ = drawn(0)
    few = np.where(np.cumsum(y) <= 9, y, 0)
    assert check_label_spread(X, few).code == SpreadCode.TOO_FEW_LABELS
    rng = np.random.default_rng(0)
    for table in (np.zeros((300, 2)), rng.normal(size=(300, 3))):
        assert label_spread(table, np.arange(300) < 20, rng).code == SpreadCode.ONE_CLUSTER
    for found in (check_label_spread(X, few), check_label_spread(X, y, 1), check_label_spread(X, y)):
        assert 0 < found.p_value <= 1
        assert str(found).endswith(".")


def test_the_report_warns_of_labels_from_one_corner():
    X, y, relevant = drawn(1, label_bias=9)
    columns = X[:, relevant]
    codes = [finding.code for finding in summarise(KBest(24).fit(columns, y), columns, y).findings]
    assert Code.UNEVEN_LABELS in codes
    even = drawn(1)
    codes = [finding.code for finding in summarise(KBest(24).fit(even[0], even[1]), even[0], even[1]).findings]
    assert Code.UNEVEN_LABELS not in codes


def test_rows_are_told_apart_by_value():
    table = np.array([[0.0, 1.0], [-0.0, 1.0], [0.0, 2.0], [1.0, 0.0]])
    assert n_different(table) == len(np.unique(table, axis=0)) == 3
