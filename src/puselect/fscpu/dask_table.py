"""Tables that are not in this process: Dask's collections, read by their workers."""

import numpy as np
from numpy.typing import ArrayLike

from puselect.arrays import AnyArray, BoolArray, FloatArray, IntArray
from puselect.clustering.dask.collections import DaskPartitions, check_workers, collection_parts, connected_client
from puselect.clustering.dask.partitions import PartitionedTable
from puselect.fscpu.final_clusters import Candidates, known_rows
from puselect.fscpu.row_model import RowModel
from puselect.fscpu.settings import Settings
from puselect.labels import draw_rows, equal_to, labelled_positives, without_missing
from puselect.selectors.base import PUSelector, warn_of_few_labels

SAMPLES_KEPT = 200  # steps' worth of rows that a sampled search brings here, once: 200,000 by default
SHOWN = 10  # labels of a partition that an error may name


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
    return PartitionedTable.of(DaskPartitions(client, parts))


def read_labels(table: PartitionedTable, y: ArrayLike, pos_label: object) -> BoolArray:
    """Return which rows are labelled; raise a ValueError if the labels do not go with the rows."""
    parts = collection_parts(y)
    if parts is not None:
        return _collect_labels(table, parts, pos_label)
    labels = np.asarray(without_missing(y, pos_label))
    if len(labels) != len(table):
        raise ValueError(f"y must hold one label for each of the {len(table)} rows of X, got {len(labels)}")
    return labelled_positives(labels, pos_label)


def _collect_labels(table: PartitionedTable, parts: list[object], pos_label: object) -> BoolArray:
    """Return which rows are labelled; the workers look through the labels and send the numbers of those rows."""
    found = DaskPartitions(connected_client(), parts).map_values(_labelled_rows, (pos_label,))
    if [n_rows for n_rows, _, _ in found] != table.lengths.tolist():
        raise ValueError("y must have the partitions of X: as many, with as many rows each")
    positive = np.zeros(len(table), dtype=bool)
    for first, (_, rows, _) in zip(table.ends - table.lengths, found, strict=True):
        positive[first + rows] = True
    if positive.all() or not positive.any():
        labelled_positives(np.concatenate([some for _, _, some in found]), pos_label)  # raises the error
    return positive


def _labelled_rows(y: ArrayLike, pos_label: object) -> tuple[int, IntArray, AnyArray]:
    """Return how many labels a partition has, which of them are positive, and the first few of them."""
    labels = np.asarray(without_missing(y, pos_label))
    if labels.ndim != 1:
        raise ValueError(f"y must be one-dimensional, one label per row, got shape {labels.shape}")
    return len(labels), np.flatnonzero(equal_to(labels, pos_label)), np.asarray(y)[:SHOWN]


def read_remote(
    selector: PUSelector, settings: Settings, X: object, y: ArrayLike, seed: int
) -> tuple[AnyArray | PartitionedTable, BoolArray]:
    """Return the table or some of its rows, to be searched, and which rows are labelled.

    A search that samples rows at each step takes them from the labelled ones and `SAMPLES_KEPT` times as many random
    others as a step uses, which are brought here once.
    """
    table = remote_table(settings.engine, X)
    selector.fit_settings_ = selector.get_params(deep=False)
    selector.medians_ = None
    if table.n_columns < 2 or len(table) < 2:
        raise ValueError(f"X must have at least 2 rows and 2 columns, got {table.shape}")
    positive = read_labels(table, y, selector.pos_label)
    warn_of_few_labels(int(positive.sum()))
    selector.n_features_in_ = table.n_columns
    selector.__dict__.pop("feature_names_in_", None)  # of an earlier fit
    names = getattr(X, "columns", None)
    if names is not None and all(isinstance(name, str) for name in names):
        selector.feature_names_in_ = np.asarray(names, dtype=object)
    max_samples = settings.rows_per_step(len(table))
    if max_samples is None:
        return table, positive
    if SAMPLES_KEPT * max_samples >= len(table):
        return table[np.arange(len(table))], positive
    rows = np.sort(draw_rows(positive, np.random.default_rng(seed), max_others=SAMPLES_KEPT * max_samples))
    return table[rows], positive[rows]


def remote_candidates(
    model: RowModel, X: object, support: BoolArray, y: ArrayLike | None, pos_label: object
) -> Candidates:
    """Return the candidates of all partitions; see `RowModel.candidates`."""
    table = remote_table("auto", X)
    score = np.concatenate(table.map_rows(_scores, model, support))
    return model.likeliest(score, None if y is None else known_rows(y, pos_label, len(table)))


def _scores(X: AnyArray, model: RowModel, support: BoolArray) -> FloatArray:
    return model.scores(X[:, support])
