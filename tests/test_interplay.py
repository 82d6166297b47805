"""The page of other packages: each section runs where its package is installed."""

import doctest
import pathlib
import re

import pytest

PAGE = pathlib.Path(__file__).parents[1] / "docs" / "interplay.md"
HEAD, *SECTIONS = re.split(r"^## ", PAGE.read_text(encoding="utf-8"), flags=re.MULTILINE)


@pytest.mark.filterwarnings("ignore::DeprecationWarning")
@pytest.mark.parametrize("section", SECTIONS, ids=lambda section: section.split()[0])
def test_a_section_runs(section):
    name = section.split()[0]
    pytest.importorskip(name)
    test = doctest.DocTestParser().get_doctest(HEAD + section, {}, name, str(PAGE), 0)
    assert f"import {name}" in section or f"from {name}" in section
    assert doctest.DocTestRunner(optionflags=doctest.NORMALIZE_WHITESPACE).run(test).failed == 0
