"""Tables in partitions that the workers of a Dask cluster read: rows travel, tables do not.

The only module of the package that knows Dask. A partition is an array, a data frame, or a promise of one of them.
"""

from collections.abc import Callable, Sequence
from functools import partial
from importlib import import_module
from types import ModuleType
from typing import Any, TypeVar
from uuid import uuid4

import numpy as np
from numpy.typing import ArrayLike

from puselect.arrays import AnyArray, BoolArray, FloatArray, IntArray
from puselect.fscpu.final_clusters import Candidates, known_rows
from puselect.fscpu.row_model import RowModel
from puselect.fscpu.settings import Settings
from puselect.labels import draw_rows, equal_to, labelled_positives, without_missing
from puselect.selectors.base import PUSelector, warn_of_few_labels

RETRIES = 3
SAMPLES_KEPT = 200  # steps' worth of rows that a sampled search brings here, once: 200,000 by default

T = TypeVar("T")


class PartitionedTable:
    """A table in partitions on the workers of a cluster.

    A worker that is lost costs time: its partitions are computed or read again by the others.
    """

    def __init__(self, client: Any, parts: Sequence[object]) -> None:
        self.client = client
        self.parts = list(parts)
        shapes = self.map(_shape)
        widths = {width for n_rows, width in shapes if n_rows}
        if len(widths) != 1:
            wrong = ", ".join(map(str, sorted(widths))) or "no rows at all"
            raise ValueError(f"all partitions must have the same columns, got {wrong}")
        self.ends = np.cumsum([n_rows for n_rows, _ in shapes])
        self.shape = int(self.ends[-1]), *widths

    def __len__(self) -> int:
        return self.shape[0]

    def map(self, function: Callable[..., T], *shared: object) -> list[T]:
        """Return ``function(*shared, part)`` of every partition, in order."""
        return map_parts(self.client, [(part,) for part in self.parts], function, *shared)

    def __getitem__(self, rows: IntArray) -> AnyArray:
        """Bring ascending rows here."""
        pieces = np.split(rows, np.searchsorted(rows, self.ends)[:-1])
        first = np.append(0, self.ends)
        wanted = [(self.parts[i], piece - first[i]) for i, piece in enumerate(pieces) if len(piece)]
        return np.concatenate(map_parts(self.client, wanted, _take))


def map_parts(
    client: Any, arguments: Sequence[tuple[object, ...]], function: Callable[..., T], *shared: object
) -> list[T]:
    """Return ``function(*shared, *each)`` of all arguments, partitions among them, computed by the workers."""
    from dask.delayed import delayed

    # A node of its own: one copy on its way to each worker, made again if that worker is lost.
    work = delayed(partial(function, *shared), name=f"work-{uuid4()}", traverse=False)
    try:
        return list(client.gather(client.compute([work(*each) for each in arguments], retries=RETRIES)))
    except Exception as error:
        if type(error).__name__ == "KilledWorker":
            raise MemoryError("every Dask worker that took a partition died; use smaller partitions") from error
        raise


def read_part(part: ArrayLike) -> AnyArray:
    """Return a partition as an array of finite numbers, or raise a ValueError; runs on a worker."""
    values = np.asarray(part)
    if values.dtype not in (np.float32, np.float64):
        values = values.astype(np.float64)
    if values.ndim != 2:
        raise ValueError(f"partitions must have rows and columns, got shape {values.shape}")
    if not np.isfinite(values).all():
        raise ValueError("X must hold finite numbers, got NaN or infinity in a partition")
    return values


def _shape(part: ArrayLike) -> tuple[int, int]:
    n_rows, n_columns = read_part(part).shape
    return n_rows, n_columns


def _take(part: ArrayLike, rows: IntArray) -> AnyArray:
    return read_part(part)[rows]


def _scores(model: RowModel, support: BoolArray, part: ArrayLike) -> FloatArray:
    return model.scores(read_part(part)[:, support])


def collection_parts(X: object) -> list[object] | None:
    """Return the partitions of a Dask DataFrame or Array, None for anything else."""
    if not hasattr(X, "__dask_graph__") or not hasattr(X, "to_delayed"):
        return None
    if getattr(X, "ndim", 0) == 2 and hasattr(X, "rechunk"):  # an array: all columns of some rows in each chunk
        X = X.rechunk({1: -1})
    parts = X.to_delayed()
    return list(parts.ravel()) if hasattr(parts, "ravel") else list(parts)


def load_distributed() -> ModuleType:
    """Return Dask's module of clusters, or raise an error that says what is missing."""
    try:
        return import_module("distributed")
    except ImportError as error:
        raise ImportError("a Dask cluster needs Dask: pip install 'dask[distributed]'") from error


def connected_client() -> Any:
    """Return the client of the cluster in use; raise a ValueError if there is none."""
    try:
        return load_distributed().get_client()
    except ValueError as error:
        raise ValueError("engine='dask' needs a cluster; create a distributed.Client first") from error


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


def remote_table(engine: str, X: object) -> PartitionedTable:
    """Return the table of a Dask collection, or of partitions."""
    if isinstance(X, PartitionedTable):
        return X
    parts = collection_parts(X)
    if parts is None:
        raise ValueError(f"engine='dask' needs a Dask DataFrame or Array, got {type(X).__name__}")
    if engine not in ("auto", "dask"):
        raise ValueError(f"X is a Dask collection, which needs engine='dask', got engine={engine!r}; or X.compute()")
    client = connected_client()
    check_workers(client)
    return PartitionedTable(client, parts)


def read_labels(table: PartitionedTable, y: ArrayLike, pos_label: object) -> BoolArray:
    """Return which rows are labelled; the workers look through the labels of a Dask collection."""
    parts = collection_parts(y)
    if parts is None:
        positive = labelled_positives(y, pos_label)
    else:
        positive = np.concatenate(map_parts(connected_client(), [(part,) for part in parts], _marked, pos_label))
        if positive.all() or not positive.any():
            raise ValueError(f"y must hold at least one labelled positive (y == {pos_label!r}) and one other row")
    if positive.shape != (len(table),):
        raise ValueError(f"y must hold one label for each of the {len(table)} rows of X, got shape {positive.shape}")
    return positive


def _marked(pos_label: object, y: ArrayLike) -> BoolArray:
    return equal_to(np.asarray(without_missing(y, pos_label)), pos_label)


def read_remote(
    selector: PUSelector, settings: Settings, X: object, y: ArrayLike, seed: int
) -> tuple[AnyArray, BoolArray]:
    """Return the rows to be searched, brought here once, and which of them are labelled.

    They are all rows, or, where a search samples rows at each step, the labelled ones and `SAMPLES_KEPT` times as many
    random others as a step uses.
    """
    table = remote_table(settings.engine, X)
    selector.fit_settings_ = selector.get_params(deep=False)
    selector.medians_ = None
    if min(table.shape) < 2:
        raise ValueError(f"X must have at least 2 rows and 2 columns, got {table.shape}")
    positive = read_labels(table, y, selector.pos_label)
    warn_of_few_labels(int(positive.sum()))
    selector.n_features_in_ = table.shape[1]
    selector.__dict__.pop("feature_names_in_", None)  # of an earlier fit
    names = getattr(X, "columns", None)
    if names is not None and all(isinstance(name, str) for name in names):
        selector.feature_names_in_ = np.asarray(names, dtype=object)
    rows, max_samples = np.arange(len(table)), settings.rows_per_step(len(table))
    if max_samples is not None and SAMPLES_KEPT * max_samples < len(table):
        rows = np.sort(draw_rows(positive, np.random.default_rng(seed), max_others=SAMPLES_KEPT * max_samples))
    return table[rows], positive[rows]


def remote_candidates(
    model: RowModel, X: object, support: BoolArray, y: ArrayLike | None, pos_label: object
) -> Candidates:
    """Return the candidates of all partitions; see `RowModel.candidates`."""
    table = remote_table("auto", X)
    score = np.concatenate(table.map(_scores, model, support))
    return model.likeliest(score, None if y is None else known_rows(y, pos_label, len(table)))
