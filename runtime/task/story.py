"""What a scenario is written against: pick rows, say what the user wants, call tools; every value keeps its origin.

A scenario is a seed tool chain as executable code (paper, section 4.2.1). Run on a world, it yields a script: words,
facts, chain, answers, and the mistakes that an agent could make on the way.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from decimal import Decimal
from itertools import islice
from pathlib import Path
from textwrap import dedent
from typing import Any, TypeVar, get_args

from runtime.domain.caller_rules import IDENTIFIED_FIRST, OWN_RECORDS, people_key
from runtime.domain.people import DECLINE, DECLINED, IDENTIFY, LEAST_PROOFS, Role, is_desk_tool
from runtime.domain.schema import read_column_ref
from runtime.domain.waiting import WAIT
from runtime.errors import EnvironmentFault, Rejection, UsageError
from runtime.sandbox.files import is_there
from runtime.sandbox.module import load_module
from runtime.session.session import Session
from runtime.task.origin import (
    DutyRef,
    JsonPath,
    Origin,
    ResultRef,
    base_of,
    computed,
    leaves_of,
    origin_of,
    plain,
    reference_to,
    traced,
    value_at,
)
from runtime.task.picks import Entry, NoSuchRow, NothingFound, OtherAnswer, RequestRefused
from runtime.task.script import Best, Identified, Lookup, Origins, OtherWay, Permission, Script, TracedCall, WrongChain
from runtime.task.task import EndCheck, Step, TaskAnswer, TaskText
from runtime.task.timing import StoryTime
from runtime.task.user import Form
from runtime.task.values import kind_of
from runtime.task.wishes import is_dictated, values_in

Function = TypeVar("Function", bound=Callable[..., None])


LEAST_OF_A_SET = 2  # records


class Story(StoryTime):
    """One run of one scenario on one world. `today` and `now` are the clock at the start.

    All that a scenario reaches by it is plain values: the script, which its tasks are made of, is behind an underscore.
    """

    # Results: the entry that is meant, and what can be said of all entries

    def find(self, results: Sequence[Entry], **wanted: Any) -> Any:
        """The one entry of a result's list that has these values; without any, the only entry."""
        entries = self._entries(results)
        found = [each for each in entries if _has(each, wanted)]
        if len(found) != 1:
            raise (EnvironmentFault if found else NothingFound)(
                f"A lookup by {_shown(wanted)} finds {len(found)} of {len(entries)} entries, not one."
            )
        self._note_lookup(wanted)
        return found[0]

    def all_but(self, results: Sequence[Entry], **wanted: Any) -> list[Any]:
        """All entries of a result's list but those that have these values, of which there is one at least."""
        entries = self._entries(results)
        rest = [each for each in entries if not _has(each, wanted)]
        if len(rest) == len(entries):
            raise EnvironmentFault(f"No entry has {_shown(wanted)}, so that all but it would be all.")
        self._note_lookup(wanted)
        return self._all_meant(rest)

    def each(self, results: Sequence[Entry]) -> list[Any]:
        """All entries of a result's list, two at least, of each of which a rule decides by itself."""
        entries = self._entries(results)
        if len(entries) < LEAST_OF_A_SET:
            raise NoSuchRow(f"A list of {len(entries)} is no set of which each is decided by itself.")
        return self._all_meant(entries)

    def highest(self, results: Sequence[Entry], column: str) -> Any:
        """The one entry of a result's list with the greatest value: the latest, the most expensive."""
        return self._extreme(results, column, max)

    def lowest(self, results: Sequence[Entry], column: str) -> Any:
        """The one entry of a result's list with the least value: the earliest, the cheapest."""
        return self._extreme(results, column, min)

    def others(self, results: Sequence[Entry], right: Entry, most: int = 2) -> list[Any]:
        """Return other entries of a result's list than the right one, for an agent that takes one of these."""
        return [each for each in self._entries(results) if each is not right][:most]

    def count(self, results: Sequence[Entry]) -> Any:
        """How many entries a result's list has, records or single values, as an answer."""
        values = [next(iter(each.values()), None) if isinstance(each, Mapping) else each for each in results]
        return self._summed(len(results), "count of entries", values)

    def total(self, results: Sequence[Entry], column: str) -> Any:
        """The sum of a column over the entries of a result's list, as an answer."""
        values = [each[column] for each in results]
        total = sum(Decimal(str(plain(value))) for value in values if value is not None)  # 0.1 and 0.2 make 0.3
        is_real = any(isinstance(value, float) for value in values)
        return self._summed(float(total) if is_real else int(total), f"total of {column}", values)

    def call(self, tool: str, wish: int | None = None, **arguments: Any) -> Any:
        """Call a tool through the real path and return its result, traced; errors: EnvironmentFault.

        An optional argument that is None counts as left out. The call is for the wish that is named, or the last one.
        """
        declared = self._session.domain.tools.get(tool)
        if declared is not None and any(value is None for value in arguments.values()):
            needed = declared.arguments.schema.get("required", [])
            arguments = {name: value for name, value in arguments.items() if value is not None or name in needed}
        number = self._first_step + len(self._script.calls)
        step, origins = self._step(tool, self._wish_now if wish is None else self._known_wish(wish), arguments)
        if declared is not None and declared.writes and not is_desk_tool(tool):
            if self._refuses:
                self._refuse_if_forbidden(step, arguments)
            self._forks.setdefault(step.wish, (len(self._script.calls), self._session.snapshot()))
        try:
            result = self._session.call(tool, **plain(arguments))
        except Rejection as rejection:
            raise EnvironmentFault(f"The scenario's call of {tool} was rejected: {rejection}") from rejection
        domain = self._session.domain
        changes = bool(
            declared is not None
            and declared.writes
            and self._session.open().changes.differences(domain.schema, domain.policies)
        )
        self._script.calls.append(TracedCall(step, origins, self._heard_by(step.wish), changes, result))
        return _traced_result(result, number)

    def wait(self, until: Any = None, *, minutes: int | None = None, wish: int | None = None) -> Any:
        """Wait until a moment, or some minutes, but no longer than to the next notice; the time and the new notices."""
        given = {"until": until, "minutes": minutes}
        return self.call(WAIT, wish, **{name: each for name, each in given.items() if each is not None})

    def answer(self, name: str, value: Any, source: str | None = None, wish: int | None = None) -> None:
        """State what the user must be told in the end."""
        if value is None or isinstance(plain(value), bool | list | dict):
            raise EnvironmentFault(f"The answer {name!r} is {plain(value)!r}; an answer is a text or a number.")
        column = None if source is None else read_column_ref(source)
        told = plain(value)
        minor = getattr(value, "minor", None)
        self._script.answers.append(
            TaskAnswer(
                name=name,
                kind="money" if minor else kind_of(told),
                minor=minor or 1,
                value=told,
                source=column,
                wish=self._wish_now if wish is None else self._known_wish(wish),
            )
        )
        origins = self._roots(value)
        self._script.answered.append(None if None in origins else origins[0])
        sources = [origin.source for origin in origins if origin is not None]
        steps = frozenset(source.step for source in sources if isinstance(source, ResultRef))
        self._script.answer_steps.append(steps)

    # The caller and the rules

    def identify(self) -> Any:
        """Find the caller and note that they proved who they are, once a conversation; their key, traced.

        What they say of themselves is told when it is asked for, as far as no wish says it.
        """
        people, known = self._people(), self._script.identified
        self._speaks_as_caller = True
        if known is not None:
            return traced(known.key, known.origin)
        me = self.me
        column, tool = next(iter(people.found_by.items()))
        labels = {people.name: "name", **dict.fromkeys(people.found_by, ""), **people.proven_by}
        for each, label in labels.items():
            if origin_of(me[each]) not in self._script.told:
                self.keep_back(label or each.replace("_", " "), me[each], self._first_wish)
        first = self._first_step + len(self._script.calls)
        name = people_key(people, self._session.domain.schema)
        key = self.call(tool, wish=self._first_wish, **{column: me[column]})[name]
        if IDENTIFY in self._session.domain.tools:
            proofs = {column: me[column] for column in islice(people.proven_by, LEAST_PROOFS)}
            self.call(IDENTIFY, wish=self._first_wish, **{name: key, **proofs})
        origin = origin_of(key)
        assert origin is not None
        last = self._first_step + len(self._script.calls)
        self._script.identified = Identified(plain(key), origin, range(first, last))
        return key

    def permits(self, tool: str, wish: int | None = None, **arguments: Any) -> bool:
        """True if the rules allow a call now. What denies it is remembered for `decline`.

        Errors: OtherAnswer if another one is wanted; EnvironmentFault for arguments that the tool does not take.
        """
        number = self._wish_now if wish is None else self._known_wish(wish)
        step, origins = self._step(tool, number, arguments)
        try:
            self._session.domain.find_tool(tool).check(plain(arguments))
        except Rejection as rejection:
            raise EnvironmentFault(f"The scenario asks whether {tool} is permitted: {rejection}") from rejection
        forbidding = self._session.forbidding(tool, plain(arguments))
        rules = tuple(dict.fromkeys(each.rule for each in forbidding))
        if self._again and not rules:
            rules = self._broken_duties(tool, plain(arguments))
        key = forbidding[0].key if forbidding else None
        row = next((value for _, value in leaves_of(arguments) if plain(value) == key), key) if forbidding else None
        call = TracedCall(step, origins, self._wish)
        self._script.permissions.append(Permission(call, len(self._script.calls), rules, row))
        if len(rules) > 1:
            raise OtherAnswer(f"{' and '.join(rules)} deny the call of {tool}; a refusal is recorded under one.")
        if self._denied is not None and self._denied != bool(rules):
            raise OtherAnswer(f"The rules {'deny' if rules else 'permit'} the call of {tool}.")
        return not rules

    def possible(self, tool: str, **arguments: Any) -> None:
        """Pick other rows unless a call would be accepted here and no rule forbids it; nothing is changed.

        For questions about what has not happened: "What would I owe if I signed up for both?"
        """
        with self._session.fork() as fork:
            refused = bool(fork.forbidding(tool, plain(arguments)))
            if refused or fork.perform(tool, plain(arguments)).rejection is not None:
                raise NoSuchRow(f"The call of {tool} that the question supposes would be refused here.")

    def decline(self, wish: int) -> None:
        """Note that a wish is refused, under the rule that denied the last call that was asked about."""
        people, number = self._people(), self._known_wish(wish)
        denied = next((each for each in reversed(self._script.permissions) if each.rules), None)
        if denied is None:
            raise EnvironmentFault(f"Wish {wish!r} is declined, but no rule denied a call; ask `story.permits` first.")
        if DECLINE not in self._session.domain.tools:
            raise EnvironmentFault("The domain cannot record a refusal; give schema.sql the table `declined_request`.")
        key = self.identify()
        noted = {
            people_key(people, self._session.domain.schema): key,
            "subject_id": key if denied.row is None else denied.row,
            "rule_code": traced(denied.rules[0], Origin(DutyRef("rule_code"))),
        }
        self._script.declined.add(number)
        if self._again:  # a duty is no reason that is recorded, and the same reason is on record already
            with self._session.fork() as fork:
                if fork.perform(DECLINE, plain(noted)).rejection is not None:
                    return
        self.call(DECLINE, wish=number, **noted)

    @contextmanager
    def wrong(self, name: str) -> Iterator[None]:
        """`with story.wrong("trusts the user"):` makes the calls of an agent that goes wrong; then they are undone.

        Where a tool refuses one of them, nobody can go wrong like this, and nothing is noted.
        """
        script, snapshot, refuses = self._script, self._session.snapshot(), self._refuses
        calls, answers, lookups = len(script.calls), len(script.answers), len(script.lookups)
        self._refuses = False
        with suppress(EnvironmentFault):
            yield
            told = {answer.name: answer for answer in script.answers[answers:]}
            script.wrong.append(WrongChain(name, calls, tuple(call.step for call in script.calls[calls:]), told))
        del script.calls[calls:], script.answers[answers:], script.answered[answers:], script.lookups[lookups:]
        del script.answer_steps[answers:]
        self._refuses = refuses
        self._session.restore(snapshot)

    @contextmanager
    def or_else(self, wish: int | None = None) -> Iterator[None]:
        """`with story.or_else():` makes the calls of another way to fulfill the last wish, as right as the first one.

        They begin where the first change for the wish was made, and are undone afterwards.
        """
        number, script = self._wish_now if wish is None else self._known_wish(wish), self._script
        if number not in self._forks:
            raise EnvironmentFault(
                "`story.or_else` shows another way than calls that change something; make them first."
            )
        (after, state), here = self._forks[number], self._session.snapshot()
        first, answers, lookups = script.calls[after:], len(script.answers), len(script.lookups)
        del script.calls[after:]
        self._session.restore(state)
        yield
        turn, looked_up = script.calls[after:], script.lookups[lookups:]
        script.calls[after:] = first
        del script.lookups[lookups:]
        self._session.restore(here)
        if len(script.answers) > answers:
            raise EnvironmentFault("`story.or_else` gives an answer; what the user is told is the same in every way.")
        for wish, origins in ((part.wish, part.origins) for parts in (turn, looked_up) for part in parts):
            if not all(script.licenses(origin, wish) for own in origins.values() for origin in own):
                raise EnvironmentFault("`story.or_else` takes a value that nobody told and no tool returned.")
        script.other_ways.append(OtherWay(after, len(script.calls), tuple(call.step for call in turn)))

    def check(self, claim: str, sql: str, **values: Any) -> None:
        """State what must hold at the end: a SELECT that returns a row if it does, with `:name` for each value.

        A task of such a scenario expects no state. All its checks must hold, and nothing else may change than what the
        calls change here, and `may_change`.
        """
        self._script.checks.append(EndCheck(claim=claim, sql=dedent(sql).strip(), values=plain(values)))

    def may_change(self, *places: str) -> None:
        """Name what else may change in a task with checks: "loan", "+loan" (new rows), "-loan", or "loan.due_on"."""
        self._script.may_change += places

    def _broken_duties(self, tool: str, arguments: Mapping[str, Any]) -> tuple[str, ...]:
        """Return the duties about refusals of which a call now would make one unmet."""
        with self._session.fork() as fork:
            before = fork.unmet_duties()
            fork.perform(tool, arguments)
            return tuple(each.code for each in fork.unmet_duties() if DECLINED in each.reads and each not in before)

    def _refuse_if_forbidden(self, step: Step, arguments: Mapping[str, Any]) -> None:
        """Judge a call that no rule was asked about; errors: RequestRefused once a refusal of it is recorded."""
        if any(asked.call.step == step for asked in self._script.permissions):
            return
        forbidding = {each.rule for each in self._session.forbidding(step.tool, plain(arguments))}
        if forbidding & {IDENTIFIED_FIRST, OWN_RECORDS}:
            raise EnvironmentFault(f"The scenario's call of {step.tool} is not for the caller's own records.")
        judged = {each.code for each in self._session.domain.rules.on(step.tool)} - {IDENTIFIED_FIRST, OWN_RECORDS}
        if judged and not self.permits(step.tool, step.wish, **arguments):
            self.decline(step.wish)
            raise RequestRefused

    def _step(self, tool: str, wish: int, arguments: Mapping[str, Any]) -> tuple[Step, Origins]:
        """A call as a step of the chain, and where its arguments came from."""
        written = {name: _reference(value) for name, value in arguments.items()}
        origins, states = dict(self._origins(arguments)), self._session.domain.rules.states
        stated = [each for each, own in origins.items() if own == (None,) and states(value_at(plain(arguments), each))]
        origins |= {path: (Origin(DutyRef(str(path[0]))),) for path in stated}
        return Step(tool=tool, arguments=written, wish=wish), origins

    def _all_meant(self, entries: Sequence[Entry]) -> list[Any]:
        places = [origin_of(value) for each in entries for value in each.values()]
        self._script.chosen.update(origin for origin in places if origin is not None)
        return list(entries)

    def _entries(self, results: Any) -> list[Entry]:
        if not isinstance(results, list) or not all(isinstance(each, dict) for each in results):
            raise EnvironmentFault("A lookup takes the list of entries in a result, as in found['loans'].")
        return results

    def _extreme(self, results: Any, column: str, which: Callable[[list[Any]], Any]) -> Entry:
        entries = [each for each in self._entries(results) if each.get(column) is not None]
        values = [plain(each[column]) for each in entries]
        best = which(values) if values else None
        if values.count(best) != 1:
            raise NoSuchRow(f"Not one of {len(results)} entries alone has the {which.__name__} of {column!r}.")
        others = [value for value in values if value != best]
        self._note_lookup({}, Best(column, best, which(others)) if others else None)
        return entries[values.index(best)]

    def _summed(self, number: int | float, what: str, values: Sequence[Any]) -> Any:
        last = Origin(ResultRef(self._first_step + len(self._script.calls) - 1))
        known = [value for value in values if origin_of(value) is not None]
        return computed(number, traced(0, last) if self._script.calls else 0, what, *known)

    def _note_lookup(self, wanted: Mapping[str, Any], best: Best | None = None) -> None:
        before = self._first_step + len(self._script.calls)
        wish = max(self._wish_now, *(call.step.wish for call in self._script.calls[-1:]), self._first_wish)
        self._script.lookups.append(Lookup(self._origins(wanted), self._heard_by(wish), before, best))

    def _origins(self, arguments: Mapping[str, Any]) -> Origins:
        """Where the values in arguments came from, by path."""
        return {
            path: tuple(self._roots(leaf)) for name, value in arguments.items() for path, leaf in values_in(value, name)
        }

    def _roots(self, value: Any) -> list[Origin | None]:
        """Where a value came from, or, if it was computed and not told itself, where that came from."""
        origin, base = origin_of(value), base_of(value)
        if origin is None or base is None or origin in self._script.told:
            return [origin]
        return [root for part in (base, *value.amounts) for root in self._roots(part)]


def scenario(function: Function | None = None, *, form: Form = "direct", role: Role = "customer") -> Any:
    """Mark a function of a domain's `scenarios.py` as a scenario; its docstring says what the user wants.

    `form` is what makes it hard, `role` as what the user calls.
    """
    if form not in get_args(Form) or role not in get_args(Role):
        raise ValueError(f"a scenario has form {form!r} and role {role!r}; have: {', '.join(get_args(Form))}")

    def mark(marked: Function) -> Function:
        marked.__dict__.update(is_scenario=True, form=form, role=role)
        return marked

    return mark if function is None else mark(function)


def tell_story(program: Callable[[Story], None], session: Session, seed: int, **options: Any) -> Script:
    """Run a scenario on a session; `options` are those of `Story`. Errors: NoSuchRow, EnvironmentFault."""
    story = Story(session, seed, **options)
    try:
        with suppress(RequestRefused):
            program(story)
    except NoSuchRow as error:
        error.is_settled = not story._has_drawn
        raise
    script = script_of(story)
    form: Form = getattr(program, "form", "direct")
    script.form, script.role = form, getattr(program, "role", "customer")
    script.caller = story._caller if story._speaks_as_caller else None
    script.wishes[:] = [
        wish if "outside" in (wish.form, form) else wish.model_copy(update={"form": form}) for wish in script.wishes
    ]
    script.texts |= dict.fromkeys(_quoted(script), TaskText(said="dictated"))
    return script


def _quoted(script: Script) -> Iterator[str]:
    """The other texts that the calls write and that a wish tells in quotes, in every wording."""
    wordings = [wish.words for wish in script.wishes if all('"' in words for words in wish.words)]
    for call in script.calls if wordings else ():
        for _, value in leaves_of(call.step.arguments):
            is_new = isinstance(value, str) and value not in script.texts
            if is_new and any(all(is_dictated(value, words) for words in each) for each in wordings):
                yield value


def script_of(story: Story) -> Script:
    """What a story came to so far; no method of it, since a scenario could change it."""
    return story._script


FILE, TIMED_FILE = "scenarios.py", "timed_scenarios.py"
Program = Callable[[Story], None]


def load_scenarios(folder: Path, file: str = FILE) -> dict[str, Program]:
    """The scenarios of a domain folder, or those in TIMED_FILE; errors: UsageError if it has none, BrokenDomain."""
    path = folder / file
    if not is_there(path):
        raise UsageError(f"Domain {folder.name!r} has no {file}; `worldsmith new` writes it, or a person does.")
    place = hashlib.sha256(str(folder.resolve()).encode()).hexdigest()[:12]
    module = load_module(path, f"worldsmith_domain_{place}.{path.stem}", shown_as=file)
    programs = {
        name: value
        for name, value in vars(module).items()
        if getattr(value, "is_scenario", False) and getattr(value, "__module__", "") == module.__name__
    }
    if not programs:
        raise UsageError(f"{str(path)!r} declares no scenario; decorate a function with @scenario.")
    return programs


def _has(entry: Entry, wanted: Mapping[str, Any]) -> bool:
    return all(plain(entry.get(name)) == plain(value) for name, value in wanted.items())


def _shown(wanted: Mapping[str, Any]) -> str:
    return " and ".join(f"{name} {plain(value)!r}" for name, value in wanted.items()) or "nothing to tell it by"


def _reference(value: Any) -> Any:
    if isinstance(value, Mapping):
        return {str(name): _reference(item) for name, item in value.items()}
    if isinstance(value, list | tuple):
        return [_reference(item) for item in value]
    origin = origin_of(value)
    if origin is not None and isinstance(origin.source, ResultRef) and base_of(value) is None:
        return reference_to(origin.source.step, origin.source.path)
    return plain(value)


def _traced_result(value: Any, step: int, path: JsonPath = ()) -> Any:
    kind = type(value)
    if kind is dict or (kind is not str and isinstance(value, Mapping)):
        return {name: _traced_result(item, step, (*path, name)) for name, item in value.items()}
    if kind is list:
        return [_traced_result(item, step, (*path, number)) for number, item in enumerate(value)]
    return traced(value, Origin(ResultRef(step, path)))
