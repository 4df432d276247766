import pickle
import re
import subprocess
import sys
import warnings
from dataclasses import asdict
from datetime import date, datetime, timedelta, timezone
from decimal import Decimal

import numpy as np
import pandas as pd
import polars as pl
import pytest
from scipy.sparse import csr_array
from sklearn.base import clone
from sklearn.pipeline import make_pipeline

from puselect import FSCPU, Preparer, prepare
from puselect.datasets import make_fraud_export
from puselect.exceptions import LeakWarning, UnreadValuesWarning
from puselect.report import Selection, summarise
from puselect.selectors.groups import read_groups
from puselect.tables.column import table_columns
from puselect.tables.encoders import Encoder
from puselect.tables.errors import CodeNote, FilledNote, IdentifierNote, LeakNote, TwinNote
from puselect.tables.loading import TableSpec, load_table


@pytest.fixture(scope="session")
def export():
    return make_fraud_export(n_rows=3000, random_state=0)


@pytest.fixture(scope="session")
def prepared(export):
    table, _ = export
    y = table["known_fraud"]
    preparer = Preparer(pos_label="yes", missing_codes=[-9], drop=["is_fraud"])
    with pytest.warns(LeakWarning, match="60 of 60 known positives have a value in 'case_number'; 0% of the others do"):
        return preparer, preparer.fit_transform(table.drop(columns="known_fraud"), y)


def test_every_column_of_a_messy_export_has_its_fate_and_what_is_worth_knowing_is_noted(export, prepared):
    outcomes = {outcome.column: outcome for outcome in prepared[0].outcomes_}
    assert list(outcomes) == [name for name in export[0].columns if name != "known_fraud"]
    expected = {
        "transaction_id": "identifier", "account": "identifier", "is_fraud": "drop", "case_number": "sparse",
        "booked_at": "date", "country": "categories", "channel": "categories", "count_3_copy": "copy",
        "currency": "constant", "amount_1": "number",
    }  # fmt: skip
    assert {name: outcomes[name].action for name in expected} == expected
    assert all(outcome.text for outcome in outcomes.values())
    notes = prepared[0].notes_
    assert any(note.names[0].startswith("amount") for note in notes if isinstance(note, TwinNote))
    assert {note.name for note in notes if isinstance(note, LeakNote)} == {"case_number"}
    assert not any(isinstance(note, IdentifierNote | CodeNote) for note in notes)
    (filled,) = (note for note in notes if isinstance(note, FilledNote))
    assert {"imputed_1", "imputed_4", "days_as_customer"} <= set(filled.counts)
    groups = prepared[0].groups_
    assert groups["channel"] == [f"channel={name}" for name in ("app", "phone", "shop", "web")]
    assert groups["imputed_1"] == ["imputed_1", "imputed_1 is missing"]


def test_features_are_finite_numbers_and_new_rows_are_treated_alike(export, prepared):
    preparer, features = prepared
    assert np.isfinite(features.to_numpy()).all()
    assert list(features.columns) == list(preparer.get_feature_names_out())
    pd.testing.assert_frame_equal(preparer.transform(export[0]), features)
    strange = export[0].head(10).copy()
    strange.loc[:2, ["channel", "imputed_1", "booked_at"]] = "fax", np.nan, "soon"
    with pytest.warns(UnreadValuesWarning) as heard:
        made = preparer.transform(strange)
    assert sorted(str(warning.message).split("'")[1] for warning in heard) == ["booked_at", "channel", "imputed_1"]
    assert (made.filter(like="channel=").head(3) == 0).all(axis=None)
    assert (made["imputed_1 is missing"].head(3) == 1).all()
    assert np.isfinite(made.to_numpy()).all()


def test_in_a_pipeline_with_columns_that_come_back_by_name(export):
    table, _ = export
    X, y = table.drop(columns="known_fraud"), table["known_fraud"]
    use = ["is_fraud", "case_number", "transaction_id", "count_3_copy"]
    features = Preparer(pos_label="yes", use=use).fit_transform(X, y)
    assert set(use) <= set(features.columns)
    fewer = Preparer(pos_label="yes", drop=["country"], drop_duplicates=0.99).fit(X)
    actions = {outcome.column: (outcome.action, outcome.text) for outcome in fewer.outcomes_}
    assert actions["country"][0] == "drop"
    (usd,) = (name for name in actions if name.endswith("_usd"))
    assert actions[usd] == ("copy", f"left out: says the same as {usd.removesuffix('_usd')}")
    table = export[0][["booked_at", "channel", "amount_1", "count_1", "imputed_1", "risk"]]
    selector = FSCPU(3, groups="prepared", pos_label="yes", max_iter=2, random_state=0)
    pipeline = make_pipeline(Preparer(pos_label="yes"), selector).fit(table, export[0]["known_fraud"])
    assert {name: len(columns) for name, columns in pipeline[1].groups_.items()} == {
        name: len(columns) for name, columns in pipeline[0].groups_.items()
    }
    assert len(set(pipeline[1].ranking_[pipeline[1].support_])) == 3
    assert len(pipeline.transform(table)) == 3000
    assert clone(pipeline[0]).get_params() == pipeline[0].get_params()


def test_the_command_line_prepares_alike(export, prepared, tmp_path):
    path = tmp_path / "export.csv"
    export[0].to_csv(path, index=False)
    table = load_table(str(path), TableSpec("known_fraud", prepare=True, missing_codes=("-9",), drop=("is_fraud",)))
    assert table.names == list(prepared[1].columns)
    assert np.allclose(table.X.to_numpy(), prepared[1].to_numpy())


DAYS = [date(2024, 1, 1), date(2024, 1, 31), None]


def test_pandas_and_polars_give_the_same():
    frame = pd.DataFrame({
        "day": pd.to_datetime(DAYS),
        "size": pd.Categorical(["m", "s", None], ["s", "m"], ordered=True),
        "wait": pd.to_timedelta([1, 5, 2], "h"),
        "whole": pd.array([1, None, 3], dtype="Int64"),
        "mixed": ["a", 1, None],
        "flag": [True, False, True],
    })
    same = prepare(pl.DataFrame({
        "day": DAYS,
        "size": pl.Series(["m", "s", None], dtype=pl.Enum(["s", "m"])),
        "wait": [timedelta(hours=1), timedelta(hours=5), timedelta(hours=2)],
        "whole": [1, None, 3],
        "mixed": ["a", "1", None],
        "flag": [True, False, True],
    }))
    made = prepare(frame)
    assert list(made.columns) == same.columns
    assert np.array_equal(made.to_numpy(), same.to_numpy())
    assert made.index.equals(frame.index)
    assert same.columns[:3] == ["day", "day is missing", "size"]  # sizes are missing where days are: told once
    assert same["day"].to_list() == [19723, 19753, 19738]
    assert same["size"].to_list() == [1, 0, 0.5]


WITHOUT_POLARS = """
import pickle, sys

class Absent:
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] == "polars":
            raise ImportError(name)

sys.meta_path.insert(0, Absent())
from puselect import FSCPU, Preparer
export = pickle.load(sys.stdin.buffer)
X, y = export.drop(columns=["known_fraud", "is_fraud", "case_number"]), export["known_fraud"]
preparer = Preparer(pos_label="yes", drop=["account"]).fit(X, y)
made = preparer.transform(X)
FSCPU(3, groups="prepared", pos_label="yes", max_iter=2, random_state=0).fit(made, y)
assert "polars" not in sys.modules
sys.stdout.buffer.write(pickle.dumps((list(map(str, preparer.outcomes_)), made)))
"""


def test_a_pandas_frame_is_prepared_without_polars(export):
    done = subprocess.run(
        [sys.executable, "-c", WITHOUT_POLARS], input=pickle.dumps(export[0]), capture_output=True, check=True
    )
    outcomes, made = pickle.loads(done.stdout)
    X = pl.from_pandas(export[0].drop(columns=["known_fraud", "is_fraud", "case_number"]))
    preparer = Preparer(pos_label="yes", drop=["account"]).fit(X, export[0]["known_fraud"])
    assert outcomes == list(map(str, preparer.outcomes_))
    assert np.array_equal(made.to_numpy(), preparer.transform(X).to_numpy())


ZONE = timezone(timedelta(hours=2))


@pytest.mark.parametrize(("values", "kind", "expected"), [
    ([1, 2.5, None, True], "number", [1, 2.5, np.nan, 1]),
    ([Decimal("1.5"), float("nan")], "number", [1.5, np.nan]),
    ([datetime(1970, 1, 2, 14, tzinfo=ZONE), None], "moment", [1.5, np.nan]),
    ([date(1970, 1, 3), None], "date", [2, np.nan]),
    ([timedelta(seconds=2), None], "duration", [2e6, np.nan]),
    (["b", None, "a", "b"], "text", [0, -1, 1, 0]),
    (["b", 1, None], "text", [0, 1, -1]),
    ([[1], None], "list", [0, np.nan]),
])  # fmt: skip
def test_python_objects_have_the_type_of_their_values(values, kind, expected):
    objects = np.empty((len(values), 1), dtype=object)
    objects[:, 0] = values
    for table in (objects, pd.DataFrame(objects)):
        (column,) = table_columns(table).values()
        assert column.kind == kind
        np.testing.assert_array_equal(column.values, expected)


def test_types_of_pandas_are_read_by_what_they_hold():
    frame = pd.DataFrame({
        "sparse": pd.arrays.SparseArray([0, 0, 1.0]), "span": pd.interval_range(0, 3),
        "arrow": pd.array([1, None, 3], dtype="int64[pyarrow]"), "code": pd.Categorical([1, 2, 1]),
        "zone": pd.date_range("2024-01-01", periods=3, tz="Asia/Tokyo"),
    })  # fmt: skip
    columns = table_columns(frame)
    assert [column.kind for column in columns.values()] == ["number", "Interval", "number", "text", "moment"]
    assert columns["code"].is_category
    assert columns["arrow"].is_whole
    assert columns["zone"].values[0] == 19722.625


@pytest.mark.parametrize("parameters", [
    {"drop": ["nope"]}, {"use": ["nope"]}, {"orders": {"nope": ["a"]}}, {"max_categories": 1}, {"drop": "a"},
    {"drop_duplicates": "x"}, {"drop_duplicates": 0}, {"decimal": ";"},
])
def test_wrong_parameters_are_refused(parameters):
    with pytest.raises(ValueError, match=next(iter(parameters))):
        Preparer(**parameters).fit(pl.DataFrame({"a": [1, 2], "b": [2, 3]}))


def test_arrays_masked_or_of_long_doubles_are_tables():
    table = np.ma.masked_array([[1.0, 2.0], [3.0, 5.0], [9.0, 7.0]], mask=[[0, 0], [0, 1], [0, 0]])
    assert prepare(table).tolist() == [[1, 2, 0], [3, 4.5, 1], [9, 7, 0]]
    X = np.random.default_rng(0).random((60, 3))
    np.testing.assert_array_equal(prepare(X.astype(np.longdouble)), prepare(X))


@pytest.mark.parametrize(("X", "y", "message"), [
    (pl.LazyFrame({"a": [1, 2]}), None, "a data frame in memory .* got LazyFrame"),
    (pl.DataFrame({"a": [1, 1]}), None, "constant"),
    (pl.DataFrame({"a": [1, 2]}), [1, 0, 0], "each of the 2 rows"),
    (pd.DataFrame([[1, 2]], columns=["a", "a"]), None, "column names must be unique, got a more than once"),
    (pd.DataFrame({1: [1.0, 2.0], "1": [3.0, 4.0]}), None, "column names must be unique, got 1 more than once"),
    (csr_array(np.eye(2)), None, "a dense array .* got csr_array"),
    (np.zeros(3), None, r"of shape \(3,\)"),
])  # fmt: skip
def test_what_is_no_table_is_refused(X, y, message):
    with pytest.raises(ValueError, match=message):
        prepare(X, y)


def test_a_table_must_have_the_columns_of_the_fit():
    with pytest.raises(ValueError, match="'b'"):
        Preparer().fit(pl.DataFrame({"a": [1, 2], "b": [2, 3]})).transform(pl.DataFrame({"a": [1]}))


def hours_later(hours, begin=datetime(2024, 1, 1, 6)):  # a Monday
    return [begin + timedelta(hours=hour) for hour in hours]


def test_hours_and_weekdays_of_dates_whose_time_of_day_varies():
    moments = [*hours_later([0, 30.5, 24 * 20 + 3]), None]
    for column in (moments, [None if moment is None else f"{moment:%d.%m.%Y %H:%M}" for moment in moments]):
        preparer = Preparer().fit(pl.DataFrame({"when": column, "n": [1.0, 2, 4, 5]}))
        made = preparer.transform(pl.DataFrame({"when": column, "n": [1.0, 2, 4, 5]}))
        assert made.columns == ["when", "when (hour)", "when (weekday)", "when is missing", "n"]
        assert made["when (hour)"].to_list() == pytest.approx([6, 12.5, 9, 9])  # the median where it is missing
        assert made["when (weekday)"].to_list() == [0, 1, 6, 1]
        assert preparer.groups_ == {"when": made.columns[:4]}
        assert read_groups("prepared", made.columns, 5) == {"when": [0, 1, 2, 3]}
        assert Encoder(**asdict(preparer.encoders_[0])).names == tuple(made.columns[:4])


@pytest.mark.parametrize(("hours", "parts"), [
    ([0, 24, 24 * 30], []),  # always at six
    ([0, 5, 9], []),  # one day: the hour follows from the date
    ([0, 5, 24 * 5], ["when (hour)"]),  # less than two weeks: so does the weekday
    ([0, 5, 24 * 15], ["when (hour)", "when (weekday)"]),
])  # fmt: skip
def test_parts_of_dates_that_say_nothing_new_are_not_made(hours, parts):
    frame = pl.DataFrame({"when": hours_later(hours), "n": [1.0, 2, 4]})
    assert prepare(frame).columns == ["when", *parts, "n"]


def test_an_hour_that_tells_the_class_is_found():
    rng = np.random.default_rng(5000)
    classes = np.arange(400) < 100
    y = classes & (rng.random(400) < 0.4)
    hours = 24 * rng.integers(0, 200, 400) + np.where(classes, rng.uniform(1, 4, 400), rng.uniform(0, 24, 400))
    noise = {f"n{j}": rng.normal(size=400) for j in range(6)}
    table = pl.DataFrame({"booked": hours_later(hours), **noise})
    preparer = Preparer()
    features = preparer.fit_transform(table, y)
    selector = FSCPU(1, groups=preparer.groups_, max_iter=40, random_state=0).fit(features, y)
    assert set(selector.get_feature_names_out()) == {"booked", "booked (hour)", "booked (weekday)"}
    found = summarise(selector, features, y, preparer=preparer)
    assert (found.panels[0].name, found.panels[0].column) == ("booked", "booked (hour)")
    assert found.columns == preparer.outcomes_
    assert all(re.fullmatch(r"2024-\d\d-\d\d \d\d:\d\d", value) for value, in found.candidates.values)
    assert found.candidates.values[0][0][:16] == str(table["booked"][found.candidates.row[0]])[:16]
    assert Selection.from_json(found.to_json()).recipes == preparer.encoders_


ROWS = 40
FIT = pl.DataFrame({
    "day": [date(2024, 1, 1) + timedelta(days=i) for i in range(ROWS)],
    "moment": [datetime(2024, 1, 1) + timedelta(hours=7 * i) for i in range(ROWS)],
    "wait": pl.Series([timedelta(seconds=i) for i in range(ROWS)], dtype=pl.Duration("ms")),
    "code": ["01", "02", "03", "X9"] * (ROWS // 4),
    "sex": ["f", "m"] * (ROWS // 2),
    "size": pl.Series(["s", "m"] * (ROWS // 2), dtype=pl.Enum(["s", "m"])),
    "weight": [i / 4 for i in range(ROWS)],
    "flag": [i % 3 == 0 for i in range(ROWS)],
})


@pytest.fixture(scope="module")
def fitted():
    preparer = Preparer()
    return preparer, preparer.fit_transform(FIT)


def as_text(column, text_format):
    return FIT.with_columns(pl.col(column).dt.strftime(text_format))


@pytest.mark.parametrize("other", [
    FIT.with_columns(pl.col("wait").cast(pl.Duration("ns"))),
    FIT.with_columns(pl.col("moment").cast(pl.Datetime("ms"))),
    FIT.with_columns(pl.col("day").cast(pl.Datetime("ns"))),
    FIT.with_columns(pl.col("code", "sex", "size").cast(pl.Categorical)),
    FIT.with_columns(pl.col("weight", "day", "moment", "size").cast(str)),
    FIT.with_columns(pl.col("weight").cast(pl.Decimal(10, 2)), pl.col("flag").cast(pl.Int8)),
    as_text("day", "%d.%m.%Y"), as_text("day", "%m/%d/%Y"), as_text("moment", "%Y-%m-%d %H:%M"),
    FIT.to_pandas(),
    pl.read_csv(FIT.drop("wait").write_csv().encode(), schema_overrides={"code": str}).hstack([FIT["wait"]]),
])  # fmt: skip
def test_the_same_rows_in_other_types_give_the_same_features(fitted, other):
    preparer, features = fitted
    assert np.array_equal(np.asarray(preparer.transform(other)), features.to_numpy())


UNREADABLE = {
    "day": [pl.col("day").dt.year(), pl.col("moment").dt.time(), pl.lit("soon"), pl.lit("01/02/2024"), pl.lit([1, 2])],
    "moment": [pl.col("moment").dt.date(), pl.col("moment").dt.truncate("1d"), pl.col("moment").dt.date().cast(str),
               pl.col("moment").dt.epoch("s")],
    "wait": [pl.col("wait").dt.total_seconds(), pl.lit("1 s"), pl.col("day")],
    "code": [pl.Series([1, 2, 3, 4] * (ROWS // 4)), pl.lit([1]), pl.lit(b"\xff")],
    "sex": [pl.lit("female"), pl.lit(1)],
    "size": [pl.lit("small"), pl.lit(0)],
    "weight": [pl.lit("12 kg"), pl.lit("1,5"), pl.lit("1 000"), pl.col("wait"), pl.col("day"), pl.lit({"a": 1})],
}


@pytest.mark.parametrize(("name", "values"), [(name, some) for name in UNREADABLE for some in UNREADABLE[name]])
def test_a_column_of_another_type_or_format_is_one_sentence_that_names_it(fitted, name, values):
    preparer, _ = fitted
    other = FIT.with_columns(values.alias(name))
    with pytest.raises(ValueError, match=f"^'{name}': 40 of 40 values"):
        preparer.transform(other)


@pytest.mark.parametrize(("n_odd", "outcome"), [(0, None), (2, "log"), (3, "warning"), (20, "warning"), (21, "error")])
@pytest.mark.parametrize("name", ["weight", "sex", "day", "size"])
def test_what_cannot_be_read_is_counted(fitted, caplog, name, n_odd, outcome):
    preparer, _ = fitted
    values = [*["odd"] * n_odd, *FIT[name].cast(str)[n_odd:]]
    other = FIT.with_columns(pl.Series(name, values))
    error = None
    with caplog.at_level("INFO", "puselect"), warnings.catch_warnings(record=True) as heard:
        warnings.simplefilter("always")
        try:
            preparer.transform(other)
        except ValueError as caught:
            error = caught
    told = {"log": caplog.messages, "warning": [str(one.message) for one in heard], "error": [str(error)] * bool(error)}
    assert [kind for kind in told if told[kind]] == ([outcome] if outcome else [])
    assert all(f"'{name}': {n_odd} of 40" in text and "'odd'" in text for texts in told.values() for text in texts)


def test_missing_values_are_counted_where_there_are_more_than_in_the_fit(fitted):
    holes = FIT.with_columns(pl.when(pl.col("weight") < 5).then(pl.col("weight")))
    preparer = Preparer()
    features = preparer.fit_transform(holes)
    assert np.array_equal(preparer.transform(holes), features)  # half is missing, as in the fit
    with pytest.warns(UnreadValuesWarning, match="'weight': 40 of 40 values are missing"):
        preparer.transform(FIT.with_columns(weight=None))
    with pytest.raises(ValueError, match="'weight': 20 of 40 values cannot be read"):
        preparer.transform(holes.with_columns(pl.format("{} kg", "weight").alias("weight")))  # all that there are
    with pytest.warns(UnreadValuesWarning, match="'sex': 40 of 40 values are missing"):
        preparer.transform(FIT.with_columns(sex=pl.lit(float("nan"))))


@pytest.mark.parametrize(("prior", "shift"), [(0.02, 4), (0.01, 4), (0.01, 8), (0.1, 4)])
def test_the_class_itself_is_a_possible_leak_and_strong_features_are_not(prior, shift):
    rng = np.random.default_rng(0)
    classes = rng.random(5000) < prior
    X = rng.normal(size=(5000, 12))
    X[np.ix_(classes, range(6))] += shift
    y = np.isin(np.arange(5000), rng.choice(np.flatnonzero(classes), 40, replace=False))
    table = pl.DataFrame(X).with_columns(truth=pl.Series(classes), after=pl.Series(np.where(y, X[:, 11], np.nan)))
    with pytest.warns(LeakWarning):
        preparer = Preparer().fit(table, y)
    assert [note.name for note in preparer.notes_ if isinstance(note, LeakNote)] == ["truth", "after"]


def test_leaks_of_text_and_dates_are_noted_with_their_counts_and_companions():
    rng = np.random.default_rng(0)
    classes, n = np.arange(2000) < 600, 2000
    y = classes & (rng.random(n) < 0.1)
    status = np.where(classes, rng.choice(["open", "lost"], n), rng.choice(["open", "done"], n))
    reason = np.where(classes, rng.choice(["price", "move"], n), None)
    days = np.datetime64("2024-03-01") + rng.integers(0, 50, n) + np.where(classes, 50, 0)
    table = pl.DataFrame({"status": status, "status_by": rng.choice(["a", "b"], n), "reason": list(reason),
                          "day": days, "nr": np.arange(n) + 1000, "x": rng.normal(size=n)})  # fmt: skip
    with pytest.warns(LeakWarning):
        notes = {note.name: note for note in Preparer().fit(table, y).notes_ if isinstance(note, LeakNote)}
    assert {name: str(note.leak.kind) for name, note in notes.items()} == {
        "status": "value", "reason": "present", "day": "stretch", "nr": "stretch",
    }
    n_done = int((status == "done").sum())
    status_note = notes["status"]
    assert (status_note.bounds[0], status_note.leak.labelled, status_note.leak.others) == ("done", 0, n_done)
    assert status_note.companions == ("status_by",)
    assert notes["reason"].leak.others == 600 - y.sum()
    assert "2024-04-19" < notes["day"].bounds[0] < notes["day"].bounds[1] < "2024-06-10"


def test_costs_go_by_the_names_before_preparing_and_one_is_for_all_others(export):
    table = export[0][["channel", "amount_1", "count_1", "imputed_1", "risk"]].assign(
        sex=["f", "m"] * (len(export[0]) // 2)
    )
    X = Preparer().fit_transform(table)
    costs = {"channel": 3.0, "sex": 2.0, "imputed_1": 4.0, "*": 1.0}
    selector = FSCPU(groups="prepared", pos_label="yes", feature_costs=costs, budget=6, max_iter=2, random_state=0)
    found = dict(zip(X.columns, selector.fit(X, export[0]["known_fraud"]).feature_costs_, strict=True))
    assert (found["channel=web"], found["sex=m"], found["imputed_1 is missing"], found["amount_1"]) == (3, 2, 4, 1)
    del costs["*"], costs["sex"]
    with pytest.raises(ValueError, match="amount_1, count_1, risk, sex"):
        selector.set_params(feature_costs=costs).fit(X, export[0]["known_fraud"])
