"""Partitions on the workers of a Dask cluster. The only module of the package that knows Dask's collections."""

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from importlib import import_module
from types import ModuleType
from typing import Any, NamedTuple
from uuid import uuid4

from numpy.typing import ArrayLike

from puselect.clustering.dask.partitions import Arguments, Arrays, OwnArguments, T, added, read_part

RETRIES = 3
ADDED_AT_ONCE = 8  # results that wait on a worker to be added up
SECONDS_TO_CONNECT = 10


class DaskPartitions:
    """Partitions, promised or in files, that stay on the workers of a cluster.

    A worker that is lost costs time: its partitions are computed or read again by the others.
    """

    def __init__(self, client: Any, parts: Sequence[object]) -> None:
        self.client = client
        self.parts = list(parts)

    def map(self, function: Callable[..., T], shared: Arguments = (), own: OwnArguments | None = None) -> list[T]:
        """Return ``function(X, *shared, *own[i])`` of the partitions i in `own`, in order; of all by default."""
        return self._computed(self._tasks(function, shared, own))

    def map_values(self, function: Callable[..., T], shared: Arguments) -> list[T]:
        """Return ``function(part, *shared)`` of every partition as it is, such as labels of any kind."""
        from dask.delayed import delayed

        return self._computed([delayed(function, pure=False)(part, *shared) for part in self.parts])

    def total(
        self, function: Callable[..., Arrays], shared: Arguments = (), own: OwnArguments | None = None
    ) -> Arrays:
        """Return the sum of the results of `map`, added up by the workers in an order that does not change."""
        from dask.delayed import delayed

        tasks = self._tasks(function, shared, own)
        while len(tasks) > 1:
            groups = (tasks[i : i + ADDED_AT_ONCE] for i in range(0, len(tasks), ADDED_AT_ONCE))
            tasks = [delayed(added, pure=False)(group) for group in groups]
        (result,) = self._computed(tasks)
        return tuple(result)

    def _tasks(self, function: Callable[..., object], shared: Arguments, own: OwnArguments | None) -> list[object]:
        from dask.delayed import delayed

        # A node of its own: one copy on its way to each worker, made again if that worker is lost.
        common = delayed(_Shared(function, shared), name=f"shared-{uuid4()}", traverse=False)
        chosen = dict.fromkeys(range(len(self.parts)), ()) if own is None else own
        return [delayed(_apply, pure=False)(common, self.parts[i], each) for i, each in chosen.items()]

    def _computed(self, tasks: list[object]) -> list[Any]:
        futures = self.client.compute(tasks, retries=RETRIES)
        with _named_errors():
            return list(self.client.gather(futures))


class _Shared(NamedTuple):
    """A function and the arguments that all partitions share."""

    function: Callable[..., object]
    arguments: Arguments


def collection_parts(X: object) -> list[object] | None:
    """Return the partitions of a Dask DataFrame or Array, None for anything else."""
    if not hasattr(X, "__dask_graph__") or not hasattr(X, "to_delayed"):
        return None
    if hasattr(X, "rechunk") and hasattr(X, "ndim"):  # an array: all columns of some rows in each chunk
        X = X.rechunk({1: -1}) if X.ndim == 2 else X
    parts = X.to_delayed()
    return list(parts.ravel()) if hasattr(parts, "ravel") else list(parts)


def load_distributed() -> ModuleType:
    """Return Dask's module of clusters, or raise an error that says what is missing."""
    try:
        return import_module("distributed")
    except ImportError as error:
        raise ImportError("a Dask cluster needs Dask: pip install 'dask[distributed]'") from error


def connected_client(address: str | None = None) -> Any:
    """Return a client of the cluster at an address, or the one in use; raise a ValueError if there is none."""
    distributed = load_distributed()
    if address is None:
        try:
            return distributed.get_client()
        except ValueError as error:
            raise ValueError("engine='dask' needs a cluster; create a distributed.Client first") from error
    try:
        return distributed.Client(address, timeout=SECONDS_TO_CONNECT, set_as_default=False)
    except OSError as error:
        raise ValueError(f"no Dask scheduler answers at {address!r}") from error


def check_workers(client: Any) -> None:
    """Raise a ValueError if there is no worker, or one without this package."""

    def has_package() -> bool:  # defined here, so that it travels as code: a worker may lack this module
        import importlib.util

        return importlib.util.find_spec("puselect") is not None

    found = client.run(has_package)
    if not found:
        raise ValueError("the Dask cluster has no workers")
    lacking = [address for address, has in found.items() if has is not True]
    if lacking:
        raise ValueError(f"every Dask worker needs puselect installed, got none at {', '.join(lacking[:3])}")


def _apply(shared: _Shared, part: ArrayLike, own: Arguments) -> object:
    """Run on a worker: read a partition and apply a function to it."""
    return shared.function(read_part(part), *shared.arguments, *own)


@contextmanager
def _named_errors() -> Iterator[None]:
    """Turn the error of a cluster that lost all who could compute a partition into one sentence."""
    try:
        yield
    except Exception as error:
        if type(error).__name__ == "KilledWorker":
            raise MemoryError("every Dask worker that took a partition died; use smaller partitions") from error
        raise
