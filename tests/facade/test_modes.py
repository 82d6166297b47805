from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack

import pytest

from .subject import assert_same, leaf, tg

OFF = {
    "no_grad": lambda: tg.no_grad(),
    "set_grad_enabled": lambda: tg.set_grad_enabled(False),
    "inference_mode": lambda: tg.inference_mode(),
}
ON = {"enable_grad": lambda: tg.enable_grad(), "set_grad_enabled": lambda: tg.set_grad_enabled(True)}
off_modes = pytest.mark.parametrize("mode", list(OFF.values()), ids=list(OFF))
on_modes = pytest.mark.parametrize("mode", list(ON.values()), ids=list(ON))
all_modes = pytest.mark.parametrize(
    ("mode", "state"), [(m, False) for m in OFF.values()] + [(m, True) for m in ON.values()], ids=[*OFF, *ON]
)


def in_new_thread(function):
    with ThreadPoolExecutor(1) as pool:
        return pool.submit(function).result()


def test_grad_mode_is_on_at_first():
    assert tg.is_grad_enabled()
    assert in_new_thread(tg.is_grad_enabled)


@off_modes
def test_no_history_inside_and_the_old_state_after(mode):
    x = leaf([1.0, 2.0])
    with mode():
        assert not tg.is_grad_enabled()
        y = x * 2
        assert not y.requires_grad and y.grad_fn is None
    assert tg.is_grad_enabled()
    assert (x * 2).requires_grad


@on_modes
def test_grad_switched_on_again_inside_no_grad(mode):
    x = leaf([1.0, 2.0])
    with tg.no_grad():
        with mode():
            assert tg.is_grad_enabled()
            loss = (x * x).sum()
        assert not tg.is_grad_enabled()
    loss.backward()
    assert_same(x.grad, [2.0, 4.0])


@all_modes
def test_an_exception_restores_the_mode(mode, state):
    with tg.set_grad_enabled(not state):
        with pytest.raises(KeyError), mode():
            raise KeyError
        assert tg.is_grad_enabled() is not state


@all_modes
def test_as_a_decorator(mode, state):
    @mode()
    def report(a, b=0):
        """What it says."""
        return a, b, tg.is_grad_enabled()

    tg.set_grad_enabled(not state)
    assert report(1, b=2) == (1, 2, state)
    assert tg.is_grad_enabled() is not state
    assert report.__name__ == "report" and report.__doc__ == "What it says."


@pytest.mark.parametrize(("name", "state"), [("no_grad", False), ("enable_grad", True), ("inference_mode", False)])
def test_as_a_decorator_without_parentheses(name, state):
    @getattr(tg, name)
    def report():
        return tg.is_grad_enabled()

    tg.set_grad_enabled(not state)
    assert report() is state
    assert tg.is_grad_enabled() is not state


@all_modes
def test_a_decorated_function_that_raises_restores_the_mode(mode, state):
    @mode()
    def fail():
        raise KeyError

    tg.set_grad_enabled(not state)
    with pytest.raises(KeyError):
        fail()
    assert tg.is_grad_enabled() is not state


@all_modes
def test_a_decorated_function_may_call_itself(mode, state):
    @mode()
    def report(depth):
        inner = report(depth - 1) if depth else []
        return [*inner, tg.is_grad_enabled()]

    tg.set_grad_enabled(not state)
    assert report(3) == [state] * 4
    assert tg.is_grad_enabled() is not state


@pytest.mark.parametrize("state", [False, True])
def test_set_grad_enabled_as_a_function_lasts(state):
    tg.set_grad_enabled(not state)
    tg.set_grad_enabled(state)
    assert tg.is_grad_enabled() is state
    assert (leaf([1.0]) * 2).requires_grad is state


@pytest.mark.parametrize("mode", ["off", None, 2, 0.5])
def test_a_mode_that_is_neither_true_nor_false_is_refused_and_changes_nothing(mode):
    for switch in (tg.set_grad_enabled, tg.autograd.set_detect_anomaly):
        with pytest.raises(TypeError):
            switch(mode)
    assert tg.is_grad_enabled()
    assert not tg.is_inference_mode_enabled()


def test_set_grad_enabled_as_a_decorator_leaves_the_mode_when_applied():
    @tg.set_grad_enabled(False)
    def report():
        return tg.is_grad_enabled()

    assert tg.is_grad_enabled()
    assert report() is False


def test_one_context_object_can_be_entered_again():
    mode = tg.no_grad()
    for _ in range(2):
        with mode:
            assert not tg.is_grad_enabled()
        assert tg.is_grad_enabled()


@all_modes
def test_a_decorated_generator_runs_in_the_mode_and_its_caller_does_not(mode, state):
    @mode()
    def generate():
        for _ in range(3):
            yield tg.is_grad_enabled()

    tg.set_grad_enabled(not state)
    inside, outside = [], []
    for seen in generate():
        inside.append(seen)
        outside.append(tg.is_grad_enabled())
    assert inside == [state] * 3
    assert outside == [not state] * 3
    assert tg.is_grad_enabled() is not state


@all_modes
def test_a_decorated_generator_passes_send_throw_close_and_return(mode, state):
    log = []

    @mode()
    def generate():
        try:
            received = yield "first"
            log.append((received, tg.is_grad_enabled()))
            try:
                yield "second"
            except KeyError:
                log.append(("caught", tg.is_grad_enabled()))
            yield "third"
            return "result"
        finally:
            log.append(("closed", tg.is_grad_enabled()))

    tg.set_grad_enabled(not state)
    g = generate()
    assert next(g) == "first"
    assert g.send("hello") == "second"
    assert g.throw(KeyError()) == "third"
    with pytest.raises(StopIteration) as stop:
        next(g)
    assert stop.value.value == "result"
    early = generate()
    next(early)
    early.close()
    assert log == [("hello", state), ("caught", state), ("closed", state), ("closed", state)]
    assert tg.is_grad_enabled() is not state


def test_a_context_manager_inside_a_plain_generator_leaks_until_it_is_exhausted():
    def generate():
        with tg.no_grad():
            yield tg.is_grad_enabled()

    g = generate()
    assert next(g) is False
    assert not tg.is_grad_enabled()
    assert next(g, "end") == "end"
    assert tg.is_grad_enabled()


@off_modes
def test_a_new_thread_has_grad_on_whatever_its_parent_does(mode):
    with mode():
        assert in_new_thread(tg.is_grad_enabled)
        assert in_new_thread(lambda: (leaf([1.0]) * 2).requires_grad)
        assert not tg.is_grad_enabled()


@off_modes
def test_a_mode_set_in_a_thread_stays_there(mode):
    contexts = ExitStack()
    with ThreadPoolExecutor(1) as pool:
        pool.submit(lambda: contexts.enter_context(mode())).result()
        assert pool.submit(tg.is_grad_enabled).result() is False
        assert tg.is_grad_enabled()
        pool.submit(contexts.close).result()
        assert pool.submit(tg.is_grad_enabled).result() is True


def test_a_leaf_made_inside_no_grad_may_require_grad():
    with tg.no_grad():
        x = leaf([1.0, 2.0])
    assert x.requires_grad
    (x * x).sum().backward()
    assert_same(x.grad, [2.0, 4.0])


def test_no_grad_leaves_the_flags_of_leaves_alone():
    x = leaf([1.0])
    with tg.no_grad():
        assert x.requires_grad
        assert not x.clone().requires_grad and not x.detach().requires_grad


def test_gradient_descent_step_inside_no_grad():
    w = leaf([1.0, -2.0])
    for _ in range(3):
        (w * w).sum().backward()
        with tg.no_grad():
            w -= 0.25 * w.grad
            w.grad = None
    assert_same(w, [0.125, -0.25])
    assert w.requires_grad and w.is_leaf


def test_inference_mode_can_be_switched_off():
    with tg.inference_mode(False):
        assert tg.is_grad_enabled()
        assert (leaf([1.0]) * 2).requires_grad


def test_inference_mode_results_cannot_be_recorded_later():
    with tg.inference_mode():
        c = tg.ones(2)
    with pytest.raises(RuntimeError, match="[Ii]nference"):
        leaf([1.0, 2.0]) * c


def test_inference_tensors_may_be_used_where_their_value_is_not_needed():
    with tg.inference_mode():
        c = tg.ones(2)
    x = leaf([1.0, 2.0])
    (x - c).sum().backward()
    assert_same(x.grad, [1.0, 1.0])


def test_results_and_views_inside_inference_mode():
    x = tg.ones(2)
    with tg.inference_mode():
        made, view = x + 1, x[:1]
        made.add_(1)
    assert made.is_inference() and not view.is_inference()
    assert made[:1].is_inference() and not made.clone().is_inference()
    with pytest.raises(RuntimeError, match="(?i)inference"):
        made.add_(1)


def test_nothing_is_recorded_inside_inference_mode_whatever_the_inner_mode():
    x = leaf([1.0])
    with tg.inference_mode():
        with tg.enable_grad():
            assert not (x * 2).requires_grad
        with tg.inference_mode(False):
            assert (x * 2).requires_grad
    assert (x * 2).requires_grad
