"""Upkeep: verifying, postponing, handing over, and archiving articles."""

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


def _require_published(article):
    if article["state"] != "published":
        raise Rejection.failed_precondition(f"Article {article['article_id']!r} is {article['state']}, not published.")


@tool(reads=["member", "space", "revision"], writes=["article"], rejects=["NOT_FOUND", "FAILED_PRECONDITION"])
def verify_article(db: Database, article_id: Annotated[str, "the article"]) -> Article:
    """Confirm that a published article is still right.

    Requires: The article is published. None of its revisions is in review.

    verified_on is today, review_due_on is the cycle day, postponements is 0.
    """
    article = db.require("article", article_id)
    _require_published(article)
    _require_no_review(db, article_id)
    db.update(
        "article",
        article_id,
        verified_on=db.today,
        review_due_on=_cycle_day(db, article["space_id"]),
        postponements=0,
    )
    return _article(db, article_id)


@tool(
    reads=["member", "space", "revision"],
    writes=["article"],
    rejects=["INVALID_ARGUMENT", "NOT_FOUND", "FAILED_PRECONDITION"],
)
def postpone_check(
    db: Database, article_id: Annotated[str, "the article"], review_due_on: Annotated[Date, "new day the check is due"]
) -> Article:
    """Put off the next check of a published article.

    Requires: review_due_on is after today. The article is published. The new day is later than its present
    review_due_on.

    review_due_on takes the given day; postponements goes up by 1.
    """
    if review_due_on <= db.today:
        raise Rejection.invalid_argument(f"The new day of the check is after {db.today}, not {review_due_on}.")
    article = db.require("article", article_id)
    _require_published(article)
    if review_due_on <= article["review_due_on"]:
        raise Rejection.failed_precondition(
            f"The check of article {article_id!r} is due on {article['review_due_on']}; give a later day than that."
        )
    db.update("article", article_id, review_due_on=review_due_on, postponements=article["postponements"] + 1)
    return _article(db, article_id)


@tool(reads=["member", "space"], writes=["article"], rejects=["NOT_FOUND", "FAILED_PRECONDITION"])
def transfer_articles(
    db: Database,
    article_ids: Annotated[list[str], "articles to hand over", Field(min_length=1, max_length=20)],
    member_id: Annotated[str, "new owner"],
) -> ArticleList:
    """Hand one or more articles to a new owner.

    Requires: None of the articles is archived. The new owner owns none of them yet.

    The owner of each becomes the member; total is how many were handed over.
    """
    if len(set(article_ids)) < len(article_ids):
        raise Rejection.invalid_argument("Give each article only once.")
    articles = [db.require("article", article_id) for article_id in article_ids]
    db.require("member", member_id)
    for article in articles:
        if article["state"] == "archived":
            raise Rejection.failed_precondition(
                f"Article {article['article_id']!r} is archived and can no longer be handed over."
            )
    for article in articles:
        if article["owner_id"] == member_id:
            raise Rejection.failed_precondition(f"Member {member_id!r} owns article {article['article_id']!r} already.")
    for article_id in article_ids:
        db.update("article", article_id, owner_id=member_id)
    entries = [
        db.first(
            """
            SELECT article_id, title, space.name AS space_name, kind, state, member.name AS owner_name, review_due_on
            FROM article JOIN space ON space.space_id = article.space_id JOIN member ON member_id = owner_id
            WHERE article_id = ?
            """,
            article_id,
        )
        for article_id in article_ids
    ]
    return {"articles": entries, "total": len(entries)}


@tool(
    reads=["member", "space", "revision"],
    writes=["article"],
    rejects=["INVALID_ARGUMENT", "NOT_FOUND", "FAILED_PRECONDITION"],
)
def archive_article(
    db: Database,
    article_id: Annotated[str, "the article"],
    reason: Annotated[Literal["outdated", "duplicate", "replaced"], "why it goes"],
    replacement_id: Annotated[str | None, "article that stands in for it"] = None,
) -> Article:
    """Take a published article out of use.

    Requires: replacement_id is given if the reason is duplicate or replaced, and left out if it is outdated. The
    replacement is not the article itself. The article is published. It has no unfinished revision. The replacement, if
    given, is published.

    The article becomes archived; archived_at is now, archive_reason is the reason, replacement_id is as given,
    review_due_on is null.
    """
    if (replacement_id is None) != (reason == "outdated"):
        raise Rejection.invalid_argument(
            f"Give a replacement for a duplicate or replaced article, and none for an outdated one, not {replacement_id!r} for {reason}."
        )
    if replacement_id == article_id:
        raise Rejection.invalid_argument(f"Article {article_id!r} cannot replace itself; give another article.")
    article = db.require("article", article_id)
    replacement = None if replacement_id is None else db.require("article", replacement_id)
    _require_published(article)
    unfinished = db.value(
        "SELECT revision_id FROM revision WHERE article_id = ? AND state IN ('draft', 'in_review', 'changes_requested')",
        article_id,
    )
    if unfinished is not None:
        raise Rejection.failed_precondition(
            f"Article {article_id!r} has the unfinished revision {unfinished!r}; finish or withdraw it first."
        )
    if replacement is not None:
        _require_published(replacement)
    db.update(
        "article",
        article_id,
        state="archived",
        archived_at=db.now,
        archive_reason=reason,
        replacement_id=replacement_id,
        review_due_on=None,
    )
    return _article(db, article_id)
