"""What kind of message an assistant's is, and what it asks for, by a few closed rules of form."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import lru_cache

from runtime.harness.users.machine import Heard, Machine
from runtime.harness.users.proposal import fits
from runtime.task.answers import kind_of
from runtime.task.user import KnownFact
from runtime.verification.text.match import tells
from runtime.verification.text.words import stem

MOST_HEARD = 8_000  # characters of a message, counted from its end

_QUOTED = re.compile(r'"[^"\n]*"|“[^”\n]*”')
_BREAK = re.compile(r"\s*\n+\s*|(?<=[?!])[\"'”)*_]*\s+|(?<=[^\s.]{3}\.)\s+")
_DECORATION = "*_`#>-–— \t\"'”)("
_LEAD = r"(?:(?:and|also|but|so|then|or|first|now|just)\b,?\s+)*"

_WH = r"(?:what|which|when|where|who|whom|whose|how|why)\b"
_AUXILIARY = r"(?:shall|should|may|can|could|will|would|do|does|did|is|are|was|were|has|have|am|might|must)\b"
_REQUEST = re.compile(  # an imperative, or what stands for one
    rf"^{_LEAD}(?:please|kindly)\b|^{_LEAD}(?:let me know|(?:tell|give|send) me|confirm|provide|share|specify|choose)\b"
    r"|\bplease (?:let me know|tell|give|send|confirm|provide|share|specify|choose|clarify|reply|say|pick|state)\b"
    r"|\bi(?:'ll|'d| will| would| do| still| just| only| also)* need (?:your|to know|you to|the|a|an)\b"
    r"|\b(?:until|unless|once|if|when|before|whether|as soon as) you (?:can |could |would |please )?"
    r"(?:confirm|tell|give|provide|share|say|send|let|want|agree|like|would like|'d like)\b"
    r"|\bif (?:that|this|it) (?:is|looks|sounds)\b|\bif you'd (?:like|prefer)\b",
    re.IGNORECASE,
)
_OFFERS = re.compile(r"\bif (?:you|there)\b|\bwhenever\b|\bfeel free\b|\bshould you\b", re.IGNORECASE)
_ASKS_LEAVE = re.compile(
    r"\b(?:shall|should|may|can|could|must) (?:i|we)\b(?! (?:have|get|ask|know|see|take|help|assist))"
    r"|\b(?:like|want|need|wish|prefer) (?:me|us) to\b|\bmind if i\b"
    r"|\b(?:proceed|go ahead|confirm(?:ed)?|correct|right|okay|ok|alright|agree|agreed|yes or no)\b",
    re.IGNORECASE,
)
_FOR_YOURS = re.compile(
    r"\b(?:(?:can|could|would|will|do|did|may|might|if|please) (?:you|i)|please|need|confirm|what|which)\b", re.IGNORECASE
)
_REFUSES = re.compile(
    r"\b(?:can'?t|can ?not|couldn'?t|could not|won'?t|unable|not (?:able|possible|allowed|permitted)|impossible)\b"
    r"|\b(?:i'?m|i am) (?:sorry|afraid)\b|\bunfortunately\b|\b(?:don't|do not) have\b",
    re.IGNORECASE,
)
_CLOSING = frozenset(
    "else more further other another additional anything something thing help assist assistance today for with can could "
    "do does may might i we you is there are need needs want wants like would wish that this it me us let know have has any "
    "all to be if should please just and or at in on get done now so the a of your my questions question happy feel free".split()
)
_WORD = re.compile(r"[^\W_]+(?:'[^\W_]+)?")
_GENERIC = frozenset(map(stem, "address number date day time name new old other kind first last full your the a of to".split()))
_BY_KIND = (
    (re.compile(r"\b(?:when|(?:what|which|on which|for which) (?:day|date|time))\b", re.IGNORECASE), ("date", "moment", "time")),
    (re.compile(r"\bhow (?:much|many|long|often|high|large|big)\b", re.IGNORECASE), ("number",)),
)
_WHO = re.compile(r"\b(?:who|whom|whose)\b|\byour (?:full |own |first and last )?name\b", re.IGNORECASE)


def read_message(said: str, machine: Machine) -> Heard:
    """What a message is to this user now."""
    said = said[-MOST_HEARD:]
    sentences = list(_sentences(said))
    asking = [each for each in sentences if _asks(each, machine.progress.written)]
    if asking:
        asked = [name for each in asking for name in _facts_asked(each, machine)]
        if asked:
            return Heard("question", tuple(dict.fromkeys(asked)))
        if all(map(_asks_yes_or_no, asking)):
            return Heard("proposal", fits=fits(said, machine))
        return Heard("question")
    if any(_REFUSES.search(each) for each in sentences):
        return Heard("refusal")
    return Heard("report" if machine.progress.written else "other")


def _sentences(said: str) -> Iterator[str]:
    """The sentences, without what is quoted, but for closing ones: "Is there anything else I can help you with?"."""
    for each in _BREAK.split(_QUOTED.sub('""', said.replace("’", "'"))):
        sentence = each.strip(_DECORATION)
        words = _WORD.findall(sentence.lower())
        if words and not (("else" in words or len(words) > 3) and set(words) <= _CLOSING):
            yield sentence


def _asks(sentence: str, written: bool) -> bool:
    """Whether a sentence asks for something; after a write, an offer that waits for no answer does not."""
    if sentence.endswith("?"):
        return True
    return _REQUEST.search(sentence) is not None and not (written and _OFFERS.search(sentence))


def _asks_yes_or_no(sentence: str) -> bool:
    """Whether it is to be answered with yes or no: an auxiliary opens it, or it asks for permission."""
    if _ASKS_LEAVE.search(sentence):
        return True
    opens = re.search(rf"\b{_WH}|\b{_AUXILIARY}", sentence, re.IGNORECASE)
    return opens is None or re.match(_WH, opens.group(), re.IGNORECASE) is None


def _facts_asked(sentence: str, machine: Machine) -> list[str]:
    """The names of the facts that a sentence asks for: by their names, by the kind of question, or among options."""
    known = machine.facts_known()
    listed = [fact for _, fact in known if " or " in sentence and tells(sentence, fact.said)]
    if len(listed) == 1 and not (_ASKS_LEAVE.search(sentence) and _holds_all_options(sentence, listed[0])):
        return [listed[0].name]
    if listed:
        return []
    yes_or_no = _asks_yes_or_no(sentence)
    if yes_or_no and not _FOR_YOURS.search(sentence):
        return []
    stems = frozenset(map(stem, _WORD.findall(sentence.lower().replace("e-mail", "email"))))
    named = [(wish, fact) for wish, fact in known if _is_named(fact, sentence, stems) and not tells(sentence, fact.said)]
    if yes_or_no:  # "Could you confirm your phone number?" asks for it; "Shall I change the phone number?" does not
        named = [each for each in named if each[1].withheld and not _PROPOSES.search(sentence)]
    if not named and not yes_or_no:
        kinds = next((kinds for pattern, kinds in _BY_KIND if pattern.search(sentence)), ())
        named = [
            (wish, fact)
            for wish, fact in known
            if wish in machine.wishes and fact.value is not None and kind_of(fact.value) in kinds
        ]
        named = named if len(named) == 1 else []
    present = [each for each in named if each[0] in machine.wishes]
    return [fact.name for _, fact in (present or named)] if present or named else []


_PROPOSES = re.compile(r"\b(?:shall|should|may|can|could) (?:i|we)\b(?! (?:have|get|ask))|\b(?:me|us) to\b", re.IGNORECASE)


def _holds_all_options(sentence: str, fact: KnownFact) -> bool:
    """Whether what is told stands on no side of the "or", as where the whole plan is offered with its opposite."""
    before, _, after = sentence.rpartition(" or ")
    return not tells(before, fact.said) and not tells(after, fact.said)


def _is_named(fact: KnownFact, sentence: str, stems: frozenset[str]) -> bool:
    own = _stems_of_name(fact.name)
    telling = own - _GENERIC
    if telling:
        return bool(telling & stems)
    if own <= _NAME:
        return _WHO.search(sentence) is not None
    return bool(own) and own <= stems


@lru_cache(maxsize=1024)
def _stems_of_name(name: str) -> frozenset[str]:
    return frozenset(map(stem, _WORD.findall(name.lower().replace("e-mail", "email").replace("_", " "))))


_NAME = frozenset(map(stem, "name full first last your".split()))


