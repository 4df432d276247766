from functools import cache

import numpy as np
import pytest
from ranking_contract import RankingContract, small_table
from sklearn.metrics import mutual_info_score

from puselect.baselines import MRMR, SemiJMI
from puselect.baselines.information import forward_order, three_state_codes
from puselect.datasets import make_pu_clusters
from puselect.objective.information import equal_width_codes, joint_information
from puselect.scaling import scale_columns


class TestSemiJMI(RankingContract):
    def make(self, n_features_to_select=None, **options):
        return SemiJMI(n_features_to_select, **options)


class TestMRMR(RankingContract):
    def make(self, n_features_to_select=None, **options):
        return MRMR(n_features_to_select, **options)


class TestMRMRDifference(RankingContract):
    def make(self, n_features_to_select=None, **options):
        return MRMR(n_features_to_select, criterion="difference", **options)


def bits(a, b):
    return mutual_info_score(a, b) / np.log(2)


def order_of(selector):
    return np.argsort(selector.ranking_).tolist()


def greedy(n_features, worth_first, worth_next):
    """Return the order of greedy selection, literally."""
    order = [max(range(n_features), key=worth_first)]
    while len(order) < n_features:
        left = [j for j in range(n_features) if j not in order]
        order.append(max(left, key=lambda j: worth_next(j, order)))
    return order


@pytest.mark.parametrize("seed", range(2))
class TestDirectFormulas:
    def test_semi_jmi_sums_joint_information(self, seed):
        X, y, _ = small_table(seed)
        codes = equal_width_codes(scale_columns(X)).T.astype(int)

        @cache
        def joint(j, i):
            return mutual_info_score(5 * codes[j] + codes[i], y)

        expected = greedy(
            10, lambda j: mutual_info_score(codes[j], y), lambda j, chosen: sum(joint(j, i) for i in chosen)
        )
        assert order_of(SemiJMI(5).fit(X, y)) == expected

    def test_semi_jmi_trades_relevance_for_redundancy(self, seed):
        X, y, _ = small_table(seed)
        codes = equal_width_codes(scale_columns(X)).T.astype(int)

        def conditional(a, b):
            return sum((y == s).mean() * mutual_info_score(a[y == s], b[y == s]) for s in (0, 1))

        @cache
        def redundancy(j, i):
            return mutual_info_score(codes[j], codes[i]) - conditional(codes[j], codes[i])

        def worth(j, chosen):
            return len(chosen) * mutual_info_score(codes[j], y) - sum(redundancy(j, i) for i in chosen)

        expected = greedy(10, lambda j: mutual_info_score(codes[j], y), worth)
        assert order_of(SemiJMI(5).fit(X, y)) == expected

    @pytest.mark.parametrize("criterion", ["quotient", "difference"])
    def test_mrmr(self, seed, criterion):
        X, y, _ = small_table(seed)
        codes = three_state_codes(scale_columns(X)).T

        @cache
        def shared(j, i):
            return bits(codes[j], codes[i])

        def worth(j, chosen):
            relevance, redundancy = bits(codes[j], y), np.mean([shared(j, i) for i in chosen])
            return relevance / (redundancy + 1e-4) if criterion == "quotient" else relevance - redundancy

        expected = greedy(10, lambda j: bits(codes[j], y), worth)
        assert order_of(MRMR(5, criterion=criterion).fit(X, y)) == expected


class TestInvariance:
    @pytest.mark.parametrize("make", [SemiJMI, MRMR])
    def test_order_of_rows_changes_nothing(self, make):
        X, y, _ = small_table()
        rows = np.random.default_rng(0).permutation(len(X))
        assert order_of(make(random_state=0).fit(X[rows], y[rows])) == order_of(make(random_state=0).fit(X, y))

    @pytest.mark.parametrize("make", [SemiJMI, MRMR])
    def test_names_of_categories_change_nothing(self, make):
        rng = np.random.default_rng(0)
        X = rng.integers(3, size=(300, 8))
        y = rng.random(300) < 0.1 + 0.1 * X[:, 0] + 0.2 * (X[:, 1] == X[:, 2])
        renamed = np.array([5.0, 0.1, 3.0])[X]
        assert order_of(make(random_state=0).fit(renamed, y)) == order_of(make(random_state=0).fit(X, y))

    @pytest.mark.parametrize("make", [SemiJMI, MRMR])
    def test_order_of_columns_changes_nothing(self, make):
        X, y, _ = small_table()
        columns = np.random.default_rng(0).permutation(10)
        moved = make(random_state=0).fit(X[:, columns], y)
        np.testing.assert_array_equal(moved.ranking_, make(random_state=1).fit(X, y).ranking_[columns])

    @pytest.mark.parametrize("make", [SemiJMI, MRMR])
    def test_equal_columns_come_in_random_order(self, make):
        X, y, _ = small_table()
        X = X[:, [0, 0, 0, 0, 0]]
        assert len({order_of(make(random_state=seed).fit(X, y))[0] for seed in range(20)}) > 2


def test_three_states_lie_a_standard_deviation_apart():
    X = np.random.default_rng(0).normal(size=(200, 1))
    low, high = X.mean() - X.std(), X.mean() + X.std()
    np.testing.assert_array_equal(three_state_codes(X)[:, 0], [0 if x < low else 2 if x > high else 1 for x in X[:, 0]])


def test_a_balanced_binary_column_keeps_its_two_states():
    X = np.repeat([[0.0], [1.0]], 10, axis=0)
    np.testing.assert_array_equal(three_state_codes(X), X)


def test_greedy_gain_is_the_gain_of_the_pair_sum():
    X, y, _ = small_table()
    Q = joint_information(equal_width_codes(X), y == 1)
    seen = []
    order = forward_order(np.diag(Q), Q.__getitem__, lambda sums, n: seen.append(sums) or sums)
    for n in range(1, 10):
        chosen = order[:n]
        np.testing.assert_allclose(seen[n - 1], Q[:, chosen].sum(axis=1))


@pytest.mark.parametrize(
    ("selector", "message"),
    [
        (SemiJMI(n_bins=1), "n_bins must be an integer of at least 2, got 1"),
        (MRMR(criterion="product"), "criterion must be one of 'quotient', 'difference', got 'product'"),
    ],
)
def test_bad_parameters_are_named(selector, message):
    X, y, _ = small_table()
    with pytest.raises(ValueError, match=message):
        selector.fit(X, y)


@pytest.mark.parametrize(
    "selector",
    [SemiJMI(20), MRMR(20), MRMR(20, criterion="difference")],
    ids=["semi-jmi", "quotient", "difference"],
)
def test_many_columns_give_the_same_features_without_all_pairs(selector, monkeypatch):
    X, y, _ = make_pu_clusters("40/8/1", n_negative=400, n_positive=60, n_irrelevant=55, random_state=0)
    X[:, 7] = 3.0
    selector.set_params(random_state=0)
    whole = selector.fit(X, y).ranking_
    monkeypatch.setattr("puselect.baselines.information.MOST_PAIRED", 10)
    lines = selector.fit(X, y).ranking_
    first = whole <= 20
    np.testing.assert_array_equal(lines[first], whole[first])
    assert sorted(lines) == sorted(whole)
    assert lines[7] == 80
