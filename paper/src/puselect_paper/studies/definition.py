"""Checks on the definition of a study, as it is read from a TOML or JSON file."""

import inspect
from collections.abc import Iterable, Mapping, Sequence

from puselect.datasets import make_pu_clusters
from puselect.datasets.synthetic import parse_condition
from puselect.evaluation import DOWNSTREAM
from puselect.methods import METHODS
from puselect_paper.studies.cells import JSONObject
from puselect_paper.studies.measures import MEASURES
from puselect_paper.studies.open_data import OPEN_DATA

Kinds = Mapping[str, type | tuple[type, ...]]

STUDY_KINDS: Kinds = {"title": str, "seeds": (int, list), "method": list, "data": list, "reduced": bool}
METHOD_KINDS: Kinds = {
    "name": str, "id": str, "label": str, "group": str, "paper": str, "settings": dict, "artificial": dict,
    "given": str,
}  # fmt: skip
BLOCK_KINDS: Kinds = {"measure": str, "title": str, "methods": list}
REAL_KINDS: Kinds = {"name": (str, list), "share": (float, int, list), "models": list}
OPEN_KINDS: dict[str, Kinds] = {
    "downstream": {**REAL_KINDS, "rate": (float, int, list)},
    "real": REAL_KINDS,
    "counts": {"name": (str, list)},
}
"""Fields of the data by measure; the others have artificial data."""
ARTIFICIAL_KINDS: Kinds = {
    name: (str, list) if name in ("condition", "noise") else (int, float, list)
    for name in inspect.signature(make_pu_clusters).parameters
    if name not in ("random_state", "return_classes")
}
NOT_CROSSED = {"models"}
GIVEN = ("", "classes", "prior")


def check_entry(where: str, entry: object, kinds: Kinds, needed: set[str]) -> None:
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


def check_block(entry: object) -> str:
    """Return the measure of a ``[[data]]`` entry; raise a ValueError if its fields are not those of the measure."""
    measure = entry.get("measure") if isinstance(entry, dict) else None
    if measure not in MEASURES:
        raise ValueError(f"measure must be one of {', '.join(MEASURES)}, got {measure!r}")
    kinds = OPEN_KINDS.get(measure, ARTIFICIAL_KINDS)
    needed = {"condition"} if kinds is ARTIFICIAL_KINDS else set(kinds) - {"rate"}
    check_entry("[[data]]", entry, {**BLOCK_KINDS, **kinds}, needed)
    return str(measure)


def check_point(measure: str, point: JSONObject) -> None:
    """Raise a ValueError if a data set of a block cannot be: an unknown condition, name or model, or no share."""
    for name, value in point.items():
        if name == "condition":
            parse_condition(value)
        elif name == "name" and measure != "real":
            check_among("name", [value], list(OPEN_DATA))
        elif name == "models":
            check_among("models", value, list(DOWNSTREAM))
        elif name in ("share", "rate") and not (isinstance(value, int | float) and 0 < value <= 1):
            raise ValueError(f"{name} must lie in (0, 1], got {value!r}")


def check_among(what: str, wanted: Iterable[object], known: Sequence[str]) -> None:
    """Raise a ValueError if something is wanted that is not there."""
    unknown = [str(name) for name in wanted if name not in known]
    if unknown:
        raise ValueError(f"{what} must be among {', '.join(known)}; got {', '.join(sorted(unknown))}")


def check_settings(name: str, settings: JSONObject) -> None:
    """Raise a ValueError if a method does not have these parameters."""
    if name in ("all", "random"):
        return
    try:
        METHODS[name](1, random_state=0, **settings)
    except TypeError as error:
        raise ValueError(f"settings of {name}: {error}") from error


def read_seeds(seeds: int | list[object]) -> Sequence[int]:
    """Return the seeds that a number of them or a list stands for."""
    if isinstance(seeds, list):
        found = [seed for seed in seeds if isinstance(seed, int) and not isinstance(seed, bool) and seed >= 0]
        if seeds and len(found) == len(seeds):
            return found
    elif not isinstance(seeds, bool) and seeds > 0:
        return range(seeds)
    raise ValueError(f"seeds must be a number of seeds or a list of them, got {seeds!r}")
