"""A domain folder as a draft, so that the stages of a build can mend it; what they leave alone stays byte for byte."""

from __future__ import annotations

import ast
import json
from collections.abc import Iterator, Mapping, Sequence
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
from generator.author.stage import MENDED
from generator.author.stages.code import with_tables
from generator.author.writing.code import TYPES, Body, TopicCode, manual, write_imports
from generator.author.writing.rules import DutyDesign, RuleDesign, RulesDesign
from generator.author.writing.splice import carry, pieces_of
from generator.gates.cases.case import read_cases_if_any
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
from runtime.task.story import TIMED_FILE

_BOUNDS = {"ge": "minimum", "le": "maximum", "min_length": "minimum", "max_length": "maximum"}
_KINDS = {python: kind for kind, python in TYPES.items()}
_UNTOLD = "one of these requirements, as the cases show"  # of a kind of rejection that the manual does not single out


@dataclass(frozen=True)
class FolderDraft(Draft):
    """A draft that was read from a folder: its texts, and itself as it was read; only what differs is written anew."""

    texts: Mapping[str, str] = field(default_factory=dict)
    before: Draft = field(default_factory=lambda: Draft(""))

    def files(self) -> dict[str, str]:
        """Return the text of each file, changed only where the draft renders differently than when it was read."""
        old, files = self.before.files(), super().files()
        for name in files.keys() & self.texts.keys():
            text, new = self.texts[name], files[name]
            if name == "domain.json":
                card = json.loads(text)
                is_part = self.people_of_code() is None and card.pop("people", None) is not None
                files[name] = json.dumps(card) if is_part else text
            elif name.endswith(".jsonl"):
                lines = dict(zip(old[name].splitlines(), text.splitlines(), strict=True))
                files[name] = "".join(f"{lines.get(line, line)}\n" for line in new.splitlines())
            elif name == "world.py" or not name.endswith(".py"):
                files[name] = text if new == old[name] else new
            else:
                carried = carry(text, old[name], new)
                files[name] = text if carried == text else _with_imports(carried)
        return files

    def write(self, folder: Path) -> None:
        """Write the files, those that changed formatted; what is parked or timed stays as it is."""
        kept = {path: path.read_bytes() for path in (*folder.glob("parked/**/*.py"), *folder.glob(TIMED_FILE))}
        super().write(folder)
        for path, content in kept.items():
            path.write_bytes(content)
        for name, text in self.files().items():
            if self.texts.get(name) == text:
                (folder / name).write_text(text, encoding="utf-8", newline="\n")


def cases_elsewhere(folder: Path) -> Iterator[str]:
    """Yield a sentence for each topic of cases that has cases of a tool of another file; errors: BrokenDomain."""
    tools = load_domain(folder).tools
    for topic, own in read_cases_if_any(folder).items():
        for case in own.cases:
            file = Path(tools[case.tool].file).stem if case.tool in tools else topic
            if file != topic:
                yield (
                    f"The topic {topic!r} of cases.jsonl has cases of {case.tool}, which stands in tools/{file}.py; a "
                    f"tool is mended with the cases of its file, so name their topic {file!r}."
                )
                break


def read_draft(folder: Path) -> FolderDraft:
    """Read a folder; what a design has and no file says comes from its recorded answers. Errors: BrokenDomain."""
    domain = load_domain(folder)
    paths = [path for path in (*folder.iterdir(), *(folder / "tools").iterdir()) if path.is_file()]
    kinds = {".py", ".sql"}
    names = {"domain.json", "cases.jsonl", RULE_CASES}
    texts = {
        path.relative_to(folder).as_posix(): path.read_text(encoding="utf-8")
        for path in sorted(paths)
        if (path.suffix in kinds and path.name != TIMED_FILE) or path.name in names
    }
    recorded = _Recorded(folder)
    catalogue = _catalogue(domain, texts, recorded)
    own = [tool for tool in domain.tools.values() if not is_desk_tool(tool.name)]
    parts: dict[str, Any] = {
        "name": domain.name,
        "order": BuildOrder(domain.card.title, domain.name, len(own), rules=bool(domain.rules), locale=domain.locale),
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
    draft = with_tables(Draft(**parts))
    return FolderDraft(**{**parts, "tables": draft.tables}, texts=texts, before=draft)


class _Recorded:
    """What the answers of a build say that is in none of its files."""

    def __init__(self, folder: Path) -> None:
        self.tools: dict[str, ToolDesign] = {}
        self.rules: dict[str, str] = {}  # that decide in scenarios
        self.hours: dict[str, Any] = {}
        paths = [folder / name for name in ("answers.jsonl", MENDED)]
        for entry in (each for path in paths if path.is_file() for each in AnswerBook.read(path)):
            if entry.stage == "tools":
                self.tools |= {each.name: each for each in Catalogue.model_validate(entry.content).tools}
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
    return Catalogue.model_construct(
        title=card.title,
        summary=card.summary,
        clock=card.clock,
        conventions=card.conventions,
        entities=[],
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
    bodies = [Body(tool=name, body=each.plain_body) for name, each in pieces_of(text).items() if each.marks]
    return TopicCode.model_construct(docstring=_doc(parse(text)), helpers=_helpers(text), bodies=bodies)


def _rules(text: str) -> RulesDesign:
    tree, pieces = parse(text), pieces_of(text)
    parts: dict[str, list[Any]] = {"rule": [], "duty": []}
    for node in tree.body:
        match node:
            case ast.FunctionDef(decorator_list=[ast.Call(func=ast.Name(id=kind), args=[code], keywords=given)]):
                said = {word.arg or "": ast.literal_eval(word.value) for word in given}
                own: dict[str, Any] = {name: said.pop(name) for name in ("on", "reads", "exempt") if name in said}
                own["numbers"] = {name: number for name, number in said.items() if isinstance(number, int)}
                design = RuleDesign if kind == "rule" else DutyDesign
                own |= {
                    "code": ast.literal_eval(code),
                    "prose": _words(_doc(node)),
                    "body": pieces[node.name].plain_body,
                }
                parts[kind].append(design.model_construct(**{**_DEFAULTS[kind], **own}))
    return RulesDesign.model_construct(
        docstring=_doc(tree), helpers=_helpers(text), rules=parts["rule"], duties=parts["duty"], drop=[]
    )


_DEFAULTS: Mapping[str, Mapping[str, Any]] = {"rule": {"reads": [], "exempt": {}}, "duty": {"reads": []}}


def _scenarios(text: str, recorded: _Recorded) -> dict[str, Any]:
    pieces = pieces_of(text)
    found, conditions, helpers = list[ScenarioDesign](), dict[str, str](), list[str]()
    for node in parse(text).body:
        match node:
            case ast.FunctionDef(decorator_list=[mark]):
                words = mark.keywords if isinstance(mark, ast.Call) else []
                marks = {word.arg or "": ast.literal_eval(word.value) for word in words}
                own = {"form": "direct", "role": "customer", "rule": recorded.rules.get(node.name, ""), **marks}
                own |= {"name": node.name, "wish": _words(_doc(node)), "body": pieces[node.name].plain_body}
                found.append(ScenarioDesign.model_construct(**own))
            case ast.Assign(targets=[ast.Name(id=name)], value=ast.Constant(value=str() as sql)):
                conditions[name] = sql
            case ast.FunctionDef() | ast.Assign() | ast.AnnAssign():
                helpers.append(ast.get_source_segment(text, node) or "")
    return {"scenarios": tuple(found), "conditions": conditions, "scenario_helpers": tuple(helpers)}


def _helpers(text: str) -> str:
    return "\n\n".join(str(each) for each in pieces_of(text).values() if not each.marks)


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
