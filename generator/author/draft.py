"""A domain while it is made: its artifacts so far, and how they are laid out as the files of a folder."""

from __future__ import annotations

import re
import textwrap
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from generator.author.design import BuildOrder, Catalogue, DatabaseDesign, PeopleDesign, ToolDesign, ToolTables
from generator.author.writing.code import TopicCode, format_files, write_topic
from generator.author.writing.documents import scenarios_file, write_card
from generator.author.writing.rules import RulesDesign, rules_file
from generator.gates.cases.case import CaseBook, write_cases
from generator.gates.folder import FolderRequest
from generator.gates.rules.case import FILE as RULE_CASES
from generator.gates.rules.case import RuleCaseBook
from generator.isolation.job import Answer, Job, ProvingLimits, Request
from generator.isolation.process import run_job
from generator.scenarios.scenario import ScenarioDesign
from generator.scenarios.trial import GateRuling
from runtime.domain.load import RULES
from runtime.domain.people import People
from runtime.domain.schema import Schema, read_schema
from runtime.graph import Graph

PROVING = ProvingLimits(cpu_seconds=240, wall_seconds=2_400)  # wide, since a busy machine is not the draft's fault
_BESIDE_TABLES = re.compile(r"^(?:CREATE (?:UNIQUE )?INDEX|--)", re.MULTILINE)
_UNIQUE_INDEX = re.compile(
    r'^CREATE UNIQUE INDEX (?:IF NOT EXISTS )?\S+\s+ON "?(?P<table>\w+)[^;]*;', re.MULTILINE | re.IGNORECASE
)
_NO_TOOLS = """'''Nothing to call yet.'''

from runtime import Database, TypedDict, tool
from typing import Annotated


class Nothing(TypedDict):
    nothing: Annotated[bool, "Always true"]


@tool()
def do_nothing(db: Database) -> Nothing:
    '''Do nothing.'''
    return {"nothing": True}
"""
_EMPTY_WORLD = '"""Nothing to fill."""\n\n\ndef populate(world):\n    return None\n'


NO_CATALOGUE = Catalogue(title="Nothing", summary="Nothing yet.", clock="2000-01-01 00:00:00")
NO_GRAPH = Graph(starts=(), unexecuted=(), crashed={}, nodes={}, edges=())


@dataclass(frozen=True)
class Draft:
    """The artifacts of a build so far; what is not made yet is empty. `code` and `cases` are by topic."""

    name: str
    catalogue: Catalogue = field(default_factory=lambda: NO_CATALOGUE)
    database: DatabaseDesign = field(default_factory=DatabaseDesign)
    people_design: PeopleDesign | None = None
    world: str = ""
    code: Mapping[str, TopicCode] = field(default_factory=dict)
    cases: CaseBook = field(default_factory=dict)
    tables: Mapping[str, ToolTables] = field(default_factory=dict)  # by tool, as its code really uses them
    rules: RulesDesign = field(default_factory=RulesDesign)
    rule_cases: RuleCaseBook = field(default_factory=dict)
    lost_rules: Mapping[str, str] = field(default_factory=dict)  # rules and duties that were dropped, with the reason
    scenarios: tuple[ScenarioDesign, ...] = ()
    conditions: Mapping[str, str] = field(default_factory=dict)  # SQL that several scenarios name
    scenario_helpers: tuple[str, ...] = ()  # functions that several scenarios call
    lost_scenarios: Mapping[str, str] = field(default_factory=dict)  # those that were dropped, with the reason
    rulings: tuple[GateRuling, ...] = ()  # of the gate on further scenarios
    left_out_forms: Mapping[str, str] = field(default_factory=dict)  # forms and rules in no scenario, with the reason
    graph: Graph = field(default_factory=lambda: NO_GRAPH)
    order: BuildOrder = BuildOrder("", "", 0)
    screening: str = ""  # why the world may be made
    dropped: Mapping[str, str] = field(default_factory=dict)  # tools that were dropped on the way, with the reason
    blamed: Mapping[str, str] = field(default_factory=dict)  # scenarios, rules and duties, with a person's complaint

    @cached_property
    def people(self) -> People | None:
        """Who calls, by the tools that are left; None where nothing was said of them, or they cannot be found."""
        callers, own = self.catalogue.callers, self.people_design
        tools = {tool.name for tool in self.catalogue.tools}
        found_by = {detail: tool for detail, tool in (callers.found_by if callers else {}).items() if tool in tools}
        if callers is None or own is None or not found_by:
            return None
        return People(
            table=callers.entity,
            name=own.name,
            found_by=found_by,
            proven_by=own.proven_by,
            born=own.born,
            owns=own.owns,
            roles=own.roles,
            anybody={tool: reason for tool, reason in own.anybody.items() if tool in tools},
        )

    @cached_property
    def schema(self) -> Schema:
        """The schema as SQLite reads it."""
        return read_schema(self.database.schema_sql).schema

    def tables_of(self, tool: str) -> ToolTables:
        """Return the tables that the code of a tool uses, else those designed for it, else those of its entities."""
        if tool in self.tables:
            return self.tables[tool]
        for entry in self.database.tools:
            if entry.tool == tool:
                return entry
        own = self.catalogue.tool(tool)
        return ToolTables(tool=tool, reads=own.reads, writes=own.writes)

    def sql_of(self, tools: Iterable[ToolDesign]) -> str:
        """Return the CREATE TABLE and CREATE UNIQUE INDEX statements that some tools need, parents included."""
        return self.sql_of_tables(self.tables_needed(tools))

    def sql_of_tables(self, needed: Collection[str]) -> str:
        """Return the CREATE TABLE and CREATE UNIQUE INDEX statements of some tables."""
        found = []
        for statement in self.database.schema_sql.split("CREATE TABLE ")[1:]:
            name = re.match(r'"?(\w+)', statement)
            if name and name[1] in needed:
                found.append(f"CREATE TABLE {_BESIDE_TABLES.split(statement)[0].strip()}")
        for index in _UNIQUE_INDEX.finditer(self.database.schema_sql):
            if index["table"] in needed:
                found.append(index[0])
        return "\n\n".join(found) or "-- none"

    def tables_in(self, text: str) -> set[str]:
        """Return the tables that a program names in a string or in SQL."""
        return {table for table in self.schema.tables if re.search(rf"""(?:["']|FROM |JOIN ){table}\b""", text)}

    def tables_needed(self, tools: Iterable[ToolDesign]) -> set[str]:
        """Return the tables of some tools, with their parents."""
        needed: set[str] = set()
        for tool in tools:
            own = self.tables_of(tool.name)
            needed |= {*own.reads, *own.writes}
        return self.with_parents(needed)

    def with_parents(self, tables: Iterable[str]) -> set[str]:
        """Return some tables, and those that their foreign keys lead to."""
        needed = set(tables)
        pending = list(needed)
        while pending:
            parents = {key.parent for key in self.schema.tables[pending.pop()].foreign_keys} - needed
            needed |= parents
            pending += sorted(parents)
        return needed

    def only(self, topic: str) -> Draft:
        """Return the part of this draft that one topic is."""
        others = {tool.name for tool in self.catalogue.tools if tool.topic != topic}
        return replace(
            self,
            catalogue=self.catalogue.without(others),
            code={name: own for name, own in self.code.items() if name == topic},
            cases={name: own for name, own in self.cases.items() if name == topic},
            people_design=None,
            rules=RulesDesign(),
        )

    def dropping(self, dropped: Mapping[str, str]) -> Draft:
        """Return this draft without some tools, each with the reason, which is kept."""
        return replace(self.without(set(dropped)), dropped={**self.dropped, **dropped}) if dropped else self

    def without(self, dropped: set[str]) -> Draft:
        """Return this draft without some tools and everything that hangs on them."""
        catalogue = self.catalogue.without(dropped)
        topics = {topic.name for topic in catalogue.topics}
        return replace(
            self,
            catalogue=catalogue,
            code={topic: own.without(dropped) for topic, own in self.code.items() if topic in topics},
            cases={
                topic: own.with_cases(case for case in own.cases if case.tool not in dropped)
                for topic, own in self.cases.items()
                if topic in topics
            },
            tables={tool: entry for tool, entry in self.tables.items() if tool not in dropped},
        )

    @contextmanager
    def laid_out(self) -> Iterator[Path]:
        """Yield a folder that holds this draft, gone afterwards."""
        with TemporaryDirectory(prefix="worldsmith-draft-") as place:
            folder = Path(place)
            self.write(folder)
            yield folder

    def prove(
        self,
        job: Job[Request, Answer],
        asked: Callable[[Path], Any] = FolderRequest,
        limits: ProvingLimits = PROVING,
    ) -> Answer:
        """Run a job on a folder that holds this draft; errors: as `run_job`."""
        with self.laid_out() as folder:
            return run_job(job, asked(folder), limits)

    def write(self, folder: Path) -> None:
        """Write the files that can be made of the artifacts so far, formatted."""
        (folder / "tools").mkdir(exist_ok=True)
        for name, text in self.files().items():
            (folder / name).write_text(text, encoding="utf-8", newline="\n")
        format_files(folder)

    def files(self) -> dict[str, str]:
        """Return the files that can be made of the artifacts so far, not yet formatted."""
        files = {
            "domain.json": write_card(
                self.name, "0", self.catalogue, self.database, {}, self.people_of_code(), locale=self.order.locale
            ),
            "schema.sql": self.database.schema_sql.strip() + "\n",
            "world.py": textwrap.dedent(self.world or _EMPTY_WORLD).strip("\n") + "\n",
            **{f"tools/{topic}.py": text for topic, text in (self.tool_files() or {"none": _NO_TOOLS}).items()},
        }
        if self.cases:
            files["cases.jsonl"] = write_cases(self.cases)
        if self.rules.codes:
            files[RULES] = rules_file(self.rules)
            if self.rule_cases:
                files[RULE_CASES] = write_cases(self.rule_cases)
        if self.scenarios:
            files["scenarios.py"] = scenarios_file(
                self.catalogue.title, self.scenarios, self.conditions, self.scenario_helpers
            )
        return files

    def people_of_code(self) -> People | None:
        """Who calls, once the tools that find them are there."""
        return self.people if all(topic.name in self.code for topic in self.catalogue.topics) else None

    def tool_files(self) -> dict[str, str]:
        """Return the files of `tools/` by topic, not yet formatted."""
        tables = {tool.name: self.tables_of(tool.name) for tool in self.catalogue.tools}
        return {
            topic.name: write_topic(self.catalogue, topic.name, self.code[topic.name], tables)
            for topic in self.catalogue.topics
            if topic.name in self.code
        }
