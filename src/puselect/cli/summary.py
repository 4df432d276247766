"""What the commands show on the terminal."""

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from rich.console import Console, RenderableType
from rich.padding import Padding
from rich.progress_bar import ProgressBar
from rich.table import Table
from rich.text import Text

from puselect.cli.application import printable

if TYPE_CHECKING:
    from puselect.report import Comparison, Selection
    from puselect.tables import Problem

MOST_SHOWN = 40
MOST_LEFT_OUT = 12
MISSED = 5
BAR_WIDTH = 24


def print_selection(
    console: Console, selection: "Selection", problem: "Problem", written: Sequence[Path], next_step: str
) -> None:
    """Show what was selected, how sure that is, what was left out and why, and what to do next."""
    n_selected = len(selection.selected)
    console.print()
    console.print(f"[bold]{n_selected} of {selection.n_features} features[/bold] selected by {headline(selection)}")
    console.print(Padding(feature_table(selection), (1, 0, 1, 2), expand=False))
    rest = [feature for feature in selection.features if not feature.selected][:MISSED]
    if rest and selection.score_name == "probability":
        line(console, "just missed", ", ".join(f"{f.name} ({f.score:.2f})" for f in rest if f.score is not None))
    for column in problem.left_out[:MOST_LEFT_OUT]:
        line(console, "left out", f"{column.name}: {column.why}")
    if len(problem.left_out) > MOST_LEFT_OUT:
        line(console, "left out", f"and {len(problem.left_out) - MOST_LEFT_OUT} more columns")
    for finding in selection.findings:
        if finding.level == "warning":
            line(console, "careful", f"{finding.title}. {finding.text}", "yellow")
    if selection.suitability is not None:
        line(console, "suitability", selection.suitability.verdict)
    if selection.candidates is not None and selection.candidates.total:
        line(console, "candidates", f"{selection.candidates.total} unlabelled rows sit in positive clusters")
    for path in written:
        line(console, "written", str(path), "green")
    line(console, "next", next_step, "cyan")


def headline(selection: "Selection") -> str:
    """Return the method and how its work went."""
    parts = [f"[bold]{selection.method}[/bold] in {selection.seconds or 0:.1f} s"]
    if selection.objective is not None:
        parts.append(f"objective {selection.objective:.4g}")
    if selection.search is not None:
        parts.append(f"{selection.search.converged:.0%} settled after {selection.search.n_iter} steps")
    return " · ".join(parts)


def feature_table(selection: "Selection") -> Table:
    """Return the selected features in the order of their ranks."""
    costs = any(feature.cost is not None for feature in selection.features)
    score = "θ" if selection.score_name == "probability" else "score"
    table = Table(box=None, pad_edge=False, header_style="dim")
    table.add_column("rank", justify="right")
    table.add_column("feature", overflow="fold")
    table.add_column(score, justify="right")
    table.add_column("")
    if costs:
        table.add_column("cost", justify="right")
    chosen = [feature for feature in selection.features if feature.selected]
    top = max((feature.score or 0.0 for feature in chosen), default=0.0) if score == "score" else 1.0
    for feature in chosen[:MOST_SHOWN]:
        value = "" if feature.score is None else f"{feature.score:.3g}" if score == "score" else f"{feature.score:.2f}"
        name = Text(printable(feature.name), style="bold")
        cost = [f"{feature.cost:g}"] if costs else []
        table.add_row(str(feature.rank), name, value, bar(feature.score or 0.0, top), *cost)
    if len(chosen) > MOST_SHOWN:
        table.add_row("", f"... and {len(chosen) - MOST_SHOWN} more")
    return table


def bar(value: float, top: float) -> RenderableType:
    """Return a bar as long as the value, compared with the longest."""
    return ProgressBar(top, value, BAR_WIDTH, complete_style="cyan", finished_style="cyan") if top > 0 else ""


def line(console: Console, head: str, text: str, style: str = "") -> None:
    """Print a line with a head that says what it is about."""
    console.print(Text.assemble((f"{head:>12}  ", style or "dim"), printable(text)), soft_wrap=True)


def print_comparison(console: Console, comparison: "Comparison", written: Sequence[Path]) -> None:
    """Show how good and how fast each method is, and how much they agree."""
    n_splits = len(comparison.methods[0].scores)
    console.print(f"\n[bold]{comparison.score_name}[/bold]\nmean over {n_splits} paired splits, 95 % interval")
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
    console.print("[bold]Agreement[/bold] of what they select on the whole table: shared features over all features")
    console.print(Padding(agreement_table(comparison), (1, 0, 1, 2), expand=False))
    for note in comparison.notes:
        line(console, "note", note)
    for path in written:
        line(console, "written", str(path), "green")


def agreement_table(comparison: "Comparison") -> Table:
    """Return the Jaccard index of every two methods."""
    names = [result.method for result in comparison.methods]
    table = Table("", *names, box=None, pad_edge=False, header_style="dim")
    for name, shares in zip(names, comparison.agreement, strict=True):
        table.add_row(Text(name, style="bold"), *(f"{share:.2f}" for share in shares))
    return table
