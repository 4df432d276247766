"""Progress on standard error: a bar on a terminal, otherwise a line after two seconds and every few more."""

import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from rich.progress import BarColumn, Progress, SpinnerColumn, TextColumn, TimeElapsedColumn, TimeRemainingColumn

from puselect.cli.application import LongSearchError, messages, printable
from puselect.cli.options import tell
from puselect.phrases import duration

if TYPE_CHECKING:
    from puselect.search.progress import Step

FIRST_SECONDS, LINE_SECONDS = 2.0, 5.0
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
    state = ["starting"]
    if not messages.is_terminal:
        tell(f"{method}: running")
        with heartbeat(lambda: f"{method}: {state[0]}"):
            yield lambda step: state.__setitem__(0, state_of(step))
        return
    columns = (SpinnerColumn(), TextColumn("{task.description}"), BarColumn(30), TextColumn("{task.fields[state]}"))
    with Progress(*columns, TimeElapsedColumn(), console=messages, transient=True) as bar:
        task = bar.add_task(method, total=None, state="[dim]starting (the first run compiles for ten seconds)[/dim]")
        due = Throttle(BAR_SECONDS)

        def show(step: "Step") -> None:
            if due() or step.number == step.max_iter:
                bar.update(task, total=1.0, completed=step.share_done, state=state_of(step))

        yield show


@contextmanager
def working(what: str, quiet: bool) -> Iterator[None]:
    """Say what is being done while this block runs, and for how long."""
    if quiet:
        yield
    elif messages.is_terminal:
        columns = (SpinnerColumn(), TextColumn("{task.description}", markup=False), TimeElapsedColumn())
        with Progress(*columns, console=messages, transient=True) as bar:
            bar.add_task(printable(what), total=None)
            yield
    else:
        begin = time.monotonic()
        with heartbeat(lambda: f"{what} ({duration(time.monotonic() - begin)})"):
            yield


@contextmanager
def heartbeat(text: Callable[[], str]) -> Iterator[None]:
    """Write a line after two seconds, and every few more, while this block runs."""
    is_over = threading.Event()

    def beat() -> None:
        wait = FIRST_SECONDS
        while not is_over.wait(wait):
            tell(text())
            wait = LINE_SECONDS

    thread = threading.Thread(target=beat, daemon=True)
    thread.start()
    try:
        yield
    finally:
        is_over.set()
        thread.join()


def state_of(step: "Step") -> str:
    """Return the state of a search, short enough for a line of a terminal."""
    left = f" · at most {duration(step.seconds_left)} left" if step.seconds_left < float("inf") else ""
    steps = f"{step.number}" if step.is_limited else f"{step.number}/{step.max_iter}"
    end = " · finishing" if step.number == step.max_iter else left
    return f"step {steps} · objective {step.best:.4g} · {step.settled:.0%} decided{end}"


@contextmanager
def counted_progress(what: str, total: int, quiet: bool) -> Iterator[Callable[[str], None]]:
    """Give a function to call with the name of each of `total` pieces when it is done."""
    if quiet:
        yield lambda piece: None
        return
    if not messages.is_terminal:
        done: list[str] = []
        with heartbeat(lambda: f"{what}: {len(done)} of {total} done{f', last: {done[-1]}' if done else ''}"):
            yield done.append
        return
    columns = (SpinnerColumn(), TextColumn(what), BarColumn(30), TextColumn("{task.completed:.0f}/{task.total:.0f}"))
    with Progress(*columns, TextColumn("{task.description}"), TimeRemainingColumn(), console=messages,
                  transient=True) as bar:
        task = bar.add_task("", total=total)
        yield lambda piece: bar.update(task, advance=1, description=piece)
