"""Types of the arrays that go between modules."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

BoolArray = NDArray[np.bool_]
FloatArray = NDArray[np.float64]
Float32Array = NDArray[np.float32]
IntArray = NDArray[np.integer[Any]]
AnyArray = NDArray[Any]
