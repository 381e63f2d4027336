"""Splits documents into windows of a fixed number of tokens."""

from __future__ import annotations

from dataclasses import replace

from haystack import component

from components.chunk import embedded_text
from components.preprocessors.chunk_layout import HEADER_SHARE, ChunkSpan, SectionChunks
from components.preprocessors.context_header import context_header
from components.preprocessors.long_units import grapheme_start
from components.preprocessors.span_layout import Span, under_sections
from components.preprocessors.splitter import SourceText, Splitter
from components.preprocessors.token_counter import Token, TokenCounter
from components.preprocessors.token_windows import LONGEST_WORD, at_words, token_windows

_HEADER_TOKENS = 64
"""Tokens for a header where it is not known how many the model reads."""


@component
class TokenWindowSplitter(Splitter):
    """Cuts each document into windows of `size` tokens, each repeating the last `overlap` tokens of the one before.

    Haystack's `DocumentSplitter` counts words or, with a file from the net, the tokens of another model, and its last window may lie inside
    the one before. Here the embedding model's own tokenizer says where tokens begin; the last window ends at the document's end; windows hold
    whole words (an edge inside a word of up to 16 tokens moves to its beginning). Headings, tables and sentences are cut: the plain measure
    of what structure is worth.

    The context header gets the tokens that the model reads beyond `size`; what does not fit is left out of it.

    ```python
    from haystack import Document
    from components.preprocessors.token_window_splitter import TokenWindowSplitter

    out = TokenWindowSplitter(size=40, overlap=10).run([Document(content="day " * 100)])
    assert [d.meta["char_start"] // 4 for d in out["documents"]] == [0, 30, 60]
    ```

    :param size: tokens of a window, without context header and special tokens; 16 to 8192, no more than the model reads.
    :param overlap: tokens repeated from the window before; from 0, less than `size`.
    :param section_max_chars: characters of a section; a longer one becomes several. 500 to 1,000,000. A window's parent is the section in
        which its own text begins.
    :param model: whose tokenizer counts: `packaged`, a folder or a hub name; None is the embedding model of the settings.
    :raises ValueError: a value outside these bounds.
    """

    def __init__(self, size: int = 200, overlap: int = 40, section_max_chars: int = 12000, model: str | None = None) -> None:
        self.size = self.checked("size", size, 16, 8192)
        self.overlap = self.checked_overlap("overlap", overlap, "size", size)
        Splitter.__init__(self, max(32, size), section_max_chars, model)

    def check_model(self, counter: TokenCounter) -> None:
        """Refuse a model that does not read a window."""
        if counter.max_tokens is not None and self.size > counter.max_tokens - counter.overhead:
            raise ValueError(
                f"TokenWindowSplitter: size={self.size}, but the embedding model {counter.name!r} reads {counter.max_tokens} tokens, "
                f"{counter.overhead} of which it adds itself"
            )

    def lay_out(self, source: SourceText) -> list[SectionChunks]:
        """Windows over the whole text, under its sections."""
        tokens = self._tokens(source)
        words: list[int] = []
        for number, token in enumerate(tokens):
            words.append(number if token.begins_word or not words else words[-1])
        reach = min(LONGEST_WORD, self.size - self.overlap)
        windows = at_words(token_windows(len(tokens), self.size, self.overlap), words, reach)
        starts = [0, *(token.start for token in tokens[1:]), len(source.text)]
        spans = [span for window in _spans(source.text, starts, windows) for span in self._readable(source.text, window)]
        laid = under_sections(source.text, source.blocks, source.title, spans, self.section_max_chars)
        return [(section, [self._with_header(source, chunk) for chunk in chunks]) for section, chunks in laid]

    @property
    def _limit(self) -> int:
        """Tokens of a chunk with its header, without those that the model adds."""
        most = self.counter.max_tokens
        return self.size + _HEADER_TOKENS if most is None else most - self.counter.overhead

    def _tokens(self, source: SourceText) -> list[Token]:
        """The tokens of all blocks, one at least."""
        found: list[Token] = []
        for block in source.blocks:
            start = block["start"]
            for number, token in enumerate(self.counter.tokens(source.text[start : block["end"]])):
                found.append(Token(start + token.start, token.begins_word or not number))
        return found or [Token(0, True)]

    def _count(self, text: str) -> int:
        return self.counter.count_tokens(text)

    def _readable(self, text: str, span: Span) -> list[Span]:
        """The span, or halves of it where its text alone is more than the model reads: a part of a word may have other tokens by itself."""
        content = text[span.start : span.end]
        if self._count(content) <= self._limit:
            return [span]
        tokens = self.counter.tokens(content)
        middle = span.start + tokens[len(tokens) // 2].start
        if not span.start < middle < span.end:
            raise ValueError(f"no window of {self._limit} tokens can be cut at {span.start}-{span.end}")
        left = Span(span.start, middle, min(span.own, middle - 1))
        return [part for half in (left, Span(middle, span.end, max(middle, span.own))) for part in self._readable(text, half)]

    def _with_header(self, source: SourceText, chunk: ChunkSpan) -> ChunkSpan:
        content = source.text[chunk.start : chunk.end]
        room = min(self._limit - self._count(content), HEADER_SHARE * self._limit)
        header = context_header(source.title, chunk.heading_path, lambda line: self._count(line) < room)
        fits = self._count(embedded_text(content, header)) <= self._limit
        return replace(chunk, context_header=header if fits else "")


def _spans(text: str, starts: list[int], windows: list[tuple[int, int]]) -> list[Span]:
    """Windows as ranges of characters, at graphemes and without white space at their ends."""
    spans: list[Span] = []
    own = 0
    for first, last in windows:
        start, end = grapheme_start(text, starts[first]), grapheme_start(text, starts[last])
        content = text[start:end]
        left, right = start + len(content) - len(content.lstrip()), start + len(content.rstrip())
        if spans and (left <= spans[-1].start or right <= spans[-1].end):  # windows that differ by less than a grapheme
            spans[-1] = Span(spans[-1].start, max(right, spans[-1].end), spans[-1].own)
        else:
            spans.append(Span(left, right, max(left, own)))
        own = end
    return spans
