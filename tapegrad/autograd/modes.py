"""Grad mode: whether this thread records. Context managers, decorators, functions; generators keep their own mode."""
import functools
import inspect

from ..tape import guard, state, unguard
from ..tensor import core


def is_grad_enabled():
    """Whether operations are recorded in this thread."""
    return state().enabled


def is_inference_mode_enabled():
    """Whether this thread is in inference_mode."""
    return state().inference


def _set(enabled):
    """Sets the mode and gives the one before. While any thread doesn't record, recording goes the slow way, which
    looks."""
    current = state()
    before, enabled = current.enabled, enabled and not current.inference
    if enabled != before:
        current.enabled = enabled
        (unguard if enabled else guard)()
    return before


def switch(name, mode):
    """True or False; TypeError for what is neither, as the word "off", which would count as true."""
    if mode not in (True, False):
        raise TypeError(f"{name} takes True or False, not {mode!r}")
    return bool(mode)


class _Mode:
    """A context manager that can be nested and used again, and a decorator."""

    enabled = True

    def __new__(cls, function=None):
        mode = super().__new__(cls)
        if function is None:
            return mode
        # A decorator without parentheses: Python doesn't call __init__, since what this gives is no mode
        mode.__init__()
        return mode(function)

    def __init__(self):
        self._before = []

    def __enter__(self):
        self._before.append(_set(self.enabled))
        return self

    def __exit__(self, *_):
        _set(self._before.pop())

    def _again(self):
        return type(self)()

    def __call__(self, function):
        if inspect.isgeneratorfunction(function):
            @functools.wraps(function)
            def generator(*arguments, **keywords):
                return _in_mode(self._again, function(*arguments, **keywords))
            return generator
        if isinstance(function, type):
            raise TypeError(f"{type(self).__name__} decorates functions, not classes; decorate the methods of "
                            f"{function.__name__}")

        @functools.wraps(function)
        def wrapper(*arguments, **keywords):
            with self._again():
                return function(*arguments, **keywords)
        return wrapper


def _in_mode(mode, generator):
    """Runs a generator in a mode, and what uses it in its own."""
    try:
        with mode():
            result = next(generator)
        while True:
            try:
                sent = yield result
            except GeneratorExit:
                with mode():
                    generator.close()
                raise
            except BaseException as error:
                with mode():
                    result = generator.throw(error)
            else:
                with mode():
                    result = generator.send(sent)
    except StopIteration as stop:
        return stop.value


class no_grad(_Mode):
    """Nothing is recorded.

    >>> import tapegrad as tg
    >>> x = tg.tensor(1.0, requires_grad=True)
    >>> with tg.no_grad():
    ...     y = x * 2
    >>> y.requires_grad
    False
    """
    enabled = False


class enable_grad(_Mode):
    """Operations are recorded, inside no_grad too."""
    enabled = True


class set_grad_enabled(_Mode):
    """As a function, sets the mode at once; as a context manager, until its end; as a decorator, within the
    function."""

    def __new__(cls, mode):
        return object.__new__(cls)

    def __init__(self, mode):
        super().__init__()
        self.enabled = switch("set_grad_enabled", mode)
        self._outer = _set(self.enabled)

    def __enter__(self):
        self._before.append(self._outer if not self._before else state().enabled)
        _set(self.enabled)
        return self

    def __call__(self, function):
        _set(self._outer)                    # a decorator doesn't change the mode around it
        return super().__call__(function)

    def _again(self):
        again = object.__new__(_Fixed)
        _Mode.__init__(again)
        again.enabled = self.enabled
        return again


class _Fixed(_Mode):
    pass


class inference_mode(_Mode):
    """As no_grad; tensors made in it can never require grad. ``inference_mode(False)`` records as usual."""

    def __new__(cls, mode=True):
        return super().__new__(cls, mode if callable(mode) else None)

    def __init__(self, mode=True):
        super().__init__()
        self._mode = switch("inference_mode", mode)
        self.enabled = not self._mode

    def __enter__(self):
        current = state()
        outer, current.inference = current.inference, self._mode
        core.inference_used = core.inference_used or self._mode
        self._before.append((_set(self.enabled), outer))
        return self

    def __exit__(self, *_):
        before, state().inference = self._before.pop()
        _set(before)

    def _again(self):
        return inference_mode(self._mode)
