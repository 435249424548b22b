"""The book: all notebooks and pages as one site, which a browser reads from files, without a network. `make book` runs Sphinx.

Sphinx reads copies of the checkout's pages, in the same folders, so that links between them keep their meaning.
"""

import hashlib
import json
import pathlib
import re
from binascii import a2b_base64
from html import escape
from importlib import resources

from docutils import nodes
from sphinx import addnodes
from sphinx.util.fileutil import copy_asset

ROOT = pathlib.Path(__file__).parents[2]

project = html_title = "gophe"
extensions = ["myst_nb"]
root_doc = "index"
templates_path = ["templates"]
html_theme = "furo"
html_static_path = ["static"]
html_css_files = ["book.css"]
html_js_files = [("book.js", {"defer": "defer"})]
html_show_sourcelink = html_copy_source = html_use_index = html_show_copyright = False
pygments_style, pygments_dark_style = "a11y-high-contrast-light", "a11y-high-contrast-dark"

nb_execution_mode = "off"  # the book shows the outputs that the notebooks have
nb_merge_streams = True  # a cell prints in one block
nb_render_markdown_format = "myst"  # tables in outputs
nb_code_prompt_show, nb_code_prompt_hide = "Show the code", "Hide the code"
myst_enable_extensions = ["dollarmath", "amsmath"]
myst_heading_anchors = 6  # named as on GitHub

# One file that holds all packages, and draws letters as outlines: browsers refuse a local page fonts from the folder above.
mathjax_path = "tex-svg-full.js"
mathjax3_config = {"options": {"enableMenu": False}}  # the menu would load more files


def copy_mathjax(app):
    whole = resources.files("sphinx-mathjax-offline") / "static" / "mathjax" / mathjax_path
    copy_asset(str(whole), app.outdir / "_static")


def plain_links(app, doctree):
    """Make plain text of links to files that the checkout has and the book has not. Sphinx warns of other dead links."""
    folder = (ROOT / app.env.docname).parent
    for link in list(doctree.findall(addnodes.pending_xref)):
        target = link["reftarget"].partition("#")[0]
        if link["reftype"] == "myst" and link["refdomain"] != "doc" and target and (folder / target).exists():
            link.replace_self(link.children)


def name_pictures(app, doctree):
    """Give each picture without a description the title of its section, which a screen reader says."""
    for image in doctree.findall(nodes.image):
        section = image.parent
        while section is not None and not isinstance(section, nodes.section):
            section = section.parent
        if not image.get("alt") and section is not None:
            image["alt"] = f"Picture of “{section[0].astext()}”"


# A picture's marks are texts for places of it. A notebook keeps them next to the picture; book.js shows them on hover.
MARKS = "application/vnd.gophe.marks+json"
marks_of = {}  # by the names that myst-nb gives to pictures


def take_marks(app, docname, source):
    """Take the marks out of a notebook, because myst-nb does not know their type."""
    if app.env.doc2path(docname).suffix != ".ipynb":
        return
    notebook = json.loads(source[0])
    for cell in notebook["cells"]:
        for output in cell.get("outputs", []):
            data = output.get("data", {})
            if marks := data.pop(MARKS, None):
                picture = a2b_base64("".join(data["image/png"]))
                marks_of[hashlib.sha256(picture).hexdigest()] = json.loads(marks)["marks"]  # GoNB sends JSON as a text
    source[0] = json.dumps(notebook)


def add_marks(app, pagename, templatename, context, doctree):
    def with_marks(picture):
        marks = marks_of.get(picture[1])
        return picture[0] if marks is None else f'{picture[0]} data-marks="{escape(json.dumps(marks, ensure_ascii=False))}"'

    if "body" in context:
        context["body"] = re.sub(r'src="[^"]*_images/([0-9a-f]{64})\.png"', with_marks, context["body"])


# The search quotes pages, but a page read from a file may not fetch another: a script of the search page holds their texts.
texts = {}


def take_text(app, pagename, templatename, context, doctree):
    if doctree is not None:
        text = re.sub(r'<a class="headerlink".*?</a>|<summary.*?</summary>|</?span[^>]*>', "", context["body"], flags=re.DOTALL)
        text = re.sub(r"<(?!/?section\b)[^>]*>", " ", text)  # the search looks for sections
        texts[f"./{pagename}.html"] = f'<div role="main">{" ".join(text.split())}</div>'


def write_texts(app, error):
    if error is None:
        script = f"const texts = {json.dumps(texts, ensure_ascii=False)};\nwindow.fetch = async (page) => ({{ text: async () => texts[page] }});\n"
        (app.outdir / "_static" / "texts.js").write_text(script, encoding="utf-8")


def keep_deviations(app, docname, source):
    """Keep a deviation on the line of its mean. In notebooks package show has done so."""
    source[0] = source[0].replace(" ± ", "\u00a0±\u00a0")


def setup(app):
    app.connect("builder-inited", copy_mathjax)
    app.connect("source-read", take_marks)
    app.connect("source-read", keep_deviations)
    app.connect("doctree-read", plain_links)
    app.connect("doctree-read", name_pictures)
    app.connect("html-page-context", add_marks)
    app.connect("html-page-context", take_text)
    app.connect("build-finished", write_texts)
