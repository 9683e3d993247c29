"""Stage `scenarios`: what users want, as programs that run on any world (paper, section 4.2.1)."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace

from generator.build.ask import Asker, Question, ask, side_by_side
from generator.build.draft import Draft
from generator.build.stages.reading import Reader
from generator.build.stages.rules import sample_rows
from generator.build.stages.scenario_faults import Sieve, report_on
from generator.build.stages.scenario_question import (
    elsewhere,
    groups_of,
    missing_forms,
    question_for,
    tools_to_cover,
    uncovered_forms,
)
from generator.build.writing.prompts import prompt
from generator.isolation.job import ProvingLimits
from generator.isolation.process import prove
from generator.scenarios.gate import TAU, GateFigures, GateRequest, GateRuling, Opinion, measure_gate
from generator.scenarios.group import Group, least_used, uncovered_tools
from generator.scenarios.scenario import ScenarioDesign, Scenarios, has_outside_wish
from generator.tasks.candidate import Decision
from generator.tasks.expand import ATTEMPTS
from runtime.errors import StageFailed
from runtime.graph import Graph

_LIMITS = ProvingLimits(cpu_seconds=120, wall_seconds=600)
_MISSING = "missing"
_GATE, _FURTHER = "gate", "further"
MOST_ROUNDS = 3  # of the gate
SHARE_OUTSIDE = 0.1  # of the scenarios have a wish beyond the tools
_FURTHER_TOOLS, _FURTHER_SCENARIOS = 4, 2  # of a round


async def write_scenarios(asker: Asker, draft: Draft, graph: Graph) -> Draft:
    """The draft with its scenarios; what never passes its gate is dropped, and what is not covered is said.

    They are written until all that must be covered is, and then until the gate of section 4.2.2 says stop.
    """
    rows = await asyncio.to_thread(sample_rows, draft)
    catalogue = tools_to_cover(draft)
    groups = groups_of(draft)
    parts = await side_by_side([_ask(asker, draft, graph, rows, group) for group in groups])
    scenarios, uses = _keep(asker, draft, [each for part in parts for each in part.scenarios])
    missing = uncovered_tools(catalogue, uses)
    further = [Group(_MISSING, tuple(missing), outside=False)] if missing else []
    further += elsewhere(groups, missing_forms(groups, scenarios))
    if further:
        parts += await side_by_side([_ask(asker, draft, graph, rows, group) for group in further])
        added = [each for part in parts[len(groups) :] for each in part.scenarios]
        scenarios, uses = _keep(asker, draft, [*scenarios, *added])
    reasons = {form: reason for part in parts for form, reason in part.left_out.items()}
    left_out = {form: reasons[form] for form in missing_forms(groups, scenarios) if form in reasons}
    for sentence in uncovered_forms(groups, scenarios, left_out):
        asker.watcher.said(sentence)
    for tool in uncovered_tools(catalogue, uses):
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
    return replace(draft, scenarios=tuple(scenarios), rulings=tuple(rulings), left_out_forms=left_out)


def _further_group(draft: Draft, scenarios: Sequence[ScenarioDesign], uses: Mapping[str, int], number: int) -> Group:
    """What further scenarios would be written around: the tools that are used least."""
    outside = draft.people is None and sum(map(has_outside_wish, scenarios)) < SHARE_OUTSIDE * len(scenarios)
    tools = tuple(least_used(tools_to_cover(draft), uses, _FURTHER_TOOLS))
    is_free = draft.people is not None
    return Group(f"{_FURTHER}-{number}", tools, outside=outside, wanted=_FURTHER_SCENARIOS, is_free=is_free)


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
    question = Question(
        stage="scenarios",
        key=f"{_GATE}-{number}",
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
        max_tokens=1_000,
    )
    try:
        asked = await ask(asker, question, Opinion, lambda _: ())
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
    with draft.laid_out() as folder:
        return prove(measure_gate, GateRequest(folder, graph, called, number), _LIMITS)


async def _ask(asker: Asker, draft: Draft, graph: Graph, rows: Mapping[str, str], group: Group) -> Scenarios:
    """The scenarios for one group of tools that pass their gate."""
    sieve = Sieve(draft, group, graph, Reader(asker, draft, group.key))
    try:
        asked = await ask(
            asker,
            question_for(draft, graph, rows, group),
            Scenarios,
            sieve.complaints,
            merge=Scenarios.merged,
            named_by={"scenarios": ["name"]},
            review=sieve.complaints_of_reader,
        )
    except StageFailed as failed:
        asker.watcher.said(str(failed))
        return Scenarios()
    return await sieve.sifted(asked.artifact)


def _keep(asker: Asker, draft: Draft, scenarios: Sequence[ScenarioDesign]) -> tuple[list[ScenarioDesign], Counter[str]]:
    """The scenarios that pass together, each under a name of its own, and how many of them call each tool."""
    kept = _named_apart(scenarios)
    while kept:
        reports = report_on(draft, kept)
        broken = {each.name: each.faults[0] for each in reports if each.faults}
        for name, fault in broken.items():
            asker.watcher.said(f"dropped scenario {name}: {fault}")
        kept = [each for each in kept if each.name not in broken]
        if not broken:
            return kept, Counter(tool for each in reports for tool in each.tools)
    return [], Counter()


def _named_apart(scenarios: Sequence[ScenarioDesign]) -> list[ScenarioDesign]:
    named: dict[str, ScenarioDesign] = {}
    for each in scenarios:
        name, number = each.name, 1
        while name in named:
            number += 1
            name = f"{each.name}_{number}"
        named[name] = each.model_copy(update={"name": name})
    return list(named.values())
