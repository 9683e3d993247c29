"""What people want of Mile High Express: every function is a scenario."""

from runtime.story import Story, scenario

OWED = """
    (SELECT coalesce(sum(CASE WHEN e.kind IN ('shipping', 'fee') THEN e.amount_cents ELSE -e.amount_cents END), 0) FROM account_entry AS e WHERE e.customer_id = customer.customer_id
        AND e.voided_at IS NULL)
"""
MOVABLE = "state IN ('booked', 'collected', 'at_depot', 'held') AND route_id IS NULL"
IN_ONE_PICKUP = """
    EXISTS (SELECT 1 FROM pickup AS p WHERE p.pickup_id = shipment.pickup_id
        AND p.state = 'scheduled'
        AND NOT EXISTS (SELECT 1 FROM pickup AS q WHERE q.customer_id = p.customer_id
        AND q.pickup_on = p.pickup_on
        AND q.pickup_id <> p.pickup_id))
"""
AT_DEPOT = "state = 'at_depot' AND route_id IS NULL"
ON_ROUTE = "state = 'at_depot' AND route_id IS NOT NULL"
ROOM = """
    (SELECT count(*) FROM shipment AS s WHERE s.route_id = route.route_id) < (SELECT c.capacity_parcels FROM courier AS c WHERE c.courier_id = route.courier_id)
"""
ENTRY_OWED = """
    (SELECT coalesce(sum(CASE WHEN e.kind IN ('shipping', 'fee') THEN e.amount_cents ELSE -e.amount_cents END), 0) FROM account_entry AS e WHERE e.customer_id = account_entry.customer_id
        AND e.voided_at IS NULL)
"""
SHORT_LIST = """
    (SELECT count(*) FROM account_entry AS e WHERE e.customer_id = customer.customer_id
        AND e.voided_at IS NULL) <= 20
"""
ENTRY_SHORT_LIST = """
    (SELECT count(*) FROM account_entry AS e WHERE e.customer_id = account_entry.customer_id
        AND e.voided_at IS NULL) <= 20
"""
FOUR_OR_MORE = "(SELECT count(*) FROM shipment AS s WHERE s.customer_id = shipment.customer_id) BETWEEN 4 AND 15"


@scenario
def account_for_my_partner(story: Story) -> None:
    """The customer opens an account for someone else."""
    who = story.choose("name", ["Nora Whitaker"])
    email = story.choose("email", ["nora.whitaker@example.com"])
    phone = story.choose("phone", ["505-555-0137"])
    code = story.choose("ZIP code", ["87106"])
    tier = story.choose("tier", ["standard", "plus", "business"])
    story.wish(
        (
            "My business partner wants to ship too. Can you open a {tier} account for {who}, {email}, {phone}, billing ZIP code {code}?",
            "I would like you to open a {tier} account for my business partner, {who}. The details are {email}, {phone}, and billing ZIP code {code}.",
            "can you open a {tier} account for my business partner {who}? it's {email}, {phone}, billing zip {code}",
        ),
        short="opening a {tier} account for {who}, {email}, {phone}, billing ZIP code {code}",
        tier=tier,
        who=who,
        email=email,
        phone=phone,
        code=code,
    )
    story.identify()
    story.call("add_customer", full_name=who, email=email, phone=phone, zip_code=code, tier=tier)


@scenario(form="changed_mind")
def wrong_email_first(story: Story) -> None:
    """The customer changes the email address and then corrects a typo."""
    first = story.choose("email", ["shipping.desk@example.com"])
    second = story.choose("right email", ["shipping.desk@example.org", "shipping.desk@example.net"])
    change = story.wish(
        (
            "I've got a new email, {email}. Can you update it?",
            "My email address is now {email}. Could you please update it?",
            "new email for you, {email}, can you change it?",
        ),
        short="changing my email to {email}",
        email=first,
    )
    correct = story.changes_mind(
        change,
        (
            "Sorry, typo. My new email is {email}.",
            "I apologize, I typed that wrong. My new email address is {email}.",
            "oops typo, my new email's {email}",
        ),
        short="changing my email to {email}",
        email=second,
    )
    key = story.identify()
    story.call("update_customer_contact", wish=change, customer_id=key, email=first)
    story.call("update_customer_contact", wish=correct, customer_id=key, email=second)


@scenario(form="computed")
def one_more_on_my_tab(story: Story) -> None:
    """The customer asks what they would owe with one more package."""
    story.pick("customer", f"{OWED} > 0", unique_by=["customer_id"], mine=True)
    service = story.choose("service", ["overnight", "ground"])
    grams = story.choose("weight", [1600, 2400, 4100])
    value = story.money(story.choose("value", [12500, 26000, 41000]))
    day = story.day(3)
    story.wish(
        (
            "I may ship {grams} grams worth {value} {service} on {day}. What's my total with what I already owe, and the delivery day?",
            "I am thinking of shipping {grams} grams worth {value} {service} on {day}. What is my total with what I already owe, and the delivery day?",
            "if i ship {grams} grams worth {value} {service} on {day}, what's my total with what i already owe, and the delivery day",
        ),
        short="telling me my total with what I already owe if I ship {grams} grams worth {value} {service} on {day}, and the delivery day",
        grams=grams,
        value=value,
        service=service,
        day=day,
    )
    card = story.call("get_customer", customer_id=story.identify())
    quote = story.call("quote_shipment", service=service, weight_grams=grams, declared_value_cents=value, ship_on=day)
    parts = [{"cents": quote["price_cents"]}]
    with story.wrong("forgets what is owed already"):
        story.answer("total", story.money(story.total(parts, "cents")))
        story.answer("delivery day", quote["promised_on"])
    story.answer("total", story.money(story.total([{"cents": card["balance_cents"]}, *parts], "cents")))
    story.answer("delivery day", quote["promised_on"])


@scenario(form="looked_up")
def moved_in_there(story: Story) -> None:
    """The customer takes over the ZIP code of an address they sent a package to."""
    parcel = story.pick(
        "shipment",
        """
        (SELECT count(*) FROM shipment AS s WHERE s.customer_id = shipment.customer_id) BETWEEN 2 AND 4
        AND NOT EXISTS (
            SELECT 1 FROM shipment AS s
            WHERE s.customer_id = shipment.customer_id AND s.shipment_id <> shipment.shipment_id AND s.zip_code = shipment.zip_code
        )
        AND NOT EXISTS (
            SELECT 1 FROM customer AS c JOIN shipment AS s ON s.customer_id = c.customer_id
            WHERE c.customer_id = shipment.customer_id AND s.zip_code = c.zip_code
        )
        """,
        unique_by=["customer_id", "city"],
        mine=True,
    )
    story.wish(
        (
            "I moved to the place in {city} that you took a package of mine to. Can you make its ZIP code my billing ZIP code?",
            "I now live at the place in {city} that one of my packages went to. Could you please make its ZIP code my billing ZIP code?",
            "can you make the zip of the place in {city} i sent a package to my billing zip? moved there",
        ),
        short="making the ZIP code of the place in {city} that I sent a package to my billing ZIP code",
        city=parcel["city"],
    )
    key = story.identify()
    listed = story.call("list_customer_shipments", customer_id=key)["shipments"]
    shown = [story.call("get_shipment", shipment_id=each["shipment_id"]) for each in listed]
    there = story.find(shown, city=parcel["city"])
    for other in story.others(shown, there):
        with story.wrong("takes another package"):
            story.call("update_customer_contact", customer_id=key, zip_code=other["zip_code"])
    story.call("update_customer_contact", customer_id=key, zip_code=there["zip_code"])


@scenario(form="mistaken")
def since_when(story: Story) -> None:
    """The customer has the account suspended and asks since when they have had it."""
    me = story.pick("customer", "status = 'active'", unique_by=["customer_id"], mine=True)
    status = story.choose("status", ["suspended"])
    wrong = story.after(me["joined_on"], days=-story.choose("days", (4, 9, 21, 30)))
    story.wish(
        (
            "I think I joined on {day}, but what's the real start date? And I'm away a while, so please set my account to {status}.",
            "I believe that I joined on {day}. Could you please tell me the real start date, and set my account to {status}?",
            "pretty sure i joined on {day}, what's the real start date? and set my account to {status} pls",
        ),
        short="telling me the real start date and setting my account to {status}",
        day=wrong,
        status=status,
    )
    story.believes("start date", wrong, me["joined_on"])
    key = story.identify()
    card = story.call("get_customer", customer_id=key)
    with story.wrong("trusts the customer"):
        story.call("set_customer_status", customer_id=key, status=status)
        story.answer("start date", wrong)
    with story.wrong("forgets to suspend the account"):
        story.answer("start date", card["joined_on"])
    story.call("set_customer_status", customer_id=key, status=status)
    story.answer("start date", card["joined_on"])


@scenario(form="withheld")
def new_phone_number(story: Story) -> None:
    """The customer has a new phone number and tells it when asked."""
    change = story.wish(
        (
            "I switched carriers and got a new phone number. Can you update it on my account?",
            "I have a new phone number. Could you please update it on my account?",
            "got a new phone number, can you update it on my account?",
        )
    )
    phone = story.choose("phone", ["505-555-0111", "505-555-0124", "505-555-0158", "505-555-0176"])
    story.keep_back("new phone number", phone)
    story.in_short(change, "changing the phone number on my account to {phone}", phone=phone)
    key = story.identify()
    story.call("update_customer_contact", customer_id=key, phone=phone)


@scenario(form="withheld")
def new_billing_zip(story: Story) -> None:
    """The customer moved and tells the new billing ZIP code when asked."""
    change = story.wish(
        (
            "I moved last weekend, so my billing ZIP code is wrong now. Can you change it?",
            "I have moved, and my billing ZIP code is no longer right. Could you please change it?",
            "moved last weekend, can you change my billing zip code?",
        )
    )
    code = story.choose("ZIP code", ["87102", "87107", "87112", "88001"])
    story.keep_back("new ZIP code", code)
    story.in_short(change, "changing my billing ZIP code to {code}", code=code)
    key = story.identify()
    story.call("update_customer_contact", customer_id=key, zip_code=code)


@scenario
def fix_the_weight(story: Story) -> None:
    """The customer corrects the weight of a booked package and asks for the new price."""
    parcel = story.pick(
        "shipment",
        "state = 'booked' AND weight_grams NOT IN (1800, 3400, 5200, 7600)",
        unique_by=["customer_id", "recipient_name"],
        mine=True,
    )
    name = parcel["recipient_name"]
    grams = story.choose("weight", [1800, 3400, 5200, 7600])
    story.wish(
        (
            "I got the weight wrong on my package to {name}. It's really {grams} grams. Can you fix that and tell me the new price?",
            "The weight of my package to {name} is not right. Could you please change it to {grams} grams and tell me the new price?",
            "can you fix the weight on my package to {name}? it's {grams} grams. what's the new price",
        ),
        short="changing the weight of my package to {name} to {grams} grams and telling me the new price",
        name=name,
        grams=grams,
    )
    shipments = story.call("list_customer_shipments", customer_id=story.identify())["shipments"]
    mine = story.find(shipments, recipient_name=name)
    fixed = story.call("correct_shipment_details", shipment_id=mine["shipment_id"], weight_grams=grams)
    story.answer("new price", story.money(fixed["price_cents"]))


@scenario
def send_it_elsewhere(story: Story) -> None:
    """The customer has a package delivered to another address and asks when it is due."""
    parcel = story.pick(
        "shipment",
        f"{MOVABLE} AND service IN ('two_day', 'ground')",
        unique_by=["customer_id", "recipient_name"],
        mine=True,
    )
    name = parcel["recipient_name"]
    street = story.choose("street", ["18 Bear Creek Ave", "402 Stone St", "75 Canyon Vista Ln"])
    city = story.choose("city", ["Morrison"])
    code = story.choose("ZIP code", ["80465"])
    story.wish(
        (
            "{name} is moving, so my package needs to go to {street}, {city} {code}. Can you change that and tell me the delivery day?",
            "My package to {name} has to go to {street}, {city} {code}. Could you please change the address and tell me the delivery day?",
            "can you send my package to {name} to {street}, {city} {code} instead? and what's the delivery day",
        ),
        short="sending my package to {name} to {street}, {city} {code} and telling me the delivery day",
        name=name,
        street=street,
        city=city,
        code=code,
    )
    shipments = story.call("list_customer_shipments", customer_id=story.identify())["shipments"]
    mine = story.find(shipments, recipient_name=name)
    moved = story.call(
        "change_delivery_address", shipment_id=mine["shipment_id"], street=street, city=city, zip_code=code
    )
    story.answer("delivery day", moved["promised_on"])


@scenario(form="denied")
def readdress_or_not(story: Story) -> None:
    """The customer wants a package sent to another address."""
    parcel = story.pick(
        "shipment",
        MOVABLE,
        unique_by=["customer_id", "recipient_name"],
        mine=True,
    )
    name = parcel["recipient_name"]
    street = story.choose("street", ["18 Bear Creek Ave", "402 Stone St", "75 Canyon Vista Ln"])
    city = story.choose("city", ["Morrison"])
    code = story.choose("ZIP code", ["80465"])
    move = story.wish(
        (
            "{name} won't be at the old place. Can you send my package to {street}, {city} {code} instead?",
            "I would like my package to {name} to go to {street}, {city} {code} instead, please.",
            "can you send my package to {name} to {street}, {city} {code} instead?",
        ),
        short="sending my package to {name} to {street}, {city} {code} instead",
        name=name,
        street=street,
        city=city,
        code=code,
    )
    story.insists(
        move,
        (
            "It's a present and the old place is empty now. I'd feel awful if it got lost.",
            "It is a present, and nobody lives at the old place anymore. I would feel terrible if it got lost.",
            "it's a present and nobody's at the old place. i'd feel awful if it got lost",
        ),
    )
    shipments = story.call("list_customer_shipments", customer_id=story.identify())["shipments"]
    mine = story.find(shipments, recipient_name=name)
    shown = story.call("get_shipment", shipment_id=mine["shipment_id"])
    with story.wrong("keeps the old ZIP code"):
        story.call(
            "change_delivery_address",
            shipment_id=mine["shipment_id"],
            street=street,
            city=city,
            zip_code=shown["zip_code"],
        )
    if story.permits(
        "change_delivery_address", shipment_id=mine["shipment_id"], street=street, city=city, zip_code=code
    ):
        story.call("change_delivery_address", shipment_id=mine["shipment_id"], street=street, city=city, zip_code=code)
    else:
        story.decline(move)


@scenario(form="conditional")
def too_expensive(story: Story) -> None:
    """The customer cancels a package if it costs too much, and otherwise asks for a signature."""
    parcel = story.pick(
        "shipment",
        "state = 'booked' AND pickup_id IS NULL AND signature_required = 0",
        unique_by=["customer_id", "recipient_name"],
        mine=True,
    )
    name = parcel["recipient_name"]
    limit = story.money(story.choose("limit", [1400, 1800, 2200]))
    signed = story.choose("signature", {"with a signature": True})
    story.wish(
        (
            "If my package to {name} costs {limit} or more, please cancel it. If it's less, I want it delivered {signed}.",
            "Please cancel my package to {name} if it costs {limit} or more. If it is less, please have it delivered {signed}.",
            "cancel my package to {name} if it costs {limit} or more. if it's less, have it delivered {signed}",
        ),
        short="canceling my package to {name} if it costs {limit} or more, and having it delivered {signed} if it's less",
        name=name,
        limit=limit,
        signed=signed,
    )
    shipments = story.call("list_customer_shipments", customer_id=story.identify())["shipments"]
    mine = story.find(shipments, recipient_name=name)
    shown = story.call("get_shipment", shipment_id=mine["shipment_id"])
    dear = shown["price_cents"] >= limit
    with story.wrong("takes the other branch"):
        if dear:
            story.call("correct_shipment_details", shipment_id=mine["shipment_id"], signature_required=signed)
        else:
            story.call("cancel_shipment", shipment_id=mine["shipment_id"])
    with story.wrong("does both"):
        story.call("correct_shipment_details", shipment_id=mine["shipment_id"], signature_required=signed)
        story.call("cancel_shipment", shipment_id=mine["shipment_id"])
    if dear:
        story.call("cancel_shipment", shipment_id=mine["shipment_id"])
    else:
        story.call("correct_shipment_details", shipment_id=mine["shipment_id"], signature_required=signed)


@scenario(form="coupled")
def cancel_package_and_pickup(story: Story) -> None:
    """The customer cancels a package and the pickup that it is in."""
    parcel = story.pick("shipment", f"state = 'booked' AND {IN_ONE_PICKUP}", unique_by=["tracking_number"], mine=True)
    number = parcel["tracking_number"]
    day = story.row("pickup", parcel["pickup_id"])["pickup_on"]
    with story.together():
        drop = story.wish(
            (
                "The order fell through, so please cancel my package {number}.",
                "I would like to cancel my package {number}.",
                "can you cancel my package {number}?",
            ),
            short="canceling my package {number}",
            number=number,
        )
        stay = story.wish(
            (
                "And cancel the pickup you've got for me on {day}.",
                "Please also cancel the pickup that I have on {day}.",
                "and cancel my pickup on {day}",
            ),
            short="canceling my pickup on {day}",
            day=day,
        )
    key = story.identify()
    shipments = story.call("list_customer_shipments", wish=drop, customer_id=key)["shipments"]
    mine = story.find(shipments, tracking_number=number)
    pickups = story.call("list_customer_pickups", wish=stay, customer_id=key)["pickups"]
    visit = story.find(pickups, pickup_on=day)
    story.call("cancel_pickup", wish=stay, pickup_id=visit["pickup_id"])
    if visit["pickup_on"] <= story.today:
        note = story.compose("fee note", "Late cancellation of the pickup on {day}", day=day)
        story.call("add_fee", wish=stay, customer_id=key, amount_cents=750, description=note)
    story.call("cancel_shipment", wish=drop, shipment_id=mine["shipment_id"])


@scenario(form="outside")
def rename_and_photo(story: Story) -> None:
    """The customer corrects the recipient's name and wants a photo from the doorstep."""
    parcel = story.pick(
        "shipment",
        "state = 'booked'",
        unique_by=["customer_id", "recipient_name"],
        mine=True,
    )
    name = parcel["recipient_name"]
    right = story.choose("right name", ["Morgan Ashby", "Sid Calloway", "Faye Lindholm", "Rob Tierney"])
    story.wish(
        (
            "I put the wrong name on my package to {name}. It should go to {right}. Can you fix that?",
            "My package to {name} has the wrong name on it. Could you please change the recipient to {right}?",
            "can you change the name on my package to {name}? should be {right}",
        ),
        short="changing the recipient of my package to {name} to {right}",
        name=name,
        right=right,
    )
    shipments = story.call("list_customer_shipments", customer_id=story.identify())["shipments"]
    mine = story.find(shipments, recipient_name=name)
    story.call("correct_shipment_details", shipment_id=mine["shipment_id"], recipient_name=right)
    story.outside(
        (
            "And can you have the driver text me a photo of it on the doorstep?",
            "I would also like the driver to text me a photo of it on the doorstep.",
            "also have the driver text me a pic of it on the doorstep",
        )
    )


@scenario
def worth_more_than_i_said(story: Story) -> None:
    """The customer corrects the declared value of a booked package and asks for the new price."""
    parcel = story.pick(
        "shipment",
        "state = 'booked' AND declared_value_cents NOT IN (17500, 34000, 61500)",
        unique_by=["tracking_number"],
        mine=True,
    )
    number = parcel["tracking_number"]
    value = story.money(story.choose("value", [17500, 34000, 61500]))
    story.wish(
        (
            "I declared the wrong value for my package {number}. It's worth {value}. Can you fix it and tell me the new price?",
            "The declared value of my package {number} should be {value}. Could you please correct it and tell me the new price?",
            "can you change the declared value of my package {number} to {value}? what's the new price",
        ),
        short="changing the declared value of my package {number} to {value} and telling me the new price",
        number=number,
        value=value,
    )
    story.identify()
    mine = story.call("find_shipment_by_tracking_number", tracking_number=number)
    fixed = story.call("correct_shipment_details", shipment_id=mine["shipment_id"], declared_value_cents=value)
    story.answer("new price", story.money(fixed["price_cents"]))


@scenario
def deliver_it_after_all(story: Story) -> None:
    """The customer ends the hold of a package, which costs a fee."""
    parcel = story.pick(
        "shipment",
        "state = 'held'",
        unique_by=["customer_id", "recipient_name"],
        mine=True,
    )
    name = parcel["recipient_name"]
    story.wish(
        (
            "{name} can't come get the package you're holding. Can you end the hold so it goes out for delivery?",
            "You are holding my package to {name}. Could you please end the hold so that it can be delivered?",
            "can you end the hold on my package to {name}? want it delivered after all",
        ),
        short="ending the hold on my package to {name} so that it gets delivered",
        name=name,
    )
    key = story.identify()
    mine = story.find(story.call("list_customer_shipments", customer_id=key)["shipments"], recipient_name=name)
    story.call("release_hold", shipment_id=mine["shipment_id"])
    note = story.compose("fee note", "Hold ended for the package to {recipient}", recipient=name)
    story.call("add_fee", customer_id=key, amount_cents=400, description=note, shipment_id=mine["shipment_id"])


@scenario
def dropped_it_off(story: Story) -> None:
    """The customer dropped off a booked package and wants it checked in."""
    parcel = story.pick(
        "shipment",
        "state = 'booked'",
        unique_by=["customer_id", "recipient_name"],
        mine=True,
    )
    name = parcel["recipient_name"]
    depot = story.choose("depot", ["north", "south", "airport"])
    story.wish(
        (
            "I just left my package to {name} at your {depot} depot. Can you check it in and tell me the delivery day?",
            "My package to {name} is now at your {depot} depot. Could you please check it in and tell me the delivery day?",
            "dropped off my package to {name} at the {depot} depot, can you check it in? what's the delivery day",
        ),
        short="checking in my package to {name} at the {depot} depot and telling me the delivery day",
        name=name,
        depot=depot,
    )
    shipments = story.call("list_customer_shipments", customer_id=story.identify())["shipments"]
    mine = story.find(shipments, recipient_name=name)
    story.call("receive_shipments", shipment_ids=[mine["shipment_id"]], depot=depot)
    story.answer("delivery day", mine["promised_on"])


@scenario
def it_is_gone(story: Story) -> None:
    """The customer has a package declared lost and files a claim for it."""
    parcel = story.pick(
        "shipment",
        "state IN ('collected', 'at_depot', 'out_for_delivery') AND promised_on >= ? AND NOT EXISTS (SELECT 1 FROM claim AS c WHERE c.shipment_id = shipment.shipment_id)",
        story.day(-10),
        unique_by=["customer_id", "recipient_name"],
        mine=True,
    )
    name = parcel["recipient_name"]
    kind = story.choose("kind", ["lost"])
    amount = story.money(story.choose("amount", [3500, 6000, 9500, 14000]))
    note = story.dictate("description", "My package to {recipient} never turned up", recipient=name)
    story.wish(
        (
            "My package to {name} is gone. Can you mark it as {kind} and file a {kind} claim for {amount}? As the description, put exactly this: {note}",
            "I believe that my package to {name} is gone. Please mark it as {kind} and file a {kind} claim for {amount}. As the description, put exactly this: {note}",
            "can you mark my package to {name} as {kind} and file a {kind} claim for {amount}? as the description, put exactly this: {note}",
        ),
        short="marking my package to {name} as {kind} and filing a {kind} claim for {amount} with the description {note}",
        name=name,
        kind=kind,
        amount=amount,
        note=note,
    )
    shipments = story.call("list_customer_shipments", customer_id=story.identify())["shipments"]
    mine = story.find(shipments, recipient_name=name)
    story.call("mark_shipment_lost", shipment_id=mine["shipment_id"])
    story.call("file_claim", shipment_id=mine["shipment_id"], kind=kind, amount_cents=amount, description=note)


@scenario(form="denied")
def hold_it_for_me(story: Story) -> None:
    """The customer wants a package held at the depot."""
    parcel = story.pick(
        "shipment",
        AT_DEPOT,
        unique_by=["customer_id", "recipient_name"],
        mine=True,
    )
    name = parcel["recipient_name"]
    day = story.day(4)
    hold = story.wish(
        (
            "{name} would rather come and get the package. Can you hold it at the depot until {day}?",
            "I would like you to hold my package to {name} at the depot until {day}, please.",
            "can you hold my package to {name} at the depot until {day}?",
        ),
        short="holding my package to {name} at the depot until {day}",
        name=name,
        day=day,
    )
    story.insists(
        hold,
        (
            "Porch thieves are all over that street. I'd be so mad if it got stolen.",
            "There are porch thieves all over that street. I would be very upset if it were stolen.",
            "porch thieves all over that street, i'd be so mad if it got stolen",
        ),
    )
    shipments = story.call("list_customer_shipments", customer_id=story.identify())["shipments"]
    mine = story.find(shipments, recipient_name=name)
    shown = story.call("get_shipment", shipment_id=mine["shipment_id"])
    with story.wrong("holds it a day longer"):
        story.call("hold_shipment", shipment_id=shown["shipment_id"], hold_until=story.day(5))
    if story.permits("hold_shipment", shipment_id=mine["shipment_id"], hold_until=day):
        story.call("hold_shipment", shipment_id=mine["shipment_id"], hold_until=day)
    else:
        story.decline(hold)


@scenario(form="denied")
def deliver_it_later(story: Story) -> None:
    """The customer wants a package delivered on a later day."""
    parcel = story.pick(
        "shipment",
        "state IN ('booked', 'collected', 'at_depot') AND route_id IS NULL AND promised_on < ?",
        story.day(19),
        unique_by=["customer_id", "recipient_name"],
        mine=True,
    )
    name = parcel["recipient_name"]
    day = story.day(20)
    later = story.wish(
        (
            "{name} is out of town for a while. Can you deliver my package on {day} instead?",
            "I would like my package to {name} to be delivered on {day} instead, please.",
            "can you deliver my package to {name} on {day} instead?",
        ),
        short="delivering my package to {name} on {day} instead",
        name=name,
        day=day,
    )
    story.insists(
        later,
        (
            "Nobody's home until then and it'll sit in the rain. Please, I'm begging you.",
            "Nobody will be home until then, and it would sit in the rain. I am really worried about it.",
            "nobody's home till then, it'll sit in the rain. begging you",
        ),
    )
    shipments = story.call("list_customer_shipments", customer_id=story.identify())["shipments"]
    mine = story.find(shipments, recipient_name=name)
    with story.wrong("moves it a day too far"):
        story.call("reschedule_delivery", shipment_id=mine["shipment_id"], promised_on=story.day(21))
    if story.permits("reschedule_delivery", shipment_id=mine["shipment_id"], promised_on=day):
        story.call("reschedule_delivery", shipment_id=mine["shipment_id"], promised_on=day)
    else:
        story.decline(later)


@scenario(form="fallback")
def back_to_me_or_elsewhere(story: Story) -> None:
    """The customer wants a package back, or else sent to another address."""
    parcel = story.pick(
        "shipment",
        "state IN ('at_depot', 'held') AND route_id IS NULL AND service IN ('two_day', 'ground')",
        unique_by=["customer_id", "recipient_name"],
        mine=True,
    )
    name = parcel["recipient_name"]
    street = story.choose("street", ["18 Bear Creek Ave", "402 Stone St", "75 Canyon Vista Ln"])
    city = story.choose("city", ["Morrison"])
    code = story.choose("ZIP code", ["80465"])
    back = story.wish(
        (
            "{name} doesn't want the package I sent. Can you send it back to me?",
            "I would like to have my package to {name} sent back to me, please.",
            "can you send my package to {name} back to me?",
        ),
        short="sending my package to {name} back to me",
        name=name,
    )
    away = story.otherwise(
        back,
        (
            "Okay, then please deliver it to {street}, {city} {code}.",
            "In that case, please have it delivered to {street}, {city} {code}.",
            "ok then deliver it to {street}, {city} {code}",
        ),
        short="delivering it to {street}, {city} {code}",
        street=street,
        city=city,
        code=code,
    )
    shipments = story.call("list_customer_shipments", wish=back, customer_id=story.identify())["shipments"]
    mine = story.find(shipments, recipient_name=name)
    reason = story.compose("reason", "Sender wants the package to {recipient} back", recipient=name)
    with story.wrong("changes the address right away"):
        story.call(
            "change_delivery_address",
            wish=back,
            shipment_id=mine["shipment_id"],
            street=street,
            city=city,
            zip_code=code,
        )
    if story.permits("return_shipment", wish=back, shipment_id=mine["shipment_id"], reason=reason):
        story.call("return_shipment", wish=back, shipment_id=mine["shipment_id"], reason=reason)
    else:
        story.decline(back)
        story.call(
            "change_delivery_address",
            wish=away,
            shipment_id=mine["shipment_id"],
            street=street,
            city=city,
            zip_code=code,
        )


@scenario(form="coupled")
def hold_after_failed_attempt(story: Story) -> None:
    """The customer wants a package held and the failed attempt of today logged."""
    parcel = story.pick(
        "shipment",
        "state = 'out_for_delivery'",
        unique_by=["customer_id", "recipient_name"],
        mine=True,
    )
    name = parcel["recipient_name"]
    day = story.day(4)
    reason = story.choose(
        "reason", {"nobody home": "nobody_home", "no access": "no_access", "address not found": "address_not_found"}
    )
    with story.together():
        hold = story.wish(
            (
                "Please hold my package to {name} at the depot until {day}.",
                "I would like you to hold my package to {name} at the depot until {day}.",
                "can you hold my package to {name} at the depot until {day}?",
            ),
            short="holding my package to {name} at the depot until {day}",
            name=name,
            day=day,
        )
        log = story.wish(
            (
                "And the courier already tried to deliver my package to {name} today, so log a failed attempt, {reason}.",
                "Please also log a failed delivery attempt for my package to {name} today, {reason}.",
                "and log a failed attempt for my package to {name} today, {reason}",
            ),
            short="logging a failed attempt for my package to {name}, {reason}",
            name=name,
            reason=reason,
        )
    key = story.identify()
    mine = story.find(
        story.call("list_customer_shipments", wish=hold, customer_id=key)["shipments"], recipient_name=name
    )
    story.call("record_failed_attempt", wish=log, shipment_id=mine["shipment_id"], reason=reason)
    story.call("hold_shipment", wish=hold, shipment_id=mine["shipment_id"], hold_until=day)


@scenario(form="outside")
def picked_up_at_the_counter(story: Story) -> None:
    """The customer reports that the recipient collected a held package and wants the signature emailed."""
    parcel = story.pick(
        "shipment",
        "state = 'held'",
        unique_by=["customer_id", "recipient_name"],
        mine=True,
    )
    name = parcel["recipient_name"]
    story.wish(
        (
            "{name} just picked up the package I sent them at your counter. Can you mark it as delivered, received by {name}?",
            "{name} has just picked up the package that I sent them at your counter. Could you please record it as delivered, received by {name}?",
            "{name} just picked up the package I sent them at your counter, can you mark it as delivered and received by {name}?",
        ),
        short="marking my package to {name} as delivered and received by {name}",
        name=name,
    )
    shipments = story.call("list_customer_shipments", customer_id=story.identify())["shipments"]
    mine = story.find(shipments, recipient_name=name)
    story.call("record_delivery", shipment_id=mine["shipment_id"], received_by=name)
    story.outside(
        (
            "And can you email me a scan of the signature?",
            "I would also like you to email me a scan of the signature.",
            "also email me a scan of the signature",
        )
    )


@scenario
def cancel_late_pickup(story: Story) -> None:
    """The customer cancels a pickup of today or of a day past, which costs a fee."""
    visit = story.pick(
        "pickup",
        "state = 'scheduled' AND pickup_on <= ?",
        story.today,
        unique_by=["customer_id", "pickup_on"],
        mine=True,
    )
    day = visit["pickup_on"]
    story.wish(
        (
            "I've got nothing to hand over after all. Can you cancel the pickup you have for me on {day}?",
            "I have nothing to hand over after all. Could you please cancel the pickup that I have on {day}?",
            "can you cancel my pickup on {day}? got nothing to hand over",
        ),
        short="canceling my pickup on {day}",
        day=day,
    )
    key = story.identify()
    mine = story.find(story.call("list_customer_pickups", customer_id=key)["pickups"], pickup_on=day)
    story.call("cancel_pickup", pickup_id=mine["pickup_id"])
    note = story.compose("fee note", "Late cancellation of the pickup on {day}", day=day)
    story.call("add_fee", customer_id=key, amount_cents=750, description=note)


@scenario
def it_was_picked_up(story: Story) -> None:
    """The customer reports that a courier just took the packages of a pickup."""
    visit = story.pick(
        "pickup",
        "state = 'scheduled' AND pickup_on <= ? AND EXISTS (SELECT 1 FROM shipment AS s WHERE s.pickup_id = pickup.pickup_id)",
        story.today,
        unique_by=["customer_id", "pickup_on"],
        mine=True,
    )
    driver = story.pick(
        "courier",
        "(SELECT count(*) FROM courier AS c WHERE c.depot = courier.depot AND c.full_name < courier.full_name) < 20",
        unique_by=["depot", "full_name"],
    )
    story.wish(
        (
            "{who} from your {depot} depot just took everything for my pickup on {day}. Can you mark it as done?",
            "My pickup on {day} was just done by {who} from your {depot} depot. Could you please record that?",
            "my pickup on {day} just got done by {who} from the {depot} depot, can you mark it?",
        ),
        short="marking my pickup on {day} as done by {who} from the {depot} depot",
        who=driver["full_name"],
        depot=driver["depot"],
        day=visit["pickup_on"],
    )
    mine = story.find(
        story.call("list_customer_pickups", customer_id=story.identify())["pickups"], pickup_on=visit["pickup_on"]
    )
    couriers = story.call("list_couriers", depot=driver["depot"])["couriers"]
    courier = story.find(couriers, full_name=driver["full_name"])
    story.call("complete_pickup", pickup_id=mine["pickup_id"], courier_id=courier["courier_id"])


@scenario(form="denied")
def move_a_pickup(story: Story) -> None:
    """The customer wants a pickup moved to another day."""
    visit = story.pick("pickup", "state = 'scheduled'", unique_by=["customer_id", "pickup_on"], mine=True)
    day = visit["pickup_on"]
    new = story.day(8)
    window = story.choose("part of the day", ["morning", "afternoon", "evening"])
    move = story.wish(
        (
            "I won't be in for my pickup on {day}. Can you move it to the {window} on {new}?",
            "I would like to move my pickup on {day} to the {window} on {new}, please.",
            "can you move my pickup on {day} to the {window} on {new}? won't be in",
        ),
        short="moving my pickup on {day} to the {window} on {new}",
        day=day,
        window=window,
        new=new,
    )
    story.insists(
        move,
        (
            "My kid's sick and I can't be at the shop. Please, it's really important.",
            "My child is sick and I cannot be at the shop. This is really important to me.",
            "kid's sick, can't be at the shop. pls, it's really important",
        ),
    )
    mine = story.find(story.call("list_customer_pickups", customer_id=story.identify())["pickups"], pickup_on=day)
    with story.wrong("moves it a day too far"):
        story.call("reschedule_pickup", pickup_id=mine["pickup_id"], pickup_on=story.day(9), window=window)
    if story.permits("reschedule_pickup", pickup_id=mine["pickup_id"], pickup_on=new, window=window):
        story.call("reschedule_pickup", pickup_id=mine["pickup_id"], pickup_on=new, window=window)
    else:
        story.decline(move)


@scenario(form="coupled")
def another_pickup_instead(story: Story) -> None:
    """The customer wants a package picked up on another day and the present pickup canceled."""
    parcel = story.pick(
        "shipment",
        f"state = 'booked' AND weight_grams <= 2500 AND {IN_ONE_PICKUP} AND EXISTS (SELECT 1 FROM customer AS c WHERE c.customer_id = shipment.customer_id AND c.status = 'active')",
        unique_by=["tracking_number"],
        mine=True,
    )
    number = parcel["tracking_number"]
    day = story.row("pickup", parcel["pickup_id"])["pickup_on"]
    new = story.day(8)
    window = story.choose("part of the day", ["morning", "afternoon", "evening"])
    with story.together():
        fetch = story.wish(
            (
                "I need a new pickup for my package {number}. Please come in the {window} on {new}.",
                "I would like to have my package {number} picked up in the {window} on {new}.",
                "can you set up a pickup for my package {number} in the {window} on {new}?",
            ),
            short="having my package {number} picked up in the {window} on {new}",
            number=number,
            window=window,
            new=new,
        )
        drop = story.wish(
            (
                "And cancel the pickup I've got on {day}.",
                "Please also cancel the pickup that I have on {day}.",
                "and cancel my pickup on {day}",
            ),
            short="canceling my pickup on {day}",
            day=day,
        )
    key = story.identify()
    pickups = story.call("list_customer_pickups", wish=drop, customer_id=key)["pickups"]
    old = story.find(pickups, pickup_on=day)
    mine = story.call("find_shipment_by_tracking_number", wish=fetch, tracking_number=number)
    story.call("cancel_pickup", wish=drop, pickup_id=old["pickup_id"])
    if old["pickup_on"] <= story.today:
        note = story.compose("fee note", "Late cancellation of the pickup on {day}", day=day)
        story.call("add_fee", wish=drop, customer_id=key, amount_cents=750, description=note)
    story.call(
        "schedule_pickup", wish=fetch, customer_id=key, shipment_ids=[mine["shipment_id"]], pickup_on=new, window=window
    )


@scenario
def take_it_off_the_route(story: Story) -> None:
    """The customer has a package taken off its delivery route."""
    parcel = story.pick(
        "shipment",
        ON_ROUTE,
        unique_by=["customer_id", "recipient_name"],
        mine=True,
    )
    name = parcel["recipient_name"]
    story.wish(
        (
            "Nobody will be in at {name}'s. Can you take my package off the delivery route it's on and tell me its promised day?",
            "I would like my package to {name} to be taken off its delivery route. Could you please also tell me its promised day?",
            "can you take my package to {name} off its delivery route? and what's its promised day",
        ),
        short="taking my package to {name} off its delivery route and telling me its promised day",
        name=name,
    )
    shipments = story.call("list_customer_shipments", customer_id=story.identify())["shipments"]
    mine = story.find(shipments, recipient_name=name)
    shown = story.call("get_shipment", shipment_id=mine["shipment_id"])
    story.call("remove_shipments_from_route", route_id=shown["route_id"], shipment_ids=[mine["shipment_id"]])
    story.answer("promised day", shown["promised_on"])


@scenario
def my_usual_courier(story: Story) -> None:
    """The customer wants a package on the route of a certain courier."""
    parcel = story.pick(
        "shipment",
        f"state = 'at_depot' AND route_id IS NULL AND EXISTS (SELECT 1 FROM route WHERE route.state = 'planned' AND route.depot = shipment.depot AND {ROOM})",
        unique_by=["customer_id", "recipient_name"],
        mine=True,
    )
    name = parcel["recipient_name"]
    route = story.pick(
        "route",
        f"state = 'planned' AND depot = ? AND {ROOM}",
        parcel["depot"],
        unique_by=["courier_id.full_name", "route_on", "depot"],
    )
    who = story.row("courier", route["courier_id"])["full_name"]
    story.wish(
        (
            "{name} knows {who}, one of your couriers. Can you put my package on the route {who} drives on {day}?",
            "I would like my package to {name} to be on the route that {who} drives on {day}, please.",
            "can you put my package to {name} on the route {who} drives on {day}?",
        ),
        short="putting my package to {name} on the route {who} drives on {day}",
        name=name,
        who=who,
        day=route["route_on"],
    )
    shipments = story.call("list_customer_shipments", customer_id=story.identify())["shipments"]
    mine = story.find(shipments, recipient_name=name)
    shown = story.call("get_shipment", shipment_id=mine["shipment_id"])
    routes = story.call("list_routes", route_on=route["route_on"], depot=shown["depot"])["routes"]
    tour = story.find(routes, courier_name=who)
    story.call("assign_shipments_to_route", route_id=tour["route_id"], shipment_ids=[mine["shipment_id"]])


@scenario
def off_the_route_and_hold(story: Story) -> None:
    """The customer has a package taken off its route and held at the depot."""
    parcel = story.pick(
        "shipment",
        f"{ON_ROUTE} AND failed_attempts > 0",
        unique_by=["customer_id", "recipient_name"],
        mine=True,
    )
    name = parcel["recipient_name"]
    day = story.day(4)
    story.wish(
        (
            "You keep missing {name}. Can you take my package off its delivery route and hold it at the depot until {day}?",
            "Please take my package to {name} off its delivery route. I would like you to hold it at the depot until {day}.",
            "can you take my package to {name} off its delivery route and hold it at the depot until {day}?",
        ),
        short="taking my package to {name} off its delivery route and holding it at the depot until {day}",
        name=name,
        day=day,
    )
    shipments = story.call("list_customer_shipments", customer_id=story.identify())["shipments"]
    mine = story.find(shipments, recipient_name=name)
    shown = story.call("get_shipment", shipment_id=mine["shipment_id"])
    story.call("remove_shipments_from_route", route_id=shown["route_id"], shipment_ids=[mine["shipment_id"]])
    story.call("hold_shipment", shipment_id=mine["shipment_id"], hold_until=day)


@scenario(form="coupled")
def new_address_off_the_route(story: Story) -> None:
    """The customer has a package sent elsewhere and taken off its route."""
    parcel = story.pick(
        "shipment",
        f"{ON_ROUTE} AND service IN ('two_day', 'ground')",
        unique_by=["tracking_number"],
        mine=True,
    )
    number = parcel["tracking_number"]
    street = story.choose("street", ["18 Bear Creek Ave", "402 Stone St", "75 Canyon Vista Ln"])
    city = story.choose("city", ["Morrison"])
    code = story.choose("ZIP code", ["80465"])
    with story.together():
        move = story.wish(
            (
                "Please send my package {number} to {street}, {city} {code} instead.",
                "I would like my package {number} to go to {street}, {city} {code} instead.",
                "can you send my package {number} to {street}, {city} {code} instead?",
            ),
            short="sending my package {number} to {street}, {city} {code} instead",
            number=number,
            street=street,
            city=city,
            code=code,
        )
        off = story.wish(
            (
                "And take my package {number} off the delivery route it's on.",
                "Please also take my package {number} off its delivery route.",
                "and take my package {number} off its delivery route",
            ),
            short="taking my package {number} off its delivery route",
            number=number,
        )
    key = story.identify()
    mine = story.find(
        story.call("list_customer_shipments", wish=off, customer_id=key)["shipments"], tracking_number=number
    )
    shown = story.call("get_shipment", wish=off, shipment_id=mine["shipment_id"])
    story.call("remove_shipments_from_route", wish=off, route_id=shown["route_id"], shipment_ids=[mine["shipment_id"]])
    story.call(
        "change_delivery_address", wish=move, shipment_id=mine["shipment_id"], street=street, city=city, zip_code=code
    )


@scenario
def pay_some(story: Story) -> None:
    """The customer pays part of the balance and asks what remains."""
    story.pick("customer", f"{OWED} >= 1500", unique_by=["customer_id"], mine=True)
    amount = story.money(story.choose("amount", [500, 900, 1500]))
    method = story.choose("method", ["card", "check"])
    story.wish(
        (
            "I'd like to pay {amount} of what I owe by {method}. Can you put that in and tell me the remaining balance?",
            "I would like to pay {amount} toward my account by {method}. Could you please record it and tell me the remaining balance?",
            "can you take {amount} by {method} toward my account? what's the remaining balance",
        ),
        short="recording a payment of {amount} by {method} and telling me the remaining balance",
        amount=amount,
        method=method,
    )
    key = story.identify()
    story.call("record_payment", customer_id=key, amount_cents=amount, method=method)
    story.answer("remaining balance", story.money(story.call("get_customer", customer_id=key)["balance_cents"]))


@scenario
def put_it_on_my_account(story: Story) -> None:
    """The customer has something bought at the counter charged to the account."""
    story.pick("customer", f"{OWED} > 0", unique_by=["customer_id"], mine=True)
    amount = story.money(story.choose("amount", [650, 1250, 1800]))
    note = story.dictate("fee text", "Supplies from the counter for {price}", price=amount)
    story.wish(
        (
            "I took supplies from your counter. Can you charge me a {amount} fee and tell me the new balance? As its text, put exactly this: {note}",
            "I took supplies from your counter. Could you please charge me a fee of {amount} and tell me the new balance? As its text, put exactly this: {note}",
            "can you charge me a {amount} fee for supplies i took? what's the new balance? as its text, put exactly this: {note}",
        ),
        short="charging me a fee of {amount} with the text {note} and telling me the new balance",
        amount=amount,
        note=note,
    )
    key = story.identify()
    story.call("add_fee", customer_id=key, amount_cents=amount, description=note)
    story.answer("new balance", story.money(story.call("get_customer", customer_id=key)["balance_cents"]))


@scenario
def drop_my_claim(story: Story) -> None:
    """The customer withdraws a filed claim."""
    claim = story.pick(
        "claim",
        "state = 'filed'",
        unique_by=["shipment_id.customer_id", "kind", "amount_cents"],
        mine=True,
    )
    amount = story.money(claim["amount_cents"])
    story.wish(
        (
            "I worked it out with my customer. Can you close my {kind} claim for {amount} as denied? I don't want any money.",
            "I no longer want any money for my {kind} claim for {amount}. Could you please close it as denied?",
            "can you close my {kind} claim for {amount} as denied? don't want any money for it",
        ),
        short="closing my {kind} claim for {amount} as denied",
        kind=claim["kind"],
        amount=amount,
    )
    claims = story.call("list_customer_claims", customer_id=story.identify())["claims"]
    mine = story.find(claims, kind=claim["kind"], amount_cents=amount)
    reason = story.compose("reason", "Customer no longer wants {amount}", amount=amount)
    story.call("deny_claim", claim_id=mine["claim_id"], reason=reason)


@scenario(form="fallback")
def claim_or_credit(story: Story) -> None:
    """The customer files a claim for a damaged package, or else wants a small credit."""
    parcel = story.pick(
        "shipment",
        "state = 'delivered' AND NOT EXISTS (SELECT 1 FROM claim AS c WHERE c.shipment_id = shipment.shipment_id AND c.state IN ('filed', 'approved'))",
        unique_by=["customer_id", "recipient_name"],
        mine=True,
    )
    name = parcel["recipient_name"]
    kind = story.choose("kind", ["damaged"])
    amount = story.money(story.choose("amount", [2000, 4500, 8000]))
    credit = story.money(story.choose("credit", [500, 750, 1000]))
    file = story.wish(
        (
            "My package to {name} showed up broken. Can you file a {kind} claim for {amount}?",
            "I would like to file a {kind} claim for {amount} for my package to {name}, please.",
            "can you file a {kind} claim for {amount} for my package to {name}?",
        ),
        short="filing a {kind} claim for {amount} for my package to {name}",
        name=name,
        kind=kind,
        amount=amount,
    )
    small = story.otherwise(
        file,
        (
            "Okay, then please give me a {credit} credit for it.",
            "In that case, please credit my account with {credit} for it.",
            "ok then just give me a {credit} credit for it",
        ),
        short="giving me a {credit} credit for it",
        credit=credit,
    )
    key = story.identify()
    mine = story.find(
        story.call("list_customer_shipments", wish=file, customer_id=key)["shipments"], recipient_name=name
    )
    what = story.compose("description", "Package to {recipient} arrived broken", recipient=name)
    why = story.compose("credit note", "Broken package to {recipient}", recipient=name)
    with story.wrong("claims the wrong amount"):
        story.call(
            "file_claim", wish=file, shipment_id=mine["shipment_id"], kind=kind, amount_cents=credit, description=what
        )
    if story.permits(
        "file_claim", wish=file, shipment_id=mine["shipment_id"], kind=kind, amount_cents=amount, description=what
    ):
        story.call(
            "file_claim", wish=file, shipment_id=mine["shipment_id"], kind=kind, amount_cents=amount, description=what
        )
    else:
        story.decline(file)
        story.call(
            "add_credit",
            wish=small,
            customer_id=key,
            amount_cents=credit,
            description=why,
            shipment_id=mine["shipment_id"],
        )


@scenario(form="all_but")
def take_the_fees_off(story: Story) -> None:
    """The customer has all fees voided except one."""
    fee = story.pick(
        "account_entry",
        f"""
        kind = 'fee' AND voided_at IS NULL AND {ENTRY_SHORT_LIST}
        AND (
            SELECT count(*) FROM account_entry AS f
            WHERE f.customer_id = account_entry.customer_id AND f.kind = 'fee' AND f.voided_at IS NULL
        ) BETWEEN 3 AND 5
        """,
        unique_by=["customer_id", "kind", "description", "voided_at"],
        mine=True,
    )
    story.wish(
        (
            "Somebody put fees on my account that aren't mine. Can you void all of them except the one for {what}?",
            "Please void all the fees on my account except the one for {what}, which is the only one that is right.",
            "can you void all the fees on my account? skip the one for {what}, that one's right",
        ),
        short="voiding all the fees on my account except the one for {what}",
        what=fee["description"],
    )
    entries = story.call("list_account_entries", customer_id=story.identify())["entries"]
    fees = [each for each in entries if each["kind"] == "fee"]
    with story.wrong("forgets the exception"):
        for each in fees:
            story.call("void_account_entry", account_entry_id=each["account_entry_id"])
    for each in story.all_but(fees, description=fee["description"]):
        story.call("void_account_entry", account_entry_id=each["account_entry_id"])


@scenario(form="computed")
def charges_and_payments(story: Story) -> None:
    """The customer asks what shipping and fees add up to and what was paid."""
    story.pick(
        "customer",
        f"""
        {SHORT_LIST}
        AND EXISTS (SELECT 1 FROM account_entry AS e WHERE e.customer_id = customer.customer_id AND e.kind = 'fee' AND e.voided_at IS NULL)
        AND EXISTS (SELECT 1 FROM account_entry AS e WHERE e.customer_id = customer.customer_id AND e.kind = 'shipping' AND e.voided_at IS NULL)
        AND EXISTS (SELECT 1 FROM account_entry AS e WHERE e.customer_id = customer.customer_id AND e.kind = 'payment' AND e.voided_at IS NULL)
        """,
        unique_by=["customer_id"],
        mine=True,
    )
    story.wish(
        (
            "I'm doing my books. What do my charges add up to, shipping and fees together, and what do my payments add up to?",
            "I am doing my books. Could you please tell me the total of my charges, shipping and fees together, and the total of my payments?",
            "doing my books. what's the total of my charges, shipping and fees together, and of my payments",
        ),
        short="telling me the total of my charges, shipping and fees together, and the total of my payments",
    )
    entries = story.call("list_account_entries", customer_id=story.identify())["entries"]
    shipping = [each for each in entries if each["kind"] == "shipping"]
    fees = [each for each in entries if each["kind"] == "fee"]
    paid = [each for each in entries if each["kind"] == "payment"]
    with story.wrong("forgets the fees"):
        story.answer("charges", story.money(story.total(shipping, "amount_cents")))
        story.answer("payments", story.money(story.total(paid, "amount_cents")))
    story.answer("charges", story.money(story.total([*shipping, *fees], "amount_cents")))
    story.answer("payments", story.money(story.total(paid, "amount_cents")))


@scenario(form="mistaken")
def pay_that_fee(story: Story) -> None:
    """The customer pays a fee whose amount they have wrong."""
    fee = story.pick(
        "account_entry",
        f"kind = 'fee' AND voided_at IS NULL AND amount_cents NOT IN (450, 700, 1100) AND {ENTRY_SHORT_LIST} AND {ENTRY_OWED} > 1100 AND {ENTRY_OWED} > amount_cents",
        unique_by=["customer_id", "kind", "description", "voided_at"],
        mine=True,
    )
    wrong = story.money(story.choose("amount", [450, 700, 1100]))
    method = story.choose("method", ["card", "check"])
    story.wish(
        (
            "I see a fee for {what} on my account, I think it was {amount}. Can you take a payment by {method} for exactly that fee?",
            "There is a fee for {what} on my account, which I believe was {amount}. I would like to pay exactly that fee by {method}.",
            "want to pay the fee for {what} on my account by {method}, exactly that fee, pretty sure it was {amount}",
        ),
        short="taking a payment by {method} for exactly the fee for {what}",
        what=fee["description"],
        amount=wrong,
        method=method,
    )
    story.believes("fee", wrong, fee["amount_cents"])
    key = story.identify()
    statement = story.call("list_account_entries", customer_id=key)
    mine = story.find(statement["entries"], description=fee["description"])
    with story.wrong("trusts the customer"):
        story.call("record_payment", customer_id=key, amount_cents=wrong, method=method)
    with story.wrong("pays the whole balance"):
        story.call("record_payment", customer_id=key, amount_cents=statement["balance_cents"], method=method)
    story.call("record_payment", customer_id=key, amount_cents=mine["amount_cents"], method=method)


@scenario(form="ambiguous")
def about_one_of_my_packages(story: Story) -> None:
    """The customer asks for the promised day and the price of one of their packages."""
    parcel = story.pick("shipment", FOUR_OR_MORE, unique_by=["customer_id", "recipient_name"], mine=True)
    name = parcel["recipient_name"]
    ask = story.wish(
        (
            "I'm trying to keep track of one of my packages. Can you tell me its promised day and its price?",
            "I have a question about one of my packages. Could you please tell me its promised day and its price?",
            "need the promised day and the price of one of my packages, can you look it up?",
        )
    )
    story.keep_back("recipient", name)
    story.in_short(ask, "telling me the promised day and the price of one of my packages, the one to {name}", name=name)
    shipments = story.call("list_customer_shipments", customer_id=story.identify())["shipments"]
    mine = story.find(shipments, recipient_name=name)
    for other in story.others(shipments, mine):
        with story.wrong("takes another package"):
            shown = story.call("get_shipment", shipment_id=other["shipment_id"])
            story.answer("promised day", shown["promised_on"])
            story.answer("price", story.money(shown["price_cents"]))
    shown = story.call("get_shipment", shipment_id=mine["shipment_id"])
    story.answer("promised day", shown["promised_on"])
    story.answer("price", story.money(shown["price_cents"]))


@scenario(form="ambiguous")
def credit_for_one_of_them(story: Story) -> None:
    """The customer wants a credit for one of their packages."""
    parcel = story.pick("shipment", FOUR_OR_MORE, unique_by=["tracking_number"], mine=True)
    number = parcel["tracking_number"]
    amount = story.money(story.choose("amount", [300, 500, 800]))
    ask = story.wish(
        (
            "Your driver was really rude about one of my packages. Can you give me a {amount} credit for it?",
            "One of your drivers was very rude about one of my packages. Could you please give me a {amount} credit for it?",
            "driver was super rude about one of my packages, can you give me a {amount} credit for it?",
        ),
        amount=amount,
    )
    story.keep_back("tracking number", number)
    story.in_short(ask, "giving me a {amount} credit for one of my packages, {number}", amount=amount, number=number)
    key = story.identify()
    shipments = story.call("list_customer_shipments", customer_id=key)["shipments"]
    mine = story.find(shipments, tracking_number=number)
    note = story.compose("credit note", "Rude driver, credit of {amount}", amount=amount)
    for other in story.others(shipments, mine):
        with story.wrong("takes another package"):
            story.call(
                "add_credit", customer_id=key, amount_cents=amount, description=note, shipment_id=other["shipment_id"]
            )
    story.call("add_credit", customer_id=key, amount_cents=amount, description=note, shipment_id=mine["shipment_id"])


@scenario(form="all_but")
def credit_for_all_but_one(story: Story) -> None:
    """The customer wants a credit for each package except one."""
    parcel = story.pick(
        "shipment",
        "(SELECT count(*) FROM shipment AS s WHERE s.customer_id = shipment.customer_id) BETWEEN 3 AND 5",
        unique_by=["tracking_number"],
        mine=True,
    )
    number = parcel["tracking_number"]
    amount = story.money(story.choose("amount", [150, 250, 350]))
    story.wish(
        (
            "You messed up all my packages except {number}. Can you give me a {amount} credit for each of the others?",
            "There was trouble with all of my packages except {number}. Could you please give me a {amount} credit for each of the others?",
            "can you give me a {amount} credit for each of my packages? skip {number}, that one was fine",
        ),
        short="giving me a {amount} credit for each of my packages except {number}",
        number=number,
        amount=amount,
    )
    key = story.identify()
    shipments = story.call("list_customer_shipments", customer_id=key)["shipments"]
    note = story.compose("credit note", "Trouble with a package, credit of {amount}", amount=amount)
    with story.wrong("forgets the exception"):
        for each in shipments:
            story.call(
                "add_credit", customer_id=key, amount_cents=amount, description=note, shipment_id=each["shipment_id"]
            )
    for each in story.all_but(shipments, tracking_number=number):
        story.call(
            "add_credit", customer_id=key, amount_cents=amount, description=note, shipment_id=each["shipment_id"]
        )


@scenario(form="all_but")
def shipping_total_but_one(story: Story) -> None:
    """The customer asks for the total of all shipping charges but one, and the day of the latest of them."""
    charge = story.pick(
        "account_entry",
        """
        kind = 'shipping' AND voided_at IS NULL
        AND (SELECT count(*) FROM account_entry AS e WHERE e.customer_id = account_entry.customer_id AND e.voided_at IS NULL) <= 20
        AND (
            SELECT count(*) FROM account_entry AS e
            WHERE e.customer_id = account_entry.customer_id AND e.kind = 'shipping' AND e.voided_at IS NULL
        ) BETWEEN 3 AND 6
        AND EXISTS (
            SELECT 1 FROM shipment AS s
            WHERE s.shipment_id = account_entry.shipment_id AND account_entry.description = 'Shipment ' || s.tracking_number
        )
        """,
        unique_by=["description"],
        mine=True,
    )
    what = charge["description"]
    story.wish(
        (
            "I'm billing a client for all my shipping charges except \"{what}\". What's the total, and what's the latest day?",
            'I am billing a client for all of my shipping charges except "{what}". Could you please tell me the total and the latest day?',
            'billing a client for all my shipping charges except "{what}", what\'s the total and the latest day',
        ),
        short='telling me the total and the latest day of all my shipping charges except "{what}"',
        what=what,
    )
    entries = story.call("list_account_entries", customer_id=story.identify())["entries"]
    shipping = [each for each in entries if each["kind"] == "shipping"]
    with story.wrong("forgets the exception"):
        story.answer("total", story.money(story.total(shipping, "amount_cents")))
        story.answer("latest day", story.date_of(story.highest(shipping, "created_at")["created_at"]))
    rest = story.all_but(shipping, description=what)
    story.answer("total", story.money(story.total(rest, "amount_cents")))
    story.answer("latest day", story.date_of(story.highest(rest, "created_at")["created_at"]))


@scenario(form="conditional")
def lost_or_later(story: Story) -> None:
    """The customer has a package held if a delivery attempt failed, and sent elsewhere if none did."""
    parcel = story.pick(
        "shipment",
        "state = 'at_depot' AND route_id IS NULL AND service IN ('two_day', 'ground')",
        unique_by=["tracking_number"],
        mine=True,
    )
    number = parcel["tracking_number"]
    day = story.day(4)
    street = story.choose("street", ["18 Bear Creek Ave", "402 Stone St", "75 Canyon Vista Ln"])
    city = story.choose("city", ["Morrison"])
    code = story.choose("ZIP code", ["80465"])
    story.wish(
        (
            "If you've already tried to deliver my package {number}, hold it at the depot until {day}. If not, send it to {street}, {city} {code}.",
            "Please hold my package {number} at the depot until {day} if a delivery attempt has failed. If not, please send it to {street}, {city} {code}.",
            "hold my package {number} at the depot until {day} if you tried to deliver it already. if not, send it to {street}, {city} {code}",
        ),
        short="holding my package {number} at the depot until {day} if a delivery failed, and sending it to {street}, {city} {code} if not",
        number=number,
        day=day,
        street=street,
        city=city,
        code=code,
    )
    shipments = story.call("list_customer_shipments", customer_id=story.identify())["shipments"]
    mine = story.find(shipments, tracking_number=number)
    shown = story.call("get_shipment", shipment_id=mine["shipment_id"])
    tried = shown["failed_attempts"] > 0
    with story.wrong("takes the other branch"):
        if tried:
            story.call(
                "change_delivery_address", shipment_id=mine["shipment_id"], street=street, city=city, zip_code=code
            )
        else:
            story.call("hold_shipment", shipment_id=mine["shipment_id"], hold_until=day)
    with story.wrong("does both"):
        story.call("change_delivery_address", shipment_id=mine["shipment_id"], street=street, city=city, zip_code=code)
        story.call("hold_shipment", shipment_id=mine["shipment_id"], hold_until=day)
    if tried:
        story.call("hold_shipment", shipment_id=mine["shipment_id"], hold_until=day)
    else:
        story.call("change_delivery_address", shipment_id=mine["shipment_id"], street=street, city=city, zip_code=code)


@scenario(form="looked_up")
def credit_by_city(story: Story) -> None:
    """The customer wants a credit for the package that went to a certain city."""
    parcel = story.pick(
        "shipment",
        "(SELECT count(*) FROM shipment AS s WHERE s.customer_id = shipment.customer_id) BETWEEN 2 AND 4",
        unique_by=["customer_id", "city"],
        mine=True,
    )
    amount = story.money(story.choose("amount", [300, 500, 800]))
    story.wish(
        (
            "The package I sent to {city} gave me nothing but trouble. Can you put a {amount} credit on my account for it?",
            "I had a lot of trouble with the package that I sent to {city}. Could you please put a {amount} credit on my account for it?",
            "can you put a {amount} credit on my account for the package i sent to {city}? nothing but trouble",
        ),
        short="putting a {amount} credit on my account for the package I sent to {city}",
        city=parcel["city"],
        amount=amount,
    )
    key = story.identify()
    listed = story.call("list_customer_shipments", customer_id=key)["shipments"]
    shown = [story.call("get_shipment", shipment_id=each["shipment_id"]) for each in listed]
    there = story.find(shown, city=parcel["city"])
    note = story.compose("credit note", "Trouble with the package to {city}", city=parcel["city"])
    for other in story.others(shown, there):
        with story.wrong("takes another package"):
            story.call(
                "add_credit", customer_id=key, amount_cents=amount, description=note, shipment_id=other["shipment_id"]
            )
    story.call("add_credit", customer_id=key, amount_cents=amount, description=note, shipment_id=there["shipment_id"])


@scenario(form="looked_up")
def credit_by_value(story: Story) -> None:
    """The customer wants a credit for the package with a certain declared value."""
    parcel = story.pick(
        "shipment",
        "declared_value_cents > 0 AND (SELECT count(*) FROM shipment AS s WHERE s.customer_id = shipment.customer_id) BETWEEN 2 AND 4",
        unique_by=["customer_id", "declared_value_cents"],
        mine=True,
    )
    value = story.money(parcel["declared_value_cents"])
    amount = story.money(story.choose("amount", [400, 600, 900]))
    story.wish(
        (
            "I had to pay for new packing on the package I declared at {value}. Can you give me a {amount} credit for it?",
            "I had to pay for new packing on the package that I declared at {value}. Could you please give me a {amount} credit for it?",
            "can you give me a {amount} credit for the package i declared at {value}? had to pay for new packing",
        ),
        short="giving me a {amount} credit for the package I declared at {value}",
        value=value,
        amount=amount,
    )
    key = story.identify()
    listed = story.call("list_customer_shipments", customer_id=key)["shipments"]
    shown = [story.call("get_shipment", shipment_id=each["shipment_id"]) for each in listed]
    right = story.find(shown, declared_value_cents=value)
    note = story.compose("credit note", "New packing for the package worth {value}", value=value)
    for other in story.others(shown, right):
        with story.wrong("takes another package"):
            story.call(
                "add_credit", customer_id=key, amount_cents=amount, description=note, shipment_id=other["shipment_id"]
            )
    story.call("add_credit", customer_id=key, amount_cents=amount, description=note, shipment_id=right["shipment_id"])


@scenario(form="best_of")
def credit_for_the_last_delivered(story: Story) -> None:
    """The customer wants a credit for the delivered package that was promised last."""
    story.pick(
        "customer",
        """
        (SELECT count(*) FROM shipment AS s WHERE s.customer_id = customer.customer_id AND s.state = 'delivered') > 1
        AND EXISTS (
            SELECT 1 FROM shipment AS s WHERE s.customer_id = customer.customer_id AND s.state <> 'delivered' AND s.promised_on > (
                SELECT max(d.promised_on) FROM shipment AS d WHERE d.customer_id = customer.customer_id AND d.state = 'delivered'
            )
        )
        """,
        unique_by=["customer_id"],
        mine=True,
    )
    amount = story.money(story.choose("amount", [300, 500, 800]))
    story.wish(
        (
            "Of my packages that were delivered, can you give me a {amount} credit for the one with the latest promised day?",
            "Please give me a {amount} credit for the package with the latest promised day among those of mine that were delivered.",
            "give me a {amount} credit for the package with the latest promised day, only from the delivered ones",
        ),
        short="giving me a {amount} credit for the package with the latest promised day of those that were delivered",
        amount=amount,
    )
    key = story.identify()
    shipments = story.call("list_customer_shipments", customer_id=key)["shipments"]
    note = story.compose("credit note", "Credit of {amount} for a delivered package", amount=amount)
    with story.wrong("forgets that it was delivered"):
        latest = story.highest(shipments, "promised_on")
        story.call(
            "add_credit", customer_id=key, amount_cents=amount, description=note, shipment_id=latest["shipment_id"]
        )
    done = [each for each in shipments if each["state"] == "delivered"]
    last = story.highest(done, "promised_on")
    for other in story.others(done, last, 1):
        with story.wrong("takes another one that was delivered"):
            story.call(
                "add_credit", customer_id=key, amount_cents=amount, description=note, shipment_id=other["shipment_id"]
            )
    story.call("add_credit", customer_id=key, amount_cents=amount, description=note, shipment_id=last["shipment_id"])


@scenario(form="best_of")
def biggest_shipping_charge(story: Story) -> None:
    """The customer asks for the amount and the day of the biggest shipping charge."""
    story.pick(
        "customer",
        """
        (SELECT count(*) FROM account_entry AS e WHERE e.customer_id = customer.customer_id AND e.voided_at IS NULL) <= 20
        AND (SELECT count(*) FROM account_entry AS e WHERE e.customer_id = customer.customer_id AND e.kind = 'shipping' AND e.voided_at IS NULL) > 1
        AND EXISTS (
            SELECT 1 FROM account_entry AS p WHERE p.customer_id = customer.customer_id AND p.kind <> 'shipping' AND p.voided_at IS NULL
            AND p.amount_cents > (
                SELECT max(e.amount_cents) FROM account_entry AS e
                WHERE e.customer_id = customer.customer_id AND e.kind = 'shipping' AND e.voided_at IS NULL
            )
        )
        """,
        unique_by=["customer_id"],
        mine=True,
    )
    story.wish(
        (
            "I'm looking over my account. What are the amount and the day of my biggest shipping charge? Nothing but shipping, please.",
            "Could you please tell me the amount and the day of my biggest shipping charge? I am only interested in shipping.",
            "what's the amount and the day of my biggest shipping charge? just shipping, nothing else",
        ),
        short="telling me the amount and the day of my biggest shipping charge",
    )
    entries = story.call("list_account_entries", customer_id=story.identify())["entries"]
    with story.wrong("forgets that only shipping counts"):
        top = story.highest(entries, "amount_cents")
        story.answer("amount", story.money(top["amount_cents"]))
        story.answer("day", story.date_of(top["created_at"]))
    shipping = [each for each in entries if each["kind"] == "shipping"]
    biggest = story.highest(shipping, "amount_cents")
    for other in story.others(shipping, biggest, 1):
        with story.wrong("takes another shipping charge"):
            story.answer("amount", story.money(other["amount_cents"]))
            story.answer("day", story.date_of(other["created_at"]))
    story.answer("amount", story.money(biggest["amount_cents"]))
    story.answer("day", story.date_of(biggest["created_at"]))


@scenario(form="changed_mind")
def wrong_phone_first(story: Story) -> None:
    """The customer gives a new phone number and then corrects it."""
    first = story.choose("phone", ["505-555-0118"])
    second = story.choose("right phone", ["505-555-0181", "505-555-0108", "505-555-0119"])
    change = story.wish(
        (
            "I got a new phone. Can you change my number to {phone}?",
            "My phone number has changed. Could you please update it to {phone}?",
            "new phone number here, can you change it to {phone}?",
        ),
        short="changing my phone number to {phone}",
        phone=first,
    )
    correct = story.changes_mind(
        change,
        (
            "Sorry, mixed up the digits. My phone number is {phone}.",
            "I apologize, I mixed up the digits. My phone number is {phone}.",
            "oops mixed up the digits, my phone number's {phone}",
        ),
        short="changing my phone number to {phone}",
        phone=second,
    )
    key = story.identify()
    story.call("update_customer_contact", wish=change, customer_id=key, phone=first)
    story.call("update_customer_contact", wish=correct, customer_id=key, phone=second)


@scenario(form="changed_mind")
def old_zip_after_all(story: Story) -> None:
    """The customer gives a new billing ZIP code and then another one."""
    first = story.choose("ZIP code", ["87104"])
    second = story.choose("right ZIP code", ["87106", "87110", "87122"])
    change = story.wish(
        (
            "I'm moving, so please make {code} my billing ZIP code.",
            "I am about to move. Could you please change my billing ZIP code to {code}?",
            "moving soon, can you change my billing zip code to {code}?",
        ),
        short="changing my billing ZIP code to {code}",
        code=first,
    )
    correct = story.changes_mind(
        change,
        (
            "Actually, we got a different place. Make {code} my billing ZIP code.",
            "Actually, we found a different place. Please make {code} my billing ZIP code.",
            "actually got a different place, make {code} my billing zip code",
        ),
        short="changing my billing ZIP code to {code}",
        code=second,
    )
    key = story.identify()
    story.call("update_customer_contact", wish=change, customer_id=key, zip_code=first)
    story.call("update_customer_contact", wish=correct, customer_id=key, zip_code=second)
