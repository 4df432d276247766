"""Tables in partitions, here in this process; tests/test_clustering_dask.py puts them on a cluster."""

import numpy as np
import pytest
from engine_contract import DEFAULT, EngineContract, small_table, some_masks

from puselect import FSCPU
from puselect.clustering.dask.engine import PartitionedEngine
from puselect.clustering.dask.partitions import PartitionedTable, added, fit_partitioned_scaling, read_part
from puselect.clustering.mixture import MixtureSpec
from puselect.datasets import make_pu_clusters
from puselect.scaling import SCALES, ColumnRanges, fit_scaling


class Here:
    """Partitions in memory; counts how many rows were brought out of them at most."""

    def __init__(self, parts):
        self.parts = parts
        self.most_rows = 0

    @property
    def n_partitions(self):
        return len(self.parts)

    def map(self, function, shared=(), own=None):
        chosen = dict.fromkeys(range(len(self.parts)), ()) if own is None else own
        found = [function(read_part(self.parts[i]), *shared, *each) for i, each in chosen.items()]
        arrays = [item for result in found for item in (result if isinstance(result, tuple) else (result,))]
        rows = [len(a) for a in arrays if isinstance(a, np.ndarray) and a.ndim == 2 and a.shape[1] == 12]
        self.most_rows = max(self.most_rows, sum(rows))
        return found

    def total(self, function, shared=(), own=None):
        return added(self.map(function, shared, own))


def in_parts(X, ends=(50, 50, 170)):
    """Return the table in four partitions, one of them without rows."""
    return Here(np.split(X, ends))


class TestPartitionedEngine(EngineContract):
    specs = (DEFAULT, MixtureSpec(em_steps=2))
    ems = ("hard",)
    counts_negatives = False

    def make(self, X, positive, spec):
        as_it_is = ColumnRanges(low=np.zeros(X.shape[1]), width=np.full(X.shape[1], 0.5))
        return PartitionedEngine(PartitionedTable.of(in_parts(X)).scaled_by(as_it_is), positive, spec)


@pytest.mark.parametrize("name", SCALES)
def test_scaling_is_that_of_the_whole_table(name):
    rng = np.random.default_rng(0)
    X = np.c_[rng.standard_t(2, 400), rng.integers(0, 3, 400), rng.random(400) * 1e-9, 7 + 0 * rng.random(400)]
    table = PartitionedTable.of(in_parts(X))
    whole, parts = fit_scaling(name, X), fit_partitioned_scaling(name, table)
    np.testing.assert_allclose(parts.scale(X), whole.scale(X), atol=2e-6)


def test_rows_come_scaled_and_in_the_order_they_were_asked_for():
    X, _ = small_table()
    table = PartitionedTable.of(in_parts(X)).scaled_by(fit_scaling("minmax", X))
    rows = np.array([199, 0, 51, 50, 120])
    np.testing.assert_allclose(table[rows], fit_scaling("minmax", X).scale(X[rows]), atol=1e-6)
    assert table.shape == X.shape


def test_the_engine_sees_no_other_rows_than_those_it_starts_from():
    X, positive = small_table(seed=2)
    parts = in_parts(X)
    table = PartitionedTable.of(parts).scaled_by(fit_scaling("auto", X))
    PartitionedEngine(table, positive, DEFAULT).cluster(some_masks(6, 12), np.array([1, 1, 2, 3, 3, 4]))
    assert parts.most_rows <= 4 * 10, "of four seeds"


def test_a_search_in_partitions_is_that_in_memory():
    X, y, _ = make_pu_clusters("40/3/1", n_negative=240, n_positive=60, n_relevant=6, n_irrelevant=6, random_state=0)
    settings = {"max_iter": 20, "max_samples": None, "random_state": 0, "n_features_to_select": 6}
    whole = FSCPU(**settings).fit(X, y)
    remote = PartitionedTable.of(in_parts(X))
    parts = FSCPU(**settings).fit(remote, y)
    np.testing.assert_array_equal(parts.support_, whole.support_)
    np.testing.assert_allclose(parts.history_.value, whole.history_.value, atol=0.01)
    assert parts.objective_ == pytest.approx(whole.objective_, abs=0.01)
    ours, theirs = parts.candidate_positives(remote, y), whole.candidate_positives(X, y)
    assert len(np.intersect1d(ours.rows, theirs.rows)) >= 0.95 * len(theirs.rows)


def test_a_sampled_search_takes_its_rows_from_one_sample():
    X, y, _ = make_pu_clusters("40/3/1", n_negative=5400, n_positive=600, n_relevant=6, n_irrelevant=6, random_state=0)
    parts = in_parts(X)
    found = FSCPU(6, max_iter=10, max_samples=20, random_state=0).fit(PartitionedTable.of(parts), y)
    assert found.support_.sum() == 6
    assert parts.most_rows <= 4000 + y.sum() < len(X)


def test_a_checkpoint_of_other_partitions_is_refused(tmp_path):
    X, y, _ = make_pu_clusters("40/3/1", n_negative=240, n_positive=60, n_relevant=6, n_irrelevant=6, random_state=0)
    search = FSCPU(6, max_iter=5, max_samples=None, random_state=0, checkpoint=tmp_path / "state")
    search.fit(PartitionedTable.of(in_parts(X)), y)
    assert search.fit(PartitionedTable.of(in_parts(X)), y).n_iter_ == 5
    with pytest.raises(ValueError, match="other data"):
        search.fit(PartitionedTable.of(in_parts(X * 2 + 1)), y)


@pytest.mark.parametrize(
    ("parts", "y", "message"),
    [
        ([np.ones((5, 3)), np.ones((5, 4))], np.arange(10) < 3, "all partitions must have the same columns"),
        ([np.ones((0, 3)), np.ones((0, 3))], [], "no rows at all"),
        ([np.ones((5, 3)), np.full((5, 3), np.nan)], np.arange(10) < 3, "finite numbers"),
        ([np.eye(5, 3), np.eye(5, 3)], np.arange(9) < 3, "one label for each of the 10 rows"),
        ([np.eye(5, 3), np.ones(4)], np.arange(9) < 3, "rows and columns"),
    ],
)
def test_partitions_that_do_not_fit_are_one_sentence(parts, y, message):
    with pytest.raises(ValueError, match=message):
        FSCPU(2).fit(PartitionedTable.of(Here(parts)), y)


@pytest.mark.parametrize(
    ("changes", "message"),
    [({"preset": "published"}, "preset='default'"), ({"scale": None}, "needs a scale"),
     ({"criterion": "cluster+mi"}, "in memory")],
)
def test_what_needs_all_rows_in_one_place_says_so(changes, message):
    X, positive = small_table()
    with pytest.raises(ValueError, match=message):
        FSCPU(2, max_samples=None, **changes).fit(PartitionedTable.of(in_parts(X)), positive)


def test_a_table_in_memory_needs_another_engine():
    X, positive = small_table()
    with pytest.raises(ValueError, match="needs a Dask DataFrame or Array, got ndarray"):
        FSCPU(2, engine="dask").fit(X, positive)


def test_checked_negatives_need_a_table_in_memory():
    X, positive = small_table()
    labels = positive.astype(int)
    labels[np.flatnonzero(~positive)[:5]] = -1
    with pytest.raises(ValueError, match="neg_label needs a table in memory"):
        FSCPU(3, engine="dask", neg_label=-1).fit(PartitionedTable.of(in_parts(X)), labels)
