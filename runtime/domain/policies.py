"""Column policies: which columns of a final state are compared, how (paper 4.1.1), and in which spellings."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator, Mapping
from typing import Literal

from pydantic import BaseModel, ConfigDict

from runtime.domain.schema import Schema, Table, read_column_ref
from runtime.wording import have

Spelled = Literal["code", "phone", "email"]
"""Of which kind a value is that has several spellings."""

Policy = Literal["hard", "semantic", "generated", "optional"]


class ColumnPolicy(BaseModel):
    """How one column is compared.

    `hard` is exact, within `tolerance` if one is given, or in any spelling of the value where `spelled` says what it
    is; `semantic` is a text in words, which counts where the user dictates it. The two exempt policies say why:
    `generated` (ids from the counter, bookkeeping timestamps) is ignored everywhere, `optional` is ignored on new rows
    and on rows that the task is expected to change.
    """

    model_config = ConfigDict(extra="forbid", frozen=True)

    policy: Policy
    tolerance: float | None = None
    spelled: Spelled | None = None
    reason: str = ""


HARD = ColumnPolicy(policy="hard")
GENERATED_KEY = ColumnPolicy(policy="generated", reason="the key comes from the session's counter")


class Policies:
    """The policy of every column of a schema, and the tables that are logs."""

    def __init__(self, schema: Schema, columns: Mapping[str, ColumnPolicy], logs: Mapping[str, str]) -> None:
        self.logs = frozenset(logs)
        self.by_table: dict[str, dict[str, ColumnPolicy]] = {}
        for table in schema.tables.values():
            self.by_table[table.name] = {
                column: columns.get(f"{table.name}.{column}", _default_policy(table, column))
                for column in table.column_names
            }
        self.generated_positions = {
            table.name: tuple(
                position
                for name, position in table.positions.items()
                if self.by_table[table.name][name].policy == "generated" and name not in table.primary_key
            )
            for table in schema.tables.values()
        }

    def of(self, table: str, column: str) -> ColumnPolicy:
        return self.by_table[table][column]

    def tightened(self, schema: Schema, columns: Mapping[str, ColumnPolicy]) -> Policies:
        """These policies with a task's own ones laid over them."""
        declared = {f"{table}.{name}": policy for table, own in self.by_table.items() for name, policy in own.items()}
        return Policies(schema, declared | dict(columns), dict.fromkeys(self.logs, ""))


_STRICTNESS: dict[Policy, int] = {"generated": 0, "optional": 1, "semantic": 2, "hard": 3}


def loosens(own: ColumnPolicy, declared: ColumnPolicy) -> bool:
    """True if a task's own policy is looser than the domain's."""
    if own.policy == declared.policy == "hard":
        return own.spelled not in (None, declared.spelled) or (own.tolerance or 0) > (declared.tolerance or 0)
    return _STRICTNESS[own.policy] < _STRICTNESS[declared.policy]


def faults_of_policies(schema: Schema, columns: Mapping[str, ColumnPolicy], logs: Mapping[str, str]) -> Iterator[str]:
    """One line per policy that names nothing, gives no reason, or cannot be."""
    for name, policy in columns.items():
        table_name, column_name = read_column_ref(name)
        table = schema.tables.get(table_name)
        column = table.by_name.get(column_name) if table else None
        if table is None or column is None:
            near = have(column_name, table.positions) if table else have(table_name, schema.tables)
            yield f"policy for unknown column {name!r}; {near}."
            continue
        if not policy.reason:
            yield f"policy of column {name!r} has no reason; say why it is {policy.policy}."
        yield from faults_of_policy(table, column_name, policy)
    for table in schema.tables.values():
        for name in table.column_names:
            if f"{table.name}.{name}" not in columns and table.name not in logs:
                yield from faults_of_policy(table, name, _default_policy(table, name))
        for foreign_key in table.foreign_keys:
            kinds = {columns.get(f"{table.name}.{column}", HARD).policy for column in foreign_key.columns}
            if len(kinds) > 1:
                named = ", ".join(foreign_key.columns)
                yield f"foreign key '{table.name}.{named}' has columns of different policies; give them the same."
            if foreign_key.parent in logs and table.name not in logs:
                yield f"table {table.name!r} refers to {foreign_key.parent!r}, which is a log; a log is never compared."
    for name, reason in logs.items():
        if name not in schema.tables:
            yield f"log {name!r} is not a table; {have(name, schema.tables)}."
        elif not reason:
            yield f"log {name!r} has no reason; say why it is not compared."


def faults_of_policy(table: Table, name: str, policy: ColumnPolicy) -> Iterator[str]:
    """One line per way in which a policy cannot be that of this column."""
    column, where = table.by_name[name], f"column '{table.name}.{name}'"
    if policy.policy == "semantic" and column.type != "TEXT":
        yield f"{where} is {column.type}; only TEXT can be semantic."
    if policy.tolerance is not None and (policy.policy != "hard" or column.type == "TEXT" or policy.tolerance < 0):
        yield f"{where} has tolerance {policy.tolerance!r}; only a hard number has one, of 0 or more."
    if policy.spelled is not None:
        if policy.policy not in ("hard", "optional") or column.type != "TEXT":
            yield f"{where} is spelled {policy.spelled!r}; only a hard or optional TEXT can be."
        elif name in table.key_columns:
            yield f"{where} is part of a key; its rows are told apart by its exact value, so that it cannot be spelled."
    if policy.policy == "hard" and column.type == "REAL" and policy.tolerance is None:
        yield f"{where} is REAL and compared exactly; declare a tolerance, or store whole minor units as INTEGER."
    references = any(name in foreign_key.columns for foreign_key in table.foreign_keys)
    if references and (policy.policy in ("semantic", "generated") or policy.tolerance is not None):
        yield f"{where} is a foreign key; it can be hard or optional, exactly."


def _default_policy(table: Table, column: str) -> ColumnPolicy:
    """A key of one column that refers to nothing comes from the counter; everything else is hard."""
    refers = any(column in foreign_key.columns for foreign_key in table.foreign_keys)
    return GENERATED_KEY if table.primary_key == (column,) and not refers else HARD


# Spellings are read here and not by a library: phonenumbers finds a number within a sentence and refuses one without a
# country code; email-validator refuses `.example` and keeps the case before the @.

_BETWEEN = re.compile(r"[\s_‐-―-]+")
_LEADING = re.compile(r"^[.#]+|[.,;]+$")
_CODE = re.compile(r"(?=.*[^\W_])[^\s]{1,60}")
_PHONE = re.compile(
    r"(?P<plus>\+|00(?=[1-9]))?(?P<digits>[\d\s().‐-―/-]{3,40}?)(?:(?:x|ext\.?|#)\s*(?P<extension>\d{1,7}))?"
)
_TRUNK = re.compile(r"\(0\)")  # of a national number, left out behind a country code
_EMAIL = re.compile(r"[^\s@<>,;]+@[^\s@<>,;]+\.[^\s@<>,;.]+")


def canonical(value: str, spelled: Spelled) -> str | None:
    """The one form of all spellings of a value; None if it is not such a value."""
    plain = unicodedata.normalize("NFKC", value).strip().casefold()
    if spelled == "email":
        return plain if _EMAIL.fullmatch(plain) else None
    if spelled == "code":
        plain = _LEADING.sub("", _BETWEEN.sub("", plain))
        return plain if _CODE.fullmatch(plain) else None
    return _read_phone(plain)


def _read_phone(plain: str) -> str | None:
    found = _PHONE.fullmatch(plain)
    if found is None:
        return None
    written = _TRUNK.sub("", found["digits"]) if found["plus"] else found["digits"]
    digits = "".join(letter for letter in written if letter.isdecimal())
    if not 3 <= len(digits) <= 15:
        return None
    extension = f";{found['extension']}" if found["extension"] else ""
    return f"{'+' if found['plus'] else ''}{digits}{extension}"


def same_spelling(one: object, other: object, spelled: Spelled) -> bool:
    """True if two values are spellings of one value; a value of another kind equals only itself."""
    if not isinstance(one, str) or not isinstance(other, str):
        return one == other
    form = canonical(one, spelled)
    return one == other or (form is not None and form == canonical(other, spelled))
