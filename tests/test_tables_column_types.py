"""Numbers written as text, and values that stand for missing."""

import re

import numpy as np
import polars as pl
import pytest

from puselect import Preparer
from puselect.tables.column_types import NumberFormat, missing_code, number_formats
from puselect.tables.errors import TableError, UnreadNote
from puselect.tables.loading import TableSpec, apply_encoders, load_table

AMOUNTS = [37.5, 1299.0, 12_450.75, 0.5, 980.0, 2500.0, 1.25, 64.0] * 5
FORMATS = {
    "percent": lambda x: f"{x:.2f}%",
    "before": lambda x: f"€{x:,.2f}",
    "after": lambda x: f"{x:,.2f} USD",
    "german": lambda x: f"{x:_.2f} €".replace(".", ",").replace("_", "."),
    "french": lambda x: f"{x:_.2f}".replace(".", ",").replace("_", "\u202f"),
    "swiss": lambda x: f"CHF {x:_.2f}".replace("_", "'"),
    "comma": lambda x: f"{x:.2f}".replace(".", ","),
    "negative": lambda x: f"-${x:.2f}",
}


def fitted(values, **parameters):
    """A preparer of one column of text beside a column of numbers, and the features."""
    table = pl.DataFrame({"text": values, "number": np.arange(len(values)) % 7})
    preparer = Preparer(**parameters)
    return preparer, preparer.fit_transform(table)


@pytest.mark.parametrize("name", FORMATS)
def test_numbers_are_read_as_they_are_written_and_so_are_those_of_another_table(name):
    preparer, made = fitted([FORMATS[name](x) for x in AMOUNTS])
    sign = -1 if name == "negative" else 1
    assert made["text"].to_list() == [sign * x for x in AMOUNTS]
    assert preparer.outcomes_[0].action == "number"
    later = pl.DataFrame({"text": [FORMATS[name](x) for x in (2000.0, 3.25)], "number": [1, 2]})
    assert preparer.transform(later)["text"].to_list() == [sign * 2000, sign * 3.25]


def test_what_a_file_says_about_thousands_holds_for_another_file(tmp_path):
    rows = [f"{1000 + 50 * i:_}".replace("_", ".") for i in range(30)] + ["1.250.000"]
    lines = [f"{text},{i % 5 / 2},{int(i < 5)}" for i, text in enumerate(rows)]
    (tmp_path / "fit.csv").write_text("\n".join(["amount,rate,label", *lines]))
    table = load_table(str(tmp_path / "fit.csv"), TableSpec("label"))
    assert table.X["amount"][0] == 1000
    assert table.X["amount"][30] == 1_250_000
    (tmp_path / "new.csv").write_text("\n".join(["amount,rate,label", *lines[:-1]]))  # each looks like 1.05
    assert apply_encoders(str(tmp_path / "new.csv"), table.encoders, ["amount"]).X[1, 0] == 1050


@pytest.mark.parametrize(("values", "mark"), [(["1,299", "7"], ","), (["€1.299", "€2.500"], ".")])
def test_a_number_that_may_be_a_thousand_is_a_question_with_its_answer(values, mark):
    with pytest.raises(TableError, match=f"in column 'text' .* or --decimal={re.escape(mark)} for"):
        fitted(values * 20)
    assert fitted(values * 20, decimal=mark)[1]["text"][0] == 1.299
    assert fitted(values * 20, decimal="." if mark == "," else ",")[1]["text"][0] == 1299


def test_other_numbers_of_the_file_answer_it(tmp_path):
    lines = [f'"1,{100 + i}",{i % 5 / 2},{int(i < 5)}' for i in range(30)]
    (tmp_path / "d.csv").write_text("\n".join(["amount,rate,label", *lines]))
    assert load_table(str(tmp_path / "d.csv"), TableSpec("label")).X["amount"][0] == 1100


@pytest.mark.parametrize("marker", [" ", "-", "Unknown", "N.A.", "#VALUE!"])
def test_blanks_and_markers_among_numbers_are_missing(marker):
    preparer, made = fitted([marker if i == 3 else f"{x:.2f}" for i, x in enumerate(AMOUNTS)])
    known = np.delete(AMOUNTS, 3)
    assert made["text"][3] == np.median(known)
    assert np.array_equal(np.delete(made["text"].to_numpy(), 3), known)
    later = pl.DataFrame({"text": [marker] + ["2.5"] * 40, "number": [1] * 41})
    assert preparer.transform(later)["text"][0] == np.median(known)


def test_a_few_texts_among_many_numbers_are_missing_with_a_note():
    preparer, made = fitted([f"{i}.5%" for i in range(60)] + ["see note"])
    assert made["text"][60] == 30.0
    assert UnreadNote("text", "cannot be read as number", 61, 0, 1, ("see note",)) in preparer.notes_


@pytest.mark.parametrize(("texts", "expected"), [
    ([f"{i}.5%" for i in range(40)] + ["high"] * 10, "10 values among numbers cannot be read as one, such as 'high' "
     "(if it means missing, add --missing=text=high)"),
    ([f"€{i}.5" for i in range(25)] + [f"{i}.5 USD" for i in range(25)], "amounts in several units (USD, €); convert "
     "them to one first (or leave it out with --drop)"),
    ([None] * 58 + ["1", "2"], "almost empty: 2 values (use it with --use)"),
])  # fmt: skip
def test_columns_that_cannot_be_read_are_left_out_for_a_reason(texts, expected, tmp_path):
    pl.DataFrame({"text": texts, "a": np.arange(len(texts)) % 7, "b": np.arange(len(texts)) % 5,
                  "label": (np.arange(len(texts)) < 9).astype(int)}).write_parquet(tmp_path / "t.parquet")
    (left_out,) = load_table(str(tmp_path / "t.parquet"), TableSpec("label", prepare=True)).left_out
    assert (left_out.name, str(left_out)) == ("text", expected)


def test_texts_that_are_named_are_missing_in_their_column_only():
    values = [f"{i}.5%" for i in range(40)] + ["high"] * 10
    assert fitted(values, missing_codes=["text=high"])[1]["text"][45] == 20.0
    made = fitted(values, missing_codes=["text=high", "number=0"])[1]
    assert made["number"][0] == 3.5
    assert made["text"][0] == 0.5


def test_pairs_are_two_numbers_of_one_feature():
    preparer, made = fitted(["250/500", "100/300", "500/1000"] * 10)
    assert made.rows()[:2] == [(250, 500, 0), (100, 300, 1)]
    assert preparer.groups_ == {"text": ["text", "text (second)"]}


@pytest.mark.parametrize("values", [["0", "1", "2", "3+"], ["12 kg", "13 kg"], ["1.2.3", "1.3.0"], ["A1", "A2"]])
def test_texts_that_are_not_numbers_stay_categories(values):
    preparer, _ = fitted(values * 10)
    assert preparer.outcomes_[0].action == "categories"


@pytest.mark.parametrize(("texts", "day"), [
    (["17-10-2014", "27-06-2006"], 16360), (["10-17-2014", "06-27-2006"], 16360),
    (["2014-10-17T03:00:00+03:00", "2006-06-27T00:00:00Z"], 16360),
    (["2014-10-17 06:00:00.5", "2006-06-27 00:00:00"], 16360.25 + 0.5 / 86_400),
])  # fmt: skip
def test_dates_are_read_by_the_format_that_fits(texts, day):
    assert fitted(texts * 10)[1]["text"][0] == pytest.approx(day, abs=1e-9)


@pytest.mark.parametrize(("values", "expected"), [
    ([*range(16, 80)] * 5 + [0] * 10, (0, 10)),
    ([*range(1, 80)] * 5 + [0] * 10, None),
    ([*range(1, 80)] * 5 + [-1] * 10, (-1, 10)),
    ([*range(0, 80)] * 5 + [-1] * 10, None),
    ([100.0 * i for i in range(1, 90)] * 3 + [0] * 200, None),
    ([*range(16, 80)] * 5 + [0], None),
])  # fmt: skip
def test_a_zero_or_minus_one_far_from_the_other_values_may_mean_missing(values, expected):
    assert missing_code(np.array(values, dtype=float)) == expected


def test_formats_that_read_the_same_numbers_are_one_and_a_column_of_codes_is_empty():
    assert number_formats(["5", "12"], [1, 3]) == [NumberFormat()]
    assert number_formats(["five", "twelve"], [1, 3]) == []
    table = pl.DataFrame({"a": [1, 2, 3], "b": [-9, -9, -9]})
    assert str(Preparer(missing_codes=[-9]).fit(table).outcomes_[1]) == "b: left out: empty"


def test_a_flag_for_missing_values_is_not_made_where_a_column_has_it():
    values = [None if i % 3 == 0 else float(i) for i in range(60)]
    table = pl.DataFrame({"T3": values, "T3_measured": ["f" if i % 3 == 0 else "t" for i in range(60)]})
    assert Preparer().fit_transform(table).columns == ["T3", "T3_measured=t"]
