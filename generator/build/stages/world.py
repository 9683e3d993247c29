"""Stage `world`: a program that fills the schema at any size (paper, section 4.1.2)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from pydantic import Field

from generator.build.ask import Asker, ask
from generator.build.design import DesignPart, schema_of
from generator.build.draft import Draft
from generator.build.writing.designs import describe_rules
from generator.build.writing.prompts import prompt
from generator.gates.request import FolderRequest
from generator.gates.worlds.lifeless import find_lifeless
from generator.gates.worlds.sound import prove_worlds
from generator.isolation.prove import prove
from runtime.domain.dates import weekday
from runtime.errors import WorldsmithError
from runtime.model.model import Request


class WorldProgram(DesignPart):
    """`world.py`."""

    code: str = Field(min_length=1, description="the whole file")


async def write_world(asker: Asker, draft: Draft) -> str:
    """The text of `world.py`; errors: StageFailed."""
    question = Request(
        role="world",
        stage="world",
        key="program",
        attempt=1,
        prefix="",
        prompt=prompt(
            "world",
            title=draft.catalogue.title,
            summary=draft.catalogue.summary,
            clock=draft.catalogue.clock,
            weekday=weekday(draft.catalogue.clock),
            schema=draft.database.schema_sql.strip(),
            rules=describe_rules(draft.catalogue),
        ),
        schema=schema_of(WorldProgram),
        max_tokens=12_000,
    )
    asked = await ask(
        asker, question, WorldProgram, lambda program: faults_of_program(replace(draft, world=program.code))
    )
    return asked.insist("The world program").code


def faults_of_program(draft: Draft) -> Sequence[str]:
    """What is wrong with the worlds that a program makes: it runs in a child process."""
    with replace(draft, code={}, cases={}, edits=()).laid_out() as folder:
        asked = FolderRequest(folder)
        try:
            faults = prove(prove_worlds, asked, reads=[folder]).faults
            return faults or prove(find_lifeless, asked, reads=[folder]).faults
        except WorldsmithError as error:
            return str(error).splitlines()
