"""The rows used with a seed and the rows its clusters start from, the same on every engine."""

from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np

from puselect.arrays import BoolArray, FloatArray, IntArray
from puselect.engines.mixture import MixtureSpec, draw_start_rows
from puselect.labels import draw_rows
from puselect.seeding import seeded_generators, seeded_words

MANY_SEEDS = 256  # from which on loading compiled code pays


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
    for_start = np.random.Generator(np.random.PCG64(seed)) if spec.init == "rows" else None
    if max_samples is None:
        return Sample(None, positive, _start(positive, spec, for_start), 1.0)
    rng = np.random.Generator(np.random.PCG64([seed, 0, 1]))
    return _sample(positive, spec, rng, for_start, max_samples)


class Samples(NamedTuple):
    """The rows used with each of many seeds, as in `Sample`."""

    rows: IntArray | None
    """Shape (n_seeds, n_used)."""
    start: IntArray
    """Shape (n_seeds, n_clusters)."""
    weight: FloatArray
    """Shape (n_seeds,)."""


def draw_samples(
    positives: Sequence[BoolArray], spec: MixtureSpec, seeds: IntArray, max_samples: int | None
) -> Samples:
    """Return what `draw_sample` does for each of many seeds below 2^32, with init="rows"."""
    n_start = min(spec.n_clusters, max_samples or len(positives[0])) if len(seeds) else 0
    if max_samples is None and spec.labelled_start == 0 and len(seeds) >= MANY_SEEDS:
        return Samples(None, _compiled_starts(len(positives[0]), n_start, seeds), np.ones(len(seeds)))
    drawn = list(_draw_each(positives, spec, seeds, max_samples))
    start = np.array([sample.start for sample in drawn], dtype=np.intp).reshape(len(seeds), n_start)
    rows = None if max_samples is None else np.array([sample.rows for sample in drawn], dtype=np.intp)
    return Samples(rows, start, np.array([sample.weight for sample in drawn]))


def _compiled_starts(n_rows: int, n_start: int, seeds: IntArray) -> IntArray:
    """Return the rows that clusters start from with each seed, of which none needs to be labelled."""
    from puselect.engines.start_kernel import draw_distinct  # compiled code is loaded only when it is used

    start = np.empty((len(seeds), n_start), dtype=np.int64)
    draw_distinct(seeded_words(seeds[:, None].astype(np.uint32)), n_rows, start)
    return start


def _draw_each(
    positives: Sequence[BoolArray], spec: MixtureSpec, seeds: IntArray, max_samples: int | None
) -> Iterator[Sample]:
    """Yield the samples of all seeds, whose generators are set up together."""
    for_starts = seeded_generators(seeds[:, None].astype(np.uint32))
    if max_samples is None:
        for positive, for_start in zip(positives, for_starts, strict=True):
            yield Sample(None, positive, _start(positive, spec, for_start), 1.0)
        return
    words = np.stack([seeds, np.zeros_like(seeds), np.ones_like(seeds)], axis=1)
    generators = seeded_generators(words.astype(np.uint32))
    for positive, rng, for_start in zip(positives, generators, for_starts, strict=True):
        yield _sample(positive, spec, rng, for_start, max_samples)


def _sample(
    positive: BoolArray,
    spec: MixtureSpec,
    rng: np.random.Generator,
    for_start: np.random.Generator | None,
    max_samples: int,
) -> Sample:
    n_labelled = int(positive.sum())
    n_others = len(positive) - n_labelled
    n_taken = min(n_labelled, max(max_samples // 2, max_samples - n_others))
    taken = np.zeros(len(positive), dtype=bool)
    taken[draw_rows(positive, rng, max_labelled=n_taken, max_others=max_samples - n_taken)] = True
    rows = np.flatnonzero(taken)  # in order, and faster than sorting them
    weight = n_others / (max_samples - n_taken)
    return Sample(rows, positive[rows], _start(positive[rows], spec, for_start), weight)


def _start(positive: BoolArray, spec: MixtureSpec, rng: np.random.Generator | None) -> IntArray:
    return np.empty(0, dtype=np.intp) if rng is None else draw_start_rows(positive, spec, rng)
