"""What the grounding check does to the text of an answer: sentences dropped, markers mended. Pure functions."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import regex

from components.validators.claims import MARKER, AnswerSentence


def kept_text(answer: str, sentences: Sequence[AnswerSentence], kept: Sequence[bool], mended: Mapping[int, Sequence[int]]) -> str:
    """The answer with only the sentences to keep, each with its markers.

    A sentence that only introduces what follows goes with the last of what it introduces.

    :param kept: for each sentence.
    :param mended: position of a sentence to the numbers that it shall cite instead.
    """
    keep = [
        chosen and not (sentence.introduces and not _is_followed(sentences, kept, i))
        for i, (sentence, chosen) in enumerate(zip(sentences, kept, strict=True))
    ]
    if keep and all(keep) and not mended:
        return answer
    parts: list[str] = []
    for i, sentence in enumerate(sentences):
        if not keep[i]:
            continue
        text = answer[sentence.start : sentence.end]
        if i in mended:
            text = with_markers(text, mended[i])
        gap = answer[sentences[i - 1].end : sentence.start] if i else ""
        joint = "\n\n" if gap.count("\n") > 1 else ("\n" if "\n" in gap else " ")
        parts += [joint, text.strip()] if parts else [text.strip()]
    return "".join(parts)


def _is_followed(sentences: Sequence[AnswerSentence], kept: Sequence[bool], position: int) -> bool:
    for i in range(position + 1, len(sentences)):
        if sentences[i].introduces:
            return False
        if kept[i]:
            return True
    return False


def with_markers(sentence: str, numbers: Sequence[int]) -> str:
    """A sentence with other markers in the place of its own; those that it had go, and the new ones stand where the last of them stood.

    >>> with_markers("It opens at 7. [1]", [3]), with_markers("It opens [1][2] at 7.", [4, 5])
    ('It opens at 7. [3]', 'It opens at 7. [4][5]')
    """
    found = list(MARKER.finditer(sentence))
    new = "".join(f"[{n}]" for n in numbers)
    if not found:
        return f"{sentence.rstrip()} {new}"
    last = found[-1]
    before = MARKER.sub("", sentence[: last.start()])
    after = sentence[last.end() :]
    if after.strip() and not after.strip().startswith("("):
        return f"{regex.sub(r' {2,}', ' ', before + after.lstrip() if before.endswith(' ') else before + after).rstrip()} {new}"
    return f"{before}{new}{after}"
