"""How much memory something needs."""

import os
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

MEGABYTE = 2**20


def resident() -> float:
    """Return the memory of this process in megabytes."""
    return int(Path("/proc/self/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE") / MEGABYTE


@contextmanager
def peak_memory() -> Iterator[list[float]]:
    """Give a list that holds, in the end, how much memory was needed beyond what there was at the beginning."""
    before, seen, stop = resident(), [0.0], threading.Event()

    def watch() -> None:
        while not stop.wait(0.005):
            seen[0] = max(seen[0], resident() - before)

    thread = threading.Thread(target=watch)
    thread.start()
    try:
        yield seen
    finally:
        stop.set()
        thread.join()
