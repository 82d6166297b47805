"""Writes the stubs that type checkers and editors read: ``python -m tapegrad._stubs``, or with ``--check`` compares them.

The public names are put together while tapegrad is imported, from the op table among others, so the stubs are written
from what is there then. Names, parameters, defaults and descriptions come from the objects. Types come from the tables
below, by the names of parameters and functions: a parameter that no entry fits is an error, and so is an entry that fits
nothing. Where the type of a result depends on the arguments, the signatures are written out, in OVERLOADS, and their
parameters are compared with the function's.
"""
import argparse
import ast
import builtins
import inspect
import pathlib
import re
import sys
import textwrap
import types

import numpy as np

import tapegrad

from . import autograd
from .autograd import function, functional
from .autograd.hooks import RemovableHandle
from .autograd.node import Node
from .tensor.conversion import Device
from .tensor.core import Tensor
from .tensor.creation import legacy_tensor

ROOT = pathlib.Path(__file__).parent
WIDTH = 120


# Types ----------------------------------------------------------------------------------------------------------------

def _by_name(table):
    return {name: kind for kind, names in table.items() for name in names.split()}


# "owner.function.parameter" is looked up first, then "function.parameter" and "parameter"
PARAMETERS = _by_name({
    "TensorLike": "x y condition source value values",
    "TensorLike | ArrayLike": "data",
    "TensorLike | None": "min max",
    "Tensor": "other accumulate.x grad_fn.x register_hook.x register_post_accumulate_grad_hook.x retain_grad.x "
              "retains_grad.x mark_dirty.tensors mark_non_differentiable.tensors save_for_forward.tensors",
    "Tensor | None": "gradient save_for_backward.tensors",
    "Tensor | Sequence[Tensor]": "backward.tensors functional.jvp.inputs",
    "Tensor | Sequence[Tensor] | None": "inputs v",
    "Tensor | Sequence[Tensor | None] | None": "grad_tensors grad_outputs",
    "Tensor | Sequence[TensorLike]": "tensors",
    "Tensor | Sequence[Any]": "gradcheck.inputs gradgradcheck.inputs",
    "Tensor | DTypeLike | bool": "to.arguments",
    "Array": "array",
    "Number": "alpha",
    "Number | Tensor": "start end step fill_value full_like.arguments",
    "Number | Tensor | None": "arange.end",
    "float": "rtol atol eps nondet_tol",
    "int": "axis1 axis2 concatenate.axis stack.axis expand_dims.axis unsqueeze.dim unbind.dim unflatten.dim start_dim "
           "end_dim offset n steps low seed",
    "int | None": "argmax.axis argmax.dim argmin.axis argmin.dim concatenate.dim stack.dim dim0 dim1 m",
    "int | Sequence[int]": "shape axes full.size argnums",
    "int | Sequence[int] | None": "axis dim dims size high",
    "Sequence[int]": "sizes",
    "bool": "keepdims keepdim equal_nan requires_grad copy non_blocking force create_graph strict mode check_nan "
            "set_materialize_grads.value raise_exception check_grad_dtypes fast_mode check_batched_grad "
            "check_forward_ad check_backward_ad check_undefined_grad check_fwd_over_rev check_rev_over_rev "
            "gen_non_contig_grad_outputs masked",
    "bool | None": "retain_graph",
    "DTypeLike": "set_default_dtype.dtype astype.dtype",
    "DTypeLike | None": "dtype",
    "str": "spec method",
    "str | None": "device",
    "Index": "index",
    "np.ufunc": "ufunc",
    "F": "__call__.function once_differentiable.function",
    "Callable[..., Any]": "function func",
    "Callable[..., Y]": "functional.jvp.func",
    "Callable[[Tensor], Tensor | None]": "register_hook.hook",
    "Callable[[Tensor], object]": "register_post_accumulate_grad_hook.hook",
    "Never": "zeros_like.arguments ones_like.arguments empty_like.arguments rand_like.arguments randn_like.arguments",
    "Any": "arguments keywords __array_ufunc__.inputs __array_ufunc__.out __array_ufunc__.where",
    "object": "_ is_tensor.x",
})

# What is not here gives a Tensor, and a method with an underscore at its end the tensor itself
RESULTS = _by_name({
    "bool": "allclose equal gradcheck gradgradcheck is_grad_enabled is_inference_mode_enabled is_contiguous "
            "is_floating_point is_inference is_leaf requires_grad retains_grad __bool__ __contains__",
    "int": "dim ndimension ndim numel nelement element_size itemsize nbytes _version __hash__ __index__ __int__ __len__",
    "float": "__float__",
    "int | float": "item",
    "str": "Node.name __format__",
    "None": "set_default_dtype backward accumulate retain_grad save_for_backward save_for_forward mark_dirty "
            "mark_non_differentiable set_materialize_grads remove __exit__ __setitem__",
    "Array": "numpy",
    "tuple[int, ...]": "shape",
    "tuple[int, int]": "__dlpack_device__",
    "tuple[Tensor, ...]": "unbind saved_tensors",
    "tuple[tuple[Node | None, int], ...]": "next_functions",
    "tuple[Y, Y]": "functional.jvp",
    "Iterator[Tensor]": "__iter__",
    "Tensor | None": "Tensor.grad",
    "TypeIs[Tensor]": "is_tensor",
    "np.dtype[Any]": "dtype get_default_dtype",
    "np.random.Generator": "manual_seed",
    "Device": "device",
    "Node | None": "grad_fn",
    "RemovableHandle": "register_hook register_post_accumulate_grad_hook",
    "Self": "__enter__ requires_grad_",
    "F": "__call__ once_differentiable",
    "Callable[..., Any]": "tapegrad.jacobian",
    "Any": "tolist apply __array_ufunc__ __dlpack__",
})


def _overloads(*rows, **parts):
    return tuple(row.format(**parts) for row in rows)


_EXTREMUM = (
    "({x}, axis: Sequence[int] | None = None, keepdims: bool = False, *, dim: Sequence[int] | None = None, "
    "keepdim: bool = False) -> Tensor",
    "({x}, axis: Tensor) -> Tensor",
    "({x}, axis: int, keepdims: bool = False, *, keepdim: bool = False) -> ValuesIndices",
    "({x}, *, keepdims: bool = False, dim: int, keepdim: bool = False) -> ValuesIndices")
# Its parameters are called with Tensors where those of its derivative are given arrays, so a ParamSpec would refuse arrays
_DIFFERENTIATED = "function: Callable[..., Any], argnums: int | Sequence[int] = 0, "
_GRAD = ("outputs: Tensor | Sequence[Tensor], inputs: Tensor | Sequence[Tensor], "
         "grad_outputs: Tensor | Sequence[Tensor | None] | None = None, retain_graph: bool | None = None, "
         "create_graph: bool = False, ")
_FLAGS = "create_graph: bool = False, strict: bool = False"
_V = "v: Tensor | Sequence[Tensor] | None = None, " + _FLAGS
_VECTORIZE = _FLAGS + ", vectorize: bool = False"
_MODE = ("(cls) -> Self", "(cls, {function}: F) -> F")

OVERLOADS = {
    "tapegrad.max": _overloads(*_EXTREMUM, x="x: TensorLike"),
    "tapegrad.min": _overloads(*_EXTREMUM, x="x: TensorLike"),
    "Tensor.max": _overloads(*_EXTREMUM, x="self"),
    "Tensor.min": _overloads(*_EXTREMUM, x="self"),
    "Tensor.size": ("(self, dim: None = None) -> tuple[int, ...]", "(self, dim: int) -> int"),
    "tapegrad.where": ("(condition: TensorLike, x: TensorLike, y: TensorLike) -> Tensor",
                       "(condition: TensorLike) -> tuple[Tensor, ...]"),
    "tapegrad.grad": _overloads(
        "({f}has_aux: Literal[False] = False) -> Callable[..., Any]",
        "({f}*, has_aux: Literal[True]) -> Callable[..., tuple[Any, Any]]", f=_DIFFERENTIATED),
    "tapegrad.value_and_grad": _overloads(
        "({f}has_aux: Literal[False] = False) -> Callable[..., tuple[Any, Any]]",
        "({f}*, has_aux: Literal[True]) -> Callable[..., tuple[tuple[Any, Any], Any]]", f=_DIFFERENTIATED),
    "autograd.grad": _overloads(
        "({first}allow_unused: Literal[False] | None = None, is_grads_batched: Literal[False] = False, "
        "materialize_grads: bool = False) -> tuple[Tensor, ...]",
        "({first}allow_unused: bool | None = None, is_grads_batched: Literal[False] = False, *, "
        "materialize_grads: Literal[True]) -> tuple[Tensor, ...]",
        "({first}allow_unused: bool | None = None, is_grads_batched: Literal[False] = False, "
        "materialize_grads: bool = False) -> tuple[Tensor | None, ...]", first=_GRAD),
    "functional.jacobian": _overloads(
        "(func: Callable[..., Tensor], inputs: Tensor, {more}) -> Tensor",
        "(func: Callable[..., Tensor], inputs: Sequence[Tensor], {more}) -> tuple[Tensor, ...]",
        "(func: Callable[..., Sequence[Tensor]], inputs: Tensor, {more}) -> tuple[Tensor, ...]",
        "(func: Callable[..., Sequence[Tensor]], inputs: Sequence[Tensor], {more}) -> tuple[tuple[Tensor, ...], ...]",
        more=_VECTORIZE),
    "functional.hessian": _overloads(
        "(func: Callable[..., Tensor], inputs: Tensor, {more}) -> Tensor",
        "(func: Callable[..., Tensor], inputs: Sequence[Tensor], {more}) -> tuple[tuple[Tensor, ...], ...]",
        more=_VECTORIZE),
    "functional.vjp": _overloads(
        "(func: Callable[..., Y], inputs: Tensor, {more}) -> tuple[Y, Tensor]",
        "(func: Callable[..., Y], inputs: Sequence[Tensor], {more}) -> tuple[Y, tuple[Tensor, ...]]", more=_V),
    "functional.hvp": _overloads(
        "(func: Callable[..., Tensor], inputs: Tensor, {more}) -> tuple[Tensor, Tensor]",
        "(func: Callable[..., Tensor], inputs: Sequence[Tensor], {more}) -> tuple[Tensor, tuple[Tensor, ...]]", more=_V),
    "no_grad.__new__": _overloads(*_MODE, function="function"),
    "enable_grad.__new__": _overloads(*_MODE, function="function"),
    "inference_mode.__new__": _overloads("(cls, mode: bool = True) -> Self", "(cls, mode: F) -> F"),
    # They are overridden with parameters of all kinds
    "Function.forward": ("(*arguments: Any, **keywords: Any) -> Any",),
    "Function.backward": ("(*arguments: Any, **keywords: Any) -> Any",),
    "Function.setup_context": ("(*arguments: Any, **keywords: Any) -> Any",),
}
OVERRIDDEN = ("Function.forward", "Function.backward", "Function.setup_context")

# Of Python's protocols what object has, and NumPy's __array__: with it, NumPy's own stubs say that array * tensor is an
# array, while it is a tensor
UNDECLARED = {"__array__", "__array_function__", "__deepcopy__", "__getattr__", "__init__", "__new__", "__reduce_ex__",
              "__repr__"}
CONFLICTS = {  # what a checker would object to in a stub, and why it is right
    "Tensor.__eq__": "override",  # object's gives a bool
    "Tensor.__ne__": "override",
    "no_grad.__new__": "misc",  # a decorator without parentheses gives a function
    "enable_grad.__new__": "misc",
    "inference_mode.__new__": "misc",
}

_used: set = set()


def _look_up(table, owner, *names):
    """The entry of the most special name, or None."""
    whole = ".".join(names)
    for key in (f"{owner}.{whole}", whole, names[-1]):
        if key in table:
            _used.add(key)
            return table[key]
    return None


# Definitions ----------------------------------------------------------------------------------------------------------

def parameters(owner, name, target, first=""):
    """The parameters of a function as a stub has them; `first` replaces the first one."""
    out, keywords = [first] if first else [], False
    for p in list(inspect.signature(target).parameters.values())[bool(first) and "operands" not in _names(target):]:
        if p.name == "operands":             # any number, of which one is right
            variables = inspect.getclosurevars(target).nonlocals
            arity = variables["arity"] if "arity" in variables else variables["op"].arity
            return [*out, *(f"{x}: TensorLike" for x in "xyw"[bool(first):arity]), "/"]
        if p.name.startswith("_") and p.default is not p.empty:
            continue                         # bound where the function is made
        kind = _look_up(PARAMETERS, owner, name, p.name)
        if kind is None:
            raise LookupError(f"parameter {p.name} of {owner}.{name} has no type; give it an entry in PARAMETERS")
        if p.kind is p.KEYWORD_ONLY and not keywords:
            out.append("*")
        keywords = keywords or p.kind in (p.KEYWORD_ONLY, p.VAR_POSITIONAL)
        stars = {p.VAR_POSITIONAL: "*", p.VAR_KEYWORD: "**"}.get(p.kind, "")
        out.append(f"{stars}{p.name}: {kind}" + ("" if p.default is p.empty else f" = {p.default!r}"))
    return out


def _names(target):
    return set(inspect.signature(target).parameters)


def _result(owner, name):
    kind = _look_up(RESULTS, owner, name)
    return kind or ("Self" if owner == "Tensor" and re.search(r"(?<!_)_$|^__i(?!nvert|nt|ter|ndex)", name) else "Tensor")


def _check(key, rows, target):
    """That signatures which are written out have the function's parameters."""
    written = set()
    for row in rows:
        arguments = ast.parse(f"def f{row}: ...").body[0].args
        written |= {a.arg for a in (*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs)}
    real = _names(target)
    if written - {"self", "cls"} != real - {"self", "cls"} and not ("self" in written and len(real - written) == 1):
        raise LookupError(f"{key} has parameters {sorted(real)}, and OVERLOADS has {sorted(written)}")


def _declaration(owner, name, signature, decorators, doc, room):
    """The lines of one signature. What a class or module calls float, int and bool hides Python's."""
    if owner in ("tapegrad", "Tensor"):
        signature = re.sub(r"\b(float|int|bool)\b", r"_\1", signature)
    ignored = CONFLICTS.get(f"{owner}.{name}")
    end = "" if doc else " ..." + (f"  # type: ignore[{ignored}]" if ignored else "")
    line = f"def {name}{signature}:"
    if len(line + end) > room:
        inside, _, result = line.rpartition(") -> ")
        inside = re.sub(r"\s(?![\w*/]+(?::|,|$))", "\0", inside.split("(", 1)[1])      # breaks come before parameters
        inside = textwrap.fill(inside, room, initial_indent="    ", subsequent_indent="    ").replace("\0", " ")
        line = f"def {name}(\n{inside}\n) -> {result}"
    return [*decorators, *(line + end).split("\n"), *_description(doc, room)]


def _description(doc, room):
    if not doc:
        return []
    paragraph = " ".join(doc.split("\n\n")[0].split())
    return textwrap.wrap(f'"""{paragraph}"""', room, initial_indent="    ", subsequent_indent="    ")


def definition(owner, name, target, first="", decorators=(), doc="", room=WIDTH):
    """The lines that declare a function or method."""
    key = f"{owner}.{name}"
    rows = OVERLOADS.get(key)
    if rows is None:
        rows = (f"({', '.join(parameters(owner, name, target, first))}) -> {_result(owner, name)}",)
    else:
        _used.add(key)
        if key not in OVERRIDDEN:
            _check(key, rows, target)
    if len(rows) > 1:
        decorators = ("@overload", *decorators)
    return [line for k, row in enumerate(rows)
            for line in _declaration(owner, name, row, decorators, "" if k else doc, room)]


def _groups(functions):
    """name -> other names of it, for functions that are the same, or made by the same code for the same row."""
    groups: dict = {}
    for name, target in sorted(functions.items()):
        groups.setdefault((target.__code__, target.__doc__), []).append(name)
    for names in groups.values():
        made = functions[names[0]].__name__
        name = made if made in names else names[0]
        yield name, [other for other in names if other != name]


def functions(owner, found, first="", room=WIDTH):
    """The lines that declare functions, each once, and then their other names."""
    lines, aliases = [], []
    for name, others in sorted(_groups(found)):
        lines += definition(owner, name, found[name], first, doc=inspect.getdoc(found[name]) or "", room=room)
        aliases += [f"{other} = {name}" for other in others]
    return lines + sorted(aliases)


# Classes --------------------------------------------------------------------------------------------------------------

def members(cls):
    """The attributes of a class that its stub has, in the order of their names."""
    found = {name: value for base in reversed(cls.__mro__[:-1]) for name, value in vars(base).items()
             if isinstance(value, (types.FunctionType, property, staticmethod, classmethod)) or name == "__hash__" and value}
    return {name: value for name, value in sorted(found.items())
            if name not in UNDECLARED and (not name.startswith("_") or name.endswith("__") or name == "_version")}


def class_definition(cls, constructor=None, base="", extra=()):
    """The lines that declare a class; `constructor`: the function that has the parameters of a call."""
    owner, room = cls.__name__, WIDTH - 4
    lines = list(extra)
    if constructor is not None:
        first = "cls" if "cls" in _names(constructor) else ""
        target = definition(owner, "__new__", constructor, first or "", room=room)
        lines += target
    plain = {}
    for name, value in members(cls).items():
        if isinstance(value, property):
            lines += _property(owner, name, value, room)
        elif isinstance(value, (staticmethod, classmethod)):
            kind = type(value).__name__
            lines += definition(owner, name, value.__func__, "cls" if kind == "classmethod" else "", (f"@{kind}",),
                                inspect.getdoc(value.__func__) or "", room)
        elif name.startswith("__"):
            lines += definition(owner, name, value, "self", room=room)
        else:
            plain[name] = value
    lines += functions(owner, plain, "self", room)
    head = f"class {owner}{f'({base})' if base else ''}:"
    body = [*_description(inspect.getdoc(cls), WIDTH), *(f"    {line}" for line in lines)]
    return [head, *(body or ["    ..."]), ""]


def _property(owner, name, value, room):
    kind = _look_up(RESULTS, owner, name) or "Tensor"
    lines = _declaration(owner, name, f"(self) -> {kind}", ("@property",), value.__doc__ or "", room)
    if value.fset:
        lines += _declaration(owner, name, f"(self, value: {kind}) -> None", (f"@{name}.setter",), "", room)
    if value.fdel:
        lines += _declaration(owner, name, "(self) -> None", (f"@{name}.deleter",), "", room)
    return lines
