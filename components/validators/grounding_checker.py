"""The last line before an answer goes out: every claim must be carried by the passages that it cites."""

from __future__ import annotations

import logging
import threading
import time
from collections import defaultdict
from collections.abc import Sequence
from enum import StrEnum
from typing import Any

from haystack import component
from haystack.dataclasses import ChatMessage

from components.answer import Answer, Citation, Claim, Degraded, Evidence, Status, Verdict
from components.builders.quotes import best_quotes
from components.failure import Degradation
from components.validators.checked_text import kept_text
from components.validators.claim_check import CheckedClaim, check_claims
from components.validators.claims import MARKER, AnswerSentence, answer_sentences, cited_as_quoted, claims_of, marked_numbers
from components.validators.grounding_models import GroundingModels, load_grounding_models
from components.validators.verdict_feedback import feedback
from config.settings import Device

logger = logging.getLogger(__name__)

STAGE = "grounding"
NO_MODEL = "no model"
SHOWN = 3
"""Sentences that are quoted in `degraded`."""
SHOWN_CHARS = 160


class Policy(StrEnum):
    """What becomes of an answer with claims that its passages do not carry."""

    ANNOTATE = "annotate"
    """It goes out whole; its claims tell the verdicts."""
    DROP = "drop"
    """Their sentences are left out; an answer of which none is left is declined."""
    REGENERATE = "regenerate"
    """The generator is asked once more, with the verdicts; the graph must lead `messages` to it (pipelines/query_regenerate.yml)."""
    DECLINE = "decline"
    """The answer is declined."""


@component
class GroundingChecker:
    """Checks every claim of an answer against the passages that it cites, then against the other evidence, and acts on the verdicts.

    A claim is a sentence or a clause of one. It is judged by a small rule whose parts can be read: an NLI model over windows of the passages, word
    overlap, and exact checks (numbers, dates, sections, codes, names, quotes, negations, opposites, duties, scope). A claim that another passage
    carries gets that one's citation. Haystack has no such component (its `FaithfulnessEvaluator` measures with a chat model, after the fact).

    Without a model the rest of the rule decides, and `skipped` says `no model`. A model that fails or is late leaves the decision to the rest
    too, with an entry in `degraded`. If the check itself breaks, nothing counts as supported.

    >>> from components.answer import Evidence
    >>> place = {"source_id": "s", "title": "Pool", "char_start": 0, "char_end": 14}
    >>> evidence = [Evidence(n=1, id="p", text="It opens at 7.", **place)]
    >>> cited = [Citation(n=1, quote="It opens at 7.", **place)]
    >>> answer = Answer(status=Status.ANSWERED, question="When?", answer="It opens at 7. [1] It closes at 9. [1]", citations=cited, evidence=evidence)
    >>> out = GroundingChecker(model="none").run(answer)
    >>> out["answer"].answer, [(c.verdict.value, c.reasons) for c in out["answer"].claims]
    ('It opens at 7. [1]', [('supported', []), ('contradicted', ['9 is not in the cited passage'])])
    """

    def __init__(
        self,
        policy: str = "drop",
        model: str | None = None,
        device: str | None = None,
        timeout_s: float | None = 5.0,
        batch_size: int = 16,
        file_name: str | None = None,
        supported_from: float | None = None,
    ) -> None:
        """Create the checker.

        :param policy: annotate, drop, regenerate or decline.
        :param model: `packaged`, a folder (relative to the clone) or hub name of an NLI or consistency model, `chat` for the chat model of the
            settings as judge, or `none`; `None`: from settings, and if none is set there the packaged one, where it lies in the clone.
        :param device: cpu, cuda or mps; `None`: from settings.
        :param timeout_s: seconds for the model, > 0; `None`: no limit. The first batch always runs.
        :param batch_size: pairs scored at once, >= 1.
        :param file_name: which ONNX file of the folder.
        :param supported_from: score from which a claim is supported, in (0, 1); `None`: the rule's own threshold.
        :raises ValueError: a value that is not accepted.
        """
        if policy not in list(Policy):
            raise ValueError(f"GroundingChecker.policy={policy!r}: accepted are {', '.join(Policy)}")
        if model is not None and not model.strip():
            raise ValueError("GroundingChecker.model='': accepted are null, packaged, chat, none, a folder or a hub name")
        if device is not None and device not in list(Device):
            raise ValueError(f"GroundingChecker.device={device!r}: accepted are null, {', '.join(Device)}")
        if timeout_s is not None and not timeout_s > 0:
            raise ValueError(f"GroundingChecker.timeout_s={timeout_s!r}: accepted is null or seconds > 0")
        if isinstance(batch_size, bool) or not isinstance(batch_size, int) or batch_size < 1:
            raise ValueError(f"GroundingChecker.batch_size={batch_size!r}: accepted is a whole number >= 1")
        if supported_from is not None and not 0 < supported_from < 1:
            raise ValueError(f"GroundingChecker.supported_from={supported_from!r}: accepted is null or a number above 0 and below 1")
        self.policy = policy
        self.model = model
        self.device = device
        self.timeout_s = timeout_s
        self.batch_size = batch_size
        self.file_name = file_name
        self.supported_from = supported_from
        self._models = GroundingModels(None, None, None)
        self._warm = False
        self._loading = threading.Lock()

    def required_outputs(self) -> dict[str, str]:
        """Outputs that the graph must lead on, with the reason; `check` reports where it does not."""
        if self.policy != Policy.REGENERATE:
            return {}
        return {"messages": "policy `regenerate` asks a generator again through it: see pipelines/query_regenerate.yml"}

    def warm_up(self) -> None:
        """Load rule and model, once. A failure is kept and reported by `run`; nothing is raised."""
        with self._loading:
            if self._warm:
                return
            self._models = load_grounding_models(self.model, self.device, self.file_name, self.timeout_s, self.supported_from)
            self._warm = True

    @component.output_types(answer=Answer, messages=list[ChatMessage], skipped=str, degraded=list[Degradation], model=str, note=str)
    def run(self, answer: Answer, evidence: list[Any] | None = None, messages: list[ChatMessage] | None = None) -> dict[str, Any]:
        """Check an answer.

        :param answer: with its evidence; one that is declined or failed passes through.
        :param evidence: not needed where the answer carries its evidence, as that of `CitedAnswerBuilder` does; passages (Documents) otherwise.
        :param messages: of the prompt, for the policy `regenerate`.
        :returns: `answer`, or under `regenerate`, where claims are not carried, `messages` for the generator; `skipped`: `no model` or empty;
            `degraded`; `model`; `note`: what was dropped or mended.
        """
        if not self._warm:
            self.warm_up()
        degraded = [Degradation(stage=STAGE, reason=self._models.failure)] if self._models.failure else []
        out: dict[str, Any] = {
            "skipped": "" if self._models.judge or self._models.failure else NO_MODEL,
            "model": self._models.judge.name if self._models.judge else "",
            "note": "",
        }
        if answer.status is not Status.ANSWERED:
            return {**out, "answer": answer, "degraded": []}
        shown = answer.evidence or _evidence(evidence)
        sentences = answer_sentences(answer.answer, [e.n for e in shown], notes_of(shown))
        sentences = cited_as_quoted(sentences, [(citation.n, citation.quote) for citation in answer.citations])
        try:
            checked, failures = self._checked(sentences, shown, answer.question)
        except Exception as error:
            reason = f"the check failed: {_one_line(error)}"
            logger.exception("grounding check")
            degraded.append(Degradation(stage=STAGE, reason=reason))
            return {**out, "answer": _unchecked(answer, sentences, degraded, self.policy), "degraded": degraded}
        degraded += [Degradation(stage=STAGE, reason=reason) for reason in failures]
        failing = [one for one in checked if not one.supported]
        if self.policy == Policy.REGENERATE and failing and messages:
            degraded.append(Degradation(stage=STAGE, reason=f"answered again: {_counted(failing)} in the first answer"))
            degraded = [*(Degradation(stage=entry.stage, reason=entry.reason) for entry in answer.degraded), *degraded]
            return {**out, "messages": [*messages, *feedback(answer.answer, failing, messages)], "degraded": degraded}
        acted, note = _acted(answer, sentences, checked, shown, self.policy)
        acted.degraded = [*acted.degraded, *(Degraded(**entry) for entry in degraded)]
        return {**out, "answer": acted, "degraded": degraded, "note": note}

    def _checked(self, sentences: Sequence[AnswerSentence], shown: Sequence[Evidence], question: str) -> tuple[list[CheckedClaim], list[str]]:
        """The claims, and what went wrong with the model."""
        models = self._models
        if models.rule is None:
            raise ValueError(models.failure)
        claims, passages = claims_of(sentences), {e.n: e for e in shown}
        deadline = time.monotonic() + self.timeout_s if self.timeout_s else None
        try:
            checked, unread = check_claims(claims, passages, question, models.rule, models.judge, self.batch_size, deadline, models.words)
        except Exception as error:
            if models.judge is None:
                raise
            reason = f"the grounding model failed: {_one_line(error)}"
            logger.warning(reason)
            return check_claims(claims, passages, question, models.rule)[0], [reason]
        return checked, [f"{unread} of {len(claims)} claims were not read by the model in the {self.timeout_s:g} s allowed"] if unread else []


def notes_of(shown: Sequence[Evidence]) -> list[str]:
    """Notes on validity that the answer builder writes behind a marker."""
    return list(dict.fromkeys(e.note or "not in force" for e in shown if not e.in_force))


def _evidence(documents: list[Any] | None) -> list[Evidence]:
    from components.builders.citations import passages_of

    return [passage.evidence() for passage in passages_of(documents or []).values()]


def _acted(
    answer: Answer, sentences: Sequence[AnswerSentence], checked: Sequence[CheckedClaim], shown: Sequence[Evidence], policy: str
) -> tuple[Answer, str]:
    """The answer as the policy wants it, and a note for the trace."""
    by_sentence: dict[int, list[CheckedClaim]] = defaultdict(list)
    for one in checked:
        by_sentence[one.claim.sentence].append(one)
    kept = [all(one.supported for one in by_sentence[i]) for i in range(len(sentences))]
    mended: dict[int, list[int]] = {}
    for i, members in by_sentence.items():
        if kept[i] and any(one.mended for one in members):
            mended[i] = list(dict.fromkeys(n for one in members for n in one.cited))
    failing = [one for one in checked if not one.supported]
    if policy == Policy.ANNOTATE:
        kept = [True] * len(kept)
    if failing and policy == Policy.DECLINE:
        kept = [False] * len(kept)
    text = kept_text(answer.answer, sentences, kept, mended)
    notes = [f"citations mended: {len(mended)}"] if mended else []
    result = answer.model_copy(update={"answer": text, "claims": [one.to_claim() for one in checked]})
    changed = not kept or not all(kept)  # a text without a sentence claims nothing, and is no answer
    if mended or changed:
        stays = [sentence for sentence, chosen in zip(sentences, kept, strict=True) if chosen]
        gone = [sentence for sentence, chosen in zip(sentences, kept, strict=True) if not chosen]
        result.citations = without_quotes(_citations(answer, text, mended, sentences, shown), stays, gone, shown)
    if failing:
        notes.append(f"claims not carried: {_counted(failing)}")
        result.degraded = [*answer.degraded, Degraded(stage=STAGE, reason=_told(failing, policy))]
    if changed and not result.citations:
        missing = answer.missing or " ".join(answer.question.split())
        result = result.model_copy(
            update={"status": Status.DECLINED, "answer": f"The documents do not say: {missing}", "missing": missing, "citations": []}
        )
    return result, ", ".join(notes)


def _citations(
    answer: Answer, text: str, mended: dict[int, list[int]], sentences: Sequence[AnswerSentence], shown: Sequence[Evidence]
) -> list[Citation]:
    """The citations whose numbers the text still has, and those of mended sentences, with their quotes."""
    present = {n for marker in MARKER.findall(text) for n in marked_numbers(marker, [e.n for e in shown])}
    citations = [citation for citation in answer.citations if citation.n in present]
    passages = {e.n: e for e in shown}
    for i, numbers in mended.items():
        for n in numbers:
            if n not in sentences[i].cited:
                passage = passages[n]
                values: dict[str, Any] = {name: getattr(passage, name) for name in ("n", "source_id", "title", "uri", "heading", "page")}
                for start, end in best_quotes(sentences[i].text, passage.text):
                    place: dict[str, Any] = {"char_start": passage.char_start + start, "char_end": passage.char_start + end}
                    citations.append(Citation(**values, quote=passage.text[start:end], **place))
    return list({(c.n, c.char_start, c.char_end): c for c in citations}.values())


def without_quotes(
    citations: Sequence[Citation], stays: Sequence[AnswerSentence], gone: Sequence[AnswerSentence], shown: Sequence[Evidence]
) -> list[Citation]:
    """The citations without the quotes that belonged only to sentences which were left out; a number that is still cited keeps one at least."""
    passages = {e.n: e for e in shown}

    def places(sentences: Sequence[AnswerSentence]) -> set[tuple[int, int]]:
        cited = [(s.text, passages[n]) for s in sentences for n in s.cited if n in passages]
        return {(passage.n, passage.char_start + start) for text, passage in cited for start, _ in best_quotes(text, passage.text)}

    unused = places(gone) - places(stays)
    left = [citation for citation in citations if (citation.n, citation.char_start) not in unused]
    kept = {citation.n for citation in left}
    return [citation for citation in citations if citation in left or citation.n not in kept]


def _unchecked(answer: Answer, sentences: Sequence[AnswerSentence], degraded: list[Degradation], policy: str) -> Answer:
    """An answer that could not be checked: declined, or, where the policy is to annotate, with every claim unsupported."""
    entries = [*answer.degraded, *(Degraded(**entry) for entry in degraded)]
    claims = [
        Claim(text=s.text, verdict=Verdict.UNSUPPORTED, score=0.0, citations=list(s.cited), reasons=["it could not be checked"]) for s in sentences
    ]
    if policy == Policy.ANNOTATE:
        return answer.model_copy(update={"claims": claims, "degraded": entries})
    missing = answer.missing or " ".join(answer.question.split())
    text = "No answer can be given: what was written could not be checked against the documents."
    update = {"status": Status.DECLINED, "answer": text, "missing": missing, "citations": [], "claims": claims, "degraded": entries}
    return answer.model_copy(update=update)


def _counted(failing: Sequence[CheckedClaim]) -> str:
    counts = [(verdict, sum(one.judgement.verdict is verdict for one in failing)) for verdict in (Verdict.UNSUPPORTED, Verdict.CONTRADICTED)]
    return ", ".join(f"{count} {verdict.value}" for verdict, count in counts if count)


def _told(failing: Sequence[CheckedClaim], policy: str) -> str:
    """What a reader is told of the claims that are not carried; contradicted ones are quoted."""
    done = {Policy.ANNOTATE: "claims that the passages do not carry", Policy.DECLINE: "declined for claims"}.get(Policy(policy), "claims left out")
    named = [one for one in failing if one.judgement.verdict is Verdict.CONTRADICTED]
    said = [f"“{_cut(one.claim.text)}” ({'; '.join(one.judgement.reasons) or 'the passage says otherwise'})" for one in named[:SHOWN]]
    return f"{done}: {_counted(failing)}" + (f": {', '.join(said)}" if said else "") + (", …" if len(named) > SHOWN else "")


def _cut(text: str) -> str:
    text = " ".join(text.split())
    return text if len(text) <= SHOWN_CHARS else text[: SHOWN_CHARS - 1].rstrip() + "…"


def _one_line(error: Exception) -> str:
    lines = str(error).strip().splitlines()
    return f"{lines[0] if lines else type(error).__name__}"[:300]
