"""Results on the terminal."""

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from rich.console import Console, RenderableType
from rich.markup import escape
from rich.padding import Padding
from rich.progress_bar import ProgressBar
from rich.table import Table
from rich.text import Text

from puselect.cli.application import printable
from puselect.phrases import counted, shortened, times

if TYPE_CHECKING:
    from puselect.checks.suitability import Suitability
    from puselect.fscpu.row_model import ClassPrior
    from puselect.report import Comparison, Selection
    from puselect.tables.loading import LoadedTable

MOST_SHOWN = 40
MOST_LEFT_OUT = 12
MOST_LISTED = 12
MOST_PORTRAITS = 6
BAR_WIDTH = 16


def print_selection(
    console: Console, selection: "Selection", table: "LoadedTable", written: Sequence[Path]
) -> None:
    """Print the selected features, how far to trust them, what was left out and why."""
    from puselect.report.answer import headline, warnings

    console.print(f"\n[bold]{escape(printable(headline(selection)))}[/bold]", highlight=False, soft_wrap=True)
    console.print(Padding(feature_table(selection), (1, 0, 1, 2), expand=False))
    for head, text in answers(selection):
        line(console, head, text)
    for finding in warnings(selection):
        line(console, "warning", f"{finding.title}. {finding.text}", "yellow")
    for column in table.left_out[:MOST_LEFT_OUT]:
        line(console, "left out", f"{column.name}: {column}")
    if len(table.left_out) > MOST_LEFT_OUT:
        line(console, "left out", f"and {len(table.left_out) - MOST_LEFT_OUT} more columns")
    for path in written:
        line(console, "written", str(path), "green")
    if not any(path.suffix == ".html" for path in written):
        line(console, "next", "add --report report.html to see the clusters, the candidates and the checks", "cyan")


def print_check(console: Console, found: "Suitability", prior: "ClassPrior") -> None:
    """Print the verdict on a table and what it rests on."""
    line(console, "verdict", found.verdict, "bold")
    did = f"{counted(found.n_shuffles, 'shuffle')} of the labels; {counted(found.n_features or 0, 'feature')} clustered"
    line(console, "checked", did)
    line(console, "positives", str(prior))


def answers(selection: "Selection") -> Iterator[tuple[str, str]]:
    """Yield how many features, how far to trust them, where the positives gather, and which rows to look at first."""
    from puselect.report import answer as say

    found = say.trust(selection)
    if selection.changed:
        yield "changed", selection.changed
    yield "how many", f"{len(selection.selected)} of {selection.n_features}. {say.how_many(selection)}"
    yield "trust", f"{found.title}. {found.text}"
    if meaning := say.what_again_means(selection):
        yield "again", meaning
    if not found.standing.is_doubtful:
        for number, cluster in enumerate(selection.portraits[:MOST_PORTRAITS], start=1):
            yield f"cluster {number}", f"{cluster} ({cluster.counts})"
    if positives := say.hidden(selection):
        yield "positives", positives
    for effort in say.efforts(selection):
        yield f"first {effort.n_rows}", f"about {effort.expected} positives ({effort.low} to {effort.high})"
    rows = say.first_rows(selection)
    named = ", ".join(str(row.row) if say.are_alike(rows) else f"{row.row} ({times(row.lift)})" for row in rows)
    yield "to do", f"{say.next_step(selection)} {named}".strip()


def feature_table(selection: "Selection") -> Table:
    """Return the selected features, best first."""
    from puselect.report.answer import feature_lines

    lines = [line for line in feature_lines(selection) if line.selected]
    costs = {feature.column: feature.cost for feature in selection.features if feature.cost is not None}
    has_shares = any(line.share is not None for line in lines)
    table = Table(box=None, pad_edge=False, header_style="dim")
    table.add_column("feature", overflow="fold")
    table.add_column("known positives", overflow="fold")
    if costs:
        table.add_column("cost", justify="right")
    if has_shares:
        table.add_column("selected again", justify="right")
        table.add_column("")
        table.add_column("", overflow="fold")
    for shown in lines[:MOST_SHOWN]:
        more: list[RenderableType] = [f"{costs[shown.column]:g}"] if costs else []
        if has_shares:
            bar = ProgressBar(1.0, shown.share or 0.0, BAR_WIDTH, complete_style="cyan", finished_style="cyan")
            again = f"{shown.again}, sure" if shown.is_sure else shown.again
            more += [again, bar, Text(printable(shown.twin), style="dim")]
        table.add_row(Text(printable(shown.name), style="bold"), Text(printable(shown.phrase)), *more)
    if len(lines) > MOST_SHOWN:
        table.add_row(f"... and {len(lines) - MOST_SHOWN} more")
    return table


def line(console: Console, head: str, text: str, style: str = "") -> None:
    """Print a line that starts with its subject."""
    console.print(Text.assemble((f"{head:>12}  ", style or "dim"), printable(text)), soft_wrap=True)


def print_comparison(console: Console, comparison: "Comparison", written: Sequence[Path]) -> None:
    """Print score and time of each method, and what it selects."""
    from puselect.report.comparison import PROXY

    n_splits = len(comparison.methods[0].scores)
    console.print(f"\n[bold]{comparison.headline}[/bold]", highlight=False)
    console.print(f"\n{comparison.score_name}\nmean over {n_splits} paired splits, 95 % interval")
    table = Table(box=None, pad_edge=False, header_style="dim")
    is_corrected = any(comparison.corrected(result) for result in comparison.methods)
    corrected = ["corrected"] if is_corrected else []
    for head in ("method", "features", "score", "interval", *corrected, "from the best", "seconds"):
        table.add_column(head, justify="left" if head == "method" else "right")
    for result in comparison.methods:
        score, true = result.interval, comparison.corrected(result)
        table.add_row(
            Text(result.method, style="bold"),
            str(len(result.selected)),
            f"{score.mean:.3f}" if score else "",
            f"{max(score.low, 0):.3f} to {min(score.high, 1):.3f}" if score else "",
            *([f"{true.mean:.3f} ({true.low:.3f} to {true.high:.3f})" if true else ""] if is_corrected else []),
            result.gap,
            f"{result.seconds:.2f}",
        )
    console.print(Padding(table, (1, 0, 1, 2), expand=False))
    console.print("[bold]Selected[/bold] on the whole table, best first, and in how many of the splits\n")
    for result in comparison.methods:
        if not result.is_baseline:
            shares = result.frequency
            names = [name if shares is None else f"{name} ({shares.get(name, 0):.0%})" for name in result.selected]
            line(console, result.method, shortened(names, most=MOST_LISTED), "bold")
    console.print()
    if comparison.score_is_proxy:
        line(console, "note", PROXY)
    if comparison.prior is not None:
        line(console, "positives", str(comparison.prior) + (" Corrected scores allow for it." if is_corrected else ""))
    for path in written:
        line(console, "written", str(path), "green")
