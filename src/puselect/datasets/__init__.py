"""Data to select features on: the paper's artificial conditions and its three open data sets, and harder ones."""

from puselect.datasets.export import make_fraud_export
from puselect.datasets.fraud import make_fraud_table
from puselect.datasets.noise import LAWS
from puselect.datasets.open_data import load_ionosphere, load_rt_iot2022, load_spambase
from puselect.datasets.synthetic import CONDITIONS, hide_labels, make_pu_clusters

__all__ = [
    "CONDITIONS",
    "LAWS",
    "hide_labels",
    "load_ionosphere",
    "load_rt_iot2022",
    "load_spambase",
    "make_fraud_export",
    "make_fraud_table",
    "make_pu_clusters",
]
