"""The rows used with a seed and the rows its clusters start from, the same on every engine."""

from typing import NamedTuple

import numpy as np

from puselect.arrays import BoolArray, IntArray
from puselect.engines.mixture import MixtureSpec
from puselect.labels import draw_rows, rows_besides


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
        rng = np.random.Generator(np.random.PCG64([seed, 0, 1]))
        n_labelled = int(positive.sum())
        n_others = len(positive) - n_labelled
        n_taken = min(n_labelled, max(max_samples // 2, max_samples - n_others))
        taken = np.zeros(len(positive), dtype=bool)
        taken[draw_rows(positive, rng, max_labelled=n_taken, max_others=max_samples - n_taken)] = True
        rows = np.flatnonzero(taken)  # in order, and faster than sorting them
        positive, weight = positive[rows], n_others / (max_samples - n_taken)
    start = start_rows(positive, spec, seed) if spec.init == "rows" else np.empty(0, dtype=np.intp)
    return Sample(rows, positive, start, weight)


def start_rows(positive: BoolArray, spec: MixtureSpec, seed: int) -> IntArray:
    """Return the distinct rows that a seed starts from: one per cluster, or all rows if there are fewer.

    A share `labelled_start` of them is drawn from the labelled positives, the rest from all other rows: seeded
    clustering (Basu, Banerjee & Mooney, ICML 2002). A labelled row always ends up in the cluster it starts, which makes
    that cluster look better than it is; so at most a tenth of the labelled rows are used, and none if there are fewer
    than twenty.
    """
    rng = np.random.Generator(np.random.PCG64(seed))
    n_start, labelled = min(spec.n_clusters, len(positive)), np.flatnonzero(positive)
    n_spare = len(labelled) // 10 if len(labelled) >= 20 else 0
    n_labelled = min(round(spec.labelled_start * n_start), n_spare)
    seeds = rng.choice(labelled, n_labelled, replace=False)
    drawn = rng.choice(len(positive) - n_labelled, n_start - n_labelled, replace=False)
    return np.concatenate([seeds, rows_besides(np.sort(seeds), drawn)])
