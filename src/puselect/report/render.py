"""Read saved results, and write results as one HTML file that opens offline."""

import base64
import dataclasses
import hashlib
import os
import re
from collections.abc import Sequence
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from puselect._version import __version__
from puselect.atomic import atomic_write
from puselect.phrases import duration
from puselect.report import answer
from puselect.report.codec import parse
from puselect.report.comparison import PROXY, Comparison
from puselect.report.selection import Selection

if TYPE_CHECKING:
    from jinja2 import Environment

Result = Selection | Comparison
NAMED_SECTION = re.compile('<section id="([^"]+)" data-name="([^"]+)">')  # other text has its quotes escaped
DRAWN = ("features", "score_name", "view", "candidates")


class Link(NamedTuple):
    """An entry of the navigation at the top of a page."""

    anchor: str
    name: str


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
    return page(_title(shown), "\n".join(articles), _links(shown, articles), _page_file("report.js"))


def _article(id: str, result: Result) -> str:
    """Return one result as HTML; every anchor in it begins with the id."""
    if isinstance(result, Selection):
        lines = answer.feature_lines(result)
        drawn = {name: value for name, value in dataclasses.asdict(result).items() if name in DRAWN}
        drawn["lines"] = {line.column: line._asdict() for line in lines}
        return _fill("selection.html.j2", id=id, result=result, drawn=drawn, lines=lines, say=answer)
    drawn = {"methods": dataclasses.asdict(result)["methods"], "rivals": [method.method for method in result.rivals]}
    intervals = [method.interval for method in result.methods if method.interval]
    ends = [end for interval in intervals for end in (interval.low, interval.high)]
    scores = [score for method in result.methods for score in method.scores] + ends

    def place(score: float) -> float:
        """Return where a score lies between the lowest and the highest, in percent of the width of a chart."""
        return round(float(np.interp(score, [min(scores), max(scores)], [4, 96])), 1)

    return _fill(
        "comparison.html.j2", id=id, result=result, drawn=drawn, duration=duration, proxy=PROXY, place=place
    )


def _title(results: Sequence[Result]) -> str:
    first = results[0]
    if len(results) > 1:
        return f"{len(results)} results · puselect"
    return first.headline if isinstance(first, Comparison) else answer.headline(first)


def _links(results: Sequence[Result], articles: Sequence[str]) -> list[Link]:
    """Return the navigation: the named sections of a single result, or the results."""
    if len(results) > 1:
        names = ["comparison" if isinstance(result, Comparison) else result.method for result in results]
        return [Link(f"r{i}-answer", name) for i, name in enumerate(names)]
    return [Link(*found) for found in NAMED_SECTION.findall(articles[0])]


def page(title: str, body: str, links: Sequence[Link] = (), script: str = "") -> str:
    """Return a whole HTML page that opens offline: nothing is fetched, and no script but this one runs.

    `body` is HTML with the anchors of `links`.
    """
    digest = hashlib.sha256(script.encode()).digest()
    return _fill(
        "base.html.j2",
        title=title,
        body=body,
        links=links,
        version=__version__,
        style=_page_file("theme.css"),
        script=script,
        script_hash=base64.b64encode(digest).decode(),
    )


@cache
def environment() -> "Environment":
    """Return the environment in which templates become parts of pages."""
    try:
        from jinja2 import Environment, FunctionLoader, StrictUndefined
    except ImportError as error:
        raise ImportError("reports need jinja2: pip install jinja2") from error
    return Environment(
        autoescape=True, undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True,
        loader=FunctionLoader(_page_file),
    )


def _fill(template: str, **values: Any) -> str:
    """Return a template of ``report/page`` with values, which are escaped."""
    return environment().get_template(template).render(**values)


def _page_file(name: str) -> str:
    return (files("puselect.report") / "page" / name).read_text(encoding="utf-8")
