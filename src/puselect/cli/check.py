"""``puselect check``."""

import dataclasses
import json as json_format
import warnings
from typing import Annotated

import typer

from puselect.cli import options
from puselect.cli.application import command, console, stopping
from puselect.cli.checking import FEWEST_SHUFFLES, USUAL_SHUFFLES
from puselect.cli.options import HOW, WHAT, TableOptions, open_table, option, tell_notes
from puselect.cli.progress import working

Number = Annotated[
    int | None,
    option(WHAT, "N", "Number of features to cluster (default: an eighth, a quarter and a half of them).",
           "-k", "--n-features", min=1),
]
Shuffles = Annotated[int, option(HOW, "N", "Most shuffles of the labels.", min=FEWEST_SHUFFLES, max=10_000)]


@command
def check(
    *,
    data: options.Data,
    table: TableOptions,
    k: Number = None,
    shuffles: Shuffles = USUAL_SHUFFLES,
    seed: options.Seed = 0,
    jobs: options.Jobs = -1,
    json: options.Json = False,
    debug: options.Debug = False,
) -> None:
    """Check whether a table suits the method: whether the known positives form clusters.

    Also tells how many positives there are about.
    """
    from puselect.cli.summary import print_check

    options.be_quiet(json, json)
    with working("starting"):
        from puselect.checks.prior import estimate_prior
        from puselect.checks.suitability import check_suitability
    loaded = open_table(data, table.spec(seed), tells_all=True)
    X, y = loaded.X, loaded.y
    with stopping(), working("checking"), warnings.catch_warnings(record=True) as heard:
        warnings.simplefilter("always")
        found = check_suitability(X, y, k, n_shuffles=shuffles, n_jobs=jobs, random_state=seed,
                                  row_groups=loaded.row_groups, groups=loaded.groups, neg_label=loaded.neg_label)
        prior = estimate_prior(X, y, k, random_state=seed, groups=loaded.groups, neg_label=loaded.neg_label)
    tell_notes(dict.fromkeys(str(warning.message) for warning in heard))
    if json:
        typer.echo(json_format.dumps(dataclasses.asdict(found) | {"prior": dataclasses.asdict(prior)}, indent=1))
    else:
        print_check(console, found, prior)
