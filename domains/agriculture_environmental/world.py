"""Fill a conservation district: landowners, fields, contracts, machine rentals, seedlings, and soil tests."""

from runtime import WorldBuilder, weekday

INVARIANTS = {
    "Two open rentals of one machine never share a day.": """
        SELECT a.rental_id FROM rental a JOIN rental b ON b.equipment_id = a.equipment_id AND b.rental_id > a.rental_id
        WHERE a.status IN ('reserved', 'out') AND b.status IN ('reserved', 'out')
        AND a.pickup_on <= b.return_on AND b.pickup_on <= a.return_on
    """,
    "A machine is out exactly when one of its rentals is out.": """
        SELECT e.equipment_id FROM equipment e
        WHERE (e.status = 'out') <> EXISTS (
            SELECT 1 FROM rental r WHERE r.equipment_id = e.equipment_id AND r.status = 'out'
        )
    """,
    "A returned rental costs its acres at the machine's rate, but no less than the minimum.": """
        SELECT r.rental_id FROM rental r JOIN equipment e ON e.equipment_id = r.equipment_id
        WHERE r.status = 'returned' AND r.fee_cents <> max(e.minimum_cents, r.acres * e.rate_cents)
    """,
    "A contract's share is our percent of the usual cost of its units.": """
        SELECT c.contract_id FROM contract c JOIN practice p ON p.practice_id = c.practice_id
        WHERE abs(c.share_cents * 100 - c.units * p.cost_cents * p.share_percent) > 50
    """,
    "A completed contract paid our percent of what was spent, at most its share.": """
        SELECT c.contract_id FROM contract c JOIN practice p ON p.practice_id = c.practice_id
        WHERE c.status = 'completed'
        AND abs(c.paid_cents * 100 - min(c.share_cents * 100, c.spent_cents * p.share_percent)) > 50
    """,
    "An open contract is on its landowner's own field, of a use the practice allows, with acres enough.": """
        SELECT c.contract_id FROM contract c JOIN field f ON f.field_id = c.field_id
        JOIN practice p ON p.practice_id = c.practice_id
        WHERE c.status IN ('applied', 'approved') AND (f.landowner_id <> c.landowner_id
        OR coalesce(p.land_use, f.land_use) <> f.land_use OR (p.unit = 'acre' AND c.units > f.acres))
    """,
    "A seedling order costs its bundles at the price of a bundle.": """
        SELECT o.seedling_order_id FROM seedling_order o JOIN seedling s ON s.seedling_id = o.seedling_id
        WHERE o.price_cents <> o.bundles * s.price_cents
    """,
    "A standard soil test costs 1400 cents and a complete one 3200.": """
        SELECT soil_test_id FROM soil_test WHERE price_cents <> CASE kind WHEN 'standard' THEN 1400 ELSE 3200 END
    """,
}

GIVEN = (
    "Denise",
    "Miguel",
    "Priya",
    "Kevin",
    "Aaliyah",
    "Tom",
    "Carol",
    "Wayne",
    "Linda",
    "Dale",
    "Brenda",
    "Curtis",
    "Rosa",
    "Marcus",
    "Heather",
    "Glenn",
    "Yolanda",
    "Scott",
    "Megan",
    "Raymond",
    "Tina",
    "Jerome",
    "Nancy",
    "Darrell",
    "Sofia",
    "Keith",
    "Janet",
    "Luis",
    "Becky",
    "Roger",
    "Allison",
    "Vernon",
    "Grace",
    "Troy",
    "Monica",
    "Earl",
    "Katie",
    "Andre",
    "Peggy",
    "Nathan",
    "Erin",
    "Duane",
    "Hannah",
    "Russell",
)
FAMILY = (
    "Walker",
    "Ortega",
    "Raman",
    "Tran",
    "Brooks",
    "Kowalski",
    "Yoder",
    "Miller",
    "Stoltzfus",
    "Hershberger",
    "Schmidt",
    "Beachy",
    "Carpenter",
    "Dawson",
    "Ellis",
    "Foster",
    "Garver",
    "Hollis",
    "Ingram",
    "Jenkins",
    "Keller",
    "Lowry",
    "Maddox",
    "Nichols",
    "Overholt",
    "Pruitt",
    "Quinn",
    "Reynolds",
    "Shaffer",
    "Troyer",
    "Upton",
    "Vasquez",
    "Weaver",
    "Yates",
    "Zimmerman",
    "Burkholder",
    "Castillo",
    "Duncan",
    "Everhart",
    "Freeman",
    "Gingerich",
    "Hutchins",
    "Landis",
    "McCoy",
    "Osborne",
    "Pierce",
    "Rutledge",
    "Sanders",
    "Thornton",
    "Whitaker",
)
STREETS = (
    "Maple Ave",
    "Oak St",
    "Cedar Ln",
    "5th St",
    "Township Rd 12",
    "County Rd 40",
    "Old Mill Rd",
    "Spring Valley Rd",
    "Ridge Rd",
    "Walnut St",
    "Harmony Church Rd",
    "Lincoln Ave",
    "Stone Quarry Rd",
    "Creek Rd",
    "Main St",
    "Elm St",
    "Plank Rd",
    "Fairground Rd",
    "Covered Bridge Rd",
    "Sugar Run Rd",
    "Pleasant Hill Rd",
    "State Route 38",
)
# city, state, ZIP codes, area codes, how many of our landowners get their mail there
PLACES = (
    ("London", "OH", ("43140",), (740, 220), 12),
    ("Mount Sterling", "OH", ("43143",), (740, 220), 6),
    ("West Jefferson", "OH", ("43162",), (614, 380), 6),
    ("Plain City", "OH", ("43064",), (614, 380), 7),
    ("Washington Court House", "OH", ("43160",), (740, 220), 5),
    ("Circleville", "OH", ("43113",), (740, 220), 4),
    ("Marysville", "OH", ("43040", "43041"), (937, 326), 4),
    ("Columbus", "OH", ("43206", "43215", "43229", "43231"), (614, 380), 5),
    ("Springfield", "OH", ("45502", "45503", "45504", "45505"), (937, 326), 5),
    ("Xenia", "OH", ("45385",), (937, 326), 3),
    ("Lima", "OH", ("45801", "45804", "45805"), (419, 567), 2),
    ("Wooster", "OH", ("44691",), (330, 234), 2),
    ("Elyria", "OH", ("44035", "44036"), (440, 436), 1),
    ("Hamilton", "OH", ("45011", "45013", "45015"), (513, 283), 1),
    ("Cleveland", "OH", ("44113", "44109", "44111"), (216,), 1),
    ("Wheeling", "WV", ("26003",), (304, 681), 1),
    ("Richmond", "IN", ("47374",), (765,), 1),
    ("Pittsburgh", "PA", ("15212", "15206", "15237"), (412, 878), 1),
    ("Lexington", "KY", ("40502", "40509", "40511"), (859,), 1),
)
TRACTORS = {
    "farm": (55, 75, 85, 95, 105, 115, 125, 140, 160, 180, 210),
    "beginning_farm": (0, 35, 45, 50, 55, 65, 75, 85, 100, 115),
    "household": (0, 0, 0, 22, 25, 33, 40, 47),
}
# what owners call a field, its use, acres, how likely it touches a stream
FIELDS = (
    ("Creek bottom", "crops", 22, 70, 0.9),
    ("North forty", "crops", 38, 42, 0.1),
    ("South eighty", "crops", 76, 84, 0.2),
    ("Home place", "crops", 30, 90, 0.3),
    ("Airport field", "crops", 45, 110, 0.0),
    ("Railroad field", "crops", 28, 75, 0.2),
    ("Schoolhouse field", "crops", 24, 60, 0.1),
    ("Long field", "crops", 35, 95, 0.2),
    ("Triangle field", "crops", 8, 20, 0.2),
    ("River field", "crops", 40, 130, 1.0),
    ("Grain bin field", "crops", 25, 65, 0.0),
    ("Church corner", "crops", 15, 40, 0.1),
    ("Township line field", "crops", 50, 120, 0.1),
    ("Ditch field", "crops", 20, 55, 0.8),
    ("West quarter", "crops", 90, 150, 0.3),
    ("Back forty", "hay", 34, 42, 0.2),
    ("Ridge hay field", "hay", 10, 26, 0.0),
    ("Road hay field", "hay", 8, 22, 0.1),
    ("Orchard field", "hay", 6, 14, 0.0),
    ("Alfalfa field", "hay", 12, 38, 0.0),
    ("Hilltop", "hay", 9, 30, 0.0),
    ("Pond field", "hay", 7, 24, 0.4),
    ("Cemetery field", "hay", 5, 16, 0.0),
    ("Low meadow", "hay", 8, 28, 0.8),
    ("Back pasture", "pasture", 12, 34, 0.4),
    ("Barn lot", "pasture", 3, 8, 0.2),
    ("Horse pasture", "pasture", 5, 14, 0.2),
    ("Creek pasture", "pasture", 10, 40, 1.0),
    ("Sheep pasture", "pasture", 6, 18, 0.2),
    ("Heifer pasture", "pasture", 8, 22, 0.3),
    ("Spring hollow", "pasture", 9, 26, 0.8),
    ("Bull lot", "pasture", 2, 6, 0.0),
    ("Lane pasture", "pasture", 5, 15, 0.2),
    ("Sugar bush", "woods", 8, 40, 0.2),
    ("Back woods", "woods", 10, 60, 0.4),
    ("Fence row woods", "woods", 2, 9, 0.1),
    ("Hickory grove", "woods", 4, 22, 0.2),
    ("Ravine", "woods", 6, 30, 1.0),
    ("Pine lot", "woods", 3, 15, 0.0),
    ("Walnut stand", "woods", 3, 18, 0.3),
    ("Swamp woods", "woods", 5, 25, 0.7),
    ("Cabin woods", "woods", 4, 28, 0.2),
)
# fields named after a family that once had them
OLD_FIELDS = (
    ("{} place", "crops", 25, 100, 0.2),
    ("{} eighty", "crops", 74, 86, 0.2),
    ("Old {} farm", "crops", 40, 140, 0.3),
    ("{} bottom", "crops", 18, 60, 0.9),
    ("{} hay ground", "hay", 10, 36, 0.1),
    ("{} meadow", "hay", 6, 24, 0.4),
    ("{} pasture", "pasture", 8, 32, 0.3),
    ("{} hollow", "pasture", 7, 24, 0.8),
    ("{} woods", "woods", 6, 45, 0.2),
)
# practice, unit, cents a unit, our percent, land use, least and most units of a contract, their step
PRACTICES = (
    ("Cover crop", "acre", 6500, 60, "crops", 8, 90, 1),
    ("Nutrient management plan", "acre", 1250, 75, "crops", 15, 110, 1),
    ("Filter strip", "acre", 42500, 75, "crops", 1, 6, 1),
    ("Grassed waterway", "foot", 645, 75, "crops", 200, 1000, 50),
    ("Drainage control structure", "each", 184500, 60, "crops", 1, 3, 1),
    ("Hay field liming", "acre", 6800, 50, "hay", 5, 36, 1),
    ("Pasture reseeding", "acre", 17500, 50, "pasture", 3, 28, 1),
    ("Stream fencing", "foot", 355, 75, "pasture", 300, 1500, 50),
    ("Livestock watering tank", "each", 145000, 65, "pasture", 1, 3, 1),
    ("Invasive brush removal", "acre", 31000, 60, "woods", 2, 14, 1),
    ("Timber stand improvement", "acre", 18500, 50, "woods", 3, 24, 1),
    ("Pollinator planting", "acre", 58000, 75, None, 1, 6, 1),
    ("Windbreak planting", "foot", 245, 70, None, 200, 1600, 100),
    ("Tree planting", "acre", 52500, 75, None, 1, 8, 1),
)
# machine, kind, cents an acre, least cost, horsepower, least and most acres of a rental
MACHINES = (
    ("10-foot no-till drill", "drill", 1200, 10000, 75, 8, 60),
    ("15-foot no-till drill", "drill", 1500, 15000, 110, 20, 110),
    ("7-foot no-till drill", "drill", 1000, 8000, 45, 4, 30),
    ("Conventional grain drill", "drill", 700, 6000, 40, 5, 45),
    ("Cover crop interseeder", "drill", 1300, 12000, 90, 12, 80),
    ("10-foot roller-crimper", "crimper", 800, 6000, 60, 6, 50),
    ("15-foot roller-crimper", "crimper", 950, 8500, 100, 15, 90),
    ("Two-row tree planter", "planter", 2500, 7500, 45, 2, 12),
    ("Single-row tree planter", "planter", 2000, 5000, 30, 1, 7),
    ("Pull-type lime spreader", "spreader", 500, 7500, 50, 10, 70),
    ("Solid manure spreader", "spreader", 900, 9000, 85, 8, 50),
    ("Cone seed spreader", "spreader", 300, 2500, 22, 3, 25),
    ("300-gallon boom sprayer", "sprayer", 450, 5500, 40, 10, 80),
    ("ATV spot sprayer", "sprayer", 600, 2000, 0, 1, 10),
)
# species, kind, seedlings in a bundle, cents a bundle, wet ground
SEEDLINGS = (
    ("White oak", "hardwood", 25, 3500, 0),
    ("Swamp white oak", "hardwood", 25, 3800, 1),
    ("Red oak", "hardwood", 25, 3400, 0),
    ("Black walnut", "hardwood", 25, 3900, 0),
    ("Sycamore", "hardwood", 25, 2800, 1),
    ("River birch", "hardwood", 10, 2200, 1),
    ("Sugar maple", "hardwood", 25, 3600, 0),
    ("White pine", "conifer", 50, 4000, 0),
    ("Norway spruce", "conifer", 50, 4100, 0),
    ("Bald cypress", "conifer", 10, 2400, 1),
    ("Silky dogwood", "shrub", 10, 1800, 1),
    ("Elderberry", "shrub", 10, 1950, 1),
    ("American hazelnut", "shrub", 10, 2100, 0),
    ("Buttonbush", "shrub", 10, 1700, 1),
)
YEARLY_SHARE = {"farm": 300000, "beginning_farm": 400000, "household": 100000}
OPEN_RENTALS = {"farm": 2, "beginning_farm": 2, "household": 1}
BUNDLES = {"farm": 6, "beginning_farm": 6, "household": 3}
RENTAL_DAYS = {"farm": 3, "beginning_farm": 5, "household": 2}
FEES = {"farm": 3000, "beginning_farm": 1500, "household": 3000}
LATE_DAY = {"farm": 4000, "beginning_farm": 2000, "household": 4000}
BREACH = {"farm": 10000, "beginning_farm": 5000, "household": 10000}
SOIL_PH = {"crops": (58, 71), "hay": (56, 70), "pasture": (52, 68), "woods": (48, 62)}
CLOCK_TIMES = (
    "08:05",
    "08:20",
    "08:40",
    "09:10",
    "09:35",
    "10:05",
    "10:30",
    "11:15",
    "12:40",
    "13:10",
    "13:45",
    "14:20",
    "15:05",
    "15:50",
    "16:15",
)
NIGHT_TIMES = ("06:45", "19:20", "20:05", "20:50", "21:30", "22:10")


def populate(world: WorldBuilder) -> None:
    """Forty rows are machines, practices, and species; of the others an eighth are landowners, the rest theirs."""
    rest = max(0, world.size - 42)
    people = _add_landowners(world, max(4, int(rest * 0.12)))
    fields = _add_fields(world, people, max(4, int(rest * 0.2)))
    practices = _add_practices(world)
    _add_contracts(world, fields, practices, max(2, int(rest * 0.15)))
    _add_soil_tests(world, fields, max(2, int(rest * 0.12)))
    _add_rentals(world, people, max(2, int(rest * 0.18)))
    _add_orders(world, people, max(2, int(rest * 0.11)))
    _add_other_charges(world, people)


def _open_day(world, day):
    """The same day, or the Friday before a weekend."""
    return day - {"Saturday": 1, "Sunday": 2}.get(weekday(world.day(day)), 0)


def _moment(world, day):
    return world.moment(_open_day(world, day), world.random.choice(CLOCK_TIMES))


def _later(world, first, last):
    """A day from first to last; last if they are out of order."""
    return world.random.randrange(first, last + 1) if first < last else last


def _add_landowners(world, count):
    phones, zips, people = {}, {}, []
    for number in range(count):
        people.append(_add_landowner(world, number, people, phones, zips))
    return people


def _add_landowner(world, number, people, phones, zips):
    draw = world.random
    name = f"{draw.choice(GIVEN)} {draw.choice(FAMILY)}"
    if number % 4 == 3:
        name = draw.choice(people)["row"]["name"]
    free = [
        (place, zip_code, area)
        for place in PLACES
        for zip_code in place[2]
        for area in place[3]
        if phones.get(area, 0) < 99 and zip_code not in zips.get(name, ())
    ]
    weights = [place[4] / len(place[2]) for place, zip_code, area in free]
    place, zip_code, area = draw.choices(free, weights)[0]
    zips[name] = (*zips.get(name, ()), zip_code)
    phones[area] = last = phones.get(area, -1) + 1
    kind = draw.choices(("farm", "beginning_farm", "household"), (52, 26, 22))[0]
    joined = -draw.randrange(800, 5200) if kind != "beginning_farm" else -draw.randrange(120, 1400)
    owes = draw.random() < 0.16
    overdue = draw.randrange(31, 76)  # a charge of so many days ago is still open
    given, family = name.lower().split()
    mailbox = f"{given}{draw.choice(('.', '_', ''))}{family}{number + 11}"
    row = world.insert(
        "landowner",
        name=name,
        email=f"{mailbox}@example.{draw.choice(('com', 'com', 'net', 'org'))}",
        phone=f"({area}) 555-01{last % 100:02d}",
        zip_code=zip_code,
        mailing_address=f"{draw.randrange(100, 9900)} {draw.choice(STREETS)}, {place[0]}, {place[1]} {zip_code}",
        kind=kind,
        tractor_horsepower=draw.choice(TRACTORS[kind]),
        since=world.day(_open_day(world, joined)),
    )
    return {
        "row": row,
        "id": row["landowner_id"],
        "kind": kind,
        "joined": joined,
        "owes": overdue if owes else 0,
        "latest": 30 - overdue if owes else -1,  # the last day on which they may have asked for more
        "spells": [],  # first and last day of each of their rentals, from the reservation on
        "bundles": 0,
        "waived": 0,
        "names": [],
        "years": {},
        "closed": [],  # when their contracts were closed: they owed nothing then
    }


def _add_fields(world, people, count):
    draw = world.random
    lands = {"farm": 6, "beginning_farm": 3, "household": 2}
    weights = [lands[person["kind"]] * draw.choice((1, 1, 2, 4)) for person in people]
    fields = []
    for owner in draw.choices(people, weights, k=count):
        template, use, least, most, stream = draw.choice(FIELDS) if draw.random() < 0.6 else draw.choice(OLD_FIELDS)
        name = template.replace("{}", draw.choice(FAMILY))
        if name in owner["names"]:
            name = f"{draw.choice(FAMILY)} {use if use != 'crops' else 'field'}"
        if name in owner["names"]:
            continue
        owner["names"].append(name)
        acres = draw.randrange(least, most + 1)
        if owner["kind"] == "household":
            acres = max(2, acres // 4)
        row = world.insert(
            "field",
            landowner_id=owner["id"],
            name=name,
            acres=acres,
            land_use=use,
            by_stream=int(draw.random() < stream),
        )
        fields.append({"row": row, "id": row["field_id"], "owner": owner, "tests": [], "open": []})
    return fields


def _add_practices(world):
    draw = world.random
    tight = draw.randrange(len(PRACTICES))  # little money is left for this one
    practices = []
    for number, (name, unit, cost, percent, use, least, most, step) in enumerate(PRACTICES):
        row = world.insert(
            "practice",
            name=name,
            unit=unit,
            cost_cents=cost,
            share_percent=percent,
            land_use=use,
            funds_left_cents=draw.randrange(200, 900) * 100 if number == tight else draw.randrange(90, 420) * 10000,
        )
        practices.append({"row": row, "least": least, "most": most, "step": step})
    return practices


def _add_contracts(world, fields, practices, count):
    draw = world.random
    weights = [draw.choice((1, 1, 2, 5)) for field in fields]
    for number, field in enumerate(draw.choices(fields, weights, k=count)):
        fitting = [
            practice
            for practice in practices
            if practice["row"]["land_use"] in (None, field["row"]["land_use"])
            and (practice["row"]["unit"] != "acre" or practice["least"] <= field["row"]["acres"])
        ]
        state = draw.choices(("applied", "approved", "completed", "canceled"), (32, 30, 27, 11))[0]
        _add_contract(world, field, draw.choice(fitting), state, number)


def _contract_days(world, state, owner):
    """Days of applying, approval, and the end; the day to finish."""
    draw = world.random
    last = owner["latest"]
    if state == "applied":
        created = _later(world, last - 40, last)
        return created, None, None, created + draw.randrange(70, 200)
    if state == "approved":
        created = _later(world, last - 170, last - 12)
        approved = min(last, created + draw.randrange(4, 12))
        return created, approved, None, max(created + 60, draw.randrange(-12, 110))
    if state == "completed":
        created = _later(world, max(owner["joined"] + 5, -720), -110)
        approved = created + draw.randrange(4, 21)
        ended = min(-2, approved + draw.randrange(30, 150))
        return created, approved, ended, ended + draw.randrange(0, 40)
    created = _later(world, max(owner["joined"] + 5, -500), min(last, -25))
    approved = created + draw.randrange(4, 15) if draw.random() < 0.5 else None
    ended = min(-1, (approved or created) + draw.randrange(3, 50))
    return created, approved, ended, created + draw.randrange(90, 220)


def _add_contract(world, field, practice, state, number):
    draw = world.random
    owner, kind = field["owner"], practice["row"]
    created, approved, ended, finish = _contract_days(world, state, owner)
    created = _open_day(world, created)
    approved = None if approved is None else max(created + 1, _open_day(world, approved))
    if approved is not None:
        approved = approved if _open_day(world, approved) == approved else approved + 3
        if approved > owner["latest"] and state != "completed":
            approved, state = None, "applied" if state == "approved" else state
    if created <= owner["joined"] + 70 or kind["practice_id"] in field["open"]:
        return
    most = min(practice["most"], field["row"]["acres"]) if kind["unit"] == "acre" else practice["most"]
    steps = (most - practice["least"]) // practice["step"]
    units = practice["least"] + practice["step"] * draw.randrange(0, steps + 1)
    percent = kind["cost_cents"] * kind["share_percent"]
    year = world.day(created)[:4]
    room = YEARLY_SHARE[owner["kind"]] - owner["years"].get(year, 0)
    room = min(room, 300000) if approved is not None or number % 3 else room  # the board decides on more
    if units * percent > room * 100:
        units = room * 100 // percent // practice["step"] * practice["step"]
    if units < practice["least"] or (state == "completed" and owner["owes"] and ended > -owner["owes"] - 6):
        return
    share = round(units * percent / 100)
    spent = round(units * kind["cost_cents"] * draw.choice((0.82, 0.9, 0.95, 1.0, 1.04, 1.1, 1.18)))
    paid = min(share, round(spent * kind["share_percent"] / 100))
    if approved is not None and field["row"]["land_use"] in ("crops", "hay") and not _be_tested(world, field, approved):
        return
    owner["years"][year] = owner["years"].get(year, 0) + share  # a canceled one counted until it was
    if state in ("applied", "approved"):
        field["open"].append(kind["practice_id"])
    extensions = int(state in ("approved", "completed") and draw.random() < 0.42)
    ended_at = None if ended is None else _moment(world, max(ended, (approved or created) + 4))
    row = world.insert(
        "contract",
        landowner_id=owner["id"],
        field_id=field["id"],
        practice_id=kind["practice_id"],
        units=units,
        share_cents=share,
        status=state,
        finish_by=world.day(finish),
        extensions=extensions,
        spent_cents=spent if state == "completed" else None,
        paid_cents=paid if state == "completed" else None,
        created_at=_moment(world, created),
        approved_at=None if approved is None else _moment(world, approved),
        completed_at=ended_at if state == "completed" else None,
        canceled_at=ended_at if state == "canceled" else None,
    )
    if state == "completed":
        owner["closed"].append(row["completed_at"])
    if state == "canceled" and approved is not None:
        _add_charge(world, owner, "contract_breach", BREACH[owner["kind"]], row["canceled_at"], ended)


def _be_tested(world, field, day):
    """Say whether a soil test was reported in the two years before this day; add one where it fits."""
    if any(day - 720 <= reported < day for ordered, reported in field["tests"]):
        return True
    reported = _open_day(world, _later(world, max(day - 500, field["owner"]["joined"] + 35), day - 10))
    return _add_soil_test(world, field, reported - world.random.randrange(12, 30), reported)


def _add_soil_test(world, field, ordered, reported):
    """Add a test and say so, unless the field had a result in the year before, or is tested in the year after."""
    draw = world.random
    known = reported is not None
    ends = reported if known else 0
    if any(ordered < last + 366 and first < ends + 366 for first, last in field["tests"]):
        return False
    field["tests"].append((ordered, ends))
    kind = draw.choices(("standard", "complete"), (60, 40))[0]
    least, most = SOIL_PH[field["row"]["land_use"]]
    world.insert(
        "soil_test",
        field_id=field["id"],
        kind=kind,
        price_cents=1400 if kind == "standard" else 3200,
        status="reported" if known else "ordered",
        ph=draw.randrange(least, most) / 10 if known else None,
        phosphorus_ppm=draw.randrange(7, 96) if known else None,
        created_at=_moment(world, ordered),
        reported_at=_moment(world, reported) if known else None,
    )
    return True


def _add_soil_tests(world, fields, count):
    draw = world.random
    for field in draw.choices(fields, k=count):
        joined = field["owner"]["joined"]
        if draw.random() < 0.32:
            _add_soil_test(world, field, _open_day(world, -draw.randrange(1, 60)), None)
        elif joined < -140:
            first = -340 if draw.random() < 0.75 else -1900
            reported = _open_day(world, _later(world, max(joined + 60, first), -70))
            _add_soil_test(world, field, reported - draw.randrange(12, 30), reported)


def _renter(world, people, pickup, power, days, strong=True):
    """Somebody who may have reserved a machine for this day, and whose tractor pulls it, or does not; and when."""
    for person in world.random.sample(people, min(60, len(people))):
        fits = (person["row"]["tractor_horsepower"] >= power) == strong and person["joined"] < pickup - 62
        in_time = pickup <= person["latest"] if pickup < -6 else pickup - 50 < person["latest"]
        if not fits or not in_time or days > RENTAL_DAYS[person["kind"]] or (-6 <= pickup < 0 and person["owes"]):
            continue
        last = min(pickup - 1, person["latest"], -1)
        created = _open_day(world, _later(world, max(pickup - 50, last - 30), last))
        ends = pickup + days + 4 if pickup < -6 else 999
        at_once = [spell for spell in person["spells"] if created <= spell[1] and spell[0] <= ends]
        if len(at_once) < OPEN_RENTALS[person["kind"]]:
            person["spells"].append((created, ends))
            return person, created
    return None


def _add_rentals(world, people, count):
    """Each machine has two rentals a week at most: from Monday or Tuesday, and from Thursday."""
    draw = world.random
    plans = []
    machines = []
    for number, (name, kind, rate, least, power, few, many) in enumerate(MACHINES):
        status = draw.choices(("available", "out", "in_repair"), (50, 42, 8))[0]
        pickup, days, renter = -1, draw.choice((2, 3)), None
        if status == "out":
            pickup = draw.choice((-1, -1, -5))
            days = 2 if pickup == -5 else days
            renter = _renter(world, people, pickup, power, days)
            status = "out" if renter else "available"
        row = world.insert(
            "equipment",
            name=name,
            kind=kind,
            rate_cents=rate,
            minimum_cents=least,
            horsepower_needed=power,
            status=status,
        )
        machine = {"row": row, "acres": (few, many), "power": power}
        machines.append(machine)
        if renter:
            plans.append((machine, *renter, pickup, days, "out"))
        elif status == "available" and (number % 2 or draw.random() < 0.6):
            renter = _renter(world, people, 0, power, 2, power == 0 or draw.random() < 0.55)
            if renter:
                plans.append((machine, *renter, 0, 2, "reserved"))
    ahead = [(machine, week, slot) for machine in machines for week in range(0, 8) for slot in (0, 1) if week or slot]
    behind = [(machine, week, slot) for machine in machines for week in range(-104, -1) for slot in (0, 1)]
    recent = [slot for slot in behind if slot[1] > -5]
    behind = [slot for slot in behind if slot[1] < -4]
    soon = min(len(ahead) * 2 // 3, int(count * draw.uniform(0.36, 0.48)))
    chosen = draw.sample(ahead, min(soon, len(ahead)))
    chosen += draw.sample(recent, min(count // 5, len(recent) // 2))
    chosen += draw.sample(behind, min(max(1, count - len(chosen) - len(plans)), len(behind)))
    for machine, week, slot in chosen:
        pickup = week * 7 + (2 if slot else draw.choice((-1, 0)))
        days = draw.choice((1, 2, 2)) if slot or pickup % 7 == 0 else draw.choice((1, 2, 3, 3))
        strong = pickup < 0 or not machine["power"] or draw.random() < 0.7  # the tractor on file counts at pickup
        renter = _renter(world, people, pickup, machine["power"], days, strong)
        if renter:
            kept = "reserved" if pickup > 0 else "returned"
            state = draw.choices((kept, "canceled"), (85, 15))[0]
            plans.append((machine, *renter, pickup, days, state))
    taken = {(machine["row"]["name"], week * 2 + slot) for machine, week, slot in chosen}
    draw.shuffle(plans)
    for machine, renter, created, pickup, days, state in plans:
        half = (pickup + 1) // 7 * 2 + int((pickup + 1) % 7 > 1)
        free = (machine["row"]["name"], half + 1) not in taken  # nobody waits for it in the days after
        _add_rental(world, machine, renter, created, pickup, days, state, free)


def _add_rental(world, machine, renter, created, pickup, days, state, free):
    draw = world.random
    back = pickup + days - 1
    late = draw.choices((0, 1), (72, 28))[0] if state == "returned" and free else 0
    late += {"Saturday": 2, "Sunday": 1}.get(weekday(world.day(back + late)), 0)
    canceled = None
    if state == "canceled":
        canceled = _open_day(world, _later(world, created + 3, min(pickup - 1, -1)))
        canceled = max(canceled, created)
    acres = draw.randrange(machine["acres"][0], machine["acres"][1] + 1)
    fee = max(machine["row"]["minimum_cents"], acres * machine["row"]["rate_cents"])
    handed = draw.choice(("08:00", "08:05", "08:10", "08:25", "08:30"))
    row = world.insert(
        "rental",
        landowner_id=renter["id"],
        equipment_id=machine["row"]["equipment_id"],
        pickup_on=world.day(pickup),
        return_on=world.day(back),
        status=state,
        acres=acres if state == "returned" else None,
        fee_cents=fee if state == "returned" else None,
        created_at=world.moment(created, draw.choice(CLOCK_TIMES)),
        picked_up_at=world.moment(pickup, handed) if state in ("out", "returned") else None,
        returned_at=world.moment(back + late, draw.choice(CLOCK_TIMES[4:])) if state == "returned" else None,
        canceled_at=world.moment(canceled, "16:25") if state == "canceled" else None,
    )
    if state == "returned":
        _add_charge(world, renter, "rental", fee, row["returned_at"], back + late)
        if late:
            _add_charge(world, renter, "late_return", late * LATE_DAY[renter["kind"]], row["returned_at"], back + late)
        if draw.random() < 0.12:
            _add_charge(world, renter, "cleaning", draw.choice((2000, 3500, 6000)), row["returned_at"], back + late)
    if state == "canceled" and pickup - canceled < 7:
        _add_charge(world, renter, "late_cancellation", FEES[renter["kind"]], row["canceled_at"], canceled)


def _add_charge(world, person, kind, amount, made, day):
    """Put an amount on the account: settled within 25 days, or still open if it is recent."""
    draw = world.random
    state = "paid"
    if day > -27:
        state = draw.choices(("open", "paid"), (75, 25))[0] if day < -1 else "open"
    elif kind != "rental" and person["waived"] + amount <= 4000 and draw.random() < 0.3:
        state = "waived"
        person["waived"] += amount
    settled = None
    if state != "open":
        settled = max(made, _moment(world, min(-1, day + draw.randrange(4, 24))))
    if any(made <= closed and (settled is None or closed <= settled) for closed in person["closed"]):
        state, settled = "paid", made  # paid on the spot, so that the contract could be closed
    world.insert(
        "charge",
        landowner_id=person["id"],
        kind=kind,
        amount_cents=amount,
        status=state,
        method=draw.choices(("card", "check", "cash"), (45, 45, 10))[0] if state == "paid" else None,
        created_at=made,
        settled_at=settled,
    )


def _add_other_charges(world, people):
    """What some have owed for more than a month, and fees from the counter of the last weeks."""
    draw = world.random
    for person in people:
        fee, day_late = FEES[person["kind"]], LATE_DAY[person["kind"]]
        breach = BREACH[person["kind"]]
        kinds = (("late_return", day_late * 2), ("late_cancellation", fee), ("cleaning", 3500), ("cleaning", 6000))
        if person["owes"] and person["joined"] < -person["owes"] - 30:
            kind, amount = draw.choice((*kinds, ("contract_breach", breach)))
            _add_open_charge(world, person, kind, amount, -person["owes"])
        if draw.random() < 0.34 and person["joined"] < -60:
            kind, amount = draw.choice(kinds)
            _add_open_charge(world, person, kind, amount, -draw.randrange(2, 24))


def _add_open_charge(world, person, kind, amount, day):
    made = _moment(world, day)
    if not any(made <= closed for closed in person["closed"]):  # a contract was closed since: nothing was owed then
        world.insert("charge", landowner_id=person["id"], kind=kind, amount_cents=amount, created_at=made)


def _add_orders(world, people, count):
    draw = world.random
    seedlings = []
    for species, kind, size, price, wet in SEEDLINGS:
        left = draw.choices((0, draw.randrange(1, 8), draw.randrange(8, 70)), (1, 3, 10))[0]
        row = world.insert(
            "seedling",
            species=species,
            kind=kind,
            bundle_size=size,
            price_cents=price,
            bundles_left=left,
            wet_ground=wet,
        )
        seedlings.append(row)
    reserved = {}
    weights = [draw.choice((0, 1, 1, 2, 6)) + 0.2 for person in people]
    for person in draw.choices(people, weights, k=count * 3 // 2):
        seedling = draw.choice(seedlings)
        bundles = draw.choices((1, 2, 3, 4, 5), (26, 28, 20, 12, 6))[0]
        created = -draw.randrange(2, 62)
        state = draw.choices(("reserved", "canceled"), (82, 18))[0]
        key = (person["id"], seedling["seedling_id"])
        if created <= person["joined"] or key in reserved or person["bundles"] + bundles > BUNDLES[person["kind"]]:
            continue
        reserved[key] = bundles
        person["bundles"] += bundles  # a canceled one counted until it was
        world.insert(
            "seedling_order",
            landowner_id=person["id"],
            seedling_id=seedling["seedling_id"],
            bundles=bundles,
            price_cents=bundles * seedling["price_cents"],
            pickup_day=draw.choice(("friday", "saturday")),
            status=state,
            created_at=world.moment(created, draw.choice(NIGHT_TIMES + CLOCK_TIMES)),
            canceled_at=_moment(world, min(-1, created + draw.randrange(4, 20))) if state == "canceled" else None,
        )
