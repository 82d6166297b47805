"""Convolution of vectors, and Fourier transforms: NumPy computes them, and their adjoints are of their own kind."""
import numpy as np

from .table import hosted, overridable


def convolve(x, y):
    return np.convolve(x, y)


def convolve_adjoint(g, x, y, z):
    return np.convolve(g, y[::-1], "valid"), np.convolve(g, x[::-1], "valid")


hosted("convolve", convolve, convolve_adjoint, arity=2)


# Fourier transforms along one axis, of exactly n elements. Complex numbers are pairs of arrays. ------------------------

ADJOINT_NORM = {"backward": "forward", "forward": "backward", "ortho": "ortho"}


@overridable
def fourier(real, imaginary, *, axis, norm, inverse):
    """The transform of complex numbers, as a pair."""
    z = (np.fft.ifft if inverse else np.fft.fft)(real + 1j * imaginary, axis=axis, norm=norm)
    return z.real.astype(real.dtype, copy=False), z.imag.astype(real.dtype, copy=False)


def fourier_adjoint(g, h, real, imaginary, y, z, *, axis, norm, inverse):
    """The conjugate transposed matrix is that of the transform back."""
    g, h = _pair(g, h)
    return fourier(g, h, axis=axis, norm=ADJOINT_NORM[norm], inverse=not inverse)


hosted("fourier", fourier, fourier_adjoint, arity=2, outputs=2, display="FftC2C")


@overridable
def real_fourier(x, *, n, axis, norm):
    """The transform of n real numbers: the first half, as a pair."""
    z = np.fft.rfft(x, axis=axis, norm=norm)
    return z.real.astype(x.dtype, copy=False), z.imag.astype(x.dtype, copy=False)


def real_fourier_adjoint(g, h, x, y, z, *, n, axis, norm):
    """Numbers that have a conjugate in the other half count twice in the transform back."""
    g, h = _pair(g, h)
    weights = half_weights(n, g.ndim, axis, g.dtype)
    return inverse_real_fourier(g / weights, h / weights, n=n, axis=axis, norm=ADJOINT_NORM[norm]),


hosted("real_fourier", real_fourier, real_fourier_adjoint, outputs=2, display="FftR2C")


@overridable
def inverse_real_fourier(real, imaginary, *, n, axis, norm):
    """The real numbers whose transform begins with these complex ones."""
    return np.fft.irfft(real + 1j * imaginary, n, axis=axis, norm=norm).astype(real.dtype, copy=False)


def inverse_real_fourier_adjoint(g, real, imaginary, z, *, n, axis, norm):
    weights = half_weights(n, g.ndim, axis, g.dtype)
    y, z = real_fourier(g, n=n, axis=axis, norm=ADJOINT_NORM[norm])
    return y * weights, z * weights


hosted("inverse_real_fourier", inverse_real_fourier, inverse_real_fourier_adjoint, arity=2, display="FftC2R")


def half_weights(n, ndim, axis, dtype):
    """How often each of the first half of n Fourier coefficients occurs in the whole: 2, at the ends 1."""
    weights = np.full(n // 2 + 1, 2, dtype)
    weights[0] = 1
    if n % 2 == 0:
        weights[-1] = 1
    shape = [1] * ndim
    shape[axis] = len(weights)
    return weights.reshape(shape)


def _pair(g, h):
    return (0 * h if g is None else g), (0 * g if h is None else h)
