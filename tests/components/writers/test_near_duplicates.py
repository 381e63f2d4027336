"""Near-duplicates: edited copies are found as often as they should be, strangers never, and the order of words counts."""

import random

import pytest

from components.writers.near_duplicates import decoded, near_pairs, shingles, signature, similarities

WORDS = [f"w{n}" for n in range(4000)]


def text(seed: int, count: int = 600) -> list[str]:
    return random.Random(seed).choices(WORDS, k=count)


def edited(words: list[str], share: float, seed: int) -> list[str]:
    chosen = random.Random(seed)
    return [f"x{chosen.randrange(10**6)}" if place in places else word for places in [set(chosen.sample(range(len(words)), int(len(words) * share)))]
            for place, word in enumerate(words)]  # fmt: skip


@pytest.mark.parametrize(("share", "reported"), [(0.01, 1.0), (0.2, 0.0)])
def test_a_copy_is_reported_by_how_much_of_it_was_edited(share, reported):
    found = 0
    for seed in range(20):
        words = text(seed)
        signatures = [signature([" ".join(words)]), signature([" ".join(edited(words, share, seed))])]
        found += bool(near_pairs(signatures, [1]))
    assert found / 20 == reported


def test_the_estimate_is_near_the_similarity_of_the_sets():
    words = text(1)
    for share in (0.01, 0.05, 0.2):
        one, other = " ".join(words), " ".join(edited(words, share, 7))
        exact = len(shingles(one) & shingles(other)) / len(shingles(one) | shingles(other))
        assert abs(float(similarities(signature([one]), decoded([signature([other])]))[0]) - exact) < 0.16


def test_a_pair_is_told_once_and_strangers_and_short_texts_never():
    words = text(2)
    same = " ".join(words)
    signatures = [signature([same]), signature([" ".join(text(3))]), signature([same + " and a word"]), signature(["Twenty days."]), ""]
    assert signatures[3] == ""
    assert [(a, b) for a, b, _ in near_pairs(signatures, [0, 1, 2, 3, 4])] == [(0, 2)]
    assert near_pairs(signatures, [1]) == near_pairs([signatures[0]], [0]) == near_pairs([], []) == []


def test_scripts_without_spaces_have_shingles():
    assert len(shingles("每位员工每年有二十天假期")) == 10
    assert shingles("प्रत्येक कर्मचारी को बीस") == {"प्रत्येक कर्मचारी को", "कर्मचारी को बीस"}
