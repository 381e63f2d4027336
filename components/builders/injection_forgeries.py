"""Rules for texts that pose as a turn, a tool, a grader or a citation, and for what carries words out."""

from __future__ import annotations

from components.builders.injection_exceptions import is_quoted_example
from components.builders.injection_rule import Rule, rule

FORGERY_RULES: tuple[Rule, ...] = (
    rule(
        "forged turn",
        0.8,
        r"<\s*\|[^|\n<>]{1,40}\|\s*>|\[/?\s*(?:inst|sys(?:tem)?(?:_?prompt)?|system\s+message|assistant|user)\s*\]|<<\s*/?\s*sys\s*>>|<\s*/?(?:start|end)_of_turn\s*>|<\s*/?\s*(?:system(?:[_-]?(?:prompt|message|instructions?))?|assistant|developer|im_start|im_end|instructions?)\s*>|\bbegin(?:_|\s+)of(?:_|\s+)(?:system|text)\b",
        is_quoted_example,
    ),
    rule("forged turn", 0.8, r"[\"']role[\"']\s*:\s*[\"'](?:system|assistant|developer|user|tool)[\"']", is_quoted_example),
    rule(
        "forged turn",
        0.5,
        r"^\W{0,6}#{2,}\s*(?:system|instructions?|assistant|human|user|response|input|new\s+task)(?:\s+(?:prompt|message|override))?\s*:",
        None,
    ),
    rule(
        "forged turn",
        0.5,
        r"^\s*(?:system|assistant|developer|human|user)(?:\s+(?:prompt|message|override|note|update))?\s*[:>]\s*(?:you\b|ignore|disregard|from\s+now|the\s+(?:user|assistant|model|correct|above|following)|new\b|please\b|always\b|only\b|answer\b|respond|reply|say\b|print|output|sure\b|certainly|i\s+(?:will|am|have|cannot))",
        None,
    ),
    rule(
        "forged turn",
        0.6,
        r"(?:[-=*#_]{2,}|\[|<)\s*(?:end|begin|start)\s+(?:of\s+)?(?:the\s+)?(?:system|user|context|document|documents|passages?|evidence|prompt|instructions?|data|input|conversation)\b[^\n]{0,20}?(?:[-=*#_]{2,}|\]|>)",
        is_quoted_example,
    ),
    rule(
        "forged tool",
        0.55,
        r"(?:<|\[|[\"'])\s*/?\s*(?:tool|function)[_\s-]?(?:calls?|results?|outputs?|responses?|use)\s*(?:>|\]|[\"']\s*:|:)|^\s*(?:tool|function)[_\s-](?:call|result|output|response)s?\s*[:=({]",
        is_quoted_example,
    ),
    rule("forged tool", 0.5, r"^\s*(?:observation|action\s+input|final\s+answer|thought)\s*:\s*\S", None),
    rule("forged tool", 0.5, r"[\"'](?:tool|tool_name|function|function_call|tool_calls|tool_call_id)[\"']\s*:\s*[\"'{\[]", None),
    rule(
        "self praise",
        0.6,
        r"\b(?:all\s+|the\s+)?(?:other|remaining|previous|preceding|following)\s+(?:passages?|chunks?|search\s+results?|retrieved\s+\w+|snippets?|excerpts?|context)\s+(?:are|is|were|contain|should\s+be|must\s+be|can\s+be)\s+(?:\w+\s+){0,2}?(?:wrong|outdated|obsolete|false|irrelevant|incorrect|fake|unreliable|ignored|disregarded|errors?|superseded|untrusted)",
    ),
    rule(
        "self praise",
        0.6,
        r"\b(?:rate|score|grade|rank|mark|label|classify|judge|evaluate|treat|consider|place)\s+(?:this|the\s+(?:above|following|present))\s+(?:passage|answer|response|chunk|snippet|result|claim|context|text|document)\b[^\n.!?]{0,30}\b(?:as\s+)?(?:\d+\s*(?:/|out\s+of)\s*\d+|highest|first|top|maximum|(?:most|fully|highly|perfectly)\s+\w+|relevant|supported|correct|perfect|true|entailed|faithful|grounded)\b",
    ),
    rule(
        "self praise",
        0.6,
        r"(?:^|[\n.!?(*\[:-])\s*(?:dear\s+|note\s+to\s+(?:the\s+)?|attention,?\s+|to\s+the\s+)?(?:grader|judge|evaluator|re-?ranker|ranker|fact[\s-]?checker|verifier|scorer)s?(?:\s+model)?\s*[:,]\s*\w",
        None,
    ),
    rule(
        "self praise",
        0.5,
        r"\b(?:cite|quote|use|trust|prefer|rely\s+on)\s+(?:only\s+)?this\s+(?:passage|chunk|snippet|result|context)\b|\bonly\s+this\s+(?:passage|chunk|snippet|result)\b",
    ),
    rule("self praise", 0.5, r"\brelevance(?:\s+score)?\s*[:=]\s*(?:1(?:\.0+)?\b|5(?:/5)?\b|10(?:/10)?\b|100\b|high|max)", None),
    rule(
        "citation spoof",
        0.5,
        r"(?:\[|【)\s*\d{1,3}\s*(?:\]|】)\s*[(\[*:-]{0,3}\s*(?:verified|confirmed|official|authoritative|trusted)\b|\b(?:passage|source|evidence|document|citation)s?\s+(?:\[|【)\d+(?:\]|】)\s+(?:confirms?|says?|states?|verif\w+|proves?)\b",
        is_quoted_example,
    ),
    rule("numbered as evidence", 0.2, r"(?:\[|【)\s*\d{1,3}\s*(?:\]|】)\s*:", None),
    rule("exfiltration", 0.6, r"!\[[^\]\n]*\]\(\s*<?(?:https?:)?//[^)\s]*[?&=#{][^)\s]*\)", None),
    rule(
        "exfiltration",
        0.6,
        r"\b(?:send|post|upload|forward|exfiltrate|transmit|leak|submit|append|embed|encode)\b[^\n.!?]{0,50}\b(?:conversation|chat\s+history|user['’]?s?\s+(?:question|data|input|message)|system\s+prompt|context|credentials|api\s+keys?|passwords?)\b[^\n]{0,40}(?:https?:|www\.|url|link|image|webhook|server)",
    ),
    rule("exfiltration", 0.2, r"!\[[^\]\n]*\]\(\s*<?(?:https?:)?//", None),
    rule(
        "decoding",
        0.4,
        r"\b(?:decode|decrypt|un-?scramble|de-?obfuscate)\s+(?:the\s+|this\s+|these\s+)?(?:following|above|below|base\s?64|hex|string|text|message|rot13)\b[^\n.!?]{0,60}\b(?:follow|obey|execute|do|run|comply|act)\b",
    ),
    rule("prompt mentioned", 0.2, r"\b(?:system|developer|hidden)\s+(?:prompt|message|instructions?)\b|\bjailbreak|\bprompt\s+injection", None),
)
