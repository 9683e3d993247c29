"""Fill a job application office: drafts, open and closed applications, with all that hangs on them."""

from collections import Counter

from runtime import WorldBuilder, add_minutes, weekday

RATES = {"USD": 1.0, "EUR": 0.9, "GBP": 0.8, "CAD": 1.3, "CHF": 1.15, "AUD": 1.4, "SGD": 1.3}
FORMS = ("", "", " Group", " Labs", " Partners")
STARTS = ("submitted", "draft", "under_review", "under_review", "accepted", "rejected", "withdrawn", "archived")
LIVE = ("draft", "submitted", "under_review")
REVIEWS = {"offer": 24, "upcoming": 32, "waiting": 18, "meeting": 14, "today": 12}
BEGUN = (-4, 0, -1, -17, -9, -45, -28, -2, -62)
TIMES = ("10:00", "14:30", "08:30", "11:30", "16:00", "13:00")
RESPOND = ((3, "17:00"), (0, "18:00"), (9, "12:00"), (1, "12:00"), (15, "17:00"), (0, "09:30"))
MISSED = ((-2, "17:00"), (0, "09:00"), (-1, "12:00"))
DUE = (-6, -3, -1, 0, 1, 1, 2, 3, 5, 8, 14, 21)
PERSONAL_SOURCES = ("employee referral", "recruiter", "university career fair")


def populate(world: WorldBuilder) -> None:
    """Applications one by one, each with what hangs on it (some six rows), until the rows wanted are there."""
    office = {"closed": [], "taken": set(), "job": None, "person": None}
    turns = Counter()
    rows = 0
    for number in range(world.share(0.5, least=6)):
        if rows >= max(world.size, 12):
            break
        status = STARTS[number] if number < len(STARTS) else _draw(world, WEIGHTS)
        rows += _add_case(world, office, number, status, turns[status])
        turns[status] += 1


def _add_case(world, office, number, status, turn):
    """Add one application with all its children; return the number of rows."""
    random = world.random
    if office["closed"] and status in LIVE and random.random() < 0.5:
        person, job = office["closed"].pop()  # applies once more, where it did not work out long ago
    else:
        person = _find_person(world, office, number)
        job = _find_job(world, office, person, random.random() < 0.12)
    plan = _make_plan(world, status, turn)
    time = TIMES[(person["slot"] + person["count"]) % len(TIMES)]  # an own hour for each application of a person
    person["count"] += 1
    stages = _make_stages(world, plan)
    closing = None if plan["closed"] is None else _at(world, plan["closed"])
    application = _add_application(world, status, turn, plan, person, job, stages, closing)
    key = application["application_id"]
    if (
        status in ("rejected", "withdrawn")
        and plan["closed"] < -90
        and (turn == 0 or person["count"] < 3 and random.random() < 0.4)
    ):
        office["closed"].append((person, job))
    with_reason = status == "withdrawn" and (turn == 0 or random.random() < 0.4)
    rows = 1 + _add_notes(world, application, plan, job, closing, with_reason)
    for name, reached, held in stages:
        world.insert(
            "application_stage",
            application_id=key,
            stage_name=name,
            stage_date=reached,
            stage_notes=_fill(world, random.choice(STAGE_NOTES), job) if random.random() < 0.55 else None,
        )
        rows += 1 if held is None else 1 + _add_interview(world, key, job, name, world.moment(held, time), reached)
    if plan["extra"]:
        name, day = plan["extra"]
        since = max(
            application["created_at"], application["application_date"], closing or "", _at(world, -random.randrange(4))
        )
        rows += _add_interview(world, key, job, name, world.moment(day, time), since)
    if plan["offer"]:
        made_on, state, respond_by, decided = plan["offer"]
        made = _at(world, made_on)
        changed = add_minutes(made, random.randrange(60, 2000)) if random.random() < 0.35 else None
        if state != "pending":  # an answer that closed the application came at that moment
            changed = _at(world, decided) if status == "archived" else closing
        least = application["expected_salary_min"] or _salary(world, job)
        world.insert(
            "job_offer",
            application_id=key,
            annual_salary=round(least * random.choice((0.92, 0.97, 1, 1.04, 1.1)) / 500) * 500,
            salary_currency=job["currency"],
            respond_by=respond_by,
            offer_status=state,
            created_at=made,
            updated_at=changed,
        )
        rows += 1
    return rows


def _find_person(world, office, number):
    """The person before, who applies up to four times in a row, or a new one."""
    random = world.random
    if office["person"] is None or office["person"]["count"] > 3 or random.random() < 0.58:
        name = _name(world)
        email = f"{name.replace(' ', '.', 1)}{number + 1}@example.{random.choice(('org', 'com'))}"
        phone = f"{random.choice(PHONES)} {random.randrange(10000):04d}" if random.random() < 0.75 else None
        office["person"] = {
            "name": name,
            "email": email.lower().replace("'", "").replace(" ", ""),
            "phone": phone,
            "slot": random.randrange(len(TIMES)),
            "count": 0,
        }
    return office["person"]


def _find_job(world, office, person, twin):
    """A job at a company; a twin is a similar one at the company of the job before."""
    random = world.random
    place = random.choice(list(PLACES))
    job = {
        "place": place,
        "currency": PLACES[place],
        "field": random.choice(FIELDS),
        "role": random.choice(ROLES),
        "company": f"{place} {random.choice(TRADES)}{random.choice(FORMS)}",
    }
    if twin and office["job"]:
        job = dict(office["job"])
    ending = f"{job['field']} {job['role']}"
    job["level"] = random.choice(
        [one for one in LEVELS if (person["email"], f"{one} {ending}", job["company"]) not in office["taken"]]
    )
    job["title"] = f"{job['level']} {ending}"
    office["taken"].add((person["email"], job["title"], job["company"]))
    office["job"] = job
    return job


def _make_plan(world, status, turn):
    """Decide the days: filed, last stage, final interview (a day, past or none), closed, offer, extra interview."""
    random = world.random
    pick = random.randrange
    plan = {"steps": 0, "last": 0, "final": "past", "closed": None, "offer": None, "extra": None}
    if status == "draft":
        return dict(plan, filed=random.choice(BEGUN))
    if status == "submitted":
        extra = ("phone_screening", _workday(world, pick(1, 12))) if turn == 0 or random.random() < 0.3 else None
        return dict(plan, filed=-pick(30, 76) if random.random() < 0.25 else -pick(1, 30), extra=extra)
    if status == "under_review":
        kind = "offer" if turn < 2 else _draw(world, REVIEWS)  # the first offer still stands, the second is overdue
        plan["steps"] = pick(3, 5) if kind == "offer" else pick(1, 5)
        if kind == "offer":
            day, time = random.choice(RESPOND if turn == 0 else MISSED if turn == 1 else RESPOND + MISSED)
            plan.update(last=-pick(24, 36), offer=(-pick(4, 13), "pending", world.moment(day, time), None))
        elif kind == "waiting":
            plan.update(last=-pick(8, 20), final=random.choice((None, "past")))
        else:
            plan.update(last=-pick(3, 8), final=0 if kind == "today" else _workday(world, pick(1, 15)))
        if kind == "meeting":
            plan["extra"] = ("hiring_manager_meeting", _workday(world, plan["final"] + 1))
    else:
        decided = -pick(2, 300) if status != "accepted" and random.random() < 0.5 else -pick(2, 40)
        outcome = None
        if status == "rejected" and turn == 0:
            decided = -pick(120, 300)
        elif status == "withdrawn" and (turn == 0 or random.random() < 0.3):
            outcome = "declined"
        elif status == "accepted":
            outcome = "accepted"
            plan["extra"] = ("team_meeting", _workday(world, pick(3, 20))) if random.random() < 0.5 else None
        elif status == "archived":
            outcome = "pending" if turn == 0 else random.choice((None, None, "pending", "accepted", "declined"))
            plan["closed"] = -pick(1, 4) if outcome == "pending" else -pick(1, 120)
            decided = plan["closed"] - (0 if outcome == "pending" else pick(30, 240))
        plan.update(
            closed=plan["closed"] or decided, steps=pick(3), last=decided - (pick(24, 32) if outcome else pick(10, 20))
        )
        if outcome:
            respond = pick(2, 12) if outcome == "pending" else decided + pick(1, 7)
            plan.update(
                steps=pick(3, 5), offer=(decided - pick(4, 12), outcome, world.moment(respond, "17:00"), decided)
            )
    return dict(plan, filed=plan["last"] - 10 * max(plan["steps"] - 1, 0) - pick(3, 12))


def _make_stages(world, plan):
    """The stages reached, in order: name, moment, day of the interview that belongs to it or None."""
    steps = world.random.choice(PATHS)[: plan["steps"]]
    gap = world.random.randrange(8, 11)
    stages = []
    for place, name in enumerate(steps):
        before = len(steps) - 1 - place
        day = _workday(world, plan["last"] - gap * before)
        stages.append(
            (name, _at(world, day), _workday(world, day + 3) if before or plan["final"] == "past" else plan["final"])
        )
    return stages


def _add_application(world, status, turn, plan, person, job, stages, closing):
    """The application: begun as a draft and submitted later, or recorded when it had been sent already."""
    random = world.random
    live = status in LIVE
    recorded = status != "draft" and random.random() < 0.35
    applied = created = _at(world, plan["filed"])
    if recorded and random.random() < 0.5:
        created = add_minutes(applied, random.randrange(15, 240))
    elif status != "draft" and not recorded:
        created = _at(world, plan["filed"] - random.randrange(1, 8))
    with_resume = not recorded or random.random() < 0.6
    if status == "draft":
        with_resume = turn == 0 or (turn > 1 and random.random() < 0.6)
    with_letter = random.random() < 0.5
    resume_at = created if recorded else min(add_minutes(created, random.randrange(5, 200)), world.now)
    letter_at = created if recorded else min(add_minutes(created, random.randrange(5, 240)), world.now)
    changes = [created, applied, closing or ""] + [reached for _, reached, _ in stages[:1]]
    changes += [resume_at] * with_resume + [letter_at] * with_letter
    later = add_minutes(max(changes), random.randrange(60, 5000))
    if live and not recorded and later < world.now and random.random() < 0.3:
        changes.append(later)  # a deadline, a priority or the applicant's details were changed
    due = None
    if random.random() < (0.75 if live else 0.3):
        day = max(random.choice(DUE), plan["filed"] + 1) if live else plan["filed"] + random.randrange(7, 22)
        due = world.moment(day, random.choice(("12:00", "17:00", "18:00")))
    source = random.choice(SOURCES) if random.random() < 0.8 else None
    level = random.randrange(1, 6) if random.random() < 0.7 else None
    least = _salary(world, job) if random.random() < 0.65 else None
    return world.insert(
        "job_application",
        applicant_name=person["name"],
        email=person["email"],
        phone=person["phone"],
        job_title=job["title"],
        company_name=job["company"],
        application_date=applied,
        status=status,
        resume_content=_resume(world, person, job) if with_resume else None,
        resume_format=random.choice(("pdf", "pdf", "docx", "odt", "txt")) if with_resume else None,
        resume_uploaded_at=resume_at if with_resume else None,
        cover_letter_content=_letter(world, person, job) if with_letter else None,
        cover_letter_uploaded_at=letter_at if with_letter else None,
        deadline_date=due,
        deadline_type=random.choice(DUE_TYPES.get(status, ("response", "follow_up"))) if due else None,
        referral_source=source,
        referral_person=_name(world) if source in PERSONAL_SOURCES and random.random() < 0.8 else None,
        priority_level=level,
        priority_reason=random.choice(PRIORITY_REASONS[level]) if level and random.random() < 0.6 else None,
        expected_salary_min=least,
        expected_salary_max=least + random.choice((0, 5000, 8000, 12500, 20000))
        if least and random.random() < 0.8
        else None,
        salary_currency=job["currency"] if least else "USD",
        created_at=created,
        updated_at=max(changes) if max(changes) > created else None,
    )


def _add_notes(world, application, plan, job, closing, with_reason):
    """None to three notes, and the reason of a withdrawal if one was given."""
    random = world.random
    count = random.choice((0, 0, 1, 1, 2, 3))
    for _ in range(count):
        kind = random.choice(list(NOTES))
        written = min(_at(world, random.randrange(plan["filed"], (plan["closed"] or 0) + 1)), closing or world.now)
        world.insert(
            "application_note",
            application_id=application["application_id"],
            note_type=kind,
            note_content=_fill(world, random.choice(NOTES[kind]), job),
            created_at=max(application["created_at"], written),
        )
    if with_reason:
        world.insert(
            "application_note",
            application_id=application["application_id"],
            note_type="withdrawal",
            note_content=_fill(world, random.choice(WITHDRAWALS), job),
            created_at=closing,
        )
    return count + with_reason


def _add_interview(world, key, job, kind, start, since):
    """An interview, its tasks written down after the stage was reached, and feedback if it took place."""
    random = world.random
    upcoming = start > world.now
    screening = kind == "phone_screening"
    office = f"{job['company']}, {job['place']} office, floor {random.randrange(1, 12)}"
    spots = (
        ("Phone call", "Video call on Zoom", None)
        if screening
        else (office, office, "Video call on Zoom", "Video call on Teams", None)
    )
    interview = world.insert(
        "interview_schedule",
        application_id=key,
        interview_type=kind,
        interview_date=start,
        interviewer_name=_name(world) if random.random() < 0.85 else None,
        interview_location=random.choice(spots),
        interview_duration_minutes=random.choice((20, 30, 45) if screening else (45, 60, 75, 90))
        if random.random() < 0.85
        else None,
    )
    tasks = random.sample(TASKS, random.choice((0, 1, 2, 3) if upcoming else (0, 0, 1, 2)))
    for task in tasks:
        made = min(add_minutes(since, random.randrange(10, 180)), world.now)
        done = add_minutes(made, 1440 * random.randrange(3) + random.randrange(15, 90))
        finished = done <= min(start, world.now) and random.random() < (0.5 if upcoming else 0.85)
        world.insert(
            "preparation_task",
            interview_id=interview["interview_id"],
            task_description=_fill(world, task, job),
            completed_at=done if finished else None,
            created_at=made,
        )
    reports = 0
    if add_minutes(start, 95) <= world.now and random.random() < (0.45 if start > world.moment(-4, "00:00") else 0.75):
        reports = random.choice((1, 1, 1, 1, 1, 1, 1, 2))
    for _ in range(reports):
        rating = random.choice((1, 2, 3, 3, 4, 4, 5))
        first, second = (PRAISE, PRAISE) if rating > 3 else (BLAME, BLAME) if rating < 3 else (PRAISE, BLAME)
        content = _fill(world, f"{random.choice(first[:4])} {random.choice(second[4:])}", job)
        world.insert(
            "interview_feedback",
            interview_id=interview["interview_id"],
            feedback_content=content,
            performance_rating=rating if random.random() < 0.8 else None,
            created_at=min(add_minutes(start, random.randrange(95, 2000)), world.now),
        )
    return 1 + len(tasks) + reports


def _draw(world, weights):
    """One of the keys, the heavier the likelier."""
    return world.random.choices(list(weights), list(weights.values()))[0]


def _at(world, day):
    """A moment of that day in office hours, before the clock."""
    hour = world.random.randrange(8, 18) if day < 0 else 8
    return world.moment(day, f"{hour:02d}:{world.random.randrange(60):02d}")


def _workday(world, day):
    """The day itself, or the Monday after a weekend."""
    return day + {"Saturday": 2, "Sunday": 1}.get(weekday(world.day(day)), 0)


def _name(world):
    return f"{world.random.choice(GIVEN)} {world.random.choice(FAMILY)}"


def _salary(world, job):
    """A yearly salary that suits level and currency, in steps of 500."""
    return round(LEVELS[job["level"]] * RATES[job["currency"]] * (0.85 + 0.35 * world.random.random()) * 2) * 500


def _fill(world, text, job):
    day = world.random.choice(("Monday", "Tuesday", "Wednesday", "Thursday", "Friday"))
    return text.format(
        company=job["company"],
        title=job["title"],
        field=job["field"],
        place=job["place"],
        day=day,
        contact=_name(world),
        skill=world.random.choice(SKILLS),
    )


def _resume(world, person, job):
    first, second, third = world.random.sample(SKILLS, 3)
    return (
        f"{person['name']}, {job['field']} {job['role']} with {world.random.randrange(2, 25)} years of experience, last at "
        f"{world.random.choice(list(PLACES))} {world.random.choice(TRADES)}. Strengths: {first}, {second} and {third}."
    )


def _letter(world, person, job):
    return (
        f"Dear hiring team of {job['company']}, I am applying for the position of {job['title']}. "
        f"{world.random.choice(MOTIVES)} Kind regards, {person['name']}"
    )


# fmt: off
GIVEN = (
    "Amina", "Bruno", "Carla", "Dmitri", "Elif", "Fatou", "Giulia", "Hiroshi", "Ingrid", "Jamal", "Katarzyna", "Liam",
    "Mei", "Nikhil", "Olena", "Pedro", "Quynh", "Rosa", "Samuel", "Tomas", "Uma", "Viktor", "Wanjiru", "Ximena",
    "Yusuf", "Zofia", "Anneke", "Benedikt", "Chiara", "Desmond", "Esperanza", "Farid", "Grace", "Haruka", "Ibrahim",
    "Jana", "Kwame", "Leila", "Mateus", "Noor",
)
FAMILY = (
    "Okafor", "Silva", "Novak", "Tanaka", "Haddad", "Lindqvist", "Moreau", "Kowalski", "Reyes", "Sharma", "O'Brien",
    "Petrov", "Schneider", "Nguyen", "Rossi", "Demir", "Mbeki", "Johansen", "Castillo", "Park", "Fernandes", "Weber",
    "Adeyemi", "Dubois", "Ivanova", "Chen", "Van Dijk", "Kaplan", "Horvath", "Mendoza", "Sato", "Brennan", "Rahman",
    "Virtanen", "Popescu", "Asante", "Marino", "Keller", "Diallo", "Whitfield",
)
PLACES = {
    "Boston": "USD", "Seattle": "USD", "Denver": "USD", "Chicago": "USD", "Austin": "USD", "Portland": "USD",
    "Atlanta": "USD", "Oakland": "USD", "Lisbon": "EUR", "Porto": "EUR", "Hamburg": "EUR", "Munich": "EUR",
    "Lyon": "EUR", "Rotterdam": "EUR", "Dublin": "EUR", "Helsinki": "EUR", "Turin": "EUR", "Valencia": "EUR",
    "Leeds": "GBP", "Bristol": "GBP", "Glasgow": "GBP", "Cardiff": "GBP", "Toronto": "CAD", "Halifax": "CAD",
    "Calgary": "CAD", "Zurich": "CHF", "Basel": "CHF", "Brisbane": "AUD", "Perth": "AUD", "Singapore": "SGD",
}
TRADES = (
    "Robotics", "Analytics", "Freight", "Savings Bank", "Health Systems", "Solar", "Publishing", "Insurance",
    "Software", "Biotech", "Rail", "Foods", "Media", "Water Works", "Aerospace", "Textiles", "Pharma", "Telecom",
    "Shipping", "Instruments", "Games", "Energy", "Security", "Mobility", "Optics", "Housing",
)
LEVELS = {
    "Trainee": 34, "Graduate": 42, "Assistant": 44, "Junior": 48, "Associate": 56, "Part-Time": 38, "Intermediate": 64,
    "Contract": 70, "Freelance": 66, "Remote": 72, "Regional": 78, "Deputy": 82, "Experienced": 80, "Senior": 92,
    "Interim": 96, "Lead": 108, "Staff": 116, "Global": 112, "Principal": 130, "Chief": 155,
}
FIELDS = (
    "Data", "Software", "Payments", "Logistics", "Marketing", "Cloud", "Security", "Product", "Finance", "Operations",
    "Procurement", "Quality", "Research", "Risk", "Energy", "Claims", "Supply Chain", "Compliance", "Clinical",
    "Machine Learning", "Mobile", "Customer Service",
)
ROLES = (
    "Engineer", "Analyst", "Manager", "Coordinator", "Specialist", "Consultant", "Developer", "Administrator",
    "Planner", "Advisor", "Architect", "Strategist", "Scientist", "Technician", "Officer", "Controller", "Designer",
    "Auditor", "Trainer", "Researcher",
)
WEIGHTS = {
    "draft": 14, "submitted": 20, "under_review": 32, "rejected": 11, "accepted": 6, "withdrawn": 9, "archived": 8,
}
PATHS = (
    ("phone_screening", "technical_interview", "system_design", "final_interview"),
    ("phone_screening", "behavioral_interview", "case_study", "final_interview"),
    ("phone_screening", "technical_interview", "panel_interview", "final_interview"),
    ("phone_screening", "behavioral_interview", "technical_interview", "final_interview"),
)
DUE_TYPES = {
    "draft": ("submission", "documents"), "submitted": ("follow_up", "response"),
    "under_review": ("response", "follow_up", "references"),
}
SOURCES = (
    "LinkedIn", "Indeed", "employee referral", "employee referral", "company website", "Glassdoor", "recruiter",
    "university career fair", "StepStone",
)
PRIORITY_REASONS = {
    1: ("Only a fallback", "Far from home and badly paid", "Applied to stay in practice"),
    2: ("Long commute", "Team seems unsettled", "Contract ends after a year"),
    3: ("Solid company, ordinary role", "Good pay, little growth", "Former colleague works there"),
    4: ("Strong match with the profile", "Remote work possible", "Good path to a lead role"),
    5: ("Dream employer", "Best pay of the season", "Current contract ends soon", "Move to the partner's city"),
}
PHONES = (
    "+1 206 555", "+44 20 7946", "+49 30 2312", "+351 21 123", "+33 1 9900", "+46 8 4650", "+61 2 5550", "+65 6555",
)
SKILLS = (
    "SQL", "Python", "negotiation", "budgeting", "technical writing", "Java", "process design", "public speaking",
    "forecasting", "vendor management", "Excel modelling", "Kubernetes", "auditing", "user research", "scheduling",
    "statistics", "team leadership", "risk assessment", "contract law", "data visualisation",
)
MOTIVES = (
    "Your recent expansion is exactly the setting in which I do my best work.",
    "I have followed your work since my studies and would like to add to it.",
    "A former colleague spoke highly of how your teams learn from each other.",
    "The mix of field work and planning in this role is what I have been looking for.",
    "I led a project much like yours last year and brought it in under budget.",
    "I am moving to the area this summer and hope to stay for many years.",
)
NOTES = {
    "follow_up": (
        "Wrote to {contact} at {company} to ask where the {title} role stands; reply promised by {day}.",
        "Called {company}: {contact} says the shortlist is drawn up on {day}.",
        "Sent {contact} a short thank-you message and two work samples.",
        "No answer from {company} yet, ask {contact} again on {day}.",
    ),
    "reminder": (
        "Ask {contact} for a reference before {day}.", "Send the certificates to {company} by {day}.",
        "Check the travel costs with {contact} on {day}.", "Update the portfolio before talking to {company}.",
    ),
    "general": (
        "{company} lets the team work from home two days a week, says {contact}.",
        "The {title} post replaces {contact}, who moves to another department.",
        "The team at {company} has eleven people and reports to {contact}.",
        "The advert for the {title} role was posted again on {day}.",
    ),
    "research": (
        "Read that {company} opened a second site; {contact} runs it.",
        "Salaries at {company} are reviewed every spring according to {contact}.",
    ),
    None: (
        "{contact} mentioned that {company} prefers a one-page resume.", "Parking behind the building, ask {contact}.",
        "Spoke with {contact} on {day}; friendly and open about the workload.",
    ),
}
WITHDRAWALS = (
    "Took another position closer to home.", "The salary range is well below what was expected.",
    "The role turned out to be mostly travel.", "Family reasons, no move possible this year.",
    "Decided to stay with the present employer.", "The process at {company} took too long.",
)
STAGE_NOTES = (
    "Invited by {contact}, quick and friendly.", "{contact} wants to see work samples at this stage.",
    "Two other candidates left, says {contact}.", "{contact} asked for free dates by {day}.",
    "Passed on with a good word from {contact}.", "The team lead {contact} takes over from here.",
)
PRAISE = (
    "Explained past {field} work clearly.", "Solved the {field} exercise well, says {contact}.",
    "Asked thoughtful questions on the team.", "Knew the company's products well.",
    "Stayed calm when {contact} pushed back.", "Gave concrete figures for results in {skill}.",
    "Built good rapport with {contact}.",
)
BLAME = (
    "Lost the thread when {contact} asked about {skill}.", "{contact} found the answers on notice period vague.",
    "Overlooked an edge case in the task.", "Spoke too fast at the start.", "Had few examples of leading others.",
    "Ran out of time on {skill}.", "Could not say why this company.",
)
TASKS = (
    "Read the latest annual report of {company}", "Prepare three examples of solved conflicts",
    "Practise the {field} case questions aloud", "Look up the interviewers on LinkedIn",
    "Print two copies of the resume", "Write down questions about the team", "Test camera and microphone",
    "Plan the journey to {place}", "Review the job advert for the {title} role", "Rehearse the two-minute introduction",
    "Work out a salary range", "Collect references from the last employer", "Sketch a plan for the first ninety days",
    "Refresh knowledge of {skill}",
)
# fmt: on
