"""Chooses the sentences that answer a question, or declines. Pure but for the language model that it is given."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from components.generators.extraction import constants as c
from components.generators.extraction.answering import asked_by, of_another_question
from components.generators.extraction.candidates import Candidate, Choice, beside, compared_text, confidence, meaning_credit, merged
from components.generators.extraction.clauses import asks_clause, clause
from components.generators.extraction.conditions import turns_round
from components.generators.extraction.correspondence import lend_names, with_what_is_pointed_to
from components.generators.extraction.defining import defines, is_titled, says_no_more_than_a_name
from components.generators.extraction.extent import provision, whole_or_items
from components.generators.extraction.extremes import compared
from components.generators.extraction.fitting import kind_fit
from components.generators.extraction.kinds import Kind
from components.generators.extraction.language import Reader, Reading
from components.generators.extraction.listing import asks_column, asks_for_all, denies, fits_column, members
from components.generators.extraction.lists import compares, listed_parts
from components.generators.extraction.matching import coverage_of, greatest_gap, own_numbers, refuses, weighted
from components.generators.extraction.parts import Part, has_subject, part_of, parts_of
from components.generators.extraction.ranges import is_row_of_another_range
from components.generators.extraction.terms import BACKGROUND, FLOOR, in_bag
from components.generators.extraction.units import Shape, Source, Unit, label_of, span_of
from components.generators.extraction.versions import past_of, succeeds, tells_its_time, versions_of
from components.generators.extraction.words import Bag, words

_FIGURES = frozenset({Kind.WHO, Kind.WHEN, Kind.WHERE, Kind.HOW_LONG, Kind.HOW_MANY, Kind.HOW_MUCH, Kind.NUMBER})
"""Kinds whose answer is a figure or a name."""


class Selector:
    """Answers the parts of one question over one evidence; keeps the vectors of units, so that a unit is embedded once."""

    def __init__(self, sources: Sequence[Source], language: Reader) -> None:
        """Prepare.

        :param sources: the passages, best first.
        :param language: reads texts and knows how rare a word is.
        """
        self.sources = sources
        self.language = language
        self.rarity = language.rarity
        self._readings: dict[Unit, Reading] = {}
        self._documents: dict[str, Bag] = {}
        self._provisions: dict[str, dict[str, Bag]] = {}
        lend_names(sources)
        for source in sources:
            for number in own_numbers(source):
                self._provisions.setdefault(source.source_id, {}).setdefault(number, Bag.of(*source.headings[-1:]))
            self._documents[source.source_id] = self._documents.get(source.source_id, Bag()) | source.bag

    def choose(self, question: str) -> list[Choice]:
        """A decision for each part of the question."""
        choices: list[Choice] = []
        for part in parts_of(question, self.rarity):
            if then := self._then(part):
                choices += then
                continue
            whole = self._choose_part(part)
            if of_rows := compared(part, whole, self.sources):
                choices.append(of_rows)
                continue
            listed = listed_parts(part, self.rarity)
            if listed and (compares(part) or not self._covers_all(whole, listed)):
                each = [self._choose_part(one) for one in listed]
                enough = len(each) if compares(part) and whole.answered else max(2, len(each) / 2) if whole.answered else 1
                if sum(choice.answered for choice in each) >= enough:
                    choices += each
                    continue
            choices.append(whole)
        choices = [self._of_a_provision(choice) or choice for choice in choices]
        for choice in choices:
            if choice.answered:
                choice.units = with_what_is_pointed_to(choice.part, choice.units, self.sources)
        return choices

    def _then(self, part: Part) -> list[Choice]:
        """What the versions in force at the past time of a part say; nothing where it has none, or a passage tells of that time."""
        past = past_of(part.text)
        groups = versions_of(past, self.sources) if past else []
        if past is None or not groups:
            return []
        itself = self._choose_part(part)
        if itself.answered and not past.is_change and tells_its_time(past, itself.units):
            return []
        bare = part_of(past.text, self.rarity, part.read_as[: len(part.read_as) - len(part.text)])
        everything = self._candidates(bare)
        alike = [k for k in everything if k.score >= everything[0].score - c.ALIKE]  # an old document on something near it is no version
        choices = [self._decide(bare, [k for k in alike if k.unit.source in group]) for group in groups]
        return [replace(choice, worked_out=True) for choice in choices if choice.answered]

    def _of_a_provision(self, choice: Choice) -> Choice | None:
        """Where "is section 7 about dogs?" finds nothing about dogs in it: what section 7 says, and the provision that is about dogs; else None."""
        part = choice.part
        if choice.answered or part.kind != Kind.YES_NO or not part.references:
            return None
        itself = provision(part, self.sources, list(self._refused_of(part)))
        free = replace(
            part,
            references=frozenset(),
            numbers=part.numbers - part.references,
            terms=tuple(t for t in part.terms if t.number not in part.references),
        )
        about = self._choose_part(free) if itself else choice
        if not itself or not about.answered or not has_subject(free):
            return None
        labels = [label for unit in about.units[:1] if (label := label_of(unit))]
        return Choice(part, [*itself[:2], *labels, *about.units], about.confidence, about.features)

    def _refused_of(self, part: Part) -> dict[Source, str]:
        """Passages that cannot vouch for what the part names, each with what it lacks."""
        self._candidates(part)
        return self._refused

    def _covers_all(self, whole: Choice, listed: list[Part]) -> bool:
        """Whether the sentences chosen for a list as a whole speak of each of its members."""
        if not whole.answered:
            return False
        bag = Bag()
        for unit in whole.units:
            bag = bag | unit.bag | unit.source.heading_bag
        shared = set.intersection(*({t.stem for t in part.terms} for part in listed))
        return all(in_bag(t, bag) > 0 for part in listed for t in part.terms if t.weight >= c.LIGHT_MISSING and t.stem not in shared)

    def _choose_part(self, part: Part) -> Choice:
        everything = self._candidates(part)
        if part.asks_provision and (main := provision(part, self.sources, list(self._refused))):
            return Choice(part, main, 1.0)
        if asks_clause(part) and (main := self._clause(part)):
            return Choice(part, main, 1.0)
        if old := self._named_and_old(part):
            by_name = self._decide(part, [k for k in everything if k.unit.source in old])
            if by_name.answered:
                return by_name
        current = [k for k in everything if k.unit.source.in_force]
        best = self._decide(part, current)
        if not best.answered and len(current) < len(everything):
            old = self._decide(part, everything)
            if old.answered and best.confidence < c.CURRENT_FROM:
                now = [k.unit for k in current if k.in_order >= c.SAME_SUBJECT and any(succeeds(k.unit.source, u.source) for u in old.units)]
                return replace(old, units=[*now[:1], *old.units])
            if old.answered:
                best.confidence = c.ANSWER_FROM
        return best

    def _clause(self, part: Part) -> list[Unit]:
        """The clause asked for, in a passage that lacks nothing but its number."""
        sources = [s for s in self.sources if self._refused.get(s) in {None, *part.references}]
        return clause(part, sources, lambda source: self._documents[source.source_id])

    def _named_and_old(self, part: Part) -> set[Source]:
        """Passages no longer in force whose document or heading bears a name that the part asks for, where none in force bears it."""
        names = [t for t in part.terms if t.is_name and t.number is None]
        found: set[Source] = set()
        for name in names:
            bearing = [source for source in self.sources if in_bag(name, source.heading_bag) >= c.FOUND]
            if bearing and not any(source.in_force for source in bearing):
                found |= set(bearing)
        return found

    def _candidates(self, part: Part) -> list[Candidate]:
        found: list[Candidate] = []
        names_only = (lambda unit: unit.shape == Shape.FIELD) if part.kind == Kind.DEFINE else (lambda _: False)
        refused: dict[Source, str] = {}
        self._refused = refused
        for source in self.sources:
            for unit in source.units:
                if unit.is_label or unit.asks:
                    continue
                if unit.shape == Shape.ROW and is_row_of_another_range(unit.text, _rows(unit), part.quantities):
                    continue
                if reason := refuses(part, unit, self._documents[source.source_id]):
                    refused[source] = reason
                    continue
                provisions = self._provisions.get(source.source_id)
                order = weighted(part, coverage_of(part, unit, provisions, beside=c.BESIDE_IN_ORDER))
                found.append(Candidate(unit, coverage_of(part, unit, provisions), order))
        found.sort(key=lambda k: (names_only(k.unit), -k.in_order, k.unit.source.rank, k.unit.index))
        found = found[: c.MAX_COMPARED]
        if not found:
            return []
        question = self._read(part, found)
        for k in found:
            k.similarity = float(question.vector @ self._readings[k.unit].vector)
            k.found = self._with_meaning(part, k, question)
            k.kind = self._kind(part, k.unit)
            k.score = (
                c.WEIGHT_SIMILARITY * k.similarity
                + c.WEIGHT_COVERAGE * k.in_order
                + c.WEIGHT_KIND * k.kind
                + c.WEIGHT_RANK / (1 + k.unit.source.rank)
                + (c.DEFINES if part.kind == Kind.DEFINE and defines(part, k.unit) else 0.0)
                + (c.TITLED if part.kind == Kind.DEFINE and is_titled(part, k.unit.source) else 0.0)
                + (c.STEPS if part.kind == Kind.HOW and k.unit.introduces else 0.0)
                - (c.FIELDS_BESIDE_PROSE if says_no_more_than_a_name(part, k.unit) else 0.0)
                - (c.TURNED_ROUND if turns_round(part, k.unit) else 0.0)
                + (c.OWN_NUMBER if part.references & own_numbers(k.unit.source) else 0.0)
            )
        return sorted(found, key=lambda k: (-k.score, k.unit.source.rank, k.unit.index))

    def _read(self, part: Part, found: list[Candidate]) -> Reading:
        """Read the part's question and the units that were not read yet."""
        new = [k.unit for k in found if k.unit not in self._readings]
        question, *readings = self.language.read([part.read_as, *(compared_text(unit) for unit in new)])
        self._readings.update(zip(new, readings, strict=True))
        return question

    def _with_meaning(self, part: Part, k: Candidate, question: Reading) -> dict[str, float]:
        """What the unit holds of each term, by words or else by meaning."""
        found = dict(k.found)
        reading = self._readings[k.unit]
        asked = {t.stem for t in part.terms}
        taken = reading.tokens_at((w.start, w.end) for w in words(compared_text(k.unit)) if w.stem in asked)
        content = [t for t in part.terms if t.weight >= FLOOR * BACKGROUND]
        figure = part.kind in _FIGURES
        most = c.MEANING_ALONE if len(content) <= c.FEW_WORDS else c.MEANING_AT_MOST
        for term in part.terms:
            if term.place and term.number is None and not term.is_name and not term.is_lacked and found[term.stem] < c.MEANING_AT_MOST:
                close = question.word_in(*term.place, reading, taken)
                limit = min(most, c.MEANING_OF_FIGURES) if figure and term.weight >= c.HEAVY else most
                found[term.stem] = max(found[term.stem], min(limit, meaning_credit(close)))
        return found

    def _kind(self, part: Part, unit: Unit) -> float:
        """Fit of what would be quoted."""
        context = " ".join((*unit.source.headings, unit.lead.text if unit.lead else ""))
        return kind_fit(asked_by(part, unit), " ".join(unit.source.text[start:end] for start, end in span_of(unit)), context)

    def _decide(self, part: Part, ranked: list[Candidate]) -> Choice:
        if not ranked:
            lacking = sorted(set(self._refused.values()))
            return Choice(part, missing=lacking or self._not_found(part, {}))
        listing = asks_for_all(part.text) or asks_column(part, ranked[0].unit)
        if listing:  # a row with a no in the column asked about is no answer, whatever else it says
            ranked = [k for k in ranked if fits_column(part, k.unit) is not False] or ranked
        options = []
        for best in ranked[: c.TRIED]:
            other = self._complement(part, best, ranked)
            chosen = self._needed(part, best, other) if other else [best]
            options.append((chosen, *self._confidence(part, chosen)))
            if options[-1][1] >= c.ANSWER_FROM:
                break
        chosen, value, features = max(options, key=lambda option: option[1])
        best = chosen[0]
        if value >= c.ANSWER_FROM and len(chosen) < c.MAX_PER_PART:
            chosen += [k for k in ranked if k is not best and self._is_close(part, k, best)][: c.MAX_PER_PART - len(chosen)]
        units = list(dict.fromkeys(unit for k in chosen for unit in whole_or_items(part, k.unit)))
        more = False
        if value >= c.ANSWER_FROM and listing:
            units, more = self._all(part, best, ranked)
        if part.asks_label and (label := label_of(best.unit)):
            units.insert(0, label)
        return Choice(part, units, value, features, self._not_found(part, merged(chosen)), more)

    def _all(self, part: Part, best: Candidate, ranked: list[Candidate]) -> tuple[list[Unit], bool]:
        """All that is seen of what a list question asks for, and whether there may be more."""
        units = members(part, best.unit)
        whole = units != [best.unit]
        alike = [k for k in ranked if k.unit not in units and k.unit.source.in_force and self._is_alike(part, k, best)]
        for k in alike:
            units += [unit for unit in (members(part, k.unit) if k.unit.shape != Shape.FIELD else [k.unit]) if unit not in units]
        if not whole and len(units) == 1:
            units = whole_or_items(part, best.unit)
            whole = units != [best.unit] or best.unit.introduces
        return units[: c.MAX_LISTED], len(units) > c.MAX_LISTED or not whole or bool(alike)

    def _is_alike(self, part: Part, other: Candidate, best: Candidate) -> bool:
        """Whether another unit, of another place, says of something else what the best one says."""
        if other.unit.source is best.unit.source and other.unit.block == best.unit.block:
            return False
        fits = other.kind >= best.kind and other.in_order >= best.in_order - c.SAME_ORDER and other.score >= best.score - c.ALIKE
        return fits and denies(other.unit.text) == denies(best.unit.text) and self._confidence(part, [other])[0] >= c.ANSWER_FROM

    def _is_close(self, part: Part, other: Candidate, best: Candidate) -> bool:
        if other.unit.shape == Shape.ROW and other.unit.lead is best.unit.lead and other.in_order < best.in_order:
            return False  # the row of another thing
        if part.kind in _FIGURES and other.in_order < best.in_order - c.SAME_ORDER:
            return False  # the figure of something else
        if not beside(best.unit, other.unit) and self._lacks_what(part, other, best):
            return False  # of another subject
        return best.score - other.score <= c.CLOSE and other.kind >= best.kind and self._confidence(part, [other])[0] >= c.ANSWER_FROM

    def _complement(self, part: Part, best: Candidate, ranked: list[Candidate]) -> Candidate | None:
        """The best other sentence that says what the first does not: a word that it lacks, or the kind of answer; about the same subject."""
        own = best.unit.bag | best.unit.source.heading_bag
        lacking = [t for t in part.terms if t.weight >= c.HEAVY_IN_ORDER and in_bag(t, own) < c.FOUND]
        shared = [t for t in part.terms if t.weight >= c.HEAVY_IN_ORDER and in_bag(t, own) >= c.FOUND]
        stray = part.kind in _FIGURES and best.in_order < c.SUBJECT_OF_FIGURES
        for k in ranked:
            if of_another_question(best.unit, k.unit) or (stray and not beside(best.unit, k.unit)):
                continue
            if k is best or not any(in_bag(t, k.unit.bag) >= c.FOUND for t in shared):
                continue
            adds_kind = best.kind < c.FOUND <= k.kind and (beside(best.unit, k.unit) or k.in_order >= c.SAME_SUBJECT)
            if adds_kind or any(in_bag(t, k.unit.bag) >= c.FOUND for t in lacking):
                return k
        return None

    def _lacks_what(self, part: Part, other: Candidate, best: Candidate) -> bool:
        """Whether a unit and its headings lack a word of the question that the best one's hold."""
        own, bag = (k.unit.bag | k.unit.source.heading_bag for k in (other, best))
        return any(in_bag(t, own) < c.FOUND <= in_bag(t, bag) for t in part.terms if t.weight >= c.HEAVY_IN_ORDER)

    def _needed(self, part: Part, best: Candidate, other: Candidate) -> list[Candidate]:
        """Of a sentence and its complement the one that says all alone; the sentence, where it lacks little and the other is of another subject."""
        for one, rest in ((best, other), (other, best)):
            bag = one.unit.bag | one.unit.source.heading_bag
            says_all = all(in_bag(t, bag) >= c.FOUND for t in part.terms if t.weight >= c.HEAVY_IN_ORDER)
            if says_all and one.kind >= rest.kind and self._confidence(part, [one])[0] >= c.ANSWER_FROM:
                return [one]
        held = {t.stem: in_bag(t, other.unit.bag | other.unit.source.heading_bag) for t in part.terms}
        own = best.unit.bag | best.unit.source.heading_bag
        little = all(in_bag(t, own) >= c.FOUND for t in part.terms if t.weight >= c.HEAVY)
        stray = little and not beside(best.unit, other.unit) and weighted(part, held) < c.SAME_SUBJECT and other.kind <= best.kind
        return [best] if stray and self._confidence(part, [best])[0] >= c.ANSWER_FROM else [best, other]

    def _confidence(self, part: Part, chosen: list[Candidate]) -> tuple[float, dict[str, float]]:
        found = merged(chosen)
        features = {
            "similarity": max(k.similarity for k in chosen),
            "gap": greatest_gap(part, found),
            "kind": max(k.kind for k in chosen),
        }
        return confidence(**features) if features["kind"] > 0 else 0.0, features

    def _not_found(self, part: Part, found: dict[str, float]) -> list[str]:
        """Words of the part that no passage holds: a word that one holds elsewhere was found, though it did not help."""
        lacking = [t for t in sorted(part.terms, key=lambda t: -t.weight) if found.get(t.stem, 0.0) < c.FOUND and t.weight >= c.LIGHT_MISSING]
        return [t.text for t in lacking if not any(in_bag(t, bag) >= c.FOUND for bag in self._documents.values())]


def _rows(unit: Unit) -> list[str]:
    """The rows of a unit's table."""
    return [other.text for other in unit.source.units if other.block == unit.block and other.shape == Shape.ROW]
