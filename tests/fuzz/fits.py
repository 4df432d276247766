"""Fits: every kind of table, label vector and parameter that the documentation promises, and many it forbids."""

import copy
import pickle
from collections.abc import Callable
from typing import Any

import hypothesis.strategies as st
import numpy as np
import pandas as pd
import polars as pl
import scipy.sparse
from damage import Draw, chance
from outcome import attempt, require

from puselect import FSCPU, METHODS
from puselect.methods import REGISTRY
from puselect.report import Selection, summarise


def one_cell(x: Any, rng: np.random.Generator) -> Any:
    """Return a mask of one cell of a table."""
    return np.arange(x.size).reshape(x.shape) == rng.integers(x.size)


def corner(x: Any) -> Any:
    """Return a mask of the first third of the rows in the first half of the columns."""
    n, d = x.shape
    return np.outer(np.arange(n) < max(n // 3, 1), np.arange(d) < max(d // 2, 1))


def powers(x: Any, rng: np.random.Generator) -> Any:
    """Return a power of ten for each column."""
    return 10.0 ** rng.integers(-300, 307, size=x.shape[1])


LAWS: dict[str, Callable[[Any, np.random.Generator], Any]] = {
    "normal": lambda x, rng: x,
    "clusters": lambda x, rng: x + 6 * corner(x),
    "integers": lambda x, rng: np.round(2 * x),
    "binary": lambda x, rng: (x > 0).astype(float),
    "some constant": lambda x, rng: np.where(rng.random(x.shape[1]) < 0.6, 7.25, x),
    "duplicates": lambda x, rng: np.repeat(x[:, :1], x.shape[1], axis=1),
    "tiny": lambda x, rng: x * 1e-300,
    "huge": lambda x, rng: np.clip(x, -17, 17) * 1e307,
    "mixed": lambda x, rng: np.clip(x, -9, 9) * powers(x, rng),
    "one differs": lambda x, rng: 1.0 + one_cell(x, rng),
    "near constant": lambda x, rng: 1.0 + np.finfo(float).eps * rng.integers(0, 3, size=x.shape),
    "denormal": lambda x, rng: x * 5e-324,
    "constant": lambda x, rng: np.full_like(x, x[0, 0]),
    "zeros": lambda x, rng: np.zeros_like(x),
    "all rows equal": lambda x, rng: np.repeat(x[:1], len(x), axis=0),
    "nan": lambda x, rng: np.where(one_cell(x, rng), np.nan, x),
    "inf": lambda x, rng: np.where(one_cell(x, rng), np.inf, x),
}
"""Tables of normal numbers become tables of other laws."""
N_USUAL = 9
DTYPES = ["f4", "f2", "i8", "i4", "u1", "bool", "O", "c16", "U8", "M8[s]", ">f8", "longdouble"]


def frame(x: Any) -> pd.DataFrame:
    """Return a table as a pandas data frame."""
    return pd.DataFrame(x, columns=[f"c{i}" for i in range(x.shape[1])])


def read_only(x: Any) -> Any:
    """Return a table that cannot be written to."""
    x.setflags(write=False)
    return x


CONTAINERS: dict[str, Callable[[Any], Any]] = {
    "Fortran": np.asfortranarray,
    "read-only": read_only,
    "strided": lambda x: np.repeat(np.repeat(x, 2, axis=0), 2, axis=1)[::2, ::2],
    "list": lambda x: x.tolist(),
    "tuple": lambda x: tuple(map(tuple, x.tolist())),
    "pandas": frame,
    "pandas nullable": lambda x: frame(x).convert_dtypes(),
    "pandas categories": lambda x: frame(x).astype("category"),
    "numbered columns": pd.DataFrame,
    "mixed columns": lambda x: frame(x).rename(columns={"c0": 0}),
    "repeated columns": lambda x: pd.DataFrame(x, columns=["a"] * x.shape[1]),
    "polars": lambda x: pl.DataFrame(x, schema=[f"c{i}" for i in range(x.shape[1])]),
    "masked": np.ma.masked_array,
    "masked values": lambda x: np.ma.masked_array(x, mask=x > np.median(x)),
    "sparse": scipy.sparse.csr_matrix,
    "3-D": lambda x: x.reshape(*x.shape, 1),
}


def labels_of(positive: Any, rng: np.random.Generator) -> dict[str, tuple[Any, Any]]:
    """Return labels of many kinds for the rows that are positive, each with the `pos_label` that goes with them."""
    y = positive.astype(int)
    words = np.where(positive, "yes", "no")
    missing = rng.random(len(y)) < 0.3
    objects = [1 if p else None if m else 0 for p, m in zip(positive, missing, strict=True)]
    day, no_day = np.datetime64("2020-01-01"), np.datetime64("NaT")
    return {
        "bool": (positive, 1), "minus one": (2 * y - 1, 1), "string": (words, "yes"), "two": (y + 1, 2),
        "float nan": (np.where(missing & ~positive, np.nan, y), 1), "scalar": (1, 1), "None": (None, 1),
        "category": (pd.Series(words, dtype="category"), "yes"), "nat": (np.where(positive, day, no_day), day),
        "object none": (np.array(objects, dtype=object), 1), "pandas Int64": (pd.Series(objects, dtype="Int64"), 1),
        "pandas boolean": (pd.array([None if v is None else bool(v) for v in objects], dtype="boolean"), True),
        "pandas string": (pd.Series(np.where(missing & ~positive, None, words), dtype="string"), "yes"),
        "polars": (pl.Series("y", y), 1), "list": (y.tolist(), 1), "masked": (np.ma.masked_array(y, mask=missing), 1),
        "column": (y[:, None], 1), "none": (0 * y, 1), "all": (0 * y + 1, 1), "one row": (np.eye(1, len(y))[0], 1),
        "wrong length": (y[:-1], 1), "2-D": (np.c_[y, y], 1), "empty": ([], 1),
        "object mixed": (np.array([1 if p else "no" for p in positive], dtype=object), 1),
        "bytes": (words.astype("S"), b"yes"), "huge ints": (y.astype(np.uint64) * 2**63, 2**63),
    }  # fmt: skip


def table(draw: Draw) -> tuple[Any, Any, Any] | None:
    """Draw a table, labels and the `pos_label` that goes with them; None if there is no such table."""
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    n, d = draw(st.integers(2, 40)), draw(st.integers(2, 12))
    if chance(draw, 8):
        n, d = draw(st.integers(1, 8)), draw(st.sampled_from([1, 9, 20, 60]))
    law = draw(st.sampled_from(list(LAWS)[: None if chance(draw, 4) else N_USUAL]))
    kind = draw(st.sampled_from(DTYPES)) if chance(draw, 3) else "f8"
    contain = CONTAINERS[draw(st.sampled_from(sorted(CONTAINERS)))] if draw(st.booleans()) else np.ascontiguousarray
    with np.errstate(all="ignore"):  # numbers that a type does not hold; pandas tries other types
        x = LAWS[law](rng.normal(size=(n, d)), rng)
        x = x.astype(kind) if kind != "M8[s]" else np.nan_to_num(x, posinf=0).astype("i4").astype(kind)
        X, error = attempt(lambda: contain(x), (Exception,), deliberate=False)
    if error is not None:
        return None
    positive = np.zeros(n, dtype=bool)
    positive[rng.permutation(n)[: draw(st.integers(1, max(n - 1, 1)))]] = True
    if not chance(draw, 3):
        return X, positive.astype(int), 1
    labels = labels_of(positive, rng)
    return X, *labels[draw(st.sampled_from(sorted(labels)))]


KINDS: dict[str, list[Any]] = {
    "preset": ["default", "default", "published"], "criterion": ["auto", "auto", "cluster", "cluster+mi"],
    "scale": ["auto", "minmax", None], "n_clusters": [1, 2, 3, 5, 10, 40],
}  # fmt: skip
"""What makes one search another; drawn together, as they depend on each other."""
GOOD: dict[str, list[Any]] = {
    "engine": ["cpu", "cpu", "cpu", "cpu", "reference", "auto"], "max_samples": [None, "auto", 4, 7, 20],
    "covariance_type": ["full", "full", "diag", "spherical", "tied"], "population_size": [None, 2, 3, 8],
    "n_jobs": [None, 1, 2], "random_state": [0, 1, np.random.RandomState(3)], "max_time": [None, 1e-9, 0.005, 1e300],
    "screen": ["auto", None, 1, 2, 5, 100], "max_false": [0.1, 1e-300, 0.5, 1], "n_searches": [1, 2, 3, 8],
}  # fmt: skip
NOT_DAMAGED = {"clusterer", "n_jobs", "verbose", "checkpoint", "max_iter"}
BAD = [None, -1, 0, 0.0, 1.5, 10**400, 2**40, np.nan, np.inf, "", "x", True, [], [1], {}, np.float64(2), 1 + 2j]
SLOW = {
    "dt-rfe", "es-mcrfs", "lgbm-opt", "mrmr-ufs", "fscpu-published", "fscpu-mi-published", "forest", "pu-bagging",
}  # fmt: skip


def parameters(draw: Draw, n_features: int) -> dict[str, Any]:
    """Draw the parameters of an FSCPU: a few that are not the default, at times one that is wrong."""
    chosen = {"max_iter": draw(st.integers(1, 5)), "random_state": 0, "engine": "cpu"}
    if draw(st.booleans()):
        chosen |= {name: draw(st.sampled_from(values)) for name, values in KINDS.items()}
    names = draw(st.lists(st.sampled_from(sorted(GOOD)), max_size=6, unique=True))
    chosen |= {name: copy.deepcopy(draw(st.sampled_from(GOOD[name]))) for name in names}
    if not chance(draw, 4):
        share = st.sampled_from(["auto", 0.5, 1e-9, 1.0])
        chosen["n_features_to_select"] = draw(share if chance(draw, 5) else st.integers(1, max(n_features, 1)))
    if chance(draw, 15):
        wrong = draw(st.sampled_from(sorted(set(FSCPU().get_params()) - NOT_DAMAGED)))
        chosen[wrong] = copy.deepcopy(draw(st.sampled_from(BAD)))
    return chosen


def method(draw: Draw, n_features: int) -> Any:
    """Draw a baseline with settings that make it quick."""
    is_slow = chance(draw, 10)
    name = draw(st.sampled_from([name for name in sorted(REGISTRY) if (name in SLOW) == is_slow]))
    selector = METHODS[name](draw(st.integers(1, max(n_features, 1))), random_state=0, **REGISTRY[name].quick)
    if "max_iter" in selector.get_params(deep=False):
        selector.set_params(max_iter=draw(st.integers(1, 3)))
    return selector


def example(draw: Draw) -> str:
    """Fit a selector to a table and check the answer."""
    drawn = table(draw)
    if drawn is None:
        return "no such table"
    X, y, pos_label = drawn
    d = len(X[0]) if isinstance(X, list | tuple) else X.shape[1]
    settings = None if chance(draw, 8) else parameters(draw, d)
    selector = method(draw, d) if settings is None else FSCPU(**{"pos_label": pos_label, **settings})
    before = [content_of(value) for value in (X, y, settings)]
    fitted, error = attempt(lambda: selector.fit(X, y))
    require([content_of(value) for value in (X, y, settings)] == before, "fit changed its input")
    if error is not None:
        return "clear error"
    check_fitted(fitted, d)
    if chance(draw, 10):
        check_uses(fitted, X, y)
    return "another method" if settings is None else f"{fitted.preset}, {fitted.criterion}"


def check_fitted(selector: Any, n_features: int) -> None:
    """Check the attributes of a fitted selector."""
    support, settings = selector.support_, selector.fit_settings_
    wanted = settings["n_features_to_select"] if settings.get("budget") is None else "auto"
    require(support.dtype == bool and support.shape == (n_features,), f"support_ is {support!r}")
    if isinstance(wanted, float):
        wanted = max(round(wanted * n_features), 1)
    most = {None: -(-n_features // 2), "auto": n_features}.get(wanted, wanted)
    require(min(1, most) <= support.sum() <= most, f"{support.sum()} features selected, not {most}")
    if hasattr(selector, "ranking_"):
        ranks = sorted(selector.ranking_)
        require(ranks == list(range(1, n_features + 1)), f"ranking_ is {selector.ranking_}")
    require(np.isfinite(getattr(selector, "objective_", 0)), "objective_ is not finite")
    require(0 <= getattr(selector, "settled_", 0) <= 1, "settled_ is no share")
    evidence = getattr(selector, "evidence_", None)
    if evidence is not None:
        require(np.isfinite(evidence.z_scores).all() and str(evidence), f"evidence_ is {evidence!r}")
    if getattr(selector, "stability_", None) is not None:
        check_stability(selector.stability_, n_features)
    probabilities = getattr(selector, "probabilities_", np.zeros(1))
    require(np.all((probabilities >= 0) & (probabilities <= 1)), f"probabilities_ are {probabilities}")


def check_stability(found: Any, n_features: int) -> None:
    """Check how often features were selected again."""
    shares = np.array([found.low, found.frequency, found.high, found.twin_frequency])
    require(shares.shape == (4, n_features) and np.all((shares >= 0) & (shares <= 1)), f"stability_ is {found!r}")
    require(np.all(shares[0] <= shares[1]) and np.all(shares[1] <= shares[2:]), f"stability_ is {found!r}")
    require(found.index <= 1 and str(found), f"stability_ is {found!r}")


def check_uses(selector: Any, X: Any, y: Any) -> None:
    """Use a fitted selector: transform, candidates, summary, copy."""
    made, _ = attempt(lambda: selector.transform(X), ())
    require(np.shape(made) == (np.shape(X)[0], selector.support_.sum()), f"transform gives {np.shape(made)}")
    if getattr(selector, "clusterings_", None) is not None:
        found, _ = attempt(lambda: selector.candidate_positives(X, y), ())
        require(found is not None and np.all(found.lift >= 1), f"candidates: {found}")
    page, _ = attempt(lambda: summarise(selector, X, y).to_json(), ())
    attempt(lambda: Selection.from_json(page or ""), ())
    twin, _ = attempt(lambda: pickle.loads(pickle.dumps(selector)), ())
    require(np.array_equal(twin.support_, selector.support_), "a pickled selector differs")
    attempt(lambda: (repr(selector), selector._repr_mimebundle_()), ())


def content_of(value: Any) -> Any:
    """Return the content of an input in a form that can be compared."""
    if isinstance(value, dict):
        return {name: content_of(inner) for name, inner in value.items() if name != "random_state"}
    if isinstance(value, np.ma.MaskedArray):
        return repr((value.data.tolist(), np.ma.getmaskarray(value).tolist()))
    if isinstance(value, np.ndarray) and value.dtype != object:
        return value.dtype, value.tobytes()
    if isinstance(value, pd.DataFrame | pl.DataFrame):
        names = list(value.columns)
        return repr([value[name].to_list() for name in names]) if len(set(names)) == len(names) else ""
    return repr(value.tolist() if hasattr(value, "tolist") else list(value) if hasattr(value, "__len__") else value)
