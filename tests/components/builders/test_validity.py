from datetime import date

import pytest
from hypothesis import given
from hypothesis import strategies as st

from components.builders.validity import day_of, newer, validity

DAY = date(2024, 7, 1)


@pytest.mark.parametrize(
    ("meta", "in_force", "note"),
    [
        ({}, True, ""),
        ({"valid_from": "2024-07-01"}, True, ""),
        ({"valid_from": "2024-07-02"}, False, "in force from 2024-07-02"),
        ({"valid_to": "2024-07-02"}, True, ""),
        ({"valid_to": "2024-07-01"}, False, "not in force since 2024-07-01"),
        ({"valid_to": "2024-07-01", "superseded_by": "BNS 303"}, False, "not in force since 2024-07-01; superseded by BNS 303"),
        ({"valid_to": "2030-01-01", "superseded_by": "the new code"}, True, ""),
        ({"superseded_by": "the new code"}, True, "superseded by the new code"),
        ({"valid_from": "2020-01-01T10:00:00+05:30", "valid_to": "2024-07-01T23:00:00Z"}, False, "not in force since 2024-07-01"),
        ({"valid_from": None, "valid_to": ""}, True, ""),
        ({"valid_to": "soon"}, True, "valid_to 'soon' is not a date"),
    ],
)
def test_half_open_days(meta, in_force, note):
    state = validity(meta, DAY)
    assert (state.in_force, state.note) == (in_force, note)


@given(st.dates(), st.dates(), st.dates())
def test_in_force_exactly_on_the_days_of_the_range(begin, end, day):
    assert validity({"valid_from": begin.isoformat(), "valid_to": end.isoformat()}, day).in_force == (begin <= day < end)


@pytest.mark.parametrize("text", ["", "2024", "2024-13-01", "01.07.2024", "2024-07-01x", "tomorrow"])
def test_what_is_no_day(text):
    with pytest.raises(ValueError, match="accepted is YYYY-MM-DD"):
        day_of(text)


def test_newer_takes_the_first_field_that_differs():
    assert newer({"valid_from": "2024-01-01", "modified_at": "2020-01-01"}, {"valid_from": "2023-01-01", "modified_at": "2025-01-01"})
    assert newer({"modified_at": "2024-01-02T00:00:00Z"}, {"modified_at": "2024-01-01"})
    assert not newer({"modified_at": "2024-01-02"}, {})
    assert not newer({}, {})
