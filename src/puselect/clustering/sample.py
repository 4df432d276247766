"""The rows used with a seed and the rows its clusters start from, the same on every engine."""

from typing import NamedTuple

import numpy as np

from puselect.arrays import BoolArray, IntArray
from puselect.clustering.mixture import MixtureSpec
from puselect.draws import Stream, distinct
from puselect.labels import rows_besides


class Sample(NamedTuple):
    """The rows used with one seed."""

    rows: IntArray | None
    """Which rows, in order; None for all of them."""
    positive: BoolArray
    """Which of these rows are labelled."""
    start: IntArray
    """Rows that clusters start from, as indices into `rows`; empty unless init="rows"."""
    weight: float
    """Rows of the whole table that each unlabelled row represents."""


def draw_sample(positive: BoolArray, spec: MixtureSpec, seed: int, max_samples: int | None) -> Sample:
    """Return all rows, or `max_samples` of them: the labelled ones, at most half of the sample, and random others.

    Where there are too few others, more labelled rows take their place. `max_samples` is below the number of rows.
    """
    rows, weight = None, 1.0
    if max_samples is not None:
        labelled = np.flatnonzero(positive)
        n_others = len(positive) - len(labelled)
        n_taken = min(len(labelled), max(max_samples // 2, max_samples - n_others))
        others = distinct(n_others, max_samples - n_taken, seed, Stream.SAMPLED_OTHERS)
        taken = np.zeros(len(positive), dtype=bool)
        taken[labelled[distinct(len(labelled), n_taken, seed, Stream.SAMPLED_LABELLED)]] = True
        taken[rows_besides(labelled, others)] = True
        rows = np.flatnonzero(taken)  # in order, and faster than sorting them
        positive, weight = positive[rows], n_others / (max_samples - n_taken)
    start = start_rows(len(positive), spec, seed) if spec.init == "rows" else np.empty(0, dtype=np.intp)
    return Sample(rows, positive, start, weight)


def start_rows(n_rows: int, spec: MixtureSpec, seed: int) -> IntArray:
    """Return the distinct rows that a seed starts from: one per cluster, or all rows if there are fewer."""
    return distinct(n_rows, min(spec.n_clusters, n_rows), seed, Stream.START_ROWS)
