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
    >>> print(Weights(None, None, search=0.88))
    Ranked by the search alone (weight .88). 1 means all signal, 0 all noise.
    """

    labelled: float | None
    """Of what columns say about the labelled rows; None without evidence. As far as the search does not count, this
    and the next are about the tails of the columns."""
    cotrained: float | None
    """Of what columns say about the labelled rows and those that other columns find; None without evidence."""
    search: float
    """Of the effects of features on the clusters."""
    clustered: float | None = None
    """Of what columns say about the rows in positive clusters of other features; None if they were not asked."""

    @classmethod
    def of(cls, evidence: Evidence | None, search: float, is_confirmed: bool = False) -> Self:
        """Collect the weights; without evidence only the search counts.

        What clusters say about single columns replaces other evidence as far as the search and that evidence count.
        """
        if evidence is None:
            return cls(None, None, search)
        if not is_confirmed:
            return cls(evidence.labelled_weight, evidence.cotrained_weight, search)
        clustered = search * evidence.weight
        rest = 1 - clustered
        return cls(rest * evidence.labelled_weight, rest * evidence.cotrained_weight, search, clustered)

    def __str__(self) -> str:
        scale = "1 means all signal, 0 all noise."
        if self.labelled is None or self.cotrained is None:
            return f"Ranked by the search alone (weight {_short(self.search)}). {scale}"
        about = [f"about the labelled rows ({_short(self.labelled)})"]
        about.append(f"about similar rows that other columns find ({_short(self.cotrained)})")
        if self.clustered is not None:
            about.append(f"about rows in positive clusters of other features ({_short(self.clustered)})")
        said = f"{', '.join(about[:-1])} and {about[-1]}"
        return f"Ranked by the search (weight {_short(self.search)}) and by what single columns say: {said}. {scale}"


def _short(weight: float) -> str:
    """Return two decimals without the leading zero."""
    return f"{weight:.2f}".removeprefix("0")
