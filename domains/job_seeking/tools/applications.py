"""Applications: finding, showing, recording and deleting them."""

from typing import Annotated, Literal

from runtime import Database, Date, Field, Rejection, Timestamp, TypedDict, tool

Status = Literal["draft", "submitted", "under_review", "rejected", "accepted", "withdrawn", "archived"]


class ApplicationMatch(TypedDict):
    application_id: Annotated[str, "application"]
    job_title: Annotated[str, "job applied for"]
    company_name: Annotated[str, "employer"]
    status: Annotated[Status, "its status"]


class ApplicationMatches(TypedDict):
    matching_applications: Annotated[list[ApplicationMatch], "applications found"]
    total_matches: Annotated[int, "all matches before the cut"]


class ApplicationLine(TypedDict):
    application_id: Annotated[str, "application"]
    job_title: Annotated[str, "job applied for"]
    company_name: Annotated[str, "employer"]
    status: Annotated[Status, "its status"]
    application_date: Annotated[Timestamp, "when applied"]
    priority_level: Annotated[int | None, "1 to 5, 5 is highest"]


class ApplicationList(TypedDict):
    applications: Annotated[list[ApplicationLine], "applications found"]
    total: Annotated[int, "all matches"]


class ApplicationDetails(TypedDict):
    application_id: Annotated[str, "application"]
    applicant_name: Annotated[str, "who applies"]
    email: Annotated[str, "applicant's email"]
    phone: Annotated[str | None, "applicant's phone"]
    job_title: Annotated[str, "job applied for"]
    company_name: Annotated[str, "employer"]
    application_date: Annotated[Timestamp, "when applied"]
    status: Annotated[Status, "its status"]
    resume_content: Annotated[str | None, "text of the resume"]
    resume_format: Annotated[str | None, "such as pdf, docx"]
    resume_uploaded_at: Annotated[Timestamp | None, "when the resume came"]
    cover_letter_content: Annotated[str | None, "text of the cover letter"]
    cover_letter_uploaded_at: Annotated[Timestamp | None, "when the letter came"]
    deadline_date: Annotated[Timestamp | None, "next deadline"]
    deadline_type: Annotated[str | None, "such as follow_up, response"]
    referral_source: Annotated[str | None, "such as LinkedIn, Indeed"]
    referral_person: Annotated[str | None, "who referred"]
    priority_level: Annotated[int | None, "1 to 5, 5 is highest"]
    priority_reason: Annotated[str | None, "why this priority"]
    expected_salary_min: Annotated[int | None, "least salary expected"]
    expected_salary_max: Annotated[int | None, "highest salary expected"]
    salary_currency: Annotated[str, "currency of the salaries"]
    created_at: Annotated[Timestamp, "when recorded"]
    updated_at: Annotated[Timestamp | None, "last change"]


class ApplicationState(TypedDict):
    application_id: Annotated[str, "application"]
    status: Annotated[Status, "its status"]
    application_date: Annotated[Timestamp, "when applied"]


class ApplicantDetails(TypedDict):
    application_id: Annotated[str, "application"]
    applicant_name: Annotated[str, "who applies"]
    email: Annotated[str, "applicant's email"]
    phone: Annotated[str | None, "applicant's phone"]


class ApplicationDeletion(TypedDict):
    application_id: Annotated[str, "deleted application"]
    deletion_status: Annotated[str, "always deleted"]
    deleted_at: Annotated[Timestamp, "the clock"]


LIVE = ("draft", "submitted", "under_review")


def _check_email(email):
    if "@" not in email:
        raise Rejection.invalid_argument(f"Email {email!r} holds no @.")


def _check_new(db, email, job_title, company_name, referral_source, referral_person):
    _check_email(email)
    if referral_person is not None and referral_source is None:
        raise Rejection.invalid_argument(f"referral_person {referral_person!r} needs a referral_source.")
    twin = db.value(
        """SELECT application_id FROM job_application
        WHERE email = ? AND job_title = ? AND company_name = ?
          AND status IN ('draft', 'submitted', 'under_review')
        ORDER BY application_id""",
        email,
        job_title,
        company_name,
    )
    if twin is not None:
        raise Rejection.already_exists(f"Application {twin!r} of {email} for {job_title} at {company_name} is on file.")


def _add(db, **columns):
    row = db.insert(
        "job_application",
        application_id=db.new_id("job_application"),
        salary_currency="USD",
        created_at=db.now,
        **columns,
    )
    return {column: row[column] for column in ("application_id", "status", "application_date")}


@tool(reads=["job_application"], rejects=["INVALID_ARGUMENT"])
def search_applications_by_keyword(
    db: Database,
    keyword: Annotated[str, "words parted by spaces"],
    search_fields: Annotated[
        list[Literal["job_title", "company_name"]] | None,
        "fields searched; both if left out",
        Field(min_length=1, max_length=2),
    ] = None,
    limit: Annotated[int, "most entries returned", Field(ge=1, le=50)] = 20,
) -> ApplicationMatches:
    """Find applications whose job title or company contains a word of the keyword.

    An application matches if one of the searched fields contains at least one word of the keyword, also inside a longer
    word; a field named twice counts once. Order: application_id.
    """
    words = [word for word in keyword.split(" ") if word]
    if not words:
        raise Rejection.invalid_argument(f"Keyword {keyword!r} holds no word; give at least one.")
    fields = search_fields or ["job_title", "company_name"]
    found = set()
    for word in words:
        rows = db.select(
            """SELECT application_id FROM job_application
            WHERE (? AND instr(lower(job_title), lower(?)) > 0)
               OR (? AND instr(lower(company_name), lower(?)) > 0)""",
            int("job_title" in fields),
            word,
            int("company_name" in fields),
            word,
        )
        found.update(row["application_id"] for row in rows)
    applications = db.select(
        "SELECT application_id, job_title, company_name, status FROM job_application ORDER BY application_id"
    )
    matches = [row for row in applications if row["application_id"] in found]
    return {"matching_applications": matches[:limit], "total_matches": len(matches)}


@tool(reads=["job_application"], rejects=["INVALID_ARGUMENT"])
def list_applications(
    db: Database,
    status: Annotated[Status | None, "only this status"] = None,
    company_name: Annotated[str | None, "contained in the company name"] = None,
    minimum_priority: Annotated[int | None, "least priority_level", Field(ge=1, le=5)] = None,
    applied_from: Annotated[Date | None, "earliest day of application_date"] = None,
    applied_to: Annotated[Date | None, "latest day of application_date"] = None,
    limit: Annotated[int, "most entries returned", Field(ge=1, le=50)] = 20,
) -> ApplicationList:
    """List applications by status, company, priority and date.

    All given filters must hold; an application without priority_level fails minimum_priority. Order: latest
    application_date first.
    """
    if applied_from is not None and applied_to is not None and applied_from > applied_to:
        raise Rejection.invalid_argument(f"applied_from {applied_from} is after applied_to {applied_to}.")
    applications = db.select(
        """SELECT application_id, job_title, company_name, status, application_date, priority_level
        FROM job_application
        WHERE (? IS NULL OR status = ?)
          AND (? IS NULL OR instr(lower(company_name), lower(?)) > 0)
          AND (? IS NULL OR priority_level >= ?)
          AND (? IS NULL OR substr(application_date, 1, 10) >= ?)
          AND (? IS NULL OR substr(application_date, 1, 10) <= ?)
        ORDER BY application_date DESC, application_id""",
        status,
        status,
        company_name,
        company_name,
        minimum_priority,
        minimum_priority,
        applied_from,
        applied_from,
        applied_to,
        applied_to,
    )
    return {"applications": applications[:limit], "total": len(applications)}


@tool(reads=["job_application"], rejects=["NOT_FOUND"])
def get_application_details(db: Database, application_id: Annotated[str, "application meant"]) -> ApplicationDetails:
    """Show one application with its documents, deadline, priority and salary."""
    return db.require("job_application", application_id)


@tool(writes=["job_application"], rejects=["INVALID_ARGUMENT", "ALREADY_EXISTS"])
def create_application_draft(
    db: Database,
    applicant_name: Annotated[str, "who applies", Field(min_length=1)],
    email: Annotated[str, "applicant's email", Field(min_length=1)],
    job_title: Annotated[str, "job applied for", Field(min_length=1)],
    company_name: Annotated[str, "employer", Field(min_length=1)],
    phone: Annotated[str | None, "applicant's phone", Field(min_length=1)] = None,
    referral_source: Annotated[str | None, "such as LinkedIn, employee referral", Field(min_length=1)] = None,
    referral_person: Annotated[str | None, "who referred", Field(min_length=1)] = None,
) -> ApplicationState:
    """Begin an application that is still being prepared.

    status is draft, application_date the clock, salary_currency USD.
    """
    _check_new(db, email, job_title, company_name, referral_source, referral_person)
    return _add(
        db,
        status="draft",
        applicant_name=applicant_name,
        email=email,
        phone=phone,
        job_title=job_title,
        company_name=company_name,
        application_date=db.now,
        referral_source=referral_source,
        referral_person=referral_person,
    )


@tool(writes=["job_application"], rejects=["INVALID_ARGUMENT", "ALREADY_EXISTS"])
def record_sent_application(
    db: Database,
    applicant_name: Annotated[str, "who applies", Field(min_length=1)],
    email: Annotated[str, "applicant's email", Field(min_length=1)],
    job_title: Annotated[str, "job applied for", Field(min_length=1)],
    company_name: Annotated[str, "employer", Field(min_length=1)],
    application_date: Annotated[Timestamp | None, "when sent; the clock if left out"] = None,
    phone: Annotated[str | None, "applicant's phone", Field(min_length=1)] = None,
    referral_source: Annotated[str | None, "such as LinkedIn, employee referral", Field(min_length=1)] = None,
    referral_person: Annotated[str | None, "who referred", Field(min_length=1)] = None,
) -> ApplicationState:
    """Record an application that was already sent outside the office.

    status is submitted, salary_currency USD.
    """
    _check_email(email)
    if application_date is not None and application_date > db.now:
        raise Rejection.invalid_argument(f"application_date {application_date} is after {db.now}.")
    _check_new(db, email, job_title, company_name, referral_source, referral_person)
    return _add(
        db,
        status="submitted",
        applicant_name=applicant_name,
        email=email,
        phone=phone,
        job_title=job_title,
        company_name=company_name,
        application_date=application_date or db.now,
        referral_source=referral_source,
        referral_person=referral_person,
    )


@tool(writes=["job_application"], rejects=["INVALID_ARGUMENT", "NOT_FOUND", "FAILED_PRECONDITION"])
def update_applicant_details(
    db: Database,
    application_id: Annotated[str, "application meant"],
    applicant_name: Annotated[str | None, "new name", Field(min_length=1)] = None,
    email: Annotated[str | None, "new email", Field(min_length=1)] = None,
    phone: Annotated[str | None, "new phone", Field(min_length=1)] = None,
) -> ApplicantDetails:
    """Change the applicant's name, email or phone on an application.

    Only the given fields change.
    """
    given = {"applicant_name": applicant_name, "email": email, "phone": phone}
    changes = {column: value for column, value in given.items() if value is not None}
    if not changes:
        raise Rejection.invalid_argument("Nothing to change; give applicant_name, email or phone.")
    if email is not None:
        _check_email(email)
    application = db.require("job_application", application_id)
    if application["status"] not in LIVE:
        raise Rejection.failed_precondition(
            f"Application {application_id!r} is {application['status']}, neither a draft nor open."
        )
    row = db.update("job_application", application_id, updated_at=db.now, **changes)
    return {column: row[column] for column in ("application_id", "applicant_name", "email", "phone")}


@tool(
    writes=[
        "job_application",
        "application_note",
        "application_stage",
        "interview_schedule",
        "interview_feedback",
        "preparation_task",
        "job_offer",
    ],
    rejects=["NOT_FOUND"],
)
def delete_job_application(
    db: Database, application_id: Annotated[str, "application to delete"]
) -> ApplicationDeletion:
    """Delete an application and all that hangs on it.

    The application goes with its notes, stages, offers and interviews, and with the feedback and preparation tasks of
    these interviews. deletion_status is deleted; deleted_at is the clock.
    """
    db.require("job_application", application_id)
    for interview in db.select("SELECT interview_id FROM interview_schedule WHERE application_id = ?", application_id):
        interview_id = interview["interview_id"]
        for row in db.select("SELECT feedback_id FROM interview_feedback WHERE interview_id = ?", interview_id):
            db.delete("interview_feedback", row["feedback_id"])
        for row in db.select("SELECT preparation_task_id FROM preparation_task WHERE interview_id = ?", interview_id):
            db.delete("preparation_task", row["preparation_task_id"])
        db.delete("interview_schedule", interview_id)
    for row in db.select("SELECT note_id FROM application_note WHERE application_id = ?", application_id):
        db.delete("application_note", row["note_id"])
    for row in db.select("SELECT stage_id FROM application_stage WHERE application_id = ?", application_id):
        db.delete("application_stage", row["stage_id"])
    for row in db.select("SELECT job_offer_id FROM job_offer WHERE application_id = ?", application_id):
        db.delete("job_offer", row["job_offer_id"])
    db.delete("job_application", application_id)
    return {"application_id": application_id, "deletion_status": "deleted", "deleted_at": db.now}
