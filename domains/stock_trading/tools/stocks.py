"""Stocks: finding stocks and prices, halting and resuming trading."""

from typing import Annotated, Literal

from runtime import Database, Field, Rejection, TypedDict, tool


class StockEntry(TypedDict):
    stock_id: Annotated[str, "the stock"]
    symbol: Annotated[str, "ticker symbol"]
    company_name: Annotated[str, "company"]
    risk_level: Annotated[Literal["low", "medium", "high"], "house risk rating"]
    status: Annotated[Literal["trading", "halted"], "state"]
    last_price_cents: Annotated[int, "last price of a share"]


class StockList(TypedDict):
    stocks: Annotated[list[StockEntry], "matching stocks"]
    total: Annotated[int, "all matches"]


class Stock(TypedDict):
    stock_id: Annotated[str, "the stock"]
    symbol: Annotated[str, "ticker symbol"]
    company_name: Annotated[str, "company"]
    sector: Annotated[
        Literal[
            "technology", "health_care", "financials", "energy", "consumer", "industrials", "utilities", "real_estate"
        ],
        "sector",
    ]
    risk_level: Annotated[Literal["low", "medium", "high"], "house risk rating"]
    status: Annotated[Literal["trading", "halted"], "state"]
    halt_reason: Annotated[str | None, "why halted"]
    last_price_cents: Annotated[int, "last price of a share"]
    previous_close_cents: Annotated[int, "yesterday's closing price"]
    change_percent: Annotated[float, "change since previous close, 2 decimals"]


def _show(stock):
    previous = stock["previous_close_cents"]
    return stock | {"change_percent": round(100 * (stock["last_price_cents"] - previous) / previous, 2)}


@tool(reads=["stock"])
def search_stocks(
    db: Database,
    text: Annotated[str | None, "part of symbol or company", Field(min_length=1)] = None,
    sector: Annotated[
        Literal[
            "technology", "health_care", "financials", "energy", "consumer", "industrials", "utilities", "real_estate"
        ]
        | None,
        "sector",
    ] = None,
    risk_level: Annotated[Literal["low", "medium", "high"] | None, "house risk rating"] = None,
    status: Annotated[Literal["trading", "halted"] | None, "state"] = None,
    limit: Annotated[int, "most entries returned", Field(ge=1, le=50)] = 20,
) -> StockList:
    """Search stocks.

    The text is contained in symbol or company_name; by symbol.
    """
    stocks = db.select(
        """
        SELECT stock_id, symbol, company_name, risk_level, status, last_price_cents FROM stock
        WHERE (? IS NULL OR instr(lower(symbol), lower(?)) > 0 OR instr(lower(company_name), lower(?)) > 0)
          AND (? IS NULL OR sector = ?) AND (? IS NULL OR risk_level = ?) AND (? IS NULL OR status = ?)
        ORDER BY symbol
        """,
        text,
        text,
        text,
        sector,
        sector,
        risk_level,
        risk_level,
        status,
        status,
    )
    return {"stocks": stocks[:limit], "total": len(stocks)}


@tool(reads=["stock"], rejects=["NOT_FOUND"])
def get_quote(db: Database, symbol: Annotated[str, "ticker symbol", Field(min_length=1)]) -> Stock:
    """Show a stock and its price by ticker symbol.

    change_percent is 100 × (last price − previous close) ÷ previous close.
    """
    stock = db.first("SELECT * FROM stock WHERE lower(symbol) = lower(?)", symbol)
    if stock is None:
        raise Rejection.not_found(f"No stock has the symbol {symbol!r}.")
    return _show(stock)


@tool(writes=["stock"], rejects=["NOT_FOUND", "FAILED_PRECONDITION"])
def halt_stock(
    db: Database, stock_id: Annotated[str, "the stock"], reason: Annotated[str, "why", Field(min_length=1)]
) -> Stock:
    """Halt trading in a stock.

    Requires: The stock is trading.

    Becomes halted; halt_reason is the reason. Open orders stay.
    """
    stock = db.require("stock", stock_id)
    if stock["status"] != "trading":
        raise Rejection.failed_precondition(f"Stock {stock_id!r} is already halted.")
    return _show(db.update("stock", stock_id, status="halted", halt_reason=reason))


@tool(writes=["stock"], rejects=["NOT_FOUND", "FAILED_PRECONDITION"])
def resume_stock(db: Database, stock_id: Annotated[str, "the stock"]) -> Stock:
    """Resume trading in a halted stock.

    Requires: The stock is halted.

    Becomes trading; halt_reason becomes null.
    """
    stock = db.require("stock", stock_id)
    if stock["status"] != "halted":
        raise Rejection.failed_precondition(f"Stock {stock_id!r} is trading, not halted.")
    return _show(db.update("stock", stock_id, status="trading", halt_reason=None))
