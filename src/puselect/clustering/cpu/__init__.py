"""The default engine: compiled kernels on the CPU."""
