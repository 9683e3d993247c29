"""Find a domain folder by path or name and load it, or say everything that is wrong with it: one line per fault."""

from __future__ import annotations

import hashlib
import os
import sqlite3
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import closing
from pathlib import Path
from types import ModuleType
from typing import Any

from pydantic import ValidationError

from runtime.domain.caller_rules import CALLS, INBOX, caller_rules, caller_tools, faults_of_callers
from runtime.domain.domain import FORMAT, Domain, DomainCard, Invariants, faults_of_invariants
from runtime.domain.hybrid import JOINER, is_hybrid, join_paths, parts_of, unite
from runtime.domain.locale import AMERICAN, Locale
from runtime.domain.people import faults_of_people
from runtime.domain.policies import Policies, faults_of_policies
from runtime.domain.rule import HANDLES, Declared, Rulebook, read_rules
from runtime.domain.schema import Schema, read_schema
from runtime.domain.tool import Declaration, Tool, read_tool
from runtime.errors import BrokenDomain, UsageError
from runtime.sandbox.files import files_in, is_there, parse_json, read_bytes, read_text
from runtime.sandbox.module import MethodCall, load_module, method_calls, parse
from runtime.sandbox.sqlite import open_memory, tables_read
from runtime.wording import have

MOST_TOOLS_PER_FILE = 10
RULES = "rules.py"
SERVED = ("domain.json", "schema.sql", "policy.md", RULES, "world.py")  # beside tools/: what serving needs
_MOST_FAULTS = 100
_READING, _WRITING = ("select", "first", "value"), ("insert", "update", "delete", "new_id")


def load_domain(path: Path) -> Domain:
    """Read a domain folder, or several as one from a path of `find_place`.

    Errors: UsageError if it is none, BrokenDomain with every fault that was found.
    """
    if len(parts := parts_of(path)) > 1:
        return unite([load_domain(part) for part in parts])
    if not is_there(path / "domain.json"):
        server = path / "server.py"
        if server.is_file():
            raise UsageError(f"{str(path)!r} is a compiled server, not a domain; start it with `python {server}`.")
        raise UsageError(f"{str(path)!r} is not a domain folder; it has no domain.json.")
    with closing(open_memory()) as connection:  # in which the SQL of the code is prepared
        return _load(_Folder(path, connection))


def _load(folder: _Folder) -> Domain:
    path, files = folder.path, folder.tool_files()
    card, schema = folder.read_card(), folder.read_schema()
    policy = (folder.read("policy.md") or "") if os.path.lexists(path / "policy.md") else ""
    if schema is not None and card is not None:
        folder.add("domain.json: ", faults_of_policies(schema, card.columns, card.logs))
    tools = folder.read_tools(files, schema)
    rules = folder.read_rules(schema, tools, card.locale if card is not None else AMERICAN)
    if schema is not None and card is not None and card.people is not None:
        found = list(faults_of_people(schema, card.people, tools)) or faults_of_callers(card.people, schema, tools)
        folder.add("domain.json: people ", found)
        if not folder.faults:
            desk = INBOX if card.desk == "inbox" else CALLS
            rules = rules.beside(caller_rules(card.people, schema, tools, desk))
            tools = dict(sorted({**tools, **caller_tools(card.people, schema, rules.rules, desk)}.items()))
    populate, days, invariants = folder.read_world_program(schema)
    made_by = [*files, *([path / RULES] if rules else [])] if days else []
    if folder.faults or card is None or schema is None or populate is None:
        raise BrokenDomain(folder.faults[:_MOST_FAULTS])
    return Domain(
        path=path,
        card=card,
        schema=schema,
        policies=Policies(schema, card.columns, card.logs),
        tools=tools,
        populate=populate,
        policy=policy,
        digest=_digest_of_files(path, [*(path / name for name in SERVED), *files]),
        world_digest=_digest_of_files(path, [path / "schema.sql", path / "world.py", *made_by]),
        rules=rules,
        invariants=invariants,
        days=days,
    )


_Program = Callable[[Any], None]


class _Folder:
    """Reads the files of a domain folder and collects what is wrong with them in `faults`."""

    def __init__(self, path: Path, connection: sqlite3.Connection) -> None:
        self.path = path
        self.connection = connection
        self.faults: list[str] = []

    def add(self, where: str, found: Iterable[str | tuple[int, str]]) -> None:
        """Note faults of a file, some of them with their line."""
        self.faults += [f"{where}{each}" if isinstance(each, str) else f"{where}{each[0]}: {each[1]}" for each in found]

    def read(self, name: str) -> str | None:
        """Return the text of a file; what keeps it from being read is a fault."""
        if not os.path.lexists(self.path / name):
            self.faults.append(f"{name}: is missing; a domain needs it.")
            return None
        try:
            return read_text(self.path / name)
        except UsageError as error:
            self.faults.append(f"{name}: cannot be read: {error}")
            return None

    def tool_files(self) -> list[Path]:
        try:
            files = files_in(self.path / "tools", ".py")
        except UsageError as error:
            self.faults.append(f"tools: {error}")
            return []
        if not files:
            self.faults.append("tools: holds no Python file; a domain needs at least one tool.")
        return files

    def read_card(self) -> DomainCard | None:
        text = self.read("domain.json")
        if text is None:
            return None
        try:
            content = parse_json(text)
            if isinstance(content, dict) and content.get("format", FORMAT) != FORMAT:
                self.faults.append(f"domain.json: has format {content['format']!r}; this version reads {FORMAT}.")
                return None
            return DomainCard.model_validate(content)
        except ValidationError as error:
            for fault in error.errors(include_url=False):
                where = ".".join(str(part) for part in fault["loc"]) or "it"
                self.add("domain.json: ", [f"{where!r}: {fault['msg'].removeprefix('Value error, ')}."])
        except ValueError as error:
            self.faults.append(f"domain.json: cannot be read: {error}.")
        return None

    def read_schema(self) -> Schema | None:
        """Read `schema.sql`; None if it makes no table that can be used."""
        text = self.read("schema.sql")
        if text is None:
            return None
        reading = read_schema(text)
        self.add("schema.sql: ", reading.faults)
        if not reading.schema.tables:
            return None
        reading.schema.create(self.connection)
        return reading.schema

    def read_tools(self, files: Sequence[Path], schema: Schema | None) -> dict[str, Tool]:
        tools: dict[str, Tool] = {}
        for file in files:
            name = f"tools/{file.name}"
            module = self._load(file, name)
            if module is None or schema is None:
                continue
            functions = [
                value
                for value in vars(module).values()
                if callable(value) and hasattr(value, "declaration") and value.__module__ == module.__name__
            ]
            if not 1 <= len(functions) <= MOST_TOOLS_PER_FILE:
                many = f"declares {len(functions)} tools (@tool); a file has 1 to {MOST_TOOLS_PER_FILE}."
                self.faults.append(f"{name}: {many}")
            for function in functions:
                if not isinstance(function.declaration, Declaration):
                    self.faults.append(f"{name}: {function.__name__!r} is a rule or a duty; write it in {RULES}.")
                    continue
                tool, faults = read_tool(function, name, tuple(schema.tables))
                self.add(f"{name}:{function.__code__.co_firstlineno}: ", faults)
                if function.__name__ in tools:
                    earlier = tools[function.__name__].file
                    self.faults.append(f"{name}: tool {function.__name__!r} is declared in {earlier} too; rename one.")
                elif tool is not None:
                    tools[function.__name__] = tool
            self.add(f"{name}:", _faults_of_use(self.connection, method_calls(file), schema, tools, {"db"}))
        return dict(sorted(tools.items()))

    def read_rules(self, schema: Schema | None, tools: Mapping[str, Tool], locale: Locale) -> Rulebook:
        """Load the rules and duties; none where the folder has no file of them."""
        if schema is None or not os.path.lexists(self.path / RULES):
            return Rulebook()
        module = self._load(self.path / RULES, RULES)
        if module is None:
            return Rulebook()
        source = parse(read_text(self.path / RULES))
        book, faults = read_rules(module, source, tuple(schema.tables), tools, locale)
        by_function = {each.function.__name__: each for each in (*book.rules, *book.duties)}
        self.add(f"{RULES}:", faults)
        calls = method_calls(self.path / RULES)
        self.add(f"{RULES}:", _faults_of_use(self.connection, calls, schema, by_function, HANDLES))
        return book

    def read_world_program(self, schema: Schema | None) -> tuple[_Program | None, _Program | None, Invariants]:
        """Load `populate`, `days` if there is one, and `INVARIANTS` of `world.py`."""
        if not os.path.lexists(self.path / "world.py"):
            self.faults.append("world.py: is missing; a domain needs it.")
            return None, None, {}
        module = self._load(self.path / "world.py", "world.py")
        populate = getattr(module, "populate", None)
        if module is not None and not callable(populate):
            self.faults.append("world.py: has no function populate(world).")
        days = getattr(module, "days", None)
        if days is not None and not callable(days):
            self.faults.append("world.py: days is no function of an office.")
        invariants = getattr(module, "INVARIANTS", {})
        if schema is not None:
            self.add("world.py: ", faults_of_invariants(invariants, schema))
        return populate, days, invariants

    def _load(self, file: Path, name: str) -> ModuleType | None:
        folder = hashlib.sha256(str(file.parent.resolve()).encode()).hexdigest()[:12]
        module = f"worldsmith_domain_{folder}.{file.stem}"
        try:
            return load_module(file, module, shown_as=name)
        except BrokenDomain as broken:
            self.add("", broken.faults)
            return None


def _faults_of_use(
    connection: sqlite3.Connection,
    calls: Iterable[MethodCall],
    schema: Schema,
    declared_by: Mapping[str, Tool | Declared],
    handles: Collection[str],
) -> Iterator[tuple[int, str]]:
    """Check every constant SELECT and table name in the code against the schema and what its function declares."""
    for function, line, handle, verb, text in calls:
        if handle not in handles:
            continue
        owner, read = declared_by.get(function), frozenset[str]()
        if verb in _READING:
            try:
                read = tables_read(connection, text, schema.tables)
            except (sqlite3.Error, ValueError) as error:
                yield line, f"SQLite does not accept this SQL: {error!s:.200}."
        elif verb in ("get", "require", *_WRITING):
            if text not in schema.tables:
                yield line, f"names table {text!r}, which does not exist; have: {', '.join(schema.tables)}."
                continue
            read = frozenset({text})
        if owner is not None:
            does, declared = ("writes", owner.writes) if verb in _WRITING else ("reads", owner.reads)
            for table in sorted(read - declared):
                what = f"{owner.label[0].lower()}{owner.label[1:]}"
                yield line, f"{what} {does} table {table!r}, which it does not declare."


def _digest_of_files(path: Path, files: Sequence[Path]) -> str:
    """Return one digest over those of these files that a domain has."""
    digest = hashlib.sha256()
    for file in files:
        if is_there(file):
            digest.update(f"{file.relative_to(path).as_posix()}\0".encode())
            digest.update(read_bytes(file).replace(b"\r\n", b"\n"))
            digest.update(b"\0")
    return digest.hexdigest()


_PACKAGE = Path(__file__).resolve().parent.parent


def find_domain(name: str) -> Domain:
    """Load the domain of this name or path, or several with + between; errors: UsageError, BrokenDomain."""
    return load_domain(find_place(name))


def find_named(name: str) -> Domain:
    """Load the domain that has this name here, never a folder of that path; errors: UsageError, BrokenDomain."""
    known, parts = known_domains(), name.split(JOINER)
    for part in parts:
        if part not in known:
            raise UsageError(f"no domain {part!r:.100}; {have(part, known)}")
    loaded = [load_domain(known[part]) for part in parts]
    return unite(loaded) if len(loaded) > 1 else loaded[0]


def find_folder(name: str) -> Path:
    """The whole path of the folder that a name or path means; nothing in it is executed. Errors: UsageError."""
    if is_hybrid(name):
        raise UsageError(f"{name!r} names several domains; name one here.")
    path = _place_of(name)
    if not is_there(path / "domain.json"):
        raise UsageError(f"{name!r} is not a domain folder; it has no domain.json.")
    return path.resolve()


def find_place(name: str) -> Path:
    """Return the folder that a name or path means, or those of several with + between; errors: UsageError."""
    if not is_hybrid(name):
        return _place_of(name)
    return join_paths([_place_of(part) for part in name.split(JOINER)])


def is_carried(name: str) -> bool:
    """True if a name means a domain shipped inside the package, whose folder must not be written to."""
    path = _place_of(name).resolve()
    if path.is_relative_to(_PACKAGE):
        return True
    return not _is_path(name) and not path.is_relative_to(Path("domains").resolve())


def _place_of(name: str) -> Path:
    known = known_domains()
    path = Path(name) if _is_path(name) else known.get(name, Path("domains") / name)
    if not (path / "domain.json").exists():
        if (path / "answers.jsonl").is_file():
            raise UsageError(
                f"{str(path)!r} is only half built: it has answers, but no domain.json yet; "
                "run the same `worldsmith new` command again to go on."
            )
        if not _is_path(name):
            raise UsageError(f"no domain {name!r}; {have(name, known)}")
    return path


def _is_path(name: str) -> bool:
    return "/" in name or "\\" in name or (Path(name) / "domain.json").is_file()


def known_domains() -> dict[str, Path]:
    """Every domain that a name can mean, by name; the nearest folder wins."""
    found: dict[str, Path] = {}
    for root in named_folders():
        for card in sorted(root.glob("*/domain.json")):
            found.setdefault(card.parent.name, card.parent)
    return dict(sorted(found.items()))


def named_folders() -> list[Path]:
    """The folders in which a name is looked up, the nearest first."""
    checkout = _PACKAGE.parent
    in_checkout = [checkout / "domains"] if (checkout / "pyproject.toml").is_file() else []
    return [Path("domains"), *in_checkout, _PACKAGE / "carried"]
