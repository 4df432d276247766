"""Columns that say the same count once."""

import numpy as np
import pytest
from scipy.sparse import csr_array

from puselect import FSCPU
from puselect.datasets import make_pu_clusters
from puselect.selectors import final_ranking


@pytest.fixture(scope="module")
def table():
    X, y, relevant = make_pu_clusters(
        "40/8/1", n_negative=300, n_positive=100, n_relevant=6, n_irrelevant=6, noise="gaussian", random_state=0
    )
    return X, y, np.flatnonzero(relevant)


def selected(X, y, k, **changes):
    return np.flatnonzero(FSCPU(k, max_iter=30, random_state=0, **changes).fit(X, y).support_)


def test_a_copy_leaves_its_place_to_another_feature(table):
    X, y, relevant = table
    with_copies = np.column_stack([X, 3 - 2 * X[:, relevant[0]], np.exp(X[:, relevant[1]] / 10)])
    found = selected(with_copies, y, 6)
    for number, column in enumerate(relevant[:2]):
        assert len({int(column), X.shape[1] + number} & set(found.tolist())) == 1
    assert set(relevant[2:]) <= set(found)


def test_a_feature_that_is_always_selected_needs_no_copy(table):
    X, y, relevant = table
    with_copy = np.column_stack([X, 2 * X[:, relevant[0]]])
    found = selected(with_copy, y, 6, always_keep=[X.shape[1]])
    assert relevant[0] not in found
    assert set(relevant[1:]) <= set(found)


def test_columns_of_groups_are_left_alone(table):
    X, y, relevant = table
    both = [X[:, relevant[0]], X[:, relevant[1]]]
    twice = np.column_stack([X, *both])
    groups = {"first": [int(relevant[0]), int(relevant[1])], "second": [X.shape[1], X.shape[1] + 1]}
    found = selected(twice, y, 6, groups=groups)
    assert set(groups["first"]) | set(groups["second"]) <= set(found)


def test_without_copies_nothing_changes(table, monkeypatch):
    X, y, _ = table
    here = FSCPU(6, max_iter=30, random_state=0).fit(X, y)
    monkeypatch.setattr(final_ranking, "copies_among", lambda problem, budget, scores: scores == np.inf)
    there = FSCPU(6, max_iter=30, random_state=0).fit(X, y)
    np.testing.assert_array_equal(here.ranking_, there.ranking_)


def test_sparse_tables_too():
    rng = np.random.default_rng(0)
    y = np.arange(400) < 60
    X = rng.poisson(0.3, size=(400, 8)).astype(float)
    X[y, :4] += rng.poisson(1.5, size=(60, 4))
    X = np.column_stack([X, X[:, :2]])
    dense, sparse = (selected(table, y, 4) for table in (X, csr_array(X)))
    assert set(dense % 8) == set(sparse % 8) == {0, 1, 2, 3}
