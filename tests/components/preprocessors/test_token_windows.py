"""Fixed windows: the arithmetic, then the same through the component with the tokenizer's own offsets."""

import math
from itertools import pairwise

import pytest
from haystack import Document
from hypothesis import given
from hypothesis import strategies as st

from components.chunk import embedded_text
from components.embedders.embedding_model import embedding_model
from components.preprocessors.token_counter import TokenCounter
from components.preprocessors.token_window_splitter import TokenWindowSplitter
from components.preprocessors.token_windows import at_words, token_windows


def test_windows_of_a_hundred_tokens():
    assert token_windows(100, 40, 10) == [(0, 40), (30, 70), (60, 100)]


@pytest.mark.parametrize(("tokens", "size", "overlap", "windows"), [(50_000, 500, 100, 125), (50_000, 1000, 200, 63), (0, 40, 10, 0), (7, 40, 10, 1)])
def test_number_of_windows(tokens, size, overlap, windows):
    assert len(token_windows(tokens, size, overlap)) == windows


@given(st.integers(1, 3000), st.integers(1, 200), st.data())
def test_windows_cover_overlap_and_end(tokens: int, size: int, data: st.DataObject):
    overlap = data.draw(st.integers(0, size - 1))
    windows = token_windows(tokens, size, overlap)
    assert windows[0][0] == 0
    assert windows[-1][1] == tokens
    assert len(windows) == max(1, math.ceil((tokens - overlap) / (size - overlap)))
    for (a, b), (c, d) in pairwise(windows):
        assert a < c < d
        assert b < d
        assert b - c == overlap
        assert b - a == size


@given(st.lists(st.integers(1, 30), min_size=1, max_size=60), st.integers(1, 40), st.data())
def test_windows_at_words_still_tile_and_none_is_swallowed(lengths: list[int], size: int, data: st.DataObject):
    words = [start for length, start in zip(lengths, (sum(lengths[:n]) for n in range(len(lengths))), strict=True) for _ in range(length)]
    overlap = data.draw(st.integers(0, size - 1))
    windows = token_windows(len(words), size, overlap)
    moved = at_words(windows, words, min(16, size - overlap))
    assert len(moved) == len(windows)
    assert moved[0][0] == 0
    assert moved[-1][1] == len(words)
    for (a, b), (c, d) in pairwise(moved):
        assert a < c <= b < d


@pytest.mark.parametrize(("size", "overlap"), [(40, 40), (40, 41), (40, -1), (40, True), (15, 0), (9000, 0)])
def test_what_cannot_advance_is_refused_in_one_line(size, overlap):
    with pytest.raises(ValueError, match=r"^TokenWindowSplitter: (size|overlap)=\S+ is not accepted; accepted: a whole number from") as caught:
        TokenWindowSplitter(size=size, overlap=overlap)
    assert "\n" not in str(caught.value)


def test_a_window_that_the_model_does_not_read_is_refused():
    with pytest.raises(ValueError, match=r"size=255, but the embedding model .* reads 256 tokens, 2 of which it adds itself"):
        TokenWindowSplitter(size=255, model="packaged").warm_up()
    TokenWindowSplitter(size=254, model="packaged").warm_up()


def tokens_of(text: str, *, special: bool = False) -> int:
    tokenizer = embedding_model("packaged").tokenizer
    assert tokenizer is not None
    return len(tokenizer.encode(text, add_special_tokens=special).ids)


def windows_of(text: str, size: int, overlap: int, **meta) -> list[Document]:
    """Through the component, with the packaged model's tokenizer, for a model that reads as much as one likes."""
    splitter = TokenWindowSplitter(size=size, overlap=overlap, model="packaged")
    counter = TokenCounter(embedding_model("packaged"))
    counter.max_tokens = None
    splitter._counter = counter
    out = splitter.run([Document(content=text, meta=meta)])
    assert out["failed"] == []
    return out["documents"]


def test_the_component_cuts_at_the_tokenizers_offsets():
    windows = windows_of("day " * 100, 40, 10)
    assert [(d.meta["char_start"] // 4, (d.meta["char_end"] + 1) // 4) for d in windows] == [(0, 40), (30, 70), (60, 100)]


@pytest.mark.parametrize(("size", "overlap", "expected"), [(500, 100, 125), (1000, 200, 63)])
def test_the_component_makes_as_many_windows_of_any_text(size, overlap, expected):
    sentence = "Notwithstanding the antidisestablishmentarian proviso, s. 12(1)(a) applies. "
    each = tokens_of(sentence)
    text = sentence * (50_000 // each) + "day " * (50_000 % each)
    assert tokens_of(text) == 50_000
    windows = windows_of(text, size, overlap)
    assert len(windows) == expected
    assert windows[-1].meta["char_end"] == len(text.rstrip())
    for before, after in pairwise(windows):
        assert abs(tokens_of(text[after.meta["char_start"] : before.meta["char_end"]]) - overlap) < 16
        assert text[after.meta["char_start"] - 1].isspace()
        assert text[before.meta["char_end"]].isspace()


def test_the_header_takes_what_the_window_leaves():
    title = "A policy on the administration of many long and winding matters of state and of the leave that is granted in them"
    for size, header in ((100, title), (240, "A policy"), (254, "")):
        for chunk in TokenWindowSplitter(size=size, overlap=0, model="packaged").run([Document(content="day " * 600, meta={"title": title})])[
            "documents"
        ][:-1]:
            assert chunk.meta["context_header"].startswith(header)
            assert bool(header) == bool(chunk.meta["context_header"])
            assert tokens_of(embedded_text(chunk.content or "", chunk.meta["context_header"]), special=True) <= 256
