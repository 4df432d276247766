"""A cell: one method, with its settings, on one data set with one seed. Its content makes its key."""

import hashlib
import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple, Self

import numpy as np

from puselect.arrays import AnyArray
from puselect.evaluation.holdout import Fitted

KEY_LENGTH = 16
JSONObject = Mapping[str, Any]
"""A table of TOML or an object of JSON: settings, data, values."""


@dataclass(frozen=True)
class Cell:
    """One piece of work, described so fully that its result depends on nothing else.

    Parameters
    ----------
    measure : str
        What is measured: a name in `puselect_paper.studies.measures.MEASURES`.
    method : str
        A name in `puselect.METHODS`, or "all" or "random".
    settings : mapping
        Keyword arguments of the method's factory.
    data : mapping
        The data, and whatever else the measure needs.
    seed : int
        Seed of the data set or its split, and of the method.

    Examples
    --------
    >>> cell = Cell("recall", "kbest", {}, {"condition": "10/8/2"}, seed=0)
    >>> cell.key
    '5a3d44001c1e84f6'
    >>> cell.family == Cell("recall", "kbest", {}, {"condition": "10/8/2"}, seed=1).family
    True
    """

    measure: str
    method: str
    settings: JSONObject
    data: JSONObject
    seed: int

    @property
    def content(self) -> JSONObject:
        """Everything that decides the result, as plain values."""
        return {**self._without_seed(), "seed": self.seed}

    @property
    def key(self) -> str:
        """Hash of the content, the same in any process and on any machine."""
        return digest(self.content)

    @property
    def family(self) -> str:
        """Hash of the content without the seed: tables average over a family."""
        return digest(self._without_seed())

    @classmethod
    def from_content(cls, content: JSONObject) -> Self:
        """Return the cell with this content, or raise a ValueError."""
        kinds = {"measure": str, "method": str, "settings": dict, "data": dict, "seed": int}
        found = {name: type(value) for name, value in content.items()}
        if found != kinds:
            raise ValueError(f"a cell must have {kinds}, got {found}")
        cell = cls(**content)
        digest(cell.content)  # NaN and half characters have no key
        return cell

    def _without_seed(self) -> JSONObject:
        settings, data = dict(self.settings), dict(self.data)
        return {"measure": self.measure, "method": self.method, "settings": settings, "data": data}


def digest(content: JSONObject) -> str:
    """Return the first digits of the SHA-256 of the content as JSON with sorted names."""
    text = json.dumps(content, sort_keys=True, separators=(",", ":"), ensure_ascii=False, allow_nan=False)
    return hashlib.sha256(text.encode()).hexdigest()[:KEY_LENGTH]


class Assignment(NamedTuple):
    """What a cell asks of a method, and what its answer is worth."""

    X: AnyArray
    y: AnyArray
    k: int
    """How many features to select."""
    judge: Callable[[Fitted], JSONObject]
    """Returns the values of the cell."""
    settings: Mapping[str, object] = {}
    """Of the method, beside those of the cell."""


def journal_values(fitted: Fitted) -> JSONObject:
    """Return what the journal keeps of a selection."""
    values: dict[str, object] = {"selected": np.flatnonzero(fitted.support).tolist()}
    if fitted.seconds is not None:
        values["fit_seconds"] = fitted.seconds
    selector = fitted.selector
    if selector is not None and hasattr(selector, "n_iter_") and hasattr(selector, "objective_"):
        values["steps"] = int(selector.n_iter_)
        values["objective"] = float(selector.objective_)
        values["converged"] = float(selector.settled_)
        values["undecided"] = float(np.mean((selector.probabilities_ > 0.1) & (selector.probabilities_ < 0.9)))
    return values
