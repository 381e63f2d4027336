"""Splits documents into sections at their headings, and sections into chunks that an embedding model can read."""

from __future__ import annotations

from bisect import bisect_right
from collections import Counter
from typing import Any

from haystack import Document, component

from components.access.principal import DEFAULT_TENANT
from components.blocks import Block
from components.chunk import Kind, embedded_text, point_id, source_id
from components.failure import Failure
from components.preprocessors.chunk_layout import ChunkSpan, Layout, lay_out
from components.preprocessors.document_blocks import blocks_of
from components.preprocessors.sections import one_line
from components.preprocessors.token_counter import TokenCounter

_BOUNDS = {"max_tokens": (32, 8192), "section_max_chars": (500, 1_000_000), "overlap_sentences": (0, 10)}


@component
class HeadingSplitter:
    """Cuts each document into sections that tile its text, and each section into chunks with exact character ranges.

    Haystack's splitters count words or want a tokenizer from the net, cut across headings and tables, and make ids from the meta, so that
    an edit above gives every chunk below a new id. Here the id hashes the embedded text, and a cut depends on the text beside it
    (`packing.py`), so that an edit changes only the chunks around it.

    A chunk is at most `max_tokens` with its context header and the model's special tokens. It holds whole blocks where they fit, else whole
    sentences, items or rows, else clauses, else words. A proviso stays with the sentence before it, a list with its introduction, a heading
    with its text. Rows of a cut table get the table's columns in their context header.

    ```python
    from haystack import Document
    from components.preprocessors.heading_splitter import HeadingSplitter

    out = HeadingSplitter(max_tokens=64).run([Document(content="Twenty days of leave a year.")])
    assert out["documents"][0].meta["char_end"] == 28 and len(out["sections"]) == 1
    ```

    :param max_tokens: tokens of a chunk, context header and special tokens included; 32 to 8192, and no more than the model reads.
    :param section_max_chars: characters of a section; a longer one becomes several. 500 to 1,000,000.
    :param model: whose tokenizer counts: `packaged`, a folder or a hub name; None is the embedding model of the settings.
    :param overlap_sentences: sentences of the same section repeated from before a chunk, as far as they fit; 0 to 10. With 0, ranges do
        not overlap.
    :raises ValueError: a value outside these bounds.
    """

    def __init__(self, max_tokens: int = 240, section_max_chars: int = 12000, model: str | None = None, overlap_sentences: int = 0) -> None:
        given = {"max_tokens": max_tokens, "section_max_chars": section_max_chars, "overlap_sentences": overlap_sentences}
        for name, value in given.items():
            low, high = _BOUNDS[name]
            if isinstance(value, bool) or not isinstance(value, int) or not low <= value <= high:
                raise ValueError(f"HeadingSplitter: {name}={value!r} is not accepted; accepted: a whole number from {low} to {high}")
        self.max_tokens = max_tokens
        self.section_max_chars = section_max_chars
        self.model = model
        self.overlap_sentences = overlap_sentences
        self._counter: TokenCounter | None = None

    def warm_up(self) -> None:
        """Load the tokenizer.

        :raises ValueError: `max_tokens` is more than the model reads, or the passage prefix leaves too little of it.
        :raises EmbeddingError: there is no such model.
        """
        if self._counter is not None:
            return
        from components.embedders.embedding_model import embedding_model

        counter = TokenCounter(embedding_model(self.model))
        if counter.max_tokens is not None and self.max_tokens > counter.max_tokens:
            raise ValueError(
                f"HeadingSplitter: max_tokens={self.max_tokens}, but the embedding model {counter.name!r} reads {counter.max_tokens} tokens"
            )
        if counter.overhead > self.max_tokens // 4:
            raise ValueError(
                f"HeadingSplitter: the passage prefix takes {counter.overhead} tokens; accepted: a quarter of max_tokens={self.max_tokens} at most"
            )
        self._counter = counter

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
                new_chunks, new_sections = self._split(document, blocks, seen)
            except ValueError as error:
                failed.append({"source": name, "reason": f"not split: {error}"})
                continue
            chunks.extend(new_chunks)
            sections.extend(new_sections)
        return {"documents": chunks, "sections": sections, "failed": failed}

    def _split(self, document: Document, blocks: list[Block], seen: Counter[tuple[str, str, str]]) -> tuple[list[Document], list[Document]]:
        counter = self._counter
        if counter is None:
            raise RuntimeError("warm_up() comes before run()")
        text = document.content or ""
        base = {key: value for key, value in document.meta.items() if key != "blocks"}
        base["source_id"] = source = base.get("source_id") or source_id(DEFAULT_TENANT, "document", document.id)
        base.setdefault("container_id", source)
        base["title"] = one_line(str(base.get("title") or ""))
        layout = Layout(
            max_tokens=self.max_tokens - counter.overhead,
            section_max_chars=self.section_max_chars,
            overlap=self.overlap_sentences,
            join_if_short="record_id" in base,
            language=base.get("language"),
        )

        def point(kind: Kind, span: ChunkSpan, embedded: str, extra: dict[str, Any]) -> Document:
            occurrence = seen[kind, source, embedded]
            seen[kind, source, embedded] += 1
            meta = {
                **base,
                "kind": kind,
                "heading_path": list(span.heading_path),
                "context_header": span.context_header,
                "page": _page(blocks, text, span.start),
                "char_start": span.start,
                "char_end": span.end,
                **extra,
            }
            return Document(id=point_id(kind, source, embedded, occurrence), content=text[span.start : span.end], meta=meta)

        chunks: list[Document] = []
        sections: list[Document] = []
        for section, spans in lay_out(text, blocks, base["title"], layout, counter.count):
            parent = point("section", section, text[section.start : section.end], {})
            sections.append(parent)
            for span in spans:
                embedded = embedded_text(text[span.start : span.end], span.context_header)
                chunks.append(point("chunk", span, embedded, {"parent_id": parent.id}))
        return chunks, sections


def _page(blocks: list[Block], text: str, start: int) -> int | None:
    """Page of the first visible character from a position on."""
    position = start
    while position < len(text) and text[position].isspace():
        position += 1
    index = bisect_right(blocks, position, key=lambda block: block["start"]) - 1
    return blocks[index].get("page") if index >= 0 and position < blocks[index]["end"] else None
