"""The rows of a journal, sorted into the places of a study."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from puselect_paper.studies.journal import Row
from puselect_paper.studies.study import Block, Place, Study, StudyMethod


class Result(NamedTuple):
    """Finished rows of one place, one per seed."""

    place: Place
    rows: Sequence[Row]

    @property
    def method(self) -> StudyMethod:
        """The method of the place."""
        return self.place.method

    def numbers(self, name: str) -> list[float]:
        """Return one value of each row that has it; rows made elsewhere may lack the time of the fit."""
        return [float(row.values[name]) for row in self.rows if row.values and name in row.values]

    def by_seed(self, name: str) -> dict[int, Mapping[str, float]]:
        """Return a table of values of each row, such as those by model, by its seed."""
        return {row.cell.seed: row.values[name] for row in self.rows if row.values}


class BlockResults(NamedTuple):
    """The results of a block; places without any row are not there."""

    block: Block
    results: Sequence[Result]

    def methods(self) -> list[StudyMethod]:
        """Return the methods that have results, in the order of the study."""
        return list({result.method.id: result.method for result in self.results}.values())

    def of(self, method: StudyMethod) -> list[Result]:
        """Return the results of one method."""
        return [result for result in self.results if result.method.id == method.id]


@dataclass(frozen=True)
class Results:
    """All results of a study, and its failures."""

    study: Study
    blocks: Sequence[BlockResults]
    failed: Sequence[Row]
    """Cells of the study whose last attempt failed."""
    n_foreign: int
    """Rows that belong to no place of the study."""
    seconds: float
    """Time of all finished cells together."""


def collect(study: Study, rows: Iterable[Row]) -> Results:
    """Return the rows in their places; the journal may hold more seeds than the study asks for, or fewer."""
    places = study.places()
    known = {family for _, family in places}
    families: dict[str, list[Row]] = {}
    for row in rows:
        families.setdefault(row.cell.family, []).append(row)
    ours = [row for family, members in families.items() if family in known for row in members]
    blocks = [BlockResults(block, _block_results(block, places, families)) for block in study.blocks]
    return Results(
        study,
        blocks,
        failed=[row for row in ours if not row.finished],
        n_foreign=sum(len(members) for family, members in families.items() if family not in known),
        seconds=sum(row.seconds for row in ours if row.finished),
    )


def _block_results(block: Block, places: list[tuple[Place, str]], families: dict[str, list[Row]]) -> list[Result]:
    found = []
    for place, family in places:
        rows = [row for row in families.get(family, ()) if row.finished]
        if place.block is block and rows:
            found.append(Result(place, sorted(rows, key=lambda row: row.cell.seed)))
    return found
