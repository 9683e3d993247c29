"""The user without a model: one wish after another, true answers, and an end when all wishes were seen to."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Literal

from runtime.harness.user import SimulatedUser, UserReply
from runtime.harness.users.checks import answer_check, hear_leave
from runtime.harness.users.hearing import Heard, HeardClause, hear
from runtime.harness.users.knowledge import UserFact, UserKnowledge, learn
from runtime.harness.users.leave import asks_leave, give_leave, is_pending, wished_words
from runtime.harness.users.objections import find_wrong
from runtime.harness.users.questions import FactsToTell, answer_question, names
from runtime.harness.users.topics import topics_of_words
from runtime.task.task import Task
from runtime.verification.text.match import normalise

MOST_REPEATS = 2  # of a wish that gets nothing of use back
MOST_DOUBTS = 2  # replies to a question beside a report; then the report is taken for what it seems
MOST_REPLIES = 12  # about one wish, and one more for each of its facts; then the user moves on

Kind = Literal["answer", "wait", "repeat", "next", "end"]


@dataclass(frozen=True)
class Move:
    """What the user does: `next` says the next wish, `end` goodbye; `gives_up` if the present one came to nothing."""

    kind: Kind
    text: str
    gives_up: bool = False


class ScriptedKind:
    """`--user scripted`."""

    name = "scripted"
    converses = True

    def meet(self, task: Task, seed: int) -> SimulatedUser:
        """A user for a task; it draws nothing, so the seed does not matter."""
        return ScriptedUser(learn(task.user))


@dataclass
class Conversation:
    """How far the user has come: which wish it said last, and what was said about it since."""

    wish: int = -1
    replies: int = 0
    repeats: int = 0
    heard: set[str] = field(default_factory=set)

    def say_wish(self, wish: int) -> None:
        """The next wish was said."""
        self.wish, self.replies, self.repeats = wish, 0, 0
        self.heard.clear()

    def note(self, said: str, move: Move) -> None:
        """A reply was given to what the assistant said."""
        if move.kind == "next":
            self.say_wish(self.wish + 1)
            return
        self.heard.add(normalise(said))
        self.replies += 1
        self.repeats += move.kind == "repeat"


class ScriptedUser:
    """One user in one episode; the same conversation always gets the same replies."""

    def __init__(self, knowledge: UserKnowledge) -> None:
        self.knowledge = knowledge
        self.conversation = Conversation()

    async def open(self) -> UserReply:
        """The first wish, word for word."""
        self.conversation.say_wish(0)
        return UserReply(self.knowledge.wishes[0].text)

    async def reply(self, said: str) -> UserReply:
        """The answer to what the assistant said."""
        move = choose_move(self.knowledge, self.conversation, said)
        self.conversation.note(said, move)
        return UserReply(move.text, ends=move.kind == "end")


def choose_move(knowledge: UserKnowledge, conversation: Conversation, said: str) -> Move:
    """What the user does about a message; the conversation is left as it is."""
    wish = conversation.wish
    if conversation.replies >= MOST_REPLIES + len(knowledge.of(wish)):
        return _move_on(knowledge, wish, _NEVER_MIND, gives_up=True)
    heard = hear(said, knowledge.texts)
    if normalise(said) in conversation.heard and heard.last_deed not in ("report", "refusal"):
        return _repeat(knowledge, conversation)
    return _answer(knowledge, conversation, heard) or _react(knowledge, conversation, heard)


def _answer(knowledge: UserKnowledge, conversation: Conversation, heard: Heard) -> Move | None:
    """What the assistant is waiting for: a fact set right, facts it asks for, a yes. None if it waits for nothing."""
    wish = conversation.wish
    seen_to = heard.has("report", "refusal") or (not knowledge.wishes[wish].acts and heard.has("statement", "item"))
    seen_to = seen_to and not is_pending(knowledge, wish, heard)
    heard = hear_leave(heard, knowledge, wish, seen_to)
    wrong = find_wrong(heard, knowledge.of(wish), knowledge.wishes[wish].text)
    asking = heard.acts("check", "offer", "yes_or_no")
    if wrong and asking and all(_is_beyond(part, heard, knowledge, wish) for part in asking):
        wrong = []  # what is not wanted at all is not set right
    told, unknown, quoted = _answer_questions(knowledge, wish, heard)
    agrees = declines = False
    for part in () if wrong else asking:
        reply = answer_check(part, heard, knowledge, wish, seen_to)
        agrees = agrees or reply == "yes"
        declines = declines or reply == "decline"
        unknown = unknown or reply == "unknown"
        if isinstance(reply, FactsToTell):
            told += [each for each in reply.facts if each not in told]
            quoted += [reply.sentence] if reply.sentence and reply.sentence not in quoted else []
    if wrong:
        told = [each for each in told if each not in wrong]
        sentences = [f"No, {_say_facts(wrong)}"]
    else:
        sentences = [_AGREES] if agrees and not quoted else []
    if told:
        sentences.append(_say_facts(told))
    sentences += quoted
    is_done = conversation.replies >= MOST_DOUBTS or any(_SURELY.search(part.text) for part in heard.acts("report"))
    if unknown and not (wrong or agrees or quoted) and (told or heard.has("ask") or not (seen_to and is_done)):
        sentences.append(_KNOWS_NO_MORE if told else _UNKNOWN)
    if declines and not sentences and _names_a_rest(heard, knowledge, wish):
        return Move("answer", _UNKNOWN)
    if declines and not sentences:
        reaction = _react(knowledge, conversation, heard, thanks=_DECLINES)
        return reaction if reaction.kind in ("next", "end") else Move("answer", _DECLINES)
    if declines:
        sentences.append(_NOTHING_MORE)
    return Move("answer", " ".join(sentences)) if sentences else None


def _answer_questions(knowledge: UserKnowledge, wish: int, heard: Heard) -> tuple[list[UserFact], bool, list[str]]:
    told: list[UserFact] = []
    quoted: list[str] = []
    unknown = False
    for part in heard.acts("ask"):
        answer = answer_question(part.text, heard, knowledge, wish)
        told += [each for each in answer.facts if each not in told]
        if answer.sentence and answer.sentence not in quoted:
            quoted.append(answer.sentence)
        unknown = unknown or not (answer.facts or answer.sentence)
    return told, unknown, quoted


def _names_a_rest(heard: Heard, knowledge: UserKnowledge, wish: int) -> bool:
    """Whether something of the wish is said to be still as it was: what is offered then may be the rest of it."""
    wished = wished_words(knowledge, wish)
    return any(_STILL.search(part.text) and topics_of_words(part.text) & wished for part in heard.acts("statement"))


def _is_beyond(part: HeardClause, heard: Heard, knowledge: UserKnowledge, wish: int) -> bool:
    return asks_leave(part, heard) and give_leave(part, heard, knowledge, wish) == "decline"


def _react(knowledge: UserKnowledge, conversation: Conversation, heard: Heard, *, thanks: str = "Thank you.") -> Move:
    """The assistant waits for nothing in particular: the wish is done, refused, under way, or came to nothing."""
    wish = conversation.wish
    if is_pending(knowledge, wish, heard):
        return _urge(knowledge, conversation)
    if heard.last_deed in ("report", "refusal") or (heard.last_deed == "pending" and heard.has("report", "refusal")):
        return _move_on(knowledge, wish, thanks)
    if heard.last_deed == "promise":
        return Move("wait", _WAITS)
    if heard.last_deed == "not_found":
        return _repeat(knowledge, conversation)
    if heard.has("statement", "item"):
        if not knowledge.wishes[wish].acts:
            return _move_on(knowledge, wish, thanks)
        return _urge(knowledge, conversation)
    if heard.has("pending"):
        return _urge(knowledge, conversation)
    if heard.has("agreement") and not conversation.repeats and conversation.replies < 3:
        return Move("wait", _WAITS)
    return _repeat(knowledge, conversation)


def _urge(knowledge: UserKnowledge, conversation: Conversation) -> Move:
    return Move("wait", _URGES) if conversation.replies < 2 else _repeat(knowledge, conversation)


def _repeat(knowledge: UserKnowledge, conversation: Conversation) -> Move:
    wish = conversation.wish
    if conversation.repeats >= MOST_REPEATS:
        return _move_on(knowledge, wish, _NEVER_MIND, gives_up=True)
    unsaid = [each for each in knowledge.of(wish) if not names(knowledge.wishes[wish].text, each)]
    text = f"{knowledge.wishes[wish].text} {_say_facts(unsaid, labelled=True)}".strip()
    return Move("repeat", f"What I want is this: {text}")


def _move_on(knowledge: UserKnowledge, wish: int, thanks: str, *, gives_up: bool = False) -> Move:
    if wish + 1 < len(knowledge.wishes):
        return Move("next", f"{thanks} {knowledge.wishes[wish + 1].text}", gives_up)
    return Move("end", f"{thanks} That was all, goodbye.", gives_up)


def _say_facts(facts: Sequence[UserFact], *, labelled: bool = False) -> str:
    if not facts:
        return ""
    if len(facts) == 1 and not labelled:
        return f"{facts[0].said}{'' if facts[0].said[-1:] in '.!?' else '.'}"
    ordered = sorted(facts, key=lambda each: each.wish)
    return "; ".join(f"{each.name.replace('_', ' ')}: {each.said}" for each in ordered) + "."


_AGREES = "Yes, please go ahead."
_DECLINES = "No, thank you, that's not needed."
_NOTHING_MORE = "Nothing beyond that is needed."
_NEVER_MIND = "Never mind, then."
_SURELY = re.compile(r"\bdone\b|\b(?:i|we)(?:'ve| have)\b|\bha(?:s|ve) been\b|\b(?:is|are) now\b", re.IGNORECASE)
_STILL = re.compile(r"\bstill (?:shows?|reads?|says?|stands?|is|are)\b", re.IGNORECASE)
# What was said may not have been understood, so these are true of leave that was asked for and of an extra as well.
_UNKNOWN = "I don't know; please do what I asked for as usual, and nothing beyond it."
_KNOWS_NO_MORE = "I don't know the rest; please do what I asked for as usual, and nothing beyond it."
_WAITS = "Okay, go ahead with what I asked for, I'll wait."
_URGES = "Please go ahead with what I asked for and nothing beyond it, I'll wait."
