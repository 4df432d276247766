"""What every engine must do. A test module subclasses `EngineContract` and says how its engine is made."""

import numpy as np
import pytest

from puselect.clustering import ReferenceEngine
from puselect.clustering.mixture import MixtureSpec
from puselect.datasets import make_pu_clusters
from puselect.scaling import scale_columns

DEFAULT = MixtureSpec()
PUBLISHED = MixtureSpec(em_steps=100)


def small_table(seed=0, n_features=12):
    X, y, _ = make_pu_clusters(
        "40/3/1",
        n_negative=300,
        n_positive=60,
        n_relevant=n_features // 2,
        n_irrelevant=n_features // 2,
        random_state=seed,
    )
    return scale_columns(X), y == 1


def some_masks(n_masks, n_features, seed=0):
    masks = np.random.default_rng(seed).random((n_masks, n_features)) < 0.5
    masks[:, 0] |= ~masks.any(axis=1)
    return masks


class EngineContract:
    """Subclasses define ``make(X, positive, spec)``."""

    def make(self, X, positive, spec):
        raise NotImplementedError

    @pytest.fixture(params=[DEFAULT, PUBLISHED], ids=["default", "published"])
    def spec(self, request):
        return request.param

    def test_counts_add_up(self, spec):
        X, positive = small_table()
        table = self.make(X, positive, spec).cluster(some_masks(6, 12), np.arange(6))
        assert table.size.shape == table.positive.shape == (6, 10)
        np.testing.assert_allclose(table.size.sum(axis=1), len(X))
        np.testing.assert_allclose(table.positive.sum(axis=1), positive.sum())
        assert (table.positive <= table.size).all()
        assert table.degenerate.shape == (6,)

    def test_same_mask_and_seed_give_the_same_table_and_inputs_stay_as_they_are(self, spec):
        X, positive = small_table()
        masks, seeds = some_masks(4, 12), np.arange(4)
        copies = [array.copy() for array in (X, positive, masks, seeds)]
        first, again = (self.make(X, positive, spec).cluster(masks, seeds) for _ in range(2))
        np.testing.assert_array_equal(first.size, again.size)
        np.testing.assert_array_equal(first.positive, again.positive)
        for array, copy in zip((X, positive, masks, seeds), copies, strict=True):
            np.testing.assert_array_equal(array, copy)

    def test_order_and_company_in_a_batch_do_not_matter(self, spec):
        X, positive = small_table()
        masks, seeds = some_masks(5, 12), np.array([3, 1, 3, 7, 1])
        engine = self.make(X, positive, spec)
        together = engine.cluster(masks, seeds)
        backwards = engine.cluster(masks[::-1], seeds[::-1])
        np.testing.assert_array_equal(together.size, backwards.size[::-1])
        for i in range(5):
            alone = engine.cluster(masks[i : i + 1], seeds[i : i + 1])
            np.testing.assert_array_equal(alone.size[0], together.size[i])
            np.testing.assert_array_equal(alone.positive[0], together.positive[i])

    def test_the_final_fit_counts_what_cluster_counts_and_its_mixtures_give_the_same_clusters(self, spec):
        X, positive = small_table()
        X = X + 3.0  # means are in the units of the table
        other = np.roll(positive, 7)
        mask, seeds = some_masks(1, 12)[0], np.array([4, 9, 2])
        engine = self.make(X, np.stack([positive, other]), spec)
        table, mixtures = engine.fit_final(mask, seeds, target=1)
        masks = np.repeat(mask[None], 3, axis=0)
        for ours, theirs in zip(table, engine.cluster(masks, seeds, np.ones(3, dtype=int)), strict=True):
            np.testing.assert_array_equal(ours, theirs)
        for i, mixture in enumerate(mixtures):
            labels = mixture.place(X[:, mask])
            size, hits = (np.bincount(part, minlength=10) for part in (labels, labels[other]))
            assert np.abs(size - table.size[i]).sum() <= 2  # a row on a border may fall to either side
            assert np.abs(hits - table.positive[i]).sum() <= 2

    def test_the_final_fit_keeps_as_many_mixtures_as_wanted(self, spec):
        X, positive = small_table()
        engine = self.make(X, positive, spec)
        table, mixtures = engine.fit_final(np.ones(12, dtype=bool), np.arange(3), n_mixtures=1)
        assert len(mixtures) == 1
        assert mixtures[0].factor.shape == (10, 12, 12)
        assert table.size.shape == (3, 10)
        table, mixtures = engine.fit_final(np.zeros(12, dtype=bool), np.arange(2))
        assert mixtures is None
        assert table.degenerate.all() and table.size.sum() == 0

    def test_another_seed_gives_another_clustering(self, spec):
        X, positive = small_table()
        masks = np.repeat(some_masks(1, 12), 6, axis=0)
        size = np.sort(self.make(X, positive, spec).cluster(masks, np.arange(6)).size, axis=1)
        assert len(np.unique(size, axis=0)) > 1

    def test_several_label_vectors_are_counted_each_for_its_masks(self, spec):
        X, positive = small_table()
        other = np.roll(positive, 7)
        masks, seeds = np.repeat(some_masks(2, 12), 2, axis=0), np.array([5, 5, 6, 6])
        both = self.make(X, np.stack([positive, other]), spec).cluster(masks, seeds, np.array([0, 1, 0, 1]))
        for target, labels in enumerate((positive, other)):
            alone = self.make(X, labels, spec).cluster(masks[target::2], seeds[target::2])
            np.testing.assert_array_equal(both.size[target::2], alone.size)
            np.testing.assert_array_equal(both.positive[target::2], alone.positive)

    def test_checked_negatives_are_counted_and_change_nothing_else(self, spec):
        X, positive = small_table()
        known = positive.astype(np.int8)
        known[np.flatnonzero(~positive)[::5]] = -1
        masks, seeds = some_masks(3, 12), np.arange(3)
        plain, table = (self.make(X, labels, spec).cluster(masks, seeds) for labels in (positive, known))
        np.testing.assert_array_equal(table.size, plain.size)
        np.testing.assert_array_equal(table.positive, plain.positive)
        np.testing.assert_array_equal(table.negative.sum(axis=1), (known < 0).sum())
        assert not plain.negative.any()
        negatives = self.make(X, known < 0, spec).cluster(masks, seeds)  # as a label vector of their own
        np.testing.assert_array_equal(table.negative, negatives.positive)

    def test_likely_rows_are_counted_and_change_nothing_else(self, spec):
        X, positive = small_table()
        known = positive.astype(np.int8)
        known[np.flatnonzero(~positive)[::5]] = 2
        masks, seeds = some_masks(3, 12), np.arange(3)
        plain, table = (self.make(X, labels, spec).cluster(masks, seeds) for labels in (positive, known))
        for before, after in zip(plain[:4], table, strict=False):
            np.testing.assert_array_equal(after, before)
        assert not plain.likely.any()
        likely = self.make(X, known == 2, spec).cluster(masks, seeds)  # as a label vector of their own
        np.testing.assert_array_equal(table.likely, likely.positive)

    @pytest.mark.parametrize(
        "spoil",
        [
            lambda X: np.where(np.arange(X.shape[1]) < 3, 0.0, X),  # constant columns
            lambda X: X[:, [0, 0, 0, 1, 1, 1, 2, 2, 2, 3, 3, 3]],  # duplicate columns
            lambda X: np.round(X),  # few distinct rows
            lambda X: np.zeros_like(X),  # one distinct row
            lambda X: np.where(X > 0.9, X, 0.0),  # heavy zeros
        ],
    )
    def test_degenerate_columns_survive(self, spec, spoil):
        X, positive = small_table()
        masks = np.vstack([some_masks(3, 12), np.eye(12, dtype=bool)[:3], np.ones((1, 12), dtype=bool)])
        table = self.make(spoil(X), positive, spec).cluster(masks, np.arange(len(masks)))
        np.testing.assert_allclose(table.size.sum(axis=1), len(X))
        np.testing.assert_allclose(table.positive.sum(axis=1), positive.sum())

    def test_more_clusters_than_rows_or_more_features_than_rows_survive(self, spec):
        X, positive = small_table()
        rows = np.concatenate([np.flatnonzero(positive)[:3], np.flatnonzero(~positive)[:5]])
        table = self.make(X[rows], positive[rows], spec).cluster(np.ones((1, 12), dtype=bool), np.array([0]))
        assert table.size.sum() in (0, len(rows))

    def moved_rows(self, spec, n_masks=12, seed=0):
        """Return how many rows of each mask are in another cluster than with the reference engine."""
        X, positive = small_table(seed)
        masks, seeds = some_masks(n_masks, 12), np.arange(n_masks)
        ours = self.make(X, positive, spec).cluster(masks, seeds)
        return np.abs(ours.size - ReferenceEngine(X, positive, spec).cluster(masks, seeds).size).sum(axis=1) / 2

    def test_agrees_with_the_reference_engine(self, spec):
        moved = self.moved_rows(spec)
        assert np.mean(moved == 0) >= 0.75, moved  # a row on a border may fall to either side

    @pytest.mark.parametrize("kind", ["full", "diag", "spherical", "tied"])
    def test_every_covariance_type_agrees_with_the_reference_engine(self, kind):
        for changes in ({}, {"em_steps": 50}):
            moved = self.moved_rows(MixtureSpec(covariance_type=kind, **changes), 8, seed=3)
            assert np.median(moved) == 0, (changes, moved)
