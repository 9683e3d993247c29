"""Stage `wordings`: each wish in three registers, plain, formal and casual; whoever reads any of them does the same."""

from __future__ import annotations

import asyncio
import string
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import replace

from pydantic import Field

from generator.build.ask import Asker, CostSpent, ask, side_by_side
from generator.build.design import DesignPart, schema_of
from generator.build.draft import Draft
from generator.build.stages.reading import Reader
from generator.build.stages.scenario_faults import faults_by_scenario
from generator.build.writing.prompts import prompt
from generator.build.writing.wordings import answers_in, values_in, with_words, words_in
from generator.scenarios.scenario import ScenarioDesign
from runtime.errors import StageFailed
from runtime.model.model import Request

REGISTERS = ("formal", "casual")  # beside the plain one
AT_ONCE = 8  # scenarios of one request to a writer
_READ_AT_ONCE = 10  # scenarios of one request to a reader, each in two registers
_LONGEST_NAME = 50
_ROUNDS = 2


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
    """The draft with wishes in three registers; a scenario whose wordings never pass keeps the plain one alone."""
    waiting = [each for each in draft.scenarios if words_in(each.body)]
    doubts: dict[str, list[str]] = {}
    said: dict[str, ScenarioWordings] = {}
    for round_ in range(1, _ROUNDS + 1):
        batches = [waiting[at : at + AT_ONCE] for at in range(0, len(waiting), AT_ONCE)]
        asked = await side_by_side(
            [_ask(asker, draft, batch, f"{round_}-{number}", doubts) for number, batch in enumerate(batches, start=1)]
        )
        found = {each.name: each for own in asked for each in own}
        doubts = await _read(asker, draft, waiting, found, round_)
        said |= {name: own for name, own in found.items() if name not in doubts}
        waiting = [each for each in waiting if each.name in doubts]
        if not waiting:
            break
    for each in waiting:
        asker.watcher.said(f"scenario {each.name} keeps its plain words alone: {doubts[each.name][0]}")
    scenarios = [_with_all(each, said[each.name]) if each.name in said else each for each in draft.scenarios]
    broken = await asyncio.to_thread(faults_by_scenario, draft, scenarios)
    kept = [plain if plain.name in broken else each for plain, each in zip(draft.scenarios, scenarios, strict=True)]
    asker.watcher.said(f"{len(said.keys() - broken.keys())} of {len(kept)} scenarios are worded in three registers")
    return replace(draft, scenarios=tuple(kept))


async def _ask(
    asker: Asker, draft: Draft, scenarios: Sequence[ScenarioDesign], key: str, doubts: Mapping[str, Sequence[str]]
) -> list[ScenarioWordings]:
    """The wordings of some scenarios, as far as they pass by rule and on worlds."""
    question = Request(
        role="wordings",
        stage="wordings",
        key=key,
        attempt=1,
        prefix=prompt("wordings", title=draft.catalogue.title, summary=draft.catalogue.summary),
        prompt=_describe(scenarios, doubts),
        schema=schema_of(Wordings),
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
    except CostSpent:
        raise
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


def _describe(scenarios: Sequence[ScenarioDesign], doubts: Mapping[str, Sequence[str]]) -> str:
    """The wishes of scenarios as their writer sees them, each with what is asked for and where values come from."""
    parts = []
    for each in scenarios:
        lines = [f"### {each.name}", each.wish]
        lines += [f"{number}. {wish.text}" for number, wish in enumerate(words_in(each.body), start=1)]
        if told := values_in(each.body):
            lines += ["", *(f"- `{value}`" for value in told)]
        if names := answers_in(each.body):
            lines.append(f"- asked for by name: {', '.join(dict.fromkeys(names))}")
        lines += [f"- read otherwise than it was meant before: {doubt}" for doubt in doubts.get(each.name, ())]
        parts.append("\n".join(lines))
    return "\n\n".join(parts) + "\n"


def _faults_of_marks(scenario: ScenarioDesign, own: ScenarioWordings) -> Iterator[str]:
    plain = {number: each.text for number, each in enumerate(words_in(scenario.body), start=1)}
    given = {each.number: each for each in own.wishes}
    yield from (f"wish {number} is missing" for number in plain if number not in given)
    yield from (f"there is no wish {number}" for number in given if number not in plain)
    for number, text in plain.items():
        if number not in given:
            continue
        told = [text, given[number].formal, given[number].casual]
        if len({" ".join(each.casefold().split()) for each in told}) < len(told):
            yield f"wish {number}: two registers have the same words"
        short = given[number].short
        try:
            yield from (
                f"wish {number}, short: there is no value {{{name}}}" for name in sorted(_marks(short) - _marks(text))
            )
        except ValueError as error:
            yield f"wish {number}, short: {short!r} cannot be filled in: {error}"
        for register, words in zip(REGISTERS, told[1:], strict=True):
            try:
                lacking, added = _marks(text) - _marks(words), _marks(words) - _marks(text)
            except ValueError as error:
                yield f"wish {number}, {register}: {words!r} cannot be filled in: {error}"
                continue
            yield from (f"wish {number}, {register}: {{{name}}} is missing" for name in sorted(lacking))
            yield from (f"wish {number}, {register}: there is no value {{{name}}}" for name in sorted(added))


def _marks(words: str) -> set[str]:
    return {name for _, name, _, _ in string.Formatter().parse(words) if name is not None}


async def _read(
    asker: Asker, draft: Draft, scenarios: Sequence[ScenarioDesign], found: Mapping[str, ScenarioWordings], round_: int
) -> dict[str, list[str]]:
    """The scenarios whose readers arrive at other arguments in one of the registers, with what they pass."""
    worded = [each for each in scenarios if each.name in found]
    batches = [worded[at : at + _READ_AT_ONCE] for at in range(0, len(worded), _READ_AT_ONCE)]
    read = await side_by_side(
        [
            Reader(asker, draft, f"wordings-{round_}-{number}").doubts(
                [in_register(each, found[each.name], register) for each in batch for register in REGISTERS]
            )
            for number, batch in enumerate(batches, start=1)
        ]
    )
    doubts = {name: own for batch in read for name, own in batch.items()}
    return {each.name: own for each in worded if (own := [*_doubts_of(each, found[each.name], doubts)])}


def _doubts_of(scenario: ScenarioDesign, own: ScenarioWordings, doubts: Mapping[str, Collection[str]]) -> Iterator[str]:
    for register in REGISTERS:
        for doubt in doubts.get(in_register(scenario, own, register).name, ()):
            yield f"{register}: {doubt}"


def _with_all(scenario: ScenarioDesign, own: ScenarioWordings) -> ScenarioDesign:
    plain = words_in(scenario.body)
    wordings = {each.number - 1: [plain[each.number - 1].text, each.formal, each.casual] for each in own.wishes}
    shorts = {each.number - 1: each.short for each in own.wishes if not _is_outside(scenario, each.number - 1)}
    return scenario.model_copy(update={"body": with_words(scenario.body, wordings, shorts)})


def _is_outside(scenario: ScenarioDesign, number: int) -> bool:
    """True for the words of a wish beyond the tools, which has no short form."""
    return words_in(scenario.body)[number].is_outside
