"""Holds: finding, recording, changing and deleting applications, and their documents."""

from typing import Annotated, Literal

from runtime import Database, Date, Field, Rejection, Timestamp, TypedDict, tool


class ApplicationMatch(TypedDict):
    application_id: Annotated[str, "the application"]
    job_title: Annotated[str, "title of the job"]
    company_name: Annotated[str, "the employer"]
    status: Annotated[
        Literal["draft", "submitted", "under_review", "rejected", "accepted", "withdrawn", "archived"],
        "state of the application",
    ]


class ApplicationMatches(TypedDict):
    matching_applications: Annotated[list[ApplicationMatch], "applications found"]
    total_matches: Annotated[int, "all matches"]


class ApplicationEntry(TypedDict):
    application_id: Annotated[str, "the application"]
    applicant_name: Annotated[str, "who applies"]
    job_title: Annotated[str, "title of the job"]
    company_name: Annotated[str, "the employer"]
    status: Annotated[
        Literal["draft", "submitted", "under_review", "rejected", "accepted", "withdrawn", "archived"],
        "state of the application",
    ]
    application_date: Annotated[Timestamp, "when applied"]
    priority_level: Annotated[int | None, "1 to 5, 5 is highest"]


class ApplicationList(TypedDict):
    applications: Annotated[list[ApplicationEntry], "applications found"]
    total: Annotated[int, "all matches"]


class ApplicationDetails(TypedDict):
    application_id: Annotated[str, "the application"]
    applicant_name: Annotated[str, "who applies"]
    email: Annotated[str, "the applicant's email"]
    phone: Annotated[str | None, "the applicant's phone"]
    job_title: Annotated[str, "title of the job"]
    company_name: Annotated[str, "the employer"]
    application_date: Annotated[Timestamp, "when applied"]
    status: Annotated[
        Literal["draft", "submitted", "under_review", "rejected", "accepted", "withdrawn", "archived"],
        "state of the application",
    ]
    resume_uploaded_at: Annotated[Timestamp | None, "when the résumé came"]
    cover_letter_uploaded_at: Annotated[Timestamp | None, "when the letter came"]
    deadline_date: Annotated[Timestamp | None, "when something is due"]
    deadline_type: Annotated[str | None, "what is due"]
    referral_source: Annotated[str | None, "where the job was found"]
    referral_person: Annotated[str | None, "who referred"]
    priority_level: Annotated[int | None, "1 to 5, 5 is highest"]
    priority_reason: Annotated[str | None, "why this priority"]
    expected_salary_min: Annotated[int | None, "least, whole currency units"]
    expected_salary_max: Annotated[int | None, "most, whole currency units"]
    salary_currency: Annotated[str, "three-letter currency code"]
    created_at: Annotated[Timestamp, "when recorded"]
    updated_at: Annotated[Timestamp | None, "last change"]


class DeletedApplication(TypedDict):
    application_id: Annotated[str, "the application"]
    deletion_status: Annotated[str, "outcome"]
    deleted_at: Annotated[Timestamp, "time of deletion"]


class UploadedResume(TypedDict):
    application_id: Annotated[str, "the application"]
    resume_uploaded_at: Annotated[Timestamp, "time of the upload"]


class UploadedCoverLetter(TypedDict):
    application_id: Annotated[str, "the application"]
    cover_letter_uploaded_at: Annotated[Timestamp, "time of the upload"]


class ApplicationDocuments(TypedDict):
    application_id: Annotated[str, "the application"]
    resume_content: Annotated[str | None, "text of the résumé"]
    resume_format: Annotated[str | None, "such as pdf"]
    resume_uploaded_at: Annotated[Timestamp | None, "when the résumé came"]
    cover_letter_content: Annotated[str | None, "text of the letter"]
    cover_letter_uploaded_at: Annotated[Timestamp | None, "when the letter came"]


DETAILS = (
    "application_id",
    "applicant_name",
    "email",
    "phone",
    "job_title",
    "company_name",
    "application_date",
    "status",
    "resume_uploaded_at",
    "cover_letter_uploaded_at",
    "deadline_date",
    "deadline_type",
    "referral_source",
    "referral_person",
    "priority_level",
    "priority_reason",
    "expected_salary_min",
    "expected_salary_max",
    "salary_currency",
    "created_at",
    "updated_at",
)


def _details(application):
    """The columns of an application that its details show."""
    return {column: application[column] for column in DETAILS}


def _refuse_open_twin(db, email, job_title, company_name, besides=""):
    """Reject if another open application of the person is for the same job."""
    twin = db.value(
        """SELECT application_id FROM job_application
           WHERE email = ? AND job_title = ? AND company_name = ? AND application_id <> ?
             AND status IN ('draft', 'submitted', 'under_review')
           ORDER BY application_id""",
        email,
        job_title,
        company_name,
        besides,
    )
    if twin is not None:
        raise Rejection.already_exists(
            f"{email} has the open application {twin!r} for {job_title!r} at {company_name!r} already."
        )


def _require_editable(db, application_id):
    """The application must exist and its documents must not be under review yet."""
    application = db.require("job_application", application_id)
    if application["status"] not in ("draft", "submitted"):
        raise Rejection.failed_precondition(
            f"Application {application_id!r} is {application['status']}, not draft or submitted."
        )


@tool(reads=["job_application"], rejects=["INVALID_ARGUMENT"])
def search_applications_by_keyword(
    db: Database,
    keyword: Annotated[str, "one or more words"],
    search_fields: Annotated[
        list[Literal["job_title", "company_name"]] | None,
        "fields to search, both if left out",
        Field(min_length=1, max_length=2),
    ] = None,
    limit: Annotated[int, "most entries shown", Field(ge=1, le=50)] = 20,
) -> ApplicationMatches:
    """Find applications whose job title or company holds a word of the keyword."""
    words = keyword.split()
    if not words:
        raise Rejection.invalid_argument(f"The keyword {keyword!r} holds no word.")
    fields = search_fields or ["job_title", "company_name"]
    found = {}
    for word in words:
        for row in db.select(
            """SELECT application_id, job_title, company_name, status FROM job_application
               WHERE ? AND instr(lower(job_title), lower(?)) > 0 OR ? AND instr(lower(company_name), lower(?)) > 0""",
            int("job_title" in fields),
            word,
            int("company_name" in fields),
            word,
        ):
            found[row["application_id"]] = row
    matches = [found[application_id] for application_id in sorted(found)]
    return {"matching_applications": matches[:limit], "total_matches": len(matches)}


@tool(reads=["job_application"], rejects=["INVALID_ARGUMENT"])
def list_applications(
    db: Database,
    status: Annotated[
        Literal["draft", "submitted", "under_review", "rejected", "accepted", "withdrawn", "archived"] | None,
        "only this status",
    ] = None,
    company_name: Annotated[str | None, "part of the company's name"] = None,
    email: Annotated[str | None, "the applicant's email"] = None,
    applied_from: Annotated[Date | None, "first day of application"] = None,
    applied_to: Annotated[Date | None, "last day of application"] = None,
    minimum_priority: Annotated[int | None, "least priority level", Field(ge=1, le=5)] = None,
    limit: Annotated[int, "most entries shown", Field(ge=1, le=50)] = 20,
) -> ApplicationList:
    """List applications by status, company, applicant, day and priority."""
    if applied_from is not None and applied_to is not None and applied_to < applied_from:
        raise Rejection.invalid_argument(f"applied_to {applied_to} is before applied_from {applied_from}.")
    applications = db.select(
        """SELECT application_id, applicant_name, job_title, company_name, status, application_date, priority_level
           FROM job_application
           WHERE status = coalesce(?, status)
             AND instr(lower(company_name), lower(coalesce(?, ''))) > 0
             AND coalesce(?, '') IN ('', email)
             AND substr(application_date, 1, 10) BETWEEN coalesce(?, '0000-01-01') AND coalesce(?, '9999-12-31')
             AND coalesce(priority_level, 0) >= coalesce(?, 0)
           ORDER BY application_date DESC, application_id""",
        status,
        company_name,
        email,
        applied_from,
        applied_to,
        minimum_priority,
    )
    return {"applications": applications[:limit], "total": len(applications)}


@tool(reads=["job_application"], rejects=["NOT_FOUND"])
def get_application(db: Database, application_id: Annotated[str, "the application"]) -> ApplicationDetails:
    """Show one application with its deadline, referral, priority and salary expectation."""
    return _details(db.require("job_application", application_id))


@tool(writes=["job_application"], rejects=["ALREADY_EXISTS", "FAILED_PRECONDITION"])
def add_job_application(
    db: Database,
    applicant_name: Annotated[str, "full name", Field(min_length=1)],
    email: Annotated[str, "the applicant's email", Field(min_length=1)],
    job_title: Annotated[str, "title of the job", Field(min_length=1)],
    company_name: Annotated[str, "the employer", Field(min_length=1)],
    phone: Annotated[str | None, "the applicant's phone", Field(min_length=1)] = None,
    status: Annotated[Literal["draft", "submitted"], "state at the start"] = "submitted",
    application_date: Annotated[Timestamp | None, "when applied, the clock if left out"] = None,
    referral_source: Annotated[str | None, "where the job was found", Field(min_length=1)] = None,
    referral_person: Annotated[str | None, "who referred", Field(min_length=1)] = None,
) -> ApplicationDetails:
    """Record an application, filed already or as a draft."""
    _refuse_open_twin(db, email, job_title, company_name)
    if application_date is not None and application_date > db.now:
        raise Rejection.failed_precondition(f"application_date {application_date} is after the present, {db.now}.")
    application = db.insert(
        "job_application",
        application_id=db.new_id("job_application"),
        applicant_name=applicant_name,
        email=email,
        phone=phone,
        job_title=job_title,
        company_name=company_name,
        application_date=application_date or db.now,
        status=status,
        referral_source=referral_source,
        referral_person=referral_person,
        created_at=db.now,
    )
    return _details(application)


@tool(writes=["job_application"], rejects=["INVALID_ARGUMENT", "NOT_FOUND", "FAILED_PRECONDITION", "ALREADY_EXISTS"])
def update_job_application(
    db: Database,
    application_id: Annotated[str, "the application"],
    job_title: Annotated[str | None, "new title", Field(min_length=1)] = None,
    company_name: Annotated[str | None, "new employer", Field(min_length=1)] = None,
    phone: Annotated[str | None, "new phone", Field(min_length=1)] = None,
    referral_source: Annotated[str | None, "where the job was found", Field(min_length=1)] = None,
    referral_person: Annotated[str | None, "who referred", Field(min_length=1)] = None,
) -> ApplicationDetails:
    """Change the given fields of an application."""
    given = {
        "job_title": job_title,
        "company_name": company_name,
        "phone": phone,
        "referral_source": referral_source,
        "referral_person": referral_person,
    }
    changes = {column: value for column, value in given.items() if value is not None}
    if not changes:
        raise Rejection.invalid_argument(f"Give at least one of {', '.join(given)}.")
    application = db.require("job_application", application_id)
    if application["status"] == "archived":
        raise Rejection.failed_precondition(f"Application {application_id!r} is archived.")
    if job_title is not None or company_name is not None:
        if application["status"] != "draft":
            raise Rejection.failed_precondition(
                f"Application {application_id!r} is {application['status']}; only a draft changes job or company."
            )
        _refuse_open_twin(
            db,
            application["email"],
            changes.get("job_title", application["job_title"]),
            changes.get("company_name", application["company_name"]),
            application_id,
        )
    return _details(db.update("job_application", application_id, updated_at=db.now, **changes))


@tool(writes=["job_application"], rejects=["NOT_FOUND", "ALREADY_EXISTS", "FAILED_PRECONDITION"])
def draft_similar_application(
    db: Database,
    application_id: Annotated[str, "application to copy from"],
    job_title: Annotated[str, "title of the other job", Field(min_length=1)],
    company_name: Annotated[str, "its employer", Field(min_length=1)],
) -> ApplicationDetails:
    """Start a draft for another job with the applicant and résumé of an application."""
    source = db.require("job_application", application_id)
    _refuse_open_twin(db, source["email"], job_title, company_name)
    if source["resume_content"] is None:
        raise Rejection.failed_precondition(f"Application {application_id!r} has no résumé to copy.")
    draft = db.insert(
        "job_application",
        application_id=db.new_id("job_application"),
        applicant_name=source["applicant_name"],
        email=source["email"],
        phone=source["phone"],
        job_title=job_title,
        company_name=company_name,
        application_date=db.now,
        status="draft",
        resume_content=source["resume_content"],
        resume_format=source["resume_format"],
        resume_uploaded_at=db.now,
        salary_currency=source["salary_currency"],
        created_at=db.now,
    )
    return _details(draft)


@tool(
    writes=[
        "job_application",
        "application_note",
        "application_stage",
        "interview_schedule",
        "interview_feedback",
        "job_offer",
    ],
    rejects=["NOT_FOUND"],
)
def delete_job_application(db: Database, application_id: Annotated[str, "the application"]) -> DeletedApplication:
    """Delete an application and all that hangs on it."""
    db.require("job_application", application_id)
    for feedback in db.select(
        """SELECT feedback_id FROM interview_feedback JOIN interview_schedule USING (interview_id)
           WHERE application_id = ? ORDER BY feedback_id""",
        application_id,
    ):
        db.delete("interview_feedback", feedback["feedback_id"])
    for interview in db.select("SELECT interview_id FROM interview_schedule WHERE application_id = ?", application_id):
        db.delete("interview_schedule", interview["interview_id"])
    for stage in db.select("SELECT stage_id FROM application_stage WHERE application_id = ?", application_id):
        db.delete("application_stage", stage["stage_id"])
    for note in db.select("SELECT note_id FROM application_note WHERE application_id = ?", application_id):
        db.delete("application_note", note["note_id"])
    for offer in db.select("SELECT offer_id FROM job_offer WHERE application_id = ?", application_id):
        db.delete("job_offer", offer["offer_id"])
    db.delete("job_application", application_id)
    return {"application_id": application_id, "deletion_status": "deleted", "deleted_at": db.now}


@tool(writes=["job_application"], rejects=["NOT_FOUND", "FAILED_PRECONDITION"])
def upload_resume(
    db: Database,
    application_id: Annotated[str, "the application"],
    resume_content: Annotated[str, "text of the résumé", Field(min_length=1)],
    resume_format: Annotated[str, "such as pdf or docx", Field(min_length=1)],
) -> UploadedResume:
    """Store or replace the résumé of an application."""
    _require_editable(db, application_id)
    db.update(
        "job_application",
        application_id,
        resume_content=resume_content,
        resume_format=resume_format,
        resume_uploaded_at=db.now,
        updated_at=db.now,
    )
    return {"application_id": application_id, "resume_uploaded_at": db.now}


@tool(writes=["job_application"], rejects=["NOT_FOUND", "FAILED_PRECONDITION"])
def upload_cover_letter(
    db: Database,
    application_id: Annotated[str, "the application"],
    cover_letter_content: Annotated[str, "text of the letter", Field(min_length=1)],
) -> UploadedCoverLetter:
    """Store or replace the cover letter of an application."""
    _require_editable(db, application_id)
    db.update(
        "job_application",
        application_id,
        cover_letter_content=cover_letter_content,
        cover_letter_uploaded_at=db.now,
        updated_at=db.now,
    )
    return {"application_id": application_id, "cover_letter_uploaded_at": db.now}


@tool(reads=["job_application"], rejects=["NOT_FOUND"])
def get_application_documents(db: Database, application_id: Annotated[str, "the application"]) -> ApplicationDocuments:
    """Read the résumé and cover letter of an application."""
    application = db.require("job_application", application_id)
    return {
        "application_id": application_id,
        "resume_content": application["resume_content"],
        "resume_format": application["resume_format"],
        "resume_uploaded_at": application["resume_uploaded_at"],
        "cover_letter_content": application["cover_letter_content"],
        "cover_letter_uploaded_at": application["cover_letter_uploaded_at"],
    }
