"""Estimates of the time of cells, so that the long ones start first and the time left can be shown."""

import math
from collections.abc import Iterable, Mapping

from puselect.methods import REGISTRY
from puselect_paper.studies.cells import Cell, JSONObject
from puselect_paper.studies.journal import Row

# Cost on an open data set relative to the 4500 by 50 of the artificial ones.
SIZE = {
    "spambase": 0.8, "ionosphere": 0.06, "rt_iot2022": 6.0, "aloi": 1.2, "campaign": 2.4, "cardiotocography": 0.2,
    "credit_default": 0.9, "crime": 0.6, "jm1": 0.6, "letter": 0.2, "mnist": 2.2, "musk": 3.4, "ozone8h": 0.6,
    "pc4": 0.2, "qsar": 0.2, "satellite": 0.7, "steel": 0.2, "waveform": 0.3, "wpbc": 0.05, "arrhythmia": 0.4,
    "cnae9": 3.0, "colon": 0.4, "isolet": 3.0, "madelon": 4.0, "pcmac": 20.0, "tuandromd": 0.5,
}  # fmt: skip
PROPORTIONAL_TO = {
    "es-mcrfs": {"max_iter": 6000, "n_estimators": 100}, "lgbm-opt": {"max_iter": 3000, "n_estimators": 100},
    "forest": {"n_estimators": 200}, "pu-bagging": {"n_estimators": 500}, "fscpu-published": {"max_iter": 3000},
    "fscpu-mi-published": {"max_iter": 3000},
}  # fmt: skip
"""Settings to which the time of a fit is proportional, with their defaults."""
OBJECTIVE_FITS = 200 / 6000
OVERHEAD = 0.2
FORESTS = 3.0  # the downstream models of real tables


def estimate_seconds(cell: Cell, known: Mapping[str, float]) -> float:
    """Return the seconds a cell will take: what its family took before, or a guess from its method and data."""
    if cell.family in known:
        return known[cell.family]
    guess = fit_seconds(cell.method, cell.settings)
    if cell.measure == "objective":
        return guess * OBJECTIVE_FITS
    n_irrelevant = cell.data.get("n_irrelevant", 25)
    size = SIZE.get(cell.data.get("name", ""), (25 + n_irrelevant) / 50)
    return float(guess * size) + (FORESTS if cell.measure == "real" else OVERHEAD)


def fit_seconds(method: str, settings: JSONObject) -> float:
    """Return the seconds of a fit on artificial data of the usual size.

    Examples
    --------
    >>> fit_seconds("fscpu-published", {"max_iter": 30}), fit_seconds("random", {})
    (15.0, 0.0)
    """
    if method not in REGISTRY:
        return 0.0
    defaults = PROPORTIONAL_TO.get(method, {})
    shares = (float(settings.get(name, usual)) / usual for name, usual in defaults.items())
    return REGISTRY[method].seconds * math.prod(shares)


def known_seconds(rows: Iterable[Row]) -> dict[str, float]:
    """Return the mean time of the finished cells of each family."""
    times: dict[str, list[float]] = {}
    for row in rows:
        if row.finished and row.engine is None:
            times.setdefault(row.cell.family, []).append(row.seconds)
    return {family: sum(seconds) / len(seconds) for family, seconds in times.items()}
