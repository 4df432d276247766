"""A study: data sets x methods x seeds x settings, read from a TOML file.

::

    title = "Table 1: artificial data"
    seeds = 5                           # 0 to 4; or a list

    [[method]]
    name = "fscpu"                      # a name in METHODS, or "all" or "random"
    id = "fscpu-20"                     # how --methods calls it; by default its name, and then unique
    label = "FSCPU, K = 20"             # how tables call it; by default its id
    group = "positive-unlabelled"       # the group of rows that it stands in
    paper = "fscpu-published"           # its row in the paper's tables; by default its name
    settings = { n_clusters = 20 }      # keyword arguments of METHODS[name]
    artificial = { shuffle = false }    # changes to artificial data sets, for this method only

    [[data]]
    title = "FSR in the ten conditions"
    measure = "recall"                  # recall, convergence, objective: artificial data; downstream: open data
    condition = ["40/8/1", "40/8/2"]    # keyword arguments of make_pu_clusters; lists are crossed
    settings = { n_clusters = [5, 20] } # more settings for all methods here, crossed too
    methods = ["fscpu-20"]              # only these; by default all
    x = "n_clusters"                    # draws curves over it: "label rate", "features" or a setting

Data of the measure ``downstream`` have ``name`` (spambase, ionosphere, rt_iot2022), ``share`` of the features to
select, ``models`` that judge (not crossed: all of them judge one selection), and optionally the ``rate`` of labelled
positives.
"""

import inspect
import json
import tomllib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import product
from pathlib import Path
from typing import Any, NamedTuple, Self

from puselect.datasets import make_pu_clusters
from puselect.evaluation import DOWNSTREAM
from puselect.methods import METHODS
from puselect.studies.cells import Cell, current_settings
from puselect.studies.measures import MEASURES
from puselect.studies.open_data import OPEN_DATA
from puselect.studies.selection import YARDSTICKS, make_method

DEFINITIONS = Path(__file__).parent / "definitions"
ARTIFICIAL_KEYS = set(inspect.signature(make_pu_clusters).parameters) - {"random_state", "return_classes"}
OPEN_KEYS = {"name", "share", "models", "rate"}
NOT_CROSSED = {"models"}


@dataclass(frozen=True)
class Method:
    """A row of a table."""

    name: str
    id: str
    label: str
    group: str = ""
    paper: str = ""
    settings: Mapping[str, Any] = field(default_factory=dict)
    artificial: Mapping[str, Any] = field(default_factory=dict)

    @classmethod
    def from_entry(cls, entry: Mapping[str, Any]) -> Self:
        """Return the method of a ``[[method]]`` entry."""
        _check_keys("[[method]]", entry, set(cls.__dataclass_fields__), {"name"})
        name = entry["name"]
        if name not in METHODS and name not in YARDSTICKS:
            raise ValueError(f"method must be one of {', '.join([*METHODS, *YARDSTICKS])}, got {name!r}")
        identity = entry.get("id", name)
        defaults = {"id": identity, "label": identity, "paper": name}
        method = cls(**{**defaults, **entry, "settings": current_settings(entry.get("settings", {}))})
        _check_settings(name, method.settings)
        return method


@dataclass(frozen=True)
class Block:
    """Data sets on which one thing is measured: a table, or a figure."""

    measure: str
    title: str
    points: Sequence[Mapping[str, Any]]
    settings: Sequence[Mapping[str, Any]]
    methods: Sequence[str]
    x: str = ""

    @classmethod
    def from_entry(cls, entry: Mapping[str, Any]) -> Self:
        """Return the block of a ``[[data]]`` entry."""
        own = {"measure", "title", "methods", "settings", "x"}
        measure = entry.get("measure")
        if measure not in MEASURES:
            raise ValueError(f"measure must be one of {', '.join(MEASURES)}, got {measure!r}")
        allowed, needed = (OPEN_KEYS, {"name", "share", "models"}) if measure == "downstream" else (
            ARTIFICIAL_KEYS, {"condition"})  # fmt: skip
        _check_keys("[[data]]", entry, own | allowed, needed)
        points = list(_cross({name: value for name, value in entry.items() if name not in own}))
        for point in points:
            _check_open_data(point)
        settings = list(_cross(entry.get("settings", {})))
        return cls(measure, entry.get("title", ""), points, settings, entry.get("methods", ()), entry.get("x", ""))


class Place(NamedTuple):
    """Where a cell stands: its block, row and column."""

    block: Block
    method: Method
    point: Mapping[str, Any]
    settings: Mapping[str, Any]


@dataclass(frozen=True)
class Study:
    """What is run, and how the results are laid out."""

    definition: Mapping[str, Any]
    title: str
    seeds: Sequence[int]
    methods: Sequence[Method]
    blocks: Sequence[Block]

    @classmethod
    def from_definition(cls, definition: Mapping[str, Any]) -> Self:
        """Return the study that a parsed TOML file describes."""
        _check_keys("the study", definition, {"title", "seeds", "method", "data"}, {"title", "seeds", "method", "data"})
        methods = [Method.from_entry(entry) for entry in definition["method"]]
        ids = [method.id for method in methods]
        if len(set(ids)) < len(ids):
            raise ValueError(f"every [[method]] needs an id of its own, got {', '.join(ids)}")
        blocks = [Block.from_entry(entry) for entry in definition["data"]]
        for block in blocks:
            check_ids(block.methods, ids)
        return cls(definition, definition["title"], _seeds(definition["seeds"]), methods, blocks)

    def places(self) -> list[tuple[Place, str]]:
        """Return every place in tables and figures, and the family of cells whose results stand there."""
        return [(place, cell.family) for place, cell in self._templates()]

    def cells(self, methods: Iterable[str] = (), n_seeds: int | None = None) -> list[Cell]:
        """Return the cells of the study, or of some methods (by id) and another number of seeds."""
        wanted = set(methods)
        check_ids(wanted, [method.id for method in self.methods])
        seeds = self.seeds if n_seeds is None else range(n_seeds)
        unique = {
            cell.family: cell for place, cell in self._templates() if not wanted or place.method.id in wanted
        }
        return [
            Cell(cell.measure, cell.method, cell.settings, cell.data, seed)
            for cell in unique.values()
            for seed in seeds
        ]

    def _templates(self) -> Iterator[tuple[Place, Cell]]:
        for block in self.blocks:
            for method, settings, point in product(self.methods, block.settings, block.points):
                if block.methods and method.id not in block.methods:
                    continue
                data = point if block.measure == "downstream" else {**point, **method.artificial}
                cell = Cell(block.measure, method.name, {**method.settings, **settings}, data, 0)
                yield Place(block, method, point, settings), cell


def study_names() -> list[str]:
    """Return the names of the studies that come with the package."""
    return sorted(path.stem for path in DEFINITIONS.glob("*.toml"))


def load_study(name: str) -> Study:
    """Return a study by its name, or by the path of its TOML file, or of the JSON that a run keeps in its folder."""
    path = DEFINITIONS / f"{name}.toml" if name in study_names() else Path(name)
    try:
        text = path.read_text(encoding="utf-8")
    except OSError as error:
        raise ValueError(f"a study is one of {', '.join(study_names())}, or a TOML file; got {name!r}") from error
    try:
        return Study.from_definition(json.loads(text) if path.suffix == ".json" else tomllib.loads(text))
    except ValueError as error:
        raise ValueError(f"{path}: {error}") from error


def shorten(study: Study, quick: Study) -> Study:
    """Return the smallest version of a study: one seed, the first of each list of data, reduced settings.

    The reduced settings are those that the methods of the same name have in `quick`; the paper's numbers are no match
    for them and left out.
    """
    reduced = {method.name: dict(method.settings) for method in quick.methods}
    methods = [
        {**entry, "paper": "", "settings": {**entry.get("settings", {}), **reduced.get(entry["name"], {})}}
        for entry in study.definition["method"]
    ]
    data = [
        {name: value if name == "methods" else _first(value) for name, value in entry.items()}
        for entry in study.definition["data"]
    ]
    title = f"{study.title} (quick)"
    return Study.from_definition({"title": title, "seeds": 1, "method": methods, "data": data})


def check_ids(wanted: Iterable[str], known: Sequence[str]) -> None:
    """Raise a ValueError if a method is wanted that the study has not."""
    unknown = sorted(set(wanted) - set(known))
    if unknown:
        raise ValueError(f"methods must be among {', '.join(known)}; got {', '.join(unknown)}")


def _first(value: Any) -> Any:
    """Return the first of a list, still as a list, also inside a table; anything else as it is."""
    if isinstance(value, dict):
        return {name: _first(inner) for name, inner in value.items()}
    return value[:1] if isinstance(value, list) else value


def _cross(table: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    """Return all combinations of the values that are lists; others, and those not to be crossed, stay as they are."""
    options = [
        value if isinstance(value, list) and name not in NOT_CROSSED else [value] for name, value in table.items()
    ]
    return (dict(zip(table, values, strict=True)) for values in product(*options))


def _seeds(seeds: Any) -> Sequence[int]:
    if isinstance(seeds, int) and not isinstance(seeds, bool) and seeds > 0:
        return range(seeds)
    if isinstance(seeds, list) and seeds and all(isinstance(seed, int) and seed >= 0 for seed in seeds):
        return seeds
    raise ValueError(f"seeds must be a number of seeds or a list of them, got {seeds!r}")


def _check_keys(where: str, entry: Mapping[str, Any], allowed: set[str], needed: set[str]) -> None:
    if needed - set(entry):
        raise ValueError(f"{where} lacks {', '.join(sorted(needed - set(entry)))}")
    if set(entry) - allowed:
        unknown = ", ".join(sorted(set(entry) - allowed))
        raise ValueError(f"{where} may have {', '.join(sorted(allowed))}; got {unknown}")


def _check_settings(name: str, settings: Mapping[str, Any]) -> None:
    if name in YARDSTICKS:
        return
    try:
        make_method(name, 1, 0, **settings)
    except TypeError as error:
        raise ValueError(f"settings of {name}: {error}") from error


def _check_open_data(point: Mapping[str, Any]) -> None:
    if "name" in point and point["name"] not in OPEN_DATA:
        raise ValueError(f"name must be one of {', '.join(OPEN_DATA)}, got {point['name']!r}")
    for model in point.get("models", ()):
        if model not in DOWNSTREAM:
            raise ValueError(f"models must be among {', '.join(DOWNSTREAM)}, got {model!r}")
