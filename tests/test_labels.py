import numpy as np
import pandas as pd
import pytest

from puselect.labels import labelled_positives


@pytest.mark.parametrize(
    ("y", "pos_label"),
    [
        ([0, 1, 0, 1], 1),
        ([-1, 1, -1, 1], 1),
        ([False, True, False, True], True),
        ([False, True, False, True], 1),
        (["ham", "spam", "?", "spam"], "spam"),
        (np.array([0.0, 1.0, 2.0, 1.0]), 1),
        (pd.Series(["a", "b", None, "b"], dtype=object), "b"),
        (pd.Series(["a", "b", "a", "b"], dtype="category"), "b"),
    ],
)
def test_any_kind_of_label_is_read_the_same_way(y, pos_label):
    positive = labelled_positives(y, pos_label)
    assert positive.dtype == bool
    assert positive.tolist() == [False, True, False, True]


def test_no_positive_is_refused_with_the_values_seen():
    with pytest.raises(ValueError, match=r"at least one labelled positive \(y == 1\), got only 'ham', 'spam'"):
        labelled_positives(["ham", "spam"])


def test_nothing_unlabelled_is_refused():
    with pytest.raises(ValueError, match="unlabelled rows"):
        labelled_positives([1, 1, 1])


def test_two_dimensional_labels_are_refused():
    with pytest.raises(ValueError, match=r"one-dimensional.*\(2, 2\)"):
        labelled_positives(np.eye(2))
