"""``puselect check``, and the checks of a selection: shuffled labels, and searches on halves of the labels."""

import dataclasses
import json as json_format
import warnings
from contextlib import suppress
from typing import TYPE_CHECKING, Annotated

import typer

from puselect.cli import options
from puselect.cli.application import command, console, interrupts, stopping
from puselect.cli.options import HOW, WHAT, TableOptions, open_table, option, tell_notes
from puselect.cli.progress import working
from puselect.phrases import duration

if TYPE_CHECKING:
    from puselect.checks.suitability import Suitability
    from puselect.search.progress import Deadline
    from puselect.selectors.base import PUSelector
    from puselect.tables.loading import LoadedTable

USUAL_SEARCHES, USUAL_SHUFFLES = 8, 39
FEWEST_SHUFFLES = 19  # with which a p-value of .05 can be reached
REPEAT_SHARE = 0.2  # of the time of a search that one with half of the labels takes; measured: .08 to .18
SHORTEST_SHARE = 0.5  # of the time of the search: with less there is no check, which would not end in time
CHEAP_SECONDS = 10.0  # that methods without clusters may take to select again, unless they are asked to
NO_TIME = "--max-time leaves no time"

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


@dataclasses.dataclass(frozen=True)
class CheckOptions:
    """How to check a selection."""

    no_checks: Annotated[
        bool, option(HOW, "", "Do not check the selection (shuffled labels, repeated searches).", "--no-checks")
    ] = False
    searches: Annotated[
        int | None,
        option(HOW, "N", "Select again with N random halves of the labels (default: 8).", min=2, max=1000),
    ] = None
    shuffles: Annotated[
        int | None,
        option(HOW, "N", "Compare with at most N shuffles of the labels (default: 39).", min=FEWEST_SHUFFLES,
               max=10_000),
    ] = None

    def check(self) -> None:
        """Raise a usage error for options that exclude each other."""
        for name, number in (("--searches", self.searches), ("--shuffles", self.shuffles)):
            if self.no_checks and number is not None:
                raise typer.BadParameter("cannot be combined with --no-checks", param_hint=name)


def check_selection(
    selector: "PUSelector", table: "LoadedTable", wanted: CheckOptions, fit_seconds: float, max_time: float | None
) -> tuple["Suitability | None", list[str]]:
    """Compare with shuffled labels, in half of the time that the fit has left, and select again in the rest.

    Returns the comparison, and notes on what was left out; `stability_` of the selector holds the rest.
    """
    from puselect.checks.suitability import check_suitability
    from puselect.fscpu.selector import FSCPU
    from puselect.search.progress import Deadline

    if wanted.no_checks:
        return None, []
    deadline = Deadline(None if max_time is None else max_time - fit_seconds)
    if interrupts or deadline.left < SHORTEST_SHARE * fit_seconds:
        return None, [f"not checked: {'interrupted' if interrupts else NO_TIME}"]
    found, notes = None, []
    try:
        # The fit and the findings warn of the same.
        with stopping(), working("checking"), warnings.catch_warnings(action="ignore"):
            if isinstance(selector, FSCPU):
                found = check_suitability(
                    table.X,
                    table.y,
                    neg_label=table.neg_label,
                    n_shuffles=wanted.shuffles or USUAL_SHUFFLES,
                    max_time=None if max_time is None else max(deadline.left / 2, 1e-9),
                    row_groups=table.row_groups,
                    random_state=selector.random_state,
                    n_jobs=selector.n_jobs,
                    groups=table.groups or None,
                )
                if not found.is_decided:  # half of the time was too short to tell
                    found, notes = None, [f"not compared with shuffled labels: {NO_TIME}"]
            notes += select_again(selector, table, wanted.searches, fit_seconds, deadline)
    except KeyboardInterrupt:
        notes.append("interrupted; the checks are not complete")
    return found, notes


def select_again(
    selector: "PUSelector", table: "LoadedTable", wanted: int | None, fit_seconds: float, deadline: "Deadline"
) -> list[str]:
    """Select with halves of the labels, as often as there is time for; return notes on what was left out."""
    from puselect.checks.stability import assess_stability
    from puselect.checks.suitability import FEWEST_LABELS
    from puselect.fscpu.selector import FSCPU
    from puselect.row_groups import count_labels, read_row_groups

    n_labelled = count_labels(table.y == 1, read_row_groups(table.row_groups, table.y == 1))
    if n_labelled < FEWEST_LABELS:
        return [f"not selected again: needs {FEWEST_LABELS} labelled rows (or row groups)"]
    is_search, n_searches = isinstance(selector, FSCPU), wanted or USUAL_SEARCHES
    seconds_each = fit_seconds * (REPEAT_SHARE if is_search else 1.0)
    if not is_search and wanted is None and n_searches * seconds_each > CHEAP_SECONDS:
        return [f"not selected again, to save {duration(n_searches * seconds_each)}: --searches {n_searches} does it"]
    n_possible = int(min(deadline.left / max(seconds_each, 1e-9), n_searches))
    max_time = None if deadline.left == float("inf") else max(deadline.left, 0.0)
    fewer = f"selected again {n_possible} times, not {n_searches}: --max-time"
    if n_possible >= 2:
        with suppress(TimeoutError):
            assess_stability(selector, table.X, table.y, n_possible, selector.random_state, table.row_groups, max_time)
            return [fewer] if n_possible < n_searches else []
    return [f"not selected again: {NO_TIME}"]
