"""Random numbers: tensors of them, and fills of tensors in place. All come from one generator, that of ``manual_seed``."""
import contextlib
import operator

import numpy as np

from .._jit.locks import lock
from ..tape import state
from . import inplace
from .conversion import as_dtype, get_default_dtype
from .core import FLOATS, Tensor, wrap
from .creation import _filled, _like, _shape, as_tensor
from .elementwise import broadcast
from .registry import public
from .structure import as_tensor_operand, shape_argument
from .structure.arguments import integer

_random = np.random.default_rng()
_random_lock = lock()


def manual_seed(seed):
    """Starts the random numbers of rand, randn and randint anew."""
    global _random
    _random = np.random.default_rng(seed)
    return _random


def generator():
    """What rand, randn and randint draw from."""
    return _random


@contextlib.contextmanager
def _drawing():
    """Around what draws random numbers: one thread at a time, and never unnoticed in what is recorded for a replay."""
    recorder = state().recorder
    if recorder is not None:
        recorder.refuse("it draws random numbers, which a replay would repeat; draw them outside and pass them as an argument")
    with _random_lock:
        yield


def rand(*shape, size=None, dtype=None, requires_grad=False, device=None):
    """Random numbers from [0, 1)."""
    with _drawing():
        array = _random.random(_shape(shape, size, "rand"))
    return _filled(np.asarray(array).astype(_floating(dtype)), requires_grad, device)


def randn(*shape, size=None, dtype=None, requires_grad=False, device=None):
    """Random numbers from the standard normal distribution."""
    with _drawing():
        array = _random.standard_normal(_shape(shape, size, "randn"))
    return _filled(np.asarray(array).astype(_floating(dtype)), requires_grad, device)


def randint(low, high=None, size=None, *, dtype=None, requires_grad=False, device=None):
    """Random integers from low (0 if only one bound is given) up to, without, high."""
    if size is None and isinstance(high, (tuple, list)):
        low, high, size = 0, low, high
    if high is None:
        low, high = 0, low
    with _drawing():
        array = _random.integers(low, high, shape_argument((size or (),), "randint"))
    return _filled(np.asarray(array).astype(as_dtype(dtype) or np.int64), requires_grad, device)


def normal(mean=0.0, std=1.0, size=None, *, dtype=None, requires_grad=False, device=None):
    """Random numbers from normal distributions: of a shape, or with tensors of means and standard deviations, of theirs."""
    mean, std = (v._array() if isinstance(v, Tensor) else v for v in (mean, std))
    if np.any(np.asarray(std) < 0):
        raise ValueError("normal takes standard deviations of at least 0")
    size = np.broadcast_shapes(np.shape(mean), np.shape(std)) if size is None else _shape((), size, "normal")
    with _drawing():
        array = _random.normal(mean, std, size)
    return _filled(np.asarray(array).astype(_floating(dtype)), requires_grad, device)


def randperm(n, *, dtype=None, requires_grad=False, device=None):
    """The integers from 0 up to, without, n in random order."""
    with _drawing():
        array = _random.permutation(operator.index(n))
    return _filled(array.astype(as_dtype(dtype) or np.int64), requires_grad, device)


def randint_like(x, low, high=None, *, dtype=None, requires_grad=False, device=None):
    """As ``randint``, with the shape and dtype of a tensor."""
    x = x if isinstance(x, Tensor) else as_tensor(x)
    return randint(low, high, x._shape, dtype=dtype or x.dtype, requires_grad=requires_grad, device=device)


def _floating(dtype):
    dtype = as_dtype(dtype) or get_default_dtype()
    if dtype not in FLOATS:
        raise RuntimeError(f"random numbers of dtype {dtype} are not there; use float64 or float32")
    return dtype


rand_like, randn_like = _like(rand), _like(randn)


# By the numbers of a tensor --------------------------------------------------------------------------------------------

def _known(x, name, holds, expected):
    """The array of a tensor of floats that holds what is expected. TypeError for other dtypes, ValueError for other numbers."""
    x = as_tensor_operand(x, name)
    if x.dtype not in FLOATS:
        raise TypeError(f"{name} takes a tensor of floats, and this one is {x.dtype}; convert it with .double()")
    array = x._array()
    if not np.all(holds(array)):
        raise ValueError(f"{name} takes {expected}, and not all of these are")
    return array


def _probabilities(p, name):
    p = float(p) if isinstance(p, int) else p
    return _known(p, name, lambda a: (a >= 0) & (a <= 1), "probabilities, numbers from 0 to 1")


@public()
def bernoulli(x, p=None):
    """1 with the probability that stands in the tensor, or with `p`, and else 0; in the shape and dtype of the tensor.

    It has no derivative. ValueError for probabilities outside of [0, 1].

    >>> import tapegrad as tg
    >>> tg.bernoulli(tg.tensor([0.0, 1.0]))
    tensor([0., 1.])
    """
    x = as_tensor_operand(x, "bernoulli")
    chance = _probabilities(x if p is None else p, "bernoulli")
    return wrap(_outcomes(chance, x))


def _outcomes(chance, x):
    """1 or 0 for each element of `x`."""
    with _drawing():
        return np.asarray(_random.random(x._shape) < chance).astype(x.dtype)


@public(method=False)
def poisson(x):
    """Random numbers from Poisson distributions, whose means stand in the tensor; in its shape and dtype. No derivative.

    ValueError for negative means.
    """
    rate = _known(x, "poisson", lambda a: a >= 0, "means of at least 0")
    with _drawing():
        array = _random.poisson(rate)
    return wrap(np.asarray(array).astype(rate.dtype))


@public()
def multinomial(x, num_samples, replacement=False):
    """Indices drawn by weights, int64: of a vector of weights `num_samples`, of a matrix so many for each row.

    Without `replacement` none comes twice. ValueError for other shapes, for weights that are negative, not finite or all 0, or
    where fewer of them are above 0 than are drawn.

    >>> import tapegrad as tg
    >>> tg.multinomial(tg.tensor([0.0, 3.0, 0.0]), 2, replacement=True)
    tensor([1, 1])
    """
    weights = _known(x, "multinomial", lambda a: (a >= 0) & np.isfinite(a), "finite weights of at least 0")
    count = integer(num_samples, "multinomial")
    rows = weights.reshape(-1, weights.shape[-1]).astype(np.float64) if weights.ndim in (1, 2) else None
    if rows is None or count < 1:
        raise ValueError(f"multinomial draws at least one of a vector, or of each row of a matrix, not {count} of shape "
                         f"{weights.shape}")
    there = np.count_nonzero(rows, axis=1).min(initial=rows.shape[1])
    if there < (1 if replacement else count):
        raise ValueError(f"multinomial can't draw {count} {'' if replacement else 'different '}indices of {there} weights that "
                         "are above 0")
    with _drawing():
        drawn = [_random.choice(rows.shape[1], count, replacement, row / row.sum()) for row in rows]
    return wrap(np.array(drawn, np.int64).reshape(*weights.shape[:-1], count))


# In place --------------------------------------------------------------------------------------------------------------

def _check_fill(x, name, *, floats=True):
    """What keeps a tensor from being filled, before numbers are drawn for it."""
    inplace.check_distinct(x, name)
    inplace.check_writable(x, name)
    if floats and x.dtype not in FLOATS:
        raise TypeError(f"{name} fills a tensor of floats, and this one is {x.dtype}; convert it with .double()")


def _fill(x, name, draw):
    with _drawing():
        array = np.asarray(draw(x._shape)).astype(x.dtype)
    return inplace.overwrite(x, wrap(array), name, name.rstrip("_").capitalize())


@public(function=False)
def normal_(x, mean=0.0, std=1.0):
    """Fills the tensor with random numbers from a normal distribution. ValueError for a negative standard deviation.

    >>> import tapegrad as tg
    >>> tg.zeros(2).normal_(3.0, 0.0)
    tensor([3., 3.])
    """
    _check_fill(x, "normal_")
    if not std >= 0:
        raise ValueError(f"normal_ takes a standard deviation of at least 0, not {std}")
    return _fill(x, "normal_", lambda shape: _random.normal(mean, std, shape))


@public(function=False)
def uniform_(x, from_=0.0, to=1.0):
    """Fills the tensor with random numbers from [from_, to). ValueError where `from_` is above `to`."""
    _check_fill(x, "uniform_")
    if not from_ <= to:
        raise ValueError(f"uniform_ takes bounds in order, not from {from_} to {to}")
    return _fill(x, "uniform_", lambda shape: from_ + (to - from_) * _random.random(shape))


@public(function=False)
def exponential_(x, lambd=1.0):
    """Fills the tensor with random numbers of density lambd * exp(-lambd * x). ValueError where `lambd` is not above 0."""
    _check_fill(x, "exponential_")
    if not lambd > 0:
        raise ValueError(f"exponential_ takes a rate above 0, not {lambd}")
    return _fill(x, "exponential_", lambda shape: _random.standard_exponential(shape) / lambd)


@public(function=False)
def bernoulli_(x, p=0.5):
    """Fills the tensor, of any dtype, with 1 with probability `p`, a number or a tensor that broadcasts to it, and else with 0.

    ValueError for probabilities outside of [0, 1].
    """
    _check_fill(x, "bernoulli_", floats=False)
    chance = _probabilities(p, "bernoulli_")
    if broadcast(chance.shape, x._shape) != x._shape:
        raise ValueError(f"bernoulli_ of shape {x._shape} takes probabilities that broadcast to it, not of shape {chance.shape}")
    return inplace.overwrite(x, wrap(_outcomes(chance, x)), "bernoulli_", "Bernoulli")
