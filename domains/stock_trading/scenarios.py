"""What people want of Harborview Brokerage client desk: every function is a scenario."""

from runtime.story import Story, scenario

HELD_ACCOUNTS = "(SELECT count(*) FROM account AS b WHERE b.client_id = account.client_id AND b.status <> 'closed')"
NOTHING_PENDING = """
    NOT EXISTS (SELECT 1 FROM cash_entry AS c WHERE c.account_id = account.account_id
        AND c.status = 'pending')
"""
AVAILABLE = """
    (account.cash_cents - (SELECT coalesce(sum((o.quantity - o.filled_quantity) * o.price_cents), 0) FROM "order" AS o WHERE o.account_id = account.account_id
        AND o.side = 'buy'
        AND o.status IN ('open', 'partially_filled')) - (SELECT coalesce(sum(c.amount_cents), 0) FROM cash_entry AS c WHERE c.account_id = account.account_id
        AND c.kind = 'withdrawal'
        AND c.status = 'pending'))
"""
FREE_SHARES = """
    (position.quantity - (SELECT coalesce(sum(o.quantity - o.filled_quantity), 0) FROM "order" AS o WHERE o.account_id = position.account_id
        AND o.stock_id = position.stock_id
        AND o.side = 'sell'
        AND o.status IN ('open', 'partially_filled')))
"""
CLIENT_ORDERS = """
    (SELECT count(*) FROM "order" AS o JOIN account AS a ON a.account_id = o.account_id WHERE a.client_id = account.client_id
        AND o.status IN ('open', 'partially_filled'))
"""
HOLDER_ORDERS = """
    (SELECT count(*) FROM "order" AS o JOIN account AS a ON a.account_id = o.account_id WHERE a.client_id = (SELECT b.client_id FROM account AS b WHERE b.account_id = position.account_id)
        AND o.status IN ('open', 'partially_filled'))
"""
ORDER_ACTIVE = "EXISTS (SELECT 1 FROM account AS a WHERE a.account_id = \"order\".account_id AND a.status = 'active')"
POSITION_ACTIVE = "EXISTS (SELECT 1 FROM account AS a WHERE a.account_id = position.account_id AND a.status = 'active')"
TWO_ACTIVE = """
    EXISTS (SELECT 1 FROM account AS a JOIN account AS b ON b.client_id = a.client_id WHERE a.account_id = position.account_id
        AND a.status = 'active'
        AND b.status = 'active'
        AND b.account_id <> a.account_id)
"""
WITHDRAWABLE = """
    ((account.cash_cents - (SELECT coalesce(sum((o.quantity - o.filled_quantity) * o.price_cents), 0) FROM "order" AS o WHERE o.account_id = account.account_id
        AND o.side = 'buy'
        AND o.status IN ('open', 'partially_filled')) - (SELECT coalesce(sum(c.amount_cents), 0) FROM cash_entry AS c WHERE c.account_id = account.account_id
        AND c.kind = 'withdrawal'
        AND c.status = 'pending')) - (SELECT coalesce(sum(t.amount_cents), 0) FROM trade AS t JOIN "order" AS o ON o.order_id = t.order_id WHERE o.account_id = account.account_id
        AND o.side = 'sell'
        AND t.is_reversed = 0
        AND t.settles_on > '2026-03-18'))
"""


@scenario(form="all_but")
def freeze_all_but_one(story: Story) -> None:
    """The client lost a phone, wants all active accounts but one frozen, and gives a new number."""
    kept = story.pick(
        "account",
        """
        status = 'active'
        AND (SELECT count(*) FROM account AS b WHERE b.client_id = account.client_id AND b.status = 'active') BETWEEN 3 AND 6
        """,
        unique_by=["client_id", "nickname", "status"],
        mine=True,
    )
    nickname = kept["nickname"]
    phone = story.choose("phone", ["(212) 555-0187", "(312) 555-0193", "(404) 555-0178"])
    reason = story.dictate("reason", "Phone lost, new number on file")
    story.wish(
        (
            "I lost my phone, my new number is {phone}. Update it, and restrict all my active accounts except {account}. As the reason, put exactly this: {reason}",
            "I lost my phone, and my new number is {phone}. Please update it and restrict all my active accounts except {account}. As the reason, put exactly this: {reason}",
            "lost my phone, new number is {phone}, pls update it. restrict all my active accounts but skip {account}. as the reason, put exactly this: {reason}",
        ),
        short="changing my phone number to {phone} and restricting all my active accounts except {account} with the reason {reason}",
        phone=phone,
        account=nickname,
        reason=reason,
    )
    key = story.identify()
    accounts = story.call("list_accounts", client_id=key)["accounts"]
    active = [each for each in accounts if each["status"] == "active"]
    with story.wrong("forgets the exception"):
        story.call("update_client", client_id=key, phone=phone)
        for each in active:
            story.call("restrict_account", account_id=each["account_id"], reason=reason)
    story.call("update_client", client_id=key, phone=phone)
    for each in story.all_but(active, nickname=nickname):
        story.call("restrict_account", account_id=each["account_id"], reason=reason)


@scenario(form="ambiguous")
def rename_one_of_my_accounts(story: Story) -> None:
    """The client wants one of several accounts renamed and says which when asked."""
    account = story.pick(
        "account",
        f"status <> 'closed' AND {HELD_ACCOUNTS} >= 4",
        unique_by=["client_id", "nickname"],
        mine=True,
    )
    nickname = account["nickname"]
    name = story.choose("new name", ["Boat fund", "New car", "Gift money"])
    rename = story.wish(
        (
            "The name of one of my accounts doesn't fit anymore. Can you rename it to {name}?",
            "The name of one of my accounts no longer fits. Could you please rename that account to {name}?",
            "can you rename one of my accounts to {name}? the old name doesn't fit anymore",
        ),
        name=name,
    )
    story.keep_back("account", nickname)
    story.in_short(
        rename, "renaming one of my accounts to {name}, the one called {account}", name=name, account=nickname
    )
    accounts = story.call("list_accounts", client_id=story.identify())["accounts"]
    mine = story.find(accounts, nickname=nickname)
    for other in story.others(accounts, mine):
        with story.wrong("renames another one"):
            story.call("update_account", account_id=other["account_id"], nickname=name)
    story.call("update_account", account_id=mine["account_id"], nickname=name)


@scenario(form="best_of")
def rename_the_fullest_account(story: Story) -> None:
    """The client wants the account with the most cash among those below an amount renamed."""
    limit = story.money(story.choose("limit", [300000, 500000, 800000]))
    story.pick(
        "account",
        """
        status <> 'closed' AND cash_cents < ?
        AND EXISTS (SELECT 1 FROM account AS b WHERE b.client_id = account.client_id AND b.status <> 'closed'
                    AND b.cash_cents < account.cash_cents)
        AND EXISTS (SELECT 1 FROM account AS b WHERE b.client_id = account.client_id AND b.status <> 'closed' AND b.cash_cents >= ?)
        AND NOT EXISTS (SELECT 1 FROM account AS b WHERE b.client_id = account.client_id AND b.status <> 'closed'
                        AND b.cash_cents > account.cash_cents AND b.cash_cents < ?)
        """,
        limit,
        limit,
        limit,
        unique_by=["client_id", "cash_cents"],
        mine=True,
    )
    name = story.choose("new name", ["Boat fund", "New car", "Gift money"])
    story.wish(
        (
            "Of my accounts with less than {limit} in cash, can you take the one with the most cash and rename it to {name}?",
            "Could you please take the one with the most cash among my accounts with less than {limit} in cash, and rename it to {name}?",
            "rename the one with the most cash to {name} pls, only looking at my accounts with less than {limit} in cash",
        ),
        short="renaming the account with the most cash of those with less than {limit} to {name}",
        limit=limit,
        name=name,
    )
    accounts = story.call("list_accounts", client_id=story.identify())["accounts"]
    with story.wrong("forgets the limit"):
        story.call("update_account", account_id=story.highest(accounts, "cash_cents")["account_id"], nickname=name)
    small = [each for each in accounts if each["cash_cents"] < limit]
    best = story.highest(small, "cash_cents")
    for other in story.others(small, best, 1):
        with story.wrong("takes another one that fits"):
            story.call("update_account", account_id=other["account_id"], nickname=name)
    story.call("update_account", account_id=best["account_id"], nickname=name)


@scenario(form="coupled")
def swap_an_account_for_a_new_one(story: Story) -> None:
    """The client opens a new account under the name of an old one, which is free only once the old one is emptied and closed."""
    old = story.pick(
        "account",
        f"""
        status = 'active' AND account_type IN ('individual', 'joint') AND cash_cents > 0 AND {NOTHING_PENDING}
        AND EXISTS (SELECT 1 FROM account AS b WHERE b.client_id = account.client_id AND b.status = 'active'
                    AND b.account_id <> account.account_id)
        AND NOT EXISTS (SELECT 1 FROM position AS p WHERE p.account_id = account.account_id AND p.quantity > 0)
        AND NOT EXISTS (SELECT 1 FROM "order" AS o WHERE o.account_id = account.account_id
                        AND o.status IN ('open', 'partially_filled'))
        AND NOT EXISTS (SELECT 1 FROM trade AS t JOIN "order" AS o ON o.order_id = t.order_id
                        WHERE o.account_id = account.account_id AND t.settles_on > '2026-03-18')
        """,
        unique_by=["client_id", "nickname", "status"],
        mine=True,
    )
    rest = story.pick(
        "account",
        "status = 'active' AND account_id <> ?",
        old["account_id"],
        unique_by=["client_id", "nickname", "status"],
        mine=True,
    )
    kind = story.choose("kind", ["joint" if old["account_type"] == "individual" else "individual"])
    with story.together():
        start = story.wish(
            (
                "Please open a new {kind} account for me and call it {old}, the same name my old one has.",
                "I would like you to open a new {kind} account for me and name it {old}, as my old one is named.",
                "open a new {kind} account for me pls and call it {old}, same name as my old one",
            ),
            short="opening a new {kind} account called {old}",
            kind=kind,
            old=old["nickname"],
        )
        leave = story.wish(
            (
                "And move all the cash from my old {old} account to my {rest} account, then close the empty one.",
                "Please also move all the cash from my old {old} account to my {rest} account and then close the empty one.",
                "and move all the cash from my old {old} account to my {rest} account, then close the empty one",
            ),
            short="moving all the cash from my old {old} account to my {rest} account and closing the empty one",
            old=old["nickname"],
            rest=rest["nickname"],
        )
    key = story.identify()
    accounts = story.call("list_accounts", wish=leave, client_id=key)["accounts"]
    mine = story.find(accounts, nickname=old["nickname"])
    other = story.find(accounts, nickname=rest["nickname"])
    story.call(
        "transfer_cash",
        wish=leave,
        from_account_id=mine["account_id"],
        to_account_id=other["account_id"],
        amount_cents=mine["cash_cents"],
    )
    story.call("close_account", wish=leave, account_id=mine["account_id"])
    story.call("open_account", wish=start, client_id=key, account_type=kind, nickname=old["nickname"])


@scenario(form="mistaken")
def link_the_same_bank_twice(story: Story) -> None:
    """The client wants one account linked to the bank of another, whose digits they misremember."""
    first = story.pick(
        "account",
        f"""
        status <> 'closed' AND bank_last4 IS NOT NULL AND bank_last4 NOT IN ('1180', '7734', '9052') AND {NOTHING_PENDING}
        AND EXISTS (SELECT 1 FROM account AS b WHERE b.client_id = account.client_id AND b.status <> 'closed'
                    AND b.account_id <> account.account_id AND coalesce(b.bank_last4, '') <> account.bank_last4
                    AND NOT EXISTS (SELECT 1 FROM cash_entry AS c WHERE c.account_id = b.account_id AND c.status = 'pending'))
        """,
        unique_by=["client_id", "nickname", "status"],
        mine=True,
    )
    second = story.pick(
        "account",
        f"status <> 'closed' AND account_id <> ? AND coalesce(bank_last4, '') <> ? AND {NOTHING_PENDING}",
        first["account_id"],
        first["bank_last4"],
        unique_by=["client_id", "nickname", "status"],
        mine=True,
    )
    wrong = story.choose("digits", ["1180", "7734", "9052"])
    story.wish(
        (
            "I think my {first} account is linked to the bank account ending in {digits}. Can you link that same one to my {second} account?",
            "I believe my {first} account is linked to the bank account ending in {digits}. Could you please link that same one to my {second} account?",
            "pretty sure my {first} account is linked to the bank account ending in {digits}. can you link that same one to my {second} account",
        ),
        short="linking the bank account of my {first} account to my {second} account too",
        first=first["nickname"],
        digits=wrong,
        second=second["nickname"],
    )
    story.believes("last four digits", wrong, first["bank_last4"])
    accounts = story.call("list_accounts", client_id=story.identify())["accounts"]
    source = story.call("get_account", account_id=story.find(accounts, nickname=first["nickname"])["account_id"])
    target = story.find(accounts, nickname=second["nickname"])["account_id"]
    with story.wrong("trusts the client"):
        story.call("link_bank", account_id=target, bank_name=source["bank_name"], bank_last4=wrong)
    with story.wrong("changes the first account"):
        story.call("link_bank", account_id=source["account_id"], bank_name=source["bank_name"], bank_last4=wrong)
    story.call("link_bank", account_id=target, bank_name=source["bank_name"], bank_last4=source["bank_last4"])


@scenario
def quote_a_company_i_own(story: Story) -> None:
    """The client asks for the last price and the previous close of a company they hold."""
    position = story.pick(
        "position",
        """
        quantity > 0 AND EXISTS (SELECT 1 FROM account AS a WHERE a.account_id = position.account_id AND a.status <> 'closed')
        """,
        unique_by=["position_id"],
        mine=True,
    )
    company = story.row("stock", position["stock_id"])["company_name"]
    story.wish(
        (
            "I own some {company} and lost track of it. Can you tell me the last price and the previous close?",
            "I own shares of {company} and have lost track of them. Could you please tell me the last price and the previous close?",
            "own some {company} and lost track of it. what's the last price and the previous close",
        ),
        short="telling me the last price and the previous close of {company}",
        company=company,
    )
    story.identify()
    stocks = story.call("search_stocks", text=company)["stocks"]
    quote = story.call("get_quote", symbol=story.find(stocks, company_name=company)["symbol"])
    story.answer("last price", story.money(quote["last_price_cents"]))
    story.answer("previous close", story.money(quote["previous_close_cents"]))


@scenario(form="conditional")
def deposit_by_the_price(story: Story) -> None:
    """The client deposits more or less, depending on the price of a stock."""
    account = story.pick(
        "account",
        "status <> 'closed' AND bank_name IS NOT NULL",
        unique_by=["client_id", "nickname", "status"],
        mine=True,
    )
    symbol = story.pick("stock", "last_price_cents > 0", unique_by=["symbol"])["symbol"]
    nickname = account["nickname"]
    limit = story.money(story.choose("price", [6000, 8000, 10000]))
    large = story.money(story.choose("large amount", [50000, 80000, 120000]))
    small = story.money(story.choose("small amount", [10000, 20000]))
    story.wish(
        (
            "If {symbol} is at {limit} or less right now, start a deposit of {large} into my {account} account. If not, make the deposit {small}.",
            "If {symbol} is at {limit} or less right now, please start a deposit of {large} into my {account} account. If not, please make the deposit {small}.",
            "start a deposit of {large} into my {account} account if {symbol} is at {limit} or less right now. if not, make the deposit {small}",
        ),
        short="starting a deposit into my {account} account of {large} if {symbol} is at {limit} or less, and of {small} if not",
        symbol=symbol,
        limit=limit,
        large=large,
        account=nickname,
        small=small,
    )
    accounts = story.call("list_accounts", client_id=story.identify())["accounts"]
    key = story.find(accounts, nickname=nickname)["account_id"]
    quote = story.call("get_quote", symbol=symbol)
    right, other = (large, small) if quote["last_price_cents"] <= limit else (small, large)
    with story.wrong("takes the other branch"):
        story.call("record_deposit", account_id=key, amount_cents=other)
    with story.wrong("starts both"):
        story.call("record_deposit", account_id=key, amount_cents=large)
        story.call("record_deposit", account_id=key, amount_cents=small)
    story.call("record_deposit", account_id=key, amount_cents=right)


@scenario(form="looked_up")
def the_stock_of_a_sector(story: Story) -> None:
    """The client knows a stock in an account only by its sector and asks what it is worth."""
    position = story.pick(
        "position",
        """
        quantity > 0 AND cost_cents > 0
        AND (SELECT count(*) FROM position AS p WHERE p.account_id = position.account_id AND p.quantity > 0) BETWEEN 2 AND 3
        AND NOT EXISTS (
            SELECT 1 FROM position AS p JOIN stock AS s ON s.stock_id = p.stock_id JOIN stock AS m ON m.stock_id = position.stock_id
            WHERE p.account_id = position.account_id AND p.quantity > 0 AND p.stock_id <> position.stock_id AND s.sector = m.sector)
        AND EXISTS (SELECT 1 FROM account AS a WHERE a.account_id = position.account_id AND a.status <> 'closed')
        """,
        unique_by=["account_id", "stock_id"],
        mine=True,
    )
    account = story.row("account", position["account_id"])["nickname"]
    sector = story.row("stock", position["stock_id"])["sector"]
    words = story.choose(
        "sector",
        {
            {
                "technology": "technology",
                "health_care": "health care",
                "financials": "financials",
                "energy": "energy",
                "consumer": "consumer",
                "industrials": "industrials",
                "utilities": "utilities",
                "real_estate": "real estate",
            }[sector]: sector
        },
    )
    story.wish(
        (
            "I forget the ticker of the {sector} stock in my {account} account. What's its value, and what's its cost?",
            "I forget the ticker of the {sector} stock in my {account} account. Could you please tell me its value and its cost?",
            "what's the value and the cost of the {sector} stock in my {account} account? forgot the ticker",
        ),
        short="telling me the value and the cost of the {sector} stock in my {account} account",
        sector=words,
        account=account,
    )
    accounts = story.call("list_accounts", client_id=story.identify())["accounts"]
    positions = story.call("list_positions", account_id=story.find(accounts, nickname=account)["account_id"])[
        "positions"
    ]
    quotes = [story.call("get_quote", symbol=each["symbol"]) for each in positions]
    mine = story.find(positions, symbol=story.find(quotes, sector=words)["symbol"])
    for other in story.others(positions, mine):
        with story.wrong("takes another stock"):
            story.answer("value", story.money(other["value_cents"]))
            story.answer("cost", story.money(other["cost_cents"]))
    story.answer("value", story.money(mine["value_cents"]))
    story.answer("cost", story.money(mine["cost_cents"]))


@scenario(form="withheld")
def buy_some_of_a_company(story: Story) -> None:
    """The client wants shares of a company and says how many when asked."""
    account = story.pick(
        "account",
        f"status = 'active' AND {AVAILABLE} >= 100000",
        unique_by=["client_id", "nickname", "status"],
        mine=True,
    )
    stock = story.pick(
        "stock",
        """
        status = 'trading' AND last_price_cents <= 20000 AND last_price_cents >= previous_close_cents
        AND NOT EXISTS (SELECT 1 FROM "order" AS o WHERE o.account_id = ? AND o.stock_id = stock.stock_id
                        AND o.side = 'sell' AND o.status IN ('open', 'partially_filled'))
        """,
        account["account_id"],
        unique_by=["company_name"],
    )
    nickname, company = account["nickname"], stock["company_name"]
    side = story.choose("side", ["buy"])
    buy = story.wish(
        (
            "I've read good things about {company}. Can you {side} me some shares with a market order in my {account} account?",
            "I have read good things about {company}. Could you please {side} some shares for me with a market order in my {account} account?",
            "can you {side} me some {company} shares in my {account} account, market order? read good things about them",
        ),
        company=company,
        side=side,
        account=nickname,
    )
    count = story.choose("count", [2, 3, 4, 5])
    story.keep_back("number of shares", count)
    story.in_short(
        buy,
        "placing a market order to {side} some {company} shares in my {account} account, {count} of them",
        side=side,
        company=company,
        account=nickname,
        count=count,
    )
    accounts = story.call("list_accounts", client_id=story.identify())["accounts"]
    stocks = story.call("search_stocks", text=company)["stocks"]
    story.call(
        "place_market_order",
        account_id=story.find(accounts, nickname=nickname)["account_id"],
        stock_id=story.find(stocks, company_name=company)["stock_id"],
        side=side,
        quantity=count,
    )


@scenario(form="withheld")
def watch_a_company(story: Story) -> None:
    """The client wants an alert for a company's stock and says the price when asked."""
    me = story.pick("client", "tier <> 'standard'", unique_by=["client_id"], mine=True)
    stock = story.pick(
        "stock",
        """
        NOT EXISTS (SELECT 1 FROM price_alert AS p WHERE p.client_id = ? AND p.stock_id = stock.stock_id
                    AND p.status = 'active' AND p.direction = 'above')
        """,
        me["client_id"],
        unique_by=["company_name"],
    )
    company = stock["company_name"]
    base = stock["last_price_cents"] // 1000 * 1000
    direction = story.choose("direction", {"rises above": "above"})
    watch = story.wish(
        (
            "I'm keeping an eye on {company}. Can you set an alert for when the stock {direction} a certain price?",
            "I am keeping an eye on {company}. Could you please set an alert for when the stock {direction} a certain price?",
            "set me an alert on {company} pls, for when the stock {direction} a certain price",
        ),
        company=company,
        direction=direction,
    )
    price = story.money(story.choose("price", [base + 2000, base + 3000, base + 4000, base + 5000]))
    story.keep_back("price", price)
    story.in_short(
        watch,
        "setting an alert on {company} for when the stock {direction} a certain price, {price}",
        company=company,
        direction=direction,
        price=price,
    )
    key = story.identify()
    stocks = story.call("search_stocks", text=company)["stocks"]
    story.call(
        "create_price_alert",
        client_id=key,
        stock_id=story.find(stocks, company_name=company)["stock_id"],
        direction=direction,
        target_price_cents=price,
    )


@scenario(form="changed_mind")
def move_an_alert_twice(story: Story) -> None:
    """The client moves an alert on a company up and then corrects the price."""
    alert = story.pick(
        "price_alert",
        "status = 'active' AND direction = 'above'",
        unique_by=["client_id", "stock_id", "status"],
        mine=True,
    )
    company = story.row("stock", alert["stock_id"])["company_name"]
    target = alert["target_price_cents"]
    first = story.money(story.choose("first price", [target + 200, target + 300]))
    second = story.money(story.choose("second price", [target + 500, target + 1000]))
    move = story.wish(
        (
            "My active alert on {company} is too low now. Can you move it up to {price}?",
            "My active alert on {company} is too low now. Could you please move it up to {price}?",
            "can you move my active alert on {company} up to {price}? it's too low now",
        ),
        short="moving my active alert on {company} up to {price}",
        company=company,
        price=first,
    )
    correct = story.changes_mind(
        move,
        (
            "Actually, make the {company} alert {price}.",
            "I apologize, please make the {company} alert {price} instead.",
            "oops, make the {company} alert {price}",
        ),
        short="moving my active alert on {company} up to {price}",
        company=company,
        price=second,
    )
    key = story.identify()
    stock = story.find(story.call("search_stocks", wish=move, text=company)["stocks"], company_name=company)
    alerts = story.call("list_price_alerts", wish=move, client_id=key)["alerts"]
    mine = story.find([each for each in alerts if each["status"] == "active"], stock_id=stock["stock_id"])
    story.call("change_price_alert", wish=move, price_alert_id=mine["price_alert_id"], target_price_cents=first)
    story.call("change_price_alert", wish=correct, price_alert_id=mine["price_alert_id"], target_price_cents=second)


@scenario(form="computed")
def price_of_a_pair(story: Story) -> None:
    """The client asks what a share each of two stocks comes to with costs on top, and for a previous close."""
    story.pick("client", "joined_on < ?", story.today, unique_by=["client_id"], mine=True)
    first, second = story.pick_several("stock", 2, "last_price_cents > 0", unique_by=["symbol"])
    one, two = first["symbol"], second["symbol"]
    extra = story.money(story.choose("extra", [500, 1000, 1500]))
    story.wish(
        (
            "I'm thinking about a share each of {one} and {two}. What's the total at the last prices with {extra} on top for costs, and what's the previous close of {two}?",
            "I am considering a share each of {one} and {two}. Could you please tell me the total at the last prices with {extra} on top for costs, and the previous close of {two}?",
            "what's the total for a share each of {one} and {two} at the last prices, with {extra} on top for costs? and the previous close of {two}",
        ),
        short="telling me the total for a share each of {one} and {two} with {extra} on top, and the previous close of {two}",
        one=one,
        two=two,
        extra=extra,
    )
    story.identify()
    quotes = [story.call("get_quote", symbol=each) for each in (one, two)]
    parts = [{"cents": each["last_price_cents"]} for each in quotes]
    close = story.find(quotes, symbol=two)["previous_close_cents"]
    with story.wrong("forgets the costs"):
        story.answer("total", story.money(story.total(parts, "cents")))
        story.answer("previous close", story.money(close))
    story.answer("total", story.money(story.total([{"cents": extra}, *parts], "cents")))
    story.answer("previous close", story.money(close))


@scenario
def execute_a_reached_order(story: Story) -> None:
    """The client has an order executed whose price is reached and asks what it filled at."""
    order = story.pick(
        "order",
        """
        status = 'open' AND EXISTS (
            SELECT 1 FROM stock WHERE stock.stock_id = "order".stock_id AND stock.status = 'trading'
            AND ((side = 'sell' AND order_type = 'limit' AND last_price_cents >= price_cents)
                 OR ((side = 'buy' OR order_type = 'stop') AND last_price_cents <= price_cents)))
        """,
        unique_by=["account_id", "stock_id", "status"],
        mine=True,
    )
    account = story.row("account", order["account_id"])["nickname"]
    symbol = story.row("stock", order["stock_id"])["symbol"]
    story.wish(
        (
            "{symbol} hit the price of my open order in my {account} account. Can you execute it and tell me the fill price?",
            "{symbol} has reached the price of the open order in my {account} account. Could you please execute it and tell me the fill price?",
            "can you execute my open {symbol} order in my {account} account? it hit my price. what's the fill price",
        ),
        short="executing my open {symbol} order in my {account} account and telling me the fill price",
        symbol=symbol,
        account=account,
    )
    accounts = story.call("list_accounts", client_id=story.identify())["accounts"]
    mine = story.find(accounts, nickname=account)
    orders = story.call("list_orders", account_id=mine["account_id"])["orders"]
    waiting = [each for each in orders if each["status"] == "open"]
    filled = story.call("execute_order", order_id=story.find(waiting, symbol=symbol)["order_id"])
    story.answer("fill price", story.money(filled["trade"]["price_cents"]))


@scenario
def protect_shares_with_a_stop(story: Story) -> None:
    """The client places a stop order on some of the shares they hold."""
    position = story.pick(
        "position",
        f"""
        {FREE_SHARES} >= 4 AND {POSITION_ACTIVE} AND {HOLDER_ORDERS} < 2
        AND EXISTS (SELECT 1 FROM stock WHERE stock.stock_id = position.stock_id AND last_price_cents >= 500)
        AND NOT EXISTS (SELECT 1 FROM "order" AS o WHERE o.account_id = position.account_id AND o.stock_id = position.stock_id
                        AND o.side = 'buy' AND o.status IN ('open', 'partially_filled'))
        """,
        unique_by=["account_id", "stock_id"],
        mine=True,
    )
    account = story.row("account", position["account_id"])["nickname"]
    stock = story.row("stock", position["stock_id"])
    count = story.choose("count", [2, 3, 4])
    price = story.money(story.choose("stop price", [stock["last_price_cents"] * 8 // 1000 * 100]))
    story.wish(
        (
            "I'm worried {symbol} might drop. Can you put a stop order at {price} on {count} of my shares in the {account} account?",
            "I am concerned that {symbol} might fall. Could you please place a stop order at {price} on {count} of my shares in the {account} account?",
            "put a stop order on {count} of my {symbol} shares in the {account} account pls, at {price}. worried it'll drop",
        ),
        short="placing a stop order at {price} on {count} of my {symbol} shares in the {account} account",
        symbol=stock["symbol"],
        price=price,
        count=count,
        account=account,
    )
    accounts = story.call("list_accounts", client_id=story.identify())["accounts"]
    mine = story.find(accounts, nickname=account)
    quote = story.call("get_quote", symbol=stock["symbol"])
    story.call(
        "place_stop_order",
        account_id=mine["account_id"],
        stock_id=quote["stock_id"],
        quantity=count,
        stop_price_cents=price,
    )


@scenario
def clear_out_open_orders(story: Story) -> None:
    """The client has all open orders of an account canceled."""
    account = story.pick(
        "account",
        """
        status <> 'closed'
        AND (SELECT count(*) FROM "order" AS o WHERE o.account_id = account.account_id
             AND o.status IN ('open', 'partially_filled')) BETWEEN 2 AND 10
        AND NOT EXISTS (SELECT 1 FROM "order" AS o WHERE o.account_id = account.account_id
                        AND o.status IN ('open', 'partially_filled') AND o.placed_at >= ?)
        """,
        story.today,
        unique_by=["client_id", "nickname", "status"],
        mine=True,
    )
    nickname = account["nickname"]
    story.wish(
        (
            "Can you cancel every order that's still open in my {account} account, partly filled ones too? No need to note why.",
            "Could you please cancel every order that is still open in my {account} account, including partly filled ones? There is no need to note why.",
            "cancel every open order in my {account} account pls, partly filled ones too. no need to note why",
        ),
        short="canceling every open order in my {account} account, partly filled ones too",
        account=nickname,
    )
    accounts = story.call("list_accounts", client_id=story.identify())["accounts"]
    mine = story.find(accounts, nickname=nickname)
    orders = story.call("list_orders", account_id=mine["account_id"])["orders"]
    waiting = [each for each in orders if each["status"] in ("open", "partially_filled")]
    story.call("cancel_orders", order_ids=[each["order_id"] for each in waiting])


@scenario(form="fallback")
def shrink_an_open_order(story: Story) -> None:
    """The client wants an open order made smaller, or else canceled."""
    order = story.pick(
        "order",
        f"status = 'open' AND quantity >= 4 AND placed_at < ? AND {ORDER_ACTIVE}",
        story.today,
        unique_by=["account_id", "stock_id", "status"],
        mine=True,
    )
    account = story.row("account", order["account_id"])["nickname"]
    symbol = story.row("stock", order["stock_id"])["symbol"]
    count = story.choose("count", [2, 3])
    shrink = story.wish(
        (
            "My open {symbol} order in my {account} account is too big for me. Can you change it to {count} shares?",
            "The open {symbol} order in my {account} account is too large for me. Could you please change it to {count} shares?",
            "can you change my open {symbol} order in my {account} account to {count} shares? too big for me",
        ),
        short="changing my open {symbol} order in my {account} account to {count} shares",
        symbol=symbol,
        account=account,
        count=count,
    )
    drop = story.otherwise(
        shrink,
        (
            "Then please cancel that {symbol} order altogether.",
            "In that case, could you please cancel that {symbol} order altogether?",
            "just cancel that {symbol} order altogether then",
        ),
        short="canceling that {symbol} order",
        symbol=symbol,
    )
    accounts = story.call("list_accounts", wish=shrink, client_id=story.identify())["accounts"]
    orders = story.call("list_orders", wish=shrink, account_id=story.find(accounts, nickname=account)["account_id"])[
        "orders"
    ]
    mine = story.find([each for each in orders if each["status"] == "open"], symbol=symbol)
    with story.wrong("keeps the old size"):
        story.call("change_order", wish=shrink, order_id=mine["order_id"], quantity=mine["quantity"])
    if story.permits("change_order", wish=shrink, order_id=mine["order_id"], quantity=count):
        story.call("change_order", wish=shrink, order_id=mine["order_id"], quantity=count)
    else:
        story.decline(shrink)
        story.call("cancel_order", wish=drop, order_id=mine["order_id"])


@scenario(form="denied")
def cancel_an_open_order(story: Story) -> None:
    """The client no longer wants an open order and asks to cancel it."""
    order = story.pick(
        "order",
        f"status = 'open' AND {ORDER_ACTIVE}",
        unique_by=["account_id", "stock_id", "status"],
        mine=True,
    )
    account = story.row("account", order["account_id"])["nickname"]
    symbol = story.row("stock", order["stock_id"])["symbol"]
    drop = story.wish(
        (
            "I don't want my open {symbol} order in the {account} account anymore. Can you cancel it?",
            "I no longer want the open {symbol} order in my {account} account. Could you please cancel it?",
            "can you cancel my open {symbol} order in the {account} account? don't want it anymore",
        ),
        short="canceling my open {symbol} order in the {account} account",
        symbol=symbol,
        account=account,
    )
    story.insists(
        drop,
        (
            "I really can't sleep with that order sitting there.",
            "I honestly cannot sleep while that order is sitting there.",
            "seriously can't sleep with that order sitting there",
        ),
    )
    accounts = story.call("list_accounts", client_id=story.identify())["accounts"]
    orders = story.call("list_orders", account_id=story.find(accounts, nickname=account)["account_id"])["orders"]
    mine = story.find([each for each in orders if each["status"] == "open"], symbol=symbol)
    with story.wrong("changes it instead"):
        story.call("change_order", order_id=mine["order_id"], quantity=mine["quantity"])
    if story.permits("cancel_order", order_id=mine["order_id"]):
        story.call("cancel_order", order_id=mine["order_id"])
    else:
        story.decline(drop)


@scenario(form="denied")
def buy_at_the_market(story: Story) -> None:
    """The client wants shares bought at once at the market price."""
    account = story.pick(
        "account",
        f"status = 'active' AND {AVAILABLE} >= 100000",
        unique_by=["client_id", "nickname", "status"],
        mine=True,
    )
    stock = story.pick(
        "stock",
        """
        status = 'trading' AND last_price_cents <= 20000
        AND NOT EXISTS (SELECT 1 FROM "order" AS o WHERE o.account_id = ? AND o.stock_id = stock.stock_id
                        AND o.side = 'sell' AND o.status IN ('open', 'partially_filled'))
        """,
        account["account_id"],
        unique_by=["symbol"],
    )
    nickname, symbol = account["nickname"], stock["symbol"]
    side = story.choose("side", ["buy"])
    count = story.choose("count", [2, 3, 4, 5])
    buy = story.wish(
        (
            "I've got some cash in my {account} account. Can you {side} {count} shares of {symbol} with a market order?",
            "I have some cash in my {account} account. Could you please {side} {count} shares of {symbol} with a market order?",
            "market order pls, {side} {count} shares of {symbol} in my {account} account, got cash there",
        ),
        short="placing a market order to {side} {count} shares of {symbol} in my {account} account",
        account=nickname,
        side=side,
        count=count,
        symbol=symbol,
    )
    story.insists(
        buy,
        (
            "My brother got his this morning with no trouble, I don't want to be left behind.",
            "My brother got his this morning without any trouble, and I do not want to be left behind.",
            "my brother got his this morning no problem, don't wanna be left behind",
        ),
    )
    accounts = story.call("list_accounts", client_id=story.identify())["accounts"]
    mine = story.find(accounts, nickname=nickname)
    quote = story.call("get_quote", symbol=symbol)
    with story.wrong("places a limit order instead"):
        story.call(
            "place_limit_order",
            account_id=mine["account_id"],
            stock_id=quote["stock_id"],
            side=side,
            quantity=count,
            limit_price_cents=quote["last_price_cents"],
        )
    if story.permits(
        "place_market_order", account_id=mine["account_id"], stock_id=quote["stock_id"], side=side, quantity=count
    ):
        story.call(
            "place_market_order", account_id=mine["account_id"], stock_id=quote["stock_id"], side=side, quantity=count
        )
    else:
        story.decline(buy)


@scenario(form="computed")
def plan_two_purchases(story: Story) -> None:
    """The client asks what two purchases would take with a cushion on top, and what cash is free."""
    account = story.pick(
        "account",
        f"status = 'active' AND {AVAILABLE} >= 20000",
        unique_by=["client_id", "nickname", "status"],
        mine=True,
    )
    first, second = story.pick_several("stock", 2, "last_price_cents < 40000", unique_by=["symbol"])
    nickname, one, two = account["nickname"], first["symbol"], second["symbol"]
    side = story.choose("side", ["buy"])
    few = story.choose("first count", [3, 4, 5])
    many = story.choose("second count", [6, 8, 10])
    cushion = story.money(story.choose("cushion", [5000, 10000, 15000]))
    story.wish(
        (
            "What's the total to {side} {few} shares of {one} and {many} of {two} in my {account} account, with {cushion} on top to be safe? And how much free cash is there?",
            "Could you please tell me the total to {side} {few} shares of {one} and {many} of {two} in my {account} account, with {cushion} on top to be safe, and how much free cash is there?",
            "total to {side} {few} shares of {one} and {many} of {two} in my {account} account, with {cushion} on top to be safe? and how much free cash is there",
        ),
        short="telling me the total to {side} {few} {one} and {many} {two} shares with {cushion} on top, and the free cash in my {account} account",
        side=side,
        few=few,
        one=one,
        many=many,
        two=two,
        account=nickname,
        cushion=cushion,
    )
    accounts = story.call("list_accounts", client_id=story.identify())["accounts"]
    key = story.find(accounts, nickname=nickname)["account_id"]
    small = story.call(
        "preview_order",
        account_id=key,
        stock_id=story.call("get_quote", symbol=one)["stock_id"],
        side=side,
        quantity=few,
    )
    large = story.call(
        "preview_order",
        account_id=key,
        stock_id=story.call("get_quote", symbol=two)["stock_id"],
        side=side,
        quantity=many,
    )
    parts = [{"cents": small["amount_cents"]}, {"cents": large["amount_cents"]}]
    with story.wrong("forgets the cushion"):
        story.answer("total", story.money(story.total(parts, "cents")))
        story.answer("free cash", story.money(small["available_cents"]))
    story.answer("total", story.money(story.total([{"cents": cushion}, *parts], "cents")))
    story.answer("free cash", story.money(small["available_cents"]))


@scenario(form="coupled")
def swap_one_open_order_for_another(story: Story) -> None:
    """The client bids for more of a stock, which the desk takes only once the open order to sell it is canceled."""
    order = story.pick(
        "order",
        f"""
        status = 'open' AND side = 'sell' AND placed_at < ?
        AND EXISTS (SELECT 1 FROM account JOIN stock ON stock.stock_id = "order".stock_id
                    WHERE account.account_id = "order".account_id AND account.status = 'active'
                    AND stock.last_price_cents >= 300 AND {AVAILABLE} >= 2 * stock.last_price_cents)
        AND NOT EXISTS (SELECT 1 FROM "order" AS p WHERE p.account_id = "order".account_id AND p.stock_id = "order".stock_id
                        AND p.side = 'sell' AND p.status IN ('open', 'partially_filled') AND p.order_id <> "order".order_id)
        """,
        story.today,
        unique_by=["account_id", "stock_id", "status"],
        mine=True,
    )
    nickname = story.row("account", order["account_id"])["nickname"]
    stock = story.row("stock", order["stock_id"])
    symbol = stock["symbol"]
    side = story.choose("side", ["buy"])
    count = story.choose("count", [2])
    price = story.money(story.choose("limit price", [stock["last_price_cents"] * 9 // 1000 * 100]))
    with story.together():
        place = story.wish(
            (
                "I've come around to {symbol} again. Please put in a limit order to {side} {count} shares at {price} in my {account} account.",
                "Please place a limit order to {side} {count} shares of {symbol} at {price} in my {account} account. I believe in the company again.",
                "limit order pls, {side} {count} shares of {symbol} at {price} in my {account} account",
            ),
            short="placing a limit order to {side} {count} shares of {symbol} at {price} in my {account} account",
            side=side,
            count=count,
            symbol=symbol,
            price=price,
            account=nickname,
        )
        drop = story.wish(
            (
                "And cancel my open order to sell {symbol} in the {account} account, I'm keeping those shares.",
                "I would also like my open order to sell {symbol} in the {account} account canceled, since I am keeping those shares.",
                "and cancel my open order to sell {symbol} in the {account} account, keeping those",
            ),
            short="canceling my open order to sell {symbol} in my {account} account",
            symbol=symbol,
            account=nickname,
        )
    accounts = story.call("list_accounts", wish=place, client_id=story.identify())["accounts"]
    key = story.find(accounts, nickname=nickname)["account_id"]
    orders = story.call("list_orders", wish=drop, account_id=key)["orders"]
    mine = story.find([each for each in orders if each["status"] == "open"], symbol=symbol)
    quote = story.call("get_quote", wish=place, symbol=symbol)
    story.call("cancel_order", wish=drop, order_id=mine["order_id"])
    story.call(
        "place_limit_order",
        wish=place,
        account_id=key,
        stock_id=quote["stock_id"],
        side=side,
        quantity=count,
        limit_price_cents=price,
    )


@scenario
def undo_a_trade_of_today(story: Story) -> None:
    """The client has a trade of today reversed that was a mistake."""
    trade = story.pick(
        "trade",
        """
        is_reversed = 0 AND traded_at >= ?
        AND EXISTS (
            SELECT 1 FROM "order" AS o JOIN account AS a ON a.account_id = o.account_id
            WHERE o.order_id = trade.order_id AND a.status <> 'closed'
            AND NOT EXISTS (SELECT 1 FROM trade AS t JOIN "order" AS p ON p.order_id = t.order_id
                            WHERE p.account_id = o.account_id AND p.stock_id = o.stock_id AND t.is_reversed = 0
                            AND t.trade_id <> trade.trade_id AND t.traded_at >= trade.traded_at)
            AND (o.side = 'sell' OR trade.quantity <=
                 (SELECT coalesce(sum(q.quantity), 0) FROM position AS q WHERE q.account_id = o.account_id AND q.stock_id = o.stock_id)
                 - (SELECT coalesce(sum(p.quantity - p.filled_quantity), 0) FROM "order" AS p WHERE p.account_id = o.account_id
                    AND p.stock_id = o.stock_id AND p.side = 'sell' AND p.status IN ('open', 'partially_filled')))
            AND (o.side = 'buy' OR trade.amount_cents <= a.cash_cents
                 - (SELECT coalesce(sum((p.quantity - p.filled_quantity) * p.price_cents), 0) FROM "order" AS p
                    WHERE p.account_id = a.account_id AND p.side = 'buy' AND p.status IN ('open', 'partially_filled'))
                 - (SELECT coalesce(sum(c.amount_cents), 0) FROM cash_entry AS c
                    WHERE c.account_id = a.account_id AND c.kind = 'withdrawal' AND c.status = 'pending')))
        """,
        story.today,
        unique_by=["order_id.account_id", "order_id.stock_id", "settles_on", "is_reversed"],
        mine=True,
    )
    order = story.row("order", trade["order_id"])
    account = story.row("account", order["account_id"])["nickname"]
    symbol = story.row("stock", order["stock_id"])["symbol"]
    reason = story.dictate("reason", "I picked the wrong stock by mistake")
    story.wish(
        (
            "My {symbol} trade this morning in the {account} account was a mistake. Can you reverse it? As the reason, put exactly this: {reason}",
            "The {symbol} trade this morning in my {account} account was a mistake. Could you please reverse it? As the reason, put exactly this: {reason}",
            "can you reverse my {symbol} trade from this morning in the {account} account? was a mistake. as the reason, put exactly this: {reason}",
        ),
        short="reversing my {symbol} trade of this morning in the {account} account with the reason {reason}",
        symbol=symbol,
        account=account,
        reason=reason,
    )
    accounts = story.call("list_accounts", client_id=story.identify())["accounts"]
    mine = story.find(accounts, nickname=account)
    trades = story.call("list_trades", account_id=mine["account_id"], from_date=story.today)["trades"]
    live = [each for each in trades if not each["is_reversed"]]
    story.call("reverse_trade", trade_id=story.find(live, symbol=symbol)["trade_id"], reason=reason)


@scenario
def what_a_stock_is_worth(story: Story) -> None:
    """The client asks what the shares of a stock are worth and what they cost."""
    position = story.pick(
        "position",
        """
        quantity > 0 AND cost_cents > 0
        AND EXISTS (SELECT 1 FROM account AS a WHERE a.account_id = position.account_id AND a.status <> 'closed')
        """,
        unique_by=["account_id", "stock_id"],
        mine=True,
    )
    account = story.row("account", position["account_id"])["nickname"]
    symbol = story.row("stock", position["stock_id"])["symbol"]
    story.wish(
        (
            "I'm doing my books. Can you tell me the value of my {symbol} shares in the {account} account and their cost?",
            "I am doing my books. Could you please tell me the value of my {symbol} shares in the {account} account and their cost?",
            "doing my books. what's the value of my {symbol} shares in the {account} account, and their cost",
        ),
        short="telling me the value of my {symbol} shares in the {account} account and their cost",
        symbol=symbol,
        account=account,
    )
    accounts = story.call("list_accounts", client_id=story.identify())["accounts"]
    positions = story.call("list_positions", account_id=story.find(accounts, nickname=account)["account_id"])[
        "positions"
    ]
    mine = story.find(positions, symbol=symbol)
    story.answer("value", story.money(mine["value_cents"]))
    story.answer("cost", story.money(mine["cost_cents"]))


@scenario(form="denied")
def move_shares_between_accounts(story: Story) -> None:
    """The client wants shares moved from one of their accounts to another."""
    position = story.pick(
        "position",
        f"{FREE_SHARES} >= 4 AND {TWO_ACTIVE}",
        unique_by=["account_id", "stock_id"],
        mine=True,
    )
    source = story.row("account", position["account_id"])
    target = story.pick(
        "account",
        "status = 'active' AND account_id <> ?",
        source["account_id"],
        unique_by=["client_id", "nickname", "status"],
        mine=True,
    )
    symbol = story.row("stock", position["stock_id"])["symbol"]
    count = story.choose("count", [2, 3])
    move = story.wish(
        (
            "I'm tidying up my accounts. Can you move {count} shares of {symbol} from my {source} account to my {target} account?",
            "I am tidying up my accounts. Could you please move {count} shares of {symbol} from my {source} account to my {target} account?",
            "move {count} shares of {symbol} from my {source} account to my {target} account pls, tidying up",
        ),
        short="moving {count} shares of {symbol} from my {source} account to my {target} account",
        count=count,
        symbol=symbol,
        source=source["nickname"],
        target=target["nickname"],
    )
    story.insists(
        move,
        (
            "I've been putting this off for months, I'd love to be done with it.",
            "I have been putting this off for months and would love to be done with it.",
            "been putting this off for months, just want it done",
        ),
    )
    accounts = story.call("list_accounts", client_id=story.identify())["accounts"]
    giver = story.find(accounts, nickname=source["nickname"])["account_id"]
    receiver = story.find(accounts, nickname=target["nickname"])["account_id"]
    positions = story.call("list_positions", account_id=giver)["positions"]
    mine = story.find(positions, symbol=symbol)
    with story.wrong("moves all of them"):
        story.call(
            "transfer_shares",
            from_account_id=giver,
            to_account_id=receiver,
            stock_id=mine["stock_id"],
            quantity=mine["free_shares"],
        )
    if story.permits(
        "transfer_shares", from_account_id=giver, to_account_id=receiver, stock_id=mine["stock_id"], quantity=count
    ):
        story.call(
            "transfer_shares", from_account_id=giver, to_account_id=receiver, stock_id=mine["stock_id"], quantity=count
        )
    else:
        story.decline(move)


@scenario(form="ambiguous")
def check_one_of_my_stocks(story: Story) -> None:
    """The client asks about one of several stocks in an account and says which when asked."""
    position = story.pick(
        "position",
        """
        quantity > 0
        AND (SELECT count(*) FROM position AS p WHERE p.account_id = position.account_id AND p.quantity > 0) >= 4
        AND EXISTS (SELECT 1 FROM account AS a WHERE a.account_id = position.account_id AND a.status <> 'closed')
        """,
        unique_by=["account_id", "stock_id"],
        mine=True,
    )
    account = story.row("account", position["account_id"])["nickname"]
    symbol = story.row("stock", position["stock_id"])["symbol"]
    check = story.wish(
        (
            "I want to check up on a stock in my {account} account. Can you tell me its value and its cost?",
            "I would like to check on a stock in my {account} account. Could you please tell me its value and its cost?",
            "checking on a stock in my {account} account. can you tell me its value and its cost",
        ),
        account=account,
    )
    story.keep_back("stock", symbol)
    story.in_short(
        check,
        "telling me the value and the cost of a stock in my {account} account, {stock}",
        account=account,
        stock=symbol,
    )
    accounts = story.call("list_accounts", client_id=story.identify())["accounts"]
    positions = story.call("list_positions", account_id=story.find(accounts, nickname=account)["account_id"])[
        "positions"
    ]
    mine = story.find(positions, symbol=symbol)
    for other in story.others(positions, mine):
        with story.wrong("takes another stock"):
            story.answer("value", story.money(other["value_cents"]))
            story.answer("cost", story.money(other["cost_cents"]))
    story.answer("value", story.money(mine["value_cents"]))
    story.answer("cost", story.money(mine["cost_cents"]))


@scenario(form="conditional")
def move_shares_if_worth_enough(story: Story) -> None:
    """The client moves shares if they are worth enough and otherwise reinvests dividends."""
    position = story.pick(
        "position",
        f"""
        {FREE_SHARES} >= 4 AND {TWO_ACTIVE}
        AND EXISTS (SELECT 1 FROM account AS a WHERE a.account_id = position.account_id AND a.reinvest_dividends = 0)
        """,
        unique_by=["account_id", "stock_id"],
        mine=True,
    )
    source = story.row("account", position["account_id"])
    target = story.pick(
        "account",
        "status = 'active' AND account_id <> ?",
        source["account_id"],
        unique_by=["client_id", "nickname", "status"],
        mine=True,
    )
    symbol = story.row("stock", position["stock_id"])["symbol"]
    count = story.choose("count", [2, 3])
    limit = story.money(story.choose("limit", [200000, 250000, 300000]))
    reinvest = story.choose("dividends", {"reinvesting dividends": True})
    story.wish(
        (
            "If my {symbol} shares in the {source} account are worth {limit} or more, move {count} of them to my {target} account. If not, start {dividends} in the {source} account.",
            "If my {symbol} shares in the {source} account are worth {limit} or more, please move {count} of them to my {target} account. If not, please start {dividends} in the {source} account.",
            "move {count} of my {symbol} shares from the {source} account to my {target} account if they're worth {limit} or more there. if not, start {dividends} in the {source} account",
        ),
        short="moving {count} {symbol} shares from {source} to {target} if those in {source} are worth {limit} or more, and if not, {dividends} in {source}",
        symbol=symbol,
        source=source["nickname"],
        limit=limit,
        count=count,
        target=target["nickname"],
        dividends=reinvest,
    )
    accounts = story.call("list_accounts", client_id=story.identify())["accounts"]
    giver = story.find(accounts, nickname=source["nickname"])["account_id"]
    receiver = story.find(accounts, nickname=target["nickname"])["account_id"]
    mine = story.find(story.call("list_positions", account_id=giver)["positions"], symbol=symbol)
    with story.wrong("moves all of them"):
        story.call(
            "transfer_shares",
            from_account_id=giver,
            to_account_id=receiver,
            stock_id=mine["stock_id"],
            quantity=mine["free_shares"],
        )
    if mine["value_cents"] >= limit:
        with story.wrong("takes the other branch"):
            story.call("update_account", account_id=giver, reinvest_dividends=reinvest)
        story.call(
            "transfer_shares", from_account_id=giver, to_account_id=receiver, stock_id=mine["stock_id"], quantity=count
        )
    else:
        with story.wrong("takes the other branch"):
            story.call(
                "transfer_shares",
                from_account_id=giver,
                to_account_id=receiver,
                stock_id=mine["stock_id"],
                quantity=count,
            )
        story.call("update_account", account_id=giver, reinvest_dividends=reinvest)


@scenario(form="coupled")
def move_shares_and_take_dividends_in_cash(story: Story) -> None:
    """The client moves shares out of an account whose dividends must first be set to cash."""
    position = story.pick(
        "position",
        f"""
        {FREE_SHARES} >= 3 AND {TWO_ACTIVE}
        AND EXISTS (SELECT 1 FROM account AS a WHERE a.account_id = position.account_id AND a.reinvest_dividends = 1)
        """,
        unique_by=["account_id", "stock_id"],
        mine=True,
    )
    source = story.row("account", position["account_id"])
    target = story.pick(
        "account",
        "status = 'active' AND account_id <> ?",
        source["account_id"],
        unique_by=["client_id", "nickname", "status"],
        mine=True,
    )
    symbol = story.row("stock", position["stock_id"])["symbol"]
    count = story.choose("count", [2, 3])
    reinvest = story.choose("dividends", {"in cash": False})
    with story.together():
        move = story.wish(
            (
                "Please move {count} shares of {symbol} from my {source} account to my {target} account.",
                "I would like to move {count} shares of {symbol} from my {source} account to my {target} account.",
                "can you move {count} shares of {symbol} from my {source} account to my {target} account?",
            ),
            short="moving {count} shares of {symbol} from my {source} account to my {target} account",
            count=count,
            symbol=symbol,
            source=source["nickname"],
            target=target["nickname"],
        )
        pay = story.wish(
            (
                "And stop reinvesting dividends in the {source} account, I want them {dividends}.",
                "Please also stop reinvesting dividends in the {source} account, as I want them {dividends}.",
                "and stop reinvesting dividends in the {source} account, want them {dividends}",
            ),
            short="paying dividends in the {source} account {dividends} from now on",
            source=source["nickname"],
            dividends=reinvest,
        )
    accounts = story.call("list_accounts", wish=move, client_id=story.identify())["accounts"]
    giver = story.find(accounts, nickname=source["nickname"])["account_id"]
    receiver = story.find(accounts, nickname=target["nickname"])["account_id"]
    quote = story.call("get_quote", wish=move, symbol=symbol)
    story.call("update_account", wish=pay, account_id=giver, reinvest_dividends=reinvest)
    story.call(
        "transfer_shares",
        wish=move,
        from_account_id=giver,
        to_account_id=receiver,
        stock_id=quote["stock_id"],
        quantity=count,
    )


@scenario(form="looked_up")
def account_behind_a_bank(story: Story) -> None:
    """The client knows an account only by its bank digits and asks what is in it."""
    account = story.pick(
        "account",
        """
        status <> 'closed' AND bank_last4 IS NOT NULL
        AND (SELECT count(*) FROM account AS b WHERE b.client_id = account.client_id AND b.status <> 'closed') BETWEEN 2 AND 3
        AND EXISTS (SELECT 1 FROM position AS p WHERE p.account_id = account.account_id AND p.quantity > 0)
        """,
        unique_by=["client_id", "bank_last4"],
        mine=True,
    )
    digits = account["bank_last4"]
    story.wish(
        (
            "I forget which account is linked to my bank account ending in {digits}. What's the stock value in it, and the free cash?",
            "I forget which account is linked to my bank account ending in {digits}. Could you please tell me the stock value in it and the free cash?",
            "what's the stock value and the free cash in the account that's linked to my bank account ending in {digits}? forgot which one it is",
        ),
        short="telling me the stock value and the free cash in the account linked to my bank account ending in {digits}",
        digits=digits,
    )
    accounts = story.call("list_accounts", client_id=story.identify())["accounts"]
    details = [story.call("get_account", account_id=each["account_id"]) for each in accounts]
    mine = story.find(details, bank_last4=digits)
    for other in story.others(details, mine):
        with story.wrong("takes another account"):
            held = story.call("list_positions", account_id=other["account_id"])
            story.answer("stock value", story.money(held["total_value_cents"]))
            story.answer("free cash", story.money(other["available_cents"]))
    held = story.call("list_positions", account_id=mine["account_id"])
    story.answer("stock value", story.money(held["total_value_cents"]))
    story.answer("free cash", story.money(mine["available_cents"]))


@scenario(form="outside")
def sum_up_my_portfolio(story: Story) -> None:
    """The client asks what they have in all and also wants something no tool does."""
    story.pick(
        "position",
        """
        quantity > 0 AND EXISTS (SELECT 1 FROM account AS a WHERE a.account_id = position.account_id AND a.status <> 'closed')
        """,
        unique_by=["position_id"],
        mine=True,
    )
    sums = story.wish(
        (
            "I'm meeting my tax guy tomorrow. Can you tell me the stock value and the cash over all my accounts?",
            "I am meeting my tax adviser tomorrow. Could you please tell me the stock value and the cash over all my accounts?",
            "seeing my tax guy tomorrow. what's the stock value and the cash over all my accounts",
        ),
        short="telling me the stock value and the cash over all my accounts",
    )
    story.outside(
        (
            "And can you have paper certificates of my shares delivered to his office?",
            "Could you please also have paper certificates of my shares delivered to his office?",
            "and can you get paper certificates of my shares delivered to his office",
        )
    )
    whole = story.call("get_portfolio", wish=sums, client_id=story.identify())
    story.answer("stock value", story.money(whole["stock_value_cents"]), wish=sums)
    story.answer("cash", story.money(whole["cash_cents"]), wish=sums)


@scenario(form="denied")
def withdraw_to_the_bank(story: Story) -> None:
    """The client wants money sent to the linked bank."""
    account = story.pick(
        "account",
        f"status = 'active' AND bank_name IS NOT NULL AND {WITHDRAWABLE} > 40000",
        unique_by=["client_id", "nickname", "status"],
        mine=True,
    )
    nickname = account["nickname"]
    amount = story.money(story.choose("amount", [15000, 20000, 30000, 40000]))
    out = story.wish(
        (
            "I need some money this week. Can you withdraw {amount} from my {account} account to the bank that's linked to it?",
            "I need some money this week. Could you please withdraw {amount} from my {account} account to the bank that is linked to it?",
            "can you withdraw {amount} from my {account} account to the linked bank? need the money this week",
        ),
        short="withdrawing {amount} from my {account} account to the linked bank",
        amount=amount,
        account=nickname,
    )
    story.insists(
        out,
        (
            "My car's in the shop and I can't get to work without it.",
            "My car is in the shop, and I cannot get to work without it.",
            "car's in the shop and i can't get to work without it",
        ),
    )
    accounts = story.call("list_accounts", client_id=story.identify())["accounts"]
    mine = story.call("get_account", account_id=story.find(accounts, nickname=nickname)["account_id"])
    with story.wrong("withdraws all there is"):
        story.call("request_withdrawal", account_id=mine["account_id"], amount_cents=mine["withdrawable_cents"])
    if story.permits("request_withdrawal", account_id=mine["account_id"], amount_cents=amount):
        story.call("request_withdrawal", account_id=mine["account_id"], amount_cents=amount)
    else:
        story.decline(out)


@scenario(form="denied")
def ask_for_a_credit(story: Story) -> None:
    """The client asks for a goodwill credit."""
    account = story.pick(
        "account",
        "status = 'active' AND cash_cents BETWEEN 5000 AND 50000000",
        unique_by=["client_id", "nickname", "status"],
        mine=True,
    )
    nickname = account["nickname"]
    amount = story.money(story.choose("amount", [1000, 1500, 2000, 2500]))
    note = story.dictate("note", "Credit for the long hold on Monday")
    credit = story.wish(
        (
            "I sat on hold forever on Monday. Can you credit {amount} to my {account} account? For the note, put exactly this: {note}",
            "I spent a very long time on hold on Monday. Could you please credit {amount} to my {account} account? For the note, put exactly this: {note}",
            "can you credit {amount} to my {account} account? was on hold forever on monday. for the note, put exactly this: {note}",
        ),
        short="crediting {amount} to my {account} account with the note {note}",
        amount=amount,
        account=nickname,
        note=note,
    )
    story.insists(
        credit,
        (
            "That was my whole lunch break, I'm pretty upset about it.",
            "That took my whole lunch break, and I am rather upset about it.",
            "that was my whole lunch break, pretty upset tbh",
        ),
    )
    accounts = story.call("list_accounts", client_id=story.identify())["accounts"]
    mine = story.find(accounts, nickname=nickname)
    with story.wrong("charges it as a fee"):
        story.call("charge_fee", account_id=mine["account_id"], amount_cents=amount, note=note)
    with story.wrong("credits another amount"):
        story.call("issue_credit", account_id=mine["account_id"], amount_cents=mine["cash_cents"], note=note)
    if story.permits("issue_credit", account_id=mine["account_id"], amount_cents=amount, note=note):
        story.call("issue_credit", account_id=mine["account_id"], amount_cents=amount, note=note)
    else:
        story.decline(credit)


@scenario(form="fallback")
def clear_my_deposit(story: Story) -> None:
    """The client wants a pending deposit cleared, or else returned and started over."""
    entry = story.pick(
        "cash_entry",
        "kind = 'deposit' AND status = 'pending'",
        unique_by=["account_id", "kind", "status"],
        mine=True,
    )
    account = story.row("account", entry["account_id"])["nickname"]
    amount = story.money(entry["amount_cents"])
    smaller = story.money(story.choose("new amount", [7500, 12500, 17500]))
    note = story.dictate("note", "Client asked to start over")
    clear = story.wish(
        (
            "My bank says the money for my pending deposit of {sum} into the {account} account has left. Can you clear it?",
            "According to my bank, the money for my pending deposit of {sum} into the {account} account has left. Could you please clear it?",
            "can you clear my pending deposit of {sum} into the {account} account? bank says the money left",
        ),
        short="clearing my pending deposit of {sum} into the {account} account",
        sum=amount,
        account=account,
    )
    again = story.otherwise(
        clear,
        (
            "Then start a new deposit of {amount} there and send the pending one back. For its note, put exactly this: {note}",
            "In that case, please start a new deposit of {amount} there and return the pending one. For its note, put exactly this: {note}",
            "just start a new deposit of {amount} there then and send the pending one back. for its note, put exactly this: {note}",
        ),
        short="starting a new deposit of {amount} there and sending the pending one back with the note {note}",
        amount=smaller,
        note=note,
    )
    accounts = story.call("list_accounts", wish=clear, client_id=story.identify())["accounts"]
    key = story.find(accounts, nickname=account)["account_id"]
    entries = story.call("list_cash_entries", wish=clear, account_id=key)["entries"]
    mine = story.find(
        [each for each in entries if each["status"] == "pending" and each["kind"] == "deposit"], amount_cents=amount
    )
    with story.wrong("starts the same deposit again"):
        story.call("record_deposit", wish=clear, account_id=key, amount_cents=mine["amount_cents"])
    if story.permits("clear_deposit", wish=clear, cash_entry_id=mine["cash_entry_id"]):
        story.call("clear_deposit", wish=clear, cash_entry_id=mine["cash_entry_id"])
    else:
        story.decline(clear)
        story.call("return_deposit", wish=again, cash_entry_id=mine["cash_entry_id"], note=note)
        story.call("record_deposit", wish=again, account_id=key, amount_cents=smaller)


@scenario(form="denied")
def move_cash_between_accounts(story: Story) -> None:
    """The client wants cash moved from one of their accounts to another."""
    giver = story.pick(
        "account",
        f"""
        status = 'active' AND {WITHDRAWABLE} > 30000
        AND EXISTS (SELECT 1 FROM account AS b WHERE b.client_id = account.client_id AND b.status = 'active'
                    AND b.account_id <> account.account_id)
        """,
        unique_by=["client_id", "nickname", "status"],
        mine=True,
    )
    receiver = story.pick(
        "account",
        "status = 'active' AND account_id <> ?",
        giver["account_id"],
        unique_by=["client_id", "nickname", "status"],
        mine=True,
    )
    amount = story.money(story.choose("amount", [10000, 15000, 20000, 30000]))
    move = story.wish(
        (
            "I want to spread my cash around a little. Can you move {amount} from my {giver} account to my {receiver} account?",
            "I would like to spread my cash a little. Could you please move {amount} from my {giver} account to my {receiver} account?",
            "move {amount} from my {giver} account to my {receiver} account pls, spreading my cash around a bit",
        ),
        short="moving {amount} from my {giver} account to my {receiver} account",
        amount=amount,
        giver=giver["nickname"],
        receiver=receiver["nickname"],
    )
    story.insists(
        move,
        (
            "It's all my own money, I don't see why this is hard.",
            "It is all my own money, and I do not see why this should be difficult.",
            "it's all my own money, don't see why this is hard",
        ),
    )
    accounts = story.call("list_accounts", client_id=story.identify())["accounts"]
    source = story.find(accounts, nickname=giver["nickname"])["account_id"]
    target = story.find(accounts, nickname=receiver["nickname"])["account_id"]
    funds = story.call("get_account", account_id=source)
    with story.wrong("moves all there is"):
        story.call(
            "transfer_cash", from_account_id=source, to_account_id=target, amount_cents=funds["withdrawable_cents"]
        )
    if story.permits("transfer_cash", from_account_id=source, to_account_id=target, amount_cents=amount):
        story.call("transfer_cash", from_account_id=source, to_account_id=target, amount_cents=amount)
    else:
        story.decline(move)


@scenario(form="coupled")
def switch_banks_with_a_withdrawal_pending(story: Story) -> None:
    """The client links a new bank, which a pending withdrawal blocks until it is sent."""
    entry = story.pick(
        "cash_entry",
        """
        kind = 'withdrawal' AND status = 'pending'
        AND EXISTS (SELECT 1 FROM account AS a WHERE a.account_id = cash_entry.account_id AND a.status = 'active'
                    AND a.bank_last4 NOT IN ('4417', '2086', '9053'))
        AND NOT EXISTS (SELECT 1 FROM cash_entry AS other WHERE other.account_id = cash_entry.account_id
                        AND other.status = 'pending' AND other.cash_entry_id <> cash_entry.cash_entry_id)
        """,
        unique_by=["account_id", "kind", "status"],
        mine=True,
    )
    account = story.row("account", entry["account_id"])["nickname"]
    amount = story.money(entry["amount_cents"])
    bank = story.choose("bank", ["Regions Bank", "KeyBank", "Huntington Bank"])
    digits = story.choose("last four digits", ["4417", "2086", "9053"])
    with story.together():
        link = story.wish(
            (
                "I've moved to {bank}. Please link my new bank account ending in {digits} to my {account} account.",
                "I have moved to {bank}. Could you please link my new bank account ending in {digits} to my {account} account?",
                "link my new {bank} account ending in {digits} to my {account} account pls",
            ),
            short="linking my {bank} account ending in {digits} to my {account} account",
            bank=bank,
            digits=digits,
            account=account,
        )
        send = story.wish(
            (
                "And send out the withdrawal of {amount} that's pending there.",
                "Please also send out the withdrawal of {amount} that is pending there.",
                "and send out the withdrawal of {amount} that's pending there",
            ),
            short="sending out the withdrawal of {amount} that's pending there",
            amount=amount,
        )
    accounts = story.call("list_accounts", wish=link, client_id=story.identify())["accounts"]
    key = story.find(accounts, nickname=account)["account_id"]
    entries = story.call("list_cash_entries", wish=send, account_id=key)["entries"]
    mine = story.find(
        [each for each in entries if each["status"] == "pending" and each["kind"] == "withdrawal"], amount_cents=amount
    )
    story.call("complete_withdrawal", wish=send, cash_entry_id=mine["cash_entry_id"])
    story.call("link_bank", wish=link, account_id=key, bank_name=bank, bank_last4=digits)


@scenario(form="outside")
def call_off_a_withdrawal(story: Story) -> None:
    """The client calls off a pending withdrawal and also wants something no office tool does."""
    entry = story.pick(
        "cash_entry",
        "kind = 'withdrawal' AND status = 'pending'",
        unique_by=["account_id", "kind", "status"],
        mine=True,
    )
    account = story.row("account", entry["account_id"])["nickname"]
    amount = story.money(entry["amount_cents"])
    stop = story.wish(
        (
            "I don't need that money after all. Can you cancel the withdrawal of {amount} that's pending in my {account} account?",
            "I do not need that money after all. Could you please cancel the withdrawal of {amount} that is pending in my {account} account?",
            "can you cancel the pending withdrawal of {amount} in my {account} account? don't need the money after all",
        ),
        short="canceling the withdrawal of {amount} that's pending in my {account} account",
        amount=amount,
        account=account,
    )
    story.outside(
        (
            "And can you call my bank and tell them to expect nothing from you?",
            "Could you please also phone my bank and tell them to expect nothing from you?",
            "and can you phone my bank so they know nothing's coming",
        )
    )
    accounts = story.call("list_accounts", wish=stop, client_id=story.identify())["accounts"]
    key = story.find(accounts, nickname=account)["account_id"]
    entries = story.call("list_cash_entries", wish=stop, account_id=key)["entries"]
    mine = story.find(
        [each for each in entries if each["status"] == "pending" and each["kind"] == "withdrawal"], amount_cents=amount
    )
    story.call("cancel_withdrawal", wish=stop, cash_entry_id=mine["cash_entry_id"])
    note = story.compose("note", "Fee for the canceled withdrawal from {account}", account=account)
    story.call("charge_fee", wish=stop, account_id=key, amount_cents=1000, note=note)


@scenario
def raise_an_alert(story: Story) -> None:
    """The client moves the target of an alert up."""
    alert = story.pick(
        "price_alert",
        "status = 'active' AND direction = 'above'",
        unique_by=["client_id", "stock_id", "status"],
        mine=True,
    )
    symbol = story.row("stock", alert["stock_id"])["symbol"]
    target = alert["target_price_cents"]
    price = story.money(story.choose("new price", [target + 200, target + 500, target + 1000]))
    story.wish(
        (
            "My active alert on {symbol} would go off too early for me. Can you change it to {price}?",
            "My active alert on {symbol} would go off too early for me. Could you please change it to {price}?",
            "can you change my active {symbol} alert to {price}? it'd go off too early",
        ),
        short="changing my active alert on {symbol} to {price}",
        symbol=symbol,
        price=price,
    )
    alerts = story.call("list_price_alerts", client_id=story.identify())["alerts"]
    mine = story.find([each for each in alerts if each["status"] == "active"], symbol=symbol)
    story.call("change_price_alert", price_alert_id=mine["price_alert_id"], target_price_cents=price)


@scenario(form="fallback")
def add_an_alert_or_drop_one(story: Story) -> None:
    """The client wants to hear when a stock of theirs reaches a price, or else an order to sell some at that price."""
    position = story.pick(
        "position",
        f"""
        {FREE_SHARES} >= 3 AND {POSITION_ACTIVE}
        AND NOT EXISTS (SELECT 1 FROM "order" AS o WHERE o.account_id = position.account_id AND o.stock_id = position.stock_id
                        AND o.side = 'buy' AND o.status IN ('open', 'partially_filled'))
        AND NOT EXISTS (SELECT 1 FROM price_alert AS p JOIN account AS a ON a.client_id = p.client_id
                        WHERE a.account_id = position.account_id AND p.stock_id = position.stock_id
                        AND p.status = 'active' AND p.direction = 'above')
        """,
        unique_by=["account_id", "stock_id"],
        mine=True,
    )
    account = story.row("account", position["account_id"])["nickname"]
    stock = story.row("stock", position["stock_id"])
    symbol = stock["symbol"]
    base = stock["last_price_cents"] // 1000 * 1000
    price = story.money(story.choose("price", [base + 2000, base + 3000]))
    direction = story.choose("direction", {"rises above": "above"})
    side = story.choose("side", ["sell"])
    count = story.choose("count", [2, 3])
    duration = story.choose("duration", {"gtc, so good until canceled": "gtc"})
    watch = story.wish(
        (
            "I want to know when {symbol} {direction} {price}. Can you set an alert for that?",
            "I would like to know when {symbol} {direction} {price}. Could you please set an alert for that?",
            "can you set me an alert for when {symbol} {direction} {price}?",
        ),
        short="setting an alert for when {symbol} {direction} {price}",
        symbol=symbol,
        direction=direction,
        price=price,
    )
    offer = story.otherwise(
        watch,
        (
            "Then put in a limit order instead to {side} {count} of my {symbol} shares in the {account} account at {price}, {duration}.",
            "In that case, please place a limit order to {side} {count} of my {symbol} shares in the {account} account at {price}, {duration}.",
            "just put in a limit order then to {side} {count} of my {symbol} shares in the {account} account at {price}, {duration}",
        ),
        short="placing a limit order to {side} {count} of my {symbol} shares in the {account} account at {price}, {duration}",
        side=side,
        count=count,
        symbol=symbol,
        account=account,
        price=price,
        duration=duration,
    )
    key = story.identify()
    quote = story.call("get_quote", wish=watch, symbol=symbol)
    with story.wrong("sets it above another price"):
        story.call(
            "create_price_alert",
            wish=watch,
            client_id=key,
            stock_id=quote["stock_id"],
            direction=direction,
            target_price_cents=story.total([{"cents": quote["last_price_cents"]}, {"cents": price}], "cents"),
        )
    if story.permits(
        "create_price_alert",
        wish=watch,
        client_id=key,
        stock_id=quote["stock_id"],
        direction=direction,
        target_price_cents=price,
    ):
        story.call(
            "create_price_alert",
            wish=watch,
            client_id=key,
            stock_id=quote["stock_id"],
            direction=direction,
            target_price_cents=price,
        )
    else:
        story.decline(watch)
        accounts = story.call("list_accounts", wish=offer, client_id=key)["accounts"]
        story.call(
            "place_limit_order",
            wish=offer,
            account_id=story.find(accounts, nickname=account)["account_id"],
            stock_id=quote["stock_id"],
            side=side,
            quantity=count,
            limit_price_cents=price,
            time_in_force=duration,
        )


@scenario(form="all_but")
def keep_only_one_alert(story: Story) -> None:
    """The client cancels all active alerts but one."""
    kept = story.pick(
        "price_alert",
        """
        status = 'active' AND (SELECT count(*) FROM price_alert AS p WHERE p.client_id = price_alert.client_id
                               AND p.status = 'active') BETWEEN 3 AND 6
        """,
        unique_by=["client_id", "stock_id", "status"],
        mine=True,
    )
    symbol = story.row("stock", kept["stock_id"])["symbol"]
    story.wish(
        (
            "I'm getting too many messages. Can you cancel all my active alerts except the one on {symbol}?",
            "I am getting too many messages. Could you please cancel all my active alerts except the one on {symbol}?",
            "too many messages, can you cancel all my active alerts? skip the one on {symbol}",
        ),
        short="canceling all my active alerts except the one on {symbol}",
        symbol=symbol,
    )
    alerts = story.call("list_price_alerts", client_id=story.identify())["alerts"]
    active = [each for each in alerts if each["status"] == "active"]
    with story.wrong("forgets the exception"):
        for each in active:
            story.call("cancel_price_alert", price_alert_id=each["price_alert_id"])
    for each in story.all_but(active, symbol=symbol):
        story.call("cancel_price_alert", price_alert_id=each["price_alert_id"])


@scenario(form="mistaken")
def raise_an_alert_from_memory(story: Story) -> None:
    """The client wants an alert raised by a step from a target they misremember."""
    alert = story.pick(
        "price_alert",
        "status = 'active' AND direction = 'above'",
        unique_by=["client_id", "stock_id", "status"],
        mine=True,
    )
    symbol = story.row("stock", alert["stock_id"])["symbol"]
    wrong = story.money(story.choose("target", [alert["target_price_cents"] + 150, alert["target_price_cents"] + 300]))
    step = story.money(story.choose("step", [500, 700, 1000]))
    story.wish(
        (
            "I think my active alert on {symbol} is set at {wrong}. Can you raise it by {step}?",
            "I believe my active alert on {symbol} is set at {wrong}. Could you please raise it by {step}?",
            "pretty sure my active {symbol} alert is set at {wrong}. can you raise it by {step}",
        ),
        short="raising my active alert on {symbol} by {step}",
        symbol=symbol,
        wrong=wrong,
        step=step,
    )
    story.believes("target", wrong, alert["target_price_cents"])
    alerts = story.call("list_price_alerts", client_id=story.identify())["alerts"]
    mine = story.find([each for each in alerts if each["status"] == "active"], symbol=symbol)
    with story.wrong("trusts the client"):
        story.call(
            "change_price_alert",
            price_alert_id=mine["price_alert_id"],
            target_price_cents=story.total([{"cents": wrong}, {"cents": step}], "cents"),
        )
    with story.wrong("sets what the client believes"):
        story.call("change_price_alert", price_alert_id=mine["price_alert_id"], target_price_cents=wrong)
    price = story.total([{"cents": mine["target_price_cents"]}, {"cents": step}], "cents")
    story.call("change_price_alert", price_alert_id=mine["price_alert_id"], target_price_cents=price)


@scenario(form="best_of")
def watch_the_cheapest_stock(story: Story) -> None:
    """The client wants an alert on the cheapest stock from a price on."""
    me = story.pick("client", "tier <> 'standard'", unique_by=["client_id"], mine=True)
    floor = story.money(story.choose("floor", [3000, 4000, 6000]))
    price = story.money(story.choose("price", [1500, 2000, 2500]))
    story.pick(
        "stock",
        """
        last_price_cents >= ? AND (SELECT count(*) FROM stock AS s) <= 20
        AND EXISTS (SELECT 1 FROM stock AS s WHERE s.last_price_cents < ?)
        AND (SELECT count(*) FROM stock AS s WHERE s.last_price_cents > stock.last_price_cents) >= 2
        AND NOT EXISTS (SELECT 1 FROM stock AS s WHERE s.last_price_cents >= ? AND s.last_price_cents < stock.last_price_cents)
        AND NOT EXISTS (SELECT 1 FROM price_alert AS p WHERE p.client_id = ? AND p.target_price_cents = ?)
        """,
        floor,
        floor,
        floor,
        me["client_id"],
        price,
        unique_by=["last_price_cents"],
    )
    direction = story.choose("direction", {"falls below": "below"})
    story.wish(
        (
            "I'm waiting for a crash. Of all the stocks that cost {floor} or more now, can you set an alert on the cheapest one for when it {direction} {price}?",
            "I am waiting for a crash. Of all the stocks that cost {floor} or more now, could you please set an alert on the cheapest one for when it {direction} {price}?",
            "set an alert on the cheapest of all the stocks that cost {floor} or more now pls, for when it {direction} {price}. waiting for a crash",
        ),
        short="setting an alert on the cheapest of the stocks that cost {floor} or more now, for when it {direction} {price}",
        floor=floor,
        direction=direction,
        price=price,
    )
    key = story.identify()
    stocks = story.call("search_stocks")["stocks"]
    with story.wrong("forgets the floor"):
        story.call(
            "create_price_alert",
            client_id=key,
            stock_id=story.lowest(stocks, "last_price_cents")["stock_id"],
            direction=direction,
            target_price_cents=price,
        )
    dear = [each for each in stocks if each["last_price_cents"] >= floor]
    best = story.lowest(dear, "last_price_cents")
    for other in story.others(dear, best):
        with story.wrong("takes another one that fits"):
            story.call(
                "create_price_alert",
                client_id=key,
                stock_id=other["stock_id"],
                direction=direction,
                target_price_cents=price,
            )
    story.call(
        "create_price_alert", client_id=key, stock_id=best["stock_id"], direction=direction, target_price_cents=price
    )


@scenario(form="changed_mind")
def fix_my_new_phone_number(story: Story) -> None:
    """The client gives a new phone number and then corrects it."""
    story.pick("client", "joined_on < ?", story.today, unique_by=["client_id"], mine=True)
    first = story.choose("first phone", ["(212) 555-0184", "(312) 555-0191", "(404) 555-0176"])
    second = story.choose("second phone", ["(212) 555-0148", "(312) 555-0119", "(404) 555-0167"])
    number = story.wish(
        (
            "I switched carriers and got a new number. Can you update my phone number to {phone}?",
            "I switched carriers and received a new number. Could you please update my phone number to {phone}?",
            "can you update my phone number to {phone}? switched carriers",
        ),
        short="updating my phone number to {phone}",
        phone=first,
    )
    correct = story.changes_mind(
        number,
        (
            "Sorry, typo. My new phone number is {phone}.",
            "I apologize, I typed that wrong. My new phone number is {phone}.",
            "oops typo, my new phone number is {phone}",
        ),
        short="updating my phone number to {phone}",
        phone=second,
    )
    key = story.identify()
    story.call("update_client", wish=number, client_id=key, phone=first)
    story.call("update_client", wish=correct, client_id=key, phone=second)


@scenario(form="changed_mind")
def rename_an_account_twice(story: Story) -> None:
    """The client has an account renamed and then wants another name for it."""
    account = story.pick("account", "status <> 'closed'", unique_by=["client_id", "nickname", "status"], mine=True)
    nickname = account["nickname"]
    first = story.choose("first name", ["Boat fund", "New car", "Travel money"])
    second = story.choose("second name", ["Gift money", "Home repairs", "Music lessons"])
    rename = story.wish(
        (
            "I'm using my {account} account for something else now. Can you rename it to {name}?",
            "I am using my {account} account for something else now. Could you please rename it to {name}?",
            "can you rename my {account} account to {name}? using it for something else now",
        ),
        short="renaming my {account} account to {name}",
        account=nickname,
        name=first,
    )
    again = story.changes_mind(
        rename,
        (
            "Actually, name the {account} account {name}.",
            "On second thought, please name the {account} account {name}.",
            "actually, name the {account} account {name}",
        ),
        short="renaming my {account} account to {name}",
        account=nickname,
        name=second,
    )
    accounts = story.call("list_accounts", wish=rename, client_id=story.identify())["accounts"]
    mine = story.find(accounts, nickname=nickname)
    story.call("update_account", wish=rename, account_id=mine["account_id"], nickname=first)
    story.call("update_account", wish=again, account_id=mine["account_id"], nickname=second)


@scenario
def sell_some_shares(story: Story) -> None:
    """The client sells some shares at the market and asks what the sales of the year come to."""
    position = story.pick(
        "position",
        f"""
        {FREE_SHARES} >= 4 AND {POSITION_ACTIVE}
        AND EXISTS (SELECT 1 FROM stock WHERE stock.stock_id = position.stock_id AND status = 'trading'
                    AND last_price_cents >= previous_close_cents)
        AND NOT EXISTS (SELECT 1 FROM "order" AS o WHERE o.account_id = position.account_id AND o.stock_id = position.stock_id
                        AND o.side = 'buy' AND o.status IN ('open', 'partially_filled'))
        """,
        unique_by=["account_id", "stock_id"],
        mine=True,
    )
    account = story.row("account", position["account_id"])["nickname"]
    symbol = story.row("stock", position["stock_id"])["symbol"]
    side = story.choose("side", ["sell"])
    count = story.choose("count", [2, 3, 4])
    year = story.choose("year", [2026])
    story.wish(
        (
            "I could use some cash. Can you {side} {count} of my {symbol} shares in the {account} account with a market order, and then tell me my sales total there for {year}?",
            "I could use some cash. Could you please {side} {count} of my {symbol} shares in the {account} account with a market order, and then tell me my sales total there for {year}?",
            "{side} {count} of my {symbol} shares in the {account} account pls, market order. then what's my sales total there for {year}?",
        ),
        short="placing a market order to {side} {count} of my {symbol} shares in the {account} account and then telling me my sales total there for {year}",
        side=side,
        count=count,
        symbol=symbol,
        account=account,
        year=year,
    )
    accounts = story.call("list_accounts", client_id=story.identify())["accounts"]
    mine = story.find(accounts, nickname=account)
    quote = story.call("get_quote", symbol=symbol)
    story.call(
        "place_market_order", account_id=mine["account_id"], stock_id=quote["stock_id"], side=side, quantity=count
    )
    gains = story.call("get_realized_gains", account_id=mine["account_id"], year=year)
    story.answer("sales total", story.money(gains["proceeds_cents"]))
