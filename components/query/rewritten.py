"""A question as it is asked without the conversation."""

from __future__ import annotations

from dataclasses import dataclass

_END = " \t\n?.!,;:"


@dataclass(frozen=True)
class Rewritten:
    """A question that stands alone.

    :param how: what was read into it, one line; empty where it is as it was asked.
    :param unclear: why it can be read neither alone nor by the question before; the question is then as it was asked.
    :param plain: the question without what was added to the one before; empty where nothing was. A later follow-up adds to this one, so that
        additions do not pile up.
    """

    question: str
    how: str = ""
    unclear: str = ""
    plain: str = ""


def unclear_after(asked: str, before: str) -> Rewritten:
    """A follow-up that cannot be read with certainty."""
    return Rewritten(asked, unclear=f"“{asked}” cannot be read with certainty after “{stripped(before)}?”")


def as_question(text: str) -> str:
    """Its first letter a capital, and a question mark at its end.

    >>> as_question("what is the fee.")
    'What is the fee?'
    """
    text = f"{stripped(text)}?"
    return text[0].upper() + text[1:]


def stripped(text: str) -> str:
    """A text without the marks at its end."""
    return text.strip().rstrip(_END)
