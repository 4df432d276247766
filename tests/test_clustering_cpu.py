import importlib
import sys
import threading
from dataclasses import replace

import numba
import numpy as np
import pytest
from engine_contract import DEFAULT, PUBLISHED, EngineContract, small_table, some_masks
from joblib import Parallel, delayed
from sklearn.mixture import GaussianMixture

from puselect import FSCPU
from puselect.clustering import ReferenceEngine, make_engine
from puselect.clustering.cpu import kernels
from puselect.clustering.cpu.engine import CPUEngine
from puselect.clustering.cpu.kernels import kernel, log_no_cache, nearest, place_rows
from puselect.clustering.mixture import MixtureSpec
from puselect.datasets import make_pu_clusters
from puselect.scaling import scale_columns


class TestCPUEngine(EngineContract):
    def make(self, X, positive, spec):
        return CPUEngine(X, positive, spec)


@pytest.mark.parametrize("spec", [DEFAULT, PUBLISHED], ids=["default", "published"])
def test_threads_change_no_bit(spec):
    X, y, _ = make_pu_clusters("10/8/2", n_negative=500, n_positive=100, random_state=0)
    X, positive = scale_columns(X), y == 1
    masks, seeds = some_masks(6, 50), np.array([1, 1, 1, 2, 2, 2])
    one = CPUEngine(X, positive, spec, n_jobs=1).cluster(masks, seeds)
    two = CPUEngine(X, positive, spec, n_jobs=2).cluster(masks, seeds)
    for a, b in zip(one, two, strict=True):
        np.testing.assert_array_equal(a, b)


def cluster_in_a_worker(X, positive, masks):
    return CPUEngine(X, positive, DEFAULT, n_jobs=2).cluster(masks, np.zeros(len(masks), dtype=int)).size


def test_results_are_the_same_inside_joblib_workers():
    X, positive = small_table()
    masks = some_masks(3, 12)
    inside = Parallel(n_jobs=2)(delayed(cluster_in_a_worker)(X, positive, masks) for _ in range(2))
    for size in inside:
        np.testing.assert_array_equal(size, cluster_in_a_worker(X, positive, masks))


def test_em_as_published_gives_scikit_learns_labels_from_the_same_seed():
    X, y, _ = make_pu_clusters("10/8/2", n_negative=1500, n_positive=200, random_state=1)
    X, positive = scale_columns(X), y == 1
    masks = some_masks(4, 50)
    ours = CPUEngine(X, positive, PUBLISHED).cluster(masks, np.arange(4))
    for seed, mask in enumerate(masks):
        labels = GaussianMixture(10, random_state=seed).fit_predict(X[:, mask])
        size = np.bincount(labels, minlength=10)
        assert np.abs(ours.size[seed] - size).sum() / 2 <= 0.002 * len(X)


@pytest.mark.parametrize(
    ("n_rows", "n_clusters"), [(200, 20), (400, 5), (900, 6), (500, 2)], ids=["small", "mixed", "mostly large", "large"]
)
def test_clusters_with_fewer_rows_than_columns_are_those_of_the_reference(n_rows, n_clusters):
    rng = np.random.default_rng(0)
    kind = (rng.random((n_rows, 1)) < 0.4) * rng.random(120)
    X = (rng.random((n_rows, 120)) + 2 * kind).astype(np.float32)
    masks, positive = np.array([rng.permutation(120) < 60 for _ in range(6)]), np.arange(n_rows) < 20
    spec, seeds = MixtureSpec(n_clusters=n_clusters), np.arange(len(masks))
    ours, theirs = CPUEngine(X, positive, spec), ReferenceEngine(X, positive, spec)
    moved = np.abs(ours.cluster(masks, seeds).size - theirs.cluster(masks, seeds).size).sum(axis=1) / 2
    assert np.median(moved) == 0
    assert moved.max() <= 0.01 * n_rows
    fit = ours.fit_final(masks[0], seeds[:3])
    for size, mixture in zip(fit.table.size, fit.mixtures, strict=True):
        np.testing.assert_allclose(np.bincount(mixture.place(X[:, masks[0]]), minlength=n_clusters), size, atol=1)


def test_samples_keep_every_labelled_row_and_empty_masks_and_identical_rows_are_degenerate():
    X, positive = small_table()
    engine = CPUEngine(X, positive, DEFAULT, max_samples=150)
    table = engine.cluster(some_masks(4, 12), np.arange(4))
    assert (table.positive.sum(axis=1) == positive.sum()).all()
    np.testing.assert_allclose(table.size.sum(axis=1), len(X))
    again = engine.cluster(some_masks(4, 12), np.arange(4))
    np.testing.assert_array_equal(table.size, again.size)
    empty = CPUEngine(X, positive, DEFAULT).cluster(np.zeros((1, 12), dtype=bool), np.array([0]))
    assert empty.degenerate.all()
    assert empty.size.sum() == 0
    assert CPUEngine(np.zeros_like(X), positive, DEFAULT).cluster(some_masks(2, 12), np.arange(2)).degenerate.all()


def test_a_clusterer_of_ones_own_needs_the_reference_engine():
    X, positive = small_table()
    assert isinstance(make_engine("auto", X, positive, GaussianMixture(3)), ReferenceEngine)
    with pytest.raises(ValueError, match="engine='reference'"):
        make_engine("cpu", X, positive, GaussianMixture(3))


@pytest.mark.parametrize("name", ["cpu", "reference"])
@pytest.mark.parametrize("unit", [5e18, 1e34, 1e200, 1e307])
def test_squared_distances_cannot_overflow(name, unit):
    rng = np.random.default_rng(0)
    X, positive = rng.normal(size=(200, 10)) * unit, np.arange(200) < 30
    with np.errstate(all="raise", under="ignore"):
        if name == "cpu" or unit > 1e140:
            with pytest.raises(ValueError, match="scale='minmax'"):
                make_engine(name, X, positive, DEFAULT)
        else:
            table = make_engine(name, X, positive, DEFAULT).cluster(np.ones((1, 10), dtype=bool), np.arange(1))
            assert table.size.sum() == 200


def test_fits_of_huge_values_end_in_an_answer_or_an_error_and_without_warnings():
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(200, 10)), np.arange(200) < 30
    with pytest.raises(ValueError, match="scale='minmax'"):
        FSCPU(5, scale=None, max_iter=20, random_state=0).fit(X * 5e18, y)
    huge = FSCPU(5, max_iter=5, random_state=0).fit(X * 2.0**1020, y)
    usual = FSCPU(5, max_iter=5, random_state=0).fit(X, y)
    np.testing.assert_array_equal(huge.support_, usual.support_)
    np.testing.assert_array_equal(
        huge.candidate_positives(X * 2.0**1020).rows, usual.candidate_positives(X).rows
    )


def test_values_up_to_the_limit_are_clustered_as_small_ones():
    X, positive = small_table()
    masks = some_masks(4, 12)
    small = CPUEngine(X, positive, DEFAULT).cluster(masks, np.arange(4))
    large = make_engine("cpu", X * 2.0**53, positive, replace(DEFAULT, reg_covar=1e-6 * 2.0**106))
    np.testing.assert_array_equal(large.cluster(masks, np.arange(4)).size, small.size)


@pytest.mark.parametrize("spec", [DEFAULT, PUBLISHED], ids=["default", "published"])
@pytest.mark.parametrize("make", [CPUEngine, ReferenceEngine])
@pytest.mark.parametrize("reg_covar", [1e-300, 1e300])
def test_any_regularisation_gives_a_clustering(make, spec, reg_covar):
    X, positive = small_table()
    X[:, :4] = np.round(X[:, :4])  # clusters without variance
    with np.errstate(all="raise", under="ignore"):
        table, mixtures = make(X, positive, replace(spec, reg_covar=reg_covar)).fit_final(
            np.arange(12) < 6, np.arange(2)
        )
    assert (table.size.sum(axis=1) == len(X)).all()
    assert all(np.isfinite(part).all() for mixture in mixtures for part in mixture)


@pytest.mark.parametrize("kind", ["full", "diag", "spherical", "tied"])
@pytest.mark.parametrize("spec", [DEFAULT, PUBLISHED], ids=["default", "published"])
def test_clusters_that_get_no_rows_leave_finite_mixtures(kind, spec):
    X, positive = np.repeat([[0.0, 1.0], [1.0, 0.0]], 3, axis=0), np.arange(6) < 2
    spec = replace(spec, n_clusters=4, covariance_type=kind)
    table, mixtures = CPUEngine(X, positive, spec).fit_final(np.ones(2, dtype=bool), np.arange(4))
    assert (table.size == 0).any()
    assert all(np.isfinite(part).all() for mixture in mixtures for part in mixture)


@pytest.mark.parametrize("value", [1e30, np.inf, np.nan])
def test_kernels_write_valid_labels_whatever_the_values(value):
    Z = np.full((3, 700), value, dtype=np.float32)
    labels = np.full(700, -7, dtype=np.int32)
    nearest(Z, -Z[:, :4].T.copy(), labels)
    assert ((labels >= 0) & (labels < 4)).all()
    labels[:] = -7
    zeros, is_full = np.zeros((4, 3)), np.arange(4) < 2
    place_rows(Z, zeros[:, 0], zeros, zeros + 1, is_full, np.repeat(np.eye(3)[None], 2, axis=0), Z[[0] * 4], labels)
    assert ((labels >= 0) & (labels < 4)).all()


def test_kernels_are_compiled_without_a_cache_where_none_can_be_written(tmp_path, monkeypatch, caplog):
    (tmp_path / "square.py").write_text("def square(x):\n    return x * x\n")
    (tmp_path / "__pycache__").write_text("a file where the folder would be: not writable for root either")
    (tmp_path / "cache").write_text("")
    monkeypatch.setattr(numba.config, "CACHE_DIR", "")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.setattr(sys, "dont_write_bytecode", True)
    monkeypatch.syspath_prepend(tmp_path)
    square = importlib.import_module("square").square
    with pytest.raises(RuntimeError, match="cannot cache"):
        numba.njit(cache=True)(square)
    log_no_cache.cache_clear()
    with caplog.at_level("WARNING", logger="puselect"):
        assert kernel(square)(3.0) == 9.0
        assert kernel(square)(4.0) == 16.0
    assert [record.name for record in caplog.records] == ["puselect.clustering.cpu.kernels"]
    del sys.modules["square"]


def test_kernels_called_by_kernels_are_inlined():
    """Otherwise compiled and cached code differ in the last bits; see `inner_kernel`."""
    found = vars(kernels)
    compiled = {name: value for name, value in found.items() if hasattr(value, "py_func")}
    called = {name for function in compiled.values() for name in function.py_func.__code__.co_names} & set(compiled)
    assert called
    assert [name for name in called if not compiled[name].targetoptions.get("forceinline")] == []


def test_ctrl_c_does_not_wait_for_masks_that_are_half_done(monkeypatch):
    rng = np.random.default_rng(0)
    X, positive = rng.random((50, 6)), np.arange(50) < 10
    engine = make_engine("cpu", X, positive, MixtureSpec(), n_jobs=2)
    monkeypatch.setattr("puselect.clustering.cpu.engine.SERIAL_WORK", 0)
    release, started = threading.Event(), []

    def fit(*_):
        started.append(1)
        if len(started) == 1:
            raise KeyboardInterrupt
        release.wait(30)

    monkeypatch.setattr(engine, "_fit", fit)
    try:
        with pytest.raises(KeyboardInterrupt):
            engine.cluster(np.ones((8, 6), dtype=bool), np.zeros(8, dtype=int))
        assert not release.is_set()
        assert len(started) <= 3, "masks that have not started are given up"
    finally:
        release.set()
