"""What the user says to a question that a yes or a no may answer: one of these, a fact, or its own words."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import Literal

from runtime.harness.users.hearing import Heard, HeardClause
from runtime.harness.users.knowledge import UserKnowledge
from runtime.harness.users.leave import (
    asks_leave,
    find_denial,
    give_leave,
    may_ask_leave,
    names_stranger,
    proposed_words,
    take_offer,
    wished_words,
)
from runtime.harness.users.phrases import CHANGES, DENIES, EXTRA, INSTEAD
from runtime.harness.users.questions import (
    FactsToTell,
    answer_question,
    find_sentence,
    leaves_choice,
    names,
    names_in_words,
    names_partly,
)
from runtime.harness.users.topics import topics_of_words

Answer = FactsToTell | Literal["yes", "unknown", "no", "decline"]


def hear_leave(heard: Heard, knowledge: UserKnowledge, wish: int, seen_to: bool) -> Heard:
    """A message in which each question that means nothing else, and may ask leave, is one that wants a yes."""

    def read(part: HeardClause) -> HeardClause:
        if part.act not in ("ask", "offer", "yes_or_no") or not may_ask_leave(part, heard, knowledge, wish, seen_to):
            return part
        if part.act == "ask":
            means_else = answer_question(part.text, heard, knowledge, wish) != FactsToTell()
        else:
            means_else = answer_check(part, heard, knowledge, wish, seen_to) != "unknown"
        return part if means_else else replace(part, act="check")

    return replace(heard, parts=tuple(map(read, heard.parts)))


def answer_check(part: HeardClause, heard: Heard, knowledge: UserKnowledge, wish: int, seen_to: bool) -> Answer:
    """Yes to what was wished, a fact where one is in question, the user's own words where they decide it."""
    answer = answer_question(part.text, heard, knowledge, wish)
    if asks_leave(part, heard):
        leave = give_leave(part, heard, knowledge, wish)
        if leave == "decline":
            return leave
        if _lacks(part, heard, answer):
            return answer
        denial = find_denial(part, heard, knowledge, wish)
        if not denial and names_stranger(part, heard, knowledge, wish):
            return "unknown"
        return FactsToTell(sentence=denial) if denial else leave
    if leaves_choice(part.text):
        if answer.facts and all(names_in_words(part.text, each) for each in answer.facts):
            return answer
        if seen_to and part.act == "offer":
            return "decline"
        sentence = find_sentence(topics_of_words(part.text), knowledge, wish) if part.act == "check" else ""
        return FactsToTell(sentence=sentence) if sentence else "unknown"
    if part.act == "check":
        return _confirm(part, heard, knowledge, wish, answer, seen_to)
    if _PROPOSES.match(part.text):
        return "unknown"
    if _LEAVE.match(part.text.lower()):
        answer = FactsToTell()
    if answer.facts and all(names_partly(part.text, each) for each in answer.facts):
        return "yes"
    if seen_to and part.act == "offer":
        return take_offer(part, knowledge, wish)
    denied = _denied(part, knowledge, wish)
    if denied:
        return FactsToTell(sentence=denied)
    return _tell_whether(part, knowledge, wish, answer)


def _confirm(
    part: HeardClause, heard: Heard, knowledge: UserKnowledge, wish: int, answer: FactsToTell, seen_to: bool
) -> Answer:
    """The answer to a question whether something is right or wanted."""
    proposed, wished = proposed_words(part.text), wished_words(knowledge, wish)
    if heard.has("refusal"):
        alternative = bool(INSTEAD.search(part.text)) or len(proposed & wished) < 2
        return "no" if proposed and alternative else "yes"
    if seen_to:
        return "yes" if proposed and len(proposed & wished) * 2 >= len(proposed) else "no"
    if _lacks(part, heard, answer):
        return answer
    denied = _denied(part, knowledge, wish)
    return FactsToTell(sentence=denied) if denied else "yes"


def _tell_whether(part: HeardClause, knowledge: UserKnowledge, wish: int, answer: FactsToTell) -> Answer:
    """The answer to a question whether something is so."""
    proposed, wished = proposed_words(part.text), wished_words(knowledge, wish)
    asks_fact = bool(_HAS.match(part.text.lower()))
    fits = bool(proposed) and len(proposed & wished) * 2 >= len(proposed)
    if part.act == "yes_or_no" and fits and not asks_fact:
        return "yes"
    if part.act == "offer" and EXTRA.search(part.text):
        return "decline"
    if answer.facts and ((part.act == "offer" and _ADDS.search(part.text)) or asks_fact):
        return "unknown" if _IS_A.match(part.text) and not proposed <= wished else answer
    restricting = find_sentence(proposed, knowledge, wish, denying=True, keeping=True)
    if restricting:
        return FactsToTell(sentence=restricting)
    return "yes" if fits and (not asks_fact or len(proposed & wished) * 2 > len(proposed)) else "unknown"


def _denied(part: HeardClause, knowledge: UserKnowledge, wish: int) -> str:
    """The user's sentence that rules out what a question names."""
    proposed = proposed_words(part.text)
    denied = "" if DENIES.search(part.text) else find_sentence(proposed, knowledge, wish, denying=True)
    if not denied and CHANGES.search(part.text):
        denied = find_sentence(proposed, knowledge, wish, keeping=True)
    return denied


def _lacks(part: HeardClause, heard: Heard, answer: FactsToTell) -> bool:
    """Whether it wants to put in something that the user knows and nobody has named yet."""
    few = len(proposed_words(part.text)) < 4 or bool(_CONFIRMS.search(part.text))
    named = any(names(each.text, fact) for each in heard.parts for fact in answer.facts)
    return bool(_ADDS.search(part.text) and few and answer.facts) and not named


_ADDS = re.compile(
    r"\b(?:add|include|use|set|attach|enter|leave|provide|specify) (?:a|an|any|some)\b|\b(?:confirm|verify)\b",
    re.IGNORECASE,
)
_LEAVE = re.compile(r"(?:should|shall|can|may|will|must|does|did|has|have)\b")
_CONFIRMS = re.compile(r"\b(?:confirm|verify) (?:the|your|which|what|who|when)\b", re.IGNORECASE)
_PROPOSES = re.compile(r"(?:would|could|can|how about|what about) (?!you\b)", re.IGNORECASE)
_IS_A = re.compile(r"(?:is|was) (?:it|this|that) an? ", re.IGNORECASE)
_HAS = re.compile(r"(?:(?:so|and|for) .*, )?(?:is|are|was|were) (?:the|your|there|it|this|that)\b|(?:do|did) you\b")
