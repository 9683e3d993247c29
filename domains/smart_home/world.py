"""Fill a smart home service: subscribers, their homes and devices, door codes, alerts, visits, and charges."""

from runtime import WorldBuilder, add_days, add_minutes, weekday

WORN = {
    "hub": ("kept restarting", "power port came loose"),
    "thermostat": ("screen cracked", "buttons stopped responding", "got a new furnace"),
    "light": ("LED burned out", "started to flicker", "sold with the old furniture"),
    "plug": ("kept tripping the breaker", "smelled hot", "dog chewed it"),
    "lock": ("motor burned out", "battery swelled", "got a new front door"),
    "camera": ("lens cracked", "battery swelled", "picture stayed foggy"),
    "sensor": ("battery swelled", "cover broke off", "too many false alarms"),
}  # why a device of a kind is retired, beside what can be of any

MOST_DEVICES = 4

MISSED_FEES = {"basic": 4900, "plus": 3500, "premium": 2000}

MONTHS = (
    "January",
    "February",
    "March",
    "April",
    "May",
    "June",
    "July",
    "August",
    "September",
    "October",
    "November",
    "December",
)

WATCHED = (
    ("Living room", ("Living room", "Den", "Sunroom")),
    ("Hallway", ("Hallway", "Stairway", "Landing")),
    ("Basement", ("Basement", "Workshop", "Rec room")),
)

INVARIANTS = {
    "A closed account has no open home, and a closed home no active device.": """
        SELECT home_id FROM home JOIN subscriber USING (subscriber_id) WHERE home.status = 'open' AND subscriber.status = 'closed'
        UNION SELECT home_id FROM home JOIN device USING (home_id) WHERE home.status = 'closed' AND device.status <> 'retired'
    """,
    "A retired device has no enabled automation, no active code, and no unresolved alert.": """
        SELECT device_id FROM device JOIN automation USING (device_id) WHERE device.status = 'retired' AND automation.status = 'enabled'
        UNION SELECT device_id FROM device JOIN access_code USING (device_id) WHERE device.status = 'retired' AND access_code.status = 'active'
        UNION SELECT device_id FROM device JOIN alert USING (device_id) WHERE device.status = 'retired' AND alert.status <> 'resolved'
    """,
    "A visit is not on a Sunday, its device is in its home, and a scheduled one is to an open home of an active account.": """
        SELECT visit_id FROM visit WHERE strftime('%w', visit_on) = '0'
        UNION SELECT visit_id FROM visit JOIN device USING (device_id) WHERE device.home_id <> visit.home_id
        UNION SELECT visit_id FROM visit JOIN home USING (home_id) JOIN subscriber USING (subscriber_id)
        WHERE visit.status = 'scheduled' AND (home.status <> 'open' OR subscriber.status <> 'active')
    """,
    "A window has at most three scheduled visits.": """
        SELECT visit_id FROM visit AS v WHERE status = 'scheduled' AND (
            SELECT count(*) FROM visit AS o WHERE o.visit_on = v.visit_on AND o.window = v.window AND o.status = 'scheduled') > 3
    """,
    "Codes are for locks, at most six live ones each, and no two live ones with the same digits or label.": """
        SELECT access_code_id FROM access_code JOIN device USING (device_id) WHERE kind <> 'lock'
        UNION SELECT access_code_id FROM access_code WHERE device_id IN (
            SELECT device_id FROM access_code WHERE status = 'active' AND coalesce(ends_at, '9999') >= '2026-03-10 09:00:00'
            GROUP BY device_id HAVING count(*) > 6 OR count(DISTINCT digits) < count(*) OR count(DISTINCT label) < count(*))
    """,
    "An automation fits its device, and its name is used once in a home.": """
        SELECT automation_id FROM automation JOIN device USING (device_id)
        WHERE CASE action WHEN 'lock' THEN kind <> 'lock' WHEN 'set_temperature' THEN kind <> 'thermostat' ELSE kind NOT IN ('light', 'plug') END
        UNION SELECT automation_id FROM automation JOIN device USING (device_id) WHERE (home_id, automation.name) IN (
            SELECT home_id, automation.name FROM automation JOIN device USING (device_id) GROUP BY home_id, automation.name HAVING count(*) > 1)
    """,
    "A credit is for a fee of the same account, and the posted credits for a fee stay within it.": """
        SELECT c.charge_id FROM charge AS c JOIN charge AS f ON f.charge_id = c.credited_charge_id
        WHERE f.kind <> 'fee' OR f.subscriber_id <> c.subscriber_id OR (c.status = 'posted' AND f.status = 'void')
        UNION SELECT f.charge_id FROM charge AS f WHERE amount_cents < (
            SELECT sum(c.amount_cents) FROM charge AS c WHERE c.credited_charge_id = f.charge_id AND c.status = 'posted')
    """,
    "No device was paired before its home was added, and no alert raised before its device was paired.": """
        SELECT device_id FROM device JOIN home USING (home_id) WHERE paired_on < added_on
        UNION SELECT alert_id FROM alert JOIN device USING (device_id) WHERE raised_at < paired_on
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
    "Andre",
    "Mei",
    "Carlos",
    "Heather",
    "Jamal",
    "Linda",
    "Scott",
    "Nadia",
    "Brian",
    "Yolanda",
    "Victor",
    "Emily",
    "Darnell",
    "Grace",
    "Luis",
    "Tanya",
    "Eric",
    "Fatima",
    "Greg",
    "Monica",
    "Sanjay",
    "Beth",
    "Tyrone",
    "Julie",
    "Omar",
    "Kristen",
    "Hector",
    "Paula",
    "Wei",
    "Stephanie",
    "Curtis",
    "Rosa",
    "Patrick",
    "Alicia",
    "Dale",
)
FAMILY = (
    "Walker",
    "Ortega",
    "Raman",
    "Tran",
    "Brooks",
    "Kowalski",
    "Johnson",
    "Nguyen",
    "Garcia",
    "Murphy",
    "Patel",
    "Washington",
    "Kim",
    "Schneider",
    "Lopez",
    "Bennett",
    "Chavez",
    "Foster",
    "Haddad",
    "Jensen",
    "Ramirez",
    "Coleman",
    "Sullivan",
    "Chen",
    "Price",
    "Romano",
    "Diaz",
    "Hughes",
    "Okafor",
    "Peterson",
    "Reyes",
    "Simmons",
    "Torres",
    "Wagner",
    "Young",
    "Castillo",
    "Fisher",
    "Gupta",
    "Hayes",
    "Novak",
)
STREETS = (
    "Maple Ave",
    "Oak St",
    "Cedar Ln",
    "5th St",
    "Juniper Dr",
    "Elm St",
    "Willow Ct",
    "Lincoln Ave",
    "Park Pl",
    "Chestnut St",
    "Hillcrest Rd",
    "Sycamore Dr",
    "Meadow Ln",
    "Birch Rd",
    "Highland Ave",
    "Franklin St",
    "River Rd",
    "Walnut St",
    "Sunset Blvd",
    "Magnolia Way",
    "Prospect St",
    "Jefferson Ave",
    "Aspen Ct",
    "Orchard Ln",
)
PLACES = (
    ("Columbus", 432, 614),
    ("Austin", 787, 512),
    ("Portland", 972, 503),
    ("Denver", 802, 303),
    ("Seattle", 981, 206),
    ("Chicago", 606, 312),
    ("Atlanta", 303, 404),
    ("Dallas", 752, 214),
    ("Phoenix", 850, 602),
    ("Charlotte", 282, 704),
    ("Nashville", 372, 615),
    ("Minneapolis", 554, 612),
    ("Tampa", 336, 813),
    ("Indianapolis", 462, 317),
)  # city, start of its zip codes, area code
NICKNAMES = ("Home", "Main house", "Rental", "Mom's place", "Guest house", "Lake house")
DWELLINGS = ("house", "condo", "duplex", "townhouse", "apartment", "rental", "bungalow", "loft")
INDOOR = (
    ("Kitchen", ("Kitchen", "Breakfast nook", "Pantry")),
    ("Living room", ("Living room", "Den", "Sunroom")),
    ("Guest room", ("Guest room", "Guest suite")),
    ("Primary bedroom", ("Bedroom", "Primary suite", "Walk-in closet")),
    ("Kids' room", ("Nursery", "Playroom", "Kids' room")),
    ("Office", ("Office", "Study", "Library")),
    ("Hallway", ("Hallway", "Stairway", "Landing")),
    ("Bathroom", ("Bathroom", "Powder room", "Half bath")),
    ("Basement", ("Basement", "Workshop", "Rec room")),
    ("Laundry", ("Laundry room", "Mudroom", "Utility room")),
)
OUTDOOR = (
    ("Porch", ("Front porch", "Doorstep", "Porch swing")),
    ("Yard", ("Backyard", "Patio", "Poolside")),
    ("Garage", ("Garage", "Driveway", "Carport")),
)
DOORS = (
    ("Entry", ("Front door", "Side door", "Foyer door")),
    ("Garage", ("Garage door", "Carport door")),
    ("Yard", ("Back gate", "Patio door", "Pool gate")),
)
ITEMS = {
    "hub": (INDOOR, ("hub", "bridge", "base station"), "HB"),
    "thermostat": (INDOOR, ("thermostat", "heat control"), "TH"),
    "light": (INDOOR + OUTDOOR, ("light", "lamp", "dimmer", "spotlight", "light strip", "night light"), "LT"),
    "plug": (INDOOR, ("fan plug", "heater plug", "TV plug", "charger plug", "speaker plug"), "PL"),
    "lock": (DOORS, ("lock", "deadbolt", "keypad"), "LK"),
    "camera": (WATCHED + OUTDOOR, ("camera", "floodlight camera", "video monitor"), "CM"),
    "sensor": (INDOOR, ("motion sensor", "leak sensor", "smoke sensor", "window sensor"), "SN"),
}  # where it is, what it is, start of its serial number
FIRST_KINDS = ("lock", "sensor", "light", "thermostat", "camera", "sensor", "plug", "sensor", "lock", "sensor")
FIRMWARE = ("1.8.2", "2.0.0", "2.1.4", "2.3.1", "3.0.0")
RETIRE = (
    "Replaced",
    "moved and left it behind",
    "would not stay connected",
    "damaged in the storm",
    "no longer needed",
    "switched to another brand",
    "remodeled the room",
    "recalled by the maker",
    "neighbor's kid broke it",
    "came with the house, never used",
)
ACTIONS = {
    "light": (
        ("turn_on", "at dusk", "18:30"),
        ("turn_on", "for breakfast", "06:30"),
        ("turn_on", "after work", "17:30"),
        ("turn_on", "for movie night", "20:00"),
        ("turn_off", "at bedtime", "22:30"),
        ("turn_off", "at sunrise", "07:00"),
        ("turn_off", "after midnight", "00:15"),
    ),
    "plug": (
        ("turn_on", "before work", "06:00"),
        ("turn_on", "for the evening", "18:30"),
        ("turn_off", "overnight", "22:30"),
        ("turn_off", "at noon", "12:00"),
    ),
    "lock": (
        ("lock", "at bedtime", "22:30"),
        ("lock", "after school", "15:30"),
        ("lock", "mid-morning", "09:30"),
        ("lock", "after dinner", "20:00"),
    ),
    "thermostat": (
        ("set_temperature", "warm-up", "06:00"),
        ("set_temperature", "daytime cooldown", "09:30"),
        ("set_temperature", "for dinner", "17:30"),
        ("set_temperature", "for bedtime", "21:30"),
        ("set_temperature", "after midnight", "00:15"),
    ),
}  # what is done, how it is called, when
GUESTS = (
    "Cleaner",
    "Dog walker",
    "Sitter",
    "Grandma",
    "Grandpa",
    "Neighbor",
    "Aunt",
    "Uncle",
    "Contractor",
    "Painter",
    "Tutor",
    "Nurse",
    "Friend",
    "Tenant",
)
ALERTS = {
    "low_battery": (
        ("low", "low", "medium"),
        (
            "chirping every few minutes",
            "app says to change the batteries",
            "red light blinks when used",
            "slow to respond since last week",
            "battery warning at breakfast",
        ),
        ("put in fresh batteries", "charged overnight", "swapped the battery pack", "cold snap, recovered by itself"),
    ),
    "offline": (
        ("low", "medium", "medium", "high"),
        (
            "dropped off after the power outage",
            "not reachable from the app",
            "no connection since the new router",
            "spinning icon, never loads",
            "went dark overnight",
        ),
        (
            "restarted the router",
            "moved the hub closer",
            "plugged back in, it was loose",
            "entered the new Wi-Fi password",
        ),
    ),
    "motion": (
        ("low", "medium"),
        (
            "movement at 3 a.m. with nobody home",
            "someone walked past the window",
            "keeps going off while we are out",
            "triggered twice during dinner",
        ),
        (
            "it was the cat",
            "delivery driver at the door",
            "curtain moving over the vent",
            "turned the sensitivity down",
        ),
    ),
    "water_leak": (
        ("medium", "high", "high"),
        (
            "puddle under the pipe",
            "water around the floor drain",
            "damp carpet near the wall",
            "dripping since this morning",
        ),
        (
            "plumber replaced the valve",
            "mopped up, hose was loose",
            "condensation, wiped dry",
            "shut off the supply line",
        ),
    ),
    "smoke": (
        ("high", "high", "medium"),
        (
            "alarm went off while cooking",
            "smell of burning plastic",
            "beeped three times at night",
            "haze in the room after dinner",
        ),
        (
            "burnt toast, aired out",
            "fire department checked, all clear",
            "dust in the sensor, cleaned",
            "candle was too close",
        ),
    ),
    "tamper": (
        ("medium", "high", "high"),
        (
            "cover was pulled off",
            "scratches around the mounting plate",
            "found hanging by one screw",
            "somebody tried the wrong code ten times",
        ),
        (
            "remounted with longer screws",
            "kids were playing with it",
            "police report filed, new cover on",
            "wind knocked it loose",
        ),
    ),
}  # severities, what was seen, how it ended
DONE = (
    "replaced the wiring",
    "updated and tested everything",
    "moved the hub off the metal shelf",
    "cleaned contacts, works fine",
    "installed a new bracket",
    "showed the family how to use the app",
    "reset to factory and paired again",
    "found a bad adapter, swapped it",
    "mounted two cameras, signal is good",
    "tightened the strike plate",
    "checked all sensors, two were dusty",
    "rewired the common wire",
    "set up the guest network",
    "adjusted door alignment",
    "no fault found, explained the light codes",
    "sealed the outdoor box",
)
CALLED_OFF = (
    "traveling until May",
    "fixed itself",
    "kid is home sick",
    "have to work that day",
    "found another technician",
    "selling the house",
    "car trouble",
    "in-laws are visiting",
    "router was the problem",
    "storm in the forecast",
    "landlord will handle it",
    "booked twice by mistake",
    "part not delivered yet",
    "changed my mind about the camera",
    "need a weekend time",
    "no longer have the device",
)
VISIT_FEES = {
    "installation": ("Installation visit", 12900),
    "repair": ("Repair visit", 8900),
    "checkup": ("Annual checkup", 5900),
}
FEES = (
    ("Spare wall mount", "place", 1499),
    ("Extra door sensor", "place", 3499),
    ("Late cancellation of a visit", "month", 2500),
    ("Plus plan service", "month", 1999),
    ("Premium plan service", "month", 3499),
    ("Basic plan service", "month", 999),
    ("Camera cloud storage, one year", "", 4900),
    ("Returned check", "month", 3000),
    ("Rush shipping for a hub", "", 1250),
    ("Replacement keypad cover", "", 899),
    ("Out-of-warranty swap", "place", 6500),
    ("Wiring adapter kit", "place", 2295),
    ("Extra home setup", "", 4500),
    ("Paper statements", "month", 1200),
    ("Smoke detector batteries, pack of 8", "", 1195),
    ("Outdoor weather box", "", 2799),
)  # what for, what is added to tell it from others, price
CREDITS = (
    "technician arrived two hours late",
    "outage last weekend",
    "charged the wrong plan",
    "long-time customer",
    "device failed twice",
    "on hold for an hour",
    "promised by the sales desk",
    "part was out of stock",
    "app was down during travel",
    "had to take a second day off",
    "referral of a neighbor",
    "muddy boots on the carpet",
    "wrong part in the box",
    "firmware broke the schedule",
    "visit moved by us",
    "price match",
)
VOIDS = (
    "posted to the wrong account",
    "entered twice",
    "amount was mistyped",
    "covered by warranty after all",
    "visit was never made",
    "waived by the manager",
    "customer returned the part",
    "fee did not apply to this plan",
    "bank reversed it",
    "posted before the order was canceled",
    "test entry",
    "sales tax was included by mistake",
    "duplicate of last month",
    "promotion was still running",
    "wrong price list",
)


def populate(world: WorldBuilder) -> None:
    """Subscribers first, then their homes and devices, then what happens with them."""
    draw = world.random
    people = [_add_subscriber(world, number) for number in range(world.share(0.08, least=3))]
    for person in people:
        if person["number"] % 7 == 6:  # a namesake in another city
            person["given"], person["family"] = people[person["number"] - draw.randrange(1, 6)]["names"]
    people = [_insert_subscriber(world, person) for person in people]
    wanted = world.share(0.1, least=3)
    dealt = draw.sample(people, len(people))[: int(len(people) * 0.85)]
    dealt += draw.choices(people, [draw.choice((1, 1, 3)) for _ in people], k=max(0, wanted - len(dealt)))
    taken = set()
    homes = [_add_home(world, number, owner, taken) for number, owner in enumerate(dealt[:wanted])]
    devices = _add_devices(world, homes)
    _add_automations(world, [device for device in devices if device["row"]["kind"] in ACTIONS])
    _add_codes(world, [device for device in devices if device["row"]["kind"] == "lock"])
    _add_alerts(world, devices)
    visits = _add_visits(world, homes)
    _add_charges(world, people, visits)


def _forward(world, day):
    """The day, or the Monday after a Sunday; never later than yesterday, a Monday, if the day is not."""
    return day + 1 if weekday(world.day(day)) == "Sunday" else day


def _back(world, day):
    """The day, or the Saturday before a Sunday."""
    return day - 1 if weekday(world.day(day)) == "Sunday" else day


def _office_time(draw):
    return f"{draw.randrange(8, 18):02d}:{draw.randrange(60):02d}"


def _add_subscriber(world, number):
    """Plan a person; the row is written once namesakes are settled. The one whose account is closed came early."""
    draw = world.random
    names = draw.choice(GIVEN), draw.choice(FAMILY)
    return {
        "number": number,
        "names": names,
        "given": names[0],
        "family": names[1],
        "joined": _forward(world, draw.randrange(-1900, -420 if number == 3 else -40)),
        "bookings": [],
    }


def _insert_subscriber(world, person):
    """Accounts are closed after more than a year, and plans switched a year after joining at the earliest."""
    draw, number, joined = world.random, person["number"], person["joined"]
    _, zip_start, area = PLACES[number % len(PLACES)]
    status = draw.choices(("active", "paused", "closed"), (80, 12, 10 if joined < -400 else 0))[0]
    status = {0: "active", 2: "paused", 3: "closed"}.get(number, status)
    switched = joined < -370 and draw.random() < 0.6
    changed = _forward(world, draw.randrange(joined + 365, -1)) if switched else joined
    person["row"] = world.insert(
        "subscriber",
        full_name=f"{person['given']} {person['family']}",
        email=f"{person['given']}.{person['family']}{number}@example.{draw.choice(('com', 'org', 'net'))}".lower(),
        phone=f"({area}) 555-01{number // len(PLACES) % 100:02d}",
        zip_code=f"{zip_start}{draw.randrange(1, 60):02d}",
        plan=("basic", "plus", "premium")[number]
        if number < 3
        else draw.choices(("basic", "plus", "premium"), (35, 40, 25))[0],
        plan_since=world.day(changed),
        status=status,
        joined_on=world.day(joined),
        resume_on=world.day(_forward(world, draw.randrange(3, 90))) if status == "paused" else None,
    )
    return person


def _add_home(world, number, owner, taken):
    """A home that is closed was there for a year at least."""
    draw = world.random
    place = PLACES[owner["number"] % len(PLACES)] if draw.random() < 0.85 else draw.choice(PLACES)
    street = f"{100 + 4 * number + draw.randrange(4)} {draw.choice(STREETS)}"
    road = street.split(" ")[1]
    names = (
        draw.choice(NICKNAMES) if draw.random() < 0.35 else f"{road} {draw.choice(DWELLINGS)}",
        f"{road} {draw.choice(DWELLINGS)}",
        street,
    )
    nickname = [name for name in names if (owner["number"], name) not in taken][0]
    taken.add((owner["number"], nickname))
    closed = owner["joined"] < -400 and (owner["row"]["status"] == "closed" or number == 4 or draw.random() < 0.09)
    added = owner["joined"]
    if draw.random() < 0.5:
        added = _forward(world, draw.randrange(owner["joined"], -370 if closed else -8))
    row = world.insert(
        "home",
        subscriber_id=owner["row"]["subscriber_id"],
        nickname=nickname,
        street=street + (f", Apt {draw.randrange(1, 40)}" if draw.random() < 0.2 else ""),
        city=place[0],
        zip_code=f"{place[1]}{draw.randrange(1, 60):02d}",
        mode="night" if number == 1 else draw.choices(("home", "night", "away"), (55, 15, 30))[0],
        status="closed" if closed else "open",
        added_on=world.day(added),
    )
    return {"row": row, "owner": owner, "added": added, "devices": [], "names": set()}


def _add_devices(world, homes):
    """The first device of a home is its hub; homes get more or fewer devices by chance, and none ever had too many."""
    draw, devices = world.random, []
    weights = [draw.choice((1, 2, 3, 6)) for _ in homes]
    others = 0
    for number, home in enumerate(draw.choices(homes, weights, k=world.share(0.3, least=6))):
        if len(home["devices"]) >= MOST_DEVICES:
            roomy = [each for each in draw.sample(homes, min(20, len(homes))) if len(each["devices"]) < MOST_DEVICES]
            if not roomy:
                continue
            home = roomy[0]
        kind = (
            "hub"
            if not home["devices"]
            else draw.choices(("light", "plug", "lock", "camera", "sensor", "thermostat"), (26, 11, 22, 11, 18, 12))[0]
        )
        if kind != "hub":
            kind = FIRST_KINDS[others] if others < len(FIRST_KINDS) else kind
            others += 1
        devices.append(
            _add_device(world, number, home, kind, len([1 for device in devices[:60] if device["row"]["kind"] == kind]))
        )
    return devices


def _add_device(world, number, home, kind, earlier):
    draw = world.random
    worn = 14 if kind != "hub" and home["added"] <= -366 else 0  # what is retired was in use for a while
    status = draw.choices(("online", "offline", "retired"), (84, 16, worn))[0]
    reason = draw.choice(RETIRE + WORN[kind]) if status == "retired" else None
    if home["row"]["status"] == "closed" and status != "retired":
        status, reason = "retired", "Home closed"
    rooms, items, prefix = ITEMS[kind]
    options = []
    for _ in range(4):
        room, spots = draw.choice(rooms)
        item = items[earlier] if kind == "sensor" and earlier < 4 else draw.choice(items)
        options.append((f"{draw.choice(spots)} {item}", room, item))
    gone = [
        (old["row"]["name"], old["row"]["room"], old["item"])
        for old in home["devices"]
        if old["row"]["kind"] == kind and old["row"]["status"] == "retired"
    ]
    options = (gone if draw.random() < 0.6 else []) + options  # the successor of a retired device often has its name
    options.append((f"{options[-1][0]} {number}", options[-1][1], options[-1][2]))
    name, room, item = [option for option in options if option[0] not in home["names"]][0]
    if status != "retired":
        home["names"].add(name)
    paired = (
        home["added"]
        if kind == "hub" or draw.random() < 0.3
        else _forward(world, draw.randrange(max(home["added"], -1000), -1))
    )
    version = draw.randrange(len(FIRMWARE))
    state = {"light": ("on", "off"), "plug": ("on", "off"), "lock": ("unlocked", "locked")}.get(kind)
    battery = draw.choice((draw.randrange(3, 25), draw.randrange(20, 60), draw.randrange(50, 101)))
    if kind == "lock" and earlier == 0:
        battery = draw.randrange(55, 97)  # one that may have codes
    row = world.insert(
        "device",
        home_id=home["row"]["home_id"],
        name=name,
        room=room,
        kind=kind,
        serial_number=f"{prefix}{draw.randrange(100, 1000)}-{number * 37 % 100000:05d}",
        status=status,
        state=draw.choices(state, (35, 65))[0] if state else None,
        target_f=draw.randrange(62, 77) if kind == "thermostat" else None,
        battery_percent=battery if kind in ("lock", "camera", "sensor") else None,
        firmware_version=FIRMWARE[version],
        available_firmware=FIRMWARE[-1] if version < len(FIRMWARE) - 1 and draw.random() < 0.5 else None,
        paired_on=world.day(paired),
        warranty_until=add_days(world.day(paired), draw.choice((365, 365, 730))),
        retire_reason=reason,
    )
    device = {
        "row": row,
        "item": item,
        "paired": paired,
        "home": home,
        "times": [],
        "live": 0,
        "labels": set(),
        "unresolved": set(),
    }
    home["devices"].append(device)
    return device


def _add_automations(world, devices):
    """Some that are off are backups of the first one of their device: they have its time, and would clash if enabled."""
    draw, names = world.random, set()
    for number in range(world.share(0.1, least=2) if devices else 0):
        device = draw.choice(devices)
        row = device["row"]
        plans = [
            (f"{row['name']} {phrase}", action, time)
            for action, phrase, time in draw.sample(ACTIONS[row["kind"]], len(ACTIONS[row["kind"]]))
            if time not in device["times"] and (row["home_id"], f"{row['name']} {phrase}") not in names
        ]
        enabled = row["status"] != "retired" and draw.random() < 0.62
        backup = f"{device['first'][0]}, backup" if device["times"] else ""
        if backup and not enabled and draw.random() < 0.5 and (row["home_id"], backup) not in names:
            plans = [(backup, device["first"][1], device["first"][2])]
        if not plans:
            continue
        name, action, time = plans[0]
        names.add((row["home_id"], name))
        if not device["times"]:
            device["first"] = (name, action, time)
        device["times"].append(time)
        world.insert(
            "automation",
            device_id=row["device_id"],
            name=name,
            action=action,
            target_f=draw.randrange(58, 78) if action == "set_temperature" else None,
            run_time=time,
            days=draw.choices(("daily", "weekdays", "weekends"), (45, 33, 22))[0],
            status="enabled" if enabled else "disabled",
        )


def _add_codes(world, locks):
    """One lock in use gets all the codes that fit, others what chance gives; none is for a lock with a weak battery."""
    draw = world.random
    locks = [lock for lock in locks if lock["row"]["battery_percent"] >= 40]
    in_use = [lock for lock in locks if lock["row"]["status"] == "online"]
    for number in range(world.share(0.09, least=2) if locks else 0):
        lock = in_use[0] if number < 6 and in_use and world.size >= 100 else draw.choice(locks)
        plan = draw.choices(("always", "limited", "later", "ended", "revoked"), (36, 22, 8, 16, 18))[0]
        plan = {6: "ended", 7: "revoked"}.get(number, plan) if number > 5 else draw.choice(("always", "limited"))
        label = f"{draw.choice(GUESTS)} {draw.choice(GIVEN)}"
        if plan != "ended" and (lock["live"] >= 6 or label in lock["labels"] or lock["row"]["status"] == "retired"):
            plan = "revoked"
        if plan == "ended" and lock["row"]["status"] == "retired":
            plan = "revoked"
        first = draw.randrange(max(lock["paired"], -400), 0)
        starts_at = world.moment(draw.randrange(1, 15) if plan == "later" else first, f"{draw.randrange(6, 21):02d}:00")
        ends_at = None
        if plan in ("limited", "later"):
            ends_at = world.moment(
                draw.randrange(15, 120) if draw.random() < 0.6 else draw.randrange(15, 22),
                f"{draw.randrange(8, 22):02d}:00",
            )
        if plan == "ended" or (plan == "revoked" and draw.random() < 0.5):
            ends_at = (
                add_minutes(starts_at, draw.randrange(2, 12) * 60)
                if first > -3
                else world.moment(draw.randrange(first + 1, 0), "12:00")
            )
        if plan in ("always", "limited", "later"):
            lock["live"] += 1
            lock["labels"].add(label)
        world.insert(
            "access_code",
            device_id=lock["row"]["device_id"],
            label=label,
            digits=f"{number * 7919 % 10000:04d}"
            if draw.random() < 0.6
            else f"{draw.randrange(10, 100)}{number * 7919 % 10000:04d}",
            starts_at=starts_at,
            ends_at=ends_at,
            status="revoked" if plan == "revoked" else "active",
        )


def _add_alerts(world, devices):
    """An alert is watched for eight days at least before anybody resolves it."""
    draw, kinds = world.random, tuple(ALERTS)
    pools = {
        "low_battery": [device for device in devices if device["row"]["battery_percent"] is not None],
        "offline": devices,
        "motion": [
            device for device in devices if device["row"]["kind"] == "camera" or device["item"] == "motion sensor"
        ],
        "water_leak": [device for device in devices if device["item"] == "leak sensor"],
        "smoke": [device for device in devices if device["item"] == "smoke sensor"],
        "tamper": [device for device in devices if device["row"]["kind"] in ("lock", "camera")],
    }
    offline = [device for device in devices if device["row"]["status"] == "offline"]
    empty = [device for device in pools["low_battery"] if device["row"]["battery_percent"] < 20]
    for number in range(world.share(0.11, least=2)):
        kind = kinds[number] if number < len(kinds) else draw.choices(kinds, (22, 24, 16, 11, 11, 16))[0]
        kind = kind if pools[kind] else "offline"
        status = draw.choices(("open", "acknowledged", "resolved"), (32, 28, 40))[0]
        pool = {"offline": offline, "low_battery": empty}.get(kind) or pools[kind]
        device = draw.choice(pool if status != "resolved" and draw.random() < 0.7 else pools[kind])
        if device["row"]["status"] == "retired" or kind in device["unresolved"]:
            status = "resolved"
        if status == "resolved" and device["paired"] > -9:
            continue  # too new for an alert that is over
        if status != "resolved":
            device["unresolved"].add(kind)
        severities, seen, ends = ALERTS[kind]
        day = (
            draw.randrange(max(device["paired"], -250), -8)
            if status == "resolved"
            else draw.randrange(max(device["paired"], -20), 0)
        )
        raised_at = world.moment(day, f"{draw.randrange(24):02d}:{draw.randrange(60):02d}")
        resolved_at = (
            world.moment(_forward(world, draw.randrange(day + 8, min(day + 30, 0))), _office_time(draw))
            if status == "resolved"
            else None
        )
        world.insert(
            "alert",
            device_id=device["row"]["device_id"],
            kind=kind,
            severity=draw.choice(severities),
            status=status,
            details=draw.choice(seen),
            raised_at=raised_at,
            resolved_at=resolved_at,
            resolution=draw.choice(ends) if status == "resolved" else None,
        )


def _add_visits(world, homes):
    """Scheduled visits take places of windows that were filled by chance; return the visits that may cost a fee."""
    draw, billed = world.random, []
    states = draw.choices(
        ("scheduled", "completed", "missed", "canceled"), (44, 30, 11, 15), k=world.share(0.1, least=3)
    )
    states = [{2: "canceled", 5: "missed", 7: "completed"}.get(number, state) for number, state in enumerate(states)]
    days = [day for day in range(-1, 400) if weekday(world.day(day)) != "Sunday"]
    slots = [
        (day, window)
        for day in days
        for window in ("morning", "afternoon")
        for _ in range(draw.choice((0, 1, 2, 3, 3)))
    ]
    slots = slots[: states.count("scheduled")]
    draw.shuffle(slots)
    ready = [home for home in homes if home["row"]["status"] == "open" and home["owner"]["row"]["status"] == "active"]
    booked, used = set(), 0
    for state in states:
        if state == "scheduled":
            day, window = slots[used]
            used += 1
            free = [
                home for home in draw.sample(ready, min(8, len(ready))) if (home["row"]["home_id"], day) not in booked
            ]
            if not free:
                continue
            home = free[0]
            booked.add((home["row"]["home_id"], day))
        else:
            home, window = draw.choice(homes), draw.choice(("morning", "afternoon"))
            latest = 14 if state == "canceled" else -1
            day = _forward(world, draw.randrange(max(home["added"] + 2, -300), latest + 1))
        made = _back(world, draw.randrange(max(home["added"], min(day, 0) - 21), min(day, 0)))
        purpose = draw.choices(("installation", "repair", "checkup"), (25, 45, 30))[0]
        fitting = [
            device
            for device in home["devices"]
            if device["paired"] <= made and (state != "scheduled" or device["row"]["status"] != "retired")
        ]
        device = (
            draw.choice(fitting)
            if fitting and (purpose == "repair" or (purpose == "checkup" and draw.random() < 0.3))
            else None
        )
        created_at = world.moment(made, _office_time(draw))
        home["owner"]["bookings"].append(created_at)
        visit = world.insert(
            "visit",
            home_id=home["row"]["home_id"],
            device_id=device["row"]["device_id"] if device else None,
            purpose=purpose,
            visit_on=world.day(day),
            window=window,
            status=state,
            reschedule_count=draw.choices((0, 1), (70, 30))[0],  # none is moved twice
            notes=draw.choice(DONE) if state == "completed" else None,
            cancel_reason=draw.choice(CALLED_OFF) if state == "canceled" else None,
            created_at=created_at,
        )
        if state in ("completed", "missed"):
            billed.append((home["owner"], visit, day, home["row"]["nickname"]))
    return billed


def _add_charges(world, people, visits):
    """A fee comes first; then it is paid, credited, voided, or still owed.

    Every missed visit has its fee. A closed account owes nothing, and who booked a visit owed nothing at that moment:
    what was posted before a booking was settled before it, so what is owed came after the last one.
    """
    draw = world.random
    bundles = world.share(0.083, least=2)
    missed = [plan for plan in visits if plan[1]["status"] == "missed"]
    done = [plan for plan in visits if plan[1]["status"] != "missed"]
    plans = missed + draw.sample(done, min(len(done), max(0, bundles // 2 - len(missed))))
    plans += [
        (owner, None, 0, "")
        for owner in draw.choices(people, [draw.choice((1, 1, 2, 5)) for _ in people], k=max(0, bundles - len(plans)))
    ]
    draw.shuffle(plans)
    for number, (owner, visit, day, nickname) in enumerate(plans):
        plan, plan_since = owner["row"]["plan"], owner["row"]["plan_since"]
        closed = owner["row"]["status"] == "closed"
        outcome = draw.choices(
            ("owed", "paid", "part", "credited", "void"), (0, 80, 0, 0, 20) if closed else (46, 22, 10, 12, 10)
        )[0]
        outcome = {1: "paid", 2: "credited", 3: "void"}.get(number, outcome)
        if visit and visit["status"] == "missed":
            then = plan if plan_since <= world.day(day) else draw.choice(("basic", "plus", "premium"))
            reason, amount = f"Missed visit, {nickname}", MISSED_FEES[then]
            created_at = world.moment(day, f"17:{draw.randrange(45):02d}")
        elif visit:
            reason, amount = VISIT_FEES[visit["purpose"]]
            reason = f"{reason}, {nickname}"
            created_at = world.moment(day, f"17:{draw.randrange(45):02d}")
        else:
            first = max(owner["joined"], -300)
            if outcome in ("owed", "part") and owner["bookings"] and max(owner["bookings"]) < world.day(-2):
                fresh = [back for back in range(-25, 0) if world.day(back) > max(owner["bookings"])]
                first = max(first, fresh[0])
            day = _forward(world, draw.randrange(first, 0))
            own = f"{plan} plan service".capitalize()
            fitting = [
                fee
                for fee in FEES
                if not fee[0].endswith("plan service") or (fee[0] == own and plan_since <= world.day(day))
            ]
            reason, detail, amount = draw.choice(fitting)
            extra = {
                "place": draw.choice(draw.choice(INDOOR)[1]).lower(),
                "month": MONTHS[int(world.day(day)[5:7]) - 1],
            }.get(detail)
            reason = f"{reason}, {extra}" if extra else reason
            created_at = world.moment(day, _office_time(draw))
        if not visit and not closed and plan == "premium" and plan_since <= world.day(day) and draw.random() < 0.45:
            _charge(
                world, owner, "credit", draw.choice((500, 1000, 1500, 2000, 2500)), draw.choice(CREDITS), created_at
            )
            continue
        later = min(_forward(world, day + draw.randrange(1, 25)), 0)
        later_at = world.moment(later, f"08:{draw.randrange(59):02d}" if later == 0 else _office_time(draw))
        bookings = [moment for moment in owner["bookings"] if moment >= created_at]
        in_full = closed or len(bookings) > 0
        if bookings and later_at >= min(bookings):
            later_at = add_minutes(created_at, draw.randrange(4, 14))  # at once, on the phone
            outcome = "void" if later_at >= min(bookings) else outcome
        if in_full and outcome in ("owed", "part"):
            outcome = "paid"
        voided = draw.choice(VOIDS) if outcome == "void" else None
        fee = _charge(
            world,
            owner,
            "fee",
            amount,
            reason,
            created_at,
            visit_id=visit["visit_id"] if visit else None,
            void_reason=voided,
        )
        part = amount if in_full else draw.choice((amount, amount // 2, amount // 4))
        if outcome in ("paid", "part"):
            paid = amount if outcome == "paid" else amount // 2
            _charge(
                world,
                owner,
                "payment",
                paid,
                f"Payment by {draw.choices(('card', 'bank', 'check'), (70, 20, 10))[0]}",
                later_at,
            )
        if outcome == "credited":
            _charge(world, owner, "credit", part, draw.choice(CREDITS), later_at, credited_charge_id=fee["charge_id"])


def _charge(world, owner, kind, amount, reason, created_at, visit_id=None, credited_charge_id=None, void_reason=None):
    return world.insert(
        "charge",
        subscriber_id=owner["row"]["subscriber_id"],
        kind=kind,
        amount_cents=amount,
        reason=reason,
        visit_id=visit_id,
        credited_charge_id=credited_charge_id,
        status="void" if void_reason else "posted",
        void_reason=void_reason,
        created_at=created_at,
    )
