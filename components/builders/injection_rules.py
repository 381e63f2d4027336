# ruff: noqa: E501  a rule is a line
"""The rules by which a text is recognised as addressed to a language model: a name, a weight, a pattern, and what makes it harmless.

Patterns are matched against small letters without disguises (`unmasking`). Weights were set by hand: .7 and more where no ordinary document says
such a thing, .5 where few do, less where it takes a second signal.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import regex


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


INSTRUCTING = frozenset(
    {"override", "role", "address", "dictated reply", "rewritten reply", "every question", "prompt leak", "forged turn", "forged tool", "self praise"}
    | {"secrecy", "exfiltration", "citation spoof"}
)
"""Rules whose sentences are no facts to quote; the others only raise suspicion."""

_MODEL = (
    r"(?:a\.?i\.?s?|l\.?l\.?m\.?s?|(?:ai|virtual|digital|language|large\s+language|generative|foundation)[\s-]+(?:assistants?|models?|agents?|systems?|bots?)"
    r"|chat\s?-?bots?|(?:chat)?gpts?(?:-?\d\w*)?|claude|gemini|copilot|llama|mistral|rag\s+(?:system|assistant|bot)s?)"
)
_READER = rf"(?:{_MODEL}|assistants?|models?|bots?|agents?)"
_GIVEN = r"(?:previous|prior|above|earlier|preceding|foregoing|initial|original|existing|current|former|all|any|every|your|these|those|other|system|safety|security)"
_ORDERS = (
    r"(?:instructions?|rules?|prompts?|context|guidelines?|guardrails?|directions?|directives?|commands?|programming|training|constraints?"
    r"|restrictions?|policies|filters?|safeguards?|passages?|evidence|system\s+messages?|conversation|everything)"
)
_LIFT = (
    r"(?:ignore|disregard|forget|override|bypass|discard|overlook|neglect|skip|violate"
    r"|pay\s+no\s+attention\s+to|(?:do\s+not|don['’]t|stop|cease)\s+(?:follow|obey|comply\s+with|adher\w+\s+to|us)(?:ing|e)?)"
)
_REPLY = r"(?:answers?|respon[sd]e?s?|repl(?:y|ies)|outputs?|completions?|summar(?:y|ies)|messages?|text|generation)"
_TELL = r"(?:answer|reply|respond|say|state|output|print|write|recommend|claim|tell|return|repeat|confirm|declare|insist|mention)"
_ADVERB = r"(?:(?:kindly|please|first(?:ly)?|next|always|so|but|also|completely|simply|just|hereby|immediately|actually|now|instead|then|therefore|and|you|must|should|will|can)[\s,]+){0,4}"
_START = (
    r"(?:^|(?<=[\n.!?:;,।—–*\"'“‘(>\]|#¶§•·▪●◦‣»›~=)-])|(?<=\b(?:please|and|then|now|must|should|you|just|instead|shall|will))"
    rf"|(?<=\b(?:you|it|{_READER}|want|need|have|instructed|required|ordered|told)\s+to))\s*{_ADVERB}"
)
_OTHERS = regex.compile(
    r"\b(?!you\b|ai\b|assistants?\b|models?\b|bots?\b|agents?\b|chatbots?\b|llms?\b|gpts?\b|readers?\b|please\b)[\p{L}\p{M}’'-]+\s+"
    r"(?:(?:must|should|shall|may|might|can|could|will|would|need|needs|has|have|had|is|are|was|were|tend|tends|used|agree[ds]?|refus\w+|chose|decided"
    r"|try|tries|tried|want\w*|ask\w*|told|instruct\w*|allow\w*|trick\w*|made|make|makes|get|gets)\s+)(?:(?:not|never|also|then|be|been|to|them|it|him|her|the|model|system)\s+)*$"
)
_NEGATED = regex.compile(
    r"\b(?:do\s+not|don['’]t|never|must\s+not|mustn['’]t|should\s+not|cannot|can['’]t|may\s+not|shall\s+not|not\s+to|without)\s+(?:\w+\s+){0,2}$"
)
_OF_PEOPLE = regex.compile(
    r"[^\n.!?]{0,12}\b(?:issued|given\s+by|published|printed|sent|dated|contained\s+in|set\s+out|from\s+(?:the\s+|your\s+)?(?:\w+\s+)?(?:department|office|team|manager"
    r"|manufacturer|supplier|employer|landlord|bank|doctor|authority|police|ministry)|on\s+(?:the\s+)?(?:label|form|box|packag\w+|sign|leaflet|back)"
    r"|for\s+(?:form|use|assembly|the\s+\w+\s+form)|of\s+(?:form|the\s+(?:manufacturer|supplier|court|board|ministry))"
    r"|in\s+(?:section|chapter|the\s+(?:manual|handbook|leaflet|circular|letter)))\b"
)
_ABOUT = regex.compile(
    r"\b(?:attack\w*|inject\w*|jailbreak\w*|phras\w+|such\s+as|for\s+example|e\.\s?g\.|examples?|called|known\s+as|attempt\w*|detect\w*|block\w*|filter\w*|malicious"
    r"|adversar\w+|red[\s-]team\w*|like|typical\w*|classic|someone|people|hackers?|users?\s+(?:type|write|enter|try)\w*|report\w*|beware|warn\w*|never|hypothetical)\b"
)
_QUOTES = "\"“”„«»'‘’`"


def _is_of_others(text: str, start: int, end: int) -> bool:
    """A rule for people ("staff must ignore"), a prohibition ("never ignore"), an order with a human source, or words quoted as an example."""
    before = text[max(0, start - 80) : start]
    sentence = regex.split(r"[\n.!?;](?=\s)", before)[-1]
    if _OTHERS.search(sentence) or _NEGATED.search(sentence) or _OF_PEOPLE.match(text, end):
        return True
    return _is_quoted_example(text, start, end)


def _is_quoted_example(text: str, start: int, end: int) -> bool:
    """Whether the match stands in quotation marks in a sentence that speaks of such texts."""
    line = max(text.rfind("\n", 0, start), text.rfind(". ", 0, start)) + 1
    before = text[line:start]
    opened = any(mark in before[-60:] for mark in _QUOTES)
    return opened and bool(regex.search(rf"[{_QUOTES}]", text[end : end + 120])) and bool(_ABOUT.search(before))


_LIFTS = (
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


def _rule(name: str, weight: float, pattern: str, unless: Callable[[str, int, int], bool] | None = _is_of_others) -> Rule:
    words = _LIFTS if name == "override" and "_LIFT" not in pattern and "ignore|disregard" in pattern else _WORDS.get(name, ())
    return Rule(name, weight, regex.compile(pattern, regex.MULTILINE), words, unless)


RULES: tuple[Rule, ...] = (
    _rule("override", 0.85, rf"{_START}\b{_LIFT}\b[^\n.!?]{{0,30}}?\b{_GIVEN}\b[^\n.!?]{{0,30}}?\b{_ORDERS}\b"),
    _rule("override", 0.85, rf"{_START}\b{_LIFT}\b[^\n.!?]{{0,30}}?\b{_ORDERS}\s+(?:above|before|so\s+far|given|you|that\s+(?:came|precede))"),
    _rule(
        "override",
        0.6,
        rf"{_START}\b(?:forget|disregard|ignore)\s+(?:everything|anything|all)\s+(?:above|before|you|that|i|said|(?:prior|previous|else)\s*(?:[.,;:!]|$))",
    ),
    _rule(
        "override",
        0.6,
        r"\b(?:new|updated|real|actual|true|additional|revised)\s+(?:system\s+)?(?:instructions?|task|objective|prompt|directive)s?\s*(?::|=|-{1,2}>)",
    ),
    _rule(
        "override",
        0.85,
        r"(?:पिछल|पहले|पूर्व|उपर|ऊपर|सभी|सारे|दिए\s+गए)[^\n।]{0,40}(?:निर्देश|आदेश|नियम|हिदायत)[^\n।]{0,40}(?:अनदेखा|अनदेखी|नज़रअंदाज़|नजरअंदाज|नज़रअंदाज|भूल\s*जा|उपेक्षा|ध्यान\s+न)",
        None,
    ),
    _rule(
        "override",
        0.85,
        r"\b(?:ignor[aeáó]\w*|olvid[ae]\w*|desestim[ae]\w*|descart[ae]\w*|esque[çc]a\w*|desconsider[ea]\w*|dimentic[ah]\w*|trascur[ai]\w*)\b[^\n.]{0,40}\b(?:instruccion\w*|instruç\w+|instruco\w+|istruzion\w+|reglas|regras|regole|indicacion\w+|órdenes|ordens)\b",
        None,
    ),
    _rule(
        "override",
        0.85,
        r"\b(?:ignore[rz]?|oublie[rz]?|ne\s+(?:tiens|tenez)\s+pas\s+compte)\b[^\n.]{0,40}\b(?:instructions|consignes|règles|directives|ordres)\b[^\n.]{0,20}\b(?:précédent\w*|antérieur\w*|ci-dessus|initial\w*)",
        None,
    ),
    _rule(
        "override",
        0.85,
        r"\b(?:ignorier\w*|vergiss|vergessen\s+sie|missacht\w*|beachte\w*\s+nicht)\b[^\n.]{0,40}\b(?:vorherig|bisherig|obig|vorangegangen|früher|alle)\w*[^\n.]{0,30}\b(?:anweisung|instruktion|regel|vorgabe|befehl)\w*",
        None,
    ),
    _rule(
        "override", 0.85, r"(?:игнориру\w*|проигнориру\w*|забуд\w*|не\s+обраща\w*\s+внимания)[^\n.]{0,40}(?:инструкц|указани|правил|команд)\w*", None
    ),
    _rule("override", 0.85, r"(?:忽略|无视|無視|忘记|忘掉|不要理会|不要遵守)[^\n。]{0,12}(?:指令|指示|说明|說明|提示|规则|規則|命令)", None),
    _rule("override", 0.85, r"(?:以前|上記|これまで|前|すべて|全て)[^\n。]{0,10}(?:指示|命令|ルール|プロンプト)[^\n。]{0,8}(?:無視|忘れ)", None),
    _rule("override", 0.85, r"(?:이전|위의|모든|앞의)[^\n.]{0,12}(?:지시|명령|규칙|프롬프트)[^\n.]{0,10}(?:무시|잊)", None),
    _rule("override", 0.85, r"(?:تجاهل|تجاهلوا|انسَ?|اهمل)[^\n.]{0,30}(?:التعليمات|الأوامر|القواعد|الإرشادات)", None),
    _rule(
        "role",
        0.7,
        rf"\b(?:you\s+are|you['’]re)\s+(?:now|no\s+longer)\s+(?:an?\s+|the\s+|in\s+)?(?:[\w-]+\s+){{0,4}}?(?:{_MODEL}|assistant|bot|dan|mode|expert|hacker|pirate|unrestricted|free|bound|jailbroken)\b",
    ),
    _rule(
        "role",
        0.6,
        rf"\byou\s+are\s+(?:an?|the)\s+(?:[\w-]+\s+){{0,3}}?(?:{_MODEL}\b|(?:helpful|honest|obedient|unrestricted|ai)\s+assistant\b|assistant(?=\s*(?:[.,;:!]|that\b|who\b|with(?:out)?\b|$)))",
    ),
    _rule(
        "role",
        0.6,
        rf"{_START}(?:act|behave|respond|answer|speak|pose)\s+as\s+(?:if\s+you\s+(?:are|were)\s+)?(?:an?\s+|the\s+)?(?:[\w-]+\s+){{0,3}}?(?:{_MODEL}|assistant|dan|character|persona|unrestricted\s+\w+|admin\w*|root|system)\b",
    ),
    _rule(
        "role",
        0.6,
        rf"{_START}(?:pretend|imagine|role-?\s?play|simulate)\b[^\n.!?]{{0,20}}\b(?:you|that\s+you|to\s+be|as|being)\b[^\n.!?]{{0,40}}\b(?:{_MODEL}|assistant|character|persona|unrestricted|no\s+(?:rules|restrictions|limits)|admin\w*|dan|mode)\b",
    ),
    _rule("role", 0.7, rf"\byou\s+are\s+now\s+(?:an?|the|my)\s+[^\n.!?]{{0,40}}?[:,;—–-]\s*(?:(?:so|and|then)\s+)?{_TELL}\b"),
    _rule("role", 0.6, r"\bfrom\s+now\s+on,?\s+you(?:\s+are|['’]re|\s+will\s+be)\s+(?:an?|my)\s"),
    _rule(
        "role",
        0.7,
        r"\b(?:enter|enable|activate|switch\s+to|you\s+are\s+in|engage)\s+(?:the\s+)?(?:developer|debug|admin\w*|god|dan|jailbreak|maintenance|sudo|unrestricted|override)\s+mode\b",
    ),
    _rule(
        "address",
        0.7,
        rf"\b(?:note|attention|instructions?|important|message|memo|notice|warning|hint|hey|dear|hello|reminder|to|for)\s*(?:to|for|:|,)?\s+(?:the\s+|any\s+|all\s+)?(?:{_MODEL}|assistants?|(?:language\s+)?models?)(?:\s+(?:reading|processing|summari[sz]ing|seeing|parsing|answering|that\s+reads?)[^\n.:,]{{0,30}})?\s*[:,!—–]",
    ),
    _rule("address", 0.6, rf"\b(?:note|attention|instructions?|important|message|notice)\s+(?:to|for)\s+(?:the\s+|any\s+|all\s+)?(?:{_MODEL})\b"),
    _rule(
        "address",
        0.7,
        rf"\b{_READER}\s+(?:that\s+(?:is|are)\s+|who\s+(?:is|are)\s+)?(?:reading|processing|summari[sz]ing|seeing|parsing|given|answering\s+from)\s+(?:this|these|it|the\s+(?:document|text|passage|page|context))\b",
    ),
    _rule(
        "address",
        0.6,
        rf"\b{_MODEL}\b[^\n.!?]{{0,40}}\b(?:must|should|shall|ha(?:s|ve)\s+to|needs?\s+to|please|(?:is|are)\s+(?:required|instructed|ordered)\s+to)\b[^\n.!?]{{0,30}}\b{_TELL}\b\s*(?:that\b|with\b|only\b|exactly\b|(?:the\s+|any\s+|every\s+)?(?:user|reader|customer|person|visitor)s?\s+to\b|:|[\"“‘'`])",
        _is_quoted_example,
    ),
    _rule(
        "address",
        0.5,
        rf"^\W{{0,6}}(?:{_MODEL}|assistant)\s*[:,]\s*(?:please\s+|you\s+|always\s+|do\s+|don|must\s+|{_TELL}\b|ignore|reveal|treat)",
        None,
    ),
    _rule(
        "dictated reply",
        0.55,
        rf"{_START}(?:always\s+|only\s+|just\s+|instead,?\s+|simply\s+|you\s+(?:must|should|will)\s+(?:now\s+|always\s+|only\s+)?)(?:respond|reply|answer|output|return)\s+(?:only\s+|exactly\s+|verbatim\s+)?(?:with|that|by\s+saying|as\s+follows|in|:|[\"“‘'`])",
    ),
    _rule("dictated reply", 0.55, rf"{_START}(?:respond|reply|answer)\s+(?:only\s+(?:with|that|by|in)|exactly|verbatim|that\b|by\s+saying)"),
    _rule(
        "dictated reply",
        0.55,
        rf"{_START}(?:say|output|print|write|repeat|include|append|insert|add|mention)\s+(?:only\s+|exactly\s+|the\s+(?:word|phrase|string|text|code|token|sentence|following)s?\b[^\n.!?]{{0,60}}\b(?:in|to|at|of|as|verbatim|and\s+nothing)\b[^\n.!?]{{0,20}}\b(?:your|the|every|each|all|any)\s+(?:\w+\s+)?{_REPLY}\b|verbatim)",
    ),
    _rule(
        "dictated reply",
        0.6,
        rf"\b(?:begin|start|end|finish|conclude|preface|prefix)\s+(?:your|every|each|all)\s+(?:\w+\s+)?{_REPLY}\s+(?:with|by)\b",
    ),
    _rule(
        "dictated reply",
        0.55,
        rf"\b(?:your|the)\s+(?:only|entire|whole|final|full|complete)\s+{_REPLY}\s+(?:must|should|has\s+to|shall|will|is\s+to)\s+(?:be|say|contain|consist|read|start|begin|end)\b",
    ),
    _rule(
        "rewritten reply",
        0.6,
        r"\b(?:translat|encod|encrypt|revers|render|express|convert|rewrit|scrambl|obfuscat|invert|transpos|cipher|shift|spell|provid|display|show|format|output)\w*\s[^\n.!?]{0,40}\byour\s+(?:\w+\s+){0,2}?(?:answer|respon[sd]e?|reply|output|message|completion)(?:s|['’]s)?\b[^\n.!?]{0,60}",
    ),
    _rule(
        "rewritten reply",
        0.6,
        rf"\b(?:using|use|apply|with)\b[^\n.!?]{{0,60}}\b(?:cipher|base\s?\d\d|emojis?|rot\s?13|hex\w*|morse|pig\s+latin)\b[^\n.!?]{{0,60}}\b(?:your|the)\s+{_REPLY}\b|\byour\s+{_REPLY}\b[^\n.!?]{{0,60}}\b(?:cipher|base\s?\d\d|emojis?|rot\s?13|hex\w*|morse|pig\s+latin|backwards?|in\s+reverse)\b|\b(?:reply|respond|answer)\s+(?:using|in)\s+(?:base\s?\d\d|rot\s?13|hex\w*|morse|reverse|emojis?|\w*cipher|pig\s+latin)\b",
    ),
    _rule(
        "rewritten reply",
        0.5,
        r"\b(?:integrat|embed|insert|append|prepend|inject|weav|augment|enhanc|modif|amend|alter|slip|work)\w*\b[^\n.!?]{0,80}\b(?:in|into|to|within|at\s+the\s+(?:end|start)\s+of)?\s*\byour\s+(?:\w+\s+)?(?:answer|respon[sd]e?|reply|output|message|completion)\b",
    ),
    _rule(
        "rewritten reply",
        0.5,
        r"\bin\s+your\s+(?:\w+\s+)?(?:answer|response|reply|output|summary)\s*,\s*(?:please\s+|also\s+)?(?:mention|include|add|suggest|promote|recommend|claim|state|say|tell|insert|use|refer|give)\b",
    ),
    _rule(
        "every question",
        0.6,
        r"\b(?:regardless\s+of|no\s+matter|irrespective\s+of|whatever)\b\s*(?:what\s+|which\s+|how\s+)?(?:the\s+|any\s+|is\s+)?(?:user['’]?s?\s+)?(?:question|query|prompt|asked|user\s+(?:asks|says|wants)|input|request|context)\b(?!\s+(?:of|whether|at\s+issue))",
    ),
    _rule(
        "every question",
        0.6,
        rf"\b(?:when|if|whenever|once)\s+(?:(?:you\s+are\s+|being\s+)?asked|the\s+user\s+asks|(?:a|any|the)\s+users?\s+asks?|(?:some|any)one\s+asks)\b[^\n.!?]{{0,60}}?(?:,|\bthen\b|\balways\b|\bplease\b|:|\babout\b[^\n.!?,]{{0,40}})\s*(?:always\s+|only\s+|just\s+|you\s+(?:must|should)\s+)?{_TELL}\b",
    ),
    _rule(
        "every question",
        0.6,
        r"\b(?:answer|reply|respond)\s+(?:to\s+)?(?:every|all|any|each|the\s+user['’]?s?)\s+(?:\w+\s+)?(?:questions?|quer(?:y|ies)|prompts?|requests?|messages?)\s+(?:with|by|as|using|that)\b",
    ),
    _rule(
        "prompt leak",
        0.75,
        r"\b(?:reveal|print|show|repeat|output|disclose|leak|display|dump|tell|give|expose|recite|share|copy|return|translate|summari[sz]e)\b[^\n.!?]{0,30}\b(?:your|the)\s+(?:(?:full|entire|complete|exact|hidden|initial|original|secret|system|above|internal)\s+)*(?:system\s+prompt|prompt|system\s+messages?|(?:hidden|initial|original|secret|system|internal)\s+(?:\w+\s+)?(?:instructions|rules|configuration))\b",
    ),
    _rule(
        "prompt leak",
        0.7,
        r"\b(?:repeat|print|output|copy|recite)\s+(?:everything|all|the\s+(?:text|words|content))\s+(?:above|before|of\s+(?:this|the)\s+conversation|starting\s+with)",
    ),
    _rule(
        "prompt leak",
        0.6,
        r"\bwhat\s+(?:is|are|were|does)\s+your\s+(?:system\s+prompt|(?:initial|original|hidden|system|secret)\s+(?:prompt|instructions|message))\b",
    ),
    _rule(
        "secrecy",
        0.5,
        r"\b(?:do\s+not|don['’]t|never)\s+(?:mention|reveal|disclose|tell|show|repeat|acknowledge)\b[^\n.!?]{0,30}\b(?:this\s+(?:instruction|message|note|comment|prompt|text)|these\s+instructions|to\s+the\s+user|the\s+user\s+about)\b",
        _is_quoted_example,
    ),
    _rule(
        "forged turn",
        0.8,
        r"<\s*\|[^|\n<>]{1,40}\|\s*>|\[/?\s*(?:inst|sys(?:tem)?(?:_?prompt)?|system\s+message|assistant|user)\s*\]|<<\s*/?\s*sys\s*>>|<\s*/?(?:start|end)_of_turn\s*>|<\s*/?\s*(?:system(?:[_-]?(?:prompt|message|instructions?))?|assistant|developer|im_start|im_end|instructions?)\s*>|\bbegin(?:_|\s+)of(?:_|\s+)(?:system|text)\b",
        _is_quoted_example,
    ),
    _rule("forged turn", 0.8, r"[\"']role[\"']\s*:\s*[\"'](?:system|assistant|developer|user|tool)[\"']", _is_quoted_example),
    _rule(
        "forged turn",
        0.5,
        r"^\W{0,6}#{2,}\s*(?:system|instructions?|assistant|human|user|response|input|new\s+task)(?:\s+(?:prompt|message|override))?\s*:",
        None,
    ),
    _rule(
        "forged turn",
        0.5,
        r"^\s*(?:system|assistant|developer|human|user)(?:\s+(?:prompt|message|override|note|update))?\s*[:>]\s*(?:you\b|ignore|disregard|from\s+now|the\s+(?:user|assistant|model|correct|above|following)|new\b|please\b|always\b|only\b|answer\b|respond|reply|say\b|print|output|sure\b|certainly|i\s+(?:will|am|have|cannot))",
        None,
    ),
    _rule(
        "forged turn",
        0.6,
        r"(?:[-=*#_]{2,}|\[|<)\s*(?:end|begin|start)\s+(?:of\s+)?(?:the\s+)?(?:system|user|context|document|documents|passages?|evidence|prompt|instructions?|data|input|conversation)\b[^\n]{0,20}?(?:[-=*#_]{2,}|\]|>)",
        _is_quoted_example,
    ),
    _rule(
        "forged tool",
        0.55,
        r"(?:<|\[|[\"'])\s*/?\s*(?:tool|function)[_\s-]?(?:calls?|results?|outputs?|responses?|use)\s*(?:>|\]|[\"']\s*:|:)|^\s*(?:tool|function)[_\s-](?:call|result|output|response)s?\s*[:=({]",
        _is_quoted_example,
    ),
    _rule("forged tool", 0.5, r"^\s*(?:observation|action\s+input|final\s+answer|thought)\s*:\s*\S", None),
    _rule("forged tool", 0.5, r"[\"'](?:tool|tool_name|function|function_call|tool_calls|tool_call_id)[\"']\s*:\s*[\"'{\[]", None),
    _rule(
        "self praise",
        0.6,
        r"\b(?:all\s+|the\s+)?(?:other|remaining|previous|preceding|following)\s+(?:passages?|chunks?|search\s+results?|retrieved\s+\w+|snippets?|excerpts?|context)\s+(?:are|is|were|contain|should\s+be|must\s+be|can\s+be)\s+(?:\w+\s+){0,2}?(?:wrong|outdated|obsolete|false|irrelevant|incorrect|fake|unreliable|ignored|disregarded|errors?|superseded|untrusted)",
    ),
    _rule(
        "self praise",
        0.6,
        r"\b(?:rate|score|grade|rank|mark|label|classify|judge|evaluate|treat|consider|place)\s+(?:this|the\s+(?:above|following|present))\s+(?:passage|answer|response|chunk|snippet|result|claim|context|text|document)\b[^\n.!?]{0,30}\b(?:as\s+)?(?:\d+\s*(?:/|out\s+of)\s*\d+|highest|first|top|maximum|(?:most|fully|highly|perfectly)\s+\w+|relevant|supported|correct|perfect|true|entailed|faithful|grounded)\b",
    ),
    _rule(
        "self praise",
        0.6,
        r"(?:^|[\n.!?(*\[:-])\s*(?:dear\s+|note\s+to\s+(?:the\s+)?|attention,?\s+|to\s+the\s+)?(?:grader|judge|evaluator|re-?ranker|ranker|fact[\s-]?checker|verifier|scorer)s?(?:\s+model)?\s*[:,]\s*\w",
        None,
    ),
    _rule(
        "self praise",
        0.5,
        r"\b(?:cite|quote|use|trust|prefer|rely\s+on)\s+(?:only\s+)?this\s+(?:passage|chunk|snippet|result|context)\b|\bonly\s+this\s+(?:passage|chunk|snippet|result)\b",
    ),
    _rule("self praise", 0.5, r"\brelevance(?:\s+score)?\s*[:=]\s*(?:1(?:\.0+)?\b|5(?:/5)?\b|10(?:/10)?\b|100\b|high|max)", None),
    _rule(
        "citation spoof",
        0.5,
        r"(?:\[|【)\s*\d{1,3}\s*(?:\]|】)\s*[(\[*:-]{0,3}\s*(?:verified|confirmed|official|authoritative|trusted)\b|\b(?:passage|source|evidence|document|citation)s?\s+(?:\[|【)\d+(?:\]|】)\s+(?:confirms?|says?|states?|verif\w+|proves?)\b",
        _is_quoted_example,
    ),
    _rule("numbered as evidence", 0.2, r"(?:\[|【)\s*\d{1,3}\s*(?:\]|】)\s*:", None),
    _rule("exfiltration", 0.6, r"!\[[^\]\n]*\]\(\s*<?(?:https?:)?//[^)\s]*[?&=#{][^)\s]*\)", None),
    _rule(
        "exfiltration",
        0.6,
        r"\b(?:send|post|upload|forward|exfiltrate|transmit|leak|submit|append|embed|encode)\b[^\n.!?]{0,50}\b(?:conversation|chat\s+history|user['’]?s?\s+(?:question|data|input|message)|system\s+prompt|context|credentials|api\s+keys?|passwords?)\b[^\n]{0,40}(?:https?:|www\.|url|link|image|webhook|server)",
    ),
    _rule("exfiltration", 0.2, r"!\[[^\]\n]*\]\(\s*<?(?:https?:)?//", None),
    _rule(
        "decoding",
        0.4,
        r"\b(?:decode|decrypt|un-?scramble|de-?obfuscate)\s+(?:the\s+|this\s+|these\s+)?(?:following|above|below|base\s?64|hex|string|text|message|rot13)\b[^\n.!?]{0,60}\b(?:follow|obey|execute|do|run|comply|act)\b",
    ),
    _rule("prompt mentioned", 0.2, r"\b(?:system|developer|hidden)\s+(?:prompt|message|instructions?)\b|\bjailbreak|\bprompt\s+injection", None),
)
