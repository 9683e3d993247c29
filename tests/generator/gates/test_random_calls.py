"""Claims about random calls: they find what is wrong with a tool, and say how to see it."""

from __future__ import annotations

import random
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from generator.gates.calls.random_calls import CallsReport, CallsRequest, prove_random_calls
from generator.gates.calls.sample import Sampler
from generator.gates.calls.spoil import HOSTILE_TEXTS
from generator.gates.calls.start import start_on
from generator.isolation.process import run_job
from runtime.domain.domain import Domain
from runtime.domain.load import load_domain
from runtime.domain.people import is_desk_tool
from runtime.session.session import Outcome, Session
from tests.conftest import LIBRARY
from tests.making import write_domain

WORLD = '''"""Some things."""


def populate(world):
    for number in range(world.share(0.5)):
        world.insert("thing", label=f"thing of {world.random.choice(['clay', 'wood'])}", amount=number)
'''

LOOK_UP = '''
@tool(reads=["thing"], rejects=["NOT_FOUND"])
def look_up(db: Database, thing_id: Annotated[str, "Which"]) -> Done:
    """Look a thing up."""
    BODY
    return {"done": True}
'''

ADD = '''
@tool(writes=["thing"])
def add_thing(db: Database, label: Annotated[str, "What it is called"]) -> Done:
    """Add a thing."""
    thing = db.insert("thing", thing_id=db.new_id("thing"), label=label)
    BODY
    return {"done": True}
'''


@pytest.fixture
def prove_calls(tmp_path: Path) -> Callable[..., CallsReport]:
    """Make random calls on a small domain with these tools."""

    def run(tools: str, calls: int = 600, **parts: Any) -> CallsReport:
        folder = write_domain(tmp_path, tools=tools, world=WORLD, **parts)
        return prove_random_calls(CallsRequest(folder, calls, 1))

    return run


def look_up(body: str) -> str:
    """A tool that looks a thing up, with a statement of its own."""
    return LOOK_UP.replace("BODY", body)


def add(body: str) -> str:
    """A tool that adds a thing, with a statement of its own."""
    return ADD.replace("BODY", body)


@pytest.fixture(scope="module")
def proof() -> CallsReport:
    """Random calls on the library."""
    return prove_random_calls(CallsRequest(LIBRARY, 3_000, 1))


def test_nothing_goes_wrong_in_the_library(proof: CallsReport) -> None:
    zero = ("faults", "violations", "changes_on_rejection", "resets_that_differ", "leaks")
    assert {name: getattr(proof, name) for name in zero} == dict.fromkeys(zero, 0)
    assert proof.failures == []


def test_random_calls_reach_successes_and_every_kind_of_rejection(proof: CallsReport, library: Domain) -> None:
    assert proof.never_succeeded == []
    assert proof.successes > 1_000
    for name, tool in library.tools.items():
        if is_desk_tool(name):
            continue  # two right details are no random ones
        assert set(proof.tools[name].rejections) >= tool.rejects | {"INVALID_ARGUMENT"}


def test_the_same_seed_gives_the_same_report_in_every_process(proof: CallsReport) -> None:
    assert run_job(prove_random_calls, CallsRequest(LIBRARY, 3_000, 1)) == proof


def test_a_planted_crash_is_found_and_shown_with_its_call_and_seed(prove_calls: Callable[..., CallsReport]) -> None:
    report = prove_calls(look_up("done = db.get('thing', thing_id)['label']"))
    assert report.faults > 0
    (failure,) = report.failures
    assert (failure.kind, failure.tool, failure.times) == ("fault", "look_up", report.faults)
    assert "crashed: TypeError" in failure.sentence
    assert re.match(r"seed \d+, size \d+.*: look_up\({'thing_id': ", failure.line)


_STARTS = "label = db.require('thing', thing_id)['label']\n    n = 1 // (1 if label.startswith('thing of') else 0)"
_ID = "db.update('thing', thing['thing_id'], label='was ' + thing['thing_id'])"
PLANTED = [
    (look_up(_STARTS) + add(""), 2_000, "fault", r", after \d+ other calls: look_up\("),
    *(
        (look_up("") + add(f"n = 1 // (0 if label == {ascii(text)} else 1)"), 40, "fault", "ZeroDivisionError")
        for text in HOSTILE_TEXTS[:3]
    ),
    (look_up("db.require('thing', thing_id)\n    raise Rejection.permission_denied('No.')"), 600, "undeclared",
     "rejects with PERMISSION_DENIED: No., a kind that it does not declare"),
    (add(_ID), 600, "id_in_text", "into the text thing.label"),
]  # fmt: skip


@pytest.mark.parametrize(("tools", "calls", "kind", "said"), PLANTED)
def test_what_is_wrong_with_a_tool_is_found(
    prove_calls: Callable[..., CallsReport], tools: str, calls: int, kind: str, said: str
) -> None:
    (failure,) = prove_calls(tools, calls=calls).failures
    assert failure.kind == kind
    assert re.search(said, failure.line)


def test_a_change_behind_the_books_of_a_session_is_found(
    prove_calls: Callable[..., CallsReport], monkeypatch: pytest.MonkeyPatch
) -> None:
    perform = Session.perform

    def leaking(session: Session, name: str, arguments: Any) -> Outcome:
        outcome = perform(session, name, arguments)
        assert session.connection is not None
        session.connection.execute("UPDATE thing SET label = 'leaked'")
        return outcome

    monkeypatch.setattr(Session, "perform", leaking)
    failures = prove_calls(look_up("db.require('thing', thing_id)")).failures
    assert "broken_state" in {failure.kind for failure in failures}


def test_a_session_that_changes_though_nobody_called_it_is_found(
    prove_calls: Callable[..., CallsReport], monkeypatch: pytest.MonkeyPatch
) -> None:
    made: list[Session] = []
    make, perform = Session.__init__, Session.perform

    def remembering(session: Session, *arguments: Any, **options: Any) -> None:
        make(session, *arguments, **options)
        made.append(session)

    def leaking(session: Session, name: str, arguments: Any) -> Outcome:
        connection = made[0].connection
        assert connection is not None
        connection.execute("UPDATE thing SET label = 'leaked'")
        return perform(session, name, arguments)

    monkeypatch.setattr(Session, "__init__", remembering)
    monkeypatch.setattr(Session, "perform", leaking)
    assert prove_calls(look_up(""), calls=40).leaks == 1


def test_a_reset_that_does_not_lead_back_is_found(
    prove_calls: Callable[..., CallsReport], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Session, "reset", lambda session: None)
    assert prove_calls(add("")).resets_that_differ > 0


def test_arguments_of_every_shape_pass_the_border(tmp_path: Path) -> None:
    tools = '''
class Line(TypedDict):
    label: Annotated[str, "What", Field(min_length=2, max_length=9)]
    amount: Annotated[int, "How many", Field(ge=1, le=5)]
    note: NotRequired[Annotated[str | None, "Words"]]


@tool()
def shapes(
    db: Database,
    lines: Annotated[list[Line], "Lines", Field(min_length=2, max_length=4)],
    thing_ids: Annotated[list[str], "Which"],
    rate: Annotated[float, "Rate", Field(gt=0, lt=1)],
    on: Annotated[Date | None, "When"],
    at: Annotated[Timestamp, "When"],
    labels: Annotated[dict[str, int], "Counts"],
    kind: Annotated[Literal["a", "b"], "Kind"] = "a",
) -> Done:
    """Take every shape."""
    return {"done": True}
'''
    folder = write_domain(tmp_path, tools=tools, world=WORLD)
    path = folder / "tools" / "things.py"
    path.write_text(
        path.read_text()
        .replace("from typing import Annotated", "from typing import Annotated, Literal")
        .replace("Database, Rejection", "Database, Date, Field, NotRequired, Rejection, Timestamp")
    )
    domain = load_domain(folder)
    chance, sampler = random.Random(1), Sampler(domain.tools["shapes"], start_on(domain, 1, 20))
    made = [sampler.sample(chance, sampler.anchor(chance)) for _ in range(300)]
    for arguments in made:
        domain.tools["shapes"].arguments.check_untrusted(arguments)
    assert any(name.startswith("THING-") for arguments in made for name in arguments["thing_ids"])
