"""Stage `rule_cases`: cases from the words of the rules alone; rules are run on them, and a debugger says who is wrong.

Where planted faults go unnoticed, the case writer is shown them once and asked for more cases. A rule that its cases
contradict to the end is dropped, and so is one whose numbers no case notices; then, while too many small faults go
unnoticed, the rule that has the most of them.
"""

from __future__ import annotations

import asyncio
from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from typing import Literal

from pydantic import Field

from generator.author.ask import Asker, Question, ask, complaints_in, entries_named, side_by_side
from generator.author.design import DesignPart, Sentence
from generator.author.draft import Draft
from generator.author.stages.rules import (
    describe_office,
    faults_of_rules,
    fewest_rules,
    tools_and_tables,
    try_cases_of_rules,
)
from generator.author.stages.trial import faults_of_blames
from generator.author.writing.designs import as_json, frame, prompt, rows_as_json
from generator.author.writing.rules import describe_prose
from generator.gates.rules.case import RuleCase, RuleTopic
from generator.gates.rules.prove import NoticedMutants, find_unnoticed
from runtime.domain.people import DECLINE, IDENTIFY
from runtime.errors import StageFailed, WorldsmithError

_RULES_AT_ONCE = 6  # of one request
_ROUNDS = 2  # of repairs after each writing of cases
_MOST_SHOWN = 12  # faults of one rule in the question about them
ENOUGH = 0.9  # of the mutants must be noticed, and all of numbers


class RuleBlame(DesignPart):
    """Who is wrong in one failing case, and why."""

    case: str
    wrong: Literal["rule", "case"]
    reason: Sentence


class RuleRepair(DesignPart):
    """What a debugger of rules answers."""

    blames: list[RuleBlame]
    body: str | None = None
    helpers: str | None = None
    cases: list[RuleCase] = Field(default=[])


async def try_rules_by_cases(asker: Asker, draft: Draft) -> Draft:
    """Return the draft with cases for its rules and duties, without those that cases contradict or do not notice.

    Cases that stand are mended where they miss their gate.
    """
    topics = {topic: list(dict.fromkeys(case.rule for case in own.cases)) for topic, own in draft.rule_cases.items()}
    codes = [code for code in draft.rules.codes if not any(code in own for own in topics.values())]
    topics |= {
        f"rules-{number}": codes[at : at + _RULES_AT_ONCE]
        for number, at in enumerate(range(0, len(codes), _RULES_AT_ONCE), start=len(topics) + 1)
    }
    written = await side_by_side([_write(asker, draft, topic, own) for topic, own in topics.items()])
    draft = replace(draft, rule_cases=dict(zip(topics, written, strict=True)))
    draft = await _settle(asker, draft, "rules")
    unnoticed = await asyncio.to_thread(_unnoticed, draft)
    is_weak = unnoticed.by_code(numbers=True) or unnoticed.killed < ENOUGH * unnoticed.mutants
    concerned = [topic for topic in draft.rule_cases if is_weak and _missed_in(draft, topic, unnoticed)]
    if concerned:
        asker.watcher.said(f"{unnoticed.killed} of {unnoticed.mutants} mutants of rules are noticed")
        added = await side_by_side([_add_cases(asker, draft, topic, unnoticed) for topic in concerned])
        draft = replace(draft, rule_cases={**draft.rule_cases, **dict(zip(concerned, added, strict=True))})
        draft = await _settle(asker, draft, "missed")
        unnoticed = await asyncio.to_thread(_unnoticed, draft)
    asker.watcher.said(f"{unnoticed.killed} of {unnoticed.mutants} mutants of rules are noticed")
    if numbers := unnoticed.by_code(numbers=True):
        draft = _drop(asker, draft, {code: f"no case notices {own[0]}" for code, own in numbers.items()})
        unnoticed = await asyncio.to_thread(_unnoticed, draft)
    while (others := unnoticed.by_code(numbers=False)) and unnoticed.killed < ENOUGH * unnoticed.mutants:  # as `check`
        worst, missed = max(others.items(), key=lambda own: len(own[1]))
        draft = _drop(asker, draft, {worst: f"no case notices {len(missed)} of its small faults, such as {missed[0]}"})
        unnoticed = await asyncio.to_thread(_unnoticed, draft)
    return draft


def _unnoticed(draft: Draft) -> NoticedMutants:
    if not draft.rules.codes:
        return NoticedMutants()
    return replace(draft, scenarios=()).prove(find_unnoticed)


async def _write(asker: Asker, draft: Draft, topic: str, codes: Sequence[str]) -> RuleTopic:
    """Return the cases of some rules; errors: StageFailed."""
    standing, nothing = draft.rule_cases.get(topic), RuleTopic(rows={}, cases=[])
    return await _ask(asker, draft, topic, codes, _question(draft, topic, codes), nothing, standing)


async def _ask(
    asker: Asker,
    draft: Draft,
    topic: str,
    codes: Sequence[str],
    question: Question,
    before: RuleTopic,
    standing: RuleTopic | None = None,
) -> RuleTopic:
    """Return the cases of some rules with those that an answer adds; errors: StageFailed."""
    asked = await ask(
        asker,
        question,
        RuleTopic,
        lambda own: _faults_of_cases(draft, topic, codes, _merged(before, own)),
        merge=_merged,
        excerpt=entries_named(cases=["rule", "title"]),
        standing=standing,
    )
    return _merged(before, asked.insist(f"The cases of {', '.join(codes)}")).numbered()


def _missed_in(draft: Draft, topic: str, unnoticed: NoticedMutants) -> dict[str, list[str]]:
    """Return the faults that no case notices, of the rules of one topic, by code."""
    codes = dict.fromkeys(case.rule for case in draft.rule_cases[topic].cases)
    numbers, others = unnoticed.by_code(numbers=True), unnoticed.by_code(numbers=False)
    missed = {code: [*numbers.get(code, ()), *others.get(code, ())] for code in codes}
    return {code: own[:_MOST_SHOWN] for code, own in missed.items() if own}


async def _add_cases(asker: Asker, draft: Draft, topic: str, unnoticed: NoticedMutants) -> RuleTopic:
    """Return the cases of a topic with those that their writer adds; as they were, if none of them is usable."""
    before = draft.rule_cases[topic]
    missed = _missed_in(draft, topic, unnoticed)
    there = "\n".join(f"- {case.rule}: {case.title}" for case in before.cases if case.rule in missed)
    more = prompt(
        "rule_cases_missed",
        cases=f"{rows_as_json(before.rows)}\n{there}",
        missed="\n".join(f"- {each}" for own in missed.values() for each in own),
    )
    codes = list(dict.fromkeys(case.rule for case in before.cases))
    question = replace(
        _question(draft, f"{topic}.missed", codes),
        prefix="",
        prompt=_part(draft, before, list(missed)) + more,
        narrow=lambda own, complaints: _part(draft, _merged(before, own), _codes_named(codes, complaints)) + more,
    )
    try:
        return await _ask(asker, draft, topic, codes, question, before)
    except StageFailed as failed:
        asker.watcher.said(str(failed))
        return before


def _question(draft: Draft, key: str, codes: Sequence[str]) -> Question:
    return Question(
        stage="rule_cases",
        key=key,
        prefix=describe_office(draft),
        prompt=_page(draft, codes),
        narrow=lambda own, complaints: _part(draft, own, _codes_named(codes, complaints)),
        repair="Give only the cases that change or are new; a case with the rule and title of an earlier one replaces "
        "it. In `rows` give only tables whose base rows change, with all their base rows; none is {}.",
        max_tokens=16_000,
    )


def _codes_named(codes: Sequence[str], complaints: Sequence[str]) -> list[str]:
    """Return the codes that complaints name; all of them if a complaint names none."""
    named = [{code for code in codes if code in each} for each in complaints]
    return [code for code in codes if any(code in own for own in named)] if all(named) else list(codes)


def _part(draft: Draft, own: RuleTopic, codes: Sequence[str]) -> str:
    """Return the prompt for the cases of some rules, with the tables and tools of these rules and cases alone."""
    tools, tables = tools_and_tables(draft, draft.rules, codes)
    cases = [case for case in own.cases if case.rule in codes]
    called = {call.tool for case in cases for call in (*case.before, case.call) if call is not None}
    tools |= called & {tool.name for tool in draft.catalogue.tools}
    tables |= draft.with_parents({*own.rows} & draft.schema.tables.keys())
    return describe_office(draft, tools, tables) + _page(draft, codes)


def _page(draft: Draft, codes: Sequence[str]) -> str:
    """Return the task, the two tools of every office with what a refusal is recorded under, and the rules in words."""
    people = draft.people
    assert people is not None  # there are rules only where people call
    key = f"{people.table}_id"
    subjects = (
        f"{rule.code} {' or '.join(dict.fromkeys(each or key for each in rule.on.values()))}"
        for rule in draft.rules.rules
    )
    return prompt(
        "rule_cases",
        identify=f"{IDENTIFY}({', '.join((key, *people.proven_by))})",
        decline=f"{DECLINE}({key}, subject_id, rule_code)",
        subjects="; ".join(subjects),
        prose=describe_prose(draft.rules, codes, draft.order.locale),
    )


def _merged(before: RuleTopic, repair: RuleTopic) -> RuleTopic:
    """Return the base rows by table and the cases by rule and title, those of the repair in place of earlier ones."""
    cases = {(case.rule, case.title): case for case in [*before.cases, *repair.cases]}
    return RuleTopic(rows={**before.rows, **repair.rows}, cases=list(cases.values()))


def _faults_of_cases(draft: Draft, topic: str, codes: Sequence[str], own: RuleTopic) -> list[str]:
    """Return what makes cases unusable: rows that do not fit, calls that tools refuse, what no case shows."""
    faults = [
        f"case {case.title!r} is of {case.rule!r}; have: {', '.join(codes)}"
        for case in own.cases
        if case.rule not in draft.rules.codes
    ]
    if faults:
        return faults
    named = own.numbered()
    titles = {case.id: f"case {case.title!r} of {case.rule}" for case in named.cases}
    try:
        trial = try_cases_of_rules(replace(draft, rule_cases={topic: named}))
    except WorldsmithError as error:
        return complaints_in(error)
    return [
        *trial.unplaced,
        *(f"{titles[case]}: {refused}" for case, refused in trial.unusable.items() if case in titles),
        *(fault for code, fault in trial.uncovered if code in codes),
    ]


async def _settle(asker: Asker, draft: Draft, stage: str) -> Draft:
    """Return the draft with every case as expected; the rules that never come to that are dropped."""
    for round_ in range(1, _ROUNDS + 1):
        wrong = (await asyncio.to_thread(try_cases_of_rules, draft)).wrong
        concerned = [code for code in draft.rules.codes if any(case.rule == code for case in _failing(draft, wrong))]
        if not concerned:
            return draft
        for code in concerned:  # one after another, since they may share helpers
            wrong = (await asyncio.to_thread(try_cases_of_rules, draft)).wrong
            failing = [case for case in _failing(draft, wrong) if case.rule == code]
            if failing:
                asker.watcher.repaired("rule_cases", code, [_shortly(case, wrong) for case in failing])
                draft = _repaired(draft, code, await _debug(asker, draft, code, failing, wrong, f"{stage}.{round_}"))
    trial = await asyncio.to_thread(try_cases_of_rules, draft)
    left = {case.rule: _shortly(case, trial.wrong) for case in _failing(draft, trial.wrong)}
    left |= {code: faults[0] for code, faults in trial.faults.items() if code in draft.rules.codes}
    return _drop(asker, draft, left)


def _failing(draft: Draft, wrong: Mapping[str, bool]) -> list[RuleCase]:
    return [case for own in draft.rule_cases.values() for case in own.cases if case.id in wrong]


def _shortly(case: RuleCase, wrong: Mapping[str, bool]) -> str:
    said = ("not fulfilled", "fulfilled") if case.call is None else ("forbidden", "allowed")
    return f"case {case.id} ({case.title}): expected {said[case.allowed]}, got {said[wrong[case.id]]}"


async def _debug(
    asker: Asker, draft: Draft, code: str, failing: Sequence[RuleCase], wrong: Mapping[str, bool], stage: str
) -> RuleRepair:
    rules = draft.rules
    rule = next(each for each in rules.parts if each.code == code)
    base = next(own.rows for own in draft.rule_cases.values() if failing[0] in own.cases)
    question = Question(
        stage="debug",
        key=f"{code}@{stage}",
        prompt=frame(
            draft,
            "debug_rule",
            schema=draft.database.schema_sql.strip(),
            prose=describe_prose(rules, [code], draft.order.locale),
            code=code,
            numbers=as_json(rule.numbers),
            helpers=rules.helpers.strip() or "# no helpers",
            body=rule.body.strip("\n"),
            rows=rows_as_json(base),
            failures="\n".join(
                f"- {_shortly(case, wrong)}: {as_json(case.model_dump(mode='json', exclude_defaults=True))}"
                for case in failing
            ),
        ),
        max_tokens=8_000,
    )
    asked = await ask(asker, question, RuleRepair, lambda repair: _faults_of_repair(draft, code, failing, repair))
    return RuleRepair(blames=asked.artifact.blames) if asked.complaints else asked.artifact


def _faults_of_repair(draft: Draft, code: str, failing: Sequence[RuleCase], repair: RuleRepair) -> list[str]:
    own = [case.id for topic in draft.rule_cases.values() for case in topic.cases if case.rule == code]
    blamed = {blame.case: blame.wrong for blame in repair.blames}
    has_code = repair.body is not None or repair.helpers is not None
    faults = faults_of_blames([case.id for case in failing], blamed, [case.id for case in repair.cases], own, has_code)
    if faults:
        return faults
    repaired = _repaired(draft, code, repair)
    faults = faults_of_rules(repaired, repaired.rules)
    if faults:
        return faults
    trial = try_cases_of_rules(repaired)
    return [
        *trial.unplaced,
        *(f"{each}: {refused}" for each, refused in trial.unusable.items() if each in own),
        *(f"{_shortly(case, trial.wrong)} still" for case in _failing(repaired, trial.wrong) if case.rule == code),
    ]


def _repaired(draft: Draft, code: str, repair: RuleRepair) -> Draft:
    corrected = {case.id: case for case in repair.cases}
    return replace(
        draft,
        rules=draft.rules.with_body(code, repair.body, repair.helpers),
        rule_cases={
            topic: own.with_cases(corrected.get(case.id, case) for case in own.cases)
            for topic, own in draft.rule_cases.items()
        },
    )


def drop_unasked_rules(asker: Asker, draft: Draft) -> Draft:
    """Return the draft without rules that decide no scenario's request: no task would exercise them.

    A rule whose code stands in the words of a duty stays.
    """
    asked = {scenario.rule for scenario in draft.scenarios}
    duties = " ".join(duty.prose for duty in draft.rules.duties)
    idle = [rule.code for rule in draft.rules.rules if rule.code not in asked and rule.code not in duties]
    return _drop(asker, draft, dict.fromkeys(idle, "no scenario asks for what it decides")) if asked else draft


def without_rules(asker: Asker, draft: Draft, dropped: Mapping[str, str]) -> Draft:
    """Return the draft without some rules, each with the reason, and without the scenarios in which they decide."""
    lost = {each.name: f"its rule {each.rule} was dropped" for each in draft.scenarios if each.rule in dropped}
    kept = tuple(each for each in draft.scenarios if each.name not in lost)
    return replace(_drop(asker, draft, dropped), scenarios=kept, lost_scenarios={**draft.lost_scenarios, **lost})


def _drop(asker: Asker, draft: Draft, dropped: Mapping[str, str]) -> Draft:
    """Return the draft without some rules and their cases."""
    for code, reason in dropped.items():
        asker.watcher.said(f"dropped rule {code}: {reason}")
    rules = draft.rules.without(dropped)
    if dropped and len(rules.rules) < fewest_rules(draft):
        asker.watcher.said(f"only {len(rules.rules)} rules are left; {fewest_rules(draft)} were wanted")
    book = {
        topic: own.with_cases(case for case in own.cases if not _is_about(case, dropped))
        for topic, own in draft.rule_cases.items()
    }
    kept = {topic: own for topic, own in book.items() if own.cases}
    return replace(draft, rules=rules, rule_cases=kept, lost_rules={**draft.lost_rules, **dropped})


def _is_about(case: RuleCase, codes: Collection[str]) -> bool:
    """Return whether a case is of one of these rules, or declines a request under one."""
    return case.rule in codes or any(call.arguments.get("rule_code") in codes for call in case.before)
