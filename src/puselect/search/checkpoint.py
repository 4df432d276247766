"""Saving a search so that it survives being killed at any moment. Damage is found by the checksums of the archive."""

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
        message = "is damaged or not a puselect checkpoint; delete it or use another path"
        raise ValueError(f"checkpoint {os.fspath(path)!r} {message}") from error


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
