"""Directory: finding and correcting members, listing, freezing, and reporting on spaces."""

from typing import Annotated, Literal

from runtime import Database, Date, Field, Rejection, TypedDict, tool


class Member(TypedDict):
    member_id: Annotated[str, "id of the member"]
    name: Annotated[str, "full name"]
    email: Annotated[str, "work email"]
    phone: Annotated[str, "work phone"]
    badge_number: Annotated[str, "number on the badge"]
    team: Annotated[str, "team in the company"]
    level: Annotated[Literal["reader", "contributor", "expert"], "standing in the knowledge base"]
    joined_on: Annotated[Date, "first day in the knowledge base"]


class Workload(TypedDict):
    member_id: Annotated[str, "id of the member"]
    level: Annotated[Literal["reader", "contributor", "expert"], "standing in the knowledge base"]
    published_articles: Annotated[int, "published articles owned"]
    overdue_articles: Annotated[int, "overdue articles owned"]
    reviews_waiting: Annotated[int, "revisions in review with them"]
    unfinished_requests: Annotated[int, "unfinished requests they asked"]
    claimed_requests: Annotated[int, "claimed requests they work on"]
    quarter_hours: Annotated[int, "hours asked for this quarter"]


class Space(TypedDict):
    space_id: Annotated[str, "id of the space"]
    name: Annotated[str, "name of the space"]
    sensitivity: Annotated[Literal["open", "internal", "restricted"], "how closed it is"]
    steward_id: Annotated[str, "member who runs it"]
    steward_name: Annotated[str, "name of the steward"]
    review_cycle_days: Annotated[int, "days between checks of an article"]
    frozen_until: Annotated[Date | None, "last day of the freeze"]


class SpaceList(TypedDict):
    spaces: Annotated[list[Space], "spaces found"]
    total: Annotated[int, "spaces that match"]


class SpaceReport(TypedDict):
    space_id: Annotated[str, "id of the space"]
    name: Annotated[str, "name of the space"]
    drafts: Annotated[int, "articles in draft"]
    published: Annotated[int, "published articles"]
    overdue: Annotated[int, "overdue articles"]
    overdue_percent: Annotated[float, "overdue share of the published"]
    unfinished_requests: Annotated[int, "unfinished requests"]
    average_rating: Annotated[float, "average rating of its requests"]


def _space(db, space_id):
    return db.first(
        """
        SELECT space_id, space.name, sensitivity, steward_id, member.name AS steward_name, review_cycle_days, frozen_until
        FROM space JOIN member ON member_id = steward_id WHERE space_id = ?
        """,
        space_id,
    )


@tool(reads=["member"], rejects=["NOT_FOUND"])
def find_member_by_email(db: Database, email: Annotated[str, "work email", Field(min_length=1)]) -> Member:
    """Find the member with this work email."""
    member = db.first("SELECT * FROM member WHERE lower(email) = lower(?) ORDER BY member_id", email)
    if member is None:
        raise Rejection.not_found(f"No member has the email {email!r}.")
    return member


@tool(reads=["member"], rejects=["NOT_FOUND"])
def find_member_by_badge(
    db: Database, badge_number: Annotated[str, "number on the badge", Field(min_length=1)]
) -> Member:
    """Find the member with this badge number."""
    member = db.first("SELECT * FROM member WHERE badge_number = ?", badge_number)
    if member is None:
        raise Rejection.not_found(f"No member has the badge number {badge_number!r}.")
    return member


@tool(writes=["member"], rejects=["INVALID_ARGUMENT", "NOT_FOUND", "ALREADY_EXISTS"])
def update_member(
    db: Database,
    member_id: Annotated[str, "member to correct"],
    email: Annotated[str | None, "new work email", Field(min_length=3)] = None,
    phone: Annotated[str | None, "new work phone", Field(min_length=1)] = None,
    team: Annotated[str | None, "new team", Field(min_length=1)] = None,
) -> Member:
    """Correct a member's email, phone, or team.

    Requires: At least one of email, phone, and team is given. No other member has the new email, in any case of
    letters.

    The given fields take their new values.
    """
    given = {"email": email, "phone": phone, "team": team}
    changes = {column: value for column, value in given.items() if value is not None}
    if not changes:
        raise Rejection.invalid_argument("Give at least one of email, phone, and team.")
    db.require("member", member_id)
    if email is not None:
        taken = db.first(
            "SELECT member_id FROM member WHERE lower(email) = lower(?) AND member_id <> ?", email, member_id
        )
        if taken is not None:
            raise Rejection.already_exists(f"The email {email!r} belongs to member {taken['member_id']!r} already.")
    return db.update("member", member_id, **changes)


@tool(reads=["member", "article", "revision", "request"], rejects=["NOT_FOUND"])
def get_workload(db: Database, member_id: Annotated[str, "member"]) -> Workload:
    """Show what a member has on their plate: articles, reviews, requests, and hours.

    reviews_waiting counts revisions in review whose reviewer is the member. quarter_hours is the member's hours this
    quarter as the conventions define them.
    """
    member = db.require("member", member_id)
    articles = db.first(
        """
        SELECT count(*) AS published, coalesce(sum(review_due_on < ?), 0) AS overdue
        FROM article WHERE owner_id = ? AND state = 'published'
        """,
        db.today,
        member_id,
    )
    requests = db.first(
        """
        SELECT coalesce(sum(state IN ('new', 'claimed')), 0) AS unfinished,
            coalesce(sum(CASE WHEN state <> 'withdrawn' AND created_at >= '2026-04-01' THEN estimated_hours END), 0) AS hours
        FROM request WHERE asker_id = ?
        """,
        member_id,
    )
    return {
        "member_id": member_id,
        "level": member["level"],
        "published_articles": articles["published"],
        "overdue_articles": articles["overdue"],
        "reviews_waiting": db.value(
            "SELECT count(*) FROM revision WHERE reviewer_id = ? AND state = 'in_review'", member_id
        ),
        "unfinished_requests": requests["unfinished"],
        "claimed_requests": db.value(
            "SELECT count(*) FROM request WHERE assignee_id = ? AND state = 'claimed'", member_id
        ),
        "quarter_hours": requests["hours"],
    }


@tool(reads=["member", "space"], rejects=["NOT_FOUND"])
def list_spaces(
    db: Database,
    name: Annotated[str | None, "part of the name", Field(min_length=1)] = None,
    sensitivity: Annotated[Literal["open", "internal", "restricted"] | None, "how closed it is"] = None,
    member_id: Annotated[str | None, "member who runs it"] = None,
    limit: Annotated[int, "most entries to return", Field(ge=1, le=50)] = 20,
) -> SpaceList:
    """List the spaces of the knowledge base.

    name keeps spaces whose name contains it; member_id keeps spaces whose steward it is. Sorted by name.
    """
    if member_id is not None:
        db.require("member", member_id)
    spaces = db.select(
        """
        SELECT space_id, space.name, sensitivity, steward_id, member.name AS steward_name, review_cycle_days, frozen_until
        FROM space JOIN member ON member_id = steward_id
        WHERE (? IS NULL OR instr(lower(space.name), lower(?)) > 0)
            AND (? IS NULL OR sensitivity = ?) AND (? IS NULL OR steward_id = ?)
        ORDER BY space.name, space_id
        """,
        name,
        name,
        sensitivity,
        sensitivity,
        member_id,
        member_id,
    )
    return {"spaces": spaces[:limit], "total": len(spaces)}


@tool(reads=["member"], writes=["space"], rejects=["INVALID_ARGUMENT", "NOT_FOUND", "FAILED_PRECONDITION"])
def freeze_space(
    db: Database, space_id: Annotated[str, "the space"], frozen_until: Annotated[Date, "last day of the freeze"]
) -> Space:
    """Put a content freeze on a space, or make a running one longer.

    Requires: frozen_until is today or later. The space has no frozen_until on or after the new one.

    frozen_until takes the given day.
    """
    if frozen_until < db.today:
        raise Rejection.invalid_argument(f"The last day of a freeze is {db.today} or later, not {frozen_until}.")
    space = db.require("space", space_id)
    if space["frozen_until"] is not None and space["frozen_until"] >= frozen_until:
        raise Rejection.failed_precondition(
            f"Space {space_id!r} is frozen through {space['frozen_until']}; give a later day."
        )
    db.update("space", space_id, frozen_until=frozen_until)
    return _space(db, space_id)


@tool(reads=["space", "article", "request"], rejects=["NOT_FOUND"])
def report_space(db: Database, space_id: Annotated[str, "the space"]) -> SpaceReport:
    """Report the health of one space.

    overdue_percent is overdue times 100 divided by published. average_rating is over the space's requests that have a
    rating.
    """
    space = db.require("space", space_id)
    articles = db.first(
        """
        SELECT coalesce(sum(state = 'draft'), 0) AS drafts, coalesce(sum(state = 'published'), 0) AS published,
            coalesce(sum(state = 'published' AND review_due_on < ?), 0) AS overdue
        FROM article WHERE space_id = ?
        """,
        db.today,
        space_id,
    )
    requests = db.first(
        """
        SELECT coalesce(sum(state IN ('new', 'claimed')), 0) AS unfinished, coalesce(sum(rating), 0) AS stars, count(rating) AS rated
        FROM request WHERE space_id = ?
        """,
        space_id,
    )
    published, overdue = articles["published"], articles["overdue"]
    return {
        "space_id": space_id,
        "name": space["name"],
        "drafts": articles["drafts"],
        "published": published,
        "overdue": overdue,
        "overdue_percent": round(overdue * 100 / published, 2) if published else 0.0,
        "unfinished_requests": requests["unfinished"],
        "average_rating": round(requests["stars"] / requests["rated"], 2) if requests["rated"] else 0.0,
    }
