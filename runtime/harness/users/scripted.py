"""The user without a model: one wish after another, true answers, and an end when all wishes were seen to."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Literal

from runtime.harness.user import SimulatedUser, UserReply
from runtime.harness.users.hearing import Heard, Part, hear
from runtime.harness.users.knowledge import Knowledge, Known, learn
from runtime.harness.users.objections import find_wrong
from runtime.harness.users.phrases import LEAVE, PENDING
from runtime.harness.users.questions import Told, answer_question, find_sentence, leaves_choice, names, names_partly
from runtime.harness.users.topics import merge_deeds, topics_of_words
from runtime.task.task import Task
from runtime.verification.text import normalise
from runtime.verification.words import stem

_TEXT = 7  # words; a fact of as many is no name but something written
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
    seen_to = seen_to and not _is_pending(knowledge, wish, heard)
    wrong = find_wrong(heard, knowledge.of(wish), knowledge.wishes[wish].text)
    told, unknown, quoted = _answer_questions(knowledge, wish, heard)
    agrees = declines = False
    for part in () if wrong else heard.acts("check", "offer", "yes_or_no"):
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
    if part.act == "check" and LEAVE.search(part.text.lower()) and not leaves_choice(part.text):
        return _answer_leave(part, heard, knowledge, wish, seen_to)
    proposed = _proposed(part.text)
    wished = _wished(knowledge, wish)
    fits = not proposed or len(proposed & wished) * 2 >= len(proposed)
    denied = find_sentence(proposed, knowledge, wish, denying=True) if not _DENIES.search(part.text) else ""
    if not denied and _CHANGES.search(part.text):
        denied = find_sentence(proposed, knowledge, wish, keeping=True)
    answer = answer_question(part.text, heard, knowledge, wish)
    if leaves_choice(part.text):
        if answer.facts and all(names(part.text, each) for each in answer.facts):
            return answer
        if seen_to and part.act == "offer":
            return "no"
        sentence = find_sentence(topics_of_words(part.text), knowledge, wish) if part.act == "check" else ""
        return Told(sentence=sentence) if sentence else "unknown"
    if part.act == "check":
        if heard.has("refusal"):
            alternative = bool(_INSTEAD.search(part.text)) or len(proposed & wished) < 2
            return "no" if proposed and alternative else "yes"
        if seen_to:
            return "yes" if proposed and fits else "no"
        few = len(proposed) < 4 or bool(_CONFIRMS.search(part.text))
        if _ADDS.search(part.text) and few and answer.facts and not _mentions_any(heard, answer.facts):
            return answer
        return Told(sentence=denied) if denied else "yes"
    if _PROPOSES.match(part.text):
        return "unknown"
    if _LEAVE.match(part.text.lower()):
        answer = Told()
    if answer.facts and all(names_partly(part.text, each) for each in answer.facts):
        return "yes"
    if seen_to and part.act == "offer":
        return "no"
    if denied:
        return Told(sentence=denied)
    if part.act == "yes_or_no" and proposed and fits and not _HAS.match(part.text.lower()):
        return "yes"
    if part.act == "offer" and _EXTRA.search(part.text):
        return "unknown"
    if answer.facts and ((part.act == "offer" and _ADDS.search(part.text)) or _HAS.match(part.text.lower())):
        return answer
    restricting = find_sentence(proposed, knowledge, wish, denying=True, keeping=True)
    if restricting:
        return Told(sentence=restricting)
    return "yes" if proposed and fits else "unknown"


def _answer_leave(
    part: Part, heard: Heard, knowledge: Knowledge, wish: int, seen_to: bool
) -> Told | Literal["yes", "decline"]:
    """Yes to carrying out what was wished, of whichever wish said so far; no to anything beyond."""
    match = _DEED.search(part.text)
    asked = match[1] or match[2] if match else part.text
    about = asked if _proposed(asked) else _announced(part, heard)
    answer = answer_question(part.text, heard, knowledge, wish)
    few = len(_proposed(part.text)) < 4 or bool(_CONFIRMS.search(part.text))
    if _ADDS.search(part.text) and few and answer.facts and not _mentions_any(heard, answer.facts):
        return answer
    proposed = _proposed(about) - _named(knowledge, wish)
    denied = _find_denied(part.text, proposed, knowledge, wish)
    if denied:
        return Told(sentence=denied)
    is_extra = bool(_EXTRA.search(asked))
    if not (seen_to or is_extra) or not (about == asked or _COULD.search(about)):
        return "yes"
    shared = max(len(proposed & _wished(knowledge, each)) for each in range(wish + 1))
    if heard.has("refusal") and not _INSTEAD.search(about) and shared > 1:
        return "yes"
    return "yes" if shared * 2 >= len(proposed) + is_extra or not proposed else "decline"


def _announced(part: Part, heard: Heard) -> str:
    """What was said before a question such as `Shall I do that?`, since the last report."""
    texts: list[str] = []
    for each in heard.parts[: heard.parts.index(part)]:
        texts = [] if each.act in ("report", "refusal") else [*texts, each.text]
    return " ".join(texts)


def _find_denied(text: str, proposed: frozenset[str], knowledge: Knowledge, wish: int) -> str:
    """The user's sentence that rules out most of what is proposed."""
    if _DENIES.search(text):
        return ""
    changes = bool(_CHANGES.search(text))
    for said in reversed(knowledge.wishes[: wish + 1]):
        for each in said.restrictions:
            shared = len(proposed & merge_deeds(each.words))
            if shared and shared * 2 >= len(proposed) and (each.denies or (each.keeps and changes)):
                return each.sentence
    return ""


def _named(knowledge: Knowledge, wish: int) -> frozenset[str]:
    """The words of the facts told so far: who, what and when it is about, not what is done."""
    return frozenset().union(*(topics_of_words(each.said) for each in knowledge.facts if each.wish <= wish and len(each.said.split()) < _TEXT))


def _mentions_any(heard: Heard, facts: Sequence[Known]) -> bool:
    return any(names(part.text, each) for part in heard.parts for each in facts)


def _wished(knowledge: Knowledge, wish: int) -> frozenset[str]:
    """The words of a wish and of its facts, with those of the wish that it points back to."""
    words = knowledge.wishes[wish].words.union(*(topics_of_words(each.said) for each in knowledge.of(wish)))
    words = merge_deeds(words)
    return words | _wished(knowledge, wish - 1) if wish and knowledge.wishes[wish].points_back else words


def _proposed(text: str) -> frozenset[str]:
    return merge_deeds(topics_of_words(text) - _EMPTY)


def _react(knowledge: Knowledge, conversation: Conversation, heard: Heard, *, thanks: str = "Thank you.") -> Move:
    """The assistant waits for nothing in particular: the wish is done, refused, under way, or came to nothing."""
    wish = conversation.wish
    if _is_pending(knowledge, wish, heard):
        return Move("wait", _URGES) if conversation.replies < 2 else _repeat(knowledge, conversation)
    if heard.last_deed in ("report", "refusal") or (heard.last_deed == "pending" and heard.has("report", "refusal")):
        return _move_on(knowledge, wish, thanks)
    if heard.last_deed == "promise":
        return Move("wait", _WAITS)
    if heard.last_deed == "not_found":
        return _repeat(knowledge, conversation)
    if heard.has("statement", "item"):
        if not knowledge.wishes[wish].acts:
            return _move_on(knowledge, wish, thanks)
        if conversation.replies < 2:
            return Move("wait", _URGES)
        return _repeat(knowledge, conversation)
    if heard.has("agreement") and not conversation.repeats and conversation.replies < 3:
        return Move("wait", _WAITS)
    return _repeat(knowledge, conversation)


def _is_pending(knowledge: Knowledge, wish: int, heard: Heard) -> bool:
    """Whether something wished is said not to be done yet; a draft that is not sent yet may be right so."""
    wished = _wished(knowledge, wish) | _ANY_DEED
    return any(
        wished & {stem(verb) for verb in _UNDONE.findall(part.text.lower())}
        and not _find_denied("", _proposed(part.text), knowledge, wish)
        for part in heard.acts("pending", "check")
        if PENDING.search(part.text.lower())
    )


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
_URGES = "Please go ahead with it, I'll wait."
_INSTEAD = re.compile(r"\b(?:instead|alternatively|rather)\b", re.IGNORECASE)
_CHANGES = re.compile(r"\b(?:change|update|replace|remove|delete|edit|alter|modify)\b", re.IGNORECASE)
_ADDS = re.compile(
    r"\b(?:add|include|use|set|attach|enter|leave|provide|specify) (?:a|an|any|some)\b|\b(?:confirm|verify)\b",
    re.IGNORECASE,
)
_LEAVE = re.compile(r"(?:should|shall|can|may|will|must|does|did|has|have)\b")
_COULD = re.compile(r"\b(?:could|can)\b", re.IGNORECASE)
_DEED = re.compile(r"\b(?:shall|should|may|can|could) (?:i|we) ([^(:\"]+)|\b(?:me|us) to ([^(:\"]+)", re.IGNORECASE)
_UNDONE = re.compile(r"\b(?:\w{2,}ed|done|made|sent|set|put|taken|written)\b|(?<=\bbefore i )\w+|(?<=\bto )\w+")
_ANY_DEED = frozenset(stem(verb) for verb in ("done", "changed", "made", "touched", "started", "happened", "carried"))
_EXTRA = re.compile(r"\b(?:as well|also|in addition|additionally|too)\b", re.IGNORECASE)
_CONFIRMS = re.compile(r"\b(?:confirm|verify) (?:the|your|which|what|who|when)\b", re.IGNORECASE)
_PROPOSES = re.compile(r"(?:would|could|can|how about|what about) (?!you\b)", re.IGNORECASE)
_HAS = re.compile(r"(?:(?:so|and|for) .*, )?(?:is|are|was|were) (?:the|your|there|it|this|that)\b|(?:do|did) you\b")
_DENIES = re.compile(r"\b(?:no|not|none|without|leave|don't|except|never)\b", re.IGNORECASE)
_EMPTY = frozenset(
    [
        "confirm",
        "continu",
        "ahead",
        "proce",
        "detail",
        "everyth",
        "look",
        "sound",
        "abov",
        "inform",
        "sum",
        "summary",
        "chang",
        "updat",
        "add",
        "includ",
        "number",
        "put",
        "set",
        "rest",
        "remain",
        "other",
        "describ",
        "yes",
        "do",
        "done",
        "make",
    ]
)
