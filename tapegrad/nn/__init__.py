"""PyTorch's ``torch.nn``, as far as functions go: `functional`, and bounds for gradients in `utils`."""
from . import functional, utils

__all__ = ["functional", "utils"]
