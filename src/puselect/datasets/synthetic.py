"""Artificial positive-unlabelled data whose relevant columns are known."""

import re
from collections.abc import Callable

import numpy as np
from numpy.random import Generator, RandomState
from numpy.typing import ArrayLike

from puselect.arrays import AnyArray, BoolArray, FloatArray, IntArray
from puselect.parameters import check_choice, check_number

Seed = int | RandomState | Generator | None

CONDITIONS = (
    *("40/8/1", "40/8/2", "40/1/1", "40/1/2"),
    *("10/8/1", "10/8/2", "10/1/1", "10/1/2"),
    *("40/outlier", "10/outlier"),
)
"""The paper's ten conditions, as `make_pu_clusters` names them, in the order of its Table 1."""


def _correlated(rng: Generator, relevant: FloatArray, n_columns: int) -> FloatArray:
    factors, loadings = rng.normal(size=(len(relevant), 5)), rng.normal(0, 2, (5, n_columns))
    return np.asarray(factors @ loadings + rng.normal(0, 2, (len(relevant), n_columns)))


def _permuted(rng: Generator, relevant: FloatArray, n_columns: int) -> FloatArray:
    origin = np.resize(rng.permutation(relevant.shape[1]), n_columns)
    return rng.permuted(relevant[:, origin], axis=0)


def _nuisance(rng: Generator, relevant: FloatArray, n_columns: int) -> FloatArray:
    means = rng.uniform(-5, 5, (6, n_columns))
    cluster = rng.integers(6, size=len(relevant))
    return np.asarray(means[cluster] + rng.normal(0, np.sqrt(10), (len(relevant), n_columns)))


_DRAW: dict[str, Callable[[Generator, FloatArray, int], FloatArray]] = {
    "uniform": lambda rng, relevant, n: rng.uniform(-10, 10, (len(relevant), n)),
    "gaussian": lambda rng, relevant, n: rng.normal(0, 4, (len(relevant), n)),
    "nuisance": _nuisance,
    "correlated": _correlated,
    "heavy": lambda rng, relevant, n: 3 * rng.standard_t(3, (len(relevant), n)),
    "skewed": lambda rng, relevant, n: rng.lognormal(0, 1.2, (len(relevant), n)),
    "permuted": _permuted,
}
LAWS = tuple(_DRAW)
"""The laws of irrelevant columns, as `make_pu_clusters` names them; "uniform" is the paper's."""


def make_pu_clusters(
    condition: str = "10/8/2",
    *,
    n_negative: int = 4000,
    n_positive: int = 500,
    n_relevant: int = 25,
    n_irrelevant: int = 25,
    n_redundant: int | None = None,
    noise: str = "uniform",
    label_bias: float = 1.0,
    shuffle: bool = True,
    return_classes: bool = False,
    random_state: Seed = None,
) -> tuple[AnyArray, ...]:
    """Draw positive-unlabelled data under one of the paper's conditions, or a harder one.

    Each Gaussian cluster has a mean drawn from Uniform(-5, 5) and covariance 10 I; the rows of a class
    are split evenly over its clusters. In the outlier conditions all rows come from N(0, 25 I) and those
    of largest norm are the positives. Irrelevant columns follow the law `noise`.

    With the same seed, conditions that differ only in the percentage share their rows, and the labelled
    rows of the lower percentage are among those of the higher.

    Parameters
    ----------
    condition : str
        "percent labelled/negative clusters/positive clusters" or "percent labelled/outlier". `CONDITIONS`
        holds the paper's ten; other numbers, such as "2/8/2", are allowed.
    n_negative, n_positive : int
        Rows of each true class.
    n_relevant, n_irrelevant : int
        Columns of each kind.
    n_redundant : int or None
        How many of the irrelevant columns are a different other one plus N(0, 1). None: a fifth, rounded down, if
        `noise` is "uniform", otherwise none.
    noise : str
        Law of the irrelevant columns, one of `LAWS`. "uniform": Uniform(-10, 10), as in the paper; "gaussian":
        N(0, 16); "nuisance": six Gaussian clusters like the relevant ones, independent of the class; "correlated":
        five standard normal factors with loadings from N(0, 4), plus N(0, 4); "heavy": 3 t(3); "skewed":
        exp(1.2 N(0, 1)); "permuted": each is a relevant column with its rows permuted.
    label_bias : float
        Positives are labelled one after another, each with a probability proportional to its weight: `label_bias`
        (at least 1) for rows of the first positive cluster, 1 for all others. In the outlier conditions the rows
        with a positive value in the first relevant column have the weight `label_bias`.
    shuffle : bool
        Whether rows and columns are in random order. If not, relevant columns and negative rows come first.
    return_classes : bool
        Whether to return the true classes too.
    random_state : int, RandomState, Generator or None
        Seed of all random numbers.

    Returns
    -------
    X : ndarray of shape (n_negative + n_positive, n_relevant + n_irrelevant)
        Raw values, not scaled.
    y : int ndarray of shape (n_rows,)
        Labels: 1 labelled positive, 0 unlabelled.
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
    sizes = {"n_negative": n_negative, "n_positive": n_positive, "n_relevant": n_relevant, "n_irrelevant": n_irrelevant}
    for name, size in sizes.items():
        check_number(name, size, 1, integer=True)
    check_choice("noise", noise, LAWS)
    if n_redundant is None:
        n_redundant = n_irrelevant // 5 if noise == "uniform" else 0
    check_number("n_redundant", n_redundant, 0, n_irrelevant // 2, integer=True)  # each copies another column
    for kind, n_clusters, n in zip(("negative", "positive"), clusters or (1, 1), n_rows, strict=True):
        check_number(f"the number of {kind} clusters of condition", n_clusters, 1, n, integer=True)
    check_number("label_bias", label_bias, 1, 1e6)
    rng = as_generator(random_state)
    values, favoured = _relevant_columns(rng, clusters, n_rows, n_relevant)
    noisy = _DRAW[noise](rng, values, n_irrelevant - n_redundant)
    copied = rng.permutation(noisy.shape[1])[:n_redundant]
    X = np.hstack([values, noisy, noisy[:, copied] + rng.normal(0, 1, (len(values), n_redundant))])
    relevant, classes = np.arange(X.shape[1]) < n_relevant, np.repeat([0, 1], n_rows)
    weights = np.concatenate([np.zeros(n_negative), np.where(favoured, label_bias, 1.0)])
    if shuffle:
        rows, columns = rng.permutation(X.shape[0]), rng.permutation(X.shape[1])
        X, classes, relevant, weights = X[np.ix_(rows, columns)], classes[rows], relevant[columns], weights[rows]
    # Labelling draws as much for any percentage, which changes nothing but the labels.
    positives = np.flatnonzero(classes)
    if label_bias == 1:
        order = rng.permutation(positives)
    else:  # the first of several exponential waiting times ends with a probability proportional to its rate
        order = positives[np.argsort(rng.exponential(size=n_positive) / weights[positives])]
    y = _first_labelled(order, rate, len(X))
    return (X, y, relevant, classes) if return_classes else (X, y, relevant)


def _relevant_columns(
    rng: Generator, clusters: tuple[int, int] | None, n_rows: tuple[int, int], n_columns: int
) -> tuple[FloatArray, BoolArray]:
    """Return rows of two classes in `clusters`, or, for None, positives that are outliers; negatives come first.

    The second array tells which positives a bias in labelling prefers.
    """
    n_positive = n_rows[1]
    if clusters is None:
        rows = rng.normal(0, 5, (sum(n_rows), n_columns))
        is_outlier = np.zeros(len(rows), dtype=bool)
        is_outlier[np.argsort(np.linalg.norm(rows, axis=1))[-n_positive:]] = True
        return np.vstack([rows[~is_outlier], rows[is_outlier]]), rows[is_outlier, 0] > 0
    blocks = []
    for n, k in zip(n_rows, clusters, strict=True):
        means = rng.uniform(-5, 5, (k, n_columns))
        blocks.append(means[np.arange(n) * k // n] + rng.normal(0, np.sqrt(10), (n, n_columns)))
    return np.vstack(blocks), np.arange(n_positive) * clusters[1] < n_positive


def hide_labels(
    y: ArrayLike,
    rate: float,
    *,
    pos_label: object = 1,
    random_state: Seed = None,
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
    check_number("rate", rate, 0, 1, open_low=True)
    classes = np.asarray(y)
    if classes.ndim != 1:
        raise ValueError(f"y must be one-dimensional, got shape {classes.shape}")
    positives = np.flatnonzero(classes == pos_label)
    if len(positives) == 0:
        raise ValueError(f"y must hold at least one positive (pos_label={pos_label!r}), got none")
    return _first_labelled(as_generator(random_state).permutation(positives), rate, len(classes))


def parse_condition(condition: str) -> tuple[float, tuple[int, int] | None]:
    """Return the rate and the clusters (negative, positive) of "10/8/2", and no clusters for "10/outlier"."""
    parts = re.fullmatch(r"(\d+(?:\.\d+)?|\.\d+)/(?:(\d+)/(\d+)|outlier)", str(condition))
    if parts is None:
        raise ValueError(
            "condition must look like '10/8/2' (percent labelled/negative clusters/positive clusters) "
            f"or '10/outlier', got {condition!r}"
        )
    percent, negative, positive = parts.groups()
    if not 0 < float(percent) <= 100:
        raise ValueError(f"the percentage of condition must lie in (0, 100], got {condition!r}")
    return float(percent) / 100, None if negative is None else (int(negative), int(positive))


def as_generator(random_state: Seed) -> Generator:
    """Return a generator for any of scikit-learn's and NumPy's ways to give a seed."""
    if isinstance(random_state, RandomState):
        return np.random.default_rng(random_state.randint(2**31, size=4))
    return np.random.default_rng(random_state)


def _first_labelled(positives: IntArray, rate: float, n_rows: int) -> IntArray:
    """Return labels, 1 for a share of the positives, those that come first."""
    labels = np.zeros(n_rows, dtype=np.int64)
    labels[positives[: max(1, round(rate * len(positives)))]] = 1
    return labels
