"""Rows that depend on each other are noticed, and independent rows with odd columns or in any order are not."""

import numpy as np
import pytest
from scipy.sparse import csc_array

from puselect.datasets import make_pu_clusters
from puselect.fscpu.dependence import Dependence, find_dependence

N = 600


def series(rng, phi):
    X = rng.normal(size=(N, 20))
    for i in range(1, N):
        X[i] = phi * X[i - 1] + np.sqrt(1 - phi**2) * X[i]
    return X


DEPENDENT = {
    "twice": lambda rng: rng.permutation(np.repeat(rng.normal(size=(N // 2, 20)), 2, axis=0)),
    "counts twice": lambda rng: rng.permutation(np.repeat(rng.poisson(3.0, size=(N // 2, 20)), 2, axis=0) + 0.0),
    "five times": lambda rng: rng.permutation(np.repeat(rng.normal(size=(N // 5, 20)), 5, axis=0)),
    "patients": lambda rng: rng.permutation(
        np.repeat(rng.normal(size=(N // 3, 20)), 3, axis=0) + 0.48 * rng.normal(size=(N, 20))
    ),
    "series": lambda rng: series(rng, 0.9),
    "slow series": lambda rng: series(rng, 0.995),
    "days": lambda rng: np.repeat(rng.normal(size=(N // 20, 20)), 20, axis=0) + rng.normal(size=(N, 20)),
}
FOUND = dict.fromkeys(("twice", "counts twice", "five times"), Dependence.COPIES) | {"patients": Dependence.NEAR_COPIES}
INDEPENDENT = {
    "normal": lambda rng: rng.normal(size=(N, 20)),
    "one factor": lambda rng: rng.normal(size=(N, 1)) + 0.2 * rng.normal(size=(N, 20)),
    "rare flags": lambda rng: (rng.random((N, 20)) < rng.uniform(0.005, 0.05, size=20)) + 0.0,
    "mostly zero": lambda rng: np.where(rng.random((N, 20)) < 0.9, 0.0, np.exp(rng.normal(size=(N, 20)))),
    "few categories": lambda rng: rng.integers(3, size=(N, 4)) + 0.0,
    "long tails": lambda rng: rng.standard_cauchy((N, 20)),
    "clusters": lambda rng: 4 * rng.normal(size=(10, 20))[rng.integers(10, size=N)] + rng.normal(size=(N, 20)),
    "sorted by a column": lambda rng: (lambda X: X[X[:, 0].argsort()])(rng.normal(size=(N, 20))),
    "wide": lambda rng: rng.normal(size=(150, 1000)),
    "few rows": lambda rng: np.cumsum(rng.normal(size=(40, 3)), axis=0),
}


@pytest.mark.parametrize("kind", DEPENDENT)
def test_rows_that_depend_are_noticed(kind):
    for seed in range(5):
        X = DEPENDENT[kind](np.random.default_rng(seed))
        assert find_dependence(X, np.arange(N) < 30) is FOUND.get(kind, Dependence.ORDER)


@pytest.mark.parametrize("kind", INDEPENDENT)
def test_independent_rows_are_not(kind):
    for seed in range(5):
        X = INDEPENDENT[kind](np.random.default_rng(seed))
        assert find_dependence(X, np.arange(len(X)) < 20) is None


@pytest.mark.parametrize("condition", ["40/3/1", "40/8/1", "40/outlier"])
def test_a_table_sorted_by_class_is_no_series(condition):
    X, y, _, classes = make_pu_clusters(condition, n_negative=500, n_positive=200, random_state=0, return_classes=True)
    order = np.lexsort((y, classes))
    assert find_dependence(X[order], y[order] == 1) is None


def test_copies_of_labelled_rows_are_enough():
    rng = np.random.default_rng(0)
    X = np.concatenate([np.repeat(rng.normal(size=(4, 5)), 5, axis=0), rng.normal(size=(580, 5))])
    assert find_dependence(X, np.arange(N) < 20) is Dependence.COPIES


def test_large_and_sparse_tables_are_looked_at():
    rng = np.random.default_rng(0)
    X = rng.permutation(np.repeat(rng.normal(size=(100, 5)), 2, axis=0))
    large = np.concatenate([X, rng.normal(size=(12_000, 5))])
    assert find_dependence(large, np.arange(len(large)) < 200) is Dependence.COPIES
    assert find_dependence(csc_array(X), np.arange(200) < 20) is Dependence.COPIES
