"""A model that ranks rows by how likely they are positive: the selected columns one by one, and the clusters."""

from typing import NamedTuple, Self

import numpy as np
from sklearn.isotonic import IsotonicRegression
from sklearn.linear_model import LogisticRegression

from puselect.arrays import AnyArray, BoolArray, FloatArray, IntArray
from puselect.draws import Stream, generator
from puselect.fscpu.final_clusters import CHUNK, Candidates, Clusterings
from puselect.fscpu.prior import ClassPrior, best_ratio, class_prior
from puselect.fscpu.problem import Problem, some_rows, taken_rows
from puselect.sparse_table import SparseTable, as_dense

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
    def of(cls, table: FloatArray, labelled: BoolArray) -> Self:
        """Tell labelled from other rows."""
        n_columns = table.shape[1]
        n_bins = N_BINS if n_columns <= MOST_BINNED else 1
        edges = np.quantile(table, np.arange(1, n_bins) / n_bins, axis=0).T.reshape(n_columns, -1)
        spread = table.std(axis=0)
        spread[spread == 0] = 1
        bins = [np.eye(n_bins)[np.searchsorted(own, column)] for own, column in zip(edges, table.T, strict=True)]
        design = np.column_stack([(table - table.mean(axis=0)) / spread, *bins])
        weights = LogisticRegression(C=PENALTY, max_iter=500).fit(design, labelled).coef_[0]
        return cls(weights[:n_columns] / spread, edges, weights[n_columns:].reshape(n_columns, n_bins))

    def score(self, table: AnyArray) -> FloatArray:
        """Return the logit of each row but for a constant."""
        total = table @ self.slope
        for column, edges, steps in zip(table.T, self.edges, self.steps, strict=True):
            total += steps[np.searchsorted(edges, column)]
        return np.asarray(total)


class RowModel(NamedTuple):
    """What ranks rows, and how often those of a rank are positive."""

    clusterings: Clusterings
    columns: ColumnWeights
    cuts: FloatArray
    """Scores between the lifts, highest first, shape (n_lifts - 1,)."""
    lifts: FloatArray
    """How many times as often as an average unlabelled row such a row is positive, highest first."""
    prior: ClassPrior

    @classmethod
    def of(cls, clusterings: Clusterings, problem: Problem, support: BoolArray) -> Self:
        """Fit the model to the rows of a problem; labelled rows are held out in turn to see where they rank."""
        from puselect.clustering.cpu.blas import one_blas_thread  # compiled code is loaded only when it is used

        rng = generator(problem.entropy, Stream.PRIOR)
        rows = some_rows(problem, rng)
        table = np.asarray(as_dense(taken_rows(problem, rows)[:, support]), dtype=np.float64)
        known = problem.positive[rows]
        votes = cluster_logit(clusterings, clusterings._replace(scaling=None).place(table), known)
        with one_blas_thread:  # its results are to be the same for any number of threads
            folds = row_folds(known, None if problem.row_groups is None else problem.row_groups[rows], rng)
            places = heldout_places(table, known, votes, folds, rng)
            columns = ColumnWeights.of(*thinned(table, known, rng))
            score = columns.score(table) + votes
        n_others = int((~known).sum())
        ends, lifts = lift_steps(places)
        lifts = np.minimum(lifts, 1 / max(best_ratio(places, n_others), 1 / n_others))
        cuts = np.quantile(score[~known], 1 - ends)
        prior = class_prior(places, n_others, int((~problem.positive).sum()), rng)
        return cls(clusterings, columns, cuts, lifts, prior)

    def scores(self, table: AnyArray | SparseTable) -> FloatArray:
        """Return what rows are ranked by, shape (n_rows,); `table` has the selected columns as they came."""
        score = cluster_logit(self.clusterings, self.clusterings.place(table))
        for begin in range(0, len(table), CHUNK):
            part = slice(begin, begin + CHUNK)
            score[part] += self.columns.score(self.clusterings.scaled(as_dense(table[part])))
        return score

    def candidates(self, table: AnyArray | SparseTable, known: BoolArray | None = None) -> Candidates:
        """Return the likeliest positives, but for those known to be; see `FSCPU.candidate_positives`."""
        return self.likeliest(self.scores(table), known)

    def likeliest(self, score: FloatArray, known: BoolArray | None = None) -> Candidates:
        """Return the candidates among rows with these scores."""
        unknown = np.arange(len(score)) if known is None else np.flatnonzero(~known)
        lift = self.lifts[np.searchsorted(-self.cuts, -score[unknown], side="right")]
        by_chance = np.random.default_rng(0).permutation(len(unknown))  # where rows are the same
        order = np.lexsort((by_chance, -score[unknown]))
        n_found = int((lift >= max(1.0, self.lifts[0] / 2)).sum())
        share, interval = self.prior.share, self.prior.interval
        if interval is not None:
            n_found = min(n_found, int(np.ceil(interval[1] * len(unknown))))
        order = order[:n_found]
        confidence = None if share is None else np.minimum(share * lift[order], 1.0).round(4)
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


def heldout_places(
    table: FloatArray, known: BoolArray, votes: FloatArray, folds: IntArray, rng: np.random.Generator
) -> FloatArray:
    """Return the share of the unlabelled rows that score at least as high as each labelled row, all held out."""
    places = []
    for fold in range(N_FOLDS):
        held_out, rest = folds == fold, folds != fold
        if not known[held_out].any():
            continue
        kept = rest if 0 < known[rest].sum() < rest.sum() else np.ones(len(known), dtype=bool)
        columns = ColumnWeights.of(*thinned(table[kept], known[kept], rng))
        score = columns.score(table[held_out]) + votes[held_out]
        others = np.sort(score[~known[held_out]])
        places.append(1 - np.searchsorted(others, score[known[held_out]]) / max(len(others), 1))
    return np.concatenate(places)


def thinned(table: FloatArray, known: BoolArray, rng: np.random.Generator) -> tuple[FloatArray, BoolArray]:
    """Return the labelled rows and `MOST_OTHERS` others, and which of them are labelled."""
    others = np.flatnonzero(~known)
    if len(others) > MOST_OTHERS:
        others = rng.choice(others, MOST_OTHERS, replace=False)
    rows = np.concatenate([np.flatnonzero(known), others])
    return table[rows], known[rows]


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
