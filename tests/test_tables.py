import gzip
import json
import os
import subprocess
import sys

import numpy as np
import polars as pl
import pytest

from puselect.tables import Reading, read_costs, read_problem
from puselect.tables.names import split_names
from puselect.tables.positive import choose_positive

ROWS = 30
TABLE = pl.DataFrame(
    {
        "height": np.linspace(1.5, 2.0, ROWS),
        "näme <script>": np.arange(ROWS) % 7,
        "smokes": np.arange(ROWS) % 2 == 0,
        "label": (np.arange(ROWS) < 5).astype(int),
    }
)
READING = Reading("label")


def write(tmp_path, text, name="data.csv"):
    path = tmp_path / name
    path.write_bytes(text.encode() if isinstance(text, str) else text)
    return str(path)


def read_text(tmp_path, text, name="data.csv", **wishes):
    return read_problem(write(tmp_path, text, name), Reading(**{"label": "label", **wishes}))


def refusal(tmp_path, text, name="data.csv", **wishes):
    """The message with which the table is refused: one line."""
    with pytest.raises((ValueError, OSError)) as caught:
        read_text(tmp_path, text, name, **wishes)
    assert "\n" not in str(caught.value)
    return str(caught.value)


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
    "[odd]*.csv": TABLE.write_csv,
}


@pytest.mark.parametrize("name", WRITERS)
def test_every_format_gives_the_same_table(tmp_path, name):
    with (tmp_path / name).open("wb") as file:
        WRITERS[name](file)
    problem = read_problem(str(tmp_path / name), READING)
    assert problem.names == ("height", "näme <script>", "smokes")
    assert np.array_equal(problem.X, TABLE.drop("label").to_numpy().astype(float))
    assert np.array_equal(problem.y, TABLE["label"].to_numpy())
    assert problem.left_out == ()
    assert problem.notes == ()


def test_standard_input_is_read_once_and_leaves_nothing_behind(tmp_path):
    code = "from puselect.tables import *; p = read_problem('-', Reading('label')); print(p.X.shape, p.y.sum())"
    done = subprocess.run(
        [sys.executable, "-c", code],
        input=TABLE.write_csv().encode(),
        capture_output=True,
        env={**os.environ, "TMPDIR": str(tmp_path)},
    )
    assert done.stdout.decode().strip() == f"({ROWS}, 3) 5"
    assert list(tmp_path.iterdir()) == []


class TestBadFiles:
    @pytest.mark.parametrize(
        ("text", "message"),
        [
            ("", "is empty"),
            ("\n\n", "is empty"),
            ("\na,b\n1,2\n", "empty first line"),
            ("a,b,label\n", "but no rows"),
            ("a,b,label\n1,2,1\n", "one row"),
            ("a,b,lable\n1,2,1\n3,4,0\n", "no column 'label' for --label; did you mean 'lable'?"),
            ("x,y,z\n1,2,1\n3,4,0\n", "it has: x, y, z"),
            ("a,b,label\n1,2,1\n3,4,1\n", "nothing is unlabelled"),
            ("a,b,label\n1,2,0\n3,4,0\n", "cannot tell which value"),
            ("a,b,label\n1,2,\n3,4,\n", "is empty; mark the rows"),
            ("a,b,label\n1,2,1\n3,4,0,5\n", "line 3 of"),
            ("a,b,label\n1,2,1\n3,4\n", "has 2 fields where the first line has 3"),
            ("a,b,a,label\n1,2,3,1\n3,4,5,0\n", "more than one column named 'a'"),
            ('{"a": [1, 2]}', "looks like JSON"),
            (bytes(range(256)) * 20, "not a text file"),
            ("é,b,label\n1,2,1\n3,4,0\n".encode("latin1"), "not UTF-8 text"),
            (b"\x1f\x8bnothing that gzip wrote", "gzipped, but damaged"),
            (b"PAR1 nothing that Parquet wrote", "cannot read"),
            (b"ARROW1 nothing that Arrow wrote", "cannot read"),
            (b"PK\x03\x04 a spreadsheet", "export the table as CSV"),
            ('a,b,label\n"1,2,1\n3,4,0\n', "line 3 of"),
        ],
    )
    def test_are_refused_in_one_line(self, tmp_path, text, message):
        assert message in refusal(tmp_path, text)

    def test_that_are_not_there(self, tmp_path):
        with pytest.raises(FileNotFoundError):
            read_problem(str(tmp_path / "nothing.csv"), READING)
        with pytest.raises(IsADirectoryError, match="is a folder"):
            read_problem(str(tmp_path), READING)

    def test_truncated_gzip(self, tmp_path):
        packed = gzip.compress(TABLE.write_csv().encode())
        assert "gzipped, but damaged" in refusal(tmp_path, packed[: len(packed) // 2], "data.csv.gz")
        noise = np.random.default_rng(0).random((9000, 2))
        packed = gzip.compress(pl.DataFrame(noise, schema=["a", "b"]).write_csv().encode())
        assert "cannot read" in refusal(tmp_path, packed[: len(packed) // 2], "data.csv.gz", label="a")


def test_ten_thousand_columns(tmp_path):
    wide = pl.DataFrame(np.random.default_rng(0).random((20, 10_000)), schema=[f"c{i}" for i in range(10_000)])
    wide = wide.with_columns(label=pl.Series([1, 0] * 10))
    problem = read_text(tmp_path, wide.write_csv())
    assert problem.X.shape == (20, 10_000)
    assert problem.names[-1] == "c9999"


class TestColumns:
    def test_text_and_dates_are_left_out_with_the_reason(self, tmp_path):
        text = "a,b,city,day,label\n1,2,Rome,2024-01-02,1\n3,5,Oslo,2024-01-03,0\n4,6,Rome,2024-01-03,0\n"
        problem = read_text(tmp_path, text)
        assert problem.names == ("a", "b")
        assert dict(problem.left_out) == {"city": "text, --encode would use it", "day": "dates"}

    def test_dates_of_a_typed_file(self, tmp_path):
        table = TABLE.with_columns(day=pl.date(2024, 1, 2))
        table.write_parquet(tmp_path / "t.parquet")
        assert read_problem(str(tmp_path / "t.parquet"), READING).left_out == (("day", "dates"),)

    def test_one_hot_as_scikit_learn_does_it(self, tmp_path):
        from sklearn.preprocessing import OneHotEncoder

        colours, sizes = ["red", "green", "blue", "red"], ["s", "l", "s", "s"]
        rows = "".join(f"{i},{c},{s},{i % 2}\n" for i, (c, s) in enumerate(zip(colours, sizes, strict=True)))
        problem = read_text(tmp_path, "n,colour,size,label\n" + rows, encode=True)
        oracle = OneHotEncoder(sparse_output=False, drop="if_binary").fit(np.array([colours, sizes]).T)
        assert problem.names == ("n", "colour=blue", "colour=green", "colour=red", "size=s")
        assert problem.sources == ("n", "colour", "colour", "colour", "size")
        assert np.array_equal(problem.X[:, 1:], oracle.transform(np.array([colours, sizes]).T))

    def test_text_with_many_values_is_left_out_even_with_encode(self, tmp_path):
        text = "a,b,who,label\n" + "".join(f"{i % 3},{i % 5},n{i},{i % 2}\n" for i in range(30))
        problem = read_text(tmp_path, text, encode=True)
        assert problem.left_out == (("who", "text with 30 different values, more than 20"),)
        assert "who=n29" in read_text(tmp_path, text, encode=True, max_categories=30).names

    def test_constant_and_empty_columns_are_left_out(self, tmp_path):
        problem = read_text(tmp_path, "a,b,same,none,label\n1,2,7,,1\n3,4,7,,0\n")
        assert dict(problem.left_out) == {"same": "constant: always 7", "none": "empty"}

    def test_identifiers_are_pointed_out(self, tmp_path):
        text = "id,a,b,label\n" + "".join(f"{100 + i},{i % 3},{i * 0.5},{i % 2}\n" for i in range(30))
        (note,) = read_text(tmp_path, text).notes
        assert "'id' looks like an identifier" in note
        assert "--drop id" in note

    def test_numbers_with_blanks_around_them(self, tmp_path):
        problem = read_text(tmp_path, "a, b, label\n1, 2, 1\n3, 4.5, 0\n")
        assert np.array_equal(problem.X, [[1, 2], [3, 4.5]])

    def test_empty_lines_are_skipped(self, tmp_path):
        assert len(read_text(tmp_path, "a,b,label\n1,2,1\n\n3,4,0\n\n").y) == 2

    def test_a_late_fraction_in_a_column_of_whole_numbers(self, tmp_path):
        text = "a,b,label\n" + "".join(f"{i % 9},{i % 7},{i % 2}\n" for i in range(20_000)) + "0.5,1,0\n"
        assert read_text(tmp_path, text).X[-1, 0] == 0.5

    def test_a_column_without_a_name_is_called_after_its_place(self, tmp_path):
        assert read_text(tmp_path, ",a,label\n0,1,1\n1,3,0\n").names == ("column_1", "a")

    def test_drop_and_keep(self, tmp_path):
        text = "a,b,c,label\n1,2,5,1\n3,4,6,0\n"
        problem = read_text(tmp_path, text, drop=("b",), keep=("c",))
        assert problem.names == ("a", "c")
        assert problem.keep == (1,)
        assert "did you mean 'a'" in refusal(tmp_path, text, drop=("A",))
        assert "--keep names the column 'nothing'" in refusal(tmp_path, text, keep=("nothing",))
        assert "is the label, the truth or dropped" in refusal(tmp_path, text, keep=("b",), drop=("b",))

    def test_a_kept_text_column_needs_encode(self, tmp_path):
        text = "a,b,c,label\n1,2,x,1\n3,4,y,0\n"
        assert "--keep names 'c', which cannot be used: text" in refusal(tmp_path, text, keep=("c",))
        assert read_text(tmp_path, text, keep=("c",), encode=True).keep == (2,)

    def test_at_least_two_features(self, tmp_path):
        message = refusal(tmp_path, "a,t,label\n1,x,1\n3,y,0\n")
        assert "at least two usable features" in message
        assert "t: text" in message


class TestMissingValues:
    TEXT = "a,b,c,label\n1,2,5,1\n,4,inf,0\nNA,5,7,0\n9,nan,8,0\n"

    def test_are_an_error_that_names_the_columns(self, tmp_path):
        message = refusal(tmp_path, self.TEXT)
        assert "2 columns with missing values: a (2), b (1)" in message
        assert "--impute median" in message

    def test_infinite_ones_too(self, tmp_path):
        assert "1 column with infinite values: c (1)" in refusal(tmp_path, self.TEXT.replace("nan", "6"), drop=("a",))

    def test_are_filled_with_the_median_on_request(self, tmp_path):
        problem = read_text(tmp_path, self.TEXT, impute="median")
        assert np.array_equal(problem.X, [[1, 2, 5], [5, 4, 7], [5, 5, 7], [9, 4, 8]])
        assert problem.notes == (
            "filled 3 missing values with the median: a (2), b (1)",
            "filled 1 infinite value with the median: c (1)",
        )

    def test_not_a_number_in_a_typed_file_is_missing(self, tmp_path):
        TABLE.with_columns(height=pl.lit(float("nan"))).write_parquet(tmp_path / "t.parquet")
        assert read_problem(str(tmp_path / "t.parquet"), READING).left_out == (("height", "empty"),)


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
    def test_is_found_where_it_is_plain(self, values, positive):
        assert choose_positive([(value, 5) for value in values], "label") == positive

    @pytest.mark.parametrize("values", [["ham", "spam"], [1, 2], [0, 1, 2], ["yes", "true", "no"]])
    def test_is_asked_for_where_it_is_not(self, values):
        with pytest.raises(ValueError, match=r"cannot tell .* \(5 rows\).*--positive VALUE"):
            choose_positive([(value, 5) for value in values], "label")

    @pytest.mark.parametrize(
        ("values", "wanted", "positive"),
        [([0, 1], "0", 0), ([0.0, 1.0], "1", 1.0), ([False, True], "true", True), (["a", "A"], "A", "A")],
    )
    def test_is_understood_whatever_the_type(self, values, wanted, positive):
        assert choose_positive([(value, 5) for value in values], "label", wanted) == positive

    def test_that_nobody_has_is_refused_with_what_there_is(self):
        with pytest.raises(ValueError, match=r"no row has label = spma; it has .*'spam' \(5 rows\).*mean 'spam'"):
            choose_positive([("spam", 5), ("ham", 50)], "label", "spma")

    def test_what_there_is_is_said_once_and_one_row_is_a_row(self):
        message = r"^no row has label = fraud; it has nothing \(560 rows\), 'yes' \(1 row\)$"
        with pytest.raises(ValueError, match=message):
            choose_positive([("yes", 1), (None, 560)], "label", "fraud")

    def test_marks_the_rows(self, tmp_path):
        problem = read_text(tmp_path, "a,b,label\n1,2,spam\n3,4,ham\n5,6,\n", positive="spam")
        assert problem.y.tolist() == [1, 0, 0]
        assert problem.positive == "spam"


@pytest.mark.parametrize("max_rows", [None, 4])
def test_rows_have_the_numbers_of_the_file_whether_sampled_or_not_and_empty_lines_count(tmp_path, max_rows):
    lines = ["0,0,1", "1,5,0", "", "3,7,0", "4,2,0", "5,1,0", "6,9,1"]
    problem = read_text(tmp_path, "\n".join(["a,b,label", *lines, ""]), max_rows=max_rows)
    assert problem.row_numbers.tolist() == problem.X[:, 0].tolist()
    assert {0, 6} <= set(problem.row_numbers)


class TestLargeFiles:
    def table(self, n_rows=5000):
        rng = np.random.default_rng(0)
        columns = {f"c{i}": rng.random(n_rows) for i in range(4)}
        return pl.DataFrame({**columns, "label": (np.arange(n_rows) % 100 == 7).astype(int)})

    @pytest.mark.parametrize("name", ["big.csv", "big.parquet", "big.csv.gz"])
    def test_are_sampled_and_every_labelled_row_is_kept(self, tmp_path, name):
        table, path = self.table(), tmp_path / name
        writers = {"big.csv": table.write_csv, "big.parquet": table.write_parquet}
        if name in writers:
            writers[name](path)
        else:
            path.write_bytes(gzip.compress(table.write_csv().encode()))
        problem = read_problem(str(path), Reading("label", max_rows=400))
        assert problem.X.shape == (400, 4)
        assert problem.y.sum() == 50
        assert "400 of 5000 rows were read, all 50 labelled ones and random others, as --max-rows" in problem.notes[0]
        assert np.array_equal(table.drop("label").to_numpy()[problem.row_numbers], problem.X)
        assert np.array_equal(table["label"].to_numpy()[problem.row_numbers], problem.y)

    def test_are_measured_by_memory(self, tmp_path):
        self.table().write_csv(tmp_path / "big.csv")
        problem = read_problem(str(tmp_path / "big.csv"), Reading("label", max_memory=120 * 1000))
        assert len(problem.y) == 1000
        assert "1000 of 5000 rows" in problem.notes[0]
        assert "for want of memory" in problem.notes[0]
        assert len(read_problem(str(tmp_path / "big.csv"), READING).y) == 5000

    def test_a_limit_below_the_number_of_labelled_rows_is_refused(self, tmp_path):
        self.table().write_csv(tmp_path / "big.csv")
        with pytest.raises(ValueError, match="50 rows are labelled positive, but only 20"):
            read_problem(str(tmp_path / "big.csv"), Reading("label", max_rows=20))

    def test_are_written_with_all_their_rows(self, tmp_path):
        self.table().write_csv(tmp_path / "big.csv")
        problem = read_problem(str(tmp_path / "big.csv"), Reading("label", max_rows=400))
        problem.write(np.array([False, True, False, True]), tmp_path / "out.parquet")
        out = pl.read_parquet(tmp_path / "out.parquet")
        assert out.equals(self.table().select("c1", "c3", "label"))


@pytest.mark.parametrize("name", ["o.csv", "o.tsv", "o.csv.gz", "o.parquet", "o.arrow", "o.feather"])
def test_output_has_the_columns_selected_and_the_label_as_they_were(tmp_path, name):
    text = "id,a,colour,label\n7,1.5,red,yes\n8,2.5,blue,\n9,,red,no\n"
    problem = read_text(tmp_path, text, encode=True, impute="median", positive="yes")
    assert problem.names == ("id", "a", "colour=red")
    problem.write(np.array([False, True, True]), tmp_path / name)
    readers = {"o.parquet": pl.read_parquet, "o.arrow": pl.read_ipc, "o.feather": pl.read_ipc}
    tabs = {"separator": "\t"} if name == "o.tsv" else {}
    out = readers.get(name, lambda path: pl.read_csv(path, **tabs))(tmp_path / name)
    assert out.rows() == [(1.5, "red", "yes"), (2.5, "blue", None), (None, "red", "no")]


class TestCosts:
    @pytest.mark.parametrize(
        ("name", "text"),
        [
            ("c.csv", "feature,cost\nage,1\nscan,250.5\n"),
            ("c.csv", "age,1\nscan,250.5\n"),
            ("c.json", json.dumps({"age": 1, "scan": 250.5})),
        ],
    )
    def test_are_read(self, tmp_path, name, text):
        (tmp_path / name).write_text(text)
        assert read_costs(tmp_path / name) == {"age": 1.0, "scan": 250.5}

    @pytest.mark.parametrize(
        ("name", "text", "message"),
        [
            ("c.csv", "", "is empty"),
            ("c.csv", "feature,cost\nage\n", "lines of name,cost"),
            ("c.csv", "age,1\nscan,dear\n", "lines of name,cost"),
            ("c.json", "[1, 2]", "must hold an object"),
            ("c.json", "{", "is not JSON"),
        ],
    )
    def test_in_another_form_are_refused(self, tmp_path, name, text, message):
        (tmp_path / name).write_text(text)
        with pytest.raises(ValueError, match=message):
            read_costs(tmp_path / name)


def test_names_are_split_at_commas_outside_quotes():
    assert split_names(["a,b", "c"]) == ("a", "b", "c")
    assert split_names(['"x, y",z', "", "z"]) == ("x, y", "z")


