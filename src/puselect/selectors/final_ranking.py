"""What features are ranked by once the search is over: its effects, and evidence that is put right."""

import numpy as np

from puselect.arrays import FloatArray
from puselect.objective.evidence import Evidence
from puselect.search import EffectSearch
from puselect.selectors.copies import copies_among
from puselect.selectors.groups import group_evidence
from puselect.selectors.problem import Problem
from puselect.selectors.session import Session


def final_scores(
    problem: Problem, session: Session, evidence: Evidence | None, confirmed: FloatArray | None
) -> FloatArray | None:
    """Return what the free features are ranked by; None if that is up to the search alone.

    What labelled rows say beyond doubt is added to the evidence, and that of copies counts no more.

    Parameters
    ----------
    problem : Problem
    session : Session
        Its search is over.
    evidence : Evidence, optional
    confirmed : ndarray of shape (n_free,), optional
        The support of each feature if clusters had a say; that of the search by default.
    """
    optimizer, budget = session.search.optimizer, session.budget
    if evidence is None or not isinstance(optimizer, EffectSearch):
        return None
    grouped = evidence if budget.leader is None else group_evidence(evidence, budget.leader)
    support = (optimizer.ranked_support if confirmed is None else confirmed) + grouped.beyond_doubt[budget.free]
    is_copy = copies_among(problem, budget, optimizer.ranked_by(support))
    return optimizer.ranked_by(np.where(is_copy, np.minimum(support, 0.0), support))
