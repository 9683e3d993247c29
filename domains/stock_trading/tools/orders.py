"""Orders: previewing, placing, changing, executing, and canceling orders."""

from typing import Annotated, Literal

from runtime import Database, Date, Field, Rejection, Timestamp, TypedDict, add_days, tool


class OrderPreview(TypedDict):
    price_cents: Annotated[int, "last price of a share"]
    amount_cents: Annotated[int, "quantity times price"]
    available_cents: Annotated[int, "cash free to trade"]
    free_shares: Annotated[int, "shares free to sell"]
    possible: Annotated[bool, "cash or shares suffice"]


class Order(TypedDict):
    order_id: Annotated[str, "the order"]
    account_id: Annotated[str, "account it trades for"]
    stock_id: Annotated[str, "the stock"]
    symbol: Annotated[str, "ticker symbol"]
    side: Annotated[Literal["buy", "sell"], "buy or sell"]
    order_type: Annotated[Literal["market", "limit", "stop"], "kind of order"]
    quantity: Annotated[int, "shares ordered"]
    filled_quantity: Annotated[int, "shares filled so far"]
    price_cents: Annotated[int | None, "limit or stop price; null for market"]
    time_in_force: Annotated[Literal["day", "gtc"], "today only or until canceled"]
    status: Annotated[Literal["open", "partially_filled", "filled", "canceled"], "state"]
    change_count: Annotated[int, "how often it was changed"]
    placed_at: Annotated[Timestamp, "when it was placed"]
    canceled_at: Annotated[Timestamp | None, "when it was canceled"]
    cancel_reason: Annotated[str | None, "why it was canceled"]


class Trade(TypedDict):
    trade_id: Annotated[str, "the trade"]
    order_id: Annotated[str, "order it filled"]
    account_id: Annotated[str, "account it belongs to"]
    symbol: Annotated[str, "ticker symbol"]
    side: Annotated[Literal["buy", "sell"], "buy or sell"]
    quantity: Annotated[int, "shares traded"]
    price_cents: Annotated[int, "price of a share"]
    amount_cents: Annotated[int, "quantity times price"]
    realized_gain_cents: Annotated[int | None, "gain of a sale; null for buys"]
    traded_at: Annotated[Timestamp, "when it was traded"]
    settles_on: Annotated[Date, "settlement day"]
    is_reversed: Annotated[bool, "was reversed"]
    reversal_reason: Annotated[str | None, "why it was reversed"]


class FilledOrder(TypedDict):
    order: Annotated[Order, "the order"]
    trade: Annotated[Trade, "the new trade"]
    cash_cents: Annotated[int, "the account's cash"]


class OrderEntry(TypedDict):
    order_id: Annotated[str, "the order"]
    symbol: Annotated[str, "ticker symbol"]
    side: Annotated[Literal["buy", "sell"], "buy or sell"]
    order_type: Annotated[Literal["market", "limit", "stop"], "kind of order"]
    quantity: Annotated[int, "shares ordered"]
    price_cents: Annotated[int | None, "limit or stop price"]
    status: Annotated[Literal["open", "partially_filled", "filled", "canceled"], "state"]
    placed_at: Annotated[Timestamp, "when it was placed"]


class OrderList(TypedDict):
    orders: Annotated[list[OrderEntry], "matching orders"]
    total: Annotated[int, "all matches"]


class CanceledOrders(TypedDict):
    orders: Annotated[list[Order], "the canceled orders"]
    released_cents: Annotated[int, "cash no longer held"]


def _held(db, account_id):
    return db.value(
        """
        SELECT (SELECT coalesce(sum((quantity - filled_quantity) * price_cents), 0) FROM "order"
                WHERE account_id = ? AND side = 'buy' AND status IN ('open', 'partially_filled'))
             + (SELECT coalesce(sum(amount_cents), 0) FROM cash_entry
                WHERE account_id = ? AND kind = 'withdrawal' AND status = 'pending')
        """,
        account_id,
        account_id,
    )


def _free_shares(db, account_id, stock_id):
    return db.value(
        """
        SELECT coalesce((SELECT quantity FROM position WHERE account_id = ? AND stock_id = ?), 0)
             - (SELECT coalesce(sum(quantity - filled_quantity), 0) FROM "order"
                WHERE account_id = ? AND stock_id = ? AND side = 'sell' AND status IN ('open', 'partially_filled'))
        """,
        account_id,
        stock_id,
        account_id,
        stock_id,
    )


def _order(db, order):
    return order | {"symbol": db.get("stock", order["stock_id"])["symbol"]}


def _check_other_side(db, account_id, stock_id, side):
    other = db.first(
        """
        SELECT order_id FROM "order"
        WHERE account_id = ? AND stock_id = ? AND side <> ? AND status IN ('open', 'partially_filled')
        """,
        account_id,
        stock_id,
        side,
    )
    if other is not None:
        raise Rejection.failed_precondition(
            f"Order {other['order_id']!r} on the other side of the stock is still open."
        )


def _check_means(db, account, stock_id, side, quantity, price_cents):
    account_id = account["account_id"]
    if side == "buy" and quantity * price_cents > account["cash_cents"] - _held(db, account_id):
        raise Rejection.failed_precondition(
            f"Account {account_id!r} does not have {quantity * price_cents} cents available."
        )
    if side == "sell" and quantity > _free_shares(db, account_id, stock_id):
        raise Rejection.failed_precondition(f"Account {account_id!r} does not have {quantity} free shares.")


def _check_open(order):
    if order["status"] not in ("open", "partially_filled"):
        raise Rejection.failed_precondition(f"Order {order['order_id']!r} is {order['status']}, not open.")


def _fill(db, order, stock, shares):
    amount = shares * stock["last_price_cents"]
    account = db.get("account", order["account_id"])
    position = db.first(
        "SELECT * FROM position WHERE account_id = ? AND stock_id = ?", order["account_id"], order["stock_id"]
    )
    gain = None
    if order["side"] == "buy":
        cash = account["cash_cents"] - amount
        if position is None:
            db.insert(
                "position",
                position_id=db.new_id("position"),
                account_id=order["account_id"],
                stock_id=order["stock_id"],
                quantity=shares,
                cost_cents=amount,
            )
        else:
            db.update(
                "position",
                position["position_id"],
                quantity=position["quantity"] + shares,
                cost_cents=position["cost_cents"] + amount,
            )
    else:
        cash = account["cash_cents"] + amount
        cost = position["cost_cents"] * shares // position["quantity"]
        gain = amount - cost
        db.update(
            "position",
            position["position_id"],
            quantity=position["quantity"] - shares,
            cost_cents=position["cost_cents"] - cost,
        )
    db.update("account", order["account_id"], cash_cents=cash)
    filled = order["filled_quantity"] + shares
    order = db.update(
        "order",
        order["order_id"],
        filled_quantity=filled,
        status="filled" if filled == order["quantity"] else "partially_filled",
    )
    trade = db.insert(
        "trade",
        trade_id=db.new_id("trade"),
        order_id=order["order_id"],
        quantity=shares,
        price_cents=stock["last_price_cents"],
        amount_cents=amount,
        realized_gain_cents=gain,
        traded_at=db.now,
        settles_on=add_days(db.today, 1),
        is_reversed=0,
    )
    return {"order": _order(db, order), "trade": _trade(db, trade), "cash_cents": cash}


def _trade(db, trade):
    order = db.get("order", trade["order_id"])
    return {
        "trade_id": trade["trade_id"],
        "order_id": trade["order_id"],
        "account_id": order["account_id"],
        "symbol": db.get("stock", order["stock_id"])["symbol"],
        "side": order["side"],
        "quantity": trade["quantity"],
        "price_cents": trade["price_cents"],
        "amount_cents": trade["amount_cents"],
        "realized_gain_cents": trade["realized_gain_cents"],
        "traded_at": trade["traded_at"],
        "settles_on": trade["settles_on"],
        "is_reversed": bool(trade["is_reversed"]),
        "reversal_reason": trade["reversal_reason"],
    }


@tool(reads=["account", "stock", "order", "position", "cash_entry"], rejects=["NOT_FOUND"])
def preview_order(
    db: Database,
    account_id: Annotated[str, "the account"],
    stock_id: Annotated[str, "the stock"],
    side: Annotated[Literal["buy", "sell"], "buy or sell"],
    quantity: Annotated[int, "number of shares", Field(ge=1, le=100000)],
) -> OrderPreview:
    """Show what an order would come to at the last price.

    possible: a buy's amount_cents is at most available_cents, a sell's quantity at most free_shares; states do not
    count.
    """
    account = db.require("account", account_id)
    stock = db.require("stock", stock_id)
    amount = quantity * stock["last_price_cents"]
    available = account["cash_cents"] - _held(db, account_id)
    free = _free_shares(db, account_id, stock_id)
    return {
        "price_cents": stock["last_price_cents"],
        "amount_cents": amount,
        "available_cents": available,
        "free_shares": free,
        "possible": amount <= available if side == "buy" else quantity <= free,
    }


@tool(
    reads=["stock", "cash_entry"],
    writes=["account", "order", "trade", "position"],
    rejects=["NOT_FOUND", "FAILED_PRECONDITION"],
)
def place_market_order(
    db: Database,
    account_id: Annotated[str, "the account"],
    stock_id: Annotated[str, "the stock"],
    side: Annotated[Literal["buy", "sell"], "buy or sell"],
    quantity: Annotated[int, "number of shares", Field(ge=1, le=100000)],
) -> FilledOrder:
    """Buy or sell shares at once at the last price.

    Requires: The account is active. The stock is trading. The account has no open order in the stock on the other side.
    For a buy, quantity × last_price_cents is at most available_cents. For a sell, quantity is at most free_shares.

    Adds a market order, time_in_force day, and fills all of it.
    """
    account = db.require("account", account_id)
    stock = db.require("stock", stock_id)
    if account["status"] != "active":
        raise Rejection.failed_precondition(f"Account {account_id!r} is {account['status']}, not active.")

    if stock["status"] != "trading":
        raise Rejection.failed_precondition(f"Stock {stock_id!r} is halted.")
    _check_other_side(db, account_id, stock_id, side)
    _check_means(db, account, stock_id, side, quantity, stock["last_price_cents"])
    order = db.insert(
        "order",
        order_id=db.new_id("order"),
        account_id=account_id,
        stock_id=stock_id,
        side=side,
        order_type="market",
        quantity=quantity,
        filled_quantity=0,
        time_in_force="day",
        status="open",
        change_count=0,
        placed_at=db.now,
    )
    return _fill(db, order, stock, quantity)


@tool(
    reads=["account", "stock", "position", "cash_entry"], writes=["order"], rejects=["NOT_FOUND", "FAILED_PRECONDITION"]
)
def place_limit_order(
    db: Database,
    account_id: Annotated[str, "the account"],
    stock_id: Annotated[str, "the stock"],
    side: Annotated[Literal["buy", "sell"], "buy or sell"],
    quantity: Annotated[int, "number of shares", Field(ge=1, le=100000)],
    limit_price_cents: Annotated[int, "worst price of a share", Field(ge=1, le=10000000)],
    time_in_force: Annotated[Literal["day", "gtc"], "today only or until canceled"] = "day",
) -> Order:
    """Place an order to trade at a limit price or better.

    Requires: The account is active. The account has no open order in the stock on the other side. For a buy, quantity ×
    limit_price_cents is at most available_cents. For a sell, quantity is at most free_shares.

    Adds an open limit order; price_cents is the limit price. It does not fill yet, whatever the last price.
    """
    account = db.require("account", account_id)
    db.require("stock", stock_id)
    if account["status"] != "active":
        raise Rejection.failed_precondition(f"Account {account_id!r} is {account['status']}, not active.")

    _check_other_side(db, account_id, stock_id, side)
    _check_means(db, account, stock_id, side, quantity, limit_price_cents)
    order = db.insert(
        "order",
        order_id=db.new_id("order"),
        account_id=account_id,
        stock_id=stock_id,
        side=side,
        order_type="limit",
        quantity=quantity,
        filled_quantity=0,
        price_cents=limit_price_cents,
        time_in_force=time_in_force,
        status="open",
        change_count=0,
        placed_at=db.now,
    )
    return _order(db, order)


@tool(reads=["account", "stock", "position"], writes=["order"], rejects=["NOT_FOUND", "FAILED_PRECONDITION"])
def place_stop_order(
    db: Database,
    account_id: Annotated[str, "the account"],
    stock_id: Annotated[str, "the stock"],
    quantity: Annotated[int, "number of shares", Field(ge=1, le=100000)],
    stop_price_cents: Annotated[int, "price that triggers the sale", Field(ge=1, le=10000000)],
    time_in_force: Annotated[Literal["day", "gtc"], "today only or until canceled"] = "gtc",
) -> Order:
    """Place an order to sell once the price falls to a stop price.

    Requires: The account is active. The account has no open order in the stock on the other side. The stop price is
    below last_price_cents. quantity is at most free_shares.

    Adds an open stop order, side sell; price_cents is the stop price.
    """
    account = db.require("account", account_id)
    stock = db.require("stock", stock_id)
    if account["status"] != "active":
        raise Rejection.failed_precondition(f"Account {account_id!r} is {account['status']}, not active.")

    _check_other_side(db, account_id, stock_id, "sell")
    if stop_price_cents >= stock["last_price_cents"]:
        raise Rejection.failed_precondition(
            f"The stop price must be below the last price of {stock['last_price_cents']} cents."
        )
    if quantity > _free_shares(db, account_id, stock_id):
        raise Rejection.failed_precondition(f"Account {account_id!r} does not have {quantity} free shares.")
    order = db.insert(
        "order",
        order_id=db.new_id("order"),
        account_id=account_id,
        stock_id=stock_id,
        side="sell",
        order_type="stop",
        quantity=quantity,
        filled_quantity=0,
        price_cents=stop_price_cents,
        time_in_force=time_in_force,
        status="open",
        change_count=0,
        placed_at=db.now,
    )
    return _order(db, order)


@tool(reads=["stock", "order"], rejects=["NOT_FOUND"])
def get_order(db: Database, order_id: Annotated[str, "the order"]) -> Order:
    """Show an order."""
    return _order(db, db.require("order", order_id))


@tool(reads=["account", "stock", "order"], rejects=["NOT_FOUND"])
def list_orders(
    db: Database,
    account_id: Annotated[str, "the account"],
    stock_id: Annotated[str | None, "only this stock"] = None,
    status: Annotated[Literal["open", "partially_filled", "filled", "canceled"] | None, "state"] = None,
    limit: Annotated[int, "most entries returned", Field(ge=1, le=50)] = 20,
) -> OrderList:
    """List an account's orders.

    By placed_at, newest first.
    """
    db.require("account", account_id)
    if stock_id is not None:
        db.require("stock", stock_id)
    orders = db.select(
        """
        SELECT "order".order_id, stock.symbol, "order".side, "order".order_type, "order".quantity, "order".price_cents,
               "order".status, "order".placed_at
        FROM "order" JOIN stock ON stock.stock_id = "order".stock_id
        WHERE "order".account_id = ? AND (? IS NULL OR "order".stock_id = ?) AND (? IS NULL OR "order".status = ?)
        ORDER BY "order".placed_at DESC, "order".order_id
        """,
        account_id,
        stock_id,
        stock_id,
        status,
        status,
    )
    return {"orders": orders[:limit], "total": len(orders)}


@tool(
    reads=["account", "stock", "position", "cash_entry"],
    writes=["order"],
    rejects=["INVALID_ARGUMENT", "NOT_FOUND", "FAILED_PRECONDITION"],
)
def change_order(
    db: Database,
    order_id: Annotated[str, "the order"],
    quantity: Annotated[int | None, "new number of shares in all", Field(ge=1, le=100000)] = None,
    price_cents: Annotated[int | None, "new limit or stop price", Field(ge=1, le=10000000)] = None,
    time_in_force: Annotated[Literal["day", "gtc"] | None, "new duration"] = None,
) -> Order:
    """Change an open order's quantity, price, or duration.

    Requires: At least one change is given. The order is open. Its account is active. A new quantity is above
    filled_quantity. A stop order's new price is below last_price_cents. For a buy, new unfilled shares × price are at
    most available_cents plus what it holds now. For a sell, new unfilled shares are at most free_shares plus its
    unfilled shares now.

    Sets the given fields; change_count goes up by 1.
    """
    if quantity is None and price_cents is None and time_in_force is None:
        raise Rejection.invalid_argument("Give a quantity, a price_cents, or a time_in_force.")
    order = db.require("order", order_id)
    _check_open(order)
    account = db.get("account", order["account_id"])
    if account["status"] != "active":
        raise Rejection.failed_precondition(f"Account {order['account_id']!r} is {account['status']}, not active.")
    if quantity is not None and quantity <= order["filled_quantity"]:
        raise Rejection.failed_precondition(
            f"{order['filled_quantity']} shares are filled already; the quantity must be above that."
        )
    if order["order_type"] == "stop" and price_cents is not None:
        last = db.get("stock", order["stock_id"])["last_price_cents"]
        if price_cents >= last:
            raise Rejection.failed_precondition(f"The stop price must be below the last price of {last} cents.")
    new_quantity = order["quantity"] if quantity is None else quantity
    new_price = order["price_cents"] if price_cents is None else price_cents
    unfilled = order["quantity"] - order["filled_quantity"]
    new_unfilled = new_quantity - order["filled_quantity"]
    if order["side"] == "buy":
        usable = account["cash_cents"] - _held(db, order["account_id"]) + unfilled * order["price_cents"]
        if new_unfilled * new_price > usable:
            raise Rejection.failed_precondition(f"The changed order needs more than the {usable} cents available.")
    else:
        usable = _free_shares(db, order["account_id"], order["stock_id"]) + unfilled
        if new_unfilled > usable:
            raise Rejection.failed_precondition(f"The changed order needs more than the {usable} free shares.")
    order = db.update(
        "order",
        order_id,
        quantity=new_quantity,
        price_cents=new_price,
        time_in_force=order["time_in_force"] if time_in_force is None else time_in_force,
        change_count=order["change_count"] + 1,
    )
    return _order(db, order)


@tool(reads=["stock"], writes=["account", "order", "trade", "position"], rejects=["NOT_FOUND", "FAILED_PRECONDITION"])
def execute_order(
    db: Database,
    order_id: Annotated[str, "the order"],
    quantity: Annotated[int | None, "shares to fill; all unfilled if left out", Field(ge=1, le=100000)] = None,
) -> FilledOrder:
    """Fill an open order whose price is reached.

    Requires: The order is open. The stock is trading. Quantity is at most the unfilled shares. Last price is at most a
    buy limit, at least a sell limit, or at most a stop price.

    Fills the quantity, also for a restricted account.
    """
    order = db.require("order", order_id)
    _check_open(order)
    stock = db.get("stock", order["stock_id"])
    if stock["status"] != "trading":
        raise Rejection.failed_precondition(f"Stock {order['stock_id']!r} is halted.")
    unfilled = order["quantity"] - order["filled_quantity"]
    shares = unfilled if quantity is None else quantity
    if shares > unfilled:
        raise Rejection.failed_precondition(f"Only {unfilled} shares of order {order_id!r} are unfilled.")
    last, price = stock["last_price_cents"], order["price_cents"]
    upward = order["order_type"] == "limit" and order["side"] == "sell"
    if last < price if upward else last > price:
        raise Rejection.failed_precondition(
            f"The last price of {last} cents has not reached the order's {price} cents."
        )
    return _fill(db, order, stock, shares)


@tool(reads=["stock"], writes=["order"], rejects=["NOT_FOUND", "FAILED_PRECONDITION"])
def cancel_order(
    db: Database,
    order_id: Annotated[str, "the order"],
    reason: Annotated[str | None, "why", Field(min_length=1)] = None,
) -> Order:
    """Cancel what is unfilled of an open order.

    Requires: The order is open.

    Becomes canceled; canceled_at is the clock; cancel_reason is the reason. filled_quantity stays.
    """
    order = db.require("order", order_id)
    _check_open(order)
    return _order(db, db.update("order", order_id, status="canceled", canceled_at=db.now, cancel_reason=reason))


@tool(reads=["stock"], writes=["order"], rejects=["NOT_FOUND", "FAILED_PRECONDITION"])
def cancel_orders(
    db: Database,
    order_ids: Annotated[list[str], "the orders", Field(min_length=1, max_length=20)],
    reason: Annotated[str | None, "why", Field(min_length=1)] = None,
) -> CanceledOrders:
    """Cancel several open orders.

    Requires: Every order is open. All orders belong to the same account.

    Each as cancel_order; released_cents sums unfilled shares × price_cents of the buy orders.
    """
    if len(set(order_ids)) < len(order_ids):
        raise Rejection.invalid_argument("An order id is given twice.")
    orders = [db.require("order", order_id) for order_id in order_ids]
    for order in orders:
        _check_open(order)
    if len({order["account_id"] for order in orders}) > 1:
        raise Rejection.failed_precondition("The orders belong to different accounts.")
    released = sum(
        (order["quantity"] - order["filled_quantity"]) * order["price_cents"]
        for order in orders
        if order["side"] == "buy"
    )
    canceled = [
        db.update("order", order_id, status="canceled", canceled_at=db.now, cancel_reason=reason)
        for order_id in order_ids
    ]
    return {"orders": [_order(db, order) for order in canceled], "released_cents": released}
