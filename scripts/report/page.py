"""A notebook as one HTML page that needs no network and, but for its interactive
figures, no script."""

import base64
import copy
import hashlib
import html
import html.parser
import mimetypes
import os
import pathlib
import re
import urllib.parse

from jinja2 import FileSystemLoader, pass_context
from nbconvert.exporters import HTMLExporter
from nbconvert.filters.markdown_mistune import IPythonRenderer, MarkdownWithMath

from .cover import uncover
from .formulas import mathml

HERE = pathlib.Path(__file__).resolve().parent

# What a page may load: only what it contains. It runs the scripts of its interactive
# figures and its own, which the browser knows by their hashes: none that stands in
# Markdown, in an attribute or a link.
POLICY = (
    "default-src 'none'; img-src data: blob:; media-src data:; font-src data:; base-uri 'none'; form-action 'none'; "
    "script-src {scripts}; style-src 'unsafe-inline'; style-src-elem {styles}; style-src-attr 'unsafe-inline'"
)


class Elements(html.parser.HTMLParser):
    """Collects the texts of elements of one name that browsers would run or apply."""

    def __init__(self, name, text):
        super().__init__(convert_charrefs=False)
        self.name, self.inside, self.texts = name, False, []
        self.feed(text)
        self.close()

    def handle_starttag(self, tag, attributes):
        kind = dict(attributes).get("type") or ""
        self.inside = tag == self.name and kind.lower() in ("", "text/css", "text/javascript", "application/javascript", "module")
        if self.inside:
            self.texts.append("")

    def handle_endtag(self, tag):
        self.inside = False

    def handle_data(self, data):
        if self.inside:
            self.texts[-1] += data


def with_policy(text, scripts):
    """Puts the policy into a page that has its style sheets."""

    def sources(texts):
        normal = {t.replace("\r\n", "\n").replace("\r", "\n") for t in texts}
        digests = [base64.b64encode(hashlib.sha256(t.encode()).digest()).decode() for t in sorted(normal)]
        return " ".join(f"'sha256-{d}'" for d in digests) or "'none'"

    policy = POLICY.format(scripts=sources(scripts), styles=sources(Elements("style", text).texts))
    return text.replace(PLACE, policy, 1)


# Where a page has its policy.
PLACE = "AGEKIT-POLICY"


def figure_scripts(notebook):
    """The scripts that the outputs of cells brought."""
    outputs = [o for cell in notebook.cells if cell.cell_type == "code" for o in cell.outputs]
    pages = ["".join(o.get("data", {}).get("text/html", "")) for o in outputs]
    return [text for page in pages for text in Elements("script", page).texts]

# The kinds of output that a page can show, best first.
KINDS = ["text/html", "text/markdown", "image/svg+xml", "image/png", "image/jpeg", "text/latex", "text/plain"]


class Renderer(IPythonRenderer):
    """Markdown to HTML with formulas as MathML."""

    def __init__(self, on_bad_formula, **options):
        super().__init__(escape=False, embed_images=True, **options)
        self.on_bad_formula = on_bad_formula

    def _src_to_base64(self, src):
        """Embeds a picture; nbconvert's own method refuses those outside the notebook's
        folder."""
        path = pathlib.Path(self.path, urllib.parse.unquote(src))
        kind, _ = mimetypes.guess_type(path)
        if not (kind or "").startswith("image/") or not path.is_file():
            return None
        return f"data:{kind};base64,{base64.b64encode(path.read_bytes()).decode()}"

    def _html_embed_images(self, html):
        """Embeds the pictures of a piece of HTML. nbconvert's own method closes what is
        open at its end, and so takes the text out of <details>."""
        return re.sub(r"<img\b[^>]*>", lambda tag: super(Renderer, self)._html_embed_images(tag[0]), html)

    def link(self, text, url, title=None):
        """A link to a notebook beside this one leads to its report."""
        if re.fullmatch(r"[^/:?#]+\.ipynb(#.*)?", url):
            url = url.replace(".ipynb", ".html", 1)
        return super().link(text, url, title)

    def block_math(self, body):
        return f'<span class="formula">{self.formula(body, "block")}</span>'

    def inline_math(self, body):
        return self.formula(body, "inline")

    def latex_environment(self, name, body):
        return self.block_math(f"\\begin{{{name}}}{body}\\end{{{name}}}")

    def formula(self, body, display):
        try:
            return mathml(body, display)
        except Exception as error:  # the package raises many types
            self.on_bad_formula(body, f"{type(error).__name__}: {error}")
            return f"<code>{self.escape_html(body)}</code>"


def markdown(source, on_bad_formula, **options):
    return MarkdownWithMath(renderer=Renderer(on_bad_formula, **options)).render(source)


class Exporter(HTMLExporter):
    """Writes pages with a template and the style in this folder."""

    def __init__(self, on_bad_formula, template):
        super().__init__(
            extra_loaders=[FileSystemLoader(HERE)],
            template_file=template,
            extra_template_basedirs=[],  # by default the current folder: templates are code
        )
        self.on_bad_formula = on_bad_formula
        self.environment.tests["picture"] = lambda text: re.search("<(svg|img|canvas|input)", text) is not None
        self.environment.tests["folded"] = folded
        self.environment.tests["answer"] = lambda cell: tagged(cell, "hide-output")
        self.environment.tests["spoken"] = lambda cell: slide_type(cell) == "notes"
        self.environment.tests["beside"] = lambda cell: tagged(cell, "beside")
        self.environment.tests["removed"] = lambda cell: tagged(cell, "remove-input")

    @property
    def default_config(self):
        config = super().default_config
        config.NbConvertBase.display_data_priority = KINDS
        config.HighlightMagicsPreprocessor.enabled = False  # its magics are Python's
        return config

    @pass_context
    def markdown2html(self, context, source):
        return markdown(
            source,
            self.on_bad_formula,
            attachments=context.get("cell", {}).get("attachments", {}),
            path=context.get("resources", {}).get("metadata", {}).get("path", ""),
            anchor_link_text=self.anchor_link_text,
        )


def tagged(cell, tag):
    """Whether a cell has a tag of Jupyter Book, which also knew it with underscores."""
    return not {tag, tag.replace("-", "_")}.isdisjoint(cell.metadata.get("tags", []))


def folded(cell):
    """Whether the source of a cell is to be unfolded by the reader."""
    return tagged(cell, "hide-input") or bool(cell.metadata.get("jupyter", {}).get("source_hidden"))


def without_checks(notebook):
    """The notebook without the cells that check what its text says, unless they failed."""
    notebook = copy.deepcopy(notebook)
    notebook.cells = [c for c in notebook.cells if not tagged(c, "check") or c.get("outputs")]
    return notebook


def slide_type(cell):
    """What a cell says that it is in a talk, or "" if it does not."""
    said = cell.metadata.get("slideshow", {}).get("slide_type", "-")
    return "" if said == "-" else said


def page(notebook, name, folder, on_bad_formula):
    """Returns the page of a notebook that lies in folder; name is its title if it
    has no heading."""
    notebook = without_checks(notebook)
    text = convert(notebook, name, folder, on_bad_formula, "page.html.j2")
    text = text.replace("<style></style>", f"<style>\n{style(text)}</style>", 1)
    return with_policy(text, figure_scripts(notebook))


def convert(notebook, name, folder, on_bad_formula, template, **resources):
    """Fills a template, whose style sheet remains to be added."""
    notebook = copy.deepcopy(notebook)
    for cell in notebook.cells:
        uncover(cell)
    # Highlighting would take a kernel that names no lexer for Python.
    info = notebook.metadata.setdefault("language_info", {})
    language = info.get("name") or notebook.metadata.get("kernelspec", {}).get("language") or "text"
    info.update(name=language, pygments_lexer=info.get("pygments_lexer") or language)
    resources |= {
        "metadata": {"name": name, "path": str(folder)},
        "title": title(notebook, name),
        "policy": PLACE,
    }
    return Exporter(on_bad_formula, template).from_notebook_node(notebook, resources)[0]


def replace(path, text):
    """Writes a file that appears only when it is complete."""
    fresh = path.with_name(f"{path.name}.{os.getpid()}.tmp")  # others may write an index too
    fresh.write_text(text, encoding="utf-8")
    fresh.replace(path)


def style(text):
    """The style sheet of a page, with the font for formulas if it has any."""
    sheet = shared("page.css")
    if "<math" in text:
        font = base64.b64encode((HERE / "STIXTwoMath.woff2").read_bytes()).decode()
        sheet += (
            f'@font-face {{ font-family: "STIX Two Math"; src: url(data:font/woff2;base64,{font}) format("woff2"); }}\n'
        )
    return sheet


def shared(name):
    """A file of this folder."""
    return (HERE / name).read_text(encoding="utf-8")


def heading(notebook):
    """The notebook's first heading, as Markdown."""
    for cell in notebook["cells"]:
        found = re.search(r"^#+ +(.+?)[ #]*$", cell["source"], re.MULTILINE) if cell["cell_type"] == "markdown" else None
        if found:
            return found[1]
    return ""


def title(notebook, name):
    """The first heading as plain text, or else name."""
    return html.unescape(re.sub(r"[*`$]|<[^>]*>|\[|\]\([^)]*\)", "", heading(notebook))) or name
