"""Reads a misspelt word of a question as the word that the documents have."""

from __future__ import annotations

from typing import Any

from haystack import Document, component

from components.embedders.bm25 import sparse_embedding
from components.embedders.bm25_terms import check_language
from components.generators.extraction.language import packaged_language
from components.query.spelling import LEAST, SHORTEST, forms_in, function_word, meant, near, suspects, terms_of

LOOKED_AT = 50
"""Passages that a word is looked for in."""
MOST_WORDS = 3
"""Words corrected in one question, at most: a question with more is of another language, or no prose."""


@component
class SpellingCorrector:
    """Reads "waranty" as "warranty" where the documents have the one and not the other.

    A word is corrected where it is of no ordinary English (the vocabulary of the packaged model), the documents do not have it, and one word of
    theirs, or forms of one, is a single edit away: two neighbours exchanged ("yaer"), or in a word of five letters or more that begins alike
    one letter more, less or other. Function words ("teh", "whcih") are read so too, of three letters or more, though no index has them.
    Identifiers, numbers, words with capitals, compounds and quoted phrases stay as they are; so does a word that could be two.

    The index has no list of words, and needs none: the terms of all strings one edit away are one BM25 query, and the word is taken from the
    passages that come back. They are read with the rights of whoever asks, so a correction tells nothing of documents that this reader may not
    read. What was read stands in `read_as` of the answer. Haystack has no spelling correction.
    """

    def __init__(self, document_store: Any, language: str | None = "en", max_edits: int = 1) -> None:
        """Create the node.

        :param document_store: where words are looked up.
        :param language: of the index's terms, as in the sparse embedder.
        :param max_edits: 1, or 0 to leave every question as it is.
        :raises ValueError: another number, or an unknown language.
        """
        check_language(language)
        if isinstance(max_edits, bool) or max_edits not in {0, 1}:
            raise ValueError(f"SpellingCorrector.max_edits={max_edits!r}: accepted are 1, and 0 for none")
        self.document_store = document_store
        self.language = language
        self.max_edits = max_edits

    def warm_up(self) -> None:
        """Load the vocabulary."""
        if self.max_edits:
            packaged_language()

    @component.output_types(question=str, note=str, skipped=str)
    def run(self, question: str) -> dict[str, Any]:
        """Correct.

        :returns: `question`, as asked or corrected; `note`: which words were read as which; `skipped`: switched off.
        """
        if not self.max_edits:
            return {"question": question, "note": "", "skipped": "max_edits: 0"}
        rarity = packaged_language().rarity
        places = suspects(question, lambda word: rarity(word) < 1.0)
        read: list[str] = []
        text = question
        long = [place for place in places if place[1] - place[0] >= SHORTEST]
        for start, end in reversed(places if len(long) <= MOST_WORDS and len(places) <= 2 * MOST_WORDS else []):
            word = question[start:end]
            found = self._meant(word) if word.islower() else self._function_word(word.lower()).capitalize()
            if found:
                text = text[:start] + found + text[end:]
                read.insert(0, f"“{word}” read as “{found}”")
        return {"question": text, "note": ", ".join(read), "skipped": ""}

    def _function_word(self, word: str) -> str:
        """The function word that is meant; empty where the documents have the word itself."""
        found = function_word(word) if self.language == "en" else ""
        return found if found and word not in self._forms(word) else ""

    def _forms(self, word: str) -> set[str]:
        return {form for text in self._texts(terms_of([word], self.language)) for form in forms_in(text)}

    def _meant(self, word: str) -> str:
        """What a word is a misspelling of; empty where it is none, or may be two."""
        function = self._function_word(word)
        if len(word) <= LEAST:
            return function
        texts = self._texts(terms_of([word], self.language))  # "periode" has the stem of "period", so it finds passages
        texts = texts or self._texts(terms_of(near(word), self.language))
        found = meant(word, texts, self.language)
        return "" if function and found and found != function else found or function

    def _texts(self, terms: list[str]) -> list[str]:
        """The texts, with titles and headings, of the passages that hold any of some terms and that the asker may read."""
        if not terms:
            return []
        documents: list[Document] = self.document_store._query_by_sparse(sparse_embedding(dict.fromkeys(terms, 1.0)), top_k=LOOKED_AT)
        return [" ".join([str(d.meta.get("title") or ""), *map(str, d.meta.get("heading_path") or []), d.content or ""]) for d in documents]
