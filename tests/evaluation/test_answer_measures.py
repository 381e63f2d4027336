"""Measures beyond right and wrong: a refusal is a class, nothing is ever NaN, and a number without a quote is named."""

import json
import math

from components.answer import Answer, Citation, Claim, Evidence
from evaluation.answer_measures import Ratio, cited_sources, invented_numbers, measures
from evaluation.answers import Report, judge, report_table
from evaluation.questions import Question


def citation(n, name, quote):
    return Citation(n=n, source_id=name, title=name, uri=f"docs/{name}", quote=quote, char_start=0, char_end=len(quote))


FEES = Question("a", "What is the fee?", True, gold_sources=("fees.md",), answer_must_include=("60",))
BOTH = Question("b", "Compare.", True, kind="multi", gold_sources=("fees.md", "terms.md"), answer_must_include=("60",))
NONE = Question("c", "Who founded it?", False)
ANSWER = Answer(
    status="answered",
    question="What is the fee?",
    answer="The fee is 60. [1] It falls due in 14 days. [2]",
    citations=[citation(1, "fees.md", "The fee is 60."), citation(2, "other.md", "It falls due soon.")],
    claims=[Claim(text="a", verdict="supported", score=0.9), Claim(text="b", verdict="contradicted", score=0.8)],
)
DECLINED = Answer(status="declined", question="Who?", answer="The documents do not say: who in 1999")


def test_the_measures_of_three_questions():
    found = measures([judge(FEES, ANSWER), judge(BOTH, DECLINED), judge(NONE, DECLINED)])
    shares = {name: (share.successes, share.trials) for name, share in found.items()}
    assert shares["answered accuracy"] == (1, 1) and shares["coverage"] == (1, 3)
    assert shares["refusal precision"] == (1, 2) and shares["refusal recall"] == (1, 1)
    assert shares["cited-source precision"] == (1, 2) and shares["cited-source recall"] == (1, 1)
    assert shares["claims supported"] == (1, 2) and shares["contradiction rate"] == (1, 2)
    assert shares["numbers from quotes"] == (0, 1)


def test_a_source_cited_twice_counts_once_and_each_needed_source_counts():
    twice = ANSWER.model_copy(update={"citations": [citation(1, "fees.md", "60"), citation(2, "fees.md", "14 days")]})
    assert cited_sources(FEES, twice) == ((1, 1), (1, 1))
    assert cited_sources(BOTH, twice) == ((1, 1), (1, 2))


def test_numbers_without_a_quote_are_named_but_not_those_of_a_validity_note_or_a_refusal():
    assert invented_numbers(ANSWER) == {"14"}
    noted = Evidence(n=1, id="x", source_id="s", title="t", text="", char_start=0, char_end=0, note="not in force since 2024")
    old = Answer(status="answered", question="?", answer="60 (not in force since 2024) [1]", citations=[citation(1, "s", "60")], evidence=[noted])
    assert invented_numbers(old) == set() and invented_numbers(DECLINED) == set()


def test_of_nothing_there_is_no_value_and_no_nan():
    report = Report((judge(NONE, DECLINED),))
    data = report.to_json()
    assert data["measures"]["answered accuracy"]["value"] is None and data["measures"]["refusal recall"]["value"] == 1.0
    assert "NaN" not in json.dumps(data) and report_table(report).row_count > 10
    ends = [end for share in report.measures.values() for end in share.interval]
    assert all(math.isfinite(end) for end in ends)


def test_the_interval_of_a_ratio_holds_its_value_and_narrows_with_questions():
    few, many = Ratio(((1, 2), (2, 2), (0, 1))), Ratio(((1, 2), (2, 2), (0, 1)) * 40)
    assert few.value == many.value == 0.6
    assert few.interval[0] <= 0.6 <= few.interval[1]
    assert many.interval[1] - many.interval[0] < few.interval[1] - few.interval[0]
