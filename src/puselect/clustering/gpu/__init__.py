"""The GPU engine: clusters all masks of a step, and of many searches, in one call."""

from puselect.clustering.gpu.engine import GPUEngine

__all__ = ["GPUEngine"]
