import pytest

from components.answer import Answer, Citation, Status
from evaluation.answer_checks import cites, holds, numbers_in, numbers_without_quote, quote_faults

STORED = "Refunds take five business days after approval. Claims: 5,000 rupees by 1 July 2024."


def citation(quote="Refunds take five business days after approval.", start=0, **fields):
    return Citation(**{"n": 1, "source_id": "s", "title": "Refunds", "uri": "company/refunds.md", "quote": quote, "char_start": start,
                       "char_end": start + len(quote), **fields})  # fmt: skip


def answer(text, *citations):
    return Answer(status=Status.ANSWERED, question="q", answer=text, citations=list(citations))


@pytest.mark.parametrize(
    ("text", "fact", "found"),
    [
        ("It takes FIVE\n business  days.", "five business days", True),
        ("five [1] business [2, 3] days", "five business days", True),
        ("The employer\u2019s consent", "employer's consent", True),
        ("section 303(2)", "303", True),
        ("section 1303 and 3031", "303", False),
        ("2,400 rupees", "400", False),
        ("the 400, or so", "400", True),
        ("Section 85.", "85", True),
        ("Community service", "ommunity", True),
        ("see [303]", "303", False),
        ("", "x", False),
    ],
)
def test_holds(text, fact, found):
    assert holds(text, fact) is found


@pytest.mark.parametrize(
    ("uri", "title", "heading", "gold", "found"),
    [
        ("company/refunds.md", "Refunds", "", "refunds.md", True),
        ("file:///x/law/old/theft.md", "Theft", "", "old/theft.md", True),
        ("company/prefunds.md", "Refunds", "", "refunds.md", False),
        ("law/table.csv#IPC%20420", "Cheating", "", "table.csv", True),
        ("bns.jsonl#BNS_303", "Theft", "", "BNS_303", True),
        ("bns.jsonl#BNS_3031", "303 x", "", "BNS_303", False),
        ("ipc.jsonl#IPC_303", "303. Murder by a convict", "", "BNS_303", False),
        ("bns.pdf", "The Sanhita", "Chapter XVII > 303. Theft", "BNS_303", True),
        ("bns.md", "Section 303: Theft", "", "BNS_303", True),
        ("bns.md", "The Sanhita", "Chapter XVII > 303A. Theft", "BNS_303", False),
        ("bns.md", "Sentences of 303 days", "", "BNS_303", False),
    ],
)
def test_cites(uri, title, heading, gold, found):
    assert cites(citation(uri=uri, title=title, heading=heading), gold) is found


def test_true_quotes_have_no_fault():
    assert quote_faults(answer("Five business days [1].", citation()), lambda _: STORED) == []


@pytest.mark.parametrize(
    ("given", "fault"),
    [
        (answer("x [1]", citation(start=1)), "stored text 'efunds"),
        (answer("x [1]", citation(quote="Refunds take six days")), "quote 'Refunds take six days'"),
        (answer("x [1]", citation(quote="")), "the quote is empty"),
        (answer("x [1, 2]", citation()), "[2] stands in the answer without a citation"),
    ],
)
def test_a_false_quote_is_named(given, fault):
    (found,) = quote_faults(given, lambda _: STORED)
    assert fault in found


def test_numbers():
    assert numbers_in("Section 354D: 2,400 or 1,00,000 rupees, 1.5 %, Three years [7]") == {"354", "2400", "100000", "1.5", "3"}


def test_a_number_without_a_quote_is_found():
    assert numbers_without_quote(answer("It takes 5 business days [1].", citation())) == set()
    assert numbers_without_quote(answer("It takes six days, until 2024 [1].", citation())) == {"6", "2024"}
    assert numbers_without_quote(answer("In force until 2024 [1].", citation()), allowed=["superseded in 2024"]) == set()
    assert numbers_without_quote(answer("It needs:\n(1) a form [1]\n2. 3 stamps [1]", citation())) == {"3"}
