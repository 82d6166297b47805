"""The NIST StRD example: parser, models, Jacobians, fits and the program.

The formula printed in each data file, evaluated as text by NumPy, is the oracle of the models; complex steps through it
are the oracle of the Jacobians. Nothing is compared with what the program printed on another day.
"""

import dataclasses
import importlib
import io
import sys

import numpy as np
import pytest

from tapegrad.examples import nist, strd

PROBLEMS = strd.names()
QUICK = ["Misra1a", "DanWood", "Roszman1", "Rat42", "BoxBOD", "Eckerle4"]


def printed_model(problem):
    """The file's own formula as a NumPy function of the parameters, complex ones too."""
    right_side = problem.formula.partition("=")[2].rpartition("+")[0]
    code = compile(right_side.replace("[", "(").replace("]", ")").strip(), problem.name, "eval")
    functions = {"exp": np.exp, "cos": np.cos, "sin": np.sin, "arctan": np.arctan, "pi": np.pi}
    labels = ["x"] if len(problem.x) == 1 else ["x1", "x2"]

    def model(p):
        parameters = {f"b{i + 1}": value for i, value in enumerate(p)}
        return eval(code, {**functions, **dict(zip(labels, problem.x, strict=True)), **parameters})

    return model


def complex_step_jacobian(f, p, h=1e-30):
    columns = []
    for i, step in enumerate(h * np.maximum(np.abs(p), 1e-10)):
        shifted = p.astype(complex)
        shifted[i] += 1j * step
        columns.append(f(shifted).imag / step)
    return np.stack(columns, axis=1)


# ---- the parser


def test_collection_is_complete():
    problems = [strd.load(name) for name in PROBLEMS]
    assert len(problems) == 27
    assert set(PROBLEMS) == set(nist.MODELS)
    levels = [p.difficulty for p in problems]
    assert [levels.count(level) for level in ("Lower", "Average", "Higher")] == [8, 11, 8]  # as NIST's index has them


@pytest.mark.parametrize("name", PROBLEMS)
def test_parse(name):
    p = strd.load(name)
    n, m = len(p.certified), len(p.y)
    assert p.name == name
    assert p.starts.shape == (2, n)
    assert p.deviations.shape == (n,)
    assert all(x.shape == (m,) for x in p.x)
    assert m > n
    assert p.rss > 0
    assert np.all(p.deviations > 0)
    assert all(np.isfinite(a).all() for a in (p.starts, p.certified, p.deviations, p.y, *p.x))
    assert p.formula.endswith("+ e")
    assert f"b{n}" in p.formula


def test_parse_values_of_one_file():
    p = strd.load("Nelson")
    np.testing.assert_array_equal(p.starts, [[2, 0.0001, -0.01], [2.5, 0.000000005, -0.05]])
    np.testing.assert_array_equal(p.certified, [2.5906836021, 5.6177717026e-9, -5.7701013174e-2])
    assert p.rss == 3.7976833176
    assert (p.y[0], p.x[0][0], p.x[1][0]) == (15.0, 1.0, 180.0)
    np.testing.assert_array_equal(p.response, np.log(p.y))


def _text(name):
    return (strd._FOLDER / f"{name}.dat").read_text(encoding="ascii")


def test_parse_rejects_a_damaged_file():
    with pytest.raises(ValueError, match="the residual sum of squares was not found"):
        strd.parse(_text("DanWood").replace("Residual Sum", "Sum"))
    with pytest.raises(ValueError, match="6 observations of 2 variables are announced, the table is \\(5, 2\\)"):
        strd.parse("\n".join(_text("DanWood").rstrip().splitlines()[:-1]))
    with pytest.raises(ValueError, match="2 parameters are announced, 1 rows"):
        strd.parse(_text("DanWood").replace("  b2 =", "  c2 ="))


def test_load_unknown_name_lists_the_names():
    with pytest.raises(ValueError, match=r"unknown problem 'Nope'; there are: Bennett5, BoxBOD, .*Thurber"):
        strd.load("Nope")


# ---- the models


@pytest.mark.parametrize("which", ["start 1", "start 2", "certified"])
@pytest.mark.parametrize("name", PROBLEMS)
def test_model_is_the_printed_formula(name, which):
    problem = strd.load(name)
    p = problem.certified if which == "certified" else problem.starts[int(which[-1]) - 1]
    got = np.asarray(nist.residual_function(problem)(p))
    printed = printed_model(problem)(p)
    assert got.shape == problem.y.shape
    np.testing.assert_allclose(got, printed - problem.response, rtol=1e-12, atol=1e-13 * np.max(np.abs(printed)))


@pytest.mark.parametrize("name", PROBLEMS)
def test_certified_parameters_give_the_certified_rss(name):
    problem = strd.load(name)
    evaluator = nist.Evaluator(problem)
    rss = float(np.sum(evaluator.residuals(problem.certified) ** 2))
    if name != "Lanczos1":
        # A few roundings of the response: more than 1e-9 of the residuals only in Lanczos2, where these are of 1e-6.
        rounding = 10 * np.finfo(float).eps * np.linalg.norm(problem.response) / np.sqrt(problem.rss)
        assert rss == pytest.approx(problem.rss, rel=max(1e-9, rounding))
        return
    # Its residuals are of 1e-13, so that printing the parameters to 11 digits moves them by more than their size: by
    # half a unit of the last digit times the Jacobian.
    units = 10.0 ** (np.floor(np.log10(np.abs(problem.certified))) - 10)
    shift = np.linalg.norm(np.abs(evaluator.jacobian(problem.certified)) @ (units / 2))
    assert np.sqrt(rss) < np.sqrt(problem.rss) + shift < 1e-9


@pytest.mark.parametrize("start", [1, 2])
@pytest.mark.parametrize("name", PROBLEMS)
def test_jacobian_equals_complex_step(name, start):
    problem = strd.load(name)
    p = problem.starts[start - 1]
    got = nist.Evaluator(problem).jacobian(p)
    expected = complex_step_jacobian(printed_model(problem), p)
    assert isinstance(got, np.ndarray)
    assert got.dtype == np.float64
    np.testing.assert_allclose(
        got / np.max(np.abs(expected), axis=0), expected / np.max(np.abs(expected), axis=0), rtol=1e-11, atol=1e-11
    )


@pytest.mark.parametrize("name", PROBLEMS)
def test_jacobian_gives_the_certified_standard_deviations(name):
    problem = strd.load(name)
    jac = nist.Evaluator(problem).jacobian(problem.certified)
    scale = np.linalg.norm(jac, axis=0)
    inverse_r = np.linalg.inv(np.linalg.qr(jac / scale, mode="r"))
    deviations = np.sqrt(problem.rss / (len(problem.y) - len(scale))) * np.linalg.norm(inverse_r, axis=1) / scale
    np.testing.assert_allclose(deviations, problem.deviations, rtol=1e-6)


# ---- the fits


@pytest.mark.parametrize("start", [1, 2])
@pytest.mark.parametrize("name", QUICK)
def test_fit_reaches_the_certified_parameters(name, start):
    problem = strd.load(name)
    fit = nist.fit(problem, start)
    assert fit.digits >= 6
    assert fit.deviation_digits >= 5
    np.testing.assert_allclose(fit.deviations, problem.deviations, rtol=1e-5)
    np.testing.assert_allclose(fit.final.p, problem.certified, rtol=1e-6)
    assert fit.final.rss == pytest.approx(problem.rss, rel=1e-9)
    assert fit.residual_calls > 0
    assert fit.jacobian_calls > 0


def test_refinement_settles_digits_that_the_sum_does_not():
    # 1e-7 from the minimum the RSS differs by 1e-14 of itself at most, and no method that watches it goes on.
    problem = strd.load("Misra1a")
    near = problem.certified * (1 + 1e-7)
    evaluator = nist.Evaluator(problem)
    found = nist.Attempt("lm", near, float(np.sum(evaluator.residuals(near) ** 2)), "")
    assert nist.agreement(near, problem.certified) < 8
    assert nist.agreement(nist.refine(evaluator, found).p, problem.certified) > 9


@pytest.mark.parametrize(
    ("found", "digits"),
    [([2.0, -4.0], 11), ([2.0, -4.0 * (1 + 1e-6)], 6), ([2.0 * 1.01, -4.0], 2), ([-2.0, 4.0], 0), ([np.nan, -4.0], 0)],
)
def test_agreement_is_that_of_the_worst_parameter(found, digits):
    assert nist.agreement(np.array(found), np.array([2.0, -4.0])) == pytest.approx(digits, abs=1e-6)


# ---- what is said of a fit that misses


def test_remark_on_exhausted_evaluations(monkeypatch):
    monkeypatch.setattr(nist, "MAX_EVALUATIONS", 3)
    monkeypatch.setattr(nist, "MAX_REFINEMENTS", 0)
    fit = nist.fit(strd.load("MGH09"), 1)
    assert fit.digits < 6
    text = nist.remarks([fit])
    assert text.startswith("0 of 1 fits")
    assert "MGH09, start 1: ran out of its 3 evaluations at RSS" in text


def test_remark_on_a_plateau():
    problem = strd.load("BoxBOD")
    p = np.array([problem.y.mean(), 90.0])  # exp(-90 x) is 0 to 39 digits: the model is the constant b1
    flat = nist.Attempt("lm", p, float(np.sum((problem.y - p[0]) ** 2)), "")
    assert "plateau" in nist.explain(problem, flat, problem.rss)
    assert "b2 has no influence" in nist.explain(problem, flat, problem.rss)


def test_remark_on_a_local_minimum():
    problem = strd.load("Misra1a")
    moved = dataclasses.replace(problem, rss=problem.rss / 2)  # as if a lower minimum were known
    fit = nist.fit(moved, 2)
    text = nist.explain(moved, fit.final, moved.rss)
    assert text.startswith(f"converged to a different local minimum at RSS {problem.rss:.6g}")


def test_remark_on_a_point_that_is_no_minimum():
    problem = strd.load("Misra1a")
    p = problem.starts[1]
    residuals = np.asarray(nist.residual_function(problem)(p))
    text = nist.explain(problem, nist.Attempt("lm", p, float(residuals @ residuals), ""), problem.rss)
    assert text.startswith("stopped short of a minimum")


@pytest.mark.parametrize(
    ("name", "p", "cause"),
    [
        ("MGH10", [1.0, 1e6, 1.0], "overflow: the residuals at the starting point are not finite"),
        ("Rat42", [1.0, 1e3, 0.0], "overflow: the Jacobian is not finite"),
    ],
)
def test_remark_on_overflow(name, p, cause):
    problem = dataclasses.replace(strd.load(name), starts=np.array([p, p]))
    fit = nist.fit(problem, 1)
    assert fit.digits == 0
    assert cause in nist.remarks([fit])
    assert name in nist.table([fit])


# ---- the program


def test_program_prints_a_table(capsys):
    assert nist.main(["Misra1a", "danwood"]) == 0
    out, err = capsys.readouterr()
    head, rule, *rest = out.splitlines()
    assert head.split()[:5] == ["problem", "level", "start", "RSS", "digits"]
    assert set(rule) == {"-"}
    rows = [line.split() for line in rest[:4]]
    assert [row[:3] for row in rows] == [
        ["Misra1a", "Lower", "1"],
        ["Misra1a", "Lower", "2"],
        ["DanWood", "Lower", "1"],
        ["DanWood", "Lower", "2"],
    ]
    for row in rows:
        assert float(row[3]) == pytest.approx(strd.load(row[0]).rss, rel=1e-9)
        assert 6 <= float(row[4]) <= 11
        assert 5 <= float(row[5]) <= 11
    assert "4 of 4 fits agree to 6 digits or more" in out
    assert "4 of 4 have standard deviations that agree to 5 digits or more" in out
    assert err == ""  # no bar where there is no terminal


def test_program_start_option(capsys):
    assert nist.main(["Misra1a", "Misra1a", "--start", "2"]) == 0
    rows = [line.split() for line in capsys.readouterr().out.splitlines() if line.startswith("Misra1a")]
    assert [row[2] for row in rows] == ["2"]


def test_program_lists_the_problems(capsys):
    assert nist.main(["--list"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert [line.split()[0] for line in lines] == list(nist.MODELS)


def test_program_rejects_an_unknown_name(capsys):
    with pytest.raises(SystemExit) as stop:
        nist.main(["Misra1a", "Misra9z"])
    assert stop.value.code == 2
    err = capsys.readouterr().err
    assert "unknown problem 'Misra9z'" in err
    assert all(name in err for name in PROBLEMS)


@pytest.mark.parametrize("name", ["Misra1a", "Nelson"])
def test_program_draws_the_fits(name, tmp_path, capsys):
    pytest.importorskip("matplotlib")
    folder = tmp_path / "some" / "fits"
    assert nist.main([name, "--plots", str(folder)]) == 0
    assert f"2 pictures are in {folder}" in capsys.readouterr().out
    assert sorted(path.name for path in folder.iterdir()) == [f"{name}-1.png", f"{name}-2.png"]
    assert all(path.read_bytes().startswith(b"\x89PNG") for path in folder.iterdir())


def test_plots_without_matplotlib(monkeypatch, tmp_path, capsys):
    def missing(name):
        raise ImportError(name)

    monkeypatch.setattr(importlib, "import_module", missing)
    with pytest.raises(SystemExit):
        nist.main(["Misra1a", "--plots", str(tmp_path / "fits")])
    assert "--plots needs matplotlib" in capsys.readouterr().err
    assert not (tmp_path / "fits").exists()


class Terminal(io.StringIO):
    """A stream that says that it is a terminal."""

    def isatty(self):
        return True


def test_bar_without_tqdm(monkeypatch):
    def missing(name):
        raise ImportError(name)

    monkeypatch.setattr(importlib, "import_module", missing)
    monkeypatch.setattr(sys, "stderr", Terminal())
    tasks = [("Misra1a, start 1", 1), ("Misra1a, start 2", 2)]
    assert list(nist.progress(tasks, True, "fit")) == [1, 2]
    assert "fit 2 of 2: Misra1a, start 2" in sys.stderr.getvalue()


def test_bar_can_be_turned_off(monkeypatch):
    monkeypatch.setattr(sys, "stderr", Terminal())
    assert list(nist.progress([("Misra1a", 1)], False, "fit")) == [1]
    assert sys.stderr.getvalue() == ""
