import pytest

from .subject import leaf, tg

gradcheck, gradgradcheck = tg.autograd.gradcheck, tg.autograd.gradgradcheck


class WrongFirst(tg.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return x**2

    @staticmethod
    def backward(ctx, grad):
        return grad * 3 * ctx.saved_tensors[0]


class WrongSecond(tg.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return x**2

    @staticmethod
    def backward(ctx, grad):
        return grad * 2 * ctx.saved_tensors[0].detach()


POINTS = [0.3, 0.7, 1.9]
FUNCTIONS = {
    "arithmetic": lambda x: x * x / (1 + x) - x**3,
    "elementary": lambda x: (x.exp() + x.log() * x.sin()).tanh(),
    "reduction": lambda x: x.sqrt().sum() * x.mean(),
    "views": lambda x: x.unsqueeze(1).expand(3, 2).reshape(6)[1:5] * 2,
    "matmul": lambda x: x.unsqueeze(1) @ x.unsqueeze(0),
    "several outputs": lambda x: (x.sin(), x.cos().sum()),
}
functions = pytest.mark.parametrize("function", list(FUNCTIONS.values()), ids=list(FUNCTIONS))


@functions
def test_right_gradients_pass(function):
    assert gradcheck(function, (leaf(POINTS),)) is True


@functions
def test_right_second_gradients_pass(function):
    assert gradgradcheck(function, (leaf(POINTS),)) is True


@pytest.mark.parametrize("check", [gradcheck, gradgradcheck])
def test_several_inputs_of_which_some_are_constant(check):
    inputs = (leaf([[1.0, 2.0]]), tg.tensor([[3.0], [4.0]]), leaf(0.5))
    assert check(lambda a, b, c: (a * a) @ b * c.exp(), inputs)


@pytest.mark.parametrize("check", [gradcheck, gradgradcheck])
def test_one_input_needs_no_tuple(check):
    assert check(lambda x: x**3, leaf(POINTS))


def test_wrong_gradient_fails():
    with pytest.raises(RuntimeError, match="(?i)jacobian"):
        gradcheck(WrongFirst.apply, (leaf(POINTS),))


def test_wrong_gradient_gives_false_when_asked_not_to_raise():
    assert gradcheck(WrongFirst.apply, (leaf(POINTS),), raise_exception=False) is False


def test_wrong_gradient_of_one_of_several_inputs_fails():
    def f(a, b):
        return a * b + a * b.detach()

    assert gradcheck(f, (leaf([1.0, 2.0]), tg.tensor([3.0, 4.0])))
    with pytest.raises(RuntimeError, match="1"):
        gradcheck(f, (leaf([1.0, 2.0]), leaf([3.0, 4.0])))


def test_wrong_second_gradient_fails_only_the_second_check():
    x = leaf(POINTS)
    assert gradcheck(WrongSecond.apply, (x,))
    with pytest.raises(RuntimeError):
        gradgradcheck(lambda x: WrongSecond.apply(x) * x, (x,))
    assert gradgradcheck(lambda x: WrongSecond.apply(x) * x, (x,), raise_exception=False) is False


@pytest.mark.parametrize("options", [{"atol": 10.0}, {"rtol": 10.0}])
def test_tolerances_decide(options):
    assert gradcheck(WrongFirst.apply, (leaf(POINTS),), **options)


def test_step_size_decides():
    x = leaf([1.0])
    assert gradcheck(lambda x: x**4, (x,), eps=1e-6)
    assert not gradcheck(lambda x: x**4, (x,), eps=0.5, raise_exception=False)


def test_no_input_that_requires_grad_is_an_error():
    with pytest.raises(ValueError, match="require"):
        gradcheck(lambda x: x * 2, (tg.ones(2),))


def test_single_precision_input_is_warned_about():
    with pytest.warns(UserWarning, match="double precision"):
        gradcheck(lambda x: x * x, (leaf([1.1], dtype=tg.float32),), raise_exception=False)


def test_grad_attributes_and_values_stay_untouched():
    x = leaf(POINTS)
    gradcheck(lambda x: x**2, (x,))
    gradgradcheck(lambda x: x**2, (x,))
    assert x.grad is None
    assert x.tolist() == POINTS
