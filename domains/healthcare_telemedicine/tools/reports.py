"""Reports: overdue lists, totals, and a supply calculator."""

from typing import Annotated, Literal

from runtime import Database, Date, Field, Rejection, Timestamp, TypedDict, add_days, days_between, tool


class Charge(TypedDict):
    charge_id: Annotated[str, "charge"]
    patient_id: Annotated[str, "patient"]
    patient_name: Annotated[str, "patient's name"]
    visit_id: Annotated[str | None, "visit it concerns"]
    kind: Annotated[
        Literal["visit", "no_show_fee", "late_cancellation_fee", "plan_fee", "records_fee"], "kind of charge"
    ]
    note: Annotated[str | None, "note on the bill"]
    amount_cents: Annotated[int, "amount charged"]
    paid_cents: Annotated[int, "paid in all"]
    refunded_cents: Annotated[int, "refunded in all"]
    credited_cents: Annotated[int, "settled by account credit"]
    waived_cents: Annotated[int, "waived in all"]
    balance_cents: Annotated[int, "still owed"]
    created_at: Annotated[Timestamp, "when charged"]
    due_on: Annotated[Date, "due date"]
    last_paid_on: Annotated[Date | None, "day of last payment"]
    adjustment_note: Annotated[str | None, "reason of last refund or waiver"]


class ChargeList(TypedDict):
    items: Annotated[list[Charge], "entries"]
    total: Annotated[int, "all matches"]
    balance_cents: Annotated[int, "sum of balances"]


class VisitSummary(TypedDict):
    booked: Annotated[int, "visits in status booked"]
    checked_in: Annotated[int, "visits in status checked_in"]
    completed: Annotated[int, "visits in status completed"]
    canceled: Annotated[int, "visits in status canceled"]
    no_show: Annotated[int, "visits in status no_show"]
    total: Annotated[int, "all visits"]
    no_show_percent: Annotated[float, "share missed, 2 decimals"]


class ChargeSummary(TypedDict):
    count: Annotated[int, "number of charges"]
    charged_cents: Annotated[int, "sum of amount_cents"]
    paid_cents: Annotated[int, "sum of paid_cents"]
    refunded_cents: Annotated[int, "sum of refunded_cents"]
    credited_cents: Annotated[int, "sum of credited_cents"]
    waived_cents: Annotated[int, "sum of waived_cents"]
    balance_cents: Annotated[int, "sum of balances"]
    collected_percent: Annotated[float, "share paid, 2 decimals"]


class SupplyEnd(TypedDict):
    days_covered: Annotated[int, "whole days the fill lasts"]
    ends_on: Annotated[Date, "last covered day"]
    days_left: Annotated[int, "days from today, negative if past"]


@tool(reads=["patient", "charge"])
def list_overdue_charges(
    db: Database,
    overdue_days: Annotated[int, "at least this many days late", Field(ge=1)] = 1,
    limit: Annotated[int, "most entries to return", Field(ge=1, le=50)] = 20,
) -> ChargeList:
    """List open charges past their due date.

    Lists open charges due at least overdue_days before today, by due_on; balance_cents sums all matches before the cut.
    """
    rows = db.select(
        """
        SELECT charge_id, charge.patient_id, patient.name AS patient_name, visit_id, kind, note, amount_cents, paid_cents,
            refunded_cents, credited_cents, waived_cents,
            amount_cents - paid_cents - credited_cents - waived_cents AS balance_cents,
            created_at, due_on, last_paid_on, adjustment_note
        FROM charge JOIN patient ON patient.patient_id = charge.patient_id
        WHERE amount_cents - paid_cents - credited_cents - waived_cents > 0
            AND julianday(?) - julianday(due_on) >= ?
        ORDER BY due_on, charge_id
        """,
        db.today,
        overdue_days,
    )
    return {"items": rows[:limit], "total": len(rows), "balance_cents": sum(row["balance_cents"] for row in rows)}


@tool(reads=["clinician", "slot", "visit"], rejects=["INVALID_ARGUMENT", "NOT_FOUND"])
def summarize_visits(
    db: Database,
    from_date: Annotated[Date, "first day"],
    to_date: Annotated[Date, "last day"],
    clinician_id: Annotated[str | None, "only this clinician"] = None,
) -> VisitSummary:
    """Count visits by status over a span of days.

    Requires: The last day is not before the first.

    Counts visits whose starts_at falls on these days; no_show_percent is no_show of completed plus no_show.
    """
    if to_date < from_date:
        raise Rejection.invalid_argument(f"The last day {to_date} is before the first, {from_date}.")
    if clinician_id is not None:
        db.require("clinician", clinician_id)
    counts = db.first(
        """
        SELECT coalesce(sum(visit.status = 'booked'), 0) AS booked,
            coalesce(sum(visit.status = 'checked_in'), 0) AS checked_in,
            coalesce(sum(visit.status = 'completed'), 0) AS completed,
            coalesce(sum(visit.status = 'canceled'), 0) AS canceled,
            coalesce(sum(visit.status = 'no_show'), 0) AS no_show,
            count(*) AS total
        FROM visit JOIN slot ON slot.slot_id = visit.slot_id
        WHERE substr(starts_at, 1, 10) BETWEEN ? AND ? AND (? IS NULL OR slot.clinician_id = ?)
        """,
        from_date,
        to_date,
        clinician_id,
        clinician_id,
    )
    held = counts["completed"] + counts["no_show"]
    return {**counts, "no_show_percent": round(100 * counts["no_show"] / held, 2) if held else 0.0}


@tool(reads=["charge"], rejects=["INVALID_ARGUMENT"])
def summarize_charges(
    db: Database, from_date: Annotated[Date, "first day"], to_date: Annotated[Date, "last day"]
) -> ChargeSummary:
    """Total the charges made over a span of days.

    Requires: The last day is not before the first.

    Covers charges whose created_at falls on these days; collected_percent is paid_cents of charged_cents.
    """
    if to_date < from_date:
        raise Rejection.invalid_argument(f"The last day {to_date} is before the first, {from_date}.")
    sums = db.first(
        """
        SELECT count(*) AS count,
            coalesce(sum(amount_cents), 0) AS charged_cents,
            coalesce(sum(paid_cents), 0) AS paid_cents,
            coalesce(sum(refunded_cents), 0) AS refunded_cents,
            coalesce(sum(credited_cents), 0) AS credited_cents,
            coalesce(sum(waived_cents), 0) AS waived_cents,
            coalesce(sum(amount_cents - paid_cents - credited_cents - waived_cents), 0) AS balance_cents
        FROM charge
        WHERE substr(created_at, 1, 10) BETWEEN ? AND ?
        """,
        from_date,
        to_date,
    )
    charged = sums["charged_cents"]
    return {**sums, "collected_percent": round(100 * sums["paid_cents"] / charged, 2) if charged else 0.0}


@tool(rejects=["INVALID_ARGUMENT"])
def calculate_supply_end(
    db: Database,
    filled_on: Annotated[Date, "day of the fill"],
    quantity: Annotated[int, "units filled", Field(ge=1)],
    units_per_day: Annotated[int, "units taken a day", Field(ge=1)],
) -> SupplyEnd:
    """Work out when a fill of medication runs out.

    Requires: The quantity lasts at least one day.

    days_covered is quantity divided by units_per_day, rounded down; ends_on is filled_on plus days_covered minus 1
    days; days_left is ends_on minus today.
    """
    days_covered = quantity // units_per_day
    if days_covered < 1:
        raise Rejection.invalid_argument(f"{quantity} units do not last one day at {units_per_day} a day.")
    ends_on = add_days(filled_on, days_covered - 1)
    return {"days_covered": days_covered, "ends_on": ends_on, "days_left": days_between(db.today, ends_on)}
