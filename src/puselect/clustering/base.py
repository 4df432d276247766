"""The interface of the engines, masks in and counts per cluster out, and the rows they use with a seed."""

from typing import NamedTuple, Protocol, Self

import numpy as np

from puselect.arrays import AnyArray, BoolArray, Float32Array, FloatArray, IntArray
from puselect.clustering.mixture import Mixture, MixtureSpec
from puselect.draws import Stream, distinct
from puselect.labels import checked_weight, rows_besides

Labels = AnyArray
"""1 or True for labelled positives, 2 for rows that are likely positive, -1 for checked negatives, 0 for all others."""

AGREEMENT_STEPS = 64  # to which agreement is rounded


class ClusterTable(NamedTuple):
    """Counts per mask and cluster: the input of the objective."""

    size: FloatArray
    """Rows in each cluster, shape (n_masks, n_clusters)."""
    positive: FloatArray
    """Labelled positives in each cluster, shape (n_masks, n_clusters)."""
    degenerate: BoolArray
    """Masks whose clustering lost a cluster or needed more regularisation, shape (n_masks,)."""
    negative: FloatArray
    """Checked negatives in each cluster, shape (n_masks, n_clusters)."""
    likely: FloatArray
    """Rows of the sample that are likely positive in each cluster, shape (n_masks, n_clusters)."""

    @classmethod
    def empty(cls, n_masks: int, n_clusters: int) -> Self:
        """Return counts of zero, to be filled in; a mask without columns keeps them, which have the worst score."""
        size, positive, negative, likely = np.zeros((4, n_masks, n_clusters))
        return cls(size, positive, np.ones(n_masks, dtype=bool), negative, likely)

    @property
    def evident_size(self) -> FloatArray:
        """Rows in each cluster, to which checked negatives add those they stand for, shape (n_masks, n_clusters)."""
        if not self.negative.any():
            return self.size
        n_others, n_positive, n_negative = (
            counts.sum(axis=1, keepdims=True)
            for counts in (self.size - self.positive - self.negative, self.positive, self.negative)
        )
        stands_for = checked_weight(n_positive, n_negative) * n_others / np.maximum(n_negative, 1)
        return np.asarray(self.size + stands_for * self.negative)

    def evident_positive(self, agreement: FloatArray) -> FloatArray:
        """Return how much the rows of each cluster count as positive, up to a factor, shape (n_masks, n_clusters).

        All likely rows of a mask count ``agreement`` (n_masks,) times as much as its labelled rows. They are whole
        numbers, so that no rounding tells apart clusterings that are equally good.
        """
        n_positive, n_likely = (counts.sum(axis=1, keepdims=True) for counts in (self.positive, self.likely))
        of_positive, of_likely = AGREEMENT_STEPS * np.maximum(n_likely, 1), np.rint(AGREEMENT_STEPS * agreement)
        return np.asarray(of_positive * self.positive + of_likely[:, None] * n_positive * self.likely)


class FinalFit(NamedTuple):
    """Several clusterings of one mask."""

    table: ClusterTable
    """The counts that `Engine.cluster` gives for the same mask and seeds, one line per seed."""
    mixtures: tuple[Mixture, ...] | None
    """The mixtures counted in the first lines of `table`; None for an empty mask and for other clusterers."""


class Engine(Protocol):
    """Clusters the columns of a mask; bound once to a table and to one or more label vectors (see `Labels`).

    The table of a mask depends only on (mask, seed, data), never on the other masks of the batch, their order or
    the number of threads.
    """

    def cluster(self, masks: BoolArray, seeds: IntArray, targets: IntArray | None = None) -> ClusterTable:
        """Return the counts of each mask's clustering.

        Parameters
        ----------
        masks : ndarray of bool, shape (n_masks, n_features)
        seeds : ndarray of int, shape (n_masks,)
            Seed of the start of each clustering; masks with the same seed start from the same rows.
        targets : ndarray of int, shape (n_masks,), optional
            The label vector to count for each mask; by default the first.
        """

    def fit_final(
        self, mask: BoolArray, seeds: IntArray, target: int = 0, n_mixtures: int | None = None
    ) -> FinalFit:
        """Cluster one mask from several seeds; return the counts and the mixtures behind them.

        `target` is the label vector to count. To save memory, only the mixtures of the first `n_mixtures` seeds are
        returned; by default all.
        """


class Sample(NamedTuple):
    """The rows used with one seed."""

    rows: IntArray | None
    """Which rows, in order; None for all of them."""
    known: Labels
    """Labels of these rows."""
    start: IntArray
    """Rows that clusters start from, as indices into `rows`; empty for soft clusterings."""
    weight: float
    """Rows of the whole table that each unlabelled row represents."""
    checked_weight: float
    """Checked negatives of the whole table that each of these represents."""


def draw_sample(known: Labels, spec: MixtureSpec, seed: int, max_samples: int | None) -> Sample:
    """Return all rows, or `max_samples` of them: the labelled ones, at most half of the sample, and random others.

    Checked negatives are a quarter at most. Where there are too few others, more labelled rows take their place, then
    more checked negatives. `max_samples` is below the number of rows.
    """
    rows, weight, each_checked = None, 1.0, 1.0
    if max_samples is not None:
        labelled, checked = np.flatnonzero(known == 1), np.flatnonzero(known < 0)
        n_others = len(known) - len(labelled) - len(checked)
        n_checked = min(len(checked), max(max_samples // 4, max_samples - n_others - len(labelled)))
        n_left = max_samples - n_checked
        n_taken = min(len(labelled), max(n_left // 2, n_left - n_others))
        others = distinct(n_others, n_left - n_taken, seed, Stream.SAMPLED_OTHERS)
        taken = np.zeros(len(known), dtype=bool)
        taken[labelled[distinct(len(labelled), n_taken, seed, Stream.SAMPLED_LABELLED)]] = True
        taken[checked[distinct(len(checked), n_checked, seed, Stream.SAMPLED_CHECKED)]] = True
        taken[rows_besides(np.flatnonzero((known == 1) | (known < 0)), others)] = True
        rows = np.flatnonzero(taken)  # in order, and faster than sorting them
        known, weight, each_checked = known[rows], n_others / (n_left - n_taken), len(checked) / max(n_checked, 1)
    start = np.empty(0, dtype=np.intp) if spec.is_soft else start_rows(len(known), spec, seed)
    return Sample(rows, known, start, weight, each_checked)


def start_rows(n_rows: int, spec: MixtureSpec, seed: int) -> IntArray:
    """Return the distinct rows that a seed starts from: one per cluster, or all rows if there are fewer."""
    return distinct(n_rows, min(spec.n_clusters, n_rows), seed, Stream.START_ROWS)


def centred_lines(X: AnyArray) -> tuple[FloatArray, Float32Array]:
    """Return the means of the columns, and the table less these as float32, a line per feature."""
    centre = np.array([X[:, j].mean(dtype=np.float64) for j in range(X.shape[1])])
    Z = np.empty(X.shape[::-1], dtype=np.float32)
    for j in range(X.shape[1]):
        Z[j] = X[:, j] - centre[j]
    return centre, Z
