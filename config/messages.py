"""Translations without gettext's tools: `python -m config.messages update|compile|check`."""

import re
import sys
from collections.abc import Iterator
from io import BytesIO
from pathlib import Path

from babel.messages.catalog import Catalog
from babel.messages.extract import extract
from babel.messages.mofile import write_mo
from babel.messages.pofile import read_po, write_po
from django.utils.translation.template import templatize

ROOT = Path(__file__).resolve().parent.parent
APPS = ("accounts", "config", "games", "notifications", "tournaments")
LANGUAGES = ("de",)
KEYWORDS = {
    **dict.fromkeys(
        ("gettext", "gettext_lazy", "gettext_noop", "_", "translate", "Term", "__init__")
    ),
    **dict.fromkeys(("ngettext", "ngettext_lazy"), (1, 2)),
    **dict.fromkeys(("pgettext", "pgettext_lazy"), ((1, "c"), 2)),
    "npgettext": ((1, "c"), 2, 3),
}
REFUSAL = re.compile(r"^class (\w+)\((\w+)(?:, \w+)*\):", re.MULTILINE)


def catalogue_path(language: str) -> Path:
    return ROOT / "locale" / language / "LC_MESSAGES" / "django.po"


def python_files() -> Iterator[Path]:
    for app in APPS:
        yield from sorted((ROOT / app).rglob("*.py"))


def refusal_names() -> set[str]:
    """Every class that descends from Refusal: its first argument is a sentence for people."""
    bases = {
        name: base
        for path in python_files()
        for name, base in REFUSAL.findall(path.read_text("utf-8"))
    }
    names = {"Refusal"}
    while more := {name for name, base in bases.items() if base in names} - names:
        names |= more
    return names


def extracted() -> Catalog:
    keywords = KEYWORDS | dict.fromkeys(refusal_names())
    catalogue = Catalog(domain="django", project="Tripost")
    for path in python_files():
        _add(catalogue, path, path.read_text("utf-8"), keywords)
    for path in sorted((ROOT / "templates").rglob("*.*")):
        if path.suffix in {".html", ".txt"}:
            source = templatize(path.read_text("utf-8"), origin=str(path))
            # What is no message became X's; its indentation would trip Python's tokenizer.
            lines = (line.strip() for line in source.splitlines())
            _add(catalogue, path, "\n".join(lines), keywords)
    return catalogue


def _add(catalogue: Catalog, path: Path, source: str, keywords: dict[str, object]) -> None:
    found = extract("python", BytesIO(source.encode()), keywords=keywords)  # type: ignore[arg-type]
    for line, message, _comments, context in found:
        is_sentence = message[0] if isinstance(message, tuple) else message
        if is_sentence:
            catalogue.add(message, locations=[(str(path.relative_to(ROOT)), line)], context=context)


def read(language: str) -> Catalog:
    path = catalogue_path(language)
    if not path.exists():
        return Catalog(locale=language, domain="django")
    with path.open("rb") as file:
        return read_po(file, locale=language, domain="django")


def update() -> None:
    """Bring each catalogue in line with the sources, keeping what is translated."""
    for language in LANGUAGES:
        catalogue = read(language)
        catalogue.update(extracted(), no_fuzzy_matching=True)
        catalogue.obsolete.clear()
        path = catalogue_path(language)
        path.parent.mkdir(parents=True, exist_ok=True)
        with path.open("wb") as file:
            write_po(
                file,
                catalogue,
                omit_header=True,
                width=100,
                include_lineno=False,
                sort_output=True,
            )


def compile_all() -> None:
    for language in LANGUAGES:
        with catalogue_path(language).with_suffix(".mo").open("wb") as file:
            write_mo(file, read(language))


def problems() -> list[str]:
    """What a reader of another language would find untranslated or broken."""
    sources = [message for message in extracted() if message.id]
    found = []
    for language in LANGUAGES:
        catalogue = read(language)
        for message in sources:
            known = catalogue.get(message.id, message.context)
            if known is None or not _complete(known.string) or known.fuzzy:
                found.append(f"{language}: not translated: {message.id!r} ({message.locations})")
            elif _placeholders(known.id) != _placeholders(known.string):
                found.append(f"{language}: placeholders differ: {message.id!r}")
    return found


def _complete(string: object) -> bool:
    return all(string) if isinstance(string, tuple | list) else bool(string)


def _placeholders(text: object) -> set[str]:
    joined = " ".join(text) if isinstance(text, tuple | list) else str(text)
    return set(re.findall(r"%\(\w+\)[sd]|\{\w+\}", joined))


def main(command: str) -> int:
    if command == "update":
        update()
    elif command == "compile":
        compile_all()
    else:
        found = problems()
        print("\n".join(found) or "Every string is translated.")
        return bool(found)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
