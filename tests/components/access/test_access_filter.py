"""Who may write which meta, and what NOTHING means."""

import pytest

from components.access.access_filter import both, meta_refusal, narrowed, read_filter, visible_groups, write_refusal
from components.access.principal import ANONYMOUS, Principal

ASHA = Principal(user="asha", groups=("hr",))


def test_only_the_system_reads_without_a_filter():
    assert read_filter(Principal.system()) is None
    for principal in (ANONYMOUS, ASHA, Principal(is_admin=True)):
        assert read_filter(principal) is not None
        assert narrowed(None, principal) == read_filter(principal)


def test_no_groups_is_public_alone():
    assert visible_groups(ANONYMOUS) == ["public"] and visible_groups(ASHA) == ["hr", "public"]


def test_a_filter_stays_whole_beside_another():
    own = read_filter(ASHA)
    assert both(None, None) is None and both(own, None) is own
    assert both(own, own).must == [own, own]


def test_writing():
    assert write_refusal(ANONYMOUS) and not write_refusal(ASHA)
    assert write_refusal(Principal(is_admin=True)), "an administrator without a name is anonymous"


@pytest.mark.parametrize(
    ("meta", "partial", "refused"),
    [
        ({"tenant": "default", "access": ["hr", "public"]}, False, False),
        ({"tenant": "default", "access": ["ops"]}, False, True),
        ({"tenant": "default", "access": []}, False, True),
        ({"tenant": "default"}, False, True),
        ({"access": ["hr"]}, False, True),
        ({"title": "x"}, True, False),
        ({"access": ["hr"]}, True, False),
        ({"access": None}, True, True),
        ({"access": [""]}, True, True),
        ({"tenant": None}, True, True),
    ],
)
def test_meta(meta, partial, refused):
    reason = meta_refusal(ASHA, meta, partial=partial)
    assert bool(reason) is refused
    assert meta_refusal(Principal.system(), meta, partial=partial) is None
