"""Write the report of a study, Markdown and HTML, from its journal."""

from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

from puselect.atomic import atomic_write
from puselect.phrases import duration
from puselect.report.render import Link, environment, page
from puselect_paper.report.figures import Picture, draw_all
from puselect_paper.report.real_board import board_tables, split_tables
from puselect_paper.report.results import BlockResults, Results, collect
from puselect_paper.report.table1 import recall_tables
from puselect_paper.report.table2 import counts_table
from puselect_paper.report.table3 import downstream_tables
from puselect_paper.report.tables import Table, plain, to_markdown
from puselect_paper.studies.runner import STUDY_FILE, load_run

FIGURES = "figures"
TEMPLATE = Path(__file__).parent / "study.html.j2"
MOST_ERRORS = 10


class Section(NamedTuple):
    """The part of a report that one study fills."""

    anchor: str
    """The name of its folder."""
    title: str
    remarks: Sequence[str]
    tables: Sequence[Table]
    pictures: Sequence[Picture]
    errors: Sequence[str]


def report_study(directory: Path, out: Path | None = None) -> Path:
    """Write ``report.html``, ``report.md`` and the figures of a study from its results.

    Parameters
    ----------
    directory : Path
        Holds ``study.json`` and ``results*.jsonl``, or folders that do.
    out : Path, optional
        Where to write; by default into the directory itself.

    Returns
    -------
    page : Path
        The HTML page, which opens offline.
    """
    target = directory if out is None else out
    target.mkdir(parents=True, exist_ok=True)
    sections = [_section(folder, target) for folder in study_folders(directory)]
    title = sections[0].title if len(sections) == 1 else "The paper's studies, reproduced"
    for name, text in (("report.md", _markdown(title, sections)), ("report.html", study_page(title, sections))):
        with atomic_write(target / name) as file:
            file.write(text.encode())
    return target / "report.html"


def study_folders(directory: Path) -> list[Path]:
    """Return the folder itself if it holds a study, or those in it that do."""
    folders = [directory, *sorted(path for path in directory.glob("*") if path.is_dir())]
    found = [folder for folder in folders if (folder / STUDY_FILE).is_file()]
    if not found:
        raise ValueError(f"{directory} must hold {STUDY_FILE} or folders that do: the --folder of puselect reproduce")
    return found[:1] if found[0] == directory else found


def study_tables(results: Results) -> list[Table]:
    """Return all tables of a study."""
    return [table for block in results.blocks for table in block_tables(block)]


def block_tables(results: BlockResults) -> list[Table]:
    """Return the tables of a block."""
    if not results.results:
        return []
    if results.block.measure == "counts":
        return [counts_table(results)]
    if results.block.measure == "real":
        return board_tables(results)
    if results.block.measure == "downstream":
        return [*downstream_tables(results), *split_tables(results)]
    return recall_tables(results)


def _section(folder: Path, target: Path) -> Section:
    results = collect(*load_run(folder))
    remarks = _remarks(results)
    pictures: list[Picture] = []
    figures = target / FIGURES / ("" if folder == target else folder.name)
    try:
        pictures = draw_all(results.blocks, figures)
    except ImportError as error:
        remarks.append(f"No figures: {error}.")
    return Section(folder.name, results.study.title, remarks, study_tables(results), pictures, _errors(results))


def _remarks(results: Results) -> list[str]:
    n_rows = sum(len(result.rows) for block in results.blocks for result in block.results)
    remarks = [f"{n_rows} cells, {duration(results.seconds)} of work in all."]
    if results.failed:
        remarks.append(f"{len(results.failed)} cells failed and are missing; the next run tries them again.")
    if results.n_foreign:
        remarks.append(f"{results.n_foreign} rows of the journal belong to no cell of this study and are left out.")
    return remarks


def _markdown(title: str, sections: Sequence[Section]) -> str:
    parts = [f"# {title}"]
    for section in sections:
        if len(sections) > 1:
            parts.append(f"## {section.title}")
        parts.append(" ".join(section.remarks))
        parts += [to_markdown(table) for table in section.tables]
        prefix = "" if len(sections) == 1 else f"{section.anchor}/"
        parts += [f"![{p.title}]({FIGURES}/{prefix}{p.name}.png)\n\n*{p.title}*" for p in section.pictures]
        parts += [f"```\n{error}\n```" for error in section.errors]
    return "\n\n".join(parts) + "\n"


def study_page(title: str, sections: Sequence[Section]) -> str:
    """Return the report as HTML."""
    links = [Link(section.anchor, section.title) for section in sections]
    body = environment().from_string(TEMPLATE.read_text("utf-8")).render(title=title, sections=sections, plain=plain)
    return page(title, body, links if len(sections) > 1 else ())


def _errors(results: Results) -> list[str]:
    return [
        f"{row.cell.method} {dict(row.cell.data)} seed {row.cell.seed}\n{row.error}"
        for row in results.failed[:MOST_ERRORS]
    ]
