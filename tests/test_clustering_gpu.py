"""The GPU engine on torch's CPU device, and on a GPU where there is one."""

import gc
import weakref

import numpy as np
import pytest
from engine_contract import DEFAULT, PUBLISHED, EngineContract, small_table, some_masks
from sklearn.cluster import kmeans_plusplus

from puselect import FSCPU
from puselect.clustering.cpu.engine import CPUEngine
from puselect.fscpu.fit_many import PendingFit, fit_together

torch = pytest.importorskip("torch", reason="the GPU engine needs torch: pip install 'puselect[gpu]'")

from puselect.clustering.gpu import GPUEngine  # noqa: E402
from puselect.clustering.gpu.fits import draw_starts, plus_plus  # noqa: E402


class TestOnTheCPU(EngineContract):
    device = "cpu"

    def make(self, X, positive, spec):
        return GPUEngine(X, positive, spec, device=self.device)


NEEDS_GPU = pytest.mark.skipif(not torch.cuda.is_available(), reason="no GPU here: its kernels run on one only")


@NEEDS_GPU
class TestOnTheGPU(TestOnTheCPU):
    device = "cuda"


def spoiled_tables():
    X, positive = small_table()
    constant = np.where(np.arange(12) < 3, 0.0, X)
    return [(constant, positive), (X[:, [0, 0, 0, 1, 1, 1, 2, 2, 2, 3, 3, 3]], positive), (np.round(X), positive)]


@pytest.mark.parametrize("spec", [DEFAULT, PUBLISHED], ids=["default", "published"])
def test_degenerate_masks_are_those_of_the_cpu_engine(spec):
    masks = np.vstack([some_masks(9, 12), np.zeros((1, 12), dtype=bool)])
    for X, positive in spoiled_tables():
        ours = GPUEngine(X, positive, spec, device="cpu").cluster(masks, np.arange(10))
        theirs = CPUEngine(X, positive, spec).cluster(masks, np.arange(10))
        assert ours.degenerate[-1] and ours.size[-1].sum() == 0
        assert np.mean(ours.degenerate == theirs.degenerate) >= 0.9


def test_k_means_starts_from_the_rows_scikit_learn_takes():
    rng = np.random.default_rng(0)
    same = 0
    for seed in range(60):
        Z = rng.normal(size=(200, 6)).astype(np.float32)
        first, uniform = draw_starts([99, seed], 200, 7)[seed]
        each = torch.from_numpy(Z)[None], torch.tensor([first]), torch.from_numpy(uniform)[None]
        centres = plus_plus(*each)[0].numpy()
        theirs, _ = kmeans_plusplus(Z.astype(np.float64), 7, random_state=seed)
        same += bool((centres == theirs.astype(np.float32)).all())
    assert same >= 59  # rounding may decide between two candidates


def test_masks_of_different_width_share_a_call():
    X, positive = small_table()
    masks = np.tri(12, dtype=bool)
    table = GPUEngine(X, positive, DEFAULT, device="cpu").cluster(masks, np.zeros(12, dtype=int))
    theirs = CPUEngine(X, positive, DEFAULT).cluster(masks, np.zeros(12, dtype=int))
    assert (np.abs(table.size - theirs.size).sum(axis=1) / 2 <= 2).all()


@pytest.mark.parametrize("limit", [None, 150])
def test_several_tables_with_a_label_vector_each(limit):
    tables, labels = zip(*(small_table(seed) for seed in range(3)), strict=True)
    together = GPUEngine(np.stack(tables), np.stack(labels), DEFAULT, max_samples=limit, device="cpu")
    masks, seeds = np.repeat(some_masks(2, 12), 3, axis=0), np.arange(6)
    got = together.cluster(masks, seeds, np.array([0, 1, 2] * 2))
    for target in range(3):
        alone = GPUEngine(tables[target], labels[target], DEFAULT, max_samples=limit, device="cpu")
        want = alone.cluster(masks[target::3], seeds[target::3])
        np.testing.assert_array_equal(got.size[target::3], want.size)
        np.testing.assert_array_equal(got.positive[target::3], want.positive)


class TestMemory:
    def fit_that_holds(self, monkeypatch, most):
        """Make fits of more than `most` masks fail as they do on a full device."""
        import puselect.clustering.gpu.engine as module

        fits = module.BatchFits

        def small_fits(tables, positive, spec, n_clusters, like):
            if len(like.columns) > most:
                raise torch.OutOfMemoryError("full")
            return fits(tables, positive, spec, n_clusters, like)

        monkeypatch.setattr(module, "BatchFits", small_fits)

    def test_a_full_device_gets_smaller_batches(self, monkeypatch):
        X, positive = small_table()
        engine = GPUEngine(X, positive, DEFAULT, device="cpu")
        masks, seeds = np.repeat(some_masks(1, 12), 7, axis=0), np.arange(7)
        want = engine.cluster(masks, seeds)
        self.fit_that_holds(monkeypatch, 2)
        got = GPUEngine(X, positive, DEFAULT, device="cpu").cluster(masks, seeds)
        np.testing.assert_array_equal(got.size, want.size)

    def test_when_not_one_mask_fits_the_error_says_what_to_do(self, monkeypatch):
        X, positive = small_table()
        self.fit_that_holds(monkeypatch, 0)
        with pytest.raises(MemoryError, match=r"max_samples.*engine='cpu'"):
            GPUEngine(X, positive, DEFAULT, device="cpu").cluster(some_masks(3, 12), np.arange(3))


def test_products_stay_exact_whatever_the_user_has_set(monkeypatch):
    import puselect.clustering.gpu.engine as module

    seen = []
    monkeypatch.setattr(torch, "get_float32_matmul_precision", lambda: "medium")
    monkeypatch.setattr(torch, "set_float32_matmul_precision", seen.append)
    with module.exact_float32:
        assert seen == ["highest"]
    assert seen == ["highest", "medium"]


@pytest.mark.skipif(torch.cuda.is_available(), reason="there is a GPU here")
def test_without_a_device_one_sentence_says_so():
    X, positive = small_table()
    with pytest.raises(ValueError, match=r"engine='gpu' needs a GPU"):
        FSCPU(3, engine="gpu").fit(X, positive)


@pytest.mark.parametrize("device", ["cpu", pytest.param("cuda", marks=NEEDS_GPU)])
@pytest.mark.parametrize("make", [FSCPU, FSCPU.published])
def test_searches_in_lockstep_end_as_each_would_alone(make, device):
    data = [small_table(seed) for seed in range(3)]

    def fit(members):
        tasks = [PendingFit.of(make(6, max_iter=4, random_state=i), *data[i]) for i in members]
        X = np.stack([task.problem.table for task in tasks])
        positive = np.stack([task.problem.positive for task in tasks])
        fit_together(tasks, GPUEngine(X, positive, tasks[0].settings.mixture, device=device))
        return [task.selector for task in tasks]

    together = fit(range(3))
    for i in range(3):
        (alone,) = fit([i])
        np.testing.assert_array_equal(alone.probabilities_, together[i].probabilities_)
        assert alone.objective_ == together[i].objective_


def test_buffers_are_freed_with_their_engine():
    X, positive = np.random.default_rng(0).normal(size=(60, 4)), np.arange(60) < 10
    engine = GPUEngine(X, positive, DEFAULT, device="cpu")
    engine.cluster(np.ones((2, 4), dtype=bool), np.arange(2))
    held = weakref.ref(engine._fits[4])
    gc.disable()  # by reference counts alone
    try:
        del engine
        assert held() is None
    finally:
        gc.enable()


@NEEDS_GPU
def test_a_graph_that_becomes_garbage_does_not_spoil_another():
    X, positive = np.random.default_rng(0).normal(size=(60, 4)), np.arange(60) < 10
    masks, seeds = np.ones((2, 4), dtype=bool), np.arange(2)
    threshold = gc.get_threshold()
    gc.set_threshold(1)
    try:
        for _ in range(5):
            engine = GPUEngine(X, positive, DEFAULT)
            engine.itself = engine  # only the garbage collector frees it
            for _ in range(3):
                engine.cluster(masks, seeds)
    finally:
        gc.set_threshold(*threshold)
