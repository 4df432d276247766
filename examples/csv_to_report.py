"""
From a CSV file to a report
===========================

What ``puselect select`` does on the command line, step by step in Python, for a table with a column that marks the
known positives. Pass the name of a folder to keep the files::

    python examples/csv_to_report.py results
"""

import sys
import tempfile
from pathlib import Path

import pandas as pd

from puselect import FSCPU
from puselect.checks.suitability import check_suitability
from puselect.cli.demo import breast_columns

folder = Path(sys.argv[1] if len(sys.argv) > 1 else tempfile.mkdtemp())
folder.mkdir(exist_ok=True)

# %%
# The table: 569 breast tumours. ``known`` is 1 for 21 of the 212 malignant ones, as if only these had been examined.
# ``diagnosis`` is the true class, which is usually not known; it must not be among the features.

pd.DataFrame(breast_columns(seed=0)).to_csv(folder / "breast.csv", index=False)
table = pd.read_csv(folder / "breast.csv")
y = table["known"]
X = table.drop(columns=["known", "diagnosis"])
print(f"{len(X)} rows, {X.shape[1]} features, {y.sum()} known positives")

# %%
# Select six features. Column names are kept, and the same seed gives the same result.

selector = FSCPU(n_features_to_select=6, random_state=0).fit(X, y)
for name in selector.get_feature_names_out():
    print(name)

# %%
# Do the known positives form clusters at all? Compare with shuffled labels, and look at positives that are held out.

evidence = check_suitability(X, y)
print(evidence.verdict)

# %%
# Write the report, one page that works offline, and the table with the selected columns only.

report = selector.report(folder / "report.html", X, y)
small = table[[*selector.get_feature_names_out(), "known"]]
small.to_csv(folder / "small.csv", index=False)
print(f"{report.name}: {report.stat().st_size / 1000:.0f} kB; small.csv: {small.shape[1]} columns")

# sphinx_gallery_thumbnail_path = "images/report-top.png"
