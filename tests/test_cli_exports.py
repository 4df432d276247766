"""Exports of many kinds: the first command works, or says in one line what to type next, and that works."""

import gzip

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
    return pl.DataFrame({**columns, **more, "label": known.astype(int)})


def semicolons(parts):
    return frame(parts).write_csv(separator=";", decimal_comma=True).encode()


def excel(parts):
    rng = parts[0]
    when = ["13/02/2024 10:30"] * 120 + ["01/03/2024 09:15"] * 120
    made = frame(parts, **{"Amount ($)": rng.integers(1, 9, N), "when": when})
    return b"\xef\xbb\xbf" + made.write_csv(line_terminator="\r\n").encode()


def one_hot(parts):
    rng = parts[0]
    choice = rng.integers(0, 60, N)
    return frame(parts, **{f"word_{j}": (choice == j).astype(int) for j in range(60)}).write_csv().encode()


def log_counts(parts):
    rng = parts[0]
    counts = {f"count_{j}": rng.poisson(rng.lognormal(0, 2, N)) for j in range(5)}
    return frame(parts, host=[f"h{i % 4}" for i in range(N)], **counts).write_csv(separator="\t").encode()


def sensor(parts):
    stamps = [f"2024-05-{1 + i // 24:02d}T{i % 24:02d}:00:00Z" for i in range(N)]
    return gzip.compress(frame(parts, time=stamps).write_csv().encode())


def survey(parts):
    rng = parts[0]
    answers = {f"q{j}": np.where(rng.random(N) < 0.05, 99, rng.integers(1, 6, N)) for j in range(6)}
    agree = rng.choice(["agree", "neutral", "disagree"], N)
    return frame(parts, opinion=agree, **answers).write_csv().encode()


def medical(parts):
    rng = parts[0]
    codes = np.array([f"{letter}{number:02d}" for letter in "CDEFG" for number in range(12)])
    values = np.where(rng.random(N) < 0.2, None, rng.normal(5, 1, N).round(1))
    return frame(parts, icd=rng.choice(codes, N), hb=values.tolist()).write_csv().encode()


def nested(parts):
    return frame(parts, tags=[[1, 2]] * N, place=[{"x": 1.0}] * N)


def three_known(parts):
    made = frame(parts)
    label = np.zeros(N, dtype=int)
    label[np.flatnonzero(parts[2])[:3]] = 1
    return made.with_columns(label=pl.Series(label)).write_csv().encode()


def many_known(parts):
    rng, classes, _, signal, _ = parts
    rows = rng.integers(0, N, 8000)
    known = classes[rows] & (np.cumsum(classes[rows]) <= 2000)
    columns = {f"s{i}": signal[rows, i] + rng.normal(0, 0.1, 8000) for i in range(3)}
    columns |= {f"n{i}": rng.normal(size=8000) for i in range(4)}
    return pl.DataFrame({**columns, "label": known.astype(int)}).write_csv().encode()


EXPORTS = {
    "semicolons.csv": semicolons, "excel.csv": excel, "one_hot.csv": one_hot, "counts.tsv": log_counts,
    "sensor.csv.gz": sensor, "survey.csv": survey, "medical.csv": medical, "nested.parquet": nested,
    "three.csv": three_known, "many.csv": many_known,
}  # fmt: skip


def select(path, *words):
    command = ["select", str(path), "-l", "label", "-k", "3", "--max-iter", "20", "--jobs", "1", "--no-checks", *words]
    return CliRunner().invoke(cli.app, command)


@pytest.mark.parametrize("name", EXPORTS)
def test_the_first_command_works_or_says_what_to_type(tmp_path, parts, name):
    made, path = EXPORTS[name](parts), tmp_path / name
    if isinstance(made, bytes):
        path.write_bytes(made)
    else:
        made.write_parquet(path)
    done = select(path)
    if done.exit_code:
        (line,) = (line for line in done.output.splitlines() if line.startswith("error"))
        assert "--prepare" in line
    prepared = select(path, "--prepare")
    assert prepared.exit_code == 0, prepared.output
    assert "3 of " in prepared.output


def test_what_is_odd_in_them_is_said(tmp_path, parts):
    (tmp_path / "survey.csv").write_bytes(survey(parts))
    assert "--missing=q0=99" in select(tmp_path / "survey.csv", "--prepare").output
    assert "=99" not in select(tmp_path / "survey.csv", "--prepare", "--missing=99").output
    (tmp_path / "three.csv").write_bytes(three_known(parts))
    assert "3 labelled positives" in select(tmp_path / "three.csv").output
    nested(parts).write_parquet(tmp_path / "nested.parquet")
    assert "unsupported type" in select(tmp_path / "nested.parquet").output
    (tmp_path / "medical.csv").write_bytes(medical(parts))
    refused = select(tmp_path / "medical.csv")
    assert refused.exit_code == 1
    assert "hb" in refused.output
