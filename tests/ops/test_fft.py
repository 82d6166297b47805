"""Fourier transforms: values as NumPy's, adjoints of both orders, arithmetic of complex pairs."""

import numpy as np
import pytest

import tapegrad as tg
from tapegrad import fft

from .derivatives import close, leaf, reverse, values_of
from .hosted import check


def numbers(*shape, seed=0):
    return np.random.default_rng(seed).normal(size=shape)


def pair(z):
    return z.real, z.imag


NORMS = [None, "backward", "ortho", "forward"]
lengths = pytest.mark.parametrize("n", [None, 1, 2, 3, 4, 5, 7])
norms = pytest.mark.parametrize("norm", NORMS)


@norms
@lengths
@pytest.mark.parametrize("axis", [0, -1])
@pytest.mark.parametrize("name", ["fft", "ifft", "rfft"])
def test_transforms_of_real_numbers(name, axis, n, norm):
    check(
        lambda x: tuple(getattr(fft, name)(x, n, axis, norm)),
        numbers(4, 5),
        reference=lambda x: pair(getattr(np.fft, name)(x, n, axis, norm)),
        second=axis == 0,
    )


@norms
@lengths
@pytest.mark.parametrize("name", ["fft", "ifft"])
def test_transforms_of_complex_numbers(name, n, norm):
    check(
        lambda x, y: tuple(getattr(fft, name)((x, y), n, norm=norm)),
        numbers(2, 4),
        numbers(2, 4, seed=1),
        reference=lambda x, y: pair(getattr(np.fft, name)(x + 1j * y, n, norm=norm)),
    )


@norms
@lengths
@pytest.mark.parametrize("axis", [0, -1])
def test_the_transform_back_to_real_numbers(axis, n, norm):
    check(
        lambda x, y: fft.irfft(fft.Complex(x, y), n, axis, norm),
        numbers(4, 3),
        numbers(4, 3, seed=1),
        reference=lambda x, y: np.fft.irfft(x + 1j * y, n, axis, norm),
        second=axis == 0,
    )


SEVERAL = {
    "fft2": (lambda x: tuple(fft.fft2(x)), lambda x: pair(np.fft.fft2(x))),
    "fftn": (
        lambda x: tuple(fft.fftn(x, (2, 5), (0, 2), "ortho")),
        lambda x: pair(np.fft.fftn(x, (2, 5), (0, 2), "ortho")),
    ),
    "ifft2": (lambda x: tuple(np.fft.ifft2(x)), lambda x: pair(np.fft.ifft2(x))),
    "ifftn": (lambda x: tuple(fft.ifftn(x)), lambda x: pair(np.fft.ifftn(x))),
    "rfft2": (lambda x: tuple(fft.rfft2(x)), lambda x: pair(np.fft.rfft2(x))),
    "rfftn": (lambda x: tuple(np.fft.rfftn(x, axes=(0, 1))), lambda x: pair(np.fft.rfftn(x, axes=(0, 1)))),
    "irfft2": (
        lambda x: fft.irfft2(fft.rfft2(x) * (1 + 2j), (3, 5)),
        lambda x: np.fft.irfft2(np.fft.rfft2(x) * (1 + 2j), (3, 5)),
    ),
    "irfftn": (
        lambda x: np.fft.irfftn(fft.rfftn(x) * fft.rfftn(x)),
        lambda x: np.fft.irfftn(np.fft.rfftn(x) ** 2),
    ),
    "shifts": (
        lambda x: (fft.fftshift(x), fft.ifftshift(x, 1), fft.ifftshift(fft.fftshift(x, axes=(0, 2)), (0, 2))),
        lambda x: (np.fft.fftshift(x), np.fft.ifftshift(x, 1), x),
    ),
}

@pytest.mark.parametrize("name", SEVERAL)
def test_several_axes(name):
    function, reference = SEVERAL[name]
    check(function, numbers(2, 3, 4), reference=reference)


def test_the_power_of_a_spectrum_is_the_power_of_the_signal():
    x = leaf(numbers(8))
    power = (fft.fft(x).abs() ** 2).mean()
    close(power.item(), (numbers(8) ** 2).sum(), 1e-14)
    close(reverse(power, [x], np.ones(()))[0], 2 * numbers(8), 1e-13)


def test_a_convolution_by_transforms():
    check(
        lambda x, y: fft.irfft(fft.rfft(x, 8) * fft.rfft(y, 8), 8)[:7],
        numbers(5),
        numbers(3, seed=1),
        reference=np.convolve,
    )


# Complex pairs ----------------------------------------------------------------------------------------------------------

W = np.array([1j, 2.0, 3 - 1j])
ARITHMETIC = {
    "sums": lambda z, v: z + v - z.conj() + 2.0 - 1j * v,
    "products": lambda z, v: z * v * (2 - 1j) * 0.5,
    "quotients": lambda z, v: (1 + 2j) / v + z / v + z / 2 - v / (3j),
    "negative": lambda z, v: 1 - (-z) + (1j - v),
    "arrays": lambda z, v: W * z + v * W - W / v,
    "NumPy": lambda z, v: np.multiply(z, v) + np.conj(z) - np.negative(v),
    "index": lambda z, v: z[1:] * v[:2],
    "scalars of NumPy": lambda z, v: np.complex128(1 + 1j) * z + np.float64(2) * v,
}


@pytest.mark.parametrize("name", ARITHMETIC)
def test_arithmetic(name):
    rule = ARITHMETIC[name]
    check(
        lambda x, y: tuple(rule(fft.fft(x), fft.fft(y))),
        numbers(3),
        numbers(3, seed=1),
        reference=lambda x, y: pair(rule(np.fft.fft(x), np.fft.fft(y))),
        single=name not in ("arrays", "scalars of NumPy"),
    )


def test_magnitudes_and_angles():
    for function, reference in (
        (lambda z: z.abs(), np.abs),
        (abs, np.abs),
        (np.abs, np.abs),
        (lambda z: z.angle(), np.angle),
        (np.angle, np.angle),
        (np.real, np.real),
        (np.imag, np.imag),
    ):
        check(
            lambda x, y, f=function: f(fft.Complex(x, y)),
            numbers(3),
            numbers(3, seed=1),
            reference=lambda x, y, f=reference: f(x + 1j * y),
        )


def test_the_magnitude_of_zero_has_derivative_zero():
    x = leaf(np.zeros(4))
    np.testing.assert_array_equal(reverse(fft.rfft(x).abs().sum(), [x], np.ones(()))[0], np.zeros(4))


def test_a_pair():
    real, imag = z = fft.rfft(tg.tensor([1.0, 2.0, 4.0]))
    assert z.real is real and z.imag is imag and z.shape == (2,) and z.ndim == 1
    np.testing.assert_allclose(z.numpy(), np.fft.rfft([1.0, 2.0, 4.0]))
    assert "Complex(real=tensor(" in repr(z)
    assert not fft.rfft(leaf([1.0, 2.0])).detach().real.requires_grad
    np.testing.assert_allclose(values_of(fft.irfft(np.fft.rfft([1.0, 2.0]))), [1.0, 2.0])
    assert fft.Complex(1.0, [2.0, 3.0]).real.tolist() == [1.0, 1.0]


def test_frequencies():
    np.testing.assert_array_equal(values_of(fft.fftfreq(5, 0.1)), np.fft.fftfreq(5, 0.1))
    np.testing.assert_array_equal(values_of(fft.rfftfreq(4)), np.fft.rfftfreq(4))


def test_numpy_dispatches():
    x = leaf(numbers(4))
    for name in ("fft", "ifft", "rfft", "fftn", "rfftn"):
        z = getattr(np.fft, name)(x)
        assert isinstance(z, fft.Complex) and z.real.requires_grad
        np.testing.assert_array_equal(values_of(z.imag), values_of(getattr(fft, name)(x).imag))
        assert isinstance(np.fft.ifft(z), fft.Complex)
    assert isinstance(np.fft.irfft(np.fft.rfft(x)), tg.Tensor)


@pytest.mark.parametrize(
    ("function", "error", "match"),
    [
        (lambda x: fft.rfft(fft.rfft(x)), TypeError, "these are complex; use fft"),
        (lambda x: fft.rfft(np.array([1j])), TypeError, "complex"),
        (lambda x: fft.fft(x, norm="unit"), ValueError, "norm"),
        (lambda x: fft.fft(x, 0), ValueError, "at least one"),
        (lambda x: fft.irfft(x[:1]), ValueError, "at least one"),
        (lambda x: fft.fft(x.sum()), ValueError, "has none"),
        (lambda x: fft.fft(x, axis=1), IndexError, "axis 1"),
        (lambda x: fft.fftn(x, (2, 2), (0,)), ValueError, "one for each axis"),
        (lambda x: np.sin(fft.fft(x)), TypeError, "np.sin"),
        (lambda x: np.sum(fft.fft(x)), TypeError, "np.sum"),
    ],
)
def test_errors(function, error, match):
    with pytest.raises(error, match=match):
        function(leaf(numbers(4)))
