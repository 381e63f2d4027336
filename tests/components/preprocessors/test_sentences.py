"""Sentence spans: hand-written cases of what real documents do to a full stop, then properties of any text."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from components.preprocessors.sentences import begins_item, split_sentences
from tests.growth import growth

# `¦` stands before the first character of every further sentence.
CASES = [
    # titles, Latin abbreviations, companies, countries
    "Dr. Rao met Mrs. Lee. ¦They spoke.",
    "Use a solvent, e.g. Acetone. ¦Ventilate the room.",
    "The chief officer, i.e. Ms. Iyer, signs it.",
    "Acme Inc. Holdings owns it. ¦Nobody else does.",
    "She joined Acme Inc. ¦The firm moved in May.",
    "It was made in the U.S. by hand.",
    "He lives in the U.S. ¦She lives in India.",
    "The U.S. Government objected.",
    "Ask Prof. A. B. Sen about it. ¦He knows.",
    "J. R. Meyer wrote it. ¦M. Curie read it.",
    "It closes at 5 p.m. ¦Staff leave then.",
    "It closes at 5 p.m. on Fridays.",
    "Bring pens, paper, etc. ¦The rest is provided.",
    "Bring pens, paper, etc. to the hall.",
    "See Smith et al. (2020) for details. ¦We differ.",
    "Volvo vs. Ford was settled. ¦Costs were shared.",
    "Kesavananda v. State of Kerala is cited. ¦It binds.",
    "The St. Mary Road office is shut. ¦Use the other.",
    "He holds a Ph.D. in law. ¦She holds an M.A. from Pune.",
    "The meeting is on Jan. 5 at noon. ¦Come early.",
    # references and numbers of the law and of standards
    "See No. 5 and Nos. 7 to 9. ¦Pay Rs. 500 now.",
    "Under s. 12 of the Act it is void. ¦Under ss. 13 and 14 it is not.",
    "Sec. 4 applies. ¦Art. 21 prevails.",
    "As § 3.2 says, wait. ¦Then apply.",
    "Section 2(1)(a) applies. ¦Section 3 does not.",
    "303. (1) Whoever takes a thing commits theft. ¦(2) Whoever helps is liable too.",
    "1. Scope. ¦2. Definitions.",
    "12. Leave is granted on request. ¦It lapses in March.",
    "See Fig. 3 and Eq. 4. ¦Both agree.",
    "Cl. 4.2.1 was deleted. ¦Cl. 4.2.2 stands.",
    "It rose by 3.5 per cent. in May. ¦It fell later.",
    "Version 2.0.1 is out. ¦Update now.",
    "It cost $4.50. ¦It was worth it.",
    "The limit is 5. ¦Nothing above it counts.",
    "It happened in 1999. ¦2000 was calmer.",
    "Dose: .5 mg. ¦Repeat daily.",
    "Sub-s. (2) of s. 9 applies. ¦No appeal lies.",
    "It applies to ch. 4 and pp. 10-12 only. ¦Read both.",
    # quotes, brackets, dashes
    '"Stop." ¦He stopped.',
    "He said “Stop.” ¦Then he left.",
    "It ended (at last.) ¦We left.",
    "(This is aside.) ¦This is not.",
    '"Is it so?" she asked. ¦Nobody knew.',
    "Was it so? ¦Yes! ¦It was.",
    "What?! ¦No way.",
    "He wrote 'it is done.' ¦She agreed.",
    "It was agreed.[12] ¦It was signed.",
    # ellipsis
    "Well... maybe not. ¦Fine.",
    "He waited… ¦Nothing came.",
    "He waited... ¦Nothing came.",
    # lines and lists
    "You need the following:\n¦(a) a pen;\n¦(b) paper.",
    "Items:\n¦- one\n¦- two\n¦- three",
    "Steps:\n¦1. Open it.\n¦2. Close it.",
    "a line that was\nwrapped by the editor. ¦Another one.",
    "Theft is an offence.\n¦Explanation.—A thing fixed to earth is not subject of theft.",
    "(1) It applies.\n¦Provided that no minor is bound.",
    "First para.\n\n¦second para without capital",
    "• one item\n¦• another item",
    "Deliver (i) the goods, (ii) the papers. ¦Then leave.",
    # URLs, mail, files, code
    "See https://example.org/a.b?c=1. ¦It is public.",
    "Mail it to a.b@example.org. ¦We reply.",
    "Open config.yml in vim. ¦Save it.",
    "Use Node.js or .NET today. ¦Both work.",
    # other scripts
    "राम घर गया। ¦सीता आई।",
    "क्या यह सही है? ¦हाँ। ¦परंतु नियम अलग है।",
    "डॉ. राव आए। ¦वे बैठे।",
    "धारा 3.2 देखें। ¦फिर आवेदन करें।",
    "यत्र योगेश्वरः कृष्णो॥ ¦तत्र श्रीः॥",
    "这是第一句。¦这是第二句！¦真的吗？¦是的。",
    "他说：“停下。”¦然后他走了。",
    "هل هذا صحيح؟ ¦نعم. ¦شكرا.",
    "یہ پہلا جملہ ہے۔ ¦یہ دوسرا ہے۔",
    "Das gilt z.B. für Kinder. ¦Sonst nicht.",
    "Voir p. ex. l'art. 3. ¦C'est tout.",
    "Это первое предложение. ¦Это второе.",
    "Él llegó. ¿Quién? ¦¡Nadie!".replace("llegó. ¿", "llegó. ¦¿"),
    "no capital here. ¦but a new sentence all the same.",
]


def cut(text: str) -> list[str]:
    return [text[start:end] for start, end in split_sentences(text)]


@pytest.mark.parametrize("case", CASES)
def test_case(case: str):
    assert cut(case.replace("¦", "")) == [part.strip() for part in case.split("¦")]


PIECES = "a B Dr. e.g. s. 12 2(1)(a) (1) 303. . .. ... … ! ? । ॥ 。 ！ ؟ \" ' ( ) ” “ [1] - • : ; राम परंतु 句子 😀 é"
SPACES = ["\n", "\n\n", "\t", "\r\n", "\u00a0", "\u200b", "\ud800", "\u2028"]
ANY_TEXT = st.one_of(st.text(max_size=300), st.lists(st.sampled_from([*PIECES.split(), *SPACES]), max_size=80).map(" ".join))


@settings(max_examples=400, deadline=None)
@given(ANY_TEXT, st.booleans(), st.sampled_from([None, "en", "hi", "de-AT", "xx", ""]))
def test_spans_hold_all_visible_text_in_order(text: str, lines: bool, language: str | None):
    spans = split_sentences(text, language=language, lines=lines)
    position = 0
    for start, end in spans:
        assert position <= start < end <= len(text)
        assert not text[position:start].strip()
        assert text[start:end] == text[start:end].strip()
        assert not lines or "\n" not in text[start:end]
        position = end
    assert not text[position:].strip()
    assert spans == split_sentences(text, language=language, lines=lines)


@pytest.mark.parametrize("piece", [".", "(", "a. ", "1. ", "\n", "“", "Dr. ", "。", "a\n", "(a) ", "https://a.b/", "A.B.", "… A"])
def test_time_grows_with_length_only(piece: str):
    assert growth(split_sentences, piece, 40_000 // len(piece)) < 10


@pytest.mark.parametrize(
    ("line", "expected"),
    [("- pen", True), ("(iv) pen", True), ("12. pen", True), ("a) pen", True), ("A pen", False), ("3.5 pens", False), (") pen", False)],
)
def test_begins_item(line: str, expected: bool):
    assert begins_item(line) is expected
