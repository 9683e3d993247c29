"""The border of a tool: what an agent sends is right to the letter or rejected by name, and changes nothing."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from runtime.domain.domain import Domain
from runtime.domain.load import load_domain
from runtime.errors import EnvironmentFault
from runtime.session.session import Session
from runtime.session.world import World
from tests.conftest import LIBRARY
from tests.making import make_domain, world_of

LIBRARY_DOMAIN = load_domain(LIBRARY)
TOOLS = sorted(LIBRARY_DOMAIN.tools)

# What no parameter of the library takes, whatever its type.
NEVER: dict[str, Any] = {
    "nan": float("nan"),
    "infinity": float("inf"),
    "float": 5.5,
    "integer": 5,
    "list": [],
    "object": {},
    "bytes": b"abc",
    "surrogate": "\ud800abc",
    "long": "x" * 4_001,
    "tuple": ("a",),
}


@pytest.fixture(scope="module")
def state() -> Iterator[Session]:
    domain = LIBRARY_DOMAIN
    world = world_of(domain, 3, 100)
    with Session(domain, world) as session:
        yield session


def right(tool: str) -> dict[str, Any]:
    """Arguments that pass the border of a tool; whether the rows exist is another matter."""
    examples = {"due_on": "2026-03-01", "returned_on": "2026-03-09", "only_available": True, "status": "out"}
    examples |= {"cents": 25, "how": "two_details", "rule_code": "DEBT_LIMIT"}
    schema = LIBRARY_DOMAIN.tools[tool].arguments.schema
    return {name: examples.get(name, "a@b.org") for name in schema["properties"]}


def refusal(session: Session, tool: str, arguments: dict[str, Any]) -> str:
    """The sentence of an INVALID_ARGUMENT, having seen that it changed nothing and can be sent."""
    before = (session.digest(), session.snapshot().counter)
    outcome = session.perform(tool, arguments)
    assert outcome.rejection is not None
    assert outcome.rejection.kind == "INVALID_ARGUMENT"
    assert (session.digest(), session.snapshot().counter) == before
    outcome.text.encode()
    assert len(outcome.text) < 1_000
    return outcome.rejection.sentence


PARAMETERS = [pytest.param(tool, name, id=f"library:{tool}:{name}") for tool in TOOLS for name in right(tool)]


@pytest.mark.parametrize(("tool", "parameter"), PARAMETERS)
def test_what_no_parameter_takes_is_refused_by_name(state: Session, tool: str, parameter: str) -> None:
    takes_numbers = LIBRARY_DOMAIN.tools[tool].arguments.schema["properties"][parameter].get("type") == "integer"
    for value in (NEVER | {"integer": "5"} if takes_numbers else NEVER).values():
        assert f"'{parameter}" in refusal(state, tool, {**right(tool), parameter: value})


@pytest.mark.parametrize(("tool", "parameter"), PARAMETERS)
def test_a_missing_null_or_misspelt_argument_is_refused_by_name(state: Session, tool: str, parameter: str) -> None:
    schema = LIBRARY_DOMAIN.tools[tool].arguments.schema
    others = {name: value for name, value in right(tool).items() if name != parameter}
    if parameter in schema["required"]:
        assert refusal(state, tool, others) == f"Argument '{parameter}' is missing; it is required."
    if {"type": "null"} not in schema["properties"][parameter].get("anyOf", []):
        assert f"Argument '{parameter}' is None" in refusal(state, tool, {**right(tool), parameter: None})
    sentence = refusal(state, tool, {**right(tool), f"{parameter}_": "a"})
    assert sentence == f"Unknown argument '{parameter}_'; have: {', '.join(right(tool))}."


any_text = st.text(st.characters(), max_size=30)
json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | any_text,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(any_text, inner, max_size=4),
    max_leaves=12,
)


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(data=st.data())
def test_no_json_whatever_crashes_a_tool(state: Session, data: st.DataObject) -> None:
    tool = data.draw(st.sampled_from(TOOLS))
    names = st.sampled_from(list(right(tool))) | st.text(st.characters(), max_size=10)
    changed = data.draw(st.dictionaries(names, json_values, max_size=3))
    arguments = {**(right(tool) if data.draw(st.booleans()) else {}), **changed}
    before = state.digest()
    outcome = state.perform(tool, arguments)
    outcome.text.encode()
    if outcome.rejection is not None:
        assert state.digest() == before
    state.reset()


@pytest.mark.parametrize(
    "wrong",
    [
        *("2024-02-30", "2023-02-29", "2024-13-01", "2024-00-10", "2024-1-1", "24-01-01", "20240101", "2024-W01-1"),
        *("2024/01/01", " 2024-01-01", "2024-01-01 ", "2024-01-01\n", "2024-01-01 10:00:00", "2024-01-01T10:00:00"),
        *("２０２４-01-01", "٢٠٢٤-01-01", "2024−01−01", "0000-01-01", "", "today", "now", "10000-01-01", "-2024-01-01"),
    ],
)
def test_a_wrong_date_is_refused(state: Session, wrong: str) -> None:
    sentence = refusal(state, "calculate_late_fee", {"due_on": wrong, "returned_on": "2026-03-09"})
    assert sentence == f"Argument 'due_on' is {wrong!r}: it should be a date as YYYY-MM-DD."


# Types that the library has no parameter of

TYPES = '''
from typing import Literal

from runtime import Field, NotRequired, Timestamp


class Line(TypedDict):
    sku: Annotated[str, "What"]
    count: Annotated[int, "How many", Field(ge=1, le=9)]
    note: NotRequired[Annotated[str, "Words"]]


class Echo(TypedDict):
    seen: Annotated[str, "What arrived"]


class Strict(TypedDict):
    count: Annotated[int, "A number", Field(ge=0)]
    word: Annotated[Literal["a", "b"], "A word"]
    lines: Annotated[list[Line], "Lines"]
    more: NotRequired[Annotated[float | None, "A share"]]


@tool()
def take(
    db: Database,
    count: Annotated[int, "A count", Field(ge=1, le=10)] = 1,
    share: Annotated[float, "A share", Field(gt=0, lt=1)] = 0.5,
    flag: Annotated[bool, "A flag"] = False,
    at: Annotated[Timestamp, "When"] = "2026-03-16 09:30:00",
    word: Annotated[Literal["on", "off"], "A word"] = "on",
    text: Annotated[str | None, "Text", Field(min_length=2, max_length=5)] = None,
    either: Annotated[int | str, "Either"] = 1,
    lines: Annotated[list[Line] | None, "Lines", Field(max_length=3)] = None,
    pairs: Annotated[dict[str, int] | None, "Pairs"] = None,
    grid: Annotated[list[list[int]] | None, "Grid"] = None,
) -> Echo:
    """Say what arrived."""
    return {"seen": f"{(count, share, flag, at, word, text, either, lines, pairs, grid)!r}"}


@tool()
def give(db: Database, how: Annotated[str, "What to return"]) -> Strict:
    """Return something."""
    good = {"count": 1, "word": "a", "lines": [{"sku": "s", "count": 2}]}
    if how == "text":
        return {**good, "count": "1"}
    if how == "range":
        return {**good, "count": -1}
    if how == "missing":
        return {"count": 1, "word": "a"}
    if how == "extra":
        return {**good, "also": 1}
    if how == "inner":
        return {**good, "lines": [{"sku": "s", "count": 10}]}
    if how == "list":
        return [good]
    return None
'''


@pytest.fixture(scope="module")
def small(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Session]:
    domain: Domain = make_domain(tmp_path_factory.mktemp("small"), tools=TYPES)
    world: World = world_of(domain, 1, 1)
    with Session(domain, world) as session:
        yield session


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        pytest.param({"count": 5.5}, "Argument 'count' is 5.5: it should be a valid integer.", id="float_for_int"),
        pytest.param({"count": 0}, "Argument 'count' is 0: it should be greater than or equal to 1.", id="too_small"),
        pytest.param({"flag": "true"}, "Argument 'flag' is 'true': it should be a valid boolean.", id="text_for_bool"),
        pytest.param(
            {"at": "2026-03-16"},
            "Argument 'at' is '2026-03-16': it should be a date and time as YYYY-MM-DD HH:MM:SS.",
            id="date_for_timestamp",
        ),
        pytest.param({"lines": [{"sku": "a"}]}, "Argument 'lines.0.count' is missing; it is required.", id="inner"),
    ],
)
def test_a_complaint_names_argument_value_and_what_would_be_right(
    small: Session, arguments: dict[str, Any], sentence: str
) -> None:
    assert refusal(small, "take", arguments).startswith(sentence)


@pytest.mark.parametrize(
    ("arguments", "seen"),
    [
        pytest.param({}, "(1, 0.5, False, '2026-03-16 09:30:00', 'on', None, 1, None, None, None)", id="defaults"),
        pytest.param({"at": "2026-03-16T10:00:00"}, "2026-03-16 10:00:00", id="timestamp_with_t"),
        pytest.param({"share": 0.25}, "0.25", id="float"),
        pytest.param({"either": "1"}, "'1'", id="text_stays_text"),
        pytest.param({"pairs": {"a b": -(2**53) + 1}}, "{'a b': -9007199254740991}", id="pairs"),
        pytest.param({"count": 3.0}, "(3, ", id="whole_number_with_a_point"),
        pytest.param({"either": 4.0, "grid": [[1.0, 2]]}, "4, None, None, [[1, 2]])", id="whole_numbers_inside"),
    ],
)
def test_what_arrives_is_what_was_sent(small: Session, arguments: dict[str, Any], seen: str) -> None:
    assert seen in small.call("take", **arguments)["seen"]


# Results


@pytest.mark.parametrize("how", [*("text", "range", "missing", "extra", "inner", "list", "none")])
def test_a_wrong_result_is_our_fault(small: Session, how: str) -> None:
    with pytest.raises(EnvironmentFault, match="returned a result that breaks its schema"):
        small.call("give", how=how)


def test_the_schema_that_is_shown_says_what_the_border_checks(small: Session) -> None:
    schema = small.domain.tools["take"].arguments.schema
    assert schema["additionalProperties"] is False
    assert schema["properties"]["count"] == {
        **{"description": "A count", "type": "integer", "minimum": 1, "maximum": 10, "default": 1}
    }
    assert Path(small.domain.path).name == "small"
