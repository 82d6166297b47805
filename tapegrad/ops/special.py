"""Special functions, under SciPy's names. Where it has them, compiled code calls SciPy's own, and libm's erf and erfc.

Families that differentiate into each other (polygamma, Bessel's functions, ...) have rows for any order, so that derivatives
of every order keep their digits.
"""
import math

import numpy as np
from numpy import inf, nan, pi

from .table import elementwise, scalar, select

TWO_BY_ROOT_PI = 2 / math.sqrt(pi)
ROOT_HALF = math.sqrt(0.5)
ROOT_2_PI = math.sqrt(2 * pi)
ORDER = "it is the order of the derivative, a whole number; give it as an int"
BESSEL_ORDER = "derivatives of Bessel's functions by their order are not known here; detach() it"


# Error functions and the normal distribution --------------------------------------------------------------------------

elementwise("erf", lambda x: np.erf(x), lambda g, x, z: g * (TWO_BY_ROOT_PI * np.exp(-x * x)), reference="scipy.special.erf",
            formula="erf(x)", tails=((-20, 20),), kinks={(40,): (0,), (1e200,): (0,)})
elementwise("erfc", lambda x: np.erfc(x), lambda g, x, z: g * (-TWO_BY_ROOT_PI * np.exp(-x * x)),
            reference="scipy.special.erfc", domain=((-2, 0.5),), formula="erfc(x)", tails=((-20, 20),),
            kinks={(40,): (0,), (-1e200,): (0,)})
elementwise("erfinv", lambda x: np.erfinv(x), lambda g, x, z: g * (np.exp(z * z) / TWO_BY_ROOT_PI),
            reference="scipy.special.erfinv", domain=((-0.9, 0.9),), formula="erfinv(x)", tails=((-1, 1),),
            no_complex="SciPy's erfinv is real", kinks={(1,): (inf,), (-1,): (inf,)})
# exp(z^2) is erfcx(z) / x, which keeps the digits that z^2 would lose
elementwise("erfcinv", lambda x: np.erfcinv(x),
            lambda g, x, z: -g * (np.erfcx(np.minimum(select(x < 1, z, -z), 1e300)) / TWO_BY_ROOT_PI
                                  / select(x < 1, x, 2 - x)),
            in_place=False, reference="scipy.special.erfcinv", domain=((0.1, 1.9),), formula="erfinv(1 - x)",
            tails=((0.01, 2),), no_complex="SciPy's erfcinv is real", kinks={(0,): (-inf,), (2,): (-inf,)})


@scalar
def erfcx_derivative(n, x):
    """(-2)^n n! y(n), with y(n) = exp(x^2) times the n-fold integral of erfc: 2n y(n) = y(n-2) - 2x y(n-1), forward where x is
    small, otherwise backward as a continued fraction (Abramowitz and Stegun 7.2.5)."""
    y = np.erfcx(x)
    if not (n >= 0 and n == np.floor(n)):
        return nan
    if x < 2:
        before, factor = TWO_BY_ROOT_PI, 1.0
        for j in range(1, int(n) + 1):
            before, y = y, (before - 2 * x * y) / (2 * j)
            factor *= -2 * j
    else:
        last, factor = int(n) + 80, 1.0
        r = 1 / (np.sqrt(1.0 * x * x + 2 * last) + x)
        for j in range(last - 1, 0, -1):
            r = 1 / (2 * x + 2 * (j + 1) * r)
            if j <= n:
                y *= r
                factor *= -2 * j
    return factor * y


elementwise("erfcx", lambda x: np.erfcx(x), lambda g, x, z: g * np.erfcx_derivative(1, x), in_place=False,
            reference="scipy.special.erfcx", formula="exp(x**2) * erfc(x)", tails=((-20, 1e20),))
elementwise("erfcx_derivative", lambda x, y: np.erfcx_derivative(x, y), ORDER,
            lambda g, x, y, z: g * np.erfcx_derivative(x + 1, y), in_place=False)
@scalar
def ndtr(x):
    """erfc(-x / sqrt(2)) / 2"""
    return 0.5 * np.erfc(-ROOT_HALF * x)


elementwise("ndtr", lambda x: np.ndtr(x), lambda g, x, z: g * (np.exp(-0.5 * x * x) / ROOT_2_PI), in_place=False,
            reference="scipy.special.ndtr", domain=((-0.9, 2),), formula="erfc(-x / sqrt(2)) / 2", tails=((-20, 20),),
            kinks={(40,): (0,), (-1e200,): (0,)})
# Left of 0 by erfcx, right of it by the density: neither overflows nor cancels, and the branch not taken is put at 0
elementwise("log_ndtr", lambda x: np.log_ndtr(x),
            lambda g, x, z: g * select(x > 0, np.exp(-0.5 * np.square(select(x > 0, x, 0.0)) - select(x > 0, z, 0.0)) / ROOT_2_PI,
                                       TWO_BY_ROOT_PI * ROOT_HALF / np.erfcx(-ROOT_HALF * select(x > 0, 0.0, x))),
            in_place=False, reference="scipy.special.log_ndtr", formula="log(erfc(-x / sqrt(2)) / 2)", tails=((-1e20, 20),),
            kinks={(-1e200,): (1e200,), (1e200,): (0,), (0,): (2 / ROOT_2_PI,)})
elementwise("ndtri", lambda x: np.ndtri(x),
            lambda g, x, z: g * (np.erfcx(ROOT_HALF * np.minimum(select(x < 0.5, -z, z), 1e300)) * (0.5 * ROOT_2_PI)
                                 / select(x < 0.5, x, 1 - x)),
            in_place=False, reference="scipy.special.ndtri", domain=((0.1, 0.9),), formula="sqrt(2) * erfinv(2 * x - 1)",
            tails=((0.01, 1),), no_complex="SciPy's ndtri is real", kinks={(0,): (inf,), (1,): (inf,)})


# Gamma functions ------------------------------------------------------------------------------------------------------

# Abramowitz and Stegun 23.2.9 with Bernoulli's numbers: (2k)! / B(2k)
ZETA = (12.0, -720.0, 30240.0, -1209600.0, 47900160.0, -1.8924375803183791606e9, 7.47242496e10, -2.950130727918164224e12,
        1.1646782814350067249e14, -4.5979787224074726105e15, 1.8152105401943546773e17, -7.1661652561756670113e18)


@scalar
def inverse_power(x, n):
    """x^-n, of the small n that derivatives have by multiplication."""
    if n == 2 or n == 3 or n == 4:
        square = 1 / (1.0 * x * x)
        return square if n == 2 else square / x if n == 3 else square * square
    return np.power(1.0 * x, -1.0 * n)


@scalar
def zeta(x, q):
    """Hurwitz's zeta function: its first terms, and Euler and Maclaurin's formula for the others (as in Cephes)."""
    if x == 1:
        return inf
    if not (x > 1 and q == q):
        return nan
    if q <= 0:
        if q == np.floor(q):
            return inf
        if x != np.floor(x):
            return nan
    if q > 1e8:
        return (1 / (x - 1) + 1 / (2 * q)) * np.power(1.0 * q, 1.0 - x)
    total, a, power, i = np.inverse_power(q, x), 1.0 * q, 0.0, 0
    while i < 9 or a <= 9:
        i += 1
        a += 1
        power = np.inverse_power(a, x)
        total += power
        if np.abs(power) < 1e-17 * np.abs(total):
            return total
    total += power * a / (x - 1) - 0.5 * power
    factor, k = 1.0, 0.0
    for divisor in ZETA:
        factor *= x + k
        power /= a
        term = factor * power / divisor
        total += term
        if np.abs(term) < 1e-17 * np.abs(total):
            return total
        factor *= x + k + 1
        power /= a
        k += 2
    return total


@scalar
def trigamma(x):
    """polygamma(1, x) for x > 0: by its recurrence up to 10, and the asymptotic series (Abramowitz and Stegun 6.4.6, 6.4.12)."""
    x, total = 1.0 * x, 0.0
    while x < 10:
        total += 1 / (x * x)
        x += 1
    r = 1 / x
    s = r * r
    return total + r + 0.5 * s + r * s * (1 / 6 - s * (1 / 30 - s * (1 / 42 - s * (1 / 30 - s * (5 / 66 - s * (
        691 / 2730 - s * 7 / 6))))))


@scalar
def polygamma(n, x):
    """(-1)^(n+1) n! zeta(n+1, x)"""
    if n == 0:
        return np.psi(x)
    if n == 1 and x > 0:
        return np.trigamma(x)
    if not (n > 0 and n == np.floor(n)):
        return nan
    return (1.0 if n % 2 == 1 else -1.0) * np.gamma(n + 1.0) * np.zeta(n + 1.0, x)


elementwise("zeta", lambda x, y: np.zeta(x, y), "only the derivative by the second operand is known here; detach() the first",
            lambda g, x, y, z: g * (-x * np.zeta(x + 1, y)), in_place=False, reference="scipy.special.zeta")
elementwise("gammaln", lambda x: np.gammaln(x), lambda g, x, z: g * np.psi(x), names=("lgamma",), display="Lgamma",
            reference="scipy.special.gammaln", domain=((0.5, 4),), formula="re(loggamma(x))", tails=((0, 0.5),),
            kinks={(1e300,): (300 * math.log(10),)},
            no_complex="SciPy's gammaln is real", cancels="psi is 0 at 1.46")
elementwise("digamma", lambda x: np.psi(x), lambda g, x, z: g * np.polygamma(1, x), names=("psi",),
            reference="scipy.special.digamma", domain=((0.5, 4),), formula="psi(0, x)", tails=((0, inf),))
elementwise("polygamma", lambda x, y: np.polygamma(x, y), ORDER, lambda g, x, y, z: g * np.polygamma(x + 1, y), in_place=False,
            reference="scipy.special.polygamma", no_method="x.polygamma(n), as PyTorch")
elementwise("gamma", lambda x: np.gamma(x), lambda g, x, z: g * (z * np.psi(x)), in_place=False,
            reference="scipy.special.gamma", domain=((0.5, 4),), formula="gamma(x)", tails=((0, 100),))
elementwise("rgamma", lambda x: np.rgamma(x),           # below 1/2 by reflection, where its zeros are poles of gamma and psi
            lambda g, x, z: g * select(x > 0.5, -z * np.psi(x), np.cos(math.pi * x) * np.gamma(1 - x) - z * np.psi(1 - x)),
            in_place=False, reference="scipy.special.rgamma", domain=((-1.8, 3),), formula="rgamma(x)", tails=((-5, 100),),
            kinks={(0.0,): (1.0,), (-1.0,): (-1.0,), (-2.0,): (2.0,)}, note="(-1)^n n! at -n",
            no_complex="SciPy's complex one loses a small imaginary part below 0")
elementwise("beta", lambda x, y: np.beta(x, y), lambda g, x, y, z: g * (z * (np.psi(x) - np.psi(x + y))),
            lambda g, x, y, z: g * (z * (np.psi(y) - np.psi(x + y))), in_place=False, reference="scipy.special.beta",
            domain=((0.5, 4), (0.5, 4)), formula="beta(x, y)", tails=((0.1, 5),) * 2, no_complex="SciPy's beta is real")
elementwise("betaln", lambda x, y: np.betaln(x, y), lambda g, x, y, z: g * (np.psi(x) - np.psi(x + y)),
            lambda g, x, y, z: g * (np.psi(y) - np.psi(x + y)), in_place=False, reference="scipy.special.betaln",
            domain=((0.5, 4), (0.5, 4)), formula="log(beta(x, y))", tails=((0.1, 60),) * 2, no_complex="SciPy's betaln is real")


# Incomplete gamma functions -------------------------------------------------------------------------------------------

@scalar
def log_gamma_power(a, x):
    """log(x^a exp(-x) / gamma(a)), where a is large by Stirling's series, without the terms of size a log(a) that cancel."""
    if a < 10:
        return a * np.log(x) - x - np.gammaln(a)
    m, s = (x - a) / a, 1 / (1.0 * a * a)
    log = np.log(x / a) if m < -0.5 else np.log1p(m)
    stirling = (1 / 12 - s * (1 / 360 - s * (1 / 1260 - s * (1 / 1680 - s * (1 / 1188 - s * 691 / 360360))))) / a
    return a * (log - m) + 0.5 * np.log(a / (2 * pi)) - stirling


@scalar
def gamma_power_taylor(n, a, x, out):
    """Taylor's coefficients by a, up to the n-th, of x^a exp(-x) / gamma(a)."""
    out[0] = np.exp(np.log_gamma_power(a, x))
    log_x = np.log(x)
    for j in range(1, n + 1):
        total, factorial = 0.0, 1.0          # those of its logarithm are -polygamma(i - 1, a) / i!
        for i in range(1, j + 1):
            factorial *= max(i - 1, 1)
            total += ((log_x if i == 1 else 0.0) - np.polygamma(i - 1, a) / factorial) * out[j - i]
        out[j] = total / j


@scalar
def gamma_density(n, a, x):
    """The n-th derivative by a of x^(a-1) exp(-x) / gamma(a)."""
    n = int(n)
    if n < 0 or (n == 0 and a == 0 and x > 0):           # 1 / gamma(0) is 0
        return 0.0
    if not (a > 0 and x >= 0):
        return nan
    if x == inf:
        return 0.0
    if x == 0:
        return 0.0 if a > 1 else 1.0 if a == 1 and n == 0 else inf if n % 2 == 0 else -inf
    e = np.zeros(n + 1)
    np.gamma_power_taylor(n, a, x, e)
    for j in range(1, n + 1):
        e[n] *= j
    return e[n] / x


@scalar
def gammainc_derivative(n, a, x):
    """The n-th derivative by a of the regularised lower incomplete gamma function: Taylor's coefficients of its power series,
    or of the continued fraction of the upper one (Abramowitz and Stegun 6.5.29, 6.5.31), term by term."""
    n = int(n)
    if n < 0 or not (a > 0 and x >= 0):
        return nan
    if n == 0:
        return np.gammainc(a, x)
    if x == 0 or x == inf:
        return 0.0
    e, s, t = np.zeros(n + 1), np.zeros(n + 1), np.zeros(n + 1)
    np.gamma_power_taylor(n, a, x, e)
    lower = x < a + 1
    if lower:                                # s: the sum of x^k / (a (a+1) ... (a+k))
        t[0] = 1.0
        k = 0
        while k < 10000000:                   # some 8 sqrt(a) are needed
            before = 0.0
            for j in range(n + 1):
                t[j] = (t[j] - before) / (a + k)
                before = t[j]
                s[j] += t[j]
                t[j] *= x
            k += 1
            if np.abs(t[n]) <= 1e-18 * np.abs(s[n]) * (a + k) and t[0] <= 1e-18 * s[0] * (a + k):
                break
    else:                                    # s: 1 / (x+1-a - 1(1-a) / (x+3-a - 2(2-a) / ...))
        terms = int(150 + 15 * np.sqrt(np.minimum(a, 1e12)))
        s[0] = x + 2 * terms + 1 - a
        s[1] = -1.0
        for k in range(terms, 0, -1):
            for j in range(n + 1):           # t = k(k-a) / s
                total = k * (k - a) if j == 0 else -1.0 * k if j == 1 else 0.0
                for i in range(1, j + 1):
                    total -= s[i] * t[j - i]
                t[j] = total / s[0]
            for j in range(n + 1):
                s[j] = -t[j]
            s[0] += x + 2 * k - 1 - a
            s[1] -= 1.0
        for j in range(n + 1):
            total = 1.0 if j == 0 else 0.0
            for i in range(1, j + 1):
                total -= s[i] * t[j - i]
            t[j] = total / s[0]
        for j in range(n + 1):
            s[j] = t[j]
    total = 0.0
    for j in range(n + 1):
        total += e[j] * s[n - j]
    for j in range(1, n + 1):
        total *= j
    return total if lower else -total


elementwise("gammainc", lambda x, y: np.gammainc(x, y), lambda g, x, y, z: g * np.gammainc_derivative(1, x, y),
            lambda g, x, y, z: g * np.gamma_density(0, x, y), names=("igamma",), display="Igamma",
            reference="scipy.special.gammainc", domain=((0.5, 4), (0.5, 4)), formula="gammainc(x, 0, y, regularized=True)",
            tails=((0.1, 5), (0.1, 60)), no_complex="SciPy's gammainc is real", kinks={(2, 0): (0, 0), (1, 0): (0, 1)})
elementwise("gammaincc", lambda x, y: np.gammaincc(x, y), lambda g, x, y, z: -g * np.gammainc_derivative(1, x, y),
            lambda g, x, y, z: -g * np.gamma_density(0, x, y), names=("igammac",), display="Igammac",
            reference="scipy.special.gammaincc", domain=((0.5, 4), (0.5, 4)), formula="1 - gammainc(x, 0, y, regularized=True)",
            tails=((0.1, 60), (0.1, 60)), no_complex="SciPy's gammaincc is real", kinks={(2, 0): (0, 0), (1, 0): (0, -1)})
elementwise("gammainc_derivative", lambda x, y, w: np.gammainc_derivative(x, y, w), ORDER,
            lambda g, x, y, w, z: g * np.gammainc_derivative(x + 1, y, w), lambda g, x, y, w, z: g * np.gamma_density(x, y, w),
            in_place=False)
elementwise("gamma_density", lambda x, y, w: np.gamma_density(x, y, w), ORDER,
            lambda g, x, y, w, z: g * np.gamma_density(x + 1, y, w),
            lambda g, x, y, w, z: g * (((y - 1) / w - 1) * z + x * np.gamma_density(x - 1, y, w) / w), in_place=False)


# The incomplete beta function -----------------------------------------------------------------------------------------

@scalar
def betainc_fraction(a, b, x, by_a):
    """The derivative, by a or by b, of the incomplete beta function from its continued fraction (Abramowitz and Stegun 26.5.8),
    differentiated term by term; for x below (a+1) / (a+b+2)."""
    f, df = 1.0, 0.0
    for m in range(int(60 + 8 * np.sqrt(np.maximum(a, b))), 0, -1):
        # the even term m, then the odd one before it
        low, high = a + 2 * m - 1, a + 2 * m
        d = m * (b - m) * x / (low * high)
        dd = -d * (1 / low + 1 / high) if by_a else m * x / (low * high)
        f, df = 1 + d / f, (dd - d * df / f) / f
        k = m - 1
        low, high = a + 2 * k, a + 2 * k + 1
        d = -(a + k) * (a + b + k) * x / (low * high)
        if by_a:
            dd = d * (1 / (a + k) + 1 / (a + b + k) - 1 / low - 1 / high)
        else:
            dd = d / (a + b + k)
        f, df = 1 + d / f, (dd - d * df / f) / f
    slope = np.log(x) - 1 / a - np.psi(a) if by_a else np.log1p(-x) - np.psi(b)
    return np.exp(a * np.log(x) + b * np.log1p(-x) - np.betaln(a, b)) / a / f * (slope + np.psi(a + b) - df / f)


@scalar
def betainc_by_a(a, b, x):
    """The derivative of the incomplete beta function by its first operand."""
    if not (a > 0 and b >= 0 and x >= 0 and x <= 1):
        return nan
    if x == 0 or x == 1 or b == 0:
        return 0.0
    if x < (a + 1) / (a + b + 2):
        return np.betainc_fraction(a, b, x, True)
    return -np.betainc_fraction(b, a, 1.0 - x, False)


@scalar
def betainc_by_b(a, b, x):
    """The derivative of the incomplete beta function by its second operand."""
    if not (a >= 0 and b > 0 and x >= 0 and x <= 1):
        return nan
    if x == 0 or x == 1 or a == 0:
        return 0.0
    if x < (a + 1) / (a + b + 2):
        return np.betainc_fraction(a, b, x, False)
    return -np.betainc_fraction(b, a, 1.0 - x, True)


SECOND = ("second derivatives of the incomplete beta function and of Student's distribution are known by the last operand only; "
          "detach() the others")
elementwise("betainc", lambda x, y, w: np.betainc(x, y, w), lambda g, x, y, w, z: g * np.betainc_by_a(x, y, w),
            lambda g, x, y, w, z: g * np.betainc_by_b(x, y, w),
            lambda g, x, y, w, z: g * np.exp(np.xlogy(x - 1, w) + np.xlog1py(y - 1, -w) - np.betaln(x, y)),
            in_place=False, reference="scipy.special.betainc", domain=((0.5, 4), (0.5, 4), (0.1, 0.9)),
            formula="betainc(x, y, 0, w, regularized=True)", tails=((0.1, 5), (0.1, 60), (1e-100, 1)),
            no_complex="SciPy's betainc is real", no_second=SECOND, kinks={(1, 1, 0): (0, 0, 1), (2, 2, 0): (0, 0, 0)})
elementwise("betainc_by_a", lambda x, y, w: np.betainc_by_a(x, y, w), SECOND, SECOND,
            lambda g, x, y, w, z: g * (np.exp(np.xlogy(x - 1, w) + np.xlog1py(y - 1, -w) - np.betaln(x, y))
                                       * (np.log(w) - np.psi(x) + np.psi(x + y))), in_place=False)
elementwise("betainc_by_b", lambda x, y, w: np.betainc_by_b(x, y, w), SECOND, SECOND,
            lambda g, x, y, w, z: g * (np.exp(np.xlogy(x - 1, w) + np.xlog1py(y - 1, -w) - np.betaln(x, y))
                                       * (np.log1p(-w) - np.psi(y) + np.psi(x + y))), in_place=False)

@scalar
def stdtr_by_df(df, t):
    """The derivative of Student's distribution 1/2 + sign(t) I(1/2, df/2, v) / 2, v = t^2 / (df + t^2), by its first operand;
    close to 0, where v loses digits, that of the density there times t."""
    if not (df > 0 and t == t):
        return nan
    half, square = 0.5 * df, 1.0 * t * t
    if square < 1e-12 * df:
        return t * np.exp(-np.betaln(half, 0.5)) / np.sqrt(df) * 0.5 * (np.psi(half + 0.5) - np.psi(half) - 1 / df)
    if square == inf:
        return 0.0
    if square < df:
        slope = np.betainc_by_b(0.5, half, square / (df + square))
    else:                                    # I(a, b, v) = 1 - I(b, a, 1 - v)
        slope = -np.betainc_by_a(half, 0.5, df / (df + square))
    density = np.exp(-0.5 * (df + 1) * np.log1p(square / df) - np.betaln(half, 0.5)) / np.sqrt(df)
    return 0.25 * np.sign(t) * slope - t * density / (2 * df)


elementwise("stdtr", lambda x, y: np.stdtr(x, y), lambda g, x, y, z: g * np.stdtr_by_df(x, y),
            lambda g, x, y, z: g * (np.exp(-0.5 * (x + 1) * np.log1p(np.square(y) / x) - np.betaln(0.5 * x, 0.5))
                                    / np.sqrt(x)),
            in_place=False, reference="scipy.special.stdtr", domain=((1.5, 6), (0.2, 3)), no_second=SECOND,
            formula="(1 - betainc(x / 2, 0.5, 0, x / (x + y**2), regularized=True) / 2) if y > 0 else "
                    "betainc(x / 2, 0.5, 0, x / (x + y**2), regularized=True) / 2", tails=((0.5, 60), (-5, 5)),
            cancels="it is a difference of numbers that are 2 df times as large", no_complex="SciPy's stdtr is real",
            kinks={(2, 0): (0, 8**-0.5)})
elementwise("stdtr_by_df", lambda x, y: np.stdtr_by_df(x, y), SECOND,
            lambda g, x, y, z: g * (np.exp(-0.5 * (x + 1) * np.log1p(np.square(y) / x) - np.betaln(0.5 * x, 0.5)) / np.sqrt(x)
                                    * 0.5 * (np.psi(0.5 * x + 0.5) - np.psi(0.5 * x) - 1 / x - np.log1p(np.square(y) / x)
                                             + (x + 1) / x * (np.square(y) / (x + np.square(y))))), in_place=False)


# Bessel's functions: the derivative of order v is half the sum, or difference, of its neighbours. Of order 1 it is that of
# order 0 less z / x, which is made from the second order where x is small: there z / x would lose digits when differentiated.
# SciPy's I of order 2 is nan at denormal numbers.

elementwise("j0", lambda x: np.j0(x), lambda g, x, z: -g * np.j1(x), in_place=False, reference="scipy.special.j0",
            formula="besselj(0, x)", tails=((-5, 5),), no_complex="SciPy's j0 is real")
elementwise("j1", lambda x: np.j1(x),
            lambda g, x, z: g * (np.j0(x) - select(np.abs(x) < 2, 0.5 * (np.j0(x) + np.jv(2, select(np.abs(x) < 2, x, 0.0))),
                                                   z / select(np.abs(x) < 2, inf, x))),
            in_place=False, reference="scipy.special.j1", formula="besselj(1, x)", tails=((-5, 5),),
            no_complex="SciPy's j1 is real")
elementwise("y0", lambda x: np.y0(x), lambda g, x, z: -g * np.y1(x), in_place=False, reference="scipy.special.y0",
            domain=((0.5, 4),), formula="bessely(0, x)", tails=((2, 5),), no_complex="SciPy's y0 is real")
elementwise("y1", lambda x: np.y1(x), lambda g, x, z: g * (np.y0(x) - z / x), in_place=False,
            reference="scipy.special.y1", domain=((0.5, 4),),
            formula="(besselj(1, x) * bessely(0, x) - 2 / (pi * x)) / besselj(0, x)", tails=((2, 5),),
            no_complex="SciPy's y1 is real")
elementwise("i0", lambda x: np.i0(x), lambda g, x, z: g * np.i1(x), reference="scipy.special.i0", formula="besseli(0, x)",
            tails=((-700, 700),), no_complex="SciPy's i0 is real")
elementwise("i1", lambda x: np.i1(x),
            lambda g, x, z: g * (np.i0(x) - select(
                np.abs(x) < 2, 0.5 * (np.i0(x) - np.iv(2, select((np.abs(x) < 2) & (np.abs(x) > 1e-150), x, 0.0))),
                select(np.abs(z) < inf, z, 0.0) / select(np.abs(x) < 2, inf, x))),
            in_place=False, reference="scipy.special.i1", formula="besseli(1, x)", tails=((-700, 700),),
            no_complex="SciPy's i1 is real")
elementwise("i0e", lambda x: np.i0e(x), lambda g, x, z: g * (np.i1e(x) - np.sign(x) * z), in_place=False,
            reference="scipy.special.i0e", domain=((0.1, 2),), formula="besseli(0, x) * exp(-abs(x))", tails=((-700, 700),),
            no_complex="SciPy's i0e is real", note="0 at 0", kinks={(0,): (0,)},
            cancels="the derivative is small beside i0e and i1e where x is large")
elementwise("i1e", lambda x: np.i1e(x),
            lambda g, x, z: g * (np.i0e(x) - select(
                np.abs(x) < 2, 0.5 * (np.i0e(x) - np.ive(2, select((np.abs(x) < 2) & (np.abs(x) > 1e-150), x, 0.0))),
                z / select(np.abs(x) < 2, inf, x)) - np.sign(x) * z),
            in_place=False, reference="scipy.special.i1e", domain=((0.1, 2),), formula="besseli(1, x) * exp(-abs(x))",
            tails=((-700, 700),), no_complex="SciPy's i1e is real", kinks={(0,): (0.5,)},
            cancels="the derivative is small beside i0e and i1e where x is large")
elementwise("jv", lambda x, y: np.jv(x, y), BESSEL_ORDER, lambda g, x, y, z: g * (0.5 * (np.jv(x - 1, y) - np.jv(x + 1, y))),
            in_place=False, reference="scipy.special.jv")
elementwise("yv", lambda x, y: np.yv(x, y), BESSEL_ORDER, lambda g, x, y, z: g * (0.5 * (np.yv(x - 1, y) - np.yv(x + 1, y))),
            in_place=False, reference="scipy.special.yv")
elementwise("iv", lambda x, y: np.iv(x, y), BESSEL_ORDER, lambda g, x, y, z: g * (0.5 * (np.iv(x - 1, y) + np.iv(x + 1, y))),
            in_place=False, reference="scipy.special.iv")
elementwise("ive", lambda x, y: np.ive(x, y), BESSEL_ORDER,
            lambda g, x, y, z: g * (0.5 * (np.ive(x - 1, y) + np.ive(x + 1, y)) - np.sign(y) * z), in_place=False,
            reference="scipy.special.ive")


# Information ----------------------------------------------------------------------------------------------------------

elementwise("rel_entr", lambda x, y: np.rel_entr(x, y),
            lambda g, x, y, z: g * select((x > 0) & (y > 0), np.log(select((x > 0) & (y > 0), x, 1.0))
                                          - np.log(select((x > 0) & (y > 0), y, 1.0)) + 1.0, 0.0),
            lambda g, x, y, z: -g * select((x > 0) & (y > 0), x / select((x > 0) & (y > 0), y, 1.0), 0.0),
            in_place=False, reference="scipy.special.rel_entr", domain=((0.5, 2), (0.5, 2)), tails=((0, inf),) * 2,
            formula="x * log(x / y)", no_complex="SciPy's rel_entr is real", note="0 where x or y is not above 0",
            kinks={(0, 1): (0, 0), (0, 0): (0, 0), (-1, 1): (0, 0), (1, 0): (0, 0)})
