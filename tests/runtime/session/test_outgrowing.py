"""What an agent sends to a correct tool may outgrow numbers and budgets; it is rejected, and never voids an episode."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from runtime.errors import Rejection
from runtime.session.session import Session
from runtime.session.workspace import Limits
from tests.making import make_domain, world_of

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


class Whole(TypedDict):
    whole: Annotated[int, "The result"]


@tool()
def double(db: Database, a: Annotated[int | None, "A number"]) -> Whole:
    """Double."""
    return {"whole": 2 * a}


@tool(writes=["thing"])
def stock(db: Database, a: Annotated[int, "A number"]) -> Whole:
    """Store twice as many."""
    db.insert("thing", thing_id=db.new_id("thing"), label="x", amount=2 * a)
    return {"whole": a}
'''


@pytest.fixture
def session(tmp_path: Path) -> Iterator[Session]:
    domain = make_domain(tmp_path, tools=TOOLS)
    world = world_of(domain, 1, 10)
    with Session(domain, world, limits=Limits(code_steps=1_000)) as opened:
        yield opened


@pytest.mark.parametrize(
    ("tool", "arguments"),
    [
        pytest.param("multiply", {"a": 1e308, "b": 10.0}, id="infinite_result"),
        pytest.param("grow", {"rate": 1e300}, id="overflow"),
        pytest.param("double", {"a": 2**53 - 1}, id="inexact_result"),
    ],
)
def test_a_number_that_outgrows_is_the_arguments_fault(
    session: Session, tool: str, arguments: dict[str, float]
) -> None:
    with pytest.raises(Rejection, match="INVALID_ARGUMENT: With these arguments a number outgrows"):
        session.call(tool, **arguments)


@pytest.mark.parametrize(
    ("tool", "value", "said"),
    [
        pytest.param("double", 2**53, "less than or equal to 9007199254740991", id="argument"),
        pytest.param("double", -(10**30), "greater than or equal to -9007199254740991", id="negative_argument"),
        pytest.param("stock", 2**53 - 1, "would become 18014398509481982, which is out of range", id="stored"),
    ],
)
def test_an_integer_that_json_does_not_hold_is_rejected(session: Session, tool: str, value: int, said: str) -> None:
    outcome = session.perform(tool, {"a": value})
    assert outcome.rejection is not None
    assert outcome.rejection.kind == "INVALID_ARGUMENT"
    assert said in outcome.text
    assert "maximum" not in str(session.domain.tools[tool].arguments.schema)
    assert session.perform(tool, {"a": 2**52 - 1}).rejection is None
