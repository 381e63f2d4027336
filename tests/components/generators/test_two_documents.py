"""Answers from two documents that belong together, over real text with the real model; and what must not be put together."""

import pytest
from haystack import Document

from components.generators.extraction.language import packaged_language
from components.generators.extraction.parts import parts_of
from components.generators.extraction.units import sources_of
from components.generators.extractive_generator import ExtractiveGenerator
from components.generators.two_documents import answers_to, composed, holds_all, names, pairs_of
from components.validators.refusal_features import features_of


def passage(n, title, content, **meta):
    ranks = {"dense": {"rank": n, "score": 0.6 - n / 20}, "sparse": {"rank": n, "score": 8.0 - n}}
    return Document(content=content, meta={"label": n, "title": title, "source_id": title, "char_start": 0, "ranks": ranks, **meta})


MILL = passage(1, "Harrow Mill", "Harrow Mill is a flour mill in Eastby. It was bought by Tobias Wren, a baker, and grinds rye and spelt.")
WREN = passage(2, "Tobias Wren (baker)", "Tobias Wren is a baker and a cellist. He studied baking at the Lindholm School before he opened a shop.")
FERRY = passage(3, "Oster Ferry", "The Oster Ferry crosses the sound since 1931. It carries forty cars.")
BRIDGE = passage(4, "Oster Bridge", "The Oster Bridge is a bridge of steel, opened in 1987. It has two lanes.")
GULLS = passage(5, "Gulls of the sound", "Gulls nest on the cliffs. They are counted each spring.")
EVIDENCE = [MILL, WREN, FERRY, BRIDGE, GULLS]
CHAIN = "At which school did the baker who bought Harrow Mill study baking?"


def decide(question, evidence=EVIDENCE):
    return answers_to(question, sources_of(evidence), packaged_language())


def quoted(choices):
    return [unit.source.title for choice in choices if choice.answered for unit in choice.units]


def part(question):
    return parts_of(question, packaged_language().rarity)[0]


def test_a_chain_quotes_the_document_that_names_and_the_one_that_is_named():
    choices = decide(CHAIN)
    assert quoted(choices) == ["Harrow Mill", "Tobias Wren (baker)"]
    told = " ".join(unit.text for unit in choices[0].units)
    assert "bought by Tobias Wren" in told and "Lindholm School" in told


def test_the_sentence_that_names_the_other_is_quoted_and_not_its_neighbour():
    mill = passage(1, "Harrow Mill", "Harrow Mill was bought by Tobias Wren, a baker. It was painted by a baker of Harrow who did study baking.")
    choice = composed(part(CHAIN), sources_of([mill, WREN]), packaged_language())
    assert choice is not None and choice.answered and choice.units[0].text.startswith("Harrow Mill was bought by Tobias Wren")


def test_the_reply_cites_both_word_for_word():
    from components.builders.evidence_prompt_builder import EvidencePromptBuilder

    [reply] = ExtractiveGenerator().run(EvidencePromptBuilder().run(CHAIN, EVIDENCE)["messages"])["replies"]
    assert not reply.meta["declined"] and {span["n"] for span in reply.meta["spans"]} == {1, 2}
    for span in reply.meta["spans"]:
        assert span["text"] == (EVIDENCE[span["n"] - 1].content or "")[span["char_start"] : span["char_end"]]


@pytest.mark.parametrize("left_out", ["Harrow Mill", "Tobias Wren (baker)"])
def test_without_either_document_nothing_is_composed(left_out):
    sources = sources_of([d for d in EVIDENCE if d.meta["title"] != left_out])
    assert composed(part(CHAIN), sources, packaged_language()) is None


def test_which_was_first_is_answered_by_a_date_of_each():
    choices = decide("Which was opened first, the Oster Ferry or the Oster Bridge?")
    assert set(quoted(choices)) == {"Oster Ferry", "Oster Bridge"}
    told = " ".join(unit.text for choice in choices for unit in choice.units)
    assert "1931" in told and "1987" in told


@pytest.mark.parametrize(
    "question",
    [
        "Which is heavier, the Oster Ferry or the Oster Bridge?",  # neither says what they weigh
        "Which was opened first, the Oster Ferry or the Sund Tunnel?",  # one is in no document
        "How much tax did the baker who bought Harrow Mill pay?",
        "At which school did the baker who bought Harrow Mill in 1899 study baking?",  # a year that neither holds
        "What does section 12 of Harrow Mill say about Tobias Wren?",
    ],
)
def test_what_the_two_do_not_say_is_not_composed(question):
    choice = composed(part(question), sources_of(EVIDENCE), packaged_language())
    assert choice is None or not choice.answered


def test_a_pair_holds_all_that_the_question_names():
    sources = sources_of(EVIDENCE)
    [pair] = pairs_of(part(CHAIN), sources)
    assert pair.chain and pair.first[0].title == "Harrow Mill" and holds_all(part(CHAIN), pair, pair.bag)
    assert not holds_all(part("Who was the baker that bought the old Harrow Mill from Mary Pell?"), pair, pair.bag)
    assert not holds_all(part('Who called Harrow Mill "the old lady"?'), pair, pair.bag)
    assert list(pairs_of(part("Where do gulls nest?"), sources_of([GULLS, passage(6, "Gulls of the sound", "Gulls of the sound eat fish.")]))) == []


def test_what_is_no_longer_in_force_is_not_put_together_with_what_is():
    old = Document(content=WREN.content, meta={**WREN.meta, "in_force": False})
    assert composed(part(CHAIN), sources_of([MILL, old]), packaged_language()) is None


def test_a_title_is_a_name_only_where_it_is_written_as_one():
    assert names("Lending Rules", "as in the Lending Rules.") and not names("Lending Rules", "the lending rules")
    assert not names("Fees", "Fees are due.") and not names("Fees", "Paid.\nFees are due.") and names("Fees", "see Fees below")
    assert not names("ab", "ab") and not names("", "text")


def test_the_words_of_both_count_for_the_gate():
    features = features_of(CHAIN, EVIDENCE, packaged_language())
    alone = features_of(CHAIN, [MILL], packaged_language())
    assert features["coverage"] > alone["coverage"] + 0.1 and features["kind"] == 1.0
