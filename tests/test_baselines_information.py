from functools import cache

import numpy as np
import pytest
from sklearn.metrics import mutual_info_score
from small_tables import small_table

from puselect.baselines import MRMR, SemiJMI
from puselect.baselines.information import three_state_codes
from puselect.objective.information import equal_width_codes
from puselect.scaling import scale_columns


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
        assert order_of(SemiJMI(10).fit(X, y)) == expected

    def test_mrmr(self, seed):
        X, y, _ = small_table(seed)
        codes = three_state_codes(scale_columns(X)).T

        @cache
        def shared(j, i):
            return bits(codes[j], codes[i])

        def worth(j, chosen):
            return bits(codes[j], y) / (np.mean([shared(j, i) for i in chosen]) + 1e-4)

        expected = greedy(10, lambda j: bits(codes[j], y), worth)
        assert order_of(MRMR(10).fit(X, y)) == expected


@pytest.mark.parametrize("make", [SemiJMI, MRMR])
class TestInvariance:
    def test_order_of_rows_and_columns_changes_nothing(self, make):
        X, y, _ = small_table()
        rng = np.random.default_rng(0)
        rows, columns = rng.permutation(len(X)), rng.permutation(10)
        moved = make(random_state=0).fit(X[rows][:, columns], y[rows])
        np.testing.assert_array_equal(moved.ranking_, make(random_state=1).fit(X, y).ranking_[columns])

    def test_names_of_categories_change_nothing(self, make):
        rng = np.random.default_rng(0)
        X = rng.integers(3, size=(300, 8))
        y = rng.random(300) < 0.1 + 0.1 * X[:, 0] + 0.2 * (X[:, 1] == X[:, 2])
        renamed = np.array([5.0, 0.1, 3.0])[X]
        assert order_of(make(random_state=0).fit(renamed, y)) == order_of(make(random_state=0).fit(X, y))

    def test_equal_columns_come_in_random_order(self, make):
        X, y, _ = small_table()
        X = X[:, [0, 0, 0, 0, 0]]
        assert len({order_of(make(random_state=seed).fit(X, y))[0] for seed in range(20)}) > 2


def test_three_states_lie_a_standard_deviation_apart():
    X = np.random.default_rng(0).normal(size=(200, 1))
    low, high = X.mean() - X.std(), X.mean() + X.std()
    np.testing.assert_array_equal(three_state_codes(X)[:, 0], [0 if x < low else 2 if x > high else 1 for x in X[:, 0]])
