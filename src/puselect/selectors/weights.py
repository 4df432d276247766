"""How much each source counted in the ranking of a search, in numbers and in words."""

from dataclasses import dataclass
from typing import Self

from puselect.objective.evidence import Evidence


@dataclass(frozen=True)
class Weights:
    """How much each source counts in the ranking: the square of the share of it that is not noise.

    All three are near 0 on shuffled labels.

    Examples
    --------
    >>> print(Weights(labelled=None, cotrained=None, search=0.88))
    Ranked by the search alone (weight .88). 1 means all signal, 0 all noise.
    """

    labelled: float | None
    """Of what columns say about the labelled rows; None without evidence."""
    cotrained: float | None
    """Of what columns say about the labelled rows and those that other columns find; None without evidence."""
    search: float
    """Of the effects of features on the clusters."""

    @classmethod
    def of(cls, evidence: Evidence | None, search: float) -> Self:
        """Collect the weights; without evidence only the search counts."""
        if evidence is None:
            return cls(None, None, search)
        return cls(evidence.labelled_weight, evidence.cotrained_weight, search)

    def __str__(self) -> str:
        scale = "1 means all signal, 0 all noise."
        if self.labelled is None or self.cotrained is None:
            return f"Ranked by the search alone (weight {_short(self.search)}). {scale}"
        return (
            f"Ranked by the search (weight {_short(self.search)}) and by what single columns say: about the labelled "
            f"rows ({_short(self.labelled)}) and about similar rows that other columns find "
            f"({_short(self.cotrained)}). {scale}"
        )


def _short(weight: float) -> str:
    """Return two decimals without the leading zero."""
    return f"{weight:.2f}".removeprefix("0")
