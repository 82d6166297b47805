"""PyTorch's ``torch.nn``, as far as functions go: see `functional`."""
from . import functional

__all__ = ["functional"]
