"""Engines cluster the columns of a mask and count rows and labelled positives per cluster."""

from puselect.clustering.base import Engine
from puselect.clustering.choice import ENGINES, gpu_engine_class, make_engine
from puselect.clustering.reference import ReferenceEngine

__all__ = ["ENGINES", "Engine", "ReferenceEngine", "gpu_engine_class", "make_engine"]
