"""Scalar functions whose calls LLVM can widen to glibc's libmvec.

Each function here is NumPy's of the same name, for real scalars. In compiled code a call on float64 or float32 becomes one
that the loop vectoriser may turn into a libmvec call for a whole register. Where libmvec, or a function in it, is missing, it
compiles to Numba's own scalar version; that is decided once, when this module is imported. The largest errors are 4 units in
the last place (log, float32; in float64 3.5, cos), and special values are those of NumPy.

``TAPEGRAD_VECTOR_LIBRARY=none`` in the environment leaves libmvec aside, as on a system without it: macOS, Windows, musl.

Machine code made through this module names symbols of libmvec: `FINGERPRINT` has to be part of what finds a cached kernel, and
this module is imported before one is loaded.
"""

import hashlib
import itertools
import math
import os
import platform

import llvmlite.binding as llvm
import numpy as np
from llvmlite import ir
from numba.core import cgutils, types
from numba.core.typing import signature
from numba.extending import lower_builtin, type_callable

_UNARY = ["exp", "exp2", "expm1", "log", "log2", "log10", "log1p", "sin", "cos", "tan", "arcsin", "arccos", "arctan",
          "sinh", "cosh", "tanh", "arcsinh", "arccosh", "arctanh", "cbrt", "erf", "erfc"]
_BINARY = ["power", "arctan2", "hypot"]

SWITCH = "TAPEGRAD_VECTOR_LIBRARY"
_chosen = os.environ.get(SWITCH) or "libmvec"
if _chosen not in ("libmvec", "none"):
    raise ValueError(f"{SWITCH} is 'none', 'libmvec' or not set, not {_chosen!r}")

# Letter of the vector ABI -> bytes in one register; nothing on a machine that glibc has no vector functions for.
ISAS = {"x86_64": {"b": 16, "d": 32, "e": 64}, "aarch64": {"n": 16}}.get(platform.machine(), {}) if _chosen == "libmvec" else {}

# Raise when the code emitted below changes meaning: old caches must not match.
_REVISION = 2


def symbol_of(isa, name, bits):
    """The libmvec symbol for a function, and the lanes it works on."""
    lanes = ISAS[isa] * 8 // bits
    arguments = "vv" if name in _BINARY else "v"
    stem = {"power": "pow"}.get(name, name.replace("arc", "a"))
    return f"_ZGV{isa}N{lanes}{arguments}_{stem}{'f' if bits == 32 else ''}", lanes


def _load():
    """Make libmvec visible to the JIT; map usable symbols to their function."""
    if not ISAS:
        return {}
    try:
        llvm.load_library_permanently("libmvec.so.1")
    except Exception:  # No such library: another system or another C library.
        return {}
    every = itertools.product(ISAS, _UNARY + _BINARY, (32, 64))
    found = {symbol_of(*key)[0]: key[1] for key in every}
    return {symbol: name for symbol, name in found.items() if llvm.address_of_symbol(symbol)}


SYMBOLS = _load()

_digest = hashlib.sha256("\n".join(sorted(SYMBOLS)).encode()).hexdigest()[:12]
FINGERPRINT = f"libmvec-{_REVISION}-{_digest}" if SYMBOLS else f"scalar-{_REVISION}"


class Attributes(ir.values.FunctionAttributes):
    """llvmlite's set admits neither newer names nor key="value" attributes."""

    _known = ir.values.FunctionAttributes._known | {"speculatable", "willreturn"}

    def __init__(self, names, raw=()):
        super().__init__(names)
        self._raw = list(raw)

    def _to_list(self, ret_type):
        return super()._to_list(ret_type) + self._raw


def isa_of(target):
    """The ABI for the processor that code is generated for: a triple, its name, its features."""
    if "n" in ISAS:
        return "n"
    _, cpu, features = target
    features = features.split(",")
    # LLVM keeps to 256 bits on Intel's AVX-512 processors, where a function of
    # 512 bits would leave loops scalar.
    if "+avx512f" in features and cpu.startswith("znver"):
        return "e"
    return "d" if "+avx2" in features else "b"


def found(target, name, bits):
    """(the symbol of a function for a processor, its lanes), or (None, 1) where it has to be computed one by one."""
    symbol, lanes = symbol_of(isa_of(target), name, bits) if SYMBOLS else (None, 1)
    return (symbol, lanes) if symbol in SYMBOLS else (None, 1)


# Nothing but a value comes out of these calls (errno and the floating point
# flags are not observed), so LLVM may hoist, merge and drop them; speculatable
# ones it may also make for every lane of a loop that calls under a condition.
PURE = ["nounwind", "readnone", "willreturn"]
# Inlined, the call would no longer be one that the vectoriser can map.
_MAPPABLE = [*PURE, "noinline", "speculatable"]


def _narrow(module, name, wide, lanes, raw=()):
    """Define `name`: the vector function `wide` on fewer lanes (1: a scalar).

    The operands are repeated in the lanes left over, because an idle lane with
    a value of its own might take a slow path.
    """
    wide_type = wide.ftype.return_type
    narrow_type = ir.VectorType(wide_type.element, lanes) if lanes > 1 else wide_type.element
    arity, i32 = len(wide.args), ir.IntType(32)

    def pick(builder, x, count):
        mask = ir.Constant(ir.VectorType(i32, count), [i % lanes for i in range(count)])
        return builder.shuffle_vector(x, ir.Constant(x.type, ir.Undefined), mask)

    function = ir.Function(module, ir.FunctionType(narrow_type, [narrow_type] * arity), name)
    function.linkage = "linkonce_odr"
    function.attributes = Attributes(_MAPPABLE, raw)
    builder = ir.IRBuilder(function.append_basic_block())
    operands = function.args
    if lanes == 1:
        blank = ir.Constant(wide_type, ir.Undefined)
        operands = [builder.insert_element(blank, x, i32(0)) for x in operands]
    result = builder.call(wide, [pick(builder, x, wide_type.count) for x in operands])
    builder.ret(pick(builder, result, lanes) if lanes > 1 else builder.extract_element(result, i32(0)))
    return function


def _entry(module, scalar_type, symbol, lanes, arity):
    """Define, once a module, the scalar function that stands for `symbol`.

    It computes through the vector function itself rather than through libm, so
    that an element's value does not depend on whether it fell in the vectorised
    part of a loop or in its tail.  Its body also keeps the vector functions in
    the module until the vectoriser looks for them.
    """
    name = f"scalar{symbol}"
    if name in module.globals:
        return module.globals[name]
    vector_type = ir.VectorType(scalar_type, lanes)
    vector = cgutils.get_or_insert_function(
        module, ir.FunctionType(vector_type, [vector_type] * arity), symbol
    )
    vector.attributes = Attributes(PURE)
    variants = [(lanes, vector)]
    if isinstance(scalar_type, ir.FloatType):
        # A loop that also calls float64 functions has half as many lanes.
        variants.append((lanes // 2, _narrow(module, f"half{symbol}", vector, lanes // 2)))
    mapping = ",".join(f"_ZGV_LLVM_N{n}{'v' * arity}_{name}({f.name})" for n, f in variants)
    raw = [f'"vector-function-abi-variant"="{mapping}"']
    return _narrow(module, name, variants[-1][1], 1, raw)


def _signature(*args):
    """float32 when every argument is; float64 for any other real scalars."""
    if not all(isinstance(a, (types.Float, types.Integer, types.Boolean)) for a in args):
        return None
    real = types.float32 if all(a == types.float32 for a in args) else types.float64
    return signature(real, *[real] * len(args))


def _define(name):
    implementation = getattr(np, name, None) or getattr(math, name)
    if name in _BINARY:
        def function(x, y):
            return implementation(x, y)

        def scalar(x, y):
            return implementation(x, y)

        def typer(x, y):
            return _signature(x, y)
    else:
        def function(x):
            return implementation(x)

        def scalar(x):
            return implementation(x)

        def typer(x):
            return _signature(x)

    def lower(context, builder, sig, args):
        real = sig.return_type
        symbol, lanes = found(context.codegen().magic_tuple(), name, real.bitwidth)
        if symbol is not None:
            kind = context.get_value_type(real)
            return builder.call(_entry(builder.module, kind, symbol, lanes, len(args)), args)
        if name == "cbrt":                   # Numba's own is a power, some units in the last place off
            kind = context.get_value_type(real)
            libm = cgutils.get_or_insert_function(builder.module, ir.FunctionType(kind, [kind]),
                                                  name + ("f" if real == types.float32 else ""))
            return builder.call(libm, args)
        return context.compile_internal(builder, scalar, sig, args)

    # Findable by name in this module, so that a closure holding it is pickled as
    # a reference: Numba's cache key must be the same in every process.
    function.__name__ = function.__qualname__ = name
    function.__doc__ = f"`{name}` of real scalars, open to vectorisation in nopython code."
    type_callable(function)(lambda context: typer)
    for real in (types.float32, types.float64):
        lower_builtin(function, *[real] * (2 if name in _BINARY else 1))(lower)
    return function


MATH = {name: _define(name) for name in _UNARY + _BINARY}
globals().update(MATH)
