"""The fused kernels against plain torch: on a GPU where there is one, else in Triton's interpreter."""

import os

import pytest

torch = pytest.importorskip("torch", reason="the GPU engine needs torch: pip install 'puselect[gpu]'")
if not torch.cuda.is_available():
    os.environ["TRITON_INTERPRET"] = "1"  # read when a kernel is defined
pytest.importorskip("triton", reason="the kernels need Triton, which torch for Linux brings along")

from puselect.engines.gpu import fused, plain  # noqa: E402

DEVICE = "cuda" if torch.cuda.is_available() else "cpu"
SHAPES = [(2, 150, 5, 3), (2, 1100, 25, 4), (1, 130, 34, 10)]  # masks, rows, columns, clusters


def gap(ours, theirs):
    return float((ours.double() - theirs.double()).norm() / theirs.double().norm())


@pytest.fixture(params=SHAPES, ids=str)
def case(request):
    n_masks, n_rows, n_columns, n_clusters = request.param
    generator = torch.Generator(DEVICE).manual_seed(7)

    def normal(*shape):
        return torch.randn(*shape, generator=generator, device=DEVICE)

    square = normal(n_masks, n_clusters, n_columns, n_columns + 5).double()
    return {
        "Z": normal(n_masks, n_rows, n_columns),
        "points": normal(n_masks, n_clusters, n_columns),
        "share": torch.softmax(3 * normal(n_masks, n_clusters, n_rows), dim=1),
        "labels": torch.randint(
            n_clusters, (n_masks, n_rows), generator=generator, device=DEVICE, dtype=torch.int32
        ),
        "cov": square @ square.mT / n_columns,
        "constant": normal(n_masks, n_clusters),
    }


def test_gather(case):
    tables, n_masks = torch.cat([case["Z"], -case["Z"]]), len(case["Z"])
    n_rows, n_columns = tables.shape[1:]
    table = torch.arange(n_masks, 0, -1, device=DEVICE)
    columns = torch.stack([torch.arange(n_columns - 1, device=DEVICE) + i % 2 for i in range(n_masks)])
    rows = torch.stack([torch.randperm(n_rows, device=DEVICE)[: n_rows // 2] for _ in range(n_masks)])
    for chosen in (None, rows):
        assert torch.equal(
            fused.gather(tables, table, chosen, columns), plain.gather(tables, table, chosen, columns)
        )


def test_distances_and_the_nearest(case):
    assert gap(fused.distances(case["Z"], case["points"]), plain.distances(case["Z"], case["points"])) < 1e-6
    same = fused.nearest(case["Z"], case["points"]) == plain.nearest(case["Z"], case["points"])
    assert same.float().mean() > 0.999


def test_of_equally_near_points_the_first_is_taken(case):
    points = case["points"][:, :1].repeat(1, 3, 1)
    assert (fused.nearest(case["Z"], points) == 0).all()


@pytest.mark.parametrize("kind", ["share", "labels"])
def test_moments(case, kind):
    Z, share, mean = case["Z"], case[kind], 0.3 * case["points"]
    n_clusters = mean.shape[1]
    for ours, theirs in zip(
        fused.first_moments(Z, share, n_clusters), plain.first_moments(Z, share, n_clusters), strict=True
    ):
        assert gap(ours, theirs) < 2e-6
    assert gap(fused.second_moments(Z, share, mean), plain.second_moments(Z, share, mean)) < 2e-6


def test_counts_are_exact(case):
    marked = (case["Z"][:, :, :1] > 1).float()
    n_clusters = case["points"].shape[1]
    ours = fused.first_moments(marked, case["labels"], n_clusters)
    theirs = plain.first_moments(marked, case["labels"], n_clusters)
    assert torch.equal(ours[0], theirs[0])
    assert torch.equal(ours[1], theirs[1])


def test_factors_and_those_that_fail(case):
    cov = case["cov"].clone()
    cov[0, 0] = 0
    cov[0, 1, 0, 0] = -1
    n_columns = cov.shape[-1]
    ours, theirs = fused.factorise(cov, 1e-6), plain.factorise(cov, 1e-6)
    assert gap(fused.square_factors(ours[0], n_columns), plain.square_factors(theirs[0], n_columns)) < 1e-6
    assert gap(ours[1], theirs[1]) < 1e-9
    assert torch.equal(ours[2], theirs[2])
    assert ours[2][0, 1]


def test_responsibilities_and_the_most_probable_cluster(case):
    Z, mean, constant = case["Z"], 0.3 * case["points"], case["constant"]
    tiles, factor = fused.factorise(case["cov"], 1e-6)[0], plain.factorise(case["cov"], 1e-6)[0]
    ours, theirs = fused.responsibilities(Z, mean, tiles, constant), plain.responsibilities(Z, mean, factor, constant)
    assert gap(ours[0], theirs[0]) < 1e-5
    assert gap(ours[1], theirs[1]) < 1e-6
    same = fused.assign(Z, mean, tiles, constant) == plain.assign(Z, mean, factor, constant)
    assert same.float().mean() > 0.999
