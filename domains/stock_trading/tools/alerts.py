"""Alerts: setting, listing, changing, and canceling price alerts."""

from typing import Annotated, Literal

from runtime import Database, Field, Rejection, Timestamp, TypedDict, tool


class PriceAlert(TypedDict):
    price_alert_id: Annotated[str, "the alert"]
    client_id: Annotated[str, "client to alert"]
    stock_id: Annotated[str, "the stock"]
    symbol: Annotated[str, "ticker symbol"]
    direction: Annotated[Literal["above", "below"], "price rises above or falls below"]
    target_price_cents: Annotated[int, "price that triggers it"]
    status: Annotated[Literal["active", "triggered", "canceled"], "state"]
    created_at: Annotated[Timestamp, "when it was set"]


class PriceAlertList(TypedDict):
    alerts: Annotated[list[PriceAlert], "matching alerts"]
    total: Annotated[int, "all matches"]


def _show(db, alert):
    return alert | {"symbol": db.get("stock", alert["stock_id"])["symbol"]}


def _check_target(stock, direction, target_price_cents):
    last = stock["last_price_cents"]
    if target_price_cents <= last if direction == "above" else target_price_cents >= last:
        raise Rejection.failed_precondition(f"A target {direction} the last price of {last} cents is needed.")


def _check_new(db, client_id, stock_id, direction, target_price_cents, price_alert_id):
    if db.first(
        """
        SELECT price_alert_id FROM price_alert
        WHERE client_id = ? AND stock_id = ? AND direction = ? AND target_price_cents = ? AND status = 'active'
          AND (? IS NULL OR price_alert_id <> ?)
        """,
        client_id,
        stock_id,
        direction,
        target_price_cents,
        price_alert_id,
        price_alert_id,
    ):
        raise Rejection.already_exists(
            f"Client {client_id!r} already has an active alert {direction} {target_price_cents} cents."
        )


def _require_active(db, price_alert_id):
    alert = db.require("price_alert", price_alert_id)
    if alert["status"] != "active":
        raise Rejection.failed_precondition(f"Alert {price_alert_id!r} is {alert['status']}, not active.")
    return alert


@tool(reads=["client", "stock"], writes=["price_alert"], rejects=["NOT_FOUND", "FAILED_PRECONDITION", "ALREADY_EXISTS"])
def create_price_alert(
    db: Database,
    client_id: Annotated[str, "the client"],
    stock_id: Annotated[str, "the stock"],
    direction: Annotated[Literal["above", "below"], "price rises above or falls below"],
    target_price_cents: Annotated[int, "price that triggers it", Field(ge=1, le=10000000)],
) -> PriceAlert:
    """Set a price alert for a client.

    Requires: The target is above the last price for above, below it for below. The client has no active alert on the
    stock with that direction and target.

    Adds an active alert.
    """
    db.require("client", client_id)
    stock = db.require("stock", stock_id)
    _check_target(stock, direction, target_price_cents)
    _check_new(db, client_id, stock_id, direction, target_price_cents, None)
    alert = db.insert(
        "price_alert",
        price_alert_id=db.new_id("price_alert"),
        client_id=client_id,
        stock_id=stock_id,
        direction=direction,
        target_price_cents=target_price_cents,
        status="active",
        created_at=db.now,
    )
    return _show(db, alert)


@tool(reads=["client", "stock", "price_alert"], rejects=["NOT_FOUND"])
def list_price_alerts(
    db: Database,
    client_id: Annotated[str, "the client"],
    status: Annotated[Literal["active", "triggered", "canceled"] | None, "state"] = None,
    limit: Annotated[int, "most entries returned", Field(ge=1, le=50)] = 20,
) -> PriceAlertList:
    """List a client's price alerts.

    By created_at, newest first.
    """
    db.require("client", client_id)
    alerts = db.select(
        """
        SELECT * FROM price_alert WHERE client_id = ? AND (? IS NULL OR status = ?)
        ORDER BY created_at DESC, price_alert_id
        """,
        client_id,
        status,
        status,
    )
    return {"alerts": [_show(db, alert) for alert in alerts[:limit]], "total": len(alerts)}


@tool(reads=["stock"], writes=["price_alert"], rejects=["NOT_FOUND", "FAILED_PRECONDITION", "ALREADY_EXISTS"])
def change_price_alert(
    db: Database,
    price_alert_id: Annotated[str, "the alert"],
    target_price_cents: Annotated[int, "new target price", Field(ge=1, le=10000000)],
) -> PriceAlert:
    """Change the target of an active price alert.

    Requires: The alert is active. The target is above the last price for above, below it for below. The client has no
    other active alert on the stock with that direction and target.

    Sets the target.
    """
    alert = _require_active(db, price_alert_id)
    _check_target(db.get("stock", alert["stock_id"]), alert["direction"], target_price_cents)
    _check_new(db, alert["client_id"], alert["stock_id"], alert["direction"], target_price_cents, price_alert_id)
    return _show(db, db.update("price_alert", price_alert_id, target_price_cents=target_price_cents))


@tool(reads=["stock"], writes=["price_alert"], rejects=["NOT_FOUND", "FAILED_PRECONDITION"])
def cancel_price_alert(db: Database, price_alert_id: Annotated[str, "the alert"]) -> PriceAlert:
    """Cancel an active price alert.

    Requires: The alert is active.

    Becomes canceled.
    """
    _require_active(db, price_alert_id)
    return _show(db, db.update("price_alert", price_alert_id, status="canceled"))
