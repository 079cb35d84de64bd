"""Addresses that asked for no mail from strangers, known here by a keyed hash alone."""

import contextlib
import re
import unicodedata
from datetime import datetime
from hmac import compare_digest

from django.conf import settings
from django.urls import reverse
from django.utils.crypto import salted_hmac

from accounts.models import NeverWrite

DIGEST = "accounts.never-write"
LINK = "accounts.never-write.link"
DIGEST_LENGTH, SIGNATURE_LENGTH = 32, 16
SAME_DOMAIN = {"googlemail.com": "gmail.com"}
WITHOUT_DOTS = ("gmail.com",)
QUOTING = re.compile(r'^"|"$|\\(?=.)')
""""e\\mil"@example.net is another spelling of emil@example.net."""


def refuse(digest: str, *, now: datetime) -> None:
    NeverWrite.objects.get_or_create(digest=digest, defaults={"since": now})


def allow_digest(digest: str) -> None:
    NeverWrite.objects.filter(digest=digest).delete()


def allow(address: str) -> None:
    NeverWrite.objects.filter(digest__in=_digests_of(address)).delete()


def is_refused(digest: str) -> bool:
    return NeverWrite.objects.filter(digest=digest).exists()


def is_unwanted(address: str) -> bool:
    """Also after the secret key was changed, as long as the old one is a fallback."""
    return NeverWrite.objects.filter(digest__in=_digests_of(address)).exists()


def _digests_of(address: str) -> list[str]:
    return [digest_of(address, key) for key in _keys()]


def digest_of(address: str, key: str | None = None) -> str:
    made = salted_hmac(DIGEST, normalised(address), secret=key, algorithm="sha256")
    return made.hexdigest()[:DIGEST_LENGTH]


def normalised(address: str) -> str:
    """The same for every spelling that reaches the same reader.

    That is letter case, “+tag”, quotes, IDN, and the dots that Gmail does not see.
    """
    local, _at, domain = unicodedata.normalize("NFKC", address).strip().lower().rpartition("@")
    with contextlib.suppress(UnicodeError):
        domain = domain.encode("idna").decode()
    domain = SAME_DOMAIN.get(domain, domain)
    local = QUOTING.sub("", local)
    local = local.partition("+")[0] or local
    if domain in WITHOUT_DOTS:
        local = local.replace(".", "")
    return f"{local}@{domain}"


# Links


def signed(address: str) -> str:
    """Short and in lower case, because it must survive as part of a mail address."""
    digest = digest_of(address)
    return f"{digest}-{_signature(digest)}"


def link_for(address: str) -> str:
    return settings.SITE_URL + reverse("never_write", args=[signed(address)])


def headers_for(address: str) -> dict[str, str]:
    """By RFC 8058, for mail programs that show a button of their own."""
    mailto = f"stop+never-{signed(address)}@{settings.MAIL_DOMAIN}"
    return {
        "List-Unsubscribe": f"<{link_for(address)}>, <mailto:{mailto}>",
        "List-Unsubscribe-Post": "List-Unsubscribe=One-Click",
    }


def read(text: str) -> str | None:
    """The digest that a link is about; none for a link that was not made here."""
    digest, _dash, signature = text.lower().partition("-")
    right = (_signature(digest, key) for key in _keys())
    known = any(compare_digest(signature.encode(), one.encode()) for one in right)
    return digest if known and len(digest) == DIGEST_LENGTH else None


def _signature(digest: str, key: str | None = None) -> str:
    made = salted_hmac(LINK, digest, secret=key, algorithm="sha256")
    return made.hexdigest()[:SIGNATURE_LENGTH]


def _keys() -> list[str]:
    return [settings.SECRET_KEY, *settings.SECRET_KEY_FALLBACKS]
