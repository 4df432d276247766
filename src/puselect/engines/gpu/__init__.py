"""The GPU engine: all masks of a step, and of many searches on many tables, in lockstep on one device."""

from puselect.engines.gpu.engine import GPUEngine

__all__ = ["GPUEngine"]
