"""SciPy's functions made to take Tensors."""
import functools

from ..tensor.core import Tensor
from ..tensor.structure import holds_tensor


def forwarded(theirs, ours):
    """tapegrad's function where an argument is a Tensor, or a list that holds one, and SciPy's where none is."""
    def function(*arguments, **keywords):
        for value in (*arguments, *keywords.values()):
            if isinstance(value, Tensor) or (isinstance(value, (list, tuple)) and holds_tensor(value)):
                return ours(*arguments, **keywords)
        return theirs(*arguments, **keywords)
    return functools.update_wrapper(function, ours, ("__name__", "__doc__"), ())


def fill(namespace, theirs, ours, names):
    """Puts functions that both have into a namespace, and gives their names."""
    found = sorted(name for name in names if hasattr(theirs, name))
    namespace.update({name: forwarded(getattr(theirs, name), getattr(ours, name)) for name in found})
    return found
