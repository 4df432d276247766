"""A small table with known relevant columns, and the error of a selector."""

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
