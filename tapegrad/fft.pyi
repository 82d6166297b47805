# Written by `python -m tapegrad._stubs`; what to change stands there, or in the functions themselves.
from collections.abc import Sequence
from typing import Any

from ._types import Complex, Tensor, TensorLike

__all__ = ["Complex", "fft", "fft2", "fftfreq", "fftn", "fftshift", "ifft", "ifft2", "ifftn", "ifftshift", "irfft",
           "irfft2", "irfftn", "rfft", "rfft2", "rfftfreq", "rfftn"]

def fft(
    a: TensorLike | Complex, n: int | None = None, axis: int = -1, norm: str | None = None, *,
    dim: int | Sequence[int] | None = None
) -> Complex:
    """The Fourier transform along an axis, a `Complex`: of real tensors or a `Complex`, cut or filled with zeros to n
    elements; NumPy's conventions and norms."""
def fft2(
    a: TensorLike | Complex, s: Sequence[int] | None = None, axes: int | Sequence[int] | None = (-2, -1),
    norm: str | None = None, *, dim: int | Sequence[int] | None = None
) -> Complex:
    """The Fourier transform over two axes; see fft."""
def fftfreq(n: int, d: float = 1.0) -> Tensor:
    """The frequencies that belong to the results of fft, for samples d apart."""
def fftn(
    a: TensorLike | Complex, s: Sequence[int] | None = None, axes: int | Sequence[int] | None = None,
    norm: str | None = None, *, dim: int | Sequence[int] | None = None
) -> Complex:
    """The Fourier transform over several axes, all by default; see fft."""
def fftshift(
    x: TensorLike | Complex, axes: int | Sequence[int] | None = None, *, dim: int | Sequence[int] | None = None
) -> Any:
    """The frequency 0 moved to the middle, of all axes or some; of a tensor or a `Complex`."""
def ifft(
    a: TensorLike | Complex, n: int | None = None, axis: int = -1, norm: str | None = None, *,
    dim: int | Sequence[int] | None = None
) -> Complex:
    """The transform back, a `Complex`; see fft."""
def ifft2(
    a: TensorLike | Complex, s: Sequence[int] | None = None, axes: int | Sequence[int] | None = (-2, -1),
    norm: str | None = None, *, dim: int | Sequence[int] | None = None
) -> Complex:
    """The transform back over two axes; see fft."""
def ifftn(
    a: TensorLike | Complex, s: Sequence[int] | None = None, axes: int | Sequence[int] | None = None,
    norm: str | None = None, *, dim: int | Sequence[int] | None = None
) -> Complex:
    """The transform back over several axes, all by default; see fft."""
def ifftshift(
    x: TensorLike | Complex, axes: int | Sequence[int] | None = None, *, dim: int | Sequence[int] | None = None
) -> Any:
    """What fftshift did undone."""
def irfft(
    a: TensorLike | Complex, n: int | None = None, axis: int = -1, norm: str | None = None, *,
    dim: int | Sequence[int] | None = None
) -> Tensor:
    """The n real numbers, an even number by default, whose rfft is `a`: a `Complex`, or real numbers."""
def irfft2(
    a: TensorLike | Complex, s: Sequence[int] | None = None, axes: int | Sequence[int] | None = (-2, -1),
    norm: str | None = None, *, dim: int | Sequence[int] | None = None
) -> Tensor:
    """The real numbers whose rfft2 is `a`; see irfft."""
def irfftn(
    a: TensorLike | Complex, s: Sequence[int] | None = None, axes: int | Sequence[int] | None = None,
    norm: str | None = None, *, dim: int | Sequence[int] | None = None
) -> Tensor:
    """The real numbers whose rfftn is `a`; see irfft."""
def rfft(
    a: TensorLike, n: int | None = None, axis: int = -1, norm: str | None = None, *,
    dim: int | Sequence[int] | None = None
) -> Complex:
    """The Fourier transform of real numbers: the n // 2 + 1 numbers that tell the others, a `Complex`; see fft."""
def rfft2(
    a: TensorLike, s: Sequence[int] | None = None, axes: int | Sequence[int] | None = (-2, -1), norm: str | None = None,
    *, dim: int | Sequence[int] | None = None
) -> Complex:
    """The Fourier transform of real numbers over two axes; see rfft."""
def rfftfreq(n: int, d: float = 1.0) -> Tensor:
    """The frequencies that belong to the results of rfft, for samples d apart."""
def rfftn(
    a: TensorLike, s: Sequence[int] | None = None, axes: int | Sequence[int] | None = None, norm: str | None = None, *,
    dim: int | Sequence[int] | None = None
) -> Complex:
    """The Fourier transform of real numbers over several axes, the last of which is halved; see rfft."""
