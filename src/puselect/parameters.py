"""Checks of users' parameters: a ValueError names the wanted and the given value."""

from collections.abc import Sequence
from numbers import Integral, Real

import numpy as np

from puselect.phrases import listed

LARGEST_INTEGER = 10**18


def check_number(
    name: str,
    value: object,
    low: float,
    high: float = np.inf,
    *,
    integer: bool = False,
    open_low: bool = False,
    others: Sequence[str] = (),
) -> None:
    """Raise a ValueError unless `value` is a number of the wanted kind in [low, high], or (low, high].

    `others` are kinds of values that the caller accepts as well; the message names them.
    """
    if isinstance(value, int) and abs(value) > LARGEST_INTEGER:  # not a float, nor an index
        raise ValueError(f"{name} must be a number below {LARGEST_INTEGER:g}, got one of {len(str(value))} digits")
    is_number = isinstance(value, Integral if integer else Real) and not isinstance(value, bool | np.bool_)
    is_inside = is_number and isinstance(value, Real) and low <= float(value) <= high and value < np.inf
    if not is_inside or (open_low and value == low):
        noun = "an integer" if integer else "a number"
        reach = f"{'above' if open_low else 'of at least'} {low}" if high == np.inf else f"in {low}..{high}"
        raise ValueError(f"{name} must be {listed([f'{noun} {reach}', *others], 'or')}, got {value!r}")


def check_max_time(value: object) -> None:
    """Raise a ValueError unless `value` is None or a number of seconds above 0."""
    if value is not None:
        check_number("max_time", value, 0, open_low=True)


def check_flag(name: str, value: object) -> None:
    """Raise a ValueError unless `value` is True or False."""
    if not isinstance(value, bool | np.bool_):
        raise ValueError(f"{name} must be True or False, got {value!r}")


def check_choice(name: str, value: object, choices: Sequence[str | None]) -> None:
    """Raise a ValueError unless `value` is one of `choices`."""
    if not (value is None or isinstance(value, str)) or value not in choices:
        raise ValueError(f"{name} must be one of {', '.join(map(repr, choices))}, got {value!r}")
