"""What no passage need say, the superlative that a column answers or the year of a version, does not make the gate decline."""

import pytest
from haystack import Document

from components.generators.extraction.language import packaged_language
from components.validators.refusal_features import features_of

TABLE = Document(
    content="Mooring | Fee\nQuay | 30 crowns\nBuoy | 12 crowns",
    meta={"title": "Moorings", "source_id": "m", "label": 1, "in_force": True},
)
OLD = Document(
    content="A mooring costs 9 crowns.",
    meta={"title": "Old moorings", "source_id": "o", "label": 2, "in_force": False, "valid_to": "2022-01-01", "superseded_by": "Moorings"},
)


@pytest.mark.parametrize("question", ["Which mooring is the cheapest?", "What did a mooring cost in 2020?"])
def test_what_was_worked_out_counts_as_covered(question):
    assert features_of(question, [TABLE, OLD], packaged_language())["coverage"] == pytest.approx(1.0, abs=0.2)


@pytest.mark.parametrize("question", ["Which mooring is the quietest?", "What did a mooring cost in the flood of 2020?"])
def test_what_was_not_worked_out_must_be_said(question):
    assert features_of(question, [TABLE], packaged_language())["coverage"] < 0.75
