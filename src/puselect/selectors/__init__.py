"""The parts that all selectors share."""
