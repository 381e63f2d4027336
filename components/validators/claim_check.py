"""Each claim of an answer against its cited passages, then against the other evidence."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from components.answer import Claim, Evidence, Verdict
from components.generators.extraction.language import Reader
from components.validators.claims import AnswerClaim
from components.validators.grounding_features import Reading, read_claims
from components.validators.grounding_rule import GroundingRule, Judgement
from components.validators.nli_model import Judge
from components.validators.word_overlap import overlap

OTHERS = 2
"""Passages beside the cited ones that a claim which these do not carry is read against, those with most of its words."""
WORD_OVERLAP = "word overlap"


@dataclass(frozen=True)
class CheckedClaim:
    """A claim with what was found of it.

    :param cited: the passages that carry it, or those that it cites where none does.
    :param mended: whether other passages carry it than it cites.
    """

    claim: AnswerClaim
    judgement: Judgement
    cited: tuple[int, ...]
    checks: tuple[str, ...]
    mended: bool = False

    @property
    def supported(self) -> bool:
        """Whether it may stand."""
        return self.judgement.verdict is Verdict.SUPPORTED

    def to_claim(self) -> Claim:
        """The claim of the answer contract."""
        return Claim(
            text=self.claim.text,
            verdict=self.judgement.verdict,
            score=min(1.0, max(0.0, self.judgement.score)),
            citations=list(self.cited),
            checks=list(self.checks),
            reasons=list(self.judgement.reasons),
        )


def premise_of(passage: Evidence) -> str:
    """What a passage says, with its title, headings and validity, which an answer may use as well."""
    head = ". ".join(part for part in (passage.title, passage.heading, "" if passage.in_force else passage.note or "not in force") if part)
    return f"{head}\n\n{passage.text}" if head else passage.text


def check_claims(
    claims: Sequence[AnswerClaim],
    passages: Mapping[int, Evidence],
    question: str,
    rule: GroundingRule,
    judge: Judge | None = None,
    batch_size: int = 16,
    deadline: float | None = None,
    words: Reader | None = None,
) -> tuple[list[CheckedClaim], int]:
    """Check claims.

    A claim without a citation, or whose passages do not carry it, is read against the passages with most of its words, one by one; the first that
    carries it is cited instead. Where none does, its cited passages are read together with the best other one, for a claim that needs both.

    :param passages: the evidence by number.
    :param words: see `read_claims`.
    :returns: the claims in their order, and how many of them the judge did not read for want of time.
    """
    texts = {n: premise_of(passage) for n, passage in passages.items()}

    def read(which: Sequence[tuple[AnswerClaim, tuple[int, ...]]]) -> list[Reading]:
        asked = [(claim.text, [texts[n] for n in numbers], question) for claim, numbers in which]
        return read_claims(asked, judge, batch_size, deadline, words=words)

    first = [(claim, tuple(n for n in claim.cited if n in texts)) for claim in claims]
    readings = read(first)
    unread = sum(
        judge is not None and bool(numbers) and not (reading.has_model or reading.is_settled)
        for (_, numbers), reading in zip(first, readings, strict=True)
    )
    checked = [_checked(claim, numbers, reading, rule, judge) for (claim, numbers), reading in zip(first, readings, strict=True)]
    again: list[tuple[int, AnswerClaim, tuple[int, ...]]] = []
    for i, one in enumerate(checked):
        if one.supported:
            continue
        others = sorted((n for n in texts if n not in one.claim.cited), key=lambda n: (-overlap(one.claim.text, texts[n]), n))[:OTHERS]
        again += [(i, one.claim, (n,)) for n in others]
        if one.cited and others:
            again.append((i, one.claim, (*one.cited, others[0])))
    for (i, claim, numbers), reading in zip(again, read([(claim, numbers) for _, claim, numbers in again]) if again else [], strict=True):
        found = _checked(claim, numbers, reading, rule, judge)
        if found.supported and not checked[i].supported:
            checked[i] = replace(found, mended=True)
    return checked, unread


def _checked(claim: AnswerClaim, numbers: tuple[int, ...], reading: Reading, rule: GroundingRule, judge: Judge | None) -> CheckedClaim:
    checks = (WORD_OVERLAP, *(finding.check for finding in reading.findings), *([f"model: {judge.name}"] if judge and reading.has_model else []))
    if not numbers:
        return CheckedClaim(claim, Judgement(Verdict.UNSUPPORTED, 0.0, ("it cites no passage",)), (), checks)
    return CheckedClaim(claim, rule.judge(reading), numbers, checks)
