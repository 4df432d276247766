"""The objective of a search: the cluster score, and optionally mutual information."""
