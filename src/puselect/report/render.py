"""Write results as one HTML file that opens offline."""

import dataclasses
import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from puselect.atomic import atomic_write
from puselect.report import insight, sentences, theme
from puselect.report.comparison import Comparison
from puselect.report.results import Result
from puselect.report.selection import Selection
from puselect.report.stability_rows import again, shown
from puselect.report.theme import Link

SCRIPTS = ("tables.js", "charts.js", "report.js")
NOT_DRAWN = (
    "settings", "versions", "findings", "notes", "command", "panels", "portraits", "columns", "recipes", "model",
    "stability",
)

REPEAT = ("repeat", "Reproduce")


def write_report(results: Sequence[Result] | Result, path: str | os.PathLike[str]) -> Path:
    """Write results as one HTML file that opens offline; an old file is kept until the new one is complete.

    Parameters
    ----------
    results : list of Selection or Comparison
        Shown one after the other.
    path : path
        Where to write; its folder must exist.

    Examples
    --------
    >>> import tempfile
    >>> from puselect.report import Selection
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     write_report([Selection(method="kbest")], f"{folder}/report.html").name
    'report.html'
    """
    target = Path(path)
    if not target.parent.is_dir():
        raise FileNotFoundError(f"the folder of a report must exist, got {str(target.parent)!r}")
    text = render(results)
    with atomic_write(target) as file:
        file.write(text.encode())
    return target


def render(results: Sequence[Result] | Result) -> str:
    """Return the report as HTML."""
    shown = [results] if isinstance(results, Result) else list(results)
    if not shown:
        raise ValueError("a report needs at least one result, got none")
    articles = [_article(f"r{i}", result) for i, result in enumerate(shown)]
    return theme.page(_title(shown), "\n".join(articles), _links(shown), SCRIPTS)


def _article(id: str, result: Result) -> str:
    """Return one result as HTML; every anchor in it begins with the id."""
    kind = "selection" if isinstance(result, Selection) else "comparison"
    parts: dict[str, Any] = {"result": result, "drawn": _drawn(result), "say": sentences, "words": insight}
    if isinstance(result, Selection):
        parts["again"] = shown(again(result))
    return theme.fragment(f"{kind}.html.j2", id=id, **parts)


def _title(results: Sequence[Result]) -> str:
    first = results[0]
    if len(results) > 1:
        return f"{len(results)} results · puselect"
    return sentences.headline(first) if isinstance(first, Selection) else sentences.comparison_headline(first)


def _links(results: Sequence[Result]) -> list[Link]:
    """Return the navigation: the parts of a single result, or the results."""
    if len(results) > 1:
        names = [result.method if isinstance(result, Selection) else "comparison" for result in results]
        return [Link(f"r{i}-answer", name) for i, name in enumerate(names)]
    first = results[0]
    parts = _selection_parts(first) if isinstance(first, Selection) else _comparison_parts(first)
    return [Link(f"r0-{anchor}", name) for anchor, name in (*parts, REPEAT)]


def _selection_parts(selection: Selection) -> list[tuple[str, str]]:
    searched = selection.search is not None and selection.search.step
    parts = [
        ("checks", "Checks", selection.findings),
        ("suits", "Suitability", selection.suitability),
        ("number", "Number", selection.path),
        ("again", "Stability", selection.stability),
        ("panels", "Features", selection.panels),
        ("portraits", "Portraits", selection.portraits),
        ("candidates", "Candidates", selection.candidates),
        ("map", "Map", selection.view),
        ("clusters", "Clusters", selection.clusterings),
        ("ranking", "Ranking", True),
        ("search", "Search", searched),
        ("columns", "Columns", selection.columns),
    ]
    return [(anchor, name) for anchor, name, present in parts if present]


def _comparison_parts(comparison: Comparison) -> list[tuple[str, str]]:
    scored = [("scores", "Scores")] if comparison.methods[0].interval else []
    return [*scored, ("methods", "Methods"), ("agreement", "Agreement"), ("features", "Features")]


def _drawn(result: Result) -> dict[str, Any]:
    """Return the part of a result that scripts draw."""
    data = {name: value for name, value in dataclasses.asdict(result).items() if name not in NOT_DRAWN}
    if isinstance(result, Selection):
        told = {row.column: {"share": row.frequency, "count": row.count, "note": row.note} for row in again(result)}
        return data | {"standing": sentences.standing(result), "again": told or None}
    return data | {"rivals": [method.method for method in result.rivals]}
