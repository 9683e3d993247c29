"""Applications: drafting, filing, searching, withdrawing, and deleting applications."""

from typing import Annotated, Literal

from runtime import Database, Field, Rejection, Timestamp, TypedDict, tool


class ApplicationDetail(TypedDict):
    application_id: Annotated[str, "application concerned"]
    applicant_id: Annotated[str, "whose application"]
    applicant_name: Annotated[str, "name as filed"]
    email: Annotated[str, "email as filed"]
    phone: Annotated[str | None, "phone as filed"]
    job_title: Annotated[str, "job sought"]
    company_name: Annotated[str, "employer"]
    application_date: Annotated[Timestamp, "when filed, or draft added"]
    status: Annotated[
        Literal["draft", "submitted", "under_review", "rejected", "accepted", "withdrawn", "archived"], "state"
    ]
    previous_status: Annotated[
        Literal["draft", "submitted", "under_review", "rejected", "accepted", "withdrawn", "archived"] | None,
        "state before",
    ]
    resume_format: Annotated[str | None, "such as pdf"]
    resume_uploaded_at: Annotated[Timestamp | None, "when uploaded"]
    cover_letter_uploaded_at: Annotated[Timestamp | None, "when uploaded"]
    deadline_date: Annotated[Timestamp | None, "next deadline"]
    deadline_type: Annotated[str | None, "such as follow_up"]
    referral_source: Annotated[str | None, "such as LinkedIn"]
    referral_person: Annotated[str | None, "who referred"]
    priority_level: Annotated[int | None, "1 to 5, 5 highest"]
    priority_reason: Annotated[str | None, "why so urgent"]
    expected_salary_min: Annotated[int | None, "whole dollars"]
    expected_salary_max: Annotated[int | None, "whole dollars"]
    salary_currency: Annotated[str, "always USD"]
    created_at: Annotated[Timestamp, "when added"]
    updated_at: Annotated[Timestamp | None, "last change"]


class ResumeReceipt(TypedDict):
    application_id: Annotated[str, "application concerned"]
    resume_uploaded_at: Annotated[Timestamp, "when stored"]


class CoverLetterReceipt(TypedDict):
    application_id: Annotated[str, "application concerned"]
    cover_letter_uploaded_at: Annotated[Timestamp, "when stored"]


class SubmissionReceipt(TypedDict):
    application_id: Annotated[str, "application concerned"]
    status: Annotated[
        Literal["draft", "submitted", "under_review", "rejected", "accepted", "withdrawn", "archived"],
        "state after the call",
    ]
    application_date: Annotated[Timestamp, "when filed"]


class WithdrawalReceipt(TypedDict):
    application_id: Annotated[str, "application concerned"]
    status: Annotated[
        Literal["draft", "submitted", "under_review", "rejected", "accepted", "withdrawn", "archived"],
        "state after the call",
    ]
    canceled_interviews: Annotated[int, "interviews canceled now"]
    declined_offers: Annotated[int, "offers declined now"]


class DeletionReceipt(TypedDict):
    application_id: Annotated[str, "application concerned"]
    deletion_status: Annotated[str, "always deleted"]
    deleted_at: Annotated[Timestamp, "when deleted"]


class ApplicationMatch(TypedDict):
    application_id: Annotated[str, "application concerned"]
    job_title: Annotated[str, "job sought"]
    company_name: Annotated[str, "employer"]
    status: Annotated[
        Literal["draft", "submitted", "under_review", "rejected", "accepted", "withdrawn", "archived"], "state"
    ]


class KeywordMatches(TypedDict):
    matching_applications: Annotated[list[ApplicationMatch], "all matches"]
    total_matches: Annotated[int, "number of matches"]


_HIDDEN = ("resume_content", "cover_letter_content")


def _detail(application):
    """Show an application without the texts of its documents."""
    return {name: value for name, value in application.items() if name not in _HIDDEN}


def _refuse_twin(db, applicant_id, job_title, company_name, application_id):
    """Reject a second draft or open application for the same job."""
    twin = db.value(
        """
        SELECT application_id FROM job_application
        WHERE applicant_id = ? AND job_title = ? AND company_name = ? AND application_id IS NOT ?
            AND status IN ('draft', 'submitted', 'under_review')
        """,
        applicant_id,
        job_title,
        company_name,
        application_id,
    )
    if twin is not None:
        raise Rejection.already_exists(
            f"Application {twin!r} for {job_title!r} at {company_name!r} is a draft or open."
        )


def _require_draft(db, application_id):
    """Return an application that is still a draft."""
    application = db.require("job_application", application_id)
    if application["status"] != "draft":
        raise Rejection.failed_precondition(f"Application {application_id!r} is {application['status']}, not a draft.")
    return application


def _cancel_upcoming_interviews(db, application_id):
    """Cancel the upcoming interviews of an application that closes; return how many."""
    upcoming = db.select(
        "SELECT interview_id FROM interview_schedule WHERE application_id = ? AND status = 'scheduled' AND interview_date > ?",
        application_id,
        db.now,
    )
    for interview in upcoming:
        db.update(
            "interview_schedule",
            interview["interview_id"],
            status="canceled",
            canceled_at=db.now,
            cancel_reason="Application closed",
        )
    return len(upcoming)


@tool(reads=["applicant"], writes=["job_application"], rejects=["NOT_FOUND", "ALREADY_EXISTS"])
def add_job_application(
    db: Database,
    applicant_id: Annotated[str, "applicant concerned"],
    job_title: Annotated[str, "job sought", Field(min_length=1)],
    company_name: Annotated[str, "employer", Field(min_length=1)],
) -> ApplicationDetail:
    """Start an application as a draft.

    Requires: The applicant has no draft or open application with the same job title and company.

    status is draft, application_date is now, salary_currency is USD; name, email, and phone are copied from the
    applicant.
    """
    applicant = db.require("applicant", applicant_id)
    _refuse_twin(db, applicant_id, job_title, company_name, None)
    application = db.insert(
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
        salary_currency="USD",
        created_at=db.now,
    )
    return _detail(application)


@tool(reads=["job_application"], rejects=["NOT_FOUND"])
def get_job_application(db: Database, application_id: Annotated[str, "application concerned"]) -> ApplicationDetail:
    """Show one application in full."""
    return _detail(db.require("job_application", application_id))


@tool(writes=["job_application"], rejects=["INVALID_ARGUMENT", "NOT_FOUND", "FAILED_PRECONDITION", "ALREADY_EXISTS"])
def update_job_application(
    db: Database,
    application_id: Annotated[str, "application concerned"],
    job_title: Annotated[str | None, "new job title", Field(min_length=1)] = None,
    company_name: Annotated[str | None, "new employer", Field(min_length=1)] = None,
) -> ApplicationDetail:
    """Correct the title or company of a draft.

    Requires: At least one field to change is given. The application is a draft. The applicant has no other draft or
    open application with the resulting job title and company.

    Only the given fields change.
    """
    if job_title is None and company_name is None:
        raise Rejection.invalid_argument("Give at least one of job_title and company_name.")
    application = _require_draft(db, application_id)
    title = application["job_title"] if job_title is None else job_title
    company = application["company_name"] if company_name is None else company_name
    _refuse_twin(db, application["applicant_id"], title, company, application_id)
    return _detail(
        db.update("job_application", application_id, job_title=title, company_name=company, updated_at=db.now)
    )


@tool(writes=["job_application"], rejects=["NOT_FOUND", "FAILED_PRECONDITION"])
def upload_resume(
    db: Database,
    application_id: Annotated[str, "application concerned"],
    resume_content: Annotated[str, "full resume text", Field(min_length=1)],
    resume_format: Annotated[str, "such as pdf, docx", Field(min_length=1)],
) -> ResumeReceipt:
    """Store the resume of a draft, replacing an earlier one.

    Requires: The application is a draft.

    resume_content and resume_format are stored; resume_uploaded_at becomes now.
    """
    _require_draft(db, application_id)
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
def add_cover_letter(
    db: Database,
    application_id: Annotated[str, "application concerned"],
    cover_letter_content: Annotated[str, "full letter text", Field(min_length=1)],
) -> CoverLetterReceipt:
    """Store the cover letter of a draft, replacing an earlier one.

    Requires: The application is a draft.

    cover_letter_content is stored; cover_letter_uploaded_at becomes now.
    """
    _require_draft(db, application_id)
    db.update(
        "job_application",
        application_id,
        cover_letter_content=cover_letter_content,
        cover_letter_uploaded_at=db.now,
        updated_at=db.now,
    )
    return {"application_id": application_id, "cover_letter_uploaded_at": db.now}


@tool(writes=["job_application"], rejects=["NOT_FOUND", "FAILED_PRECONDITION"])
def submit_application(db: Database, application_id: Annotated[str, "application concerned"]) -> SubmissionReceipt:
    """File a draft with the employer.

    Requires: The application is a draft. A resume was uploaded.

    status draft becomes submitted; application_date becomes now.
    """
    application = _require_draft(db, application_id)
    if application["resume_uploaded_at"] is None:
        raise Rejection.failed_precondition(f"Application {application_id!r} has no resume; upload one first.")
    db.update(
        "job_application",
        application_id,
        status="submitted",
        previous_status="draft",
        application_date=db.now,
        updated_at=db.now,
    )
    return {"application_id": application_id, "status": "submitted", "application_date": db.now}


@tool(writes=["job_application", "interview_schedule", "job_offer"], rejects=["NOT_FOUND", "FAILED_PRECONDITION"])
def withdraw_application(db: Database, application_id: Annotated[str, "application concerned"]) -> WithdrawalReceipt:
    """Withdraw an open application.

    Requires: The application is open.

    status becomes withdrawn; its upcoming interviews are canceled; its pending offers become declined with responded_at
    now.
    """
    application = db.require("job_application", application_id)
    if application["status"] not in ("submitted", "under_review"):
        raise Rejection.failed_precondition(f"Application {application_id!r} is {application['status']}, not open.")
    db.update(
        "job_application",
        application_id,
        status="withdrawn",
        previous_status=application["status"],
        updated_at=db.now,
    )
    canceled = _cancel_upcoming_interviews(db, application_id)
    offers = db.select("SELECT offer_id FROM job_offer WHERE application_id = ? AND status = 'pending'", application_id)
    for offer in offers:
        db.update("job_offer", offer["offer_id"], status="declined", responded_at=db.now)
    return {
        "application_id": application_id,
        "status": "withdrawn",
        "canceled_interviews": canceled,
        "declined_offers": len(offers),
    }


@tool(
    writes=[
        "job_application",
        "application_note",
        "application_stage",
        "interview_schedule",
        "interview_feedback",
        "job_offer",
        "charge",
    ],
    rejects=["NOT_FOUND", "FAILED_PRECONDITION"],
)
def delete_job_application(db: Database, application_id: Annotated[str, "application concerned"]) -> DeletionReceipt:
    """Delete an application and all that hangs on it.

    Requires: No unpaid charge refers to the application.

    Its notes, stages, interviews, their feedback, and offers are deleted; charges that refer to it stay, their
    application_id becomes null. deletion_status is deleted, deleted_at is now.
    """
    db.require("job_application", application_id)
    unpaid = db.value("SELECT charge_id FROM charge WHERE application_id = ? AND status = 'unpaid'", application_id)
    if unpaid is not None:
        raise Rejection.failed_precondition(f"Charge {unpaid!r} for application {application_id!r} is unpaid.")
    for feedback in db.select(
        """
        SELECT feedback_id FROM interview_feedback JOIN interview_schedule USING (interview_id)
        WHERE application_id = ?
        """,
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
    for charge in db.select("SELECT charge_id FROM charge WHERE application_id = ?", application_id):
        db.update("charge", charge["charge_id"], application_id=None)
    db.delete("job_application", application_id)
    return {"application_id": application_id, "deletion_status": "deleted", "deleted_at": db.now}


@tool(reads=["job_application"], rejects=["INVALID_ARGUMENT"])
def search_applications_by_keyword(
    db: Database,
    keyword: Annotated[str, "one or more words", Field(min_length=1)],
    search_fields: Annotated[
        list[Literal["job_title", "company_name"]] | None,
        "fields to search, both if left out",
        Field(min_length=1, max_length=2),
    ] = None,
) -> KeywordMatches:
    """Find applications by words in job title or company.

    Requires: keyword has at least one character besides spaces. search_fields names no field twice.

    keyword is split at spaces; an application matches if a searched field contains at least one of the words. All
    matches in any status are returned, by application_id.
    """
    words = [word for word in keyword.split(" ") if word]
    if not words:
        raise Rejection.invalid_argument("The keyword has only spaces; give at least one word.")
    fields = ["job_title", "company_name"] if search_fields is None else search_fields
    if len(set(fields)) < len(fields):
        raise Rejection.invalid_argument("search_fields names a field twice; name each once.")
    in_title, in_company = int("job_title" in fields), int("company_name" in fields)
    found = set()
    for word in words:
        for row in db.select(
            """
            SELECT application_id FROM job_application
            WHERE (? = 1 AND instr(lower(job_title), lower(?)) > 0) OR (? = 1 AND instr(lower(company_name), lower(?)) > 0)
            """,
            in_title,
            word,
            in_company,
            word,
        ):
            found.add(row["application_id"])
    applications = db.select(
        "SELECT application_id, job_title, company_name, status FROM job_application ORDER BY application_id"
    )
    matches = [application for application in applications if application["application_id"] in found]
    return {"matching_applications": matches, "total_matches": len(matches)}
