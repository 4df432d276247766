"""Progress on standard error: a bar on a terminal, otherwise a line every few seconds."""

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from rich.progress import BarColumn, Progress, SpinnerColumn, TextColumn, TimeElapsedColumn, TimeRemainingColumn
from rich.text import Text

from puselect.cli.application import LongSearchError, messages, printable
from puselect.cli.options import tell
from puselect.phrases import duration

if TYPE_CHECKING:
    from puselect.search.progress import Step

LINE_SECONDS = 5.0
BAR_SECONDS = 0.1
LONG_SEARCH_SECONDS = 3600.0
COMPILE_SECONDS = 300.0  # ten on an idle machine; on a busy one it may be minutes
ESTIMATE_STEPS = 10
ESTIMATE_SECONDS = 3.0


class TimeCheck:
    """Observer that ends a search early on if it may take more than an hour, unless that was allowed."""

    def __init__(self, is_allowed: bool = False) -> None:
        self.first: int | None = None
        self.begun = 0.0
        self.passed = is_allowed

    def __call__(self, step: "Step") -> None:
        """Raise a `LongSearchError` once the time left can be estimated, if it is too long."""
        if self.passed:
            return
        if self.first is None:
            self.first, self.begun = step.number, step.seconds
            # The first step may compile; if it took much longer than that, so will the others.
            seconds = max(step.seconds - COMPILE_SECONDS, 0.0) * (step.max_iter - step.number)
        elif step.number - self.first < ESTIMATE_STEPS and step.seconds - self.begun < ESTIMATE_SECONDS:
            return
        else:
            seconds = step.seconds_left
            self.passed = True
        if seconds > LONG_SEARCH_SECONDS:
            raise LongSearchError(
                f"the search may take up to {duration(seconds)}; select fewer features with -k, limit it with "
                "--max-time or --max-iter, or add --yes"
            )


@contextmanager
def search_progress(method: str, quiet: bool) -> Iterator[Callable[["Step"], None]]:
    """Give an observer of a search; for methods without steps only the time is shown."""
    from puselect.search.progress import Throttle

    if quiet:
        yield lambda step: None
        return
    if not messages.is_terminal:
        due = Throttle(LINE_SECONDS)
        tell(f"{method}: running")
        yield lambda step: tell(f"{method}: {state_of(step)}") if due() else None
        return
    columns = (SpinnerColumn(), TextColumn("{task.description}"), BarColumn(30), TextColumn("{task.fields[state]}"))
    with Progress(*columns, TimeElapsedColumn(), console=messages, transient=True) as bar:
        task = bar.add_task(method, total=None, state="[dim]starting (the first run compiles for ten seconds)[/dim]")
        due = Throttle(BAR_SECONDS)

        def show(step: "Step") -> None:
            if due():
                bar.update(task, total=1.0, completed=step.share_done, state=state_of(step))

        yield show


@contextmanager
def working(what: str, quiet: bool) -> Iterator[None]:
    """Say what is being done while this block runs: at once on a terminal, otherwise if it takes a few seconds."""
    if quiet:
        yield
    elif messages.is_terminal:
        with messages.status(Text(printable(what), style="dim")):
            yield
    else:
        timer = threading.Timer(LINE_SECONDS, tell, [f"{what} ..."])
        timer.daemon = True
        timer.start()
        try:
            yield
        finally:
            timer.cancel()


def state_of(step: "Step") -> str:
    """Return the state of a search, short enough for a line of a terminal."""
    left = f" · at most {duration(step.seconds_left)} left" if step.seconds_left < float("inf") else ""
    steps = f"{step.number}" if step.is_limited else f"{step.number}/{step.max_iter}"
    return f"step {steps} · objective {step.best:.4g} · {step.settled:.0%} decided{left}"


@contextmanager
def counted_progress(what: str, total: int, quiet: bool) -> Iterator[Callable[[str], None]]:
    """Give a function to call with the name of each of `total` pieces when it is done."""
    from puselect.search.progress import Throttle

    if quiet:
        yield lambda piece: None
        return
    if not messages.is_terminal:
        due, done = Throttle(LINE_SECONDS), [0]

        def line(piece: str) -> None:
            done[0] += 1
            if due():
                tell(f"{what}: {done[0]} of {total} done, last: {piece}")

        yield line
        return
    columns = (SpinnerColumn(), TextColumn(what), BarColumn(30), TextColumn("{task.completed:.0f}/{task.total:.0f}"))
    with Progress(*columns, TextColumn("{task.description}"), TimeRemainingColumn(), console=messages,
                  transient=True) as bar:
        task = bar.add_task("", total=total)
        yield lambda piece: bar.update(task, advance=1, description=piece)
