"""The version of this package, and of the libraries that results depend on."""

__version__ = "0.1.0"

LIBRARIES = ("numpy", "scipy", "scikit-learn", "numba")


def versions(*others: str) -> dict[str, str]:
    """Return the versions of Python, the system, the libraries, and `others` where they are installed."""
    import platform  # takes a while, and `import puselect` does not need it
    from importlib.metadata import PackageNotFoundError, version

    found = {"puselect": __version__, "Python": platform.python_version()}
    for library in (*LIBRARIES, *others):
        try:
            found[library] = version(library)
        except PackageNotFoundError:
            continue
    return {**found, "system": platform.platform()}
