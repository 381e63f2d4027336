"""Questions that are nearly the same: ways to word one question, and questions that differ from it by what changes the answer."""

from __future__ import annotations

import random
from dataclasses import dataclass

FRAMES = (
    "What is the penalty under section {number} for {act}?",
    "How many days of leave does {name} get in {year}?",
    "Must {name} file form {code} {when} the hearing?",
    "Does {name} report to {other}?",
    "When must the {role} pay the {counterpart}?",
    "What is the {bound} deposit that a {role} may ask for?",
    "{modal} a {role} enter the building {with_} a badge after {hour}:00?",
    "Can a {role} {negation}be dismissed {with_} notice in {year}?",
    'What does "{phrase}" mean in rule {number}?',
    "Which {thing} does the {role} need for a loan of {amount} EUR?",
    "Who {tense} in charge of the {place} in {year}?",
    "Is the fee {comparison} {amount} EUR for {name}?",
    "How do I {change} the limit of account {code}?",
    "Do {few} members of the {place} vote {when} {year}?",
)
"""Questions with places for what makes twins."""

SLOTS: dict[str, tuple[str, ...]] = {
    "number": ("303", "103", "30.3", "303A", "303(2)", "33", "1,303"),
    "act": ("theft", "robbery", "mischief", "no theft"),
    "name": ("Ann", "Bob", "Anna", "Ann Lee", "Li Ann"),
    "other": ("Carl", "Carla", "Ann", "Bob"),
    "year": ("2023", "2024", "1924", "March 2023", "May 2023"),
    "code": ("XR-17", "XR-71", "XR-17B", "RX-17", "B12"),
    "when": ("before", "after", "during", "until", "not before"),
    "role": ("tenant", "landlord", "employee", "employer", "licensee", "licensor"),
    "counterpart": ("landlord", "tenant", "employer", "employee", "licensor", "licensee"),
    "bound": ("maximum", "minimum", "average", "usual"),
    "modal": ("May", "Must", "Can", "Should", "May not", "Must not"),
    "with_": ("with", "without"),
    "hour": ("8", "18", "20"),
    "negation": ("", "not ", "never ", "only "),
    "phrase": ("net worth", "gross worth", "net worth tax", "worth"),
    "thing": ("documents", "document", "security", "securities", "interest", "interests"),
    "amount": ("5,000", "50,000", "5.000", "5000", "-5000", "5000%"),
    "tense": ("is", "was", "will be", "was not"),
    "place": ("board", "Board", "school", "council"),
    "comparison": ("more than", "less than", "at least", "at most", "not more than", "equal to"),
    "change": ("increase", "decrease", "raise", "remove", "set"),
    "few": ("few", "a few", "no", "all", "not all", "most"),
}


@dataclass(frozen=True)
class Asked:
    """One question, as someone words it.

    :param frame: which of `FRAMES`.
    :param values: what stands in its places, in their order.
    :param text: the wording.
    """

    frame: int
    values: tuple[str, ...]
    text: str

    @property
    def meaning(self) -> str:
        """What it asks: questions with the same meaning have the same answer."""
        return meaning_of(filled(self.frame, self.values))


def slots_of(frame: int) -> list[str]:
    """Names of the places of a frame, in their order."""
    return [part.split("}")[0] for part in FRAMES[frame].split("{")[1:]]


def filled(frame: int, values: tuple[str, ...]) -> str:
    """The frame with its places filled."""
    return FRAMES[frame].format(**dict(zip(slots_of(frame), values, strict=True)))


def ask_one(rng: random.Random) -> Asked:
    """A random question in a random wording."""
    frame = rng.randrange(len(FRAMES))
    values = tuple(rng.choice(SLOTS[name]) for name in slots_of(frame))
    return Asked(frame, values, worded(filled(frame, values), rng))


def again(asked: Asked, rng: random.Random) -> Asked:
    """The same question, worded anew."""
    return Asked(asked.frame, asked.values, worded(filled(asked.frame, asked.values), rng))


def twin(asked: Asked, rng: random.Random) -> Asked:
    """A question that differs from this one in one place, worded anew."""
    at = rng.randrange(len(asked.values))
    value = rng.choice(SLOTS[slots_of(asked.frame)[at]])
    values = (*asked.values[:at], value, *asked.values[at + 1 :])
    if sorted(slots_of(asked.frame)[:2]) == ["counterpart", "role"] and rng.random() < 0.3:
        values = (asked.values[1], asked.values[0])
    return Asked(asked.frame, values, worded(filled(asked.frame, values), rng))


def meaning_of(text: str) -> str:
    """What a question asks, where singular and plural of the same thing are one, and 5,000 and 5000 are not."""
    return text.replace("documents", "document")


def worded(text: str, rng: random.Random) -> str:
    """The same question as another person might type it."""
    way = rng.randrange(8)
    if way == 0:
        return text[0].lower() + text[1:]
    if way == 1:
        return text.rstrip("?")
    if way == 2:
        return f"Please tell me {text[0].lower()}{text[1:]}"
    if way == 3:
        return text.replace("What is ", "What's ").replace("Who is ", "Who's ")
    if way == 4:
        return text.replace(" ", "  ", 1)
    if way == 5:
        return text.replace("must the ", "must ").replace("does the ", "does ")
    if way == 6:
        return text.rstrip("?") + ", please?"
    return text
