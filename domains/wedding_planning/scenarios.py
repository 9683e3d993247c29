"""What people want of Evermore Wedding Planning: every function is a scenario."""

from runtime.story import Story, scenario

NAMED_2 = """
    wedding_id IN (SELECT wedding.wedding_id FROM wedding WHERE NOT EXISTS (SELECT 1 FROM wedding AS twin WHERE twin.client_id = wedding.client_id
            AND twin.title = wedding.title
            AND twin.wedding_id <> wedding.wedding_id))
"""

BOPEN_2 = """
    wedding_id IN (SELECT wedding.wedding_id FROM wedding WHERE wedding.status IN ('inquiry', 'contracted'))
"""

SINGLE_2 = """
    (SELECT count(*) FROM booking AS twin JOIN vendor AS seller ON seller.vendor_id = twin.vendor_id WHERE twin.wedding_id = booking.wedding_id
            AND seller.name = (SELECT name FROM vendor WHERE vendor.vendor_id = booking.vendor_id)) = 1
"""

OPEN_2 = """
    wedding_id IN (SELECT wedding.wedding_id FROM wedding WHERE wedding.status IN ('inquiry', 'contracted'))
"""

BALANCE_2 = """
    (SELECT coalesce(sum(CASE WHEN kind IN ('charge', 'refund') THEN amount_cents ELSE -amount_cents END), 0) FROM ledger_entry WHERE ledger_entry.wedding_id = wedding.wedding_id
            AND ledger_entry.status = 'posted')
"""

NAMED = """
    wedding_id IN (SELECT wedding.wedding_id FROM wedding WHERE NOT EXISTS (SELECT 1 FROM wedding AS twin WHERE twin.client_id = wedding.client_id
        AND twin.title = wedding.title
        AND twin.wedding_id <> wedding.wedding_id))
"""
NOTFULL = """
    (SELECT count(*) FROM wedding AS same WHERE same.wedding_date = wedding.wedding_date
        AND same.status = 'contracted'
        AND same.wedding_id <> wedding.wedding_id) < 3
"""
BOPEN = """
    wedding_id IN (SELECT wedding.wedding_id FROM wedding WHERE wedding.status IN ('inquiry', 'contracted'))
"""
SINGLE = """
    (SELECT count(*) FROM booking AS twin JOIN vendor AS seller ON seller.vendor_id = twin.vendor_id WHERE twin.wedding_id = booking.wedding_id
        AND seller.name = (SELECT name FROM vendor WHERE vendor.vendor_id = booking.vendor_id)) = 1
"""
BBAL = """
    (SELECT coalesce(sum(CASE WHEN kind IN ('charge', 'refund') THEN amount_cents ELSE -amount_cents END), 0) FROM ledger_entry WHERE ledger_entry.wedding_id = booking.wedding_id
        AND ledger_entry.status = 'posted')
"""
READY = """
    status = 'requested'
        AND service_date >= '2026-03-05'
        AND wedding_id IN (SELECT wedding.wedding_id FROM wedding WHERE wedding.status = 'contracted')
        AND vendor_id IN (SELECT vendor.vendor_id FROM vendor WHERE active = 1)
        AND NOT EXISTS (SELECT 1 FROM booking AS other WHERE other.vendor_id = booking.vendor_id
        AND other.service_date = booking.service_date
        AND other.status = 'confirmed')
        AND NOT EXISTS (SELECT 1 FROM booking AS other JOIN vendor AS place ON place.vendor_id = other.vendor_id WHERE other.wedding_id = booking.wedding_id
        AND other.status = 'confirmed'
        AND place.category = 'venue'
        AND booking.vendor_id IN (SELECT vendor.vendor_id FROM vendor WHERE category = 'venue'))
"""
FREE = """
    active = 1
        AND (max_guests IS NULL OR max_guests >= ?)
        AND NOT EXISTS (SELECT 1 FROM booking WHERE booking.vendor_id = vendor.vendor_id
        AND service_date = ?
        AND status = 'confirmed')
        AND NOT EXISTS (SELECT 1 FROM booking WHERE booking.vendor_id = vendor.vendor_id
        AND booking.wedding_id = ?)
"""
OPEN = """
    wedding_id IN (SELECT wedding.wedding_id FROM wedding WHERE wedding.status IN ('inquiry', 'contracted'))
"""
CONTRACTED = "wedding_id IN (SELECT wedding.wedding_id FROM wedding WHERE wedding.status = 'contracted')"
SEATS = """
    (SELECT sum(CASE other.rsvp_status WHEN 'accepted' THEN other.attending_count WHEN 'declined' THEN 0 ELSE other.party_size END) FROM guest AS other WHERE other.wedding_id = guest.wedding_id)
"""
LIMIT = "(SELECT guest_limit FROM wedding WHERE wedding.wedding_id = guest.wedding_id)"
WSEATS = """
    (SELECT coalesce(sum(CASE rsvp_status WHEN 'accepted' THEN attending_count WHEN 'declined' THEN 0 ELSE party_size END), 0) FROM guest WHERE guest.wedding_id = wedding.wedding_id)
"""
SERVED = """
    wedding_id IN (SELECT wedding.wedding_id FROM wedding WHERE wedding.status IN ('inquiry', 'contracted')
        AND wedding.package <> 'day_of')
"""
DEADLINE = "wedding_id IN (SELECT wedding.wedding_id FROM wedding WHERE wedding.rsvp_due_on IS NOT NULL)"
ONCE = """
    (SELECT count(*) FROM task AS twin WHERE twin.wedding_id = task.wedding_id
        AND twin.title = task.title) = 1
"""
AHEAD = "status = 'scheduled' AND starts_at > '2026-03-05 09:15:00'"
LATER = "(SELECT wedding_date FROM wedding WHERE wedding.wedding_id = task.wedding_id)"
BALANCE = """
    (SELECT coalesce(sum(CASE WHEN kind IN ('charge', 'refund') THEN amount_cents ELSE -amount_cents END), 0) FROM ledger_entry WHERE ledger_entry.wedding_id = wedding.wedding_id
        AND ledger_entry.status = 'posted')
"""


@scenario
def call_me_instead(story: Story) -> None:
    """The client changes how to be reached and how many guests a wedding has room for."""
    way = story.choose("way", {"by phone": "phone"})
    guests = story.choose("guests", [205, 215, 225])
    me = story.pick(
        "client",
        f"preferred_contact = 'email' AND client_id IN (SELECT client_id FROM wedding WHERE status IN ('inquiry', 'contracted') AND {NAMED})",
        mine=True,
    )
    wedding = story.pick(
        "wedding", f"status IN ('inquiry', 'contracted') AND {NAMED} AND client_id = ?", me["client_id"], mine=True
    )
    title = wedding["title"]
    story.wish(
        (
            "I keep missing your emails. Can you reach me {way} from now on and make room for {guests} guests at the {title}?",
            "I would like to be reached {way} from now on. Could you please also make room for {guests} guests at the {title}?",
            "can you reach me {way} from now on? and make room for {guests} guests at the {title}",
        ),
        short="reaching me {way} from now on and making room for {guests} guests at the {title}",
        way=way,
        guests=guests,
        title=title,
    )
    key = story.identify()
    mine = story.find(story.call("list_client_weddings", client_id=key)["weddings"], title=title)
    story.call("update_client", client_id=key, preferred_contact=way)
    story.call("update_wedding", wedding_id=mine["wedding_id"], guest_limit=guests)


@scenario
def sign_and_see_the_balance(story: Story) -> None:
    """The client signs the contract for a fresh inquiry and asks when the fee is due."""
    fee = story.money(story.choose("fee", [190000, 275000, 360000]))
    wedding = story.pick(
        "wedding",
        f"status = 'inquiry' AND wedding_date > ? AND created_at >= ? AND {NAMED} AND {NOTFULL}",
        story.today,
        story.day(-40),
        mine=True,
    )
    title = wedding["title"]
    story.wish(
        (
            "We're ready to sign for the {title} with a planning fee of {fee}. Can you set that up and tell me the fee's due date?",
            "We would like to sign the contract for the {title} with a planning fee of {fee}. Could you please tell me the fee's due date?",
            "can you sign us up for the {title} with a planning fee of {fee}? what's the due date for that",
        ),
        short="signing the contract for the {title} with a planning fee of {fee} and telling me the fee's due date",
        title=title,
        fee=fee,
    )
    key = story.identify()
    mine = story.find(story.call("list_client_weddings", client_id=key)["weddings"], title=title)
    story.call("sign_contract", wedding_id=mine["wedding_id"], planning_fee_cents=fee)
    entries = story.call("list_ledger_entries", wedding_id=mine["wedding_id"])["entries"]
    story.answer("due date", story.find(entries, amount_cents=fee)["due_on"])


@scenario
def switch_the_package(story: Story) -> None:
    """The client switches a contracted wedding to another package at an agreed fee."""
    package = story.choose("package", {"full-service package": "full_service", "partial package": "partial"})
    category = story.choose("category", {"under other": "other"})
    fee = story.money(story.choose("fee", [510000, 615000, 745000]))
    wedding = story.pick(
        "wedding",
        f"status = 'contracted' AND package <> ? AND planning_fee_cents <> ? AND {NAMED}",
        package,
        fee,
        mine=True,
    )
    title = wedding["title"]
    story.wish(
        (
            "We agreed on {fee} in planning fees for the {package}. Can you switch the {title} to it and put what the switch itself costs {category}?",
            "We have agreed on {fee} in planning fees for the {package}. Could you please switch the {title} to it and put what the switch itself costs {category}?",
            "can you switch the {title} to the {package}? we agreed on {fee} in planning fees. put what the switch itself costs {category}",
        ),
        short="switching the {title} to the {package} for {fee} in planning fees and putting what the switch itself costs {category}",
        fee=fee,
        package=package,
        title=title,
        category=category,
    )
    key = story.identify()
    mine = story.find(story.call("list_client_weddings", client_id=key)["weddings"], title=title)
    story.call("change_package", wedding_id=mine["wedding_id"], package=package, planning_fee_cents=fee)
    story.call(
        "add_charge",
        wedding_id=mine["wedding_id"],
        category=category,
        amount_cents=7500,
        description=story.compose("fee note", "Package change fee"),
        due_on=story.today,
    )


@scenario(form="denied")
def call_off_a_contracted_wedding(story: Story) -> None:
    """The client wants to cancel a wedding that is under contract."""
    reason = story.choose("reason", ["called off", "moving abroad"])
    wedding = story.pick("wedding", f"status = 'contracted' AND {NAMED}", mine=True)
    title = wedding["title"]
    off = story.wish(
        (
            "We can't go through with the {title}. Can you cancel it and put down {reason}?",
            "I would like to cancel the {title}. Could you please put down {reason}?",
            "can you cancel the {title}? we can't go through with it. put down {reason}",
        ),
        short="canceling the {title} with the reason {reason}",
        title=title,
        reason=reason,
    )
    story.insists(
        off,
        (
            "This has been the hardest week of my life, I just want it off my mind.",
            "It has been a very hard week for both of us, and I would be so relieved to have it settled.",
            "worst week ever honestly, just want it over with",
        ),
    )
    key = story.identify()
    mine = story.find(story.call("list_client_weddings", client_id=key)["weddings"], title=title)
    details = story.call("get_wedding", wedding_id=mine["wedding_id"])
    with story.wrong("only renames it"):
        story.call("update_wedding", wedding_id=details["wedding_id"], title=reason)
    if story.permits("cancel_wedding", wedding_id=mine["wedding_id"], reason=reason):
        story.call("cancel_wedding", wedding_id=mine["wedding_id"], reason=reason)
    else:
        story.decline(off)


@scenario(form="fallback")
def move_the_wedding_date(story: Story) -> None:
    """The client wants another date, or else an earlier start."""
    day = story.day(story.choose("days", [230, 244, 258]))
    time = story.choose("time", ["14:15", "15:45"])
    wedding = story.pick(
        "wedding",
        f"status IN ('inquiry', 'contracted') AND wedding_date <> ? AND wedding_date <> ? AND {NAMED}",
        day,
        story.after(day, days=1),
        mine=True,
    )
    title = wedding["title"]
    move = story.wish(
        (
            "Half my family can't make it that day. Can you move the {title} to {day}?",
            "I would like to move the {title} to {day}, because half of my family cannot make it.",
            "can you move the {title} to {day}? half my family can't make it",
        ),
        short="moving the {title} to {day}",
        title=title,
        day=day,
    )
    start = story.otherwise(
        move,
        (
            "Okay, then please start the {title} at {time} so people can leave early.",
            "In that case, please start the {title} at {time}, so that people can leave early.",
            "ok then start the {title} at {time} so people can leave early",
        ),
        short="starting the {title} at {time}",
        title=title,
        time=time,
    )
    key = story.identify()
    mine = story.find(story.call("list_client_weddings", wish=move, client_id=key)["weddings"], title=title)
    story.call("get_wedding", wish=move, wedding_id=mine["wedding_id"])
    with story.wrong("takes another day"):
        story.call("change_wedding_date", wish=move, wedding_id=mine["wedding_id"], new_date=story.after(day, days=1))
    if story.permits("change_wedding_date", wish=move, wedding_id=mine["wedding_id"], new_date=day):
        story.call("change_wedding_date", wish=move, wedding_id=mine["wedding_id"], new_date=day)
    else:
        story.decline(move)
        story.call("update_wedding", wish=start, wedding_id=mine["wedding_id"], start_time=time)


@scenario(form="fallback")
def open_another_celebration(story: Story) -> None:
    """The client wants to open a wedding, or else to be called instead of emailed."""
    name = story.choose("name", ["Backyard Ceremony", "Anniversary Dinner", "Winter Wedding"])
    partner = story.choose("partner", ["Jordan Blake", "Casey Quinn"])
    day = story.day(story.choose("days", [195, 216, 237]))
    time = story.choose("time", ["16:15", "18:30"])
    package = story.choose("package", {"day-of package": "day_of", "partial package": "partial"})
    guests = story.choose("guests", [18, 32, 54])
    budget = story.money(story.choose("budget", [650000, 1150000]))
    way = story.choose("way", {"by phone": "phone"})
    story.pick(
        "client",
        "preferred_contact = 'email' AND (SELECT count(*) FROM wedding WHERE wedding.client_id = client.client_id "
        "AND status IN ('inquiry', 'contracted')) <= 1 AND NOT EXISTS (SELECT 1 FROM wedding WHERE wedding.client_id = client.client_id "
        "AND wedding_date IN (?, ?))",
        day,
        story.after(day, days=1),
        mine=True,
    )
    another = story.wish(
        (
            "I'm planning a {name} with {partner} on {day} at {time}. Can you open it with the {package}, up to {guests} guests and a budget of {budget}?",
            "I would like to have a {name} with {partner} on {day} at {time}. Could you please open it with the {package}, up to {guests} guests and a budget of {budget}?",
            "can you open a {name} with {partner} on {day} at {time}? {package}, up to {guests} guests, budget {budget}",
        ),
        short="opening a {name} with {partner} on {day} at {time} with the {package}, up to {guests} guests and a budget of {budget}",
        name=name,
        partner=partner,
        day=day,
        time=time,
        package=package,
        guests=guests,
        budget=budget,
    )
    reach = story.otherwise(
        another,
        (
            "Okay, then at least reach me {way} from now on, I don't read emails.",
            "In that case, please reach me {way} from now on, because I do not read emails.",
            "ok then at least reach me {way} from now on, never read emails",
        ),
        short="reaching me {way} from now on",
        way=way,
    )
    key = story.identify()
    story.call("list_client_weddings", wish=another, client_id=key)
    wanted = {
        "client_id": key,
        "title": name,
        "partner_name": partner,
        "start_time": time,
        "package": package,
        "guest_limit": guests,
        "budget_cents": budget,
    }
    with story.wrong("takes another day"):
        story.call("open_wedding", wish=another, wedding_date=story.after(day, days=1), **wanted)
    if story.permits("open_wedding", wish=another, wedding_date=day, **wanted):
        story.call("open_wedding", wish=another, wedding_date=day, **wanted)
    else:
        story.decline(another)
        story.call("update_client", wish=reach, client_id=key, preferred_contact=way)


@scenario(form="denied")
def sign_the_contract_now(story: Story) -> None:
    """The client wants to sign the contract for an inquiry."""
    fee = story.money(story.choose("fee", [180000, 265000, 340000]))
    wedding = story.pick(
        "wedding", f"status = 'inquiry' AND wedding_date > ? AND {NAMED} AND {NOTFULL}", story.today, mine=True
    )
    title = wedding["title"]
    sign = story.wish(
        (
            "We've made up our minds and want to sign for the {title} with a planning fee of {fee}. Can you put that through?",
            "We would like to sign the contract for the {title} with a planning fee of {fee}. Could you please put that through?",
            "can you put through our contract for the {title}, planning fee {fee}? we made up our minds",
        ),
        short="signing the contract for the {title} with a planning fee of {fee}",
        title=title,
        fee=fee,
    )
    story.insists(
        sign,
        (
            "We've talked about nothing else for weeks, please don't let this fall through.",
            "This means a great deal to our families, and we have been looking forward to it for weeks.",
            "our moms are already crying about this, please",
        ),
    )
    key = story.identify()
    mine = story.find(story.call("list_client_weddings", client_id=key)["weddings"], title=title)
    details = story.call("get_wedding", wedding_id=mine["wedding_id"])
    with story.wrong("takes the budget for the fee"):
        story.call("sign_contract", wedding_id=mine["wedding_id"], planning_fee_cents=details["budget_cents"])
    if story.permits("sign_contract", wedding_id=mine["wedding_id"], planning_fee_cents=fee):
        story.call("sign_contract", wedding_id=mine["wedding_id"], planning_fee_cents=fee)
    else:
        story.decline(sign)


@scenario(form="conditional")
def start_time_by_room(story: Story) -> None:
    """The client wants a start that depends on how many guests the wedding has room for."""
    guests = story.choose("guests", [35, 60])
    early = story.choose("early", ["14:45"])
    late = story.choose("late", ["17:15"])
    wedding = story.pick(
        "wedding", f"status IN ('inquiry', 'contracted') AND guest_limit <> ? AND {NAMED}", guests, mine=True
    )
    title = wedding["title"]
    story.wish(
        (
            "If the {title} has room for {guests} guests or more, please start it at {early}. If there's room for fewer, start it at {late}.",
            "Please start the {title} at {early} if it has room for {guests} guests or more. If there is room for fewer, please start it at {late}.",
            "start the {title} at {early} if it has room for {guests} guests or more. if there's room for fewer, {late}",
        ),
        short="starting the {title} at {early} if it has room for {guests} guests or more, and at {late} if it has room for fewer",
        title=title,
        guests=guests,
        early=early,
        late=late,
    )
    key = story.identify()
    mine = story.find(story.call("list_client_weddings", client_id=key)["weddings"], title=title)
    details = story.call("get_wedding", wedding_id=mine["wedding_id"])
    right, other = (early, late) if details["guest_limit"] >= guests else (late, early)
    with story.wrong("takes the other branch"):
        story.call("update_wedding", wedding_id=mine["wedding_id"], start_time=other)
    with story.wrong("changes the room as well"):
        story.call("update_wedding", wedding_id=mine["wedding_id"], start_time=right, guest_limit=guests)
    story.call("update_wedding", wedding_id=mine["wedding_id"], start_time=right)


@scenario(form="coupled")
def new_plan_for_an_old_inquiry(story: Story) -> None:
    """The client opens a new wedding and gives up the inquiry that stands in its way."""
    name = story.choose("name", ["Garden Wedding", "Courthouse Reception", "Sunset Ceremony"])
    day = story.day(story.choose("days", [209, 223, 251]))
    time = story.choose("time", ["15:45", "18:30"])
    package = story.choose(
        "package", {"day-of package": "day_of", "partial package": "partial", "full-service package": "full_service"}
    )
    guests = story.choose("guests", [25, 45, 70])
    budget = story.money(story.choose("budget", [900000, 1650000]))
    town = story.choose("town", ["Denver", "Tulsa", "Santa Fe"])
    reason = story.dictate("reason", "We found another place near {town}", town=town)
    wedding = story.pick(
        "wedding",
        f"status = 'inquiry' AND {NAMED_2} AND (SELECT count(*) FROM wedding AS other WHERE other.client_id = wedding.client_id "
        "AND other.status IN ('inquiry', 'contracted')) = 1",
        mine=True,
    )
    old = wedding["title"]
    with story.together():
        new = story.wish(
            (
                "Please open a {name} on {day} at {time} with the {package}, same partner as for the {old}, up to {guests} guests and a budget of {budget}.",
                "I would like to open a {name} on {day} at {time} with the {package}, same partner as for the {old}, up to {guests} guests and a budget of {budget}.",
                "can you open a {name} on {day} at {time} with the {package}? same partner as for the {old}, up to {guests} guests, budget {budget}",
            ),
            short="opening a {name} on {day} at {time} with the {package}, my partner as for the {old}, up to {guests} guests and a budget of {budget}",
            name=name,
            day=day,
            time=time,
            package=package,
            old=old,
            guests=guests,
            budget=budget,
        )
        drop = story.wish(
            (
                "And cancel the {old}. As the reason, put exactly this: {reason}",
                "Please also cancel the {old}. As the reason, please put exactly this: {reason}",
                "and cancel the {old}. for the reason put exactly this: {reason}",
            ),
            short="canceling the {old} with exactly this as the reason: {reason}",
            old=old,
            reason=reason,
        )
    key = story.identify()
    mine = story.find(story.call("list_client_weddings", wish=drop, client_id=key)["weddings"], title=old)
    details = story.call("get_wedding", wish=new, wedding_id=mine["wedding_id"])
    story.call("cancel_wedding", wish=drop, wedding_id=mine["wedding_id"], reason=reason)
    story.call(
        "open_wedding",
        wish=new,
        client_id=key,
        title=name,
        partner_name=details["partner_name"],
        wedding_date=day,
        start_time=time,
        package=package,
        guest_limit=guests,
        budget_cents=budget,
    )


@scenario(form="outside")
def raise_the_budget_and_more(story: Story) -> None:
    """The client raises the budget and wants a bottle brought to a friend."""
    budget = story.money(story.choose("budget", [2725000, 3875000, 5125000]))
    wedding = story.pick("wedding", f"status IN ('inquiry', 'contracted') AND {NAMED}", mine=True)
    title = wedding["title"]
    story.wish(
        (
            "My parents are chipping in. Can you change the budget for the {title} to {budget} and tell me how much is left after what's committed?",
            "I would like to change the budget for the {title} to {budget}. Could you please tell me how much is left after what is committed?",
            "can you change the budget for the {title} to {budget}? and how much is left after what's committed",
        ),
        short="changing the budget for the {title} to {budget} and telling me how much is left after what's committed",
        title=title,
        budget=budget,
    )
    key = story.identify()
    mine = story.find(story.call("list_client_weddings", client_id=key)["weddings"], title=title)
    story.call("update_wedding", wedding_id=mine["wedding_id"], budget_cents=budget)
    summary = story.call("summarize_wedding_budget", wedding_id=mine["wedding_id"])
    story.answer("budget left", story.money(summary["remaining_cents"]))
    story.outside(
        (
            "And can you have champagne delivered to my parents today?",
            "Could you please also have champagne delivered to my parents today?",
            "and can you get champagne over to my parents today",
        )
    )


@scenario
def request_a_vendor(story: Story) -> None:
    """The client wants a vendor and asks for price and deposit."""
    wedding = story.pick(
        "wedding", f"status IN ('inquiry', 'contracted') AND wedding_date > ? AND {NAMED}", story.today, mine=True
    )
    title = wedding["title"]
    seller = story.pick(
        "vendor",
        f"{FREE} AND deposit_percent BETWEEN 1 AND 30",
        wedding["guest_limit"],
        wedding["wedding_date"],
        wedding["wedding_id"],
        unique_by=["name"],
    )
    vendor = seller["name"]
    story.wish(
        (
            "We fell in love with {vendor}. Can you request them for the {title} and tell me the price and the deposit?",
            "We would like to have {vendor} for the {title}. Could you please request them and tell me the price and the deposit?",
            "can you request {vendor} for the {title}? what's the price and the deposit",
        ),
        short="requesting {vendor} for the {title} and telling me the price and the deposit",
        vendor=vendor,
        title=title,
    )
    key = story.identify()
    mine = story.find(story.call("list_client_weddings", client_id=key)["weddings"], title=title)
    found = story.find(story.call("search_vendors", text=vendor)["vendors"], name=vendor)
    booking = story.call("request_booking", wedding_id=mine["wedding_id"], vendor_id=found["vendor_id"])
    story.answer("price", story.money(booking["price_cents"]))
    story.answer("deposit", story.money(booking["deposit_cents"]))


@scenario
def a_better_price(story: Story) -> None:
    """The client has talked a vendor into another price and asks for the deposit."""
    price = story.money(story.choose("price", [73000, 88000, 99000]))
    booking = story.pick(
        "booking",
        f"status = 'requested' AND price_cents <> ? AND deposit_cents > 0 AND {SINGLE} AND {NAMED}",
        price,
        mine=True,
    )
    title = story.row("wedding", booking["wedding_id"])["title"]
    vendor = story.row("vendor", booking["vendor_id"])["name"]
    story.wish(
        (
            "I talked to {vendor} about the {title} and we agreed on {price}. Can you change that and tell me the new deposit?",
            "I have agreed on {price} with {vendor} for the {title}. Could you please change that and tell me the new deposit?",
            "can you change {vendor} to {price} for the {title}? we agreed on it. what's the new deposit",
        ),
        short="changing the price of {vendor} for the {title} to {price} and telling me the new deposit",
        vendor=vendor,
        title=title,
        price=price,
    )
    key = story.identify()
    mine = story.find(story.call("list_client_weddings", client_id=key)["weddings"], title=title)
    bookings = story.call("list_wedding_bookings", wedding_id=mine["wedding_id"])["bookings"]
    right = story.find(bookings, vendor_name=vendor)
    changed = story.call("change_booking_price", booking_id=right["booking_id"], price_cents=price)
    story.answer("new deposit", story.money(changed["deposit_cents"]))


@scenario
def drop_a_vendor(story: Story) -> None:
    """The client cancels a booking that may be canceled."""
    saved = story.money(story.choose("saved", [11000, 14000, 17000]))
    reason = story.dictate("reason", "Found someone {saved} cheaper", saved=saved)
    booking = story.pick(
        "booking",
        f"status IN ('requested', 'confirmed') AND price_cents <= 125000 AND {SINGLE_2} AND {BOPEN_2} AND {NAMED_2}",
        mine=True,
    )
    title = story.row("wedding", booking["wedding_id"])["title"]
    vendor = story.row("vendor", booking["vendor_id"])["name"]
    story.wish(
        (
            "We don't want {vendor} at the {title} anymore. Can you cancel that booking? As the reason, put exactly this: {reason}",
            "We would like to cancel the booking of {vendor} for the {title}. As the reason, please put exactly this: {reason}",
            "can you cancel {vendor} for the {title}? for the reason put exactly this: {reason}",
        ),
        short="canceling the booking of {vendor} for the {title} with exactly this as the reason: {reason}",
        vendor=vendor,
        title=title,
        reason=reason,
    )
    key = story.identify()
    mine = story.find(story.call("list_client_weddings", client_id=key)["weddings"], title=title)
    bookings = story.call("list_wedding_bookings", wedding_id=mine["wedding_id"])["bookings"]
    right = story.find(bookings, vendor_name=vendor)
    story.call("cancel_booking", booking_id=right["booking_id"], reason=reason)


@scenario(form="denied")
def cancel_any_vendor(story: Story) -> None:
    """The client wants to cancel a vendor booking."""
    miles = story.choose("miles", [65, 80, 110])
    reason = story.dictate("reason", "They are {miles} miles away", miles=miles)
    booking = story.pick(
        "booking", f"status IN ('requested', 'confirmed') AND {SINGLE_2} AND {BOPEN_2} AND {NAMED_2}", mine=True
    )
    title = story.row("wedding", booking["wedding_id"])["title"]
    vendor = story.row("vendor", booking["vendor_id"])["name"]
    drop = story.wish(
        (
            "We changed our minds about {vendor} for the {title}. Can you cancel them? As the reason, put exactly this: {reason}",
            "I would like to cancel {vendor} for the {title}. As the reason, please put exactly this: {reason}",
            "can you cancel {vendor} for the {title}? changed our minds. for the reason put exactly this: {reason}",
        ),
        short="canceling {vendor} for the {title} with exactly this as the reason: {reason}",
        vendor=vendor,
        title=title,
        reason=reason,
    )
    story.insists(
        drop,
        (
            "I've had a bad feeling about them from the start and it keeps me up at night.",
            "I have had a bad feeling about them from the start, and it truly worries me.",
            "had a bad feeling about them from day one, can't shake it",
        ),
    )
    key = story.identify()
    mine = story.find(story.call("list_client_weddings", client_id=key)["weddings"], title=title)
    bookings = story.call("list_wedding_bookings", wedding_id=mine["wedding_id"])["bookings"]
    right = story.find(bookings, vendor_name=vendor)
    with story.wrong("cancels the whole wedding"):
        story.call("cancel_wedding", wedding_id=mine["wedding_id"], reason=reason)
    if story.permits("cancel_booking", booking_id=right["booking_id"], reason=reason):
        story.call("cancel_booking", booking_id=right["booking_id"], reason=reason)
    else:
        story.decline(drop)


@scenario(form="denied")
def confirm_a_vendor(story: Story) -> None:
    """The client wants a requested booking confirmed."""
    booking = story.pick(
        "booking", f"{READY} AND deposit_cents > 0 AND deposit_cents < price_cents AND {SINGLE} AND {NAMED}", mine=True
    )
    title = story.row("wedding", booking["wedding_id"])["title"]
    vendor = story.row("vendor", booking["vendor_id"])["name"]
    sure = story.wish(
        (
            "We're sure about {vendor} for the {title} now. Can you confirm the booking?",
            "I would like to have the booking of {vendor} for the {title} confirmed.",
            "can you confirm {vendor} for the {title}? we're sure now",
        ),
        short="confirming the booking of {vendor} for the {title}",
        vendor=vendor,
        title=title,
    )
    story.insists(
        sure,
        (
            "My sister has been dreaming about having them there, please make it happen.",
            "My sister has been dreaming of having them there, so it would mean a lot to us.",
            "my sister's been dreaming about this, pls make it happen",
        ),
    )
    key = story.identify()
    mine = story.find(story.call("list_client_weddings", client_id=key)["weddings"], title=title)
    bookings = story.call("list_wedding_bookings", wedding_id=mine["wedding_id"])["bookings"]
    right = story.find(bookings, vendor_name=vendor)
    story.call("list_ledger_entries", wedding_id=mine["wedding_id"])
    details = story.call("get_booking", booking_id=right["booking_id"])
    with story.wrong("books only the deposit"):
        story.call("change_booking_price", booking_id=right["booking_id"], price_cents=details["deposit_cents"])
    if story.permits("confirm_booking", booking_id=right["booking_id"]):
        story.call("confirm_booking", booking_id=right["booking_id"])
    else:
        story.decline(sure)


@scenario(form="denied")
def request_at_a_price(story: Story) -> None:
    """The client wants a vendor requested at an agreed price."""
    price = story.money(story.choose("price", [86500, 111500, 143500]))
    wedding = story.pick(
        "wedding", f"status IN ('inquiry', 'contracted') AND wedding_date > ? AND {NAMED}", story.today, mine=True
    )
    title = wedding["title"]
    seller = story.pick(
        "vendor",
        f"{FREE} AND rate_cents <> ? AND rate_cents * ? <> ?",
        wedding["guest_limit"],
        wedding["wedding_date"],
        wedding["wedding_id"],
        price,
        wedding["guest_limit"],
        price,
        unique_by=["name"],
    )
    vendor = seller["name"]
    ask = story.wish(
        (
            "We settled on {price} with {vendor}. Can you request them for the {title} at that price?",
            "We have settled on {price} with {vendor}. Could you please request them for the {title} at that price?",
            "can you request {vendor} for the {title} at {price}? we settled on that",
        ),
        short="requesting {vendor} for the {title} at {price}",
        vendor=vendor,
        title=title,
        price=price,
    )
    story.insists(
        ask,
        (
            "They did my best friend's wedding and everybody cried, I have to have them.",
            "They were at my best friend's wedding and everybody was in tears, so it means a lot to me.",
            "they did my best friend's wedding, everyone cried, i need them",
        ),
    )
    key = story.identify()
    mine = story.find(story.call("list_client_weddings", client_id=key)["weddings"], title=title)
    found = story.find(story.call("search_vendors", text=vendor)["vendors"], name=vendor)
    story.call("get_vendor", vendor_id=found["vendor_id"])
    with story.wrong("forgets the price"):
        story.call("request_booking", wedding_id=mine["wedding_id"], vendor_id=found["vendor_id"])
    if story.permits("request_booking", wedding_id=mine["wedding_id"], vendor_id=found["vendor_id"], price_cents=price):
        story.call("request_booking", wedding_id=mine["wedding_id"], vendor_id=found["vendor_id"], price_cents=price)
    else:
        story.decline(ask)


@scenario(form="computed")
def what_it_all_costs(story: Story) -> None:
    """The client asks what all live bookings and the planning fee come to."""
    wedding = story.pick(
        "wedding",
        f"status = 'contracted' AND {NAMED} AND (SELECT count(*) FROM booking WHERE booking.wedding_id = wedding.wedding_id "
        "AND booking.status IN ('requested', 'confirmed')) >= 2",
        mine=True,
    )
    title = wedding["title"]
    story.wish(
        (
            "I'm adding things up for the {title}. What's the total of every vendor booking that isn't canceled, with our planning fee?",
            "I would like to know the total of every vendor booking for the {title} that is not canceled, with our planning fee.",
            "what's the total for the {title}, every vendor booking that isn't canceled with our planning fee",
        ),
        short="telling me the total of every vendor booking for the {title} that isn't canceled, with our planning fee",
        title=title,
    )
    key = story.identify()
    mine = story.find(story.call("list_client_weddings", client_id=key)["weddings"], title=title)
    details = story.call("get_wedding", wedding_id=mine["wedding_id"])
    bookings = story.call("list_wedding_bookings", wedding_id=mine["wedding_id"])["bookings"]
    parts = [{"cents": each["price_cents"]} for each in bookings if each["status"] != "canceled"]
    with story.wrong("forgets the planning fee"):
        story.answer("total", story.money(story.total(parts, "cents")))
    story.answer("total", story.money(story.total([{"cents": details["planning_fee_cents"]}, *parts], "cents")))


@scenario(form="conditional")
def depends_on_the_deposit(story: Story) -> None:
    """The client keeps a vendor at a lower price or cancels, depending on the deposit."""
    deposit = story.money(story.choose("deposit", [20000, 30000]))
    price = story.money(story.choose("price", [64000, 71000]))
    reason = story.dictate("reason", "Deposit is over {deposit}", deposit=deposit)
    booking = story.pick(
        "booking",
        f"status = 'requested' AND price_cents <= 125000 AND price_cents <> ? AND {SINGLE_2} AND {BOPEN_2} AND {NAMED_2}",
        price,
        mine=True,
    )
    title = story.row("wedding", booking["wedding_id"])["title"]
    vendor = story.row("vendor", booking["vendor_id"])["name"]
    story.wish(
        (
            "If {vendor} wants a deposit of {deposit} or less for the {title}, change the price to {price}. If it's more, cancel that booking with exactly this as the reason: {reason}",
            "Please change the price of {vendor} for the {title} to {price} if the deposit is {deposit} or less. If it is more, please cancel that booking with exactly this as the reason: {reason}",
            "change {vendor} for the {title} to {price} if the deposit is {deposit} or less. if it's more, cancel that booking with exactly this as the reason: {reason}",
        ),
        short="changing {vendor} for the {title} to {price} if the deposit is {deposit} or less, and if it's more, canceling with exactly this as the reason: {reason}",
        vendor=vendor,
        title=title,
        deposit=deposit,
        price=price,
        reason=reason,
    )
    key = story.identify()
    mine = story.find(story.call("list_client_weddings", client_id=key)["weddings"], title=title)
    bookings = story.call("list_wedding_bookings", wedding_id=mine["wedding_id"])["bookings"]
    right = story.find(bookings, vendor_name=vendor)
    details = story.call("get_booking", booking_id=right["booking_id"])
    with story.wrong("cancels the whole wedding"):
        story.call("cancel_wedding", wedding_id=mine["wedding_id"], reason=reason)
    if details["deposit_cents"] <= deposit:
        with story.wrong("takes the other branch"):
            story.call("cancel_booking", booking_id=right["booking_id"], reason=reason)
        story.call("change_booking_price", booking_id=right["booking_id"], price_cents=price)
    else:
        with story.wrong("takes the other branch"):
            story.call("change_booking_price", booking_id=right["booking_id"], price_cents=price)
        story.call("cancel_booking", booking_id=right["booking_id"], reason=reason)


@scenario(form="coupled")
def settle_and_confirm(story: Story) -> None:
    """The client wants a booking confirmed and pays what is in the way."""
    method = story.choose("method", {"by card": "card", "by check": "check"})
    booking = story.pick("booking", f"{READY} AND {BBAL} > 300000 AND {SINGLE} AND {NAMED}", mine=True)
    title = story.row("wedding", booking["wedding_id"])["title"]
    vendor = story.row("vendor", booking["vendor_id"])["name"]
    with story.together():
        sure = story.wish(
            (
                "Please confirm {vendor} for the {title}.",
                "I would like to have {vendor} confirmed for the {title}.",
                "can you confirm {vendor} for the {title}",
            ),
            short="confirming {vendor} for the {title}",
            vendor=vendor,
            title=title,
        )
        pay = story.wish(
            (
                "And I'm paying off everything I owe for the {title} so far {method}, please record that.",
                "Please also record that I am paying off everything I owe for the {title} so far {method}.",
                "and record that i'm paying off everything i owe for the {title} so far {method}",
            ),
            short="recording that I'm paying off everything I owe for the {title} so far {method}",
            title=title,
            method=method,
        )
    key = story.identify()
    mine = story.find(story.call("list_client_weddings", wish=sure, client_id=key)["weddings"], title=title)
    bookings = story.call("list_wedding_bookings", wish=sure, wedding_id=mine["wedding_id"])["bookings"]
    right = story.find(bookings, vendor_name=vendor)
    summary = story.call("summarize_wedding_budget", wish=pay, wedding_id=mine["wedding_id"])
    story.call(
        "record_payment", wish=pay, wedding_id=mine["wedding_id"], amount_cents=summary["balance_cents"], method=method
    )
    story.call("confirm_booking", wish=sure, booking_id=right["booking_id"])


@scenario(form="looked_up")
def the_one_with_that_deposit(story: Story) -> None:
    """The client cancels the vendor who wants a certain deposit."""
    town = story.choose("town", ["Abilene", "Galveston", "Round Rock"])
    reason = story.dictate("reason", "A friend from {town} will do it", town=town)
    booking = story.pick(
        "booking",
        f"status IN ('requested', 'confirmed') AND price_cents <= 125000 AND deposit_cents > 0 AND {BOPEN_2} AND {NAMED_2} AND (SELECT count(*) "
        "FROM booking AS other WHERE other.wedding_id = booking.wedding_id AND other.status IN ('requested', 'confirmed')) = 2",
        unique_by=["wedding_id", "deposit_cents"],
        mine=True,
    )
    title = story.row("wedding", booking["wedding_id"])["title"]
    deposit = story.money(booking["deposit_cents"])
    story.wish(
        (
            "Please cancel the vendor for the {title} who wants a deposit of {deposit}, I forget the name. As the reason, put exactly this: {reason}",
            "I would like to cancel the vendor for the {title} who wants a deposit of {deposit}, whose name I forget. As the reason, please put exactly this: {reason}",
            "can you cancel the vendor for the {title} who wants a deposit of {deposit}? forget the name. for the reason put exactly this: {reason}",
        ),
        short="canceling the vendor for the {title} who wants a deposit of {deposit}, with exactly this as the reason: {reason}",
        title=title,
        deposit=deposit,
        reason=reason,
    )
    key = story.identify()
    mine = story.find(story.call("list_client_weddings", client_id=key)["weddings"], title=title)
    bookings = story.call("list_wedding_bookings", wedding_id=mine["wedding_id"])["bookings"]
    live = [each for each in bookings if each["status"] in ("requested", "confirmed")]
    details = [story.call("get_booking", booking_id=each["booking_id"]) for each in live]
    right = story.find(details, deposit_cents=deposit)
    for other in story.others(details, right):
        with story.wrong("takes the first that fits"):
            story.call("cancel_booking", booking_id=other["booking_id"], reason=reason)
    story.call("cancel_booking", booking_id=right["booking_id"], reason=reason)


@scenario
def an_invitation_went_out(story: Story) -> None:
    """The client mailed an invitation and wants it recorded."""
    guest = story.pick("guest", f"rsvp_status = 'draft' AND {CONTRACTED} AND {DEADLINE} AND {NAMED}", mine=True)
    name = guest["full_name"]
    title = story.row("wedding", guest["wedding_id"])["title"]
    story.wish(
        (
            "I mailed the invitation for {name} to the {title} this morning. Can you record that?",
            "This morning I mailed the invitation for {name} to the {title}. Could you please record that?",
            "can you record that {name} got an invitation to the {title}? mailed it this morning",
        ),
        short="recording that the invitation for {name} to the {title} went out",
        name=name,
        title=title,
    )
    key = story.identify()
    mine = story.find(story.call("list_client_weddings", client_id=key)["weddings"], title=title)
    guests = story.call("list_wedding_guests", wedding_id=mine["wedding_id"])["guests"]
    right = story.find(guests, full_name=name)
    story.call("get_wedding", wedding_id=mine["wedding_id"])
    story.call("invite_guests", wedding_id=mine["wedding_id"], guest_ids=[right["guest_id"]])


@scenario
def seat_and_feed_a_guest(story: Story) -> None:
    """The client seats a guest who accepted and settles the meal."""
    table = story.choose("table", [1, 2, 3])
    meal = story.choose("meal", {"fish": "fish", "vegetarian meal": "vegetarian", "vegan meal": "vegan"})
    guest = story.pick(
        "guest",
        f"rsvp_status = 'accepted' AND {OPEN} AND {NAMED} AND (table_number IS NULL OR table_number <> ?) AND (meal IS NULL OR meal <> ?) "
        "AND EXISTS (SELECT 1 FROM wedding WHERE wedding.wedding_id = guest.wedding_id AND wedding.table_count >= ? "
        "AND wedding.seats_per_table >= guest.attending_count + (SELECT coalesce(sum(other.attending_count), 0) FROM guest AS other "
        "WHERE other.wedding_id = guest.wedding_id AND other.table_number = ?))",
        table,
        meal,
        table,
        table,
        mine=True,
    )
    name = guest["full_name"]
    title = story.row("wedding", guest["wedding_id"])["title"]
    story.wish(
        (
            "I figured out where {name} should sit at the {title}. Can you put them at table {table} and order the {meal} for them?",
            "I would like {name} to sit at table {table} at the {title}. Could you please also order the {meal} for them?",
            "can you put {name} at table {table} for the {title}? and order the {meal} for them",
        ),
        short="seating {name} at table {table} at the {title} and ordering the {meal} for them",
        name=name,
        title=title,
        table=table,
        meal=meal,
    )
    key = story.identify()
    mine = story.find(story.call("list_client_weddings", client_id=key)["weddings"], title=title)
    guests = story.call("list_wedding_guests", wedding_id=mine["wedding_id"])["guests"]
    right = story.find(guests, full_name=name)
    story.call("seat_guests", wedding_id=mine["wedding_id"], guest_ids=[right["guest_id"]], table_number=table)
    story.call("update_guest", guest_id=right["guest_id"], meal=meal)


@scenario(form="denied")
def a_guest_is_not_coming(story: Story) -> None:
    """The client says that a guest is not coming."""
    answer = story.choose("answer", {"as declined": "declined"})
    guest = story.pick(
        "guest",
        f"rsvp_status IN ('invited', 'accepted') AND invited_on <= ? AND {CONTRACTED} AND {NAMED} AND {SEATS} <= {LIMIT}",
        story.today,
        mine=True,
    )
    name = guest["full_name"]
    title = story.row("wedding", guest["wedding_id"])["title"]
    out = story.wish(
        (
            "I just heard from {name}, they can't come to the {title}. Can you put them down {answer}?",
            "I have just heard that {name} cannot come to the {title}. Could you please put them down {answer}?",
            "can you put {name} down {answer} for the {title}? just heard they can't come",
        ),
        short="putting {name} down {answer} for the {title}",
        name=name,
        title=title,
        answer=answer,
    )
    story.insists(
        out,
        (
            "I feel terrible about this already, please don't make it any harder.",
            "I already feel terrible about this and would be grateful if it did not get any harder.",
            "feel awful about it already, don't make it harder",
        ),
    )
    key = story.identify()
    mine = story.find(story.call("list_client_weddings", client_id=key)["weddings"], title=title)
    guests = story.call("list_wedding_guests", wedding_id=mine["wedding_id"])["guests"]
    right = story.find(guests, full_name=name)
    with story.wrong("changes the party instead"):
        story.call("record_rsvp", guest_id=right["guest_id"], response="accepted", attending_count=right["party_size"])
    if story.permits("record_rsvp", guest_id=right["guest_id"], response=answer):
        story.call("record_rsvp", guest_id=right["guest_id"], response=answer)
    else:
        story.decline(out)


@scenario(form="fallback")
def one_more_on_the_list(story: Story) -> None:
    """The client wants to add a guest, or else to have more room."""
    name = story.choose("name", ["Imani Brookfield", "Theo Castellanos", "Ruth Vandermeer"])
    side = story.choose("side", {"on my side": "client", "as a friend of us both": "both"})
    count = story.choose("count", [2, 3])
    most = story.choose("most", [230, 240])
    wedding = story.pick(
        "wedding", f"status IN ('inquiry', 'contracted') AND {NAMED} AND {WSEATS} + 3 <= guest_limit", mine=True
    )
    title = wedding["title"]
    more = story.wish(
        (
            "I forgot {name}, a party of {count}. Can you add them to the list for the {title} {side}?",
            "I would like to add {name}, a party of {count}, to the list for the {title} {side}.",
            "can you add {name}, party of {count}, to the list for the {title} {side}?",
        ),
        short="adding {name}, a party of {count}, to the list for the {title} {side}",
        name=name,
        count=count,
        title=title,
        side=side,
    )
    room = story.otherwise(
        more,
        (
            "Okay, then please just make room for {most} guests at the {title}.",
            "In that case, please make room for {most} guests at the {title}.",
            "ok then just make room for {most} guests at the {title}",
        ),
        short="making room for {most} guests at the {title}",
        most=most,
        title=title,
    )
    key = story.identify()
    mine = story.find(story.call("list_client_weddings", wish=more, client_id=key)["weddings"], title=title)
    with story.wrong("forgets the party"):
        story.call("add_guest", wish=more, wedding_id=mine["wedding_id"], full_name=name, side=side)
    if story.permits(
        "add_guest", wish=more, wedding_id=mine["wedding_id"], full_name=name, side=side, party_size=count
    ):
        story.call("add_guest", wish=more, wedding_id=mine["wedding_id"], full_name=name, side=side, party_size=count)
    else:
        story.decline(more)
        story.call("update_wedding", wish=room, wedding_id=mine["wedding_id"], guest_limit=most)


@scenario(form="ambiguous")
def a_guest_on_the_wrong_side(story: Story) -> None:
    """One guest is on the wrong side of the list; the client says who when asked."""
    side = story.choose("side", {"as a friend of us both": "both"})
    guest = story.pick(
        "guest",
        f"side <> ? AND {OPEN} AND {NAMED} AND (SELECT count(*) FROM guest AS other WHERE other.wedding_id = guest.wedding_id AND other.side <> ?) >= 4",
        side,
        side,
        mine=True,
    )
    name = guest["full_name"]
    title = story.row("wedding", guest["wedding_id"])["title"]
    fix = story.wish(
        (
            "One of my guests is on the wrong side for the {title}. Can you list them {side}?",
            "There is one guest on the wrong side for the {title}. Could you please list them {side}?",
            "can you fix one of my guests for the {title}? wrong side, list them {side}",
        ),
        title=title,
        side=side,
    )
    story.keep_back("guest", name)
    story.in_short(fix, "listing one of my guests for the {title} {side}, {name}", title=title, side=side, name=name)
    key = story.identify()
    mine = story.find(story.call("list_client_weddings", client_id=key)["weddings"], title=title)
    guests = story.call("list_wedding_guests", wedding_id=mine["wedding_id"])["guests"]
    right = story.find(guests, full_name=name)
    fitting = [each for each in guests if each["side"] != side]
    for other in story.others(fitting, right):
        with story.wrong("takes another one that fits"):
            story.call("update_guest", guest_id=other["guest_id"], side=side)
    story.call("update_guest", guest_id=right["guest_id"], side=side)


@scenario(form="changed_mind")
def a_party_grows(story: Story) -> None:
    """The client changes the size of a party and then corrects it."""
    first = story.choose("first", [4])
    second = story.choose("second", [3, 5])
    guest = story.pick(
        "guest",
        f"rsvp_status IN ('draft', 'invited') AND party_size < 3 AND {OPEN} AND {NAMED} AND {SEATS} + 4 <= {LIMIT}",
        mine=True,
    )
    name = guest["full_name"]
    title = story.row("wedding", guest["wedding_id"])["title"]
    grow = story.wish(
        (
            "I talked to {name} about the {title}. Can you make them a party of {first}?",
            "I would like to make {name} a party of {first} for the {title}.",
            "can you make {name} a party of {first} for the {title}?",
        ),
        short="making {name} a party of {first} for the {title}",
        name=name,
        title=title,
        first=first,
    )
    fix = story.changes_mind(
        grow,
        (
            "Actually, make {name} a party of {second}.",
            "I apologize, please make {name} a party of {second} instead.",
            "oh wait, make {name} a party of {second}",
        ),
        short="making {name} a party of {second}",
        name=name,
        second=second,
    )
    key = story.identify()
    mine = story.find(story.call("list_client_weddings", wish=grow, client_id=key)["weddings"], title=title)
    guests = story.call("list_wedding_guests", wish=grow, wedding_id=mine["wedding_id"])["guests"]
    right = story.find(guests, full_name=name)
    story.call("update_guest", wish=grow, guest_id=right["guest_id"], party_size=first)
    story.call("update_guest", wish=fix, guest_id=right["guest_id"], party_size=second)


@scenario(form="computed")
def how_many_we_could_be(story: Story) -> None:
    """The client asks how many people could come and when the answers are due."""
    wedding = story.pick(
        "wedding",
        f"status = 'contracted' AND rsvp_due_on IS NOT NULL AND {NAMED} AND EXISTS (SELECT 1 FROM guest WHERE guest.wedding_id = wedding.wedding_id "
        "AND rsvp_status = 'accepted') AND EXISTS (SELECT 1 FROM guest WHERE guest.wedding_id = wedding.wedding_id AND rsvp_status = 'invited')",
        mine=True,
    )
    title = wedding["title"]
    story.wish(
        (
            "I'm counting chairs for the {title}. If all the people on invitations without an answer come, what's the most people with those who accepted, and what's the RSVP deadline?",
            "I would like to know the most people we could be at the {title}, if all on invitations without an answer come, with those who accepted. Could you please also tell me the RSVP deadline?",
            "what's the most people for the {title} if everyone on invitations without an answer comes, with those who accepted? and what's the rsvp deadline",
        ),
        short="telling me the most people for the {title} if all on invitations without an answer come, with those who accepted, and the RSVP deadline",
        title=title,
    )
    key = story.identify()
    mine = story.find(story.call("list_client_weddings", client_id=key)["weddings"], title=title)
    details = story.call("get_wedding", wedding_id=mine["wedding_id"])
    guests = story.call("list_wedding_guests", wedding_id=mine["wedding_id"])["guests"]
    open_ones = [{"people": each["party_size"]} for each in guests if each["rsvp_status"] == "invited"]
    coming = [{"people": each["attending_count"]} for each in guests if each["rsvp_status"] == "accepted"]
    with story.wrong("forgets those who accepted"):
        story.answer("most people", story.total(open_ones, "people"))
        story.answer("RSVP deadline", details["rsvp_due_on"])
    story.answer("most people", story.total([*open_ones, *coming], "people"))
    story.answer("RSVP deadline", details["rsvp_due_on"])


@scenario(form="looked_up")
def a_guest_for_the_right_event(story: Story) -> None:
    """The client changes the side of the one guest who has a certain dietary note."""
    side = story.choose("side", {"as a friend of us both": "both"})
    guest = story.pick(
        "guest",
        f"side <> ? AND dietary_note IS NOT NULL AND {OPEN_2} AND {NAMED_2} AND (SELECT count(*) FROM guest AS other "
        "WHERE other.wedding_id = guest.wedding_id) <= 20 AND (SELECT count(*) FROM guest AS other "
        "WHERE other.wedding_id = guest.wedding_id AND other.side <> ?) >= 3",
        side,
        side,
        unique_by=["wedding_id", "dietary_note"],
        mine=True,
    )
    title = story.row("wedding", guest["wedding_id"])["title"]
    note = guest["dietary_note"]
    story.wish(
        (
            'One of our guests at the {title} has the dietary note "{note}", and I forget who. Can you list that guest {side}?',
            'Could you please list the guest at the {title} whose dietary note says "{note}" {side}? I forget the name.',
            'can you list the guest at the {title} with the dietary note "{note}" {side}? forget the name',
        ),
        short='listing the guest at the {title} whose dietary note says "{note}" {side}',
        title=title,
        note=note,
        side=side,
    )
    key = story.identify()
    mine = story.find(story.call("list_client_weddings", client_id=key)["weddings"], title=title)
    guests = story.call("list_wedding_guests", wedding_id=mine["wedding_id"])["guests"]
    right = story.find(guests, dietary_note=note)
    open_ones = [each for each in guests if each["side"] != side]
    for other in story.others(open_ones, right, 2):
        with story.wrong("takes another guest"):
            story.call("update_guest", guest_id=other["guest_id"], side=side)
    story.call("update_guest", guest_id=right["guest_id"], side=side)


@scenario
def strike_a_guest(story: Story) -> None:
    """The client takes a guest off the list."""
    guest = story.pick("guest", f"rsvp_status IN ('draft', 'invited') AND {SERVED} AND {NAMED}", mine=True)
    name = guest["full_name"]
    title = story.row("wedding", guest["wedding_id"])["title"]
    story.wish(
        (
            "We had a falling out with {name}. Can you take them off the list for the {title} and tell me how many seats are left?",
            "I would like to take {name} off the list for the {title}. Could you please tell me how many seats are left?",
            "can you take {name} off the list for the {title}? how many seats are left then",
        ),
        short="taking {name} off the list for the {title} and telling me how many seats are left",
        name=name,
        title=title,
    )
    key = story.identify()
    mine = story.find(story.call("list_client_weddings", client_id=key)["weddings"], title=title)
    guests = story.call("list_wedding_guests", wedding_id=mine["wedding_id"])["guests"]
    right = story.find(guests, full_name=name)
    story.call("remove_guests", wedding_id=mine["wedding_id"], guest_ids=[right["guest_id"]])
    summary = story.call("summarize_guests", wedding_id=mine["wedding_id"])
    story.answer("seats left", summary["seats_left"])


@scenario(form="best_of")
def invited_first_or_last(story: Story) -> None:
    """The client moves the guest of one side who was invited first or last."""
    order = story.choose("order", ["first", "last"])
    new = story.choose("new", {"as a friend of us both": "both"})
    guest = story.pick(
        "guest",
        f"side IN ('client', 'partner') AND invited_on IS NOT NULL AND {OPEN} AND {NAMED} AND EXISTS (SELECT 1 FROM guest AS other "
        "WHERE other.wedding_id = guest.wedding_id AND other.side = guest.side AND other.invited_on IS NOT NULL "
        "AND other.guest_id <> guest.guest_id) AND ((? = 'last' AND NOT EXISTS (SELECT 1 FROM guest AS other "
        "WHERE other.wedding_id = guest.wedding_id AND other.side = guest.side AND other.guest_id <> guest.guest_id "
        "AND other.invited_on >= guest.invited_on) AND EXISTS (SELECT 1 FROM guest AS other WHERE other.wedding_id = guest.wedding_id "
        "AND other.side NOT IN ('both', guest.side) AND other.invited_on > guest.invited_on)) OR (? = 'first' AND NOT EXISTS (SELECT 1 "
        "FROM guest AS other WHERE other.wedding_id = guest.wedding_id AND other.side = guest.side AND other.guest_id <> guest.guest_id "
        "AND other.invited_on <= guest.invited_on) AND EXISTS (SELECT 1 FROM guest AS other WHERE other.wedding_id = guest.wedding_id "
        "AND other.side NOT IN ('both', guest.side) AND other.invited_on < guest.invited_on)))",
        order,
        order,
        mine=True,
    )
    title = story.row("wedding", guest["wedding_id"])["title"]
    side = story.choose(
        "side", {"on my side": "client"} if guest["side"] == "client" else {"on my partner's side": "partner"}
    )
    story.wish(
        (
            "Of the guests listed {side} for the {title}, the one we invited {order} knows us both. Can you list them {new}?",
            "The one we invited {order} of the guests listed {side} for the {title} knows us both. Could you please list them {new}?",
            "can you list whoever we invited {order} for the {title} {new}? just of the guests listed {side}",
        ),
        short="listing the guest we invited {order} {new}, of those listed {side} for the {title}",
        side=side,
        title=title,
        order=order,
        new=new,
    )
    key = story.identify()
    mine = story.find(story.call("list_client_weddings", client_id=key)["weddings"], title=title)
    guests = story.call("list_wedding_guests", wedding_id=mine["wedding_id"])["guests"]
    known = [each for each in guests if each["invited_on"] is not None and each["side"] != new]
    own = [each for each in known if each["side"] == side]
    if order == "last":
        tempting, right = story.highest(known, "invited_on"), story.highest(own, "invited_on")
    else:
        tempting, right = story.lowest(known, "invited_on"), story.lowest(own, "invited_on")
    with story.wrong("forgets the side"):
        story.call("update_guest", guest_id=tempting["guest_id"], side=new)
    for other in story.others(own, right, 1):
        with story.wrong("takes another one that fits"):
            story.call("update_guest", guest_id=other["guest_id"], side=new)
    story.call("update_guest", guest_id=right["guest_id"], side=new)


@scenario
def check_off_and_add(story: Story) -> None:
    """The client finished one task and adds another."""
    new = story.choose("new", ["Pick the ring bearer", "Rent the arch", "Buy toasting glasses"])
    who = story.choose("who", {"for me": "client", "for the planner": "planner"})
    day = story.day(story.choose("days", [3, 6, 9]))
    task = story.pick("task", f"status = 'open' AND {ONCE} AND {OPEN} AND {NAMED} AND {LATER} >= ?", day, mine=True)
    title = story.row("wedding", task["wedding_id"])["title"]
    story.wish(
        (
            'We\'re done with "{task}" for the {title}. Can you check it off and add a new task {who}, "{new}", due on {day}?',
            'We have finished "{task}" for the {title}. Could you please check it off and add a new task {who}, "{new}", due on {day}?',
            'can you check off "{task}" for the {title}? and add a new task {who}, "{new}", due on {day}',
        ),
        short='checking off "{task}" for the {title} and adding a task {who}, "{new}", due on {day}',
        task=task["title"],
        title=title,
        who=who,
        new=new,
        day=day,
    )
    key = story.identify()
    mine = story.find(story.call("list_client_weddings", client_id=key)["weddings"], title=title)
    tasks = story.call("list_wedding_tasks", wedding_id=mine["wedding_id"])["tasks"]
    right = story.find(tasks, title=task["title"])
    story.call("complete_tasks", task_ids=[right["task_id"]])
    story.call("add_task", wedding_id=mine["wedding_id"], title=new, assigned_to=who, due_on=day)


@scenario
def not_done_after_all(story: Story) -> None:
    """The client reopens a task and moves it."""
    day = story.day(story.choose("days", [4, 7, 10]))
    task = story.pick(
        "task",
        f"status = 'done' AND due_on <> ? AND {ONCE} AND {OPEN} AND {NAMED} AND {LATER} >= ?",
        day,
        day,
        mine=True,
    )
    title = story.row("wedding", task["wedding_id"])["title"]
    story.wish(
        (
            'I checked off "{task}" for the {title} too soon. Can you open it again and make it due on {day}?',
            'I marked "{task}" for the {title} as done too soon. Could you please open it again and make it due on {day}?',
            'can you open "{task}" for the {title} again and make it due on {day}? checked it off too soon',
        ),
        short='opening "{task}" for the {title} again and making it due on {day}',
        task=task["title"],
        title=title,
        day=day,
    )
    key = story.identify()
    mine = story.find(story.call("list_client_weddings", client_id=key)["weddings"], title=title)
    tasks = story.call("list_wedding_tasks", wedding_id=mine["wedding_id"])["tasks"]
    right = story.find(tasks, title=task["title"])
    story.call("reopen_task", task_id=right["task_id"])
    story.call("update_task", task_id=right["task_id"], due_on=day)


@scenario
def move_an_appointment(story: Story) -> None:
    """The client moves an appointment that was never moved before."""
    moment = story.moment(
        story.day(story.choose("days", [61, 62, 63])), story.choose("time", ["10:00", "13:30", "15:00"])
    )
    day = story.date_of(moment)
    appointment = story.pick(
        "appointment",
        f"{AHEAD} AND reschedule_count = 0 AND NOT EXISTS (SELECT 1 FROM appointment AS other WHERE other.status = 'scheduled' "
        "AND substr(other.starts_at, 1, 10) = ?)",
        day,
        unique_by=["client_id", "starts_at"],
        mine=True,
    )
    when = appointment["starts_at"]
    story.wish(
        (
            "Something came up at work. Can you move my appointment from {when} to {moment}?",
            "I would like to move my appointment from {when} to {moment}, because something came up at work.",
            "can you move my appointment from {when} to {moment}? something came up at work",
        ),
        short="moving my appointment from {when} to {moment}",
        when=when,
        moment=moment,
    )
    appointments = story.call("list_client_appointments", client_id=story.identify())["appointments"]
    mine = story.find(appointments, starts_at=when)
    story.call("reschedule_appointment", appointment_id=mine["appointment_id"], starts_at=moment)


@scenario(form="fallback")
def move_it_once_more(story: Story) -> None:
    """The client wants to move an appointment, or else to be called."""
    moment = story.moment(
        story.day(story.choose("days", [64, 68, 69])), story.choose("time", ["10:30", "13:00", "14:30"])
    )
    day = story.date_of(moment)
    way = story.choose("way", {"by phone": "phone"})
    appointment = story.pick(
        "appointment",
        f"{AHEAD} AND reschedule_count <= 1 AND client_id IN (SELECT client.client_id FROM client WHERE preferred_contact = 'email') "
        "AND NOT EXISTS (SELECT 1 FROM appointment AS other WHERE other.status = 'scheduled' AND substr(other.starts_at, 1, 10) = ?)",
        day,
        unique_by=["client_id", "starts_at"],
        mine=True,
    )
    when = appointment["starts_at"]
    move = story.wish(
        (
            "I can't make it in that week. Can you move my appointment from {when} to {moment}?",
            "I would like to move my appointment from {when} to {moment}.",
            "can you move my appointment from {when} to {moment}? can't make it that week",
        ),
        short="moving my appointment from {when} to {moment}",
        when=when,
        moment=moment,
    )
    reach = story.otherwise(
        move,
        (
            "Okay, then just reach me {way} from now on so I don't miss things.",
            "In that case, please reach me {way} from now on, so that I do not miss things.",
            "ok then just reach me {way} from now on so i don't miss stuff",
        ),
        short="reaching me {way} from now on",
        way=way,
    )
    key = story.identify()
    appointments = story.call("list_client_appointments", wish=move, client_id=key)["appointments"]
    mine = story.find(appointments, starts_at=when)
    with story.wrong("takes another time"):
        story.call(
            "reschedule_appointment",
            wish=move,
            appointment_id=mine["appointment_id"],
            starts_at=story.after(moment, hours=1),
        )
    if story.permits("reschedule_appointment", wish=move, appointment_id=mine["appointment_id"], starts_at=moment):
        story.call("reschedule_appointment", wish=move, appointment_id=mine["appointment_id"], starts_at=moment)
    else:
        story.decline(move)
        story.call("update_client", wish=reach, client_id=key, preferred_contact=way)


@scenario(form="denied")
def cancel_an_appointment(story: Story) -> None:
    """The client wants to cancel an appointment."""
    appointment = story.pick(
        "appointment",
        f"{AHEAD} AND NOT EXISTS (SELECT 1 FROM appointment AS other WHERE other.status = 'scheduled' "
        "AND substr(other.starts_at, 1, 10) = date(appointment.starts_at, '+91 days'))",
        unique_by=["client_id", "starts_at"],
        mine=True,
    )
    when = appointment["starts_at"]
    drop = story.wish(
        (
            "I won't need my appointment on {when} after all. Can you cancel it?",
            "I would like to cancel my appointment on {when}, which I no longer need.",
            "can you cancel my appointment on {when}? don't need it after all",
        ),
        short="canceling my appointment on {when}",
        when=when,
    )
    story.insists(
        drop,
        (
            "My week is a complete mess, I really can't deal with this right now.",
            "My week has been overwhelming, and this would be such a relief to me.",
            "my week is a total mess, can't deal with this rn",
        ),
    )
    appointments = story.call("list_client_appointments", client_id=story.identify())["appointments"]
    mine = story.find(appointments, starts_at=when)
    with story.wrong("moves it instead"):
        story.call(
            "reschedule_appointment",
            appointment_id=mine["appointment_id"],
            starts_at=story.after(mine["starts_at"], days=91),
        )
    if story.permits("cancel_appointment", appointment_id=mine["appointment_id"]):
        story.call("cancel_appointment", appointment_id=mine["appointment_id"])
    else:
        story.decline(drop)


@scenario(form="denied")
def book_a_consultation(story: Story) -> None:
    """The client wants to book a consultation."""
    kind = story.choose("kind", {"consultation": "consultation"})
    moment = story.moment(
        story.day(story.choose("days", [71, 75, 76])), story.choose("time", ["10:00", "11:30", "14:00"])
    )
    day = story.date_of(moment)
    story.pick(
        "client",
        f"(SELECT count(*) FROM appointment WHERE appointment.client_id = client.client_id AND {AHEAD}) <= 1 AND NOT EXISTS (SELECT 1 "
        "FROM appointment WHERE status = 'scheduled' AND substr(starts_at, 1, 10) = ?)",
        day,
        mine=True,
    )
    book = story.wish(
        (
            "I have a lot of questions piling up. Can you book me a {kind} on {moment}?",
            "I would like to book a {kind} on {moment}, because I have a lot of questions.",
            "can you book me a {kind} on {moment}? got so many questions",
        ),
        short="booking a {kind} on {moment}",
        kind=kind,
        moment=moment,
    )
    story.insists(
        book,
        (
            "I'm losing sleep over all this, talking to someone would really help me.",
            "I have been losing sleep over all of this, and talking to someone would help me very much.",
            "losing sleep over this, really need to talk to someone",
        ),
    )
    key = story.identify()
    story.call("list_client_appointments", client_id=key)
    with story.wrong("takes another time"):
        story.call("book_appointment", client_id=key, kind=kind, starts_at=story.after(moment, hours=2))
    if story.permits("book_appointment", client_id=key, kind=kind, starts_at=moment):
        story.call("book_appointment", client_id=key, kind=kind, starts_at=moment)
    else:
        story.decline(book)


@scenario(form="best_of")
def first_of_my_own_tasks(story: Story) -> None:
    """The client checks off the first open task of one side."""
    who = story.choose("who", {"my own": "client", "the planner's": "planner"})
    wedding = story.pick(
        "wedding",
        f"{NAMED} AND (SELECT count(*) FROM task WHERE task.wedding_id = wedding.wedding_id AND task.status = 'open' AND assigned_to = ?) >= 2 "
        "AND EXISTS (SELECT 1 FROM task WHERE task.wedding_id = wedding.wedding_id AND task.status = 'open' AND assigned_to <> ? AND due_on < "
        "(SELECT min(other.due_on) FROM task AS other WHERE other.wedding_id = task.wedding_id AND other.status = 'open' AND other.assigned_to = ?))",
        who,
        who,
        who,
        mine=True,
    )
    title = wedding["title"]
    story.wish(
        (
            "Of {who} tasks still open for the {title}, the one that's due first is done. Can you check it off?",
            "The task that is due first among {who} tasks still open for the {title} is done. Could you please check it off?",
            "can you check off the task that's due first for the {title}? just from {who} tasks still open",
        ),
        short="checking off the task that's due first of {who} tasks still open for the {title}",
        who=who,
        title=title,
    )
    key = story.identify()
    mine = story.find(story.call("list_client_weddings", client_id=key)["weddings"], title=title)
    tasks = story.call("list_wedding_tasks", wedding_id=mine["wedding_id"])["tasks"]
    still = [each for each in tasks if each["status"] == "open"]
    with story.wrong("forgets whose tasks"):
        story.call("complete_tasks", task_ids=[story.lowest(still, "due_on")["task_id"]])
    own = [each for each in still if each["assigned_to"] == who]
    first = story.lowest(own, "due_on")
    for other in story.others(own, first, 1):
        with story.wrong("takes another one that fits"):
            story.call("complete_tasks", task_ids=[other["task_id"]])
    story.call("complete_tasks", task_ids=[first["task_id"]])


@scenario(form="changed_mind")
def a_new_due_day(story: Story) -> None:
    """The client moves a task and then corrects the day."""
    first = story.day(story.choose("first", [4, 6]))
    second = story.day(story.choose("second", [8, 9, 11]))
    task = story.pick(
        "task",
        f"status = 'open' AND due_on NOT IN (?, ?) AND {ONCE} AND {OPEN} AND {NAMED} AND {LATER} >= ?",
        first,
        second,
        second,
        mine=True,
    )
    title = story.row("wedding", task["wedding_id"])["title"]
    move = story.wish(
        (
            'I won\'t get to "{task}" for the {title} in time. Can you make it due on {day}?',
            'I would like to have "{task}" for the {title} due on {day}.',
            'can you make "{task}" for the {title} due on {day}?',
        ),
        short='making "{task}" for the {title} due on {day}',
        task=task["title"],
        title=title,
        day=first,
    )
    fix = story.changes_mind(
        move,
        (
            'Actually, make "{task}" due on {day}.',
            'I apologize, please make "{task}" due on {day} instead.',
            'oh wait, make "{task}" due on {day}',
        ),
        short='making "{task}" due on {day}',
        task=task["title"],
        day=second,
    )
    key = story.identify()
    mine = story.find(story.call("list_client_weddings", wish=move, client_id=key)["weddings"], title=title)
    tasks = story.call("list_wedding_tasks", wish=move, wedding_id=mine["wedding_id"])["tasks"]
    right = story.find(tasks, title=task["title"])
    story.call("update_task", wish=move, task_id=right["task_id"], due_on=first)
    story.call("update_task", wish=fix, task_id=right["task_id"], due_on=second)


@scenario(form="coupled")
def swap_the_consultation(story: Story) -> None:
    """The client books a new consultation and gives up the old one."""
    kind = story.choose("kind", {"consultation": "consultation"})
    moment = story.moment(
        story.day(story.choose("days", [78, 82, 83])), story.choose("time", ["10:30", "13:00", "15:30"])
    )
    day = story.date_of(moment)
    appointment = story.pick(
        "appointment",
        f"{AHEAD} AND kind = 'consultation' AND (SELECT count(*) FROM appointment AS other WHERE other.client_id = appointment.client_id "
        "AND other.status = 'scheduled' AND other.starts_at > ?) = 1 AND NOT EXISTS (SELECT 1 FROM appointment AS other "
        "WHERE other.status = 'scheduled' AND substr(other.starts_at, 1, 10) = ?)",
        story.now,
        day,
        unique_by=["client_id", "starts_at"],
        mine=True,
    )
    when = appointment["starts_at"]
    with story.together():
        book = story.wish(
            (
                "Please book me a {kind} on {moment}.",
                "I would like to book a {kind} on {moment}.",
                "can you book me a {kind} on {moment}",
            ),
            short="booking a {kind} on {moment}",
            kind=kind,
            moment=moment,
        )
        drop = story.wish(
            (
                "And cancel my appointment on {when}, I can't make that one.",
                "Please also cancel my appointment on {when}, which I cannot make.",
                "and cancel my appointment on {when}, can't make that one",
            ),
            short="canceling my appointment on {when}",
            when=when,
        )
    key = story.identify()
    appointments = story.call("list_client_appointments", wish=drop, client_id=key)["appointments"]
    mine = story.find(appointments, starts_at=when)
    story.call("cancel_appointment", wish=drop, appointment_id=mine["appointment_id"])
    story.call("book_appointment", wish=book, client_id=key, kind=kind, starts_at=moment)


@scenario(form="mistaken")
def push_a_task_back(story: Story) -> None:
    """The client pushes a task back from a due day that is not the real one."""
    days = story.choose("days", [3, 5, 8])
    task = story.pick(
        "task",
        f"status = 'open' AND due_on > ? AND date(due_on, '+14 days') <= {LATER} AND {ONCE} AND {OPEN} AND {NAMED}",
        story.today,
        mine=True,
    )
    title = story.row("wedding", task["wedding_id"])["title"]
    wrong = story.after(task["due_on"], days=story.choose("off", [1, 2, 4]))
    story.wish(
        (
            'I think "{task}" for the {title} is due {wrong}. Can you push it back {days} days from when it\'s due?',
            'I believe that "{task}" for the {title} is due {wrong}. Could you please push it back {days} days from when it is due?',
            "can you push \"{task}\" for the {title} back {days} days from when it's due? pretty sure that's {wrong}",
        ),
        short='pushing "{task}" for the {title} back {days} days from when it\'s due',
        task=task["title"],
        title=title,
        wrong=wrong,
        days=days,
    )
    story.believes("due date", wrong, task["due_on"])
    key = story.identify()
    mine = story.find(story.call("list_client_weddings", client_id=key)["weddings"], title=title)
    tasks = story.call("list_wedding_tasks", wedding_id=mine["wedding_id"])["tasks"]
    right = story.find(tasks, title=task["title"])
    with story.wrong("trusts the customer"):
        story.call("update_task", task_id=right["task_id"], due_on=story.after(wrong, days=days))
    with story.wrong("counts from today"):
        story.call("update_task", task_id=right["task_id"], due_on=story.after(story.today, days=days))
    story.call("update_task", task_id=right["task_id"], due_on=story.after(right["due_on"], days=days))


@scenario
def pay_toward_a_wedding(story: Story) -> None:
    """The client pays part of the balance and asks what is left."""
    amount = story.money(story.choose("amount", [20000, 35000, 50000]))
    method = story.choose("method", {"by card": "card", "by check": "check", "in cash": "cash"})
    wedding = story.pick("wedding", f"status = 'contracted' AND {NAMED} AND {BALANCE} > 60000", mine=True)
    title = wedding["title"]
    story.wish(
        (
            "I'm paying {amount} {method} toward the {title}. Can you record it and tell me the new balance?",
            "I would like to pay {amount} {method} toward the {title}. Could you please record it and tell me the new balance?",
            "can you put {amount} {method} toward the {title}? what's the new balance after that",
        ),
        short="recording {amount} {method} toward the {title} and telling me the new balance",
        amount=amount,
        method=method,
        title=title,
    )
    key = story.identify()
    mine = story.find(story.call("list_client_weddings", client_id=key)["weddings"], title=title)
    story.call("record_payment", wedding_id=mine["wedding_id"], amount_cents=amount, method=method)
    summary = story.call("summarize_wedding_budget", wedding_id=mine["wedding_id"])
    story.answer("new balance", story.money(summary["balance_cents"]))


@scenario
def charge_an_extra_service(story: Story) -> None:
    """The client adds an extra service to the account and asks what it comes to."""
    amount = story.money(story.choose("amount", [12000, 18000, 40000]))
    hours = story.choose("hours", [3, 5, 6])
    service = story.dictate("service", "Second coordinator for {hours} hours", hours=hours)
    category = story.choose("category", {"as a rush fee": "rush", "under other": "other"})
    day = story.day(story.choose("days", [7, 12, 21]))
    wedding = story.pick(
        "wedding", f"status IN ('contracted', 'canceled') AND {NAMED_2} AND {BALANCE_2} > 0", mine=True
    )
    title = wedding["title"]
    story.wish(
        (
            "I agreed to an extra service. Can you charge {amount} for it to the {title} {category}, due on {day}, and tell me the new balance? As the description, put exactly this: {service}",
            "I would like to have {amount} for an extra service charged to the {title} {category}, due on {day}. Could you please tell me the new balance? As the description, put exactly this: {service}",
            "can you charge {amount} for an extra service to the {title} {category}, due on {day}? and what's the new balance. as the description put exactly this: {service}",
        ),
        short="charging {amount} to the {title} {category}, due on {day}, telling me the new balance, and putting exactly this as the description: {service}",
        service=service,
        amount=amount,
        title=title,
        category=category,
        day=day,
    )
    key = story.identify()
    mine = story.find(story.call("list_client_weddings", client_id=key)["weddings"], title=title)
    story.call(
        "add_charge",
        wedding_id=mine["wedding_id"],
        category=category,
        amount_cents=amount,
        description=service,
        due_on=day,
    )
    summary = story.call("summarize_wedding_budget", wedding_id=mine["wedding_id"])
    story.answer("new balance", story.money(summary["balance_cents"]))


@scenario(form="all_but")
def void_payments_but_one(story: Story) -> None:
    """The client's bank stopped all payments for a wedding except one."""
    payment = story.pick(
        "ledger_entry",
        f"kind = 'payment' AND status = 'posted' AND {NAMED_2} AND (SELECT count(*) FROM ledger_entry AS other "
        "WHERE other.wedding_id = ledger_entry.wedding_id AND other.kind = 'payment' AND other.status = 'posted') BETWEEN 3 AND 6",
        unique_by=["wedding_id", "kind", "status", "amount_cents"],
        mine=True,
    )
    title = story.row("wedding", payment["wedding_id"])["title"]
    amount = story.money(payment["amount_cents"])
    bank = story.choose("bank", ["Lone Star Credit Union", "Hill Country Bank"])
    reason = story.dictate("reason", "{bank} stopped it", bank=bank)
    story.wish(
        (
            "My bank stopped all my payments for the {title} except the one for {amount}. Can you void those? As the reason, put exactly this: {reason}",
            "I must tell you that my bank stopped all my payments for the {title} except the one for {amount}. Could you please void those? As the reason, put exactly this: {reason}",
            "can you void all my payments for the {title}? not the one for {amount}, that went through. for the reason put exactly this: {reason}",
        ),
        short="voiding all my payments for the {title} except the one for {amount}, with exactly this as the reason: {reason}",
        title=title,
        amount=amount,
        reason=reason,
    )
    key = story.identify()
    mine = story.find(story.call("list_client_weddings", client_id=key)["weddings"], title=title)
    entries = story.call("list_ledger_entries", wedding_id=mine["wedding_id"])["entries"]
    payments = [each for each in entries if each["kind"] == "payment"]
    with story.wrong("forgets the exception"):
        for each in payments:
            story.call("void_ledger_entry", ledger_entry_id=each["ledger_entry_id"], reason=reason)
    for each in story.all_but(payments, amount_cents=amount):
        story.call("void_ledger_entry", ledger_entry_id=each["ledger_entry_id"], reason=reason)


@scenario(form="ambiguous")
def void_one_of_the_entries(story: Story) -> None:
    """One entry on the account is wrong; the client says which when asked."""
    entry = story.pick(
        "ledger_entry",
        f"booking_id IS NULL AND status = 'posted' AND {NAMED_2} AND (SELECT count(*) FROM ledger_entry AS other "
        "WHERE other.wedding_id = ledger_entry.wedding_id AND other.booking_id IS NULL AND other.status = 'posted') >= 4",
        unique_by=["wedding_id", "status", "description"],
        mine=True,
    )
    title = story.row("wedding", entry["wedding_id"])["title"]
    agreed = story.money(story.choose("agreed", [5500, 13500, 26500]))
    reason = story.dictate("reason", "Wrong amount, we agreed on {agreed}", agreed=agreed)
    void = story.wish(
        (
            "One of the entries on my account for the {title} is a mistake. Can you void it? As the reason, put exactly this: {reason}",
            "There is a mistake in one of the entries on my account for the {title}. Could you please void it? As the reason, put exactly this: {reason}",
            "can you void one of the entries on my account for the {title}? for the reason put exactly this: {reason}",
        ),
        title=title,
        reason=reason,
    )
    story.keep_back("entry", entry["description"])
    story.in_short(
        void,
        "voiding one of the entries for the {title} with exactly this as the reason: {reason}, the one that says {entry}",
        title=title,
        reason=reason,
        entry=entry["description"],
    )
    key = story.identify()
    mine = story.find(story.call("list_client_weddings", client_id=key)["weddings"], title=title)
    entries = story.call("list_ledger_entries", wedding_id=mine["wedding_id"])["entries"]
    free = [each for each in entries if each["booking_id"] is None]
    right = story.find(free, description=entry["description"])
    for other in story.others(free, right):
        with story.wrong("takes another one that fits"):
            story.call("void_ledger_entry", ledger_entry_id=other["ledger_entry_id"], reason=reason)
    story.call("void_ledger_entry", ledger_entry_id=right["ledger_entry_id"], reason=reason)


@scenario(form="coupled")
def refund_what_is_credited(story: Story) -> None:
    """The client asks for money back that a credit has to make room for."""
    amount = story.money(story.choose("amount", [8000, 15000, 22500]))
    method = story.choose("method", {"by check": "check", "to my card": "card"})
    category = story.choose("category", {"as goodwill": "goodwill"})
    late = story.choose("late", [4, 6, 9])
    cause = story.dictate("cause", "Timeline came {late} days late", late=late)
    wedding = story.pick(
        "wedding",
        f"status IN ('contracted', 'completed') AND {NAMED_2} AND {BALANCE_2} = 0 AND (SELECT sum(CASE kind WHEN 'charge' THEN amount_cents "
        "WHEN 'credit' THEN -amount_cents ELSE 0 END) FROM ledger_entry WHERE ledger_entry.wedding_id = wedding.wedding_id "
        "AND ledger_entry.status = 'posted') > 30000",
        mine=True,
    )
    title = wedding["title"]
    with story.together():
        back = story.wish(
            (
                "I'd like {amount} refunded {method} for the {title}.",
                "Could you please refund {amount} {method} for the {title}?",
                "can you refund me {amount} {method} for the {title}",
            ),
            short="refunding {amount} {method} for the {title}",
            amount=amount,
            method=method,
            title=title,
        )
        credit = story.wish(
            (
                "And please credit the {title} with that {amount} {category}. As the description, put exactly this: {cause}",
                "Please also credit the {title} with this {amount} {category}. As the description, please put exactly this: {cause}",
                "and credit the {title} with that {amount} {category}. as the description put exactly this: {cause}",
            ),
            short="crediting the {title} with {amount} {category}, with exactly this as the description: {cause}",
            amount=amount,
            category=category,
            cause=cause,
            title=title,
        )
    key = story.identify()
    mine = story.find(story.call("list_client_weddings", wish=back, client_id=key)["weddings"], title=title)
    story.call(
        "add_credit",
        wish=credit,
        wedding_id=mine["wedding_id"],
        category=category,
        amount_cents=amount,
        description=cause,
    )
    story.call("record_refund", wish=back, wedding_id=mine["wedding_id"], amount_cents=amount, method=method)


@scenario(form="mistaken")
def pay_the_planning_fee(story: Story) -> None:
    """The client pays the planning fee but has its amount wrong."""
    wrong = story.money(story.choose("belief", [85000, 95000, 110000]))
    method = story.choose("method", {"by card": "card", "by check": "check"})
    wedding = story.pick(
        "wedding",
        f"status = 'contracted' AND {NAMED} AND {BALANCE} > planning_fee_cents AND planning_fee_cents > 115000 AND NOT EXISTS (SELECT 1 "
        "FROM ledger_entry WHERE ledger_entry.wedding_id = wedding.wedding_id AND kind = 'payment' AND amount_cents = planning_fee_cents)",
        mine=True,
    )
    title = wedding["title"]
    story.wish(
        (
            "I'm paying the planning fee for the {title} {method} today, {wrong} I think. Can you record it?",
            "I would like to pay the planning fee for the {title} {method} today, which I believe is {wrong}. Could you please record it?",
            "can you record my planning fee for the {title}, paid {method} today? pretty sure it's {wrong}",
        ),
        short="recording that I paid the planning fee for the {title} {method} today",
        title=title,
        method=method,
        wrong=wrong,
    )
    story.believes("planning fee", wrong, story.money(wedding["planning_fee_cents"]))
    key = story.identify()
    mine = story.find(story.call("list_client_weddings", client_id=key)["weddings"], title=title)
    details = story.call("get_wedding", wedding_id=mine["wedding_id"])
    summary = story.call("summarize_wedding_budget", wedding_id=mine["wedding_id"])
    with story.wrong("trusts the customer"):
        story.call("record_payment", wedding_id=mine["wedding_id"], amount_cents=wrong, method=method)
    with story.wrong("records the whole balance"):
        story.call(
            "record_payment", wedding_id=mine["wedding_id"], amount_cents=summary["balance_cents"], method=method
        )
    story.call(
        "record_payment", wedding_id=mine["wedding_id"], amount_cents=details["planning_fee_cents"], method=method
    )


@scenario(form="outside")
def pay_and_want_a_paper_statement(story: Story) -> None:
    """The client makes a payment and wants a statement carried to the door."""
    amount = story.money(story.choose("amount", [15000, 30000, 45000]))
    method = story.choose("method", {"by card": "card", "by check": "check", "in cash": "cash"})
    wedding = story.pick("wedding", f"{NAMED} AND {BALANCE} > 50000", mine=True)
    title = wedding["title"]
    story.wish(
        (
            "I just paid {amount} {method} for the {title}. Can you record it and tell me the overdue amount after that?",
            "I have just paid {amount} {method} for the {title}. Could you please record it and tell me the overdue amount after that?",
            "can you record {amount} {method} for the {title}, just paid it? what's the overdue amount after that",
        ),
        short="recording {amount} {method} for the {title} and telling me the overdue amount after that",
        amount=amount,
        method=method,
        title=title,
    )
    key = story.identify()
    mine = story.find(story.call("list_client_weddings", client_id=key)["weddings"], title=title)
    story.call("record_payment", wedding_id=mine["wedding_id"], amount_cents=amount, method=method)
    summary = story.call("summarize_wedding_budget", wedding_id=mine["wedding_id"])
    story.answer("overdue amount", story.money(summary["overdue_cents"]))
    story.outside(
        (
            "And can you have someone drop off a printed statement at my house tonight?",
            "Could you please also have someone bring a printed statement to my house tonight?",
            "and can somebody drop a printed statement at my place tonight",
        )
    )


@scenario(form="withheld")
def pay_an_amount_yet_to_tell(story: Story) -> None:
    """The client pays by check and says how much when asked."""
    method = story.choose("method", {"by check": "check", "by card": "card"})
    wedding = story.pick(
        "wedding", f"status IN ('contracted', 'completed', 'canceled') AND {NAMED} AND {BALANCE} > 80000", mine=True
    )
    title = wedding["title"]
    pay = story.wish(
        (
            "I've paid part of what I owe for the {title} {method}. Can you record the payment?",
            "I have paid a part of what I owe for the {title} {method}. Could you please record the payment?",
            "can you record a payment for the {title}? paid part of what i owe {method}",
        ),
        title=title,
        method=method,
    )
    amount = story.money(story.choose("amount", [12500, 24000, 36000, 55000, 72000]))
    story.keep_back("amount", amount)
    story.in_short(
        pay, "recording a payment of {amount} for the {title} {method}", title=title, method=method, amount=amount
    )
    key = story.identify()
    mine = story.find(story.call("list_client_weddings", client_id=key)["weddings"], title=title)
    story.call("record_payment", wedding_id=mine["wedding_id"], amount_cents=amount, method=method)


@scenario(form="withheld")
def charge_due_on_a_day_yet_to_tell(story: Story) -> None:
    """The client takes an extra service and says when it will be paid when asked."""
    amount = story.money(story.choose("amount", [9500, 16000, 27500]))
    miles = story.choose("miles", [40, 65, 90])
    service = story.dictate("service", "Travel to the venue, {miles} miles", miles=miles)
    category = story.choose("category", {"under other": "other"})
    wedding = story.pick("wedding", f"status IN ('inquiry', 'contracted') AND {NAMED_2}", mine=True)
    title = wedding["title"]
    charge = story.wish(
        (
            "We're paying your travel, {amount}. Can you charge it to the {title} {category}, due the day I get paid? As the description, put exactly this: {service}",
            "We would like to pay your travel, which is {amount}. Could you please charge it to the {title} {category}, due the day I get paid? As the description, put exactly this: {service}",
            "can you charge {amount} for your travel to the {title} {category}? due the day i get paid. as the description put exactly this: {service}",
        ),
        service=service,
        amount=amount,
        title=title,
        category=category,
    )
    day = story.day(story.choose("days", [8, 11, 15, 25, 30]))
    story.keep_back("payday", day)
    story.in_short(
        charge,
        "charging {amount} to the {title} {category}, with exactly this as the description: {service}, due on {day}",
        service=service,
        amount=amount,
        title=title,
        category=category,
        day=day,
    )
    key = story.identify()
    mine = story.find(story.call("list_client_weddings", client_id=key)["weddings"], title=title)
    story.call(
        "add_charge",
        wedding_id=mine["wedding_id"],
        category=category,
        amount_cents=amount,
        description=service,
        due_on=day,
    )


@scenario(form="all_but")
def all_bookings_but_one(story: Story) -> None:
    """The client asks what the live bookings cost without one vendor and what is left of the budget."""
    booking = story.pick(
        "booking",
        f"status IN ('requested', 'confirmed') AND {SINGLE} AND {NAMED} AND (SELECT count(*) FROM booking AS other "
        "WHERE other.wedding_id = booking.wedding_id AND other.status IN ('requested', 'confirmed')) BETWEEN 3 AND 6",
        mine=True,
    )
    title = story.row("wedding", booking["wedding_id"])["title"]
    vendor = story.row("vendor", booking["vendor_id"])["name"]
    story.wish(
        (
            "My aunt is paying for {vendor}. What's the total of all the other vendors for the {title} who aren't canceled, and what's my remaining budget?",
            "I would like to know the total of all vendors for the {title} who are not canceled, except {vendor}, and my remaining budget.",
            "what's the total of all the vendors for the {title} who aren't canceled? skip {vendor}. and what's my remaining budget",
        ),
        short="telling me the total of all vendors for the {title} who aren't canceled, except {vendor}, and my remaining budget",
        vendor=vendor,
        title=title,
    )
    key = story.identify()
    mine = story.find(story.call("list_client_weddings", client_id=key)["weddings"], title=title)
    bookings = story.call("list_wedding_bookings", wedding_id=mine["wedding_id"])["bookings"]
    live = [each for each in bookings if each["status"] != "canceled"]
    summary = story.call("summarize_wedding_budget", wedding_id=mine["wedding_id"])
    with story.wrong("forgets the exception"):
        story.answer("total", story.money(story.total(live, "price_cents")))
        story.answer("remaining budget", story.money(summary["remaining_cents"]))
    story.answer("total", story.money(story.total(story.all_but(live, vendor_name=vendor), "price_cents")))
    story.answer("remaining budget", story.money(summary["remaining_cents"]))


@scenario(form="all_but")
def deposits_but_one(story: Story) -> None:
    """The client asks for the deposits and prices of all vendors of a wedding except one."""
    booking = story.pick(
        "booking",
        f"status <> 'canceled' AND {SINGLE} AND {NAMED} AND (SELECT count(*) FROM booking AS other "
        "WHERE other.wedding_id = booking.wedding_id AND other.status <> 'canceled') = 3 AND NOT EXISTS (SELECT 1 FROM booking AS other "
        "WHERE other.wedding_id = booking.wedding_id AND other.deposit_cents = 0)",
        mine=True,
    )
    title = story.row("wedding", booking["wedding_id"])["title"]
    vendor = story.row("vendor", booking["vendor_id"])["name"]
    story.wish(
        (
            "I'm splitting the {title} with my parents, who take {vendor}. What's the total price and the total deposit of all my other vendors who aren't canceled?",
            "I would like to know the total price and the total deposit of all vendors for the {title} who are not canceled, except {vendor}.",
            "what's the total price and the total deposit of all my vendors for the {title} who aren't canceled? not {vendor}, my parents take that one",
        ),
        short="telling me the total price and the total deposit of all vendors for the {title} who aren't canceled, except {vendor}",
        title=title,
        vendor=vendor,
    )
    key = story.identify()
    mine = story.find(story.call("list_client_weddings", client_id=key)["weddings"], title=title)
    bookings = story.call("list_wedding_bookings", wedding_id=mine["wedding_id"])["bookings"]
    live = [each for each in bookings if each["status"] != "canceled"]
    rest = story.all_but(live, vendor_name=vendor)
    details = [story.call("get_booking", booking_id=each["booking_id"]) for each in rest]
    with story.wrong("forgets the exception"):
        story.answer("total price", story.money(story.total(live, "price_cents")))
        story.answer("total deposit", story.money(story.total(details, "deposit_cents")))
    story.answer("total price", story.money(story.total(details, "price_cents")))
    story.answer("total deposit", story.money(story.total(details, "deposit_cents")))
