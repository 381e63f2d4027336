"""XML from files of others: no network, no external entities, no growth without end."""

from __future__ import annotations

from collections.abc import Iterator
from typing import IO, Any

from components.converters.outcome import UnreadableError


def parse_xml(data: bytes) -> Any:
    """The root element of a part of a document, in which no entity is resolved.

    :raises UnreadableError: not well-formed, or too large or too deep for the limits of libxml2.
    """
    from lxml import etree  # pyright: ignore[reportAttributeAccessIssue]

    try:
        return etree.fromstring(data, etree.XMLParser(resolve_entities=False, no_network=True, load_dtd=False, huge_tree=False))
    except etree.XMLSyntaxError as error:
        raise UnreadableError(f"the file is damaged: {error}") from error


def iterate_xml(stream: IO[bytes], *names: str) -> Iterator[Any]:
    """Elements with one of the local names as they end; each is emptied after use, so that memory stays bounded.

    :raises UnreadableError: as `parse_xml`.
    """
    from lxml import etree  # pyright: ignore[reportAttributeAccessIssue]

    tags = [f"{{*}}{name}" for name in names]
    try:
        for _, element in etree.iterparse(
            stream, events=("end",), tag=tags, resolve_entities=False, no_network=True, load_dtd=False, huge_tree=False
        ):
            yield element
            element.clear()
            while element.getprevious() is not None:
                del element.getparent()[0]
    except etree.XMLSyntaxError as error:
        raise UnreadableError(f"the file is damaged: {error}") from error
