"""Fill a flag football league: members, teams and rosters, games, practice bookings, discipline, and money."""

from runtime import WorldBuilder, add_days, add_minutes, days_between, weekday

INVARIANTS = {
    "No team has more live registrations than its division's roster limit.": """
        SELECT team.team_id FROM team JOIN division ON division.division_id = team.division_id
        WHERE division.roster_limit < (SELECT count(*) FROM registration
            WHERE registration.team_id = team.team_id AND registration.status <> 'withdrawn')
    """,
    "Nobody has two live registrations in one division.": """
        SELECT one.registration_id FROM registration AS one
        JOIN team AS own ON own.team_id = one.team_id
        JOIN registration AS two ON two.member_id = one.member_id AND two.registration_id > one.registration_id
        JOIN team AS other ON other.team_id = two.team_id AND other.division_id = own.division_id
        WHERE one.status <> 'withdrawn' AND two.status <> 'withdrawn'
    """,
    "Every captain has an active registration on the team.": """
        SELECT team.team_id FROM team WHERE NOT EXISTS (SELECT 1 FROM registration
            WHERE registration.team_id = team.team_id AND registration.member_id = team.captain_member_id
              AND registration.status = 'active')
    """,
    "The registration fee of an active registration is paid, that of a pending one is not.": """
        SELECT registration.registration_id FROM registration
        JOIN charge ON charge.registration_id = registration.registration_id
        WHERE (registration.status = 'active' AND charge.status <> 'paid')
           OR (registration.status = 'pending' AND charge.status = 'paid')
    """,
    "What is paid on a charge is the sum of its payments less their refunds.": """
        SELECT charge.charge_id FROM charge
        WHERE charge.paid_cents <> (SELECT coalesce(sum(amount_cents - refunded_cents), 0) FROM payment
            WHERE payment.charge_id = charge.charge_id)
    """,
    "A booking costs the field's hourly rate times its hours, and so does its charge.": """
        SELECT booking.booking_id FROM booking JOIN field ON field.field_id = booking.field_id
        LEFT JOIN charge ON charge.booking_id = booking.booking_id
        WHERE booking.price_cents <> field.hourly_rate_cents * booking.hours OR charge.amount_cents <> booking.price_cents
    """,
    "Who has an open free agent post for a division has no live registration in it.": """
        SELECT free_agent_post.free_agent_post_id FROM free_agent_post
        JOIN registration ON registration.member_id = free_agent_post.member_id AND registration.status <> 'withdrawn'
        JOIN team ON team.team_id = registration.team_id AND team.division_id = free_agent_post.division_id
        WHERE free_agent_post.status = 'open'
    """,
    "A suspension is under appeal exactly while an appeal against it is filed.": """
        SELECT suspension.suspension_id FROM suspension
        WHERE (suspension.status = 'under_appeal') <> EXISTS (SELECT 1 FROM appeal
            WHERE appeal.suspension_id = suspension.suspension_id AND appeal.status = 'filed')
    """,
}

WOMEN = (
    "Denise",
    "Priya",
    "Aaliyah",
    "Jessica",
    "Maria",
    "Karen",
    "Tiffany",
    "Brooke",
    "Kayla",
    "Monica",
    "Hannah",
    "Latoya",
    "Erin",
    "Megan",
    "Vanessa",
    "Grace",
    "Tanya",
    "Natalie",
    "Olivia",
    "Simone",
    "Rachel",
    "Heather",
)
MEN = (
    "Miguel",
    "Kevin",
    "Tom",
    "Marcus",
    "Andre",
    "Brian",
    "Tyler",
    "Jamal",
    "Ethan",
    "Luis",
    "Derek",
    "Sanjay",
    "Cody",
    "Nathan",
    "Terrence",
    "Eric",
    "Paul",
    "Hector",
    "Devin",
    "Scott",
    "Omar",
    "Ryan",
    "Greg",
    "Darnell",
)
FAMILY = (
    "Walker",
    "Ortega",
    "Raman",
    "Tran",
    "Brooks",
    "Kowalski",
    "Hughes",
    "Delgado",
    "Patel",
    "Nguyen",
    "Foster",
    "Bennett",
    "Murphy",
    "Jenkins",
    "Alvarez",
    "Schmidt",
    "Coleman",
    "Rossi",
    "Chen",
    "Simmons",
    "Barnes",
    "Kaplan",
    "Whitaker",
    "Ramirez",
    "Novak",
    "Gallagher",
    "Price",
    "Hamilton",
    "Sandoval",
    "Boyd",
    "Larson",
    "McCoy",
    "Reyes",
    "Dixon",
    "Hoffman",
    "Ellis",
    "Vargas",
    "Pruitt",
    "Okafor",
    "Lindgren",
    "Mercer",
    "Tate",
)
STREETS = (
    "Maple Ave",
    "Oak St",
    "Cedar Ln",
    "5th St",
    "Summit St",
    "Indianola Ave",
    "Elm Dr",
    "Hillcrest Rd",
    "Park Blvd",
    "Walnut St",
    "Chestnut Ct",
    "Lakeview Dr",
    "Union Ave",
    "Grant St",
    "Spruce Ln",
    "Highland Ave",
    "River Rd",
    "Franklin St",
    "Mill Rd",
    "Sycamore St",
    "Arlington Ave",
    "Birch Way",
)
PLACES = (
    ("Columbus", ("43201", "43202", "43206", "43214", "43215", "43228"), ("614", "380")),
    ("Newark", ("43055", "43056"), ("740", "220")),
    ("Dayton", ("45402", "45405", "45409", "45419"), ("937", "326")),
    ("Cincinnati", ("45202", "45208", "45211", "45223"), ("513", "283")),
    ("Toledo", ("43604", "43606", "43613"), ("419", "567")),
    ("Akron", ("44302", "44303", "44313"), ("330", "234")),
    ("Cleveland", ("44102", "44107", "44113"), ("216",)),
    ("Lorain", ("44052", "44053", "44055"), ("440", "436")),
)
MAIL = ("example.com", "example.com", "example.org", "example.net")
# season, first day, last day, registration opens, last days to register, days rosters lock
SEASONS = (
    (
        "Fall 2026",
        "2026-08-29",
        "2026-11-14",
        "2026-07-06",
        ("2026-09-12", "2026-09-26", "2026-09-30"),
        ("2026-09-19", "2026-10-03", "2026-10-10"),
    ),
    (
        "Spring 2026",
        "2026-03-28",
        "2026-06-13",
        "2026-02-02",
        ("2026-04-10", "2026-04-17"),
        ("2026-04-25", "2026-05-02"),
    ),
    (
        "Winter 2027",
        "2027-01-09",
        "2027-03-13",
        "2026-08-31",
        ("2026-12-11", "2026-12-18"),
        ("2027-01-16", "2027-01-23"),
    ),
)
FORMATS = (("coed", "Coed"), ("mens", "Men's"), ("womens", "Women's"))
LEVELS = (
    ("recreational", "Recreational", 13, 17),
    ("intermediate", "Intermediate", 17, 21),
    ("competitive", "Competitive", 20, 27),
)
TAGS = (("Saturday", 18), ("Sunday", 18), ("North", 18), ("South", 18), ("35+", 35))
POSITIONS = ("quarterback", "receiver", "receiver", "center", "rusher", "linebacker", "cornerback", "safety")
TEAM_PLACES = (
    "Clintonville",
    "Short North",
    "Bexley",
    "Grandview",
    "Westerville",
    "Hilliard",
    "Gahanna",
    "Dublin",
    "Franklinton",
    "German Village",
    "Worthington",
    "Upper Arlington",
    "Italian Village",
    "Whitehall",
    "Grove City",
    "Reynoldsburg",
)
TEAM_ANIMALS = (
    ("Sharks", "teal"),
    ("Falcons", "red"),
    ("Mudhens", "brown"),
    ("Thunder", "yellow"),
    ("Crushers", "black"),
    ("Bandits", "gray"),
    ("Comets", "navy"),
    ("Hornets", "gold"),
    ("Renegades", "maroon"),
    ("Otters", "green"),
    ("Lightning", "white"),
    ("Grizzlies", "purple"),
    ("Cobras", "lime"),
    ("Pioneers", "orange"),
    ("Wolves", "silver"),
)
TEAM_JOKES = (
    ("Blitz Happens", "orange"),
    ("Flag On The Play", "yellow"),
    ("Two Minute Drillers", "navy"),
    ("Hail Marys", "white"),
    ("Pick Six Pack", "green"),
    ("Fourth And Long Shots", "red"),
    ("Off The Couch", "gray"),
    ("Sack Lunch", "brown"),
    ("End Zone Enders", "purple"),
    ("The Replacements", "black"),
)
RECRUITING_NOTES = (
    "Two fast receivers for Saturdays",
    "Anyone who can snap the ball",
    "A quarterback while ours is on parental leave",
    "Looking for women who like to play defense",
    "Experienced safety, please",
    "Beginners welcome, we are friendly",
    "Rusher with quick feet",
    "Need bodies, three people moved away",
    "Someone who can make morning games",
)
FIELD_PARKS = (
    ("Berliner Park", "1300 Deckebach Rd, Columbus, OH", "grass", 5, 7),
    ("Whetstone Park", "3923 N High St, Columbus, OH", "grass", 5, 7),
    ("Goodale Park", "120 W Goodale St, Columbus, OH", "grass", 4, 6),
    ("Anheuser Sports Park", "1415 Schrock Rd, Columbus, OH", "turf", 11, 14),
    ("Antrim Park", "5800 Olentangy River Rd, Columbus, OH", "grass", 4, 6),
    ("Lou Berliner Annex", "250 Greenlawn Ave, Columbus, OH", "turf", 10, 13),
    ("Tuttle Park", "240 W Oakland Ave, Columbus, OH", "turf", 12, 15),
    ("Maloney Park", "900 Cleveland Ave, Columbus, OH", "grass", 4, 5),
    ("Avery Park", "7401 Avery Rd, Dublin, OH", "turf", 12, 16),
    ("Heritage Park", "60 N Cleveland Ave, Westerville, OH", "grass", 5, 7),
    ("Roger A. Reynolds Park", "3800 Veterans Memorial Dr, Hilliard, OH", "turf", 11, 15),
    ("Fryer Park", "3899 Orders Rd, Grove City, OH", "grass", 5, 6),
    ("Academy Park", "1201 Cherry Bottom Rd, Gahanna, OH", "grass", 4, 6),
    ("Huber Park", "1640 Davidson Dr, Reynoldsburg, OH", "grass", 4, 6),
    ("Fancyburg Park", "3375 Kioka Ave, Columbus, OH", "turf", 10, 14),
    ("McCord Park", "333 E Wilson Bridge Rd, Worthington, OH", "grass", 5, 7),
)
FIELD_SIDES = ("North", "South", "East", "West", "Upper Field", "Lower Field", "Main Field")
FIELD_PROBLEMS = (
    "Sprinkler head sticking up near the 20",
    "Goal line paint is gone",
    "Two lights out on the west side",
    "Gate code does not work",
    "Deep ruts in the south end zone",
    "Standing water after rain",
    "Trash cans overflowing",
    "Loose turf seam at midfield",
    "No first down markers in the shed",
)
POSTPONED_REASONS = (
    "Lightning in the area",
    "Field was under water",
    "No referee could make it",
    "High school game ran long",
    "Power outage at the park",
    "Both teams were short on players",
    "Heat advisory",
    "Smoke from a warehouse fire nearby",
)
ANSWER_NOTES = (
    "On call that weekend",
    "Might be ten minutes late",
    "Bringing my own flags",
    "Hamstring is still tight",
    "Need a ride from downtown",
    "Depends on my kid's recital",
    "Can only play the first half",
    "Out of town for a wedding",
    "Can play any position",
)
TRANSFER_REASONS = (
    "My coworkers play there",
    "Closer to my new place",
    "I want to play with my brother",
    "Not enough snaps where I am",
    "They need a quarterback",
    "My schedule changed at work",
    "My roommate is their captain",
)
POST_NOTES = (
    "Free every weekend",
    "Played in college, still fast",
    "New in town and happy to learn",
    "Can cover any position",
    "Left-handed quarterback",
    "Coming back from a knee injury",
    "My husband wants to join, too",
    "Prefer morning games",
)
# what happened, games to sit out
OFFENSES = (
    ("Two unsportsmanlike conduct flags", 1),
    ("Threw the ball at an opponent", 2),
    ("Shoved an official", 4),
    ("Cursed at the referee", 1),
    ("Late hit out of bounds", 1),
    ("Played under another player's name", 3),
    ("Fought after the final whistle", 4),
    ("Left the bench during a scuffle", 2),
    ("Ripped a jersey on purpose", 1),
    ("Threatened a scorekeeper", 3),
    ("Tackled instead of pulling the flag", 2),
)
STATEMENTS = (
    "I tripped and fell into him.",
    "The second flag was on my teammate, not me.",
    "The referee heard the wrong person.",
    "I was pulling them apart, ask anyone on the sideline.",
    "I apologized right away and he accepted it.",
    "The whistle had not blown yet.",
    "Somebody else was wearing my number that day.",
    "I have played nine seasons without a single flag.",
    "Video from our bench shows I let go.",
)
# kind, least and most in steps of $5, notes
FEES = (
    (
        "fine",
        5,
        20,
        (
            "Unsportsmanlike conduct",
            "Ejected from a game",
            "Played without a waiver",
            "Alcohol on the sideline",
            "Damaged a goal marker",
        ),
    ),
    ("forfeit_fee", 15, 15, ("Forfeited with too few players", "Forfeited on game day")),
    ("late_fee", 3, 3, ("Registration paid late", "Rental paid late", "Fine paid late")),
    ("cancellation_fee", 2, 4, ("Practice canceled late", "Pass canceled early")),
    ("appeal_fee", 5, 5, ("Appeal filed",)),
    ("transfer_fee", 4, 4, ("Moved teams during the season",)),
)
SLOTS = ("07:00", "10:00", "13:00", "16:00", "19:00")
METHODS = ("card", "card", "card", "check", "cash", "credit")
MOST = {"rookie": 1, "varsity": 2, "all_star": 3}  # places in a season, and places with shifts
MAY_OWE = {"rookie": 1000, "varsity": 4000, "all_star": 8000}  # cents, when they book or buy
NEVER = "9999-12-31"


def populate(world: WorldBuilder) -> None:
    """A tenth of the rows are members; the rest is what they play, book, buy, and owe."""
    draw = world.random
    homes = {}
    women = set()
    members = []
    for number in range(world.share(0.094, least=16)):
        members.append(_add_member(world, number, homes, women, members))
    crowd = list(members)
    draw.shuffle(crowd)  # the first of the crowd are the busiest
    fields = _add_fields(world, world.share(0.0085, least=4))
    teams_wanted = world.share(0.026, least=9)
    divisions = _add_divisions(world, max(4, teams_wanted // 4))
    teams = []
    rosters = {}  # team -> live registrations
    taken = set()  # (member, division) with a live registration
    places = {}  # (member, part of the year) -> registrations and posts
    registrations = []
    owing = []
    for number in range(teams_wanted):
        division = (
            divisions[number % len(divisions)] if number < 2 * len(divisions) else _pick_division(world, divisions)
        )
        _add_team(world, division, crowd, women, teams, rosters, taken, places, registrations)
    for number in range(world.share(0.108, least=18) - len(teams)):
        _add_registration(world, number, teams, crowd, women, rosters, taken, places, registrations)
    seats = dict(places)  # without posts
    movers = _add_transfers(world, world.share(0.026, least=6), teams, registrations)
    ledger = {member["member_id"]: {"charges": [], "events": [], "most": MAY_OWE[member["tier"]]} for member in members}
    _add_registration_charges(world, ledger, registrations, movers)
    _add_posts(world, world.share(0.018, least=6), divisions, crowd, women, taken, places, registrations)
    used = set()  # (field or team, kickoff)
    games = []
    for number in range(world.share(0.062, least=8)):
        _add_game(world, number, teams, fields, used, games)
    live = _live_by_team(registrations)
    waivers = {member["member_id"]: member["waiver_expires_on"] for member in members}
    _add_answers(world, world.share(0.058, least=4), games, live, waivers)
    _add_shifts(world, world.share(0.048, least=8), games, crowd, live, seats)
    _add_suspensions(world, world.share(0.028, least=5), games, live)
    for number in range(world.share(0.01, least=2)):
        _add_fee(world, number, crowd, ledger)
    _add_bookings(world, world.share(0.058, least=6), fields, crowd, ledger)
    _add_passes(world, world.share(0.046, least=5), crowd, ledger)
    for number in range(world.share(0.046, least=4)):
        owing = [member for member in crowd if _owed(ledger[member["member_id"]], NEVER)] if number % 8 == 0 else owing
        _add_fee(world, number, owing if owing and draw.random() < 0.45 else crowd, ledger)


def _part(division):
    """The part of the year: seasons that run or take registrations at the same time count together."""
    return "spring" if division["season"] == "Spring 2026" else "fall"


def _owed(account, day):
    """The most that can have been owed on a day."""
    return sum(amount for first, last, amount in account["charges"] if first <= day <= last)


def _may_buy(account, day, until, amount):
    """Nothing they owe keeps them from buying on the day, and the price none of their later purchases."""
    return _owed(account, day) <= account["most"] and _fits(account, day, until, amount)


def _fits(account, first, last, amount):
    """A charge that is open from the first day to the last keeps them from none of their purchases."""
    return all(_owed(account, day) + amount <= account["most"] for day in account["events"] if first <= day <= last)


def _settled_by(charged_on, status):
    return NEVER if status == "open" else add_days(charged_on, 12)


def _busy(world, crowd):
    """A member, the first of the crowd more often than the last."""
    return crowd[int(len(crowd) * world.random.random() ** 1.7)]


def _open_day(day):
    """The day, or the Saturday before if it is a Sunday."""
    return add_days(day, -1) if weekday(day) == "Sunday" else day


def _day_between(world, first, last):
    """A day from first to last, an open one where possible."""
    day = add_days(first, world.random.randrange(max(0, days_between(first, last)) + 1))
    return max(first, _open_day(day))


def _clock_time(world, first=8, last=21):
    return f"{world.random.randrange(first, last):02d}:{world.random.randrange(60):02d}:00"


def _add_member(world, number, homes, women, members):
    draw = world.random
    woman = draw.random() < 0.45
    given, family = draw.choice(WOMEN if woman else MEN), draw.choice(FAMILY)
    name = f"{given} {family}"
    if number % 4 == 3:
        earlier = draw.choice(members)
        name, woman = earlier["name"], earlier["member_id"] in women
        given, family = name.split(" ")
    room = [place for place in PLACES if homes.get(place[0], 0) < 100 * len(place[2])]
    city, zips, areas = draw.choice(room)
    count = homes.get(city, 0)
    homes[city] = count + 1
    joined = _open_day(world.day(-draw.randrange(250, 1900) if draw.random() < 0.75 else -draw.randrange(85, 230)))
    kind = draw.choices(("none", "expired", "soon", "long"), (12, 18, 20, 50))[0]
    waiver = None
    if kind != "none":
        ahead = {"expired": draw.randrange(-90, 0), "soon": draw.randrange(0, 61), "long": draw.randrange(61, 360)}[
            kind
        ]
        waiver = max(world.day(ahead), add_days(joined, 365))
    row = world.insert(
        "member",
        name=name,
        email=f"{given}.{family}{number}@{draw.choice(MAIL)}".lower(),
        phone=f"({areas[count // 100]}) 555-01{count % 100:02d}",
        date_of_birth=add_days("1966-03-01", draw.randrange(0, 14800)),
        address=f"{draw.randrange(100, 6900)} {draw.choice(STREETS)}, {city}, OH",
        zip_code=draw.choice(zips),
        tier=draw.choices(("rookie", "varsity", "all_star"), (32, 36, 32))[0],
        joined_on=joined,
        waiver_expires_on=waiver,
        credit_cents=500 * draw.randrange(1, 19) if draw.random() < 0.45 else 0,
    )
    if woman:
        women.add(row["member_id"])
    return row


def _add_fields(world, wanted):
    draw = world.random
    spots = [(park, side) for side in FIELD_SIDES for park in FIELD_PARKS]
    fields = []
    for number, (park, side) in enumerate(draw.sample(spots, min(wanted, len(spots)))):
        name, address, surface, least, most = park
        broken = draw.random() < 0.35 if number > 1 else number == 1
        fields.append(
            world.insert(
                "field",
                name=f"{name} {side}",
                address=address,
                surface=surface,
                has_lights=int(draw.random() < (0.85 if surface == "turf" else 0.35)),
                hourly_rate_cents=500 * draw.randrange(least, most + 1),
                is_open=int(number < 3 or draw.random() < 0.82),
                problem=draw.choice(FIELD_PROBLEMS) if broken else None,
                problem_reported_on=_open_day(world.day(-draw.randrange(1, 40))) if broken else None,
            )
        )
    return fields


def _add_divisions(world, wanted):
    draw = world.random
    kinds = [(form, level, tag) for form in FORMATS for level in LEVELS for tag in TAGS]
    left = {season[0]: draw.sample(kinds, len(kinds)) for season in SEASONS}
    divisions = []
    for number in range(wanted):
        drawn = draw.choices(SEASONS, (56, 22, 22))[0]
        season = (SEASONS[0], SEASONS[1], SEASONS[2], SEASONS[0])[number] if number < 4 else drawn
        name, starts_on, ends_on, opens_on, closes, locks = season
        if not left[name]:
            continue
        form, level, tag = left[name].pop()
        if number in (0, 3):  # everybody can play somewhere, in the smallest league, too
            first = number == 0
            form, tag = FORMATS[0], TAGS[0] if first else TAGS[1]
            left[name] = [kind for kind in left[name] if kind != (form, level, tag)]
        pick = draw.randrange(len(closes))
        row = world.insert(
            "division",
            name=f"{tag[0]} {form[1]} {level[1]}",
            season=name,
            format=form[0],
            level=level[0],
            fee_cents=500 * draw.randrange(level[2], level[3] + 1),
            minimum_age=tag[1] if tag[1] > 18 or draw.random() < 0.7 else 21,
            roster_limit=draw.choice((7, 8, 9, 10, 12)),
            registration_closes_on=closes[pick],
            roster_locks_on=locks[draw.randrange(len(locks))],
            starts_on=starts_on,
            ends_on=ends_on,
        )
        divisions.append({**row, "opens_on": opens_on})
    return divisions


def _pick_division(world, divisions):
    weights = [3 if division["season"] == "Fall 2026" else 1 for division in divisions]
    return world.random.choices(divisions, weights)[0]


def _may_play(world, member, division, women, taken, places):
    born = member["date_of_birth"]
    age = int(world.today[:4]) - int(born[:4]) - int(world.today[5:] < born[5:])
    woman = member["member_id"] in women
    return (
        age > division["minimum_age"]
        and (division["format"] == "coed" or (division["format"] == "womens") == woman)
        and member["joined_on"] <= division["opens_on"]
        and (member["member_id"], division["division_id"]) not in taken
        and places.get((member["member_id"], _part(division)), 0) < MOST[member["tier"]]
    )


def _registered_on(world, division, early):
    if early:
        return _day_between(world, division["opens_on"], add_days(division["opens_on"], 12))
    last = min(world.day(-1), division["registration_closes_on"])
    return _day_between(world, division["opens_on"], last)


def _free_number(world, roster):
    worn = {row["jersey_number"] for row in roster}
    return world.random.choice([number for number in range(100) if number not in worn])


def _add_team(world, division, crowd, women, teams, rosters, taken, places, registrations):
    draw = world.random
    captain = None
    for _ in range(60):
        member = draw.choice(crowd)
        if _may_play(world, member, division, women, taken, places):
            captain = member
            break
    if captain is None:
        return
    names = {team["name"] for team in division.setdefault("teams", [])}
    name, color = draw.choice(TEAM_JOKES)
    if draw.random() < 0.75 or name in names:
        animal, color = draw.choice(TEAM_ANIMALS)
        name = f"{draw.choice(TEAM_PLACES)} {animal}"
    if name in names:
        return
    over = division["ends_on"] < world.today
    recruiting = not over and draw.random() < 0.45
    row = world.insert(
        "team",
        division_id=division["division_id"],
        name=name,
        color=color,
        captain_member_id=captain["member_id"],
        recruiting=int(recruiting),
        recruiting_note=draw.choice(RECRUITING_NOTES) if recruiting and draw.random() < 0.8 else None,
    )
    team = {**row, "division": division, "weight": draw.choice((1, 1, 2, 5))}
    teams.append(team)
    division["teams"].append(team)
    rosters[team["team_id"]] = []
    _insert_registration(world, team, captain, "active", False, rosters, taken, places, registrations)


def _insert_registration(world, team, member, status, early, rosters, taken, places, registrations):
    draw = world.random
    roster = rosters[team["team_id"]]
    registered_on = _registered_on(world, team["division"], early)
    withdrawn_on = None
    if status == "withdrawn":
        withdrawn_on = _day_between(world, registered_on, min(world.day(-1), team["division"]["ends_on"]))
    row = world.insert(
        "registration",
        member_id=member["member_id"],
        team_id=team["team_id"],
        jersey_number=_free_number(world, roster),
        position=draw.choice(POSITIONS),
        status=status,
        registered_on=registered_on,
        withdrawn_on=withdrawn_on,
    )
    registrations.append({**row, "team": team})
    key = (member["member_id"], _part(team["division"]))
    places[key] = places.get(key, 0) + 1
    if status != "withdrawn":
        roster.append(row)
        taken.add((member["member_id"], team["division_id"]))


def _add_registration(world, number, teams, crowd, women, rosters, taken, places, registrations):
    draw = world.random
    early = number < 3  # so that somebody may ask for a transfer in the smallest league, too
    weights = [team["weight"] * (3 if team["division"]["season"] == "Fall 2026" else 1) for team in teams]
    team = teams[0] if early else draw.choices(teams, weights)[0]
    over = team["division"]["ends_on"] < world.today
    status = draw.choices(("active", "pending", "withdrawn"), (80, 0, 20) if over else (66, 22, 12))[0]
    if early:
        status = "active"
    elif status != "withdrawn" and len(rosters[team["team_id"]]) >= team["division"]["roster_limit"]:
        status = "withdrawn"
    for _ in range(40):
        member = _busy(world, crowd)
        if _may_play(world, member, team["division"], women, taken, places):
            early = early or draw.random() < 0.1
            _insert_registration(world, team, member, status, early, rosters, taken, places, registrations)
            return


def _add_transfers(world, wanted, teams, registrations):
    """The first team's name of every registration that was moved."""
    draw = world.random
    movers = {}
    asked = set()
    ready = [
        row
        for row in registrations
        if row["status"] == "active"
        and row["team"]["captain_member_id"] != row["member_id"]
        and len(row["team"]["division"]["teams"]) > 1
        and add_days(row["registered_on"], 36) <= min(world.day(-1), row["team"]["division"]["ends_on"])
    ]
    for number in range(wanted if ready else 0):
        row = draw.choice(ready)
        team = row["team"]
        others = [other for other in team["division"]["teams"] if other["team_id"] != team["team_id"]]
        other = draw.choice(others)
        over = team["division"]["ends_on"] < world.today
        status = draw.choices(("requested", "accepted", "declined", "withdrawn"), (0 if over else 45, 25, 18, 12))[0]
        if number == 0 and not over:
            status = "requested"
        key = row["registration_id"]
        if (status == "requested" and key in asked) or (status == "accepted" and key in movers):
            continue
        last = min(world.day(-1), team["division"]["ends_on"])
        first = add_days(row["registered_on"], 36)  # a Saturday before it is still late enough
        day = max(first, world.day(-12)) if status == "requested" else first
        requested_at = f"{_day_between(world, day, last)} {_clock_time(world)}"
        if status == "requested":
            asked.add(key)
        if status == "accepted":
            movers[key] = other["name"]
        origin, target = (other, team) if status == "accepted" else (team, other)
        world.insert(
            "transfer",
            registration_id=key,
            from_team_id=origin["team_id"],
            to_team_id=target["team_id"],
            reason=draw.choice(TRANSFER_REASONS) if draw.random() < 0.75 else None,
            status=status,
            requested_at=requested_at,
            decided_at=None if status == "requested" else add_minutes(requested_at, draw.randrange(25, 600)),
        )
    return movers


def _add_charge(world, ledger, member_id, kind, amount, status, charged_on, due_on, note, refund=0, **link):
    """A charge with its payments; refund is a share of what was paid."""
    draw = world.random
    paid = 0
    if status == "paid":
        paid = amount
    elif draw.random() < 0.3:
        paid = 500 * max(1, amount // 1500)
        paid = paid if paid < amount else 0
    parts = []
    if paid > 3000 and status == "paid" and draw.random() < 0.12:
        parts = [paid - 2000, 2000]
    elif paid:
        parts = [paid]
    refunded = int(paid * refund) // 100 * 100 if len(parts) == 1 else 0
    late = draw.random() < 0.35 and kind != "rental" and status != "open"
    ledger[member_id]["charges"].append((charged_on, _settled_by(charged_on, status), amount))
    soon = min(world.day(-1), add_days(charged_on, 12))
    row = world.insert(
        "charge",
        member_id=member_id,
        kind=kind,
        amount_cents=amount,
        paid_cents=paid - refunded,
        status=status,
        due_on=add_days(due_on, 14) if late else due_on,
        extended_count=1 if late else 0,
        note=note,
        charged_on=charged_on,
        waived_on=_day_between(world, charged_on, soon) if status == "waived" else None,
        **link,
    )
    for part in parts:
        world.insert(
            "payment",
            charge_id=row["charge_id"],
            amount_cents=part,
            refunded_cents=refunded,
            method=draw.choice(METHODS),
            paid_at=f"{_day_between(world, charged_on, soon)} {_clock_time(world)}",
        )


def _add_registration_charges(world, ledger, registrations, movers):
    draw = world.random
    for row in registrations:
        team = row["team"]
        status = "paid" if row["status"] == "active" else "open"
        refund = 0
        if row["status"] == "withdrawn":
            status = draw.choices(("paid", "open", "waived"), (55, 20, 25))[0]
            refund = draw.choice((0, 0.5, 1)) if status == "paid" else 0
        _add_charge(
            world,
            ledger,
            row["member_id"],
            "registration",
            team["division"]["fee_cents"],
            status,
            row["registered_on"],
            add_days(row["registered_on"], 14),
            f"Registration, {movers.get(row['registration_id'], team['name'])}",
            refund,
            registration_id=row["registration_id"],
        )


def _add_posts(world, wanted, divisions, crowd, women, taken, places, registrations):
    draw = world.random
    posted = set()
    for number in range(wanted):
        status = "open" if number == 0 else draw.choices(("open", "placed", "taken_down"), (52, 26, 22))[0]
        if status == "placed":
            row = draw.choice(registrations)
            division, member_id = row["team"]["division"], row["member_id"]
            posted_on = _day_between(world, division["opens_on"], row["registered_on"])
        else:
            fitting = [division for division in divisions if division["ends_on"] >= world.today]
            division = draw.choice(fitting if status == "open" else divisions)
            member_id = None
            for _ in range(60):
                member = draw.choice(crowd)
                if (
                    _may_play(world, member, division, women, taken, places)
                    and (member["member_id"], division["division_id"]) not in posted
                ):
                    member_id = member["member_id"]
                    break
            if member_id is None:
                continue
            posted_on = _day_between(
                world, division["opens_on"], min(world.day(-1), division["registration_closes_on"])
            )
            key = (member_id, _part(division))
            places[key] = places.get(key, 0) + 1
        if status == "open":
            posted.add((member_id, division["division_id"]))
        world.insert(
            "free_agent_post",
            member_id=member_id,
            division_id=division["division_id"],
            position=draw.choice(POSITIONS),
            note=draw.choice(POST_NOTES) if draw.random() < 0.7 else None,
            status=status,
            posted_on=posted_on,
        )


def _add_game(world, number, teams, fields, used, games):
    draw = world.random
    ready = [team for team in teams if len(team["division"]["teams"]) > 1]
    weights = [5 if team["division"]["season"] == "Fall 2026" else 1 for team in ready]
    for _ in range(12):
        home = draw.choices(ready, weights)[0] if number > 3 else ready[0]
        away = draw.choice([team for team in home["division"]["teams"] if team["team_id"] != home["team_id"]])
        division = home["division"]
        weeks = days_between(division["starts_on"], division["ends_on"]) // 7
        shift = (
            1
            if division["name"].startswith("Sunday")
            else 0
            if division["name"].startswith("Saturday")
            else draw.randrange(2)
        )
        week = draw.randrange(weeks + 1) if number > 3 else (0, 1, 5, 6)[number]
        day = min(add_days(division["starts_on"], 7 * week + shift), division["ends_on"])
        starts_at = f"{day} {draw.randrange(8, 18):02d}:00:00"
        ahead = starts_at > world.now
        field = draw.choice([field for field in fields if field["is_open"]] if ahead else fields)
        keys = [(home["team_id"], starts_at), (away["team_id"], starts_at), (field["field_id"], starts_at)]
        if any(key in used for key in keys):
            continue
        used.update(keys)
        if ahead:
            status = (
                "scheduled" if number < 4 else draw.choices(("scheduled", "postponed", "forfeited"), (76, 20, 4))[0]
            )
        else:
            recent = division["season"] == "Fall 2026" and number > 3
            status = (
                draw.choices(("played", "forfeited", "scheduled"), (77, 9, 14 if recent else 0))[0]
                if number > 3
                else "played"
            )
        if status == "postponed" and day < world.day(15):
            status = "scheduled" if ahead else "played"
        postponed = 1 if status == "postponed" or draw.random() < 0.22 else 0
        forfeit = draw.choice((home, away)) if status == "forfeited" else None
        scores = (None, None)
        if status == "played":
            scores = (
                draw.choice((0, 6, 7, 13, 14, 19, 20, 26, 27, 33, 34)),
                draw.choice((0, 6, 7, 12, 13, 14, 20, 21, 26, 28, 32)),
            )
        if forfeit is not None:
            scores = (0, 14) if forfeit is home else (14, 0)
        row = world.insert(
            "game",
            home_team_id=home["team_id"],
            away_team_id=away["team_id"],
            field_id=field["field_id"],
            starts_at=starts_at,
            status=status,
            home_score=scores[0],
            away_score=scores[1],
            forfeit_team_id=None if forfeit is None else forfeit["team_id"],
            postponed_count=postponed,
            postponed_reason=draw.choice(POSTPONED_REASONS) if postponed else None,
        )
        games.append(row)
        return


def _live_by_team(registrations):
    live = {}
    for row in registrations:
        if row["status"] != "withdrawn":
            live.setdefault(row["team_id"], []).append(row)
    return live


def _players(game, live):
    return live.get(game["home_team_id"], []) + live.get(game["away_team_id"], [])


def _add_answers(world, wanted, games, live, waivers):
    draw = world.random
    given = set()
    weights = [3 if game["status"] == "scheduled" and game["starts_at"] > world.now else 1 for game in games]
    for _ in range(wanted):
        for _ in range(8):
            game = draw.choices(games, weights)[0]
            player = draw.choice(_players(game, live))
            day = game["starts_at"][:10]
            last = min(world.day(-1), add_days(day, -1))
            first = max(player["registered_on"], add_days(last, -9))
            if (game["game_id"], player["member_id"]) in given or first > last:
                continue
            given.add((game["game_id"], player["member_id"]))
            covered = (waivers[player["member_id"]] or "") >= world.day(60)
            world.insert(
                "game_answer",
                game_id=game["game_id"],
                member_id=player["member_id"],
                answer=draw.choices(("in", "out", "maybe"), (60, 18, 22))[0] if covered else "out",
                note=draw.choice(ANSWER_NOTES) if draw.random() < 0.35 else None,
                answered_at=f"{_day_between(world, first, last)} {_clock_time(world)}",
            )
            break


def _add_shifts(world, wanted, games, crowd, live, seats):
    draw = world.random
    loads = dict(seats)
    jobs = (("referee", 9, 12), ("line_judge", 6, 8), ("scorekeeper", 4, 5))
    filled = set()
    busy = set()
    weights = [4 if game["status"] == "scheduled" and game["starts_at"] > world.now else 1 for game in games]
    for _ in range(wanted):
        for _ in range(20):
            game = draw.choices(games, weights)[0]
            role, least, most = draw.choice(jobs)
            if (game["game_id"], role) in filled:
                continue
            member = _busy(world, crowd)
            load = (member["member_id"], "spring" if game["starts_at"] < "2026-07-01" else "fall")
            full = loads.get(load, 0) >= MOST[member["tier"]]
            playing = {row["member_id"] for row in _players(game, live)}
            ahead = game["status"] in ("scheduled", "postponed") and game["starts_at"] > world.now
            status = draw.choices(("open", "claimed"), (45, 55))[0] if ahead else "worked"
            if game["status"] == "postponed" and not ahead:
                status = "open"
            last = min(world.day(-1), add_days(game["starts_at"][:10], -1))
            first = max(member["joined_on"], add_days(last, -25))
            if status != "open" and (
                full
                or member["member_id"] in playing
                or (member["member_id"], game["starts_at"]) in busy
                or first > last
            ):
                continue
            filled.add((game["game_id"], role))
            if status != "open":
                busy.add((member["member_id"], game["starts_at"]))
                loads[load] = loads.get(load, 0) + 1
            world.insert(
                "shift",
                game_id=game["game_id"],
                role=role,
                pay_cents=500 * draw.randrange(least, most + 1),
                status=status,
                member_id=None if status == "open" else member["member_id"],
                claimed_at=None if status == "open" else f"{_day_between(world, first, last)} {_clock_time(world)}",
            )
            break


def _add_suspensions(world, wanted, games, live):
    draw = world.random
    over = [game for game in games if game["status"] == "played" and game["starts_at"] < world.moment(-2, "00:00")]
    recent = [game for game in over if game["starts_at"] > "2026-08-01"]
    for number in range(wanted if over else 0):
        game = draw.choice(recent if recent and draw.random() < 0.8 else over)
        player = draw.choice(_players(game, live))
        issued_on = min(world.day(-1), add_days(game["starts_at"][:10], draw.randrange(1, 4)))
        if weekday(issued_on) == "Sunday":
            issued_on = add_days(issued_on, 1)
        old = game["starts_at"] < "2026-08-01"
        status = draw.choices(
            ("active", "under_appeal", "served", "lifted"), (5, 0, 70, 25) if old else (50, 24, 16, 10)
        )[0]
        if number < 2:
            status = ("under_appeal", "active")[number]
        if number in (3, 4):
            status = "active"
        appealed = status in ("under_appeal", "lifted")
        reason, total = draw.choice([offense for offense in OFFENSES if offense[1] > 1] if appealed else OFFENSES)
        served = draw.randrange(total) if draw.random() < 0.5 else 0
        if status != "active":
            served = draw.randrange(total - 1) if appealed else total
        if number in (3, 4):
            reason, total, served = "Threatened a scorekeeper", 3, 0
        row = world.insert(
            "suspension",
            member_id=player["member_id"],
            game_id=game["game_id"],
            reason=reason,
            games_total=total,
            games_served=served,
            status=status,
            issued_on=issued_on,
        )
        outcome = {"under_appeal": "filed", "lifted": "granted"}.get(status)
        if status == "active" and total - served > 1 and number > 1 and (number in (3, 4) or draw.random() < 0.35):
            outcome = {3: "withdrawn", 4: "denied"}.get(number, draw.choice(("denied", "withdrawn")))
        if outcome is not None:
            last = min(world.day(-1), add_days(issued_on, 10))
            world.insert(
                "appeal",
                suspension_id=row["suspension_id"],
                statement=draw.choice(STATEMENTS),
                wants_hearing=int(draw.random() < 0.4),
                status=outcome,
                filed_at=f"{_day_between(world, issued_on, last)} {draw.randrange(18, 22)}:{draw.randrange(60):02d}:00",
            )


def _add_bookings(world, wanted, fields, crowd, ledger):
    draw = world.random
    used = set()
    ready = [field for field in fields if field["is_open"]]
    for _ in range(wanted):
        for _ in range(40):
            member = _busy(world, crowd)
            ahead = draw.random() < 0.6
            day = world.day(draw.randrange(1, 41) if ahead else -draw.randrange(1, 75))
            slot = draw.choice(SLOTS)
            field = draw.choice(ready if ahead else fields)
            if weekday(day) in ("Saturday", "Sunday") or (field["field_id"], day, slot) in used:
                continue
            hours = draw.choices((1, 2, 3), (40, 45, 15))[0]
            last = min(world.day(-1), add_days(day, -1))
            booked_on = _day_between(world, max(member["joined_on"], add_days(last, -18)), last)
            status = "canceled" if draw.random() < 0.18 else "booked"
            refund = 0
            if status == "canceled":
                pay = draw.choices(("waived", "paid", "open"), (40, 40, 20))[0]
                refund = draw.choice((0.5, 1)) if pay == "paid" else 0
            else:
                pay = draw.choices(("paid", "open"), (50, 50) if ahead else (85, 15))[0]
            price = field["hourly_rate_cents"] * hours
            account = ledger[member["member_id"]]
            if pay != "paid" and _owed(account, booked_on) + price > account["most"]:
                pay = "paid"
            if not _may_buy(account, booked_on, _settled_by(booked_on, pay), price):
                continue
            used.add((field["field_id"], day, slot))
            account["events"].append(booked_on)
            booked_at = f"{booked_on} {_clock_time(world)}"
            row = world.insert(
                "booking",
                member_id=member["member_id"],
                field_id=field["field_id"],
                starts_at=f"{day} {slot}:00",
                hours=hours,
                price_cents=price,
                status=status,
                moved_count=int(days_between(booked_on, day) >= 10 and draw.random() < 0.28),
                booked_at=booked_at,
                canceled_at=add_minutes(booked_at, draw.randrange(20, 500)) if status == "canceled" else None,
            )
            _add_charge(
                world,
                ledger,
                member["member_id"],
                "rental",
                price,
                pay,
                booked_on,
                day,
                f"Practice, {field['name']}",
                refund,
                booking_id=row["booking_id"],
            )
            break


def _add_passes(world, wanted, crowd, ledger):
    draw = world.random
    valid = set()
    for _ in range(wanted):
        for _ in range(25):
            member = _busy(world, crowd)
            family = member["name"].split(" ")[1]
            kind, price = draw.choice((("spectator", 4000), ("spectator", 4000), ("parking", 6000)))
            holder = member["name"] if draw.random() < 0.4 else f"{draw.choice(draw.choice((WOMEN, MEN)))} {family}"
            bought_on = max(member["joined_on"], _open_day(world.day(-draw.randrange(2, 190))))
            valid_through = add_days(bought_on, 120)
            key = (member["member_id"], kind, holder)
            canceled = draw.random() < 0.15
            refund = 0
            if canceled:
                pay = draw.choices(("paid", "waived"), (65, 35))[0]
                refund = draw.choice((0, 0.5)) if pay == "paid" else 0
            else:
                pay = draw.choices(("paid", "open"), (40, 60) if bought_on > world.day(-25) else (90, 10))[0]
            account = ledger[member["member_id"]]
            if pay != "paid" and _owed(account, bought_on) + price > account["most"]:
                pay = "paid"
            if not _may_buy(account, bought_on, _settled_by(bought_on, pay), price) or (key in valid and not canceled):
                continue
            if valid_through >= world.today and not canceled:
                valid.add(key)
            account["events"].append(bought_on)
            row = world.insert(
                "season_pass",
                member_id=member["member_id"],
                kind=kind,
                holder_name=holder,
                price_cents=price,
                status="canceled" if canceled else "active",
                bought_on=bought_on,
                valid_through=valid_through,
                canceled_on=_day_between(world, bought_on, min(world.day(-1), valid_through)) if canceled else None,
            )
            _add_charge(
                world,
                ledger,
                member["member_id"],
                "season_pass",
                price,
                pay,
                bought_on,
                add_days(bought_on, 14),
                f"Season pass, {holder}",
                refund,
                season_pass_id=row["season_pass_id"],
            )
            break


def _add_fee(world, number, crowd, ledger):
    draw = world.random
    for _ in range(15):
        member = _busy(world, crowd)
        kind, least, most, notes = FEES[0] if number == 0 else draw.choices(FEES, (34, 12, 18, 14, 12, 10))[0]
        charged_on = max(member["joined_on"], _open_day(world.day(-draw.randrange(1, 40))))
        amount = 500 * draw.randrange(least, most + 1)
        status = draw.choices(("open", "paid", "waived"), (72, 20, 8))[0]
        if not _fits(ledger[member["member_id"]], charged_on, _settled_by(charged_on, status), amount):
            continue
        _add_charge(
            world,
            ledger,
            member["member_id"],
            kind,
            amount,
            status,
            charged_on,
            add_days(charged_on, 14),
            draw.choice(notes) if draw.random() < 0.85 else None,
        )
        return
