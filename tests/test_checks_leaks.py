import numpy as np
import pandas as pd
import pytest
from scipy.stats import hypergeom

from puselect import find_leaks, find_twins
from puselect.checks.leaks import LeakKind, find_leak
from puselect.datasets import make_fraud_table, make_pu_clusters

N = 2000


@pytest.fixture
def rows():
    rng = np.random.default_rng(0)
    classes = rng.random(N) < 0.04
    known = classes & (rng.random(N) < 0.4)
    return rng, classes, known


def kinds(X, known):
    return {leak.column: leak.kind for leak in find_leaks(X, known)}


def test_each_kind_is_found_and_noise_and_strong_features_are_not(rows):
    rng, classes, known = rows
    columns = [
        rng.normal(size=N),
        classes.astype(float),
        np.where(classes, rng.normal(6, 1, N), rng.normal(0, 1, N)),
        np.where(known, rng.normal(size=N), np.nan),
        np.where(known | (rng.random(N) < 0.02), np.nan, rng.normal(size=N)),
        known + rng.normal(0, 0.01, N),
        np.where(rng.random(N) < 0.3, np.nan, rng.normal(size=N)),
        np.where(known, rng.random(N), 0),
    ]
    assert kinds(np.column_stack(columns), known) == {
        1: LeakKind.VALUE, 3: LeakKind.PRESENT, 4: LeakKind.PRESENT, 5: LeakKind.STRETCH, 7: LeakKind.VALUE,
    }


def test_counts_are_those_of_the_rows_whatever_the_kind(rows):
    rng, _, _ = rows
    classes = rng.random(N) < 0.35
    known = classes & (rng.random(N) < 0.1)
    (leak,) = find_leaks(classes[:, None].astype(float), known)
    hidden = int((classes & ~known).sum())
    assert leak[:8] == (0, LeakKind.VALUE, 1.0, 1.0, known.sum(), known.sum(), hidden, N - known.sum())
    assert leak.p_value == pytest.approx(2 * hypergeom.pmf(known.sum(), N, classes.sum(), known.sum()))
    rng, _, known = rows
    filled = known | (rng.random(N) < 0.26)
    (leak,) = find_leaks(np.where(filled, rng.normal(size=N), np.nan)[:, None], known)
    assert (leak.kind, leak.labelled, leak.others) == (LeakKind.PRESENT, known.sum(), filled.sum() - known.sum())


@pytest.mark.parametrize(
    ("n_known", "share", "is_found"),
    [(400, 0.48, True), (400, 0.09, True), (400, 0.035, False), (60, 0.1, False), (46, 0.33, False)],
)
def test_a_category_that_no_labelled_row_has(n_known, share, is_found):
    rng = np.random.default_rng(1)
    known = np.arange(N) < n_known
    status = np.where(~known & (rng.random(N) < share), 2.0, rng.integers(0, 2, N))
    found = find_leaks(np.column_stack([status, rng.normal(size=(N, 20))]), known)
    assert [(leak.column, leak.low, leak.labelled) for leak in found] == ([(0, 2.0, 0)] if is_found else [])


def test_one_known_positive_with_a_value_is_enough():
    status = np.arange(N) % 3.0
    known = np.isin(np.arange(N), np.flatnonzero(status < 2)[:400])
    assert [leak.low for leak in find_leaks(status[:, None], known)] == [2]
    known[2] = True
    assert find_leaks(status[:, None], known) == []


@pytest.mark.parametrize("seed", [5000, 5001])
def test_good_features_are_no_leaks(seed):
    for X, y, *_ in (make_pu_clusters("10/1/1", random_state=seed), make_fraud_table(random_state=seed)):
        assert find_leaks(X, y == 1) == []


def test_one_label_says_nothing_about_many_columns():
    one = np.arange(N) == 3
    table = np.column_stack([one] * 30).astype(float)
    assert find_leaks(table, one) == find_leaks(table, np.zeros(N, bool)) == find_leaks(table, np.ones(N, bool)) == []


def test_identifiers_and_dates_that_sort_by_class(rows):
    rng, classes, known = rows
    by_class = np.argsort(np.argsort(~classes, kind="stable")).astype(float)
    assert kinds(np.column_stack([by_class, rng.permutation(N)]), known) == {0: LeakKind.STRETCH}
    days = rng.integers(0, 300, N) + np.where(classes, 200.0, 0)
    assert find_leak(days, known) is None
    assert find_leak(days, known, is_order=True).kind == LeakKind.STRETCH


@pytest.mark.parametrize("positive", [
    np.ones(7, bool), np.ones((8, 1), bool), np.array(["no"] * 8), np.full(8, 2), np.array([pd.NA] * 8, dtype=object),
])
def test_labels_that_are_not_one_bool_a_row_are_refused(positive):
    with pytest.raises(ValueError, match="positive must hold a bool for each of the 8 rows"):
        find_leaks(np.zeros((8, 3)), positive)


@pytest.mark.parametrize(("table", "word"), [
    (np.array([["a", "b"]] * 8), "string to float"), (np.zeros(8), "array"), (np.zeros((8, 2, 1)), "array"),
    (np.ma.masked_array(np.zeros((8, 2)), mask=np.eye(8, 2)), "masked"), (np.full((8, 2), np.inf), "infinity"),
])  # fmt: skip
def test_tables_of_other_kinds_are_refused(table, word):
    for ask in (lambda: find_leaks(table, np.ones(8, bool)), lambda: find_twins(table)):
        with pytest.raises(ValueError, match=word):
            ask()
