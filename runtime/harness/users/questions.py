"""Which of the known facts an assistant's question asks for, and what the user's own words say to it."""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from dataclasses import dataclass

from runtime.harness.users.focus import find_focus
from runtime.harness.users.hearing import Heard
from runtime.harness.users.knowledge import UserFact, UserKnowledge
from runtime.harness.users.patterns import read_words
from runtime.harness.users.phrases import REQUEST, WH
from runtime.harness.users.topics import GENERIC, split_name, topics_of_question, topics_of_words
from runtime.verification.text.facts import agree, find_mentions, prepare
from runtime.verification.text.match import normalise
from runtime.verification.text.words import stem


@dataclass(frozen=True)
class FactsToTell:
    """The facts that answer a question; without any, the user's own sentence that bears on it, or nothing at all."""

    facts: tuple[UserFact, ...] = ()
    sentence: str = ""


def answer_question(question: str, heard: Heard, knowledge: UserKnowledge, wish: int) -> FactsToTell:
    """What a user who has said the wishes up to `wish` can truly say to a question."""
    told = knowledge.told_by(wish)
    whole = knowledge.wishes[wish].text
    offered = _options(question, heard)
    if offered:
        chosen = _choose(question, offered, knowledge.of(wish) or told)
        if chosen or not leaves_choice(question) or _are_strange(question, offered, knowledge, wish):
            return FactsToTell(tuple(chosen))
    focus = find_focus(question)
    outright = _find_outright(focus, told)
    if outright:
        return FactsToTell(tuple(outright))
    if _UNKNOWABLE.search(focus):
        asked = _find_asked(_UNKNOWABLE.sub(" ", focus), told) if _OR.search(focus) or "," in focus else []
        return FactsToTell(
            tuple(asked or [each for each in told if {"@email", "@phone"} & each.topics and each.values][:1])
        )
    words = topics_of_words(focus)
    for said in knowledge.wishes[: wish + 1]:
        for each in said.restrictions:
            if words and each.denies and words <= each.words:
                return FactsToTell(sentence=each.sentence)
    past = _BYGONE.search(question)
    if past and not topics_of_words(past[1] or past[2]) & knowledge.wishes[wish].words:
        return FactsToTell()
    asked = _find_asked(focus, told)
    of_sort = _find_of_sort(focus, knowledge, wish)
    if asked and not (of_sort and all(each.wish < wish for each in asked)):
        return FactsToTell(tuple(_nearest(asked, question, knowledge.of(wish), whole)))
    if _EVERYTHING.search(question) and not _WHICH_ONE.search(question):
        present = knowledge.of(wish)
        return FactsToTell(tuple(present), "" if present else whole)
    kept = find_sentence(words, knowledge, wish, denying=True, keeping=True)
    if _WHICH_ONE.search(question) and kept and not _MEANS.search(question):
        return FactsToTell(sentence=kept)
    if of_sort or _is_strange(focus, question, knowledge, wish):
        return FactsToTell(tuple(of_sort))
    if _WHICH_ONE.search(question) and (_MEANS.search(question) or not topics_of_question(focus) & _VALUES):
        present = _identifying(knowledge, wish)
        return FactsToTell(tuple(present), "" if present else whole)
    beside = _find_beside(focus, told)
    restricting = find_sentence(words, knowledge, wish)
    if not beside and not restricting and len(question.split()) < 7 and _ASKS.search(question):
        before = _before(question, heard)
        beside = _find_asked(before, told) if before else []
        beside = [each for each in beside if _AGAIN.search(question) or not names(before, each)]
    return FactsToTell(tuple(beside), "" if beside else restricting)


def find_sentence(
    asked: Collection[str], knowledge: UserKnowledge, wish: int, *, denying: bool = False, keeping: bool = False
) -> str:
    """The sentence said so far that restricts what is wanted (denies or keeps it) and shares most with a question."""
    best, most = "", 0
    for said in reversed(knowledge.wishes[: wish + 1]):
        for each in said.restrictions:
            shared = len(each.words & set(asked))
            if shared > most and ((denying and each.denies) or (keeping and each.keeps) or not (denying or keeping)):
                best, most = each.sentence, shared
    return best


def leaves_choice(text: str) -> bool:
    """Whether a question names several things of which one is to be taken."""
    return bool(_OR.search(text))


def names(text: str, known: UserFact) -> bool:
    """Whether a text states the value of a fact, in whatever notation."""
    if f" {known.plain} " in f" {normalise(text)} ":
        return True
    if not known.values:
        return False
    if known.month_day and f" {known.month_day} " in f" {normalise(text)} " and len(known.values) == 1:
        return True  # where a part of the day follows, as in `June 5 in the morning`, the day is read as an hour
    stated = [mention.fact for mention in find_mentions(prepare(text)) if mention.firm]
    return all(any(agree(value, other) for other in stated) for value in known.values)


def names_in_words(text: str, known: UserFact) -> bool:
    """Whether a text states the value of a fact, or shares a word with it that says something."""
    return names(text, known) or bool(topics_of_words(known.said) & topics_of_words(text))


def names_partly(text: str, known: UserFact) -> bool:
    """Whether a text states the value of a fact or one of the values it consists of, such as the time of a moment."""
    stated = [mention.fact for mention in find_mentions(prepare(text)) if mention.firm]
    return names(text, known) or any(agree(value, other) for value in known.values for other in stated)


def _find_outright(focus: str, told: Sequence[UserFact]) -> list[UserFact]:
    """The one fact whose name, of several words, the question says."""
    words = set(split_name(focus))
    found = [each for each in told if len(split_name(each.name)) > 1 and words <= {*split_name(each.name), *GENERIC}]
    return [each for each in found if set(split_name(each.name)) <= words][:1]


def _find_of_sort(focus: str, knowledge: UserKnowledge, wish: int) -> list[UserFact]:
    """The one number of a wish, where only a number of nothing in particular is asked for; the one thing after `to`."""
    head, _, last = focus.rpartition(", ")
    if last == "to" and topics_of_words(head) <= knowledge.wishes[wish].words:
        after = [each for each in knowledge.of(wish) if each.before[-1:] == ("to",)]
        return after if len(after) == 1 else []
    words = re.findall(r"[a-z]+", focus)
    if not _NUMBER_WORDS.intersection(words) or topics_of_words(focus) - knowledge.wishes[wish].words - _NUMBER_STEMS:
        return []
    found = [each for each in knowledge.of(wish) if each.values and {fact.kind for fact in each.values} <= _NUMBERS]
    return found if len(found) == 1 else []


def _before(question: str, heard: Heard) -> str:
    """The clause before a question."""
    texts = [part.text for part in heard.parts]
    at = texts.index(question) if question in texts else 0
    return texts[at - 1] if at else ""


def _find_asked(focus: str, told: Sequence[UserFact]) -> list[UserFact]:
    """The facts that a question is about; of facts of one name, those of the latest wish that has one."""
    topics = topics_of_question(focus)
    if not topics:
        return []
    shared = {id(each): {topic for topic in each.topics & topics if topic[0] != "~"} for each in told}
    found = [each for each in told if shared[id(each)]]
    # What is named outright stands before what is only of that kind: a `book title` is not every title.
    named = [each for each in found if any(topic[0] != "@" for topic in shared[id(each)])]
    fully = [each for each in named if all(topic in topics for topic in each.topics if topic[0] not in "@~")]
    for best in (fully, named):
        covered = {topic for each in best for topic in shared[id(each)]}
        found = [each for each in found if each in best or not shared[id(each)] <= covered]
    latest = max((each.wish for each in found), default=0)
    found = _qualified(focus, found)
    covered = {topic for each in found if each.wish == latest for topic in shared[id(each)]}
    found = [each for each in found if each.wish == latest or not shared[id(each)] <= covered]
    beside = {f"~{topic}" for topic in topics}
    nearer = {frozenset(shared[id(each)]) for each in found if each.topics & beside}
    return [each for each in found if each.topics & beside or frozenset(shared[id(each)]) not in nearer]


def _nearest(asked: list[UserFact], question: str, present: Sequence[UserFact], whole: str) -> list[UserFact]:
    """Of several things of one kind the one that the user said closest to what else the question names."""
    rivals = [each for each in present if {topic for topic in each.topics & asked[0].topics if topic[0] == "@"}]
    named = [whole.find(each.said) for each in present if each not in rivals and names(question, each)]
    if len(asked) > 1 or len(rivals) < 2 or asked[0] not in rivals or len(named) != 1 or named[0] < 0:
        return asked
    return [min(rivals, key=lambda each: abs(whole.find(each.said) - named[0]))]


def _qualified(focus: str, found: list[UserFact]) -> list[UserFact]:
    """Without the old date where the new one is asked for, if both are known."""
    words = set(re.findall(r"[a-z]+", focus.lower()))
    for wanted, opposite in _OPPOSITES:
        if wanted in words and opposite not in words:
            found = [each for each in found if opposite not in split_name(each.name)] or found
    return found


def _find_beside(focus: str, told: Sequence[UserFact]) -> list[UserFact]:
    """The facts of the latest wish that has any beside the words that the question names."""
    beside = {f"~{topic}" for topic in topics_of_question(focus)}
    found = [each for each in told if each.topics & beside]
    return [each for each in found if each.wish == found[0].wish]


def _options(question: str, heard: Heard) -> list[str]:
    """What the assistant leaves the choice of: its list, or the alternatives in the question or just before it."""
    if leaves_choice(question):
        return [part for part in _OR.split(question) if part.strip()]
    if not _WHICH_ONE.search(question):
        return []
    if heard.options:
        return list(heard.options)
    texts = [part.text for part in heard.parts]
    before = texts[: texts.index(question)] if question in texts else []
    for text in reversed(before[-2:]):
        parts = _LISTED.split(text.partition(": ")[2] or text)
        if len(parts) > 1 and (": " in text or _OR.search(text)):
            return parts
    return []


def _choose(question: str, options: Sequence[str], present: Sequence[UserFact]) -> list[UserFact]:
    """The facts that fit some of the options and not all of them."""
    fitting = [(each, sum(names(option, each) for option in options)) for each in present]
    chosen = [each for each, count in fitting if 0 < count < len(options)]
    if chosen:
        return chosen
    words = [topics_of_words(option) for option in options]
    telling = frozenset().union(*words) - frozenset.intersection(*words)  # what parts the options
    short = [each for each in present if len(each.said.split()) <= _NAME and not each.values]
    found = [(each, sum(bool(telling & topics_of_words(each.said) & option) for option in words)) for each in short]
    return [each for each, count in found if count == 1]


def _are_strange(question: str, options: Sequence[str], knowledge: UserKnowledge, wish: int) -> bool:
    """Whether the user never spoke of any of the alternatives that a question names, nor of what they are kinds of."""
    if not _WHICH_ONE.search(question) or _MEANS.search(question):
        return False
    spoken = knowledge.wishes[wish].words.union(*(topics_of_words(each.said) for each in knowledge.of(wish)))
    named = [re.split("[,:] ", options[0])[-1], *options[1:]]
    return not spoken & topics_of_words(" ".join(named))


def _is_strange(focus: str, question: str, knowledge: UserKnowledge, wish: int) -> bool:
    """Whether a question asks which of some things it is of which the user never spoke, nor of their kind."""
    match = _WHICH.search(question)
    if match is None or _MEANS.search(question) or topics_of_question(match[1]) & knowledge.topics_of(wish):
        return False
    thing = {word for word in topics_of_words(match[1]) if word not in _ANY_THING}
    return bool(thing) and not thing & knowledge.wishes[wish].words


def _identifying(knowledge: UserKnowledge, wish: int) -> list[UserFact]:
    """What tells which thing the present wish is about, with the wish before it where it points back there."""
    found = [each for each in knowledge.of(wish) if not each.topics & _TELLS_NOTHING]
    found = [each for each in found if not each.is_personal] or found
    points_back = wish > 0 and knowledge.wishes[wish].points_back
    return [*(_identifying(knowledge, wish - 1) if points_back else []), *found]


_AGAIN = re.compile(r"\b(?:again|check|verify|repeat)\b", re.IGNORECASE)
_ASKS = re.compile(f"{WH.pattern}|{REQUEST.pattern}", re.IGNORECASE)
_BYGONE = re.compile(
    r"\b(?:when|where) (?:did|have|had) you (\w+)|\b(?:when|where) you (bought|got|purchased|ordered|\w+ed)\b",
    re.IGNORECASE,
)
_MEANS = re.compile(r"\b(?:mean|meant|refer\w*|talking about)\b", re.IGNORECASE)
_OPPOSITES = (("new", "old"), ("old", "new"), ("start", "end"), ("end", "start"))
_TELLS_NOTHING = frozenset({"@text", "@reason", "@rating", "@level", "@low", "@high", "@format", "@source"})
_VALUES = frozenset({"@date", "@time", "@length", "@email", "@phone", "@format", "@currency", "@rating", "@source"})
_WHICH = re.compile(r"\bwhich (?!of\b|one)(?:\w+ing )?(\w+)", re.IGNORECASE)
_ANY_THING = frozenset(
    stem(word) for word in ("record", "entry", "item", "thing", "case", "two", "three", "application")
)
_NUMBERS = frozenset({"number", "amount", "percent", "duration"})
_NUMBER_WORDS = read_words("value number figure amount quantity mark level score much many far high low")
_NUMBER_STEMS = frozenset(stem(word) for word in (*_NUMBER_WORDS, "exact", "later", "earlier", "more", "less", "new"))
_NAME = 5  # words; a fact of more is a text
_LISTED = re.compile(r", (?:and |or )?| and | or ")
_EVERYTHING = re.compile(
    r"\b(?:all|any|every|more|further|additional|some|full|necessary|relevant|required|a few|the|other|those"
    r"|these)(?: of)?(?: the| your)?(?: other| more| additional| relevant| necessary)?"
    r" (?:details?|information|info|specifics|particulars|data|context)\b|\bmore about\b|\beverything\b"
    r"|\ball of (?:it|them|that)\b"
    r"|\b(?:be|bit) more specific\b|\belaborate\b|\bclarify\b|\bwhat (?:exactly |precisely |specifically )?(?:would"
    r"|do) you (?:want|like|need)(?: me)?(?: to (?:do|change|happen|update))?\s*\?|\bwhat do you mean\b"
    r"|\brepeat\b|\bsay (?:that|it) again\b|\brephrase\b",
    re.IGNORECASE,
)
_WHICH_ONE = re.compile(
    r"\bwhich\b|\bchoose\b|\bpick\b|\bselect\b|\b(?:one|both) of (?:these|them|the)\b|\bany of these\b|\bpreference\b"
    r"|\bprefer\b",
    re.IGNORECASE,
)
_UNKNOWABLE = re.compile(
    r"\b(?:account|customer|member(?:ship)?|library card|card|booking|order|reference|confirmation|tracking"
    r"|application|case|ticket|user|loan|reservation|interview)(?:'s)? (?:id|number|code|no\.?|#)(?!\w)|\b(?:ids?"
    r"|identifier|username|password|pin)\b",
    re.IGNORECASE,
)
_OR = re.compile(r"(?:,|\b) ?\bor\b(?! (?:no\b|not\b|after|later|before|earlier|more|less|so)\b)", re.IGNORECASE)
