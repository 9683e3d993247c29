"""Fill an express carrier: customers, couriers with routes, and shipments with pickups, scans, claims, and charges."""

from runtime import WorldBuilder, add_minutes

INVARIANTS = {
    "No route carries more shipments than its courier can take.": """
        SELECT route_id FROM route
        WHERE (SELECT count(*) FROM shipment WHERE shipment.route_id = route.route_id)
            > (SELECT capacity_parcels FROM courier WHERE courier.courier_id = route.courier_id)
    """,
    "A shipment's route starts at its depot, and is planned, started, or finished as the shipment's state says.": """
        SELECT shipment.shipment_id FROM shipment JOIN route ON route.route_id = shipment.route_id
        WHERE shipment.depot <> route.depot
           OR (shipment.state = 'at_depot' AND route.state <> 'planned')
           OR (shipment.state = 'out_for_delivery' AND route.state <> 'started')
           OR (shipment.state = 'delivered' AND route.state = 'planned')
    """,
    "No planned route is of an earlier day than one that was driven.": """
        SELECT route_id FROM route
        WHERE state = 'planned'
          AND EXISTS (SELECT 1 FROM route AS other WHERE other.state <> 'planned' AND other.route_on > route.route_on)
    """,
    "What is out or was brought to the door went out on the day of its route.": """
        SELECT shipment.shipment_id FROM shipment JOIN route ON route.route_id = shipment.route_id
        WHERE shipment.state IN ('out_for_delivery', 'delivered')
          AND NOT EXISTS (
              SELECT 1 FROM scan
              WHERE scan.shipment_id = shipment.shipment_id AND scan.event = 'out_for_delivery'
                AND substr(scan.scanned_at, 1, 10) = route.route_on
          )
    """,
    "A pickup belongs to the sender of its shipments: scheduled while they are booked, completed after.": """
        SELECT shipment.shipment_id FROM shipment JOIN pickup ON pickup.pickup_id = shipment.pickup_id
        WHERE pickup.customer_id <> shipment.customer_id
           OR pickup.state <> CASE shipment.state WHEN 'booked' THEN 'scheduled' ELSE 'completed' END
    """,
    "A shipment has a shipping entry of its sender over its price, voided if it was canceled and only then.": """
        SELECT shipment_id FROM shipment
        WHERE NOT EXISTS (
            SELECT 1 FROM account_entry AS e
            WHERE e.shipment_id = shipment.shipment_id AND e.kind = 'shipping'
              AND e.customer_id = shipment.customer_id AND e.amount_cents = shipment.price_cents
              AND (e.voided_at IS NOT NULL) = (shipment.state = 'canceled')
        )
    """,
    "An entry that concerns a shipment is on the account of its sender.": """
        SELECT account_entry_id FROM account_entry JOIN shipment ON shipment.shipment_id = account_entry.shipment_id
        WHERE account_entry.customer_id <> shipment.customer_id
    """,
    "A claim fits what became of its shipment: lost, delivered, or delivered late.": """
        SELECT claim_id FROM claim JOIN shipment ON shipment.shipment_id = claim.shipment_id
        WHERE shipment.state <> CASE claim.kind WHEN 'lost' THEN 'lost' ELSE 'delivered' END
           OR (claim.kind = 'late' AND substr(shipment.delivered_at, 1, 10) <= shipment.promised_on)
    """,
    "Nobody ships before having an account, and a delivery is the last scan, not before the day it ships.": """
        SELECT shipment_id FROM shipment JOIN customer ON customer.customer_id = shipment.customer_id
        WHERE ship_on < joined_on OR substr(delivered_at, 1, 10) < ship_on
           OR delivered_at <> (SELECT max(scanned_at) FROM scan WHERE scan.shipment_id = shipment.shipment_id)
    """,
}
GIVEN = (
    "Marisol",
    "Derek",
    "Priya",
    "Kevin",
    "Aaliyah",
    "Tom",
    "Denise",
    "Miguel",
    "Hannah",
    "Curtis",
    "Yolanda",
    "Brian",
    "Mei",
    "Patrick",
    "Renee",
    "Andre",
    "Kelsey",
    "Victor",
    "Joanna",
    "Samir",
    "Tasha",
    "Greg",
    "Lucia",
    "Wesley",
    "Bethany",
    "Hector",
    "Naomi",
    "Craig",
    "Ingrid",
    "Terrence",
    "Paige",
    "Omar",
    "Colleen",
    "Javier",
    "Stacy",
    "Duane",
    "Elena",
    "Marcus",
    "Wendy",
    "Trevor",
    "Alma",
    "Russell",
    "Kiara",
    "Nathan",
    "Gloria",
    "Phil",
    "Sonia",
    "Dale",
    "Erin",
    "Luis",
)
FAMILY = (
    "Vega",
    "Olsen",
    "Raman",
    "Tran",
    "Brooks",
    "Kowalski",
    "Walker",
    "Ortega",
    "Pruitt",
    "Sorensen",
    "Greene",
    "Nguyen",
    "Hargrove",
    "Castillo",
    "Meyer",
    "Whitfield",
    "Park",
    "Delgado",
    "Stone",
    "Fitzgerald",
    "Baptiste",
    "Lindgren",
    "Romero",
    "Chavez",
    "Holloway",
    "Schmidt",
    "Okafor",
    "Barnes",
    "Patel",
    "Maddox",
    "Gallagher",
    "Trujillo",
    "Wong",
    "Ellison",
    "Hoffman",
    "Reyes",
    "Carver",
    "Jimenez",
    "Thornton",
    "Abrams",
    "Quintana",
    "Foster",
    "Larsen",
    "Boyd",
    "Espinoza",
    "Hughes",
    "Yates",
    "Bianchi",
    "Curry",
    "Novak",
)
STREETS = (
    "Larimer St",
    "Pearl St",
    "Elm St",
    "Colfax Ave",
    "Gaylord St",
    "Maple Ave",
    "Federal Blvd",
    "Downing St",
    "Oak St",
    "Sheridan Blvd",
    "Kipling St",
    "Wadsworth Blvd",
    "Alameda Ave",
    "Josephine St",
    "Clarkson St",
    "Broadway",
    "Iliff Ave",
    "Cherry Ln",
    "Aspen Way",
    "Juniper Ct",
    "Bluff Dr",
    "Mesa Dr",
    "Lowell Blvd",
    "Spruce St",
    "Yarrow St",
    "Quebec St",
)
PLACES = (  # city, depot, first and last ZIP code
    ("Denver", "airport", 80238, 80266),
    ("Denver", "north", 80211, 80221),
    ("Denver", "south", 80222, 80237),
    ("Aurora", "airport", 80010, 80019),
    ("Commerce City", "airport", 80022, 80022),
    ("Englewood", "south", 80110, 80113),
    ("Littleton", "south", 80120, 80130),
    ("Centennial", "south", 80111, 80112),
    ("Lakewood", "south", 80225, 80228),
    ("Golden", "south", 80401, 80403),
    ("Westminster", "north", 80030, 80031),
    ("Broomfield", "north", 80020, 80023),
    ("Boulder", "north", 80301, 80310),
    ("Arvada", "north", 80001, 80007),
    ("Longmont", "north", 80501, 80504),
)
AREAS = (  # area code, first and last ZIP code
    ("303", 80201, 80239),
    ("720", 80110, 80130),
    ("983", 80240, 80266),
    ("719", 80901, 80951),
    ("970", 80521, 80553),
    ("307", 82001, 82010),
)
GOODS = (  # what is in the parcel, grams from and to, dollars from and to
    ("hardcover books", 900, 4500, 25, 120),
    ("wedding ring", 100, 250, 900, 6500),
    ("laptop", 1800, 3200, 450, 2400),
    ("ceramic vase", 1200, 3800, 40, 260),
    ("hiking boots", 1100, 1900, 80, 240),
    ("wine glasses", 1500, 3000, 35, 160),
    ("signed contract", 50, 200, 0, 1),
    ("car headlight", 1800, 4200, 90, 480),
    ("winter coat", 1200, 2600, 70, 420),
    ("guitar", 3500, 6500, 250, 2800),
    ("tax documents", 100, 700, 0, 1),
    ("phone", 300, 600, 150, 1200),
    ("bicycle wheel", 1500, 2800, 90, 700),
    ("coffee beans", 500, 5200, 15, 110),
    ("framed print", 1400, 5200, 60, 650),
    ("contact lenses", 50, 250, 30, 180),
    ("birthday cake", 1500, 3200, 45, 130),
    ("camera lens", 500, 1900, 200, 2300),
    ("ski bindings", 1900, 3600, 140, 460),
    ("passport", 50, 150, 0, 1),
    ("power drill", 1600, 3900, 60, 320),
    ("baby stroller", 7500, 12500, 120, 900),
    ("soap samples", 300, 1600, 10, 60),
    ("dress shirts", 500, 1800, 40, 260),
    ("espresso machine", 6500, 14500, 180, 1500),
    ("dental molds", 200, 900, 30, 220),
    ("trading cards", 100, 900, 20, 1900),
    ("table lamp", 2200, 5200, 45, 280),
    ("office printer", 8500, 17500, 110, 620),
    ("water pump", 3200, 9800, 95, 540),
    ("dog food", 5000, 13600, 25, 90),
    ("hearing aids", 100, 350, 800, 4200),
    ("circuit boards", 400, 2600, 120, 2600),
    ("quilt", 1500, 3600, 90, 480),
    ("snowboard", 3800, 6200, 180, 720),
    ("blueprints", 200, 1500, 0, 1),
    ("candles", 800, 4200, 20, 140),
    ("wristwatch", 150, 500, 120, 3800),
    ("desk chair parts", 4500, 12500, 60, 340),
    ("game console", 3000, 5200, 250, 600),
    ("floor tiles", 14000, 29500, 60, 310),
    ("vinyl records", 700, 5400, 30, 400),
)
BASE = {"same_day": 2500, "overnight": 1800, "two_day": 1200, "ground": 800}
DAYS = {"same_day": 0, "overnight": 1, "two_day": 2, "ground": 5}
SERVICES = ("same_day", "overnight", "two_day", "ground")
STATES = (
    "delivered",
    "booked",
    "at_depot",
    "out_for_delivery",
    "held",
    "collected",
    "canceled",
    "returned",
    "lost",
)
FAILS = {
    "at_depot": (5, 2, 2, 1),
    "out_for_delivery": (7, 2, 1, 0),
    "held": (0, 6, 3, 1),  # nothing is held before an attempt has failed
    "counter": (0, 6, 3, 1),  # delivered from a hold
    "delivered": (8, 2, 1, 0),
    "returned": (1, 1, 2, 4),
    "lost": (1, 0, 0, 0),
}
HOURS = {  # minutes of an ordinary day between which an event happens
    "booked": (430, 650),
    "collected": (660, 830),
    "at_depot": (840, 980),
    "out_for_delivery": (480, 570),
    "held": (990, 1110),
    "failed_attempt": (600, 1170),
    "delivered": (600, 1170),
    "returned": (1020, 1170),
    "lost": (1020, 1170),
    "canceled": (1020, 1170),
}
TODAY = {  # the same for this morning, before the clock
    "booked": (422, 445),
    "collected": (450, 475),
    "at_depot": (480, 505),
    "out_for_delivery": (510, 530),
    "held": (510, 530),
    "failed_attempt": (532, 564),
    "delivered": (532, 564),
    "returned": (532, 564),
    "lost": (532, 564),
    "canceled": (532, 564),
}
SIGNERS = (
    "Front desk",
    "Receptionist",
    "Mailroom",
    "Roommate",
    "Neighbor in 2B",
    "Spouse",
    "Building manager",
    "Shop clerk",
)
RETURNS = {  # why it went back, by what the last attempt came to
    None: (
        "sender asked for it back",
        "box leaking, not safe to deliver",
        "duplicate order",
        "sender put the wrong label on it",
    ),
    "nobody_home": (
        "nobody home, recipient does not call back",
        "recipient out of the country until spring",
        "sender asked for it back",
    ),
    "address_not_found": (
        "recipient moved, no forwarding address",
        "address does not exist",
        "business closed for good",
        "wrong apartment, tenant unknown",
    ),
    "refused": ("refused at the door", "recipient did not order it", "duplicate order"),
    "no_access": ("gate code never provided", "building closed for repairs", "sender asked for it back"),
}
UNCLAIMED = ("not picked up in time", "hold ran out, nobody came")
LOST = (
    "Tracking stopped and the {} never showed up.",
    "My customer is still waiting for the {}.",
    "Nobody can find the {}.",
    "The {} was picked up and then vanished.",
    "You told me yourselves that the {} is lost.",
    "I had to send another {}.",
    "The {} never left the warehouse, as far as I can see.",
    "It was a gift, the {}, and it is gone.",
    "We refunded our buyer for the {}.",
    "Depot searched twice, no sign of the {}.",
)
DAMAGED = (
    "The {} came with a crushed corner.",
    "The box was wet and the {} ruined.",
    "The {} arrived cracked.",
    "Something heavy sat on the {}.",
    "Packaging torn open, {} scratched.",
    "The {} is bent and unusable.",
    "Half of the {} was missing when the box was opened.",
    "The {} rattles and does not work anymore.",
    "Big dent in the box, {} broken inside.",
    "The {} was soaked from the rain on the porch.",
)
LATE = (
    "We needed the {} on the promised day and it came too late.",
    "Paid for speed, got the {} days later.",
    "The {} came after the day that we had planned for it.",
    "The {} came after the client had left town.",
    "Late, so our buyer canceled the {}.",
    "The {} sat at the depot past the promised day.",
    "The {} was promised sooner; I want the shipping back.",
    "I had to drive over with a spare because the {} was late.",
    "The {} came late and nobody called us.",
    "Deadline missed because of the {}.",
)
DENIALS = {
    "lost": (
        "no receipt for the contents",
        "contents excluded in the terms",
        "no invoice for the contents",
        "parcel was not packed as agreed",
    ),
    "damaged": (
        "no photos of the damage sent",
        "packed too loosely by the sender",
        "box intact on delivery photo",
        "receipt missing",
    ),
    "late": (
        "delay caused by a wrong address",
        "road closed by snow",
        "recipient asked for the later day",
        "nobody home on time",
    ),
}
EXTRAS = (
    ("fee", "Returned check", 2500),
    ("fee", "Paper invoices", 300),
    ("fee", "After-hours pickup", 1500),
    ("fee", "Box of labels", 1299),
    ("credit", "Referral credit", 1000),
    ("credit", "Goodwill after a billing mix-up", 500),
    ("credit", "Volume discount", 2000),
)


def populate(world: WorldBuilder) -> None:
    """A customer has two shipments on average; each brings four scans and a charge or two."""
    office = {
        "customers": _add_customers(world),
        "couriers": [],
        "routes": {},
        "pickups": {},
        "known": {},
        "ledger": [],
    }
    _add_dispatch(world, office)
    for number in range(world.share(0.122, least=3)):
        _add_shipment(world, office, number)
    for _ in range(world.share(0.008, least=2)):
        customer = _owner(world.random, office, -9)
        day = world.random.randrange(-8, 5)
        state = world.random.choices(("canceled", "scheduled"), (4, 1))[0]
        _add_pickup(world, customer, day, world.random.choice(("morning", "afternoon", "evening")), state, None, None)
        if state == "canceled" and day <= 0 and world.random.random() < 0.5:
            created = _office_moment(world.random, world, day)
            label = f"Late cancellation of the pickup on {world.day(day)}"
            _enter(office, customer["customer_id"], None, "fee", 750, label, created, None)
    _add_extras(world, office)
    _add_payments(world, office)
    world.random.shuffle(office["ledger"])
    for entry in office["ledger"]:
        world.insert("account_entry", **entry)


def _name(draw):
    return f"{draw.choice(GIVEN)} {draw.choice(FAMILY)}"


def _add_customers(world):
    draw, people, zips = world.random, [], {}
    for number in range(min(world.share(0.06, least=4), 600)):
        name = draw.choice(people)["full_name"] if number % 4 == 3 else _name(draw)
        area, first, last = AREAS[number % len(AREAS)]
        zip_code = draw.choice([str(code) for code in range(first, last + 1) if str(code) not in zips.get(name, [])])
        zips[name] = zips.get(name, []) + [zip_code]
        new = number > 2 and draw.random() < 0.15
        joined = -draw.randrange(12, 40) if new else -draw.randrange(75, 1600)
        row = world.insert(
            "customer",
            full_name=name,
            email=f"{name.replace(' ', '.').lower()}{number}@example.{draw.choice(('com', 'com', 'org', 'net'))}",
            phone=f"{area}-555-01{number // len(AREAS) % 100:02d}",
            zip_code=zip_code,
            tier=draw.choices(("standard", "plus", "business"), (6, 3, 2))[0],
            status=draw.choices(("active", "suspended"), (8, 1))[0],
            joined_on=world.day(joined),
        )
        people.append({**row, "new": new, "weight": draw.choice((0, 1, 1, 2, 3, 6))})
    return people


def _owner(draw, office, day):
    """Someone who had an account on the day; newcomers joined at least 12 days ago."""
    pool = [person for person in office["customers"] if day >= -11 or not person["new"]]
    weights = [person["weight"] + 0.05 for person in pool]
    return draw.choices(pool, weights)[0]


def _add_dispatch(world, office):
    draw, slots = world.random, []
    for number in range(world.share(0.01, least=3)):
        name = f"{GIVEN[(number * 3 + 5) % len(GIVEN)]} {FAMILY[(number * 7 + number // len(GIVEN)) % len(FAMILY)]}"
        depot = ("north", "south", "airport")[number % 3]
        capacity = draw.choice((3, 4, 6, 12, 18, 25, 40, 60))
        courier = world.insert("courier", full_name=name, depot=depot, capacity_parcels=capacity)
        office["couriers"].append(courier)
        days = [-day for day in draw.sample(range(1, 22), 3)]
        if draw.random() < 0.85:
            days.append(0)
        if draw.random() < 0.6:
            days.append(draw.choice((1, 1, 2)))
        slots.extend([(courier, day) for day in days])
    draw.shuffle(slots)
    for courier, day in slots:
        state = "finished" if day < 0 else "planned"
        if day == 0:
            state = draw.choices(("started", "planned"), (3, 2))[0]
        row = world.insert(
            "route", courier_id=courier["courier_id"], depot=courier["depot"], route_on=world.day(day), state=state
        )
        route = {"route_id": row["route_id"], "day": day, "free": courier["capacity_parcels"]}
        office["routes"].setdefault((courier["depot"], state), []).append(route)


def _take_route(draw, office, depot, states):
    """A route with room, or None after four tries."""
    pool = []
    for state in states:
        pool = pool + office["routes"].get((depot, state), [])
    for _ in range(4 if pool else 0):
        route = draw.choice(pool)
        if route["free"] > 0:
            route["free"] -= 1
            return route
    return None


def _add_pickup(world, customer, day, window, state, courier_id, moment):
    return world.insert(
        "pickup",
        customer_id=customer["customer_id"],
        pickup_on=world.day(day),
        window=window,
        state=state,
        courier_id=courier_id,
        completed_at=moment,
        reschedule_count=world.random.choices((0, 1), (5, 4))[0],  # a pickup is moved only once
    )


def _minute(draw, day, event, same_day):
    first, last = TODAY[event] if day == 0 else HOURS[event]
    if day < 0 and same_day == "at_depot" and event == "out_for_delivery":
        first, last = 990, 1020
    if day < 0 and same_day == "late" and event in ("delivered", "failed_attempt"):
        first, last = 1025, 1170
    if day < 0 and same_day == "held" and event in ("delivered", "returned"):
        first, last = 1115, 1190
    return draw.randrange(first, last)


def _stamp(world, minute, day):
    return world.moment(day, f"{minute // 60:02d}:{minute % 60:02d}")


def _days(draw, state, service, final, fails, fetched, hold):
    """The day it is handed over, and its events as (day, event); a `hold` begins after the last failed attempt."""
    if state == "booked":
        hand = draw.choices((-2, -1, 0, 1, 2, 3, 5), (1, 1, 4, 4, 3, 2, 2))[0]
        return hand, [(min(hand, 0) - draw.randrange(0, 4), "booked")]
    if state == "canceled":
        hand = draw.randrange(-30, 5)
        booked = min(hand, 0) - draw.randrange(1, 4)
        return hand, [(booked, "booked"), (draw.randrange(booked, min(hand, 0) + 1), "canceled")]
    if state == "collected":
        hand = -draw.choice((0, 0, 1, 1, 2, 4, 7))
        return hand, [(hand - draw.randrange(0, 3), "booked"), (hand, "collected")]
    gap = draw.choice((1, 1, 1, 2, 3))
    if hold and state == "returned":
        gap = draw.choice((3, 4, 5, 7))
    elif hold and state == "at_depot":
        gap = draw.choice((2, 3))
    elif hold and state == "held":
        gap = 1
    elif state == "at_depot":
        gap = 0
    elif not hold and service == "same_day" and fails == 0 and state in ("delivered", "out_for_delivery"):
        gap = 0
    received = final - fails - gap
    hand = received - (0 if service == "same_day" else draw.choice((0, 0, 1)))
    events = [(hand - draw.randrange(0, 3), "booked")]
    if fetched:
        events.append((hand, "collected"))
    if state == "lost" and fetched and draw.random() < 0.5:
        return hand, [*events, (final, "lost")]
    events.append((received, "at_depot"))
    for number in range(1, fails + 1):
        events.extend([(received + number, "out_for_delivery"), (received + number, "failed_attempt")])
    if hold:
        events.append((received + fails + 1, "held"))
    if hold and state == "at_depot":
        events.append((final, "at_depot"))
    if state == "out_for_delivery" or (state == "delivered" and not hold):
        events.append((final, "out_for_delivery"))
    if state in ("delivered", "returned", "lost"):
        events.append((final, state))
    return hand, events


def _parcel(draw, state):
    """What is sent and what that costs; nothing worth more than $200 goes back."""
    most = 201 if state == "returned" else 10000
    goods, light, heavy, cheap, dear = draw.choice([each for each in GOODS if each[3] < most])
    dear = min(dear, most)
    value = 0 if draw.random() < 0.15 else 100 * draw.randrange(cheap, dear)
    service = draw.choices(SERVICES, (2, 4, 4, 5))[0]
    grams = draw.randrange(light, heavy, 50)
    signature = int(draw.random() < (0.6 if value > 40000 else 0.12))
    price = BASE[service] + 150 * ((grams - 1) // 1000) + 100 * max(0, (value - 1) // 10000) + 300 * signature
    return goods, {
        "service": service,
        "weight_grams": grams,
        "declared_value_cents": value,
        "signature_required": signature,
        "price_cents": price,
    }


def _recipient(draw, office, customer_id):
    known = office["known"].setdefault(customer_id, [])
    if known and draw.random() < 0.4:
        return draw.choice(known)
    city, depot, first, last = draw.choice(PLACES)
    street = f"{draw.randrange(100, 9900)} {draw.choice(STREETS)}"
    if draw.random() < 0.25:
        street = f"{street}, Apt {draw.randrange(1, 30)}{draw.choice('ABC')}"
    person = (
        {
            "recipient_name": _name(draw),
            "street": street,
            "city": city,
            "zip_code": str(draw.randrange(first, last + 1)),
        },
        depot,
    )
    known.append(person)
    return person


def _add_shipment(world, office, number):
    draw = world.random
    state = draw.choices(STATES, (38, 15, 14, 10, 8, 7, 5, 5, 5))[0]
    state = "lost" if number == 1 else state
    goods, parcel = _parcel(draw, state)
    customer = _owner(draw, office, -9 if state in ("booked", "collected") else -60)
    address, depot = _recipient(draw, office, customer["customer_id"])
    route = None
    if state == "out_for_delivery":
        route = _take_route(draw, office, depot, ("started",))
        state = state if route else "at_depot"
    elif state == "delivered" and draw.random() < 0.85:
        route = _take_route(draw, office, depot, ("finished", "started"))
    counter = state == "delivered" and route is None  # handed out at the depot
    if state == "at_depot" and draw.random() < 0.35:
        route = _take_route(draw, office, depot, ("planned",))
    final = -draw.randrange(0, 25) if state in ("delivered", "returned", "lost") else -draw.choice((0, 0, 1, 1, 2, 4))
    if state in ("delivered", "out_for_delivery"):
        final = route["day"] if route else final
    fails = draw.choices((0, 1, 2, 3), FAILS.get("counter" if counter else state, (1, 0, 0, 0)))[0]
    hold = counter or state == "held" or (fails > 0 and state in ("at_depot", "returned") and draw.random() < 0.25)
    fetched = state == "collected" or (state not in ("booked", "canceled") and draw.random() < 0.4)
    hand, events = _days(draw, state, parcel["service"], final, fails, fetched, hold)
    pickup, kind = None, "completed" if fetched else "scheduled"
    shared = office["pickups"].get((customer["customer_id"], kind)) if state in ("booked", "collected") else None
    if shared and draw.random() < 0.85:
        pickup, hand, collected = shared
        events = [(min(events[0][0], hand), "booked"), *[(hand, event) for _, event in events[1:]]]
    stamps, before = [], (None, None)
    for day, event in events:
        same_day = before[1] if before[0] == day else None
        minute = _minute(draw, day, event, same_day)
        late = same_day == "at_depot" and event == "out_for_delivery"
        before = (day, "late" if late else event)
        stamps.append((_stamp(world, minute, day), event))
        if event == "collected" and pickup:
            stamps[-1] = (collected, event)
        elif event == "collected":
            collected = stamps[-1][0]
            window = "morning" if minute < 720 else "afternoon"
            courier = draw.choice(office["couriers"])["courier_id"]
            pickup = _add_pickup(world, customer, hand, window, "completed", courier, collected)
    if state == "booked" and not pickup and draw.random() < 0.6:
        collected = None
        pickup = _add_pickup(
            world, customer, hand, draw.choice(("morning", "afternoon", "evening")), "scheduled", None, None
        )
    if pickup and state in ("booked", "collected"):
        office["pickups"][(customer["customer_id"], kind)] = (pickup, hand, collected)
    days, is_express = DAYS[parcel["service"]], parcel["service"] in ("same_day", "overnight")
    can_move = days > 0 and hand + days - events[0][0] >= 2  # two days' notice, when it was booked at the latest
    is_done = state in ("delivered", "returned", "lost")
    if is_done and final <= hand + days:  # what was put off did not come on the old day
        can_move = False
    moved = draw.choices((0, 1, 2, 3), (12, 3, 2, 1))[0] if can_move else 0
    promised = hand + days + moved * draw.choice((1, 1, 2))
    if moved and is_done:
        promised = min(promised, final)
    received_by = None
    if state == "delivered" and (parcel["signature_required"] or draw.random() < 0.6):
        received_by = address["recipient_name"] if draw.random() < 0.7 else draw.choice(SIGNERS)
    at_depot = [event for _, event in events if event == "at_depot"]
    shipment = world.insert(
        "shipment",
        tracking_number=f"EXP-{4100000 + number * 7919 % 100003}",
        customer_id=customer["customer_id"],
        **address,
        **parcel,
        state=state,
        ship_on=world.day(hand),
        promised_on=world.day(promised),
        depot=depot if at_depot else None,
        pickup_id=pickup["pickup_id"] if pickup else None,
        route_id=route["route_id"] if route else None,
        hold_until=world.day(final + draw.randrange(1, 9)) if state == "held" else None,
        failed_attempts=fails if at_depot else 0,
        reschedule_count=moved,
        address_changes=0 if is_express else draw.choices((0, 1, 2, 3), (10, 4, 2, 1))[0],
        delivered_at=stamps[-1][0] if state == "delivered" else None,
        received_by=received_by,
    )
    _add_scans(world, shipment, stamps)
    _charge(world, office, shipment, stamps)
    if state in ("delivered", "lost"):
        _maybe_claim(world, office, shipment, goods, final, promised, number)


def _add_scans(world, shipment, stamps):
    draw, here, why, was_held = world.random, None, None, False
    for moment, event in stamps:
        was_held = was_held or event == "held"
        note = None
        if event == "failed_attempt":
            note = why = draw.choice(("nobody_home", "nobody_home", "address_not_found", "refused", "no_access"))
        elif event == "returned":
            note = draw.choice(UNCLAIMED if was_held else RETURNS[why])
        elif event == "delivered":
            note = shipment["received_by"]
        here = shipment["depot"] if event == "at_depot" else here
        world.insert("scan", shipment_id=shipment["shipment_id"], event=event, depot=here, note=note, scanned_at=moment)


def _enter(office, customer_id, shipment_id, kind, amount, description, created, voided):
    office["ledger"].append(
        {
            "customer_id": customer_id,
            "shipment_id": shipment_id,
            "kind": kind,
            "amount_cents": amount,
            "description": description,
            "created_at": created,
            "voided_at": voided,
        }
    )


def _charge(world, office, shipment, stamps):
    draw, customer_id, shipment_id = world.random, shipment["customer_id"], shipment["shipment_id"]
    last, state = stamps[-1][0], shipment["state"]
    voided = last if state == "canceled" else None
    label = f"Shipment {shipment['tracking_number']}"
    _enter(office, customer_id, shipment_id, "shipping", shipment["price_cents"], label, stamps[0][0], voided)
    if state == "at_depot" and "held" in [event for _, event in stamps]:
        created = add_minutes(last, draw.randrange(1, 4))
        _enter(office, customer_id, shipment_id, "fee", 400, "Hold ended for another delivery", created, None)
        return
    fee = None
    if state == "canceled":
        fee = ("Late cancellation", 400)
    elif shipment["failed_attempts"] > 1:
        fee = ("Redelivery after failed attempts", 600)
    elif shipment["address_changes"] > 0:
        fee = ("Address correction", 900)
    if fee and draw.random() < 0.6:
        is_early = fee[0] == "Address correction"  # soon after the booking, before it went out
        created = add_minutes(*((stamps[0][0], draw.randrange(5, 12)) if is_early else (last, draw.randrange(1, 4))))
        voided = add_minutes(created, 1) if draw.random() < 0.2 else None
        _enter(office, customer_id, shipment_id, "fee", fee[1], fee[0], created, voided)


def _office_moment(draw, world, day):
    return _stamp(world, draw.randrange(565, 569) if day == 0 else draw.randrange(480, 1150), day)


def _maybe_claim(world, office, shipment, goods, final, promised, number):
    """Claims come within 10 days after the promised day."""
    draw, last = world.random, promised + 10
    kind, texts, chance = "damaged", DAMAGED, 0.18
    if shipment["state"] == "lost":
        kind, texts, chance = "lost", LOST, 0.7
    elif final > promised and draw.random() < 0.7:
        kind, texts, chance = "late", LATE, 0.5
    if number != 1 and draw.random() > chance:
        return
    amount = shipment["price_cents"]
    if kind != "late" and shipment["declared_value_cents"] > 0:
        amount = max(100, shipment["declared_value_cents"] * draw.choice((2, 5, 10, 10)) // 10)
    day = min(0, last, final + draw.randrange(1, 7))
    state = draw.choices(("filed", "approved", "denied"), (5, 3, 3))[0] if day < 0 else "filed"
    decided = None if state == "filed" else min(0, day + draw.randrange(1, 6))
    moment = None if state == "filed" else _office_moment(draw, world, decided)
    granted = max(1, amount * draw.choice((3, 5, 10, 10)) // 10) if state == "approved" else None
    values = {"shipment_id": shipment["shipment_id"], "kind": kind, "amount_cents": amount}
    world.insert(
        "claim",
        **values,
        description=draw.choice(texts).format(goods),
        state=state,
        approved_cents=granted,
        denial_reason=draw.choice(DENIALS[kind]) if state == "denied" else None,
        created_at=_office_moment(draw, world, day),
        decided_at=moment,
    )
    if state == "approved":
        label = f"Claim {shipment['tracking_number']}"
        _enter(office, shipment["customer_id"], shipment["shipment_id"], "credit", granted, label, moment, None)
    if state == "denied" and decided < min(0, last) and draw.random() < 0.4:
        again = _office_moment(draw, world, decided + 1)
        world.insert("claim", **values, description=draw.choice(texts).format(goods), state="filed", created_at=again)


def _add_extras(world, office):
    draw = world.random
    for customer in office["customers"]:
        if draw.random() < 0.25:
            kind, description, amount = draw.choice(EXTRAS)
            created = _office_moment(draw, world, -draw.randrange(1, 11))
            voided = add_minutes(created, 5) if draw.random() < 0.15 else None
            _enter(office, customer["customer_id"], None, kind, amount, description, created, voided)


def _add_payments(world, office):
    """Most customers paid once, all that they owed then or half of it."""
    draw, accounts = world.random, {}
    for entry in office["ledger"]:
        accounts.setdefault(entry["customer_id"], []).append(entry)
    for customer_id, entries in accounts.items():
        moment = _office_moment(draw, world, -draw.choice((0, 1, 2, 4, 7, 12)))
        owed = 0
        for entry in entries:
            if entry["created_at"] < moment and entry["voided_at"] is None:
                owed += -entry["amount_cents"] if entry["kind"] == "credit" else entry["amount_cents"]
        amount = owed if draw.random() < 0.6 else owed // 2
        if amount > 0 and draw.random() < 0.75:
            method = draw.choice(("card", "card", "check", "bank transfer"))
            _enter(office, customer_id, None, "payment", amount, f"Payment by {method}", moment, None)
