"""The three open data sets of the paper, downloaded once or read from ``$PUSELECT_DATA``."""

from puselect_paper.datasets.open_data import load_ionosphere, load_rt_iot2022, load_spambase

__all__ = ["load_ionosphere", "load_rt_iot2022", "load_spambase"]
