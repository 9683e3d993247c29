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

SourceRecord = dict[str, dict[str, Any]]
"""What a twin was made of, as JSON: tables and operations by the source's names, each with facts, its name in the twin,
and its members: columns or parameters with their facts."""

_PLAIN = ("name", "secret", "kind", "digits", "decimals", "form")  # of a column, said in another way or not at all
_WORDS = ("comment", "description")
_LABELS = {
    "choices": "allowed values",
    "uniques": "UNIQUE",
    "checks": "CHECK",
    "made": "value that the source fills in",
}
_LABELS |= {"longest": "greatest length", "least": "least value", "most": "greatest value", "references": "reference"}
Names = Mapping[str, str]


@dataclass(frozen=True)
class SourceChange:
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

    differences: tuple[SourceChange, ...]
    tables: Names
    columns: Mapping[tuple[str, str], str]

    def causes(self, text: str, why: str) -> list[str]:
        """Return the differences that a part and the reason why it fails name, best those that the reason names."""
        words, said = ({*re.findall(r"\w+", each)} for each in (f"{text} {why}", why))
        found = [each for each in self.differences if each.names and {*each.names} <= words]
        best = [each for each in found if len(each.names) > 1 and {*each.names[1:]} <= said]
        return [each.sentence for each in best or found if each.sentence not in why]


def record_of(source: TwinSource, settled: SourceSchema) -> SourceRecord:
    """Return what a twin is made of; of rows there are digests alone, with secrets made up as in the twin."""
    tools = {each.said: each.name for each in settled.operations}
    record = {table.said: _table(source, table) for table in settled.tables.values()}
    for said, offered in source.offered.items():
        parameters = {name: facts | {"name": name} for name, facts in offered["parameters"].items()}
        facts = {key: offered[key] for key in ("name", "verb", "description")} | {"left open": settled.opened.get(said)}
        own = {"kind": "operation", "facts": facts, "name": tools.get(said, ""), "members": parameters, "values": {}}
        record[said] = own
    for fact in settled.account.facts.values():
        if fact.part == "statement":
            record[fact.where] = {"kind": fact.why, "facts": {}, "name": "", "members": {}, "values": {}}
    plain: SourceRecord = json.loads(json.dumps(record, default=str))
    return plain


def _table(source: TwinSource, settled: SettledTable) -> dict[str, Any]:
    own, rows = source.tables[settled.said], settled.account.rows.get(settled.said)
    safe = {settled.spelled.get(name, name): name for name in settled.columns}
    values = {said: [row[name] for row in settled.rows] for said, name in safe.items() if settled.rows}
    facts = {"key": own.key, "comment": own.comment, "rows": rows.given if rows else 0, "checks": own.checks}
    facts |= {"uniques": own.uniques, "references": [asdict(each) for each in own.references]}
    return {
        "kind": "table",
        "name": settled.name,
        "facts": facts,
        "members": {said: _column(column) | {"name": safe.get(said, said)} for said, column in own.columns.items()},
        "values": {said: hashlib.sha256(repr(each).encode()).hexdigest()[:16] for said, each in values.items()},
    }


def _column(column: SourceColumn) -> dict[str, Any]:
    size = f"({column.digits}, {column.decimals})" if column.digits is not None else ""
    facts = {key: value for key, value in asdict(column).items() if key not in _PLAIN}
    return {"type": f"{column.kind}{size} {column.form}".strip(), **facts}


def find_drift(old: SourceRecord, new: SourceRecord) -> Drift:
    """Compare what a twin was made of with its source as it is now."""
    pairs = {name: name for name in old if name in new and old[name]["kind"] == new[name]["kind"]}
    pairs |= _pairs(old, new, _has_same_name, _has_same_path, _has_same_members)
    found, tables, columns = list[SourceChange](), dict[str, str](), dict[tuple[str, str], str]()
    heirs = {name: new[name] for name in new if name not in pairs.values() and new[name]["kind"] == "table"}
    for said, own in old.items():
        other, label = new.get(pairs.get(said, "")), f"{own['kind']} {said}"
        names = (own["name"],) if own["name"] else ()
        if other is None:
            moved = [name for name, heir in heirs.items() if {*_moved(own, heir)} - {*own["facts"].get("key", ())}]
            what = f"looks split into {' and '.join(moved)}, which have its columns" if len(moved) > 1 else "went"
            found.append(SourceChange(own["kind"], said, f"{label} {what}", names))
            continue
        if pairs[said] != said:
            found.append(SourceChange(own["kind"], said, f"{label} looks renamed to {pairs[said]}", names))
        members = _same_members(own, other)
        tables[own["name"]] = other["name"]
        for one, two in members.items():
            columns[own["name"], own["members"][one]["name"]] = other["members"][two]["name"]
        found += [*_of_members(said, own, other, members, heirs), *_of_facts(said, own, other, members, pairs, names)]
    for said, own in new.items():
        if said not in pairs.values():
            size = f" ({own['facts']['rows']:,} rows)" if own["kind"] == "table" else ""
            found.append(SourceChange(own["kind"], said, f"{own['kind']} {said} came{size}"))
    if not found and json.dumps(old) != json.dumps(new):
        found.append(SourceChange("order", "", "the source has the same tables and columns in another order"))
    return Drift(tuple(found), tables, columns)


def _pairs(old: Mapping[str, Any], new: Mapping[str, Any], *alike: Callable[..., Any]) -> dict[str, str]:
    """Pair what went with what came where exactly one is like one; the tests are tried in turn."""
    found: dict[str, str] = {}
    for test in alike:
        gone = [name for name in old if name not in new and name not in found]
        came = [name for name in new if name not in old and name not in found.values()]
        like = [(one, other) for one, other in product(gone, came) if test(one, old[one], other, new[other])]
        ones, others = [one for one, _ in like], [other for _, other in like]
        found |= {one: other for one, other in like if ones.count(one) == others.count(other) == 1}
    return found


def _has_same_name(_: str, one: Any, __: str, other: Any) -> bool:
    return bool("operation" == one["kind"] == other["kind"] and one["facts"]["name"] == other["facts"]["name"])


def _has_same_path(said: str, one: Any, now: str, other: Any) -> bool:
    paths = [re.sub(r"\{[^}]*\}", "{}", each) for each in (said, now)]
    return "operation" == one["kind"] == other["kind"] and paths[0] == paths[1]


def _has_same_members(_: str, one: Any, __: str, other: Any) -> bool:
    own, theirs = ([(name, _stated(facts)) for name, facts in each["members"].items()] for each in (one, other))
    verbs = [(each["kind"], each["facts"].get("verb"), each["facts"].get("description")) for each in (one, other)]
    return bool(verbs[0] == verbs[1] and own == theirs != [])


def _stated(facts: Mapping[str, Any]) -> dict[str, Any]:
    return {key: value for key, value in facts.items() if key not in (*_WORDS, "name")}


def _same_members(own: Any, other: Any) -> dict[str, str]:
    """Pair columns or parameters: of one name, of one type with the same values, or in the same place.

    Places count where values cannot be compared, as there are none or other columns have other values, too.
    """
    mine, theirs, values, now = [*own["members"]], [*other["members"]], own["values"], other["values"]
    common = {name: name for name in mine if name in theirs}
    is_other = not (values and now) or any(values.get(name) != now.get(name) for name in common)

    def beside(names: Sequence[str], name: str) -> tuple[str, ...]:
        at = names.index(name)
        return (*names[max(0, at - 1) : at], "", *names[at + 1 : at + 2])

    def in_place(one: str, facts: Any, two: str, theirs_: Any) -> bool:
        is_here = mine.index(one) == theirs.index(two) or beside(mine, one) == beside(theirs, two)
        return is_other and is_here and _stated(facts) == _stated(theirs_)

    def same_values(one: str, facts: Any, two: str, theirs_: Any) -> bool:
        return one in values and values[one] == now.get(two) and _stated(facts) == _stated(theirs_)

    return common | _pairs(own["members"], other["members"], same_values, in_place)


def _moved(own: Any, other: Any) -> list[str]:
    """Return the columns of a table that another one has, of the same type."""
    theirs = other["members"]
    return [name for name, facts in own["members"].items() if theirs.get(name, {}).get("type", "") == facts["type"]]


def _of_members(said: str, own: Any, other: Any, members: Names, heirs: Mapping[str, Any]) -> Iterator[SourceChange]:
    """Yield what is different in the columns of a table, or the parameters of an operation."""
    part, dot = ("column", ".") if own["kind"] == "table" else ("parameter", ": ")
    for name, facts in own["members"].items():
        where = f"{said}{dot}{name}"
        names = (own["name"], facts["name"]) if own["name"] else ()
        if name not in members:
            heir = [each for each in heirs if part == "column" and name in _moved(own, heirs[each])]
            what = f"went; it looks moved to {heir[0]}" if len(heir) == 1 else "went"
            yield SourceChange(part, where, f"{part} {where} {what}", names)
            continue
        now = members[name]
        if now != name:
            is_same = own["values"].get(name) == other["values"].get(now) is not None
            why = f"same type and {'values' if is_same else 'place'}"
            yield SourceChange(part, where, f"{part} {where} looks renamed to {now}: {why}", names)
        yield from _of_values(part, where, facts, other["members"][now], names)
        is_same = _stated(facts) == _stated(other["members"][now]) and own["facts"].get("rows") == other["facts"].get(
            "rows"
        )
        if is_same and own["values"].get(name) != other["values"].get(now):
            yield SourceChange("rows", where, f"rows have other values of {where}")
    for name, facts in other["members"].items():
        if name not in members.values():
            is_needed = facts["required"] and facts.get("default") is None and not facts.get("made")
            where, what = f"{said}{dot}{name}", "required" if is_needed else "optional"
            needing = (own["name"],) if is_needed and own["name"] else ()
            yield SourceChange(part, where, f"{part} {where} came ({facts['type']}, {what})", needing)


def _of_facts(
    said: str, own: Any, other: Any, members: Names, pairs: Names, names: tuple[str, ...]
) -> Iterator[SourceChange]:
    """Yield what else is different in a table or an operation, columns and tables under the names of now."""

    def now(columns: Sequence[str]) -> str:
        return ", ".join(members.get(each, each) for each in columns)

    facts, theirs = dict(own["facts"]), dict(other["facts"])
    if own["kind"] == "table":
        facts["key"], theirs["key"] = now(facts["key"]), ", ".join(theirs["key"])
        same = {name: name for name in other["members"]}
        for each, say, known in ((facts, now, pairs), (theirs, ", ".join, {})):
            each["uniques"] = [say(columns) for columns in each["uniques"]]
            keys = each["references"]
            each["references"] = [f"{say(key['columns'])} -> {known.get(key['table'], key['table'])}" for key in keys]
            each["checks"] = [renamed_check(check, members if each is facts else same) for check in each["checks"]]
    columns = {members.get(name, name): each["name"] for name, each in own["members"].items()}
    yield from _of_values(own["kind"], said, facts, theirs, names, columns)


def _of_values(
    part: str, where: str, old: Any, new: Any, names: tuple[str, ...], columns: Names | None = None
) -> Iterator[SourceChange]:
    """Yield the facts that are others now; of a list, what came and what went, with the columns that it names."""
    for key in dict.fromkeys([*old, *new]):
        one, two, label = old.get(key), new.get(key), _LABELS.get(key, key)
        if one == two or (key == "name" and part in ("column", "parameter")):
            continue
        if isinstance(one, list) and isinstance(two, list):
            for change, mine, others in (("went", one, two), ("came", two, one)):
                touched = () if (key, change) == ("choices", "came") else names
                if fresh := "; ".join(each for each in mine if each not in others):
                    touched += tuple(own for name, own in (columns or {}).items() if name in re.findall(r"\w+", fresh))
                    yield SourceChange(key, where, f"{where}: {label} {change}: {fresh}", touched)
        elif key == "required":
            what = "required (NOT NULL)" if two else "no longer required (NULL is allowed)"
            yield SourceChange(key, where, f"{where} is {what}", names)
        else:
            told = [json.dumps(each, ensure_ascii=False) if each not in (None, "") else "none" for each in (two, one)]
            is_quiet = key in (*_WORDS, "rows")
            yield SourceChange(
                key, where, f"{where}: {label} is {told[0]}, and was {told[1]}", () if is_quiet else names
            )
