"""Optimizers and schedules: PyTorch's numbers, state, settings and errors."""

import copy
import json
import math
import pickle

import numpy as np
import pytest

import tapegrad as tg

from . import problems
from .problems import CASES, SCHEDULES, SEARCHES

GOLDEN = json.loads(problems.GOLDEN.read_text(encoding="utf-8"))


@pytest.mark.parametrize("case", CASES)
def test_200_steps_give_the_golden_values(case):
    np.testing.assert_allclose(problems.trained(tg, case), GOLDEN["trained"][case], rtol=1e-12)
    np.testing.assert_allclose(problems.trained(tg, case, "float32"), GOLDEN["trained"][case], rtol=2e-4, atol=2e-5)


@pytest.mark.parametrize("optimizer", ["SGD", "Adam"])
@pytest.mark.parametrize("case", SCHEDULES)
def test_schedules_give_the_golden_values(case, optimizer):
    np.testing.assert_allclose(problems.rates(tg, case, optimizer), GOLDEN["rates"][f"{case}, {optimizer}"], rtol=1e-15)


@pytest.mark.parametrize("case", SEARCHES)
def test_lbfgs_gives_the_golden_values(case):
    np.testing.assert_allclose(problems.searched(tg, case), GOLDEN["searched"][case], rtol=1e-8)


@pytest.mark.parametrize("case", CASES)
def test_parity_with_pytorch(case):
    torch = pytest.importorskip("torch")
    before = torch.get_default_dtype()
    torch.set_default_dtype(torch.float64)
    single = 1e-4 if case.startswith("Rprop") else 2e-6  # it goes by signs of gradients, which rounding decides near a minimum
    try:
        for dtype, rtol in (("float64", 1e-12), ("float32", single)):
            ours, theirs = (problems.trained(module, case, dtype) for module in (tg, torch))
            np.testing.assert_allclose(ours, theirs, rtol=rtol, atol=rtol)
    finally:
        torch.set_default_dtype(before)


# State ----------------------------------------------------------------------------------------------------------------


def make(name, p, **options):
    return getattr(tg.optim, name.split()[0])(p, **{**CASES[name], **options})


@pytest.mark.parametrize("case", CASES)
def test_a_loaded_optimizer_goes_on_as_the_one_that_was_saved(case):
    def grads(k):
        return tg.tensor([math.sin(k), math.cos(2 * k)]), tg.tensor([0.5 - k])

    def run(optimizer, params, steps):
        for k in steps:
            for p, g in zip(params, grads(k)):
                p.grad = g
            optimizer.step()
        return [p.tolist() for p in params]

    params = [tg.tensor([1.0, 2.0], requires_grad=True), tg.tensor([3.0], requires_grad=True)]
    optimizer = make(case, params)
    run(optimizer, params, range(4))
    saved = pickle.loads(pickle.dumps(optimizer.state_dict()))
    copies = [tg.tensor(p.tolist(), requires_grad=True) for p in params]
    other = make(case, copies, lr=9.0)
    other.load_state_dict(saved)
    assert other.param_groups[0]["lr"] == CASES[case]["lr"]
    assert run(other, copies, range(4, 9)) == run(optimizer, params, range(4, 9))
    again = copy.deepcopy(saved)
    run(other, copies, range(3))
    assert repr(again) == repr(saved)  # what was saved is not what is used


def test_state_has_pytorch_s_names_and_is_the_real_one():
    x = tg.tensor([1.0, 2.0], requires_grad=True)
    adam = tg.optim.Adam([x], lr=0.1)
    assert adam.state == {} and adam.state_dict()["state"] == {}
    x.grad = tg.tensor([1.0, -1.0])
    adam.step()
    assert list(adam.state[x]) == ["step", "exp_avg", "exp_avg_sq"]
    assert adam.state[x]["step"].item() == 1
    np.testing.assert_allclose(adam.state[x]["exp_avg"].numpy(), [0.1, -0.1], rtol=1e-15)
    adam.state[x]["exp_avg"].zero_()
    assert adam.state_dict()["state"][0]["exp_avg"].tolist() == [0, 0]
    assert adam.state_dict()["param_groups"][0]["params"] == [0]
    assert adam.state_dict()["param_groups"][0]["betas"] == (0.9, 0.999)


def test_pytorch_s_state_can_be_loaded():
    torch = pytest.importorskip("torch")
    theirs = torch.tensor([1.0, 2.0], dtype=torch.float64, requires_grad=True)
    ours = tg.tensor([1.0, 2.0], requires_grad=True)
    optimizers = [module.optim.Adam([x], lr=0.1) for module, x in ((torch, theirs), (tg, ours))]
    for k in range(10):
        theirs.grad = torch.tensor([k, 1.0 - k], dtype=torch.float64)
        optimizers[0].step()
        if k == 4:
            ours.data = tg.tensor(theirs.tolist())
            optimizers[1].load_state_dict(optimizers[0].state_dict())
        elif k > 4:
            ours.grad = tg.tensor([float(k), 1.0 - k])
            optimizers[1].step()
    np.testing.assert_allclose(ours.tolist(), theirs.tolist(), rtol=1e-13)


@pytest.mark.parametrize("case", SCHEDULES)
def test_a_loaded_schedule_goes_on(case):
    def made():
        x = tg.tensor([1.0], requires_grad=True)
        y = tg.tensor([1.0], requires_grad=True)
        sgd = tg.optim.SGD([{"params": [x]}, {"params": [y]}], lr=0.1, momentum=0.9)
        return sgd, problems.schedule_of(tg, case, sgd)

    def go(schedule, steps):
        for k in range(steps):
            schedule.step(*([1.0 + k] if "Plateau" in case else []))
        return schedule.get_last_lr()

    sgd, schedule = made()
    go(schedule, 8)
    other, resumed = made()
    resumed.load_state_dict(copy.deepcopy(schedule.state_dict()))
    other.load_state_dict(sgd.state_dict())
    assert go(resumed, 9) == go(schedule, 9)


def test_warm_restarts_go_to_any_epoch():
    sgd = tg.optim.SGD([tg.tensor([1.0], requires_grad=True)], lr=1.0)
    schedule = tg.optim.lr_scheduler.CosineAnnealingWarmRestarts(sgd, T_0=2, T_mult=3)
    found = {}
    for epoch in (2.5, 0, 8, 1, 2, 7.999):
        schedule.step(epoch)
        found[epoch] = schedule.get_last_lr()[0]
        assert schedule.last_epoch == math.floor(epoch)
    share = {2.5: 0.5 / 6, 0: 0, 8: 0, 1: 0.5, 2: 0, 7.999: 5.999 / 6}
    assert found == pytest.approx({epoch: (1 + math.cos(math.pi * x)) / 2 for epoch, x in share.items()})
    with pytest.raises(ValueError, match="negative"):
        schedule.step(-1)


def test_schedules_in_schedules_begin_anew():
    sgd, kinds = tg.optim.SGD([tg.tensor([1.0], requires_grad=True)], lr=1.0), tg.optim.lr_scheduler
    inner = kinds.SequentialLR(sgd, [kinds.ConstantLR(sgd, 0.5, 9), kinds.ExponentialLR(sgd, 0.5)], [2])
    chain = kinds.ChainedScheduler([kinds.ConstantLR(sgd, 0.1, 9), kinds.ExponentialLR(sgd, 0.5)])
    outer = kinds.SequentialLR(sgd, [kinds.StepLR(sgd, 2, 0.5), inner, chain], [3, 7])
    rates = list(outer.get_last_lr())
    for _ in range(9):
        outer.step()
        rates += outer.get_last_lr()
    assert rates == pytest.approx([1, 1, 0.5, 0.5, 0.5, 1, 0.5, 0.1, 0.05, 0.025])


# Parameters and gradients ---------------------------------------------------------------------------------------------


def test_steps_bump_versions_and_run_pending_records_first():
    x = tg.tensor([3.0], requires_grad=True)
    y = x * x  # not computed yet
    x.grad = tg.tensor([1.0])
    version = x._version
    tg.optim.SGD([x], lr=1.0).step()
    assert x._version == version + 1
    assert y.tolist() == [9] and x.tolist() == [2]
    with pytest.raises(RuntimeError, match="overwritten"):
        y.sum().backward()


def test_views_lists_and_shared_memory_see_the_step():
    memory = np.array([[1.0, 2.0], [3.0, 4.0]])
    x = tg.from_numpy(memory).requires_grad_()
    view = x.detach()[0]
    x.grad = tg.ones(2, 2).T
    tg.optim.SGD([x], lr=1.0).step()
    assert memory.tolist() == [[0, 1], [2, 3]] and view.tolist() == [0, 1]
    turned = tg.from_numpy(np.array([[1.0, 2.0], [3.0, 4.0]]).T).requires_grad_()
    turned.grad = tg.tensor([[1.0, 2.0], [3.0, 4.0]])
    tg.optim.SGD([turned], lr=1.0).step()
    assert turned.tolist() == [[0, 1], [-1, 0]]
    version, number, other = turned._version, tg.tensor(2.0, requires_grad=True), tg.tensor([1.0], requires_grad=True)
    number.grad = tg.tensor(0.5)
    tg.optim.SGD([number, other, turned], lr=1.0).step()
    assert number.item() == 1.5 and other.item() == 1 and turned.tolist() == [[-1, -1], [-4, -4]]
    assert (turned._version, number._version, other._version) == (version + 1, 1, 0)


def test_gradients_that_are_views_or_part_of_a_graph():
    x = tg.tensor([1.0, 2.0], requires_grad=True)
    x.grad = tg.tensor([1.0, 9.0, 2.0, 9.0])[::2]
    tg.optim.SGD([x], lr=1.0).step()
    assert x.tolist() == [0, 0]
    x = tg.tensor([1.0, 2.0], requires_grad=True)
    (x**3).sum().backward(create_graph=True)
    tg.optim.SGD([x], lr=1.0).step()
    assert x.tolist() == [-2, -10]


def test_zero_dimensions_and_empty_parameters():
    x, y = tg.tensor(1.0, requires_grad=True), tg.zeros(0, requires_grad=True)
    adam = tg.optim.Adam([x, y], lr=0.1)
    (x * 2 + y.sum()).backward()
    adam.step()
    assert x.item() == pytest.approx(0.9)


def test_groups_have_settings_of_their_own_that_can_change():
    x, y, z = (tg.tensor([1.0], requires_grad=True) for _ in range(3))
    sgd = tg.optim.SGD([{"params": [x]}, {"params": y, "lr": 0.5}], lr=0.1)
    sgd.add_param_group({"params": [z], "lr": 0.25})
    for p in (x, y, z):
        p.grad = tg.tensor([1.0])
    sgd.step()
    assert [x.item(), y.item(), z.item()] == [0.9, 0.5, 0.75]
    sgd.param_groups[0]["lr"] = tg.tensor(0.4)
    sgd.step()
    assert x.item() == pytest.approx(0.5)
    assert "lr: 0.5" in repr(sgd)


def test_names_of_parameters_are_kept():
    x = tg.tensor([1.0], requires_grad=True)
    assert tg.optim.SGD([("weight", x)], lr=0.1).state_dict()["param_groups"][0]["param_names"] == ["weight"]


def test_an_exception_in_the_closure_changes_nothing():
    x = tg.tensor([1.0], requires_grad=True)
    x.grad = tg.tensor([1.0])
    adam = tg.optim.Adam([x])
    with pytest.raises(ZeroDivisionError):
        adam.step(lambda: 1 / 0)
    assert x.tolist() == [1] and adam.state == {}


def test_lbfgs_that_is_interrupted_is_at_the_last_accepted_point():
    x = tg.tensor([-1.2, 1.0], requires_grad=True)
    lbfgs = tg.optim.LBFGS([x], line_search_fn="strong_wolfe", max_iter=50)
    points, calls = [], [0]

    def closure():
        calls[0] += 1
        if calls[0] == 12:
            raise KeyboardInterrupt
        lbfgs.zero_grad()
        loss = 100 * (x[1] - x[0] ** 2) ** 2 + (1 - x[0]) ** 2
        loss.backward()
        points.append((loss.item(), x.tolist()))
        return loss

    with pytest.raises(KeyboardInterrupt):
        lbfgs.step(closure)
    assert x.tolist() in [point for _, point in points]
    assert 100 * (x[1] - x[0] ** 2) ** 2 + (1 - x[0]) ** 2 <= points[0][0]


def test_lbfgs_state_goes_on():
    def run(x, lbfgs, steps):
        def closure():
            lbfgs.zero_grad()
            loss = (100 * (x[1:] - x[:-1] ** 2) ** 2 + (1 - x[:-1]) ** 2).sum()
            loss.backward()
            return loss

        for _ in range(steps):
            lbfgs.step(closure)
        return x.tolist()

    x = tg.tensor([-1.2, 1.0, 0.5], requires_grad=True)
    lbfgs = tg.optim.LBFGS([x], max_iter=2, line_search_fn="strong_wolfe")
    run(x, lbfgs, 3)
    y = tg.tensor(x.tolist(), requires_grad=True)
    other = tg.optim.LBFGS([y], max_iter=2, line_search_fn="strong_wolfe")
    other.load_state_dict(lbfgs.state_dict())
    assert run(y, other, 3) == run(x, lbfgs, 3)
    assert other.state[y]["n_iter"] == lbfgs.state[x]["n_iter"] > 3


# Clipping -------------------------------------------------------------------------------------------------------------


def test_clipping_by_norm_and_value():
    x, y, z = (tg.tensor([1.0, 1.0], requires_grad=True) for _ in range(3))
    x.grad, y.grad = tg.tensor([3.0, 0.0]), tg.tensor([0.0, 4.0])
    assert tg.nn.utils.clip_grad_norm_([x, y, z], 1.0).item() == 5
    np.testing.assert_allclose([*x.grad.tolist(), *y.grad.tolist()], [0.6, 0, 0, 0.8], rtol=1e-6)
    assert tg.nn.utils.clip_grad_norm_([x, y], 10.0).item() == pytest.approx(1)
    x.grad = tg.tensor([3.0, -5.0])
    assert tg.nn.utils.clip_grad_norm_(x, 2.5, math.inf).item() == 5
    np.testing.assert_allclose(x.grad.tolist(), [1.5, -2.5], rtol=1e-6)
    tg.nn.utils.clip_grad_value_([x, z], 1)
    assert x.grad.tolist() == [1, -1]
    assert tg.nn.utils.clip_grad_norm_([z], 1.0).item() == 0
    x.grad = tg.tensor([math.inf, 1.0])
    with pytest.raises(RuntimeError, match="inf"):
        tg.nn.utils.clip_grad_norm_([x], 1.0, error_if_nonfinite=True)


# Errors ---------------------------------------------------------------------------------------------------------------

P = tg.tensor([1.0], requires_grad=True)


def steps():
    return tg.optim.lr_scheduler.StepLR(tg.optim.SGD([P]), 3)


def sequential(schedule, milestones=()):
    sgd = schedule.optimizer if milestones else tg.optim.SGD([P])
    return tg.optim.lr_scheduler.SequentialLR(sgd, [schedule], milestones)


@pytest.mark.parametrize(
    ("call", "error", "match"),
    [
        (lambda: tg.optim.SGD([], lr=0.1), ValueError, "no parameters"),
        (lambda: tg.optim.SGD(P, lr=0.1), TypeError, "iterable"),
        (lambda: tg.optim.SGD(3.0, lr=0.1), TypeError, "iterable"),
        (lambda: tg.optim.SGD([3.0], lr=0.1), TypeError, "tensors"),
        (lambda: tg.optim.SGD([P, P], lr=0.1), ValueError, "twice"),
        (lambda: tg.optim.SGD([{"params": [P]}, {"params": [P]}]), ValueError, "twice"),
        (lambda: tg.optim.SGD([{"lr": 1.0}]), TypeError, "params"),
        (lambda: tg.optim.SGD([{"params": [P], "speed": 1.0}]), ValueError, "speed"),
        (lambda: tg.optim.SGD({P}), TypeError, "order"),
        (lambda: tg.optim.SGD([P * 2]), ValueError, "computed from others"),
        (lambda: tg.optim.SGD([P], lr=-1), ValueError, "lr"),
        (lambda: tg.optim.SGD([P], lr=math.nan), ValueError, "lr"),
        (lambda: tg.optim.SGD([P], nesterov=True), ValueError, "nesterov"),
        (lambda: tg.optim.Adam([P], betas=(0.9, 1.0)), ValueError, r"betas\[1\]"),
        (lambda: tg.optim.Adam([P], differentiable=True), NotImplementedError, "in place"),
        (lambda: tg.optim.Rprop([P], etas=(1.5, 2.0)), ValueError, "etas"),
        (lambda: tg.optim.Adam([P, tg.tensor([1.0], dtype=tg.float32, requires_grad=True)]), TypeError, "float32, float64"),
        (lambda: tg.optim.LBFGS([P], line_search_fn="armijo"), ValueError, "strong_wolfe"),
        (lambda: tg.optim.LBFGS([P]).step(None), TypeError, "closure"),
        (lambda: tg.optim.LBFGS([{"params": [P]}, {"params": [tg.ones(1)]}]), ValueError, "one group"),
        (lambda: tg.optim.lr_scheduler.StepLR(P, 3), TypeError, "optimizer"),
        (lambda: tg.optim.lr_scheduler.StepLR(tg.optim.SGD([P]), 3, last_epoch=5), KeyError, "initial_lr"),
        (lambda: tg.optim.lr_scheduler.LambdaLR(tg.optim.SGD([P]), [abs, abs]), ValueError, "1 groups"),
        (lambda: tg.optim.lr_scheduler.OneCycleLR(tg.optim.SGD([P]), 1.0), ValueError, "total_steps"),
        (lambda: tg.optim.lr_scheduler.OneCycleLR(tg.optim.Adagrad([P]), 1.0, 10), ValueError, "momentum"),
        (lambda: tg.optim.lr_scheduler.ReduceLROnPlateau(tg.optim.SGD([P]), factor=1.5), ValueError, "factor"),
        (lambda: tg.optim.Adadelta([P], rho=1.5), ValueError, "rho"),
        (lambda: tg.optim.lr_scheduler.CyclicLR(P, 0.1, 1.0), TypeError, "optimizer"),
        (lambda: tg.optim.lr_scheduler.CyclicLR(tg.optim.SGD([P]), 0.1, 1.0, mode="square"), ValueError, "'square'"),
        (lambda: tg.optim.lr_scheduler.CyclicLR(tg.optim.SGD([P]), 0.1, 1.0, step_size_up=0), ValueError, "steps up"),
        (lambda: tg.optim.lr_scheduler.CyclicLR(tg.optim.SGD([P]), [0.1, 0.2], 1.0), ValueError, "1 groups and 2 values"),
        (lambda: tg.optim.lr_scheduler.CyclicLR(tg.optim.Adagrad([P]), 0.1, 1.0), ValueError, "momentum"),
        (lambda: tg.optim.lr_scheduler.CosineAnnealingWarmRestarts(tg.optim.SGD([P]), 0), ValueError, "T_0"),
        (lambda: tg.optim.lr_scheduler.CosineAnnealingWarmRestarts(tg.optim.SGD([P]), 2, 1.5), ValueError, "T_mult"),
        (lambda: tg.optim.lr_scheduler.ChainedScheduler([]), ValueError, "there is none"),
        (lambda: tg.optim.lr_scheduler.ChainedScheduler([3]), TypeError, "number 0 is a int"),
        (lambda: sequential(steps()), ValueError, "another"),
        (lambda: sequential(steps(), milestones=[3]), ValueError, "0 milestones, and 1"),
        (lambda: sequential(tg.optim.lr_scheduler.ReduceLROnPlateau(tg.optim.SGD([P])), [3]), ValueError, "measure"),
    ],
)
def test_errors_before_any_work(call, error, match):
    with pytest.raises(error, match=match):
        call()


def test_state_that_does_not_fit_changes_nothing():
    a, b = tg.tensor([1.0], requires_grad=True), tg.tensor([1.0, 2.0], requires_grad=True)
    first, second = tg.optim.Adam([a], lr=0.1), tg.optim.Adam([b], lr=0.2)
    a.grad = tg.ones(1)
    first.step()
    with pytest.raises(ValueError, match=r"\(1,\)"):
        second.load_state_dict(first.state_dict())
    with pytest.raises(ValueError, match="groups"):
        tg.optim.Adam([b, tg.ones(1)]).load_state_dict(first.state_dict())
    assert second.param_groups[0]["lr"] == 0.2 and second.state == {}


@pytest.mark.parametrize("copied", [copy.deepcopy, lambda made: pickle.loads(pickle.dumps(made))], ids=["deepcopy", "pickle"])
@pytest.mark.parametrize("case", [*CASES, "LBFGS"])
def test_copies_of_optimizers_and_schedules_go_on_by_themselves(case, copied):
    def go(optimizer, steps):
        (p,) = optimizer.param_groups[0]["params"]

        def closure():
            optimizer.zero_grad()
            loss = ((p - 3.0) ** 4).sum()
            loss.backward()
            return loss

        for _ in range(steps):
            optimizer.step(closure)
        return p.tolist()

    p = tg.tensor([1.0, 2.0], requires_grad=True)
    optimizer = tg.optim.LBFGS([p], max_iter=2) if case == "LBFGS" else make(case, [p])
    schedule = tg.optim.lr_scheduler.StepLR(optimizer, 2)
    go(optimizer, 3)
    other, other_schedule = copied((optimizer, schedule))
    assert other_schedule.optimizer is other and other.param_groups[0]["params"][0] is not p
    before = p.tolist()
    expected = go(other, 3)
    assert p.tolist() == before
    assert go(optimizer, 3) == expected
    with pytest.raises(ValueError, match="twice"):
        other.add_param_group({"params": other.param_groups[0]["params"]})
