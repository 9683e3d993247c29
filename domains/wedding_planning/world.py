"""Fill a wedding planning office: clients, their weddings and guests, vendors booked for them, meetings, and accounts."""

from runtime import WorldBuilder, add_minutes, days_between, weekday

INVARIANTS = {
    "No date has more than three contracted weddings.": """
        SELECT wedding_id FROM wedding AS mine WHERE status = 'contracted' AND (SELECT count(*) FROM wedding AS other
            WHERE other.status = 'contracted' AND other.wedding_date = mine.wedding_date) > 3
    """,
    "The seats of a wedding's guests stay within its guest limit.": """
        SELECT wedding_id FROM wedding WHERE guest_limit < (SELECT coalesce(sum(
            CASE rsvp_status WHEN 'accepted' THEN attending_count WHEN 'declined' THEN 0 ELSE party_size END
        ), 0) FROM guest WHERE guest.wedding_id = wedding.wedding_id)
    """,
    "A seated guest has a table of the wedding, and a table seats no more people than it has seats.": """
        SELECT guest_id FROM guest JOIN wedding ON wedding.wedding_id = guest.wedding_id
        WHERE table_number > table_count OR seats_per_table < (SELECT sum(other.attending_count) FROM guest AS other
            WHERE other.wedding_id = guest.wedding_id AND other.table_number = guest.table_number)
    """,
    "A confirmed booking is for a contracted wedding, a requested one for an open wedding, both on the wedding's date.": """
        SELECT booking_id FROM booking JOIN wedding ON wedding.wedding_id = booking.wedding_id
        WHERE (booking.status = 'confirmed' AND wedding.status <> 'contracted')
            OR (booking.status = 'requested' AND wedding.status NOT IN ('inquiry', 'contracted'))
            OR (booking.status IN ('requested', 'confirmed') AND service_date <> wedding_date)
    """,
    "Scheduled appointments do not overlap, for there is one meeting room.": """
        SELECT appointment_id FROM appointment AS mine WHERE status = 'scheduled' AND EXISTS (
            SELECT 1 FROM appointment AS other
            WHERE other.status = 'scheduled' AND other.appointment_id <> mine.appointment_id
                AND other.starts_at >= mine.starts_at
                AND other.starts_at < datetime(mine.starts_at, '+' || mine.duration_minutes || ' minutes'))
    """,
    "An appointment's wedding is the client's own, and it is open while the appointment is scheduled.": """
        SELECT appointment_id FROM appointment JOIN wedding ON wedding.wedding_id = appointment.wedding_id
        WHERE wedding.client_id <> appointment.client_id
            OR (appointment.status = 'scheduled' AND wedding.status NOT IN ('inquiry', 'contracted'))
    """,
    "A completed wedding has taken place.": """
        SELECT wedding_id FROM wedding WHERE status = 'completed' AND wedding_date > '2026-03-05'
    """,
}

GIVEN = (
    "Marisol",
    "Derek",
    "Hannah",
    "Daniel",
    "Priya",
    "Kevin",
    "Aaliyah",
    "Tom",
    "Denise",
    "Miguel",
    "Grace",
    "Andre",
    "Lauren",
    "Omar",
    "Beth",
    "Carlos",
    "Whitney",
    "Trevor",
    "Simone",
    "Nathan",
    "Elena",
    "Marcus",
    "Jasmine",
    "Cody",
    "Renee",
    "Victor",
    "Paige",
    "Jamal",
    "Kristen",
    "Luis",
    "Monica",
    "Brandon",
    "Tiffany",
    "Ethan",
    "Gabriela",
    "Sean",
    "Naomi",
    "Patrick",
    "Vanessa",
    "Wesley",
    "Leah",
    "Hector",
    "Allison",
    "Dominic",
    "Brooke",
    "Terrence",
)
FAMILY = (
    "Walker",
    "Ortega",
    "Raman",
    "Tran",
    "Brooks",
    "Kowalski",
    "Rivera",
    "Olsen",
    "Bright",
    "Chen",
    "Nguyen",
    "Hughes",
    "Delgado",
    "Foster",
    "Okafor",
    "Patel",
    "Schmidt",
    "Garza",
    "Whitaker",
    "Lindgren",
    "Moreno",
    "Callahan",
    "Banks",
    "Yamada",
    "Petrov",
    "Hollis",
    "Vasquez",
    "Mercer",
    "Dixon",
    "Fuentes",
    "Barrett",
    "Singh",
    "Novak",
    "Castillo",
    "Prescott",
    "Haddad",
    "Simmons",
    "Villarreal",
    "Keller",
    "Boyd",
    "Romano",
    "Espinoza",
    "Thornton",
    "Park",
    "Gallagher",
    "Medina",
    "Sutton",
    "Cisneros",
    "Whitfield",
    "Hartman",
    "Salinas",
    "Pruitt",
    "Ibarra",
    "Langley",
    "Doyle",
    "Cantu",
    "Abernathy",
    "Reyes",
    "Stokes",
    "McBride",
)
# city, area codes, ZIP codes
PLACES = (
    ("Austin", (512, 737), 787, 1, 59),
    ("San Antonio", (210, 726), 782, 1, 60),
    ("Houston", (713, 832), 770, 2, 99),
    ("Dallas", (214, 469), 752, 1, 54),
    ("Fort Worth", (817, 682), 761, 2, 40),
    ("Waco", (254, 254), 767, 1, 16),
    ("Corpus Christi", (361, 361), 784, 1, 19),
    ("Tyler", (903, 430), 757, 1, 13),
    ("Beaumont", (409, 409), 777, 1, 13),
    ("College Station", (979, 979), 778, 40, 45),
    ("Lubbock", (806, 806), 794, 1, 24),
    ("Midland", (432, 432), 797, 1, 12),
    ("El Paso", (915, 915), 799, 1, 38),
    ("Laredo", (956, 956), 780, 40, 46),
)
# name around the family name, category, basis, rate in dollars from and to (in steps), deposits, most guests, days of notice
VENDORS = (
    ("{} Oaks Estate", "venue", "flat", 6500, 12000, 250, (25, 30, 50), (150, 180, 220), (60, 90)),
    ("{} Family Catering", "catering", "per_guest", 48, 85, 1, (20, 25), (200, 250, 0), (21, 30)),
    ("{} Photography", "photography", "flat", 2400, 4800, 100, (25, 50), (0, 0), (30, 45)),
    ("{} Floral Design", "florals", "flat", 1400, 4200, 50, (30, 50), (0, 0), (21, 30)),
    ("DJ {} Entertainment", "music", "flat", 900, 1900, 50, (20, 50), (0, 0), (14, 30)),
    ("{} Cake Studio", "cake", "per_guest", 6, 11, 1, (50, 50), (180, 250), (14, 21)),
    ("{} Hair & Makeup", "beauty", "flat", 650, 1500, 25, (25, 40), (0, 0), (7, 14)),
    ("{} Limousine Service", "transportation", "flat", 700, 1800, 50, (25, 25), (0, 0), (7, 14)),
    ("Rev. {} Ceremonies", "officiant", "flat", 350, 700, 25, (0, 50), (0, 0), (7, 14)),
    ("{} Vineyard", "venue", "flat", 7500, 14500, 250, (30, 50), (120, 160, 200), (90, 120)),
    ("{} Smokehouse Catering", "catering", "per_guest", 32, 52, 1, (20, 25), (300, 0), (14, 21)),
    ("{} Wedding Films", "photography", "flat", 2800, 5200, 100, (30, 50), (0, 0), (30, 45)),
    ("{} Blooms", "florals", "flat", 900, 2600, 50, (30, 50), (0, 0), (14, 21)),
    ("The {} Band", "music", "flat", 3200, 6800, 100, (30, 50), (0, 0), (45, 60)),
    ("{} Bakery", "cake", "per_guest", 5, 9, 1, (30, 50), (150, 200), (10, 14)),
    ("{} Bridal Beauty", "beauty", "flat", 800, 1900, 25, (25, 50), (0, 0), (14, 14)),
    ("{} Shuttle Company", "transportation", "flat", 550, 1250, 50, (20, 25), (56, 112), (7, 10)),
    ("Officiant {}", "officiant", "flat", 300, 600, 25, (0, 25), (0, 0), (7, 10)),
    ("{} Barn at Cedar Creek", "venue", "flat", 3800, 7200, 100, (25, 30), (100, 140), (60, 60)),
    ("{} Kitchen & Bar", "catering", "per_guest", 58, 96, 1, (25, 30), (120, 160), (21, 30)),
    ("{} Portrait Studio", "photography", "flat", 1800, 3400, 100, (25, 30), (0, 0), (21, 30)),
    ("{} Petal & Stem", "florals", "flat", 1100, 3100, 50, (40, 50), (0, 0), (21, 21)),
    ("{} String Quartet", "music", "flat", 1200, 2400, 50, (25, 50), (0, 0), (21, 30)),
    ("{} Sweets", "cake", "flat", 420, 980, 10, (50, 50), (120, 150), (10, 14)),
    ("{} Salon", "beauty", "flat", 500, 1100, 25, (20, 25), (0, 0), (5, 7)),
    ("{} Classic Cars", "transportation", "flat", 650, 1400, 50, (25, 50), (0, 0), (10, 14)),
    ("Judge {} Weddings", "officiant", "flat", 250, 500, 25, (0, 0), (0, 0), (5, 7)),
    ("{} House & Gardens", "venue", "flat", 4800, 9200, 100, (30, 40), (80, 110), (60, 90)),
    ("{} Taqueria Catering", "catering", "per_guest", 24, 42, 1, (20, 20), (250, 0), (10, 14)),
    ("{} Photo Booths", "photography", "flat", 600, 1100, 25, (25, 50), (0, 0), (10, 14)),
    ("{} Garden Flowers", "florals", "flat", 800, 1900, 50, (30, 30), (0, 0), (14, 14)),
    ("Mariachi {}", "music", "flat", 750, 1600, 50, (25, 50), (0, 0), (14, 21)),
    ("{} Patisserie", "cake", "per_guest", 8, 14, 1, (40, 50), (140, 180), (14, 21)),
    ("{} Barber Lounge", "beauty", "flat", 320, 640, 20, (0, 20), (0, 0), (3, 5)),
    ("{} Coach Lines", "transportation", "flat", 900, 1900, 50, (25, 25), (112, 168), (14, 21)),
    ("{} Ranch", "venue", "flat", 5200, 9800, 100, (25, 50), (160, 240), (60, 90)),
    ("{} Market Catering", "catering", "per_guest", 38, 64, 1, (25, 25), (150, 200), (14, 21)),
    ("{} & Daughters Flowers", "florals", "flat", 1200, 2900, 50, (30, 50), (0, 0), (14, 21)),
    ("{} Jazz Trio", "music", "flat", 1400, 2600, 50, (25, 30), (0, 0), (21, 30)),
    ("{} Ballroom", "venue", "flat", 5800, 11000, 100, (30, 50), (200, 280), (90, 120)),
)
# what it begins with, who does it, days before the wedding, what it is about
TASKS = (
    (
        "Pick",
        "client",
        120,
        ("the linen colors", "the napkin style", "the chair covers", "the aisle runner", "the invitation paper"),
    ),
    (
        "Order",
        "client",
        90,
        ("the wedding bands", "the guest book", "the party favors", "the cake topper", "the unity candle"),
    ),
    (
        "Send the planner",
        "client",
        75,
        ("the song list", "the guest addresses", "the allergy list", "the photo list", "the reading texts"),
    ),
    (
        "Draft",
        "planner",
        60,
        (
            "the day-of timeline",
            "the seating chart",
            "the vendor contact sheet",
            "the rain plan",
            "the ceremony script",
        ),
    ),
    (
        "Confirm with the venue",
        "planner",
        45,
        ("the load-in time", "the parking plan", "the bar hours", "the noise cutoff", "the floor plan"),
    ),
    (
        "Confirm with the caterer",
        "planner",
        30,
        ("the final headcount", "the vegan plates", "the kids' meals", "the bar package", "the late-night snack"),
    ),
    (
        "Schedule",
        "planner",
        100,
        ("the dress fitting", "the hair trial", "the engagement photos", "the cake tasting", "the rehearsal"),
    ),
    (
        "Review",
        "client",
        110,
        ("the catering quote", "the florist proposal", "the band contract", "the photo package", "the rental estimate"),
    ),
    (
        "Book rooms for",
        "client",
        150,
        ("the wedding party", "the grandparents", "the out-of-town guests", "the band", "the wedding night"),
    ),
    (
        "Print",
        "planner",
        20,
        ("the place cards", "the menus", "the ceremony programs", "the table numbers", "the welcome sign"),
    ),
    (
        "Mail",
        "client",
        85,
        ("the save-the-dates", "the invitations", "the rehearsal dinner cards", "the hotel list", "the shower invites"),
    ),
    (
        "Choose",
        "client",
        130,
        (
            "the first dance song",
            "the ceremony readings",
            "the groomsmen ties",
            "the bouquet flowers",
            "the cake flavors",
        ),
    ),
    (
        "Request a quote for",
        "planner",
        140,
        ("a tent", "string lights", "a dance floor", "heaters", "lounge furniture"),
    ),
    (
        "Collect",
        "planner",
        25,
        (
            "the marriage license copy",
            "the insurance certificate",
            "the vendor tip envelopes",
            "the baby photos",
            "the vows",
        ),
    ),
    (
        "Walk through",
        "planner",
        14,
        ("the ceremony order", "the processional music", "the family photo groups", "the toast order", "the exit plan"),
    ),
    (
        "Call about",
        "planner",
        35,
        ("the shuttle times", "the dessert table", "the piano tuning", "the bridal suite key", "the power outlets"),
    ),
    (
        "Pay",
        "client",
        40,
        (
            "the alterations",
            "the invitation designer",
            "the hotel block deposit",
            "the rehearsal dinner bill",
            "the dance lessons",
        ),
    ),
    (
        "Arrange",
        "planner",
        28,
        (
            "childcare during the party",
            "a ride for the officiant",
            "wheelchair seating",
            "a pet sitter",
            "the coat check",
        ),
    ),
    (
        "Finalize",
        "planner",
        21,
        ("the flower count", "the bar menu", "the playlist", "the table layout", "the ceremony chairs"),
    ),
    (
        "Pack",
        "client",
        5,
        ("the emergency kit", "the overnight bag", "the guest book pens", "the cake knife", "the honeymoon luggage"),
    ),
    ("Pick up", "client", 7, ("the dress", "the tuxedos", "the rings", "the welcome bags", "the marriage license")),
    (
        "Taste",
        "client",
        95,
        ("the dinner menu", "the signature cocktails", "the cake fillings", "the wine list", "the brunch menu"),
    ),
    (
        "Compare",
        "client",
        145,
        ("three photographers", "two florists", "the tent sizes", "the hotel blocks", "the honeymoon offers"),
    ),
    (
        "Ask the couple about",
        "planner",
        70,
        ("the family seating", "the ceremony language", "the gift table", "the first look", "the send-off"),
    ),
    (
        "Reserve",
        "planner",
        115,
        ("the tasting room", "the getaway car", "the rehearsal space", "the backup generator", "the vintage china"),
    ),
    (
        "Update",
        "planner",
        50,
        ("the budget sheet", "the wedding website", "the shuttle list", "the meal counts", "the vendor addresses"),
    ),
    (
        "Write",
        "client",
        18,
        ("the thank-you notes", "the toast", "the vows", "the welcome letter", "the in-memoriam card"),
    ),
    (
        "Return",
        "client",
        3,
        ("the signed floor plan", "the sample linens", "the menu form", "the music form", "the song sheet"),
    ),
    ("Measure", "planner", 55, ("the arch", "the head table", "the stage", "the aisle", "the cake table")),
    (
        "Double-check",
        "planner",
        10,
        ("the sunset time", "the arrival times", "the mic setup", "the boutonniere count", "the weather plan"),
    ),
    (
        "Decide on",
        "client",
        80,
        ("the seating style", "the dress code", "the kids policy", "the open bar", "the photo booth"),
    ),
    (
        "Register for",
        "client",
        160,
        ("the gift registry", "the honeymoon fund", "the dance class", "the name change", "the marriage license"),
    ),
    ("Try on", "client", 105, ("the veil", "the shoes", "the suits", "the jewelry", "the bridesmaid dresses")),
    (
        "Share",
        "client",
        65,
        ("the guest list draft", "the mood board", "the family tree", "the color palette", "the vendor wish list"),
    ),
    (
        "Remind",
        "planner",
        15,
        ("the readers", "the ushers", "the toast givers", "the flower girl's parents", "the late RSVPs"),
    ),
    ("Check in with", "planner", 42, ("the photographer", "the florist", "the DJ", "the baker", "the officiant")),
    ("Label", "client", 6, ("the favors", "the family photos", "the card box", "the reserved rows", "the gift bags")),
    (
        "Sign",
        "client",
        125,
        ("the venue addendum", "the bar waiver", "the photo release", "the hotel agreement", "the rental contract"),
    ),
    (
        "Design",
        "planner",
        88,
        ("the escort display", "the centerpieces", "the ceremony backdrop", "the lounge corner", "the bar sign"),
    ),
    (
        "Set aside",
        "client",
        12,
        ("the vendor tips", "the heirloom brooch", "the something blue", "the spare ring box", "the parents' gifts"),
    ),
)
NOTES = {
    "venue": (
        "Garden ceremony, ballroom if it rains",
        "Need the bridal suite from the morning",
        "Ceremony on the lawn, dinner inside",
        "Round tables, no head table",
    ),
    "catering": (
        "Buffet with a vegetarian station",
        "Plated dinner, two entrees",
        "No peanuts in the kitchen",
        "Family-style dinner, late-night tacos",
    ),
    "photography": (
        "Two photographers, no posed table shots",
        "First look before the ceremony",
        "Mostly candid pictures",
        "Include the rehearsal dinner",
    ),
    "florals": (
        "White and green, no lilies",
        "Wildflowers in bud vases",
        "Arch and eight centerpieces",
        "Peonies if they are in season",
    ),
    "music": ("No line dances please", "Spanish and English songs", "Acoustic set during dinner", "Quiet after 10 PM"),
    "cake": (
        "Lemon and raspberry, three tiers",
        "One gluten-free tier",
        "Buttercream, no fondant",
        "Sheet cake for the kitchen",
    ),
    "beauty": (
        "Bride and four bridesmaids",
        "Trial run a month ahead",
        "Natural look, updo",
        "Two stylists so we finish on time",
    ),
    "transportation": (
        "Two round trips from the hotel",
        "Pickup at the church",
        "Wheelchair lift needed",
        "Champagne on ice for the couple",
    ),
    "officiant": (
        "Short nonreligious ceremony",
        "Bilingual ceremony",
        "We wrote our own vows",
        "Mention the grandparents by name",
    ),
}
TIMES = (
    "",
    "; arrive by 2:30 PM",
    "; arrive by noon",
    "; set up the day before",
    "; call Mom with questions",
    "; done by 10 PM",
    "; ask about parking",
    "; use the side entrance",
)
WEDDING_REASONS = (
    "We decided to elope",
    "Moving overseas for work",
    "The engagement is off",
    "Found a planner closer to home",
    "Family illness",
    "Postponed with no new date",
    "Budget got too tight",
    "Expecting a baby in the summer",
    "Going with a courthouse ceremony",
    "Military deployment",
    "Parents are planning it themselves",
    "We want a smaller party at home",
)
BOOKING_REASONS = (
    "Found someone cheaper",
    "Vendor double-booked",
    "Too far from the venue",
    "Changed our minds on the style",
    "A friend will do it",
    "Quote went over budget",
    "Vendor stopped answering",
    "Not needed for a small party",
    "Bad reviews from a cousin",
    "Menu did not work for us",
    "Venue has its own",
)
VOIDS = (
    "Entered twice",
    "Wrong amount",
    "Posted to the wrong wedding",
    "Card was declined after all",
    "Check bounced",
    "Client was quoted a lower price",
    "Fee waived by the owner",
    "Typo in the amount",
    "Wrong date on the receipt",
    "Test entry",
)
DIETS = (
    "No peanuts",
    "Gluten free",
    "Lactose intolerant",
    "No shellfish",
    "Kosher meal",
    "Halal meal",
    "Diabetic, low sugar",
    "Allergic to strawberries",
    "No pork",
    "Needs a high chair",
    "Uses a wheelchair",
    "Pregnant, no soft cheese",
)
# category, words, dollars from and to
EXTRAS = (
    ("rush", "Rush planning fee", 250, 600),
    ("rush", "Weekend rush order of signage", 90, 240),
    ("other", "Extra consultation", 75, 150),
    ("other", "Second coordinator on the day", 350, 650),
    ("other", "Printed welcome signs", 60, 180),
    ("other", "Travel to the venue", 45, 160),
    ("other", "Rehearsal coordination", 200, 400),
)
CREDITS = (
    ("goodwill", "For the late timeline"),
    ("goodwill", "Thank you for your patience"),
    ("goodwill", "Missed call on the tasting day"),
    ("vendor", "Vendor lowered the final bill"),
    ("planning", "Referral discount"),
    ("other", "Unused print order"),
)
PARTIES = ("Wedding", "Wedding", "Welcome Dinner", "Engagement Party", "Vow Renewal", "Rehearsal Dinner")
FEES = {"day_of": (1200, 2200), "partial": (2500, 4800), "full_service": (5500, 12000)}
CLOCKS = ("09:30", "11:30", "14:00", "16:00")
STARTS = ("11:00", "13:30", "15:00", "16:00", "16:30", "17:00", "17:30", "18:00")
WEEKEND = ("Friday", "Saturday", "Sunday")
# how many children the weddings of a state have, dealt in turn
CHILDREN = {
    "guests": {
        "inquiry": (0, 1, 0, 2),
        "contracted": (3, 0, 9, 4, 2, 12, 6, 1),
        "completed": (3, 0, 2, 4),
        "canceled": (0, 2),
    },
    "trades": {
        "inquiry": (0, 1, 0, 2),
        "contracted": (2, 1, 4, 1, 3, 1),
        "completed": (2, 1, 3),
        "canceled": (1, 0, 2),
    },
    "tasks": {"inquiry": (0, 1), "contracted": (2, 1, 3, 1, 5), "completed": (1, 0, 2), "canceled": (1, 0)},
    "meetings": {"inquiry": (1, 0, 1, 2), "contracted": (1, 0, 2, 1, 0, 4), "completed": (1, 0), "canceled": (0, 1)},
}


def populate(world: WorldBuilder) -> None:
    """A wedding brings about twelve rows with it: bookings, guests, tasks, appointments, ledger entries, most of a client."""
    draw = world.random
    vendors = {}
    for number in range(world.share(0.05, least=9)):
        vendor = _add_vendor(world, number)
        vendors.setdefault(vendor["category"], []).append(vendor)
    plans = _plan_weddings(world, world.share(0.078, least=2))
    people = world.share(0.075, least=3)
    owners = draw.sample(range(people), max(1, people * 4 // 5))
    owned = {}
    for number, plan in enumerate(plans):
        owner = owners[number] if number < len(owners) * 3 // 4 else draw.choice(owners)
        owned.setdefault(owner, []).append(plan)
    clients = []
    for number in range(people):
        clients.append(_add_client(world, number, clients, owned.get(number, [])))
    days = [day for day in range(people // 2 + 14) if weekday(world.day(day)) != "Sunday"]
    slots = [(day, clock) for day in days for clock in CLOCKS]  # the meeting room from today on
    draw.shuffle(slots)
    room = {"taken": set(), "free": slots}
    taken = set()
    for number in draw.sample(range(people), people):
        client, mine = clients[number], owned.get(number, [])
        partner = f"{draw.choice(GIVEN)} {draw.choice(FAMILY)}"
        if draw.random() < (0.1 if mine else 0.8):
            _add_appointment(world, room, client, None, None)
        for order, plan in enumerate(mine):
            names = f"{client['full_name'].split()[-1]}-{partner.split()[-1]}"
            plan["title"] = f"{names} {draw.choice(PARTIES) if order else 'Wedding'}"
            _add_wedding(world, client, partner, plan, vendors, taken, room)


def _open(world, day):
    """The day as an offset from today, or the Saturday before if it is a Sunday."""
    return day - 1 if weekday(world.day(day)) == "Sunday" else day


def _at(world, day):
    return world.moment(_open(world, day), f"{world.random.randrange(9, 18):02d}:{world.random.randrange(60):02d}")


def _on(world, day):
    return None if day is None else world.day(_open(world, day))


def _between(draw, low, high):
    return low if high <= low else draw.randrange(low, high + 1)


def _cents(draw, low, high, step):
    return draw.randrange(low, high + 1, step) * 100


def _add_vendor(world, number):
    draw = world.random
    name, category, basis, low, high, step, deposits, most, notice = VENDORS[number % len(VENDORS)]
    family = FAMILY[(number // len(VENDORS) * 7 + number % len(VENDORS) * 11) % len(FAMILY)]
    city, areas, _, _, _ = draw.choice(PLACES)
    return world.insert(
        "vendor",
        name=name.format(family),
        category=category,
        city=city,
        price_basis=basis,
        phone=f"{draw.choice(areas)}-555-01{draw.randrange(100):02d}",
        rate_cents=_cents(draw, low, high, step),
        deposit_percent=draw.choice(deposits),
        max_guests=draw.choice(most) or None,
        cancel_notice_days=draw.choice(notice),
        active=int(number < 9 or draw.random() < 0.88),
    )


def _add_client(world, number, clients, plans):
    draw = world.random
    given, family = draw.choice(GIVEN), draw.choice(FAMILY)
    if number % 4 == 3:  # a namesake of somebody in another city
        given, family = clients[number - draw.randrange(1, 4)]["full_name"].split()
    _, areas, start, low, high = PLACES[number % len(PLACES)]
    first = min([plan["opened"] for plan in plans], default=-draw.randrange(8, 200))
    return world.insert(
        "client",
        full_name=f"{given} {family}",
        zip_code=f"{start}{draw.randrange(low, high + 1):02d}",
        email=f"{given}.{family}{number}@example.{draw.choice(('com', 'com', 'net', 'org'))}".lower(),
        phone=f"{areas[number // (100 * len(PLACES)) % 2]}-555-01{number // len(PLACES) % 100:02d}",
        preferred_contact=draw.choice(("email", "email", "phone")),
        created_at=_at(world, first - draw.randrange(2, 25)),
    )


def _plan_weddings(world, count):
    """What becomes of each wedding, with its days as offsets from today, and how many children it has."""
    draw = world.random
    states = draw.choices(("inquiry", "contracted", "completed", "canceled"), (26, 46, 14, 14), k=count)
    states[0] = "contracted"
    ahead = [day for day in range(9, 560) if weekday(world.day(day)) in WEEKEND]
    past = [day for day in range(-420, -5) if weekday(world.day(day)) in WEEKEND]
    popular = [day for day in ahead if day > 60 and weekday(world.day(day)) == "Saturday"][:2]
    wanted = states.count("contracted")
    full = [popular[0], popular[0], popular[0], popular[1], popular[1]] if count > 12 and wanted > 6 else []
    late = [day for day in past for _ in range(3) if day > -45]  # they took place and wait to be completed
    late = draw.sample(late, min(50, wanted // 11))
    free = [day for day in ahead for _ in range(3) if day not in popular]
    days = full + late + draw.sample(free, wanted - len(full) - len(late))
    draw.shuffle(days)
    plans = []
    for status in states:
        if status == "contracted":
            day = days.pop()
        elif status == "inquiry":
            day = popular[0] if draw.random() < 0.15 else draw.choice(ahead)
        else:
            day = draw.choice(past) if status == "completed" else draw.choice(ahead + past)
        opened = min(-40, day - 90) - draw.randrange(0, 300)
        if status == "inquiry":
            opened = -draw.randrange(9, 70)
            day = -draw.randrange(1, 3) if draw.random() < 0.04 else day
        plan = {"status": status, "day": day, "opened": opened, "signed": None, "canceled": None}
        if status in ("contracted", "completed") or (status == "canceled" and draw.random() < 0.6):
            plan["signed"] = opened + draw.randrange(3, 20)
        if status == "canceled":
            plan["canceled"] = _between(draw, (plan["signed"] or opened) + 10, min(-2, day - 10))
        plans.append(plan)
    for child, counts in CHILDREN.items():
        for status, numbers in counts.items():
            group = [plan for plan in plans if plan["status"] == status]
            for turn, plan in enumerate(draw.sample(group, len(group))):
                plan[child] = numbers[turn % len(numbers)]
    return plans


def _plan_guests(draw, plan):
    """Parties on the list, with their answers."""
    day, signed = plan["day"], plan["signed"]
    last = min(-2, day - 15) if plan["canceled"] is None else plan["canceled"] - 1
    weights = (12, 20, 48, 20) if day < 150 else (40, 33, 17, 10)
    if plan["status"] == "completed":
        weights = (0, 4, 72, 24)
    guests = []
    for family in draw.sample(FAMILY, plan["guests"]):
        size = draw.choices((1, 2, 3, 4, 5, 6, 8), (30, 38, 10, 12, 5, 3, 2))[0]
        given = f"{draw.choice(GIVEN)} and {draw.choice(GIVEN)}" if size == 2 else draw.choice(GIVEN)
        name = f"The {given} {family} Family" if size > 2 else f"{given} {family}"
        answer = draw.choices(("draft", "invited", "accepted", "declined"), weights)[0]
        if signed is None or signed + 6 > last:
            answer = "draft"
        guest = {"full_name": name, "party_size": size, "rsvp_status": answer}
        guest["side"] = draw.choices(("client", "partner", "both"), (45, 40, 15))[0]
        if answer != "draft":
            guest["invited"] = _between(draw, max(signed + 2, day - 150), last - 2)
        if answer in ("accepted", "declined"):
            guest["responded"] = _between(draw, guest["invited"] + 2, last)
            guest["attending_count"] = 0
        if answer == "accepted":
            guest["attending_count"] = size if draw.random() < 0.8 else draw.randrange(1, size + 1)
            if draw.random() < 0.75:
                meals = ("chicken", "beef", "fish", "vegetarian", "vegan", "kids")
                guest["meal"] = draw.choices(meals, (30, 25, 18, 12, 9, 6))[0]
        if draw.random() < 0.2:
            guest["dietary_note"] = draw.choice(DIETS)
        guests.append(guest)
    return guests


def _add_wedding(world, client, partner, plan, vendors, taken, room):
    draw = world.random
    day, signed = plan["day"], plan["signed"]
    guests = _plan_guests(draw, plan)
    seats = sum(guest.get("attending_count", guest["party_size"]) for guest in guests)
    kind = draw.choices(("small", "middle", "large"), (42, 38, 20))[0]
    limit, budget = max(seats + draw.choice((0, 0, 1, 2, 3, 5)), draw.randrange(6, 21)), _cents(draw, 6000, 15000, 500)
    if kind == "middle":
        limit, budget = max(seats, draw.randrange(40, 91, 5)), _cents(draw, 18000, 45000, 500)
    if kind == "large":
        limit, budget = max(seats, draw.randrange(100, 201, 10)), _cents(draw, 45000, 95000, 1000)
    package = draw.choice(("day_of", "partial", "full_service"))
    if plan["title"].split()[-1] in ("Dinner", "Party"):
        package = "day_of"
    size = draw.choice((4, 6, 8, 10))
    asked = signed is not None and (draw.random() < 0.4 or any("invited" in guest for guest in guests))
    wedding = world.insert(
        "wedding",
        client_id=client["client_id"],
        title=plan["title"],
        partner_name=partner,
        wedding_date=world.day(day),
        start_time=draw.choice(STARTS),
        package=package,
        status=plan["status"],
        guest_limit=limit,
        budget_cents=budget,
        table_count=-(-limit // size) if signed is not None and draw.random() < 0.75 else 0,
        seats_per_table=size,
        planning_fee_cents=None if signed is None else _cents(draw, FEES[package][0], FEES[package][1], 50),
        contract_signed_on=_on(world, signed),
        rsvp_due_on=world.day(day - draw.randrange(21, 46)) if asked else None,
        date_changes=draw.choices((0, 1, 2, 3), (92, 8, 0, 0) if signed is None else (70, 20, 8, 2))[0],
        canceled_on=_on(world, plan["canceled"]),
        created_at=_at(world, plan["opened"]),
        cancel_reason=None if plan["canceled"] is None else draw.choice(WEDDING_REASONS),
    )
    _add_guests(world, wedding, guests)
    _add_tasks(world, wedding, plan)
    for _ in range(plan["meetings"]):
        _add_appointment(world, room, client, wedding, plan)
    _add_account(world, wedding, plan, _add_bookings(world, wedding, plan, vendors, taken))


def _add_guests(world, wedding, guests):
    table, used, size = 1, 0, wedding["seats_per_table"]
    for guest in guests:
        row = {key: value for key, value in guest.items() if key not in ("invited", "responded")}
        row["invited_on"], row["responded_on"] = _on(world, guest.get("invited")), _on(world, guest.get("responded"))
        coming = guest.get("attending_count", 0)
        if 0 < coming <= size and world.random.random() < 0.75:
            if used + coming > size:
                table, used = table + 1, 0
            if table <= wedding["table_count"]:
                row["table_number"] = table
                used += coming
        world.insert("guest", wedding_id=wedding["wedding_id"], **row)


def _add_bookings(world, wedding, plan, vendors, taken):
    """The bookings of a wedding; those once confirmed are returned for the account."""
    draw = world.random
    status, day, ended = plan["status"], plan["day"], plan["canceled"]
    trades = draw.sample(sorted(vendors), min(len(vendors), plan["trades"]))
    if trades and status == "contracted" and draw.random() < 0.2:  # two vendors asked in one trade
        trades.append(trades[0])
    last = min(-3, day - 20) if ended is None else ended - 2
    weights = {"inquiry": (80, 0, 20), "contracted": (28, 57, 15), "completed": (0, 88, 12), "canceled": (0, 0, 100)}[
        status
    ]
    bookings, used = [], set()
    for order, trade in enumerate(trades):
        state = draw.choices(
            ("requested", "confirmed", "canceled"), weights if trade not in trades[:order] else (1, 0, 1)
        )[0]
        fit = [
            vendor
            for vendor in draw.sample(vendors[trade], min(5, len(vendors[trade])))
            if (vendor["max_guests"] or 500) >= wedding["guest_limit"]
            and vendor["vendor_id"] not in used
            and (
                state != "confirmed"
                or (vendor["active"] and (vendor["vendor_id"], wedding["wedding_date"]) not in taken)
            )
        ]
        if not fit:
            continue
        vendor = fit[0]
        used.add(vendor["vendor_id"])
        asked = _between(draw, (plan["signed"] or plan["opened"]) + 2, last)
        confirmed = canceled = reason = None
        if state == "confirmed" or (state == "canceled" and plan["signed"] is not None and draw.random() < 0.6):
            confirmed = _between(draw, asked + 1, last + 1)
        if state == "confirmed":
            taken.add((vendor["vendor_id"], wedding["wedding_date"]))
            state = "completed" if status == "completed" else "confirmed"
        if state == "canceled":
            canceled, reason = _between(draw, (confirmed or asked) + 1, min(-1, day - 4)), draw.choice(BOOKING_REASONS)
            if ended is not None and (canceled >= ended or draw.random() < 0.7):
                canceled, reason = ended, "Wedding canceled"
        price = vendor["rate_cents"] * (wedding["guest_limit"] if vendor["price_basis"] == "per_guest" else 1)
        price = price * 9 // 10 if draw.random() < 0.15 else price
        booking = world.insert(
            "booking",
            wedding_id=wedding["wedding_id"],
            vendor_id=vendor["vendor_id"],
            service_date=wedding["wedding_date"],
            service_note=draw.choice(NOTES[trade]) + draw.choice(TIMES) if draw.random() < 0.6 else None,
            status=state,
            price_cents=price,
            deposit_cents=price * vendor["deposit_percent"] // 100,
            confirmed_on=_on(world, confirmed),
            canceled_on=_on(world, canceled),
            cancel_reason=reason,
            created_at=_at(world, asked),
        )
        if confirmed is not None:
            bookings.append((booking, vendor["name"], confirmed, canceled))
    return bookings


def _add_tasks(world, wedding, plan):
    draw = world.random
    status, day = plan["status"], plan["day"]
    for head, who, before, details in draw.sample(TASKS, plan["tasks"]):
        due = max(plan["opened"] + 2, min(day, day - before + draw.randrange(-10, 11)))
        if status in ("inquiry", "contracted") and day > 0 and draw.random() < 0.3:
            due = min(day, draw.randrange(-6, 12))
        end = -1 if plan["canceled"] is None else plan["canceled"]
        done = status == "completed" or draw.random() < (0.75 if due < 0 else 0.15)
        finished = min(end, day, _between(draw, max(plan["opened"] + 1, due - 20), due + 3))
        world.insert(
            "task",
            wedding_id=wedding["wedding_id"],
            title=f"{head} {draw.choice(details)}",
            assigned_to=who,
            due_on=world.day(due),
            status="done" if done else "open",
            completed_on=_on(world, finished) if done else None,
        )


def _add_appointment(world, room, client, wedding, plan):
    draw = world.random
    kind, status, ended = "consultation", "inquiry", None
    opened, day = -days_between(client["created_at"], world.now), 400
    if wedding is not None:
        status, ended, opened, day = plan["status"], plan["canceled"], plan["opened"], plan["day"]
        kind = draw.choice(("consultation", "menu_tasting", "venue_tour", "seating_review"))
        if status in ("contracted", "completed") and draw.random() < 0.3:
            kind = "final_walkthrough"
    last = min(-1, day - 1) if ended is None else ended
    state = draw.choices(("scheduled", "completed", "no_show", "canceled"), (52, 26, 8, 14))[0]
    if status in ("completed", "canceled") and state == "scheduled":
        state = "completed"
    if state in ("scheduled", "canceled") and status in ("inquiry", "contracted") and day > 14 and draw.random() < 0.88:
        day, clock = room["free"].pop()
    else:
        day = _open(world, _between(draw, opened + 5, last))
        free = [clock for clock in CLOCKS if (day, clock) not in room["taken"]]
        if not free:
            return
        clock = draw.choice(free)
        room["taken"].add((day, clock))
    latest = min(-2, day - 1)
    booked = _between(draw, max(opened + 1, min(latest, day - 40)), latest)
    created_at, canceled_at = _at(world, booked), None
    if state == "canceled":
        canceled_at = max(_at(world, _between(draw, booked + 1, min(-1, day - 1))), add_minutes(created_at, 5))
    world.insert(
        "appointment",
        client_id=client["client_id"],
        wedding_id=None if wedding is None else wedding["wedding_id"],
        kind=kind,
        starts_at=world.moment(day, clock),
        duration_minutes=draw.choice((45, 60, 60, 90)),
        status=state,
        reschedule_count=draw.choices((0, 1, 2, 3), (68, 20, 9, 3))[0],
        created_at=created_at,
        canceled_at=canceled_at,
    )


def _add_account(world, wedding, plan, bookings):
    """Charges with the payments for them, then what was credited and refunded."""
    draw = world.random
    status, day, signed, ended = plan["status"], plan["day"], plan["signed"], plan["canceled"]
    paid = {"inquiry": 0.5, "contracted": draw.choice((0.0, 0.3, 0.6, 1.0)), "completed": 1.0, "canceled": 0.7}[status]
    due = [
        (
            "vendor",
            f"Vendor: {name}",
            booking["price_cents"],
            confirmed,
            max(day - 14, confirmed),
            booking["booking_id"],
        )
        for booking, name, confirmed, _ in bookings
    ]  # category, words, amount, day, due day, booking
    if signed is not None:
        due.append(("planning", "Planning fee", wedding["planning_fee_cents"], signed, signed + 14, None))
        if wedding["date_changes"] and draw.random() < 0.6:
            due.append(
                ("date_change", "Date change fee", draw.choice((15000, 20000, 25000)), signed + 5, signed + 19, None)
            )
        if ended is not None and draw.random() < 0.6:
            due.append(
                ("cancellation", "Cancellation fee", draw.choice((25000, 40000, 50000)), ended, ended + 14, None)
            )
    if draw.random() < {"inquiry": 0.15, "contracted": 0.25, "completed": 0.2, "canceled": 0.0}[status]:
        category, words, low, high = draw.choice(EXTRAS) if signed is not None else EXTRAS[2]
        charged = min(-2, (signed or plan["opened"]) + draw.randrange(2, 12))
        due.append((category, words, _cents(draw, low, high, 5), charged, charged + 14, None))
    charges, favor, latest = 0, 0, plan["opened"] + 1
    for category, words, amount, charged, until, booking_id in due:
        entered = _at(world, charged)
        more = {"booking_id": booking_id, "due_on": max(world.day(until), entered[:10])}
        _enter(world, wedding, "charge", amount, words, entered, category=category, **more)
        charges, favor, latest = charges + amount, favor - amount, max(latest, charged)
        if charged < -1 and draw.random() < paid:
            part = amount if paid == 1.0 or draw.random() < 0.6 else amount * 3 // 10
            when = _between(draw, charged + 1, min(-1, charged + 12))
            favor, latest = favor + part, max(latest, when)
            method = draw.choices(("card", "check", "bank_transfer", "cash"), (50, 25, 18, 7))[0]
            moment = max(_at(world, when), add_minutes(entered, 2))
            if draw.random() < 0.06:
                more = {"method": method, "status": "voided", "void_reason": draw.choice(VOIDS)}
                _enter(world, wedding, "payment", part, f"Payment by {method}", moment, **more)
            _enter(world, wedding, "payment", part, f"Payment by {method}", add_minutes(moment, 1), method=method)
    if signed is not None and draw.random() < 0.05:
        entered = _at(world, latest)
        more = {"category": "rush", "due_on": entered[:10], "status": "voided", "void_reason": draw.choice(VOIDS)}
        _enter(world, wedding, "charge", _cents(draw, 250, 600, 50), "Rush planning fee", entered, **more)
    for booking, name, _, canceled in bookings:
        back = booking["price_cents"] - booking["deposit_cents"]
        if canceled is not None and back > 0 and draw.random() < 0.7:
            moment = _at(world, min(-1, max(latest, canceled)))
            _enter(world, wedding, "credit", back, f"{name} canceled", moment, category="vendor")
            charges, favor = charges - back, favor + back
    if charges > 60000 and draw.random() < (0.3 if paid == 1.0 else 0.12):
        category, words = draw.choice(CREDITS)
        amount = _cents(draw, 50, 400, 25)
        _enter(world, wedding, "credit", amount, words, _at(world, latest), category=category)
        favor += amount
    if favor > 0 and draw.random() < 0.45:
        method = draw.choice(("card", "check", "bank_transfer"))
        amount = favor if draw.random() < 0.6 else (favor + 1) // 2
        _enter(world, wedding, "refund", amount, f"Refund by {method}", _at(world, -1), method=method)


def _enter(world, wedding, kind, amount, words, moment, **more):
    more["wedding_id"], more["created_at"] = wedding["wedding_id"], moment
    world.insert("ledger_entry", kind=kind, amount_cents=amount, description=words, **more)
