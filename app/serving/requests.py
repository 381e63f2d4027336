"""The body of a request to a graph, made from the inputs that the graph declares."""

from __future__ import annotations

from datetime import date
from typing import Annotated, Any, Literal, Optional

from pydantic import AfterValidator, BaseModel, BeforeValidator, ConfigDict, Field, create_model

from app.graphs import Graph
from app.serving.filters import checked_filters, is_text
from config.settings import settings

MAX_HISTORY = 50


def _text(value: str) -> str:
    if not is_text(value):
        raise ValueError("the text is not valid Unicode")
    return value


def _question(value: str) -> str:
    limit = settings().max_question_chars
    if not value.strip():
        raise ValueError("the question is empty")
    if len(value.strip()) > limit:
        raise ValueError(f"the question has {len(value.strip())} characters; SAKSHYA_MAX_QUESTION_CHARS accepts {limit}")
    return _text(value).strip()


def _day(value: Any) -> Any:
    if not isinstance(value, str):
        raise ValueError("a day is text, YYYY-MM-DD")
    return value


class Body(BaseModel):
    """Base of a request: a field that is not declared is refused, and no number stands for text."""

    model_config = ConfigDict(extra="forbid", strict=True)


class Turn(Body):
    """An earlier message of the conversation."""

    role: Literal["user", "assistant"]
    content: Annotated[str, AfterValidator(_text)] = Field(max_length=20_000)


Question = Annotated[str, AfterValidator(_question)]
Filters = Annotated[dict[str, Any] | str | list[str], AfterValidator(checked_filters)]
Day = Annotated[date, BeforeValidator(_day), Field(strict=False)]
TopK = Annotated[int, Field(ge=1, le=100)]

KNOWN: dict[str, tuple[Any, str]] = {
    "filters": (
        Filters,
        "Where to look: a condition such as type=pdf, source=refunds.md or modified_at>=P30D, a list of them, or a filter of Haystack, "
        "{field: meta.mime_type, operator: ==, value: text/csv} for instance. It only narrows.",
    ),
    "top_k": (TopK, "Passages shown as evidence."),
    "as_of": (Day, "Day whose rule, law or price is asked for. Default: today."),
    "history": (Annotated[list[Turn], Field(max_length=MAX_HISTORY)], "Earlier messages of the conversation, oldest first."),
}


def run_model(graph: Graph) -> type[Body]:
    """What `/{graph}/run` accepts: `question`, and the other inputs that the graph declares, each optional."""
    fields: dict[str, Any] = {"question": (Question, Field(description="The question.", examples=["How long do refunds take?"]))}
    for name in graph.inputs:
        if name in {"question", "look_up"}:  # a search sets the second by itself
            continue
        hint, text = KNOWN.get(name, (_plain_hint(graph, name), f"Input {name!r} of the graph."))
        fields[name] = (Optional[hint], Field(default=None, description=text))  # noqa: UP045  an Annotated value takes no |
    return create_model(f"{graph.name}_run", __base__=Body, **fields)


def search_model(graph: Graph) -> type[Body]:
    """What `/{graph}/search` accepts."""
    fields: dict[str, Any] = {"question": (Question, Field(description="The question or words."))}
    if "filters" in graph.inputs:
        fields["filters"] = (Optional[Filters], Field(default=None, description=KNOWN["filters"][1]))  # noqa: UP045
    fields["top_k"] = (Annotated[int, Field(ge=1, le=1000)], Field(default=10, description="Passages listed."))
    return create_model(f"{graph.name}_search", __base__=Body, **fields)


def _plain_hint(graph: Graph, name: str) -> Any:
    """The type of an input of the user's own: a plain one as its socket says, anything else as JSON."""
    for socket in graph.inputs[name]:
        component, _, key = socket.partition(".")
        hint = graph.pipeline.inputs().get(component, {}).get(key, {}).get("type")
        for plain in (bool, int, float, str):
            if hint in (plain, plain | None):
                return Annotated[str, AfterValidator(_text)] if plain is str else plain
    return Any
