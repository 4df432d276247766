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
    "--report": ["out.html", "out.json"], "--prepare": [None], "--use": ["c0", "zz", "t"], "--id": ["t", "c0", "zz"],
    "--missing": ["0,9", "x", "", "nan"], "--drop-duplicates": [0.9, 0, 1, "x"], "--max-false": [0.1, 0, 1, -1, "x"],
    "--max-time": [1, "1s", "1h", 0, "x"], "--searches": [2, 3, 0, "x"], "--suitability": [None],
    "--candidates": ["found.csv", "table.csv", "missing/found.csv"], "--methods": ["kbest,lepage", "lasso", "nope", ""],
    "--splits": [2, 3, 0, 99], "--model": ["logistic", "knn", "x"], "--truth": ["c0", "label", "zz"], "--debug": [None],
}  # fmt: skip
COMMANDS = {
    "select": sorted(set(OPTIONS) - {"--methods", "--splits", "--model", "--truth", "--debug"}),
    "check": [
        "-k", "--positive", "--encode", "--drop", "--impute", "--max-categories", "--max-rows", "--max-memory",
        "--seed", "--shuffles", "--json", "--nonsense",
    ],
    "compare": [
        "-k", "--methods", "--positive", "--truth", "--drop", "--prepare", "--use", "--id", "--missing", "--impute",
        "--drop-duplicates", "--encode", "--max-rows", "--splits", "--model", "-o", "--report", "--quiet", "--json",
    ],
    "apply": ["--id", "-o", "--quiet", "--nonsense"],
}  # fmt: skip
RESULTS = ["prepared.json", "plain.json", "kbest.json", "compared.json", "missing.json", "costs.json", "table.csv"]
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
    search = ["-k", 2, "--max-iter", 2, "--label", "label", "-o"]
    results = {
        "prepared.json": ["select", FOLDER / "text.csv", "--prepare", "--use", "t", *search],
        "plain.json": ["select", FOLDER / "table.csv", *search],
        "kbest.json": ["select", FOLDER / "table.csv", "--method", "kbest", "-k", 2, "--label", "label", "-o"],
        "compared.json": ["compare", FOLDER / "table.csv", "-k", 2, "--methods", "kbest", "--splits", 2, "--label",
                          "label", "-o"],
    }  # fmt: skip
    for name, words in results.items():
        code, _, messages = run_command(*words, FOLDER / name)
        require(code == 0, f"{words} fails: {messages}")
    return {path.name: path.read_bytes() for path in FOLDER.iterdir()}


def example(draw: Draw) -> str:
    """Run a command with a handful of options."""
    prepare()
    os.chdir(FOLDER)
    name = draw(st.sampled_from(["select"] * 6 + ["check", "compare", "apply", "apply"]))
    words = line(draw, name)
    given = {*words[1 : 3 if name == "apply" else 2], *(["costs.csv", "costs.json"] if "--costs" in words else [])}
    inputs = {FOLDER / word: content for word, content in files().items() if word in given}
    ended, _ = attempt(lambda: run_command(*words), ())
    changed = [path.name for path, content in inputs.items() if path.read_bytes() != content]
    require(not changed, f"{changed} changed: {words}")
    scratch = list(FOLDER.glob(".*.part"))
    require(not scratch, f"scratch files are left: {scratch}")
    return f"{name}: {judge(ended, words)}"


def line(draw: Draw, name: str) -> list[Any]:
    """Draw the words of a command."""
    words: list[Any] = [name]
    if name == "apply":
        words.append(draw(st.sampled_from(RESULTS if chance(draw, 4) else RESULTS[:2])))
    words.append(draw(st.sampled_from(TABLES if chance(draw, 4) else TABLES[:4])))
    if name != "apply":
        words += ["--label", draw(st.sampled_from(["label", "label", "label", "label", "label", "c0", "zz"]))]
    for option in draw(st.lists(st.sampled_from(COMMANDS[name]), max_size=6, unique=True)):
        value = draw(st.sampled_from(OPTIONS[option]))
        words += [option] if value is None else [option, value]
    quick = {
        "select": [] if {"kbest", "lasso", "mrmr", "semi-jmi"} & set(map(str, words)) else ["--max-iter", 2],
        "check": ["--shuffles", 1, "--jobs", 1], "compare": ["--methods", "kbest", "--splits", 2, "--jobs", 1],
    }  # fmt: skip
    for option, value in zip(*[iter(quick.get(name, []))] * 2, strict=True):
        words += [] if option in words else [option, value]
    return words


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
