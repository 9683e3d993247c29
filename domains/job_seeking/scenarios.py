"""What people want of Job application tracking office: every function is a scenario."""

from runtime.story import Story, scenario


@scenario
def finish_and_file_draft(story: Story) -> None:
    """The applicant hands in a resume and a cover letter for a draft and has it filed."""
    row = story.pick(
        "job_application",
        "status = 'draft'",
        unique_by=["applicant_id", "job_title", "company_name"],
        mine=True,
    )
    form = story.choose("format", {"PDF": "pdf", "docx": "docx", "plain txt": "txt"})
    resume = story.dictate(
        "resume", "Seven years of reporting and planning, ready to start as {job}", job=row["job_title"]
    )
    letter = story.dictate("letter", "I have wanted to work for {company} for a long time", company=row["company_name"])
    story.wish(
        (
            (
                "My application as {job} at {company} is still a draft, let's get it out. Store this as its "
                "resume, in the format {form}: {resume}. And this is to be the cover letter: {letter}. Then file "
                "the application."
            ),
            (
                "My application as {job} at {company} has not left the draft stage, and I wish to have it sent. I"
                " would ask you to store the following as its resume, in the format {form}: {resume}. Kindly "
                "store as its cover letter the following: {letter}. After that, please file the application."
            ),
            (
                "time to get my draft for {job} at {company} out. resume for it, format {form}: {resume}. cover "
                "letter for it: {letter}. store both, then file it"
            ),
        ),
        job=row["job_title"],
        company=row["company_name"],
        form=form,
        resume=resume,
        letter=letter,
    )
    me = story.identify()
    applications = story.call("list_applicant_applications", applicant_id=me)["applications"]
    mine = story.find(applications, job_title=row["job_title"], company_name=row["company_name"])
    key = mine["application_id"]
    story.call("upload_resume", application_id=key, resume_content=resume, resume_format=form)
    story.call("upload_cover_letter", application_id=key, cover_letter_content=letter)
    story.call("submit_application", application_id=key)


@scenario
def record_acceptance(story: Story) -> None:
    """The applicant got a job, has this recorded and asks on which day they applied."""
    row = story.pick(
        "job_application",
        "status = 'under_review' AND application_id IN"
        " (SELECT application_id FROM interview_schedule WHERE interview_date <= '2024-03-15 09:30:00')",
        unique_by=["applicant_id", "job_title", "company_name"],
        mine=True,
    )
    story.wish(
        (
            (
                "Great news, {company} took me as {job}! Put that application down as accepted, and tell me the "
                "filing day it has."
            ),
            (
                "I am pleased to report that {company} has accepted me as {job}. I would be grateful if you could"
                " record that application as accepted and let me know its filing day."
            ),
            ("got the job as {job} at {company}! mark that application accepted pls, and what's its filing day?"),
        ),
        job=row["job_title"],
        company=row["company_name"],
    )
    me = story.identify()
    applications = story.call("list_applicant_applications", applicant_id=me)["applications"]
    mine = story.find(applications, job_title=row["job_title"], company_name=row["company_name"])
    accepted = story.call("mark_application_accepted", application_id=mine["application_id"])
    story.answer("filing day", story.date_of(accepted["application_date"]))


@scenario
def record_review(story: Story) -> None:
    """The applicant heard that the employer looks at the application and has this recorded."""
    row = story.pick(
        "job_application",
        "status = 'submitted'",
        unique_by=["applicant_id", "job_title", "company_name"],
        mine=True,
    )
    story.wish(
        (
            ("{company} just mailed me: they have started to review my application as {job}. please update its status"),
            (
                "I have just been informed by mail from {company} that the review of my application as {job} has "
                "begun there. Would you kindly update its status accordingly?"
            ),
            ("update the status of my {job} application pls, {company} just mailed that they've started reviewing it"),
        ),
        job=row["job_title"],
        company=row["company_name"],
    )
    me = story.identify()
    applications = story.call("list_applicant_applications", applicant_id=me)["applications"]
    mine = story.find(applications, job_title=row["job_title"], company_name=row["company_name"])
    story.call("mark_application_under_review", application_id=mine["application_id"])


@scenario(role="staff")
def clear_out_old_files(story: Story) -> None:
    """Somebody of the staff has old applications archived and asks how many these were."""
    cutoff = story.day(-60)
    story.pick("job_application", "status NOT IN ('draft', 'archived') AND application_date < ?", cutoff)
    story.wish(
        (
            (
                "I'm doing the spring cleaning of our files: archive all applications, whoever they belong to, "
                "that were filed before {cutoff}. What is the number of applications archived that way?"
            ),
            (
                "As part of the spring cleaning of our files, I would ask you to archive every application filed "
                "before {cutoff}, irrespective of the person it belongs to. Please also inform me of the number "
                "of applications archived in this way."
            ),
            (
                "spring cleaning our files: everything filed before {cutoff} gets archived, all applications, "
                "doesn't matter whose. what's the number of applications archived that way?"
            ),
        ),
        cutoff=cutoff,
    )
    story.identify()
    cleared = story.call("archive_old_applications", cutoff_date=cutoff)
    story.answer("number of applications archived", cleared["archived_count"])


@scenario(form="denied")
def withdraw_maybe_too_late(story: Story) -> None:
    """The applicant wants to withdraw an application that may be too old for it."""
    row = story.pick(
        "job_application",
        "status IN ('submitted', 'under_review')",
        unique_by=["applicant_id", "job_title", "company_name"],
        mine=True,
    )
    keep = story.wish(
        (
            "I've changed my mind about {company}. Withdraw my application as {job} there, please.",
            (
                "Having reconsidered my interest in {company}, I would be grateful if you could withdraw the "
                "application as {job} that I have there."
            ),
            "don't want {company} anymore, so pull my application as {job} there, i.e. withdraw it",
        ),
        job=row["job_title"],
        company=row["company_name"],
    )
    story.insists(
        keep,
        story.choose(
            "plea",
            [
                "A colleague of yours said that this is no problem at any time.",
                "I have a new job already, it would only waste their time.",
            ],
        ),
    )
    me = story.identify()
    applications = story.call("list_applicant_applications", applicant_id=me)["applications"]
    mine = story.find(applications, job_title=row["job_title"], company_name=row["company_name"])
    if story.permits("withdraw_application", application_id=mine["application_id"]):
        story.call("withdraw_application", application_id=mine["application_id"])
    else:
        story.decline(keep)


@scenario(form="denied")
def file_draft_as_it_is(story: Story) -> None:
    """The applicant wants a draft filed, whether or not it has a cover letter."""
    row = story.pick(
        "job_application",
        "status = 'draft' AND resume_content IS NOT NULL",
        unique_by=["applicant_id", "job_title", "company_name"],
        mine=True,
    )
    keep = story.wish(
        (
            "file my draft for the job as {job} at {company} now, exactly as it is",
            (
                "I would be obliged if you could file my draft for the position as {job} at {company} immediately"
                " and without any change to it."
            ),
            "my draft for {job} at {company}: file it right now, just the way it is",
        ),
        job=row["job_title"],
        company=row["company_name"],
    )
    story.insists(
        keep,
        story.choose(
            "plea", ["Nobody reads more than the resume anyway.", "The position closes within the hour, just send it!"]
        ),
    )
    me = story.identify()
    applications = story.call("list_applicant_applications", applicant_id=me)["applications"]
    mine = story.find(applications, job_title=row["job_title"], company_name=row["company_name"])
    if story.permits("submit_application", application_id=mine["application_id"]):
        story.call("submit_application", application_id=mine["application_id"])
    else:
        story.decline(keep)


@scenario(form="fallback")
def withdraw_or_mark_rejected(story: Story) -> None:
    """The applicant wants to withdraw an application or else have it marked as rejected."""
    row = story.pick(
        "job_application",
        "status IN ('submitted', 'under_review')",
        unique_by=["applicant_id", "job_title", "company_name"],
        mine=True,
    )
    first = story.wish(
        (
            (
                "It looks as if {company} does not want me. I'd like to withdraw my application as {job} before "
                "it is over."
            ),
            (
                "It would appear that {company} is not inclined to take me. I should like to have my application "
                "as {job} withdrawn before the matter comes to its end."
            ),
            "looks like {company} doesn't want me, so withdraw my application as {job} before it's over, ok?",
        ),
        job=row["job_title"],
        company=row["company_name"],
    )
    second = story.otherwise(
        first,
        (
            (
                "Then put the one as {job} at {company} down as rejected instead, since that is what they told me"
                " on the phone."
            ),
            (
                "In that case, I would ask you to record the application as {job} at {company} as rejected "
                "instead, as this is what I was told by them on the phone."
            ),
            "ok, then mark the {job} one at {company} rejected instead, that's what they told me on the phone",
        ),
        job=row["job_title"],
        company=row["company_name"],
    )
    me = story.identify()
    applications = story.call("list_applicant_applications", applicant_id=me)["applications"]
    mine = story.find(applications, job_title=row["job_title"], company_name=row["company_name"])
    key = mine["application_id"]
    if story.permits("withdraw_application", wish=first, application_id=key):
        with story.wrong("takes the second choice although the first is permitted"):
            story.call("mark_application_rejected", wish=second, application_id=key)
        story.call("withdraw_application", wish=first, application_id=key)
    else:
        story.decline(first)
        story.call("mark_application_rejected", wish=second, application_id=key)


@scenario(form="fallback")
def file_or_add_letter(story: Story) -> None:
    """The applicant wants a draft filed or else a cover letter stored with it."""
    row = story.pick(
        "job_application",
        "status = 'draft' AND resume_content IS NOT NULL",
        unique_by=["applicant_id", "job_title", "company_name"],
        mine=True,
    )
    letter = story.dictate("letter", "My experience fits the work as {job} very well", job=row["job_title"])
    first = story.wish(
        (
            "My draft for {company}, the one as {job}: send it off today, please.",
            (
                "I have a draft for {company}, namely the one as {job}, and would be grateful if you could file "
                "it today."
            ),
            "can you send off my {company} draft today, the one as {job}?",
        ),
        job=row["job_title"],
        company=row["company_name"],
    )
    second = story.otherwise(
        first,
        (
            ("Then do not file the draft as {job} at {company} today, but store this as its cover letter: {letter}."),
            (
                "In that case, I would ask you not to file the draft as {job} at {company} today, but to store "
                "the following as its cover letter: {letter}."
            ),
            ("ok, then don't file the {job} draft at {company} today, just put this in as its cover letter: {letter}."),
        ),
        job=row["job_title"],
        company=row["company_name"],
        letter=letter,
    )
    me = story.identify()
    applications = story.call("list_applicant_applications", applicant_id=me)["applications"]
    mine = story.find(applications, job_title=row["job_title"], company_name=row["company_name"])
    key = mine["application_id"]
    if story.permits("submit_application", wish=first, application_id=key):
        with story.wrong("takes the second choice although the first is permitted"):
            story.call("upload_cover_letter", wish=second, application_id=key, cover_letter_content=letter)
        story.call("submit_application", wish=first, application_id=key)
    else:
        story.decline(first)
        story.call("upload_cover_letter", wish=second, application_id=key, cover_letter_content=letter)


@scenario
def replace_old_application(story: Story) -> None:
    """The applicant deletes a closed application and begins another draft at the same company."""
    application = story.pick(
        "job_application",
        "status IN ('rejected', 'withdrawn', 'archived')"
        " AND (SELECT count(*) FROM job_application AS live"
        " WHERE live.applicant_id = job_application.applicant_id"
        " AND live.status IN ('draft', 'submitted', 'under_review'))"
        " < (SELECT CASE person.service_tier WHEN 'premium' THEN 4 WHEN 'plus' THEN 2 ELSE 1 END"
        " FROM applicant AS person WHERE person.applicant_id = job_application.applicant_id)",
        unique_by=["applicant_id", "job_title", "company_name"],
        mine=True,
    )

    position = story.choose("position", ["Visitor Services Coordinator", "Facilities Planner"])
    source = story.choose("source", {"an employee referral": "employee referral"})
    person = story.choose("person", ["Marta Lindqvist", "Owen Baptiste"])
    story.wish(
        (
            (
                "Please delete my application for {title} at {company}. Then begin a draft for {position} at the "
                "same company: I found it through {source}, and the person who referred me is {person}."
            ),
            (
                "I would be grateful if you could delete my application for {title} at {company} and, after that,"
                " begin a draft for {position} at the same company. I came upon this position through {source}, "
                "and I was referred by {person}."
            ),
            (
                "delete my {title} application at {company}, then start a draft for {position} at the same "
                "company. found that one through {source}, {person} referred me"
            ),
        ),
        title=application["job_title"],
        company=application["company_name"],
        position=position,
        source=source,
        person=person,
    )
    me = story.identify()
    applications = story.call("list_applicant_applications", applicant_id=me)["applications"]
    mine = story.find(applications, job_title=application["job_title"], company_name=application["company_name"])
    story.call("delete_job_application", application_id=mine["application_id"])
    story.call(
        "create_application",
        applicant_id=me,
        job_title=position,
        company_name=mine["company_name"],
        referral_source=source,
        referral_person=person,
    )


@scenario
def raise_priority_with_reason(story: Story) -> None:
    """The applicant raises the priority of an open application and asks when it was filed."""
    application = story.pick(
        "job_application",
        "status IN ('submitted', 'under_review') AND (priority_level IS NULL OR priority_level < 4)",
        unique_by=["applicant_id", "job_title", "company_name"],
        mine=True,
    )

    level = story.choose("level", [4, 5])
    reason = story.dictate("reason", "The commute is the shortest of all")
    story.wish(
        (
            (
                "What's the filing day of my application for {title} at {company}? And raise it to priority level"
                " {level}, putting down as the reason: {reason}."
            ),
            (
                "I would be obliged if you could inform me of the filing day of my application for {title} at "
                "{company}. Please also raise this application to priority level {level} and record the following"
                " as the reason: {reason}."
            ),
            (
                "my application for {title} at {company}: what's its filing day? and bump it up to priority level"
                " {level}, reason to put down: {reason}."
            ),
        ),
        title=application["job_title"],
        company=application["company_name"],
        level=level,
        reason=reason,
    )
    me = story.identify()
    applications = story.call("list_applicant_applications", applicant_id=me)["applications"]
    mine = story.find(applications, job_title=application["job_title"], company_name=application["company_name"])
    story.call(
        "set_application_priority",
        application_id=mine["application_id"],
        priority_level=level,
        priority_reason=reason,
    )
    story.answer("filing day", story.date_of(mine["application_date"]))


@scenario
def record_salary_and_follow_up(story: Story) -> None:
    """The applicant records a salary range and a follow-up deadline for an application."""
    when = story.moment(story.day(7), "17:00")
    application = story.pick(
        "job_application",
        "status IN ('draft', 'submitted', 'under_review') AND expected_salary_min IS NULL"
        " AND (deadline_date IS NULL OR deadline_date <> ?)",
        when,
        unique_by=["applicant_id", "job_title", "company_name"],
        mine=True,
    )

    least = story.choose("least", [66000, 72000])
    greatest = story.choose("greatest", [88000, 95000])
    currency = story.choose("currency", ["EUR", "GBP", "USD"])
    kind = story.choose("kind", {"follow-up deadline": "follow_up"})
    story.wish(
        (
            (
                "my application for {title} at {company}: i expect between {least} and {greatest} {currency} a "
                "year, please record that. also set a {kind} for {when}"
            ),
            (
                "With regard to my application for {title} at {company}, I would ask you to record that the "
                "salary I expect lies between {least} and {greatest} {currency} a year. In addition, kindly set a"
                " {kind} for {when}."
            ),
            (
                "can you put down {least} to {greatest} {currency} a year as what i expect to earn, on my {title}"
                " application at {company}? and it needs a {kind} for {when}"
            ),
        ),
        title=application["job_title"],
        company=application["company_name"],
        least=least,
        greatest=greatest,
        currency=currency,
        kind=kind,
        when=when,
    )
    me = story.identify()
    applications = story.call("list_applicant_applications", applicant_id=me)["applications"]
    mine = story.find(applications, job_title=application["job_title"], company_name=application["company_name"])
    story.call(
        "add_salary_expectation",
        application_id=mine["application_id"],
        expected_salary_min=least,
        expected_salary_max=greatest,
        salary_currency=currency,
    )
    story.call(
        "set_application_deadline",
        application_id=mine["application_id"],
        deadline_date=when,
        deadline_type=kind,
    )


@scenario(form="withheld")
def enter_response_deadline(story: Story) -> None:
    """The applicant wants a response deadline entered, and tells its hour when asked."""
    application = story.pick(
        "job_application",
        "status IN ('draft', 'submitted', 'under_review') AND deadline_date IS NULL",
        unique_by=["applicant_id", "job_title", "company_name"],
        mine=True,
    )

    kind = story.choose("kind", {"response deadline": "response"})
    day = story.day(6)
    story.wish(
        (
            (
                "There's now a {kind} on {day} for my application for {title} at {company}, at a fixed hour. "
                "Could you enter it, please?"
            ),
            (
                "My application for {title} at {company} is now subject to a {kind} on {day}, which falls at a "
                "fixed hour. I would be grateful if you could enter it."
            ),
            "can you enter a {kind} for my {title} application at {company}? it's on {day} now, fixed hour",
        ),
        title=application["job_title"],
        company=application["company_name"],
        kind=kind,
        day=day,
    )
    hour = story.choose("hour", ["09:00", "12:00", "15:00", "17:30"])
    when = story.moment(day, hour)
    story.keep_back("hour", when)
    me = story.identify()
    applications = story.call("list_applicant_applications", applicant_id=me)["applications"]
    mine = story.find(applications, job_title=application["job_title"], company_name=application["company_name"])
    story.call(
        "set_application_deadline",
        application_id=mine["application_id"],
        deadline_date=when,
        deadline_type=kind,
    )


@scenario(form="withheld")
def correct_title_of_draft(story: Story) -> None:
    """The applicant has the job title of a draft corrected, and tells the right one when asked."""
    application = story.pick(
        "job_application",
        "status = 'draft' AND job_title NOT IN ('Logistics Coordinator', 'Senior Account Manager',"
        " 'Clinical Data Analyst', 'Warehouse Team Lead')",
        unique_by=["applicant_id", "job_title", "company_name"],
        mine=True,
    )

    story.wish(
        (
            "I got the job title wrong in my draft for {title} at {company}. Please correct it.",
            (
                "The job title in my draft for {title} at {company} is mistaken, and I would be grateful if you "
                "could correct it."
            ),
            "can you fix the job title in my {title} draft at {company}? i got it wrong",
        ),
        title=application["job_title"],
        company=application["company_name"],
    )
    position = story.choose(
        "right job title",
        ["Logistics Coordinator", "Senior Account Manager", "Clinical Data Analyst", "Warehouse Team Lead"],
    )
    story.keep_back("right job title", position)
    me = story.identify()
    applications = story.call("list_applicant_applications", applicant_id=me)["applications"]
    mine = story.find(applications, job_title=application["job_title"], company_name=application["company_name"])
    story.call("correct_application_position", application_id=mine["application_id"], job_title=position)


@scenario(form="withheld")
def record_lowest_salary(story: Story) -> None:
    """The applicant wants the least salary recorded, and tells the amount when asked."""
    application = story.pick(
        "job_application",
        "status IN ('draft', 'submitted', 'under_review') AND expected_salary_min IS NULL",
        unique_by=["applicant_id", "job_title", "company_name"],
        mine=True,
    )

    currency = story.choose("currency", ["USD", "EUR", "GBP"])
    story.wish(
        (
            (
                "Please record the lowest salary I'd accept, in {currency} and with no upper end, for my "
                "application for {title} at {company}."
            ),
            (
                "With regard to my application for {title} at {company}, I would be grateful if you could record "
                "the lowest salary that I would accept. It is to be in {currency}, without any upper end."
            ),
            (
                "for my {title} application at {company}, put down the lowest salary i'd take, in {currency}, no "
                "upper end"
            ),
        ),
        title=application["job_title"],
        company=application["company_name"],
        currency=currency,
    )
    amount = story.choose("lowest salary", [58000, 64000, 71500, 79000])
    story.keep_back("lowest salary", amount)
    me = story.identify()
    applications = story.call("list_applicant_applications", applicant_id=me)["applications"]
    mine = story.find(applications, job_title=application["job_title"], company_name=application["company_name"])
    story.call(
        "add_salary_expectation",
        application_id=mine["application_id"],
        expected_salary_min=amount,
        salary_currency=currency,
    )


@scenario(form="ambiguous")
def delete_one_application(story: Story) -> None:
    """The applicant wants one of several applications deleted, and tells which when asked."""
    application = story.pick(
        "job_application",
        "status IN ('draft', 'rejected', 'withdrawn', 'archived')"
        " AND (SELECT count(*) FROM job_application AS own"
        " WHERE own.applicant_id = job_application.applicant_id) BETWEEN 4 AND 20",
        unique_by=["applicant_id", "company_name"],
        mine=True,
    )
    story.wish(
        (
            "Could you delete one of my applications? I don't need it on file any more.",
            (
                "There is one among my applications that I no longer need to have on file, and I would be "
                "grateful if you could delete it."
            ),
            "one of my applications can go, don't need it on file anymore. delete it pls",
        )
    )
    story.keep_back("company", application["company_name"])
    me = story.identify()
    applications = story.call("list_applicant_applications", applicant_id=me)["applications"]
    mine = story.find(applications, company_name=application["company_name"])
    for other in [each for each in applications if each["application_id"] != mine["application_id"]][:2]:
        with story.wrong("takes another one that fits"):
            story.call("delete_job_application", application_id=other["application_id"])
    story.call("delete_job_application", application_id=mine["application_id"])


@scenario(form="ambiguous")
def same_job_at_another_company(story: Story) -> None:
    """The applicant begins a draft with the job title of an earlier application, and tells which one when asked."""
    application = story.pick(
        "job_application",
        "(SELECT count(*) FROM job_application AS own"
        " WHERE own.applicant_id = job_application.applicant_id) BETWEEN 4 AND 20"
        " AND (SELECT count(DISTINCT own.job_title) FROM job_application AS own"
        " WHERE own.applicant_id = job_application.applicant_id"
        " AND own.job_title <> job_application.job_title) >= 2"
        " AND (SELECT count(*) FROM job_application AS live"
        " WHERE live.applicant_id = job_application.applicant_id"
        " AND live.status IN ('draft', 'submitted', 'under_review'))"
        " < (SELECT CASE person.service_tier WHEN 'premium' THEN 4 WHEN 'plus' THEN 2 ELSE 1 END"
        " FROM applicant AS person WHERE person.applicant_id = job_application.applicant_id)",
        unique_by=["applicant_id", "company_name"],
        mine=True,
    )
    employer = story.choose("employer", ["Harbourline Foods", "Tessaly Software", "Brightwell Clinics"])
    story.wish(
        (
            (
                "I want to apply at {employer} as well, with the same job title as in one of my applications "
                "here. Please begin that draft."
            ),
            (
                "I wish to apply at {employer} too and would be grateful if you could begin a draft for this. Its"
                " job title should be the same as that of one of my applications here."
            ),
            (
                "can you start a draft for {employer}? wanna apply there too, same job title as one of my "
                "applications here"
            ),
        ),
        employer=employer,
    )
    story.keep_back("company of the application with that job title", application["company_name"])
    me = story.identify()
    applications = story.call("list_applicant_applications", applicant_id=me)["applications"]
    mine = story.find(applications, company_name=application["company_name"])
    for other in [each for each in applications if each["job_title"] != mine["job_title"]][:2]:
        with story.wrong("takes another one that fits"):
            story.call(
                "create_application",
                applicant_id=me,
                job_title=other["job_title"],
                company_name=employer,
            )
    story.call("create_application", applicant_id=me, job_title=mine["job_title"], company_name=employer)


@scenario(form="looked_up")
def lower_priority_by_deadline(story: Story) -> None:
    """The applicant lowers the priority of the application that has a certain deadline and asks for its job title."""
    row = story.pick(
        "job_application",
        "status IN ('draft', 'submitted', 'under_review') AND deadline_date > ?"
        " AND (priority_level IS NULL OR priority_level > 2)"
        " AND EXISTS (SELECT 1 FROM job_application AS own"
        " WHERE own.applicant_id = job_application.applicant_id"
        " AND own.application_id <> job_application.application_id"
        " AND own.status IN ('draft', 'submitted', 'under_review')"
        " AND (own.priority_level IS NULL OR own.priority_level > 2))",
        story.now,
        unique_by=["applicant_id", "deadline_type"],
        mine=True,
    )
    level = story.choose("level", [1, 2])
    story.wish(
        (
            (
                "One of my applications has the {kind} deadline still ahead. Set the priority level of that one "
                "to {level}, without any reason, and tell me its job title."
            ),
            (
                "Among my applications, there is one whose {kind} deadline still lies ahead. I would be grateful "
                "if you could set its priority level to {level} without any reason and let me know its job title."
            ),
            (
                "which of my applications has the {kind} deadline still ahead? that one gets priority level "
                "{level}, without any reason, and tell me its job title"
            ),
        ),
        kind=row["deadline_type"],
        level=level,
    )
    me = story.identify()
    applications = story.call("list_applicant_applications", applicant_id=me)["applications"]
    deadlines = story.call("list_upcoming_deadlines", applicant_id=me)["deadlines"]
    due = story.find(deadlines, deadline_type=row["deadline_type"])
    for other in [
        each
        for each in applications
        if each["application_id"] != due["application_id"]
        and each["status"] in ["draft", "submitted", "under_review"]
        and each["priority_level"] != level
    ][:1]:
        with story.wrong("takes the first that fits"):
            story.call(
                "set_application_priority",
                application_id=other["application_id"],
                priority_level=level,
            )
            story.answer("job title", other["job_title"], source="job_application.job_title")
    story.call("set_application_priority", application_id=due["application_id"], priority_level=level)
    story.answer("job title", due["job_title"], source="job_application.job_title")


@scenario(form="looked_up")
def set_deadline_by_interview(story: Story) -> None:
    """The applicant sets a response deadline for the application that has an interview at a certain time."""
    row = story.pick(
        "interview_schedule",
        "interview_date > ?"
        " AND application_id IN (SELECT mine.application_id FROM job_application AS mine"
        " WHERE mine.status IN ('draft', 'submitted', 'under_review')"
        " AND EXISTS (SELECT 1 FROM job_application AS own"
        " WHERE own.applicant_id = mine.applicant_id"
        " AND own.application_id <> mine.application_id"
        " AND own.status IN ('draft', 'submitted', 'under_review')))",
        story.now,
        unique_by=["interview_date"],
        mine=True,
    )
    kind = story.choose("kind", {"response deadline": "response"})
    limit = story.moment(story.day(12), "10:00")
    story.wish(
        (
            (
                "I have an application with an interview on {when}. Please set a {kind} for it: {limit}. And tell"
                " me its creation day on your files."
            ),
            (
                "For the application of mine that has an interview on {when}, I would ask you to set a {kind}, "
                "namely {limit}. I would also be grateful to learn the creation day that this application has on "
                "your files."
            ),
            (
                "got an interview on {when} for one of my applications. that one needs a {kind}, {limit}. and "
                "what's its creation day on your files?"
            ),
        ),
        when=row["interview_date"],
        kind=kind,
        limit=limit,
    )
    me = story.identify()
    applications = story.call("list_applicant_applications", applicant_id=me)["applications"]
    interviews = story.call("list_upcoming_interviews", applicant_id=me)["interviews"]
    meeting = story.find(interviews, interview_date=row["interview_date"])
    for other in [
        each
        for each in applications
        if each["application_id"] != meeting["application_id"]
        and each["status"] in ["draft", "submitted", "under_review"]
    ][:1]:
        with story.wrong("takes the first that fits"):
            story.call(
                "set_application_deadline",
                application_id=other["application_id"],
                deadline_date=limit,
                deadline_type=kind,
            )
    details = story.call("get_application", application_id=meeting["application_id"])
    story.call(
        "set_application_deadline",
        application_id=details["application_id"],
        deadline_date=limit,
        deadline_type=kind,
    )
    story.answer("creation day", story.date_of(details["created_at"]))


@scenario
def enter_invitation(story: Story) -> None:
    """The applicant was invited to an interview and has it entered."""
    row = story.pick(
        "job_application",
        "status IN ('submitted', 'under_review') AND application_id NOT IN"
        " (SELECT application_id FROM interview_schedule WHERE interview_date >= ?)",
        story.day(1),
        unique_by=["applicant_id", "job_title", "company_name"],
        mine=True,
    )
    kind = story.choose(
        "kind",
        {
            "a technical interview": "technical_interview",
            "a behavioral interview": "behavioral_interview",
            "a final interview": "final_interview",
        },
    )
    when = story.moment(story.choose("day", [story.day(7), story.day(10), story.day(12)]), "14:00")
    who = story.choose("who", ["Ada Brandt", "Kwame Mensah"])
    minutes = story.choose("minutes", [40, 50, 60])
    story.wish(
        (
            (
                "{company} invited me to {kind} for the job as {job}! It is on {when}, takes {minutes} minutes, "
                "and {who} will lead it. Please enter that."
            ),
            (
                "I would be grateful if you could enter an invitation from {company} to {kind} for the position "
                "as {job}. It is to be held on {when}, lasts {minutes} minutes and will be led by {who}."
            ),
            (
                "{company} wants me for {kind} for the {job} job! {when}, {minutes} minutes, {who} leads it. can "
                "you enter that?"
            ),
        ),
        company=row["company_name"],
        kind=kind,
        job=row["job_title"],
        when=when,
        minutes=minutes,
        who=who,
    )
    me = story.identify()
    applications = story.call("list_applicant_applications", applicant_id=me)["applications"]
    mine = story.find(applications, job_title=row["job_title"], company_name=row["company_name"])
    story.call(
        "add_interview_schedule",
        application_id=mine["application_id"],
        interview_type=kind,
        interview_date=when,
        interviewer_name=who,
        interview_duration_minutes=minutes,
    )


@scenario
def change_place_of_interview(story: Story) -> None:
    """The applicant has the place of an interview ahead changed and asks for its day."""
    row = story.pick(
        "interview_schedule",
        "interview_date > ?"
        " AND application_id IN (SELECT application_id FROM job_application"
        " GROUP BY applicant_id, job_title, company_name HAVING count(*) = 1)",
        story.now,
        unique_by=["application_id", "interview_type"],
        mine=True,
    )
    application = story.row("job_application", row["application_id"])
    place = story.choose("place", ["Cafe Lindner, upper floor", "Harbour Hotel lobby", "Teams call"])
    story.wish(
        (
            (
                "the {kind} for the job as {job} at {company} takes place somewhere else now, change its location"
                " to {place}. also, what is the interview day?"
            ),
            (
                "As the {kind} for the position as {job} at {company} is now to take place elsewhere, I would ask"
                " you to change its location to {place}. I would also be grateful if you could tell me the "
                "interview day."
            ),
            (
                "can you change the location of the {kind} at {company} for the {job} job to {place}? it's "
                "somewhere else now. and what's the interview day?"
            ),
        ),
        kind=row["interview_type"],
        job=application["job_title"],
        company=application["company_name"],
        place=place,
    )
    me = story.identify()
    upcoming = story.call("list_upcoming_interviews", applicant_id=me)["interviews"]
    mine = story.find(
        upcoming,
        job_title=application["job_title"],
        company_name=application["company_name"],
        interview_type=row["interview_type"],
    )
    changed = story.call("update_interview_details", interview_id=mine["interview_id"], interview_location=place)
    story.answer("interview day", story.date_of(changed["interview_date"]))


@scenario
def tell_how_interview_went(story: Story) -> None:
    """The applicant reports how an interview went."""
    row = story.pick(
        "interview_schedule",
        "interview_date <= ? AND interview_id NOT IN"
        " (SELECT interview_id FROM interview_feedback WHERE performance_rating IS NOT NULL)"
        " AND application_id IN (SELECT application_id FROM job_application"
        " GROUP BY applicant_id, job_title, company_name HAVING count(*) = 1)",
        story.now,
        unique_by=["application_id", "interview_type"],
        mine=True,
    )
    application = story.row("job_application", row["application_id"])
    rating = story.choose("rating", [2, 3, 4, 5])
    text = story.dictate(
        "text", "They asked a lot about {company} and I knew most of it", company=application["company_name"]
    )
    story.wish(
        (
            (
                "Some feedback on the {kind} that I had at {company} for the job as {job}: my performance was a "
                "{rating} out of 5, and as the text take this: {text}."
            ),
            (
                "I wish to give feedback on the {kind} that I had at {company} for the position as {job}. I would"
                " rate my performance at {rating} out of 5 and ask you to take the following as the text: {text}."
            ),
            (
                "had my {kind} at {company} for the {job} job, here's my feedback. performance {rating} out of 5,"
                " text: {text}."
            ),
        ),
        kind=row["interview_type"],
        job=application["job_title"],
        company=application["company_name"],
        rating=rating,
        text=text,
    )
    me = story.identify()
    applications = story.call("list_applicant_applications", applicant_id=me)["applications"]
    entry = story.find(applications, job_title=application["job_title"], company_name=application["company_name"])
    interviews = story.call("get_application_interviews", application_id=entry["application_id"])["interviews"]
    mine = story.find(interviews, interview_type=row["interview_type"])
    story.call(
        "add_interview_feedback", interview_id=mine["interview_id"], feedback_content=text, performance_rating=rating
    )


@scenario(form="mistaken")
def move_interview_by_days(story: Story) -> None:
    """The applicant wants an interview moved by some days, but is wrong about its day."""
    row = story.pick(
        "interview_schedule",
        "interview_date >= ?"
        " AND application_id IN (SELECT application_id FROM job_application"
        " GROUP BY applicant_id, job_title, company_name HAVING count(*) = 1)"
        " AND application_id IN (SELECT application_id FROM job_application WHERE status IN ('submitted', 'under_review'))"
        " AND application_id IN (SELECT application_id FROM interview_schedule WHERE interview_date > ?"
        " GROUP BY application_id HAVING count(*) = 1)",
        story.day(4),
        story.now,
        unique_by=["application_id", "interview_type"],
        mine=True,
    )
    application = story.row("job_application", row["application_id"])
    off = story.choose("off", [1, 2])
    later = story.choose("later", [7, 14])
    wrong = story.date_of(story.after(row["interview_date"], days=off))
    story.wish(
        (
            (
                "My {kind} for the job as {job} at {company} is on {day}, I think, and that does not suit me. "
                "They agreed to postpone it: take the date on which your records have it, and move it to {later} "
                "days after that recorded date, at the same time of day."
            ),
            (
                "I believe that my {kind} for the position as {job} at {company} is on {day}, which is not "
                "convenient for me, and they have agreed to postpone it. I would be grateful if you could start "
                "from the date on which your records have it and move it to {later} days after that recorded "
                "date, leaving the time of day unchanged."
            ),
            (
                "can you move my {kind} for the {job} job at {company}? think it's on {day}, that's no good for "
                "me, and they're ok with postponing. new date is {later} days after the one your records have for"
                " it, same time of day"
            ),
        ),
        kind=row["interview_type"],
        job=application["job_title"],
        company=application["company_name"],
        day=wrong,
        later=later,
    )
    story.believes("day of the interview", wrong, story.date_of(row["interview_date"]))
    me = story.identify()
    upcoming = story.call("list_upcoming_interviews", applicant_id=me)["interviews"]
    mine = story.find(
        upcoming,
        job_title=application["job_title"],
        company_name=application["company_name"],
        interview_type=row["interview_type"],
    )
    moved = story.after(mine["interview_date"], days=later)
    with story.wrong("trusts the user"):
        story.call(
            "reschedule_interview", interview_id=mine["interview_id"], new_interview_date=story.after(moved, days=off)
        )
    story.call("reschedule_interview", interview_id=mine["interview_id"], new_interview_date=moved)


@scenario(form="conditional")
def cancel_early_or_move_late_interview(story: Story) -> None:
    """The applicant wants an interview cancelled if it is early, otherwise moved."""
    row = story.pick(
        "interview_schedule",
        "interview_date >= ?"
        " AND application_id IN (SELECT application_id FROM job_application"
        " GROUP BY applicant_id, job_title, company_name HAVING count(*) = 1)"
        " AND application_id IN (SELECT application_id FROM job_application WHERE status IN ('submitted', 'under_review'))",
        story.day(4),
        unique_by=["application_id", "interview_type"],
        mine=True,
    )
    application = story.row("job_application", row["application_id"])
    day = story.day(5)
    when = story.moment(story.day(19), "16:30")
    story.wish(
        (
            (
                "If my {kind} for the job as {job} at {company} is on {day} or before that, cancel it, I can't "
                "make it. If it is later, move it to {when}."
            ),
            (
                "I would ask you to cancel my {kind} for the position as {job} at {company} if it falls on {day} "
                "or earlier, as I am unable to attend then. Should it fall later than that, please move it to "
                "{when}."
            ),
            (
                "my {kind} at {company} for the {job} job: on {day} or before, i can't make it, so cancel it. "
                "later than that, move it to {when}"
            ),
        ),
        kind=row["interview_type"],
        job=application["job_title"],
        company=application["company_name"],
        day=day,
        when=when,
    )
    me = story.identify()
    upcoming = story.call("list_upcoming_interviews", applicant_id=me)["interviews"]
    mine = story.find(
        upcoming,
        job_title=application["job_title"],
        company_name=application["company_name"],
        interview_type=row["interview_type"],
    )
    early = story.date_of(mine["interview_date"]) <= day
    with story.wrong("takes the other branch"):
        if early:
            story.call("reschedule_interview", interview_id=mine["interview_id"], new_interview_date=when)
        else:
            story.call("cancel_interview", interview_id=mine["interview_id"])
    if early:
        story.call("cancel_interview", interview_id=mine["interview_id"])
    else:
        story.call("reschedule_interview", interview_id=mine["interview_id"], new_interview_date=when)


@scenario(form="conditional")
def name_interviewer_or_lengthen(story: Story) -> None:
    """The applicant wants an interviewer entered if the interview is long, otherwise more time."""
    row = story.pick(
        "interview_schedule",
        "interview_date > ? AND interview_duration_minutes IS NOT NULL"
        " AND application_id IN (SELECT application_id FROM job_application"
        " GROUP BY applicant_id, job_title, company_name HAVING count(*) = 1)",
        story.now,
        unique_by=["application_id", "interview_type"],
        mine=True,
    )
    application = story.row("job_application", row["application_id"])
    limit = story.choose("limit", [40])
    length = story.choose("length", [60, 75])
    who = story.choose("who", ["Dr. Ada Brandt", "Mr. Kwame Mensah"])
    story.wish(
        (
            (
                "Have a look at the {kind} that is ahead of me at {company}, for the job as {job}. If it is "
                "planned for {limit} minutes or more, enter {who} as the interviewer and leave the rest; if it is"
                " shorter, make it {length} minutes and leave the rest."
            ),
            (
                "I would be grateful if you could look at my forthcoming {kind} at {company} for the position as "
                "{job}. Should it be planned for {limit} minutes or more, please enter {who} as the interviewer "
                "and leave everything else as it is. Should it be shorter, please change it to {length} minutes "
                "and leave everything else as it is."
            ),
            (
                "can you check the {kind} i've got coming up at {company} for the {job} job? {limit} minutes or "
                "more: put {who} in as interviewer, leave the rest. shorter: make it {length} minutes, leave the "
                "rest"
            ),
        ),
        kind=row["interview_type"],
        job=application["job_title"],
        company=application["company_name"],
        limit=limit,
        who=who,
        length=length,
    )
    me = story.identify()
    applications = story.call("list_applicant_applications", applicant_id=me)["applications"]
    entry = story.find(applications, job_title=application["job_title"], company_name=application["company_name"])
    interviews = story.call("get_application_interviews", application_id=entry["application_id"])["interviews"]
    mine = story.find(interviews, interview_type=row["interview_type"])
    long = mine["interview_duration_minutes"] >= limit
    with story.wrong("takes the other branch"):
        if long:
            story.call("update_interview_details", interview_id=mine["interview_id"], interview_duration_minutes=length)
        else:
            story.call("update_interview_details", interview_id=mine["interview_id"], interviewer_name=who)
    if long:
        story.call("update_interview_details", interview_id=mine["interview_id"], interviewer_name=who)
    else:
        story.call("update_interview_details", interview_id=mine["interview_id"], interview_duration_minutes=length)


@scenario(form="mistaken")
def count_interviews_until_that_one(story: Story) -> None:
    """The applicant sets the place of an interview and asks how many interviews there are until then, but is wrong about its day."""
    row = story.pick(
        "interview_schedule",
        "interview_date >= ?"
        " AND application_id IN (SELECT application_id FROM job_application"
        " GROUP BY applicant_id, job_title, company_name HAVING count(*) = 1)",
        story.day(2),
        unique_by=["application_id", "interview_type"],
        mine=True,
    )
    application = story.row("job_application", row["application_id"])
    wrong = story.date_of(story.after(row["interview_date"], days=-story.choose("off", [1])))
    place = story.choose("place", ["Tower 5, reception", "Library annex", "Skype call"])
    story.wish(
        (
            (
                "So the {kind} at {company} for the job as {job} is on {day}. Enter as its location: {place}. And"
                " what is the number of interviews that I have from now to the end of the day of that one?"
            ),
            (
                "The {kind} at {company} for the job as {job} is therefore on {day}. I would be grateful if you "
                "could change its details as follows. Enter as its location: {place}. I would also like to know "
                "the number of interviews that I have from now until the end of the day of that one."
            ),
            (
                "{kind} at {company} for the job as {job}, so that's on {day}. location is {place}, put that in. "
                "and what's my number of interviews from now to the end of that one's day?"
            ),
        ),
        kind=row["interview_type"],
        job=application["job_title"],
        company=application["company_name"],
        day=wrong,
        place=place,
    )
    story.believes("day of the interview", wrong, story.date_of(row["interview_date"]))
    me = story.identify()
    upcoming = story.call("list_upcoming_interviews", applicant_id=me)["interviews"]
    mine = story.find(
        upcoming,
        job_title=application["job_title"],
        company_name=application["company_name"],
        interview_type=row["interview_type"],
    )
    with story.wrong("trusts the user"):
        story.call("update_interview_details", interview_id=mine["interview_id"], interview_location=place)
        believed = story.call("list_upcoming_interviews", applicant_id=me, until_date=wrong)
        story.answer("number of interviews", believed["total"])
    changed = story.call("update_interview_details", interview_id=mine["interview_id"], interview_location=place)
    until = story.call(
        "list_upcoming_interviews",
        applicant_id=me,
        until_date=story.date_of(changed["interview_date"]),
    )
    story.answer("number of interviews", until["total"])


@scenario
def replace_last_stage_by_offer(story: Story) -> None:
    """The applicant has a wrong stage removed and an offer entered instead."""
    row = story.pick(
        "job_application",
        "status IN ('submitted', 'under_review') AND application_id IN (SELECT application_id FROM"
        " application_stage) AND application_id NOT IN (SELECT application_id FROM application_stage"
        " WHERE stage_name = 'offer')",
        unique_by=["applicant_id", "job_title", "company_name"],
        mine=True,
    )
    stage = story.choose("stage", {"an offer": "offer"})
    when = story.moment(story.day(-1), "15:00")
    story.wish(
        (
            (
                "The latest stage on my application as {job} at {company} was entered by mistake, so take it out."
                " What is true is that I got {stage} on {when}: enter that as a stage. And which stage date did "
                "the wrong entry bear?"
            ),
            (
                "I would be grateful if you could remove the latest stage on my application as {job} at "
                "{company}, as it was entered by mistake. In truth I received {stage} on {when}, which I would "
                "ask you to enter as a stage. Kindly also tell me which stage date the wrong entry bore."
            ),
            (
                "my application as {job} at {company}: the latest stage is a mistake, take it out. what i got is "
                "{stage}, on {when}, so put that in as a stage. and what stage date did the wrong one have?"
            ),
        ),
        job=row["job_title"],
        company=row["company_name"],
        stage=stage,
        when=when,
    )
    me = story.identify()
    applications = story.call("list_applicant_applications", applicant_id=me)["applications"]
    mine = story.find(applications, job_title=row["job_title"], company_name=row["company_name"])
    stages = story.call("get_application_stage_history", application_id=mine["application_id"])["stages"]
    last = story.highest(stages, "stage_date")
    removed = story.call("remove_application_stage", stage_id=last["stage_id"])
    story.answer("stage date", story.date_of(removed["stage_date"]))
    story.call("add_application_stage", application_id=mine["application_id"], stage_name=stage, stage_date=when)


@scenario
def rewrite_note(story: Story) -> None:
    """The applicant has a recent note rewritten."""
    row = story.pick(
        "application_note",
        "created_at >= ? AND note_type IS NOT NULL AND application_id IN (SELECT application_id FROM"
        " job_application GROUP BY applicant_id, job_title, company_name HAVING count(*) = 1)",
        story.day(-14),
        unique_by=["application_id", "note_type"],
        mine=True,
    )
    application = story.row("job_application", row["application_id"])
    text = story.dictate(
        "text", "Call {company} again before the end of the month", company=application["company_name"]
    )
    story.wish(
        (
            (
                "there's a {kind} note on my application as {job} at {company} that is out of date. its text "
                "should be: {text}."
            ),
            (
                "The {kind} note that is on my application as {job} at {company} is out of date. I would ask you "
                "to change it: its text should be: {text}."
            ),
            ("that {kind} note on my application as {job} at {company} is old news, its text should be: {text}."),
        ),
        kind=row["note_type"],
        job=application["job_title"],
        company=application["company_name"],
        text=text,
    )
    me = story.identify()
    applications = story.call("list_applicant_applications", applicant_id=me)["applications"]
    entry = story.find(applications, job_title=application["job_title"], company_name=application["company_name"])
    notes = story.call("list_application_notes", application_id=entry["application_id"])["notes"]
    mine = story.find(notes, note_type=row["note_type"])
    story.call("edit_application_note", note_id=mine["note_id"], note_content=text)


@scenario
def drop_note(story: Story) -> None:
    """The applicant has a recent note deleted."""
    row = story.pick(
        "application_note",
        "created_at >= ? AND note_type IS NOT NULL AND application_id IN (SELECT application_id FROM"
        " job_application GROUP BY applicant_id, job_title, company_name HAVING count(*) = 1)",
        story.day(-14),
        unique_by=["application_id", "note_type"],
        mine=True,
    )
    application = story.row("job_application", row["application_id"])
    story.wish(
        (
            "Please delete the {kind} note on my application as {job} at {company}. I don't need it any more.",
            (
                "I no longer need the {kind} note that is on my application as {job} at {company}, and I would be"
                " grateful if you could delete it."
            ),
            "can you delete the {kind} note on my application as {job} at {company}? don't need it anymore",
        ),
        kind=row["note_type"],
        job=application["job_title"],
        company=application["company_name"],
    )
    me = story.identify()
    applications = story.call("list_applicant_applications", applicant_id=me)["applications"]
    entry = story.find(applications, job_title=application["job_title"], company_name=application["company_name"])
    notes = story.call("list_application_notes", application_id=entry["application_id"])["notes"]
    mine = story.find(notes, note_type=row["note_type"])
    story.call("delete_application_note", note_id=mine["note_id"])


@scenario(form="best_of")
def note_on_oldest_open(story: Story) -> None:
    """The applicant has a note written on the open application that was filed first."""
    story.pick(
        "job_application",
        "status IN ('submitted', 'under_review') AND EXISTS (SELECT 1 FROM job_application AS b WHERE"
        " b.applicant_id = job_application.applicant_id AND b.application_id <>"
        " job_application.application_id AND b.status IN ('submitted', 'under_review')) AND NOT EXISTS"
        " (SELECT 1 FROM job_application AS b WHERE b.applicant_id = job_application.applicant_id AND"
        " b.application_id <> job_application.application_id AND b.status IN ('submitted',"
        " 'under_review') AND b.application_date < datetime(job_application.application_date, '+1 day'))"
        " AND EXISTS (SELECT 1 FROM job_application AS b WHERE b.applicant_id ="
        " job_application.applicant_id AND b.application_id <> job_application.application_id AND"
        " b.status NOT IN ('submitted', 'under_review') AND b.application_date <"
        " job_application.application_date)",
        mine=True,
    )
    text = story.dictate("text", "Ask whether they are still looking for anybody")
    story.wish(
        (
            (
                "Among my applications that are submitted or under review there is one that was filed longest "
                "ago. Write a note on that one, without any kind: {text}."
            ),
            (
                "I would kindly ask you to consider those of my applications that are submitted or under review, "
                "and to choose the one that was filed the longest time ago. On that one, please write a note "
                "without any kind: {text}."
            ),
            (
                "my applications that are submitted or under review: the one filed longest ago gets a note, "
                "without any kind: {text}."
            ),
        ),
        text=text,
    )
    me = story.identify()
    applications = story.call("list_applicant_applications", applicant_id=me)["applications"]
    fitting = [each for each in applications if each["status"] in ("submitted", "under_review")]
    best = story.lowest(fitting, "application_date")
    for other in [each for each in fitting if each["application_id"] != best["application_id"]][:1]:
        with story.wrong("takes the first that fits"):
            story.call("add_application_note", application_id=other["application_id"], note_content=text)
    story.call("add_application_note", application_id=best["application_id"], note_content=text)


@scenario(form="best_of")
def note_on_newest_ended(story: Story) -> None:
    """The applicant has a reminder written on the rejected or withdrawn application that was filed last."""
    story.pick(
        "job_application",
        "status IN ('rejected', 'withdrawn') AND EXISTS (SELECT 1 FROM job_application AS b WHERE"
        " b.applicant_id = job_application.applicant_id AND b.application_id <>"
        " job_application.application_id AND b.status IN ('rejected', 'withdrawn')) AND NOT EXISTS"
        " (SELECT 1 FROM job_application AS b WHERE b.applicant_id = job_application.applicant_id AND"
        " b.application_id <> job_application.application_id AND b.status IN ('rejected', 'withdrawn')"
        " AND b.application_date > datetime(job_application.application_date, '-1 day')) AND EXISTS"
        " (SELECT 1 FROM job_application AS b WHERE b.applicant_id = job_application.applicant_id AND"
        " b.application_id <> job_application.application_id AND b.status NOT IN ('rejected',"
        " 'withdrawn') AND b.application_date > job_application.application_date)",
        mine=True,
    )
    text = story.dictate("text", "Find out what I could have done better")
    kind = story.choose("kind", {"as a reminder": "reminder"})
    story.wish(
        (
            (
                "I want to learn from what went wrong. Look at those of my applications that were rejected or "
                "withdrawn, take the one filed most recently, and write on it {kind}: {text}."
            ),
            (
                "As I wish to learn from what went wrong, I would ask you to consider those of my applications "
                "that were rejected or withdrawn. On the one among them that was filed most recently, kindly "
                "write {kind}: {text}."
            ),
            (
                "wanna learn from what went wrong. my rejected or withdrawn applications, the most recently filed"
                " one of them: write on it {kind}: {text}."
            ),
        ),
        text=text,
        kind=kind,
    )
    me = story.identify()
    applications = story.call("list_applicant_applications", applicant_id=me)["applications"]
    fitting = [each for each in applications if each["status"] in ("rejected", "withdrawn")]
    best = story.highest(fitting, "application_date")
    for other in [each for each in fitting if each["application_id"] != best["application_id"]][:1]:
        with story.wrong("takes the first that fits"):
            story.call(
                "add_application_note", application_id=other["application_id"], note_content=text, note_type=kind
            )
    story.call("add_application_note", application_id=best["application_id"], note_content=text, note_type=kind)


@scenario(form="all_but")
def note_on_all_but_one(story: Story) -> None:
    """The applicant has the same note written on all applications except one."""
    row = story.pick(
        "job_application",
        "(SELECT count(*) FROM job_application AS b WHERE b.applicant_id = job_application.applicant_id)"
        " BETWEEN 4 AND 6",
        unique_by=["applicant_id", "job_title", "company_name"],
        mine=True,
    )
    text = story.dictate("text", "New phone from April on, tell the employer")
    story.wish(
        (
            (
                "I need the same note, with no kind given, on every application of mine, whatever its status, "
                "except the one as {job} at {company}: {text}."
            ),
            (
                "I would be grateful if you could write the same note, with no kind given, on each of my "
                "applications, irrespective of its status, with the sole exception of the one as {job} at "
                "{company}: {text}."
            ),
            (
                "same note on all my applications, any status, just not the one as {job} at {company}. no kind "
                "given, and it's: {text}."
            ),
        ),
        job=row["job_title"],
        company=row["company_name"],
        text=text,
    )
    me = story.identify()
    applications = story.call("list_applicant_applications", applicant_id=me)["applications"]
    with story.wrong("forgets the exception"):
        for each in applications:
            story.call("add_application_note", application_id=each["application_id"], note_content=text)
    for each in story.all_but(applications, job_title=row["job_title"], company_name=row["company_name"]):
        story.call("add_application_note", application_id=each["application_id"], note_content=text)


@scenario(form="all_but")
def reminder_on_all_but_status(story: Story) -> None:
    """The applicant has a reminder written on all applications except those of one status."""
    row = story.pick(
        "job_application",
        "(SELECT count(*) FROM job_application AS b WHERE b.applicant_id = job_application.applicant_id"
        " AND b.status <> job_application.status) BETWEEN 3 AND 5 AND (SELECT count(*) FROM"
        " job_application AS b WHERE b.applicant_id = job_application.applicant_id) <= 6",
        mine=True,
    )
    text = story.dictate("text", "Check the portal of the employer every Monday")
    kind = story.choose("kind", {"a reminder": "reminder"})
    story.wish(
        (
            ("please put {kind} on all of my applications but those with the status {status}. it should read: {text}."),
            (
                "I would be grateful if you could put {kind} on each of my applications, with the exception of "
                "those that have the status {status}. For the text, it should read: {text}."
            ),
            "all of my applications but the ones with status {status} need {kind}, it should read: {text}.",
        ),
        kind=kind,
        status=row["status"],
        text=text,
    )
    me = story.identify()
    applications = story.call("list_applicant_applications", applicant_id=me)["applications"]
    with story.wrong("forgets the exception"):
        for each in applications:
            story.call("add_application_note", application_id=each["application_id"], note_content=text, note_type=kind)
    for each in story.all_but(applications, status=row["status"]):
        story.call("add_application_note", application_id=each["application_id"], note_content=text, note_type=kind)


@scenario(form="computed")
def reckon_answer_day(story: Story) -> None:
    """The applicant asks for the day on which to expect news, counted from the latest stage, and has a note written."""
    row = story.pick(
        "job_application",
        "(SELECT count(*) FROM application_stage AS s WHERE s.application_id = job_application.application_id) >= 2",
        unique_by=["applicant_id", "job_title", "company_name"],
        mine=True,
    )
    days = story.choose("days", [30, 45, 60])
    text = story.dictate("text", "Look for news once the waiting time is over")
    story.wish(
        (
            (
                "My rule of thumb: news comes {days} days after the latest stage that an application reached, "
                "never counted from the stages before. What is the news day for mine as {job} at {company}? And "
                "write this note on it, of no kind: {text}."
            ),
            (
                "As a rule, I expect news {days} days after the latest stage that an application has reached, "
                "never counting from the earlier stages. I would be grateful if you could tell me the news day "
                "for my application as {job} at {company}. I would also ask you to write this note on it, of no "
                "kind: {text}."
            ),
            (
                "what's the news day for my application as {job} at {company}? for me that's {days} days after "
                "the latest stage it got to, never counted from the ones before. and write this note on it, of no"
                " kind: {text}."
            ),
        ),
        days=days,
        job=row["job_title"],
        company=row["company_name"],
        text=text,
    )
    me = story.identify()
    applications = story.call("list_applicant_applications", applicant_id=me)["applications"]
    mine = story.find(applications, job_title=row["job_title"], company_name=row["company_name"])
    stages = story.call("get_application_stage_history", application_id=mine["application_id"])["stages"]
    last = story.highest(stages, "stage_date")
    first = story.lowest(stages, "stage_date")
    with story.wrong("counts from the first stage"):
        story.call("add_application_note", application_id=mine["application_id"], note_content=text)
        story.answer("news day", story.after(story.date_of(first["stage_date"]), days=days))
    story.call("add_application_note", application_id=mine["application_id"], note_content=text)
    story.answer("news day", story.after(story.date_of(last["stage_date"]), days=days))


@scenario(form="computed")
def count_history_entries(story: Story) -> None:
    """The applicant asks how many entries the history of an application has and has one more stage entered."""
    row = story.pick(
        "job_application",
        "status IN ('submitted', 'under_review') AND application_id IN (SELECT application_id FROM application_stage)"
        " AND application_id IN (SELECT application_id FROM application_note)"
        " AND application_id NOT IN (SELECT application_id FROM application_stage WHERE stage_name = 'offer')",
        unique_by=["applicant_id", "job_title", "company_name"],
        mine=True,
    )
    stage = story.choose("stage", {"an offer": "offer"})
    when = story.moment(story.day(-1), "16:00")
    story.wish(
        (
            (
                "For my files: what is the number of entries that you have so far on my application as {job} at "
                "{company}, stages and notes taken together? After counting, enter as one more stage that I got "
                "{stage} on {when}."
            ),
            (
                "For my own files, I would be grateful if you could tell me the number of entries that you have "
                "so far on my application as {job} at {company}, where stages and notes are taken together. Once "
                "they are counted, kindly enter as one further stage that I received {stage} on {when}."
            ),
            (
                "my application as {job} at {company}: what's the number of entries on it so far, stages plus "
                "notes? it's for my files. once you've counted, add one more stage: got {stage} on {when}"
            ),
        ),
        job=row["job_title"],
        company=row["company_name"],
        stage=stage,
        when=when,
    )
    me = story.identify()
    applications = story.call("list_applicant_applications", applicant_id=me)["applications"]
    mine = story.find(applications, job_title=row["job_title"], company_name=row["company_name"])
    stages = story.call("get_application_stage_history", application_id=mine["application_id"])["stages"]
    notes = story.call("list_application_notes", application_id=mine["application_id"])["notes"]
    with story.wrong("forgets the notes"):
        story.answer("number of entries", story.count(stages))
        story.call("add_application_stage", application_id=mine["application_id"], stage_name=stage, stage_date=when)
    story.answer("number of entries", story.count([*stages, *notes]))
    story.call("add_application_stage", application_id=mine["application_id"], stage_name=stage, stage_date=when)


@scenario
def upgrade_and_ask_registration_day(story: Story) -> None:
    """The applicant moves to the premium tier and asks for the day of registration."""
    story.pick(
        "job_application",
        "(SELECT person.service_tier FROM applicant AS person"
        " WHERE person.applicant_id = job_application.applicant_id) <> 'premium'",
        mine=True,
    )

    tier = story.choose("tier", {"the premium tier": "premium"})
    story.wish(
        (
            "Please move me to {tier}. And can you tell me my registration day with you?",
            ("I would be grateful if you could move me to {tier} and inform me of my registration day with you."),
            "what's my registration day with you guys? and switch me to {tier}",
        ),
        tier=tier,
    )
    me = story.identify()
    record = story.call("get_applicant", applicant_id=me)
    story.call("change_service_tier", applicant_id=me, service_tier=tier)
    story.answer("registration day", story.date_of(record["created_at"]))


@scenario
def register_colleague_and_new_email(story: Story) -> None:
    """The applicant has a colleague registered and their own email address changed."""
    name = story.choose("name", ["Ottilie Marchetti", "Bertrand Oyelaran"])
    born = story.choose("born", {"June 21, 1994": "1994-06-21", "November 3, 1988": "1988-11-03"})
    email = story.choose("email", ["newjobs.colleague@postbox.example"])
    phone = story.choose("phone", ["+44 20 7946 0113"])
    tier = story.choose("tier", {"the plus tier": "plus"})
    own = story.choose("own email", ["fresh.start24@postbox.example", "my.next.job@postbox.example"])
    story.wish(
        (
            (
                "Could you register my colleague {name}, born on {born}, in {tier}? The email address is {email} "
                "and the phone number is {phone}. And my own email address is to be {own} from now on."
            ),
            (
                "I would be grateful if you could register in {tier} a colleague of mine, {name}, who was born on"
                " {born} and can be reached at the email address {email} and the phone number {phone}. "
                "Furthermore, I would ask you to change my own email address to {own} from now on."
            ),
            (
                "sign up my colleague {name} in {tier}: born {born}, email {email}, phone {phone}. and my own "
                "email's {own} from now on"
            ),
        ),
        name=name,
        born=born,
        tier=tier,
        email=email,
        phone=phone,
        own=own,
    )
    me = story.identify()
    story.call(
        "register_applicant",
        full_name=name,
        email=email,
        phone=phone,
        date_of_birth=born,
        service_tier=tier,
    )
    story.call("update_applicant_contact", applicant_id=me, email=own)


@scenario(form="coupled")
def pass_phone_on_to_partner(story: Story) -> None:
    """The applicant's partner is registered with the phone number that the applicant gives up."""
    name = story.choose("name", ["Celestine Brandvold", "Tobias Achterberg"])
    born = story.choose("born", {"April 9, 1991": "1991-04-09", "August 17, 1986": "1986-08-17"})
    email = story.choose("email", ["partner.applies@postbox.example"])
    phone = story.choose("phone", ["+44 20 7946 0127", "+44 20 7946 0128"])
    with story.together():
        register = story.wish(
            (
                (
                    "Please register my partner {name}, born on {born}, with the email address {email} and the phone "
                    "number that you have for me until now."
                ),
                (
                    "I would be grateful if you could register my partner {name}, who was born on {born}. The email "
                    "address is {email}, and the phone number is to be the one that you have had for me until now."
                ),
                (
                    "can you sign up my partner {name}? born {born}, email {email}, phone's the number you've had for"
                    " me until now"
                ),
            ),
            name=name,
            born=born,
            email=email,
        )
        change = story.wish(
            (
                "And my own phone number becomes {phone}.",
                "I would also ask you to change my own phone number to {phone}.",
                "and me, i'm on {phone} now, so change my phone number",
            ),
            phone=phone,
        )
    me = story.identify()
    record = story.call("get_applicant", wish=register, applicant_id=me)
    story.call("update_applicant_contact", wish=change, applicant_id=me, phone=phone)
    story.call(
        "register_applicant",
        wish=register,
        full_name=name,
        email=email,
        phone=record["phone"],
        date_of_birth=born,
    )


@scenario(form="coupled")
def pass_email_on_to_sister(story: Story) -> None:
    """The applicant's sister is registered with the email address that the applicant gives up."""
    name = story.choose("name", ["Rosalind Etxeberria", "Henrike Vandermeer"])
    born = story.choose("born", {"January 30, 1997": "1997-01-30", "May 12, 1990": "1990-05-12"})
    phone = story.choose("phone", ["+44 20 7946 0139"])
    tier = story.choose("tier", {"the plus tier": "plus", "the premium tier": "premium"})
    email = story.choose("email", ["moved.on24@postbox.example", "own.mailbox@postbox.example"])
    with story.together():
        register = story.wish(
            (
                (
                    "my sister {name}, born on {born}, phone number {phone}, wants to be registered in {tier}, and "
                    "she takes over the email address i have had with you so far."
                ),
                (
                    "I would kindly ask you to register my sister {name} in {tier}. She was born on {born}, her phone"
                    " number is {phone}, and for her email address she takes over the one that I have had with you so"
                    " far."
                ),
                (
                    "sign up my sister in {tier}? {name}, born {born}, phone {phone}, and she's taking over the email"
                    " i've had with you so far"
                ),
            ),
            name=name,
            born=born,
            phone=phone,
            tier=tier,
        )
        change = story.wish(
            (
                "oh, and change my email address to {email}.",
                "In addition, I would be grateful if my own email address could be changed to {email}.",
                "and my own email's {email} now, change that too",
            ),
            email=email,
        )
    me = story.identify()
    record = story.call("get_applicant", wish=register, applicant_id=me)
    story.call("update_applicant_contact", wish=change, applicant_id=me, email=email)
    story.call(
        "register_applicant",
        wish=register,
        full_name=name,
        email=record["email"],
        phone=phone,
        date_of_birth=born,
        service_tier=tier,
    )


@scenario(form="changed_mind")
def correct_new_email(story: Story) -> None:
    """The applicant gives a new email address and then corrects it."""
    first = story.choose("first email", ["careers.me@postbox.example", "apply.here@postbox.example"])
    second = story.choose("second email", ["careers.me@mailhouse.example", "apply.here@mailhouse.example"])
    number = story.wish(
        (
            "I have a new email address, please change it to {email}.",
            (
                "As I now have a new email address, I would be grateful if you could change the one on record to "
                "{email}."
            ),
            "new email address for me: {email}, change it pls",
        ),
        email=first,
    )
    correct = story.changes_mind(
        number,
        (
            "Sorry, I gave you the wrong one: the address should be {email}.",
            (
                "I apologize for having given you the wrong address. The correct one, which I would ask you to "
                "enter, is {email}."
            ),
            "oops, wrong one, make that {email}",
        ),
        email=second,
    )
    me = story.identify()
    story.call("update_applicant_contact", wish=number, applicant_id=me, email=first)
    story.call("update_applicant_contact", wish=correct, applicant_id=me, email=second)


@scenario(form="changed_mind")
def choose_smaller_tier(story: Story) -> None:
    """The applicant asks for the premium tier and then prefers the plus tier."""
    story.pick(
        "job_application",
        "(SELECT person.service_tier FROM applicant AS person"
        " WHERE person.applicant_id = job_application.applicant_id) = 'basic'",
        mine=True,
    )

    first = story.choose("first tier", {"the premium tier": "premium"})
    second = story.choose("second tier", {"the plus tier": "plus"})
    move = story.wish(
        (
            "I'd like to be moved to {tier}, please.",
            "I would be grateful if you could move me to {tier}.",
            "can you switch me to {tier}?",
        ),
        tier=first,
    )
    rather = story.changes_mind(
        move,
        (
            "Hmm, on second thoughts that's more than I need. Make it {tier} instead.",
            (
                "Having thought it over, I find that this is more than I need. I would ask you to make it {tier} "
                "instead."
            ),
            "actually no, that's more than i need, {tier} instead",
        ),
        tier=second,
    )
    me = story.identify()
    story.call("change_service_tier", wish=move, applicant_id=me, service_tier=first)
    story.call("change_service_tier", wish=rather, applicant_id=me, service_tier=second)


@scenario(form="changed_mind")
def correct_phone_of_new_contact(story: Story) -> None:
    """The applicant gives a new email address and phone number and then corrects the phone number."""
    email = story.choose("email", ["both.new@postbox.example", "contact.me@postbox.example"])
    first = story.choose("first phone", ["+44 20 7946 0151", "+44 20 7946 0152"])
    second = story.choose("second phone", ["+44 20 7946 0161", "+44 20 7946 0162"])
    change = story.wish(
        (
            (
                "My contact details have changed: my email address is now {email} and my phone number {phone}. "
                "Please update both."
            ),
            (
                "Please be advised that I have new contact details, namely the email address {email} and the "
                "phone number {phone}. I would be grateful if you could update both of them."
            ),
            "got a new email and a new phone number: {email} and {phone}. update both pls",
        ),
        email=email,
        phone=first,
    )
    correct = story.changes_mind(
        change,
        (
            "Wait, I mistyped the phone number. It has to be {phone}; the email address stays as I said.",
            (
                "I regret to say that the phone number which I gave was mistyped. It should be {phone}, whereas "
                "the email address remains as I stated it."
            ),
            "hang on, typo in the phone number, it's {phone}. email stays like i said",
        ),
        phone=second,
    )
    me = story.identify()
    story.call("update_applicant_contact", wish=change, applicant_id=me, email=email, phone=first)
    story.call("update_applicant_contact", wish=correct, applicant_id=me, phone=second)


@scenario(form="outside")
def new_phone_and_call_recruiter(story: Story) -> None:
    """The applicant changes their phone number and would like a recruiter called."""
    phone = story.choose("phone", ["+44 20 7946 0174", "+44 20 7946 0175", "+44 20 7946 0176"])
    story.wish(
        (
            "My phone number has changed, it's {phone} now. Please update it.",
            (
                "I wish to inform you that my phone number has changed to {phone}, and I would be grateful if you"
                " could update it."
            ),
            "update my phone number pls, it's {phone} now",
        ),
        phone=phone,
    )
    me = story.identify()
    story.call("update_applicant_contact", applicant_id=me, phone=phone)
    story.outside(
        (
            "And could you ring up a recruiter for me and ask what salaries are usual in the trade?",
            (
                "I would also appreciate it if you could telephone a recruiter on my behalf and inquire which "
                "salaries are usual in the trade."
            ),
            "and can you give a recruiter a ring for me, ask what people usually earn in the trade?",
        )
    )


@scenario(form="outside")
def downgrade_and_refund(story: Story) -> None:
    """The applicant moves to the basic tier and would like money back."""
    story.pick(
        "job_application",
        "(SELECT person.service_tier FROM applicant AS person"
        " WHERE person.applicant_id = job_application.applicant_id) <> 'basic'",
        mine=True,
    )

    tier = story.choose("tier", {"the basic tier": "basic"})
    story.wish(
        (
            "Please put me in {tier}, I don't need more any longer.",
            "As I no longer require more than that, I would be grateful if you could place me in {tier}.",
            "don't need more anymore, so put me in {tier}",
        ),
        tier=tier,
    )
    me = story.identify()
    story.call("change_service_tier", applicant_id=me, service_tier=tier)
    story.outside(
        (
            "And please transfer this month's fee back to my bank account.",
            "I would further ask you to have the fee for this month transferred back to my bank account.",
            "and send this month's fee back to my bank account",
        )
    )


@scenario(form="outside")
def register_brother_and_book_train(story: Story) -> None:
    """The applicant has a brother registered and would like a train ticket booked for him."""
    name = story.choose("name", ["Anselm Kowalczuk", "Leopold Iturralde"])
    born = story.choose("born", {"September 5, 1999": "1999-09-05", "February 14, 1993": "1993-02-14"})
    email = story.choose("email", ["brother.seeks@postbox.example"])
    phone = story.choose("phone", ["+44 20 7946 0188"])
    tier = story.choose("tier", {"the basic tier": "basic", "the premium tier": "premium"})
    story.wish(
        (
            (
                "My brother wants to use your service too, please register him in {tier}: {name}, born on {born},"
                " email {email}, phone {phone}."
            ),
            (
                "My brother would likewise wish to make use of your service, and I would be grateful if you could"
                " register him in {tier}. His name is {name}, he was born on {born}, his email address is "
                "{email}, and his phone number is {phone}."
            ),
            "sign up my brother in {tier}, he wants in too. {name}, born {born}, {email}, {phone}",
        ),
        tier=tier,
        name=name,
        born=born,
        email=email,
        phone=phone,
    )
    story.identify()
    story.call(
        "register_applicant",
        full_name=name,
        email=email,
        phone=phone,
        date_of_birth=born,
        service_tier=tier,
    )
    story.outside(
        (
            "And could you book him a train ticket to his first job interview?",
            "Would you also be so kind as to book a train ticket for him to his first job interview?",
            "and a train ticket for him to his first job interview, can you book that?",
        )
    )


@scenario
def time_left_before_interview(story: Story) -> None:
    """The applicant asks how many hours are left before an interview, when it begins and who leads it."""
    row = story.pick(
        "interview_schedule",
        "interview_date > ? AND interviewer_name IS NOT NULL"
        " AND application_id IN (SELECT application_id FROM job_application"
        " GROUP BY applicant_id, job_title, company_name HAVING count(*) = 1)",
        story.now,
        unique_by=["application_id", "interview_type"],
        mine=True,
    )
    application = story.row("job_application", row["application_id"])
    story.wish(
        (
            (
                "I'm getting nervous about the {kind} at {company} for the job as {job}. What is the number of "
                "full hours left until it, counted from now, and what is the name of the interviewer?"
            ),
            (
                "The {kind} at {company} for the job as {job} is beginning to make me nervous. I would be "
                "grateful if you could tell me the number of full hours left until it, counted from now, as well "
                "as the name of the interviewer."
            ),
            (
                "what's the number of full hours left from now till the {kind} at {company} for the job as {job},"
                " and the name of the interviewer? getting nervous"
            ),
        ),
        kind=row["interview_type"],
        company=application["company_name"],
        job=application["job_title"],
    )
    me = story.identify()
    applications = story.call("list_applicant_applications", applicant_id=me)["applications"]
    entry = story.find(applications, job_title=application["job_title"], company_name=application["company_name"])
    interviews = story.call("get_application_interviews", application_id=entry["application_id"])["interviews"]
    mine = story.find(interviews, interview_type=row["interview_type"])
    left = story.call(
        "calculate_interview_preparation_time", current_date=story.now, interview_date=mine["interview_date"]
    )
    story.answer("number of full hours left", left["hours_until_interview"])
    story.answer("name of the interviewer", mine["interviewer_name"], source="interview_schedule.interviewer_name")


@scenario
def shares_of_my_applications(story: Story) -> None:
    """The applicant asks for the rejection rate of all applications, and which was made last."""
    story.pick(
        "job_application",
        "EXISTS (SELECT 1 FROM job_application AS b WHERE b.applicant_id = job_application.applicant_id"
        " AND b.status = 'rejected')"
        " AND EXISTS (SELECT 1 FROM job_application AS b WHERE b.applicant_id = job_application.applicant_id"
        " AND b.status <> 'rejected')"
        " AND NOT EXISTS (SELECT 1 FROM job_application AS b WHERE b.applicant_id = job_application.applicant_id"
        " AND b.application_id <> job_application.application_id"
        " AND b.application_date > datetime(job_application.application_date, '-1 day'))",
        mine=True,
    )
    story.wish(
        (
            (
                "Of all the applications that you have of me, counting the accepted ones as successful, what is "
                "my rejection rate in percent? And the most recent of them all, by its application date: which "
                "company did it go to, and what is that application date?"
            ),
            (
                "I would be grateful if you could tell me my rejection rate in percent over all the applications "
                "that you have of me, where the accepted ones count as successful. Furthermore, I would like to "
                "know, for the most recent of them all by application date, the company to which it went and that"
                " application date."
            ),
            (
                "what's my rejection rate in percent, over all my applications you have, accepted ones being "
                "successful? and the latest of them all by application date: which company, and what application "
                "date?"
            ),
        )
    )
    me = story.identify()
    counts = story.call("summarize_applicant_pipeline", applicant_id=me)
    rates = story.call(
        "calculate_application_success_rate",
        total_applications=counts["total"],
        successful_applications=counts["accepted"],
        rejected_applications=counts["rejected"],
    )
    story.answer("rejection rate in percent", rates["rejection_rate"])
    applications = story.call("list_applicant_applications", applicant_id=me)["applications"]
    latest = story.highest(applications, "application_date")
    story.answer("company", latest["company_name"], source="job_application.company_name")
    story.answer("application date", story.date_of(latest["application_date"]))


@scenario
def yield_of_my_applications(story: Story) -> None:
    """The applicant asks how often applications led to interviews and how these were rated."""
    story.pick("interview_feedback", "performance_rating IS NOT NULL", mine=True)
    story.wish(
        (
            (
                "is all this effort worth it? take all my applications, the interviews that already took place, "
                "and the accepted applications as offers: what is the interview conversion rate in percent? and "
                "what is the average rating of my interviews, over all their feedback?"
            ),
            (
                "I am wondering whether all this effort is worth it. Taking all my applications, the interviews "
                "that have already taken place, and the accepted applications as offers, I would be grateful to "
                "learn the interview conversion rate in percent. I would also like to know the average rating of "
                "my interviews over all their feedback."
            ),
            (
                "what's my interview conversion rate in percent? that's from all my applications, interviews that"
                " already happened, and accepted applications as offers. plus the average rating of my "
                "interviews, over all their feedback. just wanna know if it's worth the effort"
            ),
        )
    )
    me = story.identify()
    counts = story.call("summarize_applicant_pipeline", applicant_id=me)
    rates = story.call(
        "calculate_application_roi",
        total_applications=counts["total"],
        total_interviews=counts["interviews_held"],
        total_offers=counts["accepted"],
    )
    story.answer("interview conversion rate in percent", rates["interview_conversion_rate"])
    ratings = story.call("summarize_interview_ratings", applicant_id=me)
    story.answer("average rating", ratings["average_rating"])


@scenario
def next_deadline(story: Story) -> None:
    """The applicant asks which company's deadline comes next and when that application was made."""
    story.pick(
        "job_application",
        "status IN ('submitted', 'under_review') AND deadline_date > ? AND NOT EXISTS"
        " (SELECT 1 FROM job_application AS b WHERE b.applicant_id = job_application.applicant_id"
        " AND b.application_id <> job_application.application_id AND b.deadline_date > ?"
        " AND b.deadline_date < datetime(job_application.deadline_date, '+1 day'))",
        story.now,
        story.now,
        mine=True,
    )
    story.wish(
        (
            (
                "Which of the deadlines on my drafts and open applications comes next? Tell me the company and "
                "the deadline date of that one, and the application date, so the day on which I had applied "
                "there."
            ),
            (
                "I would be grateful if you could tell me which of the deadlines on my drafts and open "
                "applications comes next. Kindly state the company and the deadline date of that one, together "
                "with the application date, that is, the day on which I had applied there."
            ),
            (
                "next deadline on my drafts and open applications: which company, what deadline date, and what's "
                "the application date, so the day i'd applied there?"
            ),
        )
    )
    me = story.identify()
    deadlines = story.call("list_upcoming_deadlines", applicant_id=me)["deadlines"]
    soonest = story.lowest(deadlines, "deadline_date")
    details = story.call("get_application", application_id=soonest["application_id"])
    story.answer("company", soonest["company_name"], source="job_application.company_name")
    story.answer("deadline date", story.date_of(soonest["deadline_date"]))
    story.answer("application date", story.date_of(details["application_date"]))


@scenario
def take_up_rejected_application(story: Story) -> None:
    """The applicant has a rejected application taken up again and asks on which day it was filed."""
    application = story.pick(
        "job_application",
        "status = 'rejected' AND (SELECT count(*) FROM job_application AS own WHERE own.applicant_id = job_application.applicant_id"
        " AND own.status IN ('draft', 'submitted', 'under_review')) < (SELECT CASE service_tier WHEN 'basic' THEN 1"
        " WHEN 'plus' THEN 2 ELSE 4 END FROM applicant WHERE applicant.applicant_id = job_application.applicant_id)",
        unique_by=["applicant_id", "job_title", "company_name"],
        mine=True,
    )
    story.wish(
        (
            (
                "{company} want to talk to me after all! Please take up my application as {title} there again, "
                "and tell me its filing day."
            ),
            (
                "I have learned that {company} would like to speak with me after all. I would be grateful if you "
                "could take up my application as {title} there again and let me know its filing day."
            ),
            (
                "turns out {company} do want to talk to me! take up my application there as {title} again, and "
                "what's its filing day?"
            ),
        ),
        company=application["company_name"],
        title=application["job_title"],
    )
    me = story.identify()
    found = story.call("list_applicant_applications", applicant_id=me)["applications"]
    mine = story.find(found, job_title=application["job_title"], company_name=application["company_name"])
    story.call("reopen_application", application_id=mine["application_id"])
    story.answer("filing day", story.date_of(mine["application_date"]))


@scenario
def take_up_withdrawn_application(story: Story) -> None:
    """The applicant has a withdrawn application of which they recall only the position taken up again and asks for the company."""
    application = story.pick(
        "job_application",
        "status = 'withdrawn' AND (SELECT count(*) FROM job_application AS own WHERE own.applicant_id = job_application.applicant_id"
        " AND own.status IN ('draft', 'submitted', 'under_review')) < (SELECT CASE service_tier WHEN 'basic' THEN 1"
        " WHEN 'plus' THEN 2 ELSE 4 END FROM applicant WHERE applicant.applicant_id = job_application.applicant_id)",
        unique_by=["applicant_id", "job_title"],
        mine=True,
    )
    story.wish(
        (
            (
                "I once withdrew an application as {title}, and I regret it. Could you take it up again, and tell"
                " me which company it was?"
            ),
            (
                "Some time ago I withdrew an application as {title}, which I have come to regret. Would you "
                "kindly take it up again and inform me which company it was?"
            ),
            (
                "so i pulled an application as {title} back then and now i'm sorry i did. can you take it up "
                "again? and which company was that"
            ),
        ),
        title=application["job_title"],
    )
    me = story.identify()
    found = story.call("list_applicant_applications", applicant_id=me)["applications"]
    mine = story.find(found, job_title=application["job_title"])
    story.call("reopen_application", application_id=mine["application_id"])
    story.answer("company", mine["company_name"], source="job_application.company_name")


@scenario
def put_away_what_is_over(story: Story) -> None:
    """The applicant has an application that is over put down as archived."""
    application = story.pick(
        "job_application",
        "status IN ('rejected', 'withdrawn')",
        unique_by=["applicant_id", "job_title", "company_name"],
        mine=True,
    )
    new = story.choose("new", {"archived": "archived"})
    story.wish(
        (
            "please put my application as {title} at {company} down as {new}, i don't need to see it any more",
            (
                "I no longer need to see my application as {title} at {company}. I would ask you to put it down "
                "as {new}."
            ),
            (
                "that application of mine at {company} as {title}, don't need to see it any more, just put it "
                "down as {new}"
            ),
        ),
        title=application["job_title"],
        company=application["company_name"],
        new=new,
    )
    me = story.identify()
    found = story.call("list_applicant_applications", applicant_id=me)["applications"]
    mine = story.find(found, job_title=application["job_title"], company_name=application["company_name"])
    story.call("batch_update_application_status", application_ids=[mine["application_id"]], new_status=new)


@scenario
def recall_interview_feedback(story: Story) -> None:
    """The applicant asks for the rating and the day of the latest feedback on an interview."""
    row = story.pick(
        "interview_feedback",
        "performance_rating IS NOT NULL AND interview_id IN (SELECT i.interview_id"
        " FROM interview_schedule AS i WHERE i.application_id IN (SELECT application_id"
        " FROM job_application GROUP BY applicant_id, job_title, company_name HAVING count(*) = 1)"
        " AND NOT EXISTS (SELECT 1 FROM interview_schedule AS other"
        " WHERE other.application_id = i.application_id"
        " AND other.interview_type = i.interview_type AND other.interview_id <> i.interview_id))",
        unique_by=["interview_id"],
        mine=True,
    )
    interview = story.row("interview_schedule", row["interview_id"])
    application = story.row("job_application", interview["application_id"])
    story.wish(
        (
            "What are the rating and the day of the latest feedback on my {kind} for {title} at {company}?",
            (
                "With regard to my {kind} for {title} at {company}, I would be grateful if you could tell me the "
                "rating of the latest feedback and also the day of the latest feedback."
            ),
            ("my {kind} for {title} at {company}: what's the rating and what's the day of the latest feedback on it?"),
        ),
        kind=interview["interview_type"],
        title=application["job_title"],
        company=application["company_name"],
    )
    me = story.identify()
    applications = story.call("list_applicant_applications", applicant_id=me)["applications"]
    mine = story.find(applications, job_title=application["job_title"], company_name=application["company_name"])
    interviews = story.call("get_application_interviews", application_id=mine["application_id"])["interviews"]
    held = story.find(interviews, interview_type=interview["interview_type"])
    feedback = story.call("list_interview_feedback", interview_id=held["interview_id"])["feedback"]
    latest = story.highest(feedback, "created_at")
    story.answer("rating of the latest feedback", latest["performance_rating"])
    story.answer("day of the latest feedback", story.date_of(latest["created_at"]))


@scenario
def keep_reminder_as_note(story: Story) -> None:
    """The applicant has a follow-up reminder composed and kept as a note."""
    application = story.pick(
        "job_application",
        "status IN ('submitted', 'under_review')",
        unique_by=["applicant_id", "job_title", "company_name"],
        mine=True,
    )
    when = story.moment(story.day(7), "09:00")
    kind = story.choose("kind", {"follow-up note": "follow_up"})
    story.wish(
        (
            (
                "Please generate the follow-up reminder for my application for {title} at {company}, to follow up"
                " on {when}, and keep its text unchanged as a {kind} on that application."
            ),
            (
                "I would be grateful if you could generate the follow-up reminder for my application for {title} "
                "at {company}, the follow-up being on {when}. Kindly keep its text on that application, "
                "unchanged, as a {kind}."
            ),
            (
                "my application for {title} at {company}, wanna follow up on {when}: generate the follow-up "
                "reminder and put its text on there as a {kind}, unchanged"
            ),
        ),
        title=application["job_title"],
        company=application["company_name"],
        when=when,
        kind=kind,
    )
    me = story.identify()
    applications = story.call("list_applicant_applications", applicant_id=me)["applications"]
    mine = story.find(applications, job_title=application["job_title"], company_name=application["company_name"])
    reminder = story.call(
        "generate_follow_up_reminder",
        company_name=mine["company_name"],
        job_title=mine["job_title"],
        application_date=mine["application_date"],
        follow_up_date=when,
    )
    story.call(
        "add_application_note",
        application_id=mine["application_id"],
        note_content=reminder["reminder_message"],
        note_type=kind,
    )


@scenario
def fix_company_and_add_resume(story: Story) -> None:
    """The applicant has the company of a draft corrected and a resume stored with it."""
    row = story.pick(
        "job_application",
        "status = 'draft'",
        unique_by=["job_title", "company_name"],
        mine=True,
    )
    right = story.choose("right", ["Bluewater Ferries", "Kestrel Couriers", "Larkspur Optics"])
    form = story.choose("form", {"PDF": "pdf", "docx": "docx", "plain txt": "txt"})
    resume = story.dictate(
        "resume",
        "Five years in a similar post and good references, now looking for work as {job}",
        job=row["job_title"],
    )
    story.wish(
        (
            (
                "I mixed up two employers: my draft as {job} at {company} is really for {right}, so correct the "
                "company. And store this with it as the resume, in the format {form}: {resume}."
            ),
            (
                "I regret that I confused two employers. As my draft as {job} at {company} is in fact meant for "
                "{right}, I would be grateful if you could correct the company. I would also ask you to do the "
                "following: store this with it as the resume, in the format {form}: {resume}."
            ),
            (
                "wrong company on my draft as {job} at {company}, make it {right}, i mixed the two up. and store "
                "this with it as the resume, in the format {form}: {resume}."
            ),
        ),
        job=row["job_title"],
        company=row["company_name"],
        right=right,
        form=form,
        resume=resume,
    )
    story.identify()
    found = story.call("search_applications_by_keyword", keyword=row["job_title"])["matching_applications"]
    mine = story.find(found, job_title=row["job_title"], company_name=row["company_name"])
    story.call("correct_application_position", application_id=mine["application_id"], company_name=right)
    story.call("upload_resume", application_id=mine["application_id"], resume_content=resume, resume_format=form)


@scenario
def ask_about_latest_refusal(story: Story) -> None:
    """The applicant asks when a request was last refused and which company it concerned."""
    story.pick(
        "job_application",
        "application_id IN (SELECT subject_id FROM declined_request"
        " WHERE declined_request.applicant_id = job_application.applicant_id)"
        " AND (SELECT count(*) FROM declined_request"
        " WHERE declined_request.applicant_id = job_application.applicant_id) = 1",
        mine=True,
    )
    story.wish(
        (
            (
                "You declined a request of mine some time ago. What was the day of the latest refusal, and which "
                "company was the application for that it was about? And the application date of that one, please."
            ),
            (
                "Some time ago, a request of mine was declined by you. I would be grateful if you could tell me "
                "the day of the latest refusal, the company for which the application that it was about was "
                "meant, and the application date of that one."
            ),
            (
                "you turned down a request of mine a while back. day of the latest refusal? and the application "
                "it was about, which company was that for and what's its application date?"
            ),
        )
    )
    me = story.identify()
    refusals = story.call("list_desk_notes", applicant_id=me)["declined_requests"]
    latest = story.highest(refusals, "declined_on")
    details = story.call("get_application", application_id=latest["subject_id"])
    story.answer("day of the latest refusal", latest["declined_on"])
    story.answer("company", details["company_name"], source="job_application.company_name")
    story.answer("application date", story.date_of(details["application_date"]))
