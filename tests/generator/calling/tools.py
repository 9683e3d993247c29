"""The shed's tools and their cases."""

from __future__ import annotations

from typing import Any

from tests.generator.calling.design import NEIGHBOURS

_SHOWN = '\nreturn {"lending_id": lending["lending_id"], "label": item["label"], "status": STATUS, "due_on": DUE}'

CODE_LENDINGS: dict[str, Any] = {
    "docstring": "Lendings: items that are out.",
    "helpers": (
        "def _shown(db, lending):\n"
        '    item = db.require("item", lending["item_id"])\n'
        '    return {\n        "lending_id": lending["lending_id"],\n        "label": item["label"],\n'
        '        "status": lending["status"],\n        "due_on": lending["due_on"],\n    }\n\n\n'
        "def _out(db, lending_id):\n"
        '    lending = db.require("lending", lending_id)\n'
        '    if lending["status"] != "out":\n'
        '        raise Rejection.failed_precondition(f"Lending {lending_id!r} is back already.")\n'
        "    return lending"
    ),
    "bodies": [
        {"tool": "find_items", "body": (
            'items = db.select(\n    "SELECT item_id, label FROM item WHERE instr(lower(label), lower(?)) > 0 '
            'ORDER BY label, item_id", word\n)\nreturn {"items": items}'
        )},
        {"tool": "add_item", "body": (
            'item = db.insert("item", item_id=db.new_id("item"), label=label)\n'
            'return {"item_id": item["item_id"], "label": label}'
        )},
        {"tool": "list_lendings", "body": (
            'db.require("neighbour", neighbour_id)\n'
            'found = db.select(\n    """\n    SELECT lending_id, label, status, due_on FROM lending\n'
            "    JOIN item USING (item_id)\n"
            "    WHERE neighbour_id = ? AND status = 'out'\n    ORDER BY due_on, lending_id\n    \"\"\",\n"
            '    neighbour_id,\n)\nreturn {"lendings": found}'
        )},
        {"tool": "lend_item", "body": (
            'db.require("neighbour", neighbour_id)\nitem = db.require("item", item_id)\n'
            "if db.value(\"SELECT count(*) FROM lending WHERE item_id = ? AND status = 'out'\", item_id):\n"
            "    raise Rejection.failed_precondition(f\"{item['label']!r} is out.\")\n"
            'lending = db.insert(\n    "lending",\n    lending_id=db.new_id("lending"),\n    item_id=item_id,\n'
            "    neighbour_id=neighbour_id,\n    due_on=add_days(db.today, days),\n)\nreturn _shown(db, lending)"
        )},
        {"tool": "extend_lending", "body": (
            "lending = _out(db, lending_id)\n"
            'return _shown(db, db.update("lending", lending_id, due_on=add_days(lending["due_on"], days)))'
        )},
        {"tool": "take_back", "body": (
            "_out(db, lending_id)\n"
            'return _shown(db, db.update("lending", lending_id, status="back"))'
        )},
    ],
}  # fmt: skip

CODE_NEIGHBOURS: dict[str, Any] = {
    "docstring": "Neighbours and their details.",
    "helpers": "",
    "bodies": [
        {"tool": "find_neighbour", "body": (
            'found = db.first(\n    "SELECT neighbour_id, name, email, phone FROM neighbour '
            'WHERE lower(email) = lower(?)", email\n)\n'
            "if found is None:\n"
            '    raise Rejection.not_found(f"No neighbour has the address {email!r}.")\nreturn found'
        )},
        {"tool": "change_phone", "body": (
            'db.require("neighbour", neighbour_id)\n'
            'return db.update("neighbour", neighbour_id, phone=phone)'
        )},
    ],
}  # fmt: skip


def lending(number: str, item: str, who: str, due_on: str, status: str = "out") -> dict[str, Any]:
    return {"lending_id": number, "item_id": item, "neighbour_id": who, "due_on": due_on, "status": status}


CASES_LENDINGS: dict[str, Any] = {
    "rows": {
        "neighbour": NEIGHBOURS,
        "item": [{"item_id": "I1", "label": "Saw"}, {"item_id": "I2", "label": "Drill"},
                 {"item_id": "I3", "label": "Big saw"}],
        "lending": [lending("L1", "I1", "N1", "2026-05-09"), lending("L2", "I3", "N1", "2026-05-06"),
                    lending("L3", "I2", "N1", "2026-05-01", "back"), lending("L4", "I2", "N2", "2026-05-02", "back")],
    },
    "cases": [
        {"tool": "find_items", "title": "a word is found in any case", "arguments": {"word": "saw"},
         "result": {"items": [{"item_id": "I3", "label": "Big saw"}, {"item_id": "I1", "label": "Saw"}]}},
        {"tool": "add_item", "title": "an item is added", "arguments": {"label": "Rake"},
         "result": {"item_id": "$new:item", "label": "Rake"},
         "changes": [{"table": "item", "added": {"label": "Rake"}}]},
        {"tool": "list_lendings", "title": "the first that is due comes first", "arguments": {"neighbour_id": "N1"},
         "result": {"lendings": [{"lending_id": "L2", "label": "Big saw", "status": "out", "due_on": "2026-05-06"},
                                 {"lending_id": "L1"}]}},
        {"tool": "list_lendings", "title": "an unknown neighbour", "arguments": {"neighbour_id": "N9"},
         "rejects": "NOT_FOUND"},
        {"tool": "lend_item", "title": "an item that is in is lent",
         "arguments": {"neighbour_id": "N2", "item_id": "I2", "days": 3},
         "result": {"label": "Drill", "status": "out", "due_on": "2026-05-07"},
         "changes": [{"table": "lending", "added": {"item_id": "I2", "neighbour_id": "N2", "due_on": "2026-05-07"}}]},
        {"tool": "lend_item", "title": "an item that is out stays out",
         "arguments": {"neighbour_id": "N2", "item_id": "I1", "days": 3}, "rejects": "FAILED_PRECONDITION"},
        {"tool": "lend_item", "title": "an unknown item",
         "arguments": {"neighbour_id": "N2", "item_id": "I9", "days": 3}, "rejects": "NOT_FOUND"},
        {"tool": "lend_item", "title": "an unknown neighbour",
         "arguments": {"neighbour_id": "N9", "item_id": "I2", "days": 3}, "rejects": "NOT_FOUND"},
        {"tool": "extend_lending", "title": "days are added", "arguments": {"lending_id": "L1", "days": 2},
         "result": {"due_on": "2026-05-11"},
         "changes": [{"table": "lending", "key": "L1", "changed": {"due_on": "2026-05-11"}}]},
        {"tool": "extend_lending", "title": "not what is back", "arguments": {"lending_id": "L3", "days": 2},
         "rejects": "FAILED_PRECONDITION"},
        {"tool": "extend_lending", "title": "an unknown lending", "arguments": {"lending_id": "L9", "days": 2},
         "rejects": "NOT_FOUND"},
        {"tool": "take_back", "title": "a lent item comes back", "arguments": {"lending_id": "L1"},
         "result": {"status": "back"}, "changes": [{"table": "lending", "key": "L1", "changed": {"status": "back"}}]},
        {"tool": "take_back", "title": "it is back already", "arguments": {"lending_id": "L3"},
         "rejects": "FAILED_PRECONDITION"},
        {"tool": "take_back", "title": "an unknown lending", "arguments": {"lending_id": "L9"}, "rejects": "NOT_FOUND"},
    ],
}  # fmt: skip

CASES_NEIGHBOURS: dict[str, Any] = {
    "rows": {
        "neighbour": NEIGHBOURS,
    },
    "cases": [
        {"tool": "find_neighbour", "title": "case does not matter", "arguments": {"email": "INES@example.org"},
         "result": {"neighbour_id": "N1", "name": "Ines Park", "phone": "555-0101"}},
        {"tool": "find_neighbour", "title": "an unknown address", "arguments": {"email": "a@example.org"},
         "rejects": "NOT_FOUND"},
        {"tool": "change_phone", "title": "a number is changed",
         "arguments": {"neighbour_id": "N1", "phone": "555-0109"}, "result": {"phone": "555-0109"},
         "changes": [{"table": "neighbour", "key": "N1", "changed": {"phone": "555-0109"}}]},
        {"tool": "change_phone", "title": "an unknown neighbour",
         "arguments": {"neighbour_id": "N9", "phone": "555-0109"}, "rejects": "NOT_FOUND"},
    ],
}  # fmt: skip
