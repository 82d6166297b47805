"""The array API namespace beside array_api_strict: signatures, values, dtypes, errors."""

import inspect
import itertools

import numpy as np
import pytest

import tapegrad as tg
from tapegrad import array_api as xp

from .oracle import DTYPES, SHAPES, agree, outcome, values

strict = pytest.importorskip("array_api_strict")
strict.set_array_api_strict_flags(api_version="2024.12")

COMPLEX = {"complex64", "complex128", "fft", "ifft", "fftn", "ifftn", "rfft", "irfft", "rfftn", "irfftn", "hfft", "ihfft"}
NOT_STANDARD = {
    "ArrayAPIStrictFlags",
    "Device",
    "get_array_api_strict_flags",
    "reset_array_api_strict_flags",
    "set_array_api_strict_flags",
    "broadcast_shapes",
    "isin",
    "__version__",
    "__array_api_version__",
}  # its own, and those of the next standard


def functions():
    for prefix, module in (("", strict), ("linalg.", strict.linalg), ("fft.", strict.fft)):
        for name in module.__all__:
            if inspect.isfunction(getattr(module, name)) and name not in NOT_STANDARD | COMPLEX:
                yield prefix + name


def find(module, name):
    for part in name.split("."):
        module = getattr(module, part)
    return module


def test_every_name_is_there():
    missing = [n for n in strict.__all__ if n not in NOT_STANDARD | COMPLEX and not hasattr(xp, n)]
    missing += [f"linalg.{n}" for n in strict.linalg.__all__ if not hasattr(xp.linalg, n)]
    missing += [f"fft.{n}" for n in strict.fft.__all__ if n not in COMPLEX and not hasattr(xp.fft, n)]
    assert missing == []


def test_there_are_no_other_functions():
    assert [n for n in xp.__all__ if not hasattr(strict, n)] == []


@pytest.mark.parametrize("name", sorted(functions()))
def test_signature(name):
    """Kinds, names and defaults of the parameters; a default that only says "not given" may be None."""
    ours, theirs = (inspect.signature(find(m, name)).parameters.values() for m in (xp, strict))
    assert [(p.name if p.kind is not p.POSITIONAL_ONLY else "", p.kind) for p in ours] == [
        (p.name if p.kind is not p.POSITIONAL_ONLY else "", p.kind) for p in theirs
    ]
    for p, q in zip(ours, theirs):
        if name == "expand_dims" and p.name == "axis":
            continue  # 0 until 2024.12, required in the next standard
        assert p.default == q.default or (p.default is None and "UNDEF" in repr(q.default)), p


def compare(name, *arguments, tolerance=0.0, **keywords):
    different = agree(outcome(xp, name, arguments, keywords), outcome(strict, name, arguments, keywords), tolerance)
    assert different is None, f"{name}{arguments}, {keywords}: {different}"


TOLERANCE = {"float32": 1e-5, "float64": 1e-12}
UNARY = [*list(xp._elementwise._UNARY), "conj", "real"]
BINARY = list(xp._elementwise._BINARY)


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("name", UNARY)
def test_unary(name, dtype):
    for k, shape in enumerate(SHAPES):
        compare(name, values(dtype, shape, k, special=True))
    compare(name, 1.0)
    compare(name, np.zeros(2, dtype).tolist())


@pytest.mark.parametrize("name", BINARY)
def test_binary(name):
    pairs = [((), ()), ((0,), ()), ((3,), (2, 3)), ((2, 1), (3,)), ((2, 3, 3), (3, 3)), ((2,), (3,)), ((40,), (40,))]
    for a, b in itertools.product(DTYPES, DTYPES):
        for k, (p, q) in enumerate(pairs):
            x, y = values(a, p, k, special=True), values(b, q, k + 1, special=True)
            if name == "pow" and "int" in a + b:
                y = np.asarray(abs(y))  # negative powers of integers have no rule
            if "shift" in name:
                y = np.asarray(np.clip(y, 0, 5), y.dtype) if y.dtype != bool else y
            if name in ("floor_divide", "remainder") and y.dtype.kind in "iu":
                y = np.asarray(np.where(y == 0, np.asarray(1, y.dtype), y))
            compare(name, x, y)


# What integers have no rule for: shifts and powers by negative numbers, divisions by 0
WITHOUT_RULE = ("floor_divide", "remainder", "pow", "bitwise_left_shift", "bitwise_right_shift")


@pytest.mark.parametrize("number", [True, 2, -3, 0, 2.5, float("nan"), 10**30], ids=repr)
@pytest.mark.parametrize("name", BINARY)
def test_binary_with_a_python_number(name, number):
    for dtype in DTYPES:
        x = values(dtype, (3,), 1)
        if name in WITHOUT_RULE and ("float" not in dtype or "bitwise" in name) and not number > 0:
            continue
        compare(name, x, number)
        if name not in WITHOUT_RULE:
            compare(name, number, x)
    if name not in WITHOUT_RULE:
        compare(name, number, number)


AXES = (None, 0, -1, 1, (0, 1), (), 5)
REDUCTIONS = ("sum", "prod", "mean", "max", "min", "var", "std", "all", "any", "count_nonzero")


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("name", REDUCTIONS)
def test_reductions(name, dtype):
    for k, shape in enumerate(SHAPES):
        for axis, keepdims in itertools.product(AXES, (False, True)):
            if shape or axis in (None, ()):  # NumPy lets some functions take axis 0 where there is none
                compare(name, values(dtype, shape, k), tolerance=TOLERANCE.get(dtype, 0), axis=axis, keepdims=keepdims)
    if name in ("sum", "prod"):
        for target in DTYPES[1:]:
            compare(name, values(dtype, (3,)), tolerance=1e-5, dtype=f"dtype:{target}")
    if name in ("var", "std"):
        for correction in (0, 1, 0.5, 2.0):
            compare(name, values(dtype, (4, 3)), tolerance=1e-5, axis=0, correction=correction)


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("name", ["argmax", "argmin", "cumulative_sum", "cumulative_prod", "diff", "sort", "argsort"])
def test_along_an_axis(name, dtype):
    extra = {
        "argmax": [{"keepdims": True}],
        "cumulative_sum": [{"include_initial": True}, {"dtype": "dtype:float64"}],
        "cumulative_prod": [{"include_initial": True}],
        "diff": [{"n": 2}, {"n": 0}],
        "sort": [{"descending": True}, {"stable": False}],
        "argsort": [{"descending": True}],
    }.get(name, [])
    for k, shape in enumerate(SHAPES):
        if shape == ():
            continue
        for axis, more in itertools.product((None, 0, -1, 1, 7), [{}, *extra]):
            if axis != -1 and more == {"n": 0}:
                continue
            if not (axis is None and name in ("sort", "argsort", "diff")) and (shape, axis) != ((0,), 1):
                compare(name, values(dtype, shape, k), tolerance=TOLERANCE.get(dtype, 0), axis=axis, **more)


@pytest.mark.parametrize("dtype", DTYPES)
def test_arranging(dtype):
    for k, shape in enumerate(SHAPES):
        x = values(dtype, shape, k)
        for axis in (None, 0, -1, 1, 4):
            compare("flip", x, axis=axis)
            compare("roll", x, 2, axis=axis)
            if shape or axis is None:
                compare("repeat", x, 2, axis=axis)
            compare("concat", [x, x], axis=axis)
            if axis is not None:
                compare("expand_dims", x, axis)
                compare("stack", [x, x], axis=axis)
                if shape:
                    compare("squeeze", x, axis)
                compare("unstack", x, axis=axis)
        compare("permute_dims", x, tuple(reversed(range(x.ndim))))
        compare("reshape", x, (-1,))
        compare("reshape", x, (7, 3))
        compare("reshape", x, x.shape, copy=True)
        compare("tile", x, (2, 1))
        compare("tile", x, 2)
        compare("broadcast_to", x, (2, *shape))
        compare("broadcast_to", x, (5, 7))
        compare("matrix_transpose", x)
        compare("tril", x, k=1)
        compare("triu", x)
        compare("nonzero", x)
        compare("unique_all", x)
        compare("unique_counts", x)
        compare("unique_inverse", x)
        compare("unique_values", x)
        compare("zeros_like", x)
        compare("ones_like", x, dtype="dtype:int32")
        compare("full_like", x, 1)
    compare("broadcast_arrays", values(dtype, (2, 1)), values("int32", (3,)))
    for name in ("argmax", "argmin"):
        compare(name, values(dtype, ()))
    compare("moveaxis", values(dtype, (2, 3, 4)), (0, 1), (-1, 0))
    compare("meshgrid", values(dtype, (2,)), values(dtype, (3,)))
    compare("meshgrid", values(dtype, (2,)), values(dtype, (3,)), indexing="ij")
    compare("take", values(dtype, (2, 3)), np.array([0, 2, 2]), axis=1)
    compare("take", values(dtype, (2, 3)), np.array([0, 1]))
    compare("take", values(dtype, (3,)), np.array([0, 1]))
    compare("take", values(dtype, (3,)), np.array([0.0, 1.0]))
    compare("take_along_axis", values(dtype, (2, 3)), np.array([[0, 2], [1, 1]]), axis=1)
    compare("repeat", values(dtype, (3,)), np.array([1, 0, 2]))
    compare("searchsorted", np.sort(values(dtype, (5,))), values(dtype, (2, 3), 3))
    compare("searchsorted", np.sort(values(dtype, (5,))), values(dtype, (2, 3), 3), side="right")
    compare("where", values("bool", (2, 3)), values(dtype, (3,)), values(dtype, (2, 1)))
    compare("where", values("bool", (2, 3)), values(dtype, (3,)), 1)
    compare("where", values(dtype, (2, 3)), 1.0, 2.0)
    for low, high in ((0, 2), (-1.0, 1.0), (None, 1), (0, None), (None, None), (np.array([0, 1, 0]), 2)):
        compare("clip", values(dtype, (2, 3)), low, high)


@pytest.mark.parametrize(("a", "b"), list(itertools.product(DTYPES, DTYPES)))
def test_joining_and_promotion(a, b):
    x, y = values(a, (2, 3)), values(b, (2, 3))
    for name in ("concat", "stack"):
        compare(name, [x, y])
    compare("result_type", x, f"dtype:{b}")
    compare("result_type", f"dtype:{a}", f"dtype:{b}")
    compare("can_cast", f"dtype:{a}", f"dtype:{b}")
    compare("can_cast", x, f"dtype:{b}")
    compare("astype", x, f"dtype:{b}")
    compare("isdtype", f"dtype:{a}", f"dtype:{b}")
    if a[:3] == b[:3] != "boo":
        compare("diff", values(a, (3,)), prepend=values(b, (1,)))
    for number in (True, 1, 1.5):
        compare("result_type", x, number)
    for kind in ("bool", "integral", "real floating", "numeric", "complex floating", "signed integer", "unsigned integer", "x"):
        compare("isdtype", f"dtype:{a}", kind)
    compare("isdtype", f"dtype:{a}", ("bool", "numeric"))


@pytest.mark.parametrize("dtype", DTYPES)
def test_products(dtype):
    shapes = [
        ((3,), (3,)),
        ((2, 3), (3,)),
        ((2, 3), (3, 2)),
        ((2, 1, 3), (4, 3, 2)),
        ((), (3,)),
        ((0, 3), (3, 0)),
        ((2, 3), (2, 3)),
    ]
    for p, q in shapes:
        x, y = values(dtype, p), values(dtype, q, 1)
        for name in ("matmul", "vecdot", "linalg.outer"):
            compare(name, x, y, tolerance=1e-5)
        if q[-1:] == (3,):  # NumPy still takes two-dimensional vectors, with a warning
            compare("linalg.cross", x, y, tolerance=1e-5)
        compare("tensordot", x, y, tolerance=1e-5, axes=1)
        compare("tensordot", x, y, tolerance=1e-5, axes=0)
        compare("vecdot", x, y, tolerance=1e-5, axis=-2)
        compare("vecdot", x, y, axis=0)
    compare("tensordot", values(dtype, (2, 3, 4)), values(dtype, (4, 3)), tolerance=1e-5, axes=((1, 2), (1, 0)))
    compare("linalg.cross", values(dtype, (3, 3)), values(dtype, (3, 1), 1), axis=-2, tolerance=1e-5)


@pytest.mark.parametrize("dtype", ["float32", "float64", "int64"])
def test_linalg(dtype):
    tolerance = {"float32": 1e-4, "float64": 1e-10, "int64": 0}[dtype]
    for shape in ((3, 3), (2, 3, 3), (4, 3), (3, 4), (3,), (0, 0), (2, 0, 0)):
        x = values(dtype, shape, 3)
        if dtype != "int64" and len(shape) > 1 and shape[-1] == shape[-2]:
            x = x + 4 * np.eye(shape[-1], dtype=dtype)
        for name in ("det", "inv", "slogdet", "matrix_norm", "matrix_rank", "pinv", "svdvals", "trace", "diagonal"):
            if name in ("matrix_rank", "pinv") and 0 in shape:
                continue  # array_api_strict has no largest value of none
            if name == "matrix_rank" and dtype == "int64":
                continue  # which it takes against the standard
            compare(f"linalg.{name}", x, tolerance=tolerance)
        compare("linalg.matrix_power", x, 3, tolerance=tolerance)
        compare("linalg.matrix_power", x, -2, tolerance=tolerance)
        compare("linalg.trace", x, offset=1, tolerance=tolerance)
        compare("linalg.diagonal", x, offset=-1)
        compare("linalg.solve", x, values(dtype, (3,), 5), tolerance=tolerance)
        compare("linalg.solve", x, values(dtype, (3, 2), 5), tolerance=tolerance)
        compare("linalg.solve", x, values(dtype, (2, 3), 5), tolerance=tolerance)
        for order in ("fro", "nuc", 1, -1, 2, -2, np.inf, -np.inf):
            if 0 not in shape:
                compare("linalg.matrix_norm", x, ord=order, tolerance=tolerance)
        for order, axis in itertools.product((0, 1, 2, 3, 0.5, np.inf, -np.inf, -1), (None, 0, -1, (0, 1))):
            if 0 not in shape:
                compare("linalg.vector_norm", x, ord=order, axis=axis, tolerance=max(tolerance, 1e-9), keepdims=True)
        if len(shape) > 1 and 0 not in shape and dtype != "int64":
            t = xp.asarray(x)
            q, r = xp.linalg.qr(t, mode="complete")
            assert np.allclose(q @ r, x, atol=1e-4)
            u, s, vh = xp.linalg.svd(t, full_matrices=False)
            assert np.allclose((u * s[..., None, :]) @ vh, x, atol=1e-4)
    symmetric = np.array([[4.0, 1, 0], [1, 5, 2], [0, 2, 6]], dtype)
    for name in ("cholesky", "eigvalsh"):
        compare(f"linalg.{name}", symmetric, tolerance=max(tolerance, 1e-10))
    compare("linalg.cholesky", symmetric, upper=True, tolerance=max(tolerance, 1e-10))


def test_fft():
    for n, dtype in itertools.product((1, 4, 5), (None, "dtype:float32")):
        compare("fft.fftfreq", n, d=0.5, dtype=dtype, tolerance=1e-6)
        compare("fft.rfftfreq", n, dtype=dtype, tolerance=1e-6)
    for dtype, shape, axes in itertools.product(DTYPES, ((4,), (3, 5)), (None, 0, -1, (0,), (0, 1))):
        compare("fft.fftshift", values(dtype, shape), axes=axes)
        compare("fft.ifftshift", values(dtype, shape), axes=axes)
    with pytest.raises(AttributeError, match="complex"):
        xp.fft.rfft  # noqa: B018


def test_creation():
    for dtype in (None, *[f"dtype:{d}" for d in DTYPES]):
        for shape in (3, (), (0,), (2, 3), "a"):
            for name in ("zeros", "ones"):
                compare(name, shape, dtype=dtype)
            compare("full", shape, 3, dtype=dtype)
        if dtype != "dtype:bool":
            for bounds in ((5,), (1, 4), (4, 1, -1), (0, 1, 2), (0,)):
                compare("arange", *bounds, dtype=dtype)
            compare("linspace", 0, 4, 5, dtype=dtype, tolerance=1e-6)
            compare("linspace", 0.0, 4.0, 4, dtype=dtype, endpoint=False, tolerance=1e-6)
        compare("eye", 3, dtype=dtype)
        compare("eye", 2, 4, k=1, dtype=dtype)
        compare("asarray", [[1, 2], [0, 1]], dtype=dtype)
    for fill in (True, 1, 1.5, "a"):
        compare("full", (2,), fill)
    compare("arange", 0.0, 1.0, 0.25)
    for obj in (True, 3, 2.5, [], [True], [1, 2.5], (1, 2)):
        compare("asarray", obj)
        compare("asarray", obj, copy=True)
        compare("asarray", obj, copy=False)
    compare("zeros", 3, dtype=int)


def test_info_and_limits():
    ours, theirs = xp.__array_namespace_info__(), strict.__array_namespace_info__()
    assert set(ours.capabilities()) == set(theirs.capabilities())
    assert ours.default_device() in ours.devices()
    assert ours.default_dtypes() == {"real floating": xp.float64, "integral": xp.int64, "indexing": xp.int64}
    for kind in (
        None,
        "bool",
        "signed integer",
        "unsigned integer",
        "integral",
        "real floating",
        "numeric",
        ("bool", "integral"),
    ):
        assert set(ours.dtypes(kind=kind)) == {k for k in theirs.dtypes(kind=kind) if not k.startswith("complex")}
    for name in ("float32", "float64"):
        a, b = xp.finfo(getattr(xp, name)), strict.finfo(getattr(strict, name))
        for field in ("bits", "eps", "max", "min", "smallest_normal"):
            assert getattr(a, field) == getattr(b, field)
            assert type(getattr(a, field)) is type(getattr(b, field))
    for name in ("int8", "uint8", "int32", "int64", "uint64"):
        a, b = xp.iinfo(xp.ones(2, dtype=getattr(xp, name))), strict.iinfo(getattr(strict, name))
        assert (a.bits, a.max, a.min) == (b.bits, b.max, b.min)
    with pytest.raises(TypeError):
        xp.finfo(xp.int32)


def test_namespace_of_a_tensor():
    x = tg.tensor([1.0])
    assert x.__array_namespace__() is xp
    assert x.__array_namespace__(api_version="2024.12") is xp
    with pytest.raises(ValueError, match="versions"):
        x.__array_namespace__(api_version="1999.01")
