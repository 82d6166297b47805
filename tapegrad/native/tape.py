"""The tape of compiled functions: records of local partials in chunks of memory, written and swept by compiled code.

A record joins two variables: the addresses of their adjoints, the partial by each, and its own adjoint, to begin with 0:

    i, j, p, q, adjoint        two addresses, and three values of the tape's type

There is no opcode. The reverse sweep (variables.py) adds ``p * adjoint`` at `i` and ``q * adjoint`` at `j`, from the last record
to the first. The adjoints of what is differentiated by are no records: their addresses lie in the array that becomes the
gradient.

Chunks never move. A tape belongs to one call, which takes it from a pool and gives it back, so that every thread, and every call
within a call, has one of its own, and memory is warm when it comes to the next.
"""
import os

import llvmlite.binding as llvm
import numpy as np
from llvmlite import ir
from numba.core import cgutils, types
from numba.extending import intrinsic

from .._jit import at, kept

CURSOR, END, CHUNK, FIRST, TOTAL = range(5)  # of a tape: where the next record goes, the chunk's end, the chunk, the first, bytes
PREVIOUS, NEXT, STOP, SIZE = range(4)        # of a chunk: its neighbours, where its records end, its bytes
HEADER = 128                                 # bytes at the start of a chunk: more than an adjoint takes
SMALLEST, LARGEST = 1 << 16, 1 << 24         # bytes of the first chunk, and of those that a long recording asks for
KEPT = 1 << 26                               # bytes that a tape keeps for the next call; the rest goes back to the system
LIMIT, SLOTS = 0, 64                         # of the pool: the most bytes that a tape may have; then places for tapes


def _memory():
    """Bytes of memory in this machine; where that is not known, 16 GiB."""
    try:
        return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    except (AttributeError, ValueError, OSError):
        return 1 << 34


POOL = np.zeros(1 + SLOTS, np.int64)
POOL[LIMIT] = _memory() // 2
_SYMBOL = "tapegrad_native_pool"
llvm.add_symbol(_SYMBOL, POOL.ctypes.data)


# Memory ---------------------------------------------------------------------------------------------------------------

@intrinsic
def _pool(typingctx):
    """The address of the pool, by a symbol: machine code of another process finds its own."""
    def codegen(context, builder, signature, arguments):
        word = ir.IntType(64)
        if _SYMBOL in builder.module.globals:
            variable = builder.module.globals[_SYMBOL]
        else:
            variable = ir.GlobalVariable(builder.module, word, _SYMBOL)
        return builder.ptrtoint(variable, word)
    return types.int64(), codegen


@intrinsic
def _exchange(typingctx, address, value):
    """Puts a word at an address, and gives the one that was there, as one step."""
    def codegen(context, builder, signature, arguments):
        pointer = builder.inttoptr(arguments[0], ir.IntType(64).as_pointer())
        return builder.atomic_rmw("xchg", pointer, arguments[1], "seq_cst")
    return types.int64(types.int64, types.int64), codegen


@intrinsic
def _put_where_empty(typingctx, address, value):
    """Puts a word where a 0 is, as one step, and says whether one was."""
    def codegen(context, builder, signature, arguments):
        pointer = builder.inttoptr(arguments[0], ir.IntType(64).as_pointer())
        pair = builder.cmpxchg(pointer, ir.Constant(ir.IntType(64), 0), arguments[1], "seq_cst", "seq_cst")
        return builder.extract_value(pair, 1)
    return types.boolean(types.int64, types.int64), codegen


@intrinsic
def _allocate(typingctx, size):
    """The address of new memory, 0 where there is none."""
    def codegen(context, builder, signature, arguments):
        return builder.ptrtoint(context.nrt.allocate_unchecked(builder, arguments[0]), ir.IntType(64))
    return types.int64(types.int64), codegen


@intrinsic
def _free(typingctx, address):
    def codegen(context, builder, signature, arguments):
        context.nrt.free(builder, builder.inttoptr(arguments[0], cgutils.voidptr_t))
        return context.get_dummy_value()
    return types.void(types.int64), codegen


@intrinsic
def load(typingctx, address, like):
    """The value of the type of `like` at an address."""
    def codegen(context, builder, signature, arguments):
        pointer = builder.inttoptr(arguments[0], context.get_data_type(like).as_pointer())
        return context.unpack_value(builder, like, pointer)
    return like(types.int64, like), codegen


def _tagged(builder, instruction, what):
    """Tells LLVM that memory of one kind is none of another kind: a cursor can stay in a register while records are written."""
    module = builder.module
    kind = module.add_metadata([f"tapegrad {what}", module.add_metadata(["tapegrad memory"]), ir.IntType(64)(0)])
    instruction.set_metadata("tbaa", module.add_metadata([kind, kind, ir.IntType(64)(0)]))
    return instruction


@intrinsic
def store(typingctx, address, value):
    """Writes a value to an address in a record, or of an adjoint."""
    def codegen(context, builder, signature, arguments):
        data = context.data_model_manager[value].as_data(builder, arguments[1])
        _tagged(builder, builder.store(data, builder.inttoptr(arguments[0], data.type.as_pointer())), "record")
        return context.get_dummy_value()
    return types.void(types.int64, value), codegen


@intrinsic
def _field(typingctx, tape, k):
    """A number in the head of a tape."""
    def codegen(context, builder, signature, arguments):
        pointer = builder.inttoptr(arguments[0], ir.IntType(64).as_pointer())
        return _tagged(builder, builder.load(builder.gep(pointer, [arguments[1]])), "head")
    return types.int64(types.int64, types.int64), codegen


@intrinsic
def _put_field(typingctx, tape, k, value):
    def codegen(context, builder, signature, arguments):
        pointer = builder.inttoptr(arguments[0], ir.IntType(64).as_pointer())
        _tagged(builder, builder.store(arguments[2], builder.gep(pointer, [arguments[1]])), "head")
        return context.get_dummy_value()
    return types.void(types.int64, types.int64, types.int64), codegen


@intrinsic
def zero_of(typingctx, like):
    """The zero of the type of `like`."""
    def codegen(context, builder, signature, arguments):
        return context.get_constant_null(like)
    return like(like), codegen


@intrinsic
def size_of(typingctx, like):
    """How many bytes a value of the type of `like` takes."""
    def codegen(context, builder, signature, arguments):
        return context.get_constant(types.int64, context.get_abi_sizeof(context.get_data_type(like)))
    return types.int64(like), codegen


# Life -----------------------------------------------------------------------------------------------------------------

@kept()
def acquire():
    """A tape for the one who calls: one of the pool, or a new one."""
    pool = _pool()
    for k in range(1, 1 + SLOTS):
        if at(pool, np.int64)[k] != 0:
            tape = _exchange(pool + 8 * k, 0)
            if tape != 0:
                return tape
    tape = _allocate(8 * (TOTAL + 1))
    if tape == 0:
        raise MemoryError("there is no memory for a tape")
    t = at(tape, np.int64)
    for k in range(TOTAL + 1):
        t[k] = 0
    return tape


@kept()
def rewind(tape):
    """Forgets the records."""
    t = at(tape, np.int64)
    chunk = t[FIRST]
    if chunk != 0:
        t[CHUNK], t[CURSOR], t[END] = chunk, chunk + HEADER, chunk + at(chunk, np.int64)[SIZE]


@kept()
def release(tape):
    """Gives a tape back; what it recorded is gone."""
    t = at(tape, np.int64)
    chunk = t[FIRST]
    if chunk != 0 and t[TOTAL] > KEPT:
        t[TOTAL] = at(chunk, np.int64)[SIZE]
        extra = at(chunk, np.int64)[NEXT]
        at(chunk, np.int64)[NEXT] = 0
        while extra != 0:
            following = at(extra, np.int64)[NEXT]
            _free(extra)
            extra = following
    rewind(tape)
    pool = _pool()
    for k in range(1, 1 + SLOTS):
        if at(pool, np.int64)[k] == 0 and _put_where_empty(pool + 8 * k, tape):
            return
    while chunk != 0:
        following = at(chunk, np.int64)[NEXT]
        _free(chunk)
        chunk = following
    _free(tape)


@kept()
def grow(tape):
    """The next chunk, where this one is full; gives the place of the next record."""
    t = at(tape, np.int64)
    chunk, following = t[CHUNK], 0
    if chunk != 0:
        at(chunk, np.int64)[STOP] = t[CURSOR]
        following = at(chunk, np.int64)[NEXT]
    if following == 0:
        size = t[TOTAL] if t[TOTAL] > SMALLEST else SMALLEST
        size = size if size < LARGEST else LARGEST
        if t[TOTAL] + size <= at(_pool(), np.int64)[LIMIT]:
            following = _allocate(size)
        if following == 0:
            raise MemoryError("the tape of a compiled function doesn't fit into memory; record less: put the loop's body into a "
                              "function of its own under tg.checkpoint, or go forward (jvp, jacfwd), which keeps no tape")
        c = at(following, np.int64)
        c[PREVIOUS], c[NEXT], c[SIZE] = chunk, 0, size
        if chunk == 0:
            t[FIRST] = following
        else:
            at(chunk, np.int64)[NEXT] = following
        t[TOTAL] += size
    t[CHUNK], t[END] = following, following + at(following, np.int64)[SIZE]
    return following + HEADER


@intrinsic
def _grown(typingctx, tape):
    """A call of `grow` that stays one: put in its place at every record, its code would be most of the machine code."""
    signature = types.Dispatcher(grow).get_call_type(typingctx, (types.int64,), {})

    def codegen(context, builder, _, arguments):
        compiled = grow.overloads[signature.args]
        context.add_linking_libs([compiled.library])
        function = context.declare_function(builder.module, compiled.fndesc)
        status, result = context.call_conv.call_function(builder, function, signature.return_type, signature.args, arguments)
        call = next(i for i in reversed(builder.block.instructions) if isinstance(i, ir.CallInstr))
        call.attributes.add("noinline")
        with builder.if_then(status.is_error, likely=False):
            context.call_conv.return_status_propagate(builder, status)
        return result
    return signature.return_type(types.int64), codegen


# Records --------------------------------------------------------------------------------------------------------------

@kept(forceinline=True)
def record(tape, i, p, j, q):
    """Joins the adjoints at `i` and `j`; gives the address of the new one."""
    width = size_of(p)
    size = 16 + 3 * width
    here = _field(tape, CURSOR)
    if here + size > _field(tape, END):
        here = _grown(tape)
    store(here, i)
    store(here + 8, j)
    store(here + 16, p)
    store(here + 16 + width, q)
    adjoint = here + 16 + 2 * width
    store(adjoint, zero_of(p))
    _put_field(tape, CURSOR, here + size)
    return adjoint
