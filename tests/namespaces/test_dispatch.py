"""What NumPy's own functions do with Tensors: tapegrad's function, or a clear refusal, and never a derivative that is cut."""

import inspect
import math
import types

import numpy as np
import pytest

import tapegrad as tg
import tapegrad.numpy as tnp

SKIPPED = {
    "test",
    "info",
    "save",
    "savez",
    "savez_compressed",
    "savetxt",
    "load",
    "loadtxt",
    "genfromtxt",
    "fromfile",
    "fromregex",
    "mintypecode",
    "show_config",
    "show_runtime",
    "get_include",
    "seterr",
    "setbufsize",
    "set_printoptions",
    "seterrcall",
    "memmap",
}  # that read and write files, settings, or codes of types

# Floats that have no derivative, or are no result: what is in an array that is not looked at, or of which shape and dtype count
CONSTANT = {
    "angle": "0 or pi",
    "imag": "0",
    "histogram": "counts, and edges that stay where they are",
    "histogram2d": "counts",
    "histogramdd": "counts",
    "histogram_bin_edges": "edges that stay where they are",
    "zeros_like": "0",
    "ones_like": "1",
    "empty_like": "undefined",
    "full_like": "a constant",
    "slogdet": "the sign",
    "lstsq": "the singular values",
    "tri": "0 and 1",
    "compress": "picked from an array",
    "extract": "picked from an array",
    "meshgrid": "each of its own vector",
    "atleast_1d": "each of its own array",
    "atleast_2d": "each of its own array",
    "atleast_3d": "each of its own array",
    "broadcast_arrays": "each of its own array",
    "ix_": "each of its own array",
    "trapezoid": "dx beside x is not looked at",
    "trapz": "dx beside x is not looked at",
    "fromiter": "NumPy takes each element by float(), which warns in a transform",
}


def templates():
    """Arguments with tensors that require grad in each place."""
    x = tg.tensor([0.3, 0.6, 0.8], requires_grad=True) * 1.0
    s, m = tg.tensor(0.5, requires_grad=True), tg.tensor([[0.3, 0.1], [0.2, 0.8]], requires_grad=True)
    b, a = np.array([True, False, True]), np.array([1.0, 2.0, 3.0])
    return {
        "x": (x,),
        "m": (m,),
        "xx": (x, x),
        "mm": (m, m),
        "x1": (x, 1),
        "m1": (m, 1),
        "xa": (x, a),
        "ax": (a, x),
        "xxx": (x, x, x),
        "[s,s]": ([s, s],),
        "[x,x]": ([x, x],),
        "[s,1]": ([s, 1.0],),
        "[s,s]a": ([s, s], [1.0, 2.0]),
        "a[s,s]": ([1.0, 2.0], [s, s]),
        "s": (s,),
        "ss": (s, s),
        "ss3": (s, s, 3),
        "bx": (b, x),
        "bxx": (b, x, x),
        "xb": (x, b),
        "[[s,s]]": ([[s, s], [s, s]],),
        "[m,m]": ([m, m],),
        "fx": (lambda t: t, 0, x),
        "ixx": ("i,i", x, x),
        "i[s,s]": ("i,i", [s, s], [1.0, 2.0]),
        "xss": (x, s, s),
        "[b][x]": ([b], [x]),
        "x[0,1]": (x, [0, 1]),
        "m(1,0)": (m, (1, 0)),
        "xax": (x, a, x),
        "x(3,1)": (x, (3, 1)),
    }


def functions():
    for label, module in (
        ("np", np),
        ("np.linalg", np.linalg),
        ("np.fft", np.fft),
        ("tnp", tnp),
        ("tnp.linalg", tnp.linalg),
        ("tnp.fft", tnp.fft),
    ):
        for name in dir(module):
            value = getattr(module, name)
            if (
                callable(value)
                and not isinstance(value, (type, types.ModuleType))
                and not name.startswith("_")
                and name not in SKIPPED
            ):
                yield pytest.param(module, name, id=f"{label}.{name}")


def leaves(result):
    if isinstance(result, dict):
        result = list(result.values())
    if isinstance(result, (tuple, list)):
        for part in result:
            yield from leaves(part)
    else:
        yield result


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize(("module", "name"), list(functions()))
def test_no_function_cuts_a_derivative_silently(module, name):
    """Each call is refused, or gives Tensors that require grad, or what can have no derivative: integers, bools, texts."""
    refusals = {}
    for label, arguments in templates().items():
        if (label == "fx" and name not in OF_FUNCTIONS) or not _are_arrays(module, name, arguments):
            continue
        try:
            with np.errstate(all="ignore"):
                result = getattr(module, name)(*arguments)
        except Exception as error:
            refusals[label] = str(error)
            continue
        for part in leaves(result):
            if isinstance(part, (np.ndarray, np.generic)):
                assert part.dtype.kind not in "fcO" or name in CONSTANT, f"{label}: {part!r}"
            elif isinstance(part, tg.Tensor):
                assert part.dtype.kind != "f" or part.requires_grad or name in CONSTANT, f"{label}: {part!r}"
            else:
                assert not isinstance(part, (float, complex)) or name in CONSTANT, f"{label}: {part!r}"
    assert all(refusals.values()), "a refusal says why"


OF_FUNCTIONS = ("apply_along_axis", "apply_over_axes", "fromfunction", "frompyfunc", "piecewise")
OPTIONS = {
    "dtype",
    "copy",
    "return_index",
    "full_matrices",
    "tol",
    "requirements",
    "order",
    "ldict",
    "default",
    "deg",
    "axis",
    "out",
}


def _are_arrays(module, name, arguments):
    """Whether the result may depend on all of the arguments: that the second is not ``dtype=`` or ``out=``."""
    function = getattr(np if module is tnp else getattr(np, module.__name__.rsplit(".", 1)[-1], np), name, None)
    if isinstance(function, np.ufunc):
        return len(arguments) <= function.nin
    try:
        names = list(inspect.signature(function).parameters)
    except ValueError:
        names = ["", "dtype"]  # np.array and its kin
    return len(arguments) < 2 or isinstance(arguments[0], tg.Tensor) or len(names) < 2 or names[1] not in OPTIONS


X = [[1.0, 2.0], [3.0, 4.5]]


@pytest.mark.parametrize(
    "call",
    [
        lambda x: np.add.reduce(x),
        lambda x: np.add.reduce(x, axis=1, keepdims=True),
        lambda x: np.add.reduce(x, axis=None),
        lambda x: np.multiply.reduce(x, 1),
        lambda x: np.maximum.reduce(x),
        lambda x: np.minimum.reduce(x, axis=None),
        lambda x: np.logaddexp.reduce(x),
        lambda x: np.add.accumulate(x, axis=1),
        lambda x: np.multiply.accumulate(x),
        lambda x: np.maximum.accumulate(x),
        lambda x: np.subtract.outer(x[0], x[1]),
        lambda x: np.multiply.outer([1.0, 2.0], x),
        lambda x: np.power.outer(x, x[0]),
    ],
)
def test_methods_of_ufuncs(call):
    x = tg.tensor(X, requires_grad=True)
    z = call(x)
    assert z.requires_grad and np.allclose(z.detach(), call(np.array(X)))
    assert tg.autograd.gradcheck(call, (x,))


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda x: np.add.at(x, 0, 1), r"np\.add\.at is not there"),
        (lambda x: np.add.reduceat(x, [0]), r"np\.add\.reduceat"),
        (lambda x: np.subtract.reduce(x), r"np\.subtract\.reduce"),
        (lambda x: np.add.reduce(x, initial=1.0), "takes no initial="),
        (lambda x: np.add.reduce(x, where=[True]), "takes no where="),
        (lambda x: np.add(x, x, where=[True]), "takes no where="),
        (lambda x: np.add(x, x, dtype=float), "takes no dtype="),
        (lambda x: np.add(x, x, out=np.zeros((2, 2))), "would be lost"),
        (lambda x: np.add.reduce(x, out=np.zeros(2)), "would be lost"),
        (lambda x: np.frexp(x), r"np\.frexp is not there"),
        (lambda x: np.fft.hfft(x), r"np\.fft\.hfft is not there"),
        (lambda x: np.sum(x, out=np.zeros(())), "takes no out="),
    ],
)
def test_refusals(call, message):
    with pytest.raises(TypeError, match=message):
        call(tg.tensor(X, requires_grad=True))


def test_a_refusal_names_scipys_function_in_full():
    special = pytest.importorskip("scipy.special")
    with pytest.raises(TypeError, match=r"scipy\.special\.fresnel is not there"):
        special.fresnel(tg.tensor(1.0, requires_grad=True))


@pytest.mark.parametrize("out", [tg.tensor([0, 0]), np.array([0, 0])], ids=["tensor", "array"])
def test_out_of_integers_takes_no_fractions(out):
    with pytest.raises(TypeError):
        np.add(tg.tensor([1, 2]), 0.5, out=out)
    np.testing.assert_array_equal(out, [0, 0])


def test_out_is_honoured_where_nothing_is_lost():
    out = np.zeros(2)
    assert np.add(tg.tensor([1.0, 2.0]), 1, out=out) is out and out.tolist() == [2.0, 3.0]
    target = tg.zeros(2)
    x = tg.tensor([1.0, 2.0], requires_grad=True)
    z = np.multiply(x, 3.0, out=target)
    assert z is target and z.requires_grad
    z.sum().backward()
    assert x.grad.tolist() == [3.0, 3.0]


@pytest.mark.parametrize(
    ("call", "kind"),
    [
        (lambda x: np.result_type(x, 1), np.dtype),
        (lambda x: np.array_repr(x), str),
        (lambda x: np.lexsort((x[0], x[1])), tg.Tensor),
        (lambda x: np.nanargmax(x), (int, np.integer)),
        (lambda x: np.shares_memory(x, x), bool),
        (lambda x: np.can_cast(x, int), bool),
        (lambda x: np.iscomplexobj(x), bool),
        (lambda x: np.tril_indices_from(x), tuple),
    ],
)
def test_functions_that_can_have_no_derivative_compute(call, kind):
    if call.__code__.co_names[0:2] == ("np", "can_cast"):
        call = lambda x: np.can_cast(x.dtype, int)
    assert isinstance(call(tg.tensor(X, requires_grad=True)), kind)


A = np.random.default_rng(0).normal(size=(3, 5))
V = np.random.default_rng(1).normal(size=6)
POSITIVE = np.cumsum(np.abs(V) + 0.1)
COMPOSED = [
    (np.cov, (A,), {}),
    (np.cov, (A,), {"rowvar": False, "bias": True}),
    (np.cov, (V,), {}),
    (np.cov, (A, A[:1]), {"ddof": 0}),
    (np.cov, (A,), {"fweights": [1, 2, 1, 3, 1], "aweights": [0.5, 1, 2, 1, 1]}),
    (np.cov, (A,), {"aweights": [0.5, 1, 2, 1, 1]}),
    (np.corrcoef, (A,), {}),
    (np.corrcoef, (V, V**2), {}),
    (np.nanvar, (A,), {"axis": 1, "ddof": 1}),
    (np.nanstd, (A,), {"keepdims": True}),
    (np.nancumsum, (A,), {"axis": 1}),
    (np.nancumprod, (A,), {}),
    (np.gradient, (V,), {}),
    (np.gradient, (A,), {}),
    (np.gradient, (A, 0.5), {"axis": 1, "edge_order": 2}),
    (np.gradient, (V, POSITIVE), {"edge_order": 2}),
    (np.gradient, (A, 2.0, np.array([0, 1, 3, 4, 7.0])), {}),
    (np.ediff1d, (A,), {"to_end": [1.0, 2.0], "to_begin": 0.0}),
    (np.polyval, (V, A), {}),
    (np.unwrap, (V * 4,), {}),
    (np.real, (V,), {}),
    (np.conjugate, (V,), {}),
    (np.apply_along_axis, (lambda t: t[::-1] * 2, 0, A), {}),
    (np.apply_along_axis, (lambda t: np.sum(t**2), 1, A), {}),
    (np.apply_along_axis, (lambda t: np.outer(t, t), 0, A), {}),
    (np.piecewise, (V, [V < 0, V >= 0], [lambda t: -t, lambda t: t**2]), {}),
    (np.piecewise, (V, V < 0, [1.0, lambda t: t]), {}),
    (np.logspace, (np.array(0.1), np.array(0.9), 4), {"base": 2.0}),
    (np.geomspace, (np.array(0.5), np.array(2.0), 5), {}),
]
if hasattr(np, "cumulative_sum"):
    COMPOSED += [(np.cumulative_sum, (V,), {"include_initial": True}), (np.cumulative_prod, (A,), {"axis": 1})]


@pytest.mark.parametrize(("function", "arguments", "keywords"), COMPOSED)
def test_composed_functions(function, arguments, keywords):
    """Values as NumPy's; derivatives by central differences."""
    places = [k for k, v in enumerate(arguments) if isinstance(v, np.ndarray) and v.dtype == float]
    inputs = [tg.tensor(arguments[k], requires_grad=True) for k in places]

    def call(*tensors):
        given = list(arguments)
        for k, x in zip(places, tensors):
            given[k] = x
        return function(*given, **keywords)

    ours, theirs = call(*inputs), function(*arguments, **keywords)
    for a, b in zip(*(r if isinstance(r, (tuple, list)) else (r,) for r in (ours, theirs))):
        assert a.requires_grad and a.shape == np.shape(b) and np.allclose(a.detach(), b, rtol=1e-12)
    assert tg.autograd.gradcheck(call, inputs)


def test_nan_counts_for_nothing():
    a = A.copy()
    a[0, 1] = math.nan
    x = tg.tensor(a, requires_grad=True)
    for function in (np.nanvar, np.nanstd, np.nancumsum, np.nancumprod):
        z = function(x, axis=1)
        assert np.allclose(z.detach(), function(a, axis=1))
        (gradient,) = tg.autograd.grad(z.sum(), x)
        assert np.isfinite(gradient).all() and gradient[0, 1].item() == 0
    assert np.isnan(np.nanvar(tg.tensor([math.nan])).item())


def test_numbers_leave_float32_as_it_is():
    """Whatever becomes of them inside: Python's numbers have no say in the dtype, and 0-d tensors and arrays have."""
    x = tg.tensor([1.0, 2.0, 4.0], dtype=tg.float32, requires_grad=True)
    for z in (
        np.gradient(x),
        np.gradient(x, 0.5),
        np.multiply.outer(2.0, x),
        tg.prelu(x, 0.2),
        np.cov(x),
        tnp.array([x[0], 1.0]),
        x * 2.0,
    ):
        assert z.dtype == np.float32
    for z in (x * tg.tensor(2.0), tg.tensor(2.0, requires_grad=True) * x, x * np.array(2.0), np.add(x, np.ones(3))):
        assert z.dtype == np.float64


def test_gradient_of_integers():
    assert np.array_equal(np.gradient(tg.tensor([1, 4, 9]), 0.5), np.gradient(np.array([1, 4, 9]), 0.5))
