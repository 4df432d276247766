"""The words of a report: headlines, summaries and key figures."""

from collections.abc import Sequence
from enum import StrEnum
from typing import NamedTuple

from puselect.fscpu.prior import ClassPrior
from puselect.methods import yardstick
from puselect.phrases import counted, duration
from puselect.report.comparison import Comparison, MethodResult
from puselect.report.findings import Code
from puselect.report.selection import EFFECTS, PROBABILITY, WARNING, CandidateTable, Cluster, Selection

PROXY = (
    "The score is a proxy: it counts unlabelled rows as negatives, although some are positive. It ranks methods, but "
    "says little about true performance; use --truth if you know the true classes."
)


MOST_TO_LABEL = 20


class Standing(StrEnum):
    """How the clusters did in the comparison with shuffled labels."""

    PASSED = "passed"
    FAILED = "failed"
    EVERYWHERE = "everywhere"
    """The positive clusters contain most of the table: no check could pass."""
    UNCHECKED = "unchecked"

    @property
    def is_doubtful(self) -> bool:
        """Whether there is evidence against the clusters."""
        return self in (Standing.FAILED, Standing.EVERYWHERE)


class Tile(NamedTuple):
    """A key figure and what it means."""

    figure: str
    unit: str
    meaning: str
    kind: str = ""
    """"alert" if it needs attention, "muted" if there is no evidence for it."""


class Gathering(NamedTuple):
    """What the positive clusters of the typical final clustering contain."""

    n_positive: int
    n_clusters: int
    labelled_share: float
    row_share: float
    n_labelled: int

    @property
    def lift(self) -> float:
        """Density of known positives there, relative to the whole table."""
        return self.labelled_share / self.row_share if self.row_share else 0.0


def gathering(selection: Selection) -> Gathering | None:
    """Return what the positive clusters contain; None without clusterings."""
    if not selection.clusterings:
        return None
    clusters = selection.clusterings[0].clusters
    positive = [cluster for cluster in clusters if cluster.positive]
    rows, labelled = _totals(clusters)
    rows_there, labelled_there = _totals(positive)
    if not rows or not labelled:
        return None
    return Gathering(len(positive), len(clusters), labelled_there / labelled, rows_there / rows, round(labelled))


def standing(selection: Selection) -> Standing:
    """Return how the clusters did in the comparison with shuffled labels."""
    if any(finding.code == Code.POSITIVE_EVERYWHERE for finding in selection.findings):
        return Standing.EVERYWHERE
    if selection.suitability is None:
        return Standing.UNCHECKED
    return Standing.PASSED if selection.suitability.suits else Standing.FAILED


def headline(selection: Selection) -> str:
    """Return the result in one sentence, no stronger than what was checked."""
    n = len(selection.selected)
    some = f"{n} of {selection.n_features} features"
    if not selection.clusterings:
        return f"{some} selected by {selection.method}."
    return {
        Standing.PASSED: f"{some} {'brings' if n == 1 else 'bring'} the known positives together.",
        Standing.FAILED: f"{some} selected, but there is little sign of clusters.",
        Standing.EVERYWHERE: f"{some} selected, but their positive clusters contain most of the table.",
        Standing.UNCHECKED: f"{some} selected; not yet compared with shuffled labels.",
    }[standing(selection)]


def lede(selection: Selection) -> list[str]:
    """Return the evidence in a few sentences."""
    found = gathering(selection)
    lines = []
    if found is not None:
        it = "it" if len(selection.selected) == 1 else "them"
        known = f"{share(found.labelled_share)} of the {found.n_labelled:,} known positives"
        lines.append(
            f"Clustered on {it}, {found.n_positive} of {found.n_clusters} clusters "
            f"{'contains' if found.n_positive == 1 else 'contain'} "
            f"{'the one known positive' if found.n_labelled == 1 else known} and {share(found.row_share)} of all rows."
        )
    if selection.search is not None:
        lines.append(ending(selection))
    elif selection.n_rows is not None and selection.n_labelled is not None:
        lines.append(f"Based on {selection.n_labelled:,} known positives among {selection.n_rows:,} rows.")
    if selection.suitability is not None:
        lines.append(selection.suitability.verdict)
    if selection.path is not None:
        lines.append(str(selection.path))
    if selection.stability is not None:
        lines.append(f"{selection.stability} {unsure(selection)}".strip())
    if selection.clusterings and selection.suitability is None:
        how = "Add --suitability" if selection.from_command_line else "Call check_suitability"
        lines.append(f"{how} to see whether the same search on shuffled labels does as well.")
    return lines


def label_first(selection: Selection) -> str:
    """Return which rows to label next: the candidates whose confidence is nearest to one half, or the likeliest.

    Of the former it is least known whether they are positive, so their labels would settle most.
    """
    listed = selection.candidates
    if listed is None or not listed.row or standing(selection).is_doubtful:
        return ""
    if not listed.confidence:
        return f"Look first at {_listed([str(row) for row in listed.row[:MOST_TO_LABEL]])}: the likeliest ones."
    pairs = sorted(zip(listed.confidence, listed.row, strict=True), key=lambda pair: abs(pair[0] - 0.5))
    named = [str(row) for _, row in pairs[:MOST_TO_LABEL]]
    rows = "row" if len(named) == 1 else "rows"
    return f"To learn most, label {rows} {_listed(named)} next: confidence is nearest to one half there."


def unsure(selection: Selection) -> str:
    """Return in a sentence which selected features were missing in half of the searches or more."""
    stability = selection.stability
    if stability is None:
        return ""
    chosen = [feature for feature in selection.features if feature.selected]
    rare = [feature for feature in chosen if stability.frequency[feature.column] <= 0.5]
    replaced = [feature.name for feature in rare if stability.twin_frequency[feature.column] > 0.5]
    alone = [feature.name for feature in rare if feature.name not in replaced]
    words = [f"Selected in half of them or less: {_listed(alone)}."] if alone else []
    words += [f"A twin was selected instead of {_listed(replaced)}."] if replaced else []
    return " ".join(words)


def ending(selection: Selection) -> str:
    """Return in a sentence how a search ended, no stronger than it was."""
    search = selection.search
    if search is None:
        return ""
    if not search.n_masks:
        return "Nothing was searched, because there was nothing to choose from."
    tried = f"{search.n_masks:,} clusterings"
    if search.converged:
        return f"The search converged after {tried}; that alone is no evidence, because it can converge on noise, too."
    if search.optimizer == EFFECTS:
        n = len(selection.selected)
        clear = "all" if not search.n_near_cut else f"{n - search.n_near_cut} of"
        return f"After {tried}, {clear} {n} selected features are one standard error or more above the cut."
    return f"After {tried}, the search had settled on {share(search.settled_share)} of the features."


def about_search(selection: Selection) -> str:
    """Return what the lines of the probabilities over the search mean."""
    start = "Each line is the probability that the search tries a feature."
    if selection.search is not None and selection.search.optimizer == EFFECTS:
        return (
            f"{start} It is the probability that the feature's score, which has a standard error of 1, is above the "
            "cut between selected and other features. The score starts from what the column alone says about the "
            "labels, and adds the effect that the feature has on the clusterings so far. Lines that end in between are "
            "close calls: other features may do as well. Lines near 0 or 1 are no evidence by themselves."
        )
    return (
        f"{start} All start equal; a line rises if clusterings with the feature score higher, and falls if they score "
        "lower. Features whose lines end in between are undecided. Lines near 0 or 1 mean that the search converged, "
        "which is no evidence by itself: it also converges on noise."
    )


def about_ranking(selection: Selection) -> str:
    """Return what features are ranked by."""
    if selection.score_name != PROBABILITY:
        return "By the score of the method; higher is better. The order of equal scores is random."
    if selection.search is not None and selection.search.optimizer == EFFECTS:
        return (
            "By the score at the end of the search. The probability is how often the search would try the feature "
            "next; it does not say how likely a feature is to be relevant."
        )
    return (
        "By the probability at the end of the search. It shows what the search preferred, not how likely a feature is "
        "to be relevant. The order of equal probabilities is random."
    )


def about_settled(selection: Selection) -> str:
    """Return what is drawn as the share of decided features."""
    if selection.search is not None and selection.search.optimizer == EFFECTS:
        return "share of the features that are three standard errors from the cut; few searches reach 100%"
    return "share of the features with a probability of at most 0.1 or at least 0.9"


def tiles(selection: Selection) -> list[Tile]:
    """Return the key figures of a selection."""
    found = gathering(selection)
    kind = "" if standing(selection) is Standing.PASSED else "muted"
    shown = [Tile(str(len(selection.selected)), f"of {selection.n_features}", "features selected")]
    if found is not None:
        meaning = "as many known positives per row in the positive clusters as in the table"
        shown.append(Tile(f"{found.lift:.1f}×", "", meaning, kind))
    if selection.suitability is not None:
        ratio = selection.suitability.ratio
        meaning = "the objective of the same search on shuffled labels"
        shown.append(Tile(f"{ratio:.1f}×", "", meaning, "" if selection.suitability.suits else "alert"))
    if selection.candidates is not None:
        shown.append(_candidate_tile(selection.candidates, selection.prior, standing(selection)))
    elif selection.n_rows is not None and selection.n_labelled is not None:
        shown.append(Tile(f"{selection.n_labelled:,}", f"of {selection.n_rows:,}", "rows are known positives"))
    if selection.seconds is not None:
        shown.append(_time_tile(selection.seconds, "to select the features"))
    n_warnings = sum(finding.level == WARNING for finding in selection.findings)
    if n_warnings:
        shown.append(Tile(str(n_warnings), "", f"warning{'s' * (n_warnings > 1)} to read before use", "alert"))
    return shown


def about_confidence(selection: Selection) -> str:
    """Return what lift and confidence say, and how far to trust them."""
    listed = selection.candidates
    text = "Lift: how many times as often as an average row such a row is positive, by held-out known positives."
    if listed is not None and listed.confidence:
        text += " Confidence is the lift times the share of positives."
    text += "" if selection.prior is None else f" {selection.prior}"
    return f"{text} The check failed: both may be due to chance." if standing(selection).is_doubtful else text


def comparison_headline(comparison: Comparison) -> str:
    """Return the result of a comparison in one sentence."""
    best, *others = comparison.rivals
    if best.interval is None:
        return f"{counted(len(others) + 1, 'method')}, {counted(_n_shared(comparison), 'feature')} in common."
    if any(yardstick(m.method) == "random" and not _is_behind(m) for m in comparison.methods):
        return "No method is clearly better than random features."
    filters = [m for m in comparison.methods if m.is_baseline and yardstick(m.method) not in ("all", "random")]
    better = [m.method for m in filters if m.interval is not None and m.interval.mean > best.interval.mean]
    if better:
        return f"No method scores higher than {_listed(better)}."
    level = [m.method for m in (*others, *filters) if not _is_behind(m)]
    if level:
        return f"{best.method} scores highest, but not clearly higher than {_listed(level)}."
    return f"{best.method} scores clearly higher than {'all other methods' if others else 'random features'}."


def comparison_lede(comparison: Comparison) -> list[str]:
    """Return what the methods are judged by, how far to trust it, and the scores of the baselines."""
    lines = duels(comparison)
    lines += [f"Judged by {comparison.score_name}."] if comparison.score_name else []
    lines += [PROXY] if comparison.score_is_proxy else []
    scores = {m.method: m.interval.mean for m in comparison.methods if m.is_baseline and m.interval is not None}
    if scores:
        lines.append(f"Baselines: {_listed([f'{name} {mean:.3f}' for name, mean in scores.items()])}.")
    return lines


def duels(comparison: Comparison) -> list[str]:
    """Return how far the best method is ahead of each other one, with the interval of the difference."""
    best, *others = comparison.rivals
    ahead = [
        f"{other.method} by {other.behind_best.mean:.3f} ({other.behind_best.low:.3f} to {other.behind_best.high:.3f})"
        for other in others
        if other.behind_best is not None
    ]
    if not ahead:
        return []
    return [f"{best.method} is ahead of {_listed(ahead)}; a difference is clear if its interval is above 0."]


def comparison_tiles(comparison: Comparison) -> list[Tile]:
    """Return the key figures of a comparison, without the baselines."""
    rivals = comparison.rivals
    best = rivals[0]
    shown = [Tile(str(len(rivals)), "", f"method{'s' * (len(rivals) > 1)} compared")]
    if best.interval is not None:
        span = f"{best.interval.low:.3f} to {best.interval.high:.3f}"
        shown.append(Tile(f"{best.interval.mean:.3f}", "", f"best mean score, {best.method} ({span})"))
        shown.append(Tile(str(len(best.scores)), "", "splits, the same for all methods"))
    if len(rivals) > 1:
        meaning = "features that every method selects"
        shown.append(Tile(str(_n_shared(comparison)), f"of {comparison.n_features}", meaning))
    fastest = min(rivals, key=lambda m: m.seconds)
    return [*shown, _time_tile(fastest.seconds, f"fastest fit, {fastest.method}")]


def share(value: float) -> str:
    """Return a percentage, with a decimal if it is small."""
    return f"{value:.1%}" if 0 < value < 0.0995 else f"{value:.0%}"


def _time_tile(seconds: float, meaning: str) -> Tile:
    figure, unit = duration(seconds).rsplit(" ", 1)
    return Tile(figure, unit, meaning)


def _candidate_tile(listed: CandidateTable, prior: ClassPrior | None, stands: Standing) -> Tile:
    kind = "" if stands is Standing.PASSED else "muted"
    if prior is None or prior.interval is None or stands.is_doubtful:
        top = listed.lift[0] if listed.lift else 0.0
        return Tile(f"{top:.1f}×", "", "as often positive as an average row: the likeliest rows", kind)
    low, high = (share(end) for end in prior.interval)
    return Tile(f"{prior.n_hidden:,}", "rows", f"hidden positives, about; {low} to {high} of unlabelled rows", kind)


def _totals(clusters: Sequence[Cluster]) -> tuple[float, float]:
    return sum(cluster.size for cluster in clusters), sum(cluster.labelled for cluster in clusters)


def _n_shared(comparison: Comparison) -> int:
    return len(set.intersection(*(set(method.selected) for method in comparison.rivals)))


def _is_behind(method: MethodResult) -> bool:
    return method.behind_best is not None and method.behind_best.low > 0


def _listed(names: list[str]) -> str:
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"
