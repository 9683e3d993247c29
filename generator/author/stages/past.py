"""Stage `past`: the world is held against tools and rules, a reader names what could not be, and it is mended."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import replace

from pydantic import Field

from generator.author.ask import Asker, Question, ask
from generator.author.design import DesignPart, Sentence
from generator.author.draft import Draft
from generator.author.stages.world import WorldProgram, excerpt_of, faults_of_program, world_question
from generator.author.writing.designs import prompt
from generator.author.writing.rules import describe_prose
from generator.gates.past.calls import show_rows
from generator.gates.past.history import prove_past
from generator.gates.rules.fit import measure_denied
from runtime.domain.arguments import weekday
from runtime.errors import WorldsmithError

_MOST_READ = 8  # complaints of the reader that go to the writer of the world


class Impossible(DesignPart):
    """What could not be in some rows."""

    table: str
    what: Sentence = Field(description="what does not go together, with the values, and what would be right")


class WorldReading(DesignPart):
    """What a reader of rows answers; usually little."""

    impossible: list[Impossible] = []


async def settle_past(asker: Asker, draft: Draft) -> Draft:
    """Return the draft with a world whose past its tools and rules allow; errors: StageFailed.

    What the reader names is sent back once. A past that is still wrong after every repair stays, and the card says so.
    """
    tight = {_rule_of(fault) for fault in _denied(draft)}
    read: list[str] = []

    def gate(program: WorldProgram) -> Sequence[str]:
        own = replace(draft, world=program.code)
        return (program.code != draft.world and faults_of_program(own)) or _faults_of_past(own, tight)

    async def review(program: WorldProgram) -> Sequence[str]:
        if not read:
            read.extend(await _read(asker, replace(draft, world=program.code)) or [""])
            return [each for each in read if each]
        return []

    whole = world_question(draft)

    def narrowed(program: WorldProgram, complaints: Sequence[str]) -> str:
        """Return what the complaints concern of the office, and the rules that they name in words."""
        codes = [code for code in draft.rules.codes if any(code in each for each in complaints)]
        prose = describe_prose(draft.rules, codes, draft.order.locale)
        words = f"\n## The rules of the house in question\n\n{prose}\n" if codes else ""
        return (whole.narrow(program, complaints) if whole.narrow else whole.prompt) + words

    asked = await ask(
        asker,
        replace(whole, stage="past", role="world", narrow=narrowed),
        WorldProgram,
        gate,
        merge=WorldProgram.merged,
        excerpt=lambda program, complaints: {"code": excerpt_of(draft, program.code, complaints, functions=True)},
        review=review,
        standing=WorldProgram(code=draft.world),
    )
    mended = replace(draft, world=asked.artifact.code)
    return draft if asked.complaints and faults_of_program(mended) else mended


def _faults_of_past(draft: Draft, tight: set[str]) -> list[str]:
    try:
        faults = [_with_tables(draft, fault) for fault in draft.prove(prove_past).faults]
    except WorldsmithError as error:
        return [str(error)]
    return faults or [fault for fault in _denied(draft) if _rule_of(fault) not in tight]


def _with_tables(draft: Draft, fault: str) -> str:
    """Return what is wrong with the past with the tables that the rule in question reads, which must agree."""
    read = [table for rule in draft.rules.rules if rule.code in fault for table in rule.reads]
    return f"{fault}; it looks at {', '.join(read)}" if read else fault


def _denied(draft: Draft) -> list[str]:
    """Return what is wrong with the shares of calls that rules deny."""
    return draft.prove(measure_denied).faults if draft.rules.rules else []


def _rule_of(fault: str) -> str:
    return fault.partition(":")[0]


async def _read(asker: Asker, draft: Draft) -> list[str]:
    """Have rows with their neighbors read: what could not be, a sentence each."""

    def known_tables(reading: WorldReading) -> list[str]:
        tables = draft.schema.tables
        return [f"{each.table!r} is not a table" for each in reading.impossible if each.table not in tables]

    question = Question(
        stage="world_reading",
        key="rows",
        role="reader",
        prompt=prompt(
            "world_reading",
            title=draft.catalogue.title,
            summary=draft.catalogue.summary,
            clock=draft.catalogue.clock,
            weekday=weekday(draft.catalogue.clock),
            schema=draft.sql_of_tables(draft.schema.tables),
            rows=(await asyncio.to_thread(draft.prove, show_rows)).text,
        ),
        max_tokens=3_000,
    )
    asked = await ask(asker, question, WorldReading, known_tables)
    found = asked.artifact.impossible[:_MOST_READ]
    return [f"a reader of rows of {each.table} says that this could not be: {each.what}" for each in found]
