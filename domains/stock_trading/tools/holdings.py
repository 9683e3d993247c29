"""Holdings: positions, trades, share transfers, and totals."""

from typing import Annotated, Literal

from runtime import Database, Date, Field, Rejection, Timestamp, TypedDict, tool


class Position(TypedDict):
    position_id: Annotated[str, "the position"]
    account_id: Annotated[str, "account that holds it"]
    stock_id: Annotated[str, "the stock"]
    symbol: Annotated[str, "ticker symbol"]
    quantity: Annotated[int, "shares held"]
    free_shares: Annotated[int, "shares free to sell"]
    cost_cents: Annotated[int, "what the shares cost"]
    value_cents: Annotated[int, "what they are worth"]
    gain_cents: Annotated[int, "value minus cost"]


class PositionList(TypedDict):
    positions: Annotated[list[Position], "what the account holds"]
    total_value_cents: Annotated[int, "worth of all"]


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


class TradeList(TypedDict):
    trades: Annotated[list[Trade], "matching trades"]
    total: Annotated[int, "all matches"]


class ShareTransfer(TypedDict):
    from_position: Annotated[Position, "position that gave"]
    to_position: Annotated[Position, "position that received"]


class SectorShare(TypedDict):
    sector: Annotated[
        Literal[
            "technology", "health_care", "financials", "energy", "consumer", "industrials", "utilities", "real_estate"
        ],
        "sector",
    ]
    value_cents: Annotated[int, "worth of its positions"]
    percent: Annotated[float, "share of stock value, 2 decimals"]


class Portfolio(TypedDict):
    client_id: Annotated[str, "the client"]
    account_count: Annotated[int, "accounts not closed"]
    cash_cents: Annotated[int, "cash"]
    stock_value_cents: Annotated[int, "worth of positions"]
    gain_cents: Annotated[int, "value minus cost of positions"]
    sectors: Annotated[list[SectorShare], "split by sector"]


class RealizedGains(TypedDict):
    account_id: Annotated[str, "the account"]
    year: Annotated[int, "year"]
    sale_count: Annotated[int, "sales counted"]
    proceeds_cents: Annotated[int, "sum of sale amounts"]
    gains_cents: Annotated[int, "sum of positive gains"]
    losses_cents: Annotated[int, "sum of losses, as a positive number"]
    net_gain_cents: Annotated[int, "gains minus losses"]


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


def _position(db, position):
    stock = db.get("stock", position["stock_id"])
    value = position["quantity"] * stock["last_price_cents"]
    return position | {
        "symbol": stock["symbol"],
        "free_shares": _free_shares(db, position["account_id"], position["stock_id"]),
        "value_cents": value,
        "gain_cents": value - position["cost_cents"],
    }


def _find_position(db, account_id, stock_id):
    return db.first("SELECT * FROM position WHERE account_id = ? AND stock_id = ?", account_id, stock_id)


def _move(db, account_id, stock_id, shares, cost):
    position = _find_position(db, account_id, stock_id)
    if position is None:
        return db.insert(
            "position",
            position_id=db.new_id("position"),
            account_id=account_id,
            stock_id=stock_id,
            quantity=shares,
            cost_cents=cost,
        )
    return db.update(
        "position",
        position["position_id"],
        quantity=position["quantity"] + shares,
        cost_cents=max(0, position["cost_cents"] + cost),
    )


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


@tool(reads=["account", "stock", "order", "position"], rejects=["NOT_FOUND"])
def list_positions(db: Database, account_id: Annotated[str, "the account"]) -> PositionList:
    """List what an account holds.

    Positions with quantity above 0, by symbol.
    """
    db.require("account", account_id)
    rows = db.select(
        """
        SELECT position.* FROM position JOIN stock ON stock.stock_id = position.stock_id
        WHERE position.account_id = ? AND position.quantity > 0
        ORDER BY stock.symbol
        """,
        account_id,
    )
    positions = [_position(db, row) for row in rows]
    return {"positions": positions, "total_value_cents": sum(position["value_cents"] for position in positions)}


@tool(reads=["account", "stock", "order", "trade"], rejects=["INVALID_ARGUMENT", "NOT_FOUND"])
def list_trades(
    db: Database,
    account_id: Annotated[str, "the account"],
    stock_id: Annotated[str | None, "only this stock"] = None,
    from_date: Annotated[Date | None, "first day"] = None,
    to_date: Annotated[Date | None, "last day"] = None,
    limit: Annotated[int, "most entries returned", Field(ge=1, le=50)] = 20,
) -> TradeList:
    """List an account's trades.

    Requires: from_date is not after to_date.

    By the date of traded_at, reversed ones too; by traded_at, newest first.
    """
    if from_date is not None and to_date is not None and from_date > to_date:
        raise Rejection.invalid_argument(f"from_date {from_date} is after to_date {to_date}.")
    db.require("account", account_id)
    if stock_id is not None:
        db.require("stock", stock_id)
    trades = db.select(
        """
        SELECT trade.* FROM trade JOIN "order" ON "order".order_id = trade.order_id
        WHERE "order".account_id = ? AND (? IS NULL OR "order".stock_id = ?)
          AND (? IS NULL OR substr(trade.traded_at, 1, 10) >= ?) AND (? IS NULL OR substr(trade.traded_at, 1, 10) <= ?)
        ORDER BY trade.traded_at DESC, trade.trade_id
        """,
        account_id,
        stock_id,
        stock_id,
        from_date,
        from_date,
        to_date,
        to_date,
    )
    return {"trades": [_trade(db, trade) for trade in trades[:limit]], "total": len(trades)}


@tool(
    reads=["stock", "order", "cash_entry"],
    writes=["account", "trade", "position"],
    rejects=["NOT_FOUND", "FAILED_PRECONDITION"],
)
def reverse_trade(
    db: Database, trade_id: Annotated[str, "the trade"], reason: Annotated[str, "why", Field(min_length=1)]
) -> Trade:
    """Undo an unsettled trade made in error.

    Requires: The trade is not reversed and settles after the clock's date. The account has no later unreversed trade in
    the stock. For a buy, quantity is at most free_shares. For a sell, amount_cents is at most available_cents.

    is_reversed becomes true; reversal_reason is the reason. Cash, position quantity, and cost_cents move back by what
    the trade changed, cost_cents not below 0. The order stays as it is; later means a later traded_at, or the same and
    a higher id.
    """
    trade = db.require("trade", trade_id)
    if trade["is_reversed"]:
        raise Rejection.failed_precondition(f"Trade {trade_id!r} is reversed already.")
    if trade["settles_on"] <= db.today:
        raise Rejection.failed_precondition(f"Trade {trade_id!r} settled on {trade['settles_on']}.")
    order = db.get("order", trade["order_id"])
    account_id, stock_id = order["account_id"], order["stock_id"]
    later = db.first(
        """
        SELECT trade.trade_id FROM trade JOIN "order" ON "order".order_id = trade.order_id
        WHERE "order".account_id = ? AND "order".stock_id = ? AND trade.is_reversed = 0
          AND (trade.traded_at > ? OR (trade.traded_at = ? AND trade.trade_id > ?))
        """,
        account_id,
        stock_id,
        trade["traded_at"],
        trade["traded_at"],
        trade_id,
    )
    if later is not None:
        raise Rejection.failed_precondition(f"Trade {later['trade_id']!r} in the stock is later; reverse it first.")
    account = db.get("account", account_id)
    amount, shares = trade["amount_cents"], trade["quantity"]
    if order["side"] == "buy":
        if shares > _free_shares(db, account_id, stock_id):
            raise Rejection.failed_precondition(f"Account {account_id!r} does not have {shares} free shares.")
        _move(db, account_id, stock_id, -shares, -amount)
        cash = account["cash_cents"] + amount
    else:
        if amount > account["cash_cents"] - _held(db, account_id):
            raise Rejection.failed_precondition(f"Account {account_id!r} does not have {amount} cents available.")
        _move(db, account_id, stock_id, shares, amount - trade["realized_gain_cents"])
        cash = account["cash_cents"] - amount
    db.update("account", account_id, cash_cents=cash)
    return _trade(db, db.update("trade", trade_id, is_reversed=1, reversal_reason=reason))


@tool(
    reads=["account", "stock", "order"],
    writes=["position"],
    rejects=["INVALID_ARGUMENT", "NOT_FOUND", "FAILED_PRECONDITION"],
)
def transfer_shares(
    db: Database,
    from_account_id: Annotated[str, "account that gives"],
    to_account_id: Annotated[str, "account that receives"],
    stock_id: Annotated[str, "the stock"],
    quantity: Annotated[int, "number of shares", Field(ge=1, le=100000)],
) -> ShareTransfer:
    """Move shares between two accounts of a client.

    Requires: The two accounts differ. Both accounts belong to the same client. Both accounts are active. Quantity is at
    most free_shares in the giving account.

    Quantity moves, and cost_cents × shares moved ÷ shares held, rounded down, moves with it; the receiver's position is
    added if it has none.
    """
    if from_account_id == to_account_id:
        raise Rejection.invalid_argument("The two accounts must differ.")
    accounts = [db.require("account", from_account_id), db.require("account", to_account_id)]
    db.require("stock", stock_id)
    if accounts[0]["client_id"] != accounts[1]["client_id"]:
        raise Rejection.failed_precondition("The two accounts belong to different clients.")
    for account in accounts:
        if account["status"] != "active":
            raise Rejection.failed_precondition(
                f"Account {account['account_id']!r} is {account['status']}, not active."
            )
    if quantity > _free_shares(db, from_account_id, stock_id):
        raise Rejection.failed_precondition(f"Account {from_account_id!r} does not have {quantity} free shares.")
    giver = _find_position(db, from_account_id, stock_id)
    cost = giver["cost_cents"] * quantity // giver["quantity"]
    given = _move(db, from_account_id, stock_id, -quantity, -cost)
    received = _move(db, to_account_id, stock_id, quantity, cost)
    return {"from_position": _position(db, given), "to_position": _position(db, received)}


@tool(reads=["client", "account", "stock", "position"], rejects=["NOT_FOUND"])
def get_portfolio(db: Database, client_id: Annotated[str, "the client"]) -> Portfolio:
    """Sum up a client's cash and stocks.

    Sums over accounts that are not closed. sectors holds those with a value above 0, highest value first, then by
    sector.
    """
    db.require("client", client_id)
    accounts = db.first(
        "SELECT count(*) AS number, coalesce(sum(cash_cents), 0) AS cash FROM account WHERE client_id = ? AND status <> 'closed'",
        client_id,
    )
    stocks = db.first(
        """
        SELECT coalesce(sum(position.quantity * stock.last_price_cents), 0) AS value, coalesce(sum(position.cost_cents), 0) AS cost
        FROM position
        JOIN account ON account.account_id = position.account_id
        JOIN stock ON stock.stock_id = position.stock_id
        WHERE account.client_id = ? AND account.status <> 'closed'
        """,
        client_id,
    )
    sectors = db.select(
        """
        SELECT stock.sector, sum(position.quantity * stock.last_price_cents) AS value_cents
        FROM position
        JOIN account ON account.account_id = position.account_id
        JOIN stock ON stock.stock_id = position.stock_id
        WHERE account.client_id = ? AND account.status <> 'closed' AND position.quantity > 0
        GROUP BY stock.sector
        ORDER BY value_cents DESC, stock.sector
        """,
        client_id,
    )
    return {
        "client_id": client_id,
        "account_count": accounts["number"],
        "cash_cents": accounts["cash"],
        "stock_value_cents": stocks["value"],
        "gain_cents": stocks["value"] - stocks["cost"],
        "sectors": [
            sector | {"percent": round(100 * sector["value_cents"] / stocks["value"], 2)} for sector in sectors
        ],
    }


@tool(reads=["account", "order", "trade"], rejects=["NOT_FOUND"])
def get_realized_gains(
    db: Database,
    account_id: Annotated[str, "the account"],
    year: Annotated[int, "year of the trades", Field(ge=2000, le=2100)],
) -> RealizedGains:
    """Sum up an account's gains from sales in a year.

    Counts sell trades with traded_at in the year that are not reversed.
    """
    db.require("account", account_id)
    totals = db.first(
        """
        SELECT count(*) AS sales, coalesce(sum(trade.amount_cents), 0) AS proceeds,
               coalesce(sum(max(trade.realized_gain_cents, 0)), 0) AS gains,
               coalesce(sum(max(-trade.realized_gain_cents, 0)), 0) AS losses
        FROM trade JOIN "order" ON "order".order_id = trade.order_id
        WHERE "order".account_id = ? AND "order".side = 'sell' AND trade.is_reversed = 0
          AND CAST(substr(trade.traded_at, 1, 4) AS INTEGER) = ?
        """,
        account_id,
        year,
    )
    return {
        "account_id": account_id,
        "year": year,
        "sale_count": totals["sales"],
        "proceeds_cents": totals["proceeds"],
        "gains_cents": totals["gains"],
        "losses_cents": totals["losses"],
        "net_gain_cents": totals["gains"] - totals["losses"],
    }
