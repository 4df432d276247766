"""Checkpoints: real ones, damaged, and resumed."""

import copy
import io
import tempfile
from functools import cache
from pathlib import Path
from typing import Any
from unittest.mock import patch

import hypothesis.strategies as st
import numpy as np
from damage import Draw, damage_bytes, damage_tree, odd_value
from fits import check_fitted
from outcome import attempt, require

from puselect import FSCPU, METHODS
from puselect.search.checkpoint import load_state, save_state
from puselect.search.progress import watching

FOLDER = Path(tempfile.mkdtemp(prefix="fuzz-checkpoints-"))
N_FEATURES = 6
SAVE_SECONDS = "puselect.fscpu.search_run.SAVE_SECONDS"


def selectors() -> dict[str, Any]:
    """Return searches of four steps by name."""
    plain = {"max_iter": 4, "random_state": 0, "n_clusters": 3, "engine": "cpu"}
    return {
        "default": FSCPU(3, **plain),
        "no evidence": FSCPU(3, criterion="cluster", scale="standard", **plain),
        "screened": FSCPU(2, screen=4, scale=None, **plain),
        "published": FSCPU.published(3, **plain),
        "costs": FSCPU(feature_costs=[1.0, 2, 1, 3, 1, 1], budget=4, **plain),
        "kept": FSCPU(3, always_keep=[0], never_select=[5], **plain),
        "information": FSCPU(3, criterion="cluster+mi", **plain),
        "lgbm": METHODS["lgbm-opt"](3, max_iter=4, random_state=0, n_estimators=2),
    }


def table() -> tuple[Any, Any]:
    """Return a small table and its labels."""
    rng = np.random.default_rng(0)
    return rng.normal(size=(24, N_FEATURES)), (np.arange(24) < 8).astype(int)


@cache
def saved(name: str) -> tuple[bytes, bytes]:
    """Return a checkpoint of a search interrupted after two of four steps, and the support at its end."""

    def stop(step: Any) -> None:
        if step.number == 2:
            raise KeyboardInterrupt

    path = FOLDER / f"{name}.real"
    selector = selectors()[name].set_params(checkpoint=path)
    with patch(SAVE_SECONDS, 0.0), watching(stop):  # a search of a few steps has a checkpoint
        attempt(lambda: selector.fit(*table()), ())
    return path.read_bytes(), selectors()[name].fit(*table()).support_.tobytes()


def example(draw: Draw) -> str:
    """Damage a checkpoint and resume from it."""
    name = draw(st.sampled_from(sorted(selectors())))
    content, support = saved(name)
    path = FOLDER / "damaged"
    kind = draw(st.sampled_from(["bytes", "bytes", "state", "state", "state", "other", "none"]))
    if kind == "bytes":
        path.write_bytes(damage_bytes(draw, content))
    elif kind == "state":
        path.write_bytes(content)
        save_state(path, damage_tree(draw, load_state(path), odd_part))
    else:
        path.write_bytes(content if kind == "none" else another_file(draw))
    selector = selectors()[name].set_params(checkpoint=path)
    with patch(SAVE_SECONDS, 0.0):
        fitted, error = attempt(lambda: selector.fit(*table()))
    left = sorted(file.name for file in FOLDER.iterdir() if file.suffix == ".part")
    require(not left, f"scratch files are left: {left}")
    if error is not None:
        require(str(path) in str(error), f"the error does not name the file: {error}")
        require(kind != "none", f"an undamaged checkpoint is refused: {error}")
        return "clear error"
    check_fitted(fitted, N_FEATURES)
    if kind == "none":
        require(fitted.support_.tobytes() == support, "a resumed search ends elsewhere")
        return "resumed"
    return "resumed a plausible state"


def odd_part(draw: Draw, old: Any) -> Any:
    """Draw something to put in the place of a part of a saved state, such as an array of another shape."""
    if not isinstance(old, np.ndarray):
        value = odd_value(draw)
        return value if is_savable(value) else None
    if old.dtype.kind not in "biuf":  # damaged before
        return np.array("text")
    new = copy.deepcopy(old)
    kind = draw(st.sampled_from(["nan", "inf", "large", "shape", "dtype", "empty", "text", "value", "negative"]))
    made: dict[str, Any] = {
        "shape": lambda: np.concatenate([new.ravel(), new.ravel()]), "empty": lambda: new.ravel()[:0],
        "dtype": lambda: new.astype(draw(st.sampled_from(["f4", "i8", "u1", "bool", "c16", "U9", "S3"]))),
        "text": lambda: np.array("text"), "negative": lambda: -new.astype(float) - 1,
        "value": lambda: np.float64(0.5) * np.ones(draw(st.sampled_from([(), (1,), (N_FEATURES,), (2, 2)]))),
    }  # fmt: skip
    if kind in made:
        with np.errstate(all="ignore"):
            return made[kind]()
    new = np.atleast_1d(new).astype(float)
    if new.size:
        new.flat[draw(st.integers(0, new.size - 1))] = {"nan": np.nan, "inf": np.inf, "large": 1e300}[kind]
    return new


def is_savable(value: Any) -> bool:
    """Return whether a value can be written as JSON at all."""
    return not (isinstance(value, dict) and "" in value)


def another_file(draw: Draw) -> bytes:
    """Draw the content of a file that is no checkpoint."""
    buffer = io.BytesIO()
    np.save(buffer, np.arange(3.0))
    archive = io.BytesIO()
    np.savez(archive, a=np.zeros(2), **{"fingerprint=json": np.array('"x"')})
    choices = [b"", b"text", buffer.getvalue(), archive.getvalue(), b"PK\x05\x06" + bytes(18), b"\x93NUMPY\x01\x00"]
    return draw(st.sampled_from(choices))
