"""Small tables with known relevant columns, tables that are awkward, and the error of a selector."""

import numpy as np
import pytest

from puselect.datasets import make_pu_clusters


def small_table(seed=0, n_relevant=5, n_irrelevant=5):
    return make_pu_clusters(
        "40/3/1", n_negative=300, n_positive=60, n_relevant=n_relevant, n_irrelevant=n_irrelevant, random_state=seed
    )


def error_of(selector, X, y):
    """Return the kind and the text of the error, without the selector's name."""
    with pytest.raises((ValueError, TypeError)) as caught:
        selector.fit(X, y)
    return caught.type, str(caught.value).replace(type(selector).__name__, "selector")


AWKWARD = {
    "duplicate columns": lambda X: X[:, [0, 0, 1, 1, 2, 2, 3, 3, 4, 4]],
    "1e-30 and 1e30": lambda X: X * np.array([1e-30, 1e30] * 5),
    "1e-300": lambda X: X * 1e-300,
    "5e-324": lambda X: (X.mean(axis=0) < X) * 5e-324,
    "1e306": lambda X: (X - X.mean(axis=0)) * 1e306,
    "heavy zeros": lambda X: np.where(X > 5, X, 0.0),
    "half constant": lambda X: np.where(np.arange(X.shape[1]) % 2, X, 3.0),
    "few distinct rows": lambda X: np.round(X / 8),
    "wide": lambda X: X[:40, np.arange(60) % 10] + np.random.default_rng(0).normal(0, 3, (40, 60)),
}
