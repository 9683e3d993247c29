"""What the shed is: its catalogue, its database, who calls and its worlds."""

from __future__ import annotations

from typing import Any


def _text(name: str, description: str, **more: Any) -> dict[str, Any]:
    return {"name": name, "type": "text", "description": description, **more}


def _exists(what: str) -> dict[str, str]:
    return {"rule": f"The {what} exists", "otherwise": "NOT_FOUND"}


CATALOGUE: dict[str, Any] = {
    "title": "Neighbourhood shed",
    "summary": "A shed that lends its tools to neighbours.",
    "clock": "2026-05-04 10:00:00",
    "conventions": ["A lending is open while its status is out."],
    "entities": [
        {"name": "neighbour", "description": "Somebody who may borrow"},
        {"name": "item", "description": "A tool that can be lent"},
        {"name": "lending", "description": "An item in a neighbour's hands"},
    ],
    "topics": [
        {"name": "lendings", "description": "Lendings: items that are out"},
        {"name": "neighbours", "description": "Neighbours and their details"},
    ],
    "records": [
        {"name": "Neighbour", "fields": [
            _text("neighbour_id", "neighbour"), _text("name", "full name"), _text("email", "address"),
            _text("phone", "number", nullable=True),
        ]},
        {"name": "Item", "fields": [_text("item_id", "item"), _text("label", "what it is")]},
        {"name": "Items", "fields": [{"name": "items", "type": "Item", "many": True, "description": "items found"}]},
        {"name": "Lending", "fields": [
            _text("lending_id", "lending"), _text("label", "what was lent"), _text("status", "out or back"),
            {"name": "due_on", "type": "date", "description": "last day"},
        ]},
        {"name": "Lendings", "fields": [
            {"name": "lendings", "type": "Lending", "many": True, "description": "lendings of a neighbour"}
        ]},
    ],
    "tools": [
        {"name": "find_items", "topic": "lendings", "description": "Find items by a word of their label.",
         "parameters": [_text("word", "part of the label", minimum=1, maximum=40)],
         "returns": "Items", "reads": ["item"], "effects": ["sorted by label"]},
        {"name": "add_item", "topic": "lendings", "description": "Add an item to the shed.",
         "parameters": [_text("label", "what it is", minimum=1, maximum=40)],
         "returns": "Item", "writes": ["item"], "effects": ["adds the item"]},
        {"name": "list_lendings", "topic": "lendings", "description": "List what a neighbour has out.",
         "parameters": [_text("neighbour_id", "whose")], "returns": "Lendings",
         "reads": ["neighbour", "item", "lending"], "preconditions": [_exists("neighbour")],
         "effects": ["only lendings that are out, sorted by due_on"]},
        {"name": "lend_item", "topic": "lendings", "description": "Lend an item to a neighbour.",
         "parameters": [_text("neighbour_id", "who takes it"), _text("item_id", "item"),
                        {"name": "days", "type": "integer", "description": "for how long", "minimum": 1,
                         "maximum": 30}],
         "returns": "Lending", "reads": ["neighbour", "item"], "writes": ["lending"],
         "preconditions": [_exists("neighbour"), _exists("item"),
                           {"rule": "The item is not out", "otherwise": "FAILED_PRECONDITION"}],
         "effects": ["due_on is today plus days; status is out"]},
        {"name": "extend_lending", "topic": "lendings", "description": "Move the last day of a lending.",
         "parameters": [_text("lending_id", "lending"),
                        {"name": "days", "type": "integer", "description": "days added", "minimum": 1,
                         "maximum": 30}],
         "returns": "Lending", "reads": ["item"], "writes": ["lending"],
         "preconditions": [_exists("lending"),
                           {"rule": "The lending is out", "otherwise": "FAILED_PRECONDITION"}],
         "effects": ["due_on moves days on from where it was"]},
        {"name": "take_back", "topic": "lendings", "description": "Take a lent item back.",
         "parameters": [_text("lending_id", "lending")], "returns": "Lending", "reads": ["item"],
         "writes": ["lending"],
         "preconditions": [_exists("lending"),
                           {"rule": "The lending is out", "otherwise": "FAILED_PRECONDITION"}],
         "effects": ["status becomes back"]},
        {"name": "find_neighbour", "topic": "neighbours", "description": "Find a neighbour by email.",
         "parameters": [_text("email", "address", minimum=1)], "returns": "Neighbour", "reads": ["neighbour"],
         "preconditions": [{"rule": "A neighbour has this email", "otherwise": "NOT_FOUND"}],
         "effects": ["letter case does not matter"]},
        {"name": "change_phone", "topic": "neighbours", "description": "Change a neighbour's phone number.",
         "parameters": [_text("neighbour_id", "whose"), _text("phone", "new number", minimum=3)],
         "returns": "Neighbour", "writes": ["neighbour"], "preconditions": [_exists("neighbour")],
         "effects": ["phone becomes the number"]},
    ],
    "callers": {"entity": "neighbour", "found_by": {"email": "find_neighbour"}},
}  # fmt: skip

_SCHEMA = """
CREATE TABLE neighbour (             -- Somebody who may borrow
    neighbour_id  TEXT PRIMARY KEY,  -- Number
    name          TEXT NOT NULL,     -- Full name
    email         TEXT NOT NULL UNIQUE,  -- Address
    phone         TEXT               -- Number
) STRICT, WITHOUT ROWID;

CREATE TABLE item (                  -- A tool that can be lent
    item_id  TEXT PRIMARY KEY,       -- Number
    label    TEXT NOT NULL           -- What it is
) STRICT, WITHOUT ROWID;

CREATE TABLE lending (               -- An item in a neighbour's hands
    lending_id    TEXT PRIMARY KEY,  -- Number
    item_id       TEXT NOT NULL REFERENCES item ON DELETE RESTRICT,       -- What was lent
    neighbour_id  TEXT NOT NULL REFERENCES neighbour ON DELETE RESTRICT,  -- Who has it
    due_on        TEXT NOT NULL,     -- Last day
    status        TEXT NOT NULL DEFAULT 'out' CHECK (status IN ('out', 'back'))  -- Where it is
) STRICT, WITHOUT ROWID;

CREATE INDEX lending_by_item ON lending (item_id, status);
CREATE INDEX lending_by_neighbour ON lending (neighbour_id, status);
"""


def rows(table: str, *rows: dict[str, Any]) -> list[dict[str, Any]]:
    return [{"table": table, "row": row} for row in rows]


NEIGHBOURS: list[dict[str, Any]] = [
    {"neighbour_id": "N1", "name": "Ines Park", "email": "ines@example.org", "phone": "555-0101"},
    {"neighbour_id": "N2", "name": "Noor Ito", "email": "noor@example.org", "phone": None},
]

DATABASE: dict[str, Any] = {
    "schema_sql": _SCHEMA,
    "policies": [],
    "samples": [
        *rows("neighbour", *NEIGHBOURS),
        *rows("item", {"item_id": "I1", "label": "Saw"}, {"item_id": "I2", "label": "Drill"}),
        *rows(
            "lending",
            {"lending_id": "L1", "item_id": "I1", "neighbour_id": "N1", "due_on": "2026-05-06", "status": "out"},
            {"lending_id": "L2", "item_id": "I1", "neighbour_id": "N2", "due_on": "2026-05-01", "status": "back"},
        ),
    ],
}  # fmt: skip

PEOPLE: dict[str, Any] = {
    "name": "name",
    "proven_by": {"email": "e-mail address", "phone": "phone number"},
    "owns": {"lending": "neighbour_id"},
    "anybody": {"take_back": "Anybody may bring an item back."},
    "open_days": ["Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday"],
    "opens": "09:00",
    "closes": "18:00",
}

WORLD = '''
"""Fill a shed: neighbours, items, and lendings past and present."""

from runtime import WorldBuilder

GIVEN = ("Ines", "Noor", "Hugo", "Mei", "Amina", "Bruno", "Carla", "David", "Elif", "Farid", "Grace", "Jonas",
         "Kamala", "Lars", "Oskar", "Priya", "Rosa", "Samir", "Tove", "Umar", "Vera", "Wanda", "Yara", "Zeno")
FAMILY = ("Park", "Ito", "Abara", "Becker", "Costa", "Duarte", "Evans", "Fischer", "Gupta", "Haddad", "Jansen",
          "Keller", "Lopez", "Moreau", "Novak", "Okafor", "Quinn", "Rossi", "Silva", "Toth", "Urban", "Weber")
KINDS = ("Saw", "Drill", "Ladder", "Hammer", "Wheelbarrow", "Sander", "Rake", "Spade", "Axe", "Plane", "Vice", "Torch",
         "Clamp", "Chisel", "File", "Wrench", "Pliers", "Crowbar", "Trowel", "Shears")
MARKS = ("red", "old", "long", "short", "heavy", "light", "blue", "green", "new", "small", "large", "grey", "wide",
         "narrow", "black", "white", "folding", "electric", "wooden", "steel")


INVARIANTS = {
    "A thing is out to one neighbour at a time.": """
        SELECT item_id FROM lending WHERE status = 'out' GROUP BY item_id HAVING count(*) > 1
    """,
}


def populate(world: WorldBuilder) -> None:
    """A sixth of the rows are neighbours, a third items, nearly half lendings, the rest notes."""
    neighbours = []
    for number in range(world.share(0.16, least=3)):
        neighbours.append(_add_neighbour(world, number, neighbours))
    items = [
        world.insert("item", label=f"{world.random.choice(MARKS)} {world.random.choice(KINDS)} {number + 1}")
        for number in range(world.share(0.34, least=3))
    ]
    often = neighbours[: max(1, len(neighbours) // 3)]
    order = list(range(world.share(0.44, least=3)))
    world.random.shuffle(order)
    for number in order:
        world.insert(
            "lending",
            item_id=items[number % len(items)]["item_id"],
            neighbour_id=world.random.choice(often if number % 2 else neighbours)["neighbour_id"],
            due_on=world.day(world.random.randrange(-6, 12)),
            status="out" if number < len(items) and number % 3 else "back",
        )


def _add_neighbour(world, number, neighbours):
    """Every fourth has the name of an earlier one."""
    name = f"{world.random.choice(GIVEN)} {world.random.choice(FAMILY)}"
    if number % 4 == 3:
        name = neighbours[number - 2]["name"]
    phone = f"555-{world.random.randrange(10_000):04d}" if world.random.random() < 0.8 else None
    address = name.lower().replace(" ", ".")
    return world.insert("neighbour", name=name, email=f"{address}{number}@example.org", phone=phone)
'''
