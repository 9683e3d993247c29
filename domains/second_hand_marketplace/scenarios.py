"""What people want of Second-hand marketplace: every function is a scenario."""

from runtime.story import Story, scenario


@scenario
def sell_another_thing(story: Story) -> None:
    """The seller has a new listing of the category of an earlier one made and put on offer."""
    old = story.pick(
        "listing",
        "member_id IN (SELECT member_id FROM member WHERE state = 'active')",
        unique_by=["member_id", "title"],
        mine=True,
    )
    title = story.choose("title", ["Lucky find", "Attic treasure", "Weekend bargain"])
    condition = story.choose(
        "condition", {"as good as new": "like_new", "in good shape": "good", "in fair shape": "fair"}
    )
    price = story.money(story.choose("price", [1450, 2650, 3900]), currency="EUR")
    text = story.dictate("description", "Rarely used and kept dry, can be seen on weekends.")
    story.wish(
        (
            (
                "I want to sell another thing, in the same category as my {old}. It is {condition} and costs "
                "{price}; the title is {title}. Please put it on offer at once, with this description: {text}"
            ),
            (
                "I would like to offer a further item for sale, in the category that my {old} is in. Its title is"
                " {title}, its price {price}, and it is {condition}. I would be grateful if you could put it on "
                "offer straight away, with this description: {text}"
            ),
            (
                "got something else to sell, same category as my {old}. call it {title}, {price}, it's "
                "{condition}. put it up right away pls, with this description: {text}"
            ),
        ),
        old=old["title"],
        condition=condition,
        price=price,
        title=title,
        text=text,
    )
    me = story.identify()
    earlier = story.find(story.call("list_member_listings", member_id=me)["listings"], title=old["title"])
    made = story.call(
        "create_listing",
        member_id=me,
        title=title,
        description=text,
        category=earlier["category"],
        condition=condition,
        price_cents=price,
    )
    story.call("publish_listing", listing_id=made["listing_id"])


@scenario
def correct_and_renew(story: Story) -> None:
    """The seller corrects the condition of a listing, renews it and asks for its new last day."""
    condition = story.choose("condition", {"only fair": "fair", "good": "good", "as good as new": "like_new"})
    listing = story.pick(
        "listing",
        "state = 'active' AND condition <> ? AND expires_on < ?"
        " AND listing_id NOT IN (SELECT listing_id FROM offer WHERE state IN ('open', 'countered'))",
        condition,
        story.day(30),
        unique_by=["member_id", "title"],
        mine=True,
    )
    story.wish(
        (
            (
                "the condition of my {title} is given wrongly, it is {condition}. correct that please and renew "
                "the listing, then tell me its new last day on offer"
            ),
            (
                "The condition stated for my {title} is incorrect; the item is {condition}. I would be grateful "
                "if you could correct this, renew the listing and then inform me of its new last day on offer."
            ),
            (
                "my {title} has the wrong condition on it - it's {condition}. can you fix that, renew it and say "
                "what the new last day on offer is?"
            ),
        ),
        title=listing["title"],
        condition=condition,
    )
    me = story.identify()
    mine = story.find(story.call("list_member_listings", member_id=me)["listings"], title=listing["title"])
    story.call("edit_listing", listing_id=mine["listing_id"], condition=condition)
    renewed = story.call("renew_listing", listing_id=mine["listing_id"])
    story.answer("new last day on offer", renewed["expires_on"])


@scenario(form="denied")
def change_my_price(story: Story) -> None:
    """The seller wants another asking price, though an offer may be pending."""
    price = story.money(story.choose("price", [1325, 2775, 4425]), currency="EUR")
    listing = story.pick(
        "listing",
        "state = 'active' AND price_cents <> ?"
        " AND (SELECT count(*) FROM offer WHERE offer.listing_id = listing.listing_id AND offer.state IN ('open', 'countered')) <= 1",
        price,
        unique_by=["member_id", "title"],
        mine=True,
    )
    change = story.wish(
        (
            "My {title} should cost {price} from now on, can you set that?",
            (
                "I would like the asking price of my {title} to be {price} from now on. Would you be so kind as "
                "to set that?"
            ),
            "can you set my {title} to {price}? that's the price from now on",
        ),
        title=listing["title"],
        price=price,
    )
    story.insists(
        change,
        story.choose(
            "plea",
            [
                "It is my own thing, so the price is up to me.",
                "Your colleague on the phone said that it is no problem.",
                "It was a typo from the start, please make an exception.",
            ],
        ),
    )
    me = story.identify()
    mine = story.find(story.call("list_member_listings", member_id=me)["listings"], title=listing["title"])
    if story.permits("change_price", listing_id=mine["listing_id"], price_cents=price):
        story.call("change_price", listing_id=mine["listing_id"], price_cents=price)
    else:
        story.decline(change)


@scenario
def delete_my_draft(story: Story) -> None:
    """The seller has a draft deleted and asks for the price that it had."""
    listing = story.pick("listing", "state = 'draft'", unique_by=["member_id", "title"], mine=True)
    story.wish(
        (
            "I'll never finish my draft {title}, please delete it. And which price in cents did it have?",
            (
                "Could you kindly delete my draft {title}, as I shall never complete it? I would also ask you to "
                "tell me the price in cents that it had."
            ),
            "bin my draft {title}, won't ever finish it. what was its price in cents?",
        ),
        title=listing["title"],
    )
    me = story.identify()
    mine = story.find(story.call("list_member_listings", member_id=me)["listings"], title=listing["title"])
    deleted = story.call("delete_draft", listing_id=mine["listing_id"])
    story.answer("price in cents", deleted["price_cents"])


@scenario
def leave_it_to_another_seller(story: Story) -> None:
    """The seller withdraws a listing and asks who sells another thing that is on offer."""
    listing = story.pick("listing", "state = 'active'", unique_by=["member_id", "title"], mine=True)
    other = story.pick(
        "listing",
        "state = 'active' AND expires_on >= ? AND member_id <> ?",
        story.today,
        listing["member_id"],
        unique_by=["title"],
    )
    story.wish(
        (
            (
                "Take my {title} off the market, please. And I saw {other} on offer with you: what is the name of"
                " the seller, and the postage in cents?"
            ),
            (
                "I would ask you to take my {title} off the market. Furthermore, I have noticed {other} among the"
                " things on offer with you; could you inform me of the name of the seller and the postage in "
                "cents for it?"
            ),
            (
                "pls pull my {title}. also spotted {other} on your site, what's the name of the seller there, and"
                " the postage in cents?"
            ),
        ),
        title=listing["title"],
        other=other["title"],
    )
    me = story.identify()
    mine = story.find(story.call("list_member_listings", member_id=me)["listings"], title=listing["title"])
    story.call("withdraw_listings", listing_ids=[mine["listing_id"]])
    found = story.find(story.call("search_listings", keyword=other["title"])["listings"], title=other["title"])
    detail = story.call("get_listing", listing_id=found["listing_id"])
    story.answer("name of the seller", detail["seller_name"], source="member.name")
    story.answer("postage in cents", detail["listing"]["postage_cents"])


@scenario(form="fallback")
def reprice_or_renew(story: Story) -> None:
    """The seller wants another asking price, or else the listing renewed."""
    price = story.money(story.choose("price", [1875, 3125, 5675]), currency="EUR")
    listing = story.pick(
        "listing",
        "state = 'active' AND price_cents <> ? AND expires_on < ?"
        " AND (SELECT count(*) FROM offer WHERE offer.listing_id = listing.listing_id AND offer.state IN ('open', 'countered')) <= 1",
        price,
        story.day(30),
        unique_by=["member_id", "title"],
        mine=True,
    )
    title = listing["title"]
    change = story.wish(
        (
            "Change the asking price of my {title} to {price}, please.",
            "I would be grateful if you could change the asking price of my {title} to {price}.",
            "{price} for my {title}, change the asking price to that pls",
        ),
        title=title,
        price=price,
    )
    renew = story.otherwise(
        change,
        (
            "Then leave the price and renew the listing of {title}, so that it stays on longer.",
            (
                "In that case, please leave the price as it is and renew the listing of {title}, so that it stays"
                " on longer."
            ),
            "ok then leave the price, just renew the listing of {title} so it stays on longer",
        ),
        title=title,
    )
    me = story.identify()
    mine = story.find(story.call("list_member_listings", wish=change, member_id=me)["listings"], title=title)
    if story.permits("change_price", wish=change, listing_id=mine["listing_id"], price_cents=price):
        with story.wrong("takes the second choice although the first is permitted"):
            story.call("renew_listing", wish=renew, listing_id=mine["listing_id"])
        story.call("change_price", wish=change, listing_id=mine["listing_id"], price_cents=price)
    else:
        story.decline(change)
        story.call("renew_listing", wish=renew, listing_id=mine["listing_id"])


@scenario
def buy_it_after_all(story: Story) -> None:
    """The buyer of a cancelled purchase buys the same listing again and asks for the total."""
    purchase = story.pick(
        "purchase",
        "state = 'cancelled'"
        " AND listing_id IN (SELECT listing_id FROM listing JOIN member USING (member_id)"
        " WHERE listing.state = 'active' AND listing.expires_on >= ? AND member.state = 'active')"
        " AND (SELECT count(*) FROM purchase AS r WHERE r.buyer_id = purchase.buyer_id"
        " AND r.state IN ('awaiting_payment', 'paid', 'shipped', 'disputed'))"
        " < (SELECT CASE tier WHEN 'basic' THEN 1 WHEN 'plus' THEN 2 ELSE 3 END FROM member"
        " WHERE member_id = purchase.buyer_id AND member.state = 'active')"
        " AND (SELECT count(*) FROM purchase AS p JOIN listing AS l USING (listing_id) WHERE p.buyer_id = purchase.buyer_id"
        " AND l.title = (SELECT title FROM listing AS k WHERE k.listing_id = purchase.listing_id)) = 1",
        story.today,
        mine=True,
    )
    title = story.row("listing", purchase["listing_id"])["title"]
    side = story.choose("side", {"the buyer": "buyer"})
    address = story.choose(
        "address", ["Rosenweg 12, 20357 Hamburg", "Uferstrasse 8, 50667 Cologne", "Am Markt 3, 28195 Bremen"]
    )
    story.wish(
        (
            (
                "I was {side} of {title}, but that was cancelled. I want it after all, so buy it for me at the "
                "asking price and have it sent to {address}. What is the new total, in cents?"
            ),
            (
                "I was {side} of {title} in a purchase that was cancelled, and I should now like to have it after"
                " all. Would you please purchase it for me at the asking price, with delivery to {address}, and "
                "inform me of the new total in cents?"
            ),
            (
                "that cancelled purchase of {title} where i was {side}: i do want it now. buy it for me, asking "
                "price, and get it sent to {address}. new total in cents?"
            ),
        ),
        side=side,
        title=title,
        address=address,
    )
    me = story.identify()
    entries = story.call("list_member_purchases", member_id=me, side=side)["purchases"]
    old = story.call("get_purchase", purchase_id=story.find(entries, listing_title=title)["purchase_id"])
    bought = story.call("buy_listing", member_id=me, listing_id=old["listing_id"], address=address)
    story.answer("new total in cents", bought["total_cents"])


@scenario
def arrived_and_rated(story: Story) -> None:
    """The buyer says that a parcel arrived and rates the purchase."""
    purchase = story.pick(
        "purchase",
        "state = 'shipped'"
        " AND (SELECT count(*) FROM purchase AS p JOIN listing AS l USING (listing_id) WHERE p.buyer_id = purchase.buyer_id"
        " AND l.title = (SELECT title FROM listing AS k WHERE k.listing_id = purchase.listing_id)) = 1",
        mine=True,
    )
    title = story.row("listing", purchase["listing_id"])["title"]
    side = story.choose("side", {"the buyer": "buyer"})
    stars = story.choose("stars", [3, 4, 5])
    story.wish(
        (
            (
                "I am {side} of {title}, and it is here, all fine. Confirm that it arrived and rate it with "
                "{stars} stars, no review."
            ),
            (
                "As {side} of {title}, I can report that it has reached me and that all is in order. I would be "
                "grateful if you could confirm its arrival and enter a rating of {stars} stars without a review."
            ),
            "{title} is here and all's fine, i'm {side}. mark it as arrived, {stars} stars from me, no review",
        ),
        title=title,
        side=side,
        stars=stars,
    )
    entries = story.call("list_member_purchases", member_id=story.identify(), side=side)["purchases"]
    mine = story.find(entries, listing_title=title)
    story.call("confirm_receipts", purchase_ids=[mine["purchase_id"]])
    story.call("rate_purchase", purchase_id=mine["purchase_id"], rating=stars)


@scenario
def parcel_is_on_its_way(story: Story) -> None:
    """The seller says with whom and under which code a paid thing was sent, and asks where it goes."""
    listing = story.pick(
        "listing",
        "state = 'sold' AND (SELECT count(*) FROM purchase AS p WHERE p.listing_id = listing.listing_id) = 1"
        " AND listing_id IN (SELECT listing_id FROM purchase AS s WHERE s.state = 'paid')",
        unique_by=["member_id", "title"],
        mine=True,
    )
    side = story.choose("side", {"the seller": "seller"})
    carrier = story.choose("carrier", ["DHL", "GLS", "Hermes"])
    code = story.choose("code", ["GH7730912245", "PX1180457729", "TR5529016638"])
    story.wish(
        (
            (
                "i am {side} of {title}, it went off this morning with {carrier}, tracking code {code}. please "
                "note that it was shipped, and tell me the address it goes to"
            ),
            (
                "As {side} of {title}, I wish to report that it was sent this morning with {carrier} under the "
                "tracking code {code}. Would you kindly record that it has been shipped and inform me of the "
                "address it goes to?"
            ),
            (
                "sent {title} off this morning, i'm {side}. it's with {carrier}, tracking code {code}, so put it "
                "down as shipped. and what's the address it goes to?"
            ),
        ),
        title=listing["title"],
        side=side,
        carrier=carrier,
        code=code,
    )
    entries = story.call("list_member_purchases", member_id=story.identify(), side=side)["purchases"]
    sold = story.find(entries, listing_title=listing["title"])
    shipped = story.call("ship_purchase", purchase_id=sold["purchase_id"], carrier=carrier, tracking_code=code)
    story.answer("address it goes to", shipped["address"], source="purchase.address")


@scenario
def rate_by_carrier(story: Story) -> None:
    """The buyer rates by the carrier, but is wrong about which one brought the parcel."""
    favourite = story.choose("favourite", ["DHL", "GLS", "UPS"])
    purchase = story.pick(
        "purchase",
        "state = 'completed' AND rating IS NULL AND carrier <> ?"
        " AND (SELECT count(*) FROM purchase AS p JOIN listing AS l USING (listing_id) WHERE p.buyer_id = purchase.buyer_id"
        " AND l.title = (SELECT title FROM listing AS k WHERE k.listing_id = purchase.listing_id)) = 1",
        favourite,
        mine=True,
    )
    title = story.row("listing", purchase["listing_id"])["title"]
    side = story.choose("side", {"the buyer": "buyer"})
    high = story.choose("high", [5])
    low = story.choose("low", [2, 3])
    story.wish(
        (
            (
                "I am {side} of {title}, which was brought by {favourite}. Whatever {favourite} brings gets "
                "{high} stars from me, and what any other carrier brings gets {low} stars. Please rate it "
                "accordingly, without a review."
            ),
            (
                "As {side} of {title}, I received it by way of {favourite}. It is my rule to award {high} stars "
                "to whatever {favourite} delivers and {low} stars to whatever any other carrier delivers. I would"
                " be grateful if you could rate it on that basis and leave no review."
            ),
            (
                "{favourite} brought {title}, i'm {side}. my rule: {high} stars if {favourite} brings it, {low} "
                "stars if it's any other carrier. rate it like that, no review"
            ),
        ),
        title=title,
        side=side,
        favourite=favourite,
        high=high,
        low=low,
    )
    story.believes("carrier", favourite, purchase["carrier"])
    entries = story.call("list_member_purchases", member_id=story.identify(), side=side)["purchases"]
    mine = story.find(entries, listing_title=title)
    story.call("get_purchase", purchase_id=mine["purchase_id"])
    with story.wrong("trusts the user"):
        story.call("rate_purchase", purchase_id=mine["purchase_id"], rating=high)
    story.call("rate_purchase", purchase_id=mine["purchase_id"], rating=low)


@scenario
def pay_if_it_is_cheap(story: Story) -> None:
    """The buyer pays up to an amount and is wrong about the price of a purchase."""
    limit = story.money(story.choose("limit", [20000, 25000]), currency="EUR")
    wrong = story.money(story.choose("wrong price", [28940, 31270]), currency="EUR")
    purchase = story.pick(
        "purchase",
        "state = 'awaiting_payment' AND price_cents <= ?"
        " AND (SELECT coalesce(sum(amount_cents), 0) FROM movement AS m WHERE m.member_id = purchase.buyer_id)"
        " >= price_cents + postage_cents + protection_cents"
        " AND (SELECT count(*) FROM purchase AS p JOIN listing AS l USING (listing_id) WHERE p.buyer_id = purchase.buyer_id"
        " AND l.title = (SELECT title FROM listing AS k WHERE k.listing_id = purchase.listing_id)) = 1",
        limit,
        mine=True,
    )
    title = story.row("listing", purchase["listing_id"])["title"]
    side = story.choose("side", {"bought": "buyer"})
    who = story.choose("who", {"as the buyer": "buyer"})
    story.wish(
        (
            (
                "I {side} {title} and still have to pay it, its price is {wrong} without postage. If that price "
                "is {limit} or less, pay it all from my balance; if it is more than that, cancel it for me {who}."
            ),
            (
                "I {side} {title} at a price of {wrong} without postage and have not paid for it yet. Should that"
                " price be {limit} or less, I would ask you to pay the whole of it from my balance; should it be "
                "higher, kindly cancel the purchase on my behalf {who}."
            ),
            (
                "i {side} {title}, price {wrong} without postage, still unpaid. pay all of it from my balance if "
                "that price is {limit} or less. more than that? cancel it for me {who}"
            ),
        ),
        side=side,
        title=title,
        wrong=wrong,
        limit=limit,
        who=who,
    )
    story.believes("price", wrong, purchase["price_cents"])
    entries = story.call("list_member_purchases", member_id=story.identify(), side=side)["purchases"]
    mine = story.find(entries, listing_title=title)
    story.call("get_purchase", purchase_id=mine["purchase_id"])
    with story.wrong("trusts the user"):
        story.call("cancel_purchase", purchase_id=mine["purchase_id"], cancelled_by=who)
    story.call("pay_purchase", purchase_id=mine["purchase_id"])


@scenario
def cancel_or_redirect_by_postage(story: Story) -> None:
    """The buyer wants a purchase sent elsewhere if its postage is low, and otherwise cancelled."""
    purchase = story.pick(
        "purchase",
        "state = 'awaiting_payment'"
        " AND (SELECT count(*) FROM purchase AS p JOIN listing AS l USING (listing_id) WHERE p.buyer_id = purchase.buyer_id"
        " AND l.title = (SELECT title FROM listing AS k WHERE k.listing_id = purchase.listing_id)) = 1",
        mine=True,
    )
    title = story.row("listing", purchase["listing_id"])["title"]
    side = story.choose("side", {"the buyer": "buyer"})
    limit = story.money(story.choose("limit", [450, 600]), currency="EUR")
    address = story.choose("address", ["Gartenstrasse 21, 80331 Munich", "Schulstrasse 5, 60311 Frankfurt"])
    story.wish(
        (
            (
                "I am {side} of {title} and about to move. If its postage is {limit} or less, change its address "
                "to {address}. If the postage is more than that, cancel it for me."
            ),
            (
                "As {side} of {title}, I shall be moving shortly. I would be grateful if you could change its "
                "address to {address}, provided that its postage is {limit} or less; if the postage exceeds that,"
                " please cancel the purchase for me."
            ),
            (
                "moving soon, and i'm {side} of {title}. postage {limit} or less: change its address to "
                "{address}. postage more than that: cancel it for me"
            ),
        ),
        title=title,
        side=side,
        limit=limit,
        address=address,
    )
    entries = story.call("list_member_purchases", member_id=story.identify(), side=side)["purchases"]
    mine = story.call("get_purchase", purchase_id=story.find(entries, listing_title=title)["purchase_id"])
    if mine["postage_cents"] <= limit:
        with story.wrong("takes the other branch"):
            story.call("cancel_purchase", purchase_id=mine["purchase_id"], cancelled_by=side)
        story.call("change_address", purchase_id=mine["purchase_id"], address=address)
    else:
        with story.wrong("takes the other branch"):
            story.call("change_address", purchase_id=mine["purchase_id"], address=address)
        story.call("cancel_purchase", purchase_id=mine["purchase_id"], cancelled_by=side)


@scenario
def stars_by_postage(story: Story) -> None:
    """The buyer rates a completed purchase by its postage."""
    purchase = story.pick(
        "purchase",
        "state = 'completed' AND rating IS NULL"
        " AND (SELECT count(*) FROM purchase AS p JOIN listing AS l USING (listing_id) WHERE p.buyer_id = purchase.buyer_id"
        " AND l.title = (SELECT title FROM listing AS k WHERE k.listing_id = purchase.listing_id)) = 1",
        mine=True,
    )
    title = story.row("listing", purchase["listing_id"])["title"]
    side = story.choose("side", {"the buyer": "buyer"})
    limit = story.money(story.choose("limit", [450, 600]), currency="EUR")
    high = story.choose("high", [5])
    low = story.choose("low", [3, 4])
    story.wish(
        (
            (
                "Time to rate {title}, of which I am {side}. If its postage was {limit} or less, give it {high} "
                "stars, and if it was more than that, {low} stars. No review, please."
            ),
            (
                "I wish to rate {title}, of which I am {side}. Please award it {high} stars if its postage was "
                "{limit} or less, and {low} stars if the postage was higher; no review is to be added."
            ),
            (
                "i'm {side} of {title} and wanna rate it: {high} stars if postage was {limit} or less, {low} "
                "stars if it was more. no review pls"
            ),
        ),
        title=title,
        side=side,
        limit=limit,
        high=high,
        low=low,
    )
    entries = story.call("list_member_purchases", member_id=story.identify(), side=side)["purchases"]
    mine = story.call("get_purchase", purchase_id=story.find(entries, listing_title=title)["purchase_id"])
    right, other = (high, low) if mine["postage_cents"] <= limit else (low, high)
    with story.wrong("takes the other branch"):
        story.call("rate_purchase", purchase_id=mine["purchase_id"], rating=other)
    story.call("rate_purchase", purchase_id=mine["purchase_id"], rating=right)


@scenario(form="withheld")
def send_it_to_another_address(story: Story) -> None:
    """The buyer wants a purchase sent elsewhere and tells the address when asked."""
    purchase = story.pick(
        "purchase",
        "(state = 'awaiting_payment' OR state = 'paid' AND date(paid_at) >= ?)"
        " AND NOT EXISTS (SELECT 1 FROM purchase AS own JOIN listing AS k ON k.listing_id = own.listing_id"
        " WHERE own.buyer_id = purchase.buyer_id AND own.purchase_id <> purchase.purchase_id"
        " AND k.title = (SELECT l.title FROM listing AS l WHERE l.listing_id = purchase.listing_id))",
        story.day(-2),
        mine=True,
    )
    listing = story.row("listing", purchase["listing_id"])
    side = story.choose("side", {"as the buyer": "buyer"})
    story.wish(
        (
            "The {title} that I got {side} has to go to a new address; could you change that?",
            (
                "I got the {title} {side}, and it has to be sent to a new address. Would it be possible for you "
                "to change that?"
            ),
            "can you change where the {title} goes? got it {side}, needs to go to a new address",
        ),
        title=listing["title"],
        side=side,
    )
    address = story.choose(
        "new address",
        [
            "Birkenallee 9, 30159 Neustadt",
            "Mühlgasse 27, 20419 Oberburg",
            "Rosenstieg 4, 50667 Westheim",
            "Kirchplatz 61, 80331 Talheim",
            "Seeblick 15, 10115 Lindow",
        ],
    )
    story.keep_back("new address", address)
    me = story.identify()
    purchases = story.call("list_member_purchases", member_id=me, side=side)["purchases"]
    mine = story.find(purchases, listing_title=listing["title"])
    story.call("change_address", purchase_id=mine["purchase_id"], address=address)


@scenario(form="withheld")
def leave_stars_for_a_purchase(story: Story) -> None:
    """The buyer wants to rate a purchase and tells the number of stars when asked."""
    purchase = story.pick(
        "purchase",
        "state = 'completed' AND rating IS NULL"
        " AND NOT EXISTS (SELECT 1 FROM purchase AS own JOIN listing AS k ON k.listing_id = own.listing_id"
        " WHERE own.buyer_id = purchase.buyer_id AND own.purchase_id <> purchase.purchase_id"
        " AND k.title = (SELECT l.title FROM listing AS l WHERE l.listing_id = purchase.listing_id))",
        mine=True,
    )
    listing = story.row("listing", purchase["listing_id"])
    side = story.choose("side", {"as the buyer": "buyer"})
    story.wish(
        (
            ("I'd like to leave a rating for the {title} that I got {side}. Just the stars, I won't write anything."),
            (
                "I got the {title} {side} and would like to leave a rating for it. It shall consist of the stars "
                "only; I will not write anything."
            ),
            "wanna rate the {title} i got {side}, only the stars, not writing anything",
        ),
        title=listing["title"],
        side=side,
    )
    stars = story.choose("number of stars", [1, 2, 3, 4, 5])
    story.keep_back("number of stars", stars)
    me = story.identify()
    purchases = story.call("list_member_purchases", member_id=me, side=side)["purchases"]
    mine = story.find(purchases, listing_title=listing["title"])
    story.call("rate_purchase", purchase_id=mine["purchase_id"], rating=stars)


@scenario
def open_dispute_for_the_whole_total(story: Story) -> None:
    """The buyer opens a dispute about a damaged thing and claims back the whole total."""
    purchase = story.pick(
        "purchase",
        "state = 'shipped' AND (SELECT count(*) FROM purchase AS own JOIN listing AS l ON l.listing_id = own.listing_id"
        " WHERE own.buyer_id = purchase.buyer_id AND l.title ="
        " (SELECT title FROM listing WHERE listing.listing_id = purchase.listing_id)) = 1",
        mine=True,
    )
    listing = story.row("listing", purchase["listing_id"])
    side = story.choose("side", {"as the buyer": "buyer"})
    reason = story.choose("reason", {"arrived damaged": "damaged"})
    statement = story.dictate("statement", "One side is cracked and the parcel was torn")
    story.wish(
        (
            (
                "{title}, a purchase that I made {side}, {reason}. Please open a dispute in which I claim back "
                "the whole total of the purchase, with my statement: {statement}"
            ),
            (
                "I regret to say that {title}, which I purchased {side}, {reason}. I would be grateful if you "
                "could open a dispute claiming back the whole total of the purchase, with my statement: "
                "{statement}"
            ),
            (
                "so {title} {reason}, i made that purchase {side}. open a dispute, i'm claiming the whole total "
                "of it back, with my statement: {statement}"
            ),
        ),
        title=listing["title"],
        side=side,
        reason=reason,
        statement=statement,
    )
    me = story.identify()
    purchases = story.call("list_member_purchases", member_id=me, side=side)["purchases"]
    mine = story.find(purchases, listing_title=listing["title"])
    story.call(
        "open_dispute",
        purchase_id=mine["purchase_id"],
        reason=reason,
        claim_cents=mine["total_cents"],
        statement=statement,
    )


@scenario
def admit_fault_in_a_dispute(story: Story) -> None:
    """The seller answers an open dispute, has it decided with a full refund and asks for the refund."""
    listing = story.pick(
        "listing",
        "EXISTS (SELECT 1 FROM dispute JOIN purchase ON purchase.purchase_id = dispute.purchase_id"
        " WHERE purchase.listing_id = listing.listing_id AND dispute.state = 'open')"
        " AND (SELECT count(*) FROM dispute JOIN purchase ON purchase.purchase_id = dispute.purchase_id"
        " JOIN listing AS l ON l.listing_id = purchase.listing_id"
        " WHERE dispute.state = 'open' AND l.title = listing.title) = 1",
        mine=True,
    )
    state = story.choose("state", {"still open": "open"})
    outcome = story.choose("outcome", {"a full refund": "full_refund"})
    answer = story.dictate("answer", "I am sorry and will take the blame for this")
    story.wish(
        (
            (
                "The dispute about my {title} is {state}. Once my answer is noted, please decide it with "
                "{outcome} for the buyer, and tell me the refund in cents. As my answer, note: {answer}"
            ),
            (
                "I am writing about the dispute over my {title}, which is {state}. Kindly note my answer first, "
                "then decide the dispute with {outcome} for the buyer, and inform me of the refund in cents. As "
                "my answer, note: {answer}"
            ),
            (
                "that dispute on my {title}, the one that's {state}: put my answer in, then decide it with "
                "{outcome} for the buyer. how much is the refund in cents? As my answer, note: {answer}"
            ),
        ),
        title=listing["title"],
        state=state,
        outcome=outcome,
        answer=answer,
    )
    me = story.identify()
    disputes = story.call("list_member_disputes", member_id=me, state=state)["disputes"]
    mine = story.find(disputes, listing_title=listing["title"])
    story.call("answer_dispute", dispute_id=mine["dispute_id"], answer=answer)
    resolution = story.call("resolve_dispute", dispute_id=mine["dispute_id"], outcome=outcome)
    story.answer("refund in cents", resolution["dispute"]["refund_cents"])


@scenario
def take_back_my_dispute(story: Story) -> None:
    """The buyer takes back a dispute that is under way."""
    dispute = story.pick(
        "dispute",
        "state IN ('open', 'answered') AND (SELECT count(*) FROM dispute AS twin"
        " JOIN purchase AS p ON p.purchase_id = twin.purchase_id JOIN listing AS l ON l.listing_id = p.listing_id"
        " WHERE twin.claim_cents = dispute.claim_cents AND l.title ="
        " (SELECT listing.title FROM purchase JOIN listing ON listing.listing_id = purchase.listing_id"
        " WHERE purchase.purchase_id = dispute.purchase_id)) = 1",
        mine=True,
    )
    purchase = story.row("purchase", dispute["purchase_id"])
    listing = story.row("listing", purchase["listing_id"])
    claim = story.money(dispute["claim_cents"])
    story.wish(
        (
            ("The seller of {title} and I have made up, so please withdraw the dispute in which I claim {claim}."),
            (
                "As I have come to terms with the seller of {title}, I would ask you to withdraw the dispute in "
                "which my claim is {claim}."
            ),
            "all good again with the seller of {title}, so drop the dispute where i claim {claim}",
        ),
        title=listing["title"],
        claim=claim,
    )
    me = story.identify()
    disputes = story.call("list_member_disputes", member_id=me)["disputes"]
    mine = story.find(disputes, listing_title=listing["title"], claim_cents=claim)
    story.call("withdraw_dispute", dispute_id=mine["dispute_id"])


@scenario
def pay_out_some_money(story: Story) -> None:
    """The member has money paid out and asks for the balance and the number of withdrawals."""
    story.pick(
        "movement",
        "(SELECT sum(own.amount_cents) FROM movement AS own WHERE own.member_id = movement.member_id) >= 1500"
        " AND (SELECT count(*) FROM movement AS own WHERE own.member_id = movement.member_id) <= 15"
        " AND member_id NOT IN (SELECT member_id FROM member WHERE state = 'closed')"
        " AND NOT EXISTS (SELECT 1 FROM purchase WHERE purchase.state = 'disputed'"
        " AND movement.member_id IN (purchase.buyer_id, purchase.seller_id))",
        mine=True,
    )
    amount = story.money(story.choose("amount", [600, 850, 1200, 1500]))
    story.wish(
        (
            (
                "Could you pay out {amount} from my balance to my bank? After that I'd like to know the balance "
                "in cents and the number of withdrawals I've made here in all, this one included."
            ),
            (
                "I would be grateful if you could pay out {amount} from my balance to my bank. Please then state "
                "the balance in cents as well as the number of withdrawals that I have made here altogether, "
                "including this one."
            ),
            (
                "send {amount} from my balance to my bank pls. what's the balance in cents after that, and the "
                "number of withdrawals i've made here in total, counting this one?"
            ),
        ),
        amount=amount,
    )
    me = story.identify()
    booking = story.call("withdraw_money", member_id=me, amount_cents=amount)
    movements = story.call("list_movements", member_id=me)["movements"]
    story.answer("balance in cents", booking["balance_cents"])
    story.answer("number of withdrawals", story.count([each for each in movements if each["kind"] == "withdrawal"]))


@scenario
def repeat_my_latest_top_up(story: Story) -> None:
    """The member tops up again by the amount of their latest top-up."""
    story.pick(
        "movement",
        "kind = 'top_up' AND member_id IN (SELECT member_id FROM member WHERE state = 'active')"
        " AND (SELECT count(*) FROM movement AS own WHERE own.member_id = movement.member_id) <= 20"
        " AND NOT EXISTS (SELECT 1 FROM movement AS own WHERE own.member_id = movement.member_id"
        " AND own.kind = 'top_up' AND own.movement_id <> movement.movement_id"
        " AND julianday(own.created_at) > julianday(movement.created_at) - 0.011)"
        " AND EXISTS (SELECT 1 FROM movement AS own WHERE own.member_id = movement.member_id"
        " AND own.kind = 'top_up' AND own.amount_cents <> movement.amount_cents)"
        " AND EXISTS (SELECT 1 FROM movement AS own WHERE own.member_id = movement.member_id"
        " AND own.kind <> 'top_up' AND own.created_at > movement.created_at)",
        mine=True,
    )
    story.wish(
        (
            (
                "Please top up my balance once more, by the same amount as in my latest top-up. What is my "
                "balance in cents then?"
            ),
            (
                "I would ask you to top up my balance again, the amount being that of my latest top-up, and to "
                "let me know the balance in cents which results."
            ),
            ("same again as my latest top-up: top up my balance by that amount. what's my balance in cents after?"),
        )
    )
    me = story.identify()
    movements = story.call("list_movements", member_id=me)["movements"]
    tops = [each for each in movements if each["kind"] == "top_up"]
    last = story.highest(tops, "created_at")
    for other in [each for each in tops if each["amount_cents"] != last["amount_cents"]][:1]:
        with story.wrong("takes the first that fits"):
            wrong = story.call("top_up", member_id=me, amount_cents=other["amount_cents"])
            story.answer("balance in cents", wrong["balance_cents"])
    booking = story.call("top_up", member_id=me, amount_cents=last["amount_cents"])
    story.answer("balance in cents", booking["balance_cents"])


@scenario
def charge_fee_on_my_first_payment(story: Story) -> None:
    """The member has a fee charged on the purchase for which they made their earliest payment."""
    story.pick(
        "movement",
        "kind = 'payment' AND (SELECT sum(own.amount_cents) FROM movement AS own WHERE own.member_id = movement.member_id) >= 200"
        " AND purchase_id IN (SELECT purchase_id FROM purchase WHERE state <> 'paid')"
        " AND member_id NOT IN (SELECT member_id FROM member WHERE state = 'closed')"
        " AND (SELECT count(*) FROM movement AS own WHERE own.member_id = movement.member_id) <= 20"
        " AND NOT EXISTS (SELECT 1 FROM movement AS own WHERE own.member_id = movement.member_id"
        " AND own.kind = 'payment' AND own.movement_id <> movement.movement_id"
        " AND julianday(own.created_at) < julianday(movement.created_at) + 0.011)"
        " AND EXISTS (SELECT 1 FROM movement AS own WHERE own.member_id = movement.member_id"
        " AND own.kind = 'payment' AND own.purchase_id <> movement.purchase_id)"
        " AND EXISTS (SELECT 1 FROM movement AS own WHERE own.member_id = movement.member_id"
        " AND own.kind <> 'payment' AND own.created_at < movement.created_at)",
        mine=True,
    )
    amount = story.money(story.choose("amount", [60, 90, 120, 150]))
    reason = story.choose("reason", ["extra insurance", "printed label", "gift wrapping"])
    story.wish(
        (
            (
                "I still owe you {amount}. Please charge it as a fee with the reason {reason}, on the purchase "
                "for which I made the earliest of all my payments."
            ),
            (
                "There remains a sum of {amount} that I owe you. I would be grateful if you could charge it as a "
                "fee on the purchase to which the earliest of all my payments belongs, stating {reason} as the "
                "reason."
            ),
            (
                "you still get {amount} from me. charge it as a fee, reason {reason}, and put it on whichever "
                "purchase i made my very first payment for"
            ),
        ),
        amount=amount,
        reason=reason,
    )
    me = story.identify()
    movements = story.call("list_movements", member_id=me)["movements"]
    payments = [each for each in movements if each["kind"] == "payment"]
    first = story.lowest(payments, "created_at")
    for other in [each for each in payments if each["purchase_id"] != first["purchase_id"]][:1]:
        with story.wrong("takes the first that fits"):
            story.call(
                "charge_fee",
                member_id=me,
                amount_cents=amount,
                reason=reason,
                purchase_id=other["purchase_id"],
            )
    story.call("charge_fee", member_id=me, amount_cents=amount, reason=reason, purchase_id=first["purchase_id"])


@scenario
def credit_all_purchases_but_one(story: Story) -> None:
    """The member has goodwill credited on every thing they bought, except one."""
    purchase = story.pick(
        "purchase",
        "(SELECT count(*) FROM purchase AS own WHERE own.buyer_id = purchase.buyer_id) BETWEEN 3 AND 6"
        " AND buyer_id NOT IN (SELECT member_id FROM member WHERE state = 'closed')"
        " AND (SELECT count(*) FROM purchase AS own JOIN listing AS l ON l.listing_id = own.listing_id"
        " WHERE own.buyer_id = purchase.buyer_id AND l.title ="
        " (SELECT title FROM listing WHERE listing.listing_id = purchase.listing_id)) = 1",
        mine=True,
    )
    listing = story.row("listing", purchase["listing_id"])
    side = story.choose("side", {"as the buyer": "buyer"})
    amount = story.money(story.choose("amount", [100, 150, 250, 300]))
    reason = story.choose("reason", ["slow support", "late parcels", "app was down"])
    story.wish(
        (
            (
                "Your colleague promised me goodwill: please credit me {amount} on each purchase that I ever made"
                " here {side}, except the one of {title}. The reason to note is {reason}."
            ),
            (
                "I was promised goodwill by your colleague. With the exception of the purchase of {title}, I "
                "would be grateful if you could credit me {amount} on each purchase that I have ever made here "
                "{side}, and note {reason} as the reason."
            ),
            (
                "your colleague promised me goodwill: {amount} credited to me on every purchase i ever made here "
                "{side}, all but the one of {title}. put down {reason} as the reason"
            ),
        ),
        amount=amount,
        side=side,
        title=listing["title"],
        reason=reason,
    )
    me = story.identify()
    purchases = story.call("list_member_purchases", member_id=me, side=side)["purchases"]
    with story.wrong("forgets the exception"):
        for each in purchases:
            story.call(
                "give_credit",
                member_id=me,
                amount_cents=amount,
                reason=reason,
                purchase_id=each["purchase_id"],
            )
    for each in story.all_but(purchases, listing_title=listing["title"]):
        story.call(
            "give_credit",
            member_id=me,
            amount_cents=amount,
            reason=reason,
            purchase_id=each["purchase_id"],
        )


@scenario
def sum_of_movements_but_payments(story: Story) -> None:
    """The member asks for the sum of all their movements except the payments."""
    story.pick(
        "movement",
        "kind = 'payment' AND (SELECT count(*) FROM movement AS own"
        " WHERE own.member_id = movement.member_id) BETWEEN 3 AND 6"
        " AND (SELECT count(*) FROM movement AS own"
        " WHERE own.member_id = movement.member_id AND own.kind <> 'payment') >= 2",
        mine=True,
    )
    kind = story.choose("kind", {"payments": "payment"})
    story.wish(
        (
            (
                "For my bookkeeping I need the sum in cents of all the movements on my account, with money taken "
                "counted as minus, except the {kind}."
            ),
            (
                "Would you kindly inform me, for my bookkeeping, of the sum in cents of all the movements on my "
                "account? The {kind} should be left out, and money taken should be counted as minus."
            ),
            (
                "doing my bookkeeping: leave out the {kind}, take all the other movements on my account, money "
                "taken is minus. what's the sum in cents?"
            ),
        ),
        kind=kind,
    )
    me = story.identify()
    movements = story.call("list_movements", member_id=me)["movements"]
    with story.wrong("forgets the exception"):
        story.answer("sum in cents", story.total(movements, "amount_cents"))
    story.answer("sum in cents", story.total(story.all_but(movements, kind=kind), "amount_cents"))


@scenario
def top_up_for_two_purchases(story: Story) -> None:
    """The member tops up by what two purchases will cost together."""
    story.pick(
        "movement",
        "member_id IN (SELECT member_id FROM member WHERE state = 'active')",
        mine=True,
    )
    price = story.money(story.choose("first price", [1900, 2450, 3200, 4150]))
    postage = story.money(story.choose("first postage", [389, 499, 699]))
    other_price = story.money(story.choose("second price", [1250, 2700, 3650, 5100]))
    other_postage = story.money(story.choose("second postage", [459, 599, 1099]))
    story.wish(
        (
            (
                "I'm about to buy two things, one for {price} plus {postage} postage and another for "
                "{other_price} plus {other_postage} postage. Please top up my balance by what both will cost me "
                "together, protection included, and tell me that amount in cents."
            ),
            (
                "I intend to buy two things shortly: the first costs {price} with {postage} postage in addition, "
                "the second {other_price} with {other_postage} postage in addition. I would be grateful if you "
                "could top up my balance by what I shall pay for both together, including protection, and inform "
                "me of that amount in cents."
            ),
            (
                "gonna buy two things, {price} plus {postage} postage and {other_price} plus {other_postage} "
                "postage. work out what they'll cost me together, with protection, and top up my balance by that."
                " what's the amount in cents?"
            ),
        ),
        price=price,
        postage=postage,
        other_price=other_price,
        other_postage=other_postage,
    )
    me = story.identify()
    first = story.call("quote_price", price_cents=price, postage_cents=postage)
    second = story.call("quote_price", price_cents=other_price, postage_cents=other_postage)
    with story.wrong("forgets the second thing"):
        story.call("top_up", member_id=me, amount_cents=first["total_cents"])
        story.answer("amount in cents", first["total_cents"])
    amount = story.total([first, second], "total_cents")
    story.call("top_up", member_id=me, amount_cents=amount)
    story.answer("amount in cents", amount)


@scenario
def credit_the_protection_of_two_purchases(story: Story) -> None:
    """The buyer has the protection of two purchases credited and asks for the sum."""
    one = story.pick(
        "purchase",
        "(SELECT count(*) FROM purchase AS own WHERE own.buyer_id = purchase.buyer_id) >= 2"
        " AND (SELECT count(*) - count(DISTINCT l.title) FROM purchase AS p JOIN listing AS l USING (listing_id)"
        " WHERE p.buyer_id = purchase.buyer_id) = 0"
        " AND buyer_id NOT IN (SELECT member_id FROM member WHERE state = 'closed')",
        mine=True,
    )
    two = story.pick("purchase", "purchase_id <> ?", one["purchase_id"], mine=True)
    first = story.row("listing", one["listing_id"])["title"]
    second = story.row("listing", two["listing_id"])["title"]
    side = story.choose("side", {"as the buyer": "buyer"})
    reason = story.choose("reason", ["protection given back", "promised by phone"])
    story.wish(
        (
            (
                "I was promised the protection that I was charged {side} for {first} and for {second} back as "
                "goodwill. Please give me one credit over the sum of both, with the reason {reason}, and tell me "
                "the sum in cents."
            ),
            (
                "It was promised to me that the protection charged to me {side} for {first} and for {second} "
                "would be returned as goodwill. Would you please enter a single credit over the sum of both, "
                "stating {reason} as the reason, and inform me of the sum in cents?"
            ),
            (
                "{first} and {second}: i paid protection on both {side} and was promised it back as goodwill. "
                "make it one credit over both together, reason {reason}. what's the sum in cents?"
            ),
        ),
        side=side,
        first=first,
        second=second,
        reason=reason,
    )
    me = story.identify()
    entries = story.call("list_member_purchases", member_id=me, side=side)["purchases"]
    details = [
        story.call("get_purchase", purchase_id=story.find(entries, listing_title=first)["purchase_id"]),
        story.call("get_purchase", purchase_id=story.find(entries, listing_title=second)["purchase_id"]),
    ]
    with story.wrong("forgets the second purchase"):
        part = story.total(details[:1], "protection_cents")
        story.call("give_credit", member_id=me, amount_cents=part, reason=reason)
        story.answer("sum in cents", part)
    amount = story.total(details, "protection_cents")
    story.call("give_credit", member_id=me, amount_cents=amount, reason=reason)
    story.answer("sum in cents", amount)


@scenario(form="mistaken")
def credit_by_the_claim(story: Story) -> None:
    """The buyer was promised a credit that depends on the claim of a dispute, and is wrong about the claim."""
    limit = story.money(story.choose("limit", [7500, 9500]), currency="EUR")
    dispute = story.pick(
        "dispute",
        "claim_cents <= ? AND (SELECT count(*) FROM dispute AS twin JOIN purchase AS p ON p.purchase_id = twin.purchase_id"
        " JOIN listing AS l ON l.listing_id = p.listing_id WHERE l.title ="
        " (SELECT listing.title FROM purchase JOIN listing ON listing.listing_id = purchase.listing_id"
        " WHERE purchase.purchase_id = dispute.purchase_id)) = 1"
        " AND (SELECT member.state FROM purchase JOIN member ON member.member_id = purchase.buyer_id"
        " WHERE purchase.purchase_id = dispute.purchase_id) <> 'closed'",
        limit,
        mine=True,
    )
    title = story.row("listing", story.row("purchase", dispute["purchase_id"])["listing_id"])["title"]
    wrong = story.money(story.choose("wrong claim", [11200, 12950, 14400]), currency="EUR")
    high = story.money(story.choose("high", [900, 1100]), currency="EUR")
    low = story.money(story.choose("low", [300, 450]), currency="EUR")
    reason = story.choose("reason", ["Late answer", "Long wait"])
    story.wish(
        (
            (
                "I was promised a credit for my dispute about {title}: {high} if the claim is more than {limit}, "
                "and {low} if it is {limit} or less. My claim was {wrong}. So please give me the credit, for the "
                "purchase in question, with the reason {reason}."
            ),
            (
                "With regard to my dispute about {title}, I was promised a credit of {high} if the claim is more "
                "than {limit}, and of {low} if it is {limit} or less. The claim that I made was {wrong}. I would "
                "therefore ask you to give me the credit, for the purchase in question, with the reason {reason}."
            ),
            (
                "so you lot promised me a credit for my dispute about {title}. claim more than {limit} means "
                "{high}, {limit} or less means {low}. my claim was {wrong}, so give me the credit, for the "
                "purchase in question, reason {reason}"
            ),
        ),
        title=title,
        high=high,
        limit=limit,
        low=low,
        wrong=wrong,
        reason=reason,
    )
    story.believes("claim", wrong, dispute["claim_cents"])
    me = story.identify()
    mine = story.find(story.call("list_member_disputes", member_id=me)["disputes"], listing_title=title)
    with story.wrong("trusts the user"):
        story.call("give_credit", member_id=me, amount_cents=high, reason=reason, purchase_id=mine["purchase_id"])
    story.call("give_credit", member_id=me, amount_cents=low, reason=reason, purchase_id=mine["purchase_id"])


@scenario(form="mistaken")
def claim_back_the_price(story: Story) -> None:
    """The buyer opens a dispute about the price of a purchase, and remembers the price wrongly."""
    purchase = story.pick(
        "purchase",
        "state = 'shipped' AND date(shipped_at) <= ?"
        " AND (SELECT count(*) FROM purchase AS p JOIN listing AS l USING (listing_id) WHERE p.buyer_id = purchase.buyer_id"
        " AND l.title = (SELECT title FROM listing AS k WHERE k.listing_id = purchase.listing_id)) = 1",
        story.day(-3),
        mine=True,
    )
    title = story.row("listing", purchase["listing_id"])["title"]
    side = story.choose("side", {"as the buyer": "buyer"})
    reason = story.choose("reason", {"arrived damaged": "damaged"})
    price = purchase["price_cents"]
    wrong = story.money(story.choose("wrong price", [price - 50, price - 100, price - 150]), currency="EUR")
    statement = story.dictate("statement", "It came with a crack right across the middle")
    story.wish(
        (
            (
                "{title}, a purchase that I made {side}, {reason}. If I remember rightly, its price was {wrong} "
                "without postage. Please open a dispute in which I claim back the price without postage, exactly "
                "as it stands in your records, with my statement: {statement}"
            ),
            (
                "I regret to say that {title}, which I purchased {side}, {reason}. As far as I recall, its price "
                "was {wrong} without postage. I would be grateful if you could open a dispute in which I claim "
                "back the price without postage, exactly as it stands in your records, with my statement: "
                "{statement}"
            ),
            (
                "{title} {reason}, i made that purchase {side}. price was {wrong} without postage if i remember "
                "right. open a dispute, i'm claiming back the price without postage, exactly as it stands in your"
                " records, with my statement: {statement}"
            ),
        ),
        title=title,
        side=side,
        reason=reason,
        wrong=wrong,
        statement=statement,
    )
    story.believes("price", wrong, price)
    entries = story.call("list_member_purchases", member_id=story.identify(), side=side)["purchases"]
    mine = story.call("get_purchase", purchase_id=story.find(entries, listing_title=title)["purchase_id"])
    with story.wrong("trusts the user"):
        story.call(
            "open_dispute", purchase_id=mine["purchase_id"], reason=reason, claim_cents=wrong, statement=statement
        )
    story.call(
        "open_dispute",
        purchase_id=mine["purchase_id"],
        reason=reason,
        claim_cents=mine["price_cents"],
        statement=statement,
    )


@scenario(form="conditional")
def decide_by_the_claim(story: Story) -> None:
    """The seller has a dispute decided with a full refund if the claim is small, and otherwise with none."""
    listing = story.pick(
        "listing",
        "EXISTS (SELECT 1 FROM dispute JOIN purchase ON purchase.purchase_id = dispute.purchase_id"
        " WHERE purchase.listing_id = listing.listing_id AND dispute.state IN ('open', 'answered'))"
        " AND (SELECT count(*) FROM dispute AS twin JOIN purchase AS p ON p.purchase_id = twin.purchase_id"
        " JOIN listing AS l ON l.listing_id = p.listing_id WHERE l.title = listing.title) = 1",
        mine=True,
    )
    title = listing["title"]
    limit = story.money(story.choose("limit", [3000, 4500]), currency="EUR")
    full = story.choose("full", {"a full refund": "full_refund"})
    none = story.choose("none", {"no refund": "no_refund"})
    story.wish(
        (
            (
                "About the dispute over my {title}: if the buyer's claim is {limit} or less, please decide it "
                "with {full}; if the claim is more than that, decide it with {none}."
            ),
            (
                "I am writing about the dispute over my {title}. Should the buyer's claim be {limit} or less, "
                "kindly decide it with {full}; should the claim be higher than that, kindly decide it with "
                "{none}."
            ),
            (
                "that dispute over my {title}: buyer's claim {limit} or less, decide it with {full}. claim more "
                "than that, decide it with {none}"
            ),
        ),
        title=title,
        limit=limit,
        full=full,
        none=none,
    )
    mine = story.find(story.call("list_member_disputes", member_id=story.identify())["disputes"], listing_title=title)
    right, other = (full, none) if mine["claim_cents"] <= limit else (none, full)
    with story.wrong("takes the other branch"):
        story.call("resolve_dispute", dispute_id=mine["dispute_id"], outcome=other)
    story.call("resolve_dispute", dispute_id=mine["dispute_id"], outcome=right)


@scenario(form="conditional")
def pay_out_or_top_up(story: Story) -> None:
    """The member has money paid out if the balance is high, and otherwise added."""
    limit = story.money(story.choose("limit", [7000, 9000]), currency="EUR")
    amount = story.money(story.choose("amount", [600, 850, 1200]), currency="EUR")
    story.pick(
        "movement",
        "(SELECT sum(own.amount_cents) FROM movement AS own WHERE own.member_id = movement.member_id) >= 1200"
        " AND (SELECT count(*) FROM movement AS own WHERE own.member_id = movement.member_id) <= 15"
        " AND member_id IN (SELECT member_id FROM member WHERE state = 'active')"
        " AND NOT EXISTS (SELECT 1 FROM purchase WHERE purchase.state = 'disputed'"
        " AND movement.member_id IN (purchase.buyer_id, purchase.seller_id))",
        mine=True,
    )
    story.wish(
        (
            (
                "Please look up the balance of my money with you. If it is {limit} or more, pay out {amount} of "
                "it to my bank; if it is less, add {amount} to it instead."
            ),
            (
                "I would ask you to look up the balance of my money with you. Should it be {limit} or more, "
                "please pay out {amount} of it to my bank; should it be less, please add {amount} to it instead."
            ),
            (
                "what's my balance with you? {limit} or more: pay out {amount} of it to my bank. less than that: "
                "add {amount} to it instead"
            ),
        ),
        limit=limit,
        amount=amount,
    )
    me = story.identify()
    balance = story.call("list_movements", member_id=me)["sum_cents"]
    right, other = ("withdraw_money", "top_up") if balance >= limit else ("top_up", "withdraw_money")
    with story.wrong("takes the other branch"):
        story.call(other, member_id=me, amount_cents=amount)
    story.call(right, member_id=me, amount_cents=amount)


@scenario
def withdraw_offer_and_ask_for_seller(story: Story) -> None:
    """The member takes back a pending offer and asks who sells the thing."""
    offer = story.pick(
        "offer",
        "state IN ('open', 'countered')"
        " AND (SELECT count(*) FROM offer AS own JOIN listing AS l ON l.listing_id = own.listing_id"
        " WHERE own.member_id = offer.member_id AND l.title ="
        " (SELECT title FROM listing WHERE listing.listing_id = offer.listing_id)) = 1",
        mine=True,
    )
    listing = story.row("listing", offer["listing_id"])
    story.wish(
        (
            (
                "I've changed my mind about {title}, please take my offer for it back. And tell me the name of "
                "the seller, I'd like to keep an eye on their things."
            ),
            (
                "As I have reconsidered, I would be grateful if you could take back the offer I made for {title}."
                " Please also let me know the name of the seller, since I should like to follow what else they "
                "have."
            ),
            (
                "don't want {title} after all, so pull my offer for it. what's the name of the seller though? "
                "wanna watch their stuff"
            ),
        ),
        title=listing["title"],
    )
    me = story.identify()
    offers = story.call("list_member_offers", member_id=me)["offers"]
    mine = story.find(offers, listing_title=listing["title"])
    story.call("withdraw_offer", offer_id=mine["offer_id"])
    detail = story.call("get_listing", listing_id=mine["listing_id"])
    story.answer("name of the seller", detail["seller_name"], source="member.name")


@scenario
def decline_open_offers_on_my_listing(story: Story) -> None:
    """The seller turns down all open offers on a listing and asks for the highest of them."""
    listing = story.pick(
        "listing",
        "state = 'active' AND EXISTS (SELECT 1 FROM offer"
        " WHERE offer.listing_id = listing.listing_id AND offer.state = 'open')",
        unique_by=["member_id", "title"],
        mine=True,
    )
    state = story.choose("state", {"still open": "open"})
    story.wish(
        (
            (
                "Please turn down every offer on my listing {title} that is {state}; any that I have countered "
                "stay as they are. What was the highest amount in cents among those you turn down?"
            ),
            (
                "I would be grateful if you could decline all offers on my listing {title} that are {state}, "
                "leaving those that I have countered unchanged. Could you also inform me of the highest amount in"
                " cents among the ones declined?"
            ),
            (
                "say no to all the offers on my {title} listing that are {state}, but don't touch ones i've "
                "countered. highest amount in cents among the ones you turn down?"
            ),
        ),
        title=listing["title"],
        state=state,
    )
    me = story.identify()
    listings = story.call("list_member_listings", member_id=me)["listings"]
    mine = story.find(listings, title=listing["title"])
    offers = story.call("list_listing_offers", listing_id=mine["listing_id"], state=state)["offers"]
    story.call("decline_offers", offer_ids=[each["offer_id"] for each in offers])
    story.answer("highest amount in cents", story.highest(offers, "amount_cents")["amount_cents"])


@scenario
def make_low_offer(story: Story) -> None:
    """The member makes a low offer for a listing and tells the price when asked."""
    story.pick(
        "offer",
        "member_id IN (SELECT member_id FROM member WHERE state = 'active')",
        mine=True,
    )
    listing = story.pick(
        "listing",
        "state = 'active' AND negotiable = 1 AND price_cents > 900"
        " AND expires_on >= ? AND date(published_at) <= ? AND member_id <> ?"
        " AND NOT EXISTS (SELECT 1 FROM offer WHERE offer.listing_id = listing.listing_id"
        " AND offer.member_id = ? AND offer.state IN ('open', 'countered'))"
        " AND NOT EXISTS (SELECT 1 FROM listing AS twin WHERE twin.title = listing.title"
        " AND twin.listing_id <> listing.listing_id AND twin.state = 'active')",
        story.today,
        story.day(-10),
        story.me["member_id"],
        story.me["member_id"],
    )
    story.wish(
        (
            "I want to try my luck with a really low offer for {title}. Could you put it in for me?",
            (
                "Would you be so kind as to submit an offer for {title} on my behalf? I wish to try my luck with "
                "a very low one."
            ),
            "feeling cheeky, put in a super low offer from me for {title}?",
        ),
        title=listing["title"],
    )
    price = story.money(story.choose("offered price", [700, 750, 800, 850]))
    story.keep_back("offered price", price)
    me = story.identify()
    listings = story.call("search_listings", keyword=listing["title"])["listings"]
    found = story.find(listings, title=listing["title"])
    story.call("make_offer", member_id=me, listing_id=found["listing_id"], amount_cents=price)


@scenario
def counter_an_offer(story: Story) -> None:
    """The seller answers an open offer with a price in between, told when asked."""
    listing = story.pick(
        "listing",
        "state = 'active' AND expires_on >= ? AND EXISTS (SELECT 1 FROM offer"
        " WHERE offer.listing_id = listing.listing_id AND offer.state = 'open'"
        " AND offer.amount_cents + 200 < listing.price_cents"
        " AND (SELECT count(*) FROM offer AS twin WHERE twin.listing_id = offer.listing_id"
        " AND twin.amount_cents = offer.amount_cents) = 1)",
        story.today,
        unique_by=["member_id", "title"],
        mine=True,
    )
    offer = story.pick(
        "offer",
        "listing_id = ? AND state = 'open' AND amount_cents + 200 < ?",
        listing["listing_id"],
        listing["price_cents"],
        unique_by=["listing_id", "amount_cents"],
    )
    amount = story.money(offer["amount_cents"])
    story.wish(
        (
            (
                "Somebody has offered {amount} for my {title}. That's a bit low, so please answer with a counter "
                "price of mine."
            ),
            (
                "I have received an offer of {amount} for my {title}, which is somewhat low. I would be grateful "
                "if you could reply to it with a counter price of mine."
            ),
            "{amount} for my {title}? bit low, that offer. answer it with a counter price from me pls",
        ),
        amount=amount,
        title=listing["title"],
    )
    low = offer["amount_cents"]
    price = story.money(story.choose("counter price", [low + 50, low + 100, low + 150, low + 200]))
    story.keep_back("counter price", price)
    me = story.identify()
    listings = story.call("list_member_listings", member_id=me)["listings"]
    mine = story.find(listings, title=listing["title"])
    offers = story.call("list_listing_offers", listing_id=mine["listing_id"])["offers"]
    theirs = story.find(offers, amount_cents=amount)
    story.call("counter_offer", offer_id=theirs["offer_id"], counter_cents=price)


@scenario
def accept_an_offer(story: Story) -> None:
    """The seller accepts an open offer, tells the buyer's address when asked, and asks for the total."""
    listing = story.pick(
        "listing",
        "state = 'active' AND expires_on >= ?"
        " AND member_id IN (SELECT member_id FROM member WHERE state = 'active')"
        " AND EXISTS (SELECT 1 FROM offer JOIN member ON member.member_id = offer.member_id"
        " WHERE offer.listing_id = listing.listing_id AND offer.state = 'open' AND member.state = 'active'"
        " AND (SELECT count(*) FROM purchase WHERE purchase.buyer_id = offer.member_id"
        " AND purchase.state IN ('awaiting_payment', 'paid', 'shipped', 'disputed'))"
        " < CASE member.tier WHEN 'basic' THEN 1 WHEN 'plus' THEN 2 ELSE 3 END"
        " AND (SELECT count(*) FROM offer AS twin WHERE twin.listing_id = offer.listing_id"
        " AND twin.amount_cents = offer.amount_cents) = 1)",
        story.today,
        unique_by=["member_id", "title"],
        mine=True,
    )
    offer = story.pick(
        "offer",
        "listing_id = ? AND state = 'open'"
        " AND (SELECT count(*) FROM purchase WHERE purchase.buyer_id = offer.member_id"
        " AND purchase.state IN ('awaiting_payment', 'paid', 'shipped', 'disputed'))"
        " < (SELECT CASE tier WHEN 'basic' THEN 1 WHEN 'plus' THEN 2 ELSE 3 END FROM member"
        " WHERE member.member_id = offer.member_id AND member.state = 'active')",
        listing["listing_id"],
        unique_by=["listing_id", "amount_cents"],
    )
    amount = story.money(offer["amount_cents"])
    story.wish(
        (
            (
                "I'm happy with the {amount} that someone offers for my {title}, so please accept that offer. The"
                " buyer has told me where to send it. What is the total in cents that the buyer pays in the end?"
            ),
            (
                "An offer of {amount} has been made for my {title}, and I find that sum acceptable. I would be "
                "grateful if you could accept this offer on my behalf. The buyer has informed me of the place to "
                "which it is to be sent. Could you also tell me the total in cents that the buyer will pay in the"
                " end?"
            ),
            (
                "someone's offering {amount} for my {title}, works for me, so go ahead and accept it. they've "
                "told me where it should be sent. and the buyer ends up paying what total in cents?"
            ),
        ),
        amount=amount,
        title=listing["title"],
    )
    address = story.choose(
        "delivery address",
        [
            "Lindenweg 4, 23428 Oberburg",
            "Am Markt 17, Oberburg",
            "Schulgasse 9, 40213 Neustadt",
            "Hafenstrasse 52, 18055 Seeheim",
        ],
    )
    story.keep_back("delivery address", address)
    me = story.identify()
    listings = story.call("list_member_listings", member_id=me)["listings"]
    mine = story.find(listings, title=listing["title"])
    offers = story.call("list_listing_offers", listing_id=mine["listing_id"])["offers"]
    theirs = story.find(offers, amount_cents=amount)
    purchase = story.call("accept_offer", offer_id=theirs["offer_id"], address=address)
    story.answer("total in cents", purchase["total_cents"])


@scenario
def ask_about_an_offer_i_made(story: Story) -> None:
    """The member asks for amount and day of one of many offers they made."""
    offer = story.pick(
        "offer",
        "(SELECT count(*) FROM offer AS own WHERE own.member_id = offer.member_id) >= 4"
        " AND (SELECT count(*) FROM offer AS own JOIN listing AS l ON l.listing_id = own.listing_id"
        " WHERE own.member_id = offer.member_id AND l.title ="
        " (SELECT title FROM listing WHERE listing.listing_id = offer.listing_id)) = 1",
        mine=True,
    )
    listing = story.row("listing", offer["listing_id"])
    story.wish(
        (
            ("Could you look up an offer that I made? I need the offered amount in cents and the day of the offer."),
            (
                "I would be grateful if you could look up an offer that I have made and inform me of the offered "
                "amount in cents and the day of the offer."
            ),
            (
                "there's an offer i made, can you check it? offered amount in cents and day of the offer, that's "
                "what i'm after"
            ),
        )
    )
    story.keep_back("title", listing["title"])
    me = story.identify()
    offers = story.call("list_member_offers", member_id=me)["offers"]
    mine = story.find(offers, listing_title=listing["title"])
    for other in [each for each in offers if each["amount_cents"] != mine["amount_cents"]][:2]:
        with story.wrong("takes another one that fits"):
            story.answer("offered amount in cents", other["amount_cents"])
            story.answer("day of the offer", story.date_of(other["created_at"]))
    story.answer("offered amount in cents", mine["amount_cents"])
    story.answer("day of the offer", story.date_of(mine["created_at"]))


@scenario
def ask_how_a_listing_of_mine_does(story: Story) -> None:
    """The seller asks for the asking price of one of many listings and how many offers it had."""
    listing = story.pick(
        "listing",
        "(SELECT count(*) FROM listing AS own WHERE own.member_id = listing.member_id) >= 4",
        unique_by=["member_id", "title"],
        mine=True,
    )
    story.wish(
        (
            (
                "There's a listing of mine that I've lost track of. What is its asking price in cents, and what "
                "is the number of offers it has had so far, whatever became of them?"
            ),
            (
                "I have lost track of one of my listings. Would you kindly inform me of its asking price in cents"
                " and of the number of offers that it has received to date, regardless of what became of them?"
            ),
            (
                "lost track of one of my listings. asking price in cents? and number of offers on it so far, no "
                "matter how they ended?"
            ),
        )
    )
    story.keep_back("title", listing["title"])
    me = story.identify()
    listings = story.call("list_member_listings", member_id=me)["listings"]
    mine = story.find(listings, title=listing["title"])
    for other in [each for each in listings if each["price_cents"] != mine["price_cents"]][:2]:
        with story.wrong("takes another one that fits"):
            story.answer("asking price in cents", other["price_cents"])
            others = story.call("list_listing_offers", listing_id=other["listing_id"])
            story.answer("number of offers", others["total"])
    story.answer("asking price in cents", mine["price_cents"])
    offers = story.call("list_listing_offers", listing_id=mine["listing_id"])
    story.answer("number of offers", offers["total"])


@scenario
def withdraw_the_offer_to_a_seller(story: Story) -> None:
    """The member takes back the one of their pending offers that is for a thing of a certain seller."""
    offer = story.pick(
        "offer",
        "state IN ('open', 'countered') AND (SELECT count(*) FROM offer AS own"
        " WHERE own.member_id = offer.member_id AND own.state IN ('open', 'countered')) BETWEEN 2 AND 5"
        " AND (SELECT count(*) FROM offer AS own JOIN listing AS l ON l.listing_id = own.listing_id"
        " JOIN member AS seller ON seller.member_id = l.member_id"
        " WHERE own.member_id = offer.member_id AND own.state IN ('open', 'countered') AND seller.name ="
        " (SELECT member.name FROM listing JOIN member ON member.member_id = listing.member_id"
        " WHERE listing.listing_id = offer.listing_id)) = 1",
        mine=True,
    )
    listing = story.row("listing", offer["listing_id"])
    seller = story.row("member", listing["member_id"])
    story.wish(
        (
            (
                "I have several offers pending, and one has to go: please withdraw the one for the thing that "
                "{seller} sells."
            ),
            (
                "Among the several offers that I currently have pending, there is one for the thing that {seller}"
                " is selling. I would be grateful if you could withdraw that one."
            ),
            (
                "got several offers pending, one's gotta go. it's the one for the thing {seller}'s selling, pull "
                "that one back"
            ),
        ),
        seller=seller["name"],
    )
    me = story.identify()
    offers = story.call("list_member_offers", member_id=me)["offers"]
    pending = [each for each in offers if each["state"] in ("open", "countered")]
    details = [story.call("get_listing", listing_id=each["listing_id"]) for each in pending]
    right = story.find(details, seller_name=seller["name"])
    mine = story.find(pending, listing_id=right["listing"]["listing_id"])
    for other in [each for each in pending if each["offer_id"] != mine["offer_id"]][:1]:
        with story.wrong("takes the first that fits"):
            story.call("withdraw_offer", offer_id=other["offer_id"])
    story.call("withdraw_offer", offer_id=mine["offer_id"])


@scenario(form="best_of")
def decline_the_lowest_offer(story: Story) -> None:
    """The seller has the lowest pending offer on a listing declined."""
    listing = story.pick(
        "listing",
        "(SELECT count(*) FROM offer o WHERE o.listing_id = listing.listing_id AND o.state IN ('open', 'countered')) >= 2"
        " AND EXISTS (SELECT 1 FROM offer o WHERE o.listing_id = listing.listing_id AND o.state IN ('open', 'countered')"
        " AND NOT EXISTS (SELECT 1 FROM offer p WHERE p.listing_id = o.listing_id AND p.state IN ('open', 'countered')"
        " AND p.offer_id <> o.offer_id AND p.amount_cents * 100 < o.amount_cents * 103))"
        " AND NOT EXISTS (SELECT 1 FROM listing l WHERE l.member_id = listing.member_id"
        " AND l.title = listing.title AND l.listing_id <> listing.listing_id)",
        mine=True,
    )
    story.wish(
        (
            ("Of the pending offers on my listing {title}, please decline the one with the lowest offered price."),
            (
                "There are pending offers on my listing {title}. I would be grateful if you could decline the one"
                " with the lowest offered price among them."
            ),
            "decline the pending offer on my listing {title} that has the lowest offered price, just that one",
        ),
        title=listing["title"],
    )
    me = story.identify()
    listings = story.call("list_member_listings", member_id=me)["listings"]
    mine = story.find(listings, title=listing["title"])
    offers = story.call("list_listing_offers", listing_id=mine["listing_id"])["offers"]
    pending = [each for each in offers if each["state"] in ("open", "countered")]
    worst = story.lowest(pending, "amount_cents")
    for other in [each for each in pending if each["offer_id"] != worst["offer_id"]][:1]:
        with story.wrong("takes the first that fits"):
            story.call("decline_offers", offer_ids=[other["offer_id"]])
    story.call("decline_offers", offer_ids=[worst["offer_id"]])


@scenario(form="best_of")
def withdraw_my_highest_offer(story: Story) -> None:
    """The buyer takes back the highest of their pending offers."""
    story.pick(
        "offer",
        "state IN ('open', 'countered')"
        " AND EXISTS (SELECT 1 FROM offer o WHERE o.member_id = offer.member_id"
        " AND o.offer_id <> offer.offer_id AND o.state IN ('open', 'countered'))"
        " AND NOT EXISTS (SELECT 1 FROM offer o WHERE o.member_id = offer.member_id"
        " AND o.offer_id <> offer.offer_id AND o.state IN ('open', 'countered')"
        " AND o.amount_cents * 103 > offer.amount_cents * 100)",
        mine=True,
    )
    story.wish(
        (
            (
                "Money is a bit tight: of the offers that I made and that are still pending, take back the one "
                "where I offered the most."
            ),
            (
                "As my means are somewhat limited at present, I would ask you to take back one of the offers that"
                " I made and that are still pending, namely the one where I offered the most."
            ),
            (
                "bit short of money, so take back one of my offers that are still pending: the one where i "
                "offered the most"
            ),
        )
    )
    offers = story.call("list_member_offers", member_id=story.identify())["offers"]
    pending = [each for each in offers if each["state"] in ("open", "countered")]
    top = story.highest(pending, "amount_cents")
    for other in [each for each in pending if each["offer_id"] != top["offer_id"]][:1]:
        with story.wrong("takes the first that fits"):
            story.call("withdraw_offer", offer_id=other["offer_id"])
    story.call("withdraw_offer", offer_id=top["offer_id"])


@scenario(form="best_of")
def ask_for_my_highest_failed_offer(story: Story) -> None:
    """The buyer asks which of their declined or withdrawn offers was the highest."""
    story.pick(
        "offer",
        "state IN ('declined', 'withdrawn')"
        " AND EXISTS (SELECT 1 FROM offer o WHERE o.member_id = offer.member_id"
        " AND o.offer_id <> offer.offer_id AND o.state IN ('declined', 'withdrawn'))"
        " AND NOT EXISTS (SELECT 1 FROM offer o WHERE o.member_id = offer.member_id"
        " AND o.offer_id <> offer.offer_id AND o.state IN ('declined', 'withdrawn')"
        " AND o.amount_cents * 103 > offer.amount_cents * 100)",
        mine=True,
    )
    story.wish(
        (
            (
                "Which of my offers that came to nothing, declined or withdrawn, was the highest? I'd like the "
                "title of the listing and the offered amount in cents."
            ),
            (
                "Some of my offers came to nothing, as they were declined or withdrawn. Could you kindly tell me "
                "which of these was the highest? I would like to know the title of the listing and the offered "
                "amount in cents."
            ),
            (
                "out of my offers that came to nothing, so declined or withdrawn, which one was highest? title of"
                " the listing and offered amount in cents, that's what i need"
            ),
        )
    )
    offers = story.call("list_member_offers", member_id=story.identify())["offers"]
    gone = [each for each in offers if each["state"] in ("declined", "withdrawn")]
    top = story.highest(gone, "amount_cents")
    for other in [each for each in gone if each["offer_id"] != top["offer_id"]][:1]:
        with story.wrong("takes the first that fits"):
            story.answer("title of the listing", other["listing_title"], source="listing.title")
            story.answer("offered amount in cents", other["amount_cents"])
    story.answer("title of the listing", top["listing_title"], source="listing.title")
    story.answer("offered amount in cents", top["amount_cents"])


@scenario(form="all_but")
def total_of_my_offers_but_withdrawn(story: Story) -> None:
    """The buyer asks what all their offers add up to, except the withdrawn ones."""
    story.pick(
        "offer",
        "state = 'withdrawn'"
        " AND (SELECT count(*) FROM offer o WHERE o.member_id = offer.member_id) BETWEEN 3 AND 6"
        " AND EXISTS (SELECT 1 FROM offer o WHERE o.member_id = offer.member_id AND o.state <> 'withdrawn')",
        mine=True,
    )
    gone = story.choose("gone", {"withdrew": "withdrawn"})
    story.wish(
        (
            (
                "What is the total in cents of all the offers that I ever made, whatever became of them, except "
                "the ones that I {gone}?"
            ),
            (
                "I would like to know the total in cents of all the offers that I have ever made, regardless of "
                "what became of them, with the exception of those that I {gone}."
            ),
            (
                "all the offers i ever made, no matter what became of them, except the ones i {gone}: what's the "
                "total in cents?"
            ),
        ),
        gone=gone,
    )
    offers = story.call("list_member_offers", member_id=story.identify())["offers"]
    with story.wrong("forgets the exception"):
        story.answer("total in cents", story.total(offers, "amount_cents"))
    story.answer("total in cents", story.total(story.all_but(offers, state=gone), "amount_cents"))


@scenario(form="computed")
def raise_my_offer_by_an_amount(story: Story) -> None:
    """The buyer replaces an open offer by one that is higher by an amount."""
    offer = story.pick(
        "offer",
        "state = 'open' AND member_id IN (SELECT member_id FROM member WHERE state = 'active')"
        " AND EXISTS (SELECT 1 FROM listing l WHERE l.listing_id = offer.listing_id AND l.state = 'active'"
        " AND l.negotiable = 1 AND l.expires_on >= ? AND date(l.published_at) <= ?"
        " AND l.price_cents > offer.amount_cents + 300)"
        " AND NOT EXISTS (SELECT 1 FROM offer o JOIN listing k ON k.listing_id = o.listing_id"
        " WHERE o.member_id = offer.member_id AND o.offer_id <> offer.offer_id AND o.state = 'open'"
        " AND k.title = (SELECT l.title FROM listing l WHERE l.listing_id = offer.listing_id))",
        story.today,
        story.day(-10),
        mine=True,
    )
    listing = story.row("listing", offer["listing_id"])
    more = story.money(story.choose("more", [50, 100, 150, 200, 300]))
    story.wish(
        (
            (
                "I'd like to put {more} on top of my open offer for {title}: take the old one back and make a new"
                " one. What is the new amount in cents?"
            ),
            (
                "I wish to increase my open offer for {title} by {more}. Would you kindly take the old one back "
                "and make a new one, and inform me of the new amount in cents?"
            ),
            (
                "put {more} on top of my open offer for {title}, so take back the old one and make a new one. new"
                " amount in cents?"
            ),
        ),
        more=more,
        title=listing["title"],
    )
    me = story.identify()
    offers = story.call("list_member_offers", member_id=me)["offers"]
    waiting = [each for each in offers if each["state"] == "open"]
    mine = story.find(waiting, listing_title=listing["title"])
    with story.wrong("forgets what was offered already"):
        story.call("withdraw_offer", offer_id=mine["offer_id"])
        story.call("make_offer", member_id=me, listing_id=mine["listing_id"], amount_cents=more)
        story.answer("new amount in cents", more)
    story.call("withdraw_offer", offer_id=mine["offer_id"])
    raised = story.total([{"cents": part} for part in [mine["amount_cents"], more]], "cents")
    story.call("make_offer", member_id=me, listing_id=mine["listing_id"], amount_cents=raised)
    story.answer("new amount in cents", raised)


@scenario(form="computed")
def ask_what_my_offer_costs_with_postage(story: Story) -> None:
    """The buyer asks what an open offer of theirs comes to with postage, and who sells."""
    offer = story.pick(
        "offer",
        "state = 'open'"
        " AND EXISTS (SELECT 1 FROM listing l WHERE l.listing_id = offer.listing_id AND l.postage_cents > 0)"
        " AND NOT EXISTS (SELECT 1 FROM offer o JOIN listing k ON k.listing_id = o.listing_id"
        " WHERE o.member_id = offer.member_id AND o.offer_id <> offer.offer_id AND o.state = 'open'"
        " AND k.title = (SELECT l.title FROM listing l WHERE l.listing_id = offer.listing_id))",
        mine=True,
    )
    listing = story.row("listing", offer["listing_id"])
    story.wish(
        (
            (
                "Say the seller takes my open offer for {title}: what is the sum in cents of my offer and the "
                "postage, and what is the name of the seller? Leave the buyer protection aside."
            ),
            (
                "Supposing that the seller takes my open offer for {title}, could you tell me the sum in cents of"
                " my offer and the postage, leaving the buyer protection aside, as well as the name of the "
                "seller?"
            ),
            (
                "if the seller takes my open offer for {title}, what's the sum in cents of my offer plus postage,"
                " buyer protection left aside? and name of the seller?"
            ),
        ),
        title=listing["title"],
    )
    offers = story.call("list_member_offers", member_id=story.identify())["offers"]
    waiting = [each for each in offers if each["state"] == "open"]
    mine = story.find(waiting, listing_title=listing["title"])
    item = story.call("get_listing", listing_id=mine["listing_id"])
    with story.wrong("forgets the postage"):
        story.answer("sum in cents", mine["amount_cents"])
        story.answer("name of the seller", item["seller_name"], source="member.name")
    story.answer(
        "sum in cents",
        story.total([{"cents": part} for part in [mine["amount_cents"], item["listing"]["postage_cents"]]], "cents"),
    )
    story.answer("name of the seller", item["seller_name"], source="member.name")


@scenario(form="all_but")
def total_of_my_listings_but_one(story: Story) -> None:
    """The seller asks what the asking prices of all their listings but one add up to."""
    listing = story.pick(
        "listing",
        "(SELECT count(*) FROM listing AS own WHERE own.member_id = listing.member_id) BETWEEN 3 AND 6"
        " AND NOT EXISTS (SELECT 1 FROM listing AS own WHERE own.member_id = listing.member_id"
        " AND own.title = listing.title AND own.listing_id <> listing.listing_id)",
        mine=True,
    )
    title = listing["title"]
    story.wish(
        (
            (
                "What is the total in cents of the asking prices of all listings that I ever made, sold ones and "
                "drafts too, except {title}?"
            ),
            (
                "Would you be so kind as to tell me the total in cents of the asking prices of all listings that "
                "I have ever made, including sold ones and drafts, with the exception of {title}?"
            ),
            (
                "asking prices of all listings i ever made, sold ones and drafts too, but not {title}: what's the"
                " total in cents?"
            ),
        ),
        title=title,
    )
    listings = story.call("list_member_listings", member_id=story.identify())["listings"]
    with story.wrong("forgets the exception"):
        story.answer("total in cents", story.total(listings, "price_cents"))
    story.answer("total in cents", story.total(story.all_but(listings, title=title), "price_cents"))


@scenario
def note_my_move(story: Story) -> None:
    """The member moved, has city and postcode changed, and asks for the balance."""
    story.pick("movement", "member_id IN (SELECT member_id FROM member WHERE state <> 'closed')", mine=True)
    city = story.choose("city", ["Altona", "Heidelberg", "Potsdam"])
    postcode = story.choose("postcode", ["22765", "69117", "14467"])
    story.wish(
        (
            (
                "I have moved to {city}, the new postcode is {postcode}. Please put both into my account, and "
                "tell me my balance in cents."
            ),
            (
                "As I have moved to {city}, where my postcode is now {postcode}, I would be grateful if you could"
                " enter both in my account. Kindly inform me of my balance in cents as well."
            ),
            (
                "i've moved, it's {city} now, postcode {postcode}. put both in my account. and what's my balance "
                "in cents?"
            ),
        ),
        city=city,
        postcode=postcode,
    )
    me = story.identify()
    story.call("update_contact", member_id=me, city=city, postcode=postcode)
    profile = story.call("get_member", member_id=me)
    story.answer("balance in cents", profile["balance_cents"])


@scenario
def register_a_friend(story: Story) -> None:
    """The member has a friend registered."""
    story.pick("movement", "member_id IN (SELECT member_id FROM member WHERE state <> 'closed')", mine=True)
    name = story.choose("name", ["Selma Arslan", "Tobias Reinholt"])
    email = story.choose("email", ["newcomer.one@example.org", "late.joiner@example.com"])
    phone = story.choose("phone", ["0160 4471182", "0171 9920034"])
    city = story.choose("city", ["Altona", "Potsdam"])
    postcode = story.choose("postcode", ["22765", "14467"])
    story.wish(
        (
            (
                "A friend of mine wants to join you and asked me to arrange it: {name}, e-mail {email}, phone "
                "{phone}, living in {city}, postcode {postcode}. Can you register this new member?"
            ),
            (
                "I would be grateful if you could register a new member, a friend of mine who wishes to join you "
                "and has asked me to arrange it. The name is {name}, the e-mail {email}, the phone number "
                "{phone}, and the place of residence {city}, with the postcode {postcode}."
            ),
            (
                "can you sign up {name} as a new member? friend of mine, wants to join and asked me to sort it "
                "out. e-mail {email}, phone {phone}, lives in {city}, postcode {postcode}"
            ),
        ),
        name=name,
        email=email,
        phone=phone,
        city=city,
        postcode=postcode,
    )
    story.identify()
    story.call("register_member", name=name, email=email, phone=phone, postcode=postcode, city=city)


@scenario(form="coupled")
def back_and_up_a_tier(story: Story) -> None:
    """A suspended member wants another tier and the account active again."""
    tier = story.choose("tier", {"the plus tier": "plus", "the pro tier": "pro"})
    story.pick(
        "movement",
        "member_id IN (SELECT member_id FROM member WHERE state = 'suspended' AND tier <> ?)",
        tier,
        mine=True,
    )
    with story.together():
        upgrade = story.wish(
            (
                "Put me on {tier}, please.",
                "I would be grateful if you could move my account to {tier}.",
                "{tier} for me please, switch me over",
            ),
            tier=tier,
        )
        unlock = story.wish(
            (
                "And my account is suspended, that has been settled with your manager, so make it active again.",
                (
                    "Furthermore, my account is suspended at present. As this has been settled with your manager, "
                    "would you kindly make it active again?"
                ),
                "oh and make my account active again, it's suspended but that's sorted with your manager",
            )
        )
    me = story.identify()
    story.call("reinstate_member", wish=unlock, member_id=me)
    story.call("change_tier", wish=upgrade, member_id=me, tier=tier)


@scenario(form="coupled")
def pause_with_another_tier(story: Story) -> None:
    """The member wants the account suspended and another tier."""
    tier = story.choose("tier", {"the basic tier": "basic", "the plus tier": "plus"})
    reason = story.choose("reason", ["long journey", "lost phone"])
    story.pick(
        "movement",
        "member_id IN (SELECT member_id FROM member WHERE state = 'active' AND tier <> ?)",
        tier,
        mine=True,
    )
    with story.together():
        pause = story.wish(
            (
                "Please suspend my account for a while, the reason is: {reason}.",
                (
                    "I would be grateful if you could have my account suspended for some time. Please record the "
                    "following reason: {reason}."
                ),
                "can you suspend my account for a bit? reason: {reason}",
            ),
            reason=reason,
        )
        move = story.wish(
            (
                "And it should be on {tier} when I am back, so change that today as well.",
                "I should further like to find it on {tier} upon my return; kindly make that change today too.",
                "also want it on {tier} once i'm back, so switch that today too",
            ),
            tier=tier,
        )
    me = story.identify()
    story.call("change_tier", wish=move, member_id=me, tier=tier)
    story.call("suspend_member", wish=pause, member_id=me, reason=reason)


@scenario(form="changed_mind")
def misread_phone_number(story: Story) -> None:
    """The member gives a new phone number and then corrects it."""
    story.pick("movement", "member_id IN (SELECT member_id FROM member WHERE state <> 'closed')", mine=True)
    first = story.choose("first", ["0162 3310457", "0175 2204418"])
    second = story.choose("second", ["0162 3310475", "0175 2204481"])
    number = story.wish(
        (
            "new phone for my account: {phone}",
            "I would ask you to enter a new phone number in my account, namely {phone}.",
            "got a new phone, it's {phone}, put that in my account",
        ),
        phone=first,
    )
    correct = story.changes_mind(
        number,
        (
            "sorry, typo, the new phone is {phone}",
            "I apologise for having mistyped it; the correct new phone number is {phone}.",
            "oops, mistyped. {phone} is the new phone",
        ),
        phone=second,
    )
    me = story.identify()
    story.call("update_contact", wish=number, member_id=me, phone=first)
    story.call("update_contact", wish=correct, member_id=me, phone=second)


@scenario(form="changed_mind")
def pro_rather_than_plus(story: Story) -> None:
    """A basic member wants the plus tier and then rather pro."""
    story.pick(
        "movement",
        "member_id IN (SELECT member_id FROM member WHERE state = 'active' AND tier = 'basic')",
        mine=True,
    )
    first = story.choose("first", {"the plus tier": "plus"})
    second = story.choose("second", {"the pro tier": "pro"})
    plus = story.wish(
        (
            "I'd like to move to {tier}, please do that for me.",
            "Would you be so kind as to move my membership to {tier}?",
            "switch me over to {tier} pls",
        ),
        tier=first,
    )
    pro = story.changes_mind(
        plus,
        (
            "Actually, I have thought again: make it {tier} instead.",
            "Having reconsidered, I would prefer {tier} in its place.",
            "hmm no, changed my mind, {tier} instead",
        ),
        tier=second,
    )
    me = story.identify()
    story.call("change_tier", wish=plus, member_id=me, tier=first)
    story.call("change_tier", wish=pro, member_id=me, tier=second)


@scenario(form="outside")
def married_name(story: Story) -> None:
    """The member has a new name and wants the old mail sorted, too."""
    story.pick("movement", "member_id IN (SELECT member_id FROM member WHERE state <> 'closed')", mine=True)
    name = story.choose("name", ["Miriam Sandberg", "Jule Overbeck"])
    story.wish(
        (
            "I got married, my full name is {name} from now on. Please change it in my account.",
            (
                "Following my marriage, I now bear the full name {name}. I would be grateful if you could amend "
                "my account accordingly."
            ),
            "just got married! full name's {name} now, change it in my account pls",
        ),
        name=name,
    )
    me = story.identify()
    story.call("update_contact", member_id=me, name=name)
    story.outside(
        (
            "And could you have the new name engraved on our letter box?",
            "May I also ask you to have our letter box engraved with the new name?",
            "can you get the new name engraved on our letter box too?",
        )
    )


@scenario(form="outside")
def pause_and_fly(story: Story) -> None:
    """The member has the account suspended and wants a flight booked."""
    story.pick("movement", "member_id IN (SELECT member_id FROM member WHERE state = 'active')", mine=True)
    reason = story.choose("reason", ["summer abroad", "parental leave"])
    story.wish(
        (
            "Suspend my account until I say otherwise, please; the reason is {reason}.",
            (
                "I would be grateful if you could suspend my account until further word from me, stating as the "
                "reason {reason}."
            ),
            "pls suspend my account till i say otherwise, reason is {reason}",
        ),
        reason=reason,
    )
    me = story.identify()
    story.call("suspend_member", member_id=me, reason=reason)
    story.outside(
        (
            "Oh, and can you get somebody to pack my parcels while I am away?",
            "In addition, could you arrange for someone to pack my parcels during my absence?",
            "oh and find someone to pack my parcels while i'm gone?",
        )
    )


@scenario
def what_was_declined(story: Story) -> None:
    """The member asks what a request was about that was declined some time ago."""
    purchase = story.pick(
        "purchase",
        "(SELECT count(*) FROM declined_request AS d WHERE d.member_id = purchase.buyer_id) = 1"
        " AND purchase_id IN (SELECT subject_id FROM declined_request AS e WHERE e.member_id = purchase.buyer_id)",
        mine=True,
    )
    note = story.pick("declined_request", "subject_id = ?", purchase["purchase_id"])
    story.wish(
        (
            (
                "On {day} you declined a request of mine about something that I bought. What was the title of "
                "that thing, and what was its price in cents?"
            ),
            (
                "A request of mine concerning something that I had bought was declined by you on {day}. I would "
                "be grateful if you could tell me the title of that thing as well as its price in cents."
            ),
            (
                "you said no to a request of mine on {day}, about something i bought. what's the title of that "
                "thing, and its price in cents?"
            ),
        ),
        day=note["declined_on"],
    )
    notes = story.call("list_notes", member_id=story.identify())
    declined = story.find(notes["declined_requests"], declined_on=note["declined_on"])
    bought = story.call("get_purchase", purchase_id=declined["subject_id"])
    story.answer("title of that thing", bought["listing_title"], source="listing.title")
    story.answer("price in cents", bought["price_cents"])


@scenario
def how_good_is_the_seller(story: Story) -> None:
    """The buyer asks for name, rating and sales of a seller."""
    since = story.day(-story.choose("days", [90, 120]))
    purchase = story.pick(
        "purchase",
        "state = 'completed' AND rating IS NOT NULL AND ended_at >= ?"
        " AND (SELECT count(*) FROM purchase AS p JOIN listing AS l USING (listing_id) WHERE p.buyer_id = purchase.buyer_id"
        " AND l.title = (SELECT title FROM listing AS k WHERE k.listing_id = purchase.listing_id)) = 1",
        since,
        mine=True,
    )
    title = story.row("listing", purchase["listing_id"])["title"]
    side = story.choose("side", {"the buyer": "buyer"})
    story.wish(
        (
            (
                "I am {side} of {title} and curious about who sold it: I'd like the name of the seller, and over "
                "everything completed from {since} until today the average rating and the sum of prices in cents "
                "of that seller."
            ),
            (
                "As {side} of {title}, I take an interest in the person who sold it. Kindly inform me of the name"
                " of the seller and, over all that was completed from {since} until today, of the average rating "
                "and the sum of prices in cents of that seller."
            ),
            (
                "i'm {side} of {title}, who sold it? need the name of the seller, plus the average rating and sum"
                " of prices in cents of that seller over everything completed from {since} till today"
            ),
        ),
        title=title,
        side=side,
        since=since,
    )
    entries = story.call("list_member_purchases", member_id=story.identify(), side=side)["purchases"]
    mine = story.find(entries, listing_title=title)
    sellers = story.call("rank_sellers", from_day=since, to_day=story.today)["sellers"]
    seller = story.find(sellers, member_id=mine["seller_id"])
    story.answer("name of the seller", seller["name"], source="member.name")
    story.answer("average rating", seller["average_rating"])
    story.answer("sum of prices in cents", seller["price_cents"])


@scenario
def sell_it_on(story: Story) -> None:
    """The buyer asks what to ask for a thing bought here, by its condition, price when new and age."""
    purchase = story.pick(
        "purchase",
        "state IN ('shipped', 'completed')"
        " AND (SELECT count(*) FROM purchase AS p JOIN listing AS l USING (listing_id) WHERE p.buyer_id = purchase.buyer_id"
        " AND l.title = (SELECT title FROM listing AS k WHERE k.listing_id = purchase.listing_id)) = 1",
        mine=True,
    )
    title = story.row("listing", purchase["listing_id"])["title"]
    side = story.choose("side", {"the buyer": "buyer"})
    new_price = story.money(story.choose("new price", [12900, 7450, 23500]), currency="EUR")
    years = story.choose("years", [1, 2, 4])
    story.wish(
        (
            (
                "I am {side} of {title} and might sell it on. It cost {new_price} when new and its age in years "
                "is {years}; the condition is as the listing says. What is the suggested price in cents? And "
                "remind me of the day of the purchase and the name of the seller."
            ),
            (
                "I am considering selling on {title}, of which I am {side}. The price when new was {new_price}, "
                "its age in years is {years}, and its condition is the one given in the listing. I would be "
                "grateful if you could state the suggested price in cents, the day of the purchase and the name "
                "of the seller."
            ),
            (
                "might sell {title} on, i'm {side} of it. {new_price} when new, age in years: {years}, condition "
                "same as in the listing. what's the suggested price in cents? also forgot the day of the purchase"
                " and the name of the seller"
            ),
        ),
        title=title,
        side=side,
        new_price=new_price,
        years=years,
    )
    entries = story.call("list_member_purchases", member_id=story.identify(), side=side)["purchases"]
    mine = story.call("get_purchase", purchase_id=story.find(entries, listing_title=title)["purchase_id"])
    detail = story.call("get_listing", listing_id=mine["listing_id"])
    suggestion = story.call(
        "suggest_price", new_price_cents=new_price, condition=detail["listing"]["condition"], age_years=years
    )
    story.answer("suggested price in cents", suggestion["price_cents"])
    story.answer("day of the purchase", story.date_of(mine["created_at"]))
    story.answer("name of the seller", detail["seller_name"], source="member.name")


@scenario
def how_a_category_sells(story: Story) -> None:
    """The buyer asks how things like the one bought have sold of late."""
    since = story.day(-story.choose("days", [90, 120]))
    purchase = story.pick(
        "purchase",
        "state = 'completed' AND ended_at >= ?"
        " AND (SELECT count(*) FROM purchase AS p JOIN listing AS l USING (listing_id) WHERE p.buyer_id = purchase.buyer_id"
        " AND l.title = (SELECT title FROM listing AS k WHERE k.listing_id = purchase.listing_id)) = 1",
        since,
        mine=True,
    )
    title = story.row("listing", purchase["listing_id"])["title"]
    side = story.choose("side", {"the buyer": "buyer"})
    story.wish(
        (
            (
                "I am {side} of {title}. How do things of that category sell here? From {since} until today, what"
                " is the sum of prices and the sum of commissions in that category, in cents?"
            ),
            (
                "Being {side} of {title}, I should like to learn how things of its category sell with you. Kindly"
                " state, for that category and the time from {since} until today, the sum of prices in cents and "
                "the sum of commissions in cents."
            ),
            (
                "i'm {side} of {title}, how's that category selling? need its sum of prices in cents and sum of "
                "commissions in cents from {since} till today"
            ),
        ),
        side=side,
        title=title,
        since=since,
    )
    entries = story.call("list_member_purchases", member_id=story.identify(), side=side)["purchases"]
    mine = story.call("get_purchase", purchase_id=story.find(entries, listing_title=title)["purchase_id"])
    listing = story.call("get_listing", listing_id=mine["listing_id"])["listing"]
    categories = story.call("report_sales", from_day=since, to_day=story.today)["categories"]
    sales = story.find(categories, category=listing["category"])
    story.answer("sum of prices in cents", sales["price_cents"])
    story.answer("sum of commissions in cents", sales["commission_cents"])


@scenario(form="denied")
def accept_what_was_offered(story: Story) -> None:
    """The seller wants an offer accepted, though the one who made it may have too much running."""
    offer = story.pick(
        "offer",
        "state = 'open' AND member_id IN (SELECT member_id FROM member WHERE state = 'active')"
        " AND listing_id IN (SELECT l.listing_id FROM listing AS l JOIN member AS m USING (member_id)"
        " WHERE l.state = 'active' AND l.expires_on >= ? AND m.state = 'active')"
        " AND (SELECT count(*) FROM purchase AS p WHERE p.buyer_id = offer.member_id"
        " AND p.state IN ('awaiting_payment', 'paid', 'shipped', 'disputed'))"
        " <= (SELECT CASE tier WHEN 'basic' THEN 1 ELSE 2 END FROM member WHERE member.member_id = offer.member_id)",
        story.today,
        unique_by=["listing_id", "amount_cents"],
    )
    listing = story.pick("listing", "listing_id = ?", offer["listing_id"], unique_by=["member_id", "title"], mine=True)
    amount = story.money(offer["amount_cents"], currency="EUR")
    address = story.choose("address", ["Rosenweg 12, 20357 Hamburg", "Schulstrasse 5, 60311 Frankfurt"])
    accept = story.wish(
        (
            "I take the offer of {amount} for my {title}. Accept it, please, it is to be sent to {address}.",
            (
                "I should like to take the offer of {amount} for my {title}. Would you please accept it? It is to"
                " be sent to {address}."
            ),
            "{amount} for my {title}, i take that offer. accept it pls, goes to {address}",
        ),
        amount=amount,
        title=listing["title"],
        address=address,
    )
    story.insists(
        accept,
        story.choose(
            "plea",
            [
                "We have agreed already, I can't go back on my word.",
                "I need the money this week.",
                "Nobody told me of any such thing before.",
            ],
        ),
    )
    me = story.identify()
    mine = story.find(story.call("list_member_listings", member_id=me)["listings"], title=listing["title"])
    offers = story.call("list_listing_offers", listing_id=mine["listing_id"])["offers"]
    wanted = story.find(offers, amount_cents=amount)
    if story.permits("accept_offer", offer_id=wanted["offer_id"], address=address):
        story.call("accept_offer", offer_id=wanted["offer_id"], address=address)
    else:
        story.decline(accept)


@scenario(form="fallback")
def accept_or_decline(story: Story) -> None:
    """The seller wants an offer accepted, or else declined."""
    offer = story.pick(
        "offer",
        "state = 'open' AND member_id IN (SELECT member_id FROM member WHERE state = 'active')"
        " AND listing_id IN (SELECT l.listing_id FROM listing AS l JOIN member AS m USING (member_id)"
        " WHERE l.state = 'active' AND l.expires_on >= ? AND m.state = 'active')"
        " AND (SELECT count(*) FROM purchase AS p WHERE p.buyer_id = offer.member_id"
        " AND p.state IN ('awaiting_payment', 'paid', 'shipped', 'disputed'))"
        " <= (SELECT CASE tier WHEN 'basic' THEN 1 ELSE 2 END FROM member WHERE member.member_id = offer.member_id)"
        " AND (SELECT count(*) FROM offer AS o WHERE o.listing_id = offer.listing_id AND o.state IN ('open', 'countered')) >= 2",
        story.today,
        unique_by=["listing_id", "amount_cents"],
    )
    listing = story.pick("listing", "listing_id = ?", offer["listing_id"], unique_by=["member_id", "title"], mine=True)
    amount = story.money(offer["amount_cents"], currency="EUR")
    address = story.choose("address", ["Uferstrasse 8, 50667 Cologne", "Gartenstrasse 21, 80331 Munich"])
    accept = story.wish(
        (
            (
                "Somebody offered {amount} for my {title}, that is fine with me. Accept the offer; the address "
                "for the parcel is {address}."
            ),
            (
                "An offer of {amount} has been made for my {title}, which I find agreeable. I would ask you to "
                "accept the offer; the address for the parcel is {address}."
            ),
            (
                "someone offered {amount} for my {title}, fine by me, accept the offer. address for the parcel: "
                "{address}"
            ),
        ),
        amount=amount,
        title=listing["title"],
        address=address,
    )
    decline = story.otherwise(
        accept,
        (
            "Then decline that offer of {amount} for {title}, I won't keep anybody waiting.",
            (
                "In that case, I would ask you to decline that offer of {amount} for {title}, as I do not wish to"
                " keep anybody waiting."
            ),
            "then just decline that offer of {amount} for {title}, won't keep anyone waiting",
        ),
        amount=amount,
        title=listing["title"],
    )
    me = story.identify()
    mine = story.find(story.call("list_member_listings", wish=accept, member_id=me)["listings"], title=listing["title"])
    offers = story.call("list_listing_offers", wish=accept, listing_id=mine["listing_id"])["offers"]
    wanted = story.find(offers, amount_cents=amount)
    if story.permits("accept_offer", wish=accept, offer_id=wanted["offer_id"], address=address):
        with story.wrong("takes the second choice although the first is permitted"):
            story.call("decline_offers", wish=decline, offer_ids=[wanted["offer_id"]])
        story.call("accept_offer", wish=accept, offer_id=wanted["offer_id"], address=address)
    else:
        story.decline(accept)
        story.call("decline_offers", wish=decline, offer_ids=[wanted["offer_id"]])


@scenario(form="looked_up")
def decline_the_offer_of_an_amount(story: Story) -> None:
    """The seller has an offer declined of which only the amount is told, not the listing."""
    offer = story.pick(
        "offer",
        "state IN ('open', 'countered') AND (SELECT count(DISTINCT o.listing_id) FROM offer AS o JOIN listing AS l"
        " USING (listing_id) WHERE o.state IN ('open', 'countered') AND l.member_id ="
        " (SELECT member_id FROM listing AS k WHERE k.listing_id = offer.listing_id)) >= 2",
        unique_by=["amount_cents"],
    )
    story.pick("listing", "listing_id = ?", offer["listing_id"], mine=True)
    amount = story.money(offer["amount_cents"], currency="EUR")
    story.wish(
        (
            (
                "Somebody offered {amount} for a listing of mine, I forget for which. That is too little, please "
                "decline the offer."
            ),
            (
                "Kindly decline the offer of {amount} that somebody has made for one of my listings, as it is too"
                " low; I no longer recall which listing it concerns."
            ),
            "got an offer of {amount} on some listing of mine, forgot which one. too little, decline it pls",
        ),
        amount=amount,
    )
    listings = story.call("list_member_listings", member_id=story.identify())["listings"]
    offers = []
    for each in listings:
        offers = offers + story.call("list_listing_offers", listing_id=each["listing_id"])["offers"]
    wanted = story.find(offers, amount_cents=amount)
    pending = [each for each in offers if each["state"] in ("open", "countered")]
    for other in [each for each in pending if each["listing_id"] != wanted["listing_id"]][:1]:
        with story.wrong("takes the first that fits"):
            story.call("decline_offers", offer_ids=[other["offer_id"]])
    story.call("decline_offers", offer_ids=[wanted["offer_id"]])


@scenario(form="ambiguous")
def ask_about_one_of_my_purchases(story: Story) -> None:
    """The buyer asks for postage and address of one of many purchases."""
    purchase = story.pick(
        "purchase",
        "(SELECT count(*) FROM purchase AS own WHERE own.buyer_id = purchase.buyer_id) >= 4"
        " AND (SELECT count(*) FROM purchase AS p JOIN listing AS l USING (listing_id) WHERE p.buyer_id = purchase.buyer_id"
        " AND l.title = (SELECT title FROM listing AS k WHERE k.listing_id = purchase.listing_id)) = 1",
        mine=True,
    )
    title = story.row("listing", purchase["listing_id"])["title"]
    side = story.choose("side", {"as the buyer": "buyer"})
    story.wish(
        (
            (
                "Could you check a purchase that I made {side}? I need its postage in cents and the address that "
                "was given for it."
            ),
            (
                "I would be grateful if you could check a purchase that I made {side} and let me know its postage"
                " in cents and the address that was given for it."
            ),
            ("need you to check a purchase, i made it {side}. postage in cents and the address that was given for it?"),
        ),
        side=side,
    )
    story.keep_back("title", title)
    found = story.call("list_member_purchases", member_id=story.identify(), side=side)["purchases"]
    mine = story.find(found, listing_title=title)
    for other in [each for each in found if each["purchase_id"] != mine["purchase_id"]][:2]:
        with story.wrong("takes another one that fits"):
            seen = story.call("get_purchase", purchase_id=other["purchase_id"])
            story.answer("postage in cents", seen["postage_cents"])
            story.answer("address", seen["address"], source="purchase.address")
    right = story.call("get_purchase", purchase_id=mine["purchase_id"])
    story.answer("postage in cents", right["postage_cents"])
    story.answer("address", right["address"], source="purchase.address")


@scenario(form="ambiguous")
def ask_for_the_day_and_total_of_a_purchase(story: Story) -> None:
    """The buyer asks for total and day of one of many purchases."""
    purchase = story.pick(
        "purchase",
        "(SELECT count(*) FROM purchase AS own WHERE own.buyer_id = purchase.buyer_id) >= 4"
        " AND (SELECT count(*) FROM purchase AS p JOIN listing AS l USING (listing_id) WHERE p.buyer_id = purchase.buyer_id"
        " AND l.title = (SELECT title FROM listing AS k WHERE k.listing_id = purchase.listing_id)) = 1",
        mine=True,
    )
    title = story.row("listing", purchase["listing_id"])["title"]
    side = story.choose("side", {"the buyer": "buyer"})
    story.wish(
        (
            (
                "I am doing my accounts. One thing of which I am {side}, what were the day of the purchase and "
                "the total in cents?"
            ),
            (
                "I am preparing my accounts and have a question about one thing of which I am {side}: could you "
                "kindly tell me the day of the purchase and the total in cents?"
            ),
            "doing my accounts: day of the purchase and total in cents for one thing i'm {side} of?",
        ),
        side=side,
    )
    story.keep_back("title", title)
    found = story.call("list_member_purchases", member_id=story.identify(), side=side)["purchases"]
    mine = story.find(found, listing_title=title)
    for other in [each for each in found if each["purchase_id"] != mine["purchase_id"]][:2]:
        with story.wrong("takes another one that fits"):
            story.answer("day of the purchase", story.date_of(other["created_at"]))
            story.answer("total in cents", other["total_cents"])
    story.answer("day of the purchase", story.date_of(mine["created_at"]))
    story.answer("total in cents", mine["total_cents"])


@scenario
def read_the_answer_to_my_dispute(story: Story) -> None:
    """The buyer asks what the seller answered to a dispute, when, and under which code the parcel travelled."""
    dispute = story.pick(
        "dispute",
        "answer IS NOT NULL AND answered_at IS NOT NULL"
        " AND purchase_id IN (SELECT purchase_id FROM purchase WHERE tracking_code IS NOT NULL)"
        " AND (SELECT count(*) FROM dispute AS twin"
        " JOIN purchase AS p ON p.purchase_id = twin.purchase_id JOIN listing AS l ON l.listing_id = p.listing_id"
        " WHERE twin.claim_cents = dispute.claim_cents AND l.title ="
        " (SELECT listing.title FROM purchase JOIN listing ON listing.listing_id = purchase.listing_id"
        " WHERE purchase.purchase_id = dispute.purchase_id)) = 1",
        mine=True,
    )
    purchase = story.row("purchase", dispute["purchase_id"])
    listing = story.row("listing", purchase["listing_id"])
    claim = story.money(dispute["claim_cents"])
    story.wish(
        (
            (
                "It's about the dispute over {title} in which I claimed {claim}. I need the words of the seller "
                "exactly as they stand in the answer, the day of that answer and the tracking code of the parcel."
            ),
            (
                "I refer to the dispute concerning {title} in which my claim was {claim}. Please let me have the "
                "words of the seller precisely as the answer has them, together with the day of that answer and "
                "the tracking code of the parcel."
            ),
            (
                "that dispute where i claimed {claim} for {title}: what are the words of the seller, exactly as "
                "in the answer? plus the day of that answer and the parcel's tracking code"
            ),
        ),
        title=listing["title"],
        claim=claim,
    )
    me = story.identify()
    disputes = story.call("list_member_disputes", member_id=me)["disputes"]
    mine = story.find(disputes, listing_title=listing["title"], claim_cents=claim)
    detail = story.call("get_dispute", dispute_id=mine["dispute_id"])
    parcel = story.call("get_purchase", purchase_id=detail["purchase_id"])
    story.answer("words of the seller", detail["answer"], source="dispute.answer")
    story.answer("day of that answer", story.date_of(detail["answered_at"]))
    story.answer("tracking code", parcel["tracking_code"], source="purchase.tracking_code")


@scenario
def sell_again_after_a_suspension(story: Story) -> None:
    """A suspended member wants to be active again, has a draft made and asks for the day of joining."""
    story.pick(
        "movement",
        "member_id IN (SELECT member_id FROM member WHERE state = 'suspended')",
        mine=True,
    )
    title = story.choose("title", ["Folding canoe", "Rowing machine", "Old racing bike"])
    category = story.choose("category", ["sports"])
    condition = story.choose("condition", ["good", "fair"])
    price = story.money(story.choose("price", [4500, 6200, 8900]))
    postage = story.money(story.choose("postage", [899, 1099]))
    story.wish(
        (
            (
                "My account was suspended, but that has been sorted out, so please make it active again. Then set"
                " up a draft for me in the category {category}: the title is {title}, the condition is "
                "{condition}, it costs {price}, and postage is {postage}. I'd also like to know my day of "
                "joining."
            ),
            (
                "As the matter behind the suspension of my account has been settled, I would be grateful if you "
                "could make the account active again and then create a draft for me, with the title {title}, in "
                "the category {category}, in the condition {condition}, at a price of {price} and with postage of"
                " {postage}. Please also inform me of my day of joining."
            ),
            (
                "suspension's sorted, so make my account active again. then do me a draft: title {title}, "
                "category {category}, condition {condition}, price {price}, postage {postage}. and what's my day "
                "of joining?"
            ),
        ),
        category=category,
        title=title,
        condition=condition,
        price=price,
        postage=postage,
    )
    me = story.identify()
    member = story.call("reinstate_member", member_id=me)
    story.call(
        "create_listing",
        member_id=me,
        title=title,
        category=category,
        condition=condition,
        price_cents=price,
        postage_cents=postage,
    )
    story.answer("day of joining", member["joined_on"])


@scenario
def register_my_aunt_and_give_her_money(story: Story) -> None:
    """The member has an aunt registered and money put on her new balance."""
    story.pick(
        "movement",
        "member_id IN (SELECT member_id FROM member WHERE state = 'active')",
        mine=True,
    )
    name = story.choose("name", ["Jule Winterfeldt"])
    email = story.choose("email", ["jule.winterfeldt@posthorn.example"])
    phone = story.choose("phone", ["0175 8830417", "0175 8830462"])
    postcode = story.choose("postcode", ["48151", "50733"])
    city = story.choose("city", ["Altenfeld", "Birkenau"])
    amount = story.money(story.choose("amount", [1500, 2000, 3500]))
    story.wish(
        (
            (
                "My aunt wants to join, could you register her? She is {name}, her mail is {email}, her phone "
                "{phone}, and she lives in {city}, postcode {postcode}. Once she is in, top up her new balance by"
                " {amount}; she has paid in the cash for it."
            ),
            (
                "I would be grateful if you could register my aunt as a member. Her name is {name}, her mail "
                "address {email}, her phone number {phone}; her home is in {city}, with the postcode {postcode}. "
                "As soon as this is done, please top up her new balance by {amount}, for which she has paid in "
                "the cash."
            ),
            (
                "can you sign my aunt up? {name}, mail {email}, phone {phone}, lives in {city}, postcode "
                "{postcode}. then top up her new balance by {amount}, she's paid in the cash for that"
            ),
        ),
        name=name,
        email=email,
        phone=phone,
        city=city,
        postcode=postcode,
        amount=amount,
    )
    story.identify()
    aunt = story.call("register_member", name=name, email=email, phone=phone, postcode=postcode, city=city)
    story.call("top_up", member_id=aunt["member_id"], amount_cents=amount)
