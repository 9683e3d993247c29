"""Stages `trial` and `sharpen`: cases and random calls try the code, and planted faults ask for more cases."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, replace
from typing import Literal

from generator.author.ask import Asker, Question, ask, complaints_in, entries_named, side_by_side
from generator.author.design import DesignPart, Sentence, ToolDesign
from generator.author.draft import PROVING, Draft
from generator.author.stages.cases import (
    faults_of_case,
    faults_of_cases,
    faults_of_coverage,
    merge_cases,
    stand_in,
)
from generator.author.stages.code import faults_of_code, with_tables
from generator.author.writing.code import Body, write_tool
from generator.author.writing.designs import (
    about_topic,
    as_json,
    compact_sql,
    describe_records,
    describe_tools,
    frame,
    prompt,
    rows_as_json,
)
from generator.gates.calls.random_calls import CallsRequest, prove_random_calls
from generator.gates.cases.case import Case, TopicCases
from generator.gates.cases.run import CaseRunner, CasesReport, Observed, prove_cases
from generator.gates.folder import FolderRequest
from generator.gates.mutants import MutantsReport, MutantsRequest, prove_mutants
from generator.isolation.process import run_each_job, run_jobs
from runtime.domain.domain import Domain
from runtime.errors import StageFailed, WorldsmithError

RANDOM_CALLS = 6_000
ROUNDS = 2  # a repair of one tool may break another through a shared helper


class Blame(DesignPart):
    """Who is wrong in one failing case, and why."""

    case: str
    wrong: Literal["tool", "case"]
    reason: Sentence


class CorrectedCase(Case):
    """A case as a debugger corrects it, under its id."""

    id: str


class Repair(DesignPart):
    """What a debugger answers."""

    blames: list[Blame]
    body: str | None = None
    helpers: str | None = None
    cases: list[CorrectedCase] = []


@dataclass(frozen=True)
class TrialFailure:
    """A case that is not as expected, or a random call that broke something; `id` names it for the debugger."""

    id: str
    tool: str
    differences: list[str]
    observed: Observed | None = None
    is_random: bool = False


Find = Callable[[Draft, Sequence[str]], list[TrialFailure]]


async def try_cases_and_calls(asker: Asker, draft: Draft) -> Draft:
    """Return the draft with every case as expected and tools that survive random calls, without what never does."""
    return await _settle(asker, await try_cases(asker, draft), "random", _random_failures)


async def try_cases(asker: Asker, draft: Draft, stage: str = "trial") -> Draft:
    """Return the draft with every case as expected, without the tools that have to be dropped."""
    return await _settle(asker, draft, stage, failures_of)


async def _settle(asker: Asker, draft: Draft, stage: str, find: Find) -> Draft:
    """Debug what is found, topics side by side, until nothing is or the rounds are used up."""
    border = stand_in(draft)
    for round_ in range(1, ROUNDS + 1):
        failures = await asyncio.to_thread(find, draft, ())
        if not failures:
            return draft
        tools = [tool for tool in draft.catalogue.tools if any(each.tool == tool.name for each in failures)]
        topics = list(dict.fromkeys(tool.topic for tool in tools))
        repaired = await side_by_side(
            [_debug_topic(asker, draft, topic, tools, border, f"{stage}.{round_}", find) for topic in topics]
        )
        for topic, own in zip(topics, repaired, strict=True):
            draft = replace(
                draft,
                code={**draft.code, topic: own.code[topic]},
                cases={**draft.cases, topic: own.cases[topic]},
            )
        draft = with_tables(draft)
    left = find(draft, ()) + failures_of(draft)
    return draft.dropping({each.tool: _shortly(each) for each in left})


async def _debug_topic(
    asker: Asker, draft: Draft, topic: str, tools: Sequence[ToolDesign], border: Domain, stage: str, find: Find
) -> Draft:
    """Repair one topic, tool after tool: what a repair of a shared helper also fixes is not asked for again."""
    for tool in tools:
        failures = await asyncio.to_thread(find, draft, [topic]) if tool.topic == topic else []
        own = [each for each in failures if each.tool == tool.name]
        if own:
            asker.watcher.repaired("trial", tool.name, [_shortly(each) for each in own])
            draft = with_repair(draft, tool, await _debug(asker, draft, tool, failures, border, stage))
    return draft


def _random_failures(draft: Draft, topics: Sequence[str] = ()) -> list[TrialFailure]:
    """Return what random calls of some topics' tools, or of all, broke, as failures without a case; a few of each."""
    tools = {tool.name for tool in draft.catalogue.tools if not topics or tool.topic in topics}
    report = draft.prove(prove_random_calls, lambda folder: CallsRequest(folder, RANDOM_CALLS, seed=1))
    found = [each for each in report.failures if each.tool in tools]
    return [
        TrialFailure(f"random-{number}", each.tool, [each.line], is_random=True) for number, each in enumerate(found, 1)
    ]


def failures_of(draft: Draft, topics: Sequence[str] = ()) -> list[TrialFailure]:
    """Return the cases of some topics, or of all, that are not as expected: run in child processes, a topic each."""
    names = [topic.name for topic in draft.catalogue.topics if draft.cases.get(topic.name)]
    names = [name for name in names if not topics or name in topics]
    with ExitStack() as stack:
        folders = [stack.enter_context(draft.only(name).laid_out()) for name in names]
        reports = run_each_job([(prove_cases, FolderRequest(folder)) for folder in folders])
    return [each for name, report in zip(names, reports, strict=True) for each in _failures_in(draft, name, report)]


def _failures_in(draft: Draft, topic: str, report: CasesReport | WorldsmithError) -> list[TrialFailure]:
    if isinstance(report, WorldsmithError):
        first = complaints_in(report)[0]
        return [TrialFailure(case.id, case.tool, [first]) for case in draft.cases[topic].cases]
    return [TrialFailure(each.id, each.tool, each.differences, each.observed) for each in report.unexpected]


async def _debug(
    asker: Asker, draft: Draft, tool: ToolDesign, failures: Sequence[TrialFailure], border: Domain, stage: str
) -> Repair:
    own = [each for each in failures if each.tool == tool.name]
    question = Question(
        stage="debug",
        key=f"{tool.name}@{stage}",
        prefix=frame(draft, "debug", body=prompt("body")),
        prompt=_describe(draft, tool, own),
        max_tokens=12_000,
    )
    asked = await ask(
        asker,
        question,
        Repair,
        lambda repair: _faults_of_repair(draft, tool, failures, repair, border),
    )
    return asked.artifact


def with_repair(draft: Draft, tool: ToolDesign, repair: Repair) -> Draft:
    """Return the draft with what a repair changes."""
    code, cases = draft.code[tool.topic], draft.cases[tool.topic]
    bodies = [] if repair.body is None else [Body(tool=tool.name, body=repair.body)]
    corrected = {case.id: case for case in repair.cases}
    changed = replace(
        draft,
        code={**draft.code, tool.topic: code.with_bodies(bodies, repair.helpers)},
        cases={**draft.cases, tool.topic: cases.with_cases(corrected.get(case.id, case) for case in cases.cases)},
    )
    return with_tables(changed)


def _faults_of_repair(
    draft: Draft, tool: ToolDesign, failures: Sequence[TrialFailure], repair: Repair, border: Domain
) -> list[str]:
    faults = faults_of_blames(
        [each.id for each in failures if each.tool == tool.name],
        {blame.case: blame.wrong for blame in repair.blames},
        [case.id for case in repair.cases],
        [case.id for case in draft.cases[tool.topic].cases if case.tool == tool.name],
        repair.body is not None or repair.helpers is not None,
    )
    runner = CaseRunner(border, draft.cases[tool.topic].rows)
    for case in repair.cases:
        faults += [f"cases: {case.id!r}: {fault}" for fault in faults_of_case(case, [tool], runner)]
    if faults:
        return faults
    repaired = with_repair(draft, tool, repair)
    code = repaired.code[tool.topic]
    faults = [str(fault) for fault in faults_of_code(repaired, tool.topic, code)]
    faults += faults_of_coverage(repaired.cases[tool.topic], [tool])
    known = {each.id for each in failures}
    if faults:
        return faults
    left = failures_of(repaired, [tool.topic])
    if any(each.is_random for each in failures):
        left += [each for each in _random_failures(repaired) if each.tool == tool.name]
    return [
        _in_full(each)
        for each in left
        if each.tool == tool.name or (repair.helpers is not None and each.id not in known)
    ]


def faults_of_blames(
    failing: Sequence[str], blames: Mapping[str, str], corrected: Sequence[str], own: Sequence[str], has_code: bool
) -> list[str]:
    """Return what a repair lacks, by the ids of its cases: a judgment, a corrected case, or new code."""
    faults = [f"blames: case {name!r} is not judged" for name in failing if name not in blames]
    faults += [f"cases: there is no case {name!r} to correct" for name in corrected if name not in own]
    for name, wrong in blames.items():
        if wrong == "case" and name not in corrected:
            faults.append(f"cases: {name!r} is wrong, but there is no corrected one")
        if wrong != "case" and not has_code:
            faults.append(f"body: the {wrong} is wrong in case {name!r}, but there is no corrected body")
    return faults


def _describe(draft: Draft, tool: ToolDesign, failures: Sequence[TrialFailure]) -> str:
    code = draft.code[tool.topic]
    body = next(each.body for each in code.bodies if each.tool == tool.name)
    tables = draft.tables_of(tool.name)
    return prompt(
        "debug_tool",
        design=describe_tools([tool], {tool.name: tables}),
        records=describe_records(draft.catalogue.records_of([tool])),
        schema=compact_sql(draft.sql_of([tool])),
        helpers=code.helpers.strip() or "# none",
        code=write_tool(tool, tables, body),
        rows=rows_as_json(
            {
                table: rows
                for table, rows in draft.cases[tool.topic].rows.items()
                if table in draft.tables_needed([tool]) and rows
            }
        ),
        failures="\n\n".join(_failure(draft, tool.topic, each) for each in failures),
    )


def _failure(draft: Draft, topic: str, failure: TrialFailure) -> str:
    if failure.is_random:
        return f"### {failure.id}: a random call on a generated world\n- {failure.differences[0]}"
    case = next(case for case in draft.cases[topic].cases if case.id == failure.id)
    return "\n".join(
        [
            f"### {case.id}: {case.title}",
            f"- case: {as_json(case.model_dump(mode='json', exclude_defaults=True, exclude={'title'}))}",
            f"- observed: {as_json(failure.observed.described() if failure.observed else {})}",
            *(f"- wrong: {difference}" for difference in failure.differences),
        ]
    )


def _shortly(failure: TrialFailure) -> str:
    return f"case {failure.id}: {failure.differences[0]}"


def _in_full(failure: TrialFailure) -> str:
    return f"case {failure.id} fails: {'; '.join(failure.differences[:4])}"


ENOUGH = 0.92  # of the mutants of a topic; below it, its writer is asked for more cases
FEWEST = 4  # that must survive for that: a request for a handful is not worth it
_MOST_SHOWN = 40  # survivors in one question


async def sharpen(asker: Asker, draft: Draft) -> Draft:
    """Return the draft with more cases, where its cases notice too few planted faults."""
    reports = await asyncio.to_thread(_count, draft)
    asker.watcher.said(_share(reports))
    weak = {
        topic: report
        for topic, report in reports.items()
        if report.killed < ENOUGH * report.total and report.total - report.killed >= FEWEST
    }
    if not weak:
        return draft
    border = stand_in(draft)
    written = await side_by_side([_add_cases(asker, draft, topic, weak[topic], border) for topic in weak])
    draft = replace(draft, cases={**draft.cases, **dict(zip(weak, written, strict=True))})
    draft = await try_cases(asker, draft, "sharpen.1")
    asker.watcher.said(_share(await asyncio.to_thread(_count, draft)))
    return draft


def _count(draft: Draft) -> dict[str, MutantsReport]:
    """Count the mutants of every topic."""
    topics = [topic.name for topic in draft.catalogue.topics]
    with draft.laid_out() as folder:
        asked = [MutantsRequest(folder, [tool.name for tool in draft.catalogue.of_topic(topic)]) for topic in topics]
        return dict(zip(topics, run_jobs(prove_mutants, asked, PROVING), strict=True))


def _share(reports: dict[str, MutantsReport]) -> str:
    total = sum(report.total for report in reports.values())
    killed = sum(report.killed for report in reports.values())
    return f"{killed / (total or 1):.1%} of the mutants are killed"


async def _add_cases(asker: Asker, draft: Draft, topic: str, report: MutantsReport, border: Domain) -> TopicCases:
    """Return the cases of a topic with those that its writer adds; as they were, if none of them is usable."""
    before = draft.cases[topic]
    missed = {name: own.survivors for name, own in report.by_tool.items() if own.survivors}
    tools = [tool for tool in draft.catalogue.of_topic(topic) if tool.name in missed]
    shown = [f"- {name}: {each.kind}: `{each.description}`" for name, own in missed.items() for each in own]
    question = Question(
        role="cases",
        stage="sharpen",
        key=topic,
        prefix=frame(draft, "cases"),
        prompt=about_topic(draft, "cases_topic", topic, tools)
        + prompt("cases_missed", cases=_shown(before, list(missed)), missed="\n".join(shown[:_MOST_SHOWN])),
        repair="Give only the cases that change or are new; one with the tool and title of an earlier case takes its "
        "place, and takes it away if it expects nothing.",
    )
    try:
        asked = await ask(
            asker,
            question,
            TopicCases,
            lambda own: faults_of_cases(merge_cases(before, own), draft.catalogue.of_topic(topic), border),
            merge=merge_cases,
            excerpt=entries_named(cases=["tool", "title"]),
        )
        return merge_cases(before, asked.insist(f"More cases of {topic!r}")).numbered()
    except StageFailed as failed:
        asker.watcher.said(str(failed))
        return before


def _shown(own: TopicCases, tools: Sequence[str]) -> str:
    """Return the base rows and the titles of the cases that are there."""
    rows = own.model_copy(update={"cases": []}).model_dump_json(include={"rows"})
    return "\n".join([f"- base: {rows}", *(f"- {case.tool}: {case.title}" for case in own.cases if case.tool in tools)])
