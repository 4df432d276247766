"""Warnings that the package raises, so that they can be caught by class."""

from sklearn.exceptions import ConvergenceWarning


class InterruptedSearchWarning(ConvergenceWarning):
    """Ctrl-C ended a search early; the result is the best so far."""


class CheckpointWarning(UserWarning):
    """A checkpoint could not be written, for instance because the disk is full; the search goes on."""


class FewLabelsWarning(UserWarning):
    """So few rows are labelled that features may be selected by chance."""


class DependentRowsWarning(UserWarning):
    """Rows seem to depend on each other, or their groups leave nothing to compare; p-values may be too low."""


class NothingBeyondChanceWarning(UserWarning):
    """No feature was found to be related to the labels; how many are selected is a guess."""


class FewerFeaturesWarning(UserWarning):
    """Fewer features were selected than asked for, because the other columns are constant."""


class PickedRowsWarning(UserWarning):
    """Rows were picked for inspection by many columns, so that the negatives among them are not used."""


class LeakWarning(UserWarning):
    """Columns may give the labels away; drop those that would not be known for a new row."""


class MissingValuesWarning(UserWarning):
    """Cells of the table are missing; the median of their column stands in for them."""


class UnreadValuesWarning(UserWarning):
    """Many values of a new table are missing, cannot be read as those of the fit, or were never seen there."""
