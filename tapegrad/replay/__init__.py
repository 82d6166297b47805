"""Recorded programs: functions that run without Python once they were recorded."""
from . import derivatives as _derivatives
from .compiled import Compiled, compile

__all__ = ["Compiled", "compile"]
