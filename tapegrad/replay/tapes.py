"""``record``: the program of one run of a function, to look at, run, differentiate, save and load."""
import functools

import numpy as np

from .._jit import disk
from ..tape import state
from ..transforms.call import check_function
from . import anomalies, drawing, files, profiling, text
from .compiled import TRANSFORMS, Compiled, Signature, record_program
from .environment import Environment
from .program import Unsupported
from .workspace import Workspace


def record(function, *arguments, **keywords):
    """Runs a function and gives the :class:`Tape` of what it computed.

    Floats and arrays of floats are the tape's inputs; integers, text and other objects are part of it. RuntimeError where the
    function can't be replayed, with the reason: it draws random numbers, say, or computes in Python.

    >>> import numpy as np, tapegrad as tg
    >>> tape = tg.record(lambda x: (x ** 2).sum(), np.array([1.0, 2.0]))
    >>> tape.forward(np.array([3.0, 4.0]))
    np.float64(25.0)
    >>> print(tape)
    #  operation  operands  shape  value
    0  input                (2,)   [1, 2]
    1  square     #0        (2,)   [1, 4]
    2  sum        #1        ()     5           output
    """
    check_function(function, "record")
    signature = Signature(arguments, keywords)
    environment = Environment(function)
    try:
        if signature.mixed:
            raise Unsupported("its arguments are of float64 and float32")
        if not signature.arrays:
            raise Unsupported("none of its arguments is a floating number or array")
        if environment.reason:
            raise Unsupported(environment.reason)
        program, _ = record_program(function, signature, arguments, keywords, environment)
    except Unsupported as unsupported:
        raise RuntimeError(f"record of a function that can't be replayed: {unsupported}") from None
    return Tape(program, arguments, keywords)


class Tape(Compiled):
    """A recorded program: calls with other values of its inputs replay it, and so do its derivatives, ``tg.grad(tape)``.

    It holds for arguments of the shapes, dtypes and objects that it was recorded with, and as long as every decision that was
    taken on a value comes out the same; RuntimeError otherwise. ``len(tape)`` is the number of its records, ``print(tape)``
    a table of them. It can be saved, and pickled.
    """

    eager = False

    def __init__(self, program, arguments, keywords):
        super().__init__(_missing)
        self.program, self.arguments, self.keywords = program, tuple(arguments), dict(keywords)
        signature = Signature(self.arguments, self.keywords)
        self.key, self.inputs = _normal(signature.key), [np.array(x) for x in signature.arrays]
        self.statics = signature.statics

    def __len__(self):
        return len(self.program)

    def forward(self, *arguments, **keywords):
        """What the recorded function gives for other values of its inputs."""
        return self(*arguments, **keywords)

    def vjp(self, *primals):
        """The value, and a function that gives products of a vector with the Jacobian; see :func:`tapegrad.vjp`."""
        return TRANSFORMS["vjp"](self, _missing, *primals)

    def jvp(self, primals, tangents):
        """The value and its derivative in the direction of `tangents`; see :func:`tapegrad.jvp`."""
        return TRANSFORMS["jvp"](self, _missing, primals, tangents)

    def enter(self, arguments):
        return None                          # the way of functions with many paths

    def run(self, signature, arguments, keywords, output=None):
        program = self.program
        if _normal(signature.key) != self.key:
            raise self._unlike(arguments, keywords)
        workspace = program.take()
        workspace.put(signature.arrays)
        k = program.scalar[output] if output else None
        broken = workspace.run() if k is None else workspace.run_gradient(k)
        if broken is not None:
            program.give(workspace)
            raise RuntimeError(f"for these values the recorded function takes another way, since it is not so that {broken}; "
                               "record it for them, or use tg.compile, which keeps several ways")
        if search := state().anomaly:
            anomalies.check(search, program, signature.arrays, k)
        return program, workspace

    def _unlike(self, arguments, keywords):
        return ValueError(f"the tape was recorded with arguments {text.described(self.arguments, self.keywords)}, and got "
                          f"{text.described(arguments, keywords)}; record it for those")

    def replayed(self, transform, arguments, keywords):
        if transform.__name__ in ("hvp", "hessian", "hessian_vector_product"):
            raise NotImplementedError(f"{transform.__name__} of a tape: it has no function to record the gradient of; record "
                                      "that, tg.record(tg.grad(f), x), and take the jvp or the jacobian of it")
        made = TRANSFORMS.get(transform.__name__)
        if made is None:
            raise NotImplementedError(f"{transform.__name__} of a tape; use vjp or jvp")
        return made(self, functools.partial(transform, _missing), *arguments, **keywords)

    def values(self):
        """The value of each record for the inputs that it was recorded with, flat arrays."""
        workspace = Workspace(self.program, self.program.whole)
        workspace.put(self.inputs)
        workspace.run()
        return [workspace.value(i, (-1,)).copy() for i in range(len(self.program))]

    def stats(self):
        """What the tape holds, a dict: numbers of records, by operation, inputs, outputs, constants and guards, and bytes."""
        return text.stats(self.program)

    def profile(self, *arguments, repeats=5):
        """Time and bytes by operation, for these arguments or those that the tape was recorded with: an object that prints as a
        table, and has ``rows``, ``total`` and the times of whole ``sweeps``.

        Each record is run for itself by the kernels of the interpreter, with what it reads in cache, forward and, where an
        output depends on it, backward; the least of `repeats` times counts, and is without the time to go from one record to
        the next. Records of one element are run as short loops. Machine code, which joins records, is not what is measured.
        Bytes are those of the results; adjoints take as many.

        >>> import numpy as np, tapegrad as tg
        >>> tape = tg.record(lambda x: (np.sin(x) ** 2).sum(), np.ones(1000))
        >>> [(row.operation, row.records, row.bytes) for row in sorted(tape.profile().rows)]
        [('sin', 1, 8000), ('square', 1, 8000), ('sum', 1, 8)]
        """
        if not isinstance(repeats, (int, np.integer)) or repeats < 1:
            raise ValueError(f"repeats is how often each record is run, at least once, not {repeats!r}")
        inputs = self.inputs
        if arguments:
            signature = Signature(arguments, self.keywords)
            if _normal(signature.key) != self.key:
                raise self._unlike(arguments, self.keywords)
            inputs = signature.arrays
        return profiling.profile(self.program, inputs, repeats)

    def to_dot(self):
        """The graph in the language of Graphviz, text that a notebook shows as a picture; of a small one also without it."""
        return drawing.program_to_dot(self.program)

    def _repr_svg_(self):
        return self.to_dot()._repr_svg_()

    def _repr_html_(self):
        return self.to_dot()._repr_html_()

    def __str__(self):
        return text.table(self.program, self.values())

    def __repr__(self):
        return f"<tape of {len(self)} records>"

    def save(self, path):
        """Writes the tape to a file, without any code, as a whole or not at all. ValueError for what a file can't hold, objects
        among the arguments; OSError where it can't be written, as on a full disk: what was there stays."""
        disk.write(path, files.written(self))

    @staticmethod
    def load(path):
        """The tape in a file. No code is run, and every record is checked to stay inside its memory; ValueError for a
        file that is damaged or no tape."""
        with open(path, "rb") as file:
            return _restored(file.read())

    def __reduce__(self):
        return _restored, (files.written(self),)


def _normal(key):
    """The key of a signature, in which a float and an array without axes are one."""
    if key is float:
        return (), np.dtype(np.float64)
    return tuple(map(_normal, key)) if isinstance(key, tuple) else key


def _restored(data):
    program, arguments, keywords = files.read(data)
    signature = Signature(arguments, keywords)
    if signature.mixed or signature.dtype != program.dtype or [np.shape(x) for x in signature.arrays] != program.inputs:
        raise files.damaged(f"its arguments are {text.described(arguments, keywords)}, and its records are of others")
    return Tape(program, arguments, keywords)


def _missing(*_, **__):
    raise NotImplementedError("a tape holds no Python function; what needs one (derivatives of derivatives in a graph, arguments "
                              "that require grad in forward derivatives) is there for the function itself")


def explain(function):
    """Prints what a compiled function, or the one that a transform was made of, has recorded: for each signature its paths, their
    records, guards and use; or the table of a tape."""
    function = getattr(function, "recipe", (None, (function,)))[1][0]        # of what a transform made
    if isinstance(function, Tape):
        print(function)
    elif isinstance(function, Compiled):
        print(text.explained(function))
    else:
        raise TypeError(f"explain takes a compiled function or a tape, not {type(function).__name__}; compile it first, "
                        "tg.compile(f)")

