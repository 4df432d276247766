"""FSCPU: the search for features whose clusters hold the labelled positives."""
