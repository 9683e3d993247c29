"""Put proven tasks of a world together to days at the office, and prove that each item is right by itself.

Each item is a task of another customer, told in one message. What its calls change on the day is what they change
alone, in any order, so that every item is proven as its task was.
"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import partial
from math import ceil
from pathlib import Path
from typing import Any

from generator.day.office import INBOX, make_office
from generator.isolation.job import job
from generator.isolation.process import run_job
from generator.tasks.make import Making, compose_all, limits_of, write_lines
from generator.tasks.plan import CYCLE, NUMBERS_PER_SEED, MadeOf, plan_task
from runtime.domain.changes import Changes
from runtime.domain.domain import Domain
from runtime.domain.load import load_domain
from runtime.domain.people import DECLINE, IDENTIFICATION
from runtime.errors import EnvironmentFault, Rejection, UsageError
from runtime.harness.users.scripted import Speaker
from runtime.session.session import Session
from runtime.session.world import World
from runtime.task.decisions import TaskDecision
from runtime.task.judge import JudgedTask
from runtime.task.mistakes import COMPLIES, REFUSES, fingerprint, mistaken, renumbered
from runtime.task.task import (
    AddedRow,
    Mistake,
    Step,
    Task,
    WorldRecipe,
    expected_rows,
    replay,
    start_world,
)
from runtime.task.task_file import task_line
from runtime.task.user import Form, User, Wish
from runtime.wording import counted

ROWS = 3_000  # of a world, so that it has customers enough
MOST_ITEMS = 80
_LEVELS = (1, 2, 3, 4)
_LARGEST_POOL = 400  # candidates of a day
_DENIED, _BEYOND = 1 / 3, 1 / 10  # of the items
_OFTEN, _SHARE = 2, 0.15  # items that may have the same scenario
_FIRST_HOUR = 6
_TOLD = {"date": "told_date", "money": "told_cents", "number": "told_number", "text": "told_value"}
_ARGUMENTS = {"told_date": "date", "told_cents": "amount_cents", "told_number": "number", "told_value": "value"}
_OPENING = (
    "Good morning. There are {count} messages in the inbox. Please work through all of them before the office closes, "
    "and tell me when you're done."
)
_GREETINGS = {"plain": ("Hi,", "Thanks,"), "formal": ("Good morning,", "Kind regards,"), "casual": ("hi,", "thx")}


def make_days(making: Making, items: int, folder: Path, say: Callable[[str], None] = lambda _: None) -> list[Task]:
    """Make days with so many items each, and write them as the tasks of an office with an inbox in a new folder.

    Errors: UsageError where there are too few different customers, or a day cannot be proven.
    """
    make_office(load_domain(making.folder), folder)
    days: list[Task] = []
    for number in range(making.count):
        said = f"{len(days)} of {counted(making.count, 'day')}"
        found = find_items(making, number, items, partial(_say_share, say, said))
        asked = DayRequest(folder, f"day-of-{items}-s{making.seed}-{number + 1:02d}", found)
        proven = run_job(prove_day, asked, limits_of(20 * items, ROWS))
        if proven.task is None:
            raise UsageError(f"Day {number + 1} of {making.folder.name} cannot be proven: {proven.why}.")
        days.append(proven.task)
    write_lines(folder / "tasks.jsonl", [task_line(day) for day in days])
    return days


def _say_share(say: Callable[[str], None], said: str, ended: int, of: int) -> None:
    say(f"{said}; {ended} of the next {of} candidates tried")


def pool_of(making: Making, day: int, most: int) -> list[list[MadeOf]]:
    """Return candidates of one world, enough for a day; each place has one."""
    first = making.seed * NUMBERS_PER_SEED + day * 500
    world = plan_task(MadeOf(first, 1, rows=ROWS)).world_seed
    numbers = [n for n in range(first, first + 500) if plan_task(MadeOf(n, 1, rows=ROWS)).world_seed == world]
    return [[MadeOf(n, level, rows=ROWS)] for n in numbers for level in _LEVELS][:most]


def find_items(making: Making, day: int, count: int, say: Callable[[int, int], None]) -> list[Task]:
    """Return proven tasks of one world that can be the items of a day, each of another customer, in their order.

    Where there are enough, a third has something denied, and one in ten asks only for what is beyond the tools.
    """
    denied, allowed, beyond = list[Task](), list[Task](), list[Task]()
    callers: set[str] = set()
    touched: set[tuple[str, str]] = set()
    told: Counter[str] = Counter()  # of scenarios
    places = pool_of(making, day, _LARGEST_POOL)
    step = max(CYCLE, 2 * count)
    for start in range(0, len(places), step):
        for composed in compose_all(making, places[start : start + step], say):
            task = composed.task
            if task is None or not composed.holds or str(task.caller) in callers:
                continue
            if max(told[name] for name in composed.scenarios) >= max(_OFTEN, ceil(count * _SHARE)):
                continue
            own = {(row.table, str(row.key)) for row in task.expected if row.kind != "added"}
            item = _beyond_tools(task) or (task if can_be_item(task) and not own & touched else None)
            if item is not None:
                callers.add(str(task.caller))
                told.update(composed.scenarios)
                touched |= own
                (beyond if not item.chain else denied if _denied_by(item) else allowed).append(item)
        if len(denied) >= count * _DENIED and len(denied) + len(allowed) + len(beyond) >= count:
            break
    chosen = [*beyond[: int(count * _BEYOND)], *denied[: ceil(count * _DENIED)]]
    chosen += [*allowed, *denied[ceil(count * _DENIED) :]][: count - len(chosen)]
    if len(chosen) < count:
        raise UsageError(
            f"{making.folder.name} has only {len(chosen)} requests of different customers in a world of {ROWS} rows; "
            f"a day of {count} needs {count}."
        )
    random.Random(f"day {making.seed} {day}").shuffle(chosen)
    return chosen


def _denied_by(item: Task) -> str:
    """Return the first rule under which something of an item is refused; empty if nothing is."""
    return next((str(step.arguments["rule_code"]) for step in item.chain if step.tool == DECLINE), "")


def _beyond_tools(task: Task) -> Task | None:
    """Return what a task's user asks beyond the tools as an item of its own, which has no calls."""
    wishes = [task.user.wishes[wish] for wish in task.user.outside]
    first = [wish.model_copy(update={"words": [_as_opening(each) for each in wish.words]}) for wish in wishes[:1]]
    user = task.user.model_copy(update={"wishes": first})
    return task.model_copy(update={"user": user, "chain": [], "expected": [], "answers": []}) if wishes else None


def _as_opening(words: str) -> str:
    """Return words that came behind other requests as the first ones of a message."""
    rest = words[len("and ") :] if words.lower().startswith("and ") else words
    return rest if words[:1].islower() else rest[:1].upper() + rest[1:]


def can_be_item(task: Task) -> bool:
    """Return True if a task can be told in one message, and its answer given in a closed form."""
    wishes = task.user.wishes
    answers = [answer for answer in task.answers if answer.kind != "account"]
    told = [_TOLD.get(answer.kind) for answer in answers]
    return (
        task.caller is not None
        and not (task.added or task.ends or task.checks)
        and all(wish.otherwise is None and wish.amends is None for wish in wishes)
        and all(wish.form != "outside" for wish in wishes)
        and None not in told
        and len(set(told)) == len(told)
        and all(answer.kind != "money" or answer.minor == 100 for answer in answers)
        and all(answer.kind != "number" or isinstance(answer.value, int) for answer in answers)
    )


@dataclass(frozen=True)
class DayRequest:
    """The items of a day, and the folder of the office with an inbox."""

    folder: Path
    name: str
    items: list[Task]


@dataclass(frozen=True)
class ProvenDay:
    """A day as a task of the office, or why it is none."""

    task: Task | None
    why: str = ""


@job("prove a day")
def prove_day(asked: DayRequest) -> ProvenDay:
    """Put a day together and prove it; errors: BrokenDomain."""
    office = load_domain(asked.folder)
    try:
        return ProvenDay(compose_day(office, asked.name, asked.items))
    except UsageError as error:
        return ProvenDay(None, str(error))


def compose_day(office: Domain, name: str, items: Sequence[Task]) -> Task:
    """Return a day of some items that arrive in their order; errors: UsageError where it cannot be proven."""
    added = [_message(office, number, len(items), item) for number, item in enumerate(items)]
    chains = [_chain_of(number, item) for number, item in enumerate(items)]
    first = items[0]
    task = Task(
        format=2,
        id=name,
        domain=office.name,
        title=f"A day with {len(items)} messages",
        split=first.split,
        world=WorldRecipe(seed=first.world.seed, size=first.world.size, ids=first.world.ids),
        added=added,
        user=User(
            profile="The manager of the office. Brief.",
            opens=_OPENING.format(count=len(items)),
            wishes=[_wish_of(number, item) for number, item in enumerate(items)],
        ),
        chain=_joined(chains),
        policies={name: policy for item in items for name, policy in item.policies.items()},
        texts={text: each for item in items for text, each in item.texts.items()},
        decisions=[_decision(number, item) for number, item in enumerate(items)],
        difficulty={"complexity": 5, "items": len(items), "steps": sum(map(len, chains))},
    )
    world = start_world(task, office)
    task = task.model_copy(update={"world": task.world.model_copy(update={"digest": f"{world.digest:032x}"})})
    changes = _end_of(office, world, task.chain)
    task = task.model_copy(update={"expected": expected_rows(changes, office)})
    _prove_apart(office, world, task, items)
    _prove_orders(office, world, task, chains)
    task = task.model_copy(update={"mistakes": list(_mistakes(office, world, task, items, chains))})
    proofs = {"items": len(items), "orders": 2, "mistakes": len(task.mistakes)}
    return task.model_copy(update={"proofs": proofs})


def _message(office: Domain, number: int, count: int, item: Task) -> AddedRow:
    """Return the message that tells an item."""
    now = datetime.fromisoformat(office.now)
    start = min(now.replace(hour=_FIRST_HOUR, minute=0, second=0), now - timedelta(hours=1))
    arrived = start + (now - start) * number / (count + 1)
    wishes = item.user.wishes
    name = item.user.profile.split(".")[0]
    greeting, closing = _GREETINGS[item.user.speech]
    speaker = Speaker(item.user, number)
    proofs = [fact for fact in item.user.facts if fact.proves and fact.said != name]
    parts = [greeting, *(_said(wish, speaker) for wish in wishes), speaker.tell(proofs), f"{closing}\n{name}"]
    columns: dict[str, Any] = {
        "message_id": _id_of(number),
        "arrived_at": arrived.strftime("%Y-%m-%d %H:%M:00"),
        "sender_name": name,
        "subject": _subject(wishes),
        "body": "\n\n".join(part for part in parts if part),
        "state": "new",
    }
    return AddedRow(table=INBOX, columns=columns)


def _said(wish: Wish, speaker: Speaker) -> str:
    """Return a request with all that its user would tell when asked."""
    kept = [fact for fact in wish.facts if fact.withheld and not fact.proves and fact.name not in ("name", "my name")]
    return " ".join([wish.words[0], *([speaker.tell(kept)] if kept else [])])


def _id_of(number: int) -> str:
    return f"MESSAGE-{number + 1:03d}"


def _subject(wishes: Sequence[Wish]) -> str:
    words = (wishes[0].short or wishes[0].words[0]).split()
    text = " ".join(words[:7])
    text = text[0].upper() + text[1:]
    return f"{text} ..." if len(words) > 7 or len(wishes) > 1 else text


def _chain_of(number: int, item: Task) -> list[Step]:
    """Return the calls of an item: its message is read, its task is done, and it is answered or set aside."""
    read = Step(tool="read_message", arguments={"message_id": _id_of(number)}, wish=number)
    if not item.chain:
        aside = {"message_id": _id_of(number), "reason": "beyond_tools"}
        return [read, Step(tool="set_aside", arguments=aside, wish=number)]
    own = [
        step.model_copy(update={"arguments": renumbered(step.arguments, _Shifted(1)), "wish": number})
        for step in item.chain
    ]
    told: dict[str, Any] = {
        _ARGUMENTS[_TOLD[answer.kind]]: answer.value for answer in item.answers if answer.kind != "account"
    }
    said = {"message_id": _id_of(number), "outcome": _outcome(item), "text": "Your message was taken care of.", **told}
    return [read, *own, Step(tool="reply", arguments=said, wish=number)]


def _outcome(item: Task) -> str:
    """Return what became of all that a message asks."""
    done = [bool(wish.writes) if wish.acts else True for wish in item.user.wishes]
    refused = [bool(wish.acts and (wish.refusals or not wish.writes)) for wish in item.user.wishes]
    return "done" if not any(refused) else "partly" if any(done) else "declined"


class _Shifted(dict[int, int]):
    """The numbers of steps, all moved on."""

    def __init__(self, by: int) -> None:
        super().__init__()
        self._by = by

    def __missing__(self, number: int) -> int:
        return number + self._by


def _joined(chains: Sequence[Sequence[Step]]) -> list[Step]:
    """Return the calls of all items, one item after another."""
    found: list[Step] = []
    for chain in chains:
        moved = _Shifted(len(found))
        found += [step.model_copy(update={"arguments": renumbered(step.arguments, moved)}) for step in chain]
    return found


def _wish_of(number: int, item: Task) -> Wish:
    """Return an item as a wish that a message tells."""
    form: Form = "denied" if _denied_by(item) else "direct"
    short = item.user.wishes[0].short or item.user.wishes[0].words[0]
    proofs = [fact for fact in item.user.facts if fact.proves]
    return Wish(words=[short], short=short, form=form, joined=bool(number), facts=proofs)


def _decision(number: int, item: Task) -> TaskDecision:
    rule = _denied_by(item)
    return TaskDecision(wish=number, decides="denied" if rule else "allowed", rule=rule)


def _end_of(office: Domain, world: World, chain: Sequence[Step]) -> Changes:
    with Session(office, world) as session:
        try:
            replay(session, chain)
        except (Rejection, EnvironmentFault) as error:
            raise UsageError(f"an item's calls do not go through on the day: {error}") from error
        return session.changes


def _prove_apart(office: Domain, world: World, task: Task, items: Sequence[Task]) -> None:
    """Find that each item changes on the day what it changes alone."""
    here = {(row.table, str(row.key)): row for row in task.expected}
    added: dict[str, int] = {}
    for item in items:
        for row in item.expected:
            if row.kind == "added" and row.table != IDENTIFICATION:
                added[row.table] = added.get(row.table, 0) + 1
            elif row.kind != "added" and here.get((row.table, str(row.key))) != row:
                raise UsageError(f"on the day, {row.table} {row.key!r} is changed otherwise than by {item.id!r} alone")
    for table, count in added.items():
        now = sum(row.kind == "added" and row.table == table for row in task.expected)
        if now != count:
            raise UsageError(f"on the day, {now} rows of {table} are new, not {count}")


def _prove_orders(office: Domain, world: World, task: Task, chains: Sequence[Sequence[Step]]) -> None:
    """Find that the items end right in two other orders."""
    judged = JudgedTask(task, office, world)
    mixed = list(chains)
    random.Random(task.id).shuffle(mixed)
    for order in (chains[::-1], mixed):
        if not judged.is_rewarded(_end_of(office, world, _joined(order))):
            raise UsageError("in another order of its items the day ends otherwise")


def _mistakes(
    office: Domain, world: World, task: Task, items: Sequence[Task], chains: Sequence[Sequence[Step]]
) -> Iterator[Mistake]:
    """Yield what happens where an item is decided the other way: a rule broken, or what is allowed refused."""
    judged, first = JudgedTask(task, office, world), 0
    for number, (item, chain) in enumerate(zip(items, chains, strict=True)):
        for each in item.mistakes:
            if each.name in (COMPLIES, REFUSES):
                yield from _mistake(office, world, judged, each, first + 1, number)
        first += len(chain)


def _mistake(
    office: Domain, world: World, judged: JudgedTask, own: Mistake, shift: int, number: int
) -> Iterator[Mistake]:
    moved = _Shifted(shift)
    turn = [
        step.model_copy(update={"arguments": renumbered(step.arguments, moved), "wish": number}) for step in own.turn
    ]
    made = Mistake(name=own.name, start=own.start + shift, stop=own.stop + shift, turn=turn, end="")
    with Session(office, world) as session:
        try:
            replay(session, mistaken(judged.task, [made]).chain)
        except (Rejection, EnvironmentFault):
            return
        changes = session.changes
    if judged.is_rewarded(changes):
        raise UsageError(f"item {number + 1} decided wrongly is rewarded")
    end = fingerprint(changes, {}, office.schema, judged.policies)
    yield made.model_copy(update={"end": end})
