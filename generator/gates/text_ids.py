"""Find ids inside texts: new ids are exempt from comparison, so a text that holds one could never be compared."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Mapping
from contextlib import closing

from runtime.domain.policies import Policies
from runtime.domain.schema import Row, Schema, Table
from runtime.session.world import World

_TOKEN = re.compile(r"[^\W_]+(?:[-_./:#][^\W_]+)*")
_MOST_SHOWN = 3


def find_ids_in_texts(world: World) -> list[str]:
    """Return one sentence for each text column of a world whose values hold ids."""
    with closing(world.open()) as connection:
        rows = {name: connection.execute(table.select_all).fetchall() for name, table in world.schema.tables.items()}
    ids = ids_among(world.schema, rows)
    found: dict[str, list[str]] = {}
    for name, held in rows.items():
        table = world.schema.tables[name]
        for column in text_columns(table, world.policies):
            position = table.positions[column]
            for row in held:
                for token in ids_in(row[position], ids):
                    key = " / ".join(map(str, table.key_of(row)))
                    found.setdefault(f"{name}.{column}", []).append(f"{token!r} in row {key!r}")
    return [
        f"{column} holds ids in its text ({', '.join(places[:_MOST_SHOWN])}"
        f"{f', {len(places)} in all' if len(places) > _MOST_SHOWN else ''}); refer by a foreign key instead"
        for column, places in found.items()
    ]


def ids_among(schema: Schema, rows: Mapping[str, Iterable[Row]]) -> frozenset[str]:
    """Return the TEXT keys among rows that look like ids: a name such as 'fiction' may well occur in a text."""
    return frozenset(
        value
        for name, held in rows.items()
        if _is_named_by_text(schema.tables[name])
        for row in held
        for value in schema.tables[name].key_of(row)
        if isinstance(value, str) and _looks_like_id(value)
    )


def text_columns(table: Table, policies: Policies) -> Iterator[str]:
    """Yield the TEXT columns of a table that are compared and neither key nor reference."""
    named = {*table.primary_key, *(name for foreign_key in table.foreign_keys for name in foreign_key.columns)}
    if table.name in policies.logs:
        return
    for column in table.columns:
        is_compared = policies.of(table.name, column.name).policy != "generated"
        if column.type == "TEXT" and column.name not in named and is_compared:
            yield column.name


def ids_in(text: object, ids: Collection[str]) -> Iterator[str]:
    """Yield the ids that occur in a text as a word of their own."""
    if isinstance(text, str):
        for token in _TOKEN.findall(text):
            if token in ids:
                yield token


def _is_named_by_text(table: Table) -> bool:
    return len(table.primary_key) == 1 and table.by_name[table.primary_key[0]].type == "TEXT"


def _looks_like_id(value: str) -> bool:
    has_digit = any(character.isdigit() for character in value)
    return has_digit and (len(value) >= 5 or any(character.isalpha() for character in value))
