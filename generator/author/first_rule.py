"""Write people, a rule, its cases, and scenarios that it denies into the folder of a domain that has none."""

from __future__ import annotations

import ast
import json
import operator
import random
import re
import tomllib
from collections.abc import Callable, Collection, Iterator, Mapping
from contextlib import closing
from dataclasses import dataclass
from importlib.resources import files
from pathlib import Path
from typing import Any

from generator.author.writing.rules import RuleDesign, RulesDesign, rules_file
from generator.gates.calls.sample import Sampler
from generator.gates.calls.start import start_on
from generator.gates.cases.case import Case, TopicCases, write_cases
from generator.gates.cases.case import read_cases_if_any as read_cases
from generator.gates.constraints import choices_in
from generator.gates.rules.case import FILE, GivenCall, RuleCase, RuleTopic, read_rule_cases
from runtime.domain.caller_rules import caller_tables
from runtime.domain.domain import Domain
from runtime.domain.load import RULES, load_domain
from runtime.domain.schema import Value
from runtime.errors import UsageError
from runtime.session.session import Session
from runtime.task.story import FILE as SCENARIOS
from runtime.wording import singular

_TEMPLATES = tomllib.loads(files(__package__).joinpath("first_rule.toml").read_text("utf-8"))
OPERATORS: Mapping[str, tuple[str, Callable[[Any, Any], bool]]] = {
    "is": ("==", operator.eq),
    "is not": ("!=", operator.ne),
    "above": (">", operator.gt),
    "below": ("<", operator.lt),
    "at least": (">=", operator.ge),
    "at most": ("<=", operator.le),
}
ASKED = "asked_"  # begins the name of a scenario that asks the rule
_SIZE = 12  # rows of the world that cases start from


@dataclass(frozen=True)
class Condition:
    """When a rule forbids a call: a column of the record that the argument names, compared with a value."""

    table: str
    argument: str
    column: str
    operator: str
    value: Value

    def holds(self, value: Value) -> bool:
        """Return True if a value of the column is one for which calls are forbidden."""
        return OPERATORS[self.operator][1](value, self.value)

    @property
    def words(self) -> str:
        """The condition as a person reads it, with its number as a mark."""
        shown = "{limit}" if isinstance(self.value, int) else f'"{self.value}"'
        return f"whose {self.column.replace('_', ' ')} is {self.operator.removeprefix('is').strip()} {shown}".replace(
            "  ", " "
        )


def write_people(folder: Path, domain: Domain, table: str, name: str, proven_by: Mapping[str, str]) -> None:
    """Write who calls: a table that is there, or a new one with made-up rows; they are found by the first proof."""
    schema = folder / "schema.sql"
    key = domain.schema.tables[table].primary_key[0] if table in domain.schema.tables else f"{table}_id"
    kind = domain.schema.tables[table].by_name[key].type if table in domain.schema.tables else "TEXT"
    column, label = next(iter(proven_by.items()))
    person = singular(table.replace("_", " "))
    marks = {"table": table, "key": key, "person": person, "prefix": table.upper(), "name": name}
    marks |= {"column": column, "label": label, "type": "int" if kind == "INTEGER" else "str"}
    sql = schema.read_text("utf-8")
    if table not in domain.schema.tables:
        sql += _TEMPLATES["table"].format(**marks)
        world = folder / "world.py"
        text = world.read_text("utf-8")
        populate = next(each for each in ast.parse(text).body if getattr(each, "name", "") == "populate")
        assert isinstance(populate, ast.FunctionDef)
        lines, last = text.splitlines(), populate.body[-1].end_lineno or 0
        lines.insert(last, f"    add_callers({populate.args.args[0].arg})")
        world.write_text("\n".join(lines) + _TEMPLATES["world"].format(**marks), "utf-8")
    numbered = {each.by_name[each.primary_key[0]].type for each in domain.schema.tables.values()}
    schema.write_text(sql + caller_tables(table, key, kind, "INTEGER" if "INTEGER" in numbered else "TEXT"), "utf-8")
    (folder / "tools" / "callers.py").write_text(_TEMPLATES["tool"].lstrip().format(**marks), "utf-8")
    card = json.loads((folder / "domain.json").read_text("utf-8"))
    card["people"] = {"table": table, "name": name, "found_by": {column: "find_caller"}, "proven_by": {**proven_by}}
    (folder / "domain.json").write_text(json.dumps(card, indent=2, ensure_ascii=False) + "\n", "utf-8")
    _write_finder_cases(folder, table, column)


def _write_finder_cases(folder: Path, table: str, column: str) -> None:
    domain = load_domain(folder)
    rows = _rows(domain)
    person = rows[table][0]
    with Session(domain, start_on(domain, 1, _SIZE).world) as session:
        result = dict(session.call("find_caller", **{column: person[column]}))
    cases = [
        Case(
            id="find_caller-1",
            tool="find_caller",
            title="finds who is calling",
            arguments={column: person[column]},
            result=result,
        ),
        Case(id="find_caller-2", tool="find_caller", title="nobody", arguments={column: "nobody"}, rejects="NOT_FOUND"),
    ]
    book = {**read_cases(folder), "callers": TopicCases(rows={table: [person]}, cases=cases).numbered()}
    (folder / "cases.jsonl").write_text(write_cases(book), "utf-8")


def _rows(domain: Domain) -> dict[str, list[dict[str, Value]]]:
    with closing(start_on(domain, 1, _SIZE).world.open()) as connection:
        tables = domain.schema.tables.values()
        found = {each.name: [each.record(row) for row in connection.execute(each.select_all)] for each in tables}
    return {name: rows for name, rows in found.items() if rows}


def write_rule(
    folder: Path, code: str, prose: str, tools: list[str], condition: Condition, exempt: dict[str, str]
) -> None:
    """Write a rule, its cases around the value, and for each request that makes such a call one that asks the rule."""
    domain = load_domain(folder)
    is_number = isinstance(condition.value, int)
    sign = {"==": "!=", "!=": "==", ">": "<=", "<": ">=", ">=": "<", "<=": ">"}[OPERATORS[condition.operator][0]]
    right = "limit" if is_number else json.dumps(condition.value)
    design = RuleDesign(
        code=code,
        on=dict.fromkeys(tools, condition.argument),
        reads=[condition.table],
        exempt=exempt,
        numbers={"limit": condition.value} if isinstance(condition.value, int) else {},
        prose=prose,
        body=f'return now.require("{condition.table}", call.item)["{condition.column}"] {sign} {right}',
    )
    text, path = rules_file(RulesDesign(rules=[design])), folder / RULES
    if path.exists():
        text = f"{path.read_text('utf-8')}\n\n{text[text.index('@rule') :]}"
    path.write_text(text, "utf-8")
    topic = RuleTopic(rows=_rows(domain), cases=[*_cases(domain, code, tools, condition)]).numbered()
    (folder / FILE).write_text(write_cases({**read_rule_cases(folder), code.lower(): topic}), "utf-8")
    scenarios = folder / SCENARIOS
    if scenarios.exists():
        scenarios.write_text(_asking(scenarios.read_text("utf-8"), tools), "utf-8")


def _cases(domain: Domain, code: str, tools: list[str], condition: Condition) -> Iterator[RuleCase]:
    """Yield calls that their tool accepts, on a record with each value that tells the rule from one that is off."""
    table = domain.schema.tables[condition.table]
    key, start = table.primary_key[0], start_on(domain, 1, _SIZE)
    listed = choices_in(domain.schema).get((table.name, condition.column), [])
    values: list[Value] = [condition.value, *(each for each in listed if each != condition.value)]
    if isinstance(condition.value, int):
        values = [condition.value - 1, condition.value, condition.value + 1]
    elif not listed:
        values.append(f"not {condition.value}")
    for tool in tools:
        sampler, chance = Sampler(domain.tools[tool], start), random.Random(f"{code} {tool}")
        with Session(domain, start.world) as session:
            for _ in range(400):
                arguments = sampler.sample(chance, sampler.anchor(chance))
                session.reset()
                if session.perform(tool, arguments).rejection is None:
                    break
            else:
                raise UsageError(f"No call of {tool} was found that it accepts, so the rule can have no case.")
        for value in values:
            row = {key: arguments[condition.argument], condition.column: value}
            allowed = not condition.holds(value)
            title = f"{condition.column} {value!r} is {'allowed' if allowed else 'denied'}"
            call = GivenCall(tool=tool, arguments=arguments)
            yield RuleCase(rule=code, title=title, rows={table.name: [row]}, call=call, allowed=allowed)


def drop_scenarios(folder: Path, names: Collection[str]) -> None:
    """Remove scenarios of which the rule leaves too little."""
    path = folder / SCENARIOS
    lines = path.read_text("utf-8").splitlines()
    for function in reversed(ast.parse("\n".join(lines)).body):
        if isinstance(function, ast.FunctionDef) and function.name in names:
            del lines[function.decorator_list[0].lineno - 1 : function.end_lineno]
    path.write_text("\n".join([*lines, ""]), "utf-8")


def _asking(text: str, tools: list[str]) -> str:
    """Return scenarios whose callers identify themselves and ask for what is permitted, and some that ask the rule."""
    lines = text.splitlines()
    functions = [each for each in ast.parse(text).body if isinstance(each, ast.FunctionDef)]
    helpers = {each.name for each in functions if not each.decorator_list}
    copies: dict[bool, list[str]] = {True: [], False: []}  # of plain requests, and of others, which are the last resort
    for function in reversed(functions):
        first = next((each for each in function.body if _calls(each, helpers)), None)
        if function.name in helpers or first is None:
            continue
        known = "story.identify()" in ast.unparse(function)
        identified = [] if known else ["    story.identify()"]
        guarded = [(each, call) for each in function.body if (call := _guarded(each, tools)) is not None]
        if [each for each, _ in guarded] == function.body[-1:]:
            own = copies[isinstance(function.decorator_list[0], ast.Name)]
            own[:0] = _copy(lines, function, first, guarded[0][1], identified)
        for statement, call in reversed(guarded):
            lines[statement.lineno - 1 : statement.end_lineno] = _filled("permitted", call)
        lines[first.lineno - 1 : first.lineno - 1] = identified
    return "\n".join([*lines, *(copies[True] or copies[False]), ""])


def _calls(statement: ast.stmt, helpers: set[str]) -> bool:
    names = {ast.unparse(each.func) for each in ast.walk(statement) if isinstance(each, ast.Call)}
    return bool(names & {"story.call", *helpers})


def _guarded(statement: ast.stmt, tools: list[str]) -> ast.Call | None:
    match statement:
        case ast.Expr(ast.Call(func, [ast.Constant(str(tool))]) as call) if tool in tools:
            return call if ast.unparse(func) == "story.call" else None
    return None


def _filled(template: str, call: ast.Call, **marks: str) -> list[str]:
    given = {str(each.arg): f"{each.arg}={ast.unparse(each.value)}" for each in call.keywords}
    marks["wish"] = f"{given.pop('wish')}, " if "wish" in given else ""
    text = _TEMPLATES[template].format(arguments=", ".join(given.values()), tool=ast.unparse(call.args[0]), **marks)
    return [f"    {each}" for each in text.strip().split("\n")]


def _copy(
    lines: list[str], function: ast.FunctionDef, first: ast.stmt, call: ast.Call, identified: list[str]
) -> Iterator[str]:
    """Yield a scenario that makes its last call only if the rules permit it, and otherwise has it declined."""
    at = function.lineno - 1
    body = lines[at : first.lineno - 1] + identified + lines[first.lineno - 1 : function.body[-1].lineno - 1]
    text = "\n".join(body).replace("def ", f"def {ASKED}", 1).replace("    story.wish(", "    asked = story.wish(", 1)
    wish = re.search(r"(\w+) = story\.wish\(", text)
    yield from ("", "", '@scenario(form="denied")', text)
    yield from _filled("scenario", call, asked=wish[1] if wish else "0")
