"""Checks on a table, its labels and a selection."""
