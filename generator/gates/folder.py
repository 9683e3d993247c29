"""What a domain folder says of itself: its tools and tables, the files that are there, the tokens it took."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from runtime.domain.load import load_domain


def describe_folder(folder: str) -> dict[str, Any]:
    """Load a domain by all of its rules and describe it; errors: UsageError, BrokenDomain."""
    domain = load_domain(Path(folder))
    return {
        "domain": domain.name,
        "title": domain.card.title,
        "tools": {
            tool.name: {"reads": sorted(tool.reads), "writes": sorted(tool.writes), "rejects": sorted(tool.rejects)}
            for tool in domain.tools.values()
        },
        "tables": list(domain.schema.tables),
        "undescribed": [
            f"{tool.name}.{name}" for tool in domain.tools.values() for name in _undescribed(tool.arguments.schema)
        ],
        "tokens": domain.card.provenance.get("tokens", {}),
    }


def _undescribed(schema: Mapping[str, Any]) -> Iterator[str]:
    """The parameters of an input schema without a description, those of nested objects included."""
    for name, part in schema["properties"].items():
        if not part.get("description"):
            yield name
    for title, nested in schema.get("$defs", {}).items():
        for name, part in nested.get("properties", {}).items():
            if not part.get("description"):
                yield f"{title}.{name}"
