"""Who asks. The door sets the principal; the store reads it on every access."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field

PUBLIC = "public"
DEFAULT_TENANT = "default"


@dataclass(frozen=True)
class Principal:
    """Someone on whose behalf the index is read or written.

    :param user: name for the log; `None` is anonymous and may not write.
    :param groups: access groups; an empty list means `public` of the tenant, never "all".
    :param tenant: the tenant whose points are visible.
    :param is_admin: sees and writes every group of its own tenant.
    """

    user: str | None = None
    groups: tuple[str, ...] = ()
    tenant: str = DEFAULT_TENANT
    is_admin: bool = False
    _is_system: bool = field(default=False, repr=False)

    def __post_init__(self) -> None:
        if not isinstance(self.tenant, str) or not self.tenant:
            raise ValueError("Principal.tenant must be a non-empty string")
        if isinstance(self.groups, str) or any(not isinstance(g, str) or not g for g in self.groups):
            raise ValueError("Principal.groups must be a sequence of non-empty strings")
        object.__setattr__(self, "groups", tuple(sorted(set(self.groups))))

    @classmethod
    def system(cls) -> Principal:
        """No access filter at all: for maintenance on the command line and for conformance tests, never from HTTP."""
        return cls(user="system", is_admin=True, _is_system=True)

    @property
    def is_system(self) -> bool:
        """Whether this is `Principal.system()`."""
        return self._is_system


ANONYMOUS = Principal()
_current: ContextVar[Principal] = ContextVar("sakshya_principal", default=ANONYMOUS)


def current_principal() -> Principal:
    """The principal of this context; anonymous (`public` of tenant `default`) where no door has set one."""
    return _current.get()


@contextmanager
def acting_as(principal: Principal) -> Iterator[Principal]:
    """Set the principal for the block, and put back what was there before.

    >>> with acting_as(Principal(user="asha", groups=("legal",))):
    ...     current_principal().groups
    ('legal',)
    """
    token = _current.set(principal)
    try:
        yield principal
    finally:
        _current.reset(token)
