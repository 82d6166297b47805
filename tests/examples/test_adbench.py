"""ADBench's problems GMM and LSTM: the published values, and gradients that central differences confirm.

Further files of ADBench's are taken from the folder that the environment variable ADBENCH names.
"""

import os
import pathlib

import numpy as np
import pytest
from scipy.stats import multivariate_normal

import tapegrad as tg
from tapegrad.examples import checked, gmm, lstm

HERE = pathlib.Path(__file__).parent / "data"
FOLDER = os.environ.get("ADBENCH")


def gradients(f, parameters, compiled=False):
    every = tuple(range(len(parameters)))
    step = tg.value_and_grad(tg.compile(f) if compiled else f, argnums=every)
    for _ in range(2 * compiled):
        step(*[1.01 * p for p in parameters])
    return step(*parameters)


def check(f, parameters, places=None):
    """Gradients of every element, or of `places`, many of each argument, against central differences; compiled against eager."""
    value, found = gradients(f, parameters)
    again, replayed = gradients(f, parameters, compiled=True)
    assert again == pytest.approx(value, rel=1e-14) and value == pytest.approx(f(*parameters), rel=1e-12)
    for g, h in zip(found, replayed):
        np.testing.assert_allclose(h, g, rtol=1e-10, atol=1e-13 * np.abs(g).max())
    directions = []
    for k, p in enumerate(parameters):
        for i in np.random.default_rng(k).permutation(p.size)[:places]:
            directions.append([np.zeros(q.shape) for q in parameters])
            directions[-1][k].flat[i] = 1
    slopes = checked.slopes(found, directions)
    expected = checked.central_differences(tg.compile(f), parameters, directions)
    np.testing.assert_allclose(slopes, expected, rtol=1e-7, atol=1e-10 * max(1, abs(value)))
    return value, found


def test_gmm_has_the_published_value_and_gradient():
    problem = gmm.read(HERE / "gmm_test.txt")
    value, (alphas, *_) = check(gmm.log_posterior(problem), problem.parameters)
    assert value == pytest.approx(8.07380408004975791, rel=1e-14)
    assert alphas[0] == pytest.approx(0.108662855508652456, rel=1e-14)


def test_gmm_is_the_density_that_scipy_has():
    problem = gmm.generate(3, 4, 20)
    flat = gmm.Problem(*problem.parameters, problem.x[:0], problem.gamma, problem.m)
    likelihood = gmm.log_posterior(problem)(*problem.parameters) - gmm.log_posterior(flat)(*problem.parameters)
    q = np.zeros((4, 3, 3))
    for k, factor in enumerate(problem.factors):
        q[k] = np.diag(np.exp(factor[:3]))
        q[k, 1, 0], q[k, 2, 0], q[k, 2, 1] = factor[3:]
    weights = np.exp(problem.alphas) / np.exp(problem.alphas).sum()
    densities = [w * multivariate_normal.pdf(problem.x, m, np.linalg.inv(f.T @ f)) for w, m, f in zip(weights, problem.means, q)]
    assert likelihood == pytest.approx(np.log(np.sum(densities, axis=0)).sum(), rel=1e-11)


@pytest.mark.parametrize(("d", "k", "n"), [(1, 1, 3), (2, 5, 100), (5, 2, 50)])
def test_gmm_of_random_numbers(d, k, n):
    problem = gmm.generate(d, k, n, seed=d)
    check(gmm.log_posterior(problem), problem.parameters)


def test_lstm_has_the_published_value():
    problem = lstm.read(HERE / "lstm_l2_c1024.txt")
    assert lstm.loss(problem)(*problem.parameters) == pytest.approx(0.66666518, abs=1e-8)
    value, _ = check(lstm.loss(problem), problem.parameters, places=10)
    assert value == pytest.approx(0.66666518, abs=1e-8)


@pytest.mark.parametrize(("layers", "characters", "bits"), [(1, 2, 1), (3, 20, 5)])
def test_lstm_of_random_numbers(layers, characters, bits):
    problem = lstm.generate(layers, characters, bits)
    check(lstm.loss(problem), problem.parameters)


def other_files():
    return sorted(pathlib.Path(FOLDER).glob("*.txt")) if FOLDER else []


@pytest.mark.skipif(not other_files(), reason="the environment variable ADBENCH names no folder of ADBench's files")
@pytest.mark.parametrize("path", other_files(), ids=lambda path: path.name)
def test_other_files(path):
    if path.name.startswith("gmm"):
        problem = gmm.read(path)
        check(gmm.log_posterior(problem), problem.parameters, places=10)
    elif path.name.startswith("lstm"):
        problem = lstm.read(path)
        check(lstm.loss(problem), problem.parameters, places=10)
    else:
        pytest.skip("neither GMM nor LSTM")


@pytest.mark.parametrize("module", [gmm, lstm])
def test_files_that_are_none(module, tmp_path):
    path = tmp_path / "data.txt"
    path.write_text("2 3\n")
    with pytest.raises(ValueError, match=r"data.txt: .*first"):
        module.read(path)
    path.write_text("2 3 4 1.0 2.0\n")
    with pytest.raises(ValueError, match=r"data.txt: \d+ numbers should follow .*there are 2"):
        module.read(path)
    path.write_text("2 3 4 one\n")
    with pytest.raises(ValueError, match="one"):
        module.read(path)


@pytest.mark.parametrize(("module", "name"), [(gmm, "gmm_test.txt"), (lstm, "small.txt")])
def test_programs(module, name, capsys, tmp_path):
    path = HERE / name
    if not path.exists():
        problem = lstm.generate(1, 4, 3)
        path = tmp_path / name
        numbers = [*problem.parameters, problem.state, problem.sequence]
        path.write_text("1 4 3\n\n" + "\n".join(" ".join(map(repr, row)) for array in numbers for row in array.tolist()))
    assert module.main([str(path)]) == 0
    text = capsys.readouterr().out
    assert name in text and "central differences" in text and "compiled" in text
    with pytest.raises(SystemExit):
        module.main([str(tmp_path / "missing.txt")])
    assert "missing.txt" in capsys.readouterr().err
