"""What sets the positives apart: the distribution of each selected feature, and what marks each positive cluster."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from scipy.stats import rankdata

from puselect.arrays import AnyArray, BoolArray, FloatArray, IntArray
from puselect.fscpu.final_clusters import Clusterings
from puselect.fscpu.projection import CANDIDATE, LABELLED, UNLABELLED
from puselect.report.codec import require, same_length, within
from puselect.selectors.result import Unit

MOST_PANELS, MOST_MARKS, MOST_ROWS = 30, 4, 20_000
N_BINS = 24
COLUMNS_AT_A_TIME = 256
FEW_VALUES = 12
CUT = 0.005
CLEAR, STRONG = 0.35, 0.65  # of the way from equal to apart
AT_ENDS, IN_MIDDLE = 0.7, 0.3  # 0.5 for equal distributions
CLEAR_SHARE = 0.2
SIMILAR = "similar"


@dataclass(frozen=True)
class Panel:
    """The distribution of one selected feature among known positives, candidates and other rows."""

    name: str
    members: tuple[str, ...]
    """The categories of a feature that stands for several columns; empty otherwise."""
    edges: tuple[float, ...]
    """Bounds of the bins, or the values of a feature that has few; the first and last bin hold what lies beyond."""
    labelled: tuple[float, ...]
    """Share of the known positives in each bin."""
    candidates: tuple[float, ...]
    others: tuple[float, ...]
    difference: float
    """How much higher known positives are than others: the share of pairs in which they are, minus the share in which
    they are lower; of categories, the largest difference of shares."""
    word: str
    """"high", "very low", "in the middle", ... or the category that is more frequent among known positives."""
    column: str = ""
    """The column shown, if the feature stands for several that are no categories: where known positives differ most."""

    def check(self) -> None:
        require(same_length(self.labelled, self.candidates, self.others), "columns differ in length")
        require(within((*self.labelled, *self.candidates, *self.others), 0, 1.001), "shares must lie in 0..1")


@dataclass(frozen=True)
class Mark:
    """What is unusual about a cluster."""

    feature: str
    word: str
    inside: float
    """Median in the cluster, or the share of a category."""
    outside: float
    """The same of all rows."""
    here: tuple[float, ...] = ()
    """Share of the rows of the cluster in each of a few bins; of a category, only its share."""
    everywhere: tuple[float, ...] = ()
    """The same of all rows."""

    def check(self) -> None:
        require(same_length(self.here, self.everywhere), "here and everywhere differ in length")
        require(within((*self.here, *self.everywhere), 0, 1.001), "shares must lie in 0..1")


@dataclass(frozen=True)
class Portrait:
    """A positive cluster of the typical final clustering."""

    size: float
    labelled: float
    marks: tuple[Mark, ...]
    """The most unusual first."""


def some_rows(kind: IntArray) -> IntArray:
    """Return all rows, or a random sample of each kind in which labelled rows and candidates are not rare."""
    if len(kind) <= MOST_ROWS:
        return np.arange(len(kind))
    rng = np.random.default_rng(0)
    parts = [rng.permutation(np.flatnonzero(kind == k))[: MOST_ROWS // 3] for k in (UNLABELLED, LABELLED, CANDIDATE)]
    return np.sort(np.concatenate(parts))


def feature_panels(table: AnyArray, kind: IntArray, units: Sequence[Unit]) -> tuple[Panel, ...]:
    """Return the distributions of the first features; `kind` says what each row is."""
    sets = [np.flatnonzero(kind == k) for k in (LABELLED, CANDIDATE, UNLABELLED)]
    if not len(sets[0]) or not len(sets[2]):
        return ()
    return tuple(_panel(table, sets, unit) for unit in units[:MOST_PANELS])


def _panel(table: AnyArray, sets: Sequence[IntArray], unit: Unit) -> Panel:
    if len(unit.columns) > 1 and _is_one_hot(table[:, unit.columns]):
        return _category_panel(table, sets, unit)
    compared = [degree(rank_shares(table[sets[0], j], table[sets[2], j])) for j in unit.columns]
    shown = int(np.argmax([abs(difference) for difference, _ in compared]))
    column = table[:, unit.columns[shown]].astype(np.float64)
    edges, is_values = _edges(column)
    labelled, candidates, others = (
        tuple(_shares(column[part], edges, is_values).round(4).tolist()) for part in sets
    )
    difference, word = compared[shown]
    numbers = tuple(float(f"{edge:.8g}") for edge in edges)
    member = unit.members[shown] if unit.members else ""
    return Panel(unit.name, (), numbers, labelled, candidates, others, round(difference, 3), word, member)


def _category_panel(table: AnyArray, sets: Sequence[IntArray], unit: Unit) -> Panel:
    shares = np.array([_category_shares(table[rows][:, unit.columns]) for rows in sets])
    difference = shares[0] - shares[2]
    best = int(difference[:-1].argmax())
    members = (*unit.members, "other") if shares[:, -1].any() else unit.members
    labelled, candidates, others = (tuple(row[: len(members)].round(4).tolist()) for row in shares)
    word = unit.members[best].removeprefix(f"{unit.name}=")
    return Panel(unit.name, members, (), labelled, candidates, others, float(difference[best].round(4)), word)


def _is_one_hot(columns: AnyArray) -> bool:
    return bool(((columns == 0) | (columns == 1)).all() and (columns.sum(axis=1) <= 1).all())


def _category_shares(columns: AnyArray) -> FloatArray:
    """Return the share of each category, and that of none of them."""
    if not len(columns):
        return np.zeros(columns.shape[1] + 1)
    shares = columns.mean(axis=0, dtype=np.float64)
    return np.append(shares, max(1 - shares.sum(), 0.0))


def _edges(column: FloatArray, n_bins: int = N_BINS) -> tuple[FloatArray, bool]:
    """Return the values of a column that has few, or else the bounds of bins without its long tails."""
    values = np.unique(column)
    if len(values) <= FEW_VALUES:
        return values, True
    low, high = np.quantile(column, [CUT, 1 - CUT])
    if low == high:
        low, high = column.min(), column.max()
    spread = np.quantile(column, 0.84) - np.quantile(column, 0.5)
    if low >= 0 and spread > 0 and high > np.quantile(column, 0.5) + 6 * spread:  # long tail: bins of equal ratio
        return np.expm1(np.linspace(np.log1p(low), np.log1p(high), n_bins + 1)), False
    return np.linspace(low, high, n_bins + 1), False


def _shares(values: FloatArray, edges: FloatArray, is_values: bool) -> FloatArray:
    n_bins = len(edges) if is_values else len(edges) - 1
    if not len(values):
        return np.zeros(n_bins)
    place = np.searchsorted(edges, values, side="left" if is_values else "right") - (not is_values)
    return np.bincount(np.clip(place, 0, n_bins - 1), minlength=n_bins) / len(values)


def rank_shares(inside: AnyArray, outside: AnyArray) -> FloatArray:
    """Return the share of the second values below each of the first; of equal values half count as below.

    Examples
    --------
    >>> rank_shares(np.array([3.0, 1.0]), np.array([1.0, 2.0, 2.5, 9.0])).tolist()
    [0.75, 0.125]
    """
    ordered = np.sort(outside)
    below, upto = (np.searchsorted(ordered, inside, side=side) for side in ("left", "right"))
    return np.asarray((below + upto) / (2 * max(len(ordered), 1)))


def degree(shares: FloatArray) -> tuple[float, str]:
    """Return how much higher values are than others, from -1 to 1, and a word for it; from their `rank_shares`.

    Examples
    --------
    >>> degree(np.array([0.9, 0.95, 0.8]))[1], degree(np.array([0.02, 0.98, 0.03, 0.97]))[1]
    ('very high', 'very low or very high')
    """
    difference, distance = float(2 * shares.mean() - 1), float(np.abs(2 * shares - 1).mean())
    if abs(difference) >= CLEAR:
        return difference, ("very " if abs(difference) >= STRONG else "") + ("high" if difference > 0 else "low")
    if distance >= AT_ENDS:
        return difference, "very low or very high"
    return difference, "in the middle" if distance <= IN_MIDDLE else SIMILAR


def cluster_portraits(
    table: AnyArray, final: Clusterings, number: int, support: BoolArray, units: Sequence[Unit]
) -> tuple[Portrait, ...]:
    """Return what marks the positive clusters of one clustering, those with most labelled rows first."""
    place = (final.distances(final.scaled(table[:, support]), number) + final.constant[number]).argmin(axis=1)
    wanted = np.flatnonzero(final.positive[number] & np.isin(np.arange(final.size.shape[1]), place))
    inside = wanted[:, None] == place
    if inside.all():  # one cluster of all rows
        return ()
    clarity = _clarity(table, inside, [column for unit in units for column in unit.columns])
    found = [
        Portrait(float(final.size[number, cluster]), float(final.labelled[number, cluster]), marks)
        for cluster, marks in zip(wanted, _marks(table, inside, units, clarity), strict=True)
    ]
    return tuple(sorted(found, key=lambda portrait: -portrait.labelled))


def _clarity(table: AnyArray, inside: BoolArray, columns: Sequence[int]) -> FloatArray:
    """Return how much the rows of each cluster differ from all rows in each column, -1 where this is not clear.

    For many columns at a time: only a few of the thousands that a wide table may have are then looked at closely.
    """
    weight = inside / inside.sum(axis=1, keepdims=True)
    found = np.empty((len(inside), len(columns)))
    for begin in range(0, len(columns), COLUMNS_AT_A_TIME):
        part = slice(begin, begin + COLUMNS_AT_A_TIME)
        values = table[:, columns[part]].astype(np.float64)
        place = (2 * rankdata(values, axis=0) - 1) / len(values) - 1  # 2 x rank_shares - 1
        difference, distance = np.abs(weight @ place), weight @ np.abs(place)
        is_clear = (difference >= CLEAR) | (distance >= AT_ENDS) | (distance <= IN_MIDDLE)
        is_binary = np.isin(values, (0, 1)).all(axis=0)
        ones = np.where(is_binary, values, 0.0)
        share = np.abs(weight @ ones - ones.mean(axis=0))
        is_clear = np.where(is_binary, share >= CLEAR_SHARE, is_clear)
        found[:, part] = np.where(is_clear, np.where(is_binary, share, difference), -1.0)
    return found


def _marks(
    table: AnyArray, inside: BoolArray, units: Sequence[Unit], clarity: FloatArray
) -> Iterator[tuple[Mark, ...]]:
    """Yield for each cluster the features in which it differs most from all rows, each by its clearest column."""
    ends = np.cumsum([len(unit.columns) for unit in units])[:-1]
    for rows, sizes in zip(inside, clarity, strict=True):
        parts = np.split(sizes, ends)
        best = sorted(range(len(units)), key=lambda i: -parts[i].max())[:MOST_MARKS]
        clearest = [(units[i], int(parts[i].argmax())) for i in best if parts[i].max() >= 0]
        yield tuple(
            _mark(table[:, unit.columns[j]], rows, unit.members[j] if unit.members else unit.name)
            for unit, j in clearest
        )


def _mark(column: AnyArray, rows: BoolArray, name: str) -> Mark:
    values = column.astype(np.float64)
    if np.isin(values, (0, 1)).all():
        inside, outside = float(values[rows].mean()), float(values.mean())
        word = "mostly" if inside > 0.5 else "often" if inside > outside else "rarely"
        bins = [(inside,), (outside,)]
    else:
        _, word = degree(rank_shares(values[rows], values))
        inside, outside = float(np.median(values[rows])), float(np.median(values))
        edges, is_values = _edges(values, N_BINS // 2)
        bins = [tuple(_shares(part, edges, is_values).round(4).tolist()) for part in (values[rows], values)]
    return Mark(name, word, _short(inside), _short(outside), *bins)


def _short(value: float) -> float:
    return float(f"{value:.8g}")
