# Written by `python -m tapegrad._stubs`; what to change stands there, or in the functions themselves.
from collections.abc import Sequence

from numpy.typing import DTypeLike

from ._types import Tensor, TensorLike

__all__ = ["beta", "betainc", "betaln", "binom", "digamma", "entr", "erf", "erfc", "erfcinv", "erfcx", "erfinv", "exp2",
           "expit", "expm1", "factorial", "gamma", "gammainc", "gammaincc", "gammaln", "i0", "i0e", "i1", "i1e", "iv",
           "ive", "j0", "j1", "jv", "kl_div", "log1p", "log_expit", "log_ndtr", "log_softmax", "logit", "logsumexp",
           "multigammaln", "ndtr", "ndtri", "poch", "polygamma", "psi", "rel_entr", "rgamma", "sinc", "softmax",
           "softplus", "stdtr", "xlog1py", "xlogy", "y0", "y1", "yv", "zeta"]

def beta(x: TensorLike, other: TensorLike) -> Tensor:
    """beta(x, y), element by element, shapes broadcast as NumPy's."""
def betainc(x: TensorLike, y: TensorLike, w: TensorLike, /) -> Tensor:
    """betainc(x, y, w), element by element, shapes broadcast as NumPy's."""
def betaln(x: TensorLike, other: TensorLike) -> Tensor:
    """betaln(x, y), element by element, shapes broadcast as NumPy's."""
def binom(n: TensorLike, k: TensorLike) -> Tensor:
    """The binomial coefficient n over k for real n > -1 and any real k, as a differentiable function."""
def digamma(x: TensorLike) -> Tensor:
    """digamma(x), element by element, shapes broadcast as NumPy's."""
def entr(x: TensorLike) -> Tensor:
    """entr(x), element by element, shapes broadcast as NumPy's. Derivative: 0 at 0 and below."""
def erf(x: TensorLike) -> Tensor:
    """erf(x), element by element, shapes broadcast as NumPy's."""
def erfc(x: TensorLike) -> Tensor:
    """erfc(x), element by element, shapes broadcast as NumPy's."""
def erfcinv(x: TensorLike) -> Tensor:
    """erfcinv(x), element by element, shapes broadcast as NumPy's."""
def erfcx(x: TensorLike) -> Tensor:
    """erfcx(x), element by element, shapes broadcast as NumPy's."""
def erfinv(x: TensorLike) -> Tensor:
    """erfinv(x), element by element, shapes broadcast as NumPy's."""
def exp2(x: TensorLike) -> Tensor:
    """exp2(x), element by element, shapes broadcast as NumPy's."""
def expit(x: TensorLike) -> Tensor:
    """sigmoid(x), element by element, shapes broadcast as NumPy's."""
def expm1(x: TensorLike) -> Tensor:
    """expm1(x), element by element, shapes broadcast as NumPy's."""
def factorial(n: TensorLike) -> Tensor:
    """gamma(n + 1), for n > -1, as a differentiable function."""
def gamma(x: TensorLike) -> Tensor:
    """gamma(x), element by element, shapes broadcast as NumPy's."""
def gammainc(x: TensorLike, other: TensorLike) -> Tensor:
    """gammainc(x, y), element by element, shapes broadcast as NumPy's."""
def gammaincc(x: TensorLike, other: TensorLike) -> Tensor:
    """gammaincc(x, y), element by element, shapes broadcast as NumPy's."""
def gammaln(x: TensorLike) -> Tensor:
    """gammaln(x), element by element, shapes broadcast as NumPy's."""
def i0(x: TensorLike) -> Tensor:
    """i0(x), element by element, shapes broadcast as NumPy's."""
def i0e(x: TensorLike) -> Tensor:
    """i0e(x), element by element, shapes broadcast as NumPy's. Derivative: 0 at 0."""
def i1(x: TensorLike) -> Tensor:
    """i1(x), element by element, shapes broadcast as NumPy's."""
def i1e(x: TensorLike) -> Tensor:
    """i1e(x), element by element, shapes broadcast as NumPy's."""
def iv(x: TensorLike, other: TensorLike) -> Tensor:
    """iv(x, y), element by element, shapes broadcast as NumPy's."""
def ive(x: TensorLike, other: TensorLike) -> Tensor:
    """ive(x, y), element by element, shapes broadcast as NumPy's."""
def j0(x: TensorLike) -> Tensor:
    """j0(x), element by element, shapes broadcast as NumPy's."""
def j1(x: TensorLike) -> Tensor:
    """j1(x), element by element, shapes broadcast as NumPy's."""
def jv(x: TensorLike, other: TensorLike) -> Tensor:
    """jv(x, y), element by element, shapes broadcast as NumPy's."""
def kl_div(x: TensorLike, y: TensorLike) -> Tensor:
    """x log(x / y) - x + y, the terms of a Kullback-Leibler divergence; inf where x < 0 or y <= 0 < x."""
def log1p(x: TensorLike) -> Tensor:
    """log1p(x), element by element, shapes broadcast as NumPy's."""
def log_expit(x: TensorLike) -> Tensor:
    """log_sigmoid(x), element by element, shapes broadcast as NumPy's."""
def log_ndtr(x: TensorLike) -> Tensor:
    """log_ndtr(x), element by element, shapes broadcast as NumPy's."""
def log_softmax(
    x: TensorLike, axis: int | Sequence[int] | None = None, *, dim: int | Sequence[int] | None = None,
    dtype: DTypeLike | None = None
) -> Tensor:
    """log(softmax(x)), along `axis` (an axis, or several; all by default), right where softmax is close to 0."""
def logit(x: TensorLike, eps: float | None = None) -> Tensor:
    """log(x / (1 - x)); with `eps`, of x within [eps, 1 - eps]."""
def logsumexp(
    x: TensorLike, axis: int | Sequence[int] | None = None, keepdims: bool = False, *,
    dim: int | Sequence[int] | None = None, keepdim: bool = False
) -> Tensor:
    """log(sum(exp(x))) of all elements, or over `axis`, without overflow; -inf of no elements."""
def multigammaln(a: TensorLike, d: int) -> Tensor:
    """The logarithm of the multivariate gamma function of dimension `d`, an int of at least 1; `a` > (d - 1) / 2."""
def ndtr(x: TensorLike) -> Tensor:
    """ndtr(x), element by element, shapes broadcast as NumPy's."""
def ndtri(x: TensorLike) -> Tensor:
    """ndtri(x), element by element, shapes broadcast as NumPy's."""
def poch(z: TensorLike, m: TensorLike) -> Tensor:
    """Pochhammer's symbol gamma(z + m) / gamma(z), for z + m that is no pole of gamma."""
def polygamma(x: TensorLike, other: TensorLike) -> Tensor:
    """polygamma(x, y), element by element, shapes broadcast as NumPy's."""
def rel_entr(x: TensorLike, other: TensorLike) -> Tensor:
    """rel_entr(x, y), element by element, shapes broadcast as NumPy's. Derivative: 0 where x or y is not above 0."""
def rgamma(x: TensorLike) -> Tensor:
    """rgamma(x), element by element, shapes broadcast as NumPy's. Derivative: (-1)^n n! at -n."""
def sinc(x: TensorLike) -> Tensor:
    """sinc(x), element by element, shapes broadcast as NumPy's."""
def softmax(
    x: TensorLike, axis: int | Sequence[int] | None = None, *, dim: int | Sequence[int] | None = None,
    dtype: DTypeLike | None = None
) -> Tensor:
    """exp(x) / sum(exp(x)), along `axis` (an axis, or several; all by default), without overflow."""
def softplus(x: TensorLike) -> Tensor:
    """softplus(x), element by element, shapes broadcast as NumPy's."""
def stdtr(x: TensorLike, other: TensorLike) -> Tensor:
    """stdtr(x, y), element by element, shapes broadcast as NumPy's."""
def xlog1py(x: TensorLike, other: TensorLike) -> Tensor:
    """xlog1py(x, y), element by element, shapes broadcast as NumPy's. Derivative: 0 at x = 0, y = -1."""
def xlogy(x: TensorLike, other: TensorLike) -> Tensor:
    """xlogy(x, y), element by element, shapes broadcast as NumPy's. Derivative: 0 at x = y = 0."""
def y0(x: TensorLike) -> Tensor:
    """y0(x), element by element, shapes broadcast as NumPy's."""
def y1(x: TensorLike) -> Tensor:
    """y1(x), element by element, shapes broadcast as NumPy's."""
def yv(x: TensorLike, other: TensorLike) -> Tensor:
    """yv(x, y), element by element, shapes broadcast as NumPy's."""
def zeta(x: TensorLike, q: TensorLike = 1.0) -> Tensor:
    """The sum over k = 0, 1, ... of (k + q)^-x, Riemann's zeta function for q = 1; differentiable by q."""
psi = digamma
