"""Fill a job application office: people, their applications, and how far each of these got."""

from collections import defaultdict

from runtime import WorldBuilder, add_minutes

GIVEN = (
    "Amina",
    "Bruno",
    "Carla",
    "Daniel",
    "Elif",
    "Farah",
    "Grace",
    "Hiroshi",
    "Ingrid",
    "Jamal",
    "Kavya",
    "Lars",
    "Mei",
    "Nadia",
    "Oskar",
    "Priya",
    "Quentin",
    "Rosa",
    "Samuel",
    "Thandiwe",
    "Uma",
    "Viktor",
    "Wei",
    "Ximena",
    "Yusuf",
    "Zofia",
)
FAMILY = (
    "Almeida",
    "Bauer",
    "Chen",
    "Dubois",
    "Eriksen",
    "Fernandez",
    "Gupta",
    "Hughes",
    "Ivanova",
    "Johansson",
    "Kowalski",
    "Li",
    "Mensah",
    "Nakamura",
    "Okafor",
    "Petrov",
    "Rossi",
    "Singh",
    "Tanaka",
    "Usman",
    "Vargas",
    "Wang",
    "Yilmaz",
    "Zhang",
)
TITLES = (
    "Senior Energy Analyst",
    "Energy Market Analyst",
    "New Energy Strategic Analyst",
    "Data Analyst",
    "Senior Data Analyst",
    "Energy Investment Consultant",
    "Strategic Analysis Manager",
    "Market Research Analyst",
    "Market Research Manager",
    "Business Analyst",
    "Financial Analyst",
    "Risk Analyst",
    "Credit Risk Manager",
    "Data Engineer",
    "Software Engineer",
    "Backend Engineer",
    "Product Manager",
    "Product Marketing Manager",
    "Supply Chain Planner",
    "Operations Manager",
    "Sustainability Consultant",
    "UX Designer",
)
COMPANIES = (  # name, currency, usual salary in thousands
    ("PetroChina Group", "CNY", 340),
    ("CNOOC", "CNY", 360),
    ("Envision Energy", "CNY", 380),
    ("Envision Digital", "SGD", 96),
    ("Tencent Technology", "CNY", 480),
    ("CITIC Securities", "CNY", 450),
    ("CITIC Bank", "CNY", 390),
    ("State Grid Corporation of China", "CNY", 300),
    ("Procter & Gamble", "USD", 98),
    ("Chevron", "USD", 118),
    ("Deloitte", "USD", 104),
    ("Siemens Energy", "EUR", 78),
    ("Schneider Electric", "EUR", 72),
    ("TotalEnergies", "EUR", 74),
    ("Iberdrola", "EUR", 58),
    ("Shell", "GBP", 76),
    ("Unilever", "GBP", 66),
    ("National Grid", "GBP", 62),
    ("Tata Power", "INR", 2100),
    ("Infosys", "INR", 1900),
    ("Shopify", "CAD", 112),
    ("Hydro One", "CAD", 98),
    ("Vattenfall", "SEK", 620),
    ("Maersk", "DKK", 640),
)
STATUSES = (
    "under_review",
    "submitted",
    "draft",
    "accepted",
    "under_review",
    "rejected",
    "submitted",
    "under_review",
    "withdrawn",
    "archived",
    "draft",
    "submitted",
    "under_review",
    "rejected",
    "under_review",
    "submitted",
    "accepted",
    "draft",
    "under_review",
    "archived",
)
OPEN = ("draft", "submitted", "under_review")
AGES = {  # days since the application was made
    "draft": (2, 12),
    "submitted": (3, 40),
    "under_review": (14, 70),
    "accepted": (25, 120),
    "rejected": (20, 120),
    "withdrawn": (25, 120),
    "archived": (60, 300),
}
STAGE_COUNTS = {
    "draft": (0,),
    "submitted": (0,),
    "under_review": (1, 2, 2, 3),
    "accepted": (2, 3, 3),
    "rejected": (0, 1, 2),
    "withdrawn": (1, 2),
    "archived": (0, 1, 2),
}
FLOWS = (
    ("phone_screening", "technical_interview", "final_interview"),
    ("phone_screening", "behavioral_interview", "final_interview"),
    ("phone_screening", "system_design", "technical_interview"),
)
SOURCES = (
    "LinkedIn",
    "LinkedIn",
    "Indeed",
    "employee referral",
    "Glassdoor",
    "company website",
    "career fair",
    "recruiter",
    None,
)
SKILLS = (
    "SQL and Python",
    "price forecasting",
    "stakeholder interviews",
    "financial modelling",
    "Power BI dashboards",
    "survey design",
    "contract negotiation",
    "carbon accounting",
    "time series analysis",
    "team leadership",
)
SCHOOLS = (
    "Tsinghua University",
    "TU Munich",
    "University of Lagos",
    "IIT Bombay",
    "University of Leeds",
    "UNAM",
    "KTH Stockholm",
)
REASONS = (
    "Closest match to my experience",
    "Strong team and short commute",
    "The salary is above the market",
    "A friend works there and likes it",
    "Good second choice",
    "Offers training abroad",
)
STAGE_NOTES = (
    "Moved on after a short call.",
    "Two people from the department joined.",
    "They asked for a work sample.",
    "The recruiter expects an answer within two weeks.",
    "A case study is due before the meeting.",
    None,
    None,
    None,
)
PLACES = ("video call", "phone", "head office, room 4.12", "regional office, second floor", "innovation campus", None)
FEEDBACK = (
    "Clear answers on market drivers, short on figures.",
    "Calm and well prepared; asked good questions at the end.",
    "Struggled with the case study but recovered.",
    "Good rapport with the panel, and strong examples of teamwork.",
    "The technical part took too long; practise SQL joins.",
    "Interviewer liked the portfolio and wants references.",
    "Answers were too general; bring numbers next time.",
    "Convincing on motivation, vague about salary.",
)
NOTES = (
    ("follow_up", "Write to {company} and ask when they decide."),
    ("follow_up", "Thank the panel at {company} for their time."),
    ("follow_up", "The recruiter at {company} promised to call back this week."),
    ("reminder", "Read the annual report of {company} before the next talk."),
    ("reminder", "Prepare three examples for the {title} interview."),
    ("reminder", "Send certificates to {company}."),
    ("general", "{company} lets people work from home two days a week."),
    ("general", "The {title} role reports to the CFO."),
    ("general", "Relocation may be needed for {company}."),
    (None, "Ask a former colleague about the culture at {company}."),
    (None, "The posting for {title} mentions travel."),
    (None, "The portal of {company} was slow; keep the confirmation."),
)
TURNED_DOWN = (
    "another candidate had more experience",
    "the position was cancelled",
    "the salary expectation was too high",
)
BACKED_OUT = ("the offer was below expectations", "the commute is too long", "staying with the present employer")


def populate(world: WorldBuilder) -> None:
    """A fifth of the rows are applications; most others tell their history, a seventh are free notes."""
    people = [_person(world, number) for number in range(world.share(0.07, least=2))]
    cases = [_add_application(world, number, people) for number in range(world.share(0.21, least=4))]
    for case in cases:
        _add_history(world, case)
    for _ in range(world.share(0.14, least=3)):
        case = world.random.choice(cases)
        kind, text = world.random.choice(NOTES)
        row = case["row"]
        _add_note(
            world,
            row,
            kind,
            text.format(company=row["company_name"], title=row["job_title"]),
            world.moment(world.random.randrange(1 - case["age"], 1 - case["end"]), _time(world)),
        )


def _time(world: WorldBuilder) -> str:
    """A time of an office day, before any case is closed."""
    return f"{world.random.randrange(8, 16):02d}:{world.random.randrange(0, 60, 5):02d}"


def _person(world: WorldBuilder, number: int) -> dict:
    """Somebody who applies; not a row, but repeated in the rows of applications."""
    rnd = world.random
    given, family = rnd.choice(GIVEN), rnd.choice(FAMILY)
    return {
        "name": f"{given} {family}",
        "email": f"{given}.{family}{number}@example.org".lower(),
        "phone": f"+{rnd.choice((1, 33, 44, 49, 86, 91))} {rnd.randrange(200, 990)} {rnd.randrange(100000, 999999)}"
        if rnd.random() < 0.75
        else None,
        "first_job": rnd.randrange(len(TITLES) * len(COMPANIES)),
        "applications": 0,
        "urgent": 0,
        "hired": False,
        "first_hour": rnd.randrange(5),
        "slots": defaultdict(int),
    }


def _add_application(world: WorldBuilder, number: int, people: list) -> dict:
    """An application, with the days on which it was made and closed and reached its stages."""
    rnd = world.random
    person = rnd.choice(people)
    status = STATUSES[number % len(STATUSES)]
    if status == "accepted" and person["hired"]:
        status = "rejected"
    person["hired"] = person["hired"] or status == "accepted"
    # 37 shares no factor with the number of jobs, so nobody applies for the same job twice.
    job = (person["first_job"] + 37 * person["applications"]) % (len(TITLES) * len(COMPANIES))
    person["applications"] += 1
    company, currency, pay = COMPANIES[job // len(TITLES)]
    is_open = status in OPEN
    youngest, oldest = AGES[status]
    age = rnd.randrange(youngest, oldest)
    end = 1 if is_open else rnd.randrange(2, youngest // 3)
    applied_at = world.moment(-age, _time(world))
    created_at = applied_at if status == "draft" else add_minutes(applied_at, -rnd.randrange(25, 4000))
    closed_at = None if is_open else world.moment(-end, "16:30")
    stage_days = sorted(rnd.sample(range(end + 2, age, 2), rnd.choice(STAGE_COUNTS[status])), reverse=True)
    stage_dates = [world.moment(-day, _time(world)) for day in stage_days]
    has_resume = rnd.random() < (0.5 if status == "draft" else 0.9)
    has_letter = rnd.random() < 0.5
    due = None
    if is_open and rnd.random() < 0.6:
        due = world.moment(rnd.randrange(-min(5, age - 1), 22), rnd.choice(("12:00", "17:00", "23:59")))
    elif not is_open and rnd.random() < 0.2:
        due = world.moment(-rnd.randrange(end, age), "17:00")
    level = rnd.choice((None, None, 1, 2, 3, 3, 4, 4, 5, 5))
    if level == 5 and is_open:
        level = 5 if person["urgent"] < 3 else 4
        person["urgent"] += 1
    source = rnd.choice(SOURCES)
    least = pay * rnd.randrange(80, 131) // 100 * 1000 if rnd.random() < 0.6 else None
    row = world.insert(
        "job_application",
        applicant_name=person["name"],
        email=person["email"],
        phone=person["phone"],
        job_title=TITLES[job % len(TITLES)],
        company_name=company,
        application_date=applied_at,
        status=status,
        resume_content=f"{rnd.randrange(2, 19)} years in {rnd.choice(SKILLS)} and {rnd.choice(SKILLS)}; "
        f"degree from {rnd.choice(SCHOOLS)}."
        if has_resume
        else None,
        resume_format=rnd.choice(("pdf", "pdf", "docx")) if has_resume else None,
        resume_uploaded_at=add_minutes(created_at, rnd.randrange(1, 10)) if has_resume else None,
        cover_letter_content=f"I would like to bring my work in {rnd.choice(SKILLS)} to {company}."
        if has_letter
        else None,
        cover_letter_uploaded_at=add_minutes(created_at, rnd.randrange(10, 25)) if has_letter else None,
        deadline_date=due,
        deadline_type=rnd.choice(("follow_up", "response", "documents")) if due else None,
        referral_source=source,
        referral_person=f"{rnd.choice(GIVEN)} {rnd.choice(FAMILY)}"
        if source in ("employee referral", "recruiter")
        else None,
        priority_level=level,
        priority_reason=rnd.choice(REASONS) if level == 5 or level and rnd.random() < 0.4 else None,
        expected_salary_min=least,
        expected_salary_max=least + pay * rnd.randrange(5, 30) // 100 * 1000 if least and rnd.random() < 0.7 else None,
        salary_currency=currency if least else "USD",
        created_at=created_at,
        updated_at=closed_at or (stage_dates[0] if stage_dates else rnd.choice((None, applied_at))),
    )
    return {
        "row": row,
        "person": person,
        "age": age,
        "end": end,
        "closed_at": closed_at,
        "currency": currency,
        "pay": pay,
        "stages": list(zip(rnd.choice(FLOWS), stage_days, stage_dates)),
    }


def _add_history(world: WorldBuilder, case: dict) -> None:
    """The stages, interviews, feedback and offer of an application, and a note on how it was closed."""
    rnd, row, stages, end = world.random, case["row"], case["stages"], case["end"]
    status, last_held = row["status"], None
    for place, (name, day, date) in enumerate(stages):
        world.insert(
            "application_stage",
            application_id=row["application_id"],
            stage_name=name,
            stage_date=date,
            stage_notes=rnd.choice(STAGE_NOTES),
        )
        is_last = place == len(stages) - 1
        is_needed = is_last and status in ("accepted", "withdrawn")
        if is_needed or rnd.random() < 0.65:
            last_held = -end - 1 if is_last else -stages[place + 1][1] - 1
            interview = _add_interview(world, case, name, 1 - day, last_held)
            for _ in range(1 if is_needed else rnd.choice((0, 0, 0, 1, 1, 1, 1, 1, 2))):
                world.insert(
                    "interview_feedback",
                    interview_id=interview["interview_id"],
                    feedback_content=rnd.choice(FEEDBACK),
                    performance_rating=rnd.choice((None, 1, 2, 3, 3, 4, 4, 5)),
                    created_at=add_minutes(interview["interview_date"], rnd.randrange(90, 1700)),
                )
    if rnd.random() < {"submitted": 0.25, "under_review": 0.7}.get(status, 0):
        _add_interview(world, case, rnd.choice(rnd.choice(FLOWS)), 1, 14)
    if last_held is not None and (
        status in ("accepted", "withdrawn") or status == "under_review" and rnd.random() < 0.4
    ):
        _add_offer(world, case, rnd.randrange(last_held + 1, 1 - end))
    if status == "withdrawn":
        _add_note(world, row, "withdrawal", f"Withdrawn: {rnd.choice(BACKED_OUT)}", case["closed_at"])
    elif status == "rejected" and rnd.random() < 0.6:
        _add_note(world, row, "rejection", f"Rejected: {rnd.choice(TURNED_DOWN)}", case["closed_at"])


def _add_interview(world: WorldBuilder, case: dict, kind: str, first: int, last: int) -> dict:
    """An interview on a working day (day 0 is a Friday), two hours or more from any other of the person."""
    rnd, person = world.random, case["person"]
    day = rnd.choice([day for day in range(first, last + 1) if (4 + day) % 7 < 5] or [last])
    hour = 9 + (person["first_hour"] + 2 * person["slots"][day]) % 10
    person["slots"][day] += 1
    return world.insert(
        "interview_schedule",
        application_id=case["row"]["application_id"],
        interview_type=kind,
        interview_date=world.moment(day, f"{hour:02d}:{rnd.choice(('00', '15', '30'))}"),
        interviewer_name=f"{rnd.choice(GIVEN)} {rnd.choice(FAMILY)}" if rnd.random() < 0.75 else None,
        interview_location=rnd.choice(PLACES),
        interview_duration_minutes=rnd.choice((30, 45, 60, 60, 90, None)),
    )


def _add_offer(world: WorldBuilder, case: dict, day: int) -> None:
    """An offer made on that day: pending while the application runs, otherwise answered when it was closed."""
    rnd, closed_at = world.random, case["closed_at"]
    status = {"accepted": "accepted", "withdrawn": "declined"}.get(case["row"]["status"], "pending")
    respond_by = world.moment(rnd.randrange(1, 15), "17:00")
    if closed_at:
        respond_by = add_minutes(closed_at, 1440 * rnd.randrange(1, 8))
    elif day < -3 and rnd.random() < 0.2:
        respond_by = world.moment(-1, "17:00")
    world.insert(
        "job_offer",
        application_id=case["row"]["application_id"],
        base_salary=case["pay"] * rnd.randrange(85, 126) // 100 * 1000,
        salary_currency=case["currency"],
        respond_by=respond_by,
        offer_status=status,
        created_at=world.moment(day, "11:00"),
        updated_at=closed_at,
    )


def _add_note(world: WorldBuilder, row: dict, kind: str | None, text: str, created_at: str) -> None:
    """One note on an application."""
    world.insert(
        "application_note",
        application_id=row["application_id"],
        note_content=text,
        note_type=kind,
        created_at=created_at,
    )
