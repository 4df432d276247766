"""Read saved results, and write results as one HTML file that opens offline."""

import dataclasses
import os
from collections.abc import Sequence
from pathlib import Path

from puselect.atomic import atomic_write
from puselect.phrases import duration
from puselect.report import answer, theme
from puselect.report.codec import parse
from puselect.report.comparison import PROXY, Comparison
from puselect.report.selection import Selection
from puselect.report.theme import Link

Result = Selection | Comparison
SCRIPTS = ("tables.js", "charts.js", "report.js")
DRAWN = ("features", "score_name", "path", "view", "candidates")


def read_result(path: str | os.PathLike[str]) -> Result:
    """Read a selection or a comparison that was saved as JSON.

    Parameters
    ----------
    path : path

    Raises
    ------
    ValueError
        If the file is no result, is damaged, or has another version.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     saved = Path(folder, "result.json")
    ...     _ = saved.write_text(Selection(method="kbest").to_json())
    ...     read_result(saved).method
    'kbest'
    """
    text = Path(path).read_text(encoding="utf-8", errors="replace")
    try:
        data = parse(text)
        is_comparison = str(data.get("schema")).rpartition("/")[0] == Comparison.schema.rpartition("/")[0]
        return Comparison.from_data(data) if is_comparison else Selection.from_data(data)
    except ValueError as error:
        raise ValueError(f"cannot read {Path(path)}: {error}") from error


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
    if isinstance(result, Comparison):
        rivals = [method.method for method in result.rivals]
        drawn = {"methods": dataclasses.asdict(result)["methods"], "rivals": rivals}
        return theme.fragment("comparison.html.j2", id=id, result=result, drawn=drawn, duration=duration, proxy=PROXY)
    lines = answer.feature_lines(result)
    drawn = {name: value for name, value in dataclasses.asdict(result).items() if name in DRAWN}
    drawn["lines"] = {line.column: line._asdict() for line in lines}
    return theme.fragment("selection.html.j2", id=id, result=result, drawn=drawn, lines=lines, say=answer)


def _title(results: Sequence[Result]) -> str:
    first = results[0]
    if len(results) > 1:
        return f"{len(results)} results · puselect"
    return first.headline if isinstance(first, Comparison) else answer.headline(first)


def _links(results: Sequence[Result]) -> list[Link]:
    """Return the navigation: the parts of a single result, or the results."""
    first = results[0]
    if len(results) > 1:
        names = ["comparison" if isinstance(result, Comparison) else result.method for result in results]
        return [Link(f"r{i}-answer", name) for i, name in enumerate(names)]
    parts = _comparison_parts(first) if isinstance(first, Comparison) else _selection_parts(first)
    return [Link(f"r0-{anchor}", name) for anchor, name in (*parts, ("repeat", "Reproduce"))]


def _selection_parts(selection: Selection) -> list[tuple[str, str]]:
    vouched = not answer.standing(selection).is_doubtful
    parts = [
        ("panels", "Features", selection.panels),
        ("portraits", "Clusters", selection.portraits and vouched),
        ("candidates", "Rows", selection.candidates is not None and vouched),
        ("checks", "Checks", selection.findings),
        ("map", "Map", selection.view),
        ("details", "Details", True),
    ]
    return [(anchor, name) for anchor, name, present in parts if present]


def _comparison_parts(comparison: Comparison) -> list[tuple[str, str]]:
    scored = [("scores", "Scores")] if comparison.methods[0].interval else []
    return [*scored, ("methods", "Methods"), ("agreement", "Agreement"), ("features", "Features")]
