"""Inquiries: opening, revising, answering, reopening, and withdrawing research questions."""

from typing import Annotated, Literal

from runtime import Database, Date, Field, Rejection, Timestamp, TypedDict, tool


class Inquiry(TypedDict):
    inquiry_id: Annotated[str, "the inquiry"]
    member_id: Annotated[str, "who asked"]
    recording_id: Annotated[str | None, "recording it is about"]
    kind: Annotated[Literal["identify", "date", "credits", "rights"], "what is wanted"]
    subject: Annotated[str, "the question"]
    minutes: Annotated[int, "research minutes set aside"]
    needed_by: Annotated[Date | None, "day the answer is needed"]
    status: Annotated[Literal["open", "answered", "closed", "withdrawn"], "state"]
    created_at: Annotated[Timestamp, "when it was opened"]
    answer: Annotated[str | None, "latest answer"]
    answered_at: Annotated[Timestamp | None, "when it was last answered"]
    stars: Annotated[int | None, "member's rating of the answer"]
    follow_up: Annotated[str | None, "latest follow-up question"]
    reopens: Annotated[int, "times it was reopened"]
    closed_at: Annotated[Timestamp | None, "when it was closed"]
    withdrawn_at: Annotated[Timestamp | None, "when it was withdrawn"]


class InquiryList(TypedDict):
    inquiries: Annotated[list[Inquiry], "the inquiries"]
    total: Annotated[int, "inquiries that match"]


def _require_open(db, inquiry_id):
    inquiry = db.require("inquiry", inquiry_id)
    if inquiry["status"] != "open":
        raise Rejection.failed_precondition(f"Inquiry {inquiry_id!r} is {inquiry['status']}, not open.")
    return inquiry


def _require_cataloged(db, recording_id):
    recording = db.require("recording", recording_id)
    if recording["status"] != "cataloged":
        raise Rejection.failed_precondition(f"Recording {recording_id!r} is {recording['status']}, not cataloged.")


def _require_not_past(db, needed_by):
    if needed_by is not None and needed_by < db.today:
        raise Rejection.invalid_argument(f"The day {needed_by} is before today.")


@tool(
    reads=["member", "recording"],
    writes=["inquiry"],
    rejects=["INVALID_ARGUMENT", "NOT_FOUND", "FAILED_PRECONDITION", "ALREADY_EXISTS"],
)
def open_inquiry(
    db: Database,
    member_id: Annotated[str, "who asks"],
    kind: Annotated[Literal["identify", "date", "credits", "rights"], "what is wanted"],
    subject: Annotated[str, "the question", Field(min_length=1)],
    minutes: Annotated[int, "research minutes set aside", Field(ge=15, le=480)],
    recording_id: Annotated[str | None, "recording it is about"] = None,
    needed_by: Annotated[Date | None, "day the answer is needed"] = None,
) -> Inquiry:
    """Open a research inquiry for a member.

    Requires: needed_by is not before today, if given. The recording, if given, is cataloged. The member has no open
    inquiry with exactly this subject.

    The new inquiry is open; reopens is 0.
    """
    _require_not_past(db, needed_by)
    db.require("member", member_id)
    if recording_id is not None:
        _require_cataloged(db, recording_id)
    same = db.first(
        "SELECT inquiry_id FROM inquiry WHERE member_id = ? AND subject = ? AND status = 'open'", member_id, subject
    )
    if same is not None:
        raise Rejection.already_exists(f"Member {member_id!r} has an open inquiry with this subject.")
    return db.insert(
        "inquiry",
        inquiry_id=db.new_id("inquiry"),
        member_id=member_id,
        recording_id=recording_id,
        kind=kind,
        subject=subject,
        minutes=minutes,
        needed_by=needed_by,
        status="open",
        created_at=db.now,
        reopens=0,
    )


@tool(reads=["member", "inquiry"], rejects=["NOT_FOUND"])
def list_inquiries(
    db: Database,
    member_id: Annotated[str, "who asked"],
    status: Annotated[Literal["open", "answered", "closed", "withdrawn"] | None, "only these"] = None,
    limit: Annotated[int, "most entries returned", Field(ge=1, le=50)] = 20,
) -> InquiryList:
    """List a member's inquiries, newest first.

    Order: created_at descending.
    """
    db.require("member", member_id)
    inquiries = db.select(
        """
        SELECT * FROM inquiry WHERE member_id = ? AND (? IS NULL OR status = ?)
        ORDER BY created_at DESC, inquiry_id
        """,
        member_id,
        status,
        status,
    )
    return {"inquiries": inquiries[:limit], "total": len(inquiries)}


@tool(writes=["inquiry"], rejects=["INVALID_ARGUMENT", "NOT_FOUND", "FAILED_PRECONDITION"])
def revise_inquiry(
    db: Database,
    inquiry_id: Annotated[str, "inquiry to change"],
    subject: Annotated[str | None, "new question", Field(min_length=1)] = None,
    minutes: Annotated[int | None, "new research minutes", Field(ge=15, le=480)] = None,
    needed_by: Annotated[Date | None, "new day it is needed"] = None,
) -> Inquiry:
    """Change an open inquiry.

    Requires: At least one change is given. needed_by is not before today, if given. The inquiry is open.

    Only the given fields change.
    """
    if subject is None and minutes is None and needed_by is None:
        raise Rejection.invalid_argument("Give at least one change.")
    _require_not_past(db, needed_by)
    inquiry = _require_open(db, inquiry_id)
    return db.update(
        "inquiry",
        inquiry_id,
        subject=inquiry["subject"] if subject is None else subject,
        minutes=inquiry["minutes"] if minutes is None else minutes,
        needed_by=inquiry["needed_by"] if needed_by is None else needed_by,
    )


@tool(writes=["inquiry"], rejects=["NOT_FOUND", "FAILED_PRECONDITION"])
def answer_inquiry(
    db: Database,
    inquiry_id: Annotated[str, "inquiry to answer"],
    answer: Annotated[str, "the answer", Field(min_length=1)],
) -> Inquiry:
    """Record the answer to an open inquiry, found by the desk or by the member.

    Requires: The inquiry is open.

    status becomes answered; answer is replaced; answered_at becomes now.
    """
    _require_open(db, inquiry_id)
    return db.update("inquiry", inquiry_id, status="answered", answer=answer, answered_at=db.now)


@tool(writes=["inquiry"], rejects=["NOT_FOUND", "FAILED_PRECONDITION"])
def close_inquiry(
    db: Database,
    inquiry_id: Annotated[str, "inquiry to close"],
    stars: Annotated[int | None, "rating of the answer", Field(ge=1, le=5)] = None,
) -> Inquiry:
    """Close an answered inquiry, with the member's rating if they give one.

    Requires: The inquiry is answered.

    status becomes closed; closed_at becomes now; stars becomes the rating given, or null.
    """
    inquiry = db.require("inquiry", inquiry_id)
    if inquiry["status"] != "answered":
        raise Rejection.failed_precondition(f"Inquiry {inquiry_id!r} is {inquiry['status']}, not answered.")
    return db.update("inquiry", inquiry_id, status="closed", closed_at=db.now, stars=stars)


@tool(reads=["recording"], writes=["inquiry"], rejects=["NOT_FOUND", "FAILED_PRECONDITION"])
def reopen_inquiry(
    db: Database,
    inquiry_id: Annotated[str, "inquiry to reopen"],
    follow_up: Annotated[str, "what is still open", Field(min_length=1)],
) -> Inquiry:
    """Reopen an answered or closed inquiry with a follow-up question.

    Requires: The inquiry is answered or closed. The recording it is about, if any, is cataloged.

    status becomes open; reopens goes up by 1; follow_up is replaced; closed_at and stars become null. answer,
    answered_at, minutes and needed_by stay.
    """
    inquiry = db.require("inquiry", inquiry_id)
    if inquiry["status"] not in ("answered", "closed"):
        raise Rejection.failed_precondition(f"Inquiry {inquiry_id!r} is {inquiry['status']}, not answered or closed.")
    if inquiry["recording_id"] is not None:
        _require_cataloged(db, inquiry["recording_id"])
    return db.update(
        "inquiry",
        inquiry_id,
        status="open",
        reopens=inquiry["reopens"] + 1,
        follow_up=follow_up,
        closed_at=None,
        stars=None,
    )


@tool(writes=["inquiry"], rejects=["NOT_FOUND", "FAILED_PRECONDITION"])
def withdraw_inquiry(db: Database, inquiry_id: Annotated[str, "inquiry to withdraw"]) -> Inquiry:
    """Withdraw an open inquiry.

    Requires: The inquiry is open.

    status becomes withdrawn; withdrawn_at becomes now.
    """
    _require_open(db, inquiry_id)
    return db.update("inquiry", inquiry_id, status="withdrawn", withdrawn_at=db.now)
