"""From a file to a problem: rows, usable features, and which rows are labelled positive."""

from puselect.tables.costs import read_costs
from puselect.tables.problem import Problem, Reading, read_problem

__all__ = ["Problem", "Reading", "read_costs", "read_problem"]
