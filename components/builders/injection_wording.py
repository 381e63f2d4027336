# ruff: noqa: E501  a rule is a line
"""What the rules on instructions to a model are made of: words for a model, for orders and for replies, as parts of patterns."""

from __future__ import annotations

MODEL = (
    r"(?:a\.?i\.?s?|l\.?l\.?m\.?s?|(?:ai|virtual|digital|language|large\s+language|generative|foundation)[\s-]+(?:assistants?|models?|agents?|systems?|bots?)"
    r"|chat\s?-?bots?|(?:chat)?gpts?(?:-?\d\w*)?|claude|gemini|copilot|llama|mistral|rag\s+(?:system|assistant|bot)s?)"
)
READER = rf"(?:{MODEL}|assistants?|models?|bots?|agents?)"
GIVEN = r"(?:previous|prior|above|earlier|preceding|foregoing|initial|original|existing|current|former|all|any|every|your|these|those|other|system|safety|security)"
ORDERS = (
    r"(?:instructions?|rules?|prompts?|context|guidelines?|guardrails?|directions?|directives?|commands?|programming|training|constraints?"
    r"|restrictions?|policies|filters?|safeguards?|passages?|evidence|system\s+messages?|conversation|everything)"
)
LIFT = (
    r"(?:ignore|disregard|forget|override|bypass|discard|overlook|neglect|skip|violate"
    r"|pay\s+no\s+attention\s+to|(?:do\s+not|don['’]t|stop|cease)\s+(?:follow|obey|comply\s+with|adher\w+\s+to|us)(?:ing|e)?)"
)
REPLY = r"(?:answers?|respon[sd]e?s?|repl(?:y|ies)|outputs?|completions?|summar(?:y|ies)|messages?|text|generation)"
TELL = r"(?:answer|reply|respond|say|state|output|print|write|recommend|claim|tell|return|repeat|confirm|declare|insist|mention)"
ADVERB = r"(?:(?:kindly|please|first(?:ly)?|next|always|so|but|also|completely|simply|just|hereby|immediately|actually|now|instead|then|therefore|and|you|must|should|will|can)[\s,]+){0,4}"
START = (
    r"(?:^|(?<=[\n.!?:;,।—–*\"'“‘(>\]|#¶§•·▪●◦‣»›~=)-])|(?<=\b(?:please|and|then|now|must|should|you|just|instead|shall|will))"
    rf"|(?<=\b(?:you|it|{READER}|want|need|have|instructed|required|ordered|told)\s+to))\s*{ADVERB}"
)
