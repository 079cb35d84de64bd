"""Names of players: what one may be, and which look the same to a reader."""

import re
import unicodedata

SHORTEST, LONGEST = 2, 24
SEPARATORS = "._-"

# Letters by the one that a reader takes them for, most of them of other scripts by a Latin one,
# after Unicode's list of confusable characters (UTS #39). Accents are gone and capitals are small
# when this is used.
_LOOK_ALIKES = {
    "a": "аαɑⱥ",
    "b": "ьƅʙвβ",
    "c": "сϲᴄƈ",
    "d": "ԁɗđð",
    "e": "еєεҽɛ",
    "f": "ғϝſք",
    "g": "ɡցԍ",
    "h": "һнħհ",
    "i": "іιɩїı",
    "j": "јϳյȷ",
    "k": "кκĸ",
    "l": "ӏ1|ǀւłƚꞁլוןا",
    "m": "мμϻ",
    "n": "ոռըηƞ",
    "o": "оοσօ0өɵøסهھہە",
    "p": "рρϼ",
    "q": "ԛգզ",
    "r": "гᴦɾ",
    "s": "ѕꜱտ",
    "t": "тτŧꞇ",
    "u": "υս",
    "v": "ѵνᴠט",
    "w": "ԝωѡɯա",
    "x": "хχ",
    "y": "уγүʏ",
    "z": "ζᴢ",
    "3": "зҙӡ",
    "-": "._",
    "ي": "یى", "ك": "ک",
    "口": "ロ", "二": "ニ", "力": "カ", "工": "エ", "八": "ハ", "夕": "タ", "卜": "ト",
}  # fmt: skip
_FOLDED = str.maketrans({sign: plain for plain, many in _LOOK_ALIKES.items() for sign in many})
_GREEK_CAPITALS = str.maketrans({"Η": "h", "Ν": "n", "Υ": "y"})
"""Their small letters look like others."""
_PAIRS = (("rn", "m"), ("vv", "w"))
_CAPITAL_I_AS_L = str.maketrans(dict.fromkeys("IІΙ", "l"))
_SMALL_L_AS_I = str.maketrans(dict.fromkeys("lӏ1", "I"))

_SCRIPTS = {
    "LATIN", "GREEK", "CYRILLIC", "ARMENIAN", "GEORGIAN", "HEBREW", "ARABIC", "CJK",
}  # fmt: skip
"""Others, such as Cherokee and Lisu, have capitals that pass for Latin ones."""
_ONE_SCRIPT = {"HIRAGANA": "CJK", "KATAKANA": "CJK", "HANGUL": "CJK"}
_SHAPE = re.compile(rf"[^\W\d_](?:[^\W\d_]|[0-9._-]){{{SHORTEST - 1},{LONGEST - 1}}}")

_OFFICES = (
    "abuse", "admin", "administrator", "anonymous", "api", "bot", "bots", "closed", "daemon",
    "director", "everybody", "everyone", "guest", "help", "helpdesk", "hostmaster", "info",
    "mail", "mailer-daemon", "me", "moderation", "moderator", "news", "no-reply", "nobody",
    "noreply", "official", "operator", "organiser", "organizer", "owner", "play", "postmaster",
    "referee", "root", "security", "server", "site", "somebody", "staff", "status", "support",
    "sysadmin", "system", "team", "tripost", "webmaster", "you",
)  # fmt: skip
_BEGINNINGS = ("bot", "closed", "guest", "official")
_ANYWHERE = ("tripost",)
_AT_AN_END = ("admin", "admins", "moderator", "staff", "staffteam", "support")
_NATURAL = (
    "adminton", "badmin", "bickerstaff", "falstaff", "flagstaff", "longstaff", "staffa", "staffan",
    "staffel", "stafford", "staffordshire", "supporta", "supporter", "wagstaff",
)  # fmt: skip
"""Names and words in which an office is no office."""


def normal(name: str) -> str:
    """One way to write what can be written in several: ö is one character, not o and two dots."""
    return unicodedata.normalize("NFKC", name)


def fold(name: str) -> str:
    """The same text for names that look the same, whatever their script, accents or capitals."""
    text = _told_apart(normal(name))
    text = text.translate(_GREEK_CAPITALS).casefold().translate(_FOLDED)
    parts = unicodedata.normalize("NFKD", text)
    plain = "".join(sign for sign in parts if unicodedata.category(sign)[0] not in "MC")
    plain = re.sub("-+", "-", plain.translate(_FOLDED)).strip("-")
    for pair, one in _PAIRS:
        plain = plain.replace(pair, one)
    return plain


def _told_apart(text: str) -> str:
    """Among small letters a capital i passes for an l; among capitals an l or a 1 for an i."""
    if any(sign.islower() and sign not in "lӏ" for sign in text):
        return text.translate(_CAPITAL_I_AS_L)
    if any(sign.isupper() and sign not in "IІΙ" for sign in text):
        return text.translate(_SMALL_L_AS_I)
    return text


def is_well_formed(name: str) -> bool:
    """Letters of one script, digits and separators, in the length that fits everywhere."""
    return (
        name == normal(name)
        and _SHAPE.fullmatch(name) is not None
        and len(scripts := {_script(sign) for sign in name if sign.isalpha()}) == 1
        and scripts <= _SCRIPTS
        and not any(unicodedata.category(sign) == "Lm" for sign in name)
    )


def _script(letter: str) -> str:
    """Phonetic signs and small capitals have no capital or small letter, and no script here."""
    first, *more = unicodedata.name(letter, "UNKNOWN").split()
    if first == "LATIN" and more[0] == "LETTER":
        return "PHONETIC"
    return _ONE_SCRIPT.get(first, first)


def is_reserved(name: str, *also: str) -> bool:
    """Whether it reads like an office, a part of the site or one of the names in `also`."""
    folded = fold(name.rstrip(f"0123456789{SEPARATORS}"))
    if folded in _RESERVED or folded in {fold(word) for word in also}:
        return True
    return fold(name).startswith(_RESERVED_BEGINNINGS) or _holds_an_office(name)


def _holds_an_office(name: str) -> bool:
    """The site's name anywhere, an office at either end of the name or of a part of it.

    Separators, digits and capitals do not hide one: Ad-min, Staff2b, AdmIn.
    """
    parts = [_spoken(part.strip("0123456789")) for part in re.split(f"[{SEPARATORS}]", name)]
    whole = "".join(parts)
    others = [part for part in parts if part not in _NO_OFFICE]
    return (
        any(word in whole for word in _SITE)
        or any(part.startswith(_OFFICE) or part.endswith(_OFFICE) for part in others)
        or (whole.startswith(_OFFICE) and parts[0] not in _NO_OFFICE)
        or (whole.endswith(_OFFICE) and parts[-1] not in _NO_OFFICE)
    )


def _spoken(text: str) -> str:
    """An l is an i here: which of them was meant is clear from the word."""
    return fold(text).replace("l", "i")


_RESERVED = {fold(word) for word in _OFFICES}
_SITE = tuple(_spoken(word) for word in _ANYWHERE)
_OFFICE = tuple(_spoken(word) for word in _AT_AN_END)
_NO_OFFICE = {_spoken(word) for word in _NATURAL}
_RESERVED_BEGINNINGS = tuple(f"{fold(word)}-" for word in _BEGINNINGS)
