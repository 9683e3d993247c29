"""Stage `wordings`: each wish in three registers, plain, formal and casual; whoever reads any of them does the same."""

from __future__ import annotations

import asyncio
import string
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

from pydantic import Field

from generator.build.ask import Asker, Question, ask, side_by_side
from generator.build.design import DesignPart
from generator.build.draft import Draft
from generator.build.stages.reading import Reader
from generator.build.stages.scenario_faults import faults_by_scenario
from generator.build.writing.prompts import prompt
from generator.build.writing.wordings import answers_in, values_in, with_words, words_in
from generator.scenarios.scenario import ScenarioDesign
from runtime.errors import StageFailed

REGISTERS = ("formal", "casual")  # beside the plain one
AT_ONCE = 8  # scenarios of one request to a writer
_READ_AT_ONCE = 10  # scenarios of one request to a reader, each in two registers
_LONGEST_NAME = 50


class WishWording(DesignPart):
    """One wish in two further registers, and in short."""

    number: int
    formal: str = Field(min_length=1, max_length=600)
    casual: str = Field(min_length=1, max_length=600)
    short: str = Field(default="", max_length=300)


class ScenarioWordings(DesignPart):
    """The wishes of one scenario."""

    name: str
    wishes: list[WishWording]

    def of(self, register: str) -> dict[int, list[str]]:
        """The words of one register by the number of the wish, from 0."""
        return {each.number - 1: [str(getattr(each, register))] for each in self.wishes}


class Wordings(DesignPart):
    """What a model answers for several scenarios."""

    scenarios: list[ScenarioWordings]

    def merged(self, repair: Wordings) -> Wordings:
        """These wordings with those of a repair in their place, by scenario and number."""
        found = {each.name: {wish.number: wish for wish in each.wishes} for each in self.scenarios}
        for each in repair.scenarios:
            found.setdefault(each.name, {}).update({wish.number: wish for wish in each.wishes})
        return Wordings(
            scenarios=[ScenarioWordings(name=name, wishes=list(own.values())) for name, own in found.items()]
        )


async def write_wordings(asker: Asker, draft: Draft) -> Draft:
    """The draft with wishes in three registers; a scenario whose wordings do not pass keeps the plain one alone."""
    waiting = [each for each in draft.scenarios if words_in(each.body)]
    batches = [waiting[at : at + AT_ONCE] for at in range(0, len(waiting), AT_ONCE)]
    asked = await side_by_side([_ask(asker, draft, batch, f"1-{at}") for at, batch in enumerate(batches, start=1)])
    found = {each.name: each for own in asked for each in own}
    doubts = await _read(asker, draft, [each for each in waiting if each.name in found], found)
    for name, own in doubts.items():
        asker.watcher.said(f"scenario {name} keeps its plain words alone: {own[0]}")
    said = {name: own for name, own in found.items() if name not in doubts}
    scenarios = [_with_all(each, said[each.name]) if each.name in said else each for each in draft.scenarios]
    broken = await asyncio.to_thread(faults_by_scenario, draft, scenarios)
    kept = [plain if plain.name in broken else each for plain, each in zip(draft.scenarios, scenarios, strict=True)]
    asker.watcher.said(f"{len(said.keys() - broken.keys())} of {len(kept)} scenarios are worded in three registers")
    return replace(draft, scenarios=tuple(kept))


async def _ask(asker: Asker, draft: Draft, scenarios: Sequence[ScenarioDesign], key: str) -> list[ScenarioWordings]:
    """The wordings of some scenarios, as far as they pass by rule and on worlds."""
    question = Question(
        stage="wordings",
        key=key,
        prefix=prompt("wordings", title=draft.catalogue.title, summary=draft.catalogue.summary),
        prompt="\n\n".join(map(_describe, scenarios)) + "\n",
        repair="Give only the wishes that change, each with both registers.",
        max_tokens=6_000,
    )
    faults: dict[str, list[str]] = {}

    def complaints(own: Wordings) -> list[str]:
        faults.clear()
        faults.update(faults_of_wordings(draft, scenarios, own))
        return [f"scenario {name!r}: {fault}" for name, each in faults.items() for fault in each]

    try:
        asked = await ask(
            asker, question, Wordings, complaints, merge=Wordings.merged, named_by={"scenarios": ["name"]}
        )
    except StageFailed as failed:
        asker.watcher.said(str(failed))
        return []
    for name, own in faults.items():
        asker.watcher.said(f"scenario {name} keeps its plain words alone: {own[0]}")
    names = {each.name for each in scenarios} - faults.keys()
    return [each for each in asked.artifact.scenarios if each.name in names]


def faults_of_wordings(draft: Draft, scenarios: Sequence[ScenarioDesign], own: Wordings) -> dict[str, list[str]]:
    """By scenario, what is wrong with its wordings: what they leave out or add, and what running them shows."""
    found = {each.name: each for each in own.scenarios}
    faults: dict[str, list[str]] = {}
    variants: dict[str, tuple[str, str]] = {}  # the scenario and the register by the name of the variant
    designs = []
    for each in scenarios:
        worded = found.get(each.name)
        if worded is None:
            faults[each.name] = ["it is missing"]
        elif wrong := [*_faults_of_marks(each, worded)]:
            faults[each.name] = wrong
        else:
            for register in REGISTERS:
                designs.append(in_register(each, worded, register))
                variants[designs[-1].name] = each.name, register
    for name, broken in faults_by_scenario(draft, designs).items() if designs else ():
        scenario, register = variants[name]
        faults.setdefault(scenario, []).extend(f"{register}: {fault}" for fault in broken)
    return faults


def in_register(scenario: ScenarioDesign, own: ScenarioWordings, register: str) -> ScenarioDesign:
    """The scenario as it is said in one register alone."""
    name = f"{scenario.name[:_LONGEST_NAME]}_{register}"
    return scenario.model_copy(update={"name": name, "body": with_words(scenario.body, own.of(register))})


def _describe(scenario: ScenarioDesign) -> str:
    """The wishes of a scenario as their writer sees them, with what is asked for and where values come from."""
    lines = [f"### {scenario.name}", scenario.wish]
    lines += [f"{number}. {wish.text}" for number, wish in enumerate(words_in(scenario.body), start=1)]
    if told := values_in(scenario.body):
        lines += ["", *(f"- `{value}`" for value in told)]
    if names := answers_in(scenario.body):
        lines.append(f"- asked for by name: {', '.join(dict.fromkeys(names))}")
    return "\n".join(lines)


def _faults_of_marks(scenario: ScenarioDesign, own: ScenarioWordings) -> Iterator[str]:
    """Every wish has its registers, and each of them the very marks of the plain words; the short form no others."""
    plain = {number: each.text for number, each in enumerate(words_in(scenario.body), start=1)}
    given = {each.number: each for each in own.wishes}
    yield from (f"wish {number} is missing" for number in plain if number not in given)
    yield from (f"there is no wish {number}" for number in given if number not in plain)
    for number in plain.keys() & given.keys():
        wanted, each = _marks(plain[number]), given[number]
        if len({plain[number], each.formal, each.casual}) < 1 + len(REGISTERS):
            yield f"wish {number}: two registers have the same words"
        for kind, words in (("formal", each.formal), ("casual", each.casual), ("short", each.short)):
            try:
                marks = _marks(words)
            except ValueError as error:
                yield f"wish {number}, {kind}: {words!r} cannot be filled in: {error}"
                continue
            lacking = wanted - marks if kind != "short" else set()
            yield from (f"wish {number}, {kind}: {{{name}}} is missing" for name in sorted(lacking))
            yield from (f"wish {number}, {kind}: there is no value {{{name}}}" for name in sorted(marks - wanted))


def _marks(words: str) -> set[str]:
    return {name for _, name, _, _ in string.Formatter().parse(words) if name is not None}


async def _read(
    asker: Asker, draft: Draft, worded: Sequence[ScenarioDesign], found: Mapping[str, ScenarioWordings]
) -> dict[str, list[str]]:
    """The scenarios whose readers arrive at other arguments in one of the registers, with what they pass."""
    batches = [worded[at : at + _READ_AT_ONCE] for at in range(0, len(worded), _READ_AT_ONCE)]
    read = await side_by_side(
        [
            Reader(asker, draft, f"wordings-1-{number}").doubts(
                [in_register(each, found[each.name], register) for each in batch for register in REGISTERS]
            )
            for number, batch in enumerate(batches, start=1)
        ]
    )
    doubts = {name: own for batch in read for name, own in batch.items()}
    by_scenario = {
        each.name: [
            f"{register}: {doubt}"
            for register in REGISTERS
            for doubt in doubts.get(in_register(each, found[each.name], register).name, ())
        ]
        for each in worded
    }
    return {name: own for name, own in by_scenario.items() if own}


def _with_all(scenario: ScenarioDesign, own: ScenarioWordings) -> ScenarioDesign:
    plain = words_in(scenario.body)
    wordings = {each.number - 1: [plain[each.number - 1].text, each.formal, each.casual] for each in own.wishes}
    shorts = {each.number - 1: each.short for each in own.wishes if not plain[each.number - 1].is_outside}
    return scenario.model_copy(update={"body": with_words(scenario.body, wordings, shorts)})
