"""The laboratory of puselect: the paper's studies, its slow baselines and its open data sets."""
