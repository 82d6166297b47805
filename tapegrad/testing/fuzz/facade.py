"""Programs for the façade, run eagerly and by the slow reference: same values, gradients, versions and errors."""
from collections import defaultdict

import numpy as np

from . import slow
from .statements import start

TOLERANCE = {False: 1e-9, True: 1e-5}        # by "has float32", relative to the largest value that the program met


def run(program, module):
    """The names after the run, and the index of the statement that raised RuntimeError (None if none did)."""
    namespace = start(module)
    for i, statement in enumerate(program.statements):
        if module.__name__ == "torch":
            # A view that has not looked at its base since a write crashes PyTorch 2.13 on register_hook, and refuses
            # writes as if it were a leaf: make all of them look.
            _ = [x.grad_fn for x in namespace.values() if isinstance(x, module.Tensor)]
        seen = len(namespace["seen"])
        try:
            exec(statement, namespace)
        except RuntimeError as error:
            del namespace["seen"][seen:]  # how far a sweep came before it raised is free
            return namespace, i, error
    return namespace, None, None


# Comparing ------------------------------------------------------------------------------------------------------------

def close(actual, expected, tolerance):
    """Numbers, None and nested lists of them."""
    if isinstance(expected, list):
        pairs = zip(actual, expected, strict=False)
        return len(actual) == len(expected) and all(close(a, e, tolerance) for a, e in pairs)
    if actual is None or expected is None or isinstance(expected, bool | int):
        return actual == expected
    return abs(actual - expected) <= tolerance or actual == expected or (actual != actual and expected != expected)


def same(actual, expected, tolerance):
    """Arrays, or None."""
    if actual is None or expected is None:
        return actual is expected
    return actual.shape == expected.shape and close(actual.tolist(), expected.tolist(), tolerance)


def array(x):
    return None if x is None else x.detach().numpy()


def observed(seen):
    """What the program read, by reader: the order among hooks of different tensors is free."""
    readers = defaultdict(list)
    for reader, value in seen:
        readers[reader].append(value)
    return readers


def told(program, i):
    return "no statement" if i is None else f"`{program.statements[i]}`"


def differences(program, module):
    """Lines that say where the module under test and the oracle part; none if they agree."""
    slow.reset()
    expected, fails_at, reason = run(program, slow)
    scale = slow.STATE.largest + 1
    actual, failed_at, error = run(program, module)
    if failed_at != fails_at:
        raised, wanted = told(program, failed_at), told(program, fails_at)
        yield f"RuntimeError from {raised} ({error}), expected from {wanted} ({reason})"
        return
    has_float32 = any([x.dtype == slow.float32 for x in expected.values() if isinstance(x, slow.Tensor)])
    tolerance = TOLERANCE[has_float32 or "float32" in repr(program) or ".float()" in repr(program)] * scale
    tolerance *= 100 if program.second_order else 1      # a derivative of derivatives may be larger than all that was met
    for reader, values in observed(expected["seen"]).items():
        found = observed(actual["seen"])[reader]
        if not close(found, values, tolerance):
            yield f"{reader}: saw {found}, expected {values}"
    for name in [n for n in program.names if n in expected]:
        yield from tensor_differences(program, fails_at is not None, name, actual[name], expected[name], tolerance)


def tensor_differences(program, fails, name, actual, expected, tolerance):
    if not same(array(actual), array(expected), tolerance):
        yield f"{name} is {array(actual)}, expected {array(expected)}"
    if str(actual.dtype).split(".")[-1] != expected.dtype.name:
        yield f"{name}.dtype is {actual.dtype}, expected {expected.dtype}"
    if not program.second_order:  # afterwards, which constants a gradient's graph holds is not a promise
        for attribute in ("_version", "requires_grad", "is_leaf"):
            if getattr(actual, attribute) != getattr(expected, attribute):
                yield f"{name}.{attribute} is {getattr(actual, attribute)}, expected {getattr(expected, attribute)}"
    elif not expected.storage.frozen and actual._version != expected._version:
        yield f"{name}._version is {actual._version}, expected {expected._version}"
    if fails or not all(x.is_leaf or x.retains_grad for x in (actual, expected)):
        return  # a sweep that raised may have delivered some gradients
    grads = array(actual.grad), array(expected.grad)
    if program.second_order:
        grads = (np.zeros(expected.shape) if g is None else g for g in grads)
    found, wanted = grads
    if not same(found, wanted, tolerance):
        yield f"{name}.grad is {found}, expected {wanted}"


def kind_of(line):
    """What sort of difference a line tells."""
    word = line.split(" ", 1)[0]
    if word == "RuntimeError":
        return word
    return word.split(".", 1)[1] if "." in word else "seen" if word.endswith(":") else "value"
