import pytest

from evaluation.data import DataError, read_jsonl, read_set


def test_lines_are_numbered_and_blank_ones_skipped(tmp_path):
    path = tmp_path / "set.jsonl"
    path.write_bytes('\ufeff{"a": 1}\n\n{"a": "x\u2028y"}\r\n'.encode())
    assert list(read_jsonl(path)) == [(1, {"a": 1}), (3, {"a": "x\u2028y"})]


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b'{"a": 1}\n{"a": }\n', "set.jsonl:2: not JSON"),
        (b'{"a": 1}\n[1]\n', "set.jsonl:2: list found; accepted: a JSON object"),
        (b'{"a": "\xff"}', "not UTF-8 at byte 7"),
    ],
)
def test_a_fault_names_file_and_line(tmp_path, content, message):
    path = tmp_path / "set.jsonl"
    path.write_bytes(content)
    with pytest.raises(DataError, match=message):
        list(read_jsonl(path))


def test_an_absent_file_is_named(tmp_path):
    with pytest.raises(DataError, match=r"none.jsonl: cannot be read"):
        list(read_jsonl(tmp_path / "none.jsonl"))


def test_an_id_twice_names_both_lines(tmp_path):
    path = tmp_path / "set.jsonl"
    path.write_text('{"id": "q1"}\n{"id": "q2"}\n{"id": "q1"}\n')
    with pytest.raises(DataError, match=r":3: id 'q1' was used on line 1"):
        read_set(path, lambda row: row["id"], key=lambda item: item)


def test_an_empty_set_is_refused(tmp_path):
    path = tmp_path / "set.jsonl"
    path.write_text("\n")
    with pytest.raises(DataError, match="empty"):
        read_set(path, dict)
