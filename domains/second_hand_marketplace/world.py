"""Fill a second-hand marketplace: members, what they sell, offers, purchases with their money, disputes, notes."""

from runtime import WorldBuilder, add_days, add_minutes, days_between

POSTAGE = (0, 389, 549, 549, 699, 1099)
CONDITIONS = ("new", "like_new", "good", "good", "good", "fair", "fair", "for_parts")
CARRIERS = ("DHL", "Hermes", "DPD", "GLS", "UPS")
FEES = ("Late cancellation", "Extra photos of a listing", "Printed parcel label")


def _minutes(first: str, last: str) -> int:
    """The minutes from one moment to another."""
    clock = [int(moment[11:13]) * 60 + int(moment[14:16]) for moment in (first, last)]
    return days_between(first[:10], last[:10]) * 1440 + clock[1] - clock[0]


def _after(world: WorldBuilder, moment: str, days: float) -> str:
    """A moment after another one, by at most so many days, and before the clock."""
    most = min(_minutes(moment, world.now) - 20, int(days * 1440))
    return add_minutes(moment, world.random.randrange(1, max(2, most)))


def _add_member(world: WorldBuilder, number: int, names: list) -> dict:
    """A member; now and then a namesake of an earlier one."""
    draw = world.random
    name = draw.choice(names) if number % 7 == 6 else (draw.choice(GIVEN), draw.choice(FAMILY))
    names.append(name)
    city = draw.choice(CITIES[0]) + draw.choice(CITIES[1])
    state = {0: "active", 1: "active", 5: "suspended", 8: "closed"}.get(number) or draw.choices(
        ("active", "suspended", "closed"), (88, 7, 5)
    )[0]
    days = (
        draw.randrange(700, 1500)
        if number < 2
        else draw.choices((draw.randrange(9, 45), draw.randrange(60, 1500)), (18, 82))[0]
    )
    return world.insert(
        "member",
        name=f"{name[0]} {name[1]}",
        email=f"{name[0]}.{name[1]}{number + 11}@example.{draw.choice(('org', 'com'))}".lower(),
        phone=f"015{draw.randrange(1, 8)} {(number * 7919 + 2345671) % 10_000_000:07}",
        postcode=f"{draw.randrange(1100, 99900):05}",
        city=city,
        tier=draw.choices(("basic", "plus", "pro"), (58, 28, 14))[0],
        state=state,
        state_reason=draw.choice(SUSPENDED) if state == "suspended" else None,
        joined_on=world.day(-days),
    )


def _pool(world: WorldBuilder, members: list) -> list:
    """Members, each as often as they are likely to act: some much, some never."""
    pool = []
    for number, member in enumerate(members):
        often = 2 if number < 2 else world.random.choice((0, 0, 1, 2, 6))
        if member["state"] != "closed":
            pool += [member] * min(often, 6 if member["state"] == "active" else 2)
    return pool


def _buyers(world: WorldBuilder, pool: list, veterans: list, listing: dict) -> list:
    """Up to eight different members who joined before a listing was made, none its seller; at least one."""
    drawn = world.random.sample(pool, min(8, len(pool))) + veterans
    return list(
        {
            member["member_id"]: member
            for member in drawn
            if member["member_id"] != listing["member_id"] and member["joined_on"] < listing["created_at"][:10]
        }.values()
    )


def _add_listing(world: WorldBuilder, number: int, fate: str, seller: dict, earlier: dict) -> dict:
    """A listing of a fate, sometimes with the title of an earlier one of the same seller."""
    draw = world.random
    category = draw.choice(list(ITEMS))
    title = f"{draw.choice(LOOKS)} {draw.choice(ITEMS[category])}"
    if seller["member_id"] in earlier and draw.random() < 0.2:
        category, title = earlier[seller["member_id"]]
    earlier[seller["member_id"]] = (category, title)
    low, high = AGES[fate] if fate != "active" or draw.random() < 0.7 else (31, 100)
    high = min(high, days_between(seller["joined_on"], world.today) - 1)
    created = world.moment(
        -draw.randrange(min(low, high), high + 1), f"{draw.randrange(7, 22):02}:{draw.randrange(60):02}"
    )
    published = None if fate == "draft" else _after(world, created, 1)
    expires = published and add_days(published[:10], 30)
    renewals = 0
    if fate == "active" and expires < world.today and draw.random() < 0.7:
        renewals, expires = draw.randrange(1, 4), world.day(draw.randrange(1, 30))
    state = {
        "active": "active",
        "cancelled": "active",
        "draft": "draft",
        "withdrawn": "withdrawn",
        "awaiting_payment": "reserved",
    }
    euros = EUROS[category]
    return world.insert(
        "listing",
        member_id=seller["member_id"],
        title=title,
        category=category,
        condition=draw.choice(CONDITIONS),
        description=None if draw.random() < 0.4 else " ".join(draw.sample(ABOUT, 2)),
        price_cents=draw.randrange(euros[0] * 2, euros[1] * 2) * 50,
        postage_cents=draw.choice(POSTAGE),
        negotiable=int(number == 0 or draw.random() < 0.75),
        state=state.get(fate, "sold"),
        renewals=renewals,
        price_changes=draw.choices((0, 1, 2, 3), (60, 24, 10, 6))[0],
        created_at=created,
        published_at=published,
        expires_on=expires,
    )


def _add_offers(world: WorldBuilder, listing: dict, buyers: list, least: int) -> None:
    """Offers for a listing that nobody has bought: pending ones only while it is active."""
    draw = world.random
    weights = (48, 20, 14, 18) if listing["state"] == "active" else (0, 0, 70, 30)
    price = listing["price_cents"]
    for place, buyer in enumerate(buyers[: max(least, draw.choice((0, 1, 1, 2)))]):
        made = _after(world, listing["published_at"], 20)
        amount = price * draw.randrange(65, 93) // 5000 * 50
        state = (
            ("open", "countered")[place]
            if place < least
            else draw.choices(("open", "countered", "declined", "withdrawn"), weights)[0]
        )
        if draw.random() < 0.3 or place < least:
            given_up = _after(world, made, 2)
            world.insert(
                "offer",
                listing_id=listing["listing_id"],
                member_id=buyer["member_id"],
                amount_cents=amount - 50,
                state="withdrawn",
                created_at=made,
                decided_at=given_up,
            )
            made = _after(world, given_up, 2)
        countered = state == "countered" or state == "declined" and draw.random() < 0.3
        world.insert(
            "offer",
            listing_id=listing["listing_id"],
            member_id=buyer["member_id"],
            amount_cents=amount,
            counter_cents=(amount + price) // 20 * 10 if countered else None,
            state=state,
            created_at=made,
            decided_at=None if state in ("open", "countered") else _after(world, made, 5),
        )


def _agree(world: WorldBuilder, listing: dict, buyers: list, bought: str) -> int:
    """The price of a purchase: the asking price, or what an accepted offer came to."""
    draw, price = world.random, listing["price_cents"]
    if not listing["negotiable"] or draw.random() < 0.55:
        return price
    made = add_minutes(bought, -draw.randrange(1, max(2, min(4000, _minutes(listing["published_at"], bought)))))
    amount = price * draw.randrange(68, 93) // 5000 * 50
    counter = (amount + price) // 20 * 10 if draw.random() < 0.35 else None
    for buyer, state, value in (
        (buyers[0], "accepted", amount),
        *((other, "declined", amount * 9 // 500 * 50) for other in buyers[1:2]),
    ):
        world.insert(
            "offer",
            listing_id=listing["listing_id"],
            member_id=buyer["member_id"],
            amount_cents=value,
            state=state,
            counter_cents=counter if state == "accepted" else None,
            created_at=made,
            decided_at=bought,
        )
    return counter or amount


def _quarrel(world: WorldBuilder, fate: str, number: int, shipped: str, total: int, proceeds: int) -> list:
    """The disputes about a purchase, as rows without its id; those that end it stand last."""
    draw = world.random
    ends = {
        "disputed": "answered" if number == 10 or number != 5 and draw.random() < 0.5 else "open",
        "refunded": "full_refund",
    }.get(fate)
    if fate == "completed" and (number in (11, 12) or draw.random() < 0.15):
        ends = "part_refund" if number == 11 or number != 12 and draw.random() < 0.6 else "no_refund"
    rows, since = [], shipped
    for kind in (["withdrawn"] if number == 13 or draw.random() < 0.13 else []) + ([ends] if ends else []):
        opened = _after(world, since, 8)
        answered = _after(world, opened, 3) if kind == "answered" or kind != "open" and draw.random() < 0.7 else None
        since = _after(world, answered or opened, 6)
        reason = {5: "damaged", 8: "not_received", 10: "not_as_described"}.get(number) or draw.choice(list(STATEMENTS))
        claim = (
            total
            if reason == "not_received" or kind == "full_refund"
            else max(100, proceeds * draw.randrange(2, 10) // 500 * 50)
        )
        resolved = kind in ("full_refund", "part_refund", "no_refund")
        refund = {
            "full_refund": total,
            "part_refund": max(1, min(claim, proceeds) * draw.randrange(3, 9) // 10),
            "no_refund": 0,
        }.get(kind)
        rows.append(
            {
                "reason": reason,
                "claim_cents": claim,
                "statement": draw.choice(STATEMENTS[reason]),
                "answer": draw.choice(ANSWERS) if answered else None,
                "state": "resolved" if resolved else kind,
                "outcome": kind if resolved else None,
                "refund_cents": refund,
                "created_at": opened,
                "answered_at": answered,
                "ended_at": since if resolved or kind == "withdrawn" else None,
            }
        )
    return rows


def _book(world, member, kind, cents, moment, purchase=None, reason=None):
    """Insert a movement."""
    world.insert(
        "movement",
        member_id=member,
        kind=kind,
        amount_cents=cents,
        purchase_id=purchase,
        reason=reason,
        created_at=moment,
    )


def _add_purchase(world: WorldBuilder, number: int, fate: str, listing: dict, buyers: list) -> dict:
    """A purchase with its disputes and its money; a top-up goes before each payment."""
    draw, buyer = world.random, buyers[0]
    bought = _after(world, listing["published_at"], 20)
    price = _agree(world, listing, buyers, bought) if fate != "cancelled" else listing["price_cents"]
    total, proceeds = (
        price + listing["postage_cents"] + 70 + price * 5 // 100,
        price + listing["postage_cents"] - price * 8 // 100,
    )
    unpaid = fate == "awaiting_payment" or fate == "cancelled" and number != 9 and draw.random() < 0.4
    paid = None if unpaid else _after(world, bought, 1)
    sent = fate in ("shipped", "disputed", "completed", "refunded")
    shipped = _after(world, paid, 5) if sent else None
    disputes = _quarrel(world, fate, number, shipped, total, proceeds) if sent else []
    last = disputes[-1] if disputes else {}
    ended = None
    if fate in ("completed", "refunded", "cancelled"):
        ended = (
            last["ended_at"]
            if last.get("outcome")
            else _after(world, last.get("ended_at") or shipped or paid or bought, 6)
        )
    refund = last.get("refund_cents") or (total if fate == "cancelled" and paid else 0)
    rating = (
        draw.choices((1, 2, 3, 4, 5), (5, 6, 12, 32, 45))[0] if fate == "completed" and draw.random() < 0.6 else None
    )
    carrier = draw.choice(CARRIERS) if sent else None
    row = world.insert(
        "purchase",
        listing_id=listing["listing_id"],
        buyer_id=buyer["member_id"],
        seller_id=listing["member_id"],
        price_cents=price,
        postage_cents=listing["postage_cents"],
        protection_cents=70 + price * 5 // 100,
        commission_cents=price * 8 // 100,
        refunded_cents=refund,
        state=fate,
        address=f"{draw.choice(STREETS)} {draw.randrange(1, 140)}, {buyer['postcode']} {buyer['city']}",
        carrier=carrier,
        tracking_code=f"{carrier[:2].upper()}{draw.randrange(10**9, 10**10)}" if sent and draw.random() < 0.8 else None,
        cancelled_by=({9: "buyer", 14: "seller"}.get(number) or draw.choice(("buyer", "seller")))
        if fate == "cancelled"
        else None,
        rating=rating,
        review=draw.choice(REVIEWS) if rating and draw.random() < 0.6 else None,
        created_at=bought,
        paid_at=paid,
        shipped_at=shipped,
        ended_at=ended,
    )
    key, who, seller = row["purchase_id"], buyer["member_id"], listing["member_id"]
    for dispute in disputes:
        world.insert("dispute", purchase_id=key, **dispute)
    if paid or fate == "awaiting_payment" and draw.random() < 0.6:
        moment = add_minutes(paid, -draw.randrange(2, 50)) if paid else _after(world, bought, 1)
        _book(world, who, "top_up", (total // 500 + draw.randrange(1, 5)) * 500, moment)
    if paid:
        _book(world, who, "payment", -total, paid, key)
    if refund:
        _book(world, who, "refund", refund, ended, key)
    if fate == "cancelled" and refund and row["cancelled_by"] == "buyer" and draw.random() < 0.6:
        _book(world, who, "fee", -200, _after(world, ended, 1), key, FEES[0])
    if fate == "completed":
        _book(world, seller, "sale", proceeds - refund, ended, key)
        if proceeds - refund >= 100 and (number == 1 or draw.random() < 0.4):
            _book(
                world,
                seller,
                "withdrawal",
                -(proceeds - refund) if draw.random() < 0.5 else -100,
                _after(world, ended, 9),
            )
    return row


def _add_extras(world: WorldBuilder, number: int, purchase: dict) -> None:
    """A fee from money that was just put in, or a credit for a purchase or for nothing in particular."""
    draw, who = world.random, purchase["buyer_id"]
    moment = _after(world, purchase["created_at"], 9)
    if number == 0 or number != 1 and draw.random() < 0.3:
        _book(world, who, "top_up", 1000, moment)
        _book(world, who, "fee", -draw.choice((150, 250, 400)), _after(world, moment, 1), None, draw.choice(FEES[1:]))
    else:
        key = purchase["purchase_id"] if draw.random() < 0.6 else None
        _book(world, who, "credit", draw.choice((200, 300, 500, 1000)), moment, key, draw.choice(CREDITS))


def populate(world: WorldBuilder) -> None:
    """A seventh of the rows are members, a quarter listings; offers, purchases, money and disputes hang on these."""
    draw, names, earlier, purchases = world.random, [], {}, []
    members = [_add_member(world, number, names) for number in range(world.share(0.15, least=4))]
    sellers, pool, regular = _pool(world, members), _pool(world, members), {}
    for number in range(world.share(0.205, least=5)):
        fate = FIRST[number] if number < len(FIRST) else draw.choices(list(FATES), list(FATES.values()))[0]
        seller = draw.choice(sellers)
        listing = _add_listing(world, number, fate, seller, earlier)
        if fate == "draft":
            continue
        buyers = _buyers(world, pool, members[:2], listing)
        if fate not in ("active", "withdrawn"):
            same = [
                buyer for buyer in buyers if buyer["member_id"] == regular.get((seller["member_id"], listing["title"]))
            ]
            buyers = same + [buyer for buyer in buyers if buyer not in same]
            regular[seller["member_id"], listing["title"]] = buyers[0]["member_id"]
            purchases.append(_add_purchase(world, number, fate, listing, buyers))
        if fate in ("active", "withdrawn", "cancelled") and listing["negotiable"]:
            _add_offers(world, listing, buyers[::-1] if fate == "cancelled" else buyers, 2 if number == 0 else 0)
    for number in range(world.share(0.03, least=1)):
        _add_extras(world, number, draw.choice(purchases))
    for number, member in enumerate(draw.sample(members, min(len(members), world.share(0.03, least=1)))):
        world.insert(
            "identification",
            member_id=member["member_id"],
            noted_on=world.day(-draw.randrange(1, 60)),
        )
    for purchase in draw.sample(purchases, min(len(purchases), world.share(0.02, least=1))):
        age = days_between(purchase["created_at"][:10], world.today)
        world.insert(
            "declined_request",
            member_id=purchase["buyer_id"],
            subject_id=purchase["purchase_id"],
            rule_code=draw.choice(("cancel_after_payment", "address_change_late", "claim_too_high")),
            declined_on=world.day(-draw.randrange(1, max(2, age))),
        )


# fmt: off
INVARIANTS = {
    "Nobody's balance is below zero.": "SELECT member_id FROM movement GROUP BY member_id HAVING sum(amount_cents) < 0",
    "A listing is reserved just while a purchase of it awaits payment, and sold just while one was paid and not cancelled.": "\n        SELECT listing_id FROM listing WHERE (state = 'reserved') <> EXISTS (SELECT 1 FROM purchase WHERE purchase.listing_id = listing.listing_id AND\n        purchase.state = 'awaiting_payment') OR (state = 'sold') <> EXISTS (SELECT 1 FROM purchase WHERE purchase.listing_id = listing.listing_id AND\n        purchase.state NOT IN ('awaiting_payment', 'cancelled'))",
    "The seller of a purchase is the member whose listing it is.": "SELECT purchase_id FROM purchase JOIN listing USING (listing_id) WHERE seller_id <> member_id",
    "Nobody makes an offer for a listing of their own.": "SELECT offer_id FROM offer JOIN listing USING (listing_id) WHERE offer.member_id = listing.member_id",
    "Pending offers stand only on active listings.": "SELECT offer_id FROM offer JOIN listing USING (listing_id) WHERE offer.state IN ('open', 'countered') AND listing.state <> 'active'",
    "A purchase is disputed just while a dispute about it is under way.": "\n        SELECT purchase_id FROM purchase WHERE (state = 'disputed') <> EXISTS (SELECT 1 FROM dispute WHERE dispute.purchase_id = purchase.purchase_id AND\n        dispute.state IN ('open', 'answered'))",
    "A purchase that was paid has a payment over its total, and its refunds sum up to what it says was refunded.": "\n        SELECT purchase_id FROM purchase WHERE (SELECT coalesce(-sum(amount_cents), 0) FROM movement WHERE movement.purchase_id = purchase.purchase_id AND\n        kind = 'payment') <> CASE WHEN paid_at IS NULL THEN 0 ELSE price_cents + postage_cents + protection_cents END OR (SELECT coalesce(sum(amount_cents),\n        0) FROM movement WHERE movement.purchase_id = purchase.purchase_id AND kind = 'refund') <> refunded_cents",
    "A closed member has no running purchase, no pending offer and no listing that is active or reserved.": "\n        SELECT member_id FROM member WHERE state = 'closed' AND (EXISTS (SELECT 1 FROM purchase WHERE member_id IN (buyer_id, seller_id) AND purchase.state\n        IN ('awaiting_payment', 'paid', 'shipped', 'disputed')) OR EXISTS (SELECT 1 FROM offer WHERE offer.member_id = member.member_id AND offer.state IN\n        ('open', 'countered')) OR EXISTS (SELECT 1 FROM listing WHERE listing.member_id = member.member_id AND listing.state IN ('active', 'reserved')))",
}
GIVEN = (
    "Amina", "Bruno", "Carla", "Dmitri", "Elif", "Farid", "Greta", "Hiro", "Ines", "Jonas", "Katarzyna", "Lars", "Mei",
    "Nadia", "Oscar", "Petra", "Quentin", "Rosa", "Samir", "Tanja", "Umut", "Vera", "Wiktor", "Yasmin", "Zoran",
    "Birgit", "Luis", "Anneke",
)
FAMILY = (
    "Albrecht", "Bianchi", "Castillo", "Demir", "Engel", "Fischer", "Girard", "Haddad", "Ivanova", "Jansen", "Kowalski",
    "Lehmann", "Moreau", "Nowak", "Okafor", "Petrov", "Quandt", "Ricci", "Sato", "Tran", "Ullrich", "Vogel", "Weber",
    "Yildiz", "Zimmer", "Andersen", "Brandt", "Costa", "Dietrich", "Eriksen", "Farkas", "Gruber", "Hansen", "Kaya",
    "Lopes", "Meier",
)
CITIES = (
    (
        "Linden", "Eichen", "Birken", "Falken", "Hohen", "Lauter", "Gold", "Reichen", "Wolfs", "Stein", "Rosen",
        "Alten", "Neuen", "Breiten", "Schwarzen", "Marien", "Ober", "Unter", "Wald", "Kirch", "Blumen", "Erlen",
        "Silber", "Wester",
    ),
    ("hausen", "heim", "berg", "dorf", "feld", "bach", "burg", "tal", "rode", "kirchen", "au", "see"),
)
STREETS = (
    "Lindenweg", "Gartenstrasse", "Bahnhofstrasse", "Am Markt", "Schulstrasse", "Bergstrasse", "Rosenweg",
    "Uferstrasse", "Kirchplatz", "Birkenallee", "Goethestrasse", "Hafenstrasse",
)
SUSPENDED = (
    "Several buyers say that parcels never came.", "Sold copies of branded bags.",
    "Asked buyers to pay outside the platform.", "Insulted another member in messages.",
    "Two accounts with the same bank details.",
)
LOOKS = (
    "Blue", "Red", "Black", "White", "Green", "Grey", "Brown", "Yellow", "Vintage", "Handmade", "Danish", "Italian",
    "Small", "Large", "Rare", "Sturdy", "Light", "Classic", "Modern", "Retro", "Colourful", "Folding", "Compact",
    "Striped",
)
ITEMS = {
    "clothing": (
        "winter coat", "rain jacket", "wool jumper", "leather boots", "silk scarf", "denim jacket", "evening dress",
    ),
    "electronics": ("record player", "tablet", "digital camera", "headphones", "desk radio", "game console", "monitor"),
    "furniture": ("bookshelf", "armchair", "side table", "desk", "chest of drawers", "kitchen chair", "bed frame"),
    "books": ("cookbook", "atlas", "comic collection", "crime novel set", "art book", "dictionary", "travel guide"),
    "toys": ("train set", "doll's house", "board game", "building blocks", "puzzle", "rocking horse", "kite"),
    "sports": ("racing bike", "tent", "tennis racket", "ski boots", "yoga mat", "kayak paddle", "climbing harness"),
    "household": (
        "coffee grinder", "table lamp", "cast iron pan", "sewing machine", "vase", "wall clock", "picnic basket",
    ),
}
EUROS = {
    "clothing": (5, 70), "electronics": (20, 350), "furniture": (15, 300), "books": (4, 30), "toys": (4, 60),
    "sports": (8, 280), "household": (5, 90),
}
ABOUT = (
    "Bought two years ago and hardly used.", "A few scratches, see the photos.", "From a smoke-free home.",
    "Works as it should.", "Was a present that I never needed.", "We are moving and have no room for it.",
    "One small repair, well done.",
)
REVIEWS = (
    "Came quickly and just as described.", "Good value, friendly contact.", "Packed badly, but in one piece.",
    "It took a while, yet I am happy with it.", "Not quite as new as the photos made me think.",
    "Lovely piece, thank you!",
)
STATEMENTS = {
    "not_received": (
        "The parcel has not come although it was sent long ago.", "Tracking stands still and nothing arrived.",
    ),
    "damaged": ("One corner was broken when I opened the box.", "It has a crack that the photos do not show."),
    "not_as_described": ("It is smaller than the text says.", "The colour is wrong and a part is missing."),
}
ANSWERS = (
    "It was fine when I packed it.", "I have the receipt of the parcel shop.",
    "The photos show all of it, please look again.", "I am sorry, I had not seen that.",
)
CREDITS = (
    "Sorry for the slow answer of our desk.", "Parcel was delayed in our partner's depot.",
    "Thanks for reporting a false listing.",
)
FATES = {
    "active": 34, "completed": 14, "awaiting_payment": 8, "draft": 8, "withdrawn": 6, "disputed": 6, "paid": 7,
    "shipped": 8, "refunded": 3, "cancelled": 6,
}
FIRST = (
    "active", "completed", "awaiting_payment", "draft", "withdrawn", "disputed", "paid", "shipped", "refunded",
    "cancelled", "disputed", "completed", "completed", "shipped", "cancelled",
)
AGES = {
    "active": (2, 29), "draft": (1, 60), "withdrawn": (5, 110), "awaiting_payment": (1, 8), "paid": (2, 14),
    "shipped": (5, 22), "disputed": (9, 35), "completed": (12, 115), "refunded": (14, 115), "cancelled": (3, 25),
}
# fmt: on
