"""Text of documents and models made safe to show: no image, link or element of it is rendered, and no bracket in it reads as a citation."""

from __future__ import annotations

import re
from collections.abc import Iterable

from components.builders.markers import without_markers

_TARGET = r"\(\s*<?[^()\s<>]*(?:\([^()\s]*\)[^()\s<>]*)*>?(?:\s+(?:\"[^\"\n]*\"|'[^'\n]*'|\([^()\n]*\)))?\s*\)"
_IMAGE = re.compile(rf"!\[([^\[\]\n]{{0,300}})\](?:{_TARGET}|\[[^\[\]\n]{{0,200}}\]|)")
_LINK = re.compile(rf"(?<!\\)\[([^\[\]\n]{{1,300}})\]({_TARGET})")
_REFERENCE = re.compile(r"^[ \t]{0,3}\[([^\[\]\n]{1,200})\]:[ \t]*(?=\S)", re.MULTILINE)
_AUTOLINK = re.compile(r"<((?:[a-z][a-z0-9+.-]{1,30}:|mailto:|[\w.+-]+@)[^<>\s]*)>", re.IGNORECASE)
_NAMES = (
    "a abbr address applet area article aside audio b base basefont bdi bdo big blockquote body br button canvas caption center cite "
    "code col colgroup data datalist dd del details dfn dialog dir div dl dt em embed fieldset figcaption figure font footer form frame "
    "frameset h1 h2 h3 h4 h5 h6 head header hr html i iframe image img input ins kbd label legend li link main map mark marquee math "
    "menu meta meter nav noscript object ol optgroup option output p param picture plaintext portal pre progress q rp rt ruby s samp "
    "script search section select slot small source span strike strong style sub summary sup svg table tbody td template textarea tfoot "
    "th thead time title tr track tt u ul var video wbr xmp"
)
_ELEMENT = re.compile(rf"<(?=[!?]|/?(?:{'|'.join(_NAMES.split())})(?![\w-])|/?[a-z][\w:-]*[\s/]+[^<>]*=)", re.IGNORECASE)
_SCHEME = re.compile(r"\b(?:javascript|vbscript|data|file|blob):(?=\S)", re.IGNORECASE)
_ADDRESS = re.compile(r"(?:\b[a-z][a-z0-9+.-]{1,20}://|\bwww\.)[^\s<>\"“”]+", re.IGNORECASE)
_LESS = "‹"
_LEFT_OUT = "(address left out)"


def shown_text(text: str) -> str:
    r"""The text as the answer shows it; words, numbers and addresses stay readable.

    Markdown images become their caption, links their text with the address behind it, the `<` of an element becomes ‹ so that none is
    read, addresses that run code lose their colon, and brackets around what reads as a citation become round.

    >>> shown_text("See ![logo](https://e.example/x.png?q=1) and [our page](https://e.example). <img src=x> [4]")
    'See logo and our page (https://e.example). ‹img src=x> (4)'
    """
    return without_markers(without_rendering(text))


def without_rendering(text: str) -> str:
    """`shown_text` without its change of markers."""
    text = _IMAGE.sub(lambda m: m.group(1), text)
    text = _LINK.sub(lambda m: f"{m.group(1)} ({m.group(2)[1:-1].strip()})", text)
    text = _REFERENCE.sub(lambda m: f"{m.group(1)} ", text)
    text = _AUTOLINK.sub(lambda m: m.group(1), text)
    text = _ELEMENT.sub(_LESS, text)
    return _SCHEME.sub(lambda m: m.group().replace(":", " "), text)


def without_images(text: str) -> str:
    """The text without Markdown's images: in what a model writes they say nothing that a passage carries, and loading one tells its address."""
    return _IMAGE.sub("", text)


def known_addresses(text: str, passages: Iterable[str]) -> tuple[str, int]:
    """The text without the addresses that no passage holds character for character, and how many were left out.

    >>> known_addresses("Go to https://e.example/?secret=1 or www.pool.example.", ["See www.pool.example."])
    ('Go to (address left out) or www.pool.example.', 1)
    """
    held = list(passages)
    left_out = 0

    def kept(match: re.Match[str]) -> str:
        nonlocal left_out
        address = match.group().rstrip(".,;:!?)]}'’*_`")
        if any(address in passage for passage in held):
            return match.group()
        left_out += 1
        return _LEFT_OUT + match.group()[len(address) :].lstrip(")]}")

    return _ADDRESS.sub(kept, text), left_out
