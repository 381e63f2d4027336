import json
import time

import pytest
from haystack import Pipeline
from haystack.dataclasses import ByteStream

from components.chunk import source_id
from components.converters.outcome import UnreadableError
from components.converters.record_converter import RecordConverter, read
from components.converters.record_fields import iso_date
from components.converters.record_reading import find_delimiter

META = {
    "tenant": "t",
    "alias": "kb",
    "path": "a/rates.csv",
    "uri": "kb/rates.csv",
    "file_name": "rates.csv",
    "container_id": "c",
    "source_id": "c",
    "access": ["hr"],
}


def run(data: str | bytes, mime: str = "text/csv", field_map=None):
    source = ByteStream(data.encode() if isinstance(data, str) else data, mime_type=mime, meta=dict(META))
    out = RecordConverter(field_map).run([source])
    return out["documents"], out["failed"]


def jsonl(*records) -> str:
    return "\n".join(json.dumps(record) for record in records)


def test_identity_title_and_text():
    text = "A long sentence that explains what sick leave is and who is entitled to take it, with all the details."
    (document, _), failed = run(f'id,title,text,grade\nL-1,Sick leave,"{text}",A\nL-2,Annual leave,"{text}",B\n')
    assert not failed
    assert document.content == f"{text}\n\ntitle: Sick leave\nid: L-1\ngrade: A"
    assert document.meta["title"] == "Sick leave"
    assert document.meta["record_id"] == "L-1"
    assert document.meta["source_id"] == source_id("t", "kb", "a/rates.csv#L-1")
    assert document.meta["container_id"] == "c"
    assert document.meta["uri"] == "kb/rates.csv#L-1"
    assert document.meta["access"] == ["hr"]


def test_the_number_of_a_section_stands_beside_its_title():
    documents, _ = run(jsonl({"id": "X_7", "section": "7", "title": "Leave", "text": "Twenty days."}), "application/jsonl")
    assert documents[0].meta["title"] == "Leave (section 7)"
    assert documents[0].meta["record_id"] == "X_7"
    assert "section: 7" in documents[0].content


@pytest.mark.parametrize(
    "data", ["\ufeffname;days\nSick;1,5\nAnnual;2\n", "name\tdays\nSick\t1,5\nAnnual\t2\n", 'name|days\r\n"Sick"|1,5\r\nAnnual|2\r\n']
)
def test_delimiters_marks_and_line_ends(data):
    documents, failed = run(data)
    assert not failed
    assert documents[0].content == "name: Sick\ndays: 1,5"


def test_quoted_line_breaks_and_long_fields():
    documents, _ = run('name,text\nSick,"line one\nline two"\nAnnual,"' + "x" * 200_000 + '"\n')
    assert documents[0].content.startswith("line one\nline two")
    assert len(documents[1].content) > 200_000


@pytest.mark.parametrize(
    ("data", "cells", "line"),
    [
        ('id,name,city\n1,Anna,Rome\n2,"Otto,Berlin\n3,Zoë,Paris,EXTRA\n4,Kim\n', ["Rome", 'name: "Otto', "column 4: EXTRA", "Kim"], 3),
        ('id,name,city\n1,"Anna,Rome\n2,Otto,Berlin\n', ['name: "Anna', "Otto"], 2),
        ('id,name,city\n1,"Anna,Rome\n2,"Otto","Berlin, Mitte"\n', ['name: "Anna', "city: Berlin, Mitte"], 2),
        ('id,name,city\n1,"Anna,Rome\n2,"Otto\nB.",Berlin\n', ['name: "Anna', "Otto\nB."], 2),
        ('id,name,city\n1,Anna,Rome\n2,"Rome, IT","Otto', ["Anna", 'city: "Otto'], 3),
    ],
)
def test_an_unclosed_quotation_mark_swallows_no_rows(data, cells, line):
    documents, failed = run(data)
    assert not failed
    assert len(documents) == len(cells)
    for document, cell in zip(documents, cells, strict=True):
        assert cell in document.content
    assert documents[0].meta["notices"] == [f"a quotation mark that is never closed (line {line}) was taken as a character"]


def test_cells_of_several_lines_stay_whole():
    data = 'id,name,text\n1,Anna,"Likes tea\nbread, jam, butter\n2,x,y"\n2,Otto,"a ""b""\n\n"\n3,"Kim",c\n'
    documents, failed = run(data)
    assert not failed and len(documents) == 3
    assert "bread, jam, butter\n2,x,y" in documents[0].content
    assert "notices" not in documents[0].meta


def test_many_unclosed_quotation_marks_are_one_notice_and_take_linear_time():
    documents, _ = run("id,name,text\n" + 'x","y,z\n' * 8_000)
    assert len(documents) == 8_000
    (notice,) = documents[0].meta["notices"]
    assert notice.startswith("quotation marks that are never closed (lines 2, 3, 4, 5, 6 and ")


def test_a_mixed_encoding_and_nul_characters_are_told_once():
    documents, _ = run("id,name\n1,Grüße\n2,Zo\0ë\n".encode() + "3,Köln\n".encode("latin-1"))
    assert [d.meta["title"].split(" (")[0] for d in documents] == ["Grüße", "Zoë", "Köln"]
    assert [len(d.meta.get("notices", [])) for d in documents] == [2, 0, 0]


def test_without_an_id_rows_are_counted():
    documents, _ = run("grade,days\nA,1\nA,2\n")
    assert [d.meta["record_id"] for d in documents] == ["row-1", "row-2"]
    assert documents[0].meta["title"] == "Rates row-1"


def test_repeated_keys_get_a_suffix():
    documents, _ = run("code,days\nA,1\nA,2\nA#2,3\n", field_map={"record_id": "code"})
    keys = [d.meta["record_id"] for d in documents]
    assert keys[:2] == ["A", "A#2"]
    assert len(set(keys)) == len({d.meta["source_id"] for d in documents}) == 3


def test_every_field_is_there_once():
    record = {
        "id": "K-77",
        "name": "Trowel",
        "price": 12.50,
        "tags": ["garden", "steel"],
        "size": {"w": 3, "h": None},
        "ok": True,
        "nan": float("nan"),
    }
    (document,), _ = run(json.dumps([record]), "application/json")
    for line in ("id: K-77", "name: Trowel", "price: 12.5", "tags: garden, steel", "size.w: 3", "ok: true", "n: NaN"):
        assert document.content.count(line) == 1
    assert "size.h" not in document.content


@pytest.mark.parametrize(
    ("data", "count"),
    [('{"rows": [{"a": 1}, {"a": 2}], "total": 2}', 2), ('{"a": 1}', 1), ('[{"a": 1}, {"a": 2}, {"a": 3}]', 3)],
)
def test_json_shapes(data, count):
    assert len(run(data, "application/json")[0]) == count


def test_field_map():
    field_map = {
        "title": "what", "content": ["note"], "record_id": "nr", "valid_from": "since", "valid_to": "until", "superseded_by": "next",
        "access": "who", "department": "dept", "url": "link",
    }  # fmt: skip
    data = "nr,what,note,since,until,next,who,dept,link\n7,Leave,Twenty days.,1 July 2024,31/12/2025,rule 9,hr; legal,HR,http://x\n8,Pay,Monthly.,2024-01-02,,,,,\n"
    (one, two), failed = run(data, field_map=field_map)
    assert not failed
    assert one.content.startswith("Twenty days.\n\nwhat: Leave\nnr: 7\n")
    assert {k: one.meta[k] for k in ("title", "record_id", "valid_from", "valid_to", "superseded_by", "access", "department", "url")} == {
        "title": "Leave", "record_id": "7", "valid_from": "2024-07-01", "valid_to": "2025-12-31", "superseded_by": "rule 9",
        "access": ["hr", "legal"], "department": "HR", "url": "http://x",
    }  # fmt: skip
    assert two.meta["access"] == ["hr"]
    assert "valid_to" not in two.meta


def test_an_unknown_column_names_those_there_are():
    documents, failed = run("a,b\n1,2\n", field_map={"title": "c"})
    assert not documents
    assert "'c'" in failed[0]["reason"] and "a, b" in failed[0]["reason"]


@pytest.mark.parametrize("field_map", [{"tenant": "a"}, {"source_id": "a"}, {"title": 3}, {"title": ""}, {"content": []}])
def test_a_wrong_map_is_refused_at_construction(field_map):
    with pytest.raises(ValueError, match="field_map"):
        RecordConverter(field_map)


def test_a_bad_date_fails_its_record_only():
    documents, failed = run("id,text,valid_from\n1,one,2024-01-01\n2,two,soon\n")
    assert [d.meta["record_id"] for d in documents] == ["1"]
    assert failed[0]["source"] == "kb/rates.csv#2"
    assert "soon" in failed[0]["reason"]


def test_a_bad_line_fails_alone():
    documents, failed = run('{"id": 1, "text": "one"}\n{broken\n{"id": 2, "text": "two"}\n', "application/jsonl")
    assert [d.meta["record_id"] for d in documents] == ["1", "2"]
    assert "line 2" in failed[0]["reason"]


def test_each_line_that_is_no_object_is_named():
    documents, failed = run('{"a": "good"}\n{broken\n42\n[1,2]\n', "application/jsonl")
    assert [d.content for d in documents] == ["a: good"]
    assert [f["source"] for f in failed] == ["kb/rates.csv#row-2", "kb/rates.csv#row-3", "kb/rates.csv#row-4"]
    assert failed[0]["reason"].startswith("line 2: not valid JSON: ")
    assert [f["reason"] for f in failed[1:]] == ["line 3: a number, accepted: an object", "line 4: a list, accepted: an object"]


@pytest.mark.parametrize(
    ("value", "first", "expected"),
    [
        ("2024-07-01", None, "2024-07-01"),
        ("2024-07-01T10:00:00Z", None, "2024-07-01T10:00:00+00:00"),
        ("2024-07-01 10:00", None, "2024-07-01T10:00:00+00:00"),
        ("July 1, 2024", None, "2024-07-01"),
        ("31.12.2024", None, "2024-12-31"),
        ("12/31/2024", None, "2024-12-31"),
        ("2024/7/1", None, "2024-07-01"),
        ("03/04/2024", True, "2024-04-03"),
        ("03/04/2024", False, "2024-03-04"),
        ("1719792000", None, "2024-07-01T00:00:00+00:00"),
    ],
)
def test_dates(value, first, expected):
    assert iso_date(value, day_is_first=first) == expected


@pytest.mark.parametrize("value", ["03/04/2024", "2024", "July 2024", "31.02.2024", "soon", "12"])
def test_dates_that_are_none_or_two(value):
    with pytest.raises(UnreadableError):
        iso_date(value)


def test_delimiter_of_a_single_column():
    assert find_delimiter("a\nb\nc\n") not in ",;\t|"


def test_many_records_take_linear_time():
    def seconds(count: int) -> float:
        data = jsonl(*({"id": i // 2, "title": f"t {i}", "text": "word " * 20} for i in range(count)))
        source = ByteStream(data.encode() if isinstance(data, str) else data, mime_type="application/jsonl", meta={"path": "rates.jsonl"})
        start = time.process_time()
        documents, failed = read(source, columns={"record_id": ["id"]})
        assert len(documents) == count and not failed
        return time.process_time() - start

    seconds(500)
    assert seconds(16_000) < 4 * 8 * max(seconds(2_000), 0.02)


def test_one_key_for_all_takes_linear_time():
    documents, _ = run("k,v\n" + "same,1\n" * 20_000, field_map={"record_id": "k"})
    assert len({d.meta["record_id"] for d in documents}) == 20_000


def test_empty_files_fail():
    for data, mime in (("", "text/csv"), ("a,b\n", "text/csv"), ("[]", "application/json"), ("[{}]", "application/json")):
        documents, failed = run(data, mime)
        assert not documents
        assert "no text" in failed[-1]["reason"]


def test_yaml_round_trip(monkeypatch):
    monkeypatch.setenv("HAYSTACK_DESERIALIZATION_ALLOWLIST", "components.*")
    pipeline = Pipeline()
    pipeline.add_component("converter", RecordConverter({"title": "a", "content": ["b"]}))
    assert Pipeline.loads(pipeline.dumps()).get_component("converter").field_map == {"title": "a", "content": ["b"]}
