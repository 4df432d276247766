"""From results to one HTML file that needs nothing else."""

import base64
import dataclasses
import hashlib
import os
from collections.abc import Sequence
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import Any

from puselect._version import __version__
from puselect.report import sentences
from puselect.report.comparison import Comparison
from puselect.report.selection import Selection

SCRIPTS = ("tables.js", "charts.js", "report.js")
NOT_DRAWN = ("settings", "versions", "findings", "notes", "command")

REPEAT = ("repeat", "Do it again")

Result = Selection | Comparison


def write_report(results: Sequence[Result] | Result, path: str | os.PathLike[str]) -> Path:
    """Write results as one HTML file that opens offline; the old file stays whole until the new one is on disk.

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
        raise FileNotFoundError(f"a report goes into a folder that exists, got {str(target.parent)!r}")
    text = render(results)
    scratch = target.with_name(f".{target.name}.{os.getpid()}.part")
    try:
        with open(scratch, "w", encoding="utf-8", newline="\n") as file:
            file.write(text)
            file.flush()
            os.fsync(file.fileno())
        os.replace(scratch, target)
    finally:
        scratch.unlink(missing_ok=True)
    return target


def render(results: Sequence[Result] | Result) -> str:
    """Return the report as HTML."""
    shown = [results] if isinstance(results, Result) else list(results)
    if not shown:
        raise ValueError("a report needs at least one result, got none")
    script = "\n".join(_page_file(name) for name in SCRIPTS)
    html: str = _template().render(
        results=[(f"r{i}", type(result).__name__.lower(), result, _drawn(result)) for i, result in enumerate(shown)],
        title=_title(shown),
        sections=_sections,
        say=sentences,
        version=__version__,
        style=_page_file("report.css"),
        script=script,
        script_hash=base64.b64encode(hashlib.sha256(script.encode()).digest()).decode(),
    )
    return html


def _title(results: Sequence[Result]) -> str:
    first = results[0]
    if len(results) > 1:
        return f"{len(results)} results · puselect"
    return sentences.headline(first) if isinstance(first, Selection) else sentences.comparison_headline(first)


def _sections(kind: str, result: Any) -> list[tuple[str, str]]:
    """Return the anchors and names of the parts that a result has."""
    if kind == "comparison":
        scored = [("scores", "Scores")] if result.methods[0].interval else []
        return [*scored, ("methods", "Methods"), ("agreement", "Agreement"), ("features", "Features"), REPEAT]
    searched = result.search is not None and result.search.step
    parts = [
        ("checks", "Checks", result.findings),
        ("suits", "Suitability", result.suitability),
        ("search", "Search", searched),
        ("ranking", "Ranking", True),
        ("clusters", "Clusters", result.clusterings),
        ("map", "Map", result.view),
        ("candidates", "Candidates", result.candidates),
        ("convergence", "Convergence", searched),
    ]
    return [*((anchor, name) for anchor, name, there in parts if there), REPEAT]


def _drawn(result: Result) -> dict[str, Any]:
    """Return the part of a result that scripts draw."""
    data = {name: value for name, value in dataclasses.asdict(result).items() if name not in NOT_DRAWN}
    if isinstance(result, Selection):
        return data | {"standing": sentences.standing(result)}
    return data | {"rivals": [method.method for method in result.rivals]}


@cache
def _template() -> Any:
    try:
        from jinja2 import Environment, StrictUndefined
    except ImportError as error:
        raise ImportError("reports need the extra 'report': pip install 'puselect[report]'") from error
    environment = Environment(autoescape=True, undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True)
    return environment.from_string(_page_file("report.html.j2"))


def _page_file(name: str) -> str:
    return (files("puselect.report") / "page" / name).read_text(encoding="utf-8")
