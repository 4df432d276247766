"""The answer in words: headline, the sentences under it and the few numbers that matter."""

from collections.abc import Sequence
from typing import NamedTuple

from puselect.evaluation.compare import RANDOM
from puselect.report.comparison import Comparison, MethodResult
from puselect.report.quality import EVERYWHERE, counted
from puselect.report.selection import CandidateTable, Cluster, Selection


class Tile(NamedTuple):
    """A number with what it means."""

    figure: str
    unit: str
    meaning: str
    kind: str = ""
    """"alert" to be looked into, "muted" where nothing vouches for the number."""


class Gathering(NamedTuple):
    """What the positive clusters of the typical final clustering hold."""

    n_positive: int
    n_clusters: int
    labelled_share: float
    row_share: float
    n_labelled: int

    @property
    def lift(self) -> float:
        """How many times denser known positives are there than in the table."""
        return self.labelled_share / self.row_share if self.row_share else 0.0


def gathering(selection: Selection) -> Gathering | None:
    """Return how the typical final clustering gathers the labelled rows; None where there is none."""
    if not selection.clusterings:
        return None
    clusters = selection.clusterings[0].clusters
    positive = [cluster for cluster in clusters if cluster.positive]
    rows, labelled = _totals(clusters)
    rows_there, labelled_there = _totals(positive)
    if not rows or not labelled:
        return None
    return Gathering(len(positive), len(clusters), labelled_there / labelled, rows_there / rows, round(labelled))


def standing(selection: Selection) -> str:
    """Return how the clusters stood the test against chance: passed, failed, everywhere or unchecked."""
    if any(finding.title.startswith(EVERYWHERE) for finding in selection.findings):
        return "everywhere"
    if selection.suitability is None:
        return "unchecked"
    return "passed" if selection.suitability.suits else "failed"


def is_from_command_line(selection: Selection) -> bool:
    """Return whether the reader typed a command, not Python."""
    return selection.command.startswith("puselect ")


def headline(selection: Selection) -> str:
    """Return the answer in one sentence, no stronger than what was checked."""
    n = len(selection.selected)
    some = f"{n} of {selection.n_features} features"
    if not selection.clusterings:
        return f"{selection.method} ranks {some} first."
    return {
        "passed": f"{some} {'brings' if n == 1 else 'bring'} the known positives together.",
        "failed": f"{some} selected, but there is little sign of clusters.",
        "everywhere": f"{some} selected, but their positive clusters hold most of the table.",
        "unchecked": f"{some} selected; not checked against chance.",
    }[standing(selection)]


def lede(selection: Selection) -> list[str]:
    """Return the evidence in two or three sentences."""
    found = gathering(selection)
    lines = []
    if found is not None:
        lines.append(
            f"Clustered on {'it' if len(selection.selected) == 1 else 'them'}, {found.n_positive} of "
            f"{found.n_clusters} clusters hold {share(found.labelled_share)} of the {found.n_labelled:,} known "
            f"positives and {share(found.row_share)} of all rows."
        )
    if selection.search is not None:
        lines.append(_ending(selection.search.converged, selection.search.n_iter * selection.search.masks_per_step))
    elif selection.n_rows is not None and selection.n_labelled is not None:
        lines.append(f"From {selection.n_labelled:,} known positives among {selection.n_rows:,} rows.")
    if selection.clusterings and selection.suitability is None:
        how = "Add --suitability" if is_from_command_line(selection) else "Call check_suitability"
        lines.append(f"{how} to see whether the same search on shuffled labels would look as good.")
    return lines


def tiles(selection: Selection) -> list[Tile]:
    """Return the key numbers."""
    found = gathering(selection)
    vouched = "" if standing(selection) == "passed" else "muted"
    shown = [Tile(str(len(selection.selected)), f"of {selection.n_features}", "features selected")]
    if found is not None:
        meaning = "the density of known positives in the positive clusters, against all rows"
        shown.append(Tile(f"{found.lift:.1f}×", "", meaning, vouched))
    if selection.suitability is not None:
        ratio = selection.suitability.ratio
        meaning = "the objective of the same search on shuffled labels"
        shown.append(Tile(f"{ratio:.1f}×", "", meaning, "" if selection.suitability.suits else "alert"))
    if selection.candidates is not None:
        shown.append(_candidate_tile(selection.candidates, standing(selection)))
    elif selection.n_rows is not None and selection.n_labelled is not None:
        shown.append(Tile(f"{selection.n_labelled:,}", f"of {selection.n_rows:,}", "rows are known positives"))
    if selection.seconds is not None:
        shown.append(Tile(*duration(selection.seconds), "from the table to this selection"))
    n_warnings = sum(finding.level == "warning" for finding in selection.findings)
    if n_warnings:
        shown.append(Tile(str(n_warnings), "", f"warning{'s' * (n_warnings > 1)} to read before use", "alert"))
    return shown


def about_confidence(selection: Selection) -> str:
    """Return what the confidence of a candidate is worth here."""
    start = "Confidence estimates the probability of being positive, if positives form clusters as the method assumes"
    return {
        "passed": f"{start}: a guide, not a test.",
        "unchecked": f"{start}; that was not checked here, so high values may be chance.",
    }.get(standing(selection), f"{start}. Here that looks wrong, so do not read the values as probabilities.")


def comparison_headline(comparison: Comparison) -> str:
    """Return the answer of a comparison in one sentence."""
    best, *others = comparison.rivals
    if best.interval is None:
        return f"{counted(len(others) + 1, 'method')}, {counted(_n_shared(comparison), 'feature')} in common."
    if any(m.method == RANDOM and not _is_behind(m) for m in comparison.methods):
        return "No method is clearly better than random features."
    level = [m.method for m in others if not _is_behind(m)]
    if level:
        return f"{best.method} scores highest, too close to call with {_listed(level)}."
    return f"{best.method} is ahead of {'all the others' if others else 'random features'}."


def comparison_lede(comparison: Comparison) -> list[str]:
    """Return what the methods are judged by, what that is worth, and how the baselines do."""
    lines = [f"Judged by {comparison.score_name}."] if comparison.score_name else []
    lines += [f"Caution: {note}." for note in comparison.notes if _is_caveat(note)]
    scores = {m.method: m.interval.mean for m in comparison.methods if m.is_baseline and m.interval is not None}
    if scores:
        lines.append(f"For scale: {_listed([f'{name} {mean:.3f}' for name, mean in scores.items()])}.")
    return lines


def other_notes(result: Selection | Comparison) -> list[str]:
    """Return the notes that are not told under the headline."""
    return [note for note in result.notes if not _is_caveat(note)]


def comparison_tiles(comparison: Comparison) -> list[Tile]:
    """Return the key numbers of a comparison, the baselines left out."""
    rivals = comparison.rivals
    best = rivals[0]
    beside = " beside the baselines" if len(rivals) < len(comparison.methods) else ""
    shown = [Tile(str(len(rivals)), "", f"method{'s' * (len(rivals) > 1)} compared{beside}")]
    if best.interval is not None:
        span = f"{best.interval.low:.3f} to {best.interval.high:.3f}"
        shown.append(Tile(f"{best.interval.mean:.3f}", "", f"best mean score, {best.method} ({span})"))
        shown.append(Tile(str(len(best.scores)), "", "splits, the same for all methods"))
    if len(rivals) > 1:
        meaning = "features that every method selects"
        shown.append(Tile(str(_n_shared(comparison)), f"of {comparison.n_features}", meaning))
    fastest = min(rivals, key=lambda m: m.seconds)
    return [*shown, Tile(*duration(fastest.seconds), f"fastest fit, {fastest.method}")]


def duration(seconds: float) -> tuple[str, str]:
    """Return a time as figure and unit.

    Examples
    --------
    >>> duration(0.0053), duration(3.21), duration(600)
    (('5.3', 'ms'), ('3.2', 's'), ('10.0', 'min'))
    """
    if seconds < 1e-3:
        return "< 1", "ms"
    if seconds < 0.1:
        return f"{1000 * seconds:.2g}", "ms"
    return (f"{seconds:.1f}", "s") if seconds < 120 else (f"{seconds / 60:.1f}", "min")


def share(value: float) -> str:
    """Return a share as a percentage, with a decimal where it is small."""
    return f"{value:.1%}" if 0 < value < 0.0995 else f"{value:.0%}"


def _candidate_tile(listed: CandidateTable, stands: str) -> Tile:
    if stands in ("failed", "everywhere"):
        return Tile(f"{listed.total:,}", "rows", "sit in positive clusters; that alone makes none likely", "muted")
    likely = sum(confidence >= 0.5 for confidence in listed.confidence)
    more = "+" if likely == len(listed.row) < listed.total else ""
    if stands == "unchecked":
        meaning = f"would be likely positives if the clusters are real, of {listed.total:,} candidates"
        return Tile(f"{likely:,}{more}", "rows", meaning, "muted")
    return Tile(f"{likely:,}{more}", "rows", f"likely hidden positives, of {listed.total:,} candidates")


def _ending(converged: float, n_masks: int) -> str:
    what = "" if converged >= 1 else f" for {share(converged)} of the features"
    caveat = "by itself that is no evidence: on noise it does, too"
    return f"The search converged{what} in {n_masks:,} clusterings; {caveat}."


def _totals(clusters: Sequence[Cluster]) -> tuple[float, float]:
    return sum(cluster.size for cluster in clusters), sum(cluster.labelled for cluster in clusters)


def _n_shared(comparison: Comparison) -> int:
    return len(set.intersection(*(set(method.selected) for method in comparison.rivals)))


def _is_behind(method: MethodResult) -> bool:
    return method.behind_best is not None and method.behind_best.low > 0


def _is_caveat(note: str) -> bool:
    return note.startswith("the score is a stand-in")


def _listed(names: list[str]) -> str:
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"
