"""The transforms of compiled functions: sweeps over the program of the way that a call takes.

Derivatives of derivatives are programs, too: a Hessian is the Jacobian of the recorded gradient. What can't be replayed is left
to the transform of the plain function.
"""
import functools
import threading

import numpy as np

from ..tape import state
from ..tensor.core import Tensor, float64, tracked, wrap
from ..tensor.elementwise import size_of
from ..transforms import gradients
from ..transforms.call import positions
from ..transforms.trees import ends, filled, mapped, matched
from .batches import batched
from .compiled import TRANSFORMS, Signature
from .entry import PUT, SLOPE, VALUE, WHOLE, entry_of
from .graph import is_input
from .machine import Tangent, jacobian_code


def transform(make):
    """Declares how a transform of a compiled function is made: ``make(compiled, plain, ...)`` with the transform's arguments;
    ``plain(...)`` is the transform of the plain function."""
    TRANSFORMS[make.__name__] = make
    return make


def _replaying(compiled, kind="", argnums=((), True)):
    """Names a wrapper after the function, and lets vmap know that it replays arrays; and, for a `kind` of derivative, how it is
    made for many samples."""
    def decorate(wrapper):
        functools.update_wrapper(wrapper, compiled.function, updated=())
        wrapper.replays = True
        if kind:
            wrapper.batched = batched(compiled, wrapper, kind, argnums)
        return wrapper
    return decorate


def begin(compiled, numbers, arguments, keywords, output=None):
    """A run of a compiled function, to be differentiated by the arguments of these numbers; None where it can't be replayed."""
    if state().recorder is not None or (state().anomaly and compiled.eager):
        return None
    if not keywords and all([type(x) is np.ndarray for x in arguments]):
        entered = compiled.enter(arguments)
        if entered is not None and _good(numbers, len(arguments)):
            site, program, workspace = entered
            k = program.scalar[output] if output else None
            if (workspace.run() if k is None else workspace.run_gradient(k)) is None:
                site.replayed += 1
                return Run(program, workspace, [p % len(arguments) for p in numbers], [arguments[p] for p in numbers], False)
            program.give(workspace)
    if not _good(numbers, len(arguments)):
        return None                          # the plain transform says so
    for p in numbers:
        if type(arguments[p]) is not np.ndarray or arguments[p].dtype.kind != "f":
            arguments = [*arguments[:p], mapped(_floating, arguments[p]), *(arguments[p + 1:] if p != -1 else ())]
    signature = Signature(arguments, keywords)
    if signature.tensors and any([tracked(x) for x in signature.tensors]):
        return None
    wanted, tensors = [], False
    for p in numbers:
        start, stop = signature.spans[p]
        if type(arguments[p]) is not np.ndarray:
            values = ends(arguments[p])
            if len(values) != stop - start:
                return None
            tensors = tensors or any([isinstance(value, Tensor) for value in values])
        wanted.extend(range(start, stop))
    if signature.dtype != float64 and any([type(signature.arrays[i]) is float for i in wanted]):
        return None
    here = state()
    here.tracing += 1                        # what cuts a derivative warns where it is recorded
    try:
        run = compiled.run(signature, arguments, keywords, output)
    finally:
        here.tracing -= 1
    return None if run is None else Run(*run, wanted, [arguments[p] for p in numbers], tensors)


def _narrows(program, numbers, arguments):
    """Whether a float among those that are differentiated by is of fewer digits in the program than in its derivative."""
    return program.dtype != float64 and any([type(x) is float for p in numbers for x in ends(arguments[p])])


def _good(numbers, count):
    """Whether these are different ones of so many arguments."""
    return all([-count <= p < count for p in numbers]) and len({p % count for p in numbers}) == len(numbers)


def _floating(value):
    """Whole numbers as floats, as users write starting values."""
    if type(value) is int:
        return float(value)
    if isinstance(value, (np.ndarray, np.integer)) and value.dtype.kind in "iu":
        return value.astype(np.float64)
    return value


class Run:
    """What a compiled function gave, ready for derivatives by `wanted`, the numbers of inputs. Its workspace is its own."""

    def __init__(self, program, workspace, wanted, trees, tensors):
        self.program, self.workspace, self.wanted, self.trees, self.tensors = program, workspace, wanted, trees, tensors
        self.lock = threading.Lock()         # of what is handed out and may be called by several threads

    def done(self):
        self.program.give(self.workspace)

    def back(self, array):
        """A copy of an array, as the user gets it."""
        return wrap(array.copy()) if self.tensors else array.copy()[()]

    def structured(self, values, single):
        """Values for the wanted inputs in the form of the arguments."""
        values = iter(values)
        parts = [next(values) if is_input(tree) else filled(tree, values) for tree in self.trees]
        return parts[0] if single else tuple(parts)

    def outputs(self, has_aux=False):
        """(the tree of the value; for each of its ends the number of the output, or None; the value; what else came out)."""
        tree, whole = self.program.tree, self.program.ends
        values = [self.back(self.workspace.found[k]) if k is not None else value for k, value in whole]
        if not has_aux:
            return tree, [k for k, _ in whole], filled(tree, values), None
        count = len(ends(tree[0]))
        return (tree[0], [k for k, _ in whole[:count]], filled(tree[0], values[:count]), filled(tree[1], values[count:]))

    def pull(self, numbers, cotangents):
        """The gradients by the wanted inputs, views, for cotangents of outputs (None for a constant one)."""
        given = [None] * len(self.program.outputs)
        for k, cotangent in zip(numbers, cotangents):
            if k is not None:
                given[k] = cotangent
        slopes = self.workspace.pull(given)
        return [slopes[i] for i in self.wanted]

    def push(self, numbers, tangents):
        """The tangents of outputs for those of the wanted inputs."""
        given = [None] * len(self.program.inputs)
        for i, tangent in zip(self.wanted, tangents):
            if tangent is not None:
                given[i] = tangent if given[i] is None else given[i] + tangent
        found = self.workspace.push(given)
        return [found[k] if k is not None else _zeros_of(self.program.ends[n][1]) for n, k in enumerate(numbers)]

    def vectors(self, tree, shapes, given, what):
        """Arrays for the ends of a tree, from a tree of that form; None where a Tensor that requires grad is among them."""
        arrays = []
        for shape, value in zip(shapes, matched(tree, given, what)):
            if isinstance(value, Tensor):
                if tracked(value):
                    return None
                value = value._array()
            value = np.asarray(value, self.program.dtype)
            if value.shape != shape:
                raise ValueError(f"{what} must have the shape of what it belongs to, {shape}, and {value.shape} was given")
            arrays.append(value)
        return arrays

    def shapes(self, numbers):
        return [self.program.outputs[k][1] if k is not None else np.shape(self.program.ends[n][1]) for n, k in enumerate(numbers)]


def _zeros_of(constant):
    """The tangent of a part of the value that depends on nothing, as eager execution gives it."""
    return np.zeros_like(constant._array() if isinstance(constant, Tensor) else constant)


# Gradients ------------------------------------------------------------------------------------------------------------

@transform
def value_and_grad(compiled, plain, argnums=0, has_aux=False, *, argnum=None):
    return _gradient(compiled, plain(argnums, has_aux, argnum=argnum), positions(argnums, argnum), has_aux, True)


@transform
def grad(compiled, plain, argnums=0, has_aux=False, *, argnum=None):
    eager = gradients.value_and_grad(compiled.function, argnums, has_aux, argnum=argnum)
    return _gradient(compiled, eager, positions(argnums, argnum), has_aux, False)


def _gradient(compiled, eager, argnums, has_aux, with_value):
    """`eager`: value and gradient of the plain function."""
    numbers, single = argnums
    kind = "aux" if has_aux else "value"
    entry = None                             # of the way that was taken last

    @_replaying(compiled, "" if has_aux else "value_and_grad" if with_value else "grad", argnums)
    def wrapper(*arguments, out=None, **keywords):
        if entry is not None and not keywords:
            result = entry(arguments, out)
            if result is not None:
                return result
        return slowly(arguments, out, keywords)

    def slowly(arguments, out, keywords):
        nonlocal entry
        entered = None if keywords or has_aux else compiled.enter(arguments)
        if entered is not None:
            site, program, workspace = entered
            k, count = program.scalar[kind], len(arguments)
            if (k is not None and _good(numbers, count) and not _narrows(program, numbers, arguments)
                    and workspace.run_gradient(k) is None):
                site.replayed += 1
                value = workspace.found[k]
                value = value.copy() if value.ndim else value[()]
                parts = [_part(arguments, p % count, PUT if single else SLOPE) for p in numbers]
                parts = parts[0] if single else (tuple, *parts)
                gradient = _slopes(workspace, parts, out is None)
                if out is not None:
                    gradient = _put(gradient, out)
                entry = entry_of(site, program, workspace, arguments, (tuple, (VALUE, k), parts) if with_value else parts, k)
                program.waiting.append(workspace)
                return (value, gradient) if with_value else gradient
            program.give(workspace)
        run = begin(compiled, numbers, arguments, keywords, kind)
        k = None if run is None else run.program.scalar[kind]
        if k is None:
            if run is not None:
                run.done()
            value, gradient = eager(*arguments, **keywords)
            if out is not None:
                gradient = _put(gradient, out)
        else:
            slopes = run.workspace.slopes
            if out is None:
                gradient = run.structured([run.back(slopes[i]) for i in run.wanted], single)
            else:
                gradient = _put(run.structured([slopes[i] for i in run.wanted], single), out)
            value = run.back(run.workspace.found[k])
            if has_aux:
                value = value, run.outputs(True)[3]
            run.done()
        if with_value:
            return value, gradient
        return (gradient, value[1]) if has_aux else gradient
    return wrapper


def _part(arguments, number, kind):
    """What the gradient by one of some arguments that `Compiled.enter` took consists of; see entry_of."""
    start = number + sum([len(x) - 1 for x in arguments[:number] if type(x) in (list, tuple)])
    x = arguments[number]
    return (type(x), *[(SLOPE, start + k) for k in range(len(x))]) if type(x) in (list, tuple) else (kind, start)


def _slopes(workspace, part, copied):
    """That of the slopes of inputs which makes up a part of a result."""
    if part[0] in (list, tuple):
        return part[0]([_slopes(workspace, inner, copied) for inner in part[1:]])
    slope = workspace.slopes[part[1]]
    return (workspace.given(slope) if slope.ndim else slope[()]) if copied else slope


def _put(gradient, out):
    """Copies a gradient into the arrays of `out`, of its form; gives `out`."""
    if type(out) is np.ndarray and type(gradient) is np.ndarray and out.shape == gradient.shape and out.dtype == gradient.dtype:
        out[...] = gradient
        return out
    if isinstance(gradient, (np.ndarray, np.generic, Tensor)):
        pairs = [(gradient, out)]
    else:
        pairs = list(zip(ends(gradient), matched(gradient, out, "out=")))
    for g, target in pairs:
        if not isinstance(target, np.ndarray) or target.shape != np.shape(g):
            raise ValueError(f"out= takes an array of the gradient's shape, {np.shape(g)}, and "
                             f"{getattr(target, 'shape', type(target).__name__)} was given")
        value = g._array() if isinstance(g, Tensor) else np.asarray(g)
        if not np.can_cast(value.dtype, target.dtype, "same_kind"):
            raise TypeError(f"out= takes an array of floats, as the gradient is of {value.dtype}, and one of {target.dtype} "
                            "was given")
        target[...] = value
    return out


@transform
def elementwise_grad(compiled, plain, argnums=0, *, argnum=None):
    eager = plain(argnums, argnum=argnum)
    numbers, single = positions(argnums, argnum)

    @_replaying(compiled)
    def wrapper(*arguments, **keywords):
        run = begin(compiled, numbers, arguments, keywords)
        if run is None:
            return eager(*arguments, **keywords)
        _, outputs, _, _ = run.outputs()
        found = run.pull(outputs, [np.ones(shape) for shape in run.shapes(outputs)])
        result = run.structured([run.back(g) for g in found], single)
        run.done()
        return result
    return wrapper


def gradient_of(compiled, argnums):
    """The gradient of a compiled function, as a compiled function."""
    key = tuple(argnums) if isinstance(argnums, (tuple, list)) else argnums
    with compiled.lock:
        if key not in compiled.transformed:
            compiled.transformed[key] = type(compiled)(gradients.grad(compiled.function, argnums), compiled.limit, compiled.tier)
        return compiled.transformed[key]


@transform
def hvp(compiled, plain, x, v):
    result = _product(compiled, plain, 0, (x,), {}, v)
    compiled.ready["hvp"] = gradient_of(compiled, 0).products.get(0)
    return result


@transform
def hessian_vector_product(compiled, plain, argnum=0):
    eager = plain(argnum)
    (number,), _ = positions(argnum)

    @_replaying(compiled)
    def wrapper(*arguments, **keywords):
        if len(arguments) < 2:
            return eager(*arguments, **keywords)
        return _product(compiled, lambda *_: eager(*arguments, **keywords), number, arguments[:-1], keywords, arguments[-1])
    return wrapper


def _product(compiled, plain, number, arguments, keywords, v):
    gradient = gradient_of(compiled, number)
    entry = gradient.products.get(number)
    if entry is not None and not keywords:
        result = entry((*arguments, v), None)
        if result is not None:
            return result
    entered = gradient.enter(arguments) if not keywords and type(v) is np.ndarray else None
    if entered is not None:
        found = _along(*entered, arguments, number, v)
        if found is not None:
            gradient.products[number] = found[1]
            return found[0]
    run = begin(gradient, (number,), arguments, keywords)
    if run is None:
        return plain(*arguments, v)
    tree = run.trees[0]
    given = run.vectors(tree, [run.program.inputs[i] for i in run.wanted], v, "the vector")
    if given is None:
        run.done()
        return plain(*arguments, v)
    _, outputs, _, _ = run.outputs()
    result = run.structured([run.back(t) for t in run.push(outputs, given)], True)
    run.done()
    return result


def _along(site, program, workspace, arguments, number, v):
    """(the tangent of a program with one output along one of an input, an array, by machine code; an entry to that); None where
    there is none, or a guard did not hold."""
    found = None
    if program.tree == 0 and program.ends[0][0] is not None and -len(arguments) <= number < len(arguments) == len(program.inputs):
        number %= len(arguments)
        shape = program.inputs[number]
        if type(arguments[number]) is np.ndarray and v.shape == shape and v.dtype.kind == "f":
            wanted = Tangent(shape, program.outputs[0][1], number)
            bound = workspace.coded(wanted)
            if bound is not None:
                bound.slopes[0][...] = v
                if workspace.run_bound(bound) is None:
                    site.replayed += 1
                    found = bound.slopes[1].copy()[()], entry_of(site, program, workspace, (*arguments, v),
                                                                 (WHOLE, wanted.shape), wanted)
    program.give(workspace)
    return found


# Products -------------------------------------------------------------------------------------------------------------

@transform
def vjp(compiled, plain, *primals, has_aux=False):
    run = begin(compiled, range(len(primals)), primals, {}) if primals else None
    if run is None:
        return plain(*primals, has_aux=has_aux)
    run.workspace.own()
    tree, outputs, value, aux = run.outputs(has_aux)

    def pull(cotangent):
        given = run.vectors(tree, run.shapes(outputs), cotangent, "the cotangent")
        if given is None:
            return plain(*primals, has_aux=has_aux)[1](cotangent)
        with run.lock:
            return run.structured([run.back(g) for g in run.pull(outputs, given)], False)
    return (value, pull, aux) if has_aux else (value, pull)


@transform
def jvp(compiled, plain, primals, tangents, has_aux=False):
    usable = isinstance(primals, (tuple, list)) and isinstance(tangents, (tuple, list)) and primals
    run = begin(compiled, range(len(primals)), primals, {}) if usable else None
    given = run and run.vectors(tuple(run.trees), [run.program.inputs[i] for i in run.wanted], tuple(tangents), "the tangents")
    if given is None:
        return plain(primals, tangents, has_aux=has_aux)
    tree, outputs, value, aux = run.outputs(has_aux)
    tangent = _pushed(run, tree, outputs, given)
    run.done()
    return (value, tangent, aux) if has_aux else (value, tangent)


def _pushed(run, tree, outputs, given):
    return filled(tree, [run.back(t) for t in run.push(outputs, given)])


@transform
def linearize(compiled, plain, *primals):
    run = begin(compiled, range(len(primals)), primals, {}) if primals else None
    if run is None:
        return plain(*primals)
    run.workspace.own()
    tree, outputs, value, _ = run.outputs()

    def push(*tangents):
        given = run.vectors(tuple(run.trees), [run.program.inputs[i] for i in run.wanted], tangents, "the tangents")
        if given is None:
            return plain(*primals)[1](*tangents)
        with run.lock:
            return _pushed(run, tree, outputs, given)
    return value, push


# Jacobians ------------------------------------------------------------------------------------------------------------

@transform
def jacobian(compiled, plain, argnums=0, has_aux=False, *, argnum=None):
    return _jacobian(compiled, plain(argnums, has_aux, argnum=argnum), positions(argnums, argnum), has_aux, None)


@transform
def jacrev(compiled, plain, argnums=0, has_aux=False):
    return _jacobian(compiled, plain(argnums, has_aux), positions(argnums), has_aux, False)


@transform
def jacfwd(compiled, plain, argnums=0, has_aux=False):
    return _jacobian(compiled, plain(argnums, has_aux), positions(argnums), has_aux, True)


@transform
def hessian(compiled, plain, argnums=0, *, argnum=None):
    argnums = argnums if argnum is None else argnum
    return _jacobian(gradient_of(compiled, argnums), plain(argnums), positions(argnums), False, None)


def _jacobian(compiled, eager, argnums, has_aux, forward):
    numbers, single = argnums
    entry = None                             # of the way that was taken last

    @_replaying(compiled, "" if has_aux or not single else "jacobian", argnums)
    def wrapper(*arguments, **keywords):
        if entry is not None and not keywords:
            result = entry(arguments, None)
            if result is not None:
                return result
        return slowly(arguments, keywords)

    def slowly(arguments, keywords):
        nonlocal entry
        entered = None if keywords or has_aux or not single else compiled.enter(arguments)
        if entered is not None:
            found = _by_machine(*entered, arguments, numbers[0])
            if found is not None:
                entry = found[1]
                return found[0]
        run = begin(compiled, numbers, arguments, keywords)
        if run is None:
            return eager(*arguments, **keywords)
        tree, outputs, _, aux = run.outputs(has_aux)
        shapes, inputs = run.shapes(outputs), [run.program.inputs[i] for i in run.wanted]
        blocks = [[np.zeros((*y, *x), run.program.dtype) for x in inputs] for y in shapes]
        sizes = [sum([size_of(shape) for shape in some]) for some in (inputs, shapes)]
        ahead = sizes[0] < sizes[1] if forward is None else forward
        (_columns if ahead else _rows)(run, outputs, blocks)
        result = filled(tree, [run.structured([run.back(block) for block in row], single) for row in blocks])
        run.done()
        return (result, aux) if has_aux else result
    return wrapper


def _by_machine(site, program, workspace, arguments, number):
    """(the Jacobian by one argument, an array or a float, from machine code; an entry to that); None where there is none, or a
    guard did not hold."""
    found = None
    if -len(arguments) <= number < len(arguments) == len(program.inputs) and not _narrows(program, (number,), arguments):
        number %= len(arguments)
        if number not in program.jacobians:
            program.jacobians[number] = jacobian_code(program, number)
        wanted = program.jacobians[number]
        bound = None if wanted is None else workspace.coded(wanted)
        if bound is not None and workspace.run_bound(bound) is None:
            site.replayed += 1
            found = bound.slopes[0].copy()[()], entry_of(site, program, workspace, arguments, (WHOLE, wanted.shape), wanted)
    program.give(workspace)
    return found


def _rows(run, outputs, blocks):
    """Fills in Jacobians by a backward sweep for each element of the outputs."""
    for row, k in zip(blocks, outputs):
        if k is not None and not run.program.is_constant(k):
            found = run.workspace.jacobian(k, run.wanted)
            _spread(found, row)


def _columns(run, outputs, blocks):
    """The same by a forward sweep for each element of the inputs."""
    given = [(n, run.program.outputs[k][0]) for n, k in enumerate(outputs) if k is not None]
    for j, i in enumerate(run.wanted):
        found = run.workspace.jacobian_columns(i, [record for _, record in given])
        _spread(found, [blocks[n][j] for n, _ in given], True)


def _spread(found, blocks, transposed=False):
    """Parts of the rows of a matrix, or their columns, into blocks."""
    start = 0
    for block in blocks:
        if not block.size:
            continue
        matrix = block.reshape(-1, len(found)) if transposed else block.reshape(len(found), -1)
        width = matrix.shape[0] if transposed else matrix.shape[1]
        part = found[:, start:start + width]
        matrix[...] = part.T if transposed else part
        start += width
