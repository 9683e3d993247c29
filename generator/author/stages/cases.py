"""Stage `cases`: procedural tests of a topic's tools, written without sight of their code (paper, section 4.1.2)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from generator.author.ask import Asker, Question, ask, entries_named, side_by_side
from generator.author.design import ToolDesign
from generator.author.draft import Draft
from generator.author.writing.code import Body, TopicCode
from generator.author.writing.designs import about_topic, frame, tools_named
from generator.gates.cases.case import Case, TopicCases, is_concrete, merge_rows
from generator.gates.cases.run import CaseRunner, keys_of
from runtime.domain.domain import Domain
from runtime.domain.load import load_domain
from runtime.errors import UsageError


async def write_cases(asker: Asker, draft: Draft) -> Draft:
    """Return the draft with the cases of its topics; errors: StageFailed."""
    border = stand_in(draft)
    topics = [topic.name for topic in draft.catalogue.topics]
    written = await side_by_side([_write_topic(asker, draft, topic, border) for topic in topics])
    return replace(draft, cases=dict(zip(topics, written, strict=True)))


async def _write_topic(asker: Asker, draft: Draft, topic: str, border: Domain) -> TopicCases:
    """Return the cases of one topic, each with an id; errors: StageFailed."""
    tools = draft.catalogue.of_topic(topic)
    shared = frame(draft, "cases")
    question = Question(
        stage="cases",
        key=topic,
        prefix=shared,
        prompt=about_topic(draft, "cases_topic", topic),
        repair="Give only the cases that change or are new; one with the tool and title of an earlier case takes its "
        "place, and takes it away if it expects nothing. In `rows` give only tables whose base rows change, with all "
        "their base rows; none is {}.",
        narrow=lambda _, complaints: shared + about_topic(draft, "cases_topic", topic, tools_named(tools, complaints)),
    )
    asked = await ask(
        asker,
        question,
        TopicCases,
        lambda own: faults_of_cases(own, tools, border),
        merge=merge_cases,
        excerpt=entries_named(cases=["tool", "title"]),
    )
    return asked.insist(f"The cases of {topic!r}").numbered()


def merge_cases(before: TopicCases, repair: TopicCases) -> TopicCases:
    """Return the base rows by table and the cases by tool and title, those of the repair in place of earlier ones.

    A case that expects nothing takes an earlier one away.
    """
    titles = {(case.tool, case.title) for case in repair.cases}
    kept = [case for case in before.cases if (case.tool, case.title) not in titles]
    return TopicCases(
        rows={**before.rows, **repair.rows}, cases=[*kept, *(case for case in repair.cases if not _is_empty(case))]
    )


def _is_empty(case: Case) -> bool:
    """Return whether a case expects nothing that could be otherwise."""
    return not case.rejects and not case.changes and not is_concrete(case.result)


def stand_in(draft: Draft) -> Domain:
    """Return the designed domain with tools that do nothing, to check arguments before there is code."""
    empty = {
        topic.name: TopicCode(
            docstring="Stand-ins.",
            bodies=[Body(tool=tool.name, body="return {}") for tool in draft.catalogue.of_topic(topic.name)],
        )
        for topic in draft.catalogue.topics
    }
    with replace(draft, world="", code=empty, cases={}).laid_out() as folder:
        return load_domain(folder)


def faults_of_cases(own: TopicCases, tools: Sequence[ToolDesign], domain: Domain) -> list[str]:
    """Return what makes cases unusable; they are not run here."""
    runner = CaseRunner(domain, own.rows)
    try:
        runner.world({})
    except UsageError as error:
        return [f"base rows: {error}"]
    faults = [
        f"case {case.title!r} of {case.tool}: {fault}"
        for case in own.cases
        for fault in faults_of_case(case, tools, runner)
    ]
    return [*faults, *faults_of_coverage(own, tools)]


def faults_of_coverage(own: TopicCases, tools: Sequence[ToolDesign]) -> Iterator[str]:
    """Return what no case of some tools shows: a success, each kind of rejection."""
    for tool in tools:
        cases = [case for case in own.cases if case.tool == tool.name]
        titles = [case.title for case in cases]
        if len(set(titles)) != len(titles):
            yield f"tool {tool.name!r}: two cases have the same title"
        if not any(case.is_success for case in cases):
            yield f"tool {tool.name!r} has no case in which it succeeds; add one with `result` or `changes`"
        kinds = dict.fromkeys(each.otherwise for each in tool.preconditions)
        for kind in kinds:
            if kind not in [case.rejects for case in cases]:
                yield f'tool {tool.name!r} has no rejected case of {kind}; add one with "rejects": "{kind}"'


def faults_of_case(case: Case, tools: Sequence[ToolDesign], runner: CaseRunner) -> Iterator[str]:
    """Return what makes one case unusable."""
    design = next((tool for tool in tools if tool.name == case.tool), None)
    if design is None:
        yield f"this topic has no such tool; have: {', '.join(tool.name for tool in tools)}"
        return
    try:
        runner.world(case.rows)
    except UsageError as error:
        yield str(error)
    yield from _faults_of_arguments(case, runner.domain)
    kinds = {each.otherwise for each in design.preconditions} | {"INVALID_ARGUMENT"}
    if case.rejects and case.rejects not in kinds:
        yield f"{case.rejects} is not declared; have: {', '.join(sorted(kinds))}"
    if case.rejects and (case.result is not None or case.changes):
        yield "a rejected call changes nothing; leave out `result` and `changes`"
    if _is_empty(case):
        yield "it expects nothing: give result or changes, or rejects"
    fields = set(runner.domain.tools[case.tool].result.names)
    for name in case.result or {}:
        if name not in fields:
            yield f"the result has no field {name!r}; have: {', '.join(sorted(fields))}"
    yield from _faults_of_changes(case, runner)


def _faults_of_arguments(case: Case, domain: Domain) -> Iterator[str]:
    try:
        domain.tools[case.tool].arguments.check_untrusted(case.arguments)
    except (ValueError, OverflowError) as error:
        if case.rejects != "INVALID_ARGUMENT":
            yield f"its arguments are refused before the tool runs: {error}"


def _faults_of_changes(case: Case, runner: CaseRunner) -> Iterator[str]:
    schema = runner.domain.schema
    rows = merge_rows(runner.base, case.rows, keys_of(schema))
    for change in case.changes:
        table = schema.tables.get(change.table)
        if table is None:
            yield f"changes: there is no table {change.table!r}"
            continue
        forms = [change.added is not None, change.changed is not None, change.removed]
        if forms.count(True) != 1:
            yield f"changes: an entry for {change.table} needs exactly one of `added`, `changed`, and `removed`"
            continue
        for column in change.added or change.changed or {}:
            if column not in table.positions:
                yield f"changes: {change.table} has no column {column!r}; have: {', '.join(table.column_names)}"
        if change.added is not None:
            continue
        key = change.key if isinstance(change.key, list) else [change.key]
        row = next(
            (row for row in rows.get(table.name, []) if [row.get(name) for name in table.primary_key] == key), None
        )
        if row is None:
            yield f"changes: neither the base nor the case has a row of {change.table} with key {change.key!r}"
        elif change.changed is not None:
            full = {**runner.defaults[table.name], **row}
            same = [column for column, value in change.changed.items() if column in full and full[column] == value]
            if same:
                yield f"changes: {change.table} {change.key!r}: {', '.join(same)} has that value already; leave it out"
