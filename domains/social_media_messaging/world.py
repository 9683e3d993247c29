"""Fill the member desk of Porchlight: members, channels and who is in them, messages, boosts with their ledger, and reports."""

from runtime import WorldBuilder, add_days

INVARIANTS = {
    "No channel has more active members than its capacity.": """
        SELECT channel_id FROM channel WHERE capacity < (
            SELECT count(*) FROM membership
            WHERE membership.channel_id = channel.channel_id AND membership.status = 'active')
    """,
    "The owner of a channel is an active moderator in it.": """
        SELECT channel_id FROM channel WHERE NOT EXISTS (
            SELECT 1 FROM membership WHERE membership.channel_id = channel.channel_id
            AND membership.member_id = channel.owner_id AND membership.status = 'active' AND role = 'moderator')
    """,
    "Nobody writes in a channel before they are in it.": """
        SELECT message_id FROM message WHERE NOT EXISTS (
            SELECT 1 FROM membership WHERE membership.channel_id = message.channel_id
            AND membership.member_id = message.member_id AND membership.joined_at <= message.created_at)
    """,
    "A boost ends on its first day plus its days minus one.": """
        SELECT boost_id FROM boost WHERE ends_on <> date(starts_on, '+' || (days - 1) || ' days')
    """,
    "A booked boost is of a posted message in an open channel.": """
        SELECT boost_id FROM boost JOIN message USING (message_id) JOIN channel USING (channel_id)
        WHERE boost.status = 'booked' AND (message.status <> 'posted' OR channel.status <> 'open')
    """,
    "The entry of a boost is its price of a day times its days.": """
        SELECT ledger_entry_id FROM ledger_entry JOIN boost USING (boost_id)
        WHERE kind = 'boost' AND amount_cents <> daily_cents * days
    """,
    "An entry about a boost is on the account of the message's author.": """
        SELECT ledger_entry_id FROM ledger_entry JOIN boost USING (boost_id) JOIN message USING (message_id)
        WHERE ledger_entry.member_id <> message.member_id
    """,
    "Nobody reports a message of their own.": """
        SELECT report_id FROM report JOIN message USING (message_id) WHERE report.member_id = message.member_id
    """,
}
GIVEN = (
    "Denise",
    "Miguel",
    "Priya",
    "Kevin",
    "Aaliyah",
    "Tom",
    "Rachel",
    "Marcus",
    "Linda",
    "Hector",
    "Grace",
    "Darnell",
    "Susan",
    "Omar",
    "Tiffany",
    "Brian",
    "Keisha",
    "Paul",
    "Maria",
    "Andre",
    "Heather",
    "Victor",
    "Janet",
    "Samir",
    "Nicole",
    "Greg",
    "Latoya",
    "Dennis",
    "Carla",
    "Wei",
    "Megan",
    "Curtis",
    "Rosa",
    "Jeff",
    "Monique",
    "Alan",
    "Brenda",
    "Tyrone",
    "Emily",
    "Frank",
    "Sonia",
    "Doug",
    "Hannah",
    "Luis",
)
FAMILY = (
    "Walker",
    "Ortega",
    "Raman",
    "Tran",
    "Brooks",
    "Kowalski",
    "Hughes",
    "Bennett",
    "Patel",
    "Schmidt",
    "Freeman",
    "Lopez",
    "Murphy",
    "Hayes",
    "Coleman",
    "Nguyen",
    "Fisher",
    "Gaines",
    "Rossi",
    "Parker",
    "Sandoval",
    "Becker",
    "Whitfield",
    "Haddad",
    "Carver",
    "Dunn",
    "Simmons",
    "Mercer",
    "Okafor",
    "Lang",
    "Russell",
    "Vargas",
    "Stone",
    "Ingram",
    "Chen",
    "Barnes",
    "Kline",
    "Reyes",
    "Doyle",
    "Mathis",
    "Webb",
    "Ford",
    "Singh",
    "Holt",
)
AREAS = (
    937,
    326,
    513,
    614,
    380,
    740,
    220,
    283,
    419,
    567,
    330,
    234,
    216,
    440,
    765,
    317,
    463,
    812,
    930,
    260,
    574,
    859,
    502,
    606,
    270,
    304,
    681,
    412,
)
SHOPS = ("bakery", "tacos", "bikes", "books", "salon", "diner", "toys", "flowers", "records", "cafe", "garage", "yarn")
PLACES = (
    "Oregon District",
    "South Park",
    "Belmont",
    "Walnut Hills",
    "Huffman",
    "Grafton Hill",
    "Five Oaks",
    "Old North Dayton",
    "Wright View",
    "Patterson Park",
    "Eastmont",
    "Linden Heights",
    "Twin Towers",
    "Burkhardt",
    "Carillon",
    "Edgemont",
    "Westwood",
    "Fairview",
    "Santa Clara",
    "Hillcrest",
    "Northridge",
    "Riverside",
    "Kettering",
    "Oakwood",
    "Beavercreek",
    "Centerville",
    "Fairborn",
    "Vandalia",
    "Trotwood",
    "Miamisburg",
)
THEMES = (
    ("Neighbors", "neighborhood"),
    ("Block Watch", "neighborhood"),
    ("Tree Committee", "neighborhood"),
    ("Snow Alerts", "neighborhood"),
    ("Dog Walkers", "pets"),
    ("Cat People", "pets"),
    ("Lost Pets", "pets"),
    ("Supper Club", "food"),
    ("Food Trucks", "food"),
    ("Home Bakers", "food"),
    ("Sunday Cooks", "food"),
    ("Pickup Soccer", "sports"),
    ("Morning Runners", "sports"),
    ("Bike Rides", "sports"),
    ("Bowling League", "sports"),
    ("Pickleball", "sports"),
    ("Open Mic", "music"),
    ("Garage Bands", "music"),
    ("Community Choir", "music"),
    ("New Parents", "parents"),
    ("PTA Chat", "parents"),
    ("Playdates", "parents"),
    ("Swap Table", "for_sale"),
    ("Yard Sales", "for_sale"),
    ("Tool Swap", "for_sale"),
)
STREETS = (
    "Wayne Ave",
    "Brown St",
    "Far Hills Ave",
    "Salem Ave",
    "Main St",
    "Third St",
    "Fifth St",
    "Smithville Rd",
    "Linden Ave",
    "Watervliet Ave",
    "Xenia Ave",
    "Huffman Ave",
    "Shroyer Rd",
    "Patterson Rd",
    "Stewart St",
    "Warren St",
    "Valley St",
    "Keowee St",
    "Burkhardt Rd",
    "Troy St",
)
DAYS = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")
HOURS = ("8 AM", "9 AM", "10 AM", "noon", "2 PM", "4 PM", "5:30 PM", "6 PM", "7 PM")
WORDS = {
    "Neighbors": (
        "The water main on {street} is being fixed {day}. Expect low pressure until {hour}.",
        "Block party on {street} this {day} at {hour}. Bring a chair.",
        "Does anyone know why {street} is closed on {day}?",
    ),
    "Block Watch": (
        "Somebody tried car doors on {street} around {hour} on {day}.",
        "Streetlight out on {street} near the bus stop. I reported it {day}.",
        "Watch meeting is {day} at {hour}, church hall on {street}.",
    ),
    "Tree Committee": (
        "We plant six maples on {street} this {day} at {hour}.",
        "The oak on {street} gets trimmed {day}. Please move your cars by {hour}.",
        "Who can water the new trees on {street} on {day}?",
    ),
    "Snow Alerts": (
        "Plows come down {street} on {day} from {hour}. Park on the even side.",
        "Salt is gone at the corner of {street}. The city refills {day} at {hour}.",
        "Can somebody shovel for my mother on {street} every {day}?",
    ),
    "Dog Walkers": (
        "Group walk starts at {street} on {day} at {hour}.",
        "Found a brown leash on {street}. I can drop it off {day}.",
        "Can anyone walk a calm beagle near {street} on {day}?",
    ),
    "Cat People": (
        "Can anybody feed two cats near {street} from {day} on?",
        "Kittens for adoption on {street}, {day} at {hour}.",
        "Our vet on {street} has flea drops again, open {day} until {hour}.",
    ),
    "Lost Pets": (
        "Lost: small black dog, last seen {day} at {hour} near {street}.",
        "Gray cat seen on {street} around {hour} on {day}. No collar.",
        "The white rabbit from {street} was found on {day}. Thank you all!",
    ),
    "Supper Club": (
        "Potluck on {day} at {hour}, my place off {street}. Who brings salad?",
        "Chili night on {street} moves to {day} at {hour}.",
        "Two seats left for dinner on {street} this {day}.",
    ),
    "Food Trucks": (
        "The taco truck is on {street} {day} until {hour}.",
        "Three trucks on {street} this {day} from {hour}. Dumplings are new.",
        "The waffle truck skips {street} on {day}.",
    ),
    "Home Bakers": (
        "Peach pies at our table on {street} this {day} from {hour}.",
        "Fresh sourdough on {street} every {day} from {hour}.",
        "Half off cinnamon rolls on {street} this {day} after {hour}.",
    ),
    "Sunday Cooks": (
        "Has anyone a big stock pot near {street} that I can borrow on {day}?",
        "Good lamb at the butcher on {street}, open {day} until {hour}.",
        "We cook gumbo together {day} at {hour}, kitchen on {street}.",
    ),
    "Pickup Soccer": (
        "We need two more players {day} at {hour}, field by {street}.",
        "The field on {street} is too wet. Next game is {day} at {hour}.",
        "Who can bring a ball to {street} on {day}?",
    ),
    "Morning Runners": (
        "Easy five miles from {street} on {day}, meet at {hour}.",
        "Hill repeats on {street} this {day}. Slow runners welcome.",
        "The path along {street} is closed on {day} until {hour}.",
    ),
    "Bike Rides": (
        "Ride leaves {street} on {day} at {hour}. Helmets, please.",
        "Flat tire clinic on {street}, {day} at {hour}.",
        "Anyone for twenty easy miles from {street} on {day}?",
    ),
    "Bowling League": (
        "League night moves to {day} at {hour}. Lanes are on {street}.",
        "My team needs a sub on {day} at {hour}, lanes on {street}.",
        "Shoes are free on {street} this {day}.",
    ),
    "Pickleball": (
        "Courts on {street} are booked for us {day} from {hour}.",
        "Beginners are welcome on {street}, {day} at {hour}.",
        "Left my paddle on {street} on {day}. Did anyone see it?",
    ),
    "Open Mic": (
        "Sign-up for open mic on {street} is {day} at {hour}.",
        "Two slots are open on {day} at {hour}, same place on {street}.",
        "Who can lend a mic stand near {street} for {day}?",
    ),
    "Garage Bands": (
        "Drummer wanted. We practice near {street} every {day} at {hour}.",
        "Our band plays on {street} on {day} at {hour}. Free entry.",
        "Bass amp for sale near {street}, ${price}. Try it {day}.",
    ),
    "Community Choir": (
        "Rehearsal on {day} moves to {hour}, same hall on {street}.",
        "Altos meet {day} at {hour} on {street} to go over the new piece.",
        "We sing at the home on {street} this {day} at {hour}.",
    ),
    "New Parents": (
        "Story time on {street} starts at {hour} on {day}.",
        "Diaper swap on {day} at {hour}, church hall on {street}.",
        "Can anyone recommend a sitter near {street} for {day}?",
    ),
    "PTA Chat": (
        "The bake sale on {street} is {day} at {hour}. We still need cookies.",
        "Carpool from {street} to school has one seat on {day}.",
        "The school board meets {day} at {hour} on {street}.",
    ),
    "Playdates": (
        "Playdate at the park on {street}, {day} at {hour}.",
        "Splash pad on {street} opens {day} at {hour}. Who comes?",
        "Puppet show for three and up on {street}, {day} at {hour}.",
    ),
    "Swap Table": (
        "Oak bookshelf, five shelves, ${price}. Pick up on {street} {day}.",
        "Kids' bike, 20-inch wheels, ${price}, on {street}. Free {day} after {hour}.",
        "Patio table with four chairs, ${price}. {street}, {day} at {hour}.",
    ),
    "Yard Sales": (
        "Yard sale on {street} {day} from {hour}. Tools from ${price}.",
        "Three houses on {street} sell together this {day} from {hour}.",
        "Everything left from our sale on {street} is free {day} after {hour}.",
    ),
    "Tool Swap": (
        "Looking for a ladder to borrow near {street} this {day}.",
        "Push mower, runs well, ${price}. Come by {street} on {day}.",
        "Post hole digger to lend on {street}, back by {day} at {hour}.",
    ),
}
DETAILS = {
    "spam": ("Same post three days in a row.", "They put this in every channel I am in.", "I see this one every week."),
    "scam": ("I paid and nobody showed up.", "They asked me for money first.", "They wanted my card number by text."),
    "rude": (
        "The author got nasty when I asked about it.",
        "Called me names after I answered.",
        "Mean to a neighbor in the replies.",
    ),
    "off_topic": (
        "Not what this channel is for.",
        "Belongs in another channel.",
        "We agreed to keep these out of here.",
    ),
    "private_information": (
        "My street should not be in here.",
        "It says where my family will be.",
        "Nobody asked us before posting this.",
    ),
}
MEMBERSHIPS = {"basic": 2, "plus": 4, "shop": 6}
SCHEDULED = {"basic": 0, "plus": 2, "shop": 4}
CREDIT = {"basic": 500, "plus": 1000, "shop": 2000}
FOREVER = 1000000
PRICES = {"basic": (100, 150, 200, 300), "plus": (200, 300, 400, 500), "shop": (300, 500, 800, 1200)}
BUDGET = {"basic": 3000, "plus": 10000, "shop": 30000}
DAY_RATE = {"plus": 20, "shop": 50}


def populate(world: WorldBuilder) -> None:
    """Plan who is in which channel first, then add rows; what is left of the size goes to messages and what follows them."""
    draw = world.random
    names = []
    members = [_add_member(world, number, names) for number in range(world.share(0.11, least=4))]
    channels = _plan_channels(world, members)
    seats = _plan_seats(draw, members, channels)
    for channel in channels:
        _add_channel(world, channel)
    for seat in seats:
        _add_seat(world, seat)
    left = max(world.size - len(members) - len(channels) - len(seats), 12)
    messages = _add_messages(world, seats, max(left * 45 // 100, 6))
    entries = _add_boosts(world, messages, max(left * 13 // 100, 2))
    entries += _other_entries(draw, members, max(left * 7 // 100, 3))
    entries += _payments(draw, entries)
    draw.shuffle(entries)
    for entry in entries:
        _add_entry(world, entry)
    _add_reports(world, messages, seats, max(left * 8 // 100, 2))


def _at(draw, day):
    """Return minutes counted from today's midnight: some waking moment of that day, before the clock if it is today."""
    return day * 1440 + (draw.randrange(425, 560) if day == 0 else draw.randrange(425, 1315))


def _later(draw, minutes, most_days):
    """Return a moment some minutes to some days later, never after the clock."""
    today = minutes // 1440
    if today >= 0:
        return minutes + draw.randrange(1, 4)
    return _at(draw, draw.randrange(today + 1, min(today + most_days, 0) + 1))


def _moment(world, minutes):
    day, minute = minutes // 1440, minutes % 1440
    return world.moment(day, f"{minute // 60:02d}:{minute % 60:02d}")


def _add_member(world, number, names):
    draw = world.random
    given, family = draw.choice(GIVEN), draw.choice(FAMILY)
    if number % 4 == 3:
        given, family = draw.choice(names)
    names.append((given, family))
    plan = draw.choices(("basic", "plus", "shop"), (47, 31, 22))[0]
    joined = -draw.choices((draw.randrange(3, 30), draw.randrange(30, 120), draw.randrange(120, 900)), (15, 20, 65))[0]
    since = joined if plan == "basic" and draw.random() < 0.8 else draw.randrange(joined, 0)
    changed = draw.randrange(max(joined, -260), 0) if draw.random() < 0.45 else None
    first, last = given.lower(), family.lower()
    handle = draw.choice((f"{first}{number}", f"{first[0]}{last}{number}", f"{last}_{number}", f"{first}_{number}"))
    if plan == "shop":
        handle = f"{last[:8]}_{draw.choice(SHOPS)}{number}"
    row = world.insert(
        "member",
        name=f"{given} {family}",
        handle=handle,
        handle_changed_on=None if changed is None else world.day(changed),
        email=f"{first}.{last}{number}@example.com",
        phone=f"({AREAS[number // 100 % len(AREAS)]}) 555-01{number % 100:02d}",
        plan=plan,
        plan_since=world.day(since),
        joined_on=world.day(joined),
    )
    return {
        "id": row["member_id"],
        "plan": plan,
        "joined": joined,
        "since": since,
        "since_on": row["plan_since"],
        "changed": changed,
    }


def _plan_channels(world, members):
    """Give each channel an owner who may still own one, and has been around for a while."""
    draw = world.random
    titles = [(f"{place} {theme}", topic, theme) for place in PLACES for theme, topic in THEMES]
    draw.shuffle(titles)
    able = [m for m in members if m["joined"] < -12]
    able = able or members[:1]
    draw.shuffle(able)
    wanted = min(world.share(0.045, least=3), len(titles), len(able))
    channels = []
    for number in range(wanted):
        last = channels[-1] if channels and channels[-1]["status"] == "archived" else None
        owner = last["owner"] if last else able[number]
        first = last["created"] // 1440 + 40 if last else owner["joined"]
        archived = number == 2 or draw.random() < 0.12
        created = _at(draw, draw.randrange(first, max(first + 2, -10)))
        channels.append(
            {
                "title": titles[number][0],
                "topic": titles[number][1],
                "theme": titles[number][2],
                "owner": owner,
                "created": created,
                "status": "archived" if archived and created < -70 * 1440 else "open",
                "admission": draw.choices(("open", "by_request"), (62, 38))[0],
                "pins": 0,
                "count": 0,
                "moderators": 1,
            }
        )
    return channels


def _plan_seats(draw, members, channels):
    """Put the owners in their channels, and everybody in some others, within what their plan allows."""
    seats = []
    for channel in channels:
        seats.append(
            _seat(channel["owner"], channel, "moderator", "active", channel["created"], channel["created"], None)
        )
        channel["count"] += 1
    spans = {channel["owner"]["id"]: [] for channel in channels}
    for channel in channels:
        spans[channel["owner"]["id"]].append((channel["created"], FOREVER))
    for member in members:
        others = [c for c in draw.sample(channels, min(len(channels), 14)) if c["owner"] is not member]
        wanted = draw.choice((0, 1, 2, 2, 3, 3, 4, 5, 7))
        for channel in others[:wanted]:
            for seat in _other_seats(draw, member, channel):
                left = FOREVER if seat["left"] is None else seat["left"]
                if _fits(spans.setdefault(member["id"], []), seat["asked"], left, MEMBERSHIPS[member["plan"]]):
                    spans[member["id"]].append((seat["asked"], left))
                    seats.append(_take(draw, seat))
    return seats


def _fits(spans, start, end, most):
    """Say whether, with one more span, there are never more than so many under way when one begins."""
    every = [*spans, (start, end)]
    return all(len([1 for first, last in every if first <= begin < last]) <= most for begin, _ in every)


def _take(draw, seat):
    """Count somebody who is in the channel now; it may need a second moderator."""
    channel = seat["channel"]
    if seat["status"] == "active":
        channel["count"] += 1
        if channel["moderators"] < 2 and draw.random() < 0.4:
            channel["moderators"] += 1
            seat["role"] = "moderator"
    return seat


def _other_seats(draw, member, channel):
    """Return one membership, or one that ended and perhaps another after it."""
    first = max(member["joined"], channel["created"] // 1440 + 1)
    archived = channel["status"] == "archived"
    last = -45 if archived else -1
    if first > last or (archived and channel["count"] >= 5):
        return []
    asked = _at(draw, draw.randrange(first, last + 1))
    asks = channel["admission"] == "by_request"
    gone = draw.random() < 0.2
    if asks and not gone and not archived and draw.random() < 0.4:
        recent = _at(draw, draw.randrange(max(first, -12), 0))
        return [_seat(member, channel, "member", "requested", recent, None, None)]
    joined = _later(draw, asked, 3) if asks else asked
    if not gone:
        return [_seat(member, channel, "member", "active", asked, joined, None)]
    left = _later(draw, joined, 90)
    role = draw.choices(("member", "moderator"), (88, 12))[0]
    ended = _seat(member, channel, role, "left", asked, None if asks and draw.random() < 0.3 else joined, left)
    if left > -20 * 1440 or archived or draw.random() < 0.6:
        return [ended]
    again = _later(draw, left, 15)
    joined = _later(draw, again, 3) if asks else again
    return [ended, _seat(member, channel, "member", "active", again, joined, None)]


def _seat(member, channel, role, status, asked, joined, left):
    return {
        "member": member,
        "channel": channel,
        "role": role,
        "status": status,
        "asked": asked,
        "joined": joined,
        "left": left,
    }


def _add_channel(world, channel):
    draw = world.random
    count = channel["count"]
    roomy = [n for n in (6, 8, 10, 12, 15, 20, 25, 30, 40, 60, 80, 120) if n > count]
    capacity = max(count, 5) if draw.random() < 0.3 or not roomy else draw.choice(roomy[:4])
    row = world.insert(
        "channel",
        owner_id=channel["owner"]["id"],
        title=channel["title"],
        topic=channel["topic"],
        admission=channel["admission"],
        capacity=capacity,
        status=channel["status"],
        created_at=_moment(world, channel["created"]),
    )
    channel["id"] = row["channel_id"]


def _add_seat(world, seat):
    world.insert(
        "membership",
        member_id=seat["member"]["id"],
        channel_id=seat["channel"]["id"],
        role=seat["role"],
        status=seat["status"],
        alerts=world.random.choices(("all", "mentions", "muted"), (55, 25, 20))[0] if seat["joined"] else "all",
        created_at=_moment(world, seat["asked"]),
        joined_at=None if seat["joined"] is None else _moment(world, seat["joined"]),
        left_at=None if seat["left"] is None else _moment(world, seat["left"]),
    )


def _add_messages(world, seats, wanted):
    """Add messages by people who are or were in a channel; return those that were posted."""
    draw = world.random
    writers = [seat for seat in seats if seat["joined"] is not None]
    writers += [seat for seat in writers if seat["role"] == "moderator"]
    spans = {}
    posted = []
    for _ in range(wanted):
        seat = draw.choice(writers)
        author, channel = seat["member"], seat["channel"]
        status = draw.choices(("posted", "scheduled", "canceled", "deleted"), (60, 24, 8, 8))[0]
        here = seat["status"] == "active" and channel["status"] == "open"
        end = seat["left"] // 1440 if seat["left"] else (0 if channel["status"] == "open" else -40)
        first = seat["joined"] // 1440 + 1
        if first >= end:
            written = seat["joined"] + 2
        else:
            recent = max(first, -9) if draw.random() < 0.6 else first
            written = _at(draw, draw.randrange(min(recent, end - 1), end))
        sent = None
        if status in ("scheduled", "canceled"):
            written = _at(draw, draw.randrange(max(first, -8), 0)) if first < 0 and here else written
            sent = _at(draw, draw.randrange(1, 14))
        elif here and written < -1440 and draw.random() < 0.25:
            sent = written + draw.randrange(1, 3) * 60
        own = spans.setdefault(author["id"], [])
        if sent is not None and here and _fits(own, written, sent, SCHEDULED[author["plan"]]):
            own.append((written, sent))
        else:
            sent = None
            status = "deleted" if status == "deleted" else "posted"
        shown = written if sent is None else sent
        leads = here and seat["role"] == "moderator"
        pinned = int(leads and status == "posted" and channel["pins"] < 3 and draw.random() < 0.4)
        fresh = pinned or sent is not None and sent > 0 or shown // 1440 >= -3
        channel["pins"] += pinned
        text = draw.choice(WORDS[channel["theme"]]).format(
            street=draw.choice(STREETS), day=draw.choice(DAYS), hour=draw.choice(HOURS), price=draw.randrange(3, 40) * 5
        )
        visible = status in ("posted", "deleted")
        row = world.insert(
            "message",
            channel_id=channel["id"],
            member_id=author["id"],
            text=text,
            status=status,
            send_at=None if sent is None else _moment(world, sent),
            posted_at=_moment(world, shown) if visible else None,
            pinned=pinned,
            edits=draw.choices((0, 1, 2, 3), (60, 26, 10, 4))[0] if fresh else 0,
            likes=draw.randrange(0, channel["count"] + 1) if visible else 0,
            created_at=_moment(world, written),
        )
        if visible:
            posted.append({"id": row["message_id"], "seat": seat, "status": status, "posted": shown})
    return posted


def _add_boosts(world, messages, wanted):
    """Add boosts of posted messages within the budget of a month; return what they put on the ledger."""
    draw = world.random
    spent = {}
    entries = []
    able = [m for m in messages if m["posted"] < -2 * 1440 and m["seat"]["left"] is None]
    draw.shuffle(able)
    for message in able[:wanted]:
        author, channel = message["seat"]["member"], message["seat"]["channel"]
        alive = message["status"] == "posted" and channel["status"] == "open"
        booked = _later(draw, max(message["posted"], -40 * 1440), 12)
        if draw.random() < 0.3 and booked < -30 * 1440:
            booked = _at(draw, draw.randrange(-8, 0))
        days = draw.choice((1, 2, 3, 3, 4, 5, 5, 7, 7, 10, 14))
        price = draw.choice(PRICES[author["plan"]])
        starts = booked // 1440 + draw.randrange(1, 10)
        if spent.get(author["id"], 0) + price * days > BUDGET[author["plan"]]:
            days, price = 1, 100
        if spent.get(author["id"], 0) + price * days > BUDGET[author["plan"]]:
            continue
        ends = starts + days - 1
        status = "finished" if ends < 0 else "booked"
        if not alive and ends >= 0 or draw.random() < 0.15:
            status = "canceled"
        if status == "canceled" and booked // 1440 >= min(0, ends - 1):
            if not alive:
                continue
            status = "booked" if ends >= 0 else "finished"
        spent[author["id"]] = spent.get(author["id"], 0) + price * days
        boost = world.insert(
            "boost",
            message_id=message["id"],
            starts_on=world.day(starts),
            ends_on=add_days(world.day(starts), days - 1),
            days=days,
            daily_cents=price,
            status=status,
            created_at=_moment(world, booked),
        )
        entries.append(_entry(author, "boost", None, price * days, boost["boost_id"], booked))
        if status == "canceled":
            called_off = _at(draw, draw.randrange(booked // 1440 + 1, min(0, ends - 1) + 1))
            unused = min(days, ends - called_off // 1440)
            entries.append(_entry(author, "refund", None, -price * unused, boost["boost_id"], called_off))
            if starts - called_off // 1440 < 2:
                fee = price * days // 10
                entries.append(_entry(author, "fee", "late_cancel_fee", fee, boost["boost_id"], called_off + 1))
        elif draw.random() < 0.12 and starts - booked // 1440 >= 2:
            entries.append(_entry(author, "fee", "move_fee", 200, boost["boost_id"], booked + 3))
    return entries


def _other_entries(draw, members, wanted):
    """Return fees for a new handle and for the rest of a month on a plan, and credits."""
    entries = []
    for member in draw.sample(members, len(members)):
        if member["changed"] is not None and draw.random() < 0.15:
            entries.append(_entry(member, "fee", "handle_fee", 500, None, _at(draw, member["changed"])))
        if member["plan"] != "basic" and member["since"] > member["joined"]:
            rest = max(31 - int(member["since_on"][8:]), 1)
            fee = DAY_RATE[member["plan"]] * rest
            entries.append(_entry(member, "fee", "plan_fee", fee, None, _at(draw, member["since"])))
    credits = []
    for _ in range(max(wanted - len(entries), wanted // 2)):
        member = draw.choice(members)
        reason = draw.choice(("goodwill", "outage", "loyalty") if member["joined"] < -380 else ("goodwill", "outage"))
        amount = draw.choice({"goodwill": (200, 300, 500), "outage": (100, 150, 250), "loyalty": (500, 1000)}[reason])
        first = member["joined"] + 360 if reason == "loyalty" else member["joined"]
        at = _at(draw, draw.randrange(max(first, -300), 0))
        credits.append(_entry(member, "credit", reason, -amount, None, at))
    return entries + credits


def _payments(draw, entries):
    """Return payments of what is owed at some moment after an entry, never more than that."""
    payments = []
    accounts = {}
    for entry in sorted(entries, key=lambda e: e["at"]):
        accounts.setdefault(entry["member"]["id"], []).append(entry)
    for account in accounts.values():
        balance = 0
        before = -FOREVER
        for number, entry in enumerate(account):
            member = entry["member"]
            if entry["kind"] == "boost" and balance > CREDIT[member["plan"]] and before < entry["at"] - 1:
                part = min(balance, (balance - CREDIT[member["plan"]] + 499) // 500 * 500)
                payments.append(_entry(member, "payment", None, -part, None, entry["at"] - 1))
                balance -= part
            balance += entry["amount"]
            before = entry["at"]
            until = account[number + 1]["at"] - 1 if number + 1 < len(account) else 560
            at = _later(draw, entry["at"], 6)
            if balance > 0 and at < until and draw.random() < 0.2:
                part = balance if draw.random() < 0.7 or balance < 1000 else balance // 200 * 100
                payments.append(_entry(member, "payment", None, -part, None, at))
                balance -= part
                before = at
    return payments


def _entry(member, kind, reason, amount, boost_id, at):
    return {"member": member, "kind": kind, "reason": reason, "amount": amount, "boost_id": boost_id, "at": at}


def _add_entry(world, entry):
    world.insert(
        "ledger_entry",
        member_id=entry["member"]["id"],
        kind=entry["kind"],
        reason=entry["reason"],
        amount_cents=entry["amount"],
        boost_id=entry["boost_id"],
        created_at=_moment(world, entry["at"]),
    )


def _add_reports(world, messages, seats, wanted):
    """Add reports by people of the same channel who were there when the message was posted."""
    draw = world.random
    people = {}
    for seat in seats:
        if seat["joined"] is not None:
            people.setdefault(seat["channel"]["id"], []).append(seat)
    waiting = {}
    done = set()
    for _ in range(wanted * 2):
        message = draw.choice(messages)
        reader = draw.choice(people[message["seat"]["channel"]["id"]])
        who = reader["member"]
        if who is message["seat"]["member"] or (who["id"], message["id"]) in done or len(done) >= wanted:
            continue
        seen = max(message["posted"], reader["joined"])
        filed = _later(draw, seen, 6)
        if reader["left"] is not None and filed > reader["left"]:
            continue
        status = draw.choices(("open", "withdrawn", "upheld", "dismissed"), (56, 12, 16, 16))[0]
        if status == "open" and (waiting.get(who["id"], 0) >= 3 or message["status"] == "deleted"):
            status = "upheld"
        waiting[who["id"]] = waiting.get(who["id"], 0) + int(status == "open")
        done.add((who["id"], message["id"]))
        reason = draw.choice(("spam", "scam", "rude", "off_topic", "private_information"))
        world.insert(
            "report",
            member_id=who["id"],
            message_id=message["id"],
            reason=reason,
            details=draw.choice(DETAILS[reason]) if draw.random() < 0.6 else None,
            status=status,
            created_at=_moment(world, filed),
            closed_at=None if status == "open" else _moment(world, _later(draw, filed, 5)),
        )
