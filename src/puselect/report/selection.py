"""One selection: everything a report shows, in plain values that are saved as JSON."""

from dataclasses import dataclass

from puselect.checks.suitability import Suitability
from puselect.fscpu.auto_number import Path
from puselect.fscpu.row_model import ClassPrior
from puselect.fscpu.stability import Stability
from puselect.report.codec import JSONRecord
from puselect.report.model import Model
from puselect.report.panels import Panel, Portrait
from puselect.tables.column_outcomes import ColumnOutcome
from puselect.tables.encoders import Encoder

SELECTION_SCHEMA = "puselect.selection/5"
PROBABILITY, SCORE = "probability", "score"
WARNING, NOTE = "warning", "note"


@dataclass(frozen=True)
class Feature:
    """One column of the table."""

    name: str
    column: int
    """Index in the table, from 0."""
    rank: int
    """1 for the best."""
    selected: bool
    score: float | None
    """What it was ranked by; see `Selection.score_name`."""
    cost: float | None
    """If costs were given."""
    members: tuple[str, ...] = ()
    """Names of the columns of a feature that stands for several, selected as a whole."""
    is_date: bool = False
    """Whether its values are days since 1970-01-01."""


@dataclass(frozen=True)
class SearchRecord:
    """The end of a search."""

    n_iter: int
    converged: bool
    """Whether every feature was decided."""
    n_degenerate: int


@dataclass(frozen=True)
class Gathering:
    """The positive clusters of the most typical final clustering."""

    n_positive: int
    n_clusters: int
    labelled: float
    """Known positives in the positive clusters."""
    all_labelled: float
    rows: float
    """Rows in the positive clusters; an estimate where the table was sampled."""
    all_rows: float

    def __str__(self) -> str:
        clusters = f"{self.n_positive} of {self.n_clusters} clusters {'holds' if self.n_positive == 1 else 'hold'}"
        known = f"{round(self.labelled):,} of the {round(self.all_labelled):,} known positives"
        return f"{clusters} {known} and {round(self.rows):,} of all {round(self.all_rows):,} rows."


@dataclass(frozen=True)
class View:
    """Rows of the selected space in two principal components."""

    x: tuple[float, ...]
    y: tuple[float, ...]
    row: tuple[int | str, ...]
    kind: tuple[int, ...]
    """0 unlabelled, 1 labelled positive, 2 candidate."""
    n_rows: int
    """Rows in the table; more than are drawn where it was sampled."""


@dataclass(frozen=True)
class CandidateTable:
    """Unlabelled rows that are most likely positive, best first."""

    row: tuple[int | str, ...]
    """Row of the file, from 0 after the header; in Python the index of the data frame, or the position."""
    lift: tuple[float, ...]
    """How many times as often as an average row such a row is positive."""
    confidence: tuple[float, ...]
    """Probability of being positive; empty if the labels do not tell how many positives there are."""
    columns: tuple[str, ...]
    """Names of the selected features, whose values are shown."""
    values: tuple[tuple[float | str, ...], ...]
    """One tuple per row."""
    total: int
    """How many there are; more than are listed where there are very many."""
    row_name: str = ""
    """The column that names the rows, if there is one."""


@dataclass(frozen=True)
class Finding:
    """Something about the data or the search that the reader should know."""

    level: str
    """"warning" if the result may be wrong, "note" if it is good to know."""
    title: str
    text: str
    code: str = ""
    """What it is about, one of `puselect.report.findings.Code`; programs should look at this, never at the words."""


@dataclass(frozen=True)
class Selection(JSONRecord):
    """What was selected, the evidence for it, and everything needed to reproduce it."""

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
    """What to type to reproduce it."""
    seed: int | str | None = None
    created: str = ""
    score_name: str = SCORE
    """"probability" for a search, "score" for a ranking."""
    features: tuple[Feature, ...] = ()
    """All of them, best first."""
    search: SearchRecord | None = None
    gathering: Gathering | None = None
    """The clusters of the selected features; None for a method without clusters."""
    view: View | None = None
    candidates: CandidateTable | None = None
    prior: ClassPrior | None = None
    """The share of positives among the unlabelled rows, if it can be told."""
    findings: tuple[Finding, ...] = ()
    suspects: tuple[int | str, ...] = ()
    """Labelled rows that may be wrong, named as candidates are; the least like other positives first."""
    changed: str = ""
    """Against the selection before the last answers, in words."""
    notes: tuple[str, ...] = ()
    suitability: Suitability | None = None
    stability: Stability | None = None
    """Of selections on halves of the rows."""
    path: Path | None = None
    """How the number of features was chosen."""
    panels: tuple[Panel, ...] = ()
    """Distributions of the selected features, best first."""
    portraits: tuple[Portrait, ...] = ()
    """What marks the positive clusters."""
    columns: tuple[ColumnOutcome, ...] = ()
    """What became of each column of the file."""
    recipes: tuple[Encoder, ...] = ()
    """How columns of the file became features, for `puselect apply`."""
    model: Model | None = None
    """What ranks rows by the selected features, for `puselect apply`."""
    settings: dict[str, str] | None = None
    versions: dict[str, str] | None = None
