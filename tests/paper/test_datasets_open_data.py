import csv
import doctest
from functools import cache
from pathlib import Path

import numpy as np
import polars as pl
import pytest
import uci_files
from uci_files import csv_lines

from puselect_paper.datasets import load_ionosphere, load_rt_iot2022, load_spambase, open_data

LOADERS = {"spambase": load_spambase, "ionosphere": load_ionosphere, "rt_iot2022": load_rt_iot2022}
FEW_VALUES = {
    "bwd_URG_flag_count",
    "fwd_URG_flag_count",
    "flow_CWR_flag_count",
    "flow_ECE_flag_count",
    "fwd_header_size_min",
    "bwd_header_size_min",
    "fwd_header_size_max",
    "flow_SYN_flag_count",
    "bwd_header_size_max",
    "flow_RST_flag_count",
    "flow_FIN_flag_count",
    "fwd_init_window_size",
}


@pytest.fixture(scope="module", autouse=True)
def _each_file_is_read_once():
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(open_data, "fetch_csv", cache(open_data.fetch_csv))
        yield


@pytest.fixture(scope="session")
def data_home() -> Path:
    return uci_files.data_home()


@pytest.fixture(scope="session")
def flows(data_home):
    return load_rt_iot2022(data_home=data_home)


@pytest.mark.parametrize(
    ("name", "shape", "n_positive", "label_rate"),
    [
        ("spambase", (4601, 57), 1813, 0.03),
        ("ionosphere", (351, 34), 126, 0.10),
        ("rt_iot2022", (28458, 67), 1536, 0.02),
    ],
)
def test_each_data_set_has_the_size_the_paper_prints(name, shape, n_positive, label_rate, data_home, request):
    data_set = request.getfixturevalue("flows") if name == "rt_iot2022" else LOADERS[name](data_home=data_home)
    assert data_set.data.shape == shape
    assert data_set.data.dtype == np.float64
    assert data_set.data.flags.c_contiguous
    assert np.isfinite(data_set.data).all()
    assert data_set.target.dtype == np.int64
    assert np.bincount(data_set.target).tolist() == [shape[0] - n_positive, n_positive]
    assert len(set(data_set.feature_names)) == shape[1]
    assert data_set.label_rate == label_rate
    assert "CC BY 4.0" in data_set.DESCR
    assert "https://doi.org/10.24432/" in data_set.DESCR


@pytest.mark.parametrize(("name", "positive"), [("spambase", "1"), ("ionosphere", "b")])
def test_values_are_those_of_the_file(name, positive, data_home):
    header, *rows = csv.reader(csv_lines(data_home, name))
    X, y = LOADERS[name](data_home=data_home, return_X_y=True)
    assert LOADERS[name](data_home=data_home).feature_names == header[:-1]
    np.testing.assert_array_equal(X, [[float(field) for field in row[:-1]] for row in rows])
    np.testing.assert_array_equal(y, [row[-1] == positive for row in rows])


def test_spam_comes_first_in_spambase(data_home):
    spam = load_spambase(data_home=data_home)
    assert (np.diff(spam.target) <= 0).all()
    assert spam.feature_names[0] == "word_freq_make"
    assert spam.feature_names[48:54] == [f"char_freq_{sign}" for sign in ";([!$#"]
    assert spam.data[:, -1].max() == 15841


def test_second_attribute_of_ionosphere_is_constant(data_home):
    radar = load_ionosphere(data_home=data_home)
    assert radar.feature_names == [f"Attribute{number}" for number in range(1, 35)]
    assert not radar.data[:, 1].any()
    assert np.bincount(radar.data[:, 0].astype(int)).tolist() == [38, 313]
    assert np.abs(radar.data).max() <= 1


def test_assumed_columns_are_neither_text_nor_ports_nor_categories(flows, data_home):
    names = csv_lines(data_home, "rt_iot2022")[0].split(",")[:-1]
    left_out = {"proto", "service", "id.orig_p", "id.resp_p"} | FEW_VALUES
    assert flows.feature_names == [name for name in names if name not in left_out]
    distinct = {name: len(set(flows.data[:, j])) for j, name in enumerate(flows.feature_names)}
    assert min(distinct.values()) == 56
    assert distinct["bwd_init_window_size"] == distinct["fwd_bulk_packets"] == 56


def test_numeric_columns_are_all_but_the_text(flows, data_home):
    wide = load_rt_iot2022(data_home=data_home, columns="numeric")
    assert wide.data.shape == (28458, 81)
    assert wide.feature_names[:3] == ["id.orig_p", "id.resp_p", "flow_duration"]
    kept = [wide.feature_names.index(name) for name in flows.feature_names]
    np.testing.assert_array_equal(wide.data[:, kept], flows.data)
    assert len(np.unique(wide.data[:, wide.feature_names.index("fwd_init_window_size")])) == 19


def test_positive_flows_are_the_two_attacks_of_the_paper(data_home):
    columns = ["flow_duration", "id.resp_p"]
    chosen = load_rt_iot2022(data_home=data_home, columns=columns)
    rows = pl.read_csv(data_home / "rt_iot2022.csv.gz").filter(pl.col("Attack_type") != "DOS_SYN_Hping")
    assert chosen.feature_names == columns
    np.testing.assert_array_equal(chosen.data, rows.select(columns).to_numpy())
    attacks = rows["Attack_type"].filter(pl.Series(chosen.target == 1)).unique()
    assert set(attacks) == {"NMAP_TCP_scan", "DDOS_Slowloris"}


@pytest.mark.parametrize("columns", ["assumed68", "flow_duration", [], ["proto"], ["Attack_type"], ["flow"]])
def test_unknown_columns_are_refused(columns, data_home):
    with pytest.raises(ValueError, match="columns must be 'assumed67', 'numeric' or a list"):
        load_rt_iot2022(data_home=data_home, columns=columns)


def test_examples_of_the_docstrings_hold(data_home, monkeypatch):
    monkeypatch.setenv("PUSELECT_DATA", str(data_home))
    runner = doctest.DocTestRunner()
    for name, loader in LOADERS.items():
        for test in doctest.DocTestFinder().find(loader, name):
            for example in test.examples:
                example.options.clear()
            runner.run(test)
    assert runner.summarize().attempted == 9
    assert runner.summarize().failed == 0
