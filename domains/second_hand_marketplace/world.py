"""Fill a second-hand marketplace: members, their listings with offers and purchases, disputes, reviews, and balances."""

from collections import defaultdict

from runtime import WorldBuilder, add_days, days_between

SIZES = {
    "Jeans": ("30x30", "30x32", "32x32", "34x32", "36x34"),
    "Leather boots": ("women's 7", "women's 9", "men's 9", "men's 10", "men's 12"),
}  # of things that have other sizes

STATES = {
    "new": ("Never used, it was a gift.", "Bought the wrong one and missed the return date."),
    "like_new": ("Bought last year, hardly used.", "Used once or twice."),
    "good": ("Some wear, priced to sell.", "One owner, well taken care of."),
    "fair": ("Some wear, priced to sell.", "A few marks, see the pictures."),
}  # what sellers say of a condition

KINDS = {
    "electronics": ("Works great.",),
    "furniture": ("You'll need two people to carry it.",),
    "clothing": ("It doesn't fit me anymore.",),
    "books": ("I've read it and need the shelf space.",),
    "toys": ("My kids outgrew it.",),
    "sports": ("I don't get out as much as I used to.",),
    "home": ("We got a new one.",),
}  # what sellers say of a category


def _plan_upgrade(member):
    """Return the fee for the tier that a member moved up to."""
    if not member["bought"]:
        return []
    cents = {"plus": 400, "pro": 900}[member["bought"]]
    label = f"Upgrade to {member['bought'].capitalize()}"
    entry = {"member": member, "kind": "fee", "label": label, "amount": -cents, "status": "posted"}
    return [entry | {"booked": member["sold_from"], "purchase": None}]


def _is_free(member, first, last):
    """True if a member has no other offer open on any of these days."""
    return not any(first <= end and start <= last for start, end in member["busy_with"])


def _accepted_offer(world, deal, purchase):
    """Return the offer that a purchase below the asking price came from; only small offers were changed."""
    draw = world.random
    made = max(add_days(purchase["made"], -draw.randrange(0, 4)), deal["published"], purchase["buyer"]["joined_on"])
    purchase["buyer"]["busy_with"].append((made, purchase["made"]))
    return {
        "member": purchase["buyer"],
        "amount_cents": purchase["item"],
        "counter_cents": None,
        "message": draw.choice(MESSAGES) if draw.random() < 0.5 else None,
        "status": "accepted",
        "made_on": made,
        "changes": draw.choices((0, 1), (2, 1))[0] if purchase["item"] <= 5000 else 0,
        "decided_on": purchase["made"],
    }


def _pay_from_balances(deals, entries):
    """Let buyers pay from what they had earned by then, where it covers the total; return the payments."""
    earned = defaultdict(list)
    for entry in entries:
        earned[entry["member"]["number"]].append((entry["booked"], entry["amount"]))
    payments = []
    for deal in deals:
        for purchase in deal["purchases"]:
            own = earned[purchase["buyer"]["number"]]
            if not purchase["paid"] or purchase["total"] > sum(
                amount for day, amount in own if day <= purchase["paid"] or amount < 0
            ):
                continue
            purchase["method"] = "balance"
            own.append((purchase["paid"], -purchase["total"]))
            payment = {
                "member": purchase["buyer"],
                "kind": "payment",
                "label": deal["title"],
                "amount": -purchase["total"],
            }
            payments.append(payment | {"status": "posted", "booked": purchase["paid"], "purchase": purchase})
    return payments


INVARIANTS = {
    "A member's balance is the sum of their entries that were not canceled.": """
        SELECT member_id FROM member
        WHERE balance_cents <> (
            SELECT coalesce(sum(amount_cents), 0) FROM account_entry
            WHERE account_entry.member_id = member.member_id AND account_entry.status <> 'canceled'
        )
    """,
    "A reserved listing has a live purchase that is not delivered, and a sold one a live purchase or a refunded one.": """
        SELECT listing_id FROM listing
        WHERE (status = 'reserved' AND NOT EXISTS (
                  SELECT 1 FROM purchase WHERE purchase.listing_id = listing.listing_id
                  AND purchase.status IN ('awaiting_payment', 'paid', 'shipped', 'disputed', 'refunded')))
           OR (status = 'sold' AND NOT EXISTS (
                  SELECT 1 FROM purchase WHERE purchase.listing_id = listing.listing_id
                  AND purchase.status IN ('delivered', 'disputed', 'refunded')))
           OR (status IN ('draft', 'active', 'hidden', 'removed') AND EXISTS (
                  SELECT 1 FROM purchase WHERE purchase.listing_id = listing.listing_id
                  AND purchase.status NOT IN ('canceled', 'refunded')))
    """,
    "Nobody buys, saves, or makes an offer on what they sell.": """
        SELECT listing_id FROM listing
        WHERE EXISTS (SELECT 1 FROM purchase WHERE purchase.listing_id = listing.listing_id AND buyer_id = seller_id)
           OR EXISTS (SELECT 1 FROM offer WHERE offer.listing_id = listing.listing_id AND member_id = seller_id)
           OR EXISTS (SELECT 1 FROM saved_item WHERE saved_item.listing_id = listing.listing_id AND member_id = seller_id)
    """,
    "Only an active listing has open offers, and each is below its price.": """
        SELECT offer_id FROM offer JOIN listing USING (listing_id)
        WHERE offer.status IN ('pending', 'countered')
          AND (listing.status <> 'active' OR amount_cents >= price_cents OR counter_cents >= price_cents)
    """,
    "Offers and purchases come after the listing was drafted.": """
        SELECT listing_id FROM listing
        WHERE EXISTS (SELECT 1 FROM offer WHERE offer.listing_id = listing.listing_id AND made_on < date(created_at))
           OR EXISTS (SELECT 1 FROM purchase WHERE purchase.listing_id = listing.listing_id AND made_on < date(created_at))
    """,
    "A purchase is disputed exactly while it has an open dispute, and a dispute comes after shipping.": """
        SELECT purchase_id FROM purchase
        WHERE (status = 'disputed') <> EXISTS (
                  SELECT 1 FROM dispute WHERE dispute.purchase_id = purchase.purchase_id AND dispute.status = 'open')
           OR EXISTS (SELECT 1 FROM dispute WHERE dispute.purchase_id = purchase.purchase_id AND opened_on < shipped_on)
    """,
    "Nothing lies in the future, and nobody acts before joining.": """
        SELECT member_id FROM member
        WHERE joined_on > '2026-03-10'
           OR EXISTS (SELECT 1 FROM purchase WHERE buyer_id = member_id AND (made_on < joined_on OR made_on > '2026-03-10'))
           OR EXISTS (SELECT 1 FROM listing WHERE seller_id = member_id AND date(created_at) < joined_on)
    """,
    "A review belongs to a purchase that arrived.": """
        SELECT review_id FROM review JOIN purchase USING (purchase_id)
        WHERE delivered_on IS NULL OR written_on < delivered_on
    """,
}
GIVEN = (
    "Denise",
    "Miguel",
    "Priya",
    "Kevin",
    "Aaliyah",
    "Tom",
    "Susan",
    "Carlos",
    "Mei",
    "Brian",
    "Latoya",
    "Greg",
    "Hannah",
    "Omar",
    "Rachel",
    "Derek",
    "Yolanda",
    "Peter",
    "Anita",
    "Marcus",
    "Ellen",
    "Jorge",
    "Nicole",
    "Paul",
    "Tanya",
    "Victor",
    "Grace",
    "Andre",
    "Megan",
    "Raj",
    "Laura",
    "Sam",
    "Keisha",
    "Walter",
    "Jenny",
    "Luis",
    "Barbara",
    "Trevor",
    "Nadia",
    "Frank",
)
FAMILY = (
    "Walker",
    "Ortega",
    "Raman",
    "Tran",
    "Brooks",
    "Kowalski",
    "Miller",
    "Nguyen",
    "Johnson",
    "Patel",
    "Reyes",
    "Schmidt",
    "Bailey",
    "Haddad",
    "Coleman",
    "Murphy",
    "Park",
    "Foster",
    "Romano",
    "Gibson",
    "Chavez",
    "Hughes",
    "Dawson",
    "Okafor",
    "Larson",
    "Simmons",
    "Vargas",
    "Keller",
    "Hayes",
    "Lin",
    "Porter",
    "Bishop",
    "Mendoza",
    "Sullivan",
    "Banks",
    "Novak",
    "Griffin",
    "Shaw",
    "Delgado",
    "Whitaker",
)
STREETS = (
    "Maple Ave",
    "Oak St",
    "Cedar Ln",
    "5th St",
    "Main St",
    "Elm St",
    "Park Ave",
    "Lake Dr",
    "Hillcrest Rd",
    "Sunset Blvd",
    "Walnut St",
    "Pine St",
    "Chestnut St",
    "Spring St",
    "Mill Rd",
    "Church St",
    "Highland Ave",
    "River Rd",
    "Willow Way",
    "Franklin St",
    "2nd Ave",
    "Birch Ct",
)
PLACES = (
    ("Columbus", "OH", 432, 614),
    ("Austin", "TX", 787, 512),
    ("Portland", "OR", 972, 503),
    ("Denver", "CO", 802, 303),
    ("Raleigh", "NC", 276, 919),
    ("Boston", "MA", 21, 617),
    ("Tucson", "AZ", 857, 520),
    ("Omaha", "NE", 681, 402),
    ("Seattle", "WA", 981, 206),
    ("Atlanta", "GA", 303, 404),
    ("Madison", "WI", 537, 608),
    ("Tampa", "FL", 336, 813),
    ("Nashville", "TN", 372, 615),
    ("Fresno", "CA", 937, 559),
    ("Buffalo", "NY", 142, 716),
    ("Boise", "ID", 837, 208),
    ("Tulsa", "OK", 741, 918),
    ("Richmond", "VA", 232, 804),
    ("Louisville", "KY", 402, 502),
    ("Spokane", "WA", 992, 509),
    ("Cleveland", "OH", 441, 216),
    ("Dallas", "TX", 752, 214),
    ("Eugene", "OR", 974, 541),
    ("Charlotte", "NC", 282, 704),
)
ITEMS = (
    ("Bluetooth speaker", "electronics", 15, 60, 6),
    ("Monitor", "electronics", 60, 180, 19),
    ("Tablet", "electronics", 80, 250, 8),
    ("Mechanical keyboard", "electronics", 25, 90, 9),
    ("Film camera", "electronics", 40, 160, 8),
    ("Headphones", "electronics", 20, 120, 6),
    ("Bookshelf", "furniture", 40, 120, 55),
    ("Dresser", "furniture", 60, 220, 90),
    ("Standing desk", "furniture", 90, 250, 80),
    ("Rocking chair", "furniture", 45, 150, 60),
    ("Nightstand", "furniture", 25, 80, 45),
    ("Jeans", "clothing", 12, 40, 6),
    ("Down jacket", "clothing", 30, 110, 9),
    ("Leather boots", "clothing", 35, 120, 11),
    ("Wool coat", "clothing", 30, 130, 11),
    ("Rain jacket", "clothing", 20, 80, 8),
    ("Cookbook", "books", 5, 15, 4),
    ("Mystery box set", "books", 15, 35, 6),
    ("Art book", "books", 12, 45, 7),
    ("Field guide", "books", 6, 20, 4),
    ("Jigsaw puzzle", "toys", 5, 15, 5),
    ("Train set", "toys", 20, 60, 10),
    ("Dollhouse", "toys", 30, 120, 35),
    ("Board game", "toys", 10, 40, 7),
    ("Yoga mat", "sports", 8, 25, 8),
    ("Camping tent", "sports", 40, 140, 15),
    ("Road bike", "sports", 150, 600, 95),
    ("Snowboard", "sports", 60, 220, 40),
    ("Tennis racket", "sports", 20, 90, 11),
    ("Cast iron skillet", "home", 12, 40, 12),
    ("Table lamp", "home", 10, 45, 12),
    ("Stand mixer", "home", 80, 220, 24),
    ("Area rug", "home", 35, 150, 40),
)  # what it is, category, price range and usual shipping in dollars
DETAILS = {
    "electronics": (
        ("black", "white", "silver", "dark gray", "blue"),
        ("with charger", "with case", "older model", "in the box", "with the manual"),
    ),
    "furniture": (
        ("oak", "pine", "walnut", "white", "dark brown", "painted blue"),
        ("solid", "small", "wide", "made by hand", "easy to take apart"),
    ),
    "clothing": (("black", "navy", "green", "gray", "brown"), ("size S", "size M", "size L", "size XL")),
    "books": (
        ("hardcover", "paperback"),
        ("first edition", "signed", "illustrated", "large print", "second edition", "no markings", "from the 1990s"),
    ),
    "toys": (
        ("for ages 3 and up", "for ages 6 and up", "for ages 8 and up", "for the whole family"),
        ("complete", "wooden", "in the box", "from the 1980s", "with instructions"),
    ),
    "sports": (
        ("blue", "red", "gray", "black", "green"),
        ("for beginners", "for kids", "for adults", "with bag", "older model"),
    ),
    "home": (
        ("white", "black", "red", "cream", "dark blue"),
        ("large", "small", "with box", "older model", "from the 1970s"),
    ),
}  # of each category what it looks like or who it is for, and something else
ABOUT = ("From a smoke-free home.", "Clean and ready to go.", "We just moved to a smaller place.")
MESSAGES = (
    "Could pay today.",
    "It's for my daughter's room.",
    "Would you take this?",
    "I can pick it up this week.",
    "Saw the same one for less.",
    "Happy to buy two if you have another.",
    "It's a birthday present.",
)
REASONS = (
    "Found one closer to home",
    "Ordered by mistake",
    "Changed my mind",
    "The seller never answered",
    "It doesn't fit after all",
    "Need it sooner than it can ship",
)
TROUBLE = {
    "not_received": (
        "It never showed up.",
        "Tracking says delivered but nothing came.",
        "Two weeks and still no package.",
    ),
    "damaged": ("It arrived with a crack.", "One corner is broken.", "The box was crushed and it's dented."),
    "not_as_described": (
        "It's a smaller size than listed.",
        "It's a lot more worn than in the pictures.",
        "The color is wrong.",
    ),
    "wrong_item": ("This isn't what I bought.", "They sent a different model.", "I got somebody else's order."),
}
PRAISE = ("Exactly as described.", "Fast shipping, thank you!", "Great seller.", "Good value.", "Came well packed.")
BLAME = ("More worn than I expected.", "Took forever to ship.", "Smells like smoke.", "Not worth the price.")
FEES = (("Listing boost", 299), ("Late shipping fee", 500), ("Cancellation fee", 150), ("Payment reminder fee", 200))
CONDITIONS = ("new", "like_new", "good", "fair")
SALES = ("draft", "active", "hidden", "reserved", "sold", "removed")


def populate(world: WorldBuilder) -> None:
    """Plan members and deals first, so that balances add up, then insert everything."""
    members = [_plan_member(world, number) for number in range(world.share(0.12, least=4))]
    busy = [each for each in members for _ in range(world.random.choice((0, 1, 1, 2, 3, 5)))]
    busy = busy if len({each["number"] for each in busy}) > 2 else members
    sellers = [each for each in members for _ in range(world.random.choice((0, 1, 2, 3, 5))) if each["sold_from"]]
    sellers += [members[0], members[1]]
    names = []
    for each in members:  # about one in four shares a name with another
        each["name"] = world.random.choice(names) if names and world.random.random() < 0.17 else each["name"]
        names.append(each["name"])
    deals = [_plan_deal(world, number, busy, sellers) for number in range(world.share(0.21, least=3))]
    selling = {deal["seller"]["number"] for deal in deals if deal["status"] == "active"}
    for each in members:  # nobody is away who has something on sale
        each["away_until"] = None if each["number"] in selling else each["away_until"]
    entries = [entry for deal in deals for entry in _plan_entries(deal)]
    entries += [entry for each in members for entry in _plan_upgrade(each)]
    entries += _pay_from_balances(deals, entries)
    entries += _plan_fees_and_payouts(world, members, entries, world.share(0.04, least=2))
    _insert_members(world, members, entries)
    for deal in deals:
        _insert_deal(world, deal)
    for entry in entries:
        _insert_entry(world, entry)
    _insert_saved_items(world, busy, deals, world.share(0.08, least=2))


def _plan_member(world, number):
    """Plan a member, who joins as a basic one; the days on which they may sell are those in a higher tier.

    Some went back to basic and still have what they put up before.
    """
    draw = world.random
    joined = world.day(-draw.choice((draw.randrange(45, 200), draw.randrange(200, 2000))))
    tier = draw.choices(("basic", "plus", "pro"), (5, 3, 2))[0]
    if number < 2:
        joined, tier = world.day(-draw.randrange(400, 2000)), ("pro", "plus")[number]
    member_days = days_between(joined, world.today)
    since, sold_from, sold_until, bought = joined, None, None, None
    if tier != "basic":
        latest = member_days - 200 if number < 2 else member_days // 2
        since = add_days(joined, draw.randrange(0, max(1, min(latest, 400))))
        sold_from, sold_until, bought = since, world.today, tier
    elif member_days > 120 and draw.random() < 0.45:
        sold_from = add_days(joined, draw.randrange(0, member_days // 2))
        since = world.day(-draw.randrange(1, 16))
        sold_until, bought = add_days(since, -1), draw.choice(("plus", "plus", "pro"))
    city, state, zip_start, area = PLACES[number % len(PLACES)]
    home = f"{draw.randrange(100, 9900)} {draw.choice(STREETS)}, {city}, {state} {zip_start:03d}{draw.randrange(1, 60):02d}"
    return {
        "number": number,
        "name": f"{draw.choice(GIVEN)} {draw.choice(FAMILY)}",
        "phone": None if draw.random() < 0.1 else f"({area}) 555-01{number // len(PLACES) % 100:02d}",
        "home_address": None if draw.random() < 0.08 else home,
        "has_email": draw.random() > 0.08,
        "tier": tier,
        "tier_since": since,
        "joined_on": joined,
        "away_until": world.day(draw.randrange(1, 15)) if draw.random() < 0.3 else None,
        "sold_from": sold_from,
        "sold_until": sold_until,
        "bought": bought,
        "busy_with": [],  # from when to when each offer that they made was open
    }


def _plan_deal(world, number, busy, sellers):
    """Plan one listing with its offers and purchases, as dicts that name members."""
    draw = world.random
    item, category, low, high, shipping = draw.choice(ITEMS)
    status = SALES[number % len(SALES)] if number < 2 * len(SALES) else draw.choices(SALES, (6, 37, 8, 21, 25, 3))[0]
    age = {"reserved": (14, 26), "sold": (30, 80), "draft": (3, 22), "hidden": (22, 60)}.get(status, (3, 28))
    published = world.day(-draw.randrange(*age))
    created = add_days(published, -draw.randrange(0, 4))
    fitting = [
        each
        for each in draw.sample(sellers, min(len(sellers), 12))
        if each["sold_from"] < created and published < each["sold_until"]
    ]
    seller = fitting[0] if fitting else sellers[-1]
    price = round(draw.uniform(low, high) / (1 if high < 20 else 5)) * (100 if high < 20 else 500)
    is_extended = status in ("active", "hidden", "removed") and published <= world.day(-12) and draw.random() < 0.35
    condition = draw.choices(CONDITIONS, (1, 3, 4, 2))[0]
    looks, others = DETAILS[category]
    details = [draw.choice(looks), draw.choice(SIZES.get(item, others))]
    deal = {
        "number": number,
        "seller": seller,
        "title": f"{item}, {', '.join(draw.choice((details, details, details[:1], details[1:])))}",
        "description": None
        if number == 0 or (status == "draft" and draw.random() < 0.5)
        else draw.choice(ABOUT + STATES[condition] + KINDS[category]),
        "category": category,
        "condition": condition,
        "price": max(price, 300),
        "shipping": 0 if draw.random() < 0.2 else shipping * 100 - draw.choice((1, 50, 51)),
        "status": status,
        "created": created,
        "published": None if status == "draft" else published,
        "extensions": draw.choice((1, 1, 1, 2)) if is_extended else 0,
        "offers": [],
        "purchases": [],
        "dispute": None,
        "review": None,
    }
    buyers = [each for each in draw.choices(busy, k=9) if each["number"] != seller["number"]]
    others = list({each["number"]: each for each in buyers if each["joined_on"] <= world.day(-20)}.values())
    if status in ("reserved", "sold"):
        purchase = _plan_purchase(world, deal, others[0] if others else _anybody_else(busy, seller))
        deal["purchases"].append(purchase)
        deal["extensions"] = max(days_between(published, purchase["made"]) - 1, 0) // 30  # it was still on sale
        if purchase["item"] < deal["price"]:
            deal["offers"].append(_accepted_offer(world, deal, purchase))
    elif status != "draft" and others and deal["price"] <= 6000 and draw.random() < 0.5:
        deal["purchases"].append(_plan_canceled(world, deal, others[0]))
    if status != "draft":
        _plan_offers(world, deal, others[1:])
    return deal


def _anybody_else(busy, seller):
    return [each for each in busy if each["number"] != seller["number"]][0]


def _plan_purchase(world, deal, buyer):
    """Plan the purchase of a reserved or sold listing, as far as it has come."""
    draw = world.random
    is_sold = deal["status"] == "sold"
    state = "delivered" if is_sold else draw.choices(("awaiting_payment", "paid", "shipped"), (3, 4, 4))[0]
    ago = {"awaiting_payment": (0, 7), "paid": (1, 9), "shipped": (3, 14), "delivered": (14, 29)}[state]
    made = max(world.day(-draw.randrange(*ago)), deal["published"], buyer["joined_on"])
    paid = min(add_days(made, draw.randrange(0, 3)), world.today) if state != "awaiting_payment" else None
    shipped = min(add_days(paid, draw.randrange(0, 4)), world.today) if state in ("shipped", "delivered") else None
    delivered = min(add_days(shipped, draw.randrange(2, 7)), world.today) if is_sold else None
    is_haggled = draw.random() < 0.5 and _is_free(buyer, add_days(made, -4), made)
    item = max(round(deal["price"] * 0.9 / 100) * 100, 100) if is_haggled else deal["price"]
    purchase = _purchase(buyer, deal, item, state, made)
    purchase |= {"paid": paid, "shipped": shipped, "delivered": delivered, "method": "card" if paid else None}
    if shipped and (
        deal["number"] == 4 or deal["number"] != 10 and draw.random() < (0.27 if is_sold else 0.4)
    ):  # 4 and 10 are sold
        _plan_dispute(world, deal, purchase)
    elif is_sold and (deal["number"] == 10 or draw.random() < 0.7):
        written = min(add_days(delivered, draw.randrange(0, 9)), world.today)
        stars = draw.choices((5, 4, 3, 2, 1), (6, 4, 2, 1, 1))[0]
        words = None if draw.random() < 0.3 else draw.choice(PRAISE if stars > 3 else BLAME)
        deal["review"] = {"stars": stars, "text": words, "written_on": written, "edits": int(draw.random() < 0.2)}
    return purchase


def _purchase(buyer, deal, item, state, made):
    return {
        "buyer": buyer,
        "item": item,
        "shipping": deal["shipping"],
        "total": item + deal["shipping"],
        "status": state,
        "made": made,
        "paid": None,
        "shipped": None,
        "delivered": None,
        "method": None,
        "reason": None,
        "closed": None,
        "refund": 0,
    }


def _plan_dispute(world, deal, purchase):
    draw = world.random
    kind = draw.choice(tuple(TROUBLE)[1:] if purchase["delivered"] else ("not_received",))
    opened = min(add_days(purchase["delivered"] or purchase["shipped"], draw.randrange(1, 10)), world.today)
    claim = (
        purchase["total"] if kind == "not_received" or draw.random() < 0.4 else max(purchase["total"] // 400 * 100, 100)
    )
    dispute = {
        "kind": kind,
        "claim": claim,
        "details": draw.choice(TROUBLE[kind]),
        "opened": opened,
        "refund": None,
        "closed": None,
    }
    dispute |= {"status": draw.choices(("open", "withdrawn", "resolved"), (6, 2, 2))[0]}
    dispute |= {"prior": "delivered" if purchase["delivered"] else "shipped"}
    if dispute["status"] != "open":
        dispute["closed"] = min(add_days(opened, draw.randrange(0, 6)), world.today)
    if dispute["status"] == "open":
        purchase["status"] = "disputed"
    elif dispute["status"] == "resolved":
        dispute["refund"] = max(claim // 200 * 100, 100) if draw.random() < 0.5 else claim
        purchase |= {"status": "refunded", "closed": dispute["closed"], "refund": dispute["refund"]}
    deal["dispute"] = dispute


def _plan_canceled(world, deal, buyer):
    draw = world.random
    made = max(add_days(deal["published"], draw.randrange(0, 3)), buyer["joined_on"])
    made = min(made, world.today)
    purchase = _purchase(buyer, deal, deal["price"], "canceled", made)
    paid = min(add_days(made, draw.randrange(0, 2)), world.today) if draw.random() < 0.5 else None
    purchase |= {"paid": paid, "method": "card" if paid else None, "reason": draw.choice(REASONS)}
    return purchase | {"closed": min(add_days(paid or made, draw.randrange(0, 3)), world.today)}


def _plan_offers(world, deal, others):
    """Plan offers that came to nothing so far: nobody has two open at once, and only small ones are changed or withdrawn."""
    draw = world.random
    is_active = deal["status"] == "active"
    last = deal["purchases"][0]["made"] if deal["purchases"] and not is_active else world.today
    for member in others[: draw.choice((0, 1, 1, 2, 3) if is_active else (0, 0, 1, 1, 2))]:
        made = min(max(add_days(deal["published"], draw.randrange(0, 12)), member["joined_on"]), last)
        amount = max(round(deal["price"] * draw.uniform(0.6, 0.9) / 100) * 100, 100)
        is_small = amount <= 5000
        state = draw.choices(
            ("pending", "countered", "declined", "withdrawn"),
            (8, 3, 1, 1 if is_small else 0) if is_active else (0, 0, 3, 2 if is_small else 0),
        )[0]
        is_open = state in ("pending", "countered")
        decided = None if is_open else min(add_days(made, draw.randrange(0, 4)), last)
        if not _is_free(member, made, decided or "9999"):
            continue
        member["busy_with"].append((made, decided or "9999"))
        counter = amount + max((deal["price"] - amount) // 200 * 100, 50)
        deal["offers"].append(
            {
                "member": member,
                "amount_cents": amount,
                "counter_cents": counter
                if state == "countered" or (state == "declined" and draw.random() < 0.2)
                else None,
                "message": draw.choice(MESSAGES) if draw.random() < 0.5 else None,
                "status": state,
                "made_on": made,
                "changes": draw.choices((0, 1, 2), (5, 3, 1))[0] if is_small else 0,
                "decided_on": decided,
            }
        )


def _plan_entries(deal):
    """Return what a deal booked to its members' balances: extensions and purchases."""
    entries = []
    for number in range(deal["extensions"]):
        entry = {"member": deal["seller"], "kind": "fee", "label": "Listing extension", "amount": -120}
        booked = add_days(deal["published"], 20 + 30 * number if deal["status"] == "sold" else 3 + 4 * number)
        entries.append(entry | {"status": "posted", "booked": booked, "purchase": None})
    for purchase in deal["purchases"]:
        booked = []
        if purchase["delivered"]:
            booked.append((deal["seller"], "sale", purchase["total"], purchase["delivered"]))
        if purchase["status"] == "canceled" and purchase["paid"]:
            booked.append((purchase["buyer"], "refund", purchase["total"], purchase["closed"]))
        if purchase["refund"]:
            booked.append((purchase["buyer"], "refund", purchase["refund"], purchase["closed"]))
            booked.append((deal["seller"], "refund", -purchase["refund"], purchase["closed"]))
        for member, kind, amount, day in booked:
            entry = {"member": member, "kind": kind, "label": deal["title"], "amount": amount, "status": "posted"}
            entries.append(entry | {"booked": day, "purchase": purchase})
    return entries


def _plan_fees_and_payouts(world, members, entries, count):
    """A payout takes a balance of $50 or more, and comes after everything else on the account."""
    draw = world.random
    balances, latest = defaultdict(int), defaultdict(str)
    for entry in entries:
        number = entry["member"]["number"]
        balances[number] += entry["amount"]
        latest[number] = max(latest[number], entry["booked"])
    planned = []
    rich = [each for each in members if balances[each["number"]] >= 5000]
    for _ in range(count):
        member = draw.choice(rich if rich and draw.random() < 0.45 else members)
        number, since = member["number"], min(days_between(member["joined_on"], world.today), 40)
        entry = {"member": member, "status": "posted", "booked": world.day(-draw.randrange(0, since)), "purchase": None}
        if balances[number] >= 5000:
            state = draw.choices(("posted", "requested", "canceled"), (3, 5, 2))[0]
            share = balances[number] // draw.choice((100, 200, 300)) * 100
            entry |= {"kind": "payout", "label": "Payout", "amount": -share, "status": state}
            entry["booked"] = max(entry["booked"], latest[number])
        else:
            label, cents = draw.choice(FEES)
            entry |= {"kind": "fee", "label": label, "amount": -cents}
        balances[number] += entry["amount"] if entry["status"] != "canceled" else 0
        latest[number] = max(latest[number], entry["booked"])
        planned.append(entry)
    return planned


def _insert_members(world, members, entries):
    balances = defaultdict(int)
    for entry in entries:
        balances[entry["member"]["number"]] += entry["amount"] if entry["status"] != "canceled" else 0
    for each in members:
        email = (
            f"{each['name'].replace(' ', '.').lower()}{each['number'] + 7}@example.com" if each["has_email"] else None
        )
        columns = ("name", "phone", "home_address", "tier", "tier_since", "joined_on", "away_until")
        own = {column: each[column] for column in columns}
        each["member_id"] = world.insert("member", email=email, balance_cents=balances[each["number"]], **own)[
            "member_id"
        ]


def _insert_deal(world, deal):
    draw = world.random
    published = deal["published"]
    time = f"{draw.randrange(7, 23):02d}:{draw.randrange(60):02d}:{draw.randrange(60):02d}"
    row = world.insert(
        "listing",
        seller_id=deal["seller"]["member_id"],
        title=deal["title"],
        description=deal["description"],
        category=deal["category"],
        condition=deal["condition"],
        price_cents=deal["price"],
        shipping_cents=deal["shipping"],
        status=deal["status"],
        created_at=f"{min(deal['created'], world.day(-1))} {time}" if deal["created"] < world.today else world.now,
        published_on=published,
        expires_on=add_days(published, 30 * (1 + deal["extensions"])) if published else None,
        extensions=deal["extensions"],
    )
    deal["listing_id"] = row["listing_id"]
    for offer in deal["offers"]:
        own = {column: value for column, value in offer.items() if column != "member"}
        world.insert("offer", listing_id=row["listing_id"], member_id=offer["member"]["member_id"], **own)
    for purchase in deal["purchases"]:
        _insert_purchase(world, deal, purchase)


def _insert_purchase(world, deal, purchase):
    draw = world.random
    shipped = purchase["shipped"]
    row = world.insert(
        "purchase",
        listing_id=deal["listing_id"],
        buyer_id=purchase["buyer"]["member_id"],
        item_cents=purchase["item"],
        shipping_cents=purchase["shipping"],
        status=purchase["status"],
        made_on=purchase["made"],
        pay_by=add_days(purchase["made"], 3),
        paid_on=purchase["paid"],
        payment_method=purchase["method"],
        shipped_on=shipped,
        carrier=draw.choice(("USPS", "UPS", "FedEx")) if shipped else None,
        tracking_number=f"94{draw.randrange(10**9, 10**10)}{deal['number']:05d}" if shipped else None,
        ship_to=purchase["buyer"]["home_address"],
        delivered_on=purchase["delivered"],
        cancel_reason=purchase["reason"],
        closed_on=purchase["closed"],
    )
    purchase["purchase_id"] = row["purchase_id"]
    if deal["dispute"]:
        own = deal["dispute"]
        world.insert(
            "dispute",
            purchase_id=row["purchase_id"],
            kind=own["kind"],
            claim_cents=own["claim"],
            details=own["details"],
            status=own["status"],
            prior_status=own["prior"],
            opened_on=own["opened"],
            refund_cents=own["refund"],
            closed_on=own["closed"],
        )
    if deal["review"]:
        world.insert("review", purchase_id=row["purchase_id"], **deal["review"])


def _insert_entry(world, entry):
    world.insert(
        "account_entry",
        member_id=entry["member"]["member_id"],
        kind=entry["kind"],
        label=entry["label"],
        amount_cents=entry["amount"],
        status=entry["status"],
        booked_on=entry["booked"],
        purchase_id=entry["purchase"]["purchase_id"] if entry["purchase"] else None,
    )


def _insert_saved_items(world, busy, deals, count):
    draw = world.random
    seen = set()
    offered = [deal for deal in deals if deal["published"]]
    for _ in range(count):
        member, deal = draw.choice(busy), draw.choice(offered)
        pair = member["number"], deal["listing_id"]
        if pair in seen or member["number"] == deal["seller"]["number"]:
            continue
        seen.add(pair)
        saved = max(deal["published"], member["joined_on"])
        saved = min(add_days(saved, draw.randrange(0, 10)), world.today)
        note = draw.choice(
            ("for the den", "birthday idea", "wait for a lower price", "ask about the size", "for the cabin")
        )
        world.insert(
            "saved_item",
            member_id=member["member_id"],
            listing_id=deal["listing_id"],
            saved_on=saved,
            note=note if draw.random() < 0.4 else None,
        )
