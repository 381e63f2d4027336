"""What a generator is told of an answer that did not hold, so that it can answer once more."""

from __future__ import annotations

from collections.abc import Sequence

from haystack.dataclasses import ChatMessage

from components.validators.claim_check import CheckedClaim

TEXT = """\
Your answer was checked against the passages, and these claims of it did not hold:
{claims}
Answer the question once more by the rules above. Say only what the passages say, with their numbers, names and conditions exactly as written, and \
cite the passage that says it. Leave out what they do not say; if nothing is left, write NOT_IN_EVIDENCE."""


def feedback(answer: str, failing: Sequence[CheckedClaim], messages: Sequence[ChatMessage]) -> list[ChatMessage]:
    """The first answer and, as the user's message, the claims that failed with the reasons.

    The message carries the meta of the prompt's last one, by which the extractive generator answers.
    """
    lines = [
        f"- {one.claim.text} ({one.judgement.verdict.value}{': ' if one.judgement.reasons else ''}{'; '.join(one.judgement.reasons)})"
        for one in failing
    ]
    meta = dict(messages[-1].meta) if messages else {}
    return [ChatMessage.from_assistant(answer), ChatMessage.from_user(TEXT.format(claims="\n".join(lines)), meta=meta)]
