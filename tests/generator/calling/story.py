"""What neighbours say: scenarios with their requests in three registers."""

from __future__ import annotations

from typing import Any

BORROW = """
item = story.pick("item", "item_id NOT IN (SELECT item_id FROM lending WHERE status = 'out')")
story.pick("neighbour", f"{OUT} < 3", mine=True)
days = story.choose("days", [3, 5, 8])
story.wish(
    (
        "Can I get the {label} for {days} days? What's the last day?",
        "I would like to borrow the {label} for {days} days. Could you please tell me the last day?",
        "need the {label} for {days} days, what's the last day then",
    ),
    short="lending me the {label} for {days} days and telling me the last day",
    label=item["label"],
    days=days,
)
me = story.identify()
items = story.call("find_items", word=item["label"])["items"]
wanted = story.find(items, label=item["label"])
lending = story.call("lend_item", neighbour_id=me, item_id=wanted["item_id"], days=days)
story.answer("last day", lending["due_on"])
"""

RETURN = """
lending = story.pick("lending", "status = 'out'", unique_by=["neighbour_id", "item_id.label", "status"], mine=True)
label = story.row("item", lending["item_id"])["label"]
story.wish(
    ("I brought the {label} back. Please check it in.", "Please check in the {label}.", "here's the {label} back"),
    short="checking in the {label}",
    label=label,
)
lendings = story.call("list_lendings", neighbour_id=story.identify())["lendings"]
story.call("take_back", lending_id=story.find(lendings, label=label)["lending_id"])
"""

PHONE = """
story.pick("neighbour", "phone IS NOT NULL", mine=True)
phone = story.choose("phone", ["555-7301", "555-7319", "555-7337"])
story.wish(
    (
        "My new phone number is {phone}, please write it down.",
        "I have a new phone number, {phone}. Could you please note it?",
        "got a new phone, it's {phone}, jot that down",
    ),
    short="changing my phone number to {phone}",
    phone=phone,
)
story.call("change_phone", neighbour_id=story.identify(), phone=phone)
"""

GIVE = """
label = story.choose("label", ["Snow shovel", "Paint roller", "Hedge trimmer"])
story.wish(
    ("I'd like to give the shed a {label}.", "I would like to donate a {label}.", "got a {label} for the shed"),
    short="adding a {label} to the shed",
    label=label,
)
story.identify()
story.call("add_item", label=label)
"""

EXTEND = """
lending = story.pick("lending", "status = 'out' AND due_on BETWEEN ? AND ?", story.day(-3), story.day(6), mine=True)
item = story.row("item", lending["item_id"])
days = story.choose("days", DAYS)
keep = story.wish(
    (
        "I need the {label} for {days} more days.",
        "Could I please keep the {label} for {days} more days?",
        "still need the {label}, {days} more days",
    ),
    short="extending the {label} by {days} days",
    label=item["label"],
    days=days,
)
story.insists(keep, ("Nobody would mind, right?", "I do not think anyone would mind.", "nobody's gonna mind"))
lendings = story.call("list_lendings", neighbour_id=story.identify())["lendings"]
mine = story.find(lendings, label=item["label"])
if story.permits("extend_lending", lending_id=mine["lending_id"], days=days):
    story.call("extend_lending", lending_id=mine["lending_id"], days=days)
else:
    story.decline(keep)
"""

WITHHELD = """
lending = story.pick("lending", "status = 'out' AND due_on >= ?", story.today, mine=True)
item = story.row("item", lending["item_id"])
keep = story.wish(
    (
        "WORDS keep the {label} for some more days.",
        "WORDS_FORMAL keep the {label} for some more days.",
        "not done with the {label}, need it some more days",
    ),
    label=item["label"],
)
days = story.choose("days", [2, 3, 4, 6, 9])
story.keep_back("days", days)
story.in_short(keep, "extending the {label} by {days} days", label=item["label"], days=days)
lendings = story.call("list_lendings", neighbour_id=story.identify())["lendings"]
mine = story.find(lendings, label=item["label"])
story.call("extend_lending", lending_id=mine["lending_id"], days=days)
"""

CONDITIONS = {
    "OUT": """
    (SELECT count(*) FROM lending AS own WHERE own.neighbour_id = neighbour.neighbour_id AND own.status = 'out')
    """
}


def scenarios(form: str = "direct", rule: str = "", **bodies: str) -> list[dict[str, Any]]:
    return [
        {"name": name, "wish": "A wish.", "form": form, "rule": rule, "body": body} for name, body in bodies.items()
    ]


def leave_out(*names: str) -> dict[str, Any]:
    return {"left_out": dict.fromkeys(names, "This trade knows nothing of the kind.")}
