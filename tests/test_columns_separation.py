import numpy as np

from puselect.columns.ranks import ColumnRanks
from puselect.columns.separation import Separation, heldout_separation


def test_held_out_rows_are_found_by_the_columns_that_differ_only():
    rng = np.random.default_rng(0)
    X, positive = rng.normal(size=(400, 10)), np.arange(400) < 40
    assert abs(heldout_separation(ColumnRanks(X), positive, [1, 10], rng).auc - 0.5).max() < 0.15
    X[positive, :2] += 2
    found = heldout_separation(ColumnRanks(X), positive, [1, 2, 10], rng)
    assert found.auc[1] > 0.95
    assert found.auc[1] > found.auc[0]
    assert (found.error < 0.05).all()


def test_one_labelled_row_says_nothing():
    rng = np.random.default_rng(0)
    found = heldout_separation(ColumnRanks(rng.normal(size=(50, 3))), np.arange(50) == 0, [1, 3], rng)
    assert found.auc.tolist() == [0.5, 0.5]
    assert found.error.tolist() == [1, 1]


def test_enough_is_the_first_that_is_not_clearly_worse():
    rng = np.random.default_rng(0)
    noise = rng.random(100) * 0.01
    places = np.stack([0.5 + noise, 0.8 + noise, 0.801 + rng.random(100) * 0.01])
    assert Separation(places).enough in (1, 2)
    assert Separation(np.stack([0.8 + noise, 0.8 + noise[::-1]])).enough == 0
    lucky = places[-1] - 0.0001 + noise - noise.mean()
    assert Separation(np.stack([lucky, places[-1] - 0.1, places[-1]])).enough == 2
