import json

import pytest

from evaluation.bench_fusion import FUSIONS, GRID, left_out, main


@pytest.fixture
def collection(tmp_path):
    texts = {"theft": "Theft is punished with three years.", "leave": "Twenty days of leave are granted.", "chori": "चोरी की सज़ा तीन वर्ष है।"}
    questions = {"q1": ("What is the punishment for theft?", "theft"), "q2": ("चोरी की सज़ा क्या है?", "chori")}
    folder = tmp_path / "small"
    (folder / "qrels").mkdir(parents=True)
    lines = [json.dumps({"_id": name, "title": "", "text": text}, ensure_ascii=False) for name, text in texts.items()]
    (folder / "corpus.jsonl").write_text("\n".join(lines))
    (folder / "queries.jsonl").write_text("\n".join(json.dumps({"_id": q, "text": text}, ensure_ascii=False) for q, (text, _) in questions.items()))
    (folder / "qrels" / "test.tsv").write_text("query-id\tcorpus-id\tscore\n" + "\n".join(f"{q}\t{d}\t1" for q, (_, d) in questions.items()))
    return folder


def test_every_fusion_is_measured_and_the_legs_are_kept(collection, tmp_path, capsys):
    for _ in range(2):  # the second time from the folder
        assert main([str(collection), "--json", "--cache", str(tmp_path / "kept")]) == 0
        result = json.loads(capsys.readouterr().out)["nDCG@10"]["small"]
        assert set(result) == set(FUSIONS)
        assert result["adaptive"] == result["BM25"] == 1
        assert result["dense"] == 0.5  # the Hindi question has no vector
    assert len(list((tmp_path / "kept").iterdir())) == 1


def test_a_folder_that_is_none_is_named(tmp_path, capsys):
    assert main([str(tmp_path / "absent")]) == 2
    assert "no such folder" in capsys.readouterr().err.replace("\n", "")


def test_weights_are_chosen_on_the_other_sets():
    safe, bold = (0.6, 0.5, 2.0), (0.8, 1.0, 0.0)
    gains = {"a": {safe: 0.01, bold: 0.05}, "b": {safe: 0.01, bold: -0.01}, "c": {safe: 0.01, bold: -0.01}}
    assert left_out(gains) == {"a": (safe, 0.01), "b": (safe, 0.01), "c": (safe, 0.01)}
    assert len(GRID) == len(safe)
