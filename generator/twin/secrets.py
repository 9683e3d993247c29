"""Find what is nobody else's business (passwords, tokens, keys, card numbers), and make values up in its place."""

from __future__ import annotations

import json
import re
import tomllib
from collections.abc import Callable, Collection, Iterable, Mapping
from contextlib import suppress
from itertools import pairwise
from pathlib import Path
from random import Random
from typing import Any

from generator.twin.source import SettledTable
from generator.twin.words import tokens, word_set
from runtime.errors import UsageError
from runtime.wording import counted

_DATA = tomllib.loads(Path(__file__).with_name("secrets.toml").read_text(encoding="utf-8"))
_WORDS = {what: word_set(words) for what, words in _DATA["words"].items()}
_FORMS = {what: re.compile(form, re.VERBOSE | re.DOTALL) for what, form in _DATA["forms"].items()}
_HASHED, _MARKED = _FORMS["hashed"], _FORMS["marked"]
_DIGITS, _SMALL, _LARGE = "0123456789", "abcdefghjkmnpqrstuvwxyz", "ABCDEFGHJKLMNPQRSTUVWXYZ"


def is_secret_name(name: str, kind: str, of: str = "") -> bool:
    """Return whether a column holds secrets by its name; `of` is what a row of its table is called."""
    words = tokens(name)
    own, last = {*words, "".join(words)}, words[-1]
    if kind not in ("text", "integer") or last in _WORDS["described"]:
        return False
    is_public = not own.isdisjoint(_WORDS["public"])
    is_card = last in _WORDS["card_last"] and not own.isdisjoint(_WORDS["card"]) and not is_public
    if kind == "integer":
        return is_card or last == "pin" or not own.isdisjoint(_WORDS["number"])
    return (
        is_card
        or not own.isdisjoint(_WORDS["secret"])
        or (last in _WORDS["secret_last"] and not is_public)
        or (last in ("key", "keys") and not own.isdisjoint(_WORDS["key_of"]) and "public" not in own)
        or (last in ("code", "codes") and not own.isdisjoint(_WORDS["code_of"]))
        or (name == "key" and not _WORDS["rows"].isdisjoint(of.split()))
        or {"social", "security"} <= own
        or {"bank", "account"} <= own
    )


def hide_secrets(tables: Mapping[str, SettledTable], taken: Collection[str] = ()) -> None:
    """Make up the values of secret columns, and the secrets within other texts; `taken` are left as they are."""
    known = {table.where(name).lower(): (table, name) for table in tables.values() for name in table.columns}
    if unknown := next((each for each in taken if each.lower() not in known), None):
        raise UsageError(f"{unknown!r} is no column; write it as table.column, as in {next(iter(known))!r}.")
    kept = {each.lower() for each in taken}
    disguises: dict[tuple[str, str], Disguise] = {}
    for where, (table, name) in known.items():
        column, disguise, is_key = table.columns[name], Disguise(table.name, name), name in table.key
        refers = any(name in key.columns for key in table.references)
        if where in kept or refers or column.choices or column.kind not in ("text", "integer", "json"):
            continue
        values = [row[name] for row in table.rows if row.get(name) is not None]
        is_named = is_secret_name(name, column.kind, table.noun) and not (is_key and column.kind == "integer")
        if is_named or (not is_key and look_secret(values, name)):
            column.secret = True
            disguises[table.name, name] = disguise
            column.default = None if column.default is None else disguise.all_of(column.default)
            if _replace(table, name, disguise.all_of):
                table.change(name, "Columns whose given values are not taken, since they may be secret")
        elif column.kind != "integer" and not is_key and (many := _replace(table, name, disguise.within)):
            table.change(name, f"{counted(many, 'value')} in which what may be secret is made up")
    for table in tables.values():
        for key in table.references:
            for mine, theirs in zip(key.columns, key.theirs, strict=False):
                if found := disguises.get((key.table, theirs)):
                    table.columns[mine].secret = True
                    table.change(mine, "Columns that refer to what may be secret")
                    _replace(table, mine, found.all_of)


def _replace(table: SettledTable, name: str, other: Callable[[Any], Any]) -> int:
    """Replace the values of a column; return how many are others now."""
    many = 0
    for row in table.rows:
        if (value := row.get(name)) not in (None, ""):
            row[name] = other(value)
            many += row[name] != value
    return many


class Disguise:
    """Makes values up for one column: the same one for the same value, none twice, of the same form and length."""

    def __init__(self, table: str, column: str) -> None:
        self._random = Random(f"secrets of {table}.{column}")
        self._column = column
        self._made: dict[Any, Any] = {}
        self._used: set[str] = set()

    def all_of(self, value: Any) -> Any:
        """Return what stands for a value that is a secret as a whole."""
        if value not in self._made:
            given = value.decode(errors="replace") if isinstance(value, bytes) else str(value)
            for _ in range(100):
                made = self._like(given)
                if made not in self._used and made != given:
                    break
            self._used.add(made)
            self._made[value] = int(made) if isinstance(value, int) else made
        return self._made[value]

    def within(self, value: Any) -> Any:
        """Return a text with all that looks like a secret made up, the members of a JSON text by their names, too."""
        if not isinstance(value, str) or len(value) < 9:
            return value
        if value[:1] in "{[":
            with suppress(ValueError):
                nested = json.loads(value)
                changed = self._members(nested, self._column)
                return value if changed == nested else json.dumps(changed, ensure_ascii=False)
        if _HASHED.fullmatch(value) or (looks_random(value) and _WORDS["public"].isdisjoint(tokens(self._column))):
            return self.all_of(value)
        text = _MARKED.sub(self._marked, value)
        for form, holds in _NUMBERS:
            for found in {each[0] for each in form.finditer(text) if holds(each[0])}:
                text = text.replace(found, self.all_of(found))
        return text

    def _marked(self, found: re.Match[str]) -> str:
        mark = found[found.lastgroup or 0]
        return mark + str(self.all_of(found[0].removeprefix(mark)))

    def _members(self, value: Any, name: str) -> Any:
        if isinstance(value, dict):
            return {key: self._members(each, key) for key, each in value.items()}
        if isinstance(value, list):
            return [self._members(each, name) for each in value]
        if isinstance(value, str):
            return self.all_of(value) if value and is_secret_name(name, "text") else self.within(value)
        return value

    def _like(self, given: str) -> str:
        parts = given.split("$")
        if len(parts) > 1 and _HASHED.fullmatch(given):
            return "$".join(
                each if _FORMS["how_hashed"].fullmatch(each) or (at < 3 and each.isdigit()) else self._run(each)
                for at, each in enumerate(parts)
            )
        found = _MARKED.fullmatch(given)
        mark = found[found.lastgroup or 0] if found else ""
        return mark + re.sub("[A-Za-z0-9]+", lambda found: self._run(found[0]), given.removeprefix(mark))

    def _run(self, run: str) -> str:
        """Return other letters and digits, with a mark that they are made up where there is space for it."""
        if re.fullmatch("[0-9a-f]{16,}", run) and not run.isdigit():
            return "facade" + "".join(self._random.choices("0123456789abcdef", k=len(run) - 6))
        other = "".join(
            self._random.choice(_DIGITS if each.isdigit() else _SMALL if each.islower() else _LARGE) for each in run
        )
        mark = "madeup" if len(run) > 9 else "fake" if len(run) > 6 else ""
        if run.isdigit():  # no social security number begins with a 9, and no card with an 8
            mark = "" if len(run) < 3 else "9" if len(run) < 13 else "8888"
        return (mark.upper() if run.isupper() else mark) + other[len(mark) :]


def looks_random(value: str) -> bool:
    """Return whether a text is long and without any pattern, as keys are, and no uuid."""
    if _FORMS["long"].fullmatch(value) is None or value.isdigit() or value.count("-") > 2 or value.count("/") > 3:
        return False
    kinds = [each.isdigit() + 2 * each.islower() + 4 * each.isupper() for each in value if each.isalnum()]
    changes = sum(one != other for one, other in pairwise(kinds))
    return changes > len(kinds) / 4 and len(set(kinds)) > 1 and 1 in kinds and len(set(value)) > 7


def look_secret(values: Iterable[Any], name: str) -> bool:
    """Return whether the values of a column are secrets by their look, whatever its name is."""
    texts = [str(value).strip() for value in values]
    is_public = not _WORDS["public"].isdisjoint(tokens(name))
    marks = sum(
        (_MARKED.fullmatch(each) is not None and "://" not in each)
        or (not is_public and looks_random(each))
        or any(form.fullmatch(each) and holds(each) for form, holds in _NUMBERS)
        for each in texts
    )
    return any(map(_HASHED.fullmatch, texts)) or marks > len(texts) / 2


def _is_luhn(text: str) -> bool:
    digits = [int(each) for each in text if each.isdigit()][::-1]
    return (sum(digits[::2]) + sum(sum(divmod(2 * each, 10)) for each in digits[1::2])) % 10 == 0


def _is_iban(text: str) -> bool:
    plain = text.replace(" ", "")
    return len(plain) >= 15 and int("".join(str(int(each, 36)) for each in plain[4:] + plain[:4])) % 97 == 1


_NUMBERS = ((_FORMS["card"], _is_luhn), (_FORMS["ssn"], bool), (_FORMS["iban"], _is_iban))
