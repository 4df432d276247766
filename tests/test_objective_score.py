from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from puselect.objective.score import best_clusters


def value(size, positive, chosen, extra_rows=0):
    rows = size[chosen].sum() + extra_rows
    return positive[chosen].sum() ** 2 / (positive.sum() * rows) if rows and positive.sum() else 0.0


def brute_force(size, positive, extra_rows=0):
    """The best value over all subsets."""
    subsets = [np.array(bits, dtype=bool) for bits in product([False, True], repeat=len(size))]
    return max(value(size, positive, chosen, extra_rows) for chosen in subsets)


def random_tables(n, n_clusters, rng, most=40):
    size = rng.integers(0, most, (n, n_clusters))
    return size, rng.binomial(size, rng.uniform(0, 1, (n, n_clusters)))


@pytest.mark.parametrize("smoothing", [0.0, 1.3])
def test_exact_rule_equals_brute_force_over_all_subsets(smoothing):
    rng = np.random.default_rng(0)
    for n_clusters in (1, 2, 3, 5, 7):
        size, positive = random_tables(300, n_clusters, rng)
        tables = zip(size, positive, smoothing * size.mean(axis=1), strict=True)
        expected = [brute_force(*table) for table in tables]
        np.testing.assert_allclose(best_clusters(size, positive, smoothing=smoothing).score, expected, rtol=1e-12)


def test_chosen_clusters_reach_the_score():
    rng = np.random.default_rng(1)
    for cluster_choice in ("best", "greedy"):
        size, positive = random_tables(500, 6, rng)
        score, chosen = best_clusters(size, positive, cluster_choice)
        reached = [value(*row) for row in zip(size, positive, chosen, strict=True)]
        np.testing.assert_allclose(score, reached, rtol=1e-12)
        assert not chosen[size == 0].any()


def printed(size, positive):
    """Algorithm 1, line by line."""
    size, positive = size[size > 0], positive[size > 0]
    order = np.argsort(-positive / size, kind="stable")
    a, c = np.cumsum(positive[order]), np.cumsum(size[order])
    chosen = 0
    for i in range(1, len(order)):
        if a[i - 1] ** 2 / c[i - 1] > a[i] ** 2 / c[i]:
            break
        chosen = i
    return a[chosen] ** 2 / (positive.sum() * c[chosen])


@pytest.mark.parametrize("most", [4, 40])  # small clusters often have equal values one after another
def test_printed_rule_is_algorithm_1(most):
    size, positive = random_tables(2000, 10, np.random.default_rng(2), most)
    keep = positive.sum(axis=1) > 0
    size, positive = size[keep], positive[keep]
    expected = [printed(*table) for table in zip(size, positive, strict=True)]
    np.testing.assert_allclose(best_clusters(size, positive, "greedy").score, expected, rtol=1e-12)


@settings(deadline=None, max_examples=300)
@given(st.lists(st.tuples(st.integers(1, 50), st.integers(0, 50)), min_size=1, max_size=8))
def test_proposition_1_chosen_clusters_have_the_larger_shares(table):
    size = np.array([max(c, a) for c, a in table])
    positive = np.array([a for _, a in table])
    chosen = best_clusters([size], [positive]).chosen[0]
    share = positive / size
    if chosen.any() and (~chosen).any() and positive.any():
        assert share[chosen].min() > share[~chosen].max() - 1e-12


@settings(deadline=None, max_examples=300)
@given(st.lists(st.integers(1, 30), min_size=1, max_size=8), st.data())
def test_proposition_2_pure_positive_clusters_are_all_chosen(blocks, data):
    n_positive = data.draw(st.integers(1, len(blocks)))
    size = 10 * np.array(blocks)
    positive = np.where(np.arange(len(blocks)) < n_positive, size * 0.3, 0)
    assert best_clusters([size], [positive]).chosen[0].tolist() == [i < n_positive for i in range(len(blocks))]


@pytest.mark.parametrize("cluster_choice", ["best", "greedy"])
def test_extremes(cluster_choice):
    assert best_clusters([[10, 90]], [[10, 0]], cluster_choice).score[0] == 1  # all positives alone in one cluster
    assert best_clusters([[100]], [[7]], cluster_choice).score[0] == pytest.approx(0.07)  # one cluster for everything
    assert best_clusters([[10, 90]], [[0, 0]], cluster_choice).score[0] == 0  # no positives at all
    assert best_clusters([[0, 0]], [[0, 0]], cluster_choice).score[0] == 0  # nothing at all
    assert best_clusters([[10, 10]], [[5, 5]], cluster_choice).score[0] == pytest.approx(0.5)  # ties
    assert best_clusters([[10, 90]], [[10, 0]], cluster_choice, smoothing=1e308).score[0] == 0
