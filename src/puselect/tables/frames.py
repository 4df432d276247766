"""The only module that imports polars."""

try:
    import polars as pl
except ImportError as error:
    raise ImportError("reading and writing files needs polars: pip install polars") from error

__all__ = ["pl"]
