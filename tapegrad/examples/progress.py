"""A bar that shows how far a program is, where somebody looks on."""

from __future__ import annotations

import importlib
import sys
from collections.abc import Iterable, Sequence
from typing import Any


def progress(tasks: Sequence[tuple[str, Any]], wanted: bool, doing: str) -> Iterable[Any]:
    """Go through `tasks`, pairs of a title and something, with a bar on standard error, if it is `wanted`.

    It is tqdm's if that is installed. Without a terminal there is none.
    """
    if not (wanted and sys.stderr.isatty()):
        return [task for _, task in tasks]
    try:
        tqdm = importlib.import_module("tqdm").tqdm
    except ImportError:
        return _plain(tasks, doing)
    return tqdm([task for _, task in tasks], desc=doing, leave=False)


def _plain(tasks: Sequence[tuple[str, Any]], doing: str) -> Iterable[Any]:
    for done, (title, task) in enumerate(tasks):
        text = f"{doing} {done + 1} of {len(tasks)}: {title}"
        print(f"\r{text}".ljust(70), end="", file=sys.stderr, flush=True)
        yield task
    print("\r" + " " * 70 + "\r", end="", file=sys.stderr, flush=True)
