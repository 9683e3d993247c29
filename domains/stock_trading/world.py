"""Fill a stock brokerage: clients, accounts, listed stocks, orders with their trades, positions, cash, and price alerts."""

from runtime import WorldBuilder, days_between, weekday

RETURNS = (
    "Not enough money in the bank account",
    "Bank account is closed",
    "Names do not match",
    "Stop payment at the bank",
    "Bank could not find the account",
    "Bank account is frozen",
    "Over the bank's daily limit",
    "Owner told the bank no",
    "Savings account allows no debits",
    "Bank's fraud team refused it",
)


def _transfer(world, giver, receiver, n, cents):
    """Plan cash that goes from one account of a client to another; never from an IRA."""
    _enter(world, giver, "transfer_out", cents, "completed", n, None)
    _enter(world, receiver, "transfer_in", cents, "completed", n, None)
    receiver["entries"][-1] |= {key: giver["entries"][-1][key] for key in ("created_at", "completed_at")}


def _opening(world, plan):
    """Return what came in first: it covers all that ever left the account, so that its cash was never short."""
    draw = world.random
    extra = draw.choices((500, draw.randrange(10_000, 250_000), draw.randrange(250_000, 2_500_000)), (25, 45, 30))[0]
    return max(10_000, (plan["went"] + plan["held"] + extra + 4999) // 5000 * 5000)


INVARIANTS = {
    "Open sell orders never offer more shares of a stock than the account holds.": """
        SELECT order_id FROM "order" WHERE side = 'sell' AND status IN ('open', 'partially_filled') AND coalesce((SELECT quantity FROM position WHERE position.account_id =
        "order".account_id AND position.stock_id = "order".stock_id), 0) < (SELECT sum(other.quantity - other.filled_quantity) FROM "order" AS other WHERE other.account_id =
        "order".account_id AND other.stock_id = "order".stock_id AND other.side = 'sell' AND other.status IN ('open', 'partially_filled'))""",
    "An account's cash covers its open buy orders and pending withdrawals.": """
        SELECT account_id FROM account WHERE cash_cents < (SELECT coalesce(sum((quantity - filled_quantity) * price_cents), 0) FROM "order" WHERE "order".account_id =
        account.account_id AND side = 'buy' AND status IN ('open', 'partially_filled')) + (SELECT coalesce(sum(amount_cents), 0) FROM cash_entry WHERE cash_entry.account_id =
        account.account_id AND kind = 'withdrawal' AND status = 'pending')""",
    "The filled shares of an order are those of its trades, reversed or not.": """
        SELECT order_id FROM "order" WHERE filled_quantity <> (SELECT coalesce(sum(trade.quantity), 0) FROM trade WHERE trade.order_id = "order".order_id)""",
    "A trade has a realized gain if and only if it is a sale, and comes no earlier than its order.": """
        SELECT trade_id FROM trade JOIN "order" ON "order".order_id = trade.order_id WHERE (side = 'sell') <> (realized_gain_cents IS NOT NULL) OR traded_at < placed_at""",
    "A closed account has no cash, no shares, no open order, and no pending cash entry.": """
        SELECT account_id FROM account WHERE status = 'closed' AND (cash_cents <> 0 OR EXISTS (SELECT 1 FROM position WHERE position.account_id = account.account_id AND
        position.quantity > 0) OR EXISTS (SELECT 1 FROM "order" WHERE "order".account_id = account.account_id AND "order".status IN ('open', 'partially_filled')) OR EXISTS
        (SELECT 1 FROM cash_entry WHERE cash_entry.account_id = account.account_id AND cash_entry.status = 'pending'))""",
    "An account never has open orders on both sides of a stock.": """
        SELECT order_id FROM "order" WHERE side = 'buy' AND status IN ('open', 'partially_filled') AND EXISTS (SELECT 1 FROM "order" AS other WHERE other.account_id =
        "order".account_id AND other.stock_id = "order".stock_id AND other.side = 'sell' AND other.status IN ('open', 'partially_filled'))""",
    "A pending cash entry belongs to an account whose bank was linked before it.": """
        SELECT cash_entry_id FROM cash_entry JOIN account ON account.account_id = cash_entry.account_id WHERE cash_entry.status = 'pending' AND (bank_linked_at IS NULL OR
        bank_linked_at > created_at)""",
    "The price of a stock has not reached the target of an active alert.": """
        SELECT price_alert_id FROM price_alert JOIN stock ON stock.stock_id = price_alert.stock_id WHERE price_alert.status = 'active' AND ((direction = 'above' AND
        target_price_cents <= last_price_cents) OR (direction = 'below' AND target_price_cents >= last_price_cents))""",
}
GIVEN = (
    "James",
    "Maria",
    "Robert",
    "Linda",
    "Michael",
    "Patricia",
    "David",
    "Jennifer",
    "Kevin",
    "Susan",
    "Carlos",
    "Aisha",
    "Daniel",
    "Karen",
    "Wei",
    "Nancy",
    "Anthony",
    "Priya",
    "Mark",
    "Sandra",
    "Steven",
    "Ashley",
    "Andre",
    "Emily",
    "Joshua",
    "Michelle",
    "Kenji",
    "Amanda",
    "Brian",
    "Melissa",
    "Omar",
    "Deborah",
    "Timothy",
    "Rebecca",
    "Jason",
    "Laura",
    "Jeffrey",
    "Fatima",
    "Ryan",
    "Cynthia",
    "Jacob",
    "Angela",
    "Luis",
    "Shirley",
    "Eric",
    "Brenda",
    "Tyrone",
    "Nicole",
)
FAMILY = (
    "Smith",
    "Johnson",
    "Nguyen",
    "Brown",
    "Garcia",
    "Miller",
    "Davis",
    "Rodriguez",
    "Martinez",
    "Hernandez",
    "Lopez",
    "Wilson",
    "Anderson",
    "Thomas",
    "Taylor",
    "Moore",
    "Jackson",
    "Lee",
    "Perez",
    "Thompson",
    "White",
    "Harris",
    "Sanchez",
    "Clark",
    "Ramirez",
    "Lewis",
    "Robinson",
    "Walker",
    "Young",
    "Allen",
    "King",
    "Wright",
    "Scott",
    "Torres",
    "Patel",
    "Hill",
    "Flores",
    "Green",
    "Adams",
    "Nelson",
    "Baker",
    "Hall",
    "Rivera",
    "Campbell",
    "Mitchell",
    "Kowalski",
    "Kim",
    "O'Brien",
)
AREAS = (
    617,
    857,
    312,
    773,
    212,
    646,
    213,
    323,
    713,
    832,
    602,
    480,
    215,
    267,
    512,
    737,
    206,
    425,
    303,
    720,
    404,
    678,
    305,
    786,
    614,
    380,
    503,
    971,
)
DOMAINS = ("example.com", "example.org", "example.net")
# the first word of a company's name, with its letters in the symbol
STEMS = (
    ("Novalight", "NV"),
    ("Granite", "GR"),
    ("Harbor", "HB"),
    ("Summit", "SU"),
    ("Redwood", "RW"),
    ("Bluestem", "BS"),
    ("Keystone", "KY"),
    ("Pinnacle", "PN"),
    ("Lakeshore", "LK"),
    ("Ironwood", "IW"),
    ("Meridian", "MR"),
    ("Cascade", "CD"),
    ("Beacon", "BN"),
    ("Fairmont", "FM"),
    ("Oakhurst", "OK"),
    ("Silverton", "SV"),
    ("Northgate", "NG"),
    ("Copperfield", "CF"),
    ("Westbrook", "WB"),
    ("Stonebridge", "SB"),
    ("Clearwater", "CW"),
    ("Evergreen", "EG"),
    ("Highline", "HL"),
    ("Prairie", "PR"),
    ("Sterling", "ST"),
    ("Tidewater", "TW"),
    ("Vanguard Hill", "VH"),
    ("Whitfield", "WF"),
    ("Aldridge", "AL"),
    ("Brightwater", "BW"),
    ("Crestline", "CL"),
    ("Dunmore", "DM"),
    ("Eastfield", "EF"),
    ("Foxglove", "FX"),
    ("Glenwood", "GL"),
    ("Hawthorne", "HT"),
    ("Juniper", "JN"),
    ("Kingsley", "KG"),
    ("Larkspur", "LS"),
    ("Maplewood", "MW"),
    ("Newbury", "NB"),
    ("Orchard", "OR"),
    ("Piedmont", "PM"),
    ("Quarry", "QY"),
    ("Riverton", "RV"),
    ("Sagebrush", "SG"),
    ("Thornhill", "TH"),
    ("Upland", "UP"),
)
# what a company does: second part of its name, letters, sector, lowest and highest price in dollars, risk
BUSINESSES = (
    ("Semiconductors", "SC", "technology", 60, 320, "high"),
    ("Software", "SW", "technology", 45, 410, "medium"),
    ("Cloud Systems", "CS", "technology", 25, 260, "high"),
    ("Data Storage", "DS", "technology", 18, 120, "medium"),
    ("Networks", "NT", "technology", 12, 95, "medium"),
    ("Robotics", "RB", "technology", 4, 60, "high"),
    ("Biotech", "BT", "health_care", 3, 85, "high"),
    ("Pharmaceuticals", "PH", "health_care", 35, 190, "medium"),
    ("Medical Devices", "MD", "health_care", 40, 240, "medium"),
    ("Hospitals", "HO", "health_care", 28, 150, "low"),
    ("Health Insurance", "HI", "health_care", 90, 480, "low"),
    ("Gene Therapies", "GT", "health_care", 3, 40, "high"),
    ("Bancorp", "BC", "financials", 22, 75, "low"),
    ("Financial Group", "FG", "financials", 35, 160, "medium"),
    ("Insurance", "IN", "financials", 48, 210, "low"),
    ("Asset Management", "AM", "financials", 30, 140, "medium"),
    ("Payments", "PY", "financials", 20, 230, "medium"),
    ("Savings", "SN", "financials", 9, 34, "low"),
    ("Oil & Gas", "OG", "energy", 14, 110, "medium"),
    ("Drilling", "DR", "energy", 4, 38, "high"),
    ("Pipelines", "PL", "energy", 16, 58, "low"),
    ("Solar", "SO", "energy", 6, 90, "high"),
    ("Refining", "RF", "energy", 40, 165, "medium"),
    ("Foods", "FD", "consumer", 24, 88, "low"),
    ("Apparel", "AP", "consumer", 12, 95, "medium"),
    ("Home Stores", "HS", "consumer", 50, 260, "medium"),
    ("Restaurants", "RS", "consumer", 20, 180, "medium"),
    ("Beverages", "BV", "consumer", 32, 98, "low"),
    ("Toys", "TY", "consumer", 7, 55, "high"),
    ("Airlines", "AR", "industrials", 8, 62, "high"),
    ("Railways", "RY", "industrials", 70, 250, "low"),
    ("Aerospace", "AE", "industrials", 55, 310, "medium"),
    ("Freight", "FR", "industrials", 30, 190, "medium"),
    ("Machinery", "MC", "industrials", 40, 220, "low"),
    ("Electric", "EL", "utilities", 28, 92, "low"),
    ("Water", "WT", "utilities", 30, 110, "low"),
    ("Power", "PW", "utilities", 22, 84, "low"),
    ("Realty", "RE", "real_estate", 18, 130, "medium"),
    ("Apartment Trust", "AT", "real_estate", 35, 170, "low"),
    ("Office Trust", "OT", "real_estate", 5, 60, "high"),
)
HALTS = (
    "News pending",
    "Volatility pause",
    "Merger announcement",
    "Exchange inquiry",
    "Earnings released early",
    "Trial results expected",
    "Order imbalance",
    "Late annual report",
    "Bankruptcy filing",
    "Reverse split today",
    "Stock offering announced",
)
NICKNAMES = {
    "individual": ("Main brokerage", "Trading", "House fund", "College fund", "Rainy day"),
    "joint": ("Family joint", "Joint savings", "Vacation fund"),
    "traditional_ira": ("Rollover IRA", "Traditional IRA"),
    "roth_ira": ("Roth IRA", "Retirement"),
}
RESTRICTIONS = (
    "Mail came back, address to confirm",
    "ID on file has expired",
    "Waiting for a signed W-9",
    "Suspicious login, owner to call back",
    "Court order received",
    "Estate papers pending",
    "Deposit was returned twice",
    "Owner asked for a freeze after a lost phone",
    "Employer approval letter missing",
    "Name change papers pending",
)
BANKS = (
    "Chase",
    "Bank of America",
    "Wells Fargo",
    "Citibank",
    "U.S. Bank",
    "PNC Bank",
    "Truist",
    "Capital One",
    "TD Bank",
    "Ally Bank",
    "Fifth Third Bank",
    "Navy Federal",
)
CANCELS = (
    "Changed my mind",
    "Price moved too far",
    "Found a better use for the cash",
    "Entered the wrong price",
    "Needs the cash for a car repair",
    "Meant a different stock",
    "Waiting for earnings first",
    "Too many shares",
    "Tired of waiting for that price",
    "Spouse disagreed",
    "Saving for closing costs",
)
REVERSALS = (
    "Order entered twice",
    "Typed 100 instead of 10",
    "Wrong account picked",
    "Bought instead of sold",
    "Client had canceled by phone",
    "Wrong ticker entered",
    "Desk misheard the price",
    "Trade meant for the IRA",
    "Duplicate click on the website",
    "Filled after a halt notice",
)
DEPOSITS = (
    "Part of my paycheck",
    "Tax refund",
    "Year-end bonus",
    "Sold the boat",
    "Gift from my parents",
    "Monthly savings",
    "Maturing CD",
    "Side job money",
    "Insurance payout",
    "Birthday money",
)
WITHDRAWALS = (
    "New roof",
    "Tuition",
    "Car down payment",
    "Property tax",
    "Medical bill",
    "Family vacation",
    "Wedding costs",
    "Kitchen remodel",
    "Estimated taxes",
    "Moving costs",
    "Emergency fund",
)
FEES = (
    ("Outgoing wire", 2500),
    ("Paper statements", 500),
    ("Returned deposit", 1500),
    ("Overnight check", 2000),
    ("Broker-assisted trade", 1995),
    ("Transfer to another broker", 7500),
    ("Stop payment on a check", 1500),
    ("Copy of an old tax form", 1000),
    ("Late order change", 995),
    ("Paper trade confirmation", 200),
    ("IRA custodian fee", 3000),
)
CREDITS = (
    ("Refunded wire fee", 2500),
    ("Sorry for the long hold", 1000),
    ("Website was down", 1500),
    ("Refunded statement fee", 500),
    ("Slow transfer, our mistake", 2000),
    ("Referral thank-you", 5000),
    ("Price error on a fill", 845),
    ("Anniversary thank-you", 10000),
    ("Refunded broker-assisted fee", 1995),
    ("Goodwill for a missed callback", 750),
)
MONTHS = ("Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec")
LOTS = (1, 2, 3, 4, 5, 6, 8, 10, 12, 15, 18, 20, 24, 25, 30, 40, 45, 50, 60, 75, 80, 100, 120, 150, 200)


def populate(world: WorldBuilder) -> None:
    """A thirteenth of the rows are clients; each has about 1.6 accounts, an account an opening deposit and about one holding with its orders."""
    draw = world.random
    stocks = [_add_stock(world, number) for number in range(world.share(0.03, least=5))]
    clients = []
    for number in range(world.share(0.075, least=3)):
        clients.append(_add_client(world, number, clients))
    plans, owners, families = [], [], {}
    for client in clients:
        number = 2 if client is clients[0] else draw.choices((0, 1, 2, 4), (8, 50, 29, 13))[0]
        mine = _plan_accounts(world, client, number)
        plans.extend(mine)
        families[client["client_id"]] = mine
        pairs = [
            (giver, receiver)
            for giver in mine
            for receiver in mine
            if giver["nth"] != receiver["nth"]
            and giver["status"] == receiver["status"] == "active"
            and giver["kind"] in ("individual", "joint")
            and not giver["empty"]
        ]
        if pairs:
            owners.append(pairs)
    draw.shuffle(plans)
    used = [plan for plan in plans if not plan["empty"]]
    weights = [draw.choices((0, 1, 2, 5), (22, 40, 26, 12))[0] for _ in used]
    weights[0] = 3
    lots = [0 for _ in used]
    for index in draw.choices(range(len(used)), weights, k=world.share(0.118, least=6)):
        lots[index] += 1
    for plan, number in zip(used, lots):
        for stock in draw.sample(stocks, min(number, len(stocks))):
            if stock["stock_id"] not in plan["stocks"]:
                _plan_holding(world, plan, stock, families[plan["client"]["client_id"]])
    for plan in draw.choices(used, k=world.share(0.1, least=6)):
        _plan_entry(world, plan)
    for _ in range(world.share(0.01, least=1) if owners else 0):
        _plan_transfer(world, draw.choice(draw.choice(owners)))
    for plan in plans:
        if plan["giver"]:
            _transfer(world, plan["giver"], plan, plan["opened"], _opening(world, plan))
    positions, orders, entries = [], [], []
    for plan in plans:
        account_id = _add_account(world, plan)
        positions.extend(row | {"account_id": account_id} for row in plan["positions"])
        orders.extend((row | {"account_id": account_id}, trades) for row, trades in plan["orders"])
        entries.extend(row | {"account_id": account_id} for row in plan["entries"])
    for rows in (positions, orders, entries):
        draw.shuffle(rows)
    for row in positions:
        world.insert("position", **row)
    for row, trades in orders:
        order = world.insert("order", **row)
        for trade in trades:
            world.insert("trade", order_id=order["order_id"], **trade)
    for row in entries:
        world.insert("cash_entry", **row)
    _add_alerts(world, clients, stocks)


def _add_stock(world, number):
    draw = world.random
    stem, letters = STEMS[number % len(STEMS)]
    business, more, sector, low, high, risk = BUSINESSES[(number // len(STEMS) + 11 * number) % len(BUSINESSES)]
    price = draw.randrange(low * 100, high * 100)
    status = "halted" if number == 3 else draw.choices(("trading", "halted"), (91, 9))[0]
    move = draw.uniform(0.91, 1.1) if risk == "high" else draw.uniform(0.97, 1.03)
    return world.insert(
        "stock",
        symbol=letters + more,
        company_name=f"{stem} {business}",
        sector=sector,
        risk_level=risk,
        status=status,
        halt_reason=draw.choice(HALTS) if status == "halted" else None,
        last_price_cents=price,
        previous_close_cents=int(price * move),
    )


def _add_client(world, number, earlier):
    draw = world.random
    given, family = draw.choice(GIVEN), draw.choice(FAMILY)
    name = earlier[draw.randrange(number)]["full_name"] if number % 4 == 3 else f"{given} {family}"
    given, family = name.lower().replace("'", "").split(" ")
    address = draw.choice((f"{given}.{family}{number}", f"{given[0]}{family}{number}", f"{family}.{given}{number}"))
    joined = world.day(-draw.randrange(20, 2800))
    born = int(joined[:4]) - draw.randrange(19, 72)
    return world.insert(
        "client",
        full_name=name,
        email=f"{address}@{draw.choice(DOMAINS)}",
        phone=f"({AREAS[number % len(AREAS)]}) 555-01{(number // len(AREAS) + number % len(AREAS) * 29) % 100:02d}",
        date_of_birth=f"{born}-{draw.randrange(1, 13):02d}-{draw.randrange(1, 29):02d}",
        tier=draw.choices(("standard", "active", "premium"), (0 if number == 0 else 55, 28, 17))[0],
        risk_profile=draw.choices(("conservative", "moderate", "aggressive"), (34, 42, 24))[0],
        joined_on=joined,
    )


def _back(world, n):
    return n - {"Saturday": 1, "Sunday": 2}.get(weekday(world.day(n)), 0)


def _ahead(world, n):
    return n + {"Saturday": 2, "Sunday": 1}.get(weekday(world.day(n)), 0)


def _at(world, n, minute):
    return world.moment(n, f"{minute // 60:02d}:{minute % 60:02d}")


def _minute(world, n):
    return world.random.randrange(570, 601 if n == 0 else 926)


def _plan_accounts(world, client, number):
    """Plan a client's accounts; one without a bank is paid into from an older one with a bank, or was never used."""
    draw = world.random
    joined = days_between(world.today, client["joined_on"])
    plans, kinds, names = [], [], []
    for nth in range(number):
        free = [kind for kind in NICKNAMES if kind in ("individual", "joint") or kind not in kinds]
        kind = draw.choices(free, [{"individual": 50, "joint": 15}.get(each, 20) for each in free])[0]
        opened = _back(world, draw.randrange(_ahead(world, joined), -15))
        opened = max(opened, _ahead(world, joined))
        status = draw.choices(("active", "restricted", "closed"), (80, 11, 9 if opened < -120 else 0))[0]
        closed = _back(world, draw.randrange(opened + 70, -3)) if status == "closed" else None
        left = [name for name in NICKNAMES[kind] if name not in names] or [
            name for name in NICKNAMES["individual"] if name not in names
        ]
        kinds.append(kind)
        names.append(draw.choice(left))
        bank = status == "closed" or not plans or draw.random() < 0.68
        givers = [
            each
            for each in plans
            if each["bank"]
            and each["status"] != "closed"
            and each["kind"] in ("individual", "joint")
            and each["first"] + 2 < opened
        ]
        giver = draw.choice(givers) if givers and not bank else None
        plans.append(
            {
                "client": client,
                "nth": nth,
                "kind": kind,
                "nickname": names[-1],
                "status": status,
                "opened": opened,
                "closed": closed,
                "first": opened + 5,
                "last": -2 if closed is None else closed - 12,
                "bank": bank,
                "giver": giver,
                "empty": not bank and not givers,
                "busy": opened + 7,
                "pending": False,
                "gave": False,
                "came": 0,
                "went": 0,
                "held": 0,
                "stocks": [],
                "spans": [],
                "positions": [],
                "orders": [],
                "entries": [],
            }
        )
    return plans


def _lot(world, plan, price):
    most = {"standard": 700_000, "active": 1_600_000, "premium": 4_500_000}[plan["client"]["tier"]]
    return world.random.choice([lot for lot in LOTS if lot == 1 or lot * price <= most])


def _old_price(world, stock, n):
    draw = world.random
    drift = draw.uniform(-0.35, 0.2) * min(1, -n / 400) + draw.uniform(-0.02, 0.02)
    return max(100, int(stock["last_price_cents"] * (1 + drift)))


def _done(world, plan, stock, side, n, shares, held, cost, kind=None, whole=True, mistake=False):
    """Plan an order with one trade and return what the position holds and has cost after it.

    A stock that is down is not traded at the market, and an order is changed once at most.
    """
    draw = world.random
    down = stock["last_price_cents"] < stock["previous_close_cents"]
    kind = (
        kind or draw.choices(("market", "limit", "stop" if side == "sell" else "limit"), (0 if down else 58, 30, 12))[0]
    )
    placed = _minute(world, n)
    price = _old_price(world, stock, n)
    traded = placed if kind == "market" else placed + draw.randrange(1, 12)
    asked = shares if whole else shares + max(1, shares // draw.choice((1, 2, 3)))
    limit = (
        None
        if kind == "market"
        else price + draw.choice((0, 0, 5, 25)) * (1 if side == "buy" or kind == "stop" else -1)
    )
    amount = shares * price
    given = cost * shares // held if side == "sell" else 0
    row = {
        "stock_id": stock["stock_id"],
        "side": side,
        "order_type": kind,
        "quantity": asked,
        "filled_quantity": shares,
        "price_cents": limit,
        "time_in_force": "day" if kind == "market" or (whole and draw.random() < 0.5) else "gtc",
        "status": "filled" if whole else "partially_filled",
        "change_count": 0 if kind == "market" else draw.choices((0, 1), (76, 24))[0],
        "placed_at": _at(world, n, placed),
    }
    trade = {
        "quantity": shares,
        "price_cents": price,
        "amount_cents": amount,
        "realized_gain_cents": amount - given if side == "sell" else None,
        "traded_at": _at(world, n, traded),
        "settles_on": world.day(_ahead(world, n + 1)),
        "is_reversed": int(mistake),
        "reversal_reason": draw.choice(REVERSALS) if mistake else None,
    }
    plan["orders"].append((row, [trade]))
    if not whole and side == "buy":
        plan["held"] += (asked - shares) * limit
    if mistake:
        return held, cost
    if side == "buy":
        plan["went"] += amount
        return held + shares, cost + amount
    plan["came"] += amount
    return held - shares, cost - given


def _waiting(world, plan, stock, side, shares):
    """Plan an open order that has not filled yet; it was changed once at most."""
    draw = world.random
    last = stock["last_price_cents"]
    kind = draw.choice(("limit", "stop")) if side == "sell" else "limit"
    today = 45 if plan["status"] == "active" else 0
    n = draw.choices((0, _back(world, -draw.randrange(1, 9))), (today, 55))[0]
    reached = draw.random() < 0.3
    up = (side == "sell") == (kind == "limit")  # the price must rise to reach the order
    price = int(last * (draw.uniform(1.01, 1.25) if up != reached else draw.uniform(0.8, 0.99)))
    price = max(50, price // 5 * 5)
    plan["orders"].append(
        (
            {
                "stock_id": stock["stock_id"],
                "side": side,
                "order_type": kind,
                "quantity": shares,
                "filled_quantity": 0,
                "price_cents": price,
                "time_in_force": draw.choice(("day", "gtc")) if n == 0 else "gtc",
                "status": "open",
                "change_count": draw.choices((0, 1), (60, 40))[0],
                "placed_at": _at(world, n, _minute(world, n)),
            },
            [],
        )
    )
    if side == "buy":
        plan["held"] += shares * price


def _withdrawn(world, plan, stock, end):
    """Plan an order that was canceled before it filled, on a later day than it was placed and days before the end."""
    draw = world.random
    n = _back(world, draw.randrange(plan["first"] + 2, end - 10))
    done = _ahead(world, n + draw.randrange(1, 8))
    price = _old_price(world, stock, n)
    limit = max(50, int(price * 0.95) // 5 * 5)
    shares = _lot(world, plan, price)
    plan["held"] += shares * limit
    plan["orders"].append(
        (
            {
                "stock_id": stock["stock_id"],
                "side": "buy",
                "order_type": "limit",
                "quantity": shares,
                "filled_quantity": 0,
                "price_cents": limit,
                "time_in_force": "gtc",
                "status": "canceled",
                "change_count": draw.choices((0, 1), (80, 20))[0],
                "placed_at": _at(world, n, _minute(world, n)),
                "canceled_at": _at(world, done, _minute(world, done)),
                "cancel_reason": draw.choice(CANCELS) if draw.random() < 0.7 else None,
            },
            [],
        )
    )


def _plan_holding(world, plan, stock, family):
    """Plan what an account ever did with a stock: buys, sales, mistakes, cancellations, and what is still open."""
    draw = world.random
    first, last = plan["first"], plan["last"]
    closed = plan["status"] == "closed"
    givers = [
        each
        for each in family
        if each["nth"] != plan["nth"]
        and each["status"] != "closed"
        and not each["empty"]
        and stock["stock_id"] not in each["stocks"]
    ]
    story = "bought" if closed else draw.choices(("bought", "moved in", "wish"), (70, 30 if givers else 0, 12))[0]
    plan["stocks"].append(stock["stock_id"])
    held, cost, until = 0, 0, last
    if story == "moved in":  # another account of the client bought the shares and gave all of them
        giver = draw.choice(givers)
        begin = max(first, giver["first"]) + 2
        n = _back(world, draw.randrange(begin, max(begin + 1, last - 4)))
        held, cost = _done(world, giver, stock, "buy", n, _lot(world, plan, _old_price(world, stock, n)), 0, 0)
        giver["stocks"].append(stock["stock_id"])
        giver["positions"].append({"stock_id": stock["stock_id"], "quantity": 0, "cost_cents": 0})
        giver["gave"] = True
    if story == "bought":
        n = _back(world, draw.randrange(first + 2, max(first + 3, last - 4)))
        price = _old_price(world, stock, n)
        held, cost = _done(world, plan, stock, "buy", n, _lot(world, plan, price), 0, 0)
        later = n + 3
        if later <= last and (closed or draw.random() < 0.28):
            until = _back(world, draw.randrange(later, last + 1))
            shares = held if closed or held == 1 or draw.random() < 0.35 else draw.randrange(1, held)
            held, cost = _done(world, plan, stock, "sell", until, shares, held, cost)
        plan["spans"].append((n + 1, until))
    end = min(until, -12)  # from then on there may be an order on the other side
    if first + 2 < end - 10 and draw.random() < 0.18:
        _withdrawn(world, plan, stock, end)
    recents, odds = ("none", "today", "mistake", "partial", "open"), (34, 13, 6, 14, 33)
    if plan["status"] == "restricted":
        odds = (60, 0, 0, 0, 40)
    recent = "none" if closed else draw.choices(recents, odds)[0]
    if story == "wish" and recent != "partial":
        recent = "open"
    price = stock["last_price_cents"]
    side = draw.choices(("buy", "sell"), (45, 55))[0] if held else "buy"
    if recent in ("today", "mistake") and stock["status"] == "trading":
        shares = _lot(world, plan, price) if side == "buy" else draw.randrange(1, held + 1)
        n = 0 if recent == "today" else draw.choice((0, _back(world, -1)))
        held, cost = _done(world, plan, stock, side, n, shares, held, cost, mistake=recent == "mistake")
    if recent == "partial":
        shares = _lot(world, plan, price) if side == "buy" else draw.randrange(1, held // 2 + 1) if held > 1 else 0
        if shares:  # a sale may ask for up to twice the shares, and those are there
            held, cost = _done(
                world, plan, stock, side, draw.choice((0, _back(world, -1))), shares, held, cost, "limit", False
            )
    if recent == "open":
        shares = _lot(world, plan, price) if side == "buy" else draw.randrange(1, held + 1)
        _waiting(world, plan, stock, side, shares)
        if side == "sell" and held - shares > 1 and draw.random() < 0.4:
            _waiting(world, plan, stock, side, (held - shares) // 2)
    if held or story == "bought":
        plan["positions"].append({"stock_id": stock["stock_id"], "quantity": held, "cost_cents": cost})


def _note(world, reason, n):
    _, month, day = world.day(n).split("-")
    return f"{reason}, {MONTHS[int(month) - 1]} {int(day)}"


def _enter(world, plan, kind, cents, status, n, note, later=0):
    """Plan a movement of cash; a completed one moved `later` days after it was entered."""
    done = _ahead(world, n + later)
    minute = _minute(world, n)
    plan["entries"].append(
        {
            "kind": kind,
            "amount_cents": cents,
            "status": status,
            "note": note,
            "created_at": _at(world, n, minute),
            "completed_at": _at(world, done, minute) if status == "completed" else None,
        }
    )
    if kind in ("deposit", "withdrawal"):  # a bank is linked only while no deposit or withdrawal is pending
        plan["busy"] = max(plan["busy"], done + 1)
    if status == "completed":
        plan["came" if kind in ("deposit", "transfer_in", "credit", "dividend") else "went"] += cents
    if status == "pending":
        plan["pending"] = True
        plan["held"] += cents if kind == "withdrawal" else 0


def _plan_entry(world, plan):
    """Plan a fee, credit, dividend, deposit, or withdrawal, none before the house allows it."""
    draw = world.random
    opened, first, end = plan["opened"], plan["first"] + 2, max(plan["first"] + 3, plan["last"] - 3)
    spans = [(begin, until) for begin, until in plan["spans"] if begin < until]
    kinds = (
        ["fee"]
        + (["deposit"] if plan["bank"] else [])
        + (["withdrawal"] if plan["bank"] and opened + 60 < end else [])
        + (["credit"] if opened + 365 < end else [])
        + (["dividend"] if spans else [])
    )
    kind = draw.choices(
        kinds, [{"fee": 14, "credit": 12, "deposit": 34, "withdrawal": 34}.get(each, 12) for each in kinds]
    )[0]
    first = max(first, opened + {"withdrawal": 62, "credit": 367}.get(kind, 0))
    n = _back(world, draw.randrange(first, max(first + 1, end)))
    if kind in ("fee", "credit"):
        ira = plan["kind"] not in ("individual", "joint")
        fees = [each for each in FEES if ira or each[0] != "IRA custodian fee"]
        reason, cents = draw.choice(fees if kind == "fee" else CREDITS)
        _enter(world, plan, kind, cents, "completed", n, _note(world, reason, n))
        return
    if kind == "dividend":
        begin, until = draw.choice(spans)
        _enter(
            world,
            plan,
            kind,
            draw.randrange(180, 9600),
            "completed",
            _ahead(world, draw.randrange(begin, until)),
            "Quarterly dividend" if draw.random() < 0.6 else None,
        )
        return
    open_weight = 0 if plan["status"] == "closed" else 50
    status = draw.choices(("pending", "completed", "canceled"), (open_weight, 38, 12))[0]
    if status == "pending":
        n = _back(world, -draw.randrange(0 if plan["status"] == "active" else 1, 5))
    if kind == "withdrawal" and n < opened + 60:
        kind = "deposit"
    cents = (
        draw.choice((100, 150, 200, 250, 300, 400, 500, 600, 750, 900, 1000, 1250, 1500, 2000, 2500, 3000, 4000, 5000))
        * 100
    )
    note = (
        _note(world, draw.choice(DEPOSITS if kind == "deposit" else WITHDRAWALS), n) if draw.random() < 0.65 else None
    )
    if kind == "deposit" and status == "canceled":
        note = _note(world, draw.choice(RETURNS), _ahead(world, n + 1))
    _enter(
        world, plan, kind, cents, status, n, note, draw.randrange(2, 5) if kind == "deposit" else draw.randrange(1, 3)
    )
    if kind == "withdrawal" and status == "canceled":
        n = _ahead(world, n + 1)
        _enter(world, plan, "fee", 1000, "completed", n, _note(world, "Canceled withdrawal", n))


def _plan_transfer(world, pair):
    giver, receiver = pair
    n = _back(world, world.random.randrange(max(giver["first"], receiver["first"]) + 2, 0))
    cents = world.random.choice((100, 200, 250, 500, 750, 1000, 1500, 2000)) * 100
    _transfer(world, giver, receiver, n, cents)


def _add_account(world, plan):
    """A bank is linked on the first day, before the opening deposit; now and then another one lately.

    Another one is linked with nothing pending, where nothing was withdrawn to the old one.
    """
    draw = world.random
    opened, linked = plan["opened"], plan["opened"]
    minute = draw.randrange(420, 570)
    if plan["bank"]:
        note = _note(world, "Opening deposit", opened)
        _enter(world, plan, "deposit", _opening(world, plan), "completed", opened, note, draw.randrange(2, 5))
    cash = plan["came"] - plan["went"]
    if plan["status"] == "closed":
        n = _back(world, plan["closed"] - 5)
        _enter(world, plan, "withdrawal", cash, "completed", n, "Closing balance", draw.randrange(1, 3))
        cash = 0
    lately = max(plan["busy"], -60)
    kinds = [entry["kind"] for entry in plan["entries"]]
    if not plan["pending"] and "withdrawal" not in kinds and lately < 0 and draw.random() < 0.5:
        linked, minute = draw.randrange(lately, 0), draw.randrange(420, 1380)
    reasons = [*RESTRICTIONS] + (["Divorce, both owners must sign"] if plan["kind"] == "joint" else [])
    return world.insert(
        "account",
        client_id=plan["client"]["client_id"],
        account_type=plan["kind"],
        nickname=plan["nickname"],
        status=plan["status"],
        restriction_reason=draw.choice(reasons) if plan["status"] == "restricted" else None,
        opened_on=world.day(opened),
        closed_on=None if plan["closed"] is None else world.day(plan["closed"]),
        reinvest_dividends=0 if plan["gave"] else int(draw.random() < 0.38),
        bank_name=draw.choice(BANKS) if plan["bank"] else None,
        bank_last4=f"{draw.randrange(10_000):04d}" if plan["bank"] else None,
        bank_linked_at=_at(world, linked, minute) if plan["bank"] else None,
        cash_cents=cash,
    )["account_id"]


def _add_alerts(world, clients, stocks):
    """Only clients of the active and premium tiers have alerts."""
    draw = world.random
    clients = [client for client in clients if client["tier"] != "standard"]
    weights = [draw.choices((0, 1, 4), (25, 50, 25))[0] for _ in clients]
    weights[0] = 2
    seen = set()
    for client in draw.choices(clients, weights, k=world.share(0.07, least=3)):
        stock = draw.choice(stocks)
        last = stock["last_price_cents"]
        direction = draw.choice(("above", "below"))
        status = draw.choices(("active", "triggered", "canceled"), (58, 24, 18))[0]
        rise = (direction == "above") != (status == "triggered")
        target = (
            int(last * draw.uniform(1.0, 1.3)) // 50 * 50 + 50
            if rise
            else int(last * draw.uniform(0.7, 0.99)) // 50 * 50
        )
        key = (client["client_id"], stock["stock_id"], direction, target)
        if key in seen or target < 50:
            continue
        seen.add(key)
        n = draw.randrange(max(-400, days_between(world.today, client["joined_on"]) + 1), 0)
        world.insert(
            "price_alert",
            client_id=client["client_id"],
            stock_id=stock["stock_id"],
            direction=direction,
            target_price_cents=target,
            status=status,
            created_at=_at(world, n, draw.randrange(360, 1430)),
        )
