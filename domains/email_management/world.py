"""Fill a mail host: accounts with their holders, messages received and outgoing, and filters for new mail."""

from runtime import WorldBuilder, add_days, add_minutes, weekday

INVARIANTS = {
    "No account uses more storage than it is allowed.": """
        SELECT account_id FROM account
        WHERE (CASE plan WHEN 'free' THEN 100 WHEN 'plus' THEN 250 ELSE 500 END + extra_storage_mb) * 1000
            < (SELECT coalesce(sum(size_kb), 0) FROM message WHERE message.account_id = account.account_id)
    """,
    "No message is older than its account.": """
        SELECT message_id FROM message JOIN account USING (account_id) WHERE substr(dated_at, 1, 10) < opened_on
    """,
    "A suspended account has no scheduled message.": """
        SELECT message_id FROM message JOIN account USING (account_id) WHERE folder = 'scheduled' AND state = 'suspended'
    """,
    "A scheduled message is yet to go out.": """
        SELECT message_id FROM message WHERE folder = 'scheduled' AND send_at <= '2026-03-10 09:30:00'
    """,
    "A recalled message that has not been sent again is dated at its recall, one sent again after it.": """
        SELECT message_id FROM message
        WHERE folder IN ('drafts', 'scheduled') AND dated_at <> recalled_at OR folder = 'sent' AND dated_at < recalled_at
    """,
    "Whoever owes nothing has paid or had a credit since the last fee.": """
        SELECT account_id FROM account
        WHERE balance_cents = 0 AND last_fee_on > coalesce(last_paid_on, '') AND last_fee_on > coalesce(last_credit_on, '')
    """,
    "Credits of this year have a day in this year.": """
        SELECT account_id FROM account WHERE (credits_this_year_cents > 0) <> (coalesce(last_credit_on, '') >= '2026-01-01')
    """,
    "Messages are restored after they were received or written.": """
        SELECT message_id FROM message WHERE folder <> 'sent' AND restored_at < dated_at
    """,
}
GIVEN = (
    "Denise",
    "Miguel",
    "Priya",
    "Kevin",
    "Aaliyah",
    "Tom",
    "Grace",
    "Luis",
    "Hannah",
    "Marcus",
    "Emily",
    "Andre",
    "Nicole",
    "Brian",
    "Mei",
    "Carlos",
    "Rachel",
    "Derek",
    "Fatima",
    "Scott",
    "Janet",
    "Omar",
    "Paula",
    "Trevor",
    "Linda",
    "Isaac",
    "Megan",
    "Victor",
    "Sofia",
    "Wayne",
    "Tara",
    "Jerome",
    "Angela",
    "Curtis",
    "Leah",
    "Raymond",
    "Bianca",
    "Neil",
    "Yolanda",
    "Peter",
    "Kayla",
    "Dennis",
    "Ruth",
    "Hector",
    "Allison",
    "Gary",
    "Naomi",
    "Philip",
)
FAMILY = (
    "Walker",
    "Ortega",
    "Raman",
    "Tran",
    "Brooks",
    "Kowalski",
    "Bennett",
    "Castillo",
    "Foster",
    "Nguyen",
    "Sullivan",
    "Hayes",
    "Patel",
    "Jensen",
    "Morales",
    "Whitaker",
    "Chen",
    "Dawson",
    "Rossi",
    "Coleman",
    "Fischer",
    "Gutierrez",
    "Harmon",
    "Ingram",
    "Keller",
    "Lambert",
    "Mercer",
    "Norris",
    "Okafor",
    "Pruitt",
    "Quinn",
    "Ramsey",
    "Shaw",
    "Thornton",
    "Underwood",
    "Vasquez",
    "Weber",
    "Yates",
    "Zimmerman",
    "Barrett",
    "Delgado",
    "Ellison",
    "Garner",
    "Holloway",
    "Lindgren",
    "Park",
    "Stokes",
    "Tucker",
)
PLACES = (
    ("Columbus", 432, (614, 380)),
    ("Austin", 787, (512, 737)),
    ("Portland", 972, (503, 971)),
    ("Charlotte", 282, (704, 980)),
    ("Boston", 21, (617, 857)),
    ("Denver", 802, (303, 720)),
    ("Phoenix", 850, (602, 480)),
    ("Nashville", 372, (615, 629)),
    ("Minneapolis", 554, (612, 952)),
    ("Tampa", 336, (813, 727)),
    ("Seattle", 981, (206, 425)),
    ("Omaha", 681, (402, 531)),
    ("Raleigh", 276, (919, 984)),
    ("Tucson", 857, (520, 623)),
)
STREETS = (
    "Maple Ave",
    "Oak St",
    "Cedar Ln",
    "Fifth St",
    "Birch Rd",
    "Hillcrest Dr",
    "Lakeview Blvd",
    "Spruce Ct",
    "Walnut St",
    "Chestnut Ave",
    "Mill Rd",
    "River Rd",
    "Prospect St",
    "Union Ave",
    "Garfield St",
    "Willow Way",
    "Orchard Ln",
    "Summit Ave",
    "Church St",
    "Franklin St",
    "Meadow Dr",
    "Highland Ave",
    "Depot St",
    "Canal St",
    "Juniper Dr",
    "Sycamore St",
)
TOWNS = (
    "Asheville",
    "Savannah",
    "Santa Fe",
    "Duluth",
    "Key West",
    "Bozeman",
    "Traverse City",
    "Galveston",
    "Sedona",
    "Burlington",
    "Annapolis",
    "Bend",
    "Durango",
    "Mackinac",
    "Chattanooga",
    "Newport",
    "Boise",
    "Moab",
    "Charleston",
    "Monterey",
    "Gatlinburg",
    "Bar Harbor",
    "Taos",
    "Estes Park",
    "Nantucket",
    "Branson",
    "Cape May",
    "Lake Placid",
)
PRODUCTS = (
    "road bike",
    "yoga mat",
    "oak bookshelf",
    "down jacket",
    "standing desk",
    "tent",
    "train set",
    "skillet",
    "monitor",
    "treadmill",
    "dresser",
    "kayak",
    "camera",
    "crib",
    "espresso machine",
    "record player",
    "snow blower",
    "grill",
    "sewing machine",
    "sofa",
    "lawn mower",
    "guitar",
    "telescope",
    "rowing machine",
    "dollhouse",
    "patio table",
)
ACTIVITIES = (
    "Soccer",
    "Swim team",
    "Robotics",
    "Marching band",
    "Basketball",
    "Chess club",
    "Gymnastics",
    "Lacrosse",
    "Choir",
    "Track",
    "Volleyball",
    "Little League",
    "Tennis",
    "Debate",
    "Ballet",
    "Karate",
    "Orchestra",
    "Wrestling",
    "Softball",
    "Drama club",
    "Hockey",
    "Golf",
)
DISHES = (
    "pot roast",
    "lentil soup",
    "chicken pot pie",
    "banana bread",
    "gumbo",
    "lasagna",
    "corn chowder",
    "peach cobbler",
    "tamales",
    "deviled eggs",
    "brisket",
    "pierogi",
    "mac and cheese",
    "pecan pie",
    "fried rice",
    "apple crisp",
    "clam chowder",
    "black bean chili",
    "potato salad",
    "cinnamon rolls",
)
SUPPLIES = (
    "copper pipe",
    "roof shingles",
    "drywall",
    "ceiling fans",
    "paint",
    "door hardware",
    "insulation",
    "floor tile",
    "window trim",
    "water heaters",
    "light switches",
    "fence posts",
    "gutters",
    "concrete mix",
    "cabinet pulls",
    "deck boards",
    "sprinkler heads",
    "ductwork",
    "countertops",
    "work gloves",
    "safety vests",
    "ladders",
    "garage doors",
    "breaker panels",
)
JOBS = (
    "Office Manager",
    "Project Estimator",
    "Bookkeeper",
    "Warehouse Lead",
    "Staff Accountant",
    "Site Supervisor",
    "Electrician",
    "Dispatcher",
    "Receptionist",
    "Service Technician",
    "Purchasing Agent",
    "Payroll Clerk",
    "Delivery Driver",
    "Sales Associate",
    "Safety Coordinator",
    "Welder",
    "Plumber",
    "Landscaper",
    "Drafter",
    "Customer Service Rep",
)
# home or work, received or outgoing, subject, its details, the correspondent's trade ("" is a person), kind of file, size in KB, text
KINDS = (
    (
        "home",
        "in",
        "Your order: {d}",
        PRODUCTS,
        "Home Goods",
        "",
        30,
        90,
        "Your {d} shipped today and should be there within three days.",
    ),
    (
        "home",
        "in",
        "Receipt for the {d}",
        PRODUCTS,
        "Hardware",
        "pdf",
        90,
        400,
        "Thanks for stopping in. The receipt for the {d} is attached.",
    ),
    (
        "home",
        "in",
        "Photos from {d}",
        TOWNS,
        "",
        "zip",
        6000,
        22000,
        "Here are the pictures from {d}. Send me yours when you get a minute.",
    ),
    (
        "home",
        "in",
        "Trip to {d}",
        TOWNS,
        "Travel",
        "pdf",
        300,
        1200,
        "Your itinerary for {d} is attached. Call us if a time does not work.",
    ),
    (
        "home",
        "in",
        "Hotel in {d}",
        TOWNS,
        "Travel",
        "pdf",
        120,
        600,
        "You are confirmed in {d}. Check-in starts at 3 PM.",
    ),
    ("home", "in", "Flight to {d}", TOWNS, "Airways", "pdf", 150, 700, "Your boarding pass for {d} is attached."),
    ("home", "in", "{d}'s birthday", GIVEN, "", "", 8, 30, "We're doing cake for {d} on Sunday. Can you bring plates?"),
    (
        "home",
        "in",
        "{d}'s report card",
        GIVEN,
        "Middle School",
        "pdf",
        200,
        900,
        "Please find the report card for {d} attached.",
    ),
    (
        "home",
        "in",
        "{d}'s checkup",
        GIVEN,
        "Pediatrics",
        "",
        12,
        40,
        "This is a reminder that {d} is due for a checkup. Please call to set a time.",
    ),
    (
        "home",
        "in",
        "Permission slip for {d}",
        GIVEN,
        "Middle School",
        "pdf",
        150,
        500,
        "Please sign the slip for {d} and send it back by Friday.",
    ),
    ("home", "in", "Video of {d}", GIVEN, "", "mp4", 12000, 24000, "You have to see this one of {d}. Sound on."),
    (
        "home",
        "in",
        "{d} practice schedule",
        ACTIVITIES,
        "Youth League",
        "pdf",
        100,
        600,
        "The new schedule is attached. Please check the field numbers.",
    ),
    (
        "home",
        "in",
        "{d} tryouts",
        ACTIVITIES,
        "Youth League",
        "",
        10,
        35,
        "Tryouts are next weekend. Reply if you need a ride.",
    ),
    ("home", "in", "Lease for {d}", STREETS, "Realty", "pdf", 1200, 5000, "The lease for {d} is ready to sign."),
    (
        "home",
        "in",
        "Showing on {d}",
        STREETS,
        "Realty",
        "",
        10,
        45,
        "We can see the place on {d} Saturday at 10 AM. Does that work?",
    ),
    (
        "home",
        "in",
        "Water shutoff on {d}",
        STREETS,
        "Water District",
        "",
        8,
        25,
        "Water on {d} will be off from 9 AM to noon for repairs.",
    ),
    ("home", "in", "Recipe for {d}", DISHES, "", "", 9, 30, "Here's how my mom makes {d}. Go easy on the salt."),
    (
        "home",
        "in",
        "Sale on every {d}",
        PRODUCTS,
        "Outlet",
        "",
        60,
        300,
        "This weekend only: every {d} in the store is marked down.",
    ),
    (
        "home",
        "in",
        "You won a {d}",
        PRODUCTS,
        "Prize Center",
        "",
        15,
        80,
        "Congratulations! Claim your {d} before midnight.",
    ),
    (
        "home",
        "out",
        "Selling my {d}",
        PRODUCTS,
        "",
        "jpg",
        2000,
        9000,
        "Here's a picture of the {d}. It's yours if you can pick it up.",
    ),
    ("home", "out", "Potluck: {d}", DISHES, "", "", 8, 20, "I'll bring the {d}. Can you handle drinks?"),
    (
        "home",
        "out",
        "Question about {d}",
        STREETS,
        "Realty",
        "",
        8,
        25,
        "Is the place on {d} still open, and are pets okay?",
    ),
    (
        "home",
        "out",
        "Weekend in {d}",
        TOWNS,
        "",
        "",
        8,
        30,
        "We rented a cabin near {d} and have room for two more. Want to come?",
    ),
    ("home", "out", "Ride to {d}", TOWNS, "", "", 8, 20, "Could I get a ride to {d} with you on Saturday morning?"),
    (
        "home",
        "out",
        "{d}'s graduation party",
        GIVEN,
        "",
        "",
        10,
        40,
        "The party for {d} is at our house. Bring a chair if you have one.",
    ),
    (
        "home",
        "out",
        "Pictures of {d}",
        GIVEN,
        "",
        "zip",
        7000,
        23000,
        "Here are the best ones of {d}. Pick what you want printed.",
    ),
    (
        "home",
        "out",
        "Signing up for {d}",
        ACTIVITIES,
        "Youth League",
        "pdf",
        150,
        700,
        "The signed form is attached. Please let me know if anything is missing.",
    ),
    (
        "work",
        "in",
        "Estimate for {d}",
        STREETS,
        "Roofing",
        "pdf",
        300,
        1500,
        "The estimate for {d} is attached and is good for 30 days.",
    ),
    (
        "work",
        "in",
        "Invoice for {d}",
        STREETS,
        "Plumbing",
        "pdf",
        120,
        700,
        "The invoice for {d} is attached. Thank you for your business.",
    ),
    (
        "work",
        "in",
        "Permit for {d}",
        STREETS,
        "County Permits",
        "pdf",
        200,
        1100,
        "The permit for {d} was approved. Post it where the inspector can see it.",
    ),
    (
        "work",
        "in",
        "Floor plans for {d}",
        STREETS,
        "Architects",
        "zip",
        14000,
        44000,
        "Here are the revised plans for {d}. The stairs moved.",
    ),
    (
        "work",
        "in",
        "Site video from {d}",
        STREETS,
        "Surveying",
        "mp4",
        20000,
        46000,
        "This is the walk-through at {d} from this morning.",
    ),
    (
        "work",
        "in",
        "Order of {d}",
        SUPPLIES,
        "Supply",
        "pdf",
        90,
        500,
        "Your order of {d} is packed and goes out tomorrow.",
    ),
    ("work", "in", "Price list: {d}", SUPPLIES, "Supply", "xlsx", 150, 900, "Our spring prices on {d} are attached."),
    (
        "work",
        "in",
        "Delivery of {d}",
        SUPPLIES,
        "Freight",
        "",
        9,
        35,
        "The truck with the {d} will be there between 8 and 10 AM.",
    ),
    (
        "work",
        "in",
        "Resume for the {d} job",
        JOBS,
        "",
        "pdf",
        150,
        900,
        "I saw that you are looking for help. My resume is attached.",
    ),
    (
        "work",
        "in",
        "Insurance for {d}",
        STREETS,
        "Insurance",
        "pdf",
        250,
        1400,
        "The certificate for {d} is attached, as your client asked.",
    ),
    (
        "work",
        "in",
        "Meeting in {d}",
        TOWNS,
        "",
        "",
        8,
        30,
        "Can you make the meeting in {d}, or should we do it by phone?",
    ),
    (
        "work",
        "out",
        "Proposal for {d}",
        STREETS,
        "",
        "pdf",
        2000,
        12000,
        "Our proposal for {d} is attached. We can start within two weeks.",
    ),
    (
        "work",
        "out",
        "Final bill for {d}",
        STREETS,
        "",
        "pdf",
        150,
        800,
        "Attached is the final bill for {d}. It was a pleasure working with you.",
    ),
    (
        "work",
        "out",
        "Quote on {d}",
        SUPPLIES,
        "Supply",
        "",
        8,
        30,
        "What would you charge us for {d}, delivered by Friday?",
    ),
    (
        "work",
        "out",
        "Schedule for {d}",
        STREETS,
        "",
        "pdf",
        120,
        600,
        "This is when the crew will be at {d}. Tell me if a day is bad.",
    ),
    (
        "work",
        "out",
        "Offer letter, {d}",
        JOBS,
        "",
        "pdf",
        200,
        900,
        "We would love to have you on the team. The offer is attached.",
    ),
    (
        "work",
        "out",
        "Progress photos, {d}",
        STREETS,
        "",
        "zip",
        9000,
        42000,
        "Here is where we are at {d}. The inspection is next.",
    ),
    (
        "work",
        "out",
        "Late payment, {d}",
        STREETS,
        "",
        "",
        8,
        25,
        "We have not seen a payment for {d} yet. Could you check on it?",
    ),
    ("work", "out", "Crew list for {d}", STREETS, "", "xlsx", 90, 400, "These are the people who need badges at {d}."),
    (
        "work",
        "out",
        "Reference for the {d} job",
        JOBS,
        "",
        "",
        8,
        25,
        "I worked with this person for three years and would hire again.",
    ),
)
# for home, work or both; what a filter is called, what it looks at, what for, what it does
FILTERS = (
    ("home", "{h} receipts", "sender", "{h}", ("archive", "forward")),
    ("home", "{h} newsletters", "sender", "{h}", ("archive", "trash", "spam")),
    ("home", "{d} ads", "subject", "{d}", ("spam", "trash")),
    ("home", "{t} trip", "subject", "{t}", ("archive", "forward")),
    ("work", "{w} invoices", "sender", "{w}", ("forward", "forward", "archive")),
    ("work", "{w} price lists", "sender", "{w}", ("archive", "trash")),
    ("work", "{s} job", "subject", "{s}", ("forward", "archive")),
    ("both", "Mail from {p}", "sender", "{p}", ("forward", "forward", "archive")),
    ("both", "Block {p}", "sender", "{p}", ("spam", "trash")),
)
HOME_TRADES = ("Home Goods", "Hardware", "Travel", "Outlet", "Youth League", "Pharmacy")
WORK_TRADES = ("Supply", "Freight", "Insurance", "Plumbing", "Roofing", "Surveying")
AWAY = (
    ("home", "I'm away until {b}. For anything urgent, please write to {p}."),
    ("home", "Thanks for your note. I'm traveling and will answer after {b}. {p} can help until then."),
    ("home", "On vacation through {b} with no signal. Please try {p}."),
    ("home", "I'm out with the kids and return on {b}. Ask {p} if it can't wait."),
    ("home", "Recovering from surgery until {b}. {p} is checking my mail."),
    ("home", "Camping until {b}! Write to {p} if the house is on fire."),
    ("work", "Out of the office, back on {b}. {p} is covering for me."),
    ("work", "At a conference until {b}. Please copy {p} on anything about an open job."),
    ("work", "We're closed until {b}. {p} takes emergency calls."),
    ("work", "I'm on leave until {b}. {p} has everything you need."),
)
FEES = {
    "late_payment": (300, 450, 500),
    "storage": (200, 400),
    "plan_change": (200, 300),
    "recall": (150, 200),
    "restore": (150, 300, 450),
}
FREE_FEES = ("late_payment", "recall", "restore", "restore")
MONTHS = ("January", "February", "March", "April", "May", "June")
PRICE = {"free": 0, "plus": 500, "business": 1200}
PLAN_MB = {"free": 100, "plus": 250, "business": 500}
FILTERS_ON = {"free": 2, "plus": 4, "business": 6}
SCHEDULED = {"free": 1, "plus": 3, "business": 5}
RECALLS = {"free": 1, "plus": 2, "business": 4}
RESTORES = {"free": 1, "plus": 2, "business": 4}
OWED_CENTS = 500
AWAY_DAYS = {"free": 14, "plus": 21, "business": 45}


def populate(world: WorldBuilder) -> None:
    """A tenth of the rows are accounts, two thirds messages, the rest filters; some accounts get many, some none."""
    draw = world.random
    homes, names, accounts = {}, [], []
    for number in range(world.share(0.1, least=3)):
        accounts.append(_add_account(world, number, homes, names))
    for account in draw.choices(accounts, [one["weight"] for one in accounts], k=world.share(0.67, least=6)):
        _add_message(world, account)
    for account in draw.choices(accounts, [one["weight"] for one in accounts], k=world.share(0.23, least=4)):
        _add_filter(world, account)


def _office_day(world, days_ago):
    """The day so many days ago, or the Friday before a weekend."""
    day = world.day(-days_ago)
    return add_days(day, {"Saturday": -1, "Sunday": -2}.get(weekday(day), 0))


def _past(world, days_ago):
    """A moment of that day, before the clock."""
    draw = world.random
    hour = draw.randrange(6, 22) if days_ago else draw.randrange(6, 9)
    return world.moment(-days_ago, f"{hour:02d}:{draw.randrange(60):02d}")


def _after(world, first, days_ago):
    """A moment of that day, after the first one and before the clock."""
    moment = _past(world, days_ago)
    return moment if moment > first else add_minutes(first, world.random.randrange(2, 25))


def _slug(text):
    return "".join(letter for letter in text.lower() if letter.isalnum())


def _dashed(text):
    return "-".join("".join(letter for letter in text.lower() if letter.isalnum() or letter == " ").split())


def _person(draw):
    given, family = draw.choice(GIVEN), draw.choice(FAMILY)
    return f"{given} {family}", f"{given}.{family}@example.{draw.choice(('org', 'net'))}".lower()


def _company(draw, trade):
    family = draw.choice(FAMILY)
    return f"{family} {trade}", f"office@{_slug(family)}{_slug(trade)}.example.com"


def _spoken(day):
    return f"{MONTHS[int(day[5:7]) - 1]} {int(day[8:])}"


def _add_account(world, number, homes, names):
    draw = world.random
    given, family = names[draw.randrange(len(names))] if number % 4 == 3 else (draw.choice(GIVEN), draw.choice(FAMILY))
    names.append((given, family))
    city, zip_start, areas = draw.choice(PLACES)
    homes[city] = count = homes.get(city, -1) + 1
    used = homes.get((given, family), ())
    zip_code = draw.choice([zip_end for zip_end in range(1, 60) if f"{zip_start:03d}{zip_end:02d}" not in used])
    homes[(given, family)] = (*used, f"{zip_start:03d}{zip_code:02d}")
    plan = draw.choices(("free", "plus", "business"), (4, 4, 3))[0]
    age = draw.randrange(90, 1500) if draw.random() < 0.8 else draw.randrange(25, 90)
    works = plan == "business" or plan == "plus" and draw.random() < 0.4
    state = draw.choices(("active", "suspended"), (84, 16))[0]
    kind = "big" if state == "suspended" else draw.choices(("none", "small", "month", "big"), (9, 5, 5, 4))[0]
    fee_kind = draw.choice(
        FREE_FEES if plan == "free" else ("late_payment", "storage", "storage", "plan_change", "recall", "restore")
    )
    small = draw.choice(FEES[fee_kind])
    month = PRICE[plan] or draw.choice((150, 300, 450))
    balance = {
        "none": 0,
        "small": small,
        "month": month + small,
        "big": draw.choice((3, 4, 5)) * max(month, 300) + small,
    }[kind]
    fee_ago = draw.randrange(3, min(age, 75)) if kind != "none" or draw.random() < 0.4 else None
    paid_ago = draw.randrange(1, min(age, 60)) if plan != "free" or draw.random() < 0.4 else None
    if kind == "none" and fee_ago is not None:
        paid_ago = draw.randrange(1, fee_ago)
    credit = draw.choice((100, 150, 200, 250, 300, 500)) if plan != "free" and draw.random() < 0.45 else 0
    if plan == "business" and credit and draw.random() < 0.4:
        credit += draw.choice((400, 500, 700))
    credit_ago = draw.randrange(2, min(age, 60)) if credit else None
    if not credit and plan != "free" and age > 200 and draw.random() < 0.15:
        credit_ago = draw.randrange(80, age)
    changed_ago = None
    if draw.random() < 0.6:
        changed_ago = draw.randrange(0, 7) if draw.random() < 0.45 else draw.randrange(15, min(age, 400))
    forward_ago = draw.randrange(0, min(age, 300)) if draw.random() < 0.3 else None
    if changed_ago is not None and changed_ago < 9:
        forward_ago = None
    elif forward_ago is not None and changed_ago is not None and changed_ago - forward_ago < 9:
        forward_ago = draw.randrange(0, changed_ago - 8)
    starts = ends = text = None
    if draw.random() < 0.45:
        starts, length = draw.randrange(-40, 30), draw.randrange(1, AWAY_DAYS[plan])
        ends = starts + length
        text = draw.choice([words for use, words in AWAY if use == ("work" if works else "home")]).format(
            b=_spoken(world.day(ends + 1)), p=_person(draw)[0]
        )
    address = f"{given}.{family}{number or ''}@lakeside.example.com".lower()
    fee, owes = fee_ago is not None, balance > OWED_CENTS
    row = world.insert(
        "account",
        holder_name=f"{given} {family}",
        email=address,
        phone=f"({areas[count // 100 % len(areas)]}) 555-01{count % 100:02d}",
        zip_code=f"{zip_start:03d}{zip_code:02d}",
        recovery_email=f"{given[0]}{family}{draw.randrange(10, 99)}@example.{draw.choice(('com', 'net', 'org'))}".lower()
        if draw.random() < 0.8
        else None,
        contact_changed_on=None if changed_ago is None else _office_day(world, changed_ago),
        plan=plan,
        state=state,
        opened_on=_office_day(world, age),
        plan_since=_office_day(world, age if owes or draw.random() < 0.3 else draw.randrange(1, age)),
        renews_on=world.day(draw.randrange(1, 31)),
        extra_storage_mb=50 * draw.randrange(1, 5) if plan != "free" and draw.random() < 0.35 else 0,
        balance_cents=balance,
        card_last4=f"{draw.randrange(1000, 9999)}" if draw.random() < (0.45 if plan == "free" else 0.88) else None,
        last_paid_on=None if paid_ago is None else _office_day(world, paid_ago),
        credits_this_year_cents=credit,
        last_credit_on=None if credit_ago is None else _office_day(world, credit_ago),
        last_fee_kind=fee_kind if fee else None,
        last_fee_cents=small if fee else None,
        last_fee_on=_office_day(world, fee_ago) if fee else None,
        forward_to=None if forward_ago is None else _person(draw)[1],
        forwarding_since=None if forward_ago is None else _office_day(world, forward_ago),
        vacation_starts_on=None if starts is None else world.day(starts),
        vacation_ends_on=None if ends is None else world.day(ends),
        vacation_text=text,
    )
    left = (PLAN_MB[plan] + row["extra_storage_mb"]) * 1000
    keeps_much = plan != "free" and draw.random() < 0.5
    weight = draw.choices((0.1, 1, 2, 4), (2, 4, 4, 3))[0]
    return {
        "row": row,
        "use": "work" if works else "home",
        "owes": owes,
        "age": age,
        "left": left,
        "much": keeps_much,
        "weight": weight,
        "scheduled": 0,
        "recalls": 0,
        "restores": 0,
        "on": 0,
        "full_ago": 0,
        "paused_ago": age,
        "last": None,
        "names": set(),
    }


def _add_message(world, account):
    draw, row, age = world.random, account["row"], account["age"]
    again = account["last"] if draw.random() < 0.2 else None
    if again is None:
        wanted = [kind for kind in KINDS if kind[0] == account["use"]]
        kind = draw.choices(
            wanted, [(4 if account["much"] and one[6] >= 6000 else 1) * (2 if one[1] == "out" else 1) for one in wanted]
        )[0]
        again = (kind, draw.choice(kind[3]), _company(draw, kind[4]) if kind[4] else _person(draw))
    account["last"] = again
    (_, way, subject, _, trade, file_kind, low, high, body), detail, (name, address) = again
    subject = subject.format(d=detail)
    size = draw.randrange(low, high)
    if size > account["left"] * 0.8:
        size, file_kind = min(draw.randrange(8, 60), account["left"] // 4 + 1), ""
    account["left"] -= size
    message = {
        "account_id": row["account_id"],
        "correspondent_name": name,
        "correspondent_email": address,
        "subject": subject,
        "body": body.format(d=detail),
        "size_kb": size,
        "is_read": 1,
        "attachment_name": f"{_dashed(subject)}.{file_kind}" if file_kind else None,
    }
    if way == "in":
        junk = trade in ("Outlet", "Prize Center")
        folder = draw.choices(("inbox", "archive", "spam", "trash"), (2, 1, 4, 3) if junk else (10, 4, 1, 5))[0]
        message["is_read"] = int(draw.random() < {"inbox": 0.55, "archive": 0.9, "spam": 0.2, "trash": 0.7}[folder])
        before = draw.choices(("inbox", "archive", "spam"), (1, 0, 3) if junk else (6, 3, 1))[0]
        days_ago = draw.randrange(0, min(age, draw.choice((4, 14, 45, 240))))
    else:
        folder = draw.choices(
            ("drafts", "scheduled", "sent", "trash"), (10, 0, 0, 3) if account["owes"] else (4, 6, 12, 3)
        )[0]
        if folder == "scheduled" and (row["state"] == "suspended" or account["scheduled"] >= SCHEDULED[row["plan"]]):
            folder = draw.choice(("drafts", "sent"))
        before = draw.choice(("drafts", "sent"))
        if account["owes"]:  # nothing of theirs was sent or scheduled
            folder, before = "trash" if folder == "trash" else "drafts", "drafts"
        days_ago = draw.randrange(0, min(age, draw.choice((2, 3, 4, 12, 90))))
    if folder == "trash":
        trash_ago = draw.randrange(0, min(age, draw.choice((5, 12, 30, 60))))
        days_ago = min(trash_ago + draw.randrange(0, 40), age - 1)
    dated_at = _past(world, days_ago)
    recalled_at = _recall(world, account, folder, days_ago, dated_at) if way == "out" else None
    restored_at = opened_at = trashed_at = None
    if folder in ("inbox", "archive", "drafts") and recalled_at is None and draw.random() < 0.25:
        restored_ago = draw.randrange(0, days_ago + 1)
        if restored_ago > 8 or account["restores"] < RESTORES[row["plan"]]:
            account["restores"] += restored_ago <= 8
            restored_at = _after(world, dated_at, restored_ago)
    if folder == "sent" or folder == "trash" and before == "sent":
        latest = add_minutes(dated_at, draw.randrange(4, 3000))
        if draw.random() < (0.35 if days_ago < 5 else 0.7) and latest < world.now:
            opened_at = latest
    if folder == "scheduled":
        account["scheduled"] += 1
        message["send_at"] = world.moment(
            draw.randrange(1, 15), f"{draw.randrange(7, 20):02d}:{draw.choice(('00', '15', '30', '45'))}"
        )
    if folder == "trash":
        trashed_at = _after(world, opened_at or dated_at, trash_ago)
        if trashed_at >= world.now:
            trashed_at, opened_at = _after(world, dated_at, trash_ago), None
    world.insert(
        "message",
        folder=folder,
        dated_at=dated_at,
        opened_at=opened_at,
        recalled_at=recalled_at,
        restored_at=restored_at,
        trashed_at=trashed_at,
        folder_before_trash=before if folder == "trash" else None,
        **message,
    )


def _recall(world, account, folder, days_ago, dated_at):
    """When an outgoing message was recalled: a draft as it is dated, one sent again a while before."""
    draw, this_month = world.random, world.today[:7]
    if folder == "trash" or draw.random() > {"drafts": 0.35, "scheduled": 0.15, "sent": 0.2}[folder]:
        return None
    recalled_at = dated_at
    if folder == "sent":
        recalled_at = _past(world, min(days_ago + draw.randrange(1, 6), account["age"] - 1))
    if recalled_at > dated_at:
        return None
    if recalled_at[:7] == this_month:
        if account["recalls"] >= RECALLS[account["row"]["plan"]]:
            return None
        account["recalls"] += 1
    return recalled_at


def _add_filter(world, account):
    draw, row = world.random, account["row"]
    parts = {
        "h": _company(draw, draw.choice(HOME_TRADES))[0],
        "w": _company(draw, draw.choice(WORK_TRADES))[0],
        "p": _person(draw)[0],
        "s": draw.choice(STREETS),
        "d": draw.choice(PRODUCTS).capitalize(),
        "t": draw.choice(TOWNS),
    }
    fitting = [kind for kind in FILTERS if kind[0] in (account["use"], "both")]
    _, name, match_on, match_text, actions = draw.choice(
        [kind for kind in fitting if kind[1].format(**parts) not in account["names"]]
    )
    name, action = name.format(**parts), draw.choice(actions)
    account["names"].add(name)
    made_ago = draw.randrange(0, min(account["age"], draw.choice((20, 120, 700))))
    left = FILTERS_ON[row["plan"]] - account["on"]
    on = left > 0 and draw.random() < 0.7 and (left > 1 or account["paused_ago"] > 0)
    if on and left == 1:  # the last one allowed is newer than those that are paused
        account["full_ago"] = made_ago = draw.randrange(0, min(20, account["paused_ago"]))
    elif left == 0:
        made_ago = min(account["full_ago"] + draw.randrange(1, 90), account["age"] - 1)
    account["on"] += on
    if not on:
        account["paused_ago"] = min(account["paused_ago"], made_ago)
    caught = draw.randrange(1, min(made_ago, 90) + 1) if made_ago and draw.random() < 0.8 else 0
    world.insert(
        "filter",
        account_id=row["account_id"],
        name=name,
        match_on=match_on,
        match_text=match_text.format(**parts),
        action=action,
        forward_to=_person(draw)[1] if action == "forward" else None,
        is_enabled=int(on),
        created_at=_past(world, made_ago),
        match_count=caught,
        last_matched_on=world.day(-draw.randrange(0, made_ago)) if caught else None,
    )
