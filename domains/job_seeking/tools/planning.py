"""Planning: notes, deadlines, priorities, referrals, and salary expectations."""

from typing import Annotated

from runtime import Database, Field, Rejection, Timestamp, TypedDict, add_minutes, tool


class NoteReceipt(TypedDict):
    note_id: Annotated[str, "the note"]
    application_id: Annotated[str, "application concerned"]


class Note(TypedDict):
    note_id: Annotated[str, "the note"]
    note_content: Annotated[str, "what it says"]
    note_type: Annotated[str | None, "such as follow_up"]
    created_at: Annotated[Timestamp, "when written"]


class NoteList(TypedDict):
    notes: Annotated[list[Note], "newest first"]
    total: Annotated[int, "matches before the cut"]


class SalaryReceipt(TypedDict):
    application_id: Annotated[str, "application concerned"]
    success: Annotated[bool, "always true"]


class DeadlineReceipt(TypedDict):
    application_id: Annotated[str, "application concerned"]
    deadline_set: Annotated[bool, "always true"]


class Deadline(TypedDict):
    application_id: Annotated[str, "application concerned"]
    applicant_name: Annotated[str, "name as filed"]
    job_title: Annotated[str, "job sought"]
    company_name: Annotated[str, "employer"]
    deadline_date: Annotated[Timestamp, "when due"]
    deadline_type: Annotated[str, "such as response"]


class DeadlineList(TypedDict):
    deadlines: Annotated[list[Deadline], "earliest first"]
    total: Annotated[int, "matches before the cut"]


class PriorityReceipt(TypedDict):
    application_id: Annotated[str, "application concerned"]
    priority_level: Annotated[int, "1 to 5, 5 highest"]
    priority_reason: Annotated[str | None, "why so urgent"]


class ReferralReceipt(TypedDict):
    application_id: Annotated[str, "application concerned"]
    referral_source: Annotated[str, "such as LinkedIn"]
    referral_person: Annotated[str | None, "who referred"]


def _require_live(db, application_id):
    """Reject an application that is neither a draft nor open."""
    status = db.require("job_application", application_id)["status"]
    if status not in ("draft", "submitted", "under_review"):
        raise Rejection.failed_precondition(f"Application {application_id!r} is {status}, neither a draft nor open.")


@tool(reads=["job_application"], writes=["application_note"], rejects=["INVALID_ARGUMENT", "NOT_FOUND"])
def add_application_note(
    db: Database,
    application_id: Annotated[str, "application concerned"],
    note_content: Annotated[str, "what it says", Field(min_length=1)],
    note_type: Annotated[str | None, "such as follow_up, reminder, general", Field(min_length=1)] = None,
    created_at: Annotated[Timestamp | None, "when written, now if left out"] = None,
) -> NoteReceipt:
    """Add a note to an application.

    Requires: created_at is not after now.

    created_at is as given or now; the application does not change.
    """
    written_at = db.now if created_at is None else created_at
    if written_at > db.now:
        raise Rejection.invalid_argument(f"created_at {written_at!r} is after now, {db.now}.")
    db.require("job_application", application_id)
    note = db.insert(
        "application_note",
        note_id=db.new_id("application_note"),
        application_id=application_id,
        note_content=note_content,
        note_type=note_type,
        created_at=written_at,
    )
    return {"note_id": note["note_id"], "application_id": application_id}


@tool(reads=["job_application", "application_note"], rejects=["NOT_FOUND"])
def list_application_notes(
    db: Database,
    application_id: Annotated[str, "application concerned"],
    note_type: Annotated[str | None, "only this type", Field(min_length=1)] = None,
    limit: Annotated[int, "most entries to return", Field(ge=1, le=50)] = 20,
) -> NoteList:
    """List the notes on an application.

    Sorted by created_at, newest first.
    """
    db.require("job_application", application_id)
    notes = db.select(
        """
        SELECT note_id, note_content, note_type, created_at FROM application_note
        WHERE application_id = ? AND (? IS NULL OR note_type = ?)
        ORDER BY created_at DESC, note_id
        """,
        application_id,
        note_type,
        note_type,
    )
    return {"notes": notes[:limit], "total": len(notes)}


@tool(writes=["job_application"], rejects=["INVALID_ARGUMENT", "NOT_FOUND", "FAILED_PRECONDITION"])
def add_salary_expectation(
    db: Database,
    application_id: Annotated[str, "application concerned"],
    expected_salary_min: Annotated[int, "yearly, whole dollars", Field(ge=1)],
    expected_salary_max: Annotated[int | None, "yearly, whole dollars", Field(ge=1)] = None,
    salary_currency: Annotated[str, "must be USD"] = "USD",
) -> SalaryReceipt:
    """Set the salary an applicant expects.

    Requires: salary_currency is USD. expected_salary_max is not below expected_salary_min. The application is a draft
    or open.

    Both salaries are replaced; expected_salary_max becomes null if left out; success is true.
    """
    if salary_currency != "USD":
        raise Rejection.invalid_argument(f"Salary currency {salary_currency!r} is not USD.")
    if expected_salary_max is not None and expected_salary_max < expected_salary_min:
        raise Rejection.invalid_argument(
            f"expected_salary_max {expected_salary_max} is below expected_salary_min {expected_salary_min}."
        )
    _require_live(db, application_id)
    db.update(
        "job_application",
        application_id,
        expected_salary_min=expected_salary_min,
        expected_salary_max=expected_salary_max,
        salary_currency=salary_currency,
        updated_at=db.now,
    )
    return {"application_id": application_id, "success": True}


@tool(writes=["job_application"], rejects=["INVALID_ARGUMENT", "NOT_FOUND", "FAILED_PRECONDITION"])
def set_application_deadline(
    db: Database,
    application_id: Annotated[str, "application concerned"],
    deadline_date: Annotated[Timestamp, "when due"],
    deadline_type: Annotated[str, "such as follow_up, response", Field(min_length=1)],
) -> DeadlineReceipt:
    """Set the next deadline of an application.

    Requires: deadline_date is after now. The application is a draft or open.

    deadline_date and deadline_type are replaced; deadline_set is true.
    """
    if deadline_date <= db.now:
        raise Rejection.invalid_argument(f"Deadline {deadline_date!r} is not after now, {db.now}.")
    _require_live(db, application_id)
    db.update(
        "job_application",
        application_id,
        deadline_date=deadline_date,
        deadline_type=deadline_type,
        updated_at=db.now,
    )
    return {"application_id": application_id, "deadline_set": True}


@tool(reads=["applicant", "job_application"], rejects=["NOT_FOUND"])
def list_upcoming_deadlines(
    db: Database,
    applicant_id: Annotated[str | None, "only this applicant"] = None,
    within_days: Annotated[int, "days to look ahead", Field(ge=1, le=90)] = 14,
    limit: Annotated[int, "most entries to return", Field(ge=1, le=50)] = 20,
) -> DeadlineList:
    """List deadlines that are due soon.

    Drafts and open applications with deadline_date from now to within_days times 24 hours later, earliest first.
    """
    if applicant_id is not None:
        db.require("applicant", applicant_id)
    deadlines = db.select(
        """
        SELECT application_id, applicant_name, job_title, company_name, deadline_date, deadline_type
        FROM job_application
        WHERE (? IS NULL OR applicant_id = ?) AND status IN ('draft', 'submitted', 'under_review')
            AND deadline_date BETWEEN ? AND ?
        ORDER BY deadline_date, application_id
        """,
        applicant_id,
        applicant_id,
        db.now,
        add_minutes(db.now, within_days * 1440),
    )
    return {"deadlines": deadlines[:limit], "total": len(deadlines)}


@tool(writes=["job_application"], rejects=["NOT_FOUND", "FAILED_PRECONDITION"])
def set_application_priority(
    db: Database,
    application_id: Annotated[str, "application concerned"],
    priority_level: Annotated[int, "1 to 5, 5 highest", Field(ge=1, le=5)],
    priority_reason: Annotated[str | None, "why", Field(min_length=1)] = None,
) -> PriorityReceipt:
    """Rank how much an application matters.

    Requires: The application is a draft or open.

    Both are replaced; priority_reason becomes null if left out.
    """
    _require_live(db, application_id)
    db.update(
        "job_application",
        application_id,
        priority_level=priority_level,
        priority_reason=priority_reason,
        updated_at=db.now,
    )
    return {"application_id": application_id, "priority_level": priority_level, "priority_reason": priority_reason}


@tool(writes=["job_application"], rejects=["NOT_FOUND", "FAILED_PRECONDITION"])
def set_application_referral(
    db: Database,
    application_id: Annotated[str, "application concerned"],
    referral_source: Annotated[str, "such as LinkedIn, Indeed, employee referral", Field(min_length=1)],
    referral_person: Annotated[str | None, "who referred", Field(min_length=1)] = None,
) -> ReferralReceipt:
    """Record where the applicant learned of the job.

    Requires: The application is a draft or open.

    Both are replaced; referral_person becomes null if left out.
    """
    _require_live(db, application_id)
    db.update(
        "job_application",
        application_id,
        referral_source=referral_source,
        referral_person=referral_person,
        updated_at=db.now,
    )
    return {"application_id": application_id, "referral_source": referral_source, "referral_person": referral_person}
