import numpy as np
import pandas as pd
import pytest

from puselect import find_leaks, find_twins
from puselect.checks.leaks import LeakKind, sorts_labels, stands_alone
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


def test_each_kind_is_found_and_noise_is_not(rows):
    rng, classes, known = rows
    columns = [
        rng.normal(size=N),
        classes.astype(float),
        np.where(classes, rng.normal(6, 1, N), rng.normal(0, 1, N)),
        np.where(classes, rng.normal(-6, 1, N), rng.normal(0, 1, N)),
        np.where(known, rng.normal(size=N), np.nan),
        np.where(known | (rng.random(N) < 0.02), np.nan, rng.normal(size=N)),
        known + rng.normal(0, 0.01, N),
        np.where(rng.random(N) < 0.3, np.nan, rng.normal(size=N)),
    ]
    assert kinds(np.column_stack(columns), known) == {
        1: LeakKind.VALUE, 2: LeakKind.HIGH, 3: LeakKind.LOW, 4: LeakKind.PRESENT, 5: LeakKind.MISSING,
        6: LeakKind.HIGH,
    }


def test_the_truth_is_suspicious_even_if_positives_are_frequent(rows):
    rng, _, _ = rows
    classes = rng.random(N) < 0.35
    known = classes & (rng.random(N) < 0.1)
    (leak,) = find_leaks(classes[:, None].astype(float), known)
    assert leak.kind == LeakKind.VALUE
    assert not leak.is_strong
    assert leak.others == pytest.approx(0.33, abs=0.03)


def test_a_bound_alone_is_no_strong_leak(rows):
    rng, classes, known = rows
    (leak,) = find_leaks(np.where(classes, rng.normal(6, 1, N), rng.normal(0, 1, N))[:, None], known)
    assert leak.kind == LeakKind.HIGH
    assert not leak.is_strong


def test_a_leak_stands_alone_if_nothing_else_tells_the_labelled_among_its_rows(rows):
    rng, classes, known = rows
    flag = (classes | (rng.random(N) < 0.04)).astype(float)
    columns = [classes.astype(float), flag, rng.normal(2 * classes), rng.normal(size=N), np.full(N, np.nan)]
    leaks = {leak.column: leak for leak in find_leaks(np.column_stack(columns), known)}
    assert leaks[0].is_strong and leaks[1].is_strong
    assert stands_alone(leaks[0], columns, [2, 3, 4], known)
    assert not stands_alone(leaks[1], columns, [2, 3, 4], known)
    assert stands_alone(leaks[1], columns, [3, 4], known)


@pytest.mark.parametrize("seed", [5000, 5001])
def test_good_features_are_no_leaks(seed):
    for X, y, *_ in (make_pu_clusters("10/1/1", random_state=seed), make_fraud_table(random_state=seed)):
        assert find_leaks(X, y == 1) == []


def test_four_labels_say_nothing(rows):
    _, _, known = rows
    few = np.zeros(N, dtype=bool)
    few[np.flatnonzero(known)[:4]] = True
    assert find_leaks(few[:, None].astype(float), few) == []


def test_identifiers_that_sort_by_class(rows):
    rng, _, known = rows
    assert sorts_labels(np.argsort(np.argsort(-known.astype(int), kind="stable")), known)
    assert not sorts_labels(rng.permutation(N), known)


@pytest.mark.parametrize("positive", [
    np.ones(7, bool), np.ones((8, 1), bool), np.array(["no"] * 8), np.full(8, 2), np.array([pd.NA] * 8, dtype=object),
])
def test_labels_that_are_not_one_bool_a_row_are_refused(positive):
    with pytest.raises(ValueError, match="positive must hold a bool for each of the 8 rows"):
        find_leaks(np.zeros((8, 3)), positive)


def test_text_and_tables_of_other_dimensions_are_refused():
    for table in (np.array([["a", "b"]] * 8), np.zeros(8), np.zeros((8, 2, 1))):
        with pytest.raises(ValueError, match=r"array|string to float"):
            find_leaks(table, np.ones(8, bool))


def test_masked_and_infinite_values_are_refused():
    masked = np.ma.masked_array(np.zeros((8, 2)), mask=np.eye(8, 2))
    infinite = np.full((8, 2), np.inf) * [1, -1]
    for table, word in ((masked, "masked"), (infinite, "infinity")):
        with pytest.raises(ValueError, match=word):
            find_leaks(table, np.ones(8, bool))
        with pytest.raises(ValueError, match=word):
            find_twins(table)
