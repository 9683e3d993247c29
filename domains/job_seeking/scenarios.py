"""What people want of Career Services Office: every function is a scenario."""

from runtime.story import Story, scenario

NO_UNPAID_CHARGE = """
    NOT EXISTS (SELECT 1 FROM charge WHERE charge.application_id = job_application.application_id
        AND charge.status = 'unpaid')
"""
AT_MOST_ONE_OVER = """
    (SELECT count(*) FROM job_application AS mine WHERE mine.applicant_id = applicant.applicant_id
        AND mine.status IN ('draft', 'submitted', 'under_review')) - CASE membership_tier WHEN 'basic' THEN 1 WHEN 'plus' THEN 2 ELSE 3 END IN (-1, 0)
"""
AT_LIMIT = """
    (SELECT count(*) FROM job_application AS mine WHERE mine.applicant_id = job_application.applicant_id
        AND mine.status IN ('draft', 'submitted', 'under_review')) = (SELECT CASE membership_tier WHEN 'basic' THEN 1 WHEN 'plus' THEN 2 ELSE 3 END FROM applicant WHERE applicant.applicant_id = job_application.applicant_id)
"""
TWO_FILED = """
    (SELECT count(*) FROM job_application AS mine WHERE mine.applicant_id = applicant.applicant_id
        AND mine.status <> 'draft') >= 2
"""
OPEN = "status IN ('submitted', 'under_review')"
FILED = "status NOT IN ('draft', 'archived')"
NOTHING_AHEAD = """
    NOT EXISTS (SELECT 1 FROM interview_schedule AS i WHERE i.application_id = job_application.application_id
        AND i.status = 'scheduled'
        AND i.interview_date > '2024-03-15 09:30:00')
"""
NOBODY_OLDER = """
    NOT EXISTS (SELECT 1 FROM job_application AS o WHERE o.applicant_id <> job_application.applicant_id
        AND o.status NOT IN ('draft', 'archived')
        AND o.application_date < date(job_application.application_date, '+1 day')
        AND NOT EXISTS (SELECT 1 FROM interview_schedule AS i WHERE i.application_id = o.application_id
        AND i.status = 'scheduled'
        AND i.interview_date > '2024-03-15 09:30:00'))
"""
FOUR_FILED = """
    (SELECT count(*) FROM job_application AS o WHERE o.applicant_id = job_application.applicant_id
        AND o.status NOT IN ('draft', 'archived')) >= 4
"""
UPCOMING = "status = 'scheduled' AND interview_date > '2024-03-15 09:30:00'"
HELD = "status = 'scheduled' AND interview_date <= '2024-03-15 09:30:00'"
NO_OTHER_AHEAD = """
    NOT EXISTS (SELECT 1 FROM interview_schedule AS i JOIN job_application AS theirs ON theirs.application_id = i.application_id JOIN job_application AS own ON own.application_id = interview_schedule.application_id WHERE i.interview_id <> interview_schedule.interview_id
        AND i.status = 'scheduled'
        AND i.interview_date > '2024-03-15 09:30:00'
        AND theirs.applicant_id = own.applicant_id
        AND theirs.company_name = own.company_name)
"""
ALONE_THAT_DAY = """
    NOT EXISTS (SELECT 1 FROM interview_schedule AS i JOIN job_application AS theirs ON theirs.application_id = i.application_id JOIN job_application AS own ON own.application_id = interview_schedule.application_id WHERE i.interview_id <> interview_schedule.interview_id
        AND theirs.applicant_id = own.applicant_id
        AND theirs.company_name = own.company_name
        AND date(i.interview_date) = date(interview_schedule.interview_date))
"""
STILL_OPEN = """
    EXISTS (SELECT 1 FROM job_application AS own WHERE own.application_id = interview_schedule.application_id
        AND own.status IN ('submitted', 'under_review'))
"""
NOT_SOON = "interview_date >= '2024-03-19'"
UNFINISHED = "status IN ('draft', 'submitted', 'under_review')"
UNFINISHED_COUNT = """
    (SELECT count(*) FROM job_application AS o WHERE o.applicant_id = job_application.applicant_id
        AND o.status IN ('draft', 'submitted', 'under_review'))
"""
UNDER_REVIEW_THREE_TO_SIX = """
    (SELECT count(*) FROM job_application AS mine WHERE mine.applicant_id = job_application.applicant_id
        AND mine.status = 'under_review') BETWEEN 3
        AND 6
"""
FOUR_OR_MORE = """
    (SELECT count(*) FROM job_application AS mine WHERE mine.applicant_id = job_application.applicant_id) BETWEEN 4
        AND 20
"""
BALANCE = """
    (SELECT sum(due.amount_cents) FROM charge AS due WHERE due.applicant_id = charge.applicant_id
        AND due.status = 'unpaid')
"""
FREE_ON_THE_DAY = """
    NOT EXISTS (SELECT 1 FROM interview_schedule AS busy JOIN job_application AS own ON own.application_id = busy.application_id WHERE own.applicant_id = job_application.applicant_id
        AND busy.status = 'scheduled'
        AND busy.interview_date = ?)
"""


@scenario
def fix_my_draft(story: Story) -> None:
    """The applicant corrects the employer of a draft and gives the cover letter."""
    draft = story.pick(
        "job_application",
        "status = 'draft'",
        unique_by=["applicant_id", "job_title", "company_name"],
        mine=True,
    )
    job, company = draft["job_title"], draft["company_name"]
    employer = story.choose("employer", ["Lakeshore Partners", "Bluestem Works", "Harborview Associates"])
    letter = story.dictate("letter", "My years as a team lead would serve {employer} well", employer=employer)
    story.wish(
        (
            "I put the wrong employer on my draft for the {job} job at {company}. Can you change it to {employer} and make the cover letter exactly this: {letter}",
            "My draft for the {job} job at {company} names the wrong employer. Could you please change it to {employer} and make the cover letter exactly this: {letter}",
            "wrong employer on my draft for the {job} job at {company}, can you make it {employer}? and the cover letter should be exactly this: {letter}",
        ),
        short="changing the employer on my {job} draft at {company} to {employer} and making {letter} its cover letter",
        job=job,
        company=company,
        employer=employer,
        letter=letter,
    )
    applications = story.call("list_applicant_applications", applicant_id=story.identify())["applications"]
    mine = story.find(applications, job_title=job, company_name=company)
    story.call("update_job_application", application_id=mine["application_id"], company_name=employer)
    story.call("add_cover_letter", application_id=mine["application_id"], cover_letter_content=letter)


@scenario
def new_phone_and_resume(story: Story) -> None:
    """The applicant has a new phone and a new resume for a draft."""
    draft = story.pick(
        "job_application",
        "status = 'draft'",
        unique_by=["applicant_id", "job_title", "company_name"],
        mine=True,
    )
    job, company = draft["job_title"], draft["company_name"]
    phone = story.choose("phone", ["(315) 555-0142", "(402) 555-0167", "(515) 555-0118"])
    style = story.choose("style", ["pdf", "docx"])
    resume = story.dictate("resume", "Twelve years in operations, and now looking for work as {job}", job=job)
    story.wish(
        (
            "I switched carriers, so my number's {phone} now. Can you update it and put a new {style} resume on my draft for the {job} job at {company}, exactly this: {resume}",
            "My phone number has changed to {phone}. Could you please update it and replace the resume of my draft for the {job} job at {company} with this {style} exactly: {resume}",
            "got a new number, {phone}, can you update it? and put this {style} resume on my draft for the {job} job at {company}, exactly this: {resume}",
        ),
        short="changing my number to {phone} and putting {resume} as a {style} resume on my {job} draft at {company}",
        phone=phone,
        style=style,
        job=job,
        company=company,
        resume=resume,
    )
    key = story.identify()
    story.call("update_applicant", applicant_id=key, phone=phone)
    applications = story.call("list_applicant_applications", applicant_id=key)["applications"]
    mine = story.find(applications, job_title=job, company_name=company)
    story.call("upload_resume", application_id=mine["application_id"], resume_content=resume, resume_format=style)


@scenario
def sign_up_a_relative(story: Story) -> None:
    """The applicant signs up a relative and changes to another tier."""
    tier = story.choose("tier", ["basic", "plus", "premium"])
    story.pick("applicant", "membership_tier <> ?", tier, mine=True)
    relative = story.choose("relative", ["sister", "cousin", "aunt"])
    name = story.choose("name", ["Bridget Salazar", "Noreen Abbott", "Camille Pruitt"])
    email = story.choose("email", ["looking.for.work@example.com", "next.job.please@example.net"])
    birth = story.choose("birth", ["1988-05-12", "1993-11-30", "1979-02-21"])
    story.wish(
        (
            "My {relative} {name} is looking for work too. Can you sign her up with {email}, born {birth}, and switch me to the {tier} tier?",
            "I would like to sign up my {relative} {name}, who was born {birth} and uses {email}. Could you please also switch me to the {tier} tier?",
            "can you sign up my {relative} {name}, born {birth}, email {email}? and switch me to the {tier} tier",
        ),
        short="signing up my {relative} {name}, born {birth}, with {email}, and switching me to the {tier} tier",
        relative=relative,
        name=name,
        email=email,
        birth=birth,
        tier=tier,
    )
    key = story.identify()
    story.call("register_applicant", full_name=name, email=email, date_of_birth=birth)
    story.call("update_applicant", applicant_id=key, membership_tier=tier)


@scenario(form="denied")
def start_another_application(story: Story) -> None:
    """The applicant starts one more application, if the tier allows it."""
    story.pick("applicant", f"{AT_MOST_ONE_OVER}", mine=True)
    job = story.choose("job", ["Grant Writer", "Museum Guide", "Payroll Clerk"])
    company = story.choose("company", ["Lakeshore Partners", "Bluestem Works", "Harborview Associates"])
    start = story.wish(
        (
            "I just saw a {job} opening at {company}. Can you start an application for it?",
            "I would like to apply for the {job} opening at {company}. Could you please start the application?",
            "can you start an application for me, {job} at {company}?",
        ),
        short="starting an application for the {job} job at {company}",
        job=job,
        company=company,
    )
    story.insists(
        start,
        (
            "Please, I've been out of work since fall and I'm getting desperate.",
            "I have been out of work since the fall, and this truly means a lot to me.",
            "come on, been out of work since fall, i really need this one",
        ),
    )
    key = story.identify()
    story.call("list_applicant_applications", applicant_id=key)
    if story.permits("add_job_application", applicant_id=key, job_title=job, company_name=company):
        story.call("add_job_application", applicant_id=key, job_title=job, company_name=company)
    else:
        story.decline(start)


@scenario(form="denied")
def delete_an_application(story: Story) -> None:
    """The applicant has an application deleted, if it is not open."""
    application = story.pick(
        "job_application",
        f"{NO_UNPAID_CHARGE}",
        unique_by=["applicant_id", "job_title", "company_name"],
        mine=True,
    )
    job, company = application["job_title"], application["company_name"]
    remove = story.wish(
        (
            "I don't want to see my application for the {job} job at {company} anymore. Can you delete it?",
            "Could you please delete my application for the {job} job at {company}? I would like it gone from my records.",
            "pls delete my application for the {job} job at {company}, don't want it on file",
        ),
        short="deleting my application for the {job} job at {company}",
        job=job,
        company=company,
    )
    story.insists(
        remove,
        (
            "Your coworker deleted one for my roommate in a minute, so I don't get the fuss.",
            "One of your colleagues did this for my roommate right away, so I am surprised.",
            "someone there did this for my roommate in like a minute",
        ),
    )
    applications = story.call("list_applicant_applications", applicant_id=story.identify())["applications"]
    mine = story.find(applications, job_title=job, company_name=company)
    if story.permits("delete_job_application", application_id=mine["application_id"]):
        story.call("delete_job_application", application_id=mine["application_id"])
    else:
        story.decline(remove)


@scenario(form="computed")
def when_to_follow_up(story: Story) -> None:
    """The applicant asks when to follow up on the latest application and with whom."""
    story.pick("applicant", f"{TWO_FILED}", mine=True)
    wait = story.choose("wait", [10, 12, 20])
    story.wish(
        (
            "I follow up {wait} days after my latest application, not counting drafts. What's the follow-up day, and which company is it?",
            "I always follow up {wait} days after my most recent application, drafts aside. Could you please tell me the follow-up day and the company?",
            "what's my follow-up day if it's {wait} days after my last application, drafts not counted? and which company is that",
        ),
        short="telling me the follow-up day, {wait} days after my latest application not counting drafts, and the company",
        wait=wait,
    )
    applications = story.call("list_applicant_applications", applicant_id=story.identify())["applications"]
    latest = story.highest([each for each in applications if each["status"] != "draft"], "application_date")
    with story.wrong("forgets the wait"):
        story.answer("follow-up day", story.date_of(latest["application_date"]))
        story.answer("company", latest["company_name"], source="job_application.company_name")
    story.answer("follow-up day", story.date_of(story.after(latest["application_date"], days=wait)))
    story.answer("company", latest["company_name"], source="job_application.company_name")


@scenario(form="conditional")
def drop_or_finish_a_draft(story: Story) -> None:
    """The applicant has an old draft deleted, and a cover letter added to a recent one."""
    draft = story.pick(
        "job_application",
        f"status = 'draft' AND {NO_UNPAID_CHARGE}",
        unique_by=["applicant_id", "job_title", "company_name"],
        mine=True,
    )
    job, company = draft["job_title"], draft["company_name"]
    day = story.day(-6)
    letter = story.dictate("letter", "I have followed {company} for years and want to join", company=company)
    story.wish(
        (
            "If I started my draft for the {job} job at {company} by {day}, delete it. If I started it later, make the cover letter exactly this: {letter}",
            "Please delete my draft for the {job} job at {company} if I started it by {day}. If I started it later, please make the cover letter exactly this: {letter}",
            "delete my draft for the {job} job at {company} if i started it by {day}. if later than that, cover letter should be exactly this: {letter}",
        ),
        short="deleting my {job} draft at {company} if I started it by {day}, and making {letter} its cover letter if later",
        job=job,
        company=company,
        day=day,
        letter=letter,
    )
    applications = story.call("list_applicant_applications", applicant_id=story.identify())["applications"]
    mine = story.find(applications, job_title=job, company_name=company)
    with story.wrong("only leaves a note"):
        story.call("add_application_note", application_id=mine["application_id"], note_content=letter)
    if story.date_of(mine["application_date"]) <= day:
        with story.wrong("takes the other branch"):
            story.call("add_cover_letter", application_id=mine["application_id"], cover_letter_content=letter)
        story.call("delete_job_application", application_id=mine["application_id"])
    else:
        with story.wrong("takes the other branch"):
            story.call("delete_job_application", application_id=mine["application_id"])
        story.call("add_cover_letter", application_id=mine["application_id"], cover_letter_content=letter)


@scenario(form="coupled")
def trade_one_for_another(story: Story) -> None:
    """The applicant starts a new application and withdraws an open one that takes the last place."""
    old = story.pick(
        "job_application",
        f"status IN ('submitted', 'under_review') AND (deadline_date IS NULL OR deadline_date <= ?) AND {AT_LIMIT}",
        story.now,
        unique_by=["applicant_id", "job_title", "company_name"],
        mine=True,
    )
    job = story.choose("job", ["Grant Writer", "Museum Guide", "Payroll Clerk"])
    company = story.choose("company", ["Lakeshore Partners", "Bluestem Works", "Harborview Associates"])
    with story.together():
        start = story.wish(
            (
                "I found a {job} opening at {company}. Can you start an application for it?",
                "I would like to start an application for the {job} opening at {company}.",
                "can you start an application for me, {job} at {company}?",
            ),
            short="starting an application for the {job} job at {company}",
            job=job,
            company=company,
        )
        drop = story.wish(
            (
                "And withdraw the one for the {title} job at {employer}, I'm over it.",
                "Please also withdraw my application for the {title} job at {employer}, which no longer interests me.",
                "and withdraw the one for the {title} job at {employer}, not into it anymore",
            ),
            short="withdrawing my application for the {title} job at {employer}",
            title=old["job_title"],
            employer=old["company_name"],
        )
    key = story.identify()
    applications = story.call("list_applicant_applications", wish=drop, applicant_id=key)["applications"]
    mine = story.find(applications, job_title=old["job_title"], company_name=old["company_name"])
    story.call("withdraw_application", wish=drop, application_id=mine["application_id"])
    story.call("add_job_application", wish=start, applicant_id=key, job_title=job, company_name=company)


@scenario
def resume_in_and_out_it_goes(story: Story) -> None:
    """The applicant gives the resume of a draft as a PDF and has the draft submitted."""
    draft = story.pick(
        "job_application",
        "status = 'draft'",
        unique_by=["applicant_id", "job_title", "company_name"],
        mine=True,
    )
    job, company = draft["job_title"], draft["company_name"]
    style = story.choose("style", ["pdf"])
    resume = story.dictate("resume", "Nine years in customer service, and ready for work as {job}", job=job)
    story.wish(
        (
            "I finished the resume for my {job} draft at {company}. Can you submit the draft with this {style}, exactly as it is: {resume}",
            "The resume for my {job} draft at {company} is ready. Could you please submit the draft with this {style}, exactly as it is: {resume}",
            "can you submit my {job} draft at {company} with this {style} resume, exactly as it is: {resume}",
        ),
        short="putting {resume} as a {style} resume on my {job} draft at {company} and submitting it",
        job=job,
        company=company,
        style=style,
        resume=resume,
    )
    applications = story.call("list_applicant_applications", applicant_id=story.identify())["applications"]
    mine = story.find(applications, job_title=job, company_name=company)
    story.call("upload_resume", application_id=mine["application_id"], resume_content=resume, resume_format=style)
    story.call("submit_application", application_id=mine["application_id"])


@scenario
def restore_an_application(story: Story) -> None:
    """The applicant wants an archived application back."""
    app = story.pick(
        "job_application",
        "status = 'archived' AND previous_status IS NOT NULL",
        unique_by=["applicant_id", "job_title", "company_name"],
        mine=True,
    )
    story.wish(
        (
            "{company} called me back about the {job} job. Can you take my application there out of the archive?",
            "I would like to have my archived application for the {job} job at {company} again. Could you please restore it?",
            "can you pull my {job} application at {company} out of the archive? they called me back",
        ),
        short="taking my application for the {job} job at {company} out of the archive",
        job=app["job_title"],
        company=app["company_name"],
    )
    apps = story.call("list_applicant_applications", applicant_id=story.identify())["applications"]
    mine = story.find(apps, job_title=app["job_title"], company_name=app["company_name"])
    story.call("restore_application", application_id=mine["application_id"])


@scenario
def archive_what_is_old(story: Story) -> None:
    """The applicant wants all applications archived that were filed before a day."""
    app = story.pick(
        "job_application",
        f"{FILED} AND {NOTHING_AHEAD} AND {NOBODY_OLDER}",
        unique_by=["applicant_id", "job_title", "company_name"],
        mine=True,
    )
    day = story.after(story.date_of(app["application_date"]), days=1)
    story.wish(
        (
            "I only care about applications I've filed since {day}. Can you archive the older ones, including the {job} one at {company}?",
            "I would like to keep only what I have filed since {day}. Could you please archive my older applications, including the {job} one at {company}?",
            "archive my old applications pls, the {job} one at {company} and anything older. just keep what i've filed since {day}",
        ),
        short="archiving my older applications, the {job} one at {company} included, and keeping what I've filed since {day}",
        job=app["job_title"],
        company=app["company_name"],
        day=day,
    )
    story.identify()
    story.call("archive_old_applications", cutoff_date=day)


@scenario(form="ambiguous")
def archive_one_of_many(story: Story) -> None:
    """The applicant wants one of many filed applications archived and says which when asked."""
    app = story.pick(
        "job_application",
        f"{FILED} AND {FOUR_FILED}",
        unique_by=["applicant_id", "job_title"],
        mine=True,
    )
    state = story.choose("state", {"archived": "archived"})
    change = story.wish(
        (
            "I'm done with one of my applications. Can you set it to {state} so it's out of the way?",
            "One of my applications no longer matters to me. Could you please set it to {state}?",
            "set one of my applications to {state} pls, i'm done with it",
        ),
        state=state,
    )
    story.keep_back("job", app["job_title"])
    story.in_short(change, "setting to {state} one of my applications, {job}", state=state, job=app["job_title"])
    apps = story.call("list_applicant_applications", applicant_id=story.identify())["applications"]
    filed = [each for each in apps if each["status"] not in ("draft", "archived")]
    mine = story.find(filed, job_title=app["job_title"])
    for other in story.others(filed, mine):
        with story.wrong("takes another one that fits"):
            story.call("batch_update_application_status", application_ids=[other["application_id"]], new_status=state)
    story.call("batch_update_application_status", application_ids=[mine["application_id"]], new_status=state)


@scenario(form="best_of")
def archive_first_important_one(story: Story) -> None:
    """The applicant wants the earliest filed application of some priority archived."""
    level = story.choose("level", [3])
    state = story.choose("state", {"archived": "archived"})
    story.pick(
        "job_application",
        f"""{FILED} AND priority_level >= ?
        AND NOT EXISTS (
            SELECT 1 FROM job_application AS o WHERE o.applicant_id = job_application.applicant_id
            AND o.status NOT IN ('draft', 'archived') AND o.priority_level >= ? AND o.application_date < job_application.application_date
        ) AND EXISTS (
            SELECT 1 FROM job_application AS o WHERE o.applicant_id = job_application.applicant_id
            AND o.status NOT IN ('draft', 'archived') AND coalesce(o.priority_level, 0) < ? AND o.application_date < job_application.application_date
        ) AND EXISTS (
            SELECT 1 FROM job_application AS o WHERE o.applicant_id = job_application.applicant_id
            AND o.status NOT IN ('draft', 'archived') AND o.priority_level >= ? AND o.application_date > job_application.application_date
        )""",
        level,
        level,
        level,
        level,
        mine=True,
    )
    story.wish(
        (
            "Of my applications with priority {level} or higher, can you set the one I filed first to {state}? Skip any that already are.",
            "Please set to {state} the application I filed first among those with priority {level} or higher, not counting any that already are.",
            "set the first application i filed with priority {level} or higher to {state}, skip any that already are",
        ),
        short="setting to {state} the application I filed first of those with priority {level} or higher, skipping any that already are",
        level=level,
        state=state,
    )
    apps = story.call("list_applicant_applications", applicant_id=story.identify())["applications"]
    filed = [each for each in apps if each["status"] not in ("draft", "archived")]
    with story.wrong("forgets the priority"):
        early = story.lowest(filed, "application_date")
        story.call("batch_update_application_status", application_ids=[early["application_id"]], new_status=state)
    fitting = [each for each in filed if (each["priority_level"] or 0) >= level]
    first = story.lowest(fitting, "application_date")
    for other in story.others(fitting, first, 1):
        with story.wrong("takes another one that fits"):
            story.call("batch_update_application_status", application_ids=[other["application_id"]], new_status=state)
    story.call("batch_update_application_status", application_ids=[first["application_id"]], new_status=state)


@scenario(form="changed_mind")
def add_stage_and_move_deadline(story: Story) -> None:
    """The applicant reports a stage and sets a deadline, then corrects the deadline."""
    app = story.pick("job_application", OPEN, unique_by=["applicant_id", "job_title", "company_name"], mine=True)
    stage = story.choose("stage", ["reference check", "panel interview", "case study"])
    moment = story.moment(story.day(6), "14:00")
    kind = story.choose("deadline", ["follow-up", "response"])
    first = story.moment(story.day(12), "17:00")
    second = story.moment(story.day(14), "17:00")
    reach = story.wish(
        (
            "My {stage} for the {job} job at {company} is on {moment}. Can you add it as a stage?",
            "I have a {stage} for the {job} job at {company} on {moment}. Could you please add it as a stage?",
            "can you add a {stage} stage to my {job} application at {company}? it's on {moment}",
        ),
        short="adding a {stage} stage on {moment} to my {job} application at {company}",
        stage=stage,
        job=app["job_title"],
        company=app["company_name"],
        moment=moment,
    )
    due = story.wish(
        (
            "I also need a {kind} deadline on my {job} application at {company}. Can you set it to {first}?",
            "Please set a {kind} deadline on my {job} application at {company}. It should fall on {first}.",
            "need a {kind} deadline on my {job} application at {company}, make it {first}",
        ),
        short="setting a {kind} deadline on my {job} application at {company} to {first}",
        kind=kind,
        job=app["job_title"],
        company=app["company_name"],
        first=first,
    )
    correct = story.changes_mind(
        due,
        (
            "Actually, make that deadline {second}.",
            "I made a mistake with the deadline. It should fall on {second}.",
            "oops, i meant {second} for that deadline",
        ),
        short="moving that deadline to {second}",
        second=second,
    )
    apps = story.call("list_applicant_applications", wish=reach, applicant_id=story.identify())["applications"]
    mine = story.find(apps, job_title=app["job_title"], company_name=app["company_name"])
    story.call(
        "add_application_stage", wish=reach, application_id=mine["application_id"], stage_name=stage, stage_date=moment
    )
    story.call(
        "set_application_deadline",
        wish=due,
        application_id=mine["application_id"],
        deadline_date=first,
        deadline_type=kind,
    )
    story.call(
        "set_application_deadline",
        wish=correct,
        application_id=mine["application_id"],
        deadline_date=second,
        deadline_type=kind,
    )


@scenario(form="computed")
def decision_after_last_stage(story: Story) -> None:
    """The applicant asks when a decision comes, some days after the latest stage, and for the deadline."""
    app = story.pick(
        "job_application",
        """deadline_date IS NOT NULL AND (
            SELECT count(*) FROM application_stage WHERE application_stage.application_id = job_application.application_id
        ) >= 2""",
        unique_by=["applicant_id", "job_title", "company_name"],
        mine=True,
    )
    days = story.choose("days", [7, 10, 14])
    story.wish(
        (
            "{company} decides on the {job} job {days} days after my latest stage. When's the decision date, and when's the deadline on it?",
            "I was told that {company} decides on the {job} job {days} days after my latest stage. Could you please tell me the decision date and the deadline?",
            "when's the decision date for my {job} application at {company}, {days} days after my latest stage? and when's the deadline",
        ),
        short="telling me the decision date for the {job} job at {company}, {days} days after my latest stage, and the deadline",
        company=app["company_name"],
        job=app["job_title"],
        days=days,
    )
    apps = story.call("list_applicant_applications", applicant_id=story.identify())["applications"]
    mine = story.find(apps, job_title=app["job_title"], company_name=app["company_name"])
    stages = story.call("get_application_stage_history", application_id=mine["application_id"])["stages"]
    latest = story.highest(stages, "stage_date")
    with story.wrong("counts from the application"):
        story.answer("decision date", story.after(story.date_of(mine["application_date"]), days=days))
        story.answer("deadline", story.date_of(mine["deadline_date"]))
    with story.wrong("counts from the first stage"):
        story.answer(
            "decision date", story.after(story.date_of(story.lowest(stages, "stage_date")["stage_date"]), days=days)
        )
        story.answer("deadline", story.date_of(mine["deadline_date"]))
    story.answer("decision date", story.after(story.date_of(latest["stage_date"]), days=days))
    story.answer("deadline", story.date_of(mine["deadline_date"]))


@scenario(form="looked_up")
def add_stage_by_pay(story: Story) -> None:
    """The applicant reports a stage for the application with a certain expected pay."""
    app = story.pick(
        "job_application",
        f"""{OPEN} AND expected_salary_min IS NOT NULL AND (
            SELECT count(*) FROM job_application AS o WHERE o.applicant_id = job_application.applicant_id
            AND o.status IN ('submitted', 'under_review')
        ) BETWEEN 2 AND 3 AND NOT EXISTS (
            SELECT 1 FROM job_application AS o WHERE o.applicant_id = job_application.applicant_id
            AND o.application_id <> job_application.application_id AND o.status IN ('submitted', 'under_review')
            AND o.expected_salary_min = job_application.expected_salary_min
        )""",
        mine=True,
    )
    stage = story.choose("stage", ["skills test", "panel interview", "office visit"])
    moment = story.moment(story.day(10), "11:00")
    pay = story.money(app["expected_salary_min"], minor=1)
    story.wish(
        (
            "My open application where I want at least {pay} a year moved ahead. Can you add a stage, {stage}, on {moment}?",
            "I would like to add a stage, {stage}, on {moment} to my open application where I want at least {pay} a year.",
            "add a {stage} stage on {moment} to my open application, the one where i want at least {pay} a year",
        ),
        short="adding a {stage} stage on {moment} to my open application where I want at least {pay} a year",
        stage=stage,
        moment=moment,
        pay=pay,
    )
    apps = story.call("list_applicant_applications", applicant_id=story.identify())["applications"]
    live = [each for each in apps if each["status"] in ("submitted", "under_review")]
    details = [story.call("get_job_application", application_id=each["application_id"]) for each in live]
    mine = story.find(details, expected_salary_min=pay)
    for other in story.others(details, mine):
        with story.wrong("takes another open one"):
            story.call(
                "add_application_stage", application_id=other["application_id"], stage_name=stage, stage_date=moment
            )
    story.call("add_application_stage", application_id=mine["application_id"], stage_name=stage, stage_date=moment)


@scenario(form="withheld")
def add_stage_at_a_time(story: Story) -> None:
    """The applicant reports a stage on a day and tells the time when asked."""
    app = story.pick("job_application", OPEN, unique_by=["applicant_id", "job_title", "company_name"], mine=True)
    stage = story.choose("stage", ["reference call", "hiring manager chat", "team lunch"])
    day = story.day(5)
    add = story.wish(
        (
            "{company} gave me a time for my {stage} on {day}. Can you add that stage to my {job} application there?",
            "I have been given a time for my {stage} on {day}. Could you please add that stage to my {job} application at {company}?",
            "can you add a {stage} stage on {day} to my {job} application at {company}? got a time for it now",
        ),
        company=app["company_name"],
        stage=stage,
        day=day,
        job=app["job_title"],
    )
    moment = story.moment(day, story.choose("time", ["10:00", "11:30", "14:00", "16:30"]))
    story.keep_back("time", moment)
    story.in_short(
        add,
        "adding a {stage} stage to my {job} application at {company} on {moment}",
        stage=stage,
        job=app["job_title"],
        company=app["company_name"],
        moment=moment,
    )
    apps = story.call("list_applicant_applications", applicant_id=story.identify())["applications"]
    mine = story.find(apps, job_title=app["job_title"], company_name=app["company_name"])
    story.call("add_application_stage", application_id=mine["application_id"], stage_name=stage, stage_date=moment)


@scenario(form="withheld")
def replace_latest_stage(story: Story) -> None:
    """The applicant wants the latest stage replaced and tells the right one when asked."""
    app = story.pick(
        "job_application",
        f"""{OPEN} AND EXISTS (
            SELECT 1 FROM application_stage WHERE application_stage.application_id = job_application.application_id
        )""",
        unique_by=["applicant_id", "job_title", "company_name"],
        mine=True,
    )
    replace = story.wish(
        (
            "The latest stage on my {job} application at {company} is wrong. Can you remove it and add the right one, same date and time?",
            "Please remove the latest stage of my {job} application at {company}, which is wrong, and add the right one with the same date and time.",
            "latest stage on my {job} application at {company} is wrong, can you swap it for the right one? same date and time",
        ),
        job=app["job_title"],
        company=app["company_name"],
    )
    stage = story.choose("stage", ["group interview", "case study", "skills test", "panel interview"])
    story.keep_back("right stage", stage)
    story.in_short(
        replace,
        "replacing the latest stage of my {job} application at {company}, with the same date and time, by {stage}",
        job=app["job_title"],
        company=app["company_name"],
        stage=stage,
    )
    apps = story.call("list_applicant_applications", applicant_id=story.identify())["applications"]
    mine = story.find(apps, job_title=app["job_title"], company_name=app["company_name"])
    stages = story.call("get_application_stage_history", application_id=mine["application_id"])["stages"]
    latest = story.highest(stages, "stage_date")
    story.call("remove_application_stage", stage_id=latest["stage_id"])
    story.call(
        "add_application_stage",
        application_id=mine["application_id"],
        stage_name=stage,
        stage_date=latest["stage_date"],
    )


@scenario
def report_a_missed_interview(story: Story) -> None:
    """The applicant did not make it to an interview and wants that recorded."""
    visit = story.pick(
        "interview_schedule",
        f"""{HELD} AND {ALONE_THAT_DAY} AND NOT EXISTS (
            SELECT 1 FROM interview_feedback WHERE interview_feedback.interview_id = interview_schedule.interview_id
        )""",
        mine=True,
    )
    company = story.row("job_application", visit["application_id"])["company_name"]
    day = story.date_of(visit["interview_date"])
    story.wish(
        (
            "I overslept and never showed up to my {company} interview on {day}. Can you mark it as missed?",
            "I did not attend my interview with {company} on {day}. Could you please mark it as missed?",
            "can you mark my {company} interview on {day} as missed? never made it there",
        ),
        short="marking my {company} interview on {day} as missed",
        company=company,
        day=day,
    )
    visits = story.call("list_applicant_interviews", applicant_id=story.identify())["interviews"]
    that_day = [each for each in visits if story.date_of(each["interview_date"]) == day]
    mine = story.find(that_day, company_name=company)
    story.call("mark_interview_missed", interview_id=mine["interview_id"])


@scenario
def correct_a_rating(story: Story) -> None:
    """The applicant wants the rating of a recorded feedback corrected."""
    rating = story.choose("new rating", [1, 2, 3, 4, 5])
    feedback = story.pick(
        "interview_feedback",
        """performance_rating IS NOT NULL AND performance_rating <> ? AND EXISTS (
            SELECT 1 FROM interview_schedule AS i JOIN job_application AS a ON a.application_id = i.application_id
            WHERE i.interview_id = interview_feedback.interview_id AND a.status <> 'archived'
        )""",
        rating,
        unique_by=[
            "interview_id.application_id.applicant_id",
            "interview_id.application_id.job_title",
            "interview_id.application_id.company_name",
            "performance_rating",
        ],
        mine=True,
    )
    visit = story.row("interview_schedule", feedback["interview_id"])
    app = story.row("job_application", visit["application_id"])
    old = feedback["performance_rating"]
    story.wish(
        (
            "The feedback rated {old} for my {job} interview at {company} has the wrong number. Can you change that rating to {rating}?",
            "I would like to correct the feedback rated {old} for my {job} interview at {company}. Could you please change the rating to {rating}?",
            "can you change the {old} rating in the feedback for my {job} interview at {company} to {rating}?",
        ),
        short="changing the rating of the feedback rated {old} for my {job} interview at {company} to {rating}",
        old=old,
        job=app["job_title"],
        company=app["company_name"],
        rating=rating,
    )
    apps = story.call("list_applicant_applications", applicant_id=story.identify())["applications"]
    same = [each for each in apps if each["application_id"] == app["application_id"]]
    mine = story.find(same, job_title=app["job_title"], company_name=app["company_name"])
    entries = story.call("list_interview_feedback", application_id=mine["application_id"])["feedback"]
    wrong = story.find(entries, performance_rating=old)
    story.call("revise_interview_feedback", feedback_id=wrong["feedback_id"], performance_rating=rating)


@scenario
def schedule_an_interview_at_a_place(story: Story) -> None:
    """The applicant was invited and wants the interview scheduled with its details."""
    app = story.pick(
        "job_application",
        f"""{OPEN} AND coalesce((
            SELECT sum(amount_cents) FROM charge WHERE charge.applicant_id = job_application.applicant_id AND charge.status = 'unpaid'
        ), 0) < 2500""",
        unique_by=["applicant_id", "job_title", "company_name"],
        mine=True,
    )
    moment = story.moment(story.day(11), "17:30")
    kind = story.choose("kind", ["panel interview", "video interview", "trial shift"])
    minutes = story.choose("minutes", [30, 45, 60])
    story.wish(
        (
            "{company} invited me for the {job} job on {moment}. Can you schedule it as a {kind} of {minutes} minutes?",
            "I have been invited by {company} for the {job} job on {moment}. Could you please schedule a {kind} of {minutes} minutes?",
            "can you schedule a {kind} of {minutes} minutes on {moment} for the {job} job at {company}?",
        ),
        short="scheduling a {kind} of {minutes} minutes on {moment} for the {job} job at {company}",
        company=app["company_name"],
        job=app["job_title"],
        moment=moment,
        kind=kind,
        minutes=minutes,
    )
    apps = story.call("list_applicant_applications", applicant_id=story.identify())["applications"]
    mine = story.find(apps, job_title=app["job_title"], company_name=app["company_name"])
    story.call(
        "add_interview_schedule",
        application_id=mine["application_id"],
        interview_type=kind,
        interview_date=moment,
        interview_duration_minutes=minutes,
    )


@scenario(form="denied")
def schedule_with_a_bill(story: Story) -> None:
    """The applicant wants an interview scheduled, which unpaid charges may prevent."""
    app = story.pick(
        "job_application",
        f"""{OPEN} AND (
            SELECT count(*) FROM charge WHERE charge.applicant_id = job_application.applicant_id AND charge.status = 'unpaid'
        ) <= 1""",
        unique_by=["applicant_id", "job_title", "company_name"],
        mine=True,
    )
    moment = story.moment(story.day(7), "17:45")
    kind = story.choose("kind", ["phone call", "panel interview", "site visit"])
    book = story.wish(
        (
            "{company} wants to talk to me about the {job} job on {moment}. Can you schedule it as a {kind}?",
            "I have been asked by {company} to talk about the {job} job on {moment}. Could you please schedule a {kind}?",
            "can you schedule a {kind} on {moment} for the {job} job at {company}?",
        ),
        short="scheduling a {kind} on {moment} for the {job} job at {company}",
        company=app["company_name"],
        job=app["job_title"],
        moment=moment,
        kind=kind,
    )
    story.insists(
        book,
        (
            "I've waited months for this one, I really can't let it slip.",
            "This invitation means a great deal to me after so many months of waiting.",
            "been waiting months for this, i can't lose it",
        ),
    )
    apps = story.call("list_applicant_applications", applicant_id=story.identify())["applications"]
    mine = story.find(apps, job_title=app["job_title"], company_name=app["company_name"])
    if story.permits(
        "add_interview_schedule", application_id=mine["application_id"], interview_type=kind, interview_date=moment
    ):
        story.call(
            "add_interview_schedule", application_id=mine["application_id"], interview_type=kind, interview_date=moment
        )
    else:
        story.decline(book)


@scenario(form="fallback")
def cancel_or_change_the_place(story: Story) -> None:
    """The applicant wants an interview canceled, or else its place changed."""
    reason = story.dictate("reason", "A family matter came up that day")
    place = story.choose("place", ["Google Meet", "Skype"])
    visit = story.pick(
        "interview_schedule", f"{UPCOMING} AND {NO_OTHER_AHEAD} AND interview_location IS NOT ?", place, mine=True
    )
    company = story.row("job_application", visit["application_id"])["company_name"]
    drop = story.wish(
        (
            "I can't do my upcoming interview with {company}. Can you cancel it? As the reason, please put exactly this: {reason}",
            "I would like to cancel my upcoming interview with {company}. As the reason, please put exactly this: {reason}",
            "can you cancel my upcoming {company} interview? put exactly this as the reason: {reason}",
        ),
        short="canceling my upcoming interview with {company} with the reason {reason}",
        company=company,
        reason=reason,
    )
    remote = story.otherwise(
        drop,
        (
            "Then please just change the place of my {company} interview to {place}.",
            "In that case, please change the place of my {company} interview to {place}.",
            "then change the place of my {company} interview to {place}",
        ),
        short="changing the place of my {company} interview to {place}",
        company=company,
        place=place,
    )
    visits = story.call("list_applicant_interviews", applicant_id=story.identify())["interviews"]
    ahead = [each for each in visits if each["status"] == "scheduled" and each["interview_date"] > story.now]
    mine = story.find(ahead, company_name=company)
    if story.permits("cancel_interview", wish=drop, interview_id=mine["interview_id"], cancel_reason=reason):
        story.call("cancel_interview", wish=drop, interview_id=mine["interview_id"], cancel_reason=reason)
    else:
        story.decline(drop)
        story.call("update_interview_details", wish=remote, interview_id=mine["interview_id"], interview_location=place)


@scenario(form="denied")
def move_an_interview(story: Story) -> None:
    """The applicant wants an upcoming interview moved, which its length or an earlier move may prevent."""
    visit = story.pick(
        "interview_schedule", f"{UPCOMING} AND {NOT_SOON} AND {STILL_OPEN} AND {NO_OTHER_AHEAD}", mine=True
    )
    company = story.row("job_application", visit["application_id"])["company_name"]
    moment = story.moment(story.day(13), "17:30")
    move = story.wish(
        (
            "Something came up at work. Can you move my upcoming interview with {company} to {moment}?",
            "I would like to move my upcoming interview with {company} to {moment}, please.",
            "can you move my upcoming {company} interview to {moment}? work got in the way",
        ),
        short="moving my upcoming interview with {company} to {moment}",
        company=company,
        moment=moment,
    )
    story.insists(
        move,
        (
            "My boss won't give me that day off, and I'm at my wits' end.",
            "My supervisor refuses to let me go that day, which is very upsetting.",
            "my boss won't let me leave that day, this is so stressful",
        ),
    )
    visits = story.call("list_applicant_interviews", applicant_id=story.identify())["interviews"]
    ahead = [each for each in visits if each["status"] == "scheduled" and each["interview_date"] > story.now]
    mine = story.find(ahead, company_name=company)
    if story.permits("reschedule_interview", interview_id=mine["interview_id"], new_interview_date=moment):
        story.call("reschedule_interview", interview_id=mine["interview_id"], new_interview_date=moment)
    else:
        story.decline(move)


@scenario(form="changed_mind")
def change_the_place_twice(story: Story) -> None:
    """The applicant changes the place of an interview and then corrects it."""
    first = story.choose("first place", ["Skype", "Webex"])
    second = story.choose("second place", ["Google Meet", "FaceTime"])
    visit = story.pick(
        "interview_schedule",
        f"{UPCOMING} AND {NO_OTHER_AHEAD} AND interview_location IS NOT ? AND interview_location IS NOT ?",
        first,
        second,
        mine=True,
    )
    company = story.row("job_application", visit["application_id"])["company_name"]
    place = story.wish(
        (
            "My upcoming interview with {company} is on {place} now. Can you change the location?",
            "I was told that my upcoming interview with {company} takes place on {place}. Could you please change the location?",
            "can you change the location of my upcoming {company} interview to {place}?",
        ),
        short="changing the location of my upcoming interview with {company} to {place}",
        company=company,
        place=first,
    )
    correct = story.changes_mind(
        place,
        (
            "Sorry, I mixed that up. It's on {place}.",
            "I apologize, I confused the two. It takes place on {place}.",
            "oops wrong one, it's on {place}",
        ),
        short="making it {place} instead",
        place=second,
    )
    visits = story.call("list_applicant_interviews", wish=place, applicant_id=story.identify())["interviews"]
    ahead = [each for each in visits if each["status"] == "scheduled" and each["interview_date"] > story.now]
    mine = story.find(ahead, company_name=company)
    story.call("update_interview_details", wish=place, interview_id=mine["interview_id"], interview_location=first)
    story.call("update_interview_details", wish=correct, interview_id=mine["interview_id"], interview_location=second)


@scenario(form="coupled")
def move_a_long_interview(story: Story) -> None:
    """The applicant wants a long interview moved and tells that it is shorter now."""
    visit = story.pick(
        "interview_schedule",
        f"{UPCOMING} AND {NOT_SOON} AND {STILL_OPEN} AND {NO_OTHER_AHEAD} AND reschedule_count = 0 AND interview_duration_minutes >= 60",
        mine=True,
    )
    company = story.row("job_application", visit["application_id"])["company_name"]
    moment = story.moment(story.day(14), "17:45")
    minutes = story.choose("minutes", [30, 40, 45])
    with story.together():
        move = story.wish(
            (
                "Can you move my upcoming interview with {company} to {moment}?",
                "I would like to move my upcoming interview with {company} to {moment}.",
                "need my upcoming {company} interview moved to {moment}",
            ),
            short="moving my upcoming interview with {company} to {moment}",
            company=company,
            moment=moment,
        )
        shorten = story.wish(
            (
                "They also cut my {company} interview to {minutes} minutes, so please change the length.",
                "Please also change the length of my {company} interview to {minutes} minutes, as they have cut it.",
                "and change the length of my {company} interview to {minutes} minutes, they cut it",
            ),
            short="changing the length of my {company} interview to {minutes} minutes",
            company=company,
            minutes=minutes,
        )
    visits = story.call("list_applicant_interviews", wish=move, applicant_id=story.identify())["interviews"]
    ahead = [each for each in visits if each["status"] == "scheduled" and each["interview_date"] > story.now]
    mine = story.find(ahead, company_name=company)
    story.call(
        "update_interview_details", wish=shorten, interview_id=mine["interview_id"], interview_duration_minutes=minutes
    )
    story.call("reschedule_interview", wish=move, interview_id=mine["interview_id"], new_interview_date=moment)


@scenario(form="mistaken")
def time_left_until_interview(story: Story) -> None:
    """The applicant misremembers the day of an interview and asks for the hours left and the location."""
    visit = story.pick(
        "interview_schedule", f"{UPCOMING} AND {NO_OTHER_AHEAD} AND interview_location IS NOT NULL", mine=True
    )
    company = story.row("job_application", visit["application_id"])["company_name"]
    wrong = story.after(visit["interview_date"], days=story.choose("days", (1, 2, 3)))
    day = story.date_of(wrong)
    story.wish(
        (
            "I think my next interview with {company} is on {day}. How many hours do I have left until it, and what's the location?",
            "My next interview with {company} is on {day}, I believe. Could you please tell me the hours left until it and the location?",
            "how many hours left until my next {company} interview, and what's the location? pretty sure it's on {day}",
        ),
        short="telling me the hours left until my next interview with {company} and the location",
        company=company,
        day=day,
    )
    story.believes("interview day", day, story.date_of(visit["interview_date"]))
    visits = story.call("list_applicant_interviews", applicant_id=story.identify())["interviews"]
    ahead = [each for each in visits if each["status"] == "scheduled" and each["interview_date"] > story.now]
    mine = story.find(ahead, company_name=company)
    with story.wrong("trusts the customer"):
        late = story.call("calculate_interview_preparation_time", current_date=story.now, interview_date=wrong)
        story.answer("hours", late["hours_until_interview"])
        story.answer("location", mine["interview_location"], source="interview_schedule.interview_location")
    with story.wrong("counts from midnight"):
        early = story.call(
            "calculate_interview_preparation_time",
            current_date=story.moment(story.today, "00:00"),
            interview_date=mine["interview_date"],
        )
        story.answer("hours", early["hours_until_interview"])
        story.answer("location", mine["interview_location"], source="interview_schedule.interview_location")
    left = story.call(
        "calculate_interview_preparation_time", current_date=story.now, interview_date=mine["interview_date"]
    )
    story.answer("hours", left["hours_until_interview"])
    story.answer("location", mine["interview_location"], source="interview_schedule.interview_location")


@scenario(form="best_of")
def feedback_on_latest_short_interview(story: Story) -> None:
    """The applicant adds feedback to the latest past interview of at most some length."""
    minutes = story.choose("minutes", [30])
    story.pick(
        "interview_schedule",
        f"""{HELD} AND interview_duration_minutes <= ? AND NOT EXISTS (
            SELECT 1 FROM interview_schedule AS i JOIN job_application AS theirs ON theirs.application_id = i.application_id
            JOIN job_application AS own ON own.application_id = interview_schedule.application_id
            WHERE theirs.applicant_id = own.applicant_id AND i.status = 'scheduled' AND i.interview_date <= '2024-03-15 09:30:00'
            AND i.interview_duration_minutes <= ? AND i.interview_date > interview_schedule.interview_date
        ) AND EXISTS (
            SELECT 1 FROM interview_schedule AS i JOIN job_application AS theirs ON theirs.application_id = i.application_id
            JOIN job_application AS own ON own.application_id = interview_schedule.application_id
            WHERE theirs.applicant_id = own.applicant_id AND i.status = 'scheduled' AND i.interview_date <= '2024-03-15 09:30:00'
            AND i.interview_duration_minutes > ? AND i.interview_date > interview_schedule.interview_date
        ) AND EXISTS (
            SELECT 1 FROM interview_schedule AS i JOIN job_application AS theirs ON theirs.application_id = i.application_id
            JOIN job_application AS own ON own.application_id = interview_schedule.application_id
            WHERE theirs.applicant_id = own.applicant_id AND i.status = 'scheduled' AND i.interview_date <= '2024-03-15 09:30:00'
            AND i.interview_duration_minutes <= ? AND i.interview_date < interview_schedule.interview_date
        )""",
        minutes,
        minutes,
        minutes,
        minutes,
        mine=True,
    )
    rating = story.choose("rating", [3, 4, 5])
    note = story.dictate("feedback", "Felt calm and answered every question they had")
    story.wish(
        (
            "Of the interviews I've been to that were planned for {minutes} minutes or less, please rate the latest {rating} and put exactly this: {note}",
            "Please take the latest interview I attended that was planned for {minutes} minutes or less, rate it {rating}, and put exactly this: {note}",
            "rate my latest past interview {rating}, only from the ones planned for {minutes} minutes or less, and put exactly this: {note}",
        ),
        short="rating my latest past interview planned for {minutes} minutes or less {rating}, with {note}",
        minutes=minutes,
        rating=rating,
        note=note,
    )
    visits = story.call("list_applicant_interviews", applicant_id=story.identify())["interviews"]
    held = [each for each in visits if each["status"] == "scheduled" and each["interview_date"] <= story.now]
    with story.wrong("forgets the length"):
        late = story.highest(held, "interview_date")
        story.call(
            "add_interview_feedback",
            interview_id=late["interview_id"],
            feedback_content=note,
            performance_rating=rating,
        )
    brief = [each for each in held if (each["interview_duration_minutes"] or 999) <= minutes]
    last = story.highest(brief, "interview_date")
    for other in story.others(brief, last, 1):
        with story.wrong("takes another one that fits"):
            story.call(
                "add_interview_feedback",
                interview_id=other["interview_id"],
                feedback_content=note,
                performance_rating=rating,
            )
    story.call(
        "add_interview_feedback", interview_id=last["interview_id"], feedback_content=note, performance_rating=rating
    )


@scenario
def record_a_new_offer(story: Story) -> None:
    """The applicant received an offer and wants it recorded."""
    app = story.pick(
        "job_application",
        """status = 'under_review' AND NOT EXISTS (
            SELECT 1 FROM job_offer WHERE job_offer.application_id = job_application.application_id AND job_offer.status = 'pending'
        )""",
        unique_by=["applicant_id", "job_title", "company_name"],
        mine=True,
    )
    pay = story.money(story.choose("pay", [58000, 72500, 89000, 104000]), minor=1)
    start = story.day(45)
    respond = story.day(7)
    story.wish(
        (
            "{company} offered me the {job} job at {pay} a year, starting on {start}. I have to answer by {respond}. Can you record the offer?",
            "I received an offer from {company} for the {job} job at {pay} a year, starting on {start}. Could you please record it? I must answer by {respond}.",
            "got an offer for the {job} job at {company}, {pay} a year, starting on {start}, answer due by {respond}. can you record it?",
        ),
        short="recording the offer for the {job} job at {company}, {pay} a year, starting on {start}, to be answered by {respond}",
        job=app["job_title"],
        company=app["company_name"],
        pay=pay,
        start=start,
        respond=respond,
    )
    apps = story.call("list_applicant_applications", applicant_id=story.identify())["applications"]
    mine = story.find(apps, job_title=app["job_title"], company_name=app["company_name"])
    story.call(
        "record_job_offer",
        application_id=mine["application_id"],
        offered_salary=pay,
        start_date=start,
        respond_by=respond,
    )


@scenario
def name_who_referred_me(story: Story) -> None:
    """The applicant tells where an application came from and who referred them."""
    source = story.choose("source", ["alumni event", "former coworker", "trade show"])
    person = story.choose("person", ["Dana Whitfield", "Marcus Bell", "Joan Ortiz"])
    app = story.pick(
        "job_application",
        f"{UNFINISHED} AND referral_source IS NOT ?",
        source,
        unique_by=["applicant_id", "job_title", "company_name"],
        mine=True,
    )
    story.wish(
        (
            "{person} referred me for the {job} job at {company}. Can you record that, with {source} as the source?",
            "I was referred for the {job} job at {company} by {person}. Could you please record that with {source} as the source?",
            "can you put {person} down as who referred me for the {job} job at {company}? source is {source}",
        ),
        short="recording that {person} referred me for the {job} job at {company}, with {source} as the source",
        job=app["job_title"],
        company=app["company_name"],
        person=person,
        source=source,
    )
    apps = story.call("list_applicant_applications", applicant_id=story.identify())["applications"]
    mine = story.find(apps, job_title=app["job_title"], company_name=app["company_name"])
    story.call(
        "set_application_referral",
        application_id=mine["application_id"],
        referral_source=source,
        referral_person=person,
    )


@scenario
def deadline_and_note(story: Story) -> None:
    """The applicant wants a deadline set and a note added to an application."""
    app = story.pick("job_application", UNFINISHED, unique_by=["applicant_id", "job_title", "company_name"], mine=True)
    kind = story.choose("deadline", ["reference list", "background check", "writing sample"])
    moment = story.moment(story.day(11), "12:00")
    note = story.dictate("note", "Ask {company} whether they cover moving costs", company=app["company_name"])
    story.wish(
        (
            "{company} set a {kind} deadline on {moment} for the {job} job. Can you enter it and add a note? Please put exactly this: {note}",
            "I have a {kind} deadline on {moment} for the {job} job at {company}. Please enter it and add a note. Put exactly this: {note}",
            "enter a {kind} deadline on {moment} for my {job} application at {company} and add a note, put exactly this: {note}",
        ),
        short="entering a {kind} deadline on {moment} for the {job} job at {company} and adding a note, {note}",
        job=app["job_title"],
        company=app["company_name"],
        kind=kind,
        moment=moment,
        note=note,
    )
    apps = story.call("list_applicant_applications", applicant_id=story.identify())["applications"]
    mine = story.find(apps, job_title=app["job_title"], company_name=app["company_name"])
    story.call(
        "set_application_deadline", application_id=mine["application_id"], deadline_date=moment, deadline_type=kind
    )
    story.call("add_application_note", application_id=mine["application_id"], note_content=note)


@scenario(form="denied")
def accept_an_offer(story: Story) -> None:
    """The applicant wants to accept an offer, which an early first day may prevent."""
    offer = story.pick(
        "job_offer",
        """status = 'pending' AND respond_by >= ? AND EXISTS (
            SELECT 1 FROM job_application AS a WHERE a.application_id = job_offer.application_id AND a.status IN ('submitted', 'under_review')
        )""",
        story.today,
        unique_by=["application_id.applicant_id", "application_id.company_name"],
        mine=True,
    )
    company = story.row("job_application", offer["application_id"])["company_name"]
    accept = story.wish(
        (
            "I'm taking the job {company} offered me. Can you accept that offer for me?",
            "I have decided in favor of {company}. Could you please accept their offer for me?",
            "can you accept the offer from {company} for me? i'm taking it",
        ),
        short="accepting the offer from {company}",
        company=company,
    )
    story.insists(
        accept,
        (
            "I've already told my whole family about it. Please don't do this to me.",
            "My family has been celebrating all week. This would be a terrible disappointment.",
            "already told my family, we're so excited, please",
        ),
    )
    offers = story.call("list_applicant_offers", applicant_id=story.identify())["offers"]
    mine = story.find(offers, company_name=company)
    if story.permits("accept_job_offer", offer_id=mine["offer_id"]):
        story.call("accept_job_offer", offer_id=mine["offer_id"])
    else:
        story.decline(accept)


@scenario(form="fallback")
def raise_priority_or_set_deadline(story: Story) -> None:
    """The applicant wants a priority set, or else a deadline."""
    level = story.choose("level", [1, 2, 3, 4, 5])
    app = story.pick(
        "job_application",
        f"{UNFINISHED} AND priority_level IS NOT ?",
        level,
        unique_by=["applicant_id", "job_title", "company_name"],
        mine=True,
    )
    kind = story.choose("deadline", ["follow-up", "response"])
    moment = story.moment(story.day(17), "09:00")
    rank = story.wish(
        (
            "Can you set the priority of my {job} application at {company} to {level}? I've been rethinking my list.",
            "I would like to set the priority of my {job} application at {company} to {level}, please.",
            "set my {job} application at {company} to priority {level} pls, rethinking my list",
        ),
        short="setting the priority of my {job} application at {company} to {level}",
        job=app["job_title"],
        company=app["company_name"],
        level=level,
    )
    remind = story.otherwise(
        rank,
        (
            "Okay, then please set a {kind} deadline on my {job} application at {company} to {moment}.",
            "In that case, please set a {kind} deadline on my {job} application at {company} to {moment}.",
            "ok then set a {kind} deadline on my {job} application at {company} to {moment}",
        ),
        short="setting a {kind} deadline on my {job} application at {company} to {moment}",
        job=app["job_title"],
        company=app["company_name"],
        kind=kind,
        moment=moment,
    )
    apps = story.call("list_applicant_applications", applicant_id=story.identify())["applications"]
    mine = story.find(apps, job_title=app["job_title"], company_name=app["company_name"])
    if story.permits(
        "set_application_priority", wish=rank, application_id=mine["application_id"], priority_level=level
    ):
        story.call("set_application_priority", wish=rank, application_id=mine["application_id"], priority_level=level)
    else:
        story.decline(rank)
        story.call(
            "set_application_deadline",
            wish=remind,
            application_id=mine["application_id"],
            deadline_date=moment,
            deadline_type=kind,
        )


@scenario(form="denied")
def change_expected_pay(story: Story) -> None:
    """The applicant wants the expected pay changed, which a review may prevent."""
    least = story.money(story.choose("least pay", [61500, 66500, 71500]), minor=1)
    most = story.money(story.choose("most pay", [77500, 82500, 87500]), minor=1)
    app = story.pick("job_application", UNFINISHED, unique_by=["applicant_id", "job_title", "company_name"], mine=True)
    pay = story.wish(
        (
            "I've rethought the pay for the {job} job at {company}. Can you put down that I expect {least} to {most} a year?",
            "I would like to change the pay I expect for the {job} job at {company}. Please put down {least} to {most} a year.",
            "can you put down {least} to {most} a year as the pay i expect for the {job} job at {company}?",
        ),
        short="putting down that I expect {least} to {most} a year for the {job} job at {company}",
        job=app["job_title"],
        company=app["company_name"],
        least=least,
        most=most,
    )
    story.insists(
        pay,
        (
            "My rent just went up again, and I can't sleep over this.",
            "My rent has gone up once more, and this keeps me awake at night.",
            "rent just went up again and i'm losing sleep over it",
        ),
    )
    apps = story.call("list_applicant_applications", applicant_id=story.identify())["applications"]
    mine = story.find(apps, job_title=app["job_title"], company_name=app["company_name"])
    if story.permits(
        "add_salary_expectation",
        application_id=mine["application_id"],
        expected_salary_min=least,
        expected_salary_max=most,
    ):
        story.call(
            "add_salary_expectation",
            application_id=mine["application_id"],
            expected_salary_min=least,
            expected_salary_max=most,
        )
    else:
        story.decline(pay)


@scenario(form="all_but")
def deadline_on_all_but_one(story: Story) -> None:
    """The applicant wants the same deadline on all drafts and open applications except one."""
    app = story.pick(
        "job_application",
        f"{UNFINISHED} AND {UNFINISHED_COUNT} BETWEEN 3 AND 5",
        unique_by=["applicant_id", "company_name"],
        mine=True,
    )
    kind = story.choose("deadline", ["status check", "follow-up"])
    moment = story.moment(story.day(20), "17:00")
    story.wish(
        (
            "Can you set a {kind} deadline to {moment} on all my drafts and open applications, except the one at {company}?",
            "I would like to have a {kind} deadline set to {moment} on all of my drafts and open applications, except the one at {company}.",
            "set a {kind} deadline to {moment} on all my drafts and open applications, skip the one at {company}",
        ),
        short="setting a {kind} deadline to {moment} on all my drafts and open applications except the one at {company}",
        kind=kind,
        moment=moment,
        company=app["company_name"],
    )
    apps = story.call("list_applicant_applications", applicant_id=story.identify())["applications"]
    going = [each for each in apps if each["status"] in ("draft", "submitted", "under_review")]
    with story.wrong("forgets the exception"):
        for each in going:
            story.call(
                "set_application_deadline",
                application_id=each["application_id"],
                deadline_date=moment,
                deadline_type=kind,
            )
    for each in story.all_but(going, company_name=app["company_name"]):
        story.call(
            "set_application_deadline", application_id=each["application_id"], deadline_date=moment, deadline_type=kind
        )


@scenario(form="coupled")
def priority_before_pay(story: Story) -> None:
    """The applicant wants a priority set and tells the expected pay, which has to come first."""
    level = story.choose("level", [2, 3, 4, 5])
    app = story.pick(
        "job_application",
        "status IN ('draft', 'submitted') AND expected_salary_max IS NULL AND priority_level IS NOT ?",
        level,
        unique_by=["applicant_id", "job_title", "company_name"],
        mine=True,
    )
    least = story.money(story.choose("least pay", [60500, 65500, 70500]), minor=1)
    most = story.money(story.choose("most pay", [78500, 83500, 88500]), minor=1)
    with story.together():
        rank = story.wish(
            (
                "Please set my {job} application at {company} to priority {level}.",
                "I would like to set my {job} application at {company} to priority {level}.",
                "can you set my {job} application at {company} to priority {level}?",
            ),
            short="setting my {job} application at {company} to priority {level}",
            job=app["job_title"],
            company=app["company_name"],
            level=level,
        )
        pay = story.wish(
            (
                "And put down that I expect {least} to {most} a year for the {job} job at {company}.",
                "Please also put down that I expect {least} to {most} a year for the {job} job at {company}.",
                "also put down {least} to {most} a year as the pay i expect for the {job} job at {company}",
            ),
            short="putting down that I expect {least} to {most} a year for the {job} job at {company}",
            least=least,
            most=most,
            job=app["job_title"],
            company=app["company_name"],
        )
    apps = story.call("list_applicant_applications", wish=rank, applicant_id=story.identify())["applications"]
    mine = story.find(apps, job_title=app["job_title"], company_name=app["company_name"])
    story.call(
        "add_salary_expectation",
        wish=pay,
        application_id=mine["application_id"],
        expected_salary_min=least,
        expected_salary_max=most,
    )
    story.call("set_application_priority", wish=rank, application_id=mine["application_id"], priority_level=level)


@scenario(form="mistaken")
def push_a_deadline_back(story: Story) -> None:
    """The applicant misremembers a deadline and wants it pushed back by some days."""
    app = story.pick(
        "job_application",
        f"{UNFINISHED} AND deadline_date > ?",
        story.now,
        unique_by=["applicant_id", "job_title", "company_name"],
        mine=True,
    )
    days = story.choose("days", [7, 10, 14])
    late = story.after(app["deadline_date"], days=story.choose("off", (1, 2, 4)))
    day = story.date_of(late)
    story.wish(
        (
            "I think my deadline for the {job} job at {company} is on {day}. Can you push it back by {days} days?",
            "My deadline for the {job} job at {company} is on {day}, I believe. Could you please push it back by {days} days?",
            "can you push my deadline for the {job} job at {company} back by {days} days? pretty sure it's on {day}",
        ),
        short="pushing my deadline for the {job} job at {company} back by {days} days",
        job=app["job_title"],
        company=app["company_name"],
        day=day,
        days=days,
    )
    story.believes("deadline", day, story.date_of(app["deadline_date"]))
    apps = story.call("list_applicant_applications", applicant_id=story.identify())["applications"]
    mine = story.find(apps, job_title=app["job_title"], company_name=app["company_name"])
    detail = story.call("get_job_application", application_id=mine["application_id"])
    with story.wrong("trusts the customer"):
        story.call(
            "set_application_deadline",
            application_id=mine["application_id"],
            deadline_date=story.after(late, days=days),
            deadline_type=detail["deadline_type"],
        )
    with story.wrong("counts from today"):
        story.call(
            "set_application_deadline",
            application_id=mine["application_id"],
            deadline_date=story.after(story.now, days=days),
            deadline_type=detail["deadline_type"],
        )
    story.call(
        "set_application_deadline",
        application_id=mine["application_id"],
        deadline_date=story.after(detail["deadline_date"], days=days),
        deadline_type=detail["deadline_type"],
    )


@scenario(form="outside")
def decline_an_offer(story: Story) -> None:
    """The applicant declines an offer and wants something that the office cannot do."""
    offer = story.pick(
        "job_offer",
        "status = 'pending'",
        unique_by=["application_id.applicant_id", "application_id.company_name"],
        mine=True,
    )
    company = story.row("job_application", offer["application_id"])["company_name"]
    story.wish(
        (
            "I've made up my mind and don't want the job {company} offered me. Can you decline that offer?",
            "I have decided against the job that {company} offered me. Could you please decline the offer?",
            "can you decline the offer from {company}? not taking it",
        ),
        short="declining the offer from {company}",
        company=company,
    )
    offers = story.call("list_applicant_offers", applicant_id=story.identify())["offers"]
    mine = story.find(offers, company_name=company)
    story.call("decline_job_offer", offer_id=mine["offer_id"])
    story.outside(
        (
            "And can you have someone drive the laptop they lent me back to their office?",
            "Could you please also send someone to take the laptop they lent me back to their office?",
            "and can someone drive the laptop they lent me back to their office?",
        )
    )


@scenario
def pay_a_charge(story: Story) -> None:
    """The applicant pays a charge and asks what is still owed."""
    charge = story.pick("charge", "status = 'unpaid'", unique_by=["applicant_id", "amount_cents"], mine=True)
    amount = story.money(charge["amount_cents"])
    method = story.choose("method", {"by card": "card", "by check": "check", "in cash": "cash"})
    story.wish(
        (
            "I got paid today, so I want to settle my {amount} charge {method}. Can you take care of it and tell me the balance left?",
            "I would like to pay my {amount} charge {method}. Could you please also tell me the balance left after that?",
            "can you mark my {amount} charge paid? paying {method}. and what's the balance left after",
        ),
        short="paying my {amount} charge {method} and telling me the balance left",
        amount=amount,
        method=method,
    )
    charges = story.call("list_applicant_charges", applicant_id=story.identify())["charges"]
    mine = story.find(charges, amount_cents=amount)
    paid = story.call("pay_charges", charge_ids=[mine["charge_id"]], payment_method=method)
    story.answer("balance left", story.money(paid["balance_cents"]))


@scenario
def charge_me_for_help(story: Story) -> None:
    """The applicant had help with an application, wants the fee on the account, and asks what is owed in all."""
    application = story.pick(
        "job_application", "1 = 1", unique_by=["applicant_id", "job_title", "company_name"], mine=True
    )
    job, company = application["job_title"], application["company_name"]
    service = story.choose("service", {"resume review": "resume_review", "coaching session": "coaching_session"})
    amount = story.money(story.choose("amount", [3500, 4500, 6000]))
    story.wish(
        (
            "I had a {service} for my {job} application at {company} and nobody charged me. Can you put the {amount} on my account and tell me my new balance?",
            "Nobody charged me for the {service} for my {job} application at {company}. Could you please record the {amount} and tell me my new balance?",
            "nobody charged me for the {service} for my {job} application at {company}, can you put the {amount} on my account? what's my new balance then",
        ),
        short="charging me {amount} for the {service} for my {job} application at {company} and telling me my new balance",
        service=service,
        job=job,
        company=company,
        amount=amount,
    )
    key = story.identify()
    applications = story.call("list_applicant_applications", applicant_id=key)["applications"]
    mine = story.find(applications, job_title=job, company_name=company)
    story.call(
        "record_charge", applicant_id=key, kind=service, amount_cents=amount, application_id=mine["application_id"]
    )
    account = story.call("list_applicant_charges", applicant_id=key)
    story.answer("new balance", story.money(account["balance_cents"]))


@scenario
def waive_a_mistake(story: Story) -> None:
    """The applicant has a recent charge waived and asks for the balance."""
    charge = story.pick(
        "charge",
        "status = 'unpaid' AND created_at >= ?",
        story.day(-21),
        unique_by=["applicant_id", "amount_cents"],
        mine=True,
    )
    amount = story.money(charge["amount_cents"])
    reason = story.dictate("reason", "Billed by mistake, the coach never called")
    story.wish(
        (
            "I don't think I should owe the {amount} charge. Can you waive it and tell me what balance is left? As the reason, put exactly this: {reason}",
            "Could you please waive my {amount} charge and let me know the balance left? As the reason, please put exactly this: {reason}",
            "pls waive my {amount} charge, what's the balance left after that? for the reason put exactly this: {reason}",
        ),
        short="waiving my {amount} charge with the reason {reason} and telling me the balance left",
        amount=amount,
        reason=reason,
    )
    key = story.identify()
    charges = story.call("list_applicant_charges", applicant_id=key)["charges"]
    mine = story.find(charges, amount_cents=amount)
    story.call("waive_charge", charge_id=mine["charge_id"], waive_reason=reason)
    account = story.call("list_applicant_charges", applicant_id=key)
    story.answer("balance left", story.money(account["balance_cents"]))


@scenario(form="denied")
def get_a_charge_waived(story: Story) -> None:
    """The applicant wants a charge waived, which depends on how old it is."""
    charge = story.pick(
        "charge",
        "status = 'unpaid' AND created_at >= ?",
        story.day(-75),
        unique_by=["applicant_id", "amount_cents"],
        mine=True,
    )
    amount = story.money(charge["amount_cents"])
    reason = story.dictate("reason", "The session ended half an hour early")
    drop = story.wish(
        (
            "The {amount} charge on my account isn't fair. Can you waive it? As the reason, put exactly this: {reason}",
            "I believe that the {amount} charge on my account is unfair. Could you please waive it? As the reason, put exactly this: {reason}",
            "can you waive the {amount} charge on my account? for the reason put exactly this: {reason}",
        ),
        short="waiving my {amount} charge with the reason {reason}",
        amount=amount,
        reason=reason,
    )
    story.insists(
        drop,
        (
            "Seriously, money's so tight that I'm counting quarters for the bus.",
            "Money is very tight for me at the moment, and I would be so thankful.",
            "i'm counting quarters for the bus here, have a heart",
        ),
    )
    charges = story.call("list_applicant_charges", applicant_id=story.identify())["charges"]
    mine = story.find(charges, amount_cents=amount)
    if story.permits("waive_charge", charge_id=mine["charge_id"], waive_reason=reason):
        story.call("waive_charge", charge_id=mine["charge_id"], waive_reason=reason)
    else:
        story.decline(drop)


@scenario(form="all_but")
def reviews_for_all_but_one(story: Story) -> None:
    """The applicant has a fee recorded for every application under review except one."""
    application = story.pick(
        "job_application",
        f"status = 'under_review' AND {UNDER_REVIEW_THREE_TO_SIX}",
        unique_by=["applicant_id", "job_title", "company_name"],
        mine=True,
    )
    job, company = application["job_title"], application["company_name"]
    state = story.choose("state", {"under review": "under_review"})
    service = story.choose("service", {"coaching session": "coaching_session", "resume review": "resume_review"})
    amount = story.money(story.choose("amount", [3500, 4500, 6000]))
    story.wish(
        (
            "I had a {service} for each of my applications {state}, except the {job} one at {company}. Can you charge me {amount} for each?",
            "For each of my applications {state} except the {job} one at {company}, I had a {service}. Could you please charge me {amount} for each?",
            "can you charge me {amount} for each application {state}? had a {service} for all of them, skip the {job} one at {company}",
        ),
        short="charging me {amount} for a {service} for each of my applications {state} except the {job} one at {company}",
        service=service,
        state=state,
        job=job,
        company=company,
        amount=amount,
    )
    key = story.identify()
    applications = story.call("list_applicant_applications", applicant_id=key, status=state)["applications"]
    with story.wrong("forgets the exception"):
        for each in applications:
            story.call(
                "record_charge",
                applicant_id=key,
                kind=service,
                amount_cents=amount,
                application_id=each["application_id"],
            )
    for each in story.all_but(applications, job_title=job, company_name=company):
        story.call(
            "record_charge", applicant_id=key, kind=service, amount_cents=amount, application_id=each["application_id"]
        )


@scenario(form="ambiguous")
def charge_for_one_of_them(story: Story) -> None:
    """The applicant wants a fee recorded for one of several applications."""
    application = story.pick("job_application", f"{FOUR_OR_MORE}", unique_by=["applicant_id", "job_title"], mine=True)
    job = application["job_title"]
    service = story.choose("service", {"coaching session": "coaching_session", "resume review": "resume_review"})
    amount = story.money(story.choose("amount", [3500, 4500, 6000]))
    bill = story.wish(
        (
            "I had a {service} for one of my applications yesterday. Can you put the {amount} for it on my account, under that application?",
            "Yesterday I had a {service} for one of my applications. Could you please record the {amount} charge for that application?",
            "had a {service} for one of my applications yesterday, can you put the {amount} charge on that application?",
        ),
        service=service,
        amount=amount,
    )
    story.keep_back("job title", job)
    story.in_short(
        bill,
        "charging me {amount} for a {service} for one of my applications, {job}",
        amount=amount,
        service=service,
        job=job,
    )
    key = story.identify()
    applications = story.call("list_applicant_applications", applicant_id=key)["applications"]
    mine = story.find(applications, job_title=job)
    for other in story.others(applications, mine):
        with story.wrong("takes another one that fits"):
            story.call(
                "record_charge",
                applicant_id=key,
                kind=service,
                amount_cents=amount,
                application_id=other["application_id"],
            )
    story.call(
        "record_charge", applicant_id=key, kind=service, amount_cents=amount, application_id=mine["application_id"]
    )


@scenario(form="conditional")
def pay_or_add_coaching(story: Story) -> None:
    """The applicant pays a charge if a lot is owed, and otherwise adds a coaching session."""
    charge = story.pick("charge", "status = 'unpaid'", unique_by=["applicant_id", "amount_cents"], mine=True)
    amount = story.money(charge["amount_cents"])
    limit = story.money(story.choose("limit", [5000, 6500, 8000]))
    fee = story.money(story.choose("fee", [5500, 7000]))
    service = story.choose("service", {"coaching session": "coaching_session"})
    method = story.choose("method", {"by card": "card", "by check": "check", "in cash": "cash"})
    story.wish(
        (
            "If I owe {limit} or more altogether, I'll pay the {amount} charge {method}. If it's less, put a {fee} {service} on my account.",
            "Should I owe {limit} or more altogether, please record that I pay the {amount} charge {method}. If it is less, please add a {fee} {service} to my account.",
            "owe you {limit} or more altogether? then i'm paying the {amount} charge {method}. if it's less, put a {fee} {service} on my account",
        ),
        short="paying my {amount} charge {method} if I owe {limit} or more altogether, and charging me {fee} for a {service} if less",
        limit=limit,
        amount=amount,
        method=method,
        fee=fee,
        service=service,
    )
    key = story.identify()
    account = story.call("list_applicant_charges", applicant_id=key)
    mine = story.find(account["charges"], amount_cents=amount)
    with story.wrong("does both"):
        story.call("pay_charges", charge_ids=[mine["charge_id"]], payment_method=method)
        story.call("record_charge", applicant_id=key, kind=service, amount_cents=fee)
    if account["balance_cents"] >= limit:
        with story.wrong("takes the other branch"):
            story.call("record_charge", applicant_id=key, kind=service, amount_cents=fee)
        story.call("pay_charges", charge_ids=[mine["charge_id"]], payment_method=method)
    else:
        with story.wrong("takes the other branch"):
            story.call("pay_charges", charge_ids=[mine["charge_id"]], payment_method=method)
        story.call("record_charge", applicant_id=key, kind=service, amount_cents=fee)


@scenario(form="coupled")
def book_after_paying(story: Story) -> None:
    """The applicant wants an interview put in and pays the charge that stands in the way."""
    charge = story.pick(
        "charge",
        f"status = 'unpaid' AND {BALANCE} >= 2500 AND {BALANCE} - amount_cents < 2500 AND EXISTS (SELECT 1 FROM job_application AS own WHERE own.applicant_id = charge.applicant_id AND own.status IN ('submitted', 'under_review'))",
        unique_by=["applicant_id", "amount_cents"],
        mine=True,
    )
    amount = story.money(charge["amount_cents"])
    start = story.moment(story.day(13), "13:20")
    application = story.pick(
        "job_application",
        f"status IN ('submitted', 'under_review') AND {FREE_ON_THE_DAY}",
        start,
        unique_by=["applicant_id", "job_title", "company_name"],
        mine=True,
    )
    job, company = application["job_title"], application["company_name"]
    kind = story.choose("kind", ["panel interview", "hiring manager call", "second interview"])
    method = story.choose("method", {"by card": "card", "by check": "check", "in cash": "cash"})
    with story.together():
        book = story.wish(
            (
                "{company} wants me for a {kind} for the {job} job on {start}. Can you put it on my schedule?",
                "I have a {kind} at {company} for the {job} job on {start}. Could you please put it on my schedule?",
                "can you put a {kind} for the {job} job at {company} on my schedule, it's on {start}",
            ),
            short="scheduling a {kind} for the {job} job at {company} on {start}",
            company=company,
            kind=kind,
            job=job,
            start=start,
        )
        pay = story.wish(
            (
                "And I'm paying my {amount} charge {method}.",
                "Please also record that I am paying my {amount} charge {method}.",
                "and i'm paying my {amount} charge {method}",
            ),
            short="paying my {amount} charge {method}",
            amount=amount,
            method=method,
        )
    key = story.identify()
    applications = story.call("list_applicant_applications", wish=book, applicant_id=key)["applications"]
    wanted = story.find(applications, job_title=job, company_name=company)
    charges = story.call("list_applicant_charges", wish=pay, applicant_id=key)["charges"]
    due = story.find(charges, amount_cents=amount)
    story.call("pay_charges", wish=pay, charge_ids=[due["charge_id"]], payment_method=method)
    story.call(
        "add_interview_schedule",
        wish=book,
        application_id=wanted["application_id"],
        interview_type=kind,
        interview_date=start,
    )


@scenario(form="outside")
def pay_and_mail_a_receipt(story: Story) -> None:
    """The applicant pays a charge and wants a paper receipt in the mail."""
    charge = story.pick("charge", "status = 'unpaid'", unique_by=["applicant_id", "amount_cents"], mine=True)
    amount = story.money(charge["amount_cents"])
    method = story.choose("method", {"by card": "card", "by check": "check", "in cash": "cash"})
    story.wish(
        (
            "I'm finally paying my {amount} charge {method}. Can you mark it paid?",
            "I would like to settle my {amount} charge {method}. Could you please mark it paid?",
            "can you mark my {amount} charge paid? doing it {method}",
        ),
        short="marking my {amount} charge paid {method}",
        amount=amount,
        method=method,
    )
    charges = story.call("list_applicant_charges", applicant_id=story.identify())["charges"]
    mine = story.find(charges, amount_cents=amount)
    story.call("pay_charges", charge_ids=[mine["charge_id"]], payment_method=method)
    story.outside(
        (
            "And can you mail me a paper receipt for my taxes?",
            "Could you please also mail me a paper receipt for my taxes?",
            "and mail me a paper receipt for my taxes?",
        )
    )


@scenario(form="looked_up")
def charge_for_that_interview(story: Story) -> None:
    """The applicant wants a fee recorded for the application that an interviewer belongs to."""
    interview = story.pick(
        "interview_schedule",
        "interviewer_name IS NOT NULL AND (SELECT count(*) FROM job_application AS own JOIN job_application AS more ON more.applicant_id = own.applicant_id WHERE own.application_id = interview_schedule.application_id) BETWEEN 2 AND 20",
        unique_by=["application_id.applicant_id", "interviewer_name"],
        mine=True,
    )
    person = interview["interviewer_name"]
    service = story.choose("service", {"coaching session": "coaching_session", "resume review": "resume_review"})
    amount = story.money(story.choose("amount", [3500, 4500, 6000]))
    story.wish(
        (
            "I had a {service} for the application where {person} interviews me. Can you put the {amount} charge for it on that application?",
            "There was a {service} for the application where {person} is my interviewer. Could you please record the {amount} charge for that application?",
            "can you put a {amount} {service} charge on the application where {person} interviews me?",
        ),
        short="charging me {amount} for a {service} for the application where {person} interviews me",
        service=service,
        person=person,
        amount=amount,
    )
    key = story.identify()
    applications = story.call("list_applicant_applications", applicant_id=key)["applications"]
    interviews = story.call("list_applicant_interviews", applicant_id=key)["interviews"]
    meeting = story.find(interviews, interviewer_name=person)
    mine = story.find(applications, application_id=meeting["application_id"])
    for other in story.others(applications, mine):
        with story.wrong("takes the first that fits"):
            story.call(
                "record_charge",
                applicant_id=key,
                kind=service,
                amount_cents=amount,
                application_id=other["application_id"],
            )
    story.call(
        "record_charge", applicant_id=key, kind=service, amount_cents=amount, application_id=mine["application_id"]
    )
