"""FSR of FSCPU over the paper's ten conditions, all searches in lockstep on a GPU, beside the paper's Table 1.

    python benchmarks/lockstep.py                                         # the default
    python benchmarks/lockstep.py --preset published --out published.jsonl

A run that was stopped continues with the same --state folder. Seed i is that of data set i and of its search.
"""

import argparse
import json
import time
from pathlib import Path

import numpy as np
from worlds import PRESETS

from puselect.datasets import CONDITIONS, make_pu_clusters
from puselect.selectors import fit_many
from puselect.selectors.settings import CRITERIA


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--preset", choices=PRESETS, default="default")
    parser.add_argument("--criterion", choices=CRITERIA, help="if not the preset's")
    parser.add_argument("--datasets", type=int, default=5)
    parser.add_argument("--steps", type=int, help="steps of a search, if not the preset's")
    parser.add_argument("--engine", default="gpu")
    parser.add_argument("--state", type=Path, help="folder for the states of the searches")
    parser.add_argument("--out", type=Path, help="write one line of JSON per search")
    args = parser.parse_args()
    cells = [(condition, seed) for condition in CONDITIONS for seed in range(args.datasets)]
    data = [make_pu_clusters(condition, random_state=seed) for condition, seed in cells]
    wanted = {"max_iter": args.steps, "criterion": args.criterion}
    changes = {name: value for name, value in wanted.items() if value is not None}
    selectors = [
        PRESETS[args.preset](
            25,
            engine=args.engine,
            random_state=seed,
            checkpoint=args.state and args.state / f"{condition.replace('/', '-')}_{seed}.npz",
            **changes,
        )
        for condition, seed in cells
    ]
    begin = time.perf_counter()
    fit_many(selectors, [X for X, _, _ in data], [y for _, y, _ in data])
    spent = time.perf_counter() - begin
    rows = [
        {
            "method": "fscpu-mi" if args.criterion == "cluster+mi" else "fscpu",
            "preset": args.preset,
            "condition": condition,
            "seed": seed,
            "fsr": float(relevant[selector.support_].mean()),
            "objective": selector.objective_,
            "settled": selector.settled_,
            "steps": selector.n_iter_,
            "degenerate": selector.n_degenerate_,
            "support": np.flatnonzero(selector.support_).tolist(),
        }
        for (condition, seed), selector, (_, _, relevant) in zip(cells, selectors, data, strict=True)
    ]
    for condition in CONDITIONS:
        fsr = np.array([row["fsr"] for row in rows if row["condition"] == condition])
        print(f"{condition:12s} {fsr.mean():.3f} ± {fsr.std(ddof=1) if len(fsr) > 1 else float('nan'):.3f}")
    print(f"{len(cells)} searches in {spent:.1f} s")
    if args.out:
        args.out.write_text("".join(json.dumps(row) + "\n" for row in rows))


if __name__ == "__main__":
    main()
