from itertools import pairwise

from components.document_stores.entity_rows import ChunkEntities, EntityRows, Mention, Relation


def chunk(name: str, *entities: str, tenant: str = "t", text: str = "", method: str = "m") -> ChunkEntities:
    mentions = [Mention(e, e.title()) for e in entities]
    relations = [Relation(a, b) for a, b in pairwise(entities)]
    return ChunkEntities(name, tenant, "s", "c", text or f"hash of {name}", method, mentions, relations, [(f"alias {e}", e) for e in entities])


def test_what_is_put_is_found_again_by_tenant(tmp_path):
    rows = EntityRows(tmp_path / "e.sqlite")
    rows.put([chunk("1", "lake", "sand"), chunk("2", "sand"), chunk("3", "sand", tenant="other")])
    assert rows.holders("t", ["sand", "nothing"]) == [("sand", "1"), ("sand", "2")]
    assert [m.entity for _, m in rows.mentions_of(["1"])] == ["lake", "sand"]
    assert rows.relations_of(["1", "2"]) == [Relation("lake", "sand")]
    assert rows.aliases_of("t", ["alias lake"]) == [("1", "alias lake", "lake")]
    assert rows.of_chunk("1") == chunk("1", "lake", "sand")
    assert rows.of_chunk("none") is None
    assert rows.same_text("t", ["hash of 2", "hash of 3"], "m") == {"hash of 2": "2"}
    assert rows.known(["1", "9"], "m") == {"1"}
    assert rows.known(["1"], "other") == set()


def test_a_chunk_that_is_put_again_is_replaced(tmp_path):
    rows = EntityRows(tmp_path / "e.sqlite")
    rows.put([chunk("1", "lake", "sand")])
    rows.put([chunk("1", "pool")])
    assert rows.of_chunk("1") == chunk("1", "pool")
    assert rows.counts() == {"mentions": 1, "relations": 0, "aliases": 1, "chunks": 1}


def test_forgetting_leaves_no_row_and_no_byte(tmp_path):
    rows = EntityRows(tmp_path / "e.sqlite")
    rows.put([chunk(str(i), "zanzibar" if i == 7 else "lake") for i in range(1200)])
    rows.forget(["7"])
    assert rows.holders("t", ["zanzibar"]) == []
    assert rows.counts()["chunks"] == 1199
    rows.close()
    assert b"zanzibar" not in (tmp_path / "e.sqlite").read_bytes().lower()
    assert [p.name for p in tmp_path.iterdir()] == ["e.sqlite"]


def test_many_ids_are_asked_in_parts(tmp_path):
    rows = EntityRows(tmp_path / "e.sqlite")
    rows.put([chunk(str(i), "lake") for i in range(1100)])
    assert len(rows.mentions_of([str(i) for i in range(1100)])) == 1100
    assert len(rows.chunk_ids("t")) == 1100
    assert rows.chunk_ids("t", before=0) == []
    rows.clear()
    assert rows.chunk_ids("t") == []
