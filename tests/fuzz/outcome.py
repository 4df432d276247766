"""The two proper ends of an input, a valid answer or one clear error. Everything else is a finding."""

import linecache
import os
import traceback
import warnings
from collections.abc import Callable
from typing import TypeVar

from hypothesis.errors import StopTest
from sklearn.exceptions import ConvergenceWarning, DataConversionWarning

Answer = TypeVar("Answer")

WARNINGS = (ConvergenceWarning, DataConversionWarning)
"""Of scikit-learn; our own are all right, too."""
ERRORS = (ValueError, TypeError)
# Libraries that check users' input on our behalf, with messages of their own.
CHECKERS = tuple(os.path.join("sklearn", "utils", name) for name in ("validation.py", "_array_api.py", "multiclass.py"))


class FindingError(AssertionError):
    """Neither a valid answer nor a clear error."""


def require(holds: object, what: str) -> None:
    """Raise a `FindingError` unless a property holds."""
    if not holds:
        raise FindingError(what)


def attempt(
    action: Callable[[], Answer], errors: tuple[type[BaseException], ...] = ERRORS, deliberate: bool = True
) -> tuple[Answer | None, BaseException | None]:
    """Return the answer of an action or the clear error it raised; raise a `FindingError` for any other end.

    A `deliberate` error comes from a ``raise`` of ours or of a library that checks input for us; one that merely
    happens somewhere inside is a finding.
    """
    error: BaseException | None = None
    answer = None
    with warnings.catch_warnings(record=True) as heard:
        warnings.simplefilter("always")
        try:
            answer = action()
        except (FindingError, StopTest, KeyboardInterrupt, SystemExit):
            raise
        except errors as caught:
            error = caught
        except BaseException as caught:  # a panic of polars is no Exception
            raise FindingError(f"unnamed error {type(caught).__name__}: {caught}\n{_where(caught)}") from caught
    for warning in heard:
        is_ours = warning.category.__module__ == "puselect.exceptions"
        text = f"{warning.category.__name__}: {warning.message} ({warning.filename}:{warning.lineno})"
        require(is_ours or issubclass(warning.category, WARNINGS), f"a warning from inside: {text}")
    if error is not None:
        require(str(error).strip(), f"an empty message: {error!r}")
        require(not deliberate or _is_deliberate(error), f"an error from inside: {error!r}\n{_where(error)}")
    return answer, error


def _is_deliberate(error: BaseException) -> bool:
    frames = traceback.extract_tb(error.__traceback__)
    if any(part in frame.filename for part in CHECKERS for frame in frames):
        return True
    last = frames[-1]
    return linecache.getline(last.filename, last.lineno or 0).strip().startswith("raise")


def _where(error: BaseException) -> str:
    return "".join(traceback.format_tb(error.__traceback__)[-4:]).rstrip()
