"""Numbers, codes and quoted phrases that a text names, each with the document it belongs to where the text says so. Pure functions.

`section 303 of the BNS`, `IPC 303`, `ISO 27001:2022 clause 6.1` and a table's `ipc_ref: 303` are references with a qualifier; `rule 12`
is one without. A number that only counts (20 days, in 2024) is none.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache

import regex

from components.embedders.bm25_tokenizer import document_terms, normalize, query_terms

_UNITS = (
    "sections? secs? ss? § §§ clauses? cl articles? arts? rules? regulations? regs? paragraphs? paras? parts? schedules? sch chapters? ch annex "
    "annexes appendix orders? forms? items? points? tables? figures? fig questions? steps? notes? ref refs reference no nos nr number num id code "
    "policy policies procedure standard circular notification invoice ticket case claim request version page "
    "धारा धाराएँ अनुच्छेद नियम खंड उपधारा अध्याय abschnitt artikel paragraf ziffer sección artículo loi règle статья пункт"
)
_UNIT = rf"(?:{'|'.join(_UNITS.split())})"
_NUMBER = r"(?:\d+(?:[.:/-]\d+)*\p{L}{0,3}(?:\([\p{L}\p{N}]{1,6}\))*)"
_CODE = (
    r"(?:\p{L}[\p{L}\p{N}]{0,9}(?:[-_/.]?\d[\p{L}\p{N}]*)(?:[-_/.][\p{L}\p{N}]+)*"
    r"|\p{L}{1,8}(?:[-_/]\p{L}{1,8})*[-_/]\d[\p{L}\p{N}]*(?:[-_/.][\p{L}\p{N}]+)*)"
)
_ACRONYM = r"(?:\p{Lu}[\p{Lu}\p{N}&.]*\p{Lu}\.?(?:\s\d{3,}(?:[-:]\d+)*)?)"
_CAPITALISED = r"\p{Lu}[\p{L}\p{M}'’-]+"
_NAME = rf"(?:{_CAPITALISED}(?:\s+(?:(?:of|and|for|on|the|to|&)\s+){{0,2}}{_CAPITALISED}){{0,7}})"
_WORD = r"\p{L}[\p{L}\p{M}]+"
_BEGIN, _END = r"(?<![\p{L}\p{N}.])", r"(?![\p{L}\p{N}])"

_NUMBER_OR_CODE = regex.compile(rf"{_BEGIN}(?:(?P<code>{_CODE})|(?P<number>{_NUMBER})){_END}")
_UNIT_BEFORE = regex.compile(rf"(?<![\p{{L}}\p{{M}}\p{{N}}])(?i:{_UNIT})[.:#\s]*$")
_NAME_BEFORE = regex.compile(rf"(?<![\p{{L}}\p{{M}}\p{{N}}])(?P<name>{_ACRONYM}|{_NAME}|{_WORD})(?:\s+(?:का|की|के)(?!\p{{M}}))?[\s,:(]*$")
_NAME_AFTER = regex.compile(
    rf"[\s,]*(?:(?:of|under|in|from)\s+)?(?:(?:the|this|that|our|new|old)\s+){{0,2}}(?P<name>{_ACRONYM}|{_NAME})"
    rf"|\s+(?:of|under)\s+(?:the\s+)?(?P<word>{_WORD})"
    rf"|\s+(?P<last>{_WORD})\s*[?.!]*\s*$"
)
_LONE = regex.compile(r"(?<![\p{L}\p{N}])\p{Lu}[\p{Lu}&]+(?![\p{L}\p{N}]|[-_/]\d)")
_QUOTED = regex.compile(r"[\"“„«]\s*([^\"“”„«»]{2,200}?)\s*[\"”“»]")
_ROW = regex.compile(r"\brow-\d+(?:#\d+)?\b")
_FIELD = regex.compile(r"(?<=\p{L})[_:](?=[\p{L}\s])|(?<=\p{L})_(?=\d)")
_REFERRED = regex.compile(rf"(?i)(?<!\p{{L}})(?:under|in|of|by|to|see|with)\s+(?:the\s+)?{_UNIT}\.?\s*{_NUMBER}{_END}")
_SMALL = frozenset(("of", "and", "for", "on", "the", "to", "in", "a", "an", "by", "with", "under", "from"))
_CUES = regex.compile(
    r"(?i)\b(?:replac\w+|correspond\w*|equivalent\w*|counterpart|became|become|renumbered|formerly|previously|supersed\w+|moved|mapp\w+)\b"
)
_UNIT_WORD = regex.compile(rf"(?i:{_UNIT})")
_YEAR = regex.compile(r"(?:19|20)\d\d")


@dataclass(frozen=True)
class Reference:
    """One thing that a text names.

    :param key: the number or code as an index term, or the folded words of a phrase.
    :param qualifier: the name of the document it belongs to, as written; empty where none is given.
    :param kind: `number`, `code` or `phrase`; `bare` for a number with nothing but a word beside it, which is a reference only if some
        document is called so.
    """

    key: str
    qualifier: str = ""
    kind: str = "number"


def folded(text: str) -> str:
    """One spelling for comparing phrases: normalised, without case, single spaces."""
    return " ".join(normalize(text).casefold().split())


def without_rows(text: str) -> str:
    """The text without the numbers that rows of a table get for want of a key of their own: row-303 is no 303."""
    return _ROW.sub(" ", text)


def references(text: str, question: bool = False) -> list[Reference]:
    """What a text names, in its order, each once.

    :param question: also quoted phrases, and a number on its own that counts nothing.

    >>> [(r.key, r.qualifier) for r in references("Is section 303 of the BNS like IPC 302 or rule 7?", question=True)]
    [('303', 'BNS'), ('302', 'IPC'), ('7', '')]
    >>> references("Who gets 20 days in 2024?", question=True)
    []
    """
    text = _FIELD.sub(" ", normalize(without_rows(text)))
    found: dict[Reference, None] = {}
    if question:
        for quoted in _QUOTED.finditer(text):
            found[Reference(folded(quoted.group(1)), kind="phrase")] = None
        text = _QUOTED.sub(lambda match: " " if " " in match.group(1) else match.group(1), text)
    if len(regex.findall(r"\p{Lu}{2,}", text)) > 3 and not regex.search(r"\p{Ll}", text):  # all in capitals: nothing is an acronym
        text = text.casefold()
    short = question and is_short(text, 1)  # `what replaced 498A?`, and not `who gets 20 days of leave?`
    for match in _NUMBER_OR_CODE.finditer(text):
        before = text[max(0, match.start() - 100) : match.start()]
        unit = _UNIT_BEFORE.search(before)
        named = _NAME_BEFORE.search(before[: unit.start()] if unit else before)
        qualifier = _trimmed(named.group("name")) if named else ""
        if not _sure(qualifier) and (after := _NAME_AFTER.match(text, match.end())):
            name = _trimmed(after.group("name") or after.group("word") or after.group("last"))
            qualifier = name if name and (unit or _acronym(name)) else qualifier
        if code := match.group("code"):
            found[Reference(code.casefold(), qualifier if unit and _sure(qualifier) else "", "code")] = None
        elif unit or (short and not _YEAR.fullmatch(match.group())) or (_acronym(qualifier) and not _YEAR.fullmatch(match.group())):
            found[Reference(match.group("number").casefold(), qualifier)] = None
        elif qualifier:
            found[Reference(match.group("number").casefold(), qualifier, "bare")] = None
    inside = {word for reference in found for word in reference.qualifier.casefold().split()}
    return [reference for reference in found if reference.key not in inside]


def _trimmed(name: str) -> str:
    """A name without what only begins a sentence before it; empty where nothing is left."""
    words = name.split()
    while words and (words[0].casefold() in _ASKING or words[0].casefold() in _SMALL or _UNIT_WORD.fullmatch(words[0])):
        words = words[1:]
    for position in range(len(words) - 1, 0, -1):  # "Compare IPC": the acronym alone, with a number that belongs to it
        if _LONE.fullmatch(words[position]):
            return " ".join(words[position:])
    return " ".join(words)


def _sure(qualifier: str) -> bool:
    """Whether it is written as a name, so that no document needs to be called so."""
    return qualifier[:1].isupper()


_ASKING = {
    "what",
    "which",
    "who",
    "whom",
    "when",
    "where",
    "why",
    "how",
    "is",
    "are",
    "was",
    "were",
    "be",
    "does",
    "do",
    "did",
    "can",
    "could",
    "may",
    "must",
    "shall",
    "should",
    "will",
    "would",
    "has",
    "have",
    "had",
    "tell",
    "show",
    "give",
    "explain",
    "define",
    "describe",
    "compare",
    "list",
    "find",
    "see",
    "and",
    "or",
    "not",
    "no",
    "about",
    "at",
    "than",
    "his",
    "her",
    "their",
    "its",
    "my",
    "our",
    "your",
}


def _acronym(qualifier: str) -> bool:
    return _LONE.match(qualifier) is not None


def is_short(question: str, words: int = 3) -> bool:
    """Whether a question has no more than so many words beside its identifiers: it asks for the thing itself."""
    return len([term for term in query_terms(_QUOTED.sub(" ", question)) if not any(c.isdigit() for c in term)]) <= words


def lone_qualifiers(question: str, found: Iterable[Reference]) -> set[str]:
    """Acronyms of a question that qualify none of its references: the BNS in `which BNS section replaced IPC 302?`"""
    taken = {word for reference in found for word in reference.qualifier.split()}
    return {match.group() for match in _LONE.finditer(normalize(question))} - taken


def asks_for_correspondence(question: str) -> bool:
    """Whether a question asks what became of something, or what it was before."""
    return _CUES.search(question) is not None


@lru_cache(maxsize=4096)
def own_terms(text: str) -> frozenset[str]:
    """Terms of a title, heading, file name or record id, without the sections it only refers to.

    >>> sorted(own_terms("220. Offences under section 85") & {"220", "85"})
    ['220']
    """
    return frozenset(document_terms(_REFERRED.sub(" ", normalize(without_rows(text))), None))


@lru_cache(maxsize=4096)
def names_of(text: str) -> frozenset[str]:
    """What a title, heading, file name or id may be called: its words, and the initials of capitalised words that stand together.

    >>> sorted(names_of("The Bharatiya Nyaya Sanhita, 2023") & {"bns", "sanhita", "2023"})
    ['2023', 'bns', 'sanhita']
    """
    text = normalize(without_rows(text))
    names = {word.casefold() for word in regex.findall(r"[\p{L}\p{M}]+|\d+", text)}
    names |= set(document_terms(text, None))
    initials = ""
    for word in [*regex.findall(r"\p{L}[\p{L}\p{M}'’]*|[^\p{L}\s]", text), "."]:
        if word[0].isupper() and word.casefold() not in _SMALL:
            initials += word[0]
        elif word.casefold() not in _SMALL:
            if len(initials) > 1:
                names |= {initials[start:end].casefold() for start in range(len(initials)) for end in range(start + 2, len(initials) + 1)}
            initials = ""
    return frozenset(names)


def called(qualifier: str, names: Iterable[str]) -> bool:
    """Whether a document with these names is what a qualifier means: all its words are among them, or its initials, or it is theirs.

    >>> called("Indian Penal Code", {"ipc"}), called("IPC", names_of("Indian Penal Code, 1860")), called("IPC", {"bns"})
    (True, True, False)
    """
    words = [word.casefold() for word in regex.findall(r"[\p{L}\p{M}]+|\d+", qualifier) if word.casefold() not in _SMALL]
    if not words:
        return False
    known = set(names)
    letters = [word for word in words if not word.isdigit()]
    initials = "".join(word[0] for word in letters)
    plain = qualifier.replace(".", "").casefold()
    return set(words) <= known or plain in known or (len(letters) > 1 and initials in known)
