"""From designs and bodies to the files of tools: signatures, docstrings, and types with their choices."""

from __future__ import annotations

import ast
import json
import os
import re
import subprocess
import sys
import textwrap
from collections.abc import Iterable, Mapping
from pathlib import Path

from pydantic import Field

import runtime
from generator.author.design import Catalogue, DesignPart, Parameter, Quantity, Record, ToolDesign, ToolTables
from runtime.environment import without_secrets
from runtime.errors import UsageError
from runtime.sandbox.allowed import MODULES
from runtime.sandbox.module import parse

TYPES = {
    "text": "str",
    "integer": "int",
    "number": "float",
    "boolean": "bool",
    "date": "Date",
    "timestamp": "Timestamp",
}
_STYLE = ("--isolated", "--config", "line-length=120", "--config", "target-version='py311'")
_PLACE = re.compile(r"(?:[\w/]+\.py:|line )(\d+): (.*)", re.DOTALL)
_MENDED = "I,F401,F541,F841,E711,E713,E714"  # what needs no answer: imports, unused variables, comparisons with None
_LINTS = ("F,E7,E9", "--ignore", "E741")
_ANSWERS = (0, 1, 2)  # the statuses of ruff when it did its work; 2 is for files that are not Python
_formatted: dict[str, str] = {}  # what was formatted in this process: a build lays the same files out many times


class Body(DesignPart):
    """The body of one tool, at column 0."""

    tool: str
    body: str


class TopicCode(DesignPart):
    """Stage `code`: what a model writes for one file."""

    docstring: str = Field(min_length=1, max_length=300)
    helpers: str = ""
    bodies: list[Body]

    def without(self, dropped: set[str]) -> TopicCode:
        """Return this code without the bodies of some tools."""
        return self.model_copy(update={"bodies": [body for body in self.bodies if body.tool not in dropped]})

    def with_bodies(self, bodies: Iterable[Body], helpers: str | None = None) -> TopicCode:
        """Return this code with some bodies, and perhaps the helpers, replaced."""
        merged = {body.tool: body for body in self.bodies} | {body.tool: body for body in bodies}
        return self.model_copy(
            update={"bodies": list(merged.values()), "helpers": self.helpers if helpers is None else helpers}
        )


def write_topic(catalogue: Catalogue, topic: str, code: TopicCode, tables: Mapping[str, ToolTables]) -> str:
    """Return the file of one topic, not yet formatted; tools in the order of the catalogue."""
    bodies = {body.tool: body.body for body in code.bodies}
    tools = [tool for tool in catalogue.of_topic(topic) if tool.name in bodies]
    records = catalogue.records_of(tools)
    parts = [_record_class(record) for record in records]
    if code.helpers.strip():
        parts.append(textwrap.dedent(code.helpers).strip("\n"))
    parts += [write_tool(tool, tables[tool.name], bodies[tool.name]) for tool in tools]
    text = "\n\n\n".join(parts)
    return f'"""{plain(code.docstring)}"""\n\n{write_imports(text)}\n\n\n{text}\n'


def write_tool(tool: ToolDesign, tables: ToolTables, body: str) -> str:
    """Return one tool as it stands in its file."""
    kinds = list(dict.fromkeys(each.otherwise for each in tool.preconditions))
    declared = [
        f"{name}={json.dumps(values)}"
        for name, values in (
            ("reads", [table for table in tables.reads if table not in tables.writes]),
            ("writes", tables.writes),
            ("rejects", kinds),
        )
        if values
    ]
    ordered = sorted(tool.parameters, key=lambda parameter: not parameter.required)
    parameters = ", ".join(["db: Database", *map(_parameter, ordered)])
    return (
        f"@tool({', '.join(declared)})\n"
        f"def {tool.name}({parameters}) -> {class_name(tool.returns)}:\n"
        f"{manual(tool)}\n"
        f"{indented(body)}"
    )


def manual(tool: ToolDesign) -> str:
    """Return the docstring, which is all that an agent is told: what the tool does, what it requires, what follows."""
    first = plain(tool.description)
    required = [sentence(plain(each.rule)) for each in tool.preconditions if each.otherwise != "NOT_FOUND"]
    paragraphs = [f"Requires: {' '.join(required)}" if required else ""]
    paragraphs.append(" ".join(sentence(plain(effect)) for effect in tool.effects))
    lines = []
    for paragraph in filter(None, paragraphs):
        lines += ["", *textwrap.wrap(paragraph, width=116, break_long_words=False, break_on_hyphens=False)]
    if not lines:
        return f'    """{first}"""'
    return "\n".join(f"    {line}".rstrip() for line in (f'"""{first}', *lines, '"""'))


def plain(text: str) -> str:
    """Return a text escaped for use in a docstring."""
    return " ".join(text.split()).replace("\\", "").replace('"', "'")


def sentence(text: str) -> str:
    """Return a text that begins and ends as a sentence does."""
    text = " ".join(text.split())
    return text if text.endswith((".", "!", "?")) else f"{text}."


def indented(body: str) -> str:
    """Return a body as it stands under its function."""
    return textwrap.indent(textwrap.dedent(body.expandtabs(4)).strip("\n"), "    ")


def format_files(folder: Path) -> None:
    """Bring every Python file of a folder into the one style; files that are not Python are left as they are."""
    texts = {path: path.read_text(encoding="utf-8") for path in sorted(folder.rglob("*.py"))}
    new = [path for path, text in texts.items() if text not in _formatted]
    if new:
        _ruff("check", "--select", _MENDED, "--fix", "--unsafe-fixes", "--exit-zero", *map(str, new))
        _ruff("format", *map(str, new))
        _formatted.update({texts[path]: path.read_text(encoding="utf-8") for path in new})
    for path, text in texts.items():
        if path not in new:
            path.write_text(_formatted[text], encoding="utf-8", newline="\n")


def lint(folder: Path) -> list[tuple[str, int, str]]:
    """Mistakes that show without running: file name, line, sentence."""
    found = json.loads(
        _ruff("check", "--select", *_LINTS, "--exit-zero", "--output-format", "json", str(folder)) or "[]"
    )
    return [
        (Path(each["filename"]).name, each["location"]["row"], f"{each['message']} ({each['code']})") for each in found
    ]


def placed(text: str, fault: str) -> tuple[str, str, str]:
    """Return the function of a file that a fault is in, the text of its line, and what it says without the number."""
    found = _PLACE.fullmatch(fault)
    lines = text.splitlines()
    if not found or not 0 < int(found[1]) <= len(lines):
        return "", "", found[2] if found else fault
    number = int(found[1])
    try:
        functions = [node for node in parse(text).body if isinstance(node, ast.FunctionDef)]
    except SyntaxError:
        functions = []
    inside = [node.name for node in functions if node.lineno <= number <= (node.end_lineno or number)]
    return inside[0] if inside else "", lines[number - 1].strip(), found[2]


def located(text: str, fault: str) -> str:
    """Return a fault of a file with the text of its line in place of the number."""
    _, line, said = placed(text, fault)
    return f"line `{line}`: {said}" if line else said


def _ruff(command: str, *words: str) -> str:
    done = subprocess.run(
        [sys.executable, "-P", "-m", "ruff", command, *_STYLE, "--no-cache", "--quiet", *words],
        env=without_secrets(os.environ),
        capture_output=True,
        text=True,
        check=False,
    )
    if done.returncode not in _ANSWERS or "No module named ruff" in done.stderr:  # silence would pass for praise
        last = done.stderr.strip().rpartition("\n")[2]
        raise UsageError(f"ruff ended with status {done.returncode} ({last or 'no word'}); reinstall worldsmith.")
    return done.stdout


def _record_class(record: Record) -> str:
    fields = "\n".join(
        f"    {field.name}: Annotated[{_type(field)}, {json.dumps(field.description, ensure_ascii=False)}]"
        for field in record.fields
    )
    return f"class {class_name(record.name)}(TypedDict):\n{fields}"


def class_name(record: str) -> str:
    """Return the name of a record's class: another one than the record's where the file imports that name."""
    taken = {*runtime.__all__, *(name for names in MODULES.values() for name in names)}
    return f"{record}Record" if record in taken else record


def _parameter(parameter: Parameter) -> str:
    optional = not parameter.required and parameter.default is None and not parameter.nullable
    kind = _type(parameter) + (" | None" if optional else "")
    bounds = _bounds(parameter)
    note = json.dumps(parameter.description, ensure_ascii=False)
    default = "" if parameter.required else f" = {parameter.default!r}"
    return f"{parameter.name}: Annotated[{kind}, {note}{f', Field({bounds})' if bounds else ''}]{default}"


def _type(quantity: Quantity) -> str:
    kind = TYPES.get(quantity.type) or class_name(quantity.type)
    if quantity.choices:
        kind = f"Literal[{', '.join(json.dumps(choice, ensure_ascii=False) for choice in quantity.choices)}]"
    if quantity.many:
        kind = f"list[{kind}]"
    return f"{kind} | None" if quantity.nullable else kind


def _bounds(quantity: Quantity) -> str:
    lengths = quantity.many or quantity.type == "text"
    least, most = ("min_length", "max_length") if lengths else ("ge", "le")
    stated = [(least, quantity.minimum), (most, quantity.maximum)]
    if quantity.type == "text" and not quantity.many and quantity.choices:
        return ""
    return ", ".join(f"{name}={_number(value, quantity)}" for name, value in stated if value is not None)


def _number(value: float, quantity: Quantity) -> str:
    whole = value == int(value) and (quantity.many or quantity.type != "number")
    return repr(int(value)) if whole else repr(value)


def write_imports(text: str, *further: str) -> str:
    """Write the imports that a file needs: allowed names that it uses and does not bind, then further lines."""
    try:
        free = names_free_in(text)
    except SyntaxError:  # its gate says what is wrong with it
        free = {"Annotated", "Rejection", "TypedDict", "tool"}
    whole = [f"import {module}" for module in sorted(free & MODULES.keys())]
    offered = sorted({"Database"} | free & set(runtime.__all__))
    lines = [
        f"from {module} import {', '.join(wanted)}"
        for module, names in sorted(MODULES.items())
        if module != "__future__" and (wanted := sorted((free & names) - set(offered)))
    ]
    return "\n".join([*whole, *lines, "", f"from runtime import {', '.join(offered)}", *further]).strip("\n")


def names_free_in(text: str) -> set[str]:
    """Return the names that a text uses and nothing in it binds; errors: SyntaxError."""
    used: set[str] = set()
    bound: set[str] = set()
    for node in ast.walk(parse(text)):
        if isinstance(node, ast.Name):
            (used if isinstance(node.ctx, ast.Load) else bound).add(node.id)
        elif isinstance(node, ast.arg):
            bound.add(node.arg)
        elif isinstance(node, ast.FunctionDef | ast.ClassDef):
            bound.add(node.name)
    return used - bound
