"""What a scenario says besides its wishes: together, kept back, believed, insisted on, taken back, permitted, wrong."""

from __future__ import annotations

from collections.abc import Callable
from typing import get_args

import pytest

from runtime.domain.domain import Domain
from runtime.errors import EnvironmentFault
from runtime.session.session import Session
from runtime.task.picks import NoSuchRow
from runtime.task.script import Script
from runtime.task.story import TIMED_FILE, Story, load_scenarios, script_of, tell_story
from runtime.task.user import TIMED_FORMS, Form
from tests.conftest import LIBRARY
from tests.making import world_of
from tests.runtime.task.test_story import PROGRAMS


@pytest.fixture
def story(session: Session) -> Story:
    """A story on the library's world."""
    return Story(session, 1)


def told(library: Domain, name: str, denied: bool | None = None) -> Script:
    """A scenario on the first world where a rule denies it, or permits it."""
    for seed in range(1, 40):
        try:
            with Session(library, world_of(library, seed, 300)) as session:
                script = tell_story(PROGRAMS[name], session, seed)
        except NoSuchRow:
            continue
        if any(each.rules for each in script.permissions) is denied:
            return script
    raise AssertionError(f"no world has a row for {name!r}")


def test_every_form_has_a_scenario() -> None:
    timed = load_scenarios(LIBRARY, TIMED_FILE)
    assert {program.form for program in PROGRAMS.values()} == set(get_args(Form)) - TIMED_FORMS
    assert {getattr(program, "form", "") for program in timed.values()} == TIMED_FORMS


def test_the_caller_is_one_person_and_owns_what_is_picked(session: Session, story: Story) -> None:
    loans = [story.pick("loan", "status = 'out'", mine=True) for _ in range(4)]
    assert {loan["member_id"] for loan in loans} == {story.me["member_id"]}
    assert None not in (story.me["email"], story.me["phone"])
    with pytest.raises(EnvironmentFault, match="Rows of book are nobody's; have: member, loan, hold"):
        story.pick("book", mine=True)


def test_the_caller_is_identified_once_and_tells_who_they_are_when_asked(story: Story) -> None:
    story.wish("I have a question.")
    assert story.identify() == story.identify() == story.me["member_id"]
    script = script_of(story)
    assert [call.step.tool for call in script.calls] == ["find_member", "note_identification"]
    assert [fact.name for fact in script.facts if fact.withheld] == ["name", "email address", "phone number"]


def test_wishes_that_are_said_together_are_one_message(story: Story) -> None:
    story.wish("One.")
    with story.together():
        story.wish("Two.")
        story.wish("Three.")
    story.wish("Four.")
    assert [wish.joined for wish in script_of(story).wishes] == [False, False, True, False]


def test_the_words_are_the_same_whether_or_not_a_rule_denies_the_wish(library: Domain) -> None:
    for name in ("renew_well_before_it_is_due", "extend_or_hand_in"):
        denied, permitted = told(library, name, denied=True), told(library, name, denied=False)
        one, other = (
            [(len(wish.insists), wish.otherwise, wish.form) for wish in each.wishes] for each in (denied, permitted)
        )
        assert one == other
        assert denied.declined == {0}
        assert not permitted.declined


def test_a_refusal_notes_the_row_and_the_rule(library: Domain) -> None:
    script = told(library, "renew_well_before_it_is_due", denied=True)
    noted = script.chain[-1]
    assert (noted.tool, noted.arguments["rule_code"]) == ("decline_request", "RENEWAL_WINDOW")
    assert noted.arguments["subject_id"] == script.permissions[0].call.step.arguments["loan_id"]


def test_a_wrong_turn_leaves_no_trace(session: Session, story: Story) -> None:
    story.wish("I have a new number.")
    me = story.identify()
    before = session.digest()
    with story.wrong("mishears"):
        story.call("change_phone", member_id=me, phone="555-0000")
    with story.wrong("calls nobody"):
        story.call("change_phone", member_id="MEMBER-9999", phone="555-0000")
    assert session.digest() == before
    script = script_of(story)
    assert [call.step.tool for call in script.calls] == ["find_member", "note_identification"]
    assert [(each.name, [step.tool for step in each.turn]) for each in script.wrong] == [("mishears", ["change_phone"])]


@pytest.mark.parametrize(
    ("statement", "fault"),
    [
        pytest.param(lambda s: s.believes("day", "Friday", "Friday"), "which is true", id="true_belief"),
        pytest.param(lambda s: s.believes("day", "Friday", "Monday"), "do not say 'Friday'", id="unsaid_belief"),
        pytest.param(lambda s: s.misremembers("title", "Ferns", "Gulls"), "do not say 'Ferns'", id="unsaid_detail"),
        pytest.param(lambda s: [s.misremembers(each, "book", "Gulls") for each in "ab"], "another detail", id="two"),
        pytest.param(lambda s: s.insists(3, "But I need it."), "There is no wish 3", id="unknown_wish"),
        pytest.param(lambda s: s.keep_back("phone", None), "which is null", id="nothing"),
    ],
)
def test_what_does_not_fit_is_refused(story: Story, statement: Callable[[Story], None], fault: str) -> None:
    story.wish("I want a book.")
    with pytest.raises(EnvironmentFault, match=fault):
        statement(story)
