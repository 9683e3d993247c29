"""What was observed, in the form in which a case expects it: complete, and without the keys that a counter gave."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from generator.gates.cases.case import Change
from generator.gates.cases.outcome import Observed, describe_change
from runtime.domain.schema import Schema
from runtime.errors import RejectionKind


@dataclass(frozen=True)
class Expectation:
    """What a case expects: a rejection, or a result and changes; or a crash, which no case can expect."""

    result: dict[str, Any] | None = None
    changes: list[Change] = field(default_factory=list)
    rejects: RejectionKind | None = None
    crash: str = ""

    @property
    def as_json(self) -> dict[str, Any]:
        """As the fields of a case, for a model."""
        if self.crash:
            return {"crash": self.crash}
        if self.rejects:
            return {"rejects": self.rejects}
        return {"result": self.result, "changes": [change.as_json for change in self.changes]}


def expected_form(
    observed: Observed, schema: Schema, defaults: Mapping[str, Mapping[str, Any]], arguments: Mapping[str, Any]
) -> Expectation:
    """What a case would expect that holds for this."""
    if observed.fault:
        return Expectation(crash=observed.sentence)
    if observed.rejection:
        return Expectation(rejects=observed.rejection)
    names = _NewKeys(observed, schema, arguments)
    result = {key: names.named(value, key) for key, value in (observed.result or {}).items()}
    return Expectation(result, [names.change(describe_change(change), defaults) for change in observed.changes])


class _NewKeys:
    """The keys that the counter gave to new rows, as `$new:TABLE` and `$new:TABLE:2`."""

    def __init__(self, observed: Observed, schema: Schema, arguments: Mapping[str, Any]) -> None:
        self.schema = schema
        self.names: dict[tuple[str, Any], str] = {}  # by table and key
        given = json.dumps(arguments, ensure_ascii=False)
        count: dict[str, int] = {}
        for change in observed.changes:
            if change.kind == "added":
                count[change.table] = count.get(change.table, 0) + 1
                number = f":{count[change.table]}" if count[change.table] > 1 else ""
                key = change.key[0]
                if len(change.key) == 1 and _is_counted(change.table, key) and json.dumps(key) not in given:
                    self.names[change.table, key] = f"$new:{change.table}{number}"

    def named(self, value: Any, column: str, table: str = "") -> Any:
        """A value with the new keys in it named; a number is a key only in a column that holds such keys."""
        if isinstance(value, dict):
            return {key: self.named(each, key) for key, each in value.items()}
        if isinstance(value, list):
            return [self.named(each, column) for each in value]
        for (owner, key), name in self.names.items():
            if (
                value == key
                and type(value) is type(key)
                and (isinstance(key, str) or self._holds(owner, column, table))
            ):
                return name
        return value

    def change(self, described: Change, defaults: Mapping[str, Mapping[str, Any]]) -> Change:
        """A change with the new keys named, and without columns that hold their default."""
        table = described.table
        if described.changed is not None:
            named = {key: self.named(each, key, table) for key, each in described.changed.items()}
            return described.model_copy(update={"changed": named})
        if described.added is None:
            return described
        added = {key: self.named(each, key, table) for key, each in described.added.items()}
        keys = self.schema.tables[table].primary_key
        is_named = len(keys) == 1 and str(added[keys[0]]).startswith("$new:")
        kept = {
            column: value
            for column, value in added.items()
            if (column not in keys or not is_named) and (column in keys or value != defaults[table].get(column))
        }
        return described.model_copy(update={"added": kept})

    def _holds(self, owner: str, column: str, table: str) -> bool:
        declared = self.schema.tables.get(table)
        if declared is not None and table != owner:
            return any(each.parent == owner and column in each.columns for each in declared.foreign_keys)
        return column in self.schema.tables[owner].primary_key or any(
            each.parent == owner and column in each.columns
            for other in self.schema.tables.values()
            for each in other.foreign_keys
        )


def _is_counted(table: str, key: Any) -> bool:
    """Whether a key looks like one of the counter's."""
    return isinstance(key, int) or bool(re.fullmatch(rf"{re.escape(table.upper())}-\d{{4,}}", str(key)))
