"""``puselect check``."""

import dataclasses
import json as json_format
import warnings
from typing import Annotated

import typer

from puselect.cli import options
from puselect.cli.application import app, console, stopping
from puselect.cli.options import HOW, WHAT, open_table, split_names, tell_notes

Number = Annotated[
    int | None,
    typer.Option("-k", "--n-features", min=1, metavar="N", rich_help_panel=WHAT,
                 help="Number of features to cluster (default: an eighth, a quarter and a half of them)."),
]
Shuffles = Annotated[
    int, typer.Option(min=1, max=10_000, metavar="N", help="Most shuffles of the labels.", rich_help_panel=HOW)
]
Jobs = Annotated[int, typer.Option(metavar="N", help="Threads; -1 for all cores.", rich_help_panel=HOW)]


@app.command()
def check(
    data: options.Data,
    label: options.Label,
    positive: options.Positive = None,
    drop: options.Drop = None,
    row_group: options.RowGroup = None,
    encode: options.Encode = False,
    max_categories: options.MaxCategories = 20,
    impute: options.Impute = None,
    max_rows: options.MaxRows = None,
    max_memory: options.MaxMemory = None,
    k: Number = None,
    shuffles: Shuffles = 39,
    seed: options.Seed = 0,
    jobs: Jobs = -1,
    json: options.Json = False,
    debug: options.Debug = False,
) -> None:
    """Check whether a table suits the method: whether the known positives form clusters.

    Also tells how many positives there are about, and whether labels come from one corner of them.
    """
    from puselect.checks.prior import estimate_prior
    from puselect.checks.spread import check_label_spread
    from puselect.checks.suitability import check_suitability
    from puselect.cli.summary import print_check
    from puselect.tables import TableSpec

    spec = TableSpec(
        label, positive, drop=split_names(drop), row_group=row_group, encode=encode, max_categories=max_categories,
        impute=impute, max_rows=max_rows, max_memory=max_memory, seed=seed,
    )
    table = open_table(data, spec, quiet=json)
    with stopping(quiet=json), warnings.catch_warnings(record=True) as heard:
        warnings.simplefilter("always")
        found = check_suitability(table.X, table.y, k, n_shuffles=shuffles, n_jobs=jobs, random_state=seed,
                                  row_groups=table.row_groups)
        prior = estimate_prior(table.X, table.y, k, random_state=seed)
        spread = check_label_spread(table.X, table.y, k, random_state=seed)
    tell_notes(() if json else dict.fromkeys(str(warning.message) for warning in heard))
    if json:
        shown = dataclasses.asdict(found) | {"prior": dataclasses.asdict(prior), "labels": dataclasses.asdict(spread)}
        typer.echo(json_format.dumps(shown, indent=1))
    else:
        print_check(console, found, prior, spread)
