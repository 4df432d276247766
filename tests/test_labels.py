import numpy as np
import pandas as pd
import pytest

from puselect import FSCPU
from puselect.labels import checked_negatives, labelled_positives, without_missing


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


DAYS = pd.to_datetime(pd.Series(["2020-01-02", "2020-01-01", None, "2020-01-02"]))
MISSING = [
    ([1.0, 0.0, np.nan, 1.0], 1),
    (pd.Series(["a", "b", pd.NA, "a"], dtype="string"), "a"),
    (pd.Series(["a", "b", np.nan, "a"], dtype="category"), "a"),
    (pd.Series([True, False, pd.NA, True], dtype="boolean"), True),
    (pd.Series([False, True, pd.NA, False], dtype="boolean"), False),
    (pd.Series([1, 0, pd.NA, 1], dtype="Int64"), 1),
    (pd.Series([0, 2, pd.NA, 0], dtype="Int64"), 0),
    (pd.Series([0.5, 2, pd.NA, 0.5], dtype="Float64"), 0.5),
    (pd.Series(["a", "b", pd.NA, "a"], dtype=object), "a"),
    (pd.Series([1, 0, pd.NaT, 1], dtype=object), 1),
    (pd.Series([1, 0, None, 1], dtype=object), 1),
    (DAYS, DAYS[0]),
    (DAYS.to_numpy(), np.datetime64("2020-01-02")),
    (pd.Series([0, 1, None, 0], dtype="datetime64[ns]"), pd.Timestamp(0)),
    (np.ma.array([1, 0, 1, 1], mask=[False, False, True, False]), 1),
    (np.ma.array(["a", "b", "a", "a"], mask=[False, False, True, False]), "a"),
    (np.ma.array(np.array([0, 1, 0, 0], dtype=np.uint8), mask=[False, False, True, False]), 0),
]


@pytest.mark.parametrize(("y", "pos_label"), MISSING, ids=str)
def test_missing_labels_are_unlabelled_for_selectors_too(y, pos_label):
    expected = [True, False, False, True]
    assert labelled_positives(y, pos_label).tolist() == expected
    assert labelled_positives(without_missing(y, pos_label), pos_label).tolist() == expected
    X = np.random.default_rng(0).normal(size=(4, 3))
    fitted = FSCPU(2, max_iter=1, pos_label=pos_label, random_state=0).fit(X, y)
    assert set(fitted.candidate_positives(X, y).rows.tolist()) <= {1, 2}


@pytest.mark.parametrize(("y", "pos_label", "message"), [
    (["ham", "spam"], 1, r"at least one labelled positive \(y == 1\), got only 'ham', 'spam'"),
    ([1, 1, 1], 1, "unlabelled rows"),
    (np.eye(2), 1, r"one-dimensional.*\(2, 2\)"),
    *((y, 10**400, "at least one labelled positive") for y in ([1.0, 0.0, np.nan], [1.0, 0.0, 0.0], [1, 0, 0])),
    *(([1, 0, 0], wrong, "pos_label must be a value")
      for wrong in ([], [1], (1, 2), np.array([1]), {}, None, np.nan, pd.NA, pd.NaT)),
])  # fmt: skip
def test_labels_without_positives_and_values_that_cannot_mark_them_are_refused(y, pos_label, message):
    with pytest.raises(ValueError, match=message):
        labelled_positives(y, pos_label)


@pytest.mark.parametrize("y", [["yes", None] * 9, pd.Series(["yes", None] * 9), np.array(["yes", None] * 9, object)])
def test_missing_labels_are_told_as_such(y):
    table = np.random.default_rng(0).random((18, 3))
    for refuse in (lambda: labelled_positives(y), lambda: FSCPU(2, max_iter=1).fit(table, y)):
        with pytest.raises(ValueError, match="got only 'yes', missing values; set pos_label"):
            refuse()


@pytest.mark.skipif(not hasattr(np.dtypes, "StringDType"), reason="NumPy 2 has them")
def test_texts_of_any_length_are_labels():
    kind = np.dtypes.StringDType(na_object=np.nan)
    y = np.array(["fraud"] * 20 + ["", np.nan] * 40, dtype=kind)
    np.testing.assert_array_equal(labelled_positives(y, "fraud"), np.arange(100) < 20)
    X = np.random.default_rng(0).random((100, 4))
    FSCPU(2, max_iter=1, pos_label="fraud", random_state=0).fit(X, y)


@pytest.mark.parametrize(
    ("y", "neg_label"),
    [
        ([1, 0, np.nan, 2, 0, np.nan], 0),
        ([1, -1, None, 5, -1, None], -1),
        (pd.Series(["yes", "no", pd.NA, "", "no", pd.NA], dtype="string"), "no"),
        (pd.Series([True, False, pd.NA, pd.NA, False, pd.NA], dtype="boolean"), False),
        (np.array([[1.0], [0.0], [np.nan], [np.nan], [0.0], [np.nan]]), 0),
    ],
)
def test_checked_negatives_are_read_and_missing_labels_are_none_of_them(y, neg_label):
    positive = np.arange(6) == 0
    assert checked_negatives(y, None, positive) is None
    assert checked_negatives(y, neg_label, positive).tolist() == [False, True, False, False, True, False]


@pytest.mark.parametrize(
    ("y", "neg_label", "message"),
    [
        ([1, 0, 0, 1], 1, r"neg_label must differ from pos_label, got 1 for both in 2 rows \(0, 3\)"),
        ([1, 0, 0, 0, 0, 5], 0, r"got 1 and 0 in 4 rows \(1, 2, 3, \.\.\.\)"),
        ([1, 0, 0, 0], 0, r"as many unlabelled rows as checked negatives, got 0 and 0 in 3 rows \(1, 2, 3\)"),
        ([1, "no", "No", 0], "NO", "at least one checked negative .*'NO'.* got only 1, 'no', 'No', 0"),
        ([1, 0, 0, 0], np.nan, "neg_label must be a value"),
        ([1, 0, 0, 0], [0], "neg_label must be a value"),
    ],
)
def test_checked_negatives_that_cannot_be_are_refused(y, neg_label, message):
    labels = np.array(y, dtype=object)
    with pytest.raises(ValueError, match=message):
        checked_negatives(labels, neg_label, labels == 1)
