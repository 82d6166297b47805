"""Fourier transforms. There are no complex tensors: a complex result is a `Complex`, a pair of tensors, and the transforms
back take one. Everything is differentiable by the real and the imaginary parts, in any order."""

import functools
import operator

import numpy as np

from ..ops import BY_NAME, convolution
from .conversion import to
from .core import FLOATS, Tensor, float64, wrap
from .elementwise import apply
from .hosting import host
from .registry import BY_NUMPY, public
from .structure import as_tensor_operand, axis_argument, concatenate, normalize_axis

_add, _subtract, _multiply, _divide = (BY_NAME[name] for name in ("add", "subtract", "multiply", "divide"))
NORMS = {None: "backward", "backward": "backward", "ortho": "ortho", "forward": "forward"}


class Complex(tuple):
    """Complex numbers as a pair of tensors of one shape: ``z.real`` and ``z.imag``, or ``real, imag = z``.

    Arithmetic is that of complex numbers, with tensors, Python's numbers and other pairs; ``abs(z)``, ``z.angle()``,
    ``z.conj()``, ``z[index]``. ``z.numpy()`` is a complex array.

    >>> import tapegrad as tg
    >>> x = tg.tensor([1.0, 2.0, 3.0, 4.0], requires_grad=True)
    >>> z = tg.fft.rfft(x)
    >>> (z.abs() ** 2).sum().backward()
    >>> x.grad
    tensor([12., 20., 20., 28.])
    """
    __slots__ = ()

    def __new__(cls, real, imag=0.0):
        real, imag = _floating(real), _floating(imag)
        if real._shape != imag._shape:
            real, imag = real + imag * 0, imag + real * 0
        return _complex((real, imag))

    real = property(lambda z: tuple.__getitem__(z, 0), doc="The real parts, a tensor.")
    imag = property(lambda z: tuple.__getitem__(z, 1), doc="The imaginary parts, a tensor.")
    shape = property(lambda z: z.real._shape, doc="The lengths of the axes.")
    ndim = property(lambda z: len(z.real._shape), doc="The number of axes.")

    def abs(self):
        """The magnitudes; the derivative at 0 is 0."""
        return apply(BY_NAME["hypot"], *self)

    def angle(self):
        """The angles, in radians."""
        return apply(BY_NAME["arctan2"], self.imag, self.real)

    def conj(self):
        """The conjugate numbers."""
        return Complex(self.real, -self.imag)

    def detach(self):
        """Without history."""
        return Complex(self.real.detach(), self.imag.detach())

    def numpy(self):
        """A complex array, where nothing requires grad."""
        return self.real.numpy() + 1j * self.imag.numpy()

    def __getitem__(self, index):
        return Complex(self.real[index], self.imag[index])

    def __len__(self):
        return 2

    __abs__ = abs

    def __neg__(self):
        return Complex(-self.real, -self.imag)

    def __add__(self, other):
        other = as_complex(other)
        return Complex(apply(_add, self.real, other.real), apply(_add, self.imag, other.imag))

    def __sub__(self, other):
        other = as_complex(other)
        return Complex(apply(_subtract, self.real, other.real), apply(_subtract, self.imag, other.imag))

    def __rsub__(self, other):
        return as_complex(other) - self

    def __mul__(self, other):
        if isinstance(other, (Tensor, int, float, np.floating)):
            return Complex(apply(_multiply, self.real, other), apply(_multiply, self.imag, other))
        (a, b), (c, d) = self, as_complex(other)
        return Complex(apply(_multiply, a, c) - apply(_multiply, b, d), apply(_multiply, a, d) + apply(_multiply, b, c))

    def __truediv__(self, other):
        if isinstance(other, (Tensor, int, float, np.floating)):
            return Complex(apply(_divide, self.real, other), apply(_divide, self.imag, other))
        other = as_complex(other)
        size = other.real * other.real + other.imag * other.imag
        return self * other.conj() / size

    def __rtruediv__(self, other):
        return as_complex(other) / self

    __radd__, __rmul__ = __add__, __mul__

    def __array_ufunc__(self, ufunc, method, *inputs, **keywords):
        function = _UFUNCS.get(ufunc)
        if function is None or method != "__call__" or keywords:
            raise TypeError(f"np.{ufunc.__name__} is not there for a Complex; compute with its .real and .imag")
        return function(*map(as_complex, inputs))

    def __array_function__(self, function, types, arguments, keywords):
        implementation = _FUNCTIONS.get(function) or BY_NUMPY.get(function)
        if implementation is None:
            raise TypeError(f"np.{function.__name__} is not there for a Complex; compute with its .real and .imag")
        return implementation(*arguments, **keywords)

    def __repr__(self):
        return f"Complex(real={self.real!r}, imag={self.imag!r})"


_complex = functools.partial(tuple.__new__, Complex)     # of two tensors of one shape, not looked at
_UFUNCS = {np.add: operator.add, np.subtract: operator.sub, np.multiply: operator.mul, np.divide: operator.truediv,
           np.negative: operator.neg, np.absolute: Complex.abs, np.conjugate: Complex.conj}
_FUNCTIONS = {np.real: lambda z: z.real, np.imag: lambda z: z.imag, np.angle: Complex.angle, np.shape: lambda z: z.shape}


def as_complex(z):
    """A pair of tensors, from one, a complex array or number, or real numbers."""
    if isinstance(z, Complex):
        return z
    if isinstance(z, (complex, np.complexfloating)):
        return Complex(z.real, z.imag)
    if isinstance(z, np.ndarray) and z.dtype.kind == "c":
        return Complex(z.real.copy(), z.imag.copy())
    if isinstance(z, tuple) and len(z) == 2 and all(isinstance(part, (Tensor, np.ndarray)) for part in z):
        return Complex(*z)
    return Complex(z)


def _floating(x):
    x = as_tensor_operand(x, "a Fourier transform")
    return x if x.dtype in FLOATS else to(x, float64)


def _real(x, name):
    if isinstance(x, Complex) or (isinstance(x, np.ndarray) and x.dtype.kind == "c"):
        raise TypeError(f"{name} takes real numbers, and these are complex; use fft")
    return _floating(x)


def _checked(x, n, axis, dim, norm, name, length=None):
    """The axis, how many elements go in, and the norm."""
    axis = normalize_axis(axis if dim is None else dim, len(x._shape)) if x._shape else None
    if axis is None:
        raise ValueError(f"{name} takes tensors with axes, and this one has none")
    if norm not in NORMS:
        raise ValueError(f"the norm of {name} is 'backward', 'ortho' or 'forward', not {norm!r}")
    n = (x._shape[axis] if length is None else length(x._shape[axis])) if n is None else n
    if n < 1:
        raise ValueError(f"{name} of {n} elements: give at least one (shape {x._shape}, axis {axis})")
    return axis, int(n), NORMS[norm]


def _fitted(x, n, axis):
    """Cut off after n elements, or filled up with zeros."""
    length = x._shape[axis]
    if length > n:
        return x[(slice(None),) * axis + (slice(0, n),)]
    if length < n:
        zeros = wrap(np.zeros((*x._shape[:axis], n - length, *x._shape[axis + 1:]), x.dtype))
        return concatenate([x, zeros], axis)
    return x


def _complex_transform(a, n, axis, dim, norm, name):
    z = as_complex(a)
    axis, n, norm = _checked(z.real, n, axis, dim, norm, name)
    real, imaginary = (_fitted(part, n, axis) for part in z)
    return _complex(host(BY_NAME["fourier"], real, imaginary, axis=axis, norm=norm, inverse=name == "ifft"))


@public(function=False, method=False, numpy=np.fft.fft)
def fft(a, n=None, axis=-1, norm=None, *, dim=None):
    """The Fourier transform along an axis, a `Complex`: of real tensors or a `Complex`, cut or filled with zeros to n elements;
    NumPy's conventions and norms."""
    return _complex_transform(a, n, axis, dim, norm, "fft")


@public(function=False, method=False, numpy=np.fft.ifft)
def ifft(a, n=None, axis=-1, norm=None, *, dim=None):
    """The transform back, a `Complex`; see fft."""
    return _complex_transform(a, n, axis, dim, norm, "ifft")


@public(function=False, method=False, numpy=np.fft.rfft)
def rfft(a, n=None, axis=-1, norm=None, *, dim=None):
    """The Fourier transform of real numbers: the n // 2 + 1 numbers that tell the others, a `Complex`; see fft."""
    x = _real(a, "rfft")
    axis, n, norm = _checked(x, n, axis, dim, norm, "rfft")
    return _complex(host(BY_NAME["real_fourier"], _fitted(x, n, axis), n=n, axis=axis, norm=norm))


@public(function=False, method=False, numpy=np.fft.irfft)
def irfft(a, n=None, axis=-1, norm=None, *, dim=None):
    """The n real numbers, an even number by default, whose rfft is `a`: a `Complex`, or real numbers."""
    z = as_complex(a)
    axis, n, norm = _checked(z.real, n, axis, dim, norm, "irfft", lambda half: 2 * (half - 1))
    real, imaginary = (_fitted(part, n // 2 + 1, axis) for part in z)
    return host(BY_NAME["inverse_real_fourier"], real, imaginary, n=n, axis=axis, norm=norm)


# Over several axes: one after the other ---------------------------------------------------------------------------------

def _axes(shape, s, axes, name):
    """The axes, and the elements along each, None for as many as there are."""
    if axes is None:
        axes = range(len(shape)) if s is None else range(len(shape) - len(s), len(shape))
    axes = [normalize_axis(a, len(shape)) for a in ((axes,) if isinstance(axes, int) else axes)]
    s = [None] * len(axes) if s is None else [None if n == -1 else n for n in s]
    if len(s) != len(axes) or not axes:
        raise ValueError(f"{name} over axes {axes} with s of {len(s)} lengths: give one for each axis, and at least one axis")
    return axes, s


@public(function=False, method=False, numpy=np.fft.fftn)
def fftn(a, s=None, axes=None, norm=None, *, dim=None):
    """The Fourier transform over several axes, all by default; see fft."""
    z = as_complex(a)
    for axis, n in zip(*_axes(z.shape, s, axis_argument(axes, dim), "fftn")):
        z = fft(z, n, axis, norm)
    return z


@public(function=False, method=False, numpy=np.fft.ifftn)
def ifftn(a, s=None, axes=None, norm=None, *, dim=None):
    """The transform back over several axes, all by default; see fft."""
    z = as_complex(a)
    for axis, n in zip(*_axes(z.shape, s, axis_argument(axes, dim), "ifftn")):
        z = ifft(z, n, axis, norm)
    return z


@public(function=False, method=False, numpy=np.fft.rfftn)
def rfftn(a, s=None, axes=None, norm=None, *, dim=None):
    """The Fourier transform of real numbers over several axes, the last of which is halved; see rfft."""
    x = _real(a, "rfftn")
    axes, s = _axes(x._shape, s, axis_argument(axes, dim), "rfftn")
    z = rfft(x, s[-1], axes[-1], norm)
    for axis, n in zip(axes[:-1], s[:-1]):
        z = fft(z, n, axis, norm)
    return z


@public(function=False, method=False, numpy=np.fft.irfftn)
def irfftn(a, s=None, axes=None, norm=None, *, dim=None):
    """The real numbers whose rfftn is `a`; see irfft."""
    z = as_complex(a)
    axes, s = _axes(z.shape, s, axis_argument(axes, dim), "irfftn")
    for axis, n in zip(axes[:-1], s[:-1]):
        z = ifft(z, n, axis, norm)
    return irfft(z, s[-1], axes[-1], norm)


@public(function=False, method=False, numpy=np.fft.fft2)
def fft2(a, s=None, axes=(-2, -1), norm=None, *, dim=None):
    """The Fourier transform over two axes; see fft."""
    return fftn(a, s, axes if dim is None else dim, norm)


@public(function=False, method=False, numpy=np.fft.ifft2)
def ifft2(a, s=None, axes=(-2, -1), norm=None, *, dim=None):
    """The transform back over two axes; see fft."""
    return ifftn(a, s, axes if dim is None else dim, norm)


@public(function=False, method=False, numpy=np.fft.rfft2)
def rfft2(a, s=None, axes=(-2, -1), norm=None, *, dim=None):
    """The Fourier transform of real numbers over two axes; see rfft."""
    return rfftn(a, s, axes if dim is None else dim, norm)


@public(function=False, method=False, numpy=np.fft.irfft2)
def irfft2(a, s=None, axes=(-2, -1), norm=None, *, dim=None):
    """The real numbers whose rfft2 is `a`; see irfft."""
    return irfftn(a, s, axes if dim is None else dim, norm)


# Frequencies, and their order -------------------------------------------------------------------------------------------

def fftfreq(n, d=1.0):
    """The frequencies that belong to the results of fft, for samples d apart."""
    return wrap(np.fft.fftfreq(n, d))


def rfftfreq(n, d=1.0):
    """The frequencies that belong to the results of rfft, for samples d apart."""
    return wrap(np.fft.rfftfreq(n, d))


def _rolled(x, shifts, axes):
    if isinstance(x, Complex):
        return Complex(_rolled(x.real, shifts, axes), _rolled(x.imag, shifts, axes))
    x = as_tensor_operand(x, "fftshift")
    axes = range(len(x._shape)) if axes is None else (axes,) if isinstance(axes, int) else axes
    for axis in axes:
        axis = normalize_axis(axis, len(x._shape))
        cut = shifts(x._shape[axis])
        if cut:
            before = (slice(None),) * axis
            x = concatenate([x[(*before, slice(cut, None))], x[(*before, slice(0, cut))]], axis)
    return x


@public(function=False, method=False, numpy=np.fft.fftshift)
def fftshift(x, axes=None, *, dim=None):
    """The frequency 0 moved to the middle, of all axes or some; of a tensor or a `Complex`."""
    return _rolled(x, lambda n: (n + 1) // 2, axis_argument(axes, dim))


@public(function=False, method=False, numpy=np.fft.ifftshift)
def ifftshift(x, axes=None, *, dim=None):
    """What fftshift did undone."""
    return _rolled(x, lambda n: n // 2, axis_argument(axes, dim))


# What the adjoints of the rows call ---------------------------------------------------------------------------------------

@public(function=False, method=False, numpy=convolution.fourier)
def _fourier(real, imaginary, *, axis, norm, inverse):
    return host(BY_NAME["fourier"], as_tensor_operand(real, ""), as_tensor_operand(imaginary, ""), axis=axis, norm=norm,
                inverse=inverse)


@public(function=False, method=False, numpy=convolution.real_fourier)
def _real_fourier(x, *, n, axis, norm):
    return host(BY_NAME["real_fourier"], x, n=n, axis=axis, norm=norm)


@public(function=False, method=False, numpy=convolution.inverse_real_fourier)
def _inverse_real_fourier(real, imaginary, *, n, axis, norm):
    return host(BY_NAME["inverse_real_fourier"], as_tensor_operand(real, ""), as_tensor_operand(imaginary, ""), n=n, axis=axis,
                norm=norm)
