"""Exports of many kinds: the first command works, or says in one line what to type next, and that works."""

import gzip
import io

import numpy as np
import polars as pl
import pytest
from typer.testing import CliRunner

from puselect import cli

N = 240


@pytest.fixture
def parts():
    rng = np.random.default_rng(0)
    classes = rng.random(N) < 0.25
    known = classes & (np.cumsum(classes) <= 20)
    signal = rng.normal(size=(N, 3)) + 2.5 * classes[:, None]
    return rng, classes, known, signal, rng.normal(size=(N, 4))


def frame(parts, **more):
    _, _, known, signal, noise = parts
    columns = {f"s{i}": signal[:, i] for i in range(3)} | {f"n{i}": noise[:, i] for i in range(4)}
    return pl.DataFrame({**columns, "label": known.astype(int), **more})


def bytes_of(parts, **more):
    return frame(parts, **more).write_csv().encode()


def excel(parts):
    when = ["13/02/2024 10:30"] * 120 + ["01/03/2024 09:15"] * 120
    made = frame(parts, **{"Amount ($)": parts[0].integers(1, 9, N), "when": when})
    return b"\xef\xbb\xbf" + made.write_csv(line_terminator="\r\n").encode()


def survey(parts):
    rng = parts[0]
    answers = {f"q{j}": np.where(rng.random(N) < 0.05, 99, rng.integers(1, 6, N)) for j in range(6)}
    return bytes_of(parts, opinion=rng.choice(["agree", "neutral", "disagree"], N), **answers)


def medical(parts):
    rng = parts[0]
    values = np.where(rng.random(N) < 0.2, None, rng.normal(5, 1, N).round(1))
    return bytes_of(parts, icd=[f"{'CDEFG'[i % 5]}{i % 12:02d}" for i in range(N)], hb=values.tolist())


def nested(parts):
    file = io.BytesIO()
    frame(parts, tags=[[1, 2]] * N, place=[{"x": 1.0}] * N).write_parquet(file)
    return file.getvalue()


STAMPS = [f"2024-05-{1 + i // 24:02d}T{i % 24:02d}:00:00Z" for i in range(N)]
EXPORTS = {
    "semicolons.csv": lambda parts: frame(parts).write_csv(separator=";", decimal_comma=True).encode(),
    "excel.csv": excel,
    "one_hot.csv": lambda parts: bytes_of(parts, **{f"w{j}": np.arange(N) % 60 == j for j in range(60)}),
    "sensor.csv.gz": lambda parts: gzip.compress(bytes_of(parts, time=STAMPS)),
    "survey.csv": survey,
    "medical.csv": medical,
    "nested.parquet": nested,
    "three.csv": lambda parts: bytes_of(parts, label=(np.cumsum(parts[2]) <= 3) & parts[2]),
}
SAID = {
    "survey.csv": "99 in q0", "three.csv": "3 labelled positives", "nested.parquet": "unsupported type",
    "medical.csv": "hb (",
}  # fmt: skip


def select(path, *words):
    command = ["select", str(path), "-l", "label", "-k", "3", "--max-iter", "20", "--jobs", "1", "--no-checks", *words]
    return CliRunner().invoke(cli.app, command)


@pytest.mark.parametrize("name", EXPORTS)
def test_the_first_command_works_or_says_what_to_type(tmp_path, parts, name):
    path = tmp_path / name
    path.write_bytes(EXPORTS[name](parts))
    done = select(path)
    if done.exit_code:
        (line,) = (line for line in done.output.splitlines() if line.startswith("error"))
        assert "--prepare" in line
    prepared = select(path, "--prepare")
    assert prepared.exit_code == 0, prepared.output
    assert "3 of " in prepared.output
    assert SAID.get(name, "") in done.output + prepared.output


def test_codes_that_are_named_are_not_asked_about(tmp_path, parts):
    (tmp_path / "survey.csv").write_bytes(survey(parts))
    assert "99 in" not in select(tmp_path / "survey.csv", "--prepare", "--missing=99").output
