"""The share of positives among the unlabelled rows, with an interval."""

from collections.abc import Mapping, Sequence

from numpy.typing import ArrayLike

from puselect.fscpu.row_model import ClassPrior, PriorCode
from puselect.fscpu.selector import FSCPU
from puselect.selectors.base import RandomSeed
from puselect.selectors.groups import ColumnName

__all__ = ["ClassPrior", "PriorCode", "estimate_prior"]


def estimate_prior(
    X: ArrayLike, y: ArrayLike, n_features_to_select: int | float | str | None = None, *, pos_label: object = 1,
    neg_label: object = None, random_state: RandomSeed = 0,
    groups: Mapping[str, Sequence[ColumnName]] | Sequence[object] | str | None = None,
) -> ClassPrior:
    """Estimate how many of the unlabelled rows are positive, where the labels allow it: `prior_` of a fitted `FSCPU`.

    Parameters
    ----------
    X : array-like of shape (n_rows, n_features)
        Finite numbers. Of more than 10,000 unlabelled rows a sample is used.
    y : array-like of shape (n_rows,)
        `pos_label` marks labelled positives, anything else unlabelled rows.
    n_features_to_select : int, float or "auto", optional
        As in `FSCPU`.
    pos_label : object, default=1
    neg_label : object, optional
        Marks rows that were checked and are negative, from which the share can often be told more exactly.
    random_state : int, RandomState or None, default=0
    groups
        As in `FSCPU`.

    Examples
    --------
    >>> from puselect.datasets import make_pu_clusters
    >>> X, y, _ = make_pu_clusters("40/1/1", random_state=0)  # 300 of 4300 unlabelled rows are positive
    >>> low, high = estimate_prior(X, y).interval
    >>> low < 300 / 4300 < high
    True
    """
    selector = FSCPU(
        n_features_to_select, pos_label=pos_label, neg_label=neg_label, random_state=random_state, groups=groups
    ).fit(X, y)
    found: ClassPrior | None = selector.prior_
    if found is None:
        raise ValueError("no clustering of the selected features succeeded")
    return found
