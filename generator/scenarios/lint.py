"""Run the scenarios of a domain folder on several worlds and say what is wrong with each: one sentence per fault."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache, cached_property
from pathlib import Path
from typing import Any

from generator.gates.calls.start import rows_of, world_on
from generator.gates.worlds import ids_among, ids_in
from generator.isolation.job import job
from runtime.domain.arguments import closed_set
from runtime.domain.domain import Domain
from runtime.domain.load import load_domain
from runtime.domain.schema import Row
from runtime.errors import EnvironmentFault, Rejection
from runtime.sandbox.budget import Budget
from runtime.session.session import Session
from runtime.session.world import World
from runtime.task.origin import JsonPath, Origin, ResultRef, dotted, said, value_at
from runtime.task.picks import NoSuchRow
from runtime.task.script import Origins, Script
from runtime.task.story import FILE, Program, load_scenarios, tell_story
from runtime.task.task import TaskAnswer
from runtime.task.user import MOST_WORDINGS
from runtime.task.values import fault_of_name
from runtime.task.wishes import is_dictated, without_assent
from runtime.verification.texts import says

_WRITTEN_DATE = re.compile(r"\b\d{4}-\d{2}-\d{2}\b")
_TIMESTAMP = re.compile(r"\d{4}-\d{2}-\d{2} \d{2}:(\d{2}):(\d{2})")
_NAME = re.compile(r"\b[a-z][a-z0-9]*(?:_[a-z0-9]+)+\b")
_WORDS_OF_A_TEXT = 5  # fewer name a thing or a place
_WORDS_OF_A_START = 3
_MINUTES_SPOKEN = 5  # people say times to these minutes
_DATE_OR_TIME = re.compile(r"\d{4}-\d{2}-\d{2}(?: |$)|\d{2}:\d{2}$")


@dataclass(frozen=True)
class ScenarioFault:
    """What is wrong: the same fault on another world has the same `key`."""

    key: str
    sentence: str


@dataclass(frozen=True)
class ScenarioLinter:
    """Finds what is wrong with scripts of one world, by its rows."""

    domain: Domain
    rows: Mapping[str, Sequence[Row]] = field(repr=False)
    worded: bool = False  # whether each wish must have three registers and be said in short

    @cached_property
    def ids(self) -> frozenset[str]:
        """The keys of the world that look like ids."""
        return ids_among(self.domain.schema, self.rows)

    def faults(self, script: Script) -> Iterator[ScenarioFault]:
        """Everything that is wrong with a script."""
        if not script.words:
            yield ScenarioFault("words", "it says nothing; begin with story.tell")
        yield from self._faults_of_words(script)
        yield from _faults_of_registers(script) if self.worded else ()
        yield from self._faults_of_arguments(script)
        yield from self._faults_of_spelling(script)
        yield from _faults_of_lookups(script)
        yield from self._faults_of_changes(script)
        yield from self._faults_of_answers(script)
        yield from self._faults_of_counts(script)
        yield from _faults_of_texts(script)

    def _faults_of_words(self, script: Script) -> Iterator[ScenarioFault]:
        schema = self.domain.schema
        columns = {name for table in schema.tables.values() for name in table.column_names}
        for words in dict.fromkeys(words for wish in script.wishes for words in wish.words):
            for name in _NAME.findall(words):
                kind = "tool" if name in self.domain.tools else "column" if name in columns else "table"
                if kind != "table" or name in schema.tables:
                    yield ScenarioFault(
                        f"word {name}", f"the words name the {kind} {name!r}, which no person would say"
                    )
            for token in ids_in(words, self.ids):
                yield ScenarioFault(
                    "id", f"the words hold the id {token!r}, which a person does not know; tell what they know it by"
                )
            for date in _WRITTEN_DATE.findall(words):
                yield ScenarioFault("date", f"the words say {date}; give dates and times to story.tell as values")
        for fact in script.facts:
            if fact.value in (True, False) and fact.said in ("yes", "no"):
                yield ScenarioFault(
                    f"flag {fact.name}",
                    f"{fact.name!r} is told as {fact.said!r}; give the words for it: story.choose({fact.name!r}, "
                    '{"only the open ones": True})',
                )
            found = _TIMESTAMP.fullmatch(str(fact.value))
            if found and (int(found[1]) % _MINUTES_SPOKEN or found[2] != "00"):
                yield ScenarioFault(
                    f"time {fact.name}",
                    f"{fact.name!r} is told as {fact.said!r}; nobody knows such a time, tell its day",
                )

    def _faults_of_arguments(self, script: Script) -> Iterator[ScenarioFault]:
        for call in script.calls:
            tool = call.step.tool
            for path, number, how in _unknown(script, call.origins, call.wish):
                value = value_at(call.step.arguments, path)
                if number or not self._is_default(tool, path, value):
                    key = f"argument {tool}.{dotted(path)} {number}"
                    yield ScenarioFault(key, f"it calls {tool} with {_shown(path, value)}{how}")

    def _faults_of_spelling(self, script: Script) -> Iterator[ScenarioFault]:
        """Find what is said in other letters than it is written: an agent knows these only of a closed set."""
        for call in script.calls:
            tool = self.domain.tools[call.step.tool]
            for path, origins in call.origins.items() if tool.writes else ():
                value = value_at(call.step.arguments, path)
                is_told = any(origin is None or origin.kind != "result" for origin in origins)
                is_choice = any(closed_set(tool.arguments.schema["properties"].get(path[0], {})))
                if not is_told or is_choice or not isinstance(value, str):
                    continue
                if _is_chosen(origins) and _is_loose(script, value):
                    yield ScenarioFault(
                        f"text {tool.name}.{dotted(path)}",
                        f"it calls {tool.name} with {_shown(path, value)}, a text in words; take it from story.dictate "
                        "where the user says it word for word, else from story.compose",
                    )
                    continue
                shown = next((fact.said for fact in script.facts if fact.value == value), said(value))
                if _NAME.fullmatch(value) or not (_DATE_OR_TIME.match(value) or says(shown, value)):
                    yield ScenarioFault(
                        f"spelling {tool.name}.{dotted(path)}",
                        f"it calls {tool.name} with {_shown(path, value)}, which the words say as {shown!r}; "
                        "write it as people do",
                    )

    def _is_default(self, tool: str, path: JsonPath, value: Any) -> bool:
        declared = self.domain.tools[tool].arguments.schema["properties"].get(path[0], {})
        return len(path) == 1 and "default" in declared and bool(declared["default"] == value)

    def _faults_of_changes(self, script: Script) -> Iterator[ScenarioFault]:
        writing = [call for call in script.calls if self.domain.tools[call.step.tool].writes]
        for call in writing:
            if not call.changes:
                yield ScenarioFault(
                    f"idle {call.step.tool}",
                    f"its call of {call.step.tool} changes nothing; pick a row that is not so already",
                )
        if not writing and not script.answers:
            yield ScenarioFault(
                "inert", "it changes nothing and asks for no answer; call a writing tool or story.answer"
            )

    def _faults_of_answers(self, script: Script) -> Iterator[ScenarioFault]:
        names = [answer.name for answer in script.answers]
        for name in dict.fromkeys(name for name in names if names.count(name) > 1):
            yield ScenarioFault(
                f"answers {name}", f"two answers are named {name!r}; the user asks for each by its name"
            )
        for name in names:
            if fault := fault_of_name(name):
                yield ScenarioFault(
                    f"name {name}",
                    f'the answer {name!r} {fault}; the user asks for it as "the {name}", and takes down NAME: value',
                )
        for answer, origin in zip(script.answers, script.answered, strict=True):
            if origin is None or origin.kind != "result":
                yield ScenarioFault(
                    f"answer {answer.name}",
                    f"the answer {answer.name!r} ({answer.value!r}) is not a value that a tool returned; take it from "
                    "a result, or from story.count or story.total",
                )
            yield from self._faults_of_source(answer)

    def _faults_of_counts(self, script: Script) -> Iterator[ScenarioFault]:
        """Find counts of lists that are as long as their limit allows: these may not be whole."""
        for answer, origin in zip(script.answers, script.answered, strict=True):
            if origin is None or not isinstance(origin.source, ResultRef) or origin.source.path or origin.made:
                continue  # a place in the result is not a count of it
            step = script.calls[origin.source.step].step
            limit = self.domain.tools[step.tool].arguments.schema["properties"].get("limit", {})
            if answer.value == step.arguments.get("limit", limit.get("default")):
                yield ScenarioFault(
                    f"count {answer.name}",
                    f"the answer {answer.name!r} counts {answer.value} entries, as many as the limit of {step.tool} "
                    "lets through; narrow the list down, or take the result's own total",
                )

    def _faults_of_source(self, answer: TaskAnswer) -> Iterator[ScenarioFault]:
        source = answer.source
        if source is not None and source.column not in self.domain.policies.by_table.get(source.table, {}):
            yield ScenarioFault(
                f"source {answer.name}", f"the answer {answer.name!r} has source {str(source)!r}, no column"
            )
        if answer.source is None and isinstance(answer.value, str) and answer.kind == "text":
            yield ScenarioFault(
                f"source {answer.name}",
                f"the answer {answer.name!r} is the text {answer.value!r}; give the source='table.column' of it",
            )


def _faults_of_registers(script: Script) -> Iterator[ScenarioFault]:
    for wish in script.wishes:
        shown = f"the request {wish.words[0]!r}"
        starts = {tuple(words.casefold().split()[:_WORDS_OF_A_START]) for words in wish.words}
        for words in wish.words:
            if without_assent(words) != words:
                yield ScenarioFault(
                    "assent", f"{words!r} begins with a word of consent, to whatever the assistant offered last"
                )
        if len(wish.words) < MOST_WORDINGS:
            yield ScenarioFault(f"words {len(wish.words)}", f"{shown} has no tuple of plain, formal and casual words")
        elif len(starts) == 1:
            yield ScenarioFault("starts", f"{shown} begins alike in all registers; let three people say it")
        if any(isinstance(each, str) for each in wish.insists):
            yield ScenarioFault("insists", f"{shown} is insisted on in one wording; give three")
        if wish.form != "outside" and not wish.short:
            yield ScenarioFault("short", f"{shown} has no `short`; give short=, or story.in_short")
    for answer in script.answers:
        for words in script.wishes[answer.wish - script.first_wish].words:
            missing = [word for word in answer.name.casefold().split() if word not in words.casefold()]
            if missing:
                yield ScenarioFault(
                    f"asked {answer.name}",
                    f"the words {words!r} do not say {missing[0]!r} of the answer {answer.name!r}",
                )


def _faults_of_lookups(script: Script) -> Iterator[ScenarioFault]:
    for lookup in script.lookups:
        for path, number, how in _unknown(script, lookup.origins, lookup.wish):
            by = dotted(path)
            yield ScenarioFault(f"lookup {by} {number}", f"it picks an entry of a result by {by!r}{how}")


def _faults_of_texts(script: Script) -> Iterator[ScenarioFault]:
    """Check that dictated texts are told as such, and composed ones are not: nobody would write another."""
    for text, each in script.texts.items():
        said = [*script.words, *(fact.said for fact in script.facts if fact.withheld)]
        if each.said == "dictated" and not any(is_dictated(text, words) for words in said):
            yield ScenarioFault(
                "dictated", f"the text {text!r} is dictated, but no wish tells it in quotes; tell it, or compose it"
            )
        if each.said == "composed" and any(text in words for words in script.words):
            yield ScenarioFault(
                "composed", f"the text {text!r} is composed, but the words tell it whole; dictate it, or tell its facts"
            )


def _unknown(script: Script, origins: Origins, wish: int) -> Iterator[tuple[JsonPath, int, str]]:
    """Values that an agent cannot know after a wish: the path, the place among what it was made of, and why."""
    for path, own in origins.items():
        for number, origin in enumerate(own):
            if not script.licenses(origin, wish):
                yield path, number, _why_unknown(script, origin, is_amount=number > 0)


def _why_unknown(script: Script, origin: Origin | None, *, is_amount: bool) -> str:
    if origin is None and is_amount:
        return ", computed with an amount that nobody said; take the amount from story.choose and tell it"
    if origin is None:
        return (
            ", a value without origin; take it from a result or from story.choose (and tell it), or leave the "
            "argument out"
        )
    if origin in script.told_in:
        return f" ({origin}), which is told only in a later wish; tell it before"
    return f" ({origin}), which the words never tell; tell it, or find it by a call"


def _is_loose(script: Script, text: str) -> bool:
    """Return True if a text in words is neither told in quotes nor left to whoever writes it."""
    is_prose = len(text.split()) >= _WORDS_OF_A_TEXT or text in script.prose
    return is_prose and text not in script.texts and not any(is_dictated(text, words) for words in script.words)


def _is_chosen(origins: Sequence[Origin | None]) -> bool:
    return any(origin is not None and origin.kind == "choice" for origin in origins)


def _shown(path: JsonPath, value: Any) -> str:
    return f"{dotted(path)} = {value!r}"


SEEDS = (1, 2, 3, 4)
SIZES = (100, 300)
LARGE_SEEDS, LARGE_SIZE = (1, 2), 3_000  # for what is too rare for the others
MOST_WITHOUT_ROWS = 0.5  # of the worlds may have no row for a scenario
CRASHES = (ArithmeticError, AttributeError, LookupError, NameError, Rejection, TypeError, ValueError)
_STEPS = 1_000_000
_DRAWS = 3  # of rows of a world
_MOST_FAULTS = 3  # of one scenario that are reported


@dataclass(frozen=True)
class ScenariosRequest:
    """The scenarios of a domain folder on worlds of these seeds and sizes."""

    folder: Path
    seeds: Sequence[int] = SEEDS
    sizes: Sequence[int] = SIZES
    worded: bool = False  # whether each wish must have three registers and be said in short


@dataclass
class ScenarioReport:
    """What is wrong with one scenario, and the tools that it called."""

    name: str
    faults: list[str] = field(default_factory=list)
    tools: list[str] = field(default_factory=list)


@dataclass(frozen=True)
class ScenariosReport:
    """Every scenario, in file order."""

    scenarios: list[ScenarioReport]


@job("scenarios")
def prove_scenarios(asked: ScenariosRequest) -> ScenariosReport:
    """Run every scenario on every world and say what is wrong with it; errors: BrokenDomain."""
    domain = load_domain(asked.folder)
    programs = load_scenarios(asked.folder)
    worlds = [world_on(domain, seed, size) for size in asked.sizes for seed in asked.seeds]
    linters = {world: ScenarioLinter(domain, rows_of(world), asked.worded) for world in worlds}
    large = cache(lambda seed: world_on(domain, seed, LARGE_SIZE))  # built where a scenario needs them
    return ScenariosReport([_report(name, program, domain, linters, large) for name, program in programs.items()])


def _finds_rows_in_large_worlds(program: Program, domain: Domain, large: Callable[[int], World]) -> bool:
    """Return whether a scenario about what is rare finds it where there is more of everything."""
    for seed in LARGE_SEEDS:
        world = large(seed)
        try:
            _told(program, domain, world, seed)
        except (EnvironmentFault, NoSuchRow, Rejection):
            return False
    return True


def _told(program: Program, domain: Domain, world: World, seed: int, draws: int = _DRAWS) -> Script:
    """Return a scenario as it is told on a world; where its first rows do not fit, with others."""
    try:
        with Session(domain, world) as session, Budget(_STEPS):
            script = tell_story(program, session, seed)
            script.prose |= set(_prose_of(session))
            return script
    except NoSuchRow:
        if draws == 1:
            raise
        return _told(program, domain, world, seed + 1_000, draws - 1)


def _prose_of(session: Session) -> Iterator[str]:
    """Yield the texts that were written to semantic columns."""
    for (table, _), (_, after) in session.changes.rows.items():
        positions = session.domain.schema.tables[table].positions if after is not None else {}
        for column, at in positions.items():
            if after is not None and session.domain.policies.of(table, column).policy == "semantic":
                yield str(after[at])


def _report(
    name: str,
    program: Program,
    domain: Domain,
    linters: Mapping[World, ScenarioLinter],
    large: Callable[[int], World],
) -> ScenarioReport:
    faults: dict[str, str] = {}
    barren: list[str] = []
    scripts: list[Script] = []
    for world, linter in linters.items():
        seed, size = world.origin["seed"], world.origin["size"]
        where = f"on the world of seed {seed} and size {size}"
        try:
            script = _told(program, domain, world, seed)
        except NoSuchRow as missing:
            barren.append(str(missing))
            continue
        except EnvironmentFault as fault:
            faults.setdefault(str(fault)[:40], f"{where}: {fault}")
            continue
        except CRASHES as error:
            if not _line_of(error):  # the scenario was not running: a crash of ours
                raise
            name_of_error = type(error).__name__
            faults.setdefault(name_of_error, f"line {_line_of(error)}: {where}: {name_of_error}: {error}")
            continue
        scripts.append(script)
        for each in linter.faults(script):
            faults.setdefault(each.key, each.sentence)
    if len(barren) > MOST_WITHOUT_ROWS * len(linters) and not _finds_rows_in_large_worlds(program, domain, large):
        faults["rows"] = f"it finds no row on {len(barren)} of {len(linters)} worlds: {barren[0]}"
    return ScenarioReport(
        name=name,
        faults=list(faults.values())[:_MOST_FAULTS],
        tools=sorted({call.step.tool for script in scripts for call in script.calls}),
    )


def _line_of(error: BaseException) -> int:
    line, traceback = 0, error.__traceback__
    while traceback is not None:
        if traceback.tb_frame.f_code.co_filename.endswith(FILE):
            line = traceback.tb_lineno
        traceback = traceback.tb_next
    return line
