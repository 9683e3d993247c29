"""Names: their words, safe ones for SQL, and how people speak of tables and columns."""

from __future__ import annotations

import keyword
import re
import sqlite3
import tomllib
import unicodedata
from collections.abc import Collection, Iterable, Mapping, Sequence
from contextlib import closing
from functools import cache
from pathlib import Path
from typing import Any

import inflection

import runtime
from generator.twin.source import Reference, SettledTable, SourceColumn
from runtime.sandbox.allowed import BUILTINS
from runtime.sandbox.sqlite import open_memory


def word_set(text: str) -> frozenset[str]:
    """The words of a text that are separated by blanks."""
    return frozenset(text.split())


def _by_word(sayings: Mapping[str, str]) -> dict[str, str]:
    return {word: said for said, words in sayings.items() for word in words.split()}


VALUES: dict[str, Any] = tomllib.loads(Path(__file__).with_name("values.toml").read_text(encoding="utf-8"))
SAYS = {what: word_set(words) for what, words in VALUES["says"].items()}
_DAYS, _NOUNS, _SPELLED_OUT = (_by_word(VALUES[what]) for what in ("days", "rows", "spoken"))
_SENTENCE = 300  # characters of a description
_LONGEST = 50
_TAKEN = {*keyword.kwlist, *BUILTINS, *runtime.__all__, "db", "self", "world", "story", "date", "datetime"}


def tokens(name: str) -> list[str]:
    """The words of an identifier, lower case: "petId", "pet_id" and "pet-id" are ["pet", "id"]."""
    return [word for word in re.split(r"[_.\s]", inflection.underscore(name)) if word] or [name.strip()]


def snake(name: str) -> str:
    """An identifier or words as a name in code."""
    return "_".join(tokens(re.sub(r"\W+", " ", name)))


def folded(name: str) -> str:
    """A name for comparing: "petId" and "pet_id" are the same."""
    return "".join(tokens(name))


def noun_of(name: str) -> str:
    """The singular of a name in snake_case: "Pets" is "pet", "order-lines" is "order_line"."""
    *head, last = tokens(name)
    return "_".join([*head, inflection.singularize(last)])


def safe_names(names: Iterable[str], also_taken: Collection[str] = ()) -> dict[str, str]:
    """Return a name in snake_case for each name, none twice."""
    safe: dict[str, str] = {}
    for number, name in enumerate(names, 1):
        ascii_only = unicodedata.normalize("NFKD", name).encode("ascii", "ignore").decode()
        plain = snake(ascii_only)[:_LONGEST].strip("_") or f"name_{number}"
        plain = f"n_{plain}" if plain[0].isdigit() else plain
        if plain in _TAKEN or not _is_free(plain):
            plain += "_"
        chosen, again = plain, 2
        while chosen in safe.values() or chosen in also_taken:
            chosen, again = f"{plain}_{again}", again + 1
        safe[name] = chosen
    return safe


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
    prefix = f"{names[0].split('_')[0]}_"  # of all names, such as `wp_`, if there are enough of them to tell
    is_shared = len(names) > 2 and all(name.startswith(prefix) and name != prefix for name in names)
    found: dict[str, tuple[str, str]] = {}
    for name in names:
        *before, last = name.removeprefix(prefix if is_shared else "").strip("_").split("_")
        last = last if last.endswith(("ss", "us", "is")) else inflection.singularize(last)
        noun = " ".join([*before, _NOUNS.get(last, last)])
        if noun in (each for each, _ in found.values()):
            noun = name.strip("_").replace("_", " ")
        found[name] = noun, inflection.pluralize(noun)
    return found


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
    named = [name for name in VALUES["says"]["labels"].split() if name in free]
    named += [name for name in free if name.endswith(("_name", "_title")) and name not in ("first_name", "middle_name")]
    unique = [name for name in free if [name] in [list(each) for each in uniques]]
    required = [name for name in [*named[:1], *unique, *named] if columns[name].required]
    return next(iter([*required, *named, *unique, *(name for name in texts if [name] == list(key))]), None)


def column_words(table: SettledTable, name: str, tables: Mapping[str, SettledTable]) -> str:
    """What a person calls a column: "phone number", "date opened"; a foreign key is called by what it leads to."""
    parts = tokens(name)
    reference = reference_of(table, name)
    if reference is not None:
        parts = parts[:-1] if len(parts) > 1 and parts[-1] in ("id", "no", "code", "key", "fk") else parts
        return " ".join(parts) if parts not in ([], ["id"]) else tables[reference.table].noun
    column = table.columns[name]
    if column.kind == "boolean" and parts[0] in ("is", "has") and len(parts) > 1:
        parts = parts[1:]
    if parts[-1] in ("cents", "usd") and len(parts) > 1:
        parts = parts[:-1]
    if column.kind in ("date", "timestamp") and parts[-1] in ("on", "at", "date", "time", "day") and len(parts) > 1:
        done = " ".join(parts[:-1])
        if done in _DAYS:
            return _DAYS[done]
        return f"date {done}" if parts[-2].endswith("ed") or parts[-2] in SAYS["done"] else f"{done} date"
    if column.kind in ("date", "timestamp") and parts[0] in _DAYS and len(parts) == 1:
        return _DAYS[parts[0]]
    spelled = (part.upper() if part in SAYS["capitals"] else _SPELLED_OUT.get(part, part) for part in parts)
    return " ".join(spelled).replace("number number", "number")


def description_of(table: SettledTable, name: str, tables: Mapping[str, SettledTable]) -> str:
    """What a tool says of a column: its comment, or what a person calls it."""
    column = table.columns[name]
    if column.comment.strip():
        return " ".join(column.comment.split())[:_SENTENCE]
    reference = reference_of(table, name)
    words = column_words(table, name, tables)
    if reference is not None:
        return capital(words if words == tables[reference.table].noun else f"{words} ({tables[reference.table].noun})")
    if (name,) == table.key:
        return f"Key of the {table.noun}"
    return capital(words)


def doing(verb: str) -> str:
    """Return the -ing form of a verb: cancel, canceling; ship, shipping; submit, submitting; close, closing."""
    if verb.endswith("ie"):
        return f"{verb[:-2]}ying"
    if verb.endswith("e") and not verb.endswith(("ee", "oe", "ye")):
        return f"{verb[:-1]}ing"
    if verb.endswith("ic"):
        return f"{verb}king"
    is_one_syllable = re.fullmatch(r"(?:[^aeiou]*|qu|squ)[aeiou][^aeiouwxy]", verb) is not None
    return f"{verb}{verb[-1] if is_one_syllable or verb in SAYS['stressed_last'] else ''}ing"


def listed(parts: Sequence[str]) -> str:
    """Return parts as a sentence has them: "name, price, and status"."""
    if len(parts) < 3:
        return " and ".join(parts)
    return f"{', '.join(parts[:-1])}, and {parts[-1]}"


def capital(words: str) -> str:
    """Words that begin a sentence."""
    return words[:1].upper() + words[1:]


def reference_of(table: SettledTable, name: str) -> Reference | None:
    """The foreign key of this column alone."""
    return next((each for each in table.references if each.columns == (name,)), None)


def referring(table: SettledTable) -> set[str]:
    """The columns that are part of a foreign key."""
    return {name for each in table.references for name in each.columns}


def free_texts(table: SettledTable) -> list[str]:
    """The columns with words of any kind that a search looks through, the label first."""
    texts = [
        name
        for name, column in table.columns.items()
        if column.kind == "text" and not column.choices and name not in referring(table) and not is_technical(column)
    ]
    return sorted(texts, key=lambda name: name != table.label)


def is_technical(column: SourceColumn) -> bool:
    """Whether nobody would speak of a column."""
    if column.secret or column.hidden:
        return True
    return column.kind == "json" or column.made == "clock" or not SAYS["technical"].isdisjoint(tokens(column.name))


def has_blanks(table: SettledTable, name: str) -> bool:
    """Whether rows hold an empty text in a column, so that its tools must take one."""
    return any(row[name] == "" for row in table.rows)


def is_note(column: SourceColumn) -> bool:
    """Whether a column holds whole sentences that people dictate."""
    return column.kind == "text" and not column.choices and not SAYS["dictated"].isdisjoint(tokens(column.name))


def money_minor(column: SourceColumn) -> int | None:
    """How many of its units make a dollar; None if a column is not an amount of money."""
    parts = set(tokens(column.name))
    if column.kind == "integer":
        return 100 if "cents" in parts else None
    return 1 if column.kind == "real" and parts & SAYS["money"] else None


def is_person(table: SettledTable) -> bool:
    """Whether the rows of a table are people."""
    return not SAYS["people"].isdisjoint(table.noun.lower().split())
