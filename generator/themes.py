"""Themes in task texts: texts of like words are one theme, named by its words, and ranked by what the domains lack."""

from __future__ import annotations

import heapq
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from math import log

from inflection import singularize

from runtime.study import Vector, cosine, sum_of, text_vectors, unit, words_of

_FEWEST_WORDS = 4  # of a text that can have a theme
_TELLING = 20  # words of a text, those of the greatest weight: texts without one in common are not compared
_TOO_COMMON = 0.05  # of the texts have a word, and more than a few: it brings no two together, and names no theme
_A_FEW = 20
_LEAST_COSINE = 0.1  # below it, two texts are as if they had no word in common
_WORDS_IN_LABEL = 3
_SHARE_FOR_LABEL = 0.5  # of a theme's texts have a word of its label
_LEAST_LETTERS = 3  # in a word of a label


@dataclass(frozen=True)
class MinedText:
    """A text of a task; `theme` is the one that it is known to have, if any."""

    id: str
    text: str
    theme: str = ""


@dataclass(frozen=True)
class Theme:
    """Texts of one theme: the label, its texts (the most typical first), and the domain at hand that is most alike."""

    label: str
    texts: tuple[MinedText, ...]
    nearest: str
    likeness: float

    @property
    def rank(self) -> float:
        """What ranks it: how many texts it has, on a log scale, times how far it is from every domain."""
        return log(1 + len(self.texts)) * (1 - self.likeness)


@dataclass(frozen=True)
class ThemeAgreement:
    """Clusters against known themes: how pure they are, how whole they leave these, and the same of nearest texts."""

    texts: int
    clusters: int
    known: int
    purity: float  # texts that have the commonest known theme of their cluster
    wholeness: float  # texts that are in the commonest cluster of their known theme (inverse purity)
    nearest: float  # texts whose nearest text is of the same known theme, of those that have another one
    nearest_of: int


def clean_texts(texts: Sequence[MinedText]) -> list[MinedText]:
    """Leave out texts of fewer than four words, and those that an earlier one equals word for word."""
    kept: dict[tuple[str, ...], MinedText] = {}
    for each in texts:
        words = tuple(words_of(each.text))
        if len(words) >= _FEWEST_WORDS:
            kept.setdefault(words, each)
    return list(kept.values())


def compare_texts(vectors: Sequence[Vector]) -> dict[tuple[int, int], float]:
    """Return the cosine of each two texts that have a rare word in common, where it is 0.1 at least."""
    having = Counter(word for vector in vectors for word in vector)
    most = max(_A_FEW, _TOO_COMMON * len(vectors))
    sharing: dict[str, list[int]] = defaultdict(list)
    found: dict[tuple[int, int], float] = {}
    for number, vector in enumerate(vectors):
        telling = sorted(vector, key=lambda word: (-vector[word], word))[:_TELLING]
        rare = [word for word in telling if having[word] <= most]
        for other in sorted({other for word in rare for other in sharing[word]}):
            few, many = sorted((vector, vectors[other]), key=len)
            value = cosine(few, many)
            if value >= _LEAST_COSINE:
                found[other, number] = value
        for word in rare:
            sharing[word].append(number)
    return found


def cluster(count: int, alike: Mapping[tuple[int, int], float], least: float) -> list[list[int]]:
    """Join the two clusters of the greatest mean cosine until none is above `least` (average linkage).

    Texts that were not compared count as 0. Returns the numbers of each cluster's texts, the largest cluster first.
    """
    members = {number: [number] for number in range(count)}
    sums: dict[int, dict[int, float]] = {number: {} for number in range(count)}
    for (one, other), value in alike.items():
        sums[one][other] = sums[other][one] = value
    waiting = [(-value, *pair, 1, 1) for pair, value in alike.items() if value > least]
    heapq.heapify(waiting)
    while waiting:
        _, one, other, *sizes = heapq.heappop(waiting)
        if [len(members.get(each, ())) for each in (one, other)] != sizes:
            continue  # one of them has grown or is gone
        members[one] += members.pop(other)
        for third, value in sums.pop(other).items():
            del sums[third][other]
            if third != one:
                sums[one][third] = sums[third][one] = sums[one].get(third, 0.0) + value
        for third, value in sums[one].items():
            mean = value / (len(members[one]) * len(members[third]))
            if mean > least:
                heapq.heappush(waiting, (-mean, one, third, len(members[one]), len(members[third])))
    return sorted((sorted(each) for each in members.values()), key=lambda each: (-len(each), each))


def find_themes(texts: Sequence[MinedText], domains: Mapping[str, str], least: float) -> list[Theme]:
    """Return the themes of texts, best rank first; `domains` are the words of each domain at hand."""
    vectors = text_vectors([*(each.text for each in texts), *domains.values()])
    of_domains = dict(zip(domains, vectors[len(texts) :], strict=True))
    vectors = vectors[: len(texts)]
    having = Counter(word for vector in vectors for word in vector)
    themes = []
    for numbers in cluster(len(texts), compare_texts(vectors), least):
        center = unit(sum_of(vectors[number] for number in numbers))
        typical = sorted(numbers, key=lambda number: (-cosine(vectors[number], center), number))
        likeness = {name: cosine(center, vector) for name, vector in of_domains.items()}
        nearest = max(likeness, key=lambda name: likeness[name], default="")
        members = tuple(texts[number] for number in typical)
        themes.append(Theme(_label(members, having, len(texts)), members, nearest, likeness.get(nearest, 0.0)))
    return sorted(themes, key=lambda theme: (-theme.rank, theme.label))


def _label(texts: Sequence[MinedText], having: Mapping[str, int], count: int) -> str:
    """Name a theme by the rare words that most of its texts have; two that stand side by side come first."""
    words = [words_of(each.text) for each in texts]
    least, most = _SHARE_FOR_LABEL * len(texts), max(_A_FEW, _TOO_COMMON * count)
    shared = Counter(word for each in words for word in set(each) if len(word) >= _LEAST_LETTERS)
    rare = {word: often for word, often in shared.items() if often >= least and having[word] <= most} or shared
    weights = {word: often * log((2 + count) / having[word]) for word, often in rare.items()}
    side_by_side = Counter(pair for each in words for pair in set(pairwise(each)) if weights.keys() >= set(pair))
    pairs = [pair for pair, often in side_by_side.items() if often >= least]
    best = max(pairs, key=lambda pair: (weights[pair[0]] + weights[pair[1]], pair), default=())
    chosen: dict[str, str] = {singularize(word): word for word in best}
    for word in sorted(weights, key=lambda word: (-weights[word], word)):
        chosen.setdefault(singularize(word), word)
    return " ".join(list(chosen.values())[:_WORDS_IN_LABEL])


def agree(texts: Sequence[MinedText], least: float) -> ThemeAgreement:
    """Hold the clusters of texts against the themes that they are known to have."""
    vectors = text_vectors([each.text for each in texts])
    alike = compare_texts(vectors)
    clusters = cluster(len(texts), alike, least)
    sizes = Counter(each.theme for each in texts)
    within = [Counter(texts[number].theme for number in numbers) for numbers in clusters]
    largest = Counter[str]()
    for each in within:
        largest |= each
    nearest: dict[int, tuple[float, int]] = {}
    for (one, other), value in alike.items():
        for number, neighbor in ((one, other), (other, one)):
            nearest[number] = max(nearest.get(number, (0.0, 0)), (value, neighbor))
    having = [number for number, each in enumerate(texts) if sizes[each.theme] > 1]
    same = sum(number in nearest and texts[nearest[number][1]].theme == texts[number].theme for number in having)
    return ThemeAgreement(
        texts=len(texts),
        clusters=len(clusters),
        known=len(sizes),
        purity=round(sum(max(each.values()) for each in within) / len(texts), 4),
        wholeness=round(sum(largest.values()) / len(texts), 4),
        nearest=round(same / len(having), 4) if having else 0.0,
        nearest_of=len(having),
    )
