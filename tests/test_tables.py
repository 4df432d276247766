"""Files to tables: every format, what is refused and why, columns, labels, samples, costs."""

import csv
import gzip
import os
import re
import subprocess
import tempfile
from datetime import timedelta

import numpy as np
import polars as pl
import pytest
from programs import run
from sklearn.preprocessing import OneHotEncoder

from puselect.tables import files
from puselect.tables.errors import FilledNote, IdentifierNote, SampleNote, TableError
from puselect.tables.labels import choose_positive, value_counts
from puselect.tables.loading import TableSpec, load_table, read_costs
from puselect.tables.text import HEAD_BYTES

ROWS = 30
TABLE = pl.DataFrame(
    {
        "height": np.linspace(1.5, 2.0, ROWS),
        "näme <script>": np.arange(ROWS) % 7,
        "smokes": np.arange(ROWS) % 2 == 0,
        "label": (np.arange(ROWS) % 6 == 0).astype(int),
    }
)
SPEC = TableSpec("label")


def read_text(tmp_path, text, name="data.csv", **settings):
    path = tmp_path / name
    path.write_bytes(text.encode() if isinstance(text, str) else text)
    return load_table(str(path), TableSpec(**{"label": "label", **settings}))


def refusal(tmp_path, text, name="data.csv", **settings):
    """The error with which the table is refused."""
    with pytest.raises(TableError) as caught:
        read_text(tmp_path, text, name, **settings)
    return caught.value


WRITERS = {
    "t.csv": TABLE.write_csv,
    "t.tsv": lambda file: TABLE.write_csv(file, separator="\t"),
    "semicolons.csv": lambda file: TABLE.write_csv(file, separator=";", decimal_comma=True),
    "t.csv.gz": lambda file: file.write(gzip.compress(TABLE.write_csv().encode())),
    "t.parquet": TABLE.write_parquet,
    "t.arrow": TABLE.write_ipc,
    "t.feather": TABLE.write_ipc,
    "stream.arrow": TABLE.write_ipc_stream,
    "bom.csv": lambda file: TABLE.write_csv(file, include_bom=True),
    "parquet by another name.csv": TABLE.write_parquet,
    "no ending": TABLE.write_csv,
    "old mac.csv": lambda file: file.write(TABLE.write_csv().replace("\n", "\r").encode()),
    "windows.csv": lambda file: file.write(TABLE.write_csv().replace("\n", "\r\n").encode()),
    "[odd]*.csv": TABLE.write_csv,
}


@pytest.mark.parametrize("name", WRITERS)
def test_every_format_gives_the_same_table(tmp_path, name):
    with (tmp_path / name).open("wb") as file:
        WRITERS[name](file)
    table = load_table(str(tmp_path / name), SPEC)
    assert table.names == ["height", "näme <script>", "smokes"]
    assert np.array_equal(table.X, TABLE.drop("label").to_numpy().astype(float))
    assert np.array_equal(table.y, TABLE["label"].to_numpy())
    assert table.left_out == ()
    assert table.notes == ()


def test_standard_input_is_read_once_and_leaves_nothing_behind(tmp_path):
    code = "from puselect.tables.loading import *; p = load_table('-', TableSpec('label')); print(p.X.shape, p.y.sum())"
    table, scratch = tmp_path / "table.csv", tmp_path / "scratch"
    TABLE.write_csv(table)
    scratch.mkdir()
    with table.open() as stdin:
        done = run(code, stdin=stdin, env={**os.environ, "TMPDIR": str(scratch)})
    assert done.stdout == f"({ROWS}, 3) 5\n"
    assert list(scratch.iterdir()) == []


SMALL = "a,b,label\n1,2,1\n3,4,0\n"
TEXTS = "a,b,c,label\n1,2,x,1\n3,4,y,0\n"
HOLES = "a,b,c,label\n1,2,5,1\n,4,inf,0\nNA,5,7,0\n9,nan,8,0\n"
NOISE = pl.DataFrame(np.random.default_rng(0).random((9000, 2)), schema=["a", "label"]).write_csv().encode()
PACKED = gzip.compress(b"a,b,label\n" + b"5,6,0\n" * 100_000, mtime=0)
REFUSED = [
    ("", {}, "data.csv is empty"),
    ("\n\n", {}, "data.csv is empty"),
    ("\na,b\n1,2\n", {}, "the first line is empty"),
    ('{"a": [1, 2]}', {}, "looks like JSON"),
    (bytes(range(256)) * 20, {}, "not a text file"),
    ("é,b,label\n1,2,1\n3,4,0\n".encode("latin1"), {}, "not UTF-8 text (byte 0)"),
    (b"\x1f\x8bnothing that gzip wrote", {}, "damaged gzip"),
    (gzip.compress(SMALL.encode(), mtime=0)[:20], {}, "damaged gzip"),
    (gzip.compress(NOISE, mtime=0)[:90_000], {}, "cannot read"),
    (b"PAR1 nothing that Parquet wrote", {}, "cannot read"),
    (b"ARROW1 nothing that Arrow wrote", {}, "cannot read"),
    (b"PK\x03\x04 a spreadsheet", {}, "a spreadsheet or an archive"),
    ("a,b,label" + "x" * 140_000 + "\n1,2,1\n3,4,0\n", {}, "cannot read the column names"),
    ('a,"b,label\n' + "1,2,1\n" * 30_000, {}, "cannot read the column names"),
    ("a,b,label\r1,2,1\n3,4,0\n", {}, "cannot read the column names"),
    ("a,b,label\n", {}, "too few rows (0)"),
    ("a,b,label\n1,2,1\n", {}, "too few rows (1)"),
    (PACKED, {"max_memory": 9999}, "decompressed"),
    (SMALL + "3,4,0,5\n", {}, "line 4 has 4 fields, expected 3"),
    (SMALL + "3,4\n", {}, "line 4 has 2 fields"),
    ('a,b,label\n"1,2,1\n3,4,0\n', {}, "line 3 has 1 field,"),
    ("a;b;label\n1;2;1\n3,4,0\n", {}, "line 3 has 1 field,"),
    ("a,b,a,label\n1,2,3,1\n3,4,5,0\n", {}, "more than one column named 'a'"),
    ("c,c=x,label\nx,1,1\ny,2,0\nz,3,0\n", {"prepare": True}, "encoding makes more than one column named 'c=x'"),
    *((SMALL, {role: name}, f"--{role}: {{}} has no column 'x'; it has a, b, label")
      for role, name in (("label", "x"), ("truth", "x"), ("drop", ("x",)), ("keep", ("x",)), ("categories", ("x",)))),
    (TEXTS, {"keep": ("b",), "drop": ("b",)}, "--keep: 'b' is the label, truth"),
    (TEXTS, {"keep": ("c",)}, "--keep: 'c' cannot be used: text, not encoded (use it with --prepare)"),
    ("a,t,label\n1,x,1\n3,y,0\n", {}, "got 1 (left out: t: text, not encoded (use it with --prepare))"),
    (HOLES, {}, "2 columns with missing values: a (2), b (1); fill them with --prepare"),
    (HOLES.replace("nan", "6"), {"drop": ("a",)}, "1 column with infinite values: c (1)"),
    (SMALL + "5,6,1\n1,1,0\n", {"max_rows": 2}, "2 rows are labelled, but only 2 may be read"),
]  # fmt: skip


@pytest.mark.parametrize("n_letters", [HEAD_BYTES - 1, HEAD_BYTES - 2])
def test_a_letter_may_lie_across_the_end_of_what_is_looked_at(tmp_path, n_letters):
    assert read_text(tmp_path, "x" * n_letters + "é,b,label\n1,2,1\n3,4,0\n").names[0][n_letters:] == "é"


@pytest.mark.parametrize(("text", "settings", "said"), REFUSED)
def test_what_cannot_be_used_is_refused_in_one_line_with_the_reason(tmp_path, text, settings, said):
    error = str(refusal(tmp_path, text, **settings))
    assert said.format(tmp_path / "data.csv") in error
    assert "\n" not in error


@pytest.mark.parametrize("line", ["1,2,1,5", "1", '"1,2",0', "1,2,,"])
@pytest.mark.parametrize("place", [1, 9])
def test_a_line_of_another_length_is_found_among_rows_that_are_sampled(tmp_path, line, place):
    lines = ["a,b,label", *("1,2,1" if i < 3 else f"{i},4,0" for i in range(9))]
    lines.insert(place, line)
    errors = [refusal(tmp_path, "\n".join(lines), max_rows=max_rows) for max_rows in (None, 5)]
    n_fields = len(next(csv.reader([line])))
    assert all(f"line {place + 1} has {n_fields} field" in str(error) for error in errors)


@pytest.mark.parametrize("device", ["/dev/zero", "/dev/urandom"])
def test_files_that_do_not_exist_or_do_not_end_are_refused_before_anything_is_copied(tmp_path, monkeypatch, device):
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    with pytest.raises(TableError, match="text"):
        load_table(device, SPEC)
    assert list(tmp_path.iterdir()) == []
    with pytest.raises(FileNotFoundError):
        load_table(str(tmp_path / "nothing.csv"), SPEC)
    with pytest.raises(IsADirectoryError):
        load_table(str(tmp_path), SPEC)


def test_a_pipe_without_end_is_refused_at_the_limit(tmp_path, monkeypatch):
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    monkeypatch.setattr(files, "LARGEST_STREAM", 3 << 20)
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    endless = subprocess.Popen(["bash", "-c", 'yes 1,2,3 > "$0"', str(pipe)], stderr=subprocess.DEVNULL)
    try:
        with pytest.raises(TableError, match=r"is longer than 3\.15 MB"):
            load_table(str(pipe), SPEC)
    finally:
        endless.kill()
        endless.wait()
    assert sum(path.stat().st_size for path in tmp_path.iterdir()) == 0


def test_ten_thousand_columns_and_a_late_fraction_among_whole_numbers(tmp_path):
    wide = pl.DataFrame(np.random.default_rng(0).random((20, 10_000)), schema=[f"c{i}" for i in range(10_000)])
    table = read_text(tmp_path, wide.with_columns(label=pl.Series([1, 0] * 10)).write_csv())
    assert table.X.shape == (20, 10_000)
    assert table.names[-1] == "c9999"
    text = "a,b,label\n" + "".join(f"{i % 9},{i % 7},{i % 2}\n" for i in range(20_000)) + "0.5,1,0\n"
    assert read_text(tmp_path, text).X[-1, 0] == 0.5


WORDS = "a,b,who,label\n" + "".join(f"{i % 3},{i % 5},n{i},{i % 2}\n" for i in range(30))


@pytest.mark.parametrize(("text", "settings", "names", "left_out"), [
    ("a,b,city,day,label\n1,2,Rome,2024-01-02,1\n3,5,Oslo,2024-01-03,0\n4,6,Rome,2024-01-03,0\n", {}, ["a", "b"],
     {"city": "text, not encoded (use it with --prepare)", "day": "dates, not encoded (use it with --prepare)"}),
    ("a,b,same,none,label\n1,2,7,,1\n3,4,7,,0\n", {}, ["a", "b"],
     {"same": "constant: 7", "none": "empty"}),
    (WORDS, {"prepare": True}, ["a", "b"], {"who": "identifier: all values differ (use it with --use)"}),
    (WORDS + "1,1,n1,0\n" * 9, {"prepare": True}, ["a", "b"],
     {"who": "text with 30 different values, more than 20 (see --max-categories)"}),
    (WORDS, {"prepare": True, "max_categories": 30}, ["a", "b", *sorted(f"who=n{i}" for i in range(30))], {}),
    (TEXTS, {"keep": ("c",), "prepare": True}, ["a", "b", "c=y"], {}),
    (TEXTS, {"drop": ("b",), "categories": ("a",)}, ["a=3"], None),
    (TEXTS, {"drop": ("c",), "keep": ("b",)}, ["a", "b"], {}),
    (",a,label\n0,1,1\n1,3,0\n", {}, ["column_1", "a"], {}),
])  # fmt: skip
def test_columns_become_features_or_are_left_out_with_the_reason(tmp_path, text, settings, names, left_out):
    if left_out is None:
        assert f"needed, got {len(names)}" in str(refusal(tmp_path, text, **settings))
        return
    table = read_text(tmp_path, text, **settings)
    assert (table.names, {column.name: str(column) for column in table.left_out}) == (names, left_out)
    assert table.keep == tuple(name for name in names if name.partition("=")[0] in settings.get("keep", ()))


@pytest.mark.parametrize(("text", "X"), [
    ("a, b, label\n1, 2, 1\n3, 4.5, 0\n", [[1, 2], [3, 4.5]]),
    ("a,b,label\n1,2,1\n\n3,4,0\n\n", [[1, 2], [3, 4]]),
])
def test_blanks_and_empty_lines_are_skipped(tmp_path, text, X):
    assert np.array_equal(read_text(tmp_path, text).X, X)


@pytest.mark.parametrize("prepare", [False, True])
def test_types_of_typed_files(tmp_path, prepare):
    waited = pl.Series([timedelta(minutes=i % 7) for i in range(ROWS)])
    day, nan = pl.date(2024, 1, 2), pl.lit(float("nan"))
    TABLE.with_columns(waited=waited, day=day, height=nan).write_parquet(tmp_path / "t.parquet")
    table = load_table(str(tmp_path / "t.parquet"), TableSpec("label", prepare=prepare))
    found = table.X["waited"].to_numpy()
    assert np.allclose(found / found[1], np.arange(ROWS) % 7)
    assert [(column.name, column.reason) for column in table.left_out] == [
        ("height", "empty"), ("day", "constant" if prepare else "dates"),
    ]  # fmt: skip


@pytest.mark.parametrize("value", [[1, 2], {"x": 1}, b"a"])
def test_other_types_are_left_out_and_are_no_labels(tmp_path, value):
    TABLE.with_columns(odd=pl.Series([value] * ROWS)).write_parquet(tmp_path / "t.parquet")
    (left_out,) = load_table(str(tmp_path / "t.parquet"), TableSpec("label", prepare=True)).left_out
    assert left_out[:2] == ("odd", "type")
    with pytest.raises(TableError, match="the label column 'odd' is of type"):
        load_table(str(tmp_path / "t.parquet"), TableSpec("odd"))


def test_one_hot_as_scikit_learn_does_it(tmp_path):
    colours, sizes = ["red", "green", "blue", "red"], ["s", "l", "s", "s"]
    rows = "".join(f"{i},{c},{s},{i % 2}\n" for i, (c, s) in enumerate(zip(colours, sizes, strict=True)))
    table = read_text(tmp_path, "n,colour,size,label\n" + rows, prepare=True)
    oracle = OneHotEncoder(sparse_output=False, drop="if_binary").fit(np.array([colours, sizes]).T)
    assert table.names == ["n", "colour=blue", "colour=green", "colour=red", "size=s"]
    assert table.sources == ("n", "colour", "colour", "colour", "size")
    assert np.array_equal(table.X[:, 1:], oracle.transform(np.array([colours, sizes]).T))


def test_identifiers_are_pointed_out_and_missing_values_filled_with_the_median_on_request(tmp_path):
    text = "id,a,b,label\n" + "".join(f"{100 + i},{i % 3},{i * 7 % 30 / 2},{i % 2}\n" for i in range(30))
    assert read_text(tmp_path, text).notes == (IdentifierNote("id"),)
    table = read_text(tmp_path, HOLES, prepare=True)
    assert np.array_equal(table.X["a", "b", "c"], [[1, 2, 5], [5, 4, 7], [5, 5, 7], [9, 4, 8]])
    assert table.X["a is missing"].to_list() == [0, 1, 1, 0]
    assert table.notes == (FilledNote("missing", {"a": 2, "b": 1}), FilledNote("infinite", {"c": 1}))


@pytest.mark.parametrize(("values", "wanted", "expected"), [
    ([0, 1], None, 1), ([-1, 1], None, 1), ([0.0, 1.0], None, 1.0), (["no", "Yes"], None, "Yes"),
    ([False, True], None, True), (["spam", None], None, "spam"), ([1, None], None, 1), (["1", "0", None], None, "1"),
    ([0, 1], "0", 0), ([0.0, 1.0], "1", 1.0), ([False, True], "true", True), (["a", "A"], "A", "A"),
])  # fmt: skip
def test_the_positive_value_is_found(values, wanted, expected):
    assert choose_positive([(value, 5) for value in values], "label", wanted) == expected


@pytest.mark.parametrize(("values", "wanted", "said"), [
    (["ham", "spam"], None, "'ham' (5 rows), 'spam' (5 rows); use --positive"), ([1, 2], None, "use --positive"),
    ([0, 1, 2], None, "use --positive"), (["yes", "true", "no"], None, "use --positive"),
    ([0], None, "use --positive"), ([1], None, "all rows have label = 1"),
    ([0, None], None, "no row is labelled positive"), ([None], None, "is empty"),
    (["spam", "ham"], "spma", "--positive: no row has label = spma; it has 'spam' (5 rows), 'ham' (5 rows); did you"),
])  # fmt: skip
def test_the_positive_value_is_asked_for_where_it_is_not_plain(values, wanted, said):
    with pytest.raises(TableError, match=re.escape(said)):
        choose_positive([(value, 5) for value in values], "label", wanted)


def test_the_positive_value_marks_the_rows_and_is_no_date_that_python_does_not_know(tmp_path):
    table = read_text(tmp_path, "a,b,label\n1,2,spam\n3,4,ham\n5,6,\n", positive="spam")
    assert table.y.tolist() == [1, 0, 0]
    assert table.positive == "spam"
    with pytest.raises(TableError, match="of type Date"):
        value_counts(pl.Series("label", [2**30, 0, 0]).cast(pl.Date))


@pytest.mark.parametrize("max_rows", [None, 4])
def test_rows_have_the_numbers_of_the_file_whether_sampled_or_not_and_empty_lines_count(tmp_path, max_rows):
    lines = ["0,0,1", "1,5,0", "", "3,7,0", "4,2,0", "5,1,0", "6,9,1"]
    table = read_text(tmp_path, "\n".join(["a,b,label", *lines, ""]), max_rows=max_rows)
    assert table.rows.names.tolist() == table.X["a"].to_list()
    assert {0, 6} <= set(table.rows.names)


RANDOM = np.random.default_rng(0).random((5000, 4))
BIG = pl.DataFrame(RANDOM, schema=["c0", "c1", "c2", "c3"]).with_columns(label=pl.Series(np.arange(5000) % 100 == 7))
FLAGS = {f"c{j}": np.arange(5000) // 1250 == j for j in range(4)}
PACKED = pl.DataFrame(FLAGS).with_columns(BIG["label"]).cast(pl.Int8)


@pytest.mark.parametrize("ending", [".csv", ".csv.gz", ".parquet", ".arrow", "-*.parquet"])
@pytest.mark.parametrize(("limit", "n_rows"), [({"max_rows": 400}, 400), ({"max_memory": 120 * 1000}, 1000)])
def test_large_files_are_sampled_and_every_labelled_row_is_kept(tmp_path, ending, limit, n_rows):
    data, path = (BIG if "max_rows" in limit else PACKED), tmp_path / f"big{ending}"
    with open(str(path).replace("*", "1"), "wb") as file:
        files.write_table(data, file, path.suffix if ending != ".csv.gz" else ending)
    table = load_table(str(path), TableSpec("label", **limit))
    assert table.X.shape == (n_rows, 4)
    assert table.notes == (SampleNote(n_rows, 5000, 50, "rows" if "max_rows" in limit else "memory"),)
    assert np.array_equal(data.drop("label").to_numpy()[table.rows.names], table.X)
    assert np.array_equal(data["label"].to_numpy()[table.rows.names], table.y)
    assert len(load_table(str(path), SPEC).y) == 5000
    with (tmp_path / "out.parquet").open("wb") as file:
        table.write(table.columns_of(np.array([False, True, False, True])), file, ".parquet")
    assert pl.read_parquet(tmp_path / "out.parquet").to_numpy().tolist() == (
        data.select("c1", "c3", "label").to_numpy().tolist()
    )


@pytest.mark.parametrize("ending", files.OUTPUT_FORMATS)
def test_output_has_the_columns_selected_and_the_label_as_they_were(tmp_path, ending):
    text = "id,a,colour,label\n7,1.5,red,yes\n8,2.5,blue,\n9,,red,no\n"
    table = read_text(tmp_path, text, prepare=True, positive="yes")
    assert table.names == ["id", "a", "a is missing", "colour=red"]
    with (tmp_path / "out").open("wb") as file:
        table.write(table.columns_of(np.array([False, True, False, True])), file, ending)
    readers = {".parquet": pl.read_parquet, ".arrow": pl.read_ipc, ".feather": pl.read_ipc}
    tabs = {"separator": "\t"} if ending == ".tsv" else {}
    out = readers.get(ending, lambda path: pl.read_csv(path, **tabs))(tmp_path / "out")
    assert out.rows() == [(1.5, "red", "yes"), (2.5, "blue", None), (None, "red", "no")]
    frame = pl.DataFrame({"a": np.random.default_rng(0).random(200_000)})
    with pytest.raises(OSError), open("/dev/full", "wb") as file:
        files.write_table(frame, file, ending)


@pytest.mark.parametrize("text", [b"feature,cost\nage,1\nscan,250.5\n", b"age,1\rscan,250.5\r"])
def test_costs_are_read(tmp_path, text):
    (tmp_path / "c.csv").write_bytes(text)
    assert read_costs(tmp_path / "c.csv") == {"age": 1, "scan": 250.5}


@pytest.mark.parametrize("text", [
    b"", b"feature,cost\nage\n", b"age,1\nscan,dear\n", b"age,1\n\xff,2\n", b"a" * 140_000 + b",1\n",
])  # fmt: skip
def test_costs_that_cannot_be_read_are_refused(tmp_path, text):
    (tmp_path / "c.csv").write_bytes(text)
    with pytest.raises(TableError, match=r"--costs: .* must hold lines of name,cost"):
        read_costs(tmp_path / "c.csv")


def test_costs_of_columns_hold_for_their_features_and_one_is_for_all_others(tmp_path):
    table = read_text(tmp_path, "a,city,b,label\n1,Rome,3,1\n2,Oslo,5,0\n3,Bonn,4,0\n", prepare=True)
    costs = tmp_path / "costs.csv"
    costs.write_text("city,3\n*,1\n")
    assert table.costs(costs) == [1, 3, 3, 3, 1]
    for text, said in (("a,1\n", "no cost for city, b"), ("ctiy,1\n*,1\n", "a cost for ctiy, .* mean 'city'")):
        costs.write_text(text)
        with pytest.raises(TableError, match=said):
            table.costs(costs)


def test_thousands_between_semicolons_are_a_question_and_not_small_numbers(tmp_path):
    lines = [f"{500 + 50 * i:,};{i / 7:.3f};{int(i < 3)}" for i in range(20)]
    error = str(refusal(tmp_path, "\n".join(["amount;rate;label", *lines])))
    assert all(answer in error for answer in ("is 1,000 in column 'amount' 1000 or 1.000?", "--decimal=,"))
    text = "\n".join(["amount;rate;label", *lines])
    for decimal, amount in ((".", 1000), (",", 1)):
        assert read_text(tmp_path, text, decimal=decimal).X["amount"][10] == amount
    for mark in ("", "."):
        table = read_text(tmp_path, "\n".join(["amount;rate;label", *(line.replace(",", mark) for line in lines)]))
        assert table.X["amount"][10] == (1000 if not mark else 1)
