"""Tell scenarios one after another on one session of a world, and find out whether one user can tell them all."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, fields, replace
from typing import Any, Literal
from weakref import WeakKeyDictionary

from generator.tasks.studied_world import StudiedWorld
from runtime.domain.changes import Changes, RowName
from runtime.domain.domain import Domain
from runtime.domain.people import IDENTIFICATION, IDENTIFY
from runtime.domain.schema import Key
from runtime.errors import EnvironmentFault, Rejection
from runtime.session.clock import ClockPlan
from runtime.session.session import Session, Snapshot
from runtime.task.origin import is_reference, scalars_of
from runtime.task.picks import NoSuchRow, NothingFound, OtherAnswer
from runtime.task.script import Script
from runtime.task.story import Program, tell_story
from runtime.task.task import Step, bind
from runtime.task.timing import plan_of
from runtime.task.user import Wish

_AGAIN = (
    "I'd like to ask again about {}. Can you do it now?",
    "I would like to ask once more about {}. Could you please do it now?",
    "asking again about {}, can you do it now?",
)
"""How a request is made once more, by a plain, a formal and a casual speaker."""

_CRASHES = (ArithmeticError, AttributeError, LookupError, NameError, TypeError, ValueError, Rejection)


class CannotCompose(Exception):
    """No task can be composed; the text is the reason under which it is counted, `detail` says more of this one.

    With `is_settled` no other seed of the scenario leads to anything else.
    """

    def __init__(self, reason: str, detail: str = "", *, is_settled: bool = False) -> None:
        super().__init__(reason)
        self.detail = detail
        self.is_settled = is_settled


class NotThere(CannotCompose):
    """What the user names is not there any more, or cannot be had."""


class OtherBranch(CannotCompose):
    """The rules decide differently from the plan on the picked rows; others may be picked."""


@dataclass(frozen=True)
class ScenarioPart:
    """A scenario of a task: its program, its seed, and the keys of the rows that it is about, by pick."""

    name: str
    program: Program
    seed: int
    pins: Mapping[int, Key] = field(default_factory=dict)
    outside: bool = True  # whether its wishes beyond the tools are told
    caller: Key | None = None  # who calls; the scenario draws one if None
    denied: bool | None = None  # what the rules must say where they are asked about
    refuses: bool = False  # whether what a rule forbids is refused where the scenario does not ask
    said_later: int = 0  # by how many wishes it is said later than it is done; less than 0 if earlier
    joined: bool = False  # whether it is said in one message with the wish before
    again: bool = False  # whether its request was refused before, and is made once more
    events: Literal["drawn", "flipped", "none"] = "drawn"  # which of its events happen
    trusts: bool = False  # whether what its user says wrong at first is taken for true


@dataclass(frozen=True)
class ToldScenario:
    """One scenario as it was told, and the rows that it changed."""

    script: Script
    picks: tuple[RowName, ...]  # with the row of the caller
    changed: frozenset[RowName]


@dataclass(frozen=True)
class Telling:
    """Scenarios told one after another; step numbers continue through all of them."""

    parts: tuple[ToldScenario, ...]
    changes: Changes
    outcome: tuple[Any, ...]  # equal on two worlds if the user says, gets and is told the same on both

    @property
    def caller(self) -> Key | None:
        """The key of who calls, where a scenario says so."""
        return next((script.caller for script in self.scripts if script.caller is not None), None)

    @property
    def scripts(self) -> tuple[Script, ...]:
        """The scripts in the order in which they were told."""
        return tuple(part.script for part in self.parts)

    @property
    def plan(self) -> ClockPlan | None:
        """What happens on the clock of a task of these; None if time stands still."""
        return plan_of(self.scripts)

    @property
    def chain(self) -> list[Step]:
        """The reference chain of all."""
        return [step for script in self.scripts for step in script.chain]


@dataclass
class _Told:
    """What scenarios came to on one session, by the parts told until then: on the same state nothing is told twice."""

    telling: dict[Hashable, tuple[tuple[ToldScenario, ...], Snapshot]] = field(default_factory=dict)
    without: dict[Hashable, Script | CannotCompose] = field(default_factory=dict)

    def longest(self, names: tuple[Hashable, ...]) -> tuple[tuple[ToldScenario, ...], Snapshot | None]:
        """Return the scenarios of the longest beginning of these that was told, and the state that they left."""
        lengths = range(len(names), 0, -1)
        return next((self.telling[names[:at]] for at in lengths if names[:at] in self.telling), ((), None))

    def keep(self, names: tuple[Hashable, ...], told: Sequence[ToldScenario], session: Session) -> None:
        """Remember scenarios and the state that they left, unless a plan has more to come."""
        if session.plan is None:
            _make_room(self.telling)
            self.telling[names] = tuple(told), session.snapshot()


def _make_room(known: dict[Hashable, Any]) -> None:
    if len(known) >= _MOST_TOLD:
        known.clear()


_MOST_TOLD = 500  # beginnings that are remembered of a session
_TOLD: WeakKeyDictionary[Session, _Told] = WeakKeyDictionary()


def _name_of(part: ScenarioPart) -> Hashable:
    return (*(getattr(part, each.name) for each in fields(part) if each.name != "pins"), *sorted(part.pins.items()))


def tell(session: Session, parts: Sequence[ScenarioPart], like: Telling | None = None) -> Telling:
    """Tell scenarios from the start of a session; picks read its world, calls run on what earlier scenarios left.

    Errors: CannotCompose, also at the first scenario that does not come to the same as in `like`.
    """
    known, names = _TOLD.setdefault(session, _Told()), tuple(map(_name_of, parts))
    policies = session.domain.policies
    session.reset()
    session.plan_for(None)
    before, left = known.longest(names)
    if left is not None:
        session.restore(left)
    told = list(before)
    for number, part in enumerate(parts):
        if number >= len(before):
            rows = dict(session.changes.rows)
            script = _tell_one(session, part, told)
            changed = frozenset(
                name
                for name, change in session.changes.rows.items()
                if rows.get(name) != change and name[0] not in {*policies.logs, IDENTIFICATION}
            )
            told.append(ToldScenario(script, rows_picked(session.domain, [script]), changed))
            known.keep(names[: number + 1], told, session)
        if like is not None and _outcome_of(told[number].script) != like.outcome[0][number]:
            raise CannotCompose("a scenario comes to something else")
    session.settle()
    changes = session.changes
    outcome = (tuple(_outcome_of(each.script) for each in told), changes.digest(0, policies))
    if like is not None and outcome != like.outcome:
        raise CannotCompose("the scenarios change something else")
    return Telling(tuple(told), changes, outcome)


def tell_next(session: Session, part: ScenarioPart) -> Script:
    """Tell a scenario of another user on what earlier calls left, its steps from 0; errors: CannotCompose."""
    return _tell_one(session, part, ())


def tell_without(
    session: Session, parts: Sequence[ScenarioPart], told: Sequence[ToldScenario], earlier: int, later: int
) -> Script:
    """Tell a scenario of several as if nothing had been carried out for an earlier one; step numbers stay.

    Errors: CannotCompose.
    """
    known, names = _TOLD.setdefault(session, _Told()), tuple(map(_name_of, parts[: later + 1]))
    found = known.without.get((names, earlier))
    if found is None:
        _make_room(known.without)
        try:
            found = _tell_without(session, parts[later], told[:later], earlier, known.telling.get(names[:earlier]))
        except CannotCompose as unfit:
            found = unfit
        known.without[names, earlier] = found
    if isinstance(found, CannotCompose):
        raise found.with_traceback(None)
    return found


def _tell_without(
    session: Session,
    part: ScenarioPart,
    told: Sequence[ToldScenario],
    earlier: int,
    before: tuple[Sequence[ToldScenario], Snapshot] | None,
) -> Script:
    """Tell a scenario; `before` is what those before the earlier one left, where that is known."""
    tools, results = session.domain.tools, dict[int, Mapping[str, Any]]()
    session.reset()
    if before is not None:
        session.restore(before[1])
    for number, each in enumerate(told):
        for at, call in enumerate(each.script.calls, each.script.first_step):
            if before is not None and number < earlier:
                results[at] = call.result
                continue
            if number == earlier and tools[call.step.tool].writes and call.step.tool != IDENTIFY:
                continue
            with suppress(EnvironmentFault, LookupError):  # what needs the result of a call that was left out
                outcome = session.perform(call.step.tool, bind(call.step.arguments, results))
                if outcome.result is not None:
                    results[at] = outcome.result
    return _tell_one(session, part, told)


def tell_as_said(session: Session, parts: Sequence[ScenarioPart], earlier: int) -> Telling:
    """Tell scenarios with one and the next done in the other order, what is forbidden refused; errors: CannotCompose.

    Where the two are said in one message, this is the order in which they are said.
    """
    one, other = (replace(part, said_later=0, joined=False) for part in parts[earlier : earlier + 2])
    return tell(session, [*parts[:earlier], other, one, *parts[earlier + 2 :]])


def retell(parts: Sequence[ScenarioPart], session: Session, number: int) -> Telling | None:
    """Tell scenarios whose rows are fixed on another world; None if they cannot be told there.

    If one of them picked its row by something that differs there, it picks again for the same caller.
    """
    free = [replace(part, pins={}) if at == number else part for at, part in enumerate(parts)]
    for each in (parts, free):
        try:
            return tell(session, each)
        except CannotCompose:
            continue
    return None


def said_alike(one: ToldScenario, other: ToldScenario) -> bool:
    """Return True if a scenario has the same words, answers and tools in two tellings."""
    one_said, other_said = (
        (tuple(each.words), answers_in(each), _tools_of(each)) for each in (one.script, other.script)
    )
    return one_said == other_said


def rows_picked(domain: Domain, scripts: Sequence[Script]) -> tuple[RowName, ...]:
    """Return the rows that scenarios picked and that of who calls, each once."""
    found: dict[RowName, None] = {}
    for script in scripts:
        found |= dict.fromkeys((*script.picks, *user_of(script, domain)))
    return tuple(found)


def _tell_one(session: Session, part: ScenarioPart, earlier: Sequence[ToldScenario]) -> Script:
    steps = sum(len(each.script.calls) for each in earlier)
    wishes = sum(len(each.script.words) for each in earlier)
    identified = next((each.script.identified for each in reversed(earlier) if each.script.identified), None)
    try:
        script = tell_story(
            part.program,
            session,
            part.seed,
            pins=part.pins,
            outside=part.outside,
            caller=part.caller,
            denied=part.denied,
            refuses=part.refuses,
            again=part.again,
            events=part.events,
            trusts=part.trusts,
            identified=identified,
            first_step=steps,
            first_wish=wishes + part.said_later,
        )
        if part.joined and script.wishes:
            script.wishes[0] = script.wishes[0].model_copy(update={"joined": True})
        if part.again:
            script.wishes[:] = [_made_again(each, earlier) for each in script.wishes]
        return script
    except OtherAnswer as error:
        way = "deny" if part.denied else "permit"
        raise OtherBranch(f"no row that the rules {way}", is_settled=error.is_settled) from None
    except NoSuchRow as error:
        raise CannotCompose("no row for the scenario", is_settled=error.is_settled) from None
    except EnvironmentFault as fault:
        if isinstance(fault.__cause__, Rejection):
            raise NotThere("a call is rejected", str(fault)) from None
        unfit = NotThere if isinstance(fault, NothingFound) else CannotCompose
        raise unfit(str(fault).removesuffix(".")) from None
    except _CRASHES:
        raise CannotCompose("the scenario crashes") from None


def _made_again(wish: Wish, earlier: Sequence[ToldScenario]) -> Wish:
    """Return a wish as it is said when an earlier one of the same meaning was refused; errors: CannotCompose."""
    scripts = [each.script for each in earlier]
    said = (pair for script in scripts for pair in enumerate(script.wishes, script.first_wish))
    first = next((number for number, other in said if other.short == wish.short), None)
    if first is None or not wish.short:
        raise CannotCompose("nothing was refused that could be asked for again")
    words = [each.format(wish.short) for each in _AGAIN]
    return wish.model_copy(update={"words": words, "insists": [], "again": first})


def _outcome_of(script: Script) -> tuple[Any, ...]:
    ways = tuple(calls_of(way.turn) for way in script.other_ways)
    return tuple(script.words), answers_in(script), calls_of(script.chain), ways


def answers_in(script: Script) -> tuple[Any, ...]:
    return tuple((answer.name, answer.value, answer.source) for answer in script.answers)


def _tools_of(script: Script) -> tuple[str, ...]:
    """Return the tools that are called, except to find and identify the caller, which the first scenario does."""
    known = script.identified.steps if script.identified is not None else ()
    first = script.first_step
    return tuple(call.step.tool for number, call in enumerate(script.calls, first) if number not in known)


def calls_of(chain: Sequence[Step]) -> tuple[Any, ...]:
    """The calls of a chain without the places of results, which may differ: what these hold shows in the rows."""
    return tuple(
        (step.tool, tuple((name, _literal(value)) for name, value in sorted(step.arguments.items()))) for step in chain
    )


def _literal(value: Any) -> Any:
    if isinstance(value, Mapping):
        return "a result" if is_reference(value) else tuple((name, _literal(part)) for name, part in value.items())
    return tuple(map(_literal, value)) if isinstance(value, list) else value


def user_of(script: Script, domain: Domain) -> frozenset[RowName]:
    """Return the row of the world that is the user, if the scenario has a caller."""
    people = domain.people
    return frozenset() if people is None or script.caller is None else frozenset([(people.table, script.caller)])


def are_told_by_one(parts: Sequence[ToldScenario], studied: StudiedWorld) -> bool:
    """Return True if scenarios are about one user and each about rows of its own."""
    if len({part.script.caller for part in parts}) > 1:
        return False
    user = frozenset(row for part in parts for row in user_of(part.script, studied.domain))
    return all(
        _are_apart(one, other, user, studied) for position, one in enumerate(parts) for other in parts[position + 1 :]
    )


def rows_of_user(user: frozenset[RowName], table: str, studied: StudiedWorld) -> list[Key]:
    """The keys of a table that are the user's: the user's own row, and those that refer to it or to one that does."""
    own = {row for row in user if row[0] == table}
    if own:
        return sorted((key for _, key in own), key=str)
    below = [row for one in sorted(user, key=str) for row in studied.referring(one)]
    rows = [*below, *(row for one in below for row in studied.referring(one))]
    return list(dict.fromkeys(key for name, key in rows if name == table))


def _are_apart(one: ToldScenario, other: ToldScenario, user: frozenset[RowName], studied: StudiedWorld) -> bool:
    if (set(one.picks) & set(other.picks)) - user:
        return False
    for changing, bystander in ((one, other), (other, one)):
        about = {*bystander.picks, *bystander.changed}
        about |= {parent for name in about for parent in _parents_of(name, studied)}
        if (changing.changed & about) - user:
            return False
    return True


def _parents_of(name: RowName, studied: StudiedWorld) -> Iterator[RowName]:
    """Yield the rows of the world that a row refers to."""
    table, key = name
    row = studied.row(table, key)
    if row is None:
        return
    for foreign_key in studied.domain.schema.tables[table].foreign_keys:
        parent = studied.domain.schema.tables[foreign_key.parent]
        if foreign_key.parent_columns == parent.primary_key:
            above = tuple(row[column] for column in foreign_key.columns)
            if None not in above:
                yield parent.name, above


def do_touch(one: ToldScenario, other: ToldScenario, domain: Domain) -> bool:
    """Return True if one changes a row that the other changes or looks up; identifying the caller does not count."""
    changed = [_by_key(part.changed, domain) for part in (one, other)]
    return bool(
        changed[0] & changed[1] or changed[0] & _looked_up(other, domain) or changed[1] & _looked_up(one, domain)
    )


def count_touching(parts: Sequence[ToldScenario], domain: Domain) -> int:
    """Return how many scenarios touch another one."""
    return sum(any(do_touch(part, other, domain) for other in parts if other is not part) for part in parts)


def near_duplicates(parts: Sequence[ToldScenario], domain: Domain) -> set[tuple[str, Any]]:
    """Return the other rows that look-ups show of the tables of picked ones, except people, each by its key."""
    people = domain.people.table if domain.people is not None else None
    picked = _by_key({pick for part in parts for pick in part.picks if pick[0] != people}, domain)
    columns = {column for column, _ in picked}
    return {shown for part in parts for shown in _looked_up(part, domain) if shown[0] in columns} - picked


def _by_key(rows: Iterable[RowName], domain: Domain) -> set[tuple[str, Any]]:
    """Name rows by the column and the value of a key of one column; others are left out."""
    tables = domain.schema.tables
    return {(tables[name].primary_key[0], key[0]) for name, key in rows if len(key) == 1}


def _looked_up(part: ToldScenario, domain: Domain) -> set[tuple[str, Any]]:
    """Return each value that reading tools return to a scenario, with its column, except to find the caller."""
    script = part.script
    known = script.identified.steps if script.identified is not None else ()
    return {
        (str(path[-1]), value)
        for number, call in enumerate(script.calls, script.first_step)
        if number not in known and not domain.tools[call.step.tool].writes
        for path, value in scalars_of(call.result)
        if path
    }
