"""Stage `scenarios`: what users want, as programs that run on any world (paper, section 4.2.1)."""

from __future__ import annotations

import ast
import asyncio
import re
import textwrap
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from generator.build.ask import Asker, CostSpent, ask, side_by_side
from generator.build.design import ToolDesign, schema_of
from generator.build.draft import Draft
from generator.build.stages.reading import Reader
from generator.build.writing.code import lint
from generator.build.writing.designs import describe_fields, describe_wants, sentence
from generator.build.writing.prompts import prompt
from generator.gates.request import FolderRequest
from generator.isolation.limits import ProvingLimits
from generator.isolation.prove import prove
from generator.scenarios.gate import TAU, GateFigures, GateRequest, measure_gate
from generator.scenarios.group import (
    Group,
    describe_edges,
    group_tools,
    helping_tools,
    least_used,
    uncovered_tools,
)
from generator.scenarios.ruling import GateRuling, Opinion
from generator.scenarios.run import ScenarioReport, ScenariosRequest, prove_scenarios
from generator.scenarios.samples import sample_world
from generator.scenarios.scenario import ScenarioDesign, Scenarios, has_outside_wish
from generator.tasks.candidate import Decision
from generator.tasks.chains import ATTEMPTS
from runtime.domain.dates import weekday
from runtime.errors import StageFailed, WorldsmithError
from runtime.graph import Graph
from runtime.model.model import Request
from runtime.sandbox.code import faults_in
from runtime.sandbox.syntax import parse
from runtime.task.scenarios import FILE
from runtime.task.story import Story

_LIMITS = ProvingLimits(cpu_seconds=120, wall_seconds=600)
_PLACE = re.compile(r"(?:scenarios\.py:|line )(\d+): (.*)", re.DOTALL)
_MISSING = "missing"
_OFFERED = tuple(sorted({*(name for name in dir(Story) if not name.startswith("_")), "now", "today"} - {"close"}))
_TRACES = ("amounts", "base", "origin", "spoken")
_GATE, _FURTHER = "gate", "further"
MOST_ROUNDS = 3  # of the gate
SHARE_OUTSIDE = 0.1  # of the scenarios have a wish beyond the tools
_FURTHER_TOOLS, _FURTHER_SCENARIOS = 4, 2  # of a round
_RULE = re.compile(r"\s*(?:CHECK|CREATE UNIQUE INDEX)\b")
_QUOTED = re.compile(r"'[^']*'")
_LAST_COMMA = re.compile(r",( --[^\n]*)?\n\)")
_UNSAID = re.compile(r" CHECK \(\w+ <> ''\)| ON DELETE RESTRICT| STRICT(?:, WITHOUT ROWID)?(?=;)")


async def write_scenarios(asker: Asker, draft: Draft, graph: Graph) -> Draft:
    """The draft with its scenarios; what never passes its gate is dropped, and what is not covered is said.

    They are written until all that must be covered is, and then until the gate of section 4.2.2 says stop.
    """
    rows = await asyncio.to_thread(_sample_rows, draft)
    groups = group_tools(draft.catalogue)
    parts = await side_by_side([_ask(asker, draft, graph, rows, group) for group in groups])
    scenarios, uses = _keep(asker, draft, [each for part in parts for each in part.scenarios])
    missing = uncovered_tools(draft.catalogue, uses)
    if missing:
        more = await _ask(asker, draft, graph, rows, Group(_MISSING, tuple(missing), outside=False))
        scenarios, uses = _keep(asker, draft, [*scenarios, *more.scenarios])
    for tool in uncovered_tools(draft.catalogue, uses):
        asker.watcher.said(f"no scenario calls {tool.name}")
    if not scenarios:
        asker.watcher.said("no scenario passed its gate; the domain has none")
    rulings: list[GateRuling] = []
    while scenarios and len(rulings) < MOST_ROUNDS:
        number = len(rulings) + 1
        group = _further_group(draft, scenarios, uses, number)
        ruling = await _rule(asker, draft, graph, scenarios, uses, group, number)
        if ruling is None:
            break
        rulings.append(ruling)
        if not ruling.decision.goes_on:
            break
        more = await _ask(asker, draft, graph, rows, group)
        scenarios, uses = _keep(asker, draft, [*scenarios, *more.scenarios])
    _check_edits(draft, scenarios)
    return replace(draft, scenarios=tuple(scenarios), rulings=tuple(rulings))


def _further_group(draft: Draft, scenarios: Sequence[ScenarioDesign], uses: Mapping[str, int], number: int) -> Group:
    """What further scenarios would be written around: the tools that are used least."""
    outside = sum(map(has_outside_wish, scenarios)) < SHARE_OUTSIDE * len(scenarios)
    tools = least_used(draft.catalogue, uses, _FURTHER_TOOLS)
    return Group(f"{_FURTHER}-{number}", tuple(tools), outside=outside, wanted=_FURTHER_SCENARIOS)


async def _rule(
    asker: Asker,
    draft: Draft,
    graph: Graph,
    scenarios: Sequence[ScenarioDesign],
    uses: Mapping[str, int],
    group: Group,
    number: int,
) -> GateRuling | None:
    """Whether the model thinks that a further group is worth it; None if it gives no usable answer."""
    measured = await asyncio.to_thread(_measure, draft, graph, sorted(uses), number)
    names = measured.remaining
    question = Request(
        role="scenarios",
        stage="scenarios",
        key=f"{_GATE}-{number}",
        attempt=1,
        prefix="",
        prompt=prompt(
            "scenarios_gate",
            title=draft.catalogue.title,
            summary=draft.catalogue.summary,
            count=len(draft.catalogue.tools),
            scenarios=len(scenarios),
            wishes="\n".join(f"- {each.wish}" for each in scenarios),
            remaining=len(names),
            names=f" ({', '.join(names)})" if names else "",
            complexity=measured.complexity,
            feasibility=measured.feasibility,
            attempts=ATTEMPTS,
            next=", ".join(f"{tool.name} (called by {uses.get(tool.name, 0)})" for tool in group.tools),
            tau=TAU,
        ),
        schema=schema_of(Opinion),
        max_tokens=1_000,
    )
    try:
        asked = await ask(asker, question, Opinion, lambda _: ())
    except CostSpent:
        raise
    except StageFailed as failed:
        asker.watcher.said(str(failed))
        return None
    opinion = asked.artifact
    score = round(opinion.probability, 4)
    decision = Decision(len(names), measured.complexity, measured.feasibility, score, score >= TAU)
    ruling = GateRuling(decision, opinion.reason)
    asker.watcher.said(f"gate {number}: {ruling.as_sentence}")
    return ruling


def _measure(draft: Draft, graph: Graph, called: list[str], number: int) -> GateFigures:
    with replace(draft, edits=()).laid_out() as folder:
        return prove(measure_gate, GateRequest(folder, graph, called, number), _LIMITS, reads=[folder])


def _sample_rows(draft: Draft) -> dict[str, str]:
    with replace(draft, cases={}).laid_out() as folder:
        return prove(sample_world, FolderRequest(folder), _LIMITS, reads=[folder]).tables


async def _ask(asker: Asker, draft: Draft, graph: Graph, rows: Mapping[str, str], group: Group) -> Scenarios:
    """The scenarios for one group of tools that pass their gate."""
    helpers = helping_tools(group, draft.catalogue, graph)
    tools = [*group.tools, *helpers]
    needed = draft.tables_needed(tools)
    question = Request(
        role="scenarios",
        stage="scenarios",
        key=group.key,
        attempt=1,
        prefix=prompt(
            "scenarios",
            title=draft.catalogue.title,
            summary=draft.catalogue.summary,
            clock=draft.catalogue.clock,
            weekday=weekday(draft.catalogue.clock),
        ),
        prompt=prompt(
            "scenarios_group",
            count=group.count,
            outside="One of them ends in a wish beyond the tools." if group.outside else "None has a wish beyond them.",
            schema=_short_sql(draft.sql_of(tools)),
            rows="\n".join(said for table, said in rows.items() if table in needed),
            designs=describe_wants(group.tools),
            writing=_what_to_write(group),
            helpers=_describe_helpers(helpers),
            records=describe_fields(draft.catalogue.records_of(tools)),
            edges=describe_edges(group, helpers, graph),
        ),
        schema=schema_of(Scenarios),
        repair="Give only the scenarios that change or are new; names in `drop` are taken away.",
        max_tokens=12_000,
    )
    reader = Reader(asker, draft, group.key)
    try:
        asked = await ask(
            asker,
            question,
            Scenarios,
            lambda own: faults_of_scenarios(draft, group, own),
            merge=Scenarios.merged,
            named_by={"scenarios": ["name"]},
            review=reader.complaints,
        )
    except CostSpent:
        raise
    except StageFailed as failed:
        asker.watcher.said(str(failed))
        return Scenarios()
    if not asked.complaints:
        return asked.artifact
    broken = await asyncio.to_thread(faults_by_scenario, draft, asked.artifact.scenarios)
    return asked.artifact.without(await reader.say_doubtful(asked.artifact.without(broken)))


def faults_of_scenarios(draft: Draft, group: Group, own: Scenarios) -> list[str]:
    """What is wrong with each scenario, by rule and by execution, and what all of them leave uncovered."""
    broken = faults_by_scenario(draft, own.scenarios)
    return [*(f"scenario {name!r}: {fault}" for name, faults in broken.items() for fault in faults), *group.lacks(own)]


def faults_by_scenario(draft: Draft, scenarios: Sequence[ScenarioDesign]) -> dict[str, list[str]]:
    """The faults of those scenarios that have any."""
    return {each.name: each.faults for each in _prove(draft, scenarios) if each.faults}


def _keep(asker: Asker, draft: Draft, scenarios: Sequence[ScenarioDesign]) -> tuple[list[ScenarioDesign], Counter[str]]:
    """The scenarios that pass together, each under a name of its own, and how many of them call each tool."""
    kept = _named_apart(scenarios)
    while kept:
        reports = _prove(draft, kept)
        broken = {each.name: each.faults[0] for each in reports if each.faults}
        for name, fault in broken.items():
            asker.watcher.said(f"dropped scenario {name}: {fault}")
        kept = [each for each in kept if each.name not in broken]
        if not broken:
            return kept, Counter(tool for each in reports for tool in each.tools)
    return [], Counter()


def _check_edits(draft: Draft, scenarios: Sequence[ScenarioDesign]) -> None:
    """Edits by hand pass the same gate; errors: StageFailed."""
    if scenarios and any(edit.file == FILE for edit in draft.edits):
        for each in _prove(draft, scenarios, edited=True):
            if each.faults:
                raise StageFailed(f"After the edits by hand, scenario {each.name!r}: {each.faults[0]}")


def _named_apart(scenarios: Sequence[ScenarioDesign]) -> list[ScenarioDesign]:
    named: dict[str, ScenarioDesign] = {}
    for each in scenarios:
        name, number = each.name, 1
        while name in named:
            number += 1
            name = f"{each.name}_{number}"
        named[name] = each.model_copy(update={"name": name})
    return list(named.values())


def _prove(draft: Draft, scenarios: Sequence[ScenarioDesign], *, edited: bool = False) -> list[ScenarioReport]:
    """A report on each scenario; one that breaks a rule is not executed, the others are."""
    reports = {each.name: ScenarioReport(each.name, list(_faults_of_form(each))) for each in scenarios}
    edits = tuple(edit for edit in draft.edits if edited or edit.file != FILE)
    while sound := [each for each in scenarios if not reports[each.name].faults]:
        with replace(draft, scenarios=tuple(sound), cases={}, edits=edits).laid_out() as folder:
            text = (folder / FILE).read_text(encoding="utf-8")
            faults = faults_in(text, FILE)
            faults += [f"{FILE}:{line}: {said}" for name, line, said in lint(folder) if name == FILE]
            if not faults:
                reports |= {each.name: each for each in _run(folder, text, sound)}
                break
        for fault in faults:
            _note({each.name: reports[each.name] for each in sound}, text, fault)
    return list(reports.values())


def _run(folder: Path, text: str, scenarios: Sequence[ScenarioDesign]) -> list[ScenarioReport]:
    try:
        reports = prove(prove_scenarios, ScenariosRequest(folder), _LIMITS, reads=[folder]).scenarios
    except WorldsmithError as error:
        return [ScenarioReport(each.name, [str(error)]) for each in scenarios]
    for each in reports:
        each.faults = [_placed(text, fault)[1] for fault in each.faults]
    return reports


def _faults_of_form(scenario: ScenarioDesign) -> Iterator[str]:
    """What is wrong with a body before it stands in a file."""
    block = textwrap.indent(textwrap.dedent(scenario.body.expandtabs(4)).strip("\n"), "    ") or "    pass"
    try:
        tree = parse(f"def scenario(story):\n{block}")
    except SyntaxError as error:
        yield f"line `{(error.text or '').strip()}`: the body is not valid Python: {error.msg}"
        return
    except (ValueError, RecursionError, MemoryError) as error:
        yield f"the body is not valid Python: {error}"
        return
    if len(tree.body) != 1:
        yield "the body leaves its function; give the block without signature and decorator"
    for node in ast.walk(tree):
        if isinstance(node, ast.Attribute):
            yield from _faults_of_attribute(node)
        if isinstance(node, ast.Subscript) and _is_position(node.slice):
            yield (
                f"line `{ast.unparse(node)}`: an entry is taken by its position; say which one it is with story.find, "
                "story.highest or story.lowest"
            )


def _faults_of_attribute(node: ast.Attribute) -> Iterator[str]:
    """A scenario uses what a story offers; it does not write where a value came from."""
    if isinstance(node.value, ast.Name) and node.value.id == "story" and node.attr not in _OFFERED:
        yield f"line `{ast.unparse(node)}`: a story has no such thing; have: {', '.join(_OFFERED)}"
    elif node.attr in _TRACES:
        yield f"line `{ast.unparse(node)}`: the attribute {node.attr!r} is not for scenarios; use the values themselves"


def _is_position(node: ast.expr) -> bool:
    inner = node.operand if isinstance(node, ast.UnaryOp) else node
    return isinstance(inner, ast.Constant) and isinstance(inner.value, int)


def _note(reports: Mapping[str, ScenarioReport], text: str, fault: str) -> None:
    name, sentence = _placed(text, fault)
    for each in [reports[name]] if name in reports else reports.values():
        each.faults.append(sentence)


def _placed(text: str, fault: str) -> tuple[str, str]:
    """The scenario in whose lines a fault is, and the fault with the line itself instead of its number."""
    found = _PLACE.fullmatch(fault)
    if not found:
        return "", fault
    number = int(found[1])
    lines = text.splitlines()
    shown = lines[number - 1].strip() if 0 < number <= len(lines) else ""
    try:
        functions = [node for node in parse(text).body if isinstance(node, ast.FunctionDef)]
    except SyntaxError:
        functions = []
    name = next((node.name for node in functions if node.lineno <= number <= (node.end_lineno or number)), "")
    return name, f"line `{shown}`: {found[2]}" if shown else found[2]


def _what_to_write(group: Group) -> str:
    """What must be called, or how scenarios without a writing tool look."""
    writing = [tool.name for tool in group.tools if tool.writes]
    if writing:
        return f"Every writing tool to cover ({', '.join(writing)}) is called by one of them."
    return (
        "None of these tools writes, so each scenario asks for answers that two to four calls lead to: one finds what "
        "the next one needs. At least one answer of each cannot be guessed: a name, a date, an amount, a rate."
    )


def _short_sql(schema: str) -> str:
    """The tables as whoever picks rows needs them: without rules over several columns, and without alignment."""
    text = _UNSAID.sub("", "\n".join(_without_rules(schema.splitlines())))
    return _LAST_COMMA.sub(r"\1\n)", re.sub(r"(?<=\S) {2,}", " ", text)).strip()


def _without_rules(lines: Sequence[str]) -> Iterator[str]:
    """The lines without rules of whole rows, which may go over several, and without unique indexes."""
    depth = 0
    for line in lines:
        if depth or _RULE.match(line):
            code = _QUOTED.sub("", line).partition("--")[0]
            depth += code.count("(") - code.count(")")
        else:
            yield line


def _describe_helpers(helpers: Sequence[ToolDesign]) -> str:
    return "\n".join(map(_describe_helper, helpers)) or "- none"


def _describe_helper(tool: ToolDesign) -> str:
    given = ", ".join(
        each.name if each.required else f"[{each.name}]" if each.default is None else f"[{each.name} = {each.default}]"
        for each in tool.parameters
    )
    said = " ".join(map(sentence, [tool.description, *tool.effects]))
    return f"- {tool.name}({given}) returns {tool.returns}: {said}"
