"""Evidence of single columns from all rows of a large table, wherever they are.

The values of a column, scaled to [0, 1], are put into bins that share their mean rank. Then everything that evidence
needs of all rows is a sum: rows in each bin, places of labelled rows among all others, scores of the rows found. Only
covariances, which need few rows, come from a sample.
"""

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple, Protocol

import numpy as np

from puselect.arrays import AnyArray, BoolArray, Float32Array, FloatArray, IntArray
from puselect.objective.column_ranks import LEPAGE, NORMAL, ColumnRanks, RankScores
from puselect.objective.evidence import (
    N_FOLDS,
    N_ROUNDS,
    Evidence,
    choose_judges,
    rows_to_find,
    shrunken_inverse,
    weighed,
    weights_without_each,
)

N_BINS = 1024
N_SCORE_BINS = 4096
COUNTED = 10_000  # unlabelled rows of a sample; see `as_of_sample`
WIDER = 3.0  # times the share of rows to be found, in which their threshold is looked for


class Summed(Protocol):
    """A scaled table whose rows are looked at where they are: `PartitionedTable` or `RowBlocks`."""

    def __len__(self) -> int: ...

    def __getitem__(self, rows: IntArray) -> AnyArray:
        """Bring some rows here."""
        ...

    def sums(self, function: Callable[..., Any], *arguments: Any, rows: IntArray | None = None) -> Any:
        """Return the sum of ``function(lines, *arguments)``, a line per column, with the part's own of `rows` last."""
        ...


class BinnedRanks(ColumnRanks):
    """What `ColumnRanks` is, for values in bins.

    Parameters
    ----------
    counts : ndarray of int, shape (n_features, N_BINS)
        Rows in each bin.
    scores : RankScores
    """

    def __init__(self, counts: IntArray, scores: RankScores) -> None:
        self.n_rows, self.n_features, self.scores = int(counts[0].sum()), len(counts), scores
        rank = np.clip(np.cumsum(counts, axis=1) - (counts - 1) / 2, 1, self.n_rows)
        self.by_bin = scores.location(rank - (self.n_rows + 1) / 2, self.n_rows)
        """First scores of the bins, shape (n_features, N_BINS)."""
        self.mean, self.variance = np.empty((2, 2, self.n_features))
        for i, score in enumerate((self.by_bin, scores.spread(self.by_bin))):
            self.mean[i], self.variance[i] = _moments(counts, score)
        normal = scores.normal(self.by_bin, self.n_rows)
        spread = scores.spread(normal)
        mean, variance = _moments(counts, spread)
        spread = (spread - mean[:, None]) / np.sqrt(np.where(variance > 0, variance, 1.0))[:, None]
        self.features = np.stack([normal, spread]).astype(np.float32)
        """What discriminants are made of, shape (2, n_features, N_BINS)."""
        self.feature_mean = np.stack([_moments(counts, part)[0] for part in (normal, spread)])

    def sums_of(self, bins: IntArray) -> FloatArray:
        """Return the sums of both scores over rows, given as bins of all columns, shape (2, n_features)."""
        location = np.stack([score[line] for score, line in zip(self.by_bin, bins, strict=True)])
        return np.stack([location.sum(axis=1), self.scores.spread(location).sum(axis=1)])

    def statistic_of(self, sums: FloatArray, m: int | IntArray) -> FloatArray:
        """Return the statistic of every column for sets of `m` rows with these sums of scores."""
        return self._statistic(sums / m, m, slice(None))

    def features_of(self, columns: IntArray, bins: IntArray) -> Float32Array:
        """Return the features of columns for rows, given as bins of all columns, shape (2 n_columns, n_rows)."""
        found = np.empty((2, len(columns), bins.shape[1]), dtype=np.float32)
        for i, column in enumerate(columns):
            for j in range(2):
                found[j, i] = self.features[j, column][bins[column]]
        return found.reshape(2 * len(columns), -1)


class Judges(NamedTuple):
    """Discriminants that score rows."""

    ranks: BinnedRanks
    columns: IntArray
    weights: Float32Array
    """Shape (2 n_columns, n_discriminants)."""

    @classmethod
    def of(cls, ranks: BinnedRanks, columns: IntArray, labelled: IntArray, others: IntArray) -> "Judges":
        """Fit them to labelled rows and a sample of others, given as bins: without each column, last with all."""
        inverse = shrunken_inverse(ranks.features_of(columns, others).T.astype(np.float64))
        mean = ranks.features_of(columns, labelled).mean(axis=1, dtype=np.float64)
        shift = mean - ranks.feature_mean[:, columns].ravel()
        return cls(ranks, columns, weights_without_each(inverse, shift).astype(np.float32))

    @staticmethod
    def last_of(judges: "Sequence[Judges]") -> "Judges":
        """Return the last discriminants of judges by the same scores, together."""
        columns = np.unique(np.concatenate([each.columns for each in judges]))
        weights = np.zeros((2, len(columns), len(judges)), dtype=np.float32)
        for i, each in enumerate(judges):
            weights[:, np.searchsorted(columns, each.columns), i] = each.weights[:, -1].reshape(2, -1)
        return Judges(judges[0].ranks, columns, weights.reshape(-1, len(judges)))

    def score(self, bins: IntArray) -> Float32Array:
        """Return the scores of rows, given as bins, by each discriminant, shape (n_discriminants, n_rows)."""
        return np.asarray(self.weights.T @ self.ranks.features_of(self.columns, bins))

    def score_others(self, bins: IntArray, labelled: IntArray) -> Float32Array:
        """Return the scores of rows, minus infinity for labelled ones."""
        score = self.score(bins)
        score[:, labelled] = -np.inf
        return score


def vast_evidence(
    table: Summed, positive: BoolArray, columns: IntArray, sample: IntArray, share: float, rng: np.random.Generator
) -> Evidence:
    """Return what columns of all rows say about the labels, with `Evidence.tails`; see `gather_evidence`.

    Parameters
    ----------
    table : Summed
        Scaled to [0, 1].
    positive : ndarray of bool, shape (n_rows,)
    columns : ndarray of int
    sample : ndarray of int
        All labelled rows, and some others.
    share : float
        Share of the features that are wanted.
    rng : numpy.random.Generator
        Breaks ties.
    """
    (counts,) = table.sums(count_bins, columns)
    here, is_labelled = bins_of(table[sample][:, columns].T), positive[sample]
    labelled, others = here[:, is_labelled], here[:, ~is_labelled]
    kinds = [BinnedRanks(counts, scores) for scores in (LEPAGE, NORMAL)]
    rows = np.flatnonzero(positive)
    above = _heldout_places(table, kinds, columns, rows, labelled, others, rng)
    n_unlabelled = len(table) - len(rows)
    n_found = [rows_to_find(each, n_unlabelled) for each in above]
    by_labels = [kind.statistic_of(kind.sums_of(labelled), len(rows)) for kind in kinds]
    cotrained = found = by_labels
    for _ in range(N_ROUNDS if min(n_found) else 0):
        judges = [
            Judges.of(kind, choose_judges(statistic, rng), labelled, others)
            for kind, statistic in zip(kinds, cotrained, strict=True)
        ]
        cotrained, found = _cotrained(table, judges, columns, rows, labelled, others, n_found)
    parts = zip(kinds, by_labels, cotrained, found, above, n_found, strict=True)
    by_ranks, tails = (
        as_of_sample(
            weighed(Evidence(own, both, 0.0, 0.0, n), alone, places, n_unlabelled, kind, share), len(rows), n_unlabelled
        )
        for kind, own, both, alone, places, n in parts
    )
    return by_ranks._replace(tails=tails)


def as_of_sample(evidence: Evidence, n_labelled: int, n_unlabelled: int) -> Evidence:
    """Return evidence whose co-trained part is as strong as that of a sample of `COUNTED` unlabelled rows.

    A statistic grows with the rows found, what is wrong with them does not shrink, and effects of features on clusters,
    which are judged on samples, would have no say against it.
    """
    n_there = max(n_labelled, evidence.n_found * COUNTED / n_unlabelled)  # rows that a sample would find
    share = (n_labelled + n_there) / (n_labelled + evidence.n_found)
    return evidence._replace(cotrained=evidence.cotrained * min(1.0, share))


def _heldout_places(
    table: Summed,
    kinds: Sequence[BinnedRanks],
    columns: IntArray,
    rows: IntArray,
    labelled: IntArray,
    others: IntArray,
    rng: np.random.Generator,
) -> list[FloatArray]:
    """Return, for each kind of scores, how many unlabelled rows look more like labelled ones than each of these does.

    As `puselect.objective.evidence.heldout_places`; one map over the table for all folds.
    """
    n_labelled = len(rows)
    if n_labelled < 2:
        return [np.empty(0) for _ in kinds]
    folds = np.array_split(rng.permutation(n_labelled), min(N_FOLDS, n_labelled))
    judges, places = [], []
    for kind in kinds:
        parts = [np.delete(labelled, fold, axis=1) for fold in folds]
        chosen = [choose_judges(kind.statistic_of(kind.sums_of(rest), rest.shape[1]), rng) for rest in parts]
        of_folds = [Judges.of(kind, own, rest, others) for own, rest in zip(chosen, parts, strict=True)]
        judges.append(Judges.last_of(of_folds))
        places.append([judges[-1].score(labelled[:, fold])[i] for i, fold in enumerate(folds)])
    below = table.sums(count_below, columns, judges, places, rows=rows)
    return [np.sort(len(table) - n_labelled - each / 2) for each in below]


def _cotrained(
    table: Summed,
    judges: Sequence[Judges],
    columns: IntArray,
    rows: IntArray,
    labelled: IntArray,
    others: IntArray,
    n_found: Sequence[int],
) -> tuple[list[FloatArray], list[FloatArray]]:
    """Return the statistics of every column for the labelled rows and those found, and for those found alone."""
    n_unlabelled = len(table) - len(rows)
    edges = [_edges(each, others, n / n_unlabelled) for each, n in zip(judges, n_found, strict=True)]
    counts = table.sums(count_scores, columns, judges, edges, rows=rows)
    least = [_thresholds(each, own, n) for each, own, n in zip(counts, edges, n_found, strict=True)]
    sums = table.sums(sum_found, columns, judges, least, rows=rows)
    both, alone = [], []
    for i, own in enumerate(judges):
        n, total, of_judges = sums[3 * i : 3 * i + 3]
        m = np.full(len(columns), n[-1])
        m[own.columns], total[:, own.columns] = n[:-1], of_judges
        alone.append(np.where(m > 0, own.ranks.statistic_of(total, np.maximum(m, 1)), 0.0))
        both.append(own.ranks.statistic_of(total + own.ranks.sums_of(labelled), m + len(rows)))
    return both, alone


def _edges(judges: Judges, others: IntArray, share: float) -> FloatArray:
    """Return where the bins of scores begin that hold the best `share` of the rows, (n_discriminants, N_SCORE_BINS)."""
    score = judges.score(others).astype(np.float64)
    low = np.quantile(score, max(0.0, 1 - WIDER * share - 10 / score.shape[1]), axis=1)
    part = judges.ranks.features[:, judges.columns].max(axis=2), judges.ranks.features[:, judges.columns].min(axis=2)
    high = np.maximum(*(judges.weights * each.ravel()[:, None] for each in part)).sum(axis=0)
    step = np.maximum(high - low, 1e-9) / N_SCORE_BINS
    return np.asarray(low[:, None] + np.arange(N_SCORE_BINS) * step[:, None])


def _thresholds(counts: IntArray, edges: FloatArray, n_found: int) -> FloatArray:
    """Return for each discriminant the edge with `n_found` rows above it, or the next lower one."""
    n_above = np.cumsum(counts[:, ::-1], axis=1)[:, ::-1]
    place = np.maximum((n_above >= n_found).sum(axis=1) - 1, 0)
    return np.asarray(edges[np.arange(len(edges)), place])


def bins_of(lines: Float32Array) -> IntArray:
    """Return the bins of values in [0, 1]."""
    return np.clip(lines * N_BINS, 0, N_BINS - 1).astype(np.int16)


def count_bins(lines: Float32Array, columns: IntArray) -> tuple[IntArray]:
    """Return the rows of a part in each bin of each column."""
    return (np.stack([np.bincount(line, minlength=N_BINS) for line in bins_of(lines[columns])]),)


def count_below(
    lines: Float32Array,
    columns: IntArray,
    judges: Sequence[Judges],
    places: Sequence[Sequence[Float32Array]],
    labelled: IntArray,
) -> tuple[IntArray, ...]:
    """Return, for each of `judges`, twice how many unlabelled rows of a part score below places; equal ones once.

    There are places for each discriminant; what is returned has the numbers of all of them, one after another.
    """
    bins, counts = bins_of(lines[columns]), []
    for each, own in zip(judges, places, strict=True):
        scores = np.sort(each.score_others(bins, labelled), axis=1)[:, len(labelled) :]
        both = [[np.searchsorted(scores[i], place, side) for side in ("left", "right")] for i, place in enumerate(own)]
        counts.append(np.concatenate([left + right for left, right in both]))
    return tuple(counts)


def count_scores(
    lines: Float32Array, columns: IntArray, judges: Sequence[Judges], edges: Sequence[FloatArray], labelled: IntArray
) -> tuple[IntArray, ...]:
    """Return, for each of `judges`, the unlabelled rows of a part in each bin of scores, but for those below all."""
    bins, counts = bins_of(lines[columns]), []
    for each, own in zip(judges, edges, strict=True):
        place = (each.score_others(bins, labelled) - own[:, :1]) / (own[:, 1:2] - own[:, :1])
        counts.append(np.stack([
            np.bincount(np.minimum(line[line >= 0].astype(np.intp), N_SCORE_BINS - 1), minlength=N_SCORE_BINS)
            for line in place
        ]))  # fmt: skip
    return tuple(counts)


def sum_found(
    lines: Float32Array, columns: IntArray, judges: Sequence[Judges], least: Sequence[FloatArray], labelled: IntArray
) -> tuple[Any, ...]:
    """Return how many unlabelled rows of a part each discriminant finds, and sums of their scores.

    For each of `judges` three arrays: the numbers of rows, the sums of all columns over the rows that the last
    discriminant finds, and those of each judge over the rows that the others find.
    """
    bins, sums = bins_of(lines[columns]), []
    for each, threshold in zip(judges, least, strict=True):
        is_found = each.score_others(bins, labelled) >= threshold[:, None]
        own = [
            each.ranks.by_bin[column, bins[column, found]]
            for column, found in zip(each.columns, is_found[:-1], strict=True)
        ]
        of_judges = [[location.sum(), each.ranks.scores.spread(location).sum()] for location in own]
        sums += [is_found.sum(axis=1), each.ranks.sums_of(bins[:, is_found[-1]]), np.array(of_judges).T]
    return tuple(sums)


def _moments(counts: IntArray, scores: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Return mean and variance over rows of the scores of bins."""
    n_rows = counts[0].sum()
    mean = (counts * scores).sum(axis=1) / n_rows
    return mean, (counts * (scores - mean[:, None]) ** 2).sum(axis=1) / (n_rows - 1)
