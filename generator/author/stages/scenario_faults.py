"""What is wrong with scenarios that were written, how a reader of their words understands them, and which are kept."""

from __future__ import annotations

import ast
import asyncio
import hashlib
import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from generator.author.ask import Asker, Question, ask, complaints_in
from generator.author.draft import PROVING, Draft
from generator.author.stages.code import syntax_error
from generator.author.stages.scenario_groups import Group
from generator.author.writing.code import indented, lint, located, placed
from generator.author.writing.designs import describe_wants, prompt
from generator.isolation.process import run_job
from generator.scenarios.lint import ScenarioReport, ScenariosRequest, prove_scenarios
from generator.scenarios.reading import OpenConversation, Readings, write_conversations
from generator.scenarios.scenario import ScenarioDesign, Scenarios
from generator.scenarios.trial import TrialReport, TrialRequest, measure_guesses, try_scenarios
from generator.tasks.plan import RULED
from runtime.domain.arguments import weekday
from runtime.errors import StageFailed, WorldsmithError
from runtime.graph import Graph
from runtime.sandbox.module import faults_in, parse
from runtime.task.story import FILE


def faults_by_scenario(
    draft: Draft, scenarios: Sequence[ScenarioDesign], graph: Graph | None = None
) -> dict[str, list[str]]:
    """Return the faults of those scenarios that have any; with a graph, of those of callers tasks are made."""
    reports = report_on(draft, scenarios, worded=graph is not None and draft.people is not None)
    asking = {each.name: each for each in reports if not each.faults and _only_reads(draft, each.tools)}
    if asking:
        chosen = tuple(each for each in scenarios if each.name in asking)
        for guessed in replace(draft, scenarios=chosen, cases={}).prove(measure_guesses).scenarios:
            asking[guessed.scenario].faults += [guessed.fault] if guessed.is_guessable else []
    faults = {each.name: each.faults for each in reports if each.faults}
    sound = [each for each in scenarios if each.name not in faults]
    return faults | (_faults_as_tasks(draft, sound, graph) if draft.people and graph and sound else {})


def _only_reads(draft: Draft, tools: Sequence[str]) -> bool:
    """Return whether none of these tools writes, notes about the caller aside."""
    writing = {tool.name for tool in draft.catalogue.tools if tool.writes}
    return not {*tools} & writing


def try_as_tasks(draft: Draft, scenarios: Sequence[ScenarioDesign], graph: Graph) -> TrialReport:
    """Make tasks of each of these scenarios; errors: WorldsmithError."""
    own = replace(draft, scenarios=tuple(scenarios))
    return own.prove(try_scenarios, lambda folder: TrialRequest(folder, graph))


def _faults_as_tasks(draft: Draft, scenarios: Sequence[ScenarioDesign], graph: Graph) -> dict[str, list[str]]:
    try:
        report = try_as_tasks(draft, scenarios, graph)
    except WorldsmithError as error:
        return {each.name: complaints_in(error) for each in scenarios}
    faults = dict(report.faults)
    for each in scenarios:
        decided = report.denied_by.get(each.name, [])
        if each.form in RULED and each.name not in faults and each.rule not in decided:
            by = f"in its tasks {' or '.join(decided)} decides" if decided else "no rule denies it in a task"
            faults[each.name] = [f"its `rule` is {each.rule!r}, but {by}; pick rows that this rule alone may deny"]
    return faults


def report_on(draft: Draft, scenarios: Sequence[ScenarioDesign], *, worded: bool = False) -> list[ScenarioReport]:
    """Return a report on each scenario; one that breaks a rule is not executed, the others are.

    With `worded`, each wish must have its three registers and be said in short.
    """
    reports = {each.name: ScenarioReport(each.name, list(_faults_of_form(each))) for each in scenarios}
    while sound := [each for each in scenarios if not reports[each.name].faults]:
        with replace(draft, scenarios=tuple(sound), cases={}).laid_out() as folder:
            text = (folder / FILE).read_text(encoding="utf-8")
            faults = faults_in(text, FILE)
            faults += [f"{FILE}:{line}: {said}" for name, line, said in lint(folder) if name == FILE]
            if not faults:
                reports |= {each.name: each for each in _run(folder, text, sound, worded)}
                break
        for fault in faults:
            name, _, _ = placed(text, fault)
            for each in sound:
                if each.name == name or name not in reports:
                    reports[each.name].faults.append(located(text, fault))
    return list(reports.values())


def _run(folder: Path, text: str, scenarios: Sequence[ScenarioDesign], worded: bool) -> list[ScenarioReport]:
    try:
        reports = run_job(prove_scenarios, ScenariosRequest(folder, worded=worded), PROVING).scenarios
    except WorldsmithError as error:
        return [ScenarioReport(each.name, complaints_in(error)) for each in scenarios]
    for each in reports:
        each.faults = [located(text, fault) for fault in each.faults]
    return reports


def _faults_of_form(scenario: ScenarioDesign) -> Iterator[str]:
    """Yield what is wrong with a body before it stands in a file."""
    block = f"def scenario(story):\n{indented(scenario.body) or '    pass'}"
    if wrong := syntax_error(block):
        yield f"line `{wrong[0]}`: the body is not valid Python: {wrong[1]}"
        return
    tree = parse(block)
    if len(tree.body) != 1:
        yield "the body leaves its function; give the block without signature and decorator"
    mistaken = {id(inner) for node in ast.walk(tree) if _is_wrong_turn(node) for inner in ast.walk(node)}
    for node in ast.walk(tree):
        if isinstance(node, ast.Subscript) and _is_position(node.slice) and id(node) not in mistaken:
            yield (
                f"line `{ast.unparse(node)}`: an entry is taken by its position; say which one it is with story.find, "
                "story.highest or story.lowest"
            )


def _is_wrong_turn(node: ast.AST) -> bool:
    """Return whether a statement is `with story.wrong(...)`: whoever goes wrong may take the first entry."""
    return isinstance(node, ast.With) and any(
        isinstance(item.context_expr, ast.Call)
        and isinstance(item.context_expr.func, ast.Attribute)
        and item.context_expr.func.attr == "wrong"
        for item in node.items
    )


def _is_position(node: ast.expr) -> bool:
    inner = node.operand if isinstance(node, ast.UnaryOp) else node
    return isinstance(inner, ast.Constant) and isinstance(inner.value, int)


@dataclass
class ScenarioGate:
    """The gate of one group's scenarios; what was found sound or was read stays so as long as it is not changed."""

    asker: Asker
    draft: Draft
    group: Group
    graph: Graph
    _sound: set[tuple[str, str]] = field(default_factory=set)
    _tried: dict[tuple[tuple[str, str], ...], dict[str, list[str]]] = field(default_factory=dict)
    _read: dict[tuple[str, str], list[str]] = field(default_factory=dict)

    def complaints(self, own: Scenarios) -> list[str]:
        """Return what is wrong with each scenario, by rule and by execution, and what all of them leave uncovered."""
        own = self._shaped(own)
        return [*_sentences(self._broken(own)), *self.group.lacks(own)]

    async def complaints_of_reader(self, own: Scenarios) -> list[str]:
        """Return where a reader of the sound ones arrives at something else; errors: ModelFailed."""
        own = self._shaped(own)
        return _sentences(await self._doubts(own.without(await asyncio.to_thread(self._broken, own))))

    async def sifted(self, own: Scenarios) -> tuple[Scenarios, dict[str, tuple[ScenarioDesign, str]]]:
        """Return the scenarios that are sound and read as they are meant, and the others, each with its first fault.

        Errors: ModelFailed.
        """
        own = self._shaped(own)
        faults = await asyncio.to_thread(self._broken, own)
        faults |= await self._doubts(own.without(faults))
        lost = {each.name: (each, faults[each.name][0]) for each in own.scenarios if each.name in faults}
        return own.without(faults), lost

    def _shaped(self, own: Scenarios) -> Scenarios:
        """Return these scenarios; where nobody calls, they are all direct."""
        if self.draft.people is not None:
            return own
        direct = [each.model_copy(update={"form": "direct"}) for each in own.scenarios]
        return own.model_copy(update={"scenarios": direct})

    def _with(self, own: Scenarios) -> Draft:
        return replace(self.draft, conditions={**self.draft.conditions, **own.conditions})

    def _broken(self, own: Scenarios) -> dict[str, list[str]]:
        marks = {each.name: (str(own.conditions), each.model_dump_json()) for each in own.scenarios}
        new = [each for each in own.scenarios if marks[each.name] not in self._sound]
        tried = tuple(marks[each.name] for each in new)
        if tried not in self._tried:
            self._tried[tried] = faults_by_scenario(self._with(own), new, self.graph) if new else {}
        broken = dict(self._tried[tried])
        self._sound |= {marks[each.name] for each in new if each.name not in broken}
        return broken

    async def _doubts(self, own: Scenarios) -> dict[str, list[str]]:
        """Return, by name, where a reader arrives at other arguments; what nobody could read is clear."""
        unread = [each for each in own.scenarios if (each.name, each.body) not in self._read]
        if unread:
            found = await self._ask_reader(replace(self._with(own), scenarios=tuple(unread), cases={}))
            self._read |= {(each.name, each.body): found.get(each.name, []) for each in unread}
        read = {each.name: self._read[each.name, each.body] for each in own.scenarios}
        return {name: doubts for name, doubts in read.items() if doubts}

    async def _ask_reader(self, draft: Draft) -> Mapping[str, list[str]]:
        key = self.group.key
        try:
            told = (await asyncio.to_thread(draft.prove, write_conversations)).by_scenario
        except WorldsmithError as error:
            why = complaints_in(error)[0]
            self.asker.watcher.said(f"the scenarios of {key!r} could not be shown to a reader: {why}")
            return {}
        conversations = {name: each for name, each in told.items() if each.in_doubt}
        if not conversations:
            return {}
        catalogue = draft.catalogue
        called = {call.tool for each in conversations.values() for call in each.calls}
        question = Question(
            role="reader",
            stage="reading",
            key=f"{key}.{_digest(conversations)}",
            prefix=prompt(
                "reading",
                title=catalogue.title,
                summary=catalogue.summary,
                clock=catalogue.clock,
                weekday=weekday(catalogue.clock),
            ),
            prompt=prompt(
                "reading_group",
                designs=describe_wants(tool for tool in catalogue.tools if tool.name in called),
                conversations="\n\n".join(f"### {name}\n{each.text}" for name, each in conversations.items()),
            ),
            max_tokens=6_000,
        )

        def misfits(own: Readings) -> list[str]:
            read = {each.name: each for each in own.readings}
            return [
                f"conversation {name!r}{fault}"
                for name, each in conversations.items()
                for fault in ([f": {one}" for one in each.misfits(read[name])] if name in read else [" is not read"])
            ]

        try:
            own = (await ask(self.asker, question, Readings, misfits)).insist(f"The reading of {key!r}")
        except StageFailed as failed:
            self.asker.watcher.said(str(failed))
            return {}
        return {each.name: conversations[each.name].doubts(each) for each in own.readings if each.name in conversations}


def _sentences(faults: Mapping[str, Sequence[str]]) -> list[str]:
    return [f"scenario {name!r}: {fault}" for name, each in faults.items() for fault in each]


def _digest(conversations: Mapping[str, OpenConversation]) -> str:
    """Return a few letters for what is read: an answer that is replayed must be about the same words and values."""
    text = json.dumps([[name, each.text] for name, each in conversations.items()])
    return hashlib.sha256(text.encode()).hexdigest()[:8]
