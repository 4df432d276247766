"""One selection: everything a report shows, in plain values that are saved as JSON."""

from dataclasses import dataclass

from puselect.checks.suitability import Suitability
from puselect.fscpu.auto_number import Path
from puselect.fscpu.problem import ChoiceCode
from puselect.fscpu.row_model import ClassPrior, PriorCode
from puselect.fscpu.stability import Stability
from puselect.report.codec import JSONRecord, require, same_length, within
from puselect.report.model import Model
from puselect.report.panels import Panel, Portrait
from puselect.tables.column_outcomes import ColumnOutcome
from puselect.tables.encoders import Encoder

SELECTION_SCHEMA = "puselect.selection/3"
PROBABILITY, SCORE = "probability", "score"
WARNING, NOTE = "warning", "note"
IGO, EFFECTS = "igo", "effects"


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

    def check(self) -> None:
        require(self.column >= 0, "column must not be negative")
        require(self.rank >= 1, "rank must be at least 1")


@dataclass(frozen=True)
class SearchRecord:
    """The course of a search, at evenly spaced steps."""

    step: tuple[int, ...]
    masks_per_step: int
    theta: tuple[tuple[float, ...], ...]
    """Probabilities at these steps: one tuple per searched feature."""
    columns: tuple[int, ...]
    """Which column of the table each line of `theta` belongs to."""
    n_iter: int
    converged: bool
    """Whether every feature was decided."""
    n_degenerate: int
    optimizer: str = IGO
    """"effects" or "igo"."""

    def check(self) -> None:
        require(same_length(self.step, *self.theta), "columns differ in length")
        require(same_length(self.theta, self.columns), "theta and columns differ in length")
        require(within((share for track in self.theta for share in track), 0, 1), "probabilities must lie in 0..1")
        require(within((*self.step, self.n_iter, self.n_degenerate), 0), "counts must not be negative")
        require(self.masks_per_step >= 1, "masks_per_step must be at least 1")
        require(self.optimizer in (IGO, EFFECTS), f"optimizer must be {IGO!r} or {EFFECTS!r}")


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

    def check(self) -> None:
        require(0 <= self.n_positive <= self.n_clusters, "n_positive must lie in 0..n_clusters")
        require(0 <= self.labelled <= 1.001 * self.all_labelled, "labelled must lie in 0..all_labelled")
        require(0 <= self.rows <= 1.001 * self.all_rows, "rows must lie in 0..all_rows")

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

    def check(self) -> None:
        require(same_length(self.x, self.y, self.row, self.kind), "columns differ in length")
        require(within(self.kind, 0, 2), "kind must be 0, 1 or 2")


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

    def check(self) -> None:
        require(same_length(self.row, self.lift, self.values), "columns differ in length")
        require(len(self.confidence) in (0, len(self.row)), "confidence needs one number per row, or none")
        require(within(self.lift, 0), "lift must not be negative")
        require(all(len(row) == len(self.columns) for row in self.values), "each row needs one value per column")
        require(within(self.confidence, 0, 1), "confidence must lie in 0..1")


@dataclass(frozen=True)
class Finding:
    """Something about the data or the search that the reader should know."""

    level: str
    """"warning" if the result may be wrong, "note" if it is good to know."""
    title: str
    text: str
    code: str = ""
    """What it is about, one of `puselect.report.findings.Code`; programs should look at this, never at the words."""

    def check(self) -> None:
        require(self.level in (WARNING, NOTE), f"level must be {WARNING!r} or {NOTE!r}")


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
    from_command_line: bool = False
    """Whether the command is to be typed into a shell, not into Python."""
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

    def check(self) -> None:
        require(self.score_name in (PROBABILITY, SCORE), f"score_name must be {PROBABILITY!r} or {SCORE!r}")
        require(within((self.n_features, self.n_rows, self.n_labelled, self.seconds), 0), "counts must not be negative")
        if self.score_name == PROBABILITY:
            require(within((feature.score for feature in self.features), 0, 1), "probabilities must lie in 0..1")
        if self.prior is not None:
            require(self.prior.code in list(PriorCode), f"prior.code must be one of {', '.join(PriorCode)}")
            shares = (self.prior.share, *(self.prior.interval or ()))
            told = len(shares) == 3 and None not in shares and within(shares, 0, 1)
            require(told or self.prior.code != PriorCode.ESTIMATED, "prior must have a share in 0..1 and its interval")
        if self.stability is not None:
            found = self.stability
            columns_of = (found.frequency, found.low, found.high, found.twin_frequency)
            n_columns = 1 + max((feature.column for feature in self.features), default=-1)
            complete = same_length(*columns_of) and len(found.frequency) >= n_columns
            shares_fit = all(within(each, 0, 1) for each in columns_of)
            require(complete and shares_fit, "stability must have a share in 0..1 for each column")
            require(all(0 <= j < len(found.frequency) for group in found.twins for j in group), "twins must be columns")
            require(found.n_searches >= 1, "n_searches must be at least 1")
            require(len(self.stability.interval) == 2, "stability.interval must be two numbers")
        if self.path is not None:
            path = self.path
            values = (path.size, path.cost, path.objective, path.separation, path.separation_error, path.false_share)
            require(same_length(*values) and len(path.size) > 0, "columns of path differ in length")
            require(path.code in list(ChoiceCode), f"path.code must be one of {', '.join(ChoiceCode)}")
            require(len(path.interval) == 2, "path.interval must be two numbers")
            require(path.n_enough in path.size, "path.n_enough must be one of path.size")
        columns = {feature.column for feature in self.features}
        require(len(columns) == len(self.features), "two features have the same column")
        searched = () if self.search is None else self.search.columns
        require(columns.issuperset(searched), "search.columns must be those of features")
        n_selected = sum(feature.selected for feature in self.features)
        require(len(self.panels) <= n_selected, "there are more panels than selected features")
        require(set(self.selected) == {f.name for f in self.features if f.selected}, "selected and features disagree")
