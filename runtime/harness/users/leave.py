"""Whether the user lets the assistant do what it asks leave for, and whether something wished is still to be done."""

from __future__ import annotations

import re
from typing import Literal

from runtime.harness.users.deeds import PENDING, PLAN
from runtime.harness.users.hearing import Heard, HeardClause
from runtime.harness.users.knowledge import UserKnowledge
from runtime.harness.users.patterns import read_words
from runtime.harness.users.phrases import CHANGES, DENIES, EXTRA, GO, INSTEAD, LEAVE
from runtime.harness.users.questions import leaves_choice
from runtime.harness.users.topics import merge_deeds, topics_of_words
from runtime.verification.text.words import stem

_TEXT = 7  # words; a fact of as many is not a name but something written


def asks_leave(part: HeardClause, heard: Heard) -> bool:
    """Whether a question asks leave to do something, rather than whether something is so."""
    text = part.text.lower()
    if part.act != "check" or (leaves_choice(text) and not GO.search(text)):
        return False
    return bool(LEAVE.search(text) or PLAN.search(_announced(part, heard)))


def may_ask_leave(part: HeardClause, heard: Heard, knowledge: UserKnowledge, wish: int, seen_to: bool) -> bool:
    """Whether a question that is not understood otherwise can only ask leave: it ends a plan, and names nothing else.

    What it names is part of the plan or was wished, or tells that one agrees, or it is said of the whole plan.
    """
    text, announced = part.text.lower().replace("n't", ""), _announced(part, heard)
    later = heard.parts[heard.parts.index(part) + 1 :]
    if heard.has("refusal") or any(each.act in ("ask", "report", "not_found") for each in later):
        return False
    if _ASKS_WHAT.search(text) or _ASKS_PAST.match(text) or leaves_choice(text) or INSTEAD.search(text):
        return False
    wished, plan = wished_words(knowledge, wish), proposed_words(announced)
    proposed = proposed_words(text)
    is_planned = bool(PLAN.search(announced) or len(plan & wished) > 1) and bool(plan)
    if seen_to and not (is_planned and _plans(part, heard)):
        return False
    if not (is_planned or proposed & wished):
        return False
    values = set(re.findall(r"\d+", text)) - set(re.findall(r"\d+", announced))
    strange = proposed - wished - plan - _AGREEING
    if values or not strange:
        return not values
    names_thing = any(topics_of_words(noun) & strange for noun in _THING.findall(text))
    of_plan = _OF_PLAN.search(text) or (proposed & _AGREEING and _DEMONSTRATIVE.search(text))
    return is_planned and not names_thing and bool(of_plan)


def _plans(part: HeardClause, heard: Heard) -> bool:
    """Whether something is promised or proposed between the last report and a question."""
    before = heard.parts[: heard.parts.index(part)]
    reported = max((at for at, each in enumerate(before) if each.act == "report"), default=-1)
    return any(each.act == "promise" or _WOULD.search(each.text) for each in before[reported + 1 :])


def give_leave(part: HeardClause, heard: Heard, knowledge: UserKnowledge, wish: int) -> Literal["yes", "decline"]:
    """Yes to carrying out what was wished, in whole or in part, of whichever wish said so far; no to more than that."""
    if _AS_SAID.search(part.text):
        return "yes"
    asked = _asked(part)
    about = asked if proposed_words(asked) else _announced(part, heard)
    others = set(_OTHER.findall(asked))
    is_extra, is_offer = bool(EXTRA.search(_PARTICULARS.split(part.text)[0]) or others), bool(_OFFERS.search(part.text))
    if not (_has_acted(heard, knowledge, wish) or is_extra) or not (about == asked or _COULD.search(about)):
        return "yes"
    proposed = proposed_words(about) - _named(knowledge, wish) | (others - {"next"})
    shared = max(len(proposed & wished_words(knowledge, each)) for each in range(wish + 1))
    if heard.has("refusal") and INSTEAD.search(about):
        return "decline"
    if not proposed or (heard.has("refusal") and shared > 1):
        return "yes"
    if is_extra or is_offer:
        return "yes" if shared * 2 > len(proposed) else "decline"
    return "yes" if shared * 4 >= len(proposed) else "decline"


def names_stranger(part: HeardClause, heard: Heard, knowledge: UserKnowledge, wish: int) -> bool:
    """Whether all that a question asks leave for is a thing of which nobody has spoken: `a template`, `your car`."""
    asked = _asked(part).lower()
    things = frozenset().union(*map(topics_of_words, _STRANGER.findall(asked)))
    spoken = frozenset().union(*(wished_words(knowledge, each) for each in range(wish + 1)))
    spoken |= proposed_words(_announced(part, heard))
    return bool(things) and not _BACK.search(asked) and not proposed_words(asked) & spoken


def take_offer(part: HeardClause, knowledge: UserKnowledge, wish: int) -> Literal["yes", "decline"]:
    """What the user says to something offered after a report: yes only to what it wished in mostly those words."""
    proper = [topics_of_words(each.said) for each in knowledge.facts if each.wish <= wish and _PROPER.search(each.said)]
    proposed = proposed_words(part.text).difference(*proper)
    fits = len(proposed & wished_words(knowledge, wish)) * 2 > len(proposed)
    return "yes" if fits and not EXTRA.search(part.text) else "decline"


def find_denial(part: HeardClause, heard: Heard, knowledge: UserKnowledge, wish: int) -> str:
    """The user's sentence that rules out most of what the assistant asks leave for; empty if none does."""
    if DENIES.search(part.text):
        return ""
    asked = _asked(part)
    proposed = proposed_words(asked if proposed_words(asked) else _announced(part, heard)) - _named(knowledge, wish)
    return _find_denied(proposed, knowledge, wish, changes=bool(CHANGES.search(part.text)))


def is_pending(knowledge: UserKnowledge, wish: int, heard: Heard) -> bool:
    """Whether something wished is said not to be done yet; a draft that is not sent yet may be right so."""
    wished = wished_words(knowledge, wish) | _ANY_DEED
    is_done = _is_done(heard, wished)
    texts = [part.text.lower() for part in heard.parts if not (is_done and _UNTOUCHED.search(part.text))]
    return any(_is_wished(text, wished, knowledge, wish) for text in texts)


def wished_words(knowledge: UserKnowledge, wish: int) -> frozenset[str]:
    """The words of a wish and of its facts, with those of the wish that it points back to."""
    words = knowledge.wishes[wish].words.union(*(topics_of_words(each.said) for each in knowledge.of(wish)))
    words = merge_deeds(words)
    return words | wished_words(knowledge, wish - 1) if wish and knowledge.wishes[wish].points_back else words


def proposed_words(text: str) -> frozenset[str]:
    """The words of a question that tell what it would do."""
    return merge_deeds(frozenset(word for word in topics_of_words(text) - _EMPTY if not word.isdigit()))


def _is_done(heard: Heard, wished: frozenset[str]) -> bool:
    """Whether a deed is reported, and it is the wished one or is not named."""
    done = [proposed_words(part.text) for part in heard.acts("report") if not _BYGONE.search(part.text)]
    return any(len(words & wished) * 2 >= len(words) for words in done)


def _is_wished(text: str, wished: frozenset[str], knowledge: UserKnowledge, wish: int) -> bool:
    if not PENDING.search(text) or _find_denied(proposed_words(text), knowledge, wish):
        return False
    undone = merge_deeds(frozenset(stem(verb) for verb in _UNDONE.findall(text)))
    return bool(undone & wished or _STILL.search(text) or _HAS_NOT.search(text))


def _asked(part: HeardClause) -> str:
    """What is asked leave for, without its particulars."""
    match = _DEED.search(part.text)
    return match[1] or match[2] if match else ""


def _announced(part: HeardClause, heard: Heard) -> str:
    """What was said before a question such as `Shall I do that?`, since the last report."""
    texts: list[str] = []
    for each in heard.parts[: heard.parts.index(part)]:
        acted = each.act == "refusal" or (each.act == "report" and not _BYGONE.search(each.text))
        texts = [] if acted else [*texts, each.text]
    return " ".join(texts)


def _has_acted(heard: Heard, knowledge: UserKnowledge, wish: int) -> bool:
    """Whether it says what it has done, or will not do, about the wish; what was so before is not its own deed."""
    if heard.has("refusal") or any(not _BYGONE.search(part.text) for part in heard.acts("report")):
        return True
    return not knowledge.wishes[wish].acts and heard.has("statement", "item")


def _find_denied(proposed: frozenset[str], knowledge: UserKnowledge, wish: int, *, changes: bool = False) -> str:
    named = _named(knowledge, wish) | _LEFT_OUT
    for said in reversed(knowledge.wishes[: wish + 1]):
        for each in said.restrictions:
            shared = len(proposed & merge_deeds(each.words - named))
            if shared and shared * 2 >= len(proposed) and (each.denies or (each.keeps and changes)):
                return each.sentence
    return ""


def _named(knowledge: UserKnowledge, wish: int) -> frozenset[str]:
    """The words of the names told so far: who and what it is about, not what is done."""
    names = [each.said for each in knowledge.facts if each.wish <= wish and len(each.said.split()) < _TEXT]
    return frozenset().union(*map(topics_of_words, names))


_DEED = re.compile(r"\b(?:shall|should|may|can|could) (?:i|we) ([^(:\"]+)|\b(?:me|us) to ([^(:\"]+)", re.IGNORECASE)
_PARTICULARS = re.compile(r"[(:\"]")
_ASKS_WHAT = re.compile(  # but `what you wanted` asks nothing
    r"\b(?:who|whom|whose|which|when|where|why)\b|\b(?:what|how)\b(?! (?:you|we|i)\b)"
    r"|^(?:\W|so|and|then|also|okay|well|\w+(?= (?:what|how)\b))*(?:what|how)\b",
)
_ASKS_PAST = re.compile(
    r"(?:and |so )?(?:(?:did|have|had|has|were|was) (?:you|your|there|it)|(?:is|are) there)\b(?! any)"
)
_THING = re.compile(r"\b(?:an?|the|any|some|your|his|her|their) (\w+)")
_WOULD = re.compile(r"\b(?:i|we)(?:'d| would)\b(?! (?:be|like|love)\b)", re.IGNORECASE)
_STRANGER = re.compile(r"\b(?:an?|some|your|his|her|their) (\w+)")
_BACK = re.compile(r"\b(?:it|this|that|these|those|them|so|everything|all)\b")
_OF_PLAN = re.compile(
    r"\b(?:everything|all|(?:the|this|that|my) (?:plan|proposal|approach|above|whole|steps)|we)\b"
    r"|\b(?:with|for|about|to|of|like|on|by|behind|against) (?:it|them|me|us|this|that|these|those)\W*$"
)
_DEMONSTRATIVE = re.compile(r"\b(?:this|that|these|those)\b")
_AGREEING = frozenset(  # what a plan may be to somebody, and what one does with it
    stem(word)
    for word in read_words(
        """
        accept acceptable acceptance accurate adjust agree agreeable agreement ahead aligned amend anything
        apply approach approval approve before board care clear comfortable commit complete concern consent content
        correction cover deal exactly execute expect expectation fair final fine fit fix forward go good great
        green hesitation hold idea intend intention interest keen last light like line mark match matter meet
        mind miss mistake need nod object objection obstacle okay order page perfect perform permission picture
        plain plan pleased prevent problem proper proposal push ready reason reasonable reflect request run same
        satisfactory satisfied save sense sensible settle sign signal something stand start step stop suit
        suitable thing think thought thumb track trouble true understand understanding use version want way well
        willing wish word work worry wrong yes
        """
    )
)
_AS_SAID = re.compile(
    r"\byou(?:'ve| have)? (?:gave|given|said|told|asked|wanted|requested|described|wrote)\b", re.IGNORECASE
)
_OTHER = re.compile(r"\b(?:other|another|further|next)\b")  # another thing than what was wished
_PROPER = re.compile("[A-Z]")
_OFFERS = re.compile(r"\b(?:me|us) to\b", re.IGNORECASE)
_COULD = re.compile(r"\b(?:could|can)\b", re.IGNORECASE)
_BYGONE = re.compile(
    r"^(?!.*\b(?:i|i've|we|now|been|done)\b)(?:.*\balready\b|(?!.*\b(?:is|are)\b).*\b(?:was|were|had|stays?"
    r"|remains?)\b)",
    re.IGNORECASE,
)
_HAS_NOT = re.compile(r"\b(?:i|we) (?:have not|haven't|did not|didn't)\b")
# What was let alone; what is to come is `not done yet`.
_UNTOUCHED = re.compile(r"^(?!.*\b(?:yet|so far|still|before|until|to be)\b).*\b(?:touch|chang|alter)", re.IGNORECASE)
_STILL = re.compile(r"\bstill (?:to|has|have|needs?)\b|\bbefore i\b")
_UNDONE = re.compile(r"\b(?:\w{2,}ed|done|made|sent|set|put|taken|written|lent)\b|(?<=\bto )\w+")
_ANY_DEED = frozenset(stem(verb) for verb in ("done", "changed", "made", "touched", "started", "happened", "carried"))
_LEFT_OUT = {stem("leave")}  # not the deed of who leaves a note
_EMPTY = frozenset(
    stem(word)
    for word in read_words(
        """
        confirm continue ahead proceed detail everything look sound above information sum summary change update
        do done make create begin start carry perform record register compose add include number put set enter
        save rest remaining take step try again described yes
        """
    )
)
