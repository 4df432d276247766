"""Progress on standard error: a bar on a terminal, otherwise a line every two seconds, later less often."""

import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from rich.progress import BarColumn, Progress, SpinnerColumn, TextColumn, TimeElapsedColumn

from puselect.cli.application import messages, printable, told_at
from puselect.cli.options import tell
from puselect.phrases import duration

if TYPE_CHECKING:
    from puselect.search.progress import Step

LINE_SECONDS, LINE_SHARE = 2.0, 0.1  # between lines, at least, and as a share of the time so far


@contextmanager
def working(what: str) -> Iterator[Callable[[str, float], None]]:
    """Say what is being done while this block runs; give a function to call with its state and the share done."""
    if messages.quiet:
        yield lambda state, share: None
    elif messages.is_terminal:
        words = [TextColumn(text, markup=False) for text in ("{task.description}", "{task.fields[state]}")]
        columns = (SpinnerColumn(), words[0], BarColumn(30), words[1], TimeElapsedColumn())
        with Progress(*columns, console=messages, transient=True) as bar:
            task = bar.add_task(printable(what), total=None, state="")
            yield lambda state, share: bar.update(task, total=1.0, completed=share, state=printable(state))
    else:
        begin, states, is_over = time.monotonic(), [""], threading.Event()

        def beat() -> None:
            while not is_over.wait(0.1):
                now = time.monotonic()
                if now - told_at[0] >= max(LINE_SECONDS, LINE_SHARE * (now - begin)):
                    tell(f"{what} ({states[0] or duration(now - begin)})")

        thread = threading.Thread(target=beat, daemon=True)
        thread.start()
        try:
            yield lambda state, share: states.__setitem__(0, state)
        finally:
            is_over.set()
            thread.join()


def state_of(step: "Step") -> str:
    """Return the state of a search, short enough for a line of a terminal."""
    left = f" · about {duration(step.seconds_left)} left" if step.seconds_left < float("inf") else ""
    steps = f"{step.number}" if step.is_limited else f"{step.number}/{step.max_iter}"
    end = " · finishing" if step.number == step.max_iter else left
    return f"step {steps} · objective {step.best:.4g} · {step.settled:.0%} decided{end}"
