"""What gate jobs are asked, a domain folder or a share of it, and what a folder says of itself."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from generator.isolation.job import job
from runtime.domain.load import load_domain
from runtime.domain.policy_text import write_policy


@dataclass(frozen=True)
class FolderRequest:
    """A domain folder."""

    folder: Path


@dataclass(frozen=True)
class ShareRequest:
    """A share of the tasks of a domain folder, or of another `file`: what several processes divide among them."""

    folder: Path
    share: int = 0
    shares: int = 1
    file: Path | None = None


@dataclass(frozen=True)
class FaultsReport:
    """What is wrong, a sentence each."""

    faults: list[str]


@dataclass(frozen=True)
class FolderReport:
    """A domain that keeps every rule of loading; `tokens` is whatever `domain.json` says of them."""

    domain: str
    title: str
    tools: list[str]
    writing: list[str]  # tools
    tables: list[str]
    undescribed: list[str]  # parameters
    tokens: Any
    known: list[str] = field(default_factory=list)  # gates that it does not pass yet, as its card says openly
    policy: str = ""  # what `policy.md` of a domain with rules says


@job("folder")
def describe_folder(asked: FolderRequest) -> FolderReport:
    """Load a domain by all of its rules and describe it; errors: UsageError, BrokenDomain."""
    domain = load_domain(asked.folder)
    return FolderReport(
        domain=domain.name,
        title=domain.card.title,
        tools=list(domain.tools),
        writing=[tool.name for tool in domain.tools.values() if tool.writes],
        tables=list(domain.schema.tables),
        undescribed=[
            f"{tool.name}.{name}" for tool in domain.tools.values() for name in _undescribed(tool.arguments.schema)
        ],
        tokens=domain.card.provenance.get("tokens", {}),
        known=[str(name) for name in domain.card.provenance.get("known", ())],
        policy=write_policy(domain) if domain.rules else "",
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
