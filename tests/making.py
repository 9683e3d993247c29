"""Make small domains in a folder, for what the library does not have: logs, floats, shared keys, bad tools."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from runtime.domain.domain import Domain
from runtime.domain.load import load_domain
from runtime.session.world import World, build_world

WORLD = '"""Nothing to fill."""\n\n\ndef populate(world):\n    return None\n'

TOOL = '''"""Things."""

from typing import Annotated

from runtime import Database, Rejection, TypedDict, tool


class Done(TypedDict):
    done: Annotated[bool, "Whether it was done"]
'''

SCHEMA = """
CREATE TABLE thing (       -- A thing
    thing_id TEXT PRIMARY KEY,  -- Its id
    label TEXT NOT NULL,   -- What it is called
    amount INTEGER         -- How many
) STRICT, WITHOUT ROWID;
"""

NOTHING = '''
@tool()
def do_nothing(db: Database) -> Done:
    """Do nothing."""
    return {"done": True}
'''


def write_domain(folder: Path, *, schema: str = SCHEMA, tools: str = NOTHING, world: str = WORLD, **card: Any) -> Path:
    """Write a domain folder named `small`; `tools` is what follows the usual imports in tools/things.py."""
    path = folder / "small"
    (path / "tools").mkdir(parents=True, exist_ok=True)
    content = {
        "format": 1,
        "name": "small",
        "version": "1",
        "title": "Small",
        "summary": "A small domain.",
        "clock": "2026-03-16 09:30:00",
        **card,
    }
    (path / "domain.json").write_text(json.dumps(content))
    (path / "schema.sql").write_text(schema)
    (path / "tools" / "things.py").write_text(TOOL + tools)
    (path / "world.py").write_text(world)
    return path


def make_domain(folder: Path, **parts: Any) -> Domain:
    """Write and load a domain."""
    return load_domain(write_domain(folder, **parts))


def world_of(domain: Domain, seed: int = 1, size: int = 10) -> World:
    """Build a world of a domain."""
    return build_world(domain.populate, domain.schema, domain.policies, domain.now, seed, size)
