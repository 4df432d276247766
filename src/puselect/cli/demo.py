"""``puselect demo``: features found on artificial data, or a messy table to try the other commands on."""

import shlex
import shutil
import sys
import time
from pathlib import Path
from typing import Annotated

import typer

from puselect.cli import options
from puselect.cli.application import command, console
from puselect.cli.writing import check_outputs, output_file

TRY = (
    "select {table} --label known_fraud --prepare --id transaction_id --drop is_fraud,case_number "
    "--report report.html"
)
EXPORT_ROWS = 6000

ExportFile = Annotated[
    Path | None, typer.Option(metavar="FILE.csv", help="Only write a messy export to a file, to try --prepare on.")
]


@command
def demo(*, seed: options.Seed = 0, messy: ExportFile = None, debug: options.Debug = False) -> None:
    """Select features on artificial data, where the relevant ones are known."""
    if messy is not None:
        return write_export(messy, seed)
    with console.status("Artificial data (the first run compiles for about ten seconds) ..."):
        text = artificial_demo(seed)
    console.print(f"\n[bold]Artificial data[/bold]: {text}")
    console.print("\nTry next, on a file:")
    show_command("demo --messy export.csv")
    show_command(TRY.format(table="export.csv"))
    console.print(
        "or in Python, where y is 1 for known positives and 0 for all other rows:\n"
        "  [bold]FSCPU(n_features_to_select=10).fit(X, y)[/bold]"
    )


def show_command(words: str) -> None:
    """Print a command on one line, ready to be copied."""
    program = "puselect" if shutil.which("puselect") else f"{shlex.quote(sys.executable)} -m puselect"
    console.print(f"  {program} {words}", style="bold", markup=False, soft_wrap=True)


def write_export(path: Path, seed: int) -> None:
    """Write a messy export and suggest what to do with it."""
    from puselect.datasets.fraud import fraud_export_columns
    from puselect.tables.frames import pl

    check_outputs({"--messy": path})
    with output_file(path) as file:
        pl.DataFrame(fraud_export_columns(EXPORT_ROWS, seed)[0], nan_to_null=True).write_csv(file)
    about = f"{EXPORT_ROWS:,} payments; [bold]known_fraud[/bold] is yes for 60 of them, nothing is known of the others"
    console.print(f"{path}: {about}. Try next:", soft_wrap=True)
    show_command(TRY.format(table=shlex.quote(str(path))))


def artificial_demo(seed: int) -> str:
    """Run the default search on the paper's condition with 10 % labelled, 8 negative and 2 positive clusters."""
    from sklearn.feature_selection import SelectKBest, chi2

    from puselect.datasets import make_pu_clusters
    from puselect.fscpu.selector import FSCPU
    from puselect.scaling import scale_columns

    X, y, relevant = make_pu_clusters("10/8/2", random_state=seed)
    begin = time.perf_counter()
    selector = FSCPU(n_features_to_select=25, random_state=seed, n_jobs=-1).fit(X, y)
    seconds = time.perf_counter() - begin
    by_chi2 = SelectKBest(chi2, k=25).fit(scale_columns(X), y).get_support()
    return (
        f"{X.shape[0]} rows, {X.shape[1]} features, {y.sum()} labelled positives\n"
        f"  FSCPU found [bold]{relevant[selector.support_].sum()} of the {relevant.sum()}[/bold] relevant features in "
        f"{seconds:.1f} s ({selector.n_evaluations_} clusterings); the chi-squared filter finds "
        f"{relevant[by_chi2].sum()}."
    )
