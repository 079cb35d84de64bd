"""Names of players: what one may be, and which look the same to a reader."""

import re
import unicodedata

SHORTEST, LONGEST = 2, 24
SEPARATORS = "._-"

# Letters of other scripts by the Latin letter that a reader takes them for, after Unicode's list
# of confusable characters (UTS #39). Accents are gone and capitals are small when this is used.
_LOOK_ALIKES = {
    "a": "аαɑ",
    "b": "ьƅʙвβ",
    "c": "сϲᴄ",
    "d": "ԁɗđð",
    "e": "еєεҽɛ",
    "f": "ғϝſ",
    "g": "ɡցԍ",
    "h": "һнηħ",
    "i": "іιɩїı",
    "j": "јϳ",
    "k": "кκĸ",
    "l": "ӏ1|ǀւł",
    "m": "мμϻ",
    "n": "ո",
    "o": "оοσօ0өø",
    "p": "рρϼ",
    "q": "ԛգ",
    "r": "гᴦɾ",
    "s": "ѕꜱ",
    "t": "тτŧ",
    "u": "υս",
    "v": "ѵνᴠ",
    "w": "ԝωѡɯ",
    "x": "хχ",
    "y": "уγүʏ",
    "z": "ζᴢ",
    "3": "зҙӡ",
    "-": "._",
    "口": "ロ", "二": "ニ", "力": "カ", "工": "エ", "八": "ハ", "夕": "タ", "卜": "ト",
}  # fmt: skip
_FOLDED = str.maketrans({sign: plain for plain, many in _LOOK_ALIKES.items() for sign in many})
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
    "director", "everybody", "everyone", "guest", "help", "hostmaster", "info", "mail",
    "mailer-daemon", "me", "moderator", "news", "nobody", "noreply", "no-reply", "official",
    "operator", "organiser", "organizer", "owner", "play", "postmaster", "root", "security",
    "server", "site", "somebody", "staff", "status", "support", "sysadmin", "system", "team",
    "tripost", "webmaster", "you",
)  # fmt: skip
_BEGINNINGS = ("bot", "closed", "guest")
_PARTS = ("admin", "moderator", "staff", "support", "tripost")


def normal(name: str) -> str:
    """One way to write what can be written in several: ö is one character, not o and two dots."""
    return unicodedata.normalize("NFKC", name)


def fold(name: str) -> str:
    """The same text for names that look the same, whatever their script, accents or capitals."""
    text = _told_apart(normal(name))
    text = text.casefold().translate(_FOLDED)
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
    parts = fold(name).split("-")
    return any(part.rstrip("0123456789") in _RESERVED_PARTS for part in parts) or (
        fold(name).startswith(_RESERVED_BEGINNINGS)
    )


_RESERVED = {fold(word) for word in _OFFICES}
_RESERVED_PARTS = {fold(word) for word in _PARTS}
_RESERVED_BEGINNINGS = tuple(f"{fold(word)}-" for word in _BEGINNINGS)
