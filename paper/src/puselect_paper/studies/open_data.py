"""The paper's procedure on open data: split, scale, hide labels, select, and score with a downstream classifier."""

import math
from collections.abc import Callable, Sequence
from functools import lru_cache
from typing import NamedTuple

import numpy as np
from sklearn.metrics import average_precision_score, roc_auc_score
from sklearn.preprocessing import MinMaxScaler
from sklearn.utils import Bunch

from puselect.arrays import BoolArray, FloatArray, IntArray
from puselect.datasets import hide_labels
from puselect.evaluation import downstream_scores
from puselect.evaluation.holdout import Fitted
from puselect_paper.datasets import load_ionosphere, load_rt_iot2022, load_spambase
from puselect_paper.studies.cells import Assignment, Cell, JSONObject, journal_values

OPEN_DATA: dict[str, Callable[[], Bunch]] = {
    "spambase": load_spambase,
    "ionosphere": load_ionosphere,
    "rt_iot2022": load_rt_iot2022,
}
TEST_SHARE = 0.25


class Split(NamedTuple):
    """Training rows with few labels and test rows with all of them, both scaled by the training rows."""

    X_train: FloatArray
    y_train: IntArray
    X_test: FloatArray
    y_test: IntArray
    classes: IntArray
    """True classes of the training rows."""


def split_open_data(name: str, seed: int, rate: float | None = None) -> Split:
    """Return one split of an open data set; it depends on the name, the seed and the rate only.

    A quarter of the rows of each class, rounded down, is for testing, and of the remaining positives a share of `rate`,
    rounded down, stays labelled. This gives the counts of the paper's Table 2: 40, 9 and 23 labelled rows, 453, 31 and
    384 positives in the test part. scikit-learn's `train_test_split` rounds differently, and would change the splits
    behind the results that are kept.

    Parameters
    ----------
    name : str
        A name in `OPEN_DATA`.
    seed : int
    rate : float, optional
        By default the paper's: 3 % for Spambase, 10 % for Ionosphere, 2 % for RT-IoT2022.
    """
    bunch = _load(name)
    rng = np.random.default_rng(seed)
    test = np.zeros(len(bunch.target), dtype=bool)
    for value in (0, 1):
        rows = rng.permutation(np.flatnonzero(bunch.target == value))
        test[rows[: math.floor(TEST_SHARE * len(rows))]] = True
    scaler = MinMaxScaler().fit(bunch.data[~test])
    classes = bunch.target[~test]
    labels = _hide(classes, bunch.label_rate if rate is None else rate, rng)
    tables = [scaler.transform(bunch.data[rows]) for rows in (~test, test)]
    return Split(tables[0], labels, tables[1], bunch.target[test], classes)


def measure_counts(cell: Cell) -> JSONObject:
    """Return what a data set and the split of this seed hold, as in the paper's Table 2."""
    split, target = split_open_data(cell.data["name"], cell.seed), _load(cell.data["name"]).target
    return {
        "instances": len(target),
        "features": split.X_train.shape[1],
        "positive instances": int((target == 1).sum()),
        "labelled for training": int(split.y_train.sum()),
        "positive for testing": int(split.y_test.sum()),
    }


def n_selected(n_features: int, share: float) -> int:
    """Return how many features a share of them is, rounded up as in the paper.

    Examples
    --------
    >>> [n_selected(n, 0.5) for n in (57, 34, 67)]
    [29, 17, 34]
    """
    return math.ceil(share * n_features - 1e-9)


def assign_downstream(cell: Cell) -> Assignment:
    """Ask for a share of the features; judged by the AUC of each downstream model on the fully labelled test part."""
    return assign_split(cell, split_open_data(cell.data["name"], cell.seed, cell.data.get("rate")))


def assign_split(cell: Cell, split: Split) -> Assignment:
    """Ask for a share of the features of a split; the cell says what the method is given of the truth."""

    def values(selection: Fitted) -> JSONObject:
        return {**judge(selection.support, split, cell.data["models"], cell.seed), **journal_values(selection)}

    given, k = cell.data.get("given"), n_selected(split.X_train.shape[1], cell.data["share"])
    labels = split.classes if given == "classes" else split.y_train
    settings = {"prior": float(split.classes.mean())} if given == "prior" else {}
    return Assignment(split.X_train, labels, k, values, settings)


def judge(support: BoolArray, split: Split, models: Sequence[str], seed: int) -> dict[str, dict[str, float]]:
    """Return AUC and average precision ("ap") of each downstream model on the test rows, with the selected columns."""
    train, test = split.X_train[:, support], split.X_test[:, support]
    scores = {model: downstream_scores(model, train, split.y_train, test, random_state=seed) for model in models}
    return {
        name: {model: float(metric(split.y_test, of)) for model, of in scores.items()}
        for name, metric in (("auc", roc_auc_score), ("ap", average_precision_score))
    }


@lru_cache(maxsize=1)
def _load(name: str) -> Bunch:
    """Return the data set; the last one is cached, because reading RT-IoT2022 takes seconds."""
    return OPEN_DATA[name]()


def _hide(classes: IntArray, rate: float, rng: np.random.Generator) -> IntArray:
    n_positive = int((classes == 1).sum())
    n_labelled = max(1, math.floor(rate * n_positive + 1e-9))
    return hide_labels(classes, n_labelled / n_positive, random_state=rng)
