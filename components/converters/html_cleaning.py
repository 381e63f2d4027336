"""HTML made ready for partitioning: what a reader does not see goes, and numbers of ordered lists become text."""

from __future__ import annotations

import re
from typing import Any

_DROPPED = ["script", "style", "noscript", "template", "nav", "iframe", "object", "embed", "svg", "canvas", "select", "button", "dialog"]
_HIDDEN = re.compile(r"display\s*:\s*none|visibility\s*:\s*hidden|font-size\s*:\s*0(?![.\d]*[1-9])|opacity\s*:\s*0(?![.\d]*[1-9])", re.IGNORECASE)
_HEADINGS = {"h1", "h2", "h3", "h4", "h5", "h6"}


def clean_html(text: str) -> tuple[str, str, str | None]:
    """Drop scripts, styles, comments, navigation and hidden elements.

    A page's `header` goes unless it holds a heading or stands in `main` or `article`, where it belongs to the text; `footer` likewise.

    :param text: the page, decoded.
    :returns: the cleaned HTML, its `<title>` (empty if none) and the language code of `<html lang>` (two or three letters, or None).

    >>> clean_html("<html lang='en-GB'><title>T</title><p hidden>x</p><p>y</p></html>")[1:]
    ('T', 'en')
    """
    import lxml.html

    # a declaration of an encoding contradicts text that is already decoded, and lxml refuses it
    parser = lxml.html.HTMLParser(encoding="utf-8", remove_comments=True, remove_pis=True, huge_tree=True)
    root = lxml.html.document_fromstring(re.sub(r"^\s*<\?xml[^>]*\?>", "", text).encode("utf-8", "replace"), parser=parser)
    title = re.sub(r"\s+", " ", root.findtext(".//title") or "").strip()
    language = re.match(r"[A-Za-z]{2,3}(?![A-Za-z])", root.get("lang") or "")
    for element in list(root.iter(*_DROPPED)) + [e for e in root.iter() if isinstance(e.tag, str) and _is_hidden(e)]:
        _drop(element)
    for element in list(root.iter("header", "footer")):
        inside = any(a.tag in ("main", "article", "section") for a in element.iterancestors())
        if inside or (element.tag == "header" and any(e.tag in _HEADINGS for e in element.iter())):
            element.tag = "div"
        else:
            _drop(element)
    for ordered in root.iter("ol"):
        _number(ordered)
    for element in root.iter("meta"):
        element.attrib.clear()
    return str(lxml.html.tostring(root, encoding="unicode")), title, language.group(0).lower() if language else None


def _is_hidden(element: Any) -> bool:
    if "hidden" in element.attrib or element.get("aria-hidden") == "true":
        return True
    return bool(_HIDDEN.search(element.get("style") or "")) or (element.tag == "input")


def _drop(element: Any) -> None:
    if element.getparent() is not None:
        element.drop_tree()


def _number(ordered: Any) -> None:
    """Write the numbers of a list into its items: a citation of "2." must find it."""
    start = ordered.get("start") or "1"
    number = int(start) if re.fullmatch(r"-?\d+", start) else 1
    for item in ordered.iterchildren("li"):
        value = item.get("value") or ""
        number = int(value) if re.fullmatch(r"-?\d+", value) else number
        holder = item
        while not (holder.text or "").strip() and len(holder) and holder[0].tag in ("p", "div", "span", "b", "strong", "em", "i", "a"):
            holder = holder[0]
        holder.text = f"{number}. {(holder.text or '').lstrip()}"
        number += 1
