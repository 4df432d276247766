"""Versions of the libraries that results depend on."""

import platform
from contextlib import suppress
from functools import cache
from importlib.metadata import PackageNotFoundError, version

from puselect._version import __version__

LIBRARIES = ("numpy", "scipy", "scikit-learn", "numba")

installed = cache(version)  # it reads a file, and studies ask for every cell


def versions(*others: str) -> dict[str, str]:
    """Return the versions of Python, the system, the libraries, and `others` where they are installed."""
    found = {"puselect": __version__, "Python": platform.python_version()}
    for library in (*LIBRARIES, *others):
        with suppress(PackageNotFoundError):
            found[library] = installed(library)
    return {**found, "system": platform.platform()}
