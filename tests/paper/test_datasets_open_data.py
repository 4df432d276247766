import csv
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
    "bwd_URG_flag_count", "fwd_URG_flag_count", "flow_CWR_flag_count", "flow_ECE_flag_count", "fwd_header_size_min",
    "bwd_header_size_min", "fwd_header_size_max", "flow_SYN_flag_count", "bwd_header_size_max", "flow_RST_flag_count",
    "flow_FIN_flag_count", "fwd_init_window_size",
}  # fmt: skip


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


@pytest.mark.parametrize(("name", "positive"), [("spambase", "1"), ("ionosphere", "b")])
def test_values_are_those_of_the_file(name, positive, data_home):
    header, *rows = csv.reader(csv_lines(data_home, name))
    loaded = LOADERS[name](data_home=data_home)
    assert loaded.feature_names == header[:-1]
    np.testing.assert_array_equal(loaded.data, [[float(field) for field in row[:-1]] for row in rows])
    np.testing.assert_array_equal(loaded.target, [row[-1] == positive for row in rows])


def test_assumed_columns_are_neither_text_nor_ports_nor_categories(flows, data_home):
    names = csv_lines(data_home, "rt_iot2022")[0].split(",")[:-1]
    left_out = {"proto", "service", "id.orig_p", "id.resp_p"} | FEW_VALUES
    assert flows.feature_names == [name for name in names if name not in left_out]
    distinct = {name: len(set(flows.data[:, j])) for j, name in enumerate(flows.feature_names)}
    assert min(distinct.values()) == 56
    assert distinct["bwd_init_window_size"] == distinct["fwd_bulk_packets"] == 56


def test_positive_flows_are_the_two_attacks_of_the_paper(flows, data_home):
    rows = pl.read_csv(data_home / "rt_iot2022.csv.gz").filter(pl.col("Attack_type") != "DOS_SYN_Hping")
    np.testing.assert_array_equal(flows.data, rows.select(flows.feature_names).to_numpy())
    attacks = rows["Attack_type"].filter(pl.Series(flows.target == 1)).unique()
    assert set(attacks) == {"NMAP_TCP_scan", "DDOS_Slowloris"}
