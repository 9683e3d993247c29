"""Access codes: listing, adding, extending, and revoking door codes of locks."""

from typing import Annotated, Literal

from runtime import Database, Field, Rejection, Timestamp, TypedDict, tool


class AccessCode(TypedDict):
    access_code_id: Annotated[str, "the code"]
    device_id: Annotated[str, "its lock"]
    device_name: Annotated[str, "name of the lock"]
    label: Annotated[str, "who or what it is for"]
    starts_at: Annotated[Timestamp, "works from"]
    ends_at: Annotated[Timestamp | None, "works until, null for always"]
    status: Annotated[Literal["active", "revoked"], "state of the code"]
    is_live: Annotated[bool, "whether it is live"]


class AccessCodeList(TypedDict):
    total: Annotated[int, "codes found or changed"]
    access_codes: Annotated[list[AccessCode], "the codes"]


def _code(db, access_code_id):
    """Show a code without its digits."""
    row = db.first(
        """
        SELECT c.access_code_id, c.device_id, d.name AS device_name, c.label, c.starts_at, c.ends_at, c.status,
               (c.status = 'active' AND (c.ends_at IS NULL OR c.ends_at >= ?)) AS is_live
        FROM access_code AS c JOIN device AS d ON d.device_id = c.device_id
        WHERE c.access_code_id = ?
        """,
        db.now,
        access_code_id,
    )
    return {**row, "is_live": bool(row["is_live"])}


@tool(reads=["home", "device", "access_code"], rejects=["NOT_FOUND"])
def list_access_codes(
    db: Database,
    home_id: Annotated[str, "the home"],
    live_only: Annotated[bool, "leave out codes not live"] = True,
    limit: Annotated[int, "most entries to return", Field(ge=1, le=50)] = 20,
) -> AccessCodeList:
    """List the door codes of a home's locks; digits are never shown.

    Sorted by label.
    """
    db.require("home", home_id)
    rows = db.select(
        """
        SELECT c.access_code_id
        FROM access_code AS c JOIN device AS d ON d.device_id = c.device_id
        WHERE d.home_id = ? AND (? = 0 OR (c.status = 'active' AND (c.ends_at IS NULL OR c.ends_at >= ?)))
        ORDER BY c.label, c.access_code_id
        """,
        home_id,
        int(live_only),
        db.now,
    )
    return {"total": len(rows), "access_codes": [_code(db, row["access_code_id"]) for row in rows[:limit]]}


@tool(
    reads=["device"],
    writes=["access_code"],
    rejects=["INVALID_ARGUMENT", "NOT_FOUND", "FAILED_PRECONDITION", "ALREADY_EXISTS"],
)
def create_access_code(
    db: Database,
    device_id: Annotated[str, "the lock"],
    label: Annotated[str, "who or what it is for", Field(min_length=1, max_length=40)],
    digits: Annotated[str, "the code to enter", Field(min_length=4, max_length=8)],
    starts_at: Annotated[Timestamp | None, "works from, null for now"] = None,
    ends_at: Annotated[Timestamp | None, "works until, null for always"] = None,
) -> AccessCode:
    """Add a door code to a lock.

    Requires: digits has only the characters 0 to 9. ends_at, if given, is after now and after starts_at. The device is
    a lock and online. The lock has fewer than 6 live codes. No live code of the lock has these digits or this label.

    status is active; starts_at becomes now if left out.
    """
    if not all(character in "0123456789" for character in digits):
        raise Rejection.invalid_argument(f"Code {digits!r} may have only the characters 0 to 9.")
    begins_at = db.now if starts_at is None else starts_at
    if ends_at is not None and (ends_at <= db.now or ends_at <= begins_at):
        raise Rejection.invalid_argument(f"The end {ends_at!r} must be after now and after the start {begins_at!r}.")
    device = db.require("device", device_id)
    if device["kind"] != "lock" or device["status"] != "online":
        raise Rejection.failed_precondition(
            f"Device {device_id!r} is a {device['kind']} and {device['status']}, not an online lock."
        )
    live = db.select(
        "SELECT digits, label FROM access_code WHERE device_id = ? AND status = 'active' AND (ends_at IS NULL OR ends_at >= ?)",
        device_id,
        db.now,
    )
    if len(live) >= 6:
        raise Rejection.failed_precondition(f"Lock {device_id!r} has {len(live)} live codes; at most 6 fit.")
    if any(code["digits"] == digits or code["label"] == label for code in live):
        raise Rejection.already_exists(f"A live code of lock {device_id!r} has these digits or the label {label!r}.")
    code = db.insert(
        "access_code",
        access_code_id=db.new_id("access_code"),
        device_id=device_id,
        label=label,
        digits=digits,
        starts_at=begins_at,
        ends_at=ends_at,
        status="active",
    )
    return _code(db, code["access_code_id"])


@tool(reads=["device"], writes=["access_code"], rejects=["INVALID_ARGUMENT", "NOT_FOUND", "FAILED_PRECONDITION"])
def change_access_code_end(
    db: Database, access_code_id: Annotated[str, "the code"], ends_at: Annotated[Timestamp, "new end"]
) -> AccessCode:
    """Extend or shorten the time a door code works.

    Requires: ends_at is after now. The code is live and its starts_at is before the new ends_at.

    ends_at becomes the given one.
    """
    if ends_at <= db.now:
        raise Rejection.invalid_argument(f"The end {ends_at!r} must be after now.")
    code = db.require("access_code", access_code_id)
    if code["status"] != "active" or (code["ends_at"] is not None and code["ends_at"] < db.now):
        raise Rejection.failed_precondition(f"Code {access_code_id!r} is revoked or has ended, not live.")
    if code["starts_at"] >= ends_at:
        raise Rejection.failed_precondition(
            f"Code {access_code_id!r} starts at {code['starts_at']}, not before {ends_at}."
        )
    db.update("access_code", access_code_id, ends_at=ends_at)
    return _code(db, access_code_id)


@tool(reads=["device"], writes=["access_code"], rejects=["NOT_FOUND", "FAILED_PRECONDITION"])
def revoke_access_codes(
    db: Database, access_code_ids: Annotated[list[str], "codes to revoke", Field(min_length=1, max_length=20)]
) -> AccessCodeList:
    """Revoke door codes at once.

    Requires: Every code has status active.

    status becomes revoked.
    """
    if len(set(access_code_ids)) < len(access_code_ids):
        raise Rejection.invalid_argument("The list names a code twice.")
    for code in [db.require("access_code", access_code_id) for access_code_id in access_code_ids]:
        if code["status"] != "active":
            raise Rejection.failed_precondition(f"Code {code['access_code_id']!r} is {code['status']}, not active.")
    for access_code_id in access_code_ids:
        db.update("access_code", access_code_id, status="revoked")
    return {
        "total": len(access_code_ids),
        "access_codes": [_code(db, access_code_id) for access_code_id in access_code_ids],
    }
