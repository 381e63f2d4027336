import numpy as np
import pytest

from components.rankers.ranking_features import FEATURES
from evaluation.training.fusion import Judged, fit, held_out, ranked
from evaluation.training.mined import Found, mine, read_mined, split
from evaluation.training.questions import CLOZE, DEFINITION, HEADING, TABLE, Passage, questions

PASSAGES = [
    Passage(
        "p1",
        "s1",
        "Annual leave means paid days of rest. Every employee gets twenty days of it. Unused days lapse in March.",
        "Leave",
        ("1. Annual leave days",),
    ),
    Passage("p2", "s1", "More on it. The manager agrees to the dates in writing within a week.", "Leave", ("1. Annual leave days",)),
    Passage("p3", "s2", "City: Pune\nAllowance: 900\nNights: 3", "Rates"),
]


def test_questions_of_each_kind_point_at_what_answers_them():
    found = {one.kind: one for one in questions(PASSAGES, 20)}
    assert found[HEADING].text == "Annual leave days" and found[HEADING].relevant == {"p1", "p2"}
    assert found[DEFINITION].text == "What does Annual leave mean?" and found[DEFINITION].relevant == {"p1"}
    assert found[TABLE].text in ("Allowance of Pune", "Nights of Pune") and found[TABLE].relevant == {"p3"}
    assert found[CLOZE].relevant <= {"p1", "p2"}


def test_the_same_seed_gives_the_same_questions_and_count_limits_them():
    assert questions(PASSAGES, 20, seed=3) == questions(PASSAGES, 20, seed=3)
    assert len(questions(PASSAGES, 2)) == 2
    with pytest.raises(ValueError, match="no question"):
        questions([Passage("p", "s", "Short.")], 5)


def search(calls: list[str]):
    def found(text: str) -> list[Found]:
        calls.append(text)
        return [Found(p.id, p.source, p.text, p.title, fused=1 / (n + 1)) for n, p in enumerate(PASSAGES)]

    return found


def test_mining_marks_what_is_relevant_and_goes_on_where_it_was_stopped(tmp_path):
    asked, calls = questions(PASSAGES, 4), []
    file = tmp_path / "q.jsonl"
    mine(asked[:2], search(calls), file)
    with file.open("a") as out:
        out.write('{"question": "cut o')
    lines = file.read_text().rpartition("{")[0]
    file.write_text(lines)
    mined = mine(asked, search(calls), file)
    assert calls == [one.text for one in asked]  # none asked twice
    assert read_mined(file) == mined
    heading = next(m for m in mined if m.kind == HEADING)
    assert heading.labels == [True, True, False] and heading.negatives() == [f"Rates\n{PASSAGES[2].text}"]


def test_a_source_is_on_one_side_only():
    mined = mine_many()
    learned, held = split(mined, 0.5, seed=0)
    assert learned and held and not {m.source for m in learned} & {m.source for m in held}
    assert split(mined, 0.0, seed=0) == (mined, [])


def mine_many():
    from evaluation.training.mined import Mined

    return [Mined(f"q{n}", "made", f"s{n // 2}", "p", ()) for n in range(20)]


def test_the_fit_finds_the_feature_that_tells_and_no_weight_is_below_0():
    rng = np.random.default_rng(0)
    told = list(FEATURES).index("terms")
    lists = []
    for _ in range(60):
        rows = rng.random((8, len(FEATURES)))
        grades = np.zeros(8)
        grades[np.argmax(rows[:, told])] = 1
        lists.append(Judged(rows, grades, tuple("abcdefgh")))
    weights = fit({"made": lists}, penalty=0.001)
    assert max(weights, key=lambda name: weights[name]) == "terms" and min(weights.values()) >= 0
    best = [j.groups[int(np.argmax(j.grades))] == ranked(j, weights)[0] for j in lists]
    assert np.mean(best) > 0.9
    with pytest.raises(ValueError, match="no question"):
        fit({"made": [Judged(np.zeros((2, len(FEATURES))), np.zeros(2), ("a", "b"))]})


def test_held_out_counts_the_order_of_the_weights():
    from evaluation.training.mined import Mined

    wrong, right = Found("a", "s", "notice", fused=1.0), Found("b", "s", "annual leave", fused=0.9, relevant=True)
    report = held_out([Mined("annual leave", "made", "s", "annual leave", (wrong, right))], {"terms": 1.0}).to_json()
    assert report["nDCG@10"]["first stage"]["value"] == pytest.approx(0.6309, abs=1e-4)
    assert report["nDCG@10"]["learned fusion"]["value"] == 1.0
