"""Subscribers: finding them, contact details, plans, pauses, and closing accounts."""

from typing import Annotated, Literal

from runtime import Database, Date, Field, Rejection, TypedDict, tool


class Subscriber(TypedDict):
    subscriber_id: Annotated[str, "the subscriber"]
    full_name: Annotated[str, "first and last name"]
    email: Annotated[str, "email address"]
    phone: Annotated[str, "phone number"]
    zip_code: Annotated[str, "billing zip code"]
    plan: Annotated[Literal["basic", "plus", "premium"], "service plan"]
    monthly_fee_cents: Annotated[int, "price of the plan"]
    plan_since: Annotated[Date, "day of the last plan change"]
    status: Annotated[Literal["active", "paused", "closed"], "state of the account"]
    joined_on: Annotated[Date, "first day of service"]
    resume_on: Annotated[Date | None, "end of a pause"]


class AccountOverview(TypedDict):
    subscriber: Annotated[Subscriber, "the subscriber"]
    balance_cents: Annotated[int, "what is owed"]
    open_homes: Annotated[int, "open homes"]
    active_devices: Annotated[int, "active devices in all homes"]
    unresolved_alerts: Annotated[int, "unresolved alerts in all homes"]
    scheduled_visits: Annotated[int, "scheduled visits in all homes"]


_MONTHLY_FEES = {"basic": 999, "plus": 1999, "premium": 3499}


def _show(subscriber):
    """Show a subscriber with the price of the plan."""
    return {**subscriber, "monthly_fee_cents": _MONTHLY_FEES[subscriber["plan"]]}


def _balance(db, subscriber_id):
    """Posted fees minus posted credits and payments."""
    return db.value(
        """
        SELECT coalesce(sum(CASE WHEN kind = 'fee' THEN amount_cents ELSE -amount_cents END), 0)
        FROM charge WHERE subscriber_id = ? AND status = 'posted'
        """,
        subscriber_id,
    )


@tool(reads=["subscriber"], rejects=["NOT_FOUND"])
def find_subscriber_by_email(db: Database, email: Annotated[str, "email address", Field(min_length=1)]) -> Subscriber:
    """Find the subscriber with an email address."""
    subscriber = db.first("SELECT * FROM subscriber WHERE lower(email) = lower(?) ORDER BY subscriber_id", email)
    if subscriber is None:
        raise Rejection.not_found(f"No subscriber has the email {email!r}.")
    return _show(subscriber)


@tool(reads=["subscriber"], rejects=["NOT_FOUND"])
def find_subscriber_by_phone(
    db: Database, phone: Annotated[str, "phone number as stored", Field(min_length=1)]
) -> Subscriber:
    """Find the subscriber with a phone number."""
    subscriber = db.first("SELECT * FROM subscriber WHERE phone = ?", phone)
    if subscriber is None:
        raise Rejection.not_found(f"No subscriber has the phone {phone!r}.")
    return _show(subscriber)


@tool(reads=["subscriber", "home", "device", "alert", "visit", "charge"], rejects=["NOT_FOUND"])
def get_account_overview(db: Database, subscriber_id: Annotated[str, "the subscriber"]) -> AccountOverview:
    """Show a subscriber's account with balance and counts.

    active_devices, unresolved_alerts, and scheduled_visits count over all homes of the subscriber, open or closed.
    """
    subscriber = db.require("subscriber", subscriber_id)
    return {
        "subscriber": _show(subscriber),
        "balance_cents": _balance(db, subscriber_id),
        "open_homes": db.value("SELECT count(*) FROM home WHERE subscriber_id = ? AND status = 'open'", subscriber_id),
        "active_devices": db.value(
            """
            SELECT count(*) FROM device AS d JOIN home AS h ON h.home_id = d.home_id
            WHERE h.subscriber_id = ? AND d.status <> 'retired'
            """,
            subscriber_id,
        ),
        "unresolved_alerts": db.value(
            """
            SELECT count(*)
            FROM alert AS a JOIN device AS d ON d.device_id = a.device_id JOIN home AS h ON h.home_id = d.home_id
            WHERE h.subscriber_id = ? AND a.status <> 'resolved'
            """,
            subscriber_id,
        ),
        "scheduled_visits": db.value(
            """
            SELECT count(*) FROM visit AS v JOIN home AS h ON h.home_id = v.home_id
            WHERE h.subscriber_id = ? AND v.status = 'scheduled'
            """,
            subscriber_id,
        ),
    }


@tool(writes=["subscriber"], rejects=["INVALID_ARGUMENT", "NOT_FOUND", "FAILED_PRECONDITION", "ALREADY_EXISTS"])
def update_contact(
    db: Database,
    subscriber_id: Annotated[str, "the subscriber"],
    email: Annotated[str | None, "new email", Field(min_length=3)] = None,
    phone: Annotated[str | None, "new phone", Field(min_length=7)] = None,
    zip_code: Annotated[str | None, "new billing zip code", Field(min_length=5, max_length=5)] = None,
) -> Subscriber:
    """Change a subscriber's email, phone, or billing zip code.

    Requires: At least one of email, phone, zip_code is given. The account is not closed. No other subscriber has the
    email, ignoring case, or the phone.

    Only the given fields change.
    """
    if email is None and phone is None and zip_code is None:
        raise Rejection.invalid_argument("Give at least one of email, phone, and zip_code.")
    subscriber = db.require("subscriber", subscriber_id)
    if subscriber["status"] == "closed":
        raise Rejection.failed_precondition(f"The account of {subscriber_id!r} is closed.")
    if db.first(
        "SELECT subscriber_id FROM subscriber WHERE subscriber_id <> ? AND (lower(email) = lower(?) OR phone = ?)",
        subscriber_id,
        email,
        phone,
    ):
        raise Rejection.already_exists(f"Another subscriber has the email {email!r} or the phone {phone!r}.")
    return _show(
        db.update(
            "subscriber",
            subscriber_id,
            email=subscriber["email"] if email is None else email,
            phone=subscriber["phone"] if phone is None else phone,
            zip_code=subscriber["zip_code"] if zip_code is None else zip_code,
        )
    )


@tool(writes=["subscriber"], rejects=["NOT_FOUND", "FAILED_PRECONDITION"])
def change_plan(
    db: Database,
    subscriber_id: Annotated[str, "the subscriber"],
    plan: Annotated[Literal["basic", "plus", "premium"], "new plan"],
) -> Subscriber:
    """Move a subscriber to another plan.

    Requires: The account is active and has another plan now.

    plan changes, monthly_fee_cents follows it, plan_since becomes today; nothing is charged.
    """
    subscriber = db.require("subscriber", subscriber_id)
    if subscriber["status"] != "active" or subscriber["plan"] == plan:
        raise Rejection.failed_precondition(
            f"The account of {subscriber_id!r} is {subscriber['status']} with plan {subscriber['plan']}."
        )
    return _show(db.update("subscriber", subscriber_id, plan=plan, plan_since=db.today))


@tool(reads=["home", "visit"], writes=["subscriber"], rejects=["INVALID_ARGUMENT", "NOT_FOUND", "FAILED_PRECONDITION"])
def pause_subscription(
    db: Database,
    subscriber_id: Annotated[str, "the subscriber"],
    resume_on: Annotated[Date, "planned end of the pause"],
) -> Subscriber:
    """Pause a subscriber's service until a day.

    Requires: resume_on is after today. The account is active. No home of the subscriber has a scheduled visit.

    status becomes paused and resume_on is stored.
    """
    if resume_on <= db.today:
        raise Rejection.invalid_argument(f"The pause must end after today, not on {resume_on}.")
    subscriber = db.require("subscriber", subscriber_id)
    if subscriber["status"] != "active":
        raise Rejection.failed_precondition(f"The account of {subscriber_id!r} is {subscriber['status']}, not active.")
    if db.first(
        """
        SELECT v.visit_id FROM visit AS v JOIN home AS h ON h.home_id = v.home_id
        WHERE h.subscriber_id = ? AND v.status = 'scheduled'
        """,
        subscriber_id,
    ):
        raise Rejection.failed_precondition(f"A home of {subscriber_id!r} has a scheduled visit.")
    return _show(db.update("subscriber", subscriber_id, status="paused", resume_on=resume_on))


@tool(writes=["subscriber"], rejects=["NOT_FOUND", "FAILED_PRECONDITION"])
def resume_subscription(db: Database, subscriber_id: Annotated[str, "the subscriber"]) -> Subscriber:
    """End a pause now.

    Requires: The account is paused.

    status becomes active and resume_on null.
    """
    subscriber = db.require("subscriber", subscriber_id)
    if subscriber["status"] != "paused":
        raise Rejection.failed_precondition(f"The account of {subscriber_id!r} is {subscriber['status']}, not paused.")
    return _show(db.update("subscriber", subscriber_id, status="active", resume_on=None))


@tool(reads=["home", "charge"], writes=["subscriber"], rejects=["NOT_FOUND", "FAILED_PRECONDITION"])
def close_account(db: Database, subscriber_id: Annotated[str, "the subscriber"]) -> Subscriber:
    """Close a subscriber's account for good.

    Requires: The account is not closed. No home of the subscriber is open. The balance is 0.

    status becomes closed and resume_on null.
    """
    subscriber = db.require("subscriber", subscriber_id)
    if subscriber["status"] == "closed":
        raise Rejection.failed_precondition(f"The account of {subscriber_id!r} is closed already.")
    if db.first("SELECT home_id FROM home WHERE subscriber_id = ? AND status = 'open'", subscriber_id):
        raise Rejection.failed_precondition(f"A home of {subscriber_id!r} is open.")
    balance_cents = _balance(db, subscriber_id)
    if balance_cents != 0:
        raise Rejection.failed_precondition(f"The balance of {subscriber_id!r} is {balance_cents} cents, not 0.")
    return _show(db.update("subscriber", subscriber_id, status="closed", resume_on=None))
