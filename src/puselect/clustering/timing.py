"""How long clusterings take on each engine: what `engine="auto"` decides by."""

from dataclasses import dataclass

CPU_MASK = 2e-4  # seconds of one thread for a mask, however small
CPU_RATE = 4.5e10  # operations per second of one thread
GPU_STEP = 6e-4  # seconds of a call for the masks of a step, however small
GPU_RATE = 1.0e13  # operations per second
GPU_OPENING = 3.5  # seconds: importing torch, opening the device, loading the kernels
WIDE, WIDE_STEP = 64, 5e-3  # above so many columns steps are plain torch, and take that long


@dataclass(frozen=True)
class Work:
    """The clusterings of a search."""

    n_rows: int
    n_columns: int
    """Of a mask."""
    n_clusters: int
    n_sweeps: int
    """How often all rows are compared with all clusters."""
    n_at_once: int
    """Masks of a step."""
    n_steps: int

    @property
    def operations(self) -> float:
        """Of one mask: differences times triangular factors, and their products."""
        return 2.0 * self.n_rows * self.n_columns**2 * self.n_clusters * self.n_sweeps

    def cpu_seconds(self, n_threads: int) -> float:
        """Return what the search takes on a CPU, roughly."""
        return self.n_steps * self.n_at_once * (CPU_MASK + self.operations / CPU_RATE) / n_threads

    def gpu_seconds(self, is_open: bool) -> float:
        """Return what the search takes on a GPU, roughly; longer if this process has not used it yet."""
        step = GPU_STEP if self.n_columns <= WIDE else WIDE_STEP
        opening = 0.0 if is_open else GPU_OPENING
        return opening + self.n_steps * (step + self.n_at_once * self.operations / GPU_RATE)
