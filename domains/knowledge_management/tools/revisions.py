"""Revisions: writing, submitting, reviewing, and withdrawing changes to articles."""

from typing import Annotated, Literal

from runtime import Database, Date, Field, Rejection, Timestamp, TypedDict, add_days, tool


class Revision(TypedDict):
    revision_id: Annotated[str, "id of the revision"]
    article_id: Annotated[str, "article it changes"]
    article_title: Annotated[str, "title of the article"]
    author_id: Annotated[str, "member who wrote it"]
    author_name: Annotated[str, "name of the author"]
    reviewer_id: Annotated[str | None, "member who reviews it"]
    reviewer_name: Annotated[str | None, "name of the reviewer"]
    summary: Annotated[str, "what it changes"]
    size: Annotated[Literal["minor", "major"], "size of the change"]
    state: Annotated[
        Literal["draft", "in_review", "changes_requested", "approved", "withdrawn"], "state of the revision"
    ]
    created_at: Annotated[Timestamp, "when it was started"]
    submitted_at: Annotated[Timestamp | None, "when last submitted"]
    due_on: Annotated[Date | None, "day the review is due"]
    decided_at: Annotated[Timestamp | None, "when approved, returned, or withdrawn"]
    comment: Annotated[str | None, "reviewer's last comment"]


class RevisionList(TypedDict):
    revisions: Annotated[list[Revision], "revisions found"]
    total: Annotated[int, "revisions that match"]


def _revision(db, revision_id):
    return db.first(
        """
        SELECT revision_id, revision.article_id, title AS article_title, author_id, author.name AS author_name, reviewer_id,
            reviewer.name AS reviewer_name, summary, size, revision.state, revision.created_at, submitted_at, due_on,
            decided_at, comment
        FROM revision JOIN article ON article.article_id = revision.article_id
            JOIN member AS author ON author.member_id = author_id
            LEFT JOIN member AS reviewer ON reviewer.member_id = reviewer_id
        WHERE revision_id = ?
        """,
        revision_id,
    )


def _require_in_review(revision):
    if revision["state"] != "in_review":
        raise Rejection.failed_precondition(
            f"Revision {revision['revision_id']!r} is {revision['state']}, not in_review."
        )


@tool(reads=["member", "article", "revision"], rejects=["NOT_FOUND"])
def list_member_revisions(
    db: Database,
    member_id: Annotated[str, "member"],
    role: Annotated[Literal["author", "reviewer"], "the member's part in it"],
    state: Annotated[
        Literal["draft", "in_review", "changes_requested", "approved", "withdrawn"] | None, "state of the revision"
    ] = None,
    limit: Annotated[int, "most entries to return", Field(ge=1, le=50)] = 20,
) -> RevisionList:
    """List the revisions that a member wrote or reviews.

    Sorted by created_at, newest first.
    """
    db.require("member", member_id)
    revisions = db.select(
        """
        SELECT revision_id, revision.article_id, title AS article_title, author_id, author.name AS author_name, reviewer_id,
            reviewer.name AS reviewer_name, summary, size, revision.state, revision.created_at, submitted_at, due_on,
            decided_at, comment
        FROM revision JOIN article ON article.article_id = revision.article_id
            JOIN member AS author ON author.member_id = author_id
            LEFT JOIN member AS reviewer ON reviewer.member_id = reviewer_id
        WHERE CASE WHEN ? = 'author' THEN author_id ELSE reviewer_id END = ? AND (? IS NULL OR revision.state = ?)
        ORDER BY revision.created_at DESC, revision_id
        """,
        role,
        member_id,
        state,
        state,
    )
    return {"revisions": revisions[:limit], "total": len(revisions)}


@tool(reads=["member", "article"], writes=["revision"], rejects=["NOT_FOUND", "FAILED_PRECONDITION", "ALREADY_EXISTS"])
def start_revision(
    db: Database,
    article_id: Annotated[str, "the article"],
    member_id: Annotated[str, "member who writes it"],
    summary: Annotated[str, "what it changes", Field(min_length=1, max_length=200)],
    size: Annotated[Literal["minor", "major"], "size of the change"],
) -> Revision:
    """Start a change to an article as a draft revision.

    Requires: The article is not archived. The member has no unfinished revision of the article.

    The revision is a draft by the member, without a reviewer.
    """
    article = db.require("article", article_id)
    db.require("member", member_id)
    if article["state"] == "archived":
        raise Rejection.failed_precondition(f"Article {article_id!r} is archived and can no longer be changed.")
    unfinished = db.value(
        """
        SELECT revision_id FROM revision
        WHERE article_id = ? AND author_id = ? AND state IN ('draft', 'in_review', 'changes_requested')
        """,
        article_id,
        member_id,
    )
    if unfinished is not None:
        raise Rejection.already_exists(
            f"Member {member_id!r} has the unfinished revision {unfinished!r} of article {article_id!r}; go on with that one."
        )
    revision = db.insert(
        "revision",
        revision_id=db.new_id("revision"),
        article_id=article_id,
        author_id=member_id,
        summary=summary,
        size=size,
        state="draft",
        created_at=db.now,
    )
    return _revision(db, revision["revision_id"])


@tool(
    reads=["member", "article"], writes=["revision"], rejects=["INVALID_ARGUMENT", "NOT_FOUND", "FAILED_PRECONDITION"]
)
def submit_revision(
    db: Database,
    revision_id: Annotated[str, "the revision"],
    reviewer_id: Annotated[str, "member who will review it"],
    due_on: Annotated[Date, "day the review is due"],
) -> Revision:
    """Send a revision to a reviewer.

    Requires: due_on is today or later. The revision is a draft or has changes requested. The reviewer is not its
    author. No other revision of the article is in review.

    The revision becomes in_review; submitted_at is now, decided_at becomes null, the comment stays.
    """
    if due_on < db.today:
        raise Rejection.invalid_argument(f"A review is due on {db.today} or later, not on {due_on}.")
    revision = db.require("revision", revision_id)
    db.require("member", reviewer_id)
    if revision["state"] not in ("draft", "changes_requested"):
        raise Rejection.failed_precondition(
            f"Revision {revision_id!r} is {revision['state']}, not draft or changes_requested."
        )
    if reviewer_id == revision["author_id"]:
        raise Rejection.failed_precondition(
            f"Member {reviewer_id!r} wrote revision {revision_id!r}; choose another reviewer."
        )
    other = db.value(
        "SELECT revision_id FROM revision WHERE article_id = ? AND state = 'in_review'", revision["article_id"]
    )
    if other is not None:
        raise Rejection.failed_precondition(
            f"Revision {other!r} of the same article is in review; it must be decided first."
        )
    db.update(
        "revision",
        revision_id,
        state="in_review",
        reviewer_id=reviewer_id,
        due_on=due_on,
        submitted_at=db.now,
        decided_at=None,
    )
    return _revision(db, revision_id)


@tool(
    reads=["member", "article"], writes=["revision"], rejects=["INVALID_ARGUMENT", "NOT_FOUND", "FAILED_PRECONDITION"]
)
def reassign_review(
    db: Database,
    revision_id: Annotated[str, "the revision"],
    reviewer_id: Annotated[str, "new reviewer"],
    due_on: Annotated[Date | None, "new day the review is due"] = None,
) -> Revision:
    """Give a review to somebody else.

    Requires: due_on, if given, is today or later. The revision is in review. The new reviewer is neither its author nor
    its present reviewer.

    The reviewer changes; without due_on the due day stays; submitted_at stays.
    """
    if due_on is not None and due_on < db.today:
        raise Rejection.invalid_argument(f"A review is due on {db.today} or later, not on {due_on}.")
    revision = db.require("revision", revision_id)
    db.require("member", reviewer_id)
    _require_in_review(revision)
    if reviewer_id in (revision["author_id"], revision["reviewer_id"]):
        raise Rejection.failed_precondition(
            f"Member {reviewer_id!r} wrote or reviews revision {revision_id!r} already; choose somebody else."
        )
    db.update("revision", revision_id, reviewer_id=reviewer_id, due_on=revision["due_on"] if due_on is None else due_on)
    return _revision(db, revision_id)


@tool(reads=["member", "space"], writes=["article", "revision"], rejects=["NOT_FOUND", "FAILED_PRECONDITION"])
def approve_revision(db: Database, revision_id: Annotated[str, "the revision"]) -> Revision:
    """Approve a revision that is in review.

    Requires: The revision is in review.

    The revision becomes approved; decided_at is now. If it is major and its article is published, the article is
    verified: verified_on is today, review_due_on is the cycle day, postponements is 0.
    """
    revision = db.require("revision", revision_id)
    _require_in_review(revision)
    db.update("revision", revision_id, state="approved", decided_at=db.now)
    article = db.get("article", revision["article_id"])
    if revision["size"] == "major" and article["state"] == "published":
        cycle = db.get("space", article["space_id"])["review_cycle_days"]
        db.update(
            "article",
            article["article_id"],
            verified_on=db.today,
            review_due_on=add_days(db.today, cycle),
            postponements=0,
        )
    return _revision(db, revision_id)


@tool(reads=["member", "article"], writes=["revision"], rejects=["NOT_FOUND", "FAILED_PRECONDITION"])
def return_revision(
    db: Database,
    revision_id: Annotated[str, "the revision"],
    comment: Annotated[str, "what should change", Field(min_length=1, max_length=300)],
) -> Revision:
    """Send a revision back to its author with a comment.

    Requires: The revision is in review.

    The revision becomes changes_requested; decided_at is now, comment takes the text, the reviewer stays.
    """
    revision = db.require("revision", revision_id)
    _require_in_review(revision)
    db.update("revision", revision_id, state="changes_requested", decided_at=db.now, comment=comment)
    return _revision(db, revision_id)


@tool(reads=["member", "article"], writes=["revision"], rejects=["NOT_FOUND", "FAILED_PRECONDITION"])
def withdraw_revision(db: Database, revision_id: Annotated[str, "the revision"]) -> Revision:
    """Take back a revision that is not approved yet.

    Requires: The revision is unfinished.

    The revision becomes withdrawn; decided_at is now.
    """
    revision = db.require("revision", revision_id)
    if revision["state"] not in ("draft", "in_review", "changes_requested"):
        raise Rejection.failed_precondition(
            f"Revision {revision_id!r} is {revision['state']}; only an unfinished one can be withdrawn."
        )
    db.update("revision", revision_id, state="withdrawn", decided_at=db.now)
    return _revision(db, revision_id)
