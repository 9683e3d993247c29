"""Applications: finding, drafting, describing and deleting them."""

from typing import Annotated, Literal

from runtime import Database, Field, Rejection, Timestamp, TypedDict, tool

Status = Literal["draft", "submitted", "under_review", "rejected", "accepted", "withdrawn", "archived"]


class ApplicationMatch(TypedDict):
    application_id: Annotated[str, "application"]
    job_title: Annotated[str, "position"]
    company_name: Annotated[str, "employer"]
    status: Annotated[Status, "state of the application"]


class ApplicationMatches(TypedDict):
    matching_applications: Annotated[list[ApplicationMatch], "what was found"]
    total_matches: Annotated[int, "number found"]


class ApplicationEntry(TypedDict):
    application_id: Annotated[str, "application"]
    job_title: Annotated[str, "position"]
    company_name: Annotated[str, "employer"]
    status: Annotated[Status, "state of the application"]
    application_date: Annotated[Timestamp, "when filed"]
    priority_level: Annotated[int | None, "1 to 5, 5 highest"]


class ApplicationList(TypedDict):
    applications: Annotated[list[ApplicationEntry], "page of applications"]
    total: Annotated[int, "all matches"]


class ApplicationDetails(TypedDict):
    application_id: Annotated[str, "application"]
    applicant_id: Annotated[str, "applicant"]
    applicant_name: Annotated[str, "name of the applicant"]
    job_title: Annotated[str, "position"]
    company_name: Annotated[str, "employer"]
    application_date: Annotated[Timestamp, "when filed"]
    status: Annotated[Status, "state of the application"]
    resume_format: Annotated[str | None, "format of the resume"]
    resume_uploaded_at: Annotated[Timestamp | None, "when the resume came"]
    cover_letter_uploaded_at: Annotated[Timestamp | None, "when the letter came"]
    deadline_date: Annotated[Timestamp | None, "deadline"]
    deadline_type: Annotated[str | None, "kind of deadline"]
    referral_source: Annotated[str | None, "where it was found"]
    referral_person: Annotated[str | None, "who referred"]
    priority_level: Annotated[int | None, "1 to 5, 5 highest"]
    priority_reason: Annotated[str | None, "why this priority"]
    expected_salary_min: Annotated[int | None, "least salary, whole currency units"]
    expected_salary_max: Annotated[int | None, "greatest salary, whole currency units"]
    salary_currency: Annotated[str, "currency code"]
    created_at: Annotated[Timestamp, "when created"]
    updated_at: Annotated[Timestamp | None, "last change"]


class ApplicationPriority(TypedDict):
    application_id: Annotated[str, "application"]
    priority_level: Annotated[int, "1 to 5, 5 highest"]
    priority_reason: Annotated[str | None, "why this priority"]


class SalaryResult(TypedDict):
    application_id: Annotated[str, "application"]
    success: Annotated[bool, "always true"]


class DeadlineResult(TypedDict):
    application_id: Annotated[str, "application"]
    deadline_set: Annotated[bool, "always true"]


class Deletion(TypedDict):
    application_id: Annotated[str, "application"]
    deletion_status: Annotated[str, "always the text deleted"]
    deleted_at: Annotated[Timestamp, "the clock"]


_HIDDEN = ("email", "phone", "resume_content", "cover_letter_content")


def _details(row):
    """The row without its texts and the copied contacts."""
    return {column: value for column, value in row.items() if column not in _HIDDEN}


def _require_live(db, application_id):
    """The application, which is a draft or open."""
    row = db.require("job_application", application_id)
    if row["status"] not in ("draft", "submitted", "under_review"):
        raise Rejection.failed_precondition(
            f"Application {application_id!r} is {row['status']}, neither a draft nor open."
        )
    return row


@tool(reads=["job_application"], rejects=["INVALID_ARGUMENT"])
def search_applications_by_keyword(
    db: Database,
    keyword: Annotated[str, "words to look for", Field(min_length=1)],
    search_fields: Annotated[
        list[Literal["job_title", "company_name"]] | None,
        "where to look; both if left out",
        Field(min_length=1, max_length=2),
    ] = None,
) -> ApplicationMatches:
    """Find applications of all applicants by words of job title or company.

    Words are the parts of the keyword between spaces; an application matches if a searched field contains at least one
    of them. All matches are returned, by application_id; a field named twice counts once.
    """
    words = [word for word in keyword.split(" ") if word]
    if not words:
        raise Rejection.invalid_argument(f"Keyword {keyword!r} holds only spaces, no word.")
    fields = ("job_title", "company_name") if search_fields is None else search_fields
    found = {}
    for word in words:
        rows = db.select(
            """
            SELECT application_id, job_title, company_name, status
            FROM job_application
            WHERE (? AND instr(lower(job_title), lower(?)) > 0)
                OR (? AND instr(lower(company_name), lower(?)) > 0)
            """,
            int("job_title" in fields),
            word,
            int("company_name" in fields),
            word,
        )
        for row in rows:
            found[row["application_id"]] = row
    return {"matching_applications": [found[key] for key in sorted(found)], "total_matches": len(found)}


@tool(reads=["applicant", "job_application"], rejects=["NOT_FOUND"])
def list_applicant_applications(
    db: Database,
    applicant_id: Annotated[str, "applicant"],
    status: Annotated[Status | None, "only in this state"] = None,
    limit: Annotated[int, "most entries returned", Field(ge=1, le=50)] = 20,
) -> ApplicationList:
    """List the applications of one applicant.

    Order: application_date, the newest first.
    """
    db.require("applicant", applicant_id)
    rows = db.select(
        """
        SELECT application_id, job_title, company_name, status, application_date, priority_level
        FROM job_application
        WHERE applicant_id = ? AND (? IS NULL OR status = ?)
        ORDER BY application_date DESC, application_id
        """,
        applicant_id,
        status,
        status,
    )
    return {"applications": rows[:limit], "total": len(rows)}


@tool(reads=["job_application"], rejects=["NOT_FOUND"])
def get_application(db: Database, application_id: Annotated[str, "application"]) -> ApplicationDetails:
    """Show one application without its texts."""
    return _details(db.require("job_application", application_id))


@tool(reads=["applicant"], writes=["job_application"], rejects=["INVALID_ARGUMENT", "NOT_FOUND", "ALREADY_EXISTS"])
def create_application(
    db: Database,
    applicant_id: Annotated[str, "applicant"],
    job_title: Annotated[str, "position", Field(min_length=1)],
    company_name: Annotated[str, "employer", Field(min_length=1)],
    referral_source: Annotated[
        Literal["LinkedIn", "Indeed", "company website", "recruiter", "employee referral"] | None, "where it was found"
    ] = None,
    referral_person: Annotated[str | None, "who referred", Field(min_length=1)] = None,
) -> ApplicationDetails:
    """Begin a draft of an application.

    status is draft, application_date the clock, salary_currency USD; applicant_name, email and phone are copied from
    the applicant.
    """
    if referral_person is not None and referral_source not in ("employee referral", "recruiter"):
        raise Rejection.invalid_argument(
            f"referral_person comes only with referral_source employee referral or recruiter, not {referral_source!r}."
        )
    applicant = db.require("applicant", applicant_id)
    same = db.value(
        """
        SELECT application_id
        FROM job_application
        WHERE applicant_id = ? AND job_title = ? AND company_name = ?
            AND status IN ('draft', 'submitted', 'under_review')
        ORDER BY application_id
        """,
        applicant_id,
        job_title,
        company_name,
    )
    if same is not None:
        raise Rejection.already_exists(
            f"Application {same!r} for {job_title!r} at {company_name!r} is a draft or open."
        )
    return _details(
        db.insert(
            "job_application",
            application_id=db.new_id("job_application"),
            applicant_id=applicant_id,
            applicant_name=applicant["full_name"],
            email=applicant["email"],
            phone=applicant["phone"],
            job_title=job_title,
            company_name=company_name,
            application_date=db.now,
            status="draft",
            referral_source=referral_source,
            referral_person=referral_person,
            salary_currency="USD",
            created_at=db.now,
        )
    )


@tool(writes=["job_application"], rejects=["INVALID_ARGUMENT", "NOT_FOUND", "FAILED_PRECONDITION"])
def correct_application_position(
    db: Database,
    application_id: Annotated[str, "application"],
    job_title: Annotated[str | None, "right position", Field(min_length=1)] = None,
    company_name: Annotated[str | None, "right employer", Field(min_length=1)] = None,
) -> ApplicationDetails:
    """Correct job title or company of a draft.

    Only the given fields change.
    """
    if job_title is None and company_name is None:
        raise Rejection.invalid_argument("Neither job_title nor company_name is given; give one or both.")
    row = db.require("job_application", application_id)
    if row["status"] != "draft":
        raise Rejection.failed_precondition(f"Application {application_id!r} is {row['status']}, not draft.")
    return _details(
        db.update(
            "job_application",
            application_id,
            job_title=row["job_title"] if job_title is None else job_title,
            company_name=row["company_name"] if company_name is None else company_name,
            updated_at=db.now,
        )
    )


@tool(writes=["job_application"], rejects=["NOT_FOUND", "FAILED_PRECONDITION"])
def set_application_priority(
    db: Database,
    application_id: Annotated[str, "application"],
    priority_level: Annotated[int, "5 is highest", Field(ge=1, le=5)],
    priority_reason: Annotated[str | None, "why; left out, it is emptied", Field(min_length=1)] = None,
) -> ApplicationPriority:
    """Set how important an application is.

    priority_level and priority_reason become the given ones.
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


@tool(writes=["job_application"], rejects=["INVALID_ARGUMENT", "NOT_FOUND", "FAILED_PRECONDITION"])
def add_salary_expectation(
    db: Database,
    application_id: Annotated[str, "application"],
    expected_salary_min: Annotated[int, "least, whole currency units", Field(ge=1)],
    expected_salary_max: Annotated[int | None, "greatest; left out, it is emptied", Field(ge=1)] = None,
    salary_currency: Annotated[Literal["USD", "EUR", "GBP", "CNY", "HKD", "SGD"] | None, "left out, it stays"] = None,
) -> SalaryResult:
    """Set the salary that the applicant expects.

    Any former expectation is replaced; success is true.
    """
    if expected_salary_max is not None and expected_salary_max < expected_salary_min:
        raise Rejection.invalid_argument(
            f"expected_salary_max {expected_salary_max} is below expected_salary_min {expected_salary_min}."
        )
    row = _require_live(db, application_id)
    db.update(
        "job_application",
        application_id,
        expected_salary_min=expected_salary_min,
        expected_salary_max=expected_salary_max,
        salary_currency=row["salary_currency"] if salary_currency is None else salary_currency,
        updated_at=db.now,
    )
    return {"application_id": application_id, "success": True}


@tool(writes=["job_application"], rejects=["INVALID_ARGUMENT", "NOT_FOUND", "FAILED_PRECONDITION"])
def set_application_deadline(
    db: Database,
    application_id: Annotated[str, "application"],
    deadline_date: Annotated[Timestamp, "deadline"],
    deadline_type: Annotated[Literal["follow_up", "response", "interview", "offer_decision"], "kind of deadline"],
) -> DeadlineResult:
    """Set or replace the deadline of an application.

    deadline_date and deadline_type become the given ones; deadline_set is true.
    """
    if deadline_date <= db.now:
        raise Rejection.invalid_argument(f"Deadline {deadline_date} is not after now, {db.now}.")
    _require_live(db, application_id)
    db.update(
        "job_application",
        application_id,
        deadline_date=deadline_date,
        deadline_type=deadline_type,
        updated_at=db.now,
    )
    return {"application_id": application_id, "deadline_set": True}


@tool(
    writes=["job_application", "application_note", "application_stage", "interview_schedule", "interview_feedback"],
    rejects=["NOT_FOUND"],
)
def delete_job_application(db: Database, application_id: Annotated[str, "application"]) -> Deletion:
    """Delete an application with all that hangs on it.

    Its notes, stages, interviews and their feedback are deleted too; deletion_status is deleted, deleted_at the clock.
    """
    db.require("job_application", application_id)
    feedback = db.select(
        """
        SELECT feedback_id
        FROM interview_feedback
        JOIN interview_schedule USING (interview_id)
        WHERE application_id = ?
        """,
        application_id,
    )
    for row in feedback:
        db.delete("interview_feedback", row["feedback_id"])
    for row in db.select("SELECT interview_id FROM interview_schedule WHERE application_id = ?", application_id):
        db.delete("interview_schedule", row["interview_id"])
    for row in db.select("SELECT stage_id FROM application_stage WHERE application_id = ?", application_id):
        db.delete("application_stage", row["stage_id"])
    for row in db.select("SELECT note_id FROM application_note WHERE application_id = ?", application_id):
        db.delete("application_note", row["note_id"])
    db.delete("job_application", application_id)
    return {"application_id": application_id, "deletion_status": "deleted", "deleted_at": db.now}
