"""Reports: telling the safety team about a message."""

from typing import Annotated, Literal

from runtime import Database, Field, Rejection, Timestamp, TypedDict, tool


class Report(TypedDict):
    report_id: Annotated[str, "report"]
    member_id: Annotated[str, "who reported"]
    message_id: Annotated[str, "reported message"]
    message_text: Annotated[str, "what the message says"]
    author_name: Annotated[str, "author of the message"]
    channel_title: Annotated[str, "channel of the message"]
    reason: Annotated[Literal["spam", "scam", "rude", "off_topic", "private_information"], "reason"]
    details: Annotated[str | None, "their own words"]
    status: Annotated[Literal["open", "withdrawn", "upheld", "dismissed"], "status"]
    created_at: Annotated[Timestamp, "when it was filed"]
    closed_at: Annotated[Timestamp | None, "when it was closed"]


class ReportList(TypedDict):
    reports: Annotated[list[Report], "reports"]
    total: Annotated[int, "all matches"]


def _shown(db, report):
    message = db.get("message", report["message_id"])
    fields = ("report_id", "member_id", "message_id", "reason", "details", "status", "created_at", "closed_at")
    return {
        **{field: report[field] for field in fields},
        "message_text": message["text"],
        "author_name": db.get("member", message["member_id"])["name"],
        "channel_title": db.get("channel", message["channel_id"])["title"],
    }


@tool(
    reads=["member", "channel", "message"],
    writes=["report"],
    rejects=["NOT_FOUND", "FAILED_PRECONDITION", "ALREADY_EXISTS"],
)
def file_report(
    db: Database,
    member_id: Annotated[str, "who reports"],
    message_id: Annotated[str, "message"],
    reason: Annotated[Literal["spam", "scam", "rude", "off_topic", "private_information"], "what is wrong with it"],
    details: Annotated[str | None, "in their own words", Field(min_length=1, max_length=300)] = None,
) -> Report:
    """Report a posted message to the safety team.

    Requires: The message is posted. The member did not write it. The member has no open report on it.

    An open report; closed_at null.
    """
    db.require("member", member_id)
    message = db.require("message", message_id)
    if message["status"] != "posted":
        raise Rejection.failed_precondition(f"Message {message_id!r} is {message['status']}, not posted.")
    if message["member_id"] == member_id:
        raise Rejection.failed_precondition(f"Member {member_id!r} wrote message {message_id!r}.")
    if db.value(
        "SELECT 1 FROM report WHERE member_id = ? AND message_id = ? AND status = 'open'", member_id, message_id
    ):
        raise Rejection.already_exists(f"Member {member_id!r} already has an open report on message {message_id!r}.")
    report = db.insert(
        "report",
        report_id=db.new_id("report"),
        member_id=member_id,
        message_id=message_id,
        reason=reason,
        details=details,
        status="open",
        created_at=db.now,
    )
    return _shown(db, report)


@tool(reads=["member", "channel", "message", "report"], rejects=["NOT_FOUND"])
def list_reports(
    db: Database,
    member_id: Annotated[str, "member"],
    status: Annotated[Literal["open", "withdrawn", "upheld", "dismissed"] | None, "only this status"] = None,
    limit: Annotated[int, "how many to return", Field(ge=1, le=50)] = 20,
) -> ReportList:
    """List the reports a member filed.

    Newest created_at first.
    """
    db.require("member", member_id)
    found = db.select(
        """SELECT * FROM report WHERE member_id = ? AND (? IS NULL OR status = ?)
        ORDER BY created_at DESC, report_id""",
        member_id,
        status,
        status,
    )
    return {"reports": [_shown(db, report) for report in found[:limit]], "total": len(found)}


@tool(reads=["member", "channel", "message"], writes=["report"], rejects=["NOT_FOUND", "FAILED_PRECONDITION"])
def withdraw_report(db: Database, report_id: Annotated[str, "report"]) -> Report:
    """Take back an open report.

    Requires: The report is open.

    status becomes withdrawn and closed_at the clock.
    """
    report = db.require("report", report_id)
    if report["status"] != "open":
        raise Rejection.failed_precondition(f"Report {report_id!r} is {report['status']}, not open.")
    return _shown(db, db.update("report", report_id, status="withdrawn", closed_at=db.now))
