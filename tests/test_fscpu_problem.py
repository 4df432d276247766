import warnings

import numpy as np
import pytest

from puselect import FSCPU
from puselect.clustering.cpu.blas import blas_threads
from puselect.columns import evidence, separation
from puselect.exceptions import PickedRowsWarning
from puselect.fscpu import problem
from puselect.fscpu.fit_many import PendingFit
from puselect.fscpu.problem import some_rows, taken_rows


def problem_of(n_rows, n_labelled, **changes):
    """A table whose first column tells the labels, which are scattered over the rows."""
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(n_rows, 4)), rng.permutation(n_rows) < n_labelled
    X[y, 0] += 3
    return PendingFit.of(FSCPU(**{"n_features_to_select": 1, "random_state": 0, **changes}), X, y)


@pytest.mark.parametrize("n_rows", [230, 231, 260])
def test_columns_are_compared_with_the_labels_of_their_own_rows(n_rows, monkeypatch):
    """Of all labelled rows, and of as many others as there may be."""
    monkeypatch.setattr(problem, "EVIDENCE_ROWS", 200)
    task = problem_of(n_rows, 30)
    found = task.problem.evidence
    assert found.labelled[0] > 50 > 15 > found.labelled[1:].max()
    rows = some_rows(task.problem, np.random.default_rng(0))
    assert len(set(rows.tolist())) == len(rows) == 230
    assert task.problem.positive[rows].sum() == 30
    np.testing.assert_array_equal(taken_rows(task.problem, rows), task.problem.table[rows])
    assert (taken_rows(task.problem, rows) is task.problem.table) == (n_rows == 230)


@pytest.mark.parametrize(("n_values", "n_others"), [(10**9, 300), (400, 101), (4, 2)])
def test_wide_tables_are_compared_on_fewer_rows(n_values, n_others, monkeypatch):
    monkeypatch.setattr(problem, "EVIDENCE_VALUES", n_values)
    task = problem_of(330, 30)
    rows = some_rows(task.problem, np.random.default_rng(0))
    assert (~task.problem.positive[rows]).sum() == n_others


@pytest.mark.parametrize("changes", [{"criterion": "cluster"}, {"criterion": "cluster+mi"}, {"preset": "published"}])
def test_criteria_without_evidence_gather_none(changes):
    task = problem_of(100, 30, **changes)
    assert task.problem.evidence is None


def test_evidence_is_not_gathered_for_columns_never_selected():
    task = problem_of(200, 30, never_select=[0])
    found = task.problem.evidence
    assert (found.labelled[0], found.cotrained[0]) == (0, 0)
    assert found.labelled[1:].all()


def test_single_columns_are_compared_on_one_thread_of_blas(monkeypatch):
    seen, discriminant = set(), separation.linear_discriminant

    def spy(*arguments):
        seen.update(each["num_threads"] for each in blas_threads().info() if each["user_api"] == "blas")
        return discriminant(*arguments)

    monkeypatch.setattr(evidence, "linear_discriminant", spy)
    monkeypatch.setattr(separation, "linear_discriminant", spy)
    with blas_threads().limit(limits=2, user_api="blas"):
        problem_of(100, 20)
        assert seen == {1}
        seen.clear()
        problem_of(100, 20, n_features_to_select="auto", criterion="cluster")
    assert seen == {1}


def test_where_steps_are_sampled_pair_information_is_that_of_a_sample(monkeypatch):
    seen = []
    monkeypatch.setattr(problem, "EVIDENCE_ROWS", 200)
    monkeypatch.setattr(problem.PairInformation, "of", lambda X, positive: seen.append((X.shape, positive.sum())))
    for n_rows, max_samples in [(300, 200), (220, 200), (300, None)]:
        task = problem_of(n_rows, 30, criterion="cluster+mi", max_samples=max_samples)
        problem.pair_information(task.settings, task.problem)
    assert seen == [((230, 4), 30), ((220, 4), 30), ((300, 4), 30)]


def test_checked_negatives_are_carried_down_and_change_the_identity():
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(60, 4)), np.repeat([1, -1, 0], [10, 5, 45])
    without = PendingFit.of(FSCPU(1, random_state=0), X, y).problem
    checked = PendingFit.of(FSCPU(1, random_state=0, neg_label=-1), X, y).problem
    assert without.negative is None
    np.testing.assert_array_equal(checked.negative, y == -1)
    assert [type(part) for part in without.identity] == [
        type(part) for part in checked.identity if part is not checked.negative
    ]
    assert len(checked.identity) == len(without.identity) + 1


def test_negatives_that_were_inspected_for_looking_positive_are_not_used():
    rng = np.random.default_rng(0)
    classes = rng.random(2000) < 0.2
    X = rng.normal(size=(2000, 20))
    X[classes, :10] += 0.4
    likeliest = np.argsort(-X[:, :10].sum(axis=1))[:150]
    at_random = rng.permutation(2000)[:150]
    for rows, are_used in ((likeliest, False), (at_random, True)):
        labels = np.zeros(2000)
        labels[rows] = np.where(classes[rows], 1, -1)
        selector = FSCPU(5, random_state=0, neg_label=-1)
        with warnings.catch_warnings(record=True) as heard:
            warnings.simplefilter("always")
            found = PendingFit.of(selector, X, labels).problem
        assert (found.negative is not None) == are_used
        assert [each.category for each in heard] == ([] if are_used else [PickedRowsWarning])


@pytest.mark.parametrize(("n_rows", "are_counted"), [(230, True), (260, False)])
def test_rows_that_cotraining_found_are_counted_if_all_rows_were_compared(n_rows, are_counted, monkeypatch):
    monkeypatch.setattr(problem, "EVIDENCE_ROWS", 200)
    found = problem_of(n_rows, 30).problem
    assert found.evidence.n_found > 0
    assert (found.evidence.found is not None) == are_counted
    assert (found.counted == 2).sum() == (len(found.evidence.found) if are_counted else 0)
    np.testing.assert_array_equal(found.counted == 1, found.positive)
    assert not (found.known == 2).any()


def test_checked_negatives_are_never_found():
    rng = np.random.default_rng(0)
    y = rng.permutation(np.repeat([1, -1, 0], [30, 60, 210]))
    X = rng.normal(size=(300, 4)) + 3 * (y == 1)[:, None]
    checked = PendingFit.of(FSCPU(1, random_state=0, neg_label=-1), X, y).problem
    np.testing.assert_array_equal(checked.counted == -1, y == -1)
    assert (checked.counted == 2).sum() == len(checked.evidence.found) >= checked.evidence.n_found > 0
