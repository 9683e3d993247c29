"""Fill a career services office: applicants, their applications from draft to offer, and the fees they owe."""

from runtime import WorldBuilder, add_days, add_minutes

HEALTH = ("Kaiser Permanente", "Cardinal Health", "CVS Health")

CARRIERS = ("FedEx", "UPS", "Cardinal Health", "Kroger", "Target")

OIL = ("PetroChina Group", "CNOOC", "ExxonMobil", "ConocoPhillips")

UTILITIES = ("State Grid Corporation of China", "NextEra Energy", "Duke Energy", "Xcel Energy", "Envision Energy")

STORES = ("Kroger", "Home Depot", "Starbucks", "Target", "Nike")

MAKERS = ("Procter & Gamble", "Coca-Cola", "Kraft Heinz", "Nike")

LINES = (  # jobs that one person may apply for, employers that have them, any of the field if none, and small firms
    (("Energy Analyst", "Energy Market Analyst", "New Energy Strategic Analyst"), (), ()),
    (("Energy Analyst", "Energy Investment Consultant"), (), ("Power Advisors", "Resources", "Renewables")),
    (("Petroleum Engineer",), OIL, ("Resources",)),
    (("Grid Operations Planner", "Solar Project Manager"), UTILITIES, ("Renewables", "Grid Services")),
    (("Environmental Compliance Specialist",), (), ()),
    (("Financial Analyst", "Investment Associate"), (), ("Capital", "Wealth Partners")),
    (("Staff Accountant", "Tax Accountant"), (), ("Accounting Group", "Tax Services")),
    (("Credit Risk Analyst", "Loan Officer"), (), ("Capital",)),
    (("Compliance Officer",), (), ("Capital", "Wealth Partners")),
    (("Actuarial Analyst",), ("Nationwide", "Fidelity Investments", "Truist"), ("Wealth Partners",)),
    (("Data Analyst", "Data Engineer"), (), ()),
    (("Software Engineer", "Machine Learning Engineer", "Data Engineer"), (), ()),
    (("Product Manager",), (), ()),
    (("UX Designer",), (), ()),
    (("Quality Assurance Tester", "Technical Support Specialist"), (), ()),
    (("Security Analyst",), (), ()),
    (("Market Research Analyst", "Consumer Insights Manager"), (), ("Research", "Marketing Group")),
    (("Brand Manager", "Digital Marketing Specialist"), MAKERS, ("Brands", "Marketing Group")),
    (("Store Manager",), STORES, ("Brands",)),
    (("Supply Planner",), (), ("Brands",)),
    (("Account Executive",), MAKERS, ("Brands", "Marketing Group")),
    (("Strategic Analysis Manager", "Management Consultant"), ("Deloitte", "Accenture"), ("Consulting",)),
    (("Human Resources Generalist",), (), ()),
    (("Logistics Coordinator", "Operations Supervisor"), CARRIERS, ("Logistics",)),
    (("Registered Nurse",), ("Kaiser Permanente", "CVS Health"), ("Health Partners",)),
    (("Pharmacy Technician", "Medical Billing Specialist"), HEALTH, ("Health Partners",)),
    (("Front Desk Manager",), ("Marriott",), ("Hotels", "Suites", "Inns")),
    (("Executive Assistant",), (), ()),
)

STAGES_AHEAD = (
    "bring a photo ID",
    "hiring manager joins",
    "panel of three",
    "short call with the recruiter",
    "take-home task due first",
)

CANCELED_EARLY = (  # more than some days before
    "position put on hold",
    "interviewer left the company",
    "clash with current job",
    "asked for more time to prepare",
    "interviewer on vacation then",
    "class that morning",
)

LIMITS = {"basic": 1, "plus": 2, "premium": 3}  # unfinished applications at a time

LATE_FEES = {"basic": 2500, "plus": 1500, "premium": None}

TOO_MUCH = 2500  # who owes that much gets no new interview

NOTICE = 30  # days before a job starts at which its offer can be accepted still


def _when_due(due):
    return due[3]


def _plan(draw, number, person):
    """Draw what became of an application, and from when to when; None if the person had too many unfinished then."""
    joined = person["joined"]
    if joined > -100:
        status = draw.choices(LIVE, (25, 40, 35))[0]
    else:
        weights = (12, 19, 27, 14, 9, 9, 10)
        status = draw.choices(
            ("draft", "submitted", "under_review", "rejected", "accepted", "withdrawn", "archived"), weights
        )[0]
    if number < 2:
        status = ("accepted", "under_review")[number]
    first, last = FIRST_DAYS[status]
    added = draw.randrange(max(first, joined + 1), (-115 if number == 0 else last) + 1)
    closed = None if status in LIVE else min(added + draw.randrange(14, 50), -1)
    put_away = None if closed is None else min(closed + draw.randrange(15, 60), -1)
    span = (added, 0 if closed is None else put_away if status == "archived" else closed)
    spans = [*person["spans"], span]
    for start, _ in spans:
        if sum(1 for begun, done in spans if begun <= start <= done) > person["limit"]:
            return None
    job = _pick(draw, person, status)
    return None if job is None else {"job": job, "status": status, "closed": closed, "put_away": put_away, "span": span}


def _add_other_charge(world, person):
    """Add a charge for coaching or a review; one that keeps a person from new interviews is newer than all of them."""
    draw = world.random
    kind = draw.choice(("coaching_session", "coaching_session", "resume_review"))
    amount = draw.choice(FEES[kind])
    first, last = person["joined"] + 1, 0
    owes = person["owes"] and (not person["debt"] or draw.random() < 0.4)
    if owes:
        first = min(max([first, *[until + 1 for _, until in person["talks"]]]), 0)
        first = max(first, -14 if draw.random() < 0.4 else -80)
    else:
        first = max(first, -200)
        last = -1
    made = draw.randrange(first, last + 1)
    jobs = [job for job in person["jobs"] if job[2] < made]
    application_id = draw.choice(jobs)[3] if jobs and draw.random() < 0.6 else None
    _add_charge(world, person, application_id, kind, amount, made, owes)


INVARIANTS = {
    "An applicant has at most one draft or open application for the same job at the same company.": """
        SELECT a.application_id FROM job_application AS a JOIN job_application AS b ON b.applicant_id = a.applicant_id
        WHERE a.application_id > b.application_id AND a.job_title = b.job_title AND a.company_name = b.company_name
            AND a.status IN ('draft', 'submitted', 'under_review') AND b.status IN ('draft', 'submitted', 'under_review')
    """,
    "An applicant has no two scheduled interviews at the same moment.": """
        SELECT i.interview_id FROM interview_schedule AS i JOIN job_application AS a ON a.application_id = i.application_id
        JOIN job_application AS b ON b.applicant_id = a.applicant_id
        JOIN interview_schedule AS j ON j.application_id = b.application_id AND j.interview_date = i.interview_date
        WHERE i.interview_id > j.interview_id AND i.status = 'scheduled' AND j.status = 'scheduled'
    """,
    "A draft has no stage, no interview, and no offer.": """
        SELECT application_id FROM job_application AS a WHERE status = 'draft' AND (
            EXISTS (SELECT 1 FROM application_stage AS s WHERE s.application_id = a.application_id)
            OR EXISTS (SELECT 1 FROM interview_schedule AS i WHERE i.application_id = a.application_id)
            OR EXISTS (SELECT 1 FROM job_offer AS o WHERE o.application_id = a.application_id))
    """,
    "Feedback is about an interview that took place, and is not older than the interview.": """
        SELECT f.feedback_id FROM interview_feedback AS f JOIN interview_schedule AS i ON i.interview_id = f.interview_id
        WHERE i.status <> 'scheduled' OR f.created_at < i.interview_date
    """,
    "A charge for an application is owed by the applicant of that application.": """
        SELECT c.charge_id FROM charge AS c JOIN job_application AS a ON a.application_id = c.application_id
        WHERE c.applicant_id <> a.applicant_id
    """,
    "An application is added after its applicant registered, and filed no earlier than added.": """
        SELECT a.application_id FROM job_application AS a JOIN applicant AS p ON p.applicant_id = a.applicant_id
        WHERE a.created_at < p.created_at OR a.application_date < a.created_at
    """,
    "No stage of an application is dated before it was filed.": """
        SELECT s.stage_id FROM application_stage AS s JOIN job_application AS a ON a.application_id = s.application_id
        WHERE s.stage_date < a.application_date
    """,
}
GIVEN = (
    "Denise",
    "Miguel",
    "Priya",
    "Kevin",
    "Aaliyah",
    "Tom",
    "Maria",
    "Grace",
    "Daniel",
    "Hannah",
    "Marcus",
    "Elena",
    "Brian",
    "Keisha",
    "Victor",
    "Laura",
    "Samir",
    "Julia",
    "Andre",
    "Megan",
    "Carlos",
    "Naomi",
    "Peter",
    "Yolanda",
    "Ethan",
    "Fatima",
    "Gregory",
    "Isabel",
    "Jamal",
    "Karen",
    "Luis",
    "Monica",
    "Nathan",
    "Olivia",
    "Patrick",
    "Rachel",
    "Sean",
    "Tamara",
    "Vincent",
    "Wendy",
    "Xavier",
    "Teresa",
    "Derek",
    "Allison",
)
FAMILY = (
    "Walker",
    "Ortega",
    "Raman",
    "Tran",
    "Brooks",
    "Kowalski",
    "Delgado",
    "Holloway",
    "Cho",
    "Bennett",
    "Jackson",
    "Petrov",
    "Sullivan",
    "Washington",
    "Nguyen",
    "Fischer",
    "Patel",
    "Reyes",
    "Coleman",
    "Larson",
    "Mendoza",
    "Goldberg",
    "Hughes",
    "Castillo",
    "Murphy",
    "Haddad",
    "Thornton",
    "Vargas",
    "Freeman",
    "Olson",
    "Ramirez",
    "Russo",
    "Whitaker",
    "Kim",
    "O'Brien",
    "Schultz",
    "Gallagher",
    "Boyd",
    "Moreno",
    "Lindgren",
    "Barnes",
    "Ferrari",
    "Hayes",
    "Yamamoto",
)
STREETS = (
    "Maple Ave",
    "Oak St",
    "Cedar Ln",
    "5th St",
    "Main St",
    "Market St",
    "Commerce Dr",
    "Park Ave",
    "Lake St",
    "Madison St",
    "Louisiana St",
    "Congress Ave",
    "Broad St",
    "Walnut St",
    "Peachtree St",
    "Elm St",
    "Harbor Blvd",
    "Pine St",
    "Innovation Way",
    "Franklin Blvd",
)
PLACES = (
    ("Columbus", (614, 380)),
    ("Austin", (512, 737)),
    ("Houston", (713, 832)),
    ("Chicago", (312, 773)),
    ("Denver", (303, 720)),
    ("New York", (212, 646)),
    ("Atlanta", (404, 678)),
    ("Cincinnati", (513, 283)),
    ("Dallas", (214, 469)),
    ("Seattle", (206, 425)),
    ("Boston", (617, 857)),
    ("Phoenix", (602, 480)),
    ("San Jose", (408, 669)),
    ("Charlotte", (704, 980)),
)
EMPLOYERS = {  # by field: employers with their offices, and what a small firm of the field calls itself
    "energy": (
        (
            ("PetroChina Group", ("Houston", "New York", "Dallas")),
            ("CNOOC", ("Houston", "Denver", "Austin")),
            ("Envision Energy", ("Denver", "Houston", "Boston", "Austin")),
            ("State Grid Corporation of China", ("New York", "Chicago")),
            ("ExxonMobil", ("Houston", "Dallas")),
            ("NextEra Energy", ("Houston", "Atlanta", "Phoenix")),
            ("Duke Energy", ("Charlotte", "Cincinnati")),
            ("Xcel Energy", ("Denver", "Austin")),
            ("ConocoPhillips", ("Houston", "Dallas")),
        ),
        ("Power Advisors", "Resources", "Renewables", "Grid Services"),
    ),
    "finance": (
        (
            ("CITIC Securities", ("New York", "Chicago", "Boston")),
            ("JPMorgan Chase", ("New York", "Columbus", "Dallas", "Phoenix")),
            ("Bank of America", ("Charlotte", "New York", "Boston", "Atlanta")),
            ("Fidelity Investments", ("Boston", "Dallas", "Denver")),
            ("Fifth Third Bank", ("Cincinnati", "Columbus", "Chicago")),
            ("Truist", ("Charlotte", "Atlanta")),
            ("Charles Schwab", ("Austin", "Denver", "Phoenix")),
            ("Nationwide", ("Columbus", "Phoenix")),
        ),
        ("Capital", "Wealth Partners", "Accounting Group", "Tax Services"),
    ),
    "technology": (
        (
            ("Tencent Technology", ("San Jose", "Seattle", "New York")),
            ("Microsoft", ("Seattle", "Atlanta", "Boston", "Charlotte")),
            ("Amazon", ("Seattle", "Austin", "New York", "Columbus")),
            ("Oracle", ("Austin", "Seattle", "Denver")),
            ("Cisco", ("San Jose", "Boston", "Dallas")),
            ("IBM", ("Austin", "New York", "Dallas", "Atlanta")),
            ("Dell Technologies", ("Austin", "Chicago")),
            ("Salesforce", ("Chicago", "Atlanta", "Seattle")),
        ),
        ("Software", "Analytics", "Cloud Solutions", "Data Labs"),
    ),
    "consumer": (
        (
            ("Procter & Gamble", ("Cincinnati", "Boston", "New York", "Chicago")),
            ("Kroger", ("Cincinnati", "Columbus", "Denver", "Atlanta")),
            ("Coca-Cola", ("Atlanta", "Dallas", "Houston")),
            ("Home Depot", ("Atlanta", "Austin", "Phoenix")),
            ("Kraft Heinz", ("Chicago", "Columbus")),
            ("Nike", ("New York", "Seattle", "Boston")),
            ("Starbucks", ("Seattle", "Denver", "Chicago")),
            ("Target", ("Chicago", "Dallas", "San Jose")),
        ),
        ("Brands", "Marketing Group", "Retail Consulting", "Research"),
    ),
    "services": (
        (
            ("Deloitte", ("New York", "Chicago", "Dallas", "Atlanta")),
            ("Accenture", ("Chicago", "Houston", "Boston", "Seattle")),
            ("FedEx", ("Dallas", "Columbus", "Phoenix")),
            ("UPS", ("Atlanta", "Chicago", "Denver")),
            ("Kaiser Permanente", ("Denver", "Atlanta", "San Jose")),
            ("Cardinal Health", ("Columbus", "Houston", "Phoenix")),
            ("Marriott", ("Boston", "Denver", "Charlotte")),
            ("CVS Health", ("Boston", "Phoenix", "Dallas")),
        ),
        ("Consulting", "Logistics", "Staffing", "Health Partners"),
    ),
}
JOBS = (  # title, field, yearly pay in thousands, levels, teams
    (
        "Energy Analyst",
        "energy",
        72,
        92,
        ("", "Senior", "Junior", "Lead"),
        ("Renewables", "Power Trading", "Natural Gas"),
    ),
    ("Energy Market Analyst", "energy", 75, 96, ("", "Senior"), ("Electricity", "Carbon", "Storage")),
    ("New Energy Strategic Analyst", "energy", 82, 104, ("", "Senior"), ("Hydrogen", "Solar", "Wind")),
    (
        "Energy Investment Consultant",
        "energy",
        95,
        125,
        ("", "Senior", "Associate"),
        ("Infrastructure", "Mergers", "Utilities"),
    ),
    ("Petroleum Engineer", "energy", 98, 128, ("", "Senior", "Junior"), ("Drilling", "Reservoirs", "Completions")),
    ("Grid Operations Planner", "energy", 78, 99, ("", "Senior", "Lead"), ("Transmission", "Distribution", "Dispatch")),
    (
        "Solar Project Manager",
        "energy",
        88,
        112,
        ("", "Senior", "Associate"),
        ("Residential", "Commercial", "Permitting"),
    ),
    ("Environmental Compliance Specialist", "energy", 64, 82, ("", "Senior"), ("Air Quality", "Water", "Pipelines")),
    (
        "Financial Analyst",
        "finance",
        70,
        90,
        ("", "Senior", "Junior"),
        ("Treasury", "Corporate Planning", "Real Estate"),
    ),
    ("Investment Associate", "finance", 92, 118, ("", "Senior"), ("Private Equity", "Fixed Income", "Municipal Bonds")),
    ("Staff Accountant", "finance", 58, 72, ("", "Senior"), ("Payables", "Fixed Assets", "Month-End Close")),
    ("Credit Risk Analyst", "finance", 74, 96, ("", "Senior", "Lead"), ("Mortgages", "Small Business", "Cards")),
    ("Loan Officer", "finance", 54, 78, ("", "Senior", "Assistant"), ("Commercial", "Home Equity", "Auto")),
    ("Compliance Officer", "finance", 78, 102, ("", "Senior", "Associate"), ("Sanctions", "Privacy", "Broker-Dealer")),
    ("Actuarial Analyst", "finance", 72, 94, ("", "Senior"), ("Annuities", "Auto", "Catastrophe")),
    ("Tax Accountant", "finance", 64, 86, ("", "Senior", "Junior"), ("Partnerships", "Multistate", "Individuals")),
    (
        "Data Analyst",
        "technology",
        68,
        88,
        ("", "Senior", "Junior", "Lead"),
        ("Growth", "Customer Insights", "Payments"),
    ),
    ("Software Engineer", "technology", 105, 140, ("", "Senior", "Junior", "Staff"), ("Platform", "Mobile", "Search")),
    ("Data Engineer", "technology", 102, 134, ("", "Senior", "Lead"), ("Streaming", "Warehouse", "Billing")),
    ("Product Manager", "technology", 112, 145, ("", "Senior", "Associate"), ("Checkout", "Developer Tools", "Games")),
    ("UX Designer", "technology", 84, 112, ("", "Senior", "Lead"), ("Accessibility", "Onboarding", "Design Systems")),
    ("Quality Assurance Tester", "technology", 62, 80, ("", "Senior"), ("Automation", "Devices", "Releases")),
    ("Security Analyst", "technology", 86, 114, ("", "Senior", "Lead"), ("Incident Response", "Identity", "Audits")),
    ("Machine Learning Engineer", "technology", 125, 165, ("", "Senior", "Staff"), ("Ranking", "Vision", "Speech")),
    (
        "Technical Support Specialist",
        "technology",
        48,
        62,
        ("", "Senior", "Lead"),
        ("Enterprise", "Weekends", "Hardware"),
    ),
    ("Market Research Analyst", "consumer", 60, 78, ("", "Senior", "Junior"), ("Surveys", "Pricing", "Baby Care")),
    ("Brand Manager", "consumer", 92, 120, ("", "Senior", "Assistant"), ("Laundry", "Beverages", "Oral Care")),
    ("Store Manager", "consumer", 58, 76, ("", "Assistant"), ("Overnight", "Flagship", "Garden Center")),
    ("Digital Marketing Specialist", "consumer", 58, 76, ("", "Senior"), ("Email", "Paid Social", "Loyalty")),
    ("Supply Planner", "consumer", 66, 86, ("", "Senior"), ("Frozen Foods", "Packaging", "Imports")),
    ("Consumer Insights Manager", "consumer", 98, 124, ("", "Senior", "Associate"), ("Snacks", "Beauty", "E-Commerce")),
    ("Account Executive", "consumer", 62, 90, ("", "Senior", "Regional"), ("Grocery", "Convenience", "Club Stores")),
    (
        "Strategic Analysis Manager",
        "services",
        104,
        134,
        ("", "Senior", "Associate"),
        ("Health Care", "Transportation", "Public Sector"),
    ),
    (
        "Management Consultant",
        "services",
        98,
        130,
        ("", "Senior", "Associate"),
        ("Operations", "Pricing", "Turnarounds"),
    ),
    ("Human Resources Generalist", "services", 56, 72, ("", "Senior"), ("Benefits", "Hiring", "Field Offices")),
    ("Logistics Coordinator", "services", 48, 62, ("", "Senior"), ("Inbound", "Air Freight", "Returns")),
    ("Operations Supervisor", "services", 60, 78, ("", "Senior"), ("Night Sort", "Warehouse", "Fleet")),
    ("Registered Nurse", "services", 74, 96, ("", "Lead"), ("Cardiology", "Pediatrics", "Home Care")),
    ("Pharmacy Technician", "services", 38, 48, ("", "Senior", "Lead"), ("Hospital", "Mail Order", "Evenings")),
    ("Front Desk Manager", "services", 46, 60, ("", "Assistant"), ("Downtown", "Resort", "Conference Center")),
    ("Executive Assistant", "services", 58, 76, ("", "Senior"), ("Legal", "Board Office", "Sales")),
    ("Medical Billing Specialist", "services", 42, 54, ("", "Senior", "Lead"), ("Claims", "Outpatient", "Appeals")),
)
PAY = {
    "": 1.0,
    "Junior": 0.84,
    "Associate": 0.88,
    "Assistant": 0.78,
    "Senior": 1.24,
    "Lead": 1.32,
    "Staff": 1.42,
    "Regional": 1.18,
}
SCHOOLS = (
    "Ohio State",
    "UT Austin",
    "Rice",
    "Purdue",
    "Georgia Tech",
    "Arizona State",
    "Boston College",
    "UNC Charlotte",
)
SKILLS = (
    "Excel",
    "SQL",
    "budgeting",
    "public speaking",
    "Power BI",
    "scheduling",
    "Python",
    "contract review",
    "coaching new hires",
    "Tableau",
)
LETTERS = (
    "Your team's work is what I want to do next",
    "I can start within three weeks",
    "I know the product as a customer",
    "My last project was close to what you describe",
    "I would gladly move for this job",
    "A former colleague speaks highly of you",
)
SOURCES = (
    "LinkedIn",
    "Indeed",
    "employee referral",
    "Glassdoor",
    "company website",
    "career fair",
    "Handshake",
    "recruiter",
)
URGENT = (
    "dream company",
    "closest match to my experience",
    "unemployment benefits end soon",
    "pays enough to quit the second job",
    "fully remote",
    "friend works on the team",
    "ten minutes from home",
    "health insurance from day one",
)
CASUAL = (
    "backup plan",
    "long commute",
    "pay is on the low side",
    "mostly for interview practice",
    "only if nothing else works out",
)
NOTES = {
    "follow_up": (
        "Call {who} if there is no answer by next week.",
        "{who} in recruiting promised an answer soon.",
        "Thank-you email sent to {who}.",
        "Ask {firm} whether the start date can move.",
        "{who} wants two more references.",
        "Left a voicemail for {who}.",
    ),
    "reminder": (
        "Bring a printed portfolio for {who}.",
        "Read the latest annual report of {firm}.",
        "Send {who} the signed consent form.",
        "Check the commute to {firm} at rush hour.",
        "Prepare two questions for {who}.",
    ),
    "general": (
        "{firm} pays for moving costs.",
        "{who} used to work there and likes it.",
        "Heard that {firm} is hiring several people.",
        "Prefers email to phone calls, told {who} so.",
        "Salary range was mentioned by {who}.",
        "{who} helped with the resume.",
    ),
}
STAGE_NOTES = (
    "went smoothly",
    "they want a second talk",
    "short call with the recruiter",
    "panel of three",
    "take-home task due first",
    "ran over by twenty minutes",
    "will hear back in a week",
    "bring a photo ID",
    "hiring manager joins",
)
CANCELED = (
    "interviewer is ill",
    "family emergency",
    "car broke down",
    "position put on hold",
    "came down with the flu",
    "child's school closed",
    "interviewer left the company",
    "flight delayed",
    "clash with current job",
    "snowstorm",
    "asked for more time to prepare",
)
WAIVED = (
    "first review is free",
    "interviewer canceled, not the applicant",
    "hospital stay",
    "charged twice by mistake",
    "long-time member",
    "session ended early",
    "power outage that morning",
    "goodwill after a complaint",
)
PRAISE = {  # what was said by rating, in two halves
    "high": (
        (
            "Clear answers throughout",
            "Strong grasp of the numbers",
            "Very well prepared",
            "Great rapport with the panel",
            "Solved the case quickly",
            "Honest about past mistakes",
        ),
        (
            "would hire right away",
            "asked thoughtful questions",
            "examples were spot on",
            "could be a bit more concise",
            "fits the team well",
            "only the closing was rushed",
        ),
    ),
    "middle": (
        (
            "Decent overall",
            "Knew the basics",
            "Good start, weaker ending",
            "Friendly but nervous",
            "Some answers were vague",
            "Right idea, slow to get there",
        ),
        (
            "needs more concrete examples",
            "should research the company more",
            "a second interview would help",
            "math was shaky",
            "spoke too fast",
            "little to say about teamwork",
        ),
    ),
    "low": (
        (
            "Arrived late",
            "Seemed unprepared",
            "Could not explain the resume",
            "Struggled with the technical part",
            "Talked over the interviewer",
            "Gave one-word answers",
        ),
        (
            "not a match for now",
            "should practice with a coach",
            "had no questions at the end",
            "lost the thread several times",
            "skipped the main task",
            "blamed a former boss",
        ),
    ),
}
STEPS = {
    "technology": ("phone_screening", "technical_interview", "system_design", "final_interview", "reference_check"),
    "energy": ("phone_screening", "technical_interview", "behavioral_interview", "final_interview", "reference_check"),
    "finance": ("phone_screening", "technical_interview", "behavioral_interview", "final_interview", "reference_check"),
    "consumer": ("phone_screening", "behavioral_interview", "final_interview", "reference_check"),
    "services": ("phone_screening", "behavioral_interview", "final_interview", "reference_check"),
}
LIVE = ("draft", "submitted", "under_review")
FEES = {
    "coaching_session": (6000, 7500, 9000, 12000),
    "resume_review": (1200, 1800, 3500, 4500, 5900),
    "missed_interview": (2500, 3500, 4000),
}
FIRST_DAYS = {  # open days back from today between which an application of the status was added
    "draft": (-18, 0),
    "submitted": (-45, -4),
    "under_review": (-60, -9),
    "rejected": (-190, -26),
    "accepted": (-190, -26),
    "withdrawn": (-190, -26),
    "archived": (-400, -115),
}


def populate(world: WorldBuilder) -> None:
    """A ninth of the rows are applicants, a fifth applications; the rest hangs on those (some four rows an application)."""
    people, pool = [], []
    for number in range(world.share(0.115, least=4)):
        people.append(_add_applicant(world, number, people))
    for number, person in enumerate(people):
        weight = 2 if number == 0 else world.random.choices((0, 1, 2, 4, 8), (14, 36, 28, 16, 6))[0]
        pool.extend([person] * (weight + (person["limit"] - 1 if weight else 0)))
    for number in range(world.share(0.19, least=4)):
        _add_application(world, number, people, pool)
    for person in people:
        for application_id, kind, amount, made in sorted(person["dues"], key=_when_due):
            owes = person["owes"] and world.random.random() < 0.6
            _add_charge(world, person, application_id, kind, amount, made, owes)
    owing = [person for person in people if person["owes"]]
    for number in range(world.share(0.08, least=3)):
        _add_other_charge(world, owing[number] if number < len(owing) else world.random.choice(pool))


def _day(step):
    """Turn open days from today, a Friday, into days from today."""
    return 7 * ((step + 4) // 5) + (step + 4) % 5 - 4


def _at(world, step):
    """Draw a moment within opening hours; today, before now."""
    minute = world.random.randrange(510, 570 if step == 0 else 1078, 4)
    return world.moment(_day(step), f"{minute // 60:02d}:{minute % 60:02d}")


def _name(draw):
    return f"{draw.choice(GIVEN)} {draw.choice(FAMILY)}"


def _maybe(draw, chance, value):
    return value if draw.random() < chance else None


def _add_applicant(world, number, people):
    draw = world.random
    name = draw.choice(people)["row"]["full_name"] if number % 4 == 3 else _name(draw)  # every fourth is a namesake
    areas = PLACES[number % len(PLACES)][1]
    area = areas[number // (100 * len(PLACES)) % len(areas)]
    joined = draw.randrange(-60, -21) if number > 1 and draw.random() < 0.18 else draw.randrange(-520, -135)
    handle = name.replace("'", "").replace(" ", ".").lower()
    tier = draw.choices(("basic", "plus", "premium"), (36, 34, 30))[0]
    age = draw.randrange(7700, 22500)  # in days
    row = world.insert(
        "applicant",
        full_name=name,
        email=f"{handle}{number}@example.{draw.choice(('com', 'com', 'org', 'net'))}",
        phone=None if number % 11 == 6 else f"({area}) 555-01{number // len(PLACES) % 100:02d}",
        date_of_birth=add_days(world.today, -age),
        membership_tier=tier,
        created_at=_at(world, joined),
    )
    return {
        "row": row,
        "joined": joined,
        "line": draw.choice(LINES),
        "school": draw.choice(SCHOOLS),
        "years": min(draw.randrange(2, 22), max(age // 365 - 21, 1)),
        "limit": LIMITS[tier],
        "late_fee": LATE_FEES[tier],
        "owes": number == 1 or (number > 1 and draw.random() < 0.38),
        "live": set(),
        "jobs": [],
        "spans": [],  # first and last open day of each application as an unfinished one
        "talks": [],  # of each interview: the open day when it was scheduled, and the one until which it was ahead
        "dues": [],  # fees for late changes and missed interviews
        "debt": 0,  # unpaid cents
        "meetings": 0,
    }


def _draw_job(draw, line):
    """Draw a job of a line of work with its employer and pay."""
    titles, named, firms = line
    wanted = draw.choice(titles)
    title, field, low, high, levels, teams = [job for job in JOBS if job[0] == wanted][0]
    level = draw.choice(levels)
    full = f"{level} {title}".strip()
    if draw.random() < 0.5:
        full = f"{full}, {draw.choice(teams)}"
    employers, suffixes = EMPLOYERS[field]
    if draw.random() < (0.5 if len(named) == 1 else 0.2):
        company = f"{draw.choice(FAMILY)} {draw.choice(firms or suffixes)}"
    else:
        known = [each for places in EMPLOYERS.values() for each in places[0] if each[0] in named]
        company, offices = draw.choice(known or employers)
        if draw.random() < 0.5:
            company = f"{company}, {draw.choice(offices)}"
    return {
        "title": full,
        "base": title,
        "field": field,
        "company": company,
        "low": round(low * PAY[level]),
        "high": round(high * PAY[level]),
    }


def _pick(draw, person, status):
    """Find a job that the person may have an application of that status for; now and then one of an earlier application."""
    for attempt in range(12):
        job = (
            draw.choice(person["jobs"])[0]
            if person["jobs"] and attempt == 0 and draw.random() < 0.18
            else _draw_job(draw, person["line"])
        )
        if status not in LIVE or (job["title"], job["company"]) not in person["live"]:
            return job
    return None


def _add_application(world, number, people, pool):
    draw = world.random
    person, plan = people[0], None
    for _ in range(25):
        if plan is None:
            person = people[0] if number < 2 else draw.choice(pool)
            plan = _plan(draw, number, person)
    if plan is None:
        return
    job, status, closed, owner = plan["job"], plan["status"], plan["closed"], person["row"]
    added = plan["span"][0]
    person["spans"].append(plan["span"])
    if status in LIVE:
        person["live"].add((job["title"], job["company"]))
    minute = draw.randrange(485, 560) if added == 0 else draw.randrange(430, 1290)
    created_at = world.moment(_day(added), f"{minute // 60:02d}:{minute % 60:02d}")
    resume_at = add_minutes(created_at, draw.randrange(6, 1100 if added < -2 else 60))
    letter_at = add_minutes(resume_at, draw.randrange(4, 240 if added < -2 else 60))
    filed_at = created_at if status == "draft" else add_minutes(resume_at, draw.randrange(250, 1300))
    if added == 0 or (status == "draft" and draw.random() < 0.45):
        resume_at = None
    if added == 0 or draw.random() < (0.65 if status == "draft" else 0.4):
        letter_at = None
    before = {"draft": None, "submitted": "draft", "under_review": "submitted"}.get(status)
    outcome = status
    if status == "archived":
        outcome = draw.choices(("rejected", "withdrawn", "accepted"), (50, 30, 20))[0]
        before = None if draw.random() < 0.07 else outcome
    elif closed is not None:
        before = "under_review" if status == "accepted" or draw.random() < 0.7 else "submitted"
        before = "archived" if number > 1 and plan["put_away"] > closed and draw.random() < 0.08 else before
    closed_at = None if closed is None else _at(world, closed)
    changed_at = filed_at if status == "submitted" else closed_at
    if status == "draft":
        changed_at = letter_at or resume_at
    elif status == "under_review":
        changed_at = _at(world, draw.randrange(added + 5, 0))
    elif "archived" in (status, before):
        changed_at = _at(world, plan["put_away"])
    deadline = _deadline(world, added, closed)
    years = max(person["years"] + added // 261, 1)  # open days a year
    counted = f"{years} years" if years > 1 else "1 year"
    floor = _maybe(draw, 0.8, draw.randrange(job["low"], job["high"]) * 1000)
    ceiling = None if floor is None else _maybe(draw, 0.78, floor + draw.randrange(3, 16) * 1000)
    level = None  # ranked only once the greatest salary is recorded
    if ceiling is not None:
        level = draw.choices((None, 1, 2, 3, 4, 5), (16, 12, 17, 22, 20, 13))[0]
    reasons = URGENT if level is not None and level > 2 else CASUAL
    source = _maybe(draw, 0.8, draw.choice(SOURCES))
    row = world.insert(
        "job_application",
        applicant_id=owner["applicant_id"],
        applicant_name=owner["full_name"],
        email=owner["email"] if draw.random() < 0.95 else owner["email"].replace("@example", ".old@example"),
        phone=owner["phone"] if draw.random() < 0.96 else None,
        job_title=job["title"],
        company_name=job["company"],
        application_date=filed_at,
        status=status,
        previous_status=before,
        resume_content=None
        if resume_at is None
        else (f"{counted} as {job['base']}. {person['school']} graduate. Skills: {', '.join(draw.sample(SKILLS, 3))}."),
        resume_format=None if resume_at is None else draw.choice(("pdf", "pdf", "docx", "txt")),
        resume_uploaded_at=resume_at,
        cover_letter_content=None
        if letter_at is None
        else (f"I would like to work for {job['company']} as {job['title']}. {draw.choice(LETTERS)}."),
        cover_letter_uploaded_at=letter_at,
        deadline_date=deadline,
        deadline_type=None
        if deadline is None
        else draw.choice(("follow_up", "follow_up", "response", "assessment", "document_submission")),
        referral_source=source,
        referral_person=_name(draw)
        if source in ("employee referral", "recruiter") or (source == "LinkedIn" and level == 5)
        else None,
        priority_level=level,
        priority_reason=None if level is None else _maybe(draw, 0.6, draw.choice(reasons)),
        expected_salary_min=floor,
        expected_salary_max=ceiling,
        salary_currency="USD",
        created_at=created_at,
        updated_at=changed_at,
    )
    person["jobs"].append((job, status, added, row["application_id"]))
    for count in range(1 if number == 0 else draw.choices((0, 1, 2, 4), (62, 24, 10, 4))[0]):
        kind = draw.choice(("follow_up", "follow_up", "reminder", "general"))
        text = draw.choice(NOTES[kind]).format(who=_name(draw), firm=job["company"])
        written = draw.randrange(added + 1, (closed or 0) + 1) if added < 0 else 0
        world.insert(
            "application_note",
            application_id=row["application_id"],
            note_content=text,
            note_type=_maybe(draw, 0.8, kind),
            created_at=_at(world, written) if added < 0 else world.now,
        )
    if status != "draft":
        _add_steps(world, number, person, row, STEPS[job["field"]], added, closed, outcome, closed_at)
        _add_offer(world, number, row, job, added, closed, outcome, closed_at)


def _deadline(world, added, closed):
    draw = world.random
    clock = draw.choice(("17:00", "12:00", "23:59"))
    if closed is not None:
        return _maybe(draw, 0.25, world.moment(_day(draw.randrange(added + 3, closed + 4)), clock))
    if added < -4 and draw.random() < 0.2:  # overdue
        return world.moment(_day(draw.randrange(max(added + 3, -10), 0)), clock)
    return _maybe(draw, 0.6, world.moment(_day(draw.randrange(1, 30)), clock))


def _add_steps(world, number, person, row, steps, added, closed, outcome, closed_at):
    """Add the stages of a filed application, and their interviews; who owes money has none ahead."""
    draw = world.random
    start, end = added + 4, (closed or 0) - 1
    reviewed = row["status"] == "under_review" or (
        closed is not None and (outcome == "accepted" or draw.random() < 0.7)
    )
    days = []
    if reviewed:
        days = sorted(draw.sample(list(range(start, end + 1)), min(draw.choice((1, 1, 2, 3)), end - start + 1)))
    for place, day in enumerate(days):
        forced = number == 0 and place == 0
        held = steps[place] != "reference_check" and (forced or draw.random() < 0.72)
        moment = _add_interview(world, person, row, steps[place], day, added, forced) if held else _at(world, day)
        _add_stage(world, row, steps[place], moment)
    if closed is None and draw.random() < (0.95 if days else 0.7):
        kind, day = steps[len(days)], draw.choice((0, 0, 1, 1, 2, 3, 4, 5, 6, 8, 11, 15))
        held = kind != "reference_check" and not person["owes"]
        moment = _add_interview(world, person, row, kind, day, added, False) if held else _at(world, max(day, 1))
        if days and (not held or draw.random() < 0.5):
            _add_stage(world, row, kind, moment)
    elif person["owes"]:
        return
    elif closed is not None and closed > -8 and outcome == row["status"] == "rejected" and draw.random() < 0.5:
        _add_interview(world, person, row, "final_interview", draw.randrange(1, 9), added, False)  # nobody canceled it
    elif closed is not None and outcome in ("accepted", "withdrawn") and draw.random() < 0.25:
        _add_interview(
            world, person, row, "final_interview", closed + draw.randrange(1, 8), added, False, closed, closed_at
        )


def _add_stage(world, row, name, moment):
    notes = STAGES_AHEAD if moment > world.now else STAGE_NOTES
    world.insert(
        "application_stage",
        application_id=row["application_id"],
        stage_name=name,
        stage_date=moment,
        stage_notes=_maybe(world.random, 0.55, world.random.choice(notes)),
    )


def _add_interview(world, person, row, kind, day, added, forced, closed=None, closed_at=None):
    """Add an interview in the person's next free slot of the day; return when it starts."""
    draw, slot = world.random, person["meetings"]
    person["meetings"] = slot + 1
    minute = 510 + 15 * (slot * 7 % 36) + 5 * (slot // 36 % 3)
    if day == 0 and minute < 580:
        day = 1
    moment = world.moment(_day(day), f"{minute // 60:02d}:{minute % 60:02d}")
    level = row["priority_level"]
    keeps = 0 if level is not None and level > 2 else 24  # interviews of what matters are not canceled
    states, weights = (
        (("scheduled", "canceled"), (100, keeps))
        if day >= 0
        else (("scheduled", "canceled", "missed"), (84, keeps, 16))
    )
    status = "canceled" if closed is not None else draw.choices(states, weights)[0]
    status = "scheduled" if forced else status
    until = min(day, 0) if closed is None else closed  # it was still ahead on the days before
    booked = draw.randrange(max(added + 2, until - 7), until)
    canceled, canceled_at = closed, closed_at
    if status == "canceled" and closed is None:
        canceled = draw.randrange(booked + 1, min(day, 1)) if booked + 1 < min(day, 1) else booked
        canceled_at = _at(world, canceled)
    person["talks"].append((booked, day if canceled is None else canceled))
    length = _maybe(draw, 0.85, draw.choice((20, 30) if kind == "phone_screening" else (45, 45, 60, 90)))
    moved = int((length is None or length < 60) and not forced and draw.random() < 0.36)
    place = f"{draw.randrange(100, 2900)} {draw.choice(STREETS)}, {draw.choice(PLACES)[0]}"
    interview = world.insert(
        "interview_schedule",
        application_id=row["application_id"],
        interview_type=kind,
        interview_date=moment,
        interviewer_name=_maybe(draw, 0.75, _name(draw)),
        interview_location=_maybe(draw, 0.8, draw.choice(("Zoom", "Microsoft Teams", "phone", place, place, place))),
        interview_duration_minutes=length,
        status=status,
        reschedule_count=moved,
        canceled_at=canceled_at,
        cancel_reason=None
        if status != "canceled"
        else "Application closed"
        if closed is not None
        else draw.choice(CANCELED_EARLY if day - canceled > 3 else CANCELED),
    )
    if day < 0 and status == "scheduled":
        for count in range(1 if forced else draw.choices((0, 1, 2), (45, 45, 10))[0]):
            rating = draw.choices((None, 1, 2, 3, 4, 5), (18, 6, 12, 24, 26, 14))[0]
            opening, ending = PRAISE["middle" if rating in (None, 3) else "high" if rating > 3 else "low"]
            world.insert(
                "interview_feedback",
                interview_id=interview["interview_id"],
                performance_rating=rating,
                feedback_content=f"{draw.choice(opening)}; {draw.choice(ending)}{draw.choice(('.', f', says {draw.choice(GIVEN)}.'))}",
                created_at=_at(world, min(day + draw.randrange(1, 5), 0)),
            )
    if moved and person["late_fee"] is not None and draw.random() < 0.6:  # moved at short notice
        made = min(booked + 1, (until if canceled is None else canceled) - 1)
        person["dues"].append((row["application_id"], "late_change", person["late_fee"], max(made, booked)))
    if status == "missed" and draw.random() < 0.6:
        person["dues"].append(
            (row["application_id"], "missed_interview", draw.choice(FEES["missed_interview"]), day + 1)
        )
    return moment


def _add_offer(world, number, row, job, added, closed, outcome, closed_at):
    draw = world.random
    chance = {"accepted": 1.0, "withdrawn": 0.4, "under_review": 0.3, "rejected": 0.04}.get(outcome, 0.0)
    if not (number == 1 or draw.random() < chance):
        return
    answered = outcome in ("accepted", "withdrawn")
    latest = (closed or 0) - 1
    made = draw.randrange(max(added + 4, latest - 7), latest + 1)
    until = _day(closed) + draw.randrange(0, 8) if answered else _day(made) + draw.randrange(3, 12)
    if outcome == "under_review":
        until = draw.randrange(max(_day(made), -4), 12)
    starts = until + draw.randrange(7, 45)
    if outcome == "accepted":
        starts = max(until + 1, _day(closed) + NOTICE + draw.randrange(0, 40))
    world.insert(
        "job_offer",
        application_id=row["application_id"],
        offered_salary=draw.randrange(job["low"] * 2, job["high"] * 2 + 6) * 500,
        start_date=world.day(starts),
        respond_by=world.day(until),
        status={"accepted": "accepted", "withdrawn": "declined"}.get(outcome, "pending"),
        created_at=_at(world, made),
        responded_at=closed_at if answered else None,
    )


def _add_charge(world, person, application_id, kind, amount, made, owes):
    """Add a charge that is settled before the person's next interview is scheduled, unless it is a small one."""
    draw = world.random
    ahead = [booked if booked >= made else until for booked, until in person["talks"] if until >= made]
    last = min([0, *[day - 1 for day in ahead]])
    status = draw.choices(("paid", "waived"), (70, 30))[0]
    if owes and not ahead:
        status = "unpaid"
    elif not person["owes"] and person["debt"] + amount < TOO_MUCH and draw.random() < 0.5:
        status = "unpaid"
    if status == "unpaid":
        person["debt"] += amount
    created_at = _at(world, made)
    settled_at = None
    if status != "unpaid":
        settled_at = add_minutes(created_at, draw.randrange(1, 4))
        if made < last:
            settled_at = _at(world, draw.randrange(made + 1, min(made + 14, last) + 1))
    world.insert(
        "charge",
        applicant_id=person["row"]["applicant_id"],
        application_id=application_id,
        kind=kind,
        amount_cents=amount,
        status=status,
        created_at=created_at,
        settled_at=settled_at,
        payment_method=draw.choice(("card", "card", "check", "cash")) if status == "paid" else None,
        waive_reason=draw.choice(WAIVED) if status == "waived" else None,
    )
