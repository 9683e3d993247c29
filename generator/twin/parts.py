"""Files of a domain folder as named parts, so that what a person wrote is told from what was generated beside it."""

from __future__ import annotations

import ast
import hashlib
import json
import re
import shutil
import sqlite3
from collections.abc import Collection, Iterator, Mapping
from itertools import groupby
from pathlib import Path
from typing import Any

from runtime.errors import UsageError
from runtime.sandbox.files import MIB, is_there, read_text
from runtime.sandbox.module import parse

RECORD, REPORT, PARKED = "twin.json", "drift.json", "parked"
CARD = "domain.json"
OPTIONS = ("tables", "rows", "dialect", "keep_secrets", "synthetic")
"""Of `worldsmith twin`: how a source is read, which the record notes."""
DERIVED = ("graph.json", RECORD, REPORT)
"""Files that follow from the others."""

MOST_RECORD = 64 * MIB

Parts = dict[str, str]
"""The parts of a file by name, in its order: functions, statements, lines with an id, sections, keys of the card."""

_NAMED = re.compile(r"CREATE\s+(?:UNIQUE\s+)?(TABLE|INDEX)\s+\"?(\w+)", re.IGNORECASE)


def files_of(folder: Path) -> dict[str, Path]:
    """Return the files of a domain folder that are parts of the domain, by their names in it."""
    found = [*folder.glob("*"), *folder.glob("tools/*.py"), *folder.glob("tasks/*.jsonl")]
    return {path.relative_to(folder).as_posix(): path for path in sorted(found) if path.is_file()}


def digests_of(folder: Path) -> dict[str, dict[str, str]]:
    """Return the digests of all parts of a generated folder, by file."""
    files = {name: path for name, path in files_of(folder).items() if name not in DERIVED}
    return {name: {part: digest_of(text) for part, text in read_parts(path).items()} for name, path in files.items()}


def write_record(
    folder: Path, name: str, source: Mapping[str, Any], options: Mapping[str, Any], written: Mapping[str, Any]
) -> None:
    """Note in a generated folder what it was made of and how, its account, and digests of what was generated."""
    record = {"format": 1, "name": name, "options": options, "source": source, "generated": digests_of(folder)}
    record |= {key: written[key] for key in ("account", "opened")}
    (folder / RECORD).write_text(json.dumps(record, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")


def read_record(folder: Path) -> dict[str, Any]:
    """Return what a twin notes of itself; errors: UsageError for a folder that has no such note."""
    if not is_there(folder / RECORD):
        why = "it was made by an earlier version or by a model, or it is not a twin; make a twin from its source"
        raise UsageError(f"{folder.name!r} has no {RECORD}, so nothing says what it was made of: {why}.")
    record: dict[str, Any] = json.loads(read_text(folder / RECORD, MOST_RECORD))
    return record


def digest_of(text: str) -> str:
    return hashlib.sha256(text.strip().encode()).hexdigest()[:12]


def read_parts(path: Path) -> Parts:
    """Return the parts of a file; none of one that is not there. Errors: UsageError for what is not of its kind."""
    split = {".py": _functions, ".sql": _statements, ".jsonl": _lines, ".md": _sections}.get(path.suffix, _whole)
    parts: Parts = {}
    try:
        text = path.read_bytes().decode(_encoding(path)) if path.is_file() else ""
        for name, part in _keys(json.loads(text or "{}")) if path.name == CARD else split(text):
            free = (f"{name} {number}" if number else name for number in range(len(parts) + 1))
            parts[next(each for each in free if each not in parts)] = part
    except (SyntaxError, ValueError) as error:
        raise UsageError(f"{str(path)!r} cannot be read: {error}; mend it first.") from error
    return parts


def write_parts(path: Path, parts: Mapping[str, str]) -> None:
    """Write a file of its parts, or remove it where there are none; one that has them already is not touched."""
    if parts == read_parts(path):
        return
    if not parts:
        path.unlink(missing_ok=True)
        return
    text = _card(parts) if path.name == CARD else "".join(parts.values())
    path.parent.mkdir(exist_ok=True)
    path.write_bytes(text.encode(_encoding(path)))


def _encoding(path: Path) -> str:
    return "utf-8" if path.suffix in (".py", ".sql", ".jsonl", ".md", ".json") else "latin-1"  # which takes any byte


def merge(base: Mapping[str, str], old: Parts, new: Parts, without: Collection[str] = ()) -> Parts:
    """Return the parts of a file: own ones where there are some, else the new ones; without some own ones.

    `base` has the digests of what was generated before. What a person has deleted stays away.
    """
    own = {name for name in own_parts(base, old) if name not in without}
    kept = [name for name in old if name in new or name in own]
    if any(not each.startswith("from ") for each in own):  # whose imports are needed even where nothing else is
        kept = [name for name in old if name in kept or name.startswith(("from ", "import "))]
    for after, name in zip(["", *new], new, strict=False):
        if name not in old and name not in base:
            kept.insert(kept.index(after) + 1 if after in kept else len(kept), name)
    merged = {name: old[name] if name in own or name not in new else new[name] for name in kept}
    for name in merged:
        if name.startswith("from ") and name in old and name in new:
            merged[name] = _both_imports(merged[name], old[name], new[name])
    return merged


def own_parts(base: Mapping[str, str], old: Parts) -> list[str]:
    """Return the parts that were not generated, or are no longer as they were."""
    return [name for name, text in old.items() if base.get(name) != digest_of(text)]


def _both_imports(text: str, old: str, new: str) -> str:
    if digest_of(old) == digest_of(new):
        return text
    module, names = text.split()[1], set[str]()
    for each in (old, new):
        names |= {*re.findall(r"\w+", each.partition(" import ")[2])}
    return f"{text[: text.index('from ')]}from {module} import {', '.join(sorted(names))}\n"


def put_back(folder: Path) -> list[str]:
    """Put what is parked of programs and their cases back into the files of a folder, and return which parts they are.

    What a file has under the same name stays parked, as do tasks, tables, and keys of the card.
    """
    found, parked = list[str](), folder / PARKED
    for name in (*sorted(f"tools/{path.name}" for path in parked.glob("tools/*.py")), *_PUT_BACK):
        old, left = read_parts(folder / name), read_parts(parked / name)
        back = {part: text for part, text in left.items() if part not in old}
        if name.endswith(".py"):
            back = {part: f"\n\n{_REASON.sub('', text).strip()}\n" for part, text in back.items()}
        whole = old | back
        if name.endswith(".jsonl"):  # whose topics stay together
            topics = {part: json.loads(text).get("topic", "") for part, text in whole.items()}
            order = [*dict.fromkeys(topics.values())]
            whole = {part: whole[part] for part in sorted(whole, key=lambda part: order.index(topics[part]))}
        write_parts(folder / name, whole)
        write_parts(parked / name, {part: text for part, text in left.items() if part not in back})
        found += [f"{name}, {part}" for part in back]
    if found:
        readme, gone = parked / "README.md", {f"- `{each.replace(', ', '`, ', 1)}" for each in found}
        lines = readme.read_text(encoding="utf-8").splitlines(keepends=True) if readme.is_file() else []
        readme.write_text("".join(each for each in lines if each.partition(": ")[0] not in gone), encoding="utf-8")
    if not [path for path in parked.rglob("*") if path.is_file() and path != parked / "README.md"]:
        shutil.rmtree(parked, ignore_errors=True)
    return found


_PUT_BACK = ("rules.py", "scenarios.py", "cases.jsonl", "rule_cases.jsonl")
_REASON = re.compile(r"^# Parked: .*\n", re.MULTILINE)


def _whole(text: str) -> Iterator[tuple[str, str]]:
    yield from [("", text)] * bool(text)


def _functions(text: str) -> Iterator[tuple[str, str]]:
    """Yield the top-level statements of a program, each with the comments and empty lines before it."""
    lines, start = text.splitlines(keepends=True), 0
    body = parse(text).body
    for node in body:
        end = len(lines) if node is body[-1] else node.end_lineno or 0
        yield _name_of(node), "".join(lines[start:end])
        start = end


def _name_of(node: ast.stmt) -> str:
    match node:
        case ast.FunctionDef() | ast.ClassDef():
            return node.name
        case ast.ImportFrom():
            return f"from {node.module}"
        case ast.Import():
            return f"import {node.names[0].name}"
        case ast.Assign(targets=[ast.Name(id=name)]) | ast.AnnAssign(target=ast.Name(id=name)):
            return name
    return "(text)"


def _statements(text: str) -> Iterator[tuple[str, str]]:
    pending = ""
    for line in text.splitlines(keepends=True):
        pending += line
        if sqlite3.complete_statement(pending):
            found = _NAMED.search(pending)
            yield " ".join(found.groups()) if found else "statement", pending
            pending = ""
    if pending:
        yield "end", pending


def _lines(text: str) -> Iterator[tuple[str, str]]:
    for line in filter(str.strip, text.splitlines(keepends=True)):
        content = json.loads(line)
        yield str(content.get("id") or f"rows of {content.get('topic', '')}"), line if line[-1] == "\n" else f"{line}\n"


def _sections(text: str) -> Iterator[tuple[str, str]]:
    for section in re.split(r"^(?=## )", text, flags=re.MULTILINE):
        yield section.partition("\n")[0], section


def _keys(card: Mapping[str, object]) -> Iterator[tuple[str, str]]:
    """Yield the values of a card, and those of its objects one by one; people stay whole."""
    for key, value in card.items():
        parts = value if isinstance(value, dict) and key != "people" else None
        yield from [(f"{key}\n{name}", json.dumps(each)) for name, each in (parts or {}).items()]
        if not parts:
            yield key, json.dumps(value)


def _card(parts: Mapping[str, str]) -> str:
    card: dict[str, object] = {}
    for key, group in groupby(parts, lambda name: name.partition("\n")[0]):
        names = [*group]
        values = {name.partition("\n")[2]: json.loads(parts[name]) for name in names}
        own = card.get(key)
        card[key] = {**(own if isinstance(own, dict) else {}), **values} if "" not in values else values[""]
    return json.dumps(card, indent=2, ensure_ascii=False) + "\n"
