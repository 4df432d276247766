"""What a search maximises: the cluster score, and mutual information beside it."""
