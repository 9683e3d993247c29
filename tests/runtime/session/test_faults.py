"""Service faults: what calls meet, that a run repeats exactly, and plans that are refused."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest

from runtime.domain.domain import Domain
from runtime.errors import UsageError
from runtime.session.faults import FAULT_KINDS, FAULT_PLANS, FaultPlan, FaultSource, read_fault_plan
from runtime.session.session import Session
from runtime.session.world import World

FEE = {"due_on": "2026-03-01", "returned_on": "2026-03-04"}


def _call(session: Session, tool: str, **arguments: Any) -> tuple[str, bool]:
    outcome = session.perform(tool, arguments)
    return (outcome.fault.kind if outcome.fault else ""), outcome.result is not None


@pytest.fixture
def loan(library: Domain, world: World) -> dict[str, Any]:
    with Session(library, world) as session:
        row = session.start.execute("SELECT loan_id FROM loan WHERE status = 'out' LIMIT 1").fetchone()
    return {"loan_id": row[0]}


def test_a_timeout_after_the_commit_has_changed_the_state(library: Domain, world: World, loan: dict[str, Any]) -> None:
    plan = FaultPlan(timeout_after=1.0, most_in_a_row=1)
    with Session(library, world, faults=FaultSource(plan, 1)) as session:
        assert _call(session, "return_book", **loan) == ("timeout_after", False)
        assert [each.table for each in session.diff()] != []
        second = session.perform("return_book", loan)  # repeating it blindly is a second call
        assert second.fault is None
        assert second.rejection is not None


def test_a_timeout_before_the_write_has_not(library: Domain, world: World, loan: dict[str, Any]) -> None:
    plan = FaultPlan(timeout_before=1.0, most_in_a_row=1)
    with Session(library, world, faults=FaultSource(plan, 1)) as session:
        assert _call(session, "return_book", **loan) == ("timeout_before", False)
        assert session.diff() == []
        assert _call(session, "return_book", **loan) == ("", True)


def test_reads_time_out_with_nothing_behind(library: Domain, world: World) -> None:
    with Session(library, world, faults=FaultSource(FaultPlan(timeout_after=1.0), 1)) as session:
        assert _call(session, "calculate_late_fee", **FEE)[0] == "timeout_before"


def test_throttled_calls_go_through_after_waiting(library: Domain, world: World) -> None:
    plan = FaultPlan(rate_limit=1.0, hints=1.0, most_in_a_row=1, retry_after_seconds=(30, 30))
    with Session(library, world, faults=FaultSource(plan, 1)) as session:
        assert "30 seconds" in session.perform("calculate_late_fee", FEE).text
        assert _call(session, "calculate_late_fee", **FEE) == ("rate_limit", False)
        assert session.perform("wait", {"seconds": 30}).result == {"waited_seconds": 30}
        assert _call(session, "calculate_late_fee", **FEE) == ("", True)
        assert session.perform("wait", {"seconds": 0}).rejection is not None


def test_a_slow_call_succeeds_and_says_how_long_it_took(library: Domain, world: World) -> None:
    with Session(library, world, faults=FaultSource(FaultPlan(slow=1.0), 1)) as session:
        outcome = session.perform("calculate_late_fee", FEE)
        assert outcome.result is not None
        assert outcome.fault is not None
        assert outcome.fault.seconds >= 8


def test_the_same_seed_meets_the_same_faults() -> None:
    def met(seed: int) -> list[Any]:
        source = FaultSource(FAULT_PLANS["harsh"], seed)
        return [source.draw("borrow_book", True, now) for now in range(200)]

    assert met(1) == met(1) != met(2)
    kinds = {each.kind for each in met(1) if each is not None}
    assert kinds == {"timeout_before", "timeout_after", "rate_limit", "unavailable", "slow"}


def test_a_session_without_a_plan_offers_no_wait(library: Domain, world: World) -> None:
    with Session(library, world) as session:
        assert session.perform("wait", {"seconds": 1}).rejection is not None


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("timeout = 0.1", "is wrong at timeout: .*a fault is one of timeout_before, timeout_after"),
        ("slow = 1.5", "is wrong at slow: Input should be less than or equal to 1"),
        ("slow = 0.6\nunavailable = 0.6", "the rates add up to 1.2; at most 1"),
        ("[tools.fly]\nslow = 0.1", "names the tool 'fly', which the domain does not have"),
        ("slow = ", "is not valid TOML"),
        ("slow = nan", "is wrong at slow: Input should be less"),
        ("slow_seconds = [nan, 9.0]", r"is wrong at slow_seconds\.0: Input should be less"),
        ("slow_seconds = [1.0, inf]", r"is wrong at slow_seconds\.1: Input should be less than or equal to 3600"),
        ("slow_seconds = [9.0, 1.0]", r"slow_seconds is \[9.0, 1.0\]; write the smaller one first"),
        ("retry_after_seconds = [-5, 1]", r"is wrong at retry_after_seconds\.0: Input should be greater"),
        ("slow = " + "[" * 100_000, "is nested too deeply"),
    ],
)
def test_a_wrong_plan_is_refused_in_a_sentence(tmp_path: Path, text: str, said: str) -> None:
    path = tmp_path / "plan.toml"
    path.write_text(text)
    with pytest.raises(UsageError, match=said) as caught:
        read_fault_plan(str(path), ["borrow_book"])
    assert "\n" not in str(caught.value)


def test_the_plans_of_the_page_are_these(tmp_path: Path, library: Domain) -> None:
    page = (Path(__file__).parents[3] / "docs" / "faults.md").read_text(encoding="utf-8")
    for kind in FAULT_KINDS:
        mild, harsh = (f"{FAULT_PLANS[name].of(kind):.0%}".replace("%", " %") for name in ("mild", "harsh"))
        assert re.search(rf"^\| `{kind}` \|.*\| {mild} \| {harsh} \|$", page, flags=re.MULTILINE), kind
    path = tmp_path / "own.toml"
    path.write_text(re.findall(r"^```toml\n(.*?)^```", page, flags=re.MULTILINE | re.DOTALL)[0], encoding="utf-8")
    plan_of_page = read_fault_plan(str(path), library.tools)
    assert plan_of_page is not None
    assert (plan_of_page.timeout_after, plan_of_page.rates("borrow_book").rate_limit) == (0.1, 0.3)
    assert plan_of_page.throttles


def test_an_unknown_plan_says_which_there_are() -> None:
    with pytest.raises(UsageError, match="no fault plan 'cruel'; have: none, mild, harsh, or a .toml file"):
        read_fault_plan("cruel")
