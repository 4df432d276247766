"""A model that ranks rows by how likely they are positive, and the share of positives among the unlabelled rows."""

from dataclasses import dataclass
from enum import StrEnum
from functools import cached_property
from typing import Any, NamedTuple, Self

import numpy as np
from scipy.sparse import issparse
from sklearn.isotonic import IsotonicRegression
from sklearn.linear_model import LogisticRegression

from puselect.arrays import AnyArray, BoolArray, FloatArray, IntArray
from puselect.clustering.base import Labels
from puselect.clustering.cpu.blas import one_blas_thread
from puselect.draws import Stream, generator
from puselect.fscpu.final_clusters import CHUNK, Candidates, Clusterings
from puselect.fscpu.problem import Problem
from puselect.labels import checked_weight
from puselect.sparse_table import SparseTable, as_dense

FEWEST_LABELS, FEWEST_HIDDEN = 20, 10  # labelled rows; unlabelled ones that the estimate rests on
LEAST_SEPARATION = 0.83  # corrected AUC; docs/internals/trust.md has the figures of these constants
PURITY, LEAST_PURITY, MOST_PURITY = 0.8, 0.43, 1.29  # the share of positives over the best ratio: usual, ends
LEAST_DISTINCT = 0.15  # share of different scores among the rows that the best ratio counts
MOST_SURE = 0.95  # no confidence is higher
LEAST_GAP, WIDEST = 0.3, 0.3  # with checked negatives: difference of mean places, width of the interval
N_BOOTSTRAP = 200
TAILS = (0.025, 0.975)
RULE_OF_THREE = 3.0  # none of n unlabelled rows: at most 3 / n, with 95 %


class PriorCode(StrEnum):
    """Whether the share can be told."""

    ESTIMATED = "estimated"
    TOO_FEW_LABELS = "too_few_labels"
    TOO_FEW_ROWS = "too_few_rows"
    """Hardly any unlabelled row scores as high as the labelled ones."""
    NOT_SEPARATED = "not_separated"
    """Positives overlap too much with other rows, or too many rows are the same."""


UNTOLD = {
    PriorCode.TOO_FEW_LABELS: f"fewer than {FEWEST_LABELS} are known",
    PriorCode.TOO_FEW_ROWS: "hardly any other row is like them",
    PriorCode.NOT_SEPARATED: "they are not set apart from the other rows",
}


@dataclass(frozen=True)
class ClassPrior:
    """The share of positives among the unlabelled rows."""

    code: str
    """A `PriorCode`; without an estimate the next three are None."""
    share: float | None = None
    interval: tuple[float, ...] | None = None
    n_hidden: int | None = None
    """Unlabelled positives."""

    def __str__(self) -> str:
        if self.share is None or self.interval is None:
            return f"How many positives there are cannot be told from these labels: {UNTOLD[PriorCode(self.code)]}."
        low, high = self.interval
        return f"About {self.share:.1%} of the unlabelled rows are positive ({low:.1%} to {high:.1%})."


def class_prior(places: FloatArray, scores: FloatArray, n_unlabelled: int) -> ClassPrior:
    """Return the share of positives among the unlabelled rows, with an interval, if it can be told.

    Above any score, divide the share of unlabelled rows by the share of held-out positives. The smallest such ratio is
    the share of positives if all rows above that score are positive (the best bin of S. Garg, Y. Wu, A. Smola,
    S. Balakrishnan and Z. Lipton, "Mixture Proportion Estimation and PU Learning: A Modern Approach", NeurIPS 2021).
    They rarely are, and few labels make the ratio inexact: on real tables with 5 % of the positives known, the share
    was about `PURITY` times the ratio, and from `LEAST_PURITY` to `MOST_PURITY` times it in nine of ten cases. Where
    most of these rows have the same few values, as in a table of codes, nothing shows whether they are a mixture.
    `places` are the shares of the unlabelled rows, which have these `scores`, that score at least as high as
    each held-out positive.
    """
    if len(places) < FEWEST_LABELS:
        return ClassPrior(PriorCode.TOO_FEW_LABELS.value)
    n_others = len(scores)
    best = best_ratio(places, n_others)
    if best * n_others < FEWEST_HIDDEN:
        return ClassPrior(PriorCode.TOO_FEW_ROWS.value)
    share, low, high = PURITY * best, LEAST_PURITY * best, min(1.0, MOST_PURITY * best)
    top = np.sort(scores)[-int(best * n_others) :].round(9)  # equal rows may differ in the last digits
    is_blurred = len(np.unique(top)) < LEAST_DISTINCT * len(top)
    if is_blurred or corrected_auc(1 - float(places.mean()), low) < LEAST_SEPARATION:
        return ClassPrior(PriorCode.NOT_SEPARATED.value)
    return ClassPrior(PriorCode.ESTIMATED.value, share, (low, high), round(share * n_unlabelled))


def checked_prior(places: "Places", n_unlabelled: int, rng: np.random.Generator) -> ClassPrior:
    """Return the share of positives among the unlabelled rows from where checked negatives rank, if it can be told.

    Unlabelled rows are a mixture of both classes, and so is their mean place among themselves.
    """
    labelled, checked = places.labelled, places.checked
    if min(len(labelled), len(checked)) < FEWEST_LABELS:
        return ClassPrior(PriorCode.TOO_FEW_LABELS.value)
    if checked.mean() - labelled.mean() < LEAST_GAP:
        return ClassPrior(PriorCode.NOT_SEPARATED.value)
    drawn = [(rng.choice(labelled, len(labelled)), rng.choice(checked, len(checked))) for _ in range(N_BOOTSTRAP)]
    low, high = np.quantile([_mixed_share(*each, places.middle) for each in drawn], TAILS)
    if high - low > WIDEST:
        return ClassPrior(PriorCode.NOT_SEPARATED.value)
    share = _mixed_share(labelled, checked, places.middle)
    return ClassPrior(PriorCode.ESTIMATED.value, share, (float(low), float(high)), round(share * n_unlabelled))


def _mixed_share(labelled: FloatArray, checked: FloatArray, middle: float) -> float:
    """Return the share of the first in a mixture of both with this mean."""
    return float(np.clip((checked.mean() - middle) / max(checked.mean() - labelled.mean(), 1e-9), 0, 1))


def best_ratio(places: FloatArray, n_others: int) -> float:
    """Return the smallest share of unlabelled rows per share of held-out positives above a score, at most 1.

    Examples
    --------
    >>> best_ratio(np.linspace(0, 0.2, 101), 1000)  # positives are spread evenly over the best fifth
    0.2
    """
    above = np.sort(places)
    found = np.arange(1, len(above) + 1) / len(above)
    error = np.sqrt(found * (1 - found) / len(above)) + 1 / len(above)
    best = int(np.argmin((above + error + RULE_OF_THREE / n_others) / found))
    return float(round(min(above[best] / found[best] + 0.0, 1.0), 6))


def corrected_auc(auc: float, share: float) -> float:
    """Return the AUC of positives against negatives from that of labelled against unlabelled rows.

    A `share` of the unlabelled rows is positive, and is separated from labelled rows no better than by a coin:
    auc = share / 2 + (1 - share) * corrected.

    Examples
    --------
    >>> round(corrected_auc(0.82, 0.2), 3)
    0.9
    """
    return min(1.0, (auc - share / 2) / (1 - share)) if share < 1 else 1.0


N_BINS, MOST_BINNED = 8, 40  # of a column; selected columns up to which they are used
PENALTY = 0.03  # C of the logistic regression: the best of 0.03, 0.1 and 0.3 on 17 real tables
MOST_OTHERS = 3000  # unlabelled rows that the columns are weighed on
N_FOLDS = 5


class ColumnWeights(NamedTuple):
    """A logistic regression on columns and on their bins, without its intercept."""

    slope: FloatArray
    """Of each column, shape (n_selected,)."""
    edges: FloatArray
    """Between the bins of each column, shape (n_selected, n_bins - 1)."""
    steps: FloatArray
    """Of each bin, shape (n_selected, n_bins)."""

    @classmethod
    def of(cls, table: FloatArray, labelled: BoolArray, weights: FloatArray | None = None) -> Self:
        """Tell labelled from other rows."""
        n_columns = table.shape[1]
        n_bins = N_BINS if n_columns <= MOST_BINNED else 1
        edges = np.quantile(table, np.arange(1, n_bins) / n_bins, axis=0).T.reshape(n_columns, -1)
        spread = table.std(axis=0)
        spread[spread == 0] = 1
        bins = [np.eye(n_bins)[np.searchsorted(own, column)] for own, column in zip(edges, table.T, strict=True)]
        design = np.column_stack([(table - table.mean(axis=0)) / spread, *bins])
        weights = LogisticRegression(C=PENALTY, max_iter=500).fit(design, labelled, weights).coef_[0]
        return cls(weights[:n_columns] / spread, edges, weights[n_columns:].reshape(n_columns, n_bins))

    def score(self, table: AnyArray) -> FloatArray:
        """Return the logit of each row up to a constant."""
        total = table @ self.slope
        for column, edges, steps in zip(table.T, self.edges, self.steps, strict=True):
            total += steps[np.searchsorted(edges, column)]
        return np.asarray(total)


@dataclass(frozen=True)
class ModelRows:
    """The rows that a `RowModel` is fitted to when it is first used. Copies and files have that model instead."""

    clusterings: Clusterings
    values: Any
    """Of the selected columns as they came; an array or a sparse matrix."""
    labels: Labels
    """True or 1 for labelled positives, -1 for checked negatives."""
    row_groups: IntArray | None
    n_unlabelled: int
    """In the whole table."""
    entropy: int

    @classmethod
    def of(cls, clusterings: Clusterings | None, problem: Problem, support: BoolArray) -> Self | None:
        """Take the sampled rows of a problem; None without clusterings that can place rows."""
        sample, labels = problem.row_sample, problem.known
        if clusterings is None or sample is None:
            return None
        values = sample.values[:, np.flatnonzero(support)]
        groups = None if problem.row_groups is None else problem.row_groups[sample.rows]
        return cls(clusterings, values, labels[sample.rows], groups, int((labels == 0).sum()), problem.entropy)

    @cached_property
    def model(self) -> "RowModel":
        """The model, fitted on first use."""
        return RowModel.of(self)

    def __reduce__(self) -> tuple[object, ...]:
        return RowModel, tuple(self.model)


class RowModel(NamedTuple):
    """A ranking of rows, and how often those of a rank are positive."""

    clusterings: Clusterings
    columns: ColumnWeights
    cuts: FloatArray
    """Scores between the lifts, highest first, shape (n_lifts - 1,)."""
    lifts: FloatArray
    """How many times as often as an average unlabelled row such a row is positive, highest first."""
    prior: ClassPrior

    @classmethod
    @one_blas_thread  # its results are to be the same for any number of threads
    def of(cls, rows: ModelRows) -> Self:
        """Fit the model; labelled rows are held out in turn to see where they rank."""
        rng, clusterings, values = generator(rows.entropy, Stream.PRIOR), rows.clusterings, rows.values
        columns = np.asarray(values.toarray() if issparse(values) else values, dtype=np.float64)
        table = clusterings.scaled(columns)
        known, others = rows.labels > 0, rows.labels == 0
        votes = cluster_logit(clusterings, clusterings.place(columns), known)
        folds = row_folds(known, rows.row_groups, rng)
        found = heldout_places(table, known, others, votes, folds, rng)
        weights = ColumnWeights.of(*thinned(table, known, others, rng))
        score = weights.score(table) + votes
        places, n_others = found.labelled, int(others.sum())
        ends, lifts = lift_steps(places)
        lifts = np.minimum(lifts, MOST_SURE / (PURITY * max(best_ratio(places, n_others), 1 / n_others)))
        cuts = np.quantile(score[others], 1 - ends)
        prior = checked_prior(found, rows.n_unlabelled, rng)
        if prior.code == PriorCode.TOO_FEW_LABELS:
            prior = class_prior(places, score[others], rows.n_unlabelled)
        return cls(clusterings, weights, cuts, lifts, prior)

    def scores(self, table: AnyArray | SparseTable) -> FloatArray:
        """Return the scores of rows, shape (n_rows,); `table` has the selected columns as they came."""
        score = cluster_logit(self.clusterings, self.clusterings.place(table))
        for begin in range(0, len(table), CHUNK):
            part = slice(begin, begin + CHUNK)
            score[part] += self.columns.score(self.clusterings.scaled(as_dense(table[part])))
        return score

    def candidates(self, table: AnyArray | SparseTable, known: BoolArray | None = None) -> Candidates:
        """Return the likeliest positives among the rows not known to be; see `FSCPU.candidate_positives`."""
        return self.likeliest(self.scores(table), known)

    def likeliest(self, score: FloatArray, known: BoolArray | None = None) -> Candidates:
        """Return the candidates among rows with these scores."""
        ranked = self._ranked(score, known)
        n_found = int((ranked.lift >= max(1.0, self.lifts[0] / 2)).sum())
        if self.prior.interval is not None:
            n_found = min(n_found, int(np.ceil(self.prior.interval[1] * len(ranked.rows))))
        return ranked.taken(slice(n_found))

    def to_ask(self, score: FloatArray, known: BoolArray, n: int) -> Candidates:
        """Return `n` rows without a label, evenly from the most to the least likely."""
        ranked = self._ranked(score, known)
        return ranked.taken(((np.arange(n) + 0.5) * len(ranked.rows) / n).astype(np.intp))

    def _ranked(self, score: FloatArray, known: BoolArray | None) -> Candidates:
        """Return all rows that are not known, the most likely ones first."""
        unknown = np.arange(len(score)) if known is None else np.flatnonzero(~known)
        lift = self.lifts[np.searchsorted(-self.cuts, -score[unknown], side="right")]
        by_chance = np.random.default_rng(0).permutation(len(unknown))  # where rows are the same
        order = np.lexsort((by_chance, -score[unknown]))
        share = self.prior.share
        confidence = None if share is None else np.minimum(share * lift[order], MOST_SURE).round(4)
        return Candidates(unknown[order], lift[order].round(3), confidence)


def cluster_logit(clusterings: Clusterings, place: IntArray, known: BoolArray | None = None) -> FloatArray:
    """Return the logit of the share of labelled rows in the clusters of each row, which does not count itself."""
    number, own = np.arange(place.shape[1]), 0 if known is None else known[:, None]
    rate = clusterings.labelled.sum(axis=1) / clusterings.size.sum(axis=1)
    labelled = np.maximum(clusterings.labelled[number, place] - own, 0)
    size = np.maximum(clusterings.size[number, place] - own, labelled)
    share = np.clip(((labelled + rate / 2) / (size + 0.5)).mean(axis=1), 1e-5, 1 - 1e-5)
    return np.asarray(np.log(share / (1 - share)))


def row_folds(known: BoolArray, groups: IntArray | None, rng: np.random.Generator) -> IntArray:
    """Return the fold of each row: labelled rows are spread evenly, groups of rows stay whole."""
    units = np.arange(len(known)) if groups is None else np.unique(groups, return_inverse=True)[1]
    is_known = np.bincount(units, known) > 0
    order = np.lexsort((rng.random(len(is_known)), ~is_known))
    fold = np.empty(len(order), dtype=np.intp)
    fold[order] = np.arange(len(order)) % N_FOLDS
    return np.asarray(fold[units])


class Places(NamedTuple):
    """Shares of the unlabelled rows that score at least as high, all of them held out."""

    labelled: FloatArray
    """As each labelled row."""
    checked: FloatArray
    """As each checked negative."""
    middle: float
    """As an unlabelled row, on average: one half but for ties."""


def heldout_places(
    table: FloatArray, known: BoolArray, unlabelled: BoolArray, votes: FloatArray, folds: IntArray,
    rng: np.random.Generator,
) -> Places:
    """Return where rows rank among the unlabelled ones of their fold, by a model of the other folds."""
    parts: list[list[FloatArray]] = []
    for fold in range(N_FOLDS):
        held_out, rest = folds == fold, folds != fold
        if not known[held_out].any():
            continue
        kept = rest if 0 < known[rest].sum() < rest.sum() else np.ones(len(known), dtype=bool)
        columns = ColumnWeights.of(*thinned(table[kept], known[kept], unlabelled[kept], rng))
        score = columns.score(table[held_out]) + votes[held_out]
        others = np.sort(score[unlabelled[held_out]])
        kinds = known[held_out], ~(known | unlabelled)[held_out], unlabelled[held_out]
        parts.append([1 - np.searchsorted(others, score[kind]) / max(len(others), 1) for kind in kinds])
    labelled, checked, own = (np.concatenate(each) for each in zip(*parts, strict=True))
    return Places(labelled, checked, float(own.mean()) if len(own) else 0.5)


def thinned(
    table: FloatArray, known: BoolArray, unlabelled: BoolArray, rng: np.random.Generator
) -> tuple[FloatArray, BoolArray, FloatArray | None]:
    """Return labelled rows, `MOST_OTHERS` unlabelled ones and all checked negatives; which are labelled; weights."""
    others = np.flatnonzero(unlabelled)
    if len(others) > MOST_OTHERS:
        others = rng.choice(others, MOST_OTHERS, replace=False)
    labelled, checked = np.flatnonzero(known), np.flatnonzero(~(known | unlabelled))
    rows = np.concatenate([labelled, others, checked])
    if not len(checked):
        return table[rows], known[rows], None
    each = checked_weight(len(labelled), len(checked)) * len(others) / len(checked)
    return table[rows], known[rows], np.concatenate([np.ones(len(rows) - len(checked)), np.full(len(checked), each)])


def lift_steps(places: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Return the density of places in 0 to 1 as steps that fall (Grenander): the ends of all but the last, and heights.

    Examples
    --------
    >>> ends, lifts = lift_steps(np.array([0.05, 0.1, 0.9]))
    >>> ends.tolist(), lifts.round(2).tolist()
    ([0.1], [5.0, 0.56])
    """
    ends, number = np.unique(np.append(places, 1.0), return_counts=True)
    found = np.cumsum(number) / (len(places) + 1)
    ends, found = np.insert(ends, 0, 0.0), np.insert(found, 0, 0.0)
    if ends[1] == 0:  # rows above all others
        ends, found = ends[1:], np.append(0.0, found[2:])
    width = np.diff(ends)
    falling = IsotonicRegression(increasing=False).fit_transform(ends[1:], np.diff(found) / width, sample_weight=width)
    starts = np.flatnonzero(np.diff(falling)) + 1
    return ends[starts], falling[np.insert(starts, 0, 0)]
