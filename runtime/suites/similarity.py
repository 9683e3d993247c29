"""How alike domains are: the words of their tools, weighted by how rare they are among all tools (TF-IDF)."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from math import log
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from runtime.domain.domain import Domain

Vectors: TypeAlias = NDArray[np.float64]


def tool_names(domains: Sequence[Domain]) -> list[tuple[str, str]]:
    """Every tool of some domains, in order: domain and tool."""
    return [(domain.name, tool) for domain in domains for tool in domain.tools]


def tool_vectors(domains: Sequence[Domain]) -> Vectors:
    """A row for every tool of some domains, of length 1: the words of its name and of its description.

    A word that occurs n times weighs 1 + log n, times log((1 + tools) / (1 + tools that have it)) + 1.
    """
    counts = [
        Counter(_words(f"{tool.name} {tool.description}")) for domain in domains for tool in domain.tools.values()
    ]
    having = Counter(word for each in counts for word in each)
    columns = {word: number for number, word in enumerate(sorted(having))}
    vectors = np.zeros((len(counts), max(1, len(columns))))
    for row, each in enumerate(counts):
        for word, count in each.items():
            rarity = log((1 + len(counts)) / (1 + having[word])) + 1
            vectors[row, columns[word]] = (1 + log(count)) * rarity
    lengths = np.linalg.norm(vectors, axis=1, keepdims=True)
    return vectors / np.where(lengths, lengths, 1)


def domain_similarity(domains: Sequence[Domain]) -> Mapping[tuple[str, str], float]:
    """Of each two domains the cosine of their mean tool vectors, from 0, no word in common, to 1, the same words."""
    vectors = tool_vectors(domains)
    ends = np.cumsum([len(domain.tools) for domain in domains])[:-1]
    means = np.stack([part.mean(axis=0) for part in np.split(vectors, ends)])
    lengths = np.linalg.norm(means, axis=1, keepdims=True)
    units = means / np.where(lengths, lengths, 1)
    cosines = np.clip(units @ units.T, 0, 1)
    names = [domain.name for domain in domains]
    return {
        (one, other): 1.0 if one == other else round(float(cosines[row, column]), 6)
        for row, one in enumerate(names)
        for column, other in enumerate(names)
    }


def _words(text: str) -> list[str]:
    return re.findall(r"[^\W\d_]{2,}", text.casefold())
