import re

import pytest

from .subject import assert_same, leaf, tg

CHANGES = {
    "add_": lambda x: x.add_(1),
    "zero_": lambda x: x.zero_(),
    "setitem": lambda x: x.__setitem__(0, 5.0),
    "iadd": lambda x: x.__iadd__(1),
}
changes = pytest.mark.parametrize("change", list(CHANGES.values()), ids=list(CHANGES))

VIEWS = {
    "slice": lambda x: x[1:],
    "reshape": lambda x: x.reshape(2, 2),
    "view": lambda x: x.view(2, 2),
    "transpose": lambda x: x.view(2, 2).transpose(0, 1),
    "T": lambda x: x.view(2, 2).T,
    "t": lambda x: x.view(2, 2).t(),
    "unsqueeze": lambda x: x.unsqueeze(0),
    "squeeze": lambda x: x.view(1, 4).squeeze(),
    "expand": lambda x: x.expand(3, 4),
    "detach": lambda x: x.detach(),
    "view of view": lambda x: x[1:][1:],
}
views = pytest.mark.parametrize("view", list(VIEWS.values()), ids=list(VIEWS))


@changes
def test_each_change_counts_one(change):
    x = tg.ones(4)
    assert x._version == 0
    for count in (1, 2):
        change(x)
        assert x._version == count


def test_reading_counts_nothing():
    x = tg.ones(4)
    (x + 1, x[0], x.sum(), x.tolist(), x.clone(), x.view(2, 2))
    assert x._version == 0


@views
def test_view_and_base_share_one_version(view):
    x = tg.ones(4)
    v = view(x)
    x.add_(1)
    assert v._version == x._version == 1
    assert view(x)._version == 1


@views
def test_change_through_a_view_counts_on_the_base(view):
    x = tg.ones(4)
    v = view(x)
    if tuple(v.shape) == (3, 4):
        v = v[0]
    v.mul_(2)
    assert x._version == v._version == 1
    assert 2.0 in x.tolist()


def test_copies_have_versions_of_their_own():
    x = tg.ones(4)
    copies = [x.clone(), x * 1, x[[0, 1]]]
    x.add_(1)
    assert [c._version for c in copies] == [0, 0, 0]


SAVERS = {
    "square": lambda y: y * y,
    "pow": lambda y: y**2,
    "log": lambda y: y.log(),
    "sin": lambda y: y.sin(),
    "product": lambda y: y * leaf([1.0, 1.0]),
    "quotient": lambda y: leaf([1.0, 1.0]) / y,
    "matmul": lambda y: leaf([[1.0, 1.0]]) @ y,
}


@pytest.mark.parametrize("inside_no_grad", [False, True])
@pytest.mark.parametrize("save", list(SAVERS.values()), ids=list(SAVERS))
def test_overwritten_input_that_backward_needs_is_an_error(save, inside_no_grad):
    y = leaf([1.0, 2.0]) * 1
    z = save(y)
    with tg.set_grad_enabled(not inside_no_grad):
        y.add_(1)
    with pytest.raises(RuntimeError, match="version") as caught:
        z.sum().backward()
    assert {"0", "1"} <= set(re.findall(r"\d+", str(caught.value)))


# Not sigmoid: its derivative is computed from its operand, which keeps the digits that 1 - sigmoid(x) loses for large x
@pytest.mark.parametrize("name", ["exp", "sqrt", "tanh"])
def test_overwritten_result_that_backward_needs_is_an_error(name):
    z = getattr(leaf([1.0, 2.0]), name)()
    z.mul_(2)
    with pytest.raises(RuntimeError, match="version") as caught:
        z.sum().backward()
    assert name in str(caught.value).lower()


def test_overwritten_leaf_inside_no_grad_is_an_error_when_backward_needs_it():
    w = leaf([1.0, 2.0])
    loss = (w * w).sum()
    with tg.no_grad():
        w.sub_(0.1)
    with pytest.raises(RuntimeError, match="version"):
        loss.backward()


@pytest.mark.parametrize("alias", [lambda y: y[:1], lambda y: y.view(2, 1), lambda y: y.detach()])
def test_overwriting_through_an_alias_is_an_error_too(alias):
    y = leaf([1.0, 2.0]) * 1
    z = y * y
    alias(y).add_(1)
    with pytest.raises(RuntimeError, match="version"):
        z.sum().backward()


@pytest.mark.parametrize(
    "operation",
    [lambda y: y + 1, lambda y: y * 3, lambda y: y.sum(), lambda y: -y, lambda y: y.view(2, 1), lambda y: y.exp()],
    ids=["add", "scale", "sum", "neg", "view", "exp"],
)
def test_overwriting_what_backward_does_not_need_is_no_error(operation):
    x = leaf([1.0, 2.0])
    z = operation(x * 1).clone()
    expected = tg.autograd.grad(z.sum(), x)[0].tolist()
    y = x * 1
    z = operation(y).clone()
    y.add_(1)
    z.sum().backward()
    assert_same(x.grad, expected)


def test_overwriting_after_backward_is_no_error():
    x = leaf([1.0, 2.0])
    y = x * 1
    (y * y).sum().backward()
    y.zero_()
    assert_same(x.grad, [2.0, 4.0])


def test_change_to_a_view_reaches_the_base_and_its_gradient():
    x = leaf([1.0, 2.0, 3.0])
    y = x * 1
    y[1:].mul_(10)
    assert_same(y, [1.0, 20.0, 30.0])
    (y * tg.tensor([1.0, 2.0, 3.0])).sum().backward()
    assert_same(x.grad, [1.0, 20.0, 30.0])


def test_change_to_the_base_reaches_a_view_made_before():
    x = leaf([1.0, 2.0, 3.0])
    y = x * 1
    v = y[1:]
    y.mul_(10)
    assert_same(v, [20.0, 30.0])
    v.sum().backward()
    assert_same(x.grad, [0.0, 10.0, 10.0])


def test_change_to_one_view_reaches_another_that_overlaps():
    x = leaf([1.0, 2.0, 3.0])
    y = x * 1
    left, right = y[:2], y[1:]
    left.mul_(10)
    assert_same(right, [20.0, 3.0])
    right.sum().backward()
    assert_same(x.grad, [0.0, 10.0, 1.0])


@pytest.mark.parametrize("view", [lambda y: y.t(), lambda y: y.view(4).view(2, 2), lambda y: y.unsqueeze(0).squeeze(0)])
def test_change_through_a_chain_of_views(view):
    x, w = leaf([[1.0, 2.0], [3.0, 4.0]]), leaf([10.0, 100.0])
    y = x * 1
    view(y)[0].mul_(w)
    y.sum().backward()
    selected = view(tg.tensor([[0.0, 1.0], [2.0, 3.0]]))[0].tolist()
    expected = [1.0, 1.0, 1.0, 1.0]
    expected[int(selected[0])], expected[int(selected[1])] = 10.0, 100.0
    assert x.grad.reshape(4).tolist() == expected
    assert_same(w.grad, [x[0, 0].item(), x.detach().reshape(4)[int(selected[1])].item()])


def test_view_of_a_constant_base_changed_by_a_tensor_that_requires_grad():
    w = leaf([5.0])
    base = tg.ones(3)
    base[1:].mul_(w)
    assert base.requires_grad
    base.sum().backward()
    assert_same(w.grad, [2.0])


def test_detached_alias_changed_in_place_records_nothing():
    x = leaf([1.0, 2.0])
    y = x + 1
    y.detach().mul_(10)
    assert_same(y, [20.0, 30.0])
    y.sum().backward()
    assert_same(x.grad, [1.0, 1.0])


def test_a_recurrence_in_one_tensor_is_an_error_that_says_what_to_do():
    x = leaf([1.0, 2.0, 3.0])

    def filled(read):
        y = tg.zeros(3)
        y[0] = x[0]
        for i in (1, 2):
            y[i] = read(y[i - 1]) * x[i]
        return y.sum()

    with pytest.raises(RuntimeError, match=r"collect the values in a list .* tapegrad\.stack\(\), or read them through clone"):
        filled(lambda y: y).backward()
    filled(lambda y: y.clone()).backward()
    assert_same(x.grad, [9.0, 4.0, 2.0])
    y = x * 1.0
    z = y * y
    y += 1
    with pytest.raises(RuntimeError, match="compute a new tensor"):
        z.sum().backward()


@pytest.mark.parametrize("write", ["y.mul_(2.0)", "y += y", "y += 1.0", "y[...] = y * 3.0", "v.mul_(2.0)"])
@pytest.mark.parametrize("view", ["y.unsqueeze(0)", "y[1:]", "y.reshape(2, 1)"])
def test_a_view_that_was_read_after_a_write_sees_the_next_one(view, write):
    x = tg.tensor([1.5, 2.0], requires_grad=True)
    names = {"y": x * 1.0}
    names["v"] = v = eval(view, names)
    names["y"].mul_(names["y"])
    assert (v * 1.0).tolist() == eval(view, {"y": tg.tensor([2.25, 4.0])}).tolist()
    exec(write, names)
    assert (v * 1.0).tolist() == v.tolist() == eval(view, {"y": names["y"].detach()}).tolist()


@pytest.mark.parametrize("view", [lambda x: x.reshape(1), lambda x: x.expand(2), lambda x: x[None], lambda x: x[None][:, None]])
def test_a_write_to_a_leaf_is_noticed_through_a_view_of_an_older_sweep(view):
    x = tg.tensor(0.5, requires_grad=True)
    v = view(x)
    tg.autograd.grad(x * 1.0, [x])
    z = v * v
    with tg.no_grad():
        x.sub_(1.0)
    with pytest.raises(RuntimeError, match="overwritten in place"):
        z.sum().backward()


@pytest.mark.parametrize("write", ["v.mul_(2.0)", "v[0] = 3.0", "y += 1.0"])
def test_a_write_to_a_result_is_noticed_through_a_view_of_a_tape_that_was_closed(write):
    x = tg.tensor([0.5, 1.5], requires_grad=True)
    names = {"y": x * 1.0}
    names["v"] = names["y"].reshape(2, 1)
    tg.zeros(2).add_(1.0)                    # a write anywhere: what was recorded is computed, and the tape closed
    z = names["v"] * names["v"]
    exec(write, names)
    with pytest.raises(RuntimeError, match="overwritten in place"):
        z.sum().backward()


def test_a_reshaped_copy_keeps_its_value():
    x = tg.tensor([[1.0, 2.0], [3.0, 4.0]], requires_grad=True)
    with tg.no_grad():
        x.mul_(2.0)
    for y in (x, x * 1.0):
        copy = y.T.reshape(-1)
        part = copy[1:]
        tg.autograd.grad((x * 1.0).sum(), [x])
        z = copy * copy
        if y is not x:
            y.mul_(2.0)
        z.sum().backward()
        assert x.grad.tolist() == (2.0 * x).tolist()
        x.grad = None
        assert part.tolist() == copy[1:].tolist()


PICKS = [lambda x: x.max(0), lambda x: x.min(0), lambda x: x.kthvalue(1, 0), lambda x: x.sort(0), lambda x: x.topk(1, 0)]


@pytest.mark.parametrize("pick", PICKS)
def test_what_is_picked_along_an_axis_is_no_view(pick):
    x = leaf([[1.0, 2.0], [3.0, 0.5]])
    seen = []
    v = pick(x * 1.0)[0]
    u = v.unsqueeze(0)
    v.mul_(2.0)
    v.register_hook(lambda g: seen.append(g))
    u.sum().backward()
    assert len(seen) == 1
    number = leaf(3.0) * 1.0
    pick(number)[0].mul_(2.0)
    assert number.item() == 3.0


PARTS = {"reshaped": lambda x: x.reshape(3), "a part": lambda x: x[1:], "all": lambda x: x[:], "itself": lambda x: x}
WRITES = {
    "by itself, then a number": lambda x, z, w: (z.sub_(x), z[..., 0].fill_(7.0)),
    "twice": lambda x, z, w: (z.mul_(w), z.mul_(2.0)),
    "and to the other between": lambda x, z, w: (z.mul_(w), x.add_(1.0), z.mul_(2.0)),
    "without a derivative": lambda x, z, w: (z.mul_(3.0), x.add_(1.0), z.mul_(2.0)),
}


@pytest.mark.parametrize("part", list(PARTS.values()), ids=list(PARTS))
@pytest.mark.parametrize("write", list(WRITES.values()), ids=list(WRITES))
@pytest.mark.parametrize("computed", [True, False])
def test_writes_to_what_was_detached_from_a_view_are_seen_by_all(part, write, computed):
    w = leaf(0.5)
    base = tg.tensor([1.0, 2.0, 3.0])
    base = base * w if computed else base
    view = part(base)
    if not computed:
        view.sub_(w)
    detached = view.detach()
    write(view, detached, w)
    assert detached.tolist() == view.tolist() == part(base).tolist()
    assert base._version == view._version == detached._version


PART_WRITES = {
    "an element": (lambda x, a: x.__setitem__(0, 0.0), 0.0),
    "one with a derivative": (lambda x, a: x.__setitem__(1, a * 3.0), 12.0),
    "a slice": (lambda x, a: x.__setitem__(slice(0, 1), 0.0), 0.0),
    "a view": (lambda x, a: x[0].mul_(3.0), 6.0),
}


@pytest.mark.parametrize(("write", "slope"), list(PART_WRITES.values()), ids=list(PART_WRITES))
def test_a_part_of_an_expanded_tensor_is_written_in_the_one_place_that_it_has(write, slope):
    a = leaf(2.0)
    small = 0.5 * a
    x = tg.broadcast_to(small, (2,))
    write(x, a)
    assert x.tolist() == [small.item()] * 2
    (x * tg.tensor([1.0, 3.0])).sum().backward()
    assert a.grad.item() == slope
    with pytest.raises(RuntimeError, match="expanded"):
        x.mul_(2.0)


def test_a_view_of_a_leaf_is_made_anew_after_a_write_to_the_leaf():
    x = leaf([1.0, 2.0, 3.0])
    v = x[1:]
    with tg.no_grad():
        x.mul_(2.0)
    (v * v).sum().backward()
    assert x.grad.tolist() == [0.0, 8.0, 12.0]


def test_elements_that_are_changed_in_a_loop_stay_on_few_tapes():
    """Of a view that was taken and is gone nothing is to be feared; one that is kept sees what was written."""
    x = leaf([0.5, 1.5, -1.0])
    y = x * 1.0
    for k in range(300):
        y[k % 3] += x[(k + 1) % 3]
        y[k % 3] *= 0.5
    kept = y[1:2]
    y[1] += 1.0
    value = kept + 0.0
    assert value.item() == y[1].item()
    y.sum().backward()
    expected = [0.5**100, 0.5**100, 0.5**100]
    shares = sum(0.5**n for n in range(1, 101))
    assert x.grad.tolist() == pytest.approx([shares + expected[0]] * 3, rel=1e-12)


@pytest.mark.tapegrad_only("PyTorch keeps what any derivative may need, and looks at all of it")
@pytest.mark.parametrize("create_graph", [False, True])
def test_what_other_derivatives_need_may_be_overwritten(create_graph):
    x, c = leaf([1.0, 2.0]), leaf(3.0)
    v = x * 1.0
    v[0] = c * v[0]
    loss = (v * v).sum()
    (g,) = tg.autograd.grad(loss, x, retain_graph=True, create_graph=create_graph)
    assert_same(g, [18.0, 4.0])
    for inputs in (c, (x, c)):
        with pytest.raises(RuntimeError, match="overwritten in place"):
            tg.autograd.grad(loss, inputs, retain_graph=True, create_graph=create_graph)
    with pytest.raises(RuntimeError, match="overwritten in place"):
        loss.backward(create_graph=create_graph)
