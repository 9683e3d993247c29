"""Fill a job application office: people, their applications, and the stages, interviews and offers that followed."""

from runtime import WorldBuilder, add_minutes

GIVEN = (
    "Wei",
    "Min",
    "Hao",
    "Yuki",
    "Priya",
    "Arjun",
    "Fatima",
    "Omar",
    "Elena",
    "Marco",
    "Sofia",
    "Lucas",
    "Hanna",
    "Jonas",
    "Claire",
    "Kofi",
    "Amara",
    "Diego",
    "Camila",
    "Grace",
    "Liam",
    "Nadia",
)
FAMILY = (
    "Li",
    "Zhang",
    "Chen",
    "Tanaka",
    "Sharma",
    "Rao",
    "Haddad",
    "Khan",
    "Petrova",
    "Rossi",
    "Costa",
    "Silva",
    "Keller",
    "Berg",
    "Dubois",
    "Mensah",
    "Okafor",
    "Torres",
    "Rojas",
    "Bennett",
    "Walsh",
    "Novak",
)
PHONES = ("+86 138 0013 {:04d}", "+1 212 555 {:04d}", "+49 30 5550 {:04d}", "+44 20 7946 {:04d}")
TITLES = (
    "Senior Energy Analyst",
    "Energy Market Analyst",
    "New Energy Strategic Analyst",
    "Data Analyst",
    "Energy Investment Consultant",
    "Strategic Analysis Manager",
    "Market Research Analyst",
    "Senior Data Analyst",
    "Business Intelligence Analyst",
    "Energy Trading Analyst",
    "Product Manager",
    "Senior Product Manager",
    "Software Engineer",
    "Backend Software Engineer",
    "Data Engineer",
    "Financial Analyst",
    "Investment Associate",
    "Risk Analyst",
    "Supply Chain Analyst",
    "Brand Manager",
    "Marketing Analyst",
    "Power Systems Engineer",
    "Project Manager",
)
COMPANIES = (
    "PetroChina Group",
    "CNOOC",
    "Envision Energy",
    "Tencent Technology",
    "CITIC Securities",
    "State Grid Corporation of China",
    "Procter & Gamble",
    "Siemens Energy",
    "Vestas Wind Systems",
    "TotalEnergies",
    "Shell Global Solutions",
    "Goldwind Science",
    "Huawei Technologies",
    "ByteDance",
    "Alibaba Cloud",
    "Unilever",
    "Deloitte Consulting",
    "McKinsey & Company",
    "Enel Green Power",
    "Iberdrola",
    "Orsted",
    "Tata Power",
    "Standard Chartered",
    "Nestle",
    "Schneider Electric",
    "Envision Digital",
)
SKILLS = (
    "energy market modelling",
    "SQL and Python",
    "financial forecasting",
    "stakeholder management",
    "power price analysis",
    "dashboard design",
    "statistical testing",
    "project planning",
    "policy research",
)
SOURCES = ("LinkedIn", "Indeed", "employee referral", "company website", "job fair", "recruiter")
REASONS = (
    "Best match with my experience",
    "The team works on topics I care about",
    "Close to home",
    "Good salary and room to grow",
    "Fallback if others fall through",
    "A former colleague praises it",
)
NOTES = (
    "Ask the recruiter how large the team is.",
    "Hiring manager asked for two references.",
    "Send the updated portfolio before the end of the week.",
    "Office moved; check the commute.",
    "They use a case study in the second round.",
    "Recruiter prefers to be called in the afternoon.",
    "Salary range was confirmed by phone.",
    "Start date could be moved to May.",
)
NOTE_TYPES = ("follow_up", "reminder", "general", None)
WITHDRAWALS = ("Took a position elsewhere.", "Relocation is not possible.", "The salary is below what I need.")
STAGES = ("phone_screening", "technical_interview", "final_interview")
INTERVIEW_TYPES = (("phone_screening",), ("technical_interview",), ("behavioral_interview", "system_design"))
STAGE_NOTES = ("Invited by email", "Recruiter sounded positive", "Moved on after a wait", "Panel of three announced")
PLACES = ("Video call", "Phone", "Headquarters, room 4.12", "Beijing office", "Shanghai office", "Berlin office")
TIMES = ("10:00", "11:00", "11:30", "13:00", "14:00", "15:30", "16:00")
FEEDBACK = (
    "Clear answers on {skill}; the panel asked many follow-up questions.",
    "Struggled with the question on {skill}.",
    "Good talk, and {skill} was exactly what they look for.",
    "Ran out of time when we came to {skill}.",
    "Interviewer liked my examples of {skill}.",
    "Should prepare more about {skill} next time.",
)
TASKS = (
    "Collect three examples of teamwork",
    "Review forecasting methods",
    "Read the latest annual report",
    "Practise a system design question",
    "Prepare questions about the team",
    "Update the project list",
    "Rehearse the short introduction",
    "Look up the interviewers",
    "Refresh SQL window functions",
)
# What becomes of the applications, in turn, and how many stages each reached.
STATUSES = (
    "under_review",
    "submitted",
    "draft",
    "under_review",
    "rejected",
    "under_review",
    "submitted",
    "accepted",
    "archived",
    "under_review",
    "withdrawn",
    "draft",
)
STAGE_COUNTS = (3, 0, 0, 2, 2, 2, 0, 3, 1, 1, 1, 0)
AGES = {
    "draft": (2, 20),
    "submitted": (2, 15),
    "under_review": (20, 46),
    "rejected": (30, 80),
    "accepted": (40, 90),
    "withdrawn": (25, 70),
    "archived": (120, 400),
}
UPCOMING = {0: ((0, 7),), 3: ((0, 7), (8, 20)), 6: ((1, 12),), 9: ((0, 7), (8, 20))}


def populate(world: WorldBuilder) -> None:
    """A sixth of the rows are applications; what hangs on them follows from how far each got."""
    count = world.share(0.167, least=3)
    people = [_person(world, number) for number in range(count // 4 + 1)]
    for number in range(count):
        _add_application(world, people[number // 4], number)


def _person(world: WorldBuilder, number: int) -> dict:
    given, family = world.random.choice(GIVEN), world.random.choice(FAMILY)
    phone = world.random.choice(PHONES).format(world.random.randrange(10000)) if number % 4 != 3 else None
    email = f"{given}.{family}{number + 1}@example.org".lower()
    return {"applicant_name": f"{given} {family}", "email": email, "phone": phone}


def _name(world: WorldBuilder) -> str:
    return f"{world.random.choice(GIVEN)} {world.random.choice(FAMILY)}"


def _maybe(world: WorldBuilder, chance: float, values):
    return world.random.choice(values) if world.random.random() < chance else None


def _add_application(world: WorldBuilder, person: dict, number: int) -> None:
    turn = number % len(STATUSES)
    status = STATUSES[turn]
    age = world.random.randrange(*AGES[status])
    gap = age // (STAGE_COUNTS[turn] + 2)
    closed_before = max(1, age - STAGE_COUNTS[turn] * gap - gap // 2 - 1)
    # Every fourth application goes to the same employer as the one before it, for another job.
    place = number - 1 if number % 4 == 3 else number
    # Some were sent outside the office and not touched since.
    fresh = number % 24 == 1
    plans = {**_deadline(world, status, age, closed_before), **_priority(world), **_salary(world)} if not fresh else {}
    application = world.insert(
        "job_application",
        **person,
        status=status,
        job_title=TITLES[(number * 5 + number // 4 * 3) % len(TITLES)],
        company_name=COMPANIES[(place * 7 + number // 4) % len(COMPANIES)],
        updated_at=None if fresh else world.moment(-closed_before if STAGE_COUNTS[turn] else -1, "18:30"),
        **_documents(world, number, status, age),
        **_referral(world),
        **plans,
    )
    _add_stages(world, application, number, [age - (step + 1) * gap for step in range(STAGE_COUNTS[turn])])
    _add_upcoming(world, application, number, turn)
    _add_offer(world, application, number, turn, closed_before)
    _add_notes(world, application, number, age, closed_before)


def _documents(world: WorldBuilder, number: int, status: str, age: int) -> dict:
    created_at = application_date = world.moment(-age, world.random.choice(TIMES))
    with_resume = number % 5 != 2 if status == "draft" else number % 3 != 1
    with_letter = number % 3 == 2 if status == "draft" else with_resume and world.random.random() < 0.65
    if with_resume and status != "draft":
        created_at = add_minutes(application_date, -24 * 60 * world.random.randrange(1, 4))
    first, second = world.random.sample(SKILLS, 2)
    years = world.random.randrange(2, 16)
    resume = f"{years} years of experience; strengths: {first}, {second}."
    letter = f"Your team needs {first}, which I have practised for {years} years; I would be glad to add {second}."
    return {
        "application_date": application_date,
        "created_at": created_at,
        "resume_content": resume if with_resume else None,
        "resume_format": world.random.choice(("pdf", "docx")) if with_resume else None,
        "resume_uploaded_at": add_minutes(created_at, 40) if with_resume else None,
        "cover_letter_content": letter if with_letter else None,
        "cover_letter_uploaded_at": add_minutes(created_at, 85) if with_letter else None,
    }


def _deadline(world: WorldBuilder, status: str, age: int, closed_before: int) -> dict:
    if world.random.random() < 0.25 or status == "archived":
        return {"deadline_date": None, "deadline_type": None}
    if status not in ("draft", "submitted", "under_review"):
        return {"deadline_date": world.moment(-closed_before, "17:00"), "deadline_type": "response"}
    overdue = age > 3 and world.random.random() < 0.25
    day = -world.random.randrange(1, min(age - 1, 8)) if overdue else world.random.randrange(0, 22)
    kinds = ("submission",) if status == "draft" else ("follow_up", "response", "assessment")
    return {"deadline_date": world.moment(day, "17:00"), "deadline_type": world.random.choice(kinds)}


def _referral(world: WorldBuilder) -> dict:
    source = _maybe(world, 0.8, SOURCES)
    by_person = source in ("employee referral", "recruiter")
    return {"referral_source": source, "referral_person": _name(world) if by_person else None}


def _priority(world: WorldBuilder) -> dict:
    level = _maybe(world, 0.75, (1, 2, 3, 3, 4, 4, 5))
    return {"priority_level": level, "priority_reason": _maybe(world, 0.6, REASONS) if level else None}


def _salary(world: WorldBuilder) -> dict:
    if world.random.random() < 0.3:
        return {"expected_salary_min": None, "expected_salary_max": None, "salary_currency": "USD"}
    currency = world.random.choice(("USD", "USD", "USD", "EUR", "GBP", "CNY"))
    least = world.random.randrange(40, 130) * (5000 if currency == "CNY" else 1000)
    most = least + least // 10 * world.random.randrange(1, 4) if world.random.random() < 0.75 else None
    return {"expected_salary_min": least, "expected_salary_max": most, "salary_currency": currency}


def _add_stages(world: WorldBuilder, application: dict, number: int, ages: list) -> None:
    """The stages reached so far, most of them with their interview."""
    for step, age in enumerate(ages):
        # Today is a Friday: days 1 and 2 of each week from today are a weekend.
        day = -age - 2 if -age % 7 in (1, 2) else -age
        world.insert(
            "application_stage",
            application_id=application["application_id"],
            stage_name=STAGES[step],
            stage_date=world.moment(day, "09:00"),
            stage_notes=_maybe(world, 0.55, STAGE_NOTES),
        )
        if (number + step) % 5 == 4:
            continue
        interview = _add_interview(world, application, step, day)
        if world.random.random() < 0.65:
            world.insert(
                "interview_feedback",
                interview_id=interview["interview_id"],
                feedback_content=world.random.choice(FEEDBACK).format(skill=world.random.choice(SKILLS)),
                performance_rating=_maybe(world, 0.8, (1, 2, 3, 3, 4, 4, 5)),
                created_at=add_minutes(interview["interview_date"], world.random.randrange(90, 1500)),
            )
        if (number + step) % 6 == 0:
            _add_tasks(world, interview, 1, world.moment(day - 1, "19:00"), world.moment(day - 1, "21:15"))


def _add_interview(world: WorldBuilder, application: dict, step: int, day: int) -> dict:
    return world.insert(
        "interview_schedule",
        application_id=application["application_id"],
        interview_type=world.random.choice(INTERVIEW_TYPES[step]),
        interview_date=world.moment(day, world.random.choice(TIMES)),
        interviewer_name=_name(world) if world.random.random() < 0.8 else None,
        interview_location=_maybe(world, 0.75, PLACES),
        interview_duration_minutes=_maybe(world, 0.8, (30, 45, 60, 60, 90)),
    )


def _add_tasks(world: WorldBuilder, interview: dict, count: int, created_at: str, done_at) -> None:
    """Tasks to prepare, of which the first is done if a time is given."""
    for place, task in enumerate(world.random.sample(TASKS, count)):
        world.insert(
            "preparation_task",
            interview_id=interview["interview_id"],
            task_description=task,
            completed_at=done_at if place == 0 else None,
            created_at=created_at,
        )


def _add_upcoming(world: WorldBuilder, application: dict, number: int, turn: int) -> None:
    if turn == 5 and number % 24 != 5:
        # Held yesterday; nobody has written down yet how it went.
        _add_interview(world, application, 2, -1)
    for place, span in enumerate(UPCOMING.get(turn, ())):
        day = world.random.randrange(*span)
        day = day + 2 if day % 7 in (1, 2) else day
        interview = _add_interview(world, application, min(STAGE_COUNTS[turn] + place, 2), day)
        done_at = world.moment(0, "08:30") if world.random.random() < 0.5 else None
        _add_tasks(world, interview, 1 + (number + place) % 2, world.moment(-1, "19:00"), done_at)


def _add_offer(world: WorldBuilder, application: dict, number: int, turn: int, closed_before: int) -> None:
    made, due, answered, status = -closed_before - 1, 5 - closed_before, -closed_before, "accepted"
    if turn == 0:
        made, due, answered, status = world.random.randrange(-5, -1), world.random.randrange(0, 13), None, "pending"
    elif number % 24 == 5:
        made, due, answered, status = -6, -1, -3, "pending"
    elif number % 24 == 10:
        status = "declined"
    elif turn != 7:
        return
    least = application["expected_salary_min"] or 60000
    world.insert(
        "job_offer",
        application_id=application["application_id"],
        offer_status=status,
        annual_salary=least + least // 100 * world.random.randrange(-5, 25),
        salary_currency=application["salary_currency"],
        created_at=world.moment(made, "15:00"),
        respond_by=world.moment(due, "18:00"),
        updated_at=world.moment(answered, "18:30") if answered else None,
    )


def _add_notes(world: WorldBuilder, application: dict, number: int, age: int, closed_before: int) -> None:
    parent = application["application_id"]
    if application["status"] == "withdrawn":
        world.insert(
            "application_note",
            application_id=parent,
            note_content=world.random.choice(WITHDRAWALS),
            note_type="withdrawal",
            created_at=world.moment(-closed_before, "18:30"),
        )
    if number % 5 in (0, 2, 4):
        world.insert(
            "application_note",
            application_id=parent,
            note_content=world.random.choice(NOTES),
            note_type=world.random.choice(NOTE_TYPES),
            created_at=world.moment(-world.random.randrange(1, age), "17:20"),
        )
