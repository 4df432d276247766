"""The fused kernels against plain torch: on a GPU where there is one, else in Triton's interpreter."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

torch = pytest.importorskip("torch", reason="the GPU engine needs torch: pip install 'puselect[gpu]'")
if not torch.cuda.is_available():
    os.environ["TRITON_INTERPRET"] = "1"  # read when a kernel is defined
pytest.importorskip("triton", reason="the kernels need Triton, which torch for Linux brings along")

from puselect.clustering.gpu import fused, kernels, plain  # noqa: E402
from puselect.clustering.gpu.plain import Mixtures  # noqa: E402
from puselect.clustering.mixture import MixtureSpec  # noqa: E402

DEVICE = "cuda" if torch.cuda.is_available() else "cpu"
SHAPES = [(2, 600, 5, 3), (2, 150, 25, 4), (1, 700, 34, 6), (1, 300, 52, 2)]  # masks, rows, columns, clusters


def gap(ours, theirs):
    return float((ours.double() - theirs.double()).norm() / theirs.double().norm())


@pytest.fixture(params=SHAPES, ids=str)
def case(request):
    n_masks, n_rows, n_columns, n_clusters = request.param
    generator = torch.Generator(DEVICE).manual_seed(7)

    def normal(*shape):
        return torch.randn(*shape, generator=generator, device=DEVICE)

    mean, constant = 0.3 * normal(n_masks, n_clusters, n_columns), normal(n_masks, n_clusters)
    lower = torch.tril(0.2 * normal(n_masks, n_clusters, n_columns, n_columns)) + torch.eye(n_columns, device=DEVICE)
    return {
        "Z": normal(n_masks, n_rows, n_columns),
        "points": normal(n_masks, n_clusters, n_columns),
        "share": torch.softmax(3 * normal(n_masks, n_clusters, n_rows), dim=1),
        "labels": torch.randint(
            n_clusters, (n_masks, n_rows), generator=generator, device=DEVICE, dtype=torch.int32
        ),
        "mixtures": Mixtures(mean, lower, constant),
        "running": torch.arange(n_masks, device=DEVICE) == 0,
    }


def in_tiles(mixtures):
    """The same mixtures with factors as the kernels lay them out: transposed, in whole tiles."""
    n_columns = mixtures.mean.shape[-1]
    width = fused.tile_width(n_columns)
    tiles = torch.zeros(*mixtures.factor.shape[:2], width, width, device=DEVICE)
    tiles[..., :n_columns, :n_columns] = mixtures.factor.mT
    return Mixtures(mixtures.mean.clone(), tiles, mixtures.constant.clone())


def test_gather(case):
    tables, n_masks = torch.cat([case["Z"], -case["Z"]]), len(case["Z"])
    n_rows, n_columns = tables.shape[1:]
    table = torch.arange(n_masks, 0, -1, device=DEVICE)
    columns = torch.stack([torch.arange(n_columns - 1, device=DEVICE) + i % 2 for i in range(n_masks)])
    rows = torch.stack([torch.randperm(n_rows, device=DEVICE)[: n_rows // 2] for _ in range(n_masks)])
    for chosen in (None, rows):
        ours, theirs = (torch.zeros(n_masks, n_rows if chosen is None else n_rows // 2, n_columns - 1, device=DEVICE)
                        for _ in range(2))
        fused.gather(tables, table, chosen, columns, ours)
        plain.gather(tables, table, chosen, columns, theirs)
        assert torch.equal(ours, theirs)


def test_relabelling_where_fits_run(case):
    theirs = case["labels"].clone()
    want = plain.relabel(case["Z"], case["points"], theirs, case["running"])
    ours = case["labels"].clone()
    got = fused.relabel(case["Z"], case["points"], ours, case["running"])
    assert (ours == theirs).float().mean() > 0.999
    assert abs(int(got[0]) - int(want[0])) <= 2
    assert torch.equal(ours[1:], case["labels"][1:])


def test_of_equally_near_points_the_first_is_taken(case):
    points = case["points"][:, :1].repeat(1, 3, 1)
    labels = case["labels"].clone()
    fused.relabel(case["Z"], points, labels, torch.ones_like(case["running"]))
    assert (labels == 0).all()


@pytest.mark.parametrize("kind", ["share", "labels"])
@pytest.mark.parametrize("em_steps", [0, 1])
def test_mixtures_of_the_running_fits(case, kind, em_steps):
    spec = MixtureSpec(em_steps=em_steps)
    theirs = Mixtures(*(part.clone() for part in case["mixtures"]))
    ours = in_tiles(case["mixtures"])
    untouched = in_tiles(case["mixtures"])
    running = case["running"]
    got, want = torch.zeros(2, len(running), dtype=torch.bool, device=DEVICE)
    fused.maximise(case["Z"], case[kind], ours, spec, running, got)
    plain.maximise(case["Z"], case[kind], theirs, spec, running, want)
    n_columns = case["Z"].shape[-1]
    assert gap(ours.mean[0], theirs.mean[0]) < 2e-6
    assert (ours.constant[0] - theirs.constant[0]).abs().max() < 2e-6 * n_columns  # a sum over columns that cancels
    assert gap(ours.factor[0, :, :n_columns, :n_columns].mT, theirs.factor[0]) < 1e-5
    assert torch.equal(got, want)
    for part, before in zip(ours, untouched, strict=True):
        assert torch.equal(part[1:], before[1:])


@pytest.mark.parametrize("kind", ["share", "labels"])
def test_clusters_without_rows_and_without_variance(case, kind):
    Z = case["Z"].clone()
    Z[:, :, :2] = 1.5  # two constant columns: only the regularisation is left
    labels = torch.where(case["labels"] == 1, 0, case["labels"])
    share = case["share"].clone()
    share[:, 0] += share[:, 1]
    share[:, 1] = 0
    running = torch.ones_like(case["running"])
    case["mixtures"].mean[:, :, :2] = 1.5  # centres lie among the rows
    weights = labels if kind == "labels" else share
    got, want = torch.zeros(2, len(running), dtype=torch.bool, device=DEVICE)
    theirs, ours = Mixtures(*(part.clone() for part in case["mixtures"])), in_tiles(case["mixtures"])
    fused.maximise(Z, weights, ours, MixtureSpec(em_steps=1), running, got)
    plain.maximise(Z, weights, theirs, MixtureSpec(em_steps=1), running, want)
    assert torch.equal(got, want)
    assert got.all() or kind == "share"
    assert (ours.constant[:, 1] == plain.NOTHING_LEFT).all()
    assert torch.isfinite(ours.factor).all() and torch.isfinite(ours.mean).all()
    want = plain.assign(Z, *theirs, running)
    assert (fused.assign(Z, *ours, running) == want).float().mean() > 0.99


@pytest.mark.parametrize("limit", [0.0, 1e9])
def test_centres_move_where_fits_run(case, limit):
    theirs, ours = case["points"].clone(), case["points"].clone()
    theirs[:, 1] = ours[:, 1] = 1e6  # nobody's nearest: it keeps its place
    want, limits = case["running"].clone(), torch.full((len(ours),), limit, dtype=torch.float64, device=DEVICE)
    plain.lloyd_step(case["Z"], case["labels"].clone(), theirs, limits, want)
    got, centres = case["running"].clone(), ours.clone()
    fused.lloyd_step(case["Z"], case["labels"].clone(), centres, limits, got)
    assert gap(centres, theirs) < 2e-6
    assert torch.equal(got, want) and bool(got[0]) == (limit == 0)
    assert torch.equal(centres[1:], ours[1:])
    assert torch.equal(centres[:, 1], ours[:, 1])


def test_counts_are_exact(case):
    n_masks, n_rows = case["labels"].shape
    n_clusters = case["points"].shape[1]
    positive = torch.rand(3, 2 * n_rows, device=DEVICE) < 0.2
    target = torch.arange(n_masks, device=DEVICE) + 1
    rows = torch.stack([torch.randperm(2 * n_rows, device=DEVICE)[:n_rows] for _ in range(n_masks)])
    for chosen in (None, rows):
        marks = positive[:, :n_rows].contiguous() if chosen is None else positive
        ours = fused.counts(case["labels"], marks, target, chosen, n_clusters)
        theirs = plain.counts(case["labels"], marks, target, chosen, n_clusters)
        assert torch.equal(ours[0].long(), theirs[0]) and torch.equal(ours[1].long(), theirs[1])
        assert (ours[0].sum(dim=1) == n_rows).all()


def test_responsibilities_and_the_most_probable_cluster(case):
    tiles, everyone = in_tiles(case["mixtures"]), torch.ones_like(case["running"])
    labels = plain.assign(case["Z"], *case["mixtures"], everyone)

    def expect(do, mixtures, bound):
        bound, goes_on = bound.clone(), torch.zeros_like(case["running"])
        return do.responsibilities(case["Z"], mixtures, 1e-3, bound, goes_on, case["running"]), bound, goes_on

    nothing = torch.full((len(everyone),), -torch.inf, dtype=torch.float64, device=DEVICE)
    share, likelihood, goes_on = expect(plain, case["mixtures"], nothing)
    assert torch.equal(goes_on, case["running"])
    ours = expect(fused, tiles, nothing)
    assert gap(ours[0][:1], share[:1]) < 1e-5
    assert gap(ours[1][:1], likelihood[:1]) < 1e-6
    assert torch.equal(ours[2], goes_on) and torch.equal(ours[1][1:], nothing[1:])
    assert not expect(fused, tiles, likelihood)[2].any()
    assert (fused.assign(case["Z"], *tiles, everyone) == labels).float().mean() > 0.999


def test_every_kernel_compiles_where_there_is_no_gpu():
    """The interpreter takes what the compiler does not, such as a condition that is NumPy's bool."""
    there = {name: value for name, value in os.environ.items() if name != "TRITON_INTERPRET"}
    program = [sys.executable, Path(__file__).with_name("compiled_kernels.py")]
    done = subprocess.run(program, env=there, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr[-2000:]
    assert set(done.stdout.split()) == {name for name in dir(kernels) if name.endswith("_kernel")}
