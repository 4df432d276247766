"""Spread of labels: rates of labelled rows compared between the clusters of positives."""

from dataclasses import dataclass
from enum import StrEnum
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike
from scipy.sparse.csgraph import connected_components
from scipy.special import xlogy
from sklearn.cluster import KMeans

from puselect.arrays import AnyArray, BoolArray, FloatArray, IntArray
from puselect.columns.evidence import rank_evidence
from puselect.columns.ranks import column_ranks
from puselect.draws import Stream, generator
from puselect.fscpu.problem import some_rows
from puselect.fscpu.selector import FSCPU
from puselect.fscpu.settings import Settings
from puselect.labels import draw_rows
from puselect.scaling import fit_scaling
from puselect.selectors.base import RandomSeed
from puselect.sparse_table import as_dense

N_CLUSTERS, FEWEST_ROWS, N_STARTS = 20, 100, 2
MOST_ROWS = 5000  # unlabelled ones
FEWEST_LABELS = 10
FEWEST_IN_CLUSTER, LEAST_SHARE = 2, 0.025  # of the labelled rows: fewer may be strays among negatives
N_DRAWS = 199
MIXED = 0.05  # p-value below which the labelled rows of a cluster differ from its others
UNEVEN, MANY_TIMES = 0.01, 2.0  # p-value and ratio of label rates from which they are called uneven
SLICE, GAP = 0.1, 0.5  # of the distance between two centres; of the rows around the centre that has fewer
WIDEST = 32


class SpreadCode(StrEnum):
    """How the labels are spread over the clusters of positives."""

    EVEN = "even"
    UNEVEN = "uneven"
    """Some clusters are labelled at a clearly lower rate."""
    ONE_CLUSTER = "one_cluster"
    """Fewer than two clusters can be compared."""
    TOO_FEW_LABELS = "too_few_labels"


@dataclass(frozen=True)
class LabelSpread:
    """How the rate of labels compares between clusters that hold labelled rows."""

    code: str
    """A `SpreadCode`."""
    p_value: float
    """Of the hypothesis that all these clusters are labelled at one rate."""
    ratio: float
    """Rate of labels in the clusters with many of them over that in the others."""
    n_clusters: int
    """Clusters that were compared."""
    n_labelled: int
    """Labelled rows in them."""
    n_rare: int
    """Labelled rows in those with few labels."""

    def __str__(self) -> str:
        if self.code == SpreadCode.UNEVEN:
            return (
                f"Labels are uneven over the clusters of positives (p = {self.p_value:.2g}): {self.n_rare} of "
                f"{self.n_labelled} known positives are in clusters where labels are {self.ratio:.1f} times as rare. "
                "Either that kind of positives is labelled less often, or only some of these rows are positive. "
                "Label some of them."
            )
        if self.code == SpreadCode.EVEN:
            return f"Labels are even over the {self.n_clusters} clusters that hold them (p = {self.p_value:.2g})."
        if self.code == SpreadCode.ONE_CLUSTER:
            return "The known positives are of one kind here: whether there are others, labels cannot show."
        return f"Fewer than {FEWEST_LABELS} labelled rows cannot show whether labels come from all kinds of positives."


def check_label_spread(
    X: ArrayLike, y: ArrayLike, k: int | None = None, *, pos_label: object = 1, random_state: RandomSeed = 0
) -> LabelSpread:
    """Check whether labels come from all kinds of positives alike.

    The rows are clustered on the features with most evidence. If labels are missing at random, the share of labelled
    rows is the same in every cluster that consists of positives. Clusters whose labelled rows differ from their other
    rows are mixed, and left out. A lower share of labels in the rest means that this kind of positives is labelled
    less often, or that it is found among negatives, too; labels alone cannot show which. A kind of positives without
    any label is not seen.

    Parameters
    ----------
    X : array-like of shape (n_rows, n_features)
        Finite numbers. Of more than 5,000 unlabelled rows a sample is used.
    y : array-like of shape (n_rows,)
        `pos_label` marks labelled positives, anything else unlabelled rows.
    k : int, optional
        How many features to cluster; by default half of them, at most 32.
    pos_label : object, default=1
    random_state : int, RandomState or None, default=0

    Examples
    --------
    >>> from puselect.datasets import make_pu_clusters
    >>> X, y, _ = make_pu_clusters("40/3/2", label_bias=9, random_state=0)
    >>> check_label_spread(X, y).code
    'uneven'
    """
    selector = FSCPU(k, pos_label=pos_label, random_state=random_state)
    problem = selector._problem(Settings.of(selector.get_params(deep=False)), X, y)
    rng = generator(problem.entropy, Stream.SPREAD)
    rows, columns = some_rows(problem, rng), problem.budget.columns
    table, positive = problem.table[rows][:, columns], problem.positive[rows]
    strength = rank_evidence(column_ranks(table), positive, rng).z_scores
    n_best = min(WIDEST, round(problem.budget.limit)) if k is None else min(k, len(columns))
    best = np.argsort(-strength, kind="stable")[:n_best]
    return label_spread(np.asarray(as_dense(table[:, best])), positive, rng)


def label_spread(table: AnyArray, positive: BoolArray, rng: np.random.Generator) -> LabelSpread:
    """Compare the rate of labels between the clusters of some columns."""
    n_labelled = int(positive.sum())
    if n_labelled < FEWEST_LABELS:
        return LabelSpread(SpreadCode.TOO_FEW_LABELS.value, 1.0, 1.0, 0, n_labelled, 0)
    rows = np.sort(draw_rows(positive, rng, max_others=MOST_ROWS))
    scaled = fit_scaling("auto", table[rows]).scale(table[rows])
    pure = pure_clusters(scaled, positive[rows], rng)
    if len(pure.size) < 2:
        return LabelSpread(SpreadCode.ONE_CLUSTER.value, 1.0, 1.0, len(pure.size), int(pure.labelled.sum()), 0)
    p_value = even_p_value(pure, rng)
    ratio, n_rare = best_split(pure)
    code = SpreadCode.UNEVEN if p_value <= UNEVEN and ratio >= MANY_TIMES else SpreadCode.EVEN
    return LabelSpread(code.value, p_value, ratio, len(pure.size), int(pure.labelled.sum()), n_rare)


class Counts(NamedTuple):
    """Rows and labelled rows of some clusters."""

    size: IntArray
    labelled: IntArray


def pure_clusters(table: AnyArray, positive: BoolArray, rng: np.random.Generator) -> Counts:
    """Return the clusters whose labelled rows are like their other rows."""
    place = separate_clusters(table, int(rng.integers(2**31 - 1)))
    members = [np.flatnonzero(place == cluster) for cluster in np.unique(place)]
    fewest = max(FEWEST_IN_CLUSTER, LEAST_SHARE * positive.sum())
    held = [rows for rows in members if positive[rows].sum() >= fewest]
    pure = [rows for rows in held if mixed_p_value(table[rows], positive[rows], rng) > MIXED]
    return Counts(np.array([len(rows) for rows in pure]), np.array([positive[rows].sum() for rows in pure]))


def n_different(table: AnyArray) -> int:
    """Return how many rows differ; np.unique compares them in a way that turns a Ctrl-C into a TypeError."""
    return len({row.tobytes() for row in table + 0.0})  # -0.0 is 0.0


def separate_clusters(table: AnyArray, seed: int) -> IntArray:
    """Return the cluster of each row: those of k-means, joined unless there are few rows between them.

    A piece of a cluster of positives that reaches into the negatives would have fewer labels than the rest.
    """
    n_clusters = min(max(2, min(N_CLUSTERS, len(table) // FEWEST_ROWS)), n_different(table))
    found = KMeans(n_clusters, n_init=N_STARTS, random_state=seed).fit(table)
    place, centres = found.labels_, found.cluster_centers_
    joined = np.zeros((n_clusters, n_clusters), dtype=bool)
    for i in range(n_clusters):
        for j in range(i):
            rows = table[(place == i) | (place == j)]
            joined[i, j] = not is_gap_between(rows, centres[i], centres[j])
    return np.asarray(connected_components(joined, directed=False)[1][place])


def is_gap_between(rows: AnyArray, first: FloatArray, second: FloatArray) -> bool:
    """Return whether few rows lie halfway between two centres, compared with as wide a slice around each of them."""
    axis = second - first
    along = (rows - first) @ axis / max(float(axis @ axis), 1e-300)
    at = [int((np.abs(along - middle) <= SLICE).sum()) for middle in (0.0, 0.5, 1.0)]
    return at[1] < GAP * min(at[0], at[2])


def mixed_p_value(rows: AnyArray, positive: BoolArray, rng: np.random.Generator) -> float:
    """Return the p-value of the hypothesis that the labelled rows of a cluster are random ones of it."""
    spread = rows.std(axis=0)
    standard = (rows - rows.mean(axis=0)) / np.where(spread > 0, spread, 1.0)
    n_labelled = int(positive.sum())
    sets = [rng.permutation(len(rows))[:n_labelled] for _ in range(N_DRAWS)]
    drawn = np.array([(standard[each].mean(axis=0) ** 2).sum() for each in sets])
    seen = (standard[positive].mean(axis=0) ** 2).sum()
    return float((1 + (drawn >= seen * (1 - 1e-12)).sum()) / (1 + N_DRAWS))


def even_p_value(found: Counts, rng: np.random.Generator) -> float:
    """Return the p-value of the hypothesis that all clusters are labelled at one rate."""
    drawn = rng.multivariate_hypergeometric(found.size, int(found.labelled.sum()), size=5 * N_DRAWS)
    expected = found.size * found.labelled.sum() / found.size.sum()

    def deviance(labelled: IntArray) -> FloatArray:
        return np.asarray(xlogy(labelled, labelled / expected).sum(axis=-1))

    n_above = int((deviance(drawn) >= deviance(found.labelled) - 1e-9).sum())
    return (1 + n_above) / (1 + len(drawn))


def best_split(found: Counts) -> tuple[float, int]:
    """Return how many times rarer labels are in the clusters with few of them, and how many these hold.

    Clusters with many and with few labels are told apart where the likelihood is highest.
    """
    order = np.argsort(-found.labelled / found.size, kind="stable")
    size, labelled = np.cumsum(found.size[order]), np.cumsum(found.labelled[order])
    many, rest = labelled[:-1] / size[:-1], (labelled[-1] - labelled[:-1]) / (size[-1] - size[:-1])
    gain = xlogy(labelled[:-1], many) + xlogy(labelled[-1] - labelled[:-1], rest)
    best = int(np.argmax(gain))
    return float(many[best] / rest[best]), int(labelled[-1] - labelled[best])
