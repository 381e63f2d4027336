"""Old and new numbers of two Acts whose numbers collide, over the Acts and their table of correspondence."""

import math
from collections import Counter
from dataclasses import replace
from pathlib import Path

import pytest
from haystack.dataclasses import ByteStream

from components.chunk import embedded_text
from components.converters.record_converter import RecordConverter
from components.embedders.bm25 import document_weight
from components.embedders.bm25_tokenizer import document_terms, query_terms
from components.rankers.identifier_ranker import IdentifierRanker

STATUTES = (Path(__file__).parents[3] / "../shared/data/statutes").resolve()
FILES = {"bns_sections.jsonl": "application/jsonl", "ipc_sections.jsonl": "application/jsonl", "ipc_bns_map.csv": "text/csv"}
PAIRS = [  # IPC, BNS: most numbers of one list are numbers of the other Act, with another subject
    ("302", "103"), ("303", "104"), ("420", "318"), ("376", "64"), ("378", "303"), ("406", "316"), ("307", "109"),
    ("300", "101"), ("304A", "106"), ("498A", "85"), ("120B", "61"), ("354", "74"), ("103", "41"), ("318", "94"),
]  # fmt: skip

pytestmark = [pytest.mark.long, pytest.mark.skipif(not STATUTES.is_dir(), reason=f"the statutes are not at {STATUTES}")]


@pytest.fixture(scope="module")
def search():
    documents = []
    for name, mime_type in FILES.items():
        source = ByteStream((STATUTES / name).read_bytes(), mime_type=mime_type, meta={"path": name, "file_name": name, "uri": name})
        for document in RecordConverter().run([source])["documents"]:
            documents.append(replace(document, meta={**document.meta, "context_header": document.meta["title"]}))
    counts = [Counter(document_terms(embedded_text(d.content, d.meta["context_header"]))) for d in documents]
    frequency = Counter(term for count in counts for term in count)

    def run(question: str):
        terms = query_terms(question)
        idf = {t: math.log(1 + (len(documents) - frequency[t] + 0.5) / (frequency[t] + 0.5)) for t in terms}
        scores = [sum(w * idf[t] * document_weight(c[t], c.total(), 1.2, 0.75, 100) for t, w in terms.items() if c[t]) for c in counts]
        best = sorted(range(len(documents)), key=lambda i: (-scores[i], i))[:50]
        found = [replace(documents[i], score=scores[i]) for i in best]
        return IdentifierRanker().run(question, found)["documents"][0]

    return run


@pytest.mark.parametrize(("ipc", "bns"), PAIRS)
def test_the_right_section_is_first(search, ipc, bns):
    for question in (f"What is section {bns} of the BNS about?", f"section {bns} bns", f"Explain section {bns} of the Bharatiya Nyaya Sanhita"):
        assert search(question).meta["record_id"] == f"BNS_{bns}", question
    for question in (f"What does IPC {ipc} say?", f"What is the punishment under section {ipc} of the Indian Penal Code?"):
        assert search(question).meta["record_id"] == f"IPC_{ipc}", question
    for question in (f"Which BNS section replaced IPC {ipc}?", f"What is the BNS equivalent of section {ipc} of the IPC?"):
        found = search(question)
        assert f"ipc_ref: {ipc}\n" in found.content or found.meta["record_id"] == f"BNS_{bns}", question
    for question in (f"Which section of the IPC became section {bns} of the BNS?", f"What was section {bns} BNS in the IPC?"):
        found = search(question)
        assert f"bns_section: {bns}\n" in found.content or found.meta["record_id"] == f"IPC_{ipc}", question
