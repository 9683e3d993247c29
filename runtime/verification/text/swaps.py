"""Whether two texts exchange who or what something is said of: the back door and the front gate, from A to B."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise

from runtime.verification.text.facts import Mention, agree, agree_loosely
from runtime.verification.text.reading import ReadText, TextToken
from runtime.verification.text.words import LIGHT_STEMS, ROLES, TITLES

# Words up to this many places apart in one clause belong together.
_REACH = 2
_JOINING = frozenset({"and", "or", ",", ";", "nor"})
_CLAUSE_ENDS = _JOINING | set(".!?:\n()-") | {"but", "because", "while", "so", "if", "then", "when", "where", "whereas"}
_ARTICLES = TITLES | {
    *("the", "a", "an", "this", "that", "my", "our", "your", "his", "her", "their", "its", "also", "then"),
}
_COPULAS = frozenset({"is", "are", "was", "were", "be", "been", "being", "got", "as"})
_PERSONS = frozenset({"i", "we", "he", "she", "they"})


@dataclass(frozen=True)
class WordOrder:
    """The words of a text that the other text has too: by clause, by list, after `by`, and after what leads to each."""

    clauses: list[list[str]]
    lists: list[set[str]]
    agents: set[str]
    steps: list[tuple[str, tuple[str, ...]]]

    def links(self) -> set[frozenset[str]]:
        """The pairs of words that stand together."""
        return {
            frozenset({one, other})
            for clause in self.clauses
            for at, one in enumerate(clause)
            for other in clause[at + 1 : at + 1 + _REACH]
            if one != other
        }

    def joins(self, one: str, other: str) -> bool:
        """Whether one list names both, so that their order is free."""
        return any({one, other} <= joined for joined in self.lists)

    def belongs(self, one: str, other: str) -> bool:
        """Whether `of` stands between both, as in `tour of the old town`, which is also an old town tour."""
        return any(
            "of" in between and {one, other} <= {key for key, _ in self.steps[max(0, at - 1) : at + 2]}
            for at, (_, between) in enumerate(self.steps)
        )


def find_exchanged(wanted: ReadText, found: ReadText) -> Iterator[str]:
    """Each pair of words, one of which stands where the expected text has the other."""
    ours, theirs = _keys(wanted, wanted), _keys(found, wanted)
    shared = {key for key in ours if key} & {key for key in theirs if key}
    before, after = _order(wanted, ours, shared), _order(found, theirs, shared)
    for one, other in _exchanged_pairs(before, after):
        listed = before.joins(one, other) and after.joins(one, other)
        if not listed and before.belongs(one, other) == after.belongs(one, other):
            yield f"the actual text exchanges {_plain(one)!r} and {_plain(other)!r}"
    for one, other in _reversed_pairs(before, after, wanted.key_names):
        yield f"the actual text exchanges {_plain(one)!r} and {_plain(other)!r}"
    begins, ends = (_led_by(wanted, ours, word) for word in ("from", "to"))
    starts, stops = (_led_by(found, theirs, word) for word in ("from", "to"))
    if (begins & stops - starts) or (ends & starts - stops):
        yield "the actual text exchanges where it goes from and to"


def _keys(reading: ReadText, wanted: ReadText) -> list[str]:
    """For each token what the expected text calls it; empty for one that says nothing by itself."""
    return [_key(token, wanted) for token in reading.tokens]


def _key(token: TextToken, wanted: ReadText) -> str:
    if token.mention:
        facts = (other for other in wanted.tokens if other.mention and _alike(token.mention, other.mention))
        return next((f"#{other.word}" for other in facts), "")
    if token.word in _PERSONS or (token.word in ROLES and token.word not in TITLES):
        return "person"
    if not token.is_content or token.stem in LIGHT_STEMS or token.word in ROLES:
        return ""
    known = wanted.find(token.word, token.stem)
    return known + "-" * (token.sign == "-") if known else ""


def _alike(one: Mention, other: Mention) -> bool:
    return agree(one.fact, other.fact) or agree_loosely(one.fact, other.fact)


def _order(reading: ReadText, keys: list[str], shared: set[str]) -> WordOrder:
    clauses: list[list[str]] = [[]]
    lists: list[set[str]] = [set()]
    agents: set[str] = set()
    steps: list[tuple[str, tuple[str, ...]]] = []
    between: list[str] = []
    for token, key in zip(reading.tokens, keys, strict=True):
        if key not in shared:
            between.append(token.word)
            if token.word in _CLAUSE_ENDS:
                clauses.append([])
            continue
        if not set(between) & _JOINING or set(between) - _JOINING - _ARTICLES:
            lists.append(set())
        lists[-1].add(key)
        clauses[-1].append(key)
        if "by" in between:
            agents.add(key)
        steps.append((key, tuple(between)))
        between = []
    return WordOrder(clauses, lists, agents, steps)


def _exchanged_pairs(before: WordOrder, after: WordOrder) -> list[tuple[str, str]]:
    """The pairs for which exchanging them in the actual text restores links of both."""
    links, new_links = before.links(), after.links()
    lost, added = links - new_links, new_links - links
    candidates = {
        (one, other)
        for old in lost
        for new in added
        if len(old & new) == 1
        for one, other in [(*(old - new), *(new - old))]
    }
    return sorted(
        (one, other)
        for one, other in candidates
        if ((other, one) in candidates or not any(other in link for link in links))
        and len(links & new_links) + 2 <= len(links & {_exchange(link, one, other) for link in new_links})
        and not (before.agents ^ after.agents) & {one, other}
    )


def _exchange(link: frozenset[str], one: str, other: str) -> frozenset[str]:
    return link ^ {one, other} if len(link & {one, other}) == 1 else link


def _reversed_pairs(before: WordOrder, after: WordOrder, names: set[str]) -> Iterator[tuple[str, str]]:
    """Two words exchanged around the same words, as in `via Lyon to Paris`, or around a verb."""
    ours, theirs = _joined_by(before), _joined_by(after)
    for (one, words, other), _ in ours.items():
        if (other, words, one) in theirs and (
            theirs[other, words, one] and ours[one, words, other] or {one, other} <= names
        ):
            yield one, other


def _joined_by(order: WordOrder) -> dict[tuple[str, tuple[str, ...], str], bool]:
    """The words between two others, articles aside, and whether an article or a preposition leads to the second."""
    joined: dict[tuple[str, tuple[str, ...], str], bool] = {}
    for at in range(1, len(order.steps)):
        key, between = order.steps[at]
        words = tuple(word for word in between if word not in _ARTICLES)
        if words and not {*words} & (_CLAUSE_ENDS | _COPULAS):
            joined[order.steps[at - 1][0], words, key] = True
        verb, gap = order.steps[at - 1]
        if at >= 2 and not words and not {*gap} & (_CLAUSE_ENDS | _COPULAS):
            joined[order.steps[at - 2][0], (verb,), key] = bool(between)
    return joined


def _plain(key: str) -> str:
    return key.strip("#-")


def _led_by(reading: ReadText, keys: list[str], preposition: str) -> set[str]:
    pairs = pairwise(
        (token.word, key) for token, key in zip(reading.tokens, keys, strict=True) if token.word not in _ARTICLES
    )
    return {key for (word, _), (_, key) in pairs if word == preposition and key}
