"""The commands ``puselect reproduce`` and ``puselect report-study``."""

import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich.markup import escape
from rich.progress import BarColumn, MofNCompleteColumn, TextColumn, TimeRemainingColumn
from rich.progress import Progress as Bar

from puselect.cli import options
from puselect.cli.application import console
from puselect.cli.options import split_names
from puselect.phrases import duration

if TYPE_CHECKING:
    from puselect_paper.studies import Outcome, Progress, Study
    from puselect_paper.studies.cells import Cell
    from puselect_paper.studies.workers import Workers

ALL = ("table1", "table2", "table3", "table3-splits", "figure1")
SECONDS_BETWEEN_LINES = 20
PRESETS = {"published": ("fscpu-published", "fscpu-mi-published"), "default": ("fscpu", "fscpu-mi")}
ENGINES = ("auto", "gpu")
HELP = f"{', '.join(ALL)}, real-tables, quick, all, or a TOML file of your own."


def reproduce(
    study: Annotated[str, typer.Argument(help=HELP)],
    folder: Annotated[
        Path, typer.Option(metavar="DIR", help="Folder for results and report; an interrupted run is resumed.")
    ],
    quick: Annotated[bool, typer.Option("--quick", help="A short trial: one seed, little data.")] = False,
    methods: Annotated[list[str] | None, typer.Option(metavar="NAMES", help="Only these, comma-separated.")] = None,
    preset: Annotated[
        str | None, typer.Option(metavar="NAME", help="FSCPU and FSCPU-MI as published, or as by default.")
    ] = None,
    only: Annotated[
        list[str] | None, typer.Option(metavar="FIELD=VALUES", help="Only such data: name=spambase, share=0.2, ...")
    ] = None,
    seeds: Annotated[int | None, typer.Option(min=1, metavar="N", help="Number of seeds.")] = None,
    jobs: Annotated[int, typer.Option(metavar="N", help="Processes; -1 for one per core.")] = -1,
    dask: Annotated[str | None, typer.Option(metavar="ADDRESS", help="Run on the workers of a Dask scheduler.")] = None,
    engine: Annotated[
        str, typer.Option(metavar="NAME", help="gpu: all searches of a row in lockstep on a GPU, or auto.")
    ] = "auto",
    debug: options.Debug = False,
) -> None:
    """Run the paper's studies, or your own, and compare with the paper's numbers."""
    from puselect_paper.report import report_study
    from puselect_paper.studies import dask_workers, local_workers, lockstep_workers

    wanted = [*split_names(methods), *preset_methods(preset)]
    options.check_choice("--engine", engine, ENGINES)
    is_wanted = data_filter(only or ())
    names = ALL if study == "all" else (study,)
    try:
        outcomes = []
        for name in names:
            place = folder / name if study == "all" else folder
            workers = local_workers(jobs) if dask is None else dask_workers(dask)
            if engine == "gpu":
                workers = lockstep_workers(workers, jobs)
            outcomes.append(run_one(choose(name, quick), place, wanted, seeds, workers, is_wanted))
        page = report_study(folder)
    except (ValueError, ImportError) as error:
        raise typer.BadParameter(str(error)) from error
    except KeyboardInterrupt:
        console.print("interrupted; finished cells are kept, and the same command resumes the run")
        raise typer.Exit(130) from None
    console.print(f"report: [bold]{escape(str(page))}[/bold]", soft_wrap=True)
    if any(outcome.failed for outcome in outcomes):
        raise typer.Exit(1)


def rewrite_report(
    study: Annotated[Path, typer.Argument(metavar="DIR", help="The folder of a study, or of several.")],
    folder: Annotated[
        Path | None, typer.Option(metavar="DIR", help="Where to write (default: the folder of the study).")
    ] = None,
    quiet: options.Quiet = False,
    debug: options.Debug = False,
) -> None:
    """Write the report of a study again, from its results alone."""
    from puselect_paper.report import report_study

    try:
        page = report_study(study, folder)
    except ValueError as error:  # not the folder of a study
        raise typer.BadParameter(str(error)) from error
    if not quiet:
        options.tell(f"written: {page}")


def preset_methods(preset: str | None) -> tuple[str, ...]:
    """Return the methods of a preset."""
    if preset is None:
        return ()
    options.check_choice("--preset", preset, PRESETS)
    return PRESETS[preset]


def data_filter(texts: Sequence[str]) -> Callable[["Cell"], bool]:
    """Return whether the data of a cell are wanted, by texts such as ``name=spambase,ionosphere``."""
    wanted: dict[str, set[str]] = {}
    for text in texts:
        name, equals, values = text.partition("=")
        if not equals:
            raise typer.BadParameter(f"--only takes FIELD=VALUES, such as name=spambase,ionosphere; got {text!r}")
        wanted.setdefault(name, set()).update(split_names([values]))
    return lambda cell: all(str(cell.data.get(name)) in values for name, values in wanted.items())


def choose(name: str, quick: bool) -> "Study":
    """Return the study of that name, shortened if `quick`."""
    from puselect_paper.studies import load_study, shorten

    study = load_study(name)
    return shorten(study) if quick and name != "quick" else study


def run_one(
    study: "Study",
    folder: Path,
    methods: list[str],
    seeds: int | None,
    workers: "Workers",
    is_wanted: Callable[["Cell"], bool],
) -> "Outcome":
    """Run one study and show its progress, its tables and its failures."""
    from puselect_paper.report import collect, study_tables
    from puselect_paper.report.tables import to_markdown
    from puselect_paper.studies import load_run, run_study

    console.print(f"[bold]{escape(study.title)}[/bold]")
    begin = time.monotonic()
    with progress_view() as show:
        outcome = run_study(study, folder, methods=methods, n_seeds=seeds, only=is_wanted, workers=workers, tell=show)
    for table in study_tables(collect(*load_run(folder))):
        console.print(to_markdown(table), markup=False, highlight=False, soft_wrap=True)
    console.print(
        f"{outcome.measured} cells in {duration(time.monotonic() - begin)}, {outcome.skipped} already had results"
    )
    if outcome.failed:
        last = (outcome.failed[-1].error or "").splitlines()[-1]
        console.print(
            f"[red]{len(outcome.failed)} cells failed[/red], the last one ({outcome.failed[-1].cell.method}) with: "
            f"{escape(last)}\nThe same command runs them again; the report lists the errors.",
            soft_wrap=True,
        )
    return outcome


@contextmanager
def progress_view() -> Iterator[Callable[["Progress"], None]]:
    """Show progress as a bar on a terminal, otherwise as a line every twenty seconds."""
    columns = (BarColumn(), MofNCompleteColumn(), TimeRemainingColumn(), TextColumn("{task.description}"))
    last = time.monotonic()
    with Bar(*columns, console=console, transient=True, disable=not console.is_terminal) as bar:
        task = bar.add_task("")

        def show(progress: "Progress") -> None:
            nonlocal last
            failed = f", {progress.failed} failed" if progress.failed else ""
            bar.update(task, completed=progress.done, total=progress.total, description=failed)
            if not console.is_terminal and time.monotonic() - last > SECONDS_BETWEEN_LINES:
                last = time.monotonic()
                console.print(f"{progress.done} of {progress.total} cells{failed}")

        yield show
