"""Checks on the values of a finished cell, by measure, so that tables can trust what was read from disk."""

import numpy as np

from puselect_paper.studies.cells import JSONObject

COUNTS = ("instances", "features", "positive instances", "labelled for training", "positive for testing")
NEEDED = {
    "recall": {"fsr": 0},
    "convergence": {"fsr": 0, "evaluations": 1, "theta": 2, "relevant": 1},
    "objective": {"printed": 1, "exact": 1},
    "counts": dict.fromkeys(COUNTS, 0),
}
"""Names of the values, with the dimensions of the numbers they hold."""
SHARES = ("fsr", "auc")


def check_values(measure: str, data: JSONObject, values: JSONObject) -> None:
    """Raise a ValueError if values of a measure lack something that tables and figures need.

    Examples
    --------
    >>> check_values("recall", {}, {"fsr": "high"})
    Traceback (most recent call last):
    ValueError: fsr must hold finite numbers in 0 dimension(s), got 'high'
    """
    for name, n_dimensions in NEEDED.get(measure, {}).items():
        check_numbers(name, values.get(name), n_dimensions)
    if measure in ("downstream", "real"):
        auc, models = values.get("auc"), data.get("models")
        if not isinstance(auc, dict) or not isinstance(models, list | tuple):
            raise ValueError(f"auc must be a table of numbers by model, got {auc!r} and the models {models!r}")
        for model in models:
            check_numbers("auc", auc.get(model), 0)
    for name in ("fit_seconds", "objective", "steps", "converged", "undecided"):
        if name in values:
            check_numbers(name, values[name], 0)


def check_numbers(name: str, value: object, n_dimensions: int) -> None:
    """Raise a ValueError unless a value is a number, or a list of them, or lists of equal length; shares up to 1."""
    try:
        array = np.array(value, dtype=np.float64) if isinstance(value, int | float | list) else np.empty((0,) * 9)
    except (TypeError, ValueError, OverflowError):
        array = np.empty((0,) * 9)
    highest = 1.0 if name in SHARES else np.inf
    if array.ndim != n_dimensions or not array.size or not np.isfinite(array).all() or array.max() > highest:
        raise ValueError(f"{name} must hold finite numbers in {n_dimensions} dimension(s), got {value!r}")
