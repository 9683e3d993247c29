"""What a domain folder says of itself: its tools and tables, the files that are there, the tokens it took."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from generator.gates.request import FolderRequest
from generator.isolation.job import job
from runtime.domain.load import load_domain


@dataclass(frozen=True)
class DeclaredTool:
    """What a tool declares: the tables that it reads and writes, the kinds of its rejections."""

    reads: list[str]
    writes: list[str]
    rejects: list[str]


@dataclass(frozen=True)
class FolderReport:
    """A domain that keeps every rule of loading; `tokens` is whatever `domain.json` says of them."""

    domain: str
    title: str
    tools: dict[str, DeclaredTool]
    tables: list[str]
    undescribed: list[str]  # parameters
    tokens: Any


@job("folder")
def describe_folder(asked: FolderRequest) -> FolderReport:
    """Load a domain by all of its rules and describe it; errors: UsageError, BrokenDomain."""
    domain = load_domain(asked.folder)
    return FolderReport(
        domain=domain.name,
        title=domain.card.title,
        tools={
            tool.name: DeclaredTool(sorted(tool.reads), sorted(tool.writes), sorted(tool.rejects))
            for tool in domain.tools.values()
        },
        tables=list(domain.schema.tables),
        undescribed=[
            f"{tool.name}.{name}" for tool in domain.tools.values() for name in _undescribed(tool.arguments.schema)
        ],
        tokens=domain.card.provenance.get("tokens", {}),
    )


def _undescribed(schema: Mapping[str, Any]) -> Iterator[str]:
    """Yield the parameters of an input schema without a description, those of nested objects included."""
    for name, part in schema["properties"].items():
        if not part.get("description"):
            yield name
    for title, nested in schema.get("$defs", {}).items():
        for name, part in nested.get("properties", {}).items():
            if not part.get("description"):
                yield f"{title}.{name}"
