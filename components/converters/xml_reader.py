"""XML of any vocabulary to blocks."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from components.converters.extracted import Extracted
from components.converters.outcome import Parts, UnreadableError, one_line

_NAMELESS = {
    "p",
    "para",
    "paragraph",
    "text",
    "content",
    "body",
    "section",
    "div",
    "item",
    "li",
    "value",
    "line",
    "simpara",
    "span",
    "description",
    "ab",
    "seg",
}
_TITLES = {"title", "heading", "head", "h1", "h2", "h3", "h4", "h5", "h6", "articletitle", "article-title"}
_LISTS = {"list", "ul", "ol", "itemizedlist", "orderedlist", "variablelist", "simplelist"}
_ITEMS = {"li", "item", "listitem", "list-item", "member", "varlistentry"}
_ROWS = {"tr", "row"}
_PARAGRAPHS = {"p", "para", "simpara", "paragraph", "ab", "lg", "programlisting", "screen", "pre"}
_CODE = {"programlisting", "screen", "pre", "code", "literallayout"}
_NOISE_ATTRIBUTES = re.compile(
    r"(?:xml:)?(?:id|lang|space|base)|xmlns.*|class|style|schemaLocation|.*[Ss]chemaLocation|version|width|height|rev|xlink.*|href|src"
)
_SHORT = 120  # characters
_MAX_DEPTH = 200
_EXTERNAL = re.compile(r"<!ENTITY\s+(?:%\s+)?[^\s>]+\s+(?:SYSTEM|PUBLIC)\b|<!DOCTYPE\s+[^\s>\[]+\s*(?:SYSTEM|PUBLIC)\b", re.IGNORECASE)


def read_xml(text: str) -> Extracted:
    """Read the text of an XML document.

    Elements named as titles are headings, those with flowing text paragraphs, those with rows tables. A group of short fields, an address for
    instance, is one block of `name: value` lines. Entities that the document itself defines are resolved within the limits of libxml2; one that
    is defined elsewhere is refused.

    :param text: the decoded document.
    :raises UnreadableError: external or growing entities, or no element at all.
    """
    root, notices = _parse(text)
    parts: Parts = []
    _Walk(parts).block(root, 0)
    language = re.match(r"[A-Za-z]{2,3}(?![A-Za-z])", root.get("{http://www.w3.org/XML/1998/namespace}lang") or root.get("lang") or "")
    title = next((content for content, fields in parts[:3] if fields["kind"] == "heading"), "")
    return Extracted(parts, title, language.group(0).lower() if language else None, notices)


def _parse(text: str) -> tuple[Any, list[str]]:
    from lxml import etree  # pyright: ignore[reportAttributeAccessIssue]

    prolog = re.split(r"<[A-Za-z_]", text, maxsplit=1)[0]
    declared = re.sub(r"^\s*<\?xml[^>]*\?>", "", text)
    if "<!ENTITY" in prolog and _EXTERNAL.search(prolog):
        raise UnreadableError("it names external entities, which are refused")
    data = declared.encode("utf-8", "replace")
    options = {"no_network": True, "load_dtd": False, "huge_tree": False, "remove_comments": True, "remove_pis": True, "encoding": "utf-8"}
    try:
        return etree.fromstring(data, etree.XMLParser(resolve_entities="internal", **options)), []
    except etree.XMLSyntaxError as error:
        reason = one_line(str(error))
        if re.search(r"(?i)entity.*(?:loop|amplification)|amplification|loop", reason):
            raise UnreadableError(f"it defines entities that grow without end, which are refused: {reason}") from error
    root = etree.fromstring(data, etree.XMLParser(recover=True, resolve_entities=False, **options))
    if root is None:
        raise UnreadableError(f"it is not XML: {reason}")
    return root, [f"it is not well-formed XML and was read as far as that goes: {reason}"]


class _Walk:
    def __init__(self, parts: Parts) -> None:
        self._parts = parts

    def block(self, element: Any, depth: int) -> None:
        """Add the blocks of an element."""
        name, children = _name(element), _children(element)
        if depth > _MAX_DEPTH:
            raise UnreadableError(f"it is nested deeper than {_MAX_DEPTH} elements, which is refused")
        if name in _TITLES:
            self._add(_flowing(element), "heading", level=min(max(depth, 1), 6))
        elif children and all(
            _name(child) in _ROWS | {"thead", "tbody", "tgroup", "colspec", "caption", "title", "colgroup", "tfoot"} for child in children
        ):
            self._table(element)
        elif name in _LISTS and children:
            items = [_flowing(child) for child in children if _name(child) in _ITEMS]
            self._add("\n".join(f"- {item}" for item in items if item), "list")
        elif name in _CODE:
            self._add("".join(element.itertext()).strip("\n"), "code")
        elif not children or name in _PARAGRAPHS or _is_mixed(element):
            self._leaf(element, name)
        else:
            self._group(element, children, depth)

    def _leaf(self, element: Any, name: str) -> None:
        text = _flowing(element)
        fields = _attributes(element)
        if not text or (fields and len(text) <= _SHORT):
            own = [f"{name}: {text}"] if text else []
            named = not text and len(fields) == 1
            lines = [f"{name} {line}" if named else line for line in fields]
            self._add("\n".join([*own, *lines]) if own or named or not fields else f"{name}\n" + "\n".join(lines), "paragraph")
        else:
            self._add(text if name in _NAMELESS or len(text) > _SHORT else f"{name}: {text}", "paragraph")

    def _group(self, element: Any, children: list[Any], depth: int) -> None:
        """Neighbouring short fields together, everything else block by block."""
        run: list[str] = _attributes(element)
        for child in children:
            text = _flowing(child)
            if not _children(child) and _name(child) not in _TITLES | _NAMELESS and len(text) <= _SHORT and not _attributes(child):
                if text:
                    run.append(f"{_name(child)}: {text}")
                continue
            self._add("\n".join(run), "paragraph")
            run = []
            self.block(child, depth + 1)
        self._add("\n".join(run), "paragraph")

    def _table(self, element: Any) -> None:
        rows = [[_flowing(cell).replace(" | ", " / ") for cell in _children(row)] for row in element.iter() if _name(row) in _ROWS]
        for caption in element.iter():
            if _name(caption) in ("caption", "title"):
                self._add(_flowing(caption), "caption")
        self._add("\n".join(" | ".join(row) for row in rows if any(row)), "table")

    def _add(self, text: str, kind: str, **fields: Any) -> None:
        if text.strip():
            self._parts.append((text, {"kind": kind, **fields}))


def _name(element: Any) -> str:
    """The local name in small letters; empty for what is no element."""
    return element.tag.rpartition("}")[2].lower() if isinstance(element.tag, str) else ""


def _children(element: Any) -> list[Any]:
    return [child for child in element if isinstance(child.tag, str)]


def _is_mixed(element: Any) -> bool:
    """Whether text stands beside child elements: then they are marks in flowing text."""
    return bool((element.text or "").strip()) or any((child.tail or "").strip() for child in element)


def _flowing(element: Any) -> str:
    """All text below an element on one line; elements that hold blocks are parted by a space, marks in flowing text by nothing."""
    return one_line("".join(_pieces(element, 0)))


def _pieces(element: Any, depth: int) -> Iterator[str]:
    if depth > _MAX_DEPTH:
        raise UnreadableError(f"it is nested deeper than {_MAX_DEPTH} elements, which is refused")
    between = "" if _is_mixed(element) else " "
    yield element.text or ""
    for child in element:
        yield between
        if isinstance(child.tag, str):
            yield from _pieces(child, depth + 1)
        yield child.tail or ""


def _attributes(element: Any) -> list[str]:
    """`name: value` of attributes that say something to a reader."""
    pairs = ((key.rpartition("}")[2], one_line(value)) for key, value in element.attrib.items() if not key.startswith("{http://www.w3.org/"))
    return [f"{key}: {value}" for key, value in pairs if value and not _NOISE_ATTRIBUTES.fullmatch(key)]
