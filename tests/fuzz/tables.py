"""Data and cost files of every format we read, damaged, and given to the reader."""

import datetime
import gzip
import json
import tempfile
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

import hypothesis.strategies as st
import numpy as np
import polars as pl
from damage import Draw, chance, damage_bytes, damage_tree, odd_value, to_bytes
from outcome import attempt, require
from reader import checked_error, read_elsewhere

from puselect.tables import TableError, TableSpec
from puselect.tables.loading import read_costs

FOLDER = Path(tempfile.mkdtemp(prefix="fuzz-tables-"))
WORDS = [
    "", "NA", "nan", "inf", "-inf", "1e400", "0x10", "1,5", "1.5.2", '"', '""', '"a,b"', "yes", "no", "true",
    "2020-01-01", "é", "\ufeff", " ", "9" * 400, "a" * 200, "1_000", "\t", "#", "=1+1", "\u2028",
]  # fmt: skip


@cache
def frame() -> Any:
    """Return a table with columns of many types."""
    rng = np.random.default_rng(0)
    n = 24
    return pl.DataFrame({
        "a": rng.normal(size=n), "b": rng.integers(0, 9, n), "c": rng.random(n) > 0.5, "d": [None, 1.5, 2.0] * 8,
        "text": ["x", "y", "z"] * 8, "day": [datetime.date(2020, 1, 1 + i) for i in range(n)],
        "span": [datetime.timedelta(hours=i) for i in range(n)], "constant": [1] * n, "empty": [None] * n,
        "list": [[1.5] * (i % 3) for i in range(n)], "pair": [{"a": i, "b": [None, "x"]} for i in range(n)],
        "label": (np.arange(n) < 6).astype(int),
    })  # fmt: skip


@cache
def files() -> dict[str, bytes]:
    """Return the table as the content of files of every format, by ending."""
    flat = frame().drop("span", "list", "pair")
    made: dict[str, Callable[[Path], Any]] = {
        ".csv": flat.write_csv, ".tsv": lambda path: flat.write_csv(path, separator="\t"),
        ".txt": lambda path: flat.write_csv(path, separator=";"), ".parquet": frame().write_parquet,
        ".arrow": frame().write_ipc, ".arrows": frame().write_ipc_stream,
        ".small.parquet": lambda path: frame().write_parquet(path, compression="uncompressed", row_group_size=7),
    }  # fmt: skip
    contents = {}
    for ending, write in made.items():
        write(FOLDER / f"whole{ending}")
        contents[ending] = (FOLDER / f"whole{ending}").read_bytes()
    contents[".csv.gz"] = gzip.compress(contents[".csv"])
    contents[".mac.csv"] = contents[".csv"].replace(b"\n", b"\r")
    contents[".dos.csv"] = contents[".csv"].replace(b"\n", b"\r\n")
    return contents


def spec(draw: Draw) -> TableSpec:
    """Draw what to read of a table."""
    some = st.lists(st.sampled_from(["a", "b", "text", "constant", "label", "zz"]), max_size=1).map(tuple)
    return TableSpec(
        draw(st.sampled_from(["label", "text", "zz", "c", "day", "a"])) if chance(draw, 6) else "label",
        draw(st.sampled_from(["1", "x", "true", ""])) if chance(draw, 6) else None,
        truth=draw(st.sampled_from([None, None, None, None, "c", "label"])),
        drop=draw(some) if chance(draw, 10) else (),
        keep=draw(some) if chance(draw, 10) else (),
        encode=draw(st.booleans()),
        max_categories=draw(st.sampled_from([20, 2, 100])),
        impute=draw(st.sampled_from([None, "median", "median", "median"])),
        max_rows=draw(st.sampled_from([None, None, None, 10, 3])),
        max_memory=draw(st.sampled_from([None, None, 1000, 10**6])),
    )


def example(draw: Draw) -> str:
    """Damage a file and read it."""
    if chance(draw, 5):
        return costs(draw)
    ending = draw(st.sampled_from(sorted(files())))
    content = files()[ending]
    kind = draw(st.sampled_from(["bytes", "bytes", "fields", "none"]))
    if kind == "fields" and ending in (".csv", ".tsv", ".txt", ".dos.csv"):
        content = damage_fields(draw, content)
    elif kind != "none":
        content = damage_bytes(draw, content)
    path = FOLDER / f"damaged{ending}"
    path.write_bytes(content)
    wanted = spec(draw)
    outcome = read_elsewhere(str(path), wanted)
    require(path.read_bytes() == content, "reading changed the file")
    return outcome


def damage_fields(draw: Draw, content: bytes) -> bytes:
    """Put odd words into some fields of a text table."""
    mark = next(mark for mark in ("\t", ";", ",") if mark in content.decode().splitlines()[0])
    lines = [line.split(mark) for line in content.decode().splitlines()]
    for _ in range(draw(st.integers(1, 4))):
        line = lines[draw(st.integers(0, len(lines) - 1))]
        line[draw(st.integers(0, len(line) - 1))] = draw(st.sampled_from(WORDS))
    return "\n".join(mark.join(line) for line in lines).encode()


def costs(draw: Draw) -> str:
    """Damage a file of costs and read it."""
    pairs = {"a": 1.0, "b": 2.5, "text": 1}
    kind = draw(st.sampled_from(["csv", "json", "csv.gz", "json.gz"]))
    content = "".join(f"{name},{cost}\n" for name, cost in [("feature", "cost"), *pairs.items()]).encode()
    if kind.startswith("json"):
        tree = draw(st.sampled_from([damage_tree(draw, pairs), odd_value(draw)]))
        content = to_bytes(tree) if draw(st.booleans()) else damage_bytes(draw, json.dumps(pairs).encode())
    if kind.endswith(".gz"):
        content = gzip.compress(content)
    path = FOLDER / f"costs.{kind}"
    path.write_bytes(damage_bytes(draw, content) if draw(st.booleans()) else content)
    found, error = attempt(lambda: read_costs(path), (TableError, OSError), deliberate=False)
    if error is not None:
        return checked_error(error)
    require(all(isinstance(cost, float) for cost in (found or {}).values()), f"costs {found}")
    return "costs"
