"""Writes the stubs that type checkers and editors read: ``python -m tapegrad._stubs``; ``--check`` compares them.

The public names are put together while tapegrad is imported, from the op table among others, so the stubs are written
from what is there then. Names, parameters, defaults and descriptions come from the objects. Types come from
`tables`, by the names of parameters and functions: a parameter that no entry fits is an error, and so is an entry that
fits nothing. Where the type of a result depends on the arguments, the signatures are written out, in OVERLOADS, and
their parameters are compared with the function's.
"""
import argparse
import ast
import inspect
import pathlib
import re
import sys
import textwrap
import types

import numpy as np

import tapegrad

from .. import autograd, fft, linalg, nn, optim, optimize, plot, progress, special, stats, testing
from ..autograd import function, functional
from ..autograd.hooks import RemovableHandle
from ..autograd.node import Node
from ..ops import BY_NAME
from ..replay import Tape
from ..stats.base import Continuous, Discrete
from ..tensor import algebra
from ..tensor.core import Tensor
from ..tensor.creation import legacy_tensor
from ..tensor.structure import reductions
from .tables import CONFLICTS, HIDING, OVERLOADS, OVERRIDDEN, PARAMETERS, RESULTS, UNDECLARED

ROOT = pathlib.Path(__file__).parents[1]
WIDTH = 120
NAMESPACES = (fft, linalg, special)          # modules of functions

_used: set = set()


def _look_up(table, owner, *names):
    """The entry of the longest name that there is, or None."""
    whole = ".".join(names)
    for key in (f"{owner}.{whole}", whole, names[-1]):
        if key in table:
            _used.add(key)
            return table[key]
    return None


# Definitions ----------------------------------------------------------------------------------------------------------

def _own(target, first):
    """The parameters of a function; without the one that `first` stands for, where they are those of a method."""
    found = list(inspect.signature(target).parameters.values())
    method = first and isinstance(target, types.FunctionType) and found[0].kind is not inspect.Parameter.VAR_POSITIONAL
    return found[1:] if method else found


def parameters(owner, name, target, first=""):
    """The parameters of a function as a stub has them."""
    out, keywords = [first] if first else [], False
    for p in _own(target, first):
        if p.name == "operands":             # it counts them itself
            arity = inspect.getclosurevars(target).nonlocals["op"].arity
            others = [f"{x}: TensorLike" for x in "xyw"[bool(first):arity]]
            return [*out, *others, "/"] if others else out
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


def _result(owner, name):
    kind = _look_up(RESULTS, owner, name)
    if kind is None and owner in map(short_name, NAMESPACES):
        kind = "Tensor"
    if kind is None and owner not in HIDING:
        raise LookupError(f"the result of {owner}.{name} has no type; give it an entry in RESULTS")
    return kind or ("Self" if owner == "Tensor" and re.search(r"[^_]_$", name) else "Tensor")


def _check(key, rows, target):
    """That signatures which are written out have the function's parameters."""
    written = set()
    for row in rows:
        arguments = ast.parse(f"def f{row}: ...").body[0].args
        written |= {a.arg for a in (*arguments.args, *arguments.kwonlyargs, *filter(None, [arguments.vararg]))}
    real = {p.name for p in _own(target, written & {"self", "cls"})}
    if written - {"self", "cls"} != real:
        raise LookupError(f"{key} has the parameters {sorted(real)}, and in OVERLOADS {sorted(written)}")


def _description(doc, room):
    """The first paragraph of a docstring."""
    text = " ".join((doc or "").split("\n\n")[0].split())
    return textwrap.wrap(f'"""{text}"""', room, initial_indent="    ", subsequent_indent="    ") if text else []


def _declaration(owner, name, signature, decorators=(), doc="", room=WIDTH, ignored=None):
    """The lines of one signature."""
    if owner in HIDING:
        signature = re.sub(r"\b(float|int|bool)\b", r"_\1", signature)
    end = ("" if doc else " ...") + (f"  # type: ignore[{ignored}]" if ignored else "")
    line = f"def {name}{signature}:{end}"
    if len(line) > room:
        inside, _, result = signature[1:].rpartition(") -> ")
        inside = re.sub(r"(?<!,) | (?![\w*/]+(:|,|$))", "\0", inside)           # lines break before a parameter
        inside = textwrap.fill(inside, room, initial_indent="    ", subsequent_indent="    ").replace("\0", " ")
        line = f"def {name}(\n{inside}\n) -> {result}:{end}"
    return [*decorators, *line.split("\n"), *_description(doc, room)]


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
    decorators = ("@overload", *decorators) if len(rows) > 1 else decorators
    lines = []
    for row in rows:
        lines += _declaration(owner, name, row, decorators, doc if row is rows[0] else "", room,
                              CONFLICTS.get(key) if row is rows[-1] else None)
    return lines


def functions(owner, found, first="", room=WIDTH):
    """The lines that declare functions, and their other names."""
    groups: dict = {}                        # functions that are the same, or made by the same code for the same row
    for name, target in sorted(found.items()):
        groups.setdefault((target.__code__, target.__doc__), []).append(name)
    lines, aliases = {}, []
    for names in groups.values():
        made = found[names[0]].__name__
        name = min(names, key=lambda n: (n != made, n.rstrip("_") not in BY_NAME))
        lines[name] = definition(owner, name, found[name], first, doc=inspect.getdoc(found[name]), room=room)
        aliases += [f"{other} = {name}" for other in names if other != name]
    return [*(line for name in sorted(lines) for line in lines[name]), *sorted(aliases)]


def members(cls, base=object):
    """The attributes that the stub of a class has; without those that it inherits from `base`, which has a stub of its own."""
    kinds = (types.FunctionType, property, staticmethod, classmethod)
    found = {name: value for owner in reversed(cls.__mro__[:cls.__mro__.index(base)]) for name, value in vars(owner).items()
             if isinstance(value, kinds) and not {name, f"{cls.__name__}.{name}"} & UNDECLARED}
    return {name: value for name, value in sorted(found.items())
            if not name.startswith("_") or name.endswith("__") or name == "_version"}


def class_definition(cls, constructor=None, extra=(), base="", inherits=object):
    """The lines that declare a class; `constructor`: what has the parameters of a call; `inherits`: see `members`."""
    owner, room = cls.__name__, WIDTH - 4
    lines, methods = list(extra), {}
    if constructor is not None:
        lines += definition(owner, "__new__", constructor, "cls", room=room)
    for name, value in members(cls, inherits).items():
        if isinstance(value, property):
            lines += _property(owner, name, value, room)
        elif isinstance(value, (staticmethod, classmethod)):
            kind, target = type(value).__name__, value.__func__
            lines += definition(owner, name, target, "cls" if kind == "classmethod" else "", (f"@{kind}",),
                                inspect.getdoc(target), room)
        elif name.startswith("__"):
            lines += definition(owner, name, value, "self", room=room)
        else:
            methods[name] = value
    lines += functions(owner, methods, "self", room)
    body = [*_description(inspect.getdoc(cls), WIDTH), *(f"    {line}" for line in lines)]
    return [f"class {owner}{base}:", *(body or ["    ..."]), ""]


def _property(owner, name, value, room):
    kind = _result(owner, name)
    lines = _declaration(owner, name, f"(self) -> {kind}", ("@property",), value.__doc__, room)
    if value.fset:
        lines += _declaration(owner, name, f"(self, value: {kind}) -> None", (f"@{name}.setter",), room=room)
    if value.fdel:
        lines += _declaration(owner, name, "(self) -> None", (f"@{name}.deleter",), room=room)
    return lines


# Files ----------------------------------------------------------------------------------------------------------------

_HEADER = "# Written by `python -m tapegrad._stubs`; what to change stands there, or in the functions themselves.\n"
_STANDARD = {
    "builtins": ("bool as _bool", "float as _float", "int as _int"),
    "collections.abc": ("Callable", "Iterable", "Iterator", "Sequence"),
    "numbers": ("Real",),
    "os": ("PathLike",),
    "types": ("EllipsisType", "ModuleType"),
    "typing": ("Any", "Literal", "NamedTuple", "SupportsIndex", "TypeAlias", "TypeVar", "overload"),
}
_INSTALLED = {
    "numpy.typing": ("ArrayLike", "DTypeLike", "NDArray"),
    "typing_extensions": ("Never", "Self", "TypeIs"),
}
_TUPLES = (algebra.EigResult, algebra.EighResult, algebra.LstsqResult, algebra.QRResult, algebra.SVDFactors,
           algebra.SVDResult, algebra.SlogdetResult, reductions.AminmaxResult)
_TYPES = ("Array", "Complex", "Device", "Index", "Node", "Number", "Profile", "RemovableHandle", "Tape", "Tensor", "TensorLike",
          "ValuesIndices",
          *(made.__name__ for made in _TUPLES))
_VARIABLES = {
    "_F": '_F = TypeVar("_F", bound=Callable[..., Any])',
    "_Y": '_Y = TypeVar("_Y", Tensor, tuple[Tensor, ...])',
}
_ALIASES = """\
Array: TypeAlias = NDArray[Any]
Number: TypeAlias = float | Real | np.floating[Any] | np.integer[Any] | np.bool_
TensorLike: TypeAlias = Tensor | Number | Array | list[Any] | tuple[Any, ...]
_Part: TypeAlias = SupportsIndex | slice | EllipsisType | Tensor | Array | list[Any] | None
Index: TypeAlias = _Part | tuple[_Part, ...]

class Device(str):
    \"""Where a tensor is: always the CPU.\"""
    @property
    def type(self) -> str: ...
    index: None  # type: ignore[assignment]

class Size(int):
    \"""The number of elements; called, the lengths of the axes, or of one.\"""
    @overload
    def __call__(self, dim: None = None) -> tuple[int, ...]: ...
    @overload
    def __call__(self, dim: int) -> int: ...

class ProfileRow(NamedTuple):
    operation: str
    records: int
    elements: int
    forward: float
    backward: float
    bytes: int

class Profile:
    \"""Time and bytes by operation; it prints as a table.\"""
    rows: list[ProfileRow]
    total: ProfileRow
    sweeps: tuple[float, float]
    def __len__(self) -> int: ...
    def __iter__(self) -> Iterator[ProfileRow]: ...

class ValuesIndices(tuple[Tensor, Tensor]):
    \"""A pair with names, as PyTorch gives it.\"""
    @property
    def values(self) -> Tensor: ...
    @property
    def indices(self) -> Tensor: ...
"""


def _import(module, names):
    plain = sorted((name for name in names if " as " not in name), key=lambda name: (name[0].islower(), name.lower()))
    line = f"from {module} import {', '.join(plain)}"
    if len(line) > WIDTH:
        line = "\n".join([f"from {module} import (", *(f"    {name}," for name in plain), ")"])
    return [*([line] if plain else []), *(f"from {module} import {name}" for name in names if " as " in name)]


def _file(body, types_from="", local=None, public=()):
    """A stub with what it imports. `local`: module -> names, for the relative imports besides those from _types."""
    text = "\n".join(body)
    text = "\n".join([*(line for name, line in _VARIABLES.items() if re.search(rf"\b{name}\b", text)), "", text])
    words = set(re.findall(r"\w+", text)) | set(public)

    def used(names):
        return [name for name in names if name.split()[-1] in words]

    local = {module: list(names) for module, names in (local or {}).items()}
    if types_from:
        local.setdefault(types_from, []).extend(used(_TYPES))
    blocks = [[line for module, names in _STANDARD.items() for line in _import(module, used(names))],
              (["import numpy as np"] if "np" in words else [])
              + [line for module, names in _INSTALLED.items() for line in _import(module, used(names))],
              [line for module, names in local.items() for line in _import(module, names)]]
    if public:
        names = ", ".join(f'"{name}"' for name in public)
        blocks.append(textwrap.wrap(f"__all__ = [{names}]", WIDTH, subsequent_indent=" " * len("__all__ = [")))
    parts = ["\n".join(block) for block in blocks if block]
    return _HEADER + "\n\n".join([*parts, text.strip(), ""]).rstrip() + "\n"


def public_names():
    """All that users reach as tg.name, also what a star-import leaves out."""
    return sorted(name for name in dir(tapegrad) if not name.startswith("_"))


def root_stub():
    """``tapegrad/__init__.pyi``."""
    lines, legacy, found, modes, bars = ["__version__: str"], [], {}, [], []
    for name in public_names():
        value = getattr(tapegrad, name)
        if isinstance(value, np.dtype):
            lines.append(f"{name}: np.dtype[np.{'bool_' if value.kind == 'b' else value.name}]")
        elif value is None or isinstance(value, float):
            lines.append(f"{name}: {'None' if value is None else '_float'}")
        elif name in autograd.__all__ and value is getattr(autograd, name):
            modes.append(name)
        elif name in progress.__all__:
            bars.append(name)
        elif isinstance(value, types.FunctionType):
            found[name] = value
        elif name.endswith("Tensor") and value is not Tensor:            # classes whose instances are Tensors
            legacy += definition("tapegrad", name, types.MethodType(value.__new__, value), doc=value.__doc__)
    spaces = [name if name in tapegrad.__all__ else f"{name} as {name}" for name in tapegrad._NAMESPACES]
    local = {".": ["autograd", *spaces], "._types": ["Device as device"], ".autograd": modes, ".progress": bars}
    return _file([*lines, "", *legacy, *functions("tapegrad", found)], "._types", local, tapegrad.__all__)


def types_stub():
    """``tapegrad/_types.pyi``: the Tensor, and what else functions take and give."""
    tuples = [line for made in _TUPLES for line in (f"class {made.__name__}(NamedTuple):",
                                                    *(f"    {name}: Tensor" for name in made._fields), "")]
    body = [_ALIASES, *tuples, *class_definition(fft.Complex, fft.Complex, base="(tuple[Tensor, Tensor])"),
            *class_definition(Node), *class_definition(RemovableHandle), *class_definition(Tape),
            *class_definition(Tensor, types.MethodType(legacy_tensor, Tensor), ("def __hash__(self) -> _int: ...",))]
    return _file(body)


def autograd_stub():
    """``tapegrad/autograd/__init__.pyi``."""
    lines, found, local = [], {}, {".": [], ".function": []}
    for name in autograd.__all__:
        value = getattr(autograd, name)
        if isinstance(value, types.ModuleType):
            local["."].append(name)
        elif isinstance(value, types.FunctionType):
            found[name] = value
        elif value.__module__ == function.__name__:
            local[".function"].append(name)
        elif issubclass(value, Exception):
            lines += class_definition(value, base=f"({value.__base__.__name__})")
        elif value is not Node:
            lines += class_definition(value, value)
    return _file([*lines, *functions("autograd", found)], ".._types", {".._types": [], **local}, autograd.__all__)


def short_name(module):
    return module.__name__.rpartition(".")[2]


def namespace_stub(module, types_from="._types"):
    """The stub of a module of functions."""
    found = {name: getattr(module, name) for name in module.__all__}
    others = [f"{name} = np.linalg.{name}" for name, value in found.items() if value is np.linalg.LinAlgError]
    declared = functions(short_name(module), {name: f for name, f in found.items() if isinstance(f, types.FunctionType)})
    return _file([*others, *declared], types_from, public=module.__all__)


def optimize_stub():
    """``tapegrad/optimize/__init__.pyi``: the arguments that every call gives; all others are SciPy's."""
    return _file([*functions("optimize", {name: getattr(optimize, name) for name in optimize.__all__}),
                  "def __getattr__(name: str) -> Any: ..."], ".._types", public=optimize.__all__)


def progress_stub():
    """``tapegrad/progress.pyi``."""
    return _file([*class_definition(progress.set_progress, progress.set_progress), *functions("progress", {"bar": progress.bar})])


def stats_stub():
    """``tapegrad/stats/__init__.pyi``: the classes of the distributions, and what is of which."""
    lines, found = [], {name: getattr(stats, name) for name in stats.__all__}
    kinds = {name: next((base for base in (Continuous, Discrete) if isinstance(value, base)), type(value))
             for name, value in found.items()}
    for kind in dict.fromkeys(kinds.values()):
        lines += class_definition(kind)
    for name, value in found.items():
        lines += [f"{name}: {kinds[name].__name__}", f'"""{inspect.getdoc(type(value)).splitlines()[0]}"""']
    return _file(lines, ".._types", public=stats.__all__)


def function_stub():
    """``tapegrad/autograd/function.pyi``."""
    context = ("needs_input_grad: tuple[bool, ...]", "def __getattr__(self, name: str) -> Any: ...",
               "def __setattr__(self, name: str, value: Any) -> None: ...")
    return _file([*class_definition(function.FunctionCtx, extra=context), *class_definition(function.Function),
                  *functions("function", {"once_differentiable": function.once_differentiable})], ".._types")


def functional_stub():
    """``tapegrad/autograd/functional.pyi``."""
    names = ("hessian", "hvp", "jacobian", "jvp", "vhp", "vjp")
    return _file(functions("functional", {name: getattr(functional, name) for name in names}), ".._types")


def nn_stub():
    """``tapegrad/nn/__init__.pyi``."""
    return _file([], local={".": nn.__all__}, public=nn.__all__)


def nn_functions_stub(module, types_from=".._types"):
    """The stub of a module of ``tapegrad.nn``."""
    names = module.__all__
    return _file(functions("nn", {name: getattr(module, name) for name in names}), types_from, public=names)


_ATTRIBUTES = {"Optimizer": ("param_groups: list[dict[str, Any]]", "defaults: dict[str, Any]"),
               "LRScheduler": ("last_epoch: int", "base_lrs: list[float | Tensor]", "optimizer: Optimizer")}


def classes_stub(module, base, types_from, local):
    """The stub of a module of classes that have a common base, and functions."""
    found = [getattr(module, name) for name in module.__all__]
    lines = []
    for value in sorted((v for v in found if isinstance(v, type)), key=lambda v: len(v.__mro__)):
        inherits = object if value is base else next(above for above in value.__mro__[1:] if above in found)
        lines += class_definition(value, value, _ATTRIBUTES.get(value.__name__, ()),
                                  "" if value is base else f"({inherits.__name__})", inherits)
    lines += functions(short_name(module), {v.__name__: v for v in found if isinstance(v, types.FunctionType)})
    return _file(lines, types_from, {types_from: [], **local}, module.__all__)


# Namespaces whose functions take and give arrays or Tensors, as it happens: for a checker, anything
_OPEN = ("array_api", "array_api/fft", "array_api/linalg", "numpy", "numpy/fft", "numpy/linalg", "numpy/random", "scipy",
         "scipy/linalg", "scipy/special", "scipy/stats")


def open_stub():
    """The stub of a namespace of which a checker knows no more than that its names are there."""
    return _file(["def __getattr__(name: str) -> Any: ..."])


def stubs():
    """The text of each stub, by its path."""
    texts = {ROOT / "__init__.pyi": root_stub(), ROOT / "_types.pyi": types_stub(),
             ROOT / "autograd" / "__init__.pyi": autograd_stub(), ROOT / "autograd" / "function.pyi": function_stub(),
             ROOT / "autograd" / "functional.pyi": functional_stub(), ROOT / "nn" / "__init__.pyi": nn_stub(),
             ROOT / "nn" / "functional" / "__init__.pyi": nn_functions_stub(nn.functional, "..._types"),
             ROOT / "nn" / "utils.pyi": nn_functions_stub(nn.utils),
             ROOT / "optim" / "__init__.pyi": classes_stub(optim, optim.Optimizer, ".._types", {".": ["lr_scheduler"]}),
             ROOT / "optim" / "lr_scheduler.pyi": classes_stub(optim.lr_scheduler, optim.lr_scheduler.LRScheduler, ".._types",
                                                               {".": ["Optimizer"]}),
             ROOT / "optimize" / "__init__.pyi": optimize_stub(), ROOT / "stats" / "__init__.pyi": stats_stub(),
             ROOT / "testing" / "__init__.pyi": namespace_stub(testing, ".._types"),
             ROOT / "plot" / "__init__.pyi": namespace_stub(plot, ".._types"), ROOT / "progress.pyi": progress_stub(),
             **{ROOT / f"{short_name(module)}.pyi": namespace_stub(module) for module in NAMESPACES},
             **{ROOT / (f"{name}.pyi" if "/" in name else f"{name}/__init__.pyi"): open_stub() for name in _OPEN}}
    unused = {*PARAMETERS, *RESULTS, *OVERLOADS} - _used
    if unused:
        raise LookupError(f"nothing has these names any more, so take their types away: {', '.join(sorted(unused))}")
    return texts


def main(arguments=None):
    parser = argparse.ArgumentParser(prog="python -m tapegrad._stubs", description=__doc__.split("\n\n")[0])
    parser.add_argument("--check", action="store_true", help="write nothing, and fail where a stub is not up to date")
    check = parser.parse_args(arguments).check
    stale = [path for path, text in stubs().items() if not path.exists() or path.read_text(encoding="utf-8") != text]
    for path in stale:
        print(f"{path.relative_to(ROOT.parent)} {'is not up to date' if check else 'written'}")
        if not check:
            path.write_text(stubs()[path], encoding="utf-8")
    return 1 if check and stale else 0
