"""The rows used with a seed and the rows its clusters start from, the same on every engine."""

from typing import NamedTuple

import numpy as np

from puselect.arrays import BoolArray, IntArray
from puselect.engines.mixture import MixtureSpec, start_rows
from puselect.labels import draw_rows


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


def draw_sample(positive: BoolArray, spec: MixtureSpec, seed: int, target: int, max_samples: int | None) -> Sample:
    """Return all rows, or `max_samples` of them: the labelled ones, at most half of the sample, and random others.

    Where there are too few others, more labelled rows take their place. `max_samples` is below the number of rows.
    """
    if max_samples is None:
        return Sample(None, positive, start(positive, spec, seed), 1.0)
    rng = np.random.Generator(np.random.PCG64([seed, target, 1]))
    n_labelled = int(positive.sum())
    n_others = len(positive) - n_labelled
    n_taken = min(n_labelled, max(max_samples // 2, max_samples - n_others))
    rows = np.sort(draw_rows(positive, rng, max_labelled=n_taken, max_others=max_samples - n_taken))
    weight = n_others / (max_samples - n_taken)
    return Sample(rows, positive[rows], start(positive[rows], spec, seed), weight)


def start(positive: BoolArray, spec: MixtureSpec, seed: int) -> IntArray:
    """Return the start rows of a seed; none unless init="rows"."""
    return start_rows(positive, spec, seed) if spec.init == "rows" else np.empty(0, dtype=np.intp)
