"""Data to select features on: the paper's artificial conditions and its three open data sets."""

from puselect.datasets.open_data import load_ionosphere, load_rt_iot2022, load_spambase
from puselect.datasets.synthetic import CONDITIONS, hide_labels, make_pu_clusters

__all__ = [
    "CONDITIONS",
    "hide_labels",
    "load_ionosphere",
    "load_rt_iot2022",
    "load_spambase",
    "make_pu_clusters",
]
