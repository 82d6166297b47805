# Written by `python -m tapegrad._stubs`; what to change stands there, or in the functions themselves.
from typing import Any

def __getattr__(name: str) -> Any: ...
