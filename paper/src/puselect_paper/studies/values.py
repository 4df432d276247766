"""What a finished cell holds, by measure; rows read from disk are checked here, so that tables can trust them."""

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

Values = Mapping[str, Any]


def check_values(measure: str, data: Mapping[str, Any], values: Values) -> None:
    """Raise a ValueError if values of a measure lack something that tables and figures need.

    Examples
    --------
    >>> check_values("recall", {}, {"fsr": "high"})
    Traceback (most recent call last):
    ValueError: fsr must be a number in 0..1, got 'high'
    """
    check = CHECKS.get(measure)
    if check is not None:
        check(data, values)
    for name in ("fit_seconds", "objective", "steps", "converged", "undecided"):
        if name in values:
            _number(name, values[name])


def _check_recall(data: Mapping[str, Any], values: Values) -> None:
    _share("fsr", values.get("fsr"))


def _check_convergence(data: Mapping[str, Any], values: Values) -> None:
    _check_recall(data, values)
    evaluations = _numbers("evaluations", values.get("evaluations"), 1)
    theta = _numbers("theta", values.get("theta"), 2)
    relevant = _numbers("relevant", values.get("relevant"), 1)
    if len(theta) != len(evaluations):
        raise ValueError(f"theta must have one line per entry of evaluations, got {len(theta)}, {len(evaluations)}")
    if not np.isin(relevant, np.arange(theta.shape[1])).all():
        raise ValueError(f"relevant must hold columns of theta, which has {theta.shape[1]}")


def _check_objective(data: Mapping[str, Any], values: Values) -> None:
    printed, exact = (_numbers(name, values.get(name), 1) for name in ("printed", "exact"))
    if len(printed) != len(exact):
        raise ValueError(f"printed and exact must be equally long, got {len(printed)} and {len(exact)}")


def _check_downstream(data: Mapping[str, Any], values: Values) -> None:
    auc = values.get("auc")
    if not isinstance(auc, dict):
        raise ValueError(f"auc must be a table of numbers by model, got {auc!r}")
    models = data.get("models", ())
    if not all(isinstance(model, str) for model in (models if isinstance(models, list | tuple) else [None])):
        raise ValueError(f"models must be a list of names, got {models!r}")
    for model in models:
        _share(f"auc.{model}", auc.get(model))


def _check_counts(data: Mapping[str, Any], values: Values) -> None:
    for name in ("instances", "features", "positive instances", "labelled for training", "positive for testing"):
        count = values.get(name)
        if not isinstance(count, int) or isinstance(count, bool) or count < 0:
            raise ValueError(f"{name} must be a count, got {count!r}")


CHECKS: dict[str, Callable[[Mapping[str, Any], Values], None]] = {
    "recall": _check_recall,
    "convergence": _check_convergence,
    "objective": _check_objective,
    "downstream": _check_downstream,
    "real": _check_downstream,
    "counts": _check_counts,
}


def _share(name: str, value: Any) -> None:
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value <= 1:
        raise ValueError(f"{name} must be a number in 0..1, got {value!r}")


def _number(name: str, value: Any) -> None:
    if not isinstance(value, int | float) or not abs(value) < 1e300:
        raise ValueError(f"{name} must be a finite number, got {value!r}")


def _numbers(name: str, value: Any, n_dimensions: int) -> np.ndarray[Any, np.dtype[np.float64]]:
    try:
        array = np.array(value, dtype=np.float64)
    except (TypeError, ValueError, OverflowError):
        array = np.empty(0)
    if not isinstance(value, list) or array.ndim != n_dimensions or not array.size or not np.isfinite(array).all():
        raise ValueError(f"{name} must hold finite numbers in {n_dimensions} dimension(s)")
    return array
