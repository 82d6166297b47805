"""What keeps a tape alive: the tensors that somebody can still differentiate, and nothing else."""

import gc
import weakref

import pytest

from .subject import tg

pytestmark = pytest.mark.tapegrad_only("the life of tapes")


def tapes():
    from tapegrad.tape import Tape

    gc.collect()
    return sum(type(thing) is Tape for thing in gc.get_objects())


def step(w, k):
    return ((w * tg.tensor([1.0, 2.0, k])).sum() - 1) ** 2


@pytest.fixture
def w():
    return tg.tensor([0.1, 0.2, 0.3], requires_grad=True)


def backward_some_more(w, count=8):
    for k in range(count):
        step(w, k).backward()


def test_a_loss_that_is_kept_after_backward_does_not_hold_its_tape(w):
    loss = step(w, 3.0)
    tape, value, name = weakref.ref(loss._tape), loss.item(), loss.grad_fn.name()
    loss.backward()
    backward_some_more(w)
    gc.collect()
    assert tape() is None
    assert loss.item() == value and loss.requires_grad and not loss.is_leaf and loss.grad_fn.name() == name
    with pytest.raises(RuntimeError, match="second time"):
        loss.backward()
    with pytest.raises(RuntimeError, match="second time"):
        (loss * 2.0).backward()


def test_kept_losses_of_a_long_training_share_few_tapes(w):
    before = tapes()
    losses = []
    for k in range(2000):
        losses.append(step(w, k / 1000))
        losses[-1].backward()
    assert tapes() - before < 16
    assert [loss.item() for loss in losses] == [step(w, k / 1000).item() for k in range(2000)]


def test_a_kept_loss_that_can_be_differentiated_again_still_can(w):
    loss = w.sum()  # a sum needs no values, so nothing of it is used up
    loss.backward()
    backward_some_more(w)
    w.grad = None
    loss.backward()
    assert w.grad.tolist() == [1, 1, 1]


def test_what_else_is_kept_of_a_graph_keeps_it(w):
    product = w * w
    loss = product.sum()
    loss.backward()
    backward_some_more(w)
    assert loss.item() == product.sum().item()
    assert product.grad_fn.name() == "MulBackward0"


def test_retained_graphs_and_hooks_stay(w):
    seen = []
    loss = step(w, 3.0)
    loss.register_hook(seen.append)
    loss.backward(retain_graph=True)
    backward_some_more(w)
    loss.backward()
    backward_some_more(w)
    assert len(seen) == 2


def test_a_loop_that_only_computes_keeps_no_tapes(w):
    for k in range(3000):
        step(w, k)
    before = tapes()
    for k in range(60000):
        step(w, k)
    assert tapes() - before < 4


def test_a_recurrence_over_many_tapes_keeps_all_of_them(w):
    state, factor = tg.tensor(1.0), w[0] * 0.0 + 0.9999
    for _ in range(3000):
        state = state * factor
    state.backward()
    assert w.grad[0].item() == 0
    assert state.item() == pytest.approx(0.9999**3000)
    v = tg.tensor(0.9999, requires_grad=True)
    state = tg.tensor(1.0)
    for _ in range(200_000):
        state = state * v
    state.backward()
    assert v.grad.item() == pytest.approx(200_000 * 0.9999**199_999)


def test_links_that_nothing_needs_are_let_go_and_others_kept(w):
    """A chain of tapes: what a kept tensor comes from stays, through any number of tapes behind it."""
    kept = step(w, 2.0)
    expected = tg.autograd.grad(kept, w, retain_graph=True)[0].tolist()
    chain = kept * 1.0
    for k in range(40_000):
        chain = chain + 0.0 * step(w, k)
    got = tg.autograd.grad(chain, w)[0]
    assert got.tolist() == pytest.approx(expected)


def test_a_backward_looks_only_at_what_entered_for_it(w):
    from tapegrad.autograd.engine import survey

    losses = [step(w, k) for k in range(2000)]
    losses[0].item()
    seen = []
    for loss in losses[::100]:
        tape, i = loss._tape, loss._index
        tape.evaluate()
        tape.all_words[i] |= 1 << 12
        seen.append(survey(tape, i))
        tape.all_words[i] &= 0xFFFF ^ (1 << 12)
    assert all(len(inputs) == 1 and len(arrays) <= 1 for inputs, arrays in seen[:1] + seen[-1:])
    for k, loss in enumerate(losses):
        w.grad = None
        loss.backward()
        direct = 2 * (0.1 + 0.4 + 0.3 * k - 1)
        assert w.grad.tolist() == pytest.approx([direct, 2 * direct, k * direct])


def test_a_write_is_seen_by_each_of_many_losses_that_read_it(w):
    data = [tg.tensor([1.0, 2.0, float(k)]) for k in range(500)]
    losses = [(w * x).sum() for x in data]
    data[400].mul_(2.0)
    losses[399].backward()
    with pytest.raises(RuntimeError, match="overwritten"):
        losses[400].backward()
    losses[401].backward()
    assert w.grad.tolist() == [2, 4, 800]


class Held:
    alive = 0

    def __init__(self):
        Held.alive += 1

    def __del__(self):
        Held.alive -= 1


class Keeps(tg.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        ctx.held = Held()
        return x * 2

    @staticmethod
    def backward(ctx, g):
        return 2 * g


def test_what_hooks_and_functions_hold_goes_with_their_results(w):
    before = Held.alive
    for _ in range(1000):
        (w * 2).register_hook(lambda g, held=Held(): g)  # noqa: B008
    assert Held.alive - before < 200
    for _ in range(1000):
        Keeps.apply(w)
    assert Held.alive - before < 400
    y = w
    for _ in range(200):
        y = Keeps.apply(y) * 0.5
    y.sum().backward()
    assert w.grad.tolist() == [1, 1, 1]


PARTS = {
    "interior": lambda w: [w[0] * 2, w[1] * 2, w[2] * 2],
    "views of a leaf": lambda w: [w[0:1], w[1:2], w[2:3]],
    "views of what was computed": lambda w: list((w * 2).reshape(3, 1)),
}


@pytest.mark.parametrize("part", list(PARTS))
def test_loops_over_many_tapes_read_what_is_on_the_first(part, w):
    parts = PARTS[part](w)
    total = 0.0
    for k in range(4000):
        total = total + parts[k % 3] * float(k)
    total.sum().backward(retain_graph=True)
    scale = 1.0 if part == "views of a leaf" else 2.0
    expected = [scale * sum(range(r, 4000, 3)) for r in range(3)]
    assert w.grad.tolist() == expected
    (total.sum() * 2).backward()
    assert w.grad.tolist() == [3 * e for e in expected]


@pytest.mark.parametrize("places", [1, 2, 1999, 2000, 3000])
def test_views_are_read_as_they_were_written_on_many_tapes(places, w):
    base = w * 2
    first, whole, total = base[:1], base.view(3), 0.0
    for k in range(4000):
        if k == places:
            base.mul_(3.0)
        if k == 3500:
            first.add_(1.0)
        total = total + first * float(k) + whole * 0.5
    total.sum().backward()
    before, after = range(places), range(places, 4000)
    whole_sum = 2 * (len(before) + 3 * len(after)) * 0.5
    # `first` has one element, and is added to all three of `whole`
    first_sum = 2 * (sum(before) + 3 * sum(after)) * 3
    assert w.grad.tolist() == [first_sum + whole_sum, whole_sum, whole_sum]
    now = [0.2, 0.4, 0.6]
    expected = [0.5 * x * (len(before) + 3 * len(after)) for x in now]
    expected[0] += 0.5 * len(range(3500, 4000))
    shared = 0.2 * (sum(before) + 3 * sum(after)) + sum(range(3500, 4000))
    assert total.tolist() == pytest.approx([shared + e for e in expected])


def marked(tape, records):
    """Touches records that a sweep would come to, as a tripwire: what looks at them takes the mark away."""
    from tapegrad.sweeps import TOUCHED

    for i in records:
        tape.all_words[i] |= TOUCHED
    return lambda: [bool(tape.all_words[i] & TOUCHED) for i in records]


@pytest.mark.parametrize("general", [False, True])
def test_a_backward_looks_at_the_records_of_its_own_graph_alone(general, w):
    """Many graphs share a tape; what one of them costs does not depend on the others."""
    losses = [step(w, k / 100) for k in range(40)]
    tape = losses[-1]._tape
    assert all(loss._tape is tape for loss in losses)
    losses[20].backward()
    there = marked(tape, [losses[10]._index, losses[30]._index])
    w.grad = None
    if general:
        losses[21].backward(gradient=tg.tensor(1.0))
    else:
        losses[21].backward()
    assert there() == [True, True]
    assert w.grad.tolist() == slope_of_step(w, 0.21)


def slope_of_step(w, k):
    leaf = w.detach().clone().requires_grad_()
    step(leaf, k).backward()
    return leaf.grad.tolist()


def test_many_losses_of_one_tape_have_the_gradients_that_they_have_alone(w):
    """In any order, with parts that they share, with several at once, and with hooks that run others of them."""
    shared = w * tg.tensor([1.0, 2.0, 3.0])
    losses = [(shared * k).sum() * w.sum() for k in range(6)]
    others = [step(w, k) for k in range(6)]
    for k in (3, 0, 5):
        others[k].backward(retain_graph=True)
        w.grad = None
        tg.autograd.backward([losses[k], others[1]], retain_graph=True)
        alone = w.detach().clone().requires_grad_()
        ((alone * tg.tensor([1.0, 2.0, 3.0]) * k).sum() * alone.sum() + step(alone, 1)).backward()
        assert w.grad.tolist() == pytest.approx(alone.grad.tolist(), rel=1e-12)
    inner = []

    def hook(g):
        inner.append(tg.autograd.grad(others[2], w, retain_graph=True)[0])

    w.grad = None
    shared.register_hook(hook)
    losses[4].backward(retain_graph=True)
    assert inner[0].tolist() == slope_of_step(w, 2)
    alone = w.detach().clone().requires_grad_()
    ((alone * tg.tensor([1.0, 2.0, 3.0]) * 4).sum() * alone.sum()).backward()
    assert w.grad.tolist() == pytest.approx(alone.grad.tolist(), rel=1e-12)


def test_a_part_that_another_loss_used_up_is_an_error_on_a_tape_of_many(w):
    losses = [step(w, k / 10) for k in range(20)]
    shared = (w * w).exp()
    first, second, third = shared.sum(), (shared * 2).sum(), step(w, 5)
    first.backward()
    w.grad = None
    with pytest.raises(RuntimeError, match="second time"):
        second.backward()
    assert w.grad is None
    third.backward()
    assert w.grad.tolist() == slope_of_step(w, 5)
    for k, loss in enumerate(losses):
        w.grad = None
        loss.backward()
        assert w.grad.tolist() == slope_of_step(w, k / 10)
        with pytest.raises(RuntimeError, match="second time"):
            loss.backward()


def test_a_value_that_was_overwritten_is_seen_on_a_tape_of_many(w):
    losses = [step(w, k / 10) for k in range(20)]
    y = w.exp()
    z = (y * y).sum()
    y.add_(1.0)
    losses[0].backward()
    with pytest.raises(RuntimeError, match="overwritten in place"):
        z.backward()
    losses[19].backward()


def test_functions_among_many_graphs_reach_their_operands(w):
    """Their operands may lie below all that a sweep has touched."""

    class Twice(tg.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            return x * 2

        @staticmethod
        def backward(ctx, g):
            return g * 2

    early = w * tg.tensor([1.0, 2.0, 3.0])
    for k in range(20):
        step(w, k)
    late = (Twice.apply(early) * Twice.apply(w)).sum()
    late.backward(retain_graph=True)
    late.backward()
    assert w.grad.tolist() == pytest.approx([2 * 8 * k * x for k, x in zip((1, 2, 3), w.tolist())])


def test_programs_that_keep_many_tapes_get_small_ones(w):
    kept = []
    for k in range(400):
        kept.append(step(w, k / 100))
        kept[-1].backward(retain_graph=True)
    sizes = [len(loss._tape.all_words) for loss in kept]
    assert sizes[-1] < sizes[0] and sizes.count(sizes[0]) < 200
    w.grad = None
    long = w.sum()
    for _ in range(100):  # and one that does not fit goes on on a larger one
        long = long * 1.5
    long.backward()
    assert w.grad.tolist() == pytest.approx([1.5**100] * 3)
    for k, loss in enumerate(kept):
        w.grad = None
        loss.backward()
        assert w.grad.tolist() == slope_of_step(w, k / 100)
    del kept, loss
    backward_some_more(w)
    last = step(w, 1.0)
    assert len(last._tape.all_words) == sizes[0]


def test_graphs_that_come_from_a_kept_one_leave_nothing_with_it(w):
    kept = (w * w).exp()
    for k in range(50):
        (kept * float(k)).sum().backward(retain_graph=True)
    gc.collect()
    assert len(kept._tape.incoming) <= 2


def test_the_pool_keeps_a_bounded_number_of_arrays(w):
    from tapegrad.buffers import POOLED, pool

    kept, other = w.sum(), tg.tensor(1.0, requires_grad=True)
    for _ in range(2 * POOLED):
        kept = kept * 0.5
        (other * 2).backward()
    kept.backward()  # gives the adjoints of each of the tapes back
    assert max(map(len, pool.arrays.values())) <= POOLED


def test_a_long_vector_that_is_taken_apart_enters_few_tapes():
    from tapegrad.autograd.paths import tapes_of

    x = tg.tensor([k / 20_000 for k in range(20_000)], requires_grad=True)
    total = 0.0
    for v in x:
        total = total + v * v
    assert len(tapes_of([total])) < 12
    total.backward()
    assert x.grad.tolist() == [2 * k / 20_000 for k in range(20_000)]
    y = x  # and long results go on on short tapes
    for _ in range(1500):
        y = y * 0.999
    assert max(tape.n for tape in tapes_of([y])[1:]) < 600
    y.sum().backward()


def test_graphs_of_writes_into_views_that_no_backward_goes_through_are_let_go():
    def run(times):
        for _ in range(times):
            s, x = tg.zeros(10), tg.ones(4, requires_grad=True)
            for part in (slice(4), slice(4, 8)):
                s[part] += x
            assert s.sum().item() == 8.0
        return tapes()

    first = run(100)
    assert run(500) < first + 100
