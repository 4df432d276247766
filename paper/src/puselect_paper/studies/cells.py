"""A cell: one method, with its settings, on one data set with one seed. Its content makes its key."""

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Self

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
        if set(content) != set(kinds):
            raise ValueError(f"a cell must have {', '.join(kinds)}; got {', '.join(map(str, content)) or 'nothing'}")
        for name, kind in kinds.items():
            if not isinstance(content[name], kind) or isinstance(content[name], bool):
                raise ValueError(f"{name} of a cell has the wrong type: {type(content[name]).__name__}")
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
