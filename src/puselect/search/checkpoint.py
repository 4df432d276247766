"""Saving a search so that it survives being killed at any moment."""

import json
import os
import zipfile
from pathlib import Path
from typing import Any

import numpy as np

State = dict[str, Any]


def save_state(path: str | os.PathLike[str], state: State) -> None:
    """Write a nested dict of arrays and plain values; the old file stays whole until the new one is on disk."""
    target = Path(path)
    scratch = target.with_name(f"{target.name}.{os.getpid()}.part")
    try:
        with open(scratch, "wb") as file:
            np.savez(file, allow_pickle=False, **_flatten(state))
            file.flush()
            os.fsync(file.fileno())
        os.replace(scratch, target)
    finally:
        scratch.unlink(missing_ok=True)


def load_state(path: str | os.PathLike[str]) -> State | None:
    """Return the saved state, None if there is no file yet."""
    try:
        with open(path, "rb") as file, np.load(file, allow_pickle=False) as saved:
            return _unflatten({name: saved[name] for name in saved.files})
    except FileNotFoundError:
        return None
    except (ValueError, KeyError, EOFError, zipfile.BadZipFile) as error:
        raise ValueError(
            f"checkpoint {os.fspath(path)!r} is not a puselect checkpoint; name another file or delete this one"
        ) from error


def _flatten(state: State, prefix: str = "") -> dict[str, np.ndarray[Any, Any]]:
    """Return arrays by path; plain values become JSON text under a path that ends in "=json"."""
    flat: dict[str, np.ndarray[Any, Any]] = {}
    for name, value in state.items():
        if isinstance(value, np.ndarray):
            flat[prefix + name] = value
        elif isinstance(value, dict):
            flat |= _flatten(value, f"{prefix}{name}/")
        else:
            flat[f"{prefix}{name}=json"] = np.array(json.dumps(value))
    return flat


def _unflatten(flat: dict[str, np.ndarray[Any, Any]]) -> State:
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
