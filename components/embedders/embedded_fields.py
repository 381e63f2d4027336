"""The text that an embedder reads: chosen meta fields, then the content."""

from __future__ import annotations

from haystack import Document


def check_documents(documents: object, embedder: str) -> None:
    """Accept a list of Documents.

    :raises TypeError: anything else; a string belongs to the text embedder.
    """
    if not isinstance(documents, list) or any(not isinstance(document, Document) for document in documents):
        raise TypeError(f"{embedder} takes a list of Documents; a question is embedded by the text embedder")


def check_fields(meta_fields_to_embed: object, embedding_separator: object) -> None:
    """Accept a list of field names (or None) and a string.

    :raises ValueError: anything else.
    """
    if meta_fields_to_embed is not None and (
        not isinstance(meta_fields_to_embed, list) or any(not isinstance(one, str) or not one for one in meta_fields_to_embed)
    ):
        raise ValueError(f"meta_fields_to_embed={meta_fields_to_embed!r} is not accepted. Accepted: null, or a list of meta field names")
    if not isinstance(embedding_separator, str):
        raise ValueError(f"embedding_separator={embedding_separator!r} is not accepted. Accepted: a string")


def embedded_fields(document: Document, meta_fields: list[str] | None, separator: str) -> str:
    """The fields that have a value, then the content, joined; a list is written `one > two`.

    With `["context_header"]` and a line feed this is `components.chunk.embedded_text`, of which a chunk's id is made.

    >>> embedded_fields(Document(content="Twenty days.", meta={"context_header": "Leave"}), ["context_header"], "\\n")
    'Leave\\nTwenty days.'
    """
    values = [document.meta.get(name) for name in meta_fields or []]
    texts = [" > ".join(map(str, value)) if isinstance(value, list | tuple) else str(value) for value in values if value is not None]
    return separator.join([*(text for text in texts if text), document.content or ""])
