"""A small domain of things to count, with some tools that a task had better not use, and scenarios on it."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from runtime.domain.domain import Domain
from runtime.task.story import Story
from tests.making import make_domain

THINGS = '''
class Thing(TypedDict):
    thing_id: Annotated[str, "Which one"]
    label: Annotated[str, "What it is called"]
    amount: Annotated[int | None, "How many"]


def _shown(row):
    return {"thing_id": row["thing_id"], "label": row["label"], "amount": row["amount"]}


@tool(reads=["thing"], rejects=["NOT_FOUND"])
def find_thing(db: Database, label: Annotated[str, "What it is called"]) -> Thing:
    """Find a thing."""
    row = db.first("SELECT * FROM thing WHERE label = ?", label)
    if row is None:
        raise Rejection.not_found(f"No thing is called {label!r}.")
    return _shown(row)


@tool(writes=["thing"], rejects=["NOT_FOUND"])
def set_amount(
    db: Database, thing_id: Annotated[str, "Which one"], amount: Annotated[int, "How many"]
) -> Thing:
    """Say how many there are."""
    db.require("thing", thing_id)
    return _shown(db.update("thing", thing_id, amount=amount))


@tool(writes=["thing"], rejects=["NOT_FOUND"])
def describe_thing(
    db: Database,
    thing_id: Annotated[str, "Which one"],
    label: Annotated[str, "What to call it"],
    amount: Annotated[int | None, "How many, if it changed"] = None,
) -> Thing:
    """Call a thing something else."""
    row = db.require("thing", thing_id)
    return _shown(db.update("thing", thing_id, label=label, amount=amount or row["amount"]))


@tool(writes=["thing"])
def queue_thing(db: Database, label: Annotated[str, "What to call it"]) -> Thing:
    """Add a thing, numbered by how many there are."""
    count = db.value("SELECT count(*) FROM thing")
    return _shown(db.insert("thing", thing_id=db.new_id("thing"), label=label, amount=count + 1))


@tool(writes=["thing"])
def stamp_thing(db: Database, label: Annotated[str, "What to call it"]) -> Thing:
    """Add a thing, named by its number."""
    key = db.new_id("thing")
    return _shown(db.insert("thing", thing_id=key, label=f"{label} {key}"))
'''
WORLD = '''"""Things."""


def populate(world):
    for number in range(world.size // 10):
        world.insert("thing", label=f"Thing {number}", amount=number)
'''


def make_things(folder: Path, more: str = "") -> Domain:
    """The domain, with more tools if there are some."""
    return make_domain(folder, tools=THINGS + more, world=WORLD)


def set_amounts(story: Story, amounts: Sequence[int]) -> None:
    """Set the amounts of the first things, one after another."""
    for number, amount in enumerate(amounts):
        thing = story.pick("thing", "amount = ?", number)
        wanted = story.choose(f"amount {number}", (amount,))
        story.tell("There are {amount} of {label}.", amount=wanted, label=thing["label"])
        found = story.call("find_thing", label=thing["label"])
        story.call("set_amount", thing_id=found["thing_id"], amount=wanted)


def queue_things(story: Story) -> None:
    """Add two things whose numbers depend on their order."""
    for label in (story.choose("first", ("Screws",)), story.choose("second", ("Nails",))):
        story.tell("Put {label} on the list.", label=label)
        story.call("queue_thing", label=label)
