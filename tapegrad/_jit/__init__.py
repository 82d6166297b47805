"""Numba, wrapped: the only room that imports it.

Compiled code sees memory as addresses: ``at(address, np.float64)[i]`` is element `i`. The sweeps stay free of array
structures that way, a kernel of every operation has the same signature, and nothing is boxed on a call.

With ``NUMBA_DISABLE_JIT=1`` everything here has a Python double (ctypes for memory), for coverage and debuggers; with
``NUMBA_BOUNDSCHECK=1`` as well, one that checks every access to memory.
"""
import ctypes
import hashlib
import importlib.resources
import os
import pickle
import types as python_types
from functools import cache

import numba
import numpy as np
from llvmlite import ir
from numba.core import cgutils, types
from numba.core.caching import FunctionCache
from numba.core.registry import CPUDispatcher
from numba.core.runtime import rtsys
from numba.core.serialize import dumps
from numba.extending import intrinsic, typeof_impl

from . import disk, libmvec, plain
from .locks import uninterrupted

JIT = not numba.config.DISABLE_JIT
CHECKED = not JIT and bool(numba.config.BOUNDSCHECK)     # every access to memory is checked; see plain

# error_model: a division gives inf or nan as NumPy's does, and loops stay vectorisable. fastmath stays off: a derivative
# must not depend on what the optimizer could reorder.
_OPTIONS = {"error_model": "numpy", "nogil": True}

_REAL_TYPES = {np.float64: types.float64, np.float32: types.float32}
_FRAME_SIGNATURE = types.void(types.int64)


def refuse_argument(kind, why):
    """Lets the error of any function that Numba compiled say why it takes no argument of a class."""
    @typeof_impl.register(kind)
    def refuse(value, context):
        raise ValueError(why)


def inlined(function):
    """For short functions that compiled code calls: their code is put in place of the call before types are inferred, so that
    they don't go through the compiler themselves."""
    return numba.njit(inline="always", **_OPTIONS)(function) if JIT else plain.with_numpys_numbers(function)


def helper(function):
    """For longer functions that compiled code calls from several places: compiled once, and inlined by LLVM."""
    if not JIT:
        return plain.with_numpys_numbers(function)
    return numba.njit(no_cpython_wrapper=True, no_cfunc_wrapper=True, **_OPTIONS)(function)


# Memory ---------------------------------------------------------------------------------------------------------------

if JIT:
    @intrinsic
    def at(typingctx, address, dtype):
        """A pointer to elements of `dtype` at an integer address."""
        pointer = types.CPointer(dtype.instance_type)

        def codegen(context, builder, signature, arguments):
            return builder.inttoptr(arguments[0], context.get_value_type(pointer))
        return pointer(types.int64, dtype), codegen

    @intrinsic
    def call(typingctx, address, frame):
        """Calls the kernel at an address with the address of its frame."""
        def codegen(context, builder, signature, arguments):
            kernel = ir.FunctionType(ir.VoidType(), [ir.IntType(64)])
            builder.call(builder.inttoptr(arguments[0], kernel.as_pointer()), [arguments[1]])
            return context.get_dummy_value()
        return types.void(types.int64, types.int64), codegen

    @intrinsic
    def chosen(typingctx, condition, x, y):
        """`x` where the condition holds, otherwise `y`; both are computed, and there is no branch for the compiler to follow."""
        kind = typingctx.unify_types(x, y)

        def codegen(context, builder, signature, arguments):
            holds, *values = arguments
            holds = context.cast(builder, holds, condition, types.boolean)
            return builder.select(holds, *[context.cast(builder, value, given, kind) for value, given in zip(values, (x, y))])
        return kind(condition, x, y), codegen

    @intrinsic
    def invoke(typingctx, address, arguments):
        """Calls the C function at an address with a tuple of integers; what it gives is an integer, too."""
        def codegen(context, builder, signature, given):
            word, kinds = ir.IntType(64), signature.args[1].types
            parts = [context.cast(builder, part, kind, types.int64)
                     for part, kind in zip(cgutils.unpack_tuple(builder, given[1], len(kinds)), kinds)]
            function = ir.FunctionType(word, [word] * len(parts))
            return builder.call(builder.inttoptr(given[0], function.as_pointer()), parts)
        return types.int64(types.int64, arguments), codegen
else:
    _PYTHON_KERNELS = []

    def at(address, dtype):
        if CHECKED:
            return plain.Checked(address, dtype)
        return plain.pointer(address, dtype) if issubclass(dtype, np.integer) else plain.Reals(address, dtype)

    def call(address, frame):
        with np.errstate(all="ignore"):      # compiled code says nothing, either
            _PYTHON_KERNELS[address - 1](frame)

    def chosen(condition, x, y):
        return x if condition else y


@helper
def same_bytes(x, y, nbytes):
    """Whether so many bytes at two addresses are the same: all are read, whole registers at a time."""
    a, b, differs = at(x, np.int64), at(y, np.int64), np.int64(0)
    for k in range(nbytes // 8):
        differs |= a[k] ^ b[k]
    c, d = at(x, np.uint8), at(y, np.uint8)
    for k in range(nbytes // 8 * 8, nbytes):
        differs |= np.int64(c[k] != d[k])
    return differs == 0


# BLAS -----------------------------------------------------------------------------------------------------------------

if JIT:
    @intrinsic
    def gemm(typingctx, dtype, a_transposed, b_transposed, m, n, k, alpha, a, lda, b, ldb, c, ldc):
        """C += op(A) @ op(B) by columns, in memory at addresses; `alpha` is the address of a 1."""
        kind = {types.float64: "d", types.float32: "s"}[dtype.instance_type]
        result = types.void(dtype, a_transposed, b_transposed, *[types.int64] * 10)

        def codegen(context, builder, signature, arguments):
            byte, size, pointer = ir.IntType(8), ir.IntType(64), ir.IntType(8).as_pointer()
            function_type = ir.FunctionType(ir.IntType(32), [byte] * 3 + [size] * 3 + [pointer, pointer, size, pointer, size,
                                                                                     pointer, pointer, size])
            function = cgutils.get_or_insert_function(builder.module, function_type, "numba_xxgemm")
            _, ta, tb, m, n, k, alpha, a, lda, b, ldb, c, ldc = arguments

            def letter(flag, flag_type):
                flag = context.cast(builder, flag, flag_type, types.boolean)
                return builder.select(flag, ir.Constant(byte, ord("t")), ir.Constant(byte, ord("n")))

            def address(value):
                return builder.inttoptr(value, pointer)
            builder.call(function, [ir.Constant(byte, ord(kind)), letter(ta, signature.args[1]), letter(tb, signature.args[2]),
                                    m, n, k, address(alpha), address(a), lda, address(b), ldb, address(alpha),
                                    address(c), ldc])
            return context.get_dummy_value()
        return result, codegen

    @intrinsic
    def gemv(typingctx, dtype, a_transposed, m, n, alpha, a, x, y):
        """y += op(A) @ x for A of (m, n) by columns, in memory at addresses; `alpha` is the address of a 1."""
        kind = {types.float64: "d", types.float32: "s"}[dtype.instance_type]
        result = types.void(dtype, a_transposed, *[types.int64] * 6)

        def codegen(context, builder, signature, arguments):
            byte, size, pointer = ir.IntType(8), ir.IntType(64), ir.IntType(8).as_pointer()
            function_type = ir.FunctionType(ir.IntType(32), [byte] * 2 + [size] * 2 + [pointer, pointer, size] + [pointer] * 3)
            function = cgutils.get_or_insert_function(builder.module, function_type, "numba_xxgemv")
            _, ta, m, n, *addresses = arguments
            ta = context.cast(builder, ta, signature.args[1], types.boolean)
            letter = builder.select(ta, ir.Constant(byte, ord("t")), ir.Constant(byte, ord("n")))
            alpha, a, x, y = [builder.inttoptr(value, pointer) for value in addresses]
            builder.call(function, [ir.Constant(byte, ord(kind)), letter, m, n, alpha, a, m, x, alpha, y])
            return context.get_dummy_value()
        return result, codegen

    def load_blas():
        """Makes SciPy's BLAS known to the linker; before a kernel that calls it is compiled or loaded."""
        from numba.np.linalg import ensure_blas
        ensure_blas()
else:
    def gemm(dtype, a_transposed, b_transposed, m, n, k, alpha, a, lda, b, ldb, c, ldc):
        def matrix(address, rows, columns, lead):        # by columns
            if CHECKED and lead * columns:
                at(address, dtype)[0], at(address, dtype)[lead * columns - 1]
            flat = np.ctypeslib.as_array(plain.pointer(address, dtype), (lead * columns,))
            return flat.reshape(columns, lead)[:, :rows].T
        x = matrix(a, k, m, lda).T if a_transposed else matrix(a, m, k, lda)
        y = matrix(b, n, k, ldb).T if b_transposed else matrix(b, k, n, ldb)
        out = matrix(c, m, n, ldc)
        out += x @ y

    def gemv(dtype, a_transposed, m, n, alpha, a, x, y):
        count, length = (m, n) if a_transposed else (n, m)
        gemm(dtype, a_transposed, False, length, 1, count, alpha, a, m, x, count, y, length)

    def load_blas():
        pass


# Fingerprints ---------------------------------------------------------------------------------------------------------

@cache
def _sources():
    """A hash of every source that compiled code is made from, except the rules, which are hashed one by one."""
    digest = hashlib.sha256(f"{numba.__version__} {np.__version__} {libmvec.FINGERPRINT}".encode())
    package = importlib.resources.files(__package__.rpartition(".")[0])
    files = [package / "sweeps.py", package / "ops" / "frame.py", package / "ops" / "table.py",
             *(package / "native" / name for name in ("tape.py", "variables.py")),
             *(package / "_jit").iterdir(), *(package / "kernels").iterdir()]
    for file in sorted(files, key=lambda file: file.name):
        if file.name.endswith(".py"):
            digest.update(file.read_bytes())
    return digest.hexdigest()


def fingerprint(*functions):
    """A hash of what `functions` do: their code, constants, and the Python functions, numbers and arrays that they refer to.

    A cached kernel is found by it, so that an edited rule never meets the machine code of the old one.
    """
    digest, seen = hashlib.sha256(_sources().encode()), set()

    def visit(thing):
        thing = getattr(thing, "py_func", thing)         # what is inlined
        if isinstance(thing, python_types.CodeType):
            digest.update(thing.co_code)
            digest.update(repr((thing.co_names, thing.co_varnames, thing.co_freevars)).encode())
            for constant in thing.co_consts:
                visit(constant)
        elif isinstance(thing, python_types.FunctionType):
            if id(thing) not in seen:
                seen.add(id(thing))
                visit(thing.__code__)
                visit(thing.__defaults__)
                for cell in thing.__closure__ or ():
                    visit(cell.cell_contents)
                for name in _names(thing.__code__):
                    if name in thing.__globals__:
                        digest.update(name.encode())
                        visit(thing.__globals__[name])
        elif isinstance(thing, (tuple, list)):
            for item in thing:
                visit(item)
        elif isinstance(thing, (set, frozenset, dict)):
            for item in sorted(thing.items() if isinstance(thing, dict) else thing, key=repr):
                visit(item)
        elif isinstance(thing, (np.ndarray, np.generic)):
            digest.update(f"{thing.dtype} {np.shape(thing)}".encode() + np.ascontiguousarray(thing).tobytes())
        elif isinstance(thing, (int, float, complex, str, bytes, type(None))):
            digest.update(repr(thing).encode())
        else:                                # modules, types, NumPy's functions: by name
            digest.update(str(getattr(thing, "__qualname__", None) or getattr(thing, "__name__", type(thing))).encode())
    for function in functions:
        visit(function)
    return digest.hexdigest()


def _names(code):
    names = set(code.co_names)
    for constant in code.co_consts:
        if isinstance(constant, python_types.CodeType):
            names |= _names(constant)
    return sorted(names)


class _Cache(FunctionCache):
    """Numba's cache on disk with one file for each signature, found by fingerprint instead of by the time of a source file.

    All kernels have one signature: in an index that they share, two processes that fill it at once could leave one
    kernel's code under another's name. A cache that can't be read or written is no reason to fail, and code of which a bit is
    wrong is compiled anew.
    """

    def __init__(self, function, name, stamp):
        super().__init__(function if os.path.exists(function.__code__.co_filename) else _Cache.__init__)     # where to keep it
        self._label, self._stamp = name, stamp

    def path(self, sig):
        key = hashlib.sha256(repr((sig, numba.core.registry.cpu_target.target_context.codegen().magic_tuple())).encode())
        return os.path.join(self._cache_path, f"tapegrad-{self._label}-{self._stamp[:16]}-{key.hexdigest()[:12]}.nbc")

    def load_overload(self, sig, target_context):
        # Numba's own method first loads its whole standard library of overloads, for half a second; finished machine
        # code needs none of it but the runtime's symbols.
        try:
            with open(self.path(sig), "rb") as file:
                content = disk.unsealed(file.read())
            if content is None:
                return None
            rtsys.initialize(target_context)
            stamp, kind, data = pickle.loads(content)
            return self._impl.rebuild(target_context, data) if (stamp, kind) == (self._stamp, sig) else None
        except Exception:                    # no file, or one of another Numba: compile
            return None

    def save_overload(self, sig, data):
        try:
            if self._impl.check_cachable(data):
                self._impl.locator.ensure_cache_path()
                disk.write(self.path(sig), disk.sealed(dumps((self._stamp, sig, self._impl.reduce(data)))))
        except (OSError, pickle.PicklingError, TypeError):   # a full or read-only disk; what can't be pickled
            pass

    def flush(self):
        """Nothing is stale that is found by what it does."""


def keep(compilable, function, name, stamp):
    """Keeps machine code on disk, beside the file of a function, to be found by a name and a stamp."""
    try:
        compilable._cache = _Cache(function, name, stamp)
    except (RuntimeError, OSError):          # no folder that can be written: compile in each process
        pass


def kept(**options):
    """Decorates functions that compiled code calls as `helper` does; their machine code is kept on disk."""
    def decorate(function):
        if not JIT:
            return function
        dispatcher = numba.njit(no_cpython_wrapper=True, no_cfunc_wrapper=True, **_OPTIONS, **options)(function)
        keep(dispatcher, function, function.__name__, fingerprint(function))
        return dispatcher
    return decorate


# Compilation ----------------------------------------------------------------------------------------------------------

class _Patient(CPUDispatcher):
    """A dispatcher that no signal interrupts while it compiles."""

    def _compile_for_args(self, *arguments, **keywords):
        with uninterrupted():
            return super()._compile_for_args(*arguments, **keywords)


def patient(dispatcher):
    """The same dispatcher, which no signal interrupts while it compiles for a call."""
    dispatcher.__class__ = _Patient
    return dispatcher


def sweep(function):
    """Compiles a function of `int64` that gives an `int64`: a loop over a tape.

    What it gives is the bare entry point: a call costs half of what it costs through the dispatcher, which looks up the
    types of the arguments.
    """
    if not JIT:
        return function
    dispatcher = numba.njit(**_OPTIONS)(function)
    keep(dispatcher, function, function.__name__, fingerprint(function))
    with uninterrupted():
        dispatcher.compile(types.int64(*[types.int64] * function.__code__.co_argcount))
    compiled = dispatcher.overloads[dispatcher.signatures[0]]
    _SWEEPS[compiled.entry_point] = dispatcher, compiled
    return compiled.entry_point


def sweep_address(sweep):
    """Where what `sweep` gave begins as a C function."""
    _, compiled = _SWEEPS[sweep]
    return compiled.library.get_pointer_to_function(compiled.fndesc.llvm_cfunc_wrapper_name)


def kernel_address(function, name, *rules):
    """Compiles ``function(frame)`` to a C callback and gives its address; `name` and the code of `rules` find it on disk."""
    if not JIT:
        _PYTHON_KERNELS.append(function)
        return len(_PYTHON_KERNELS)
    return _callback(function, name, _FRAME_SIGNATURE, *rules)


def callback(function, name):
    """Compiles a function of `int64` that gives an `int64` to a C callback and gives its address; `name` finds it on disk."""
    return _callback(function, name, types.int64(*[types.int64] * function.__code__.co_argcount))


def _callback(function, name, signature, *rules):
    from numba.core.ccallback import CFunc
    made = CFunc(function, (signature.args, signature.return_type), locals={}, options=dict(_OPTIONS))
    keep(made, function, name, fingerprint(function, *rules))
    with uninterrupted():
        made.compile()
    _KEEP.append(made)
    return made.address


def kernel_on_disk(function, name, *rules):
    """Whether `kernel_address` will find machine code of an earlier process."""
    try:
        return JIT and os.path.exists(_Cache(function, name, fingerprint(function, *rules)).path(_FRAME_SIGNATURE))
    except (RuntimeError, OSError):          # no folder for it
        return False


_KEEP, _SWEEPS = [], {}                      # machine code lives as long as its object
