"""LaTeX formulas as MathML, which browsers draw without a script."""

import unicodedata
from xml.etree import ElementTree

from latex2mathml.converter import convert

# Browsers ignore all values of mathvariant but "normal" (MathML Core), so that
# letters in these styles must be characters of their own.
STYLES = {
    "bold": "BOLD",
    "bold-italic": "BOLD ITALIC",
    "double-struck": "DOUBLE-STRUCK",
    "script": "SCRIPT",
    "bold-script": "BOLD SCRIPT",
    "fraktur": "FRAKTUR",
    "bold-fraktur": "BOLD FRAKTUR",
    "sans-serif": "SANS-SERIF",
    "bold-sans-serif": "SANS-SERIF BOLD",
    "monospace": "MONOSPACE",
}


def mathml(tex, display):
    """Converts a formula; display is "inline" or "block"."""
    text = convert(tex, display=display)
    math = ElementTree.fromstring(text.replace(' xmlns="http://www.w3.org/1998/Math/MathML"', "", 1))
    for element in list(math.iter()):
        style = STYLES.get(element.get("mathvariant"))
        if style:
            del element.attrib["mathvariant"]
            element.text = "".join(styled(letter, style) for letter in element.text or "")
        if element.tag == "mo" and element.text == "/":
            element.attrib.update(lspace="0", rspace="0")  # as TeX: no space around 1/n
        if element.tag == "mo" and element.text == "‖" and "stretchy" not in element.attrib:
            element.set("stretchy", "false")  # as TeX: only \left and \right grow
        if element.tag == "mover" and len(element) == 2 and element[1].text == "~":
            # A tilde close to its letter: as an operator it would float a line above it,
            # and as an accent alone it would cross capital letters.
            element.set("accent", "true")
            element[1].text = "\u02dc"
            element[1].set("style", "padding-bottom:.06em")
        space_functions(element)
    return ElementTree.tostring(math, encoding="unicode", method="html")


def styled(letter, style):
    """The character for a letter or digit in a mathematical style, or else the letter."""
    name = unicodedata.name(letter, "")
    if style == "BOLD ITALIC" and name.startswith("GREEK CAPITAL"):
        style = "BOLD"  # TeX's capital Greek letters are upright
    name = name.removeprefix("LATIN ").removeprefix("GREEK ").replace("LETTER ", "")
    # Unicode had some of the letters before it had the styles.
    for styled_name in (f"MATHEMATICAL {style} {name}", f"{style} {name}", f"BLACK-LETTER {name}"):
        if styled_name.startswith("BLACK") and style != "FRAKTUR":
            continue
        try:
            return unicodedata.lookup(styled_name)
        except KeyError:
            pass
    return letter


def space_functions(row):
    """Puts TeX's thin space between the name of a function, such as log, and what stands
    beside it, but none next to an operator or before a parenthesis."""
    if row.tag not in ("mrow", "math", "mtd"):
        return
    children = list(row)
    for i in reversed(range(len(children))):
        name = children[i]
        if name.tag != "mi" or len(name.text or "") < 2 or not name.text.isalpha():
            continue
        if i + 1 < len(children) and children[i + 1].tag not in ("mo", "mspace"):
            row.insert(i + 1, ElementTree.Element("mspace", width="0.167em"))
        if i > 0 and (children[i - 1].tag not in ("mo", "mspace") or children[i - 1].text in (")", "]", "}")):
            row.insert(i, ElementTree.Element("mspace", width="0.167em"))
