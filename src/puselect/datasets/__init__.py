"""Data to select features on: the paper's artificial conditions, and harder ones."""

from puselect.datasets.fraud import make_fraud_export, make_fraud_table
from puselect.datasets.synthetic import CONDITIONS, LAWS, hide_labels, make_pu_clusters

__all__ = [
    "CONDITIONS",
    "LAWS",
    "hide_labels",
    "make_fraud_export",
    "make_fraud_table",
    "make_pu_clusters",
]
