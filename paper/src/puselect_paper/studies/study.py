"""A study: data sets x methods x seeds, read from a TOML file.

::

    title = "Table 1: artificial data"
    seeds = 5                           # 0 to 4; or a list
    method = ["kbest", "fscpu", "all", "random"]  # names in METHODS or YARDSTICKS; by default every one of them

    [[data]]
    title = "FSR in the ten conditions"
    measure = "recall"                  # recall, convergence: artificial data; downstream: open data
    condition = ["40/8/1", "40/8/2"]    # keyword arguments of make_pu_clusters; lists are crossed
    methods = ["fscpu"]                 # ids of some methods; by default all

A method that is not to be run with its defaults is a table instead of a name::

    [[method]]
    name = "fscpu"
    id = "fscpu-20"                     # the name for --methods; by default `name`; no two may be equal
    label = "FSCPU, K = 20"             # the name in tables; this and the next two by default as in `rows.ROWS`
    group = "positive-unlabelled"       # the group of rows that it belongs to
    paper = "fscpu-published"           # its row in the paper's tables
    settings = { n_clusters = 20 }      # keyword arguments of METHODS[name]
    artificial = { shuffle = false }    # changes to artificial data sets, for this method only
    given = "prior"                     # on open data: the true share of positives; "classes": select with true classes

``reduced = true`` runs every method with the settings that its record keeps for a quick check. Data of the measure
``downstream`` have ``name`` (spambase, ionosphere, rt_iot2022), ``share`` of the features to select, ``models`` that
judge (not crossed: all of them judge one selection), and optionally the ``rate`` of labelled positives. Data of the
measure ``real`` have ``name`` (one of these, or a file in ``$PUSELECT_DATA/real`` or ``wide``), ``share`` and
``models``; those of the measure ``counts`` have ``name`` only.
"""

import json
import tomllib
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import product
from pathlib import Path
from typing import NamedTuple, Self

from puselect.methods import REGISTRY
from puselect_paper.studies.cells import Cell, JSONObject
from puselect_paper.studies.definition import (
    BLOCK_KINDS,
    GIVEN,
    METHOD_KINDS,
    NOT_CROSSED,
    OPEN_KINDS,
    STUDY_KINDS,
    check_among,
    check_block,
    check_entry,
    check_point,
    check_settings,
    read_seeds,
)
from puselect_paper.studies.rows import row_names, row_of

DEFINITIONS = Path(__file__).parent / "definitions"


@dataclass(frozen=True)
class StudyMethod:
    """A row of a table: a method or yardstick with its settings."""

    name: str
    id: str
    label: str
    group: str = ""
    paper: str = ""
    settings: JSONObject = field(default_factory=dict)
    artificial: JSONObject = field(default_factory=dict)
    given: str = ""
    """What it knows of the truth."""

    @classmethod
    def from_entry(cls, entry: str | JSONObject, reduced: bool = False) -> Self:
        """Return the row of a ``[[method]]`` entry, or of a name with all defaults."""
        table: JSONObject = {"name": entry} if isinstance(entry, str) else entry
        check_entry("[[method]]", table, METHOD_KINDS, {"name"})
        name = table["name"]
        defaults = row_of(name)._asdict()
        if "id" in table:  # not the method as such
            defaults["label"] = table["id"]
        settings = table.get("settings", {})
        if reduced:  # the paper's figures are not for reduced settings
            quick = REGISTRY[name].quick if name in REGISTRY else {}
            settings, table = {**settings, **quick}, {**table, "paper": ""}
        method = cls(**{"id": name, **defaults, **table, "settings": settings})
        check_settings(name, settings)
        if method.given not in GIVEN:
            raise ValueError(f"given must be one of {', '.join(GIVEN[1:])}, got {method.given!r}")
        return method


@dataclass(frozen=True)
class Block:
    """Data sets on which one thing is measured: a table, or a figure."""

    measure: str
    title: str
    points: Sequence[JSONObject]
    methods: Sequence[str]

    @classmethod
    def from_entry(cls, entry: JSONObject) -> Self:
        """Return the block of a ``[[data]]`` entry."""
        measure = check_block(entry)
        points = list(_cross({name: value for name, value in entry.items() if name not in BLOCK_KINDS}))
        for point in points:
            check_point(measure, point)
        return cls(measure, entry.get("title", ""), points, entry.get("methods", ()))


class Place(NamedTuple):
    """Where a cell stands: its block, row and column."""

    block: Block
    method: StudyMethod
    point: JSONObject


@dataclass(frozen=True)
class Study:
    """What is run, and how the results are laid out."""

    definition: JSONObject
    title: str
    seeds: Sequence[int]
    methods: Sequence[StudyMethod]
    blocks: Sequence[Block]

    @classmethod
    def from_definition(cls, definition: JSONObject) -> Self:
        """Return the study that a parsed TOML file describes."""
        check_entry("the study", definition, STUDY_KINDS, {"title", "seeds", "data"})
        reduced = definition.get("reduced", False)
        entries = definition.get("method", row_names())
        methods = [StudyMethod.from_entry(entry, reduced) for entry in entries]
        ids = [method.id for method in methods]
        if len(set(ids)) < len(ids):
            raise ValueError(f"every [[method]] needs an id of its own, got {', '.join(ids)}")
        blocks = [Block.from_entry(entry) for entry in definition["data"]]
        for block in blocks:
            check_among("methods", block.methods, ids)
        return cls(definition, definition["title"], read_seeds(definition["seeds"]), methods, blocks)

    def places(self) -> list[tuple[Place, str]]:
        """Return every place in tables and figures, and the family of cells whose results stand there."""
        return [(place, cell.family) for place, cell in self._templates()]

    def cells(self, methods: Iterable[str] = (), n_seeds: int | None = None) -> list[Cell]:
        """Return the cells of the study, or of some methods (by id) and another number of seeds."""
        wanted = set(methods)
        check_among("methods", wanted, [method.id for method in self.methods])
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
            for method, point in product(self.methods, block.points):
                if block.methods and method.id not in block.methods:
                    continue
                data = {**point, **({} if block.measure in OPEN_KINDS else method.artificial)}
                if method.given:
                    data["given"] = method.given
                yield Place(block, method, point), Cell(block.measure, method.name, method.settings, data, 0)


def study_names() -> list[str]:
    """Return the names of the studies that come with the package."""
    return sorted(path.stem for path in DEFINITIONS.glob("*.toml"))


def load_study(name: str) -> Study:
    """Return a study by its name, or by the path of its TOML file, or of the JSON that a run keeps in its folder."""
    path = DEFINITIONS / f"{name}.toml" if name in study_names() else Path(name)
    if not path.is_file():
        raise ValueError(f"a study is one of {', '.join(study_names())}, or a TOML file; got {name!r}")
    definition = read_definition(path)
    try:
        return Study.from_definition(definition)
    except ValueError as error:
        raise ValueError(f"{path}: {error}") from error


def read_definition(path: Path) -> JSONObject:
    """Return the content of a TOML or JSON file, or raise a ValueError that names the file."""
    try:
        text = path.read_text(encoding="utf-8")
        definition = json.loads(text) if path.suffix == ".json" else tomllib.loads(text)
        # a cell with NaN has no key, and half a character cannot be written
        json.dumps(definition, ensure_ascii=False, allow_nan=False, default=str).encode()
    except (ValueError, RecursionError) as error:
        raise ValueError(f"{path}: {error}") from error
    if not isinstance(definition, dict):
        raise ValueError(f"{path}: a study must be a table, got {type(definition).__name__}")
    return definition


def shorten(study: Study) -> Study:
    """Return the smallest version of a study: one seed, the first of each list of data, reduced settings."""
    data = [
        {name: value[:1] if isinstance(value, list) and name != "methods" else value for name, value in entry.items()}
        for entry in study.definition["data"]
    ]
    changes = {"title": f"{study.title} (quick)", "seeds": 1, "data": data, "reduced": True}
    return Study.from_definition({**study.definition, **changes})


def _cross(table: JSONObject) -> Iterator[JSONObject]:
    """Return all combinations of the values that are lists; others, and those not to be crossed, stay as they are."""
    options = [
        value if isinstance(value, list) and name not in NOT_CROSSED else [value] for name, value in table.items()
    ]
    return (dict(zip(table, values, strict=True)) for values in product(*options))
