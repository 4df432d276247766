"""Fits: every kind of table, label vector and parameter that the documentation promises, and many it forbids."""

import copy
import pickle
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

USUAL_LAWS = ["normal", "clusters", "integers", "binary", "some constant", "duplicates", "tiny", "huge", "mixed"]
LAWS = [
    *USUAL_LAWS, "one differs", "near constant", "denormal", "constant", "zeros", "all rows equal", "nan", "inf",
]  # fmt: skip
DTYPES = ["f8", "f8", "f8", "f4", "f2", "i8", "i4", "u1", "bool", "O", "c16", "U8", "M8[s]", ">f8", "longdouble"]
CONTAINERS = [
    "C", "C", "C", "F", "read-only", "strided", "list", "tuple", "pandas", "pandas nullable", "pandas categories",
    "polars", "masked", "masked values", "sparse", "3-D", "numbered columns", "mixed columns", "repeated columns",
]  # fmt: skip
LABELS = [
    "int", "int", "int", "bool", "minus one", "string", "float nan", "object none", "pandas Int64", "pandas boolean",
    "pandas string", "category", "polars", "list", "masked", "column", "none", "all", "one row", "two", "wrong length",
    "2-D", "empty", "nat", "object mixed", "bytes", "scalar", "None", "huge ints",
]  # fmt: skip


def values_of(law: str, rng: np.random.Generator, n: int, d: int) -> Any:
    """Return a table of floats that follows a law."""
    x = rng.normal(size=(n, d))
    if law == "clusters":
        x[: max(n // 3, 1), : max(d // 2, 1)] += 6
    elif law == "integers":
        x = rng.integers(-3, 4, size=(n, d)).astype(float)
    elif law == "binary":
        x = (x > 0).astype(float)
    elif law in ("constant", "zeros"):
        x = np.full((n, d), 0.0 if law == "zeros" else rng.normal())
    elif law == "some constant":
        x[:, rng.random(d) < 0.6] = 7.25
    elif law == "one differs":
        x = np.ones((n, d))
        x[rng.integers(n), rng.integers(d)] = 2.0
    elif law == "duplicates":
        x[:] = x[:, :1]
    elif law == "all rows equal":
        x[:] = x[:1]
    elif law == "near constant":
        x = 1.0 + np.finfo(float).eps * rng.integers(0, 3, size=(n, d))
    scales = {"tiny": 1e-300, "huge": 1e307, "denormal": 5e-324}
    if law in scales:
        x = np.clip(x, -17, 17) * scales[law]
    elif law == "mixed":
        x = np.clip(x, -9, 9) * 10.0 ** rng.integers(-300, 307, size=d)
    elif law in ("nan", "inf"):
        x[rng.integers(n), rng.integers(d)] = np.nan if law == "nan" else np.inf
    return x


def contain(kind: str, x: Any, rng: np.random.Generator) -> Any:
    """Return a table in some container."""
    names = [f"c{i}" for i in range(x.shape[1])]
    frame = pd.DataFrame(x, columns=names) if kind.startswith("pandas") else None
    if frame is not None:
        return {"pandas": lambda: frame, "pandas nullable": frame.convert_dtypes,
                "pandas categories": lambda: frame.astype("category")}[kind]()
    if kind == "strided":
        return np.repeat(np.repeat(x, 2, axis=0), 2, axis=1)[::2, ::2]
    if kind == "read-only":
        x.setflags(write=False)
        return x
    if kind in ("list", "tuple"):
        return x.tolist() if kind == "list" else tuple(map(tuple, x.tolist()))
    if kind in ("numbered columns", "mixed columns", "repeated columns"):
        columns = {"n": list(range(len(names))), "m": [0, *names[1:]], "r": ["a"] * len(names)}[kind[0]]
        return pd.DataFrame(x, columns=columns)
    if kind.startswith("masked"):
        return np.ma.masked_array(x, mask=(rng.random(x.shape) < 0.1) & (kind == "masked values"))
    makers = {"F": np.asfortranarray, "polars": lambda t: pl.DataFrame(t, schema=names),
              "sparse": scipy.sparse.csr_matrix, "3-D": lambda t: t.reshape(*t.shape, 1)}
    return makers.get(kind, lambda t: t)(x)


def labels_of(kind: str, positive: Any, rng: np.random.Generator) -> tuple[Any, Any]:
    """Return labels of some kind for the rows that are positive, and the `pos_label` that goes with them."""
    y = positive.astype(int)
    words = np.where(positive, "yes", "no")
    missing = rng.random(len(y)) < 0.3
    holes = np.where(positive, 1.0, np.where(missing, np.nan, 0.0))
    objects = [1 if p else None if m else 0 for p, m in zip(positive, missing, strict=True)]
    made: dict[str, tuple[Any, Any]] = {
        "bool": (positive, 1), "minus one": (2 * y - 1, 1), "string": (words, "yes"), "float nan": (holes, 1),
        "object none": (np.array(objects, dtype=object), 1), "pandas Int64": (pd.Series(objects, dtype="Int64"), 1),
        "category": (pd.Series(words, dtype="category"), "yes"),
        "pandas boolean": (pd.array([None if v is None else bool(v) for v in objects], dtype="boolean"), True),
        "pandas string": (pd.Series(np.where(missing & ~positive, None, words), dtype="string"), "yes"),
        "polars": (pl.Series("y", y), 1), "list": (y.tolist(), 1), "masked": (np.ma.masked_array(y, mask=missing), 1),
        "column": (y[:, None], 1), "none": (0 * y, 1), "all": (0 * y + 1, 1), "one row": (np.eye(1, len(y))[0], 1),
        "two": (np.where(positive, 2, 1), 2), "wrong length": (y[:-1], 1), "2-D": (np.c_[y, y], 1), "empty": ([], 1),
        "nat": (np.where(positive, np.datetime64("2020-01-01"), np.datetime64("NaT")), np.datetime64("2020-01-01")),
        "object mixed": (np.array([1 if p else "no" for p in positive], dtype=object), 1), "scalar": (1, 1),
        "bytes": (words.astype("S"), b"yes"), "None": (None, 1), "huge ints": (y.astype(np.uint64) * 2**63, 2**63),
    }  # fmt: skip
    return made.get(kind, (y, 1))


KINDS: dict[str, list[Any]] = {
    "preset": ["default", "default", "published"], "criterion": ["auto", "auto", "cluster", "cluster+mi"],
    "scale": ["auto", "standard", "minmax", None], "n_clusters": [1, 2, 3, 5, 10, 40],
}  # fmt: skip
"""What makes one search another; drawn together, as they depend on each other."""
GOOD: dict[str, list[Any]] = {
    "engine": ["cpu", "cpu", "cpu", "cpu", "reference", "auto"],
    "max_samples": [None, "auto", 4, 7, 20],
    "covariance_type": ["full", "full", "diag", "spherical", "tied"],
    "population_size": [None, 2, 3, 8], "n_jobs": [None, 1, 2],
    "random_state": [0, 1, np.random.RandomState(3)], "verbose": [0], "max_time": [None, 1e-9, 0.005, 1e300],
    "screen": ["auto", None, 1, 2, 5, 100], "max_false": [0.1, 1e-300, 0.5, 1],
    "n_searches": [1, 2, 3, 8],
}  # fmt: skip
KNOWN = sorted(FSCPU().get_params())
FIXED = {"clusterer", "n_jobs", "verbose", "checkpoint", "max_iter"}
BAD = [
    None, -1, 0, 0.0, 1.5, 10**400, 2**40, float("nan"), float("inf"), "", "x", True, [], [1], {}, np.float64(2),
    1 + 2j,
]  # fmt: skip


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
    elif draw(st.booleans()):
        chosen |= _costs(draw, n_features)
    for name in ("always_keep", "never_select"):
        if chance(draw, 20):
            chosen[name] = draw(st.lists(st.sampled_from([0, 1, 2, "c0", "c1", -1, n_features, 1.0, None]), max_size=2))
    if chance(draw, 8):
        group = st.sampled_from(["a", "a", "b", "c", "", None, 0, 1.5])
        chosen["groups"] = draw(st.lists(group, min_size=n_features, max_size=n_features))
    if chance(draw, 15):
        wrong = draw(st.sampled_from([name for name in KNOWN if name not in FIXED]))
        chosen[wrong] = copy.deepcopy(draw(st.sampled_from(BAD)))
    return chosen


def _costs(draw: Draw, n_features: int) -> dict[str, Any]:
    cost = st.sampled_from([1.0, 2.0, 1e-9, 1e20, 1e-300, 0.1, 3])
    costs = draw(st.lists(cost, min_size=n_features, max_size=n_features))
    if chance(draw, 10) and costs:
        costs[0] = draw(st.sampled_from([0, -1.0, float("nan"), float("inf"), "a", None]))
    kind = draw(st.sampled_from(["list", "array", "dict", "series"]))
    names = [f"c{i}" for i in range(n_features)]
    made = {"list": lambda: costs, "array": lambda: np.array(costs), "series": lambda: pd.Series(costs, index=names),
            "dict": lambda: dict(zip(names, costs, strict=True))}
    return {"feature_costs": made[kind](), "budget": draw(st.sampled_from([1.0, 2.5, 1e-9, 1e21, 5, 1e-320, 0.3]))}


SLOW = {
    "dt-rfe", "es-mcrfs", "lgbm-opt", "mrmr-ufs", "fscpu-published", "fscpu-mi-published", "forest", "pu-bagging",
}  # fmt: skip


def method(draw: Draw, n_features: int) -> Any:
    """Draw a baseline with settings that make it quick."""
    is_slow = chance(draw, 10)
    name = draw(st.sampled_from([name for name in sorted(REGISTRY) if (name in SLOW) == is_slow]))
    settings = dict(REGISTRY[name].quick)
    selector = METHODS[name](draw(st.integers(1, max(n_features, 1))), random_state=0, **settings)
    if "max_iter" in selector.get_params(deep=False):
        selector.set_params(max_iter=draw(st.integers(1, 3)))
    return selector


def table(draw: Draw) -> tuple[Any, Any, Any] | None:
    """Draw a table, labels and the `pos_label` that goes with them; None if there is no such table."""
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    n, d = draw(st.integers(2, 40)), draw(st.integers(2, 12))
    if chance(draw, 8):
        n, d = draw(st.integers(1, 8)), draw(st.sampled_from([1, 9, 20, 60]))
    x = values_of(draw(st.sampled_from(LAWS if chance(draw, 4) else USUAL_LAWS)), rng, n, d)
    with np.errstate(all="ignore"):
        kind = draw(st.sampled_from(DTYPES)) if chance(draw, 3) else "f8"
        x = x.real.astype(kind) if kind != "M8[s]" else np.nan_to_num(x, posinf=0).astype("i4").astype(kind)
    container = draw(st.sampled_from(CONTAINERS)) if draw(st.booleans()) else "C"
    with np.errstate(all="ignore"):  # pandas tries other types
        X, error = attempt(lambda: contain(container, x, rng), (Exception,), deliberate=False)
    if error is not None:
        return None
    positive = np.zeros(n, dtype=bool)
    positive[rng.permutation(n)[: draw(st.integers(1, max(n - 1, 1)))]] = True
    return X, *labels_of(draw(st.sampled_from(LABELS)) if chance(draw, 3) else "int", positive, rng)


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
    fitted, error = attempt(lambda: selector.set_params(pos_label=selector.pos_label).fit(X, y))
    require([content_of(value) for value in (X, y, settings)] == before, "fit changed its input")
    if error is not None:
        return "clear error"
    check_fitted(fitted, d)
    if chance(draw, 10):
        check_uses(fitted, X, y)
    if not (getattr(fitted, "n_iter_", 0) and hasattr(fitted, "history_")):
        return "fitted"
    return "searched (another method)" if settings is None else f"searched ({kind_of(fitted)})"


def kind_of(selector: FSCPU) -> str:
    """Return what a search followed, in words."""
    return f"{selector.preset}, {selector.criterion}"


def check_fitted(selector: Any, n_features: int) -> None:
    """Check what a fitted selector says."""
    support = selector.support_
    require(support.dtype == bool and support.shape == (n_features,), f"support_ is {support!r}")
    settings = selector.fit_settings_
    wanted = settings["n_features_to_select"]
    if settings.get("groups") is not None or wanted == "auto":
        require(support.any(), "nothing is selected")
    elif settings.get("budget") is None:
        if isinstance(wanted, float):
            wanted = max(round(wanted * n_features), 1)
        most = -(-n_features // 2) if wanted is None else wanted
        n_kept = len(settings.get("always_keep") or ())
        require(min(1, most) <= support.sum() <= max(most, n_kept), f"{support.sum()} features selected, not {most}")
    else:
        costs = np.ones(n_features) if settings["feature_costs"] is None else settings["feature_costs"]
        costs = np.array([costs[f"c{i}"] for i in range(n_features)] if hasattr(costs, "keys") else costs, dtype=float)
        spent = costs[support].sum()
        require(spent <= settings["budget"] * (1 + 1e-9), f"{spent} spent of {settings['budget']}")
    if hasattr(selector, "ranking_"):
        ranks = sorted(selector.ranking_) if settings.get("groups") is None else sorted(set(selector.ranking_))
        require(ranks == list(range(1, len(ranks) + 1)), f"ranking_ is {selector.ranking_}")
    if hasattr(selector, "objective_"):
        require(np.isfinite(selector.objective_), f"objective_ is {selector.objective_}")
    if hasattr(selector, "settled_"):
        require(0 <= selector.settled_ <= 1, f"settled_ is {selector.settled_}")
    evidence = getattr(selector, "evidence_", None)
    if evidence is not None:
        weights = evidence.labelled_weight, evidence.cotrained_weight
        require(all(0 <= weight <= 1 for weight in weights) and str(evidence), f"evidence_ is {evidence!r}")
    if getattr(selector, "stability_", None) is not None:
        check_stability(selector.stability_, n_features)
    if hasattr(selector, "probabilities_"):
        inside = (selector.probabilities_ >= 0) & (selector.probabilities_ <= 1)
        require(inside.all(), f"probabilities_ are {selector.probabilities_}")


def check_stability(found: Any, n_features: int) -> None:
    """Check how often features were selected again."""
    shares = np.array([found.low, found.frequency, found.high, found.twin_frequency])
    require(shares.shape == (4, n_features) and np.all((shares >= 0) & (shares <= 1)), f"stability_ is {found!r}")
    require(np.all(shares[0] <= shares[1]) and np.all(shares[1] <= shares[2:]), f"stability_ is {found!r}")
    require(found.index <= 1 and str(found), f"stability_ is {found!r}")


def check_uses(selector: Any, X: Any, y: Any) -> None:
    """Check what is done with a fitted selector: transform, candidates, summary, copy."""
    table, _ = attempt(lambda: selector.transform(X), ())
    require(np.shape(table) == (np.shape(X)[0], selector.support_.sum()), f"transform gives {np.shape(table)}")
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
