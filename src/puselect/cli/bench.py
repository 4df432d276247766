"""``puselect bench``."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich.table import Table

from puselect.cli.application import app, console

if TYPE_CHECKING:
    from puselect.bench import Check, Measurement


@app.command()
def bench(
    quick: Annotated[bool, typer.Option("--quick", help="Smaller shapes and fewer repeats, about a minute.")] = False,
    engine: Annotated[str, typer.Option("--engine", help="Which engine to measure: cpu or gpu.")] = "cpu",
    out: Annotated[Path | None, typer.Option("--out", help="Write the figures here, as JSON.")] = None,
) -> None:
    """Measure speed and memory against scikit-learn or the device's floor; fails if a figure misses its budget."""
    from puselect.bench import run_bench, write_json
    from puselect.bench_gpu import run_gpu_bench

    if engine not in ("cpu", "gpu"):
        raise typer.BadParameter(f"--engine must be cpu or gpu, got {engine}")
    run = run_gpu_bench if engine == "gpu" else run_bench
    measurements, checks = run(quick, lambda part: console.print(f"[dim]{part}[/dim]"))
    console.print(measurement_table(measurements))
    console.print(check_table(checks))
    if out is not None:
        write_json(out, measurements, checks)
    if not all(check.passed for check in checks):
        raise typer.Exit(1)


def measurement_table(measurements: "list[Measurement]") -> Table:
    """Return the measurements as a table."""
    table = Table("what", "where", "value", "unit", title="Measured")
    for row in measurements:
        table.add_row(row.what, row.where, f"{row.value:.4g}", row.unit)
    return table


def check_table(checks: "list[Check]") -> Table:
    """Return the figures beside their budgets."""
    table = Table("figure", "measured", "budget", "goal", "", title="Budgets")
    for check in checks:
        mark = "ok" if check.passed else "MISSED"
        table.add_row(check.name, f"{check.value:.4g}", f"{check.sign} {check.budget:g}", f"{check.goal:g}", mark)
    return table
