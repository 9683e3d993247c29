"""Which known facts an assistant states wrongly when it asks for a yes or says what it is about to do."""

from __future__ import annotations

import contextlib
import re
from collections.abc import Iterator, Sequence
from datetime import date

from runtime.harness.users.hearing import Heard
from runtime.harness.users.knowledge import UserFact
from runtime.harness.users.questions import names
from runtime.harness.users.topics import topics_of_question
from runtime.verification.text.facts import Mention, StatedFact, agree, agree_loosely, find_mentions, prepare
from runtime.verification.text.match import normalise

_ANY_YEAR = 2024  # with a February of 29 days
_TELLING = ("date", "time", "email", "phone")  # one value of such a kind is enough to tell that it is the wrong one


def find_wrong(heard: Heard, facts: Sequence[UserFact], wish: str = "") -> list[UserFact]:
    """The facts that are contradicted by what the assistant wants confirmed or is about to do.

    `facts` are those of the present wish. A value counts against a fact only if it stands where the fact would: it is
    the only one of its kind, under the fact's label, or after the words that the user said before the fact; but not if
    it lies as far from the fact as the `wish` says, as in `move it to 14 days later`.
    """
    claims = [_without_texts(claim, facts) for claim in _claims(heard)]
    if not claims or not facts:
        return []
    spans = _days_in(wish)
    text = "\n".join(part.text for part in heard.parts)
    missing = [each for each in facts if not names(text, each) and not _shows(text, each)]
    return [each for each in missing if _is_contradicted(each, claims, facts, spans)] if missing else []


def _shows(text: str, known: UserFact) -> bool:
    return re.search(rf"(?<![\w.,]){re.escape(known.plain)}(?!\w|[.,]\d)", text.lower()) is not None


def _claims(heard: Heard) -> list[str]:
    """What is to be confirmed: the checks and, where those only ask whether it is right, what stands before them."""
    checks = [
        part for part in heard.acts("check", "yes_or_no") if part.act == "check" or not _PROPOSES.match(part.text)
    ]
    if not checks:
        return [part.text for part in heard.acts("promise")]
    claims = [part.text for part in (*checks, *heard.acts("item", "promise"))]
    if all(len(part.text.split()) < 9 for part in checks):
        claims += [part.text for part in heard.acts("statement", "report", "closing")]
    return [claim for claim in claims if not _BYGONE.search(claim)]


def _is_contradicted(known: UserFact, claims: Sequence[str], facts: Sequence[UserFact], spans: frozenset[int]) -> bool:
    if known.said.lower() in _CURRENCIES:
        return any(_states_currency(claim, known.said.lower()) for claim in claims)
    if known.values:
        return any(_states_other(known, claim, claims, facts, spans) for claim in claims)
    return any(_names_other(known, claim, facts) for claim in claims)


def _states_currency(claim: str, known: str) -> bool:
    """Whether amounts are stated, and all in another currency."""
    amounts = [mention.fact.value for mention in find_mentions(prepare(claim)) if mention.fact.kind == "amount"]
    return bool(amounts) and all(isinstance(each, tuple) and each[0] != known for each in amounts)


def _states_other(
    known: UserFact, claim: str, claims: Sequence[str], facts: Sequence[UserFact], spans: frozenset[int]
) -> bool:
    return any(_states_other_value(known, value, claim, claims, facts, spans) for value in known.values)


def _states_other_value(
    known: UserFact,
    fact: StatedFact,
    claim: str,
    claims: Sequence[str],
    facts: Sequence[UserFact],
    spans: frozenset[int],
) -> bool:
    prepared = prepare(claim)
    rivals = [mention for mention in find_mentions(prepared) if mention.firm and _may_stand_for(mention.fact, fact)]
    rivals = [each for each in rivals if not any(_same(each.fact, value) for other in facts for value in other.values)]
    rivals = [each for each in rivals if not _is_moved(each.fact, fact, spans)]
    if not rivals:
        return False
    if fact.kind in _TELLING:
        alone = sum(value.kind == fact.kind for other in facts for value in other.values) == 1
        stated = sum(m.fact.kind == fact.kind and m.firm for each in claims for m in find_mentions(prepare(each)))
        if stated == 1 and (alone or any(_is_stated(value, prepared) for value in known.values)):
            return True
    return any(_is_labelled(known, prepared, rival) for rival in rivals)


def _is_stated(fact: StatedFact, prepared: str) -> bool:
    return any(mention.firm and agree(mention.fact, fact) for mention in find_mentions(prepared))


def _days_in(wish: str) -> frozenset[int]:
    """The whole days by which a wish may move something."""
    found = [mention.fact.value for mention in find_mentions(prepare(wish)) if mention.fact.kind == "duration"]
    return frozenset(int(each[1]) // 86_400 for each in found if isinstance(each, tuple) and each[1] >= 86_400)


def _is_moved(rival: StatedFact, fact: StatedFact, spans: frozenset[int]) -> bool:
    """Whether a date lies as many days from a known one as the wish says."""
    if not spans or rival.kind != "date" or fact.kind != "date":
        return False
    return any(abs((one - other).days) in spans for one in _days_of(rival) for other in _days_of(fact))


def _days_of(fact: StatedFact) -> Iterator[date]:
    for year, month, day in fact.value if isinstance(fact.value, tuple) else ():
        with contextlib.suppress(ValueError, TypeError):  # a month without its day
            yield date(year or _ANY_YEAR, month, day)


def _without_texts(claim: str, facts: Sequence[UserFact]) -> str:
    """A claim without the user's own texts: a date in the wording of a note is none of the wish's."""
    for each in facts:
        if len(each.said.split()) > 3 and not each.values:
            claim = re.sub(re.escape(each.said), " ", claim, flags=re.IGNORECASE)
    return claim


def _may_stand_for(rival: StatedFact, fact: StatedFact) -> bool:
    return rival.kind == fact.kind or (fact.kind == "number" and rival.kind in ("duration", "amount", "percent"))


def _same(one: StatedFact, other: StatedFact) -> bool:
    return agree(one, other) or agree_loosely(one, other)


def _is_labelled(known: UserFact, prepared: str, mention: Mention) -> bool:
    """Whether the words around a value name the fact, as in `rating of 4`, `60 minutes` or `priority 3`."""
    before = re.findall(r"[a-z]+", prepared[: mention.start].lower())[-3:]
    if len(known.before) == 2 and known.before == tuple(before[-2:]) and known.before[-1] == "to":
        return True
    after = re.findall(r"^ ([a-z]+)", prepared[mention.end :].lower())
    labels = topics_of_question(" ".join([*before, mention.words, *after]))
    return bool(labels & {topic.lstrip("~") for topic in known.topics})


def _names_other(known: UserFact, claim: str, facts: Sequence[UserFact]) -> bool:
    """Whether another name stands under the fact's label, or after the words that stood before it."""
    if not re.search("[A-Z]", known.said):
        return "@format" in known.topics and (_states_format(known, claim) or _labels_other(known, claim, facts))
    if _exchanges_number(known, claim):
        return True
    quoted = re.findall(r'"([^"]{2,80})"', claim)
    if any(_nearly_names(known, value, facts, 3) for value in quoted):
        return True
    if any(_nearly_names(known, value, facts, 2) for value in _CAPITALISED.findall(claim)):
        return True
    return _labels_other(known, claim, facts)


def _states_format(known: UserFact, claim: str) -> bool:
    """Whether a file is to be of another format than the known one."""
    stated = set(_FORMATS.findall(claim.lower()))
    wanted = set(_FORMATS.findall(known.plain))
    return bool(stated and wanted) and not stated & wanted


def _labels_other(known: UserFact, claim: str, facts: Sequence[UserFact]) -> bool:
    for value in (*_labelled_values(known, claim), *_values_in_place(known, claim)):
        plain = normalise(value)
        same = {*plain.split()} & {*known.plain.split()} - _JOINING
        if plain and not same and not any(plain in each.plain or each.plain in plain for each in facts):
            return True
    return False


def _exchanges_number(known: UserFact, claim: str) -> bool:
    """Whether all words of the known name are there, but its numbers are others."""
    words, wanted = set(normalise(claim).split()), set(known.plain.split())
    lost = wanted - words
    others = {word for word in words - wanted if word.isdigit()}
    return bool(lost) and all(word.isdigit() for word in lost) and len(wanted - lost) > 1 and bool(others)


def _nearly_names(known: UserFact, value: str, facts: Sequence[UserFact], share: int) -> bool:
    """Whether a name is the known one with some of its words exchanged, as `Prime Numbers before Dawn` may be."""
    words, wanted = set(normalise(value).split()), set(known.plain.split())
    spoken = {word for each in facts for word in each.plain.split()}
    return (
        len(wanted) > 2
        and len((words & wanted) - _JOINING) * share >= len(wanted)
        and bool(words - spoken)
        and bool(wanted - words)
    )


def _labelled_values(known: UserFact, claim: str) -> Iterator[str]:
    topics = {topic for topic in known.topics if topic[0] != "~"}
    for label, value in _LABELLED.findall(claim):
        if topics_of_question(label) & topics and not _NUMBERS.search(label) and not _NUMBERED.search(value):
            yield value.strip(" .?")


def _values_in_place(known: UserFact, claim: str) -> Iterator[str]:
    if len(known.before) == 2 and known.before[1] in ("at", "with", "from", "by", "to", "for"):
        noun, joint = known.before
        nouns = f"{noun}|application|position|job|role|interview|draft" if joint == "at" else noun
        pattern = rf"\b(?:{nouns}) {joint} ((?:[A-Z][\w'.-]*)(?: (?:&|of|and|[A-Z][\w'.-]*))*)"
        for match in re.finditer(pattern, claim):
            yield match[1]


_CAPITALISED = re.compile(r"[A-Z][\w'-]*(?: (?:(?:of|the|and|for|&|after|before|in) )?[A-Z][\w'-]*)+")
_FORMATS = re.compile(r"\b(?:pdf|docx?|odt|rtf|txt|md|html|csv|xlsx)\b")
_CURRENCIES = frozenset(["usd", "eur", "gbp", "inr", "cad", "aud", "chf", "jpy"])
_PROPOSES = re.compile(
    r"(?:would|could|can) (?!i\b|we\b|it be\b|you (?:like|want|mind|let|allow|permit|confirm)\b)|(?:how|what) about ",
    re.IGNORECASE,
)
# What an assistant numbers its records by, which the user never does.
_NUMBERS = re.compile(r"\b(?:ids?|code|reference|no)$", re.IGNORECASE)
_NUMBERED = re.compile(r"^[A-Z_]+-\d+")
_LABELLED = re.compile(r"(?:^|[(,;|] *)([A-Za-z][\w '/-]{1,29}?) *[:|] *([^,;|()\n]+)")
_JOINING = {"for", "with", "to", "a", "of", "and", "the", "at", "in"}
_BYGONE = re.compile(
    r"\b(?:was|were|had|current(?:ly)?|existing|old|previous(?:ly)?|on file|before the change|originally"
    r"|instead of|so far|new due|result)\b",
    re.IGNORECASE,
)
