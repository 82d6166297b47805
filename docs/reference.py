"""The pages of the reference, from the docstrings of all public names; conf.py has them written in every build."""

import inspect
import re
import types

import tapegrad as tg
from tapegrad.ops import OPS
from tapegrad.ops.__main__ import family

PREFIX = "tapegrad."

# file, title, introduction, sections: a title, and the modules whose functions stand there
PAGES = [
    ("tensors", "Tensors", "Arrays of numbers that remember how they were computed. The names and meanings are PyTorch's; the "
     "default dtype is ``float64``.", [
        ("Making tensors", ["tensor.creation"]),
        ("Random numbers", ["tensor.random"]),
        ("Dtypes and devices", ["tensor.conversion", "tensor.properties"]),
        ("The class", ["tensor.core"]),
    ]),
    ("autograd", "Gradients of tensors", "``tg.autograd``, and those of its names that stand in ``tg`` as well.", [
        ("Backward", ["autograd"]),
        ("Modes", ["autograd.modes"]),
        ("Functions of your own", ["autograd.function", "autograd.node"]),
        ("Checks", ["autograd.check", "autograd.anomaly"]),
    ]),
    ("transforms", "Transforms of functions", "They take a function and give a function. Arrays in give arrays out, Tensors give "
     "Tensors; arguments may be tuples, lists and dicts of them. They nest in any order.", [
        ("Gradients", ["transforms.gradients"]),
        ("Jacobians and Hessians", ["transforms.jacobians", "transforms.sparse"]),
        ("Products with vectors", ["transforms.products"]),
        ("Batches", ["transforms.batches"]),
        ("Memory", ["transforms.checkpoints"]),
        ("Through solvers", ["transforms.implicit"]),
        ("Functions that Numba compiled", ["transforms.compiled"]),
    ]),
    ("compiled", "Recorded and compiled functions", "A function recorded once and replayed without Python; the tape itself.", [
        ("Compiled functions", ["replay.compiled"]),
        ("Tapes", ["replay.tapes"]),
        ("Pictures", ["replay.drawing"]),
    ]),
    ("elementwise", "Elementwise functions", "As functions (``tg.exp(x)``), as methods (``x.exp()``), and as NumPy's "
     "(``np.exp(x)``). `The list of operations <../operations.html>`_ has the formula of each derivative.", [
        ("Arithmetic", ["tensor.arithmetic", "ops.arithmetic", "ops.rounding"]),
        ("Exponentials and logarithms", ["ops.exponential"]),
        ("Trigonometric and hyperbolic", ["ops.trigonometric"]),
        ("Special functions", ["ops.special"]),
        ("Activations", ["ops.activations"]),
        ("Operations of your own", ["tensor.primitive"]),
    ]),
    ("comparison", "Comparisons, logic and bits", "They give bools and integers, and have no derivatives.", [
        ("Functions", ["tensor.comparison", "ops.relation"]),
    ]),
    ("reductions", "Reductions and scans", "Over all elements, or over ``axis`` (``dim`` is the same).", [
        ("Reductions", ["tensor.structure.reductions", "tensor.structure.quantiles"]),
        ("Along an axis", ["tensor.structure.scans"]),
    ]),
    ("shapes", "Shapes, joining, arranging", "Views share memory with their base, as in PyTorch and NumPy.", [
        ("Views", ["tensor.structure.views", "tensor.methods"]),
        ("Joining", ["tensor.structure.joining"]),
        ("Splitting", ["tensor.structure.splitting", "tensor.structure.indexing"]),
        ("Arranging", ["tensor.structure.arranging"]),
    ]),
    ("selection", "Indexing, sorting, searching", "Indexing itself is ``x[...]``, with NumPy's indices; ``x[...] = y`` writes.", [
        ("Selecting", ["tensor.structure.selection", "tensor.inplace"]),
        ("Sorting", ["tensor.structure.sorting"]),
        ("Searching and counting", ["tensor.structure.searching"]),
    ]),
    ("linalg", "Linear algebra", "``tg.linalg`` follows ``numpy.linalg``; products, and names that PyTorch has at its top, are "
     "in ``tg`` as well. The last two axes are a matrix, those before them a batch.", [
        ("Products", ["tensor.structure.products", "tensor.structure.einsum"]),
        ("Norms and distances", ["tensor.norms"]),
        ("Solving and factoring", ["tensor.algebra", "numpy.linalg"]),
    ]),
    ("special", "Special functions", "``tg.special`` has the names of ``scipy.special``. Most are `elementwise functions "
     "<elementwise.html>`_ of ``tg``.", [("Functions", ["special"])]),
    ("stats", "Distributions", "``tg.stats`` has distributions of ``scipy.stats``, with its parameters.", []),
    ("fft", "Fourier transforms", "``tg.fft`` has the names of ``numpy.fft``. A complex result is a pair of tensors.", [
        ("Functions", ["tensor.fourier"]),
    ]),
    ("nn", "Losses, activations, clipping", "``tg.nn.functional`` and ``tg.nn.utils``, with PyTorch's arguments.", [
        ("Activations", ["nn.functional.activations"]),
        ("Layers", ["nn.functional.layers", "nn.functional.normalization"]),
        ("Distances", ["nn.functional.distances"]),
        ("Losses", ["nn.functional.losses", "nn.functional.classes", "nn.functional.margins"]),
        ("Gradients of parameters", ["nn.utils"]),
    ]),
    ("optim", "Optimizers of tensors", "``tg.optim`` has PyTorch's optimizers and schedules, with its arguments and, to the last "
     "digits, its numbers.", [
        ("Optimizers", ["optim.optimizer", "optim.methods", "optim.lbfgs"]),
        ("Schedules of the learning rate: ``tg.optim.lr_scheduler``", ["optim.lr_scheduler"]),
    ]),
    ("optimize", "SciPy's optimizers", "``tg.optimize`` takes the arguments of ``scipy.optimize``, and fills in derivatives.", [
        ("Minimizing", ["optimize.minimizing"]),
        ("Fitting", ["optimize.fitting"]),
        ("Equations", ["optimize.equations"]),
    ]),
    ("testing", "Tools", "Checks of derivatives for your tests, and what helps to look at things.", [
        ("Checks", ["testing.check_grads"]),
        ("Progress", ["progress"]),
        ("Pictures, with matplotlib", ["plot.convergence", "plot.matrices"]),
    ]),
    ("namespaces", "NumPy's, SciPy's and the array API's names", "Namespaces for code that was written for them.", []),
]

# Where functions that the op table makes belong, by the family of their row
_FAMILIES = {name: f"ops.{family(op)}" for op in reversed(OPS) for name in (op.name, *op.names)}
_MODULES = ["", "autograd", "linalg", "special", "fft", "nn.functional", "nn.utils", "optim", "optim.lr_scheduler", "optimize",
            "testing"]


# What there is --------------------------------------------------------------------------------------------------------

def module(path):
    """``tg.optim.lr_scheduler`` of "optim.lr_scheduler"."""
    found = tg
    for name in path.split(".") if path else ():
        found = getattr(found, name)
    return found


def public():
    """Every public object once: (its names in the first module that has it, the module's path, the object)."""
    found = {}
    paths = _MODULES + [n for n in tg._NAMESPACES if n not in (*_MODULES, "nn", "stats", "numpy", "scipy", "array_api")]
    for path in paths:
        names = tg._public if path == "" else module(path).__all__
        for name in names:
            value = getattr(module(path), name)
            if callable(value) and not isinstance(value, types.ModuleType):
                found.setdefault(id(value), (path, value, []))
                if found[id(value)][0] == path:
                    found[id(value)][2].append(name)
    return [(names, path, value) for path, value, names in found.values()]


def place(names, value):
    """The name of the module, or of the family of operations, that a function is sorted by."""
    own = getattr(value, "__module__", "builtins").removeprefix(PREFIX)
    if own != "tensor.elementwise":
        return own
    return next(_FAMILIES[name] for name in names if name in _FAMILIES)


# Text -----------------------------------------------------------------------------------------------------------------

def plain(doc):
    """A docstring as reStructuredText: characters that mean something there, and not in docstrings, are escaped."""
    lines, example = [], False
    for line in (doc or "").splitlines():
        example = line.startswith(">>> ") or (example and line.strip() != "")
        parts = [line] if example else re.split(r"(``.*?``|(?::\w+:)?`[^`]*`)", line)
        if not example:
            parts[::2] = [re.sub(r"[*|]|(?<=\w)_(?!\w)", r"\\\g<0>", part) for part in parts[::2]]
            if any(part.count("`") % 2 for part in parts[::2]):  # a span that goes on in the next line
                parts = [line]
        lines.append("".join(parts))
    return "\n".join(lines)


def signature(value):
    try:
        text = str(inspect.signature(value))
    except (TypeError, ValueError):
        return "(...)"
    return re.sub(r"<(?:class '|function |object )?([\w.]+)[^>]*>", r"\1", text)


def entry(kind, heads, doc, indent=""):
    """An object of Sphinx's Python domain."""
    first, *more = heads
    lines = [f".. py:{kind}:: {first}", *(f"   {' ' * len(f'py:{kind}::')}{head}" for head in more), ""]
    lines += [f"   {line}" if line else "" for line in doc.splitlines()]
    return "\n".join(indent + line if line else "" for line in lines) + "\n"


def _classes():
    """The names of public classes: what their heirs inherit is described there."""
    return {*tg.autograd.__all__, *tg.optim.__all__, *tg.optim.lr_scheduler.__all__}


def described(names, path, value):
    """The entry of a function, or of a class with its methods."""
    main = getattr(value, "__name__", names[0])
    names = sorted(names, key=lambda name: (name != main, name))
    text = plain(inspect.getdoc(value))
    if not value.__module__.startswith(PREFIX):
        text = f"That of ``{value.__module__}``."
    if not inspect.isclass(value):
        return entry("function", [name + signature(value) for name in names], text)
    parts = [entry("class", [name + signature(value) for name in names], text)]
    if value is not tg.Tensor and not issubclass(value, (BaseException, tuple)):
        above = [base for base in value.__mro__[1:] if base.__module__.startswith(PREFIX) and base.__name__ in _classes()]
        parts += members(value, lambda name, member: member.__doc__ and not any(name in vars(base) for base in above))
        if above:
            parts.append(f"   Its methods are those of :class:`{above[0].__name__}`.\n" if len(parts) == 1 else "")
    return "\n".join(parts)


def members(cls, wanted, indent="   "):
    """Entries of what a class itself, or a base of this library, has under public names."""
    found = []
    for name in sorted(dir(cls)):
        member = inspect.getattr_static(cls, name)
        if not name.startswith("_") and wanted(name, member):
            found.append(method(name, member, indent))
    return [text for text in found if text]


def method(name, member, indent="   "):
    doc = plain(inspect.getdoc(getattr(member, "__func__", member)))
    if isinstance(member, staticmethod):
        return entry("staticmethod", [name + signature(member.__func__)], doc, indent)
    if callable(member):
        text = re.sub(r"^\((self|x|z)(, )?", "(", signature(member))
        return entry("method", [name + text], doc, indent)
    return entry("property", [name], doc, indent) if isinstance(member, property) else ""


def names_of(names):
    return ", ".join(f"``{name}``" for name in names if name)


def title(text, line="="):
    return f"{text}\n{line * len(text)}\n"


# Pages ----------------------------------------------------------------------------------------------------------------

def class_tensor():
    """What a Tensor has that is no function of ``tg``; and the names of the rest."""
    functions = {name for name in dir(tg.Tensor) if inspect.getattr_static(tg.Tensor, name) is getattr(tg, name, None)}
    in_place = [name for name in dir(tg.Tensor) if name.endswith("_") and not name.startswith("_")]
    own = {"requires_grad_", "detach_", "copy_", "fill_", "zero_", "fill_diagonal_"}
    parts = members(tg.Tensor, lambda name, member: name not in functions and (name in own or name not in in_place))
    rest = sorted(name for name in functions if not name.startswith("_"))
    return [*parts, title("Methods that are functions of ``tg``", "-"), f"``x.exp()`` is ``tg.exp(x)``: {names_of(rest)}.\n",
            title("In place", "-"), "With an underscore at its end, a method writes its result into the tensor: "
            f"{names_of(name for name in in_place if name not in own)}.\n"]


def dtypes():
    rows = [("float64", "double", "the default"), ("float32", "float", ""), ("float16", "half", "for storage, as PyTorch's"),
            ("int64", "long", ""), ("int32", "int", ""), ("int16", "", ""), ("int8", "", ""), ("uint8", "", ""),
            ("bool", "bool_", "")]
    return (".. list-table::\n   :header-rows: 1\n\n   * - dtype\n     - also\n     - \n"
            + "".join(f"   * - ``tg.{a}``\n     - {f'``tg.{b}``' if b else ''}\n     - {c}\n" for a, b, c in rows))


def distributions():
    """Distributions are objects, each with the functions that it has a formula for."""
    yield plain(inspect.getdoc(tg.stats)) + "\n"
    for name in tg.stats.__all__:
        value = getattr(tg.stats, name)
        methods = [m for m in dir(value) if callable(getattr(value, m)) and not m.startswith("_")]
        text = plain(inspect.getdoc(value))
        if hasattr(value, "shapes"):
            text += f"\n\nParameters: {names_of((*value.shapes, 'loc', 'scale' if hasattr(value, 'pdf') else ''))}."
        yield entry("data", [name], f"{text}\n\nFunctions: {names_of(methods)}.")


def namespaces():
    for path, what in (("numpy", "For programs written for HIPS autograd: ``import tapegrad.numpy as np``."),
                       ("scipy", "The same for SciPy's: ``from tapegrad.scipy.special import erf``."),
                       ("array_api", "For libraries that take arrays of any kind: ``x.__array_namespace__()``.")):
        yield title(f"``tapegrad.{path}``", "-")
        yield what + "\n"
        yield plain(inspect.getdoc(module(path))) + "\n"
        own = lambda space: [name for name in sorted(space.__all__) if getattr(
            getattr(space, name), "__module__", "").startswith(PREFIX)]
        for part in sorted(module(path).__all__):
            space = getattr(module(path), part)
            if not isinstance(space, types.ModuleType) or not space.__name__.startswith(PREFIX):
                continue
            if names := own(space) or [name for name in space.__all__ if not name.startswith("_")]:
                yield f"``{path}.{part}``: {names_of(names)}.\n"
        if names := own(module(path)):
            yield f"``{path}``: {names_of(names)}.\n"


def pages():
    """(name of the file, text) of every page."""
    left = {}
    for names, path, value in public():
        left.setdefault(place(names, value), []).append((names, path, value))
    sections = {name: [(head, [thing for key in keys for thing in left.pop(key, ())]) for head, keys in parts]
                for name, _, _, parts in PAGES}
    sections["testing"].append(("More", [thing for things in left.values() for thing in things]))
    for name, heading, introduction, _ in PAGES:
        text = [title(heading), introduction + "\n"]
        for head, things in sections[name]:
            if not things:
                continue
            text.append(title(head, "-"))
            text += [dtypes()] if head.startswith("Dtypes") else []
            last = None
            for names, path, value in sorted(things, key=lambda thing: (thing[1], thing[0][0].lower())):
                if path != last:
                    text.append(f".. py:currentmodule:: {(PREFIX + path).strip('.')}\n")
                    if last is not None or (path and name in ("autograd", "linalg", "nn", "testing")):
                        text.append(f"In ``tg.{path}``:\n")
                    last = path
                text.append(described(names, path, value))
                text += class_tensor() if value is tg.Tensor else []
        if name == "stats":
            text += [".. py:currentmodule:: tapegrad.stats\n", *distributions()]
        text += namespaces() if name == "namespaces" else []
        if name in ("linalg", "special", "nn"):
            text += shared({"nn": "nn.functional"}.get(name, name))
        yield name, "\n".join(text)


def shared(path):
    """The names that a module has from elsewhere."""
    known = {id(value): where for _, where, value in public()}
    names = [name for name in module(path).__all__ if known.get(id(getattr(module(path), name)), path) != path]
    return [title("Also here", "-"), f"Described elsewhere, and in ``tg.{path}`` too: {names_of(names)}.\n"]


def write(folder):
    """Writes the pages, and touches only those that have changed."""
    folder.mkdir(exist_ok=True)
    listed = "".join(f"   {name}\n" for name, *_ in PAGES)
    index = (title("Reference") + "\nAll public names, from their docstrings. ``import tapegrad as tg`` is the form used "
             "throughout; a name without a module is one of ``tg``.\n\n.. toctree::\n   :maxdepth: 1\n\n" + listed)
    for name, text in [("index", index), *pages()]:
        file = folder / f"{name}.rst"
        if not file.exists() or file.read_text(encoding="utf-8") != text:
            file.write_text(text, encoding="utf-8")
