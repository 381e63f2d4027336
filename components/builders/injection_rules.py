"""The rules by which a text is recognised as addressed to a language model: a name, a weight, a pattern, and what makes it harmless.

Patterns are matched against small letters without disguises (`unmasking`). Weights were set by hand: .7 and more where no ordinary document says
such a thing, .5 where few do, less where it takes a second signal.
"""

from __future__ import annotations

from components.builders.injection_forgeries import FORGERY_RULES
from components.builders.injection_orders import ORDER_RULES
from components.builders.injection_replies import REPLY_RULES
from components.builders.injection_rule import Rule

INSTRUCTING = frozenset(
    {"override", "role", "address", "dictated reply", "rewritten reply", "every question", "prompt leak", "forged turn", "forged tool", "self praise"}
    | {"secrecy", "exfiltration", "citation spoof"}
)
"""Rules whose sentences are no facts to quote; the others only raise suspicion."""

RULES: tuple[Rule, ...] = (*ORDER_RULES, *REPLY_RULES, *FORGERY_RULES)
