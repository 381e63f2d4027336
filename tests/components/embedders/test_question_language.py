import pytest

from components.embedders.question_language import reading, scripts_of, scripts_read

ENGLISH = frozenset({"en"})


@pytest.mark.parametrize(
    "question",
    [
        "What is the punishment for theft?",
        "who is the CEO of Müller Maschinenbau GmbH",
        "Who approves a chargeback?",
        "IPC 303",
        "Mischief",
        "invoice INV-2024-0031 total amount",
        "fahrtkosten erstattung",  # two words are not judged
        "1 2 3",
        "",
    ],
)
def test_english_and_what_cannot_be_judged_is_read(question):
    assert reading(question, ENGLISH).share == 1
    assert not reading(question, ENGLISH).other_script


@pytest.mark.parametrize(
    ("question", "script"),
    [
        ("चोरी की सज़ा क्या है?", "Devanagari"),
        ("Какое наказание за кражу?", "Cyrillic"),
        ("ما هي عقوبة السرقة؟", "Arabic"),
        ("窃盗罪の刑罰は何ですか", "Hiragana"),
        ("절도죄의 형벌은 무엇입니까?", "Hangul"),
    ],
)
def test_another_script_is_not_read_and_named(question, script):
    found = reading(question, ENGLISH)
    assert found.share == 0
    assert found.other_script
    assert script in found.reason


@pytest.mark.parametrize(
    ("question", "code"),
    [
        ("Wie viele Urlaubstage bekommt ein Angestellter im ersten Jahr?", "de"),
        ("Combien de jours de congé un employé reçoit-il la première année ?", "fr"),
        ("¿Cuál es la pena por robo?", "es"),
        ("Hırsızlığın cezası nedir?", "tr"),
    ],
)
def test_another_language_of_the_same_script_is_read_a_little(question, code):
    found = reading(question, ENGLISH)
    assert found.share < 0.2
    assert not found.other_script
    assert found.reason == f"its language seems to be {code}"
    assert reading(question, {"en", code}).share == 1


def test_half_a_question_is_half_read():
    found = reading("धारा 303 of BNS क्या है", ENGLISH)
    assert found.share == pytest.approx(0.5, abs=0.15)


def test_a_model_of_any_language_reads_all():
    assert reading("चोरी की सज़ा क्या है?", None).share == 1
    assert reading("चोरी की सज़ा क्या है?", {"hi", "en"}).share == 1


def test_scripts():
    assert scripts_of("धारा 303, BNS") == {"Devanagari": 2, "Latin": 3}
    assert scripts_read({"en", "hi"}) == {"Latin", "Devanagari"}
    assert scripts_read({"hi"}) == {"Devanagari"}


@pytest.mark.parametrize("question", ["what orbits earth", "rust of iron"])
def test_a_short_question_whose_likeliest_language_is_read_is_read(question):
    assert reading(question, ["en"]).share == 1.0
