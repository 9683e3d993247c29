"""What is counted of a domain: tasks, tools, tables, dependencies, and the tokens that it took."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from runtime.domain.domain import Domain
from runtime.graph import read_graph
from runtime.sandbox.files import is_there
from runtime.task.task import Task

_OF_TASKS = ("scenarios", "reading")  # the stages that tasks come of; all others make the domain itself


@dataclass(frozen=True)
class TokenCount:
    """Tokens asked with and tokens answered."""

    prompt: float
    completion: float

    @property
    def total(self) -> float:
        """Both together."""
        return self.prompt + self.completion


PAPER_FOUNDATION = TokenCount(379_000, 167_000)
PAPER_TASK = TokenCount(74_600, 18_600)
"""Of ScaleEnv (arXiv:2602.06820, table 9): a domain, and a task."""


@dataclass(frozen=True)
class DomainFacts:
    """One domain in figures; `edges` and `density` are None without a graph, the tokens where nothing was recorded."""

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

    def as_json(self) -> dict[str, Any]:
        """The figures as plain JSON values."""
        return {
            "domain": self.name,
            "title": self.title,
            "tasks": self.tasks,
            "splits": dict(self.splits),
            "levels": dict(self.levels),
            "tools": self.tools,
            "tables": self.tables,
            "edges": self.edges,
            "density": None if self.density is None else round(self.density, 6),
            "tokens": {
                "foundation": tokens_as_json(self.foundation),
                "per_task": tokens_as_json(self.per_task),
                "estimated": self.estimated,
            },
        }


def gather_facts(domain: Domain, tasks: Sequence[Task]) -> DomainFacts:
    """The figures of a domain, of whose tasks these are looked at; errors: UsageError for a graph that is none."""
    graph = read_graph(domain.path) if is_there(domain.path / "graph.json") else None
    tokens = _read_tokens(domain)
    foundation = per_task = None
    if tokens is not None:
        foundation = _sum(stage for name, stage in tokens.by_stage.items() if name not in _OF_TASKS)
        whole = _sum(stage for name, stage in tokens.by_stage.items() if name in _OF_TASKS)
        made = _count_made(domain)
        if whole is not None and made:
            per_task = TokenCount(whole.prompt / made, whole.completion / made)
    return DomainFacts(
        name=domain.name,
        title=domain.card.title,
        tasks=len(tasks),
        splits={split: sum(task.split == split for task in tasks) for split in ("train", "held_out")},
        levels={
            str(level or "unknown"): count
            for level in (1, 2, 3, 4, 5, None)
            if (count := sum(task.level == level for task in tasks))
        },
        tools=len(domain.tools),
        tables=len(domain.schema.tables),
        edges=None if graph is None else len(graph.edges),
        density=None if graph is None else graph.density,
        foundation=foundation,
        per_task=per_task,
        estimated=tokens is not None and tokens.estimated,
    )


def mean_tokens(counts: Sequence[TokenCount | None]) -> TokenCount | None:
    """The mean of those that are known."""
    known = [each for each in counts if each is not None]
    if not known:
        return None
    return TokenCount(
        sum(each.prompt for each in known) / len(known), sum(each.completion for each in known) / len(known)
    )


def tokens_as_json(count: TokenCount | None) -> dict[str, int] | None:
    """A count in whole tokens as plain JSON values."""
    if count is None:
        return None
    return {"prompt": round(count.prompt), "completion": round(count.completion), "total": round(count.total)}


class _StageTokens(BaseModel):
    model_config = ConfigDict(strict=True)

    prompt: int = Field(ge=0)
    completion: int = Field(ge=0)


class _DomainTokens(BaseModel):
    model_config = ConfigDict(strict=True)

    by_stage: dict[str, _StageTokens]
    estimated: bool = False


def _read_tokens(domain: Domain) -> _DomainTokens | None:
    """What a card says that its domain took; None where it says nothing, as of a domain made by hand."""
    try:
        return _DomainTokens.model_validate(domain.card.provenance.get("tokens"))
    except ValidationError:
        return None


def _count_made(domain: Domain) -> int:
    tasks = domain.card.provenance.get("tasks")
    count = tasks.get("count") if isinstance(tasks, dict) else None
    return count if isinstance(count, int) and count > 0 else 0


def _sum(stages: Any) -> TokenCount | None:
    found = list(stages)
    if not found:
        return None
    return TokenCount(sum(each.prompt for each in found), sum(each.completion for each in found))
