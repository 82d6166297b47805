"""The loss of a recurrent network with long short-term memory, and its gradient: ADBench's problem LSTM.

::

    python -m tapegrad.examples.lstm                        # 2 layers, 1,024 characters, random parameters
    python -m tapegrad.examples.lstm --layers 4 --characters 4096
    python -m tapegrad.examples.lstm lstm_l2_c1024.txt      # a file of ADBench's

The problem, and the form of its files, are those of ADBench (https://github.com/microsoft/ADBench). The network reads a text, a
character at a time as 14 bits, and predicts the bits of the next one. Its weights are diagonal, so that every layer has as many
cells as there are bits; the loss is the one of ADBench, with the 2 that it adds to the sum of the exponentials.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy

import tapegrad.numpy as np
from tapegrad.examples.checked import study
from tapegrad.scipy.special import expit

__all__ = ["Problem", "generate", "loss", "main", "read"]


@dataclass(frozen=True)
class Problem:
    """A text, and a place to differentiate at.

    Attributes
    ----------
    main : ndarray, shape (2 layers, 4 bits)
        Of each layer the weights of its four gates, and their biases.
    extra : ndarray, shape (3, bits)
        Weights of the input; weights and biases of the prediction.
    state : ndarray, shape (2 layers, bits)
        What is in the hidden cells of each layer and in its memory when it begins.
    sequence : ndarray, shape (characters, bits)
        The text.
    """

    main: Any
    extra: Any
    state: Any
    sequence: Any

    @property
    def parameters(self) -> tuple[Any, Any]:
        """What the loss is differentiated by."""
        return self.main, self.extra


def loss(problem: Problem) -> Callable[[Any, Any], Any]:
    """The mean loss of a bit, as a function of `main` and `extra`: arrays or Tensors."""
    sequence, state = problem.sequence, problem.state
    layers, bits = len(state) // 2, sequence.shape[1]

    def function(main: Any, extra: Any) -> Any:
        gates = [(*weights, *biases) for weights, biases in main.reshape(layers, 2, 4, bits)]
        hidden, memory = list(state[::2]), list(state[1::2])
        seen = []
        for x in sequence[:-1] * extra[0]:
            for k, (wf, wi, wo, wc, bf, bi, bo, bc) in enumerate(gates):
                h = hidden[k]
                kept = memory[k] * expit(wf * x + bf)
                memory[k] = kept + expit(wi * h + bi) * np.tanh(wc * h + bc)
                x = hidden[k] = expit(wo * x + bo) * np.tanh(memory[k])
            seen.append(x)
        predicted = np.stack(seen) * extra[1] + extra[2]
        norms = np.log(2 + np.exp(predicted).sum(axis=1, keepdims=True))
        return -(sequence[1:] * (predicted - norms)).mean()

    return function


def read(path: str | Path) -> Problem:
    """The problem in a file of ADBench's; ValueError where it isn't one."""
    words = Path(path).read_text(encoding="ascii").split()
    try:
        layers, characters, bits = map(int, words[:3])
        numbers = numpy.array(words[3:], dtype=float)
    except ValueError as error:
        raise ValueError(f"{path}: an LSTM file holds numbers, first layers, characters and bits: {error}") from None
    shapes = [(2 * layers, 4 * bits), (3, bits), (2 * layers, bits), (characters, bits)]
    sizes = [rows * columns for rows, columns in shapes]
    if len(numbers) != sum(sizes):
        raise ValueError(f"{path}: {sum(sizes)} numbers should follow {layers} layers, {characters} characters and {bits} bits, "
                         f"and there are {len(numbers)}")
    parts = numpy.split(numbers, numpy.cumsum(sizes)[:-1])
    return Problem(*[part.reshape(shape) for part, shape in zip(parts, shapes)])


def generate(layers: int = 2, characters: int = 1024, bits: int = 14, seed: int = 0) -> Problem:
    """A problem of random numbers: parameters and state between 0 and 1, as in ADBench's files, and random bits."""
    random = numpy.random.default_rng(seed).random
    bits_of_text = (random((characters, bits)) < 0.4).astype(float)
    return Problem(random((2 * layers, 4 * bits)), random((3, bits)), random((2 * layers, bits)), bits_of_text)


def main(argv: Sequence[str] | None = None) -> int:
    """Run the program; returns the exit code."""
    parser = argparse.ArgumentParser(
        prog="python -m tapegrad.examples.lstm",
        description="Differentiate the loss of a recurrent network, check the gradient and time it.",
    )
    parser.add_argument("files", nargs="*", metavar="FILE", help="files of ADBench's (default: random numbers)")
    parser.add_argument("--layers", type=int, default=2, help="of a network of random numbers (default: 2)")
    parser.add_argument("--characters", type=int, default=1024, help="of a random text (default: 1024)")
    options = parser.parse_args(argv)
    if options.layers < 1 or options.characters < 2:
        parser.error(f"there must be a layer and two characters, not {options.layers} and {options.characters}")
    try:
        problems = [(Path(name).name, read(name)) for name in options.files]
    except (OSError, ValueError) as error:
        parser.error(str(error))
    for name, problem in problems or [("random numbers", generate(options.layers, options.characters))]:
        characters, bits = problem.sequence.shape
        print(f"{name}: {len(problem.state) // 2} layers, {characters} characters of {bits} bits")
        print(study(loss(problem), problem.parameters))
    return 0


if __name__ == "__main__":
    sys.exit(main())
