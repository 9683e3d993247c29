"""Fill an online learning provider: learners, courses in dated cohorts, enrollments with their work, and accounts."""

from collections import defaultdict

from runtime import WorldBuilder, weekday


def _holds(plan, day):
    """True unless the seat had been given back before this day."""
    return plan["status"] != "withdrawn" or plan["closed"] >= day


WITHDRAWAL_DAYS = 14  # a learner with a seat may withdraw this long after getting it


def _plan_seat(draw, person, place, cohort, status, since, plans, taken, retry):
    """Plan an enrollment not before the day `since`; False if there is no day for it."""
    course = cohort["course"]
    earlier = taken[place, course["number"]]
    if any(
        old["status"] in ("active", "waitlisted", "completed") or old["cohort"]["start"] >= cohort["start"]
        for old in earlier
    ):
        return False
    low = max(since, min(cohort["start"] - 45, -30))
    high = min(cohort["start"] + 3, -1)
    if cohort["canceled"] is not None:
        high = min(high, cohort["canceled"] - 1)
        low = max(since, high - 30)
    for old in earlier:
        low = max(low, old["closed"] + 1)
    if low > high:
        return False
    if status is None:
        names, odds = STATUSES[cohort["state"]]
        status = draw.choices(names, weights=odds)[0]
    created = _between(draw, low, high)
    if status == "completed" and cohort["state"] == "running" and cohort["start"] > -30:
        status = "active"
    if status == "withdrawn" and created > -4:
        status = "active"
    plan = {
        "person": person,
        "cohort": cohort,
        "status": status,
        "created": created,
        "enrolled": created,
        "closed": None,
    }
    if status == "waitlisted" or (status in ("withdrawn", "canceled") and draw.random() < 0.15):
        plan["enrolled"] = None
    elif draw.random() < 0.15 and created < high and created < -6:
        plan["enrolled"] = _between(draw, created + 1, min(high, created + 12, -3 if status == "withdrawn" else -1))
    if status in ("completed", "failed"):
        last = cohort["end"] if cohort["state"] == "ended" else -9
        plan["closed"] = _between(draw, last + 1, min(last + 9, -1))
    elif status == "withdrawn":
        day = plan["enrolled"] or created
        window = 40 if plan["enrolled"] is None else WITHDRAWAL_DAYS
        plan["closed"] = _between(draw, day + 1, min(-1, cohort["end"] - 2, day + window))
    elif status == "canceled":
        plan["closed"] = cohort["canceled"]
    taken[place, course["number"]].append(plan)
    if status in ("failed", "withdrawn", "canceled"):
        retry[course["number"]].append(place)
    cohort["plans"].append(plan)
    plans.append(plan)
    return True


INVARIANTS = {
    "A cohort has no more active, completed, and failed enrollments than seats.": """
        SELECT cohort_id FROM cohort WHERE capacity < (SELECT count(*) FROM enrollment
            WHERE enrollment.cohort_id = cohort.cohort_id AND status IN ('active', 'completed', 'failed'))
    """,
    "A learner has at most one open enrollment in a course.": """
        SELECT a.enrollment_id FROM enrollment a JOIN cohort ca ON ca.cohort_id = a.cohort_id
        JOIN enrollment b ON b.learner_id = a.learner_id AND b.enrollment_id <> a.enrollment_id
        JOIN cohort cb ON cb.cohort_id = b.cohort_id
        WHERE ca.course_id = cb.course_id AND a.status IN ('waitlisted', 'active') AND b.status IN ('waitlisted', 'active')
    """,
    "Only a learner who completed the prerequisite course has an enrollment in a course that has one.": """
        SELECT e.enrollment_id FROM enrollment e JOIN cohort h ON h.cohort_id = e.cohort_id
        JOIN course c ON c.course_id = h.course_id
        WHERE c.prerequisite_course_id IS NOT NULL AND NOT EXISTS (
            SELECT 1 FROM enrollment p JOIN cohort ph ON ph.cohort_id = p.cohort_id
            WHERE p.learner_id = e.learner_id AND p.status = 'completed' AND ph.course_id = c.prerequisite_course_id)
    """,
    "An enrollment in a canceled cohort is not open, completed, or failed.": """
        SELECT e.enrollment_id FROM enrollment e JOIN cohort h ON h.cohort_id = e.cohort_id
        WHERE h.canceled_at IS NOT NULL AND e.status NOT IN ('canceled', 'withdrawn')
    """,
    "Work is handed in only for an assignment of the enrollment's own course, with no more points than it allows.": """
        SELECT s.submission_id FROM submission s JOIN enrollment e ON e.enrollment_id = s.enrollment_id
        JOIN cohort h ON h.cohort_id = e.cohort_id JOIN assignment a ON a.assignment_id = s.assignment_id
        WHERE a.course_id <> h.course_id OR s.points > a.max_points
    """,
    "A seated enrollment has a tuition entry of its tuition on its learner's account.": """
        SELECT e.enrollment_id FROM enrollment e WHERE e.tuition_cents IS NOT NULL AND NOT EXISTS (
            SELECT 1 FROM account_entry t WHERE t.enrollment_id = e.enrollment_id AND t.kind = 'tuition'
            AND t.amount_cents = e.tuition_cents AND t.learner_id = e.learner_id)
    """,
    "An account entry for an enrollment is on that learner's account.": """
        SELECT t.account_entry_id FROM account_entry t JOIN enrollment e ON e.enrollment_id = t.enrollment_id
        WHERE t.learner_id <> e.learner_id
    """,
}

GIVEN = (
    "Denise",
    "Miguel",
    "Priya",
    "Kevin",
    "Aaliyah",
    "Tom",
    "Hannah",
    "Marcus",
    "Elena",
    "Jamal",
    "Grace",
    "Owen",
    "Sofia",
    "Tyler",
    "Mei",
    "Carlos",
    "Brianna",
    "Nathan",
    "Yolanda",
    "Derek",
    "Fatima",
    "Joel",
    "Ingrid",
    "Andre",
    "Lucy",
    "Wei",
    "Paula",
    "Samuel",
    "Rosa",
    "Ethan",
    "Naomi",
    "Victor",
    "Kayla",
    "Rahul",
    "Teresa",
    "Colin",
    "Jasmine",
    "Peter",
    "Camille",
    "Diego",
    "Anita",
    "Logan",
    "Monica",
    "Isaac",
    "Leah",
    "Darnell",
    "Vivian",
    "Curtis",
)
FAMILY = (
    "Walker",
    "Ortega",
    "Raman",
    "Tran",
    "Brooks",
    "Kowalski",
    "Nguyen",
    "Hughes",
    "Castillo",
    "Freeman",
    "Sullivan",
    "Patel",
    "Weber",
    "Jackson",
    "Lindgren",
    "Morales",
    "Chen",
    "Fitzgerald",
    "Okafor",
    "Reyes",
    "Baker",
    "Novak",
    "Simmons",
    "Delgado",
    "Park",
    "Hoffman",
    "Watkins",
    "Silva",
    "Bennett",
    "Yamada",
    "Crawford",
    "Russo",
    "Mendoza",
    "Foster",
    "Haddad",
    "Greene",
    "Larsen",
    "Coleman",
    "Vargas",
    "Schultz",
    "Ibrahim",
    "Doyle",
    "Peterson",
    "Kim",
    "Douglas",
    "Santos",
    "Murphy",
    "Bauer",
)
AREAS = (
    312,
    614,
    512,
    503,
    206,
    303,
    602,
    704,
    617,
    215,
    412,
    816,
    314,
    502,
    615,
    404,
    305,
    813,
    919,
    804,
    410,
    216,
    317,
    414,
    612,
    402,
    505,
    702,
    916,
    619,
)
# Topic, subject, price range in dollars, what learners hand in
TOPICS = (
    (
        "Python",
        "programming",
        290,
        440,
        ("Number Guessing Game", "Expense Tracker", "Web Scraper", "Unit Test Suite", "Weather Dashboard"),
    ),
    (
        "Excel",
        "data",
        140,
        240,
        ("Household Budget Sheet", "Pivot Table Report", "Lookup Formulas", "Sales Chart Pack", "Loan Schedule"),
    ),
    (
        "UX Design",
        "design",
        340,
        520,
        ("User Interview Notes", "Persona Set", "Wireframe Flow", "Usability Test Report", "Redesign Case Study"),
    ),
    (
        "Bookkeeping",
        "business",
        220,
        340,
        ("Chart of Accounts", "Bank Reconciliation", "Month-End Close", "Payroll Journal", "Balance Sheet"),
    ),
    (
        "Spanish",
        "languages",
        160,
        280,
        ("Introduce Yourself", "Restaurant Dialogue", "Family Letter", "Travel Diary", "News Summary"),
    ),
    (
        "JavaScript",
        "programming",
        290,
        450,
        ("Tip Calculator", "Memory Card Game", "Form Validator", "Recipe Finder", "Drag-and-Drop Board"),
    ),
    (
        "SQL",
        "data",
        240,
        380,
        ("Library Queries", "Join Drills", "Sales Rollup", "Window Function Set", "Index Tuning Memo"),
    ),
    (
        "Graphic Design",
        "design",
        280,
        420,
        ("Concert Poster", "Type Specimen", "Brand Mood Board", "Magazine Spread", "Logo Package"),
    ),
    (
        "Project Management",
        "business",
        320,
        480,
        ("Project Charter", "Work Breakdown", "Risk Register", "Status Report", "Lessons Learned"),
    ),
    (
        "French",
        "languages",
        160,
        280,
        ("Cafe Conversation", "My Neighborhood", "Phone Message", "Film Review", "Formal Email"),
    ),
    (
        "Java",
        "programming",
        310,
        460,
        ("Bank Account Classes", "Inventory Console", "Sorting Benchmarks", "Chat Server", "Parking Lot Design"),
    ),
    (
        "Statistics",
        "data",
        260,
        400,
        ("Survey Summary", "Sampling Plan", "Hypothesis Test", "Regression Report", "Experiment Critique"),
    ),
    (
        "Photography",
        "design",
        180,
        300,
        ("Window Light Portrait", "Street Series", "Night Exposure", "Product Shot", "Photo Essay"),
    ),
    (
        "Digital Marketing",
        "business",
        260,
        400,
        ("Audience Profile", "Email Campaign", "Search Ad Plan", "Content Calendar", "Campaign Review"),
    ),
    (
        "German",
        "languages",
        170,
        290,
        ("Daily Routine", "Apartment Ad", "Train Trip Dialogue", "Recipe Steps", "Job Letter"),
    ),
    (
        "Web Development",
        "programming",
        360,
        560,
        ("Personal Homepage", "Responsive Menu", "Contact Form", "Blog Template", "Store Front"),
    ),
    (
        "Tableau",
        "data",
        230,
        360,
        ("First Dashboard", "Map of Sales", "Calculated Fields", "Story Points", "Executive View"),
    ),
    (
        "Illustration",
        "design",
        200,
        330,
        ("Character Sheet", "Spot Drawing", "Color Study", "Book Cover", "Comic Page"),
    ),
    (
        "Human Resources",
        "business",
        280,
        420,
        ("Job Posting", "Interview Guide", "Onboarding Checklist", "Handbook Section", "Review Form"),
    ),
    (
        "Italian",
        "languages",
        160,
        270,
        ("Market Dialogue", "Postcard Home", "Family Tree Talk", "Opera Plot", "Recipe Video Script"),
    ),
    (
        "C++",
        "programming",
        320,
        480,
        ("Matrix Class", "Text Adventure", "Linked List", "Memory Leak Hunt", "Particle Demo"),
    ),
    (
        "Machine Learning",
        "data",
        420,
        640,
        ("House Price Model", "Spam Filter", "Image Classifier", "Model Card", "Churn Forecast"),
    ),
    (
        "Interior Design",
        "design",
        240,
        380,
        ("Room Measure Plan", "Material Board", "Lighting Plan", "Small Kitchen Layout", "Client Presentation"),
    ),
    (
        "Small Business Finance",
        "business",
        240,
        370,
        ("Startup Budget", "Cash Flow Forecast", "Pricing Worksheet", "Loan Application", "Break-Even Memo"),
    ),
    (
        "Japanese",
        "languages",
        190,
        320,
        ("Hiragana Quiz", "Self-Introduction Video", "Shopping Dialogue", "Kanji Journal", "Haiku Set"),
    ),
    (
        "Mobile Apps",
        "programming",
        380,
        580,
        ("Flashcard App", "Step Counter", "Login Screen", "Offline Notes", "Store Listing"),
    ),
    ("R", "data", 240, 370, ("Tidy Data Set", "Bird Count Plots", "Linear Model", "Knitted Report", "Interactive Map")),
    (
        "Video Editing",
        "design",
        230,
        360,
        ("Thirty-Second Cut", "Interview Edit", "Sound Mix", "Title Sequence", "Short Documentary"),
    ),
    (
        "Public Speaking",
        "business",
        150,
        260,
        ("Icebreaker Speech", "Toast Recording", "Slide Rescue", "Persuasive Talk", "Question Session"),
    ),
    (
        "Mandarin",
        "languages",
        190,
        320,
        ("Tone Recording", "Ordering Tea", "Calendar Dialogue", "Character Practice", "City Guide"),
    ),
    (
        "Cloud Computing",
        "programming",
        380,
        560,
        ("Static Site Launch", "Storage Buckets", "Autoscaling Lab", "Cost Report", "Recovery Drill"),
    ),
    (
        "Power BI",
        "data",
        230,
        360,
        ("Data Import", "Measures Workbook", "Drill-Through Report", "Row-Level Security", "Board Deck"),
    ),
    (
        "3D Modeling",
        "design",
        300,
        460,
        ("Coffee Mug Model", "Low-Poly House", "Texture Set", "Rigged Robot", "Turntable Render"),
    ),
    (
        "Leadership",
        "business",
        260,
        410,
        ("Values Statement", "Feedback Role Play", "Delegation Plan", "Conflict Case", "Team Charter"),
    ),
    (
        "American Sign Language",
        "languages",
        170,
        290,
        ("Fingerspelling Video", "Greeting Exchange", "Describe a Room", "Signed Story", "Signed Interview"),
    ),
    (
        "Git",
        "programming",
        110,
        190,
        ("First Repository", "Branching Lab", "Merge Conflict Fix", "Code Review", "Release Tagging"),
    ),
    (
        "Survey Research",
        "data",
        210,
        330,
        ("Question Draft", "Pilot Survey", "Codebook", "Weighting Exercise", "Findings Brief"),
    ),
    (
        "Typography",
        "design",
        190,
        310,
        ("Letter Tracing", "Font Pairing", "Grid Exercise", "Menu Redesign", "Type Poster"),
    ),
    (
        "Negotiation",
        "business",
        190,
        320,
        ("Preparation Sheet", "Salary Role Play", "Vendor Case", "Group Bargaining", "Reflection Paper"),
    ),
    (
        "Portuguese",
        "languages",
        160,
        280,
        ("Beach Day Dialogue", "Song Translation", "Weekend Plans", "Recipe Card", "Travel Blog"),
    ),
    (
        "Cybersecurity",
        "programming",
        380,
        580,
        ("Password Policy", "Phishing Awareness Memo", "Firewall Lab", "Incident Report", "Backup Audit"),
    ),
    (
        "Data Visualization",
        "data",
        230,
        370,
        ("Chart Makeover", "Color Scale Study", "Small Multiples", "Annotated Map", "Data Story"),
    ),
    (
        "Animation",
        "design",
        260,
        410,
        ("Bouncing Ball", "Walk Cycle", "Lip Sync Shot", "Storyboard", "Ten-Second Short"),
    ),
    (
        "Nonprofit Grant Writing",
        "business",
        200,
        330,
        ("Needs Statement", "Logic Model", "Grant Budget", "Letter of Inquiry", "Full Proposal"),
    ),
)
FIRST = (
    ("{} Fundamentals", "beginner"),
    ("{} Essentials", "beginner"),
    ("Getting Started with {}", "beginner"),
    ("{} from Scratch", "beginner"),
)
SECOND = (
    ("{} in Practice", "intermediate"),
    ("Advanced {}", "advanced"),
    ("{} Workshop", "intermediate"),
    ("{} Masterclass", "advanced"),
)
MAX_POINTS = (20, 25, 40, 50, 60, 100)
STATUSES = {
    "ended": (("completed", "failed", "withdrawn", "active"), (50, 13, 17, 20)),
    "running": (("active", "waitlisted", "withdrawn", "completed"), (66, 14, 14, 6)),
    "upcoming": (("active", "waitlisted", "withdrawn"), (58, 28, 14)),
    "canceled": (("canceled",), (1,)),
}
REASONS = ("schedule", "cost", "difficulty", "health", "other")
METHODS = ("card", "bank_transfer", "check")


def populate(world: WorldBuilder) -> None:
    """Learners, then courses with assignments; enrollments are planned before their cohorts get their seats."""
    draw = world.random
    people = []
    for number in range(world.share(0.13, least=4)):
        people.append(_add_learner(world, number, people))
    draw.shuffle(people)
    courses = []
    order = draw.sample(range(len(TOPICS)), len(TOPICS))
    for number in range(world.share(0.023, least=2)):
        courses.append(_add_course(world, number, order, courses))
    cohorts = _plan_cohorts(world, courses, world.share(0.055, least=3))
    plans = _plan_enrollments(draw, people, courses, cohorts, world.share(0.145, least=4))
    draw.shuffle(cohorts)
    for cohort in cohorts:
        _add_cohort(world, cohort)
    draw.shuffle(plans)
    forced = True
    for number, plan in enumerate(plans):
        _add_enrollment(world, number, plan, forced)
        forced = forced and (plan["enrolled"] is None or plan["person"]["row"]["membership"] == "basic")


def _time(draw):
    return f"{draw.randrange(7, 22):02d}:{draw.randrange(60):02d}"


def _between(draw, low, high):
    return draw.randrange(low, max(low, high) + 1)


def _add_learner(world, number, people):
    draw = world.random
    if number % 4 == 3:
        name = draw.choice(people)["row"]["name"]
    else:
        name = f"{draw.choice(GIVEN)} {draw.choice(FAMILY)}"
    day = -_between(draw, 430, 1000) if draw.random() < 0.6 else -_between(draw, 2, 430)
    mail = name.lower().replace(" ", ".")
    area = AREAS[number % len(AREAS)]
    row = world.insert(
        "learner",
        name=name,
        email=f"{mail}{number + 11}@example.{draw.choice(('com', 'com', 'org', 'net'))}",
        phone=f"{area}-555-01{number // len(AREAS) % 100:02d}",
        date_of_birth=world.day(-_between(draw, 19 * 366, 68 * 365)),
        membership=draw.choices(("basic", "plus", "premium"), weights=(58, 28, 14))[0],
        created_at=world.moment(day, _time(draw)),
    )
    return {"row": row, "day": day}


def _add_course(world, number, order, courses):
    draw = world.random
    pair = number // 2
    topic, subject, low, high, works = TOPICS[order[pair % len(TOPICS)]]
    turn = pair // len(TOPICS)
    form, level = (FIRST, SECOND)[number % 2][(turn + pair) % len(FIRST)]
    title = form.format(topic)
    if turn >= len(FIRST):
        title = f"{title}, Part {turn // len(FIRST) + 1}"
    first = courses[number - 1] if number % 2 == 1 and (number == 1 or draw.random() < 0.6) else None
    extra = 0 if level == "beginner" else 80
    cents = (low + extra + draw.randrange(0, high - low, 10) + 9) * 100
    row = world.insert(
        "course",
        title=title,
        subject=subject,
        level=level,
        tuition_cents=cents,
        pass_percent=draw.choice((60, 65, 70, 70, 75, 80)),
        prerequisite_course_id=first["row"]["course_id"] if first else None,
    )
    count = draw.choice((3, 3, 4))
    chosen = sorted(draw.sample(range(len(works)), count))
    tasks = []
    for place, index in enumerate(chosen):
        tasks.append(
            world.insert(
                "assignment",
                course_id=row["course_id"],
                title=works[index],
                due_day=(place + 1) * (36 // count) + draw.randrange(0, 3),
                max_points=draw.choice(MAX_POINTS),
            )
        )
    old = cents - draw.choice((0, 0, 2000, 3000))
    return {"row": row, "tasks": tasks, "first": first, "old": old, "number": number, "past": None}


def _plan_cohorts(world, courses, count):
    """Mondays are one day before the clock's Tuesday, and whole weeks from it; a course never starts twice on one day."""
    draw = world.random
    cohorts = []
    used = defaultdict(set)
    picks = list(range(len(courses))) + [
        int(len(courses) * draw.random() ** 1.4) for _ in range(max(0, count - len(courses)))
    ]
    for index in picks[: max(count, min(2, len(courses)))]:
        course = courses[index]
        weeks = draw.choice((6, 8, 8, 10))
        state = draw.choices(("ended", "running", "upcoming"), weights=(16, 40, 44))[0]
        if course["number"] % 2 == 0 and course["past"] is None:
            state, low, high = "ended", -46, -32
        elif state == "ended":
            low, high = (-18, -weeks - 1) if course["first"] else (-46, -weeks - 1)
        elif state == "running":
            low, high = 1 - weeks, 0
        else:
            low, high = 1, 11
        free = [week for week in range(low, high + 1) if week not in used[index]]
        if not free:
            continue
        week = draw.choice(free)
        used[index].add(week)
        start = 7 * week - 1
        cohort = {
            "course": course,
            "start": start,
            "end": start + 7 * weeks - 3,
            "state": state,
            "canceled": None,
            "plans": [],
        }
        if course["number"] % 2 == 0 and course["past"] is None:
            course["past"] = cohort
        elif state == "upcoming" and draw.random() < 0.2:
            cohort["state"], cohort["canceled"] = "canceled", -_between(draw, 1, 14)
        elif state == "ended" and draw.random() < 0.1:
            cohort["state"], cohort["canceled"] = "canceled", start - _between(draw, 3, 10)
        if cohort["canceled"] is not None:  # on an open day
            cohort["canceled"] -= {"Saturday": 1, "Sunday": 2}.get(weekday(world.day(cohort["canceled"])), 0)
        cohorts.append(cohort)
    return cohorts


def _plan_enrollments(draw, people, courses, cohorts, count):
    plans = []
    taken = defaultdict(list)
    retry = defaultdict(list)
    weights = [(draw.random() + 0.25) * (0.45 if cohort["state"] == "ended" else 1) for cohort in cohorts]
    picks = draw.choices(range(len(cohorts)), weights=weights, k=count)
    paying = [place for place, person in enumerate(people) if person["row"]["membership"] != "basic"]
    for number, index in enumerate(picks):
        if len(plans) >= count:
            break
        cohort = cohorts[0] if number == 0 else cohorts[index]
        for _ in range(6):
            again = retry[cohort["course"]["number"]]
            if number == 0 and paying:
                place = draw.choice(paying)
            elif again and draw.random() < 0.5:
                place = draw.choice(again)
            else:
                place = int(len(people) * draw.random() ** 1.7)
            status = "completed" if number == 0 else None
            if _plan_one(draw, people[place], place, cohort, status, plans, taken, retry):
                break
    return plans


def _plan_one(draw, person, place, cohort, status, plans, taken, retry):
    """Plan an enrollment, before it one in the prerequisite course if need be; False if this person cannot have it."""
    first = cohort["course"]["first"]
    since = person["day"] + 1
    if first:
        done = [old for old in taken[place, first["number"]] if old["status"] == "completed"]
        if not done:
            past = first["past"]
            if past is None or not _plan_seat(draw, person, place, past, "completed", since, plans, taken, retry):
                return False
            done = [plans[-1]]
        since = done[0]["closed"] + 1
    return _plan_seat(draw, person, place, cohort, status, since, plans, taken, retry)


def _add_cohort(world, cohort):
    draw = world.random
    seated = [plan for plan in cohort["plans"] if plan["status"] in ("active", "completed", "failed")]
    waiting = [plan for plan in cohort["plans"] if plan["status"] == "waitlisted"]
    if waiting:
        spare = draw.choice((0, 0, 1, 2))
    else:
        spare = 0 if draw.random() < 0.25 else _between(draw, 1, 12)
    held = [plan for plan in cohort["plans"] if plan["enrolled"] is not None]
    peak = 1  # the most seats taken on one day, by those who withdrew later, too
    for plan in held:
        day = plan["enrolled"]
        peak = max(peak, len([1 for other in held if other["enrolled"] <= day and _holds(other, day)]))
    moment = None
    if cohort["canceled"] is not None:
        moment = world.moment(cohort["canceled"], f"{draw.randrange(9, 17):02d}:{draw.randrange(60):02d}")
    cohort["moment"] = moment
    cohort["row"] = world.insert(
        "cohort",
        course_id=cohort["course"]["row"]["course_id"],
        starts_on=world.day(cohort["start"]),
        ends_on=world.day(cohort["end"]),
        capacity=max(peak, len(seated) + spare if cohort["canceled"] is None else _between(draw, 4, 16)),
        canceled_at=moment,
    )


def _add_enrollment(world, number, plan, forced):
    draw = world.random
    cohort, status = plan["cohort"], plan["status"]
    course = cohort["course"]
    created = world.moment(plan["created"], _time(draw))
    enrolled, tuition, ended = None, None, None
    if plan["enrolled"] is not None:
        enrolled = created if plan["enrolled"] == plan["created"] else world.moment(plan["enrolled"], _time(draw))
        tuition = course["old"] if plan["enrolled"] < -150 else course["row"]["tuition_cents"]
    if status == "canceled":
        ended = cohort["moment"]
    elif plan["closed"] is not None:
        ended = world.moment(plan["closed"], _time(draw))
    moved = enrolled is not None and status in ("active", "completed", "failed", "withdrawn") and plan["enrolled"] < -6
    certified = status == "completed" and draw.random() < 0.6
    row = world.insert(
        "enrollment",
        learner_id=plan["person"]["row"]["learner_id"],
        cohort_id=cohort["row"]["cohort_id"],
        status=status,
        created_at=created,
        enrolled_at=enrolled,
        ended_at=ended,
        tuition_cents=tuition,
        transfers=draw.choices((0, 1, 2), weights=(84, 13, 3))[0] if moved else 0,
        withdrawal_reason=draw.choice(REASONS) if status == "withdrawn" else None,
        certificate_number=f"CERT-ENROLLMENT-{number + 1:04d}" if certified else None,
    )
    if enrolled is not None:
        late = _add_work(world, plan, row, forced)
        _add_entries(world, plan, row, late, certified)


def _add_work(world, plan, row, forced):
    """Work in order: due, handed in, graded, all before the enrollment was closed; tells whether any was late."""
    draw = world.random
    cohort, status = plan["cohort"], plan["status"]
    course = cohort["course"]
    closed = plan["closed"] is not None
    limit = plan["closed"] - 3 if closed else -1
    extended = -1
    if plan["person"]["row"]["membership"] != "basic" and (forced or draw.random() < 0.36):
        extended = draw.randrange(len(course["tasks"]))
    any_late = False
    for place, task in enumerate(course["tasks"]):
        due = cohort["start"] + task["due_day"]
        if place == extended:
            days = draw.choice((2, 3, 3, 5, 7, 7, 10, 14))
            world.insert(
                "extension", enrollment_id=row["enrollment_id"], assignment_id=task["assignment_id"], days=days
            )
            due += days
        must = status in ("completed", "failed")
        chance = 0.88 if due < -1 else 0.45 if due < 6 else 0.0
        if cohort["state"] not in ("running", "ended") or (not must and draw.random() >= chance):
            continue
        since = max(cohort["start"], plan["enrolled"] + 1)
        day = max(since, min(due + draw.choice((-6, -4, -3, -2, -1, -1, 0, 0, 0, 1, 3)), limit))
        if day > limit:
            continue
        graded_day = min(day + draw.randrange(1, 6), plan["closed"] - 1 if closed else -1)
        graded = graded_day > day and (must or draw.random() < (0.93 if day < -8 else 0.5))
        bar = course["row"]["pass_percent"]
        low, high = {"completed": (bar, 100), "failed": (25, bar - 8)}.get(status, (42, 100))
        percent = _between(draw, low, high)
        points = task["max_points"] * percent / 100
        points = int(points) if status == "failed" else min(task["max_points"], int(points) + 1)
        late = day > due
        any_late = any_late or late
        name = plan["person"]["row"]["name"].lower().replace(" ", "-")
        world.insert(
            "submission",
            enrollment_id=row["enrollment_id"],
            assignment_id=task["assignment_id"],
            link=f"https://work.example.com/{name}/{task['title'].lower().replace(' ', '-')}",
            submitted_at=world.moment(day, _time(draw)),
            attempts=draw.choices((1, 2, 3), weights=(76, 19, 5))[0],
            late=int(late),
            points=points if graded else None,
            graded_at=world.moment(graded_day, _time(draw)) if graded else None,
        )
    return any_late


def _add_entries(world, plan, row, late, certified):
    draw = world.random
    tuition = row["tuition_cents"]
    first = plan["enrolled"]
    net = tuition

    def add(kind, reason, cents, moment):
        world.insert(
            "account_entry",
            learner_id=row["learner_id"],
            enrollment_id=None if kind == "payment" else row["enrollment_id"],
            kind=kind,
            reason=reason,
            amount_cents=cents,
            created_at=moment,
        )

    add("tuition", None, tuition, row["enrolled_at"])
    owed = tuition
    if draw.random() < 0.07:
        cents = tuition * draw.choice((20, 25, 50)) // 100
        add("credit", "scholarship", cents, row["enrolled_at"])
        net, owed = net - cents, owed - cents
    last = plan["closed"] if plan["closed"] is not None else 0
    fees = []
    if row["transfers"]:
        fees.append(("transfer", 2500))
    if first > plan["cohort"]["start"] and draw.random() < 0.7:
        fees.append(("late_enrollment", 3500))
    if late and draw.random() < 0.35:
        fees.append(("late_work", 1000))
    if draw.random() < 0.03:
        fees.append(("other", draw.choice((1200, 1500, 2000))))
    if last - first > 1:
        for reason, cents in fees:
            add("fee", reason, cents, world.moment(_between(draw, first + 1, last - 1), _time(draw)))
            net += cents
        if draw.random() < 0.06:
            reason, cents = draw.choice((("courtesy", 1500), ("courtesy", 2500), ("correction", 1000)))
            add("credit", reason, cents, world.moment(_between(draw, first + 1, last - 1), _time(draw)))
            net -= cents
    paid = draw.choices(("all", "half", "two", "none"), weights=(48, 16, 14, 22))[0]
    method = draw.choices(METHODS, weights=(70, 20, 10))[0]
    if paid == "all":
        add("payment", method, owed, row["enrolled_at"])
    elif paid == "half":
        add("payment", method, owed // 2, row["enrolled_at"])
    elif paid == "two" and last - first > 2:
        add("payment", method, owed // 3, row["enrolled_at"])
        add("payment", method, owed // 3, world.moment(_between(draw, first + 1, last - 1), _time(draw)))
    if plan["status"] == "canceled":
        add("credit", "cohort_canceled", net, row["ended_at"])
    elif plan["status"] == "withdrawn":
        if draw.random() < 0.3:
            add("fee", "withdrawal", 4500, row["ended_at"])
        elif draw.random() < 0.7:
            add("credit", "withdrawal", net if draw.random() < 0.6 else net // 2, row["ended_at"])
    elif certified and draw.random() < 0.4:
        add("fee", "certificate", 1500, row["ended_at"])
