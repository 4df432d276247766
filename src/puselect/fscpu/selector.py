"""FSCPU: feature selection based on the cluster assumption in PU learning."""

import os
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike
from scipy.sparse import issparse
from sklearn.base import ClusterMixin
from sklearn.utils.validation import check_is_fitted

from puselect.arrays import AnyArray, BoolArray
from puselect.clustering import Engine
from puselect.fscpu.auto_number import choose, follow_path
from puselect.fscpu.dask_table import PartitionedTable, read_remote, remote_candidates
from puselect.fscpu.dependence import warn_of_dependence
from puselect.fscpu.final_clusters import Candidates, cluster_result, known_rows
from puselect.fscpu.problem import Problem, problem_engine, with_evidence, with_negatives, with_row_sample
from puselect.fscpu.row_model import ClassPrior, ModelRows, RowModel
from puselect.fscpu.run import search_problems
from puselect.fscpu.search_run import SearchRun, SearchSelector, saved_seed
from puselect.fscpu.settings import Settings
from puselect.fscpu.stability import repeat_search
from puselect.labels import checked_negatives
from puselect.parameters import check_number
from puselect.row_groups import read_row_groups
from puselect.search.callbacks import FitCallbacks, with_callbacks
from puselect.search.progress import Deadline
from puselect.selectors.base import RandomSeed, column_names, varying_columns
from puselect.selectors.budget import Budget, costs_in_order, is_open
from puselect.selectors.diagnosis import filled
from puselect.selectors.groups import ColumnName, read_groups
from puselect.selectors.result import FitResult
from puselect.sparse_table import SparseTable


class FSCPU(SearchSelector):
    """Select the features in whose space the labelled positives gather in a few clusters.

    A search over masks of features. The rows are clustered on a mask's columns, and the value of the mask is the recall
    times the precision with which the best set of clusters finds the labelled rows. By default features are ranked by
    their effect on that value, over its standard error, and by the evidence of single columns;
    `FSCPU.published` is the method of Uchikoshi & Akimoto (GECCO 2025) with the settings of the paper.

    Parameters
    ----------
    n_features_to_select : int, float, "auto" or "related", optional
        How many features to select, or which share of them. By default half of them, rounded up. "related": all that
        are related to the labels beyond chance. "auto": the fewest of these that separate held-out positives
        as well as more do, within one standard error (see `path_`).
    feature_costs : array-like of shape (n_features,), dict or Series, optional
        Cost of each feature, positive; with `budget`, instead of `n_features_to_select`. A dict or a pandas Series
        goes by column name, also by that of the column before a `Preparer`; "*" stands for all others.
    budget : float, optional
        The most that the selected features may cost together.
    max_false : float, default=0.1
        With "auto" and "related", the expected share of related features that are there by chance, at most.
    always_keep, never_select : list of str or int, optional
        Features that must or must not be selected, by name or index; an integer is a name where the columns of a data
        frame are named by integers. Kept ones count towards the budget.
    groups : dict of str to list, array-like of shape (n_features,) or "prepared", optional
        Features that are selected as a whole, such as the one-hot columns of one category: their names or indices; the
        group of each feature, None for no group; or "prepared" behind a `Preparer`. A group counts as one feature with
        one cost and rank, and is kept or never selected if one of its columns is.
    pos_label : object, default=1
        The value of `y` that marks a labelled positive; all others, missing ones included, mean unlabelled.
    neg_label : object, optional
        The value of `y` that marks a row that was checked and is negative. By default none are known.
    engine : {"auto", "cpu", "gpu", "reference", "dask"}, default="auto"
        The clustering engine: compiled kernels, torch on a GPU, scikit-learn one mask at a time (slow; for checking),
        or "auto" for rows that the workers of a Dask DataFrame or Array bring here. "auto" takes the GPU where there
        is one and the search should be faster there.
    max_iter : int, optional
        The most steps. By default 200 for half of the features, more for other shares and with few labelled rows; 3000
        with preset="published".
    max_time : float, optional
        The search ends so many seconds after `fit` began, with the best features so far; see `timed_out_`. What comes
        before it, such as finding the number of features, is not cut short. With a `checkpoint`, fit again to go on.
    n_searches : int, default=1
        If 2 or more, repeat the search on that many random halves of the labels, for `stability_`; 8 take about as
        long as the first search.
    checkpoint : path, optional
        The search is saved here every second, and resumed from here if the file exists.
    n_jobs : int, optional
        Threads over the masks of a step. Results do not depend on it.
    random_state : int, RandomState or None, default=None
        Seed of all random numbers.
    verbose : int, default=0
        Above 0, progress is logged every two seconds.

    Other Parameters
    ----------------
    preset : {"default", "published"}, default="default"
        "published" has every setting as printed in the paper: two masks a step for 3000 steps, a Gaussian mixture
        fitted to convergence from k-means for each mask. See also `FSCPU.published`.
    criterion : {"auto", "cluster+evidence", "cluster", "cluster+mi"}, default="auto"
        "cluster+evidence" adds the evidence of single columns to the effect that features have on the clusters;
        "cluster" is the paper's criterion. "cluster+mi" is FSCPU-MI: the mutual information of semi-JMI is added, each
        term over its standard deviation; it needs 25 labelled rows or more. "auto": "cluster+evidence", with
        preset="published" "cluster".
    scale : {"auto", "minmax"} or None, default="auto"
        "auto" maps columns to [0, 1], and those with long tails to normal scores of their ranks; an affine scaler
        before it changes nothing. "minmax": to [0, 1] by the extremes, as in the paper. None: use values as they are.
    screen : int, "auto" or None, default="auto"
        With evidence, the number of features to search among, those with most of it ("auto": four times as many as are
        wanted, at least 400). None searches all.
    max_samples : int, "auto" or None, default="auto"
        Rows of each step, drawn anew: labelled ones, at most half, and random others ("auto": 1000). None uses all.
    clusterer : estimator, optional
        Any scikit-learn clusterer, used instead of the Gaussian mixture by the reference engine.
    n_clusters : int, default=10
        Clusters of the mixture.
    covariance_type : {"full", "diag", "spherical", "tied"}, default="full"
        Shape of the clusters, as in scikit-learn's ``GaussianMixture``.
    population_size : int, optional
        Masks per step. By default 8, with preset="published" 2.

    Attributes
    ----------
    support_ : ndarray of bool, shape (n_features,)
        The selected features.
    ranking_ : ndarray of int, shape (n_features,)
        1 for the best feature.
    probabilities_ : ndarray of float, shape (n_features,)
        Probability of each feature at the end (theta); 1 for kept features, 0 for those that were not searched. In the
        default, the probability that its score, which has an error of 1, is above the cut.
    objective_ : float
        Objective of the selected features: mean over eight clusterings.
    history_ : History
        Steps, probabilities, mean and best objective, at most 1024 records; of the features in `searched_`.
    searched_ : ndarray of int
        The features that the search decided on: all but kept, excluded, constant and screened ones.
    n_iter_ : int
        Steps done.
    converged_ : bool
        Whether every feature is decided, and those decided for spend the budget.
    timed_out_ : bool
        Whether `max_time` ended the search.
    settled_ : float
        How near that is, 0 to 1: the share of decided features, or the share of the budget if that is less. A feature
        is decided if its score is three standard errors from the cut; in the paper's search, if its probability is 0.1
        or less, or 0.9 or more.
    evidence_ : Evidence or None
        Evidence of single columns (`z_scores`, in standard errors).
    path_ : Path or None
        With "auto" and "related", the objective and separation of each number of features; None if time is out, or
        if there is nothing to choose.
    stability_ : Stability or None
        With `n_searches`, how often each feature is selected; None without, or if time or labels are too few.
    n_evaluations_ : int
        Clusterings of the search.
    n_degenerate_ : int
        Clusterings of the search that lost a cluster or needed more regularisation.
    clusterings_ : Clusterings or None
        The final clusterings of the selected features; None with a `clusterer`.
    groups_ : dict of str to list of int
        The columns of each group of two or more.
    feature_costs_ : ndarray of float, shape (n_features,), or None
        The costs in the order of the columns.
    medians_ : ndarray of float, shape (n_features,), or None
        The median of each column, which stands in for its missing values; None for sparse and partitioned tables.
    fit_settings_ : dict
        The parameters of the fit; a later `set_params` does not change them.
    n_features_in_ : int
        Number of columns of the table.
    feature_names_in_ : ndarray of str, shape (n_features,)
        Names of the columns, if all of them are strings.

    References
    ----------
    M. Uchikoshi and Y. Akimoto, "Feature Selection Based on Cluster Assumption in PU Learning", GECCO 2025.

    Examples
    --------
    >>> from puselect import FSCPU
    >>> from puselect.datasets import make_pu_clusters
    >>> X, y, relevant = make_pu_clusters("40/8/1", n_relevant=10, n_irrelevant=10, random_state=0)
    >>> selector = FSCPU(n_features_to_select=10, random_state=0).fit(X, y)
    >>> int(relevant[selector.get_support()].sum())
    10
    """

    _sparse_format = "csc"
    _row_model: ModelRows | RowModel | None

    def __init__(
        self,
        n_features_to_select: int | float | str | None = None,
        *,
        feature_costs: ArrayLike | None = None,
        budget: float | None = None,
        max_false: float = 0.1,
        always_keep: Sequence[ColumnName] | None = None,
        never_select: Sequence[ColumnName] | None = None,
        groups: Mapping[str, Sequence[ColumnName]] | Sequence[object] | str | None = None,
        pos_label: object = 1,
        neg_label: object = None,
        engine: str = "auto",
        max_iter: int | None = None,
        max_time: float | None = None,
        n_searches: int = 1,
        checkpoint: str | os.PathLike[str] | None = None,
        n_jobs: int | None = None,
        random_state: RandomSeed = None,
        verbose: int = 0,
        preset: str = "default",
        criterion: str = "auto",
        scale: str | None = "auto",
        screen: int | str | None = "auto",
        max_samples: int | str | None = "auto",
        clusterer: ClusterMixin | None = None,
        n_clusters: int = 10,
        covariance_type: str = "full",
        population_size: int | None = None,
    ) -> None:
        self.n_features_to_select = n_features_to_select
        self.feature_costs = feature_costs
        self.budget = budget
        self.max_false = max_false
        self.always_keep = always_keep
        self.never_select = never_select
        self.groups = groups
        self.pos_label = pos_label
        self.neg_label = neg_label
        self.engine = engine
        self.max_iter = max_iter
        self.max_time = max_time
        self.n_searches = n_searches
        self.checkpoint = checkpoint
        self.n_jobs = n_jobs
        self.random_state = random_state
        self.verbose = verbose
        self.preset = preset
        self.criterion = criterion
        self.scale = scale
        self.screen = screen
        self.max_samples = max_samples
        self.clusterer = clusterer
        self.n_clusters = n_clusters
        self.covariance_type = covariance_type
        self.population_size = population_size

    @classmethod
    def published(cls, n_features_to_select: int | str | None = None, **parameters: Any) -> Self:
        """Return the selector with the settings of the paper: ``FSCPU(n_features_to_select, preset="published")``."""
        return cls(n_features_to_select, preset="published", **parameters)

    @with_callbacks
    def fit(self, X: ArrayLike, y: ArrayLike, *, row_groups: ArrayLike | None = None) -> Self:
        """Search for the features.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_rows, n_features)
            Numbers; the median of a column stands in for missing ones. A sparse matrix must not have any, and is never
            made dense as a whole.
        y : array-like of shape (n_rows,)
            `pos_label` marks labelled positives, `neg_label` checked negatives, anything else unlabelled rows.
        row_groups : array-like of shape (n_rows,), optional
            The group of each row, such as a patient or a day, if rows of a group depend on each other. "auto" and
            `n_searches` then shuffle, hold out and halve whole groups; the search itself is not changed.
        """
        settings = Settings.of(self.get_params(deep=False))
        deadline = Deadline(settings.search.max_time)
        problem = self._problem(settings, X, y, row_groups)
        return self._fit_problem(settings, problem, FitCallbacks(self, X, y), deadline)

    @property
    def result_(self) -> FitResult:
        """The outcome of the fit, with the clusters."""
        return replace(
            super().result_,
            groups=self.groups_,
            costs=self.feature_costs_,
            evidence=self.evidence_,
            clusterings=self.clusterings_,
            row_model=self.row_model_,
            path=self.path_,
            n_negative=self.n_negative_,
        )

    @property
    def row_model_(self) -> RowModel | None:
        """The ranking of rows of `candidate_positives`, fitted on first use; None with a `clusterer`."""
        check_is_fitted(self)
        if isinstance(kept := self._row_model, ModelRows):
            self._row_model = kept = kept.model
        return kept

    @property
    def prior_(self) -> ClassPrior | None:
        """The share of positives among the unlabelled rows, if it can be told; None with a `clusterer`."""
        return None if self.row_model_ is None else self.row_model_.prior

    @property
    def _follows_effects(self) -> bool:
        return Settings.of(self.fit_settings_).follows_effects

    def candidate_positives(self, X: ArrayLike, y: ArrayLike | None = None) -> Candidates:
        """Return the rows that are most likely positive: where to look for positives that are not labelled yet.

        Rows are ranked by a logistic regression on the selected columns, with steps between their octiles, and by the
        share of labelled rows in their clusters. Held-out labelled rows show how many times as often as an average row
        those of a rank are positive: their lift. Candidates have at least half of the highest lift. Times the share of
        positives (`prior_`), if that can be told, the lift is a probability, the confidence, and the interval of the
        share limits the number of candidates. Labelled rows are taken to be a random part of the positives.

        Parameters
        ----------
        X : array-like of shape (n_rows, n_features)
            The table of `fit`, or new rows with the same columns; the medians of `fit` stand in for missing values.
        y : array-like of shape (n_rows,), optional
            Labels as in `fit`; rows that are labelled, positive or negative, are left out.

        Returns
        -------
        candidates : Candidates
            `rows`, indices of rows of `X`, most likely first, their `lift`, and their `confidence` or None.

        Examples
        --------
        >>> from puselect.datasets import make_pu_clusters
        >>> X, y, _, classes = make_pu_clusters("40/8/1", n_positive=250, random_state=0, return_classes=True)
        >>> candidates = FSCPU(25, max_iter=50, random_state=0).fit(X, y).candidate_positives(X, y)
        >>> int(classes[candidates.rows[:100]].sum())  # true positives among the first hundred
        100
        """
        model = self._fitted_row_model("candidate_positives")
        if _is_remote(X):
            return remote_candidates(model, X, self.support_, y, self.fit_settings_["pos_label"])
        chosen = self._selected_columns(X)
        return model.candidates(chosen, None if y is None else self._known_rows(y, len(chosen)))

    def next_rows(self, X: ArrayLike, y: ArrayLike, n: int = 20) -> Candidates:
        """Return the rows to label next.

        They are spread evenly over the unlabelled rows, from the most to the least likely positive, and are worth about
        as much as random ones. The most likely rows (`candidate_positives`) are positives of the kind that is known.

        Parameters
        ----------
        X, y : array-like of shape (n_rows, n_features) and (n_rows,)
            The table and labels of `fit`.
        n : int, default=20
            How many rows.

        Returns
        -------
        rows : Candidates
            `rows`, indices of unlabelled rows of `X`, the most likely first, their `lift`, and their `confidence` or
            None.

        Examples
        --------
        >>> from puselect.datasets import make_pu_clusters
        >>> X, y, _ = make_pu_clusters("40/8/1", n_positive=250, random_state=0)
        >>> asked = FSCPU(25, max_iter=50, random_state=0).fit(X, y).next_rows(X, y, 100)
        >>> len(asked.rows), bool(asked.lift[0] > 5 * asked.lift[50])
        (100, True)
        """
        model, columns = self._fitted_row_model("next_rows"), self._selected_columns(X)
        known = self._known_rows(y, len(columns))
        check_number("n", n, 1, int((~known).sum()), integer=True)
        return model.to_ask(model.scores(columns), known, n)

    def _fitted_row_model(self, wanted_by: str) -> RowModel:
        """Return the model that ranks rows; a ValueError if there is none."""
        if (model := self.row_model_) is None:
            raise ValueError(
                f"{wanted_by} needs mixtures that can place new rows; fit without clusterer=, "
                f"got clusterer={self.fit_settings_['clusterer']!r}"
            )
        return model

    def _selected_columns(self, X: ArrayLike) -> AnyArray | SparseTable:
        """Return the selected columns of a table in memory as they came, with missing values filled."""
        chosen = self._validated(X, reset=False)[:, self.support_]
        if issparse(chosen):
            return SparseTable.of(chosen)
        return np.asarray(chosen if self.medians_ is None else filled(chosen, self.medians_[self.support_]))

    def _known_rows(self, y: ArrayLike, n_rows: int) -> BoolArray:
        """Return which rows are labelled, positive or negative."""
        labels = (self.fit_settings_["pos_label"], self.fit_settings_.get("neg_label"))
        return np.asarray(np.any([known_rows(y, label, n_rows) for label in labels if label is not None], axis=0))

    def _problem(
        self, settings: Settings, X: ArrayLike, y: ArrayLike, row_groups: ArrayLike | None = None
    ) -> Problem:
        """Check the data and the parameters that depend on it; return the problem to be searched."""
        is_seeded = self.random_state is not None
        saved = None if is_seeded else saved_seed(settings.search.checkpoint)
        entropy = self._draw_entropy() if saved is None else saved
        if settings.engine == "dask" or _is_remote(X):
            if self.neg_label is not None:
                raise ValueError("neg_label needs a table in memory, got a table in partitions; use X.compute()")
            table, positive = read_remote(self, settings, X, y, entropy)
        else:
            table, positive = self._read(X, y)
        groups = None if row_groups is None else read_row_groups(row_groups, positive)
        self.has_row_groups_ = groups is not None
        negative = checked_negatives(y, self.neg_label, positive)
        self.n_negative_ = 0 if negative is None else int(negative.sum())
        names, costs, number = column_names(self, X), self.feature_costs, self.n_features_to_select
        self.groups_ = {} if self.groups is None else read_groups(self.groups, names, table.shape[1])
        self.feature_costs_ = None if costs is None else costs_in_order(costs, names, self.groups_)
        selectable = varying_columns(table) if settings.preset.skip_constant else np.ones(table.shape[1], dtype=bool)
        wanted = (number, self.feature_costs_, self.budget, self.always_keep, self.never_select)
        budget = Budget.from_parameters(*wanted, names, selectable, self.groups_)
        check_number("max_false", self.max_false, 0, 1, open_low=True)
        check_number("n_searches", self.n_searches, 1, 10_000, integer=True)
        problem = replace(Problem.of(settings, table, positive, budget, entropy, is_seeded), row_groups=groups)
        if negative is not None:
            problem = with_negatives(problem, negative)
        if is_open(number) or self.n_searches > 1:
            warn_of_dependence(table, positive, groups)
        if is_open(number):
            problem = choose(settings, problem, number, self.max_false)
        return with_row_sample(with_evidence(settings, problem), table)

    def _fit_problem(self, settings: Settings, problem: Problem, callbacks: FitCallbacks, deadline: Deadline) -> Self:
        engine = problem_engine(settings, problem)
        (run,) = search_problems([settings], [problem], [deadline], engine, callbacks)
        self._keep_clusters(settings, problem, run, engine)
        return self

    def _keep_clusters(
        self, settings: Settings, problem: Problem, run: SearchRun, engine: Engine, target: int = 0
    ) -> None:
        """Set the fitted attributes from a search that is over, and cluster its result."""
        self.evidence_ = problem.evidence
        is_screened = len(run.budget.free) < len(problem.budget.free)
        self._keep_result(run, self.evidence_.z_scores if self.evidence_ is not None and is_screened else None)
        seeds, deadline = run.final_seeds, run.deadline
        scores, self.clusterings_ = cluster_result(settings, problem, engine, self.support_, seeds, target)
        self.objective_ = float(scores.mean())
        self._row_model = ModelRows.of(self.clusterings_, problem, self.support_)
        self.path_ = None
        if problem.choice is not None:
            self.path_ = follow_path(settings, problem, engine, self.ranking_, self.support_, seeds, deadline, target)
        self.stability_ = None
        if self.n_searches > 1 and not (run.interrupted or run.timed_out):
            self.stability_ = repeat_search(settings, problem, self.n_searches, self.n_iter_, deadline)


def _is_remote(X: object) -> bool:
    """Return whether a table is in partitions, or a Dask collection."""
    return isinstance(X, PartitionedTable) or hasattr(X, "__dask_graph__")
