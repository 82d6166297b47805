"""Smaller programs that still fail: parts of the text are left out or made simpler, as long as the fault is the same.

Every candidate is the syntax tree with one edit. Most are no programs at all, for want of a name or a shape, and don't fail in
the same way; so nothing here needs to know what a program means. Considered and left: Hypothesis's shrinking of the choices that
a program was drawn with, in which a choice left out changes the meaning of all that follow.
"""
import ast
import copy
import time
import warnings

BODIES = ("body", "orelse")


def shrunk(text, fails, seconds=60.0):
    """The smallest text for which ``fails(text)`` is found to hold, after at most so many seconds."""
    until = time.monotonic() + seconds
    tree, seen = ast.parse(text), {ast.unparse(ast.parse(text))}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")      # of Python's compiler, about what is no program
        return _shrunk(tree, seen, fails, until) if fails(ast.unparse(tree)) else text


def _shrunk(tree, seen, fails, until):
    progress = True
    while progress:
        progress = False
        for edits in (_cuts, _unwrapped, _simpler):
            k = 0
            while True:                      # goes on where the last edit held: what stood before it held no more
                candidate = next(_skipping(edits(tree), k), None)
                if candidate is None:
                    break
                k += 1
                edited = ast.unparse(candidate)
                if edited in seen:
                    continue
                seen.add(edited)
                if time.monotonic() > until:
                    return ast.unparse(tree)
                if fails(edited):
                    tree, progress, k = ast.parse(edited), True, max(k - 1, 0)
    return ast.unparse(tree)


def _skipping(edits, count):
    """The trees that edits make, from a number on."""
    for k, edit in enumerate(edits):
        if k >= count:
            yield edit()


def _walk(node, path=()):
    yield path, node
    for name, value in ast.iter_fields(node):
        if isinstance(value, list):
            for k, part in enumerate(value):
                if isinstance(part, ast.AST):
                    yield from _walk(part, (*path, (name, k)))
        elif isinstance(value, ast.AST):
            yield from _walk(value, (*path, (name, None)))


def _at(node, path):
    for name, k in path:
        node = getattr(node, name) if k is None else getattr(node, name)[k]
    return node


def _put(tree, path, change):
    """A tree with `change` of a copy of a node in the place of that."""
    made = copy.deepcopy(tree)
    *to, (name, k) = path
    parent = _at(made, to)
    node = change(_at(parent, [(name, k)]))
    if k is None:
        setattr(parent, name, node)
    else:
        getattr(parent, name)[k] = node
    return made


def _cut(tree, path, name, start, stop):
    made = copy.deepcopy(tree)
    part = getattr(_at(made, path), name)
    part[start:stop] = [ast.Pass()] if stop - start == len(part) and name == "body" and path else []
    return made


def _cuts(tree):
    """Runs of statements are left out: large ones first, later ones first."""
    places = [(path, name, len(getattr(node, name))) for path, node in _walk(tree) for name in BODIES
              if isinstance(getattr(node, name, None), list) and getattr(node, name)]
    size = max([count for *_, count in places], default=0)
    while size:
        for path, name, count in places:
            for stop in range(count, size - 1, -max(size // 2, 1)):
                if not (size == 1 and isinstance(getattr(_at(tree, path), name)[stop - 1], ast.Pass)):
                    yield lambda path=path, name=name, stop=stop, size=size: _cut(tree, path, name, stop - size, stop)
        size //= 2


def _unwrapped(tree):
    """What a block holds stands in its place; an expression is replaced by a part of it."""
    for path, node in _walk(tree):
        if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name):
            yield lambda path=path, node=node: _inlined(tree, path, node.targets[0].id, node.value)
        for name in BODIES:
            body = getattr(node, name, None)
            if isinstance(body, list) and body and isinstance(node, (ast.If, ast.For, ast.While, ast.With)):
                yield lambda path=path, name=name: _spliced(tree, path, name)
        if isinstance(node, ast.expr) and path and not isinstance(getattr(node, "ctx", None), (ast.Store, ast.Del)):
            for part, inner in _walk(node):
                if part and isinstance(inner, ast.expr) and isinstance(getattr(inner, "ctx", ast.Load()), ast.Load):
                    yield lambda path=path, part=part: _put(tree, path, lambda old: _at(old, part))


class _Inline(ast.NodeTransformer):
    def __init__(self, name, value):
        self.name, self.value = name, value

    def visit_Name(self, node):
        return copy.deepcopy(self.value) if node.id == self.name and isinstance(node.ctx, ast.Load) else node


def _inlined(tree, path, name, value):
    """An assignment is left out, and what it assigned stands for the name everywhere."""
    *to, (field, k) = path
    made = _cut(tree, to, field, k, k + 1)
    return _Inline(name, value).visit(made)


def _spliced(tree, path, name):
    made = copy.deepcopy(tree)
    *to, (field, k) = path
    statements = getattr(_at(made, to), field)
    statements[k:k + 1] = getattr(statements[k], name)
    return made


def _simpler(tree):
    """Parts of lists and calls are left out, numbers are round ones."""
    for path, node in _walk(tree):
        for name in ("elts", "args", "keywords", "ops", "generators"):
            parts = getattr(node, name, None)
            for k in range(len(parts) if isinstance(parts, list) else 0):
                yield lambda path=path, name=name, k=k: _cut(tree, path, name, k, k + 1)
        if isinstance(node, ast.List):       # a column of a matrix
            for k in range(min([len(row.elts) if isinstance(row, ast.List) else 0 for row in node.elts], default=0)):
                yield lambda path=path, k=k: _put(tree, path, lambda old: _without_column(old, k))
        if isinstance(node, ast.Constant) and isinstance(node.value, (int, float)) and not isinstance(node.value, bool):
            for value in _rounder(node.value):
                yield lambda path=path, value=value: _put(tree, path, lambda old: ast.Constant(value))


def _without_column(node, k):
    for row in node.elts:
        del row.elts[k]
    return node


def _rounder(x):
    """Simpler numbers of the same type, the simplest first."""
    kind, finite = type(x), x == x and abs(x) < 1e6
    found = [kind(y) for y in ((0, 1, 2, x // 2, round(x, 1)) if finite else (0, 1))]
    return [y for y in dict.fromkeys(found) if (len(repr(y)), abs(y)) < (len(repr(x)), abs(x))]
