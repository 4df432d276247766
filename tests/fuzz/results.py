"""Results of `select` and `compare`, damaged, and given to `report` and `apply`."""

import json
import tempfile
from functools import cache
from pathlib import Path
from typing import Any

import hypothesis.strategies as st
import numpy as np
import polars as pl
from command import judge, run_command
from damage import Draw, chance, damage_bytes, damage_tree, to_bytes
from outcome import attempt, require

from puselect.report import read_result
from puselect.report.render import render

FOLDER = Path(tempfile.mkdtemp(prefix="fuzz-results-"))


@cache
def saved() -> list[bytes]:
    """Return results of all kinds."""
    rng = np.random.default_rng(0)
    y = np.arange(40) < 10
    columns = {f"c{i}": rng.normal(size=40) + 3 * y * (i < 2) for i in range(5)}
    pl.DataFrame({**columns, "label": y.astype(int)}).write_csv(FOLDER / "table.csv")
    pl.DataFrame({"feature": list(columns), "cost": [1.0] * 5}).write_csv(FOLDER / "costs.csv")
    calls = [
        ["select", "-k", "2", "--max-iter", "3", "--searches", "2", "--prepare"],
        ["select", "--budget", "2", "--costs", FOLDER / "costs.csv", "--max-iter", "2", "--shuffles", "1"],
        ["select", "-k", "2", "--method", "kbest"],
        ["compare", "-k", "2", "--methods", "kbest,lasso", "--splits", "2", "--jobs", "1"],
    ]
    results = []
    for number, words in enumerate(calls):
        path = FOLDER / f"result-{number}.json"
        code, _, errors = run_command(words[0], FOLDER / "table.csv", "--label", "label", *words[1:], "-o", path)
        require(code == 0, f"{words} fails: {errors}")
        results.append(path.read_bytes())
    return results


def example(draw: Draw) -> str:
    """Damage a result and report on it."""
    content = draw(st.sampled_from(saved()))
    kind = draw(st.sampled_from(["tree", "tree", "tree", "bytes"]))
    damaged = damage_bytes(draw, content) if kind == "bytes" else to_bytes(damage_tree(draw, json.loads(content)))
    path = FOLDER / "damaged.json"
    path.write_bytes(damaged)
    result, error = attempt(lambda: read_result(path), (ValueError,))
    if error is not None:
        require(len(str(error)) < 1000, f"a message of {len(str(error))} characters")
        return "clear error"
    record: Any = result
    page, _ = attempt(lambda: render([record]), ())
    require(page and page.rstrip().endswith("</html>"), "no page")
    attempt(lambda: type(record).from_json(record.to_json()), ())
    if chance(draw, 3):
        words = ["apply", path, FOLDER / "table.csv", "-o", FOLDER / "found.csv"]
        ended, _ = attempt(lambda: run_command(*words), ())
        return f"page, apply: {judge(ended, words)}"
    return "page"
