"""Min-max scaling of a table, for any finite values."""

from typing import Any

import numpy as np
from numpy.typing import NDArray


def scale_columns(X: NDArray[Any], dtype: type[np.floating[Any]] = np.float64) -> NDArray[Any]:
    """Return `X` with every column mapped to [0, 1]; constant columns become 0.

    Unlike scikit-learn's scaler this keeps columns of tiny range (1e-30), which that one takes for constant, and
    columns whose range overflows (from -1e308 to 1e308). The result is Fortran ordered: columns are contiguous.

    Examples
    --------
    >>> import numpy as np
    >>> scale_columns(np.array([[1.0, 7.0, 0.0], [3.0, 7.0, 1e-30], [2.0, 7.0, 1e-30]]))
    array([[0. , 0. , 0. ],
           [1. , 0. , 1. ],
           [0.5, 0. , 1. ]])
    """
    scaled = np.empty(X.shape, dtype=dtype, order="F")
    for j in range(X.shape[1]):
        column = X[:, j].astype(np.float64) / 2  # halved, so that the range cannot overflow
        low = column.min()
        width = column.max() - low
        if width > 0:
            # an exponent near zero first: 1/width alone could overflow
            exponent = np.frexp(width)[1]
            scaled[:, j] = np.ldexp(column - low, -exponent) / np.ldexp(width, -exponent)
        else:
            scaled[:, j] = 0
    return scaled
