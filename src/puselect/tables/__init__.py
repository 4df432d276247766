"""Tables from files: features, labels, and notes on them."""
