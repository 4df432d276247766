import os
import signal
import warnings
from types import SimpleNamespace

import dask
import dask.array as da
import numpy as np
import pandas as pd
import pytest
from distributed import Client

from puselect import FSCPU
from puselect.datasets import make_pu_clusters
from puselect.exceptions import FewLabelsWarning
from puselect.fscpu.dask_table import PartitionedTable, check_workers

X, Y, _ = make_pu_clusters("40/3/1", n_negative=240, n_positive=60, n_relevant=6, n_irrelevant=6, random_state=0)


@pytest.fixture
def client(dask_cluster):
    with Client(dask_cluster) as client:
        yield client


def search(**changes):
    return FSCPU(6, **{"max_iter": 6, "max_samples": None, "random_state": 0, **changes})


class Here:
    """Stands in for a client: computes in this process, and keeps what it has brought."""

    def __init__(self):
        self.brought = []

    def compute(self, tasks, retries):
        return tasks

    def gather(self, tasks):
        self.brought = dask.compute(*tasks, scheduler="synchronous")
        return self.brought


def in_parts(X, ends=(50, 50, 170)):
    """The table in four partitions, one of them without rows."""
    return PartitionedTable(Here(), np.split(X, ends))


def test_a_killed_worker_costs_time_but_not_the_result(client, tmp_path):
    flag = tmp_path / "killed"

    def die_once(chunk):
        if not flag.exists():
            flag.write_text("")
            os.kill(os.getpid(), signal.SIGKILL)
        return chunk

    table = da.from_array(X, chunks=(110, 5)).map_blocks(die_once, meta=np.empty((0, 0)))
    found, whole = search(engine="dask").fit(table, da.from_array(Y, chunks=110)), search().fit(X, Y)
    assert flag.exists()
    np.testing.assert_array_equal(found.history_.value, whole.history_.value)
    np.testing.assert_array_equal(found.support_, whole.support_)
    assert found.n_features_in_ == 12


def test_rows_come_in_order_and_candidates_are_found_partition_by_partition():
    table, rows = in_parts(X), np.array([0, 50, 51, 120, 299])
    assert table.shape == X.shape
    np.testing.assert_array_equal(table[rows], X[rows])
    assert in_parts(X.astype(int))[rows].dtype == np.float64
    selector = search().fit(pd.DataFrame(X, columns=list("abcdefghijkl")), Y).fit(in_parts(X), Y)
    assert not hasattr(selector, "feature_names_in_")
    ours, theirs = selector.candidate_positives(in_parts(X), Y), selector.candidate_positives(X, Y)
    np.testing.assert_array_equal(ours.rows, theirs.rows)


def test_a_sampled_search_takes_its_rows_from_one_sample():
    X, y, _ = make_pu_clusters("40/3/1", n_negative=5400, n_positive=600, n_relevant=6, n_irrelevant=6, random_state=0)
    table = in_parts(X)
    for engine in ("auto", "dask"):
        found = FSCPU(6, max_iter=10, max_samples=20, engine=engine, random_state=0).fit(table, y)
        assert found.support_.sum() == 6
        assert sum(map(len, table.client.brought)) == 4000 + y.sum() < len(X)


@pytest.mark.parametrize(
    ("parts", "y", "message"),
    [
        ([np.ones((5, 3)), np.ones((5, 4))], np.arange(10) < 3, "all partitions must have the same columns"),
        ([np.ones((0, 3)), np.ones((0, 3))], [], "no rows at all"),
        ([np.ones((5, 3)), np.full((5, 3), np.nan)], np.arange(10) < 3, "finite numbers"),
        ([np.eye(5, 3), np.eye(5, 3)], np.arange(9) < 3, "one label for each of the 10 rows"),
        ([np.eye(5, 3), np.ones(4)], np.arange(9) < 3, "rows and columns"),
        ([np.ones((1, 3))], [1], "2 rows"),
    ],
)
def test_partitions_that_do_not_fit_are_one_sentence(parts, y, message):
    with pytest.raises(ValueError, match=message):
        FSCPU(2).fit(PartitionedTable(Here(), parts), y)


def test_a_dask_data_frame_is_searched_where_it_is(client):
    import dask.dataframe as dd  # takes long, and only this worker needs it

    frame = pd.DataFrame(X, columns=[f"c{j}" for j in range(12)])
    table = dd.from_pandas(frame.assign(part=np.arange(300) // 100), npartitions=3)
    labels = dd.from_pandas(pd.Series(np.where(Y == 1, "yes", None), dtype=object), npartitions=3)
    empty = table[table.part != 1].drop(columns="part")  # a partition without rows
    found = search(engine="dask", pos_label="yes", max_iter=2).fit(table.drop(columns="part"), labels)
    whole = search(pos_label="yes", max_iter=2).fit(frame, np.where(Y == 1, "yes", None))
    assert found.get_feature_names_out().tolist() == whole.get_feature_names_out().tolist()
    np.testing.assert_array_equal(found.history_.value, whole.history_.value)
    assert (found.clusterings_.size.sum(axis=1) == 300).all()  # every row, in every clustering
    kept = np.arange(300) // 100 != 1
    fewer = search(max_iter=1).fit(empty, Y[kept])
    assert (fewer.clusterings_.size.sum(axis=1) == 200).all()
    with pytest.raises(ValueError, match="at least one labelled positive"):
        search(pos_label="no").fit(table.drop(columns="part"), labels)


def test_groups_and_few_labels_are_treated_as_in_memory(client):
    table = np.column_stack([np.eye(3)[np.arange(300) % 3], X])
    groups, few = [*["city"] * 3, *[None] * 12], np.where(np.cumsum(Y) <= 3, Y, 0)
    for labels, warned in ((Y, 0), (few, 1)):
        fitted = []
        for data in (table, da.from_array(table, chunks=(100, 15))):
            with warnings.catch_warnings(record=True) as heard:
                warnings.simplefilter("always")
                fitted.append(search(groups=groups).fit(data, labels))
            assert sum(one.category is FewLabelsWarning for one in heard) == warned
        np.testing.assert_array_equal(fitted[0].ranking_, fitted[1].ranking_)


def test_labels_may_have_other_partitions_but_not_other_rows(client):
    table, labels = da.from_array(X, chunks=(100, 12)), da.from_array(Y, chunks=150)
    np.testing.assert_array_equal(search().fit(table, labels).ranking_, search().fit(X, Y).ranking_)
    for fewer in (labels[:-1], Y[:-1]):
        with pytest.raises(ValueError, match="one label for each of the 300 rows"):
            search().fit(table, fewer)


def test_without_a_cluster_a_collection_or_the_package_on_workers_the_error_says_what_to_do():
    table = da.from_array(X, chunks=(100, 12))
    for engine, data, message in (
        ("dask", table, r"create a distributed\.Client"),
        ("cpu", table, "X is a Dask collection"),
        ("dask", X, "needs a Dask DataFrame or Array, got ndarray"),
    ):
        with pytest.raises(ValueError, match=message):
            search(engine=engine).fit(data, Y)
    for answers, message in (({"tcp://a": True, "tcp://b": False}, "got none at tcp://b"), ({}, "no workers")):
        with pytest.raises(ValueError, match=message):
            check_workers(SimpleNamespace(run=lambda _, answers=answers: answers))
    labels = np.where(Y == 1, 1, 0)
    labels[np.flatnonzero(Y != 1)[:5]] = -1
    with pytest.raises(ValueError, match="neg_label needs a table in memory"):
        search(engine="dask", neg_label=-1).fit(in_parts(X), labels)
