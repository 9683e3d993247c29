"""The job seeking domain offers what the paper shows of it: tables, tools, and the calls of its conversation."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from runtime.domain.domain import Domain
from runtime.domain.load import load_domain
from runtime.session.session import Session
from tests.making import world_of

COLUMNS = {  # ScaleEnv, table 7 and listing 1
    "job_application": "application_id applicant_name email phone job_title company_name application_date status "
    "resume_content resume_format resume_uploaded_at cover_letter_content cover_letter_uploaded_at deadline_date "
    "deadline_type referral_source referral_person priority_level priority_reason expected_salary_min "
    "expected_salary_max salary_currency created_at updated_at",
    "application_note": "note_id application_id note_content note_type created_at",
    "application_stage": "stage_id application_id stage_name stage_date stage_notes",
    "interview_schedule": "interview_id application_id interview_type interview_date interviewer_name "
    "interview_location interview_duration_minutes",
    "interview_feedback": "feedback_id interview_id feedback_content performance_rating created_at",
}
TOOLS = (  # table 6, listing 2, appendix E
    "add_interview_feedback get_application_interviews search_applications_by_keyword add_salary_expectation "
    "delete_job_application batch_update_application_status archive_old_applications get_application_stage_history "
    "add_interview_schedule add_application_note calculate_interview_preparation_time calculate_application_roi "
    "calculate_application_success_rate generate_follow_up_reminder set_application_deadline"
)
NOW = "2024-03-15 09:30:00"


@pytest.fixture(scope="module")
def domain() -> Domain:
    """The domain as it is shipped."""
    return load_domain(Path(__file__).parent.parent / "domains" / "job_seeking")


@pytest.fixture
def session(domain: Domain) -> Iterator[Session]:
    """A session on a world of 300 rows."""
    world = world_of(domain, 1, 300)
    with Session(domain, world) as opened:
        yield opened


def test_it_has_the_tables_and_columns_of_the_paper(domain: Domain) -> None:
    for table, columns in COLUMNS.items():
        assert set(columns.split()) <= set(domain.schema.tables[table].column_names)


def test_it_has_the_tools_of_the_paper_and_about_fifty_in_all(domain: Domain) -> None:
    assert set(TOOLS.split()) <= set(domain.tools)
    assert 45 <= len(domain.tools) <= 60
    assert domain.now == NOW


def test_the_calls_of_the_paper_s_conversation_run_in_their_order(session: Session) -> None:
    found = session.call("search_applications_by_keyword", keyword="senior lead er", search_fields=["job_title"])
    matching: list[dict[str, Any]] = found["matching_applications"]
    assert len(matching) >= 8
    for application in matching[:8]:
        history = session.call("get_application_stage_history", application_id=application["application_id"])
        dates = [stage["stage_date"] for stage in history["stages"]]
        assert dates == sorted(dates)
    ids = [each["application_id"] for each in matching]
    first = next(each for each in ids if _takes(session, "add_interview_schedule", _interview(each)))
    interview = session.call("add_interview_schedule", **_interview(first))
    assert interview["application_id"] == first
    _note(session, first, "INTERVIEW REMINDER: Technical interview on Monday, March 18, 2024 at 2:00 PM.")
    assert session.call(
        "calculate_interview_preparation_time", current_date=NOW, interview_date="2024-03-18 14:00:00"
    ) == {"days_until_interview": 3, "hours_until_interview": 76, "is_urgent": False}
    held = _interview_that_took_place(session, matching)
    feedback = session.call(
        "add_interview_feedback",
        interview_id=held,
        feedback_content="Overall the conversation went well; the details of the models need work.",
        performance_rating=4,
        created_at=NOW,
    )
    assert feedback["interview_id"] == held
    assert session.call("calculate_application_roi", total_applications=8, total_interviews=5, total_offers=0) == {
        "interview_conversion_rate": 62.5,
        "offer_conversion_rate": 0,
        "interview_to_offer_rate": 0,
    }
    assert session.call(
        "calculate_application_success_rate", total_applications=8, successful_applications=0, rejected_applications=1
    ) == {"success_rate": 0, "rejection_rate": 12.5, "pending_rate": 87.5}
    _note(session, first, "TECHNICAL INTERVIEW PREPARATION CHECKLIST: energy market models, data analysis tools.")
    for title, company, applied, day in (
        ("New Energy Strategic Analyst", "Envision Energy", "2024-03-01 09:20:00", 18),
        ("Strategic Analysis Manager", "State Grid Corporation of China", "2024-03-08 14:00:00", 20),
        ("Market Research Analyst", "Procter & Gamble", "2024-03-10 16:30:00", 22),
    ):
        reminder = session.call(
            "generate_follow_up_reminder",
            application_date=applied,
            company_name=company,
            follow_up_date=f"2024-03-{day} 10:00:00",
            job_title=title,
        )
        assert reminder["reminder_message"] == (
            f"Follow up on your {title} application at {company} (applied on {applied[:10]})"
        )
    others = [
        each for each in ids if each != first and _takes(session, "set_application_deadline", _deadline(each, 18))
    ]
    for application, day in zip(others[:3], (18, 20, 22), strict=True):
        _note(session, application, f"FOLLOW-UP REMINDER: ask for the state of the application on March {day}, 2024.")
        assert session.call("set_application_deadline", **_deadline(application, day))["deadline_set"] is True
    added = [change.table for change in session.diff() if change.kind == "added"]
    assert sorted(added) == ["application_note"] * 5 + ["interview_feedback", "interview_schedule"]


def _takes(session: Session, tool: str, arguments: dict[str, Any]) -> bool:
    """Whether the session is in a state in which the call goes through."""
    with session.fork() as fork:
        return fork.perform(tool, arguments).rejection is None


def _interview(application: str) -> dict[str, Any]:
    return {
        "application_id": application,
        "interview_date": "2024-03-18 14:00:00",
        "interview_duration_minutes": 60,
        "interview_location": "Zhongguancun Software Park, Haidian",
        "interview_type": "technical_interview",
        "interviewer_name": "Manager Zhang",
    }


def _deadline(application: str, day: int) -> dict[str, str]:
    return {"application_id": application, "deadline_date": f"2024-03-{day} 10:00:00", "deadline_type": "follow_up"}


def _note(session: Session, application: str, text: str) -> None:
    noted = session.call("add_application_note", application_id=application, created_at=NOW, note_content=text)
    assert noted["application_id"] == application


def _interview_that_took_place(session: Session, matching: list[dict[str, Any]]) -> str:
    for application in matching:
        shown = session.call("get_application_interviews", application_id=application["application_id"])
        for interview in shown["interviews"]:
            if interview["interview_date"] < NOW:
                return str(interview["interview_id"])
    raise AssertionError("no interview took place")
