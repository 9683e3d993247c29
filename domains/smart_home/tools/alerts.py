"""Alerts: raising, acknowledging, resolving, and counting problems with devices."""

from collections import Counter
from typing import Annotated, Literal

from runtime import Database, Date, Field, Rejection, Timestamp, TypedDict, minutes_between, tool


class Alert(TypedDict):
    alert_id: Annotated[str, "the alert"]
    device_id: Annotated[str, "device it is about"]
    device_name: Annotated[str, "name of that device"]
    kind: Annotated[Literal["low_battery", "offline", "motion", "water_leak", "smoke", "tamper"], "what happened"]
    severity: Annotated[Literal["low", "medium", "high"], "how serious"]
    status: Annotated[Literal["open", "acknowledged", "resolved"], "state of the alert"]
    details: Annotated[str, "what was seen"]
    raised_at: Annotated[Timestamp, "when it was raised"]
    resolved_at: Annotated[Timestamp | None, "when it was resolved"]
    resolution: Annotated[str | None, "how it was resolved"]


class AlertList(TypedDict):
    total: Annotated[int, "alerts found or changed"]
    alerts: Annotated[list[Alert], "the alerts"]


class AlertReport(TypedDict):
    total: Annotated[int, "alerts raised"]
    high: Annotated[int, "of high severity"]
    medium: Annotated[int, "of medium severity"]
    low: Annotated[int, "of low severity"]
    resolved: Annotated[int, "resolved by now"]
    resolved_percent: Annotated[float, "share resolved"]
    average_hours_to_resolve: Annotated[float, "over the resolved ones"]


def _alert(db, alert_id):
    """Show an alert with the name of its device."""
    return db.first(
        """
        SELECT a.alert_id, a.device_id, d.name AS device_name, a.kind, a.severity, a.status, a.details,
               a.raised_at, a.resolved_at, a.resolution
        FROM alert AS a JOIN device AS d ON d.device_id = a.device_id
        WHERE a.alert_id = ?
        """,
        alert_id,
    )


@tool(reads=["home", "device", "alert"], rejects=["NOT_FOUND"])
def list_alerts(
    db: Database,
    home_id: Annotated[str, "the home"],
    status: Annotated[Literal["open", "acknowledged", "resolved"] | None, "only this state"] = None,
    severity: Annotated[Literal["low", "medium", "high"] | None, "only this severity"] = None,
    limit: Annotated[int, "most entries to return", Field(ge=1, le=50)] = 20,
) -> AlertList:
    """List the alerts of a home.

    Sorted by raised_at, latest first.
    """
    db.require("home", home_id)
    rows = db.select(
        """
        SELECT a.alert_id
        FROM alert AS a JOIN device AS d ON d.device_id = a.device_id
        WHERE d.home_id = ? AND (? IS NULL OR a.status = ?) AND (? IS NULL OR a.severity = ?)
        ORDER BY a.raised_at DESC, a.alert_id
        """,
        home_id,
        status,
        status,
        severity,
        severity,
    )
    return {"total": len(rows), "alerts": [_alert(db, row["alert_id"]) for row in rows[:limit]]}


@tool(reads=["device"], writes=["alert"], rejects=["NOT_FOUND", "FAILED_PRECONDITION", "ALREADY_EXISTS"])
def raise_alert(
    db: Database,
    device_id: Annotated[str, "the device"],
    kind: Annotated[Literal["low_battery", "offline", "motion", "water_leak", "smoke", "tamper"], "what happened"],
    severity: Annotated[Literal["low", "medium", "high"], "how serious"],
    details: Annotated[str, "what was seen", Field(min_length=1)],
) -> Alert:
    """Record a problem that a caller reports with a device.

    Requires: The device is active. A low_battery alert needs a device with battery_percent. The device has no
    unresolved alert of this kind.

    status is open and raised_at now.
    """
    device = db.require("device", device_id)
    if device["status"] == "retired":
        raise Rejection.failed_precondition(f"Device {device_id!r} is retired, not active.")
    if kind == "low_battery" and device["battery_percent"] is None:
        raise Rejection.failed_precondition(f"Device {device_id!r} is a {device['kind']} and has no battery.")
    if db.first(
        "SELECT alert_id FROM alert WHERE device_id = ? AND kind = ? AND status <> 'resolved'", device_id, kind
    ):
        raise Rejection.already_exists(f"Device {device_id!r} has an unresolved {kind} alert already.")
    alert = db.insert(
        "alert",
        alert_id=db.new_id("alert"),
        device_id=device_id,
        kind=kind,
        severity=severity,
        status="open",
        details=details,
        raised_at=db.now,
    )
    return _alert(db, alert["alert_id"])


@tool(reads=["device"], writes=["alert"], rejects=["NOT_FOUND", "FAILED_PRECONDITION"])
def acknowledge_alerts(
    db: Database, alert_ids: Annotated[list[str], "open alerts", Field(min_length=1, max_length=20)]
) -> AlertList:
    """Mark open alerts as seen.

    Requires: Every alert is open.

    status becomes acknowledged.
    """
    if len(set(alert_ids)) < len(alert_ids):
        raise Rejection.invalid_argument("The list names an alert twice.")
    for alert in [db.require("alert", alert_id) for alert_id in alert_ids]:
        if alert["status"] != "open":
            raise Rejection.failed_precondition(f"Alert {alert['alert_id']!r} is {alert['status']}, not open.")
    for alert_id in alert_ids:
        db.update("alert", alert_id, status="acknowledged")
    return {"total": len(alert_ids), "alerts": [_alert(db, alert_id) for alert_id in alert_ids]}


@tool(reads=["device"], writes=["alert"], rejects=["NOT_FOUND", "FAILED_PRECONDITION"])
def resolve_alert(
    db: Database,
    alert_id: Annotated[str, "the alert"],
    resolution: Annotated[str, "how it was resolved", Field(min_length=1)],
) -> Alert:
    """Close an acknowledged alert.

    Requires: The alert is acknowledged. An offline alert is resolved only when its device is online.

    status becomes resolved, resolved_at now, and resolution is stored.
    """
    alert = db.require("alert", alert_id)
    if alert["status"] != "acknowledged":
        raise Rejection.failed_precondition(f"Alert {alert_id!r} is {alert['status']}, not acknowledged.")
    device = db.require("device", alert["device_id"])
    if alert["kind"] == "offline" and device["status"] != "online":
        raise Rejection.failed_precondition(f"Device {device['device_id']!r} is {device['status']}, not online.")
    db.update("alert", alert_id, status="resolved", resolved_at=db.now, resolution=resolution)
    return _alert(db, alert_id)


@tool(reads=["home", "device", "alert"], rejects=["INVALID_ARGUMENT", "NOT_FOUND"])
def report_alerts(
    db: Database,
    from_on: Annotated[Date, "first day"],
    to_on: Annotated[Date, "last day"],
    home_id: Annotated[str | None, "only this home"] = None,
) -> AlertReport:
    """Count the alerts raised in a period.

    Requires: from_on is not after to_on.

    Counts alerts whose raised_at falls on a day of the period. average_hours_to_resolve is over the whole hours from
    raised_at to resolved_at of each resolved alert.
    """
    if from_on > to_on:
        raise Rejection.invalid_argument(f"The first day {from_on} must not be after the last day {to_on}.")
    if home_id is not None:
        db.require("home", home_id)
    rows = db.select(
        """
        SELECT a.severity, a.status, a.raised_at, a.resolved_at
        FROM alert AS a JOIN device AS d ON d.device_id = a.device_id
        WHERE substr(a.raised_at, 1, 10) BETWEEN ? AND ? AND (? IS NULL OR d.home_id = ?)
        """,
        from_on,
        to_on,
        home_id,
        home_id,
    )
    severities = Counter(row["severity"] for row in rows)
    hours = [minutes_between(row["raised_at"], row["resolved_at"]) // 60 for row in rows if row["status"] == "resolved"]
    return {
        "total": len(rows),
        "high": severities["high"],
        "medium": severities["medium"],
        "low": severities["low"],
        "resolved": len(hours),
        "resolved_percent": round(100 * len(hours) / len(rows), 2) if rows else 0.0,
        "average_hours_to_resolve": round(sum(hours) / len(hours), 2) if hours else 0.0,
    }
