import gc
import re

import pytest

from .subject import leaf, tg

OPERATIONS = {
    "Add": lambda x, y: x + y,
    "Sub": lambda x, y: x - y,
    "Mul": lambda x, y: x * y,
    "Div": lambda x, y: x / y,
    "Pow": lambda x, y: x**2,
    "Neg": lambda x, y: -x,
    "Abs": lambda x, y: abs(x),
    "Exp": lambda x, y: x.exp(),
    "Log": lambda x, y: x.log(),
    "Sqrt": lambda x, y: x.sqrt(),
    "Sin": lambda x, y: x.sin(),
    "Cos": lambda x, y: x.cos(),
    "Tanh": lambda x, y: x.tanh(),
    "Sigmoid": lambda x, y: x.sigmoid(),
    "Relu": lambda x, y: x.relu(),
    "Sum": lambda x, y: x.sum(),
    "Mean": lambda x, y: x.mean(),
    "Max": lambda x, y: x.max(),
    "Min": lambda x, y: x.min(),
    "View": lambda x, y: x.view(4),
    "Transpose": lambda x, y: x.transpose(0, 1),
    "T": lambda x, y: x.t(),
    "Expand": lambda x, y: x.expand(3, 2, 2),
    "Unsqueeze": lambda x, y: x.unsqueeze(0),
    "Squeeze": lambda x, y: x.squeeze(),
    "Cat": lambda x, y: tg.cat([x, y]),
    "Stack": lambda x, y: tg.stack([x, y]),
    "Clone": lambda x, y: x.clone(),
    "Maximum": lambda x, y: tg.maximum(x, y),
    "Minimum": lambda x, y: tg.minimum(x, y),
    "Where": lambda x, y: tg.where(x > 1, x, y),
}


@pytest.mark.parametrize("name", list(OPERATIONS))
def test_node_is_named_after_its_operation(name):
    x, y = leaf([[1.0, 2.0], [3.0, 4.0]]), leaf([[4.0, 3.0], [2.0, 1.0]])
    node = OPERATIONS[name](x, y).grad_fn
    assert re.fullmatch(rf"{name}Backward\d+", type(node).__name__)
    assert node.name() == type(node).__name__


def test_name_of_a_product():
    assert (leaf(1.0) * leaf(2.0)).grad_fn.name() == "MulBackward0"


def test_in_place_change_replaces_the_node():
    y = leaf([1.0]) * 2
    y.add_(1)
    assert y.grad_fn.name() == "AddBackward0"
    assert y.grad_fn.next_functions[0][0].name() == "MulBackward0"


def test_leaves_end_the_graph_in_accumulate_grad():
    x, y = leaf([1.0]), leaf([2.0])
    edges = (x * y).grad_fn.next_functions
    assert isinstance(edges, tuple) and len(edges) == 2
    assert [type(node).__name__ for node, _ in edges] == ["AccumulateGrad", "AccumulateGrad"]
    assert [index for _, index in edges] == [0, 0]
    assert edges[0][0].variable is x and edges[1][0].variable is y


def test_one_leaf_has_one_accumulate_grad():
    x = leaf([1.0])
    edges = (x * x).grad_fn.next_functions
    assert edges[0][0] is edges[1][0]


def test_constant_operand_has_no_next_function():
    edges = (leaf([1.0]) * tg.ones(1)).grad_fn.next_functions
    assert edges[1] == (None, 0)


def test_accumulate_grad_has_no_next_functions():
    node = (leaf([1.0]) * 2).grad_fn.next_functions[0][0]
    assert node.next_functions == ()


def test_next_functions_lead_to_the_nodes_of_the_operands():
    x = leaf([1.0])
    y, z = x.exp(), x.sin()
    edges = (y + z).grad_fn.next_functions
    assert [node for node, _ in edges] == [y.grad_fn, z.grad_fn]
    assert y.grad_fn is y.grad_fn


def test_cat_has_one_edge_per_part():
    parts = [leaf([1.0]) * i for i in range(1, 5)]
    edges = tg.cat(parts).grad_fn.next_functions
    assert [node for node, _ in edges] == [p.grad_fn for p in parts]


def test_walk_over_next_functions_finds_every_leaf():
    leaves = [leaf(float(i)) for i in range(1, 5)]
    a, b, c, d = leaves
    loss = ((a * b).exp() + tg.stack([c, a]).sum() / d).log()
    found, pending, seen = [], [loss.grad_fn], set()
    while pending:
        node = pending.pop()
        if node is None or node in seen:
            continue
        seen.add(node)
        if type(node).__name__ == "AccumulateGrad":
            found.append(node.variable)
        pending.extend(following for following, _ in node.next_functions)
    assert {id(x) for x in found} == {id(x) for x in leaves}
    assert len(found) == 4


def test_gradient_computed_with_create_graph_has_nodes_of_its_own():
    x = leaf([2.0])
    (g,) = tg.autograd.grad((x**3).sum(), x, create_graph=True)
    assert re.fullmatch(r"\w+Backward\d+", g.grad_fn.name())


def test_a_node_that_is_held_stays_the_one_of_its_tensor():
    y = leaf([1.0]).exp()
    node = y.grad_fn
    gc.collect()
    assert (y * 2).grad_fn.next_functions[0][0] is node


def test_reductions_have_names_of_their_own():
    x = leaf([[1.0, 2.0], [3.0, 4.0]])
    assert x.amax().grad_fn.name().startswith("Amax")
    assert x.amin().grad_fn.name().startswith("Amin")
