"""What a set of domains is in figures, as in ScaleEnv's appendix: tables 8 and 9, and similarity."""

from __future__ import annotations

import csv
import io
import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from math import fsum, hypot, log
from typing import Any, TypeAlias

from runtime.domain.domain import Domain
from runtime.graph import read_graph
from runtime.sandbox.files import is_there
from runtime.task.task import Task

_OF_TASKS = ("scenarios", "reading")  # the stages that make tasks; all others make the domain itself

Vector: TypeAlias = Mapping[str, float]


@dataclass(frozen=True)
class TokenCount:
    """Tokens of prompts and of completions."""

    prompt: float
    completion: float

    def as_json(self) -> dict[str, int]:
        total = self.prompt + self.completion
        return {"prompt": round(self.prompt), "completion": round(self.completion), "total": round(total)}


PAPER = {
    "foundation": TokenCount(379_000, 167_000),
    "per_task": TokenCount(74_600, 18_600),
}  # arXiv:2602.06820, table 9


@dataclass(frozen=True)
class DomainFacts:
    """One domain in figures; None where it has no graph, or does not record its tokens."""

    name: str
    title: str
    tasks: int
    splits: Mapping[str, int]
    levels: Mapping[str, int]
    tools: int
    tables: int
    edges: int | None = None
    density: float | None = None
    foundation: TokenCount | None = None
    per_task: TokenCount | None = None
    estimated: bool = False

    @property
    def structure(self) -> tuple[float | None, ...]:
        """Tools, tables, edges and density."""
        return self.tools, self.tables, self.edges, self.density

    def as_json(self) -> dict[str, Any]:
        plain = {name: value for name, value in vars(self).items() if name not in ("name", *PAPER, "estimated")}
        tokens = {"foundation": self.foundation, "per_task": self.per_task, "estimated": self.estimated}
        return {"domain": self.name, **plain, "tokens": tokens}


def gather_facts(domain: Domain, tasks: Sequence[Task]) -> DomainFacts:
    """Count a domain and these of its tasks; errors: UsageError for a graph that cannot be read."""
    graph = read_graph(domain.path) if is_there(domain.path / "graph.json") else None
    recorded: Any = domain.card.provenance.get("tokens")
    foundation = per_task = None
    try:  # a card's provenance is free text to whoever wrote the domain
        stages = {
            name: TokenCount(+stage["prompt"], +stage["completion"]) for name, stage in recorded["by_stage"].items()
        }
        made: Any = domain.card.provenance.get("tasks", {})
        foundation = _sum([stage for name, stage in stages.items() if name not in _OF_TASKS])
        per_task = _sum([stage for name, stage in stages.items() if name in _OF_TASKS], made["count"])
    except (KeyError, TypeError, AttributeError, ZeroDivisionError):
        pass
    levels = Counter(str(task.level or "unknown") for task in tasks)
    return DomainFacts(
        name=domain.name,
        title=domain.card.title,
        tasks=len(tasks),
        splits={split: sum(task.split == split for task in tasks) for split in ("train", "held_out")},
        levels=dict(sorted(levels.items())),
        tools=len(domain.tools),
        tables=len(domain.schema.tables),
        edges=None if graph is None else len(graph.edges),
        density=None if graph is None else round(graph.density, 6),
        foundation=foundation,
        per_task=per_task,
        estimated=foundation is not None and bool(recorded.get("estimated")),
    )


def _sum(stages: Sequence[TokenCount], parts: float = 1) -> TokenCount | None:
    if not stages:
        return None
    return TokenCount(sum(each.prompt for each in stages) / parts, sum(each.completion for each in stages) / parts)


def mean_tokens(facts: Sequence[DomainFacts], of: str) -> TokenCount | None:
    """Return the mean of the tokens that are known; `of` is "foundation" or "per_task"."""
    known = [getattr(each, of) for each in facts if getattr(each, of) is not None]
    return _sum(known, len(known))


def task_table(facts: Sequence[DomainFacts]) -> tuple[list[str], list[list[object]]]:
    """Return table 8, tasks by domain, with the structure beside it; the last row is the total."""
    rows: list[list[Any]] = [[each.name, each.tasks, *each.splits.values(), *each.structure] for each in facts]
    total = ["total", *(sum(column) for column in zip(*(row[1:6] for row in rows), strict=True)), "", ""]
    return ["domain", "tasks", "train", "held out", "tools", "tables", "edges", "density"], [*rows, total]


def token_table(facts: Sequence[DomainFacts], of: str) -> tuple[list[str], list[list[object]]]:
    """Return half of table 9, tokens of a domain or of a task, with their mean and what ScaleEnv reports."""
    made = [(each.name, getattr(each, of), each.estimated) for each in facts if getattr(each, of) is not None]
    made.append(("mean", mean_tokens(facts, of), any(about for *_, about in made)))
    made.append(("ScaleEnv's paper", PAPER[of], True))
    rows: list[list[object]] = [
        [name, *(f"{'~' if about else ''}{value:,}" for value in count.as_json().values())]
        for name, count, about in made
    ]
    return [f"tokens of a {'domain' if of == 'foundation' else 'task'}", "prompt", "completion", "total"], rows


def csv_files(facts: Sequence[DomainFacts], similarity: Mapping[tuple[str, str], float]) -> dict[str, str]:
    """Return the tables as CSV by file name; a domain of which a figure is unknown has an empty cell."""
    levels = sorted({level for each in facts for level in each.levels})
    names, parts = [each.name for each in facts], ("prompt", "completion", "total")
    head = ["domain", "tasks", "train", "held_out", *(f"level_{level}" for level in levels)]
    head += ["tools", "tables", "edges", "density"]
    rows: list[Sequence[object]] = [
        [*head, *(f"{of}_{part}" for of in ("domain", "task") for part in parts), "estimated"]
    ]
    for each in facts:
        tasks = [each.tasks, *each.splits.values(), *(each.levels.get(level, 0) for level in levels)]
        tokens = [of.as_json() if of else dict.fromkeys(parts, "") for of in (each.foundation, each.per_task)]
        counts = [cell for of in tokens for cell in of.values()]
        rows.append([each.name, *tasks, *each.structure, *counts, int(each.estimated) if each.foundation else ""])
    alike = ([one, *(f"{similarity[one, other]:.6f}" for other in names)] for one in names)
    return {"domains.csv": as_csv(rows), "similarity.csv": as_csv([["domain", *names], *alike])}


def as_csv(rows: Iterable[Sequence[object]]) -> str:
    """Return rows as CSV."""
    text = io.StringIO()
    csv.writer(text, lineterminator="\n").writerows(rows)
    return text.getvalue()


def tool_vectors(domains: Sequence[Domain]) -> list[list[Vector]]:
    """Return the vector of each tool's name and description, domain by domain; see `text_vectors`."""
    texts = [f"{each.name} {each.description}" for domain in domains for each in domain.tools.values()]
    vectors = iter(text_vectors(texts))
    return [[next(vectors) for _ in domain.tools] for domain in domains]


def text_vectors(texts: Sequence[str]) -> list[Vector]:
    """Return the TF-IDF vector of each text, of length 1.

    A word that occurs n times weighs 1 + log n, times log((1 + texts) / (1 + texts that have it)) + 1.
    """
    words = [Counter(words_of(text)) for text in texts]
    having = Counter(word for each in words for word in each)
    rarity = {word: log((1 + len(texts)) / (1 + among)) + 1 for word, among in having.items()}
    return [unit({word: (1 + log(often)) * rarity[word] for word, often in each.items()}) for each in words]


def words_of(text: str) -> list[str]:
    """Return the words of a text in their order: two letters or more, in lower case."""
    return re.findall(r"[^\W\d_]{2,}", text.casefold())


def unit(vector: Vector) -> Vector:
    """Return a vector of length 1 with the same direction; an empty one stays empty."""
    length = hypot(*vector.values())
    return {word: weight / length for word, weight in vector.items()} if length else vector


def sum_of(vectors: Iterable[Vector]) -> Vector:
    """Return the sum of vectors."""
    total: dict[str, float] = {}
    for vector in vectors:
        for word, weight in vector.items():
            total[word] = total.get(word, 0) + weight
    return total


def domain_similarity(domains: Sequence[Domain]) -> dict[tuple[str, str], float]:
    """Return the cosine of the mean tool vectors of each two domains: 0 for no common word, 1 for the same words."""
    units = [unit(sum_of(tools)) for tools in tool_vectors(domains)]
    return {
        (one.name, other.name): 1.0 if one is other else round(min(1.0, cosine(own, units[column])), 6)
        for one, own in zip(domains, units, strict=True)
        for column, other in enumerate(domains)
    }


def cosine(one: Vector, other: Vector) -> float:
    """Return the inner product of two vectors: of length 1 each, the cosine of their angle."""
    return fsum(weight * other.get(word, 0) for word, weight in one.items())
