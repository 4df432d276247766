"""
From a messy export to a decision
=================================

A table as it comes out of a database: identifiers, a time stamp, text, missing values, a code for missing, an amount in
two currencies, a copy, a column that only known cases have, and the truth itself, left in by accident. On the command
line it takes one command::

    puselect select export.csv --label known_fraud --prepare --missing=-9 --id transaction_id \\
        --drop is_fraud,case_number --report report.html --candidates candidates.csv

The same in Python. Pass the name of a folder to keep the files::

    python examples/a_messy_export.py results
"""

import sys
import tempfile
from pathlib import Path

import pandas as pd

from puselect import FSCPU, Preparer
from puselect.datasets import make_fraud_export
from puselect.report import summarise, write_report

folder = Path(sys.argv[1] if len(sys.argv) > 1 else tempfile.mkdtemp())
folder.mkdir(exist_ok=True)
made, relevant = make_fraud_export(n_rows=6000, random_state=5000)
made.to_csv(folder / "export.csv", index=False)

# %%
# 6,000 payments, of which 60 are known to be fraud. Nothing is known about the others.

table = pd.read_csv(folder / "export.csv").set_index("transaction_id")
y = table.pop("known_fraud") == "yes"
print(f"{table.shape[0]} rows, {table.shape[1]} columns, {y.sum()} known positives")

# %%
# Prepare the table. Every column has its outcome; ``use=["account"]`` would bring one back. Without
# ``drop``, a warning would name the two columns that give the labels away, with counts.

preparer = Preparer(missing_codes=[-9], drop_duplicates=0.99, drop=["is_fraud", "case_number"])
X = preparer.fit_transform(table, y)
for outcome in preparer.outcomes_:
    if outcome.action != "number":
        print(outcome)

# %%
# Select nine features. The columns made from one column of the file are selected as a whole.

selector = FSCPU("auto", groups=preparer.groups_, random_state=0).fit(X, y)
selection = summarise(selector, X, y, preparer=preparer, row_name="transaction_id")
print(", ".join(selection.selected))
print(f"relevant: {len(set(selection.selected) & set(relevant))} of {len(relevant)}")

# %%
# What marks the clusters in which known fraud gathers, and which payments to look at next, with all their columns.

for cluster in selection.portraits:
    print(f"{cluster}: {cluster.counts}")
candidates = selector.candidate_positives(X, y).to_frame(table)
candidates.to_csv(folder / "candidates.csv")
hidden = candidates["is_fraud"].head(100).mean()  # the truth, which is not known in practice
print(f"{len(candidates)} candidates; of the first 100, {hidden:.0%} are fraud; of all, {table['is_fraud'].mean():.0%}")

# %%
# The report says all of this, on one page that works offline.

report = write_report(selection, folder / "report.html")
print(f"{report.name}: {report.stat().st_size / 1000:.0f} kB")

# sphinx_gallery_thumbnail_path = "images/report-top.png"
