"""What a scenario is written against: pick rows, say what the user wants, call tools; every value keeps its origin.

A scenario is a seed tool chain as executable code (paper, section 4.2.1). Run on a world, it yields a script: words,
facts, chain, answers, and the mistakes that an agent could make on the way.
"""

from __future__ import annotations

from collections.abc import Callable
from itertools import islice
from typing import Any, TypeVar, get_args

from runtime.domain.desk import people_key
from runtime.domain.people import DECLINE, IDENTIFY, LEAST_PROOFS, Role
from runtime.errors import EnvironmentFault
from runtime.session.session import Session
from runtime.task.calls import StoryCalls
from runtime.task.origin import DutyRef, origin_of, plain, traced
from runtime.task.origin import Origin as Origin
from runtime.task.permission import ask_rules
from runtime.task.picks import NoSuchRow as NoSuchRow
from runtime.task.picks import OtherAnswer as OtherAnswer
from runtime.task.script import Identified, Permission, WrongChain
from runtime.task.script import Lookup as Lookup
from runtime.task.script import Script as Script
from runtime.task.script import TracedCall as TracedCall
from runtime.task.speech import said as said
from runtime.task.user import Form

Function = TypeVar("Function", bound=Callable[..., None])


class Story(StoryCalls):
    """One run of one scenario on one world. `today` and `now` are the frozen clock.

    All that a scenario reaches by it is plain values: the script, which its tasks are made of, is behind an underscore.
    """

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
        """Whether the rules allow a call now: the strict twin's answer. What denies it is remembered for `decline`.

        Errors: OtherAnswer if another one is wanted.
        """
        number = self._wish_now if wish is None else self._known_wish(wish)
        step, origins = self._step(tool, number, arguments)
        asked = ask_rules(self._session, tool, arguments)
        call = TracedCall(step, origins, self._wish)
        self._script.permissions.append(Permission(call, len(self._script.calls), asked.rules, asked.row))
        if len(asked.rules) > 1:
            raise OtherAnswer(f"{' and '.join(asked.rules)} deny the call of {tool}; a refusal is recorded under one.")
        if self._denied is not None and self._denied != bool(asked.rules):
            raise OtherAnswer(f"The rules {'deny' if asked.rules else 'permit'} the call of {tool}.")
        return not asked.rules

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
        self.call(DECLINE, wish=number, **noted)
        self._script.declined.add(number)

    def wrong(self, name: str) -> WrongTurn:
        """`with story.wrong("trusts the user"):` makes the calls of an agent that goes wrong; then they are undone."""
        return WrongTurn(self, name)


class WrongTurn:
    """Within it, calls are those of a mistake; afterwards the story goes on as if they had not been."""

    __slots__ = ("_answers", "_calls", "_lookups", "_name", "_snapshot", "_story")

    def __init__(self, story: Story, name: str) -> None:
        self._story, self._name = story, name

    def __enter__(self) -> None:
        story = self._story
        self._snapshot = story._session.snapshot()
        self._calls, self._answers = len(story._script.calls), len(story._script.answers)
        self._lookups = len(story._script.lookups)

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        story, script = self._story, self._story._script
        if kind is None:
            told = {answer.name: answer for answer in script.answers[self._answers :]}
            turn = tuple(call.step for call in script.calls[self._calls :])
            script.wrong.append(WrongChain(self._name, self._calls, turn, told))
        del script.calls[self._calls :], script.answers[self._answers :], script.answered[self._answers :]
        del script.lookups[self._lookups :]
        story._session.restore(self._snapshot)


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
    program(story)
    script = script_of(story)
    form: Form = getattr(program, "form", "direct")
    script.form, script.role = form, getattr(program, "role", "customer")
    script.caller = story._caller if story._speaks_as_caller else None
    script.wishes[:] = [
        wish if "outside" in (wish.form, form) else wish.model_copy(update={"form": form}) for wish in script.wishes
    ]
    return script


def script_of(story: Story) -> Script:
    """What a story came to so far; no method of it, since a scenario could change it."""
    return story._script
