"""``puselect demo``."""

from typing import Annotated

import typer

from puselect.cli.application import app, console
from puselect.demo import artificial_demo, real_demo


@app.command()
def demo(seed: Annotated[int, typer.Option(help="Seed of everything random.")] = 0) -> None:
    """Select features on artificial and on real data, and see how good they are (no network needed)."""
    with console.status("artificial data (the first run compiles its kernels, about ten seconds) ..."):
        made = artificial_demo(seed)
    console.print(
        f"\n[bold]Artificial data[/bold]: {made.n_rows} rows, {made.n_features} features, "
        f"{made.n_labelled} labelled positives\n"
        f"  FSCPU found [bold]{made.found} of the {made.n_relevant}[/bold] relevant features in {made.seconds:.1f} s "
        f"({made.evaluations} clusterings); the chi-squared filter finds {made.found_by_chi2}."
    )
    with console.status("breast cancer data ..."):
        real = real_demo(seed)
    console.print(
        f"\n[bold]Breast cancer data[/bold]: {real.n_rows} rows, {real.n_features} features, "
        f"{real.n_labelled} malignant ones labelled, the rest unlabelled\n"
        f"  selected in {real.seconds:.1f} s: {', '.join(real.selected)}\n"
        f"  AUC of a logistic model on test rows: [bold]{real.auc_selected:.3f}[/bold] with these "
        f"{len(real.selected)}, {real.auc_all:.3f} with all {real.n_features}, "
        f"{real.auc_random:.3f} with {len(real.selected)} random ones."
    )
    console.print(
        "\nTry next: [bold]FSCPU(n_features_to_select=10).fit(X, y)[/bold] on your own table, where y is 1 for the "
        "rows you know to be positive and 0 for all others."
    )
