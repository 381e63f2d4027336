"""Names in a text by their form: runs of capitalised words, quoted titles, codes, abbreviations that a text explains. Pure functions.

Where spaCy is installed the indexing of entities reads names by its model; these need nothing, and serve a question and the passages of one.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache

import regex

from components.embedders.bm25_tokenizer import document_terms, normalize
from components.rankers.identifiers import references

LONGEST = 8
"""Words of a name."""
_WORD = r"(?:\p{Lu}[\p{L}\p{M}\p{N}]*(?:['’.-][\p{L}\p{N}][\p{L}\p{M}\p{N}]*)*|\p{Lu}\.)"
_GAP = r"[^\S\n]+"
"""Between the words of a name; never the end of a line, behind which another row or item begins."""
_JOIN = r"(?:(?:of|the|de|del|della|di|da|du|des|la|le|van|von|der|den|al|bin|ibn|for|on|y|e|&)[^\S\n]+){1,2}"
_RUN = regex.compile(rf"(?<![\p{{L}}\p{{N}}]){_WORD}(?:{_GAP}(?:{_JOIN})?(?:{_WORD}|\d{{1,4}}(?![\p{{L}}\p{{N}}]))){{0,{LONGEST - 1}}}")
_QUOTED = regex.compile(r"[“\"„«]([^“”\"„«»\n]{3,60})[”\"“»]")
_EXPLAINED = regex.compile(
    rf"({_WORD}(?:\s+(?:(?:of|the|for|and|on|in|&)\s+){{0,2}}{_WORD}){{1,7}})\s*\(\s*[“\"']?(\p{{Lu}}[\p{{Lu}}\p{{N}}&.-]{{1,9}})[”\"']?\s*\)"
)
_SENTENCE_START = regex.compile(r"(?:^|[.!?:;\n]\s*|[•·*–—-]\s+|[“\"(])$")
_VERB_FIRST = regex.compile(r"\p{Lu}\p{Ll}+\s+the\s+(?=\p{Lu})")
_SMALL = frozenset(
    (
        *(
            "a",
            "an",
            "the",
            "this",
            "that",
            "these",
            "those",
            "his",
            "her",
            "its",
            "their",
            "our",
            "your",
            "my",
            "it",
            "he",
            "she",
            "they",
            "we",
            "you",
        ),
        *(
            "i",
            "who",
            "whom",
            "whose",
            "which",
            "what",
            "when",
            "where",
            "why",
            "how",
            "if",
            "in",
            "on",
            "at",
            "by",
            "for",
            "from",
            "to",
            "of",
            "with",
        ),
        *("as", "and", "or", "but", "not", "no", "is", "are", "was", "were", "be", "been", "being", "do", "does", "did", "has", "have", "had", "can"),
        *("could", "may", "might", "must", "shall", "should", "will", "would", "after", "before", "during", "since", "until", "while", "although"),
        *(
            "though",
            "because",
            "however",
            "also",
            "both",
            "each",
            "every",
            "all",
            "any",
            "some",
            "most",
            "many",
            "several",
            "another",
            "other",
            "such",
        ),
        *("there", "here", "then", "thus", "so", "only", "even", "about", "between", "among", "under", "over", "into", "through", "against"),
        *("according", "based", "known", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "first", "second", "third"),
        *("new", "old", "yes", "please", "name", "list", "give", "tell", "describe", "explain", "compare", "find"),
    )
)
_TIMES = frozenset(
    (
        *("january", "february", "march", "april", "may", "june", "july", "august", "september", "october", "november", "december"),
        *("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday"),
        *("jan", "feb", "mar", "apr", "jun", "jul", "aug", "sep", "sept", "oct", "nov", "dec"),
    )
)


@lru_cache(maxsize=8192)
def name_key(name: str) -> str:
    """One key for the forms of a name: case, article, possessive, plural and punctuation aside. Empty for what holds no term.

    >>> name_key("The Lake Offices") == name_key("lake office's") == name_key("Lake Office")
    True
    """
    text = regex.sub(r"['’]s?(?=\s|$)", "", normalize(name).strip())
    text = regex.sub(r"(?<=\b\p{L})\.", "", text)  # U.S. is US
    words = text.split()
    while len(words) > 1 and words[0].casefold() in ("the", "a", "an"):
        words = words[1:]
    return " ".join(document_terms(" ".join(words), "en"))


def names_in(text: str) -> list[str]:
    """The names that a text writes with capitals or in quotation marks, and its codes, in its order, each once.

    A single word that only begins a sentence is a name only if the text capitalises it elsewhere; months and days are none.

    >>> names_in("Permits are given by the Lake Office, which Mira Sand heads. It opens in May. Since 2019 the office is in Uln.")
    ['Lake Office', 'Mira Sand', 'Uln']
    """
    found: dict[str, tuple[int, str]] = {}
    inner: set[str] = set()
    opening: list[tuple[int, str]] = []
    for match in _RUN.finditer(text):
        name, at = _trimmed(match.group(), match.start())
        if not name:
            continue
        begins = _SENTENCE_START.search(text[max(0, at - 4) : at]) is not None
        if begins and (verb := _VERB_FIRST.match(name)):  # "Ask the Lake Office"
            name, at, begins = name[verb.end() :], at + verb.end(), False
        if begins and " " not in name and not _acronym(name):
            opening.append((at, name))
            continue
        inner.add(name)
        found.setdefault(name_key(name), (at, name))
    for at, name in opening:
        if name in inner:
            found.setdefault(name_key(name), (at, name))
    for match in _QUOTED.finditer(text):
        words = match.group(1).split()
        if len(words) <= LONGEST and any(word[:1].isupper() for word in words):
            found.setdefault(name_key(match.group(1)), (match.start(), match.group(1).strip(" ,.;")))
    for reference in references(text):
        if reference.kind == "code":
            found.setdefault(name_key(reference.key), (len(text), reference.key))
    found.pop("", None)
    return [name for _, name in sorted(found.values(), key=lambda item: item[0])]


def abbreviations(text: str) -> dict[str, str]:
    """Abbreviations that the text explains, each to the name it stands for; only where its letters begin the name's words in order.

    >>> abbreviations("The Central Bureau of Investigation (CBI) and the Lake Office (XYZ).")
    {'CBI': 'Central Bureau of Investigation'}
    """
    found = {}
    for name, short in _EXPLAINED.findall(text):
        letters = regex.sub(r"[^\p{L}]", "", short).casefold()
        words = [word for word in name.split() if word.casefold() not in ("the",)]
        for start in range(len(words)):  # "Under the Central Bureau ..." may begin too early
            if _spells(letters, words[start:]):
                found[short] = " ".join(words[start:])
                break
    return found


def _spells(letters: str, words: list[str]) -> bool:
    capitals = "".join(word[0] for word in words if word[0].isupper()).casefold()
    return len(letters) > 1 and letters in (capitals, "".join(word[0] for word in words).casefold())


def about(name: str, titles: Iterable[str]) -> bool:
    """Whether a passage with these titles and headings is about what is named: one of them is called so, a bracket behind it aside.

    >>> about("Lake Office", ["The Lake Office (Uln)"]), about("Lake", ["Lake Office"])
    (True, False)
    """
    key = name_key(name)
    return bool(key) and any(key in (name_key(title), name_key(bare(title))) for title in titles)


def bare(title: str) -> str:
    """A title without the bracket behind it, which tells things of one name apart: Lilu (mythology)."""
    return regex.sub(r"\s*\([^()]*\)\s*$", "", title)


def _trimmed(run: str, at: int) -> tuple[str, int]:
    """A run without the small words that begin it, and possessives and dots that end it; empty for a number, a month or a lone letter."""
    words = [(m.group(), at + m.start()) for m in regex.finditer(r"\S+", run)]
    while words and words[0][0].strip(".").casefold() in _SMALL:
        words = words[1:]
    if not words or all(word.strip(".").casefold() in _TIMES or word.isdigit() for word, _ in words):
        return "", at
    name = regex.sub(r"['’]s?$", "", " ".join(word for word, _ in words))
    if len(words) == 1 and not _acronym(name):
        name = name.rstrip(".")
    if len(name.strip(".")) < 2:
        return "", at
    return name, words[0][1]


def _acronym(name: str) -> bool:
    return len(name) > 1 and name.upper() == name and any(c.isalpha() for c in name)
