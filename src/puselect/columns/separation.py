"""Separation of held-out labelled rows from all others by the best columns."""

from collections.abc import Sequence
from itertools import chain
from typing import NamedTuple

import numpy as np
from scipy.stats import rankdata

from puselect.arrays import BoolArray, FloatArray, IntArray
from puselect.clustering.cpu.blas import one_blas_thread
from puselect.columns.evidence import linear_discriminant, rank_evidence
from puselect.columns.ranks import ColumnRanks
from puselect.row_groups import split_rows

N_FOLDS, N_REPEATS = 5, 4  # one division into folds leaves much of the curve to chance


class Separation(NamedTuple):
    """Where held-out labelled rows come among the unlabelled ones, for each number of columns."""

    places: FloatArray
    """Of each labelled row, from 0 to 1 for the row most like the other labelled ones, shape (n_sizes, n_labelled)."""

    @property
    def auc(self) -> FloatArray:
        """Area under the ROC curve of held-out labelled against unlabelled rows, shape (n_sizes,)."""
        return np.asarray(self.places.mean(axis=1))

    @property
    def error(self) -> FloatArray:
        """Standard error of that, over the labelled rows."""
        n_labelled = self.places.shape[1]
        return np.asarray(self.places.std(axis=1, ddof=1) / np.sqrt(n_labelled)) if n_labelled > 1 else np.ones(
            len(self.places)
        )

    @property
    def enough(self) -> int:
        """Index of the size from which on all are at most one standard error of the difference below the best.

        A single size that does well before others that do not, which happens with few labelled rows, is not enough.
        """
        best = int(self.auc.argmax())
        if self.places.shape[1] < 2:
            return best
        loss = self.places[best] - self.places[:best]
        error = loss.std(axis=1, ddof=1) / np.sqrt(self.places.shape[1])
        return int(np.flatnonzero(np.append(True, loss.mean(axis=1) > error))[-1])


@one_blas_thread
def heldout_separation(
    ranks: ColumnRanks,
    positive: BoolArray,
    sizes: Sequence[int],
    rng: np.random.Generator,
    row_groups: IntArray | None = None,
) -> Separation:
    """Hold out labelled rows in turn; rank the columns by evidence and fit a linear discriminant without them.

    `sizes` are the numbers of columns to use, the best ones. Rows of one of `row_groups` are held out together.
    """
    labelled_rows = np.flatnonzero(positive)
    own = None if row_groups is None else row_groups[labelled_rows]
    folds = [split_rows(np.arange(len(labelled_rows)), N_FOLDS, own, rng) for _ in range(N_REPEATS)]
    if len(folds[0]) < 2:
        return Separation(np.full((len(sizes), len(labelled_rows)), 0.5))
    places = np.zeros((len(sizes), len(labelled_rows)))
    for fold in chain(*folds):
        rest = positive.copy()
        rest[labelled_rows[fold]] = False
        z_scores = rank_evidence(ranks, rest, rng).z_scores
        order = np.lexsort((rng.random(len(z_scores)), -z_scores))
        scores = ranks.places(order[: max(sizes)])
        for i, size in enumerate(sizes):
            similarity = linear_discriminant(scores[:, :size], rest)
            places[i, fold] += _places(similarity[labelled_rows[fold]], similarity[~positive]) / N_REPEATS
    return Separation(places)


def _places(values: FloatArray, others: FloatArray) -> FloatArray:
    """Return the share of `others` below each of `values`, ties by half."""
    joint = rankdata(np.concatenate([values, others]))[: len(values)]
    return np.asarray((joint - rankdata(values)) / max(len(others), 1))
