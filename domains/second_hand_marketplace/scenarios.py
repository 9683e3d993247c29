"""What people want of Second-Hand Marketplace: every function is a scenario."""

from runtime.story import Story, scenario

ONLY_ONE_ON_SALE = """
    NOT EXISTS (SELECT 1 FROM listing AS other WHERE other.seller_id = listing.seller_id
        AND other.status = 'active'
        AND other.listing_id <> listing.listing_id)
"""
SELLER_IS_HERE = """
    EXISTS (SELECT 1 FROM member WHERE member.member_id = listing.seller_id
        AND member.away_until IS NULL)
"""
NO_OPEN_OFFER = """
    NOT EXISTS (SELECT 1 FROM offer WHERE offer.listing_id = listing.listing_id
        AND offer.status IN ('pending', 'countered'))
"""
ONE_OPEN_OFFER = """
    (SELECT count(*) FROM offer WHERE offer.listing_id = listing.listing_id
        AND offer.status IN ('pending', 'countered')) = 1
"""
ON_SALE = """
    EXISTS (SELECT 1 FROM listing WHERE listing.listing_id = offer.listing_id
        AND listing.status = 'active')
"""
MAKES_SMALL_OFFER = """
    EXISTS (SELECT 1 FROM offer JOIN listing ON listing.listing_id = offer.listing_id WHERE offer.member_id = member.member_id
        AND offer.status = 'pending'
        AND offer.amount_cents <= 5000
        AND listing.shipping_cents > 0
        AND listing.price_cents >= offer.amount_cents + 200)
"""
STILL_TO_SHIP = "status IN ('awaiting_payment', 'paid')"
BUYER_HAS_OPEN_DISPUTE = """
    EXISTS (SELECT 1 FROM dispute JOIN purchase ON purchase.purchase_id = dispute.purchase_id WHERE purchase.buyer_id = member.member_id
        AND dispute.status = 'open'
        AND purchase.item_cents + purchase.shipping_cents >= 1000)
"""
NO_REVIEW = "NOT EXISTS (SELECT 1 FROM review WHERE review.purchase_id = purchase.purchase_id)"
TOTAL_OF_PURCHASE = """
    (SELECT purchase.item_cents + purchase.shipping_cents FROM purchase WHERE purchase.purchase_id = dispute.purchase_id)
"""
SAVED_BY_SAME = "(SELECT count(*) FROM saved_item AS every WHERE every.member_id = saved_item.member_id)"
STILL_ON_SALE = """
    EXISTS (SELECT 1 FROM listing WHERE listing.listing_id = saved_item.listing_id
        AND listing.status = 'active')
"""
SELLS_FOUR = """
    (SELECT count(*) FROM listing AS o WHERE o.seller_id = listing.seller_id
        AND o.status IN ('draft', 'active', 'hidden')) >= 4
"""
HAS_NO_OFFER_NOW = """
    NOT EXISTS (SELECT 1 FROM offer WHERE offer.listing_id = listing.listing_id
        AND offer.status IN ('pending', 'countered'))
"""
TWO_TO_FOUR_ON_SALE = """
    (SELECT count(*) FROM listing AS o WHERE o.seller_id = listing.seller_id
        AND o.status = 'active') BETWEEN 2
        AND 4
"""
SAVED_NOTHING = "NOT EXISTS (SELECT 1 FROM saved_item WHERE saved_item.member_id = member.member_id)"


@scenario
def report_a_move(story: Story) -> None:
    """The member moved and has a new phone number and a new home address."""
    phone = story.choose("phone", ["(303) 555-0188", "(971) 555-0163", "(512) 555-0194"])
    address = story.dictate("address", "418 Birch Lane, Apt 6, Toledo, OH 43604")
    story.wish(
        (
            "I moved and got a new phone number, {phone}. Can you update that and my home address? For the address, put exactly this: {address}",
            "I have moved, and my new phone number is {phone}. Could you please update it along with my home address? For the address, put exactly this: {address}",
            "can you update my phone to {phone} and my home address, i moved. for the address put exactly this: {address}",
        ),
        short="changing my phone number to {phone} and my home address to {address}",
        phone=phone,
        address=address,
    )
    key = story.identify()
    story.call("update_contact_details", member_id=key, phone=phone)
    story.call("update_home_address", member_id=key, address=address)


@scenario(form="fallback")
def go_on_vacation(story: Story) -> None:
    """The member wants to be set as away, and otherwise leaves a number for the trip."""
    story.pick("member", "away_until IS NULL", mine=True)
    day = story.day(story.choose("days", (9, 12, 16, 20)))
    phone = story.choose("phone", ["(808) 555-0121", "(907) 555-0136", "(406) 555-0172"])
    leave = story.wish(
        (
            "I'm heading out on a long trip. Can you set me as away through {day}?",
            "I am leaving on a long trip. Could you please set me as away through {day}?",
            "can you set me as away through {day}, going on a trip",
        ),
        short="setting me as away through {day}",
        day=day,
    )
    reach = story.otherwise(
        leave,
        (
            "Okay, then change my phone number to {phone}, so people can reach me there.",
            "In that case, please change my phone number to {phone}, so that I can be reached there.",
            "ok then just change my phone number to {phone} so i can be reached",
        ),
        short="changing my phone number to {phone}",
        phone=phone,
    )
    key = story.identify()
    if story.permits("start_vacation", wish=leave, member_id=key, until=day):
        story.call("start_vacation", wish=leave, member_id=key, until=day)
    else:
        story.decline(leave)
        story.call("update_contact_details", wish=reach, member_id=key, phone=phone)


@scenario(form="coupled")
def leave_after_hiding(story: Story) -> None:
    """The member wants to be set as away and to take the only listing off sale."""
    listing = story.pick(
        "listing",
        f"status = 'active' AND published_on <= ? AND {ONLY_ONE_ON_SALE} AND {SELLER_IS_HERE}",
        story.day(-21),
        unique_by=["seller_id", "title"],
        mine=True,
    )
    day = story.day(story.choose("days", (8, 11, 15, 19)))
    with story.together():
        leave = story.wish(
            (
                "I'll be out of town for a while. Please set me as away through {day}.",
                "I will be out of town for a while and would like to be set as away through {day}.",
                "set me as away through {day} please, i'll be out of town",
            ),
            short="setting me as away through {day}",
            day=day,
        )
        hide = story.wish(
            (
                "And take {title} off sale for now, I can't ship anything from there.",
                "Please also take {title} off sale for now, since I cannot ship anything from there.",
                "and take {title} off sale for now, can't ship from there",
            ),
            short="taking {title} off sale for now",
            title=listing["title"],
        )
    key = story.identify()
    listings = story.call("list_member_listings", wish=hide, member_id=key)["listings"]
    mine = story.find(listings, title=listing["title"])
    story.call("hide_listing", wish=hide, listing_id=mine["listing_id"])
    story.call("start_vacation", wish=leave, member_id=key, until=day)


@scenario(form="withheld")
def change_the_email(story: Story) -> None:
    """The member has a new email address and tells it only when asked."""
    change = story.wish(
        (
            "I lost access to my old inbox and set up a new email. Can you change it on my account?",
            "I have lost access to my old inbox and set up a new email. Could you please change it on my account?",
            "can you change the email on my account, got a new one since i lost my old inbox",
        ),
    )
    email = story.choose(
        "email",
        ["porchlight88@example.com", "tallpines41@example.com", "bluekettle7@example.com", "marbletown@example.com"],
    )
    story.keep_back("new email", email)
    story.in_short(change, "changing my email to {email}", email=email)
    story.call("update_contact_details", member_id=story.identify(), email=email)


@scenario
def move_up_a_tier(story: Story) -> None:
    """The member moves up to pro, pays the fee from the balance, and asks for the new balance."""
    story.pick("member", "tier <> 'pro' AND tier_since <= ?", story.day(-365), mine=True)
    tier = story.choose("tier", ["pro"])
    fee = story.money(story.choose("fee", [900]))
    story.wish(
        (
            "I'm selling a lot these days. Can you move me up to {tier}, charge the {fee} fee to my balance, and tell me my new balance?",
            "I am selling a lot these days. Could you please move me up to {tier}, charge the {fee} fee to my balance, and tell me my new balance?",
            "can you bump me up to {tier} and charge the {fee} fee to my balance? selling a lot now. what's my new balance",
        ),
        short="moving me up to {tier}, charging the {fee} fee to my balance, and telling me my new balance",
        tier=tier,
        fee=fee,
    )
    key = story.identify()
    story.call("change_tier", member_id=key, tier=tier)
    label = story.compose("fee label", "Upgrade fee")
    story.call("charge_fee", member_id=key, amount_cents=fee, label=label)
    after = story.call("list_account_entries", member_id=key)
    story.answer("new balance", story.money(after["balance_cents"]))


@scenario
def back_early(story: Story) -> None:
    """The member is back from vacation early and asks for the balance."""
    story.pick("member", "away_until IS NOT NULL", mine=True)
    story.wish(
        (
            "I'm back home earlier than planned. Can you take me off vacation and tell me how much is on my balance?",
            "I am back home earlier than planned. Could you please take me off vacation and tell me how much is on my balance?",
            "can you take me off vacation, i'm back home already. and how much is on my balance",
        ),
        short="taking me off vacation and telling me how much is on my balance",
    )
    back = story.call("end_vacation", member_id=story.identify())
    story.answer("balance", story.money(back["balance_cents"]))


@scenario
def remove_a_listing(story: Story) -> None:
    """The seller gave an item away and wants its listing removed."""
    listing = story.pick("listing", "status IN ('draft', 'hidden')", unique_by=["seller_id", "title"], mine=True)
    title = listing["title"]
    story.wish(
        (
            "I gave {title} to my neighbor, so I won't be selling it. Can you remove the listing for good?",
            "I gave {title} to my neighbor and will not be selling it. Could you please remove the listing for good?",
            "can you remove my listing {title} for good? gave it to my neighbor",
        ),
        short="removing my listing {title} for good",
        title=title,
    )
    listings = story.call("list_member_listings", member_id=story.identify())["listings"]
    story.call("remove_listing", listing_id=story.find(listings, title=title)["listing_id"])


@scenario
def price_and_shipping(story: Story) -> None:
    """The seller changes the price and the shipping of a listing."""
    listing = story.pick(
        "listing",
        f"status IN ('draft', 'active', 'hidden') AND {NO_OPEN_OFFER}",
        unique_by=["seller_id", "title"],
        mine=True,
    )
    title = listing["title"]
    price = story.money(
        story.choose("price", [each for each in (1800, 2700, 4400, 6200) if each != listing["price_cents"]])
    )
    shipping = story.money(
        story.choose("shipping", [each for each in (500, 800, 1200) if each != listing["shipping_cents"]])
    )
    story.wish(
        (
            "I looked around at what others charge. Can you change the price of {title} to {price} and the shipping to {shipping}?",
            "I have looked at what others charge. Could you please change the price of {title} to {price} and the shipping to {shipping}?",
            "can you change {title} to {price} and the shipping to {shipping}? checked what others charge",
        ),
        short="changing the price of {title} to {price} and the shipping to {shipping}",
        title=title,
        price=price,
        shipping=shipping,
    )
    listings = story.call("list_member_listings", member_id=story.identify())["listings"]
    mine = story.find(listings, title=title)
    story.call("change_price", listing_id=mine["listing_id"], price_cents=price)
    story.call("update_listing", listing_id=mine["listing_id"], shipping_cents=shipping)


@scenario
def sell_something_new(story: Story) -> None:
    """The seller drafts a listing, puts it on sale, and asks for its last day."""
    story.pick("member", "tier <> 'basic'", mine=True)
    title = story.choose(
        "title", ["Trek bike helmet", "Coleman camp stove", "Wilson tennis racket", "Speedo swim fins"]
    )
    category = story.choose("category", ["sports"])
    condition = story.choose("condition", ["good", "fair"])
    price = story.money(story.choose("price", [1500, 2000, 2500, 3200]))
    shipping = story.money(story.choose("shipping", [600, 700, 900]))
    note = story.dictate("note", "Used for two seasons, works fine")
    story.wish(
        (
            "Can you put my {title} on sale under {category}, {condition} condition, {price} plus {shipping} shipping, and tell me its last day? For the description, put exactly this: {note}",
            "Could you please put my {title} on sale under {category}, in {condition} condition, for {price} plus {shipping} shipping, and tell me its last day? For the description, put exactly this: {note}",
            "put my {title} on sale under {category}, {condition} condition, {price} plus {shipping} shipping. what's its last day? for the description put exactly this: {note}",
        ),
        short="putting my {title} on sale under {category} in {condition} condition for {price} plus {shipping} shipping, described as {note}, and telling me its last day",
        title=title,
        category=category,
        condition=condition,
        price=price,
        shipping=shipping,
        note=note,
    )
    drafted = story.call(
        "create_listing",
        member_id=story.identify(),
        title=title,
        category=category,
        condition=condition,
        price_cents=price,
        shipping_cents=shipping,
        description=note,
    )
    published = story.call("publish_listing", listing_id=drafted["listing_id"])
    story.answer("last day", published["expires_on"])


@scenario(form="denied")
def take_it_off_sale(story: Story) -> None:
    """The seller wants to take a listing off sale for now."""
    listing = story.pick("listing", "status = 'active'", unique_by=["seller_id", "title"], mine=True)
    title = listing["title"]
    hide = story.wish(
        (
            "I might keep {title} after all. Can you take it off sale for now?",
            "I may keep {title} after all. Could you please take it off sale for now?",
            "can you take {title} off sale for now? might keep it",
        ),
        short="taking {title} off sale for now",
        title=title,
    )
    story.insists(
        hide,
        (
            "My daughter is in tears over it, please.",
            "My daughter is in tears over it, so please reconsider.",
            "come on, my daughter is in tears over it",
        ),
    )
    listings = story.call("list_member_listings", member_id=story.identify())["listings"]
    mine = story.find(listings, title=title)
    if story.permits("hide_listing", listing_id=mine["listing_id"]):
        story.call("hide_listing", listing_id=mine["listing_id"])
    else:
        story.decline(hide)


@scenario(form="denied")
def draft_a_listing(story: Story) -> None:
    """The member wants to draft a listing for a thing found at home."""
    story.pick("member", "tier IN ('basic', 'plus', 'pro')", mine=True)
    title = story.choose("title", ["Brass floor lamp", "Wool area rug", "Oak wall shelf", "Copper tea kettle"])
    category = story.choose("category", ["home"])
    condition = story.choose("condition", ["good", "fair", "new"])
    price = story.money(story.choose("price", [1900, 2400, 3500, 5200]))
    shipping = story.money(story.choose("shipping", [800, 1100, 1400]))
    draft = story.wish(
        (
            "I'm cleaning out my place. Can you draft a listing for my {title} under {category}, {condition} condition, {price} plus {shipping} shipping?",
            "I am cleaning out my place. Could you please draft a listing for my {title} under {category}, in {condition} condition, for {price} plus {shipping} shipping?",
            "can you draft a listing for my {title} under {category}, {condition} condition, {price} plus {shipping} shipping? cleaning out my place",
        ),
        short="drafting a listing for my {title} under {category} in {condition} condition for {price} plus {shipping} shipping",
        title=title,
        category=category,
        condition=condition,
        price=price,
        shipping=shipping,
    )
    story.insists(
        draft,
        (
            "I really need the space, my place is tiny.",
            "I really need the space, because my place is tiny.",
            "pls, my place is tiny and i really need the space",
        ),
    )
    key = story.identify()
    if story.permits(
        "create_listing",
        member_id=key,
        title=title,
        category=category,
        condition=condition,
        price_cents=price,
        shipping_cents=shipping,
    ):
        story.call(
            "create_listing",
            member_id=key,
            title=title,
            category=category,
            condition=condition,
            price_cents=price,
            shipping_cents=shipping,
        )
    else:
        story.decline(draft)


@scenario(form="denied")
def change_the_price(story: Story) -> None:
    """The seller wants to change the price of a listing."""
    listing = story.pick("listing", "status = 'active'", unique_by=["seller_id", "title"], mine=True)
    title = listing["title"]
    price = story.money(
        story.choose("price", [each for each in (1300, 2300, 3900, 7600) if each != listing["price_cents"]])
    )
    change = story.wish(
        (
            "I got the price of {title} wrong when I put it up. Can you change it to {price}?",
            "I set the wrong price for {title} when I put it up. Could you please change it to {price}?",
            "can you change the price of {title} to {price}? got it wrong when i put it up",
        ),
        short="changing the price of {title} to {price}",
        title=title,
        price=price,
    )
    story.insists(
        change,
        (
            "I've never had any trouble changing a price before.",
            "I have never had any trouble with changing a price before.",
            "never had any trouble changing a price before",
        ),
    )
    listings = story.call("list_member_listings", member_id=story.identify())["listings"]
    mine = story.find(listings, title=title)
    if story.permits("change_price", listing_id=mine["listing_id"], price_cents=price):
        story.call("change_price", listing_id=mine["listing_id"], price_cents=price)
    else:
        story.decline(change)


@scenario(form="best_of")
def save_the_cheapest(story: Story) -> None:
    """Save the cheapest thing on sale up to a price that is not in a given condition."""
    story.pick("member", f"{SAVED_NOTHING}", mine=True)
    limit = story.money(story.choose("limit", [9000, 12000, 15000]))
    first = story.pick(
        "listing",
        "status = 'active' AND price_cents <= ?"
        " AND EXISTS (SELECT 1 FROM listing AS o WHERE o.status = 'active' AND o.condition <> listing.condition AND o.price_cents <= ?)"
        " AND NOT EXISTS (SELECT 1 FROM listing AS o WHERE o.status = 'active' AND o.price_cents < listing.price_cents)",
        limit,
        limit,
    )
    condition = first["condition"]
    story.pick(
        "listing",
        "status = 'active' AND price_cents <= ? AND condition <> ?"
        " AND NOT EXISTS (SELECT 1 FROM listing AS o WHERE o.status = 'active' AND o.condition <> ? AND o.listing_id <> listing.listing_id AND o.price_cents <= listing.price_cents)",
        limit,
        condition,
        condition,
    )
    story.wish(
        (
            "I need a silly gift for a swap at work. Of what's on sale for {limit} or less, please save the cheapest thing that isn't in {condition} condition to my list.",
            "I need a silly gift for a swap at work. Of what is on sale for {limit} or less, please save the cheapest thing that is not in {condition} condition to my list.",
            "save the cheapest thing on sale for {limit} or less to my list, just not one in {condition} condition. it's a silly gift for work",
        ),
        short="saving the cheapest thing on sale for {limit} or less that is not in {condition} condition to my list",
        limit=limit,
        condition=condition,
    )
    key = story.identify()
    listings = story.call("search_listings", max_price_cents=limit)["listings"]
    with story.wrong("forgets the condition"):
        unwanted = [each for each in listings if each["condition"] == condition]
        story.call("save_listing", member_id=key, listing_id=story.lowest(unwanted, "price_cents")["listing_id"])
    fitting = story.all_but(listings, condition=condition)
    cheapest = story.lowest(fitting, "price_cents")
    for other in story.others(fitting, cheapest, 1):
        with story.wrong("takes another one that fits"):
            story.call("save_listing", member_id=key, listing_id=other["listing_id"])
    story.call("save_listing", member_id=key, listing_id=cheapest["listing_id"])


@scenario(form="coupled")
def reprice_after_an_offer(story: Story) -> None:
    """The seller changes a price and turns down the one offer that stands in the way."""
    listing = story.pick(
        "listing",
        f"status = 'active' AND {ONE_OPEN_OFFER} AND EXISTS (SELECT 1 FROM offer WHERE offer.listing_id = listing.listing_id AND offer.status = 'pending')",
        unique_by=["seller_id", "title"],
        mine=True,
    )
    offer = story.pick(
        "offer", "listing_id = ? AND status = 'pending'", listing["listing_id"], unique_by=["listing_id", "status"]
    )
    title = listing["title"]
    price = story.money(
        story.choose("price", [each for each in (1600, 2900, 5300, 8400) if each != listing["price_cents"]])
    )
    amount = story.money(offer["amount_cents"])
    with story.together():
        change = story.wish(
            (
                "I rethought what {title} is worth. Please change the price to {price}.",
                "I have rethought what {title} is worth and would like to change the price to {price}.",
                "change the price of {title} to {price}, rethought what it's worth",
            ),
            short="changing the price of {title} to {price}",
            title=title,
            price=price,
        )
        refuse = story.wish(
            (
                "And turn down the {amount} offer I got for {title}.",
                "Please also turn down the {amount} offer that I received for {title}.",
                "and turn down the {amount} offer i got for {title}",
            ),
            short="turning down the {amount} offer for {title}",
            amount=amount,
            title=title,
        )
    listings = story.call("list_member_listings", wish=change, member_id=story.identify())["listings"]
    mine = story.find(listings, title=title)
    offers = story.call("list_offers_on_listing", wish=refuse, listing_id=mine["listing_id"])["offers"]
    pending = [each for each in offers if each["status"] == "pending"]
    story.call("decline_offer", wish=refuse, offer_id=story.find(pending, amount_cents=amount)["offer_id"])
    story.call("change_price", wish=change, listing_id=mine["listing_id"], price_cents=price)


@scenario
def keep_it_on_sale(story: Story) -> None:
    """The seller extends a listing, pays the fee from the balance, and asks for the new balance."""
    listing = story.pick(
        "listing",
        "status = 'active' AND expires_on <= ?",
        story.day(20),
        unique_by=["seller_id", "title"],
        mine=True,
    )
    title = listing["title"]
    fee = story.money(story.choose("fee", [120]))
    story.wish(
        (
            "Nobody's bought {title} so far. Can you extend the listing, charge the {fee} fee to my balance, and tell me my new balance?",
            "Nobody has bought {title} so far. Could you please extend the listing, charge the {fee} fee to my balance, and tell me my new balance?",
            "can you extend my listing {title} and charge the {fee} fee to my balance? nobody's bought it so far. what's my new balance",
        ),
        short="extending my listing {title}, charging the {fee} fee to my balance, and telling me my new balance",
        title=title,
        fee=fee,
    )
    key = story.identify()
    listings = story.call("list_member_listings", member_id=key)["listings"]
    story.call("extend_listing", listing_id=story.find(listings, title=title)["listing_id"])
    label = story.compose("fee label", "Extension fee")
    story.call("charge_fee", member_id=key, amount_cents=fee, label=label)
    after = story.call("list_account_entries", member_id=key)
    story.answer("new balance", story.money(after["balance_cents"]))


@scenario
def turn_down_an_offer(story: Story) -> None:
    """The seller turns down an offer for a listing."""
    listing = story.pick(
        "listing",
        "status = 'active' AND EXISTS (SELECT 1 FROM offer WHERE offer.listing_id = listing.listing_id AND offer.status = 'pending')",
        unique_by=["seller_id", "title"],
        mine=True,
    )
    offer = story.pick(
        "offer",
        "listing_id = ? AND status = 'pending'",
        listing["listing_id"],
        unique_by=["listing_id", "amount_cents", "status"],
    )
    title = listing["title"]
    amount = story.money(offer["amount_cents"])
    story.wish(
        (
            "Somebody offered me {amount} for {title}, and that's not enough. Can you turn it down?",
            "Somebody offered me {amount} for {title}, which is not enough. Could you please turn it down?",
            "can you turn down the {amount} offer for {title}? not enough",
        ),
        short="turning down the {amount} offer for {title}",
        amount=amount,
        title=title,
    )
    listings = story.call("list_member_listings", member_id=story.identify())["listings"]
    mine = story.find(listings, title=title)
    offers = story.call("list_offers_on_listing", listing_id=mine["listing_id"])["offers"]
    pending = [each for each in offers if each["status"] == "pending"]
    story.call("decline_offer", offer_id=story.find(pending, amount_cents=amount)["offer_id"])


@scenario
def take_an_offer(story: Story) -> None:
    """The seller accepts an offer and asks until when the buyer has to pay."""
    listing = story.pick(
        "listing",
        "status = 'active' AND EXISTS (SELECT 1 FROM offer WHERE offer.listing_id = listing.listing_id AND offer.status = 'pending' AND offer.made_on >= ?)",
        story.day(-5),
        unique_by=["seller_id", "title"],
        mine=True,
    )
    offer = story.pick(
        "offer",
        "listing_id = ? AND status = 'pending' AND made_on >= ?",
        listing["listing_id"],
        story.day(-5),
        unique_by=["listing_id", "amount_cents", "status"],
    )
    title = listing["title"]
    amount = story.money(offer["amount_cents"])
    story.wish(
        (
            "I'll take the {amount} I was offered for {title}. Can you accept it and tell me the buyer's last day to pay?",
            "I will take the {amount} that I was offered for {title}. Could you please accept it and tell me the last day to pay for the buyer?",
            "accept the {amount} offer for {title}, i'll take it. what's the buyer's last day to pay",
        ),
        short="accepting the {amount} offer for {title} and telling me the buyer's last day to pay",
        amount=amount,
        title=title,
    )
    listings = story.call("list_member_listings", member_id=story.identify())["listings"]
    mine = story.find(listings, title=title)
    offers = story.call("list_offers_on_listing", listing_id=mine["listing_id"])["offers"]
    pending = [each for each in offers if each["status"] == "pending"]
    accepted = story.call("accept_offer", offer_id=story.find(pending, amount_cents=amount)["offer_id"])
    story.answer("last day to pay", accepted["pay_by"])


@scenario
def ask_for_more(story: Story) -> None:
    """The seller answers an offer with a higher price."""
    listing = story.pick(
        "listing",
        "status = 'active' AND EXISTS (SELECT 1 FROM offer WHERE offer.listing_id = listing.listing_id AND offer.status = 'pending' AND offer.made_on >= ? AND offer.amount_cents + 200 <= listing.price_cents)",
        story.day(-5),
        unique_by=["seller_id", "title"],
        mine=True,
    )
    offer = story.pick(
        "offer",
        "listing_id = ? AND status = 'pending' AND made_on >= ? AND amount_cents + 200 <= ?",
        listing["listing_id"],
        story.day(-5),
        listing["price_cents"],
        unique_by=["listing_id", "amount_cents", "status"],
    )
    title = listing["title"]
    amount = story.money(offer["amount_cents"])
    middle = (offer["amount_cents"] + listing["price_cents"]) // 200 * 100
    price = story.money(story.choose("price", [middle]))
    story.wish(
        (
            "I got an offer of {amount} for {title}, but I need a bit more. Can you counter with {price}?",
            "I received an offer of {amount} for {title}, but I need a little more. Could you please counter with {price}?",
            "can you counter the {amount} offer for {title} with {price}? need a bit more",
        ),
        short="countering the {amount} offer for {title} with {price}",
        amount=amount,
        title=title,
        price=price,
    )
    listings = story.call("list_member_listings", member_id=story.identify())["listings"]
    mine = story.find(listings, title=title)
    offers = story.call("list_offers_on_listing", listing_id=mine["listing_id"])["offers"]
    pending = [each for each in offers if each["status"] == "pending"]
    story.call("counter_offer", offer_id=story.find(pending, amount_cents=amount)["offer_id"], counter_cents=price)


@scenario(form="denied")
def take_back_an_offer(story: Story) -> None:
    """The buyer wants to take back an open offer."""
    me = story.pick(
        "member",
        "EXISTS (SELECT 1 FROM offer WHERE offer.member_id = member.member_id AND offer.status IN ('pending', 'countered'))",
        mine=True,
    )
    offer = story.pick(
        "offer",
        "member_id = ? AND status IN ('pending', 'countered')",
        me["member_id"],
        unique_by=["member_id", "listing_id.title"],
        mine=True,
    )
    title = story.row("listing", offer["listing_id"])["title"]
    back = story.wish(
        (
            "I found something better than {title}. Can you take back the offer I made for it?",
            "I have found something better than {title}. Could you please take back the offer that I made for it?",
            "can you take back my offer for {title}? found something better",
        ),
        short="taking back my offer for {title}",
        title=title,
    )
    story.insists(
        back,
        (
            "The seller hasn't even looked at it, so who cares?",
            "The seller has not even looked at it, so it should not matter.",
            "seller hasn't even looked at it, so who cares",
        ),
    )
    offers = story.call("list_member_offers", member_id=story.identify())["offers"]
    mine = story.find(offers, title=title)
    if story.permits("withdraw_offer", offer_id=mine["offer_id"]):
        story.call("withdraw_offer", offer_id=mine["offer_id"])
    else:
        story.decline(back)


@scenario(form="denied")
def take_the_counter_price(story: Story) -> None:
    """The buyer wants to accept the price that the seller asked instead."""
    me = story.pick(
        "member",
        f"EXISTS (SELECT 1 FROM offer WHERE offer.member_id = member.member_id AND offer.status = 'countered' AND {ON_SALE})",
        mine=True,
    )
    offer = story.pick(
        "offer",
        f"member_id = ? AND status = 'countered' AND {ON_SALE}",
        me["member_id"],
        unique_by=["member_id", "listing_id.title", "status"],
        mine=True,
    )
    title = story.row("listing", offer["listing_id"])["title"]
    price = story.money(offer["counter_cents"])
    take = story.wish(
        (
            "The seller of {title} came back with {price}, and I'm fine with that. Can you accept it for me?",
            "The seller of {title} came back with {price}, which is fine with me. Could you please accept it for me?",
            "can you accept the {price} the seller of {title} came back with? fine with me",
        ),
        short="accepting the {price} that the seller of {title} came back with",
        title=title,
        price=price,
    )
    story.insists(
        take,
        (
            "I've been dreaming about this for weeks, please.",
            "I have been dreaming about this for weeks, so please help me.",
            "been dreaming about this for weeks, pls",
        ),
    )
    offers = story.call("list_member_offers", member_id=story.identify())["offers"]
    countered = [each for each in offers if each["status"] == "countered"]
    mine = story.find(countered, title=title)
    if story.permits("accept_counter_offer", offer_id=mine["offer_id"]):
        story.call("accept_counter_offer", offer_id=mine["offer_id"])
    else:
        story.decline(take)


@scenario(form="fallback")
def offer_or_save(story: Story) -> None:
    """The member wants to make an offer, and otherwise saves the listing."""
    me = story.pick("member", "joined_on <= ?", story.today, mine=True)
    listing = story.pick(
        "listing",
        "status = 'active' AND price_cents >= 1000 AND seller_id <> ?"
        " AND listing_id NOT IN (SELECT listing_id FROM saved_item WHERE member_id = ?)"
        " AND listing_id NOT IN (SELECT listing_id FROM offer WHERE member_id = ? AND status IN ('pending', 'countered'))",
        me["member_id"],
        me["member_id"],
        me["member_id"],
        unique_by=["title", "status"],
    )
    title = listing["title"]
    amount = story.money(story.choose("amount", [listing["price_cents"] * 4 // 500 * 100]))
    bid = story.wish(
        (
            "I'd love to get {title}, but not at full price. Can you offer the seller {amount}?",
            "I would love to get {title}, but not at the full price. Could you please offer the seller {amount}?",
            "can you offer the seller {amount} for {title}? want it, just not at full price",
        ),
        short="offering the seller {amount} for {title}",
        title=title,
        amount=amount,
    )
    keep = story.otherwise(
        bid,
        (
            "Okay, then save {title} to my list so I don't lose sight of it.",
            "In that case, please save {title} to my list so that I do not lose sight of it.",
            "ok then save {title} to my list so i don't lose it",
        ),
        short="saving {title} to my list",
        title=title,
    )
    key = story.identify()
    found = story.call("search_listings", wish=bid, words=title)["listings"]
    wanted = story.find(found, title=title)
    if story.permits("make_offer", wish=bid, member_id=key, listing_id=wanted["listing_id"], amount_cents=amount):
        story.call("make_offer", wish=bid, member_id=key, listing_id=wanted["listing_id"], amount_cents=amount)
    else:
        story.decline(bid)
        story.call("save_listing", wish=keep, member_id=key, listing_id=wanted["listing_id"])


@scenario(form="computed")
def raise_and_add_up(story: Story) -> None:
    """The buyer raises an offer and asks for the total with shipping."""
    me = story.pick("member", f"{MAKES_SMALL_OFFER}", mine=True)
    offer = story.pick(
        "offer",
        "member_id = ? AND status = 'pending' AND amount_cents <= 5000 AND listing_id IN "
        "(SELECT listing_id FROM listing WHERE shipping_cents > 0 AND price_cents >= offer.amount_cents + 200)",
        me["member_id"],
        unique_by=["member_id", "listing_id.title", "status"],
        mine=True,
    )
    listing = story.row("listing", offer["listing_id"])
    title = listing["title"]
    middle = (offer["amount_cents"] + listing["price_cents"]) // 200 * 100
    amount = story.money(story.choose("amount", [middle]))
    story.wish(
        (
            "I want to do better on {title}. Can you raise my offer to {amount} and tell me what my total would be then, with shipping?",
            "I would like to do better on {title}. Could you please raise my offer to {amount} and tell me what my total would be then, with shipping?",
            "raise my offer for {title} to {amount}. what would my total be then, with shipping",
        ),
        short="raising my offer for {title} to {amount} and telling me what my total would be then, with shipping",
        title=title,
        amount=amount,
    )
    offers = story.call("list_member_offers", member_id=story.identify())["offers"]
    pending = [each for each in offers if each["status"] == "pending"]
    mine = story.find(pending, title=title)
    shipping = story.call("get_listing", listing_id=mine["listing_id"])["shipping_cents"]
    with story.wrong("forgets the shipping"):
        raised = story.call("change_offer", offer_id=mine["offer_id"], amount_cents=amount)
        story.answer("total", story.money(raised["amount_cents"]))
    raised = story.call("change_offer", offer_id=mine["offer_id"], amount_cents=amount)
    parts = [{"cents": raised["amount_cents"]}, {"cents": shipping}]
    story.answer("total", story.money(story.total(parts, "cents")))


@scenario(form="mistaken")
def drop_an_offer_half_remembered(story: Story) -> None:
    """The buyer misremembers an offer, takes it back, and asks what the total would have been."""
    me = story.pick("member", f"{MAKES_SMALL_OFFER}", mine=True)
    offer = story.pick(
        "offer",
        "member_id = ? AND status = 'pending' AND amount_cents <= 5000 AND listing_id IN "
        "(SELECT listing_id FROM listing WHERE shipping_cents > 0 AND price_cents >= offer.amount_cents + 200)",
        me["member_id"],
        unique_by=["member_id", "listing_id.title", "status"],
        mine=True,
    )
    listing = story.row("listing", offer["listing_id"])
    title = listing["title"]
    wrong = story.money(offer["amount_cents"] + story.choose("off by", (300, 500, 700, 1200)))
    story.wish(
        (
            "I think I offered {amount} for {title}. Can you take it back and tell me what my total would've been with shipping?",
            "I think that I offered {amount} for {title}. Could you please take it back and tell me what my total would have been with shipping?",
            "pretty sure i offered {amount} for {title}, can you take it back? what would my total have been with shipping",
        ),
        short="taking back my offer for {title} and telling me what my total would have been with shipping",
        amount=wrong,
        title=title,
    )
    story.believes("offer", wrong, offer["amount_cents"])
    offers = story.call("list_member_offers", member_id=story.identify())["offers"]
    pending = [each for each in offers if each["status"] == "pending"]
    mine = story.find(pending, title=title)
    shipping = story.call("get_listing", listing_id=mine["listing_id"])["shipping_cents"]
    with story.wrong("trusts the customer"):
        story.call("withdraw_offer", offer_id=mine["offer_id"])
        story.answer("total", story.money(story.total([{"cents": wrong}, {"cents": shipping}], "cents")))
    with story.wrong("forgets the shipping"):
        story.call("withdraw_offer", offer_id=mine["offer_id"])
        story.answer("total", story.money(mine["amount_cents"]))
    story.call("withdraw_offer", offer_id=mine["offer_id"])
    parts = [{"cents": mine["amount_cents"]}, {"cents": shipping}]
    story.answer("total", story.money(story.total(parts, "cents")))


@scenario
def i_shipped_it(story: Story) -> None:
    """The seller reports that a sold item is on its way."""
    listing = story.pick(
        "listing",
        "EXISTS (SELECT 1 FROM purchase WHERE purchase.listing_id = listing.listing_id AND purchase.status = 'paid')",
        unique_by=["seller_id", "title"],
        mine=True,
    )
    title = listing["title"]
    carrier = story.choose("carrier", ["USPS", "UPS", "FedEx"])
    number = story.choose("number", ["7740921836KX", "5518604427QB", "9036127750MD", "2284715093TW"])
    story.wish(
        (
            "I dropped off {title} this morning. Can you mark it shipped with {carrier}, tracking number {number}?",
            "I dropped off {title} this morning. Could you please mark it as shipped with {carrier}, tracking number {number}?",
            "can you mark {title} shipped with {carrier}, tracking number {number}? dropped it off this morning",
        ),
        short="marking {title} as shipped with {carrier}, tracking number {number}",
        title=title,
        carrier=carrier,
        number=number,
    )
    sales = story.call("list_sales", member_id=story.identify())["purchases"]
    paid = [each for each in sales if each["status"] == "paid"]
    sold = story.find(paid, title=title)
    story.call("mark_shipped", purchase_id=sold["purchase_id"], carrier=carrier, tracking_number=number)


@scenario
def it_arrived(story: Story) -> None:
    """The buyer confirms that a purchase arrived and asks when it shipped."""
    me = story.pick(
        "member", "EXISTS (SELECT 1 FROM purchase WHERE buyer_id = member.member_id AND status = 'shipped')", mine=True
    )
    purchase = story.pick(
        "purchase",
        "buyer_id = ? AND status = 'shipped'",
        me["member_id"],
        unique_by=["buyer_id", "listing_id.title", "status"],
        mine=True,
    )
    title = story.row("listing", purchase["listing_id"])["title"]
    story.wish(
        (
            "{title} just got here. Can you confirm the delivery for me and tell me the ship date?",
            "My purchase {title} has just arrived. Could you please confirm the delivery and tell me the ship date?",
            "can you confirm the delivery of {title}? just got here. what was the ship date",
        ),
        short="confirming the delivery of {title} and telling me the ship date",
        title=title,
    )
    purchases = story.call("list_purchases", member_id=story.identify())["purchases"]
    shipped = [each for each in purchases if each["status"] == "shipped"]
    confirmed = story.call("confirm_delivery", purchase_id=story.find(shipped, title=title)["purchase_id"])
    story.answer("ship date", confirmed["shipped_on"])


@scenario
def wrong_tracking_number(story: Story) -> None:
    """The seller corrects the tracking number of a sale that shipped."""
    listing = story.pick(
        "listing",
        "EXISTS (SELECT 1 FROM purchase WHERE purchase.listing_id = listing.listing_id AND purchase.status = 'shipped')",
        unique_by=["seller_id", "title"],
        mine=True,
    )
    title = listing["title"]
    number = story.choose("number", ["4471930268RF", "8829405163HN", "3160748259VC", "6605217384JZ"])
    story.wish(
        (
            "The buyer of {title} can't track it, I typed the number wrong. Can you correct the tracking number to {number}?",
            "The buyer of {title} cannot track it, because I typed the number wrong. Could you please correct the tracking number to {number}?",
            "can you correct the tracking number for {title} to {number}? i typed it wrong and the buyer can't track it",
        ),
        short="correcting the tracking number for {title} to {number}",
        title=title,
        number=number,
    )
    sales = story.call("list_sales", member_id=story.identify())["purchases"]
    shipped = [each for each in sales if each["status"] == "shipped"]
    sold = story.find(shipped, title=title)
    story.call("correct_tracking", purchase_id=sold["purchase_id"], tracking_number=number)


@scenario(form="denied")
def cancel_a_purchase(story: Story) -> None:
    """Cancel a purchase that was made by mistake."""
    me = story.pick(
        "member", f"EXISTS (SELECT 1 FROM purchase WHERE buyer_id = member.member_id AND {STILL_TO_SHIP})", mine=True
    )
    purchase = story.pick(
        "purchase",
        f"buyer_id = ? AND {STILL_TO_SHIP}",
        me["member_id"],
        unique_by=["buyer_id", "listing_id.title"],
        mine=True,
    )
    title = story.row("listing", purchase["listing_id"])["title"]
    reason = story.compose("reason", "Bought {title} by mistake", title=title)
    cancel = story.wish(
        (
            "I bought the {title} by mistake. Can you cancel that purchase?",
            "I bought the {title} by mistake. Could you please cancel that purchase?",
            "can you cancel my purchase of the {title}? bought it by mistake",
        ),
        short="canceling my purchase of the {title}, which I bought by mistake",
        title=title,
    )
    story.insists(
        cancel,
        (
            "It's my money, so this shouldn't be that hard.",
            "It is my money, so this should not be that hard.",
            "it's my money, shouldn't be this hard",
        ),
    )
    purchases = story.call("list_purchases", member_id=story.identify())["purchases"]
    bought = story.find(purchases, title=title)
    if story.permits("cancel_purchase", purchase_id=bought["purchase_id"], reason=reason):
        story.call("cancel_purchase", purchase_id=bought["purchase_id"], reason=reason)
    else:
        story.decline(cancel)


@scenario(form="changed_mind")
def ship_it_elsewhere(story: Story) -> None:
    """The buyer has a purchase sent to a post office box and then corrects the box."""
    me = story.pick(
        "member",
        f"EXISTS (SELECT 1 FROM purchase WHERE buyer_id = member.member_id AND {STILL_TO_SHIP} AND item_cents <= 6000)",
        mine=True,
    )
    purchase = story.pick(
        "purchase",
        f"buyer_id = ? AND {STILL_TO_SHIP} AND item_cents <= 6000",
        me["member_id"],
        unique_by=["buyer_id", "listing_id.title"],
        mine=True,
    )
    title = story.row("listing", purchase["listing_id"])["title"]
    first = story.choose("first", ["PO Box 214, Boulder", "PO Box 571, Salem"])
    second = story.choose("second", ["PO Box 241, Boulder", "PO Box 517, Salem"])
    move = story.wish(
        (
            "I won't be home when {title} comes. Can you have it shipped to {place} instead?",
            "I will not be home when {title} arrives. Could you please have it shipped to {place} instead?",
            "can you have {title} shipped to {place} instead? won't be home",
        ),
        short="having {title} shipped to {place} instead",
        title=title,
        place=first,
    )
    correct = story.changes_mind(
        move,
        (
            "Sorry, I got that wrong. Make it {place}.",
            "I apologize, I gave you the wrong one. Please make it {place}.",
            "oops wrong one, make it {place}",
        ),
        short="having it shipped to {place}",
        place=second,
    )
    purchases = story.call("list_purchases", wish=move, member_id=story.identify())["purchases"]
    bought = story.find(purchases, title=title)
    story.call("change_delivery_address", wish=move, purchase_id=bought["purchase_id"], address=first)
    story.call("change_delivery_address", wish=correct, purchase_id=bought["purchase_id"], address=second)


@scenario(form="computed")
def buy_and_add_up(story: Story) -> None:
    """The member buys a listing and asks for the total with everything that was delivered before."""
    me = story.pick(
        "member",
        "EXISTS (SELECT 1 FROM purchase WHERE buyer_id = member.member_id AND status = 'delivered')",
        mine=True,
    )
    listing = story.pick(
        "listing", "status = 'active' AND seller_id <> ?", me["member_id"], unique_by=["title", "status"]
    )
    title = listing["title"]
    story.wish(
        (
            "I'll take {title} at the asking price. Can you buy it and tell me my total with shipping, together with everything that was already delivered to me?",
            "I will take {title} at the asking price. Could you please buy it and tell me my total with shipping, together with everything that was already delivered to me?",
            "buy {title} for me at the asking price. what's my total with shipping, together with everything already delivered to me",
        ),
        short="buying {title} at the asking price and telling me my total with shipping, together with everything that was already delivered to me",
        title=title,
    )
    key = story.identify()
    found = story.call("search_listings", words=title)["listings"]
    wanted = story.find(found, title=title)
    purchases = story.call("list_purchases", member_id=key)["purchases"]
    delivered = [{"cents": each["total_cents"]} for each in purchases if each["status"] == "delivered"]
    with story.wrong("forgets what was delivered"):
        made = story.call("buy_now", member_id=key, listing_id=wanted["listing_id"])
        story.answer("total", story.money(made["total_cents"]))
    made = story.call("buy_now", member_id=key, listing_id=wanted["listing_id"])
    story.answer("total", story.money(story.total([{"cents": made["total_cents"]}, *delivered], "cents")))


@scenario(form="mistaken")
def pay_what_i_owe(story: Story) -> None:
    """The buyer misremembers what a purchase comes to, pays by card, and asks for the total."""
    me = story.pick(
        "member",
        "EXISTS (SELECT 1 FROM purchase WHERE buyer_id = member.member_id AND status = 'awaiting_payment' AND shipping_cents > 0)",
        mine=True,
    )
    purchase = story.pick(
        "purchase",
        "buyer_id = ? AND status = 'awaiting_payment' AND shipping_cents > 0",
        me["member_id"],
        unique_by=["buyer_id", "listing_id.title", "status"],
        mine=True,
    )
    title = story.row("listing", purchase["listing_id"])["title"]
    wrong = story.money(
        purchase["item_cents"] + purchase["shipping_cents"] + story.choose("off by", (100, 250, 400, 900))
    )
    method = story.choose("method", ["card"])
    story.wish(
        (
            "I think {title} came to {amount} with shipping. Can you put it through on my {method} and tell me the total I'm paying?",
            "I think that {title} came to {amount} with shipping. Could you please put it through on my {method} and tell me the total that I am paying?",
            "pretty sure {title} came to {amount} with shipping, can you put it through on my {method}? what's the total i'm paying",
        ),
        short="paying for {title} with my {method} and telling me the total I'm paying",
        title=title,
        amount=wrong,
        method=method,
    )
    story.believes("total", wrong, purchase["item_cents"] + purchase["shipping_cents"])
    purchases = story.call("list_purchases", member_id=story.identify())["purchases"]
    unpaid = [each for each in purchases if each["status"] == "awaiting_payment"]
    mine = story.find(unpaid, title=title)
    with story.wrong("trusts the customer"):
        story.call("pay_purchase", purchase_id=mine["purchase_id"], method=method)
        story.answer("total", wrong)
    with story.wrong("leaves out the shipping"):
        paid = story.call("pay_purchase", purchase_id=mine["purchase_id"], method=method)
        story.answer("total", story.money(paid["item_cents"]))
    paid = story.call("pay_purchase", purchase_id=mine["purchase_id"], method=method)
    story.answer("total", story.money(paid["total_cents"]))


@scenario
def change_my_stars(story: Story) -> None:
    """The buyer changes the stars of a review."""
    review = story.pick(
        "review", "stars BETWEEN 1 AND 5", unique_by=["purchase_id.buyer_id", "purchase_id.listing_id.title"], mine=True
    )
    purchase = story.row("purchase", review["purchase_id"])
    title = story.row("listing", purchase["listing_id"])["title"]
    side = story.choose("side", {"I've written": "written"})
    stars = story.choose("stars", [each for each in (2, 3, 4, 5) if each != review["stars"]])
    note = story.dictate("note", "Changed my rating after using it for a while")
    story.wish(
        (
            "I see {title} differently now. Can you change the review {side} for it to {stars} stars and the text to exactly this: {note}",
            "I see {title} differently now. Could you please change the review {side} for it to {stars} stars and its text to exactly this: {note}",
            "can you change the review {side} for {title} to {stars} stars, and the text to exactly this: {note}",
        ),
        short="changing the review {side} for {title} to {stars} stars and its text to {note}",
        title=title,
        side=side,
        stars=stars,
        note=note,
    )
    reviews = story.call("list_reviews", member_id=story.identify(), side=side)["reviews"]
    story.call("change_review", review_id=story.find(reviews, title=title)["review_id"], stars=stars, text=note)


@scenario
def change_my_claim(story: Story) -> None:
    """The buyer changes the amount claimed in an open dispute."""
    me = story.pick("member", f"{BUYER_HAS_OPEN_DISPUTE}", mine=True)
    dispute = story.pick(
        "dispute",
        f"status = 'open' AND {TOTAL_OF_PURCHASE} >= 1000 AND purchase_id IN (SELECT purchase_id FROM purchase WHERE buyer_id = ?)",
        me["member_id"],
        unique_by=["purchase_id.listing_id.title", "status"],
        mine=True,
    )
    purchase = story.row("purchase", dispute["purchase_id"])
    title = story.row("listing", purchase["listing_id"])["title"]
    amount = story.money(
        story.choose("amount", [each for each in (400, 600, 800, 1000) if each != dispute["claim_cents"]])
    )
    story.wish(
        (
            "I got the repair cost wrong for {title}. Can you change the claim in my open dispute to {amount}?",
            "I misjudged the repair cost for {title}. Could you please change the claim in my open dispute to {amount}?",
            "can you change the claim in my open dispute over {title} to {amount}? got the repair cost wrong",
        ),
        short="changing the claim in my open dispute over {title} to {amount}",
        title=title,
        amount=amount,
    )
    disputes = story.call("list_disputes", member_id=story.identify())["disputes"]
    running = [each for each in disputes if each["status"] == "open"]
    story.call("change_dispute", dispute_id=story.find(running, title=title)["dispute_id"], claim_cents=amount)


@scenario(form="denied")
def report_damage(story: Story) -> None:
    """The buyer wants to open a dispute about something that arrived damaged."""
    me = story.pick(
        "member",
        "EXISTS (SELECT 1 FROM purchase WHERE buyer_id = member.member_id AND status = 'delivered')",
        mine=True,
    )
    purchase = story.pick(
        "purchase",
        "buyer_id = ? AND status = 'delivered' AND item_cents >= 1000",
        me["member_id"],
        unique_by=["buyer_id", "listing_id.title"],
        mine=True,
    )
    title = story.row("listing", purchase["listing_id"])["title"]
    kind = story.choose("kind", ["damaged"])
    amount = story.money(story.choose("amount", [500, 700, 900, 1000]))
    note = story.dictate("note", "There is a long crack along one side")
    claim = story.wish(
        (
            "{title} turned out to be {kind}. Can you open a dispute for {amount}? For the details, put exactly this: {note}",
            "I found that {title} is {kind}. Could you please open a dispute for {amount}? For the details, put exactly this: {note}",
            "can you open a dispute for {amount}, {title} is {kind}. for the details put exactly this: {note}",
        ),
        short="opening a dispute for {amount} because {title} is {kind}, with the details {note}",
        title=title,
        kind=kind,
        amount=amount,
        note=note,
    )
    story.insists(
        claim,
        (
            "That's really unfair, I didn't break it.",
            "I find that very unfair, because I did not break it.",
            "that's so unfair, i didn't break it",
        ),
    )
    purchases = story.call("list_purchases", member_id=story.identify())["purchases"]
    bought = story.find(purchases, title=title)
    if story.permits("open_dispute", purchase_id=bought["purchase_id"], kind=kind, claim_cents=amount, details=note):
        story.call("open_dispute", purchase_id=bought["purchase_id"], kind=kind, claim_cents=amount, details=note)
    else:
        story.decline(claim)


@scenario(form="conditional")
def dispute_or_review(story: Story) -> None:
    """The buyer opens a dispute if the purchase was expensive and only reviews it if it was cheap."""
    me = story.pick(
        "member",
        f"EXISTS (SELECT 1 FROM purchase WHERE buyer_id = member.member_id AND status = 'delivered' AND delivered_on >= ? AND {NO_REVIEW})",
        story.day(-14),
        mine=True,
    )
    purchase = story.pick(
        "purchase",
        f"buyer_id = ? AND status = 'delivered' AND delivered_on >= ? AND item_cents >= 1000 AND {NO_REVIEW}",
        me["member_id"],
        story.day(-14),
        unique_by=["buyer_id", "listing_id.title"],
        mine=True,
    )
    title = story.row("listing", purchase["listing_id"])["title"]
    limit = story.money(story.choose("limit", [3000, 5000, 8000]))
    stars = story.choose("stars", [2, 3])
    kind = story.choose("kind", ["damaged"])
    amount = story.money(story.choose("amount", [600, 800, 1000]))
    note = story.dictate("note", "The finish is badly scratched")
    story.wish(
        (
            "If {title} cost me less than {limit} before shipping, give it {stars} stars. If it was that or more, open a dispute for {amount}, it came {kind}. For the details, put exactly this: {note}",
            "If {title} cost me less than {limit} before shipping, please give it {stars} stars. If it was that or more, please open a dispute for {amount}, as it came {kind}. For the details, put exactly this: {note}",
            "give {title} {stars} stars if it cost me less than {limit} before shipping. if it was that or more, open a dispute for {amount}, it came {kind}. for the details put exactly this: {note}",
        ),
        short="giving {title} {stars} stars if it cost less than {limit} before shipping, and opening a dispute for {amount} because it came {kind} if it was more, details {note}",
        title=title,
        limit=limit,
        stars=stars,
        amount=amount,
        kind=kind,
        note=note,
    )
    purchases = story.call("list_purchases", member_id=story.identify())["purchases"]
    bought = story.find(purchases, title=title)
    key = bought["purchase_id"]
    cheap = story.call("get_purchase", purchase_id=key)["item_cents"] < limit
    with story.wrong("takes the other branch"):
        if cheap:
            story.call("open_dispute", purchase_id=key, kind=kind, claim_cents=amount, details=note)
        else:
            story.call("write_review", purchase_id=key, stars=stars)
    with story.wrong("does both"):
        story.call("write_review", purchase_id=key, stars=stars)
        story.call("open_dispute", purchase_id=key, kind=kind, claim_cents=amount, details=note)
    if cheap:
        story.call("write_review", purchase_id=key, stars=stars)
    else:
        story.call("open_dispute", purchase_id=key, kind=kind, claim_cents=amount, details=note)


@scenario(form="coupled")
def make_peace(story: Story) -> None:
    """The buyer reviews a purchase and drops the dispute about it."""
    me = story.pick("member", f"{BUYER_HAS_OPEN_DISPUTE}", mine=True)
    dispute = story.pick(
        "dispute",
        "status = 'open' AND prior_status = 'delivered' AND purchase_id IN "
        f"(SELECT purchase_id FROM purchase WHERE buyer_id = ? AND delivered_on >= ? AND {NO_REVIEW})",
        me["member_id"],
        story.day(-14),
        unique_by=["purchase_id.listing_id.title", "status"],
        mine=True,
    )
    purchase = story.pick(
        "purchase",
        "purchase_id = ?",
        dispute["purchase_id"],
        unique_by=["buyer_id", "listing_id.title"],
    )
    title = story.row("listing", purchase["listing_id"])["title"]
    stars = story.choose("stars", [3, 4, 5])
    with story.together():
        rate = story.wish(
            (
                "The seller of {title} was nice about everything. Please leave a review with {stars} stars for it.",
                "The seller of {title} was kind about everything. I would like to leave a review with {stars} stars for it.",
                "leave a review with {stars} stars for {title}, the seller was nice about everything",
            ),
            short="leaving a review with {stars} stars for {title}",
            title=title,
            stars=stars,
        )
        drop = story.wish(
            (
                "And drop my dispute over {title}, we worked it out.",
                "Please also withdraw my dispute over {title}, as we worked it out.",
                "and drop my dispute over {title}, we worked it out",
            ),
            short="dropping my dispute over {title}",
            title=title,
        )
    key = story.identify()
    disputes = story.call("list_disputes", wish=drop, member_id=key)["disputes"]
    running = [each for each in disputes if each["status"] == "open"]
    mine = story.find(running, title=title)
    story.call("withdraw_dispute", wish=drop, dispute_id=mine["dispute_id"])
    story.call("write_review", wish=rate, purchase_id=mine["purchase_id"], stars=stars)


@scenario(form="withheld")
def review_a_purchase(story: Story) -> None:
    """The buyer wants to leave a review and tells the stars only when asked."""
    me = story.pick(
        "member",
        f"EXISTS (SELECT 1 FROM purchase WHERE buyer_id = member.member_id AND status = 'delivered' AND delivered_on >= ? AND {NO_REVIEW})",
        story.day(-14),
        mine=True,
    )
    purchase = story.pick(
        "purchase",
        f"buyer_id = ? AND status = 'delivered' AND delivered_on >= ? AND {NO_REVIEW}",
        me["member_id"],
        story.day(-14),
        unique_by=["buyer_id", "listing_id.title"],
        mine=True,
    )
    title = story.row("listing", purchase["listing_id"])["title"]
    rate = story.wish(
        (
            "I've had {title} for a few days now. Can you leave a review for me, just stars and no text?",
            "I have had {title} for a few days now. Could you please leave a review for me, with stars and no text?",
            "can you leave a review for {title}, just stars and no text? had it a few days now",
        ),
        title=title,
    )
    stars = story.choose("stars", [2, 3, 4, 5])
    story.keep_back("stars", stars)
    story.in_short(rate, "leaving a review for {title} without text, with {stars} stars", title=title, stars=stars)
    purchases = story.call("list_purchases", member_id=story.identify())["purchases"]
    story.call("write_review", purchase_id=story.find(purchases, title=title)["purchase_id"], stars=stars)


@scenario(form="outside")
def refund_and_pickup(story: Story) -> None:
    """The seller settles a dispute with a refund and also wants the item picked up, which nobody here can do."""
    listing = story.pick(
        "listing",
        "EXISTS (SELECT 1 FROM purchase JOIN dispute ON dispute.purchase_id = purchase.purchase_id "
        "WHERE purchase.listing_id = listing.listing_id AND dispute.status = 'open' AND dispute.claim_cents >= 300)",
        unique_by=["seller_id", "title"],
        mine=True,
    )
    dispute = story.pick(
        "dispute",
        "status = 'open' AND claim_cents >= 300 AND purchase_id IN (SELECT purchase_id FROM purchase WHERE listing_id = ?)",
        listing["listing_id"],
        unique_by=["purchase_id.listing_id.title", "status"],
    )
    title = listing["title"]
    amount = story.money(
        story.choose("amount", [each for each in (200, 300, 500, 1000) if each <= dispute["claim_cents"]])
    )
    story.wish(
        (
            "The buyer of {title} isn't happy and I want this over with. Can you settle the dispute with a refund of {amount}?",
            "The buyer of {title} is not happy, and I want this to be over. Could you please settle the dispute with a refund of {amount}?",
            "can you settle the dispute over {title} with a refund of {amount}? buyer isn't happy, i want this over with",
        ),
        short="settling the dispute over {title} with a refund of {amount}",
        title=title,
        amount=amount,
    )
    disputes = story.call("list_disputes", member_id=story.identify())["disputes"]
    running = [each for each in disputes if each["status"] == "open"]
    story.call("refund_dispute", dispute_id=story.find(running, title=title)["dispute_id"], refund_cents=amount)
    story.outside(
        (
            "And can you send someone to pick it up from the buyer?",
            "Could you please also send someone to pick it up from the buyer?",
            "and can you send someone to pick it up from the buyer",
        )
    )


@scenario
def cancel_a_payout(story: Story) -> None:
    """The member no longer needs a payout and asks for the balance after canceling it."""
    payout = story.pick(
        "account_entry",
        "kind = 'payout' AND status = 'requested'",
        unique_by=["member_id", "kind", "status", "booked_on"],
        mine=True,
    )
    day = payout["booked_on"]
    story.wish(
        (
            "I asked for a payout on {day} but don't need it anymore. Can you cancel it and tell me my new balance?",
            "I requested a payout on {day}, but I no longer need it. Could you please cancel it and tell me my new balance?",
            "can you cancel the payout i asked for on {day}? and what's my new balance",
        ),
        short="canceling the payout I asked for on {day} and telling me my new balance",
        day=day,
    )
    key = story.identify()
    entries = story.call("list_account_entries", member_id=key)["entries"]
    waiting = [each for each in entries if each["kind"] == "payout" and each["status"] == "requested"]
    story.call("cancel_payout", entry_id=story.find(waiting, booked_on=day)["entry_id"])
    after = story.call("list_account_entries", member_id=key)
    story.answer("new balance", story.money(after["balance_cents"]))


@scenario
def extend_and_pay(story: Story) -> None:
    """The member extends a listing, pays the fee from the balance, and asks until when it is up."""
    listing = story.pick(
        "listing",
        "status = 'active' AND expires_on <= ?",
        story.day(20),
        unique_by=["seller_id", "title"],
        mine=True,
    )
    title = listing["title"]
    fee = story.money(story.choose("fee", [120]))
    story.wish(
        (
            "{title} hasn't sold yet. Can you extend it, charge the {fee} fee to my balance, and tell me the new last day?",
            "My listing {title} has not sold yet. Could you please extend it, charge the {fee} fee to my balance, and tell me the new last day?",
            "can you extend {title} and charge the {fee} fee to my balance? what's the new last day",
        ),
        short="extending {title}, charging the {fee} fee to my balance, and telling me the new last day",
        title=title,
        fee=fee,
    )
    key = story.identify()
    listings = story.call("list_member_listings", member_id=key)["listings"]
    extended = story.call("extend_listing", listing_id=story.find(listings, title=title)["listing_id"])
    label = story.compose("fee label", "Extension fee")
    story.call("charge_fee", member_id=key, amount_cents=fee, label=label)
    story.answer("new last day", extended["expires_on"])


@scenario(form="fallback")
def take_money_out(story: Story) -> None:
    """The member wants a payout and otherwise spends the money on a listing."""
    me = story.pick("member", "balance_cents >= 1000", mine=True)
    listing = story.pick(
        "listing", "status = 'active' AND seller_id <> ?", me["member_id"], unique_by=["title", "status"]
    )
    amount = story.money(story.choose("amount", [500, 700, 800, 1000]))
    pay = story.wish(
        (
            "I could use some cash this week. Can you pay out {amount} of my balance?",
            "I could use some cash this week. Could you please pay out {amount} of my balance?",
            "can you pay out {amount} of my balance? need some cash this week",
        ),
        short="paying out {amount} of my balance",
        amount=amount,
    )
    buy = story.otherwise(
        pay,
        (
            "Okay, then I'll go shopping instead. Please buy {title} for me at the asking price.",
            "In that case, I would rather go shopping. Please buy {title} for me at the asking price.",
            "ok then i'll shop instead, buy {title} for me at the asking price",
        ),
        short="buying {title} for me at the asking price",
        title=listing["title"],
    )
    key = story.identify()
    if story.permits("request_payout", wish=pay, member_id=key, amount_cents=amount):
        story.call("request_payout", wish=pay, member_id=key, amount_cents=amount)
    else:
        story.decline(pay)
        found = story.call("search_listings", wish=buy, words=listing["title"])["listings"]
        wanted = story.find(found, title=listing["title"])
        story.call("buy_now", wish=buy, member_id=key, listing_id=wanted["listing_id"])


@scenario(form="all_but")
def clear_the_saved_list(story: Story) -> None:
    """The member clears the saved list except for one item."""
    kept = story.pick(
        "saved_item",
        f"{SAVED_BY_SAME} BETWEEN 3 AND 6",
        unique_by=["member_id", "listing_id.title"],
        mine=True,
    )
    title = story.row("listing", kept["listing_id"])["title"]
    story.wish(
        (
            "My saved list is a mess. Can you clear everything off it except {title}?",
            "My saved list has become messy. Could you please remove everything from it except {title}?",
            "can you clear out my saved list? just keep {title}, the rest can go",
        ),
        short="clearing everything off my saved list except {title}",
        title=title,
    )
    saved = story.call("list_saved_items", member_id=story.identify())["saved_items"]
    with story.wrong("forgets the exception"):
        for each in saved:
            story.call("remove_saved_item", saved_item_id=each["saved_item_id"])
    for each in story.all_but(saved, title=title):
        story.call("remove_saved_item", saved_item_id=each["saved_item_id"])


@scenario(form="conditional")
def buy_if_there_is_enough(story: Story) -> None:
    """The member buys a listing if the balance is high enough, and saves it otherwise."""
    me = story.pick("member", "balance_cents IS NOT NULL", mine=True)
    listing = story.pick(
        "listing",
        "status = 'active' AND seller_id <> ? AND listing_id NOT IN (SELECT listing_id FROM saved_item WHERE member_id = ?)",
        me["member_id"],
        me["member_id"],
        unique_by=["title", "status"],
    )
    title = listing["title"]
    limit = story.money(story.choose("limit", [1500, 3000, 5000, 8000]))
    story.wish(
        (
            "If my balance is {limit} or more, buy {title} at the asking price. If it's less, save it to my list.",
            "If my balance is {limit} or more, please buy {title} at the asking price. If it is less, please save it to my list.",
            "buy {title} at the asking price if my balance is {limit} or more. if it's less, save it to my list",
        ),
        short="buying {title} at the asking price if my balance is {limit} or more, and saving it to my list if it's less",
        limit=limit,
        title=title,
    )
    key = story.identify()
    balance = story.call("list_account_entries", member_id=key)["balance_cents"]
    found = story.call("search_listings", words=title)["listings"]
    wanted = story.find(found, title=title)
    right, other = ("buy_now", "save_listing") if balance >= limit else ("save_listing", "buy_now")
    with story.wrong("takes the other branch"):
        story.call(other, member_id=key, listing_id=wanted["listing_id"])
    with story.wrong("does both"):
        story.call("save_listing", member_id=key, listing_id=wanted["listing_id"])
        story.call("buy_now", member_id=key, listing_id=wanted["listing_id"])
    story.call(right, member_id=key, listing_id=wanted["listing_id"])


@scenario(form="coupled")
def save_it_afresh(story: Story) -> None:
    """Save a listing again with a note, in place of the old entry."""
    old = story.pick(
        "saved_item",
        f"{STILL_ON_SALE}",
        unique_by=["member_id", "listing_id.title"],
        mine=True,
    )
    listing = story.pick("listing", "listing_id = ?", old["listing_id"], unique_by=["title", "status"])
    title = listing["title"]
    note = story.dictate("note", "Wait for payday")
    with story.together():
        save = story.wish(
            (
                "Please save the {title} to my list with a note that says exactly this: {note}",
                "I would like to save the {title} to my list with exactly this note: {note}",
                "can you save the {title} to my list? for the note put exactly this: {note}",
            ),
            short="saving the {title} to my list with the note {note}",
            title=title,
            note=note,
        )
        drop = story.wish(
            (
                "And take the old entry for the {title} off my list, it's out of date.",
                "Please also remove the old entry for the {title} from my list, as it is out of date.",
                "and take the old entry for the {title} off my list, it's outdated",
            ),
            short="taking the old entry for the {title} off my list",
            title=title,
        )
    key = story.identify()
    saved = story.call("list_saved_items", wish=drop, member_id=key)["saved_items"]
    entry = story.find(saved, title=title)
    story.call("remove_saved_item", wish=drop, saved_item_id=entry["saved_item_id"])
    story.call("save_listing", wish=save, member_id=key, listing_id=entry["listing_id"], note=note)


@scenario(form="looked_up")
def drop_one_by_category(story: Story) -> None:
    """The member removes a saved item of a category, without knowing its name."""
    item = story.pick(
        "saved_item",
        f"{SAVED_BY_SAME} BETWEEN 2 AND 4",
        unique_by=["member_id", "listing_id.category"],
        mine=True,
    )
    category = story.row("listing", item["listing_id"])["category"]
    story.wish(
        (
            "I saved something listed under {category}, I forget what it's called. Can you take it off my saved list?",
            "I saved something that is listed under {category}, but I forget its name. Could you please remove it from my saved list?",
            "can you take that thing listed under {category} off my saved list? forgot the name",
        ),
        short="taking the thing listed under {category} off my saved list",
        category=category,
    )
    saved = story.call("list_saved_items", member_id=story.identify())["saved_items"]
    details = [story.call("get_listing", listing_id=each["listing_id"]) for each in saved]
    meant = story.find(details, category=category)
    mine = story.find(saved, listing_id=meant["listing_id"])
    for other in story.others(saved, mine):
        with story.wrong("takes the first that fits"):
            story.call("remove_saved_item", saved_item_id=other["saved_item_id"])
    story.call("remove_saved_item", saved_item_id=mine["saved_item_id"])


@scenario(form="outside")
def payout_and_paper_check(story: Story) -> None:
    """The member requests a payout and also wants a paper check, which nobody here can send."""
    story.pick("member", "balance_cents >= 5000", mine=True)
    amount = story.money(story.choose("amount", [1500, 2000, 3000, 4500]))
    story.wish(
        (
            "I've got a bill coming up. Can you request a payout of {amount} from my balance?",
            "I have a bill coming up. Could you please request a payout of {amount} from my balance?",
            "can you request a payout of {amount} from my balance, got a bill coming",
        ),
        short="requesting a payout of {amount} from my balance",
        amount=amount,
    )
    story.call("request_payout", member_id=story.identify(), amount_cents=amount)
    story.outside(
        (
            "And can you overnight me a paper check for it?",
            "Could you please also send me a paper check for it by overnight mail?",
            "and can you overnight me a paper check for that",
        )
    )


@scenario(form="ambiguous")
def reprice_one_of_mine(story: Story) -> None:
    """The seller changes the price of one of several listings and names it only when asked."""
    listing = story.pick(
        "listing",
        f"status IN ('draft', 'active', 'hidden') AND {SELLS_FOUR} AND {HAS_NO_OFFER_NOW}",
        unique_by=["seller_id", "title"],
        mine=True,
    )
    title = listing["title"]
    price = story.money(story.choose("price", [each for each in (1730, 2680, 4370) if each != listing["price_cents"]]))
    change = story.wish(
        (
            "I need to change the price of one of my unsold listings to {price}. Can you do that?",
            "I would like to change the price of one of my unsold listings to {price}. Could you please do that?",
            "can you change the price of one of my unsold listings to {price}?",
        ),
        price=price,
    )
    story.keep_back("title", title)
    story.in_short(
        change, "changing the price of one of my unsold listings to {price}, {title}", price=price, title=title
    )
    listings = story.call("list_member_listings", member_id=story.identify())["listings"]
    unsold = [each for each in listings if each["status"] in ("draft", "active", "hidden")]
    mine = story.find(unsold, title=title)
    for other in story.others(unsold, mine):
        with story.wrong("takes another one that fits"):
            story.call("change_price", listing_id=other["listing_id"], price_cents=price)
    story.call("change_price", listing_id=mine["listing_id"], price_cents=price)


@scenario(form="ambiguous")
def new_shipping_for_one(story: Story) -> None:
    """The seller changes the shipping of one of several listings and names it only when asked."""
    listing = story.pick(
        "listing",
        f"status IN ('draft', 'active', 'hidden') AND {SELLS_FOUR} AND {HAS_NO_OFFER_NOW}",
        unique_by=["seller_id", "title"],
        mine=True,
    )
    title = listing["title"]
    shipping = story.money(
        story.choose("shipping", [each for each in (620, 880, 1330) if each != listing["shipping_cents"]])
    )
    change = story.wish(
        (
            "I weighed one of the things I haven't sold yet. Can you set its shipping to {shipping}?",
            "I weighed one of the things that I have not sold yet. Could you please set its shipping to {shipping}?",
            "can you set the shipping to {shipping} for one of the things i haven't sold yet? weighed it",
        ),
        shipping=shipping,
    )
    story.keep_back("title", title)
    story.in_short(
        change,
        "setting the shipping to {shipping} for one of the things I haven't sold yet, {title}",
        shipping=shipping,
        title=title,
    )
    listings = story.call("list_member_listings", member_id=story.identify())["listings"]
    unsold = [each for each in listings if each["status"] in ("draft", "active", "hidden")]
    mine = story.find(unsold, title=title)
    for other in story.others(unsold, mine):
        with story.wrong("takes another one that fits"):
            story.call("update_listing", listing_id=other["listing_id"], shipping_cents=shipping)
    story.call("update_listing", listing_id=mine["listing_id"], shipping_cents=shipping)


@scenario(form="looked_up")
def reprice_by_last_day(story: Story) -> None:
    """The seller changes the price of the listing that ends on a given day."""
    listing = story.pick(
        "listing",
        f"status = 'active' AND {TWO_TO_FOUR_ON_SALE} AND {HAS_NO_OFFER_NOW}",
        unique_by=["seller_id", "status", "expires_on"],
        mine=True,
    )
    day = listing["expires_on"]
    price = story.money(story.choose("price", [each for each in (1570, 2840, 4620) if each != listing["price_cents"]]))
    story.wish(
        (
            "One of my listings on sale ends on {day}, I forget which. Can you change its price to {price}?",
            "One of my listings on sale ends on {day}, but I forget which. Could you please change its price to {price}?",
            "can you change the price to {price} for my listing on sale that ends on {day}? forgot which one",
        ),
        short="changing the price to {price} for my listing on sale that ends on {day}",
        day=day,
        price=price,
    )
    listings = story.call("list_member_listings", member_id=story.identify())["listings"]
    active = [each for each in listings if each["status"] == "active"]
    details = [story.call("get_listing", listing_id=each["listing_id"]) for each in active]
    meant = story.find(details, expires_on=day)
    for other in story.others(details, meant):
        with story.wrong("takes the first that fits"):
            story.call("change_price", listing_id=other["listing_id"], price_cents=price)
    story.call("change_price", listing_id=meant["listing_id"], price_cents=price)


@scenario(form="looked_up")
def shipping_by_first_day(story: Story) -> None:
    """The seller changes the shipping of the listing that went on sale on a given day."""
    listing = story.pick(
        "listing",
        f"status = 'active' AND {TWO_TO_FOUR_ON_SALE} AND {HAS_NO_OFFER_NOW}",
        unique_by=["seller_id", "status", "published_on"],
        mine=True,
    )
    day = listing["published_on"]
    shipping = story.money(
        story.choose("shipping", [each for each in (640, 910, 1270) if each != listing["shipping_cents"]])
    )
    story.wish(
        (
            "I charge too little for shipping on something of mine that went on sale on {day}. Can you make it {shipping}?",
            "I charge too little for shipping on something of mine that went on sale on {day}. Could you please make it {shipping}?",
            "can you make the shipping {shipping} on that thing of mine that went on sale on {day}? charging too little",
        ),
        short="making the shipping {shipping} on the thing of mine that went on sale on {day}",
        day=day,
        shipping=shipping,
    )
    listings = story.call("list_member_listings", member_id=story.identify())["listings"]
    active = [each for each in listings if each["status"] == "active"]
    details = [story.call("get_listing", listing_id=each["listing_id"]) for each in active]
    meant = story.find(details, published_on=day)
    for other in story.others(details, meant):
        with story.wrong("takes the first that fits"):
            story.call("update_listing", listing_id=other["listing_id"], shipping_cents=shipping)
    story.call("update_listing", listing_id=meant["listing_id"], shipping_cents=shipping)


@scenario(form="best_of")
def buy_the_cheapest_other(story: Story) -> None:
    """The member buys the cheapest thing on sale outside one category."""
    lowest = story.pick(
        "listing",
        "status = 'active' AND NOT EXISTS (SELECT 1 FROM listing AS o WHERE o.status = 'active' AND o.price_cents < listing.price_cents)",
        unique_by=["status", "price_cents"],
    )
    best = story.pick(
        "listing",
        "status = 'active' AND category <> ? AND NOT EXISTS (SELECT 1 FROM listing AS o"
        " WHERE o.status = 'active' AND o.category <> ? AND o.price_cents < listing.price_cents)",
        lowest["category"],
        lowest["category"],
        unique_by=["status", "price_cents"],
    )
    story.pick("member", "member_id NOT IN (?, ?)", lowest["seller_id"], best["seller_id"], mine=True)
    category = lowest["category"]
    story.wish(
        (
            "I need a cheap gift for a party game. Please buy me the cheapest thing on sale that isn't listed under {category}.",
            "I need a cheap gift for a party game. Please buy me the cheapest thing on sale that is not listed under {category}.",
            "buy me the cheapest thing on sale that isn't listed under {category}, it's for a party game",
        ),
        short="buying me the cheapest thing on sale that isn't listed under {category}",
        category=category,
    )
    key = story.identify()
    listings = story.call("search_listings")["listings"]
    with story.wrong("forgets the condition"):
        story.call("buy_now", member_id=key, listing_id=story.lowest(listings, "price_cents")["listing_id"])
    fitting = [each for each in listings if each["category"] != category]
    cheapest = story.lowest(fitting, "price_cents")
    for other in story.others(fitting, cheapest, 1):
        with story.wrong("takes another one that fits"):
            story.call("buy_now", member_id=key, listing_id=other["listing_id"])
    story.call("buy_now", member_id=key, listing_id=cheapest["listing_id"])


@scenario(form="all_but")
def save_a_category(story: Story) -> None:
    """The member saves everything on sale in a category except for one thing."""
    story.pick("member", f"{SAVED_NOTHING}", mine=True)
    skipped = story.pick(
        "listing",
        "status = 'active' AND (SELECT count(*) FROM listing AS o WHERE o.status = 'active' AND o.category = listing.category) BETWEEN 3 AND 6",
        unique_by=["status", "title"],
    )
    category = skipped["category"]
    title = skipped["title"]
    story.wish(
        (
            "I want to compare a few things tonight. Can you save everything on sale under {category} to my list, except {title}?",
            "I would like to compare a few things tonight. Could you please save everything on sale under {category} to my list, except {title}?",
            "can you save everything on sale under {category} to my list? skip {title}, want to compare the rest tonight",
        ),
        short="saving everything on sale under {category} to my list except {title}",
        category=category,
        title=title,
    )
    key = story.identify()
    found = story.call("search_listings", category=category)["listings"]
    with story.wrong("forgets the exception"):
        for each in found:
            story.call("save_listing", member_id=key, listing_id=each["listing_id"])
    for each in story.all_but(found, title=title):
        story.call("save_listing", member_id=key, listing_id=each["listing_id"])


@scenario(form="all_but")
def save_the_bargains(story: Story) -> None:
    """The member saves everything on sale up to a price except for one thing."""
    story.pick("member", f"{SAVED_NOTHING}", mine=True)
    limit = story.money(story.choose("limit", [1500, 2000, 2500, 3000, 4000]))
    skipped = story.pick(
        "listing",
        "status = 'active' AND price_cents <= ? AND (SELECT count(*) FROM listing AS o WHERE o.status = 'active' AND o.price_cents <= ?) BETWEEN 3 AND 6",
        limit,
        limit,
        unique_by=["status", "title"],
    )
    title = skipped["title"]
    story.wish(
        (
            "I'm on a tight budget this month. Can you save everything on sale for {limit} or less to my list, except {title}?",
            "I am on a tight budget this month. Could you please save everything on sale for {limit} or less to my list, except {title}?",
            "can you save everything on sale for {limit} or less to my list? skip {title}, tight budget this month",
        ),
        short="saving everything on sale for {limit} or less to my list except {title}",
        limit=limit,
        title=title,
    )
    key = story.identify()
    found = story.call("search_listings", max_price_cents=limit)["listings"]
    with story.wrong("forgets the exception"):
        for each in found:
            story.call("save_listing", member_id=key, listing_id=each["listing_id"])
    for each in story.all_but(found, title=title):
        story.call("save_listing", member_id=key, listing_id=each["listing_id"])


@scenario(form="best_of")
def save_the_best_of_a_kind(story: Story) -> None:
    """Save the most expensive thing on sale up to a price that is not of a given category."""
    story.pick("member", f"{SAVED_NOTHING}", mine=True)
    limit = story.money(story.choose("limit", [9000, 12000, 15000]))
    first = story.pick(
        "listing",
        "status = 'active' AND price_cents <= ?"
        " AND NOT EXISTS (SELECT 1 FROM listing AS o WHERE o.status = 'active' AND o.price_cents > listing.price_cents AND o.price_cents <= ?)",
        limit,
        limit,
        unique_by=["price_cents", "status"],
    )
    category = first["category"]
    story.pick(
        "listing",
        "status = 'active' AND price_cents <= ? AND category <> ?"
        " AND NOT EXISTS (SELECT 1 FROM listing AS o WHERE o.status = 'active' AND o.category <> ? AND o.price_cents > listing.price_cents AND o.price_cents <= ?)"
        " AND EXISTS (SELECT 1 FROM listing AS o WHERE o.status = 'active' AND o.category <> ? AND o.price_cents < listing.price_cents)",
        limit,
        category,
        category,
        limit,
        category,
        unique_by=["price_cents", "status"],
    )
    story.wish(
        (
            "I just got my bonus. Of what's on sale for {limit} or less, please save the most expensive thing that isn't listed under {category} to my list.",
            "I have just received my bonus. Of what is on sale for {limit} or less, please save the most expensive thing that is not listed under {category} to my list.",
            "just got my bonus, save the most expensive thing on sale for {limit} or less to my list, just nothing listed under {category}",
        ),
        short="saving the most expensive thing on sale for {limit} or less that is not listed under {category} to my list",
        limit=limit,
        category=category,
    )
    key = story.identify()
    listings = story.call("search_listings", max_price_cents=limit)["listings"]
    with story.wrong("forgets the condition"):
        story.call("save_listing", member_id=key, listing_id=story.highest(listings, "price_cents")["listing_id"])
    fitting = story.all_but(listings, category=category)
    top = story.highest(fitting, "price_cents")
    for other in story.others(fitting, top, 1):
        with story.wrong("takes another one that fits"):
            story.call("save_listing", member_id=key, listing_id=other["listing_id"])
    story.call("save_listing", member_id=key, listing_id=top["listing_id"])


@scenario(form="changed_mind")
def fix_a_phone_typo(story: Story) -> None:
    """The member gives a new phone number and then corrects it."""
    first = story.choose("first", ["(303) 555-0116", "(971) 555-0127"])
    second = story.choose("second", ["(303) 555-0161", "(971) 555-0172"])
    number = story.wish(
        (
            "I switched carriers and got a new number. Can you change my phone to {phone}?",
            "I switched carriers and have a new number. Could you please change my phone to {phone}?",
            "can you change my phone to {phone}? switched carriers",
        ),
        short="changing my phone to {phone}",
        phone=first,
    )
    correct = story.changes_mind(
        number,
        (
            "Sorry, I mixed up the digits. It's {phone}.",
            "I apologize, I mixed up the digits. It is {phone}.",
            "oops mixed that up, it's {phone}",
        ),
        short="changing my phone to {phone}",
        phone=second,
    )
    key = story.identify()
    story.call("update_contact_details", wish=number, member_id=key, phone=first)
    story.call("update_contact_details", wish=correct, member_id=key, phone=second)


@scenario(form="changed_mind")
def pick_another_email(story: Story) -> None:
    """The member gives a new email and then decides on another one."""
    first = story.choose("first", ["maplehouse12@example.com", "quietriver30@example.com"])
    second = story.choose("second", ["cedarroof55@example.com", "openfield19@example.com"])
    change = story.wish(
        (
            "I'm done with my old inbox. Can you set my email to {email}?",
            "I no longer use my old inbox. Could you please set my email to {email}?",
            "set my email to {email} please, done with my old inbox",
        ),
        short="setting my email to {email}",
        email=first,
    )
    correct = story.changes_mind(
        change,
        (
            "Actually, make that {email}, I check it more often.",
            "Actually, please make that {email}, which I check more often.",
            "actually make that {email}, i check it more",
        ),
        short="setting my email to {email}",
        email=second,
    )
    key = story.identify()
    story.call("update_contact_details", wish=change, member_id=key, email=first)
    story.call("update_contact_details", wish=correct, member_id=key, email=second)
