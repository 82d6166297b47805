"""Trees of arguments: nested tuples, lists, named tuples and dicts, and the values at their ends."""


def ends(tree):
    """The values at the ends of a tree, from left to right; dicts in the order of their keys' insertion."""
    if not isinstance(tree, (list, tuple, dict)):
        return [] if tree is None else [tree]
    return [value for part in (tree.values() if isinstance(tree, dict) else tree) for value in ends(part)]


def mapped(function, tree):
    """The same tree with ``function(value)`` at its ends; None stays None."""
    if not isinstance(tree, (list, tuple, dict)):
        return None if tree is None else function(tree)
    if isinstance(tree, dict):
        return {key: mapped(function, part) for key, part in tree.items()}
    parts = [mapped(function, part) for part in tree]
    return type(tree)(*parts) if hasattr(tree, "_fields") else type(tree)(parts)


def filled(tree, values):
    """The same tree with other values at its ends."""
    values = iter(values)
    return mapped(lambda _: next(values), tree)


def matched(tree, other, what):
    """The ends of `other`, a tree of the same form. ValueError for another form."""
    if form(tree) != form(other):
        raise ValueError(f"{what} must have the form {form(tree)}, and {form(other)} was given")
    return ends(other)


def form(tree):
    """The form of a tree as text: * for a value."""
    if isinstance(tree, dict):
        return "{" + ", ".join(f"{key!r}: {form(part)}" for key, part in tree.items()) + "}"
    if isinstance(tree, list):
        return "[" + ", ".join(map(form, tree)) + "]"
    if isinstance(tree, tuple):
        return "(" + ", ".join(map(form, tree)) + ("," if len(tree) == 1 else "") + ")"
    return "None" if tree is None else "*"
