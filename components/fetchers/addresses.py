"""Which addresses of the network may be fetched from: public ones, and those that an intranet names."""

from __future__ import annotations

import ipaddress
import re
from collections.abc import Sequence

Address = ipaddress.IPv4Address | ipaddress.IPv6Address
Network = ipaddress.IPv4Network | ipaddress.IPv6Network

_NAT64 = (ipaddress.ip_network("64:ff9b::/96"), ipaddress.ip_network("64:ff9b:1::/48"))
_HOST = re.compile(r"[a-z0-9_]([a-z0-9_-]*[a-z0-9_])?(\.[a-z0-9_]([a-z0-9_-]*[a-z0-9_])?)*")


class AddressError(ValueError):
    """An address that is not fetched from; one line."""


class Allowed:
    """Hosts and networks that may be fetched from although they are not public.

    :param entries: host names (exact, without wildcard), addresses, or networks in CIDR form.
    :raises ValueError: an entry that is none of these.
    """

    def __init__(self, entries: Sequence[str] = ()) -> None:
        self.hosts: set[str] = set()
        self.networks: list[Network] = []
        for entry in entries:
            text = str(entry).strip().lower().rstrip(".")
            try:
                self.networks.append(ipaddress.ip_network(text))
            except ValueError:
                if not _HOST.fullmatch(text) or text.replace(".", "").isdigit() or "/" in text:
                    raise ValueError(
                        f"allow_private={entry!r} is not accepted: it must be a host name, an address, or a network such as 10.1.0.0/16"
                    ) from None
                self.hosts.add(text)

    def check(self, host: str, address: str) -> Address:
        """The address, where it may be fetched from.

        :param host: as the URL has it.
        :param address: one that it resolves to.
        :raises AddressError: it is not public, and not allowed.
        """
        found = ipaddress.ip_address(address.partition("%")[0])
        if host.lower().rstrip(".") in self.hosts:
            return found
        for meant in embedded(found) or [found]:
            if not is_public(meant) and not any(meant in network for network in self.networks if network.version == meant.version):
                raise AddressError(f"{host} is at {found}, which is not a public address; SAKSHYA_FETCH_ALLOW_PRIVATE names exceptions")
        return found


def is_public(address: Address) -> bool:
    """Whether an address is one of the public internet: neither private, loopback, link-local, shared, reserved nor multicast.

    >>> [is_public(ipaddress.ip_address(a)) for a in ("93.184.216.34", "10.0.0.1", "169.254.169.254", "100.64.0.1", "::1", "fe80::1")]
    [True, False, False, False, False, False]
    """
    if isinstance(address, ipaddress.IPv6Address) and address.is_site_local:
        return False
    return address.is_global and not (address.is_multicast or address.is_reserved or address.is_unspecified)


def embedded(address: Address) -> list[ipaddress.IPv4Address]:
    """IPv4 addresses that an IPv6 one stands for: mapped, 6to4, Teredo, NAT64."""
    if not isinstance(address, ipaddress.IPv6Address):
        return []
    found = [a for a in (address.ipv4_mapped, address.sixtofour, *(address.teredo or ())) if a is not None]
    if any(address in network for network in _NAT64):
        found.append(ipaddress.IPv4Address(int(address) & 0xFFFFFFFF))
    return found
