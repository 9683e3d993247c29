"""What members want that takes time: something comes back on sale or gets cheaper today, or will not be there long."""

from runtime.story import Story, scenario

FREE_TITLE = (
    "NOT EXISTS (SELECT 1 FROM listing AS own WHERE own.title = listing.title AND own.listing_id <> listing.listing_id)"
)
IS_ON_SALE = "SELECT 1 FROM listing WHERE listing_id = :listing AND status = 'active'"
NO_OFFERS = "NOT EXISTS (SELECT 1 FROM offer AS bid WHERE bid.listing_id = listing.listing_id)"
IS_PENDING = "SELECT 1 FROM offer WHERE offer_id = :offer AND status = 'pending'"
FALLS_THROUGH = """
    status = 'reserved' AND EXISTS (
        SELECT 1 FROM purchase AS deal WHERE deal.listing_id = listing.listing_id AND deal.buyer_id <> ?
            AND deal.status IN ('awaiting_payment', 'paid')
    )
"""
HAS_AN_OFFER = """
    status = 'active' AND (SELECT count(*) FROM offer AS bid WHERE bid.listing_id = listing.listing_id) = 1 AND EXISTS (
        SELECT 1 FROM offer AS bid WHERE bid.listing_id = listing.listing_id AND bid.status = 'pending'
            AND bid.made_on >= ? AND bid.amount_cents <= 5000
    )
"""
DEADLINES = {"noon": "12:00", "1 PM": "13:00", "12:30": "12:30"}


def listing_of_others(story, me, where, *values):
    """A listing of another member that its title tells from all others."""
    return story.pick("listing", f"{where} AND seller_id <> ? AND {FREE_TITLE}", *values, me["member_id"])


def deadline(story):
    """By when the caller wants to know, a time of today."""
    return story.choose("deadline", {said: str(story.moment(0, time)) for said, time in DEADLINES.items()})


def falls_through(story, name, listing, times, maybe=False):
    """Let the buyer cancel, so that the listing is on sale again, and the office be told."""
    deal = story.other_row(
        "purchase", "status IN ('awaiting_payment', 'paid') AND listing_id = ?", listing["listing_id"]
    )
    return story.event(
        name,
        at=story.moment(0, story.choose(f"time of {name}", times)),
        call="cancel_purchase",
        purchase_id=deal["purchase_id"],
        reason="The buyer changed their mind.",
        notice=f"Orders: the purchase of {listing['title']} was canceled, and it is on sale again.",
        maybe=maybe,
    )


def bought_by_another(story, name, me, listing, minutes):
    """Let somebody else buy a listing once it has been on sale for so long."""
    buyer = story.other_row("member", "member_id NOT IN (?, ?)", me["member_id"], listing["seller_id"])
    story.event(
        name,
        when=IS_ON_SALE,
        values={"listing": listing["listing_id"]},
        minutes=minutes,
        call="buy_now",
        member_id=buyer["member_id"],
        listing_id=listing["listing_id"],
    )


def put_up_again(story, listing):
    """Let the seller of a hidden listing put it on sale, which nobody is told."""
    story.event(
        "put-up-again",
        at=story.moment(0, story.choose("time of the second", ("10:50", "11:15"))),
        call="publish_listing",
        listing_id=listing["listing_id"],
    )


def found(story, title, wish=None):
    """A listing that is on sale, as a search shows it."""
    listings = story.call("search_listings", wish=wish, words=title)["listings"]
    return story.find(listings, title=title)["listing_id"]


@scenario(form="later")
def buy_what_comes_back_on_sale(story: Story) -> None:
    """The member waits until another buyer backs out, and buys the item before others do."""
    me = story.me
    listing = listing_of_others(story, me, FALLS_THROUGH, me["member_id"])
    by = deadline(story)
    falls_through(story, "purchase-canceled", listing, ("09:40", "10:25", "11:10"))
    bought_by_another(story, "bought-by-another", me, listing, 210)
    story.tell(
        (
            "Somebody beat me to the {title}, but the seller says that buyer is backing out by {by} today. Can you keep "
            "an eye on it and buy it for me at the asking price once it's back?",
            "The buyer of the {title} is going to cancel by {by} today, according to the seller. Could you please buy "
            "it for me at the asking price as soon as it is on sale again?",
            "the {title} i wanted got sold but the buyer's backing out by {by} today. can you wait for it and buy it "
            "for me at the asking price",
        ),
        short="waiting until {by} for the {title} to come back on sale and buying it for me at the asking price",
        title=listing["title"],
        by=by,
    )
    key = story.identify()
    story.wait(until=by)
    story.call("buy_now", member_id=key, listing_id=found(story, listing["title"]))


@scenario(form="if_it_happens")
def buy_cheaper_or_buy_another(story: Story) -> None:
    """The member buys one item if its price drops in time, and else one that goes up this morning."""
    me = story.me
    first = listing_of_others(story, me, f"status = 'active' AND price_cents >= 2500 AND {NO_OFFERS}")
    second = listing_of_others(story, me, "status = 'hidden' AND description IS NOT NULL")
    by = deadline(story)
    price = int(first["price_cents"]) // 1000 * 900
    is_cheaper = story.event(
        "price-lowered",
        at=story.moment(0, story.choose("time of the drop", ("09:50", "10:20"))),
        call="change_price",
        listing_id=first["listing_id"],
        price_cents=price,
        notice=f"Listings: the price of {first['title']} was just lowered.",
        maybe=True,
    )
    put_up_again(story, second)
    if is_cheaper:
        bought_by_another(story, "first-bought", me, first, 250)
    bought_by_another(story, "second-bought", me, second, 180)
    story.tell(
        (
            "The seller of the {title} may drop the price today. If that happens by {by}, buy it for me. If it doesn't, "
            "buy the {other} instead, which is going back up this morning.",
            "If the price of the {title} is lowered by {by} today, please buy it for me. If it is not, please buy the "
            "{other} instead, which its seller is putting back up this morning.",
            "if the price of the {title} drops by {by} today buy it for me. if not get me the {other}, that's going "
            "back up this morning",
        ),
        short="buying me the {title} if its price drops by {by}, or else the {other}",
        title=first["title"],
        by=by,
        other=second["title"],
    )
    key = story.identify()
    story.wait(until=by)
    title = first["title"] if is_cheaper else second["title"]
    story.call("buy_now", member_id=key, listing_id=found(story, title))


@scenario(form="if_it_happens")
def one_listing_or_the_other(story: Story) -> None:
    """The member buys one item if it comes back on sale in time, and else one that goes up this morning."""
    me = story.me
    first = listing_of_others(story, me, FALLS_THROUGH, me["member_id"])
    second = listing_of_others(story, me, "status = 'hidden' AND description IS NOT NULL")
    by = deadline(story)
    is_back = falls_through(story, "purchase-canceled", first, ("09:35", "10:15"), maybe=True)
    put_up_again(story, second)
    if is_back:
        bought_by_another(story, "first-bought", me, first, 210)
    bought_by_another(story, "second-bought", me, second, 180)
    story.tell(
        (
            "The {title} is sold, but the buyer may back out. If it's on sale again by {by} today, buy it for me. If "
            "it isn't, buy the {other} instead, which its seller is putting back up this morning.",
            "Should the {title} come back on sale by {by} today, please buy it for me. If it does not, please buy the "
            "{other} instead. Its seller is putting that one back up this morning.",
            "if the buyer of the {title} backs out by {by} today, buy it for me. if not get me the {other}, the "
            "seller's putting that back up this morning",
        ),
        short="buying me the {title} if it is on sale again by {by}, or else the {other}",
        title=first["title"],
        by=by,
        other=second["title"],
    )
    key = story.identify()
    story.wait(until=by)
    title = first["title"] if is_back else second["title"]
    story.call("buy_now", member_id=key, listing_id=found(story, title))


@scenario(form="before_it_closes")
def the_last_one_first(story: Story) -> None:
    """The member wants an item that comes back later today, and one that somebody else is about to buy."""
    me = story.me
    later_one = listing_of_others(story, me, FALLS_THROUGH, me["member_id"])
    now_one = listing_of_others(story, me, "status = 'active'")
    by = deadline(story)
    falls_through(story, "purchase-canceled", later_one, ("10:20", "10:55", "11:20"))
    bought_by_another(story, "other-one-bought", me, now_one, 50)
    bought_by_another(story, "bought-by-another", me, later_one, 210)
    with story.together():
        later = story.wish(
            (
                "The buyer of the {title} is backing out by {by} today. Please wait for that and buy it for me.",
                "The {title} will be on sale again by {by} today. Please wait for it and buy it for me.",
                "the {title} should be back on sale by {by} today, pls wait for it and buy it for me",
            ),
            short="waiting until {by} for the {title} to come back on sale and buying it for me",
            title=later_one["title"],
            by=by,
        )
        now = story.wish(
            (
                "I also want the {other} at the asking price. A lot of people seem to be looking at it.",
                "I would also like to buy the {other} at the asking price. Other people seem to be interested in it.",
                "also buy me the {other}, looks like other people want it too",
            ),
            short="buying me the {other} at the asking price",
            other=now_one["title"],
        )
    key = story.identify()
    story.call("buy_now", wish=now, member_id=key, listing_id=found(story, now_one["title"], now))
    story.wait(until=by, wish=later)
    story.call("buy_now", wish=later, member_id=key, listing_id=found(story, later_one["title"], later))


@scenario(form="before_it_closes")
def take_the_offer_first(story: Story) -> None:
    """The member waits for an item, and accepts an offer whose buyer is losing patience."""
    mine = story.pick("listing", HAS_AN_OFFER, story.day(-5), unique_by=["seller_id", "title"], mine=True)
    offer = story.pick("offer", "listing_id = ? AND status = 'pending'", mine["listing_id"])
    me = story.me
    other = listing_of_others(story, me, FALLS_THROUGH, me["member_id"])
    by = deadline(story)
    falls_through(story, "purchase-canceled", other, ("10:15", "10:45", "11:10"))
    story.event(
        "offer-withdrawn",
        when=IS_PENDING,
        values={"offer": offer["offer_id"]},
        minutes=55,
        call="withdraw_offer",
        offer_id=offer["offer_id"],
    )
    bought_by_another(story, "bought-by-another", me, other, 210)
    with story.together():
        later = story.wish(
            (
                "The {title} is going to be back on sale by {by} today. Please wait for it and buy it for me.",
                "The purchase of the {title} is expected to fall through by {by} today. Please wait for that and buy "
                "it for me.",
                "the {title} should be back on sale by {by} today, pls wait for it and buy it for me",
            ),
            short="waiting until {by} for the {title} to come back on sale and buying it for me",
            title=other["title"],
            by=by,
        )
        now = story.wish(
            (
                "And I'll take the {amount} that somebody offered for my {mine}. They won't wait all morning.",
                "I would also like to accept the offer of {amount} for my {mine}. The buyer does not want to wait long.",
                "also accept the {amount} offer on my {mine}, they won't wait long",
            ),
            short="accepting the {amount} offer on my {mine}",
            amount=story.money(offer["amount_cents"]),
            mine=mine["title"],
        )
    key = story.identify()
    listings = story.call("list_member_listings", wish=now, member_id=key)["listings"]
    number = story.find(listings, title=mine["title"])["listing_id"]
    offers = story.call("list_offers_on_listing", wish=now, listing_id=number)["offers"]
    story.call("accept_offer", wish=now, offer_id=story.find(offers, amount_cents=offer["amount_cents"])["offer_id"])
    story.wait(until=by, wish=later)
    story.call("buy_now", wish=later, member_id=key, listing_id=found(story, other["title"], later))
