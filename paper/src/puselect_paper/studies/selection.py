"""Selecting features for a cell, by a method or a yardstick."""

import time
from collections.abc import Callable, Mapping, Sequence
from functools import cache
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from puselect.arrays import BoolArray
from puselect.datasets import make_pu_clusters
from puselect.methods import METHODS, REGISTRY
from puselect.selectors.base import PUSelector
from puselect.selectors.groups import best_features
from puselect.studies.cells import Cell


class Selection(NamedTuple):
    """Selected features, the time it took, and the selector (None for all features or random ones)."""

    support: BoolArray
    seconds: float | None
    """None where several fits shared the time."""
    selector: PUSelector | None

    def ranked(self) -> list[int]:
        """Return the selected columns, best first; without a selector in their order."""
        columns = np.flatnonzero(self.support)
        if self.selector is None:
            return list(columns.tolist())
        return list(columns[np.argsort(self.selector.ranking_[columns])].tolist())

    def values(self) -> dict[str, Any]:
        """Return what goes to the journal."""
        values: dict[str, Any] = {"selected": np.flatnonzero(self.support).tolist()}
        if self.seconds is not None:
            values["fit_seconds"] = self.seconds
        selector = self.selector
        if selector is not None and hasattr(selector, "n_iter_") and hasattr(selector, "objective_"):
            values["steps"] = int(selector.n_iter_)
            values["objective"] = float(selector.objective_)
            values["converged"] = float(selector.settled_)
            values["undecided"] = float(np.mean((selector.probabilities_ > 0.1) & (selector.probabilities_ < 0.9)))
        return values


class Assignment(NamedTuple):
    """What a cell asks of a method, and what its answer is worth."""

    X: NDArray[Any]
    y: NDArray[Any]
    k: int
    """How many features to select."""
    judge: Callable[[Selection], dict[str, Any]]
    """Returns the values of the cell."""


def make_method(name: str, k: int, seed: int, **settings: Any) -> Any:
    """Return the selector of `k` features of that name."""
    return METHODS[name](k, random_state=seed, **settings)


def select_features(
    cell: Cell, X: NDArray[Any], y: NDArray[Any], k: int, groups: Mapping[str, Sequence[int]] | None = None
) -> Selection:
    """Return the `k` features that the cell's method selects.

    Columns of a group are one feature. Methods that do not know groups rank columns, and a group has the rank of its
    best column.
    """
    if cell.method not in METHODS:
        return Selection(_unselective(cell, X.shape[1], k, groups or {}), 0.0, None)
    selector = make_method(cell.method, k, cell.seed, **cell.settings)
    knows_groups = "groups" in selector.get_params(deep=False)
    if groups and knows_groups:
        selector.set_params(groups=dict(groups))
    compile_kernels(cell.method)
    begin = time.perf_counter()
    selector.fit(X, y)
    seconds = round(time.perf_counter() - begin, 3)
    support = selector.get_support()
    if groups and not knows_groups:
        support = best_features(selector.ranking_, groups, k)
    return Selection(np.asarray(support), seconds, selector)


@cache
def compile_kernels(method: str) -> None:
    """Fit a tiny table once per process, so that compiling or loading compiled code is not timed."""
    X, y, _ = make_pu_clusters("40/1/1", n_negative=150, n_positive=50, n_relevant=3, n_irrelevant=3, random_state=0)
    make_method(method, 3, 0, **REGISTRY[method].quick).fit(X, y)


def _unselective(cell: Cell, n_columns: int, k: int, groups: Mapping[str, Sequence[int]]) -> BoolArray:
    if cell.method == "all":
        return np.ones(n_columns, dtype=bool)
    order = np.random.default_rng(cell.seed).permutation(n_columns)
    return best_features(np.argsort(order), groups, k)
