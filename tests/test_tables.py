import csv
import gzip
import json
import os
import subprocess
import tempfile
from datetime import timedelta
from pathlib import Path

import numpy as np
import polars as pl
import pytest
from programs import run

from puselect.cli.wording import error_text
from puselect.tables import files
from puselect.tables.errors import (
    AmbiguousNumberError,
    CostsError,
    FileError,
    FilledNote,
    IdentifierNote,
    KeepError,
    LabelError,
    LeftOut,
    MissingValuesError,
    RaggedLineError,
    RepeatedNameError,
    SampleNote,
    TableError,
    TooFewFeaturesError,
    TooManyLabelledError,
    UnknownColumnError,
)
from puselect.tables.labels import choose_positive, value_counts
from puselect.tables.loading import TableSpec, load_table, read_costs

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


def write(tmp_path, text, name="data.csv"):
    path = tmp_path / name
    path.write_bytes(text.encode() if isinstance(text, str) else text)
    return str(path)


def read_text(tmp_path, text, name="data.csv", **settings):
    return load_table(write(tmp_path, text, name), TableSpec(**{"label": "label", **settings}))


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


class TestBadFiles:
    @pytest.mark.parametrize(
        ("text", "fault"),
        [
            ("", "empty"),
            ("\n\n", "empty"),
            ("\na,b\n1,2\n", "empty header"),
            ('{"a": [1, 2]}', "json"),
            (bytes(range(256)) * 20, "binary"),
            ("é,b,label\n1,2,1\n3,4,0\n".encode("latin1"), "encoding"),
            (b"\x1f\x8bnothing that gzip wrote", "gzip"),
            (b"PAR1 nothing that Parquet wrote", "damaged"),
            (b"ARROW1 nothing that Arrow wrote", "damaged"),
            (b"PK\x03\x04 a spreadsheet", "archive"),
            ("a,b,label" + "x" * 140_000 + "\n1,2,1\n3,4,0\n", "header"),
            ('a,"b,label\n' + "1,2,1\n" * 30_000, "header"),
            ("a,b,label\r1,2,1\n3,4,0\n", "header"),
        ],
    )
    def test_are_refused(self, tmp_path, text, fault):
        error = refusal(tmp_path, text)
        assert isinstance(error, FileError)
        assert error.fault == fault

    @pytest.mark.parametrize(("text", "n_rows"), [("a,b,label\n", 0), ("a,b,label\n1,2,1\n", 1)])
    def test_with_too_few_rows(self, tmp_path, text, n_rows):
        error = refusal(tmp_path, text)
        assert isinstance(error, FileError)
        assert (error.fault, error.detail) == ("rows", str(n_rows))

    @pytest.mark.parametrize(
        ("text", "line", "n_fields"),
        [
            ("a,b,label\n1,2,1\n3,4,0,5\n", 3, 4),
            ("a,b,label\n1,2,1\n3,4\n", 3, 2),
            ('a,b,label\n"1,2,1\n3,4,0\n', 3, 1),
        ],
    )
    def test_with_a_line_of_another_length(self, tmp_path, text, line, n_fields):
        error = refusal(tmp_path, text)
        assert isinstance(error, RaggedLineError)
        assert (error.line, error.n_fields, error.n_columns) == (line, n_fields, 3)

    def test_with_two_separators(self, tmp_path):
        error = refusal(tmp_path, "a;b;label\n1;2;1\n3,4,0\n")
        assert (error.line, error.separators) == (3, (",", ";"))
        assert "sed '3,$ s/[,]/;/g'" in error_text(error)

    @pytest.mark.parametrize("line", ["1,2,1,5", "1,2", "1", '"1,2",0', "1,2,,"])
    @pytest.mark.parametrize("place", [1, 5, 9])
    def test_with_a_line_of_another_length_among_rows_that_are_sampled(self, tmp_path, line, place):
        lines = ["a,b,label", *("1,2,1" if i < 3 else f"{i},4,0" for i in range(9))]
        lines.insert(place, line)
        errors = [refusal(tmp_path, "\n".join(lines), max_rows=max_rows) for max_rows in (None, 5)]
        assert {(type(error), error.line, error.n_fields) for error in errors} == {
            (RaggedLineError, place + 1, len(next(csv.reader([line]))))
        }

    def test_with_repeated_names(self, tmp_path):
        error = refusal(tmp_path, "a,b,a,label\n1,2,3,1\n3,4,5,0\n")
        assert isinstance(error, RepeatedNameError)
        assert error.names == ["a"]

    @pytest.mark.parametrize("role", ["label", "truth", "drop", "keep"])
    def test_without_a_named_column(self, tmp_path, role):
        value = "x" if role in ("label", "truth") else ("x",)
        error = refusal(tmp_path, "a,b,label\n1,2,1\n3,4,0\n", **{role: value})
        assert isinstance(error, UnknownColumnError)
        assert (error.role, error.name, error.columns) == (role, "x", ["a", "b", "label"])

    def test_that_do_not_exist(self, tmp_path):
        with pytest.raises(FileNotFoundError):
            load_table(str(tmp_path / "nothing.csv"), SPEC)
        with pytest.raises(IsADirectoryError):
            load_table(str(tmp_path), SPEC)

    def test_truncated_gzip(self, tmp_path):
        packed = gzip.compress(TABLE.write_csv().encode())
        assert refusal(tmp_path, packed[: len(packed) // 2], "data.csv.gz").fault == "gzip"
        noise = np.random.default_rng(0).random((9000, 2))
        packed = gzip.compress(pl.DataFrame(noise, schema=["a", "b"]).write_csv().encode())
        assert refusal(tmp_path, packed[: len(packed) // 2], "data.csv.gz", label="a").fault == "damaged"

    @pytest.mark.parametrize("name", ["d.parquet", "d.arrow", "d*.parquet"])
    def test_types_nested_too_deeply_for_the_threads_of_polars(self, tmp_path, name):
        column = pl.Series("x", [1.0, 2.0])
        for _ in range(100):
            column = pl.DataFrame([column]).to_struct("nested")
        frame = pl.DataFrame([column, pl.Series("label", [0, 1])])
        frame.write_parquet(tmp_path / "d.parquet")
        frame.write_ipc(tmp_path / "d.arrow")
        with pytest.raises(FileError) as caught:
            load_table(str(tmp_path / name), SPEC)
        assert (caught.value.fault, caught.value.detail) == ("nested", "nested")

    def test_a_small_gzip_that_would_fill_the_memory(self, tmp_path):
        packed = gzip.compress(b"a,b,label\n1,2,1\n3,4,0\n" + b"5,6,0\n" * 100_000)
        error = refusal(tmp_path, packed, "data.csv.gz", max_memory=len(packed) * 20)
        assert isinstance(error, FileError)
        assert error.fault == "unpacked size"


class TestStreams:
    @pytest.mark.parametrize("device", ["/dev/zero", "/dev/urandom"])
    def test_a_device_without_end_is_refused_before_anything_is_copied(self, tmp_path, monkeypatch, device):
        monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
        with pytest.raises(FileError) as caught:
            load_table(device, SPEC)
        assert caught.value.fault in ("binary", "encoding")
        assert list(tmp_path.iterdir()) == []

    def test_a_pipe_without_end_is_refused_at_the_limit(self, tmp_path, monkeypatch):
        monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
        monkeypatch.setattr(files, "LARGEST_STREAM", 3 << 20)
        pipe = tmp_path / "pipe"
        os.mkfifo(pipe)
        endless = subprocess.Popen(["bash", "-c", 'yes 1,2,3 > "$0"', str(pipe)], stderr=subprocess.DEVNULL)
        try:
            with pytest.raises(FileError) as caught:
                load_table(str(pipe), SPEC)
        finally:
            endless.kill()
            endless.wait()
        assert caught.value.fault == "stream size"
        assert sum(path.stat().st_size for path in tmp_path.iterdir()) == 0


def test_ten_thousand_columns(tmp_path):
    wide = pl.DataFrame(np.random.default_rng(0).random((20, 10_000)), schema=[f"c{i}" for i in range(10_000)])
    wide = wide.with_columns(label=pl.Series([1, 0] * 10))
    table = read_text(tmp_path, wide.write_csv())
    assert table.X.shape == (20, 10_000)
    assert table.names[-1] == "c9999"


class TestColumns:
    def test_text_and_dates_are_left_out_with_the_reason(self, tmp_path):
        text = "a,b,city,day,label\n1,2,Rome,2024-01-02,1\n3,5,Oslo,2024-01-03,0\n4,6,Rome,2024-01-03,0\n"
        table = read_text(tmp_path, text)
        assert table.names == ["a", "b"]
        assert table.left_out == (LeftOut("city", "text", n_values=2), LeftOut("day", "dates", n_values=2))

    def test_dates_of_a_typed_file(self, tmp_path):
        TABLE.with_columns(day=pl.date(2024, 1, 2)).write_parquet(tmp_path / "t.parquet")
        assert load_table(str(tmp_path / "t.parquet"), SPEC).left_out == (LeftOut("day", "dates", n_values=1),)

    @pytest.mark.parametrize("encode", [False, True])
    def test_durations_are_numbers(self, tmp_path, encode):
        waited = pl.Series([timedelta(minutes=i % 7) for i in range(ROWS - 1)] + [None])
        TABLE.with_columns(waited=waited).write_parquet(tmp_path / "t.parquet")
        table = load_table(str(tmp_path / "t.parquet"), TableSpec("label", encode=encode, impute="median"))
        found = table.X["waited"].to_numpy()
        assert np.allclose(found[:-1] / found[1], np.arange(ROWS - 1) % 7)

    @pytest.mark.parametrize(
        "values",
        [[[1, 2]] * ROWS, [{"x": 1}] * ROWS, [b"a"] * ROWS],
        ids=["list", "struct", "bytes"],
    )
    def test_other_types_are_left_out_and_are_no_labels(self, tmp_path, values):
        TABLE.with_columns(odd=pl.Series(values)).write_parquet(tmp_path / "t.parquet")
        (left_out,) = load_table(str(tmp_path / "t.parquet"), TableSpec("label", encode=True)).left_out
        assert left_out[:2] == ("odd", "type")
        with pytest.raises(LabelError) as caught:
            load_table(str(tmp_path / "t.parquet"), TableSpec("odd"))
        assert caught.value.fault == "type"

    def test_one_hot_as_scikit_learn_does_it(self, tmp_path):
        from sklearn.preprocessing import OneHotEncoder

        colours, sizes = ["red", "green", "blue", "red"], ["s", "l", "s", "s"]
        rows = "".join(f"{i},{c},{s},{i % 2}\n" for i, (c, s) in enumerate(zip(colours, sizes, strict=True)))
        table = read_text(tmp_path, "n,colour,size,label\n" + rows, encode=True)
        oracle = OneHotEncoder(sparse_output=False, drop="if_binary").fit(np.array([colours, sizes]).T)
        assert table.names == ["n", "colour=blue", "colour=green", "colour=red", "size=s"]
        assert table.sources == ("n", "colour", "colour", "colour", "size")
        assert np.array_equal(table.X[:, 1:], oracle.transform(np.array([colours, sizes]).T))

    def test_encoding_must_not_repeat_a_name(self, tmp_path):
        text = "c,c=x,label\nx,1,1\ny,2,0\nz,3,0\n"
        error = refusal(tmp_path, text, encode=True)
        assert isinstance(error, RepeatedNameError)
        assert (error.path, error.names) == (None, ["c=x"])

    def test_text_with_many_values_is_left_out_even_with_encode(self, tmp_path):
        text = "a,b,who,label\n" + "".join(f"{i % 3},{i % 5},n{i},{i % 2}\n" for i in range(30))
        table = read_text(tmp_path, text, encode=True)
        assert table.left_out == (LeftOut("who", "text", "", 30, 20),)
        assert "who=n29" in read_text(tmp_path, text, encode=True, max_categories=30).names

    def test_constant_and_empty_columns_are_left_out(self, tmp_path):
        table = read_text(tmp_path, "a,b,same,none,label\n1,2,7,,1\n3,4,7,,0\n")
        assert table.left_out == (LeftOut("same", "constant", "7"), LeftOut("none", "empty"))

    def test_identifiers_are_pointed_out(self, tmp_path):
        text = "id,a,b,label\n" + "".join(f"{100 + i},{i % 3},{i * 7 % 30 / 2},{i % 2}\n" for i in range(30))
        assert read_text(tmp_path, text).notes == (IdentifierNote("id"),)

    def test_numbers_with_blanks_around_them(self, tmp_path):
        table = read_text(tmp_path, "a, b, label\n1, 2, 1\n3, 4.5, 0\n")
        assert np.array_equal(table.X, [[1, 2], [3, 4.5]])

    def test_empty_lines_are_skipped(self, tmp_path):
        assert len(read_text(tmp_path, "a,b,label\n1,2,1\n\n3,4,0\n\n").y) == 2

    def test_a_late_fraction_in_a_column_of_whole_numbers(self, tmp_path):
        text = "a,b,label\n" + "".join(f"{i % 9},{i % 7},{i % 2}\n" for i in range(20_000)) + "0.5,1,0\n"
        assert read_text(tmp_path, text).X[-1, 0] == 0.5

    def test_a_column_without_a_name_is_called_after_its_position(self, tmp_path):
        assert read_text(tmp_path, ",a,label\n0,1,1\n1,3,0\n").names == ["column_1", "a"]

    def test_drop_and_keep(self, tmp_path):
        text = "a,b,c,label\n1,2,5,1\n3,4,6,0\n"
        table = read_text(tmp_path, text, drop=("b",), keep=("c",))
        assert table.names == ["a", "c"]
        assert table.keep == ("c",)
        error = refusal(tmp_path, text, keep=("b",), drop=("b",))
        assert isinstance(error, KeepError)
        assert (error.name, error.left_out) == ("b", None)

    def test_a_kept_text_column_needs_encode(self, tmp_path):
        text = "a,b,c,label\n1,2,x,1\n3,4,y,0\n"
        error = refusal(tmp_path, text, keep=("c",))
        assert isinstance(error, KeepError)
        assert error.left_out.reason == "text"
        assert read_text(tmp_path, text, keep=("c",), encode=True).keep == ("c=y",)

    def test_at_least_two_features(self, tmp_path):
        error = refusal(tmp_path, "a,t,label\n1,x,1\n3,y,0\n")
        assert isinstance(error, TooFewFeaturesError)
        assert error.n_features == 1
        assert [column.name for column in error.left_out] == ["t"]


class TestMissingValues:
    TEXT = "a,b,c,label\n1,2,5,1\n,4,inf,0\nNA,5,7,0\n9,nan,8,0\n"

    def test_are_an_error_that_names_the_columns(self, tmp_path):
        error = refusal(tmp_path, self.TEXT)
        assert isinstance(error, MissingValuesError)
        assert (error.hole, error.counts) == ("missing", {"a": 2, "b": 1})

    def test_infinite_ones_too(self, tmp_path):
        error = refusal(tmp_path, self.TEXT.replace("nan", "6"), drop=("a",))
        assert isinstance(error, MissingValuesError)
        assert (error.hole, error.counts) == ("infinite", {"c": 1})

    def test_are_filled_with_the_median_on_request(self, tmp_path):
        table = read_text(tmp_path, self.TEXT, impute="median")
        assert np.array_equal(table.X, [[1, 2, 5], [5, 4, 7], [5, 5, 7], [9, 4, 8]])
        assert table.notes == (FilledNote("missing", {"a": 2, "b": 1}), FilledNote("infinite", {"c": 1}))

    def test_not_a_number_in_a_typed_file_is_missing(self, tmp_path):
        TABLE.with_columns(height=pl.lit(float("nan"))).write_parquet(tmp_path / "t.parquet")
        assert load_table(str(tmp_path / "t.parquet"), SPEC).left_out == (LeftOut("height", "empty"),)


class TestPositive:
    @pytest.mark.parametrize(
        ("values", "positive"),
        [
            ([0, 1], 1),
            ([-1, 1], 1),
            ([0.0, 1.0], 1.0),
            (["no", "Yes"], "Yes"),
            ([False, True], True),
            (["spam", None], "spam"),
            ([1, None], 1),
            (["1", "0", None], "1"),
        ],
    )
    def test_is_found_where_it_is_evident(self, values, positive):
        assert choose_positive([(value, 5) for value in values], "label") == positive

    @pytest.mark.parametrize(
        ("values", "fault"),
        [
            (["ham", "spam"], "ambiguous"),
            ([1, 2], "ambiguous"),
            ([0, 1, 2], "ambiguous"),
            (["yes", "true", "no"], "ambiguous"),
            ([0], "ambiguous"),
            ([1], "all positive"),
            ([0, None], "none positive"),
            ([None], "empty"),
        ],
    )
    def test_is_asked_for_where_it_is_not(self, values, fault):
        with pytest.raises(LabelError) as caught:
            choose_positive([(value, 5) for value in values], "label")
        assert caught.value.fault == fault

    @pytest.mark.parametrize(
        ("values", "wanted", "positive"),
        [([0, 1], "0", 0), ([0.0, 1.0], "1", 1.0), ([False, True], "true", True), (["a", "A"], "A", "A")],
    )
    def test_is_understood_whatever_the_type(self, values, wanted, positive):
        assert choose_positive([(value, 5) for value in values], "label", wanted) == positive

    def test_an_unknown_value_is_refused_with_those_there_are(self):
        counts = [("spam", 5), ("ham", 50)]
        with pytest.raises(LabelError) as caught:
            choose_positive(counts, "label", "spma")
        assert (caught.value.fault, caught.value.positive, caught.value.counts) == ("unknown value", "spma", counts)

    def test_dates_that_python_does_not_know_are_no_labels(self):
        with pytest.raises(LabelError) as caught:
            value_counts(pl.Series("label", [2**30, 0, 0]).cast(pl.Date))
        assert caught.value.fault == "type"

    def test_marks_the_rows(self, tmp_path):
        table = read_text(tmp_path, "a,b,label\n1,2,spam\n3,4,ham\n5,6,\n", positive="spam")
        assert table.y.tolist() == [1, 0, 0]
        assert table.positive == "spam"


@pytest.mark.parametrize("max_rows", [None, 4])
def test_rows_have_the_numbers_of_the_file_whether_sampled_or_not_and_empty_lines_count(tmp_path, max_rows):
    lines = ["0,0,1", "1,5,0", "", "3,7,0", "4,2,0", "5,1,0", "6,9,1"]
    table = read_text(tmp_path, "\n".join(["a,b,label", *lines, ""]), max_rows=max_rows)
    assert table.rows.names.tolist() == table.X["a"].to_list()
    assert {0, 6} <= set(table.rows.names)


class TestLargeFiles:
    def data(self, n_rows=5000):
        rng = np.random.default_rng(0)
        columns = {f"c{i}": rng.random(n_rows) for i in range(4)}
        return pl.DataFrame({**columns, "label": (np.arange(n_rows) % 100 == 7).astype(int)})

    @pytest.mark.parametrize("name", ["big.csv", "big.parquet", "big.csv.gz"])
    def test_are_sampled_and_every_labelled_row_is_kept(self, tmp_path, name):
        data, path = self.data(), tmp_path / name
        writers = {"big.csv": data.write_csv, "big.parquet": data.write_parquet}
        if name in writers:
            writers[name](path)
        else:
            path.write_bytes(gzip.compress(data.write_csv().encode()))
        table = load_table(str(path), TableSpec("label", max_rows=400))
        assert table.X.shape == (400, 4)
        assert table.y.sum() == 50
        assert table.notes == (SampleNote(400, 5000, 50, "rows"),)
        assert np.array_equal(data.drop("label").to_numpy()[table.rows.names], table.X)
        assert np.array_equal(data["label"].to_numpy()[table.rows.names], table.y)

    @pytest.mark.parametrize("ending", [".csv", ".csv.gz", ".parquet", ".arrow", "-*.parquet"])
    def test_are_measured_by_memory_however_well_the_file_is_packed(self, tmp_path, ending):
        flags = {f"c{j}": np.arange(5000) // 1250 == j for j in range(4)}
        data = pl.DataFrame({**flags, "label": np.arange(5000) % 100 == 0}).cast(pl.Int8)
        path = tmp_path / f"big{ending}"
        if ending.endswith(".parquet"):
            data.write_parquet(str(path).replace("*", "1"))
        elif ending == ".arrow":
            data.write_ipc(path, compression="zstd")
        else:
            text = data.write_csv().encode()
            path.write_bytes(gzip.compress(text) if ending == ".csv.gz" else text)
        table = load_table(str(path), TableSpec("label", max_memory=120 * 1000))
        assert table.notes == (SampleNote(1000, 5000, 50, "memory"),)
        assert len(load_table(str(path), SPEC).y) == 5000

    def test_a_limit_below_the_number_of_labelled_rows_is_refused(self, tmp_path):
        self.data().write_csv(tmp_path / "big.csv")
        with pytest.raises(TooManyLabelledError) as caught:
            load_table(str(tmp_path / "big.csv"), TableSpec("label", max_rows=20))
        assert (caught.value.n_labelled, caught.value.max_rows) == (50, 20)

    def test_are_written_with_all_their_rows(self, tmp_path):
        self.data().write_csv(tmp_path / "big.csv")
        table = load_table(str(tmp_path / "big.csv"), TableSpec("label", max_rows=400))
        with (tmp_path / "out.parquet").open("wb") as file:
            table.write(table.columns_of(np.array([False, True, False, True])), file, ".parquet")
        assert pl.read_parquet(tmp_path / "out.parquet").equals(self.data().select("c1", "c3", "label"))


@pytest.mark.parametrize("ending", files.OUTPUT_FORMATS)
def test_output_has_the_columns_selected_and_the_label_as_they_were(tmp_path, ending):
    text = "id,a,colour,label\n7,1.5,red,yes\n8,2.5,blue,\n9,,red,no\n"
    table = read_text(tmp_path, text, encode=True, impute="median", positive="yes")
    assert table.names == ["id", "a", "colour=red"]
    with (tmp_path / "out").open("wb") as file:
        table.write(table.columns_of(np.array([False, True, True])), file, ending)
    readers = {".parquet": pl.read_parquet, ".arrow": pl.read_ipc, ".feather": pl.read_ipc}
    tabs = {"separator": "\t"} if ending == ".tsv" else {}
    out = readers.get(ending, lambda path: pl.read_csv(path, **tabs))(tmp_path / "out")
    assert out.rows() == [(1.5, "red", "yes"), (2.5, "blue", None), (None, "red", "no")]


@pytest.mark.parametrize("ending", files.OUTPUT_FORMATS)
def test_a_full_disk_is_an_os_error(ending):
    frame = pl.DataFrame({"a": np.random.default_rng(0).random(200_000)})
    with pytest.raises(OSError), open("/dev/full", "wb") as file:
        files.write_table(frame, file, ending)


class TestCosts:
    @pytest.mark.parametrize(
        ("name", "text"),
        [
            ("c.csv", "feature,cost\nage,1\nscan,250.5\n"),
            ("c.csv", "age,1\nscan,250.5\n"),
            ("c.csv", "age,1\rscan,250.5\r"),
            ("c.json", json.dumps({"age": 1, "scan": 250.5})),
        ],
    )
    def test_are_read(self, tmp_path, name, text):
        (tmp_path / name).write_text(text, newline="")
        assert read_costs(tmp_path / name) == {"age": 1.0, "scan": 250.5}
        (tmp_path / f"{name}.gz").write_bytes(gzip.compress(text.encode()))
        assert read_costs(tmp_path / f"{name}.gz") == {"age": 1.0, "scan": 250.5}

    @pytest.mark.parametrize(
        ("name", "content", "fault"),
        [
            ("c.csv", b"", "empty"),
            ("c.csv", b"feature,cost\nage\n", "line"),
            ("c.csv", b"age,1\nscan,dear\n", "line"),
            ("c.csv", b"age,1\n\xff,2\n", "line"),
            ("c.csv", b"a" * 140_000 + b",1\n", "line"),
            ("c.csv", gzip.compress(b"age,1\n" * 1000, mtime=0)[:-12], "line"),
            ("c.csv", b"\x1f\x8bnothing that gzip wrote", "line"),
            ("c.json", b"[1, 2]", "object"),
            ("c.json", b'{"a": true}', "object"),
            ("c.json", b'{"a": 1' + b"0" * 400 + b"}", "object"),
            ("c.json", b"{", "json"),
            ("c.json", b"[" * 200_000, "json"),
            ("c.json", b'{"a": 1' + b"0" * 5000 + b"}", "json"),
        ],
    )
    def test_in_another_form_are_refused(self, tmp_path, name, content, fault):
        (tmp_path / name).write_bytes(content)
        with pytest.raises(CostsError) as caught:
            read_costs(tmp_path / name)
        assert caught.value.fault == fault

    def test_of_columns_hold_for_their_features_and_one_is_for_all_others(self, tmp_path):
        table = read_text(tmp_path, "a,city,b,label\n1,Rome,3,1\n2,Oslo,5,0\n3,Bonn,4,0\n", encode=True)
        costs = tmp_path / "costs.csv"
        costs.write_text("city,3\n*,1\n")
        assert table.costs(costs) == [1, 3, 3, 3, 1]
        for text, fault, names in (("a,1\n", "missing", ["city", "b"]), ("ctiy,1\n*,1\n", "unknown", ["ctiy"])):
            costs.write_text(text)
            with pytest.raises(CostsError) as caught:
                table.costs(costs)
            assert (caught.value.fault, caught.value.names) == (fault, names)
        assert "'city'" in error_text(caught.value)

    def test_without_end_are_refused(self, monkeypatch):
        monkeypatch.setattr("puselect.tables.loading.MOST_CHARACTERS", 1000)
        with pytest.raises(CostsError) as caught:
            read_costs(Path("/dev/zero"))
        assert caught.value.fault == "size"


def test_thousands_between_semicolons_are_a_question_and_not_small_numbers(tmp_path):
    lines = [f"{500 + 50 * i:,};{i / 7:.3f};{int(i < 3)}" for i in range(20)]
    error = refusal(tmp_path, "\n".join(["amount;rate;label", *lines]))
    assert isinstance(error, AmbiguousNumberError)
    assert (error.column, error.value) == ("amount", "1,000")
    assert all(answer in error_text(error) for answer in ("'amount'", " 1000 or 1.000?", "--decimal=,"))
    text = "\n".join(["amount;rate;label", *lines])
    for decimal, amount in ((".", 1000), (",", 1)):
        assert read_text(tmp_path, text, decimal=decimal).X["amount"][10] == amount
    for mark in ("", "."):
        table = read_text(tmp_path, "\n".join(["amount;rate;label", *(line.replace(",", mark) for line in lines)]))
        assert table.X["amount"][10] == (1000 if not mark else 1)
