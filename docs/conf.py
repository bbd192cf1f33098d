"""How is the documentation built?

`make docs` turns this folder into pages in build/docs, with every warning an error. Nothing is
fetched from the network, neither by the build nor by a reader's browser. Pictures are drawn by the
build: those of the scripts in `pictures`, and those of the gallery, which is `examples`.
"""

import inspect
import os
import sys
from pathlib import Path
from typing import Any

os.environ["MPLBACKEND"] = "Agg"  # figures are drawn, never shown
os.environ.setdefault("OMP_NUM_THREADS", "1")  # small data: threads cost more than they gain
HERE = Path(__file__).parent
sys.path[:0] = [str(HERE), str(HERE / "pictures")]  # for what the pictures share

from cards import draw_cards
from docutils import nodes
from docutils.utils.math.latex2mathml import tex2mathml
from live_report import write_live_report

from abstain import __version__

project = "abstain"
author = "the abstain developers"
copyright = author  # noqa: A001 (the name that sphinx gives it)
version = release = __version__

extensions = [
    "console",
    "matplotlib.sphinxext.plot_directive",
    "myst_parser",
    "numpydoc",
    "sphinx.ext.autodoc",
    "sphinx.ext.autosummary",
    "sphinx_design",
    "sphinx_gallery.gen_gallery",
]
exclude_patterns = ["pictures"]
templates_path = ["_templates"]
default_role = "py:obj"  # `name` in a docstring is a link where there is such a name

# sphinx-gallery looks at whole paths, and the folder of the project may have a space in its name.
suppress_warnings = ["sphinx_gallery.space_in_filename"]

# --- pages --------------------------------------------------------------------------------------

myst_heading_anchors = 3  # links such as results/README.md#accuracy-on-test-data

html_theme = "pydata_sphinx_theme"
html_title = "abstain"
html_static_path = ["_static"]
html_css_files = ["abstain.css"]
html_copy_source = False
html_show_sourcelink = False
html_theme_options = {
    "header_links_before_dropdown": 5,
    "navbar_end": ["theme-switcher"],
    "footer_start": ["copyright"],
    "footer_end": ["sphinx-version"],
    "show_prev_next": False,
    "secondary_sidebar_items": ["page-toc"],
    "show_toc_level": 2,
    "pygments_light_style": "tango",
    "pygments_dark_style": "github-dark",
}
html_sidebars = {"index": [], "quick-start": [], "changelog": [], "contributing": []}

# --- reference ----------------------------------------------------------------------------------

autosummary_generate = True
autosummary_generate_overwrite = True
autodoc_typehints = "none"  # the docstrings say what the parameters are
autodoc_member_order = "bysource"
toc_object_entries_show_parents = "hide"
numpydoc_show_class_members = False  # the template of a class lists them
numpydoc_xref_param_type = False


def skip_member(app: Any, what: str, name: str, obj: Any, skip: bool, options: Any) -> bool | None:
    """Leave out what a class inherits from scikit-learn or Python: it is documented there."""
    function = getattr(obj, "fget", None) or getattr(obj, "func", None) or obj
    if inspect.ismethod(function):
        function = function.__func__
    module = getattr(function, "__module__", None)
    return None if isinstance(module, str) and module.startswith("abstain") else True


def hide_functions(
    app: Any, what: str, name: str, obj: Any, options: Any, signature: str | None, returns: Any
) -> tuple[str | None, Any]:
    """Leave out the text of a function that is a default: the docstring says what it does."""
    return signature and signature.replace("<function <lambda>>", "..."), returns


# --- the report on the landing page -------------------------------------------------------------


def add_report(app: Any, error: Exception | None) -> None:
    """Make the report that the landing page shows, with the library as it is."""
    if error is None and app.builder.format == "html":
        write_live_report(Path(app.outdir, "report.html"))


# --- formulas -----------------------------------------------------------------------------------

html_math_renderer = "mathml"  # browsers draw MathML by themselves; MathJax is fetched


def write_formula(writer: Any, node: Any) -> None:
    """Write a formula as MathML."""
    is_block = isinstance(node, nodes.math_block)
    formula = tex2mathml(node.astext(), as_block=is_block)
    writer.body.append(f'<div class="formula">{formula}</div>' if is_block else formula)
    raise nodes.SkipNode


def setup(app: Any) -> None:
    """Connect what sphinx calls."""
    app.connect("builder-inited", lambda app: draw_cards(HERE / "made"))
    app.connect("build-finished", add_report)
    app.connect("autodoc-process-signature", hide_functions)
    app.connect("autodoc-skip-member", skip_member)
    renderer = (write_formula, None)
    app.add_html_math_renderer("mathml", inline_renderers=renderer, block_renderers=renderer)


# --- pictures and gallery -----------------------------------------------------------------------

plot_html_show_source_link = False
plot_html_show_formats = False
plot_formats = [("png", 160)]
plot_rcparams = {"figure.figsize": (7.2, 3.6), "savefig.bbox": "tight", "font.size": 10}
plot_apply_rcparams = True

sphinx_gallery_conf = {
    "examples_dirs": "../examples",
    "gallery_dirs": "auto_examples",
    "subsection_order": [
        f"../examples/{section}"
        for section in ("first_steps", "targets", "data", "in_use", "models")
    ],
    "backreferences_dir": "api/examples",  # for the lists of examples on the pages of the reference
    "doc_module": ("abstain",),
    "filename_pattern": r"\.py$",  # every example runs
    "abort_on_example_error": True,
    "within_subsection_order": "FileNameSortKey",
    "download_all_examples": False,
    "show_signature": False,
    "write_computation_times": False,
    "image_srcset": ["2x"],
    "thumbnail_size": (480, 336),
}
