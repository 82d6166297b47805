"""How Sphinx makes pages of this folder: ``sphinx-build -W docs docs/_build``."""

import pathlib
import sys

HERE = pathlib.Path(__file__).parent
sys.path[:0] = [str(HERE), str(HERE.parent)]  # the pages are of this checkout, whatever is installed

import reference  # noqa: E402, after the path

import tapegrad  # noqa: E402

project = "tapegrad"
author = "the tapegrad authors"
copyright = "the tapegrad authors, MIT licence"
release = version = tapegrad.__version__

extensions = ["myst_parser"]
exclude_patterns = ["_build"]
myst_heading_anchors = 3
default_role = "code"  # docstrings write `x` of an argument
add_module_names = False  # a page says which module it is of
toc_object_entries_show_parents = "hide"
highlight_language = "none"
smartquotes = False  # of code in tables, too

html_theme = "furo"
html_title = "tapegrad"
html_static_path = ["_static"]
html_css_files = ["pages.css"]
html_show_sphinx = False
html_copy_source = False
html_theme_options = {"navigation_with_keys": True}
pygments_style = "friendly"
pygments_dark_style = "monokai"


def setup(app):
    app.connect("builder-inited", lambda app: reference.write(pathlib.Path(app.srcdir) / "reference"))
