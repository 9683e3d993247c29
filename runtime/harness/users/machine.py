"""What the user does next: one table over what the assistant did, and whether its message has a question mark.

The user sees what the assistant itself knows: which calls were accepted or rejected since the request was said. It
never reads prose, and never sees the expected state, nor whether a call or an answer was right. Nothing it says is a
yes: to a question it says what it wants, which affirms a right plan, corrects a wrong one, and declines an offer. A
model may read for it (`Reading`); then it also knows which facts are asked for, and what is a refusal.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Literal

from runtime.domain.people import IDENTIFY
from runtime.harness.conversation import CallSeen
from runtime.task.answers import AnswersTaken, ClosedQuestion
from runtime.task.user import KnownFact, User

MOST_CONFIRMED = 3  # questions about one request that are answered by saying what is wanted
MOST_AFTER_REJECTION = 1  # a call's, or the office's of what is asked for again
MOST_PLAIN_STATEMENTS = 2  # that lead to nothing, before the request counts as refused; of one made again 1
MOST_REPLIES = 10  # about one request, before the user goes on

Phrase = Literal["just", "restate", "go_ahead", "enough", "insist", "tell", "answer", "open", "done", "bye"]
Lead = Literal["", "thanks", "leave", "never_mind", "nothing_more"]


@dataclass(frozen=True)
class Reading:
    """What a model reads in a message: what kind it is, and the facts it asks for."""

    kind: Literal["question", "proposal", "report", "refusal", "other"] = "other"
    asked: frozenset[str] = frozenset()


@dataclass(frozen=True)
class Move:
    """What the user does: `phrase` with the requests, facts, pressure or answers that belong to it, behind a `lead`."""

    phrase: Phrase
    wishes: tuple[int, ...] = ()
    facts: tuple[KnownFact, ...] = ()
    insists: str = ""
    asks: ClosedQuestion | None = None
    lead: Lead = ""
    ends: bool = False


@dataclass(frozen=True)
class Standing:
    """How far the conversation has come; everything from `writes` on is about the requests that were said last."""

    group: int = -1
    told: frozenset[tuple[int, str]] = frozenset()  # withheld facts, by request and name
    refused: frozenset[int] = frozenset()  # requests
    identified: frozenset[str] = frozenset()  # offices, by the prefix of their tools
    closing: bool = False
    writes: int = 0
    declines: int = 0
    on_record: bool = False  # a refusal could not be recorded, as one that is on record already
    rejected: bool = False
    called: bool = False
    noting: bool = False
    confirmed: int = 0
    statements: int = 0
    reminded: bool = False  # by a statement, that something is still open
    insisted: int = 0
    replies: int = 0


class Machine:
    """The user's place in one conversation: `open`, then `see` the calls and `move` for each message."""

    def __init__(self, user: User, answers: AnswersTaken, progress: Standing | None = None) -> None:
        self.user = user
        self.answers = answers
        self.groups = tuple(_said_together(user))
        self.progress = progress or Standing()

    @property
    def wishes(self) -> tuple[int, ...]:
        """The requests that were said last, together."""
        return self.groups[self.progress.group]

    @property
    def acts(self) -> int:
        """How many of them want something changed."""
        return sum(self.user.wishes[wish].acts for wish in self.wishes)

    @property
    def needed(self) -> int:
        """How many calls these requests take, writes and recorded refusals together; never what they are."""
        wishes = [self.user.wishes[wish] for wish in self.wishes]
        return sum(wish.writes + wish.refusals for wish in wishes if wish.acts)

    @property
    def untold(self) -> tuple[KnownFact, ...]:
        """Who the user is, unless that is settled, and the facts that the present requests keep back."""
        at = self.progress
        return tuple(
            fact
            for wish in range(self.wishes[-1] + 1)
            for fact in self.user.wishes[wish].facts
            if fact.withheld and (wish, fact.name) not in at.told
            if (not fact.proves.startswith(tuple(at.identified)) if fact.proves else wish in self.wishes)
        )

    def open(self) -> Move:
        """Say the first request."""
        return self._next("")

    def see(self, calls: Sequence[CallSeen]) -> None:
        """Take note of what the assistant did since the user spoke last."""
        at = self.progress
        self.progress = replace(
            at,
            writes=at.writes + sum(call.writes and call.accepted for call in calls),
            declines=at.declines + sum(call.declines and call.accepted for call in calls),
            on_record=at.on_record or any(call.declines and not call.accepted for call in calls),
            rejected=at.rejected or any(call.writes and not call.accepted for call in calls),
            called=at.called or any(call.accepted for call in calls),
            identified=at.identified
            | {call.tool.removesuffix(IDENTIFY) for call in calls if call.identifies and call.accepted},
            reminded=at.reminded and not any(call.accepted and (call.writes or call.declines) for call in calls),
            replies=at.replies + 1,
        )

    def move(self, said: str, calls: Sequence[CallSeen] = (), reading: Reading | None = None) -> Move:
        """Answer a message; `reading` is what a model made of it, if one reads."""
        self.see(calls)
        question = "?" in said
        at = self.progress
        if at.noting:
            return self._note("", said)
        if at.closing:
            is_at_it = any(call.writes and call.accepted for call in calls) and at.replies <= MOST_REPLIES
            return Move("done") if is_at_it else self._next("")
        if 0 < at.writes + at.declines < self.needed and (move := self._remind(question)):
            return move
        if at.writes or (at.declines and not self.acts):
            return self._note("nothing_more" if question else "thanks", said)
        if at.declines or at.on_record:
            return self._refused(said)
        if told := self.untold:
            return self.tell([fact for fact in told if not fact.corrects] or told)
        if at.replies > MOST_REPLIES and self.acts:
            return self._give_up(said)
        if reading is not None and (move := self._by_reading(reading, said)):
            return move
        return self._before_write(said, question)

    def tell(self, facts: Sequence[KnownFact]) -> Move:
        """Tell facts, and remember which were told."""
        wishes = enumerate(self.user.wishes[: self.wishes[-1] + 1])
        told = {(number, fact.name) for number, wish in wishes for fact in wish.facts if fact in facts}
        return self._change(Move("tell", facts=tuple(facts)), told=self.progress.told | told)

    def leave(self, refused: bool) -> Move:
        """Ask for the answers of the present requests, or go on; for a user who decides that it is through."""
        return self._give_up("") if refused else self._note("thanks", "")

    def fork(self, answers: AnswersTaken) -> Machine:
        """The same machine at the same point, with a copy of what was written down."""
        return Machine(self.user, answers, self.progress)

    # The rows of the table: nothing was carried out yet, something was, it was refused, it goes on

    def _remind(self, question: bool) -> Move | None:
        """Say what is wanted while a part of it is open: to questions, and to a statement behind each call."""
        at = self.progress
        if corrections := [fact for fact in self.untold if fact.corrects]:
            return self.tell(corrections)
        if question and at.confirmed < MOST_CONFIRMED + at.writes + at.declines:
            return self._change(Move("just", self.wishes), confirmed=at.confirmed + 1)
        if not question and not at.reminded:
            return self._change(Move("just", self.wishes), reminded=True)
        return None

    def _before_write(self, said: str, question: bool) -> Move:
        at = self.progress
        was_refused = any(self.user.wishes[wish].again is not None for wish in self.wishes)
        if not self.acts:
            if any(wish in self.user.outside for wish in self.wishes):
                return self._note("never_mind", said)
            if question and not at.called and not at.confirmed:
                return self._change(Move("just", self.wishes), confirmed=1)
            return self._note("nothing_more" if question else "thanks", said)
        if question:
            if at.confirmed < (MOST_AFTER_REJECTION if at.rejected or was_refused else MOST_CONFIRMED):
                return self._change(Move("just", self.wishes), confirmed=at.confirmed + 1)
            if at.confirmed == MOST_CONFIRMED:
                return self._change(Move("enough"), confirmed=at.confirmed + 1)
            return self._refused(said)
        if at.rejected or at.statements >= (MOST_PLAIN_STATEMENTS - was_refused):
            return self._refused(said)
        phrase: Phrase = "restate" if at.statements else "go_ahead"
        return self._change(Move(phrase, self.wishes), statements=at.statements + 1)

    def _by_reading(self, reading: Reading, said: str) -> Move | None:
        """What only a user who understands the message does."""
        at = self.progress
        if reading.kind == "refusal" and self.acts:
            return self._refused(said)
        known = [fact for wish in self.wishes for fact in self.user.wishes[wish].facts if fact.name in reading.asked]
        if known and at.confirmed < MOST_CONFIRMED:
            self.progress = replace(at, confirmed=at.confirmed + 1)
            return self.tell(known)
        return None

    def _refused(self, said: str) -> Move:
        """Insist as often as the task says; what a refused request asks to be told may be heard meanwhile."""
        at = self.progress
        insists = [str(words) for wish in self.wishes for words in self.user.wishes[wish].insists]
        if at.insisted < len(insists):
            self.answers.hear(self.answers.open_of(self.wishes), said)
            return self._change(Move("insist", insists=insists[at.insisted]), insisted=at.insisted + 1)
        return self._give_up(said)

    def _give_up(self, said: str) -> Move:
        self.progress = replace(self.progress, refused=self.progress.refused | set(self.wishes))
        return self._note("leave", said)

    def _note(self, lead: Lead, said: str) -> Move:
        """Ask for the answers that are open, unless the message just heard states them; then go on."""
        if not self.progress.noting:
            self.answers.hear(self.answers.open_of(self.wishes), said)
            self.answers.hear_in_passing(self.answers.open_of(self.wishes), said)
        question = self.answers.ask(self.wishes)
        if question is None:
            return self._next(lead or "thanks")
        lead = "" if lead == "nothing_more" else lead  # there is something more
        return self._change(Move("answer", asks=question, lead=lead), noting=True)

    def _next(self, lead: Lead) -> Move:
        at = self.progress
        for group in range(at.group + 1, len(self.groups)):
            otherwise = self.user.wishes[self.groups[group][0]].otherwise
            if otherwise is None or otherwise in at.refused:
                self.progress = Standing(group, at.told, at.refused, at.identified)
                return Move("open", self.groups[group], lead="" if otherwise in at.refused else lead)
        if (account := self.answers.ask_for_account()) is not None:
            return self._change(Move("answer", asks=account, lead="" if at.noting else lead), noting=True)
        if not at.closing:  # one more turn for what may still be open
            self.progress = replace(at, closing=True, noting=False, replies=0)
            return Move("done", lead=lead if lead in ("leave", "never_mind") else "")
        return Move("bye", ends=True)

    def _change(self, move: Move, **progress: object) -> Move:
        self.progress = replace(self.progress, **progress)  # type: ignore[arg-type]
        return move


def _said_together(user: User) -> Iterator[tuple[int, ...]]:
    """The requests, counted from 0, as they are said in one message."""
    group: list[int] = []
    for number, wish in enumerate(user.wishes):
        if group and not wish.joined:
            yield tuple(group)
            group = []
        group.append(number)
    yield tuple(group)
