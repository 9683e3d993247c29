"""Fill a community media archive: members, the recordings they brought in, viewings, research inquiries and charges."""

from runtime import WorldBuilder, add_days, add_minutes, days_between

INVARIANTS = {
    "Only a cataloged recording has booked viewings.": """
        SELECT viewing_id FROM viewing JOIN recording USING (recording_id)
        WHERE viewing.status = 'booked' AND recording.status <> 'cataloged'
    """,
    "Only a cataloged recording has open inquiries.": """
        SELECT inquiry_id FROM inquiry JOIN recording USING (recording_id)
        WHERE inquiry.status = 'open' AND recording.status <> 'cataloged'
    """,
    "Two viewings that are booked or attended never overlap in one booth.": """
        SELECT a.viewing_id FROM viewing a JOIN viewing b ON a.booth = b.booth AND a.viewing_id <> b.viewing_id
        AND a.starts_at <= b.starts_at AND substr(a.starts_at, 1, 10) = substr(b.starts_at, 1, 10)
        WHERE a.status IN ('booked', 'attended') AND b.status IN ('booked', 'attended')
        AND datetime(a.starts_at, a.minutes || ' minutes') > b.starts_at
    """,
    "No member has two booked viewings that overlap.": """
        SELECT a.viewing_id FROM viewing a JOIN viewing b ON a.member_id = b.member_id AND a.viewing_id <> b.viewing_id
        AND a.starts_at <= b.starts_at AND substr(a.starts_at, 1, 10) = substr(b.starts_at, 1, 10)
        WHERE a.status = 'booked' AND b.status = 'booked'
        AND datetime(a.starts_at, a.minutes || ' minutes') > b.starts_at
    """,
    "A charge about a viewing is on the account of the member who booked it.": """
        SELECT charge_id FROM charge JOIN viewing USING (viewing_id) WHERE charge.member_id <> viewing.member_id
    """,
    "A charge about an inquiry is on the account of the member who asked.": """
        SELECT charge_id FROM charge JOIN inquiry USING (inquiry_id) WHERE charge.member_id <> inquiry.member_id
    """,
    "No member has two cataloged recordings of the same name.": """
        SELECT a.recording_id FROM recording a JOIN recording b
        ON a.member_id = b.member_id AND a.name = b.name AND a.recording_id <> b.recording_id
        WHERE a.status = 'cataloged' AND b.status = 'cataloged'
    """,
    "A viewing is booked after its recording was deposited, which is after the depositor joined.": """
        SELECT viewing_id FROM viewing JOIN recording USING (recording_id)
        JOIN member ON member.member_id = recording.member_id
        WHERE viewing.created_at < recording.created_at OR substr(recording.created_at, 1, 10) < member.joined_on
    """,
}

GIVEN = (
    "Denise",
    "Miguel",
    "Priya",
    "Kevin",
    "Aaliyah",
    "Tom",
    "Karen",
    "Luis",
    "Brenda",
    "Marcus",
    "Emily",
    "Dale",
    "Sharon",
    "Amir",
    "Grace",
    "Walter",
    "Tina",
    "Joel",
    "Nadia",
    "Curtis",
    "Heather",
    "Ramon",
    "Lorraine",
    "Eric",
    "Monica",
    "Glen",
    "Patrice",
    "Andre",
    "Julie",
    "Stan",
    "Renee",
    "Victor",
    "Claire",
    "Doug",
    "Keisha",
    "Paul",
    "Wendy",
    "Hector",
    "Megan",
    "Russell",
    "Angela",
    "Craig",
    "Sofia",
    "Leon",
)
FAMILY = (
    "Walker",
    "Ortega",
    "Raman",
    "Tran",
    "Brooks",
    "Kowalski",
    "Schmidt",
    "Hansen",
    "Nguyen",
    "Dvorak",
    "Meyer",
    "Carter",
    "Petersen",
    "Flores",
    "Novak",
    "Jensen",
    "Washington",
    "Becker",
    "Olson",
    "Ramirez",
    "Schroeder",
    "Murphy",
    "Hudson",
    "Vega",
    "Larson",
    "Bishop",
    "Haas",
    "Coleman",
    "Kruger",
    "Wells",
    "Zimmerman",
    "Ellis",
    "Sanchez",
    "Thompson",
    "Lindgren",
    "Foster",
    "Kessler",
    "Patel",
    "Reed",
    "Gallagher",
    "Boone",
    "Marsh",
    "Svoboda",
    "Whitaker",
)
AREAS = (319, 563, 515, 641, 712, 608, 309, 507, 612, 651, 402, 815, 414, 715, 816, 605, 701, 763, 952, 920, 217, 573)
TOWNS = (
    "Waterloo",
    "Cedar Falls",
    "Waverly",
    "Evansdale",
    "Hudson",
    "Denver",
    "Jesup",
    "Independence",
    "Vinton",
    "Grundy Center",
    "Parkersburg",
    "Reinbeck",
    "Dysart",
    "La Porte City",
    "Traer",
    "Tripoli",
    "Sumner",
    "Oelwein",
    "Fairbank",
    "Gilbertville",
    "Janesville",
    "Shell Rock",
    "Aplington",
    "Dike",
    "Nashua",
    "Allison",
    "Readlyn",
    "Toledo",
    "Manchester",
    "Winthrop",
    "Hazleton",
    "Clarksville",
    "Greene",
    "Ackley",
    "Conrad",
    "Gladbrook",
    "Rowley",
    "Brandon",
    "Walker Station",
    "Plainfield",
)
# name (of a family or a town), kind, carriers, who made it, years, minutes, what is on it
ITEMS = (
    (
        "{family} Family Christmas",
        "home_movie",
        ("super8", "vhs"),
        "",
        1958,
        1989,
        8,
        45,
        ("Presents, a tree with tinsel and a new sled", "Three generations around one table"),
    ),
    (
        "{family} Wedding Reception",
        "home_movie",
        ("super8", "vhs"),
        "",
        1960,
        1995,
        20,
        90,
        ("The cake, the toasts and the first dance", "A polka band in a church hall"),
    ),
    (
        "{family} Farm Harvest",
        "home_movie",
        ("super8", "film_reel"),
        "",
        1948,
        1979,
        6,
        30,
        ("Corn picking with a two-row picker", "Bales going up an elevator into the loft"),
    ),
    (
        "{family} Family Reunion",
        "home_movie",
        ("super8", "vhs", "file"),
        "",
        1962,
        2004,
        15,
        75,
        ("Softball and a long table under the oaks", "Cousins line up by age for a picture"),
    ),
    (
        "{family} Summer Vacation",
        "home_movie",
        ("super8", "vhs"),
        "",
        1957,
        1991,
        10,
        40,
        ("A station wagon trip to the Black Hills", "Two weeks at a lake cabin"),
    ),
    (
        "{family} Birthday Party",
        "home_movie",
        ("super8", "vhs", "file"),
        "",
        1961,
        2006,
        5,
        35,
        ("Games in a basement and a homemade cake", "A pony in the front yard"),
    ),
    (
        "{family} Backyard Ice Rink",
        "home_movie",
        ("super8", "vhs"),
        "",
        1963,
        1990,
        5,
        25,
        ("Neighborhood kids play hockey under a porch light",),
    ),
    (
        "{family} Graduation Day",
        "home_movie",
        ("super8", "vhs", "file"),
        "",
        1965,
        2008,
        10,
        60,
        ("Caps, gowns and an open house in a garage",),
    ),
    (
        "{family} Dairy Barn Fire",
        "home_movie",
        ("super8", "film_reel"),
        "",
        1955,
        1976,
        4,
        15,
        ("Smoke over the yard and volunteers with hoses",),
    ),
    (
        "{family} Baby Steps",
        "home_movie",
        ("super8", "vhs"),
        "",
        1959,
        1992,
        3,
        20,
        ("First steps across a kitchen floor",),
    ),
    (
        "{family} Anniversary Open House",
        "home_movie",
        ("vhs", "file"),
        "",
        1984,
        2007,
        30,
        90,
        ("Guests sign the book and tell stories",),
    ),
    (
        "{town} Homecoming Parade",
        "home_movie",
        ("super8", "vhs"),
        "",
        1954,
        1993,
        10,
        40,
        ("Floats, fire trucks and the high school band", "Homecoming court in convertibles"),
    ),
    (
        "{town} Fourth of July",
        "home_movie",
        ("super8", "vhs", "file"),
        "",
        1956,
        2005,
        10,
        50,
        ("Bike parade, pie contest and fireworks",),
    ),
    (
        "{town} Flood Cleanup",
        "home_movie",
        ("vhs", "file"),
        "",
        1993,
        2008,
        12,
        60,
        ("Sandbags on Main Street and a borrowed boat",),
    ),
    (
        "{town} County Fair Queen",
        "home_movie",
        ("super8", "vhs"),
        "",
        1958,
        1988,
        8,
        30,
        ("Judging, sashes and a ride on a hay wagon",),
    ),
    (
        "{town} Town Portrait",
        "film",
        ("film_reel",),
        "Prairie Lens Productions",
        1937,
        1964,
        12,
        35,
        ("Shopkeepers and schoolchildren face the camera",),
    ),
    (
        "{town} Safe Driving Film",
        "film",
        ("film_reel", "vhs"),
        "Hawk Valley Educational Films",
        1951,
        1972,
        10,
        25,
        ("A staged near miss at a rail crossing",),
    ),
    (
        "{town} School Bus Safety",
        "film",
        ("film_reel",),
        "Hawk Valley Educational Films",
        1953,
        1974,
        8,
        20,
        ("A driver walks children through the rules",),
    ),
    (
        "{town} Cannery at Work",
        "film",
        ("film_reel",),
        "Prairie Lens Productions",
        1940,
        1962,
        10,
        30,
        ("Sweet corn from the truck to the can",),
    ),
    (
        "{town} Centennial Pageant",
        "film",
        ("film_reel", "vhs"),
        "Prairie Lens Productions",
        1950,
        1984,
        30,
        95,
        ("Townspeople act out the founding on a ball field",),
    ),
    (
        "{town} Tractor Works Tour",
        "film",
        ("film_reel", "file"),
        "Rathke Industrial Pictures",
        1946,
        1978,
        15,
        40,
        ("The foundry floor and the test track",),
    ),
    (
        "{town} Rail Yard in Winter",
        "film",
        ("film_reel",),
        "Rathke Industrial Pictures",
        1941,
        1960,
        9,
        28,
        ("Steam engines and section crews in snow",),
    ),
    (
        "{town} Evening News Blizzard Special",
        "tv",
        ("vhs", "file"),
        "Channel 12 Newsroom",
        1975,
        1997,
        25,
        60,
        ("Reporters at drifts as high as a roof",),
    ),
    (
        "{town} Quiz Bowl Final",
        "tv",
        ("vhs",),
        "Channel 12 Studio B",
        1977,
        1998,
        28,
        58,
        ("Two high school teams and a buzzer that sticks",),
    ),
    (
        "{town} Bandstand Saturday",
        "tv",
        ("film_reel", "vhs"),
        "Channel 5 Studios",
        1959,
        1971,
        25,
        58,
        ("Teenagers dance to records in the studio",),
    ),
    (
        "{town} Kitchen Hour",
        "tv",
        ("vhs", "film_reel"),
        "Channel 5 Studios",
        1956,
        1982,
        25,
        57,
        ("Rhubarb pie and a sponsor's message",),
    ),
    (
        "{town} State Playoff Game",
        "tv",
        ("vhs", "file"),
        "Channel 12 Sports",
        1974,
        2003,
        75,
        150,
        ("The whole game with the original ads",),
    ),
    (
        "{town} Mayoral Debate",
        "tv",
        ("vhs", "file"),
        "Cedar Cable Access",
        1986,
        2009,
        55,
        95,
        ("Three candidates and questions from the floor",),
    ),
    (
        "{town} Cartoon Clubhouse",
        "tv",
        ("vhs",),
        "Channel 5 Studios",
        1964,
        1986,
        25,
        55,
        ("A host in a captain's hat and a puppet goat",),
    ),
    (
        "{town} Morning Farm Report",
        "radio",
        ("audio_reel", "cassette"),
        "Valley AM Radio",
        1947,
        1985,
        10,
        30,
        ("Hog prices, weather and a birthday list",),
    ),
    (
        "{town} Polka Hour",
        "radio",
        ("audio_reel", "cassette", "file"),
        "Valley AM Radio",
        1951,
        1979,
        28,
        60,
        ("A live set and dedications read on the air",),
    ),
    (
        "{town} Swap Shop",
        "radio",
        ("cassette", "audio_reel"),
        "Valley AM Radio",
        1968,
        1994,
        25,
        58,
        ("Callers sell tires, puppies and a piano",),
    ),
    (
        "{town} High School Radio Play",
        "radio",
        ("audio_reel", "cassette"),
        "Drama Club",
        1949,
        1981,
        15,
        45,
        ("A ghost story with homemade sound effects",),
    ),
    (
        "{town} Basketball Play by Play",
        "radio",
        ("audio_reel", "cassette", "file"),
        "Valley AM Sports",
        1955,
        1996,
        60,
        120,
        ("Double overtime called from the bleachers",),
    ),
    (
        "{town} Tornado Night Broadcast",
        "radio",
        ("audio_reel", "file"),
        "Valley AM Radio",
        1966,
        1984,
        40,
        120,
        ("Warnings, phone reports and long silences",),
    ),
    (
        "{family} Brothers Band Demo",
        "music",
        ("cassette", "audio_reel", "file"),
        "",
        1969,
        2002,
        12,
        45,
        ("Four songs recorded in a machine shed",),
    ),
    (
        "{family} Sisters Gospel Songs",
        "music",
        ("vinyl", "audio_reel"),
        "",
        1952,
        1978,
        20,
        44,
        ("Close harmony and a pump organ",),
    ),
    (
        "{family} Polka Trio Live",
        "music",
        ("cassette", "vinyl"),
        "",
        1956,
        1987,
        30,
        70,
        ("Accordion, tuba and drums at a ballroom",),
    ),
    (
        "{town} High School Spring Concert",
        "music",
        ("vinyl", "cassette", "file"),
        "Music Boosters",
        1958,
        2005,
        40,
        95,
        ("Choir, jazz band and a long march",),
    ),
    (
        "{town} Garage Band Contest",
        "music",
        ("cassette", "audio_reel"),
        "Parks Department",
        1966,
        1985,
        45,
        110,
        ("Seven bands, one amplifier",),
    ),
    (
        "{town} Old Settlers Fiddlers",
        "music",
        ("audio_reel", "cassette"),
        "Old Settlers Committee",
        1948,
        1982,
        20,
        60,
        ("Fiddle tunes with feet stomping on planks",),
    ),
    (
        "{town} Municipal Band Marches",
        "music",
        ("vinyl", "audio_reel"),
        "Municipal Band Board",
        1950,
        1976,
        25,
        50,
        ("Sousa and two marches by the director",),
    ),
)
PICTURE_TAILS = (
    "color still good",
    "some of it out of focus",
    "a splice about halfway through",
    "last few minutes missing",
    "box has handwritten notes",
    "faded but watchable",
    "starts in the middle",
    "in very good shape",
)
SOUND_TAILS = (
    "sound is thin in places",
    "last few minutes missing",
    "box has handwritten notes",
    "a second copy was lost",
    "starts in the middle",
    "someone talks over the end",
    "hiss on the left side",
    "in very good shape",
)
WITHDRAWN = (
    "My sister wants to keep it at home",
    "Moving to Arizona and taking it along",
    "The family asked for it back",
    "Giving it to the state historical society",
    "My brother never agreed to this",
    "Want it for the funeral",
    "Found a better copy",
    "Selling the whole collection",
    "There are faces on it that should not be public",
    "Donating it to the high school",
    "The kids want to watch it",
    "It was not mine to give",
)
QUESTIONS = {
    "picture": (
        "Who is the man in the plaid coat in {name}?",
        "Who is the woman who waves at the camera in {name}?",
        "Which building is that at the start of {name}?",
        "What is the tune near the end of {name}?",
        "Whose car is that in {name}?",
        "Who is the boy with the dog in {name}?",
    ),
    "sound": (
        "Whose voice is that at the start of {name}?",
        "What is the tune near the end of {name}?",
        "Who is laughing in the background of {name}?",
        "Who gets thanked at the end of {name}?",
        "Which hall was {name} recorded in?",
    ),
    "date": (
        "What year was {name} really made?",
        "Was {name} made before or after the flood?",
        "What month was {name} made?",
        "Which day did {name} first air or get shown?",
        "Is the label on {name} right about the year?",
    ),
    "credits": (
        "Who helped make {name}?",
        "Who did the music in {name}?",
        "Who recorded {name}?",
        "Who paid for {name} to be made?",
        "Who edited {name}?",
    ),
    "rights": (
        "Who holds the rights to {name}?",
        "Can I use a minute of {name} in a school project?",
        "Does anyone still own the music in {name}?",
        "Who would have to sign off if we show {name} in public?",
    ),
}
GENERAL = {
    "identify": (
        "Which local ad had a singing cow and ran in {town}?",
        "What was the horror show with the coffin host that reached {town}?",
        "Which movie was partly shot in {town}?",
        "What was the theme song of the sign-off in {town}?",
        "Which band played the closing dance at the {town} ballroom?",
    ),
    "date": (
        "When did the {town} drive-in close?",
        "When did the last live wrestling show air in {town}?",
        "When did cable first come to {town}?",
        "When did the {town} movie theater put in sound?",
    ),
    "credits": (
        "Who hosted the {town} kids' show with the train set?",
        "Who read the late weather for {town}?",
        "Who was the voice of {town} football on the radio?",
        "Who wrote the {town} centennial song?",
    ),
    "rights": (
        "Who owns the old {town} station jingles now?",
        "Who owns the {town} newsreel footage?",
        "Who can license the {town} centennial song?",
    ),
}
ANSWERS = {
    "identify": (
        "Two people recognized {given} {family}.",
        "It is {given} {family}, going by a yearbook picture.",
        "A caption in the county paper names {given} {family}.",
        "Most likely {given} {family}, but we have only one witness.",
    ),
    "date": (
        "The storefronts put it in {year}.",
        "A license plate shows {year}.",
        "The program in the box says {year}.",
        "{given} {family} remembers it as {year}.",
    ),
    "credits": (
        "{given} {family} signed the shot list.",
        "The log names {given} {family}.",
        "{given} {family} is thanked in the last title.",
        "A pay slip shows {given} {family}.",
    ),
    "rights": (
        "{given} {family} inherited the rights.",
        "The rights went to {given} {family} with the studio.",
        "Nobody renewed it, so it is free to use.",
        "{given} {family} holds them and answers letters.",
    ),
}
FOLLOW_UPS = (
    "Do you know if they still live around here?",
    "Is there a picture that shows it better?",
    "Can you check the spelling of that name?",
    "Was that the older or the younger one?",
    "Where did you find that?",
    "Could it be a year later?",
    "My aunt says it was somebody else, can you look again?",
    "Is there a second source for that?",
    "What about the person standing next to them?",
    "Do you have the page from the paper?",
)
SOUNDS = ("radio", "music")
STARTS = ("10:00", "11:30", "13:00", "14:30", "16:00")
SEATS = {1: 2, 2: 2, 3: 4, 4: 8}
AHEAD = {"neighbor": 1, "friend": 2, "patron": 3}
LEAD = {"neighbor": 14, "friend": 21, "patron": 28}
MONTHLY = {"neighbor": 60, "friend": 90, "patron": 150}
SHELF = {"neighbor": 60, "friend": 120, "patron": 240}
RESEARCH = {"neighbor": 60, "friend": 120, "patron": 180}
OWED = 500


def populate(world: WorldBuilder) -> None:
    """Members and recordings first, then viewings by numbered slots, inquiries, and the charges that follow from them."""
    people = []
    for number in range(world.share(0.15, least=3)):
        people.append(_add_member(world, number, people))
    book = {
        "people": people,
        "by_id": {one["member_id"]: one for one in people},
        "busy": world.random.sample(people, max(2, len(people) // 3)),
        "count": {},
        "spans": {},
        "asked": {},
        "fees": [],
        "answered": [],
    }
    deposits = []
    for number in range(world.share(0.21, least=3)):
        recording = _add_recording(world, number, book)
        if recording is not None:
            deposits.append(recording)
    book["deposits"] = deposits
    _add_viewings(world, book, world.share(0.32, least=3))
    for _ in range(world.share(0.17, least=3)):
        _add_inquiry(world, book)
    for fee in book["fees"]:
        _add_charge(world, book, fee)
    for _ in range(world.share(0.16, least=3) - len(book["fees"])):
        _add_extra(world, book)


def _open_days(first, last):
    """Days from today, as numbers, on which the archive is open: today is a Thursday, so -3 is a Monday."""
    return [n for n in range(first, last + 1) if 1 <= (n + 3) % 7 <= 5]


def _pick_day(world, first, last):
    """Some open day in a stretch, or None; a Sunday or Monday gives way to the Saturday before or the Tuesday after."""
    if first > last:
        return None
    n = world.random.randrange(first, last + 1)
    day = (n + 3) % 7
    if day == 6:
        n = n - 1 if n - 1 >= first else n + 2
    if day == 0:
        n = n + 1 if n + 1 <= last else n - 2
    return n if first <= n <= last else None


def _early(world, n):
    return world.moment(n, f"{world.random.randrange(10, 16)}:{world.random.randrange(0, 60):02d}")


def _late(world, n):
    return world.moment(n, f"{world.random.choice((16, 17))}:{world.random.randrange(30, 60):02d}")


def _offset(world, moment):
    return days_between(world.today, moment[:10])


def _bump(book, key, by=1):
    book["count"][key] = book["count"].get(key, 0) + by


def _count(book, *key):
    return book["count"].get(key, 0)


def _sum_over(book, key, first, last):
    """What all stretches kept under a key that touch this one add up to."""
    return sum(amount for begin, end, amount in book["spans"].get(key, ()) if begin <= last and first <= end)


def _keep(book, key, first, last, amount):
    book["spans"].setdefault(key, []).append((first, last, amount))


def _tier_on(world, member, n):
    """The tier that surely held on a day: before the last change, no more than neighbor."""
    return "neighbor" if member["tier_set_on"] is not None and world.day(n) <= member["tier_set_on"] else member["tier"]


def _someone(world, book):
    return world.random.choice(book["busy"] if world.random.random() < 0.6 else book["people"])


def _add_member(world, number, people):
    draw = world.random
    given, family = draw.choice(GIVEN), draw.choice(FAMILY)
    if number % 4 == 3:
        given, family = draw.choice(people)["full_name"].split(" ")
    joined = _pick_day(world, -2300, -40)
    if draw.random() < 0.15:
        joined = _pick_day(world, -200, -8)
    tier = draw.choices(("neighbor", "friend", "patron"), (50, 32, 18))[0]
    changed = tier != "neighbor" or draw.random() < 0.2
    tier_set_on = None
    if changed:
        tier_set_on = world.day(_pick_day(world, max(joined, -150 if draw.random() < 0.6 else joined), -1) or joined)
    return world.insert(
        "member",
        full_name=f"{given} {family}",
        email=f"{given}.{family}{number + 11}@example.{draw.choice(('com', 'com', 'org', 'net'))}".lower(),
        phone=None if draw.random() < 0.06 else f"({AREAS[number // 100 % len(AREAS)]}) 555-01{number * 37 % 100:02d}",
        date_of_birth=None if draw.random() < 0.08 else add_days(world.today, -draw.randrange(21 * 366, 83 * 365)),
        tier=tier,
        tier_set_on=tier_set_on,
        joined_on=world.day(joined),
    )


def _add_recording(world, number, book):
    draw = world.random
    for _ in range(8):
        owner = _someone(world, book)
        owner_id = owner["member_id"]
        name, kind, carriers, maker, first_year, last_year, shortest, longest, contents = draw.choice(ITEMS)
        family = owner["full_name"].split(" ")[1] if draw.random() < 0.5 else draw.choice(FAMILY)
        name = name.format(family=family, town=draw.choice(TOWNS))
        n = _pick_day(world, _offset(world, owner["joined_on"]), -2 if draw.random() < 0.2 else -5)
        if n is not None and draw.random() < 0.25:
            n = _pick_day(world, max(_offset(world, owner["joined_on"]), -330), -4) or n
        carrier, runtime = draw.choice(carriers), draw.randrange(shortest, longest + 1)
        shelf = 0 if carrier == "file" else runtime
        if n is None or _count(book, owner_id, name):
            continue
        leaves = _pick_day(world, n + 370, -1) if draw.random() < 0.2 or number == 3 else None
        gone = 1 if leaves is None else leaves
        if _sum_over(book, (owner_id, "shelf"), n, gone) + shelf <= SHELF[_tier_on(world, owner, n)]:
            break
    else:
        return None
    _bump(book, (owner_id, name))
    created_at = _early(world, n)
    _keep(book, (owner_id, "shelf"), n, gone, shelf)
    if leaves is None:
        _bump(book, (owner_id, "held"))
    access, access_day = "open", None
    if leaves is None and draw.random() < 0.56:
        access_day = _pick_day(world, n + 1 if draw.random() < 0.35 else max(n + 1, -89), -1)
        if access_day is not None:
            access = draw.choices(("sealed", "open"), (68, 32))[0]
    return world.insert(
        "recording",
        member_id=owner_id,
        name=name,
        kind=kind,
        carrier=carrier,
        maker=maker or f"{draw.choice(GIVEN)} {family}",
        made_year=draw.randrange(first_year, last_year + 1),
        runtime_minutes=runtime,
        description=f"{draw.choice(contents)}; {draw.choice(SOUND_TAILS if kind in SOUNDS else PICTURE_TAILS)}",
        digitized=1 if carrier == "file" or draw.random() < 0.5 else 0,
        access=access,
        access_set_on=None if access_day is None else world.day(access_day),
        status="cataloged" if leaves is None else "withdrawn",
        withdrawn_at=None if leaves is None else _late(world, leaves),
        withdrawn_reason=None if leaves is None else draw.choice(WITHDRAWN),
        created_at=created_at,
    )


def _add_viewings(world, book, wanted):
    """Deal every viewing a slot of its own: a day, one of five starts, and a booth."""
    draw = world.random
    ahead_days, recent_days = _open_days(1, 24), _open_days(-30, -1)
    ahead = min(int(wanted * draw.uniform(0.44, 0.52)), len(ahead_days) * 11)
    today = min(max(2, int(wanted * 0.07)), 14)
    recent = min(int(wanted * draw.uniform(0.26, 0.33)), len(recent_days) * 10)
    older = max(0, wanted - ahead - today - recent)
    older_days = _open_days(-60 - older // 5, -31)
    plans = (
        ([0], today, {"booked": 88, "canceled": 12}),
        (ahead_days, ahead, {"booked": 84, "canceled": 16}),
        (recent_days, recent, {"attended": 60, "missed": 12, "canceled": 18, "booked": 10}),
        (older_days, older, {"attended": 74, "missed": 10, "canceled": 16}),
    )
    for days, count, weights in plans:
        slots = [(n, start, booth) for n in days for start in STARTS for booth in (1, 2, 3, 4)]
        draw.shuffle(slots)
        if days == [0]:
            slots = [slot for slot in slots if slot[1] == "10:00"] + [slot for slot in slots if slot[1] != "10:00"]
        for slot in slots[:count]:
            state = draw.choices(list(weights), list(weights.values()))[0]
            _add_viewing(world, book, slot, state)


def _fits(world, book, member, recording, n, state, lead, minutes):
    member_id, tier = member["member_id"], _tier_on(world, member, lead)
    created = max(_offset(world, recording["created_at"]), _offset(world, member["joined_on"])) + 1
    if lead < created:
        return False
    if recording["digitized"] == 0 and tier != "patron":
        return False
    if recording["access"] == "sealed" or (recording["access_set_on"] or "") >= world.day(lead):
        return False
    if _count(book, member_id, "month", world.day(n)[:7]) + minutes > MONTHLY[tier]:
        return False
    if recording["withdrawn_at"] is not None and (n >= _offset(world, recording["withdrawn_at"]) or state == "booked"):
        return False
    if _sum_over(book, (member_id, "seat"), lead, n) + 1 > AHEAD[tier]:
        return False
    if state == "canceled":
        return True
    if state == "booked" and n >= 0 and _count(book, member_id, "ahead") >= AHEAD[tier]:
        return False
    return not _count(book, member_id, "day", n)


def _add_viewing(world, book, slot, state):
    draw = world.random
    n, start, booth = slot
    if state == "booked" and -30 <= n < -9:
        state = "attended"
    shift = draw.choice((0, 0, 15, 30))
    starts_at = add_minutes(world.moment(n, start), shift)
    for _ in range(30):
        member, recording = _someone(world, book), draw.choice(book["deposits"])
        if draw.random() < 0.6:
            member = book["by_id"][draw.choice(book["deposits"])["member_id"]]
        if draw.random() < 0.12:
            own = [one for one in book["deposits"][-60:] if one["member_id"] == member["member_id"]]
            recording = draw.choice(own) if own else recording
        limit = LEAD[member["tier"]]
        minutes = -(-recording["runtime_minutes"] // 15) * 15 + draw.choice((0, 15, 15, 30))
        minutes = min(90 - shift, minutes, MONTHLY[member["tier"]])
        lead = _pick_day(world, n - limit, min(n - 3 if state == "canceled" else n - 1, -1))
        if lead is not None and _fits(world, book, member, recording, n, state, lead, minutes):
            _insert_viewing(world, book, member, recording, lead, n, starts_at, minutes, booth, state)
            return


def _insert_viewing(world, book, member, recording, lead, n, starts_at, minutes, booth, state):
    draw = world.random
    member_id, tier = member["member_id"], member["tier"]
    _bump(book, (member_id, "month", world.day(n)[:7]), minutes)
    _keep(book, (member_id, "seat"), lead, n, 1)
    created_at = _early(world, lead)
    canceled_at, checked_in_at, late_fee = None, None, 0
    if state == "canceled":
        days = _open_days(lead, min(n - 2, -1))
        canceled_at = _late(world, draw.choice(days) if days else lead)
        late_at = add_minutes(starts_at, -draw.randrange(40, 85))
        if n < 0 and starts_at[11:] >= "11:30:00" and draw.random() < 0.4:
            canceled_at = late_at
            late_fee = minutes * {"neighbor": 10, "friend": 5, "patron": 0}[tier]
    else:
        _bump(book, (member_id, "day", n))
        if state == "booked" and n >= 0:
            _bump(book, (member_id, "ahead"))
    if n == 0 and state == "booked" and starts_at <= world.moment(0, "10:00") and draw.random() < 0.35:
        state, checked_in_at = "attended", world.moment(0, "10:02")
    elif state == "attended":
        checked_in_at = max(add_minutes(starts_at, draw.randrange(-12, 11)), world.moment(n, "10:00"))
    viewing = world.insert(
        "viewing",
        member_id=member_id,
        recording_id=recording["recording_id"],
        starts_at=starts_at,
        minutes=minutes,
        booth=booth,
        party_size=draw.choices(range(1, SEATS[booth] + 1), (8, 6, 2, 2, 1, 1, 1, 1)[: SEATS[booth]])[0],
        status=state,
        moves=draw.choices((0, 1, 2), (56, 44, 0) if tier != "patron" else (45, 25, 30))[0],
        created_at=created_at,
        checked_in_at=checked_in_at,
        canceled_at=canceled_at,
    )
    if late_fee:
        book["fees"].append((member, "late_cancel", late_fee, {"viewing_id": viewing["viewing_id"]}, canceled_at))
    if state == "missed":
        day = n if starts_at[11:] < "16:00:00" else n + 1
        at = _late(world, day if _open_days(day, day) else n + 3)
        if at < world.now:
            others = [_count(book, member_id, "missed", n + off) for off in range(-90, 91)]
            amount = 800 if sum(others) else 400
            _bump(book, (member_id, "missed", n))
            book["fees"].append((member, "missed_viewing", amount, {"viewing_id": viewing["viewing_id"]}, at))


def _add_inquiry(world, book):
    draw = world.random
    state = draw.choices(("open", "answered", "closed", "withdrawn"), (42, 20, 26, 12))[0]
    for _ in range(14):
        member = _someone(world, book)
        member_id = member["member_id"]
        joined = _offset(world, member["joined_on"]) + 1
        n = _pick_day(
            world, max(joined, -26 if state == "open" else -320), -1 if state in ("open", "withdrawn") else -4
        )
        kind = draw.choice(("identify", "identify", "date", "credits", "rights"))
        recording = draw.choice(book["deposits"]) if draw.random() < 0.72 else None
        minutes = draw.choice((15, 30, 30, 45, 60, 60, 90, 120))
        if n is None:
            continue
        reopened = state in ("open", "answered", "closed") and draw.random() < 0.2
        settled = None
        if state in ("answered", "closed") or reopened:
            settled = _pick_day(world, n + 1, min(n + 16, -1))
        if state == "withdrawn":
            settled = _pick_day(world, n, min(n + 20, -1))
        if settled is None and state != "open":
            continue
        until = 1 if state == "open" else settled
        if _sum_over(book, (member_id, "open"), n, until) + minutes > RESEARCH[_tier_on(world, member, n)]:
            continue
        if recording is not None:
            if n <= _offset(world, recording["created_at"]):
                continue
            if recording["withdrawn_at"] is not None and (
                state == "open" or n >= _offset(world, recording["withdrawn_at"])
            ):
                continue
        topic = kind
        if recording is not None and kind == "identify":
            topic = "sound" if recording["kind"] in SOUNDS else "picture"
        subject = draw.choice((QUESTIONS if recording else GENERAL)[topic])
        subject = subject.format(name=recording["name"] if recording else "", town=draw.choice(TOWNS))
        if _count(book, member_id, subject):
            continue
        _bump(book, (member_id, subject))
        _keep(book, (member_id, "open"), n, until, minutes)
        _insert_inquiry(world, book, member, recording, n, kind, subject, minutes, state, settled, reopened)
        return


def _insert_inquiry(world, book, member, recording, n, kind, subject, minutes, state, settled, reopened):
    draw = world.random
    created_at = _early(world, n)
    answered = None if state == "withdrawn" else settled
    reopens = 1 if reopened and answered is not None else 0
    closed = _pick_day(world, answered, min(answered + 12, -1)) if state == "closed" else None
    needed_by = None
    tier, held = member["tier"], _count(book, member["member_id"], "held")
    if draw.random() < 0.5:
        rush = draw.random() < 0.16 and held < 3
        needed_by = add_days(created_at[:10], draw.randrange(1, 4) if rush else draw.randrange(6, 33))
    year = (recording["made_year"] if recording else 1970) + draw.choice((0, 0, 1, -1))
    text = draw.choice(ANSWERS[kind]).format(given=draw.choice(GIVEN), family=draw.choice(FAMILY), year=year)
    inquiry = world.insert(
        "inquiry",
        member_id=member["member_id"],
        recording_id=None if recording is None else recording["recording_id"],
        kind=kind,
        subject=subject,
        minutes=minutes,
        needed_by=needed_by,
        status=state,
        created_at=created_at,
        answer=None if answered is None else text,
        answered_at=None if answered is None else _early(world, answered),
        stars=draw.choice((None, 5, 5, 4, 4, 3, 2, 1)) if state == "closed" else None,
        follow_up=draw.choice(FOLLOW_UPS) if reopens else None,
        reopens=reopens,
        closed_at=None if closed is None else _late(world, closed),
        withdrawn_at=_late(world, settled) if state == "withdrawn" else None,
    )
    book["asked"].setdefault(member["member_id"], []).append(created_at)
    about = {"inquiry_id": inquiry["inquiry_id"]}
    if needed_by is not None and days_between(created_at[:10], needed_by) <= 3:
        rate = {"neighbor": 20, "friend": 10, "patron": 5}[tier]
        book["fees"].append((member, "rush", minutes * rate, about, add_minutes(created_at, 3)))
    if answered is not None:
        book["answered"].append((member, about, answered))


def _add_extra(world, book):
    """A charge that no viewing or rush explains: more research than planned, or a copy made."""
    draw = world.random
    if book["answered"] and draw.random() < 0.45:
        member, about, n = draw.choice(book["answered"])
        _add_charge(
            world, book, (member, "research", draw.choice((300, 450, 600, 750, 900, 1200)), about, _late(world, n))
        )
        return
    member = _someone(world, book)
    amount = draw.choice((400, 650, 750, 800, 950, 1200, 1500, 1800))
    n = _pick_day(world, max(_offset(world, member["joined_on"]), -20 if draw.random() < 0.6 else -250), -1)
    _add_charge(world, book, (member, "other", amount, {}, _late(world, n)))


def _add_charge(world, book, fee):
    draw = world.random
    member, kind, amount, about, created_at = fee
    member_id, n = member["member_id"], _offset(world, created_at)
    paid = None if draw.random() < (0.85 if n > -45 else 0.35) else _pick_day(world, n + 1, min(n + 9, -1))
    paid_at = None if paid is None else _late(world, paid)
    until = paid_at or "9999"
    key = (member_id, "owed")
    asked = [moment for moment in book["asked"].get(member_id, ()) if created_at <= moment <= until]
    if any(_sum_over(book, key, moment, moment) + amount > OWED for moment in asked):
        until = paid_at = add_minutes(created_at, 4)
    _keep(book, key, created_at, until, amount)
    world.insert(
        "charge",
        member_id=member_id,
        kind=kind,
        amount_cents=amount,
        status="unpaid" if paid_at is None else "paid",
        created_at=created_at,
        paid_at=paid_at,
        **about,
    )
