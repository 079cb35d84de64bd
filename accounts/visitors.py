"""Where a request comes from, as limits count it."""

from ipaddress import IPv6Address, ip_address, ip_network

from django.conf import settings
from django.http import HttpRequest

LONGEST_ADDRESS = 45
HOME = 64
"""An IPv6 connection is given at least this many bits to choose addresses from."""


def address_of(request: HttpRequest) -> str:
    """The address of the visitor, by what the trusted proxies say and nobody else."""
    proxies = settings.TRUSTED_PROXIES
    told = request.META.get("HTTP_X_FORWARDED_FOR", "")
    if not proxies or not told:
        return str(request.META.get("REMOTE_ADDR", ""))
    addresses = told.split(",")
    # A request that came past a proxy has fewer; the first is then what the last proxy saw.
    return addresses[-min(proxies, len(addresses))].strip()[:LONGEST_ADDRESS]


def network_of(request: HttpRequest) -> str:
    """The address, or its /64: one household counts once, however many addresses it has."""
    address = address_of(request)
    try:
        parsed = ip_address(address)
    except ValueError:
        return address
    if isinstance(parsed, IPv6Address):
        if parsed.ipv4_mapped:
            return str(parsed.ipv4_mapped)
        return str(ip_network((parsed, HOME), strict=False))
    return str(parsed)
