"""Where a request comes from, as limits count it."""

from collections.abc import Mapping
from ipaddress import IPv6Address, ip_address, ip_network
from typing import Any

from django.conf import settings

LONGEST_ADDRESS = 45
HOME = 64
"""An IPv6 connection is given at least this many bits to choose addresses from."""


def address_of(meta: Mapping[str, Any]) -> str:
    """The address of the visitor, by what the trusted proxies say and nobody else.

    `meta` is a request's `META`.
    """
    proxies = settings.TRUSTED_PROXIES
    told = meta.get("HTTP_X_FORWARDED_FOR", "")
    if not proxies or not told:
        return str(meta.get("REMOTE_ADDR", ""))
    addresses = told.split(",")
    # A request that came past a proxy has fewer; the first is then what the last proxy saw.
    return addresses[-min(proxies, len(addresses))].strip()[:LONGEST_ADDRESS]


def network_of(meta: Mapping[str, Any]) -> str:
    """The address, or its /64: one household counts once, however many addresses it has."""
    address = address_of(meta)
    try:
        parsed = ip_address(address)
    except ValueError:
        return address
    if isinstance(parsed, IPv6Address):
        if parsed.ipv4_mapped:
            return str(parsed.ipv4_mapped)
        return str(ip_network((parsed, HOME), strict=False))
    return str(parsed)
