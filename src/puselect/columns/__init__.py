"""Single columns: ranks, evidence about the labels, copies of each other."""
