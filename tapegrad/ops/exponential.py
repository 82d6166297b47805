"""Exponentials, logarithms and the sigmoid family."""
import numpy as np
from numpy import inf, nan

from .table import elementwise, select

LOG2, LOG10 = float(np.log(2)), float(np.log(10))

elementwise("exp", lambda x: np.exp(x), lambda g, x, z: g * z, formula="exp(x)", kinks={(710,): (inf,)})
elementwise("expm1", lambda x: np.expm1(x), lambda g, x, z: g * (z + 1), formula="expm1(x)", kinks={(-40,): (0,)},
            cancels="z + 1, as PyTorch: where z is close to -1")
elementwise("log", lambda x: np.log(x), lambda g, x, z: g / x, domain=((0.5, 2),), formula="log(x)",
            kinks={(0,): (inf,)})
elementwise("log1p", lambda x: np.log1p(x), lambda g, x, z: g / (1 + x), domain=((-0.5, 2),), formula="log1p(x)")
# exp(-|x|) never overflows. The derivative is made from the result, as in PyTorch, so the operand may be overwritten.
elementwise("sigmoid", lambda x: select(x >= 0, 1.0, np.exp(-np.abs(x))) / (1 + np.exp(-np.abs(x))),
            lambda g, x, z: g * (z * (1 - z)), reference="scipy.special.expit", names=("expit",), formula="1 / (1 + exp(-x))",
            no_complex="SciPy's expit is real", kinks={(-800,): (0,), (-40,): (4.248354255291589e-18,), (800,): (0,)},
            cancels="1 - z, as PyTorch: where z is close to 1")
# Its derivative is the sigmoid of x, 1 - exp(-z): written out with |x|, the second derivative would be 0 at 0.
elementwise("softplus", lambda x: np.maximum(x, 0.0) + np.log1p(np.exp(-np.abs(x))), lambda g, x, z: -g * np.expm1(-z),
            in_place=False, formula="log1p(exp(x))", kinks={(800,): (1,), (-800,): (0,), (0,): (0.5,)})
elementwise("exp2", lambda x: np.exp2(x), lambda g, x, z: g * (z * LOG2), formula="mpf(2)**x", kinks={(1100,): (inf,)},
            no_complex="np.exp2 is real")
elementwise("log2", lambda x: np.log2(x), lambda g, x, z: g / (x * LOG2), domain=((0.5, 2),), formula="log(x) / log(2)",
            kinks={(0,): (inf,)})
elementwise("log10", lambda x: np.log10(x), lambda g, x, z: g / (x * LOG10), domain=((0.5, 2),), formula="log(x) / log(10)",
            kinks={(0,): (inf,)})
# The operands' difference is replaced where it is inf - inf, so that further derivatives at equal operands are right
elementwise("logaddexp",
            lambda x, y: np.maximum(x, y) + np.log1p(np.exp(-np.abs(select(x == y, 0.0, x - y)))),
            lambda g, x, y, z: g * np.sigmoid(select((x == y) & ((x == inf) | (x == -inf)), 0.0, x - y)),
            lambda g, x, y, z: g * np.sigmoid(select((x == y) & ((x == inf) | (x == -inf)), 0.0, y - x)),
            in_place=False, display="LogAddExp", formula="log(exp(x) + exp(y))", no_complex="np.logaddexp is real",
            note="half to each of equal infinities",
            kinks={(inf, inf): (0.5, 0.5), (-inf, -inf): (0.5, 0.5), (-inf, 1): (0, 1), (1, inf): (0, 1), (-inf, inf): (0, 1),
                   (1e300, -1e300): (1, 0), (2, 2): (0.5, 0.5)})
elementwise("logaddexp2",
            lambda x, y: np.maximum(x, y) + np.log1p(np.exp2(-np.abs(select(x == y, 0.0, x - y)))) / LOG2,
            lambda g, x, y, z: g * np.sigmoid(LOG2 * select((x == y) & ((x == inf) | (x == -inf)), 0.0, x - y)),
            lambda g, x, y, z: g * np.sigmoid(LOG2 * select((x == y) & ((x == inf) | (x == -inf)), 0.0, y - x)),
            in_place=False, display="LogAddExp2", formula="log(mpf(2)**x + mpf(2)**y) / log(2)",
            no_complex="np.logaddexp2 is real", note="half to each of equal infinities",
            kinks={(inf, inf): (0.5, 0.5), (-inf, -inf): (0.5, 0.5), (-inf, 1): (0, 1), (1, inf): (0, 1), (2, 2): (0.5, 0.5)})
# Its derivative is the sigmoid of -x, 1 - exp(z), as softplus has it
elementwise("log_sigmoid", lambda x: np.minimum(x, 0.0) - np.log1p(np.exp(-np.abs(x))), lambda g, x, z: -g * np.expm1(z),
            names=("logsigmoid", "log_expit"), reference="scipy.special.log_expit", in_place=False, formula="-log1p(exp(-x))",
            no_complex="SciPy's log_expit is real", kinks={(800,): (0,), (-800,): (1,), (0,): (0.5,)})
# Around 1/2, where it is 0, by 2x - 1, which is exact there
elementwise("logit", lambda x: select(np.abs(x - 0.5) < 0.2, np.log1p(2 * x - 1) - np.log1p(1 - 2 * x), np.log(x / (1 - x))),
            lambda g, x, z: g / (x * (1 - x)), reference="scipy.special.logit", domain=((0.1, 0.9),), formula="log(x / (1 - x))",
            no_complex="SciPy's logit is real", kinks={(0,): (inf,), (1,): (inf,), (0.5,): (4,)})
elementwise("xlogy", lambda x, y: select((x == 0) & (y == y), 0.0, x * np.log(y)),
            lambda g, x, y, z: g * np.log(select((x == 0) & (y == 0), 1.0, y)),
            lambda g, x, y, z: g * (x / select((x == 0) & (y == 0), inf, y)),
            reference="scipy.special.xlogy", domain=((-2, 2), (0.5, 2)), formula="x * log(y)",
            note="0 at x = y = 0", kinks={(0, 2): (LOG2, 0), (0, 0): (0, 0), (1, 0): (-inf, inf)})
elementwise("xlog1py", lambda x, y: select((x == 0) & (y == y), 0.0, x * np.log1p(y)),
            lambda g, x, y, z: g * np.log1p(select((x == 0) & (y == -1), 0.0, y)),
            lambda g, x, y, z: g * (x / select((x == 0) & (y == -1), inf, 1 + y)),
            in_place=False, reference="scipy.special.xlog1py", domain=((-2, 2), (-0.5, 2)), formula="x * log1p(y)",
            note="0 at x = 0, y = -1", kinks={(0, 1): (LOG2, 0), (0, -1): (0, 0), (1, -1): (-inf, inf)})
elementwise("entr", lambda x: select(x < 0, -inf, -x * np.log(select(x == 0, 1.0, np.abs(x)))),
            lambda g, x, z: g * select(x <= 0, 0.0, -np.log(select(x <= 0, 1.0, x)) - 1.0),
            in_place=False, reference="scipy.special.entr", domain=((0.5, 2),), formula="-x * log(x) if x > 0 else -inf",
            no_complex="SciPy's entr is real", note="0 at 0 and below", kinks={(0,): (0,), (-1,): (0,), (nan,): (nan,)})
