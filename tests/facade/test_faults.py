import pytest

from .subject import assert_same, leaf, tg


@pytest.mark.tapegrad_only("asks the library's memory to run out")
def test_memory_that_runs_out_in_a_backward_leaves_the_library_usable(monkeypatch):
    from tapegrad import buffers

    def no_memory(*_):
        raise MemoryError("no memory")

    x = leaf([1.0, 2.0])
    y = (x * x).sum()
    y.item()
    y._tape.buffers.drop_adjoints()
    for ask in (lambda: tg.autograd.grad(y, x), y.backward):
        with monkeypatch.context() as patch:
            patch.setattr(buffers.pool, "take_array", no_memory)
            with pytest.raises(MemoryError):
                ask()
    del ask
    y.backward()
    assert_same(x.grad, [2.0, 4.0])
    for _ in range(5):
        assert_same(tg.autograd.grad((x * x).sum(), x)[0], [2.0, 4.0])


@pytest.mark.tapegrad_only("values are computed when somebody asks")
def test_a_value_that_needs_too_much_memory_concerns_nothing_else():
    y = tg.ones(3, requires_grad=True).expand(10**9, 3) * 2
    with pytest.raises(MemoryError):
        y.sum().item()
    x = leaf(3.0)
    (x * x).backward()
    assert_same(x.grad, 6.0)
