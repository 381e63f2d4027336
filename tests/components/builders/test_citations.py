"""Markers to quotes that are exact ranges of the stored text."""

import pytest
from haystack import Document

from components.builders.citations import keys_of, passages_of, valid_spans
from components.builders.markers import without_markers
from components.builders.quotes import best_quote, best_quotes, carries
from components.builders.reply_sentences import cited_sentences, marker_numbers, read_reply


@pytest.mark.parametrize(
    ("marker", "numbers"),
    [
        ("[1]", [1]),
        ("[1, 2]", [1, 2]),
        ("[2-4]", [2, 3, 4]),
        ("[4–2]", [2, 3, 4]),
        ("[3;1]", [3, 1]),
        ("[1 and 3]", [1, 3]),
        ("[9]", []),
        ("[0]", []),
        ("[1-9999]", [1, 2, 3, 4]),
    ],
)
def test_marker_numbers(marker, numbers):
    assert marker_numbers(marker, [1, 2, 3, 4]) == numbers


@pytest.mark.parametrize(
    ("reply", "expected"),
    [
        ("It opens at 7 [1]. It closes at 9 [2].", [("It opens at 7.", [1]), ("It closes at 9.", [2])]),
        ("It opens at 7. [1] It closes at 9. [2]", [("It opens at 7.", [1]), ("It closes at 9.", [2])]),
        ("It opens at 7.[1][2]", [("It opens at 7.", [1, 2])]),
        ("[1] It opens at 7.\n[2] It closes at 9.", [("It opens at 7.", [1]), ("It closes at 9.", [2])]),
        ("It opens at 7 [8].", [("It opens at 7.", [])]),
        ("", []),
        ("[1]", []),
    ],
)
def test_cited_sentences(reply, expected):
    assert [(s.text, s.numbers) for s in cited_sentences(reply, [1, 2])] == expected


TEXT = "The rent is 840 euros a month. It is payable on the third day. Dogs need consent."


@pytest.mark.parametrize(
    ("claim", "quote"),
    [
        ("It is payable on the third day.", "It is payable on the third day."),
        ("payable on the third day", "payable on the third day."),
        ("You have to pay on the third day of the month", "It is payable on the third day."),
        ("A dog needs consent", "Dogs need consent."),
        ("Zebras graze quietly", TEXT),
    ],
)
def test_best_quote(claim, quote):
    start, end = best_quote(claim, TEXT)
    assert TEXT[start:end] == quote


def test_quoted_footnote_signs_are_no_markers():
    assert without_markers("As amended [4], see [1, 2].") == "As amended (4), see (1, 2)."


def test_labels_from_meta_else_from_position():
    documents = [Document(content="a", meta={"label": 3}), Document(content="b"), Document(content="c", meta={"label": 3})]
    assert {n: p.text for n, p in passages_of(documents).items()} == {3: "a", 2: "b"}


@pytest.mark.parametrize(
    "span",
    [
        {"n": 1, "char_start": 100, "char_end": 103, "text": "the"},
        {"n": 1, "char_start": 99, "char_end": 102, "text": "The"},
        {"n": 7, "char_start": 100, "char_end": 103, "text": "The"},
        {"n": 1, "char_start": 100, "char_end": 100, "text": ""},
        {"n": 1, "char_start": "100", "char_end": 103, "text": "The"},
        {"n": 1},
        "The",
    ],
)
def test_a_span_that_is_not_the_passage_is_refused(span):
    passages = passages_of([Document(content=TEXT, meta={"label": 1, "char_start": 100})])
    good = {"n": 1, "char_start": 100, "char_end": 103, "text": "The"}
    assert valid_spans([good], passages) == [good]
    assert valid_spans([good, span], passages) == []


LEASE = Document(id="p2", content="Pets need consent.", meta={"label": 2, "source_id": "s2", "title": "policy-1", "uri": "files/House Rules.pdf"})
KEYS = keys_of(passages_of([Document(content=TEXT, meta={"label": 1, "source_id": "s1", "title": "Lease"}), LEASE, Document(content="c")]))


@pytest.mark.parametrize(
    ("reply", "numbers", "unresolved"),
    [
        ("Dogs need consent [0].", [], ["[0]"]),
        ("Dogs need consent [99].", [], ["[99]"]),
        ("Dogs need consent [1][99].", [1], ["[99]"]),
        ("Dogs need consent [2-4].", [2, 3], ["[2-4]"]),
        ("Dogs need consent [Doc 2].", [2], []),
        ("Dogs need consent [Doc 5].", [], ["[5]"]),
        ("Dogs need consent [Documents 1 and 2].", [1, 2], []),
        ("Dogs need consent [source 2].", [2], []),
        ("Dogs need consent (source 2).", [2], []),
        ("Dogs need consent [passage #3].", [3], []),
        ("Dogs need consent [see 1, p. 4].", [1], []),
        ("Dogs need consent (see [2]).", [2], []),
        ("Dogs need consent [1] and [2].", [1, 2], []),
        ("Dogs need consent [1]-[3].", [1, 2, 3], []),
        ("Dogs need consent [[1]].", [1], []),
        ("Dogs need consent [1](https://e.example/a).", [1], []),
        ("Dogs need consent【1†source】.", [1], []),
        ("Dogs need consent【2:0†lease.pdf】.", [2], []),
        ("Dogs need consent ［2］.", [2], []),
        ("Dogs need consent [२].", [2], []),
        ("Dogs need consent (1).", [1], []),
        ("Dogs need consent. (1)", [1], []),
        ("Dogs need consent^1.", [1], []),
        ("Dogs need consent.^2", [2], []),
        ("Dogs need consent[^2].", [2], []),
        ("Dogs need consent.¹", [1], []),
        ("Dogs need consent¹².", [1, 2], []),
        ("Dogs need consent^9.", [], ["[9]"]),
        ("Dogs need consent [Smith et al., 2020].", [], ["[Smith et al., 2020]"]),
        ("Dogs need consent [policy-9].", [], ["[policy-9]"]),
        ("Dogs need consent [12345678901234567890].", [], ["[12345678901234567890]"]),
    ],
)
def test_every_form_of_marker(reply, numbers, unresolved):
    sentences, lost = read_reply(reply, KEYS)
    assert [s.numbers for s in sentences] == [numbers] and lost == unresolved
    assert sentences[0].text.rstrip(".") == "Dogs need consent"


@pytest.mark.parametrize("reply", ["Pets need consent [policy-1].", "Pets need consent [House Rules.pdf].", "Pets need consent [house-rules]."])
def test_a_source_is_cited_by_its_name(reply):
    (sentence,), lost = read_reply(reply, KEYS)
    assert sentence.named == [[2]] and lost == [] and sentence.text == "Pets need consent."


@pytest.mark.parametrize(
    "text",
    [
        "Pay under section 3 (1).",
        "The area is 20 m².",
        "Let x^2 be 10^3.",
        "He said [sic] so.",
        "[The tenant] pays.",
        "Two things: (1) rent and (2) light.",
        "See [citation needed].",
    ],
)
def test_what_is_no_marker_stays(text):
    (sentence,), lost = read_reply(text, KEYS)
    assert (sentence.text, sentence.numbers, lost) == (text, [], [])


def test_a_bracket_that_a_passage_holds_is_copied_text():
    keys = keys_of(passages_of([Document(content="It follows [ISO-9001] in clause 4 (1).", meta={"label": 1})]))
    assert read_reply("It follows [ISO-9001].", keys)[1] == []
    assert read_reply("It follows [ISO-9002].", keys)[1] == ["[ISO-9002]"]


def test_a_marker_that_is_a_word_leaves_the_sentence_whole():
    sentences, _ = read_reply("According to [1], rent is 840 euros. Passage [2] says pets need consent. [1] states a date.", KEYS)
    assert [s.text for s in sentences] == ["According to the source, rent is 840 euros.", "The source says pets need consent.", "states a date."] or [
        s.text for s in sentences
    ] == ["According to the source, rent is 840 euros.", "The source says pets need consent. The source states a date."]


def test_a_list_of_sources_written_by_the_model_is_left_out():
    sentences, _ = read_reply("Dogs need consent [1].\n\n**Sources:**\n[1] Lease\n2. policy-1\n", KEYS)
    assert [s.text for s in sentences] == ["Dogs need consent."]


LONG = "Fees: " + "; ".join(f"item {i} costs {i * 7} euros and is due in week {i}" for i in range(1, 40))


@pytest.mark.parametrize(
    ("claim", "text", "quote"),
    [
        ('It says "payable on the third day" there, dogs aside', TEXT, "It is payable on the third day."),
        ("The rnt is 840 euros a mnth", TEXT, "The rent is 840 euros a month."),
        ("THE RENT IS 840 EUROS A MONTH", TEXT, "The rent is 840 euros a month."),
    ],
)
def test_fuzzy_alignment(claim, text, quote):
    start, end = best_quote(claim, text)
    assert text[start:end] == quote


def test_of_a_long_sentence_only_the_aligned_words_are_quoted():
    start, end = best_quote("item 30 costs 210 euros and is due in week 30", LONG)
    assert "item 30 costs 210 euros" in LONG[start:end] and end - start < 250
    assert LONG[start - 1].isspace() and not LONG[end - 1].isspace()


def test_numbers_of_a_claim_are_quoted_too():
    quotes = [TEXT[a:b] for a, b in best_quotes("The rent of 840 euros is payable on the third day, and dogs need consent", TEXT)]
    assert any("840" in q for q in quotes) and len(quotes) <= 3


@pytest.mark.parametrize(
    ("claim", "carried"),
    [
        ("The rent is 840 euros a month", True),
        ("Rent: 840 euros per month", True),
        ("The rent is 850 euros a month", False),
        ("The rent is not 840 euros a month", False),
        ("The rent of Berlin is 840 euros a month", False),
        ("The rent is high", False),
        ("", False),
    ],
)
def test_carries(claim, carried):
    assert carries(claim, "The rent is 840 euros a month.") is carried
