"""`worldsmith init`: write a small domain that loads at once, with FILL IN wherever words of a person belong."""

from __future__ import annotations

import argparse
import json
import tempfile
from datetime import datetime
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from runtime.compiling import UNFILLED
from runtime.domain.domain import FORMAT, DomainCard
from runtime.domain.load import load_domain
from runtime.errors import UsageError
from runtime.wording import print_lines

_SCHEMA = f"""CREATE TABLE thing (  -- {UNFILLED}: what a row is
    thing_id TEXT,  -- {UNFILLED}: what it holds
    label TEXT NOT NULL,  -- {UNFILLED}: what it holds
    PRIMARY KEY (thing_id)
) STRICT, WITHOUT ROWID;
"""
_TOOL = f'''"""{UNFILLED}: what these tools are for."""

from typing import Annotated

from runtime import Database, TypedDict, tool


class Found(TypedDict):
    thing_id: Annotated[str, "{UNFILLED}"]
    label: Annotated[str, "{UNFILLED}"]


@tool(reads=["thing"], rejects=["NOT_FOUND"])
def show_thing(db: Database, thing_id: Annotated[str, "{UNFILLED}"]) -> Found:
    """{UNFILLED}: what this tool does, for the agent that reads it."""
    row = db.require("thing", thing_id)
    return {{"thing_id": row["thing_id"], "label": row["label"]}}
'''
_WORLD = f'''"""{UNFILLED}: rows for any world.size, made from world.random; these are the same for every seed."""

from runtime import WorldBuilder


def populate(world: WorldBuilder) -> None:
    for number in (1, 2, 3):
        world.insert("thing", label=f"Thing {{number}}")
'''


def add_init(commands: Any) -> None:
    """Add the command to the command line."""
    parser = commands.add_parser(
        "init",
        description="Write domains/NAME: a table, a tool and a world that load at once, with FILL IN wherever words of "
        "yours belong.",
    )
    parser.add_argument("name", help="name of the domain: lower-case letters, digits and _")
    parser.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> int:
    """Write the folder and say what is next."""
    name, folder = arguments.name, Path("domains") / arguments.name
    card = _make_card(name)
    if folder.exists() or folder.is_symlink():
        raise UsageError(f"{str(folder)!r} is there already; choose another name.")
    files = {
        "domain.json": json.dumps(card, indent=2) + "\n",
        "schema.sql": _SCHEMA,
        "tools/thing.py": _TOOL,
        "world.py": _WORLD,
    }
    folder.parent.mkdir(exist_ok=True)
    with tempfile.TemporaryDirectory(prefix=f".{name}.", dir=folder.parent) as building:
        new = Path(building) / name
        (new / "tools").mkdir(parents=True)
        for path, text in files.items():
            (new / path).write_text(text, encoding="utf-8")
        load_domain(new)
        new.rename(folder)
    print_lines(
        [
            f"{folder}: a table, a tool and a world",
            f"Look at it with `worldsmith show {name}`; `worldsmith check {name}` lists what is left to do.",
        ]
    )
    return 0


def _make_card(name: str) -> dict[str, Any]:
    card: dict[str, Any] = {
        "format": FORMAT,
        "name": name,
        "version": "0.1.0",
        "title": name.replace("_", " ").capitalize(),
        "summary": f"{UNFILLED}: what this world is about, in a sentence.",
        "clock": datetime.now().strftime("%Y-%m-%d 09:00:00"),
    }
    try:
        DomainCard.model_validate(card)
    except ValidationError:
        raise UsageError(f"A domain cannot be named {name!r}; write lower-case letters, digits and _.") from None
    return card
