"""Rules for texts that dictate, rewrite or fish for what a model replies."""

from __future__ import annotations

from components.builders.injection_exceptions import is_quoted_example
from components.builders.injection_rule import Rule, rule
from components.builders.injection_wording import REPLY, START, TELL

REPLY_RULES: tuple[Rule, ...] = (
    rule(
        "dictated reply",
        0.55,
        rf"{START}(?:always\s+|only\s+|just\s+|instead,?\s+|simply\s+|you\s+(?:must|should|will)\s+(?:now\s+|always\s+|only\s+)?)(?:respond|reply|answer|output|return)\s+(?:only\s+|exactly\s+|verbatim\s+)?(?:with|that|by\s+saying|as\s+follows|in|:|[\"“‘'`])",
    ),
    rule("dictated reply", 0.55, rf"{START}(?:respond|reply|answer)\s+(?:only\s+(?:with|that|by|in)|exactly|verbatim|that\b|by\s+saying)"),
    rule(
        "dictated reply",
        0.55,
        rf"{START}(?:say|output|print|write|repeat|include|append|insert|add|mention)\s+(?:only\s+|exactly\s+|the\s+(?:word|phrase|string|text|code|token|sentence|following)s?\b[^\n.!?]{{0,60}}\b(?:in|to|at|of|as|verbatim|and\s+nothing)\b[^\n.!?]{{0,20}}\b(?:your|the|every|each|all|any)\s+(?:\w+\s+)?{REPLY}\b|verbatim)",
    ),
    rule(
        "dictated reply",
        0.6,
        rf"\b(?:begin|start|end|finish|conclude|preface|prefix)\s+(?:your|every|each|all)\s+(?:\w+\s+)?{REPLY}\s+(?:with|by)\b",
    ),
    rule(
        "dictated reply",
        0.55,
        rf"\b(?:your|the)\s+(?:only|entire|whole|final|full|complete)\s+{REPLY}\s+(?:must|should|has\s+to|shall|will|is\s+to)\s+(?:be|say|contain|consist|read|start|begin|end)\b",
    ),
    rule(
        "rewritten reply",
        0.6,
        r"\b(?:translat|encod|encrypt|revers|render|express|convert|rewrit|scrambl|obfuscat|invert|transpos|cipher|shift|spell|provid|display|show|format|output)\w*\s[^\n.!?]{0,40}\byour\s+(?:\w+\s+){0,2}?(?:answer|respon[sd]e?|reply|output|message|completion)(?:s|['’]s)?\b[^\n.!?]{0,60}",
    ),
    rule(
        "rewritten reply",
        0.6,
        rf"\b(?:using|use|apply|with)\b[^\n.!?]{{0,60}}\b(?:cipher|base\s?\d\d|emojis?|rot\s?13|hex\w*|morse|pig\s+latin)\b[^\n.!?]{{0,60}}\b(?:your|the)\s+{REPLY}\b|\byour\s+{REPLY}\b[^\n.!?]{{0,60}}\b(?:cipher|base\s?\d\d|emojis?|rot\s?13|hex\w*|morse|pig\s+latin|backwards?|in\s+reverse)\b|\b(?:reply|respond|answer)\s+(?:using|in)\s+(?:base\s?\d\d|rot\s?13|hex\w*|morse|reverse|emojis?|\w*cipher|pig\s+latin)\b",
    ),
    rule(
        "rewritten reply",
        0.5,
        r"\b(?:integrat|embed|insert|append|prepend|inject|weav|augment|enhanc|modif|amend|alter|slip|work)\w*\b[^\n.!?]{0,80}\b(?:in|into|to|within|at\s+the\s+(?:end|start)\s+of)?\s*\byour\s+(?:\w+\s+)?(?:answer|respon[sd]e?|reply|output|message|completion)\b",
    ),
    rule(
        "rewritten reply",
        0.5,
        r"\bin\s+your\s+(?:\w+\s+)?(?:answer|response|reply|output|summary)\s*,\s*(?:please\s+|also\s+)?(?:mention|include|add|suggest|promote|recommend|claim|state|say|tell|insert|use|refer|give)\b",
    ),
    rule(
        "every question",
        0.6,
        r"\b(?:regardless\s+of|no\s+matter|irrespective\s+of|whatever)\b\s*(?:what\s+|which\s+|how\s+)?(?:the\s+|any\s+|is\s+)?(?:user['’]?s?\s+)?(?:question|query|prompt|asked|user\s+(?:asks|says|wants)|input|request|context)\b(?!\s+(?:of|whether|at\s+issue))",
    ),
    rule(
        "every question",
        0.6,
        rf"\b(?:when|if|whenever|once)\s+(?:(?:you\s+are\s+|being\s+)?asked|the\s+user\s+asks|(?:a|any|the)\s+users?\s+asks?|(?:some|any)one\s+asks)\b[^\n.!?]{{0,60}}?(?:,|\bthen\b|\balways\b|\bplease\b|:|\babout\b[^\n.!?,]{{0,40}})\s*(?:always\s+|only\s+|just\s+|you\s+(?:must|should)\s+)?{TELL}\b",
    ),
    rule(
        "every question",
        0.6,
        r"\b(?:answer|reply|respond)\s+(?:to\s+)?(?:every|all|any|each|the\s+user['’]?s?)\s+(?:\w+\s+)?(?:questions?|quer(?:y|ies)|prompts?|requests?|messages?)\s+(?:with|by|as|using|that)\b",
    ),
    rule(
        "prompt leak",
        0.75,
        r"\b(?:reveal|print|show|repeat|output|disclose|leak|display|dump|tell|give|expose|recite|share|copy|return|translate|summari[sz]e)\b[^\n.!?]{0,30}\b(?:your|the)\s+(?:(?:full|entire|complete|exact|hidden|initial|original|secret|system|above|internal)\s+)*(?:system\s+prompt|prompt|system\s+messages?|(?:hidden|initial|original|secret|system|internal)\s+(?:\w+\s+)?(?:instructions|rules|configuration))\b",
    ),
    rule(
        "prompt leak",
        0.7,
        r"\b(?:repeat|print|output|copy|recite)\s+(?:everything|all|the\s+(?:text|words|content))\s+(?:above|before|of\s+(?:this|the)\s+conversation|starting\s+with)",
    ),
    rule(
        "prompt leak",
        0.6,
        r"\bwhat\s+(?:is|are|were|does)\s+your\s+(?:system\s+prompt|(?:initial|original|hidden|system|secret)\s+(?:prompt|instructions|message))\b",
    ),
    rule(
        "secrecy",
        0.5,
        r"\b(?:do\s+not|don['’]t|never)\s+(?:mention|reveal|disclose|tell|show|repeat|acknowledge)\b[^\n.!?]{0,30}\b(?:this\s+(?:instruction|message|note|comment|prompt|text)|these\s+instructions|to\s+the\s+user|the\s+user\s+about)\b",
        is_quoted_example,
    ),
)
