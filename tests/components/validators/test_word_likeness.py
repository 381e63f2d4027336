"""How near passages come to the words of a claim, read by the packaged embedding model."""

import time

import numpy as np
import pytest

from components.generators.extraction.language import packaged_language
from components.validators.grounding_features import WORD_FEATURES, read_claims
from components.validators.word_likeness import is_content, overlap_by_likeness, weakest_words, word_matches

PASSAGE = "The harbour froze in January, and for nine weeks people walked across the lake. Ferries were laid up."


@pytest.fixture(scope="module")
def language():
    return packaged_language()


def weakest_word(claim, passages, language):
    return weakest_words(word_matches(claim, passages, language))


def test_a_paraphrase_has_no_word_without_a_match_and_an_invention_has(language):
    reworded = weakest_word("The lake was frozen for weeks.", [PASSAGE], language)
    invented = weakest_word("The lake was sold for weeks.", [PASSAGE], language)
    assert invented < reworded
    assert weakest_word("Ferries were laid up.", [PASSAGE], language) > 0.95


def test_all_passages_count_and_function_words_do_not(language):
    alone = weakest_word("The bakery has ferries.", [PASSAGE], language)
    both = weakest_word("The bakery has ferries.", [PASSAGE, "A bakery opens at six."], language)
    assert both > alone
    assert is_content("bakery")
    assert not is_content("the")
    assert -1 <= weakest_word("It is what it is.", [PASSAGE], language) <= 1


@pytest.mark.parametrize(("claim", "passages"), [("", [PASSAGE]), ("…", [PASSAGE]), ("The lake froze.", []), ("The lake froze.", ["  "])])
def test_nothing_to_read_is_no_match(language, claim, passages):
    assert weakest_word(claim, passages, language) == 0.0


def test_only_what_a_model_read_has_a_weakest_word(language):
    asked = [("People crossed the lake on foot.", [PASSAGE], "")]
    assert not set(WORD_FEATURES) & set(read_claims(asked, None, words=language)[0].features)


def test_a_word_that_is_held_counts_whole_and_another_as_its_likeness(language):
    matches = word_matches("Ferries were anchored.", [PASSAGE], language)
    assert [(match.word, match.held) for match in matches] == [("Ferries", True), ("anchored", False)]
    assert overlap_by_likeness(matches) == pytest.approx((1 + matches[1].cosine) / 2)
    assert 0 < matches[1].cosine < 1


def test_words_that_are_late_leave_the_claim_to_the_rule_without_a_model(language):
    class Sure:
        name, folder = "sure", None

        def probabilities(self, pairs, batch_size=16, deadline=None):
            return np.array([(0.9, 0.05, 0.05)] * len(pairs))

    asked = [("People crossed the lake on foot.", [PASSAGE], "")]
    (in_time,) = read_claims(asked, Sure(), deadline=time.monotonic() + 60, words=language)
    (late,) = read_claims(asked, Sure(), deadline=time.monotonic() - 1, words=language)
    assert set(WORD_FEATURES) <= set(in_time.features)
    assert not late.has_model
