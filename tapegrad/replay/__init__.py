"""Recorded programs: functions that run without Python once they were recorded."""
from . import derivatives as _derivatives
from .compiled import compile
from .drawing import to_dot
from .tapes import Tape, explain, record

__all__ = ["Tape", "compile", "explain", "record", "to_dot"]
