"""The numbers that the paper printed, and whether ours differ from them."""

import csv
import math
from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import NamedTuple, Self

import numpy as np

FILE = Path(__file__).parent / "paper_tables.csv"
N_EXPERIMENTS = {"fsr": 5, "auc": 3}
"""Repetitions behind each number of Table 1 and of Table 3."""
DECIMALS = {"fsr": 2, "auc": 3}
"""Digits that the paper printed."""


class Figure(NamedTuple):
    """Mean and standard deviation of n values; the deviation of a single value is unknown (nan)."""

    mean: float
    sd: float
    n: int

    @classmethod
    def of(cls, values: Sequence[float]) -> Self:
        """Return the figure of some values."""
        return cls(float(np.mean(values)), float(np.std(values, ddof=1)) if len(values) > 1 else math.nan, len(values))

    def text(self, decimals: int) -> str:
        """Return mean ± deviation as the paper writes them, without leading zeros."""
        return short(self.mean, decimals) + ("" if math.isnan(self.sd) else f"±{short(self.sd, decimals)}")


def short(value: float, decimals: int) -> str:
    """Return a number without its leading zero.

    Examples
    --------
    >>> short(0.914, 2), short(1, 2), short(-0.05, 2)
    ('.91', '1.00', '-.05')
    """
    return f"{value:.{decimals}f}".replace("0.", ".", 1) if abs(value) < 1 else f"{value:.{decimals}f}"


@cache
def paper_figures(metric: str) -> dict[tuple[str, str], Figure]:
    """Return the paper's figures by method and data: Table 1 for "fsr", Table 3 for "auc".

    Examples
    --------
    >>> paper_figures("fsr")["fscpu-published", "40/8/1"]
    Figure(mean=0.91, sd=0.07, n=5)
    """
    with FILE.open(newline="", encoding="utf-8") as file:
        rows = [row for row in csv.DictReader(file) if row["metric"] == metric]
    n = N_EXPERIMENTS[metric]
    return {(row["method"], row["data"]): Figure(float(row["mean"]), float(row["std"]), n) for row in rows}


def differs(ours: Figure, paper: Figure, metric: str) -> bool:
    """Return whether the means lie more than two standard errors of their difference apart.

    The paper's mean may be off by half of its last digit; where we have a single value, the paper's deviation stands in
    for ours.

    Examples
    --------
    >>> differs(Figure(0.80, 0.05, 5), Figure(0.91, 0.07, 5), "fsr")
    True
    >>> differs(Figure(0.85, 0.05, 5), Figure(0.91, 0.07, 5), "fsr")
    False
    """
    sd = paper.sd if math.isnan(ours.sd) else ours.sd
    error = math.sqrt(sd**2 / ours.n + paper.sd**2 / paper.n)
    return abs(ours.mean - paper.mean) > 2 * error + 0.5 * 10.0 ** -DECIMALS[metric] + 1e-12
