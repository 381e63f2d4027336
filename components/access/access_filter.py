"""Who may see and write which points, as filters of the store. The arithmetic of access; `GuardedClient` applies it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from qdrant_client.http import models as rest

from components.access.principal import PUBLIC, Principal

TENANT_KEY = "meta.tenant"
ACCESS_KEY = "meta.access"

NOTHING = rest.Filter(must=[rest.HasIdCondition(has_id=[])])
"""Matches no point, in every engine. An empty `MatchAny` or `should` does not: some read it as "no condition"."""


def visible_groups(principal: Principal) -> list[str]:
    """The access groups whose points the principal sees: its own and `public`. Never empty."""
    return sorted({*principal.groups, PUBLIC})


def tenant_filter(principal: Principal) -> rest.Filter | None:
    """All points of the principal's tenant, the corpus of its term statistics; None for `Principal.system()`."""
    if principal.is_system:
        return None
    return rest.Filter(must=[rest.FieldCondition(key=TENANT_KEY, match=rest.MatchValue(value=principal.tenant))])


def read_filter(principal: Principal) -> rest.Filter | None:
    """The points that the principal may see; None, "no restriction", for `Principal.system()` alone.

    >>> from components.access.principal import ANONYMOUS
    >>> [c.key for c in read_filter(ANONYMOUS).must]
    ['meta.tenant', 'meta.access']
    """
    if principal.is_system:
        return None
    must: list[Any] = [rest.FieldCondition(key=TENANT_KEY, match=rest.MatchValue(value=principal.tenant))]
    if not principal.is_admin:
        must.append(rest.FieldCondition(key=ACCESS_KEY, match=rest.MatchAny(any=visible_groups(principal))))
    return rest.Filter(must=must)


def both(*filters: rest.Filter | None) -> rest.Filter | None:
    """The points that match every filter; None stands for "all". Each filter stays whole, so none can widen another."""
    given: list[Any] = [f for f in filters if f is not None]
    if not given:
        return None
    return given[0] if len(given) == 1 else rest.Filter(must=given)


def narrowed(filters: rest.Filter | None, principal: Principal) -> rest.Filter | None:
    """A caller's filter ANDed with what the principal may see."""
    return both(read_filter(principal), filters)


def write_refusal(principal: Principal) -> str | None:
    """Why the principal may not write at all, or None."""
    if principal.is_system or principal.user is not None:
        return None
    return "an anonymous principal may not write"


def meta_refusal(principal: Principal, meta: Mapping[str, Any], *, partial: bool = False) -> str | None:
    """Why the principal may not store this meta, or None.

    :param partial: the meta changes fields of points that exist, so `tenant` and `access` may be absent; if present they must be permitted.
    """
    if principal.is_system:
        return None
    if not partial or "tenant" in meta:
        tenant = meta.get("tenant")
        if tenant != principal.tenant:
            return f"meta.tenant is {tenant!r}, accepted: {principal.tenant!r}, the tenant of {principal.user!r}"
    if partial and "access" not in meta:
        return None
    access = meta.get("access")
    if not isinstance(access, list) or any(not isinstance(group, str) or not group for group in access):
        return f"meta.access is {access!r}, accepted: a list of group names"
    if principal.is_admin:
        return None
    allowed = visible_groups(principal)
    if not access or not set(access) <= set(allowed):
        return f"meta.access is {access!r}, accepted for {principal.user!r}: one or more of {allowed!r}"
    return None
