"""Plots: finding gardeners and plots; starting, renewing, and ending leases."""

from typing import Annotated, Literal

from runtime import Database, Date, Field, Rejection, TypedDict, tool


class Gardener(TypedDict):
    gardener_id: Annotated[str, "id of the gardener"]
    full_name: Annotated[str, "first and last name"]
    email: Annotated[str, "email address"]
    phone: Annotated[str, "phone, as 503-555-0142"]
    zip_code: Annotated[str, "five digits"]
    tier: Annotated[Literal["standard", "senior", "reduced"], "price tier"]
    joined_on: Annotated[Date, "day they joined"]


class PlotEntry(TypedDict):
    plot_id: Annotated[str, "id of the plot"]
    label: Annotated[str, "label such as A-12"]
    section: Annotated[Literal["north", "south", "creekside"], "part of the garden"]
    size_sqft: Annotated[int, "square feet"]
    raised_bed: Annotated[bool, "true for a raised bed"]
    yearly_fee_cents: Annotated[int, "full fee for a year"]
    state: Annotated[Literal["open", "leased", "needs_cleanup"], "state of the plot"]


class PlotList(TypedDict):
    plots: Annotated[list[PlotEntry], "plots found"]
    total: Annotated[int, "all matches"]


class Lease(TypedDict):
    lease_id: Annotated[str, "id of the lease"]
    gardener_id: Annotated[str, "who leases"]
    plot_id: Annotated[str, "leased plot"]
    plot_label: Annotated[str, "label of the plot"]
    yearly_fee_cents: Annotated[int, "the plot's full yearly fee"]
    starts_on: Annotated[Date, "first day"]
    expires_on: Annotated[Date, "last day"]
    renewals: Annotated[int, "times renewed"]
    state: Annotated[Literal["active", "ended"], "state of the lease"]
    sign_text: Annotated[str | None, "words on the plot's sign"]
    ended_on: Annotated[Date | None, "day it was ended"]
    end_reason: Annotated[str | None, "why it was ended"]


class LeaseList(TypedDict):
    leases: Annotated[list[Lease], "leases found"]
    active_count: Annotated[int, "all active leases of the gardener"]


def _year_later(day):
    """The same month and day of the next year."""
    later = f"{int(day[:4]) + 1:04d}{day[4:]}"
    return later.replace("-02-29", "-02-28")


def _lease(db, lease_id):
    """The lease as a Lease record."""
    return db.first(
        """
        SELECT l.lease_id, l.gardener_id, l.plot_id, p.label AS plot_label, p.yearly_fee_cents, l.starts_on, l.expires_on,
               l.renewals, l.state, l.sign_text, l.ended_on, l.end_reason
        FROM lease l JOIN plot p ON p.plot_id = l.plot_id
        WHERE l.lease_id = ?
        """,
        lease_id,
    )


@tool(reads=["gardener"], rejects=["NOT_FOUND"])
def find_gardener_by_email(
    db: Database, email: Annotated[str, "email address, in any case", Field(min_length=1)]
) -> Gardener:
    """Find the gardener who has an email address."""
    gardener = db.first("SELECT * FROM gardener WHERE lower(email) = lower(?) ORDER BY gardener_id", email)
    if gardener is None:
        raise Rejection.not_found(f"No gardener has the email {email!r}; ask for the address they signed up with.")
    return gardener


@tool(writes=["gardener"], rejects=["INVALID_ARGUMENT", "NOT_FOUND", "ALREADY_EXISTS"])
def update_gardener(
    db: Database,
    gardener_id: Annotated[str, "the gardener"],
    full_name: Annotated[str | None, "new name", Field(min_length=1, max_length=80)] = None,
    email: Annotated[str | None, "new email", Field(min_length=3, max_length=100)] = None,
    phone: Annotated[str | None, "new phone, as 503-555-0142", Field(min_length=7, max_length=20)] = None,
    zip_code: Annotated[str | None, "new zip code, five digits", Field(min_length=5, max_length=5)] = None,
) -> Gardener:
    """Change a gardener's name or contact details.

    Requires: At least one new detail is given. No other gardener has the new email, in any case.

    The given details are stored as given; the others stay.
    """
    given = {"full_name": full_name, "email": email, "phone": phone, "zip_code": zip_code}
    changes = {column: value for column, value in given.items() if value is not None}
    if not changes:
        raise Rejection.invalid_argument(
            "Nothing to change; give at least one of full_name, email, phone, and zip_code."
        )
    db.require("gardener", gardener_id)
    if email is not None:
        taken = db.first(
            "SELECT 1 AS found FROM gardener WHERE lower(email) = lower(?) AND gardener_id <> ?", email, gardener_id
        )
        if taken is not None:
            raise Rejection.already_exists(f"Another gardener already has the email {email!r}.")
    return db.update("gardener", gardener_id, **changes)


@tool(reads=["plot"])
def search_plots(
    db: Database,
    section: Annotated[Literal["north", "south", "creekside"] | None, "only this section"] = None,
    raised_bed: Annotated[bool | None, "only raised beds, or only ground plots"] = None,
    min_size_sqft: Annotated[int | None, "at least this size", Field(ge=1)] = None,
    state: Annotated[Literal["open", "leased", "needs_cleanup"] | None, "only this state"] = None,
    limit: Annotated[int, "entries to show at most", Field(ge=1, le=50)] = 20,
) -> PlotList:
    """Search plots by section, kind, size, and state.

    Sorted by label.
    """
    plots = db.select(
        """
        SELECT plot_id, label, section, size_sqft, raised_bed, yearly_fee_cents, state
        FROM plot
        WHERE (? IS NULL OR section = ?) AND (? IS NULL OR raised_bed = ?)
          AND (? IS NULL OR size_sqft >= ?) AND (? IS NULL OR state = ?)
        ORDER BY label, plot_id
        """,
        section,
        section,
        raised_bed,
        raised_bed,
        min_size_sqft,
        min_size_sqft,
        state,
        state,
    )
    entries = [{**plot, "raised_bed": bool(plot["raised_bed"])} for plot in plots[:limit]]
    return {"plots": entries, "total": len(plots)}


@tool(reads=["gardener", "plot", "lease"], rejects=["NOT_FOUND"])
def list_leases(
    db: Database,
    gardener_id: Annotated[str, "the gardener"],
    state: Annotated[Literal["active", "ended"] | None, "only this state"] = None,
) -> LeaseList:
    """List a gardener's leases.

    Sorted by starts_on, latest first; active_count ignores the state filter.
    """
    db.require("gardener", gardener_id)
    leases = db.select(
        """
        SELECT l.lease_id, l.gardener_id, l.plot_id, p.label AS plot_label, p.yearly_fee_cents, l.starts_on, l.expires_on,
               l.renewals, l.state, l.sign_text, l.ended_on, l.end_reason
        FROM lease l JOIN plot p ON p.plot_id = l.plot_id
        WHERE l.gardener_id = ? AND (? IS NULL OR l.state = ?)
        ORDER BY l.starts_on DESC, l.lease_id
        """,
        gardener_id,
        state,
        state,
    )
    active = db.value("SELECT count(*) FROM lease WHERE gardener_id = ? AND state = 'active'", gardener_id)
    return {"leases": leases, "active_count": active}


@tool(reads=["gardener"], writes=["plot", "lease"], rejects=["INVALID_ARGUMENT", "NOT_FOUND", "FAILED_PRECONDITION"])
def start_lease(
    db: Database,
    gardener_id: Annotated[str, "the gardener"],
    plot_id: Annotated[str, "plot to lease"],
    starts_on: Annotated[Date, "first day"],
    sign_text: Annotated[
        str | None, "words for the plot's sign; null for no sign", Field(min_length=1, max_length=60)
    ] = None,
) -> Lease:
    """Lease an open plot to a gardener for a year; records no charge.

    Requires: starts_on is today or later. The plot is open.

    The lease is active with 0 renewals; expires_on is a year later than starts_on. The plot becomes leased.
    """
    if starts_on < db.today:
        raise Rejection.invalid_argument(f"starts_on {starts_on} is in the past; give {db.today} or later.")
    db.require("gardener", gardener_id)
    plot = db.require("plot", plot_id)
    if plot["state"] != "open":
        raise Rejection.failed_precondition(f"Plot {plot['label']!r} is {plot['state']}, not open.")
    lease = db.insert(
        "lease",
        lease_id=db.new_id("lease"),
        gardener_id=gardener_id,
        plot_id=plot_id,
        starts_on=starts_on,
        expires_on=_year_later(starts_on),
        renewals=0,
        state="active",
        sign_text=sign_text,
    )
    db.update("plot", plot_id, state="leased")
    return _lease(db, lease["lease_id"])


@tool(reads=["plot"], writes=["lease"], rejects=["NOT_FOUND", "FAILED_PRECONDITION"])
def renew_lease(db: Database, lease_id: Annotated[str, "lease to renew"]) -> Lease:
    """Extend an active lease by a year; records no charge.

    Requires: The lease is active.

    expires_on moves to a year later than it was; renewals goes up by 1.
    """
    lease = db.require("lease", lease_id)
    if lease["state"] != "active":
        raise Rejection.failed_precondition(f"Lease {lease_id!r} is {lease['state']}, not active.")
    db.update("lease", lease_id, expires_on=_year_later(lease["expires_on"]), renewals=lease["renewals"] + 1)
    return _lease(db, lease_id)


@tool(writes=["plot", "lease"], rejects=["NOT_FOUND", "FAILED_PRECONDITION"])
def end_lease(
    db: Database,
    lease_id: Annotated[str, "lease to end"],
    plot_cleared: Annotated[bool, "true if the gardener has cleared the plot"],
    reason: Annotated[str, "why it ends", Field(min_length=1, max_length=200)],
) -> Lease:
    """End an active lease today and free its plot.

    Requires: The lease is active.

    The lease is ended, ended_on is today, end_reason is the reason; starts_on and expires_on stay. The plot becomes
    open if plot_cleared, needs_cleanup otherwise.
    """
    lease = db.require("lease", lease_id)
    if lease["state"] != "active":
        raise Rejection.failed_precondition(f"Lease {lease_id!r} is {lease['state']}, not active.")
    db.update("lease", lease_id, state="ended", ended_on=db.today, end_reason=reason)
    db.update("plot", lease["plot_id"], state="open" if plot_cleared else "needs_cleanup")
    return _lease(db, lease_id)
