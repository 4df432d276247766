"""Clustering of a table in partitions, such as a Dask collection."""
