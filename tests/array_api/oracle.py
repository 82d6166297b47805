"""What a function of the namespace gives or raises, beside the same call of array_api_strict."""

import warnings

import numpy as np

from tapegrad import Tensor

DTYPES = ("bool", "int32", "int64", "float32", "float64", "uint8", "int8")
SHAPES = ((), (0,), (3,), (2, 3), (3, 3), (2, 0, 3), (2, 3, 3), (1, 3))
SPECIAL = (0.0, -0.0, 1.0, -1.0, 0.5, -2.5, 3.0, 1e300, -1e-300, np.inf, -np.inf, np.nan)


def values(dtype, shape, seed=0, special=False):
    """An array of NumPy's; `special`: among its elements those for which the standard has rules."""
    random = np.random.default_rng(seed)
    if dtype == "bool":
        return np.asarray(random.integers(0, 2, shape), bool)
    if dtype.startswith("float"):
        array = random.choice(SPECIAL, shape) if special else random.normal(size=shape)
        with np.errstate(all="ignore"):
            return np.asarray(array, dtype)
    return np.asarray(random.integers(0 if dtype.startswith("u") else -5, 6, shape), dtype)


def convert(argument, make):
    """Arrays in an argument as arrays of a namespace, and names of dtypes (``"dtype:int32"``) as its dtypes."""
    if isinstance(argument, np.ndarray):
        return make.asarray(argument)
    if isinstance(argument, str) and argument.startswith("dtype:"):
        return getattr(make, argument[6:])
    if isinstance(argument, (tuple, list)):
        return type(argument)(convert(part, make) for part in argument)
    return argument


def outcome(namespace, name, arguments, keywords):
    """The results of a call as a list of NumPy arrays, or the exception."""
    function = namespace
    for part in name.split("."):
        function = getattr(function, part)
    try:
        with np.errstate(all="ignore"), warnings.catch_warnings():
            warnings.simplefilter("ignore")
            result = function(
                *(convert(a, namespace) for a in arguments), **{k: convert(v, namespace) for k, v in keywords.items()}
            )
    except Exception as error:
        return error
    if not isinstance(result, (tuple, list)):
        result = [result]
    return [x if isinstance(x, (bool, str)) else as_numpy(x) for x in result]


def as_numpy(x):
    if isinstance(x, Tensor):
        return x.detach().numpy()
    return np.asarray(x._array) if hasattr(x, "_array") else np.dtype(str(x).rsplit(".", 1)[-1])


def agree(ours, theirs, tolerance):
    """None where two outcomes agree, otherwise what is different."""
    if isinstance(theirs, Exception) or isinstance(ours, Exception):
        if isinstance(theirs, Exception) and isinstance(ours, Exception):
            kinds = TypeError, ValueError, IndexError, OverflowError
            if any(isinstance(ours, k) and isinstance(theirs, k) for k in kinds):
                return None
        return f"ours: {ours!r}, theirs: {theirs!r}"
    if len(ours) != len(theirs):
        return f"{len(ours)} and {len(theirs)} results"
    for a, b in zip(ours, theirs):
        if not isinstance(b, np.ndarray):
            if a != b:
                return f"ours: {a}, theirs: {b}"
        elif a.dtype != b.dtype or a.shape != b.shape:
            return f"ours: {a.dtype} {a.shape}, theirs: {b.dtype} {b.shape}"
        elif not np.allclose(a, b, tolerance, tolerance if tolerance > 1e-12 else 0, equal_nan=True) or (
            not tolerance and a.dtype.kind == "f" and (np.signbit(a) != np.signbit(b))[~np.isnan(a)].any()
        ):
            return f"ours: {a}, theirs: {b}"
    return None
