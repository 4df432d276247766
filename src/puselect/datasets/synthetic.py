"""Artificial positive-unlabelled data whose relevant columns are known."""

import re
from numbers import Integral
from typing import Any, NamedTuple

import numpy as np
from numpy.random import Generator, RandomState
from numpy.typing import ArrayLike, NDArray

from puselect.arrays import FloatArray, IntArray

CONDITIONS = (
    "40/8/1",
    "40/8/2",
    "40/1/1",
    "40/1/2",
    "10/8/1",
    "10/8/2",
    "10/1/1",
    "10/1/2",
    "40/outlier",
    "10/outlier",
)
"""The paper's ten conditions, as `make_pu_clusters` names them, in the order of its Table 1."""

_MEAN_BOUND = 5.0
_CLUSTER_VARIANCE = 10.0
_OUTLIER_VARIANCE = 25.0
_IRRELEVANT_BOUND = 10.0


class Condition(NamedTuple):
    """What a condition's name says."""

    rate: float
    clusters: tuple[int, int] | None  # negative, positive; None: the positives are outliers


def make_pu_clusters(
    condition: str = "10/8/2",
    *,
    n_negative: int = 4000,
    n_positive: int = 500,
    n_relevant: int = 25,
    n_irrelevant: int = 25,
    n_redundant: int | None = None,
    shuffle: bool = True,
    return_classes: bool = False,
    random_state: int | RandomState | Generator | None = None,
) -> tuple[NDArray[Any], ...]:
    """Draw positive-unlabelled data under one of the paper's conditions, or a harder one.

    Each Gaussian cluster has a mean drawn from Uniform(-5, 5) and covariance 10 I; the rows of a class
    are split evenly over its clusters. In the outlier conditions all rows come from N(0, 25 I) and those
    of largest norm are the positives. Irrelevant columns are Uniform(-10, 10), except the redundant ones:
    each of these is a different other irrelevant column plus N(0, 1).

    With the same seed, conditions that differ only in the percentage share their rows, and the labelled
    rows of the lower percentage are among those of the higher.

    Parameters
    ----------
    condition : str
        "percent labelled/negative clusters/positive clusters" or "percent labelled/outlier". `CONDITIONS`
        holds the paper's ten; other numbers, such as "2/8/2", are welcome.
    n_negative, n_positive : int
        Rows of each true class.
    n_relevant, n_irrelevant : int
        Columns of each kind.
    n_redundant : int or None
        How many of the irrelevant columns are noisy copies of another one. None: a fifth, rounded down.
    shuffle : bool
        Whether rows and columns stand in random order. If not, relevant columns and negative rows
        come first.
    return_classes : bool
        Whether to return the true classes too.
    random_state : int, RandomState, Generator or None
        Source of all chance.

    Returns
    -------
    X : ndarray of shape (n_negative + n_positive, n_relevant + n_irrelevant)
        Raw values, not scaled.
    y : int ndarray of shape (n_rows,)
        What is seen: 1 labelled positive, 0 unlabelled.
    relevant : bool ndarray of shape (n_columns,)
        The columns a selector should find.
    classes : int ndarray of shape (n_rows,)
        1 positive, 0 negative. Only with `return_classes`.

    Examples
    --------
    >>> from puselect.datasets import make_pu_clusters
    >>> X, y, relevant = make_pu_clusters("10/8/2", random_state=0)
    >>> X.shape, int(y.sum()), int(relevant.sum())
    ((4500, 50), 50, 25)
    """
    rate, clusters = parse_condition(condition)
    n_rows = (n_negative, n_positive)
    _check_counts(n_negative=n_negative, n_positive=n_positive)
    _check_counts(n_relevant=n_relevant, n_irrelevant=n_irrelevant)
    n_redundant = n_irrelevant // 5 if n_redundant is None else n_redundant
    _check_redundant(n_redundant, n_irrelevant)
    _check_clusters(clusters, n_rows)

    rng = _generator(random_state)
    signal = _relevant_block(rng, clusters, n_rows, n_relevant)
    X = np.hstack([signal, _irrelevant_block(rng, sum(n_rows), n_irrelevant, n_redundant)])
    classes = np.repeat([0, 1], n_rows)
    relevant = np.arange(X.shape[1]) < n_relevant
    if shuffle:
        rows, columns = rng.permutation(X.shape[0]), rng.permutation(X.shape[1])
        X, classes, relevant = X[np.ix_(rows, columns)], classes[rows], relevant[columns]
    # Labelling comes last so that the percentage changes nothing but the labels.
    y = hide_labels(classes, rate, random_state=rng)
    return (X, y, relevant, classes) if return_classes else (X, y, relevant)


def hide_labels(
    y: ArrayLike,
    rate: float,
    *,
    pos_label: object = 1,
    random_state: int | RandomState | Generator | None = None,
) -> IntArray:
    """Turn known classes into positive-unlabelled labels: keep some positives, hide everything else.

    Parameters
    ----------
    y : array-like of shape (n_rows,)
        True classes.
    rate : float
        Share of the positives that stay labelled, in (0, 1]. Their number is rounded, and at least one.
    pos_label : object
        The value of `y` that means positive.
    random_state : int, RandomState, Generator or None
        Decides which positives stay labelled.

    Returns
    -------
    labels : int ndarray of shape (n_rows,)
        1 labelled positive, 0 unlabelled.

    Examples
    --------
    >>> from puselect.datasets import hide_labels
    >>> labels = hide_labels(["b", "g", "b", "b", "g", "b"], 0.5, pos_label="b", random_state=0)
    >>> int(labels.sum()), labels[[1, 4]].tolist()
    (2, [0, 0])
    """
    if not 0 < rate <= 1:
        raise ValueError(f"rate must lie in (0, 1], got {rate!r}")
    classes = np.asarray(y)
    if classes.ndim != 1:
        raise ValueError(f"y must be one-dimensional, got shape {classes.shape}")
    positives = np.flatnonzero(classes == pos_label)
    if len(positives) == 0:
        raise ValueError(f"y must hold at least one positive (pos_label={pos_label!r}), got none")
    n_labelled = max(1, round(rate * len(positives)))
    labels = np.zeros(len(classes), dtype=np.int64)
    labels[_generator(random_state).permutation(positives)[:n_labelled]] = 1
    return labels


def parse_condition(condition: str) -> Condition:
    """Return what a name such as "10/8/2" or "10/outlier" says, or raise a ValueError."""
    parts = re.fullmatch(r"(\d+(?:\.\d+)?|\.\d+)/(?:(\d+)/(\d+)|outlier)", str(condition))
    if parts is None:
        raise ValueError(
            "condition must look like '10/8/2' (percent labelled/negative clusters/positive clusters) "
            f"or '10/outlier', got {condition!r}"
        )
    percent, negative, positive = parts.groups()
    if not 0 < float(percent) <= 100:
        raise ValueError(f"the percentage of condition must lie in (0, 100], got {condition!r}")
    if negative is None:
        return Condition(float(percent) / 100, None)
    return Condition(float(percent) / 100, (int(negative), int(positive)))


def _check_counts(**counts: int) -> None:
    for name, count in counts.items():
        if not isinstance(count, Integral) or count < 1:
            raise ValueError(f"{name} must be an integer of at least 1, got {count!r}")


def _check_redundant(n_redundant: int, n_irrelevant: int) -> None:
    most = n_irrelevant // 2
    if not isinstance(n_redundant, Integral) or not 0 <= n_redundant <= most:
        raise ValueError(
            f"n_redundant must be an integer in 0..{most} (each copies another one of the "
            f"{n_irrelevant} irrelevant columns), got {n_redundant!r}"
        )


def _check_clusters(clusters: tuple[int, int] | None, n_rows: tuple[int, int]) -> None:
    for kind, n_clusters, n in zip(("negative", "positive"), clusters or (1, 1), n_rows, strict=True):
        if not 1 <= n_clusters <= n:
            raise ValueError(f"condition must ask for 1..{n} {kind} clusters in {n} rows, got {n_clusters}")


def _generator(random_state: int | RandomState | Generator | None) -> Generator:
    if isinstance(random_state, RandomState):
        return np.random.default_rng(random_state.randint(2**31, size=4))
    return np.random.default_rng(random_state)


def _relevant_block(
    rng: Generator, clusters: tuple[int, int] | None, n_rows: tuple[int, int], n_columns: int
) -> FloatArray:
    """Return the relevant columns, negative rows first."""
    if clusters is None:
        return _outliers_last(rng, sum(n_rows), n_rows[1], n_columns)
    blocks = [_gaussian_clusters(rng, n, k, n_columns) for n, k in zip(n_rows, clusters, strict=True)]
    return np.vstack(blocks)


def _gaussian_clusters(rng: Generator, n_rows: int, n_clusters: int, n_columns: int) -> FloatArray:
    means = rng.uniform(-_MEAN_BOUND, _MEAN_BOUND, (n_clusters, n_columns))
    cluster = np.arange(n_rows) * n_clusters // n_rows
    return means[cluster] + rng.normal(0, np.sqrt(_CLUSTER_VARIANCE), (n_rows, n_columns))


def _outliers_last(rng: Generator, n_rows: int, n_outliers: int, n_columns: int) -> FloatArray:
    rows = rng.normal(0, np.sqrt(_OUTLIER_VARIANCE), (n_rows, n_columns))
    outlier = np.zeros(n_rows, dtype=bool)
    outlier[np.argsort(np.linalg.norm(rows, axis=1))[-n_outliers:]] = True
    return np.vstack([rows[~outlier], rows[outlier]])


def _irrelevant_block(rng: Generator, n_rows: int, n_columns: int, n_redundant: int) -> FloatArray:
    noise = rng.uniform(-_IRRELEVANT_BOUND, _IRRELEVANT_BOUND, (n_rows, n_columns - n_redundant))
    copied = rng.permutation(noise.shape[1])[:n_redundant]
    return np.hstack([noise, noise[:, copied] + rng.normal(0, 1, (n_rows, n_redundant))])
