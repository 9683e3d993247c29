"""Mail: searching, moving, trashing, restoring, and deleting messages; storage report."""

from typing import Annotated, Literal

from runtime import Database, Date, Field, Rejection, Timestamp, TypedDict, tool


class MessageSummary(TypedDict):
    message_id: Annotated[str, "id of the message"]
    folder: Annotated[Literal["inbox", "archive", "spam", "drafts", "scheduled", "sent", "trash"], "where it is"]
    correspondent_name: Annotated[str, "sender, or recipient of outgoing mail"]
    subject: Annotated[str, "subject line"]
    dated_at: Annotated[Timestamp, "when received, written or sent"]
    size_kb: Annotated[int, "size"]
    is_read: Annotated[bool, "whether read"]


class MessageList(TypedDict):
    total: Annotated[int, "all that match"]
    messages: Annotated[list[MessageSummary], "the first of them"]


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


class MessageBatch(TypedDict):
    messages: Annotated[list[MessageSummary], "the messages"]


class Deletion(TypedDict):
    deleted: Annotated[int, "messages deleted"]
    freed_kb: Annotated[int, "storage freed"]
    used_kb: Annotated[int, "storage used now"]


class FolderUse(TypedDict):
    folder: Annotated[Literal["inbox", "archive", "spam", "drafts", "scheduled", "sent", "trash"], "the folder"]
    messages: Annotated[int, "messages in it"]
    size_kb: Annotated[int, "their size"]


class StorageReport(TypedDict):
    account_id: Annotated[str, "the account"]
    used_kb: Annotated[int, "storage used"]
    quota_kb: Annotated[int, "storage allowed"]
    used_percent: Annotated[float, "used as a percentage of quota"]
    folders: Annotated[list[FolderUse], "each folder"]


PLAN_MB = {"free": 100, "plus": 250, "business": 500}
FOLDERS = ("inbox", "archive", "spam", "drafts", "scheduled", "sent", "trash")


def _message(row):
    return {**row, "is_read": bool(row["is_read"])}


def _summary(row):
    return {
        "message_id": row["message_id"],
        "folder": row["folder"],
        "correspondent_name": row["correspondent_name"],
        "subject": row["subject"],
        "dated_at": row["dated_at"],
        "size_kb": row["size_kb"],
        "is_read": bool(row["is_read"]),
    }


def _messages_of_one_account(db, message_ids):
    if len(set(message_ids)) < len(message_ids):
        raise Rejection.invalid_argument("A message is named twice; name each once.")
    rows = [db.require("message", message_id) for message_id in message_ids]
    if len({row["account_id"] for row in rows}) > 1:
        raise Rejection.failed_precondition("The messages belong to several accounts; give those of one.")
    return rows


def _used_kb(db, account_id):
    return db.value("SELECT coalesce(sum(size_kb), 0) FROM message WHERE account_id = ?", account_id)


@tool(reads=["account", "message"], rejects=["INVALID_ARGUMENT", "NOT_FOUND"])
def search_messages(
    db: Database,
    account_id: Annotated[str, "the mailbox account"],
    text: Annotated[str | None, "part of subject or correspondent_name", Field(min_length=1)] = None,
    folder: Annotated[
        Literal["inbox", "archive", "spam", "drafts", "scheduled", "sent", "trash"] | None, "only this folder"
    ] = None,
    is_read: Annotated[bool | None, "only read, or unread"] = None,
    dated_from: Annotated[Date | None, "first day of dated_at"] = None,
    dated_to: Annotated[Date | None, "last day of dated_at"] = None,
    limit: Annotated[int, "most to show", Field(ge=1, le=50)] = 20,
) -> MessageList:
    """Search an account's messages.

    Requires: dated_to is not before dated_from.

    text is looked for in subject and in correspondent_name ('contains'). Messages are sorted by dated_at, latest first.
    """
    if dated_from is not None and dated_to is not None and dated_to < dated_from:
        raise Rejection.invalid_argument(f"The last day {dated_to} is before the first day {dated_from}.")
    db.require("account", account_id)
    rows = db.select(
        """
        SELECT * FROM message
        WHERE account_id = ?
            AND (? IS NULL OR instr(lower(subject), lower(?)) > 0 OR instr(lower(correspondent_name), lower(?)) > 0)
            AND (? IS NULL OR folder = ?)
            AND (? IS NULL OR is_read = ?)
            AND (? IS NULL OR substr(dated_at, 1, 10) >= ?)
            AND (? IS NULL OR substr(dated_at, 1, 10) <= ?)
        ORDER BY dated_at DESC, message_id
        """,
        account_id,
        text,
        text,
        text,
        folder,
        folder,
        is_read,
        is_read,
        dated_from,
        dated_from,
        dated_to,
        dated_to,
    )
    return {"total": len(rows), "messages": [_summary(row) for row in rows[:limit]]}


@tool(reads=["message"], rejects=["NOT_FOUND"])
def get_message(db: Database, message_id: Annotated[str, "the message"]) -> Message:
    """Show one message in full.

    is_read stays as it is.
    """
    return _message(db.require("message", message_id))


@tool(writes=["message"], rejects=["NOT_FOUND", "FAILED_PRECONDITION"])
def move_messages(
    db: Database,
    message_ids: Annotated[list[str], "the messages", Field(min_length=1, max_length=20)],
    folder: Annotated[Literal["inbox", "archive", "spam"], "where to"],
) -> MessageBatch:
    """Move received messages to inbox, archive, or spam.

    Requires: All the messages belong to one account. Each message is in inbox, archive, or spam. No message is in the
    target folder already.

    folder is set.
    """
    rows = _messages_of_one_account(db, message_ids)
    for row in rows:
        if row["folder"] not in ("inbox", "archive", "spam"):
            raise Rejection.failed_precondition(
                f"Message {row['message_id']!r} is in {row['folder']}, not in inbox, archive, or spam."
            )
    for row in rows:
        if row["folder"] == folder:
            raise Rejection.failed_precondition(f"Message {row['message_id']!r} is in {folder} already.")
    return {"messages": [_summary(db.update("message", message_id, folder=folder)) for message_id in message_ids]}


@tool(writes=["message"], rejects=["NOT_FOUND", "FAILED_PRECONDITION"])
def trash_messages(
    db: Database, message_ids: Annotated[list[str], "the messages", Field(min_length=1, max_length=20)]
) -> MessageBatch:
    """Put messages in the trash.

    Requires: All the messages belong to one account. No message is in the trash. No message is scheduled; those are
    unscheduled first.

    folder_before_trash becomes the old folder, folder becomes trash, trashed_at becomes now.
    """
    rows = _messages_of_one_account(db, message_ids)
    for row in rows:
        if row["folder"] == "trash":
            raise Rejection.failed_precondition(f"Message {row['message_id']!r} is in the trash already.")
    for row in rows:
        if row["folder"] == "scheduled":
            raise Rejection.failed_precondition(f"Message {row['message_id']!r} is scheduled; unschedule it first.")
    return {
        "messages": [
            _summary(
                db.update(
                    "message", row["message_id"], folder="trash", folder_before_trash=row["folder"], trashed_at=db.now
                )
            )
            for row in rows
        ]
    }


@tool(writes=["message"], rejects=["NOT_FOUND", "FAILED_PRECONDITION"])
def restore_message(db: Database, message_id: Annotated[str, "the message"]) -> Message:
    """Put a message from the trash back where it was.

    Requires: The message is in the trash.

    folder becomes folder_before_trash; folder_before_trash and trashed_at become null; restored_at becomes now.
    """
    message = db.require("message", message_id)
    if message["folder"] != "trash":
        raise Rejection.failed_precondition(f"Message {message_id!r} is in {message['folder']}, not in the trash.")
    return _message(
        db.update(
            "message",
            message_id,
            folder=message["folder_before_trash"],
            folder_before_trash=None,
            trashed_at=None,
            restored_at=db.now,
        )
    )


@tool(writes=["message"], rejects=["NOT_FOUND", "FAILED_PRECONDITION"])
def delete_forever(
    db: Database, message_ids: Annotated[list[str], "the messages", Field(min_length=1, max_length=20)]
) -> Deletion:
    """Delete messages in the trash for good.

    Requires: All the messages belong to one account. Each message is in the trash.

    The messages are removed; deleted and freed_kb count them, used_kb is what their account uses afterward.
    """
    rows = _messages_of_one_account(db, message_ids)
    for row in rows:
        if row["folder"] != "trash":
            raise Rejection.failed_precondition(
                f"Message {row['message_id']!r} is in {row['folder']}, not in the trash."
            )
    for row in rows:
        db.delete("message", row["message_id"])
    return {
        "deleted": len(rows),
        "freed_kb": sum(row["size_kb"] for row in rows),
        "used_kb": _used_kb(db, rows[0]["account_id"]),
    }


@tool(reads=["account", "message"], rejects=["NOT_FOUND"])
def get_storage_report(db: Database, account_id: Annotated[str, "the mailbox account"]) -> StorageReport:
    """Show how much storage each folder of an account takes.

    folders has all seven, also empty ones, sorted by size_kb, largest first, then by folder name. used_percent is 100
    times used_kb by quota_kb.
    """
    account = db.require("account", account_id)
    used_kb = _used_kb(db, account_id)
    quota_kb = (PLAN_MB[account["plan"]] + account["extra_storage_mb"]) * 1000
    folders = [
        {
            "folder": folder,
            "messages": db.value(
                "SELECT count(*) FROM message WHERE account_id = ? AND folder = ?", account_id, folder
            ),
            "size_kb": db.value(
                "SELECT coalesce(sum(size_kb), 0) FROM message WHERE account_id = ? AND folder = ?", account_id, folder
            ),
        }
        for folder in FOLDERS
    ]
    return {
        "account_id": account_id,
        "used_kb": used_kb,
        "quota_kb": quota_kb,
        "used_percent": round(100 * used_kb / quota_kb, 2),
        "folders": sorted(folders, key=lambda use: (-use["size_kb"], use["folder"])),
    }
