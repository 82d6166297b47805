"""The stubs: what would be written now, with the public names and no others; and results are what they say."""

import ast
import math
import types
import typing

import numpy as np
import pytest
import typing_sample

import tapegrad as tg
from tapegrad import _stubs

STUBS = _stubs.stubs()
TREES = {path.relative_to(_stubs.ROOT).as_posix(): ast.parse(text) for path, text in STUBS.items()}
TYPES = TREES["_types.pyi"].body
TENSOR = next(node for node in TYPES if isinstance(node, ast.ClassDef) and node.name == "Tensor")


def declared(body, imported=()):
    """The names that a stub has for a checker: definitions, variables, and what is imported as public."""
    names = set()
    for node in body:
        if isinstance(node, (ast.FunctionDef, ast.ClassDef)):
            names.add(node.name)
        elif isinstance(node, ast.Assign):
            names |= {target.id for target in node.targets}
        elif isinstance(node, ast.AnnAssign):
            names.add(node.target.id)
        elif isinstance(node, ast.ImportFrom):
            names |= {alias.asname or alias.name for alias in node.names} & set(imported)
            names |= {alias.name for alias in node.names if alias.asname == alias.name}      # said to be public
    return {name for name in names if not name.startswith("_")}


@pytest.mark.parametrize("path", STUBS, ids=lambda path: path.relative_to(_stubs.ROOT).as_posix())
def test_a_stub_is_up_to_date(path):
    hint = "run `python -m tapegrad._stubs`"
    assert path.exists(), hint
    assert path.read_text(encoding="utf-8") == STUBS[path], hint


def test_check_writes_nothing_and_says_what_is_stale(tmp_path, monkeypatch, capsys):
    assert _stubs.main(["--check"]) == 0
    stale = _stubs.ROOT / "_types.pyi"
    monkeypatch.setattr(_stubs, "stubs", lambda: {stale: "other"})
    assert _stubs.main(["--check"]) == 1
    assert "_types.pyi" in capsys.readouterr().out
    assert stale.read_text(encoding="utf-8") != "other"


@pytest.mark.parametrize("module", [tg, tg.autograd], ids=lambda module: module.__name__)
def test_public_names_are_in_the_stub_and_no_others(module):
    tree = TREES["__init__.pyi" if module is tg else "autograd/__init__.pyi"]
    exported = next(ast.literal_eval(node.value) for node in tree.body
                    if isinstance(node, ast.Assign) and node.targets[0].id == "__all__")
    assert exported == module.__all__
    public = _stubs.public_names() if module is tg else module.__all__
    assert declared(tree.body, exported) == set(public)


def test_attributes_of_a_tensor_are_in_the_stub_and_no_others():
    assert declared(TENSOR.body) == {name for name in dir(tg.Tensor) if not name.startswith("_")}


def test_functional_is_complete():
    functional = tg.autograd.functional
    own = {name for name, value in vars(functional).items() if getattr(value, "__module__", "") == functional.__name__}
    assert declared(TREES["autograd/functional.pyi"].body) == {name for name in own if not name.startswith("_")}


# What functions give --------------------------------------------------------------------------------------------------

KINDS = {"Tensor": tg.Tensor, "Self": tg.Tensor, "Array": np.ndarray, "Device": tg.device, "Node": tg.autograd.Node,
         "np": np, "Any": object, "ValuesIndices": tuple, "Iterator": typing.Iterator, "_bool": bool, "_float": float,
         "_int": int, "AminmaxResult": tuple, "SlogdetResult": tuple, "SVDFactors": tuple, "Size": int,
         "ModuleType": types.ModuleType}


def operands_of(node):
    """How many tensors a function or property wants; None where it wants anything else."""
    decorators, arguments = [ast.unparse(d) for d in node.decorator_list], node.args
    required = [*arguments.posonlyargs, *arguments.args]
    required = required[: len(required) - len(arguments.defaults)]
    kinds = [ast.unparse(a.annotation) if a.annotation else a.arg for a in required]
    only = decorators in ([], ["property"]) and arguments.vararg is None and None not in arguments.kw_defaults
    return len(kinds) if only and {*kinds} <= {"self", "Tensor", "TensorLike"} else None


def simple(body):
    """All functions that tensors are enough for, but clamp, of whose options one has to be given, one whose operands never
    have the same shape, and one that needs two elements."""
    functions = [(node, operands_of(node)) for node in body if isinstance(node, ast.FunctionDef)]
    others = {"clamp", "clamp_", "diagonal_scatter", "gradient"}
    return [pytest.param(node, count, id=node.name) for node, count in functions if count and node.name not in others]


def kind_of(node):
    kind = eval(ast.unparse(node.returns), dict(KINDS))
    kinds = typing.get_args(kind) if isinstance(kind, types.UnionType) else (kind or type(None),)
    return tuple(typing.get_origin(one) or one for one in kinds)


OPERANDS = [  # of which one or the other suits every function
    lambda: tg.tensor([[0.5]], requires_grad=True) * 1,
    lambda: tg.tensor([[0.5]]),
    lambda: tg.tensor([[1]]),
    lambda: tg.tensor([1]),
    lambda: tg.tensor([True]),
]


SHAPES = {  # of what takes certain axes
    "addbmm": [(1, 1), (1, 1, 1), (1, 1, 1)],
    "addmv": [(1,), (1, 1), (1,)],
    "baddbmm": [(1, 1, 1)] * 3,
    "bilinear": [(1, 1), (1, 1), (1, 1, 1)],
    "bmm": [(1, 1, 1)] * 2,
    "convolve": [(1,)] * 2,
    "correlate": [(1,)] * 2,
    "cosine_embedding_loss": [(1, 1), (1, 1), (1,)],
    "cross": [(3,)] * 2,
    "mv": [(1, 1), (1,)],
}


def shaped(operand, shape):
    return operand.reshape(shape) if math.prod(shape) == 1 else operand.reshape(1).expand(shape)


def check_results(node, count, function):
    """What a function gives for those operands that it takes is of the declared type."""
    tried = 0
    for operand in OPERANDS:
        try:
            operands = [operand() for _ in range(count)]
            result = function(*map(shaped, operands, SHAPES[node.name]) if node.name in SHAPES else operands)
        except (TypeError, ValueError, IndexError, RuntimeError, UserWarning):
            continue
        tried += 1
        assert isinstance(result, kind_of(node))
    assert tried


@pytest.mark.parametrize(("node", "count"), simple(TENSOR.body))
def test_a_method_gives_what_the_stub_says(node, count):
    if node.decorator_list:
        check_results(node, count, lambda x: getattr(x, node.name))
    else:
        check_results(node, count, getattr(tg.Tensor, node.name))


@pytest.mark.parametrize(("node", "count"), simple(TREES["__init__.pyi"].body))
def test_a_function_gives_what_the_stub_says(node, count):
    check_results(node, count, getattr(tg, node.name))


def test_a_typed_program_runs():
    """Its types are checked by mypy."""
    typing_sample.main()
