"""A small study for tests: cells of some hundredths of a second."""

from pathlib import Path

SMALL = """
title = "Small study"
seeds = 3

[[data]]
title = "FSR on small data"
measure = "recall"
condition = ["40/8/1", "40/1/2"]
n_negative = 400
n_positive = 100
n_relevant = 5
n_irrelevant = 5

[[method]]
name = "kbest"
label = "K-Best"
group = "filters"

[[method]]
name = "fscpu"
label = "FSCPU"
group = "searches"
settings = { max_iter = 20 }

[[method]]
name = "random"
label = "chance"
group = "yardsticks"
paper = ""
"""


def write_study(folder: Path, text: str = SMALL) -> Path:
    path = folder / "small.toml"
    path.write_text(text)
    return path
