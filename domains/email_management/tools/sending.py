"""Sending: drafting, scheduling, sending, and recalling messages."""

from typing import Annotated, Literal

from runtime import Database, Field, Rejection, Timestamp, TypedDict, tool


class Message(TypedDict):
    message_id: Annotated[str, "id of the message"]
    account_id: Annotated[str, "its account"]
    folder: Annotated[Literal["inbox", "archive", "spam", "drafts", "scheduled", "sent", "trash"], "where it is"]
    correspondent_name: Annotated[str, "sender, or recipient of outgoing mail"]
    correspondent_email: Annotated[str, "address of the correspondent"]
    subject: Annotated[str, "subject line"]
    body: Annotated[str, "what it says"]
    attachment_name: Annotated[str | None, "attached file"]
    dated_at: Annotated[Timestamp, "when received, written or sent"]
    size_kb: Annotated[int, "size"]
    is_read: Annotated[bool, "whether read"]
    send_at: Annotated[Timestamp | None, "when it is to go out"]
    opened_at: Annotated[Timestamp | None, "when its recipient opened it"]
    recalled_at: Annotated[Timestamp | None, "last recall"]
    trashed_at: Annotated[Timestamp | None, "when put in the trash"]
    folder_before_trash: Annotated[str | None, "where it was before the trash"]
    restored_at: Annotated[Timestamp | None, "last restoring"]


def _message(row):
    return {**row, "is_read": bool(row["is_read"])}


def _check_active(db, account_id):
    account = db.require("account", account_id)
    if account["state"] != "active":
        raise Rejection.failed_precondition(f"Account {account_id!r} is {account['state']}, not active.")


def _check_unsent(message):
    if message["folder"] not in ("drafts", "scheduled"):
        raise Rejection.failed_precondition(
            f"Message {message['message_id']!r} is in {message['folder']}, not in drafts or scheduled."
        )


@tool(reads=["account"], writes=["message"], rejects=["NOT_FOUND", "FAILED_PRECONDITION"])
def create_draft(
    db: Database,
    account_id: Annotated[str, "the mailbox account"],
    correspondent_name: Annotated[str, "who it is to", Field(min_length=1, max_length=80)],
    correspondent_email: Annotated[str, "address it goes to", Field(min_length=1, max_length=120)],
    subject: Annotated[str, "subject line", Field(min_length=1, max_length=120)],
    body: Annotated[str, "what it says", Field(min_length=1, max_length=2000)],
) -> Message:
    """Write a new message and keep it as a draft.

    Requires: The account is active, not suspended.

    The message is in drafts, read, without attachment, 10 KB in size; dated_at is now; all other fields are null.
    """
    _check_active(db, account_id)
    return _message(
        db.insert(
            "message",
            message_id=db.new_id("message"),
            account_id=account_id,
            folder="drafts",
            correspondent_name=correspondent_name,
            correspondent_email=correspondent_email,
            subject=subject,
            body=body,
            dated_at=db.now,
            size_kb=10,
            is_read=1,
        )
    )


@tool(reads=["account"], writes=["message"], rejects=["INVALID_ARGUMENT", "NOT_FOUND", "FAILED_PRECONDITION"])
def schedule_message(
    db: Database, message_id: Annotated[str, "the message"], send_at: Annotated[Timestamp, "when it is to go out"]
) -> Message:
    """Set a draft to go out later, or change when a scheduled message goes out.

    Requires: send_at is later than now. The message's account is active, not suspended. The message is in drafts or
    scheduled.

    folder becomes scheduled and send_at is set; dated_at stays.
    """
    if send_at <= db.now:
        raise Rejection.invalid_argument(f"The message is to go out at {send_at}, not later than now, {db.now}.")
    message = db.require("message", message_id)
    _check_active(db, message["account_id"])
    _check_unsent(message)
    return _message(db.update("message", message_id, folder="scheduled", send_at=send_at))


@tool(writes=["message"], rejects=["NOT_FOUND", "FAILED_PRECONDITION"])
def unschedule_message(db: Database, message_id: Annotated[str, "the message"]) -> Message:
    """Keep a scheduled message from going out.

    Requires: The message is scheduled.

    folder becomes drafts, send_at null, dated_at stays.
    """
    message = db.require("message", message_id)
    if message["folder"] != "scheduled":
        raise Rejection.failed_precondition(f"Message {message_id!r} is in {message['folder']}, not scheduled.")
    return _message(db.update("message", message_id, folder="drafts", send_at=None))


@tool(reads=["account"], writes=["message"], rejects=["NOT_FOUND", "FAILED_PRECONDITION"])
def send_message(db: Database, message_id: Annotated[str, "the message"]) -> Message:
    """Send a draft or a scheduled message right now.

    Requires: The message's account is active, not suspended. The message is in drafts or scheduled.

    folder becomes sent, dated_at now, send_at null, opened_at null; recalled_at stays.
    """
    message = db.require("message", message_id)
    _check_active(db, message["account_id"])
    _check_unsent(message)
    return _message(db.update("message", message_id, folder="sent", dated_at=db.now, send_at=None, opened_at=None))


@tool(writes=["message"], rejects=["NOT_FOUND", "FAILED_PRECONDITION"])
def recall_message(db: Database, message_id: Annotated[str, "the message"]) -> Message:
    """Take back a sent message that its recipient has not opened.

    Requires: The message is in sent. Its recipient has not opened it.

    folder becomes drafts; recalled_at and dated_at become now.
    """
    message = db.require("message", message_id)
    if message["folder"] != "sent":
        raise Rejection.failed_precondition(f"Message {message_id!r} is in {message['folder']}, not in sent.")
    if message["opened_at"] is not None:
        raise Rejection.failed_precondition(
            f"Message {message_id!r} was opened by its recipient at {message['opened_at']}."
        )
    return _message(db.update("message", message_id, folder="drafts", recalled_at=db.now, dated_at=db.now))
