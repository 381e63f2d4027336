"""Numbers the citations of a finished answer as a reader expects them."""

from __future__ import annotations

from typing import Any

from haystack import component

from components.answer import Answer
from components.builders.numbering import known_passages, new_numbers, renumbered


@component
class CitationNumbering:
    """Gives the citations of an answer the numbers 1, 2, 3 by first use, and the evidence after them; the last node of a query graph.

    Until here the numbers are those of the prompt, so an answer from the first and the fourth passage cites [1] and [4], and a sentence that
    grounding dropped leaves a gap. In a conversation a passage keeps the number under which an earlier answer cited it, and new ones go on
    after the highest. A follow-up that was rewritten on the way gets its own words back as the answer's `question`, and what was searched for
    stands in `read_as`. Numbers change together in text, citations, claims and evidence; running it twice changes nothing more. Haystack has
    no numbering of citations.

    >>> from components.answer import Citation, Evidence, Status
    >>> place = {"source_id": "s", "title": "Pool", "char_start": 0, "char_end": 6}
    >>> evidence = [Evidence(n=n, id=str(n), text="It is.", **place) for n in (1, 4)]
    >>> cited = [Citation(n=4, quote="It is.", **place)]
    >>> answer = Answer(status=Status.ANSWERED, question="?", answer="It is. [4]", citations=cited, evidence=evidence)
    >>> out = CitationNumbering().run(answer)["answer"]
    >>> out.answer, [c.n for c in out.citations], [(e.n, e.id) for e in out.evidence]
    ('It is. [1]', [1], [(1, '4'), (2, '1')])
    """

    @component.output_types(answer=Answer)
    def run(self, answer: Answer, history: list[Any] | None = None, question: str | None = None) -> dict[str, Answer]:
        """Number the citations.

        :param answer: the answer, its numbers those of the evidence.
        :param history: earlier messages of the conversation, oldest first: mappings with `role` and `content` (and perhaps `citations`),
            or ChatMessages.
        :param question: as it was asked; None: as the answer has it.
        :returns: `answer`.
        """
        if question is not None and question != answer.question:
            answer = answer.model_copy(update={"question": question, "read_as": answer.question})
        known, highest = known_passages(history)
        return {"answer": renumbered(answer, new_numbers(answer, known, highest))}
