"""The share of the relevant features that a selection holds."""

import numpy as np
from numpy.typing import ArrayLike


def feature_recall(support: ArrayLike, relevant: ArrayLike) -> float:
    """Return the share of the relevant features that were selected (FSR).

    Parameters
    ----------
    support, relevant : array-like of bool, shape (n_features,)
        Which features were selected, and which should have been.

    Examples
    --------
    >>> feature_recall([True, True, False, False], [True, False, True, False])
    0.5
    """
    selected, wanted = np.asarray(support, dtype=bool), np.asarray(relevant, dtype=bool)
    if selected.shape != wanted.shape:
        raise ValueError(f"support and relevant must have one shape, got {selected.shape} and {wanted.shape}")
    if not wanted.any():
        raise ValueError("relevant must hold at least one feature, got none")
    return float(selected[wanted].mean())
