"""The command line in this process: options and values in and out of place."""

import contextlib
import io
import os
import sys
import tempfile
from functools import cache
from pathlib import Path
from typing import Any
from unittest.mock import patch

import hypothesis.strategies as st
import numpy as np
import polars as pl
from damage import Draw, chance
from outcome import attempt, require

from puselect.cli.application import app

FOLDER = Path(tempfile.mkdtemp(prefix="fuzz-command-"))
OPTIONS: dict[str, list[Any]] = {
    "-k": [1, 2, 3, 9, 0, -1, "x", ""], "--positive": [1, "1", "yes", "", "2"], "--encode": [None],
    "--drop": ["c0", "c0,c1", "", "zz", "label"], "--keep": ["c1", "zz", "label", "c1,c1"], "--impute": ["median", "x"],
    "--max-categories": [2, 0, -1, 99], "--max-rows": [2, 12, 30, 0, -3], "--max-memory": ["1G", "1", "0", "x", "1K"],
    "--budget": [2, 0, -1, "nan", "inf", 1e-9], "--costs": ["costs.csv", "costs.json", "missing.csv", "."],
    "--method": ["kbest", "lasso", "mrmr", "semi-jmi", "nope", ""], "--seed": [0, 1, -1, 2**40, "x"],
    "--engine": ["cpu", "reference", "auto", "x"], "-j": [1], "--jobs": [1, 2, 0, "x"],
    "--checkpoint": ["point", ".", "missing/point"], "--max-iter": [1, 2, 3, 0], "--yes": [None], "--quiet": [None],
    "--json": [None], "-o": ["out.json", ".", "missing/out.json", "table.csv", "costs.csv"], "--shuffles": [1, 0],
    "--data-out": ["out.csv", "out.parquet", "out.xyz", "out.csv.gz", "table.csv"], "--nonsense": [None, 1],
    "--report": ["out.html", "out.json"],
}  # fmt: skip
TABLES = ["table.csv", "table.parquet", "text.csv", "holes.csv", "missing.csv", ".", "costs.json", "wide.csv"]


def run_command(*words: Any) -> tuple[int, str, str]:
    """Run the command line here; return its exit code, output and messages."""
    output, messages = io.StringIO(), io.StringIO()
    line = [str(word) for word in words]
    code: Any = 0
    streams = contextlib.redirect_stdout(output), contextlib.redirect_stderr(messages)
    with streams[0], streams[1], patch.object(sys, "argv", ["puselect", *line]):
        try:
            app(line, prog_name="puselect")
        except SystemExit as end:
            code = end.code
    return code, output.getvalue(), messages.getvalue()


def prepare() -> None:
    """Write the files that commands read; a command may have written over one that it did not read."""
    contents = files()
    for path in FOLDER.iterdir():
        path.unlink()
    for name, content in contents.items():
        (FOLDER / name).write_bytes(content)


@cache
def files() -> dict[str, bytes]:
    """Return tables and costs by name."""
    rng = np.random.default_rng(0)
    y = np.arange(30) < 8
    columns: dict[str, Any] = {f"c{i}": rng.normal(size=30) + 3 * y * (i < 2) for i in range(4)}
    frame = pl.DataFrame({**columns, "label": y.astype(int)})
    frame.write_csv(FOLDER / "table.csv")
    frame.write_parquet(FOLDER / "table.parquet")
    frame.with_columns(t=pl.Series(["a", "b", "c"] * 10)).write_csv(FOLDER / "text.csv")
    frame.with_columns(c3=pl.when(pl.col("c3") > 0).then(pl.col("c3"))).write_csv(FOLDER / "holes.csv")
    frame.head(10).with_columns(*(pl.Series(f"w{i}", rng.random(10)) for i in range(40))).write_csv(FOLDER / "wide.csv")
    pl.DataFrame({"feature": list(columns), "cost": [1.0, 2, 1, 1]}).write_csv(FOLDER / "costs.csv")
    (FOLDER / "costs.json").write_text('{"c0": 1, "c1": 1, "c2": 2, "c3": 1}')
    return {path.name: path.read_bytes() for path in FOLDER.iterdir()}


def example(draw: Draw) -> str:
    """Run `select` with a handful of options."""
    prepare()
    os.chdir(FOLDER)
    words: list[Any] = ["select", draw(st.sampled_from(TABLES if chance(draw, 4) else TABLES[:4]))]
    words += ["--label", draw(st.sampled_from(["label", "label", "label", "label", "label", "c0", "zz"]))]
    for option in draw(st.lists(st.sampled_from(sorted(OPTIONS)), max_size=6, unique=True)):
        value = draw(st.sampled_from(OPTIONS[option]))
        words += [option] if value is None else [option, value]
    if "--max-iter" not in words and not {"kbest", "lasso", "mrmr", "semi-jmi"} & set(map(str, words)):
        words += ["--max-iter", 2]
    inputs = {path: path.read_bytes() for path in (FOLDER / words[1], FOLDER / "costs.csv") if path.is_file()}
    ended, _ = attempt(lambda: run_command(*words), ())
    changed = [path.name for path, content in inputs.items() if path.read_bytes() != content]
    require(not changed or ("--costs" not in words and changed == ["costs.csv"]), f"{changed} changed: {words}")
    scratch = list(FOLDER.glob(".*.part"))
    require(not scratch, f"scratch files are left: {scratch}")
    return judge(ended, words)


def judge(ended: tuple[int, str, str] | None, words: Any) -> str:
    """Check the end of a command: success, or one line that says what is wrong."""
    require(ended is not None, "no end")
    code, _, messages = ended or (1, "", "")
    require(code in (0, 1, 2), f"{words} exits with {code}: {messages}")
    require("this is a bug" not in messages and "Traceback" not in messages, f"{words}: {messages}")
    if code:
        errors = [line for line in messages.splitlines() if line.startswith("error: ")]
        require(len(errors) == 1 and len(errors[0]) > 12, f"{words} exits with {code} and says: {messages!r}")
        require(messages.rstrip().endswith(errors[0]), f"{words} goes on after the error: {messages!r}")
        return "clear error"
    return "answer"
