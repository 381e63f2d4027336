from datetime import date

import pytest
from hypothesis import given
from hypothesis import strategies as st

from components.routers.source_meta import check_access, check_fields, check_validity, iso_date, meta_version, printable, source_version


@pytest.mark.parametrize("value", [[], "hr", None, ["hr", ""], ["hr", 3], {"hr"}, [" "]])
def test_access_must_be_a_list_of_names(value):
    with pytest.raises(ValueError, match="access"):
        check_access(value)


def test_an_empty_access_is_refused_and_never_becomes_the_default():
    with pytest.raises(ValueError, match="access"):
        check_fields({"access": None})


@pytest.mark.parametrize("value", ["2024-07-01", "2024-07-01T10:00:00+05:30", date(2024, 7, 1)])
def test_dates(value):
    assert iso_date("valid_from", value).startswith("2024-07-01")


@pytest.mark.parametrize("value", ["20240701", "2024-13-01", "1 July 2024", "2024-07", 20240701, "", "2024-07-01Tnoon"])
def test_wrong_dates_are_named(value):
    with pytest.raises(ValueError, match="valid_to"):
        iso_date("valid_to", value)


def test_validity_is_half_open():
    check_validity({"valid_from": "2024-07-01", "valid_to": "2024-07-02"})
    for end in ("2024-07-01", "2024-06-30", "2024-07-01T00:00:00+00:00"):
        with pytest.raises(ValueError, match="before"):
            check_validity({"valid_from": "2024-07-01", "valid_to": end})


@pytest.mark.parametrize("meta", [{"kind": "chunk"}, {"source_version": "x"}, {"n": float("nan")}, {"x": object()}, {"": 1}, {"t": "\ud800"}])
def test_fields_that_cannot_be_stored_are_refused(meta):
    with pytest.raises(ValueError, match="meta field"):
        check_fields(meta)


def test_the_version_is_of_bytes_and_graph():
    assert source_version(b"a", "g") == source_version(b"a", "g")
    assert len({source_version(b"a", "g"), source_version(b"b", "g"), source_version(b"a", "h"), source_version(b"", "ga")}) == 4


def test_meta_version_ignores_the_order_and_the_file_time():
    one = {"access": ["hr"], "team": "x", "modified_at": "2024-01-01"}
    assert meta_version(one) == meta_version({"modified_at": "2025-01-01", "team": "x", "access": ["hr"]})
    assert meta_version(one) != meta_version({**one, "access": ["public"]})
    assert meta_version(one) != meta_version({**one, "valid_to": "2024-01-01"})


@given(st.binary(max_size=20))
def test_any_file_name_becomes_storable(raw):
    text = raw.decode("utf-8", "surrogateescape")
    assert printable(text).encode("utf-8").decode("utf-8") == printable(text)
    assert printable(printable(text)) == printable(text)
