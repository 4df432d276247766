"""Panels: the distribution of each selected feature among positives and others, and marks of positive clusters."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import NamedTuple, Self

import numpy as np
from scipy.stats import rankdata

from puselect.arrays import AnyArray, BoolArray, FloatArray, IntArray
from puselect.fscpu.final_clusters import Clusterings
from puselect.fscpu.projection import CANDIDATE, LABELLED
from puselect.phrases import counted, number
from puselect.report.direction import FEW_VALUES, Direction, Where, compare, compare_shares
from puselect.selectors.result import Unit

MOST_PANELS, MOST_MARKS, MOST_ROWS = 30, 4, 20_000
N_BINS = 24
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
        return self.direction.shown(self.edges[0]), self.direction.shown(self.edges[-1])


@dataclass(frozen=True)
class Mark:
    """What is unusual about a cluster."""

    feature: str
    direction: Direction
    inside: float
    """Median in the cluster; of zeros and ones, the share of the ones."""
    outside: float
    """The same of all rows."""

    @property
    def _is_share(self) -> bool:
        return self.direction.code in (Where.MORE, Where.LESS) and not self.direction.value

    def __str__(self) -> str:
        if not self._is_share:
            return f"{self.feature} {self.direction}"
        word = "mostly" if self.inside > 0.5 else "often" if self.inside > self.outside else "rarely"
        return f"{self.feature} {word}"

    @property
    def figures(self) -> str:
        """The difference in figures."""
        if self._is_share:
            return f"{self.inside:.0%} here, {self.outside:.0%} in all rows"
        return f"median {self.direction.shown(self.inside)} here, {self.direction.shown(self.outside)} in all rows"


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
    columns = table[:, unit.columns]
    if len(unit.columns) > 1 and np.isin(columns, (0, 1)).all() and columns.sum(axis=1).max() <= 1:
        return _category_panel(columns, sets, unit)
    names = unit.members or (unit.name,)
    compared = [
        compare(column[sets.known], column[sets.others], name in dates)
        for column, name in zip(columns.T, names, strict=True)
    ]
    shown = int(np.argmax([direction.is_clear + abs(direction.difference) for direction in compared]))
    column = columns[:, shown].astype(np.float64)
    values = np.unique(column)
    edges = values if len(values) <= FEW_VALUES else _edges(column)
    place = np.clip(np.searchsorted(edges, column, side="right") - 1, 0, len(edges) - 1 - (edges is not values))
    labelled, candidates, others = (_shares(np.eye(place.max() + 1)[place[part]]) for part in sets)
    members = ("no", "yes") if values.tolist() == [0, 1] else tuple(map(number, values)) if len(values) == 2 else ()
    ends = tuple(map(_short, edges))
    return Panel(unit.name, members, ends, labelled, candidates, others, compared[shown], names[shown])


def _category_panel(columns: AnyArray, sets: Rows, unit: Unit) -> Panel:
    words = [name.removeprefix(f"{unit.name}=") for name in unit.members]
    n_known, usual = columns[sets.known].sum(axis=0).astype(int), columns[sets.others].mean(axis=0, dtype=np.float64)
    direction = compare_shares(n_known, len(sets.known), usual, words)
    rest = 1 - columns.sum(axis=1, keepdims=True)
    if max(rest[part].mean() for part in sets if len(part)) >= CUT:
        columns, words = np.hstack([columns, rest]), [*words, "other"]
    labelled, candidates, others = (_shares(columns[part]) for part in sets)
    return Panel(unit.name, tuple(words), (), labelled, candidates, others, direction)


def _edges(column: FloatArray) -> FloatArray:
    """Return the bounds of the bins of a column, without its long tails."""
    low, middle, upper, high = np.quantile(column, [CUT, 0.5, 0.84, 1 - CUT])
    if low == high:
        low, high = column.min(), column.max()
    if low >= 0 and upper > middle and high > middle + 6 * (upper - middle):  # long tail: bins of equal ratio
        return np.geomspace(1 + low, 1 + high, N_BINS + 1) - 1
    return np.linspace(low, high, N_BINS + 1)


def _shares(is_in: AnyArray) -> tuple[float, ...]:
    """Return the share of the rows in each bin, from a column for each."""
    return tuple((is_in.sum(axis=0, dtype=np.float64) / max(len(is_in), 1)).round(4).tolist())


def cluster_portraits(
    table: AnyArray,
    final: Clusterings,
    which: int,
    support: BoolArray,
    units: Sequence[Unit],
    dates: Collection[str] = (),
) -> tuple[Portrait, ...]:
    """Return what marks the positive clusters of one clustering, those with most labelled rows first.

    A mark is one of the first features in which the rows differ from all rows, by its clearest column.
    """
    place = (final.distances(final.scaled(table[:, support]), which) + final.constant[which]).argmin(axis=1)
    wanted = np.flatnonzero(final.positive[which] & np.isin(np.arange(final.size.shape[1]), place))
    inside = wanted[:, None] == place
    if inside.all():  # one cluster of all rows
        return ()
    shown = units[:MOST_PANELS]
    values = table[:, [column for unit in shown for column in unit.columns]].astype(np.float64)
    names = [name for unit in shown for name in unit.members or (unit.name,)]
    owner = np.repeat(np.arange(len(shown)), [len(unit.columns) for unit in shown])
    found = []
    for cluster, rows, clarity in zip(wanted, inside, _clarity(values, inside), strict=True):
        order = np.argsort(-clarity, kind="stable")
        clearest = order[np.sort(np.unique(owner[order], return_index=True)[1])][:MOST_MARKS]
        marks = (_mark(values[:, j], rows, names[j], dates) for j in clearest)
        clear = tuple(mark for mark in marks if mark.direction.is_clear)
        found.append(Portrait(float(final.size[which, cluster]), float(final.labelled[which, cluster]), clear))
    return tuple(sorted(found, key=lambda portrait: -portrait.labelled))


def _clarity(values: FloatArray, inside: BoolArray) -> FloatArray:
    """Return how much the rows of each cluster differ from all rows in each column, by its ranks."""
    weight = inside / inside.sum(axis=1, keepdims=True)
    place = (2 * rankdata(values, axis=0) - 1) / len(values) - 1  # from -1 for the lowest to 1
    spread = weight @ np.abs(place) - np.abs(place).mean(axis=0)
    return np.asarray(np.maximum(np.abs(weight @ place), np.abs(spread)))


def _mark(values: FloatArray, rows: BoolArray, name: str, dates: Collection[str]) -> Mark:
    middle = np.mean if np.isin(values, (0, 1)).all() else np.median
    direction = compare(values[rows], values, name in dates)
    return Mark(name, direction, _short(float(middle(values[rows]))), _short(float(middle(values))))


def _short(value: float) -> float:
    return float(f"{value:.8g}")
