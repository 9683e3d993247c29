"""Fill a job application office: applicants, their applications, and the notes, stages, interviews and feedback on these."""

from runtime import WorldBuilder, add_days, add_minutes, days_between, weekday

LEVELS = ("Senior", "Senior", "New", "Junior", "Lead", "Principal", "Associate", "Regional", "Assistant", "Chief")
LIVE = ("draft", "submitted", "under_review")
SALARIES = {"USD": 55, "EUR": 45, "GBP": 38, "CNY": 180, "HKD": 320, "SGD": 60}
SOURCES = ("LinkedIn", "LinkedIn", "Indeed", "company website", "recruiter", "employee referral", "employee referral")


def _time(world: WorldBuilder, ago: int) -> str:
    """A moment of a past day, at any hour between 8 and 21."""
    return world.moment(-ago, f"{world.random.randrange(8, 21):02}:{world.random.randrange(0, 60):02}")


def _open_day(date: str) -> str:
    """The day itself, or the Monday after a weekend."""
    return add_days(date, {"Saturday": 2, "Sunday": 1}.get(weekday(date), 0))


def _person(world: WorldBuilder) -> tuple:
    code = world.random.choice(list(PEOPLE))
    return (code, *[world.random.choice(part) for part in PEOPLE[code]])


def _name(world: WorldBuilder) -> str:
    _, given, family = _person(world)
    return f"{given} {family}"


def _add_applicant(world: WorldBuilder, number: int, earlier: list, owner: bool) -> dict:
    code, given, family = _person(world)
    if number % 8 == 3:
        given, family = world.random.choice(earlier)["full_name"].split(" ")
    digits = f"{(number * 7919 + 1234567) % 10000000:07}"
    return world.insert(
        "applicant",
        full_name=f"{given} {family}",
        email=f"{given}.{family}{number + 11}@example.{world.random.choice(('com', 'org'))}".lower(),
        phone=f"{code} {world.random.randrange(130, 190)} {digits[:3]} {digits[3:]}",
        date_of_birth=world.day(-world.random.randrange(22 * 365, 60 * 365)),
        service_tier=world.random.choices(("basic", "plus", "premium"), (4, 3, 3))[0],
        created_at=_time(world, world.random.randrange(320 if owner else 2, 1100)),
    )


def _job(world: WorldBuilder, before: tuple) -> tuple:
    """Title and company; some like those of an earlier application of the same person."""
    draw = world.random.random
    title = (
        world.random.choice(TITLES) if draw() < 0.2 else f"{world.random.choice(FIELDS)} {world.random.choice(ROLES)}"
    )
    if title not in TITLES and draw() < 0.6:
        title = f"{world.random.choice(LEVELS)} {title}"
    company = (
        world.random.choice(COMPANIES)
        if draw() < 0.25
        else f"{world.random.choice(PLACES)} {world.random.choice(TRADES)}"
    )
    if before and draw() < 0.3:
        title = before[0]
        company = before[1] if draw() < 0.45 else company
    return title, company


def _documents(world: WorldBuilder, status: str, created: str) -> dict:
    """Resume, cover letter, deadline, priority and salary, as far as somebody cared for them."""
    draw = world.random.random
    row = {}
    if draw() < (0.6 if status == "draft" else 0.9):
        skills = world.random.sample(SKILLS, 2)
        row.update(
            resume_content=f"{world.random.randrange(2, 25)} years of {skills[0]}; also {skills[1]}.",
            resume_format=world.random.choice(("pdf", "pdf", "docx", "txt")),
            resume_uploaded_at=add_minutes(created, world.random.randrange(5, 30)),
        )
    if draw() < 0.45:
        row.update(
            cover_letter_content=f"I would like to bring my knowledge of {world.random.choice(SKILLS)} to your team.",
            cover_letter_uploaded_at=add_minutes(created, world.random.randrange(30, 55)),
        )
    if draw() < 0.55:
        level = world.random.randrange(1, 6)
        row.update(priority_level=level, priority_reason=world.random.choice(REASONS) if draw() < 0.5 else None)
    if draw() < 0.55:
        currency = world.random.choice(list(SALARIES))
        least = SALARIES[currency] * 1000 + SALARIES[currency] * world.random.randrange(0, 40) * 50
        row.update(
            salary_currency=currency,
            expected_salary_min=least,
            expected_salary_max=least + SALARIES[currency] * world.random.randrange(1, 9) * 50
            if draw() < 0.7
            else None,
        )
    return row


def _deadline(world: WorldBuilder, status: str, ago: int) -> dict:
    if world.random.random() > (0.65 if status in LIVE else 0.3):
        return {}
    first, last = (-min(ago - 1, 10), 30) if status in LIVE else (2 - ago, 3)
    return {
        "deadline_date": world.moment(
            world.random.randrange(first, last), world.random.choice(("12:00", "17:00", "18:00", "23:59"))
        ),
        "deadline_type": world.random.choice(("follow_up", "response", "interview", "offer_decision")),
    }


def _referral(world: WorldBuilder) -> dict:
    source = world.random.choice(SOURCES)
    known = source in ("recruiter", "employee referral") and world.random.random() < 0.8
    return (
        {"referral_source": source, "referral_person": _name(world) if known else None}
        if world.random.random() < 0.75
        else {}
    )


def _stage_days(world: WorldBuilder, status: str, ago: int, closed: int) -> list:
    """Stages that were reached, each with its day; five days or more lie between them."""
    path = world.random.choice(PATHS)
    count = {"draft": 0, "submitted": 0, "accepted": len(path)}.get(status, world.random.choice((0, 1, 1, 2, 2)))
    count = min(count, (ago - closed) // 5)
    gap = (ago - closed) // (count + 1)
    return [(path[i], _open_day(world.day(-(ago - gap * (i + 1))))) for i in range(count)]


def _add_interview(world: WorldBuilder, application: dict, kind: str, date: str, slot: int) -> dict:
    draw = world.random.random
    place = world.random.choice(ROOMS).format(place=world.random.choice(PLACES), n=world.random.randrange(2, 30))
    return world.insert(
        "interview_schedule",
        application_id=application["application_id"],
        interview_type=kind,
        interview_date=f"{date} {9 + slot % 9:02}:{world.random.choice(('00', '15'))}:00",
        interviewer_name=_name(world) if draw() < 0.75 else None,
        interview_location=place if draw() < 0.8 else None,
        interview_duration_minutes=world.random.choice((30, 45, 45)) if draw() < 0.8 else None,
    )


def _add_feedback(world: WorldBuilder, interview: dict) -> None:
    for _ in range(world.random.choice((0, 1, 1, 1))):
        world.insert(
            "interview_feedback",
            interview_id=interview["interview_id"],
            feedback_content=world.random.choice(VERDICTS).format(what=world.random.choice(SKILLS)),
            performance_rating=world.random.randrange(1, 6) if world.random.random() < 0.75 else None,
            created_at=add_minutes(interview["interview_date"], world.random.randrange(60, 850)),
        )


def _add_steps(world: WorldBuilder, application: dict, steps: list, slot: int) -> None:
    """Stages with the interviews that led to them, then interviews ahead."""
    status = application["status"]
    for name, date in steps:
        world.insert(
            "application_stage",
            application_id=application["application_id"],
            stage_name=name,
            stage_date=f"{date} {world.random.choice(('16:30', '17:00', '17:40'))}:00",
            stage_notes=world.random.choice(REMARKS) if world.random.random() < 0.5 else None,
        )
        if name != "offer" and (status == "accepted" or world.random.random() < 0.7):
            _add_feedback(world, _add_interview(world, application, name, date, slot % 6))
    ahead = {"submitted": (0, 0, 1), "under_review": (0, 1, 1, 2)}.get(status, (0,))
    for number in range(world.random.choice(ahead)):
        kind = (
            steps[-1][0]
            if steps and world.random.random() < 0.3
            else world.random.choice(world.random.choice(PATHS)[:-1])
        )
        date = _open_day(world.day(world.random.randrange(1, 8) + 10 * number))
        _add_interview(world, application, kind if kind != "offer" else "final_interview", date, slot)


def _add_notes(world: WorldBuilder, application: dict, ago: int) -> None:
    for _ in range(world.random.choices((0, 1, 2, 4), (46, 32, 18, 4))[0]):
        kind = world.random.choice(list(VERBS))
        who = world.random.choice(("the recruiter", "HR", _name(world), application["company_name"]))
        content = world.random.choice(VERBS[kind]).format(who=who, what=world.random.choice(TOPICS))
        late = add_minutes(application["created_at"], world.random.randrange(30, 300))
        world.insert(
            "application_note",
            application_id=application["application_id"],
            note_content=content[0].upper() + content[1:],
            note_type=kind if world.random.random() < 0.8 else None,
            created_at=_time(world, world.random.randrange(1, ago)) if ago > 1 else late,
        )


def _add_application(world: WorldBuilder, number: int, person: dict, mine: list, live: set) -> dict:
    status = {9: "accepted", 13: "archived", 17: "withdrawn"}.get(number) or world.random.choices(
        list(STATES), list(STATES.values())
    )[0]
    job = _job(world, mine[-1] if mine else ())
    key = (person["applicant_id"], *job)
    status = "withdrawn" if status in LIVE and key in live else status
    live.update([key] if status in LIVE else [])
    mine.append(job)
    ago = world.random.randrange(*FILED_AGO[status])
    closed = 1 if status in LIVE else world.random.randrange(2, max(ago // 4, 3))
    steps = _stage_days(world, status, ago, closed)
    filed = _time(world, ago)
    bare = status in ("draft", "submitted") and world.random.random() < 0.25
    created = filed if bare or status == "draft" else add_minutes(filed, -world.random.randrange(60, 6000))
    changed = {
        "draft": add_minutes(filed, world.random.randrange(60, 600)),
        "submitted": filed,
        "under_review": f"{steps[0][1]} 17:45:00" if steps else _time(world, world.random.randrange(1, max(ago, 2))),
    }
    row = {} if bare else {**_documents(world, status, created), **_deadline(world, status, ago)}
    closing = f"{_open_day(world.day(-closed))} 17:50:00"
    application = world.insert(
        "job_application",
        applicant_id=person["applicant_id"],
        applicant_name=person["full_name"],
        email=person["email"],
        phone=person["phone"] if world.random.random() < 0.9 else None,
        job_title=job[0],
        company_name=job[1],
        application_date=filed,
        status=status,
        created_at=created,
        updated_at=None if bare else changed.get(status, closing),
        **_referral(world),
        **row,
    )
    _add_steps(world, application, steps, len(mine))
    _add_notes(world, application, ago)
    return application


def _add_desk_notes(world: WorldBuilder, people: list, applications: list) -> None:
    """Days of proof and refusals of former days, once each."""
    seen = set()
    for number in range(world.share(0.04, least=1)):
        person = world.random.choice(people)
        known = days_between(person["created_at"][:10], world.today) - 1
        day = _open_day(world.day(-world.random.randrange(1, min(known, 120) + 1)))
        if (person["applicant_id"], day) not in seen:
            seen.add((person["applicant_id"], day))
            world.insert(
                "identification",
                applicant_id=person["applicant_id"],
                noted_on=day,
            )
    for _ in range(world.share(0.03, least=1)):
        application = world.random.choice(applications)
        known = max(days_between(application["created_at"][:10], world.today), 1)
        day = _open_day(world.day(-world.random.randrange(1, known + 1)))
        key = (application["application_id"], f"R-{world.random.randrange(1, 9):02}", day)
        if key not in seen:
            seen.add(key)
            world.insert(
                "declined_request",
                applicant_id=application["applicant_id"],
                subject_id=key[0],
                rule_code=key[1],
                declined_on=day,
            )


def populate(world: WorldBuilder) -> None:
    """An eighth of the rows are applicants, a sixth applications, dealt unevenly; the rest hangs on these."""
    people, pool = [], []
    for number in range(world.share(0.125, least=3)):
        weight = 5 if number % 9 == 1 else world.random.choices((0, 1, 2, 5), (32, 32, 26, 10))[0]
        people.append(_add_applicant(world, number, people, weight > 0))
        pool.extend([number] * weight)
    jobs, live, applications = [[] for _ in people], set(), []
    for number in range(world.share(0.175, least=2)):
        chosen = world.random.choice(pool)
        applications.append(_add_application(world, number, people[chosen], jobs[chosen], live))
    _add_desk_notes(world, people, applications)


# fmt: off
INVARIANTS = {
    "A draft has neither stages nor interviews.": "\n        SELECT application_id FROM job_application\n        WHERE status = 'draft' AND (application_id IN (SELECT application_id FROM application_stage)\n            OR application_id IN (SELECT application_id FROM interview_schedule))\n    ",
    "No stage is older than the filing of its application or later than now.": "\n        SELECT stage_id FROM application_stage JOIN job_application USING (application_id)\n        WHERE stage_date < application_date OR stage_date > '2024-03-15 09:30:00'\n    ",
    "No interview is before the filing of its application.": "\n        SELECT interview_id FROM interview_schedule JOIN job_application USING (application_id) WHERE interview_date < application_date\n    ",
    "Feedback follows its interview and is not from the future.": "\n        SELECT feedback_id FROM interview_feedback JOIN interview_schedule USING (interview_id)\n        WHERE created_at < interview_date OR created_at > '2024-03-15 09:30:00'\n    ",
    "An accepted application had an interview that took place.": "\n        SELECT application_id FROM job_application WHERE status = 'accepted' AND application_id NOT IN (\n            SELECT application_id FROM interview_schedule WHERE interview_date <= '2024-03-15 09:30:00')\n    ",
    "Nobody has two draft or open applications for the same job at the same company.": "\n        SELECT applicant_id, job_title, company_name FROM job_application WHERE status IN ('draft', 'submitted', 'under_review')\n        GROUP BY applicant_id, job_title, company_name HAVING count(*) > 1\n    ",
    "An application bears the name of its applicant and is not older than their registration.": "\n        SELECT application_id FROM job_application JOIN applicant USING (applicant_id)\n        WHERE applicant_name <> full_name OR job_application.created_at < applicant.created_at\n    ",
    "An application is created before it is filed, and a note is not older than its application.": "\n        SELECT application_id FROM job_application AS a WHERE application_date < created_at OR EXISTS (\n            SELECT 1 FROM application_note AS n WHERE n.application_id = a.application_id AND n.created_at < a.created_at)\n    ",
}
PEOPLE = {
    "+86": (
        ("Wei", "Fang", "Min", "Jing", "Lei", "Yan", "Hao", "Xin", "Ming", "Ling", "Tao", "Rui", "Qian", "Bo"),
        ("Li", "Wang", "Zhang", "Liu", "Chen", "Yang", "Zhao", "Huang", "Zhou", "Wu", "Xu", "Sun", "Ma", "Guo"),
    ),
    "+1": (
        (
            "Sarah", "James", "Emily", "Michael", "Olivia", "Daniel", "Grace", "Ethan", "Hannah", "Ryan", "Megan",
            "Noah", "Laura", "Scott",
        ),
        (
            "Miller", "Johnson", "Carter", "Brooks", "Reed", "Foster", "Hayes", "Bennett", "Coleman", "Parker",
            "Sullivan", "Ward", "Hughes", "Price",
        ),
    ),
    "+91": (
        (
            "Priya", "Arjun", "Ananya", "Rahul", "Kavya", "Vikram", "Neha", "Rohan", "Divya", "Sanjay", "Meera",
            "Aditya", "Pooja", "Kiran",
        ),
        (
            "Sharma", "Patel", "Iyer", "Gupta", "Reddy", "Nair", "Mehta", "Kapoor", "Das", "Joshi", "Rao", "Verma",
            "Menon", "Bose",
        ),
    ),
    "+34": (
        (
            "Lucia", "Mateo", "Carmen", "Diego", "Elena", "Pablo", "Ines", "Javier", "Marta", "Sergio", "Paula",
            "Andres", "Irene", "Raul",
        ),
        (
            "Garcia", "Lopez", "Ruiz", "Moreno", "Navarro", "Torres", "Vega", "Castro", "Ortega", "Molina", "Iglesias",
            "Campos", "Prieto", "Soler",
        ),
    ),
    "+49": (
        (
            "Lena", "Jonas", "Greta", "Felix", "Anke", "Lukas", "Heike", "Stefan", "Katrin", "Moritz", "Silke",
            "Tobias", "Birgit", "Uwe",
        ),
        (
            "Schmidt", "Weber", "Fischer", "Becker", "Hoffmann", "Koch", "Richter", "Wolf", "Neumann", "Braun", "Lange",
            "Krause", "Vogel", "Winter",
        ),
    ),
    "+234": (
        (
            "Chidi", "Amaka", "Tunde", "Ngozi", "Emeka", "Folake", "Ifeoma", "Segun", "Bisi", "Kelechi", "Yemi",
            "Obinna", "Zainab", "Sade",
        ),
        (
            "Okafor", "Adeyemi", "Balogun", "Eze", "Nwosu", "Bello", "Obi", "Lawal", "Ojo", "Danjuma", "Uche", "Ade",
            "Musa", "Okoro",
        ),
    ),
}
FIELDS = (
    "Energy", "Energy Market", "Energy Strategic", "Data", "Energy Investment", "Strategic Analysis", "Market Research",
    "Risk", "Supply Chain", "Carbon Trading", "Product", "Finance", "Operations", "Sustainability", "Software",
    "Cloud Platform", "Customer Insight", "Brand", "Power Grid", "Procurement", "Wind Project", "Pricing", "Compliance",
    "Business Intelligence",
)
ROLES = (
    "Analyst", "Analyst", "Analyst", "Consultant", "Manager", "Engineer", "Specialist", "Planner", "Advisor",
    "Coordinator", "Director", "Researcher", "Architect", "Strategist", "Controller", "Officer", "Developer",
    "Scientist", "Associate", "Buyer", "Auditor", "Modeller",
)
TITLES = (
    "Senior Energy Analyst", "Energy Market Analyst", "New Energy Strategic Analyst", "Data Analyst",
    "Energy Investment Consultant", "Strategic Analysis Manager", "Market Research Analyst",
)
COMPANIES = (
    "PetroChina Group", "CNOOC", "Envision Energy", "Tencent Technology", "CITIC Securities",
    "State Grid Corporation of China", "Procter & Gamble", "Goldwind", "Sinopec", "LONGi Green Energy",
    "China Southern Power Grid", "Haier Group",
)
PLACES = (
    "Shenzhen", "Rotterdam", "Hamburg", "Lagos", "Pune", "Austin", "Valencia", "Leeds", "Suzhou", "Denver", "Gdansk",
    "Osaka", "Lyon", "Nairobi", "Chengdu", "Bristol", "Seattle", "Malmo", "Porto", "Busan", "Hangzhou", "Calgary",
    "Perth", "Tallinn",
)
TRADES = (
    "Wind Power", "Solar", "Logistics", "Analytics", "Capital", "Foods", "Chemicals", "Robotics", "Shipping", "Media",
    "Insurance", "Software", "Pharma", "Steel", "Batteries", "Telecom", "Retail", "Motors", "Advisory", "Water",
    "Aviation", "Textiles",
)
PATHS = (
    ("phone_screening", "technical_interview", "final_interview", "offer"),
    ("technical_interview", "behavioral_interview", "offer"),
    ("phone_screening", "technical_interview", "system_design", "final_interview", "offer"),
    ("phone_screening", "behavioral_interview", "final_interview", "offer"),
)
STATES = {
    "draft": 16, "submitted": 24, "under_review": 27, "rejected": 10, "accepted": 5, "withdrawn": 8, "archived": 8,
}
FILED_AGO = {
    "draft": (1, 30), "submitted": (1, 45), "under_review": (8, 75), "rejected": (25, 160), "accepted": (45, 160),
    "withdrawn": (12, 140), "archived": (80, 300),
}
REASONS = (
    "Best match for my experience.", "Close to home and family.", "The salary is well above the others.",
    "A fallback if nothing else works out.", "I know people in this team.", "The company is growing fast.",
    "The work would be remote.", "Interesting projects, but a long commute.",
)
TOPICS = (
    "the team's size", "relocation support", "the bonus scheme", "working from home", "the start date",
    "training budgets", "the visa process", "shift work", "the reporting line", "overtime", "travel in the job",
    "the pension plan",
)
VERBS = {
    "follow_up": (
        "Write to {who} again about {what}.", "No answer yet from {who} on {what}.",
        "Thank {who} and come back to {what}.",
    ),
    "reminder": (
        "Read up on {what} before talking to {who}.", "Call {who} about {what} next week.",
        "Prepare questions on {what} for {who}.",
    ),
    "general": (
        "{who} said that {what} can be discussed.", "{who} mentioned {what} in passing.",
        "Still unsure about {what}; {who} may know.",
    ),
}
SKILLS = (
    "energy market analysis", "SQL and Python", "financial modelling", "supplier contracts", "forecasting",
    "field surveys", "grid planning", "customer research", "project budgets", "data visualisation", "risk reports",
    "brand studies",
)
VERDICTS = (
    "Answered most questions on {what} well.", "Struggled when asked about {what}.",
    "The talk about {what} went smoothly.", "They wanted more examples of {what}.",
    "Felt well prepared, above all for {what}.", "Ran out of time before {what} came up.",
)
REMARKS = (
    "Went smoothly.", "Asked for references.", "They will call within a week.", "Moved on quickly.",
    "The panel was friendly.", "A second talk may follow.",
)
ROOMS = (
    "Video call", "Phone", "{place} office, floor {n}", "{place} campus, room {n}", "Head office {place}, reception",
)
# fmt: on
