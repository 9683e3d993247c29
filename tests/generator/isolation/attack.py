"""Hostile domains of the tests, and the job that loads them, runs each, and says what became of everything else."""

from __future__ import annotations

import textwrap
from dataclasses import dataclass
from pathlib import Path

from generator.isolation.job import job
from runtime.domain.domain import Domain
from runtime.domain.load import load_domain
from runtime.errors import BrokenDomain, EnvironmentFault
from runtime.session.session import Session
from tests.making import world_of, write_domain

_SCHEMA = """
CREATE TABLE thing (       -- A thing
    thing_id TEXT PRIMARY KEY,  -- Its id
    label TEXT NOT NULL,   -- What it is called
    amount INTEGER         -- How many
) STRICT, WITHOUT ROWID;
CREATE TABLE secret (      -- What the tool does not declare
    secret_id TEXT PRIMARY KEY,  -- Its id
    code TEXT NOT NULL     -- What nobody may read
) STRICT, WITHOUT ROWID;
"""

_FILL = """
    for number in range(world.size):
        world.insert("thing", label=f"thing {number}", amount=number)
    world.insert("secret", code="swordfish")
"""

_SAID = """
class Said(TypedDict):
    said: Annotated[str, "What is said"]


def said(text):
    return {"said": text}
"""

_ATTACK = '''
@tool(reads=["thing"], writes=["thing"])
def attack(db: Database) -> Said:
    """Write a row, then attack."""
    db.insert("thing", thing_id=db.new_id("thing"), label="before")
'''

_NEIGHBOR = '''
@tool(reads=["thing"], writes=["thing"])
def neighbor(db: Database) -> Said:
    """Write and read as an honest tool does."""
    row = db.insert("thing", thing_id=db.new_id("thing"), label="new", amount=len("three"))
    rows = db.select("SELECT * FROM thing ORDER BY thing_id")
    return {"said": f"{row} {rows} {db.today} {sum([1, 2])} {sorted(['b', 'a'])}"}
'''


def write_tool(folder: Path, body: str, top: str = "") -> Path:
    """A domain with a tool `attack` of this body, and an honest neighbor."""
    tools = f"{top}{_SAID}\n{_ATTACK}{textwrap.indent(body, '    ')}\n\n{_NEIGHBOR}"
    return write_domain(folder, schema=_SCHEMA, tools=tools, world=_world(_FILL))


def write_world(folder: Path, body: str, top: str = "") -> Path:
    """A domain with a world program of this body."""
    return write_domain(folder, schema=_SCHEMA, world=_world(textwrap.indent(f"\n{body}\n", "    "), top))


def _world(body: str, top: str = "") -> str:
    return f'"""A world."""\n\n{top}\n\ndef populate(world):{body}'


@dataclass(frozen=True)
class Folders:
    """Domain folders by the name of their program."""

    folders: dict[str, Path]


@dataclass(frozen=True)
class Outcome:
    """How each of two runs of a program ended, and what was not as before afterwards."""

    said: list[str]
    broken: list[str]


@dataclass(frozen=True)
class Outcomes:
    """What came of each program."""

    by_name: dict[str, Outcome]


@job("attack")
def attack(asked: Folders) -> Outcomes:
    """Load each domain, build its world, and call its tool `attack`, twice, each time in a session of its own."""
    return Outcomes({name: _outcome_of(folder) for name, folder in asked.folders.items()})


def _outcome_of(folder: Path) -> Outcome:
    try:
        domain = load_domain(folder)
    except BrokenDomain as broken:
        return Outcome([f"REFUSED: {broken}"] * 2, [])
    return _called(domain) if "attack" in domain.tools else Outcome([_built(domain) for _ in range(2)], [])


def _built(domain: Domain) -> str:
    try:
        world = world_of(domain, 1, 10)
    except EnvironmentFault as fault:
        return f"FAULT: {fault}"
    return f"RESULT: {world.digest:032x}"


def _called(domain: Domain) -> Outcome:
    world = world_of(domain, 1, 10)
    said: list[str] = []
    broken: list[str] = []
    with Session(domain, world) as witness:
        before = _call(witness, "neighbor")
        for _ in range(2):
            with Session(domain, world) as attacked:
                start = attacked.digest(), attacked.image()
                said.append(_call(attacked, "attack"))
                if not said[-1].startswith("RESULT") and (attacked.digest(), attacked.image()) != start:
                    broken.append("the state changed")
                if (attacked.changes, attacked.digest()) != attacked.scanned():
                    broken.append("a change was not recorded")
                attacked.reset()
                if _call(attacked, "neighbor") != before:
                    broken.append("the session does not work as before")
        witness.reset()
        if _call(witness, "neighbor") != before:
            broken.append("another session was touched")
    return Outcome(said, broken)


def _call(session: Session, tool: str) -> str:
    try:
        outcome = session.perform(tool, {})
    except EnvironmentFault as fault:
        return f"FAULT: {fault}"
    return outcome.text if outcome.rejection else f"RESULT: {outcome.text}"
