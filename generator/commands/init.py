"""`worldsmith init`: write a draft of a domain, from nothing or from a database, for a person to fill in."""

from __future__ import annotations

import argparse
import json
import pprint
import tempfile
from datetime import datetime
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from generator.commands.read_database import DatabaseDraft, DraftTable, read_database
from runtime.compiling import UNFILLED
from runtime.domain.domain import FORMAT, DomainCard
from runtime.domain.load import load_domain
from runtime.errors import UsageError
from runtime.wording import counted, print_lines

_THING = DraftTable("thing", {"thing_id": "TEXT", "label": "TEXT"}, ["thing_id"], ["label"])
_PYTHON = {"TEXT": "str", "INTEGER": "int", "REAL": "float"}
_TOOL = '''"""{mark}: what these tools are for."""

from typing import Annotated

from runtime import Database, TypedDict, tool


class Found(TypedDict):
{fields}


@tool(reads=["{table}"], rejects=["NOT_FOUND"])
def show_{table}(db: Database, {parameters}) -> Found:
    """{mark}: what this tool does, for the agent that reads it."""
    row = db.require("{table}", {names})
    return {{{result}}}
'''
_WORLD = '''"""{mark}: rows for any world.size, made from world.random; these are the same for every seed."""

from runtime import WorldBuilder

_ROWS = {rows}


def populate(world: WorldBuilder) -> None:
    for table, values in _ROWS:
        world.insert(table, **values)
'''


def add_init(commands: Any) -> None:
    """Add the command to the command line."""
    parser = commands.add_parser(
        "init",
        description="Write domains/NAME: tables, a tool and a world that load at once, with FILL IN wherever words of "
        "yours belong. With --from, tables and a few rows are those of a database file, which is only read.",
    )
    parser.add_argument("name", help="name of the domain: lower-case letters, digits and _")
    parser.add_argument("--from", type=Path, dest="source", metavar="FILE.db", help="a SQLite database to begin with")
    parser.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> int:
    """Write the folder and say what is next."""
    folder = Path("domains") / arguments.name
    card = _make_card(arguments.name)  # before anything is read
    if folder.exists() or folder.is_symlink():
        raise UsageError(f"{str(folder)!r} is there already; choose another name.")
    if arguments.source is not None and not arguments.source.is_file():
        raise UsageError(f"There is no database file {str(arguments.source)!r}.")
    rows = [("thing", {"label": f"Thing {number}"}) for number in (1, 2, 3)]
    draft = read_database(arguments.source) if arguments.source else DatabaseDraft([_THING], rows, [])
    folder.parent.mkdir(exist_ok=True)
    with tempfile.TemporaryDirectory(prefix=f".{arguments.name}.", dir=folder.parent) as building:
        new = Path(building) / arguments.name
        for name, text in _files_of(card, draft).items():
            (new / name).parent.mkdir(parents=True, exist_ok=True)
            (new / name).write_text(text, encoding="utf-8")
        load_domain(new)  # what is written loads
        new.rename(folder)
    print_lines(
        [
            f"{folder}: {counted(len(draft.tables), 'table')}, {counted(len(draft.rows), 'row')}, a tool",
            *(f"  left out: {line}" for line in draft.left_out),
            f"Look at it with `worldsmith show {arguments.name}`; what is left to do is said by "
            f"`worldsmith check {arguments.name}`.",
        ]
    )
    return 0


def _make_card(name: str) -> dict[str, Any]:
    title = name.replace("_", " ").capitalize()
    clock = datetime.now().strftime("%Y-%m-%d 09:00:00")
    card: dict[str, Any] = {"format": FORMAT, "name": name, "version": "0.1.0", "title": title}
    card |= {"summary": f"{UNFILLED}: what this world is about, in a sentence.", "clock": clock}
    try:
        DomainCard.model_validate(card)
    except ValidationError:
        raise UsageError(f"A domain cannot be named {name!r}; write lower-case letters, digits and _.") from None
    return card


def _files_of(card: dict[str, Any], draft: DatabaseDraft) -> dict[str, str]:
    table = draft.tables[0]
    kinds = {name: f'Annotated[{_PYTHON[kind]}%s, "{UNFILLED}"]' for name, kind in table.types.items()}
    tool = _TOOL.format(
        mark=UNFILLED,
        table=table.name,
        fields="\n".join(
            f"    {name}: {kind % ('' if name in (*table.key, *table.required) else ' | None')}"
            for name, kind in kinds.items()
        ),
        parameters=", ".join(f"{name}: {kinds[name] % ''}" for name in table.key),
        names=", ".join(table.key),
        result=", ".join(f'"{name}": row["{name}"]' for name in table.types),
    )
    reals = [f"{each.name}.{name}" for each in draft.tables for name, kind in each.types.items() if kind == "REAL"]
    columns = {name: {"policy": "hard", "tolerance": 0.005, "reason": f"{UNFILLED}: how exact it is"} for name in reals}
    rows = pprint.pformat(draft.rows, width=110, sort_dicts=False)
    return {
        "domain.json": json.dumps({**card, "columns": columns}, indent=2) + "\n",
        "schema.sql": draft.sql,
        f"tools/{table.name}.py": tool,
        "world.py": _WORLD.format(mark=UNFILLED, rows=rows),
    }
