import numpy as np
import pytest

from puselect import FSCPU
from puselect.checks.leaks import Leak, LeakKind
from puselect.datasets import make_pu_clusters
from puselect.report import summarise
from puselect.report.findings import Code, table_findings
from puselect.tables import errors

pytestmark = pytest.mark.usefixtures("remembered_fits")
LEAK = Leak(0, LeakKind.VALUE, 1.0, 1.0, 60, 60, 20, 900, 1e-9)


def table(seed=0, **changes):
    sizes = {"n_negative": 200, "n_positive": 100, "n_relevant": 4, "n_irrelevant": 4}
    return make_pu_clusters("40/3/1", **{**sizes, **changes}, random_state=seed)[:2]


def fitted(X, y, **changes):
    return FSCPU(**{"n_features_to_select": 3, "max_iter": 20, "random_state": 0, **changes}).fit(X, y)


def codes(selection):
    return {finding.code for finding in selection.findings}


def test_clean_data_have_none_and_others_several_warnings_first():
    X, y = table()
    assert summarise(fitted(X, y, n_features_to_select=4, max_iter=None), X, y).findings == ()
    y = np.where(np.cumsum(y) <= 7, y, 0)
    X[:30] = X[30:60]
    X[:, 3] = 2 * X[:, 2]
    selection = summarise(fitted(X, y, always_keep=[2]), X, y)
    assert {Code.FEW_LABELS, Code.DEPENDENT_ROWS, Code.INTERCHANGEABLE} <= codes(selection)
    levels = [finding.level for finding in selection.findings]
    assert levels == sorted(levels, reverse=True), "warnings first"


def test_the_truth_left_in_and_interchangeable_columns():
    X, y = table()
    hidden = np.random.default_rng(0).random(300) < 0.03
    X[:, 3], X[:, 4] = y | hidden, np.exp(X[:, 2])
    selection = summarise(fitted(X, y, always_keep=[2]), X, y)
    (leak,) = [f for f in selection.findings if f.code == Code.LEAK]
    (twins,) = [f for f in selection.findings if f.code == Code.INTERCHANGEABLE]
    assert leak.level == "warning" and "x3" in leak.text
    assert twins.level == "note" and "x2 = x4" in twins.text


def test_remote_labels_and_positive_clusters_everywhere():
    X, y = table()
    X[np.flatnonzero(y)[:12]] += 200 * np.random.default_rng(1).normal(size=(12, 8))
    assert Code.REMOTE_LABELS in codes(summarise(fitted(X, y, max_iter=2), X, y))
    X = np.random.default_rng(0).normal(size=(400, 6))
    y = np.arange(400) % 2
    assert Code.POSITIVE_EVERYWHERE in codes(summarise(fitted(X, y), X, y))


def test_unsettled_searches_are_told_but_not_those_of_all_steps():
    X, y = table()
    assert Code.UNSETTLED in codes(summarise(fitted(X, y, max_iter=1, preset="published")))
    selector = fitted(X, y, max_iter=12)
    selector.settled_, selector.probabilities_[selector.support_] = 0.2, 0.9
    assert not codes(summarise(selector)) & {Code.UNSETTLED}


def test_pieces_of_categories_are_no_copies_of_each_other():
    X, y = table()
    X[:, 6:] = np.c_[np.arange(300) % 2, 1 - np.arange(300) % 2]
    X = np.c_[X, X[:, 6:]]
    groups = {"city": [6, 7], "town": [8, 9]}
    found = codes(summarise(fitted(X, y, groups=groups, always_keep=[6, 8]), X, y))
    assert Code.INTERCHANGEABLE not in found
    assert Code.INTERCHANGEABLE in codes(summarise(fitted(X, y, always_keep=[6]), X, y))


@pytest.mark.parametrize(("notes", "level", "code", "named"), [
    ([errors.LeakNote("case", LEAK, (), ("case_date",))] * 2, "warning", "leak", ["2 columns", "case", "case_date"]),
    ([errors.IdentifierNote("nr")], "note", "identifier", ["nr"]),
    ([errors.CodeNote("age", "-9", 40), errors.CodeNote("size", "99", 3)], "note", "missing-code", ["age", "size"]),
    ([errors.FilledNote("missing", {"age": 40, "size": 2})], "note", "filled", ["age (40)", "size (2)"]),
    ([errors.UnreadNote("age", "odd", 9, 1, 2), errors.TwinNote(("a",), 0.99)], "note", "unread-values", ["age"]),
    ([errors.SampleNote(500, 9000, 20, "memory")], "note", "rows-sampled", ["500", "9,000", "20"]),
])  # fmt: skip
def test_notes_of_a_kind_are_one_finding_that_names_the_columns(notes, level, code, named):
    (found,) = table_findings(notes)
    assert (found.level, found.code) == (level, code)
    assert all(name in f"{found.title} {found.text}" for name in named)
