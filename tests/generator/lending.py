"""A small domain as a model would answer it: a shed that lends out tools. Tests break single answers of it."""

from __future__ import annotations

import copy
from typing import Any

KEYWORD = "tool lending"
COUNT = 5

_CATALOGUE: dict[str, Any] = {
    "title": "Tool shed",
    "summary": "A shed that lends its tools to neighbours.",
    "clock": "2026-05-04 10:00:00",
    "entities": [
        {"name": "item", "description": "A tool that can be lent"},
        {"name": "lending", "description": "An item in somebody's hands"},
    ],
    "topics": [{"name": "lendings", "description": "Lendings: items that are out"}],
    "records": [
        {"name": "Item", "fields": [
            {"name": "item_id", "type": "text", "description": "item"},
            {"name": "label", "type": "text", "description": "what it is"},
        ]},
        {"name": "Items", "fields": [{"name": "items", "type": "Item", "many": True, "description": "items found"}]},
        {"name": "Lending", "fields": [
            {"name": "lending_id", "type": "text", "description": "lending"},
            {"name": "due_on", "type": "date", "description": "last day"},
        ]},
        {"name": "Lendings", "fields": [
            {"name": "lendings", "type": "Lending", "many": True, "description": "lendings of an item"}
        ]},
    ],
    "tools": [
        {
            "name": "find_items", "topic": "lendings", "description": "Find items by a word of their label.",
            "parameters": [{"name": "word", "type": "text", "description": "part of the label", "maximum": 40}],
            "returns": "Items", "reads": ["item"], "effects": ["sorted by label"],
        },
        {
            "name": "lend_item", "topic": "lendings", "description": "Lend an item to a neighbour.",
            "parameters": [
                {"name": "item_id", "type": "text", "description": "item"},
                {"name": "neighbour", "type": "text", "description": "who takes it"},
                {"name": "days", "type": "integer", "description": "for how long", "minimum": 1, "maximum": 30,
                 "required": False, "default": 7},
            ],
            "returns": "Lending", "reads": ["item"], "writes": ["lending"],
            "preconditions": [
                {"rule": "The item exists", "otherwise": "NOT_FOUND"},
                {"rule": "The item is not out", "otherwise": "FAILED_PRECONDITION"},
            ],
            "effects": ["due_on is today plus days; status is out"],
        },
        {
            "name": "take_back", "topic": "lendings", "description": "Take a lent item back.",
            "parameters": [{"name": "lending_id", "type": "text", "description": "lending"}],
            "returns": "Lending", "writes": ["lending"],
            "preconditions": [
                {"rule": "The lending exists", "otherwise": "NOT_FOUND"},
                {"rule": "The lending is out", "otherwise": "FAILED_PRECONDITION"},
            ],
            "effects": ["status becomes back"],
        },
        {
            "name": "add_item", "topic": "lendings", "description": "Add an item to the shed.",
            "parameters": [{"name": "label", "type": "text", "description": "what it is", "minimum": 1, "maximum": 40}],
            "returns": "Item", "writes": ["item"], "effects": ["adds the item"],
        },
        {
            "name": "list_lendings", "topic": "lendings", "description": "List the lendings of an item.",
            "parameters": [{"name": "item_id", "type": "text", "description": "item"}],
            "returns": "Lendings", "reads": ["item", "lending"],
            "preconditions": [{"rule": "The item exists", "otherwise": "NOT_FOUND"}],
            "effects": ["sorted by due_on, the latest first"],
        },
    ],
}  # fmt: skip

_SCHEMA = """
CREATE TABLE item (                -- A tool that can be lent
    item_id  TEXT PRIMARY KEY,     -- Number
    label    TEXT NOT NULL         -- What it is
) STRICT, WITHOUT ROWID;

CREATE TABLE lending (             -- An item in somebody's hands
    lending_id  TEXT PRIMARY KEY,  -- Number
    item_id     TEXT NOT NULL REFERENCES item ON DELETE RESTRICT,  -- What was lent
    neighbour   TEXT NOT NULL,     -- Who has it
    due_on      TEXT NOT NULL,     -- Last day
    status      TEXT NOT NULL DEFAULT 'out' CHECK (status IN ('out', 'back'))  -- Where it is
) STRICT, WITHOUT ROWID;

CREATE INDEX lending_by_item ON lending (item_id, status);
"""

_DATABASE: dict[str, Any] = {
    "schema_sql": _SCHEMA,
    "policies": [],
    "tools": [
        {"tool": "find_items", "reads": ["item"]},
        {"tool": "lend_item", "reads": ["item"], "writes": ["lending"]},
        {"tool": "take_back", "reads": ["item"], "writes": ["lending"]},
        {"tool": "add_item", "writes": ["item"]},
        {"tool": "list_lendings", "reads": ["item", "lending"]},
    ],
    "samples": [
        {"table": "item", "row": {"item_id": "I1", "label": "Saw"}},
        {"table": "item", "row": {"item_id": "I2", "label": "Drill"}},
        {"table": "lending", "row": {"lending_id": "L1", "item_id": "I1", "neighbour": "Ines", "due_on": "2026-05-06"}},
        {"table": "lending", "row": {"lending_id": "L2", "item_id": "I1", "neighbour": "Noor", "due_on": "2026-05-01",
                                     "status": "back"}},
    ],
}  # fmt: skip

_WORLD = '''
"""Fill a shed: items, and lendings past and present."""

from runtime import WorldBuilder

LABELS = ("Saw", "Drill", "Ladder", "Hammer", "Wheelbarrow", "Sander")
NEIGHBOURS = ("Ines", "Noor", "Hugo", "Mei")


def populate(world: WorldBuilder) -> None:
    """Half of the rows are items, the rest lendings."""
    items = [
        world.insert("item", label=f"{world.random.choice(LABELS)} {number + 1}")
        for number in range(world.share(0.5, least=2))
    ]
    for number in range(world.share(0.5, least=2)):
        world.insert(
            "lending",
            item_id=items[number % len(items)]["item_id"],
            neighbour=world.random.choice(NEIGHBOURS),
            due_on=world.day(world.random.randrange(-9, 9)),
            status="out" if number < len(items) and (number == 1 or world.random.random() < 0.5) else "back",
        )
'''

_CODE: dict[str, Any] = {
    "docstring": "Lendings: items that are out.",
    "helpers": "",
    "bodies": [
        {"tool": "find_items", "body": (
            'items = db.select(\n    """\n    SELECT item_id, label FROM item\n'
            "    WHERE instr(lower(label), lower(?)) > 0\n    ORDER BY label, item_id\n"
            '    """,\n    word,\n)\nreturn {"items": items}'
        )},
        {"tool": "lend_item", "body": (
            'item = db.require("item", item_id)\n'
            "if db.value(\"SELECT count(*) FROM lending WHERE item_id = ? AND status = 'out'\", item_id):\n"
            "    raise Rejection.failed_precondition(f\"{item['label']!r} is out.\")\n"
            "due_on = add_days(db.today, days)\n"
            'lending = db.insert("lending", lending_id=db.new_id("lending"), item_id=item_id, '
            "neighbour=neighbour, due_on=due_on)\n"
            'return {"lending_id": lending["lending_id"], "due_on": due_on}'
        )},
        {"tool": "take_back", "body": (
            'lending = db.require("lending", lending_id)\nif lending["status"] != "out":\n'
            '    raise Rejection.failed_precondition(f"Lending {lending_id!r} is back already.")\n'
            'db.update("lending", lending_id, status="back")\n'
            'return {"lending_id": lending_id, "due_on": lending["due_on"]}'
        )},
        {"tool": "add_item", "body": (
            'item = db.insert("item", item_id=db.new_id("item"), label=label)\n'
            'return {"item_id": item["item_id"], "label": label}'
        )},
        {"tool": "list_lendings", "body": (
            'db.require("item", item_id)\nlendings = db.select(\n'
            '    "SELECT lending_id, due_on FROM lending WHERE item_id = ? ORDER BY due_on DESC, lending_id", item_id\n'
            ')\nreturn {"lendings": lendings}'
        )},
    ],
}  # fmt: skip

_CASES: dict[str, Any] = {
    "rows": {
        "item": [{"item_id": "I1", "label": "Saw"}, {"item_id": "I2", "label": "Drill"},
                 {"item_id": "I3", "label": "Big saw"}],
        "lending": [
            {"lending_id": "L1", "item_id": "I1", "neighbour": "Ines", "due_on": "2026-05-06"},
            {"lending_id": "L2", "item_id": "I1", "neighbour": "Noor", "due_on": "2026-05-01", "status": "back"},
            {"lending_id": "L3", "item_id": "I1", "neighbour": "Hugo", "due_on": "2026-05-09", "status": "back"},
        ],
    },
    "cases": [
        {"tool": "find_items", "title": "a word is found in any case", "arguments": {"word": "saw"},
         "result": {"items": [{"item_id": "I3", "label": "Big saw"}, {"item_id": "I1", "label": "Saw"}]}},
        {"tool": "find_items", "title": "no item has the word", "arguments": {"word": "zzz"}, "result": {"items": []}},
        {"tool": "lend_item", "title": "an item that is in is lent", "arguments": {
            "item_id": "I2", "neighbour": "Mei", "days": 2},
         "result": {"lending_id": "$new:lending", "due_on": "2026-05-06"},
         "changes": [{"table": "lending", "added": {"item_id": "I2", "neighbour": "Mei", "due_on": "2026-05-06"}}]},
        {"tool": "lend_item", "title": "a week unless said", "arguments": {"item_id": "I3", "neighbour": "Mei"},
         "changes": [{"table": "lending", "added": {"item_id": "I3", "neighbour": "Mei", "due_on": "2026-05-11"}}]},
        {"tool": "lend_item", "title": "an item that is back is lent again", "arguments": {
            "item_id": "I1", "neighbour": "Mei", "days": 1},
         "rows": {"lending": [{"lending_id": "L1", "status": "back"}]},
         "changes": [{"table": "lending", "added": {"item_id": "I1", "neighbour": "Mei", "due_on": "2026-05-05"}}]},
        {"tool": "lend_item", "title": "an item that is out stays out", "arguments": {
            "item_id": "I1", "neighbour": "Mei"}, "rejects": "FAILED_PRECONDITION"},
        {"tool": "lend_item", "title": "an unknown item", "arguments": {"item_id": "I9", "neighbour": "Mei"},
         "rejects": "NOT_FOUND"},
        {"tool": "take_back", "title": "a lent item comes back", "arguments": {"lending_id": "L1"},
         "result": {"lending_id": "L1", "due_on": "2026-05-06"},
         "changes": [{"table": "lending", "key": "L1", "changed": {"status": "back"}}]},
        {"tool": "take_back", "title": "it is back already", "arguments": {"lending_id": "L2"},
         "rejects": "FAILED_PRECONDITION"},
        {"tool": "take_back", "title": "an unknown lending", "arguments": {"lending_id": "L9"}, "rejects": "NOT_FOUND"},
        {"tool": "add_item", "title": "an item is added", "arguments": {"label": "Rake"},
         "result": {"item_id": "$new:item", "label": "Rake"},
         "changes": [{"table": "item", "added": {"label": "Rake"}}]},
        {"tool": "list_lendings", "title": "the latest comes first", "arguments": {"item_id": "I1"},
         "result": {"lendings": [{"lending_id": "L3", "due_on": "2026-05-09"},
                                 {"lending_id": "L1", "due_on": "2026-05-06"},
                                 {"lending_id": "L2", "due_on": "2026-05-01"}]}},
        {"tool": "list_lendings", "title": "an item that was never lent", "arguments": {"item_id": "I3"},
         "result": {"lendings": []}},
        {"tool": "list_lendings", "title": "an unknown item", "arguments": {"item_id": "I9"}, "rejects": "NOT_FOUND"},
    ],
}  # fmt: skip

_BORROW = """
item = story.pick("item", "item_id NOT IN (SELECT item_id FROM lending WHERE status = 'out')")
neighbour = story.choose("neighbour", ["Ines", "Noor"])
days = story.choose("days", [3, 5])
story.tell(
    "{neighbour} here. Could I have {label} for {days} days? And when is it due back?",
    neighbour=neighbour,
    label=item["label"],
    days=days,
)
items = story.call("find_items", word=item["label"])["items"]
wanted = story.find(items, label=item["label"])
lending = story.call("lend_item", item_id=wanted["item_id"], neighbour=neighbour, days=days)
story.answer("last day", lending["due_on"], source="lending.due_on")
"""

_RETURN = """
lending = story.pick("lending", "status = 'out'", unique_by=["item_id", "due_on"])
item = story.row("item", lending["item_id"])
story.tell("Here is {label} back, the one for {due}.", label=item["label"], due=lending["due_on"])
items = story.call("find_items", word=item["label"])["items"]
mine = story.find(items, label=item["label"])
lendings = story.call("list_lendings", item_id=mine["item_id"])["lendings"]
story.call("take_back", lending_id=story.find(lendings, due_on=lending["due_on"])["lending_id"])
story.outside("And could you sharpen my own axe?")
"""

_GIVE = """
label = story.choose("label", ["Rake", "Spade"])
story.tell("I'd like to give the shed a {label}.", label=label)
story.call("add_item", label=label)
"""

_SCENARIOS: dict[str, Any] = {
    "scenarios": [
        {"name": "borrow_an_item", "wish": "A neighbour borrows an item for some days.", "body": _BORROW},
        {"name": "bring_an_item_back", "wish": "A neighbour brings an item back.", "body": _RETURN},
        {"name": "give_an_item", "wish": "A neighbour gives the shed an item.", "body": _GIVE},
    ]
}

# As whoever reads the words on the first world fills in the calls; conversations that are not asked for do no harm.
_READING: dict[str, Any] = {
    "readings": [
        {"name": "borrow_an_item", "calls": [{"call": 1, "arguments": {"neighbour": "Ines", "days": 5}}]},
        {"name": "bring_an_item_back", "calls": [{"call": 1}]},
        {"name": "give_an_item", "calls": [{"call": 1, "arguments": {"label": "Rake"}}]},
    ]
}


def answers() -> dict[Any, dict[str, Any]]:
    """The answers by stage and key; a copy that a test may change."""
    return copy.deepcopy(
        {
            "screen": {"decision": "go", "reason": "A shed lends tools.", "domain": "lending tools to neighbours"},
            ("tools", "catalogue"): _CATALOGUE,
            ("database", "schema"): _DATABASE,
            ("world_reading", "rows"): {"impossible": []},
            ("world", "program"): {"code": _WORLD},
            ("code", "lendings"): _CODE,
            ("cases", "lendings"): _CASES,
            ("scenarios", "lendings"): _SCENARIOS,
            ("reading", "lendings"): _READING,
            ("scenarios", "gate-1"): {"probability": 0.1, "reason": "Every tool is called already."},
        }
    )
