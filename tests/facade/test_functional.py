"""autograd.functional: what `strict` forbids, and what `vectorize` and a strategy leave as it is."""

import numpy as np
import pytest

from .subject import assert_same, tg

functional = tg.autograd.functional
NAMES = ("jacobian", "hessian", "vjp", "jvp", "hvp", "vhp")
X, U = [1.0, 2.0], [3.0, -1.0]


def call(name, f, **options):
    x, u = tg.tensor(X), tg.tensor(U)
    v = {"jacobian": (), "hessian": (), "vjp": (tg.tensor(1.0),)}.get(name, ((tg.tensor([1.0, 2.0]), tg.tensor([0.5, 1.0])),))
    return getattr(functional, name)(f, (x, u), *v, **options)


def ends(result):
    return [end for part in result for end in ends(part)] if isinstance(result, tuple) else [result]


FUNCTIONS = {
    "of one input": lambda x, u: (x * x).sum(),
    "of no input": lambda x, u: tg.tensor(1.0),
    "detached": lambda x, u: (x.detach() * u).sum(),
    "linear": lambda x, u: (x + u).sum(),
    "linear in one": lambda x, u: x.sum() ** 3 + u.sum(),
    "apart": lambda x, u: (x**3).sum() + (u**3).sum(),
    "zero": lambda x, u: ((x * 2) * 0.0 * (u * 3) * 0.0).sum() ** 3,
    "cubes": lambda x, u: (x.sum() * u.sum()) ** 3,
}
FORBIDDEN = {
    **dict.fromkeys(("of one input", "of no input", "detached"), NAMES),
    **dict.fromkeys(("linear", "linear in one"), ("hessian", "hvp", "vhp")),
    "apart": ("hessian",),
}


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("what", FUNCTIONS)
def test_strict(name, what):
    """Independence is forbidden, and not zeros that were computed."""
    f = FUNCTIONS[what]
    loose = ends(call(name, f))
    if name in FORBIDDEN.get(what, ()):
        with pytest.raises(RuntimeError, match="independent|does not require grad"):
            call(name, f, strict=True)
    else:
        for a, b in zip(ends(call(name, f, strict=True)), loose, strict=True):
            assert_same(a, np.array(b.tolist()))


@pytest.mark.parametrize(("name", "what"), [("jacobian", "linear"), ("vjp", "linear in one"), ("jvp", "linear")])
def test_strict_forbids_graphs_that_are_asked_for_and_are_not_there(name, what):
    call(name, FUNCTIONS[what], strict=True)
    with pytest.raises(RuntimeError, match="independent"):
        call(name, FUNCTIONS[what], strict=True, create_graph=True)
    for part in ends(call(name, FUNCTIONS["cubes"], strict=True, create_graph=True)):
        assert part.requires_grad


@pytest.mark.parametrize("name", ["jacobian", "vjp", "jvp"])
def test_strict_looks_at_each_output(name):
    v = {"jacobian": (), "vjp": ((tg.ones(2), tg.ones(2)),), "jvp": (tg.ones(2),)}[name]
    function, x = getattr(functional, name), tg.tensor(X)
    function(lambda x: (x * x, x + 1), x, *v, strict=True)
    with pytest.raises(RuntimeError, match="[Oo]utput 1"):
        function(lambda x: (x * x, tg.ones(2)), x, *v, strict=True)
    assert len(ends(function(lambda x: (x * x, tg.ones(2)), x, *v))) >= 2


@pytest.mark.parametrize("name", NAMES)
def test_constants_have_derivatives_of_zero(name):
    result = call(name, FUNCTIONS["of no input"])
    for part in ends(result if name in ("jacobian", "hessian") else result[1]):
        assert not part.any()


@pytest.mark.filterwarnings("ignore:.*torch.jit.script:DeprecationWarning")
@pytest.mark.parametrize("strategy", ["reverse-mode", "forward-mode"])
def test_vectorize_and_strategies_give_the_same(strategy):
    x = tg.tensor(X)
    found = functional.jacobian(lambda x: (x**3, x.sum()), x, vectorize=True, strategy=strategy)
    assert_same(found[0], [[3.0, 0.0], [0.0, 12.0]])
    assert_same(found[1], [1.0, 1.0])
    found = functional.hessian(lambda x: (x**3).sum(), x, vectorize=True, outer_jacobian_strategy=strategy)
    assert_same(found, [[6.0, 0.0], [0.0, 12.0]])


def test_unknown_strategies():
    with pytest.raises((ValueError, AssertionError), match="forward-mode"):
        functional.jacobian(lambda x: x, tg.tensor(X), strategy="sideways")
    with pytest.raises((ValueError, AssertionError), match="forward-mode"):
        functional.hessian(lambda x: x.sum(), tg.tensor(X), outer_jacobian_strategy="sideways")


@pytest.mark.parametrize("name", ["vjp", "jvp", "hvp", "vhp"])
def test_vectors_that_do_not_fit(name):
    function, x = getattr(functional, name), tg.tensor(X)
    f = (lambda x: x * x) if name in ("vjp", "jvp") else lambda x: (x * x).sum()
    for v in (tg.ones(3), (tg.ones(2), tg.ones(2)), None):
        with pytest.raises(RuntimeError, match="v "):
            function(f, x, v)


@pytest.mark.tapegrad_only("PyTorch differentiates by what the input is afterwards")
@pytest.mark.parametrize("name", NAMES)
def test_derivatives_are_by_what_an_input_was_before_it_was_written(name):
    def written(x, u):
        x[0] = x[0] * 2.0
        u *= 3.0
        return (x**3).sum() * (u**2).sum()

    x, u = tg.tensor(X, requires_grad=True), tg.tensor(U, requires_grad=True)
    v = {"jacobian": (), "hessian": (), "vjp": (tg.tensor(1.0),)}.get(name, ((tg.tensor([1.0, 2.0]), tg.tensor([0.5, 1.0])),))
    function = getattr(functional, name)
    found = ends(function(written, (x, u), *v, create_graph=True))
    for a, b in zip(found, ends(function(lambda x, u: written(x * 1.0, u * 1.0), (x, u), *v)), strict=True):
        assert_same(a, np.array(b.tolist()))
