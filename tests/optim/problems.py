"""One problem for all optimizers, in the names that tapegrad and PyTorch share; and the golden values: 200 steps on PyTorch.

``python tests/optim/problems.py`` computes them anew with PyTorch and writes golden.json.
"""

import json
import pathlib

import numpy as np

GOLDEN = pathlib.Path(__file__).with_name("golden.json")
STEPS = 200

CASES = {
    "SGD": {"lr": 0.05},
    "SGD momentum": {"lr": 0.01, "momentum": 0.9, "dampening": 0.1},
    "SGD nesterov": {"lr": 0.02, "momentum": 0.9, "weight_decay": 0.1, "nesterov": True},
    "Adam": {"lr": 0.01},
    "Adam amsgrad": {"lr": 0.01, "amsgrad": True, "weight_decay": 0.1},
    "Adam maximize": {"lr": 0.01, "betas": (0.3, 0.9), "maximize": True},
    "AdamW": {"lr": 0.01},
    "NAdam": {"lr": 0.01, "weight_decay": 0.01},
    "NAdam decoupled": {"lr": 0.01, "weight_decay": 0.01, "decoupled_weight_decay": True},
    "RAdam": {"lr": 0.02},
    "RAdam decoupled": {"lr": 0.01, "betas": (0.8, 0.99), "weight_decay": 0.1, "decoupled_weight_decay": True},
    "Adamax": {"lr": 0.01},
    "Adamax maximize": {"lr": 0.01, "betas": (0.8, 0.99), "weight_decay": 0.1, "maximize": True},
    "Adadelta": {"lr": 1.0},
    "Adadelta decay": {"lr": 0.5, "rho": 0.8, "eps": 1e-4, "weight_decay": 0.1},
    "ASGD": {"lr": 0.05},
    "ASGD averaging": {"lr": 0.05, "lambd": 0.01, "alpha": 0.6, "t0": 20, "weight_decay": 0.01},
    "Adagrad": {"lr": 0.1, "lr_decay": 0.01, "initial_accumulator_value": 0.1},
    "RMSprop": {"lr": 0.01},
    "RMSprop centered": {"lr": 0.01, "momentum": 0.5, "centered": True, "weight_decay": 0.01},
    "Rprop": {"lr": 0.01},
}
SCHEDULES = {  # settings, or how one is made of others
    "StepLR": {"step_size": 7},
    "MultiStepLR": {"milestones": [3, 9, 9, 20], "gamma": 0.5},
    "ExponentialLR": {"gamma": 0.9},
    "CosineAnnealingLR": {"T_max": 11, "eta_min": 0.01},
    "LambdaLR": {"lr_lambda": lambda epoch: 0.95**epoch},
    "OneCycleLR": {"max_lr": 0.5, "total_steps": 45},
    "OneCycleLR linear": {
        "max_lr": [0.5, 0.2],
        "epochs": 9,
        "steps_per_epoch": 5,
        "three_phase": True,
        "anneal_strategy": "linear",
    },
    "LinearLR": {},
    "ConstantLR": {},
    "ReduceLROnPlateau": {"patience": 2, "cooldown": 2},
    "MultiplicativeLR": {"lr_lambda": [lambda epoch: 0.9, lambda epoch: 1 - 0.01 * epoch]},
    "PolynomialLR": {"total_iters": 15, "power": 0.7},
    "CosineAnnealingWarmRestarts": {"T_0": 4, "T_mult": 2, "eta_min": 0.01},
    "CyclicLR": {"base_lr": 0.01, "max_lr": [0.1, 0.2], "step_size_up": 3, "step_size_down": 5, "mode": "triangular2"},
    "CyclicLR range": {"base_lr": [0.01, 0.02], "max_lr": 0.1, "step_size_up": 4, "mode": "exp_range", "gamma": 0.97},
    "CyclicLR scaled": {
        "base_lr": 0.01,
        "max_lr": 0.1,
        "step_size_up": 4,
        "scale_fn": lambda step: 1 / (1 + step),
        "scale_mode": "iterations",
        "cycle_momentum": False,
    },
    "SequentialLR": lambda made, kinds: kinds.SequentialLR(
        made,
        [
            kinds.ConstantLR(made, factor=0.1, total_iters=4),
            kinds.ExponentialLR(made, gamma=0.9),
            kinds.CosineAnnealingWarmRestarts(made, T_0=3),
            kinds.MultiplicativeLR(made, lambda epoch: 0.8),
            kinds.CyclicLR(made, 0.01, 0.1, step_size_up=3),
            kinds.LinearLR(made, start_factor=0.5, total_iters=4),
        ],
        milestones=[5, 10, 18, 22, 30],
    ),
    "ChainedScheduler": lambda made, kinds: kinds.ChainedScheduler(
        [kinds.LinearLR(made, total_iters=4), kinds.StepLR(made, 6), kinds.PolynomialLR(made, 30)]
    ),
    "SequentialLR chained": lambda made, kinds: kinds.SequentialLR(
        made,
        [kinds.ChainedScheduler([kinds.LinearLR(made), kinds.MultiStepLR(made, [2, 5])]), kinds.StepLR(made, 3)],
        milestones=[8],
    ),
}
SEARCHES = {
    "fixed": {"lr": 0.001},
    "strong_wolfe": {"line_search_fn": "strong_wolfe"},
    "short memory": {"line_search_fn": "strong_wolfe", "max_iter": 3, "history_size": 2},
}


def trained(module, case, dtype="float64", steps=STEPS, optimizer=None):
    """Parameters after some steps on a small network, as one vector."""
    random = np.random.default_rng(0)
    dtype = getattr(module, dtype)
    inputs = module.tensor(random.normal(size=(6, 4)), dtype=dtype)
    targets = module.tensor(random.normal(size=6), dtype=dtype)
    weights = module.tensor(np.full((4, 3), 0.5), dtype=dtype, requires_grad=True)
    offsets = module.tensor(np.zeros(3), dtype=dtype, requires_grad=True)
    made = getattr(module.optim, case.split()[0])([weights, offsets], **CASES[case])
    for k in range(steps):
        made.zero_grad()
        if k % 3:
            loss = (((inputs @ weights + offsets).tanh().sum(1) - targets) ** 2).mean()
        else:  # the offsets have no gradient
            loss = ((inputs @ weights).sin().sum(1) ** 2).mean()
        loss.backward()
        made.step()
    if optimizer is not None:
        optimizer.append(made)
    return np.concatenate([weights.detach().numpy().ravel(), offsets.detach().numpy()])


def schedule_of(module, case, optimizer):
    given, kinds = SCHEDULES[case], module.optim.lr_scheduler
    return given(optimizer, kinds) if callable(given) else getattr(kinds, case.split()[0])(optimizer, **given)


def rates(module, case, optimizer, epochs=40):
    """Learning rates and momenta of two groups over some epochs."""
    first = module.tensor([1.0, 2.0], requires_grad=True)
    second = module.tensor([1.0], requires_grad=True)
    options = {"momentum": 0.9} if optimizer == "SGD" else {}
    made = getattr(module.optim, optimizer)([{"params": [first]}, {"params": [second], "lr": 0.3}], lr=0.1, **options)
    schedule = schedule_of(module, case, made)
    found = []
    for k in range(epochs):
        first.grad, second.grad = module.tensor([0.1, 0.2]), module.tensor([0.3])
        made.step()
        schedule.step(*([[3, 2, 2, 2, 2.5, 1][k % 6] + k * 0.01] if case == "ReduceLROnPlateau" else []))
        for group in made.param_groups:
            found += [group["lr"], group["betas"][0] if "betas" in group else group["momentum"]]
    return found


def searched(module, case, steps=6):
    """Losses and points of L-BFGS on Rosenbrock's function."""
    x = module.tensor([-1.2, 1.0, 0.5, 2.0], requires_grad=True)
    made = module.optim.LBFGS([x], **SEARCHES[case])

    def closure():
        made.zero_grad()
        loss = (100 * (x[1:] - x[:-1] ** 2) ** 2 + (1 - x[:-1]) ** 2).sum()
        loss.backward()
        return loss

    found = []
    for _ in range(steps):
        found += [made.step(closure).item(), *x.tolist()]
    return found


def everything(module):
    return {
        "trained": {case: trained(module, case).tolist() for case in CASES},
        "rates": {f"{case}, {name}": rates(module, case, name) for case in SCHEDULES for name in ("SGD", "Adam")},
        "searched": {case: searched(module, case) for case in SEARCHES},
    }


if __name__ == "__main__":
    import torch

    torch.set_default_dtype(torch.float64)
    found = {"made with": f"PyTorch {torch.__version__}", **everything(torch)}
    GOLDEN.write_text(json.dumps(found, indent=1) + "\n", encoding="utf-8")
