"""Rules of the Harborview Brokerage client desk that its tools do not enforce."""

from runtime import Database, add_days
from runtime.rules import Call, duty, rule


@rule("WEAK_STOCK", on={"place_market_order": "stock_id"}, reads=["stock"])
def weak_stock(call: Call, now: Database, start: Database) -> bool:
    """A market order, to buy or to sell, is not taken in a stock whose last price is below its previous closing price;
    a last price equal to the close is fine. This covers new market orders only: limit and stop orders in such a
    stock may be placed, and open orders may be executed."""
    stock = now.get("stock", call.arguments["stock_id"])
    return stock is None or stock["last_price_cents"] >= stock["previous_close_cents"]


@rule(
    "CHANGED_BEFORE",
    on={"change_order": "order_id"},
    reads=["order"],
    exempt={
        "place_market_order": "A new order is not a change of an old one.",
        "place_limit_order": "A new order is not a change of an old one.",
        "place_stop_order": "A new order is not a change of an old one.",
    },
)
def changed_before(call: Call, now: Database, start: Database) -> bool:
    """An order that has been changed before cannot be changed again, whatever the change would be: quantity, price, or
    duration. Canceling such an order is not covered."""
    order = now.get("order", call.arguments["order_id"])
    return order is None or order["change_count"] == 0


@rule("STANDING_ORDER", on={"cancel_order": "order_id", "cancel_orders": "order_ids"}, reads=["order"])
def standing_order(call: Call, now: Database, start: Database) -> bool:
    """An order must stand until the end of the day on which it was placed: it can be canceled only on a later day,
    even if part of it is filled. An order placed on Monday can be canceled from Tuesday on. Changing or executing
    an order is not covered."""
    order_id = call.arguments["order_id"] if call.tool == "cancel_order" else call.item
    order = now.get("order", order_id)
    return order is None or order["placed_at"] < now.today


@rule("BANK_AGE", on={"request_withdrawal": "account_id"}, reads=["account"], days=60)
def bank_age(call: Call, now: Database, start: Database, days: int) -> bool:
    """Money can be withdrawn to the linked bank only if that bank was linked to the account at least {days} days ago.
    Calendar days count, and the day of linking is not counted; exactly {days} days is enough. Linking another bank
    starts the wait again. Deposits and withdrawals already requested are not covered."""
    account = now.get("account", call.arguments["account_id"])
    if account is None or account["bank_linked_at"] is None:
        return True
    return account["bank_linked_at"] < add_days(now.today, 1 - days)


@rule(
    "DEPOSIT_WAIT",
    on={"clear_deposit": "cash_entry_id"},
    reads=["cash_entry"],
    exempt={
        "complete_withdrawal": "It completes withdrawals, not deposits.",
        "transfer_cash": "It adds transfers, which are not deposits.",
        "charge_fee": "It adds a fee, which is not a deposit.",
        "issue_credit": "It adds a credit, which is not a deposit.",
    },
    days=2,
)
def deposit_wait(call: Call, now: Database, start: Database, days: int) -> bool:
    """A pending deposit can be cleared only once at least {days} days have passed since the day it was entered.
    Calendar days count, not hours: a deposit entered on Monday at any time can be cleared from Wednesday on.
    Returning a deposit is not covered."""
    entry = now.get("cash_entry", call.arguments["cash_entry_id"])
    return entry is None or entry["created_at"] < add_days(now.today, 1 - days)


@rule("IRA_CASH_STAYS", on={"transfer_cash": "from_account_id"}, reads=["account"])
def ira_cash_stays(call: Call, now: Database, start: Database) -> bool:
    """Cash is never transferred from a retirement account, that is, a traditional or Roth IRA, to another account.
    Transfers from individual and joint accounts are fine, also into an IRA. Withdrawals to a bank and transfers of
    shares are not covered."""
    account = now.get("account", call.arguments["from_account_id"])
    return account is None or account["account_type"] not in ("traditional_ira", "roth_ira")


@rule("REINVESTED_SHARES", on={"transfer_shares": "from_account_id"}, reads=["account"])
def reinvested_shares(call: Call, now: Database, start: Database) -> bool:
    """Shares cannot be moved out of an account that reinvests its dividends; dividends there must be set to cash
    before. Whether the receiving account reinvests does not matter, and selling shares is not covered."""
    account = now.get("account", call.arguments["from_account_id"])
    return account is None or account["reinvest_dividends"] == 0


@rule("ALERTS_BY_TIER", on={"create_price_alert": "client_id"}, reads=["client"])
def alerts_by_tier(call: Call, now: Database, start: Database) -> bool:
    """New price alerts are set only for clients of the active and premium tiers, not for standard clients. A standard
    client's existing alerts may still be changed or canceled."""
    client = now.get("client", call.arguments["client_id"])
    return client is None or client["tier"] != "standard"


@rule("CREDIT_SENIORITY", on={"issue_credit": "account_id"}, reads=["account"], days=365)
def credit_seniority(call: Call, now: Database, start: Database, days: int) -> bool:
    """A credit, for whatever reason and of whatever amount, is given only to an account that was opened at least
    {days} days ago. Calendar days count from the day of opening, which itself is not counted; exactly {days} days
    is enough."""
    account = now.get("account", call.arguments["account_id"])
    return account is None or account["opened_on"] <= add_days(now.today, -days)


@duty("DECLINED_STAYS_DECLINED", reads=["declined_request", "order", "cash_entry"])
def declined_stays_declined(start: Database, end: Database) -> bool:
    """What was declined today is not done after all: an order whose cancellation was declined must not be canceled, an
    order whose change was declined must not be changed, and a deposit that could not be cleared yet must not be
    cleared."""
    for note in end.select("SELECT subject_id, rule_code FROM declined_request"):
        key, code = note["subject_id"], note["rule_code"]
        if code in ("STANDING_ORDER", "CHANGED_BEFORE"):
            before, after = start.get("order", key), end.get("order", key)
            if before is not None and after is not None:
                if code == "STANDING_ORDER" and before["status"] != "canceled" and after["status"] == "canceled":
                    return False
                if code == "CHANGED_BEFORE" and before["change_count"] != after["change_count"]:
                    return False
        if code == "DEPOSIT_WAIT":
            before, after = start.get("cash_entry", key), end.get("cash_entry", key)
            if (
                before is not None
                and after is not None
                and before["status"] == "pending"
                and after["status"] == "completed"
            ):
                return False
    return True


@duty("CANCELED_WITHDRAWAL_FEE", reads=["cash_entry"], fee_cents=1000)
def canceled_withdrawal_fee(start: Database, end: Database, fee_cents: int) -> bool:
    """When a client has a pending withdrawal canceled, charge the account it would have come from a fee of {fee_cents}
    for each canceled withdrawal, every fee as an entry of its own."""
    old = {row["cash_entry_id"]: row["status"] for row in start.select("SELECT cash_entry_id, status FROM cash_entry")}
    canceled, fees = {}, {}
    for row in end.select("SELECT * FROM cash_entry WHERE kind IN ('withdrawal', 'fee') ORDER BY cash_entry_id"):
        key = row["cash_entry_id"]
        if row["kind"] == "withdrawal" and row["status"] == "canceled" and old.get(key) != "canceled":
            canceled[row["account_id"]] = canceled.get(row["account_id"], 0) + 1
        if row["kind"] == "fee" and key not in old and row["amount_cents"] == fee_cents:
            fees[row["account_id"]] = fees.get(row["account_id"], 0) + 1
    return all(fees.get(account_id, 0) >= number for account_id, number in canceled.items())
