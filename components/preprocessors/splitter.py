"""What all splitters share: checks, the token counter, failures by document, and the Documents that they emit."""

from __future__ import annotations

from bisect import bisect_right
from collections import Counter
from dataclasses import dataclass
from typing import Any

from haystack import Document, component

from components.access.principal import DEFAULT_TENANT
from components.blocks import Block
from components.chunk import Kind, embedded_text, point_id, source_id
from components.failure import Failure
from components.preprocessors.chunk_layout import ChunkSpan, SectionChunks
from components.preprocessors.document_blocks import blocks_of
from components.preprocessors.sections import one_line
from components.preprocessors.token_counter import TokenCounter


@dataclass(frozen=True)
class SourceText:
    """A document as a splitter sees it.

    :param meta: without its blocks.
    """

    text: str
    blocks: list[Block]
    title: str
    meta: dict[str, Any]

    @property
    def is_record(self) -> bool:
        """Whether it is one record of a file."""
        return "record_id" in self.meta

    @property
    def language(self) -> str | None:
        """ISO 639-1 code, where it is known."""
        return self.meta.get("language")


class Splitter:
    """Base of the splitters; not a component itself. A splitter is a component that says where to cut (`lay_out`).

    :param max_tokens: tokens of a chunk with its context header and the model's special tokens; 32 to 8192, no more than the model reads.
    :param section_max_chars: characters of a section; a longer one becomes several. 500 to 1,000,000.
    :param model: whose tokenizer counts: `packaged`, a folder or a hub name; None is the embedding model of the settings.
    :raises ValueError: a value outside these bounds.
    """

    def __init__(self, max_tokens: int, section_max_chars: int, model: str | None) -> None:
        self.max_tokens = self.checked("max_tokens", max_tokens, 32, 8192)
        self.section_max_chars = self.checked("section_max_chars", section_max_chars, 500, 1_000_000)
        self.model = model
        self._counter: TokenCounter | None = None

    @classmethod
    def checked(cls, name: str, value: int, low: int, high: int) -> int:
        """The value of an init parameter.

        :raises ValueError: it is no whole number within the bounds.
        """
        if isinstance(value, bool) or not isinstance(value, int) or not low <= value <= high:
            raise ValueError(f"{cls.__name__}: {name}={value!r} is not accepted; accepted: a whole number from {low} to {high}")
        return value

    @classmethod
    def checked_overlap(cls, name: str, value: int, of: str, size: int) -> int:
        """The value of an init parameter that says how much of a chunk is repeated in the next one.

        :raises ValueError: it is no whole number from 0, or not less than `size`: chunks would not advance.
        """
        if isinstance(value, bool) or not isinstance(value, int) or not 0 <= value < size:
            raise ValueError(f"{cls.__name__}: {name}={value!r} is not accepted; accepted: a whole number from 0, less than {of}={size}")
        return value

    @property
    def counter(self) -> TokenCounter:
        """The token counter; `warm_up` makes it."""
        if self._counter is None:
            raise RuntimeError("warm_up() comes before run()")
        return self._counter

    def warm_up(self) -> None:
        """Load the tokenizer.

        :raises ValueError: a chunk would be larger than the model reads, or the passage prefix leaves too little of it.
        :raises EmbeddingError: there is no such model.
        """
        if self._counter is not None:
            return
        from components.embedders.embedding_model import embedding_model

        counter = TokenCounter(embedding_model(self.model))
        self.check_model(counter)
        self._counter = counter

    def check_model(self, counter: TokenCounter) -> None:
        """Refuse a model that does not read the chunks that are asked for."""
        name = type(self).__name__
        if counter.max_tokens is not None and self.max_tokens > counter.max_tokens:
            raise ValueError(f"{name}: max_tokens={self.max_tokens}, but the embedding model {counter.name!r} reads {counter.max_tokens} tokens")
        if counter.overhead > self.max_tokens // 4:
            raise ValueError(
                f"{name}: the passage prefix takes {counter.overhead} tokens; accepted: a quarter of max_tokens={self.max_tokens} at most"
            )

    @component.output_types(documents=list[Document], sections=list[Document], failed=list[Failure])
    def run(self, documents: list[Document]) -> dict[str, list[Any]]:
        """Split documents; one that cannot be split is named in `failed` and the rest go on.

        :param documents: text documents, with `meta["blocks"]` (`components/blocks.py`) or without: then blank lines part paragraphs.
        :returns: `documents`, the chunks; `sections`, their parents, which tile each document's text; `failed`.
        """
        self.warm_up()
        chunks: list[Document] = []
        sections: list[Document] = []
        failed: list[Failure] = []
        seen: Counter[tuple[str, str, str]] = Counter()
        for document in documents:
            name = str(document.meta.get("uri") or document.meta.get("file_name") or document.id)
            try:
                blocks = blocks_of(document)
                if not blocks:
                    raise ValueError("no text was found in it")
                source = _source(document, blocks)
                laid = self.lay_out(source)
            except ValueError as error:
                failed.append({"source": name, "reason": f"not split: {error}"})
                continue
            for section, spans in laid:
                parent = _point(source, seen, "section", section, source.text[section.start : section.end], {})
                sections.append(parent)
                for span in spans:
                    embedded = embedded_text(source.text[span.start : span.end], span.context_header)
                    chunks.append(_point(source, seen, "chunk", span, embedded, {"parent_id": parent.id}))
        return {"documents": chunks, "sections": sections, "failed": failed}

    def lay_out(self, source: SourceText) -> list[SectionChunks]:
        """The sections of a document in order, which tile its text, each with its chunks.

        :raises ValueError: the document cannot be split; the reason in one line.
        """
        raise NotImplementedError


def _source(document: Document, blocks: list[Block]) -> SourceText:
    meta = {key: value for key, value in document.meta.items() if key != "blocks"}
    meta["source_id"] = meta.get("source_id") or source_id(DEFAULT_TENANT, "document", document.id)
    meta.setdefault("container_id", meta["source_id"])
    meta["title"] = one_line(str(meta.get("title") or ""))
    return SourceText(document.content or "", blocks, meta["title"], meta)


def _point(source: SourceText, seen: Counter[tuple[str, str, str]], kind: Kind, span: ChunkSpan, embedded: str, extra: dict[str, Any]) -> Document:
    identity = source.meta["source_id"]
    occurrence = seen[kind, identity, embedded]
    seen[kind, identity, embedded] += 1
    if span.window is not None:
        extra = {**extra, "window_start": span.window[0], "window_end": span.window[1]}
    meta = {
        **source.meta,
        "kind": kind,
        "heading_path": list(span.heading_path),
        "context_header": span.context_header,
        "page": page_at(source.blocks, source.text, span.own_start),
        "char_start": span.start,
        "char_end": span.end,
        **extra,
    }
    return Document(id=point_id(kind, identity, embedded, occurrence), content=source.text[span.start : span.end], meta=meta)


def page_at(blocks: list[Block], text: str, start: int) -> int | None:
    """Page of the first visible character from a position on; None where its block has no page."""
    position = start
    while position < len(text) and text[position].isspace():
        position += 1
    index = bisect_right(blocks, position, key=lambda block: block["start"]) - 1
    return blocks[index].get("page") if index >= 0 and position < blocks[index]["end"] else None
