"""What a search maximises: the cluster score, and optionally mutual information."""
