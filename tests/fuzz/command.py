"""The command line in this process: options and values in and out of place, damaged results and costs."""

import contextlib
import io
import json
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
import typer
from damage import Draw, chance, damage_bytes, damage_tree, to_bytes
from outcome import attempt, require

from puselect.cli.application import app

FOLDER = Path(tempfile.mkdtemp(prefix="fuzz-command-"))
OPTIONS: dict[str, list[Any]] = {
    "-k": [1, 2, 3, 9, 0, -1, "x", ""], "--positive": [1, "1", "yes", "", "2"],
    "--drop": ["c0", "c0,c1", "", "zz", "label"], "--keep": ["c1", "zz", "label", "c1,c1"],
    "--max-categories": [2, 0, -1, 99], "--max-rows": [2, 12, 30, 0, -3], "--max-memory": ["1G", "1", "0", "x", "1K"],
    "--budget": [2, 0, -1, "nan", "inf", 1e-9], "--costs": ["costs.csv", "costs.json", "missing.csv", "."],
    "--method": ["kbest", "lasso", "mrmr", "semi-jmi", "nope", ""], "--seed": [0, 1, -1, 2**40, "x"],
    "--engine": ["cpu", "reference", "auto", "x"], "--jobs": [1, 2, 0, "x"], "--max-iter": [1, 2, 3, 0],
    "--checkpoint": ["point", ".", "missing/point"], "--quiet": [None], "--json": [None],
    "-o": ["out.json", ".", "missing/out.json", "table.csv", "costs.csv"], "--shuffles": [19, 0],
    "--data-out": ["out.csv", "out.parquet", "out.xyz", "out.csv.gz", "table.csv"], "--nonsense": [None, 1],
    "--report": ["out.html", "out.json"], "--prepare": [None], "--use": ["c0", "zz", "t"], "--id": ["t", "c0", "zz"],
    "--missing": ["0,9", "x", "", "nan"], "--drop-duplicates": [0.9, 0, 1, "x"], "--max-false": [0.1, 0, 1, -1, "x"],
    "--max-time": [1, "1s", "1h", 0, "x"], "--searches": [2, 3, 0, "x"], "--no-checks": [None],
    "--candidates": ["found.csv", "table.csv", "missing/found.csv"], "--methods": ["kbest,lepage", "lasso", "nope", ""],
    "--splits": [2, 3, 0, 99], "--model": ["logistic", "knn", "x"], "--truth": ["c0", "label", "zz"],
}  # fmt: skip
RESULTS = ["prepared.json", "plain.json", "kbest.json", "compared.json"]
TABLES = ["table.csv", "table.parquet", "text.csv", "holes.csv", "missing.csv", ".", "costs.json", "wide.csv"]
QUICK: dict[str, list[Any]] = {
    "select": ["--max-iter", 2], "check": ["--shuffles", 19], "compare": ["--methods", "kbest", "--splits", 2],
}  # fmt: skip


@cache
def options_of(name: str) -> list[str]:
    """Return the options of a command, and one that it does not have."""
    known = {word for parameter in typer.main.get_command(app).commands[name].params for word in parameter.opts}
    return sorted(known & set(OPTIONS) | {"--nonsense"})


def run_command(*words: Any) -> tuple[int, str]:
    """Run the command line here; return its exit code and messages."""
    messages = io.StringIO()
    line = [str(word) for word in words]
    with (
        contextlib.redirect_stdout(io.StringIO()),
        contextlib.redirect_stderr(messages),
        patch.object(sys, "argv", ["puselect", *line]),
    ):
        try:
            app(line, prog_name="puselect")
        except SystemExit as end:
            return end.code or 0, messages.getvalue()
    return 0, messages.getvalue()


@cache
def files() -> dict[str, bytes]:
    """Return tables, costs and results by name."""
    os.chdir(FOLDER)
    rng = np.random.default_rng(0)
    y = np.arange(30) < 8
    columns: dict[str, Any] = {f"c{i}": rng.normal(size=30) + 3 * y * (i < 2) for i in range(4)}
    frame = pl.DataFrame({**columns, "label": y.astype(int)})
    frame.write_csv("table.csv")
    frame.write_parquet("table.parquet")
    frame.with_columns(t=pl.Series(["a", "b", "c"] * 10)).write_csv("text.csv")
    frame.with_columns(c3=pl.when(pl.col("c3") > 0).then(pl.col("c3"))).write_csv("holes.csv")
    frame.head(10).with_columns(*(pl.Series(f"w{i}", rng.random(10)) for i in range(40))).write_csv("wide.csv")
    pl.DataFrame({"feature": list(columns), "cost": [1.0, 2, 1, 1]}).write_csv("costs.csv")
    Path("costs.json").write_text('{"c0": 1, "c1": 1, "c2": 2, "c3": 1}')
    lines = [
        "select text.csv --prepare --use t -k 2 --max-iter 2 --searches 2 -o prepared.json",
        "select table.csv --budget 2 --costs costs.csv --max-iter 2 --shuffles 19 -o plain.json",
        "select table.csv --method kbest -k 2 -o kbest.json",
        "compare table.csv -k 2 --methods kbest,lasso --splits 2 --jobs 1 -o compared.json",
    ]
    for line in lines:
        code, messages = run_command(*line.split(), "--label", "label")
        require(code == 0, f"{line} fails: {messages}")
    return {path.name: path.read_bytes() for path in FOLDER.iterdir()}


def example(draw: Draw) -> str:
    """Run a command with a handful of options; it does not change the files it reads."""
    contents = dict(files())
    if draw(st.booleans()):
        name = draw(st.sampled_from([*RESULTS, "costs.json"]))
        tree = damage_tree(draw, json.loads(contents[name]))
        contents[name] = damage_bytes(draw, contents[name]) if chance(draw, 4) else to_bytes(tree)
    for path in FOLDER.iterdir():  # a command may have written over a file that it did not read
        path.unlink()
    for name, content in contents.items():
        (FOLDER / name).write_bytes(content)
    name = draw(st.sampled_from(["select"] * 6 + ["check", "compare", "apply", "apply", "apply", "report", "report"]))
    words = line(draw, name)
    given = {*words[1 : 3 if name == "apply" else 2], *(["costs.csv", "costs.json"] if "--costs" in words else [])}
    ended, _ = attempt(lambda: run_command(*words), ())
    changed = [name for name, content in contents.items() if name in given and Path(name).read_bytes() != content]
    require(not changed, f"{changed} changed: {words}")
    scratch = list(FOLDER.glob(".*.part"))
    require(not scratch, f"scratch files are left: {scratch}")
    return f"{name}: {judge(*(ended or (1, '')), words)}"


def line(draw: Draw, name: str) -> list[Any]:
    """Draw the words of a command."""
    words: list[Any] = [name]
    if name in ("apply", "report"):
        words.append(draw(st.sampled_from([*RESULTS, "missing.json", "costs.json"])))
    if name != "report":
        words.append(draw(st.sampled_from(TABLES if chance(draw, 4) else TABLES[:4])))
    if name not in ("apply", "report"):
        words += ["--label", draw(st.sampled_from(["label", "label", "label", "label", "label", "c0", "zz"]))]
    for option in draw(st.lists(st.sampled_from(options_of(name)), max_size=6, unique=True)):
        value = draw(st.sampled_from(OPTIONS[option]))
        words += [option] if value is None else [option, value]
    if name == "report" and "-o" not in words:
        words += ["-o", "out.html"]
    quick = QUICK.get(name, [])
    for option, value in zip(quick[::2], quick[1::2], strict=True):
        if option not in words and "--method" not in words:
            words += [option, value]
    return words


def judge(code: int, messages: str, words: list[Any]) -> str:
    """Check the end of a command: success, or one line that says what is wrong."""
    require(code in (0, 1, 2), f"{words} exits with {code}: {messages}")
    require("this is a bug" not in messages and "Traceback" not in messages, f"{words}: {messages}")
    if not code:
        return "answer"
    errors = [line for line in messages.splitlines() if line.startswith("error: ")]
    require(len(errors) == 1 and 12 < len(errors[0]) < 1000, f"{words} exits with {code} and says: {messages!r}")
    require(messages.rstrip().endswith(errors[0]), f"{words} goes on after the error: {messages!r}")
    return "clear error"
