"""Rules of the knowledge base that its tools do not enforce."""

from runtime import Database, add_days, days_between
from runtime.rules import Call, allows, duty, rule


def _by_level(now, member_id, reader, contributor, expert):
    level = now.require("member", member_id)["level"]
    return {"reader": reader, "contributor": contributor, "expert": expert}[level]


def _quarter_start(now, months):
    month = int(now.today.split("-")[1])
    return now.value("SELECT date(?, 'start of month', ?)", now.today, f"-{(month - 1) % months} months")


@rule(
    "QUARTER_HOURS",
    on={"create_request": None, "update_request": "request_id"},
    reads=["member", "request"],
    months=3,
    reader_hours=4,
    contributor_hours=6,
    expert_hours=10,
)
def quarter_hours(
    call: Call,
    now: Database,
    start: Database,
    months: int,
    reader_hours: int,
    contributor_hours: int,
    expert_hours: int,
) -> bool:
    """In a quarter ({months} months, the first starts in January) a reader can ask for {reader_hours} hours of work, a
    contributor for {contributor_hours}, an expert for {expert_hours}. Add up the expected hours of all requests
    they asked this quarter, finished ones too, withdrawn ones not, with the new request or the raised hours.
    Reaching the limit exactly is fine. Lowering hours, or changing a request from an earlier quarter, is always
    fine."""
    hours = call.arguments["estimated_hours"]
    since = _quarter_start(now, months)
    if call.tool == "create_request":
        member_id, before = call.arguments["member_id"], 0
    else:
        request = now.require("request", call.arguments["request_id"])
        member_id, before = request["asker_id"], request["estimated_hours"]
        if hours is None or hours <= before or request["created_at"] < since:
            return True
    asked = now.value(
        """
        SELECT coalesce(sum(estimated_hours), 0) FROM request
        WHERE asker_id = ? AND state <> 'withdrawn' AND created_at >= ?
        """,
        member_id,
        since,
    )
    return asked - before + hours <= _by_level(now, member_id, reader_hours, contributor_hours, expert_hours)


@rule(
    "FOLLOWED_SPACES",
    on={"subscribe_to_space": None, "resume_subscription": "subscription_id"},
    reads=["subscription"],
    most_spaces=1,
)
def followed_spaces(call: Call, now: Database, start: Database, most_spaces: int) -> bool:
    """To keep inboxes readable, a member can get updates from {most_spaces} space at a time. Count the running
    subscriptions that are not paused today, with the new or resumed one. Canceled and paused ones do not count, so
    canceling or pausing another one first makes room. How often the updates come does not matter."""
    if call.tool == "subscribe_to_space":
        member_id = call.arguments["member_id"]
    else:
        member_id = now.require("subscription", call.arguments["subscription_id"])["member_id"]
    active = now.value(
        """
        SELECT count(*) FROM subscription
        WHERE member_id = ? AND ended_on IS NULL AND (paused_until IS NULL OR paused_until < ?)
        """,
        member_id,
        now.today,
    )
    return active < most_spaces


@rule(
    "WORK_IN_PROGRESS",
    on={"create_article": None, "start_revision": None},
    reads=["member", "article", "revision"],
    exempt={"transfer_articles": "Handing over begins no new work; it only changes who goes on with it."},
    reader_pieces=1,
    contributor_pieces=2,
    expert_pieces=3,
)
def work_in_progress(
    call: Call, now: Database, start: Database, reader_pieces: int, contributor_pieces: int, expert_pieces: int
) -> bool:
    """A reader can have {reader_pieces} piece of writing in progress at a time, a contributor {contributor_pieces}, an
    expert {expert_pieces}, with the new one. Count the draft articles they own and the revisions they wrote that
    are a draft, in review, or sent back for changes. Published and archived articles, and approved and withdrawn
    revisions, do not count."""
    member_id = call.arguments["member_id"]
    drafts = now.value("SELECT count(*) FROM article WHERE owner_id = ? AND state = 'draft'", member_id)
    revisions = now.value(
        "SELECT count(*) FROM revision WHERE author_id = ? AND state IN ('draft', 'in_review', 'changes_requested')",
        member_id,
    )
    return drafts + revisions < _by_level(now, member_id, reader_pieces, contributor_pieces, expert_pieces)


@rule("POSTPONE_FRESH", on={"postpone_check": "article_id"}, reads=["article"], days=75)
def postpone_fresh(call: Call, now: Database, start: Database, days: int) -> bool:
    """The next check of an article can be put off only if the article was last verified at most {days} days ago; day
    {days} itself is fine. If that was longer ago, the article has to be verified instead. How often the check was
    put off before does not matter."""
    verified_on = now.require("article", call.arguments["article_id"])["verified_on"]
    return verified_on is None or days_between(verified_on, now.today) <= days


@rule(
    "CONTENT_FREEZE",
    on={"publish_article": "article_id", "move_article": "article_id"},
    reads=["article", "space"],
    exempt={"create_article": "A new draft is not shown to readers, so it disturbs no freeze."},
)
def content_freeze(call: Call, now: Database, start: Database) -> bool:
    """While a space is frozen, the last day of the freeze included, no article is published in it, moved out of it, or
    moved into it. Drafts can still be started there, and published articles in it can still be verified, archived,
    or handed over."""
    article = now.require("article", call.arguments["article_id"])
    space_ids = [article["space_id"]]
    if call.tool == "move_article":
        space_ids.append(call.arguments["space_id"])
    ends = [now.require("space", space_id)["frozen_until"] for space_id in space_ids]
    return all(frozen_until is None or frozen_until < now.today for frozen_until in ends)


@rule(
    "MAJOR_TO_EXPERT",
    on={"submit_revision": "revision_id", "reassign_review": "revision_id"},
    reads=["revision", "member"],
)
def major_to_expert(call: Call, now: Database, start: Database) -> bool:
    """A major revision can only be sent or reassigned to a reviewer who is an expert. A minor revision can go to
    anyone. Who wrote the revision, and who owns the article, does not matter."""
    revision = now.require("revision", call.arguments["revision_id"])
    reviewer = now.require("member", call.arguments["reviewer_id"])
    return revision["size"] == "minor" or reviewer["level"] == "expert"


@rule("POPULAR_STAYS", on={"archive_article": "article_id"}, reads=["article"], most_views=40)
def popular_stays(call: Call, now: Database, start: Database, most_views: int) -> bool:
    """An article with more than {most_views} views in the last month cannot be archived as outdated, because readers
    still count on it; exactly {most_views} is fine. As a duplicate, or as replaced by another article, it can be
    archived however many views it has."""
    views = now.require("article", call.arguments["article_id"])["monthly_views"]
    return call.arguments["reason"] != "outdated" or views <= most_views


@rule("HAND_BACK", on={"release_request": "request_id"}, reads=["request"], days=12)
def hand_back(call: Call, now: Database, start: Database, days: int) -> bool:
    """Whoever took on a request can put it back for others up to {days} days after the day they took it on; after that
    they have to answer it. Only the last time it was taken on counts. The day it is needed and its hours do not
    matter."""
    claimed_at = now.require("request", call.arguments["request_id"])["claimed_at"]
    return claimed_at is None or claimed_at >= add_days(now.today, -days)


@duty("LATE_WITHDRAWAL_FEE", reads=["request"], hour_cents=500, most_cents=4000)
def late_withdrawal_fee(start: Database, end: Database, hour_cents: int, most_cents: int) -> bool:
    """When a member withdraws a request that somebody has taken on, charge a fee on that request the same day with the
    reason "late_withdrawal": {hour_cents} for each hour expected, but never more than {most_cents}. A request that
    nobody has taken on costs nothing to withdraw. Fees charged earlier do not count toward this one."""
    for request in end.select("SELECT * FROM request WHERE state = 'withdrawn' AND assignee_id IS NOT NULL"):
        before = start.get("request", request["request_id"])
        if before is not None and before["state"] == "withdrawn":
            continue
        earlier = 0 if before is None else before["fee_cents"]
        owed = min(hour_cents * request["estimated_hours"], most_cents)
        if request["fee_cents"] - earlier != owed or request["fee_reason"] != "late_withdrawal":
            return False
    return True


@duty("DECLINED_STAYS", reads=["declined_request", "article", "request"])
def declined_stays(start: Database, end: Database) -> bool:
    """These stay undone for the rest of the day once you recorded them as declined, even if the reason goes away:
    archiving a popular article as outdated, and putting back a request that was taken on too long ago. Other
    requests are judged anew."""
    for note in end.select("SELECT subject_id, rule_code FROM declined_request WHERE declined_on = ?", end.today):
        key, code = note["subject_id"], note["rule_code"]
        table = "request" if code == "HAND_BACK" else "article"
        before, after = start.get(table, key), end.get(table, key)
        if before is None or after is None:
            continue
        if code == "POPULAR_STAYS" and before["archive_reason"] is None and after["archive_reason"] == "outdated":
            if not allows(popular_stays, start, "archive_article", article_id=key, reason="outdated"):
                return False
        if code == "HAND_BACK" and before["assignee_id"] != after["assignee_id"]:
            if not allows(hand_back, start, "release_request", request_id=key):
                return False
    return True
