from collections import Counter

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import chi2_contingency

from puselect.search.repair import SLACK, Repair


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
    rng = np.random.default_rng(seed)
    masks = rng.random((9, len(costs))) < theta
    before = masks.copy()
    repaired = Repair(costs, budget)(masks, theta, rng)
    np.testing.assert_array_equal(masks, before)
    spent = repaired @ costs
    assert (spent <= budget * (1 + 2 * SLACK)).all()
    for mask, total in zip(repaired, spent, strict=True):
        assert not (costs[~mask] <= budget - total).any()


def test_unit_costs_give_exactly_k_features():
    rng = np.random.default_rng(0)
    theta = rng.uniform(0.05, 0.95, 30)
    masks = Repair(np.ones(30), 7)(rng.random((200, 30)) < theta, theta, rng)
    assert (masks.sum(axis=1) == 7).all()


def test_decimal_costs_are_not_lost_to_rounding():
    masks = Repair(np.full(3, 0.1), 0.3)(np.zeros((1, 3), dtype=bool), np.full(3, 0.5), np.random.default_rng(0))
    assert masks.all()


def sequential(mask, theta, costs, budget, rng):
    """Algorithm 3, line by line."""
    mask = mask.copy()
    while mask @ costs > budget:
        weight = mask * (1 - theta)
        mask[rng.choice(len(mask), p=weight / weight.sum())] = False
    while True:
        weight = (costs <= budget - mask @ costs) * ~mask * theta
        if not weight.any():
            return mask
        mask[rng.choice(len(mask), p=weight / weight.sum())] = True


@pytest.mark.parametrize("start", [[1, 1, 1, 1, 1], [0, 0, 0, 0, 0], [1, 0, 1, 1, 0]])
def test_one_shot_draw_has_the_law_of_the_sequential_one(start):
    costs, budget = np.array([1.0, 2.0, 1.5, 0.7, 2.2]), 3.0
    theta = np.array([0.2, 0.5, 0.9, 0.4, 0.7])
    mask = np.array(start, dtype=bool)
    n = 6000
    rng = np.random.default_rng(1)
    slow = Counter(sequential(mask, theta, costs, budget, rng).tobytes() for _ in range(n))
    fast = Counter(row.tobytes() for row in Repair(costs, budget)(np.tile(mask, (n, 1)), theta, rng))
    assert set(slow) == set(fast)
    table = [[counts[key] for key in slow] for counts in (slow, fast)]
    assert chi2_contingency(table).pvalue > 1e-4
