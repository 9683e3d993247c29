"""Put proven tasks of a world together to days at the office, and prove that each message is right by itself.

What the calls of a task change on the day is what they change alone, in any order that the policy allows, so that every
message is proven as its task was.
"""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from generator.day.arrivals import Arrivals, Letter, arrive, place
from generator.day.items import ItemsRequest, find_items
from generator.day.messages import Group, Thread, body_of, name_of, step_of_day
from generator.day.office import INBOX, make_office
from generator.isolation.job import job
from generator.isolation.process import run_jobs
from generator.tasks.make import Making, limits_of, write_lines
from runtime.domain.changes import Changes
from runtime.domain.domain import Domain
from runtime.domain.load import load_domain
from runtime.domain.locale import AMERICAN
from runtime.domain.waiting import WAIT
from runtime.errors import EnvironmentFault, Rejection, UsageError
from runtime.session.session import Session
from runtime.task.decisions import TaskDecision
from runtime.task.judge import JudgedTask
from runtime.task.mistakes import NEWEST, TAKES_ALONE, fingerprint, mistaken
from runtime.task.task import (
    AddedRow,
    ExpectedRow,
    Mistake,
    Step,
    Task,
    WorldRecipe,
    expected_rows,
    replay,
    start_world,
)
from runtime.task.task_file import task_line
from runtime.task.user import User, Wish
from runtime.wording import counted

MOST_ITEMS = 80
_ROWS = (3_000, 6_000, 12_000)  # of a world: a larger one where too few customers ask for what goes together
_OPENING = (
    "Good morning. There are {count} messages in the inbox. Please work through all of them before the office closes, "
    "and tell me when you're done."
)
_OPENING_TO_MORE = (
    "Good morning. There are {count} messages in the inbox, and more will come in until we close at {hour} PM. Please "
    "work through all of them today, and tell me when you're done."
)


def make_days(
    making: Making, sizes: Sequence[int], folder: Path, say: Callable[[str], None] = lambda _: None
) -> list[Task]:
    """Make days with so many messages each, and write them as the tasks of an office with an inbox in a new folder.

    Of several sizes, the shorter days have some of the requests of the longest one. Errors: UsageError where there are
    too few different customers, or a day cannot be proven.
    """
    domain = load_domain(making.folder)
    if domain.locale.unit != AMERICAN.unit:
        raise UsageError(
            f"Domain {domain.name!r} holds amounts in {domain.locale.unit}, and an inbox is answered in cents; "
            "take an office whose currency has cents."
        )
    make_office(domain, folder)
    ended: list[int] = []

    def tell(at: int) -> None:
        ended.append(at)
        say(f"{len(ended) * len(sizes)} of {counted(making.count * len(sizes), 'day')}")

    asked = [DayRequest(making.folder, folder, making.seed, day, sorted(sizes)) for day in range(making.count)]
    limits = limits_of(30 * sum(sizes), _ROWS[-1])
    made = run_jobs(make_day, asked, limits, making.processes or os.cpu_count(), proven=tell)
    days = [task for place in range(len(sizes)) for each in made for task in each.tasks[place : place + 1]]
    write_lines(folder / "tasks.jsonl", [task_line(task) for task in days])
    return days


@dataclass(frozen=True)
class DayRequest:
    """A domain folder and its office with an inbox, the number of a day from 0, and how many messages it may have."""

    folder: Path
    office: Path
    seed: int
    day: int
    sizes: list[int]


@dataclass(frozen=True)
class ProvenDays:
    """A day in each of its sizes, as tasks of the office."""

    tasks: list[Task]


@job("day")
def make_day(asked: DayRequest) -> ProvenDays:
    """Find the items of a day, put it together and prove it; errors: BrokenDomain, UsageError."""
    most, office, why = asked.sizes[-1], load_domain(asked.office), ""
    for rows in _ROWS:
        found = find_items(ItemsRequest(asked.folder, asked.seed, asked.day, most, rows))
        if found.messages < most:
            why = (
                f"{asked.folder.name} has only requests for {found.messages} messages of different customers in a "
                f"world of {rows} rows; a day of {most} needs {most}."
            )
            continue
        days = []
        try:
            for size in asked.sizes:
                part = found.part(size) if size < most else found
                name = f"day-of-{part.messages}-s{asked.seed}-{asked.day + 1:02d}"
                days.append(compose_day(office, name, list(part.groups(office))))
            return ProvenDays(days)
        except UsageError as error:  # what some messages ask for depends on what others do; another world has others
            why = f"Day {asked.day + 1} of {asked.folder.name} cannot be proven: {error}."
    raise UsageError(why)


@dataclass(frozen=True)
class _Placed:
    """The letters of a day in the order in which they arrive."""

    groups: Sequence[Group]
    letters: Sequence[Letter]
    arrivals: Arrivals

    def number(self, group: int, thread: int, letter: int) -> int:
        return self.letters.index((group, thread, letter))

    def chain(self, order: Sequence[Letter], *, waits: bool = False) -> tuple[list[Step], dict[Letter, int]]:
        """Return the calls of letters in an order, and the number of each by its group, thread and number there.

        With `waits` each letter that comes in during the day is waited for; else all of them have to be there.
        """
        steps: list[Step] = []
        at: dict[Letter, int] = {}
        for group, thread, letter in order:
            number = self.number(group, thread, letter)
            if waits and self.arrivals.is_late(number):
                steps.append(Step(tool=WAIT, arguments={"until": str(self.arrivals.closes)}, wish=number))
            for own, step in enumerate(self.groups[group][thread].chain):
                if step.wish == letter:
                    moved = {n: to for (g, t, n), to in at.items() if (g, t) == (group, thread)}
                    at[group, thread, own] = len(steps)
                    steps.append(step_of_day(step, moved, number, _id_of(number)))
        return steps, at


def compose_day(office: Domain, name: str, groups: Sequence[Group]) -> Task:
    """Return a day of messages in a drawn order; errors: UsageError where it cannot be proven."""
    drawn = f"{office.name} {name}"
    placed = _Placed(groups, *arrive(groups, office.now, drawn))
    threads = [(groups[g][t], letter) for g, t, letter in placed.letters]
    chain, at = placed.chain(placed.letters, waits=True)
    items = [thread.item for group in groups for thread in group]
    first = items[0]
    denied = sum(thread.letters[letter].decides == "denied" for thread, letter in threads)
    arrivals = placed.arrivals
    clock = arrivals.plan([name_of(thread) for thread, _ in threads])
    opening = _OPENING if clock is None else _OPENING_TO_MORE
    task = Task(
        format=2,
        id=name,
        domain=office.name,
        title=f"A day with {len(threads)} messages",
        split=first.split,
        world=WorldRecipe(seed=first.world.seed, size=first.world.size, ids=first.world.ids),
        clock=clock,
        added=[_message(placed, number) for number in range(len(threads))],
        user=User(
            profile="The manager of the office. Brief.",
            opens=opening.format(count=arrivals.early, hour=arrivals.closes.hour - 12),
            wishes=[_wish_of(placed, number) for number in range(len(threads))],
        ),
        chain=chain,
        policies={name: policy for item in items for name, policy in item.policies.items()},
        texts={text: each for item in items for text, each in item.texts.items()},
        decisions=[_decision(placed, number) for number in range(len(threads))],
        difficulty={"complexity": 5, "items": len(threads), "steps": len(chain), "denied": denied}
        | ({"late": len(threads) - arrivals.early} if clock is not None else {}),
    )
    world = start_world(task, office)
    task = task.model_copy(update={"world": task.world.model_copy(update={"digest": f"{world.digest:032x}"})})
    with Session(office, world, strict=True) as session:
        task = task.model_copy(update={"expected": expected_rows(_end_of(session, chain), office)})
        judged = JudgedTask(task, office, world)
        _prove_apart(session, task, placed)
        for order in (sorted(placed.letters, key=lambda each: (-each[0], *each[1:])), place(groups, f"order {drawn}")):
            if not judged.is_rewarded(_end_of(session, placed.chain(order)[0], waited=True)):
                raise UsageError("in another order of its messages the day ends otherwise")
    with Session(office, world) as session:
        mistakes = list(_Mistakes(session, judged, placed, at).find())
    proofs = {"items": len(threads), "orders": 2 + len(groups), "mistakes": len(mistakes)}
    return task.model_copy(update={"mistakes": mistakes, "proofs": proofs})


def _message(placed: _Placed, number: int) -> AddedRow:
    """Return a message of the inbox; one that comes in later is there and not shown until then."""
    group, first, letter = placed.letters[number]
    thread = placed.groups[group][first]
    subject = thread.letters[letter].subject
    columns: dict[str, Any] = {
        "message_id": _id_of(number),
        "arrived_at": str(placed.arrivals.times[number]),
        "sender_name": name_of(thread),
        "subject": f"Re: {thread.letters[0].subject}" if letter and number % 2 else subject,
        "body": body_of(thread, thread.letters[letter], number),
        "state": "new",
    }
    return AddedRow(table=INBOX, columns=columns)


def _id_of(number: int) -> str:
    return f"MESSAGE-{number + 1:03d}"


def _wish_of(placed: _Placed, number: int) -> Wish:
    """Return a message as a wish that it tells."""
    group, thread, letter = placed.letters[number]
    own = placed.groups[group][thread]
    told = own.letters[letter]
    proofs = [fact for fact in own.item.user.facts if fact.proves] if not letter else []
    amends = placed.number(group, thread, letter - 1) if told.amends else None
    return Wish(words=[told.short], short=told.short, form=told.form, facts=proofs, amends=amends)


def _decision(placed: _Placed, number: int) -> TaskDecision:
    group, thread, letter = placed.letters[number]
    own = placed.groups[group][thread]
    told, after = own.letters[letter], [by for each, by in own.after if each == letter]
    numbers = [placed.number(group, thread, by) for by in after] + [placed.number(group, 0, 0)] * thread
    return TaskDecision(wish=number, decides=told.decides, rule=told.rule, after=numbers)


def _end_of(session: Session, chain: Sequence[Step], *, waited: bool = False) -> Changes:
    """Return what a chain changes, once all messages are in if that was `waited` for."""
    session.reset()
    if waited:
        session.settle()
    _do(session, chain)
    return session.changes


def _do(session: Session, chain: Sequence[Step]) -> None:
    try:
        replay(session, chain)
    except (Rejection, EnvironmentFault) as error:
        raise UsageError(f"a message's calls do not go through on the day: {error}") from error


def _prove_apart(session: Session, task: Task, placed: _Placed) -> None:
    """Find that all messages together change what each thread, or two rivals, change alone."""
    here = {_row_of(row): _compared(row, session.domain) for row in task.expected if row.kind != "added"}
    new = Counter(row.table for row in task.expected if row.kind == "added")
    for number, group in enumerate(placed.groups):
        chain, _ = placed.chain([each for each in placed.letters if each[0] == number])
        for row in expected_rows(_end_of(session, chain, waited=True), session.domain):
            if row.kind == "added":
                new[row.table] -= 1
            elif here.pop(_row_of(row), None) != _compared(row, session.domain):
                raise UsageError(
                    f"on the day, {row.table} {row.key!r} is changed otherwise than by {group[0].item.id!r} alone"
                )
    for table, key in here:
        raise UsageError(f"on the day, {table} {key} is changed, which no message changes alone")
    for table in (table for table, count in new.items() if count):
        raise UsageError(f"on the day, there are {new[table]:+} new rows of {table} beside those of each message")


def _compared(row: ExpectedRow, office: Domain) -> dict[str, Any]:
    """Return the columns of a changed row that are compared, whatever the time of the call."""
    return {
        name: value for name, value in row.columns.items() if office.policies.of(row.table, name).policy != "generated"
    }


def _row_of(row: ExpectedRow) -> tuple[str, str]:
    return row.table, str(row.key)


class _Mistakes:
    """Finds what happens where one message is decided otherwise, once all others are done."""

    def __init__(self, session: Session, judged: JudgedTask, placed: _Placed, at: Mapping[Letter, int]) -> None:
        self._session, self._judged, self._placed, self._at = session, judged, placed, at

    def find(self) -> Iterator[Mistake]:
        self._session.reset()
        self._session.settle()
        yield from self._among(list(range(len(self._placed.groups))))

    def _among(self, groups: list[int]) -> Iterator[Mistake]:
        """Yield the mistakes in some groups, where all others are done: halves are done once for the other half."""
        if len(groups) == 1:
            yield from self._in_group(groups[0])
            return
        half, before = len(groups) // 2, self._session.snapshot()
        for left, others in ((groups[:half], groups[half:]), (groups[half:], groups[:half])):
            chain, _ = self._placed.chain([each for each in self._placed.letters if each[0] in others])
            _do(self._session, chain)
            yield from self._among(left)
            self._session.restore(before)

    def _in_group(self, number: int) -> Iterator[Mistake]:
        group, before = self._placed.groups[number], self._session.snapshot()
        own = [each for each in self._placed.letters if each[0] == number]
        if self._judged.is_rewarded(before.changes):
            raise UsageError(f"without {group[0].item.id!r} the day is rewarded, too")
        self._do(number, group, own)
        if not self._judged.is_rewarded(self._session.changes):
            raise UsageError(f"the day ends otherwise if {group[0].item.id!r} comes last")
        newest = [[each for each in thread.mistakes if each.name == NEWEST] for thread in group]
        if all(newest):
            self._session.restore(before)
            turned = tuple(self._with(thread, each) for thread, (each,) in zip(group, newest, strict=True))
            self._do(number, turned, sorted(own, key=lambda letter: -letter[1]))
            for at, (each,) in enumerate(newest):
                yield self._found(number, at, each)
        for at, thread in enumerate(group):
            taken: set[tuple[str, int]] = set()
            for each in thread.mistakes:
                if each.name == NEWEST or (each.name, each.start) in taken:
                    continue
                self._session.restore(before)
                try:
                    self._do(number, (*group[:at], self._with(thread, each), *group[at + 1 :]), own)
                except UsageError:
                    continue  # a tool does not let anybody make it
                if each.name == TAKES_ALONE and self._judged.is_rewarded(self._session.changes):
                    continue  # to do it again changes nothing
                taken.add((each.name, each.start))
                yield self._found(number, at, each)

    def _do(self, number: int, group: Group, order: Sequence[Letter]) -> None:
        groups = [*self._placed.groups[:number], group, *self._placed.groups[number + 1 :]]
        _do(self._session, replace(self._placed, groups=groups).chain(order)[0])

    def _with(self, thread: Thread, made: Mistake) -> Thread:
        stub = self._judged.task.model_copy(update={"chain": list(thread.chain), "answers": []})
        return replace(thread, chain=tuple(mistaken(stub, [made]).chain))

    def _found(self, group: int, thread: int, own: Mistake) -> Mistake:
        """Return a mistake of a thread as one of the day, which now has been made on the session."""
        changes = self._session.changes
        if self._judged.is_rewarded(changes):
            raise UsageError(f"{self._placed.groups[group][thread].item.id!r} decided wrongly is rewarded")
        start = self._at[group, thread, own.start]
        moved = {n: at for (g, t, n), at in self._at.items() if (g, t) == (group, thread) and n < own.start}
        moved |= {own.start + at: start + at for at in range(len(own.turn))}
        turn = []
        for step in own.turn:
            number = self._placed.number(group, thread, step.wish)
            turn.append(step_of_day(step, moved, number, _id_of(number)))
        end = fingerprint(changes, {}, self._session.domain.schema, self._judged.policies)
        return Mistake(name=own.name, start=start, stop=start + own.stop - own.start, turn=turn, end=end)
