"""Fill the project desk of an exhibit builder: members, their projects, and what belongs to each project."""

from runtime import WorldBuilder, add_days, days_between, weekday


def _dates(draw, status):
    """Days from today on which a project starts, last had work, and is to open."""
    if status == "closed":
        last = -draw.randrange(6, 90)
        return last - draw.randrange(60, 300), last, last + draw.randrange(-12, 20)
    if status == "on_hold":
        return -draw.randrange(60, 200), -draw.randrange(4, 45), draw.randrange(20, 140)
    return -draw.randrange(25, 170), -1, draw.randrange(18, 130)


INVARIANTS = {
    "Whoever has an open task works on its project.": """
        SELECT task_id FROM task JOIN project ON project.project_id = task.project_id
        WHERE task.status IN ('todo', 'in_progress') AND assignee_id <> member_id AND NOT EXISTS (
            SELECT 1 FROM team_seat WHERE team_seat.project_id = task.project_id AND teammate_id = assignee_id)
    """,
    "No task is due after its project's opening day.": """
        SELECT task_id FROM task JOIN project ON project.project_id = task.project_id WHERE task.due_on > project.due_on
    """,
    "No milestone is due after its project's opening day.": """
        SELECT milestone_id FROM milestone JOIN project ON project.project_id = milestone.project_id
        WHERE milestone.due_on > project.due_on
    """,
    "A station is never booked twice at a time.": """
        SELECT one.booking_id FROM booking AS one JOIN booking AS two
            ON two.station_id = one.station_id AND two.booking_id <> one.booking_id
        WHERE one.status = 'booked' AND two.status = 'booked' AND one.starts_at >= two.starts_at
            AND one.starts_at < datetime(two.starts_at, '+' || two.hours || ' hours')
    """,
    "A complete milestone has no open task.": """
        SELECT milestone_id FROM milestone WHERE status = 'complete' AND EXISTS (
            SELECT 1 FROM task WHERE task.milestone_id = milestone.milestone_id AND task.status IN ('todo', 'in_progress'))
    """,
    "A booking costs its hours at the station's rate.": """
        SELECT booking_id FROM booking JOIN station ON station.station_id = booking.station_id
        WHERE cost_cents <> hours * hourly_cents
    """,
    "A closed project has nothing open.": """
        SELECT project_id FROM project WHERE status = 'closed' AND (
            EXISTS (SELECT 1 FROM task WHERE task.project_id = project.project_id AND task.status IN ('todo', 'in_progress'))
            OR EXISTS (SELECT 1 FROM change_order AS c WHERE c.project_id = project.project_id AND c.status = 'waiting')
            OR EXISTS (SELECT 1 FROM purchase AS p WHERE p.project_id = project.project_id AND p.status = 'ordered'))
    """,
    "A task starts only after the task it waits on.": """
        SELECT task.task_id FROM task JOIN task AS first ON first.task_id = task.waits_on_task_id
        WHERE task.started_on IS NOT NULL AND (first.status <> 'done' OR first.finished_on > task.started_on)
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
    "Erik",
    "Mai",
    "Jordan",
    "Heather",
    "Luis",
    "Ingrid",
    "Marcus",
    "Rachel",
    "Dale",
    "Tiffany",
    "Omar",
    "Beth",
    "Carlos",
    "Amy",
    "Neil",
    "Shanice",
    "Peter",
    "Linda",
    "Jake",
    "Yer",
    "Colleen",
    "Andre",
    "Megan",
    "Roy",
    "Sofia",
    "Greg",
    "Nadia",
    "Walter",
    "Hannah",
    "Isaac",
    "Paula",
    "Curtis",
    "Joy",
    "Brent",
    "Teresa",
    "Wayne",
    "Alicia",
)
FAMILY = (
    "Walker",
    "Ortega",
    "Raman",
    "Tran",
    "Brooks",
    "Kowalski",
    "Lindgren",
    "Maki",
    "Vang",
    "Peterson",
    "Hill",
    "Delgado",
    "Sorensen",
    "Bell",
    "Novak",
    "Carlson",
    "Jackson",
    "Haddad",
    "Murphy",
    "Reyes",
    "Chen",
    "Olson",
    "Grant",
    "Saari",
    "Keller",
    "Moua",
    "Dunn",
    "Foster",
    "Heikkila",
    "Price",
    "Santos",
    "Ward",
    "Petrov",
    "Bjorklund",
    "Lopez",
    "Stone",
    "Tibbetts",
    "Yang",
    "Rossi",
    "Hughes",
    "Nygaard",
    "Banks",
    "LaFave",
    "Cole",
)
AREAS = (218, 715, 651, 612, 763, 952, 320, 507)
TOWNS = (
    "Duluth",
    "Two Harbors",
    "Ely",
    "Hibbing",
    "Grand Marais",
    "Cloquet",
    "Bemidji",
    "Brainerd",
    "Superior",
    "Ashland",
    "Bayfield",
    "Hayward",
    "Virginia",
    "Eveleth",
    "Grand Rapids",
    "International Falls",
    "Moose Lake",
    "Aitkin",
    "Park Rapids",
    "Silver Bay",
    "Rice Lake",
    "Chisholm",
    "Walker",
    "Warroad",
    "Marquette",
    "Houghton",
)
PLACES = {
    "history": ("History Museum", "Heritage Center", "Historical Society"),
    "nature": ("Nature Center", "State Park", "Wildlife Center"),
    "science": ("Science Center", "Discovery Museum", "Planetarium"),
    "children": ("Children's Museum", "Public Library", "Family Museum"),
}
# subject, kind of client, forms it is built in
SUBJECTS = (
    ("Ore Dock", "history", ("Model", "Gallery", "Walkway")),
    ("Lumber Camp", "history", ("Bunkhouse", "Diorama", "Gallery")),
    ("Fur Trade", "history", ("Canoe Display", "Trading Post", "Map Wall")),
    ("Shipwreck", "history", ("Gallery", "Dive Theater", "Artifact Wall")),
    ("Steam Train", "history", ("Cab", "Model", "Ticket Booth")),
    ("Main Street", "history", ("Storefronts", "Gallery", "Time Line")),
    ("Iron Mine", "history", ("Tunnel", "Elevator", "Gallery")),
    ("Immigrant", "history", ("Kitchen", "Letter Wall", "Gallery")),
    ("Lighthouse", "history", ("Lamp Room", "Model", "Stair")),
    ("Fishing Village", "history", ("Net House", "Dock", "Diorama")),
    ("One-Room School", "history", ("Classroom", "Desk Display", "Gallery")),
    ("Fire of 1918", "history", ("Theater", "Map Wall", "Memorial")),
    ("Wolf Den", "nature", ("Walk-Through", "Diorama", "Crawl Space")),
    ("Lake Superior", "nature", ("Fish Tank", "Map Table", "Wave Wall")),
    ("Boreal Forest", "nature", ("Diorama", "Sound Booth", "Trail")),
    ("Black Bear", "nature", ("Den", "Diorama", "Track Table")),
    ("Hawk Ridge", "nature", ("Lookout", "Bird Wall", "Scope Deck")),
    ("Peat Bog", "nature", ("Boardwalk", "Core Display", "Diorama")),
    ("Loon", "nature", ("Nest", "Sound Booth", "Diorama")),
    ("Beaver Pond", "nature", ("Lodge", "Diorama", "Dam Table")),
    ("Agate", "nature", ("Rock Wall", "Touch Table", "Gallery")),
    ("River Otter", "nature", ("Slide", "Diorama", "Tank")),
    ("Monarch", "nature", ("Garden Wall", "Map Table", "Puppet Stage")),
    ("Moose", "nature", ("Diorama", "Track Table", "Antler Wall")),
    ("Northern Lights", "science", ("Theater", "Dome", "Light Wall")),
    ("Volcano", "science", ("Model", "Ash Table", "Theater")),
    ("Weather", "science", ("Studio", "Wind Tunnel", "Map Wall")),
    ("Bridge", "science", ("Load Table", "Model", "Build Bench")),
    ("Gravity", "science", ("Well", "Drop Tower", "Ball Wall")),
    ("Moon", "science", ("Landing Site", "Globe", "Theater")),
    ("Glacier", "science", ("Ice Wall", "Core Display", "Map Table")),
    ("Sound", "science", ("Lab", "String Wall", "Echo Tube")),
    ("Magnet", "science", ("Table", "Sand Wall", "Bench")),
    ("Dinosaur", "science", ("Dig Pit", "Skeleton", "Track Wall")),
    ("Human Heart", "science", ("Walk-Through", "Pump Table", "Model")),
    ("Robot", "science", ("Arm Stage", "Workbench", "Maze")),
    ("Little Town", "children", ("Grocery", "Post Office", "Fire Truck")),
    ("Farm", "children", ("Barn", "Milking Station", "Market Stand")),
    ("Water Play", "children", ("Table", "Canal", "Locks")),
    ("Tree House", "children", ("Climber", "Reading Nook", "Slide")),
    ("Airport", "children", ("Cockpit", "Ticket Counter", "Baggage Belt")),
    ("Story", "children", ("Castle", "Stage", "Reading Nook")),
    ("Pizza", "children", ("Kitchen", "Delivery Counter", "Oven")),
    ("Train Yard", "children", ("Table", "Engine Cab", "Depot")),
)
EDITIONS = ("{}", "{} Refresh", "Traveling {}", "New {}", "{} Expansion", "Outdoor {}", "{} Rebuild")
# kind of work: who does it, hours from and to, verbs, things, notes
WORK = (
    (
        "writer",
        3,
        16,
        ("Draft", "Edit", "Proofread", "Fact-check", "Shorten"),
        (
            "the intro panel",
            "the time line labels",
            "the audio script",
            "the donor panel",
            "the map captions",
            "the kids' labels",
            "the object labels",
            "the safety signs",
            "the gallery guide",
        ),
        ("Second draft, sent to the curator", "Cut the labels to 60 words"),
    ),
    (
        "designer",
        4,
        30,
        ("Sketch", "Lay out", "Revise", "Dimension", "Render"),
        (
            "the floor plan",
            "the title wall",
            "the case interiors",
            "the wall graphics",
            "the lighting plan",
            "the flip book",
            "the donor wall",
            "the entry arch",
            "the wayfinding signs",
        ),
        ("Sheets 3 to 5, checked against the site", "Changed the type size for easier reading"),
    ),
    (
        "fabricator",
        6,
        40,
        ("Cut", "Sand", "Assemble", "Paint", "Repair"),
        (
            "the plywood bases",
            "the display cases",
            "the bench seats",
            "the panel frames",
            "the reading rail",
            "the arch ribs",
            "the storage cabinets",
            "the ramp rails",
            "the false walls",
        ),
        ("First coat on, still needs a second", "Router bit broke, lost half an hour"),
    ),
    (
        "fabricator",
        8,
        60,
        ("Carve", "Cast", "Mold", "Weather", "Mount"),
        (
            "the rock face",
            "the tree trunk",
            "the fish replicas",
            "the bird models",
            "the ice blocks",
            "the animal tracks",
            "the cliff edge",
            "the mushroom logs",
            "the shoreline stones",
        ),
        ("Foam carved, ready for the hard coat", "Mold came out clean on the second try"),
    ),
    (
        "installer",
        2,
        12,
        ("Wire", "Program", "Test", "Label", "Bench-check"),
        (
            "the touch screen",
            "the sound cones",
            "the push buttons",
            "the projector",
            "the motion sensors",
            "the LED strips",
            "the video loop",
            "the light switches",
            "the speaker rack",
        ),
        ("Sensor range set to four feet", "Replaced a bad power supply"),
    ),
    (
        "installer",
        4,
        32,
        ("Crate", "Pack", "Load", "Install", "Inspect"),
        (
            "the graphic panels",
            "the large cases",
            "the mural sections",
            "the handrails",
            "the floor decals",
            "the models",
            "the benches",
            "the overhead sign",
            "the corner guards",
        ),
        ("Two panels short, rest are in the truck", "Site crew helped with the lift"),
    ),
    (
        "designer",
        2,
        14,
        ("Measure", "Photograph", "Mark up", "Survey", "Document"),
        (
            "the gallery walls",
            "the loading dock",
            "the ceiling grid",
            "the old exhibit",
            "the floor outlets",
            "the storage shelves",
            "the doorways",
            "the column spacing",
            "the window bays",
        ),
        ("Site visit with the museum's building manager", "Measurements are in the shared folder"),
    ),
)
# item, vendor, category, dollars from and to, details
ITEMS = (
    ("Baltic birch plywood", "Zenith Lumber", "stock", 180, 960, ("6 sheets", "10 sheets", "12 sheets", "18 sheets")),
    ("Maple edge banding", "Zenith Lumber", "stock", 60, 180, ("2 rolls", "4 rolls", "half-inch", "one-inch")),
    ("Cedar boards", "Zenith Lumber", "stock", 120, 640, ("1 by 6", "1 by 8", "2 by 4", "rough cut")),
    ("Poplar trim", "Zenith Lumber", "stock", 80, 260, ("80 feet", "120 feet", "200 feet", "primed")),
    (
        "MDF panels",
        "Zenith Lumber",
        "stock",
        100,
        420,
        ("half-inch", "three-quarter-inch", "quarter-inch", "moisture resistant"),
    ),
    (
        "Acrylic sheet",
        "Lakehead Plastics",
        "stock",
        140,
        780,
        ("clear, quarter-inch", "clear, half-inch", "frosted", "mirror"),
    ),
    (
        "Polycarbonate panels",
        "Lakehead Plastics",
        "stock",
        220,
        900,
        ("4 sheets", "6 sheets", "bronze tint", "scratch resistant"),
    ),
    ("Vinyl lettering", "North Shore Graphics", "custom", 90, 380, ("white", "black", "slate gray", "gold")),
    (
        "Wall mural print",
        "North Shore Graphics",
        "custom",
        420,
        1800,
        ("8 by 10 feet", "8 by 16 feet", "8 by 24 feet", "curved wall"),
    ),
    (
        "Graphic panels",
        "North Shore Graphics",
        "custom",
        260,
        1400,
        ("set of 6", "set of 10", "set of 14", "outdoor laminate"),
    ),
    ("Floor decals", "North Shore Graphics", "custom", 80, 320, ("animal tracks", "arrows", "footprints", "map lines")),
    ("Fabric banners", "North Shore Graphics", "custom", 160, 720, ("pair", "set of 4", "double sided", "12 feet")),
    (
        "Cast ore cars",
        "Hull Rust Castings",
        "custom",
        640,
        2700,
        ("set of 3", "set of 5", "bronze finish", "rust finish"),
    ),
    (
        "Cast fish replicas",
        "Hull Rust Castings",
        "custom",
        380,
        1900,
        ("lake trout", "walleye", "sturgeon", "whitefish"),
    ),
    ("Bronze touch plaque", "Hull Rust Castings", "custom", 480, 1500, ("with Braille", "round", "oval", "relief map")),
    ("Steel tube", "Arrowhead Steel", "stock", 140, 860, ("1 inch square", "2 inch square", "round", "black finish")),
    (
        "Steel plate",
        "Arrowhead Steel",
        "stock",
        180,
        940,
        ("quarter-inch", "eighth-inch", "galvanized", "laser cut blanks"),
    ),
    ("Handrail sections", "Arrowhead Steel", "custom", 320, 1600, ("straight", "curved", "powder coated", "brushed")),
    ("Caster sets", "Arrowhead Steel", "stock", 70, 240, ("locking", "rubber", "heavy duty", "low profile")),
    ("Touch screen", "Skyway Audio Video", "stock", 480, 2200, ("24-inch", "32-inch", "43-inch", "wall mount")),
    (
        "Directional speakers",
        "Skyway Audio Video",
        "stock",
        260,
        1200,
        ("pair", "set of 4", "ceiling mount", "with amplifier"),
    ),
    (
        "Short-throw projector",
        "Skyway Audio Video",
        "stock",
        780,
        2600,
        ("1080p", "4K", "with ceiling mount", "refurbished"),
    ),
    ("Media players", "Skyway Audio Video", "stock", 120, 620, ("pair", "set of 4", "with remote", "rack mount")),
    (
        "Push buttons",
        "Skyway Audio Video",
        "stock",
        60,
        220,
        ("lighted, set of 8", "lighted, set of 12", "stainless", "large, red"),
    ),
    (
        "Motion sensors",
        "Skyway Audio Video",
        "stock",
        80,
        280,
        ("set of 4", "set of 8", "ceiling mount", "narrow beam"),
    ),
    ("Track lights", "Iron City Electric", "stock", 160, 820, ("set of 6", "set of 10", "dimmable", "warm white")),
    ("LED strip", "Iron City Electric", "stock", 70, 260, ("50 feet", "100 feet", "color changing", "warm white")),
    (
        "Floor outlets",
        "Iron City Electric",
        "stock",
        120,
        460,
        ("brass, set of 3", "black, set of 3", "flush", "with data port"),
    ),
    ("Exit-rated cable", "Iron City Electric", "stock", 80, 340, ("250 feet", "500 feet", "shielded", "plenum")),
    (
        "Low-odor paint",
        "Canal Park Paint",
        "stock",
        60,
        380,
        ("5 gallons, forest green", "5 gallons, lake blue", "2 gallons, white", "2 gallons, black"),
    ),
    ("Clear hard coat", "Canal Park Paint", "stock", 120, 520, ("matte", "satin", "gloss", "outdoor")),
    ("Dry-erase coating", "Canal Park Paint", "stock", 80, 260, ("clear", "white", "large kit", "small kit")),
    ("Carving foam", "Twin Ports Foam", "stock", 140, 760, ("4 blocks", "8 blocks", "high density", "fire rated")),
    (
        "Urethane casting resin",
        "Twin Ports Foam",
        "stock",
        120,
        580,
        ("2 gallons", "5 gallons", "flexible", "fast cure"),
    ),
    ("Silicone mold rubber", "Twin Ports Foam", "stock", 160, 640, ("2 gallons", "5 gallons", "brush on", "skin safe")),
    (
        "Tempered case glass",
        "Bayfront Glass",
        "custom",
        280,
        1700,
        ("one side", "three sides", "low iron", "with polished edge"),
    ),
    ("Case hoods", "Bayfront Glass", "custom", 340, 1500, ("24 by 24", "36 by 36", "48 by 24", "pair")),
    ("Mirror panels", "Bayfront Glass", "custom", 180, 760, ("infinity pair", "curved", "safety backed", "round")),
    ("Case locks", "Mesabi Hardware", "stock", 60, 240, ("set of 6", "set of 12", "keyed alike", "hidden")),
    ("Shelf brackets", "Mesabi Hardware", "stock", 60, 200, ("black, 24", "black, 48", "steel", "hidden")),
    (
        "Hinges and slides",
        "Mesabi Hardware",
        "stock",
        70,
        300,
        ("soft close", "heavy duty", "full extension", "piano hinge"),
    ),
    (
        "Taxidermy mount rental",
        "Gunflint Taxidermy",
        "custom",
        320,
        1400,
        ("gray wolf", "black bear", "lynx", "bald eagle"),
    ),
    (
        "Artificial trees",
        "Gunflint Taxidermy",
        "custom",
        260,
        1600,
        ("birch, set of 3", "spruce, set of 3", "cedar trunk", "fallen log"),
    ),
    (
        "Rubber floor tile",
        "Harbor Flooring",
        "stock",
        220,
        1300,
        ("slate gray", "forest green", "with flecks", "interlocking"),
    ),
    ("Carpet squares", "Harbor Flooring", "stock", 180, 980, ("charcoal", "moss", "water pattern", "leaf pattern")),
    ("Shipping crates", "Depot Crating", "custom", 180, 1200, ("set of 2", "set of 4", "reusable", "foam lined")),
)
CHANGES = (
    ("Add a touch table", 1800, 6400, 10),
    ("Add Spanish panels", 600, 2400, 5),
    ("Add Ojibwe labels", 500, 2200, 7),
    ("Add a bench", 300, 1200, 0),
    ("Add Braille labels", 400, 1600, 6),
    ("Add a second screen", 900, 3200, 4),
    ("Add a sound effect", 250, 900, 2),
    ("Add a donor panel", 350, 1400, 3),
    ("Add a coat rack", 200, 700, 0),
    ("Add a stamping station", 300, 1100, 3),
    ("Add a photo spot", 450, 1700, 4),
    ("Add a height chart", 150, 500, 0),
    ("Add a listening station", 700, 2600, 6),
    ("Add a flip-up panel", 250, 950, 2),
    ("Add a crawl tunnel", 1400, 5200, 14),
    ("Add outdoor-grade paint", 300, 1300, 2),
    ("Add a second display case", 900, 3600, 8),
    ("Add a low rail for kids", 250, 1000, 3),
    ("Add dimmable lights", 500, 2100, 4),
    ("Add a magnet board", 220, 800, 2),
    ("Add a captioned video", 800, 3400, 9),
    ("Add a puzzle wall", 700, 2900, 7),
    ("Add a visitor comment board", 180, 650, 0),
    ("Add a wider ramp", 900, 3900, 10),
)
SPOTS = ("", " in the lobby", " by the entrance", " along the back wall", " near the exit", " upstairs")
STATIONS = (
    ("Big router", "router", 6000),
    ("North paint booth", "paint_booth", 4500),
    ("Bay 1, by the dock door", "assembly_bay", 2500),
    ("Old laser", "laser", 4000),
    ("Small router", "router", 4500),
    ("Bay 2, under the crane", "assembly_bay", 3000),
    ("South paint booth", "paint_booth", 5000),
    ("New laser", "laser", 5500),
    ("Bay 3, long tables", "assembly_bay", 2000),
    ("Foam router", "router", 5000),
    ("Touch-up booth", "paint_booth", 3000),
    ("Bay 4, tall ceiling", "assembly_bay", 3500),
    ("Engraving laser", "laser", 3500),
    ("Sign router", "router", 4000),
    ("Bay 5, clean room", "assembly_bay", 4000),
    ("Drive-in paint booth", "paint_booth", 6500),
    ("Bay 6, electronics", "assembly_bay", 3200),
    ("Wide-bed laser", "laser", 7000),
    ("Five-axis router", "router", 9000),
    ("Powder booth", "paint_booth", 5500),
    ("Bay 7, crating", "assembly_bay", 1800),
    ("Bay 8, mezzanine", "assembly_bay", 1500),
    ("Fabric laser", "laser", 4500),
    ("Panel router", "router", 5500),
)
MILESTONES = (
    "Concept approved",
    "Text approved",
    "Design signed off",
    "Prototype tested",
    "Fabrication complete",
    "Shop review passed",
    "Shipped to site",
    "Installed",
)
MONTH_LIMIT = {"associate": 300000, "senior": 500000, "principal": 900000}
ACTIVE_LIMIT = {"associate": 1, "senior": 1, "principal": 2}
OPEN_LIMIT = {"associate": 2, "senior": 3, "principal": 4}


def populate(world: WorldBuilder) -> None:
    """Members first, then the shop, then the projects of each member with all that hangs on them."""
    draw = world.random
    members = _add_members(world)
    stations = _add_stations(world)
    names = [
        (edition.format(f"{subject} {form}"), kind)
        for subject, kind, forms in SUBJECTS
        for form in forms
        for edition in EDITIONS
    ]
    draw.shuffle(names)
    desk = {
        "names": names,
        "members": members,
        "open": {},
        "weeks": {},
        "past": _slots(world, stations, -70, -1),
        "near": _slots(world, stations, 0, 2),
        "far": _slots(world, stations, 3, 30),
    }
    desk["work"], desk["drafts"], leads = {}, {}, {}
    weights = [{"associate": 2, "senior": 3, "principal": 5}[member["grade"]] for member in members]
    plans = []
    for number in range(world.share(0.051, least=2)):  # a project and its children take about 17 rows
        for _ in range(12):  # until one is found that its lead had room for
            lead = draw.choices(members, weights)[0]
            status = draw.choices(("active", "on_hold", "closed"), (68, 10, 22))[0]
            status = ("active", "on_hold")[number] if number < 2 else status
            start, last, due = _dates(draw, status)
            until = 0 if status == "active" else last
            busy = sum(start <= other[1] and other[0] <= until for other in leads.get(lead["member_id"], ()))
            if busy < ACTIVE_LIMIT[lead["grade"]]:
                leads.setdefault(lead["member_id"], []).append((start, until))
                plans.append((lead, status, start, last, due))
                break
    draw.shuffle(plans)
    for lead, status, start, last, due in plans:
        _add_project(world, desk, lead, status, start, last, due)


def _open_day(day):
    """The day itself, or the Monday after a weekend."""
    return add_days(day, {"Saturday": 2, "Sunday": 1}.get(weekday(day), 0))


def _add_members(world):
    draw = world.random
    members = []
    numbers = list(range(world.share(0.062, least=3)))
    spread = list(numbers)
    draw.shuffle(spread)
    for number in numbers:
        given, family = draw.choice(GIVEN), draw.choice(FAMILY)
        if number % 4 == 3:
            given, family = draw.choice(members)["name"].split(" ")
        place = spread[number]
        area = AREAS[place // 100 % len(AREAS)]
        members.append(
            world.insert(
                "member",
                name=f"{given} {family}",
                email=f"{given}.{family}{place + 10}@example.com".lower(),
                phone=f"({area}) 555-01{place % 100:02d}",
                badge_number=f"IR-{1000 + (place * 37 + 211) % 9000}",
                grade=draw.choices(("associate", "senior", "principal"), (42, 36, 22))[0],
                weekly_hours=draw.choices((12, 16, 24, 32, 40), (10, 20, 22, 22, 26))[0],
                joined_on=_open_day(world.day(-draw.randrange(430, 3600))),
            )
        )
    return members


def _add_stations(world):
    draw = world.random
    count = min(world.share(0.015, least=4), len(STATIONS))
    stations = []
    for number in range(count):
        name, kind, hourly = STATIONS[number]
        down = number == 1 or (number > 3 and draw.random() < 0.12)
        stations.append(
            world.insert("station", name=name, kind=kind, hourly_cents=hourly, status="down" if down else "in_service")
        )
    return stations


def _slots(world, stations, first, last):
    """Mornings and afternoons of every station on open days, in random order."""
    days = [n for n in range(first, last + 1) if weekday(world.day(n)) not in ("Saturday", "Sunday")]
    hours = ("07:00", "09:00", "13:00")
    slots = [(station, n, hour) for station in stations for n in days for hour in hours if n != 0 or hour == "13:00"]
    world.random.shuffle(slots)
    return slots


def _add_project(world, desk, lead, status, start, last, due):
    """One project: what it costs is drawn first, then the project, then its children."""
    draw = world.random
    name, kind = desk["names"].pop()
    level = draw.choices(("standard", "priority"), (62, 38))[0]
    closed = _open_day(world.day(last)) if status == "closed" else None
    held = _open_day(world.day(last)) if status == "on_hold" else None
    resume = _open_day(add_days(held, draw.randrange(14, 58))) if held else None
    starts_on, due_on = _open_day(world.day(start)), _open_day(world.day(due))
    span = {
        "status": status,
        "start": start,
        "last": last,
        "due": due,
        "starts_on": starts_on,
        "due_on": due_on,
        "kind": kind,
    }
    purchases, charges = _plan_purchases(world, lead, span)
    bookings = _plan_bookings(world, desk, level, span, charges)
    orders = _plan_orders(world, level, span)
    if held:
        charges.append(("standby", 30000 if level == "priority" else 15000, held))
    spent = sum(row["cost_cents"] for row in purchases + bookings if row["status"] != "canceled")
    spent += sum(amount for _, amount, _ in charges)
    low, high = {"associate": (25, 90), "senior": (70, 320), "principal": (180, 1100)}[lead["grade"]]
    keep = 80000 if level == "priority" else 40000
    budget = draw.randrange(low, high) * 10000
    tight = spent + keep + draw.randrange(0, 36) * 1000
    if tight >= 200000 and draw.random() < 0.9:
        budget = tight
    budget = max(budget, spent + keep)
    budget = (budget + 9999) // 10000 * 10000
    project = world.insert(
        "project",
        member_id=lead["member_id"],
        name=name,
        client_name=f"{draw.choice(TOWNS)} {draw.choice(PLACES[kind])}",
        service_level=level,
        status=status,
        starts_on=starts_on,
        due_on=due_on,
        budget_cents=budget,
        held_on=held,
        resume_on=resume,
        closed_on=closed,
    )
    key = project["project_id"]
    for table, rows in (("purchase", purchases), ("booking", bookings), ("change_order", orders)):
        for row in rows:
            world.insert(table, project_id=key, **row)
    for charge, amount, day in charges:
        world.insert("charge", project_id=key, kind=charge, amount_cents=amount, charged_on=day)
    team = _add_team(world, desk, lead, level, key)
    milestones = _add_milestones(world, span, level, key, budget)
    _add_tasks(world, desk, span, key, [lead, *team], milestones)


def _plan_purchases(world, lead, span):
    draw = world.random
    months, rows, charges = {}, [], []
    limit = MONTH_LIMIT[lead["grade"]]
    for _ in range(draw.choices((1, 2, 3, 4, 5), (12, 26, 28, 22, 12))[0]):
        one, other = draw.sample(ITEMS, 2)
        item, vendor, category, low, high, details = one if one[4] > other[4] or draw.random() < 0.35 else other
        cost = draw.randrange(low, high + 1, 20) * 100
        recent = span["status"] == "active" and draw.random() < 0.5
        first = max(span["start"] + 3, -11) if recent else span["start"] + 3
        ordered = _open_day(world.day(draw.randrange(first, max(span["last"] - 4, first + 1))))
        if ordered >= world.today or ordered > add_days(world.today, span["last"]):
            continue
        month = ordered[:7]
        if months.get(month, 0) + cost > limit:
            continue
        lead_days = draw.choice((2, 4, 7, 10, 14, 21, 28)) if category == "stock" else draw.choice((4, 14, 21, 28, 35))
        needed = _open_day(add_days(ordered, lead_days))
        rush = days_between(ordered, needed) < 5
        arrived = _open_day(add_days(needed, draw.choice((-2, -1, 0, 0, 1, 3))))
        arrived = max(arrived, ordered)
        row = {
            "item": f"{item}, {draw.choice(details)}",
            "vendor_name": vendor,
            "category": category,
            "cost_cents": cost,
            "ordered_on": ordered,
            "needed_on": needed,
            "status": "ordered",
            "received_on": None,
            "canceled_on": None,
        }
        end = add_days(world.today, span["last"])
        if draw.random() < 0.12:
            canceled = _open_day(add_days(ordered, draw.choice((1, 2, 3))))
            if canceled <= end:
                row["status"], row["canceled_on"] = "canceled", canceled
                days = days_between(ordered, canceled)
                charges.append(("restocking", days * (500 if category == "custom" else 200), canceled))
        elif arrived <= end and (span["status"] == "closed" or draw.random() < 0.85):
            row["status"], row["received_on"] = "received", arrived
        if row["status"] == "ordered" and span["status"] != "active":
            row["status"], row["received_on"] = "received", min(max(ordered, arrived), end)
        if row["status"] != "canceled":
            months[month] = months.get(month, 0) + cost
        if rush:
            charges.append(("rush", cost // 10, ordered))
        rows.append(row)
    return rows, charges


def _plan_bookings(world, desk, level, span, charges):
    """Bookings ahead come first: what lies behind was within the same number of hours."""
    draw = world.random
    rows = []
    ahead = 8 if level == "priority" else 5
    count = draw.choices((0, 1, 2, 3, 4, 5), (10, 26, 25, 19, 13, 7))[0]
    for future in sorted([span["status"] == "active" and draw.random() < 0.75 for _ in range(count)], reverse=True):
        pool = desk["past"]
        if future:
            pool = desk["near"] if desk["near"] and draw.random() < 0.35 else desk["far"]
        if not pool:
            continue
        station, day, hour = pool.pop()
        hours = 2 if hour == "07:00" else draw.randrange(2, 5)
        hours = min(hours, ahead)
        if hours == 0 or not future and not span["start"] < day <= span["last"]:
            continue
        row = {
            "station_id": station["station_id"],
            "starts_at": world.moment(day, hour),
            "hours": hours,
            "cost_cents": hours * station["hourly_cents"],
            "status": "booked",
            "canceled_on": None,
        }
        if draw.random() < 0.17:
            canceled = _open_day(world.day(min(day, 0) - draw.randrange(1, 6)))
            if add_days(world.today, span["start"]) < canceled <= world.day(min(day, 0)):
                row["status"], row["canceled_on"] = "canceled", canceled
                if days_between(canceled, world.day(day)) < 3:
                    charges.append(("late_cancel", hours * 2000, canceled))
        if future and row["status"] == "booked":
            ahead -= hours
        rows.append(row)
    return rows


def _plan_orders(world, level, span):
    draw = world.random
    rows, titles = [], []
    room = 4000 if level == "priority" else 2000
    for _ in range(draw.choices((0, 1, 2, 3), (20, 44, 25, 11))[0]):
        what, low, high, days = draw.choice(CHANGES)
        title = f"{what}{draw.choice(SPOTS)}"
        if title in titles or low > room or span["last"] - span["start"] < 15:
            continue
        titles.append(title)
        first = max(span["start"] + 5, -40) if span["status"] == "active" and draw.random() < 0.6 else span["start"] + 5
        day = draw.randrange(first, max(span["last"] - 5, first + 1))
        submitted = _open_day(world.day(day))
        state = draw.choices(("waiting", "signed", "withdrawn"), (45, 40, 15))[0]
        if span["status"] == "closed" and state == "waiting":
            state = "signed"
        signed = _open_day(add_days(submitted, draw.randrange(1, 12))) if state == "signed" else None
        if signed and signed > add_days(world.today, span["last"]):
            signed = submitted
        if submitted > add_days(world.today, span["last"]):
            continue
        amount = draw.randrange(low, min(high, room) + 1, 50)
        room -= amount
        rows.append(
            {
                "title": title,
                "amount_cents": amount * 100,
                "extra_days": draw.choice((0, days)),
                "status": state,
                "submitted_on": submitted,
                "signed_on": signed,
            }
        )
    return rows


def _add_team(world, desk, lead, level, key):
    draw = world.random
    top = 5 if level == "priority" else 3
    count = min(draw.choices((0, 1, 2, 3, 4, 5), (10, 20, 26, 26, 10, 8))[0], top, len(desk["members"]) - 1)
    others = [member for member in draw.sample(desk["members"], count + 1) if member is not lead][:count]
    for member in others:
        world.insert(
            "team_seat",
            project_id=key,
            teammate_id=member["member_id"],
            role=draw.choice(("designer", "fabricator", "fabricator", "installer", "writer")),
        )
    return others


def _add_milestones(world, span, level, key, budget):
    draw = world.random
    count = draw.choices((1, 2, 3, 4), (22, 34, 28, 16))[0]
    picked = sorted(draw.sample(range(len(MILESTONES)), count))
    length = span["due"] - span["start"]
    rows = []
    done = True
    previous = span["starts_on"]
    for place, which in enumerate(picked):
        day = span["start"] + length * (place + 1) // (count + 1) + draw.randrange(-4, 5)
        due_on = max(min(_open_day(world.day(day)), span["due_on"]), span["starts_on"])
        completed = None
        if span["status"] == "closed":
            completed = min(max(due_on, previous), _open_day(world.day(span["last"])))
        elif done and day < span["last"] - 3 and draw.random() < 0.8:
            completed = max(_open_day(add_days(due_on, draw.randrange(-5, 3))), previous)
            if completed > add_days(world.today, span["last"]):
                completed = None
        done = done and completed is not None
        previous = completed or previous
        rows.append(
            world.insert(
                "milestone",
                project_id=key,
                name=MILESTONES[which],
                due_on=due_on,
                status="complete" if completed else "pending",
                moves=draw.choices((0, 1, 2), (46, 27, 27) if level == "priority" else (52, 48, 0))[0],
                payment_cents=budget * draw.choice((0, 0, 10, 20, 25)) // 100,
                completed_on=completed,
            )
        )
    return rows


def _assignee(draw, desk, people, status, started, finished, today):
    """Someone who works on the project and has room for one more open task, or for more work at a time."""
    members = draw.sample(people, len(people))
    for member in members:
        key = member["member_id"]
        work = desk["work"].setdefault(key, [])
        busy = sum(started <= other[1] and other[0] <= (finished or today) for other in work) if started else 0
        if started and busy >= (2 if member["weekly_hours"] >= 30 else 1):
            continue
        if status in ("todo", "in_progress"):
            if desk["open"].get(key, 0) >= OPEN_LIMIT[member["grade"]]:
                continue
            desk["open"][key] = desk["open"].get(key, 0) + 1
        if started:
            work.append((started, finished or today))
        return member
    return None


def _add_tasks(world, desk, span, key, people, milestones):
    draw = world.random
    weights = {"active": (44, 34, 17, 5), "on_hold": (40, 0, 45, 15), "closed": (0, 0, 84, 16)}[span["status"]]
    titles, earlier = [], []
    last_day = add_days(world.today, span["last"])
    for _ in range(draw.choices((1, 2, 3, 4, 5, 6), (8, 16, 26, 24, 16, 10))[0]):
        fitting = [row for row in WORK if span["kind"] == "nature" or row[3][0] != "Carve"]  # rocks and trees
        role, low, high, verbs, things, notes = draw.choice(fitting)
        title = f"{draw.choice(verbs)} {draw.choice(things)}"
        if title in titles:
            continue
        titles.append(title)
        status = draw.choices(("todo", "in_progress", "done", "canceled"), weights)[0]
        started = finished = None
        if status in ("in_progress", "done"):
            first = max(span["start"], -24) if status == "in_progress" else span["start"]
            day = draw.randrange(first, max(span["last"] - 2, first + 1))
            started = min(_open_day(world.day(day)), last_day)
            started = max(started, span["starts_on"])
            if status == "done":
                finished = min(_open_day(add_days(started, draw.randrange(1, 16))), last_day)
                finished = max(finished, started)
        unassigned = status == "todo" and draw.random() < 0.22
        member = None if unassigned else _assignee(draw, desk, people, status, started, finished, world.today)
        if member is None and started:
            continue
        due = (
            _open_day(world.day(draw.randrange(-6, 50)))
            if status == "todo" or not started
            else _open_day(add_days(started, draw.randrange(3, 40)))
        )
        due_on = max(min(due, span["due_on"]), span["starts_on"])
        if status == "todo":
            before = [row for row in earlier if row["status"] != "canceled"]
        else:
            before = [row for row in earlier if row["status"] == "done" and started and row["finished_on"] <= started]
        waits = draw.choice(before)["task_id"] if before and status != "canceled" and draw.random() < 0.4 else None
        fitting = [row for row in milestones if status in ("done", "canceled") or row["status"] == "pending"]
        milestone = draw.choice(fitting)["milestone_id"] if fitting and draw.random() < 0.6 else None
        task = world.insert(
            "task",
            project_id=key,
            title=title,
            status=status,
            due_on=due_on,
            estimate_hours=draw.randrange(low, high + 1),
            assignee_id=member["member_id"] if member else None,
            milestone_id=milestone,
            waits_on_task_id=waits,
            started_on=started,
            finished_on=finished,
        )
        earlier.append(task)
        if started:
            _add_time(world, desk, member, task, started, finished or world.day(-1), notes)


def _add_time(world, desk, member, task, first, last, notes):
    """A few days of work between two dates, within what the member may work in a week."""
    draw = world.random
    days = []
    for _ in range(draw.choices((0, 1, 2, 3, 4), (4, 12, 26, 30, 28))[0]):
        length = days_between(first, last)
        back = draw.randrange(0, min(length, 12) + 1)
        day = _open_day(add_days(last, -back))
        if day > last or day < first or day in days:
            continue
        days.append(day)
        monday = add_days(day, -("Monday", "Tuesday", "Wednesday", "Thursday", "Friday").index(weekday(day)))
        week = (member["member_id"], monday)
        minutes = draw.choice((60, 90, 120, 180, 210, 240, 240, 300, 300, 360, 420, 480))
        if desk["weeks"].get(week, 0) + minutes > 60 * member["weekly_hours"] + 120:
            continue
        desk["weeks"][week] = desk["weeks"].get(week, 0) + minutes
        friday = add_days(monday, 4)
        sent = friday if draw.random() < 0.7 else add_days(monday, 7)
        submitted = sent if sent < world.today and draw.random() < 0.3 else None
        if not submitted:
            room = 720 if member["weekly_hours"] >= 30 else 480
            if desk["drafts"].get(member["member_id"], 0) + minutes > room:
                continue
            desk["drafts"][member["member_id"]] = desk["drafts"].get(member["member_id"], 0) + minutes
        world.insert(
            "time_entry",
            member_id=member["member_id"],
            task_id=task["task_id"],
            worked_on=day,
            minutes=minutes,
            status="submitted" if submitted else "draft",
            note=draw.choice(notes) if draw.random() < 0.5 else None,
            submitted_on=submitted,
        )
