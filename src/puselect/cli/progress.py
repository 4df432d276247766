"""Live progress on standard error: a bar on a terminal, a line now and then elsewhere."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from rich.progress import BarColumn, Progress, SpinnerColumn, TextColumn, TimeElapsedColumn, TimeRemainingColumn

from puselect.cli.application import messages
from puselect.cli.options import tell

if TYPE_CHECKING:
    from puselect.search.progress import Step

LINE_SECONDS = 5.0
BAR_SECONDS = 0.1


@contextmanager
def search_progress(method: str, quiet: bool) -> Iterator[Callable[["Step"], None]]:
    """Give an observer of a search; methods without steps get a clock."""
    from puselect.search.progress import Throttle

    if quiet:
        yield lambda step: None
        return
    if not messages.is_terminal:
        due = Throttle(LINE_SECONDS)
        tell(f"{method}: working")
        yield lambda step: tell(f"{method}: {step}") if due() else None
        return
    columns = (SpinnerColumn(), TextColumn("{task.description}"), BarColumn(30), TextColumn("{task.fields[state]}"))
    with Progress(*columns, TimeElapsedColumn(), console=messages, transient=True) as bar:
        task = bar.add_task(method, total=None, state="[dim]starting (the first run compiles, about ten seconds)[/dim]")
        due = Throttle(BAR_SECONDS)

        def show(step: "Step") -> None:
            if due():
                done = max(step.number / step.max_iter, step.settled)
                bar.update(task, total=1.0, completed=done, state=state_of(step))

        yield show


def state_of(step: "Step") -> str:
    """Return where a search stands, short enough for a line of a terminal."""
    left = f" · at most {step.seconds_left:.0f} s left" if step.seconds_left < float("inf") else ""
    return f"step {step.number}/{step.max_iter} · objective {step.best:.4g} · {step.settled:.0%} settled{left}"


@contextmanager
def counted_progress(what: str, total: int, quiet: bool) -> Iterator[Callable[[str], None]]:
    """Give a function to call when one of `total` pieces is done, with the name of the piece."""
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
