"""What is beyond chance: p-values are valid, bounds hold, and tables without any relation are told."""

import numpy as np
import pytest
from scipy.stats import hypergeom

from puselect.columns.null import Chance, draw_statistics, joint_p_value, related_at_least, related_at_most
from puselect.columns.ranks import LEPAGE, ColumnRanks

N_ROWS, N_LABELLED = 300, 30


def chance(X, positive, seed=0):
    ranks = ColumnRanks(X, LEPAGE)
    drawn = draw_statistics(ranks, positive, np.random.default_rng(seed))
    return Chance.of(ranks.statistic(np.flatnonzero(positive)), drawn)


def table(n_shifted, seed=0, n_features=20, shift=1.5):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(N_ROWS, n_features))
    positive = rng.permutation(N_ROWS) < N_LABELLED
    X[positive, :n_shifted] += shift
    return X, positive


def test_shifted_columns_have_small_p_values_and_are_counted():
    found = chance(*table(6))
    assert found.p_values[:6].max() < 0.01
    assert found.p_value < 0.01
    assert 4 <= found.at_least <= 6 <= found.at_most
    order = np.argsort(found.p_values)
    share = found.false_share(order)
    assert set(order[share <= 0.1]) >= set(range(6))
    assert (np.diff(share) >= 0).all()
    assert share.max() <= 1


def test_columns_without_relation_have_uniform_joint_p_values():
    """At most 16 of 200 are at .05 or below, and as many are below one half as above."""
    rng = np.random.default_rng(1)
    X = rng.normal(size=(200, 8)) @ rng.normal(size=(8, 8))  # dependent columns
    ranks = ColumnRanks(X)
    drawn = draw_statistics(ranks, np.arange(200) < 20, rng)[:400]
    fresh = draw_statistics(ranks, np.arange(200) < 20, rng)
    p_values = np.array([joint_p_value(one, drawn) for one in fresh[:200]])
    assert (p_values <= 0.05).sum() <= 16
    assert 70 <= (p_values <= 0.5).sum() <= 130


def test_bounds_enclose_the_number_of_related_columns_and_are_low_without_any():
    """With 95 % confidence none is related."""
    rng = np.random.default_rng(0)
    drawn = rng.random((399, 20))
    claims = [related_at_least(rng.random(20), drawn) for _ in range(200)]
    assert np.mean(np.array(claims) > 0) <= 0.08
    assert np.mean([related_at_most(rng.random(20), drawn) for _ in range(200)]) < 8
    rng = np.random.default_rng(0)
    drawn = rng.random((399, 20))
    held = []
    for _ in range(200):
        p_values = rng.random(20)
        p_values[:8] *= 1e-4
        held.append(related_at_least(p_values, drawn) <= 8 <= related_at_most(p_values, drawn))
    assert np.mean(held) >= 0.87
    drawn = np.random.default_rng(0).random((99, 5))
    assert related_at_most(np.full(5, 1e-4), drawn) == 5
    assert related_at_most(np.full(5, 0.9), drawn) == 0
    assert related_at_least(np.full(5, 1e-4), drawn) >= 4


@pytest.mark.parametrize("n_features", [1, 2])
def test_few_columns_are_judged_too(n_features):
    found = chance(*table(1, n_features=n_features))
    assert found.p_value < 0.05
    assert found.at_least <= found.at_most <= n_features


def test_p_values_of_rare_bits_are_those_of_their_counts():
    """Ten labelled rows of 1,000; of the rows with a bit, 2, 1 or none are labelled. The tail errs on the safe side."""
    bits = np.zeros((1000, 3))
    for j, n_labelled in enumerate((2, 1, 0)):
        bits[10 - n_labelled : 20 - n_labelled, j] = 1
    exact = hypergeom.sf([1, 0], 1000, 10, 10)
    found = chance(bits, np.arange(1000) < 10).p_values
    assert (found[:2] > 0.7 * exact).all()
    assert (found[:2] < [4 * exact[0], 1.3 * exact[1]]).all()
    assert found[2] == 1


def test_one_overwhelming_column_is_found_among_any_number():
    rng = np.random.default_rng(0)
    X, positive = rng.normal(size=(N_ROWS, 8000)), np.arange(N_ROWS) < N_LABELLED
    X[positive, 7] += 4
    found = chance(X, positive)
    assert found.p_values[7] < 0.1 / 8000
    assert found.p_value < 0.03


def test_the_share_of_false_columns_holds_where_noise_columns_come_in_blocks():
    """Three related columns and 60 in blocks of five with correlation .9; the standard error is .03."""
    false = []
    for seed in range(30):
        rng = np.random.default_rng(seed)
        noise = np.sqrt(0.9) * np.repeat(rng.normal(size=(N_ROWS, 12)), 5, axis=1)
        X = np.hstack([rng.normal(size=(N_ROWS, 3)), noise + np.sqrt(0.1) * rng.normal(size=(N_ROWS, 60))])
        X[:30, :3] += 1.5
        found = chance(X, np.arange(N_ROWS) < 15)
        order = np.argsort(found.p_values)
        chosen = order[found.false_share(order) <= 0.1]
        false.append((chosen >= 3).mean() if len(chosen) else 0.0)
    assert np.mean(false) <= 0.14
