"""A bar that shows how far a program is, where somebody looks on: tapegrad.progress, for tasks that have titles."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from tapegrad.progress import bar


def progress(tasks: Sequence[tuple[str, Any]], wanted: bool, doing: str) -> Iterable[Any]:
    """Go through `tasks`, pairs of a title and something, with a bar on standard error, if it is `wanted`.

    It is tqdm's if that is installed. Without a terminal there is none. A program that goes on shows it at once.
    """
    title = ""
    with bar(doing, len(tasks), wanted=None if wanted else False, said=lambda: title, delay=0) as shown:
        for done, (title, task) in enumerate(tasks):  # noqa: B007
            shown.done = done + 1
            if done in (0, len(tasks) - 1):
                shown.draw()
            yield task
