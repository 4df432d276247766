"""
From a messy export to a decision
=================================

A table as it comes out of a database: identifiers, a time stamp, text, missing values, a code for missing, an amount in
two currencies, a copy, a column that only known cases have, and the truth itself, left in by accident. On the command
line it takes one command::

    puselect select export.csv --label known_fraud --prepare --missing=-9 --id transaction_id \\
        --drop is_fraud,case_number --report report.html --candidates candidates.csv

The same in Python, step by step.
"""

import tempfile
from pathlib import Path

import pandas as pd

from puselect import FSCPU, Preparer, check_suitability
from puselect.datasets import make_fraud_export
from puselect.report import summarise, write_report

folder = Path(tempfile.mkdtemp())  # yours, to keep the files
made, relevant = make_fraud_export(n_rows=6000, random_state=0)
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
# Which features, and how many? ``"auto"`` selects enough to separate held-out positives. The columns made from one
# column of the file are selected as a whole. ``n_searches`` repeats the search with random halves of the labels.

selector = FSCPU("auto", groups=preparer.groups_, n_searches=8, random_state=0).fit(X, y)
again = dict(zip(selector.feature_names_in_, selector.stability_.frequency, strict=True))
for name in selector.get_feature_names_out():
    print(f"{name:14} selected again in {again[name]:.0%}")
print(f"{len(set(selector.selected_columns_) & set(relevant))} of {len(relevant)} relevant columns")  # known here only

# %%
# Should we believe it? Compare with shuffled labels, and look at known cases that are held out.

evidence = check_suitability(X, y)
print(evidence.verdict)

# %%
# What marks the clusters in which known fraud gathers, and how many cases are hidden?

selection = summarise(selector, X, y, preparer=preparer, row_name="transaction_id", suitability=evidence)
for cluster in selection.portraits:
    print(f"{cluster}: {cluster.counts}")
print(selector.prior_)

# %%
# The decision: which payments to look at first. The file has all their columns; the truth, which is not known in
# practice, says what looking at them would have found.

candidates = selector.candidate_positives(X, y).to_frame(table)
candidates.to_csv(folder / "candidates.csv")
for first in (50, 100):
    found = candidates["is_fraud"].head(first).sum()
    print(f"of the first {first}, {found} are fraud; of {first} random ones, {first * table['is_fraud'].mean():.0f}")

# %%
# The report says all of this, on one page that works offline.

report = write_report(selection, folder / "report.html")
print(f"{report.name}: {report.stat().st_size / 1000:.0f} kB")

# sphinx_gallery_thumbnail_path = "images/report-top.png"
