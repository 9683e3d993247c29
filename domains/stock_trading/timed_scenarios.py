"""What investors want that takes time: a stock that trades again today, or an order that should not be filled."""

from runtime.story import Story, scenario

AVAILABLE = """
    (account.cash_cents - (SELECT coalesce(sum((o.quantity - o.filled_quantity) * o.price_cents), 0) FROM "order" AS o
        WHERE o.account_id = account.account_id AND o.side = 'buy' AND o.status IN ('open', 'partially_filled'))
    - (SELECT coalesce(sum(c.amount_cents), 0) FROM cash_entry AS c WHERE c.account_id = account.account_id
        AND c.kind = 'withdrawal' AND c.status = 'pending'))
"""
HALTED = """
    status = 'halted' AND previous_close_cents <= 30000
    AND NOT EXISTS (SELECT 1 FROM "order" AS o WHERE o.account_id = ? AND o.stock_id = stock.stock_id
        AND o.status IN ('open', 'partially_filled'))
"""
STANDS = """
    status = 'open' AND side = 'buy' AND order_type = 'limit' AND placed_at < ?
    AND (SELECT s.status FROM stock AS s WHERE s.stock_id = "order".stock_id) = 'trading'
    AND (SELECT s.last_price_cents FROM stock AS s WHERE s.stock_id = "order".stock_id) > price_cents
    AND EXISTS (SELECT 1 FROM account WHERE account.account_id = "order".account_id AND account.status = 'active')
"""
IS_REACHED = """
    SELECT 1 FROM "order" JOIN stock USING (stock_id)
    WHERE order_id = :order AND "order".status = 'open' AND last_price_cents <= price_cents
"""
DEADLINES = {"noon": "12:00", "1 PM": "13:00", "12:30": "12:30"}


def my_account(story, where="1", *values):
    """An account of the caller with cash to spend."""
    return story.pick(
        "account",
        f"status = 'active' AND {AVAILABLE} >= 100000 AND {where}",
        *values,
        unique_by=["client_id", "nickname", "status"],
        mine=True,
    )


def halted_stock(story, account, *others):
    """A stock whose trading is halted."""
    apart = "".join(" AND stock_id <> ?" for _ in others)
    keys = [other["stock_id"] for other in others]
    return story.pick("stock", HALTED + apart, account["account_id"], *keys, unique_by=["company_name"])


def deadline(story):
    """By when the caller wants to know, a time of today."""
    return story.choose("deadline", {said: str(story.moment(0, time)) for said, time in DEADLINES.items()})


def resumes(story, name, stock, times, maybe=False, quietly=False):
    """Let a stock trade again, at yesterday's close, and the desk be told unless it happens quietly."""
    columns = {"status": "trading", "halt_reason": None, "last_price_cents": stock["previous_close_cents"]}
    return story.event(
        name,
        at=story.moment(0, story.choose(f"time of {name}", times)),
        rows=[{"table": "stock", "kind": "changed", "key": [stock["stock_id"]], "columns": columns}],
        notice="" if quietly else f"Exchange: {stock['company_name']} ({stock['symbol']}) has resumed trading.",
        maybe=maybe,
    )


def halts_again(story, name, after, stock, minutes):
    """Let the exchange halt a stock again, so long after it resumed."""
    story.event(
        name, after=after, minutes=minutes, call="halt_stock", stock_id=stock["stock_id"], reason="News pending"
    )


def account_of(story, account, wish=None):
    """The number of an account, as the client's list shows it."""
    accounts = story.call("list_accounts", wish=wish, client_id=story.identify())["accounts"]
    return story.find(accounts, nickname=account["nickname"])["account_id"]


def stock_of(story, stock, wish=None):
    """The number of a stock, as a search shows it."""
    stocks = story.call("search_stocks", wish=wish, text=stock["company_name"])["stocks"]
    return story.find(stocks, company_name=stock["company_name"])["stock_id"]


@scenario(form="later")
def buy_when_it_trades_again(story: Story) -> None:
    """The client waits until a halted stock trades again, and buys before it is halted once more."""
    account = my_account(story)
    stock = halted_stock(story, account)
    side, count = story.choose("side", ["buy"]), story.choose("count", [2, 3])
    by = deadline(story)
    resumes(story, "resumed", stock, ("10:45", "11:10", "11:40"))
    halts_again(story, "halted-again", "resumed", stock, 200)
    story.tell(
        (
            "{company} is halted, but it's supposed to trade again by {by} today. Can you {side} me {count} shares at "
            "the market in my {account} account as soon as it does? I hear it'll be halted again this afternoon.",
            "I understand that {company} will resume trading by {by} today. As soon as it does, please {side} {count} "
            "shares at the market for me in my {account} account. I expect another halt this afternoon.",
            "{company} should be trading again by {by} today. can you wait for that and {side} me {count} shares at "
            "the market in my {account} account before they halt it again",
        ),
        short="waiting until {by} for {company} to trade again and placing a market order to {side} {count} shares in "
        "my {account} account",
        company=stock["company_name"],
        by=by,
        side=side,
        count=count,
        account=account["nickname"],
    )
    number, bought = account_of(story, account), stock_of(story, stock)
    story.wait(until=by)
    story.call("place_market_order", account_id=number, stock_id=bought, side=side, quantity=count)


@scenario(form="if_it_happens")
def one_stock_or_the_other(story: Story) -> None:
    """The client buys one stock if it trades again in time, and else another one."""
    account = my_account(story)
    first = halted_stock(story, account)
    second = halted_stock(story, account, first)
    side, count = story.choose("side", ["buy"]), story.choose("count", [2, 3])
    by = deadline(story)
    is_trading = resumes(story, "first-resumed", first, ("10:40", "10:55"), maybe=True)
    resumes(story, "second-resumed", second, ("11:20", "11:40"), quietly=True)
    if is_trading:
        halts_again(story, "first-halted", "first-resumed", first, 200)
    halts_again(story, "second-halted", "second-resumed", second, 170)
    story.tell(
        (
            "If {company} is trading again by {by} today, {side} me {count} shares at the market in my {account} "
            "account. If it isn't, make it {other} instead, which should be back this morning.",
            "Should {company} resume trading by {by} today, please {side} {count} shares at the market for me in my "
            "{account} account. If it does not, please do so with {other}, which is to resume this morning.",
            "if {company} trades again by {by} today {side} me {count} shares at the market in my {account} account, "
            "if not do {other}, that one's back this morning",
        ),
        short="placing a market order to {side} {count} shares of {company} in my {account} account if it trades again "
        "by {by}, or else of {other}",
        company=first["company_name"],
        by=by,
        side=side,
        count=count,
        account=account["nickname"],
        other=second["company_name"],
    )
    number = account_of(story, account)
    bought = stock_of(story, first if is_trading else second)
    story.wait(until=by)
    story.call("place_market_order", account_id=number, stock_id=bought, side=side, quantity=count)


@scenario(form="before_it_closes")
def cancel_the_order_first(story: Story) -> None:
    """The client wants a stock that trades again later today, and an order canceled before its price is reached."""
    order = story.pick("order", STANDS, story.today, unique_by=["account_id", "stock_id", "status"], mine=True)
    account = my_account(story, "account_id = ?", order["account_id"])
    falling = story.row("stock", order["stock_id"])
    stock = halted_stock(story, account)
    side, count = story.choose("side", ["buy"]), story.choose("count", [2, 3])
    by = deadline(story)
    resumes(story, "resumed", stock, ("11:25", "11:35", "11:45"))
    story.event(
        "price-fell",
        at=story.moment(0, "10:50"),
        rows=[
            {
                "table": "stock",
                "kind": "changed",
                "key": [falling["stock_id"]],
                "columns": {"last_price_cents": order["price_cents"]},
            }
        ],
    )
    story.event(
        "order-filled",
        when=IS_REACHED,
        values={"order": order["order_id"]},
        minutes=5,
        call="execute_order",
        order_id=order["order_id"],
    )
    halts_again(story, "halted-again", "resumed", stock, 200)
    with story.together():
        later = story.wish(
            (
                "{company} should be trading again by {by} today. Please wait for it and {side} me {count} shares at "
                "the market in my {account} account.",
                "I expect {company} to resume trading by {by} today. Please wait for it and {side} {count} shares at "
                "the market for me in my {account} account.",
                "{company} should trade again by {by} today, pls wait for it and {side} me {count} shares at the "
                "market in my {account} account",
            ),
            short="waiting until {by} for {company} to trade again and placing a market order to {side} {count} shares "
            "in my {account} account",
            company=stock["company_name"],
            by=by,
            side=side,
            count=count,
            account=account["nickname"],
        )
        now = story.wish(
            (
                "And please cancel my open {symbol} order in the {account} account. It's about to fill.",
                "I would also like the open {symbol} order in my {account} account canceled. The price is close to my "
                "limit.",
                "also cancel my open {symbol} order in the {account} account, it's about to fill",
            ),
            short="canceling my open {symbol} order in the {account} account",
            symbol=falling["symbol"],
            account=account["nickname"],
        )
    number = account_of(story, account, now)
    orders = story.call("list_orders", wish=now, account_id=number)["orders"]
    mine = story.find([each for each in orders if each["status"] == "open"], symbol=falling["symbol"])
    story.call("cancel_order", wish=now, order_id=mine["order_id"])
    bought = stock_of(story, stock, later)
    story.wait(until=by, wish=later)
    story.call("place_market_order", wish=later, account_id=number, stock_id=bought, side=side, quantity=count)
