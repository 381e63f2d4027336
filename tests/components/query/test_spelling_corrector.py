"""A misspelt word is read as the word that the documents have, and nothing else of a question is touched; over a real index."""

from dataclasses import replace

import pytest
from haystack import Document

from components.access.principal import Principal, acting_as
from components.document_stores.sakshya_document_store import SakshyaDocumentStore
from components.embedders.bm25_document_embedder import BM25DocumentEmbedder
from components.query.spelling import OSA, base_forms, forms_in, is_form_of, meant, one_edit_away, suspects, terms_of
from components.query.spelling_corrector import SpellingCorrector

TEXTS = {
    "rules": ("The warranty lasts two years. Backups are kept for 35 days. The notice period is six weeks.", ["public"]),
    "more": ("Each affray, trial and train is reported. Bereavement leave is five days. Gateways are sealed.", ["public"]),
    "club": ("The head coach pays the yearly fee once a year, in the main boat house.", ["public"]),
    "secret": ("The merger with Halvorsen needs a dissolution agreement and a severance clause.", ["board"]),
}


@pytest.fixture(scope="module")
def corrector(tmp_path_factory):
    store = SakshyaDocumentStore(path=str(tmp_path_factory.mktemp("spelling")), index="spelling")
    documents = [
        Document(id=name, content=text, meta={"kind": "chunk", "source_id": name, "title": name, "tenant": "default", "access": access})
        for name, (text, access) in TEXTS.items()
    ]
    embedded = BM25DocumentEmbedder().run(documents)["documents"]
    with acting_as(Principal.system()):
        store.write_documents([replace(d, embedding=[1.0, 0.0]) for d in embedded])
    yield SpellingCorrector(store)
    store.shutdown()


def read(corrector, question, groups=()):
    with acting_as(Principal(user="asha", groups=tuple(groups))):
        return corrector.run(question)


@pytest.mark.parametrize(
    ("asked", "read_as"),
    [
        ("What is the waranty?", "What is the warranty?"),
        ("How long are backpus kept?", "How long are backups kept?"),
        ("What is the notice periode?", "What is the notice period?"),
        ("Is an afray reported, and how long is bereavment leave?", "Is an affray reported, and how long is bereavement leave?"),
    ],
)
def test_one_wrong_letter_is_read_as_what_the_documents_have(corrector, asked, read_as):
    found = read(corrector, asked)
    assert found["question"] == read_as and "read as" in found["note"]


@pytest.mark.parametrize(
    ("asked", "read_as"),
    [
        ("who is teh head coach", "who is the head coach"),
        ("How mcuh is paid in a yaer?", "How much is paid in a year?"),
        ("Waht is the fee whcih the head caoch pays?", "What is the fee which the head coach pays?"),
        ("is the baot adn the ocach here", "is the boat and the coach here"),
    ],
)
def test_neighbours_exchanged_are_one_edit_in_short_words_and_function_words_too(corrector, asked, read_as):
    assert read(corrector, asked)["question"] == read_as


@pytest.mark.parametrize(
    "question",
    [
        "What is the warranty?",  # right
        "What is the pto, kpi and vpn rule?",  # abbreviations
        "Who is meant by teh-b or 'teh'?",
        "whats the yeer?",  # not by an exchange
        "Which gateway is sealed?",  # another form of a word of the documents
        "What is a vacation?",  # ordinary English that the documents do not have
        "What does Waranty mean, and WARANTY?",  # written as names
        "What is waranty-b, waranty2, x/waranty or waranty.pdf?",  # parts of identifiers
        'What does "the waranty" mean?',  # quoted
        "Is there a trian?",  # trial or train: it could be both
        "Is perjury punished?",  # a rare word with nothing beside it
        "Qual é a garantia do aparelho?",
    ],
)
def test_nothing_else_is_touched(corrector, question):
    assert read(corrector, question) == {"question": question, "note": "", "skipped": ""}


def test_a_correction_tells_nothing_of_documents_that_the_reader_may_not_read(corrector):
    asked = "What is the severence clause with halvorson?"
    assert read(corrector, asked)["question"] == asked
    assert read(corrector, asked, ["board"])["question"] == "What is the severance clause with halvorsen?"


def test_a_question_of_another_language_is_left_alone(corrector):
    question = "welche waranty haben backpus periode afray"
    assert read(corrector, question)["question"] == question


def test_it_can_be_switched_off():
    assert SpellingCorrector(None, max_edits=0).run("What is the waranty?") == {
        "question": "What is the waranty?",
        "note": "",
        "skipped": "max_edits: 0",
    }
    with pytest.raises(ValueError, match="accepted are 1, and 0"):
        SpellingCorrector(None, max_edits=2)


def test_strings_one_edit_away_are_those_at_distance_one_that_begin_alike():
    near = one_edit_away("trial")
    assert near and all(OSA.distance("trial", s) == 1 and s[0] == "t" for s in near)
    assert {"trail", "trials", "tral", "trill"} <= near


def test_a_function_word_that_the_documents_have_as_a_word_of_their_own_stays(tmp_path):
    store = SakshyaDocumentStore(path=str(tmp_path), index="own")
    meta = {"kind": "chunk", "source_id": "a", "title": "a", "tenant": "default", "access": ["public"]}
    written = BM25DocumentEmbedder().run([Document(id="a", content="The teh is a letter.", meta=meta)])["documents"]
    with acting_as(Principal.system()):
        store.write_documents([replace(d, embedding=[1.0, 0.0]) for d in written])
    assert read(SpellingCorrector(store), "what is teh")["question"] == "what is teh"
    assert read(SpellingCorrector(store, language=None), "what is adn")["question"] == "what is adn"
    store.shutdown()


def test_small_parts():
    assert base_forms("gateways")[:2] == ["gateways", "gateway"] and is_form_of("kept", "kepts") and not is_form_of("trial", "trail")
    assert forms_in("A Trial, a 2nd one") == {"a", "trial", "nd", "one"}
    assert terms_of(["trials", "trial"], "en") == ["trial"]
    assert suspects("", lambda _: True) == [] and meant("waranty", [], "en") == ""
