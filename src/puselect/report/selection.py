"""One selection, complete: everything a report shows, in plain values that go to JSON and back."""

from dataclasses import dataclass

from puselect.report.codec import JSONRecord
from puselect.selectors.suitability import Suitability

SELECTION_SCHEMA = "puselect.selection/1"


@dataclass(frozen=True)
class Feature:
    """One column of the table."""

    name: str
    column: int
    """Index in the table, from 0."""
    rank: int
    """1 for the feature most worth having."""
    selected: bool
    score: float | None
    """What it was ranked by; see `Selection.score_name`."""
    cost: float | None
    """Where a budget was spent."""


@dataclass(frozen=True)
class SearchRecord:
    """How a search went, at evenly spaced steps."""

    step: tuple[int, ...]
    masks_per_step: int
    theta: tuple[tuple[float, ...], ...]
    """Probabilities at these steps: one tuple per searched feature."""
    columns: tuple[int, ...]
    """Which column of the table each line of `theta` belongs to."""
    value: tuple[float | None, ...]
    """Mean objective of the masks of a step."""
    best: tuple[float | None, ...]
    """Best objective of any mask so far."""
    settled: tuple[float, ...]
    """Share of the probabilities that are 0.1 or less, or 0.9 or more."""
    n_iter: int
    converged: float
    n_degenerate: int


@dataclass(frozen=True)
class Cluster:
    """One cluster of the selected space."""

    size: float
    """Rows; an estimate where the table was sampled."""
    labelled: float
    positive: bool
    """Whether it is taken as positive."""


@dataclass(frozen=True)
class Clustering:
    """One of the final clusterings."""

    score: float
    clusters: tuple[Cluster, ...]


@dataclass(frozen=True)
class View:
    """Rows of the selected space in two principal components."""

    x: tuple[float, ...]
    y: tuple[float, ...]
    row: tuple[int | str, ...]
    kind: tuple[int, ...]
    """0 unlabelled, 1 labelled positive, 2 candidate."""
    explained: tuple[float, ...]
    """Share of the variance of the selected space in each component."""
    n_rows: int
    """Rows in the table; more than are drawn where it was sampled."""


@dataclass(frozen=True)
class CandidateTable:
    """Unlabelled rows that sit in positive clusters, most confident first."""

    row: tuple[int | str, ...]
    """Row of the file, from 0 after the header; in Python the index of the data frame, or the position."""
    confidence: tuple[float, ...]
    columns: tuple[str, ...]
    """Names of the best selected features, whose values are shown."""
    values: tuple[tuple[float, ...], ...]
    """One tuple per row."""
    total: int
    """How many there are; more than are listed where there are very many."""


@dataclass(frozen=True)
class Finding:
    """Something about the data or the search that the reader should know."""

    level: str
    """"warning" or "note"."""
    title: str
    text: str


@dataclass(frozen=True)
class Selection(JSONRecord):
    """What was selected, what speaks for it, and everything needed to repeat it."""

    schema: str = SELECTION_SCHEMA
    method: str = ""
    selected: tuple[str, ...] = ()
    """Names of the selected features, best first."""
    n_features: int = 0
    n_rows: int | None = None
    n_labelled: int | None = None
    objective: float | None = None
    seconds: float | None = None
    command: str = ""
    """What to type to do it again."""
    seed: int | str | None = None
    created: str = ""
    score_name: str = "score"
    """"probability" for a search, "score" for a ranking."""
    features: tuple[Feature, ...] = ()
    """All of them, best first."""
    search: SearchRecord | None = None
    clusterings: tuple[Clustering, ...] = ()
    view: View | None = None
    candidates: CandidateTable | None = None
    findings: tuple[Finding, ...] = ()
    notes: tuple[str, ...] = ()
    suitability: Suitability | None = None
    settings: dict[str, str] | None = None
    versions: dict[str, str] | None = None
