"""Saving a search so that it survives being killed at any moment."""

import io
import json
import os
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict, is_dataclass
from pathlib import Path
from typing import Any, cast

import joblib
import numpy as np

from puselect.arrays import AnyArray
from puselect.atomic import atomic_write

State = dict[str, Any]
"""Nested dicts of arrays and of values that JSON can hold."""
LARGEST_COUNT = 2**62  # arrays hold counts as int64


def save_state(path: str | os.PathLike[str], state: State) -> None:
    """Write the state; the old file stays whole until the new one is on disk."""
    buffer = io.BytesIO()
    # Signals interrupt the main thread only. An archive that is interrupted raises another error when it is closed.
    with ThreadPoolExecutor(1) as pool:
        pool.submit(lambda: np.savez(buffer, **cast(Any, _flatten(state)))).result()
    with atomic_write(path) as file:
        file.write(buffer.getbuffer())


def load_state(path: str | os.PathLike[str]) -> State | None:
    """Return the saved state, None if there is no file yet; raise a ValueError for a file that cannot be one."""
    if Path(path).exists() and not Path(path).is_file():  # a device may have no end
        raise ValueError(f"checkpoint must be a file, got {os.fspath(path)!r}, which is none; use another path")
    try:
        content = Path(path).read_bytes()
    except FileNotFoundError:
        return None
    try:
        with np.load(io.BytesIO(content), allow_pickle=False) as saved:
            return _unflatten({name: saved[name] for name in saved.files})
    except Exception as error:  # zipfile, zlib, NumPy and JSON raise a dozen types on damaged bytes
        raise damaged(path) from error


def damaged(path: str | os.PathLike[str]) -> ValueError:
    """Return the error for a file that does not hold a search."""
    return ValueError(
        f"checkpoint {os.fspath(path)!r} is damaged or not a puselect checkpoint; delete it or use another path"
    )


def fingerprint(*values: object) -> str:
    """Return a hash of the values, arrays included, that is the same in every process.

    Examples
    --------
    >>> fingerprint(np.arange(2000.0), "a") == fingerprint(np.arange(2000.0), "a")
    True
    >>> fingerprint(np.arange(2000.0)) == fingerprint(np.arange(2000.0) + (np.arange(2000) == 1000))
    False
    """
    return str(joblib.hash([_plain(value) for value in values], hash_name="sha1"))


def read_count(state: State, name: str) -> int:
    """Return a whole number of 0 or more from a saved state."""
    value = state[name]
    if type(value) is not int or not 0 <= value <= LARGEST_COUNT:
        raise ValueError(f"{name} must be an integer in 0..{LARGEST_COUNT}, got {value!r}")
    return value


def read_array(state: State, name: str, shape: tuple[int | None, ...], low: float, high: float) -> AnyArray:
    """Return an array of finite numbers in [low, high] from a saved state; None in `shape` means any length."""
    value = state[name]
    if not isinstance(value, np.ndarray) or value.dtype.kind not in "if" or value.ndim != len(shape):
        raise ValueError(f"{name} must be an array of {len(shape)} dimensions")
    if any(wanted not in (None, length) for wanted, length in zip(shape, value.shape, strict=True)):
        raise ValueError(f"{name} must have the shape {shape}, got {value.shape}")
    if not (np.isfinite(value) & (value >= low) & (value <= high)).all():
        raise ValueError(f"{name} must be finite and lie in {low}..{high}")
    return value


def _plain(value: object) -> object:
    """Return the value in a form whose hash does not depend on memory layout or on the names of our classes."""
    if isinstance(value, np.ndarray):
        return np.ascontiguousarray(value)
    if is_dataclass(value) and not isinstance(value, type):
        return asdict(value)
    return value


def _flatten(state: State, prefix: str = "") -> dict[str, AnyArray]:
    """Return arrays by path; plain values become JSON text under a path that ends in "=json"."""
    flat: dict[str, AnyArray] = {}
    for name, value in state.items():
        if isinstance(value, np.ndarray):
            flat[prefix + name] = value
        elif isinstance(value, dict):
            flat |= _flatten(value, f"{prefix}{name}/")
        else:
            flat[f"{prefix}{name}=json"] = np.array(json.dumps(value))
    return flat


def _unflatten(flat: dict[str, AnyArray]) -> State:
    state: State = {}
    for path, value in flat.items():
        *parents, name = path.split("/")
        place = state
        for parent in parents:
            place = place.setdefault(parent, {})
        if name.endswith("=json"):
            place[name.removesuffix("=json")] = json.loads(str(value))
        else:
            place[name] = value
    return state
