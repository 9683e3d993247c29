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
CLOCKS = ("09:30", "11:30", "14:00", "16:00")
STARTS = ("11:00", "13:30", "15:00", "16:00", "16:30", "17:00", "17:30", "18:00")
WEEKEND = ("Friday", "Saturday", "Sunday")

# what the next celebration of a client is, by what became of the one before
NEXT_PARTIES = {
    "canceled": ("Wedding", "Garden Wedding", "Backyard Wedding", "Courthouse Wedding"),
    "completed": ("Vow Renewal", "Anniversary Party", "Family Dinner"),
}
FEES = {"day_of": (1200, 2200), "partial": (2500, 4800), "full_service": (5500, 12000)}
SIZES = {"day_of": (55, 32, 13), "partial": (35, 45, 20), "full_service": (0, 65, 35)}  # small, middle, large
MOST_OWED = 300000  # cents of balance up to which a vendor is confirmed
SMALL_PRICE = 125000  # cents of price up to which a single booking is canceled
MOST_DEPOSIT = 30  # percent of the price that a requested vendor may ask for
SINCE_SATURDAY = {"Monday": 2, "Tuesday": 3, "Wednesday": 4, "Thursday": 5, "Friday": 0, "Saturday": 0, "Sunday": 0}
# how many children the weddings of a state have, dealt in turn; guests only where we keep the list
CHILDREN = {
    "guests": {
        "inquiry": (2, 1, 0, 2),
        "contracted": (9, 13, 4, 7, 0, 15, 5, 2),
        "completed": (4, 0, 2, 6),
        "canceled": (0, 3),
    },
    "trades": {
        "inquiry": (0, 1, 0, 2),
        "contracted": (4, 3, 4, 1, 3, 2),
        "completed": (2, 1, 3),
        "canceled": (1, 0, 2),
    },
    "tasks": {"inquiry": (0, 1), "contracted": (2, 1, 3, 1, 5), "completed": (1, 0, 2), "canceled": (1, 0)},
    "meetings": {"inquiry": (1, 0, 1, 2), "contracted": (1, 1, 2, 1, 0, 4), "completed": (1, 0), "canceled": (0, 1)},
}


def populate(world: WorldBuilder) -> None:
    """A wedding brings about twelve rows with it: bookings, guests, tasks, appointments, ledger entries, most of a client."""
    draw = world.random
    vendors = {}
    for number in range(world.share(0.05, least=9)):
        vendor = _add_vendor(world, number)
        if vendor["deposit_percent"] <= MOST_DEPOSIT:  # nobody else was ever requested
            vendors.setdefault(vendor["category"], []).append(vendor)
    people = world.share(0.088, least=3)
    owned = _plan_weddings(world, people, world.share(0.078, least=2))
    clients = []
    for number in range(people):
        clients.append(_add_client(world, number, clients, owned.get(number, [])))
    days = [day for day in range(people // 5 + 20) if weekday(world.day(day)) != "Sunday"]
    slots = [(day, clock) for day in days for clock in CLOCKS]  # the meeting room from today on
    draw.shuffle(slots)
    room = {"taken": set(), "free": slots}
    taken = set()
    for number in draw.sample(range(people), people):
        client, mine = clients[number], owned.get(number, [])
        partner = f"{draw.choice(GIVEN)} {draw.choice(FAMILY)}"
        names = f"{client['full_name'].split()[-1]}-{partner.split()[-1]}"
        for plan in draw.sample(mine, len(mine)):
            plan["title"] = f"{names} {plan['party']}"
            plan["wedding"] = _add_wedding(world, client, partner, plan, vendors, taken)
        meetings = _plan_meetings(world, room, client, mine)
        for meeting in draw.sample(meetings, len(meetings)):
            world.insert("appointment", client_id=client["client_id"], **meeting)


def _open(world, day):
    """The day as an offset from today, or the Saturday before if it is a Sunday."""
    return day - 1 if weekday(world.day(day)) == "Sunday" else day


def _after(world, day):
    """The day as an offset from today, or the Monday after if it is a Sunday."""
    return day + 1 if weekday(world.day(day)) == "Sunday" else day


def _weekend(world, day):
    """The day as an offset from today, or the Saturday before if nobody marries on it."""
    return day - SINCE_SATURDAY[weekday(world.day(day))]


def _plan_weddings(world, people, count):
    """The weddings of each client in order, with their days as offsets from today, and how many children they have.

    A client's next wedding was opened only after the one before was over, so nobody has two that are open.
    """
    draw = world.random
    states = draw.choices(("inquiry", "contracted", "completed", "canceled"), (26, 46, 14, 14), k=count)
    states[0] = "contracted"
    days = _contract_days(world, states.count("contracted"))
    ahead = [day for day in range(9, 560) if weekday(world.day(day)) in WEEKEND]
    popular = [day for day in ahead if day > 60 and weekday(world.day(day)) == "Saturday"][0]
    owners, owned = draw.sample(range(people), people), {}
    for status in states:
        if status == "contracted":
            owned[owners.pop()] = [_plan_contracted(world, days.pop())]
        elif status == "inquiry":
            day = popular if draw.random() < 0.15 else draw.choice(ahead)
            owned[owners.pop()] = [_plan_inquiry(world, day)]
    holders = sorted(owned)
    for status in states:
        if status in ("completed", "canceled"):
            if owners and draw.random() < 0.4:
                holders.append(owners.pop())
                owned[holders[-1]] = [_plan_closed(world, status, 0)]
            else:
                mine = owned[draw.choice(holders)]
                mine.insert(0, _plan_closed(world, status, mine[0]["opened"]))
    for mine in owned.values():
        for order, plan in enumerate(mine):
            weights = (80, 12, 8) if plan["day"] < 240 else (100, 0, 0)
            plan["party"] = draw.choices(("Wedding", "Engagement Party", "Welcome Dinner"), weights)[0]
            if order:
                before = mine[order - 1]
                is_engaged = before["status"] == "completed" and before["party"] == "Engagement Party"
                plan["party"] = "Wedding" if is_engaged else draw.choice(NEXT_PARTIES[before["status"]])
            plan["package"] = draw.choices(("day_of", "partial", "full_service"), (34, 33, 33))[0]
            if plan["party"].split()[-1] in ("Dinner", "Party"):
                plan["package"] = "day_of"
    plans = [plan for mine in owned.values() for plan in mine]
    for child, counts in CHILDREN.items():
        for status, numbers in counts.items():
            group = [plan for plan in plans if plan["status"] == status]
            if child == "guests":
                group = [plan for plan in group if plan["package"] != "day_of"]
            for turn, plan in enumerate(draw.sample(group, len(group))):
                plan[child] = numbers[turn % len(numbers)]
    return owned


def _contract_days(world, wanted):
    """The days of weddings under contract, three on a date at most; two dates ahead are popular."""
    draw = world.random
    ahead = [day for day in range(9, 560) if weekday(world.day(day)) in WEEKEND]
    popular = [day for day in ahead if day > 60 and weekday(world.day(day)) == "Saturday"][:2]
    full = [popular[0], popular[0], popular[0], popular[1], popular[1]] if wanted > 6 else []
    late = [day for day in range(-45, -5) for _ in range(3) if weekday(world.day(day)) in WEEKEND]
    late = draw.sample(late, min(50, wanted // 11))  # they took place and wait to be completed
    free = [day for day in ahead for _ in range(3) if day not in popular]
    days = full + late + draw.sample(free, wanted - len(full) - len(late))
    return draw.sample(days, len(days))


def _plan(status, day, opened, signed, canceled):
    return {
        "status": status,
        "day": day,
        "opened": opened,
        "signed": signed,
        "canceled": canceled,
        "guests": 0,
        "trades": 0,
        "tasks": 0,
        "meetings": 0,
    }


def _plan_contracted(world, day):
    draw = world.random
    opened = _open(world, min(-40, day - 90) - draw.randrange(0, 300))
    return _plan("contracted", day, opened, _open(world, opened + draw.randrange(3, 20)), None)


def _plan_inquiry(world, day):
    draw = world.random
    day = -draw.randrange(1, 3) if draw.random() < 0.04 else day
    return _plan("inquiry", day, _open(world, -draw.randrange(9, 70)), None, None)


def _plan_closed(world, status, before):
    """A wedding that was over before this day; one under contract was canceled within the first 100 days of it."""
    draw = world.random
    if status == "completed":
        day = _weekend(world, before - draw.randrange(9, 200))
        opened = _open(world, day - 90 - draw.randrange(0, 250))
        return _plan(status, day, opened, _open(world, opened + draw.randrange(3, 20)), None)
    ended = _open(world, before - draw.randrange(3, 150))
    signed = _open(world, ended - draw.randrange(12, 97)) if draw.random() < 0.65 else None
    opened = _open(world, ended - draw.randrange(10, 90) if signed is None else signed - draw.randrange(3, 20))
    return _plan(status, _weekend(world, ended + draw.randrange(20, 320)), opened, signed, ended)


def _plan_guests(draw, plan):
    """Parties on the list, with their answers; invitations went out after the contract, and answers came before today."""
    day, signed = plan["day"], plan["signed"]
    last = min(-2, day - 15) if plan["canceled"] is None else plan["canceled"] - 1
    first = last if signed is None else max(signed + 2, min(day - 150, -30))
    weights = (12, 34, 37, 17) if day < 150 else (30, 42, 18, 10)
    if plan["status"] == "completed":
        weights = (0, 4, 72, 24)
    guests = []
    for family in draw.sample(FAMILY, plan["guests"]):
        size = draw.choices((1, 2, 3, 4, 5, 6, 8), (30, 38, 10, 12, 5, 3, 2))[0]
        given = f"{draw.choice(GIVEN)} and {draw.choice(GIVEN)}" if size == 2 else draw.choice(GIVEN)
        name = f"The {given} {family} Family" if size > 2 else f"{given} {family}"
        answer = draw.choices(("draft", "invited", "accepted", "declined"), weights)[0]
        if first > last - 4:
            answer = "draft"
        guest = {"full_name": name, "party_size": size, "rsvp_status": answer}
        guest["side"] = draw.choices(("client", "partner", "both"), (45, 40, 15))[0]
        if answer != "draft":
            guest["invited"] = _between(draw, first, last - 3)
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


def _add_wedding(world, client, partner, plan, vendors, taken):
    draw = world.random
    day, signed, package = plan["day"], plan["signed"], plan["package"]
    guests = _plan_guests(draw, plan)
    seats = sum(guest.get("attending_count", guest["party_size"]) for guest in guests)
    is_party = plan["party"].split()[-1] in ("Dinner", "Party")
    kind = "small" if is_party else draw.choices(("small", "middle", "large"), SIZES[package])[0]
    limit, budget = max(seats + draw.choice((0, 0, 1, 2, 3, 5)), draw.randrange(6, 21)), _cents(draw, 6500, 15000, 500)
    if kind == "middle":
        limit, budget = max(seats, draw.randrange(40, 91, 5)), _cents(draw, 24000, 45000, 500)
    if kind == "large":
        limit, budget = max(seats, draw.randrange(100, 201, 10)), _cents(draw, 45000, 95000, 1000)
    size = draw.choice((4, 6, 8, 10))
    asked = signed is not None and (draw.random() < 0.4 or any("invited" in guest for guest in guests))
    fee = _cents(draw, FEES[package][0], FEES[package][1], 50)
    moves = draw.choices((0, 1), (88, 12) if signed is None else (62, 38))[0]
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
        planning_fee_cents=None if signed is None else min(fee, budget // 400000 * 100000),
        contract_signed_on=_on(world, signed),
        rsvp_due_on=world.day(day - draw.choice((21, 28, 30, 30, 35, 42))) if asked else None,
        date_changes=0 if package == "day_of" else moves,
        canceled_on=_on(world, plan["canceled"]),
        created_at=_at(world, plan["opened"]),
        cancel_reason=None if plan["canceled"] is None else draw.choice(WEDDING_REASONS),
    )
    _add_guests(world, wedding, guests)
    _add_tasks(world, wedding, plan)
    picks = _pick_vendors(world, wedding, plan, vendors, taken)
    account = _keep_account(world, wedding, plan, picks, taken)
    _add_bookings(world, wedding, picks)
    for entry in draw.sample(account["entries"], len(account["entries"])):
        pick = entry.pop("pick")
        booking_id = None if pick is None else pick["booking_id"]
        world.insert("ledger_entry", wedding_id=wedding["wedding_id"], booking_id=booking_id, **entry)
    return wedding


def _pick_vendors(world, wedding, plan, vendors, taken):
    """Whom the couple asked, the first one first, and whether they confirm and whether they give up the booking alone."""
    draw = world.random
    status, ended = plan["status"], plan["canceled"]
    trades = draw.sample(sorted(vendors), min(len(vendors), plan["trades"]))
    if trades and status == "contracted" and draw.random() < 0.2:  # two vendors asked in one trade
        trades.append(trades[0])
    begin = (plan["opened"] if plan["signed"] is None else plan["signed"]) + 2
    last = min(-6, plan["day"] - 20) if ended is None else ended - 6
    # asked only, confirmed, given up alone
    weights = {"inquiry": (75, 0, 25), "contracted": (30, 55, 15), "completed": (0, 85, 15), "canceled": (35, 40, 25)}[
        status
    ]
    picks, used = [], set()
    for order, trade in enumerate(trades):
        fate = draw.choices(("asked", "confirmed", "dropped"), weights if trade not in trades[:order] else (1, 0, 0))[0]
        fit = [
            vendor
            for vendor in draw.sample(vendors[trade], min(6, len(vendors[trade])))
            if (vendor["max_guests"] or 500) >= wedding["guest_limit"]
            and _price(vendor, wedding) <= wedding["budget_cents"] * 3 // 5
            and vendor["vendor_id"] not in used
            and vendor["active"]
            and (vendor["vendor_id"], wedding["wedding_date"]) not in taken
        ]
        if not fit or begin > last:
            continue
        vendor = fit[0]
        used.add(vendor["vendor_id"])
        price = _price(vendor, wedding)
        price = price * 9 // 10 if draw.random() < 0.15 else price
        if fate == "dropped" and price > SMALL_PRICE:
            fate = "asked" if plan["signed"] is None else "confirmed"
        picks.append(
            {
                "vendor": vendor,
                "trade": trade,
                "price": price,
                "asked": _open(world, _between(draw, begin, min(last, begin + 60))),
                "confirms": plan["signed"] is not None
                and (fate == "confirmed" or (fate == "dropped" and draw.random() < 0.5)),
                "drops": fate == "dropped",
                "confirmed": None,
                "canceled": None if ended is None else ended,
                "reason": None if ended is None else "Wedding canceled",
            }
        )
    return sorted(picks, key=lambda pick: pick["asked"])


def _price(vendor, wedding):
    return vendor["rate_cents"] * (wedding["guest_limit"] if vendor["price_basis"] == "per_guest" else 1)


def _add_bookings(world, wedding, picks):
    """Only what was confirmed is completed; what was not by then was never booked."""
    draw = world.random
    for pick in draw.sample(picks, len(picks)):
        vendor, state = pick["vendor"], "requested" if pick["confirmed"] is None else "confirmed"
        state = "canceled" if pick["canceled"] is not None else state
        if wedding["status"] == "completed" and state == "requested":
            continue
        booking = world.insert(
            "booking",
            wedding_id=wedding["wedding_id"],
            vendor_id=vendor["vendor_id"],
            service_date=wedding["wedding_date"],
            service_note=draw.choice(NOTES[pick["trade"]]) + draw.choice(TIMES) if draw.random() < 0.6 else None,
            status="completed" if wedding["status"] == "completed" and state == "confirmed" else state,
            price_cents=pick["price"],
            deposit_cents=pick["price"] * vendor["deposit_percent"] // 100,
            confirmed_on=_on(world, pick["confirmed"]),
            canceled_on=_on(world, pick["canceled"]),
            cancel_reason=pick["reason"],
            created_at=_at(world, pick["asked"]),
        )
        pick["booking_id"] = booking["booking_id"]


def _keep_account(world, wedding, plan, picks, taken):
    """The account day by day: charges and payments, vendors confirmed while little enough is owed, credits, a refund."""
    draw = world.random
    status, day, signed, ended = plan["status"], plan["day"], plan["signed"], plan["canceled"]
    paid = {"inquiry": 0.5, "contracted": draw.choice((0.0, 0.3, 0.6, 1.0)), "completed": 1.0, "canceled": 0.7}[status]
    last = min(-1, day - 3) if ended is None else ended - 1
    account = {"day": plan["opened"] + 1 if signed is None else signed, "balance": 0, "charged": 0, "entries": []}
    account["bills"] = []
    if signed is not None:
        _charge(world, account, signed, "planning", "Planning fee", wedding["planning_fee_cents"], signed + 14)
        _pay_soon(world, account, paid, last)
        if wedding["date_changes"] and draw.random() < 0.6:
            _charge_later(world, account, last, "date_change", "Date change fee", draw.choice((15000, 20000, 25000)))
            _pay_soon(world, account, paid, last)
    if draw.random() < {"inquiry": 0.15, "contracted": 0.25, "completed": 0.2, "canceled": 0.0}[status]:
        category, words, low, high = draw.choice(EXTRAS) if signed is not None else EXTRAS[2]
        _charge_later(world, account, last, category, words, _cents(draw, low, high, 5))
        _pay_soon(world, account, paid, last)
    for pick in picks:
        if pick["confirms"]:
            _confirm(world, wedding, plan, account, pick, taken, last)
            _pay_soon(world, account, paid, last)
    for pick in picks:
        if pick["drops"]:
            begin = pick["asked"] if pick["confirmed"] is None else pick["confirmed"]
            pick["canceled"] = _open(world, _between(draw, begin + 2, min(last, begin + 40)))
            pick["reason"] = draw.choice(BOOKING_REASONS)
    if ended is not None and signed is not None and draw.random() < 0.6:
        fee = draw.choice((25000, 40000, 50000))
        _charge(world, account, ended, "cancellation", "Cancellation fee", fee, ended + 14)
        _pay_soon(world, account, paid, -1)
    for pick in picks:
        back = pick["price"] - pick["price"] * pick["vendor"]["deposit_percent"] // 100
        if pick["canceled"] is not None and pick["confirmed"] is not None and back > 0 and draw.random() < 0.7:
            _credit(world, account, pick["canceled"], "vendor", f"{pick['vendor']['name']} canceled", back)
    if account["charged"] > 60000 and draw.random() < (0.3 if paid == 1.0 else 0.12):
        category, words = draw.choice(CREDITS)
        _credit(world, account, account["day"], category, words, _cents(draw, 50, 400, 25))
    if status == "completed":
        for bill in account["bills"]:
            _pay(world, account, bill, bill["left"], min(-1, day + 7))
    if signed is not None and draw.random() < 0.05:
        more = {"category": "rush", "status": "voided", "void_reason": draw.choice(VOIDS)}
        fee = _cents(draw, 250, 600, 50)
        _enter(
            world,
            account,
            account["day"],
            "charge",
            fee,
            "Rush planning fee",
            due_on=_on(world, account["day"]),
            **more,
        )
    favor = -account["balance"]
    if favor > 0 and draw.random() < 0.45:
        method = draw.choice(("card", "check", "bank_transfer"))
        amount = favor if draw.random() < 0.6 else (favor + 1) // 2
        when = _step(world, account, draw.randrange(1, 9), -1)
        if when is not None:
            _enter(world, account, when, "refund", amount, f"Refund by {method}", method=method)
    return account


def _confirm(world, wedding, plan, account, pick, taken, last):
    """Confirm a booking in the afternoon, after the couple has paid enough of what it owes on the days before."""
    draw = world.random
    for bill in account["bills"]:
        if account["balance"] > MOST_OWED:
            _pay(world, account, bill, bill["left"], last)
    place = pick["vendor"]["vendor_id"], wedding["wedding_date"]
    when = _step(world, account, max(draw.randrange(1, 4), pick["asked"] + 1 - account["day"]), last)
    if when is None or account["balance"] > MOST_OWED:
        return
    pick["confirmed"] = when
    if not pick["drops"] and plan["canceled"] is None:
        taken.add(place)
    due = max(plan["day"] - 14, when)
    _charge(world, account, when, "vendor", f"Vendor: {pick['vendor']['name']}", pick["price"], due, pick)


def _step(world, account, days, last):
    """Go on by so many days, to an open one; nothing if that is too late."""
    when = _after(world, account["day"] + days)
    if when > last:
        return None
    account["day"] = when
    return when


def _charge(world, account, day, category, words, amount, due, pick=None):
    account["day"] = day
    account["balance"] += amount
    account["charged"] += amount
    account["bills"].append({"left": amount})
    _enter(world, account, day, "charge", amount, words, category=category, due_on=world.day(due), pick=pick)


def _charge_later(world, account, last, category, words, amount):
    when = _step(world, account, world.random.randrange(2, 9), last)
    if when is not None:
        _charge(world, account, when, category, words, amount, when + 14)


def _credit(world, account, day, category, words, amount):
    when = _step(world, account, max(1, day - account["day"]), -1)
    if when is not None:
        account["balance"] -= amount
        account["charged"] -= amount
        _enter(world, account, when, "credit", amount, words, category=category)


def _pay_soon(world, account, paid, last):
    """Pay the latest bill, or part of it, if these couples pay that often."""
    draw = world.random
    if account["bills"] and draw.random() < paid:
        bill = account["bills"][-1]
        part = bill["left"] if paid == 1.0 or draw.random() < 0.6 else bill["left"] * 3 // 10
        _pay(world, account, bill, part, last)


def _pay(world, account, bill, amount, last):
    draw = world.random
    amount = min(amount, account["balance"])
    if amount <= 0:
        return
    when = _step(world, account, draw.choice((1, 1, 2, 3)), last)
    if when is None:
        return
    bill["left"] -= amount
    account["balance"] -= amount
    method = draw.choices(("card", "check", "bank_transfer", "cash"), (50, 25, 18, 7))[0]
    entry = _enter(world, account, when, "payment", amount, f"Payment by {method}", method=method)
    if draw.random() < 0.06:
        more = {"method": method, "status": "voided", "void_reason": draw.choice(VOIDS)}
        twin = _enter(world, account, when, "payment", amount, f"Payment by {method}", **more)
        twin["created_at"] = add_minutes(entry["created_at"], -1)


def _enter(world, account, day, kind, amount, words, **more):
    """Note an entry of the account; what a confirmed vendor costs is entered in the afternoon."""
    draw = world.random
    moment = _at(world, day)
    if more.get("pick") is not None:
        moment = world.moment(day, f"{draw.randrange(13, 18)}:{draw.randrange(60):02d}")
    entry = {"pick": None, "kind": kind, "amount_cents": amount, "description": words, "created_at": moment, **more}
    account["entries"].append(entry)
    return entry


def _plan_meetings(world, room, client, mine):
    """The appointments of a client, each booked only when the one before was over; at most one lies ahead."""
    draw = world.random
    meetings = []
    until = -days_between(client["created_at"], world.now)  # the day on which the latest appointment was over
    for plan in mine:
        status, ended, day = plan["status"], plan["canceled"], plan["day"]
        begin, last = max(until, plan["opened"]), min(-1, day - 1) if ended is None else ended - 1
        is_open = status in ("inquiry", "contracted")
        for left in range(plan["meetings"], 0, -1):
            booked = _open(world, _between(draw, begin + 1, begin + 1 + max(0, last - begin) // (left + 1)))
            if left == 1 and day < 0 and ended is None and draw.random() < 0.7:  # in the last weeks
                booked = _open(world, max(begin + 1, day - draw.randrange(10, 55)))
            ahead = None
            if (
                left == 1
                and is_open
                and day > 14
                and room["free"]
                and room["free"][-1][0] < day
                and draw.random() < 0.9
            ):
                ahead = room["free"].pop()
                booked = _open(world, _between(draw, max(begin + 1, -45), -1))
            if booked > last or booked <= until:
                continue
            near = 0 if plan["signed"] is None or booked <= plan["signed"] or day - booked > 120 else 1
            near = 2 if near and day - booked <= 60 else near
            kinds = ("consultation", "menu_tasting", "venue_tour", "seating_review", "final_walkthrough")
            kind = draw.choices(kinds, ((46, 27, 27, 0, 0), (35, 15, 15, 35, 0), (25, 10, 10, 20, 35))[near])[0]
            meeting = _meeting(world, room, kind, booked, last, ahead)
            if meeting is None:
                continue
            if left == 1 and ended is not None and draw.random() < 0.5:  # the canceled wedding took it along
                meeting = _taken_along(world, kind, booked, ended)
            begin = until = meeting.pop("over")
            meetings.append({"wedding_id": plan["wedding"]["wedding_id"], **meeting})
    if draw.random() < (0.6 if not mine or mine[-1]["status"] in ("completed", "canceled") else 0.0):
        booked = _open(world, max(until + 1, -draw.randrange(1, 30)))
        ahead = room["free"].pop() if room["free"] and draw.random() < 0.7 else None
        meeting = _meeting(world, room, "consultation", booked, -1, ahead) if until < booked < 0 else None
        if meeting is not None:
            meeting.pop("over")
            meetings.append({"wedding_id": None, **meeting})
    return meetings


def _meeting(world, room, kind, booked, last, ahead):
    """An appointment that lies ahead, or one that is over; only consultations were canceled."""
    draw = world.random
    created_at = _at(world, booked)
    meeting = {"kind": kind, "duration_minutes": draw.choice((45, 60, 60, 90)), "created_at": created_at}
    meeting["reschedule_count"] = draw.choices((0, 1), (58, 42))[0]
    meeting["canceled_at"] = None
    if ahead is not None:
        day, clock = ahead
        state = "canceled" if kind == "consultation" and booked < -3 and draw.random() < 0.1 else "scheduled"
    elif booked + 2 > last:
        return None
    else:
        day = _open(world, _between(draw, booked + 2, min(last, booked + 30)))
        free = [clock for clock in CLOCKS if (day, clock) not in room["taken"]]
        if not free or day <= booked:
            return None
        clock = draw.choice(free)
        room["taken"].add((day, clock))
        state = draw.choices(("completed", "no_show", "scheduled"), (75, 20, 60 if day > -8 else 0))[0]
        if kind == "consultation" and draw.random() < 0.2:
            state = "canceled"
    meeting["over"] = day
    if state == "canceled":
        canceled = _open(world, _between(draw, booked + 1, min(-1, day - 1)))
        meeting["canceled_at"] = max(_at(world, canceled), add_minutes(created_at, 5))
        meeting["over"] = max(canceled, booked)
    meeting["starts_at"] = world.moment(day, clock)
    meeting["status"] = state
    return meeting


def _taken_along(world, kind, booked, ended):
    """An appointment that was still to come when its wedding was canceled."""
    draw = world.random
    created_at = _at(world, booked)
    return {
        "kind": kind,
        "duration_minutes": draw.choice((45, 60, 60, 90)),
        "created_at": created_at,
        "reschedule_count": draw.choices((0, 1), (70, 30))[0],
        "canceled_at": max(_at(world, ended), add_minutes(created_at, 5)),
        "starts_at": world.moment(_after(world, ended + draw.randrange(2, 25)), draw.choice(CLOCKS)),
        "status": "canceled",
        "over": ended,
    }


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


def _add_tasks(world, wedding, plan):
    draw = world.random
    status, day = plan["status"], plan["day"]
    is_open = status in ("inquiry", "contracted")
    early = [each for each in TASKS if each[2] >= 75]  # what couples see to long before the day
    for head, who, before, details in draw.sample(early if is_open and day > 150 else TASKS, plan["tasks"]):
        due = max(plan["opened"] + 2, min(day, day - before + draw.randrange(-10, 11)))
        if is_open and day > 0 and draw.random() < (0.5 if before > 75 else 0.25 if day < 150 else 0.0):
            due = min(day, draw.randrange(-12, 15))
        end = -1 if plan["canceled"] is None else plan["canceled"]
        done = status == "completed" or draw.random() < (0.7 if due < 0 else 0.3 if due < 21 else 0.0)
        finished = _between(draw, max(plan["opened"] + 1, min(due, end) - 20), min(due + 3, end, day))
        world.insert(
            "task",
            wedding_id=wedding["wedding_id"],
            title=f"{head} {draw.choice(details)}",
            assigned_to=who,
            due_on=world.day(due),
            status="done" if done else "open",
            completed_on=_on(world, finished) if done else None,
        )
