"""The answer that a selection gives: which features, how many, whether to trust it, and what to do next."""

from collections.abc import Sequence
from enum import StrEnum
from typing import NamedTuple

import numpy as np

from puselect.checks.suitability import FEWEST_LABELS, Verdict
from puselect.fscpu.problem import ChoiceCode
from puselect.fscpu.stability import Stability, clopper_pearson
from puselect.phrases import counted, listed, shortened, times
from puselect.report.findings import FEW_LABELS, Code
from puselect.report.selection import WARNING, Feature, Finding, Selection
from puselect.selectors.budget import AUTO, RELATED

UNCHECKED = "puselect check, or check_suitability in Python, tells whether this is chance."
NAMED_FIRST, LONGEST_NAME = 3, 28
FIRST_ROWS = 10
EFFORTS = (50, 100, 200)
OFTEN = 0.5  # share of the repeated searches
WORTH_A_LOOK = 0.01  # confidence of the first row
WERE_FOUND = (repr(AUTO), repr(RELATED))
EVERYWHERE = "their clusters hold most of the other rows, too"


class Standing(StrEnum):
    """How far a selection can be trusted."""

    CLEAR = "clear"
    WEAK = "weak"
    CHANCE = "chance"
    """Known positives gather no more than chance would have it."""
    UNTOLD = "untold"
    """There are too few labels, or nothing to compare them with."""
    UNCHECKED = "unchecked"
    RANKED = "ranked"
    """The method does not cluster, so that there is nothing to check."""

    @property
    def is_doubtful(self) -> bool:
        """Whether nothing should be concluded about single rows."""
        return self in (Standing.CHANCE, Standing.UNTOLD)


class Trust(NamedTuple):
    """The verdict: a few words, and a sentence that gives its reasons."""

    standing: Standing
    title: str
    text: str


class FeatureLine(NamedTuple):
    """One feature, its direction, and how often it was selected again."""

    name: str
    column: int
    selected: bool
    phrase: str = ""
    """Where known positives lie, such as "more often web"; empty if it is not known."""
    is_clear: bool = False
    share: float | None = None
    """Of the repeated searches that select it; None if there were none."""
    both: float | None = None
    """Of those that select it or one of its twins."""
    again: str = ""
    """The same in words, such as "7 of 8"."""
    twin: str = ""
    """How its twins, which may take its place, were selected; empty without any."""
    is_sure: bool = False
    """Whether it should be selected again with fresh labels."""


class RowLine(NamedTuple):
    """A row to look at, and why."""

    row: int | str
    lift: float
    confidence: float | None


class Effort(NamedTuple):
    """How many positives to expect among the first rows."""

    n_rows: int
    expected: int
    low: int
    high: int


def standing(selection: Selection) -> Standing:
    """Return how far a selection can be trusted."""
    found, path, n_labelled = selection.suitability, selection.path, selection.n_labelled
    if n_labelled is not None and (n_labelled < FEWEST_LABELS or n_labelled == selection.n_rows):
        return Standing.UNTOLD
    if found is None and selection.gathering is None:
        return Standing.RANKED
    if found is None and path is not None and path.code != ChoiceCode.CHOSEN:
        return Standing.CHANCE if path.code == ChoiceCode.NOTHING else Standing.UNTOLD
    if found is not None and found.code in (Verdict.DOES_NOT_HOLD, Verdict.TOO_FEW_LABELS):
        is_few = found.code == Verdict.TOO_FEW_LABELS and (n_labelled or 0) < FEW_LABELS
        return Standing.UNTOLD if is_few else Standing.CHANCE
    is_everywhere = any(finding.code == Code.POSITIVE_EVERYWHERE for finding in selection.findings)
    if is_everywhere or (found is not None and found.code == Verdict.WEAK):
        return Standing.WEAK
    return Standing.UNCHECKED if found is None else Standing.CLEAR


def headline(selection: Selection) -> str:
    """Return the finding in a sentence, no stronger than what was checked: without features that rarely came back."""
    chosen = [line for line in feature_lines(selection) if line.selected]
    names = [_cut(line.name) for line in chosen if line.both is None or line.both >= OFTEN]
    names = names or [_cut(line.name) for line in chosen]
    n, s = len(names), "s" if len(names) == 1 else ""
    more = ["others"] if n > NAMED_FIRST + 1 else names[NAMED_FIRST:]
    some = listed([*names[:NAMED_FIRST], *more]) if names else "No feature"
    match standing(selection):
        case Standing.UNTOLD if selection.n_labelled == selection.n_rows:
            return "Every row is a known positive, so there is nothing to compare them with."
        case Standing.UNTOLD:
            known = counted(selection.n_labelled or 0, "known positive")
            return f"{known} {'is' if selection.n_labelled == 1 else 'are'} too few to tell which features matter."
        case Standing.CHANCE if selection.path is not None and selection.path.code == ChoiceCode.CHOSEN:
            return f"{some} seem{s} related to the labels, but the known positives hardly gather."
        case Standing.CHANCE:
            return "The known positives do not stand out beyond chance."
        case Standing.RANKED:
            return f"{selection.method} selects {some}."
        case Standing.UNCHECKED:
            return f"{some} seem{s} to set the known positives apart."
        case found:
            return f"{some} set{s} the known positives apart{', but weakly' if found is Standing.WEAK else ''}."


def how_many(selection: Selection) -> str:
    """Return in a sentence why so many features were selected."""
    if selection.n_features == 1:
        return "There is only one, so there is nothing to choose."
    if selection.path is not None:
        return str(selection.path) if standing(selection) is not Standing.UNTOLD else "A guess: the labels are too few."
    if (selection.settings or {}).get("n_features_to_select") in WERE_FOUND:
        return "Found from the labels; there was no time to say why."
    if len(selection.selected) > selection.n_features / 2 + 0.5:
        return "More than half, so that being selected says little: ask for fewer."
    costs = [feature.cost for feature in selection.features if feature.selected and feature.cost is not None]
    return f"The budget buys these, for {sum(costs):g}." if costs else "The number that was asked for."


def trust(selection: Selection) -> Trust:
    """Return the one verdict on a selection."""
    found, stands = selection.suitability, standing(selection)
    if stands is Standing.UNTOLD:
        everything = selection.n_labelled == selection.n_rows
        why = "Without other rows" if everything else "With so few labels"
        text = f"{why}, any feature may come first by chance."
        return Trust(stands, "It cannot be told", text if found is None else f"{text[:-1]} (p = {found.p_value:.2g}).")
    if found is None:
        texts = {
            Standing.RANKED: ("Not checked", "This method does not look for clusters; compare it with others."),
            Standing.UNCHECKED: ("Not checked", UNCHECKED),
            Standing.WEAK: ("Known positives gather weakly at best", f"{_sentence(EVERYWHERE)}."),
            Standing.CHANCE: ("Known positives do not stand out", str(selection.path)),
        }
        return Trust(stands, *texts[stands])
    effect = _sentence(found.effect) + ("; rows depend on each other, so p is too low" if found.dependence else "")
    if found.suits and stands is Standing.WEAK:
        return Trust(stands, "Known positives gather weakly", f"{effect}; {EVERYWHERE}.")
    return Trust(stands, found.title, f"{effect}.")


def feature_lines(selection: Selection) -> list[FeatureLine]:
    """Return all features, best first, each with its direction and how often it was selected again."""
    panel_of = {panel.name: panel for panel in selection.panels}
    stands = standing(selection)
    found = None if stands is Standing.UNTOLD else selection.stability
    sure = () if found is None or stands.is_doubtful else found.core
    lines = []
    for feature in selection.features:
        is_sure = feature.selected and feature.column in sure
        line = FeatureLine(feature.name, feature.column, feature.selected, is_sure=is_sure)
        panel = panel_of.get(feature.name) if feature.selected else None
        if panel is not None:
            line = line._replace(phrase=panel.phrase, is_clear=panel.direction.is_clear)
        lines.append(line if found is None else _selected_again(line, found, selection.features))
    return lines


def _selected_again(line: FeatureLine, found: Stability, features: Sequence[Feature]) -> FeatureLine:
    """Return the line with the share of the searches that select the feature or a twin, and a note on the twins."""
    alike = {j for group in found.twins if line.column in group for j in group} - {line.column}
    twins = [other for other in features if other.column in alike]
    share, both = found.frequency[line.column], found.twin_frequency[line.column]
    again, with_twins = (f"{round(part * found.n_searches)} of {found.n_searches}" for part in (share, both))
    names, note = shortened([twin.name for twin in twins], most=2), ""
    if both > share:
        note = f"{with_twins} with its twin{'s' if len(twins) > 1 else ''} {names}"
    elif any(twin.selected for twin in twins):
        note = f"twin of {names}"
    return line._replace(share=share, both=both, again=again, twin=note)


def what_again_means(selection: Selection) -> str:
    """Return in a sentence what it is worth to be selected again; empty if that is not shown."""
    if selection.stability is None or standing(selection) is Standing.UNTOLD:
        return ""
    text = "Selected again: with random halves of these labels. Halves share labels; fresh labels would agree less."
    if any(line.is_sure for line in feature_lines(selection)):
        text += " Sure: in the first third every time; nine of ten such features are selected with fresh labels, too."
    return text


def first_rows(selection: Selection) -> list[RowLine]:
    """Return the rows to look at first; none if nothing should be concluded about single rows, or none is positive."""
    listing = selection.candidates
    if listing is None or standing(selection).is_doubtful:
        return []
    confidence: Sequence[float | None] = listing.confidence or (None,) * len(listing.row)
    if any(sure is not None and sure < WORTH_A_LOOK for sure in confidence[:1]):
        return []
    return [RowLine(*each) for each in zip(listing.row, listing.lift, confidence, strict=True)][:FIRST_ROWS]


def are_alike(rows: Sequence[RowLine]) -> bool:
    """Return whether rows are listed for the same reason."""
    return len({row[1:] for row in rows}) == 1


def lift_range(selection: Selection) -> str:
    """Return the 95 % interval of the lift of the first rows in words, from the known positives that ranked so high."""
    listing, n_known = selection.candidates, selection.n_labelled
    if listing is None or not listing.lift or not n_known or not selection.n_rows:
        return ""
    share = listing.lift.count(listing.lift[0]) / (selection.n_rows - n_known)
    n_found = min(round(listing.lift[0] * share * n_known), n_known)
    low, high = clopper_pearson(np.array([n_found]), n_known)
    return f"{times(low[0] / share)} to {times(high[0] / share)}"


def next_step(selection: Selection) -> str:
    """Return what to do next, in a sentence or two."""
    stands, rows = standing(selection), first_rows(selection)
    if stands is Standing.UNTOLD:
        if selection.n_labelled == selection.n_rows:
            return "Add rows of which it is not known whether they are positive."
        return "Label more rows, 20 or more and of all kinds, and select again."
    if stands is Standing.CHANCE:
        return "Do not act on single rows. Label more, add columns that may matter, or compare with other methods."
    listing = selection.candidates
    if not rows and listing is not None and listing.confidence:
        return "Hardly any other row seems to be positive."
    if not rows or listing is None:
        return "Compare with other methods before you rely on it."
    begin = f"Look at these rows first, by {listing.row_name or 'row number'}"
    lift, confidence = rows[0].lift, rows[0].confidence
    if are_alike(rows):
        sure = "" if confidence is None else f", with a confidence of {confidence:.0%}"
        factor = f"{times(lift)} times ({lift_range(selection)})"
        return f"{begin}: each is {factor} as often positive as an average row{sure}."
    sure = "" if confidence is None else "; %: confidence"
    return f"{begin}; ×: times as often positive as an average row, {lift_range(selection)} for the first{sure}."


def efforts(selection: Selection) -> list[Effort]:
    """Return how many positives to expect among the first rows, where the labels tell how many there are."""
    listing, prior = selection.candidates, selection.prior
    if listing is None or not listing.confidence or standing(selection).is_doubtful:
        return []
    if prior is None or not prior.share or prior.interval is None:
        return []
    factor = np.array([prior.share, *prior.interval])[:, None] / prior.share
    found = np.minimum(factor * listing.confidence, 1).cumsum(axis=1)
    return [Effort(n, *map(round, found[:, n - 1].tolist())) for n in EFFORTS if n <= len(listing.row)]


def changes(before: Selection, after: Selection) -> str:
    """Return what more labels changed: features in and out, and how often those selected are selected again."""
    parts = []
    for word, some, others in (("in", after, before), ("out", before, after)):
        if names := [name for name in some.selected if name not in others.selected]:
            parts.append(f"{word}: {shortened(names)}")
    known = f"{after.n_labelled} known positives, {before.n_labelled} before."
    text = f"{_sentence('; '.join(parts) or 'the same features')}. {known}"
    again = [_mean_again(selection) for selection in (before, after)]
    if all(again):
        text += f" Selected again {again[1]} times, {again[0]} before: means over the selected features."
    return text


def _mean_again(selection: Selection) -> str:
    """Return how often the selected features were selected again on average; empty if that was not tried."""
    shares = [line.share for line in feature_lines(selection) if line.selected and line.share is not None]
    if not shares or selection.stability is None:
        return ""
    return f"{sum(shares) / len(shares) * selection.stability.n_searches:.1f} of {selection.stability.n_searches}"


def hidden(selection: Selection) -> str:
    """Return how many positives are not known yet, in counts, or why that cannot be told."""
    prior = selection.prior
    if prior is None or standing(selection).is_doubtful:
        return ""
    if prior.share is None or prior.interval is None or selection.n_rows is None or selection.n_labelled is None:
        return str(prior)
    n_others = selection.n_rows - selection.n_labelled
    shares = (prior.share, *prior.interval)
    expected, low, high = (f"{float(f'{share * n_others:.2g}'):,.0f}" for share in shares)  # two digits are enough
    return f"About {expected} of the other {n_others:,} rows are positive ({low} to {high})."


def warnings(selection: Selection) -> list[Finding]:
    """Return the findings that may make the result wrong, without those that the verdict says already."""
    said = {Code.POSITIVE_EVERYWHERE} | ({Code.FEW_LABELS} if standing(selection) is Standing.UNTOLD else set())
    return [found for found in selection.findings if found.level == WARNING and found.code not in said]


def _sentence(clause: str) -> str:
    return clause[:1].upper() + clause[1:]


def _cut(name: str) -> str:
    return name if len(name) <= LONGEST_NAME else f"{name[:15]}…{name[-12:]}"
