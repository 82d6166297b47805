"""The pages of docs/: what they show was printed, where they point there is something, and they describe every public name."""

import argparse
import ast
import doctest
import importlib.util
import pathlib
import re
import xml.etree.ElementTree as tree

import numpy as np
import pytest

import tapegrad as tg

ROOT = pathlib.Path(__file__).parents[1]
PACKAGE = ROOT / "tapegrad"
PAGES = sorted(page for page in (ROOT / "docs").rglob("*.md") if "_build" not in page.parts)
FENCE = re.compile(r"^```(\w+)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
LINK = re.compile(r"\]\(([^)\s]+)\)")
PEERS = ("torch", "jax", "autograd", "casadi")  # whose snippets begin with their import
FLAGS = doctest.NORMALIZE_WHITESPACE | doctest.ELLIPSIS


shown_by_numpy_2 = pytest.mark.skipif(np.__version__ < "2", reason="NumPy 1 prints numbers in another way")


def blocks(page, language):
    return [text for kind, text in FENCE.findall(page.read_text(encoding="utf-8")) if kind == language]


def named(page):
    return page.relative_to(ROOT).as_posix()


def run(name, texts):
    """Runs examples one after the other, in one namespace."""
    test = doctest.DocTestParser().get_doctest("\n".join(texts), {"__name__": name}, name, name, 0)
    assert test.examples
    lines = []
    assert doctest.DocTestRunner(optionflags=FLAGS, verbose=False).run(test, out=lines.append).failed == 0, "".join(lines)


SNIPPETS = [page for page in PAGES if blocks(page, "pycon") and page.name != "interplay.md"]  # which has a test of its own


@shown_by_numpy_2
@pytest.mark.parametrize("page", SNIPPETS, ids=named)
def test_snippets_print_what_they_show(page):
    run(page.stem, blocks(page, "pycon"))


def peers_of(text):
    return next((peer for peer in PEERS if re.match(rf"(import|from) {peer}\b", text)), None)


FOREIGN = [pytest.param(page, text, peer, id=f"{named(page)}-{peer}") for page in PAGES for text in blocks(page, "python")
           if (peer := peers_of(text))]


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize(("page", "text", "peer"), FOREIGN)
def test_snippets_of_other_libraries_print_what_they_show(page, text, peer, capsys):
    """A comment behind a print says what it printed."""
    pytest.importorskip(peer)
    exec(compile(text, str(page), "exec"), {"__name__": page.stem})
    shown = re.findall(r"^print\(.*\)  # (.*)$", text, re.MULTILINE)
    printed = capsys.readouterr().out.splitlines()
    assert shown and printed[:len(shown)] == shown


@pytest.mark.parametrize("page", [ROOT / "README.md", *PAGES], ids=named)
def test_links_lead_somewhere(page):
    for target in LINK.findall(page.read_text(encoding="utf-8")):
        if "://" not in target and not target.startswith("reference/"):  # written when the pages are built
            path, _, anchor = target.partition("#")
            file = page.parent / path if path else page
            assert file.is_file(), target
            heads = re.findall(r"^#+ (.*)$", file.read_text(encoding="utf-8"), re.MULTILINE)
            assert not anchor or anchor in {re.sub(r"[^\w -]", "", head.lower()).replace(" ", "-") for head in heads}, target


def test_each_page_stands_in_the_table_of_contents():
    listed = set()
    for text in re.findall(r"^```\{toctree\}\n(.*?)^```$", (ROOT / "docs/index.md").read_text(encoding="utf-8"), re.M | re.S):
        listed |= {line.rpartition("<")[2].strip(">") for line in text.splitlines() if line and not line.startswith(":")}
    assert listed == {named(page)[5:-3] for page in PAGES} - {"index"} | {"reference/index"}


# The reference --------------------------------------------------------------------------------------------------------

def docstrings():
    """(dotted name, docstring) of everything in the library whose docstring has an example."""
    for file in sorted(PACKAGE.rglob("*.py")):
        source = file.read_text(encoding="utf-8")
        if ">>> " not in source:
            continue
        module = ".".join(("tapegrad", *file.relative_to(PACKAGE).with_suffix("").parts)).removesuffix(".__init__")
        nodes = [node for node in ast.walk(ast.parse(source)) if isinstance(node, (ast.Module, ast.ClassDef, ast.FunctionDef))]
        for node in nodes:
            if ">>> " in (text := ast.get_docstring(node) or ""):
                yield f"{module}.{node.name}" if hasattr(node, "name") else module, text


@shown_by_numpy_2
@pytest.mark.parametrize(("name", "text"), [pytest.param(*pair, id=pair[0]) for pair in docstrings()])
def test_docstrings_print_what_they_show(name, text):
    run(name, [text])


@pytest.fixture(scope="module")
def reference():
    spec = importlib.util.spec_from_file_location("reference", ROOT / "docs/reference.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return dict(module.pages())


def test_reference_has_every_public_name(reference):
    text = "\n".join(reference.values())
    entries = set(re.findall(r"^(?:\.\. py:(?:function|class|data)::|    +)  ?(\w+)", text, re.MULTILINE))
    for module in (tg, tg.autograd, tg.optim, tg.optim.lr_scheduler, tg.optimize, tg.nn.functional, tg.linalg, tg.stats):
        names = tg._public if module is tg else module.__all__
        missing = [name for name in names if callable(getattr(module, name)) and name not in entries
                   and f"``{name}``" not in text]
        assert missing == []


def test_reference_shows_signatures_without_addresses(reference):
    for text in reference.values():
        assert " at 0x" not in text and "<lambda>" not in text and "<object" not in text


def test_reference_describes_methods_of_a_tensor(reference):
    assert ".. py:method:: register_hook(hook)" in reference["tensors"]
    assert ".. py:property:: grad" in reference["tensors"]
    assert "``exp``" in reference["tensors"] and "``add_``" in reference["tensors"]


def test_pages_need_nothing_but_their_files():
    """No fonts, scripts or pictures from elsewhere."""
    for file in [*PAGES, *(ROOT / "docs").glob("_static/*"), *(ROOT / "docs").glob("figures/*"), ROOT / "docs/conf.py"]:
        text = file.read_text(encoding="utf-8").replace("http://www.w3.org/2000/svg", "")
        assert not re.search(r"(src|href)=.https?:|!\[[^]]*\]\(https?:|@import|url\(https?:", text), file


def test_figures_are_pictures():
    for file in (ROOT / "docs/figures").glob("*.svg"):
        root = tree.parse(file).getroot()
        assert root.tag.endswith("svg") and root.find("{http://www.w3.org/2000/svg}title").text


def test_the_page_of_benchmarks_is_made_by_its_program():
    """A round of the smallest problem, of tapegrad alone: what holds for all, in a second."""
    spec = importlib.util.spec_from_file_location("peers", ROOT / "asv_benchmarks/peers.py")
    peers = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(peers)
    options = argparse.Namespace(only="rosen_10", repeat=1, cpu=True)
    made = peers.page(options, ["tapegrad", "tapegrad.compile"])
    assert re.search(r"^\| Rosenbrock's function with slices, n = 10 \| [\d,.]+ µs \| [\d,.]+ µs \|$", made, re.MULTILINE)
    heads = re.findall(r"^#+ .*$", made, re.MULTILINE)
    written = re.findall(r"^#+ .*$", (ROOT / "docs/benchmarks.md").read_text(encoding="utf-8"), re.MULTILINE)
    assert heads == [head for head in written if head != "## Processes and memory"]
