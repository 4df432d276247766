"""Numbers in messages."""


def counted(number: int, noun: str) -> str:
    """Return a number of things, in the plural where there are several.

    Examples
    --------
    >>> counted(1, "row"), counted(600, "row")
    ('1 row', '600 rows')
    """
    return f"{number} {noun}{'' if number == 1 else 's'}"
