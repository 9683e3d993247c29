"""What applicants want that takes time: an offer that comes in today, a job that reopens, a posting about to close."""

from runtime.story import Story, scenario

NO_OFFERS = "NOT EXISTS (SELECT 1 FROM job_offer AS o WHERE o.application_id = job_application.application_id)"
ALONE = "company_name NOT IN (SELECT a.company_name FROM job_application AS a WHERE a.applicant_id = job_application.applicant_id AND a.application_id <> job_application.application_id)"
REOPENS = "status = 'rejected' AND previous_status = 'under_review'"
ANOTHER = """
    EXISTS (SELECT 1 FROM job_application AS b WHERE b.applicant_id = job_application.applicant_id
        AND b.status = 'rejected' AND b.previous_status = 'under_review')
"""
ANOTHER_OPEN = """
    EXISTS (SELECT 1 FROM job_application AS b WHERE b.applicant_id = job_application.applicant_id
        AND b.application_id <> job_application.application_id AND b.status = 'under_review')
"""
OWES_LITTLE = """
    coalesce((SELECT sum(c.amount_cents) FROM charge AS c WHERE c.applicant_id = job_application.applicant_id
        AND c.status = 'unpaid'), 0) < 2500
"""
IS_OFFERED = """
    SELECT 1 FROM job_offer JOIN job_application USING (application_id)
    WHERE application_id = :application AND job_offer.status = 'pending' AND job_application.status = 'under_review'
"""
IS_OPEN = """
    SELECT 1 FROM job_application WHERE application_id = :application AND status = 'under_review'
    AND NOT EXISTS (SELECT 1 FROM interview_schedule AS i WHERE i.application_id = job_application.application_id
        AND i.interview_date = :moment AND i.status = 'scheduled')
"""
DEADLINES = {"noon": "12:00", "1 PM": "13:00", "12:30": "12:30"}


def reviewed(story, condition="1"):
    """An application of the caller that an employer is looking at and has offered nothing for yet."""
    return story.pick(
        "job_application", f"status = 'under_review' AND {NO_OFFERS} AND {ALONE} AND {condition}", mine=True
    )


def rejected(story):
    """An application of the caller that an employer turned down after a look at it."""
    return story.pick(
        "job_application",
        f"{REOPENS} AND {OWES_LITTLE}",
        unique_by=["applicant_id", "job_title", "company_name"],
        mine=True,
    )


def deadline(story):
    """By when the caller wants to know, a time of today."""
    return story.choose("deadline", {said: str(story.moment(0, time)) for said, time in DEADLINES.items()})


def offered(story, name, application, times, salary, maybe=False):
    """Let the employer make an offer, and the office be told."""
    moment = story.moment(0, story.choose(f"time of {name}", times))
    return story.event(
        name,
        at=moment,
        rows=[
            {
                "table": "job_offer",
                "kind": "added",
                "key": ["JOB_OFFER-90417"],
                "columns": {
                    "application_id": application["application_id"],
                    "offered_salary": salary,
                    "start_date": story.day(45),
                    "respond_by": story.day(7),
                    "status": "pending",
                    "created_at": moment,
                },
            }
        ],
        notice=f"Employer desk: {application['company_name']} has sent an offer.",
        maybe=maybe,
    )


def reopened(story, name, application, times, quietly=False):
    """Let an employer that turned the caller down look at the application again."""
    story.event(
        name,
        at=story.moment(0, story.choose(f"time of {name}", times)),
        call="batch_update_application_status",
        application_ids=[application["application_id"]],
        new_status="under_review",
        notice="" if quietly else f"Employer desk: {application['company_name']} has reopened an application.",
    )


def filled(story, name, application, minutes, when=IS_OFFERED, **values):
    """Let the employer take somebody else once the applicant could have answered for so long."""
    story.event(
        name,
        when=when,
        values={"application": application["application_id"], **values},
        minutes=minutes,
        call="batch_update_application_status",
        application_ids=[application["application_id"]],
        new_status="rejected",
    )


def application_of(story, application, wish=None):
    """The number of an application, as the applicant's list shows it."""
    applications = story.call("list_applicant_applications", wish=wish, applicant_id=story.identify())["applications"]
    job, company = application["job_title"], application["company_name"]
    return story.find(applications, job_title=job, company_name=company)["application_id"]


def offer_from(story, company, wish=None):
    """The number of an offer, as the applicant's list shows it."""
    offers = story.call("list_applicant_offers", wish=wish, applicant_id=story.identify())["offers"]
    return story.find(offers, company_name=company)["offer_id"]


@scenario(form="later")
def accept_the_offer_that_comes_in(story: Story) -> None:
    """The applicant waits for an offer, and has it accepted before the employer takes somebody else."""
    application = reviewed(story)
    company = application["company_name"]
    by = deadline(story)
    offered(story, "offer-sent", application, ("10:05", "10:50", "11:20"), 71000)
    filled(story, "job-filled", application, 210)
    story.tell(
        (
            "{company} called. They're sending you an offer for the {job} job by {by} today. Can you watch for it and "
            "accept it for me right away? They have somebody else lined up.",
            "I have been told that {company} will send an offer for the {job} position by {by} today. Please accept it "
            "for me as soon as it is in, because they will not wait long.",
            "{company} is sending an offer for the {job} job by {by} today. can you wait for it and accept it for me "
            "right away",
        ),
        short="waiting until {by} for the offer from {company} for the {job} job and accepting it",
        company=company,
        job=application["job_title"],
        by=by,
    )
    story.identify()
    story.wait(until=by)
    story.call("accept_job_offer", offer_id=offer_from(story, company))


@scenario(form="later")
def book_the_interview_once_they_reopen(story: Story) -> None:
    """The applicant waits until an employer looks at the application again, and has an interview scheduled in time."""
    application = rejected(story)
    moment = story.moment(story.day(story.choose("days", [10, 11, 12])), "17:30")
    kind = story.choose("kind", ["phone call", "panel interview", "video interview"])
    by = deadline(story)
    reopened(story, "reopened", application, ("10:10", "10:45", "11:15"))
    filled(story, "job-filled", application, 210, IS_OPEN, moment=moment)
    story.tell(
        (
            "{company} turned me down for the {job} job, but now they're reopening my application by {by} today. Once "
            "it's open, can you schedule a {kind} on {moment}? They're holding that until this afternoon.",
            "{company} is going to reopen my application for the {job} position by {by} today. Once it is open, please "
            "schedule a {kind} on {moment}. They will not hold that time for long.",
            "{company} is reopening my application for the {job} job by {by} today. can you wait for that and schedule "
            "a {kind} on {moment}? they won't hold it long",
        ),
        short="waiting until {by} for {company} to reopen my application for the {job} job and scheduling a {kind} on "
        "{moment}",
        company=application["company_name"],
        job=application["job_title"],
        by=by,
        kind=kind,
        moment=moment,
    )
    number = application_of(story, application)
    story.wait(until=by)
    story.call("add_interview_schedule", application_id=number, interview_type=kind, interview_date=moment)


@scenario(form="if_it_happens")
def the_offer_or_the_interview(story: Story) -> None:
    """The applicant accepts an offer if it comes in time, and else takes an interview with another employer."""
    first = reviewed(story, ANOTHER)
    second = rejected(story)
    moment = story.moment(story.day(story.choose("days", [10, 11, 12])), "17:30")
    kind = story.choose("kind", ["phone call", "panel interview", "video interview"])
    by = deadline(story)
    is_offered = offered(story, "offer-sent", first, ("10:00", "10:25"), 78000, maybe=True)
    reopened(story, "reopened", second, ("10:55", "11:20"), quietly=True)
    if is_offered:
        filled(story, "first-filled", first, 210)
    filled(story, "second-filled", second, 180, IS_OPEN, moment=moment)
    story.tell(
        (
            "If {company} sends me an offer by {by} today, accept it. If they don't, schedule a {kind} on {moment} "
            "with {other} for the {job} job. They're reopening my application this morning.",
            "Should an offer from {company} arrive by {by} today, please accept it. If none does, please schedule a "
            "{kind} on {moment} with {other} for the {job} position. They are reopening my application this morning.",
            "if {company} sends me an offer by {by} today accept it. if not schedule a {kind} on {moment} with {other} "
            "for the {job} job, they're reopening my application this morning",
        ),
        short="accepting the offer from {company} if it is in by {by}, or else scheduling a {kind} on {moment} with "
        "{other} for the {job} job",
        company=first["company_name"],
        by=by,
        kind=kind,
        moment=moment,
        other=second["company_name"],
        job=second["job_title"],
    )
    number = application_of(story, second)
    story.wait(until=by)
    if is_offered:
        story.call("accept_job_offer", offer_id=offer_from(story, first["company_name"]))
    else:
        story.call("add_interview_schedule", application_id=number, interview_type=kind, interview_date=moment)


@scenario(form="before_it_closes")
def book_the_interview_first(story: Story) -> None:
    """The applicant turns down an offer that comes later today, and takes an interview that is given away soon."""
    first = reviewed(story, ANOTHER_OPEN)
    second = story.pick(
        "job_application",
        f"status = 'under_review' AND {OWES_LITTLE} AND application_id <> ?",
        first["application_id"],
        unique_by=["applicant_id", "job_title", "company_name"],
        mine=True,
    )
    moment = story.moment(story.day(story.choose("days", [10, 11, 12])), "17:30")
    kind = story.choose("kind", ["phone call", "panel interview", "video interview"])
    by = deadline(story)
    offered(story, "offer-sent", first, ("10:45", "11:00", "11:25"), 64000)
    filled(story, "interview-given-away", second, 60, IS_OPEN, moment=moment)
    with story.together():
        later = story.wish(
            (
                "{company} is sending me an offer by {by} today, and I don't want it. Please wait for it and turn it "
                "down.",
                "An offer from {company} will arrive by {by} today. Please wait for it and decline it for me.",
                "{company} is sending me an offer by {by} today, pls wait for it and turn it down",
            ),
            short="waiting until {by} for the offer from {company} and turning it down",
            company=first["company_name"],
            by=by,
        )
        now = story.wish(
            (
                "And can you schedule a {kind} on {moment} with {company} for the {job} job? They want an answer within "
                "the hour.",
                "I would also like a {kind} on {moment} with {company} for the {job} position. They need to know within "
                "the hour.",
                "also schedule a {kind} on {moment} with {company} for the {job} job, they want to know within the hour",
            ),
            short="scheduling a {kind} on {moment} with {company} for the {job} job",
            kind=kind,
            moment=moment,
            company=second["company_name"],
            job=second["job_title"],
        )
    number = application_of(story, second, now)
    story.call("add_interview_schedule", wish=now, application_id=number, interview_type=kind, interview_date=moment)
    story.wait(until=by, wish=later)
    story.call("decline_job_offer", wish=later, offer_id=offer_from(story, first["company_name"], later))
