"""What a question may name a fact by: the words of its name, other words for them, and the kind of its value."""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import lru_cache

from runtime.harness.users.patterns import read_words
from runtime.verification.text.facts import StatedFact
from runtime.verification.text.words import STOP, stem

# Per concept the words of facts' names, and the phrases by which people ask for it; an indented line goes on.
_CONCEPTS = """
email: email mail | emails?|e-mails?(?: address(?:es)?)?|mail address|address (?:we|i) (?:have|can write to)
    |electronic address|where (?:can|should|do) (?:i|we) (?:write|send)
phone: phone telephone mobile cell number_to_call | (?:tele)?phone(?: number)?|mobile(?: number)?
    |cell(?: number)?|contact number|number (?:to|where|we can) (?:call|reach)|reach you
contact: email phone | contact (?:details|info|information)|how (?:can|do|should) (?:i|we) (?:contact|reach) you
person: person name interviewer contact_person referrer guest member patient customer recruiter author
     attendee who full_name child parent teacher trainer doctor driver owner client host
     | who(?:m|'s)?|names?|(?:first|last|full)[ -]names?|person|interviewers?|surname
company: company employer firm organisation organization business | compan(?:y|ies)|employers?|firms?
    |organi[sz]ations?|business|where did you apply|who (?:is|are) (?:it|they) with
job: job title position role post | jobs?(?: titles?)?|titles?|positions?|roles?|vacanc(?:y|ies)|posts?
date: date day since until deadline when due on | dates?|days?|when|deadline|which week
time: time hour at | times?|when|hour|o'?clock|what time
length: minutes duration length hours days weeks more_days months years nights | how long|durations?|length
    |minutes|how many (?:minutes|hours|days|weeks|months)|how far|for how|lasts?|by how much
rating: rating score stars rate grade | ratings?|scores?|rate|stars?|out of (?:5|five|10|ten)
low: low minimum min least lower | low(?:er|est)?|min(?:imum)?|at least|salary|range|bottom|floor|starting at
high: high maximum max most upper | high(?:er|est)?|max(?:imum)?|at most|salary|range|top|ceiling|up to|limit
amount: amount price cost fee salary pay sum budget total money deposit tip | amounts?|price|cost|fee|salary
    |pay|how much|sum|budget|figure
currency: currency | currenc(?:y|ies)|dollars|euros
text: note text message wording comment content body letter resume remark feedback description | notes?|text
    |message|wordings?|comments?|contents?|say|said|read|written|write|body|letter|r[eé]sum[eé]|remarks?
    |feedback|exact words|describe
trainer: trainer instructor coach teacher | trainers?|instructors?|coach(?:es)?|teachers?|tutors?
weight: weight | weight|heavy|weigh
size: size | size|how (?:big|large|tall)
age: age | age|how old
topic: topic subject theme agenda purpose | topics?|subject|theme|agenda|discuss|talk about|purpose|(?:meeting
    |it|this) about
book: book title | books?|titles?
residence: address home_address street delivery_address residence | residence
reason: reason why because cause | reasons?|why|cause|because|justification|grounds?|rationale|explanation
state: state status stage | stat(?:e|us(?:es)?)|stage
kind: kind type category sort genre | kinds?|types?|category|sort|genre|round
place: place location room venue address city street | place|location|room|venue|where|address|city
level: level priority urgency importance | levels?|priorit(?:y|ies)|urgen(?:t|cy)|importan(?:t|ce)
format: format form file_type extension | (?:file )?formats?|file type|extension
source: channel source found found_on via referral origin portal site website platform | sources?|channel
    |portal|(?:web)?site|platform|job board|where (?:did )?you (?:find|found
    |hear|heard|saw|see|c[ao]me across)|how (?:did )?you (?:find|found|hear|heard|apply|applied|come across|learn)
    |through (?:what|which)|referr(?:al|ed)
count: count number quantity copies seats guests people tickets size party amount pieces items | how many
    |number of|quantity|party size
id: id code reference number card_number order_number booking_number | id|ids|code|reference(?: number)?|number
"""

GENERIC = read_words(
    """
    name names number numbers value thing detail details info information old new other first second current the of
    your my our for on in at a an to from is it its one book item
    """
)


def _read_concepts() -> tuple[dict[str, frozenset[str]], tuple[tuple[str, re.Pattern[str]], ...]]:
    by_name: dict[str, set[str]] = {}
    phrases = []
    for line in _CONCEPTS.strip().replace("\n    ", "").splitlines():
        concept, _, rest = line.partition(":")
        names, _, pattern = rest.partition(" | ")
        for name in names.split():
            by_name.setdefault(name, set()).add(f"@{concept}")
        phrases.append((f"@{concept}", re.compile(rf"\b(?:{pattern.strip()})(?!\w)", re.IGNORECASE)))
    return {name: frozenset(concepts) for name, concepts in by_name.items()}, tuple(phrases)


_BY_NAME, _PHRASES = _read_concepts()
_BY_KIND = {"date": {"@date"}, "time": {"@time"}, "email": {"@email"}, "phone": {"@phone"}, "duration": {"@length"}}


# What makes a general word particular: the name of a company is a company, not somebody's name.
_COMPOUNDS = tuple(
    (re.compile(pattern, re.IGNORECASE), replacement)
    for pattern, replacement in (
        (r"\bnames? of (?:the|that|your|this|a) (\w+)", r"\1"),
        (r"\b(company|employer|organi[sz]ation|firm|business|job|position|role|file|user|venue)(?:'s)? name\b", r"\1"),
        (r"\b(?:job|position|role) title\b|\btitle of the (?:job|position|role)\b", "job"),
        (r"\be-?mail address\b", "email"),
        (r"\b(?:tele)?phone number\b", "phone"),
        (r"\bhow (?:long|much (?:more |extra )?(?:time|longer))\b|\b(?:amount|length) of time\b", "duration"),
        (r"\bhow many (?:more )?(?:minutes|hours|days|weeks|months|years|nights)\b", "duration"),
        (r"\btime of (?:the )?day\b", "time"),
        (r"\be-?mail\b", "email"),
        (r"\bdate of birth\b|\bbirth ?date\b|\bbirthday\b|\bd\.?o\.?b\b\.?", "birthdate"),
        (
            r"\b(?:home|street|postal|shipping|billing|mailing|delivery) address\b|\bwhere (?:do )?you live\b",
            "residence",
        ),
    )
)


_UNITS = frozenset(["minutes", "hours", "days", "weeks", "months", "years"])  # how long: not on what day


@lru_cache(maxsize=2048)
def split_name(name: str) -> tuple[str, ...]:
    """The words of a fact's name."""
    spaced = name.lower().replace("_", " ")
    for pattern, replacement in _COMPOUNDS:
        spaced = pattern.sub(replacement, spaced)
    return tuple(re.findall(r"[^\W_]+", spaced))


def topics_of_fact(name: str, values: Iterable[StatedFact], before: Iterable[str]) -> frozenset[str]:
    """Concepts (`@email`) and words by which a fact may be asked for; `~word` marks one that only stands before it."""
    parts = split_name(name)
    topics = {stem(word) for word in parts if word not in GENERIC and word not in _UNITS}
    if not topics:
        topics = {f"={word}" for word in parts}
    for part in (*parts, "_".join(parts)):
        topics |= _BY_NAME.get(part, frozenset())
    for value in values:
        topics |= _BY_KIND.get(value.kind, set())
    return frozenset(topics | {f"~{stem(word)}" for word in before if word not in STOP and word not in GENERIC})


@lru_cache(maxsize=2048)
def topics_of_question(text: str) -> frozenset[str]:
    """The concepts and words that a question names."""
    for pattern, replacement in _COMPOUNDS:
        text = pattern.sub(replacement, text)
    found = {concept for concept, pattern in _PHRASES if pattern.search(text)}
    found |= {f"={part.strip()}" for part in text.lower().split(",")}
    return frozenset(found | {stem(word) for word in re.findall(r"[a-z]+", text.lower()) if word not in GENERIC})


@lru_cache(maxsize=2048)
def topics_of_words(text: str) -> frozenset[str]:
    """The stems of the words of a text that say something by themselves."""
    words = re.findall(r"[^\W_]+", text.lower())
    return frozenset(stem(word) for word in words if word not in STOP and word not in _LIGHT and len(word) > 1)


@lru_cache(maxsize=2048)
def merge_deeds(words: frozenset[str]) -> frozenset[str]:
    """Stems with one for all verbs of one deed: who wants something filed wants it submitted."""
    return frozenset(_DEEDS.get(word, word) for word in words)


_DEEDS = {
    stem(word): stem(deed.split()[0])
    for deed in (
        "send sent submit file hand",
        "delete remove erase",
        "move reschedule postpone push shift extend prolong",
        "restore reopen reactivate unarchive",
        "complete finish tick mark",
        "store upload attach save",
        "leave write note",
        "resume cv",
        "borrow lend loan",
    )
    for word in deed.split()
}
_LIGHT = read_words(
    """
    please could would want like need hi hello thanks thank you also then just now go ahead proceed correct right
    sure okay ok me my your this that these those it them all both one new old there here with shall should can
    """
)
