"""Whether a proposal is just what is wished: every fact that was told is in it, and nothing that nobody told."""

from __future__ import annotations

import re
from collections.abc import Sequence
from datetime import date
from functools import lru_cache

from runtime.harness.users.machine import MOST_SAID, Machine, is_short
from runtime.task.answers import kind_of
from runtime.task.user import KnownFact
from runtime.verification.reading.days import find_days
from runtime.verification.text.facts import Mention, agree, find_firm_mentions, prepare
from runtime.verification.text.match import normalise, tells
from runtime.verification.text.words import NEGATORS, STOP, stem

_WORD = re.compile(r"[^\W\d_]+(?:'(?!s\b)[^\W\d_]+)?")
_NAME = re.compile(r"[^\W\d_a-z]\S*(?: (?:[a-z]{1,5} )*[^\W\d_a-z]\S*)*")  # of words with capitals: "Roses after Dark"
_NAMED = re.compile(r"[^\W\d_a-z][\w'-]*(?: [^\W\d_a-z][\w'-]*)+")
_TITLED = re.compile(r"[^\W\d_a-z][\w'-]*(?: (?:(?:of|for|after|the|in|on) )*[^\W\d_a-z][\w'-]*)+")
_GROUPED = re.compile(r"(?<=\d),(?=\d{3}\b)")  # 72,000
_SLASHED = re.compile(r"\b(\d)/(\d+)\b(?!/)")  # 2/5
_QUOTE = re.compile(r"\"[^\"\n]*\"|“[^”\n]*”|(?<!\w)'[^'\n]*'(?!\w)")
_SINGLE = re.compile(r"(?<=[a-z,] )[^\W\d_a-z][\w'-]*[a-z][\w'-]*")  # within a sentence
_CODE = re.compile(r"(?<![\w'-])[A-Z]{3}(?![\w'-])")  # of a currency, say
_PLAIN = re.compile(r"[^\W\d_][\w'-]*")
_PHRASE = re.compile(r"[^\W\d_][\w'-]*(?: [^\W\d_][\w'-]*)+")  # words with nothing but a space between them
_MOST_OF_A_TITLE = 6  # words
_YES_OR_NO = re.compile(r"\(?\byes ?(?:/|or) ?no\b\)?", re.IGNORECASE)


def words_in(text: str) -> frozenset[str]:
    """The words of a list."""
    return frozenset(text.split())


# What every plan may hold: the words in which permission is asked, whatever for.
_ASKING = frozenset(
    map(
        stem,
        words_in(
            """shall should may can could would will proceed go ahead confirm confirmation correct right okay ok sure
            want like please request following follow detail make understand understood summary plan so now yes ready
            everything look sound good check before here is just clear got let me know if you i your you'd i'd i'll i'm
            you're that's it's happy perfect thank thanks great of course one moment asked wish gladly"""
        ),
    )
)
# The two ends of what can be ordered, by the words that pick one.
_ENDS = tuple(
    (words_in(one), words_in(other))
    for one, other in (
        ("highest largest biggest greatest most", "lowest smallest least cheapest fewest"),
        ("longest", "shortest"),
        ("latest newest", "earliest oldest"),
    )
)
_AT = re.compile(r"\bat (?:the )?(?:most|least|latest|earliest)\b", re.IGNORECASE)
_CONTRASTS = words_in("rather instead actually")
_BESIDES = words_in("also additionally plus")
_EXTRA = _BESIDES | words_in("instead otherwise except unless or too well")


def fits(said: str, machine: Machine) -> bool:
    """Whether a bare yes to all that is said approves the wishes that were said last, and no more; in doubt not."""
    said_first = machine.facts_in_words()
    first = " ".join(machine.user.wishes[wish].words[0] for wish in machine.wishes)
    if not all(_holds(said, fact) for fact in said_first) or _order(said_first, said) != _order(said_first, first):
        return False
    own = _own(machine)
    known = _mentions(own)
    if not all(any(agree(each.fact, other.fact) for other in known) for each in _mentions(said)):
        return False
    stated = frozenset[str]().union(*(_words_of(each.words) for each in _mentions(said)))  # agrees with what is known
    words, own_words = _words_of(prepare(_YES_OR_NO.sub("", said))) - stated, _words_of(own)
    if (words & (NEGATORS | _EXTRA)) - own_words:
        return False
    allowed = {stem(word) for word in own_words} | _ASKING
    return all(word in STOP or stem(word) in allowed for word in words)  # STOP holds what says nothing by itself


def unsaid(said: str, machine: Machine, today: date) -> tuple[KnownFact, ...]:
    """The facts that the words of the present wishes hold and a text does not, be it in the words of the rows."""
    days = {day for span in find_days(said, today) if len(span.readings) == 1 for day in span.readings}
    return tuple(
        fact
        for fact in machine.facts_in_words()
        if not (
            _holds(said, fact)
            or fact.value in days
            or (isinstance(fact.value, str) and tells(said, fact.value.replace("_", " ")))
        )
    )


def speaks_of(said: str, machine: Machine) -> bool:
    """Whether a text has a word that tells something and stands in a wording of the present wishes."""
    own = {stem(word) for word in _words_of(_own(machine)) - STOP} - _ASKING
    own |= set(re.findall(r"\d+", _own(machine)))
    spoken = {stem(word) for word in _words_of(said)} | set(re.findall(r"\d+", said))
    return not own or not own.isdisjoint(spoken)


def strays(sentence: str, machine: Machine) -> bool:
    """Whether a question has a word that tells something and that the user did not say."""
    own = {stem(word) for word in _words_of(_own(machine))} | _ASKING
    return any(stem(word) not in own for word in _words_of(sentence) - STOP)


def adds(said: str, machine: Machine) -> bool:
    """Whether a text speaks of something besides, in a word for that which the user did not say."""
    return bool((_words_of(said) & _BESIDES) - _words_of(_own(machine)))


def corrects(sentence: str, machine: Machine) -> bool:
    """Whether a sentence denies what the user believes and has another value of its kind: "Friday, not Thursday"."""
    if not _words_of(sentence) & (NEGATORS | _CONTRASTS):
        return False
    stated = _mentions(sentence)
    for belief in (belief for wish in machine.wishes for belief in machine.user.wishes[wish].beliefs):
        believed = _mentions(belief.said)
        kinds = {each.fact.kind for each in believed}
        others = [each for each in stated if each.fact.kind in kinds]
        others = [each for each in others if not any(agree(each.fact, own.fact) for own in believed)]
        rest = sentence
        for each in others:
            rest = rest.replace(each.words, " ")
        if others and _words_of(rest) & (_words_of(belief.said) - STOP):
            return True
    return False


def other_end(said: str, machine: Machine) -> tuple[KnownFact, ...]:
    """The end of what can be ordered that the present wishes pick, if a plan picks the other instead: the highest offer
    for the lowest.
    """
    if machine.progress.written:
        return ()
    spoken, known = _words_of(_AT.sub("", said)), _words_of(_own(machine))
    words = _AT.sub("", " ".join(machine.user.wishes[wish].words[0] for wish in machine.wishes))
    for own, other in (*_ENDS, *(ends[::-1] for ends in _ENDS)):
        wanted = [word for word in _WORD.findall(words) if word.casefold() in own]
        if wanted and not spoken & own and spoken & other - known:
            return (KnownFact(name="end", value=wanted[0], said=f"the {wanted[0]}"),)
    return ()


def differing(said: str, facts: Sequence[KnownFact], machine: Machine) -> tuple[KnownFact, ...]:
    """Those of some facts for which a message has something else: another value of the kind, or another name.

    Of names and titles one that is in part alike, of dictated texts a quoted one; for a name of a single word, in a
    plan without it, any that the user did not say.
    """
    if not facts:
        return ()
    own = _own(machine)
    stated = _mentions(said)
    known = _mentions(own) if stated else ()
    foreign = {each.fact.kind for each in stated if not any(agree(each.fact, other.fact) for other in known)}
    unquoted = _QUOTE.sub("", said)
    dates = {word for each in stated for word in each.words.split()}
    single = [each for each in _SINGLE.findall(unquoted) if each not in dates]
    names = _foreign((*_NAMED.findall(unquoted), *single), own)
    quoted = [each[1:-1] for each in _QUOTE.findall(said)]
    titles = [words - STOP for words in _foreign(list(filter(_is_title, quoted)), own)]
    is_plan = not machine.progress.written
    codes = {code for code in _CODE.findall(said) if code not in _CODE.findall(own)}
    quantities = {fact.name: _mentions(with_unit(fact, own)) for fact in (*machine.facts_in_words(), *facts)}
    is_moved = machine.progress.written and any(
        each.fact.kind == "duration" for stated in quantities.values() for each in stated
    )
    return tuple(
        fact
        for fact in facts
        if any(
            each.fact.kind in foreign - ({"date", "weekday", "time"} if is_moved else set())
            for each in quantities[fact.name]
        )
        or (_CODE.fullmatch(fact.said) and codes)
        or (not is_short(fact) and any(_is_like(each, fact.said) for each in quoted))
        or (_is_name(fact) and any(_words_of(fact.said) & title for title in titles))
        or _is_nearly(said, fact, own)
        or (_is_name(fact) and any(_words_of(fact.said) & name or (is_plan and " " not in fact.said) for name in names))
    )


def _is_title(quote: str) -> bool:
    """Whether what is quoted begins as a name and is as short as one."""
    return quote[:1].isupper() and len(quote.split()) <= _MOST_OF_A_TITLE


def _is_nearly(said: str, fact: KnownFact, own: str) -> bool:
    """Whether a text has a title with half the words of a fact in their places, and others that the user did not say in
    the rest: "Brown office chair" for "Brown kitchen chair".
    """
    wanted = fact.said.split()
    if not (1 < len(wanted) <= _MOST_OF_A_TITLE and fact.said[0].isupper() and all(map(_PLAIN.fullmatch, wanted))):
        return False
    for phrase in _PHRASE.findall(said.replace("’", "'")):
        spoken = phrase.split()
        for title in zip(*(spoken[at:] for at in range(len(wanted))), strict=False):
            pairs = [(one, word) for one, word in zip(title, wanted, strict=True) if one.casefold() != word.casefold()]
            other = {one.casefold() for one, _ in pairs}
            is_strange = other.isdisjoint(STOP) and {stem(word) for word in other}.isdisjoint(_ASKING)
            is_cased = title[0][0].isupper() and all(one[0].isupper() or word[0].islower() for one, word in pairs)
            is_own = normalise(" ".join(title)) in normalise(own)
            if 0 < 2 * len(other) <= len(wanted) and is_strange and is_cased and not is_own:
                return True
    return False


def _is_like(text: str, dictated: str) -> bool:
    """Whether a text has most words of one that was dictated, and others instead of the rest."""
    words, wanted = _words_of(text), _words_of(dictated)
    return words != wanted and 2 * len(words & wanted) > max(len(words), len(wanted))


def doubtful(said: str, facts: Sequence[KnownFact], machine: Machine) -> tuple[KnownFact, ...]:
    """Those of some facts that are names, if a plan has another name instead: maybe of what was meant, maybe not.

    A wish of many facts has too many names that a plan may leave out.
    """
    if len(machine.facts_in_words()) > MOST_SAID:
        return ()
    names = [fact for fact in facts if _is_name(fact) and is_short(fact)][:MOST_SAID]
    if not names or machine.progress.written:
        return ()
    return tuple(names) if _foreign(_TITLED.findall(said), _own(machine)) else ()


def _foreign(names: Sequence[str], own: str) -> list[frozenset[str]]:
    """The words of the names that the user did not say."""
    found = [_words_of(each) for each in names if normalise(each) not in normalise(own)]
    return [words for words in found if any(stem(word) not in _ASKING for word in words - STOP)]


def with_unit(fact: KnownFact, words: str) -> str:
    """A fact as words have it: a number with what stands behind it."""
    if not fact.said.isdigit():
        return fact.said
    found = re.search(rf"(?<![\w.,]){fact.said}\s+(?:out of \d+|([^\W\d_]+))", words)
    return found.group() if found and found[1] not in STOP else fact.said


def _is_name(fact: KnownFact) -> bool:
    is_written = any(map(str.islower, fact.said))  # no code
    return is_written and _NAME.fullmatch(fact.said) is not None and not _mentions(fact.said)


def _holds(said: str, fact: KnownFact) -> bool:
    """Whether a text holds a fact as the user says it, or a day or time in any notation."""
    value = fact.value
    said = _SLASHED.sub(r"\1 out of \2", _GROUPED.sub("", said))
    return tells(said, fact.said) or (isinstance(value, str) and kind_of(value) != "text" and tells(said, value))


def _order(facts: Sequence[KnownFact], text: str) -> list[list[str]]:
    """Of facts of one kind, the order in which a text names them: who gets what follows from it."""
    by_kind: dict[str, list[tuple[int, str]]] = {}
    for fact in facts:
        kind = kind_of(fact.value) if fact.value is not None else "text"
        by_kind.setdefault(kind, []).append((_place(fact, text), fact.name))
    return [[name for _, name in sorted(places)] for _, places in sorted(by_kind.items())]


def _place(fact: KnownFact, text: str) -> int:
    """Where a text names a fact first; -1 if it does not."""
    place = f" {normalise(text)} ".find(f" {normalise(fact.said)} ")
    wanted = _mentions(fact.said)
    if place >= 0 or not wanted:
        return place
    return next((each.start for each in _mentions(text) if agree(each.fact, wanted[0].fact)), -1)


def _own(machine: Machine) -> str:
    """All that the user said of the present wishes, in every wording, and the facts that it has told."""
    words = [words for wish in machine.wishes for words in machine.user.wishes[wish].words]
    facts = [fact for wish, fact in machine.facts_known() if machine.is_told(wish, fact)]
    return "\n".join([*words, *(f"{fact.name.replace('_', ' ')}: {fact.said}" for fact in facts)])


def _mentions(text: str) -> tuple[Mention, ...]:
    return find_firm_mentions(prepare(text))


@lru_cache(maxsize=256)
def _words_of(text: str) -> frozenset[str]:
    return frozenset(_WORD.findall(text.replace("’", "'").casefold()))
