"""SciPy's special functions of scalars, for compiled code.

``scipy.special.cython_special`` has them as C functions. Machine code names them by symbols of ours, which `load` makes known
to the linker, so a kernel that was cached runs in another process and with another SciPy. All compute in float64.
"""
import ctypes
from functools import cache

import llvmlite.binding as llvm
import numba
from llvmlite import ir
from numba.core import cgutils, types
from numba.core.typing import signature
from numba.extending import lower_builtin, type_callable

from .libmvec import PURE, Attributes

_BY_ARITY = {1: "erfinv erfcinv erfcx gammaln gamma rgamma psi log_ndtr ndtri i0 i0e i1 i1e j0 j1 y0 y1",
             2: "beta betaln gammainc gammaincc iv ive jv yv rel_entr stdtr",
             3: "betainc"}
ARITY = {name: arity for arity, names in _BY_ARITY.items() for name in names.split()}


def symbol(name):
    return f"tapegrad_special_{name}"


def _address(name):
    """Of the C function ``double name(double, ..., int)``; the int is Cython's own, and not read."""
    from scipy.special import cython_special
    wanted = f"double ({'double, ' * ARITY[name]}int __pyx_skip_dispatch)".encode()
    label, pointer = ctypes.pythonapi.PyCapsule_GetName, ctypes.pythonapi.PyCapsule_GetPointer
    label.restype, label.argtypes = ctypes.c_char_p, [ctypes.py_object]
    pointer.restype, pointer.argtypes = ctypes.c_void_p, [ctypes.py_object, ctypes.c_char_p]
    for prefix in ("", "__pyx_fuse_0", "__pyx_fuse_1"):              # several where there is a complex one, too
        capsule = cython_special.__pyx_capi__.get(prefix + name)
        if capsule is not None and label(capsule) == wanted:
            return pointer(capsule, wanted)
    raise RuntimeError(f"this SciPy offers no C function for scipy.special.{name}; tapegrad needs a version whose "
                       "scipy.special.cython_special has it")


@cache
def load(name):
    """Before a kernel that calls the function is compiled or loaded: Numba learns of functions when it begins to compile."""
    if not numba.config.DISABLE_JIT:
        function(name)
        llvm.add_symbol(symbol(name), _address(name))


@cache
def function(name):
    """What a rule calls: an object that compiled code knows; without the JIT, SciPy's own."""
    if numba.config.DISABLE_JIT:
        import scipy.special
        return getattr(scipy.special, name)
    arity = ARITY[name]

    def called(*operands):
        raise TypeError(f"{name} is for compiled code")

    def result(*operands):
        if all(isinstance(x, (types.Float, types.Integer, types.Boolean)) for x in operands):
            return signature(types.float64, *[types.float64] * arity)
        return None
    typer = (lambda x: result(x), lambda x, y: result(x, y), lambda x, y, w: result(x, y, w))[arity - 1]

    def lower(context, builder, sig, args):
        double, integer = ir.DoubleType(), ir.IntType(32)
        external = cgutils.get_or_insert_function(builder.module, ir.FunctionType(double, [double] * arity + [integer]),
                                                  symbol(name))
        external.attributes = Attributes(PURE)
        return builder.call(external, [*args, ir.Constant(integer, 0)])

    called.__name__ = called.__qualname__ = name
    type_callable(called)(lambda context: typer)
    lower_builtin(called, *[types.float64] * arity)(lower)
    return called
