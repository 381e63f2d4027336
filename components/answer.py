"""The answer contract: what the command line, HTTP and the page return for a question. JSON Schema: `docs/answer.schema.json`."""

from __future__ import annotations

from enum import StrEnum
from typing import Any

from pydantic import BaseModel, ConfigDict, Field, model_validator


class Contract(BaseModel):
    """Base of the contract: no field that is not named here."""

    model_config = ConfigDict(extra="forbid")


class Status(StrEnum):
    """answered: the documents hold it. declined: they do not (a success). failed: something broke; `degraded` says what."""

    ANSWERED = "answered"
    DECLINED = "declined"
    FAILED = "failed"


class Verdict(StrEnum):
    """Whether the cited passages carry a claim."""

    SUPPORTED = "supported"
    CONTRADICTED = "contradicted"
    UNSUPPORTED = "unsupported"


def place_name(title: str, heading: str = "", uri: str = "", page: int | None = None) -> str:
    """A place in a document as a person would cite it: the title, else the file's name; the page, else the nearest heading.

    >>> place_name("Report", "Money > Fees", page=4), place_name("Report", "Money > Fees"), place_name("", uri="docs/report.pdf")
    ('Report, p. 4', 'Report, Fees', 'report.pdf')
    """
    name = " ".join(title.split()) or uri.rstrip("/").rpartition("/")[2]
    nearest = " ".join(heading.rpartition(" > ")[2].split())
    where = f"p. {page}" if page is not None else nearest if nearest != name else ""
    return ", ".join(part for part in (name, where) if part)


class Degraded(Contract):
    """A stage that gave less than it should."""

    stage: str
    reason: str


class Citation(Contract):
    """Where a sentence of the answer comes from."""

    n: int = Field(ge=1, description="The number in the answer's [n] marker; the same as the evidence's.")
    cited_as: str = Field(default="", description="The place as a person would cite it: Report, p. 4. Filled in from title, heading, uri and page.")
    source_id: str
    title: str
    uri: str = ""
    heading: str = Field(default="", description="Heading path, outermost first, joined by ' > '.")
    page: int | None = None
    quote: str = Field(description="Exactly the stored text of the source at [char_start, char_end).")
    char_start: int = Field(ge=0)
    char_end: int = Field(ge=0)

    @model_validator(mode="after")
    def _say_where(self) -> Citation:
        self.cited_as = self.cited_as or place_name(self.title, self.heading, self.uri, self.page) or self.source_id
        return self


class Claim(Contract):
    """One checkable sentence of the answer."""

    text: str
    verdict: Verdict
    score: float = Field(ge=0, le=1)
    citations: list[int] = Field(default_factory=list)
    checks: list[str] = Field(default_factory=list, description="Names of the checks that ran on it.")
    reasons: list[str] = Field(default_factory=list, description="Why it is not supported, a line each.")


class Evidence(Contract):
    """A passage that the prompt showed."""

    n: int = Field(ge=1)
    id: str
    source_id: str
    title: str
    uri: str = ""
    heading: str = ""
    page: int | None = None
    text: str
    char_start: int
    char_end: int
    score: float | None = None
    in_force: bool = True
    note: str = Field(default="", description="For instance: not in force since 2024-07-01, superseded by section 303.")


class Stage(Contract):
    """One component of the run."""

    name: str
    type: str
    ms: float
    candidates_in: int | None = None
    candidates_out: int | None = None
    model: str | None = None
    skipped: str | None = None
    note: str | None = Field(default=None, description="For instance: the filter leaves 3 of 120 sources (41 of 2,000 chunks).")


class Usage(Contract):
    """What chat models were asked and wrote, in all stages together; zero where none was asked."""

    calls: int = Field(default=0, description="Replies of chat models.")
    prompt_tokens: int = 0
    completion_tokens: int = 0
    cost_usd: float | None = None


class Answer(Contract):
    """The whole answer. A component fills what it knows; the door adds `trace`, `graph` and `index_version`."""

    status: Status
    question: str = Field(description="As it was asked.")
    read_as: str = Field(default="", description="The question that was searched for, where the conversation or a misspelt word made another of it.")
    answer: str
    missing: str = Field(default="", description="What was looked for and not found; also beside an answer that leaves a part of the question open.")
    citations: list[Citation] = Field(default_factory=list)
    claims: list[Claim] = Field(default_factory=list)
    evidence: list[Evidence] = Field(default_factory=list)
    degraded: list[Degraded] = Field(default_factory=list)
    trace: list[Stage] = Field(default_factory=list)
    usage: Usage = Field(default_factory=Usage)
    graph: str = ""
    index_version: str = ""

    def to_json(self) -> dict[str, Any]:
        """The answer as plain JSON data."""
        return self.model_dump(mode="json")
