"""The text of `policy.md`: a domain's rules and duties with their codes, and what its tools refuse by themselves."""

from __future__ import annotations

from collections.abc import Iterator

from runtime.domain.domain import Domain
from runtime.domain.tool import Tool

FILE = "policy.md"
_PRECONDITIONS = frozenset({"ALREADY_EXISTS", "FAILED_PRECONDITION", "PERMISSION_DENIED"})


def write_policy(domain: Domain) -> str:
    """What an agent under policy is given, of a domain with rules."""
    return "\n".join(_lines(domain)) + "\n"


def _lines(domain: Domain) -> Iterator[str]:
    yield f"# Rules of the {domain.card.title}"
    if domain.rules.rules:
        yield from ("", "The tools do not enforce these rules. Whoever uses the tools keeps to them.", "")
        for rule in domain.rules.rules:
            bound = ", ".join(f"`{tool}`" for tool in rule.on)
            yield f"- **{rule.code}** ({bound}): {rule.prose}"
    if domain.rules.duties:
        yield from ("", "## Duties", "", "When everything is done, these hold, too.", "")
        yield from (f"- **{duty.code}**: {duty.prose}" for duty in domain.rules.duties)
    refusing = [tool for tool in domain.tools.values() if tool.writes and tool.rejects & _PRECONDITIONS]
    if refusing:
        yield from ("", "## What the tools refuse by themselves", "")
        yield from (f"- `{tool.name}`: {_manual(tool)}" for tool in refusing)


def _manual(tool: Tool) -> str:
    return " ".join(tool.description.split())
