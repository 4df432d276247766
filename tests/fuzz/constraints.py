"""Kept and excluded features, groups, costs and numbers: what was asked for holds on every path to a selection."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from typing import Any

import dask.array as da
import hypothesis.strategies as st
import numpy as np
import pandas as pd
import scipy.sparse
from damage import Draw, chance
from distributed import Client
from outcome import attempt, require

from puselect import FSCPU, fit_many

KINDS: list[dict[str, Any]] = [
    {}, {}, {}, {"criterion": "cluster"}, {"preset": "published"}, {"screen": 1}, {"screen": 3},
    {"n_searches": 2}, {"max_time": 1e-9}, {"max_samples": None},
]  # fmt: skip
NUMBERS = ["number", "half", "share", "auto", "budget", "costs", "costs", "auto costs"]
PRICES = st.lists(st.sampled_from([1.0, 2.0, 0.1, 5.0, 0.3]), min_size=5, max_size=5)
MOST = 12  # columns that may be named
PATHS: dict[str, Callable[[FSCPU, Any, Any, list[Any]], FSCPU]] = {
    "array": lambda selector, x, y, columns: selector.fit(x, y),
    "names": lambda selector, x, y, columns: selector.fit(pd.DataFrame(x, columns=columns), y),
    "integers": lambda selector, x, y, columns: selector.fit(pd.DataFrame(x, columns=columns), y),
    "together": lambda selector, x, y, columns: fit_many([selector], [pd.DataFrame(x, columns=columns)], [y])[0],
    "sparse": lambda selector, x, y, columns: selector.fit(scipy.sparse.csr_array(x), y),
}


@dataclass(frozen=True)
class Promise:
    """What a selection must be; arrays have a value for each column."""

    unit: Any
    """The number of its group, or of itself."""
    cost: Any
    limit: float
    number: int | None
    """How many units are wanted; None if that is not said."""
    kept: Any
    """Whether `always_keep` names it."""
    never: Any
    """Whether `never_select` names it, or one of its group."""
    usable: Any
    """Whether it may be selected without being named."""

    def spent(self, columns: Any) -> float:
        """Return what the units of columns cost."""
        return float(sum(self.cost[self.unit == unit][0] for unit in set(self.unit[columns])))

    def is_possible(self) -> bool:
        """Return whether there is such a selection."""
        buyable = self.cost[self.usable & ~self.never].min(initial=np.inf) <= self.limit
        is_asked_both = (np.isin(self.unit, self.unit[self.kept]) & self.never).any()
        within = self.spent(self.kept) <= self.limit * (1 + 1e-9)
        return bool(within and not is_asked_both and (self.kept.any() or buyable))

    def check(self, support: Any, ranking: Any) -> None:
        """Raise a `FindingError` unless a selection is what was asked for."""
        units = set(self.unit[support])
        require(units, "nothing is selected")
        require(support[self.kept].all(), f"{np.flatnonzero(self.kept)} are not all in {support}")
        require(not support[self.never].any(), f"some of {np.flatnonzero(self.never)} are in {support}")
        require(not support[~self.usable & ~self.kept].any(), f"constant columns are in {support}")
        whole = np.isin(self.unit, list(units)) & self.usable
        require(support[whole].all(), f"a group is in {support} in part, groups {self.unit}")
        spent = self.spent(support)
        require(spent <= self.limit * (1 + 1e-6), f"{spent} spent of {self.limit}")
        if self.number is not None:
            possible = len(set(self.unit[(self.usable | self.kept) & ~self.never]))
            require(len(units) == min(self.number, possible), f"{len(units)} of {possible}, not {self.number}")
            require(set(ranking[support]) == set(range(1, len(units) + 1)), f"ranks {ranking} of {support}")


def example(draw: Draw) -> str:
    """Ask for a selection in some way, and check that it is what was asked for."""
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    x, y = table(draw, rng)
    path, d = draw(st.sampled_from(sorted(PATHS))), x.shape[1]
    columns: list[Any] = [f"c{i}" for i in range(d)] if path in ("names", "together") else list(range(d))
    if path == "integers":
        columns = (rng.permutation(d) + draw(st.sampled_from([0, 0, 5]))).tolist()
    parameters, promise = ask(draw, x, columns)
    fit = PATHS[path]
    if path == "array" and chance(draw, 6) and not {"preset", "n_searches"} & set(parameters):  # Dask refuses both
        path, fit = "dask", with_dask
    fitted, error = attempt(lambda: fit(FSCPU(**parameters), x, y, columns))
    require((error is None) == promise.is_possible(), f"{path}: {error!r} with {parameters}")
    if fitted is None:
        return f"{path}: clear error"
    promise.check(fitted.support_, fitted.ranking_)
    if fitted.stability_ is not None:
        again = np.array(fitted.stability_.frequency)
        require((again[promise.kept] == 1).all() and not again[promise.never].any(), f"selected again: {again}")
    return path


def table(draw: Draw, rng: np.random.Generator) -> tuple[Any, Any]:
    """Draw a table, at times of many columns or of constant ones, and labels."""
    n, d = draw(st.integers(8, 30)), 405 if chance(draw, 20) else draw(st.integers(2, 10))
    x = rng.normal(size=(n, d))
    if draw(st.booleans()):
        x = (x > 0).astype(float)
    y = np.arange(n) < draw(st.integers(1, n - 1))
    x[y, 0] += draw(st.sampled_from([0, 3]))
    x[:, rng.random(d) < draw(st.sampled_from([0, 0, 0.3, 0.9]))] = draw(st.sampled_from([0.0, 1.0]))
    return x, y


def ask(draw: Draw, x: Any, columns: list[Any]) -> tuple[dict[str, Any], Promise]:
    """Draw parameters and what they promise."""
    parameters = {"max_iter": draw(st.integers(1, 3)), "random_state": 0, **draw(st.sampled_from(KINDS))}
    unit, groups = np.arange(len(columns)), {}
    if chance(draw, 3):
        n_named = min(len(columns), MOST)
        label = draw(st.lists(st.sampled_from([None, None, "a", "b", "c"]), min_size=n_named, max_size=n_named))
        groups = {name: [i for i, own in enumerate(label) if own == name] for name in "abc" if label.count(name) > 1}
        for members in groups.values():
            unit[members] = members[0]
        by_name = {name: [columns[i] for i in members] for name, members in groups.items()}
        parameters["groups"] = draw(st.sampled_from([label + [None] * (len(columns) - n_named), by_name]))
    kept, parameters["always_keep"] = some_columns(draw, columns, groups)
    never, parameters["never_select"] = some_columns(draw, columns, groups)
    cost, limit, number, wanted = numbers(draw, unit, columns)
    usable = (x.min(axis=0) < x.max(axis=0)) | (parameters.get("preset") == "published")
    promise = Promise(unit, cost, limit, number, kept, np.isin(unit, unit[never]), usable)
    return parameters | wanted, promise


def some_columns(draw: Draw, columns: list[Any], groups: dict[str, list[int]]) -> tuple[Any, list[Any] | None]:
    """Draw a mask of columns, and what names them."""
    mask = np.zeros(len(columns), dtype=bool)
    chosen = draw(st.lists(st.integers(0, min(len(columns), MOST) - 1), max_size=2)) if chance(draw, 2) else []
    mask[chosen] = True
    items = [columns[i] for i in chosen]
    if groups and chance(draw, 4):
        items.append(draw(st.sampled_from(sorted(groups))))
        mask[groups[items[-1]]] = True
    return mask, items or None


def numbers(draw: Draw, unit: Any, columns: list[Any]) -> tuple[Any, float, int | None, dict[str, Any]]:
    """Draw what columns cost, what may be spent, how many are wanted, and the parameters that say so."""
    n_units, kind = len(set(unit)), draw(st.sampled_from(NUMBERS))
    cost, wanted = np.ones(len(unit)), {"n_features_to_select": "auto"} if kind.startswith("auto") else {}
    if kind in ("number", "half", "share"):
        given = {"number": draw(st.integers(1, min(n_units, MOST))), "half": None, "share": 0.3}[kind]
        number = {"half": -(-n_units // 2), "share": max(1, round(0.3 * n_units))}.get(kind, given)
        return cost, float(number), number, {"n_features_to_select": given}
    if kind == "auto":
        return cost, float(n_units), None, wanted
    if kind.endswith("costs"):
        cost = np.resize(draw(PRICES), len(unit))[unit]
        wanted["feature_costs"] = draw(st.sampled_from([cost, dict(zip(columns, cost, strict=True))]))
    limit = draw(st.sampled_from([0.05, 0.3, 1.0, 2.5, 7.0, 0.7 * float(cost.sum())]))
    return cost, limit, None, wanted | {"budget": limit}


@cache
def client() -> Any:
    """Return a Dask cluster in this process."""
    return Client(processes=False, n_workers=1, threads_per_worker=1, dashboard_address=None)


def with_dask(selector: FSCPU, x: Any, y: Any, columns: list[Any]) -> FSCPU:
    """Fit to a Dask array: much slower than the others."""
    with client().as_current():
        return selector.fit(da.from_array(x, chunks=(7, x.shape[1])), y)
