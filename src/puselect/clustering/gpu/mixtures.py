"""The parameters of many mixtures at once."""

from typing import NamedTuple

from torch import Tensor


class Mixtures(NamedTuple):
    """The parameters of a batch of mixtures, in the precision the sweeps over the rows use."""

    mean: Tensor
    """Shape (n_masks, n_clusters, n_features)."""
    factor: Tensor
    """Inverses of the lower Cholesky factors, laid out as the sweeps do it; see their `square_factors`."""
    constant: Tensor
    """-2 log(weight) - log|factor|^2, shape (n_masks, n_clusters)."""
