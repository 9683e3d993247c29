"""A domain folder as a draft, so that the stages of a build can mend it; what they leave alone stays byte for byte."""

from __future__ import annotations

import ast
import json
import textwrap
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, get_args

from generator.author.design import (
    PLAIN_TYPES,
    BuildOrder,
    CallerDesign,
    Catalogue,
    ColumnRule,
    DatabaseDesign,
    Entity,
    LogTable,
    Parameter,
    PeopleDesign,
    Precondition,
    Quantity,
    Record,
    ToolDesign,
    ToolTables,
    Topic,
    Weekday,
)
from generator.author.draft import Draft
from generator.author.writing.code import TYPES, Body, TopicCode, indented, manual, write_imports
from generator.author.writing.documents import scenario_text
from generator.author.writing.rules import DutyDesign, RuleDesign, RulesDesign, rule_text
from generator.author.writing.splice import with_parts, without_parts
from generator.gates.cases.case import read_cases_if_any, write_cases
from generator.gates.rules.case import FILE as RULE_CASES
from generator.gates.rules.case import read_rule_cases
from generator.scenarios.scenario import ScenarioDesign
from runtime.domain.domain import Domain
from runtime.domain.load import RULES, load_domain
from runtime.domain.people import is_desk_tool
from runtime.graph import read_graph
from runtime.model.book import AnswerBook
from runtime.sandbox.module import parse
from runtime.task.story import FILE as SCENARIOS

_BOUNDS = {"ge": "minimum", "le": "maximum", "min_length": "minimum", "max_length": "maximum"}
_KINDS = {python: kind for kind, python in TYPES.items()}
_UNTOLD = "one of these requirements, as the cases show"  # of a kind of rejection that the manual does not single out


@dataclass(frozen=True)
class FolderDraft(Draft):
    """A draft that was read from a folder: its texts, and itself as it was read; only what differs is written anew."""

    texts: Mapping[str, str] = field(default_factory=dict)
    before: Draft = field(default_factory=lambda: Draft(""))

    def files(self) -> dict[str, str]:
        """Return the text of each file, in which what did not change is as it was."""
        files = super().files()
        card = json.loads(self.texts["domain.json"])
        if "people" in card and self.people_of_code() is None:
            del card["people"]
            files["domain.json"] = json.dumps(card)
        for name, is_same in {
            "domain.json": "people" in card or self.before.people is None,
            "schema.sql": True,
            "world.py": self.world == self.before.world,
        }.items():
            if is_same:
                files[name] = self.texts[name]
        for name, now, then in (
            ("cases.jsonl", self.cases, self.before.cases),
            (RULE_CASES, self.rule_cases, self.before.rule_cases),
        ):
            if name in files and name in self.texts:
                lines = self.texts[name].splitlines(keepends=True)
                old = dict(zip(write_cases(then).splitlines(keepends=True), lines, strict=True))
                files[name] = "".join(old.get(line, line) for line in write_cases(now).splitlines(keepends=True))
        if RULES in files and RULES in self.texts:
            files[RULES] = self._rules_text()
        if SCENARIOS in files and SCENARIOS in self.texts:
            files[SCENARIOS] = self._scenarios_text()
        return files

    def write(self, folder: Path) -> None:
        """Write the files, those that changed formatted."""
        super().write(folder)
        for name, text in self.files().items():
            if self.texts.get(name) == text:
                (folder / name).write_text(text, encoding="utf-8", newline="\n")

    def tool_files(self) -> dict[str, str]:
        """Return the files of `tools/` by topic, with the bodies, helpers and tables that changed in their place."""
        topics = [topic.name for topic in self.catalogue.topics if topic.name in self.code]
        return {topic: self._topic_text(topic) for topic in topics}

    def _topic_text(self, topic: str) -> str:
        text, now, then = self.texts[f"tools/{topic}.py"], self.code[topic], self.before.code[topic]
        old = {each.tool: each.body for each in then.bodies}
        heads = {node.name: node for node in parse(text).body if isinstance(node, ast.FunctionDef)}
        parts = [now.helpers] if now.helpers.strip() and now.helpers != then.helpers else []
        parts += [
            _with_body(text, heads[each.tool], each.body, self.tables.get(each.tool))
            for each in now.bodies
            if each.tool in heads and each.body != old.get(each.tool)
        ]
        return _with_imports(with_parts(text, "\n\n\n".join(parts))) if parts else text

    def _rules_text(self) -> str:
        text, old = self.texts[RULES], {each.code: each for each in self.before.rules.parts}
        heads = {node.name: node for node in parse(text).body if isinstance(node, ast.FunctionDef)}
        own = {each.code: each for each in self.rules.parts}
        is_new = self.rules.helpers.strip() and self.rules.helpers != self.before.rules.helpers
        parts = [self.rules.helpers] if is_new else []
        for code, each in own.items():
            if code in old and each == old[code].model_copy(update={"body": each.body}):
                parts += [_with_body(text, heads[code.lower()], each.body)] if each.body != old[code].body else []
            else:
                parts.append(rule_text(each))
        text = without_parts(text, {code.lower() for code in old.keys() - own.keys()})
        return _with_imports(with_parts(text, "\n\n\n".join(parts))) if parts else text

    def _scenarios_text(self) -> str:
        old = {each.name: each for each in self.before.scenarios}
        own = {each.name: each for each in self.scenarios}
        known = self.before.conditions
        parts = [f"{name} = {sql!r}" for name, sql in self.conditions.items() if known.get(name) != sql]
        parts += [scenario_text(each) for name, each in own.items() if old.get(name) != each]
        text = without_parts(self.texts[SCENARIOS], old.keys() - own.keys())
        return with_parts(text, "\n\n\n".join(parts)) if parts else text


def read_draft(folder: Path) -> FolderDraft:
    """Read a folder; what a design has and no file says comes from its recorded answers. Errors: BrokenDomain."""
    domain = load_domain(folder)
    paths = [path for path in (*folder.iterdir(), *(folder / "tools").iterdir()) if path.is_file()]
    kinds = {".py", ".sql"}
    names = {"domain.json", "cases.jsonl", RULE_CASES}
    texts = {
        path.relative_to(folder).as_posix(): path.read_text(encoding="utf-8")
        for path in sorted(paths)
        if path.suffix in kinds or path.name in names
    }
    recorded = _Recorded(folder)
    catalogue = _catalogue(domain, texts, recorded)
    own = [tool for tool in domain.tools.values() if not is_desk_tool(tool.name)]
    parts: dict[str, Any] = {
        "name": domain.name,
        "order": BuildOrder(domain.card.title, domain.name, len(own), rules=bool(domain.rules)),
        "catalogue": catalogue,
        "database": DatabaseDesign(
            schema_sql=texts["schema.sql"],
            policies=[
                ColumnRule.model_construct(column=column, **dict(policy))
                for column, policy in domain.card.columns.items()
            ],
            logs=[LogTable.model_construct(table=table, reason=reason) for table, reason in domain.card.logs.items()],
        ),
        "people_design": _people(domain, recorded),
        "world": texts["world.py"],
        "code": {topic.name: _code(texts[f"tools/{topic.name}.py"]) for topic in catalogue.topics},
        "cases": read_cases_if_any(folder),
        "tables": {
            tool.name: ToolTables(
                tool=tool.name,
                reads=[name for name in domain.schema.tables if name in tool.reads],
                writes=[name for name in domain.schema.tables if name in tool.writes],
            )
            for tool in own
        },
        "rules": _rules(texts[RULES]) if RULES in texts else RulesDesign(),
        "rule_cases": read_rule_cases(folder),
        **(_scenarios(texts[SCENARIOS], recorded) if SCENARIOS in texts else {}),
        **({"graph": read_graph(folder)} if (folder / "graph.json").is_file() else {}),
    }
    return FolderDraft(**parts, texts=texts, before=Draft(**parts))


class _Recorded:
    """What the answers of a build say that is in none of its files."""

    def __init__(self, folder: Path) -> None:
        self.tools: dict[str, ToolDesign] = {}
        self.rules: dict[str, str] = {}  # that decide in scenarios
        self.hours: dict[str, Any] = {}
        path = folder / "answers.jsonl"
        for entry in AnswerBook.read(path) if path.is_file() else ():
            if entry.stage == "tools":
                found = Catalogue.model_validate(entry.content).tools
                self.tools |= {each.name: each for each in found}
            elif entry.stage == "people":
                self.hours = {name: entry.content[name] for name in _HOURS if name in entry.content}
            elif entry.stage == "scenarios":
                told = entry.content.get("scenarios", [])
                self.rules |= {each["name"]: each["rule"] for each in told if each.get("rule")}


_HOURS: dict[str, Any] = {
    "open_days": list(get_args(Weekday)),
    "opens": "00:00",
    "closes": "23:59",
    "any_time": [],
    "not_owned": {},
}


def _people(domain: Domain, recorded: _Recorded) -> PeopleDesign | None:
    people = domain.people
    if people is None:
        return None
    own = people.model_dump(include={"name", "proven_by", "born", "owns", "anybody", "roles"})
    return PeopleDesign.model_construct(**own, **{**_HOURS, **recorded.hours})


def _catalogue(domain: Domain, texts: Mapping[str, str], recorded: _Recorded) -> Catalogue:
    card, people = domain.card, domain.people
    topics, records, tools = list[Topic](), dict[str, Record](), list[ToolDesign]()
    for name, text in texts.items():
        if not name.startswith("tools/"):
            continue
        tree = parse(text)
        topic = Path(name).stem
        topics.append(Topic.model_construct(name=topic, description=_doc(tree)))
        for node in tree.body:
            if isinstance(node, ast.ClassDef):
                fields = [each for each in node.body if isinstance(each, ast.AnnAssign)]
                made = [
                    Quantity.model_construct(**_quantity(ast.unparse(each.target), each.annotation)) for each in fields
                ]
                records[node.name] = Record.model_construct(name=node.name, fields=made)
            elif isinstance(node, ast.FunctionDef) and node.name in domain.tools:
                tools.append(_tool(domain, topic, node, recorded.tools.get(node.name)))
    tables = domain.schema.tables.values()
    return Catalogue.model_construct(
        title=card.title,
        summary=card.summary,
        clock=card.clock,
        conventions=card.conventions,
        entities=[Entity.model_construct(name=table.name, description=table.comment) for table in tables],
        topics=topics,
        records=list(records.values()),
        tools=tools,
        callers=CallerDesign(entity=people.table, found_by=people.found_by) if people else None,
        drop=[],
    )


def _tool(domain: Domain, topic: str, node: ast.FunctionDef, recorded: ToolDesign | None) -> ToolDesign:
    """Return the design of a tool: the recorded one while its manual says the same, else what its code shows."""
    if recorded is not None and _words(ast.literal_eval(manual(recorded).strip())) == _words(_doc(node)):
        return recorded.model_copy(update={"topic": topic})
    tool = domain.tools[node.name]
    said, *more = [_words(part) for part in _doc(node).split("\n\n")]
    required = next((part.removeprefix("Requires: ") for part in more if part.startswith("Requires: ")), "")
    kinds = sorted(tool.rejects, key=lambda kind: kind == "NOT_FOUND")
    rules = dict.fromkeys(kinds, _UNTOLD) | dict.fromkeys(kinds[:1], required or _UNTOLD)
    rules |= dict.fromkeys(tool.rejects & {"NOT_FOUND"}, "What the call names exists")
    taken = node.args.args[1:]
    defaults = [None] * (len(taken) - len(node.args.defaults)) + [*node.args.defaults]
    return ToolDesign.model_construct(
        name=node.name,
        topic=topic,
        description=said,
        parameters=[
            Parameter.model_construct(
                **_quantity(each.arg, each.annotation),
                required=default is None,
                default=default.value if isinstance(default, ast.Constant) else None,
            )
            for each, default in zip(taken, defaults, strict=True)
        ],
        returns=ast.unparse(node.returns) if node.returns else "",
        reads=sorted(tool.reads - tool.writes),
        writes=sorted(tool.writes),
        preconditions=[Precondition.model_construct(rule=rules[kind], otherwise=kind) for kind in kinds],
        effects=[part for part in more if not part.startswith("Requires: ")],
    )


def _quantity(name: str, annotation: ast.expr | None) -> dict[str, Any]:
    """Return a parameter or field as designs say it; a type of an author's own stays as it is written."""
    found: dict[str, Any] = {"name": name, "description": "", "many": False, "nullable": False, "choices": []}
    found |= {"minimum": None, "maximum": None}
    match annotation:
        case ast.Subscript(value=ast.Name(id="Annotated"), slice=ast.Tuple(elts=[annotation, *more])):
            for each in more:
                if isinstance(each, ast.Constant):
                    found["description"] = str(each.value)
                elif isinstance(each, ast.Call):
                    bounds = {_BOUNDS[word.arg or ""]: word.value for word in each.keywords if word.arg in _BOUNDS}
                    found |= {bound: ast.literal_eval(value) for bound, value in bounds.items()}
    match annotation:
        case ast.BinOp(left=annotation, right=ast.Constant(None)):
            found["nullable"] = True
    match annotation:
        case ast.Subscript(value=ast.Name(id="list"), slice=annotation):
            found["many"] = True
    match annotation:
        case ast.Subscript(value=ast.Name(id="Literal")):
            values = ast.literal_eval(annotation.slice)
            choices = [str(each) for each in (values if isinstance(values, tuple) else (values,))]
            return {**found, "type": PLAIN_TYPES[0], "choices": choices}
    kind = ast.unparse(annotation) if annotation is not None else PLAIN_TYPES[0]
    return {**found, "type": _KINDS.get(kind, kind)}


def _code(text: str) -> TopicCode:
    """Return the bodies of the tools in a file, and its other functions and constants."""
    tree = parse(text)
    tools = [node for node in tree.body if isinstance(node, ast.FunctionDef) and node.decorator_list]
    return TopicCode.model_construct(
        docstring=_doc(tree),
        helpers=_helpers(text, tree),
        bodies=[Body(tool=node.name, body=_body(text, node)) for node in tools],
    )


def _rules(text: str) -> RulesDesign:
    tree = parse(text)
    parts: dict[str, list[Any]] = {"rule": [], "duty": []}
    for node in tree.body:
        match node:
            case ast.FunctionDef(decorator_list=[ast.Call(func=ast.Name(id=kind), args=[code], keywords=given)]):
                said = {word.arg or "": ast.literal_eval(word.value) for word in given}
                own: dict[str, Any] = {name: said.pop(name) for name in ("on", "reads", "exempt") if name in said}
                own["numbers"] = {name: number for name, number in said.items() if isinstance(number, int)}
                design = RuleDesign if kind == "rule" else DutyDesign
                own |= {"code": ast.literal_eval(code), "prose": _words(_doc(node)), "body": _body(text, node)}
                parts[kind].append(design.model_construct(**{**_DEFAULTS[kind], **own}))
    return RulesDesign.model_construct(
        docstring=_doc(tree), helpers=_helpers(text, tree), rules=parts["rule"], duties=parts["duty"], drop=[]
    )


_DEFAULTS: Mapping[str, Mapping[str, Any]] = {"rule": {"reads": [], "exempt": {}}, "duty": {"reads": []}}


def _scenarios(text: str, recorded: _Recorded) -> dict[str, Any]:
    tree = parse(text)
    found, conditions, helpers = list[ScenarioDesign](), dict[str, str](), list[str]()
    for node in tree.body:
        match node:
            case ast.FunctionDef(decorator_list=[mark]):
                words = mark.keywords if isinstance(mark, ast.Call) else []
                marks = {word.arg or "": ast.literal_eval(word.value) for word in words}
                own = {"form": "direct", "role": "customer", "rule": recorded.rules.get(node.name, ""), **marks}
                own |= {"name": node.name, "wish": _words(_doc(node)), "body": _body(text, node)}
                found.append(ScenarioDesign.model_construct(**own))
            case ast.Assign(targets=[ast.Name(id=name)], value=ast.Constant(value=str() as sql)):
                conditions[name] = sql
            case ast.FunctionDef() | ast.Assign() | ast.AnnAssign():
                helpers.append(ast.get_source_segment(text, node) or "")
    return {"scenarios": tuple(found), "conditions": conditions, "scenario_helpers": tuple(helpers)}


def _helpers(text: str, tree: ast.Module) -> str:
    kinds = (ast.FunctionDef, ast.Assign, ast.AnnAssign)
    own = [node for node in tree.body if isinstance(node, kinds) and not getattr(node, "decorator_list", ())]
    return "\n\n\n".join(ast.get_source_segment(text, node) or "" for node in own)


def _body(text: str, node: ast.FunctionDef) -> str:
    """Return the block below a function's docstring, at column 0."""
    return textwrap.dedent("\n".join(text.splitlines()[_head_end(node) : node.end_lineno]))


def _with_body(text: str, node: ast.FunctionDef, body: str, tables: ToolTables | None = None) -> str:
    """Return a function with another body, and for a tool with the tables that it uses now."""
    lines = text.splitlines()
    mark = node.decorator_list[0]
    head = lines[mark.lineno - 1 : _head_end(node)]
    if tables is not None and isinstance(mark, ast.Call):
        kept = [ast.unparse(word) for word in mark.keywords if word.arg not in ("reads", "writes")]
        used = {"reads": [name for name in tables.reads if name not in tables.writes], "writes": tables.writes}
        said = [f"{name}={names!r}" for name, names in used.items() if names]
        head[: (mark.end_lineno or mark.lineno) - mark.lineno + 1] = [f"@tool({', '.join([*said, *kept])})"]
    return "\n".join([*head, indented(body)])


def _head_end(node: ast.FunctionDef) -> int:
    """Return the last line of a function's docstring."""
    first = node.body[0]
    has_doc = isinstance(first, ast.Expr) and isinstance(first.value, ast.Constant)
    return (first.end_lineno or first.lineno) if has_doc else first.lineno - 1


def _with_imports(text: str) -> str:
    """Return a file with imports of what it uses and does not import yet; the formatter puts them in order."""
    first = next((node.lineno for node in parse(text).body if isinstance(node, ast.Import | ast.ImportFrom)), 1)
    lines = text.splitlines()
    lines[first - 1 : first - 1] = write_imports(text).splitlines()
    return "\n".join(lines) + "\n"


def _doc(node: ast.Module | ast.FunctionDef) -> str:
    return ast.get_docstring(node) or "Nothing said."


def _words(text: str) -> str:
    return " ".join(text.split())


def changed_files(draft: FolderDraft, folder: Path) -> Sequence[str]:
    """Write a draft over a folder that holds the files it was read from, and return the names of those that changed."""
    draft.write(folder)
    return [name for name in draft.texts if (folder / name).read_text(encoding="utf-8") != draft.texts[name]]
