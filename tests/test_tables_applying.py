from datetime import date, timedelta

import numpy as np
import polars as pl
import pytest

from puselect.tables.errors import TableError
from puselect.tables.loading import TableSpec, apply_encoders, load_table

ROWS = 60
FRAME = pl.DataFrame({
    "day": [date(2024, 1, 1) + timedelta(days=i) for i in range(ROWS)],
    "code": ["01", "02", "X9"] * (ROWS // 3), "sex": ["f", "m"] * (ROWS // 2), "x": np.arange(ROWS) / 8,
    "grade": pl.Series(["1", "02"] * (ROWS // 2), dtype=pl.Enum(["1", "02"])), "label": [1] * 20 + [0] * 40,
})  # fmt: skip
NEW = FRAME.filter(pl.col("code") != "X9")  # all codes look like numbers


@pytest.fixture(scope="module")
def table(tmp_path_factory):
    path = tmp_path_factory.mktemp("applying") / "fit.parquet"
    FRAME.write_parquet(path)
    return load_table(str(path), TableSpec("label", prepare=True))


@pytest.mark.parametrize(("name", "write", "options"), [
    ("new.parquet", NEW.write_parquet, {}), ("new.arrow", NEW.write_ipc, {}), ("new.csv", NEW.write_csv, {}),
    ("new.tsv", NEW.write_csv, {"separator": "\t"}), ("quoted.csv", NEW.write_csv, {"quote_style": "always"}),
    ("semicolons.csv", NEW.write_csv, {"separator": ";", "decimal_comma": True}),
])  # fmt: skip
def test_the_same_rows_in_every_format_are_the_same_features(table, tmp_path, name, write, options):
    write(tmp_path / name, **options)
    found = apply_encoders(str(tmp_path / name), table.encoders, table.names)
    assert np.array_equal(found.X, table.X.filter(FRAME["code"] != "X9").to_numpy())
    assert found.notes == ()


def test_codes_keep_their_zeros_below_a_header_with_blanks(table, tmp_path):
    path = tmp_path / "blanks.csv"
    path.write_text(NEW.write_csv().replace("code", " code "))
    found = apply_encoders(str(path), table.encoders, ["code=01", "code=X9"])
    assert found.X.sum(axis=0).tolist() == [20, 0]
    assert found.rows.frame["code"].to_list() == NEW["code"].to_list()


@pytest.mark.parametrize(("name", "values"), [
    ("day", pl.col("day").dt.strftime("%d/%m")), ("x", pl.format("{} kg", "x")), ("code", pl.lit("1")),
])  # fmt: skip
def test_a_file_with_a_column_of_another_format_is_refused_by_name(table, tmp_path, name, values):
    NEW.with_columns(values.alias(name)).write_csv(tmp_path / "new.csv")
    with pytest.raises(ValueError, match=f"^'{name}': {NEW.height} of {NEW.height} values"):
        apply_encoders(str(tmp_path / "new.csv"), table.encoders, table.names)


@pytest.mark.parametrize(("rows", "said"), [(NEW[:0], "no rows"), (NEW.with_columns(x=None), "missing")])
def test_columns_that_were_numbers_must_be_whole(tmp_path, rows, said):
    rows.write_csv(tmp_path / "new.csv")
    with pytest.raises(TableError, match=said):
        apply_encoders(str(tmp_path / "new.csv"), (), ["x"])


def test_missing_values_are_counted(table, tmp_path):
    NEW.with_columns(pl.when(pl.col("x") > 1).then(pl.col("x"))).write_csv(tmp_path / "new.csv")
    (note,) = apply_encoders(str(tmp_path / "new.csv"), table.encoders, table.names).notes
    assert (note.name, note.n_missing, note.n_unread) == ("x", 6, 0)
    assert note.is_many
