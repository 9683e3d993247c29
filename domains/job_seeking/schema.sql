-- A career services office: applicants, their job applications, and everything that hangs on them.

CREATE TABLE applicant (  -- A person who seeks a job and calls the office
    applicant_id TEXT PRIMARY KEY,  -- Applicant number
    full_name TEXT NOT NULL,  -- First and last name
    email TEXT NOT NULL,  -- Email address, unique without regard to case
    phone TEXT UNIQUE,  -- Phone number, if known
    date_of_birth TEXT NOT NULL,  -- Day of birth
    membership_tier TEXT NOT NULL DEFAULT 'basic' CHECK (membership_tier IN ('basic', 'plus', 'premium')),  -- Service tier
    created_at TEXT NOT NULL,  -- When the applicant was registered
    CHECK (date_of_birth < substr(created_at, 1, 10))
) STRICT, WITHOUT ROWID;

CREATE UNIQUE INDEX applicant_by_email ON applicant (lower(email));

CREATE TABLE job_application (  -- One applicant's application for one job at one company
    application_id TEXT PRIMARY KEY,  -- Application number
    applicant_id TEXT NOT NULL REFERENCES applicant ON DELETE RESTRICT,  -- Whose application
    applicant_name TEXT NOT NULL,  -- Applicant's name when it was added
    email TEXT NOT NULL,  -- Applicant's email when it was added
    phone TEXT,  -- Applicant's phone when it was added, if known
    job_title TEXT NOT NULL,  -- Job sought
    company_name TEXT NOT NULL,  -- Employer
    application_date TEXT NOT NULL,  -- When it was filed; of a draft, when it was added
    status TEXT NOT NULL DEFAULT 'submitted' CHECK (status IN ('draft', 'submitted', 'under_review', 'rejected', 'accepted', 'withdrawn', 'archived')),  -- How far it got
    previous_status TEXT CHECK (previous_status IN ('draft', 'submitted', 'under_review', 'rejected', 'accepted', 'withdrawn', 'archived')),  -- Status before the last change, null if never changed
    resume_content TEXT,  -- Full text of the resume
    resume_format TEXT,  -- Format of the resume, such as pdf or docx
    resume_uploaded_at TEXT,  -- When the resume was uploaded
    cover_letter_content TEXT,  -- Full text of the cover letter
    cover_letter_uploaded_at TEXT,  -- When the cover letter was uploaded
    deadline_date TEXT,  -- Next deadline
    deadline_type TEXT,  -- What the deadline is for, such as follow_up or response
    referral_source TEXT,  -- Where the applicant learned of the job, such as LinkedIn
    referral_person TEXT,  -- Who referred the applicant
    priority_level INTEGER CHECK (priority_level BETWEEN 1 AND 5),  -- How much it matters, 5 is highest
    priority_reason TEXT,  -- Why it has this priority
    expected_salary_min INTEGER CHECK (expected_salary_min > 0),  -- Least yearly salary expected, whole dollars
    expected_salary_max INTEGER,  -- Greatest yearly salary expected, whole dollars
    salary_currency TEXT NOT NULL DEFAULT 'USD' CHECK (salary_currency = 'USD'),  -- Currency of the salaries, always USD
    created_at TEXT NOT NULL,  -- When it was added
    updated_at TEXT,  -- When it last changed
    CHECK ((resume_content IS NULL) = (resume_uploaded_at IS NULL)),
    CHECK ((resume_content IS NULL) = (resume_format IS NULL)),
    CHECK ((cover_letter_content IS NULL) = (cover_letter_uploaded_at IS NULL)),
    CHECK ((deadline_date IS NULL) = (deadline_type IS NULL)),
    CHECK (referral_person IS NULL OR referral_source IS NOT NULL),
    CHECK (priority_reason IS NULL OR priority_level IS NOT NULL),
    CHECK (expected_salary_max IS NULL OR (expected_salary_min IS NOT NULL AND expected_salary_max >= expected_salary_min))
) STRICT, WITHOUT ROWID;

CREATE INDEX job_application_by_applicant ON job_application (applicant_id, application_date);

CREATE TABLE application_note (  -- A note on an application
    note_id TEXT PRIMARY KEY,  -- Note number
    application_id TEXT NOT NULL REFERENCES job_application ON DELETE RESTRICT,  -- Application it is about
    note_content TEXT NOT NULL,  -- What it says
    note_type TEXT,  -- Kind of note, such as follow_up, reminder, general
    created_at TEXT NOT NULL  -- When it was written
) STRICT, WITHOUT ROWID;

CREATE INDEX application_note_by_application ON application_note (application_id, created_at);

CREATE TABLE application_stage (  -- A stage an application reached or plans
    stage_id TEXT PRIMARY KEY,  -- Stage number
    application_id TEXT NOT NULL REFERENCES job_application ON DELETE RESTRICT,  -- Application it belongs to
    stage_name TEXT NOT NULL,  -- Name, such as phone_screening; once per application
    stage_date TEXT NOT NULL,  -- When it was reached or is planned
    stage_notes TEXT  -- Remarks
) STRICT, WITHOUT ROWID;

CREATE UNIQUE INDEX application_stage_by_application ON application_stage (application_id, stage_name);

CREATE TABLE interview_schedule (  -- An interview for an application
    interview_id TEXT PRIMARY KEY,  -- Interview number
    application_id TEXT NOT NULL REFERENCES job_application ON DELETE RESTRICT,  -- Application it is for
    interview_type TEXT NOT NULL,  -- Kind, such as phone_screening or system_design
    interview_date TEXT NOT NULL,  -- When it starts
    interviewer_name TEXT,  -- Who interviews
    interview_location TEXT,  -- Place or link
    interview_duration_minutes INTEGER CHECK (interview_duration_minutes BETWEEN 1 AND 480),  -- Planned length
    status TEXT NOT NULL DEFAULT 'scheduled' CHECK (status IN ('scheduled', 'canceled', 'missed')),  -- Scheduled (also when it took place), canceled, or missed by the applicant
    reschedule_count INTEGER NOT NULL DEFAULT 0 CHECK (reschedule_count >= 0),  -- How often it was moved
    canceled_at TEXT,  -- When it was canceled
    cancel_reason TEXT,  -- Why it was canceled
    CHECK ((status = 'canceled') = (canceled_at IS NOT NULL)),
    CHECK ((status = 'canceled') = (cancel_reason IS NOT NULL))
) STRICT, WITHOUT ROWID;

CREATE INDEX interview_schedule_by_application ON interview_schedule (application_id, interview_date);

CREATE UNIQUE INDEX interview_schedule_one_at_a_time ON interview_schedule (application_id, interview_date) WHERE status = 'scheduled';

CREATE TABLE interview_feedback (  -- How an interview went
    feedback_id TEXT PRIMARY KEY,  -- Feedback number
    interview_id TEXT NOT NULL REFERENCES interview_schedule ON DELETE RESTRICT,  -- Interview it is about
    feedback_content TEXT NOT NULL,  -- What was said
    performance_rating INTEGER CHECK (performance_rating BETWEEN 1 AND 5),  -- Rating, 5 is best
    created_at TEXT NOT NULL  -- When it was given
) STRICT, WITHOUT ROWID;

CREATE INDEX interview_feedback_by_interview ON interview_feedback (interview_id, created_at);

CREATE TABLE job_offer (  -- An employer's offer on an application
    offer_id TEXT PRIMARY KEY,  -- Offer number
    application_id TEXT NOT NULL REFERENCES job_application ON DELETE RESTRICT,  -- Application it answers
    offered_salary INTEGER NOT NULL CHECK (offered_salary > 0),  -- Yearly salary, whole dollars
    start_date TEXT NOT NULL,  -- First day of work
    respond_by TEXT NOT NULL,  -- Last day to answer
    status TEXT NOT NULL DEFAULT 'pending' CHECK (status IN ('pending', 'accepted', 'declined')),  -- Answered or not
    created_at TEXT NOT NULL,  -- When it was recorded
    responded_at TEXT,  -- When it was answered
    CHECK (start_date > respond_by),
    CHECK (respond_by >= substr(created_at, 1, 10)),
    CHECK ((status = 'pending') = (responded_at IS NULL)),
    CHECK (responded_at >= created_at)
) STRICT, WITHOUT ROWID;

CREATE INDEX job_offer_by_application ON job_offer (application_id, created_at);

CREATE UNIQUE INDEX job_offer_one_pending ON job_offer (application_id) WHERE status = 'pending';

CREATE TABLE charge (  -- A fee of an applicant
    charge_id TEXT PRIMARY KEY,  -- Charge number
    applicant_id TEXT NOT NULL REFERENCES applicant ON DELETE RESTRICT,  -- Who owes it
    application_id TEXT REFERENCES job_application ON DELETE RESTRICT,  -- Application it concerns, if any is left
    kind TEXT NOT NULL CHECK (kind IN ('coaching_session', 'resume_review', 'late_change', 'missed_interview')),  -- What it is for
    amount_cents INTEGER NOT NULL CHECK (amount_cents BETWEEN 1 AND 100000),  -- Amount due
    status TEXT NOT NULL DEFAULT 'unpaid' CHECK (status IN ('unpaid', 'paid', 'waived')),  -- Settled or not
    created_at TEXT NOT NULL,  -- When it was recorded
    settled_at TEXT,  -- When it was paid or waived
    payment_method TEXT CHECK (payment_method IN ('card', 'check', 'cash')),  -- How it was paid
    waive_reason TEXT,  -- Why it was waived
    CHECK ((status = 'unpaid') = (settled_at IS NULL)),
    CHECK ((status = 'paid') = (payment_method IS NOT NULL)),
    CHECK ((status = 'waived') = (waive_reason IS NOT NULL)),
    CHECK (settled_at >= created_at)
) STRICT, WITHOUT ROWID;

CREATE INDEX charge_by_applicant ON charge (applicant_id, status);

CREATE INDEX charge_by_application ON charge (application_id);

CREATE TABLE identification (           -- That a caller was identified
    applicant_id  TEXT NOT NULL REFERENCES applicant ON DELETE RESTRICT,  -- Who it was
    noted_on      TEXT NOT NULL,            -- Day for which it counts
    PRIMARY KEY (applicant_id, noted_on)
) STRICT, WITHOUT ROWID;

CREATE TABLE declined_request (         -- A request that a rule did not allow
    applicant_id  TEXT NOT NULL REFERENCES applicant ON DELETE RESTRICT,  -- Who asked
    subject_id    TEXT NOT NULL,            -- Record that it was about
    rule_code     TEXT NOT NULL,            -- Rule that did not allow it
    declined_on   TEXT NOT NULL,            -- Day of it
    PRIMARY KEY (applicant_id, subject_id, rule_code, declined_on)
) STRICT, WITHOUT ROWID;
