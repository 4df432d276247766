"""Estimates of the time of cells, so that the long ones start first and the time left can be shown."""

from collections.abc import Iterable, Mapping

from puselect.methods import REGISTRY
from puselect.studies.cells import Cell
from puselect.studies.journal import Row

# Cost on an open data set relative to the 4500 by 50 of the artificial ones.
SIZE = {
    "spambase": 0.8, "ionosphere": 0.06, "rt_iot2022": 6.0, "aloi": 1.2, "campaign": 2.4, "letter": 0.2, "mnist": 2.2,
    "waveform": 0.3, "wpbc": 0.05,
}  # fmt: skip
OBJECTIVE_FITS = 200 / 6000
OVERHEAD = 0.2
FORESTS = 3.0  # the downstream models of real tables


def estimate_seconds(cell: Cell, known: Mapping[str, float]) -> float:
    """Return the seconds a cell will take: what its family took before, or a guess from its method and data."""
    if cell.family in known:
        return known[cell.family]
    guess = REGISTRY[cell.method].cost.estimate(cell.settings) if cell.method in REGISTRY else 0.0
    if cell.measure == "objective":
        return guess * OBJECTIVE_FITS
    n_irrelevant = cell.data.get("n_irrelevant", 25)
    size = SIZE.get(cell.data.get("name", ""), (25 + n_irrelevant) / 50)
    return float(guess * size) + (FORESTS if cell.measure == "real" else OVERHEAD)


def known_seconds(rows: Iterable[Row]) -> dict[str, float]:
    """Return the mean time of the finished cells of each family."""
    times: dict[str, list[float]] = {}
    for row in rows:
        if row.finished and row.engine is None:
            times.setdefault(row.cell.family, []).append(row.seconds)
    return {family: sum(seconds) / len(seconds) for family, seconds in times.items()}
