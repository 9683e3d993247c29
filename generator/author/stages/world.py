"""Stage `world`: a program that fills the schema at any size (paper, section 4.1.2)."""

from __future__ import annotations

import ast
import contextlib
import re
import textwrap
from collections.abc import Collection, Iterator, Sequence
from dataclasses import replace
from pathlib import Path

from pydantic import Field

from generator.author.ask import Asker, Question, ask, complaints_in
from generator.author.design import DesignPart
from generator.author.draft import Draft
from generator.author.writing.code import located
from generator.author.writing.designs import compact_sql, describe_rules, prompt
from generator.author.writing.rules import RulesDesign
from generator.author.writing.splice import parts_of, with_parts
from generator.gates.folder import FolderRequest
from generator.gates.lively import CallersRequest, find_callers_lacking, find_lifeless
from generator.gates.worlds import prove_worlds
from generator.isolation.job import ProvingLimits
from generator.isolation.process import run_job
from generator.scenarios.scenario import sample_world
from runtime.domain.arguments import weekday
from runtime.errors import WorldsmithError
from runtime.sandbox.module import parse

_LIMITS = ProvingLimits(cpu_seconds=120, wall_seconds=1_200)  # a busy machine is not the program's fault
_INVARIANTS, _CRASHED = "INVARIANTS", " crashed: "
_LEAST_LINES, _LINES_A_TABLE = 320, 50  # of a world program


class WorldProgram(DesignPart):
    """`world.py`."""

    code: str = Field(default="", description="the whole file")
    parts: str = Field(
        default="", description="in a repair, instead of `code`: the functions and constants that change or are new"
    )

    def merged(self, repair: WorldProgram) -> WorldProgram:
        """Return this program with what a repair changes; a whole one takes its place."""
        return repair if repair.code else WorldProgram(code=with_parts(self.code, repair.parts))


async def write_world(asker: Asker, draft: Draft) -> Draft:
    """Return the draft with the text of `world.py`, or the one that stands mended; errors: StageFailed."""
    asked = await ask(
        asker,
        world_question(draft),
        WorldProgram,
        lambda program: _faults_of(draft, program),
        merge=WorldProgram.merged,
        excerpt=lambda program, complaints: {"code": excerpt_of(draft, program.code, complaints)},
        standing=WorldProgram(code=draft.world) if draft.world else None,
    )
    return replace(draft, world=asked.insist("The world program").code)


def world_question(draft: Draft) -> Question:
    """Return the question for the world program of a draft."""

    def about(tables: Collection[str], example: str = "") -> str:
        tools = [tool for tool in draft.catalogue.tools if {*draft.tables_of(tool.name).writes} & {*tables}]
        return prompt(
            "world",
            example=example,
            title=draft.catalogue.title,
            summary=draft.catalogue.summary,
            clock=draft.catalogue.clock,
            weekday=weekday(draft.catalogue.clock),
            schema=compact_sql(draft.sql_of_tables(tables)),
            rules=describe_rules(draft.catalogue, tools),
            people=_describe_callers(draft),
            desk=" (but the last two stay empty)" if draft.people else "",
            lines=max(_LEAST_LINES, _LINES_A_TABLE * len(draft.schema.tables)),
        )

    return Question(
        stage="world",
        key="program",
        prompt=about(draft.schema.tables, prompt("world_example")),
        narrow=lambda program, complaints: about(
            draft.with_parents(draft.tables_in(excerpt_of(draft, program.code, complaints)))
        ),
        repair="Give in `parts` the functions and constants of the top level that change, each whole; the others stay "
        "as they are. If most change, give the whole file in `code`.",
        max_tokens=12_000,
    )


def _faults_of(draft: Draft, program: WorldProgram) -> Sequence[str]:
    if not program.code:
        return ["code: there is no program; give the whole file"]
    return faults_of_program(replace(draft, world=program.code))


def faults_of_program(draft: Draft) -> Sequence[str]:
    """List what is wrong with the worlds of a program, which runs in a child, with rows of those tables."""
    with replace(draft, code={}, cases={}, rules=RulesDesign(), rule_cases={}).laid_out() as folder:
        try:
            faults = _faults_of_worlds(draft, folder)
        except WorldsmithError as error:
            text = (folder / "world.py").read_text(encoding="utf-8")
            return [located(text, each) for each in complaints_in(error)]
        return [*faults, *_rows_concerned(faults, folder)]


def _rows_concerned(faults: Sequence[str], folder: Path) -> Iterator[str]:
    """Yield what the program puts into the tables that faults name, if it makes a world at all."""
    if faults:
        with contextlib.suppress(WorldsmithError):
            for table, rows in run_job(sample_world, FolderRequest(folder), _LIMITS).tables.items():
                if any(re.search(rf"\b{table}\b", fault) for fault in faults):
                    yield f"for comparison, what the program puts into {table}: {rows}"


def _faults_of_worlds(draft: Draft, folder: Path) -> Sequence[str]:
    asked = FolderRequest(folder)
    faults = run_job(prove_worlds, asked, _LIMITS).faults or run_job(find_lifeless, asked, _LIMITS).faults
    people, own = draft.people, draft.people_design
    if faults or people is None or own is None:
        return faults
    callers = CallersRequest(folder, people, own.open_days, own.opens, own.closes, own.any_time)
    return run_job(find_callers_lacking, callers, _LIMITS).faults


def excerpt_of(draft: Draft, code: str, complaints: Sequence[str], *, functions: bool = False) -> str:
    """Return the functions and constants that complaints concern, or all functions, and the first line of the others.

    All of the program where it cannot be told what a complaint concerns.
    """
    code = textwrap.dedent(code).strip("\n")
    try:
        places = parts_of(code)
    except SyntaxError:
        return code
    lines = code.splitlines()
    parts = {name: "\n".join(lines[first - 1 : last]) for name, (first, last) in places.items()}
    concerned: set[str] = set()
    for complaint in complaints:
        tables = {table for table in draft.schema.tables if re.search(rf"\b{table}\b", complaint)}
        tables |= draft.tables_in("\n".join(sql for said, sql in _invariants(code).items() if said[:60] in complaint))
        line = re.match(r"line `(.+?)`: ", complaint)
        own = {
            name
            for name, text in parts.items()
            if (line and line[1] in text)
            or re.search(rf"\b{name}\b", complaint)
            or (name != _INVARIANTS and tables & draft.tables_in(text))
            or (name == _INVARIANTS and " does not hold: " in complaint)
        }
        if not own or _CRASHED in complaint:
            return code
        concerned |= own
    used = {name for name in parts if any(re.search(rf"\b{name}\b", parts[each]) for each in concerned)}
    concerned |= {name for name, text in parts.items() if functions and text.startswith("def ")}
    shown = concerned | {name for name in used if name.isupper()}
    return "\n".join(text if name in shown else f"{text.splitlines()[0]} ..." for name, text in parts.items())


def _invariants(code: str) -> dict[str, str]:
    """Return the sentences of the invariants with their SQL; errors: SyntaxError."""
    for node in parse(code).body:
        if isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) == _INVARIANTS:
            with contextlib.suppress(ValueError):
                return dict(ast.literal_eval(node.value))
    return {}


def _describe_callers(draft: Draft) -> str:
    """Return what the rows of callers must be like; empty where nobody calls."""
    people, own = draft.people, draft.people_design
    if people is None or own is None:
        return ""
    return prompt(
        "world_people",
        person=people.table,
        owned=", ".join(f"`{table}`" for table in people.owns),
        proofs=" and ".join(dict.fromkeys((*people.found_by, *people.proven_by))),
        days=", ".join(own.open_days),
        opens=own.opens,
        closes=own.closes,
        any_time=f" (except {', '.join(own.any_time)})" if own.any_time else "",
    )
