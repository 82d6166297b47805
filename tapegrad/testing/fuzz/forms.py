"""Forms of expressions that functions are drawn from, by what they need of an operand.

{x} is the operand, {y} another one of its shape, {d} one of its axes, {n} the length of the first axis and {i} a place on it,
{c} a number.
"""


def _forms(text):
    return [form.strip() for form in text.split(";")]


ANYTHING = _forms("""
    tg.sum({x}); tg.mean({x}); tg.reshape({x}, (-1,)); tg.sum({x} * {y}); tg.amax({x}); tg.amin({x}); tg.prod({x} * 0.5);
    tg.expand_dims({x}, 0); tg.clip({x}, -0.5, {c}); tg.clamp({x}, -0.7, 0.9); tg.nn.functional.softsign({x}); tg.norm({x})
""")
AXIS = _forms("""
    tg.sum({x}, {d}); tg.mean({x}, {d}); tg.amax({x}, {d}); tg.amin({x}, {d}); tg.prod({x}, {d}); tg.cumsum({x}, {d});
    tg.cumprod({x}, {d}); tg.logcumsumexp({x}, {d}); tg.logsumexp({x}, {d}); tg.softmax({x}, {d}); tg.log_softmax({x}, {d});
    tg.flip({x}, {d}); tg.roll({x}, 1, {d}); tg.sort({x}, {d})[0]; tg.concatenate([{x}, {y}], {d}); tg.stack([{x}, {y}], {d});
    {x}[{i}]; {x}[1:]; {x}[:-1]; {x}[::-1]; {x}[::2]; {x}[[0, -1, 0]]; {x}[..., None]; tg.take({x}, [{i}, 0], {d});
    tg.moveaxis({x}, 0, -1); tg.var({x}, {d}); tg.std({x}, {d}); tg.cummax({x}, {d})[0]; tg.norm({x}, dim={d});
    {x}[1:] - {x}[:-1]; tg.where({x} > {c}, {x}, {y}); {x}[tg.argmax({y}, 0)]; tg.sum({x}, {d}, keepdims=True);
    tg.sum({x}[{x} > {c}]); tg.diff({x}, axis={d}); {y}[tg.argsort({x}, 0)]; {x}[tg.argmin({x}, 0)];
    tg.index_add({x}, 0, np.array([{i}, 0]), {y}[[0, {i}]]); tg.repeat_interleave({x}, 2, {d}); tg.tile({x}, 2);
    tg.median({x}, {d}); tg.nn.functional.layer_norm({x}, {x}.shape[-1:]); tg.broadcast_to({x}, (2, *{x}.shape));
    tg.topk({x}, 1, {d})[0]
""")
VECTOR = _forms("""
    tg.dot({x}, {y}); tg.outer({x}, {y}); tg.diag({x}); {x} @ {y}; tg.convolve({x}, {y});
    tg.interp({x}, np.arange(4.0) - 2, [0.0, 1.0, 0.5, 2.0]); tg.einsum('i,j->ij', {x}, {y}); tg.pad({x}, 1);
    tg.fft.rfft({x}).real; tg.kron({x}, {y}); tg.vander({x}, 3)
""")
MATRIX = _forms("""
    {x}.T; {x} @ {y}.T; {x}.T @ {y}; {x}[:, 0]; {x}[0, 1:]; tg.einsum('ij,ij->i', {x}, {y}); tg.tril({x}); tg.triu({x});
    {x} @ {y}[{i}]; tg.diagonal({x}); {x}[:, ::-1]; {x}[:, [0, -1]]; {x}[[0, {i}], [-1, 0]]; tg.trace({x});
    tg.einsum('ij,kj->ik', {x}, {y})
""")
# What Python computes, of a positive definite matrix {m} that is made of x
POSITIVE = "({x} @ {x}.T + 2.0 * tg.eye({n}, dtype={x}.dtype))"
HOSTED = [form.replace("{m}", POSITIVE) for form in _forms("""
    tg.linalg.inv({m}); tg.linalg.det({m}) * 0.1; tg.linalg.slogdet({m})[1]; tg.linalg.cholesky({m});
    tg.linalg.solve({m}, {x}[:, 0]); tg.linalg.eigh({m})[0]; tg.linalg.svd({m})[1]; tg.linalg.expm(0.1 * {m});
    tg.linalg.sqrtm({m}); tg.linalg.logm({m}); tg.linalg.pinv({m}); tg.linalg.qr({m})[1]
""")]
# Numbers that decisions are taken on
CONDITIONS = ["tg.sum({x})", "tg.mean({x})", "tg.amax({x})", "tg.amin({x})", "tg.sum({x} * {x})"]
