import pytest

from components.query.names import abbreviations, about, name_key, names_in


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("Fishing permits are given by the Lake Office.", ["Lake Office"]),
        ("Games come from it. It was made by Lester Smith and Tim Brown.", ["Lester Smith", "Tim Brown"]),
        ("The Department of Public Works met on Monday, 3 May 2021.", ["Department of Public Works"]),
        ('She wrote "Trees of the North" in Oslo.', ["Trees of the North", "Oslo"]),
        ("Training follows ST-204.", ["ST-204"]),
        ("Torvik grew. The ferry leaves Torvik at noon.", ["Torvik"]),
        ("Item | Rule\nTrials | Not refunded by Bo Rask\n\nHarbour", ["Rule", "Bo Rask"]),
        ("Torvik grew.", []),
        ("nothing has a capital here", []),
        ("", []),
        ("वार्षिक अवकाश बीस दिन का है।", []),
    ],
)
def test_names_by_their_form(text, names):
    assert names_in(text) == names


@pytest.mark.parametrize(
    ("one", "other"),
    [("Lake Offices", "the lake office"), ("Sand's", "Sand"), ("U.S. Navy", "US Navy"), ("The Board of Works", "Board of Works")],
)
def test_forms_of_a_name_have_one_key(one, other):
    assert name_key(one) == name_key(other) != ""


def test_different_names_have_different_keys():
    assert name_key("Lake Office") != name_key("Forest Office")
    assert name_key("—") == ""


def test_an_abbreviation_is_explained_only_by_words_that_spell_it():
    text = "The Central Bureau of Investigation (CBI), the Board of Works (BW), the Ministry (M) and the Lake Office (NASA)."
    assert abbreviations(text) == {"CBI": "Central Bureau of Investigation", "BW": "Board of Works"}


def test_a_passage_is_about_what_its_title_or_heading_is():
    assert about("Lake Office", ["Handbook", "The Lake Office"])
    assert not about("Lake Office", ["Lake Office rules"])
    assert not about("", [""])


def test_a_long_text_without_an_end_is_read_in_time():
    assert len(names_in("Aa " * 20_000)) <= 20_000
    assert names_in("A" * 50_000 + " (" * 10_000) is not None
