"""No name of a column or of a format's field collides with a name inside the runtime."""

from __future__ import annotations

from contextlib import closing
from pathlib import Path

import pytest

from runtime.session.session import Session
from runtime.session.world import build_world
from tests.making import make_domain

NAMES = ("method", "args", "named", "owner", "text", "values", "key", "self", "sql", "tool")


@pytest.mark.parametrize("name", NAMES)
def test_a_column_may_have_any_name(name: str, tmp_path: Path) -> None:
    domain = make_domain(
        tmp_path,
        schema=f"""
CREATE TABLE thing (       -- A thing
    thing_id TEXT PRIMARY KEY,  -- Its id
    "{name}" TEXT          -- What it holds
) STRICT, WITHOUT ROWID;
""",
        tools=f'''
@tool(writes=["thing"])
def keep_thing(db: Database) -> Done:
    """Keep a thing."""
    thing = db.insert("thing", thing_id=db.new_id("thing"), {name}="new")
    db.update("thing", thing["thing_id"], {name}="{{{name}}}".format({name}="newer"))
    return {{"done": True}}
''',
        world=f'''"""One thing."""


def populate(world):
    """One thing."""
    world.insert("thing", {name}="old")
''',
    )
    world = build_world(domain.populate, domain.schema, domain.policies, domain.now, 1, 1)
    with Session(domain, world) as session:
        session.call("keep_thing")
        assert session.connection is not None
        with closing(session.connection.execute(f'SELECT "{name}" FROM thing ORDER BY 1')) as found:
            assert found.fetchall() == [("newer",), ("old",)]
