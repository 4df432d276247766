"""``puselect demo``: features found on real and on artificial data, or a messy table to try the other commands on."""

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
N_RANDOM = 20

ExportFile = Annotated[
    Path | None, typer.Option(metavar="FILE.csv", help="Only write a messy export to a file, to try --prepare on.")
]


@command
def demo(*, seed: options.Seed = 0, messy: ExportFile = None, debug: options.Debug = False) -> None:
    """Select features on a real table with hidden labels, and on artificial data (no network needed)."""
    if messy is not None:
        return write_export(messy, seed)
    for name, run in (("Breast cancer", real_demo), ("Artificial", artificial_demo)):
        with console.status(f"{name} data (the first run compiles for some seconds) ..."):
            text = run(seed)
        console.print(f"\n[bold]{name} data[/bold]: {text}")
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


def real_demo(seed: int) -> str:
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
    support = FSCPU(6, random_state=seed, n_jobs=-1).fit(X, y).support_
    seconds = time.perf_counter() - begin
    rng = np.random.default_rng(seed)
    drawn = [rng.choice(30, 6, replace=False) for _ in range(N_RANDOM)]
    chosen = (np.flatnonzero(support), np.arange(30), *drawn)
    own, all_, *others = (downstream_auc("logistic", X[:, part], y, X_test[:, part], y_test) for part in chosen)
    return (
        f"{len(X)} rows, 30 features, {y.sum()} labelled malignant tumours, the rest unlabelled\n"
        f"  selected in {seconds:.1f} s: {', '.join(data.feature_names[support])}\n"
        f"  AUC of a logistic model on test rows: [bold]{own:.3f}[/bold] with these 6, {all_:.3f} with all, "
        f"{np.mean(others):.3f} with as many random ones."
    )


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
