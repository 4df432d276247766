"""What is asked about a table besides a selection, of every kind of table and label vector."""

from collections.abc import Callable
from typing import Any

import hypothesis.strategies as st
import numpy as np
from damage import Draw, chance
from fits import check_fitted, check_stability, content_of, table
from outcome import attempt, require

from puselect import (
    FSCPU,
    METHODS,
    Preparer,
    assess_stability,
    check_suitability,
    find_leaks,
    find_twins,
    fit_many,
)  # fmt: skip
from puselect.checks.prior import estimate_prior
from puselect.checks.spread import check_label_spread

NUMBER = st.sampled_from([None, 1, 2, 3, 3, 5])


def example(draw: Draw) -> str:
    """Ask one question about a table and check the answer."""
    drawn = table(draw)
    if drawn is None:
        return "no such table"
    X, y, pos_label = drawn
    name = draw(st.sampled_from(sorted(QUESTIONS)))
    ask = QUESTIONS[name](draw, X, y, pos_label)
    before = [content_of(value) for value in (X, y)]
    _, error = attempt(ask)
    require([content_of(value) for value in (X, y)] == before, f"{name} changed its input")
    return f"{name}: {'answer' if error is None else 'clear error'}"


Ask = Callable[[], None]
"""Asks the question and checks the answer; everything is drawn before."""


def suitability(draw: Draw, X: Any, y: Any, pos_label: Any) -> Ask:
    """Return whether the positives form clusters."""
    k, options = draw(NUMBER), {"n_shuffles": draw(st.sampled_from([1, 2, 5])), "early_stopping": draw(st.booleans())}

    def ask() -> None:
        found = check_suitability(X, y, k, pos_label=pos_label, engine="cpu", random_state=0, **options)
        require(0 < found.p_value <= 1 and str(found), f"{found!r}")

    return ask


def stability(draw: Draw, X: Any, y: Any, pos_label: Any) -> Ask:
    """Return how often features would be selected again."""
    name = draw(st.sampled_from(["fscpu", "fscpu", "kbest", "lepage", "semi-jmi"]))
    selector = METHODS[name](draw(NUMBER) or 2, pos_label=pos_label, random_state=0)
    if name == "fscpu":
        selector.set_params(max_iter=2, engine="cpu")
    n_searches = draw(st.sampled_from([0, 1, -1, 2.5, None, "x"] if chance(draw, 10) else [2, 3, 8]))

    def ask() -> None:
        found = assess_stability(selector.fit(X, y), X, y, n_searches, random_state=0)
        check_stability(found, selector.n_features_in_)

    return ask


def twins(draw: Draw, X: Any, y: Any, pos_label: Any) -> Ask:
    """Return which columns are interchangeable."""
    threshold = draw(st.sampled_from([0.5, 0.99, 0.99, 1, 1e-300, 0, 2]))

    def ask() -> None:
        for found in find_twins(X, threshold):
            require(len(found.columns) > 1 and 0 <= found.correlation <= 1, f"{found!r}")

    return ask


def leaks(draw: Draw, X: Any, y: Any, pos_label: Any) -> Ask:
    """Return which columns give the labels away."""

    def ask() -> None:
        for found in find_leaks(X, y):
            require(found.column >= 0 and str(found), f"{found!r}")

    return ask


def prior(draw: Draw, X: Any, y: Any, pos_label: Any) -> Ask:
    """Return how many positives there are."""
    return lambda: require(str(estimate_prior(X, y, pos_label=pos_label, random_state=0)), "no words")


def spread(draw: Draw, X: Any, y: Any, pos_label: Any) -> Ask:
    """Return whether labels come from one corner of the positives."""
    k = draw(NUMBER)
    return lambda: require(str(check_label_spread(X, y, k, pos_label=pos_label, random_state=0)), "no words")


def preparation(draw: Draw, X: Any, y: Any, pos_label: Any) -> Ask:
    """Return the features of a table of any types."""
    preparer = Preparer(
        missing_codes=draw(st.sampled_from([None, [-9], [0, 99.5], []])), pos_label=pos_label,
        drop_duplicates=draw(st.sampled_from([None, 0.5, 0.99, 1, 1, 0, "x"])),
        max_categories=draw(st.sampled_from([2, 20, 20, 20, 1, 0, 2.5])),
    )  # fmt: skip
    labels = draw(st.sampled_from([y, None]))

    def ask() -> None:
        values = np.asarray(preparer.fit_transform(X, labels))
        require(values.dtype == float and np.isfinite(values).all(), f"features {values!r}")
        require(values.shape[1] == len(preparer.get_feature_names_out()), f"features {values!r}")
        require(np.array_equal(np.asarray(preparer.transform(X)), values), "the same table is transformed otherwise")
        require(len(preparer.outcomes_) == preparer.n_features_in_ and all(map(str, preparer.outcomes_)), "outcomes")

    return ask


def many(draw: Draw, X: Any, y: Any, pos_label: Any) -> Ask:
    """Return several searches."""
    seeds, k = draw(st.lists(st.integers(0, 3), max_size=3)), draw(NUMBER)
    n_labels = draw(st.sampled_from([len(seeds)] * 5 + [1]))
    selectors = [FSCPU(k, pos_label=pos_label, max_iter=2, random_state=seed) for seed in seeds]

    def ask() -> None:
        for fitted in fit_many(selectors, [X] * len(seeds), [y] * n_labels):
            check_fitted(fitted, fitted.n_features_in_)

    return ask


QUESTIONS: dict[str, Callable[[Draw, Any, Any, Any], Ask]] = {
    "leaks": leaks, "many": many, "preparation": preparation, "prior": prior, "spread": spread,
    "stability": stability, "suitability": suitability, "twins": twins,
}  # fmt: skip
