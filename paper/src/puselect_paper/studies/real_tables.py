"""Real tables in paired splits: features chosen from few labels, models judged by the true classes of held-out rows.

At most 12,000 rows of a table, drawn once for all splits; 70 % of them for training; of the positives among these 5 %
(`LABELLED_SHARES` has exceptions), but at least ten and at most half of them, are labelled. Columns that are constant
in the training rows are left out.
"""

import os
from functools import cache
from pathlib import Path
from typing import NamedTuple

import numpy as np
from sklearn.model_selection import train_test_split

from puselect.arrays import BoolArray, FloatArray, IntArray
from puselect_paper.studies.cells import Assignment, Cell
from puselect_paper.studies.open_data import OPEN_DATA, Split, assign_split

MOST_ROWS = 12_000
TEST_SHARE = 0.3
LABELLED_SHARE = 0.05
LABELLED_SHARES = {"cardiotocography": 0.1, "qsar": 0.1, "satellite": 0.02, "optdigits": 0.03}
FEWEST_LABELLED = 10
FOLDERS = ("real", "wide")
STREAM = 2027
"""Keeps these splits apart from all that defaults were tuned on, which came from `train_test_split` with the seeds
1000 to 1026 themselves."""


class RealTable(NamedTuple):
    """Columns of numbers, and the true classes."""

    X: FloatArray
    y: BoolArray


@cache
def load_real_table(name: str) -> RealTable:
    """Return at most 12,000 rows of a table, stratified by class.

    Parameters
    ----------
    name : str
        A name in `OPEN_DATA`, or of a file ``$PUSELECT_DATA/real/<name>.npz`` or
        ``$PUSELECT_DATA/wide/<name>.npz`` with ``X`` and ``y`` (1 = positive).
    """
    if name in OPEN_DATA:
        bunch = OPEN_DATA[name]()
        X, y = bunch.data, bunch.target == 1
    else:
        with np.load(table_path(name)) as file:
            X, y = file["X"].astype(np.float64), file["y"].ravel() == 1
    if len(X) > MOST_ROWS:
        kept, _ = train_test_split(np.arange(len(X)), train_size=MOST_ROWS, stratify=y, random_state=0)
        X, y = X[kept], y[kept]
    return RealTable(X, y)


def table_path(name: str) -> Path:
    """Return where a table is, or raise a FileNotFoundError that says where it should be."""
    home = os.environ.get("PUSELECT_DATA")
    for path in (Path(home or "") / folder / f"{name}.npz" for folder in FOLDERS):
        if home and path.is_file():
            return path
    places = " or ".join(f"{folder}/{name}.npz" for folder in FOLDERS)
    raise FileNotFoundError(f"PUSELECT_DATA must name the folder that holds {places}, got {home!r}")


def split_real_table(name: str, seed: int) -> Split:
    """Return one split of a table; it depends on the name and the seed only."""
    X, y = load_real_table(name)
    rng = np.random.default_rng([STREAM, seed])
    train, test = train_test_split(
        np.arange(len(y)), test_size=TEST_SHARE, stratify=y, random_state=int(rng.integers(2**31))
    )
    labels = np.zeros(len(y), dtype=np.int64)
    labels[_labelled(name, train[y[train]], rng)] = 1
    varying = np.ptp(X[train], axis=0) > 0
    classes = y.astype(np.int64)
    return Split(X[train][:, varying], labels[train], X[test][:, varying], classes[test], classes[train])


def _labelled(name: str, positives: IntArray, rng: np.random.Generator) -> IntArray:
    wanted = max(FEWEST_LABELLED, round(LABELLED_SHARES.get(name, LABELLED_SHARE) * len(positives)))
    return rng.permutation(positives)[: min(wanted, len(positives) // 2)]


def assign_real_table(cell: Cell) -> Assignment:
    """Ask for a share of the features; judged by each model on the true classes of the test rows.

    Selected features are counted among those that vary in the training rows.
    """
    return assign_split(cell, split_real_table(cell.data["name"], cell.seed))
