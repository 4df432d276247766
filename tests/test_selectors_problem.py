import numpy as np
import pytest

from puselect import FSCPU
from puselect.engines.cpu.blas import blas_threads
from puselect.search.deadline import Deadline
from puselect.selectors import problem
from puselect.selectors.many import Task
from puselect.selectors.problem import problem_evidence, ranks_in, some_rows, taken_rows


def problem_of(n_rows, n_labelled, **changes):
    """A table whose first column tells the labels, which are scattered over the rows."""
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(n_rows, 4)), rng.permutation(n_rows) < n_labelled
    X[y, 0] += 3
    return Task.of(FSCPU(1, random_state=0, **changes), X, y)


@pytest.mark.parametrize("n_rows", [200, 205, 230, 260])
def test_columns_are_compared_with_the_labels_of_their_own_rows(n_rows):
    """With a few more rows than a step uses, all of them are taken."""
    task = problem_of(n_rows, 30, max_samples=200)
    evidence = problem_evidence(task.settings, task.problem, Deadline(None))
    assert evidence.labelled[0] > 50 > 15 > evidence.labelled[1:].max()
    rows = some_rows(task.problem, np.random.default_rng(0))
    assert (len(rows) == n_rows) == (n_rows <= 230)
    np.testing.assert_array_equal(taken_rows(task.problem, rows), task.problem.table[rows])


def test_ranks_of_all_rows_are_kept_and_those_of_some_are_not():
    task = problem_of(100, 20)
    own, part, columns = task.settings, task.problem, np.arange(4)
    every = ranks_in(own, part, part.table, columns)
    assert ranks_in(own, part, part.table, columns) is every
    assert ranks_in(own, part, part.table[:50], columns).n_rows == 50
    assert ranks_in(own, part, part.table, columns[1:]).n_features == 3


def test_evidence_multiplies_matrices_on_one_thread(monkeypatch):
    seen = []

    def gather(*_):
        seen.append({each["num_threads"] for each in blas_threads().info() if each["user_api"] == "blas"})

    monkeypatch.setattr(problem, "_gathered_evidence", gather)
    task = problem_of(100, 20)
    with blas_threads().limit(limits=2, user_api="blas"):
        problem_evidence(task.settings, task.problem, Deadline(None))
    assert seen == [{1}]


def test_where_steps_are_sampled_pair_information_is_that_of_a_sample(monkeypatch):
    seen = []
    monkeypatch.setattr(problem.PairInformation, "of", lambda X, positive: seen.append((X.shape, positive.sum())))
    for n_rows, max_samples in [(300, 200), (220, 200), (300, None)]:
        task = problem_of(n_rows, 30, criterion="cluster+mi", max_samples=max_samples)
        problem.pair_information(task.settings, task.problem)
    assert seen == [((230, 4), 30), ((220, 4), 30), ((300, 4), 30)]
