"""Special functions under the names of scipy.special; of tensors, arrays and numbers, differentiable."""
import math
import sys

from .tensor.arithmetic import where
from .tensor.methods import FUNCTIONS
from .tensor.structure.arguments import as_tensor_operand

_NAMES = """
    exp2 expm1 log1p xlogy xlog1py entr rel_entr logit expit log_expit logsumexp softmax log_softmax softplus sinc
    erf erfc erfinv erfcinv erfcx ndtr log_ndtr ndtri stdtr
    gammaln gamma rgamma digamma psi polygamma beta betaln gammainc gammaincc betainc
    i0 i0e i1 i1e iv ive j0 j1 jv y0 y1 yv"""

_found = {name: FUNCTIONS[name] for name in _NAMES.split() if name in FUNCTIONS}
globals().update(_found)
_fn = sys.modules[__name__]


def zeta(x, q=1.0):
    """The sum over k = 0, 1, ... of (k + q)^-x, Riemann's zeta function for q = 1; differentiable by q."""
    return FUNCTIONS["zeta"](x, q)


def kl_div(x, y):
    """x log(x / y) - x + y, the terms of a Kullback-Leibler divergence; inf where x < 0 or y <= 0 < x."""
    return _fn.rel_entr(x, y) - x + y


def multigammaln(a, d):
    """The logarithm of the multivariate gamma function of dimension `d`, an int of at least 1; `a` > (d - 1) / 2."""
    d = int(d)
    if d < 1:
        raise ValueError(f"multigammaln takes a dimension of at least 1, not {d}")
    a, total = as_tensor_operand(a, "multigammaln"), d * (d - 1) / 4 * math.log(math.pi)
    for k in range(d):
        total = _fn.gammaln(a - k / 2) + total
    return total


def binom(n, k):
    """The binomial coefficient n over k for real n > -1 and any real k, as a differentiable function."""
    n, k = as_tensor_operand(n, "binom") + 1.0, as_tensor_operand(k, "binom") + 1.0
    inside = (k > 0) & (k < n + 1)           # beyond, it is small, or 0, and so is n where it has digits
    regular = 1 / (_fn.beta(n - k + 1, k) * n)
    return where(inside, regular, _fn.gamma(n) * _fn.rgamma(k) * _fn.rgamma(n - k + 1))


def factorial(n):
    """gamma(n + 1), for n > -1, as a differentiable function."""
    return _fn.gamma(as_tensor_operand(n, "factorial") + 1.0)


def poch(z, m):
    """Pochhammer's symbol gamma(z + m) / gamma(z), for z + m that is no pole of gamma."""
    z, m = as_tensor_operand(z, "poch"), as_tensor_operand(m, "poch")
    positive = (z > 0) & (z + m > 0)         # where neither has a sign, and logarithms reach far
    return where(positive, FUNCTIONS["exp"](_fn.gammaln(z + m) - _fn.gammaln(z)), _fn.gamma(z + m) * _fn.rgamma(z))


__all__ = ["binom", "factorial", "kl_div", "multigammaln", "poch", "zeta"]
__all__ += _found                            # noqa: PLE0605 - a dict's keys are names
__all__.sort()
