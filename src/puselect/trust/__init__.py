"""Checks on the labels of a table."""
