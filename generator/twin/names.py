"""Names that are safe in SQL and in the code of tools, and the words in which people speak of tables and rows."""

from __future__ import annotations

import keyword
import re
import sqlite3
import unicodedata
from collections.abc import Collection, Iterable, Sequence
from contextlib import closing
from functools import cache

import inflection

import runtime
from generator.twin.source import SourceColumn
from runtime.sandbox.allowed import BUILTINS
from runtime.sandbox.sqlite import open_memory

_LONGEST = 50
_TAKEN = {*keyword.kwlist, *BUILTINS, *runtime.__all__, "db", "self", "world", "story", "date", "datetime"}
_NOUNS = {"staff": "staff member", "data": "data record", "media": "medium", "info": "info record", "news": "news item"}
_LABELS = (
    *("name", "title", "label", "full_name", "display_name", "subject", "username", "company_name", "caption"),
    *("headline", "slug", "code", "sku", "reference", "number", "email", "model", "last_name", "key", "description"),
)


def safe_names(names: Iterable[str], also_taken: Collection[str] = ()) -> dict[str, str]:
    """Return a name in snake_case for each name, none twice."""
    safe: dict[str, str] = {}
    for number, name in enumerate(names, 1):
        plain = _snake(name) or f"name_{number}"
        plain = f"n_{plain}" if plain[0].isdigit() else plain
        if plain in _TAKEN or not _is_free(plain):
            plain += "_"
        chosen, again = plain, 2
        while chosen in safe.values() or chosen in also_taken:
            chosen, again = f"{plain}_{again}", again + 1
        safe[name] = chosen
    return safe


def _snake(name: str) -> str:
    ascii_only = unicodedata.normalize("NFKD", name).encode("ascii", "ignore").decode()
    words = re.sub(r"([A-Z]+)([A-Z][a-z])|([a-z\d])([A-Z])", r"\1\3_\2\4", ascii_only)
    return re.sub(r"[^a-z0-9]+", "_", words.lower()).strip("_")[:_LONGEST].strip("_")


@cache
def _is_free(name: str) -> bool:
    """Return whether SQL takes a name without quotes."""
    with closing(open_memory()) as connection:
        try:
            connection.execute(f"CREATE TABLE {name} ({name} INTEGER PRIMARY KEY REFERENCES {name} ({name}))")
            connection.execute(f"SELECT {name}.{name} FROM {name} WHERE {name} = 1")
        except sqlite3.Error:
            return False
    return True


def spoken_nouns(names: Sequence[str]) -> dict[str, tuple[str, str]]:
    """Return for each table, by its safe name, what one row and several are called: "invoice line", "invoice lines"."""
    prefix = _shared_prefix(names)
    found: dict[str, tuple[str, str]] = {}
    for name in names:
        noun = _singular(name.removeprefix(prefix).strip("_"))
        if noun in (each for each, _ in found.values()):
            noun = name.strip("_").replace("_", " ")
        found[name] = noun, inflection.pluralize(noun)
    return found


def _shared_prefix(names: Sequence[str]) -> str:
    """Return the prefix of all names, such as `wp_`, if there are enough of them to tell."""
    prefix = f"{names[0].split('_')[0]}_"
    return prefix if len(names) > 2 and all(name.startswith(prefix) and name != prefix for name in names) else ""


def _singular(name: str) -> str:
    *before, last = name.split("_")
    last = last if last.endswith(("ss", "us", "is")) else inflection.singularize(last)
    return " ".join([*before, _NOUNS.get(last, last)])


def find_label(
    columns: dict[str, SourceColumn], key: Sequence[str], referring: Collection[str], uniques: Sequence[Sequence[str]]
) -> str | None:
    """Return the column by which people name a row, if there is one."""
    texts = [
        name
        for name, column in columns.items()
        if column.kind == "text" and not (column.choices or column.secret or column.made) and name not in referring
    ]
    free = [name for name in texts if name not in key]
    named = [name for name in _LABELS if name in free]
    named += [name for name in free if name.endswith(("_name", "_title")) and name not in ("first_name", "middle_name")]
    unique = [name for name in free if [name] in [list(each) for each in uniques]]
    required = [name for name in [*named[:1], *unique, *named] if columns[name].required]
    return next(iter([*required, *named, *unique, *(name for name in texts if [name] == list(key))]), None)
