"""Labelled positives that may be wrong."""

import numpy as np
import pytest
from scipy.sparse import csr_matrix
from sklearn.cluster import KMeans

from puselect import FSCPU
from puselect.checks.suspects import SuspectedLabels, are_suspect, suspected_labels
from puselect.datasets import make_pu_clusters
from puselect.report import Selection, summarise
from puselect.report.findings import Code

SMALL = {"n_negative": 900, "n_positive": 150, "n_relevant": 12, "n_irrelevant": 6, "return_classes": True}


def labelled_table(share_wrong, seed=0):
    """A table with separate classes, 60 labels, and which of them are wrong."""
    X, y, _, classes = make_pu_clusters("40/3/1", **SMALL, random_state=seed)
    n_wrong = round(share_wrong * y.sum())
    rng = np.random.default_rng(seed)
    wrong = rng.choice(np.flatnonzero(classes == 0), n_wrong, replace=False)
    y[rng.choice(np.flatnonzero(y == 1), n_wrong, replace=False)] = 0
    y[wrong] = 1
    return X, y, np.sort(wrong)


def fitted(X, y):
    return FSCPU(12, max_iter=30, random_state=0).fit(X, y)


def test_wrong_labels_are_listed_and_right_ones_are_not():
    n_listed = n_right = n_wrong = 0
    for seed in range(3):
        X, y, wrong = labelled_table(0.2, seed)
        found = suspected_labels(fitted(X, y), X, y)
        assert found.n_labelled == y.sum()
        assert (y[list(found.rows)] == 1).all()
        n_listed, n_wrong = n_listed + len(found.rows), n_wrong + len(wrong)
        n_right += np.isin(found.rows, wrong).sum()
    assert n_right / n_listed >= 0.7
    assert n_right / n_wrong >= 0.6


@pytest.mark.parametrize("seed", range(3))
def test_right_labels_give_an_empty_list_and_no_finding(seed):
    X, y, _ = labelled_table(0, seed)
    assert suspected_labels(fitted(X, y), X, y).rows == ()
    selection = summarise(fitted(X, y), X, y)
    assert selection.suspects == ()
    assert Code.SUSPECTED_LABELS not in {found.code for found in selection.findings}


def test_the_least_likely_row_comes_first_and_the_list_is_the_same_again_and_named_in_a_summary():
    X, y, _ = labelled_table(0.2)
    selector = fitted(X, y)
    scores = selector.row_model_.scores(X[:, selector.support_])
    rows = list(suspected_labels(selector, X, y).rows)
    assert np.corrcoef(scores[rows], np.arange(len(rows)))[0, 1] > 0.3
    first = suspected_labels(selector, X, y)
    assert suspected_labels(selector, X, y) == first
    assert suspected_labels(selector, csr_matrix(X), y).n_labelled == first.n_labelled
    few = np.zeros_like(y)
    few[np.flatnonzero(y)[:5]] = 1
    assert suspected_labels(selector, X, few) == SuspectedLabels((), 5)
    assert suspected_labels(selector, X, np.zeros_like(y)) == SuspectedLabels((), 0)
    assert str(first).startswith(f"{len(first.rows)} of {first.n_labelled} ")
    assert not any(letter.isdigit() for letter in str(SuspectedLabels((), 40)))
    names = np.array([f"case {i}" for i in range(len(y))])
    selection = summarise(selector, X, y, row_numbers=names, row_name="case")
    assert selection.suspects == tuple(names[list(suspected_labels(selector, X, y).rows)])
    (finding,) = (found for found in selection.findings if found.code == Code.SUSPECTED_LABELS)
    assert finding.title.startswith(f"{len(selection.suspects)} ")
    assert f"By case: {selection.suspects[0]}" in finding.text
    assert Selection.from_json(selection.to_json()) == selection


def test_overlapping_classes_and_a_few_stragglers_are_not_accused():
    """A class whose labels lie far out by themselves says nothing about single labels."""
    assert not are_suspect(np.random.default_rng(0).beta(0.7, 1.2, 80)).any()
    places = np.append(np.linspace(0, 0.1, 60), [0.7, 0.9])
    assert not are_suspect(places).any()
    assert are_suspect(np.append(places, [0.65, 0.75, 0.8]))[60:].all()


def test_a_selector_without_mixtures_is_refused():
    X, y, _ = labelled_table(0)
    selector = FSCPU(12, max_iter=2, clusterer=KMeans(3, n_init=1), random_state=0).fit(X, y)
    with pytest.raises(ValueError, match="suspected_labels needs mixtures"):
        suspected_labels(selector, X, y)
