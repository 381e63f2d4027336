"""Which elements of a page a reader does not see, by their attributes, their style, and the simple rules of its style sheets."""

from __future__ import annotations

import re
from typing import Any

_NOTHING = r"(?:0(?:\.0+)?|\.0+)(?![\d.]*[1-9])"
_HIDDEN = re.compile(
    rf"display\s*:\s*none|visibility\s*:\s*(?:hidden|collapse)|font-size\s*:\s*(?:{_NOTHING}|(?:0?\.\d+|1)px)|opacity\s*:\s*{_NOTHING}"
    r"|(?:text-indent|left|right|top|margin-left)\s*:\s*-\d{3,}(?:px|em|pt)|clip\s*:\s*rect\(\s*(?:0|1px)|transform\s*:\s*scale\(\s*0\s*[,)]",
    re.IGNORECASE,
)
_WHITE = r"(?:#fff(?:fff)?\b|#fefefe\b|white\b|rgba?\(\s*255\s*,\s*255\s*,\s*255|transparent\b)"
_WHITE_TEXT = re.compile(rf"(?<![-\w])color\s*:\s*{_WHITE}", re.IGNORECASE)
_GROUND = re.compile(r"background(?:-color)?\s*:\s*([^;]+)", re.IGNORECASE)
_RULE = re.compile(r"([^{}]+)\{([^{}]*)\}")
_AT_BLOCK = re.compile(r"@[^{};]+\{(?:[^{}]*\{[^{}]*\})*[^{}]*\}|@[^{};]+;|/\*.*?\*/", re.DOTALL)
_SIMPLE = re.compile(r"([A-Za-z][\w-]*)?(?:([.#])([\w-]+))?")
Selector = tuple[str, str, str]
"""Tag, `.` or `#`, and name; empty parts match everything."""


def hiding_selectors(style_sheets: str) -> set[Selector]:
    """Simple selectors (`tag`, `.class`, `#id`, `tag.class`) whose rule hides what they match, on every screen.

    >>> hiding_selectors(".ghost { display: none } @media print { p { display: none } }")
    {('', '.', 'ghost')}
    """
    found: set[Selector] = set()
    for rule in _RULE.finditer(_AT_BLOCK.sub("", style_sheets)):
        if _HIDDEN.search(rule.group(2)):
            for selector in rule.group(1).split(","):
                match = _SIMPLE.fullmatch(selector.strip())
                if match and selector.strip():
                    found.add(((match[1] or "").lower(), match[2] or "", match[3] or ""))
    return found


def is_hidden(element: Any, selectors: set[Selector]) -> bool:
    """Whether an element is not shown: by its own attributes and style, or by a selector."""
    if "hidden" in element.attrib or element.get("aria-hidden") == "true" or element.tag == "input":
        return True
    style = element.get("style") or ""
    if style and (_HIDDEN.search(style) or (_WHITE_TEXT.search(style) and _on_white(element, style))):
        return True
    if element.tag == "font" and re.fullmatch(r"(?i)white|#fff(?:fff)?", element.get("color") or "") and _on_white(element, ""):
        return True
    classes = (element.get("class") or "").split()
    names = {("", ""), *((".", name) for name in classes), ("#", element.get("id") or "")}
    return any((tag, *name) in selectors for tag in ("", element.tag) for name in names)


def _on_white(element: Any, style: str) -> bool:
    """Whether nothing near gives white text a dark ground. A class may do so, and then the text is taken for visible."""
    ground = _GROUND.search(style)
    if ground:
        return re.match(rf"\s*(?:{_WHITE}|none|inherit)", ground.group(1), re.IGNORECASE) is not None
    if element.get("class"):
        return False
    for ancestor in element.iterancestors():
        if ancestor.get("bgcolor") or ancestor.get("background") or "background" in (ancestor.get("style") or ""):
            return False
        if ancestor.get("class") and ancestor.tag not in ("html", "body"):
            return False
    return True
