"""Documents: resumes, cover letters and filing drafts."""

from typing import Annotated, Literal

from runtime import Database, Field, Rejection, Timestamp, TypedDict, tool


class ResumeUpload(TypedDict):
    application_id: Annotated[str, "application"]
    resume_uploaded_at: Annotated[Timestamp, "when the resume came"]


class CoverLetterUpload(TypedDict):
    application_id: Annotated[str, "application"]
    cover_letter_uploaded_at: Annotated[Timestamp, "when the letter came"]


class ApplicationDocuments(TypedDict):
    application_id: Annotated[str, "application copied to"]
    resume_format: Annotated[str, "format of the resume"]
    resume_uploaded_at: Annotated[Timestamp, "when the resume came"]
    cover_letter_uploaded_at: Annotated[Timestamp | None, "when the letter came"]


class ApplicationState(TypedDict):
    application_id: Annotated[str, "application"]
    status: Annotated[
        Literal["draft", "submitted", "under_review", "rejected", "accepted", "withdrawn", "archived"], "its status"
    ]
    application_date: Annotated[Timestamp, "when applied"]


class IncompleteDraft(TypedDict):
    application_id: Annotated[str, "draft"]
    job_title: Annotated[str, "job applied for"]
    company_name: Annotated[str, "employer"]
    resume_missing: Annotated[bool, "resume_content is null"]
    cover_letter_missing: Annotated[bool, "cover_letter_content is null"]


class IncompleteDraftList(TypedDict):
    drafts: Annotated[list[IncompleteDraft], "drafts found"]
    total: Annotated[int, "all matches"]


def _check_draft(application):
    if application["status"] != "draft":
        raise Rejection.failed_precondition(
            f"Application {application['application_id']!r} is {application['status']}, not draft."
        )


@tool(writes=["job_application"], rejects=["NOT_FOUND", "FAILED_PRECONDITION"])
def upload_resume(
    db: Database,
    application_id: Annotated[str, "application meant"],
    resume_content: Annotated[str, "text of the resume", Field(min_length=1)],
    resume_format: Annotated[str, "such as pdf, docx", Field(min_length=1)],
) -> ResumeUpload:
    """Store the resume of an application, replacing an earlier one.

    resume_uploaded_at becomes the clock.
    """
    application = db.require("job_application", application_id)
    if application["status"] not in ("draft", "submitted", "under_review"):
        raise Rejection.failed_precondition(
            f"Application {application_id!r} is {application['status']}, neither a draft nor open."
        )
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
    application_id: Annotated[str, "draft meant"],
    cover_letter_content: Annotated[str, "text of the letter", Field(min_length=1)],
) -> CoverLetterUpload:
    """Store the cover letter of a draft, replacing an earlier one.

    cover_letter_uploaded_at becomes the clock.
    """
    _check_draft(db.require("job_application", application_id))
    db.update(
        "job_application",
        application_id,
        cover_letter_content=cover_letter_content,
        cover_letter_uploaded_at=db.now,
        updated_at=db.now,
    )
    return {"application_id": application_id, "cover_letter_uploaded_at": db.now}


@tool(writes=["job_application"], rejects=["INVALID_ARGUMENT", "NOT_FOUND", "FAILED_PRECONDITION"])
def copy_application_documents(
    db: Database,
    source_application_id: Annotated[str, "application copied from"],
    target_application_id: Annotated[str, "draft copied to"],
) -> ApplicationDocuments:
    """Copy resume and cover letter of one application to a draft.

    The target takes resume_content and resume_format of the source; its resume_uploaded_at becomes the clock. If the
    source has cover_letter_content, the target takes it, with cover_letter_uploaded_at the clock; otherwise the
    target's letter stays. Returns the target; the source stays.
    """
    if source_application_id == target_application_id:
        raise Rejection.invalid_argument(f"Source and target are both {source_application_id!r}; they must differ.")
    source = db.require("job_application", source_application_id)
    target = db.require("job_application", target_application_id)
    if source["resume_content"] is None:
        raise Rejection.failed_precondition(f"Application {source_application_id!r} has no resume to copy.")
    _check_draft(target)
    copied = {
        "resume_content": source["resume_content"],
        "resume_format": source["resume_format"],
        "resume_uploaded_at": db.now,
    }
    if source["cover_letter_content"] is not None:
        copied["cover_letter_content"] = source["cover_letter_content"]
        copied["cover_letter_uploaded_at"] = db.now
    row = db.update("job_application", target_application_id, updated_at=db.now, **copied)
    fields = ("application_id", "resume_format", "resume_uploaded_at", "cover_letter_uploaded_at")
    return {field: row[field] for field in fields}


@tool(writes=["job_application"], rejects=["NOT_FOUND", "FAILED_PRECONDITION"])
def submit_application(db: Database, application_id: Annotated[str, "draft to file"]) -> ApplicationState:
    """File a draft application.

    status draft becomes submitted; application_date becomes the clock.
    """
    application = db.require("job_application", application_id)
    _check_draft(application)
    if application["resume_content"] is None:
        raise Rejection.failed_precondition(f"Application {application_id!r} has no resume; upload one first.")
    db.update("job_application", application_id, status="submitted", application_date=db.now, updated_at=db.now)
    return {"application_id": application_id, "status": "submitted", "application_date": db.now}


@tool(reads=["job_application"])
def list_incomplete_drafts(
    db: Database, limit: Annotated[int, "most entries returned", Field(ge=1, le=50)] = 20
) -> IncompleteDraftList:
    """List drafts that lack a resume or a cover letter.

    Drafts whose resume_content or cover_letter_content is null. Order: earliest application_date first.
    """
    rows = db.select(
        """SELECT application_id, job_title, company_name, resume_content, cover_letter_content
        FROM job_application
        WHERE status = 'draft' AND (resume_content IS NULL OR cover_letter_content IS NULL)
        ORDER BY application_date, application_id"""
    )
    drafts = [
        {
            "application_id": row["application_id"],
            "job_title": row["job_title"],
            "company_name": row["company_name"],
            "resume_missing": row["resume_content"] is None,
            "cover_letter_missing": row["cover_letter_content"] is None,
        }
        for row in rows[:limit]
    ]
    return {"drafts": drafts, "total": len(rows)}
