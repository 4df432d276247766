"""The result of a fit, typed: selectors hold it, reports and plots read it."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, NamedTuple, Self

import numpy as np

from puselect.arrays import BoolArray, FloatArray, IntArray

if TYPE_CHECKING:
    from puselect.columns.evidence import Evidence
    from puselect.fscpu.auto_number import Path
    from puselect.fscpu.final_clusters import Clusterings
    from puselect.fscpu.row_model import RowModel
    from puselect.fscpu.stability import Stability


class Unit(NamedTuple):
    """A feature: one column, or several that are selected as a whole."""

    name: str
    column: int
    """The column that stands for it."""
    columns: tuple[int, ...]
    members: tuple[str, ...]
    """Names of the columns if there are several, otherwise empty."""


@dataclass(frozen=True)
class SearchResult:
    """The course and the end of a search."""

    searched: IntArray
    """Columns that the search decided on; those of `history`."""
    n_iter: int
    n_evaluations: int
    settled: float
    converged: bool
    timed_out: bool
    n_degenerate: int
    follows_effects: bool
    """Whether it estimated the effect of each feature; otherwise it was the paper's."""


@dataclass(frozen=True)
class FitResult:
    """The outcome of a fit; parts that a method does not have are None."""

    support: BoolArray
    ranking: IntArray
    """1 for the best feature."""
    scores: FloatArray
    """Probabilities at the end of a search, otherwise the scores of the method; NaN if it has none."""
    names: tuple[str, ...]
    """Of the columns."""
    settings: Mapping[str, Any]
    """Parameters of the fit, by name."""
    has_row_groups: bool = False
    """Whether it is known which rows belong together."""
    groups: Mapping[str, Sequence[int]] = field(default_factory=dict)
    """Columns that are selected as a whole."""
    costs: FloatArray | None = None
    search: SearchResult | None = None
    objective: float | None = None
    evidence: "Evidence | None" = None
    clusterings: "Clusterings | None" = None
    row_model: "RowModel | None" = None
    path: "Path | None" = None
    stability: "Stability | None" = None
    n_negative: int = 0
    """Rows that were checked and are negative."""

    def renamed(self, names: Sequence[str]) -> Self:
        """Return the result with other names of the columns."""
        if len(names) != len(self.names):
            raise ValueError(f"feature_names must name each of the {len(self.names)} features, got {len(names)} names")
        return replace(self, names=tuple(map(str, names)))

    def units(self) -> list[Unit]:
        """Return the features, best first; a group is one."""
        group_of = {column: group for group, columns in self.groups.items() for column in columns}
        leader = {group: self._leader(columns) for group, columns in self.groups.items()}
        found = []
        for column in np.argsort(self.ranking, kind="stable").tolist():
            if column not in group_of:
                found.append(Unit(self.names[column], column, (column,), ()))
            elif column == leader[group_of[column]]:
                columns = tuple(self.groups[group_of[column]])
                found.append(Unit(group_of[column], column, columns, tuple(self.names[j] for j in columns)))
        return found

    def selected_units(self) -> list[Unit]:
        """Return the selected features, best first."""
        return [unit for unit in self.units() if self.support[unit.column]]

    def selected_groups(self) -> list[list[int]]:
        """Return the groups of which columns are selected, as places among the selected columns."""
        place = np.cumsum(self.support) - 1
        found = ([int(place[j]) for j in columns if self.support[j]] for columns in self.groups.values())
        return [places for places in found if places]

    @property
    def picked(self) -> list[str]:
        """Names of the columns that tell which rows were inspected, not which of them were positive."""
        marked = None if self.evidence is None else self.evidence.picked
        return [] if marked is None else [self.names[column] for column in np.flatnonzero(marked)]

    def _leader(self, columns: Sequence[int]) -> int:
        """Return the column that stands for a group: the first that is searched or selected, or else the first."""
        searched = () if self.search is None else self.search.searched
        return next((column for column in columns if self.support[column] or column in searched), columns[0])
