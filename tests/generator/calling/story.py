"""What neighbours say: scenarios and their wordings."""

from __future__ import annotations

from typing import Any

BORROW = """
item = story.pick("item", "item_id NOT IN (SELECT item_id FROM lending WHERE status = 'out')")
story.pick(
    "neighbour",
    "(SELECT count(*) FROM lending AS own WHERE own.neighbour_id = neighbour.neighbour_id AND own.status = 'out') < 3",
    mine=True,
)
days = story.choose("days", [3, 5, 8])
story.wish("Could I have the {label} for {days} days, please? What's the last day?", label=item["label"], days=days)
me = story.identify()
items = story.call("find_items", word=item["label"])["items"]
wanted = story.find(items, label=item["label"])
lending = story.call("lend_item", neighbour_id=me, item_id=wanted["item_id"], days=days)
story.answer("last day", lending["due_on"])
"""

RETURN = """
lending = story.pick("lending", "status = 'out'", mine=True)
item = story.row("item", lending["item_id"])
story.wish("Here is the {label} back.", label=item["label"])
lendings = story.call("list_lendings", neighbour_id=story.identify())["lendings"]
mine = story.find(lendings, label=item["label"])
story.call("take_back", lending_id=mine["lending_id"])
"""

PHONE = """
story.pick("neighbour", "phone IS NOT NULL", mine=True)
phone = story.choose("phone", ["555-7301", "555-7319", "555-7337"])
story.wish("My new phone number is {phone}, please write it down.", phone=phone)
story.call("change_phone", neighbour_id=story.identify(), phone=phone)
"""

GIVE = """
label = story.choose("label", ["Snow shovel", "Paint roller", "Hedge trimmer"])
story.wish("I'd like to give the shed a {label}.", label=label)
story.identify()
story.call("add_item", label=label)
"""

EXTEND = """
lending = story.pick("lending", "status = 'out' AND due_on BETWEEN ? AND ?", story.day(-3), story.day(6), mine=True)
item = story.row("item", lending["item_id"])
days = story.choose("days", DAYS)
keep = story.wish("I need the {label} for {days} more days.", label=item["label"], days=days)
story.insists(keep, story.choose("plea", ["Nobody would mind, surely?", "Your colleague let me do that last week."]))
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
story.wish("WORDS", label=item["label"])
days = story.choose("days", [2, 3, 4, 6, 9])
story.keep_back("days", days)
lendings = story.call("list_lendings", neighbour_id=story.identify())["lendings"]
mine = story.find(lendings, label=item["label"])
story.call("extend_lending", lending_id=mine["lending_id"], days=days)
"""


def scenarios(form: str = "direct", **bodies: str) -> list[dict[str, Any]]:
    return [{"name": name, "wish": "A wish.", "form": form, "body": body} for name, body in bodies.items()]


def leave_out(*forms: str) -> dict[str, Any]:
    return {"left_out": dict.fromkeys(forms, "This trade knows nothing of the kind.")}


def _worded(*wishes: tuple[str, str]) -> list[dict[str, Any]]:
    return [{"number": number, "formal": formal, "casual": casual} for number, (formal, casual) in enumerate(wishes, 1)]


def worded(**wishes: list[dict[str, Any]]) -> dict[str, Any]:
    """The answer of a writer of wordings."""
    return {"scenarios": [{"name": name, "wishes": own} for name, own in wishes.items()]}


WORDINGS: dict[str, list[dict[str, Any]]] = {
    "borrow_an_item": _worded((
        "I would like to borrow the {label} for {days} days. Would you also tell me which is the last day?",
        "can i grab the {label}, {days} days? what's the last day then",
    )),
    "bring_an_item_back": _worded(("I am returning the {label} to you.", "dropping off the {label}")),
    "give_a_new_number": _worded((
        "Would you kindly note that {phone} is my new phone number?",
        "got a new phone, it's {phone}, jot that down",
    )),
    "give_an_item": _worded(("I wish to present the shed with a {label}.", "got a {label} for the shed")),
    "extend_a_lending": _worded((
        "I would be grateful if I could keep the {label} for another {days} days.",
        "still need the {label}, {days} days more",
    )),
    "extend_it_a_little": _worded((
        "I would be grateful if I could keep the {label} for another {days} days.",
        "still need the {label}, {days} days more",
    )),
    "keep_it_longer": _worded((
        "I would be grateful if I could keep the {label} for some more days.",
        "not done with the {label}, need it some days more",
    )),
    "keep_it_for_a_job": _worded((
        "The work takes longer than I thought; may I keep the {label} for some further days?",
        "job's not done, can i hold on to the {label} for some days",
    )),
}  # fmt: skip
