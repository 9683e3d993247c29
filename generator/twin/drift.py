"""How a source differs from what a twin was made of: what came, went, changed or looks renamed, a sentence each."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from itertools import product
from typing import Any

from generator.twin.schema import renamed_check
from generator.twin.source import SettledTable, SourceColumn, SourceSchema, TwinSource
from runtime.wording import counted

SourceRecord = dict[str, Any]
"""What a twin was made of, as JSON: "tables" and "operations" by the source's names, and "others" (views, triggers)."""

_TYPE = ("kind", "digits", "decimals", "form")
_FACETS = {"required": "NOT NULL", "default": "default", "made": "value that the source fills in", "longest": "length"}
_FACETS |= {"least": "least value", "most": "greatest value", "comment": "comment"}
_UNSAID = ("name", "secret")  # of a column's facts: a key of its own, and decided from the rows
Names = Mapping[str, str]


@dataclass(frozen=True)
class Difference:
    """One thing that is different in the source now, with the names in the twin by which its parts mention it."""

    part: str
    where: str
    sentence: str
    names: tuple[str, ...] = ()
    """Of the table and the column, or the tool and the parameter; empty where nothing of before is touched."""

    @property
    def as_json(self) -> dict[str, str]:
        """What it says, for `--json`."""
        return {"part": self.part, "where": self.where, "sentence": self.sentence}


@dataclass(frozen=True)
class Drift:
    """All differences, and what tables and columns of the twin are called now."""

    differences: tuple[Difference, ...]
    tables: Names
    """Names in the twin: by the one of before, that of now."""
    columns: Mapping[tuple[str, str], str]

    def causes(self, text: str) -> list[str]:
        """Return the differences whose names a text has, such as the code of a rule."""
        words = {*re.findall(r"\w+", text)}
        found = [each for each in self.differences if each.names and {*each.names} <= words]
        return [each.sentence for each in found]


def record_of(source: TwinSource, settled: SourceSchema) -> SourceRecord:
    """Return what a twin is made of; of rows there are digests alone, with secrets made up as in the twin."""
    tables = {table.said: _table(source, table) for table in settled.tables.values()}
    operations = {
        said: offered | {"open": settled.opened.get(said, ""), "tool": _tool_of(settled, said)}
        for said, offered in source.offered.items()
    }
    others = sorted(fact.where for fact in settled.account.facts.values() if fact.part == "statement")
    text = json.dumps({"tables": tables, "operations": operations, "others": others}, default=str)
    record: SourceRecord = json.loads(text)
    return record


def _tool_of(settled: SourceSchema, said: str) -> str:
    return next((each.name for each in settled.operations if each.said == said), "")


def _table(source: TwinSource, settled: SettledTable) -> dict[str, Any]:
    own, rows = source.tables[settled.said], settled.account.rows.get(settled.said)
    safe = {settled.spelled.get(name, name): name for name in settled.columns}
    return {
        "name": settled.name,
        "comment": own.comment,
        "columns": {name: _facts(column) | {"name": safe.get(name, name)} for name, column in own.columns.items()},
        "key": list(own.key),
        "uniques": [list(each) for each in own.uniques],
        "references": [asdict(each) for each in own.references],
        "checks": own.checks,
        "rows": rows.given if rows else 0,
        "values": {said: _digest([row[name] for row in settled.rows]) for said, name in safe.items() if settled.rows},
    }


def _facts(column: SourceColumn) -> dict[str, Any]:
    facts = asdict(column)
    return {name: value for name, value in facts.items() if value not in (None, "", False, ()) and name not in _UNSAID}


def _digest(values: Sequence[Any]) -> str:
    return hashlib.sha256(json.dumps(values, default=str).encode()).hexdigest()[:16]


def find_drift(old: SourceRecord, new: SourceRecord) -> Drift:
    """Compare what a twin was made of with its source as it is now."""
    before, now = old["tables"], new["tables"]
    tables = _pairs(before, now, lambda one, other: _shape(one) == _shape(other))
    columns = {
        name: _renamed_columns(before[name], now[tables.get(name, name)])
        for name in before
        if tables.get(name, name) in now
    }
    found = [*_of_tables(before, now, tables, columns)]
    for name, renamed in columns.items():
        found += _of_table(
            name, before[name], tables.get(name, name), now[tables.get(name, name)], renamed, tables, now
        )
    found += _of_operations(old["operations"], new["operations"])
    for change, names in (("came", [*new["others"]]), ("went", [*old["others"]])):
        others = old["others"] if change == "came" else new["others"]
        found += [Difference("statement", each, f"{each} {change}") for each in names if each not in others]
    if not found and json.dumps(old) != json.dumps(new):
        found.append(Difference("table", "", "the source lists the same things in another order"))
    twin_tables = {before[one]["name"]: now[tables.get(one, one)]["name"] for one in columns}
    twin_columns = {
        (before[name]["name"], before[name]["columns"][one]["name"]): now[tables.get(name, name)]["columns"][other][
            "name"
        ]
        for name, renamed in columns.items()
        for one, other in renamed.items()
    }
    return Drift(tuple(found), twin_tables, twin_columns)


def _pairs(old: Mapping[str, Any], new: Mapping[str, Any], *alike: Callable[[Any, Any], bool]) -> dict[str, str]:
    """Pair what went with what came where exactly one is like one; the tests are tried in turn."""
    found: dict[str, str] = {}
    for test in alike:
        gone = [name for name in old if name not in new and name not in found]
        came = [name for name in new if name not in old and name not in found.values()]
        like = [(one, other) for one, other in product(gone, came) if test(old[one], new[other])]
        ones, others = [one for one, _ in like], [other for _, other in like]
        found |= {one: other for one, other in like if ones.count(one) == others.count(other) == 1}
    return found


def _shape(table: Mapping[str, Any]) -> Any:
    return [(name, _plain(column)) for name, column in table["columns"].items()]


def _plain(facts: Mapping[str, Any]) -> dict[str, Any]:
    """Return what is stated of a column, a parameter or an operation but its words and its name."""
    return {key: value for key, value in facts.items() if key not in ("comment", "description", "name", "tool", "open")}


def _placed(facts: Mapping[str, Mapping[str, Any]]) -> dict[str, dict[str, Any]]:
    """Return facts in their order, each with its place and its neighbors."""
    names = [*facts]
    beside = ["", *names, ""]
    return {
        name: {"facts": _plain(facts[name]), "at": at, "beside": (beside[at], beside[at + 2])}
        for at, name in enumerate(names)
    }


def _same_place(one: Mapping[str, Any], other: Mapping[str, Any]) -> bool:
    return bool(one["facts"] == other["facts"] and (one["at"] == other["at"] or one["beside"] == other["beside"]))


def _renamed_columns(old: Mapping[str, Any], new: Mapping[str, Any]) -> dict[str, str]:
    """Pair columns of the same type and values, or of the same type and place where values cannot be compared."""
    values = old["values"], new["values"]
    common = {*old["columns"]} & {*new["columns"]}
    has_other_rows = not all(values) or any(values[0].get(name) != values[1].get(name) for name in common)
    mine, theirs = [
        {name: placed | {"values": own.get(name)} for name, placed in _placed(table["columns"]).items()}
        for table, own in zip((old, new), values, strict=True)
    ]
    return _pairs(
        mine,
        theirs,
        lambda one, other: one["facts"] == other["facts"] and one["values"] == other["values"] is not None,
        lambda one, other: has_other_rows and _same_place(one, other),
    )


def _of_tables(before: Any, now: Any, tables: Names, columns: Mapping[str, Names]) -> Iterator[Difference]:
    """Yield the tables that came or went; one whose columns are all in two new ones or more looks split."""
    came = [name for name in now if name not in before and name not in tables.values()]
    for name, table in before.items():
        if name in tables:
            yield Difference(
                "table", name, f"table {name} looks renamed to {tables[name]}: same columns", (table["name"],)
            )
        elif name not in now:
            heirs = [each for each in came if _moved(table, now[each]) - {*table["key"]}]
            moved = {column for each in heirs for column in _moved(table, now[each])}
            is_split = len(heirs) > 1 and {*table["columns"]} - {*table["key"]} <= moved
            what = f"looks split into {' and '.join(heirs)}, which have its columns" if is_split else "went"
            yield Difference("table", name, f"table {name} {what}", (table["name"],))
    for name in came:
        size = f"{counted(len(now[name]['columns']), 'column')}, {counted(now[name]['rows'], 'row')}"
        yield Difference("table", name, f"table {name} came ({size})")


def _moved(table: Mapping[str, Any], other: Mapping[str, Any]) -> set[str]:
    """Return the columns of a table that another one has, of the same type."""
    theirs = other["columns"]
    return {name for name, own in table["columns"].items() if theirs.get(name, {}).get("kind") == own["kind"]}


def _of_table(
    name: str, old: Any, now_name: str, new: Any, renamed: Names, tables: Names, now: Any
) -> Iterator[Difference]:
    """Yield what is different in a table that is still there."""
    at_table = (old["name"],)

    def at(column: str) -> tuple[str, ...]:
        return (old["name"], old["columns"][column]["name"])

    for column, own in old["columns"].items():
        other = new["columns"].get(renamed.get(column, column))
        where = f"{name}.{column}"
        if column in renamed:
            is_same = old["values"].get(column) == new["values"].get(renamed[column]) is not None
            why = "same type and values" if is_same else "same type and place"
            yield Difference("column", where, f"{where} looks renamed to {renamed[column]}: {why}", at(column))
        if other is None:
            heirs = [each for each in now if each != now_name and column in _moved(old, now[each])]
            is_moved = len(heirs) == 1 and column not in old["key"]
            what = f"went; it looks moved to {heirs[0]}.{column}" if is_moved else "went"
            yield Difference("column", where, f"{where} {what}", at(column))
        else:
            yield from _of_column(where, own, other, at(column))
    for column, own in new["columns"].items():
        if column not in old["columns"] and column not in renamed.values():
            is_needed = own.get("required") and "default" not in own and "made" not in own
            names = at_table if is_needed else ()
            what = f"came ({own['kind']}, {'required' if is_needed else 'may be left out'})"
            yield Difference("column", f"{name}.{column}", f"{now_name}.{column} {what}", names)
    mine = [renamed.get(each, each) for each in old["key"]]
    if mine != new["key"]:
        said = [", ".join(each) or "none" for each in (mine, new["key"])]
        yield Difference("key", name, f"the key of {name} is {said[1]}, and was {said[0]}", at_table)
    had, has = ({each[:2]: each[2] for each in found} for found in (_named(old, renamed, tables), _named(new, {}, {})))
    for part, words in dict.fromkeys([*had, *has]):
        if ((part, words) in had) != ((part, words) in has):
            change, column = ("came", "") if (part, words) in has else ("went", had[part, words])
            yield Difference(part, name, f"{part} of {name} {change}: {words}", at(column) if column else at_table)
    if old["comment"] != new["comment"]:
        yield Difference("comment", name, f"{name}: the comment is {new['comment']!r}, and was {old['comment']!r}")
    if old["rows"] != new["rows"]:
        yield Difference("rows", name, f"{name} has {counted(new['rows'], 'row')}, and had {old['rows']:,}")
    else:
        pairs = [(each, renamed.get(each, each)) for each in old["values"]]
        others = [one for one, other in pairs if other in new["values"] and new["values"][other] != old["values"][one]]
        if others:
            yield Difference("rows", name, f"rows of {name} have other values of {', '.join(others)}")


def _of_column(where: str, own: Any, other: Any, names: tuple[str, ...]) -> Iterator[Difference]:
    types = [" ".join(str(each[key]) for key in _TYPE if key in each) for each in (own, other)]
    if types[0] != types[1]:
        yield Difference("type", where, f"{where} is of type {types[1]}, and was {types[0]}", names)
    choices = [own.get("choices", []), other.get("choices", [])]
    for change, mine, theirs in (("came", choices[1], choices[0]), ("went", choices[0], choices[1])):
        if fresh := [each for each in mine if each not in theirs]:
            listed = ", ".join(map(repr, fresh))
            yield Difference("choices", where, f"{where}: the allowed values {listed} {change}", names)
    for key, said in _FACETS.items():
        one, two = own.get(key), other.get(key)
        if key == "required" and one != two:
            yield Difference(key, where, f"{where} is {'NOT NULL now' if two else 'no longer NOT NULL'}", names)
        elif one != two:
            told = [json.dumps(each, ensure_ascii=False) if each is not None else "none" for each in (two, one)]
            yield Difference(key, where, f"{where}: the {said} is {told[0]}, and was {told[1]}", names)


def _named(table: Any, renamed: Names, tables: Names) -> Iterator[tuple[str, str, str]]:
    """Yield the uniques, references and conditions of a table in words, under the names of now, each with a column."""

    def now(columns: Sequence[str]) -> str:
        return ", ".join(renamed.get(each, each) for each in columns)

    for columns in table["uniques"]:
        yield "unique", now(columns), columns[0]
    for each in table["references"]:
        target = tables.get(each["table"], each["table"])
        yield "reference", f"{now(each['columns'])} -> {target}", each["columns"][0]
    for check in table["checks"]:
        yield "check", renamed_check(check, renamed), ""


# Operations


def _of_operations(old: Any, new: Any) -> Iterator[Difference]:
    """Yield what is different in an API or a server."""
    pairs = _pairs(
        {said: {**each, "said": _path(said)} for said, each in old.items()},
        {said: {**each, "said": _path(said)} for said, each in new.items()},
        lambda one, other: one["name"] == other["name"],
        lambda one, other: one["said"] == other["said"],
        lambda one, other: bool(one["parameters"]) and _wanted(one) == _wanted(other),
    )
    for said, own in old.items():
        names = (own["tool"],) if own["tool"] else ()
        other = new.get(pairs.get(said, said))
        if other is None:
            yield Difference("operation", said, f"operation {said} went", names)
            continue
        if said in pairs:
            yield Difference("operation", said, f"operation {said} looks renamed to {pairs[said]}", names)
        elif own["name"] != other["name"]:
            yield Difference(
                "operation", said, f"operation {said} is called {other['name']}, and was {own['name']}", names
            )
        if own["open"] != other["open"]:
            what = f"is left open: {other['open']}" if other["open"] else "is a tool now"
            yield Difference("operation", said, f"operation {said} {what}", names)
        if own["description"] != other["description"]:
            yield Difference("operation", said, f"operation {said} is described differently")
        yield from _of_parameters(said, own["parameters"], other["parameters"], names)
    for said in new:
        if said not in old and said not in pairs.values():
            yield Difference("operation", said, f"operation {said} came")


def _path(said: str) -> str:
    return re.sub(r"\{[^}]*\}", "{}", said)


def _wanted(operation: Mapping[str, Any]) -> Any:
    own = {name: _plain(facts) for name, facts in operation["parameters"].items()}
    return operation["verb"], operation["description"], own


def _of_parameters(said: str, old: Any, new: Any, tool: tuple[str, ...]) -> Iterator[Difference]:
    renamed = _pairs(_placed(old), _placed(new), _same_place)
    for name, own in old.items():
        other, names = new.get(renamed.get(name, name)), (*tool, name) if tool else ()
        if name in renamed:
            why = f"parameter {name} of {said} looks renamed to {renamed[name]}: same type and place"
            yield Difference("parameter", f"{said}: {name}", why, names)
        if other is None:
            yield Difference("parameter", f"{said}: {name}", f"parameter {name} of {said} went", names)
            continue
        for key in sorted({*own, *other}):
            if own.get(key) != other.get(key):
                told = f"{key} is {json.dumps(other.get(key))}, and was {json.dumps(own.get(key))}"
                yield Difference("parameter", f"{said}: {name}", f"parameter {name} of {said}: {told}", names)
    for name, own in new.items():
        if name not in old and name not in renamed.values():
            what = "required" if own.get("required") else "optional"
            names = tool if own.get("required") else ()
            yield Difference("parameter", f"{said}: {name}", f"parameter {name} of {said} came ({what})", names)
