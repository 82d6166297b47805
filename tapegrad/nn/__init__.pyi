# Written by `python -m tapegrad._stubs`; what to change stands there, or in the functions themselves.
from . import functional, utils

__all__ = ["functional", "utils"]
