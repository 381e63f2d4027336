"""An answer in parts, as it is streamed: whole sentences with their citations."""

from __future__ import annotations

import re

_PART = re.compile(r".*?(?:\[\d+\](?:[ ,]*\[\d+\])*[.!?]?(?=\s|$)|\n+|$)\s*", re.DOTALL)
_MARKER = re.compile(r"\[(\d+)\]")


def parts(answer: str) -> list[str]:
    r"""The answer cut behind each group of markers and each line; joined, the parts are the answer.

    >>> parts("Refunds take five days. [1] [2] Premium is first. [3]\n- A list. [4]")
    ['Refunds take five days. [1] [2] ', 'Premium is first. [3]\n', '- A list. [4]']
    """
    return [part for part in _PART.findall(answer) if part]


def markers(part: str) -> list[int]:
    """The numbers that a part cites, each once.

    >>> markers("So it is. [2][1] [2]")
    [2, 1]
    """
    return list(dict.fromkeys(int(n) for n in _MARKER.findall(part)))
