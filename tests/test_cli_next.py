"""The loop: rows to label, answers about them, and what they change."""

import json

import numpy as np
import polars as pl
import pytest
from command_line import clusters_table
from typer.testing import CliRunner

from puselect import FSCPU, cli
from puselect.report import Selection
from puselect.report.answer import changes
from puselect.tables.errors import TableError
from puselect.tables.loading import TableSpec, load_table

runner = CliRunner()


@pytest.fixture
def folder(tmp_path, monkeypatch, few_steps):
    """A folder with the table d.csv: rows r0 to r59 are positive, r0 to r39 labelled."""
    monkeypatch.chdir(tmp_path)
    table = clusters_table()
    table.insert_column(0, pl.Series("case", [f"r{i}" for i in range(len(table))])).write_csv("d.csv")
    return tmp_path


def command(name, *words, code=0):
    """Run a command on d.csv in this process."""
    done = runner.invoke(cli.app, [name, "d.csv", "--label", "label", "--id", "case", "-k", "3", *map(str, words)])
    assert done.exit_code == code, done.output
    return done


def answer(text, name="answers.csv"):
    with open(name, "w", encoding="utf-8") as file:
        file.write("case,label\n" + "\n".join(text.split()) + "\n")
    return name


def labels(*answers, **settings):
    """Return the labels of the table with answers from files."""
    return load_table("d.csv", TableSpec("label", id="case", answers=answers, **settings)).y


def test_the_rows_are_written_with_an_empty_label_and_answers_lead_to_others(folder):
    command("next", "-n", 7, "-o", "next.csv")
    written, table = pl.read_csv("next.csv"), pl.read_csv("d.csv")
    assert written.columns == ["case", "label", "signal 0", "signal 1", "signal 2"]
    assert written["label"].null_count() == len(written) == written["case"].n_unique() == 7
    rows = table.filter(pl.col("case").is_in(written["case"].to_list()))
    assert (rows["label"] == 0).all()
    assert rows.sort("case")["signal 1"].to_list() == written.sort("case")["signal 1"].to_list()
    command("next", "-n", 5, "-o", "first.csv", "--quiet")
    first = pl.read_csv("first.csv").with_columns(label=pl.lit("no"))
    first.write_csv("first.csv")
    command("next", "-n", 5, "-o", "second.csv", "--labels", "first.csv", "--quiet")
    assert not set(first["case"]) & set(pl.read_csv("second.csv")["case"])


def test_a_filled_in_file_is_read_back_and_changes_are_told(folder):
    command("select", "-o", "selected.json", "--searches", 2, "--shuffles", 19)
    command("next", "-n", 10, "-o", "next.csv")
    is_positive = pl.col("case").str.slice(1).cast(int) < 60
    answers = pl.read_csv("next.csv").with_columns(label=is_positive.cast(int))
    answers.write_csv("next.csv")
    done = command("select", "--labels", "next.csv", "-o", "selected.json", "--searches", 2, "--shuffles", 19)
    n_yes = int(answers["label"].sum())
    assert f"{40 + n_yes} rows with label = 1, {10 - n_yes} checked negatives" in done.output
    changed = json.loads((folder / "selected.json").read_text())["changed"]
    assert changed in " ".join(done.output.split())
    assert f"{40 + n_yes} known positives, 40 before." in changed
    assert "of 2 times" in changed


def test_rows_without_names_go_by_number(folder):
    pl.read_csv("d.csv").rename({"signal 0": "row"}).drop("case").write_csv("d.csv")
    words = ["d.csv", "--label", "label", "-k", "3"]
    assert runner.invoke(cli.app, ["next", *words, "-n", "4", "-o", "next.csv"]).exit_code == 0
    asked = pl.read_csv("next.csv").with_columns(label=pl.lit(1))
    asked.write_csv("next.csv")
    table = load_table("d.csv", TableSpec("label", answers=("next.csv",)))
    assert set(np.flatnonzero(table.y == 1)) == {*range(40), *asked["row_"]}


def test_answers_are_positive_negative_or_left_open_and_several_files_add_up(folder):
    y = labels(answer("r50,1 r300,0 r301,no r302,? r303, r304,-1 r1,1"))
    assert np.flatnonzero(y == 1).tolist() == [*range(40), 50]
    assert np.flatnonzero(y == -1).tolist() == [300, 301, 304]
    y = labels(answer("r50,1 r300,0", "a.csv"), answer("r300,0 r301,0", "b.csv"))
    assert (np.flatnonzero(y == -1) == [300, 301]).all()
    with pytest.raises(TableError, match="contradicts earlier labels of 1 row: r50"):
        labels("a.csv", answer("r50,0", "b.csv"))


def test_a_value_of_the_label_column_marks_checked_negatives(folder):
    table = pl.read_csv("d.csv").with_columns(
        label=pl.when(pl.col("label") == 1).then(pl.lit("fraud")).when(pl.int_range(400) > 380).then(pl.lit("clean"))
    )
    table.write_csv("d.csv")
    assert np.flatnonzero(labels(negative="clean") == -1).tolist() == list(range(381, 400))
    assert (labels(answer("r300,Clean r50,FRAUD"), negative="clean")[[300, 50]] == [-1, 1]).all()
    done = command("select", "--negative", "clean", "--no-checks")
    assert "40 rows with label = fraud, 19 checked negatives" in done.output
    done = command("select", "--negative", "cleen", "--no-checks", code=1)
    assert "--negative: no row has label = cleen" in done.output
    assert "did you mean 'clean'?" in done.output


def test_check_counts_checked_negatives_as_negative(folder):
    name = answer(" ".join(f"r{i},0" for i in range(300, 340)))
    done = runner.invoke(cli.app, ["check", "d.csv", "--label", "label", "--id", "case", "--labels", name, "--json"])
    assert done.exit_code == 0, done.output
    prior = json.loads(done.stdout)["prior"]
    assert prior["interval"][0] <= 20 / 320 <= prior["interval"][1]


def test_all_answered_rows_of_a_sample_are_read_and_integer_names_as_a_spreadsheet_writes_them(folder):
    name = answer("r390,1 r391,0")
    table = load_table("d.csv", TableSpec("label", id="case", answers=(name,), max_rows=100))
    assert len(table.y) == 100
    assert (table.y == 1).sum() == 41
    assert table.rows.names[table.y == -1].tolist() == ["r391"]
    pl.read_csv("d.csv").with_columns(case=pl.int_range(400)).write_csv("d.csv")
    assert (labels(answer("50.0,1 300,0"))[[50, 300]] == [1, -1]).all()


@pytest.mark.parametrize(
    ("answers", "said"),
    [
        ("r1,1 x,0 y,0 z,0 r400,1", "answers for 4 rows that the table does not have: x, y, z, ..."),
        ("r50,1 r51,0 r50,0", "more than one line for 1 row, by case: r50"),
        ("r50,maybe r51,0", "neither 1 nor 0 for 1 row: r50 ('maybe')"),
        ("r0,0 r50,1 r1,0 r2,0 r3,0", "contradicts earlier labels of 4 rows: r0, r1, r2, ..."),
        (" ".join(f"r{i},0" for i in range(60, 300)), "has 240 rows that were checked and are negative (r60, r61, r62"),
    ],
)
def test_wrong_answers_are_one_sentence_with_the_count_and_the_first_rows(folder, answers, said):
    done = command("select", "--labels", answer(answers), code=1)
    (line,) = (line for line in done.stderr.splitlines() if line.startswith("error: "))
    assert said in line


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("-n", 361), "-n must be at most 360, the number of unlabelled rows, got 361"),
        (("--method", "kbest"), "not supported by method 'kbest'; use 'fscpu'"),
    ],
)
def test_what_next_cannot_do_is_said(folder, words, said):
    done = runner.invoke(cli.app, ["next", "d.csv", "--label", "label", "-o", "n.csv", *map(str, words)])
    assert done.exit_code != 0
    assert said in " ".join(done.output.replace("│", "").split())
    assert not (folder / "n.csv").exists()


def test_answers_need_their_columns_and_are_never_overwritten(folder):
    (folder / "a.csv").write_text("row,label\n1,1\n")
    assert "a.csv has no column 'case'" in command("select", "--labels", "a.csv", code=1).output
    name = answer("r50,1")
    assert "is the same file as" in command("next", "--labels", name, "-o", name, code=2).output


def test_changes_name_features_in_and_out():
    before, after = Selection(selected=("a", "B"), n_labelled=9), Selection(selected=("B", "C"), n_labelled=14)
    assert changes(before, after) == "In: C; out: a. 14 known positives, 9 before."
    assert changes(before, before).startswith("The same features.")


def test_rows_to_ask_are_unlabelled_and_reach_from_likely_to_doubtful(few_steps):
    table = clusters_table()
    X, y = table.drop("label"), table["label"].to_numpy().copy()
    y[200:210] = -1
    selector = FSCPU(3, neg_label=-1, random_state=0).fit(X, y)
    asked = selector.next_rows(X, y, 12)
    assert len(set(asked.rows)) == 12
    assert (y[asked.rows] == 0).all()
    assert (np.diff(asked.lift) <= 0).all()
    assert asked.rows.tolist() == selector.next_rows(X, y, 12).rows.tolist()
    assert sorted(selector.next_rows(X, y, 350).rows) == np.flatnonzero(y == 0).tolist()
    with pytest.raises(ValueError, match=r"n must be an integer in 1\.\.350, got 351"):
        selector.next_rows(X, y, 351)
