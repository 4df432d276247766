"""``puselect bench``."""

from pathlib import Path
from typing import Annotated

import typer
from rich.table import Table

from puselect.bench import Check, Measurement, run_bench, write_json
from puselect.cli.application import app, console


@app.command()
def bench(
    quick: Annotated[bool, typer.Option("--quick", help="Smaller shapes and fewer repeats, about a minute.")] = False,
    out: Annotated[Path | None, typer.Option("--out", help="Write the figures here, as JSON.")] = None,
) -> None:
    """Measure speed and memory against scikit-learn in the same run; fails if a ratio misses its budget."""
    measurements, checks = run_bench(quick, lambda part: console.print(f"[dim]{part}[/dim]"))
    console.print(measurement_table(measurements))
    console.print(check_table(checks))
    if out is not None:
        write_json(out, measurements, checks)
    if not all(check.passed for check in checks):
        raise typer.Exit(1)


def measurement_table(measurements: list[Measurement]) -> Table:
    """Return the measurements as a table."""
    table = Table("what", "where", "value", "unit", title="Measured")
    for row in measurements:
        table.add_row(row.what, row.where, f"{row.value:.4g}", row.unit)
    return table


def check_table(checks: list[Check]) -> Table:
    """Return the ratios beside their budgets."""
    table = Table("ratio", "measured", "budget", "goal", "", title="Against scikit-learn")
    for check in checks:
        mark = "ok" if check.passed else "MISSED"
        table.add_row(check.name, f"{check.value:.4g}", f"{check.sign} {check.budget:g}", f"{check.goal:g}", mark)
    return table
