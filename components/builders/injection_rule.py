"""One signal that a text is addressed to a language model, and the words by which it is looked for quickly."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import regex

from components.builders.injection_exceptions import is_of_others


@dataclass(frozen=True)
class Rule:
    """One signal."""

    name: str
    weight: float
    pattern: regex.Pattern[str]
    words: tuple[str, ...] = ()
    """Parts of words of which the text must hold one: the quick look before the pattern. Empty: always looked at."""
    unless: Callable[[str, int, int], bool] | None = None
    """Whether a match (text, start, end) is ordinary after all."""


LIFTS = (
    "ignor",
    "disregard",
    "forget",
    "overrid",
    "bypass",
    "discard",
    "overlook",
    "neglect",
    "skip",
    "violat",
    "attention to",
    "follow",
    "obey",
    "comply",
    "adher",
    "us",
)
"""Parts of the words that lift an order."""
_REPLIES = ("repl", "respon", "answer", "output", "complet", "messag", "summar")
_TELLS = ("say", "print", "write", "repeat", "includ", "append", "insert", "add", "mention", "output")
_WORDS: dict[str, tuple[str, ...]] = {
    "role": (
        "you are",
        "you’re",
        "you're",
        "act as",
        "behave as",
        "respond as",
        "answer as",
        "speak as",
        "pose as",
        "pretend",
        "imagin",
        "role",
        "simulat",
        " mode",
    ),
    "address": ("ai", "a.i", "llm", "l.l.m", "assistant", "model", "bot", "gpt", "claude", "gemini", "copilot", "llama", "mistral", "agent", "rag "),
    "dictated reply": (*_REPLIES, *_TELLS, "return"),
    "rewritten reply": ("your ", *_REPLIES[:3]),
    "every question": ("regardless", "no matter", "irrespective", "whatever", "ask", "answer", "repl", "respond"),
    "prompt leak": ("prompt", "instruction", "rules", "configuration", "message", "everything", "print", "repeat", "recite", "output", "copy"),
    "secrecy": ("not ", "n't", "n’t", "never"),
    "forged turn": ("<", "[", "begin", "role", "#", ":", "---", "===", "***", "___", "system", "user", "assistant"),
    "forged tool": ("tool", "function", "observation", "action input", "final answer", "thought"),
    "self praise": (
        "passage",
        "chunk",
        "result",
        "snippet",
        "context",
        "retrieved",
        "excerpt",
        "response",
        "answer",
        "claim",
        "text",
        "document",
        "grader",
        "judge",
        "evaluator",
        "ranker",
        "checker",
        "verifier",
        "scorer",
        "relevance",
    ),
    "citation spoof": ("]", "】"),
    "numbered as evidence": ("]", "】"),
    "exfiltration": ("![", "conversation", "history", "user", "prompt", "context", "credential", "api key", "password"),
    "decoding": ("decod", "decrypt", "scrambl", "obfuscat"),
    "prompt mentioned": ("prompt", "message", "instruction", "jailbreak"),
}


def rule(
    name: str,
    weight: float,
    pattern: str,
    unless: Callable[[str, int, int], bool] | None = is_of_others,
    words: tuple[str, ...] | None = None,
) -> Rule:
    """A rule from its pattern.

    :param words: as in `Rule`; None: those of the rules of this name, if they have some.
    """
    return Rule(name, weight, regex.compile(pattern, regex.MULTILINE), _WORDS.get(name, ()) if words is None else words, unless)
