"""Reader of NIST's Statistical Reference Datasets (StRD) for nonlinear regression.

Each ``.dat`` file states one problem: a model, two starting points, the certified parameters with their standard
deviations, the certified residual sum of squares and the observations. The 27 files are NIST's own, in the public
domain: https://www.itl.nist.gov/div898/strd/nls/nls_main.shtml
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from importlib.resources import files

import numpy as np

__all__ = ["Problem", "load", "names", "parse"]

_FOLDER = files("tapegrad.examples") / "data" / "nist_strd"
_NUMBER = r"[-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?"
_PARAMETER = re.compile(rf"^\s*b\d+\s*=\s*({_NUMBER})\s+({_NUMBER})\s+({_NUMBER})\s+({_NUMBER})\s*$", re.MULTILINE)


@dataclass(frozen=True)
class Problem:
    """One problem of the collection, as its file states it.

    Attributes
    ----------
    name : str
        NIST's name of the dataset.
    difficulty : str
        ``"Lower"``, ``"Average"`` or ``"Higher"``.
    formula : str
        The model as printed in the file, on one line: ``"y = b1*(1-exp[-b2*x]) + e"``.
    starts : ndarray, shape (2, n)
        Starting values 1 (far from the solution) and 2 (nearer).
    certified, deviations : ndarray, shape (n,)
        Certified parameters, to 11 significant digits, and their standard deviations.
    rss : float
        Certified residual sum of squares.
    y : ndarray, shape (m,)
        Observed response, untransformed.
    x : tuple of ndarray, each of shape (m,)
        Predictor variables, in the order of the file's columns.
    """

    name: str
    difficulty: str
    formula: str
    starts: np.ndarray
    certified: np.ndarray
    deviations: np.ndarray
    rss: float
    y: np.ndarray
    x: tuple[np.ndarray, ...]

    @property
    def response(self) -> np.ndarray:
        """The left-hand side of the model at the observations: ``y``, or ``log(y)`` where the formula says so."""
        return np.log(self.y) if self.formula.startswith("log[y]") else self.y


def names() -> list[str]:
    """Names of the problems that come with the package, sorted."""
    return sorted(entry.name[: -len(".dat")] for entry in _FOLDER.iterdir() if entry.name.endswith(".dat"))


def load(name: str) -> Problem:
    """Read one of the packaged problems by its name.

    Raises
    ------
    ValueError
        If there is no problem of that name; the message lists those that there are.
    """
    if name not in names():
        raise ValueError(f"unknown problem {name!r}; there are: {', '.join(names())}")
    return parse((_FOLDER / f"{name}.dat").read_text(encoding="ascii"))


def parse(text: str) -> Problem:
    """Parse the text of a ``.dat`` file.

    Raises
    ------
    ValueError
        If a section is missing, or if the counts that the file announces do not match what it holds.
    """
    name = _find(r"^Dataset Name:\s*(\S+)", text, "the dataset's name")
    table = np.array(_PARAMETER.findall(text), dtype=float)
    n = int(_find(r"^\s*(\d+) Parameters", text, "the number of parameters"))
    if table.shape != (n, 4):
        raise ValueError(f"{name}: {n} parameters are announced, {len(table)} rows of values were found")
    data = _observations(name, text)
    return Problem(
        name=name,
        difficulty=_find(r"^\s*(\w+) Level of Difficulty", text, "the level of difficulty"),
        formula=_formula(text),
        starts=table[:, :2].T.copy(),
        certified=table[:, 2].copy(),
        deviations=table[:, 3].copy(),
        rss=float(_find(rf"^Residual Sum of Squares:\s*({_NUMBER})", text, "the residual sum of squares")),
        y=data[:, 0].copy(),
        x=tuple(np.ascontiguousarray(column) for column in data[:, 1:].T),
    )


def _find(pattern: str, text: str, what: str) -> str:
    match = re.search(pattern, text, re.MULTILINE)
    if match is None:
        raise ValueError(f"not a StRD nonlinear-regression file: {what} was not found")
    return match[1]


def _formula(text: str) -> str:
    """The model's equation, which may run over several lines, up to its error term."""
    equation = _find(r"^\s*((?:y|log\[y\])\s*=(?:.|\n)*?\+\s*e)\s*$", text, "the model's equation")
    return " ".join(equation.split())


def _observations(name: str, text: str) -> np.ndarray:
    # "Data:" also opens the description near the top of the file; the table of observations follows the last one.
    rows = text[text.rindex("\nData:") :].splitlines()[2:]
    data = np.array([row.split() for row in rows if row.strip()], dtype=float)
    m = int(_find(r"^Number of Observations:\s*(\d+)", text, "the number of observations"))
    k = int(_find(r"^\s*(\d+) Predictor", text, "the number of predictors"))
    if data.shape != (m, 1 + k):
        raise ValueError(f"{name}: {m} observations of {1 + k} variables are announced, the table is {data.shape}")
    return data
