"""Plots: gardeners, the plots they lease, and what they owe."""

from typing import Annotated, Literal

from runtime import Database, Date, Field, Rejection, TypedDict, add_days, tool


class Gardener(TypedDict):
    gardener_id: Annotated[str, "the gardener"]
    name: Annotated[str, "full name"]
    email: Annotated[str | None, "email address"]
    phone: Annotated[str | None, "phone number"]
    zip_code: Annotated[str | None, "home ZIP code"]
    membership: Annotated[Literal["standard", "family", "senior"], "kind of membership"]
    joined_on: Annotated[Date, "date of joining"]
    tool_trained: Annotated[bool, "whether trained on power tools"]


class PlotEntry(TypedDict):
    plot_id: Annotated[str, "the plot"]
    plot_number: Annotated[str, "sign on the plot"]
    kind: Annotated[Literal["ground", "raised", "greenhouse"], "kind of bed"]
    square_feet: Annotated[int, "size in square feet"]
    rent_cents: Annotated[int, "yearly rent in cents"]
    status: Annotated[Literal["open", "leased"], "open or leased"]


class PlotList(TypedDict):
    plots: Annotated[list[PlotEntry], "plots found"]
    total: Annotated[int, "matches before the limit"]


class Lease(TypedDict):
    lease_id: Annotated[str, "the lease"]
    plot_id: Annotated[str, "leased plot"]
    plot_number: Annotated[str, "sign on the plot"]
    kind: Annotated[str, "kind of bed"]
    status: Annotated[Literal["active", "ended"], "active or ended"]
    started_on: Annotated[Date, "first day"]
    ends_on: Annotated[Date, "last day"]
    renewals: Annotated[int, "times renewed"]


class LeaseList(TypedDict):
    leases: Annotated[list[Lease], "leases of the gardener"]


class LeaseBilled(TypedDict):
    lease_id: Annotated[str, "the lease"]
    ends_on: Annotated[Date, "last day"]
    charge_id: Annotated[str, "rent charge added"]
    amount_cents: Annotated[int, "rent in cents"]
    due_on: Annotated[Date, "when the rent is due"]


class Charge(TypedDict):
    charge_id: Annotated[str, "the charge"]
    kind: Annotated[Literal["rent", "fee", "supplies"], "what it is for"]
    label: Annotated[str, "words on the bill"]
    amount_cents: Annotated[int, "amount in cents"]
    status: Annotated[Literal["open", "paid"], "open or paid"]
    due_on: Annotated[Date, "when it is due"]
    paid_on: Annotated[Date | None, "when it was paid"]


class ChargeList(TypedDict):
    charges: Annotated[list[Charge], "charges of the gardener"]
    open_cents: Annotated[int, "sum of listed open charges in cents"]


class Payment(TypedDict):
    paid: Annotated[list[Charge], "charges paid, as they are now"]
    total_cents: Annotated[int, "sum paid in cents"]


DAYS_TO_PAY = 14


def _gardener(row):
    return {**row, "tool_trained": bool(row["tool_trained"])}


def _lease(db, lease_id):
    return db.first(
        "SELECT lease_id, plot_id, plot_number, kind, lease.status AS status, started_on, ends_on, renewals "
        "FROM lease JOIN plot USING (plot_id) WHERE lease_id = ?",
        lease_id,
    )


def _charge(row):
    return {column: value for column, value in row.items() if column != "gardener_id"}


def _bill_rent(db, gardener_id, plot):
    return db.insert(
        "charge",
        charge_id=db.new_id("charge"),
        gardener_id=gardener_id,
        kind="rent",
        label=f"Rent for plot {plot['plot_number']}",
        amount_cents=plot["rent_cents"],
        due_on=add_days(db.today, DAYS_TO_PAY),
    )


def _billed(lease, charge):
    return {
        "lease_id": lease["lease_id"],
        "ends_on": lease["ends_on"],
        "charge_id": charge["charge_id"],
        "amount_cents": charge["amount_cents"],
        "due_on": charge["due_on"],
    }


@tool(reads=["gardener"], rejects=["NOT_FOUND"])
def find_gardener_by_email(db: Database, email: Annotated[str, "email address", Field(min_length=1)]) -> Gardener:
    """Find the gardener with an email address."""
    gardener = db.first("SELECT * FROM gardener WHERE lower(email) = lower(?)", email)
    if gardener is None:
        raise Rejection.not_found(f"No gardener has the email {email!r}.")
    return _gardener(gardener)


@tool(writes=["gardener"], rejects=["INVALID_ARGUMENT", "NOT_FOUND", "ALREADY_EXISTS"])
def update_contact(
    db: Database,
    gardener_id: Annotated[str, "gardener in question"],
    email: Annotated[str | None, "new email address", Field(min_length=1)] = None,
    phone: Annotated[str | None, "new phone number", Field(min_length=1)] = None,
) -> Gardener:
    """Change a gardener's email or phone number.

    Requires: An email or a phone number is given. No other gardener has the given email, ignoring the case of ASCII
    letters.

    Only the given fields change.
    """
    if email is None and phone is None:
        raise Rejection.invalid_argument("Neither an email nor a phone number was given; give at least one.")
    db.require("gardener", gardener_id)
    if email is not None:
        other = db.value(
            "SELECT gardener_id FROM gardener WHERE lower(email) = lower(?) AND gardener_id <> ?", email, gardener_id
        )
        if other is not None:
            raise Rejection.already_exists(f"Gardener {other!r} has the email {email!r} already.")
    changes = {}
    if email is not None:
        changes["email"] = email
    if phone is not None:
        changes["phone"] = phone
    return _gardener(db.update("gardener", gardener_id, **changes))


@tool(reads=["plot"])
def search_plots(
    db: Database,
    kind: Annotated[Literal["ground", "raised", "greenhouse"] | None, "kind of bed"] = None,
    min_square_feet: Annotated[int | None, "smallest size", Field(ge=1)] = None,
    status: Annotated[Literal["open", "leased"] | None, "open or leased"] = None,
    limit: Annotated[int, "most entries returned", Field(ge=1, le=50)] = 20,
) -> PlotList:
    """List plots by kind, size, and status.

    Sorted by rent_cents, then plot_number, ascending.
    """
    plots = db.select(
        """
        SELECT * FROM plot
        WHERE (? IS NULL OR kind = ?) AND (? IS NULL OR square_feet >= ?) AND (? IS NULL OR status = ?)
        ORDER BY rent_cents, plot_number, plot_id
        """,
        kind,
        kind,
        min_square_feet,
        min_square_feet,
        status,
        status,
    )
    return {"plots": plots[:limit], "total": len(plots)}


@tool(reads=["gardener", "plot", "lease"], rejects=["NOT_FOUND"])
def list_leases(
    db: Database,
    gardener_id: Annotated[str, "gardener in question"],
    status: Annotated[Literal["active", "ended"] | None, "active or ended"] = None,
) -> LeaseList:
    """List the leases of a gardener.

    Sorted by ends_on, latest first.
    """
    db.require("gardener", gardener_id)
    leases = db.select(
        """
        SELECT lease_id, plot_id, plot_number, kind, lease.status AS status, started_on, ends_on, renewals
        FROM lease JOIN plot USING (plot_id)
        WHERE gardener_id = ? AND (? IS NULL OR lease.status = ?)
        ORDER BY ends_on DESC, lease_id
        """,
        gardener_id,
        status,
        status,
    )
    return {"leases": leases}


@tool(reads=["gardener"], writes=["plot", "lease", "charge"], rejects=["NOT_FOUND", "FAILED_PRECONDITION"])
def lease_plot(
    db: Database, gardener_id: Annotated[str, "gardener in question"], plot_id: Annotated[str, "plot to lease"]
) -> LeaseBilled:
    """Lease an open plot to a gardener for a year and bill the rent.

    Requires: The plot is open.

    Adds an active lease from today, ends_on 365 days from today, renewals 0; the plot becomes leased. Adds an open rent
    charge over the plot's rent_cents, label 'Rent for plot NUMBER', due 14 days from today.
    """
    db.require("gardener", gardener_id)
    plot = db.require("plot", plot_id)
    if plot["status"] != "open":
        raise Rejection.failed_precondition(f"Plot {plot_id!r} is {plot['status']}, not open.")
    lease = db.insert(
        "lease",
        lease_id=db.new_id("lease"),
        gardener_id=gardener_id,
        plot_id=plot_id,
        status="active",
        started_on=db.today,
        ends_on=add_days(db.today, 365),
        renewals=0,
    )
    db.update("plot", plot_id, status="leased")
    return _billed(lease, _bill_rent(db, gardener_id, plot))


@tool(reads=["plot"], writes=["lease", "charge"], rejects=["NOT_FOUND", "FAILED_PRECONDITION"])
def renew_lease(db: Database, lease_id: Annotated[str, "lease to extend"]) -> LeaseBilled:
    """Extend an active lease by a year and bill the rent.

    Requires: The lease is active. The lease's last day has not passed.

    ends_on moves 365 days on from where it was; renewals goes up by 1. Adds an open rent charge for the lease's
    gardener over the plot's rent_cents, label 'Rent for plot NUMBER', due 14 days from today.
    """
    lease = db.require("lease", lease_id)
    if lease["status"] != "active":
        raise Rejection.failed_precondition(f"Lease {lease_id!r} is {lease['status']}, not active.")
    if lease["ends_on"] < db.today:
        raise Rejection.failed_precondition(f"Lease {lease_id!r} ran out on {lease['ends_on']}; it cannot be renewed.")
    plot = db.get("plot", lease["plot_id"])
    lease = db.update("lease", lease_id, ends_on=add_days(lease["ends_on"], 365), renewals=lease["renewals"] + 1)
    return _billed(lease, _bill_rent(db, lease["gardener_id"], plot))


@tool(writes=["plot", "lease"], rejects=["NOT_FOUND", "FAILED_PRECONDITION"])
def end_lease(db: Database, lease_id: Annotated[str, "lease to end"]) -> Lease:
    """End an active lease and free its plot.

    Requires: The lease is active.

    status becomes ended, ends_on becomes today, and the plot becomes open.
    """
    lease = db.require("lease", lease_id)
    if lease["status"] != "active":
        raise Rejection.failed_precondition(f"Lease {lease_id!r} is {lease['status']}, not active.")
    db.update("lease", lease_id, status="ended", ends_on=db.today)
    db.update("plot", lease["plot_id"], status="open")
    return _lease(db, lease_id)


@tool(reads=["gardener", "charge"], rejects=["NOT_FOUND"])
def list_charges(
    db: Database,
    gardener_id: Annotated[str, "gardener in question"],
    status: Annotated[Literal["open", "paid"] | None, "open or paid"] = None,
) -> ChargeList:
    """List the charges of a gardener.

    Sorted by due_on, earliest first.
    """
    db.require("gardener", gardener_id)
    charges = db.select(
        "SELECT * FROM charge WHERE gardener_id = ? AND (? IS NULL OR status = ?) ORDER BY due_on, charge_id",
        gardener_id,
        status,
        status,
    )
    owed = sum(charge["amount_cents"] for charge in charges if charge["status"] == "open")
    return {"charges": [_charge(charge) for charge in charges], "open_cents": owed}


@tool(reads=["gardener"], writes=["charge"], rejects=["NOT_FOUND"])
def add_charge(
    db: Database,
    gardener_id: Annotated[str, "gardener in question"],
    kind: Annotated[Literal["fee", "supplies"], "what it is for"],
    label: Annotated[str, "words on the bill", Field(min_length=1, max_length=80)],
    amount_cents: Annotated[int, "amount in cents", Field(ge=1, le=50000)],
) -> Charge:
    """Add an open charge to a gardener's account.

    Due 14 days from today; paid_on is null.
    """
    db.require("gardener", gardener_id)
    charge = db.insert(
        "charge",
        charge_id=db.new_id("charge"),
        gardener_id=gardener_id,
        kind=kind,
        label=label,
        amount_cents=amount_cents,
        due_on=add_days(db.today, DAYS_TO_PAY),
    )
    return _charge(charge)


@tool(writes=["charge"], rejects=["NOT_FOUND", "FAILED_PRECONDITION"])
def pay_charges(
    db: Database, charge_ids: Annotated[list[str], "charges to pay", Field(min_length=1, max_length=20)]
) -> Payment:
    """Record that one or more open charges of one gardener were paid today.

    Requires: All charges belong to the same gardener. Each charge is open.

    status becomes paid and paid_on today.
    """
    if len(set(charge_ids)) < len(charge_ids):
        raise Rejection.invalid_argument("A charge id is given twice; give each one once.")
    charges = [db.require("charge", charge_id) for charge_id in charge_ids]
    if len({charge["gardener_id"] for charge in charges}) > 1:
        raise Rejection.failed_precondition("The charges belong to several gardeners; pay those of one at a time.")
    for charge in charges:
        if charge["status"] != "open":
            raise Rejection.failed_precondition(f"Charge {charge['charge_id']!r} is {charge['status']}, not open.")
    paid = [db.update("charge", charge_id, status="paid", paid_on=db.today) for charge_id in charge_ids]
    return {"paid": [_charge(charge) for charge in paid], "total_cents": sum(charge["amount_cents"] for charge in paid)}
