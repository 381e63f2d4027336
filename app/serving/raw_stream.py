"""What a chat model writes, passed on as it writes it: only where the graph's grounding check would let it stand, and made safe to show."""

from __future__ import annotations

import re
from dataclasses import dataclass

from app.graphs import Graph
from components.builders.evidence_prompt_builder import NOT_IN_EVIDENCE
from components.builders.shown_text import known_addresses, without_images

GROUNDING = "components.validators.grounding_checker.GroundingChecker"
ANNOTATE = "annotate"
SILENT = (NOT_IN_EVIDENCE, "<think", "<reasoning")
"""A reply that begins so is not passed on before it is checked."""
LONGEST_HELD = 1000
"""Characters that are held back at most for a link, an image or an element to end."""
_UNFINISHED = re.compile(r"(?:!?\[[^\]\n]*|!?\[[^\]\n]*\]\([^)\n]*|!?\[[^\]\n]*\]|<[^>\n]*|!|\S+)\Z")


@dataclass(frozen=True)
class Piece:
    """A part of the text as it comes.

    :param restart: why all that was passed on before is void; empty where it is not.
    """

    text: str
    restart: str = ""


def streams_raw(graph: Graph) -> bool:
    """Whether what the model writes may be shown before it is checked: the graph has a grounding check, and its policy is `annotate`.

    Under every other policy a sentence may be taken back, and a graph without the check says of no sentence whether it holds.
    """
    checks = [part for _, part in graph.pipeline.walk() if f"{type(part).__module__}.{type(part).__qualname__}" == GROUNDING]
    policies = {str(getattr(policy, "value", policy)) for policy in (getattr(check, "policy", None) for check in checks)}
    return policies == {ANNOTATE}


class RawText:
    """The pieces of one reply, cut so that no link, image or element is passed on in parts, and none at all in a form that is rendered.

    >>> raw = RawText()
    >>> [raw.take(piece) for piece in ("It opens ", "at 7 [", "1]. ![x](ht", "tps://e.example/?q) ", "So")], raw.end()
    (['It opens ', 'at 7 ', '[1]. ', ' ', ''], 'So')
    """

    def __init__(self) -> None:
        self._held, self._begun = "", False

    def take(self, text: str) -> str:
        """What may be shown now."""
        self._held += text
        if not self._begun:
            lead = self._held.lstrip()
            if any(word.startswith(lead) or lead.startswith(word) for word in SILENT):
                return ""
            self._begun = True
        unfinished = _UNFINISHED.search(self._held)
        end = unfinished.start() if unfinished and len(self._held) - unfinished.start() <= LONGEST_HELD else len(self._held)
        ready, self._held = self._held[:end], self._held[end:]
        return shown(ready)

    def end(self) -> str:
        """The rest, when the reply is whole; nothing of a reply that is no answer."""
        rest, self._held = (self._held if self._begun else ""), ""
        return shown(rest)

    def restart(self) -> None:
        """Begin anew, with another reply."""
        self._held, self._begun = "", False


def shown(text: str) -> str:
    """A part of a reply without images, addresses and elements; the checked answer has the addresses that its passages have."""
    return known_addresses(without_images(text), ())[0].replace("<", "‹") if text else ""


def same_text(one: str, other: str) -> bool:
    """Whether two texts have the same words, numbers and markers, in the same order."""
    return re.findall(r"\w+", one) == re.findall(r"\w+", other)
