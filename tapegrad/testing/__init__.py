"""Checks of derivatives, for users' tests."""
from .check_grads import check_grads

__all__ = ["check_grads"]
