"""``puselect demo``: features found on artificial data, and on a real table with hidden labels."""

import csv
import io
import shlex
import time
from pathlib import Path
from typing import Annotated, NamedTuple

import typer

from puselect.cli import options
from puselect.cli.application import command, console
from puselect.cli.writing import check_outputs, output_file

TRY = "select {table} --label known --drop diagnosis --report report.html"
TRY_EXPORT = (
    "select {table} --label known_fraud --prepare --id transaction_id --drop is_fraud,case_number "
    "--report report.html"
)
EXPORT_ROWS = 6000
N_RANDOM = 20

TableFile = Annotated[
    Path | None,
    typer.Option(metavar="FILE.csv", help="Only write the real data to a file, to try the other commands on."),
]
ExportFile = Annotated[
    Path | None, typer.Option(metavar="FILE.csv", help="Only write a messy export to a file, to try --prepare on.")
]


class RealResult(NamedTuple):
    """AUC on fully labelled test rows of models trained on a few labels."""

    n_rows: int
    n_labelled: int
    selected: tuple[str, ...]
    auc_selected: float
    auc_all: float
    auc_random: float
    seconds: float


@command
def demo(
    *, seed: options.Seed = 0, table: TableFile = None, messy: ExportFile = None, debug: options.Debug = False
) -> None:
    """Select features on artificial and on real data (no network needed)."""
    if table is not None:
        write_table(table, seed)
    if messy is not None:
        write_export(messy, seed)
    if table is not None or messy is not None:
        return
    with console.status("artificial data (the first run compiles for about ten seconds) ..."):
        text = artificial_demo(seed)
    console.print(f"\n[bold]Artificial data[/bold]: {text}")
    with console.status("breast cancer data ..."):
        real = real_demo(seed)
    console.print(
        f"\n[bold]Breast cancer data[/bold]: {real.n_rows} rows, 30 features, "
        f"{real.n_labelled} labelled malignant tumours, the rest unlabelled\n"
        f"  selected in {real.seconds:.1f} s: {', '.join(real.selected)}\n"
        f"  AUC of a logistic model on test rows: [bold]{real.auc_selected:.3f}[/bold] with these "
        f"{len(real.selected)}, {real.auc_all:.3f} with all, {real.auc_random:.3f} with as many random ones."
    )
    console.print("\nTry next, on a file:")
    show_command("demo --table breast.csv")
    show_command(TRY.format(table="breast.csv"))
    console.print(
        "or in Python, where y is 1 for known positives and 0 for all other rows:\n"
        "  [bold]FSCPU(n_features_to_select=10).fit(X, y)[/bold]"
    )


def show_command(words: str) -> None:
    """Print a command on one line, ready to be copied."""
    console.print(f"  {options.program()} {words}", style="bold", markup=False, soft_wrap=True)


def write_table(path: Path, seed: int) -> None:
    """Write the table of the demo and suggest what to do with it."""
    check_outputs({"--table": path})
    with output_file(path) as file:
        file.write(demo_table(seed).encode())
    console.print(
        f"{path}: 569 breast tumours, 30 measurements each; [bold]known[/bold] is 1 for a tenth of the malignant\n"
        "ones, [bold]diagnosis[/bold] is the truth: 1 for all of them.\nTry next:",
        soft_wrap=True,
    )
    show_command(TRY.format(table=shlex.quote(str(path))))


def write_export(path: Path, seed: int) -> None:
    """Write an artificial export with identifiers, dates, text, missing values and leaks, and suggest what to do."""
    from puselect.datasets.fraud import fraud_export_columns
    from puselect.tables.frames import pl

    check_outputs({"--messy": path})
    columns, _ = fraud_export_columns(EXPORT_ROWS, seed)
    with output_file(path) as file:
        pl.DataFrame(columns, nan_to_null=True).write_csv(file)
    console.print(
        f"{path}: {EXPORT_ROWS:,} payments, {len(columns)} columns; [bold]known_fraud[/bold] is yes for 60 of them, "
        "and nothing\nis known about the others. Try next:",
        soft_wrap=True,
    )
    show_command(TRY_EXPORT.format(table=shlex.quote(str(path))))


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


def real_demo(seed: int, n_select: int = 6) -> RealResult:
    """Hide nine tenths of the malignant labels of the breast cancer data and select a few of its 30 features."""
    import numpy as np
    from sklearn.datasets import load_breast_cancer
    from sklearn.model_selection import train_test_split

    from puselect.datasets import hide_labels
    from puselect.evaluation import downstream_auc
    from puselect.fscpu.selector import FSCPU

    data = load_breast_cancer()
    malignant = (data.target == 0).astype(int)
    X, X_test, classes, y_test = train_test_split(
        data.data, malignant, test_size=0.25, stratify=malignant, random_state=seed
    )
    y = hide_labels(classes, 0.1, random_state=seed)
    begin = time.perf_counter()
    selector = FSCPU(n_features_to_select=n_select, random_state=seed, n_jobs=-1).fit(X, y)
    seconds = time.perf_counter() - begin
    rng = np.random.default_rng(seed)
    drawn = [rng.choice(X.shape[1], n_select, replace=False) for _ in range(N_RANDOM)]
    chosen = (np.flatnonzero(selector.support_), np.arange(X.shape[1]), *drawn)
    aucs = [downstream_auc("logistic", X[:, columns], y, X_test[:, columns], y_test) for columns in chosen]
    names = tuple(data.feature_names[selector.support_])
    return RealResult(len(X), int(y.sum()), names, aucs[0], aucs[1], float(np.mean(aucs[2:])), seconds)


def demo_table(seed: int = 0) -> str:
    """Return the breast cancer data as CSV: 30 features, `known` (1 for a tenth of the malignant rows), `diagnosis`."""
    from sklearn.datasets import load_breast_cancer

    from puselect.datasets import hide_labels

    data = load_breast_cancer()
    diagnosis = (data.target == 0).astype(int)
    known = hide_labels(diagnosis, 0.1, random_state=seed)
    text = io.StringIO(newline="")
    writer = csv.writer(text)
    writer.writerow([*data.feature_names, "known", "diagnosis"])
    writer.writerows([*row, *classes] for row, *classes in zip(data.data, known, diagnosis, strict=True))
    return text.getvalue()
