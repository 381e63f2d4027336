"""Layout with a count that does not add up: spaces and line breaks cost too, as with byte-level tokenizers."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from components.blocks import join_blocks
from components.chunk import embedded_text
from components.preprocessors.chunk_layout import Layout, lay_out

TEXT = st.lists(st.text(alphabet="ab .", min_size=1, max_size=60), min_size=1, max_size=12)


def characters(texts):
    return [len(text) for text in texts]


@settings(max_examples=200, deadline=None)
@given(TEXT, st.integers(40, 90))
def test_wholes_fit_where_sums_do_not(texts: list[str], most: int):
    text, blocks = join_blocks([(part, {"kind": "paragraph"}) for part in texts])
    spans = [span for _, chunks in lay_out(text, blocks, "T", Layout(most, 1000), characters) for span in chunks]
    for span in spans:
        assert len(embedded_text(text[span.start : span.end], span.context_header)) <= most
    assert "".join("".join(text[s.start : s.end].split()) for s in spans) == "".join(text.split())


def test_a_count_that_never_fits_is_an_error_and_not_a_loop():
    text, blocks = join_blocks([("Some text.", {"kind": "paragraph"})])
    with pytest.raises(ValueError, match="no chunk of 40 tokens can be cut at 0-10"):
        lay_out(text, blocks, "", Layout(40, 1000), lambda texts: [1000 for _ in texts])
