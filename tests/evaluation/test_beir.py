import gzip
import json
from pathlib import Path

import pytest

from evaluation.beir import read_beir
from evaluation.data import DataError


def write(folder: Path, corpus=None, queries=None, qrels="q1\td1\t1\n", split="test") -> Path:
    (folder / "qrels").mkdir(parents=True, exist_ok=True)
    corpus = [{"_id": "d1", "title": "T", "text": "one"}, {"_id": "d2", "text": "two"}] if corpus is None else corpus
    queries = [{"_id": "q1", "text": "first"}, {"_id": "q2", "text": "second"}] if queries is None else queries
    (folder / "corpus.jsonl").write_text("\n".join(row if isinstance(row, str) else json.dumps(row) for row in corpus))
    (folder / "queries.jsonl").write_text("\n".join(json.dumps(row) for row in queries))
    (folder / "qrels" / f"{split}.tsv").write_text("query-id\tcorpus-id\tscore\n" + qrels)
    return folder


def test_a_folder_is_read(tmp_path):
    data = read_beir(write(tmp_path, qrels="q1\td1\t2\nq1\td2\t0\n"))
    assert data.corpus["d1"].title == "T"
    assert data.corpus["d2"].title == ""
    assert data.queries == {"q1": "first"}
    assert data.qrels == {"q1": {"d1": 2, "d2": 0}}
    assert data.split == "test"
    assert data.notes == ["1 of 2 queries have no relevant document in test.tsv and are left out"]


def test_gzip_numeric_ids_and_trec_columns(tmp_path):
    folder = write(tmp_path, corpus=[{"_id": 7, "text": "seven"}], qrels="q1\t7\t1\n")
    plain = read_beir(folder)
    packed = gzip.compress((folder / "corpus.jsonl").read_bytes())
    (folder / "corpus.jsonl").unlink()
    (folder / "corpus.jsonl.gz").write_bytes(packed)
    (folder / "qrels" / "test.tsv").write_text("q1 0 7 1\n")
    assert read_beir(folder).qrels == plain.qrels == {"q1": {"7": 1}}


def test_the_digest_is_of_the_documents_not_of_their_order(tmp_path):
    rows = [{"_id": "d1", "text": "one"}, {"_id": "d2", "text": "two"}]
    one, turned = read_beir(write(tmp_path / "a", rows)), read_beir(write(tmp_path / "b", rows[::-1]))
    other = read_beir(write(tmp_path / "c", [rows[0], {"_id": "d2", "text": "two."}]))
    assert one.digest == turned.digest != other.digest


def test_splits(tmp_path):
    write(tmp_path, split="train")
    assert read_beir(tmp_path).split == "train"
    write(tmp_path, split="dev")
    with pytest.raises(DataError, match=r"several splits and none chosen; accepted: dev, train"):
        read_beir(tmp_path)
    with pytest.raises(DataError, match=r"no split 'test'; accepted: dev, train"):
        read_beir(tmp_path, "test")
    assert read_beir(tmp_path, "dev").split == "dev"


def test_a_limit_keeps_the_corpus_and_says_so(tmp_path):
    data = read_beir(write(tmp_path, qrels="q1\td1\t1\nq2\td2\t1\n"))
    assert data.limited(None) is data
    short = data.limited(1)
    assert (list(short.queries), list(short.qrels), len(short.corpus)) == (["q1"], ["q1"], 2)
    assert "the first 1 of 2 queries" in short.notes


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"qrels": "q1\td1\n"}, r"test.tsv:2: 2 columns; accepted: query-id, corpus-id and score"),
        ({"qrels": "q1\td1\t1\n\nq1\td2\tyes\n"}, r"test.tsv:4: score 'yes'"),
        ({"qrels": "q1\td1\t0.5\n"}, r"test.tsv:2: score '0.5'"),
        ({"qrels": "q1\td1\tinf\n"}, r"test.tsv:2: score 'inf'"),
        ({"qrels": "q1\td9\t1\nq1\td8\t1\n"}, r"test.tsv:2: document 'd9' is not in corpus.jsonl, nor those of 1 more lines"),
        ({"qrels": "q9\td1\t1\n"}, r"test.tsv:2: query 'q9' is not in queries.jsonl"),
        ({"qrels": "q1\td1\t1\nq1\td1\t2\n"}, r"test.tsv:3: 'd1' was judged 1 for 'q1' before"),
        ({"qrels": "q1\td1\t0\n"}, r"no query has a relevant document"),
        ({"corpus": [{"_id": "d1", "text": "one"}, "{"]}, r"corpus.jsonl:2: not JSON"),
        ({"corpus": [{"_id": "d1"}]}, r"corpus.jsonl:1: field 'text': None"),
        ({"corpus": [{"text": "one"}]}, r"corpus.jsonl:1: field '_id': None"),
        ({"corpus": [{"_id": "d1", "text": "a"}, {"_id": "d1", "text": "b"}]}, r"corpus.jsonl:2: id 'd1' was used on line 1"),
        ({"queries": [{"_id": "q1", "text": " "}]}, r"queries.jsonl:1: field 'text'"),
    ],
)
def test_a_fault_is_named_with_file_and_line(tmp_path, change, words):
    with pytest.raises(DataError, match=words):
        read_beir(write(tmp_path, **change))


def test_what_is_missing_is_named(tmp_path):
    with pytest.raises(DataError, match="no such folder"):
        read_beir(tmp_path / "none")
    with pytest.raises(DataError, match=r"corpus.jsonl: no such file, nor corpus.jsonl.gz"):
        read_beir(tmp_path)
    folder = write(tmp_path)
    (folder / "corpus.jsonl").rename(folder / "corpus.jsonl.gz")
    with pytest.raises(DataError, match="not readable as gzip"):
        read_beir(folder)
    (folder / "corpus.jsonl.gz").rename(folder / "corpus.jsonl")
    (folder / "qrels" / "test.tsv").unlink()
    with pytest.raises(DataError, match=r"qrels: no \*.tsv"):
        read_beir(folder)
