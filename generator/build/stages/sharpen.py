"""Stage `sharpen`: more cases, where planted faults go unnoticed.

The case writer is asked once for each topic whose cases are weak. It sees the faults that survived, adds cases from the
design, and a case that the tool fails goes to the trial as any other.
"""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import replace

from generator.build.ask import Asker, Question, ask, entries_named, side_by_side
from generator.build.draft import Draft
from generator.build.stages.cases import faults_of_cases, merge_cases, numbered, stand_in
from generator.build.stages.trial import try_cases
from generator.build.writing.designs import about_topic, frame, prompt
from generator.gates.cases.case import TopicCases
from generator.gates.mutants import MutantsReport, MutantsRequest, prove_mutants
from generator.isolation.job import ProvingLimits
from generator.isolation.process import prove_all
from runtime.domain.domain import Domain
from runtime.errors import StageFailed

ENOUGH = 0.92  # of the mutants of a topic; below it, its writer is asked for more cases
FEWEST = 4  # that must survive for that: a request for a handful is not worth it
_MOST_SHOWN = 40  # survivors in one question
_LIMITS = ProvingLimits(cpu_seconds=240, wall_seconds=900)


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
        return dict(zip(topics, prove_all(prove_mutants, asked, _LIMITS), strict=True))


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
        return numbered(merge_cases(before, asked.insist(f"More cases of {topic!r}")))
    except StageFailed as failed:
        asker.watcher.said(str(failed))
        return before


def _shown(own: TopicCases, tools: Sequence[str]) -> str:
    """Return the base rows and the titles of the cases that are there."""
    rows = own.model_copy(update={"cases": []}).model_dump_json(include={"rows"})
    return "\n".join([f"- base: {rows}", *(f"- {case.tool}: {case.title}" for case in own.cases if case.tool in tools)])
