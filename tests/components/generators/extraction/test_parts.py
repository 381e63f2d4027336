"""What a question asks."""

import pytest

from components.generators.extraction.kinds import Kind, kind_of
from components.generators.extraction.lists import list_items
from components.generators.extraction.parts import parts_of, subject_of
from components.generators.extraction.terms import terms_of


def half(_):
    return 0.5


@pytest.mark.parametrize(
    ("question", "kind"),
    [
        ("How long does it take?", Kind.HOW_LONG),
        ("How many days do I have?", Kind.HOW_LONG),
        ("How many books may I borrow?", Kind.HOW_MANY),
        ("How much is the fee?", Kind.HOW_MUCH),
        ("How long must a password be?", Kind.HOW_MUCH),
        ("What does a copy cost?", Kind.HOW_MUCH),
        ("When is rent due?", Kind.WHEN),
        ("In what year was it built?", Kind.WHEN),
        ("What happens when I am late?", Kind.OTHER),
        ("Who signs it?", Kind.WHO),
        ("What happens to a man who steals?", Kind.OTHER),
        ("Where are bicycles kept?", Kind.WHERE),
        ("Why is it closed?", Kind.WHY),
        ("Which section punishes theft?", Kind.NUMBER),
        ("What does section 3 say?", Kind.OTHER),
        ("What is snatching?", Kind.DEFINE),
        ("How do I install it?", Kind.HOW),
        ("May I keep a dog?", Kind.YES_NO),
    ],
)
def test_kinds(question, kind):
    assert kind_of(question) == kind


@pytest.mark.parametrize(
    ("question", "items"),
    [
        ("Compare the punishments for theft, snatching and theft in a dwelling house", ["theft", "snatching", "theft in a dwelling house"]),
        ("What is the difference between a lease and a licence?", ["a lease", "a licence"]),
        ("Compare the punishment for snatching with that for theft in a dwelling.", ["snatching", "theft in a dwelling"]),
        ("How do gold and silver plans differ?", ["gold", "silver plans"]),
        ("What are the fees for adults, children and seniors?", ["adults", "children", "seniors"]),
        ("How long may he be jailed for theft, by the law?", []),
        ("What is the fee?", []),
    ],
)
def test_lists(question, items):
    assert list_items(question)[1] == items


def test_parts_and_what_they_refer_to():
    first, second = parts_of("What is snatching and how is it punished?", half)
    assert (first.text, second.text) == ("What is snatching", "how is it punished?")
    assert "snatch" in {t.stem for t in second.terms}
    [part] = parts_of("I lost my card. How do I get a new one?", half)
    assert part.read_as.startswith("I lost my card.") and part.kind == Kind.HOW
    weights = {t.stem: t.weight for t in part.terms}
    assert 0 < weights["card"] < 0.5
    assert all(part.read_as[t.place[0] : t.place[1]] == t.text for t in part.terms)


def test_what_must_be_found_word_for_word():
    [part] = parts_of('Does section 303 of the BNS cover "movable property" and the XR-17B with 4 probes?', half)
    assert part.references == {"303"} and part.qualifiers == {"BNS"} and {"303", "4"} <= part.numbers
    assert part.codes >= {"xr17b"} and part.quoted == ("movable property",)
    [part] = parts_of("What does IPC 303 say?", half)
    assert part.references == {"303"} and part.qualifiers == {"IPC"}


def test_names_are_capitals_inside_a_sentence():
    assert {t.text for t in terms_of("Where did Ada Lovelace live?", half) if t.is_name} == {"Ada", "Lovelace"}
    assert not any(t.is_name for t in terms_of("What Is The Vacation Policy For Staff Members?", half))


@pytest.mark.parametrize("question", ["", "???", "and or", "the", " \n ", "a" * 3000, "? ? ?", "compare", "compare and", "what is, and, or?"])
def test_any_question_has_parts(question):
    assert parts_of(question, half)


def test_subject():
    assert subject_of("What is the vacation policy?") == "the vacation policy"
