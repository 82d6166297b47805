"""The exponential of many small matrices at once: scaling and squaring, with the Padé approximant of degree 13.

Al-Mohy and Higham, "A new scaling and squaring algorithm for the matrix exponential" (2009), algorithm 5.1 without its lower
degrees, which save work and not accuracy, and with norms that are computed, not estimated.
"""
import math

import numpy as np

# Coefficients of the numerator; in the denominator the odd ones have the other sign
PADE = [math.factorial(26 - k) // math.factorial(13) * math.comb(13, k) for k in range(14)]
THETA = 4.25                                 # the norm that degree 13 is good for, table 3.1 of 2009
LEADING = 1 / (math.comb(26, 13) * math.factorial(27))       # of the series of the backward error
ROUNDING = 2.0 ** -53
MOST = 1000                                  # squarings, for what is infinite anyway
NEAR = 0.5                                   # the norm up to which the identity is added at last, which is nearer the truth


def expm_of_many(a):
    """The exponentials of matrices (many, n, n) of float64."""
    eye = np.eye(a.shape[-1])
    with np.errstate(all="ignore"):
        squarings = _squarings(a)
        a = np.ldexp(a, -squarings[:, None, None])
        a2 = a @ a
        a4 = a2 @ a2
        a6 = a4 @ a2
        even, odd = (a6 @ (PADE[k + 12] * a6 + PADE[k + 10] * a4 + PADE[k + 8] * a2)
                     + PADE[k + 6] * a6 + PADE[k + 4] * a4 + PADE[k + 2] * a2 + PADE[k] * eye for k in (0, 1))
        odd = a @ odd
        known = np.isfinite(odd).all((1, 2)) & np.isfinite(even).all((1, 2))
        near = (_norms(a) < NEAR)[:, None, None]
        z = np.full(a.shape, np.nan)
        z[known] = np.linalg.solve((even - odd)[known], np.where(near, 2 * odd, even + odd)[known])
        z = np.where(near, z + eye, z)
        for k in range(squarings.max(initial=0)):
            left = np.flatnonzero(squarings > k)
            part = z[left]
            z[left] = part @ part
    return z


def _norms(a):
    """Of the largest sums of columns."""
    return np.abs(a).sum(1).max(1)


def _squarings(a):
    a2 = a @ a
    a4 = a2 @ a2
    a6 = a4 @ a2
    d6, d8, d10 = _norms(a6) ** (1 / 6), _norms(a4 @ a4) ** (1 / 8), _norms(a4 @ a6) ** (1 / 10)
    eta = np.minimum(np.maximum(d6, d8), np.maximum(d8, d10))
    found = _whole(np.log2(eta / THETA))
    # What the powers' norms don't show, the series of the backward error does
    a = np.ldexp(np.abs(a), -found[:, None, None])
    row = np.ones((len(a), 1, a.shape[-1]))
    for _ in range(27):
        row = row @ a
    return found + _whole(np.log2(LEADING * row.max((1, 2)) / _norms(a) / ROUNDING) / 26)


def _whole(x):
    return np.clip(np.nan_to_num(np.ceil(x), nan=0.0, posinf=0.0, neginf=0.0), 0, MOST).astype(np.int64)
