"""What the engines can hold: squared distances and inverse covariances must stay finite in their precision."""

from dataclasses import replace

from puselect.arrays import AnyArray
from puselect.clustering.mixture import MixtureSpec
from puselect.sparse_table import SparseTable

# Half a range of which the squares, summed over columns and rows, stay well inside float32 and float64.
LARGEST_HALF_RANGE = {"cpu": 1e16, "gpu": 1e16, "reference": 1e140}
LEAST_REGULARISATION = 1e-20  # of the squared range: far below the variance that rounding to float32 adds


def half_range(X: AnyArray | SparseTable) -> float:
    """Return half of the largest range of a column; `X` has shape (.., n_rows, n_features)."""
    if isinstance(X, SparseTable):
        return X.half_range
    return float((X.max(axis=-2) / 2 - X.min(axis=-2) / 2).max())  # halved first: the range itself may overflow


def check_range(name: str, X: AnyArray | SparseTable) -> None:
    """Raise a ValueError if squared distances between rows of `X` could overflow in the engine of that name."""
    found = half_range(X)
    if found > LARGEST_HALF_RANGE[name]:
        precision = "float64" if name == "reference" else "float32"
        raise ValueError(
            f"engine={name!r} computes in {precision} and needs columns of a range below "
            f"{2 * LARGEST_HALF_RANGE[name]:.0e}, got {2 * found:.1e}; set scale='minmax'"
        )


def regularised(spec: MixtureSpec, X: AnyArray | SparseTable) -> MixtureSpec:
    """Return the spec with a `reg_covar` that keeps the inverse of a covariance finite for columns of this range."""
    width = 2 * half_range(X) or 1.0  # 1 if all columns are constant
    return replace(spec, reg_covar=max(spec.reg_covar, LEAST_REGULARISATION * width**2))
