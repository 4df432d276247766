import numpy as np
import pytest
from scipy.sparse import coo_array, csc_array, csr_array, csr_matrix, random_array

from puselect import FSCPU
from puselect.baselines import KBest
from puselect.checks.stability import assess_stability
from puselect.clustering.cpu.engine import CPUEngine
from puselect.clustering.mixture import MixtureSpec, half_range
from puselect.columns.evidence import rank_evidence
from puselect.columns.ranks import LEPAGE, NORMAL, ColumnRanks, SparseRanks
from puselect.scaling import SCALES, fit_scaling
from puselect.selectors.base import varying_columns
from puselect.sparse_table import SparseTable


def counts(n_rows=300, n_columns=24, seed=0, density=0.15):
    """Word counts: positives use the first six words more often; some columns hold negative values, one is empty."""
    rng = np.random.default_rng(seed)
    X = rng.poisson(1.0, (n_rows, n_columns)) * (rng.random((n_rows, n_columns)) < density)
    is_positive = np.arange(n_rows) < 60
    X[np.ix_(is_positive, np.arange(6))] += rng.poisson(1.5, (60, 6))
    X[:, 20:23] *= rng.choice([-1, 1], (n_rows, 3))
    X[:, 23] = 0
    X = X * rng.uniform(0.5, 1.5, X.shape)  # whole numbers would tie distances, and rounding would decide
    y = np.zeros(n_rows, dtype=int)
    y[rng.permutation(60)[:30]] = 1
    return X, y


def search(**changes):
    return FSCPU(**{"n_features_to_select": 6, "max_iter": 25, "random_state": 0, **changes})


@pytest.mark.parametrize("scale", [*SCALES, None])
def test_a_scaled_sparse_table_is_the_scaled_table(scale):
    X, _ = counts()
    scaling = None if scale is None else fit_scaling(scale, X)
    of_sparse = None if scale is None else fit_scaling(scale, csc_array(X))
    table = SparseTable.of(csc_array(X), of_sparse)
    expected = X if scaling is None else scaling.scale(X)
    np.testing.assert_allclose(table.dense(), expected, atol=1e-6)
    np.testing.assert_allclose(table[np.arange(7)][:, [3, 20]].dense(), expected[:7, [3, 20]], atol=1e-6)
    assert half_range(table) == pytest.approx(np.ptp(expected, axis=0).max() / 2)
    assert table.values.nnz <= np.count_nonzero(X)
    np.testing.assert_array_equal(varying_columns(csc_array(X)), varying_columns(X))


def test_long_tails_of_a_sparse_table_are_scaled_as_those_of_the_dense_one(monkeypatch):
    rng = np.random.default_rng(4)
    amounts = np.exp(2 * rng.normal(size=(900, 12))) * rng.choice([-1, 1], 12)
    amounts[:, 3:6] *= rng.choice([-1, 1], (900, 3))
    X = np.where(rng.random((900, 12)) < np.repeat([0.1, 0.4, 0.7, 0.95], 3), 0, amounts)[:, rng.permutation(12)]
    dense = fit_scaling("auto", X)
    for size in (2**17, 1000):
        monkeypatch.setattr("puselect.scaling.STORED_AT_ONCE", size)
        monkeypatch.setattr("puselect.sparse_table.BLOCK", size)
        sparse = fit_scaling("auto", csc_array(X))
        assert [curve is None for curve in sparse.curves] == [curve is None for curve in dense.curves]
        assert 4 < sum(curve is None for curve in dense.curves) < 8
        np.testing.assert_allclose(SparseTable.of(csc_array(X), sparse).dense(), dense.scale(X), atol=1e-6)


@pytest.mark.parametrize("scores", [NORMAL, LEPAGE])
def test_ranks_and_evidence_of_sparse_columns_are_those_of_dense_ones(scores):
    X, _ = counts()
    X[:, 7], X[:, 20] = X[:, 7] + 1, -1 - X[:, 20]  # no zeros
    dense, sparse = ColumnRanks(X, scores), SparseRanks(SparseTable.of(csc_array(X)), scores)
    rows, columns = np.arange(40, 70), np.array([1, 20, 7])
    np.testing.assert_allclose(sparse.mean, dense.mean, rtol=1e-6, atol=1e-9)
    np.testing.assert_allclose(sparse.variance, dense.variance, rtol=1e-6, atol=1e-9)
    np.testing.assert_allclose(sparse.statistic(rows), dense.statistic(rows), rtol=1e-5)
    each = np.stack([rows, rows + 5, rows - 9])
    np.testing.assert_allclose(sparse.statistic_each(columns, each), dense.statistic_each(columns, each), rtol=1e-5)
    np.testing.assert_allclose(sparse.places(columns), dense.places(columns), atol=1e-5)
    X, y = counts()
    sparse = SparseRanks(SparseTable.of(csc_array(X)))
    of_sparse = rank_evidence(sparse, y == 1, np.random.default_rng(0))
    of_dense = rank_evidence(ColumnRanks(X), y == 1, np.random.default_rng(0))
    np.testing.assert_allclose(of_sparse.z_scores, of_dense.z_scores, atol=1e-4)


@pytest.mark.parametrize("max_samples", [None, 120])
def test_the_sparse_engine_counts_what_the_dense_one_does(max_samples):
    X, y = counts(n_columns=40)
    spec = MixtureSpec(n_clusters=6)
    rng = np.random.default_rng(1)
    masks = np.array([rng.permutation(40) < 8 for _ in range(6)] + [np.zeros(40, dtype=bool)])
    seeds = np.array([1, 1, 2, 3, 4, 5, 5])
    table = SparseTable.of(csc_array(X), fit_scaling("auto", X))
    dense = CPUEngine(table.dense(), y == 1, spec, max_samples=max_samples)
    sparse = CPUEngine(table, y == 1, spec, max_samples=max_samples)
    for a, b in zip(sparse.cluster(masks, seeds), dense.cluster(masks, seeds), strict=True):
        np.testing.assert_allclose(a, b, atol=1e-9)
    ours, theirs = sparse.fit_final(masks[0], seeds[:2]), dense.fit_final(masks[0], seeds[:2])
    filled = ours.mixtures[0].constant < 1e29
    np.testing.assert_allclose(ours.mixtures[0].mean[filled], theirs.mixtures[0].mean[filled], atol=1e-5)


@pytest.mark.parametrize("kind", [csr_matrix, csr_array, csc_array, coo_array])
def test_a_sparse_table_gives_the_selection_of_the_dense_one(kind):
    X, y = counts()
    dense, sparse = search().fit(X, y), search().fit(kind(X), y)
    np.testing.assert_array_equal(sparse.support_, dense.support_)
    np.testing.assert_array_equal(sparse.ranking_, dense.ranking_)
    assert sparse.objective_ == pytest.approx(dense.objective_, abs=1e-6)
    assert sparse.transform(kind(X)).shape == (300, 6)
    found = sparse.candidate_positives(kind(X), y)
    np.testing.assert_array_equal(found.rows, dense.candidate_positives(X, y).rows)


def test_a_screened_search_of_a_sparse_table_and_its_checkpoint(tmp_path):
    X, y = counts(n_columns=60)
    first = search(screen=20).fit(csr_array(X), y)
    np.testing.assert_array_equal(first.support_, search(screen=20).fit(X, y).support_)
    search(screen=20, max_iter=10, checkpoint=tmp_path / "state").fit(csr_array(X), y)
    again = search(screen=20, max_iter=10, checkpoint=tmp_path / "state").fit(csc_array(X), y)
    assert again.n_iter_ == 10
    X[0, 0] += 1
    with pytest.raises(ValueError, match="other data"):
        search(screen=20, max_iter=10, checkpoint=tmp_path / "state").fit(csr_array(X), y)


def test_no_dense_copy_is_made(monkeypatch):
    X = random_array((400, 500), density=0.01, random_state=0, format="csr")
    largest = []
    toarray = csr_array.toarray

    def watched(self, *args, **options):
        largest.append(np.prod(self.shape))
        return toarray(self, *args, **options)

    for kind in (csr_array, csc_array):
        monkeypatch.setattr(kind, "toarray", watched)
    search(max_iter=10).fit(X, np.arange(400) < 30)
    assert max(largest) <= 400 * 64


def test_what_needs_a_dense_table_says_so():
    X, y = counts()
    for selector, message in (
        (search(engine="reference"), "sparse X needs engine='cpu' or 'auto'"),
        (search(criterion="cluster+mi"), "criterion='cluster\\+mi' needs a dense table"),
        (KBest(3), "Sparse data"),
    ):
        with pytest.raises((ValueError, TypeError), match=message):
            selector.fit(csr_array(X), y)


@pytest.mark.parametrize("bad", [np.nan, np.inf])
def test_a_sparse_table_with_a_stored_value_that_is_not_finite_is_refused(bad):
    X, y = counts()
    spoilt = csr_array(X)
    spoilt.data[5] = bad
    with pytest.raises(ValueError, match=r"Input X contains (NaN|infinity)"):
        search().fit(spoilt, y)


def odd_tables():
    """Return tables with the same values: in order, with places in any order, with duplicates, with stored zeros.

    One column is constant: scaling makes its stored ones zeros.
    """
    rng = np.random.default_rng(3)
    dense = rng.integers(-4, 5, (240, 8)) * (rng.random((240, 8)) < 0.5) * 1.0
    dense[:, 5] = 1.0
    order = rng.permutation(240)
    zeros = csc_array(dense + np.eye(240, 8))
    zeros.data[:] = dense.T[dense.T + np.eye(8, 240) != 0]
    return {
        "zeros": zeros,
        "in order": csc_array(dense),
        "unordered": csc_array(dense[order])[np.argsort(order)],
        "duplicates": in_halves(csr_array(dense)),
        "duplicates in columns": in_halves(csc_array(dense)),
    }


def in_halves(X):
    """Return a sparse matrix in which every value is stored as two halves."""
    parts = np.repeat(X.data / 2, 2), np.repeat(X.indices, 2), 2 * X.indptr
    return type(X)(parts, shape=X.shape)


def test_stored_zeros_have_the_rank_of_zeros():
    stored, plain = (SparseRanks(SparseTable.of(odd_tables()[kind])) for kind in ("zeros", "in order"))
    np.testing.assert_array_equal(stored.mean, plain.mean)
    np.testing.assert_array_equal(stored.variance, plain.variance)


@pytest.mark.parametrize("make", [FSCPU, FSCPU.published])
@pytest.mark.parametrize("kind", ["unordered", "duplicates", "duplicates in columns", "zeros"])
@pytest.mark.parametrize("is_read_only", [False, True])
def test_order_and_duplicates_of_places_change_nothing(make, kind, is_read_only):
    tables, y = odd_tables(), np.arange(240) < 30
    X, plain = tables[kind], tables["in order"]
    assert kind == "zeros" or not X.copy().has_canonical_format
    np.testing.assert_array_equal(X.toarray(), plain.toarray())
    before = [part.copy() for part in (X.data, X.indices, X.indptr)]
    for part in (X.data, X.indices, X.indptr):
        part.setflags(write=not is_read_only)
    ours, theirs = (make(3, max_iter=2, random_state=0).fit(table, y) for table in (X, plain))
    np.testing.assert_array_equal(ours.ranking_, theirs.ranking_)
    for part, want in zip((X.data, X.indices, X.indptr), before, strict=True):
        np.testing.assert_array_equal(part, want)
    assert ours.candidate_positives(X).rows.tolist() == theirs.candidate_positives(plain).rows.tolist()


def test_stability_of_a_sparse_table():
    X, y = odd_tables()["in order"], np.arange(240) < 30
    selector = FSCPU(3, max_iter=2, random_state=0).fit(X, y)
    found = assess_stability(selector, X, y, n_searches=2, random_state=0)
    assert sum(found.frequency) == pytest.approx(3)
