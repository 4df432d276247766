"""Which method suits a table, and what the labels of a table are worth."""
