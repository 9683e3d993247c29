"""The user without a model: one wish after another, true answers, and an end when all wishes were seen to."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Literal

from runtime.harness.user import SimulatedUser, UserReply
from runtime.harness.users.hearing import Heard, Part, hear
from runtime.harness.users.knowledge import Knowledge, Known, learn
from runtime.harness.users.leave import (
    asks_leave,
    find_denial,
    give_leave,
    is_pending,
    proposed_words,
    take_offer,
    wished_words,
)
from runtime.harness.users.objections import find_wrong
from runtime.harness.users.phrases import CHANGES, DENIES, EXTRA, INSTEAD
from runtime.harness.users.questions import (
    Told,
    answer_question,
    find_sentence,
    leaves_choice,
    names,
    names_in_words,
    names_partly,
)
from runtime.harness.users.topics import topics_of_words
from runtime.task.task import Task
from runtime.verification.text import normalise

MOST_REPEATS = 2  # of a wish that gets nothing of use back
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

    def __init__(self, knowledge: Knowledge) -> None:
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


def choose_move(knowledge: Knowledge, conversation: Conversation, said: str) -> Move:
    """What the user does about a message; the conversation is left as it is."""
    wish = conversation.wish
    if conversation.replies >= MOST_REPLIES + len(knowledge.of(wish)):
        return _move_on(knowledge, wish, _NEVER_MIND, gives_up=True)
    heard = hear(said, knowledge.texts)
    if normalise(said) in conversation.heard and heard.last_deed not in ("report", "refusal"):
        return _repeat(knowledge, conversation)
    return _answer(knowledge, conversation, heard) or _react(knowledge, conversation, heard)


def _answer(knowledge: Knowledge, conversation: Conversation, heard: Heard) -> Move | None:
    """What the assistant is waiting for: a fact set right, facts it asks for, a yes. None if it waits for nothing."""
    wish = conversation.wish
    seen_to = heard.has("report", "refusal") or (not knowledge.wishes[wish].acts and heard.has("statement", "item"))
    seen_to = seen_to and not is_pending(knowledge, wish, heard)
    wrong = find_wrong(heard, knowledge.of(wish), knowledge.wishes[wish].text)
    asking = heard.acts("check", "offer", "yes_or_no")
    if wrong and asking and all(_is_beyond(part, heard, knowledge, wish) for part in asking):
        wrong = []  # what is not wanted at all is not set right
    told, unknown, quoted = _answer_questions(knowledge, wish, heard)
    agrees = declines = False
    for part in () if wrong else asking:
        reply = _answer_check(part, heard, knowledge, wish, seen_to)
        agrees = agrees or reply == "yes"
        declines = declines or reply == "decline"
        unknown = unknown or reply == "unknown"
        if isinstance(reply, Told):
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
    if unknown and not (wrong or agrees or quoted) and (told or not (seen_to and not heard.has("ask"))):
        sentences.append(_KNOWS_NO_MORE if told else _UNKNOWN)
    if declines and not sentences:
        reaction = _react(knowledge, conversation, heard, thanks=_DECLINES)
        return reaction if reaction.kind in ("next", "end") else Move("answer", _DECLINES)
    if declines:
        sentences.append(_NOTHING_MORE)
    return Move("answer", " ".join(sentences)) if sentences else None


def _answer_questions(knowledge: Knowledge, wish: int, heard: Heard) -> tuple[list[Known], bool, list[str]]:
    told: list[Known] = []
    quoted: list[str] = []
    unknown = False
    for part in heard.acts("ask"):
        answer = answer_question(part.text, heard, knowledge, wish)
        told += [each for each in answer.facts if each not in told]
        if answer.sentence and answer.sentence not in quoted:
            quoted.append(answer.sentence)
        unknown = unknown or not (answer.facts or answer.sentence)
    return told, unknown, quoted


def _answer_check(
    part: Part, heard: Heard, knowledge: Knowledge, wish: int, seen_to: bool
) -> Told | Literal["yes", "unknown", "no", "decline"]:
    """Yes to what was wished, a fact where one is in question, the user's own words where they decide it."""
    proposed = proposed_words(part.text)
    wished = wished_words(knowledge, wish)
    fits = not proposed or len(proposed & wished) * 2 >= len(proposed)
    denied = find_sentence(proposed, knowledge, wish, denying=True) if not DENIES.search(part.text) else ""
    if not denied and CHANGES.search(part.text):
        denied = find_sentence(proposed, knowledge, wish, keeping=True)
    answer = answer_question(part.text, heard, knowledge, wish)
    few = len(proposed) < 4 or bool(_CONFIRMS.search(part.text))
    lacks = _ADDS.search(part.text) and few and answer.facts and not _mentions_any(heard, answer.facts)
    if asks_leave(part, heard):
        leave = give_leave(part, heard, knowledge, wish)
        if leave == "decline":
            return leave
        if lacks:
            return answer
        denial = find_denial(part, heard, knowledge, wish)
        return Told(sentence=denial) if denial else leave
    if leaves_choice(part.text):
        if answer.facts and all(names_in_words(part.text, each) for each in answer.facts):
            return answer
        if seen_to and part.act == "offer":
            return "decline"
        sentence = find_sentence(topics_of_words(part.text), knowledge, wish) if part.act == "check" else ""
        return Told(sentence=sentence) if sentence else "unknown"
    if part.act == "check":
        if heard.has("refusal"):
            alternative = bool(INSTEAD.search(part.text)) or len(proposed & wished) < 2
            return "no" if proposed and alternative else "yes"
        if seen_to:
            return "yes" if proposed and fits else "no"
        if lacks:
            return answer
        return Told(sentence=denied) if denied else "yes"
    if _PROPOSES.match(part.text):
        return "unknown"
    if _LEAVE.match(part.text.lower()):
        answer = Told()
    if answer.facts and all(names_partly(part.text, each) for each in answer.facts):
        return "yes"
    if seen_to and part.act == "offer":
        return take_offer(part, knowledge, wish)
    if denied:
        return Told(sentence=denied)
    if part.act == "yes_or_no" and proposed and fits and not _HAS.match(part.text.lower()):
        return "yes"
    if part.act == "offer" and EXTRA.search(part.text):
        return "decline"
    if answer.facts and ((part.act == "offer" and _ADDS.search(part.text)) or _HAS.match(part.text.lower())):
        return "unknown" if _IS_A.match(part.text) and not proposed <= wished else answer
    if _HAS.match(part.text.lower()):
        fits = len(proposed & wished) * 2 > len(proposed)
    restricting = find_sentence(proposed, knowledge, wish, denying=True, keeping=True)
    if restricting:
        return Told(sentence=restricting)
    return "yes" if proposed and fits else "unknown"


def _is_beyond(part: Part, heard: Heard, knowledge: Knowledge, wish: int) -> bool:
    return asks_leave(part, heard) and give_leave(part, heard, knowledge, wish) == "decline"


def _mentions_any(heard: Heard, facts: Sequence[Known]) -> bool:
    return any(names(part.text, each) for part in heard.parts for each in facts)


def _react(knowledge: Knowledge, conversation: Conversation, heard: Heard, *, thanks: str = "Thank you.") -> Move:
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


def _urge(knowledge: Knowledge, conversation: Conversation) -> Move:
    return Move("wait", _URGES) if conversation.replies < 2 else _repeat(knowledge, conversation)


def _repeat(knowledge: Knowledge, conversation: Conversation) -> Move:
    wish = conversation.wish
    if conversation.repeats >= MOST_REPEATS:
        return _move_on(knowledge, wish, _NEVER_MIND, gives_up=True)
    unsaid = [each for each in knowledge.of(wish) if not names(knowledge.wishes[wish].text, each)]
    text = f"{knowledge.wishes[wish].text} {_say_facts(unsaid, labelled=True)}".strip()
    return Move("repeat", f"What I want is this: {text}")


def _move_on(knowledge: Knowledge, wish: int, thanks: str, *, gives_up: bool = False) -> Move:
    if wish + 1 < len(knowledge.wishes):
        return Move("next", f"{thanks} {knowledge.wishes[wish + 1].text}", gives_up)
    return Move("end", f"{thanks} That was all, goodbye.", gives_up)


def _say_facts(facts: Sequence[Known], *, labelled: bool = False) -> str:
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
_UNKNOWN = "I don't know; whatever is usual is fine."
_KNOWS_NO_MORE = "I don't know the rest; whatever is usual is fine."
_WAITS = "Okay, go ahead, I'll wait."
_URGES = "Please go ahead with what I asked for, I'll wait."
_ADDS = re.compile(
    r"\b(?:add|include|use|set|attach|enter|leave|provide|specify) (?:a|an|any|some)\b|\b(?:confirm|verify)\b",
    re.IGNORECASE,
)
_LEAVE = re.compile(r"(?:should|shall|can|may|will|must|does|did|has|have)\b")
_CONFIRMS = re.compile(r"\b(?:confirm|verify) (?:the|your|which|what|who|when)\b", re.IGNORECASE)
_PROPOSES = re.compile(r"(?:would|could|can|how about|what about) (?!you\b)", re.IGNORECASE)
_IS_A = re.compile(r"(?:is|was) (?:it|this|that) an? ", re.IGNORECASE)
_HAS = re.compile(r"(?:(?:so|and|for) .*, )?(?:is|are|was|were) (?:the|your|there|it|this|that)\b|(?:do|did) you\b")
