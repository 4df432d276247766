"""Rows in two dimensions: the principal components of a few columns, and the kind of each row."""

from collections.abc import Sequence

import numpy as np
from sklearn.decomposition import PCA

from puselect.arrays import AnyArray, BoolArray, FloatArray, IntArray
from puselect.fscpu.final_clusters import Candidates
from puselect.scaling import RobustScaling

MANY_COLUMNS = 500  # above, the exact components of a map are not worth their time

UNLABELLED, LABELLED, CANDIDATE = range(3)


def principal_axes(
    table: AnyArray, groups: Sequence[Sequence[int]] = ()
) -> tuple[FloatArray, FloatArray]:
    """Return the rows in the first two principal components of the scaled columns, and the variance these explain.

    Columns are scaled as by default, so that a few extreme rows do not dominate the map, and `groups` of columns, such
    as the one-hot columns of a category, have together no more variance than the typical other column: otherwise the
    map would show the categories and nothing else. A single column gives a second component of zeros.

    Examples
    --------
    >>> points, explained = principal_axes(np.array([[0.0], [1.0], [2.0]]))
    >>> points[:, 0], explained
    (array([-0.5,  0. ,  0.5]), array([1., 0.]))
    """
    scaled = _balanced(RobustScaling.of(table).scale(table), groups)
    points, explained = np.zeros((len(table), 2)), np.zeros(2)
    if not scaled.var(axis=0).any():  # constant columns have no components
        return points, explained
    solver = "covariance_eigh" if scaled.shape[1] <= MANY_COLUMNS else "randomized"
    components = PCA(min(2, *scaled.shape), svd_solver=solver, random_state=0).fit(scaled)
    n = components.n_components_
    points[:, :n] = components.transform(scaled)
    explained[:n] = components.explained_variance_ratio_
    return points, explained


def _balanced(scaled: AnyArray, groups: Sequence[Sequence[int]]) -> AnyArray:
    """Return the columns with those of groups scaled down to the variance of one other column."""
    variance = scaled.var(axis=0)
    others = np.setdiff1d(np.arange(scaled.shape[1]), [j for columns in groups for j in columns])
    typical = np.median(variance[others]) if len(others) else 0.0
    factor = np.ones(scaled.shape[1])
    for columns in groups if typical > 0 else ():
        factor[list(columns)] = np.sqrt(typical / max(variance[list(columns)].sum(), typical))
    return np.asarray(scaled * factor)


def row_kinds(n_rows: int, positive: BoolArray, found: Candidates | None) -> IntArray:
    """Return the kind of each row: `UNLABELLED`, `LABELLED` or `CANDIDATE`."""
    kind = np.full(n_rows, UNLABELLED, dtype=np.intp)
    if found is not None:
        kind[found.rows] = CANDIDATE
    kind[positive] = LABELLED
    return kind
