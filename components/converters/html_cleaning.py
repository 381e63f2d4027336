"""HTML made ready for reading: what a reader does not see goes, and numbers of ordered lists become text."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any

from components.converters.html_hidden import hiding_selectors, is_hidden

_DROPPED = ["script", "style", "noscript", "template", "nav", "iframe", "object", "embed", "svg", "canvas", "select", "button", "dialog"]
_HEADINGS = {"h1", "h2", "h3", "h4", "h5", "h6"}
_NAVIGATION_ROLES = {"navigation", "search", "menu", "menubar"}
_SKIP_LINK = re.compile(r"(?i)\s*skip (?:to|over|navigation)")


@dataclass
class Page:
    """A cleaned page.

    :param root: its tree.
    :param title: its `<title>`, empty if none.
    :param language: the language code of `<html lang>`, two or three letters.
    :param hidden_words: how many words were hidden and are gone.
    """

    root: Any
    title: str
    language: str | None
    hidden_words: int


def clean_html(text: str) -> Page:
    """Drop scripts, styles, comments, navigation and hidden elements.

    A page's `header` goes unless it holds a heading or stands in `main` or `article`, where it belongs to the text; `footer` likewise. A list
    of links before the first heading is navigation.

    :param text: the page, decoded.

    >>> page = clean_html("<html lang='en-GB'><title>T</title><p hidden>x</p><p>y</p></html>")
    >>> page.title, page.language, page.hidden_words
    ('T', 'en', 1)
    """
    import lxml.html

    # a declaration of an encoding contradicts text that is already decoded, and lxml refuses it
    parser = lxml.html.HTMLParser(encoding="utf-8", remove_comments=True, remove_pis=True, huge_tree=True)
    root = lxml.html.document_fromstring(re.sub(r"^\s*<\?xml[^>]*\?>", "", text).encode("utf-8", "replace"), parser=parser)
    title = re.sub(r"\s+", " ", root.findtext(".//title") or "").strip()
    language = re.match(r"[A-Za-z]{2,3}(?![A-Za-z])", root.get("lang") or "")
    selectors = hiding_selectors("\n".join(style.text or "" for style in root.iter("style")))
    for element in list(root.iter(*_DROPPED)) + [e for e in root.iter() if isinstance(e.tag, str) and e.get("role") in _NAVIGATION_ROLES]:
        _drop(element)
    hidden = [element for element in root.iter() if isinstance(element.tag, str) and is_hidden(element, selectors)]
    words = sum(len(element.text_content().split()) for element in hidden if not any(a in hidden for a in element.iterancestors()))
    for element in hidden:
        _drop(element)
    for element in list(root.iter("header", "footer")):
        inside = any(a.tag in ("main", "article", "section") for a in element.iterancestors())
        if inside or (element.tag == "header" and any(e.tag in _HEADINGS for e in element.iter())):
            element.tag = "div"
        else:
            _drop(element)
    _drop_links_before_the_text(root)
    for ordered in root.iter("ol"):
        _number(ordered)
    return Page(root, title, language.group(0).lower() if language else None, words)


def _drop_links_before_the_text(root: Any) -> None:
    """Lists of links and "skip to" links before the first main heading, where there is one."""
    first = next(root.iter("h1"), None)
    first = first if first is not None else next(root.iter(*_HEADINGS), None)
    if first is None:
        return
    for element in list(root.iter()):
        if element is first or element.tag in ("main", "article"):
            return
        skips = element.tag == "a" and (element.get("href") or "").startswith("#") and _SKIP_LINK.match(element.text_content())
        if skips or (element.tag in ("ul", "ol") and _is_menu(element)):
            _drop(element)


def _is_menu(element: Any) -> bool:
    links = [link.text_content().strip() for link in element.iter("a")]
    words = sum(len(link.split()) for link in links)
    return len(links) >= 3 and words <= 4 * len(links) and "".join(element.text_content().split()) == "".join("".join(links).split())


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
