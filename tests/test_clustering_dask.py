import os
import signal
import warnings

import dask.array as da
import numpy as np
import pandas as pd
import pytest
from distributed import Client

from puselect import FSCPU
from puselect.clustering.dask import collections
from puselect.clustering.dask.collections import check_workers, connected_client
from puselect.datasets import make_pu_clusters
from puselect.exceptions import FewLabelsWarning
from puselect.search.progress import watching

X, Y, _ = make_pu_clusters("40/3/1", n_negative=240, n_positive=60, n_relevant=6, n_irrelevant=6, random_state=0)


@pytest.fixture
def client(dask_cluster):
    with Client(dask_cluster) as client:
        yield client


def search(**changes):
    return FSCPU(6, **{"max_iter": 6, "max_samples": None, "random_state": 0, **changes})


def test_a_killed_worker_costs_time_but_not_the_result(client, dask_cluster):
    killed = []

    def kill_a_worker(step):
        if step.number == 2:
            nanny = next(iter(dask_cluster.workers.values()))
            killed.append(nanny.pid)
            os.kill(nanny.pid, signal.SIGKILL)

    with watching(kill_a_worker):
        found = search(engine="dask").fit(da.from_array(X, chunks=(110, 5)), da.from_array(Y, chunks=110))
    whole = search().fit(X, Y)
    assert len(killed) == 1
    np.testing.assert_array_equal(found.support_, whole.support_)
    np.testing.assert_allclose(found.history_.value, whole.history_.value, atol=0.01)
    assert found.n_features_in_ == 12


def test_a_dask_data_frame_is_searched_where_it_is(client):
    import dask.dataframe as dd  # takes long, and only this worker needs it

    frame = pd.DataFrame(X, columns=[f"c{j}" for j in range(12)])
    table = dd.from_pandas(frame.assign(part=np.arange(300) // 100), npartitions=3)
    labels = dd.from_pandas(pd.Series(np.where(Y == 1, "yes", None), dtype=object), npartitions=3)
    empty = table[table.part != 1].drop(columns="part")  # a partition without rows
    found = search(engine="dask", pos_label="yes", max_iter=2).fit(table.drop(columns="part"), labels)
    whole = search(pos_label="yes", max_iter=2).fit(frame, np.where(Y == 1, "yes", None))
    assert found.get_feature_names_out().tolist() == whole.get_feature_names_out().tolist()
    np.testing.assert_allclose(found.history_.value, whole.history_.value, atol=0.01)
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


def test_an_array_after_a_data_frame_has_no_names(client):
    selector = search().fit(pd.DataFrame(X, columns=list("abcdefghijkl")), Y)
    assert not hasattr(selector.fit(da.from_array(X, chunks=(100, 12)), Y), "feature_names_in_")


def test_labels_in_other_partitions_are_refused(client):
    table = da.from_array(X, chunks=(100, 12))
    with pytest.raises(ValueError, match="y must have the partitions of X"):
        search().fit(table, da.from_array(Y, chunks=150))
    with pytest.raises(ValueError, match="one label for each of the 300 rows"):
        search().fit(table, Y[:-1])


def test_a_collection_needs_its_engine(client):
    with pytest.raises(ValueError, match="X is a Dask collection"):
        search(engine="cpu").fit(da.from_array(X, chunks=(100, 12)), Y)


def test_an_error_on_a_worker_is_raised_here(client):
    spoilt = X.copy()
    spoilt[250, 3] = np.nan
    with pytest.raises(ValueError, match="finite numbers"):
        search().fit(da.from_array(spoilt, chunks=(100, 12)), Y)


def test_without_a_cluster_the_error_says_what_to_do(monkeypatch):
    with pytest.raises(ValueError, match=r"create a distributed\.Client"):
        search(engine="dask").fit(da.from_array(X, chunks=(100, 12)), Y)
    monkeypatch.setattr(collections, "SECONDS_TO_CONNECT", 0.3)
    with pytest.raises(ValueError, match="no Dask scheduler answers at 'tcp://127"):
        connected_client("tcp://127.0.0.1:9")


def test_workers_without_the_package_are_named():
    class Bare:
        def __init__(self, answers):
            self.answers = answers

        def run(self, function):
            return self.answers

    check_workers(Bare({"tcp://a": True}))
    with pytest.raises(ValueError, match="needs puselect installed, got none at tcp://b"):
        check_workers(Bare({"tcp://a": True, "tcp://b": False}))
    with pytest.raises(ValueError, match="no workers"):
        check_workers(Bare({}))
