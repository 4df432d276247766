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
from puselect.checks.spread import check_label_spread

NUMBER = st.sampled_from([None, 1, 2, 3, 3, 5])


def example(draw: Draw) -> str:
    """Ask one question about a table and check the answer."""
    drawn = table(draw)
    if drawn is None:
        return "no such table"
    X, y, pos_label = drawn
    name = draw(st.sampled_from(sorted(QUESTIONS)))
    before = [content_of(value) for value in (X, y)]
    _, error = attempt(lambda: QUESTIONS[name](draw, X, y, pos_label))
    require([content_of(value) for value in (X, y)] == before, f"{name} changed its input")
    return f"{name}: {'answer' if error is None else 'clear error'}"


def ask_suitability(draw: Draw, X: Any, y: Any, pos_label: Any) -> None:
    """Check whether the positives form clusters."""
    options = {"n_shuffles": draw(st.sampled_from([1, 2, 5])), "early_stopping": draw(st.booleans())}
    found = check_suitability(X, y, draw(NUMBER), pos_label=pos_label, engine="cpu", random_state=0, **options)
    require(0 < found.p_value <= 1 and str(found), f"{found!r}")


def ask_stability(draw: Draw, X: Any, y: Any, pos_label: Any) -> None:
    """Select again from random halves of the labels."""
    name = draw(st.sampled_from(["fscpu", "fscpu", "kbest", "lepage", "semi-jmi"]))
    quick = {"max_iter": 2, "engine": "cpu"} if name == "fscpu" else {}
    n_searches = draw(st.sampled_from([0, 1, -1, 2.5, None, "x"] if chance(draw, 10) else [2, 3, 8]))
    selector = METHODS[name](draw(NUMBER) or 2, pos_label=pos_label, random_state=0, **quick).fit(X, y)
    check_stability(assess_stability(selector, X, y, n_searches, random_state=0), selector.n_features_in_)


def ask_twins(draw: Draw, X: Any, y: Any, pos_label: Any) -> None:
    """Find interchangeable columns."""
    for found in find_twins(X, draw(st.sampled_from([0.5, 0.99, 0.99, 1, 1e-300, 0, 2]))):
        require(len(found.columns) > 1 and 0 <= found.correlation <= 1, f"{found!r}")


def ask_leaks(draw: Draw, X: Any, y: Any, pos_label: Any) -> None:
    """Find columns that give the labels away."""
    for found in find_leaks(X, y):
        require(found.column >= 0 and str(found), f"{found!r}")


def ask_prior(draw: Draw, X: Any, y: Any, pos_label: Any) -> None:
    """Estimate the number of positives."""
    require(str(estimate_prior(X, y, pos_label=pos_label, random_state=0)), "no words")


def ask_spread(draw: Draw, X: Any, y: Any, pos_label: Any) -> None:
    """Check whether labels come from one corner of the positives."""
    require(str(check_label_spread(X, y, draw(NUMBER), pos_label=pos_label, random_state=0)), "no words")


def ask_preparation(draw: Draw, X: Any, y: Any, pos_label: Any) -> None:
    """Turn a table of any types into features."""
    preparer = Preparer(
        missing_codes=draw(st.sampled_from([None, [-9], [0, 99.5], []])), pos_label=pos_label,
        drop_duplicates=draw(st.sampled_from([None, 0.5, 0.99, 1, 1, 0, "x"])),
        max_categories=draw(st.sampled_from([2, 20, 20, 20, 1, 0, 2.5])),
    )  # fmt: skip
    values = np.asarray(preparer.fit_transform(X, y if draw(st.booleans()) else None))
    require(values.dtype == float and np.isfinite(values).all(), f"features {values!r}")
    require(values.shape[1] == len(preparer.get_feature_names_out()), f"features {values!r}")
    require(np.array_equal(np.asarray(preparer.transform(X)), values), "the same table is transformed otherwise")
    require(len(preparer.outcomes_) == preparer.n_features_in_ and all(map(str, preparer.outcomes_)), "outcomes")


def ask_for_several(draw: Draw, X: Any, y: Any, pos_label: Any) -> None:
    """Search several times at once."""
    seeds, k = draw(st.lists(st.integers(0, 3), max_size=3)), draw(NUMBER)
    n_labels = draw(st.sampled_from([len(seeds)] * 5 + [1]))
    selectors = [METHODS["fscpu"](k, pos_label=pos_label, max_iter=2, random_state=seed) for seed in seeds]
    for fitted in fit_many(selectors, [X] * len(seeds), [y] * n_labels):
        check_fitted(fitted, fitted.n_features_in_)


QUESTIONS: dict[str, Callable[[Draw, Any, Any, Any], None]] = {
    "leaks": ask_leaks, "many": ask_for_several, "preparation": ask_preparation, "prior": ask_prior,
    "spread": ask_spread, "stability": ask_stability, "suitability": ask_suitability, "twins": ask_twins,
}  # fmt: skip
