"""Results on the terminal."""

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from rich.console import Console, RenderableType
from rich.padding import Padding
from rich.progress_bar import ProgressBar
from rich.table import Table
from rich.text import Text

from puselect.cli.application import printable
from puselect.cli.wording import reason_text
from puselect.phrases import counted, shortened

if TYPE_CHECKING:
    from puselect.checks.spread import LabelSpread
    from puselect.checks.suitability import Suitability
    from puselect.fscpu.prior import ClassPrior
    from puselect.report import Comparison, Selection
    from puselect.report.comparison import MethodResult
    from puselect.report.selection import CandidateTable
    from puselect.tables import LoadedTable

MOST_SHOWN = 40
MOST_LEFT_OUT = 12
MOST_LISTED = 12
MISSED = 5
MOST_PORTRAITS = 6
BAR_WIDTH = 24


def print_selection(
    console: Console,
    selection: "Selection",
    table: "LoadedTable",
    written: Sequence[Path],
    next_step: str,
    times: Mapping[str, float],
) -> None:
    """Print the selected features, the evidence for them, what was left out and why, and the next step."""
    from puselect.report.insight import portrait, portrait_size

    console.print(
        f"\n[bold]{len(selection.selected)} of {selection.n_features} features[/bold] selected by "
        f"[bold]{selection.method}[/bold] in {selection.seconds or 0:.1f} s"
    )
    console.print(Padding(feature_table(selection), (1, 0, 1, 2), expand=False))
    if missed := just_missed(selection):
        line(console, "just missed", missed)
    for column in table.left_out[:MOST_LEFT_OUT]:
        line(console, "left out", f"{column.name}: {reason_text(column)}")
    if len(table.left_out) > MOST_LEFT_OUT:
        line(console, "left out", f"and {len(table.left_out) - MOST_LEFT_OUT} more columns")
    for head, text in evidence(selection):
        line(console, head, text)
    for number, cluster in enumerate(selection.portraits[:MOST_PORTRAITS], start=1):
        line(console, f"cluster {number}", f"{portrait(cluster)} ({portrait_size(cluster)})")
    for finding in selection.findings:
        if finding.level == "warning":
            line(console, "warning", f"{finding.title}. {finding.text}", "yellow")
    line(console, "time", shares_of_time(times))
    for path in written:
        line(console, "written", str(path), "green")
    line(console, "next", next_step, "cyan")


def shares_of_time(times: Mapping[str, float]) -> str:
    """Return how long everything took, and the share of each part.

    Examples
    --------
    >>> shares_of_time({"reading": 1.0, "searching": 3.0})
    '4.0 s: reading 25%, searching 75%'
    """
    total = sum(times.values())
    return f"{total:.1f} s: " + ", ".join(f"{what} {seconds / total:.0%}" for what, seconds in times.items())


def print_check(console: Console, found: "Suitability", prior: "ClassPrior", spread: "LabelSpread") -> None:
    """Print the verdict on a table and what it rests on."""
    line(console, "verdict", found.code.replace("_", " "), "bold")
    line(console, "evidence", found.verdict)
    did = f"{counted(found.n_shuffles, 'shuffle')} of the labels; {counted(found.n_features or 0, 'feature')} clustered"
    line(console, "checked", did)
    rows = sum(cluster.size for cluster in found.clusters)
    for cluster in found.clusters:
        if cluster.positive:
            share = f"{cluster.size / rows:.1%} of the rows"
            line(console, "cluster", f"{counted(round(cluster.labelled), 'known positive')} in {share}")
    line(console, "positives", str(prior))
    line(console, "labels", str(spread), "yellow" if spread.code == "uneven" else "")


def just_missed(selection: "Selection") -> str:
    """Return the unselected features with the highest probabilities, without those at the minimum."""
    if selection.score_name != "probability":
        return ""
    lowest = min(feature.score or 0.0 for feature in selection.features)
    rest = [feature for feature in selection.features if not feature.selected and (feature.score or 0.0) > lowest]
    return ", ".join(f"{feature.name} ({feature.score:.2f})" for feature in rest[:MISSED])


def evidence(selection: "Selection") -> Iterator[tuple[str, str]]:
    """Yield evidence for and against the selection: its subject, and a sentence."""
    from puselect.report.sentences import ending, gathering, label_first, lede, standing, unsure

    clustered = gathering(selection) is not None
    if clustered:
        yield "clusters", lede(selection)[0]
    if selection.search is not None:
        yield "search", ending(selection)
    if selection.path is not None:
        yield "number", str(selection.path)
    if selection.stability is not None:
        yield "stability", f"{selection.stability} {unsure(selection)}".strip()
    if selection.suitability is not None:
        yield "suitability", selection.suitability.verdict
    elif clustered:
        yield "suitability", "not checked; use --suitability to compare with shuffled labels"
    if selection.prior is not None:
        yield "positives", str(selection.prior)
    if selection.candidates is not None and selection.candidates.total:
        yield "candidates", candidates(selection.candidates, standing(selection).is_doubtful)
        if rows := label_first(selection):
            yield "label first", rows


def candidates(listed: "CandidateTable", doubtful: bool) -> str:
    """Return in words how often the likeliest unlabelled rows are positive."""
    text = f"the likeliest of {counted(listed.total, 'unlabelled row')}: {listed.lift[0]:.1f} times as often positive"
    return f"{text} as an average row{'; this is no sign that they are positive' if doubtful else ''}"


def feature_table(selection: "Selection") -> Table:
    """Return the selected features, sorted by rank."""
    from puselect.report.stability_rows import again

    costs = any(feature.cost is not None for feature in selection.features)
    often = {row.column: row.count for row in again(selection)}
    score = selection.score_name
    table = Table(box=None, pad_edge=False, header_style="dim")
    table.add_column("rank", justify="right")
    table.add_column("feature", overflow="fold")
    table.add_column(score, justify="right")
    table.add_column("")
    if costs:
        table.add_column("cost", justify="right")
    if often:
        table.add_column("selected again", justify="right")
    chosen = [feature for feature in selection.features if feature.selected]
    top = max((feature.score or 0.0 for feature in chosen), default=0.0) if score == "score" else 1.0
    for feature in chosen[:MOST_SHOWN]:
        value = "" if feature.score is None else f"{feature.score:.3g}" if score == "score" else f"{feature.score:.2f}"
        name = Text(printable(feature.name), style="bold")
        more = [f"{feature.cost:g}"] if costs else []
        more += [often[feature.column]] if often else []
        table.add_row(str(feature.rank), name, value, bar(feature.score or 0.0, top), *more)
    if len(chosen) > MOST_SHOWN:
        table.add_row("", f"... and {len(chosen) - MOST_SHOWN} more")
    return table


def bar(value: float, top: float) -> RenderableType:
    """Return a bar whose length is the value as a share of `top`."""
    return ProgressBar(top, value, BAR_WIDTH, complete_style="cyan", finished_style="cyan") if top > 0 else ""


def line(console: Console, head: str, text: str, style: str = "") -> None:
    """Print a line that starts with its subject."""
    console.print(Text.assemble((f"{head:>12}  ", style or "dim"), printable(text)), soft_wrap=True)


def print_comparison(console: Console, comparison: "Comparison", written: Sequence[Path]) -> None:
    """Print score and time of each method, what it selects, and the agreement between methods."""
    from puselect.report.sentences import PROXY, comparison_headline

    n_splits = len(comparison.methods[0].scores)
    console.print(f"\n[bold]{comparison_headline(comparison)}[/bold]", highlight=False)
    console.print(f"\n{comparison.score_name}\nmean over {n_splits} paired splits, 95 % interval")
    table = Table(box=None, pad_edge=False, header_style="dim")
    for head in ("method", "features", "score", "interval", "behind the best", "seconds"):
        table.add_column(head, justify="left" if head == "method" else "right")
    for result in comparison.methods:
        score, behind = result.interval, result.behind_best
        table.add_row(
            Text(result.method, style="bold"),
            str(len(result.selected)),
            f"{score.mean:.3f}" if score else "",
            f"{max(score.low, 0):.3f} to {min(score.high, 1):.3f}" if score else "",
            f"{behind.mean:.3f} ({behind.low:.3f} to {behind.high:.3f})" if behind else "",
            f"{result.seconds:.2f}",
        )
    console.print(Padding(table, (1, 0, 1, 2), expand=False))
    if len(comparison.rivals) > 1:
        console.print("[bold]Agreement[/bold] on the whole table: shared features over features selected by either")
        console.print(Padding(agreement_table(comparison), (1, 0, 1, 2), expand=False))
    console.print("[bold]Selected[/bold] on the whole table, best first, and in how many of the splits\n")
    for result in comparison.methods:
        if not result.is_baseline:
            line(console, result.method, shortened(with_frequency(result), most=MOST_LISTED), "bold")
    console.print()
    if comparison.score_is_proxy:
        line(console, "note", PROXY)
    for path in written:
        line(console, "written", str(path), "green")


def with_frequency(result: "MethodResult") -> list[str]:
    """Return the selected features, each with the share of the splits in which it was selected."""
    if result.frequency is None:
        return list(result.selected)
    return [f"{name} ({result.frequency.get(name, 0):.0%})" for name in result.selected]


def agreement_table(comparison: "Comparison") -> Table:
    """Return the Jaccard index of each pair of methods, without the yardsticks."""
    names = [result.method for result in comparison.rivals]
    table = Table("", *names, box=None, pad_edge=False, header_style="dim")
    for result, shares in comparison.rival_agreement:
        table.add_row(Text(result.method, style="bold"), *(f"{share:.2f}" for share in shares))
    return table
