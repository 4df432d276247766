import numpy as np
import pytest
from engine_contract import DEFAULT, PUBLISHED, EngineContract, small_table, some_masks
from joblib import Parallel, delayed
from sklearn.mixture import GaussianMixture

from puselect.datasets import make_pu_clusters
from puselect.engines import ReferenceEngine, make_engine
from puselect.engines.cpu.engine import CPUEngine
from puselect.engines.mixture import MixtureSpec
from puselect.scaling import scale_columns


class TestCPUEngine(EngineContract):
    def make(self, X, positive, spec):
        return CPUEngine(X, positive, spec)


class TestCPUEngineWithThreads(EngineContract):
    def make(self, X, positive, spec):
        return CPUEngine(X, positive, spec, n_jobs=2)


class TestReferenceAgreement:
    @pytest.mark.parametrize("kind", ["full", "diag", "spherical", "tied"])
    @pytest.mark.parametrize("em", ["hard", "soft"])
    def test_every_covariance_type(self, kind, em):
        X, positive = small_table(seed=3)
        init = "rows" if em == "hard" else "kmeans"
        spec = MixtureSpec(covariance_type=kind, em=em, init=init, em_steps=1 if em == "hard" else 50, shrinkage=0.0)
        masks, seeds = some_masks(8, 12), np.arange(8)
        ours = CPUEngine(X, positive, spec).cluster(masks, seeds)
        theirs = ReferenceEngine(X, positive, spec).cluster(masks, seeds)
        moved = np.abs(ours.size - theirs.size).sum(axis=1) / 2
        assert np.median(moved) == 0, moved

    def test_more_steps_and_shrinkage(self):
        X, positive = small_table(seed=4)
        for spec in (MixtureSpec(lloyd_steps=4, em_steps=3), MixtureSpec(shrinkage=8.0)):
            masks, seeds = some_masks(8, 12), np.arange(8)
            ours = CPUEngine(X, positive, spec).cluster(masks, seeds)
            theirs = ReferenceEngine(X, positive, spec).cluster(masks, seeds)
            moved = np.abs(ours.size - theirs.size).sum(axis=1) / 2
            assert np.median(moved) == 0, moved


@pytest.mark.parametrize("spec", [DEFAULT, PUBLISHED], ids=["default", "published"])
def test_threads_change_no_bit(spec):
    X, y, _ = make_pu_clusters("10/8/2", n_negative=1500, n_positive=200, random_state=0)
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


def test_samples_keep_every_labelled_row_and_stand_for_all_others():
    X, positive = small_table()
    engine = CPUEngine(X, positive, DEFAULT, max_samples=150)
    table = engine.cluster(some_masks(4, 12), np.arange(4))
    assert (table.positive.sum(axis=1) == positive.sum()).all()
    np.testing.assert_allclose(table.size.sum(axis=1), len(X))
    again = engine.cluster(some_masks(4, 12), np.arange(4))
    np.testing.assert_array_equal(table.size, again.size)


def test_samples_with_many_labelled_rows_leave_room_for_unlabelled_ones():
    X, positive = small_table()
    table = CPUEngine(X, ~positive, DEFAULT, max_samples=100).cluster(some_masks(1, 12), np.array([0]))
    assert table.positive.sum() == 50


def test_empty_mask_is_degenerate_not_fatal():
    X, positive = small_table()
    table = CPUEngine(X, positive, DEFAULT).cluster(np.zeros((1, 12), dtype=bool), np.array([0]))
    assert table.degenerate.all()
    assert table.size.sum() == 0


def test_identical_rows_are_counted_as_degenerate():
    X, positive = small_table()
    table = CPUEngine(np.zeros_like(X), positive, DEFAULT).cluster(some_masks(2, 12), np.arange(2))
    assert table.degenerate.all()


def test_a_clusterer_of_ones_own_needs_the_reference_engine():
    X, positive = small_table()
    assert isinstance(make_engine("auto", X, positive, GaussianMixture(3)), ReferenceEngine)
    with pytest.raises(ValueError, match="engine='reference'"):
        make_engine("cpu", X, positive, GaussianMixture(3))


def test_values_beyond_float32_are_refused_clearly():
    X, positive = small_table()
    with pytest.raises(ValueError, match=r"float32.*scale='minmax'"):
        make_engine("cpu", X * 1e60, positive, DEFAULT)
