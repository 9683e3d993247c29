"""What an agent sends to a correct tool may outgrow numbers and budgets; it is rejected, and never voids an episode."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from runtime.errors import Rejection
from runtime.session.session import Session
from runtime.session.workspace import Limits
from runtime.session.world import build_world
from tests.making import make_domain

TOOLS = '''
class Number(TypedDict):
    number: Annotated[float, "The result"]


@tool()
def multiply(db: Database, a: Annotated[float, "One"], b: Annotated[float, "Other"]) -> Number:
    """Multiply."""
    return {"number": a * b}


@tool()
def grow(db: Database, rate: Annotated[float, "Rate"]) -> Number:
    """Grow for 30 years."""
    return {"number": (1 + rate) ** 30}
'''


@pytest.fixture
def session(tmp_path: Path) -> Iterator[Session]:
    domain = make_domain(tmp_path, tools=TOOLS)
    world = build_world(domain.populate, domain.schema, domain.policies, domain.now, 1, 10)
    with Session(domain, world, limits=Limits(code_steps=1_000)) as opened:
        yield opened


@pytest.mark.parametrize(
    ("tool", "arguments"),
    [
        pytest.param("multiply", {"a": 1e308, "b": 10.0}, id="infinite_result"),
        pytest.param("grow", {"rate": 1e300}, id="overflow"),
    ],
)
def test_a_number_that_outgrows_is_the_arguments_fault(
    session: Session, tool: str, arguments: dict[str, float]
) -> None:
    with pytest.raises(Rejection, match="INVALID_ARGUMENT: With these arguments a number outgrows"):
        session.call(tool, **arguments)
