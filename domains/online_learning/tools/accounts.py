"""Accounts: finding and updating learners; fees, credits, payments, and balances."""

from typing import Annotated, Literal

from runtime import Database, Date, Field, Rejection, Timestamp, TypedDict, tool


class Learner(TypedDict):
    learner_id: Annotated[str, "id"]
    name: Annotated[str, "full name"]
    email: Annotated[str, "email"]
    phone: Annotated[str, "as 312-555-0147"]
    date_of_birth: Annotated[Date, "date of birth"]
    membership: Annotated[Literal["basic", "plus", "premium"], "tier"]
    created_at: Annotated[Timestamp, "when registered"]


class AccountEntry(TypedDict):
    account_entry_id: Annotated[str, "id"]
    kind: Annotated[Literal["tuition", "fee", "credit", "payment"], "kind of entry"]
    reason: Annotated[str | None, "reason, or method of a payment"]
    enrollment_id: Annotated[str | None, "null for a payment"]
    amount_cents: Annotated[int, "always positive"]
    created_at: Annotated[Timestamp, "when recorded"]


class Account(TypedDict):
    learner_id: Annotated[str, "learner"]
    balance_cents: Annotated[int, "what the learner owes"]
    total: Annotated[int, "entries in all"]
    entries: Annotated[list[AccountEntry], "newest first"]


class EntryReceipt(TypedDict):
    entry: Annotated[AccountEntry, "the new entry"]
    balance_cents: Annotated[int, "learner's balance afterwards"]


def _balance(db, learner_id):
    return db.value(
        """
        SELECT coalesce(sum(CASE WHEN kind IN ('tuition', 'fee') THEN amount_cents ELSE -amount_cents END), 0)
        FROM account_entry WHERE learner_id = ?
        """,
        learner_id,
    )


def _entry(row):
    return {
        "account_entry_id": row["account_entry_id"],
        "kind": row["kind"],
        "reason": row["reason"],
        "enrollment_id": row["enrollment_id"],
        "amount_cents": row["amount_cents"],
        "created_at": row["created_at"],
    }


def _record(db, learner_id, enrollment_id, kind, reason, amount_cents):
    row = db.insert(
        "account_entry",
        account_entry_id=db.new_id("account_entry"),
        learner_id=learner_id,
        enrollment_id=enrollment_id,
        kind=kind,
        reason=reason,
        amount_cents=amount_cents,
        created_at=db.now,
    )
    return {"entry": _entry(row), "balance_cents": _balance(db, learner_id)}


def _learner(row):
    return {
        "learner_id": row["learner_id"],
        "name": row["name"],
        "email": row["email"],
        "phone": row["phone"],
        "date_of_birth": row["date_of_birth"],
        "membership": row["membership"],
        "created_at": row["created_at"],
    }


@tool(reads=["learner"], rejects=["NOT_FOUND"])
def find_learner_by_email(db: Database, email: Annotated[str, "email"]) -> Learner:
    """Find the learner who has an email."""
    learner = db.first("SELECT * FROM learner WHERE lower(email) = lower(?)", email)
    if learner is None:
        raise Rejection.not_found(f"No learner has the email {email!r}.")
    return _learner(learner)


@tool(writes=["learner"], rejects=["INVALID_ARGUMENT", "ALREADY_EXISTS"])
def register_learner(
    db: Database,
    name: Annotated[str, "full name", Field(min_length=1)],
    email: Annotated[str, "email", Field(min_length=3)],
    phone: Annotated[str, "as 312-555-0147", Field(min_length=1)],
    date_of_birth: Annotated[Date, "date of birth"],
    membership: Annotated[Literal["basic", "plus", "premium"], "tier"] = "basic",
) -> Learner:
    """Register a new learner.

    Requires: date_of_birth is before today. No learner has this email, ignoring case.
    """
    if date_of_birth >= db.today:
        raise Rejection.invalid_argument(f"The date of birth {date_of_birth} is not before today, {db.today}.")
    if db.first("SELECT learner_id FROM learner WHERE lower(email) = lower(?)", email) is not None:
        raise Rejection.already_exists(f"A learner with the email {email!r} is registered already.")
    learner = db.insert(
        "learner",
        learner_id=db.new_id("learner"),
        name=name,
        email=email,
        phone=phone,
        date_of_birth=date_of_birth,
        membership=membership,
        created_at=db.now,
    )
    return _learner(learner)


@tool(writes=["learner"], rejects=["INVALID_ARGUMENT", "NOT_FOUND", "ALREADY_EXISTS"])
def update_learner(
    db: Database,
    learner_id: Annotated[str, "learner"],
    name: Annotated[str | None, "new name", Field(min_length=1)] = None,
    email: Annotated[str | None, "new email", Field(min_length=3)] = None,
    phone: Annotated[str | None, "as 312-555-0147", Field(min_length=1)] = None,
    membership: Annotated[Literal["basic", "plus", "premium"] | None, "new tier"] = None,
) -> Learner:
    """Change a learner's contact details or membership.

    Requires: At least one field to change is given. No other learner has this email, ignoring case.

    Only the given fields change.
    """
    given = {"name": name, "email": email, "phone": phone, "membership": membership}
    changes = {column: value for column, value in given.items() if value is not None}
    if not changes:
        raise Rejection.invalid_argument("Give at least one of name, email, phone, or membership to change.")
    db.require("learner", learner_id)
    if email is not None:
        other = db.first(
            "SELECT learner_id FROM learner WHERE lower(email) = lower(?) AND learner_id <> ?", email, learner_id
        )
        if other is not None:
            raise Rejection.already_exists(f"Another learner has the email {email!r}.")
    return _learner(db.update("learner", learner_id, **changes))


@tool(reads=["learner", "account_entry"], rejects=["NOT_FOUND"])
def get_account(
    db: Database,
    learner_id: Annotated[str, "learner"],
    limit: Annotated[int, "most entries to return", Field(ge=1, le=50)] = 20,
) -> Account:
    """Show a learner's balance and account entries.

    entries: newest created_at first, ties by higher account_entry_id first; balance_cents covers all entries, also
    beyond limit.
    """
    db.require("learner", learner_id)
    entries = db.select(
        """
        SELECT * FROM account_entry WHERE learner_id = ?
        ORDER BY created_at DESC, account_entry_id DESC LIMIT ?
        """,
        learner_id,
        limit,
    )
    return {
        "learner_id": learner_id,
        "balance_cents": _balance(db, learner_id),
        "total": db.value("SELECT count(*) FROM account_entry WHERE learner_id = ?", learner_id),
        "entries": [_entry(row) for row in entries],
    }


@tool(reads=["learner"], writes=["account_entry"], rejects=["NOT_FOUND", "FAILED_PRECONDITION"])
def record_payment(
    db: Database,
    learner_id: Annotated[str, "learner"],
    amount_cents: Annotated[int, "amount paid", Field(ge=1)],
    method: Annotated[Literal["card", "bank_transfer", "check"], "how it was paid"],
) -> EntryReceipt:
    """Record a payment from a learner.

    Requires: The learner's balance is at least amount_cents.

    Adds a payment entry with method as its reason and no enrollment.
    """
    db.require("learner", learner_id)
    balance = _balance(db, learner_id)
    if balance < amount_cents:
        raise Rejection.failed_precondition(
            f"The balance of learner {learner_id!r} is {balance} cents, less than {amount_cents}."
        )
    return _record(db, learner_id, None, "payment", method, amount_cents)


@tool(reads=["enrollment"], writes=["account_entry"], rejects=["NOT_FOUND"])
def record_fee(
    db: Database,
    enrollment_id: Annotated[str, "enrollment"],
    reason: Annotated[
        Literal["transfer", "late_enrollment", "late_work", "withdrawal", "certificate", "other"], "what it is for"
    ],
    amount_cents: Annotated[int, "fee", Field(ge=1)],
) -> EntryReceipt:
    """Charge a fee for an enrollment.

    Adds a fee entry for the enrollment and its learner.
    """
    enrollment = db.require("enrollment", enrollment_id)
    return _record(db, enrollment["learner_id"], enrollment_id, "fee", reason, amount_cents)


@tool(reads=["enrollment"], writes=["account_entry"], rejects=["NOT_FOUND", "FAILED_PRECONDITION"])
def record_credit(
    db: Database,
    enrollment_id: Annotated[str, "enrollment"],
    reason: Annotated[Literal["withdrawal", "courtesy", "scholarship", "correction"], "why it is given"],
    amount_cents: Annotated[int, "credit", Field(ge=1)],
) -> EntryReceipt:
    """Credit a learner for an enrollment.

    Requires: amount_cents is at most the enrollment's net charge.

    Adds a credit entry for the enrollment and its learner.
    """
    enrollment = db.require("enrollment", enrollment_id)
    net = db.value(
        """
        SELECT coalesce(sum(CASE WHEN kind = 'credit' THEN -amount_cents ELSE amount_cents END), 0)
        FROM account_entry WHERE enrollment_id = ?
        """,
        enrollment_id,
    )
    if amount_cents > net:
        raise Rejection.failed_precondition(
            f"The net charge of enrollment {enrollment_id!r} is {net} cents, less than {amount_cents}."
        )
    return _record(db, enrollment["learner_id"], enrollment_id, "credit", reason, amount_cents)
