"""What kind of message an assistant's is, and which facts it asks for, by a few closed rules of form."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Sequence
from dataclasses import replace
from functools import lru_cache

from runtime.harness.users.heard import Heard
from runtime.harness.users.machine import Machine
from runtime.harness.users.proposal import adds, corrects, fits, strays, words_in
from runtime.task.answers import AnswerKind, kind_of
from runtime.task.user import KnownFact
from runtime.verification.reading.plain import is_closing
from runtime.verification.text.match import tells
from runtime.verification.text.words import stem

MOST_HEARD = 8_000  # characters of a message, counted from its end

_QUOTED = re.compile(r'"[^"\n]*"|“[^”\n]*”')
_LISTED = re.compile(r":[*_]*\s*\n\s*(?=(?:[-*•]|\d+[.)])\s)|(?<=[^\n.?!])\n\s*(?:[-*•]|\d+[.)])\s+(?=.*\n?)")
_BREAK = re.compile(r"\s*\n+\s*|(?<=[?!])[\"'”)*_]*\s+|(?<=[^\s.]{3}\.)\s+|(?<=\"\.)\s+|(?<=\s[a-z]{2}\.)\s+(?=[A-Z])")
_MARKS = "*_`#>-–— \t\"'”)("
_WORD = re.compile(r"[^\W_]+(?:'[^\W_]+)?")

_WH = re.compile(r"\b(?:what|which|when|where|who|whom|whose|how|why)\b", re.IGNORECASE)
_AUXILIARY = re.compile(
    r"\b(?:shall|should|may|can|could|will|would|do|does|did|is|are|was|were|has|have|am|might|must)\s+"
    r"(?:i|you|we|it|that|this|the|these|those|there|your|he|she|they|everything|all)\b",
    re.IGNORECASE,
)
_CLAUSE = re.compile(
    r"(?:,|;|:|\band\b|\bor\b)\s+(?:and\s+)?(?=(?:(?:on|at|for|in|to|from|by|of|with)\s+)?"
    r"(?:what|which|when|where|who|whom|whose|how|why)\b)",
    re.IGNORECASE,
)
_ASKS_ME = re.compile(  # somebody is to say something, whatever opens the sentence
    r"\b(?:can|could|would|will) (?:you|u)\b(?! (?:like|want|prefer|mind if|confirm (?:that|if|whether)))"
    r"|\b(?:may|can|could|might) i (?:\w+ ){0,2}(?:have|get|ask|know|see|take (?:your|the))\b"
    r"|\bdo you (?:have|know|remember)\b"
    r"|\bi(?:'ll|'d| will| would| do| still| just| only| also)* need(?! you to confirm (?:that|this|it|the))\b"
    r"|\b(?:tell|give|send) me\b|\blet me know (?:the|your|which|what|when|who|how|where)\b"
    r"|\b(?:provide|share(?! of)|specify|clarify|state)\b|\bconfirm (?:the|your)\b",
    re.IGNORECASE,
)
_REQUESTS = re.compile(  # without a question mark
    r"^(?:(?:and|also|but|so|then|first|now|just)\b,?\s+)*(?:please\b|kindly\b|let me know\b|(?:tell|give|send) me\b"
    r"|(?:confirm|provide|share(?! of)|specify|choose)\b)"
    r"|\bplease (?:let me know|tell|give|send|confirm|provide|share|specify|choose|clarify|reply|say|pick|state|answer)"
    r"\b"
    r"|\bi(?:'ll|'d| will| would| do| still| just| only| also)* need (?:your|to know|you to|the|a|an|one)\b|\bneed:"
    r"|\b(?:can|could|may) i (?:get|have)\b|\blet me know (?:which|what)\b"
    r"|\b(?:to know|to learn|to hear|not know|don't know|wonder)\b.*\b(?:what|which|when|where|who|whom|whose|how)\b",
    re.IGNORECASE,
)
_AWAITS = re.compile(  # a sign to go on, without a question mark
    r"\b(?:until|unless|once|if|when|before|whether|as soon as) you (?:can |could |would |please )?"
    r"(?:confirm|tell|give|provide|share|say|send|let|agree|like|want|would like|'d like)\b"
    r"|\blet me know (?:if|whether|when)\b|\b(?:if|whether) (?:that|this|it|these|they|all|everything)\b",
    re.IGNORECASE,
)
_ADDS = re.compile(r"^(?:and|also|plus)\b|\bplease$", re.IGNORECASE)  # to what was asked: "And the street."
_YOUR_WORD = re.compile(
    r"\byour (?:ok|okay|approval|consent|permission|agreement|authori[sz]ation|go-ahead|blessing|word|nod|sign)\b",
    re.IGNORECASE,
)
_YOURS = re.compile(r"\byour\b", re.IGNORECASE)
_OFFERS = re.compile(r"\bif (?:you|there)\b|\bwhenever\b|\bfeel free\b|\bshould you\b", re.IGNORECASE)
_REFUSES = re.compile(
    r"\b(?:can'?t|can ?not|couldn'?t|could not|won'?t|unable|not (?:able|possible|allowed|permitted)|impossible)\b"
    r"|\b(?:i'?m|i am) (?:sorry|afraid)\b|\bunfortunately\b|\b(?:don't|do not) have\b",
    re.IGNORECASE,
)
_OPTIONS = re.compile(
    r"[^.,;:?]*(?:,[^.,;:?]*)*,?\s+or\s+(?!(?:may|shall|should|can|could) (?:i|we)\b)[^.,;:?]*", re.IGNORECASE
)
_PERMISSION = re.compile(
    r"\b(?:shall|should|may|can|could|must|would|might|do|did) (?:i|we)\b|\bgo ahead\b", re.IGNORECASE
)
_OFFERED = re.compile(
    r"\b(?:would|could|can|shall|should|may|might) (?:i|we|you)\b(?! ask)|\bdo (?:i|we)\b"
    r"|\bdo you (?:need|like|wish|prefer|care)\b|\bwant\b",
    re.IGNORECASE,
)
_PLANS = re.compile(r"\bi(?:'ll|'d| will| would| shall|'m going to| am going to)\b", re.IGNORECASE)
_REQUESTED = re.compile(r"^(?:please|kindly)\b(?!.*\bconfirm\b)|\b(?:can|could|would|will) (?:you|u)\b", re.IGNORECASE)
_YES_OR_NO = re.compile(r"\byes(?:,? (?:or|/) ?|/)no\b", re.IGNORECASE)
_CLOSES = re.compile(
    r"\b(?:anything|something|nothing|what) (?:else|more|further)\b|\bwhat(?:'s| is) next\b", re.IGNORECASE
)
_DOUBTED = re.compile(r"\b(?:mean|meant|right|correct|instead)\b", re.IGNORECASE)
MOST_OF_A_CHOICE = 25  # words
MOST_OF_AN_ELLIPSIS = 7
_WHAT = re.compile(
    r"\b(?:what|which)(?:'s| is| are)?\s+(.*?)(?:\s+(?:shall|should|may|can|could|will|would|do|does|did|is|are|was|"
    r"were|has|have|must|that|it|i|you|we|on|for|to)\b|[?,:;(]|$)",
    re.IGNORECASE,
)
_BY_KIND: tuple[tuple[re.Pattern[str], tuple[AnswerKind, ...]], ...] = (
    (
        re.compile(r"(?<!since )\bwhen\b|\b(?:what|which) (?:day|date|time)\b", re.IGNORECASE),
        ("date", "moment", "time"),
    ),
    (re.compile(r"\bhow (?:much|many|long|often|large|big)\b", re.IGNORECASE), ("number",)),
)
_WHICH = re.compile(r"\b(?:what|which|who|whom|whose)\b", re.IGNORECASE)
_WHOSE = re.compile(r"\bname\b(?! of)|\bwho(?:m)? (?:am i|are you|is this|do i)\b", re.IGNORECASE)
_TIMES = frozenset(map(stem, ("day", "date", "time")))
_LOOSE = frozenset(
    map(stem, words_in("address number name new old other kind first last full your the a of to in for"))
)


def read_message(said: str, machine: Machine) -> Heard:
    """What a message is to this user now."""
    said = said[-MOST_HEARD:]
    besides = hear_besides(said, machine)
    sentences = list(_sentences(said))
    asking = [each for each in sentences if _asks(each, machine.progress.written)]
    if asking:
        held = {fact.name for _, fact in machine.facts_known() if tells(said, fact.said)}
        asked = [name for each in asking for name in _facts_asked(each, machine, held)]
        if asked:
            added = [each for each in sentences if each not in asking and _ADDS.search(each) and _is_short(each)]
            asked += _mentioned(" ".join([*asking, *added]), machine, held, asking)
        asked = asked or list(_mentioned(said, machine, held, asking)) or _kept_among(said, asking, machine)
        if asked:
            about = tuple(_earlier_about(asking, machine))
            return Heard("question", tuple(dict.fromkeys(asked)), about=about, corrects=besides.corrects)
        proposes = _is_proposal(asking[-1])
        if not (proposes or machine.progress.written):  # a plan, and a question on the side
            proposes = any(_is_proposal(each) and not _is_choice(each) for each in asking)
        offers = is_offer(asking[-1]) and machine.is_seen_to
        heard = replace(besides, offers=offers, asks=True, strays=strays(asking[-1], machine))
        if not proposes or (_is_choice(asking[-1]) and not machine.progress.written):
            return replace(heard, kind="refusal" if heard.refuses else "question")
        is_fitting = all(map(_is_proposal, asking)) and fits(said, machine)
        return replace(heard, kind="proposal", fits=is_fitting)
    if mentioned := tuple(_mentioned(said, machine, (), ())):
        return Heard("question", mentioned, corrects=besides.corrects)
    if any(map(_REFUSES.search, sentences)):
        return Heard("refusal", corrects=besides.corrects)
    return Heard("report" if machine.progress.written else "other", corrects=besides.corrects)


def _kept_among(said: str, asking: Sequence[str], machine: Machine) -> list[str]:
    """What is kept back of the present wishes and stands among what a question for "which" lists."""
    if not any(_WHICH.search(each) for each in asking):
        return []
    own = [(wish, fact) for wish in machine.wishes for fact in machine.user.wishes[wish].facts]
    return [fact.name for wish, fact in own if not machine.is_told(wish, fact) and tells(said, fact.said)]


def _earlier_about(asking: Sequence[str], machine: Machine) -> Iterator[int]:
    """The earlier wishes that questions are about: what they hold of those is no part of the present ones."""
    present = {fact.said for wish, fact in machine.facts_known() if wish in machine.wishes}
    for wish, fact in machine.facts_known():
        if wish not in machine.wishes and fact.said not in present and any(tells(each, fact.said) for each in asking):
            yield wish


def _mentioned(said: str, machine: Machine, held: Collection[str], asking: Sequence[str]) -> Iterator[str]:
    """What is kept back of the present wishes and a message that asks no permission speaks of, before a write.

    Who speaks of "the phone number" without having it wants it, in whatever words.
    """
    if machine.progress.written or any(_PERMISSION.search(each) and not _WH.search(each) for each in asking):
        return
    stems = set(map(stem, _WORD.findall(_plain(_QUOTED.sub("", said)))))
    for fact in machine.user.facts:
        if tells(said, fact.said):
            stems -= _stems_of(fact.said)  # "phone screening" is what the user knows, and no word of its phone number
    for wish, fact in machine.facts_known():
        own = _stems_of(fact.name) - _LOOSE
        is_kept = wish in machine.wishes and not machine.is_told(wish, fact) and fact.name not in held
        if is_kept and own and not own & _TIMES and own <= stems:
            yield fact.name


def _sentences(said: str) -> Iterator[str]:
    """The sentences without what is quoted, but for closing ones: "Is there anything else I can help you with?"."""
    return (each for each in _all_sentences(said) if not _closes(each))


def hear_besides(said: str, machine: Machine) -> Heard:
    """What is told beside a question or proposal: that something is not possible, whether there is anything else."""
    sentences = list(_sentences(said))
    return Heard(
        "other",
        closes=any(each.endswith("?") and _closes(each) for each in _all_sentences(said)),
        refuses=any(map(_REFUSES.search, sentences)),
        plans=any(_PLANS.search(each) or (_asks(each, False) and _PERMISSION.search(each)) for each in sentences),
        requests=any(map(_REQUESTED.search, sentences)),
        adds=adds(said, machine),
        corrects=any(corrects(each, machine) for each in sentences),
    )


def _closes(sentence: str) -> bool:
    return bool(_CLOSES.search(sentence) and not _DOUBTED.search(sentence)) or is_closing(sentence)


def _all_sentences(said: str) -> Iterator[str]:
    text = _QUOTED.sub('""', said.replace("’", "'"))
    text = re.sub(r"[*_`]+", "", text)
    text = _LISTED.sub(lambda mark: ": " if mark.group().startswith(":") else ", ", text)
    for each in _BREAK.split(text):
        sentence = each.strip(_MARKS)
        if _WORD.search(sentence):
            yield sentence


def _asks(sentence: str, written: bool) -> bool:
    """Whether a sentence asks for something; after a write, an offer that waits for no answer does not."""
    if sentence.endswith("?"):
        return True
    asks = _REQUESTS.search(sentence) or _AWAITS.search(sentence) or _YOUR_WORD.search(sentence)
    return asks is not None and not (written and _OFFERS.search(sentence))


def _is_proposal(sentence: str) -> bool:
    """Whether it is to be answered with yes or no: an auxiliary stands before any question word, and asks no value."""
    if _YOUR_WORD.search(sentence) or (not sentence.endswith("?") and _AWAITS.search(sentence)):
        return True
    if _ASKS_ME.search(sentence) or (not sentence.endswith("?") and _REQUESTED.search(sentence)):
        return False
    if _is_short(sentence) and _YOURS.search(sentence):
        return False
    wh, auxiliary = _WH.search(sentence), _AUXILIARY.search(sentence)
    return wh is None or (auxiliary is not None and auxiliary.start() < wh.start())


def is_offer(said: str) -> bool:
    """Whether a text ends by asking what one of the two should do, rather than how something is."""
    return any(map(_OFFERED.search, [*_sentences(said)][-1:]))


def _is_choice(sentence: str) -> bool:
    """Whether a short sentence leaves a choice between options, and does not ask for permission."""
    words = _YES_OR_NO.sub("", sentence)
    return len(words.split()) <= MOST_OF_A_CHOICE and bool(_OPTIONS.search(words)) and not _PERMISSION.search(words)


def _is_short(sentence: str) -> bool:
    """Whether it is a question without a verb of its own: "And your card number?"."""
    words = len(sentence.split())
    return words <= MOST_OF_AN_ELLIPSIS and not _AUXILIARY.search(sentence) and not _YOUR_WORD.search(sentence)


def _facts_asked(sentence: str, machine: Machine, held: Collection[str]) -> list[str]:
    """The names of the facts that a sentence asks for: among options, by their names, or by the kind of question.

    Those that the message holds are not asked for.
    """
    if _is_proposal(sentence):
        if _is_short(sentence):
            return _asked_in(sentence, machine)
        return _chosen(sentence, machine) if _is_choice(sentence) else []
    asked = [name for clause in _CLAUSE.split(sentence) for name in _asked_in(clause, machine) if name not in held]
    return asked or _chosen(sentence, machine)


def _chosen(sentence: str, machine: Machine) -> list[str]:
    """The one fact that is one of the options; if several are, or several have it, nothing is chosen."""
    options = _OPTIONS.search(sentence)
    if options is None:
        return []
    parts = [part.split() for part in re.split(r",|\bor\b", options.group())]
    named = [fact.name for _, fact in machine.facts_known() if _is_one_option(fact, parts)]
    return named if len(named) == 1 else []


def _is_one_option(fact: KnownFact, parts: Sequence[Sequence[str]]) -> bool:
    having = [part for part in parts if tells(" ".join(part), fact.said)]
    return len(having) == 1 and _is_option(fact, having[0])


def _is_option(fact: KnownFact, part: Sequence[str]) -> bool:
    """Whether the words between two "or" begin or end with a fact; the other words belong to the question."""
    size = len(fact.said.split()) + 1
    return any(tells(" ".join(words), fact.said) for words in (part[:size], part[-size:]))


def _asked_in(clause: str, machine: Machine) -> list[str]:
    text = _what(clause)
    stems = frozenset(map(stem, _WORD.findall(_plain(text))))
    known = [(wish, fact) for wish, fact in machine.facts_known() if wish in machine.wishes or fact.withheld]
    kinds = next((kinds for pattern, kinds in _BY_KIND if pattern.search(clause)), ())
    named = [
        (wish, fact)
        for wish, fact in known
        if _is_named(fact, text, stems)
        and not tells(clause, fact.said)
        and not (kinds and _kind(fact) == "number" and "number" not in kinds)  # "which day" asks for no number of days
    ]
    present = [fact for wish, fact in named if wish in machine.wishes]
    if named:
        return [fact.name for fact in present or [fact for _, fact in named]]
    own = [(wish, fact) for wish in machine.wishes for fact in machine.user.wishes[wish].facts]
    timely = [fact for _, fact in own if _kind(fact) in kinds]
    if not timely and not machine.facts_in_words() and _WHICH.search(clause):  # what is it about but what is kept back?
        timely = [fact for wish, fact in own if not machine.is_told(wish, fact)]
    return [fact.name for fact in timely] if len(timely) == 1 else []


def _what(clause: str) -> str:
    """What a clause asks for: the words between its question word and the verb, if it has any; else all of it."""
    match = _WHAT.search(clause)
    return match[1] if match is not None and match[1] else clause


def _is_named(fact: KnownFact, text: str, stems: frozenset[str]) -> bool:
    own = _stems_of(fact.name)
    telling = own - _LOOSE - _TIMES
    if own & _TIMES and not own & stems & _TIMES:
        return False
    if telling:
        return bool(telling & stems)
    if own == _NAME:
        return _WHOSE.search(text) is not None
    return bool(own) and own <= stems


def _kind(fact: KnownFact) -> AnswerKind | None:
    return None if fact.value is None else kind_of(fact.value)


@lru_cache(maxsize=1024)
def _stems_of(name: str) -> frozenset[str]:
    return frozenset(map(stem, _WORD.findall(_plain(name))))


def _plain(text: str) -> str:
    return text.lower().replace("e-mail", "email").replace("_", " ")


_NAME = _stems_of("name")
