"""Questions about a table besides a selection, for every kind of table and label vector."""

from collections.abc import Callable
from typing import Any

import hypothesis.strategies as st
import numpy as np
from damage import Draw, chance
from fits import check_fitted, check_stability, content_of, table
from outcome import attempt, require

from puselect import METHODS, Preparer, assess_stability, check_suitability, find_leaks, find_twins, fit_many
from puselect.checks.prior import estimate_prior

NUMBER = st.sampled_from([None, 1, 2, 3, 3, 5])
QUESTIONS: dict[str, Callable[[Draw, Any, Any, dict[str, Any]], Any]] = {
    "leaks": lambda draw, X, y, labels: find_leaks(X, y),
    "twins": lambda draw, X, y, labels: find_twins(X, draw(st.sampled_from([0.5, 0.99, 0.99, 1, 1e-300, 0, 2]))),
    "prior": lambda draw, X, y, labels: estimate_prior(X, y, random_state=0, **labels),
    "suitability": lambda draw, X, y, labels: check_suitability(
        X, y, draw(NUMBER), n_shuffles=draw(st.sampled_from([1, 2, 5])), early_stopping=draw(st.booleans()),
        engine="cpu", random_state=0, **labels,
    ),
}  # fmt: skip
"""Those whose answer need only be there and have words."""


def example(draw: Draw) -> str:
    """Ask one question about a table and check the answer."""
    drawn = table(draw)
    if drawn is None:
        return "no such table"
    X, y, pos_label = drawn
    name = draw(st.sampled_from(sorted({**QUESTIONS, **CHECKED})))
    before = [content_of(value) for value in (X, y)]
    ask = {**QUESTIONS, **CHECKED}[name]
    answer, error = attempt(lambda: ask(draw, X, y, {"pos_label": pos_label}))
    require(error is not None or name in CHECKED or str(answer), f"no words: {answer!r}")
    require([content_of(value) for value in (X, y)] == before, f"{name} changed its input")
    return f"{name}: {'answer' if error is None else 'clear error'}"


def ask_stability(draw: Draw, X: Any, y: Any, labels: dict[str, Any]) -> None:
    """Select again from random halves of the labels."""
    name = draw(st.sampled_from(["fscpu", "fscpu", "kbest", "lepage", "semi-jmi"]))
    quick = {"max_iter": 2, "engine": "cpu"} if name == "fscpu" else {}
    n_searches = draw(st.sampled_from([0, 1, -1, 2.5, None, "x"] if chance(draw, 10) else [2, 3, 8]))
    selector = METHODS[name](draw(NUMBER) or 2, random_state=0, **labels, **quick).fit(X, y)
    check_stability(assess_stability(selector, X, y, n_searches, random_state=0), selector.n_features_in_)


def ask_preparation(draw: Draw, X: Any, y: Any, labels: dict[str, Any]) -> None:
    """Turn a table of any types into features."""
    preparer = Preparer(
        missing_codes=draw(st.sampled_from([None, [-9], [0, 99.5], []])), **labels,
        drop_duplicates=draw(st.sampled_from([None, 0.5, 0.99, 1, 1, 0, "x"])),
        max_categories=draw(st.sampled_from([2, 20, 20, 20, 1, 0, 2.5])),
    )  # fmt: skip
    values = np.asarray(preparer.fit_transform(X, y if draw(st.booleans()) else None))
    require(values.dtype == float and np.isfinite(values).all(), f"features {values!r}")
    require(values.shape[1] == len(preparer.get_feature_names_out()), f"features {values!r}")
    require(np.array_equal(np.asarray(preparer.transform(X)), values), "the same table is transformed otherwise")


def ask_for_several(draw: Draw, X: Any, y: Any, labels: dict[str, Any]) -> None:
    """Search several times at once."""
    seeds, k = draw(st.lists(st.integers(0, 3), max_size=3)), draw(NUMBER)
    selectors = [METHODS["fscpu"](k, max_iter=2, random_state=seed, **labels) for seed in seeds]
    for fitted in fit_many(selectors, [X] * len(seeds), [y] * len(seeds)):
        check_fitted(fitted, fitted.n_features_in_)


CHECKED: dict[str, Callable[[Draw, Any, Any, dict[str, Any]], None]] = {
    "many": ask_for_several, "preparation": ask_preparation, "stability": ask_stability,
}  # fmt: skip
