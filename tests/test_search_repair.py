import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from puselect.search.repair import SLACK, Repair, draw_clocks


@st.composite
def problems(draw):
    n = draw(st.integers(1, 12))
    costs = np.array(draw(st.lists(st.floats(0.01, 10), min_size=n, max_size=n)))
    theta = np.array(draw(st.lists(st.floats(0.02, 0.98), min_size=n, max_size=n)))
    return costs, theta, draw(st.floats(0.01, 40)), draw(st.integers(0, 2**32 - 1))


@settings(deadline=None, max_examples=300)
@given(problems())
def test_budget_is_never_exceeded_and_nothing_more_fits(problem):
    costs, theta, budget, seed = problem
    masks = np.random.default_rng(seed).random((9, len(costs))) < theta
    before = masks.copy()
    repaired = Repair(costs, budget).repaired(masks, draw_clocks(9, theta, seed, step=0))
    np.testing.assert_array_equal(masks, before)
    spent = repaired @ costs
    assert (spent <= budget * (1 + 2 * SLACK)).all()
    for mask, total in zip(repaired, spent, strict=True):
        assert not (costs[~mask] <= budget - total).any()


def test_decimal_costs_are_not_lost_to_rounding():
    repair = Repair(np.full(3, 0.1), 0.3)
    assert repair.repaired(np.zeros((1, 3), dtype=bool), np.ones((2, 1, 3))).all()
    assert repair.best(np.zeros((1, 3))).all()
    assert Repair(np.array([0.1, 0.1, 0.1, 7.0]), 0.3).best(np.zeros((1, 4))).tolist() == [[True, True, True, False]]


@pytest.mark.parametrize("are_equal", [False, True])
def test_the_best_mask_takes_features_in_the_order_of_their_scores_while_they_fit(are_equal):
    rng = np.random.default_rng(2)
    costs = np.full(12, 1.5) if are_equal else rng.uniform(0.5, 4, 12)
    scores = rng.normal(size=(40, 12)).round(1)
    masks = Repair(costs, 8.0).best(scores)
    for mask, line in zip(masks, scores, strict=True):
        left, expected = 8.0, np.zeros(12, dtype=bool)
        for feature in np.argsort(-line, kind="stable"):
            if costs[feature] <= left:
                expected[feature], left = True, left - costs[feature]
        np.testing.assert_array_equal(mask, expected)


@pytest.mark.parametrize("cost", [1e-20, 1.0, 1e300])
def test_equal_costs_of_any_size_have_a_best_mask(cost):
    assert Repair(np.full(3, cost), 1e21).best(np.zeros((2, 3))).all() == (cost < 1e21)
