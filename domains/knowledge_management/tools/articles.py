"""Articles: finding, starting, publishing, and moving articles."""

from typing import Annotated, Literal

from runtime import Database, Date, Field, Rejection, Timestamp, TypedDict, add_days, tool


class ArticleEntry(TypedDict):
    article_id: Annotated[str, "id of the article"]
    title: Annotated[str, "title"]
    space_name: Annotated[str, "name of its space"]
    kind: Annotated[Literal["how_to", "policy", "faq", "troubleshooting", "reference"], "kind of article"]
    state: Annotated[Literal["draft", "published", "archived"], "state of the article"]
    owner_name: Annotated[str, "name of the owner"]
    review_due_on: Annotated[Date | None, "day its next check is due"]


class ArticleList(TypedDict):
    articles: Annotated[list[ArticleEntry], "articles found or changed"]
    total: Annotated[int, "articles that match or changed"]


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


class Article(TypedDict):
    article_id: Annotated[str, "id of the article"]
    title: Annotated[str, "title"]
    space_id: Annotated[str, "space it stands in"]
    space_name: Annotated[str, "name of its space"]
    owner_id: Annotated[str, "member who owns it"]
    owner_name: Annotated[str, "name of the owner"]
    kind: Annotated[Literal["how_to", "policy", "faq", "troubleshooting", "reference"], "kind of article"]
    state: Annotated[Literal["draft", "published", "archived"], "state of the article"]
    monthly_views: Annotated[int, "views in the last 30 days"]
    created_at: Annotated[Timestamp, "when it was created"]
    published_at: Annotated[Timestamp | None, "when it was published"]
    verified_on: Annotated[Date | None, "day it was last verified"]
    review_due_on: Annotated[Date | None, "day its next check is due"]
    postponements: Annotated[int, "postponements since the last check"]
    archived_at: Annotated[Timestamp | None, "when it was archived"]
    archive_reason: Annotated[Literal["outdated", "duplicate", "replaced"] | None, "why it was archived"]
    replacement_id: Annotated[str | None, "article that stands in for it"]
    revisions: Annotated[list[Revision], "all its revisions"]


def _article(db, article_id):
    article = db.first(
        """
        SELECT article_id, title, article.space_id, space.name AS space_name, owner_id, member.name AS owner_name, kind, state,
            monthly_views, created_at, published_at, verified_on, review_due_on, postponements, archived_at, archive_reason,
            replacement_id
        FROM article JOIN space ON space.space_id = article.space_id JOIN member ON member_id = owner_id
        WHERE article_id = ?
        """,
        article_id,
    )
    article["revisions"] = db.select(
        """
        SELECT revision_id, revision.article_id, title AS article_title, author_id, author.name AS author_name, reviewer_id,
            reviewer.name AS reviewer_name, summary, size, revision.state, revision.created_at, submitted_at, due_on,
            decided_at, comment
        FROM revision JOIN article ON article.article_id = revision.article_id
            JOIN member AS author ON author.member_id = author_id
            LEFT JOIN member AS reviewer ON reviewer.member_id = reviewer_id
        WHERE revision.article_id = ? ORDER BY revision_id
        """,
        article_id,
    )
    return article


def _require_no_review(db, article_id):
    if (
        db.value("SELECT revision_id FROM revision WHERE article_id = ? AND state = 'in_review'", article_id)
        is not None
    ):
        raise Rejection.failed_precondition(
            f"Article {article_id!r} has a revision in review; it must be decided first."
        )


def _cycle_day(db, space_id):
    return add_days(db.today, db.get("space", space_id)["review_cycle_days"])


def _require_free_title(db, space_id, title):
    taken = db.value(
        "SELECT article_id FROM article WHERE space_id = ? AND lower(title) = lower(?) AND state <> 'archived'",
        space_id,
        title,
    )
    if taken is not None:
        raise Rejection.already_exists(f"Space {space_id!r} has the article {title!r} already; choose another title.")


@tool(reads=["member", "space", "article"], rejects=["NOT_FOUND"])
def search_articles(
    db: Database,
    text: Annotated[str | None, "part of the title", Field(min_length=1)] = None,
    member_id: Annotated[str | None, "member who owns it"] = None,
    space_id: Annotated[str | None, "space it stands in"] = None,
    kind: Annotated[
        Literal["how_to", "policy", "faq", "troubleshooting", "reference"] | None, "kind of article"
    ] = None,
    state: Annotated[Literal["draft", "published", "archived"] | None, "state of the article"] = None,
    overdue: Annotated[bool, "true for overdue only"] = False,
    limit: Annotated[int, "most entries to return", Field(ge=1, le=50)] = 20,
) -> ArticleList:
    """Search articles by words, owner, space, kind, or state.

    text keeps articles whose title contains it; overdue true keeps overdue ones, false keeps all. Sorted by title.
    """
    if member_id is not None:
        db.require("member", member_id)
    if space_id is not None:
        db.require("space", space_id)
    articles = db.select(
        """
        SELECT article_id, title, space.name AS space_name, kind, state, member.name AS owner_name, review_due_on
        FROM article JOIN space ON space.space_id = article.space_id JOIN member ON member_id = owner_id
        WHERE (? IS NULL OR instr(lower(title), lower(?)) > 0) AND (? IS NULL OR owner_id = ?)
            AND (? IS NULL OR article.space_id = ?) AND (? IS NULL OR kind = ?) AND (? IS NULL OR state = ?)
            AND (NOT ? OR state = 'published' AND review_due_on < ?)
        ORDER BY title, article_id
        """,
        text,
        text,
        member_id,
        member_id,
        space_id,
        space_id,
        kind,
        kind,
        state,
        state,
        int(overdue),
        db.today,
    )
    return {"articles": articles[:limit], "total": len(articles)}


@tool(reads=["member", "space", "article", "revision"], rejects=["NOT_FOUND"])
def get_article(db: Database, article_id: Annotated[str, "the article"]) -> Article:
    """Show one article with all its revisions."""
    db.require("article", article_id)
    return _article(db, article_id)


@tool(reads=["member", "space", "revision"], writes=["article"], rejects=["NOT_FOUND", "ALREADY_EXISTS"])
def create_article(
    db: Database,
    member_id: Annotated[str, "member who will own it"],
    space_id: Annotated[str, "space it stands in"],
    title: Annotated[str, "title", Field(min_length=1, max_length=120)],
    kind: Annotated[Literal["how_to", "policy", "faq", "troubleshooting", "reference"], "kind of article"],
) -> Article:
    """Start a new article as a draft.

    Requires: No draft or published article in the space has this title, in any case of letters.

    The article is a draft with 0 monthly_views and 0 postponements; it has no revision yet.
    """
    db.require("member", member_id)
    db.require("space", space_id)
    _require_free_title(db, space_id, title)
    article = db.insert(
        "article",
        article_id=db.new_id("article"),
        space_id=space_id,
        owner_id=member_id,
        title=title,
        kind=kind,
        state="draft",
        created_at=db.now,
    )
    return _article(db, article["article_id"])


@tool(reads=["member", "space", "revision"], writes=["article"], rejects=["NOT_FOUND", "FAILED_PRECONDITION"])
def publish_article(db: Database, article_id: Annotated[str, "the article"]) -> Article:
    """Publish a draft that has passed review.

    Requires: The article is a draft. At least one of its revisions is approved. None of its revisions is in review.

    The article becomes published; published_at is now, verified_on is today, review_due_on is the cycle day.
    """
    article = db.require("article", article_id)
    if article["state"] != "draft":
        raise Rejection.failed_precondition(f"Article {article_id!r} is {article['state']}, not draft.")
    if db.value("SELECT revision_id FROM revision WHERE article_id = ? AND state = 'approved'", article_id) is None:
        raise Rejection.failed_precondition(
            f"Article {article_id!r} has no approved revision; one must be approved first."
        )
    _require_no_review(db, article_id)
    db.update(
        "article",
        article_id,
        state="published",
        published_at=db.now,
        verified_on=db.today,
        review_due_on=_cycle_day(db, article["space_id"]),
    )
    return _article(db, article_id)


@tool(
    reads=["member", "space", "revision"],
    writes=["article"],
    rejects=["NOT_FOUND", "FAILED_PRECONDITION", "ALREADY_EXISTS"],
)
def move_article(
    db: Database, article_id: Annotated[str, "the article"], space_id: Annotated[str, "space to move it to"]
) -> Article:
    """Move an article to another space.

    Requires: The article is not archived and stands in another space. None of its revisions is in review. No draft or
    published article in the new space has its title, in any case of letters.

    A published article's review_due_on becomes the earlier of its present one and the cycle day of the new space.
    """
    article = db.require("article", article_id)
    db.require("space", space_id)
    if article["state"] == "archived":
        raise Rejection.failed_precondition(f"Article {article_id!r} is archived and can no longer move.")
    if article["space_id"] == space_id:
        raise Rejection.failed_precondition(
            f"Article {article_id!r} stands in space {space_id!r} already; choose another one."
        )
    _require_no_review(db, article_id)
    _require_free_title(db, space_id, article["title"])
    due = article["review_due_on"]
    if article["state"] == "published":
        due = min(due, _cycle_day(db, space_id))
    db.update("article", article_id, space_id=space_id, review_due_on=due)
    return _article(db, article_id)
