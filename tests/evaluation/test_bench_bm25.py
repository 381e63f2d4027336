import json

import pytest

from evaluation.beir import BeirDocument, BeirSet
from evaluation.bench_bm25 import FIXED, MEAN, OWN, TERMS, main, measure

TEXTS = {
    "a": ("Theft", "Whoever commits theft shall be punished with imprisonment of three years."),
    "b": ("Theft in a house", "Theft in a dwelling house is punished with imprisonment of seven years, and with fine."),
    "c": ("House", "A dwelling house is a building, tent or vessel used as a human dwelling."),
    "d": ("", "fine fine fine fine"),
    "e": ("", ""),
}
QUERIES = {"q1": "theft theft in a house", "q2": "a fine", "q3": "punished for seven years"}


def test_equal_settings_give_equal_rankings():
    corpus = {name: BeirDocument(name, *parts) for name, parts in TEXTS.items()}
    report = measure(BeirSet("toy", "test", corpus, QUERIES, {"q1": {"b": 1}, "q2": {"d": 1}, "q3": {"b": 1}}))
    assert set(report["nDCG@10"]) == {OWN, TERMS, MEAN, FIXED}
    assert report["difference"][TERMS] == {"value": 0, "low": 0, "high": 0, "p": 1}
    assert report["nDCG@10"][MEAN]["value"] > 0.5


def test_the_command(tmp_path, capsys):
    (tmp_path / "qrels").mkdir()
    (tmp_path / "corpus.jsonl").write_text("\n".join(json.dumps({"_id": n, "title": t, "text": x}) for n, (t, x) in TEXTS.items()))
    (tmp_path / "queries.jsonl").write_text("\n".join(json.dumps({"_id": n, "text": x}) for n, x in QUERIES.items()))
    (tmp_path / "qrels" / "test.tsv").write_text("query-id\tcorpus-id\tscore\nq1\tb\t1\n")
    assert main([str(tmp_path), "--json"]) == 0
    (report,) = json.loads(capsys.readouterr().out)["reports"]
    assert report["queries"] == 1
    assert main([str(tmp_path)]) == 0
    assert "difference" in capsys.readouterr().out
    assert main([str(tmp_path / "none")]) == 2


@pytest.mark.parametrize("wrong", [["--k1", "-1"], ["--language", "xx"]])
def test_wrong_settings_are_named(tmp_path, wrong, capsys):
    (tmp_path / "qrels").mkdir()
    (tmp_path / "corpus.jsonl").write_text('{"_id": "a", "text": "one"}')
    (tmp_path / "queries.jsonl").write_text('{"_id": "q", "text": "one"}')
    (tmp_path / "qrels" / "test.tsv").write_text("q\ta\t1\n")
    assert main([str(tmp_path), *wrong]) == 2
    assert "ccepted" in capsys.readouterr().err
