"""Hostile domains of the tests, and the jobs that load one, call its tool, and say what became of everything else."""

from __future__ import annotations

import textwrap
from dataclasses import dataclass
from pathlib import Path

from generator.gates.request import FolderRequest
from generator.isolation.job import job
from runtime.domain.load import load_domain
from runtime.errors import BrokenDomain, EnvironmentFault
from runtime.session.session import Session
from runtime.session.world import build_world
from tests.making import write_domain

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
class Attacked:
    """What two calls of the tool `attack` came to, and what was not as before afterwards."""

    said: list[str]
    broken: list[str]


@job("attack")
def attack(asked: FolderRequest) -> Attacked:
    """Call the tool `attack` twice, each time in a session of its own."""
    domain = load_domain(asked.folder)
    world = build_world(domain.populate, domain.schema, domain.policies, domain.now, 1, 10)
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
    return Attacked(said, broken)


def _call(session: Session, tool: str) -> str:
    try:
        outcome = session.perform(tool, {})
    except EnvironmentFault as fault:
        return f"FAULT: {fault}"
    return outcome.text if outcome.rejection else f"RESULT: {outcome.text}"


@dataclass(frozen=True)
class Digests:
    """Those of worlds."""

    digests: list[str]


@job("populate")
def populate(asked: FolderRequest) -> Digests:
    """Make two worlds with the same program."""
    domain = load_domain(asked.folder)
    worlds = [build_world(domain.populate, domain.schema, domain.policies, domain.now, 1, 10) for _ in range(2)]
    return Digests([f"{world.digest:032x}" for world in worlds])


@dataclass(frozen=True)
class Folders:
    """Domain folders by the name each was given."""

    folders: dict[str, Path]


@dataclass(frozen=True)
class Faults:
    """Those of domains by their names."""

    faults: dict[str, list[str]]


@job("load each")
def load_each(asked: Folders) -> Faults:
    """Load many domains."""
    return Faults({name: _faults_of(path) for name, path in asked.folders.items()})


def _faults_of(path: Path) -> list[str]:
    try:
        load_domain(path)
    except BrokenDomain as broken:
        return list(broken.faults)
    return []
