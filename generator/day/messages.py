"""Put proven tasks into the messages that their customers write, with the calls that are right for each message.

A thread is what one sender writes about one task: a message, or one and a later one that adds to it, corrects it, takes
it back, or asks again. Two threads of different senders who want the same scarce thing are rivals.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import count
from textwrap import shorten
from typing import Any, Literal

from runtime.domain.domain import Domain
from runtime.domain.people import DECLINE, IDENTIFY, is_desk_tool
from runtime.harness.users.scripted import Speaker
from runtime.task.mistakes import COMPLIES, NEWEST, REFUSES, TAKES_ALONE, renumbered
from runtime.task.origin import steps_named
from runtime.task.task import Mistake, Step, Task, TaskAnswer
from runtime.task.user import Wish

Decides = Literal["allowed", "denied", "withdrawn", "repeated", "set_aside"]

READ, REPLY, SET_ASIDE = "read_message", "reply", "set_aside"
_ARGUMENTS = {"date": "date", "money": "amount_cents", "number": "number", "text": "value"}
_GREETINGS = {"plain": ("Hi,", "Thanks,"), "formal": ("Hello,", "Kind regards,"), "casual": ("hi,", "thx")}
_LATER = {
    "withdrawn": {
        "plain": "I wrote to you earlier about {short}. I've changed my mind, so please don't do it.",
        "formal": "I wrote to you earlier about {short}. I have changed my mind, so please do not go ahead with it.",
        "casual": "i wrote earlier about {short}. never mind, please don't do it",
    },
    "repeated": {
        "plain": "I wrote to you about {short}. I'm not sure that my message went through, so here it is again.",
        "formal": "I wrote to you about {short}. In case my message did not reach you, I am sending it again.",
        "casual": "wrote to you about {short}, not sure it went through so i'm sending it again",
    },
}
_VAGUE_SUBJECT = "A request"
_LATER_SUBJECTS = {
    "withdrawn": "Please disregard",
    "repeated": "Second try",
    "corrected": "A correction",
    "": "One more thing",
}
_LONGEST_SUBJECT = 72


@dataclass(frozen=True)
class Letter:
    """What a message says between greeting and name, what it is about in short, and what is decided for it."""

    subject: str
    words: tuple[str, ...]
    short: str
    decides: Decides = "allowed"
    rule: str = ""
    form: Literal["direct", "denied"] = "direct"
    amends: bool = False  # the letter before it


@dataclass(frozen=True)
class Thread:
    """The letters of one sender about a task, and the right calls: the wish of each is its letter, counted from 0."""

    item: Task
    letters: tuple[Letter, ...]
    chain: tuple[Step, ...]
    mistakes: tuple[Mistake, ...] = ()
    after: tuple[tuple[int, int], ...] = ()  # letters, each with the one that decides it


Group = tuple[Thread, ...]
"""A thread by itself, or two rivals, of which the first comes first."""


@dataclass(frozen=True)
class Rivals:
    """Two tasks of different senders of which each can be done, but not both, and what is done for the later one.

    `refused_first` and `refused_second` are the calls where the other one was done before; the rules say why, if any.
    """

    first: Task
    second: Task
    refused_first: list[Step]
    refused_second: list[Step]
    rule: str = ""


def single(item: Task) -> Thread:
    """Tell a task in one message."""
    wishes = item.user.wishes
    own = _moved(item.chain, 1)
    reply = _reply(_outcome(wishes), item.answers)
    letter = _letter(item, wishes, denied_by(item))
    return Thread(item, (letter,), (_read(0), *own, reply), tuple(_decided_otherwise(item, lambda at: at + 1)))


def beyond(item: Task) -> Thread:
    """Ask for something, and in a later message for what is beyond the tools."""
    *wishes, wish = item.user.wishes
    once = single(item.model_copy(update={"user": item.user.model_copy(update={"wishes": wishes})}))
    words = _as_opening(wish.words[0])
    letter = Letter(_LATER_SUBJECTS[""], (words,), wish.short or words, "set_aside")
    aside = Step(tool=SET_ASIDE, arguments={"reason": "beyond_tools"}, wish=1)
    return replace(once, letters=(*once.letters, letter), chain=(*once.chain, _read(1), aside))


def unclear(item: Task) -> Thread:
    """Ask for something without what has to be known for it, which the proofs of the task show nobody can guess."""
    wish = next(filter(_is_vague, item.user.wishes))
    words = (_as_opening(wish.words[0]),)  # and a subject that tells no more
    letter = replace(_letter(item, [wish], ""), subject=_VAGUE_SUBJECT, words=words, decides="set_aside")
    aside = Step(tool=SET_ASIDE, arguments={"reason": "unclear"})
    return Thread(item, (letter,), (_read(0), *_moved(identifying(item.chain), 1), aside))


def withdrawn(item: Task) -> Thread:
    """Ask for something, and take it back in a later message."""
    identified = _moved(identifying(item.chain), 1)
    at = 1 + len(identified)
    chain = (_read(0), *identified, _reply("withdrawn"), _read(1), _reply("done", wish=1))
    done = [*_moved(item.chain, 1)[len(identified) :], _reply(_outcome(item.user.wishes), item.answers)]
    own = Mistake(name=TAKES_ALONE, start=at, stop=at + 1, turn=done, end="")
    letter = _letter(item, item.user.wishes, "")
    return Thread(
        item, (replace(letter, decides="withdrawn"), _later(item, "withdrawn", "allowed")), chain, (own,), ((0, 1),)
    )


def repeated(item: Task, office: Domain) -> Thread:
    """Ask for something, and in a later message for the same again."""
    once = single(item)
    outcome = _outcome(item.user.wishes)
    at = len(once.chain) + 1
    again = [
        step.model_copy(update={"wish": 1})
        for step in once.chain[1:-1]
        if office.tools[step.tool].writes and not is_desk_tool(step.tool)
    ]
    turns = ([*again, _reply(outcome, item.answers, wish=1)], [_reply("declined", wish=1)])
    own = [Mistake(name=TAKES_ALONE, start=at, stop=at + 1, turn=turn, end="") for turn in turns]
    chain = (*once.chain, _read(1), _reply(outcome, item.answers, wish=1))
    letters = (*once.letters, _later(item, "repeated", "repeated"))
    return Thread(item, letters, chain, (*once.mistakes, *own), ((1, 0),))


def split(item: Task) -> Thread | None:
    """Tell a task in two messages, of which the later one adds to the first or corrects it; None where it cannot be."""
    wishes, at = item.user.wishes, split_at(item)
    if not at:
        return None
    sides = [
        [number for number, step in enumerate(item.chain) if (step.wish >= at) == later] for later in (False, True)
    ]
    moved = {number: place for place, number in zip(count(1), sides[0], strict=False)}
    moved |= {number: place for place, number in zip(count(3 + len(sides[0])), sides[1], strict=False)}
    if any(moved[own] > moved[n] for n, step in enumerate(item.chain) for own in steps_named(step.arguments)):
        return None
    told = [[each for each in item.answers if (each.wish >= at) == later] for later in (False, True)]
    chain: list[Step] = []
    for later, side in enumerate(sides):
        part = wishes[at:] if later else wishes[:at]
        chain.append(_read(later))
        chain += [_step(item.chain[number], moved, later) for number in side]
        chain.append(_reply(_outcome(part), told[later], wish=later))

    rules = [denied_by(item, lambda wish, later=later: (wish >= at) == later) for later in (False, True)]
    first = _letter(item, wishes[:at], rules[0])
    rest = [_as_opening(_said(wish, item)) for wish in wishes[at:]]
    second = replace(_letter(item, wishes[at:], rules[1]), words=tuple(rest), subject=_LATER_SUBJECTS[""])
    if wishes[at].amends is not None:
        second = replace(second, amends=True, subject=_LATER_SUBJECTS["corrected"])
    mistakes = [
        each
        for each in _decided_otherwise(item, moved.get, later_from=at)
        if len(
            {chain[n].wish for n in range(each.start, max(each.stop, each.start + 1))}
            | {step.wish for step in each.turn}
        )
        == 1
    ]
    return Thread(item, (first, second), tuple(chain), tuple(mistakes), ((1, 0),) * second.amends)


def rivals(found: Rivals) -> Group:
    """Let two senders want what only one can have: the first gets it."""
    first, second = single(found.first), single(found.second)
    refused = [(*_moved(each, 1), _reply("declined")) for each in (found.refused_first, found.refused_second)]
    loses = Mistake(name=NEWEST, start=1, stop=len(first.chain), turn=list(refused[0]), end="")
    chain = (_read(0), *refused[1])
    wins = [
        Mistake(name=name, start=1, stop=len(chain), turn=list(second.chain[1:]), end="") for name in (NEWEST, COMPLIES)
    ]
    letter = replace(second.letters[0], decides="denied", rule=found.rule, form="denied")
    return (
        replace(first, mistakes=(*first.mistakes, loses)),
        Thread(found.second, (letter,), chain, tuple(wins)),
    )


def split_at(item: Task) -> int:
    """Return the wish with which a later message can begin, counted from 0: one that amends, or a free one; or 0."""
    wishes = item.user.wishes
    amending = [number for number, wish in enumerate(wishes) if wish.amends is not None]
    if amending:
        return amending[0]
    free = [n for n, wish in enumerate(wishes) if n and not wish.joined and wish.form not in ("coupled", "outside")]
    return free[0] if free and all(wish.form != "coupled" for wish in wishes) else 0


def is_vague(item: Task) -> bool:
    """Return True if something that a task's user wants cannot be done by what they say at first."""
    return any(map(_is_vague, item.user.wishes))


def _is_vague(wish: Wish) -> bool:
    return wish.acts and wish.amends is None and wish.otherwise is None and not wish.beliefs and bool(_kept(wish))


def denied_by(item: Task, of: Any = lambda wish: True) -> str:
    """Return the first rule under which something of an item is refused; empty if nothing is."""
    return next((str(step.arguments["rule_code"]) for step in item.chain if step.tool == DECLINE and of(step.wish)), "")


def body_of(thread: Thread, letter: Letter, seed: int) -> str:
    """Return a message as its sender writes it."""
    user = thread.item.user
    greeting, closing = _GREETINGS[user.speech]
    speaker = Speaker(user, seed)
    proofs = [fact for fact in user.facts if fact.proves and fact.said != name_of(thread)]
    parts = [greeting, *letter.words, speaker.tell(proofs), f"{closing}\n{name_of(thread)}"]
    return "\n\n".join(part for part in parts if part)


def name_of(thread: Thread) -> str:
    """Return who signs the messages of a thread."""
    return thread.item.user.profile.split(".")[0]


def step_of_day(step: Step, moved: Mapping[int, int], number: int, message_id: str) -> Step:
    """Return a step of a thread as one of the day, for this message."""
    made = _step(step, moved, number)
    if step.tool not in (READ, REPLY, SET_ASIDE):
        return made
    return made.model_copy(update={"arguments": {"message_id": message_id, **made.arguments}})


def _letter(item: Task, wishes: Sequence[Wish], rule: str) -> Letter:
    denied = bool(rule) or _outcome(wishes) == "declined"
    words = tuple(
        _as_opening(_said(wish, item)) if not number else _said(wish, item) for number, wish in enumerate(wishes)
    )
    short = wishes[0].short or wishes[0].words[0]
    return Letter(
        _subject(wishes), words, short, "denied" if denied else "allowed", rule, "denied" if denied else "direct"
    )


def _later(item: Task, kind: Literal["withdrawn", "repeated"], decides: Decides) -> Letter:
    short = item.user.wishes[0].short
    return Letter(_LATER_SUBJECTS[kind], (_LATER[kind][item.user.speech].format(short=short),), short, decides)


def _said(wish: Wish, item: Task) -> str:
    """Return a request with all that its user would tell when asked."""
    kept = _kept(wish)
    return " ".join([wish.words[0], *([Speaker(item.user, 0).tell(kept)] if kept else [])])


def _kept(wish: Wish) -> list[Any]:
    return [fact for fact in wish.facts if fact.withheld and not fact.proves and fact.name not in ("name", "my name")]


def _subject(wishes: Sequence[Wish]) -> str:
    text = shorten(wishes[0].short or wishes[0].words[0], _LONGEST_SUBJECT, placeholder=" ...")
    return text[0].upper() + text[1:]


def _as_opening(words: str) -> str:
    """Return words that came behind other requests as the first ones of a message."""
    rest = words[len("and ") :] if words.lower().startswith("and ") else words
    return rest if words[:1].islower() else rest[:1].upper() + rest[1:]


def _outcome(wishes: Sequence[Wish]) -> str:
    """Return what became of all that a message asks."""
    done = [bool(wish.writes) if wish.acts else True for wish in wishes]
    refused = [bool(wish.acts and (wish.refusals or not wish.writes)) for wish in wishes]
    return "done" if not any(refused) else "partly" if any(done) else "declined"


def identifying(chain: Sequence[Step]) -> list[Step]:
    """Return the calls that find the caller and note who they are."""
    last = next((number for number, step in enumerate(chain) if step.tool == IDENTIFY), -1)
    return list(chain[: last + 1])


def _read(wish: int) -> Step:
    return Step(tool=READ, wish=wish)


def _reply(outcome: str, answers: Sequence[TaskAnswer] = (), wish: int = 0) -> Step:
    told: dict[str, Any] = {_ARGUMENTS[each.kind]: each.value for each in answers if each.kind != "account"}
    said = {"outcome": outcome, "text": "Your message was taken care of.", **told}
    return Step(tool=REPLY, arguments=said, wish=wish)


def _moved(chain: Sequence[Step], by: int) -> list[Step]:
    moved = {number: number + by for number in range(len(chain))}
    return [_step(step, moved, 0) for step in chain]


def _step(step: Step, moved: Mapping[int, int], wish: int) -> Step:
    return step.model_copy(update={"arguments": renumbered(step.arguments, moved), "wish": wish})


def _decided_otherwise(item: Task, place: Any, later_from: int | None = None) -> Iterator[Mistake]:
    """Yield the known mistakes of a task in which a rule is broken or something allowed is refused, in its thread."""
    for each in item.mistakes:
        start, sides = place(each.start), {_is_later(step, later_from) for step in item.chain[each.start : each.stop]}
        if each.name not in (COMPLIES, REFUSES) or start is None or len(sides) > 1:
            continue
        moved = {number: to for number in range(each.start) if (to := place(number)) is not None}
        moved |= {each.start + at: start + at for at in range(len(each.turn))}
        if any(named not in moved for step in each.turn for named in steps_named(step.arguments)):
            continue
        turn = [_step(step, moved, _is_later(step, later_from)) for step in each.turn]
        yield Mistake(name=each.name, start=start, stop=start + each.stop - each.start, turn=turn, end="")


def _is_later(step: Step, later_from: int | None) -> int:
    return int(later_from is not None and step.wish >= later_from)
