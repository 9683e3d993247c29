"""Subscriptions: following spaces, and pausing or ending that."""

from typing import Annotated, Literal

from runtime import Database, Date, Rejection, TypedDict, tool


class Subscription(TypedDict):
    subscription_id: Annotated[str, "id of the subscription"]
    member_id: Annotated[str, "member who follows"]
    space_id: Annotated[str, "space that is followed"]
    space_name: Annotated[str, "name of the space"]
    frequency: Annotated[Literal["instant", "daily", "weekly"], "how often updates come"]
    started_on: Annotated[Date, "first day"]
    paused_until: Annotated[Date | None, "last day of the pause"]
    pauses: Annotated[int, "pauses so far"]
    ended_on: Annotated[Date | None, "day it was canceled"]


class SubscriptionList(TypedDict):
    subscriptions: Annotated[list[Subscription], "subscriptions found"]
    total: Annotated[int, "subscriptions that match"]


def _subscription(db, subscription_id):
    return db.first(
        """
        SELECT subscription_id, member_id, space_id, space.name AS space_name, frequency, started_on, paused_until, pauses, ended_on
        FROM subscription JOIN space USING (space_id) WHERE subscription_id = ?
        """,
        subscription_id,
    )


def _require_running(subscription):
    if subscription["ended_on"] is not None:
        raise Rejection.failed_precondition(
            f"Subscription {subscription['subscription_id']!r} ended on {subscription['ended_on']} and no longer runs."
        )


def _is_paused(db, subscription):
    return subscription["paused_until"] is not None and subscription["paused_until"] >= db.today


@tool(reads=["member", "space", "subscription"], rejects=["NOT_FOUND"])
def list_subscriptions(
    db: Database, member_id: Annotated[str, "member"], running: Annotated[bool, "true for running ones only"] = True
) -> SubscriptionList:
    """List the spaces that a member follows.

    running false lists ended ones too. Sorted by space name.
    """
    db.require("member", member_id)
    subscriptions = db.select(
        """
        SELECT subscription_id, member_id, space_id, space.name AS space_name, frequency, started_on, paused_until, pauses, ended_on
        FROM subscription JOIN space USING (space_id)
        WHERE member_id = ? AND (NOT ? OR ended_on IS NULL)
        ORDER BY space.name, subscription_id
        """,
        member_id,
        int(running),
    )
    return {"subscriptions": subscriptions, "total": len(subscriptions)}


@tool(reads=["member", "space"], writes=["subscription"], rejects=["NOT_FOUND", "ALREADY_EXISTS"])
def subscribe_to_space(
    db: Database,
    member_id: Annotated[str, "member who follows"],
    space_id: Annotated[str, "the space"],
    frequency: Annotated[Literal["instant", "daily", "weekly"], "how often updates come"],
) -> Subscription:
    """Let a member follow a space.

    Requires: The member has no running subscription to the space.

    The subscription starts today, with 0 pauses.
    """
    db.require("member", member_id)
    db.require("space", space_id)
    running = db.value(
        "SELECT subscription_id FROM subscription WHERE member_id = ? AND space_id = ? AND ended_on IS NULL",
        member_id,
        space_id,
    )
    if running is not None:
        raise Rejection.already_exists(
            f"Member {member_id!r} follows space {space_id!r} already, by subscription {running!r}."
        )
    subscription = db.insert(
        "subscription",
        subscription_id=db.new_id("subscription"),
        member_id=member_id,
        space_id=space_id,
        frequency=frequency,
        started_on=db.today,
    )
    return _subscription(db, subscription["subscription_id"])


@tool(reads=["space"], writes=["subscription"], rejects=["NOT_FOUND", "FAILED_PRECONDITION"])
def change_frequency(
    db: Database,
    subscription_id: Annotated[str, "the subscription"],
    frequency: Annotated[Literal["instant", "daily", "weekly"], "how often updates come"],
) -> Subscription:
    """Change how often updates of a space come.

    Requires: The subscription is running. Its frequency is another one.

    Only the frequency changes; a pause stays.
    """
    subscription = db.require("subscription", subscription_id)
    _require_running(subscription)
    if subscription["frequency"] == frequency:
        raise Rejection.failed_precondition(
            f"Subscription {subscription_id!r} is {frequency} already; choose another frequency."
        )
    db.update("subscription", subscription_id, frequency=frequency)
    return _subscription(db, subscription_id)


@tool(reads=["space"], writes=["subscription"], rejects=["INVALID_ARGUMENT", "NOT_FOUND", "FAILED_PRECONDITION"])
def pause_subscription(
    db: Database,
    subscription_id: Annotated[str, "the subscription"],
    paused_until: Annotated[Date, "last day of the pause"],
) -> Subscription:
    """Pause the updates of a space for a while.

    Requires: paused_until is after today. The subscription is running. It is not paused now.

    paused_until takes the given day; pauses goes up by 1.
    """
    if paused_until <= db.today:
        raise Rejection.invalid_argument(f"The last day of a pause is after {db.today}, not {paused_until}.")
    subscription = db.require("subscription", subscription_id)
    _require_running(subscription)
    if _is_paused(db, subscription):
        raise Rejection.failed_precondition(
            f"Subscription {subscription_id!r} is paused until {subscription['paused_until']} already."
        )
    db.update("subscription", subscription_id, paused_until=paused_until, pauses=subscription["pauses"] + 1)
    return _subscription(db, subscription_id)


@tool(reads=["space"], writes=["subscription"], rejects=["NOT_FOUND", "FAILED_PRECONDITION"])
def resume_subscription(db: Database, subscription_id: Annotated[str, "the subscription"]) -> Subscription:
    """End a pause early.

    Requires: The subscription is running and paused now.

    paused_until becomes null; pauses stays.
    """
    subscription = db.require("subscription", subscription_id)
    _require_running(subscription)
    if not _is_paused(db, subscription):
        raise Rejection.failed_precondition(f"Subscription {subscription_id!r} is not paused now.")
    db.update("subscription", subscription_id, paused_until=None)
    return _subscription(db, subscription_id)


@tool(reads=["space"], writes=["subscription"], rejects=["NOT_FOUND", "FAILED_PRECONDITION"])
def cancel_subscription(db: Database, subscription_id: Annotated[str, "the subscription"]) -> Subscription:
    """Stop following a space.

    Requires: The subscription is running.

    ended_on is today; paused_until becomes null.
    """
    subscription = db.require("subscription", subscription_id)
    _require_running(subscription)
    db.update("subscription", subscription_id, ended_on=db.today, paused_until=None)
    return _subscription(db, subscription_id)
