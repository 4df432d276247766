"""``puselect methods``."""

from rich.table import Table

from puselect.cli import options
from puselect.cli.application import app, console
from puselect.methods import REGISTRY


@app.command()
def methods(debug: options.Debug = False) -> None:
    """List the methods: idea, use of the labels, speed."""
    table = Table("name", "idea", "sees of the labels", "speed", "needs", box=None, pad_edge=False, header_style="bold")
    for name, about in REGISTRY.items():
        needs = f"puselect\\[{about.extra}]" if about.extra else ""
        table.add_row(f"[bold]{name}[/bold]", about.idea, about.labels, about.speed, needs)
    console.print(table)
    console.print(
        "\n[dim]labels: 'all, as classes' treats unlabelled rows as negatives, 'the positives' does not.\n"
        "speed: on a few thousand rows and fifty features. docs/paper/methods.md compares their accuracy.\n"
        "To compare them on your table: puselect compare DATA --label COL -k N --methods fscpu,semi-jmi,lasso[/dim]"
    )
