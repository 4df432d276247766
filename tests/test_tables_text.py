import re

import polars as pl
import pytest

from puselect.tables.errors import TableError
from puselect.tables.text import has_decimal_commas


@pytest.fixture
def ask(tmp_path):
    return lambda *columns: decide(tmp_path / "table.csv", columns)


def decide(path, columns):
    names = [f"c{place}" for place in range(len(columns))]
    pl.DataFrame(columns, schema=dict.fromkeys(names, pl.String)).write_csv(path, separator=";")
    schema = pl.scan_csv(path, separator=";", decimal_comma=True).collect_schema()
    return has_decimal_commas(schema, pl.scan_csv(path, separator=";", infer_schema=False))


@pytest.mark.parametrize(("columns", "expected"), [
    ([["1,5", "2"], ["3", "4"]], True),
    ([["1,500", "2,25"], ["1,000", None]], True),
    ([["0,125", "1,000"]], True),
    ([["1234,567", "1,000"]], True),
    ([["-1,5e3", "2,5"], ["1,234", "x"]], True),
    ([["1.5", "2"], ["3", "4"]], False),
    ([["1.000", "2.000"], ["3", "4"]], False),
    ([["1.500", "12.5"], ["1,5", "1,000"]], True),
    ([["1,000 rows", "2"], ["3", "4"]], False),
    ([["31.12.2024", "1.1.2024"], ["1,5", "2"]], True),
    ([[None, None], [None, None]], False),
    ([["1e5", "2"], ["3", "4"]], False),
])  # fmt: skip
def test_a_decimal_comma_has_a_fraction_that_is_no_group_of_digits(ask, columns, expected):
    assert ask(*columns) is expected


@pytest.mark.parametrize(("columns", "column", "value"), [
    ([["1.5", "2.5"], ["995", "1,000"]], "c1", "1,000"),
    ([["1,000", "-12,345"]], "c0", "1,000"),
    ([["1,5", "2"], ["995", " 1.000"]], "c1", "1.000"),
    ([["1,5", "2"], ["0.5", "2"], ["7", "1,000"]], "c2", "1,000"),
])  # fmt: skip
def test_a_number_that_may_be_a_thousand_is_a_question(ask, columns, column, value):
    with pytest.raises(TableError, match=re.escape(f"is {value} in column '{column}'")):
        ask(*columns)
