"""Data files of every format we read, damaged, and given to the reader."""

import datetime
import gzip
import tempfile
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

import hypothesis.strategies as st
import numpy as np
import polars as pl
from damage import Draw, chance, damage_bytes
from outcome import attempt, require

from puselect.cli.application import one_line
from puselect.report.findings import note_lines
from puselect.tables.errors import TableError
from puselect.tables.loading import TableSpec, load_table

FOLDER = Path(tempfile.mkdtemp(prefix="fuzz-tables-"))
SEPARATORS = {".csv": ",", ".tsv": "\t", ".txt": ";", ".dos.csv": ","}
WORDS = [
    "", "NA", "nan", "inf", "-inf", "1e400", "0x10", "1,5", "1.5.2", '"', '""', '"a,b"', "yes", "no", "true",
    "2020-01-01", "é", "\ufeff", " ", "9" * 400, "a" * 200, "1_000", "\t", "#", "=1+1", "\u2028",
]  # fmt: skip


@cache
def files() -> dict[str, bytes]:
    """Return a table with columns of many types as the content of files of every format, by ending."""
    rng = np.random.default_rng(0)
    n = 24
    frame = pl.DataFrame({
        "a": rng.normal(size=n), "b": rng.integers(0, 9, n), "c": rng.random(n) > 0.5, "d": [None, 1.5, 2.0] * 8,
        "text": ["x", "y", "z"] * 8, "day": [datetime.date(2020, 1, 1 + i) for i in range(n)],
        "span": [datetime.timedelta(hours=i) for i in range(n)], "constant": [1] * n, "empty": [None] * n,
        "list": [[1.5] * (i % 3) for i in range(n)], "pair": [{"a": i, "b": [None, "x"]} for i in range(n)],
        "label": (np.arange(n) < 6).astype(int),
    })  # fmt: skip
    flat = frame.drop("span", "list", "pair")
    made: dict[str, Callable[[Path], Any]] = {
        ".csv": flat.write_csv, ".tsv": lambda path: flat.write_csv(path, separator="\t"),
        ".txt": lambda path: flat.write_csv(path, separator=";"), ".parquet": frame.write_parquet,
        ".arrow": frame.write_ipc, ".arrows": frame.write_ipc_stream,
        ".small.parquet": lambda path: frame.write_parquet(path, compression="uncompressed", row_group_size=7),
    }  # fmt: skip
    for ending, write in made.items():
        write(FOLDER / f"whole{ending}")
    contents = {ending: (FOLDER / f"whole{ending}").read_bytes() for ending in made}
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
        prepare=draw(st.booleans()),
        max_categories=draw(st.sampled_from([20, 2, 100])),
        max_rows=draw(st.sampled_from([None, None, None, 10, 3])),
        max_memory=draw(st.sampled_from([None, None, 1000, 10**6])),
    )


def example(draw: Draw) -> str:
    """Damage a file and read it."""
    ending = draw(st.sampled_from(sorted(files())))
    content = files()[ending]
    kind = draw(st.sampled_from(["bytes", "bytes", "fields", "none"]))
    if kind == "fields" and ending in SEPARATORS:
        content = damage_fields(draw, content.decode(), SEPARATORS[ending])
    elif kind != "none":
        content = damage_bytes(draw, content)
    path, wanted = FOLDER / f"damaged{ending}", spec(draw)
    path.write_bytes(content)
    loaded, error = attempt(lambda: load_table(str(path), wanted), (TableError, OSError), deliberate=False)
    require(path.read_bytes() == content, "reading changed the file")
    if error is None:
        check_table(loaded)
        return "table"
    text, _ = attempt(lambda: one_line(error), ())
    require(text and "\n" not in text and "this is a bug" not in text, f"in words: {text!r}")
    require(len(text or "") < 2000, f"a message of {len(text or '')} characters")
    return "clear error"


def damage_fields(draw: Draw, text: str, separator: str) -> bytes:
    """Put odd words into some fields of a text table."""
    lines = [line.split(separator) for line in text.splitlines()]
    for _ in range(draw(st.integers(1, 4))):
        line = lines[draw(st.integers(0, len(lines) - 1))]
        line[draw(st.integers(0, len(line) - 1))] = draw(st.sampled_from(WORDS))
    return "\n".join(separator.join(line) for line in lines).encode()


def check_table(loaded: Any) -> None:
    """Check that selectors can work on a table."""
    values = loaded.X.to_numpy()
    require(values.dtype == np.float64 and np.isfinite(values).all(), "values that are not finite")
    require(values.shape[1] >= 2 and len(loaded.y) == len(values) == len(loaded.rows.names), f"shape {values.shape}")
    require(set(np.unique(loaded.y)) == {0, 1}, f"labels {np.unique(loaded.y)}")
    require(len(set(loaded.names)) == len(loaded.names) == len(loaded.sources), "names")
    attempt(lambda: note_lines(loaded.notes), ())
    with (FOLDER / "written.csv").open("wb") as file:
        attempt(lambda: loaded.write(np.ones(values.shape[1], dtype=bool), file, ".csv"), (OSError,), deliberate=False)
