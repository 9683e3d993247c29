"""Requests: asking for answers and research, taking requests on, answering, rating, and charging."""

from typing import Annotated, Literal

from runtime import Database, Date, Field, Rejection, Timestamp, TypedDict, tool


class Request(TypedDict):
    request_id: Annotated[str, "id of the request"]
    title: Annotated[str, "what is asked for"]
    kind: Annotated[Literal["question", "new_article", "correction", "research"], "kind of request"]
    space_id: Annotated[str, "space it belongs to"]
    space_name: Annotated[str, "name of the space"]
    asker_id: Annotated[str, "member who asks"]
    asker_name: Annotated[str, "name of the asker"]
    assignee_id: Annotated[str | None, "member who works on it"]
    assignee_name: Annotated[str | None, "name of the assignee"]
    state: Annotated[Literal["new", "claimed", "answered", "withdrawn"], "state of the request"]
    needed_by: Annotated[Date, "day the answer is needed"]
    estimated_hours: Annotated[int, "hours of work expected"]
    rush: Annotated[bool, "true if it jumps the line"]
    created_at: Annotated[Timestamp, "when it was asked"]
    claimed_at: Annotated[Timestamp | None, "when it was claimed"]
    closed_at: Annotated[Timestamp | None, "when answered or withdrawn"]
    article_id: Annotated[str | None, "article that answers it"]
    rating: Annotated[int | None, "asker's rating, 1 to 5"]
    fee_cents: Annotated[int, "fees charged so far"]
    fee_reason: Annotated[Literal["rush", "late_withdrawal", "extra_hours"] | None, "reason of the last fee"]


class RequestList(TypedDict):
    requests: Annotated[list[Request], "requests found or changed"]
    total: Annotated[int, "requests that match or changed"]


def _request(db, request_id):
    request = db.first(
        """
        SELECT request_id, request.title, request.kind, request.space_id, space.name AS space_name, asker_id,
            asker.name AS asker_name, assignee_id, assignee.name AS assignee_name, request.state, needed_by, estimated_hours,
            rush, created_at, claimed_at, closed_at, article_id, rating, fee_cents, fee_reason
        FROM request JOIN space ON space.space_id = request.space_id
            JOIN member AS asker ON asker.member_id = asker_id
            LEFT JOIN member AS assignee ON assignee.member_id = assignee_id
        WHERE request_id = ?
        """,
        request_id,
    )
    request["rush"] = bool(request["rush"])
    return request


def _require_unfinished(request):
    if request["state"] not in ("new", "claimed"):
        raise Rejection.failed_precondition(
            f"Request {request['request_id']!r} is {request['state']}, not new or claimed."
        )


def _require_claimed(request):
    if request["state"] != "claimed":
        raise Rejection.failed_precondition(f"Request {request['request_id']!r} is {request['state']}, not claimed.")


@tool(reads=["member", "space", "request"], rejects=["NOT_FOUND"])
def list_requests(
    db: Database,
    member_id: Annotated[str | None, "member"] = None,
    role: Annotated[Literal["asker", "assignee"], "the member's part in it"] = "asker",
    space_id: Annotated[str | None, "space it belongs to"] = None,
    state: Annotated[Literal["new", "claimed", "answered", "withdrawn"] | None, "state of the request"] = None,
    limit: Annotated[int, "most entries to return", Field(ge=1, le=50)] = 20,
) -> RequestList:
    """List requests by member, space, or state.

    member_id keeps requests in which the member has that role; without member_id role does nothing. Sorted by
    created_at, newest first.
    """
    if member_id is not None:
        db.require("member", member_id)
    if space_id is not None:
        db.require("space", space_id)
    found = db.select(
        """
        SELECT request_id FROM request
        WHERE (? IS NULL OR CASE WHEN ? = 'asker' THEN asker_id ELSE assignee_id END = ?)
            AND (? IS NULL OR space_id = ?) AND (? IS NULL OR state = ?)
        ORDER BY created_at DESC, request_id
        """,
        member_id,
        role,
        member_id,
        space_id,
        space_id,
        state,
        state,
    )
    return {"requests": [_request(db, row["request_id"]) for row in found[:limit]], "total": len(found)}


@tool(reads=["member", "space"], writes=["request"], rejects=["INVALID_ARGUMENT", "NOT_FOUND", "ALREADY_EXISTS"])
def create_request(
    db: Database,
    member_id: Annotated[str, "member who asks"],
    space_id: Annotated[str, "space it belongs to"],
    kind: Annotated[Literal["question", "new_article", "correction", "research"], "kind of request"],
    title: Annotated[str, "what is asked for", Field(min_length=1, max_length=120)],
    needed_by: Annotated[Date, "day the answer is needed"],
    estimated_hours: Annotated[int, "hours of work expected", Field(ge=1, le=40)],
    rush: Annotated[bool, "true if it jumps the line"] = False,
) -> Request:
    """Ask the knowledge team for an answer, an article, a correction, or research.

    Requires: needed_by is today or later. The member has no unfinished request with this title in the space.

    The request is new, without an assignee, with 0 fee_cents.
    """
    if needed_by < db.today:
        raise Rejection.invalid_argument(f"An answer is needed on {db.today} or later, not on {needed_by}.")
    db.require("member", member_id)
    db.require("space", space_id)
    unfinished = db.value(
        "SELECT request_id FROM request WHERE asker_id = ? AND space_id = ? AND title = ? AND state IN ('new', 'claimed')",
        member_id,
        space_id,
        title,
    )
    if unfinished is not None:
        raise Rejection.already_exists(
            f"Member {member_id!r} has the unfinished request {unfinished!r} with this title in the space already."
        )
    request = db.insert(
        "request",
        request_id=db.new_id("request"),
        space_id=space_id,
        asker_id=member_id,
        kind=kind,
        title=title,
        state="new",
        needed_by=needed_by,
        estimated_hours=estimated_hours,
        rush=int(rush),
        created_at=db.now,
    )
    return _request(db, request["request_id"])


@tool(reads=["member", "space"], writes=["request"], rejects=["INVALID_ARGUMENT", "NOT_FOUND", "FAILED_PRECONDITION"])
def update_request(
    db: Database,
    request_id: Annotated[str, "the request"],
    needed_by: Annotated[Date | None, "new day it is needed"] = None,
    estimated_hours: Annotated[int | None, "new hours of work", Field(ge=1, le=40)] = None,
    rush: Annotated[bool | None, "true if it jumps the line"] = None,
) -> Request:
    """Change the due day, the hours, or the rush of a request.

    Requires: At least one of needed_by, estimated_hours, and rush is given. needed_by, if given, is today or later. The
    request is unfinished.

    The given fields take their new values.
    """
    if needed_by is None and estimated_hours is None and rush is None:
        raise Rejection.invalid_argument("Give at least one of needed_by, estimated_hours, and rush.")
    if needed_by is not None and needed_by < db.today:
        raise Rejection.invalid_argument(f"An answer is needed on {db.today} or later, not on {needed_by}.")
    request = db.require("request", request_id)
    _require_unfinished(request)
    db.update(
        "request",
        request_id,
        needed_by=request["needed_by"] if needed_by is None else needed_by,
        estimated_hours=request["estimated_hours"] if estimated_hours is None else estimated_hours,
        rush=request["rush"] if rush is None else int(rush),
    )
    return _request(db, request_id)


@tool(reads=["member", "space"], writes=["request"], rejects=["NOT_FOUND", "FAILED_PRECONDITION"])
def claim_request(
    db: Database, request_id: Annotated[str, "the request"], member_id: Annotated[str, "member who takes it on"]
) -> Request:
    """Let a member take on a new request.

    Requires: The request is new. The member is not its asker.

    The request becomes claimed; the member is its assignee, claimed_at is now.
    """
    request = db.require("request", request_id)
    db.require("member", member_id)
    if request["state"] != "new":
        raise Rejection.failed_precondition(f"Request {request_id!r} is {request['state']}, not new.")
    if request["asker_id"] == member_id:
        raise Rejection.failed_precondition(
            f"Member {member_id!r} asked request {request_id!r}; somebody else must take it on."
        )
    db.update("request", request_id, state="claimed", assignee_id=member_id, claimed_at=db.now)
    return _request(db, request_id)


@tool(reads=["member", "space"], writes=["request"], rejects=["NOT_FOUND", "FAILED_PRECONDITION"])
def release_request(db: Database, request_id: Annotated[str, "the request"]) -> Request:
    """Put a claimed request back for others to take.

    Requires: The request is claimed.

    The request becomes new; assignee and claimed_at become null.
    """
    _require_claimed(db.require("request", request_id))
    db.update("request", request_id, state="new", assignee_id=None, claimed_at=None)
    return _request(db, request_id)


@tool(reads=["member", "space", "article"], writes=["request"], rejects=["NOT_FOUND", "FAILED_PRECONDITION"])
def answer_request(
    db: Database, request_id: Annotated[str, "the request"], article_id: Annotated[str, "article that answers it"]
) -> Request:
    """Answer a claimed request with a published article.

    Requires: The request is claimed. The article is published and stands in the request's space.

    The request becomes answered; closed_at is now, article_id is the article.
    """
    request = db.require("request", request_id)
    article = db.require("article", article_id)
    _require_claimed(request)
    if article["state"] != "published" or article["space_id"] != request["space_id"]:
        raise Rejection.failed_precondition(
            f"Article {article_id!r} is {article['state']} in space {article['space_id']!r}, not published in space {request['space_id']!r}."
        )
    db.update("request", request_id, state="answered", closed_at=db.now, article_id=article_id)
    return _request(db, request_id)


@tool(reads=["member", "space"], writes=["request"], rejects=["NOT_FOUND", "FAILED_PRECONDITION"])
def withdraw_requests(
    db: Database, request_ids: Annotated[list[str], "requests to take back", Field(min_length=1, max_length=20)]
) -> RequestList:
    """Take back one or more requests.

    Requires: Every request is unfinished.

    Each becomes withdrawn; closed_at is now; assignee and claimed_at stay. total is how many were withdrawn.
    """
    if len(set(request_ids)) < len(request_ids):
        raise Rejection.invalid_argument("Give each request only once.")
    requests = [db.require("request", request_id) for request_id in request_ids]
    for request in requests:
        _require_unfinished(request)
    for request_id in request_ids:
        db.update("request", request_id, state="withdrawn", closed_at=db.now)
    return {"requests": [_request(db, request_id) for request_id in request_ids], "total": len(request_ids)}


@tool(reads=["member", "space"], writes=["request"], rejects=["NOT_FOUND", "FAILED_PRECONDITION"])
def rate_answer(
    db: Database,
    request_id: Annotated[str, "the request"],
    rating: Annotated[int, "1 is poor, 5 is great", Field(ge=1, le=5)],
) -> Request:
    """Rate the answer to a request.

    Requires: The request is answered. It has no rating yet.

    rating takes the value.
    """
    request = db.require("request", request_id)
    if request["state"] != "answered":
        raise Rejection.failed_precondition(f"Request {request_id!r} is {request['state']}, not answered.")
    if request["rating"] is not None:
        raise Rejection.failed_precondition(f"Request {request_id!r} has the rating {request['rating']} already.")
    db.update("request", request_id, rating=rating)
    return _request(db, request_id)


@tool(reads=["member", "space"], writes=["request"], rejects=["NOT_FOUND"])
def charge_request(
    db: Database,
    request_id: Annotated[str, "the request"],
    amount_cents: Annotated[int, "fee in cents", Field(ge=1)],
    reason: Annotated[Literal["rush", "late_withdrawal", "extra_hours"], "why it is charged"],
) -> Request:
    """Charge a fee for a request to the asker's team.

    fee_cents goes up by amount_cents; fee_reason is the reason; the state does not matter and stays.
    """
    request = db.require("request", request_id)
    db.update("request", request_id, fee_cents=request["fee_cents"] + amount_cents, fee_reason=reason)
    return _request(db, request_id)
