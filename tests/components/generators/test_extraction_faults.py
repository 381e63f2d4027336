"""Kinds of fault that the extractive generator must not show, on texts of several domains; not what its constants were fitted on."""

from pathlib import Path

import pytest
import yaml
from haystack import Document

from components.builders.evidence_prompt_builder import EvidencePromptBuilder
from components.generators.extractive_generator import ExtractiveGenerator

SETS = yaml.safe_load((Path(__file__).parent / "data" / "faults.yml").read_text(encoding="utf-8"))
ANSWERED = [(name, item) for name, one in SETS.items() for item in one["answered"]]
DECLINED = [(name, question) for name, one in SETS.items() for question in one["declined"]]


def ask(name, question):
    evidence = [
        Document(content=content, meta={"label": n, "title": title, "heading_path": [heading], "char_start": 0, "source_id": title})
        for n, (title, heading, content) in enumerate(SETS[name]["passages"], start=1)
    ]
    [reply] = ExtractiveGenerator().run(EvidencePromptBuilder().run(question, evidence)["messages"])["replies"]
    return reply


@pytest.mark.parametrize(("name", "item"), ANSWERED, ids=[item["q"] for _, item in ANSWERED])
def test_the_answer_is_to_the_point_and_no_more(name, item):
    reply = ask(name, item["q"])
    assert not reply.meta["declined"], reply.text
    assert [text for text in item["must"] if text not in reply.text] == [], reply.text
    assert [text for text in item.get("not", []) if text in reply.text] == [], reply.text


@pytest.mark.parametrize(("name", "question"), DECLINED, ids=[question for _, question in DECLINED])
def test_what_is_beside_the_point_is_declined(name, question):
    reply = ask(name, question)
    assert reply.meta["declined"], reply.text
