"""A docx file made ready for reading: revisions accepted, wrappers opened, and text that a reader does not see taken out and named."""

from __future__ import annotations

from collections import Counter
from typing import Any

from components.converters.word_numbering import W

_MC = "{http://schemas.openxmlformats.org/markup-compatibility/2006}"
_WRAPPERS = ("ins", "moveTo", "smartTag", "customXml", "fldSimple", "sdtContent", "sdt")
_DELETED = ("del", "moveFrom", "sdtPr", "sdtEndPr", "smartTagPr", "customXmlPr", "rubyPr")
_OFF = ("0", "false", "off", "none")
_WHITE = ("FFFFFF", "FEFEFE", "FDFDFD")
_TINY = 3  # half points


def clean_part(root: Any, styles: dict[str, Any], found: Counter[str]) -> None:
    """Clean one part of a document in place.

    Deleted revisions go and inserted ones stay, as when all are accepted; so do the contents of content controls and fields. Runs that are
    hidden, white on white, or smaller than two points go.

    :param root: the part's root element.
    :param styles: style id to its `w:style` element.
    :param found: counts what was taken out, by its name: words of text that nobody sees, else revisions.
    """
    _accept_revisions(root, found)
    _open_wrappers(root)
    hidden_styles = {key for key in styles if _style_hides(key, styles)}
    plain_page = root.find(f"{W}background") is None
    for run in list(root.iter(f"{W}r")):
        if not any(True for _ in run.iter(f"{W}t", f"{W}sym")):
            continue
        reason = _hidden(run, hidden_styles, plain_page)
        if reason and run.getparent() is not None:
            found[reason] += max(1, len(" ".join(part.text or "" for part in run.iter(f"{W}t")).split()))
            run.getparent().remove(run)


def _accept_revisions(root: Any, found: Counter[str]) -> None:
    for name in _DELETED:
        for element in list(root.iter(f"{W}{name}")):
            if element.getparent().tag == f"{W}rPr" or element.getparent().tag == f"{W}trPr":
                continue  # the mark of a paragraph or a row, not a wrapper of text
            if name in ("del", "moveFrom") and any(True for _ in element.iter(f"{W}delText", f"{W}t")):
                found["deleted revisions"] += 1
            element.getparent().remove(element)
    for row in [mark.getparent().getparent() for mark in root.iter(f"{W}del") if mark.getparent().tag == f"{W}trPr"]:
        if row.getparent() is not None:
            found["deleted revisions"] += 1
            row.getparent().remove(row)


def _open_wrappers(root: Any) -> None:
    for fallback in list(root.iter(f"{_MC}Fallback")):
        choice = fallback.getprevious()
        if choice is not None and choice.tag == f"{_MC}Choice":
            fallback.getparent().remove(fallback)
    for name in _WRAPPERS:
        for element in list(root.iter(f"{W}{name}")):
            if element.getparent() is not None and element.getparent().tag not in (f"{W}rPr", f"{W}trPr"):
                _unwrap(element)


def _unwrap(element: Any) -> None:
    parent, index = element.getparent(), element.getparent().index(element)
    for child in reversed(list(element)):
        parent.insert(index, child)
    parent.remove(element)


def _hidden(run: Any, hidden_styles: set[str], plain_page: bool) -> str:
    properties = run.find(f"{W}rPr")
    vanish = properties.find(f"{W}vanish") if properties is not None else None
    if vanish is not None:
        return "" if vanish.get(f"{W}val") in _OFF else "hidden text"
    paragraph = next(run.iterancestors(f"{W}p"), None)
    for holder, tag in ((properties, "rStyle"), (paragraph.find(f"{W}pPr") if paragraph is not None else None, "pStyle")):
        style = holder.find(f"{W}{tag}") if holder is not None else None
        if style is not None and style.get(f"{W}val") in hidden_styles:
            return "hidden text"
    if properties is None:
        return ""
    size = properties.find(f"{W}sz")
    if size is not None and (size.get(f"{W}val") or "").isdigit() and int(size.get(f"{W}val")) < _TINY:
        return "text too small to see"
    colour = properties.find(f"{W}color")
    if colour is None or (colour.get(f"{W}val") or "").upper() not in _WHITE or not plain_page:
        return ""
    if _shaded(properties) or properties.find(f"{W}highlight") is not None:
        return ""
    for ancestor in run.iterancestors():
        if ancestor.tag in (f"{W}tbl", f"{W}txbxContent"):
            return ""  # the table's style or the shape may give it a dark ground
        if ancestor.tag == f"{W}p" and _shaded(ancestor.find(f"{W}pPr")):
            return ""
    return "white text"


def _shaded(properties: Any | None) -> bool:
    shading = properties.find(f"{W}shd") if properties is not None else None
    return shading is not None and (shading.get(f"{W}fill") or "auto").upper() not in ("AUTO", *_WHITE)


def _style_hides(key: str, styles: dict[str, Any]) -> bool:
    seen: set[str] = set()
    while key in styles and key not in seen:
        seen.add(key)
        vanish = styles[key].find(f"{W}rPr/{W}vanish")
        if vanish is not None:
            return vanish.get(f"{W}val") not in _OFF
        parent = styles[key].find(f"{W}basedOn")
        key = parent.get(f"{W}val") if parent is not None else ""
    return False
