from components.document_stores.entity_rows import Mention, Relation
from components.retrievers.communities import central_sentence, communities
from components.retrievers.entity_walk import bridged, candidate_keys, longest_only, rank_weights, walk

TOLD = [
    ("permits", Mention("permit", "Permits", "title")),
    ("permits", Mention("lake offic", "Lake Office")),
    ("lake", Mention("lake offic", "Lake Office", "title")),
    ("lake", Mention("mira sand", "Mira Sand")),
    ("sand", Mention("mira sand", "Mira Sand", "title")),
    ("pool", Mention("pool", "Pool", "title")),
]


def test_the_walk_reaches_what_is_related_and_nothing_else():
    found = walk(TOLD, [], {}, {"permits": 1.0})
    assert set(found) == {"permits", "lake", "sand"}
    assert found["lake"] > found["sand"] > 0


def test_where_a_walk_starts_is_no_merit_of_its_own():
    alone = walk([("x", Mention("x", "X")), *TOLD], [], {}, {"x": 1.0, "permits": 1.0})
    assert alone["lake"] > alone["sand"]
    assert walk([("x", Mention("x", "X"))], [], {}, {"x": 1.0})["x"] < 0.5


def test_a_name_of_the_question_leads_to_what_is_about_it():
    assert next(iter(walk(TOLD, [], {"lake offic": 1.0}, {}))) == "lake"
    assert walk(TOLD, [], {"unknown": 1.0}, {}) == {}
    assert walk([], [], {}, {}) == {}


def test_a_relation_joins_what_no_chunk_holds_together():
    near = walk(TOLD, [Relation("pool", "permit", "belongs to", 2.0)], {}, {"permits": 1.0})
    assert "pool" in near
    assert "pool" not in walk(TOLD, [], {}, {"permits": 1.0})


def test_the_same_rows_in_another_order_give_the_same_ranks():
    assert list(walk(TOLD[::-1], [], {}, {"permits": 1.0})) == list(walk(TOLD, [], {}, {"permits": 1.0}))


def test_keys_of_a_question():
    keys = candidate_keys("Who heads the Lake Office of section 12A?")
    assert {"lake offic"} <= set(keys)
    assert any("12a" in key for key in keys)
    assert "head" not in keys
    assert candidate_keys("") == []
    assert longest_only(["lake offic", "lake"]) == ["lake offic"]
    assert rank_weights(["a", "b"]) == {"a": 1.0, "b": 0.5}


def test_communities_are_what_stands_together_and_stable():
    mentions = [(f"a{i}", Mention(f"a{j}", f"A{j}")) for i in range(4) for j in range(4)] + [
        (f"b{i}", Mention(f"b{j}", f"B{j}")) for i in range(3) for j in range(4)
    ]
    relations = [Relation(f"{g}{i}", f"{g}{j}") for g in "ab" for i in range(4) for j in range(i)]
    found = communities(mentions, relations, 5)
    assert [set(c.entities) for c in found] == [{"a0", "a1", "a2", "a3"}, {"b0", "b1", "b2", "b3"}]
    assert {chunk[0] for chunk in found[0].chunks} == {"a"}
    assert communities(mentions[::-1], relations[::-1], 5) == found
    assert len(communities(mentions, relations, 1)) == 1
    assert communities([], [], 3) == []


def test_the_central_sentence():
    texts = [["The lake office tests the water of the lake."], ["The water of the lake is tested each month.", "Towels are blue, soft and large."]]
    assert central_sentence(texts) in ((0, 0), (1, 0))
    assert central_sentence([["Short.", ""], []]) is None
    assert central_sentence([]) is None


def test_only_what_is_about_a_name_of_the_first_passages_is_a_bridge():
    scores = {"sand": 0.4, "lake": 0.3, "pool": 0.2, "permits": 0.1}
    assert bridged(scores, TOLD, [], ["permits"]) == ["lake"]
    assert bridged(scores, TOLD, ["pool"], ["permits"]) == ["lake", "pool"]
    assert bridged(scores, TOLD, [], ["pool"]) == []
    assert bridged(scores, TOLD, [], []) == list(scores)


def test_a_table_is_quoted_only_where_there_is_nothing_else():
    table = "Office | Head | Lake water tested\nLake Office | Mira Sand | each month"
    assert central_sentence([[table, "The lake office tests the water."]]) == (0, 1)
    assert central_sentence([[table]]) == (0, 0)
