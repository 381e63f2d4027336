"""Answers what needs no document: greetings, thanks, questions about Sakshya itself, and a follow-up that nobody can read. The rest is looked up."""

from __future__ import annotations

from typing import Any

import regex
from haystack import component

from components.answer import Answer, Status
from components.builders.cited_answer_builder import degraded_entries
from components.validators.attempt import Attempt

HELP = (
    "I am Sakshya. I answer questions from the documents that were indexed for you, with the passage behind every sentence, and say so when they do "
    "not hold the answer."
)
_PLEASE = r"(?:(?:hi|hello|hey|please|so|and|ok(?:ay)?|sakshya)\b[\s,!.]*)*"
RULES = (
    (
        "greeting",
        r"(?:(?:hi|hello|hey|greetings|namaste|hallo|bonjour|hola|good (?:morning|afternoon|evening|day))"
        r"(?:[\s,]+(?:there|sakshya|everyone|all))?[\s,!.]*)+(?:how are you(?: doing)?(?: today)?)?",
        f"Hello. {HELP}",
    ),
    (
        "thanks",
        r"(?:ok(?:ay)?[\s,]+|great[\s,]+)?(?:many thanks|thanks|thank you|thx|cheers)(?: (?:so|very) much| a lot| sakshya)?",
        "You are welcome.",
    ),
    ("farewell", r"(?:good ?bye|bye(?: bye)?|see you(?: later)?|good night)(?: sakshya)?", "Goodbye."),
    (
        "about Sakshya",
        rf"{_PLEASE}(?:who|what) (?:are|r) you|{_PLEASE}what(?: is|'s) (?:your name|sakshya)|{_PLEASE}what can (?:you|sakshya) do(?: for me)?"
        rf"|{_PLEASE}what do you do|{_PLEASE}how (?:do|does|can) (?:you|sakshya) (?:work|help(?: me)?)|{_PLEASE}how can i use (?:you|sakshya)"
        rf"|{_PLEASE}are you (?:a (?:bot|human|person|robot|machine)|an? (?:ai|assistant)|human)|{_PLEASE}help(?: me)?",
        HELP,
    ),
)
"""Name, pattern of the whole question, reply. A question with one word more is looked up."""
_PATTERNS = tuple((name, regex.compile(pattern, regex.IGNORECASE), reply) for name, pattern, reply in RULES)
LONGEST = 80


def small_talk(question: str) -> tuple[str, str] | None:
    """Name of the rule and reply, where the whole question is small talk.

    >>> small_talk("Hello!")[0], small_talk("who are you?")[0], small_talk("What is 2+2?"), small_talk("Hello, what is the fee?")
    ('greeting', 'about Sakshya', None, None)
    """
    text = " ".join(question.replace("’", "'").split()).strip(" ?!.,;:")
    if not text or len(text) > LONGEST:
        return None
    return next(((name, reply) for name, pattern, reply in _PATTERNS if pattern.fullmatch(text)), None)


@component
class SmallTalkRouter:
    """Decides whether a question needs retrieval: of Self-RAG (Asai et al. 2023) the first decision, by rules that can be read.

    Only greetings, thanks and questions about Sakshya itself are answered without the documents, with a fixed text. Everything else is looked up,
    what a model would know by itself too: "What is 2+2?" is declined where no document says it. A "why?" of which the rewriter cannot tell what
    it means is asked back. The reply is `declined` in the contract, since `answered` means that documents hold it. Haystack's
    `ConditionalRouter` has no rules of its own.

    >>> SmallTalkRouter().run("Thank you!")["answer"].answer, SmallTalkRouter().run("Thank you!", look_up=True)["question"]
    ('You are welcome.', 'Thank you!')
    """

    @component.output_types(question=str, attempt=Attempt, answer=Answer, note=str)
    def run(self, question: str, unclear: str = "", look_up: bool = False, degraded: list[Any] | None = None) -> dict[str, Any]:
        """Route.

        :param unclear: why the question cannot be read, from the rewriter; empty where it can.
        :param look_up: look everything up; a search for "help" wants the passages with that word.
        :param degraded: entries of the stages before, for the reply.
        :returns: `question` and `attempt`, the first round of a search, or `answer`; `note`: which rule applied.
        """
        if look_up:
            return _searched(question, "looked up, as everything in a search")
        if unclear:
            reply = f"{unclear}. Please ask the whole question."
            entries = degraded_entries(degraded)
            answer = Answer(status=Status.DECLINED, question=question, answer=reply, missing=unclear, degraded=entries)
            return {"answer": answer, "note": "no document is asked: the question is not clear"}
        found = small_talk(question)
        if found is None:
            return _searched(question, "looked up")
        name, reply = found
        return {"answer": Answer(status=Status.DECLINED, question=question, answer=reply), "note": f"{name}: no document is asked"}


def _searched(question: str, note: str) -> dict[str, Any]:
    return {"question": question, "attempt": Attempt(question, question), "note": note}
