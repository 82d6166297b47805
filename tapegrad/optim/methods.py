"""The methods that update each element by a rule. Settings, defaults and results are PyTorch's."""
from . import loops
from .optimizer import ByRule


class SGD(ByRule):
    """Gradient descent, with momentum (also Nesterov's), dampening and weight decay (an L2 term).

    ``v = momentum v + (1 - dampening) g``, ``p = p - lr v``; with ``nesterov``, ``p = p - lr (g + momentum v)``.

    >>> import tapegrad as tg
    >>> x = tg.tensor([2.0], requires_grad=True)
    >>> optimizer = tg.optim.SGD([x], lr=0.1)
    >>> (x * x).sum().backward()
    >>> optimizer.step()
    >>> x
    tensor([1.6000], requires_grad=True)
    """
    _rule = staticmethod(loops.sgd)
    _settings = ("lr", "momentum", "dampening", "weight_decay", "nesterov")
    _buffers = ("momentum_buffer",)
    _counts_steps = False

    def __init__(self, params, lr=1e-3, momentum=0, dampening=0, weight_decay=0, nesterov=False, *, maximize=False, foreach=None,
                 differentiable=False, fused=None):
        if nesterov and (momentum <= 0 or dampening != 0):
            raise ValueError(f"nesterov needs a momentum and no dampening, and these are {momentum} and {dampening}")
        super().__init__(params, {
            "lr": lr, "momentum": momentum, "dampening": dampening, "weight_decay": weight_decay, "nesterov": nesterov,
            "maximize": maximize, "foreach": foreach, "differentiable": differentiable, "fused": fused})

    def _used(self, group):
        return self._buffers if group["momentum"] else ()


class Adam(ByRule):
    """Adam (Kingma and Ba, 2015): steps by running means of the gradient and of its square, ``amsgrad`` by the largest of these.

    ``m = beta1 m + (1 - beta1) g``, ``v = beta2 v + (1 - beta2) g^2``, and after `t` steps
    ``p = p - lr m / (1 - beta1^t) / (sqrt(v / (1 - beta2^t)) + eps)``. Weight decay is an L2 term in `g`, or with
    ``decoupled_weight_decay`` a factor of `p`.
    """
    _rule = staticmethod(loops.adam)
    _settings = ("lr", "betas", "eps", "weight_decay", "decoupled_weight_decay", "amsgrad")
    _buffers = ("exp_avg", "exp_avg_sq", "max_exp_avg_sq")

    def __init__(self, params, lr=1e-3, betas=(0.9, 0.999), eps=1e-8, weight_decay=0, amsgrad=False, *, foreach=None,
                 maximize=False, capturable=False, differentiable=False, fused=None, decoupled_weight_decay=False):
        super().__init__(params, {
            "lr": lr, "betas": betas, "eps": eps, "weight_decay": weight_decay, "amsgrad": amsgrad, "maximize": maximize,
            "foreach": foreach, "capturable": capturable, "differentiable": differentiable, "fused": fused,
            "decoupled_weight_decay": decoupled_weight_decay})

    def _used(self, group):
        return self._buffers if group["amsgrad"] else self._buffers[:2]


class AdamW(Adam):
    """Adam with decoupled weight decay (Loshchilov and Hutter, 2019): ``p = p (1 - lr weight_decay)`` before the step."""

    def __init__(self, params, lr=1e-3, betas=(0.9, 0.999), eps=1e-8, weight_decay=1e-2, amsgrad=False, *, maximize=False,
                 foreach=None, capturable=False, differentiable=False, fused=None):
        super().__init__(params, lr, betas, eps, weight_decay, amsgrad, foreach=foreach, maximize=maximize, capturable=capturable,
                         differentiable=differentiable, fused=fused, decoupled_weight_decay=True)


class NAdam(ByRule):
    """Adam with Nesterov's momentum (Dozat, 2016), whose share grows by ``1 - 0.96^(t momentum_decay) / 2``."""
    _rule = staticmethod(loops.nadam)
    _settings = ("lr", "betas", "eps", "weight_decay", "decoupled_weight_decay", "momentum_decay")
    _buffers = ("exp_avg", "exp_avg_sq")
    _numbers_kept = ("mu_product",)

    def __init__(self, params, lr=2e-3, betas=(0.9, 0.999), eps=1e-8, weight_decay=0, momentum_decay=4e-3,
                 decoupled_weight_decay=False, *, foreach=None, maximize=False, capturable=False, differentiable=False):
        super().__init__(params, {
            "lr": lr, "betas": betas, "eps": eps, "weight_decay": weight_decay, "momentum_decay": momentum_decay,
            "decoupled_weight_decay": decoupled_weight_decay, "maximize": maximize, "foreach": foreach, "capturable": capturable,
            "differentiable": differentiable})


class RAdam(ByRule):
    """Rectified Adam (Liu et al., 2020): momentum alone for the first steps, until the mean of squares is long enough to be told;
    from then on Adam's step times a factor that grows to 1."""
    _rule = staticmethod(loops.radam)
    _settings = ("lr", "betas", "eps", "weight_decay", "decoupled_weight_decay")
    _buffers = ("exp_avg", "exp_avg_sq")

    def __init__(self, params, lr=1e-3, betas=(0.9, 0.999), eps=1e-8, weight_decay=0, decoupled_weight_decay=False, *,
                 foreach=None, maximize=False, capturable=False, differentiable=False):
        super().__init__(params, {
            "lr": lr, "betas": betas, "eps": eps, "weight_decay": weight_decay, "maximize": maximize, "foreach": foreach,
            "capturable": capturable, "decoupled_weight_decay": decoupled_weight_decay, "differentiable": differentiable})


class Adamax(ByRule):
    """Adam with the largest gradient in the place of the mean of squares (Kingma and Ba, 2015):
    ``u = max(beta2 u, |g| + eps)``, ``p = p - lr m / (1 - beta1^t) / u``."""
    _rule = staticmethod(loops.adamax)
    _settings = ("lr", "betas", "eps", "weight_decay")
    _buffers = ("exp_avg", "exp_inf")

    def __init__(self, params, lr=2e-3, betas=(0.9, 0.999), eps=1e-8, weight_decay=0, foreach=None, *, maximize=False,
                 differentiable=False, capturable=False):
        super().__init__(params, {
            "lr": lr, "betas": betas, "eps": eps, "weight_decay": weight_decay, "foreach": foreach, "maximize": maximize,
            "differentiable": differentiable, "capturable": capturable})


class Adadelta(ByRule):
    """Adadelta (Zeiler, 2012): the gradient over the root of a running mean of its square, times that of the changes:
    ``d = sqrt(u + eps) / sqrt(v + eps) g``, ``p = p - lr d``."""
    _rule = staticmethod(loops.adadelta)
    _settings = ("lr", "rho", "eps", "weight_decay")
    _buffers = ("square_avg", "acc_delta")

    def __init__(self, params, lr=1.0, rho=0.9, eps=1e-6, weight_decay=0, foreach=None, *, capturable=False, maximize=False,
                 differentiable=False):
        if not 0.0 <= rho <= 1.0:
            raise ValueError(f"rho is between 0 and 1, and {rho} was given")
        super().__init__(params, {
            "lr": lr, "rho": rho, "eps": eps, "weight_decay": weight_decay, "maximize": maximize, "capturable": capturable,
            "foreach": foreach, "differentiable": differentiable})


class Adagrad(ByRule):
    """Adagrad (Duchi, Hazan and Singer, 2011): ``s = s + g^2``, ``p = p - lr / (1 + (t - 1) lr_decay) g / (sqrt(s) + eps)``."""
    _rule = staticmethod(loops.adagrad)
    _settings = ("lr", "lr_decay", "weight_decay", "eps")
    _buffers = ("sum",)

    def __init__(self, params, lr=1e-2, lr_decay=0, weight_decay=0, initial_accumulator_value=0, eps=1e-10, foreach=None, *,
                 maximize=False, differentiable=False, fused=None):
        super().__init__(params, {
            "lr": lr, "lr_decay": lr_decay, "eps": eps, "weight_decay": weight_decay,
            "initial_accumulator_value": initial_accumulator_value, "foreach": foreach, "maximize": maximize,
            "differentiable": differentiable, "fused": fused})

    def _filling(self, group):
        return group["initial_accumulator_value"]


class RMSprop(ByRule):
    """RMSprop (Hinton, 2012): steps by the gradient over the root of a running mean of its square, which ``centered`` takes about
    the running mean of the gradient."""
    _rule = staticmethod(loops.rmsprop)
    _settings = ("lr", "alpha", "eps", "weight_decay", "momentum", "centered")
    _buffers = ("square_avg", "momentum_buffer", "grad_avg")

    def __init__(self, params, lr=1e-2, alpha=0.99, eps=1e-8, weight_decay=0, momentum=0, centered=False, capturable=False,
                 foreach=None, maximize=False, differentiable=False):
        if not alpha >= 0.0:
            raise ValueError(f"alpha must not be negative, and {alpha} was given")
        super().__init__(params, {
            "lr": lr, "momentum": momentum, "alpha": alpha, "eps": eps, "centered": centered, "weight_decay": weight_decay,
            "capturable": capturable, "foreach": foreach, "maximize": maximize, "differentiable": differentiable})

    def _used(self, group):
        return ("square_avg", *(["momentum_buffer"] if group["momentum"] else []), *(["grad_avg"] if group["centered"] else []))


class ASGD(ByRule):
    """Averaged gradient descent (Polyak and Juditsky, 1992) with steps ``lr / (1 + lambd lr t)^alpha``; the mean of the
    parameters since step `t0` is ``state[p]["ax"]``."""
    _rule = staticmethod(loops.asgd)
    _settings = ("lr", "lambd", "alpha", "t0", "weight_decay")
    _buffers = ("ax",)
    _numbers_kept = ("eta", "mu")

    def __init__(self, params, lr=1e-2, lambd=1e-4, alpha=0.75, t0=1e6, weight_decay=0, foreach=None, maximize=False,
                 differentiable=False, capturable=False):
        super().__init__(params, {
            "lr": lr, "lambd": lambd, "alpha": alpha, "t0": t0, "weight_decay": weight_decay, "foreach": foreach,
            "maximize": maximize, "differentiable": differentiable, "capturable": capturable})


class Rprop(ByRule):
    """Resilient propagation (Riedmiller and Braun, 1993): each element has a step of its own, which grows by ``etas[1]`` while
    its gradient keeps its sign and shrinks by ``etas[0]`` where it changes; within ``step_sizes``."""
    _rule = staticmethod(loops.rprop)
    _settings = ("lr", "etas", "step_sizes")
    _buffers = ("prev", "step_size")

    def __init__(self, params, lr=1e-2, etas=(0.5, 1.2), step_sizes=(1e-6, 50), *, capturable=False, foreach=None, maximize=False,
                 differentiable=False):
        if not 0.0 < etas[0] < 1.0 < etas[1]:
            raise ValueError(f"etas are a factor below 1 and one above, and {etas} was given")
        super().__init__(params, {
            "lr": lr, "etas": etas, "step_sizes": step_sizes, "foreach": foreach, "maximize": maximize,
            "differentiable": differentiable, "capturable": capturable})


__all__ = ["ASGD", "SGD", "Adadelta", "Adagrad", "Adam", "AdamW", "Adamax", "NAdam", "RAdam", "RMSprop", "Rprop"]
