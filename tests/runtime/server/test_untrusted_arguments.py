"""Nothing that an agent can send voids its episode: any JSON for any tool is a result or a rejection."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st
from mcp.client import Client
from mcp.shared.exceptions import MCPError

from runtime.domain.domain import Domain
from runtime.domain.load import load_domain
from runtime.errors import REJECTION_KINDS
from runtime.server.stdio import serving
from runtime.session.session import Session
from runtime.session.world import World
from tests.conftest import LIBRARY

NAMES = sorted({name for tool in load_domain(LIBRARY).tools.values() for name in tool.arguments.names})

numbers = st.one_of(
    st.integers(),
    st.sampled_from([0, -1, 2**31, 2**53, -(2**53), 2**63, 2**64, 10**30, 10**400]),
    st.floats(allow_nan=True, allow_infinity=True),
)
texts = st.one_of(
    st.text(max_size=30),
    st.sampled_from(
        [
            *("", " ", "\0", "NaN", "nan", "null", "-Infinity", "true", "1e999", "x" * 500, "é" * 300, "\u202e"),
            *("MEMBER-0006", "BOOK-0001", "LOAN-0016", "HOLD-0001", "a@b.c", "%", "_", "' OR 1=1 --", "\\", "📚"),
            *("2026-03-16", "2026-02-30", "9999-12-31", "0000-00-00", "2026-03-16T09:30:00", "out", "returned"),
        ]
    ),
)
values = st.recursive(
    st.one_of(st.none(), st.booleans(), numbers, texts),
    lambda inner: st.one_of(st.lists(inner, max_size=4), st.dictionaries(texts, inner, max_size=4)),
    max_leaves=8,
)
arguments = st.one_of(
    st.dictionaries(st.sampled_from(NAMES), values, max_size=4),
    st.dictionaries(texts, values, max_size=3),
)


@pytest.mark.parametrize("tool", list(load_domain(LIBRARY).tools))
@settings(
    max_examples=25,
    deadline=None,
    derandomize=True,
    database=None,
    phases=[Phase.generate, Phase.shrink],
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.function_scoped_fixture],
)
@given(sent=st.lists(st.tuples(arguments, st.booleans()), min_size=1, max_size=4))
def test_any_arguments_are_answered_or_rejected(
    library: Domain, world: World, tool: str, sent: list[tuple[dict[str, Any], bool]]
) -> None:
    asyncio.run(send_all(library, world, tool, [fill(library, tool, given) if full else given for given, full in sent]))


def test_nesting_beyond_any_parser_is_rejected(library: Domain, world: World) -> None:
    deep: list[Any] = []
    for _ in range(200):
        deep = [deep]
    for sent in ({"email": deep}, {"email": {"a": deep}}, {"x" * 100_000: 1}, {"email": ["x"] * 100_000}):
        asyncio.run(send_all(library, world, "find_member", [sent]))


async def send_all(domain: Domain, world: World, tool: str, sent: list[dict[str, Any]]) -> None:
    """Send arguments one after another; an error is a rejection of a declared kind that changes nothing."""
    async with serving(domain, lambda: Session(domain, world)) as (server, served), Client(server) as client:
        for given in sent:
            before = served.session.digest()
            try:
                called = await client.call_tool(tool, given, read_timeout_seconds=30)
            except MCPError as fault:
                pytest.fail(f"{tool} {given!r}: {fault.error}")
            if called.is_error:
                text = called.content[0].text  # type: ignore[union-attr]
                assert text.partition(": ")[0] in REJECTION_KINDS
                assert served.session.digest() == before
            else:
                assert called.structured_content is not None
        assert served.session.call_count == len(sent)


def fill(domain: Domain, tool: str, given: dict[str, Any]) -> dict[str, Any]:
    """Add what is missing, so that the call gets past the check of its arguments more often."""
    plausible = {
        **{"member_id": "MEMBER-0006", "book_id": "BOOK-0001", "loan_id": "LOAN-0016", "hold_id": "HOLD-0001"},
        **{"email": "someone@example.org", "name": "Some One", "words": "the"},
        **{"due_on": "2026-03-01", "returned_on": "2026-03-16"},
        **{"cents": 25, "how": "two_details", "rule_code": "DEBT_LIMIT"},
        **{"subject_id": "BOOK-0001", "phone": "555-0100"},
    }
    schema = domain.tools[tool].arguments.schema
    known = {name: value for name, value in given.items() if name in schema["properties"]}
    return {**{name: plausible[name] for name in schema.get("required", [])}, **known}
