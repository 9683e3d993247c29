"""Stage `scenarios`: what users want, as programs that run on any world (paper, section 4.2.1)."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

from generator.author.ask import Asker, Question, ask, entries_named, side_by_side
from generator.author.draft import Draft
from generator.author.stages.rules import sample_rows
from generator.author.stages.scenario_faults import ScenarioGate, report_on, try_as_tasks
from generator.author.stages.scenario_groups import (
    LEAST_PER_FORM,
    FormDealer,
    Group,
    Page,
    Unit,
    name_of,
    question_for,
)
from generator.author.writing.designs import prompt
from generator.scenarios.lint import ScenariosRequest, prove_scenarios
from generator.scenarios.scenario import ScenarioDesign, Scenarios, has_outside_wish, joined
from generator.scenarios.trial import TAU, GateRequest, GateRuling, Opinion, measure_gate, measure_guesses
from generator.tasks.expand import ATTEMPTS, Decision
from runtime.errors import StageFailed
from runtime.graph import Graph

MOST_ROUNDS = 3  # of the gate
SHARE_OUTSIDE = 0.1  # of the scenarios have a wish beyond the tools, where nobody calls
_FURTHER_TOOLS, _FURTHER_SCENARIOS = 4, 2  # of a round
_MOST_MENDED = 6  # scenarios that are sent back once more


async def write_scenarios(asker: Asker, draft: Draft, graph: Graph) -> Draft:
    """Return the draft with its scenarios; what never passes its gate is dropped, and what is not covered is said.

    They are asked for by topic, then what is missing or did not pass is asked for once more, and then more of them
    until the gate of section 4.2.2 says stop.
    """
    page = Page(draft, await asyncio.to_thread(sample_rows, draft))
    writer = _Writer(asker, draft, graph, page, FormDealer(draft))
    await writer.write(writer.dealer.groups())
    further = _what_is_missing(writer)
    if further or writer.broken:
        mended = dict(list(writer.broken.items())[:_MOST_MENDED])
        await writer.write(further or [Group("mended", ())], mended)
    writer.say_what_is_missing()
    rulings: list[GateRuling] = []
    while writer.scenarios and len(rulings) < MOST_ROUNDS:
        number = len(rulings) + 1
        group = _further_group(writer, number)
        ruling = await _rule(writer, group, number)
        if ruling is None:
            break
        rulings.append(ruling)
        if not ruling.decision.goes_on:
            break
        await writer.write([group])
    if draft.order.sets and (sets := writer.dealer.sets()) is not None:
        await writer.write([sets])
    missing = {*writer.lacking, *(tool.name for tool in writer.dealer.uncovered(writer.uses))}
    left_out = {name: reason for name, reason in writer.left_out.items() if name in missing}
    return replace(
        draft,
        scenarios=tuple(writer.scenarios),
        conditions=writer.conditions,
        lost_scenarios={name: fault for name, (_, fault) in writer.broken.items()},
        rulings=tuple(rulings),
        left_out_forms=left_out,
    )


async def mend_scenarios(asker: Asker, draft: Draft) -> Draft:
    """Return the draft with scenarios asked for again: those that somebody complains of, and those that make no task.

    One that never passes stays.
    """
    reports = await asyncio.to_thread(draft.prove, prove_scenarios, ScenariosRequest)
    faults = {each.name: "; ".join(each.faults) for each in reports.scenarios if each.faults}
    guessed = await asyncio.to_thread(replace(draft, cases={}).prove, measure_guesses)
    faults |= {each.scenario: each.fault for each in guessed.scenarios if each.is_guessable}
    sound = [each for each in draft.scenarios if each.name not in faults]
    if draft.people and sound:
        tried = await asyncio.to_thread(try_as_tasks, draft, sound, draft.graph)
        faults |= {name: "; ".join(own) for name, own in tried.faults.items()}
    for each in draft.scenarios:
        if each.name in draft.blamed:
            faults[each.name] = "; ".join([draft.blamed[each.name], *filter(None, [faults.get(each.name)])])
    page = Page(draft, await asyncio.to_thread(sample_rows, draft))
    writer = _Writer(asker, draft, draft.graph, page, FormDealer(draft), conditions=dict(draft.conditions))
    writer.scenarios = [each for each in draft.scenarios if each.name not in faults]
    broken = [(each.name, (each, faults[each.name])) for each in draft.scenarios if each.name in faults]
    for at in range(0, len(broken), _MOST_MENDED):
        await writer.write([Group("mended", ())], dict(broken[at : at + _MOST_MENDED]))
    mended = {each.name: each for each in writer.scenarios}
    scenarios = tuple(mended.get(each.name, each) for each in draft.scenarios)
    return replace(draft, scenarios=scenarios, conditions=writer.conditions)


@dataclass
class _Writer:
    """Asks for scenarios and keeps what passes: alone, as a task, as it is read, and together with the others."""

    asker: Asker
    draft: Draft
    graph: Graph
    page: Page
    dealer: FormDealer
    scenarios: list[ScenarioDesign] = field(default_factory=list)
    conditions: dict[str, str] = field(default_factory=dict)
    uses: Counter[str] = field(default_factory=Counter)  # scenarios that call a tool
    broken: dict[str, tuple[ScenarioDesign, str]] = field(default_factory=dict)  # what did not pass, with the fault
    left_out: dict[str, str] = field(default_factory=dict)  # forms and rules with the last reason given
    refused: set[tuple[str, str]] = field(default_factory=set)  # forms and rules, each with a topic

    async def write(
        self, groups: Sequence[Group], broken: Mapping[str, tuple[ScenarioDesign, str]] | None = None
    ) -> None:
        """Ask for groups side by side, the first also for those that did not pass, and keep what passes together."""
        parts = await side_by_side(
            [self._ask(group, {} if number else broken or {}) for number, group in enumerate(groups)]
        )
        for group, part in zip(groups, parts, strict=True):
            self.left_out |= part.left_out
            self.refused |= {(name, group.topic) for name in part.left_out}
        own = joined([Scenarios(conditions=self.conditions, scenarios=self.scenarios), *parts])
        kept, self.conditions = own.scenarios, own.conditions
        while kept:
            reports = await asyncio.to_thread(report_on, replace(self.draft, conditions=self.conditions), kept)
            faults = {each.name: each.faults[0] for each in reports if each.faults}
            self._drop({each.name: (each, faults[each.name]) for each in kept if each.name in faults})
            kept = [each for each in kept if each.name not in faults]
            if not faults:
                self.uses = Counter(tool for each in reports for tool in each.tools)
                break
        self.scenarios = kept
        self.broken = {name: fault for name, fault in self.broken.items() if name not in {each.name for each in kept}}

    @property
    def lacking(self) -> list[str]:
        """The forms and rules that too few scenarios have."""
        return list(dict.fromkeys(map(name_of, self.dealer.lacking(self.scenarios))))

    def say_what_is_missing(self) -> None:
        """Say which tools, forms and rules no scenario covers."""
        for name in self.lacking:
            self.asker.watcher.said(
                f"too few scenarios for {name}: {self.left_out.get(name, 'the others did not pass')}"
            )
        for tool in self.dealer.uncovered(self.uses):
            reason = self.left_out.get(tool.name)
            self.asker.watcher.said(f"no scenario calls {tool.name}{f': {reason}' if reason else ''}")
        if not self.scenarios:
            self.asker.watcher.said("no scenario passed its gate; the domain has none")

    async def _ask(self, group: Group, broken: Mapping[str, tuple[ScenarioDesign, str]]) -> Scenarios:
        """Return the scenarios for one group of tools that pass their gate."""
        draft = replace(self.draft, conditions=self.conditions)
        gate = ScenarioGate(self.asker, draft, group, self.graph)
        try:
            asked = await ask(
                self.asker,
                question_for(self.page, group, broken, self.conditions),
                Scenarios,
                gate.complaints,
                merge=Scenarios.merged,
                excerpt=entries_named(scenarios=["name"]),
                review=gate.complaints_of_reader,
            )
        except StageFailed as failed:
            self.asker.watcher.said(str(failed))
            return Scenarios()
        sound, faults = await gate.sifted(asked.artifact)
        self._drop(faults)
        return sound

    def _drop(self, faults: Mapping[str, tuple[ScenarioDesign, str]]) -> None:
        for name, (_, fault) in faults.items():
            self.asker.watcher.said(f"dropped scenario {name}: {fault}")
        self.broken |= faults


def _what_is_missing(writer: _Writer) -> list[Group]:
    """Groups for what no scenario covers; a form or rule goes to a topic that has not left it out."""
    dealer = writer.dealer
    hoped = [*writer.scenarios, *(each for each, _ in list(writer.broken.values())[:_MOST_MENDED])]
    missing = [tool for tool in dealer.uncovered(writer.uses) if tool.name not in writer.left_out]
    groups = [Group("missing", tuple(missing), direct=max(1, len(missing) // 2), covers=True)] if missing else []
    by_topic: dict[str, Group] = {}
    for unit in dealer.lacking(hoped):
        key = next((key for key in dealer.allowing(unit) if (name_of(unit), key) not in writer.refused), None)
        if key is not None:
            own = by_topic.setdefault(key, Group(f"missing-{key}", dealer.topics[key], key))
            by_topic[key] = _with_unit(own, unit, LEAST_PER_FORM)
    return [*groups, *by_topic.values()]


def _with_unit(group: Group, unit: Unit, count: int) -> Group:
    if isinstance(unit, str):
        return replace(group, forms={**group.forms, unit: count})
    return replace(group, rules=(*group.rules, unit))


def _further_group(writer: _Writer, number: int) -> Group:
    """Choose what further scenarios are about: a rule or form that is missing, else the tools used least."""
    dealer, scenarios = writer.dealer, writer.scenarios
    used_least = sorted(dealer.tools, key=lambda tool: (writer.uses[tool.name], not tool.writes))
    group = Group(
        f"further-{number}",
        tuple(used_least[:_FURTHER_TOOLS]),
        direct=_FURTHER_SCENARIOS,
        outside=writer.draft.people is None and sum(map(has_outside_wish, scenarios)) < SHARE_OUTSIDE * len(scenarios),
    )
    for unit in dealer.lacking(scenarios):
        for key in dealer.allowing(unit)[:1]:
            asked = replace(group, topic=key, tools=dealer.topics[key], direct=_FURTHER_SCENARIOS - 1)
            return _with_unit(asked, unit, 1)
    return group


async def _rule(writer: _Writer, group: Group, number: int) -> GateRuling | None:
    """Return whether the model thinks that a further group is worth it; None if it gives no usable answer."""
    draft = writer.draft
    called = sorted(writer.uses)
    measured = await asyncio.to_thread(
        draft.prove, measure_gate, lambda folder: GateRequest(folder, writer.graph, called, number)
    )
    names = measured.remaining
    wanted = [*(code for code, _ in group.rules), *group.forms]
    left_out = [name for name in (*names, *writer.lacking) if name in writer.left_out]
    question = Question(
        stage="scenarios",
        key=f"gate-{number}",
        prompt=prompt(
            "scenarios_gate",
            title=draft.catalogue.title,
            summary=draft.catalogue.summary,
            count=len(draft.catalogue.tools),
            scenarios=len(writer.scenarios),
            wishes="\n".join(f"- {each.wish}" for each in writer.scenarios),
            remaining=len(names),
            names=f" ({', '.join(names)})" if names else "",
            left_out="\n".join(f"  - {name}: {writer.left_out[name]}" for name in left_out) or "  - none",
            complexity=measured.complexity,
            feasibility=measured.feasibility,
            attempts=ATTEMPTS,
            lacking=", ".join(writer.lacking) or "none",
            next=", ".join([*wanted, *(f"{tool.name} (called by {writer.uses[tool.name]})" for tool in group.tools)]),
            tau=TAU,
        ),
        max_tokens=1_000,
    )
    try:
        opinion = (await ask(writer.asker, question, Opinion, lambda _: ())).artifact
    except StageFailed as failed:
        writer.asker.watcher.said(str(failed))
        return None
    score = round(opinion.probability, 4)
    decision = Decision(len(names), measured.complexity, measured.feasibility, score, score >= TAU)
    ruling = GateRuling(decision, opinion.reason)
    writer.asker.watcher.said(f"gate {number}: {ruling.as_sentence}")
    return ruling
