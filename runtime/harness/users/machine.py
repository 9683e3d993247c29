"""The user's machine in one episode: it keeps where the wishes stand, and looks up in the table what the user does.

The user follows what the agent itself knows: which calls were accepted or rejected since the wish was said, and the
words. It never sees the expected state, nor whether a call or an answer was right.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Literal, Protocol, get_args

from runtime.harness.user import CallSeen
from runtime.harness.users.heard import Heard
from runtime.harness.users.table import TABLE, Deed, Event, Stand
from runtime.task.user import KnownFact, User
from runtime.verification.text.match import tells

if TYPE_CHECKING:
    from runtime.task.closed_question import ClosedQuestion

MOST_HELD = 3  # times for one wish
MOST_RESTATED = 3  # times that one is said again
MOST_SAID = 3  # facts that are said once more, in short
MOST_WORDS = 8  # of such a fact: a day and a time
MOST_REPLIES = 8  # about one wish, and one more for each fact that the user knows by then; then it is dropped


class Answers(Protocol):
    """What the user has written down so far, as far as the machine asks."""

    def next_question(self, wishes: Collection[int]) -> ClosedQuestion | None:
        """The answers of some wishes that are still to be asked for."""


@dataclass(frozen=True)
class WishProgress:
    """How far the user has come; all from `written` to `noting` is about the wishes that were said last."""

    group: int = -1
    written: bool = False
    twice: bool = False  # more than one writing call was accepted
    ahead: bool = False  # they may have been seen to before they were said
    rejected: bool = False
    restated: int = 0
    owned: bool = False  # that what the user believed was not so
    held: int = 0
    insisted: int = 0
    replies: int = 0
    noting: bool = False  # the wishes were seen to: their answers are being taken down
    told: frozenset[tuple[int, str]] = frozenset()  # withheld facts, by wish and name
    refused: frozenset[int] = frozenset()
    foretold: frozenset[int] = frozenset()  # later wishes that may have been seen to


@dataclass(frozen=True)
class Move:
    """What the user does. `wishes` are said with it, or again; `after` is what was done about the ones before."""

    deed: Deed
    wishes: tuple[int, ...] = ()
    facts: tuple[KnownFact, ...] = ()
    insists: str = ""
    asks: ClosedQuestion | None = None
    after: Literal["", "seen_to", "refused", "noted"] = ""
    ends: bool = False
    first: Move | None = None  # what is said to a question, and then the user goes on
    unless_done: bool = False  # the wishes may have been seen to before
    again: int = 0  # how often the wishes were said again, this time included
    owns: bool = False  # what the user believed was not so


class Machine:
    """The user's machine in one episode: `open`, then `see` and `move` for each message of the assistant."""

    def __init__(self, user: User, answers: Answers) -> None:
        self.user = user
        self.groups = tuple(_grouped(user))
        self.progress = WishProgress()
        self._answers = answers

    @property
    def wishes(self) -> tuple[int, ...]:
        """The wishes that were said last, together."""
        return self.groups[self.progress.group]

    @property
    def stand(self) -> Stand:
        """Where they stand."""
        at = self.progress
        acts = any(self.user.wishes[wish].acts for wish in self.wishes)
        if at.held and (at.written or not acts):
            return "held"
        if at.written:
            return "written"
        if not acts:
            return "asked"
        if at.rejected:
            return "rejected"
        if at.ahead:
            return "ahead"
        return "restated" if at.restated else "wanted"

    @property
    def is_seen_to(self) -> bool:
        """Whether something was done, or all that is asked was told, be it in passing: what is offered is beyond it."""
        if self.progress.written or any(self.user.wishes[wish].acts for wish in self.wishes):
            return self.progress.written
        question = self._answers.next_question(self.wishes)
        return question is None or bool(question.values)

    @property
    def is_exhausted(self) -> bool:
        """Whether enough was said about these wishes."""
        return self.progress.replies >= MOST_REPLIES + len(self.user.facts_until(self.wishes[-1]))

    def facts_known(self, name: str | None = None) -> list[tuple[int, KnownFact]]:
        """The facts of the wishes said so far, by wish; those of the present ones first, then the latest."""
        earlier = [wish for group in self.groups[: self.progress.group] for wish in group]
        order = [*self.wishes, *reversed(earlier)]
        found = [(wish, fact) for wish in order for fact in self.user.wishes[wish].facts]
        return [each for each in found if name in (None, each[1].name)]

    def facts_in_words(self) -> list[KnownFact]:
        """The facts that the words of the present wishes tell, those of earlier wishes that are said again included.

        What the user only believes is none: whoever sets it right does what was wished.
        """
        present = [self.user.wishes[wish] for wish in self.wishes]
        believed = {belief.said for wish in present for belief in wish.beliefs}
        own = [fact for wish in present for fact in wish.facts if not fact.withheld and fact.said not in believed]
        words, named = " ".join(wish.words[0] for wish in present), {fact.name for fact in own}
        earlier = [fact for wish, fact in self.facts_known() if wish not in self.wishes and fact.name not in named]
        return own + [fact for fact in earlier if tells(words, fact.said)]

    def is_told(self, wish: int, fact: KnownFact) -> bool:
        """Whether the assistant has been told a fact."""
        return not fact.withheld or (wish, fact.name) in self.progress.told

    def fork(self, answers: Answers) -> Machine:
        """The same machine at the same point, with a copy of what was written down."""
        twin = Machine(self.user, answers)
        twin.progress = self.progress
        return twin

    def open(self) -> Move:
        """Say the first wish."""
        return self._next(after="")

    def see(self, calls: Sequence[CallSeen], said: str = "") -> None:
        """Take note of what the agent did and said since the user spoke last."""
        at = self.progress
        writes = sum(call.writes and call.accepted for call in calls)
        written = at.written or writes > 0
        twice = at.twice or at.written + writes > 1
        foretold = at.foretold.union(self._foretold(said)) if twice and writes else at.foretold
        rejected = at.rejected or any(
            call.accepted if call.declines else call.writes and not call.accepted for call in calls
        )
        held = at.held if written == at.written else 0  # a reply to a plan does not answer an offer
        self.progress = replace(at, written=written, twice=twice, rejected=rejected, held=held, foretold=foretold)

    def replied(self) -> None:
        """Count a reply about the wishes that were said last."""
        self.progress = replace(self.progress, replies=self.progress.replies + 1)

    def tell(self, names: Sequence[str]) -> None:
        """Take note of facts that were told."""
        told = {(wish, fact.name) for wish, fact in self.facts_known() if fact.name in names}
        self.progress = replace(self.progress, told=self.progress.told | told)

    def move(self, heard: Heard) -> Move:
        """What the user does about a message."""
        owns = heard.corrects and not self.progress.owned
        self.progress = replace(self.progress, owned=self.progress.owned or owns)
        return replace(self._move(heard), owns=owns)

    def _move(self, heard: Heard) -> Move:
        if self.progress.noting:
            replies = heard.kind in ("question", "proposal") and self.progress.held < MOST_HELD
            first = self._hold(heard) if replies and (heard.differing or heard.offers) else None
            return replace(self.leave(after="noted"), first=first)
        if self.is_exhausted:
            return self.leave(after="refused")
        self.replied()
        facts = self._asked(heard)
        event = _event_of(heard, bool(facts))
        deed = TABLE[self.stand][get_args(Event).index(event)]
        if self.stand in ("written", "asked") and event in ("fits", "proposes", "asks") and self._is_through(heard):
            first = self._besides(heard)
            refused = heard.refuses and not self.progress.written
            return replace(self.leave(after="refused" if refused else "seen_to"), first=first)
        if not self.progress.written:
            deed = self._deed_before_write(deed, event, heard)
        return self._do(deed, facts, heard)

    def _deed_before_write(self, deed: Deed, event: Event, heard: Heard) -> Deed:
        """What the table says, but for what the message leaves out of the wishes."""
        if event == "proposes" and deed in ("limit", "hold"):
            if not self.is_seen_to or self._acts:
                deed = self._deed_for_plan(heard)
        elif deed == "limit" and event == "states" and heard.closes and not heard.plans:
            deed = "drop" if self.progress.restated else "press"  # it is through, and nothing was done
        elif deed == "limit" and event == "states" and self.progress.held and heard.unsaid:
            deed = "drop" if self.progress.restated else "restate"  # nothing was done, though all was said
        elif deed == "limit" and event == "states":
            deed = self._deed_for_left_out(heard)
        elif event == "refuses" and heard.asks and heard.unheard and self.progress.restated < MOST_RESTATED:
            deed = "restate"  # it did not get what is wished
        elif deed in ("hold", "shrug") and event == "asks":
            deed = self._deed_for_question(heard)
        return deed

    @property
    def _acts(self) -> bool:
        """Whether anything is to be changed for the present wishes."""
        return any(self.user.wishes[wish].acts for wish in self.wishes)

    def _is_through(self, heard: Heard) -> bool:
        """Whether the assistant is through with these wishes, so that after its question the next may be said.

        It is if it asks whether there is anything else. Otherwise, where something was done, it is unless it offers
        something or a plan stands; where nothing was to be done but told, it is once that was told.
        """
        if heard.differing or not self.is_seen_to:
            return False
        if self._acts:
            return heard.closes or not (heard.offers or heard.plans)
        is_outside = all(self.user.wishes[wish].form == "outside" for wish in self.wishes)
        return heard.kind != "question" or not is_outside or heard.refuses or self.progress.restated > 0

    def _besides(self, heard: Heard) -> Move | None:
        """What is said to a question of an assistant that is through with the wishes, before the user goes on."""
        if heard.offers:
            return Move("waive" if heard.refuses and not self._acts else "decline")
        if heard.adds and heard.kind == "proposal" and not heard.refuses:
            return Move("decline")
        return Move("pass") if heard.kind == "question" else None

    def _hold(self, heard: Heard) -> Move:
        if heard.differing or not self.is_seen_to:
            return Move("hold", facts=heard.differing)
        return self._besides(heard) or Move("settle")

    def _foretold(self, said: str) -> Iterator[int]:
        """The later wishes that a report on several writes holds: all that they tell and no wish said so far does."""
        known = [fact.said for _, fact in self.facts_known()]
        for wish in (wish for group in self.groups[self.progress.group + 1 :] for wish in group):
            facts = [fact.said for fact in self.user.wishes[wish].facts if not fact.withheld and fact.said not in known]
            if facts and all(tells(said, each) for each in facts):
                yield wish

    def _deed_for_plan(self, heard: Heard) -> Deed:
        """What to do about a proposal that does not fit, before anything was done."""
        if heard.unheard and self.progress.restated < MOST_RESTATED:
            return "restate"  # nothing of what was wished was spoken of
        if heard.refuses and heard.strays and not heard.differing:  # something else is offered instead
            insists = sum(len(self.user.wishes[wish].insists) for wish in self.wishes)
            has_choice = any(wish.otherwise in self.wishes for wish in self.user.wishes)
            if self.progress.insisted < insists or has_choice or not self._acts:
                return "drop"
            if not self.progress.restated:
                return "press"
        return self._deed_for_left_out(heard)

    def _deed_for_left_out(self, heard: Heard) -> Deed:
        """What to do about a plan, by the facts that it leaves out."""
        if not heard.differing and heard.never_said:
            if heard.doubtful and (len(heard.never_said) == 1 or len(heard.never_said) < len(self.facts_in_words())):
                return "provided"
            if 1 < len(heard.never_said) == len(self.facts_in_words()):  # the proposal has nothing to do with it
                return "hold" if self.progress.restated else "restate"
        return "limit"

    def _deed_for_question(self, heard: Heard) -> Deed:
        """What to do about a question for nothing that the user knows, before anything was done."""
        if heard.beside and not heard.differing and self.progress.restated < MOST_RESTATED:
            return "restate" if heard.requests else "aside"
        if self.facts_in_words() and not heard.unsaid:  # all that was wished is in it: a plan, or an answer
            return "limit" if self._acts else "shrug"
        if heard.differing and (not self.facts_in_words() or 2 * len(heard.unsaid) <= len(self.facts_in_words())):
            return "hold"
        return "shrug" if self.progress.restated or self._is_known(heard) else "restate"

    def _is_known(self, heard: Heard) -> bool:
        """Whether a message holds some of what was wished, so that it need not be said again."""
        return len(heard.unsaid) < len(self.facts_in_words())

    def leave(self, after: Literal["seen_to", "refused", "noted"]) -> Move:
        """Done with these wishes: ask for their answers that are still open, then go on to the next, or end."""
        at = self.progress
        if after == "refused":
            at = replace(at, refused=at.refused | set(self.wishes))
        self.progress = replace(at, noting=True)
        if at.written or after != "refused" or not any(self.user.wishes[wish].acts for wish in self.wishes):
            question = self._answers.next_question(self.wishes)
            if question is not None:
                return Move("note", asks=question, after=after)
        return self._next(after)

    def _do(self, deed: Deed, facts: list[tuple[int, KnownFact]], heard: Heard) -> Move:
        at = self.progress
        insists = [words for wish in self.wishes for words in self.user.wishes[wish].insists]
        if deed in ("press", "drop") and at.insisted < len(insists):
            self.progress = replace(at, insisted=at.insisted + 1)
            return Move(deed, insists=insists[at.insisted])
        match deed:
            case "tell":
                self.progress = replace(at, told=at.told | {(wish, fact.name) for wish, fact in facts})
                return Move("tell", facts=tuple(fact for _, fact in facts))
            case "agree":
                return Move("agree")
            case "leave":
                return self.leave("seen_to")
            case "drop":
                return self.leave("refused")
            case "restate" | "aside" | "press" if at.restated < (1 if deed == "press" else MOST_RESTATED):
                self.progress = replace(at, restated=at.restated + 1)
                knows = deed == "press" and self._is_known(heard)
                said = "restate" if deed == "press" else deed
                return Move("stand") if knows else Move(said, wishes=self.wishes, again=at.restated + 1)
        if at.held >= MOST_HELD:
            return self.leave("refused")
        self.progress = replace(at, held=at.held + 1)
        if deed == "hold":
            return self._hold(heard)
        facts_named = {"limit": heard.differing, "provided": heard.doubtful}
        return Move(deed, facts=facts_named[deed]) if deed in facts_named else Move("shrug")

    def _next(self, after: Literal["", "seen_to", "refused", "noted"]) -> Move:
        at = self.progress
        for group in range(at.group + 1, len(self.groups)):
            otherwise = self.user.wishes[self.groups[group][0]].otherwise
            if otherwise is None or otherwise in at.refused:
                acting = {wish for wish in self.groups[group] if self.user.wishes[wish].acts}
                ahead = bool(acting) and at.foretold >= acting
                self.progress = WishProgress(group, ahead=ahead, told=at.told, refused=at.refused, foretold=at.foretold)
                return Move("open", wishes=self.groups[group], after=after, unless_done=ahead)
        return Move("open", after=after, ends=True)

    def _asked(self, heard: Heard) -> list[tuple[int, KnownFact]]:
        """The facts that a question asks for: of each name what the present wishes keep back, else the fact of a wish
        that it is about, or the first known.
        """

        def rank(each: tuple[int, KnownFact]) -> int:
            is_kept = each[0] in self.wishes and not self.is_told(*each)
            return 0 if is_kept else 1 if each[0] in heard.about else 2

        known = [self.facts_known(name) for name in dict.fromkeys(heard.asked)]
        asked = [min(found, key=rank) for found in known if found]
        kept = [set(fact.name.split()) for wish, fact in asked if not self.is_told(wish, fact)]
        # whoever asks for the address on file does not mean the one that was told for somebody else
        return [each for each in asked if not any(set(each[1].name.split()) < words for words in kept)]


def is_short(fact: KnownFact) -> bool:
    """Whether a fact can be named within a sentence."""
    return len(fact.said.split()) <= MOST_WORDS


def _event_of(heard: Heard, facts: bool) -> Event:
    if heard.kind == "question":
        return "asks_fact" if facts else "asks"
    if heard.kind == "proposal":
        return "fits" if heard.fits else "proposes"
    return "refuses" if heard.kind == "refusal" else "states"


def _grouped(user: User) -> Iterator[tuple[int, ...]]:
    """The wishes, counted from 0, as they are said together."""
    group: list[int] = []
    for number, wish in enumerate(user.wishes):
        if group and not wish.joined:
            yield tuple(group)
            group = []
        group.append(number)
    yield tuple(group)
