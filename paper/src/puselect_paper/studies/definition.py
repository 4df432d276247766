"""Checks on the definition of a study, as it is read from a TOML or JSON file."""

import inspect
import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from puselect.datasets import make_pu_clusters
from puselect.datasets.synthetic import parse_condition
from puselect.evaluation import DOWNSTREAM
from puselect.methods import METHODS
from puselect_paper.studies.open_data import OPEN_DATA

Kinds = Mapping[str, type | tuple[type, ...]]

STUDY_KINDS: Kinds = {"title": str, "seeds": (int, list), "method": list, "data": list, "reduced": bool}
METHOD_KINDS: Kinds = {
    "name": str, "id": str, "label": str, "group": str, "paper": str, "settings": dict, "artificial": dict,
    "given": str,
}  # fmt: skip
BLOCK_KINDS: Kinds = {"measure": str, "title": str, "methods": list, "settings": dict, "x": str}
OPEN_KINDS: Kinds = {"name": (str, list), "share": (float, int, list), "models": list, "rate": (float, int, list)}
ARTIFICIAL_KINDS: Kinds = {
    "condition": (str, list),
    **{
        name: (str, list) if name == "noise" else (int, float, list)
        for name in inspect.signature(make_pu_clusters).parameters
        if name not in ("condition", "random_state", "return_classes")
    },
}
REAL_KINDS: Kinds = {name: kind for name, kind in OPEN_KINDS.items() if name != "rate"}
NOT_CROSSED = {"models"}
GIVEN = ("", "classes", "prior")


def check_entry(where: str, entry: Mapping[str, Any], kinds: Kinds, needed: set[str]) -> None:
    """Raise a ValueError if an entry lacks a key, has an unknown one, or one of the wrong type."""
    if not isinstance(entry, dict):
        raise ValueError(f"{where} must be a table, got {entry!r}")
    if needed - set(entry):
        raise ValueError(f"{where} lacks {', '.join(sorted(needed - set(entry)))}")
    unknown = sorted(map(str, set(entry) - set(kinds)))
    if unknown:
        raise ValueError(f"{where} may have {', '.join(sorted(kinds))}; got {', '.join(unknown)}")
    for name, value in entry.items():
        if not isinstance(value, kinds[name]):
            raise ValueError(f"{name} of {where} has the wrong type: {value!r}")


def check_ids(wanted: Iterable[str], known: Sequence[str]) -> None:
    """Raise a ValueError if a method is wanted that the study does not have."""
    unknown = [str(name) for name in wanted if name not in known]
    if unknown:
        raise ValueError(f"methods must be among {', '.join(known)}; got {', '.join(sorted(unknown))}")


def check_settings(name: str, settings: Mapping[str, Any]) -> None:
    """Raise a ValueError if a method does not have these parameters."""
    if name in ("all", "random"):
        return
    try:
        METHODS[name](1, random_state=0, **settings)
    except TypeError as error:
        raise ValueError(f"settings of {name}: {error}") from error


def check_open_data(point: Mapping[str, Any]) -> None:
    """Raise a ValueError if there is no such data set or model, or if a share lies outside of (0, 1]."""
    check_open_name(point)
    _check_judgement(point)


def check_open_name(point: Mapping[str, Any]) -> None:
    """Raise a ValueError if there is no such data set."""
    if point["name"] not in list(OPEN_DATA):
        raise ValueError(f"name must be one of {', '.join(OPEN_DATA)}, got {point['name']!r}")


def check_real_tables(point: Mapping[str, Any]) -> None:
    """Raise a ValueError if a name is not that of a file, there is no such model, or a share lies outside of (0, 1]."""
    if not re.fullmatch(r"[\w-]+", str(point["name"])):
        raise ValueError(f"name must consist of letters, digits, _ and -, got {point['name']!r}")
    _check_judgement(point)


def _check_judgement(point: Mapping[str, Any]) -> None:
    for model in point["models"]:
        if model not in list(DOWNSTREAM):
            raise ValueError(f"models must be among {', '.join(DOWNSTREAM)}, got {model!r}")
    for name in {"share", "rate"} & set(point):
        if not isinstance(point[name], int | float) or not 0 < point[name] <= 1:
            raise ValueError(f"{name} must lie in (0, 1], got {point[name]!r}")


def check_artificial_data(point: Mapping[str, Any]) -> None:
    """Raise a ValueError if the condition is unknown or a value is not a number."""
    for name, value in point.items():
        if name == "condition":
            parse_condition(value)
        elif not isinstance(value, int | float):
            raise ValueError(f"{name} must be a number, got {value!r}")


def read_seeds(seeds: Any) -> Sequence[int]:
    """Return the seeds that a number of them or a list stands for."""
    if isinstance(seeds, list):
        if seeds and all(isinstance(seed, int) and not isinstance(seed, bool) and seed >= 0 for seed in seeds):
            return seeds
    elif not isinstance(seeds, bool) and seeds > 0:
        return range(seeds)
    raise ValueError(f"seeds must be a number of seeds or a list of them, got {seeds!r}")
