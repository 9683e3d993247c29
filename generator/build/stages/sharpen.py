"""Stage `sharpen`: more cases, until planted faults are noticed.

Where a mutant survives, an input is searched on which it and the tool disagree. The case writer is shown that input and
both results, in a drawn order and never any code, and says which one the design means. The answer becomes a case; if it
is against the tool, the tool goes back to the trial.
"""

from __future__ import annotations

import asyncio
import json
import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from generator.build.ask import Asker, ask, question_id, side_by_side
from generator.build.design import DesignPart, Sentence, schema_of
from generator.build.draft import Draft
from generator.build.stages.questions import frame
from generator.build.stages.trial import try_cases
from generator.build.writing.code import TopicCode
from generator.build.writing.designs import describe_records, describe_tools
from generator.build.writing.prompts import prompt
from generator.gates.cases.case import TopicCases
from generator.gates.mutants.disagree import DisagreementsRequest, Question, case_from, find_disagreements
from generator.gates.mutants.expected import Expectation
from generator.gates.mutants.kill import MutantsRequest, prove_mutants
from generator.isolation.limits import ProvingLimits
from generator.isolation.prove import prove_all
from runtime.model.model import Request

GOAL = 0.90  # of the mutants must be killed
_ENOUGH = 0.95  # of the mutants of a topic; below it, its cases are sharpened once in any case
_ROUNDS = 2
_MOST_QUESTIONS = 40  # of one topic and round
_LIMITS = ProvingLimits(cpu_seconds=240, wall_seconds=900)


class OutcomeRuling(DesignPart):
    """Which outcome of a question the design means."""

    id: str
    right: Literal["A", "B", "neither"]
    title: Sentence
    reason: Sentence


class Rulings(DesignPart):
    """What a case writer answers."""

    rulings: list[OutcomeRuling]


async def sharpen(asker: Asker, draft: Draft) -> tuple[Draft, dict[str, str]]:
    """The draft with more cases, and the tools that had to be dropped over them."""
    counts: dict[str, _Count] = {}
    for round_ in range(1, _ROUNDS + 1):
        counts = await asyncio.to_thread(_counted, draft, counts)
        share = sum(count.killed for count in counts.values()) / (sum(count.total for count in counts.values()) or 1)
        asker.watcher.said(f"{share:.1%} of the mutants are killed")
        if round_ > 1 and share >= GOAL:
            break
        weak = [topic for topic, count in counts.items() if count.survivors and count.killed < _ENOUGH * count.total]
        questions = await asyncio.to_thread(_disagreements, draft, {topic: counts[topic] for topic in weak})
        topics = [topic for topic in weak if any(each.topic == topic for each in questions)]
        if not topics:
            break
        asked = await side_by_side([_rule(asker, draft, topic, questions, round_) for topic in topics])
        for topic, rulings in zip(topics, asked, strict=True):
            draft = _with_rulings(draft, topic, questions, rulings)
        draft, dropped = await try_cases(asker, draft, f"sharpen.{round_}")
        if dropped:
            return draft, dropped
    return draft, {}


@dataclass(frozen=True)
class _Count:
    """The mutants of a topic, and the code and cases that they were counted with."""

    code: TopicCode
    cases: TopicCases
    total: int
    killed: int
    survivors: tuple[str, ...]

    def holds_for(self, draft: Draft, topic: str) -> bool:
        return self.code == draft.code[topic] and self.cases == draft.cases[topic]


def _counted(draft: Draft, before: Mapping[str, _Count]) -> dict[str, _Count]:
    """The mutants of every topic; what was counted before is counted again only where something changed."""
    names = [topic.name for topic in draft.catalogue.topics]
    changed = [name for name in names if name not in before or not before[name].holds_for(draft, name)]
    with draft.laid_out() as folder:
        asked = [MutantsRequest(folder, _names(draft, name)) for name in changed]
        reports = prove_all(prove_mutants, asked, _LIMITS, reads=[folder])
    counts = dict(before)
    for name, report in zip(changed, reports, strict=True):
        survivors = [each.id for tool in report.by_tool.values() for each in tool.survivors]
        counts[name] = _Count(
            draft.code[name], draft.cases[name], report.total, report.killed, tuple(dict.fromkeys(survivors))
        )
    return {name: counts[name] for name in names}


def _disagreements(draft: Draft, counts: Mapping[str, _Count]) -> list[Question]:
    """Inputs on which a surviving mutant and its tool differ; those on which the tool itself crashes aside."""
    with draft.laid_out() as folder:
        asked = [
            DisagreementsRequest(folder, _names(draft, name), list(count.survivors)) for name, count in counts.items()
        ]
        reports = prove_all(find_disagreements, asked, _LIMITS, reads=[folder])
    return [question for report in reports for question in report.questions if not question.fault]


def _names(draft: Draft, topic: str) -> list[str]:
    return [tool.name for tool in draft.catalogue.of_topic(topic)]


async def _rule(asker: Asker, draft: Draft, topic: str, questions: Sequence[Question], round_: int) -> Rulings:
    own = _of_topic(questions, topic)
    tools = [tool for tool in draft.catalogue.of_topic(topic) if any(each.tool == tool.name for each in own)]
    question = Request(
        role="cases",
        stage="sharpen",
        key=topic if round_ == 1 else f"{topic}.{round_}",
        attempt=1,
        prefix=frame(draft, "judge"),
        prompt=prompt(
            "judge_topic",
            schema=draft.sql_of(tools),
            designs=describe_tools(tools, {tool.name: draft.tables_of(tool.name) for tool in tools}),
            records=describe_records(draft.catalogue.records_of(tools)),
            rows="\n".join(
                f"- {table}: {_json(rows)}"
                for table, rows in draft.cases[topic].rows.items()
                if table in draft.tables_needed(tools)
            ),
            questions="\n\n".join(f"### {question_id(text)}: {text}" for text in map(_describe, own)),
        ),
        schema=schema_of(Rulings),
        max_tokens=8_000,
    )
    names = {question_id(_describe(each)) for each in own}
    asked = await ask(asker, question, Rulings, lambda rulings: _faults_of_rulings(rulings, names))
    return asked.insist(f"The rulings on {topic!r}")


def _of_topic(questions: Sequence[Question], topic: str) -> list[Question]:
    return [each for each in questions if each.topic == topic][:_MOST_QUESTIONS]


def _faults_of_rulings(rulings: Rulings, names: set[str]) -> list[str]:
    given = [ruling.id for ruling in rulings.rulings]
    return [
        *(f"question {name} is not answered" for name in sorted(names - set(given))),
        *(f"there is no question {name!r}" for name in given if name not in names),
    ]


def _describe(question: Question) -> str:
    first, second = _in_drawn_order(question)
    lines = [question.tool]
    if question.rows:
        lines.append(f"- rows: {_json(question.rows)}")
    lines += [
        f"- arguments: {_json(question.arguments)}",
        f"- A: {_json(first.as_json)}",
        f"- B: {_json(second.as_json)}",
    ]
    return "\n".join(lines)


def _in_drawn_order(question: Question) -> tuple[Expectation, Expectation]:
    """What the tool and the mutant come to, as A and B: drawn from the question itself, the same on every run."""
    outcomes = question.original, question.mutated
    is_first = random.Random(_json(question.arguments) + question.mutant).random() < 0.5
    return outcomes if is_first else outcomes[::-1]


def _with_rulings(draft: Draft, topic: str, questions: Sequence[Question], rulings: Rulings) -> Draft:
    own = draft.cases[topic]
    cases = list(own.cases)
    by_id = {ruling.id: ruling for ruling in rulings.rulings}
    for question in _of_topic(questions, topic):
        ruling = by_id[question_id(_describe(question))]
        if ruling.right == "neither":
            continue
        expected = _in_drawn_order(question)["AB".index(ruling.right)]
        if expected.crash:
            continue  # no design asks for a crash
        taken = sum(case.tool == question.tool for case in cases)
        cases.append(case_from(question, expected, f"{question.tool}-{taken + 1}", ruling.title))
    return draft.with_cases(topic, TopicCases(rows=own.rows, cases=cases))


def _json(value: object) -> str:
    return json.dumps(value, ensure_ascii=False, sort_keys=True)
