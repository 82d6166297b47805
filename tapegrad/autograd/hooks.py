"""Hooks on tensors, and gradients kept for interior ones."""
import itertools
import weakref

from ..tensor.core import mark_aliased, tracked

_keys = itertools.count()


class RemovableHandle:
    """What registering a hook gives: ``remove()`` takes it away, as does the end of a ``with`` block."""

    def __init__(self, hooks, key):
        self._hooks, self._key = hooks, key

    def remove(self):
        """Takes the hook away; a second time does nothing."""
        self._hooks.pop(self._key, None)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.remove()


def register_hook(x, hook):
    """Calls ``hook(gradient)`` whenever a gradient with respect to this tensor is complete; what it gives replaces it.

    A hook stays with the value that the tensor has now: an operation in place moves the tensor on and leaves the hook.
    """
    if not callable(hook):
        raise TypeError(f"a hook is a function of the gradient, not {type(hook).__name__}")
    if not tracked(x):
        raise RuntimeError("register_hook on a tensor that does not require grad: it will never get a gradient; call "
                           "requires_grad_() on it first")
    if x._own is None:
        tape = x._tape
        if tape.hooks is None:
            tape.hooks = {}
        hooks = tape.hooks.setdefault(x._index, (x._shape, {}))[1]
        tape.was_given()
    else:
        hooks = x._hooks
        if hooks is None:
            hooks = x._hooks = {}
    return _add(hooks, hook)


def register_post_accumulate_grad_hook(x, hook):
    """Calls ``hook(x)`` after a gradient was added to ``x.grad``; for leaves."""
    if not callable(hook):
        raise TypeError(f"a hook is a function of the tensor, not {type(hook).__name__}")
    if not tracked(x):
        raise RuntimeError("register_post_accumulate_grad_hook on a tensor that does not require grad: it will never "
                           "get a gradient; call requires_grad_() on it first")
    if x._own is None:
        raise RuntimeError("register_post_accumulate_grad_hook needs a leaf, and this tensor was computed from others; "
                           "use register_hook()")
    if x._post_hooks is None:
        x._post_hooks = {}
    return _add(x._post_hooks, hook)


def _add(hooks, hook):
    key = next(_keys)
    hooks[key] = hook
    return RemovableHandle(hooks, key)


def retain_grad(x):
    """Keeps the gradient of an interior tensor in its ``grad``; a leaf keeps it anyway."""
    if not tracked(x):
        raise RuntimeError("retain_grad on a tensor that does not require grad: it will never get a gradient; call "
                           "requires_grad_() on it first")
    if x._own is None and not retains_grad(x):
        tape = x._tape
        if tape.retained is None:
            tape.retained = {}
        tape.retained[x._index] = weakref.ref(x)
        mark_aliased(x)


def retains_grad(x):
    """Whether retain_grad() was called on this interior tensor."""
    if x._own is not None:
        return False
    holder = (x._tape.retained or {}).get(x._index)
    return holder is not None and holder() is x
