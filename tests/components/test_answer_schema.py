"""The published JSON Schema is the one of the code."""

import json
from pathlib import Path

from components.answer import Answer

SCHEMA = Path(__file__).parents[2] / "docs" / "answer.schema.json"


def test_the_published_schema_is_current():
    assert json.loads(SCHEMA.read_text(encoding="utf-8")) == Answer.model_json_schema(), (
        'write it anew: python -c "import json; from components.answer import Answer; '
        'print(json.dumps(Answer.model_json_schema(), indent=2))" > docs/answer.schema.json'
    )
