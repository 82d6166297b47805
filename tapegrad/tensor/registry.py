"""The public functions of Tensors: each is declared where it is written, with a decorator that says how users reach it."""
from collections.abc import Callable

FUNCTIONS: dict[str, Callable] = {}          # tg.<name>
METHODS: dict[str, Callable] = {}            # Tensor.<name>
BY_NUMPY: dict[Callable, Callable] = {}      # what functions of NumPy's submodules are, given a tensor


def public(*aliases, function=True, method=True, numpy=None):
    """Makes a function public by its name and `aliases`: as ``tg.name``, as a method of Tensor, or as both.

    NumPy's function of one of these names dispatches to it; `numpy`: another function of NumPy, or several, that do so too.
    """
    def declare(made):
        for name in (made.__name__, *aliases):
            for there, wanted in ((FUNCTIONS, function), (METHODS, method)):
                if wanted and there.setdefault(name, made) is not made:
                    raise ValueError(f"{name} is declared twice, in {there[name].__module__} and in {made.__module__}")
        for theirs in numpy if isinstance(numpy, tuple) else (numpy,) if numpy else ():
            BY_NUMPY[theirs] = made
        return made
    return declare
