"""Panels: the distribution of each selected feature among positives and others, and marks of positive clusters."""

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple, Self

import numpy as np
from scipy.stats import rankdata

from puselect.arrays import AnyArray, BoolArray, FloatArray, IntArray
from puselect.fscpu.final_clusters import Clusterings
from puselect.fscpu.projection import CANDIDATE, LABELLED
from puselect.phrases import counted, number
from puselect.report.direction import FEW_VALUES, Direction, compare, compare_shares, day
from puselect.selectors.result import Unit

MOST_PANELS, MOST_MARKS, MOST_ROWS = 30, 4, 20_000
N_BINS = 24
COLUMNS_AT_A_TIME = 256
CUT = 0.005


@dataclass(frozen=True)
class Panel:
    """The distribution of one selected feature among known positives, candidates and other rows."""

    name: str
    members: tuple[str, ...]
    """The categories of a feature that stands for several columns, or the values of one that has two."""
    edges: tuple[float, ...]
    """Bounds of the bins, or the values of a feature that has few; the first and last bin hold what lies beyond."""
    labelled: tuple[float, ...]
    """Share of the known positives in each bin."""
    candidates: tuple[float, ...]
    others: tuple[float, ...]
    direction: Direction
    """Of the known positives, compared with other rows."""
    column: str = ""
    """The column shown, if the feature stands for several that are no categories: where known positives differ most."""

    @property
    def phrase(self) -> str:
        """Where known positives lie in this feature."""
        other = f"{self.column}: " if self.column not in ("", self.name) else ""
        return f"{other}{self.direction}"

    @property
    def ends(self) -> tuple[str, str]:
        """The first and the last value of the scale."""
        shown = day if self.direction.is_date else number
        return shown(self.edges[0]), shown(self.edges[-1])


@dataclass(frozen=True)
class Mark:
    """What is unusual about a cluster."""

    feature: str
    direction: Direction
    inside: float
    """Median in the cluster, or the share of a category."""
    outside: float
    """The same of all rows."""
    here: tuple[float, ...] = ()
    """Share of the rows of the cluster in each of a few bins; of a category, only its share."""
    everywhere: tuple[float, ...] = ()
    """The same of all rows."""

    def __str__(self) -> str:
        if len(self.here) != 1:
            return f"{self.feature} {self.direction}"
        word = "mostly" if self.inside > 0.5 else "often" if self.inside > self.outside else "rarely"
        return f"{self.feature} {word}"

    @property
    def figures(self) -> str:
        """The difference in figures."""
        if len(self.here) == 1:
            return f"{self.here[0]:.0%} here, {self.everywhere[0]:.0%} in all rows"
        shown = day if self.direction.is_date else number
        return f"median {shown(self.inside)} here, {shown(self.outside)} in all rows"


@dataclass(frozen=True)
class Portrait:
    """A positive cluster of the typical final clustering."""

    size: float
    labelled: float
    marks: tuple[Mark, ...]
    """The most unusual first."""

    def __str__(self) -> str:
        return ", ".join(map(str, self.marks)) or "no single feature stands out"

    @property
    def counts(self) -> str:
        """How many rows it has, and how many of them are known positives."""
        return f"{counted(round(self.labelled), 'known positive')} among {counted(round(self.size), 'row')}"


class Rows(NamedTuple):
    """Known positives, candidates and others: all rows of a table, or a random sample of each."""

    known: IntArray
    candidates: IntArray
    others: IntArray
    """Not known to be positive; candidates are among them in proportion."""

    @classmethod
    def of(cls, kind: IntArray) -> Self:
        """Return the rows to look at."""
        rng, is_small = np.random.default_rng(0), len(kind) <= MOST_ROWS
        found = (np.flatnonzero(each) for each in (kind == LABELLED, kind == CANDIDATE, kind != LABELLED))
        most = (MOST_ROWS, MOST_ROWS // 3, MOST_ROWS // 3)
        return cls(*(rows if is_small else rng.permutation(rows)[:n] for rows, n in zip(found, most, strict=True)))


def feature_panels(
    table: AnyArray, rows: Rows, units: Sequence[Unit], dates: Collection[str] = ()
) -> tuple[Panel, ...]:
    """Return the distributions of the first features; `dates` names columns of days."""
    if not len(rows.known) or not len(rows.others):
        return ()
    return tuple(_panel(table, rows, unit, dates) for unit in units[:MOST_PANELS])


def _panel(table: AnyArray, sets: Rows, unit: Unit, dates: Collection[str]) -> Panel:
    if len(unit.columns) > 1 and _is_one_hot(table[:, unit.columns]):
        return _category_panel(table, sets, unit)
    names = unit.members or (unit.name,)
    compared = [
        compare(table[sets[0], j], table[sets[2], j], name in dates)
        for j, name in zip(unit.columns, names, strict=True)
    ]
    shown = int(np.argmax([direction.is_clear + abs(direction.difference) for direction in compared]))
    column = table[:, unit.columns[shown]].astype(np.float64)
    edges, is_values = _edges(column)
    labelled, candidates, others = (
        tuple(_shares(column[part], edges, is_values).round(4).tolist()) for part in sets
    )
    values = tuple(float(f"{edge:.8g}") for edge in edges)
    members = ("no", "yes") if values == (0, 1) else tuple(map(number, values)) if len(values) == 2 else ()
    return Panel(unit.name, members, values, labelled, candidates, others, compared[shown], names[shown])


def _category_panel(table: AnyArray, sets: Rows, unit: Unit) -> Panel:
    shares = np.array([_category_shares(table[rows][:, unit.columns]) for rows in sets])
    words = [name.removeprefix(f"{unit.name}=") for name in unit.members]
    n_known = (shares[0, :-1] * len(sets[0])).round().astype(int)
    direction = compare_shares(n_known, len(sets[0]), shares[2, :-1], words)
    members = (*words, "other") if shares[:, -1].max() >= CUT else tuple(words)
    labelled, candidates, others = (tuple(row[: len(members)].round(4).tolist()) for row in shares)
    return Panel(unit.name, members, (), labelled, candidates, others, direction)


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


def cluster_portraits(
    table: AnyArray,
    final: Clusterings,
    which: int,
    support: BoolArray,
    units: Sequence[Unit],
    dates: Collection[str] = (),
) -> tuple[Portrait, ...]:
    """Return what marks the positive clusters of one clustering, those with most labelled rows first."""
    place = (final.distances(final.scaled(table[:, support]), which) + final.constant[which]).argmin(axis=1)
    wanted = np.flatnonzero(final.positive[which] & np.isin(np.arange(final.size.shape[1]), place))
    inside = wanted[:, None] == place
    if inside.all():  # one cluster of all rows
        return ()
    clarity = _clarity(table, inside, [column for unit in units for column in unit.columns])
    found = [
        Portrait(float(final.size[which, cluster]), float(final.labelled[which, cluster]), marks)
        for cluster, marks in zip(wanted, _marks(table, inside, units, clarity, dates), strict=True)
    ]
    return tuple(sorted(found, key=lambda portrait: -portrait.labelled))


def _clarity(table: AnyArray, inside: BoolArray, columns: Sequence[int]) -> FloatArray:
    """Return how much the rows of each cluster differ from all rows in each column.

    For many columns at a time: only a few of the thousands that a wide table may have are then looked at closely.
    """
    weight = inside / inside.sum(axis=1, keepdims=True)
    found = np.empty((len(inside), len(columns)))
    for begin in range(0, len(columns), COLUMNS_AT_A_TIME):
        part = slice(begin, begin + COLUMNS_AT_A_TIME)
        values = table[:, columns[part]].astype(np.float64)
        place = (2 * rankdata(values, axis=0) - 1) / len(values) - 1  # from -1 for the lowest to 1
        spread = weight @ np.abs(place) - np.abs(place).mean(axis=0)
        found[:, part] = np.maximum(np.abs(weight @ place), np.abs(spread))
    return found


def _marks(
    table: AnyArray, inside: BoolArray, units: Sequence[Unit], clarity: FloatArray, dates: Collection[str]
) -> Iterator[tuple[Mark, ...]]:
    """Yield for each cluster the features in which it differs most from all rows, each by its clearest column."""
    ends = np.cumsum([len(unit.columns) for unit in units])[:-1]
    for rows, sizes in zip(inside, clarity, strict=True):
        parts = np.split(sizes, ends)
        best = sorted(range(len(units)), key=lambda i: -parts[i].max())[:MOST_MARKS]
        clearest = [(units[i], int(parts[i].argmax())) for i in best]
        marks = (
            _mark(table[:, unit.columns[j]], rows, unit.members[j] if unit.members else unit.name, dates)
            for unit, j in clearest
        )
        yield tuple(mark for mark in marks if mark.direction.is_clear)


def _mark(column: AnyArray, rows: BoolArray, name: str, dates: Collection[str]) -> Mark:
    values = column.astype(np.float64)
    direction = compare(values[rows], values, name in dates)
    if np.isin(values, (0, 1)).all():
        inside, outside = float(values[rows].mean()), float(values.mean())
        bins = [(inside,), (outside,)]
    else:
        inside, outside = float(np.median(values[rows])), float(np.median(values))
        edges, is_values = _edges(values, N_BINS // 2)
        bins = [tuple(_shares(part, edges, is_values).round(4).tolist()) for part in (values[rows], values)]
    return Mark(name, direction, _short(inside), _short(outside), *bins)


def _short(value: float) -> float:
    return float(f"{value:.8g}")
