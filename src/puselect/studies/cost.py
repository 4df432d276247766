"""What cells will cost, so that the long ones start first and the time left can be told."""

from collections.abc import Iterable, Mapping
from typing import Any

from puselect.studies.cells import Cell
from puselect.studies.journal import Row

# Seconds of one fit with default settings on 4500 rows and 50 features, one thread; an order of magnitude is enough.
SECONDS = {
    "es-mcrfs": 3000.0,
    "fscpu-mi-published": 1500.0,
    "fscpu-published": 1500.0,
    "lgbm-opt": 1200.0,
    "dt-rfe": 45.0,
    "fscpu-mi": 6.0,
    "fscpu": 5.0,
    "jsfs": 1.0,
    "mrmr-ufs": 1.0,
    "sselect": 0.5,
}
QUICK = 0.2
# Settings in which the cost is proportional, with the defaults that SECONDS stand for.
STEPS = {"lgbm-opt": {"max_iter": 3000, "n_estimators": 100}, "es-mcrfs": {"max_iter": 6000, "n_estimators": 100}}
PUBLISHED_STEPS = {"max_iter": 3000}
# Cost of an open data set beside the 4500 by 50 of the artificial ones.
SIZE = {"spambase": 0.8, "ionosphere": 0.06, "rt_iot2022": 6.0}
OBJECTIVE_FITS = 200 / 6000


def estimate_seconds(cell: Cell, known: Mapping[str, float]) -> float:
    """Return what the cell will take: what its family took before, or a guess from the kind of work."""
    if cell.family in known:
        return known[cell.family]
    guess = SECONDS.get(cell.method, QUICK) * _steps(cell.method, cell.settings)
    if cell.measure == "objective":
        return guess * OBJECTIVE_FITS
    n_irrelevant = cell.data.get("n_irrelevant", 25)
    return float(guess * SIZE.get(cell.data.get("name", ""), (25 + n_irrelevant) / 50)) + QUICK


def known_seconds(rows: Iterable[Row]) -> dict[str, float]:
    """Return the mean time of the finished cells of each family."""
    times: dict[str, list[float]] = {}
    for row in rows:
        if row.finished and row.engine is None:
            times.setdefault(row.cell.family, []).append(row.seconds)
    return {family: sum(seconds) / len(seconds) for family, seconds in times.items()}


def _steps(method: str, settings: Mapping[str, Any]) -> float:
    """Return the share of the default work that the settings ask for."""
    proportional = STEPS.get(method, PUBLISHED_STEPS if method.endswith("published") else {})
    share = 1.0
    for name, default in proportional.items():
        share *= settings.get(name, default) / default
    return share
