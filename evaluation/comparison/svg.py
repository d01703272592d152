"""Matplotlib's SVG made fit for a page: themed by classes, without inline styles, described."""

from __future__ import annotations

import io
import re
from typing import TYPE_CHECKING
from xml.etree import ElementTree

if TYPE_CHECKING:
    from matplotlib.figure import Figure

INK, MUTED, GRID = "#1b1b1e", "#5c5c66", "#d6d6de"
SERIES = ("#1d5fbf", "#b34700", "#18794e", "#a3206f", "#6a4fc4", "#7a6500")
THEME = {INK: "ink", MUTED: "muted", GRID: "grid"} | {c: f"c{k}" for k, c in enumerate(SERIES)}
"""Colours that the page replaces by those of its theme, and the classes that stand for them."""

_SVG = "http://www.w3.org/2000/svg"
_XLINK = "http://www.w3.org/1999/xlink"
_PAINTS = {"fill": "f", "stroke": "s"}
_REFERENCE = re.compile(r"url\(#([^)]*)\)")
_FONT = frozenset({"font", "font-family", "font-style", "font-variant", "font-stretch"})


def svg_of(figure: Figure, name: str, title: str, about: str) -> str:
    """A figure as one ``<svg>`` element.

    A page's policy may forbid inline styles: every style becomes an attribute, and the colours of
    :data:`THEME` classes (``f-ink``, ``s-ink``). Texts stay texts.

    Args:
        figure: The figure; its texts must be safe for XML (:func:`evaluation.plaintext.one_line`).
        name: Unique in the page; begins the ids.
        title: Short description for readers that do not see the plot.
        about: Longer one.
    """
    root = ElementTree.fromstring(_drawn(figure))
    for element in list(root):
        if element.tag == f"{{{_SVG}}}metadata":
            root.remove(element)
    for parent in root.iter():
        for child in list(parent):
            if child.tag == f"{{{_SVG}}}style":
                parent.remove(child)
    for element in root.iter():
        _restyle(element)
        _rename(element, name)
    for key in ("width", "height"):
        root.attrib.pop(key, None)
    root.set("role", "img")
    root.set("aria-labelledby", f"{name}-title {name}-about")
    root.insert(0, _text_element("desc", f"{name}-about", about))
    root.insert(0, _text_element("title", f"{name}-title", title))
    ElementTree.register_namespace("", _SVG)
    ElementTree.register_namespace("xlink", _XLINK)
    return ElementTree.tostring(root, encoding="unicode")


def _drawn(figure: Figure) -> str:
    import matplotlib as mpl

    file = io.StringIO()
    with mpl.rc_context({"svg.hashsalt": "crsgym", "svg.fonttype": "none"}):
        metadata = dict.fromkeys(("Date", "Creator", "Format", "Type"))
        figure.savefig(file, format="svg", transparent=True, metadata=metadata)
    return file.getvalue()


def _restyle(element: ElementTree.Element) -> None:
    classes = []
    for declaration in filter(None, element.attrib.pop("style", "").split(";")):
        key, _, value = (part.strip() for part in declaration.partition(":"))
        theme = THEME.get(value.lower())
        if key in _PAINTS and theme is not None:
            classes.append(f"{_PAINTS[key]}-{theme}")
        elif key == "font":  # a shorthand, which no attribute can hold: only its size is kept
            size = re.search(r"([\d.]+)px", value)
            element.set("font-size", size.group(1) if size else "10")
        elif key not in _FONT:
            element.set(key, value)
    if classes:
        element.set("class", " ".join(classes))


def _rename(element: ElementTree.Element, name: str) -> None:
    if "id" in element.attrib:
        element.set("id", f"{name}-{element.attrib['id']}")
    for key, value in list(element.attrib.items()):
        if key == f"{{{_XLINK}}}href" and value.startswith("#"):
            element.set(key, f"#{name}-{value[1:]}")
        elif "url(#" in value:
            element.set(key, _REFERENCE.sub(rf"url(#{name}-\1)", value))


def _text_element(tag: str, identifier: str, text: str) -> ElementTree.Element:
    element = ElementTree.Element(f"{{{_SVG}}}{tag}", {"id": identifier})
    element.text = text
    return element
