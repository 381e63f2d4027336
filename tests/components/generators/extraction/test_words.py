"""Words, numbers, codes and bags."""

import pytest

from components.generators.extraction.words import FUNCTION_WORDS, LIGHT_WORDS, Bag, codes, groups_of, number_of, stem, words


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        ("organisation", "organizations", True),
        ("colour", "colored", True),
        ("punishable", "punished", True),
        ("tenant's", "tenants", True),
        ("police", "policy", False),
    ],
)
def test_stems(one, other, same):
    assert (stem(one) == stem(other)) is same


@pytest.mark.parametrize(
    ("word", "number"),
    [("1,000", "1000"), ("1,00,000", "100000"), ("five", "5"), ("Sixty", "60"), ("3.50", "3.50"), ("१२", "12"), ("one", None), ("x1", None)],
)
def test_numbers(word, number):
    assert number_of(word) == number


def test_codes_are_compared_without_punctuation_and_exactly():
    assert "xr17b" in codes("The XR-17B.") and "xr17b" in codes("an xr 17b") and "17b" in codes("XR-17B")
    assert "xr18b" not in codes("XR-17B, XR-8B")


def test_compounds_come_apart():
    assert [w.stem for w in words("45-day notice")] == ["45", "day", "notic"]
    assert all("45-day notice"[w.start : w.end] == w.text for w in words("45-day notice"))


def test_bag():
    bag = Bag.of("The Bharatiya Nyaya Sanhita fines 1,000 rupees.", "XR-17B")
    assert "1000" in bag.numbers and "xr17b" in bag.codes and bag.initials == {"tbns"}
    assert groups_of(stem("punishment")) & bag.groups


def test_lists_of_words_are_clean():
    for listed in (FUNCTION_WORDS, LIGHT_WORDS):
        assert all(w == w.casefold() and w.strip() == w for w in listed)
    assert not {"fee", "plan", "theft", "policy", "section"} & (FUNCTION_WORDS | LIGHT_WORDS)
