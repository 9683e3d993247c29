"""Judge what the user was told: each required value must be told plainly, and not as one of many guesses.

A claim of the right value stands if no other value is claimed in the same words. Of two values the later one stands, if
it is in a later message or says that it corrects ("sorry", "now"); of three or more none does. Where another value is
claimed under the very name of the answer, that one is what the user was told.

Values that the user said, or that other answers require, are never held against an answer. Of the others some may be
told in a conversation: honest summaries and short lists pass, a recital does not. Beside a value with decimals, bare
whole numbers are no guesses at it but the counts that it comes from: "85.71 %, which is 282 of 329".
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache

from runtime.domain.rows import ColumnRef
from runtime.domain.schema import Value
from runtime.verification.text.claims import Claim, Wanted, is_text, read_claims, stems_of
from runtime.verification.text.facts import StatedFact, agree, extract_facts, find_numbers, prepare
from runtime.verification.text.match import normalise
from runtime.verification.verdict import Difference

MOST_COMPARED = 20_000  # other texts of a column that are looked for in what was told
MOST_READ = 30_000  # characters of a message; nobody reads a longer one, so it tells nothing
MOST_AS_NEAR = 4  # other values that are told in words as near to what was asked as those of the right one
MOST_IN_ONE_FRAME = 1  # other value claimed in the same words, which the right one corrects


@dataclass(frozen=True)
class RequiredAnswer:
    """A value to be told, and the column it comes from, if it is one that stands in the database."""

    name: str
    value: str | int | float
    source: ColumnRef | None
    at_most: int


def judge_answers(
    answers: Sequence[RequiredAnswer],
    told: Sequence[str],
    values_of: Callable[[ColumnRef], Iterable[Value]],
    licensed: Sequence[str | int | float] = (),
) -> Iterator[Difference]:
    """One difference per answer that was not given; `told` is what the assistant said to the user, in order.

    `values_of` gives the values of a column at the start; `licensed` are the values and the words of the user. An
    answer counts as recited if more than `at_most` other values of its kind were told that nothing licenses: of a text
    those of its column, and of a column with few texts no more than half.
    """
    told = [message for message in told if len(message) <= MOST_READ]
    for answer in answers:
        others = [other for other in answers if other.value != answer.value]
        is_free = _licence(tuple(str(value) for value in (*licensed, *(other.value for other in others))))
        column = _texts_of(answer, values_of)
        at_most = min(answer.at_most, max(1, len(column) // 2)) if column else answer.at_most
        wanted = Wanted(answer.name, answer.value, _told_of(column, answer, told))
        named = wanted.words.difference(*(stems_of(other.name) for other in others)), wanted.words
        about = wanted.words | stems_of(" ".join(map(str, licensed)))
        difference = _wrong(answer, at_most, read_claims(told, wanted, is_free), is_free, named, about)
        if difference is not None:
            yield difference


def _wrong(
    answer: RequiredAnswer,
    at_most: int,
    read: Iterable[Claim],
    is_free: Callable[[Hashable], bool],
    named: Sequence[frozenset[str]],
    about: frozenset[str],
) -> Difference | None:
    """What is wrong with the claims that bear on an answer."""
    right: list[tuple[int, Claim]] = []
    against: list[tuple[int, Claim]] = []
    guessed: set[Hashable] = set()
    has_decimals = _has_decimals(answer.value)
    for at, claim in enumerate(read):
        if claim.right and claim.plain:
            right.append((at, claim))
        elif not claim.right and not is_free(claim.value):
            against.append((at, claim))
            if not (has_decimals and claim.is_count):
                guessed.add(claim.value)
            if len(guessed) > at_most:
                break
    if has_decimals and any(_has_decimals(claim.value) for _, claim in right):
        guesses = [claim for _, claim in against if not claim.is_count]
    else:  # it may have been told as a whole number, as about 86 percent
        guesses = [claim for _, claim in against]
    if len({claim.value for claim in guesses}) > at_most:
        return Difference("recited_answer", expected=answer.value, answer=answer.name, others=at_most)
    if not right:
        return Difference("missing_answer", expected=answer.value, answer=answer.name)
    standing = [claim for at, claim in right if _stands(claim, at, against, named)]
    if not standing or _is_one_of_many(standing, guesses, about, at_most):
        return Difference("recited_answer", expected=answer.value, answer=answer.name)
    return None


def _has_decimals(value: Hashable) -> bool:
    return isinstance(value, Fraction | float) and value != int(value)


def _is_one_of_many(standing: Sequence[Claim], guesses: Sequence[Claim], about: frozenset[str], at_most: int) -> bool:
    """Whether nothing but its being right tells the right value from others: they are as near to what was asked.

    Near is what is told in words of the answer's name and of the user; "1 apple. 2 pears. 3 plums ..." is not. The
    others are counted in the message that tells the value, and, as a longer conversation holds more, in all of them.
    """
    near = max(len(claim.words & about) for claim in standing)
    others = [claim for claim in guesses if claim.plain and len(claim.words & about) >= near]
    beside = min(len({other.value for other in others if other.message == claim.message}) for claim in standing)
    return beside > MOST_AS_NEAR or len({other.value for other in others}) > max(MOST_AS_NEAR, 2 * at_most // 3)


def _texts_of(answer: RequiredAnswer, values_of: Callable[[ColumnRef], Iterable[Value]]) -> list[str]:
    """The other texts of the answer's column, if it is one that is told as a phrase."""
    if answer.source is None or not is_text(answer.value):
        return []
    return [value for value in values_of(answer.source) if isinstance(value, str) and value != answer.value]


def _told_of(column: Sequence[str], answer: RequiredAnswer, told: Sequence[str]) -> list[str]:
    """Those texts of a column that were told; not more than it takes to tell a recital."""
    own = f" {normalise(str(answer.value))} "
    plain = f" {normalise(' '.join(told))} ".replace(own, "  ") if column else ""
    found: list[str] = []
    for value in column[:MOST_COMPARED]:
        if f" {normalise(value)} " in plain and normalise(value):
            found.append(value)
            if len(found) > 4 * answer.at_most + MOST_IN_ONE_FRAME:
                break
    return found


@lru_cache(maxsize=1024)
def _licence(said: tuple[str, ...]) -> Callable[[Hashable], bool]:
    """Whether a value is, or stands in, one of some texts; kept, since a task is judged many times."""
    texts = [prepare(text) for text in said]
    numbers = {number for text in texts for number in find_numbers(text)}
    facts = [fact for text in texts for fact in extract_facts(text)]
    phrases = f" {' | '.join(map(normalise, said))} "

    def is_free(value: Hashable) -> bool:
        if isinstance(value, StatedFact):
            return any(agree(value, fact) for fact in facts)
        return value in numbers if isinstance(value, Fraction) else f" {normalise(str(value))} " in phrases

    return is_free


def _stands(claim: Claim, at: int, against: Sequence[tuple[int, Claim]], named: Sequence[frozenset[str]]) -> bool:
    """Whether the right value, claimed at a place among all claims, is what the user is left with."""
    plain = [(place, other) for place, other in against if other.plain]
    rivals = [each for each in plain if (each[1].words, each[1].place) == (claim.words, claim.place)]
    if len({rival.value for _, rival in rivals}) > MOST_IN_ONE_FRAME:
        return False
    if not named[0] <= claim.words:
        rivals += [each for each in plain if each[1].words and each[1].words in named]
    return all(place < at and (claim.corrects or claim.message > rival.message) for place, rival in rivals)
