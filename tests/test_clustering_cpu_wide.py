import numpy as np
import pytest
from engine_contract import EngineContract

from puselect.clustering import ReferenceEngine
from puselect.clustering.cpu import engine
from puselect.clustering.cpu.engine import CPUEngine
from puselect.clustering.cpu.wide import WideFit
from puselect.clustering.mixture import MixtureSpec


def wide_table(n_rows, n_columns=120, seed=0):
    rng = np.random.default_rng(seed)
    kind = (rng.random((n_rows, 1)) < 0.4) * rng.random(n_columns)
    X = (rng.random((n_rows, n_columns)) + 2 * kind).astype(np.float32)
    masks = np.array([rng.permutation(n_columns) < 60 for _ in range(6)])
    return X, np.arange(n_rows) < 20, masks


class TestWideFits(EngineContract):
    """Every fit is done as if it had many columns."""

    @pytest.fixture(autouse=True)
    def always_wide(self, monkeypatch):
        monkeypatch.setattr(engine, "WIDE_COLUMNS", 1)

    def make(self, X, positive, spec):
        return CPUEngine(X, positive, spec)


@pytest.mark.parametrize(
    ("n_rows", "n_clusters"), [(200, 20), (400, 5), (900, 6), (500, 2)], ids=["small", "mixed", "mostly large", "large"]
)
def test_clusters_are_those_of_the_reference(n_rows, n_clusters):
    X, positive, masks = wide_table(n_rows)
    spec, seeds = MixtureSpec(n_clusters=n_clusters, em_steps=2), np.arange(len(masks))
    ours, theirs = CPUEngine(X, positive, spec), ReferenceEngine(X, positive, spec)
    moved = np.abs(ours.cluster(masks, seeds).size - theirs.cluster(masks, seeds).size).sum(axis=1) / 2
    assert np.median(moved) == 0
    assert moved.max() <= 0.01 * n_rows


def test_the_mixtures_of_a_wide_fit_place_rows_as_it_did():
    X, positive, masks = wide_table(400)
    fit = CPUEngine(X, positive, MixtureSpec(n_clusters=5)).fit_final(masks[0], np.arange(3))
    for i, mixture in enumerate(fit.mixtures):
        white = np.einsum("cij,cnj->cni", mixture.factor, X[:, masks[0]][None] - mixture.mean[:, None])
        label = ((white**2).sum(axis=2) + mixture.constant[:, None]).argmin(axis=0)
        np.testing.assert_allclose(np.bincount(label, minlength=5), fit.table.size[i], atol=1)


@pytest.mark.parametrize(
    ("spec", "n_columns", "is_wide"),
    [
        (MixtureSpec(), 50, False),
        (MixtureSpec(), 51, True),
        (MixtureSpec(shrinkage=0.0), 51, False),
        (MixtureSpec(covariance_type="diag"), 51, False),
        (MixtureSpec(em="soft"), 51, False),
    ],
)
def test_wide_fits_are_for_many_columns_and_shrunken_covariances(spec, n_columns, is_wide):
    X, positive, _ = wide_table(200)
    cpu, mask = CPUEngine(X, positive, spec), np.arange(X.shape[1]) < n_columns
    assert isinstance(cpu._fit(cpu._rows(0, 0, mask), mask), WideFit) == is_wide
